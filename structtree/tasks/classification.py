"""Classification: prediction of a class, from the class weights at a node.

Classes are coded in one order for the whole tree, so that the counts of all nodes are comparable even if a node or a
training fold lacks a class. Class weights are multiplied into the weights of the individuals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isfinite
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import TOLERANCE, Floats, Ints
from structtree.data.json_parts import JsonPart
from structtree.errors import DataError, UnknownNameError, UsageError, did_you_mean, require
from structtree.reprs import inert, names_text
from structtree.tasks.criteria import Criterion, criterion
from structtree.tasks.decision import MAJORITY, Decision
from structtree.tasks.estimates import TreeFigures, class_counts, cost_matrix, decisions, probabilities
from structtree.tasks.evidence import class_bits, class_p_value
from structtree.tasks.inference import labels_for
from structtree.tasks.metrics import CLASS_METRICS, class_name
from structtree.tasks.statistics import ClassCounts, Statistics, Stats, one_hot
from structtree.tasks.task import NodeFigures, RuleFigures, Task

__all__ = ["ClassWeight", "Classification", "class_factors", "label_text", "prior_factors"]

ClassWeight = Mapping[Any, float] | Literal["balanced"]
"""Weight of each class, or ``"balanced"`` for equal total weights."""

_GOALS = {"accuracy": "acc*", "ranking": "entropy", "reading": "entropy"}
_RISKS = ("error", "gini", "entropy", "mse")


class Classification(Task):
    """Task of predicting a class.

    Examples
    --------
    >>> Classification(("no", "yes")).summary(np.array([0, 1, 1]), np.array([1.0, 1.0, 2.0]))
    <ClassCounts: n=3, counts 1, 3>
    """

    name = noun = "classes"
    title = "Decision"
    target_words = "has classes"
    usual_criterion = "acc*"
    metrics = CLASS_METRICS
    individuals_per_leaf = 1000
    predicts_classes = True

    @property
    def description(self) -> str:
        """The names of the classes."""
        return f"classes {names_text(self.classes)}"

    # ---- labels -----------------------------------------------------------------------------------------

    def with_classes(self, labels: NDArray[Any], classes: Sequence[Any] | None, chosen: Criterion) -> Classification:
        """Return the task with the given classes, or those of the labels."""
        found = _classes(labels_for("classes", labels).tolist()) if classes is None else map(_plain, classes)
        return Classification(tuple(found))

    def values(self, labels: NDArray[Any], chosen: Criterion) -> NDArray[np.int64]:
        """Return the class code of each label."""
        return _codes(labels.tolist(), self.classes)

    def weighted(self, values: NDArray[Any], weights: Floats, class_weight: Any, priors: Any) -> Floats:
        """Return the sample weights multiplied by the class weights."""
        wanted = "a mapping from class to weight, 'balanced' or None"
        require(class_weight, Mapping | str | None, "class_weight", wanted)
        require(priors, Mapping | None, "priors", "a mapping from class to share, or None")
        n, is_balanced = len(self.classes), class_weight == "balanced"
        factors = _balanced_factors(values, n) if is_balanced else class_factors(class_weight, self.classes)
        if priors is not None:
            factors *= prior_factors(priors, self.classes, np.bincount(values, weights, n).astype(np.float64))
        with np.errstate(over="ignore"):  # refused by the target
            return np.asarray(weights * factors[values])

    def strata(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the class of each individual."""
        return values

    def criterion_for(self, goal: str | None = None) -> Criterion:
        """Return the default criterion of a goal."""
        return criterion(self.usual_criterion if goal is None else _GOALS[goal])

    # ---- statistics -------------------------------------------------------------------------------------

    def columns(self, values: NDArray[Any]) -> Floats:
        """Return the one-hot encoding of class codes."""
        return one_hot(values, np.ones(len(values)), len(self.classes))

    def statistics(self, values: NDArray[Any], weights: Floats) -> Statistics:
        """Return the statistics: class codes and weights."""
        return Statistics(values.astype(np.int32, copy=False), weights, len(self.classes), np.zeros(0))

    def compacted(self, values: NDArray[Any]) -> tuple[Classification, NDArray[Any]]:
        """Return the task without empty classes, and the class codes renumbered accordingly."""
        present = np.flatnonzero(np.bincount(values, minlength=len(self.classes)))
        code_of = np.zeros(len(self.classes), dtype=np.int32)
        code_of[present] = np.arange(len(present))
        return Classification(tuple(self.classes[code] for code in present)), code_of[values]

    def matrix(self, values: NDArray[Any], weights: Floats) -> Floats:
        """Return the weight of each individual in the column of its class."""
        return one_hot(values, weights, len(self.classes))

    def summary(self, values: NDArray[Any], weights: Floats) -> ClassCounts:
        """Return the weight of each class."""
        return ClassCounts(len(values), tuple(np.bincount(values, weights, len(self.classes)).tolist()))

    def summary_of(self, n: int, figures: Sequence[float]) -> ClassCounts:
        """Return the class counts of a node."""
        return ClassCounts(n, tuple(figures))

    def weights(self, seen: Floats) -> Floats:
        """Return the total weight of all classes."""
        return np.asarray(seen.sum(axis=1))

    def distribution(self, stats: Stats) -> tuple[float, ...]:
        """Return the class counts."""
        return stats.figures

    # ---- predictions ------------------------------------------------------------------------------------

    def value(self, figures: Floats) -> Floats:
        """Return the code of the most frequent class."""
        return np.asarray(figures.argmax(axis=1).astype(np.float64))

    def answers(self, tree: TreeFigures, decision: Decision = MAJORITY) -> NDArray[np.int64]:
        """Return the code of the predicted class of each node."""
        return decisions(tree, decision)

    def spreads(self, tree: TreeFigures) -> None:
        """Return None: classes have no standard deviation."""

    def chances(self, tree: TreeFigures, decision: Decision = MAJORITY) -> Floats:
        """Return the probability of each class at each node."""
        return probabilities(tree, decision)

    def labels(self, answers: NDArray[Any]) -> NDArray[Any]:
        """Return the classes with the given codes."""
        return np.asarray(_label_array(self.classes)[answers])

    def mixed(
        self, tree: TreeFigures, decision: Decision, rows: Ints, leaves: Ints, parts: Floats, n: int
    ) -> NDArray[np.int64]:
        """Return the class with the lowest expected cost under the averaged probabilities of the leaves."""
        costs, predicted = cost_matrix(tree, decision), np.empty(n, dtype=np.int64)
        predicted[rows] = decisions(tree, decision)[leaves]
        divided = np.bincount(rows, minlength=n) > 1
        chances = np.zeros((n, len(self.classes)))
        np.add.at(chances, rows, (probabilities(tree, decision)[leaves].T * parts).T)
        expected = chances[divided] @ costs
        least = expected.min(axis=1, keepdims=True) + TOLERANCE * costs.max(initial=0.0)
        predicted[divided] = (expected <= least).argmax(axis=1)
        return predicted

    # ---- pruning and stopping ---------------------------------------------------------------------------

    def risks(self, tree: TreeFigures, risk: str | None = None, decision: Decision = MAJORITY) -> Floats:
        """Return the expected cost of the predicted class, or the impurity, of each node."""
        self.check_risk(risk)
        if risk in (None, "error"):
            return np.asarray((class_counts(tree) @ cost_matrix(tree, decision)).min(axis=1))
        return criterion(str(risk)).impurity(class_counts(tree))

    def check_risk(self, risk: str | None) -> None:
        """Reject unknown risks and the risk for regression."""
        if risk is not None and risk not in _RISKS:
            raise UnknownNameError("risk", risk, _RISKS)
        super().check_risk("mse" if risk == "mse" else None)

    def losses(self, tree: TreeFigures, values: NDArray[Any], decision: Decision) -> Callable[[Ints, Ints], Floats]:
        """Return a function that computes the costs of individuals at given nodes."""
        costs, predicted = cost_matrix(tree, decision), decisions(tree, decision)
        return lambda nodes, which: np.asarray(costs[values[which], predicted[nodes]])

    def p_value(self, *sides: NDArray[Any]) -> float:
        """Return the p-value of the χ² test.

        Examples
        --------
        >>> round(Classification().p_value(np.array([1, 1, 1, 1]), np.array([0, 0, 0, 0, 0, 1])), 4)
        0.0098
        """
        n_classes = int(max(side.max(initial=0) for side in sides)) + 1
        return class_p_value(*(np.bincount(side, minlength=n_classes) for side in sides))

    def bits(self, groups: Sequence[NDArray[Any]], precision: float) -> list[float]:
        """Return the bits that encode the class counts and the order of the labels."""
        classes = np.unique(groups[0])
        return [class_bits((group[:, None] == classes).sum(axis=0)) for group in groups]

    # ---- text -------------------------------------------------------------------------------------------

    def answer_text(self, answer: Any) -> str:
        """Return the name of a class from its code; a negative code is a class that did not occur in training."""
        return class_name(self.classes[int(answer)]) if int(answer) >= 0 else "another class"

    def leaf_text(self, node: NodeFigures) -> str:
        """Return the predicted class, such as ``active``."""
        return label_text(self.classes[int(node.answer)])

    def share_text(self, node: NodeFigures) -> str:
        """Return the count of the class, and its probability if it differs from the frequency, such as ``34/36``."""
        code, number = int(node.answer), node.number
        sure = "" if node.chances is None else f", p = {number(node.chances[code])}"
        return f"{number(node.stats.figures[code])}/{number(node.stats.weight)}{sure}"

    def whole_text(self, node: NodeFigures) -> str:
        """Return the class and its count, such as ``active 34/36``."""
        return f"{self.leaf_text(node)} {self.share_text(node)}"

    def seen_text(self, node: NodeFigures) -> str:
        """Return the class counts in descending order, such as ``active 34, inactive 2``."""
        counted = sorted(zip(node.stats.figures, self.classes, strict=True), key=lambda pair: -pair[0])
        return ", ".join(f"{_before_number(label)} {node.number(n)}" for n, label in counted if n) or "nobody"

    def short_text(self, node: NodeFigures) -> str:
        """Return the class counts, or only the number of individuals if there are more than three classes."""
        return self.seen_text(node) if len(self.classes) <= 3 else f"n = {node.stats.n:,}"

    def constant_text(self, answer: Any) -> str:
        """Return the name of the class."""
        return str(self.classes[int(answer)])

    # ---- rules and scores -------------------------------------------------------------------------------

    def rule_figures(self, counted: Sequence[Stats], answer: Any) -> RuleFigures:
        """Return the fraction of the weight with the predicted class."""
        weight = float(sum(stats.weight for stats in counted))
        return RuleFigures(sum(float(stats.figures[answer]) for stats in counted) / weight if weight else None)

    def baseline(self, seen: NDArray[Any], n: int) -> tuple[NDArray[np.int64], Floats]:
        """Return the most frequent class, and the frequency of each."""
        shares = np.bincount(seen, minlength=len(self.classes)) / len(seen)
        return np.full(n, shares.argmax()), np.tile(shares, (n, 1))

    # ---- JSON -------------------------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """Return the classes as JSON values."""
        return {"classes": [_json_label(label) for label in self.classes]}

    def from_json(self, document: JsonPart) -> Classification:
        """Return the task with the classes of a model file."""
        part = document.member("classes")
        classes = tuple(element.label() for element in part.elements())
        if not classes:
            part.fail("expected classes for the task 'classes', got none")
        if len({(type(label), label) for label in classes}) < len(classes):
            part.fail("expected distinct classes")
        return Classification(classes)

    def summary_to_json(self, stats: Stats) -> dict[str, Any]:
        """Return the class counts of a node as JSON values."""
        return {"n": stats.n, "counts": [float(count) for count in stats.figures]}

    def summary_from_json(self, part: JsonPart) -> ClassCounts:
        """Restore the class counts of a node from JSON values."""
        n, counts, n_classes = part.member("n").whole(), part.member("counts"), len(self.classes)
        if len(counts.elements()) != n_classes:
            counts.fail(f"expected {n_classes} numbers, one for each class, got {len(counts.elements())}")
        weights = tuple(count.weight() for count in counts.elements())
        return (
            ClassCounts(n, weights) if isfinite(sum(weights)) else counts.fail("expected numbers with a finite sum")
        )

    def chart_json(self, stats: Stats) -> dict[str, Any]:
        """Return the class counts for a chart."""
        return {"counts": list(stats.figures)}


