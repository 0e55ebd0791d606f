"""Kernels that split a table: the best single test of a node, and whole subtrees.

Columns with many values are sorted once: `order` has their rows in ascending order, missing values last, and a node
is the same range of positions in every column. One sweep over the range visits every threshold; splitting a node
partitions its range in every column and keeps the order. Columns with few values have *codes* instead, and a node
counts its rows by code.

A threshold between two neighbouring values whose rows all have the same class is never best (the losses are concave
along such a stretch: Fayyad and Irani), so that it is skipped.

The twin of these kernels is the general search: the same tests, the same losses, and the first of equal results.

The losses (`structtree.tasks.losses`) are compiled into them. Numba does not notice changes there: clear its caches.
"""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from structtree.arrays import TOLERANCE
from structtree.search.kernels.grouping import FEW_VALUES, all_sums, lies_in_a_plane, value_orders
from structtree.tasks.losses import (
    ACCURACY_STAR,
    GAIN_RATIO,
    MSE,
    bits_of_many,
    class_slack,
    dust,
    entropy_of_two,
    is_better,
    loss_of_many,
    loss_of_two,
    pure_parts,
    rest,
)

__all__ = [
    "AT_LEAST",
    "AT_MOST",
    "EQUAL",
    "MULTIWAY",
    "SUBSET",
    "Limits",
    "SweepTask",
    "SweptColumns",
    "divide",
    "divide_some",
    "gains",
    "is_better",
    "mark",
    "rank",
    "rounding",
    "send",
    "squared_deviation",
    "totals",
    "try_tests",
]

AT_LEAST, AT_MOST, EQUAL, SUBSET, MULTIWAY = range(5)
"""The forms of tests: ``a >= t``, ``a <= t`` for all t, ``a = v`` for all v, ``a in V`` for all sets V, and a branch
for each v, which is not swept."""

NOTHING = -1


class SweptColumns(NamedTuple):
    """Columns in the form that the kernels need; see `structtree.search.columns.TestColumns`.

    Parameters
    ----------
    order : (sorted columns, n) int32
        Rows of the first columns in ascending order of their values, missing ones last; partitioned with the nodes.
    values : (columns, n) int32
        The rank of each row's value among the distinct values; -1 for missing.
    sizes : (columns,) int64
        Number of distinct values.
    tests : (tests, 2) int64
        The column of each test and its form, in the order of generation.
    rows : (n,) int32
        The rows of the nodes; partitioned with them.
    """

    order: NDArray[np.int32]
    values: NDArray[np.int32]
    sizes: NDArray[np.int64]
    tests: NDArray[np.int64]
    rows: NDArray[np.int32]


class SweepTask(NamedTuple):
    """Target of a tree, in the form that the kernels need.

    Parameters
    ----------
    kind : int
        The kind of loss; see `structtree.tasks.losses`.
    n_classes : int
        0 for regression.
    labels : (n,) int32, targets : (n,) float64
        Classes, or centred numbers; the other array is empty.
    weights : (n,) float64
        Empty if all weights are 1.
    table : array of float64
        v log2 v for whole numbers, or empty.
    weight : float
        The weight of all rows.
    mean : float
        The mean that was subtracted from the targets.
    """

    kind: int
    n_classes: int
    labels: NDArray[np.int32]
    targets: NDArray[np.float64]
    weights: NDArray[np.float64]
    table: NDArray[np.float64]
    weight: float
    mean: float


class Limits(NamedTuple):
    """Limits for splitting a node: maximum depth, minimum size, samples per leaf and impurity decrease."""

    depth: int
    split: int
    leaf: int
    decrease: float


# ---- the loss of a division ----------------------------------------------------------------------------------
@njit(nogil=True, cache=True, error_model="numpy")
def rounding(total: Any, task: Any) -> Any:
    """Return the maximum difference of two equal losses due to rounding."""
    if task.n_classes > 0:
        return class_slack(task.kind, total)
    return TOLERANCE * max(total[2] - total[1] * total[1] / total[0], 0.0) / total[0]


@njit(nogil=True, cache=True, error_model="numpy")
def _loss_of_numbers(w: float, s: float, total: Any) -> Any:
    """Return the mean squared error, from the weight and sum of one branch and the moments of both."""
    no, no_sum = total[0] - w, total[1] - s
    return max(total[2] - s * s / w - no_sum * no_sum / no, 0.0) / total[0]


