"""Forests: many trees over the same binned columns, each grown on a random sample by one of several threads.

A tree has its own random numbers, which follow from the seed and its place, and trees are combined in their order.
So the forest does not depend on the number of threads, and its first trees are those of a smaller forest.

Laws: a forest of one tree without randomness is that tree; out-of-bag predictions are the means over the trees that
did not see an individual; growing further trees equals growing all of them at once (`tests/learn/test_forests.py`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from math import ceil, log2, sqrt
from typing import Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import Codes, Floats, Ints
from structtree.learn.ensembles import leaf_figures
from structtree.models.ensemble import leaf_values
from structtree.models.settings import Forest, Growth
from structtree.progress import Status, report
from structtree.search.clock import Clock
from structtree.search.kernels.tables import Limits
from structtree.splitters.binned import BinnedTree, Sampling, grow_binned, leaves_of, with_weighty_leaves
from structtree.splitters.forest_columns import ForestColumns
from structtree.splitters.table import Tuning
from structtree.tasks.target import Target

__all__ = ["GrownForest", "grow_forest", "out_of_samples"]

EVERY_TEST = 2**31 - 1
SECONDS_BETWEEN_LOOKS = 0.05

HALVES = 2
"""Number of parts of the individuals in which tests are searched; trees take turns with their tests."""

FOUND_AMONG = 3
"""A test found by search is drawn for every three listed ones, as far as there are enough."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class GrownForest:
    """Grown trees, with the sums of their predictions for individuals out of bag.

    Parameters
    ----------
    columns : ForestColumns
    target : Target
    trees : tuple of BinnedTree
        Without their rows.
    figures : tuple of array
        What the leaves of each tree store; see `structtree.learn.ensembles.leaf_figures`.
    votes : (n, classes or 1) float64
        For each individual the sum of the predictions of the trees that did not see it.
    n_votes : (n,) int64
        The number of these trees.
    stopped_by : {"time", "interrupt"}, optional
    """

    columns: ForestColumns
    target: Target
    trees: tuple[BinnedTree, ...]
    figures: tuple[Floats, ...]
    votes: Floats
    n_votes: Ints
    stopped_by: Literal["time", "interrupt"] | None = None

    @property
    def out_of_bag(self) -> Floats:
        """Predictions out of bag, probabilities or numbers; NaN for individuals that all trees saw."""
        return _mean(self.votes, self.n_votes)

    def leaves(self) -> Codes:
        """Return the leaf of each training individual in each tree, numbered over all trees."""
        rows = np.arange(self.columns.binned.n_rows, dtype=np.int32)
        first = np.cumsum([0, *(len(each) for each in self.figures[:-1])], dtype=np.int32)
        found = [leaves_of(self.columns.binned, tree, rows) for tree in self.trees]
        return np.stack(found, axis=1) + first


def _mean(votes: Floats, n_votes: Ints) -> Floats:
    with np.errstate(invalid="ignore"):
        return np.asarray(votes / n_votes[:, None])


class _Grown(NamedTuple):
    """Tree, the figures of its leaves, and the leaves of the individuals out of bag."""

    tree: BinnedTree
    figures: Floats
    rows: Codes
    leaves: Codes
    is_whole: bool


def grow_forest(
    columns: ForestColumns,
    target: Target,
    growth: Growth,
    forest: Forest,
    clock: Clock,
    so_far: GrownForest | None = None,
    min_weight_fraction: float = 0.0,
    score: Callable[[Floats, NDArray[np.bool_]], str] | None = None,
) -> GrownForest:
    """Grow the trees of a forest until the time is up; at least one.

    Parameters
    ----------
    columns : ForestColumns
    target : Target
        Its criterion is compiled.
    growth, forest : Growth, Forest
    clock : Clock
    so_far : GrownForest, optional
        First trees with the same options.
    min_weight_fraction : float
        Minimum fraction of the weight of a tree per leaf; splits with less are pruned.
    score : function from predictions and a mask of the individuals with predictions to str, optional
        Text about the predictions out of bag, for progress.
    """
    n, k = columns.binned.n_rows, len(target.classes) or 1
    growing = _Growing(columns, target, growth, forest, min_weight_fraction)
    trees = list(so_far.trees) if so_far else []
    figures = list(so_far.figures) if so_far else []
    votes = so_far.votes.copy() if so_far else np.zeros((n, k))
    n_votes = so_far.n_votes.copy() if so_far else np.zeros(n, dtype=np.int64)
    jobs = (lambda place=place: growing.tree(place) for place in range(len(trees), forest.n_estimators))
    threads = forest.n_jobs or Tuning().threads
    for grown in _in_order(jobs, threads, clock, growing.stop):
        if not grown.is_whole and trees:
            break
        trees.append(grown.tree)
        figures.append(grown.figures)
        votes[grown.rows] += leaf_values(grown.figures, target.task)[grown.leaves]
        n_votes[grown.rows] += 1
        is_seen = n_votes > 0
        facts = (
            () if score is None or not is_seen.any() else (score(votes / np.maximum(n_votes, 1)[:, None], is_seen),)
        )
        report(Status("growing trees", len(trees), forest.n_estimators, facts, None))
    is_cut = len(trees) < forest.n_estimators or bool(growing.stop[0])
    return GrownForest(
        columns, target, tuple(trees), tuple(figures), votes, n_votes, clock.over() if is_cut else None
    )


