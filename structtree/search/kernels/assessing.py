"""Assessing: the counts of many candidates become losses, bounds, and whether a bound leaves hope against the best.

The twin of these kernels is ``structtree.search.criteria``, where the formulas are explained. A second component that
cannot matter, because the first has already lost against the best, is left out: 0 in a bound, infinity in a loss.
"""

from __future__ import annotations

from math import inf, log, log1p, log2, sqrt
from typing import Any

import numpy as np
from numba import njit

from structtree.search.criteria import TOLERANCE

__all__ = [
    "ACCURACY",
    "ACCURACY_STAR",
    "ENTROPY",
    "GAIN_RATIO",
    "GINI",
    "SQRT_GINI",
    "TWOING",
    "assess_accuracy",
    "assess_impurity",
    "assess_numbers",
    "class_losses",
]

ENTROPY, GINI, SQRT_GINI, GAIN_RATIO, TWOING, ACCURACY, ACCURACY_STAR = range(7)
LOG_2 = log(2)

# ------------------------------------------------------------------------------------------- assessing: classes


@njit(nogil=True, cache=True, error_model="numpy")
def assess_accuracy(
    star: bool, counts: Any, total: Any, corners: Any, table: Any, best: float, tie: float, slack: float
) -> Any:
    """Losses, bounds and hope for accuracy, or for acc* where ``star`` is true.

    Parameters
    ----------
    star : bool
        Whether the entropy decides among equal errors.
    counts : (m, c) float64, total : (c,) float64
    corners : array of int64
        The corners of the box, as masks of the classes that stay. Two classes need only those where one of them
        leaves, which have a pure yes side (sections 4 and 5 of ``docs/bounds.md``), and get loops of their own.
    table : array of float64
        v log2 v for v = 0, 1, ..., the whole weight, where all counts are whole numbers; else empty.
    best, tie : float
        The two components of the best loss found, infinite where there is none.
    slack : float
        Losses nearer than this are equal.

    Returns
    -------
    losses, bounds : (m, 2)
    hopeful : (m,) bool
    """
    if len(total) == 2:
        return _assess_accuracy_of_two(star, counts, total, table, best, tie, slack)
    losses, bounds = np.zeros((len(counts), 2)), np.zeros((len(counts), 2))
    hopeful = np.empty(len(counts), dtype=np.bool_)
    weight, most = total.sum(), total.max()
    everything = (1 << len(total)) - 1
    pure = _pure_parts(total, table)
    for i in range(len(counts)):
        yes = counts[i]
        right, possible = _right(yes, total, most)
        losses[i, 0] = _error_share(right, weight)
        bounds[i, 0] = _error_share(possible, weight)
        if star:
            _fill_pure_parts(pure, yes, total, table)
            if best < losses[i, 0] - slack:
                losses[i, 1] = inf
            else:
                losses[i, 1] = _entropy(everything, yes, pure, weight, table)
            if not best < bounds[i, 0] - slack:
                bounds[i, 1] = _least_tie(corners, yes, total, most, bounds[i, 0], pure, weight, table)
        hopeful[i] = not _is_better(best, tie, bounds[i, 0], bounds[i, 1], slack)
    return losses, bounds, hopeful


@njit(nogil=True, cache=True, error_model="numpy")
def assess_impurity(
    kind: int, counts: Any, total: Any, corners: Any, table: Any, best: float, tie: float, slack: float
) -> Any:
    """Losses, bounds and hope for entropy, Gini, square-root Gini, gain ratio or twoing.

    Parameters
    ----------
    kind : int
        ``ENTROPY``, ``GINI``, ``SQRT_GINI``, ``GAIN_RATIO`` or ``TWOING``.

    The others, and the results, are those of `assess_accuracy`.
    """
    if len(total) == 2 and kind not in (GAIN_RATIO, TWOING):
        return _assess_impurity_of_two(kind, counts, total, table, best, slack)
    losses, bounds = np.zeros((len(counts), 2)), np.zeros((len(counts), 2))
    hopeful = np.empty(len(counts), dtype=np.bool_)
    weight = total.sum()
    everything = (1 << len(total)) - 1
    pure = _pure_parts(total, table)
    for i in range(len(counts)):
        yes = counts[i]
        least = inf
        if kind == ENTROPY:
            _fill_pure_parts(pure, yes, total, table)
            losses[i, 0] = _entropy(everything, yes, pure, weight, table)
            for corner in corners:
                least = min(least, _entropy(corner, yes, pure, weight, table))
        else:
            losses[i, 0] = _sum_of_terms(kind, everything, yes, total, weight)
            for corner in corners:
                least = min(least, _sum_of_terms(kind, corner, yes, total, weight))
        bounds[i, 0] = least
        hopeful[i] = not _is_better(best, tie, least, 0.0, slack)
    return losses, bounds, hopeful