# ---- sorting -------------------------------------------------------------------------------------------------


@njit(nogil=True, cache=True)
def rank(values: Any, ascending: Any, order: Any, ranks: Any) -> bool:
    """Fill in the order and the ranks of a column's rows, and return whether some values are missing.

    Parameters
    ----------
    values : (n,) float64
    ascending : (n,) int64
        The rows in ascending order of their values, missing ones last.
    order, ranks : (n,) int32
        Filled with the results.
    """
    at = np.int32(0)
    for p in range(len(ascending)):
        row = ascending[p]
        order[p] = row
        if np.isnan(values[row]):
            ranks[row] = NOTHING
            continue
        if p > 0 and values[row] != values[ascending[p - 1]]:
            at += 1
        ranks[row] = at
    return len(ascending) > 0 and np.isnan(values[ascending[-1]])


# ---- all thresholds of a sorted column -------------------------------------------------------------------------
# In ascending order. The sums are those below the threshold: the yes branch of ``<=``, and the no branch of ``>=``,
# which also has the rows without a value. `found` is the best loss and tie, the number of evaluations, and the loss
# of another test; `at` is the test and the rows below and above its threshold.


# The ranks and labels of a node's rows are gathered from memory before the sweep: class changes are unpredictable,
# and mispredicted branches stop prefetching, which made sweeps of a million rows five times as slow.


@njit(nogil=True, cache=True)
def _last_present(order: Any, ranks: Any, lo: int, hi: int) -> int:
    end = hi - 1
    while end >= lo and ranks[np.uint32(order[end])] < 0:
        end -= 1
    return end


@njit(nogil=True, cache=True)
def _fetch(rows: Any, ranks: Any, labels: Any, here: Any) -> int:
    """Copy the ranks and labels of some rows in order, and return the position of the last row with a rank."""
    for p in range(len(rows)):
        row = np.uint32(rows[p])
        here[0, p], here[1, p] = ranks[row], labels[row]
    end = len(rows) - 1
    while end >= 0 and here[0, end] < 0:
        end -= 1
    return end


@njit(nogil=True, cache=True)
def _is_inside(ranks: Any, p: int, end: int, n_before: int, n_side: int, n: int, leaf: int) -> bool:
    """Return whether a threshold is inside a run of rows of one class, where it cannot be the best."""
    complete = end == n - 1
    if (p == end or n_before == 0 or not complete) and not (complete and leaf == 1):
        return False
    if p < end and ranks[p + 1] == ranks[p]:
        return False
    return leaf == 1 or (n_before >= leaf and n - n_side > leaf)


@njit(nogil=True, cache=True, error_model="numpy")
def _sweep_classes(
    found: Any, at: Any, t: int, rows: Any, here: Any, end: int, form: int, kind: int, weights: Any, table: Any,
    total: Any, leaf: int, slack: float, pure: Any,
) -> None:  # fmt: skip
    """Sweep the thresholds of a column for classification; `pure` is None for two classes.

    Numba compiles both cases and drops the branches on None. The sums of two classes then stay in registers, which
    is a quarter faster than an array.
    """
    weighted, n = len(weights) > 0, len(rows)
    if end <= 0:
        return
    ranks, labels = here[0], here[1]
    x, y, n_side, n_tried = 0.0, 0.0, 0, 0
    if pure is None:
        all_x, all_y = total[0], total[1]
    else:
        side = np.zeros(len(total))
    if form == AT_LEAST:
        for p in range(end + 1, n):
            w = weights[np.uint32(rows[p])] if weighted else 1.0
            if pure is None:
                x, y = (x + w, y) if labels[p] == 0 else (x, y + w)
            else:
                side[np.uint32(labels[p])] += w
        n_side = n - 1 - end
    weight = total.sum()
    best, best_tie, hint = found[0], found[1], found[3]
    mixed, n_before = False, n_side
    for p in range(1, end + 1):
        w = weights[np.uint32(rows[p - 1])] if weighted else 1.0
        if pure is None:
            second = w * labels[p - 1]
            x += w - second
            y += second
        else:
            side[np.uint32(labels[p - 1])] += w
        n_side += 1
        changes = labels[p] != labels[p - 1]
        if ranks[p] == ranks[p - 1]:
            mixed = mixed or changes
            continue
        if (
            n_side >= leaf
            and n - n_side >= leaf
            and (mixed or changes or not _is_inside(ranks, p, end, n_before, n_side, n, leaf))
        ):
            n_tried += 1
            if pure is None:
                q, r = rest(all_x, x), rest(all_y, y)
                loss = loss_of_two(kind, x, y, q, r, weight, table)
                if loss <= min(best, hint) + slack:
                    tie = entropy_of_two(x, y, q, r, weight, table) if kind == ACCURACY_STAR else 0.0
                    if is_better(loss, tie, best, best_tie, slack):
                        best, best_tie = loss, tie
                        at[0], at[1], at[2] = t, rows[p - 1], rows[p]
            elif _takes(found, hint, kind, side, total, weight, pure, table, slack):
                at[0], at[1], at[2] = t, rows[p - 1], rows[p]
        mixed, n_before = False, n_side
    if pure is None:
        found[0], found[1] = best, best_tie
    found[2] += n_tried


