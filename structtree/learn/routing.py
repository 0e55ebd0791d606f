"""Whom a test holds of, among some of the individuals: what sends them down a tree.

A test that stays within the individual's own attributes is asked only about those that arrive; one that follows links
is asked about all at once, since its answers are shared with the tests below it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from structtree.data.columns import Population, Table
from structtree.lang.syntax import Among, And, Compare, Flag, Missing, Named, Not, Or, Predicate, Top, Within
from structtree.space.evaluate import Known, rows_where

__all__ = ["holds_among", "own_attributes"]


def holds_among(
    test: Predicate, population: Population, which: NDArray[np.int64], known: Known | None = None
) -> NDArray[np.bool_]:
    """Which of some individuals a test holds of.

    Parameters
    ----------
    which : array of int
        Positions of individuals.
    known : dict, optional
        Answers of other tests on the same population; see `structtree.space.evaluate.rows_where`.

    Examples
    --------
    >>> from structtree.lang.parse import parse_predicate
    >>> data = Population.from_records([{"size": 1}, {"size": 5}, {"size": 7}])
    >>> holds_among(parse_predicate("size >= 5"), data, np.array([0, 2])).tolist()
    [False, True]
    """
    name = population.schema.individual
    table, rows = population.tables[name], population.individuals[which]
    attributes = own_attributes(test)
    if attributes is None or not attributes <= table.columns.keys():
        return rows_where(test, population, name, known)[rows]
    part = Table(len(rows), {key: table.columns[key].take(rows) for key in attributes}, {})
    return rows_where(test, replace(population, tables={name: part}), name)


def own_attributes(test: Predicate) -> set[str] | None:
    """The attributes of the individual itself that a test asks about; None when it follows a link."""
    asked: set[str] = set()
    stack = [test]
    while stack:
        match stack.pop():
            case Top():
                pass
            case Flag(attribute) | Compare(attribute) | Among(attribute) | Within(attribute) | Missing(attribute):
                asked.add(str(attribute))
            case And(parts) | Or(parts):
                stack.extend(parts)
            case Not(inner):
                stack.append(inner)
            case Named(_, body) if body is not None:
                stack.append(body)
            case _:
                return None
    return asked
