"""From data to a boosted sum: list the tests, hold individuals out, add trees, and keep what using them needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf, isfinite

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import Floats, Ints
from structtree.errors import UsageError, did_you_mean
from structtree.interrupts import interruptible
from structtree.lang import syntax as syn
from structtree.learn.boosting import LEAVES, GrownBoosting, RoundLosses, boost
from structtree.learn.ensembles import assembled
from structtree.learn.forest_fit import FOR_SEARCH, column_notes, columns_in_words, no_columns, prepared_columns
from structtree.learn.held_out import fold_numbers, held_out
from structtree.learn.learning_set import LearningSet, with_requirements
from structtree.learn.vocabulary import with_residual_tests, with_vocabulary
from structtree.models.boosting import BoostingPredictor
from structtree.models.importance import mentioned
from structtree.models.model import Model
from structtree.models.records import RouteRecord, SearchOutcome, Settings
from structtree.models.settings import Boosting, Decision, Growth, Pruning
from structtree.remarks import option_text
from structtree.reprs import number_text
from structtree.search.clock import Clock
from structtree.search.kernels import tables as kernel
from structtree.splitters.binned import BinnedColumns
from structtree.splitters.boosted import BoostedColumns
from structtree.splitters.forest_columns import ForestColumns
from structtree.splitters.table import Tuning
from structtree.tasks.gradients import MarginLoss, margin_loss
from structtree.tasks.target import Target

__all__ = ["BoostingModel", "fit_boosting"]

ENOUGH_HELD_OUT = 200
"""Minimum number of held-out individuals; if there would be fewer, the number of rounds is chosen on folds."""

ROUND_FOLDS = 5
"""Number of folds that choose the number of rounds for few individuals."""


MOST_SEARCHES = 4
"""Maximum number of searches for tests that explain residuals."""


@dataclass(frozen=True, eq=False, repr=False)
class BoostingModel(Model):
    """Boosted sum with the losses of its rounds, which are not saved.

    Parameters
    ----------
    losses : RoundLosses
    """

    losses: RoundLosses = field(default=RoundLosses())


def fit_boosting(
    data: LearningSet, growth: Growth, decision: Decision, boosting: Boosting, clock: Clock
) -> BoostingModel:
    """Learn a boosted sum from checked data.

    Parameters
    ----------
    data : LearningSet
    growth, decision, boosting
        Options, of which only those for boosting are used.
    clock : Clock
    """
    target = data.target
    growth = growth if growth.max_leaf_nodes is not None else replace(growth, max_leaf_nodes=LEAVES)
    loss = margin_loss(boosting.loss, boosting.quantile, target.task)
    loss.check(target.units.zero + target.units.unit * target.values)
    found = no_columns(data, boosting, clock)
    with interruptible(clock.stop):
        found = prepared_columns(data, boosting, clock)
    parts = _held_out_parts(target, growth, boosting, is_searched=not found.is_complete)
    best = _best_sum(_Sums(data, loss, growth, boosting, parts, clock), found)
    found, columns, grown = best.found, best.columns, best.grown
    clock.stop.handled = True
    made = assembled(columns.sets.added_to(found.binned), grown.trees, grown.figures)
    predictor = BoostingPredictor(
        made.trees,
        made.ladders,
        made.gains,
        data.population.schema,
        target.task,
        replace(decision, estimate=None),
        loss,
        tuple(grown.start.tolist()),
    )
    model = BoostingModel(
        predictor,
        data.target_name,
        Settings(None, loss.name, growth, Pruning(), boosting=boosting),
        data.record,
        RouteRecord("boosting", f"{columns_in_words(found)}; {_rounds_in_words(predictor.n_rounds, parts)}"),
        outcome=SearchOutcome(grown.stopped_by, tuple(_notes(found, grown, boosting))),
        losses=grown.losses,
    )
    return with_requirements(model, data.population, data.grammar, data.layout)


def _held_out_parts(
    target: Target, growth: Growth, boosting: Boosting, *, is_searched: bool
) -> list[NDArray[np.bool_]]:
    """Return the individuals that choose the number of rounds: one sample, or folds of few individuals.

    If tests are searched, it is one sample, because the search must not see the labels of these individuals.
    """
    strata, n = target.task.strata(target.values), len(target.values)
    if not boosting.early_stopping or n < 2 * ROUND_FOLDS:
        return []
    if is_searched or n * boosting.stopping_fraction >= ENOUGH_HELD_OUT:
        return [held_out(strata, boosting.stopping_fraction, growth.random_state)]
    folds = fold_numbers(strata, ROUND_FOLDS, np.random.default_rng(growth.random_state))
    return [folds == fold for fold in range(ROUND_FOLDS)]


@dataclass(frozen=True, slots=True, eq=False)
class _Sum:
    """A boosted sum over some columns."""

    found: ForestColumns
    columns: BoostedColumns
    grown: GrownBoosting

    @property
    def held_out(self) -> float:
        """The least loss on held-out individuals."""
        return min(self.grown.losses.held_out, default=inf)

    @property
    def may_improve(self) -> bool:
        """Whether tests for the residuals may help, and it can be seen whether they do."""
        return not self.found.is_complete and isfinite(self.held_out) and self.grown.stopped_by is None

    @property
    def worst_residuals(self) -> Floats:
        """The residuals of the margin with the greatest ones."""
        residuals = self.grown.residuals
        return np.asarray(residuals[:, np.argmax((residuals**2).sum(axis=0))])


@dataclass(frozen=True, slots=True, eq=False)
class _Sums:
    """Everything but the columns that boosting needs."""

    data: LearningSet
    loss: MarginLoss
    growth: Growth
    boosting: Boosting
    parts: Sequence[NDArray[np.bool_]]
    clock: Clock

    @property
    def searched(self) -> Ints:
        """The individuals whose labels may be searched."""
        return np.flatnonzero(
            ~np.logical_or.reduce([np.zeros(len(self.data.population), dtype=np.bool_), *self.parts])
        )

    @property
    def part(self) -> Clock:
        """The time of a search."""
        return self.clock.part(self.clock.left() / FOR_SEARCH)

    def on(self, found: ForestColumns) -> _Sum:
        """Boost on some columns."""
        signs, tests = _constraints(found.binned, self.boosting.monotone or {}, self.data.target)
        n_jobs, category_sets = self.boosting.n_jobs or Tuning().threads, self.boosting.category_sets
        columns = BoostedColumns.of(found.binned, signs, n_jobs, category_sets=category_sets)
        options = (self.growth, self.boosting, self.parts, self.clock)
        return _Sum(found, columns, boost(columns, tests, self.data.target, self.loss, *options))


def _best_sum(sums: _Sums, listed: ForestColumns) -> _Sum:
    """Boost on listed columns; if tests are missing, also on those found by search, as long as they help."""
    if listed.is_complete:
        return sums.on(listed)
    found, searched, seed = listed, sums.searched, sums.growth.random_state
    with interruptible(sums.clock.stop):
        found = with_vocabulary(listed, sums.data, [searched], sums.part, seed)
    best = sums.on(found)
    for _ in range(MOST_SEARCHES):
        if not best.may_improve:
            break
        more = with_residual_tests(best.found, sums.data, best.worst_residuals, searched, sums.part, seed)
        longer = best if more is best.found else sums.on(more)
        if longer.held_out >= best.held_out:
            break
        best = longer
    return best


def _constraints(
    columns: BinnedColumns, monotone: Mapping[str, int], target: Target
) -> tuple[NDArray[np.int8], Ints]:
    """Return the sign of each test, and the tests without those that monotone constraints exclude."""
    signs, tests = np.zeros(columns.n_tests, dtype=np.int8), np.arange(columns.n_tests)
    if not monotone:
        return signs, tests
    if len(target.classes) > 2:
        raise UsageError(f"{option_text('monotone')} is for numbers and for two classes; there are more classes")
    thresholds = [_threshold(columns, t) for t in tests.tolist()]
    for name in monotone:
        if name not in thresholds:
            known = did_you_mean(name, [each for each in thresholds if each])
            raise UsageError(f"{option_text('monotone')} names {name!r}, on which there are no thresholds{known}")
    for t, name in enumerate(thresholds):
        if name in monotone:
            signs[t] = monotone[name] * (1 if columns.test(t).form == kernel.AT_LEAST else -1)
    kept = [
        name in monotone or not set(mentioned(columns.test(t).right)) & set(monotone)
        for t, name in enumerate(thresholds)
    ]
    return signs, tests[kept]


def _threshold(columns: BinnedColumns, t: int) -> str:
    """Return the numeric attribute of the individual that a test compares with thresholds; '' for other tests."""
    test = columns.test(t)
    is_own = isinstance(test.right, syn.Compare) and test.form != kernel.EQUAL and test.attribute is not None
    return test.attribute or "" if is_own else ""


def _rounds_in_words(n: int, parts: Sequence[NDArray[np.bool_]]) -> str:
    """Return the number of rounds and how it was chosen."""
    rounds = number_text(n, "round")
    if not parts:
        return rounds
    where = f"on {int(parts[0].sum()):,} held-out individuals" if len(parts) == 1 else f"in {len(parts)} folds"
    return f"{rounds}, chosen {where}"


def _notes(columns: ForestColumns, grown: GrownBoosting, boosting: Boosting) -> Iterator[str]:
    yield from column_notes(columns, boosting)
    if grown.weight < 2 * boosting.min_hessian:
        least = f"{option_text('min_hessian', boosting.min_hessian)} per leaf"
        yield f"the weights add up to {grown.weight:.3g}, too little for {least}; scale them up"
    if grown.stopped_by is not None:
        yield f"{len(grown.losses.training):,} of {boosting.max_iter:,} rounds were made"
