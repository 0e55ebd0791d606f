"""Growing a tree over a table by single tests: the whole tree in compiled code.

Where the grammar asks one plain test of the individual's own attributes at a time, there is nothing to search: every
test is tried. That is what ordinary decision trees do, and what `structtree.search.kernels.flat` does in sweeps over
columns that were sorted once. Large nodes are divided with the columns shared among threads, smaller subtrees are
grown by a thread each; the tree does not depend on how many there are.

Law: the tree is the one that `structtree.learn.grow` would find by searching.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from heapq import heappop, heappush
from math import inf
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from structtree.data.columns import Population
from structtree.data.schema import Kind
from structtree.interrupts import cut_short
from structtree.lang.syntax import Compare, Predicate
from structtree.learn.descent import Descent, held
from structtree.learn.evidence import Evidence, room, undivided
from structtree.learn.table import Asked, FlatTest, Table, table_of, task_of
from structtree.learn.tree import Branch, ClassCounts, Found, Leaf, Moments, Node, NodesLater, Unproved
from structtree.learn.unknown import one_of
from structtree.search.clock import Clock
from structtree.search.criteria import TOLERANCE, Criterion
from structtree.search.kernels import flat as kernel
from structtree.search.kernels.descending import NODE
from structtree.search.plain_sweeps import gains_of, try_tests_of
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
    nodes : sequence of Node
        Those that compiled code has grown are made when somebody wants to see them: where data is small that takes
        longer than all the rest.
    n_nodes, n_leaves : int
    evaluated : int
        Tests that were tried.
    stopped_by : {"time", "interrupt"}, optional
        What ended the growth before it was done.
    """

    nodes: Sequence[Node]
    n_nodes: int
    n_leaves: int
    evaluated: int
    stopped_by: Literal["time", "interrupt"] | None


def grow_flat(
    asked: Asked,
    population: Population,
    evidence: Evidence,
    limits: kernel.Limits,
    *,
    max_leaf_nodes: int | None = None,
    clock: Clock | None = None,
) -> Flat:
    """Grow a tree over a table.

    Parameters
    ----------
    asked : Asked
        From `structtree.learn.table`.
    limits : Limits
    max_leaf_nodes : int, optional
        Divide first where it helps most, up to so many leaves.
    clock : Clock, optional
        When it is over, what is not divided yet stays so.
    """
    clock = clock or Clock()
    # A single thread pays as well where data is large: it leaves somebody free to look at the clock.
    alone = len(population) * len(asked.tests) < ALONE
    with nullcontext() if alone else ThreadPoolExecutor(THREADS) as threads:
        table = table_of(asked, population, threads, clock)
        task = task_of(evidence)
        grower = _Grower(table, task, evidence.criterion, limits, threads, clock)
        root = grower.start()
        grower.run(root, max_leaf_nodes)
    grown = _gather(root, table, task)
    untried: Unproved | None = None if asked.complete else "listing"
    if not table.complete:
        untried = grower.stopped_by or "time"
    sketch, n = _sketch(grown, table, task, evidence.criterion, untried), len(grown.sizes)
    return Flat(_nodes_later(sketch), n, (n + 1) // 2, int(grown.figures[:, 3].sum()), grower.stopped_by)


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
    criterion: Criterion
    limits: kernel.Limits
    threads: ThreadPoolExecutor | None
    clock: Clock
    goes: NDArray[np.bool_] = field(init=False)
    sets: bool | None = field(init=False)
    stop: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(1, dtype=np.bool_))
    stopped_by: Literal["time", "interrupt"] | None = None
    n_offers: int = 0

    def __post_init__(self) -> None:
        self.goes = np.zeros(len(self.table.columns.rows), dtype=np.bool_)
        self.sets = True if any(test.form == kernel.SUBSET for test in self.table.tests) else None

    def start(self) -> _Run:
        """The root."""
        return self._run(0, len(self.table.columns.rows), 0)

    def run(self, root: _Run, max_leaf_nodes: int | None) -> None:
        with cut_short(self.clock.stop):
            if max_leaf_nodes is None:
                self._depth_first(root)
            else:
                self._best_first(root, max_leaf_nodes)
            return
        self._is_over()

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
            if self.criterion.is_compiled and (run.hi - run.lo) * len(self.table.tests) < SHARED:
                run.below = self._grow_below(run)
                growing.append(run.below)
            else:
                # However little time there is, the root is looked at; and what has been found is used.
                offer = self._offer(run) if run is root or not self._is_over() else None
                if offer is not None:
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
            left = wait(left, timeout=0.05).not_done
            self._is_over()

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
        if self.stopped_by is None:
            self.stopped_by = self.clock.over()
            self.stop[0] = self.stopped_by is not None
        return self.stopped_by is not None

    def _offer(self, run: _Run) -> _Offer | None:
        """The best test for a run, if one is good enough."""
        self.n_offers += 1
        found, at = self._best_test(run)
        run.figures = (0.0, 0.0, 0.0, float(found[2]), float(found[3]))
        if at[0] < 0:
            return None
        if self.criterion.is_compiled:
            gain, tie, better = kernel.gains(found, run.total, self.task)
        else:
            gain, tie, better = gains_of(self.criterion, found, run.total)
        weight = run.total.sum() if self.task.n_classes else run.total[0]
        share = weight / self.task.weight
        if not better or share * gain + TOLERANCE < self.limits.decrease:
            return None
        run.figures = (float(found[0]), gain, tie, float(found[2]), float(found[3]))
        return _Offer(run, at, (share * gain, share * tie), self.n_offers)

    def _best_test(self, run: _Run) -> tuple[Any, Any]:
        if not self.criterion.is_compiled:
            columns, leaf = self.table.columns, self.limits.leaf
            return try_tests_of(self.criterion, run.lo, run.hi, columns, self.task, run.total, leaf)
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


