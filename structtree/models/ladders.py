"""Ladders: nested tests that the trees of an ensemble share, and the rank of each individual on each ladder.

The tests of a ladder go from the most general to the strictest, such as ``count atoms (element = N) >= 1`` to
``>= 9``, or all thresholds on one attribute. The rank of an individual is the number of tests that it satisfies, so
that every tree asks ``rank > k``. A number is computed once and compared with all thresholds at a time.

Law: the rank is the number of tests of the ladder that hold (`tests/models/test_ladders.py`).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import Floats
from structtree.data.json_parts import JsonPart
from structtree.data.population import Column, Population
from structtree.lang import syntax as syn
from structtree.lang.pretty import pretty
from structtree.lang.walk import peel, wrap
from structtree.models.files.test_reader import TestReader
from structtree.space.evaluate import Known, aggregate_column, count_behind, own_column, referenced, rows_where

__all__ = ["Thresholds", "ladder_from_json", "ladder_ranks", "ladder_to_json", "numbers_of"]


@dataclass(frozen=True, slots=True, eq=False)
class Thresholds(Sequence[syn.Predicate]):
    """Tests that differ in one number, created on demand.

    Parameters
    ----------
    test : Predicate
        One of them.
    values : tuple of int or float

    Examples
    --------
    >>> Thresholds(syn.Compare("size", ">=", 3), (3, 5))[1]
    Compare(attribute='size', op='>=', value=5)
    """

    test: syn.Predicate
    values: tuple[int | float, ...]

    def __len__(self) -> int:
        return len(self.values)

    @overload
    def __getitem__(self, place: int) -> syn.Predicate: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[syn.Predicate]: ...
    def __getitem__(self, place: int | slice) -> syn.Predicate | Sequence[syn.Predicate]:
        if isinstance(place, slice):
            return replace(self, values=self.values[place])
        path, end = peel(self.test)
        assert isinstance(end, syn.Compare | syn.Aggregate)
        return wrap(path, replace(end, value=self.values[place]))


# ---- ranks -----------------------------------------------------------------------------------------------------


def ladder_ranks(
    ladders: Sequence[Sequence[syn.Predicate]], population: Population, known: Known | None = None
) -> NDArray[np.uint16]:
    """Return the rank of each individual on each ladder, as (individuals, ladders).

    Parameters
    ----------
    ladders : sequence of sequence of Predicate
    population : Population
    known : dict, optional
        Cache of masks and numbers of the rows.

    Examples
    --------
    >>> data = Population.from_records([{"size": 1}, {"size": 4}, {"size": None}])
    >>> ladder_ranks([Thresholds(syn.Compare("size", ">=", 3), (1, 3, 5))], data).tolist()
    [[1], [2], [0]]
    """
    known = {} if known is None else known
    found = np.empty((len(population), len(ladders)), dtype=np.uint16)
    for place, tests in enumerate(ladders):
        found[:, place] = _ranks(tests, population, known)
    return found


def _ranks(tests: Sequence[syn.Predicate], population: Population, known: Known) -> NDArray[Any]:
    name, rows = population.schema.individual, population.individuals
    numbers = numbers_of(tests[0], population, known)
    limits = None if numbers is None else _limits(tests)
    if numbers is None or limits is None:
        return np.asarray(sum(rows_where(test, population, name, known)[rows].astype(np.int64) for test in tests))
    numbers = numbers[rows]
    if getattr(peel(tests[0])[1], "op", None) == "<=":
        return np.asarray(len(tests) - np.searchsorted(limits[::-1], numbers, side="left"))
    return np.asarray(np.where(np.isnan(numbers), 0, np.searchsorted(limits, numbers, side="right")))


def _limits(tests: Sequence[syn.Predicate]) -> Floats | None:
    """Return the numbers that tests compare with; None if they differ in something else."""
    if isinstance(tests, Thresholds):
        return np.array(tests.values, dtype=np.float64)
    first = tests[0]
    if not isinstance(first, syn.Count) or any(
        not isinstance(test, syn.Count) or replace(test, n=first.n) != first for test in tests
    ):
        return None
    return np.array([test.n for test in tests], dtype=np.float64)  # type: ignore[union-attr]  # checked above


def numbers_of(test: syn.Predicate, population: Population, known: Known | None = None) -> Floats | None:
    """Return the number that a test compares for each row of the individuals' type; None for other tests.

    Missing numbers are NaN, which satisfies no comparison.

    Examples
    --------
    >>> data = Population.from_records([{"parts": [{"kg": 2}, {"kg": 5}]}, {"parts": []}])
    >>> numbers_of(syn.Count("parts", syn.Compare("kg", ">=", 3), ">=", 1), data).tolist()
    [1.0, 0.0]
    """
    name = population.schema.individual
    path, end = peel(test)
    if not all(isinstance(step, syn.Follow) for step in path):
        return None
    links = [step.link for step in path if isinstance(step, syn.Follow)]
    match end:
        case syn.Compare(attribute, ">=" | "<=", int() | float()):
            return _or_nan(own_column((*links, attribute), population, name))
        case syn.Count(op=">="):
            last = referenced(links, population, name)
            counts = count_behind(end, population, last.type, known)
            return _or_nan(last.of_rows(Column("int", counts.astype(np.float64))))
        case syn.Aggregate(op=">=" | "<=", value=int() | float()):
            last = referenced(links, population, name)
            return _or_nan(last.of_rows(aggregate_column(end, population, last.type, known)))
        case _:
            return None


def _or_nan(column: Any) -> Floats | None:
    """Return the numbers of a column, NaN for missing ones; None for categories."""
    if column.kind == "nominal":
        return None
    return np.where(column.missing, np.nan, column.values.astype(np.float64))


# ---- JSON ------------------------------------------------------------------------------------------------------


def ladder_to_json(tests: Sequence[syn.Predicate]) -> dict[str, Any]:
    """Return a ladder as plain JSON values: the text of each test, or one text and all numbers."""
    if isinstance(tests, Thresholds):
        return {"test": pretty(tests[0]), "values": list(tests.values)}
    return {"tests": list(map(pretty, tests))}


def ladder_from_json(part: JsonPart, reader: TestReader) -> Sequence[syn.Predicate]:
    """Restore a ladder from the output of `ladder_to_json`; its tests are checked against the schema."""
    if "test" not in part.members():
        found = tuple(map(reader.test, part.member("tests").elements()))
        return found or part.member("tests").expected("one test or more")
    test, values = reader.test(part.member("test")), part.member("values")
    end = peel(test)[1]
    if not isinstance(end, syn.Compare | syn.Aggregate) or end.op not in (">=", "<="):
        part.member("test").expected("a comparison of a number")
    numbers = tuple(each.number() if isinstance(each.value, float) else each.value for each in values.elements())
    if not numbers or not all(isinstance(number, int | float) for number in numbers):
        values.expected("numbers")
    ascending = all(one < other for one, other in itertools.pairwise(numbers))
    descending = all(one > other for one, other in itertools.pairwise(numbers))
    if not (ascending if end.op == ">=" else descending):
        values.expected("thresholds from the most general to the strictest")
    return Thresholds(test, numbers)
