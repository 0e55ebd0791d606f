"""Rule sets: rules without an order, of which every one that holds votes with the individuals that it covered.

Predictions add up the class counts of all rules that hold, or average their means, weighted by the number of
individuals; where no rule holds, the default rule predicts (CN2: Clark and Boswell 1991). Since the sums are
probabilities, a rule set also ranks individuals.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import Floats, Mask
from structtree.data.json_parts import JsonPart
from structtree.data.population import Population
from structtree.data.schema import Schema
from structtree.lang import syntax as syn
from structtree.lang.pretty import pretty
from structtree.models.files.test_reader import TestReader
from structtree.models.files.trees import decision_from_json, task_from_json
from structtree.models.predictor import Evidence, PathStep, Predictor, answers_from, register_predictor
from structtree.models.routing.subsets import holds_among
from structtree.models.rules import Rule
from structtree.models.settings import MAJORITY, Decision
from structtree.models.tree import Stats
from structtree.reprs import number_text, short_repr
from structtree.space.evaluate import Known
from structtree.tasks.task import Task

__all__ = ["CoveringRule", "RuleSetPredictor", "combined", "votes_of"]


@dataclass(frozen=True, slots=True)
class CoveringRule:
    """Test of a rule, and the summary of all training individuals that satisfy it.

    Parameters
    ----------
    test : Predicate
    stats : Stats
    """

    test: syn.Predicate
    stats: Stats


@register_predictor
@dataclass(frozen=True, eq=False)
class RuleSetPredictor(Predictor):
    """Predictor with rules that have no order.

    Parameters
    ----------
    rules : tuple of CoveringRule
    default : Stats
        Summary of the training individuals that no rule covers, or of all if there are none.
    schema : Schema
    label_task : Task
    decision : Decision
        Only its costs are used.

    Examples
    --------
    >>> from structtree.lang.parse import parse_predicate
    >>> from structtree.tasks.classification import Classification
    >>> from structtree.tasks.statistics import ClassCounts
    >>> data = Population.from_records([{"wheels": 2}, {"wheels": 3}, {"wheels": 4}])
    >>> few = CoveringRule(parse_predicate("wheels <= 3"), ClassCounts(5, (1.0, 4.0)))
    >>> some = CoveringRule(parse_predicate("wheels in [3, 4)"), ClassCounts(6, (6.0, 0.0)))
    >>> rules = RuleSetPredictor((few, some), ClassCounts(3, (2.0, 1.0)), data.schema, Classification(("a", "b")))
    >>> rules.predict_proba(data).round(2).tolist()
    [[0.2, 0.8], [0.64, 0.36], [0.67, 0.33]]
    """

    kind: ClassVar[str] = "rule-set"

    rules: tuple[CoveringRule, ...]
    default: Stats
    schema: Schema
    label_task: Task
    decision: Decision = MAJORITY

    def __repr__(self) -> str:
        return short_repr(self, str(self))

    def __str__(self) -> str:
        return f"rule set with {number_text(self.rules, 'rule')} and a default"

    @property
    def classes(self) -> tuple[Any, ...]:  # type: ignore[override]  # which never changes
        """The classes; empty for regression."""
        return self.task.classes

    @property
    def task(self) -> Task:
        """Task of the rules."""
        return self.label_task

    @property
    def tests(self) -> tuple[syn.Predicate, ...]:
        """Tests of the rules."""
        return tuple(rule.test for rule in self.rules)

    @cached_property
    def figures(self) -> Floats:
        """Summaries of the rules, and last of the default, as rows of numbers."""
        return np.array([each.figures for each in (*(rule.stats for rule in self.rules), self.default)])

    def covered(self, population: Population, known: Known | None = None) -> Mask:
        """Return whether each individual satisfies the test of each rule, as (individuals, rules)."""
        everybody, known = np.arange(len(population)), {} if known is None else known
        masks = [holds_among(test, population, everybody, known) for test in self.tests]
        return np.stack(masks, axis=1) if masks else np.zeros((len(population), 0), dtype=np.bool_)

    def predict(self, population: Population) -> NDArray[Any]:
        """Return the index of the predicted class, or the predicted number, of each individual."""
        return answers_from(combined(self.covered(population), self.figures, self.task), self.task, self.decision)

    def predict_proba(self, population: Population) -> Floats:
        """Return the probability of each class for each individual."""
        if not self.task.predicts_classes:
            return super().predict_proba(population)
        return combined(self.covered(population), self.figures, self.task)

    def explain(self, alone: Population, known: Known | None = None) -> Evidence:
        """Return all rules that hold for one individual, and what they covered together."""
        fired = np.flatnonzero(self.covered(alone, known)[0]).tolist()
        steps = tuple(PathStep(place, self.rules[place].test, True) for place in fired)
        seen = [self.rules[place].stats for place in fired] or [self.default]
        votes = np.sum([self.task.distribution(each) for each in seen], axis=0).tolist() if self.classes else []
        return Evidence(steps, n=sum(each.n for each in seen), counts=tuple(zip(self.classes, votes, strict=True)))

    def listed(self) -> tuple[Rule, ...]:
        """Return the rules with their figures; the last one is the default."""
        said = answers_from(
            combined(np.eye(len(self.figures) - 1, dtype=np.bool_), self.figures, self.task), self.task
        )
        default = answers_from(combined(np.zeros((1, len(self.rules)), np.bool_), self.figures, self.task), self.task)
        rows = [*zip(self.tests, self.figures[:-1], said, [rule.stats for rule in self.rules], strict=True)]
        rows.append((syn.TOP, self.figures[-1], default[0], self.default))
        return tuple(self._rule(test, answer, stats) for test, _, answer, stats in rows)

    def _rule(self, test: syn.Predicate, answer: Any, stats: Stats) -> Rule:
        prediction = self.classes[answer] if self.classes else float(answer)
        figures = self.task.rule_figures([stats], answer)
        return Rule(test, prediction, stats.n, stats.weight, *figures, ())

    # ---- JSON -------------------------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """Return the rules as plain JSON values."""
        return {
            "task": self.task.name,
            "classes": [],
            **self.task.to_json(),
            "decision": {"estimate": None, "m": None, "costs": self.decision.costs},
            "default": self.task.summary_to_json(self.default),
            "rules": [{"test": pretty(rule.test), **self.task.summary_to_json(rule.stats)} for rule in self.rules],
        }

    @classmethod
    def from_json(cls, part: JsonPart, reader: TestReader) -> Self:
        """Restore a predictor from the output of `to_json`."""
        task = task_from_json(part)
        rules = tuple(
            CoveringRule(reader.test(each.member("test")), task.summary_from_json(each))
            for each in part.member("rules").elements()
        )
        decision = decision_from_json(part.member("decision"), len(task.classes))
        return cls(rules, task.summary_from_json(part.member("default")), reader.schema, task, decision)


def combined(covered: Mask, figures: Floats, task: Task) -> Floats:
    """Combine the figures of the rules that cover each individual: probabilities of classes, or a mean.

    Parameters
    ----------
    covered : (individuals, rules)
    figures : (rules + 1, ...)
        Of each rule, and last of the default, which predicts for individuals that no rule covers.
    task : Task

    Examples
    --------
    >>> from structtree.tasks.regression import REGRESSION
    >>> figures = np.array([[3.0, 10.0, 0.0], [1.0, 2.0, 0.0], [8.0, 5.0, 0.0]])
    >>> combined(np.array([[True, True], [False, True], [False, False]]), figures, REGRESSION).tolist()
    [8.0, 2.0, 5.0]
    """
    votes = votes_of(figures, task)
    sums = covered.astype(np.float64) @ votes[:-1]
    sums[~covered.any(axis=1)] = votes[-1]
    if not task.predicts_classes:
        return np.asarray(sums[:, 1] / sums[:, 0])
    return np.asarray(sums / sums.sum(axis=1, keepdims=True))


def votes_of(figures: Floats, task: Task) -> Floats:
    """Return what is added up over the rules that hold: class counts, or weight and weighted sum of the numbers.

    Parameters
    ----------
    figures : (rules, ...)
    task : Task

    Examples
    --------
    >>> from structtree.tasks.regression import REGRESSION
    >>> votes_of(np.array([[3.0, 10.0, 0.0]]), REGRESSION).tolist()
    [[3.0, 30.0]]
    """
    return figures if task.predicts_classes else np.stack([figures[:, 0], figures[:, 0] * figures[:, 1]], axis=1)
