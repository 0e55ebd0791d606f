"""Individuals without a label: which they are, and what is done about them, for files and for Python alike."""

from __future__ import annotations

import warnings
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from structtree.errors import DataError, UsageError

__all__ = ["KnownLabels", "Unlabelled", "drop_unlabelled", "label_array", "missing_labels", "with_label"]

Unlabelled = Literal["leave out", "refuse"]
"""What is done about individuals without a label."""


def label_array(labels: Any) -> NDArray[Any]:
    """Return labels as an array; of a list in which some are missing, as objects, lest NaN become the text ``nan``.

    Examples
    --------
    >>> label_array(["a", float("nan")]), label_array(["a", "b"])
    (array(['a', nan], dtype=object), array(['a', 'b'], dtype='<U1'))
    """
    if not isinstance(labels, list | tuple) or any(map(_is_sequence, labels)):
        return np.asarray(labels)
    objects = np.empty(len(labels), dtype=object)
    objects[:] = labels
    return objects if missing_labels(objects).any() else np.asarray(labels)


def _is_sequence(label: Any) -> bool:
    return hasattr(label, "__len__") and not isinstance(label, str | bytes)


def missing_labels(labels: ArrayLike) -> NDArray[np.bool_]:
    """Return which labels are missing: None, NaN, and what pandas has for that.

    Examples
    --------
    >>> missing_labels(["a", None, float("nan")]).tolist(), missing_labels([1, 2]).tolist()
    ([False, True, True], [False, False])
    """
    known = np.ma.asarray(labels) if isinstance(labels, np.ma.MaskedArray) else np.asarray(labels)
    masked = (
        np.asarray(np.ma.getmaskarray(known))
        if isinstance(known, np.ma.MaskedArray)
        else np.zeros(known.shape, dtype=bool)
    )
    match known.dtype.kind:
        case "f" | "c":
            return np.asarray(np.isnan(known) | masked)
        case "M" | "m":
            return np.asarray(np.isnat(known) | masked)
        case "O" if known.ndim == 1:
            return np.fromiter(map(_is_missing, known), dtype=np.bool_, count=len(known)) | masked
    return masked


def with_label(
    missing: NDArray[np.bool_], unlabelled: Unlabelled = "leave out", name: str | None = None, *, stacklevel: int = 2
) -> NDArray[np.int64] | None:
    """Return whom to keep, None if that is everybody.

    Parameters
    ----------
    missing : array of bool
        Who has no label.
    unlabelled : {"leave out", "refuse"}
        Whether a warning says how many are left out, or an error which the first one is.
    name : str, optional
        What the target is called.
    stacklevel : int
        Whose call the warning is about, as in `warnings.warn`.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     with_label(np.array([False, True, False]), name="price")
    array([0, 2])
    >>> print(caught[0].message)
    left out 1 of 3 individuals, which have no price
    """
    if unlabelled not in get_args(Unlabelled):
        raise UsageError(f"unlabelled must be 'leave out' or 'refuse'; got {unlabelled!r}")
    n, n_missing = len(missing), int(missing.sum())
    if not n_missing:
        return None
    said = "the target" if name is None else f"the target {name!r}"
    if n_missing == n:
        raise DataError(f"{said} has no value for any of the {n:,} individuals, so there is nothing to learn from")
    if unlabelled == "refuse":
        fix = "to leave such individuals out: unlabelled='leave out'"
        raise DataError(f"{said} has no value", individual=int(np.argmax(missing)), fix=fix)
    warnings.warn(
        f"left out {n_missing:,} of {n:,} individuals, which have no {name or 'label'}", stacklevel=stacklevel + 1
    )
    return np.flatnonzero(~missing)


class KnownLabels(NamedTuple):
    """The labels that are not missing, and the rows that have them; None if all do."""

    labels: NDArray[Any]
    kept: NDArray[np.int64] | None


def drop_unlabelled(
    labels: NDArray[Any], unlabelled: Unlabelled = "leave out", name: str | None = None, *, stacklevel: int = 2
) -> KnownLabels:
    """Return the labels that are not missing, as an array of numbers or texts if they all are that.

    Parameters
    ----------
    labels : array
    unlabelled, name, stacklevel
        As in `with_label`.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     drop_unlabelled(np.array([1, None, 2], dtype=object))
    KnownLabels(labels=array([1, 2]), kept=array([0, 2]))
    """
    kept = with_label(missing_labels(labels), unlabelled, name, stacklevel=stacklevel + 1)
    if kept is None:
        return KnownLabels(labels, None)
    chosen = labels[kept]
    is_mixed = chosen.dtype != object or len({type(label) for label in chosen}) > 1
    return KnownLabels(chosen if is_mixed else np.array(chosen.tolist()), kept)


def _is_missing(label: Any) -> bool:
    if label is None:
        return True
    differs = label != label  # as NaN does from itself; NA of pandas says neither yes nor no
    return bool(differs) if isinstance(differs, bool | np.bool_) else type(label).__name__ == "NAType"
