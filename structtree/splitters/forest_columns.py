"""Columns of a forest: all listed tests in bins, prepared once for all trees within a memory limit.

Tests are converted some at a time, so that only narrow integers are kept for all of them. If even these exceed the
limit, the columns whose best test divides the individuals worst are dropped.

Law: without a limit that matters, a column has the codes of `structtree.splitters.binned.bin_columns` of all tests.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import Floats, Ints
from structtree.data.population import Population
from structtree.lang import syntax as syn
from structtree.lang.walk import peel, wrap
from structtree.models.importance import mentioned
from structtree.progress import report_status
from structtree.search.clock import Clock
from structtree.search.kernels import tables as kernel
from structtree.splitters.attribute_tests import FlatTest, ListedTests
from structtree.splitters.binned import BinnedColumns, bin_columns, joined_columns, root_losses
from structtree.splitters.table import Tuning, columns_for
from structtree.tasks.target import Target

__all__ = ["ForestColumns", "forest_columns", "with_tests"]

CELLS_AT_A_TIME = 20_000_000
"""Number of values that are converted to bins at a time."""

JUDGED_ON = 20_000
"""Maximum number of individuals on which columns are compared."""


@dataclass(frozen=True, slots=True, eq=False)
class ForestColumns:
    """Columns in bins with their families.

    Parameters
    ----------
    binned : BinnedColumns
    families : (tests,) int
        The family of each test; tests that mention the same attributes and links are one.
    n_listed : int
        Number of tests before the memory limit was applied.
    n_skipped : int
        Number of tests that there was no time for.
    n_dropped : int
        Number of columns that were dropped because of the memory limit.
    is_complete : bool
        Whether all tests of the grammar were listed.
    found_in : (tests,) int8, optional
        The part of the individuals whose labels led to a test that was found by search; -1 for a listed test.
    part_of : (n,) int8, optional
        The part of each individual; -1 for none.
    is_searched : bool
        Whether there was enough time to search for tests.
    """

    binned: BinnedColumns
    families: Ints
    n_listed: int
    n_skipped: int = 0
    n_dropped: int = 0
    is_complete: bool = True
    found_in: NDArray[np.int8] | None = None
    part_of: NDArray[np.int8] | None = None
    is_searched: bool = True

    @property
    def found(self) -> tuple[syn.Predicate, ...]:
        """The tests found by search."""
        places = [] if self.found_in is None else np.flatnonzero(self.found_in >= 0).tolist()
        return tuple(self.binned.test(t).right for t in places)

    @property
    def megabytes(self) -> float:
        """Memory of the columns."""
        return self.binned.columns.values.nbytes / 1e6


def forest_columns(
    listed: ListedTests, population: Population, target: Target, max_bins: int, max_memory: float, clock: Clock
) -> ForestColumns:
    """Convert listed tests to binned columns, until the time is up.

    Parameters
    ----------
    listed : ListedTests
    population : Population
    target : Target
        Determines which columns are kept if they exceed the memory limit.
    max_bins : int
    max_memory : float
        In megabytes.
    clock : Clock
    """
    kept, n_done, n_dropped = list[_Part](), 0, 0
    every = tuple(map(_without_sets, listed.tests))
    place_of = {id(test): place for place, test in enumerate(every)}
    for tests in _pieces(every, len(population)):
        if kept and clock.over() is not None:
            break
        report_status("preparing columns", n_done, len(listed.tests))
        columns = columns_for(ListedTests(tests), population, clock, Tuning())
        places = np.array([place_of[id(test)] for test in columns.members.tests], dtype=np.int64)
        kept.append(_Part(bin_columns(columns, max_bins).without_values(), places))
        n_done += len(tests)
        if sum(each.columns.nbytes for each in kept) > max_memory * 1e6:
            whole = _joined(kept)
            kept = [_most_useful(whole, target, max_memory)]
            n_dropped += len(whole.columns.columns) - len(kept[0].columns.columns)
    whole = _joined(kept)
    binned = whole.columns.on_tests(np.argsort(whole.places, kind="stable"))
    return ForestColumns(binned, _families(binned), len(every), len(every) - n_done, n_dropped, listed.complete)


def with_tests(
    columns: ForestColumns,
    found: Sequence[Sequence[syn.Predicate]],
    part_of: NDArray[np.int8],
    population: Population,
    clock: Clock,
) -> ForestColumns:
    """Add single tests that were found by search on parts of the individuals.

    Parameters
    ----------
    columns : ForestColumns
    found : sequence of sequence of Predicate
        The tests found in each part.
    part_of : (n,) int8
        The part of each individual; -1 for none.
    population : Population
    clock : Clock
    """
    tests = tuple(FlatTest(test, kernel.EQUAL) for some in found for test in some)
    if not tests:
        return columns
    parts = np.repeat(np.arange(len(found), dtype=np.int8), [len(some) for some in found])
    made = columns_for(ListedTests(tests), population, clock, Tuning())
    place_of = {id(test): place for place, test in enumerate(tests)}
    places = np.array([place_of[id(test)] for test in made.members.tests], dtype=np.int64)
    binned = joined_columns([columns.binned, bin_columns(made, 2).without_values()])
    before = columns.found_in
    if before is None:
        before = np.full(columns.binned.n_tests, -1, dtype=np.int8)
    found_in = np.concatenate([before, parts[places]])
    return replace(columns, binned=binned, families=_families(binned), found_in=found_in, part_of=part_of)


class _Part(NamedTuple):
    """Some of the columns, with the place of each of their tests among all tests."""

    columns: BinnedColumns
    places: Ints


def _joined(parts: Sequence[_Part]) -> _Part:
    return _Part(joined_columns([part.columns for part in parts]), np.concatenate([part.places for part in parts]))


def _without_sets(test: FlatTest) -> FlatTest:
    """Return tests of single values instead of sets of values, which the trees of a forest combine."""
    if test.form != kernel.SUBSET:
        return test
    path, end = peel(test.right)
    assert isinstance(end, syn.Among)
    return replace(test, right=wrap(path, syn.Compare(end.attribute, "=", syn.Star())), form=kernel.EQUAL)


def _pieces(tests: Sequence[FlatTest], n_rows: int) -> Iterator[tuple[FlatTest, ...]]:
    """Yield the tests some at a time: tests of one column together, and single tests last."""
    places = dict[object, int]()
    for test in tests:
        places.setdefault(test.subject, len(places))
    order = sorted(tests, key=lambda test: (test.subject is None, places[test.subject]))
    n_columns, piece, n = max(1, CELLS_AT_A_TIME // max(1, n_rows)), list[FlatTest](), 0
    for is_single, some in groupby(order, key=lambda test: test.subject is None):
        for _, group in groupby(enumerate(some), key=lambda one: one[0] if is_single else places[one[1].subject]):
            piece += [test for _, test in group]
            n += 1
            if n == n_columns:
                yield tuple(piece)
                piece, n = [], 0
        if piece:
            yield tuple(piece)
            piece, n = [], 0
    if not tests:
        yield ()


def _most_useful(part: _Part, target: Target, max_memory: float) -> _Part:
    """Return the columns that fit into half of the limit, so that there is room for others to compete."""
    columns = part.columns
    losses = _losses(columns, target)
    n_kept = max(1, int(max_memory * 0.5e6 / max(1, columns.nbytes) * len(columns.columns)))
    best = np.full(len(columns.columns), np.inf)
    np.minimum.at(best, columns.columns.tests[:, 0], losses)
    chosen = np.sort(np.argsort(best, kind="stable")[:n_kept])
    return _Part(columns.on_columns(chosen), part.places[np.isin(columns.columns.tests[:, 0], chosen)])


def _losses(columns: BinnedColumns, target: Target) -> Floats:
    """Return the loss of the best member of each test on some of the individuals."""
    rows = np.flatnonzero(target.weights)
    if len(rows) > JUDGED_ON:
        some = np.random.default_rng(0).choice(rows, JUDGED_ON, replace=False)
        weights = np.zeros_like(target.weights)
        weights[some] = target.weights[some]
        target = replace(target, weights=weights)
    return root_losses(columns, target)


def _families(columns: BinnedColumns) -> Ints:
    names = [mentioned(columns.test(t).right) for t in range(columns.n_tests)]
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return np.array([numbers[name] for name in names], dtype=np.int64)