@njit(nogil=True, cache=True, error_model="numpy")
def class_losses(kind: int, counts: Any, total: Any, table: Any) -> Any:
    """The losses alone, as (m, 2); the kinds are those of `assess_impurity`, and ``ACCURACY`` and ``ACCURACY_STAR``.

    Neighbours with the same counts, as thresholds often have, are looked at once.
    """
    losses = np.zeros((len(counts), 2))
    weight = total.sum()
    everything = -1  # all bits are set, however many classes there are
    pure = _pure_parts(total, table)
    for i in range(len(counts)):
        if i > 0 and _same(counts[i], counts[i - 1]):
            losses[i] = losses[i - 1]
            continue
        yes = counts[i]
        if kind in (ACCURACY, ACCURACY_STAR):
            right, _ = _right(yes, total, 0.0)
            losses[i, 0] = _error_share(right, weight)
        if kind in (ENTROPY, ACCURACY_STAR):
            _fill_pure_parts(pure, yes, total, table)
            losses[i, 1 if kind == ACCURACY_STAR else 0] = _entropy(everything, yes, pure, weight, table)
        elif kind != ACCURACY:
            losses[i, 0] = _sum_of_terms(kind, everything, yes, total, weight)
    return losses


@njit(nogil=True, cache=True, error_model="numpy")
def _same(one: Any, other: Any) -> bool:
    different = 0
    for k in range(len(one)):
        different += one[k] != other[k]
    return different == 0


@njit(nogil=True, cache=True, error_model="numpy")
def _assess_accuracy_of_two(
    star: bool, counts: Any, total: Any, table: Any, best: float, tie: float, slack: float
) -> Any:
    losses, bounds = np.zeros((len(counts), 2)), np.zeros((len(counts), 2))
    hopeful = np.empty(len(counts), dtype=np.bool_)
    n, m = total[0], total[1]
    weight, most = n + m, max(n, m)
    pure_n, pure_m = _times_log2(n, table), _times_log2(m, table)
    for i in range(len(counts)):
        x, y = counts[i, 0], counts[i, 1]
        p, q = _rest(n, x), _rest(m, y)
        right_x, right_y = max(most, m + x, p), max(most, n + y, q)
        loss = _error_share(max(x, y) + max(p, q), weight)
        bound = _error_share(max(right_x, right_y), weight)
        losses[i, 0], bounds[i, 0] = loss, bound
        if star and not best < bound - slack:
            pure_p, pure_q = _times_log2(p, table), _times_log2(q, table)
            bits = inf
            if _error_share(right_x, weight) <= bound + TOLERANCE:
                bits = _side_bits(_rest(weight, x), pure_p + pure_m, table)
            if _error_share(right_y, weight) <= bound + TOLERANCE:
                bits = min(bits, _side_bits(_rest(weight, y), pure_n + pure_q, table))
            bounds[i, 1] = bits / weight if weight > 0 else 0.0
        if star:
            losses[i, 1] = inf if best < loss - slack else _entropy_of_two(x, y, p, q, weight, table)
        hopeful[i] = not _is_better(best, tie, bound, bounds[i, 1], slack)
    return losses, bounds, hopeful