class _Sketch(NamedTuple):
    """A grown tree in reading order, with all that its nodes are made of and nothing of the data itself.

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
    n_classes : int
    criterion : Criterion
    untried : optional
        Why some tests were not tried, if so.
    """

    grown: _Grown
    tests: tuple[FlatTest, ...]
    categories: tuple[tuple[str, ...], ...]
    chosen: NDArray[np.float64]
    sets: Mapping[int, tuple[str, ...]]
    n_classes: int
    criterion: Criterion
    untried: Unproved | None


def _sketch(
    grown: _Grown, table: Table, task: kernel.Task, criterion: Criterion, untried: Unproved | None
) -> _Sketch:
    categories = tuple(
        () if test.attribute is None else table.values[test.attribute].categories for test in table.tests
    )
    tests = tuple(test if test.ranks is None else replace(test, ranks=None) for test in table.tests)
    order = kernel.reading_order(grown.forks)
    first, sizes, forks, figures, stats = (array[order] for array in grown)
    place = np.empty(len(order) + 1, dtype=np.int64)
    place[order], place[-1] = np.arange(len(order)), -1  # no side stays no side
    forks[:, 3:] = place[forks[:, 3:]]
    read = _Grown(first, sizes, forks, figures, _settled(stats, task))
    sets = dict(_sets(read, table))
    return _Sketch(read, tests, categories, _chosen(forks, table), sets, task.n_classes, criterion, untried)


def _sets(grown: _Grown, table: Table) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The nodes that ask about a set of values, and the set: the values that their yes side has."""
    for t, test in enumerate(table.tests):
        if test.form != kernel.SUBSET or test.attribute is None:
            continue
        column = table.values[test.attribute]
        for node in np.flatnonzero(grown.forks[:, 0] == t).tolist():
            yes = grown.forks[node, 3]
            rows = table.columns.rows[grown.first[yes] : grown.first[yes] + grown.sizes[yes]]
            yield node, tuple(column.categories[code] for code in np.unique(column.values[rows]).tolist())


def _nodes_later(sketch: _Sketch) -> NodesLater:
    """The nodes, and what a tree is asked for that can be made from a sketch without them."""
    early: dict[str, Callable[[], Any]] = {
        "class counts" if sketch.n_classes else "moments": lambda: sketch.grown.stats
    }
    if all(test.attribute is not None or held(test.right) is not None for test in sketch.tests):
        early["descent"] = partial(_descent, sketch)
    return NodesLater(partial(_nodes, sketch), early)


def _settled(stats: NDArray[np.float64], task: kernel.Task) -> NDArray[np.float64]:
    """Of numbers weight, mean and variance; those that are but the dust of rounding are nothing."""
    if task.n_classes:
        return stats
    dust = TOLERANCE * (np.abs(task.targets).max(initial=0.0) + abs(task.mean))
    weights, means, variances = stats[:, 0], stats[:, 1] + task.mean, stats[:, 2] / stats[:, 0]
    means, variances = np.where(np.abs(means) > dust, means, 0.0), np.where(variances > dust**2, variances, 0.0)
    return np.stack([weights, means, variances], axis=1)


def _chosen(forks: NDArray[np.int64], table: Table) -> NDArray[np.float64]:
    """Which member of its test's family each node asks, from the two rows that it was found by."""
    by_test = np.argsort(forks[:, 0], kind="stable")
    asked, lower, upper = forks[by_test, :3].T
    edges = np.searchsorted(asked, np.arange(len(table.tests) + 1)).tolist()
    low, high = np.zeros((2, len(forks)))
    between: dict[tuple[Kind, str], list[slice]] = {}
    for test, run in zip(table.tests, map(slice, edges[:-1], edges[1:]), strict=True):
        # Of steps that divide the node in the same way the laxest.
        values = test.ranks if test.attribute is None else table.values[test.attribute].values
        if values is None or run.start == run.stop or test.form == kernel.SUBSET:
            continue
        low[run] = values[lower[run]]
        if test.kind is not None and test.form != kernel.EQUAL:
            high[run] = values[upper[run]]
            assert isinstance(test.right, Compare)
            between.setdefault((test.kind, test.right.op), []).append(run)
    for (kind, op), runs in between.items():
        places = np.concatenate([np.arange(run.start, run.stop) for run in runs])
        low[places] = midpoints(low[places], high[places], kind, op)
    chosen = np.empty(len(forks))
    chosen[by_test] = low
    return chosen


