"""Detection and removal of individuals without a label."""

from __future__ import annotations

import warnings
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from structtree.errors import DataError, UsageError

__all__ = ["KnownLabels", "Unlabelled", "drop_unlabelled", "label_array", "labelled_rows", "missing_labels"]

Unlabelled = Literal["leave out", "refuse"]
"""Treatment of individuals without a label."""


def label_array(labels: Any) -> NDArray[Any]:
    """Return labels as an array, with dtype object if some are missing, so that NaN does not become ``"nan"``.

    Examples
    --------
    >>> label_array(["a", float("nan")]), label_array(["a", "b"])
    (array(['a', nan], dtype=object), array(['a', 'b'], dtype='<U1'))
    """
    if isinstance(labels, list | tuple) and all(
        isinstance(x, str | bytes) or not hasattr(x, "__len__") for x in labels
    ):
        objects = np.array(labels, dtype=object)
        if missing_labels(objects).any():
            return objects
    return np.asarray(labels)


def missing_labels(labels: ArrayLike) -> NDArray[np.bool_]:
    """Return a mask of the missing labels: None, NaN, NaT or NA.

    Examples
    --------
    >>> missing_labels(["a", None, float("nan")]).tolist(), missing_labels([1, 2]).tolist()
    ([False, True, True], [False, False])
    """
    known = labels if isinstance(labels, np.ma.MaskedArray) else np.asarray(labels)
    masked = np.asarray(np.ma.getmaskarray(known))
    match known.dtype.kind:
        case "f" | "c":
            return np.asarray(np.isnan(known) | masked)
        case "M" | "m":
            return np.asarray(np.isnat(known) | masked)
        case "O" if known.ndim == 1:
            return np.fromiter(map(_is_missing, known), dtype=np.bool_, count=len(known)) | masked
    return masked


def labelled_rows(
    missing: NDArray[np.bool_], unlabelled: Unlabelled = "leave out", name: str | None = None, *, stacklevel: int = 2
) -> NDArray[np.int64] | None:
    """Return the indices of the individuals with a label, or None if no label is missing.

    Parameters
    ----------
    missing : array of bool
        Mask of the individuals without a label.
    unlabelled : {"leave out", "refuse"}
        Whether to skip individuals without a label with a warning, or to raise an error.
    name : str, optional
        Name of the target.
    stacklevel : int
        As for `warnings.warn`.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     labelled_rows(np.array([False, True, False]), name="price")
    array([0, 2])
    >>> print(caught[0].message)
    skipped 1 of 3 individuals without a value for price
    """
    if unlabelled not in get_args(Unlabelled):
        raise UsageError(f"unlabelled must be 'leave out' or 'refuse'; got {unlabelled!r}")
    n, n_missing = len(missing), int(missing.sum())
    if not n_missing:
        return None
    target = "the target" if name is None else f"the target {name!r}"
    if n_missing == n:
        raise DataError(f"{target} is missing for all {n:,} individuals")
    if unlabelled == "refuse":
        fix = "to skip individuals without a label: unlabelled='leave out'"
        raise DataError(f"{target} has no value", individual=int(np.argmax(missing)), fix=fix)
    lacking = "label" if name is None else f"value for {name}"
    warnings.warn(f"skipped {n_missing:,} of {n:,} individuals without a {lacking}", stacklevel=stacklevel + 1)
    return np.flatnonzero(~missing)


class KnownLabels(NamedTuple):
    """Labels that are not missing, with their rows out of `n`; `kept` is None if no label is missing."""

    labels: NDArray[Any]
    kept: NDArray[np.int64] | None
    n: int

    def weights(self, sample_weight: ArrayLike | None) -> ArrayLike | None:
        """Return the sample weights of the rows that have a label."""
        if sample_weight is None or self.kept is None:
            return sample_weight
        weights = np.asarray(sample_weight)
        if weights.shape != (self.n,):
            raise DataError(f"expected {self.n} sample weights; got an array of shape {weights.shape}")
        return weights[self.kept]


def drop_unlabelled(
    labels: NDArray[Any], unlabelled: Unlabelled = "leave out", name: str | None = None, *, stacklevel: int = 2
) -> KnownLabels:
    """Return the labels that are not missing, as an array of numbers or strings if they have one type.

    Parameters
    ----------
    labels : array
    unlabelled, name, stacklevel
        As for `labelled_rows`.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     drop_unlabelled(np.array([1, None, 2], dtype=object))
    KnownLabels(labels=array([1, 2]), kept=array([0, 2]), n=3)
    """
    kept = labelled_rows(missing_labels(labels), unlabelled, name, stacklevel=stacklevel + 1)
    if kept is None:
        return KnownLabels(labels, None, len(labels))
    chosen = labels[kept]
    is_mixed = chosen.dtype != object or len({type(label) for label in chosen}) > 1
    return KnownLabels(chosen if is_mixed else np.array(chosen.tolist()), kept, len(labels))


def _is_missing(label: Any) -> bool:
    if label is None:
        return True
    differs = label != label  # true for NaN; neither true nor false for NA of pandas
    return bool(differs) if isinstance(differs, bool | np.bool_) else type(label).__name__ == "NAType"