@njit(nogil=True, cache=True, error_model="numpy")
def _sweep_numbers(
    found: Any, at: Any, t: int, order: Any, ranks: Any, form: int, lo: int, hi: int, targets: Any, weights: Any,
    total: Any, leaf: int, slack: float,
) -> None:  # fmt: skip
    """Sweep the thresholds of a column for regression."""
    weighted, n, end = len(weights) > 0, hi - lo, _last_present(order, ranks, lo, hi)
    if end <= lo:
        return
    side, moment, n_side, n_tried = 0.0, 0.0, 0, 0
    if form == AT_LEAST:
        for p in range(end + 1, hi):
            row = np.uint32(order[p])
            w = weights[row] if weighted else 1.0
            side, moment = side + w, moment + w * targets[row]
        n_side = hi - 1 - end
    best = found[0]
    row = np.uint32(order[lo])
    rank = ranks[row]
    for p in range(lo + 1, end + 1):
        w = weights[row] if weighted else 1.0
        side += w
        moment += w * targets[row]
        n_side += 1
        following = np.uint32(order[p])
        next_rank = ranks[following]
        if next_rank != rank and n_side >= leaf and n - n_side >= leaf:
            n_tried += 1
            loss = _loss_of_numbers(side, moment, total)
            if loss < best - slack:
                best = loss
                at[0], at[1], at[2] = t, row, following
        row, rank = following, next_rank
    found[0], found[1] = best, 0.0
    found[2] += n_tried


# ---- all tests of a column with few values ---------------------------------------------------------------------


@njit(nogil=True, cache=True, error_model="numpy")
def _takes(
    found: Any, hint: float, kind: int, side: Any, total: Any, weight: float, pure: Any, table: Any, slack: float
) -> bool:
    """Record a split if it is better than the best so far; return whether it was recorded."""
    if kind == MSE:
        loss = _loss_of_numbers(side[0], side[1], total)
    elif len(total) == 2 and kind != GAIN_RATIO:
        p, q = rest(total[0], side[0]), rest(total[1], side[1])
        loss = loss_of_two(kind, side[0], side[1], p, q, weight, table)
    else:
        loss = loss_of_many(kind, side, total, weight, pure, table)
    if loss > min(found[0], hint) + slack:
        return False
    tie = bits_of_many(side, total, weight, pure, table) if kind == ACCURACY_STAR else 0.0
    if is_better(loss, tie, found[0], found[1], slack):
        found[0], found[1] = loss, tie
        return True
    return False


@njit(nogil=True, cache=True, error_model="numpy")
def _count_codes(
    codes: Any, n_codes: int, rows: Any, lo: int, hi: int, width: int, labels: Any, targets: Any, weights: Any
) -> Any:
    """Return the class weights (or weight and sum of targets), the number of rows and one row of each code."""
    counts = np.zeros((n_codes, width))
    sizes = np.zeros(n_codes, dtype=np.int64)
    some = np.zeros(n_codes, dtype=np.int32)
    weighted, classes = len(weights) > 0, len(labels) > 0
    for p in range(lo, hi):
        row = np.uint32(rows[p])
        if codes[row] < 0:
            continue
        code = np.uint32(codes[row])
        w = weights[row] if weighted else 1.0
        if classes:
            counts[code, np.uint32(labels[row])] += w
        else:
            counts[code, 0] += w
            counts[code, 1] += w * targets[row]
        sizes[code] += 1
        some[code] = row
    return counts, sizes, some


