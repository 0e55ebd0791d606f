"""Kernels that grow whole subtrees over columns of tests, one node at a time.

The loop is the same whether a node tries all tests (`structtree.search.kernels.tables`) or a random sample of them
(`structtree.search.kernels.histograms`), as the trees of a forest do. Both are compiled into it, with the losses.
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
from numba import njit

from structtree.search.kernels.histograms import try_drawn
from structtree.search.kernels.tables import (
    NOTHING,
    divide,
    divide_some,
    gains,
    rounding,
    send,
    squared_deviation,
    totals,
    try_tests,
)

__all__ = ["grow_subtree", "reading_order"]


@njit(nogil=True, cache=True, error_model="numpy")
def grow_subtree(
    lo: int, hi: int, depth: int, columns: Any, task: Any, limits: Any, goes: Any, stop: Any, sets: Any = None,
    draw: Any = None,
) -> Any:  # fmt: skip
    """Grow the tree of a range of rows.

    Parameters
    ----------
    goes : (n,) bool
        Buffer for the result of a test, by row.
    stop : (1,) bool
        When it becomes true, no further nodes are split.
    sets : bool, optional
        As in `try_tests`.
    draw : Draw, optional
        How tests are drawn at each node (`structtree.search.kernels.histograms`); all of them by default.

    Returns
    -------
    places : (nodes, 4) int64
        The range of each node, its depth, and the number of tests that are known to be constant there.
    forks : (nodes, 5) int64
        The test of each node and its two rows, as in `try_tests`, and its yes and no child; -1 in a leaf.
    figures : (nodes, 5) float64
        Loss, the decreases of both components, the number of evaluated tests, and the least loss of an untried set.
    stats : (nodes, classes or 3) float64
        Class weights, or weight, mean and sum of squares about it.
    """
    room = 64
    places, forks = np.zeros((room, 4), dtype=np.int64), np.full((room, 5), NOTHING, dtype=np.int64)
    figures, stats = _no_figures(room), np.zeros((room, task.n_classes if task.n_classes > 0 else 3))
    spare = np.empty(hi - lo, dtype=np.int32)
    stack = np.zeros(room, dtype=np.int64)
    places[0, 0], places[0, 1], places[0, 2] = lo, hi, depth
    n_nodes, n_waiting = 1, 1
    while n_waiting > 0:
        n_waiting -= 1
        node = stack[n_waiting]
        lo, hi, depth, known = places[node]
        total, same = totals(lo, hi, columns, task)
        stats[node] = total
        if task.n_classes == 0:
            stats[node, 1] = total[1] / total[0]
            stats[node, 2] = squared_deviation(lo, hi, total, columns, task)
        large = hi - lo >= max(limits.split, 2 * limits.leaf)
        if same or not large or depth == limits.depth:
            continue
        if stop[0]:
            figures[node, 4] = -inf
            continue
        if draw is None:
            found, at = try_tests(0, len(columns.tests), lo, hi, columns, task, total, limits.leaf, sets)
        else:
            found, at, known = try_drawn(lo, hi, known, columns, task, total, limits.leaf, draw)
        figures[node, 3], figures[node, 4] = found[2], found[3]
        if at[0] < 0:
            continue
        gain, tie, better = gains(found, total, task)
        share = (total.sum() if task.n_classes > 0 else total[0]) / task.weight
        if not better or share * (gain + rounding(total, task)) < limits.decrease:
            continue
        figures[node, 0], figures[node, 1], figures[node, 2] = found[0], gain, tie
        send(at, lo, hi, columns, task, total, limits.leaf, goes, sets)
        middle = divide(columns.rows, lo, hi, goes, spare)
        divide_some(0, len(columns.order), lo, hi, columns, goes, spare)
        if n_nodes + 2 > len(places):
            places, forks = _wider(places, NOTHING), _wider(forks, NOTHING)
            figures, stats = np.concatenate((figures, _no_figures(len(figures)))), _wider(stats, 0)
        if n_waiting + 2 > len(stack):
            stack = np.append(stack, stack)
        forks[node, :3] = at
        forks[node, 3], forks[node, 4] = n_nodes, n_nodes + 1
        places[n_nodes, 0], places[n_nodes, 1], places[n_nodes, 2] = lo, middle, depth + 1
        places[n_nodes + 1, 0], places[n_nodes + 1, 1], places[n_nodes + 1, 2] = middle, hi, depth + 1
        places[n_nodes, 3] = places[n_nodes + 1, 3] = known
        stack[n_waiting], stack[n_waiting + 1] = n_nodes + 1, n_nodes
        n_waiting += 2
        n_nodes += 2
    return places[:n_nodes], forks[:n_nodes], figures[:n_nodes], stats[:n_nodes]


@njit(nogil=True, cache=True)
def _no_figures(n: int) -> Any:
    figures = np.zeros((n, 5))
    figures[:, 4] = inf
    return figures


@njit(nogil=True, cache=True)
def reading_order(forks: Any) -> Any:
    """Return the nodes of a tree in preorder, the yes branch first."""
    order, stack = np.empty(len(forks), dtype=np.int64), np.zeros(len(forks) + 1, dtype=np.int64)
    n_waiting = 1
    for i in range(len(forks)):
        n_waiting -= 1
        node = stack[n_waiting]
        order[i] = node
        if forks[node, 3] >= 0:
            stack[n_waiting], stack[n_waiting + 1] = forks[node, 4], forks[node, 3]
            n_waiting += 2
    return order


@njit(nogil=True, cache=True)
def _wider(array: Any, filled: float) -> Any:
    wider = np.full((2 * len(array), array.shape[1]), filled, dtype=array.dtype)
    wider[: len(array)] = array
    return wider
