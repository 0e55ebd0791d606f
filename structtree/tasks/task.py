"""Tasks: kinds of prediction, such as classification, behind one interface.

A task parses labels, computes the statistics of individuals, summarises the nodes of a tree, defines their prediction
(as a value, as text and as JSON), and lists its criteria, metrics, baseline and strata. `Task` has defaults for tasks
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
    """Figures of a node, to be shown as text.

    Parameters
    ----------
    stats : Stats
    answer : number
        The prediction: a number, or the code of a class.
    spread : float, optional
        How far labels are from the prediction.
    chances : array, optional
        The probability of each class, if it is not simply its share.
    number : function
        Writes a number as text.
    """

    stats: Stats
    answer: Any
    spread: float | None
    chances: Floats | None
    number: Callable[[float], str]


class RuleFigures(NamedTuple):
    """Certainty of a rule: the share of the predicted class, or how far off a predicted number is."""

    confidence: float | None = None
    spread: float | None = None


@dataclass(frozen=True)
class Task(ABC):
    """Kind of prediction: defines the labels and the predictions of nodes.

    A subclass that predicts a number defines `name`, `noun`, `stats_type`, `usual_criterion`, `columns` and `value`,
    and overrides other methods as needed.

    Parameters
    ----------
    classes : tuple
        The classes, in the order of their codes; empty for regression.

    Attributes
    ----------
    name : str
        Of the task in model files, and in `Criterion.task`.
    noun : str
        What it predicts, in the plural: ``"numbers"``.
    title : str
        The sort of tree, at the head of a report: ``"Regression"``.
    target_words : str
        What the target is, in messages: ``"is a number"``.
    stats_type : type
        A frozen dataclass with the properties of `structtree.tasks.statistics.Stats`; ``n`` and its figures are its
        fields.
    usual_criterion : str or Criterion
    metrics : mapping from name to Metric
        The first is the one that is quoted alone.
    individuals_per_leaf : int
        Training individuals per individual of ``min_samples_leaf``, if the size of the tree is chosen automatically.
    predicts_classes : bool
        Whether leaves estimate probabilities and decide for a class.
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
        """The noun, with the names of the classes if there are any."""
        return self.noun

    # ---- labels -----------------------------------------------------------------------------------------

    def with_classes(self, labels: NDArray[Any], classes: Sequence[Any] | None, chosen: Criterion) -> Task:
        """Return the task for some labels; one that has no classes refuses to be given some."""
        if classes is not None:
            raise UsageError(
                f"criterion {chosen.name!r} is for {self.noun}, which have no classes; leave out classes={classes!r}"
            )
        return self

    def values(self, labels: NDArray[Any], chosen: Criterion) -> NDArray[Any]:
        """Return labels as numbers or class codes; invalid labels are refused."""
        try:
            values = labels.astype(np.float64)
        except (TypeError, ValueError):
            raise DataError(f"criterion {chosen.name!r} needs numbers as targets; got {labels[0]!r}") from None
        bad = np.flatnonzero(~np.isfinite(values))
        if len(bad):
            raise DataError(f"a target must be a finite number; got {values[bad[0]]}", individual=int(bad[0]))
        return values

    def weighted(self, values: NDArray[Any], weights: Floats, class_weight: Any, priors: Any) -> Floats:
        """Return the weights of individuals after those of their classes; refused where there are no classes."""
        if priors is not None:
            raise UsageError(f"priors are for classes, and the target {self.target_words}; leave them out")
        if class_weight is not None:
            raise UsageError(f"class_weight is for classes, and the target {self.target_words}; leave it out")
        return weights

    def is_pure(self, values: NDArray[Any]) -> bool:
        """Return whether all labels are identical."""
        return bool((values == values[0]).all())

    def strata(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the stratum of each individual for stratified folds; a single stratum by default."""
        return np.zeros(len(values))

    def units(self, values: NDArray[Any]) -> Units:
        """Return the units in which labels are counted without rounding."""
        return PLAIN

    # ---- criteria ---------------------------------------------------------------------------------------

    @property
    def criteria(self) -> tuple[Criterion, ...]:
        """The criteria by name that read its statistics."""
        return tuple(found for found in CRITERIA.values() if found.task == self.name)

    def criterion_for(self, goal: str | None = None) -> Criterion:
        """Return the criterion that a goal chooses, or the usual one."""
        return criterion(self.usual_criterion)

    def admitted(self, chosen: Criterion) -> Criterion:
        """Return a criterion that reads the statistics of this task; a custom one is tried on random labels."""
        if chosen.task != self.name:
            raise UsageError(f"criterion {chosen.name!r} is for {chosen.task}; this is a tree for {self.noun}")
        return chosen if chosen.reads.can_draw else tried(chosen, self.random_split)

    def random_split(self, rng: np.random.Generator) -> RandomSplit:
        """Return a random node with refinements, to try a custom criterion on."""
        values = self.random_values(rng, int(rng.integers(2, 8)))
        return random_split_of(self.matrix(values, np.ones(len(values))), rng)

    def random_values(self, rng: np.random.Generator, n: int) -> NDArray[Any]:
        """Return values of random labels; whole numbers >= 0 by default."""
        return rng.integers(0, 9, n).astype(np.float64)

    # ---- statistics -------------------------------------------------------------------------------------

    @abstractmethod
    def columns(self, values: Floats) -> Floats:
        """Return what an individual of weight 1 adds to the sums, as (values, k); the weight comes first."""

    def centre(self, values: NDArray[Any], weights: Floats) -> float:
        """Return the zero from which statistics count the values of a node."""
        return 0.0

    def statistics(self, values: NDArray[Any], weights: Floats) -> Statistics:
        """Return the additive statistics of individuals; equal values count together."""
        distinct, labels = np.unique(values - self.centre(values, weights), return_inverse=True)
        return Statistics(labels.astype(np.int32), weights, len(distinct), distinct, self.columns(distinct))

    def compacted(self, values: NDArray[Any]) -> tuple[Task, NDArray[Any]]:
        """Return the task without what no individual has, such as a class, and the values for it."""
        return self, values

    def matrix(self, values: NDArray[Any], weights: Floats) -> Floats:
        """Return the same as one row for each individual."""
        return np.asarray(weights[:, None] * self.columns(values - self.centre(values, weights)))

    def summary(self, values: NDArray[Any], weights: Floats) -> Stats:
        """Return the summary of a node with some individuals."""
        return self.summary_of(len(values), self.matrix(values, weights).sum(axis=0).tolist())

    def summary_of(self, n: int, figures: Sequence[float]) -> Stats:
        """Return the summary of a node from its figures; see `Stats`."""
        return self.stats_type(n, *figures)

    def in_plain_units(self, stats: Stats, units: Units) -> Stats:
        """Return a summary that was counted in some units as it is."""
        if units.are_plain:
            return stats
        return self.summary_of(stats.n, [units.weight * figure for figure in stats.figures])

    def weights(self, seen: Floats) -> Floats:
        """Return the weight of each node from its figures."""
        return seen[:, 0]

    def distribution(self, stats: Stats) -> tuple[float, ...]:
        """Return the weight of each class; nothing where numbers are predicted."""
        return ()

    # ---- predictions ------------------------------------------------------------------------------------

    @abstractmethod
    def value(self, figures: Floats) -> Floats:
        """Return the prediction of nodes with these figures, as (nodes,)."""

    def spread(self, figures: Floats) -> Floats:
        """Return the standard deviation of the labels around the prediction; 0 if a task does not override this."""
        return np.zeros(len(figures))

    @property
    def has_spread(self) -> bool:
        """True if the task overrides `spread`; otherwise texts omit it."""
        return type(self).spread is not Task.spread

    def known_figures(self, tree: TreeFigures) -> Floats:
        """Return the figures of each node; where no weight arrived, of the nearest node above with some."""
        return np.asarray(tree.seen[nearest_with_weight(tree, self.weights(tree.seen))])

    def answers(self, tree: TreeFigures, decision: Decision = MAJORITY) -> NDArray[Any]:
        """Return what each node predicts: a number, or the code of a class."""
        return self.value(self.known_figures(tree))

    def spreads(self, tree: TreeFigures) -> Floats | None:
        """Return how far labels are from what each node predicts; None for classes."""
        return self.spread(self.known_figures(tree))

    def chances(self, tree: TreeFigures, decision: Decision = MAJORITY) -> Floats | None:
        """Return the probability of each class at each node; None where numbers are predicted."""
        return None

    def labels(self, answers: NDArray[Any]) -> NDArray[Any]:
        """Return answers as labels: numbers as they are, codes as classes."""
        return answers

    def mixed(
        self, tree: TreeFigures, decision: Decision, rows: Ints, leaves: Ints, parts: Floats, n: int
    ) -> NDArray[Any]:
        """Return the answers for n individuals of which parts are in several leaves.

        Parameters
        ----------
        rows, leaves, parts : array
            Which individual is in which leaf, and how much of it.
        """
        return np.bincount(rows, self.answers(tree, decision)[leaves] * parts, n)

    # ---- pruning and stopping ---------------------------------------------------------------------------

    def risks(self, tree: TreeFigures, risk: str | None = None, decision: Decision = MAJORITY) -> Floats:
        """Return the training risk of each node as a leaf, times its weight."""
        self.check_risk(risk)
        return np.asarray(self.criterion_for().impurity(tree.seen))

    def check_risk(self, risk: str | None) -> None:
        """Refuse a risk that is not for this task."""
        if risk is not None:
            raise UsageError(f"risk {risk!r} does not fit a tree for {self.noun}; leave it out")

    def loss(self, actual: NDArray[Any], predicted: NDArray[Any]) -> Floats:
        """Return the loss of each prediction on individuals that were held out."""
        return np.asarray((actual - predicted) ** 2)

    def losses(self, tree: TreeFigures, values: NDArray[Any], decision: Decision) -> Callable[[Ints, Ints], Floats]:
        """Return a function that computes the losses of individuals at given nodes."""
        predicted = self.answers(tree, decision)
        return lambda nodes, which: self.loss(values[which], predicted[nodes])

    def p_value(self, *sides: NDArray[Any]) -> float:
        """Return the p-value of a split under the hypothesis that test and target are independent."""
        raise UsageError(f"stop='test' has no test for {self.noun}; leave it out")

    def bits(self, groups: Sequence[NDArray[Any]], precision: float) -> list[float]:
        """Return the bits that encode the values of a node, and those of its branches."""
        raise UsageError(f"stop='mdl' has no code for {self.noun}; leave it out")

    def precision(self, values: NDArray[Any]) -> float:
        """Return the precision with which `bits` encodes values."""
        return 1.0

    # ---- text -------------------------------------------------------------------------------------------

    def answer_text(self, answer: Any) -> str:
        """Return a prediction, or a true value, as text."""
        return f"{float(answer):.4g}"

    def leaf_text(self, node: NodeFigures) -> str:
        """Return the prediction of a node: ``3.42 ± 0.51``."""
        spread = f" ± {node.number(node.spread or 0.0)}" if self.has_spread else ""
        return f"{node.number(node.answer)}{spread}"

    def share_text(self, node: NodeFigures) -> str:
        """Return how many were seen at a node: ``n=12``."""
        return f"n={node.stats.n}"

    def whole_text(self, node: NodeFigures) -> str:
        """Return the prediction of a node and how many it is from: ``3.42 ± 0.51 (n=12)``."""
        return f"{self.leaf_text(node)} ({self.share_text(node)})"

    def seen_text(self, node: NodeFigures) -> str:
        """Return what was seen at a node: ``n=12, mean 3.42 ± 0.51``."""
        return f"{self.share_text(node)}, mean {self.leaf_text(node)}"

    def short_text(self, node: NodeFigures) -> str:
        """Return a shorter text for pictures, where space is limited."""
        return self.seen_text(node)

    def constant_text(self, answer: Any) -> str:
        """Return what a model without tests always predicts, in words."""
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
        """Return what a model file keeps of the task beside its name."""
        return {}

    def from_json(self, document: JsonPart) -> Task:
        """Return the task of a model file."""
        if document.member("classes").elements():
            document.member("classes").fail(f"expected no classes for the task {self.name!r}")
        return self

    def summary_to_json(self, stats: Stats) -> dict[str, Any]:
        """Return the summary of a node for a model file: its fields, by default."""
        names = [one.name for one in fields(stats) if one.name != "n"]  # type: ignore[arg-type]  # a dataclass
        return {"n": stats.n, **{name: json_number(getattr(stats, name)) for name in names}}

    def summary_from_json(self, part: JsonPart) -> Stats:
        """Return the summary of a node from a model file."""
        names = [one.name for one in fields(self.stats_type) if one.name != "n"]  # type: ignore[arg-type]
        return self.stats_type(part.member("n").whole(), *(part.member(name).number_or_infinity() for name in names))

    def chart_json(self, stats: Stats) -> dict[str, Any]:
        """Return the figures of a node that a report draws."""
        figures = np.array([stats.figures])
        spread = {"sd": float(self.spread(figures)[0])} if self.has_spread else {}
        return {"mean": float(self.value(figures)[0]), **spread}
