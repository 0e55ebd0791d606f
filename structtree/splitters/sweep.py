"""Splitter for plain tests: evaluates every test in compiled sweeps over columns that are sorted once.

Where the grammar asks one test of an individual at a time, and all tests are listed, there is nothing to search:
every test is tried. That is what ordinary decision trees do, and what `structtree.search.kernels.tables` does.
Large nodes are divided by the builder as any others, with the columns shared among threads; smaller subtrees are
grown by a thread each, in an inner loop of compiled code. The tree does not depend on how many there are.

Law: the tree is the one that searching would find.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import Ints
from structtree.data.schema import Kind
from structtree.lang import syntax as syn
from structtree.lang.pretty import pretty
from structtree.models.routing.descent import Descent, descent_of
from structtree.models.settings import Growth
from structtree.models.tree import Branch, Dearer, Leaf, Node, NodeArrays, Stats, Unproved, depths_of
from structtree.search.clock import Clock
from structtree.search.kernels import tables as kernel
from structtree.search.kernels.subtrees import grow_subtree, reading_order
from structtree.space.values import midpoints
from structtree.splitters.attribute_tests import FlatTest
from structtree.splitters.sampling import sampled_tests
from structtree.splitters.splitter import (
    Candidate,
    GrowingNode,
    Proposal,
    Splitter,
    all_nodes,
    found_by,
    gap_of,
    given_up,
)
from structtree.splitters.table import ListedColumns, Tuning, pool_for, source_column, task_of
from structtree.tasks.criteria import TOLERANCE
from structtree.tasks.target import Target

__all__ = ["SweepSplitter", "SweptNodes"]

NOWHERE = -1
"""Child index of a node without children."""


@dataclass(slots=True, eq=False)
class _Run:
    """Members of a node: a run of rows, and its subtree if that is grown separately."""

    lo: int
    hi: int
    total: NDArray[np.float64]
    is_pure: bool
    below: Future[Any] | None = None


@dataclass(slots=True, eq=False)
class SweepSplitter(Splitter[_Run]):
    """Splitter that evaluates every test of a table.

    Parameters
    ----------
    target : Target
    columns : TestColumns
        Their order of rows changes as nodes are divided.
    growth : Growth
    clock : Clock
    untried : optional
        Why some tests are missing from the table, if any.
    tuning : Tuning
    """

    columns: ListedColumns
    growth: Growth
    clock: Clock
    untried: Unproved | None = None
    tuning: Tuning = field(default_factory=Tuning)
    task: kernel.SweepTask = field(init=False)
    limits: kernel.Limits = field(init=False)
    threads: ThreadPoolExecutor | None = field(init=False)
    goes: NDArray[np.bool_] = field(init=False)
    sets: bool | None = field(init=False)
    stop: NDArray[np.bool_] = field(init=False)
    costs: NDArray[np.int64] = field(init=False)
    is_priced: bool = field(init=False)
    growing: list[Future[Any]] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        growth, n_rows = self.growth, self.columns.n_rows
        sizes = (growth.max_depth or -1, growth.min_samples_split, growth.min_samples_leaf)
        self.task, self.limits = task_of(self.target), kernel.Limits(*sizes, growth.min_impurity_decrease)
        self.threads = pool_for(len(self.columns.rows) * len(self.columns.tests), self.tuning)
        self.goes, self.stop = np.zeros(n_rows, dtype=np.bool_), np.zeros(1, dtype=np.bool_)
        self.sets = True if (self.columns.tests[:, 1] == kernel.SUBSET).any() else None
        self.costs = np.array([test.cost for test in self.columns.members.tests], dtype=np.int64)
        self.is_priced = growth.tolerance > 0 and len(np.unique(self.costs)) > 1

    def close(self) -> None:
        """Shut down the threads."""
        if self.threads is not None:
            self.threads.shutdown()

    # ---- the individuals of a node ----------------------------------------------------------------------

    def root(self) -> _Run:
        """Return all rows of the table."""
        return self._run(0, len(self.columns.rows))

    def _run(self, lo: int, hi: int) -> _Run:
        return _Run(lo, hi, *kernel.totals(lo, hi, self.columns.swept, self.task))

    def rows(self, members: _Run) -> NDArray[np.int64]:
        """Return the rows of the run."""
        return self.columns.rows[members.lo : members.hi].astype(np.int64)

    def size(self, members: _Run) -> int:
        """Return the number of rows in the run."""
        return members.hi - members.lo

    def weight(self, members: _Run) -> float:
        """Return the total weight of the run."""
        return float(members.total.sum() if self.task.n_classes else members.total[0])

    def is_pure(self, members: _Run) -> bool:
        """Return whether all targets of the run are identical."""
        return members.is_pure

    # ---- its best split ---------------------------------------------------------------------------------

    def best(self, node: GrowingNode[_Run], clock: Clock) -> Proposal:
        """Evaluate all tests; the exact threshold or value is determined after the tree has been grown."""
        tests = sampled_tests(self.columns, self.sampler)
        if self.is_priced:
            return self._cheapest(node.members, tests)
        found, at = self._best_test(node.members, tests)
        evaluated, least = int(found[2]), float(found[3])
        if at[0] < 0:
            return Proposal(None, evaluated, least, "sets")
        return Proposal(self._candidate(node.members, found, at), evaluated, least, "sets")

    def _candidate(self, run: _Run, found: Any, at: Any) -> Candidate:
        gain, tie, better = kernel.gains(found, run.total, self.task)
        loss, test = (float(found[0]), float(found[1])), self.columns.members.tests[at[0]].right
        return Candidate(test, loss, (gain, tie), bool(better), division=at)

    def _cheapest(self, run: _Run, tests: Ints) -> Proposal:
        """Evaluate the tests of each cost, and choose the cheapest of those that gain nearly as much as the best."""
        costs = self.costs[tests]
        results = {int(cost): self._best_test(run, tests[costs == cost]) for cost in np.unique(costs)}
        evaluated = sum(int(found[2]) for found, _ in results.values())
        least = min(float(found[3]) for found, _ in results.values())
        divides = {cost: found for cost, (found, at) in results.items() if at[0] >= 0}
        if not divides:
            return Proposal(None, evaluated, least, "sets")
        slack = kernel.rounding(run.total, self.task)
        best = next(iter(divides))
        for cost, found in divides.items():
            if kernel.is_better(found[0], found[1], divides[best][0], divides[best][1], slack):
                best = cost
        better = self._candidate(run, *results[best])
        pairs = zip(better.loss, better.gains, strict=True)
        first, second = (loss + self.growth.tolerance * gain for loss, gain in pairs)
        cost = next(
            c for c, found in divides.items() if not kernel.is_better(first, second, found[0], found[1], slack)
        )
        candidate, dearer = self._candidate(run, *results[cost]), None
        if cost < best:
            dearer = Dearer(
                pretty(self._exact(results[best][1])), given_up(candidate.gains, better.gains), best, cost
            )
        least = least if least <= first + slack else inf
        return Proposal(candidate, evaluated, least, "sets", dearer=dearer)

    def _exact(self, division: Any) -> syn.Predicate:
        """Return the test of a division; a set of values stays ``*``."""
        test: FlatTest = self.columns.members.tests[division[0]]
        if test.form == kernel.SUBSET:
            return test.right
        chosen = _chosen(np.array([division]), self.columns)[0]
        return _member(test, _categories(self.columns, division[0]), float(chosen))

    def _is_shared(self, run: _Run, n: int) -> bool:
        """Return whether a node is large enough to divide its columns among threads."""
        return self.threads is not None and self.size(run) * n >= self.tuning.shared

    def _best_test(self, run: _Run, tests: Ints) -> tuple[Any, Any]:
        """Return the best of the given tests, in the format of the kernels."""
        swept = self.columns.swept
        best, at = self._best_of_all(run, swept._replace(tests=swept.tests[tests]), len(tests))
        at[0] = tests[at[0]] if at[0] >= 0 else at[0]
        return best, at

    def _best_of_all(self, run: _Run, columns: kernel.SweptColumns, tests: int) -> tuple[Any, Any]:
        given = (run.lo, run.hi, columns, self.task, run.total, self.limits.leaf, self.sets)
        if not self._is_shared(run, tests):
            return kernel.try_tests(0, tests, *given)  # type: ignore[no-any-return]
        results = self._in_pieces(lambda a, b: kernel.try_tests(a, b, *given), tests, 8 * self.tuning.threads)
        slack = kernel.rounding(run.total, self.task)
        best, at = results[0]
        evaluated, least = sum(found[2] for found, _ in results), min(found[3] for found, _ in results)
        for found, where in results[1:]:
            if kernel.is_better(found[0], found[1], best[0], best[1], slack):
                best, at = found, where
        best[2], best[3] = evaluated, least if least <= best[0] + slack else inf
        return best, at

    def _in_pieces(self, work: Callable[[int, int], Any], n: int, pieces: int) -> list[Any]:
        """Process the columns in batches, one thread per batch."""
        assert self.threads is not None
        edges = np.linspace(0, n, min(n, pieces) + 1).astype(int).tolist()
        return list(self.threads.map(work, edges[:-1], edges[1:]))

    def _send(self, node: GrowingNode[_Run]) -> None:
        run, columns, leaf = node.members, self.columns.swept, self.limits.leaf
        at = node.candidate.division
        kernel.send(at, run.lo, run.hi, columns, self.task, run.total, leaf, self.goes, self.sets)

    def sides(self, node: GrowingNode[_Run]) -> list[NDArray[np.int64]]:
        """Return the individuals that satisfy the test, and the others."""
        self._send(node)
        rows = self.rows(node.members)
        return [rows[self.goes[rows]], rows[~self.goes[rows]]]

    def divide(self, node: GrowingNode[_Run]) -> list[_Run]:
        """Split the run in every column."""
        run, columns = node.members, self.columns.swept
        self._send(node)
        middle = kernel.divide(columns.rows, run.lo, run.hi, self.goes, np.empty(self.size(run), dtype=np.int32))

        def some(first: int, last: int) -> None:
            spare = np.empty(self.size(run), dtype=np.int32)
            kernel.divide_some(first, last, run.lo, run.hi, columns, self.goes, spare)

        n = len(columns.order)
        if self._is_shared(run, n):
            self._in_pieces(some, n, self.tuning.threads)
        else:
            some(0, n)
        return [self._run(run.lo, middle), self._run(middle, run.hi)]

    # ---- whole subtrees ---------------------------------------------------------------------------------

    def grow_below(self, node: GrowingNode[_Run]) -> bool:
        """Grow the subtree of a small run in compiled code, in a separate thread if there are any."""
        run, columns = node.members, self.columns.swept
        if self.sampler is not None or self.is_priced or self.size(run) * len(columns.tests) >= self.tuning.shared:
            return False
        # However little time there is, the root is looked at.
        self.stop[0] = node.depth > 0 and self.clock.over() is not None
        given = (run.lo, run.hi, node.depth, columns, self.task, self.limits, self.goes, self.stop, self.sets)
        if self.threads is not None:
            run.below = self.threads.submit(grow_subtree, *given)
        else:
            run.below = Future()
            run.below.set_result(grow_subtree(*given))
        self.growing.append(run.below)
        return True

    def wait(self, is_over: Callable[[], bool]) -> None:
        """Wait for the threads, which stop by themselves at the time limit."""
        left = set(self.growing)
        while left:
            left = wait(left, timeout=0.05).not_done
            if left:
                self.stop[0] = is_over()

    def nodes(self, root: GrowingNode[_Run]) -> SweptNodes:
        """Return the tree as arrays."""
        self.stop[0] = True  # in case that Ctrl-C has left some of it growing
        dearer = {}
        if self.is_priced:  # then the builder has divided every node
            proposals = ((i, node.proposal) for i, node in enumerate(all_nodes(root)) if node.accepted)
            dearer = {i: found.dearer for i, found in proposals if found is not None and found.dearer is not None}
        return SweptNodes.of(_gather(root, self), self, dearer)


# ---- one node alone ------------------------------------------------------------------------------------------


# ---- from arrays to nodes -------------------------------------------------------------------------------------


class _Grown(NamedTuple):
    """Nodes of a grown tree as rows of arrays; see `structtree.search.kernels.subtrees.grow_subtree`.

    The run of a node begins at `first` and has `sizes` rows.
    """

    first: NDArray[np.int64]
    sizes: NDArray[np.int64]
    forks: NDArray[np.int64]
    figures: NDArray[np.float64]
    stats: NDArray[np.float64]


def _gather(root: GrowingNode[_Run], splitter: SweepSplitter) -> _Grown:
    """Combine the nodes of the builder with the subtrees below them, in reading order."""
    nodes = list(all_nodes(root))
    pieces = [_piece(node, splitter) for node in nodes]
    bases = np.concatenate(([0], np.cumsum([len(piece.sizes) for piece in pieces])))
    base_of = {id(node): int(base) for node, base in zip(nodes, bases[:-1], strict=True)}
    for node, piece in zip(nodes, pieces, strict=True):
        if node.children:
            piece.forks[0] = (*node.candidate.division, *(base_of[id(child)] for child in node.children))
        else:
            sides = piece.forks[:, 3:]
            sides[sides >= 0] += base_of[id(node)]
    first, sizes, forks, figures, stats = (np.concatenate(arrays) for arrays in zip(*pieces, strict=True))
    order = reading_order(forks)
    place = np.empty(len(order) + 1, dtype=np.int64)
    place[order], place[-1] = np.arange(len(order)), -1  # no side stays no side
    forks = forks[order]
    forks[:, 3:] = place[forks[:, 3:]]
    return _Grown(first[order], sizes[order], forks, figures[order], _settled(stats[order], splitter.task))


def _piece(node: GrowingNode[_Run], splitter: SweepSplitter) -> _Grown:
    run, task = node.members, splitter.task
    if run.below is not None:
        places, forks, figures, stats = run.below.result()
        return _Grown(places[:, 0], places[:, 1] - places[:, 0], forks, figures, stats)
    stats = run.total.copy()
    if not task.n_classes:
        stats[1] /= stats[0]
        stats[2] = kernel.squared_deviation(run.lo, run.hi, run.total, splitter.columns.swept, task)
    figures = np.array([_figures_of(node)])
    return _Grown(np.array([run.lo]), np.array([run.hi - run.lo]), np.full((1, 5), -1), figures, stats[None, :])


def _figures_of(node: GrowingNode[_Run]) -> tuple[float, float, float, float, float]:
    """Return loss, gains, tests and bound of a node, as in `structtree.search.kernels.subtrees.grow_subtree`."""
    if node.proposal is None:
        return (0.0, 0.0, 0.0, 0.0, -inf if node.is_open else inf)
    evaluated, least = float(node.proposal.evaluated), node.proposal.least
    if not node.accepted:
        return (0.0, 0.0, 0.0, evaluated, least)
    return (node.candidate.loss[0], *node.candidate.gains, evaluated, least)


def _settled(stats: NDArray[np.float64], task: kernel.SweepTask) -> NDArray[np.float64]:
    """Return weight, mean and variance, with a mean or variance within rounding error set to 0."""
    if task.n_classes:
        return stats
    dust = TOLERANCE * (np.abs(task.targets).max(initial=0.0) + abs(task.mean))
    weights, means, variances = stats[:, 0], stats[:, 1] + task.mean, stats[:, 2] / stats[:, 0]
    means, variances = np.where(np.abs(means) > dust, means, 0.0), np.where(variances > dust**2, variances, 0.0)
    return np.stack([weights, means, variances], axis=1)


@dataclass(frozen=True, eq=False, repr=False)
class SweptNodes(NodeArrays):
    """Nodes of a tree grown in sweeps, stored as arrays without the data itself.

    Parameters
    ----------
    grown : _Grown
        Of numbers with means and variances in place of sums and squares.
    tests : sequence of FlatTest
    categories : sequence of tuple of str
        What the codes stand for, test by test.
    chosen : array of float
        Which member of its test's family each node asks: a threshold, a code, or the place of a step.
    sets : dict from node to tuple of str
        The sets of values that nodes ask about.
    target : Target
        The criterion and the classes, without any labels.
    growth : Growth
    untried : optional
        Why some tests were not tried, if so.
    stopped_by : optional
        What ended the growth before it was done.
    dearer : dict from node to Dearer
        The better tests that lost because of their costs.
    """

    grown: _Grown
    tests: tuple[FlatTest, ...]
    categories: tuple[tuple[str, ...], ...]
    chosen: NDArray[np.float64]
    sets: Mapping[int, tuple[str, ...]]
    target: Target
    growth: Growth
    untried: Unproved | None
    stopped_by: Unproved | None
    dearer: Mapping[int, Dearer]

    @staticmethod
    def of(grown: _Grown, splitter: SweepSplitter, dearer: Mapping[int, Dearer]) -> SweptNodes:
        """Create the nodes from the arrays of a grown tree."""
        columns = splitter.columns
        categories = tuple(_categories(columns, t) for t in range(len(columns.tests)))
        tests = tuple(test if test.column is None else replace(test, column=None) for test in columns.members.tests)
        chosen, sets = _chosen(grown.forks, columns), dict(_sets(grown, columns))
        target, stopped_by = splitter.target.take(np.zeros(0, dtype=np.int64)), splitter.clock.over()
        return SweptNodes(
            grown, tests, categories, chosen, sets, target, splitter.growth, splitter.untried, stopped_by, dearer
        )

    @property
    def seen(self) -> NDArray[np.float64]:
        """Class weights, or weight, mean and variance, of each node."""
        return self.grown.stats

    @property
    def parents(self) -> tuple[int, ...]:
        """Parent of each node; -1 for the root."""
        parents = np.full(len(self.grown.sizes), -1)
        branches = np.flatnonzero(self.grown.forks[:, 0] >= 0)
        parents[self.grown.forks[branches, 3:]] = branches[:, None]
        return tuple(parents.tolist())

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int((self.grown.forks[:, 0] < 0).sum())

    @property
    def evaluated(self) -> int:
        """Number of tests evaluated."""
        return int(self.grown.figures[:, 3].sum())

    def __len__(self) -> int:
        return len(self.grown.sizes)

    @cached_property
    def all(self) -> tuple[Node, ...]:
        """All nodes, in reading order."""
        rows = zip(self._stats(), self.grown.forks.tolist(), self.grown.figures.tolist(), strict=True)
        may_miss = self._may_miss()
        return tuple(self._node(i, *row, bool(may_miss[i])) for i, row in enumerate(rows))

    def _node(self, i: int, stats: Stats, fork: list[int], figures: list[float], may_miss: bool) -> Node:
        t, _, _, yes, no = fork
        loss, gain, tie, evaluated, least = figures
        if self.untried is not None:
            least = -inf if t >= 0 or may_miss else inf
        reason = self.untried or ("sets" if evaluated else self.stopped_by or "sets")
        if t < 0:
            gap = gap_of(stats, self.target, least)
            return Leaf(stats, gap, reason) if gap else Leaf(stats)
        test = self._test(i)
        candidate = Candidate(test, (loss, 0.0), (gain, tie), True)
        proposal = Proposal(candidate, int(evaluated), least, reason, dearer=self.dearer.get(i))
        found = found_by(proposal, self.target)
        return Branch(test, yes, no, stats, found, self._shares(yes, no))

    def _may_miss(self) -> NDArray[np.bool_]:
        """Return which leaves would have been searched with more time."""
        may_miss = np.zeros(len(self), dtype=np.bool_)
        if self.untried is not None:
            growth, depths = self.growth, np.array(depths_of(self.parents))
            may_miss = self.grown.sizes >= max(growth.min_samples_split, 2 * growth.min_samples_leaf)
            may_miss &= depths != (growth.max_depth or -1)
        return may_miss

    def _shares(self, yes: int, no: int) -> tuple[float, ...]:
        if self.growth.missing == "false":
            return ()
        weights = self.target.task.weights(self.seen[[yes, no]])
        return tuple((weights / weights.sum()).tolist())

    def _stats(self) -> Sequence[Stats]:
        return list(map(self.target.task.summary_of, self.grown.sizes.tolist(), self.seen.tolist()))

    def _test(self, node: int) -> syn.Predicate:
        """Return the test of a node."""
        t = int(self.grown.forks[node, 0])
        if node in self.sets:
            return self.tests[t].among(self.sets[node])
        return _member(self.tests[t], self.categories[t], float(self.chosen[node]))

    @property
    def descent(self) -> Descent | None:
        """Compiled form of the tree, the same as if compiled from its nodes."""
        forks = self.grown.forks[:, [0, 3, 4]].tolist()
        tests = [None if t < 0 else self._test(node) for node, (t, _, _) in enumerate(forks)]
        return descent_of(tests, [(yes, no) for _, yes, no in forks])


def _categories(columns: ListedColumns, t: int) -> tuple[str, ...]:
    source = source_column(columns, t)
    return () if source is None else source.categories


def _sets(grown: _Grown, columns: ListedColumns) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield each node with a set test, and the values in its yes branch."""
    for t in np.flatnonzero(columns.tests[:, 1] == kernel.SUBSET).tolist():
        codes, categories = columns.values[columns.tests[t, 0]], _categories(columns, t)
        for node in np.flatnonzero(grown.forks[:, 0] == t).tolist():
            yes = grown.forks[node, 3]
            rows = columns.rows[grown.first[yes] : grown.first[yes] + grown.sizes[yes]]
            yield node, tuple(categories[code] for code in np.unique(codes[rows]).tolist())


