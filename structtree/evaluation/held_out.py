"""Held-out scores of a model: stored by the fit, or from the folds that chose its size, beside the baseline.

The standard error of a mean over folds is that of Nadeau and Bengio (2003), since the training sets of folds overlap.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, sqrt

from structtree.evaluation.score import METRICS, Scores
from structtree.evaluation.sizes import size_measure
from structtree.models.model import Model
from structtree.models.records import StoredScores
from structtree.models.tree_predictor import TreePredictor

__all__ = ["MainScore", "baseline_warning", "held_out_score", "score_summary", "stored_scores"]

_OF_SIZES = frozenset({"accuracy", "R²", "cost", "loss"})
"""Names of scores of the sizes of a tree; see `structtree.evaluation.sizes.size_measure`."""

_ERRORS = frozenset({"cost", "loss", "log_loss", "rmse", "mae", "median_ae"})
"""Metrics of which less is better."""


@dataclass(frozen=True, slots=True)
class MainScore:
    """One score of a model, with that of a constant prediction; ``str`` returns both as a phrase.

    Parameters
    ----------
    metric, label : str
        Name of the metric, and the same for display.
    value, baseline : float
    spread : float
        Standard deviation over the folds, or else the standard error; 0 if both are unknown.
    error : float
        Standard error of the value; 0 if unknown.
    source : str
        Individuals that it was computed on, as a phrase.
    folds : int
        Number of folds; 0 if they are not counted.
    constant : str
        Prediction of the baseline, such as ``always east``.
    form : str
        Format of the values.

    Examples
    --------
    >>> found = MainScore("accuracy", "accuracy", 0.57, 0.558, 0.04, 0.03, "on new data", 5, "always -1")
    >>> str(found), found.beats_baseline
    ('accuracy 0.570 ± 0.040 on new data (5 folds; baseline 0.558)', False)
    """

    metric: str
    label: str
    value: float
    baseline: float
    spread: float
    error: float
    source: str
    folds: int
    constant: str
    form: str = ".3f"

    def __str__(self) -> str:
        folds = f"{self.folds} folds; " if self.folds else ""
        return f"{self.label} {self.figure} {self.source} ({folds}baseline {self.baseline:{self.form}})"

    @property
    def figure(self) -> str:
        """The value with its spread."""
        around = f" ± {self.spread:{self.form}}" if self.spread else ""
        return f"{self.value:{self.form}}{around}"

    @property
    def gain(self) -> float:
        """Difference to the baseline; positive if the model is better."""
        return self.baseline - self.value if self.metric in _ERRORS else self.value - self.baseline

    @property
    def beats_baseline(self) -> bool:
        """Return whether the model is better than the baseline by more than the standard error."""
        return self.gain > self.error


def stored_scores(scores: Scores, folds: int = 0) -> StoredScores:
    """Return scores as they are stored in a model.

    Parameters
    ----------
    scores : Scores
    folds : int
        Number of folds that the scores are means over; 0 if a model itself was scored.
    """
    names = tuple(scores.values)
    confusion = scores.confusion
    return StoredScores(
        scores.n,
        scores.constant,
        names,
        tuple(_known(scores.values[name]) for name in names),
        tuple(_known(scores.baseline[name]) for name in names),
        () if scores.sd is None else tuple(_known(scores.sd[name]) for name in names),
        folds,
        () if confusion is None else confusion.classes,
        () if confusion is None else tuple(map(tuple, confusion.counts.tolist())),
    )


def held_out_score(model: Model) -> MainScore | None:
    """Return the main score of a model on individuals that it was not trained on; None if it is unknown.

    Scores that the fit estimated take precedence over those of the folds that chose the size, which are slightly
    optimistic. The main score of a tree for ranking is the ROC AUC.

    Examples
    --------
    >>> from structtree import fit, load_dataset
    >>> monks = load_dataset("monks-3")
    >>> print(held_out_score(fit(monks.population, monks.target)))
    accuracy 1.000 on the folds that chose the size (baseline 0.528)
    """
    stored = model.scores.held_out
    found = None if stored is None else _main(model, stored, "on new data")
    return found or _score_of_size(model)


def score_summary(model: Model) -> str:
    """Return the main scores of a model as a phrase, on held-out individuals first; '' if none are known."""
    found, stored = held_out_score(model), model.scores.training
    trained = None if stored is None else _main(model, stored, "on the training data")
    if trained is None:
        return "" if found is None else str(found)
    label = "" if found is not None and found.label == trained.label else f"{trained.label} "
    return ", ".join([*([str(found)] if found else []), f"{label}{trained.figure} {trained.source}"])


def baseline_warning(model: Model) -> str:
    """Return a sentence if the held-out score of a model does not beat the baseline, otherwise ''.

    A tree of one leaf is itself a constant prediction, so there is no warning.
    """
    found = held_out_score(model)
    is_constant = isinstance(model.predictor, TreePredictor) and not model.predictor.tree.branches
    if found is None or is_constant or found.beats_baseline:
        return ""
    if found.metric not in METRICS and found.metric not in _OF_SIZES:  # it is unknown whether more is better
        return ""
    if found.gain < 0:
        beats = "is worse than"
    else:
        beats = "is not clearly better than" if found.gain else "equals"
    value = f"{found.label} {found.figure} {found.source}"
    return f"{value} {beats} the baseline, {found.baseline:{found.form}} for {found.constant!r}"


def _is_constant(model: Model) -> bool:
    return isinstance(model.predictor, TreePredictor) and not model.tree.branches


def _main(model: Model, stored: StoredScores, source: str) -> MainScore | None:
    """Return the score that decides whether a model is useful; None if it is undefined."""
    is_ranked = model.settings.goal == "ranking" and "roc_auc" in stored.metrics
    place = stored.metrics.index("roc_auc") if is_ranked else 0
    metric = model.task.metrics.get(stored.metrics[place])
    value, baseline = stored.values[place], stored.baseline[place]
    if metric is None or value is None or baseline is None:
        return None
    sd = (stored.sd[place] if stored.sd else None) or 0.0
    error = sd * sqrt(1 / stored.folds + 1 / (stored.folds - 1)) if stored.folds > 1 else 0.0
    return MainScore(
        metric.name, metric.label, value, baseline, sd, error, source, stored.folds, stored.constant, metric.form
    )


def _score_of_size(model: Model) -> MainScore | None:
    """Return the score of the size of a tree in the cross-validation that chose it, beside that of one leaf."""
    curve = model.outcome.sizes
    if curve is None:
        return None
    chosen = len(model.tree.leaves)
    if not {1, chosen} <= {*curve.leaves}:
        return None
    place, one = curve.leaves.index(chosen), curve.leaves.index(1)
    name, score = size_measure(model)
    value, baseline = score(curve.held_out[place]), score(curve.held_out[one])
    error = abs(score(curve.standard_error[place]) - score(0.0))
    source, form = "on the folds that chose the size", ".3f" if name in ("accuracy", "R²") else ".4g"
    return MainScore(name, name, value, baseline, error, error, source, 0, _constant_text(model), form)


def _constant_text(model: Model) -> str:
    """Return the prediction of the root as a phrase."""
    return f"always {model.task.constant_text(model.task.answers(model.tree, model.decision)[0])}"


def _known(value: float) -> float | None:
    return value if isfinite(value) else None
