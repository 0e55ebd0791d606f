"""Records of how a model was made, as frozen data that other modules read by name.

They are the settings with the source of the size, the grammar, the route of the plan, the options of reading, and the
outcome of the search. A model that was not learned by `structtree.fit` has the defaults, which are empty.
`structtree.models.model_files` writes and reads them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from structtree.models.settings import Goal, Growth, Pruning

__all__ = [
    "GrammarRecord",
    "ReadingRecord",
    "RouteRecord",
    "SearchOutcome",
    "Settings",
    "Size",
    "SizeCurve",
    "SizeSource",
]

SizeSource = Literal["full", "too few", "limits", "pruning", "ranking", "cross-validation", "time", "interrupt"]
"""What decided about the size of a tree; ``"time"`` and ``"interrupt"`` ended the choice by cross-validation."""

_SIZES: Mapping[SizeSource, str] = {
    "full": "full",
    "too few": "full, since {} individuals are too few to choose it by",
    "limits": "limited by {}",
    "pruning": "pruned by {}",
    "ranking": "tuned for ranking, with depth at most {}",
    "cross-validation": "chosen by cross-validation",
    "time": "not chosen, since the time limit was reached first",
    "interrupt": "not chosen, since the fit was interrupted first",
}


@dataclass(frozen=True, slots=True)
class Size:
    """Source of the size of a tree; ``str`` of it is a phrase.

    Parameters
    ----------
    by : {"full", "too few", "limits", "pruning", "ranking", "cross-validation", "time", "interrupt"}
    detail : str
        The number of individuals that are too few, the limits, the method of pruning, or the depth.

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
    """Options that a model was learned with, those that the goal chose included.

    The options of leaves are in the predictor, which needs them (`structtree.models.tree_predictor`).

    Parameters
    ----------
    goal : {"accuracy", "ranking", "reading"}, optional
    criterion : str
        Its name; empty if it is not known.
    growth : Growth
    pruning : Pruning
    size : Size
    """

    goal: Goal | None = None
    criterion: str = ""
    growth: Growth = field(default_factory=Growth)
    pruning: Pruning = field(default_factory=Pruning)
    size: Size = field(default_factory=Size)


@dataclass(frozen=True, slots=True)
class GrammarRecord:
    """Grammar that a model was learned with.

    Parameters
    ----------
    text : str
        Empty if it is not known.
    origin : str
        Where it comes from, in a few words.
    notes : tuple of str
        What was left out of it or changed, one sentence each.
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
        A sentence with the reason; empty if nothing was planned.
    """

    name: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class ReadingRecord:
    """Options by which the data of a model was read, so that more data of the same kind is read alike.

    Parameters
    ----------
    ending : str
        The extension of the file, ``/`` for a folder, ``://`` for the URL of a database, or a colon and the name of a
        built-in dataset. Data with another ending is not read by these options.
    options : mapping from str to JSON values
        The options that were given, as `structtree.open_data` takes them.
    interpretations : bool
        Of facts, whether each individual is an interpretation, with facts of its own.

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

    What was proved, the gaps, predicates and seconds are known for each node: see `structtree.models.tree.Found` and
    ``tree.caveats``.

    Parameters
    ----------
    stopped_by : {"time", "interrupt"}, optional
        Why growth ended early.
    skipped : tuple of str
        What there was no time for, one sentence each.
    sizes : SizeCurve, optional
        Only where the size was chosen by cross-validation.
    """

    stopped_by: Literal["time", "interrupt"] | None = None
    skipped: tuple[str, ...] = ()
    sizes: SizeCurve | None = None
