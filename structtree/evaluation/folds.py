"""Folds for cross-validation: random, by group, in time order, or given as pairs of rows.

scikit-learn's splitters create them: random and stratified by class, by group, or forward in time. `splits_of`
accepts every specification of folds and returns pairs of row numbers.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import GroupKFold, RepeatedKFold, RepeatedStratifiedKFold, TimeSeriesSplit

from structtree.arrays import Ints
from structtree.errors import UsageError

__all__ = ["Fold", "GroupFolds", "TimeFolds", "splits_of"]

USUAL_FOLDS = 5
"""Default number of folds by group or time."""


class Fold(NamedTuple):
    """Training and test rows of one fold."""

    train: Ints
    test: Ints


@dataclass(frozen=True, slots=True, eq=False)
class GroupFolds:
    """Folds that keep groups together: no group is in both training and test rows.

    Groups are assigned in order of decreasing size, each to the smallest fold so far. Compatible with scikit-learn's
    splitters.

    Parameters
    ----------
    groups : array
        Group of each individual.
    n_folds : int

    Examples
    --------
    >>> [test.tolist() for _, test in GroupFolds(["a", "b", "a", "c"], 2).split()]
    [[0, 2], [1, 3]]
    """

    groups: ArrayLike
    n_folds: int = USUAL_FOLDS

    def split(self, X: Any = None, y: Any = None) -> Iterator[Fold]:  # noqa: N803  # as scikit-learn calls it
        """Yield the folds; X and y are ignored."""
        groups = np.unique(np.asarray(self.groups), return_inverse=True)[1].ravel()
        n = len(np.unique(groups))
        if not 2 <= self.n_folds <= n:
            raise UsageError(
                f"the number of folds must be between 2 and the number of groups, {n}; got {self.n_folds}"
            )
        found = GroupKFold(self.n_folds).split(np.zeros(len(groups)), groups=groups)
        return (Fold(train, test) for train, test in found)


@dataclass(frozen=True, slots=True, eq=False)
class TimeFolds:
    """Folds in time order: test individuals are later than training individuals; equal times stay together.

    The earliest individuals are never tested. Compatible with scikit-learn's splitters.

    Parameters
    ----------
    times : array of numbers or dates
    n_folds : int

    Examples
    --------
    >>> [(train.tolist(), test.tolist()) for train, test in TimeFolds([2020, 2023, 2021, 2021], 2).split()]
    [([0], [2, 3]), ([0, 2, 3], [1])]
    """

    times: ArrayLike
    n_folds: int = USUAL_FOLDS

    def split(self, X: Any = None, y: Any = None) -> Iterator[Fold]:  # noqa: N803  # as scikit-learn calls it
        """Yield the folds, earliest first; X and y are ignored."""
        distinct, rank = np.unique(np.asarray(self.times), return_inverse=True)
        n = len(distinct)
        if not 2 <= self.n_folds < n:
            message = f"the number of folds must be between 2 and {n - 1}, one less than the number of distinct times"
            raise UsageError(f"{message}; got {self.n_folds}")
        found = TimeSeriesSplit(self.n_folds).split(distinct)
        return (Fold(*(np.flatnonzero(np.isin(rank, part)) for part in parts)) for parts in found)


def splits_of(folds: Any, target: NDArray[Any], *, is_classes: bool, repeats: int, seed: int) -> list[Fold]:
    """Return the folds for a number of folds, a splitter, groups, or pairs of rows.

    Parameters
    ----------
    folds : int, splitter, array of groups, or iterable of pairs
        Number of random folds; any object with a ``split`` method like scikit-learn's splitters; the group of each
        individual; or pairs of training and test rows.
    target : array
    is_classes : bool
        Whether the target has classes; random folds are then stratified.
    repeats : int
        Number of times that random folds are drawn.
    seed : int
        Seed for random folds.

    Examples
    --------
    >>> target = np.array(["a", "b", "a", "b"])
    >>> [test.tolist() for _, test in splits_of(2, target, is_classes=True, repeats=1, seed=0)]
    [[1, 2], [0, 3]]
    >>> [test.tolist() for _, test in splits_of([([0, 1], [2, 3])], target, is_classes=True, repeats=1, seed=0)]
    [[2, 3]]
    """
    if repeats < 1:
        raise UsageError(f"repeats must be an int >= 1; got {repeats}")
    if isinstance(folds, int | np.integer):
        return _random_folds(int(folds), target, is_classes, repeats, seed)
    if repeats > 1:
        raise UsageError(f"repeats must be 1 unless folds is a number; got {repeats}")
    n = len(target)
    if hasattr(folds, "split") and not isinstance(folds, str):
        pairs: Iterable[Any] = folds.split(np.zeros(n), target)
    else:
        pairs = _given(folds, n)
    found = [_fold(pair, n) for pair in pairs]
    if not found:
        raise UsageError("expected at least one fold; got none")
    return found


def _random_folds(folds: int, target: NDArray[Any], is_classes: bool, repeats: int, seed: int) -> list[Fold]:
    n = len(target)
    if not 2 <= folds <= n:
        raise UsageError(f"folds must be an int from 2 to the number of individuals, which is {n}; got {folds}")
    # scikit-learn warns if a class has fewer members than there are folds, and fails if all classes do.
    stratified = is_classes and np.unique(target, return_counts=True)[1].max() >= folds
    splitter = RepeatedStratifiedKFold if stratified else RepeatedKFold
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class", category=UserWarning)
        made = splitter(n_splits=folds, n_repeats=repeats, random_state=seed)
        return [Fold(train, test) for train, test in made.split(np.zeros(n), target)]


def _given(folds: Any, n: int) -> Iterable[Any]:
    """Return pairs of rows as given, or make folds from the group of each individual."""
    wanted = "folds must be an int, a splitter, an array with the group of each individual, or pairs (train, test)"
    if isinstance(folds, str) or not isinstance(folds, Iterable):
        raise UsageError(f"{wanted}; got {folds!r}")
    given = folds if isinstance(folds, np.ndarray) else list(folds)
    if any(isinstance(each, tuple | list | np.ndarray) for each in given) or not len(given):
        return given
    if len(given) != n:
        raise UsageError(f"{wanted}; got {len(given)} groups for {n} individuals")
    return GroupFolds(given, min(USUAL_FOLDS, len(np.unique(np.asarray(given))))).split()


def _fold(pair: Any, n: int) -> Fold:
    """Return a pair as a fold, after checking that its row numbers are valid and disjoint."""
    try:
        train, test = (_rows(part) for part in pair)
    except (TypeError, ValueError):
        raise UsageError(f"a fold must be a pair of row numbers (train, test); got {pair!r}") from None
    for rows in (train, test):
        if not len(rows) or rows.min() < 0 or rows.max() >= n:
            raise UsageError(f"the rows of a fold must be numbers from 0 to {n - 1}; got {rows.tolist()[:5]}")
    both = np.intersect1d(train, test)
    if len(both):
        raise UsageError(f"the training and test rows of a fold must be disjoint; individual {both[0]} is in both")
    return Fold(train, test)


def _rows(part: Any) -> Ints:
    rows = np.asarray(part)
    if rows.dtype.kind == "b":
        return np.flatnonzero(rows)
    if rows.dtype.kind not in "iu" or rows.ndim != 1:
        raise ValueError
    return rows.astype(np.int64)
