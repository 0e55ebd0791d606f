"""Test columns in bins: narrow integers that the trees of a forest share, prepared once.

A column with at most `MAX_BINS` values keeps one code per value, and a tree finds the same thresholds as in a sweep.
A longer one is cut into bins with about the same number of individuals, and thresholds lie between bins. Codes are
stored in 8 or 16 bits, and no column is sorted, so that the columns take a quarter of a sweep's memory or less.

Law: with one bin per value, a tree that tries every test is that of a sweep (`tests/splitters/test_binned.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import Codes, Floats, Ints
from structtree.data.population import Column
from structtree.errors import UsageError
from structtree.lang import syntax as syn
from structtree.search.kernels import tables as kernel
from structtree.search.kernels.histograms import draw_of
from structtree.search.kernels.subtrees import grow_subtree, reading_order
from structtree.space.values import midpoints
from structtree.splitters.attribute_tests import FlatTest
from structtree.splitters.table import ListedColumns, task_of
from structtree.tasks.losses import ACCURACY_STAR
from structtree.tasks.target import Target

__all__ = ["MAX_BINS", "BinnedColumns", "BinnedTree", "Sampling", "bin_columns", "grow_binned"]

MAX_BINS = 255
"""Default maximum number of bins of a column."""


class BinEdges(NamedTuple):
    """Smallest and largest value in each bin of a column: numbers, or codes and steps as numbers."""

    low: Floats
    high: Floats


@dataclass(frozen=True, slots=True, eq=False)
class BinnedColumns:
    """Test columns in bins.

    Parameters
    ----------
    columns : TestColumns
        Their values are 8 or 16 bit integers, -1 for missing; none is sorted.
    edges : tuple of BinEdges
        By column.
    """

    columns: ListedColumns
    edges: tuple[BinEdges, ...]

    @property
    def n_rows(self) -> int:
        """Number of individuals."""
        return self.columns.n_rows

    @property
    def n_tests(self) -> int:
        """Number of tests, where all thresholds or values of a column are one test."""
        return len(self.columns.tests)

    @property
    def n_codes(self) -> int:
        """Largest number of bins of a column."""
        return int(self.columns.sizes.max(initial=1))

    def test(self, t: int) -> FlatTest:
        """Return a test."""
        return self.columns.members.tests[t]

    def codes(self, t: int) -> NDArray[Any]:
        """Return the code of each individual for a test."""
        found: NDArray[Any] = self.columns.values[self.columns.tests[t, 0]]
        return found

    def categories(self, t: int) -> tuple[str, ...]:
        """Return the values that the codes of a test stand for; empty unless it compares categories."""
        column, sources = int(self.columns.tests[t, 0]), self.columns.members.sources
        return sources[column].categories if column < len(sources) else ()

    def chosen(self, t: int, low: Ints, high: Ints) -> Floats:
        """Return the thresholds, values or steps between pairs of bins, as in a sweep.

        A threshold lies halfway between two bins; if there is a bin at that point, it lies just below this bin.
        """
        test, edges = self.test(t), self.edges[int(self.columns.tests[t, 0])]
        below = edges.high[low]
        if test.kind is None or test.form == kernel.EQUAL:
            return below
        middle = midpoints(below, edges.low[high], test.kind, test.op)
        is_upper = test.op == "<="
        # The first bin that is not entirely below the threshold.
        place = np.minimum(np.searchsorted(edges.high, middle, side="right" if is_upper else "left"), high)
        is_cut = edges.low[place] <= middle if is_upper else edges.low[place] < middle
        inside = (place > low) & (place < high) & is_cut
        if inside.any():
            at = place[inside]
            middle[inside] = midpoints(edges.high[at - 1], edges.low[at], test.kind, test.op)
        return middle

    def ranks(self, t: int, chosen: Floats) -> NDArray[np.uint16]:
        """Return how many members of a test, given as thresholds, values or steps, each individual satisfies."""
        form, edges = int(self.columns.tests[t, 1]), self.edges[int(self.columns.tests[t, 0])]
        passed = np.zeros(len(edges.low) + 1, dtype=np.int64)  # the last is for missing values
        codes = np.arange(len(edges.low))[:, None]
        if form == kernel.EQUAL:
            passed[:-1] = (codes == np.searchsorted(edges.high, chosen)).sum(axis=1)
        elif form == kernel.AT_LEAST:
            side: Any = "right" if self.test(t).kind is None else "left"
            passed[:-1] = (codes >= np.searchsorted(edges.low, chosen, side=side)).sum(axis=1)
        else:
            passed[:-1] = (codes < np.searchsorted(edges.high, chosen, side="right")).sum(axis=1)
        return np.asarray(passed.astype(np.uint16)[self.codes(t)])

    def predicate(self, t: int, chosen: float) -> syn.Predicate:
        """Return the member of a test with this threshold, value or step."""
        test = self.test(t)
        if test.steps:
            return test.steps[int(chosen)]
        if test.attribute is None and test.key is None:
            return test.right
        return test.of(self.categories(t)[int(chosen)]) if test.form == kernel.EQUAL else test.at(chosen)


# ---- from columns to bins --------------------------------------------------------------------------------------


def bin_columns(columns: ListedColumns, max_bins: int = MAX_BINS) -> BinnedColumns:
    """Return columns in bins.

    Parameters
    ----------
    columns : TestColumns
        As `structtree.splitters.table.columns_for` makes them, without sets of values.
    max_bins : int
        Maximum number of bins of a column of thresholds; categories keep one code each.
    """
    if (columns.tests[:, 1] == kernel.SUBSET).any():
        raise UsageError("sets of values (nominal='subset', or 'in *' in a grammar) are not supported in bins")
    thresholds = np.zeros(len(columns), dtype=np.bool_)
    thresholds[columns.tests[columns.tests[:, 1] != kernel.EQUAL, 0]] = True
    sizes = np.where(thresholds, np.minimum(columns.sizes, max_bins), columns.sizes)
    dtype = np.int8 if sizes.max(initial=0) <= np.iinfo(np.int8).max else np.int16
    if sizes.max(initial=0) > np.iinfo(dtype).max:
        raise UsageError(f"a column has {sizes.max():,} values; at most {np.iinfo(dtype).max:,} are supported")
    values, edges = np.empty(columns.values.shape, dtype=dtype), []
    for place, (ranks, size) in enumerate(zip(columns.values, columns.sizes.tolist(), strict=True)):
        bin_of = _bins(ranks, size, int(sizes[place]))
        values[place] = ranks if bin_of is None else np.append(bin_of, -1)[ranks]
        sizes[place] = size if bin_of is None else bin_of[-1] + 1
        edges.append(_edges(ranks, size, bin_of, _source(columns, place)))
    binned = replace(columns, values=values, sizes=sizes.astype(np.int64), order=np.zeros((0, 0), dtype=np.int32))
    return BinnedColumns(binned, tuple(edges))


def _source(columns: ListedColumns, place: int) -> Column | None:
    sources = columns.members.sources
    return sources[place] if place < len(sources) else None


def _bins(ranks: Codes, size: int, n_bins: int) -> Ints | None:
    """Return the bin of each rank, with about as many rows in each bin; None if each rank is a bin.

    A value that fills a bin alone has its own.
    """
    if size <= n_bins:
        return None
    counts = np.bincount(ranks[ranks >= 0], minlength=size)
    after = np.cumsum(counts)
    middle = after - counts / 2
    wanted = (middle * (n_bins / after[-1])).astype(np.int64)
    return np.unique(np.minimum(wanted, n_bins - 1), return_inverse=True)[1].astype(np.int64)


def _edges(ranks: Codes, size: int, bin_of: Ints | None, source: Column | None) -> BinEdges:
    """Return the smallest and the largest value in each bin."""
    if source is None:  # a single test
        return BinEdges(np.zeros(1), np.zeros(1))
    known = np.flatnonzero(ranks >= 0)
    value = np.zeros(size)
    value[ranks[known]] = source.values[known]
    if source.kind in ("nominal", "bool"):
        value = np.arange(size, dtype=np.float64)  # codes that do not occur as well
    if bin_of is None:
        return BinEdges(value, value)
    first = np.searchsorted(bin_of, np.arange(bin_of[-1] + 1))
    return BinEdges(value[first], value[np.append(first[1:], size) - 1])


# ---- one tree --------------------------------------------------------------------------------------------------


class Sampling(NamedTuple):
    """Sampling of the tests of a tree.

    Parameters
    ----------
    tests : array of int
        The tests of the tree.
    per_node : int
        Number of tests to draw at each node.
    at_random : bool
        Whether each drawn test has one random threshold or value instead of the best one.
    seed : int
    """

    tests: Ints
    per_node: int
    at_random: bool = False
    seed: int = 0


class BinnedTree(NamedTuple):
    """Nodes of a tree over binned columns, in reading order.

    Parameters
    ----------
    tests, low, high : (nodes,) int64
        The test of each node, -1 in a leaf, and the bins on both sides of its threshold, or its value.
    no : (nodes,) int64
        The no child, -1 in a leaf; the yes child is the next node.
    gains : (nodes,) float64
        The decrease of the criterion times the share of the weight; 0 in a leaf.
    stats : (nodes, k) float64
        Class weights, or weight, mean and sum of squares about it.
    rows : (n,) int32
        The rows of the leaves, one leaf after the other.
    sizes : (nodes,) int64
        Number of rows.
    """

    tests: Ints
    low: Ints
    high: Ints
    no: Ints
    gains: Floats
    stats: Floats
    rows: Codes
    sizes: Ints


def grow_binned(
    columns: BinnedColumns, target: Target, limits: kernel.Limits, sampling: Sampling, stop: NDArray[np.bool_]
) -> BinnedTree:
    """Grow a tree on the individuals with positive weight; it releases the GIL.

    Parameters
    ----------
    columns : BinnedColumns
    target : Target
        Its criterion is compiled.
    limits : Limits
    sampling : Sampling
    stop : (1,) bool
        When it becomes true, no further nodes are split.
    """
    task, own = task_of(target), columns.columns
    rows = np.flatnonzero(target.weights).astype(np.int32)
    swept = kernel.SweptColumns(np.zeros((0, 0), dtype=np.int32), own.values, own.sizes, own.tests, rows)
    width, goes = task.n_classes or 2, np.zeros(columns.n_rows, dtype=np.bool_)
    draw = draw_of(
        sampling.tests, sampling.per_node, sampling.seed, columns.n_codes, width, at_random=sampling.at_random
    )
    places, forks, figures, stats = grow_subtree(0, len(rows), 0, swept, task, limits, goes, stop, None, draw)
    order = reading_order(forks)
    place = np.append(np.empty(len(order), dtype=np.int64), -1)
    place[order] = np.arange(len(order))
    forks, stats = forks[order], stats[order]
    tests, low, high = forks[:, 0], *_codes_at(forks, own)
    if not task.n_classes:
        stats[:, 1] += task.mean
    weights = stats.sum(axis=1) if task.n_classes else stats[:, 0]
    gain = figures[order, 2 if task.kind == ACCURACY_STAR else 1] * weights / task.weight
    sizes = places[order, 1] - places[order, 0]
    return BinnedTree(tests, low, high, place[forks[:, 4]], np.where(tests < 0, 0.0, gain), stats, rows, sizes)


def _codes_at(forks: Ints, columns: ListedColumns) -> Iterator[Ints]:
    """Yield the lower and the upper code of each node, from the two rows next to its threshold."""
    column = columns.tests[forks[:, 0], 0]
    for rows in (forks[:, 1], forks[:, 2]):
        yield np.where(forks[:, 0] < 0, -1, columns.values[column, rows]).astype(np.int64)
