"""Kernels that split a node by gradients and Hessians, for boosting.

A node has a histogram: for each bin of each column the sums of its gradients and Hessians, and its number of rows.
Only the smaller child of a split is counted; the histogram of the other is the difference (`fill`). One pass over the
bins of a column then visits each member of its tests (`find`). The reduction of the loss by a Newton step is
G² / (H + l2) / 2, so a split gains what its children have more than the node (Chen and Guestrin, 2016).

A column is counted by one thread, in the order of the rows, so that the number of threads changes nothing. Rows
without a value have a bin of their own, before the others. Values of a nominal attribute are sorted by their ratio of
gradients to Hessians, and the best set of values is one of the first or last of them (Fisher, 1958).

The twin of these kernels is ``tests/splitters/slow_boosted.py``.
"""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from structtree.arrays import Codes, Floats, Ints
from structtree.search.kernels.tables import AT_LEAST, AT_MOST, EQUAL, NOTHING, SUBSET

__all__ = [
    "EQUAL_GAINS",
    "Histograms",
    "NewtonColumns",
    "NewtonLimits",
    "fill",
    "find",
    "mark_rows",
    "members_of",
    "subtract",
]


EQUAL_GAINS = 1e-10
"""Maximum difference of equal reductions of the loss, as a fraction of them, due to rounding."""


class NewtonColumns(NamedTuple):
    """Binned columns with their bins in a histogram.

    Parameters
    ----------
    values : (columns, n) int8 or int16
        -1 for missing.
    starts : (columns + 1,) int64
        The first bin of each column, which is that of missing values.
    tests : (tests, 2) int64
        The column and the form of each test.
    signs : (tests,) int8
        1 or -1 if the value of the yes branch must not be less, or greater, than that of the no branch; else 0.
    """

    values: NDArray[Any]
    starts: Ints
    tests: Ints
    signs: NDArray[np.int8]


class Histograms(NamedTuple):
    """Histograms of the open leaves of a tree: gradients, Hessians and numbers of rows, as (leaves, bins)."""

    gradients: Floats
    hessians: Floats
    counts: Codes


class NewtonLimits(NamedTuple):
    """Limits of both children of a split: rows and sum of Hessians; and the penalty of leaf values."""

    leaf: int
    hessian: float
    l2: float


@njit(nogil=True, cache=True)
def gather(rows: Any, gradients: Any, hessians: Any, into: Any) -> None:
    """Copy the gradients and Hessians of some rows, in their order, into an array (2, rows)."""
    for p in range(len(rows)):
        row = np.uint32(rows[p])
        into[0, p], into[1, p] = gradients[row], hessians[row]


@njit(nogil=True, cache=True, error_model="numpy")
def fill(
    columns: Any, tested: Any, starts: Any, rows: Any, gradients: Any, hessians: Any, sums: Any, weights: Any,
    counts: Any,
) -> None:  # fmt: skip
    """Count some columns of a node, two at a time, since rows and gradients are then read half as often.

    Parameters
    ----------
    columns : (columns, n) int8 or int16
    tested : (m,) int64
        The columns to count.
    starts : (columns + 1,) int64
    rows : (k,) int32
    gradients, hessians : (k,) float64
        Those of the rows.
    sums, weights, counts : (bins,) array
        Filled with the histogram.
    """
    for column in tested:
        for b in range(starts[column], starts[column + 1]):
            sums[b], weights[b], counts[b] = 0.0, 0.0, 0
    for i in range(0, len(tested) - 1, 2):
        one, other = columns[tested[i]], columns[tested[i + 1]]
        known, other_known = starts[tested[i]] + 1, starts[tested[i + 1]] + 1
        for p in range(len(rows)):
            row, gradient, hessian = np.uint32(rows[p]), gradients[p], hessians[p]
            first, second = np.uint32(known + one[row]), np.uint32(other_known + other[row])
            sums[first] += gradient
            weights[first] += hessian
            counts[first] += 1
            sums[second] += gradient
            weights[second] += hessian
            counts[second] += 1
    if len(tested) % 2 == 1:
        last = columns[tested[-1]]
        known = starts[tested[-1]] + 1
        for p in range(len(rows)):
            place = np.uint32(known + last[np.uint32(rows[p])])
            sums[place] += gradients[p]
            weights[place] += hessians[p]
            counts[place] += 1


