"""Listed tests as columns of individuals (`structtree.search.columns.TestColumns`), for sweeps and divisions.

Columns of many different values are sorted, once for the whole tree; those of few are counted by value. What the
kernels do with them is in `structtree.search.kernels.tables`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import Codes, Ints
from structtree.data.population import Column, Population
from structtree.lang import syntax as syn
from structtree.progress import report_status
from structtree.search.clock import Clock
from structtree.search.columns import TestColumns
from structtree.search.kernels import tables as kernel
from structtree.search.scorers import weight_table
from structtree.space.evaluate import holds
from structtree.splitters.attribute_tests import FlatTest, ListedTests
from structtree.tasks.target import Target

__all__ = [
    "ListedColumns",
    "ListedMembers",
    "Tuning",
    "columns_for",
    "on_tests",
    "pool_for",
    "source_column",
    "task_of",
]

FEW = 256
"""Maximum number of distinct values for which a column is counted by value instead of sorted."""

VALUES_AT_A_TIME = 2_000_000
"""Number of values that are converted between two checks of the clock."""


class Tuning(NamedTuple):
    """Sizes from which on faster methods, such as threads, are used; the tree is the same.

    Parameters
    ----------
    alone : int
        A table with fewer rows times tests is not worth starting threads for.
    shared : int
        A node with this many rows times tests is divided by several threads; a smaller one grows its whole subtree.
    counted : int
        Columns of numbers of fewer rows are sorted in any case: to count by value pays where values come often. Nor
        is one of them worth handing to a thread.
    threads : int
    """

    alone: int = 200_000
    shared: int = 1_000_000
    counted: int = 4096
    threads: int = min(8, os.cpu_count() or 1)


def pool_for(n_cells: int, tuning: Tuning) -> ThreadPoolExecutor | None:
    """Return threads for a table with this many rows times tests; None if it is too small.

    A single one pays as well where data is large: it leaves somebody free to look at the clock.
    """
    return None if n_cells < tuning.alone else ThreadPoolExecutor(tuning.threads)


_THRESHOLDS = (kernel.AT_LEAST, kernel.AT_MOST)
Answer = Callable[[syn.Predicate], Codes]
Work = Callable[..., Any]


# ---- tests as columns -----------------------------------------------------------------------------------------


class ListedMembers(NamedTuple):
    """Tests on columns, and the data from which each column was made.

    Parameters
    ----------
    tests : tuple of FlatTest
    sources : tuple of Column
        By column, with the values that its ranks or codes stand for; none for single tests, which come last.
    n_skipped : int
        Columns that there was no time for, so that their tests are missing.
    """

    tests: tuple[FlatTest, ...]
    sources: tuple[Column, ...]
    n_skipped: int = 0


ListedColumns = TestColumns[ListedMembers]


def source_column(columns: ListedColumns, test: int) -> Column | None:
    """Return the column of data that a test uses; None for a single test."""
    column, sources = int(columns.tests[test, 0]), columns.members.sources
    return sources[column] if column < len(sources) else None


def on_tests(columns: ListedColumns, tests: Ints) -> ListedColumns:
    """Return columns restricted to some of their tests."""
    members = columns.members._replace(tests=tuple(columns.members.tests[t] for t in tests.tolist()))
    return replace(columns, tests=columns.tests[tests], members=members)


def columns_for(
    listed: ListedTests,
    population: Population,
    clock: Clock,
    tuning: Tuning,
    *,
    answer: Answer | None = None,
    mirrors: bool = True,
) -> ListedColumns:
    """Convert the data that tests use to columns, until the time is up.

    Parameters
    ----------
    answer : function from Predicate to codes, optional
        The column of a single test; by default 0 where it holds and -1 elsewhere.
    mirrors : bool
        Whether ``>=`` and ``<=`` divide a column with missing values in different ways.
    """
    n_rows = len(population)
    n_cells = n_rows * len(listed.tests) if n_rows >= tuning.counted else 0
    answer = answer or (lambda test: np.where(holds(test, population), 0, -1).astype(np.int32))
    with pool_for(n_cells, tuning) or nullcontext() as threads:
        making = _Making(n_rows, clock, tuning, map if threads is None else threads.map)
        return making.columns(listed.tests, _sources(listed.tests, population), answer, mirrors=mirrors)


def _sources(tests: Sequence[FlatTest], population: Population) -> dict[Any, Column]:
    """Return the data that tests use, by feature."""
    own = dict.fromkeys(test.attribute for test in tests if test.attribute is not None)
    whole, rows = population.tables[population.schema.individual], population.individuals
    everybody = len(rows) == whole.n_rows and bool((rows == np.arange(len(rows))).all())
    found = ((name, whole.value_column(name)) for name in own)
    sources: dict[Any, Column] = {name: column if everybody else column.take(rows) for name, column in found}
    return sources | {test.subject: test.column for test in tests if test.column is not None}


@dataclass(frozen=True, slots=True, eq=False)
class _Making:
    """Builder of columns: sorted columns first, then those counted by value, then single tests."""

    n_rows: int
    clock: Clock
    tuning: Tuning
    run: Work

    def columns(
        self, tests: tuple[FlatTest, ...], sources: dict[Any, Column], answer: Answer, *, mirrors: bool
    ) -> ListedColumns:
        single = [test for test in tests if test.subject is None]
        coded = dict(self._in_time(list(sources.items()), lambda name, column: (name, _coded(column, self.tuning))))
        short = {name: found for name, found in coded.items() if found is not None}
        long = [name for name in coded if name not in short]
        order = np.empty((len(long), self.n_rows), dtype=np.int32)
        values = np.empty((len(coded) + len(single), self.n_rows), dtype=np.int32)
        gaps = self._ranked([sources[name] for name in long], order, values)
        if len(gaps) < len(long):
            values = np.concatenate([values[: len(gaps)], values[len(long) :]])
            long, order = long[: len(gaps)], order[: len(gaps)]
        missing = {name for name, has_gaps in zip(long, gaps, strict=True) if has_gaps}
        missing |= {name for name, found in short.items() if found.codes.min(initial=0) < 0}
        names = [*long, *short]
        sizes = [*(values[: len(long)].max(axis=1, initial=-1) + 1), *(found.n for found in short.values())]
        for i, name in enumerate(list(short), len(long)):
            values[i] = short.pop(name).codes  # and that is the last of it: a table may be as large as memory allows
        done = self._answered(single, answer, values[len(names) :])
        tests = without_mirrors(tests, missing if mirrors else set())
        place: dict[Any, int] = {name: i for i, name in enumerate([*names, *map(id, single[:done])])}
        spots = [(place.get(id(test) if test.subject is None else test.subject), test) for test in tests]
        kept = [(column, test) for column, test in spots if column is not None]
        return TestColumns(
            values[: len(place)],
            np.array([*sizes, *(1 for _ in range(done))], dtype=np.int64),
            np.array([(column, test.form) for column, test in kept], dtype=np.int64).reshape(len(kept), 2),
            ListedMembers(
                tuple(test for _, test in kept),
                tuple(sources[name] for name in names),
                len(sources) - len(names) + len(single) - done,
            ),
            order,
        )

    def _ranked(self, sources: list[Column], order: Codes, values: Codes) -> list[bool]:
        """Sort columns and store their orders and ranks; return whether each has missing values."""
        jobs = list(zip(sources, order, values[: len(order)], strict=True))
        return list(self._in_time(jobs, _rank))

    def _answered(self, single: list[FlatTest], answer: Answer, values: Codes) -> int:
        """Evaluate single tests until the time is up, and return the number of evaluated tests."""
        n = 0
        for n, codes in enumerate(self._in_time([(test.right,) for test in single], answer, run=map), 1):
            values[n - 1] = codes
        return n

    def _in_time(self, jobs: Sequence[tuple[Any, ...]], work: Work, run: Work | None = None) -> Iterator[Any]:
        """Yield the results of jobs, which have one value per row, until the time is up."""
        many = max(1, VALUES_AT_A_TIME // max(1, self.n_rows))
        for first in range(0, len(jobs), many):
            report_status("sorting columns", first, len(jobs), f"{first:,} of {len(jobs):,}")
            yield from (run or self.run)(lambda job: work(*job), jobs[first : first + many])
            if self.clock.over() is not None:
                return


class _Coded(NamedTuple):
    """Column with few values: the code of each row's value (-1 if missing), and the number of values."""

    codes: Codes
    n: int


def _coded(column: Column, tuning: Tuning) -> _Coded | None:
    """Return a column as codes; None if sorting is faster."""
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


def _rank(column: Column, order: Codes, ranks: Codes) -> bool:
    """Sort the rows of a column; return whether it has missing values."""
    values = np.array(column.values)  # in one run, whatever it is a part of
    return bool(kernel.rank(values, values.argsort(), order, ranks))


def _few_values(values: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Return the distinct values of a column in ascending order; None if there are many."""
    if len(np.unique(values[:: max(1, len(values) // (4 * FEW))])) > FEW:
        return None
    present = np.unique(values)
    present = present[~np.isnan(present)]
    return present if len(present) <= FEW else None


def without_mirrors(tests: tuple[FlatTest, ...], missing: set[Any]) -> tuple[FlatTest, ...]:
    """Keep only one of ``>=`` and ``<=`` on columns without missing values, because both give the same splits.

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
    """Return the targets in the format of the kernels."""
    weights, values = target.weights, target.values
    plain = bool((weights == 1.0).all())
    classes, mean = bool(target.classes), target.task.centre(values, weights)
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
