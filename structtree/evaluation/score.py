"""Scores of predictions: scikit-learn's metrics, beside those of a model that always predicts the same.

A class is known by its name, so that the classes 0 and 1 of one file are those of another that has them as text.
A metric that has no value, such as the area under the curve where all individuals are of one class, is NaN.
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
"""The word for all metrics that fit the target."""


# ---- what is scored ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Predicted:
    """Predictions beside the truth.

    Parameters
    ----------
    actual, said : array
        Numbers; or classes, as indices of ``classes``.
    probabilities : array or None
        Of the classes, as (individuals, classes), if they are known.
    classes : tuple of str
        The names of the classes; none if numbers are predicted.
    task : Task
    """

    actual: NDArray[Any]
    said: NDArray[Any]
    probabilities: Floats | None
    classes: tuple[str, ...]
    task: Task

    def __repr__(self) -> str:
        return short_repr(self, self.task.name, number_text(len(self.actual), "individual"))

    @classmethod
    def of_numbers(cls, actual: ArrayLike, said: ArrayLike, task: Task = REGRESSION) -> Predicted:
        """Return predicted numbers beside the true ones."""
        return cls(_numbers(np.asarray(actual)), np.asarray(said, dtype=np.float64), None, (), task)

    @classmethod
    def of_classes(
        cls, actual: Iterable[Any], said: Iterable[Any], classes: Sequence[Any], probabilities: Floats | None = None
    ) -> Predicted:
        """Return predicted classes beside the true ones, which may be others than the model knows.

        Examples
        --------
        >>> Predicted.of_classes(["0", "2"], [0, 1], [0, 1]).classes
        ('0', '1', '2')
        """
        true, wrong = ([class_name(label) for label in np.asarray(part).tolist()] for part in (actual, said))
        known = tuple(dict.fromkeys([*map(class_name, classes), *sorted({*true, *wrong})]))
        codes = {name: code for code, name in enumerate(known)}
        if probabilities is not None and len(known) > probabilities.shape[1]:
            wider = np.zeros((len(probabilities), len(known)))
            wider[:, : probabilities.shape[1]] = probabilities
            probabilities = wider
        return cls(_coded(true, codes), _coded(wrong, codes), probabilities, known, Classification(known))


def constant_answers(answers: Predicted, training: NDArray[Any] | None = None) -> Predicted:
    """Return what would be said if nothing were known but the training data: its most frequent class, or its mean.

    Parameters
    ----------
    answers : Predicted
        Of which the truth is taken.
    training : array, optional
        The numbers, or the indices of the classes, of the training data; by default the truth itself.
    """
    if not len(answers.actual):
        raise DataError("there are no individuals to be right about")
    seen = answers.actual if training is None else training
    said, probabilities = answers.task.baseline(seen, len(answers.actual))
    return replace(answers, said=said, probabilities=probabilities)


def _coded(names: list[str], codes: Mapping[str, int]) -> Ints:
    return np.array([codes[name] for name in names], dtype=np.int64)


def _numbers(labels: NDArray[Any]) -> Floats:
    try:
        return labels.astype(np.float64)
    except (TypeError, ValueError):
        raise DataError(f"the model predicts numbers; the data has values such as {labels.tolist()[0]!r}") from None


# ---- metrics ----------------------------------------------------------------------------------------------

METRICS: Mapping[str, Metric] = {**CLASS_METRICS, **NUMBER_METRICS}
"""The metrics of classification and regression by name."""


def main_metric(task: str | Task) -> str:
    """Return the metric that is quoted alone.

    Examples
    --------
    >>> main_metric("classes"), main_metric("numbers")
    ('accuracy', 'r2')
    """
    return next(iter(as_task(task).metrics))


def known_metrics(names: Sequence[str] | None, task: str | Task) -> tuple[str, ...]:
    """Return the metrics that are meant by some names: by default the usual ones, by ``all`` every one.

    Examples
    --------
    >>> known_metrics(None, "numbers"), known_metrics(["all"], "numbers")
    (('r2', 'rmse', 'mae'), ('r2', 'rmse', 'mae', 'median_ae'))
    >>> known_metrics(["rmse"], "classes")
    Traceback (most recent call last):
        ...
    structtree.errors.UsageError: the metric rmse is for numbers, and the target has classes
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
            raise UsageError(f"the metric {name} is for {METRICS[name].task}, and the target {task.target_words}")
        else:
            raise UnknownNameError(
                "metric", name, [*METRICS, *(n for n in fitting if n not in METRICS), EVERY_METRIC]
            )
    return tuple(found)


# ---- scores -----------------------------------------------------------------------------------------------


