"""Evaluation of tests and lookup of values for a subset of individuals.

A test of the individual's own attributes is evaluated only for the individuals at the node; one that follows links is
evaluated for all, because its results are shared with the tests below.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from structtree.data.population import Population, Table
from structtree.lang import syntax as syn
from structtree.lang.walk import children
from structtree.space.evaluate import Known, rows_where

__all__ = ["holds_among", "own_attributes", "places_among"]


def holds_among(
    test: syn.Predicate, population: Population, which: NDArray[np.int64], known: Known | None = None
) -> NDArray[np.bool_]:
    """Return which individuals of a subset satisfy a test.

    Parameters
    ----------
    which : array of int
        Positions of individuals.
    known : dict, optional
        Cached results of tests on the same population; see `structtree.space.evaluate.rows_where`.

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
    columns = {key: column for key in attributes or () if (column := table.column(key)) is not None}
    if attributes is None or len(columns) < len(attributes):
        return rows_where(test, population, name, known)[rows]
    part = Table(len(rows), {key: column.take(rows) for key, column in columns.items()}, {})
    return rows_where(test, replace(population, tables={name: part}), name)


def places_among(
    attribute: str, values: Sequence[str], population: Population, which: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the index of each individual's value in a list of values of a nominal attribute; -1 for other values.

    Examples
    --------
    >>> data = Population.from_records([{"color": "red"}, {"color": "blue"}, {"color": None}, {"color": "red"}])
    >>> places_among("color", ["green", "red"], data, np.array([0, 1, 2, 3])).tolist()
    [1, -1, -1, 1]
    """
    column = population.tables[population.schema.individual].columns[attribute]
    place_of = {value: place for place, value in enumerate(values)}
    # The last place is for missing values, whose code is -1.
    places = np.array([*(place_of.get(category, -1) for category in column.categories), -1])
    return np.asarray(places[column.values[population.individuals[which]]])


def own_attributes(test: syn.Predicate) -> set[str] | None:
    """Return the attributes of the individual itself that a test mentions; None if it follows a link."""
    found: set[str] = set()
    stack = [test]
    while stack:
        match stack.pop():
            case (
                syn.Flag(attribute)
                | syn.Compare(attribute)
                | syn.Among(attribute)
                | syn.Within(attribute)
                | syn.Missing(attribute)
            ):
                found.add(str(attribute))
            case syn.CompareOwn((attribute,), _, (other,)):
                found |= {attribute, other}
            case syn.Top() | syn.And() | syn.Or() | syn.Not() as form:
                stack.extend(children(form))
            case syn.Named(_, body) if body is not None:
                stack.append(body)
            case _:
                return None
    return found
