"""The performance of a model in detail: scores, costs of errors, and the curves of each class.

`structtree.evaluation.score` has the scores alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from structtree.arrays import Floats
from structtree.errors import UsageError, did_you_mean
from structtree.evaluation.curves import (
    CalibrationCurve,
    CoverageCurve,
    LiftCurve,
    PrecisionRecallCurve,
    RocCurve,
    Threshold,
    calibration_curve,
    cheapest_threshold,
    coverage_curve,
    lift_curve,
    precision_recall_curve,
    roc_curve,
)
from structtree.evaluation.score import Predicted, Scores, answers_of, constant_answers, score_answers
from structtree.models.model import Model
from structtree.models.settings import Decision
from structtree.models.tree_predictor import TreePredictor
from structtree.reprs import short_repr
from structtree.tasks.metrics import class_name

__all__ = ["ClassCurves", "ErrorCosts", "Performance", "performance", "performance_of"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ClassCurves:
    """Curves of a class against all others, ranked by its probability.

    Parameters
    ----------
    label : str
    coverage : CoverageCurve
    roc : RocCurve
    precision_recall : PrecisionRecallCurve
    lift : LiftCurve
    calibration : CalibrationCurve
    cheapest : Threshold
        The threshold with the lowest costs, or with the fewest errors without costs.
    """

    label: str
    coverage: CoverageCurve
    roc: RocCurve
    precision_recall: PrecisionRecallCurve
    lift: LiftCurve
    calibration: CalibrationCurve
    cheapest: Threshold

    def __repr__(self) -> str:
        return short_repr(self, self.label, f"AUC {self.roc.auc:.3f}", f"on the hull {self.roc.hull_auc:.3f}")

    def to_dict(self) -> dict[str, Any]:
        """Return the curves as plain JSON values."""
        curves = (self.coverage, self.roc, self.precision_recall, self.lift, self.calibration, self.cheapest)
        names = ("coverage", "roc", "precision_recall", "lift", "calibration", "cheapest")
        return {"class": self.label} | {name: _plain(curve) for name, curve in zip(names, curves, strict=True)}


class ErrorCosts(NamedTuple):
    """Costs of the errors of a model.

    Parameters
    ----------
    costs : array
        The cost of predicting each class (column) for each true class (row).
    total : float
        Total cost of the predictions.
    constant : float
        Total cost of the cheapest constant prediction.
    """

    costs: Floats
    total: float
    constant: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Performance:
    """Performance of a model on individuals with known labels.

    Parameters
    ----------
    answers : Predicted
    scores : Scores
    errors : ErrorCosts or None
        None without costs.
    curves : tuple of ClassCurves
        Empty for numbers, and without probabilities.
    calibration : CalibrationCurve or None
        For numbers.
    """

    answers: Predicted = field(repr=False)
    scores: Scores
    errors: ErrorCosts | None
    curves: tuple[ClassCurves, ...]
    calibration: CalibrationCurve | None

    def __repr__(self) -> str:
        return short_repr(self, str(self.scores), *(f"AUC of {one.label} {one.roc.auc:.3f}" for one in self.curves))

    def to_dict(self) -> dict[str, Any]:
        """Return the performance as plain JSON values, with None in place of NaN and infinity."""
        found = self.scores.to_dict()
        if self.errors is not None:
            found["costs"] = _plain(self.errors)
        if self.calibration is not None:
            found["calibration"] = _plain(self.calibration)
        return found | ({"curves": [each.to_dict() for each in self.curves]} if self.curves else {})


def performance(
    model: Any,
    individuals: Any,
    target: ArrayLike,
    *,
    metrics: Sequence[str] | None = None,
    label: Any = None,
    costs: Sequence[Sequence[float]] | None = None,
) -> Performance:
    """Return scores, costs and curves of a model on individuals with known labels.

    Parameters
    ----------
    model, individuals, target, metrics
        As in `structtree.evaluate`.
    label : optional
        The class of the curves; by default the second of two classes, or each of more.
    costs : matrix, optional
        The cost of predicting class j for true class i, in the order of the classes of the model; by default those
        that the model was learned with, if any.

    Examples
    --------
    >>> from structtree import StructuralTreeClassifier, load_dataset
    >>> trains = load_dataset("trains")
    >>> tree = StructuralTreeClassifier("trains", max_depth=1).fit(trains.population, trains.target)
    >>> found = performance(tree, trains.population, trains.target, costs=[[0, 1], [5, 0]])
    >>> found
    <Performance: accuracy 0.900 (18 of 20), AUC of west 0.900>
    >>> found.errors.total, found.errors.constant
    (2.0, 10.0)
    >>> (west,) = found.curves
    >>> west.coverage.negatives.tolist(), west.coverage.positives.tolist()
    ([0, 2, 10], [0, 10, 10])
    """
    own = getattr(model, "model_", model)
    if costs is None and isinstance(own, Model) and isinstance(own.predictor, TreePredictor):
        costs = own.decision.costs
    return performance_of(answers_of(model, individuals, target), metrics=metrics, label=label, costs=costs)


def performance_of(
    answers: Predicted,
    *,
    metrics: Sequence[str] | None = None,
    label: Any = None,
    costs: Sequence[Sequence[float]] | None = None,
) -> Performance:
    """Return scores, costs and curves of predictions; see `performance`."""
    scores = score_answers(answers, constant_answers(answers), metrics)
    if not answers.classes:
        if label is not None or costs is not None:
            raise UsageError(f"{'label' if costs is None else 'costs'} is for classes, but the target is a number")
        return Performance(answers, scores, None, (), calibration_curve(answers.actual, answers.predicted))
    matrix = None if costs is None else _cost_matrix(costs, answers)
    errors = None if matrix is None else _error_costs(matrix, answers)
    places = _classes_shown(answers, label)
    curves = [] if answers.probabilities is None else [_curves(answers, place, matrix) for place in places]
    return Performance(answers, scores, errors, tuple(curves), None)


def _classes_shown(answers: Predicted, label: Any) -> list[int]:
    if label is not None:
        name = class_name(label)
        if name not in answers.classes:
            raise UsageError(f"unknown class {name!r}{did_you_mean(name, answers.classes)}")
        return [answers.classes.index(name)]
    return [1] if len(answers.classes) == 2 else list(range(len(answers.classes)))


def _cost_matrix(costs: Sequence[Sequence[float]], answers: Predicted) -> Floats:
    """Return the costs of all classes; an error about a class that the model does not know costs 1."""
    given, n = np.array(Decision(costs=costs).costs, dtype=np.float64), len(answers.classes)
    if len(given) > n or (answers.probabilities is None and len(given) < n):
        raise UsageError(f"costs must have one row and one column for each class; got {len(given)} rows")
    found = 1.0 - np.eye(n)
    found[: len(given), : len(given)] = given
    return found


def _error_costs(costs: Floats, answers: Predicted) -> ErrorCosts:
    constant = costs[answers.actual].sum(axis=0).min()
    return ErrorCosts(costs, float(costs[answers.actual, answers.predicted].sum()), float(constant))


def _curves(answers: Predicted, place: int, costs: Floats | None) -> ClassCurves:
    assert answers.probabilities is not None
    positive, scores = answers.actual == place, answers.probabilities[:, place]
    curve = coverage_curve(positive, scores)
    # With more than two classes, a mistake has no single cost, so that errors are counted.
    pair = () if costs is None or len(costs) != 2 else (costs[place, 1 - place], costs[1 - place, place])
    return ClassCurves(
        answers.classes[place],
        curve,
        roc_curve(positive, scores),
        precision_recall_curve(positive, scores),
        lift_curve(positive, scores),
        calibration_curve(positive, scores),
        cheapest_threshold(curve, *map(float, pair)),
    )


def _plain(curve: Any) -> dict[str, Any]:
    """Return a named tuple as plain JSON values."""
    return {name: _json(value) for name, value in curve._asdict().items()}


def _json(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return [_json(each) for each in value.tolist()]
    if isinstance(value, list):
        return [_json(each) for each in value]
    return None if isinstance(value, float) and not isfinite(value) else value
