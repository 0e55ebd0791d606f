"""Going down a tree of plain tests, one row after the other; its twin is `structtree.learn.routing.holds_among`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

__all__ = ["AMONG", "AT_LEAST", "AT_MOST", "EQUAL", "descend"]

AT_LEAST, AT_MOST, EQUAL, AMONG = range(4)


@njit(nogil=True, cache=True)
def descend(columns: Any, asked: Any, forms: Any, bounds: Any, sets: Any, yes: Any, no: Any, leaves: Any) -> None:
    """Find the leaf of each row.

    Parameters
    ----------
    columns : (columns, rows) float64
        NaN where there is no value: every test of it is false.
    asked, forms, bounds, yes, no : one for each node
        The column of its test (-1 in a leaf), the form, what it compares with, and where both answers lead. The bound
        of a set is where its values begin in `sets`.
    sets : array of bool
        For each set, and each code of its column, whether it is in the set.
    leaves : (rows,) int64
        Where the result goes.
    """
    for row in range(columns.shape[1]):
        node = np.int64(0)
        while asked[node] >= 0:
            value, bound = columns[asked[node], row], bounds[node]
            if forms[node] == AT_LEAST:
                true = value >= bound
            elif forms[node] == AT_MOST:
                true = value <= bound
            elif forms[node] == AMONG:
                true = value >= 0 and sets[np.int64(bound) + np.int64(value)]
            else:
                true = value == bound
            node = yes[node] if true else no[node]
        leaves[row] = node