def label_text(label: object) -> str:
    """Return the name of a class; one that looks like a number is prefixed with ``class``.

    Examples
    --------
    >>> label_text("active"), label_text(1)
    ('active', 'class 1')
    """
    text = inert(class_name(label))
    return text if text[:1].isalpha() else f"class {text}"


def _before_number(label: object) -> str:
    """Return a class as written before a count; a class that looks like a number gets a colon: ``class 1: 12``."""
    return f"{label_text(label)}:" if label_text(label) != inert(class_name(label)) else label_text(label)


def _label_array(classes: tuple[Any, ...]) -> NDArray[Any]:
    """Return the classes as an array that keeps their types; numpy would convert mixed types to one."""
    if len({type(label) for label in classes}) == 1:
        return np.array(classes)
    labels = np.empty(len(classes), dtype=object)
    labels[:] = classes
    return labels


def _json_label(label: Any) -> str | int | float | bool:
    plain = _plain(label)
    if isinstance(plain, str | bool | int) or (isinstance(plain, float) and isfinite(plain)):
        return plain
    raise UsageError(f"a class must be a string, a number or a boolean to be saved; got {label!r}")


def _classes(labels: list[Any]) -> tuple[Any, ...]:
    """Return all classes, sorted by type first because labels of different types may not be comparable."""
    found = dict.fromkeys(labels)
    missing = next((label for label in found if label is None or label != label), ...)
    if missing is not ...:
        raise DataError("the target has no value", individual=next(i for i, x in enumerate(labels) if x is missing))
    return tuple(sorted(found, key=lambda label: (type(label).__name__, label)))


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


