"""Scores of predictions: scikit-learn's metrics, beside those of a model that always predicts the same.

A class is known by its name, so that the classes 0 and 1 of one file are those of another that has them as text.
A metric that has no value, such as the area under the curve where all individuals are of one class, is NaN.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from structtree.arrays import Floats, Ints
from structtree.data.schema import LearningTask
from structtree.errors import DataError, UnknownNameError, UsageError, quoted
from structtree.models.model import Model, fitted
from structtree.reprs import number_text, short_repr

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
    """

    actual: NDArray[Any]
    said: NDArray[Any]
    probabilities: Floats | None
    classes: tuple[str, ...]

    def __repr__(self) -> str:
        return short_repr(self, self.task, number_text(len(self.actual), "individual"))

    @property
    def task(self) -> LearningTask:
        """The sort of target that is predicted."""
        return "classes" if self.classes else "numbers"

    @classmethod
    def of_numbers(cls, actual: ArrayLike, said: ArrayLike) -> Predicted:
        """Return predicted numbers beside the true ones."""
        return cls(_numbers(np.asarray(actual)), np.asarray(said, dtype=np.float64), None, ())

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
        return cls(_coded(true, codes), _coded(wrong, codes), probabilities, known)


def constant_answers(answers: Predicted, training: NDArray[Any] | None = None) -> Predicted:
    """Return what would be said if nothing were known but the training data: its most frequent class, or its mean.

    Parameters
    ----------
    answers : Predicted
        Of which the truth is taken.
    training : array, optional
        The numbers, or the indices of the classes, of the training data; by default the truth itself.
    """
    from sklearn.dummy import DummyClassifier, DummyRegressor

    if not len(answers.actual):
        raise DataError("there are no individuals to be right about")
    seen = answers.actual if training is None else training
    here, there = np.zeros((len(seen), 1)), np.zeros((len(answers.actual), 1))
    if answers.task == "numbers":
        said = DummyRegressor().fit(here, seen).predict(there)
        return Predicted(answers.actual, said, None, ())
    model = DummyClassifier(strategy="prior").fit(here, seen)
    probabilities = np.zeros((len(there), len(answers.classes)))
    probabilities[:, model.classes_] = model.predict_proba(there)
    return Predicted(answers.actual, model.predict(there), probabilities, answers.classes)


def class_name(label: Any) -> str:
    """Return the name of a class; a whole number has the same name however it is stored.

    Examples
    --------
    >>> class_name("east"), class_name(1), class_name(1.0), class_name(True)
    ('east', '1', '1', 'true')
    """
    if isinstance(label, bool):
        return str(label).lower()
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


def _coded(names: list[str], codes: Mapping[str, int]) -> Ints:
    return np.array([codes[name] for name in names], dtype=np.int64)


def _numbers(labels: NDArray[Any]) -> Floats:
    try:
        return labels.astype(np.float64)
    except (TypeError, ValueError):
        raise DataError(f"the model predicts numbers; the data has values such as {labels.tolist()[0]!r}") from None


# ---- metrics ----------------------------------------------------------------------------------------------


class Metric(NamedTuple):
    """A metric of scikit-learn, the word by which people know it, and whether it is shown by default."""

    name: str
    label: str
    task: LearningTask
    compute: Callable[[Any, Predicted], float]
    is_usual: bool = False


def _binary(answers: Predicted) -> dict[str, Any]:
    """The last of two classes is the positive one, as in scikit-learn; of more classes all count the same."""
    return {"pos_label": 1} if len(answers.classes) == 2 else {"average": "macro"}


def _one_vs_rest(metric: Callable[..., float], answers: Predicted) -> float:
    """The mean over the classes that occur; the last class alone where there are two."""
    truth = answers.actual[:, None] == np.arange(len(answers.classes))
    shown = truth.any(axis=0) & ~truth.all(axis=0)
    if len(answers.classes) == 2:
        shown[0] = False
    if not shown.any() or answers.probabilities is None:
        return nan
    return float(metric(truth[:, shown].astype(int), answers.probabilities[:, shown], average="macro"))