def out_of_samples(grown: GrownForest, growth: Growth, forest: Forest) -> NDArray[np.bool_]:
    """Return which trees did not see which individuals, as (individuals, trees), from the seeds of the samples.

    Parameters
    ----------
    grown : GrownForest
    growth, forest : Growth, Forest
        The options that it was grown with.
    """
    growing = _Growing(grown.columns, grown.target, growth, forest, 0.0)
    samples = [growing.sample(place) for place in range(len(grown.trees))]
    return np.asarray((np.stack(samples, axis=1) == 0) & (grown.target.weights > 0)[:, None])


@dataclass(frozen=True, slots=True, eq=False)
class _Growing:
    """What all trees share; `stop` ends the trees that are being grown."""

    columns: ForestColumns
    target: Target
    growth: Growth
    forest: Forest
    min_weight_fraction: float
    stop: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(1, dtype=np.bool_))

    def tree(self, place: int) -> _Grown:
        """Grow the tree at a place of the forest."""
        rng, binned = self._rng(place), self.columns.binned
        weights = self._sample(rng)
        tests = self._tests(rng)
        offered, n = self._offered(tests, self._per_node(len(tests)), place)
        sampling = Sampling(offered, n, self.forest.thresholds == "random", _seed(rng))
        target = replace(self.target, weights=weights)
        tree = grow_binned(binned, target, self._limits, sampling, self.stop)
        if self.min_weight_fraction:
            tree = with_weighty_leaves(tree, self.min_weight_fraction)
        is_whole = not self.stop[0]
        is_out = (weights == 0) & (self.target.weights > 0)
        if self.columns.part_of is not None:
            is_out &= self.columns.part_of != place % HALVES
        rows = np.flatnonzero(is_out).astype(np.int32)
        leaves, figures = leaves_of(binned, tree, rows), leaf_figures(tree, target.task, target.units)
        return _Grown(tree._replace(rows=tree.rows[:0]), figures, rows, leaves, is_whole)

    def sample(self, place: int) -> Floats:
        """Return the weights of the individuals in the sample of the tree at a place."""
        return self._sample(self._rng(place))

    def _rng(self, place: int) -> np.random.Generator:
        return np.random.default_rng([self.growth.random_state, place])

    def _sample(self, rng: np.random.Generator) -> Floats:
        """Return the weights of the individuals in the sample of a tree."""
        rows = np.flatnonzero(self.target.weights)
        size = ceil((self.forest.max_samples or 1.0) * len(rows))
        if self.forest.bootstrap:
            times = np.bincount(rows[rng.integers(0, len(rows), size)], minlength=len(self.target.weights))
            return self.target.weights * times
        weights = np.zeros_like(self.target.weights)
        some = rows if size == len(rows) else rng.choice(rows, size, replace=False)
        weights[some] = self.target.weights[some]
        return weights

    def _tests(self, rng: np.random.Generator) -> Ints:
        """Return the listed tests of the families that a tree uses."""
        families, found_in = self.columns.families, self.columns.found_in
        families = families if found_in is None else families[found_in < 0]
        if self.forest.max_families == 1.0 or not len(families):
            return np.arange(len(families))
        n = int(families.max()) + 1
        chosen = rng.choice(n, ceil(self.forest.max_families * n), replace=False)
        return np.flatnonzero(np.isin(families, chosen))

    def _offered(self, tests: Ints, n: int, place: int) -> tuple[Ints, int]:
        """Add the tests found by search for a tree, often enough to be drawn at its nodes; return their number."""
        if self.columns.found_in is None:
            return tests, n
        found = np.flatnonzero(self.columns.found_in == place % HALVES)
        if not len(found) or n >= len(tests):
            return np.concatenate([tests, found]), n + len(found)
        times = max(1, round(len(tests) / len(found) / FOUND_AMONG))
        return np.concatenate([tests, np.repeat(found, times)]), n + max(1, round(n / FOUND_AMONG))

    def _per_node(self, n_tests: int) -> int:
        match self.forest.max_features:
            case "all":
                return EVERY_TEST
            case "sqrt":
                return max(1, round(sqrt(n_tests)))
            case "log2":
                return max(1, round(log2(max(2, n_tests))))
            case share if share < 1:
                return max(1, round(share * n_tests))
            case number:
                return int(number)

    @property
    def _limits(self) -> Limits:
        growth, unit = self.growth, self.target.units.unit
        depth = -1 if growth.max_depth is None else growth.max_depth
        decrease = growth.min_impurity_decrease / unit / unit
        return Limits(depth, growth.min_samples_split, growth.min_samples_leaf, decrease)


def _seed(rng: np.random.Generator) -> int:
    return int(rng.integers(2**63))


def _in_order(jobs: Iterator[Callable[[], T]], n_threads: int, clock: Clock, stop: NDArray[np.bool_]) -> Iterator[T]:
    """Yield the results of jobs in their order; at the end of the time those that are running are stopped."""
    waiting = deque[Future[T]]()
    with ThreadPoolExecutor(n_threads) as threads:
        while True:
            while not stop[0] and len(waiting) < 2 * n_threads and (job := next(jobs, None)) is not None:
                waiting.append(threads.submit(job))
            if not waiting:
                return
            try:
                while not wait([waiting[0]], SECONDS_BETWEEN_LOOKS).done:
                    stop[0] |= clock.over() is not None
                stop[0] |= clock.over() is not None
            except BaseException:
                stop[0] = True
                raise
            first = waiting.popleft()
            if stop[0]:
                for other in waiting:
                    other.cancel()
                waiting = deque(other for other in waiting if not other.cancelled())
            yield first.result()
