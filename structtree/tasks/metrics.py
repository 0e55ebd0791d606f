"""Metrics of scikit-learn, computed from predictions and true values."""

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
        Computes it from `sklearn.metrics` and the predictions.
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


def _f1(metrics: Any, answers: ScoredAnswers) -> float:
    """Return the F1 score: of the second class if there are two, otherwise the mean over all classes."""
    average = "binary" if len(answers.classes) == 2 else "macro"
    return float(metrics.f1_score(answers.actual, answers.predicted, average=average, zero_division=0))


def _one_vs_rest(metric: Callable[..., float], answers: ScoredAnswers) -> float:
    """Return a metric for the second class if there are two, otherwise its mean over the classes that occur."""
    truth = answers.actual[:, None] == np.arange(len(answers.classes))
    shown = truth.any(axis=0) & ~truth.all(axis=0)
    if len(answers.classes) == 2:
        shown[0] = False
    if not shown.any() or answers.probabilities is None:
        return nan
    return float(metric(truth[:, shown].astype(int), answers.probabilities[:, shown], average="macro"))


def _log_loss(metrics: Any, answers: ScoredAnswers) -> float:
    if len(answers.classes) < 2 or answers.probabilities is None:
        return nan
    return float(metrics.log_loss(answers.actual, answers.probabilities, labels=range(len(answers.classes))))


def _of_labels(function: str) -> Callable[[Any, ScoredAnswers], float]:
    return lambda metrics, answers: float(getattr(metrics, function)(answers.actual, answers.predicted))


def metrics_by_name(*metrics: Metric) -> Mapping[str, Metric]:
    """Return a mapping from name to metric; the first metric is the main one."""
    return {metric.name: metric for metric in metrics}


CLASS_METRICS = metrics_by_name(
    Metric("accuracy", "accuracy", "classes", _of_labels("accuracy_score"), True),
    Metric("balanced_accuracy", "balanced accuracy", "classes", _of_labels("balanced_accuracy_score"), True),
    Metric("roc_auc", "ROC AUC", "classes", lambda m, a: _one_vs_rest(m.roc_auc_score, a), True),
    Metric("log_loss", "log loss", "classes", _log_loss, True),
    Metric(
        "average_precision", "average precision", "classes", lambda m, a: _one_vs_rest(m.average_precision_score, a)
    ),
    Metric("f1", "F1", "classes", _f1),
    Metric("mcc", "Matthews correlation", "classes", _of_labels("matthews_corrcoef")),
)

NUMBER_METRICS = metrics_by_name(
    Metric("r2", "R²", "numbers", _of_labels("r2_score"), True),
    Metric("rmse", "RMSE", "numbers", _of_labels("root_mean_squared_error"), True, ".4g"),
    Metric("mae", "MAE", "numbers", _of_labels("mean_absolute_error"), True, ".4g"),
    Metric("median_ae", "median absolute error", "numbers", _of_labels("median_absolute_error"), form=".4g"),
)
