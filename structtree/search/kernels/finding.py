"""Kernel that finds the best members of each column: by the guide, and by the loss as a split."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
from numba import njit

__all__ = ["best_of_columns"]


@njit(nogil=True, cache=True)
def best_of_columns(guide: Any, losses: Any, sizes: Any, offsets: Any, least: int, most: int, whole: int) -> Any:
    """Return the members of each column with the smallest guide and with the smallest loss; -1 for none.

    Parameters
    ----------
    guide : (members,) float64
    losses : (members, 2) float64, compared one component after the other
    sizes : (members,) int64
    offsets : (columns + 1,) int64
    least, most : int
        The minimum and maximum number of individuals that a split keeps.
    whole : int
        The number of all individuals; a member that keeps them all is not a refinement.

    Returns
    -------
    (columns, 2) int64
    """
    found = np.full((len(offsets) - 1, 2), -1, dtype=np.int64)
    for f in range(len(found)):
        best_guide, first, second = inf, inf, inf
        for m in range(offsets[f], offsets[f + 1]):
            if sizes[m] < least:
                continue
            if sizes[m] < whole and guide[m] < best_guide:
                best_guide = guide[m]
                found[f, 0] = m
            if sizes[m] <= most and (losses[m, 0] < first or (losses[m, 0] == first and losses[m, 1] < second)):
                first, second = losses[m, 0], losses[m, 1]
                found[f, 1] = m
    return found
