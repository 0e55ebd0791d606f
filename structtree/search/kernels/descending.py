"""Going down a tree of plain tests; its twin is `structtree.learn.routing.holds_among`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

__all__ = ["descend"]


@njit(nogil=True, cache=True, inline="always")
def _side(cells: Any, row: Any, node: Any, places: Any, low: Any, high: Any, sides: Any) -> Any:
    """Where a row goes on from a node; both comparisons are made, which is quicker than guessing the first."""
    value = cells[row, places[node]]
    return sides[node, np.int64((value >= low[node]) & (value <= high[node]))]


@njit(nogil=True, cache=True)
def descend(cells: Any, places: Any, low: Any, high: Any, sides: Any, leaves: Any) -> None:
    """Find the leaf of each row.

    Four rows go at a time: what one waits for, the others do not.

    Parameters
    ----------
    cells : (rows, columns) float64
        NaN where there is no value: every test of it is false.
    places, low, high : one for each node
        The column that it asks about, and between which values the test holds; nothing is between NaN and NaN.
    sides : (nodes, 2)
        Where false and true lead; in a leaf nothing is true, and false leads to itself.
    leaves : (rows,) int64
        Where the result goes.
    """
    n = len(leaves)
    for row in range(0, n, 4):
        # The last rows may go twice: that there are four is what makes it quick.
        second, third, fourth = min(row + 1, n - 1), min(row + 2, n - 1), min(row + 3, n - 1)
        a = b = c = d = np.int64(0)
        moving = True
        while moving:
            next_a = _side(cells, row, a, places, low, high, sides)
            next_b = _side(cells, second, b, places, low, high, sides)
            next_c = _side(cells, third, c, places, low, high, sides)
            next_d = _side(cells, fourth, d, places, low, high, sides)
            moving = next_a != a or next_b != b or next_c != c or next_d != d
            a, b, c, d = next_a, next_b, next_c, next_d
        leaves[row], leaves[second], leaves[third], leaves[fourth] = a, b, c, d