def _codes(labels: list[Any], classes: tuple[Any, ...]) -> NDArray[np.int64]:
    code_of = {label: code for code, label in enumerate(classes)}
    unknown = next((i for i, label in enumerate(labels) if label not in code_of), None)
    if unknown is not None:
        known = did_you_mean(str(labels[unknown]), map(str, classes))
        raise DataError(f"{labels[unknown]!r} is not one of the classes{known}", individual=unknown)
    return np.fromiter(map(code_of.__getitem__, labels), dtype=np.int64, count=len(labels))


def _balanced_factors(codes: NDArray[np.int64], n_classes: int) -> Floats:
    """Return factors that give all classes with individuals the same total weight."""
    counts = np.bincount(codes, minlength=n_classes)
    return np.where(counts > 0, len(codes) / (np.count_nonzero(counts) * np.maximum(counts, 1)), 1.0)


def class_factors(class_weight: Mapping[Any, float] | str | None, classes: tuple[Any, ...]) -> Floats:
    """Return the weight factor of each class; 1 by default.

    As in scikit-learn, a fold may lack a class that has a weight: other names are rejected only if some class has no
    weight.

    Examples
    --------
    >>> class_factors({"yes": 2}, ("no", "yes")).tolist()
    [1.0, 2.0]
    >>> class_factors({"yes": 2, "no": 3, "perhaps": 4}, ("no", "yes")).tolist()
    [3.0, 2.0]
    """
    class_weight = class_weight or {}
    if isinstance(class_weight, str):
        raise UsageError(f"class_weight must be a dict from class to number, or 'balanced'; got {class_weight!r}")
    if not class_weight.keys() >= set(classes):
        _require_classes("class_weight names", class_weight, classes)
    for label, weight in class_weight.items():
        if not 0 <= weight < np.inf:
            raise UsageError(f"a class weight must be a number >= 0; got {weight} for {label!r}")
    return np.array([float(class_weight.get(label, 1.0)) for label in classes])


