"""Individuals of a table go down a tree in compiled code, where all tests are plain comparisons.

Law: the leaves are those that asking every test by itself leads to.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from structtree.data.columns import Column, Population
from structtree.lang.syntax import Among, Compare, Flag, Predicate
from structtree.search.kernels.descending import AMONG, AT_LEAST, AT_MOST, EQUAL, descend

__all__ = ["Descent", "descent_of", "leaves_by"]

PIECE = 100_000
"""So many individuals go at a time, which bounds the memory for their values."""

_FORMS = {">=": AT_LEAST, "<=": AT_MOST, "=": EQUAL}


class Descent(NamedTuple):
    """A tree of plain comparisons as arrays, one entry for each node; -1 stands in leaves.

    Parameters
    ----------
    attributes : tuple of str
        What is asked about.
    asked, forms, yes, no : arrays of int
    values : tuple
        What each node compares with.
    """

    attributes: tuple[str, ...]
    asked: NDArray[np.int64]
    forms: NDArray[np.int64]
    yes: NDArray[np.int64]
    no: NDArray[np.int64]
    values: tuple[str | float | tuple[str, ...], ...]


def descent_of(tests: Sequence[Predicate | None], sides: Sequence[tuple[int, int]]) -> Descent | None:
    """A tree as arrays, if all its tests are plain comparisons.

    Parameters
    ----------
    tests : one for each node
        None in a leaf.
    sides : one for each node
        Where yes and no lead.

    Examples
    --------
    >>> from structtree.lang.parse import parse_predicate
    >>> descent = descent_of([parse_predicate("size >= 3"), None, None], [(1, 2), (-1, -1), (-1, -1)])
    >>> data = Population.from_records([{"size": 1}, {"size": 5}])
    >>> leaves_by(descent, data).tolist()
    [2, 1]
    """
    asked, forms, values = [], [], []
    place: dict[str, int] = {}
    for test in tests:
        comparison = _comparison(test)
        if comparison is None:
            return None
        asked.append(place.setdefault(comparison.attribute, len(place)) if comparison.attribute else -1)
        forms.append(comparison.form)
        values.append(comparison.value)
    yes, no = np.array(sides, dtype=np.int64).T
    return Descent(tuple(place), np.array(asked), np.array(forms), yes.copy(), no.copy(), tuple(values))


class _Comparison(NamedTuple):
    attribute: str
    form: int
    value: str | float | tuple[str, ...]


def _comparison(test: Predicate | None) -> _Comparison | None:
    match test:
        case None:
            return _Comparison("", -1, 0.0)
        case Flag(attribute, positive):
            return _Comparison(attribute, EQUAL, float(positive))
        case Compare(attribute, ">=" | "<=" | "=" as op, str() | int() | float() as value):
            return _Comparison(attribute, _FORMS[op], value)
        case Among(attribute, values) if all(isinstance(value, str) for value in values):
            return _Comparison(attribute, AMONG, tuple(map(str, values)))
        case _:
            return None


def leaves_by(descent: Descent, population: Population) -> NDArray[np.int64] | None:
    """The leaf of each individual; None where the data lacks an attribute, or has numbers for categories."""
    table = population.tables[population.schema.individual]
    if not set(descent.attributes) <= table.columns.keys():
        return None
    columns = [table.columns[name] for name in descent.attributes]
    grouped = np.unique(descent.asked[descent.forms == AMONG])
    if any(columns[at].kind != "nominal" for at in grouped.tolist()):
        return None
    bounds, sets = _bounds(descent, columns)
    leaves = np.empty(len(population), dtype=np.int64)

    def some(first: int) -> None:
        piece = slice(first, first + PIECE)
        values = _values(columns, population.individuals[piece])
        descend(values, descent.asked, descent.forms, bounds, sets, descent.yes, descent.no, leaves[piece])

    starts = range(0, len(population), PIECE)
    if len(starts) < 2:
        some(0)
    else:
        with ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as threads:
            list(threads.map(some, starts))
    return leaves


def _values(columns: Sequence[Column], rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """The values of some rows; a run of them needs no looking up."""
    values = np.empty((len(columns), len(rows)))
    is_run = len(rows) > 0 and rows[-1] - rows[0] == len(rows) - 1 and bool((np.diff(rows) == 1).all())
    for i, column in enumerate(columns):
        values[i] = column.values[rows[0] : rows[-1] + 1] if is_run else column.values[rows]
    return values


def _bounds(descent: Descent, columns: Sequence[Column]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """What each node compares with, as numbers; a category that the data does not have is like none of its own.

    Of a set that is where it begins in the second array, which says of each category whether it is in the set.
    """
    bounds = np.zeros(len(descent.values))
    sets: list[bool] = []
    for node, (at, value) in enumerate(zip(descent.asked.tolist(), descent.values, strict=True)):
        if at < 0:
            continue
        if isinstance(value, tuple):
            bounds[node] = len(sets)
            sets += [category in value for category in columns[at].categories]
        elif columns[at].kind == "nominal":
            code = columns[at].code(str(value))
            bounds[node] = code if code >= 0 else np.nan
        else:
            bounds[node] = float(value)
    return bounds, np.array(sets, dtype=np.bool_)