@njit(nogil=True, cache=True, error_model="numpy")
def _by_codes(
    found: Any, at: Any, t: int, column: int, form: int, lo: int, hi: int, columns: Any, task: Any, total: Any,
    leaf: int, pure: Any, slack: float,
) -> None:  # fmt: skip
    """Try all values of a coded column, or all its thresholds in ascending order."""
    n_codes, kind, table = columns.sizes[column], task.kind, task.table
    width = 2 if kind == MSE else task.n_classes
    counts, sizes, some = _count_codes(
        columns.values[column], n_codes, columns.rows, lo, hi, width, task.labels, task.targets, task.weights
    )
    weight = total.sum()
    n, before, hint = hi - lo, NOTHING, found[3]
    side, n_side = np.zeros(width), 0
    if form == AT_LEAST:
        side, n_side = _rest_of(counts, total), n - sizes.sum()
    for code in range(n_codes):
        if sizes[code] == 0:
            continue
        if form == EQUAL:
            side[:], n_side, before = counts[code], sizes[code], code
        if before >= 0 and n_side >= leaf and n - n_side >= leaf:
            found[2] += 1
            if _takes(found, hint, kind, side, total, weight, pure, table, slack):
                at[0], at[1], at[2] = t, some[before], some[code]
        if form != EQUAL:
            side += counts[code]
            n_side += sizes[code]
            before = code


@njit(nogil=True, cache=True)
def _rest_of(counts: Any, total: Any) -> Any:
    """Return the sums over the rows whose value is missing."""
    rest = total[: counts.shape[1]].copy()
    for code in range(len(counts)):
        rest -= counts[code]
    for k in range(len(rest)):
        if abs(rest[k]) <= dust(abs(total[k])):
            rest[k] = 0.0
    return rest


# ---- all sets of values ----------------------------------------------------------------------------------------
# `best` is the smallest loss and tie of a set with enough rows in both branches, and the number of values in its
# text; `free` is the smallest loss and tie of any set.


@njit(nogil=True, cache=True, error_model="numpy")
def _by_sets(
    found: Any, at: Any, t: int, column: int, lo: int, hi: int, columns: Any, task: Any, total: Any, leaf: int,
    pure: Any, slack: float,
) -> Any:  # fmt: skip
    """Find the best set of values; return a mask of its codes, and the least loss and tie of any untried set."""
    classes, n = task.n_classes > 0, hi - lo
    width = task.n_classes if classes else 2
    counts, sizes, some = _count_codes(
        columns.values[column], columns.sizes[column], columns.rows, lo, hi, width, task.labels, task.targets,
        task.weights,
    )  # fmt: skip
    chosen, codes = np.zeros(len(sizes), dtype=np.bool_), np.empty(len(sizes), dtype=np.int64)
    n_present, n_known = 0, 0
    for code in range(len(sizes)):
        n_known += sizes[code]
        if sizes[code] > 0:
            codes[n_present], counts[n_present], sizes[n_present] = code, counts[code], sizes[code]
            n_present += 1
    gaps = n_known < n
    if n_present == 0 or (n_present == 1 and not gaps):
        return chosen, inf, inf
    codes, counts, sizes = codes[:n_present], counts[:n_present], sizes[:n_present]
    inside = np.zeros(len(codes), dtype=np.bool_)
    best, free = np.array([inf, inf, inf]), np.array([inf, inf])
    in_plane, few = lies_in_a_plane(counts, classes), len(codes) <= FEW_VALUES
    proved = False
    if in_plane or not few:
        found[2] += _by_orders(best, free, inside, counts, sizes, n, gaps, task, total, leaf, pure, slack)
        proved = in_plane and not is_better(free[0], free[1], best[0], best[1], slack)
    if few and not proved:
        found[2] += _by_all_sets(best, free, inside, counts, sizes, n, gaps, task, total, leaf, pure, slack)
        proved = True
    if best[0] < inf:
        found[0], found[1] = best[0], best[1]
        at[0], at[1], at[2] = t, some[codes[0]], some[codes[0]]
        named = 0
        for v in range(n_present):
            named += inside[v]
        turned = not gaps and (2 * named > n_present or (2 * named == n_present and not inside[0]))
        for v in range(n_present):
            chosen[codes[v]] = inside[v] != turned
    if proved:
        return chosen, inf, inf
    return (chosen, free[0], free[1]) if in_plane else (chosen, -inf, -inf)