@njit(nogil=True, cache=True, error_model="numpy")
def subtract(tested: Any, starts: Any, small: Any, large: Any, histograms: Any) -> None:
    """Subtract a child from its parent in some columns, so that the other child remains."""
    sums, weights, counts = histograms
    for column in tested:
        for b in range(starts[column], starts[column + 1]):
            sums[large, b] -= sums[small, b]
            weights[large, b] -= weights[small, b]
            counts[large, b] -= counts[small, b]


# ---- the best split --------------------------------------------------------------------------------------------


@njit(nogil=True, cache=True, error_model="numpy", inline="always")
def _reduction(gradient: float, hessian: float, l2: float, low: float, high: float) -> float:
    """Return the reduction of the loss by the best step within bounds."""
    if low == -inf and high == inf:
        return 0.5 * gradient * gradient / (hessian + l2)
    step = min(max(-gradient / (hessian + l2), low), high)
    return -step * (gradient + 0.5 * (hessian + l2) * step)


@njit(nogil=True, cache=True, error_model="numpy", inline="always")
def _gain(
    gradient: float, hessian: float, n: int, total: Any, limits: Any, sign: int, low: float, high: float
) -> float:
    """Return the reduction of the loss by both children of a split; minus infinity if it is not allowed."""
    other, rest, l2 = total[0] - gradient, total[1] - hessian, limits.l2
    few = n < limits.leaf or total[2] - n < limits.leaf
    if few or hessian < limits.hessian or rest < limits.hessian or hessian + l2 <= 0.0 or rest + l2 <= 0.0:
        return -inf
    if sign != 0:
        yes, no = -gradient / (hessian + l2), -other / (rest + l2)
        yes, no = min(max(yes, low), high), min(max(no, low), high)
        if (yes - no) * sign < 0.0:
            return -inf
    return _reduction(gradient, hessian, l2, low, high) + _reduction(other, rest, l2, low, high)


@njit(nogil=True, cache=True, error_model="numpy", inline="always")
def _is_better(gain: float, best: float) -> bool:
    """Return whether a reduction is larger beyond rounding, so that the first of equal splits is taken."""
    return gain > -inf and (best == -inf or gain > best + EQUAL_GAINS * abs(best))


@njit(nogil=True, cache=True, error_model="numpy")
def find(
    chosen: Any, columns: Any, histogram: Any, slot: int, total: Any, limits: Any, low: float, high: float, at: Any,
    sums: Any,
) -> float:  # fmt: skip
    """Return the best reduction of the loss by a split; minus infinity if no split is allowed.

    Parameters
    ----------
    chosen : (m,) int64
        The tests to try, in their order; the first of equal ones is taken.
    columns : NewtonColumns
    histogram : Histograms
    slot : int
        The histogram of the node.
    total : (3,) float64
        The sums of gradients and of Hessians of the node, and its number of rows.
    limits : NewtonLimits
    low, high : float
        Bounds of the values of the children.
    at : (3,) int64
        Set to the test and the codes on both sides of its threshold, or its value, or for a set of values their
        number and whether they are the last ones.
    sums : (3,) float64
        Set to the sums of gradients and of Hessians, and the number of rows, of the yes branch.
    """
    best = -inf
    for t in chosen:
        column, form, sign = columns.tests[t, 0], columns.tests[t, 1], columns.signs[t]
        first, last = columns.starts[column] + 1, columns.starts[column + 1]
        gradients = histogram.gradients[slot, first:last]
        hessians = histogram.hessians[slot, first:last]
        counts = histogram.counts[slot, first:last]
        if form == SUBSET:
            best = _find_set(best, t, gradients, hessians, counts, total, limits, low, high, at, sums)
            continue
        # Rows without a value are below every threshold of ``>=``, and above every threshold of ``<=``.
        gradient, hessian, before = 0.0, 0.0, NOTHING
        n: Any = np.int64(0)
        if form == AT_LEAST:
            gradient = histogram.gradients[slot, first - 1]
            hessian = histogram.hessians[slot, first - 1]
            n = np.int64(histogram.counts[slot, first - 1])
        for code in range(last - first):
            if counts[code] == 0:
                continue
            if form == EQUAL:
                gradient, hessian, n, before = gradients[code], hessians[code], np.int64(counts[code]), code
            if before >= 0:
                gain = _gain(gradient, hessian, n, total, limits, -sign if form == AT_LEAST else sign, low, high)
                if _is_better(gain, best):
                    best = gain
                    at[0], at[1], at[2] = t, before, code
                    sums[0], sums[1], sums[2] = gradient, hessian, n
                    if form == AT_LEAST:
                        sums[0], sums[1], sums[2] = total[0] - gradient, total[1] - hessian, total[2] - n
            if form != EQUAL:
                gradient, hessian, n, before = (
                    gradient + gradients[code], hessian + hessians[code], n + counts[code], code
                )  # fmt: skip
    return best


