"""Random individuals that a model does not learn from, so that its size can be chosen on them; also fold by fold."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import Ints

__all__ = ["fold_numbers", "held_out"]


def held_out(strata: NDArray[Any], share: float, seed: int) -> NDArray[np.bool_]:
    """Return a random sample with about that fraction of every stratum, as a mask.

    Examples
    --------
    >>> held_out(np.array([0, 0, 0, 0, 1, 1, 1, 1]), 0.25, 0).nonzero()[0].size
    2
    """
    n = len(strata)
    order = np.lexsort((np.random.default_rng(seed).permutation(n), strata))
    held = np.zeros(n, dtype=np.bool_)
    held[order] = np.diff(np.floor(np.arange(n + 1) * share + 0.5)) > 0
    return held


def fold_numbers(strata: NDArray[Any], folds: int, rng: np.random.Generator) -> Ints:
    """Return a stratified fold number for each individual.

    Examples
    --------
    >>> np.bincount(fold_numbers(np.array([0, 0, 0, 1, 1, 1]), 3, np.random.default_rng(0))).tolist()
    [2, 2, 2]
    """
    n = len(strata)
    fold_of = np.empty(n, dtype=np.int64)
    fold_of[np.lexsort((rng.permutation(n), strata))] = np.arange(n) % folds
    return fold_of