@njit(nogil=True, cache=True, error_model="numpy")
def _by_orders(
    best: Any, free: Any, inside: Any, counts: Any, sizes: Any, n: int, gaps: bool, task: Any, total: Any, leaf: int,
    pure: Any, slack: float,
) -> int:  # fmt: skip
    """Try the prefixes of all orders, and the suffixes if values are missing; return the number of tried sets."""
    n_values, n_tried, n_inside = len(counts), 0, 0
    orders = value_orders(counts, task.n_classes > 0)
    side, chosen = np.zeros(counts.shape[1]), (0, 0)
    for i in range(len(orders)):
        for turned in range(1 + gaps):
            side[:], n_side = 0.0, 0
            for place in range(n_values):
                value = orders[i, n_values - 1 - place if turned else place]
                side += counts[value]
                n_side += sizes[value]
                named = place + 1 if gaps else min(place + 1, n_values - 1 - place)
                n_tried += leaf <= n_side <= n - leaf
                if n_side < n and _takes_set(best, free, side, n_side, named, n, task, total, leaf, pure, slack):
                    chosen, n_inside = (i, turned), place + 1
    for place in range(n_inside):
        inside[orders[chosen[0], n_values - 1 - place if chosen[1] else place]] = True
    return n_tried


@njit(nogil=True, cache=True, error_model="numpy")
def _by_all_sets(
    best: Any, free: Any, inside: Any, counts: Any, sizes: Any, n: int, gaps: bool, task: Any, total: Any, leaf: int,
    pure: Any, slack: float,
) -> int:  # fmt: skip
    """Try every set of values; without missing values, only one of each set and its complement."""
    n_values, n_tried = len(counts), 0
    sums, n_rows = all_sums(counts, sizes)
    for s in range(1, len(sums) if gaps else len(sums) // 2):
        named = 0
        for v in range(n_values):
            named += (s >> v) & 1
        named = named if gaps else min(named, n_values - named)
        n_tried += leaf <= n_rows[s] <= n - leaf
        if n_rows[s] < n and _takes_set(best, free, sums[s], n_rows[s], named, n, task, total, leaf, pure, slack):
            for v in range(n_values):
                inside[v] = (s >> v) & 1 == 1
    return n_tried


@njit(nogil=True, cache=True, error_model="numpy")
def _takes_set(
    best: Any, free: Any, side: Any, n_side: int, named: int, n: int, task: Any, total: Any, leaf: int, pure: Any,
    slack: float,
) -> bool:  # fmt: skip
    """Record a set if it is better than the best so far, or as good and shorter; return whether it was recorded."""
    tie = 0.0
    if task.n_classes > 0:
        loss = loss_of_many(task.kind, side, total, total.sum(), pure, task.table)
        if task.kind == ACCURACY_STAR:
            tie = bits_of_many(side, total, total.sum(), pure, task.table)
    else:
        loss = _loss_of_numbers(side[0], side[1], total)
    if is_better(loss, tie, free[0], free[1], slack):
        free[0], free[1] = loss, tie
    if n_side < leaf or n - n_side < leaf or is_better(best[0], best[1], loss, tie, slack):
        return False
    if is_better(loss, tie, best[0], best[1], slack) or named < best[2]:
        best[0], best[1], best[2] = loss, tie, named
        return True
    return False


@njit(nogil=True, cache=True, error_model="numpy")
def try_tests(
    first: int, last: int, lo: int, hi: int, columns: Any, task: Any, total: Any, leaf: int, sets: Any = None
) -> Any:
    """Return the best of the given tests for splitting a node.

    Parameters
    ----------
    first, last : int
        The range of tests, without the last.
    lo, hi : int
        The range of positions of the node.
    total : (classes,) or (3,) float64
        The class weights of the node, or weight, sum and sum of squares of its targets.
    leaf : int
        Minimum samples per leaf.
    sets : bool, optional
        None unless some tests have the form ``SUBSET``: numba then skips the code for sets, which takes half of the
        compile time.

    Returns
    -------
    found : loss, tie, how many were evaluated, and the least loss that a set of values may have that was not tried
        The loss is infinite if no test splits the node; the last is infinite if no other set can be as good.
        (Each test is scored separately first, so that the result does not depend on which are tried together.)
    at : the test, and two rows: those on both sides of the threshold (the lower first), or one that has the value
    """
    best, best_at = np.array([inf, inf, 0.0, inf]), np.full(3, NOTHING, dtype=np.int64)
    found, at = best.copy(), best_at.copy()
    pure = pure_parts(total, task.table) if task.n_classes > 0 else np.empty((0, 0))
    slack = rounding(total, task)
    kind, labels, weights, table = task.kind, task.labels, task.weights, task.table
    n_sorted, least, least_tie = len(columns.order), inf, inf
    here = np.empty((2, hi - lo if n_sorted > 0 and task.n_classes > 0 else 0), dtype=np.int32)
    for t in range(first, last):
        column, form = columns.tests[t, 0], columns.tests[t, 1]
        found[0], found[1], found[3] = inf, inf, best[0]
        if sets is not None and form == SUBSET:
            _, loss, tie = _by_sets(
                found, at, t, column, lo, hi, columns, task, total, leaf, pure, slack
            )  # fmt: skip
            if is_better(loss, tie, least, least_tie, 0.0):
                least, least_tie = loss, tie
        elif column >= n_sorted:
            _by_codes(found, at, t, column, form, lo, hi, columns, task, total, leaf, pure, slack)
        else:
            order, ranks = columns.order[column], columns.values[column]
            if task.n_classes == 0:
                _sweep_numbers(found, at, t, order, ranks, form, lo, hi, task.targets, weights, total, leaf, slack)
            else:
                rows = order[lo:hi]
                end = _fetch(rows, ranks, labels, here)
                given = (found, at, t, rows, here, end, form, kind, weights, table, total, leaf, slack)
                if task.n_classes == 2 and kind != GAIN_RATIO:
                    _sweep_classes(*given, None)
                else:
                    _sweep_classes(*given, pure)
        if is_better(found[0], found[1], best[0], best[1], slack):
            best[0], best[1], best_at[:] = found[0], found[1], at
    best[2] = found[2]
    best[3] = least if is_better(least, least_tie, best[0], best[1], slack) else inf
    return best, best_at


# ---- dividing ------------------------------------------------------------------------------------------------


@njit(nogil=True, cache=True)
def _answer(t: int, low: int, high: int, columns: Any, row: Any) -> Any:
    column, form = columns.tests[t, 0], columns.tests[t, 1]
    known = columns.values[column]
    if form == AT_LEAST:
        return known[row] >= known[high]
    if form == AT_MOST:
        return 0 <= known[row] <= known[low]
    return known[row] == known[low]


@njit(nogil=True, cache=True)
def divide(places: Any, lo: int, hi: int, goes: Any, spare: Any) -> int:
    """Partition a range stably, with the rows that satisfy the test first; return the start of the other rows."""
    first, second = lo, 0
    for p in range(lo, hi):
        row = places[p]
        # Written to both; the next row overwrites the wrong one. This avoids an unpredictable branch.
        places[first], spare[second] = row, row
        going: Any = np.int64(goes[np.uint32(row)])
        first += going
        second += 1 - going
    for p in range(second):
        places[first + p] = spare[p]
    return first


@njit(nogil=True, cache=True)
def mark(t: int, low: int, high: int, lo: int, hi: int, columns: Any, goes: Any) -> None:
    """Mark the rows of a node that satisfy a test."""
    for p in range(lo, hi):
        row = np.uint32(columns.rows[p])
        goes[row] = _answer(t, low, high, columns, row)


@njit(nogil=True, cache=True, error_model="numpy")
def send(
    at: Any, lo: int, hi: int, columns: Any, task: Any, total: Any, leaf: int, goes: Any, sets: Any = None
) -> None:
    """Mark the rows of a node that satisfy the test found by `try_tests`."""
    if sets is not None and columns.tests[at[0], 1] == SUBSET:
        _mark_set(at, lo, hi, columns, task, total, leaf, goes)
    else:
        mark(at[0], at[1], at[2], lo, hi, columns, goes)


@njit(nogil=True, cache=True, error_model="numpy")
def _mark_set(at: Any, lo: int, hi: int, columns: Any, task: Any, total: Any, leaf: int, goes: Any) -> None:
    """Mark the rows with a value in the best set, which is computed again."""
    column = columns.tests[at[0], 0]
    pure = pure_parts(total, task.table) if task.n_classes > 0 else np.empty((0, 0))
    found, where, slack = np.zeros(4), np.zeros(3, dtype=np.int64), rounding(total, task)
    chosen, _, _ = _by_sets(found, where, at[0], column, lo, hi, columns, task, total, leaf, pure, slack)
    for p in range(lo, hi):
        row = np.uint32(columns.rows[p])
        code = columns.values[column, row]
        goes[row] = code >= 0 and chosen[code]


@njit(nogil=True, cache=True)
def divide_some(first: int, last: int, lo: int, hi: int, columns: Any, goes: Any, spare: Any) -> None:
    """Partition the range of a node in a range of sorted columns."""
    for column in range(first, last):
        divide(columns.order[column], lo, hi, goes, spare)


@njit(nogil=True, cache=True, error_model="numpy")
def totals(lo: int, hi: int, columns: Any, task: Any) -> Any:
    """Return the class weights of a node, or the moments of its targets, and whether all labels are identical."""
    same = True
    if task.n_classes > 0:
        total = np.zeros(task.n_classes)
        first = np.uint32(columns.rows[lo])
        for p in range(lo, hi):
            row = np.uint32(columns.rows[p])
            total[np.uint32(task.labels[row])] += task.weights[row] if len(task.weights) > 0 else 1.0
            same = same and task.labels[row] == task.labels[first]
        return total, same
    total = np.zeros(3)
    least, most = inf, -inf
    for p in range(lo, hi):
        row = np.uint32(columns.rows[p])
        w = task.weights[row] if len(task.weights) > 0 else 1.0
        y = task.targets[row]
        least, most = min(least, y), max(most, y)
        total[0] += w
        total[1] += w * y
        total[2] += w * y * y
    return total, most - least <= TOLERANCE * max(abs(least + task.mean), abs(most + task.mean))


@njit(nogil=True, cache=True, error_model="numpy")
def squared_deviation(lo: int, hi: int, total: Any, columns: Any, task: Any) -> float:
    """Return the sum of squares about the mean of a node, in a second pass for precision."""
    mean, found = total[1] / total[0], 0.0
    for p in range(lo, hi):
        row = np.uint32(columns.rows[p])
        w = task.weights[row] if len(task.weights) > 0 else 1.0
        found += w * (task.targets[row] - mean) ** 2
    return found


@njit(nogil=True, cache=True, error_model="numpy")
def unsplit(total: Any, task: Any) -> Any:
    """Return the loss of a node without a split."""
    if task.n_classes == 0:
        return max(total[2] - total[1] * total[1] / total[0], 0.0) / total[0], 0.0
    pure, nobody, weight = pure_parts(total, task.table), np.zeros(task.n_classes), total.sum()
    loss = loss_of_many(task.kind, nobody, total, weight, pure, task.table)
    tie = bits_of_many(nobody, total, weight, pure, task.table) if task.kind == ACCURACY_STAR else 0.0
    return loss, tie


@njit(nogil=True, cache=True, error_model="numpy")
def gains(found: Any, total: Any, task: Any) -> Any:
    """Return how much a split decreases each component of the loss, and whether this exceeds rounding error."""
    loss, tie = unsplit(total, task)
    slack = rounding(total, task)
    better = found[0] < loss - slack or (found[0] <= loss + slack and found[1] < tie - slack)
    return max(loss - found[0], 0.0), max(tie - found[1], 0.0), better