class Confusion(NamedTuple):
    """Confusion matrix of the classes: the true classes are the rows, the predicted ones the columns."""

    classes: tuple[str, ...]
    counts: Ints


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Scores:
    """Scores of a model, and of one that always says the same.

    Parameters
    ----------
    task : Task
    n : int
        On how many individuals.
    values, baseline : dict from metric to float
        Of the model, and of always saying the most frequent class or the mean; NaN where there is no value.
    constant : str
        What is always said for the baseline.
    confusion : Confusion or None
        For classes.
    sd : dict from metric to float, or None
        If the values are means over folds: their standard deviations.

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
        """Return the figures, for JSON, which has no NaN."""
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
    """Return the scores of predictions, and those of a baseline.

    Parameters
    ----------
    answers, baseline : Predicted
        Of the same individuals; see `constant_answers`.
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
    constant = answers.task.constant_text(baseline.said[0])
    return Scores(
        answers.task,
        len(answers.actual),
        _computed(answers, names),
        _computed(baseline, names),
        f"always {constant}",
        _confusion(answers) if answers.classes else None,
    )


def gather_scores(parts: Sequence[Scores]) -> Scores:
    """Return the mean over folds of each metric, where the folds have a value, and its standard deviation.

    The confusions of all folds are added up.
    """
    first = parts[0]
    constants = {part.constant for part in parts}
    values, baseline = ([_stacked(parts, each, name) for name in first.values] for each in ("values", "baseline"))
    return Scores(
        first.task,
        sum(part.n for part in parts),
        {name: _mean(row) for name, row in zip(first.values, values, strict=True)},
        {name: _mean(row) for name, row in zip(first.values, baseline, strict=True)},
        constants.pop() if len(constants) == 1 else "always the most frequent class",
        None if first.confusion is None else _added([part.confusion for part in parts if part.confusion]),
        {name: _sd(row) for name, row in zip(first.values, values, strict=True)},
    )


def evaluate(model: Any, individuals: Any, target: ArrayLike, metrics: Sequence[str] | None = None) -> Scores:
    """Return how good a model is on individuals whose target is known.

    Parameters
    ----------
    model : estimator or Model
        Anything with ``predict``; also with ``predict_proba`` if it predicts classes.
    individuals : Population, or anything else the model takes
    target : array
        What is true of them.
    metrics : sequence of str, optional
        Names of scikit-learn: ``accuracy``, ``balanced_accuracy``, ``roc_auc``, ``log_loss``, ``average_precision``,
        ``f1`` and ``mcc`` for classes; ``r2``, ``rmse``, ``mae`` and ``median_ae`` for numbers; or ``["all"]``. With
        more than two classes each is set against the rest, and the mean is taken; of two classes the last one
        counts as positive.

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
    """Return what a model says of some individuals, beside the truth.

    Parameters
    ----------
    model, individuals, target
        As of `evaluate`.
    classes : sequence, optional
        All classes there may be, if the model may not have met some of them.
    """
    model = model if hasattr(model, "predict") else fitted(model).model
    own = _classes_of(model)
    said = model.predict(individuals)
    if np.shape(target) != np.shape(said):
        got = f"an array of shape {np.shape(target)}" if np.ndim(target) else quoted(target)
        raise DataError(f"expected {len(said)} labels, one for each individual; got {got}")
    if own is None:
        tree = getattr(model, "tree_", getattr(model, "tree", None))
        return Predicted.of_numbers(target, said, REGRESSION if tree is None else tree.task)
    probabilities = model.predict_proba(individuals) if hasattr(model, "predict_proba") else None
    if classes is None or probabilities is None:
        return Predicted.of_classes(np.asarray(target), said, classes or own, probabilities)
    names = [class_name(each) for each in classes]
    wider = np.zeros((len(said), len(names)))
    wider[:, [names.index(class_name(each)) for each in own]] = probabilities
    return Predicted.of_classes(np.asarray(target), said, names, wider)


def _classes_of(model: Any) -> list[Any] | None:
    """The classes that a model knows; None if it predicts numbers."""
    if isinstance(model, Model):
        return list(model.classes) or None
    return np.asarray(model.classes_).tolist() if hasattr(model, "classes_") else None


def _computed(answers: Predicted, names: Iterable[str]) -> dict[str, float]:
    from sklearn import metrics

    with warnings.catch_warnings():  # about what has no value here, which NaN says
        warnings.simplefilter("ignore")
        return {name: answers.task.metrics[name].compute(metrics, answers) for name in names}


def _confusion(answers: Predicted) -> Confusion:
    from sklearn.metrics import confusion_matrix

    with warnings.catch_warnings():  # about a single class
        warnings.simplefilter("ignore")
        counts = confusion_matrix(answers.actual, answers.said, labels=range(len(answers.classes)))
    return Confusion(answers.classes, counts)


def _added(confusions: Sequence[Confusion]) -> Confusion:
    return Confusion(confusions[0].classes, np.sum([each.counts for each in confusions], axis=0))


def _stacked(parts: Sequence[Scores], which: str, name: str) -> Floats:
    return np.array([getattr(part, which)[name] for part in parts])


def _mean(values: Floats) -> float:
    known = values[np.isfinite(values)]
    return float(known.mean()) if len(known) else nan


def _sd(values: Floats) -> float:
    known = values[np.isfinite(values)]
    return float(known.std(ddof=1)) if len(known) > 1 else nan


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None