@njit(nogil=True, cache=True, error_model="numpy")
def _assess_impurity_of_two(kind: int, counts: Any, total: Any, table: Any, best: float, slack: float) -> Any:
    losses, bounds = np.zeros((len(counts), 2)), np.zeros((len(counts), 2))
    hopeful = np.empty(len(counts), dtype=np.bool_)
    n, m = total[0], total[1]
    weight = n + m
    scale = weight if weight > 0 else 1.0
    pure_n, pure_m = _times_log2(n, table), _times_log2(m, table)
    for i in range(len(counts)):
        x, y = counts[i, 0], counts[i, 1]
        p, q = _rest(n, x), _rest(m, y)
        without_x, without_y, left = _rest(weight, x), _rest(weight, y), _rest(weight, x + y)
        if kind == ENTROPY:
            losses[i, 0] = _entropy_of_two(x, y, p, q, weight, table)
            stays_x = _side_bits(without_x, _times_log2(p, table) + pure_m, table)
            stays_y = _side_bits(without_y, pure_n + _times_log2(q, table), table)
        else:
            yes = _part(kind, x, x + y) + _part(kind, y, x + y)
            losses[i, 0] = (yes + _part(kind, p, left) + _part(kind, q, left)) / scale
            stays_x = _part(kind, p, without_x) + _part(kind, m, without_x)
            stays_y = _part(kind, n, without_y) + _part(kind, q, without_y)
        bound = min(stays_x, stays_y) / scale
        bounds[i, 0] = bound
        hopeful[i] = not best < bound - slack
    return losses, bounds, hopeful


@njit(nogil=True, cache=True, error_model="numpy")
def _entropy_of_two(x: float, y: float, p: float, q: float, weight: float, table: Any) -> float:
    """The mean entropy of a side with x and y and one with p and q."""
    bits = _side_bits(x + y, _times_log2(x, table) + _times_log2(y, table), table)
    bits += _side_bits(_rest(weight, x + y), _times_log2(p, table) + _times_log2(q, table), table)
    return bits / weight if weight > 0 else 0.0


@njit(nogil=True, cache=True, error_model="numpy")
def _side_bits(side: float, pure: float, table: Any) -> float:
    """The weight of a side times its entropy, T log2 T - Σ v log2 v; 0 of one that is but the dust of rounding."""
    return max(_times_log2(side, table) - pure, 0.0) if side > 0 else 0.0


@njit(nogil=True, cache=True, error_model="numpy")
def _is_better(first: float, second: float, other: float, other_second: float, slack: float) -> bool:
    if first < other - slack:
        return True
    return not first > other + slack and second < other_second - slack


@njit(nogil=True, cache=True, error_model="numpy")
def _rest(whole: float, part: float) -> float:
    left = whole - part
    return left if left > TOLERANCE * whole else 0.0


@njit(nogil=True, cache=True, error_model="numpy")
def _error_share(right: float, weight: float) -> float:
    return max(weight - right, 0.0) / weight if weight > 0 else 0.0


@njit(nogil=True, cache=True, error_model="numpy")
def _right(yes: Any, total: Any, most: float) -> Any:
    """The weight that the split gets right, and the most that a refinement may."""
    greatest, second, rest, first = 0.0, 0.0, 0.0, -1
    for k in range(len(yes)):
        rest = max(rest, _rest(total[k], yes[k]))
        if yes[k] > greatest:
            greatest, second, first = yes[k], greatest, k
        elif yes[k] > second:
            second = yes[k]
    possible = most
    for k in range(len(yes)):
        possible = max(possible, total[k] + (second if k == first else greatest))
    return greatest + rest, possible


@njit(nogil=True, cache=True, error_model="numpy")
def _least_tie(
    corners: Any, yes: Any, total: Any, most: float, error: float, pure: Any, weight: float, table: Any
) -> float:
    """The least entropy of the corners that have no more than the least error."""
    least = inf
    for corner in corners:
        if _error_share(_right_at(corner, yes, total, most), weight) <= error + TOLERANCE:
            least = min(least, _entropy(corner, yes, pure, weight, table))
    return least


