"""Kernels that try a random sample of the tests at a node, for forests and boosting.

The columns have narrow integers (`structtree.splitters.binned`), and none of them is sorted. A node counts its rows
by code in one pass for each drawn test, and a bit for each code that occurs lists the codes in ascending order: a
node of five rows costs five steps, however many codes there are.

Tests that are constant at a node are constant below it. They move to the front of the array of tests and are not
drawn again, and a node draws until it has enough tests that are not constant, as in scikit-learn.

The twin of these kernels is ``tests/splitters/slow_binned.py``. If all tests are tried, the result is that of
`structtree.search.kernels.tables.try_tests`, whose losses are compiled into them.
"""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from structtree.search.kernels.tables import AT_LEAST, EQUAL, NOTHING, _takes, rounding
from structtree.tasks.losses import MSE, dust, is_better, pure_parts

__all__ = ["Draw", "draw_of", "random_below", "try_drawn"]


class Draw(NamedTuple):
    """Sampling of tests at each node of a tree, with the buffers of the kernel.

    Parameters
    ----------
    tests : (m,) int64
        The tests of the tree; those that are constant at the current node come first.
    n : int
        The number of tests to draw at each node; with m or more, all of them are tried in their order.
    at_random : bool
        Whether each drawn test has one random threshold or value instead of the best one.
    state : (1,) uint64
        State of the random numbers.
    counts : (codes, classes or 2) float64, sizes : (codes,) int64, bits : (codes / 64,) uint64
        Empty histogram.
    """

    tests: NDArray[np.int64]
    n: int
    at_random: bool
    state: NDArray[np.uint64]
    counts: NDArray[np.float64]
    sizes: NDArray[np.int64]
    bits: NDArray[np.uint64]