def _log_loss(metrics: Any, answers: Predicted) -> float:
    if len(answers.classes) < 2 or answers.probabilities is None:
        return nan
    return float(metrics.log_loss(answers.actual, answers.probabilities, labels=range(len(answers.classes))))


def _of_labels(function: str) -> Callable[[Any, Predicted], float]:
    return lambda metrics, answers: float(getattr(metrics, function)(answers.actual, answers.said))


METRICS: Mapping[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("accuracy", "accuracy", "classes", _of_labels("accuracy_score"), True),
        Metric("balanced_accuracy", "balanced accuracy", "classes", _of_labels("balanced_accuracy_score"), True),
        Metric("roc_auc", "ROC AUC", "classes", lambda m, a: _one_vs_rest(m.roc_auc_score, a), True),
        Metric("log_loss", "log loss", "classes", _log_loss, True),
        Metric(
            "average_precision",
            "average precision",
            "classes",
            lambda m, a: _one_vs_rest(m.average_precision_score, a),
        ),
        Metric(
            "f1", "F1", "classes", lambda m, a: float(m.f1_score(a.actual, a.said, **_binary(a), zero_division=0))
        ),
        Metric("mcc", "Matthews correlation", "classes", _of_labels("matthews_corrcoef")),
        Metric("r2", "R²", "numbers", _of_labels("r2_score"), True),
        Metric("rmse", "RMSE", "numbers", _of_labels("root_mean_squared_error"), True),
        Metric("mae", "MAE", "numbers", _of_labels("mean_absolute_error"), True),
        Metric("median_ae", "median absolute error", "numbers", _of_labels("median_absolute_error")),
    )
}
"""The metrics by name; the first of each task is the one that is quoted alone."""


def main_metric(task: LearningTask) -> str:
    """Return the metric that is quoted alone.

    Examples
    --------
    >>> main_metric("classes"), main_metric("numbers")
    ('accuracy', 'r2')
    """
    return next(name for name, metric in METRICS.items() if metric.task == task)


def known_metrics(names: Sequence[str] | None, task: LearningTask) -> tuple[str, ...]:
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
    fitting = [metric for metric in METRICS.values() if metric.task == task]
    if names is None:
        return tuple(metric.name for metric in fitting if metric.is_usual)
    found: dict[str, None] = {}
    for name in names:
        if name == EVERY_METRIC:
            found |= dict.fromkeys(metric.name for metric in fitting)
            continue
        if name not in METRICS:
            raise UnknownNameError("metric", name, [*METRICS, EVERY_METRIC])
        if METRICS[name].task != task:
            has = "has classes" if task == "classes" else "is a number"
            raise UsageError(f"the metric {name} is for {METRICS[name].task}, and the target {has}")
        found[name] = None
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
    task : {"classes", "numbers"}
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

    task: LearningTask
    n: int
    values: Mapping[str, float]
    baseline: Mapping[str, float]
    constant: str
    confusion: Confusion | None = None
    sd: Mapping[str, float] | None = None

    def __repr__(self) -> str:
        figures = (f"{METRICS[name].label} {value:.3f}" for name, value in self.values.items())
        return short_repr(self, *figures, number_text(self.n, "individual"), self.constant)

    def __getitem__(self, metric: str) -> float:
        return self.values[metric]

    def __str__(self) -> str:
        name, value = next(iter(self.values.items()))
        n = f"{round(value * self.n):,} of {self.n:,}" if name == "accuracy" else f"{self.n:,} individuals"
        return f"{METRICS[name].label} {value:.3f} ({n})"

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
    constant = answers.classes[baseline.said[0]] if answers.classes else "the mean"
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
        return Predicted.of_numbers(target, said)
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
        return {name: METRICS[name].compute(metrics, answers) for name in names}


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
