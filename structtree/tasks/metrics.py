"""Metrics of scikit-learn, computed from predictions and true values.

Those that are shown by default are computed here, because importing scikit-learn takes longer than many fits. Tests
compare them with scikit-learn's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import nan
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import Floats

__all__ = ["CLASS_METRICS", "NUMBER_METRICS", "Metric", "ScoredAnswers", "class_name", "metrics_by_name"]


class ScoredAnswers(Protocol):
    """Predictions with the true labels; see `structtree.evaluation.score.Predicted`."""

    @property
    def actual(self) -> NDArray[Any]:
        """True values: numbers, or class codes."""

    @property
    def predicted(self) -> NDArray[Any]:
        """Predicted values: numbers, or class codes."""

    @property
    def probabilities(self) -> Floats | None:
        """Class probabilities, as (individuals, classes), if known."""

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the classes; empty for regression."""


def class_name(label: Any) -> str:
    """Return the name of a class; 1 and 1.0 have the same name.

    Examples
    --------
    >>> class_name("east"), class_name(1), class_name(1.0), class_name(True)
    ('east', '1', '1', 'true')
    """
    if isinstance(label, bool):
        return str(label).lower()
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


class Metric(NamedTuple):
    """Metric of predictions.

    Parameters
    ----------
    name : str
        Name in scikit-learn.
    label : str
        Name for display.
    task : str
        Name of the task.
    compute : function
        Computes it from `sklearn.metrics`, which is imported when it is first used, and the predictions.
    is_usual : bool
        Whether it is shown by default.
    form : str
        Format of its values: three decimals; errors in the unit of the target have four digits.
    """

    name: str
    label: str
    task: str
    compute: Callable[[Any, ScoredAnswers], float]
    is_usual: bool = False
    form: str = ".3f"


def _accuracy(metrics: Any, answers: ScoredAnswers) -> float:
    return float(np.mean(answers.actual == answers.predicted))


def _balanced_accuracy(metrics: Any, answers: ScoredAnswers) -> float:
    """Return the mean recall of the classes that occur."""
    n = np.bincount(answers.actual)
    right = np.bincount(answers.actual[answers.actual == answers.predicted], minlength=len(n))
    return float(np.mean(right[n > 0] / n[n > 0]))


def _f1(metrics: Any, answers: ScoredAnswers) -> float:
    """Return the F1 score: of the second class if there are two, otherwise the mean over all classes."""
    average = "binary" if len(answers.classes) == 2 else "macro"
    return float(metrics.f1_score(answers.actual, answers.predicted, average=average, zero_division=0))


def _one_vs_rest(metric: Callable[[NDArray[np.bool_], Floats], float], answers: ScoredAnswers) -> float:
    """Return a metric for the second class if there are two, otherwise its mean over the classes that occur."""
    if answers.probabilities is None:
        return nan
    truth = answers.actual[:, None] == np.arange(len(answers.classes))
    shown = truth.any(axis=0) & ~truth.all(axis=0)
    if len(answers.classes) == 2:
        shown[0] = False
    found = [metric(truth[:, k], answers.probabilities[:, k]) for k in np.flatnonzero(shown)]
    return float(np.mean(found)) if found else nan


def _roc_auc(truth: NDArray[np.bool_], scores: Floats) -> float:
    """Return the fraction of pairs in which the positive one has the higher score; ties count half."""
    distinct, ranks = np.unique(scores, return_inverse=True)
    yes = np.bincount(ranks[truth], minlength=len(distinct))
    no = np.bincount(ranks[~truth], minlength=len(distinct))
    below = np.cumsum(no) - no
    return float(yes @ (2 * below + no) / (2 * yes.sum() * no.sum()))


def _average_precision(metrics: Any, answers: ScoredAnswers) -> float:
    return _one_vs_rest(lambda truth, scores: metrics.average_precision_score(truth.astype(int), scores), answers)


def _log_loss(metrics: Any, answers: ScoredAnswers) -> float:
    if len(answers.classes) < 2 or answers.probabilities is None:
        return nan
    least = np.finfo(np.float64).eps
    given = answers.probabilities[np.arange(len(answers.actual)), answers.actual]
    return float(-np.mean(np.log(np.clip(given, least, 1 - least))))


def _r2(metrics: Any, answers: ScoredAnswers) -> float:
    """Return the coefficient of determination; if all numbers are equal, 1 for a perfect prediction, otherwise 0."""
    if len(answers.actual) < 2:
        return nan
    errors = float(np.sum((answers.actual - answers.predicted) ** 2))
    whole = float(np.sum((answers.actual - np.mean(answers.actual)) ** 2))
    return 1.0 - errors / whole if whole else float(not errors)


def _rmse(metrics: Any, answers: ScoredAnswers) -> float:
    return float(np.sqrt(np.mean((answers.actual - answers.predicted) ** 2)))


def _mae(metrics: Any, answers: ScoredAnswers) -> float:
    return float(np.mean(np.abs(answers.actual - answers.predicted)))


def _of_labels(function: str) -> Callable[[Any, ScoredAnswers], float]:
    return lambda metrics, answers: float(getattr(metrics, function)(answers.actual, answers.predicted))


def metrics_by_name(*metrics: Metric) -> Mapping[str, Metric]:
    """Return a mapping from name to metric; the first metric is the main one."""
    return {metric.name: metric for metric in metrics}


CLASS_METRICS = metrics_by_name(
    Metric("accuracy", "accuracy", "classes", _accuracy, True),
    Metric("balanced_accuracy", "balanced accuracy", "classes", _balanced_accuracy, True),
    Metric("roc_auc", "ROC AUC", "classes", lambda metrics, answers: _one_vs_rest(_roc_auc, answers), True),
    Metric("log_loss", "log loss", "classes", _log_loss, True),
    Metric("average_precision", "average precision", "classes", _average_precision),
    Metric("f1", "F1", "classes", _f1),
    Metric("mcc", "Matthews correlation", "classes", _of_labels("matthews_corrcoef")),
)

NUMBER_METRICS = metrics_by_name(
    Metric("r2", "R²", "numbers", _r2, True),
    Metric("rmse", "RMSE", "numbers", _rmse, True, ".4g"),
    Metric("mae", "MAE", "numbers", _mae, True, ".4g"),
    Metric("median_ae", "median absolute error", "numbers", _of_labels("median_absolute_error"), form=".4g"),
)
