"""A table as integers, for a grammar that asks one plain test of the individual's own attributes at a time.

Columns of many different values are sorted, once for the whole tree; those of few are counted by value. What the
kernels do with them is in `structtree.search.kernels.tables`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from structtree.data.population import Column, Population
from structtree.progress import report_status
from structtree.search.clock import Clock
from structtree.search.kernels import tables as kernel
from structtree.search.scorers import weight_table
from structtree.space.evaluate import holds
from structtree.splitters.attribute_tests import FlatTest, ListedTests
from structtree.tasks.target import Target

__all__ = ["SortedTable", "Tuning", "pool_for", "table_of", "task_of", "without_mirrors"]

FEW = 256
"""Up to so many different values a column is counted by value instead of sorted."""

VALUES_AT_A_TIME = 2_000_000
"""So many values are made integers before the next look at the clock."""


class Tuning(NamedTuple):
    """Sizes from which another way to the same tree is quicker.

    Parameters
    ----------
    alone : int
        A table with fewer rows times tests is not worth starting threads for.
    shared : int
        A node with so many rows times tests is divided by several threads; a smaller one grows its whole subtree.
    counted : int
        Columns of numbers of fewer rows are sorted in any case: to count by value pays where values come often. Nor
        is one of them worth handing to a thread.
    threads : int
    searched : int
        Before searches of so many rows of all types the best single test of a node is found in sweeps.
    """

    alone: int = 200_000
    shared: int = 1_000_000
    counted: int = 4096
    threads: int = min(8, os.cpu_count() or 1)
    searched: int = 50_000


def pool_for(n_cells: int, tuning: Tuning) -> ThreadPoolExecutor | None:
    """Threads for a table with so many rows times tests, if they pay.

    A single one pays as well where data is large: it leaves somebody free to look at the clock.
    """
    return None if n_cells < tuning.alone else ThreadPoolExecutor(tuning.threads)


Answers = NDArray[np.int32]
_THRESHOLDS = (kernel.AT_LEAST, kernel.AT_MOST)


# ---- a table as integers --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class SortedTable:
    """A table as integers: the tests that are tried, the columns for the kernels, and what is in them, by row.

    There may have been no time for some of the columns, so that their tests are missing: `n_skipped` counts them.
    """

    tests: tuple[FlatTest, ...]
    columns: kernel.Columns
    values: Mapping[Any, Column]
    n_skipped: int = 0

    @property
    def n_rows(self) -> int:
        """Number of its rows, also of individuals that are not looked at."""
        return int(self.columns.ranks.shape[1])

    def take(self, rows: NDArray[np.int64]) -> SortedTable:
        """A table to grow on anew, of some of the individuals."""
        columns, inside = self.columns, np.zeros(self.n_rows, dtype=np.bool_)
        inside[rows] = True
        order = columns.order[inside[columns.order]].reshape(len(columns.order), len(rows))
        return replace(self, columns=columns._replace(order=order, rows=np.flatnonzero(inside).astype(np.int32)))


def table_of(listed: ListedTests, population: Population, clock: Clock, tuning: Tuning) -> SortedTable:
    """The columns that some tests are about as integers, as many of them as there is time for."""
    n_rows = len(population)
    n_cells = n_rows * len(listed.tests) if n_rows >= tuning.counted else 0
    with pool_for(n_cells, tuning) or nullcontext() as threads:
        return _table_of(listed, population, clock, tuning, map if threads is None else threads.map)


def _table_of(
    listed: ListedTests, population: Population, clock: Clock, tuning: Tuning, run: Callable[..., Any]
) -> SortedTable:
    own = dict.fromkeys(test.attribute for test in listed.tests if test.attribute is not None)
    whole = population.tables[population.schema.individual]
    rows = population.individuals
    everybody = len(rows) == whole.n_rows and bool((rows == np.arange(len(rows))).all())
    found = ((name, whole.value_column(name)) for name in own)
    values: dict[Any, Column] = {name: column if everybody else column.take(rows) for name, column in found}
    values |= {test.subject: test.column for test in listed.tests if test.column is not None}
    coded = dict(
        _in_time(clock, list(values.items()), len(rows), lambda name, column: (name, _coded(column, tuning)), run)
    )
    short = {name: found for name, found in coded.items() if found is not None}
    long = [name for name in coded if name not in short]
    order, ranks = (np.empty((len(long), len(rows)), dtype=np.int32) for _ in range(2))
    jobs = list(zip(long, order, ranks, strict=True))
    gaps = list(_in_time(clock, jobs, len(rows), lambda name, *into: _rank(values[name], *into), run))
    long, order, ranks = long[: len(gaps)], order[: len(gaps)], ranks[: len(gaps)]
    n_skipped = len(values) - len(long) - len(short)
    missing = {name for name, has_gaps in zip(long, gaps, strict=True) if has_gaps}
    missing |= {name for name, found in short.items() if found.codes.min(initial=0) < 0}
    tests = without_mirrors(listed.tests, missing)
    if n_skipped:
        there = {None, *long, *short}
        tests = tuple(test for test in tests if test.subject in there)
    single = [test for test in tests if test.subject is None]
    asked = [(test.right,) for test in single]
    answers = list(_in_time(clock, asked, len(rows), lambda right: holds(right, population), map))
    gone = {id(test) for test in single[len(answers) :]}
    n_skipped, single = n_skipped + len(gone), single[: len(answers)]
    tests = tuple(test for test in tests if id(test) not in gone)
    place: dict[Any, int] = {name: i for i, name in enumerate([*long, *short, *map(id, single)])}
    spots = [(place[id(test) if test.subject is None else test.subject], test.form) for test in tests]
    n_codes = [*(found.n for found in short.values()), *(1 for _ in single)]
    codes = np.empty((len(n_codes), len(rows)), dtype=np.int32)
    for i, name in enumerate(list(short)):
        codes[i] = short.pop(name).codes  # and that is the last of it: a table may be as large as memory allows
    for i, true in enumerate(answers, len(n_codes) - len(single)):
        codes[i] = np.where(true, 0, -1)
    columns = kernel.Columns(
        order,
        ranks,
        codes,
        np.array(n_codes, dtype=np.int64),
        np.array(spots, dtype=np.int64).reshape(len(spots), 2),
        np.arange(len(rows), dtype=np.int32),
    )
    return SortedTable(tests, columns, values, n_skipped)


def _in_time(
    clock: Clock, jobs: Sequence[tuple[Any, ...]], n_rows: int, work: Callable[..., Any], run: Callable[..., Any]
) -> Iterator[Any]:
    """The results of jobs of about so many rows each, a run of them at a time, until the time is over."""
    many = max(1, VALUES_AT_A_TIME // max(1, n_rows))
    for first in range(0, len(jobs), many):
        report_status("sorting columns", first, len(jobs), f"{first:,} of {len(jobs):,}")
        yield from run(lambda job: work(*job), jobs[first : first + many])
        if clock.over() is not None:
            return


class _Coded(NamedTuple):
    """Return which of its few values each row of a column has, -1 for none; and how many they are."""

    codes: Answers
    n: int


def _coded(column: Column, tuning: Tuning) -> _Coded | None:
    """A column as codes; None where that does not pay."""
    if column.kind in ("nominal", "bool"):
        codes = column.values.astype(np.int32, copy=False)
        return _Coded(codes, max(len(column.categories), int(codes.max(initial=0)) + 1))
    values = column.values
    few = _few_values(values) if len(values) >= tuning.counted else None
    if few is None:
        return None
    codes = np.searchsorted(few, values).astype(np.int32)
    codes[np.isnan(values)] = -1
    return _Coded(codes, max(1, len(few)))


def _rank(column: Column, order: Answers, ranks: Answers) -> bool:
    """Put the rows of a column in order, with what they have in it; whether some have nothing."""
    values = np.array(column.values)  # in one run, whatever it is a part of
    return bool(kernel.rank(values, values.argsort(), order, ranks))


def _few_values(values: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """The different values of a column, ascending, if there are few."""
    if len(np.unique(values[:: max(1, len(values) // (4 * FEW))])) > FEW:
        return None
    present = np.unique(values)
    present = present[~np.isnan(present)]
    return present if len(present) <= FEW else None


def without_mirrors(tests: tuple[FlatTest, ...], missing: set[Any]) -> tuple[FlatTest, ...]:
    """Keep only the first of ``>=`` and ``<=`` on a column without gaps: the other divides the rows in the same ways.

    Parameters
    ----------
    missing : set
        The columns with gaps.
    """
    seen: set[Any] = set()
    kept = []
    for test in tests:
        if test.subject is not None and test.form in _THRESHOLDS and test.subject not in missing:
            if test.subject in seen:
                continue
            seen.add(test.subject)
        kept.append(test)
    return tuple(kept)


def task_of(target: Target) -> kernel.SweepTask:
    """The targets as the kernels want them."""
    weights, values = target.weights, target.values
    plain = bool((weights == 1.0).all())
    classes = target.criterion.task == "classes"
    mean = 0.0 if classes else float(np.average(values, weights=weights))
    return kernel.SweepTask(
        target.criterion.kind,
        len(target.classes),
        values.astype(np.int32) if classes else np.zeros(0, dtype=np.int32),
        np.zeros(0) if classes else values - mean,
        np.zeros(0) if plain else weights,
        weight_table(target.criterion, weights),
        float(weights.sum()),
        mean,
    )
