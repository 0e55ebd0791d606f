"""Rule sets: for each class, rules that together cover its individuals, each the best against all other classes.

After each rule, the individuals of the class that it covers no longer count, but those of other classes still do, so
a rule is good by itself and not only after those before it (CN2: Clark and Boswell 1991). For numbers, rules are
learned for high and for low ones, and the individuals that a rule covers no longer count.

A rule is worth the share of the individuals that it adds to those predicted right: those of its class that no rule
before it covers, minus those of other classes. The rules that are worth more than some share are kept, and the share
is chosen by cross-validation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any, NamedTuple

import numpy as np

from structtree.arrays import TOLERANCE, Floats, Mask
from structtree.errors import UsageError
from structtree.interrupts import interruptible
from structtree.lang import syntax as syn
from structtree.learn.goals import ENOUGH_TO_CHOOSE
from structtree.learn.learning_set import LearningSet
from structtree.learn.plan import Plan, plan_for
from structtree.learn.rule_lists import FOR_RULES, least_support, measure_named, one_class_measure
from structtree.models.conform import optional_members
from structtree.models.model import Model
from structtree.models.predictor import answers_from
from structtree.models.records import RouteRecord, SearchOutcome, Settings, Size, SizeSource
from structtree.models.rule_set import CoveringRule, RuleSetPredictor, combined
from structtree.models.seen import seen_in
from structtree.models.settings import Decision, Growth, Rules
from structtree.models.tree import Stats
from structtree.progress import report_status
from structtree.search.clock import Clock
from structtree.space.evaluate import holds
from structtree.splitters.splitter import GrowingNode
from structtree.tasks.classification import Classification
from structtree.tasks.criteria import Criterion
from structtree.tasks.measures import Measure
from structtree.tasks.target import Target

__all__ = ["fit_rule_set"]

N_FOLDS = 5
"""Number of folds that choose the rules to keep."""

STANDARD_ERRORS = 0.1
"""The smallest set within this many standard errors of the lowest held-out loss is chosen."""


def fit_rule_set(
    data: LearningSet, growth: Growth, decision: Decision, rules: Rules, clock: Clock, *, full: bool
) -> Model:
    """Learn a rule set from checked data.

    Parameters
    ----------
    data : LearningSet
    growth : Growth
        Only its options for searching are used.
    decision : Decision
        Only its costs are used.
    rules : Rules
    full : bool
        Whether to keep all rules.
    clock : Clock
    """
    if rules.order != "any":
        raise UsageError("order='class' is for rule lists; the rules of a set have no order")
    known = rules.measure or ("laplace" if data.target.task.predicts_classes else "t")
    n, least = len(data.population), least_support(rules, data.target.task, len(data.population))
    own = replace(growth, min_samples_leaf=least, max_depth=None, cost_tolerance=None)
    job = _Job(data, own, rules, measure_of(known, data.target, least), clock)
    chosen, found = 0.0, job.found(np.ones(n, dtype=np.bool_), 1 if full or n < ENOUGH_TO_CHOOSE else 3)
    by: SizeSource = "full"
    if not full and n < ENOUGH_TO_CHOOSE:
        by = "too few"
    elif not full:
        least_worth = job.chosen(found, decision)
        by = "cross-validation" if least_worth is not None else clock.over() or "full"
        chosen = least_worth or 0.0
    kept = [each for each in found if each.worth >= chosen - TOLERANCE or by != "cross-validation"]
    return _model(
        data, job, kept, replace(decision, estimate=None, m=None), Size(by, str(n) if by == "too few" else "")
    )


def measure_of(measure: str | Criterion, target: Target, least: int) -> Measure:
    """Return the measure of a rule for one class, or for high numbers.

    Examples
    --------
    >>> from structtree.tasks.target import target_for
    >>> measure_of("laplace", target_for(["a", "b"], 2), 2).name
    'laplace'
    """
    found = measure_named(measure)
    kind = "classes" if target.task.predicts_classes else "numbers"
    if not isinstance(found, Measure) or found.task != kind or target.task.name != kind:
        names = ", ".join(FOR_RULES) if kind == "classes" else "t, mean-shift"
        raise UsageError(
            f"the measure {found.name!r} does not apply to rule sets for {target.task.noun}; use {names}"
        )
    return one_class_measure(found, target, least)


class _Found(NamedTuple):
    """A rule, the individuals that it covers, and its worth."""

    test: syn.Predicate
    covered: Mask
    worth: float


@dataclass(slots=True, eq=False)
class _Job:
    """Data and options for learning rule sets, with the plan that all searches share."""

    data: LearningSet
    growth: Growth
    rules: Rules
    measure: Measure
    clock: Clock
    evaluated: int = 0
    stopped_by: Any = None
    _plans: list[Plan] = field(default_factory=list, init=False)

    @property
    def plan(self) -> Plan:
        """The plan, made on the first call."""
        if not self._plans:
            data = self.data
            self._plans.append(
                plan_for(data.population, data.grammar, self.growth, self.clock, criterion=self.measure)
            )
        return self._plans[0]

    def found(self, inside: Mask, n_waiting: float = 1) -> list[_Found]:
        """Return the rules of all classes learned from some individuals."""
        rules: list[_Found] = []
        clock = self.clock.part(self.clock.left() / n_waiting)
        with interruptible(self.clock.stop):
            for concept in self._concepts(inside):
                rules += self._covering(concept, inside, clock)
        self.stopped_by = self.clock.over() or clock.over()
        return rules

    def _concepts(self, inside: Mask) -> Iterator[Target]:
        """Yield the target of each class against all others, the rarest first, or of high and of low numbers."""
        target = self.data.target
        if not target.task.predicts_classes:
            centre = target.values - np.average(target.values, weights=target.weights * inside)
            for sign in (1.0, -1.0):
                yield replace(target, values=sign * centre, criterion=self.measure)
            return
        counts = np.bincount(target.values, target.weights * inside, len(target.classes))
        for code in np.argsort(counts, kind="stable").tolist():
            if 0 < counts[code] < counts.sum():
                values = (target.values == code).astype(target.values.dtype)
                yield replace(target, values=values, task=Classification((0, 1)), criterion=self.measure)

    def _covering(self, concept: Target, inside: Mask, clock: Clock) -> Iterator[_Found]:
        """Yield one rule after the other for individuals that no rule covers yet."""
        weights = concept.weights * inside
        is_class = concept.task.predicts_classes
        good = concept.values == 1 if is_class else concept.values > 0
        most = inf if self.rules.max_rules is None else self.rules.max_rules
        n = 0
        while n < most and clock.over() is None and (weights[good] > 0).any() and (weights[~good] > 0).any():
            report_status("learning rules", 0, None, f"{self.evaluated:,} predicates")
            test = self._best(replace(concept, weights=weights), clock)
            if test is None:
                return
            covered = holds(test, self.plan.population)
            new, all_weights = weights * covered, concept.weights * inside * covered
            if not new[good].any() or (is_class and 2 * all_weights[good].sum() < all_weights.sum()):
                return
            n += 1
            yield _Found(test, covered, self._worth(concept, new))
            weights = np.where(covered & (good | (not is_class)), 0.0, weights)

    def _best(self, target: Target, clock: Clock) -> syn.Predicate | None:
        """Return the best predicate for a target, or None if there is none that is better than all individuals."""
        splitter = self.plan.splitter(target, self.growth, clock)
        root = splitter.root()
        if splitter.size(root) <= self.growth.min_samples_leaf:
            return None
        proposal = splitter.best(GrowingNode(root, 0, is_open=True), clock)
        self.evaluated += proposal.evaluated
        if proposal.candidate is None or not proposal.candidate.improves:
            return None
        assert isinstance(proposal.candidate.test, syn.Predicate)
        return proposal.candidate.test

    def _worth(self, concept: Target, new: Floats) -> float:
        """Return the share of the weight, or of the squared deviations, that a rule adds to those predicted right."""
        values, whole = concept.values, concept.weights
        if concept.task.predicts_classes:
            return float((new[values == 1].sum() - new[values != 1].sum()) / whole.sum())
        return float((new * values).sum() ** 2 / new.sum() / (whole * values**2).sum())

    def chosen(self, found: Sequence[_Found], decision: Decision) -> float | None:
        """Return the least worth of the rules to keep, or None if there was no time to choose it."""
        target = self.data.target
        bounds = [0.0, *sorted({each.worth for each in found}), inf]
        seen, judged = np.zeros((2, len(bounds))), 0
        for place, held in enumerate(_folds(target, N_FOLDS, self.growth.random_state)):
            rules = self.found(~held, N_FOLDS - place)
            if self.stopped_by is not None:
                return None
            losses = np.stack([self._losses(rules, bound, held, decision) for bound in bounds])
            seen += [losses.sum(axis=1), (losses**2).sum(axis=1)]
            judged += int(held.sum())
        mean = seen[0] / judged
        errors = np.sqrt(np.maximum(0.0, seen[1] / judged - mean**2) / judged)
        best = int(mean.argmin())
        allowed = np.flatnonzero(mean <= mean[best] + STANDARD_ERRORS * errors[best] + TOLERANCE)
        return float(bounds[int(allowed[-1])])

    def _losses(self, rules: Sequence[_Found], bound: float, held: Mask, decision: Decision) -> Floats:
        """Return the weighted loss of each held-out individual, if rules that are worth less are dropped."""
        target = self.data.target
        kept = [each for each in rules if each.worth >= bound - TOLERANCE]
        stats = summaries(target, [each.covered for each in kept], ~held)
        figures = np.array([each.figures for each in stats])
        masks = [each.covered[held] for each in kept]
        covered = np.stack(masks, axis=1) if masks else np.zeros((int(held.sum()), 0), dtype=np.bool_)
        said, true = answers_from(combined(covered, figures, target.task), target.task, decision), target.values[held]
        if not target.task.predicts_classes:
            return np.asarray(target.weights[held] * (said - true) ** 2)
        costs = 1.0 - np.eye(len(target.classes)) if decision.costs is None else np.array(decision.costs)
        return np.asarray(target.weights[held] * costs[true, said])


def summaries(target: Target, covered: Sequence[Mask], inside: Mask) -> list[Stats]:
    """Return the summary of the individuals that each rule covers, and of those that none covers, or of all."""
    rest = inside.copy()
    for each in covered:
        rest &= ~each
    rest = rest if rest.any() else inside
    return [target.stats(np.flatnonzero(each & inside)) for each in (*covered, rest)]


def _folds(target: Target, folds: int, seed: int) -> Iterator[Mask]:
    """Yield the held-out individuals of each stratified fold."""
    strata, n = target.task.strata(target.values), len(target.values)
    fold_of = np.empty(n, dtype=np.int64)
    fold_of[np.lexsort((np.random.default_rng(seed).permutation(n), strata))] = np.arange(n) % folds
    for place in range(folds):
        yield fold_of == place


def _model(data: LearningSet, job: _Job, kept: Sequence[_Found], decision: Decision, size: Size) -> Model:
    """Return the rules that are kept as a model."""
    target, everybody = data.target, np.ones(len(data.population), dtype=np.bool_)
    stats = [
        target.task.in_plain_units(each, target.units)
        for each in summaries(target, [k.covered for k in kept], everybody)
    ]
    rules = tuple(CoveringRule(each.test, one) for each, one in zip(kept, stats[:-1], strict=True))
    predictor = RuleSetPredictor(rules, stats[-1], job.plan.schema, target.task, decision)
    model = Model(
        predictor,
        data.target_name,
        Settings(None, job.measure.name, job.growth, size=size, rules=replace(job.rules, measure=job.measure.name)),
        data.record,
        RouteRecord(job.plan.route, job.plan.why),
        outcome=SearchOutcome(job.clock.over(), job.plan.notes),
        functions=tuple(data.grammar.functions.values()),
        background=data.grammar.background if data.grammar.background.steps else None,
        layout=data.layout,
    )
    seen = seen_in(data.population, model.predictor.mentioned)
    return replace(model, optional=optional_members(data.population, model.needed), seen=seen)