@njit(nogil=True, cache=True, error_model="numpy")
def _right_at(corner: int, yes: Any, total: Any, most: float) -> float:
    greatest, second, first = 0.0, 0.0, -1
    for k in range(len(yes)):
        if (corner >> k) & 1:
            if yes[k] > greatest:
                greatest, second, first = yes[k], greatest, k
            elif yes[k] > second:
                second = yes[k]
    right = most
    for k in range(len(yes)):
        no = _rest(total[k], yes[k]) if (corner >> k) & 1 else total[k]
        right = max(right, no + (second if k == first else greatest))
    return right


@njit(nogil=True, cache=True, error_model="numpy")
def _times_log2(v: float, table: Any) -> float:
    if len(table) > 0:
        return table[np.uint64(np.int64(v))]  # type: ignore[no-any-return]
    return v * log2(v) if v > 0 else 0.0


@njit(nogil=True, cache=True, error_model="numpy")
def _pure_parts(total: Any, table: Any) -> Any:
    """Room for v log2 v of each class: kept of it, left of it if that is kept, and all of it."""
    pure = np.empty((3, len(total)))
    for k in range(len(total)):
        pure[2, k] = _times_log2(total[k], table)
    return pure


@njit(nogil=True, cache=True, error_model="numpy")
def _fill_pure_parts(pure: Any, yes: Any, total: Any, table: Any) -> None:
    for k in range(len(yes)):
        pure[0, k] = _times_log2(yes[k], table)
        pure[1, k] = _times_log2(_rest(total[k], yes[k]), table)


@njit(nogil=True, cache=True, error_model="numpy")
def _entropy(corner: int, yes: Any, pure: Any, weight: float, table: Any) -> float:
    """The mean entropy if only the classes of a corner stay.

    Unlike the sum of v log2(T / v) this needs two logarithms a corner, however many classes there are.
    """
    kept, inside, outside = 0.0, 0.0, 0.0
    for k in range(len(yes)):
        if (corner >> k) & 1:
            kept += yes[k]
            inside += pure[0, k]
            outside += pure[1, k]
        else:
            outside += pure[2, k]
    bits = _side_bits(kept, inside, table) + _side_bits(_rest(weight, kept), outside, table)
    return bits / weight if weight > 0 else 0.0


@njit(nogil=True, cache=True, error_model="numpy")
def _sum_of_terms(kind: int, corner: int, yes: Any, total: Any, weight: float) -> float:
    """The loss if only the classes of a corner stay."""
    kept = 0.0
    for k in range(len(yes)):
        if (corner >> k) & 1:
            kept += yes[k]
    left = _rest(weight, kept)
    if kind == GAIN_RATIO:
        return _minus_gain_ratio(corner, yes, kept, total, weight, left)
    if kind == TWOING:
        return _minus_twoing(corner, yes, kept, total, weight, left)
    added = 0.0
    for k in range(len(yes)):
        part = yes[k] if (corner >> k) & 1 else 0.0
        added += _part(kind, part, kept) + _part(kind, _rest(total[k], part), left)
    return added / weight if weight > 0 else 0.0


@njit(nogil=True, cache=True, error_model="numpy")
def _part(kind: int, part: float, whole: float) -> float:
    if kind == SQRT_GINI:
        return sqrt(part * _rest(whole, part))
    return part * _rest(whole, part) / whole if whole > 0 else 0.0


@njit(nogil=True, cache=True, error_model="numpy")
def _minus_gain_ratio(corner: int, yes: Any, kept: float, total: Any, weight: float, left: float) -> float:
    split = _bits(kept, weight) + _bits(left, weight)
    if not split > 0:
        return 0.0
    gain, away = 0.0, 0.0
    for k in range(len(yes)):
        if (corner >> k) & 1:
            surplus = yes[k] * weight - kept * total[k]
            gain += _surplus_nats(yes[k], surplus, kept * total[k])
            gain += _surplus_nats(_rest(total[k], yes[k]), -surplus, left * total[k])
        else:
            away += total[k]
    # The classes that leave all have the same surplus.
    gain += _surplus_nats(away, kept, left)
    return -gain / LOG_2 / split