# ---- sets of values --------------------------------------------------------------------------------------------


@njit(nogil=True, cache=True, error_model="numpy")
def _in_order(gradients: Any, hessians: Any, counts: Any, l2: float) -> Any:
    """Return the values that occur, by ascending ratio of gradients to Hessians."""
    present = np.flatnonzero(counts > 0)
    ratios = gradients[present] / (hessians[present] + l2)
    return present[np.argsort(ratios, kind="mergesort")]


@njit(nogil=True, cache=True, error_model="numpy")
def _find_set(
    best: float, t: int, gradients: Any, hessians: Any, counts: Any, total: Any, limits: Any, low: float, high: float,
    at: Any, sums: Any,
) -> float:  # fmt: skip
    """Try the first values in their order, and the last ones: rows without a value make a difference."""
    order = _in_order(gradients, hessians, counts, limits.l2)
    for is_last in range(2):
        gradient, hessian = 0.0, 0.0
        n: Any = np.int64(0)
        for place in range(len(order)):
            code = order[len(order) - 1 - place] if is_last == 1 else order[place]
            gradient, hessian, n = gradient + gradients[code], hessian + hessians[code], n + np.int64(counts[code])
            gain = _gain(gradient, hessian, n, total, limits, 0, low, high)
            if _is_better(gain, best):
                best = gain
                at[0], at[1], at[2] = t, place + 1, is_last
                sums[0], sums[1], sums[2] = gradient, hessian, n
    return best


@njit(nogil=True, cache=True, error_model="numpy")
def members_of(at: Any, columns: Any, histogram: Any, slot: int, l2: float) -> Any:
    """Return which values are in the set that `find` found, as booleans."""
    column = columns.tests[at[0], 0]
    first, last = columns.starts[column] + 1, columns.starts[column + 1]
    bins = (histogram.gradients[slot, first:last], histogram.hessians[slot, first:last])
    order = _in_order(bins[0], bins[1], histogram.counts[slot, first:last], l2)
    inside = np.zeros(last - first, dtype=np.bool_)
    inside[order[len(order) - at[1] :] if at[2] == 1 else order[: at[1]]] = True
    return inside


# ---- dividing --------------------------------------------------------------------------------------------------


@njit(nogil=True, cache=True)
def mark_rows(codes: Any, form: int, cut: int, inside: Any, rows: Any, goes: Any) -> None:
    """Mark the rows that satisfy a test.

    Parameters
    ----------
    codes : (n,) int8 or int16
    form : int
    cut : int
        The first code above the threshold, or the value.
    inside : (codes,) bool
        The values in a set; empty for other tests.
    rows : (k,) int32
    goes : (n,) bool
        Set for these rows.
    """
    for row in rows:
        code = codes[row]
        if form == AT_LEAST:
            goes[row] = code >= cut
        elif form == AT_MOST:
            goes[row] = 0 <= code < cut
        elif form == SUBSET:
            goes[row] = code >= 0 and inside[code]
        else:
            goes[row] = code == cut
