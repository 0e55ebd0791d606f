"""Boosting: small trees, one after the other, each grown on the gradients of the loss at the sum so far.

The trees share the columns of forests, and threads share the columns of a tree (`structtree.splitters.boosted`).
Random numbers of a round follow from the seed and its place.

Laws: one round of squared loss without shrinkage and penalty is a forest's tree; the training loss never rises with
small steps; threads change nothing (`tests/learn/test_boosting.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from math import ceil
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import Codes, Floats, Ints
from structtree.models.settings import Boosting, Growth
from structtree.progress import Status, report
from structtree.search.clock import Clock
from structtree.search.kernels.newton import NewtonLimits
from structtree.splitters.binned import BinnedTree
from structtree.splitters.boosted import BoostedColumns, BoostedTree, TreeLimits, grow_boosted
from structtree.tasks.gradients import MarginLoss
from structtree.tasks.target import Target

__all__ = ["LEAVES", "GrownBoosting", "RoundLosses", "boost"]

LEAVES = 15
"""Maximum number of leaves of a tree by default."""


class RoundLosses(NamedTuple):
    """Mean loss after each round on the training individuals, and on those that are held out, if any.

    If folds are held out in turn, the losses are means over them.
    """

    training: tuple[float, ...] = ()
    held_out: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class GrownBoosting:
    """Grown trees.

    Parameters
    ----------
    trees : tuple of BinnedTree
        Without their rows; each round has one for each margin.
    figures : tuple of array
        The weight and the value of each leaf of each tree.
    start : (k,) array
        The margins before the first tree.
    losses : RoundLosses
        Also of rounds that were not kept.
    weight : float
        Total weight of the training individuals.
    residuals : (n, k) array
        The negative gradients of the loss after the last of these trees.
    stopped_by : {"time", "interrupt"}, optional
    """

    trees: tuple[BinnedTree, ...]
    figures: tuple[Floats, ...]
    start: Floats
    losses: RoundLosses
    weight: float
    residuals: Floats
    stopped_by: Literal["time", "interrupt"] | None = None


def boost(
    columns: BoostedColumns,
    tests: Ints,
    target: Target,
    loss: MarginLoss,
    growth: Growth,
    boosting: Boosting,
    held_out: Sequence[NDArray[np.bool_]],
    clock: Clock,
) -> GrownBoosting:
    """Add trees to a sum until the held-out loss stops falling, or the time is up; at least one round.

    If several parts of the individuals are held out in turn, one sum without each of them chooses the number of
    rounds, and then all individuals are learned from.

    Parameters
    ----------
    columns : BoostedColumns
    tests : array of int
        The tests that trees may use.
    target : Target
    loss : MarginLoss
    growth, boosting : Growth, Boosting
    held_out : sequence of (n,) bool
        The parts; without any, all rounds are kept.
    clock : Clock
    """
    nobody = np.zeros(len(target.values), dtype=np.bool_)
    with ThreadPoolExecutor(columns.n_jobs) if columns.n_jobs > 1 else nullcontext() as pool:

        def begun(held_out: NDArray[np.bool_]) -> _Rounds:
            return _Rounds(columns, tests, target, loss, growth, boosting, held_out, pool)

        trials = [begun(part) for part in held_out or [nobody]]
        is_choosing = len(trials) > 1
        share = len(trials) / (1 + len(trials)) if is_choosing else 1.0
        found = _add_rounds(trials, boosting, clock.part(share * clock.left()))
        if not is_choosing:
            return trials[0].grown(found)
        whole = begun(nobody)
        last = _add_rounds([whole], replace(boosting, max_iter=found.best), clock)
        return whole.grown(found._replace(stopped_by=last.stopped_by or found.stopped_by))


class _Added(NamedTuple):
    """The losses of all rounds, the number of rounds with the smallest held-out loss, and what ended them."""

    losses: RoundLosses
    best: int
    stopped_by: Literal["time", "interrupt"] | None


def _add_rounds(trials: Sequence[_Rounds], boosting: Boosting, clock: Clock) -> _Added:
    """Add rounds to all sums until their mean held-out loss stops falling."""
    training, validation, is_done = list[float](), list[float](), False
    for place in range(boosting.max_iter):
        if is_done or (place and clock.over() is not None):
            break
        losses = [each.add(place, lambda: clock.over() is not None) for each in trials]
        training.append(float(np.mean([each.training for each in losses])))
        if trials[0].n_held_out:
            weights = [each.held_out_weight for each in trials]
            validation.append(float(np.average([each.held_out for each in losses], weights=weights)))
        best = 1 + int(np.argmin(validation)) if validation else place + 1
        if best == place + 1:
            for each in trials:
                each.best_margins = each.margins.copy()
        is_done = place + 1 - best >= boosting.stopping_rounds or all(each.is_exhausted for each in trials)
        kind, found = ("held-out", validation) if validation else ("training", training)
        fact = f"{kind} {trials[0].loss.label} {found[-1]:.4g}"
        report(Status("boosting", place + 1, boosting.max_iter, (fact,), None))
    is_cut = not is_done and (len(training) < boosting.max_iter or clock.over() is not None)
    return _Added(RoundLosses(tuple(training), tuple(validation)), best, clock.over() if is_cut else None)


class _Losses(NamedTuple):
    """Mean loss on the training individuals and on those that are held out, 0 without any."""

    training: float
    held_out: float


@dataclass(eq=False)
class _Rounds:
    """The sum so far, and its losses."""

    columns: BoostedColumns
    tests: Ints
    target: Target
    loss: MarginLoss
    growth: Growth
    boosting: Boosting
    held_out: NDArray[np.bool_]
    pool: ThreadPoolExecutor | None
    trees: list[BinnedTree] = field(default_factory=list)
    figures: list[Floats] = field(default_factory=list)
    is_exhausted: bool = False

    def __post_init__(self) -> None:
        target, units = self.target, self.target.units
        is_plain = self.loss.degree or target.task.predicts_classes
        self.values = target.values if is_plain else units.zero + units.unit * target.values
        self.weights = target.weights * units.weight
        self.is_uniform = bool((self.weights == 1.0).all())
        self.train = np.flatnonzero(~self.held_out).astype(np.int32)
        self.unseen = np.flatnonzero(self.held_out).astype(np.int32)
        self.start = self.loss.start(self.values[self.train], self.weights[self.train])
        self.margins: Floats = np.asfortranarray(np.tile(self.start, (len(self.values), 1)))
        self.best_margins = self.margins

    @property
    def n_held_out(self) -> int:
        """Number of held-out individuals."""
        return len(self.unseen)

    @property
    def held_out_weight(self) -> float:
        """Weight of the held-out individuals."""
        return float(self.weights[self.unseen].sum())

    # ---- one round --------------------------------------------------------------------------------------

    def add(self, place: int, is_over: Callable[[], bool]) -> _Losses:
        """Grow the trees of a round, and return the losses after it."""
        if not self.is_exhausted:
            self._grow(place, is_over)
        losses, scale = self.loss.losses(self.values, self.margins), self._unit**self.loss.degree
        parts = (self.train, self.unseen)
        means = (np.average(losses[rows], weights=self.weights[rows]) if len(rows) else 0.0 for rows in parts)
        return _Losses(*(scale * float(mean) for mean in means))

    def _grow(self, place: int, is_over: Callable[[], bool]) -> None:
        rng, has_split = np.random.default_rng([self.growth.random_state, place]), False
        rows, others = self._sample(rng)
        gradients, hessians = self.loss.derivatives(self.values, self.margins)
        if not self.is_uniform:
            gradients, hessians = (part * self.weights[:, None] for part in (gradients, hessians))
        for margin in range(self.loss.n_margins):
            g, h = (np.ascontiguousarray(part[:, margin]) for part in (gradients, hessians))
            tests = self._some_tests(rng)
            grown = grow_boosted(self.columns, g, h, rows, others, tests, self._limits, self.pool, is_over)
            has_split |= len(grown.tree.tests) > 1
            self._add_tree(grown, margin)
        random = self.boosting.subsample < 1 or self.boosting.columns_per_tree < 1
        self.is_exhausted = not has_split and not random and not is_over()

    def _add_tree(self, grown: BoostedTree, margin: int) -> None:
        """Add the values of the leaves to the margins, and keep the tree."""
        leaves, n_leaves, rows = grown.leaf_of(len(self.values)), len(grown.bounds), grown.tree.rows
        is_leaf = grown.tree.tests < 0
        own = self.loss.leaf_values(self.values[rows], self.weights[rows], self.margins[rows], leaves[rows], n_leaves)
        if own is None:
            sums, curvatures, _ = grown.tree.stats[is_leaf].T
            below = curvatures + self.boosting.l2
            own = -np.divide(sums, below, out=np.zeros(n_leaves), where=below > 0)
        values = self.boosting.learning_rate * np.clip(own, *grown.bounds.T)
        self.margins[:, margin] += values[leaves]
        sizes = grown.tree.sizes[is_leaf].astype(np.float64)
        weights = sizes if self.is_uniform else np.bincount(leaves[rows], self.weights[rows], n_leaves)
        self.trees.append(grown.tree._replace(rows=rows[:0]))
        self.figures.append(np.stack([weights, self._unit * values], axis=1))

    @property
    def _unit(self) -> float:
        """The unit of the margins."""
        return self.target.units.unit if self.loss.degree else 1.0

    # ---- samples and limits -----------------------------------------------------------------------------

    def _sample(self, rng: np.random.Generator) -> tuple[Codes, Codes]:
        """Return the sample of a round, and all other individuals."""
        if self.boosting.subsample == 1.0:
            return self.train, self.unseen
        size = ceil(self.boosting.subsample * len(self.train))
        inside = np.zeros(len(self.values), dtype=np.bool_)
        inside[rng.choice(self.train, size, replace=False)] = True
        return np.flatnonzero(inside).astype(np.int32), np.flatnonzero(~inside).astype(np.int32)

    def _some_tests(self, rng: np.random.Generator) -> Ints:
        """Return the tests on the columns that a tree uses."""
        share, column_of = self.boosting.columns_per_tree, self.columns.tested.tests[self.tests, 0]
        every = np.unique(column_of)
        if share == 1.0 or not len(every):
            return self.tests
        return self.tests[np.isin(column_of, rng.choice(every, ceil(share * len(every)), replace=False))]

    @property
    def _limits(self) -> TreeLimits:
        growth = self.growth
        depth = -1 if growth.max_depth is None else growth.max_depth
        leaves = growth.max_leaf_nodes or LEAVES
        child = NewtonLimits(growth.min_samples_leaf, self.boosting.min_hessian, self.boosting.l2)
        return TreeLimits(leaves, depth, growth.min_samples_split, child)

    # ---- the result -------------------------------------------------------------------------------------

    def grown(self, added: _Added) -> GrownBoosting:
        """Return the trees of the best number of rounds."""
        n = added.best * self.loss.n_margins
        start = self._unit * self.start + (self.target.units.zero if self.loss.degree else 0.0)
        weight = float(self.weights[self.train].sum())
        trees, figures = tuple(self.trees[:n]), tuple(self.figures[:n])
        residuals = -self.loss.derivatives(self.values, self.best_margins)[0]
        return GrownBoosting(trees, figures, start, added.losses, weight, residuals, added.stopped_by)
