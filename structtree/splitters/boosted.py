"""Trees of boosting over binned columns: the split with the largest gain is made first, in any leaf.

The columns are those of forests (`structtree.splitters.binned`). Individuals that are not in the sample of a tree
are routed through it while it grows, so that every individual knows its leaf.

Laws: with one Hessian for all and without a penalty, a tree without a limit on its leaves is that of a forest; the
number of threads changes nothing; a tree equals that of a plain twin (`tests/splitters/test_boosted.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import Codes, Floats, Ints
from structtree.lang import syntax as syn
from structtree.lang.walk import peel, wrap
from structtree.models.routing.unknown import one_of
from structtree.search.kernels import tables as kernel
from structtree.search.kernels.newton import (
    EQUAL_GAINS,
    Histograms,
    NewtonColumns,
    NewtonLimits,
    fill,
    find,
    gather,
    mark_rows,
    members_of,
    subtract,
)
from structtree.search.kernels.subtrees import reading_order
from structtree.splitters.attribute_tests import FlatTest
from structtree.splitters.binned import BinEdges, BinnedColumns, BinnedTree

__all__ = ["BoostedColumns", "BoostedTree", "SetsOfValues", "TreeLimits", "grow_boosted"]

SHARED_CELLS = 400_000
"""Number of rows times columns of a node from which on threads share its columns."""


class TreeLimits(NamedTuple):
    """Limits of a tree.

    Parameters
    ----------
    leaves : int
    depth : int
        -1 for no limit.
    split : int
        Minimum number of individuals to split a node.
    child : NewtonLimits
    """

    leaves: int
    depth: int
    split: int
    child: NewtonLimits


@dataclass(frozen=True, slots=True)
class SetsOfValues:
    """Sets of values that trees test, each with the number of a test after those of the columns.

    Parameters
    ----------
    n_tests : int
        Number of tests of the columns.
    """

    n_tests: int
    places: dict[tuple[int, bytes], int] = field(default_factory=dict)

    def test(self, t: int, inside: NDArray[np.bool_]) -> int:
        """Return the number of the test of a set of values of a column."""
        return self.n_tests + self.places.setdefault((t, inside.tobytes()), len(self.places))

    def added_to(self, columns: BinnedColumns) -> BinnedColumns:
        """Return columns with the tests of these sets as single tests, without values."""
        if not self.places:
            return columns
        own, found = columns.columns, list[FlatTest]()
        for t, inside in self.places:
            names, right = columns.categories(t), columns.test(t).right
            path, end = peel(right)
            assert isinstance(end, syn.Compare)
            values = [names[code] for code in np.flatnonzero(np.frombuffer(inside, dtype=np.bool_)).tolist()]
            found.append(FlatTest(wrap(path, one_of(end.attribute, values)), kernel.EQUAL))
        n = len(found)
        tests = np.stack([len(own) + np.arange(n), np.full(n, kernel.EQUAL)], axis=1)
        wide = replace(
            own,
            sizes=np.append(own.sizes, np.ones(n, dtype=np.int64)),
            tests=np.concatenate([own.tests, tests]),
            members=own.members._replace(tests=(*own.members.tests, *found)),
        )
        return BinnedColumns(wide, (*columns.edges, *[BinEdges(np.zeros(1), np.zeros(1))] * n))


@dataclass(frozen=True, slots=True, eq=False)
class BoostedColumns:
    """Binned columns as boosting uses them: values of nominal attributes in sets, and threads that share the columns.

    Parameters
    ----------
    binned : BinnedColumns
    tested : NewtonColumns
    sets : SetsOfValues
    n_jobs : int
    """

    binned: BinnedColumns
    tested: NewtonColumns
    sets: SetsOfValues
    n_jobs: int = 1

    @staticmethod
    def of(
        binned: BinnedColumns,
        signs: NDArray[np.int8] | None = None,
        n_jobs: int = 1,
        *,
        category_sets: bool = True,
    ) -> BoostedColumns:
        """Return columns for boosting.

        Parameters
        ----------
        binned : BinnedColumns
        signs : (tests,) int8, optional
            As in `NewtonColumns`.
        n_jobs : int
        category_sets : bool
            Whether nominal attributes are compared with sets of values.
        """
        own = binned.columns
        starts = np.concatenate([[0], np.cumsum(own.sizes + 1)])
        tests = own.tests.copy()
        for t in range(binned.n_tests if category_sets else 0):
            if _compares_categories(binned, t):
                tests[t, 1] = kernel.SUBSET
        if signs is None:
            signs = np.zeros(binned.n_tests, dtype=np.int8)
        tested = NewtonColumns(own.values, starts, tests, signs)
        return BoostedColumns(binned, tested, SetsOfValues(binned.n_tests), n_jobs)

    @property
    def n_bins(self) -> int:
        """Number of bins of a histogram."""
        return int(self.tested.starts[-1])


def _compares_categories(binned: BinnedColumns, t: int) -> bool:
    """Return whether a test compares a nominal attribute of the individual with each of three values or more."""
    test = binned.test(t)
    end = peel(test.right)[1]
    is_value = isinstance(end, syn.Compare) and end.op == "=" and not test.steps and test.attribute is not None
    return is_value and test.form == kernel.EQUAL and len(binned.categories(t)) > 2


# ---- one tree --------------------------------------------------------------------------------------------------


class BoostedTree(NamedTuple):
    """Grown tree with the leaf of each individual.

    Parameters
    ----------
    tree : BinnedTree
        Its statistics are the sums of gradients and of Hessians, and the number of rows in the sample. Tests of sets
        of values have the numbers of `SetsOfValues`. Its rows are those of the sample.
    others : (m,) int32
        Other individuals, one leaf after the other.
    n_others : (leaves,) int64
        Their number in each leaf.
    bounds : (leaves, 2) float64
        The range of the value of each leaf that monotone constraints allow.
    """

    tree: BinnedTree
    others: Codes
    n_others: Ints
    bounds: Floats

    def leaf_of(self, n: int) -> Codes:
        """Return the leaf of each of n individuals, numbered in reading order."""
        sizes = self.tree.sizes[self.tree.tests < 0]
        found = np.zeros(n, dtype=np.int32)
        places = np.arange(len(sizes), dtype=np.int32)
        found[self.tree.rows] = np.repeat(places, sizes)
        found[self.others] = np.repeat(places, self.n_others)
        return found


@dataclass(slots=True, eq=False)
class _Node:
    """Node of a growing tree: its ranges of the sample and of the others, its sums, and its best split."""

    place: int
    lo: int
    hi: int
    first: int
    last: int
    depth: int
    total: Floats
    bounds: tuple[float, float] = (-inf, inf)
    slot: int = -1
    gain: float = -inf
    at: Ints = field(default_factory=lambda: np.full(3, -1, dtype=np.int64))
    yes_sums: Floats = field(default_factory=lambda: np.zeros(3))
    inside: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    codes: tuple[int, int, int] = (-1, -1, -1)
    yes: int = -1
    no: int = -1

    @property
    def n(self) -> int:
        """Number of rows in the sample."""
        return self.hi - self.lo

    def step(self, l2: float) -> float:
        """Return the Newton step within the bounds."""
        low, high = self.bounds
        below = self.total[1] + l2
        return float(min(max(-self.total[0] / below if below > 0 else 0.0, low), high))

    def reduction(self, l2: float) -> float:
        """Return the reduction of the loss by the step."""
        step = self.step(l2)
        return float(-step * (self.total[0] + 0.5 * (self.total[1] + l2) * step))


def grow_boosted(
    columns: BoostedColumns,
    gradients: Floats,
    hessians: Floats,
    rows: Codes,
    others: Codes,
    tests: Ints,
    limits: TreeLimits,
    pool: ThreadPoolExecutor | None = None,
    is_over: Callable[[], bool] = lambda: False,
) -> BoostedTree:
    """Grow a tree; the split with the largest gain is made first.

    Parameters
    ----------
    columns : BoostedColumns
    gradients, hessians : (n,) float64
    rows : (m,) int32
        The sample of the tree, in ascending order.
    others : (k,) int32
        Individuals that are routed through the tree as well.
    tests : array of int
        The tests that the tree may use.
    limits : TreeLimits
    pool : ThreadPoolExecutor, optional
        Threads that share the columns of large nodes.
    is_over : function
        Whether to stop; the leaves so far remain.
    """
    given = (gradients, hessians, rows.copy(), others.copy(), tests, limits, pool)
    return _Growing(columns, *given).run(is_over)


@dataclass(slots=True, eq=False)
class _Growing:
    """A growing tree, with a histogram for each leaf that may be split."""

    columns: BoostedColumns
    gradients: Floats
    hessians: Floats
    rows: Codes
    others: Codes
    tests: Ints
    limits: TreeLimits
    pool: ThreadPoolExecutor | None
    nodes: list[_Node] = field(default_factory=list)
    waiting: list[tuple[float, int]] = field(default_factory=list)
    parts: list[Ints] = field(init=False)
    histograms: Histograms = field(init=False)
    free: list[int] = field(init=False)
    goes: NDArray[np.bool_] = field(init=False)
    spare: Codes = field(init=False)

    def __post_init__(self) -> None:
        n, used = len(self.gradients), np.unique(self.columns.tested.tests[self.tests, 0])
        self.parts = [part for part in np.array_split(used, self.columns.n_jobs) if len(part)]
        shape = (max(1, min(self.limits.leaves, len(self.rows))), self.columns.n_bins)
        self.histograms = Histograms(np.empty(shape), np.empty(shape), np.empty(shape, dtype=np.int32))
        self.free = list(range(shape[0]))[::-1]
        self.goes, self.spare = np.zeros(n, dtype=np.bool_), np.empty(n, dtype=np.int32)

    def run(self, is_over: Callable[[], bool]) -> BoostedTree:
        """Grow the tree."""
        total = np.array([self.gradients[self.rows].sum(), self.hessians[self.rows].sum(), len(self.rows)])
        root = _Node(0, 0, len(self.rows), 0, len(self.others), 0, total)
        self.nodes.append(root)
        n_leaves = 1
        if self.limits.leaves > 1 and self._may_split(root):
            root.slot = self.free.pop()
            self._count(root)
            self._search(root)
        while self.waiting and n_leaves < self.limits.leaves and not is_over():
            node = self.nodes[heappop(self.waiting)[1]]
            n_leaves += 1
            children = self._split(node)
            if n_leaves < self.limits.leaves:
                self._search_children(node, *children)
        return self._finished()

    def _may_split(self, node: _Node) -> bool:
        large = node.n >= max(self.limits.split, 2 * self.limits.child.leaf)
        return large and node.depth != self.limits.depth

    # ---- the best split of a node -----------------------------------------------------------------------

    def _each_part(self, work: Callable[[Ints], None], n_rows: int) -> None:
        """Do some work for the columns of each thread; in threads if it is much."""
        is_much = n_rows * sum(map(len, self.parts)) >= SHARED_CELLS
        list((map if self.pool is None or not is_much else self.pool.map)(work, self.parts))

    def _count(self, node: _Node) -> None:
        """Fill the histogram of a node."""
        rows, tested = self.rows[node.lo : node.hi], self.columns.tested
        own = np.empty((2, len(rows)))
        gather(rows, self.gradients, self.hessians, own)
        given = (rows, *own, *(part[node.slot] for part in self.histograms))
        self._each_part(lambda part: fill(tested.values, part, tested.starts, *given), len(rows))

    def _search_children(self, node: _Node, yes: _Node, no: _Node) -> None:
        """Find the best splits of both children, of which the smaller is counted."""
        small, large = (yes, no) if yes.n <= no.n else (no, yes)
        if not self._may_split(large):  # nor may the smaller one
            self.free.append(node.slot)
            return
        small.slot, large.slot = self.free.pop(), node.slot
        self._count(small)
        for part in self.parts:
            subtract(part, self.columns.tested.starts, small.slot, large.slot, self.histograms)
        for child in (yes, no):
            self._search(child)

    def _search(self, node: _Node) -> None:
        """Find the best split of a node that has a histogram; without one, release the histogram."""
        limits, tested = self.limits.child, self.columns.tested
        if self._may_split(node):
            given = (node.slot, node.total, limits, *node.bounds, node.at, node.yes_sums)
            node.gain = find(self.tests, tested, self.histograms, *given)
        gain = node.gain - node.reduction(limits.l2)
        if not gain > EQUAL_GAINS * abs(node.gain):
            self.free.append(node.slot)
            return
        node.gain = gain
        if tested.tests[node.at[0], 1] == kernel.SUBSET:
            node.inside = members_of(node.at, tested, self.histograms, node.slot, limits.l2)
        heappush(self.waiting, (-gain, node.place))

    # ---- splitting --------------------------------------------------------------------------------------

    def _split(self, node: _Node) -> tuple[_Node, _Node]:
        """Divide a node into two leaves."""
        (t, low, high), tested = node.at.tolist(), self.columns.tested
        column, form = tested.tests[t].tolist()
        if form == kernel.SUBSET:
            node.codes, cut = (self.columns.sets.test(t, node.inside), 0, 0), 0
        else:
            node.codes, cut = (t, low, high), self._cut(t, low, high)
        middles = []
        for rows, lo, hi in ((self.rows, node.lo, node.hi), (self.others, node.first, node.last)):
            mark_rows(tested.values[column], form, cut, node.inside, rows[lo:hi], self.goes)
            middles.append(kernel.divide(rows, lo, hi, self.goes, self.spare))
        middle, between = middles
        bounds, depth = self._bounds(node, int(tested.signs[t])), node.depth + 1
        sums = node.yes_sums, node.total - node.yes_sums
        node.yes, node.no = len(self.nodes), len(self.nodes) + 1
        yes = _Node(node.yes, node.lo, middle, node.first, between, depth, sums[0], bounds[0])
        no = _Node(node.no, middle, node.hi, between, node.last, depth, sums[1], bounds[1])
        self.nodes += [yes, no]
        return yes, no

    def _cut(self, t: int, low: int, high: int) -> int:
        """Return the first code above a threshold, or a value."""
        if self.columns.tested.tests[t, 1] == kernel.EQUAL:
            return low
        if high == low + 1:
            return high
        one = (np.array([each]) for each in (t, low, high))
        return int(self.columns.binned.cuts(*one)[0])

    def _bounds(self, node: _Node, sign: int) -> tuple[tuple[float, float], tuple[float, float]]:
        """Return the bounds of both children: half-way between their values below a test with a sign."""
        if not sign:
            return node.bounds, node.bounds
        l2, (low, high) = self.limits.child.l2, node.bounds
        steps = [
            min(max(-sums[0] / (sums[1] + l2), low), high) for sums in (node.yes_sums, node.total - node.yes_sums)
        ]
        middle = float(sum(steps) / 2)
        below, above = (low, middle), (middle, high)
        return (above, below) if sign > 0 else (below, above)

    # ---- the result -------------------------------------------------------------------------------------

    def _finished(self) -> BoostedTree:
        """Return the tree with its nodes in reading order."""
        forks = np.array([(*node.codes, node.yes, node.no) for node in self.nodes], dtype=np.int64)
        order = reading_order(forks)
        place = np.append(np.empty(len(order), dtype=np.int64), -1)
        place[order] = np.arange(len(order))
        nodes = [self.nodes[at] for at in order.tolist()]
        leaves = [node for node in nodes if node.yes < 0]
        tests, low, high = forks[order, :3].T
        tree = BinnedTree(
            tests,
            low,
            high,
            no=place[forks[order, 4]],
            gains=np.array([node.gain if node.yes >= 0 else 0.0 for node in nodes]),
            stats=np.array([node.total for node in nodes]),
            rows=self.rows,
            sizes=np.array([node.n for node in nodes]),
            is_of_numbers=True,
        )
        n_others = np.array([node.last - node.first for node in leaves])
        return BoostedTree(tree, self.others, n_others, np.array([node.bounds for node in leaves]))
