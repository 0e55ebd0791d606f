"""Test columns in bins: narrow integers that the trees of a forest share, prepared once.

A column with few values keeps one code per value, and a tree finds the same thresholds as in a sweep.
A longer one is cut into bins with about the same number of individuals, and thresholds lie between bins. Codes are
stored in 8 or 16 bits, and no column is sorted, so that the columns take a quarter of a sweep's memory or less.

Law: with one bin per value, a tree that tries every test is that of a sweep (`tests/splitters/test_binned.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import TOLERANCE, Codes, Floats, Ints
from structtree.data.population import Column
from structtree.errors import UsageError
from structtree.lang import syntax as syn
from structtree.search.kernels import tables as kernel
from structtree.search.kernels.descending import find_binned_leaves, no_children
from structtree.search.kernels.histograms import Draw, draw_of, try_drawn
from structtree.search.kernels.subtrees import grow_subtree, reading_order
from structtree.space.values import midpoints
from structtree.splitters.attribute_tests import FlatTest
from structtree.splitters.table import ListedColumns, ListedMembers, on_tests, task_of
from structtree.tasks.losses import ACCURACY_STAR
from structtree.tasks.target import Target

__all__ = [
    "BinnedColumns",
    "BinnedTree",
    "Sampling",
    "bin_columns",
    "grow_binned",
    "joined_columns",
    "leaves_of",
    "root_losses",
    "with_weighty_leaves",
]


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

    @property
    def nbytes(self) -> int:
        """Memory of the codes."""
        return int(self.columns.values.nbytes)

    def without_values(self) -> BinnedColumns:
        """Return the columns without the values that they were made from, which the bins replace."""
        members = self.columns.members
        tests = tuple(replace(test, column=None) for test in members.tests)
        sources = tuple(replace(source, values=source.values[:0]) for source in members.sources)
        return replace(self, columns=replace(self.columns, members=members._replace(tests=tests, sources=sources)))

    def on_tests(self, chosen: Ints) -> BinnedColumns:
        """Return the columns with some of their tests, in this order."""
        return replace(self, columns=on_tests(self.columns, chosen))

    def on_columns(self, chosen: Ints) -> BinnedColumns:
        """Return some of the columns, in ascending order, and their tests."""
        own, place = self.columns, np.full(len(self.columns), -1)
        place[chosen] = np.arange(len(chosen))
        kept = np.flatnonzero(place[own.tests[:, 0]] >= 0)
        tests = np.stack([place[own.tests[kept, 0]], own.tests[kept, 1]], axis=1)
        members = own.members._replace(
            tests=tuple(own.members.tests[t] for t in kept.tolist()),
            sources=tuple(own.members.sources[c] for c in chosen.tolist() if c < len(own.members.sources)),
        )
        narrow = replace(own, values=own.values[chosen], sizes=own.sizes[chosen], tests=tests, members=members)
        return BinnedColumns(narrow, tuple(self.edges[c] for c in chosen.tolist()))

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

    def cuts(self, tests: Ints, low: Ints, high: Ints) -> Ints:
        """Return for the test of each node the first code above its threshold, or its value; 0 for leaves (-1)."""
        found = np.where(tests < 0, 0, low + 1)
        forms = self.columns.tests[tests, 1]
        found[(tests >= 0) & (forms == kernel.EQUAL)] -= 1
        wide = np.flatnonzero((tests >= 0) & (forms != kernel.EQUAL) & (high > low + 1))
        for t in np.unique(tests[wide]).tolist():
            if self.test(t).kind is not None:  # steps have no threshold between them
                nodes = wide[tests[wide] == t]
                found[nodes] = self._first_above(t, self.chosen(t, low[nodes], high[nodes]))
        return found

    def _first_above(self, t: int, chosen: Floats) -> Ints:
        """Return the first code that is not below a threshold; for upper bounds, the first above it."""
        edges = self.edges[int(self.columns.tests[t, 0])]
        if self.columns.tests[t, 1] == kernel.AT_LEAST:
            side: Any = "right" if self.test(t).kind is None else "left"
            return np.searchsorted(edges.low, chosen, side=side)
        return np.searchsorted(edges.high, chosen, side="right")

    def predicate(self, t: int, chosen: float) -> syn.Predicate:
        """Return the member of a test with this threshold, value or step."""
        test = self.test(t)
        if test.steps:
            return test.steps[int(chosen)]
        if test.attribute is None and test.key is None:
            return test.right
        return test.of(self.categories(t)[int(chosen)]) if test.form == kernel.EQUAL else test.at(chosen)


# ---- from columns to bins --------------------------------------------------------------------------------------


def bin_columns(columns: ListedColumns, max_bins: int) -> BinnedColumns:
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


def joined_columns(parts: Sequence[BinnedColumns]) -> BinnedColumns:
    """Return all columns of several parts, of which those with single tests come last."""
    if len(parts) == 1:
        return parts[0]
    every = [part.columns for part in parts]
    firsts = np.cumsum([0, *map(len, every[:-1])]).tolist()
    columns = replace(
        every[0],
        values=np.concatenate([each.values for each in every]),
        sizes=np.concatenate([each.sizes for each in every]),
        tests=np.concatenate([each.tests + np.array([first, 0]) for each, first in zip(every, firsts, strict=True)]),
        members=ListedMembers(
            tuple(test for each in every for test in each.members.tests),
            tuple(source for each in every for source in each.members.sources),
        ),
    )
    return BinnedColumns(columns, tuple(edges for part in parts for edges in part.edges))


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
    is_of_numbers : bool
        Whether the labels are numbers.
    """

    tests: Ints
    low: Ints
    high: Ints
    no: Ints
    gains: Floats
    stats: Floats
    rows: Codes
    sizes: Ints
    is_of_numbers: bool


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
    task, own, goes = task_of(target), columns.columns, np.zeros(columns.n_rows, dtype=np.bool_)
    swept, rows, draw = *_swept(columns, target), _draw(columns, task, sampling)
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
    return BinnedTree(
        tests, low, high, place[forks[:, 4]], np.where(tests < 0, 0.0, gain), stats, rows, sizes, task.n_classes == 0
    )