def _chosen(forks: NDArray[np.int64], columns: ListedColumns) -> NDArray[np.float64]:
    """Return the threshold or value chosen at each node, from the two rows next to it."""
    by_test = np.argsort(forks[:, 0], kind="stable")
    asked, lower, upper = forks[by_test, :3].T
    wanted = np.unique(asked[asked >= 0])
    starts, stops = (np.searchsorted(asked, wanted, side=side).tolist() for side in ("left", "right"))
    low, high = np.zeros((2, len(forks)))
    between: dict[tuple[Kind, str], list[slice]] = {}
    for t, run in zip(wanted.tolist(), map(slice, starts, stops), strict=True):
        test, source = columns.members.tests[t], source_column(columns, t)
        # Of steps that divide the node in the same way the laxest.
        if source is None or test.form == kernel.SUBSET:
            continue
        low[run] = source.values[lower[run]]
        if test.kind is not None and test.form != kernel.EQUAL:
            high[run] = source.values[upper[run]]
            between.setdefault((test.kind, test.op), []).append(run)
    for (kind, op), runs in between.items():
        places = np.concatenate([np.arange(run.start, run.stop) for run in runs])
        low[places] = midpoints(low[places], high[places], kind, op)
    chosen = np.empty(len(forks))
    chosen[by_test] = low
    return chosen


def _member(test: FlatTest, categories: tuple[str, ...], chosen: float) -> syn.Predicate:
    """Return the test of a family with the chosen threshold or value."""
    if test.steps:
        return test.steps[int(chosen)]
    if test.attribute is None and test.key is None:
        return test.right
    return test.of(categories[int(chosen)]) if test.form == kernel.EQUAL else test.at(chosen)