@njit(nogil=True, cache=True, error_model="numpy")
def _minus_twoing(corner: int, yes: Any, kept: float, total: Any, weight: float, left: float) -> float:
    if not kept * left > 0:
        return 0.0
    apart = 0.0
    for k in range(len(yes)):
        part = yes[k] if (corner >> k) & 1 else 0.0
        apart += abs(part * weight - kept * total[k])
    return -((apart / (2.0 * weight)) ** 2) / (kept * left)


@njit(nogil=True, cache=True, error_model="numpy")
def _bits(part: float, whole: float) -> float:
    return part * log2(max(whole, part) / part) if part > 0 else 0.0


@njit(nogil=True, cache=True, error_model="numpy")
def _surplus_nats(part: float, surplus: float, expected: float) -> float:
    if part > 0 and expected > 0 and surplus > -expected:
        return part * log1p(surplus / expected)
    return 0.0


# ------------------------------------------------------------------------------------------- assessing: numbers


@njit(nogil=True, cache=True, error_model="numpy")
def assess_numbers(counts: Any, targets: Any, total: Any, best: float, slack: float) -> Any:
    """Losses, bounds and hope for mse.

    Where the deviation of the no side alone has lost against the best, it is the bound; else the best cut is.

    Parameters
    ----------
    counts : (m, n) float64
        The weight that each candidate keeps of each individual, in the order of the targets.
    targets : (n,) float64
        Ascending and centred.
    total : (3,) float64
        Weight, sum and sum of squares of all targets.
    best, slack : float

    Returns
    -------
    losses, bounds : (m, 2)
    hopeful : (m,) bool
    """
    losses, bounds = np.zeros((len(counts), 2)), np.zeros((len(counts), 2))
    hopeful = np.empty(len(counts), dtype=np.bool_)
    weight = total[0]
    scale = weight if weight > 0 else 1.0
    for i in range(len(counts)):
        w, s, q = 0.0, 0.0, 0.0
        for j in range(len(targets)):
            moment = counts[i, j] * targets[j]
            w += counts[i, j]
            s += moment
            q += moment * targets[j]
        no = _deviation(weight - w, total[1] - s, total[2] - q, weight)
        losses[i, 0] = (_deviation(w, s, q, weight) + no) / scale
        bounds[i, 0] = no / scale
        if not best < bounds[i, 0] - slack:
            explained = _best_cut(counts[i], targets, w, s, total)
            bounds[i, 0] = max(total[2] - explained, 0.0) / scale
        hopeful[i] = not best < bounds[i, 0] - slack
    return losses, bounds, hopeful


@njit(nogil=True, cache=True, error_model="numpy")
def _best_cut(kept: Any, targets: Any, w: float, s: float, total: Any) -> float:
    """The most that is explained by a prefix or a suffix of what is kept."""
    most = _explained_by(0.0, 0.0, total, 0.0)
    before, moment = 0.0, 0.0
    for j in range(len(targets)):
        before += kept[j]
        moment += kept[j] * targets[j]
        most = _explained_by(before, moment, total, most)
        most = _explained_by(w - before, s - moment, total, most)
    return most


@njit(nogil=True, cache=True, error_model="numpy")
def _explained_by(w: float, s: float, total: Any, most: float) -> float:
    """What a yes side of this weight and sum explains, if that is more than the most so far."""
    weight = total[0]
    no, no_sum = weight - w, total[1] - s
    least = TOLERANCE * weight
    if w > least and no > least:
        # One fraction for both sides, and divided only if it is the greatest: most are not.
        above, below = s * s * no + no_sum * no_sum * w, w * no
        return above / below if above > most * below else most
    if w > least:
        return max(most, s * s / w)
    return max(most, no_sum * no_sum / no) if no > least else most


@njit(nogil=True, cache=True, error_model="numpy")
def _deviation(w: float, s: float, q: float, weight: float) -> float:
    return max(q - s * s / w, 0.0) if w > TOLERANCE * weight else max(q, 0.0)
