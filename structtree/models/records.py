"""Records of how a model was learned, as frozen dataclasses.

The records are the settings, the grammar, the route of the plan, the reading options, the outcome of the search and
the scores. The defaults are empty, for models that `structtree.fit` did not learn. `structtree.models.files.models`
saves and loads them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from structtree.models.settings import Boosting, Forest, Goal, Growth, Pruning, Rules

__all__ = [
    "GrammarRecord",
    "ReadingRecord",
    "RouteRecord",
    "ScoreRecord",
    "SearchOutcome",
    "Settings",
    "Size",
    "SizeCurve",
    "SizeSource",
    "StoredScores",
]

SizeSource = Literal[
    "full", "too few", "limits", "pruning", "leaves", "ranking", "cross-validation", "time", "interrupt"
]
"""Reason for the size of a tree; ``"time"`` and ``"interrupt"`` ended the cross-validation early."""

_SIZES: Mapping[SizeSource, str] = {
    "full": "full",
    "too few": "full, because {} individuals are too few for cross-validation",
    "limits": "limited by {}",
    "pruning": "pruned by {}",
    "leaves": "at most {} leaves, as requested",
    "ranking": "tuned for ranking, with depth at most {}",
    "cross-validation": "chosen by cross-validation",
    "time": "not chosen, because the time limit was reached{}",
    "interrupt": "not chosen, because the fit was interrupted",
}


@dataclass(frozen=True, slots=True)
class Size:
    """Reason for the size of a tree; ``str`` returns it as a phrase.

    Parameters
    ----------
    by : {"full", "too few", "limits", "pruning", "leaves", "ranking", "cross-validation", "time", "interrupt"}
    detail : str
        The number of individuals or leaves, the limits, the pruning method, the depth, or what was done instead.

    Examples
    --------
    >>> str(Size("limits", "max_depth"))
    'limited by max_depth'
    >>> str(Size())
    'full'
    """

    by: SizeSource = "full"
    detail: str = ""

    def __str__(self) -> str:
        return _SIZES[self.by].format(self.detail)


@dataclass(frozen=True, slots=True)
class Settings:
    """Options that a model was learned with, including those that the goal chose.

    The decision options are in the predictor, which needs them (`structtree.models.tree_predictor`).

    Parameters
    ----------
    goal : {"accuracy", "ranking", "reading"}, optional
    criterion : str
        Its name; empty if unknown.
    growth : Growth
    pruning : Pruning
    size : Size
    forest : Forest, optional
        The options of a forest; None for other models.
    boosting : Boosting, optional
        The options of a boosted sum; None for other models.
    rules : Rules, optional
        The options of a rule list; None for other models.
    """

    goal: Goal | None = None
    criterion: str = ""
    growth: Growth = field(default_factory=Growth)
    pruning: Pruning = field(default_factory=Pruning)
    size: Size = field(default_factory=Size)
    forest: Forest | None = None
    boosting: Boosting | None = None
    rules: Rules | None = None

    @property
    def is_ensemble(self) -> bool:
        """True if the model has many trees."""
        return self.forest is not None or self.boosting is not None


@dataclass(frozen=True, slots=True)
class GrammarRecord:
    """Grammar that a model was learned with.

    Parameters
    ----------
    text : str
        Empty if unknown.
    origin : str
        Its source, as a short phrase.
    notes : tuple of str
        Parts that were skipped or changed, one sentence each.
    """

    text: str = ""
    origin: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RouteRecord:
    """Route by which the tests were found; see `structtree.learn.plan`.

    Parameters
    ----------
    name : str
        ``"sweeps"``, ``"table"``, ``"search"``, ``"parts"``, or the name of a custom route. Files of version 0.1
        do not have it.
    why : str
        The reason, as a sentence; empty without a plan.
    """

    name: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class ReadingRecord:
    """Options that the data of a model was read with, for reading similar data in the same way.

    Parameters
    ----------
    ending : str
        The extension of the file, ``/`` for a folder, ``://`` for the URL of a database, or a colon and the name of a
        built-in dataset. The options do not apply to data with another ending.
    options : mapping from str to JSON values
        The options that were given, as `structtree.open_data` takes them.
    interpretations : bool
        For facts: whether each individual is an interpretation with its own facts.

    Examples
    --------
    >>> bool(ReadingRecord()), bool(ReadingRecord(".csv", {"delimiter": ";"}))
    (False, True)
    """

    ending: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    interpretations: bool = False

    def __bool__(self) -> bool:
        return bool(self.options)


@dataclass(frozen=True, slots=True)
class SizeCurve:
    """Mean losses of trees of various sizes in cross-validation, column by column.

    Parameters
    ----------
    leaves : tuple of int
    training, held_out, standard_error : tuple of float
        One for each number of leaves.
    """

    leaves: tuple[int, ...]
    training: tuple[float, ...]
    held_out: tuple[float, ...]
    standard_error: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """Outcome of the search for a model.

    Proofs, gaps, counts and times are recorded per node: see `structtree.models.tree.Found` and ``tree.caveats``.

    Parameters
    ----------
    stopped_by : {"time", "interrupt"}, optional
        Why growth ended early.
    skipped : tuple of str
        Steps that were skipped for lack of time, one sentence each.
    sizes : SizeCurve, optional
        Only if the size was chosen by cross-validation.
    """

    stopped_by: Literal["time", "interrupt"] | None = None
    skipped: tuple[str, ...] = ()
    sizes: SizeCurve | None = None


@dataclass(frozen=True, slots=True)
class StoredScores:
    """Scores of a model and of a constant prediction, metric by metric; None where a metric is undefined.

    Parameters
    ----------
    n : int
        Number of individuals.
    constant : str
        Prediction of the baseline, such as ``always east``.
    metrics : tuple of str
        Names of the metrics, the main one first.
    values, baseline : tuple of float or None
        One for each metric.
    sd : tuple of float or None
        Standard deviations over the folds; empty without folds.
    folds : int
        Number of folds that the values are means over; 0 if the model itself was scored.
    classes : tuple of str
        Names of the classes of the confusion matrix; empty for regression.
    confusion : tuple of tuple of int
        One row per true class, one column per predicted class.
    """

    n: int
    constant: str
    metrics: tuple[str, ...]
    values: tuple[float | None, ...]
    baseline: tuple[float | None, ...]
    sd: tuple[float | None, ...] = ()
    folds: int = 0
    classes: tuple[str, ...] = ()
    confusion: tuple[tuple[int, ...], ...] = ()

    @property
    def is_complete(self) -> bool:
        """Return whether every metric has its values, and the confusion matrix is square."""
        n, k = len(self.metrics), len(self.classes)
        is_scored = n > 0 and len(self.values) == len(self.baseline) == n and len(self.sd) in (0, n)
        return is_scored and len(self.confusion) in (0, k) and all(len(row) == k for row in self.confusion)


@dataclass(frozen=True, slots=True)
class ScoreRecord:
    """Scores of a model when it was learned, with the default metrics.

    Parameters
    ----------
    held_out : StoredScores, optional
        Scores on new data, estimated by cross-validation.
    training : StoredScores, optional
        Scores on the training data.
    """

    held_out: StoredScores | None = None
    training: StoredScores | None = None
