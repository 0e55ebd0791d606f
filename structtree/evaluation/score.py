"""Scores of predictions: the metrics of scikit-learn, with those of a constant prediction as a baseline.

Classes are compared by name, so that the classes 0 and 1 of one file equal the strings "0" and "1" of another. An
undefined metric, such as the ROC AUC of a single class, is NaN.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite, nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from structtree.arrays import Floats, Ints
from structtree.errors import DataError, UnknownNameError, UsageError, quoted
from structtree.models.model import Model, fitted
from structtree.reprs import number_text, short_repr
from structtree.tasks.classification import Classification
from structtree.tasks.metrics import CLASS_METRICS, NUMBER_METRICS, Metric, class_name
from structtree.tasks.registry import as_task
from structtree.tasks.regression import REGRESSION
from structtree.tasks.task import Task

__all__ = [
    "METRICS",
    "Confusion",
    "Metric",
    "Predicted",
    "Scores",
    "answers_of",
    "class_name",
    "constant_answers",
    "evaluate",
    "gather_scores",
    "known_metrics",
    "main_metric",
    "score_answers",
]

EVERY_METRIC = "all"
"""Name for all metrics that apply to the target."""


# ---- predictions ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Predicted:
    """Predictions, together with the true labels.

    Parameters
    ----------
    actual, predicted : array
        Numbers; or classes, as indices of ``classes``.
    probabilities : array or None
        Class probabilities, as (individuals, classes), if known.
    classes : tuple of str
        Names of the classes; empty if numbers are predicted.
    task : Task
    """

    actual: NDArray[Any]
    predicted: NDArray[Any]
    probabilities: Floats | None
    classes: tuple[str, ...]
    task: Task

    def __repr__(self) -> str:
        return short_repr(self, self.task.name, number_text(len(self.actual), "individual"))

    @classmethod
    def of_numbers(cls, actual: ArrayLike, predicted: ArrayLike, task: Task = REGRESSION) -> Predicted:
        """Create predictions of a regression model from predicted and true numbers."""
        return cls(_numbers(np.asarray(actual)), np.asarray(predicted, dtype=np.float64), None, (), task)

    @classmethod
    def of_classes(
        cls,
        actual: Iterable[Any],
        predicted: Iterable[Any],
        classes: Sequence[Any],
        probabilities: Floats | None = None,
    ) -> Predicted:
        """Create predictions of a classifier from predicted and true classes; true classes may be new to the model.

        Examples
        --------
        >>> Predicted.of_classes(["0", "2"], [0, 1], [0, 1]).classes
        ('0', '1', '2')
        """
        true, guessed = ([class_name(label) for label in np.asarray(part).tolist()] for part in (actual, predicted))
        known = tuple(dict.fromkeys([*map(class_name, classes), *sorted({*true, *guessed})]))
        if probabilities is not None:
            probabilities = np.pad(probabilities, ((0, 0), (0, len(known) - probabilities.shape[1])))
        code_of = {name: code for code, name in enumerate(known)}
        truth, codes = (np.array([code_of[name] for name in names], dtype=np.int64) for names in (true, guessed))
        return cls(truth, codes, probabilities, known, Classification(known))


def constant_answers(answers: Predicted, training: NDArray[Any] | None = None) -> Predicted:
    """Return constant predictions: the most frequent training class, or the mean of the training labels.

    Parameters
    ----------
    answers : Predicted
        Predictions that provide the true labels.
    training : array, optional
        Numbers or class indices of the training data; by default the true labels.
    """
    if not len(answers.actual):
        raise DataError("there are no individuals to score")
    seen = answers.actual if training is None else training
    predicted, probabilities = answers.task.baseline(seen, len(answers.actual))
    return replace(answers, predicted=predicted, probabilities=probabilities)


def _numbers(labels: NDArray[Any]) -> Floats:
    try:
        return labels.astype(np.float64)
    except (TypeError, ValueError):
        raise DataError(
            f"the model predicts numbers, but the target has values such as {labels.tolist()[0]!r}"
        ) from None


# ---- metrics ----------------------------------------------------------------------------------------------

METRICS: Mapping[str, Metric] = {**CLASS_METRICS, **NUMBER_METRICS}
"""Metrics of classification and regression by name."""


def main_metric(task: str | Task) -> str:
    """Return the main metric of a task.

    Examples
    --------
    >>> main_metric("classes"), main_metric("numbers")
    ('accuracy', 'r2')
    """
    return next(iter(as_task(task).metrics))


def known_metrics(names: Sequence[str] | None, task: str | Task) -> tuple[str, ...]:
    """Return metrics by name: the default metrics of the task for None, all its metrics for ``all``.

    Examples
    --------
    >>> known_metrics(None, "numbers"), known_metrics(["all"], "numbers")
    (('r2', 'rmse', 'mae'), ('r2', 'rmse', 'mae', 'median_ae'))
    >>> known_metrics(["rmse"], "classes")
    Traceback (most recent call last):
        ...
    structtree.errors.UsageError: the metric rmse is for numbers, but the target has classes
    """
    task = as_task(task)
    fitting = task.metrics
    if names is None:
        return tuple(name for name, metric in fitting.items() if metric.is_usual)
    found: dict[str, None] = {}
    for name in names:
        if name == EVERY_METRIC:
            found |= dict.fromkeys(fitting)
        elif name in fitting:
            found[name] = None
        elif name in METRICS:
            raise UsageError(f"the metric {name} is for {METRICS[name].task}, but the target {task.target_words}")
        else:
            raise UnknownNameError(
                "metric", name, [*METRICS, *(n for n in fitting if n not in METRICS), EVERY_METRIC]
            )
    return tuple(found)


# ---- scores -----------------------------------------------------------------------------------------------


class Confusion(NamedTuple):
    """Confusion matrix: one row per true class, one column per predicted class."""

    classes: tuple[str, ...]
    counts: Ints


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Scores:
    """Scores of a model, with those of a constant prediction.

    Parameters
    ----------
    task : Task
    n : int
        Number of individuals.
    values, baseline : dict from metric to float
        Scores of the model, and of always predicting the most frequent class or the mean; NaN if undefined.
    constant : str
        Prediction of the baseline.
    confusion : Confusion or None
        Confusion matrix, for classes.
    sd : dict from metric to float, or None
        Standard deviations, if the values are means over folds.

    Examples
    --------
    >>> from structtree import StructuralTreeClassifier, load_dataset
    >>> trains = load_dataset("trains")
    >>> tree = StructuralTreeClassifier("trains", max_depth=1).fit(trains.population, trains.target)
    >>> found = evaluate(tree, trains.population, trains.target)
    >>> print(found)
    accuracy 0.900 (18 of 20)
    >>> found["roc_auc"], found.baseline["roc_auc"], found.constant
    (0.9, 0.5, 'always east')
    >>> found.confusion.counts.tolist()
    [[8, 2], [0, 10]]
    """

    task: Task
    n: int
    values: Mapping[str, float]
    baseline: Mapping[str, float]
    constant: str
    confusion: Confusion | None = None
    sd: Mapping[str, float] | None = None

    def __repr__(self) -> str:
        figures = (f"{self.task.metrics[name].label} {value:.3f}" for name, value in self.values.items())
        return short_repr(self, *figures, number_text(self.n, "individual"), self.constant)

    def __getitem__(self, metric: str) -> float:
        return self.values[metric]

    def __str__(self) -> str:
        name, value = next(iter(self.values.items()))
        n = f"{round(value * self.n):,} of {self.n:,}" if name == "accuracy" else f"{self.n:,} individuals"
        return f"{self.task.metrics[name].label} {value:.3f} ({n})"

    def to_dict(self) -> dict[str, Any]:
        """Return the scores for JSON, with None in place of NaN."""
        figures = {"value": self.values, "baseline": self.baseline} | ({} if self.sd is None else {"sd": self.sd})
        found: dict[str, Any] = {
            "individuals": self.n,
            "baseline": self.constant,
            "metrics": {name: {key: _finite(each[name]) for key, each in figures.items()} for name in self.values},
        }
        if self.confusion is not None:
            classes, counts = self.confusion
            found["confusion_matrix"] = {"classes": list(classes), "counts": counts.tolist()}
        return found


def score_answers(answers: Predicted, baseline: Predicted, metrics: Sequence[str] | None = None) -> Scores:
    """Return the scores of predictions and of a baseline.

    Parameters
    ----------
    answers, baseline : Predicted
        Predictions for the same individuals; see `constant_answers`.
    metrics : sequence of str, optional
        As in `evaluate`.

    Examples
    --------
    >>> answers = Predicted.of_classes(["no", "yes", "yes"], ["no", "no", "yes"], ["no", "yes"])
    >>> found = score_answers(answers, constant_answers(answers), ["accuracy", "f1"])
    >>> {name: round(value, 3) for name, value in found.values.items()}
    {'accuracy': 0.667, 'f1': 0.667}
    """
    names = known_metrics(metrics, answers.task)
    constant = answers.task.constant_text(baseline.predicted[0])
    return Scores(
        answers.task,
        len(answers.actual),
        _computed(answers, names),
        _computed(baseline, names),
        f"always {constant}",
        _confusion(answers) if answers.classes else None,
    )


def gather_scores(parts: Sequence[Scores]) -> Scores:
    """Return the mean and standard deviation of each metric over the folds where it is defined.

    The confusion matrices of all folds are summed.
    """
    first = parts[0]
    constants = {part.constant for part in parts}
    counts = [part.confusion.counts for part in parts if part.confusion is not None]
    return Scores(
        first.task,
        sum(part.n for part in parts),
        {name: _mean([part.values[name] for part in parts]) for name in first.values},
        {name: _mean([part.baseline[name] for part in parts]) for name in first.values},
        constants.pop() if len(constants) == 1 else "always the most frequent class",
        None if first.confusion is None else first.confusion._replace(counts=np.sum(counts, axis=0)),
        {name: _sd([part.values[name] for part in parts]) for name in first.values},
    )


def evaluate(model: Any, individuals: Any, target: ArrayLike, metrics: Sequence[str] | None = None) -> Scores:
    """Return the scores of a model on individuals with known labels.

    Parameters
    ----------
    model : estimator or Model
        Object with ``predict``, and with ``predict_proba`` for class probabilities.
    individuals : Population, or any other input of the model
    target : array
        True labels.
    metrics : sequence of str, optional
        scikit-learn names: ``accuracy``, ``balanced_accuracy``, ``roc_auc``, ``log_loss``, ``average_precision``,
        ``f1`` and ``mcc`` for classes; ``r2``, ``rmse``, ``mae`` and ``median_ae`` for numbers; or ``["all"]``. With
        more than two classes, binary metrics are averaged over one-vs-rest; with two classes, the last one is
        positive.

    Examples
    --------
    >>> from structtree import StructuralTreeRegressor
    >>> tree = StructuralTreeRegressor(max_depth=1).fit([[0], [1], [2], [3]], [1.0, 1.0, 2.0, 4.0])
    >>> found = evaluate(tree, [[0], [3]], [1.0, 4.0])
    >>> {name: round(value, 2) for name, value in found.values.items()}
    {'r2': 0.98, 'rmse': 0.24, 'mae': 0.17}
    """
    answers = answers_of(model, individuals, target)
    return score_answers(answers, constant_answers(answers), metrics)


def answers_of(model: Any, individuals: Any, target: ArrayLike, classes: Sequence[Any] | None = None) -> Predicted:
    """Return the predictions of a model together with the true labels.

    Parameters
    ----------
    model, individuals, target
        As in `evaluate`.
    classes : sequence, optional
        All possible classes, if the model may not know some of them.
    """
    model = model if hasattr(model, "predict") else fitted(model).model
    own = _classes_of(model)
    predicted = model.predict(individuals)
    if np.shape(target) != np.shape(predicted):
        got = f"an array of shape {np.shape(target)}" if np.ndim(target) else quoted(target)
        raise DataError(f"expected {len(predicted)} labels, one for each individual; got {got}")
    if own is None:
        task = getattr(getattr(model, "model_", model), "task", None)
        return Predicted.of_numbers(target, predicted, task if isinstance(task, Task) else REGRESSION)
    probabilities = model.predict_proba(individuals) if hasattr(model, "predict_proba") else None
    if classes is None or probabilities is None:
        return Predicted.of_classes(np.asarray(target), predicted, classes or own, probabilities)
    names = [class_name(each) for each in classes]
    wider = np.zeros((len(predicted), len(names)))
    wider[:, [names.index(class_name(each)) for each in own]] = probabilities
    return Predicted.of_classes(np.asarray(target), predicted, names, wider)


def _classes_of(model: Any) -> list[Any] | None:
    """Return the classes of a model; None if it predicts numbers."""
    if isinstance(model, Model):
        return list(model.classes) or None
    return np.asarray(model.classes_).tolist() if hasattr(model, "classes_") else None


class _ImportedOnUse:
    """The metrics of scikit-learn, imported when one is used."""

    def __getattr__(self, name: str) -> Any:
        from sklearn import metrics

        return getattr(metrics, name)


def _computed(answers: Predicted, names: Iterable[str]) -> dict[str, float]:
    with warnings.catch_warnings():  # undefined metrics are NaN
        warnings.simplefilter("ignore")
        return {name: answers.task.metrics[name].compute(_ImportedOnUse(), answers) for name in names}


def _confusion(answers: Predicted) -> Confusion:
    n = len(answers.classes)
    counts = np.bincount(n * answers.actual + answers.predicted, minlength=n * n)
    return Confusion(answers.classes, counts.reshape(n, n))


def _mean(values: Sequence[float]) -> float:
    known = list(filter(isfinite, values))
    return float(np.mean(known)) if known else nan


def _sd(values: Sequence[float]) -> float:
    known = list(filter(isfinite, values))
    return float(np.std(known, ddof=1)) if len(known) > 1 else nan


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None
