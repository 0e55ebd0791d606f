"""Task: what a tree predicts, such as classes or numbers, behind one interface.

A task checks labels, computes the statistics of individuals, summarises the nodes of a tree, defines predictions (as
values, text and JSON), and lists its criteria, metrics, baseline and strata. `Task` has defaults for tasks
that predict one number; `structtree.tasks.classification` and `structtree.tasks.regression` are the two tasks of the
package. A new one is a subclass in one file, and one call of `structtree.tasks.registry.register_task` so that its
model files can be loaded; ``tests/tasks/toy_poisson.py`` is an example.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from math import sqrt
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import Floats, Ints
from structtree.data.json_parts import JsonPart, json_number
from structtree.errors import DataError, UsageError
from structtree.reprs import short_repr
from structtree.tasks.criteria import CRITERIA, Criterion, RandomSplit, criterion, random_split_of, tried
from structtree.tasks.decision import MAJORITY, Decision
from structtree.tasks.estimates import TreeFigures, nearest_with_weight
from structtree.tasks.metrics import NUMBER_METRICS, Metric
from structtree.tasks.statistics import PLAIN, Statistics, Stats, Units

__all__ = ["NodeFigures", "RuleFigures", "Task"]


class NodeFigures(NamedTuple):
    """Statistics and prediction of a node, for display.

    Parameters
    ----------
    stats : Stats
    answer : number
        The prediction: a number, or the code of a class.
    spread : float, optional
        Standard deviation of the labels around the prediction.
    chances : array, optional
        Class probabilities, if they are not the relative frequencies.
    number : function
        Formats a number.
    """

    stats: Stats
    answer: Any
    spread: float | None
    chances: Floats | None
    number: Callable[[float], str]


class RuleFigures(NamedTuple):
    """Certainty of a rule: the fraction of the predicted class, or the error of a predicted number."""

    confidence: float | None = None
    spread: float | None = None


@dataclass(frozen=True)
class Task(ABC):
    """Prediction task: defines valid labels, their statistics, and the predictions of nodes.

    A subclass that predicts a number defines `name`, `noun`, `stats_type`, `usual_criterion`, `columns` and `value`,
    and overrides other methods as needed.

    Parameters
    ----------
    classes : tuple
        The classes, in the order of their codes; empty for regression.

    Attributes
    ----------
    name : str
        Name of the task in model files and in `Criterion.task`.
    noun : str
        Plural noun for the predictions: ``"numbers"``.
    title : str
        Kind of tree, for the title of a report: ``"Regression"``.
    target_words : str
        Description of the target in messages: ``"is a number"``.
    stats_type : type
        A frozen dataclass with the properties of `structtree.tasks.statistics.Stats`; its fields are ``n`` and the
        figures.
    usual_criterion : str or Criterion
    metrics : mapping from name to Metric
        The first is the main one.
    individuals_per_leaf : int
        Training individuals per individual of ``min_samples_leaf``, if the size of the tree is chosen automatically.
    predicts_classes : bool
        Whether leaves predict classes, with probabilities.
    """

    classes: tuple[Any, ...] = ()

    name: ClassVar[str]
    noun: ClassVar[str]
    title: ClassVar[str] = "Regression"
    target_words: ClassVar[str] = "is a number"
    stats_type: ClassVar[Callable[..., Stats]]
    usual_criterion: ClassVar[str | Criterion]
    metrics: ClassVar[Mapping[str, Metric]] = NUMBER_METRICS
    individuals_per_leaf: ClassVar[int] = 100
    predicts_classes: ClassVar[bool] = False

    def __repr__(self) -> str:
        return short_repr(self, self.description)

    @property
    def description(self) -> str:
        """The noun; for classification, the names of the classes."""
        return self.noun

    # ---- labels -----------------------------------------------------------------------------------------

    def with_classes(self, labels: NDArray[Any], classes: Sequence[Any] | None, chosen: Criterion) -> Task:
        """Return the task with the classes of the labels; tasks without classes reject the argument."""
        if classes is not None:
            raise UsageError(
                f"criterion {chosen.name!r} is for {self.noun}, which have no classes; remove classes={classes!r}"
            )
        return self

    def values(self, labels: NDArray[Any], chosen: Criterion) -> NDArray[Any]:
        """Return labels as numbers or class codes; reject invalid labels."""
        try:
            values = labels.astype(np.float64)
        except (TypeError, ValueError):
            raise DataError(f"criterion {chosen.name!r} needs numbers as targets; got {labels[0]!r}") from None
        bad = np.flatnonzero(~np.isfinite(values))
        if len(bad):
            raise DataError(f"a target must be a finite number; got {values[bad[0]]}", individual=int(bad[0]))
        return values

    def weighted(self, values: NDArray[Any], weights: Floats, class_weight: Any, priors: Any) -> Floats:
        """Return the weights multiplied by class weights; tasks without classes reject class weights."""
        if priors is not None:
            raise UsageError(f"priors are for classes, but the target {self.target_words}")
        if class_weight is not None:
            raise UsageError(f"class_weight is for classes, but the target {self.target_words}")
        return weights

    def is_pure(self, values: NDArray[Any]) -> bool:
        """Return whether all labels are identical."""
        return bool((values == values[0]).all())

    def strata(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the stratum of each individual for stratified folds; a single stratum by default."""
        return np.zeros(len(values))

    def units(self, values: NDArray[Any]) -> Units:
        """Return the units in which sums of labels are exact."""
        return PLAIN

    # ---- criteria ---------------------------------------------------------------------------------------

    @property
    def criteria(self) -> tuple[Criterion, ...]:
        """Built-in criteria for this task."""
        return tuple(found for found in CRITERIA.values() if found.task == self.name)

    def criterion_for(self, goal: str | None = None) -> Criterion:
        """Return the default criterion of a goal."""
        return criterion(self.usual_criterion)

    def admitted(self, chosen: Criterion) -> Criterion:
        """Return a criterion if it is for this task; a custom one is tested on random labels."""
        if chosen.task != self.name:
            raise UsageError(f"criterion {chosen.name!r} is for {chosen.task}; this is a tree for {self.noun}")
        return chosen if chosen.reads.can_draw else tried(chosen, self.random_split)

    def random_split(self, rng: np.random.Generator) -> RandomSplit:
        """Return a random split with refinements, for testing a custom criterion."""
        values = self.random_values(rng, int(rng.integers(2, 8)))
        return random_split_of(self.matrix(values, np.ones(len(values))), rng)

    def random_values(self, rng: np.random.Generator, n: int) -> NDArray[Any]:
        """Return random valid labels; integers >= 0 by default."""
        return rng.integers(0, 9, n).astype(np.float64)

    # ---- statistics -------------------------------------------------------------------------------------

    @abstractmethod
    def columns(self, values: Floats) -> Floats:
        """Return the contribution of each value to the sums, as (values, k); the first column is the weight, 1."""

    def centre(self, values: NDArray[Any], weights: Floats) -> float:
        """Return the number that statistics subtract from the values of a node."""
        return 0.0

    def statistics(self, values: NDArray[Any], weights: Floats) -> Statistics:
        """Return the additive statistics of individuals; equal values share a label."""
        distinct, labels = np.unique(values - self.centre(values, weights), return_inverse=True)
        return Statistics(labels.astype(np.int32), weights, len(distinct), distinct, self.columns(distinct))

    def compacted(self, values: NDArray[Any]) -> tuple[Task, NDArray[Any]]:
        """Return the task without classes that do not occur, and the values for it."""
        return self, values

    def matrix(self, values: NDArray[Any], weights: Floats) -> Floats:
        """Return the statistics with one row per individual."""
        return np.asarray(weights[:, None] * self.columns(values - self.centre(values, weights)))

    def summary(self, values: NDArray[Any], weights: Floats) -> Stats:
        """Return the summary of a node with these individuals."""
        return self.summary_of(len(values), self.matrix(values, weights).sum(axis=0).tolist())

    def summary_of(self, n: int, figures: Sequence[float]) -> Stats:
        """Return the summary of a node from the numbers stored in the tree; see `Stats`."""
        return self.stats_type(n, *figures)

    def in_plain_units(self, stats: Stats, units: Units) -> Stats:
        """Return a summary of scaled values and weights in the original units."""
        if units.are_plain:
            return stats
        return self.summary_of(stats.n, [units.weight * figure for figure in stats.figures])

    def weights(self, seen: Floats) -> Floats:
        """Return the weight of each node from the numbers stored in the tree."""
        return seen[:, 0]

    def distribution(self, stats: Stats) -> tuple[float, ...]:
        """Return the weight of each class; empty for regression."""
        return ()

    # ---- predictions ------------------------------------------------------------------------------------

    @abstractmethod
    def value(self, figures: Floats) -> Floats:
        """Return the prediction of each node from the numbers stored in the tree."""

    def spread(self, figures: Floats) -> Floats:
        """Return the standard deviation of the labels around the prediction; 0 if a task does not override this."""
        return np.zeros(len(figures))

    @property
    def has_spread(self) -> bool:
        """True if the task overrides `spread`; otherwise texts omit it."""
        return type(self).spread is not Task.spread

    def known_figures(self, tree: TreeFigures) -> Floats:
        """Return the statistics of each node, or of its nearest ancestor with weight if the node has none."""
        return np.asarray(tree.seen[nearest_with_weight(tree, self.weights(tree.seen))])

    def answers(self, tree: TreeFigures, decision: Decision = MAJORITY) -> NDArray[Any]:
        """Return the prediction of each node: a number, or the code of a class."""
        return self.value(self.known_figures(tree))

    def spreads(self, tree: TreeFigures) -> Floats | None:
        """Return the standard deviation of the labels at each node; None for classes."""
        return self.spread(self.known_figures(tree))

    def chances(self, tree: TreeFigures, decision: Decision = MAJORITY) -> Floats | None:
        """Return the probability of each class at each node; None for regression."""
        return None

    def labels(self, answers: NDArray[Any]) -> NDArray[Any]:
        """Convert predictions to labels: numbers stay as they are, codes become classes."""
        return answers

    def mixed(
        self, tree: TreeFigures, decision: Decision, rows: Ints, leaves: Ints, parts: Floats, n: int
    ) -> NDArray[Any]:
        """Return the predictions for n individuals that may be in several leaves.

        Parameters
        ----------
        rows, leaves, parts : array
            An individual, one of its leaves, and the fraction of the individual in it.
        """
        return np.bincount(rows, self.answers(tree, decision)[leaves] * parts, n)

    # ---- pruning and stopping ---------------------------------------------------------------------------

    def risks(self, tree: TreeFigures, risk: str | None = None, decision: Decision = MAJORITY) -> Floats:
        """Return the training risk of each node as a leaf, multiplied by its weight."""
        self.check_risk(risk)
        return np.asarray(self.criterion_for().impurity(tree.seen))

    def check_risk(self, risk: str | None) -> None:
        """Reject a risk that is not available for this task."""
        if risk is not None:
            raise UsageError(f"risk {risk!r} is not available for {self.noun}")

    def loss(self, actual: NDArray[Any], predicted: NDArray[Any]) -> Floats:
        """Return the loss of each prediction for a held-out individual."""
        return np.asarray((actual - predicted) ** 2)

    def losses(self, tree: TreeFigures, values: NDArray[Any], decision: Decision) -> Callable[[Ints, Ints], Floats]:
        """Return a function that computes the losses of individuals at given nodes."""
        predicted = self.answers(tree, decision)
        return lambda nodes, which: self.loss(values[which], predicted[nodes])

    def p_value(self, *sides: NDArray[Any]) -> float:
        """Return the p-value of a split under the hypothesis that test and target are independent."""
        raise UsageError(f"stop='test' is not available for {self.noun}: there is no significance test")

    def bits(self, groups: Sequence[NDArray[Any]], precision: float) -> list[float]:
        """Return the bits that encode the values of each group: first the node, then its branches."""
        raise UsageError(f"stop='mdl' is not available for {self.noun}: there is no description length")

    def precision(self, values: NDArray[Any]) -> float:
        """Return the precision with which `bits` encodes values."""
        return 1.0

    # ---- text -------------------------------------------------------------------------------------------

    def answer_text(self, answer: Any) -> str:
        """Return a prediction, or a true value, as text."""
        return f"{float(answer):.4g}"

    def leaf_text(self, node: NodeFigures) -> str:
        """Return the prediction of a node, such as ``3.42 ± 0.51``."""
        spread = f" ± {node.number(node.spread or 0.0)}" if self.has_spread else ""
        return f"{node.number(node.answer)}{spread}"

    def share_text(self, node: NodeFigures) -> str:
        """Return the number of training individuals of a node, such as ``n=12``."""
        return f"n={node.stats.n}"

    def whole_text(self, node: NodeFigures) -> str:
        """Return the prediction of a node with its number of individuals, such as ``3.42 ± 0.51 (n=12)``."""
        return f"{self.leaf_text(node)} ({self.share_text(node)})"

    def seen_text(self, node: NodeFigures) -> str:
        """Return a description of the training labels of a node, such as ``n=12, mean 3.42 ± 0.51``."""
        return f"{self.share_text(node)}, mean {self.leaf_text(node)}"

    def short_text(self, node: NodeFigures) -> str:
        """Return a shorter description for pictures."""
        return self.seen_text(node)

    def constant_text(self, answer: Any) -> str:
        """Return the prediction of a model without tests, in words."""
        return "the mean"

    # ---- rules and scores -------------------------------------------------------------------------------

    def rule_figures(self, counted: Sequence[Stats], answer: Any) -> RuleFigures:
        """Return the confidence or spread of a rule on the counted individuals."""
        weights = np.array([stats.weight for stats in counted])
        if not self.has_spread or not weights.any():
            return RuleFigures()
        figures = np.array([stats.figures for stats in counted])
        off = self.spread(figures) ** 2 + (self.value(figures) - answer) ** 2
        return RuleFigures(spread=sqrt(float((weights * off).sum() / weights.sum())))

    def baseline(self, seen: NDArray[Any], n: int) -> tuple[NDArray[Any], Floats | None]:
        """Return predictions for n individuals that use only the training values."""
        return np.full(n, np.average(seen.reshape(-1, 1), axis=0)), None

    # ---- JSON -------------------------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """Return the JSON values that a model file stores in addition to the name of the task."""
        return {}

    def from_json(self, document: JsonPart) -> Task:
        """Restore the task from the JSON values of a model file."""
        if document.member("classes").elements():
            document.member("classes").fail(f"expected no classes for the task {self.name!r}")
        return self

    def summary_to_json(self, stats: Stats) -> dict[str, Any]:
        """Return the summary of a node as JSON; by default its fields."""
        names = [one.name for one in fields(stats) if one.name != "n"]  # type: ignore[arg-type]  # a dataclass
        return {"n": stats.n, **{name: json_number(getattr(stats, name)) for name in names}}

    def summary_from_json(self, part: JsonPart) -> Stats:
        """Return the summary of a node from its JSON values."""
        names = [one.name for one in fields(self.stats_type) if one.name != "n"]  # type: ignore[arg-type]
        return self.stats_type(part.member("n").whole(), *(part.member(name).number_or_infinity() for name in names))

    def chart_json(self, stats: Stats) -> dict[str, Any]:
        """Return the statistics of a node for the charts of a report."""
        figures = np.array([stats.figures])
        spread = {"sd": float(self.spread(figures)[0])} if self.has_spread else {}
        return {"mean": float(self.value(figures)[0]), **spread}