def _nodes(sketch: _Sketch) -> tuple[Node, ...]:
    """The nodes in reading order."""
    grown, criterion = sketch.grown, sketch.criterion
    nodes: list[Node] = []
    rows = zip(_stats(sketch), grown.forks.tolist(), grown.figures.tolist(), strict=True)
    for node, (stats, (t, _, _, yes, no), (loss, gain, _, evaluated, least)) in enumerate(rows):
        if t < 0:
            gap = _leaf_gap(stats, criterion, least)
            nodes.append(Leaf(stats, gap, "sets") if gap else Leaf(stats))
            continue
        score, proved = criterion.score(loss), sketch.untried is None and least == inf
        # Of what was not tried often nothing is known.
        gap = 0.0 if proved else loss - least if sketch.untried is None and least > -inf else criterion.room(score)
        reason: Unproved | None = None if proved else sketch.untried or "sets"
        found = Found(criterion.name, score, gain, proved, gap, int(evaluated), 0.0, reason)
        nodes.append(Branch(_asked_at(node, sketch), yes, no, stats, found))
    return tuple(nodes)


def _leaf_gap(stats: ClassCounts | Moments, criterion: Criterion, least: float) -> float:
    """How much better than a leaf a test may be that was not tried, if its loss is not below the least."""
    if least == inf:
        return 0.0
    return room(criterion, stats) if least == -inf else max(0.0, undivided(criterion, stats) - least)


def _asked_at(node: int, sketch: _Sketch) -> Predicate:
    """The test of a node."""
    t = int(sketch.grown.forks[node, 0])
    if node in sketch.sets:
        return one_of(str(sketch.tests[t].attribute), sketch.sets[node])
    return _member(sketch.tests[t], sketch.categories[t], float(sketch.chosen[node]))


def _descent(sketch: _Sketch) -> Descent:
    """How to go down the tree; the same as from its nodes."""
    forks, place_of = sketch.grown.forks, dict[str, int]()
    equal: dict[int, dict[int, str | float | tuple[str, ...]]] = {}
    nodes = np.zeros(len(forks), dtype=NODE)
    nodes["low"] = nodes["high"] = np.nan
    nodes["no"] = nodes["yes"] = np.arange(len(forks))
    for t in dict.fromkeys(forks[forks[:, 0] >= 0, 0].tolist()):
        test, which = sketch.tests[t], np.flatnonzero(forks[:, 0] == t)
        chosen = sketch.chosen[which]
        found = held(_asked_at(int(which[0]), sketch))
        assert found is not None  # which was seen to before
        place = place_of.setdefault(found.attribute, len(place_of))
        nodes["place"][which], nodes["no"][which], nodes["yes"][which] = place, forks[which, 4], forks[which, 3]
        ranged = test.attribute is not None and test.form in (kernel.AT_LEAST, kernel.AT_MOST)
        nodes["low"][which] = chosen if ranged and found.low > -inf else found.low
        nodes["high"][which] = chosen if ranged and found.high < inf else found.high
        for node, code in zip(which.tolist(), chosen.tolist(), strict=True) if not ranged else ():
            if node in sketch.sets:
                equal.setdefault(place, {})[node] = sketch.sets[node]
                continue
            match _member(test, sketch.categories[t], code):
                case Compare(_, "=", str() | int() | float() as value):
                    equal.setdefault(place, {})[node] = value
    return Descent(tuple(place_of), nodes, equal)


def _stats(sketch: _Sketch) -> Sequence[ClassCounts | Moments]:
    sizes, stats = sketch.grown.sizes.tolist(), sketch.grown.stats.tolist()
    if sketch.n_classes:
        return [ClassCounts(n, tuple(counts)) for n, counts in zip(sizes, stats, strict=True)]
    return [Moments(n, *moments) for n, moments in zip(sizes, stats, strict=True)]


def _member(test: FlatTest, categories: tuple[str, ...], chosen: float) -> Predicate:
    """One member of a family."""
    if test.steps:
        return test.steps[int(chosen)]
    if test.attribute is None:
        return test.right
    assert isinstance(test.right, Compare)
    if test.right.op == "=":
        return Compare(test.attribute, "=", categories[int(chosen)])
    whole = test.kind == "int" and chosen.is_integer()
    return Compare(test.attribute, test.right.op, int(chosen) if whole else chosen)
