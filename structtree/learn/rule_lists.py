"""Rule lists: trees whose tests are conjunctions and whose yes branches are leaves, grown by sequential covering.

A rule list is read from the top: the first rule whose condition holds predicts, and if none holds, the default does.
So it is a tree that divides only its no branches, and whatever works for trees works for it: prunings are its
beginnings, and so the number of rules is chosen like the size of a tree. Rivest called these trees decision lists
(1987); CN2 learns them with rules for any class (Clark and Niblett 1989), RIPPER with the rules of one class after
the other (Cohen 1995).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from structtree.errors import UnknownNameError, UsageError
from structtree.learn.builder import Builder
from structtree.models.settings import Rules, support_of
from structtree.splitters.splitter import Candidate, GrowingNode, M
from structtree.tasks.classification import Classification
from structtree.tasks.criteria import CRITERIA, Criterion, criterion
from structtree.tasks.measures import MEASURES, Laplace, Measure, OfBestClass, measure_class
from structtree.tasks.target import Target
from structtree.tasks.task import Task

__all__ = [
    "ListBuilder",
    "TurnBuilder",
    "builder_of",
    "least_support",
    "measure_named",
    "rule_criterion",
    "usual_measures",
]

CHOSEN_FROM = ("acc*", "laplace")
"""Measures of which the one with the lower held-out loss is used by default."""

FOR_RULES = ("laplace", "m-estimate", "precision", "wracc", "average-recall")
"""Measures of the individuals that a rule covers; each is at most 1 for the best class."""


@dataclass(slots=True, eq=False)
class ListBuilder(Builder[M]):
    """Builder that divides only no branches."""

    def _grow(self, root: GrowingNode[M]) -> None:
        node = root
        while self._offer(node) is not None:
            covered, node = self._divide(node)
            covered.is_open = False
            self.n_leaves += 1
            self.n_nodes += 1
            self.settled += self.splitter.size(covered.members)

    def _node(self, members: M, depth: int) -> GrowingNode[M]:
        """Return a node, which may be divided if a rule can cover enough of it."""
        node = Builder._node(self, members, depth)  # slots=True makes a new class, unknown to super()
        if self.target.criterion.is_one_sided and not node.is_open:
            is_large = self.splitter.size(members) > self.growth.min_samples_leaf
            node.is_open = is_large and depth != self.growth.max_depth and not self.splitter.is_pure(members)
        return node


@dataclass(slots=True, eq=False)
class TurnBuilder(ListBuilder[M]):
    """Builder that learns the rules of one class after the other, the rarest first, and none of the last class."""

    turn: int = field(default=0, init=False)
    _order: Sequence[int] = field(default=(), init=False)

    def _look_at(self, node: GrowingNode[M], seconds: float) -> None:
        """Search for a rule of the current class; if there is none, of the next class."""
        target: Target = self.splitter.target
        codes = target.values[self.splitter.rows(node.members)]
        while self.turn < len(self._classes) - 1 and not node.accepted:
            code = self._classes[self.turn]
            if (codes == code).any():
                self.splitter.target = _of_one(target, code)
                try:
                    ListBuilder._look_at(self, node, seconds)  # as above
                finally:
                    self.splitter.target = target
            if self._is_over():
                return
            self.turn += not node.accepted

    def _accepts(self, node: GrowingNode[M], candidate: Candidate) -> bool:
        """Return whether a rule is acceptable, and right for at least half of its individuals."""
        covered = self.splitter.sides(node)[0]
        inside = self.target.values[covered] == 1
        weights = self.target.weights[covered]
        is_right = 2 * weights[inside].sum() >= weights.sum()
        return bool(is_right) and ListBuilder._accepts(self, node, candidate)  # as above

    @property
    def _classes(self) -> Sequence[int]:
        """Codes of the classes, the rarest first."""
        if not self._order:
            target: Target = self.splitter.target
            weights = np.bincount(target.values, target.weights, len(target.classes))
            self._order = np.argsort(weights, kind="stable").tolist()
        return self._order


def _of_one(target: Target, code: int) -> Target:
    """Return the target that distinguishes one class from all others."""
    found = target.criterion
    measure = found.of_one if isinstance(found, OfBestClass) else found
    values = (target.values == code).astype(target.values.dtype)
    return replace(target, values=values, task=Classification((0, 1)), criterion=measure)


def builder_of(rules: Rules) -> type[Builder[Any]]:
    """Return the builder of a rule list.

    Examples
    --------
    >>> builder_of(Rules()).__name__, builder_of(Rules(order="class", measure="laplace")).__name__
    ('ListBuilder', 'TurnBuilder')
    """
    return ListBuilder if rules.order == "any" else TurnBuilder


def least_support(rules: Rules, task: Task, n: int) -> int:
    """Return the minimum number of individuals of a rule.

    Examples
    --------
    >>> least_support(Rules(), Classification(), 100), least_support(Rules(min_support=0.2), Classification(), 100)
    (2, 20)
    """
    if rules.min_support is not None:
        return support_of(rules.min_support, n)
    return min(10, max(2, n // task.individuals_per_leaf))


def usual_measures(rules: Rules, task: Task, *, may_choose: bool) -> tuple[str | Criterion, ...]:
    """Return the measures to choose from by held-out loss, or the given one.

    Examples
    --------
    >>> usual_measures(Rules(), Classification(), may_choose=True)
    ('acc*', 'laplace')
    >>> usual_measures(Rules(order="class"), Classification(), may_choose=True)
    ('laplace',)
    """
    if rules.measure is not None:
        return (rules.measure,)
    if not task.predicts_classes:
        return (task.criterion_for(),)
    return CHOSEN_FROM if may_choose and rules.order == "any" else ("laplace",)


def rule_criterion(measure: str | Criterion, rules: Rules, target: Target, least: int) -> Criterion:
    """Return the criterion of the rules of a list; raise `UsageError` if it does not suit the target.

    Examples
    --------
    >>> from structtree.tasks.target import target_for
    >>> rule_criterion("laplace", Rules(), target_for(["a", "b", "c"], 3), 2).name
    'laplace'
    >>> rule_criterion("mse", Rules(), target_for(["a", "b", "c"], 3), 2)
    Traceback (most recent call last):
    structtree.errors.UsageError: the measure 'mse' is for numbers, but the target has classes; use acc*
    """
    found = measure_named(measure)
    is_fitting = found.task == target.task.name or found.task not in ("classes", "numbers")
    if not is_fitting or (isinstance(found, Measure) and found.task == "numbers"):
        if found.task == target.task.name:
            raise UsageError(f"the measure {found.name!r} is for rule sets; use {target.task.criterion_for().name}")
        raise UsageError(
            f"the measure {found.name!r} is for {found.task}, but the target has {target.task.noun}; "
            f"use {target.task.criterion_for().name}"
        )
    if not isinstance(found, Measure):
        if rules.order == "class":
            raise UsageError(
                f"order='class' requires a measure of the individuals that a rule covers, such as 'laplace'; "
                f"{found.name!r} measures splits"
            )
        return found
    of_one = one_class_measure(found, target, least)
    return OfBestClass(of_one.support, of_one.one, of_one)


def one_class_measure(measure: Measure, target: Target, least: int) -> Measure:
    """Return a measure with the minimum support and the number of classes of a target."""
    one = target.lightest
    if isinstance(measure, Laplace):
        measure = replace(measure, n_classes=len(target.classes))
    return replace(measure, support=least * one, one=one)


def measure_named(measure: str | Criterion) -> Criterion:
    """Return a criterion of splits, or a measure of rules, by name; the measures of numbers are for rule sets.

    Examples
    --------
    >>> measure_named("laplace").name, measure_named("mse").task
    ('laplace', 'numbers')
    """
    if isinstance(measure, str) and measure not in CRITERIA:
        if measure not in MEASURES:
            raise UnknownNameError("measure", measure, (*CRITERIA, *FOR_RULES))
        measure = measure_class(measure)()
    if isinstance(measure, Measure) and measure.name not in FOR_RULES and measure.task == "classes":
        known = f"{', '.join(FOR_RULES[:-1])} or {FOR_RULES[-1]}"
        raise UsageError(f"the measure {measure.name!r} does not apply to rules; use {known}")
    return measure if isinstance(measure, Measure) else criterion(measure)
