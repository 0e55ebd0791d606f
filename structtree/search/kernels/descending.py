"""Going down a tree of plain tests, one row after the other; its twin is `structtree.learn.routing.holds_among`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

__all__ = ["AT_LEAST", "AT_MOST", "EQUAL", "descend"]

AT_LEAST, AT_MOST, EQUAL = range(3)


@njit(nogil=True, cache=True)
def descend(columns: Any, asked: Any, forms: Any, bounds: Any, yes: Any, no: Any, leaves: Any) -> None:
    """Find the leaf of each row.

    Parameters
    ----------
    columns : (columns, rows) float64
        NaN where there is no value: every test of it is false.
    asked, forms, bounds, yes, no : one for each node
        The column of its test (-1 in a leaf), the form, what it compares with, and where both answers lead.
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
            else:
                true = value == bound
            node = yes[node] if true else no[node]
        leaves[row] = node