def with_weighty_leaves(tree: BinnedTree, fraction: float) -> BinnedTree:
    """Return a tree after pruning branches with less than this fraction of the weight in a child."""
    weights = tree.stats[:, 0] if tree.is_of_numbers else tree.stats.sum(axis=1)
    least, kept, leaves = fraction * weights[0] * (1 - TOLERANCE), list[int](), list[int]()
    waiting = [0]
    while waiting:
        node = waiting.pop()
        kept.append(node)
        if tree.tests[node] >= 0 and min(weights[node + 1], weights[tree.no[node]]) >= least:
            waiting += [int(tree.no[node]), node + 1]
        else:
            leaves.append(node)
    place = np.full(len(tree.tests) + 1, -1)
    place[kept] = np.arange(len(kept))
    tests, low, high, no = (part[kept] for part in (tree.tests, tree.low, tree.high, tree.no))
    gains = tree.gains[kept]
    for part in (tests, low, high, no):
        part[place[leaves]] = -1
    gains[place[leaves]] = 0.0
    return BinnedTree(
        tests, low, high, place[no], gains, tree.stats[kept], tree.rows, tree.sizes[kept], tree.is_of_numbers
    )


def _swept(columns: BinnedColumns, target: Target) -> tuple[kernel.SweptColumns, Codes]:
    """Return the columns in the form that the kernels need, and the rows with positive weight."""
    own, rows = columns.columns, np.flatnonzero(target.weights).astype(np.int32)
    return kernel.SweptColumns(np.zeros((0, 0), dtype=np.int32), own.values, own.sizes, own.tests, rows), rows


def _draw(columns: BinnedColumns, task: kernel.SweepTask, sampling: Sampling) -> Draw:
    tests, n, at_random, seed = sampling
    return draw_of(tests, n, seed, columns.n_codes, task.n_classes or 2, at_random=at_random)


def root_losses(columns: BinnedColumns, target: Target) -> Floats:
    """Return the loss of the best member of each test for the individuals with positive weight; infinity without."""
    task, found = task_of(target), np.empty(columns.n_tests)
    swept, rows = _swept(columns, target)
    total, _ = kernel.totals(0, len(rows), swept, task)
    for t in range(columns.n_tests):
        draw = _draw(columns, task, Sampling(np.array([t]), 1))
        found[t] = try_drawn(0, len(rows), 0, swept, task, total, 1, draw)[0][0]
    return found


def leaves_of(columns: BinnedColumns, tree: BinnedTree, rows: Codes) -> Codes:
    """Return the leaf of some rows in a tree, counted in reading order; it releases the GIL."""
    found, asked = np.empty(len(rows), dtype=np.int32), tree.tests.astype(np.int32)
    own, cuts = columns.columns, columns.cuts(tree.tests, tree.low, tree.high)
    find_binned_leaves(own.values, own.tests, asked, cuts, no_children(asked), rows, found)
    return found


def _codes_at(forks: Ints, columns: ListedColumns) -> Iterator[Ints]:
    """Yield the lower and the upper code of each node, from the two rows next to its threshold."""
    column = columns.tests[forks[:, 0], 0]
    for rows in (forks[:, 1], forks[:, 2]):
        yield np.where(forks[:, 0] < 0, -1, columns.values[column, rows]).astype(np.int64)