def draw_of(tests: Any, n: int, seed: int, n_codes: int, width: int, *, at_random: bool) -> Draw:
    """Return the sampling of tests, with empty buffers."""
    state, bits = np.array([seed], dtype=np.uint64), np.zeros(n_codes // 64 + 1, dtype=np.uint64)
    counts, sizes = np.zeros((n_codes, width)), np.zeros(n_codes, dtype=np.int64)
    return Draw(np.array(tests, dtype=np.int64), n, at_random, state, counts, sizes, bits)


# ---- random numbers --------------------------------------------------------------------------------------------
# SplitMix64 (Steele, Lea and Flood, 2014). The generator of numba has one state per thread, so that a tree would
# depend on the thread that grows it.


@njit(nogil=True, cache=True)
def random_below(state: Any, n: int) -> Any:
    """Return a random integer from 0 to n - 1, and advance the state."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return np.int64(((z >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


# ---- one test --------------------------------------------------------------------------------------------------


@njit(nogil=True, cache=True, error_model="numpy")
def _fill(codes: Any, rows: Any, lo: int, hi: int, task: Any, draw: Any) -> Any:
    """Add the rows of a node to the histogram, and return the number of rows with a value."""
    counts, sizes, bits, n_known = draw.counts, draw.sizes, draw.bits, 0
    labels, targets, weights = task.labels, task.targets, task.weights
    classes, weighted = task.n_classes > 0, len(weights) > 0
    for p in range(lo, hi):
        row = np.uint32(rows[p])
        if codes[row] < 0:
            continue
        code = np.uint32(codes[row])
        if sizes[code] == 0:
            bits[code >> np.uint32(6)] |= np.uint64(1) << np.uint64(code & np.uint32(63))
        w = weights[row] if weighted else 1.0
        if classes:
            counts[code, np.uint32(labels[row])] += w
        else:
            counts[code, 0] += w
            counts[code, 1] += w * targets[row]
        sizes[code] += 1
        n_known += 1
    return n_known


@njit(nogil=True, cache=True)
def _lowest(word: Any) -> int:
    """Return the place of the lowest bit of a word that is not 0."""
    place = 0
    if word & np.uint64(0xFFFFFFFF) == 0:
        word, place = word >> np.uint64(32), 32
    if word & np.uint64(0xFFFF) == 0:
        word, place = word >> np.uint64(16), place + 16
    if word & np.uint64(0xFF) == 0:
        word, place = word >> np.uint64(8), place + 8
    if word & np.uint64(0xF) == 0:
        word, place = word >> np.uint64(4), place + 4
    if word & np.uint64(0x3) == 0:
        word, place = word >> np.uint64(2), place + 2
    return place + 1 if word & np.uint64(0x1) == 0 else place


@njit(nogil=True, cache=True)
def _next_code(bits: Any, code: int) -> int:
    """Return the least code in the histogram from the given one on; -1 if there is none."""
    at = code >> 6
    if at >= len(bits):
        return NOTHING
    word = bits[at] >> np.uint64(code & 63) << np.uint64(code & 63)
    while word == 0:
        at += 1
        if at >= len(bits):
            return NOTHING
        word = bits[at]
    return (at << 6) + _lowest(word)


@njit(nogil=True, cache=True)
def _clear(draw: Any) -> None:
    """Empty the histogram."""
    code = _next_code(draw.bits, 0)
    while code >= 0:
        for k in range(draw.counts.shape[1]):
            draw.counts[code, k] = 0.0
        draw.sizes[code] = 0
        code = _next_code(draw.bits, code + 1)
    for word in range(len(draw.bits)):
        draw.bits[word] = 0


@njit(nogil=True, cache=True)
def _is_constant(draw: Any, form: int, n_known: int, n: int) -> bool:
    """Return whether no member of a test divides the rows, which are in the histogram."""
    first = _next_code(draw.bits, 0)
    if first < 0:
        return True
    is_one = _next_code(draw.bits, first + 1) < 0
    return is_one and (form != EQUAL or n_known == n)


@njit(nogil=True, cache=True)
def _drawn_code(draw: Any, form: int) -> Any:
    """Return a random code of the histogram; for thresholds never the last one."""
    n, code = 0, _next_code(draw.bits, 0)
    last = code
    while code >= 0:
        n, last = n + 1, code
        code = _next_code(draw.bits, code + 1)
    if form == EQUAL:
        code = _next_code(draw.bits, 0)
        for _ in range(random_below(draw.state, n)):
            code = _next_code(draw.bits, code + 1)
        return code
    first = _next_code(draw.bits, 0)
    return first + random_below(draw.state, last - first)


@njit(nogil=True, cache=True, error_model="numpy")
def _try(
    found: Any, codes: Any, t: int, form: int, n_known: int, n: int, task: Any, total: Any, leaf: int, draw: Any,
    pure: Any, slack: float, side: Any,
) -> None:  # fmt: skip
    """Try the members of a test in ascending order; `codes` are set to the test and its lower and upper code."""
    weight, kind, table, hint = total.sum(), task.kind, task.table, found[3]
    counts, sizes, bits = draw.counts, draw.sizes, draw.bits
    wanted = _drawn_code(draw, form) if draw.at_random else NOTHING
    n_side, before = _start(side, form, n_known, n, total, draw), NOTHING
    code = _next_code(bits, 0)
    while code >= 0:
        if form == EQUAL:
            for k in range(len(side)):
                side[k] = counts[code, k]
            n_side, before = sizes[code], code
        is_wanted = wanted < 0 or (code == wanted if form == EQUAL else before <= wanted < code)
        if is_wanted and before >= 0 and n_side >= leaf and n - n_side >= leaf:
            found[2] += 1
            if _takes(found, hint, kind, side, total, weight, pure, table, slack):
                codes[0], codes[1], codes[2] = t, before, code
        if form != EQUAL:
            for k in range(len(side)):
                side[k] += counts[code, k]
            n_side += sizes[code]
            before = code
        code = _next_code(bits, code + 1)


@njit(nogil=True, cache=True)
def _start(side: Any, form: int, n_known: int, n: int, total: Any, draw: Any) -> Any:
    """Set the sums below the first threshold, and return their number of rows: those without a value for ``>=``."""
    if form != AT_LEAST or n_known == n:
        for k in range(len(side)):
            side[k] = 0.0
        return 0
    for k in range(len(side)):
        side[k] = total[k]
        code = _next_code(draw.bits, 0)
        while code >= 0:
            side[k] -= draw.counts[code, k]
            code = _next_code(draw.bits, code + 1)
        if abs(side[k]) <= dust(abs(total[k])):
            side[k] = 0.0
    return n - n_known


# ---- a sample of the tests -------------------------------------------------------------------------------------


@njit(nogil=True, cache=True, error_model="numpy")
def try_drawn(lo: int, hi: int, known: int, columns: Any, task: Any, total: Any, leaf: int, draw: Any) -> Any:
    """Return the best of a sample of the tests for splitting a node.

    Parameters
    ----------
    lo, hi : int
        The range of positions of the node.
    known : int
        The number of tests that are known to be constant.
    columns : SweptColumns
        None of them sorted.
    total, leaf
        As in `structtree.search.kernels.tables.try_tests`.

    Returns
    -------
    found, at
        As in `structtree.search.kernels.tables.try_tests`.
    known : int
        The number of tests that are constant at the node, as far as drawn.
    """
    best, codes = np.array([inf, inf, 0.0, inf]), np.full(3, NOTHING, dtype=np.int64)
    found, at, tests = best.copy(), codes.copy(), draw.tests
    pure = pure_parts(total, task.table) if task.n_classes > 0 else np.empty((0, 0))
    slack, side = rounding(total, task), np.zeros(2 if task.kind == MSE else task.n_classes)
    in_order, n, n_drawn, i = draw.n >= len(tests), hi - lo, 0, known
    while i < len(tests) and n_drawn < draw.n:
        if not in_order:
            other = i + random_below(draw.state, len(tests) - i)
            tests[i], tests[other] = tests[other], tests[i]
        t = tests[i]
        column, form = columns.tests[t, 0], columns.tests[t, 1]
        n_known = _fill(columns.values[column], columns.rows, lo, hi, task, draw)
        if _is_constant(draw, form, n_known, n):
            if not in_order:  # or ties would be broken in another order at the next node
                tests[i], tests[known] = tests[known], t
                known += 1
        else:
            found[0], found[1], found[3] = inf, inf, best[0]
            _try(found, at, t, form, n_known, n, task, total, leaf, draw, pure, slack, side)
            if is_better(found[0], found[1], best[0], best[1], slack):
                best[0], best[1], codes[:] = found[0], found[1], at
            n_drawn += 1
        _clear(draw)
        i += 1
    best[2], best[3] = found[2], inf
    return best, _witnesses(codes, lo, hi, columns), known


@njit(nogil=True, cache=True)
def _witnesses(codes: Any, lo: int, hi: int, columns: Any) -> Any:
    """Return a test with rows that have its lower and upper code."""
    at = codes.copy()
    if codes[0] < 0:
        return at
    values = columns.values[columns.tests[codes[0], 0]]
    at[1] = at[2] = NOTHING
    for p in range(lo, hi):
        row = columns.rows[p]
        if values[row] == codes[1]:
            at[1] = row
        if values[row] == codes[2]:
            at[2] = row
        if at[1] >= 0 and at[2] >= 0:
            break
    return at