def _require_classes(start: str, labels: Iterable[Any], classes: tuple[Any, ...]) -> None:
    for label in labels:
        if label not in classes:
            known = did_you_mean(str(label), map(str, classes))
            raise UsageError(f"{start} {label!r}, which is not a class{known}")


def prior_factors(priors: Mapping[Any, float], classes: tuple[Any, ...], weights: Floats) -> Floats:
    """Return the factors that make the class weights match the priors and keep the total weight.

    Examples
    --------
    >>> prior_factors({"ill": 1, "well": 3}, ("ill", "well"), np.array([2.0, 2.0])).tolist()
    [0.5, 1.5]
    """
    _require_classes("priors name", priors, classes)
    shares = np.array([float(priors.get(label, np.nan)) for label in classes])
    if not (shares >= 0).all() or not 0 < shares.sum() < np.inf:
        raise UsageError(
            f"priors must be numbers >= 0, not all 0, one for each of the classes {list(classes)}; got {dict(priors)}"
        )
    nobody = np.flatnonzero((shares > 0) & (weights <= 0))
    if len(nobody):
        raise UsageError(f"class {classes[nobody[0]]!r} cannot have a prior: no training individual has this class")
    return np.asarray(shares / shares.sum() * weights.sum() / np.where(weights > 0, weights, 1.0))
