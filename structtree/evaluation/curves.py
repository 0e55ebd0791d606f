"""Curves of a ranking: coverage, ROC, precision and recall, lift, and calibration.

Individuals are ranked by a score, the highest first. A curve has one point after each distinct score, so that equal
scores are never divided. All curves but that of calibration follow from the numbers of positives and negatives at
these points, as in chapters 2 and 6 of P. Flach, "Machine Learning" (2012). Results are plain arrays.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from structtree.arrays import Floats, Ints, Mask
from structtree.errors import DataError, UsageError
from structtree.models.leaves import upper_hull
from structtree.tasks.measures import Measure

__all__ = [
    "CalibrationCurve",
    "CoverageCurve",
    "LiftCurve",
    "PrecisionRecallCurve",
    "RocCurve",
    "Threshold",
    "calibration_curve",
    "cheapest_threshold",
    "coverage_curve",
    "isometric_grid",
    "lift_curve",
    "precision_recall_curve",
    "roc_curve",
]

USUAL_BINS = 10


class CoverageCurve(NamedTuple):
    """Numbers of negatives and positives with at least a score; see `coverage_curve`.

    Parameters
    ----------
    negatives, positives : array of int
        The first point is (0, 0).
    thresholds : array
        The score of the last individuals of each point; infinite at the first.
    hull : array of int
        The points on the upper convex hull, which a mixture of thresholds can attain.
    ranking_errors : float
        Number of pairs in which the negative has the higher score; ties count half.
    """

    negatives: Ints
    positives: Ints
    thresholds: Floats
    hull: Ints
    ranking_errors: float


class RocCurve(NamedTuple):
    """A coverage curve in shares of each class, and its area; see `roc_curve`.

    Parameters
    ----------
    false_positive_rate, true_positive_rate : array
        The first point is (0, 0).
    thresholds, hull : array
        As in `CoverageCurve`.
    auc, hull_auc : float
        Area under the curve, and under its convex hull; NaN if a class is empty.
    """

    false_positive_rate: Floats
    true_positive_rate: Floats
    thresholds: Floats
    hull: Ints
    auc: float
    hull_auc: float


class PrecisionRecallCurve(NamedTuple):
    """Precision and recall of the individuals with at least a score; see `precision_recall_curve`.

    Parameters
    ----------
    recall, precision, thresholds : array
    average_precision : float
        Mean of the precision, weighted by the gain of recall; NaN without positives.
    """

    recall: Floats
    precision: Floats
    thresholds: Floats
    average_precision: float


class LiftCurve(NamedTuple):
    """Share of the positives among the individuals with at least a score; see `lift_curve`.

    Parameters
    ----------
    selected : array
        Share of all individuals with at least the score.
    gain : array
        Share of all positives among them.
    lift : array
        Gain divided by ``selected``: how many times more positives there are than among as many random individuals.
    thresholds : array
    """

    selected: Floats
    gain: Floats
    lift: Floats
    thresholds: Floats


class CalibrationCurve(NamedTuple):
    """Predictions and what came true, in bins; see `calibration_curve`.

    Parameters
    ----------
    predicted, observed : array
        Mean of the predictions and of the labels in each bin.
    n : array of int
        Number of individuals in each bin.
    error : float
        Mean difference of both without sign, weighted by ``n``.
    """

    predicted: Floats
    observed: Floats
    n: Ints
    error: float


class Threshold(NamedTuple):
    """A threshold and its costs; see `cheapest_threshold`.

    Parameters
    ----------
    value : float
        Individuals with at least this score are predicted to be positive.
    false_positives, true_positives : int
    cost : float
        Total cost of the errors.
    """

    value: float
    false_positives: int
    true_positives: int
    cost: float


def coverage_curve(actual: ArrayLike, scores: ArrayLike) -> CoverageCurve:
    """Return the numbers of negatives and positives with at least each score.

    Parameters
    ----------
    actual : array of bool
        Whether each individual is positive.
    scores : array
        For example, probabilities of the class.

    Examples
    --------
    >>> found = coverage_curve([True, True, False, True, False], [0.9, 0.8, 0.8, 0.4, 0.1])
    >>> found.negatives.tolist(), found.positives.tolist(), found.hull.tolist(), found.ranking_errors
    ([0, 0, 1, 1, 2], [0, 1, 2, 3, 3], [0, 1, 3, 4], 1.5)
    """
    positive, ranked = _checked(actual, scores)
    distinct, places = np.unique(-ranked, return_inverse=True)
    yes = np.bincount(places[positive], minlength=len(distinct))
    no = np.bincount(places[~positive], minlength=len(distinct))
    positives, negatives = np.concatenate([[0], np.cumsum(yes)]), np.concatenate([[0], np.cumsum(no)])
    above = negatives[:-1]
    return CoverageCurve(
        negatives,
        positives,
        np.concatenate([[np.inf], -distinct]),
        np.array(upper_hull(list(zip(negatives.tolist(), positives.tolist(), strict=True))), dtype=np.int64),
        float(yes @ (2 * above + no)) / 2,
    )


def roc_curve(actual: ArrayLike, scores: ArrayLike) -> RocCurve:
    """Return the share of the negatives and of the positives with at least each score, and the area below.

    Parameters
    ----------
    actual, scores : arrays
        As in `coverage_curve`.

    Examples
    --------
    >>> found = roc_curve([True, True, False, True, False], [0.9, 0.8, 0.8, 0.4, 0.1])
    >>> found.auc, round(found.hull_auc, 3)
    (0.75, 0.833)
    """
    curve = coverage_curve(actual, scores)
    x, y = _shares(curve.negatives), _shares(curve.positives)
    return RocCurve(x, y, curve.thresholds, curve.hull, _area(x, y), _area(x[curve.hull], y[curve.hull]))


def precision_recall_curve(actual: ArrayLike, scores: ArrayLike) -> PrecisionRecallCurve:
    """Return the precision and the recall of the individuals with at least each score.

    Parameters
    ----------
    actual, scores : arrays
        As in `coverage_curve`.

    Examples
    --------
    >>> found = precision_recall_curve([True, False, True], [0.9, 0.8, 0.8])
    >>> found.recall.tolist(), found.precision.round(2).tolist(), round(found.average_precision, 2)
    ([0.5, 1.0], [1.0, 0.67], 0.83)
    """
    curve = coverage_curve(actual, scores)
    recall = _shares(curve.positives)
    precision = curve.positives[1:] / (curve.positives + curve.negatives)[1:]
    return PrecisionRecallCurve(
        recall[1:], precision, curve.thresholds[1:], float((np.diff(recall) * precision).sum())
    )


def lift_curve(actual: ArrayLike, scores: ArrayLike) -> LiftCurve:
    """Return how many times more positives there are among the individuals with at least each score.

    Parameters
    ----------
    actual, scores : arrays
        As in `coverage_curve`.

    Examples
    --------
    >>> found = lift_curve([True, False, True, False], [0.9, 0.1, 0.8, 0.8])
    >>> found.selected.tolist(), found.gain.tolist(), found.lift.round(2).tolist()
    ([0.25, 0.75, 1.0], [0.5, 1.0, 1.0], [2.0, 1.33, 1.0])
    """
    curve = coverage_curve(actual, scores)
    selected, gain = _shares(curve.positives + curve.negatives)[1:], _shares(curve.positives)[1:]
    return LiftCurve(selected, gain, gain / selected, curve.thresholds[1:])


def calibration_curve(actual: ArrayLike, predicted: ArrayLike, bins: int = USUAL_BINS) -> CalibrationCurve:
    """Return the mean prediction and the mean label in bins of about equally many individuals.

    Equal predictions are never divided, so that there may be fewer bins.

    Parameters
    ----------
    actual : array
        Whether each individual is positive, or a number for each individual.
    predicted : array
        Probabilities, or numbers.
    bins : int

    Examples
    --------
    >>> found = calibration_curve([True, False, True, False], [0.9, 0.2, 0.9, 0.6], bins=2)
    >>> found.predicted.tolist(), found.observed.tolist(), found.n.tolist(), round(found.error, 2)
    ([0.4, 0.9], [0.0, 1.0], [2, 2], 0.25)
    """
    if bins < 1:
        raise UsageError(f"bins must be at least 1; got {bins}")
    labels, values = np.asarray(actual, dtype=np.float64), np.asarray(predicted, dtype=np.float64)
    _check_lengths(labels, values)
    edges = np.quantile(values, np.linspace(0, 1, bins + 1))
    places = np.searchsorted(edges[1:-1], values)
    n = np.bincount(places, minlength=bins)
    used = n > 0
    means = [np.bincount(places, weights=each, minlength=bins)[used] / n[used] for each in (values, labels)]
    error = float(np.abs(means[0] - means[1]) @ n[used] / len(values))
    return CalibrationCurve(means[0], means[1], n[used], error)


def cheapest_threshold(curve: CoverageCurve, miss: float = 1.0, false_alarm: float = 1.0) -> Threshold:
    """Return the threshold with the lowest total cost of errors; of several, the one with fewest positives.

    Parameters
    ----------
    curve : CoverageCurve
    miss, false_alarm : float
        Cost of each positive below the threshold, and of each negative that is not.

    Examples
    --------
    >>> curve = coverage_curve([True, True, False, True, False], [0.9, 0.8, 0.8, 0.4, 0.1])
    >>> cheapest_threshold(curve)
    Threshold(value=0.4, false_positives=1, true_positives=3, cost=1.0)
    >>> cheapest_threshold(curve, false_alarm=5)
    Threshold(value=0.9, false_positives=0, true_positives=1, cost=2.0)
    """
    if min(miss, false_alarm) < 0:
        raise UsageError(f"costs must be numbers >= 0; got {min(miss, false_alarm)}")
    costs = miss * (curve.positives[-1] - curve.positives) + false_alarm * curve.negatives
    best = int(np.argmin(costs))
    return Threshold(
        float(curve.thresholds[best]), int(curve.negatives[best]), int(curve.positives[best]), float(costs[best])
    )


def isometric_grid(measure: Measure, negatives: int, positives: int, steps: int = 120) -> tuple[Floats, ...]:
    """Return the quality of every point of a coverage plot; lines of equal quality are its isometrics.

    Parameters
    ----------
    measure : Measure
    negatives, positives : int
        Number of all individuals of each kind.
    steps : int
        Number of steps in each direction.

    Returns
    -------
    tuple of arrays
        The numbers of negatives and of positives at each point, and the quality there; each has the shape
        (steps, steps).

    Examples
    --------
    >>> from structtree.tasks.measures import Precision
    >>> *_, quality = isometric_grid(Precision(), 10, 10, steps=3)
    >>> quality.round(2).tolist()
    [[0.0, 0.0, 0.0], [1.0, 0.5, 0.33], [1.0, 0.67, 0.5]]
    """
    total = np.array([negatives, positives], dtype=np.float64)
    x, y = np.meshgrid(*(np.linspace(0.0, most, steps) for most in total))
    quality = measure.quality(np.stack([x.ravel(), y.ravel()], axis=1), total)
    return x, y, quality.reshape(x.shape)


def _checked(actual: ArrayLike, scores: ArrayLike) -> tuple[Mask, Floats]:
    positive, ranked = np.asarray(actual), np.asarray(scores, dtype=np.float64)
    if positive.dtype != np.bool_ and not np.isin(positive, (0, 1)).all():
        raise UsageError("actual must be true for positives and false for negatives, as in actual == 'yes'")
    _check_lengths(positive, ranked)
    return positive.astype(np.bool_), ranked


def _check_lengths(actual: NDArray[Any], scores: Floats) -> None:
    if actual.shape != scores.shape or actual.ndim != 1:
        raise DataError(f"expected one score for each label; got arrays of shape {scores.shape} and {actual.shape}")
    if not len(actual):
        raise DataError("there are no individuals to score")
    if np.isnan(scores).any():
        raise DataError("scores must not be NaN")


def _area(x: Floats, y: Floats) -> float:
    return float(np.diff(x) @ (y[1:] + y[:-1])) / 2


def _shares(counts: Ints) -> Floats:
    """Return counts as shares of the last one; NaN if it is zero."""
    if not counts[-1]:
        return np.full(len(counts), np.nan)
    return np.asarray(counts / counts[-1])
