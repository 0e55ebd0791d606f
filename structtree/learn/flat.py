"""Growing a tree over a table by single tests: the whole tree in compiled code.

Where the grammar asks one plain test of the individual's own attributes at a time, there is nothing to search: every
test is tried. That is what ordinary decision trees do, and what `structtree.search.kernels.flat` does in sweeps over
columns that were sorted once. Large nodes are divided with the columns shared among threads, smaller subtrees are
grown by a thread each; the tree does not depend on how many there are.

Law: the tree is the one that `structtree.learn.grow` would find by searching.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import nullcontext
from dataclasses import dataclass, field
from heapq import heappop, heappush
from math import inf
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from structtree.data.columns import Population
from structtree.lang.syntax import Compare, Predicate
from structtree.learn.evidence import Evidence
from structtree.learn.table import Asked, FlatTest, Table, table_of, task_of
from structtree.learn.tree import Branch, ClassCounts, Found, Leaf, Moments, Node
from structtree.learn.unknown import one_of
from structtree.search.criteria import TOLERANCE
from structtree.search.kernels import flat as kernel
from structtree.space.values import midpoints

__all__ = ["Flat", "grow_flat"]

SHARED = 1_000_000
"""A node with so many rows times tests is worth dividing by several threads."""

ALONE = 200_000
"""A table with so few rows times tests is not worth starting threads for."""

THREADS = min(8, os.cpu_count() or 1)

PIECES = 8 * THREADS
"""Into how many pieces tests are divided for threads: enough to keep all busy, few enough to cost nothing."""


class Flat(NamedTuple):
    """A tree grown from a table.

    Parameters
    ----------
    nodes : tuple of Node
    evaluated : int
        Tests that were tried.
    stopped_by : {"time", "interrupt"}, optional
        What ended the growth before it was done.
    """

    nodes: tuple[Node, ...]
    evaluated: int
    stopped_by: Literal["time", "interrupt"] | None


def grow_flat(
    asked: Asked,
    population: Population,
    evidence: Evidence,
    limits: kernel.Limits,
    *,
    max_leaf_nodes: int | None = None,
    seconds: float = inf,
) -> Flat:
    """Grow a tree over a table.

    Parameters
    ----------
    asked : Asked
        From `structtree.learn.table`.
    limits : Limits
    max_leaf_nodes : int, optional
        Divide first where it helps most, up to so many leaves.
    seconds : float
        When the time is over, what is not divided yet stays so.
    """
    deadline = time.perf_counter() + seconds
    alone = THREADS == 1 or len(population) * len(asked.tests) < ALONE
    with nullcontext() if alone else ThreadPoolExecutor(THREADS) as threads:
        table = table_of(asked, population, threads)
        task = task_of(evidence)
        grower = _Grower(table, task, limits, threads, deadline)
        root = grower.run(max_leaf_nodes)
    grown = _gather(root, table, task)
    nodes = _nodes(grown, table, task, evidence, asked.complete)
    return Flat(nodes, int(grown.figures[:, 3].sum()), grower.stopped_by)


# ---- growing --------------------------------------------------------------------------------------------------


_Figures = tuple[float, float, float, float, float]
"""Of a node, as in `structtree.search.kernels.flat.subtree`."""


@dataclass(slots=True, eq=False)
class _Run:
    """A node that is a run of rows; its fork once it is divided, or its subtree once that is grown."""

    lo: int
    hi: int
    depth: int
    total: NDArray[np.float64]
    is_open: bool
    fork: _Fork | None = None
    below: Future[Any] | None = None
    figures: _Figures = (0.0, 0.0, 0.0, 0.0, inf)


@dataclass(frozen=True, slots=True, eq=False)
class _Fork:
    at: NDArray[np.int64]
    yes: _Run
    no: _Run


@dataclass(frozen=True, slots=True, eq=False)
class _Offer:
    """A test that may divide a run; the one that lowers the impurity of the whole tree most is the least."""

    run: _Run
    at: NDArray[np.int64]
    decrease: tuple[float, float]
    serial: int

    def __lt__(self, other: _Offer) -> bool:
        return (other.decrease, self.serial) < (self.decrease, other.serial)


@dataclass(slots=True, eq=False)
class _Grower:
    table: Table
    task: kernel.Task
    limits: kernel.Limits
    threads: ThreadPoolExecutor | None
    deadline: float
    goes: NDArray[np.bool_] = field(init=False)
    sets: bool | None = field(init=False)
    stop: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(1, dtype=np.bool_))
    stopped_by: Literal["time", "interrupt"] | None = None
    n_offers: int = 0

    def __post_init__(self) -> None:
        self.goes = np.zeros(len(self.table.columns.rows), dtype=np.bool_)
        self.sets = True if any(test.form == kernel.SUBSET for test in self.table.tests) else None

    def run(self, max_leaf_nodes: int | None) -> _Run:
        root = self._run(0, len(self.table.columns.rows), 0)
        if max_leaf_nodes is None:
            self._depth_first(root)
        else:
            self._best_first(root, max_leaf_nodes)
        return root

    def _run(self, lo: int, hi: int, depth: int) -> _Run:
        total, same = kernel.totals(lo, hi, self.table.columns, self.task)
        large = hi - lo >= max(self.limits.split, 2 * self.limits.leaf)
        return _Run(lo, hi, depth, total, large and not same and depth != self.limits.depth)

    def _depth_first(self, root: _Run) -> None:
        """Divide large runs together, and leave each smaller one to a thread."""
        waiting, growing = [root], []
        while waiting:
            run = waiting.pop()
            if not run.is_open:
                continue
            if (run.hi - run.lo) * len(self.table.tests) < SHARED:
                run.below = self._grow_below(run)
                growing.append(run.below)
            else:
                offer = self._offer(run)
                if offer is not None and not self._is_over():
                    waiting += self._divide(offer)
        self._wait(growing)

    def _grow_below(self, run: _Run) -> Future[Any]:
        columns, task, goes = self.table.columns, self.task, self.goes
        arguments = (run.lo, run.hi, run.depth, columns, task, self.limits, goes, self.stop, self.sets)
        if self.threads is not None:
            return self.threads.submit(kernel.subtree, *arguments)
        done: Future[Any] = Future()
        done.set_result(kernel.subtree(*arguments))
        return done

    def _wait(self, growing: list[Future[Any]]) -> None:
        left = set(growing)
        while left:
            try:
                left = wait(left, timeout=0.2).not_done
                self._is_over()
            except KeyboardInterrupt:
                self.stopped_by, self.stop[0] = "interrupt", True

    def _best_first(self, root: _Run, most: int) -> None:
        offers: list[_Offer] = []
        fresh, n_leaves = [root], 1
        while n_leaves < most and not self._is_over():
            for run in fresh:
                offer = self._offer(run) if run.is_open else None
                if offer is not None:
                    heappush(offers, offer)
            if not offers:
                return
            fresh = self._divide(heappop(offers))[::-1]
            n_leaves += 1

    def _is_over(self) -> bool:
        if self.stopped_by is None and time.perf_counter() > self.deadline:
            self.stopped_by, self.stop[0] = "time", True
        return self.stopped_by is not None

    def _offer(self, run: _Run) -> _Offer | None:
        """The best test for a run, if one is good enough."""
        self.n_offers += 1
        found, at = self._best_test(run)
        run.figures = (0.0, 0.0, 0.0, float(found[2]), float(found[3]))
        if at[0] < 0:
            return None
        gain, tie, better = kernel.gains(found, run.total, self.task)
        weight = run.total.sum() if self.task.n_classes else run.total[0]
        share = weight / self.task.weight
        if not better or share * gain + TOLERANCE < self.limits.decrease:
            return None
        run.figures = (float(found[0]), gain, tie, float(found[2]), float(found[3]))
        return _Offer(run, at, (share * gain, share * tie), self.n_offers)

    def _best_test(self, run: _Run) -> tuple[Any, Any]:
        tests = len(self.table.tests)
        given = (run.lo, run.hi, self.table.columns, self.task, run.total, self.limits.leaf, self.sets)
        if self.threads is None or (run.hi - run.lo) * tests < SHARED:
            return kernel.try_tests(0, tests, *given)  # type: ignore[no-any-return]
        edges = np.linspace(0, tests, min(tests, PIECES) + 1).astype(int).tolist()
        results = list(self.threads.map(lambda a, b: kernel.try_tests(a, b, *given), edges[:-1], edges[1:]))
        slack = kernel.rounding(run.total, self.task)
        best, at = results[0]
        evaluated, least = sum(found[2] for found, _ in results), min(found[3] for found, _ in results)
        for found, where in results[1:]:
            if kernel.is_better(found[0], found[1], best[0], best[1], slack):
                best, at = found, where
        best[2], best[3] = evaluated, least if least <= best[0] + slack else inf
        return best, at

    def _divide(self, offer: _Offer) -> list[_Run]:
        run, columns = offer.run, self.table.columns
        leaf = self.limits.leaf
        kernel.send(offer.at, run.lo, run.hi, columns, self.task, run.total, leaf, self.goes, self.sets)
        spare = np.empty(run.hi - run.lo, dtype=np.int32)
        middle = kernel.divide(columns.rows, run.lo, run.hi, self.goes, spare)
        self._divide_columns(run)
        yes, no = self._run(run.lo, middle, run.depth + 1), self._run(middle, run.hi, run.depth + 1)
        run.fork = _Fork(offer.at, yes, no)
        return [no, yes]

    def _divide_columns(self, run: _Run) -> None:
        columns = self.table.columns

        def some(first: int, last: int) -> None:
            spare = np.empty(run.hi - run.lo, dtype=np.int32)
            kernel.divide_some(first, last, run.lo, run.hi, columns, self.goes, spare)

        n = len(columns.order)
        if self.threads is None or (run.hi - run.lo) * n < SHARED:
            some(0, n)
        else:
            edges = np.linspace(0, n, min(n, THREADS) + 1).astype(int).tolist()
            list(self.threads.map(some, edges[:-1], edges[1:]))


# ---- from arrays to nodes -------------------------------------------------------------------------------------


class _Grown(NamedTuple):
    """All nodes as rows of arrays; see `structtree.search.kernels.flat.subtree`.

    The run of a node begins at `first` and has `sizes` rows.
    """

    first: NDArray[np.int64]
    sizes: NDArray[np.int64]
    forks: NDArray[np.int64]
    figures: NDArray[np.float64]
    stats: NDArray[np.float64]


def _gather(root: _Run, table: Table, task: kernel.Task) -> _Grown:
    runs = list(_all_runs(root))
    parts = [_part(run, table, task) for run in runs]
    bases = np.concatenate(([0], np.cumsum([len(part.sizes) for part in parts])))
    base_of = {id(run): int(base) for run, base in zip(runs, bases[:-1], strict=True)}
    for run, part in zip(runs, parts, strict=True):
        if run.fork is not None:
            part.forks[0] = (*run.fork.at, base_of[id(run.fork.yes)], base_of[id(run.fork.no)])
        else:
            sides = part.forks[:, 3:]
            sides[sides >= 0] += base_of[id(run)]
    return _Grown(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def _all_runs(root: _Run) -> Iterator[_Run]:
    stack = [root]
    while stack:
        run = stack.pop()
        yield run
        if run.fork is not None:
            stack += [run.fork.no, run.fork.yes]


def _part(run: _Run, table: Table, task: kernel.Task) -> _Grown:
    if run.below is not None:
        places, forks, figures, stats = run.below.result()
        return _Grown(places[:, 0], places[:, 1] - places[:, 0], forks, figures, stats)
    stats = run.total.copy()
    if not task.n_classes:
        stats[1] /= stats[0]
        stats[2] = kernel.deviation(run.lo, run.hi, run.total, table.columns, task)
    first, size = np.array([run.lo]), np.array([run.hi - run.lo])
    return _Grown(first, size, np.full((1, 5), -1), np.array([run.figures]), stats[None, :])


def _nodes(grown: _Grown, table: Table, task: kernel.Task, evidence: Evidence, complete: bool) -> tuple[Node, ...]:
    """The nodes in reading order."""
    criterion = evidence.criterion
    yes, no = grown.forks[:, 3].tolist(), grown.forks[:, 4].tolist()
    order, stack = [], [0]
    while stack:
        node = stack.pop()
        order.append(node)
        if yes[node] >= 0:
            stack += [no[node], yes[node]]
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    tests = _predicates(grown, table)
    stats = _stats(grown, task)
    places, figures = place.tolist(), grown.figures.tolist()
    nodes: list[Node] = []
    for node in order:
        test = tests[node]
        loss, gain, _, evaluated, least = figures[node]
        if test is None:
            nodes.append(Leaf(stats[node], _leaf_gap(stats[node], evidence, least)))
            continue
        score, proved = criterion.score(loss), complete and least == inf
        # Of what was not tried often nothing is known.
        gap = 0.0 if proved else loss - least if complete and least > -inf else criterion.room(score)
        found = Found(criterion.name, score, gain, proved, gap, int(evaluated), 0.0)
        nodes.append(Branch(test, places[yes[node]], places[no[node]], stats[node], found))
    return tuple(nodes)


def _leaf_gap(stats: ClassCounts | Moments, evidence: Evidence, least: float) -> float:
    """How much better than a leaf a test may be that was not tried, if its loss is not below the least."""
    if least == inf:
        return 0.0
    return evidence.room(stats) if least == -inf else max(0.0, evidence.undivided(stats) - least)


def _stats(grown: _Grown, task: kernel.Task) -> list[ClassCounts] | list[Moments]:
    sizes, stats = grown.sizes.tolist(), grown.stats
    if task.n_classes:
        return [ClassCounts(n, tuple(counts)) for n, counts in zip(sizes, stats.tolist(), strict=True)]
    # Means and variances that are but the dust of rounding are nothing.
    dust = TOLERANCE * (np.abs(task.targets).max(initial=0.0) + abs(task.mean))
    means, variances = stats[:, 1] + task.mean, stats[:, 2] / stats[:, 0]
    means, variances = np.where(np.abs(means) > dust, means, 0.0), np.where(variances > dust**2, variances, 0.0)
    columns = (sizes, stats[:, 0].tolist(), means.tolist(), variances.tolist())
    return [Moments(*moments) for moments in zip(*columns, strict=True)]


def _predicates(grown: _Grown, table: Table) -> list[Predicate | None]:
    """The test of each node; None for a leaf."""
    forks = grown.forks
    found: list[Predicate | None] = [None] * len(forks)
    for t, test in enumerate(table.tests):
        nodes = np.flatnonzero(forks[:, 0] == t)
        if test.form == kernel.SUBSET:
            members = _sets(test, forks[nodes, 3], grown, table)
        else:
            members = _members(test, forks[nodes, 1:3], table)
        for node, predicate in zip(nodes.tolist(), members, strict=True):
            found[node] = predicate
    return found


def _sets(test: FlatTest, yes: NDArray[np.int64], grown: _Grown, table: Table) -> Iterator[Predicate]:
    """The sets of values that led to some nodes: those which their rows have."""
    assert test.attribute is not None
    column = table.values[test.attribute]
    for first, size in zip(grown.first[yes], grown.sizes[yes], strict=True):
        codes = np.unique(column.values[table.columns.rows[first : first + size]])
        yield one_of(test.attribute, (column.categories[code] for code in codes))


def _members(test: FlatTest, rows: NDArray[np.int64], table: Table) -> Iterator[Predicate]:
    """The members of a family, each from the two rows that it was found by."""
    if test.ranks is not None:
        # Of steps that divide the node in the same way the first.
        yield from (test.steps[rank] for rank in test.ranks[rows[:, 0]].tolist())
        return
    if test.attribute is None:
        yield from (test.right for _ in rows)
        return
    assert isinstance(test.right, Compare)
    op, column = test.right.op, table.values[test.attribute]
    if op == "=":
        yield from (Compare(test.attribute, op, column.categories[int(column.values[row])]) for row in rows[:, 0])
        return
    assert test.kind is not None
    for cut in midpoints(column.values[rows[:, 0]], column.values[rows[:, 1]], test.kind, op).tolist():
        whole = test.kind == "int" and cut.is_integer()
        yield Compare(test.attribute, op, int(cut) if whole else cut)
