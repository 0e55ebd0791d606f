"""Routing of rows through a tree of plain tests; its twin is `structtree.models.routing.holds_among`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from structtree.search.kernels.tables import AT_LEAST, EQUAL

__all__ = ["NODE", "descend", "find_binned_leaves", "find_leaves", "no_children"]

NODE = np.dtype([("low", "f8"), ("high", "f8"), ("place", "i4"), ("no", "i4"), ("yes", "i4"), ("_", "i4")])
"""A node: the interval in which the test is true, the tested column, and the children for yes and no.

In a leaf the interval is NaN to NaN, which contains nothing, and the child for no is the leaf itself. A node fits
into one cache line: in large trees, separate arrays take twice as long to fetch."""


@njit(nogil=True, cache=True, inline="always")
def _side(cells: Any, row: Any, node: Any, nodes: Any) -> Any:
    """Return the child of a node that a row goes to; computing both comparisons is faster than branching."""
    at = nodes[node]
    value = cells[row, at.place]
    return np.int64(at.yes if (value >= at.low) & (value <= at.high) else at.no)


@njit(nogil=True, cache=True)
def descend(cells: Any, nodes: Any, leaves: Any) -> None:
    """Find the leaf of each row.

    Four rows are routed at a time, to hide the memory latency.

    Parameters
    ----------
    cells : (rows, columns) float64
        NaN for missing values, for which every test is false.
    nodes : (nodes,) NODE
    leaves : (rows,) int64
        Filled with the result.
    """
    n = len(leaves)
    for row in range(0, n, 4):
        # The last rows may be routed twice, since a fixed number of four is fast.
        second, third, fourth = min(row + 1, n - 1), min(row + 2, n - 1), min(row + 3, n - 1)
        a = b = c = d = np.int64(0)
        moving = True
        while moving:
            next_a = _side(cells, row, a, nodes)
            next_b = _side(cells, second, b, nodes)
            next_c = _side(cells, third, c, nodes)
            next_d = _side(cells, fourth, d, nodes)
            moving = next_a != a or next_b != b or next_c != c or next_d != d
            a, b, c, d = next_a, next_b, next_c, next_d
        leaves[row], leaves[second], leaves[third], leaves[fourth] = a, b, c, d


@njit(nogil=True, cache=True)
def find_leaves(ranks: Any, ladders: Any, steps: Any, no: Any, roots: Any, leaves: Any) -> None:
    """Find the leaf of each individual in each tree of an ensemble.

    Parameters
    ----------
    ranks : (individuals, ladders) uint16
    ladders, steps, no : (nodes,) int32
        As in `structtree.models.ensemble.EnsembleTrees`.
    roots : (trees,) int32
    leaves : (individuals, trees) int32
        Filled with the row of each leaf.
    """
    for tree in range(len(roots)):
        for row in range(len(ranks)):
            node = np.int64(roots[tree])
            while ladders[node] >= 0:
                node = node + 1 if ranks[row, ladders[node]] > steps[node] else np.int64(no[node])
            leaves[row, tree] = no[node]


@njit(nogil=True, cache=True)
def find_binned_leaves(codes: Any, tests: Any, asked: Any, cuts: Any, no: Any, rows: Any, leaves: Any) -> None:
    """Find the leaf of some rows in a tree over binned columns.

    Parameters
    ----------
    codes : (columns, n) int8 or int16
    tests : (tests, 2) int64
        The column and the form of each test.
    asked, cuts, no : (nodes,) int
        The test of each node, -1 in a leaf; the first code above its threshold, or its value; and the no child, or
        the number of the leaf, as `no_children` returns it.
    rows : (m,) int32
    leaves : (m,) int32
        Filled with the number of each leaf.
    """
    for i in range(len(rows)):
        row, node = rows[i], np.int64(0)
        while asked[node] >= 0:
            column, form = tests[asked[node], 0], tests[asked[node], 1]
            code, cut = codes[column, row], cuts[node]
            if form == EQUAL:
                holds = code == cut
            elif form == AT_LEAST:
                holds = code >= cut
            else:
                holds = 0 <= code < cut
            node = node + 1 if holds else np.int64(no[node])
        leaves[i] = no[node]


@njit(nogil=True, cache=True)
def no_children(ladders: Any) -> Any:
    """Return the no child of each branch, and the number of each leaf, of a tree in reading order.

    Empty if the nodes are not a single tree.
    """
    no, waiting = np.full(len(ladders), -1, dtype=np.int32), np.empty(len(ladders) + 1, dtype=np.int32)
    n_waiting, n_leaves = 0, 0
    for node in range(len(ladders)):
        if node > 0 and ladders[node - 1] < 0:  # after a leaf comes the no child of the nearest branch without one
            if n_waiting == 0:
                return np.empty(0, dtype=np.int32)
            n_waiting -= 1
            no[waiting[n_waiting]] = node
        if ladders[node] >= 0:
            waiting[n_waiting] = node
            n_waiting += 1
        else:
            no[node] = n_leaves
            n_leaves += 1
    return no if n_waiting == 0 and ladders[-1] < 0 else np.empty(0, dtype=np.int32)
