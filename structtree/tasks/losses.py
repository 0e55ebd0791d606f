"""Formulas of all criteria, compiled: the losses of splits, and lower bounds on the losses of their refinements.

Losses are computed for many candidates at once, from the statistics of their yes branches: class weights, or moments
of numbers. A bound is the same formula with other arguments: the minimum over the corners of the box of all
refinements, or, for many classes, over its faces. ``docs/bounds.md`` proves that the bounds are valid, and where they
are exact. ``tests/search/reference.py`` has a plain numpy twin of every function.

There are two kinds of classification criteria. Accuracy depends on the largest class of each branch. The others are
sums over the classes: `_term` is the summand of a class, `_scale` the factor of the sum, and `_finish` a final
transformation. Acc+ is the sum of both kinds. Two classes, and entropy, which needs only two logarithms per corner,
have faster special forms.

A second component that cannot matter, because the first is already worse than the best, is not computed: it is 0 in a
bound and infinity in a loss.
"""

from __future__ import annotations

from math import inf, log, log1p, log2, sqrt
from typing import Any

import numpy as np
from numba import njit

from structtree.arrays import EXACT, TOLERANCE

__all__ = [
    "ACCURACY",
    "ACCURACY_PLUS",
    "ACCURACY_STAR",
    "ENTROPY",
    "GAIN_RATIO",
    "GINI",
    "MSE",
    "SQRT_GINI",
    "TWOING",
    "assess_classes",
    "assess_numbers",
    "class_losses",
    "class_slack",
    "information",
    "moment_losses",
    "side_impurities",
]

ENTROPY, GINI, SQRT_GINI, GAIN_RATIO, TWOING, ACCURACY_PLUS, ACCURACY, ACCURACY_STAR, MSE = range(9)
LOG_2 = log(2)
TINY = 1e-300
EVERYTHING = -1  # the set of all classes: all bits are 1
SUM_ERROR = 2.0**-50  # relative rounding error of a sum

# Every class doubles the number of corners, so with more than ten classes only the eight largest of the yes branch
# are enumerated and the others bounded one by one. On fourteen random classes, the bound then allows 5 % more gain
# than any refinement has (50 % for gain ratio); the impurity of the no branch alone would allow 150 % more. Eight and
# not ten, because bounding takes four evaluations per face, as many as enumerating two more classes.
WHOLE_CLASSES = 8

# ---- many candidates: classes -------------------------------------------------------------------------------


def assess_classes(kind: int, counts: Any, total: Any, table: Any, best: float, slack: float) -> Any:
    """Return the losses and bounds of many candidates for classification.

    This function is not compiled, so that only the needed ones of the three below are.

    Parameters
    ----------
    kind : int
        One of the constants above.
    counts : (m, c) float64, total : (c,) float64
    table : array of float64
        v log2 v for v = 0, 1, ..., total weight, if all counts are integers; otherwise empty.
    best : float
        The first component of the best loss found so far; infinity if there is none.
    slack : float
        Losses that differ by less are equal.

    Returns
    -------
    losses, bounds : (m, 2)
    """
    losses, bounds = np.zeros((len(counts), 2)), np.zeros((len(counts), 2))
    if not total.sum() > 0:
        return losses, bounds
    if len(total) == 2 and kind != GAIN_RATIO:
        _assess_two(kind, counts, total, table, best, slack, losses, bounds)
    elif kind >= ACCURACY:
        _assess_accuracy(kind, counts, total, table, best, slack, losses, bounds)
    else:
        _assess_sums(kind, counts, total, table, losses, bounds)
    return losses, bounds


@njit(nogil=True, cache=True, error_model="numpy")
def _assess_two(
    kind: int, counts: Any, total: Any, table: Any, best: float, slack: float, losses: Any, bounds: Any
) -> None:
    """Assess candidates for two classes, where only two corners matter (``docs/bounds.md``, section 5)."""
    star, n, m = kind == ACCURACY_STAR, total[0], total[1]
    weight = n + m
    for i in range(len(counts)):
        x, y = counts[i, 0], counts[i, 1]
        p, q = rest(n, x), rest(m, y)
        loss = loss_of_two(kind, x, y, p, q, weight, table)
        stays_x, stays_y = _loss_of_one(kind, x, p, m, weight, table), _loss_of_one(kind, y, q, n, weight, table)
        bound = min(stays_x, stays_y)
        losses[i, 0], bounds[i, 0] = loss, bound
        if star:
            if not best < bound - slack:
                bits = inf
                if stays_x <= bound + TOLERANCE:
                    bits = _loss_of_one(ENTROPY, x, p, m, weight, table)
                if stays_y <= bound + TOLERANCE:
                    bits = min(bits, _loss_of_one(ENTROPY, y, q, n, weight, table))
                bounds[i, 1] = bits
            losses[i, 1] = inf if best < loss - slack else entropy_of_two(x, y, p, q, weight, table)


@njit(nogil=True, cache=True, error_model="numpy")
def _assess_accuracy(
    kind: int, counts: Any, total: Any, table: Any, best: float, slack: float, losses: Any, bounds: Any
) -> None:
    """Assess candidates by accuracy or acc*.

    Claim
        No refinement classifies more weight correctly than max over i of (n_i + max over k ≠ i of yes_k). For acc*,
        no refinement is better than this with the minimum entropy of the corners that attain it.
    Why
        Each branch predicts one class: both class i, or k and i ≠ k. Errors and entropy are concave, so a point with
        the minimum error is a mean of corners with this error.
    Tight when
        Always for accuracy: keep only class k. For the entropy, see `_assess_sums`.
        ``test_no_refinement_beats_the_bound``, ``test_some_refinement_attains_the_bound``,
        ``test_the_bound_of_acc_star_is_never_below_the_pair_of_bounds``
    """
    weight, most = total.sum(), total.max()
    pure, low, high = pure_parts(total, table), np.zeros(len(total)), np.zeros(len(total))
    for i in range(len(counts)):
        yes = counts[i]
        losses[i, 0] = _errors(yes, total, weight)
        bounds[i, 0] = error_share(_most_right(low, yes, total, most), weight)
        if kind == ACCURACY:
            continue
        fill_pure_parts(pure, yes, total, table)
        losses[i, 1] = inf if best < losses[i, 0] - slack else entropy(EVERYTHING, yes, pure, weight, table)
        if best < bounds[i, 0] - slack:
            continue
        if len(total) > WHOLE_CLASSES + 2:
            bounds[i, 1] = _least_of_faces(ENTROPY, yes, total, weight, bounds[i, 0])
            continue
        least = inf
        for corner in range(1 << len(total)):
            for k in range(len(yes)):
                high[k] = yes[k] if (corner >> k) & 1 else 0.0
            if error_share(_most_right(high, high, total, most), weight) <= bounds[i, 0] + TOLERANCE:
                least = min(least, entropy(corner, yes, pure, weight, table))
        bounds[i, 1] = least


@njit(nogil=True, cache=True, error_model="numpy")
def _assess_sums(kind: int, counts: Any, total: Any, table: Any, losses: Any, bounds: Any) -> None:
    """Assess candidates by entropy, Gini, square-root Gini, gain ratio, twoing or acc+.

    Claim
        No counts between 0 and ``yes``, whole or fractional, have a smaller loss than the best corner of this box.
    Why
        Impurities and errors are concave in the yes counts. The gain is convex and the entropy of the split concave,
        so minus the gain ratio is quasi-concave; so is minus the square root of twoing, a sum of absolute values of
        linear functions divided by the root of the product of the branch weights. So the minimum is at a corner.
    Tight when
        At most eight classes are in the yes branch, or there are at most ten in all; see `_least_of_faces`.
        ``test_no_refinement_beats_the_bound``, ``test_some_refinement_attains_the_bound``
    """
    weight, most = total.sum(), total.max()
    pure, kept = pure_parts(total, table), np.zeros(len(total))
    for i in range(len(counts)):
        yes = counts[i]
        losses[i, 0] = loss_of_many(kind, yes, total, weight, pure, table)
        if kind == ACCURACY_PLUS:
            fill_pure_parts(pure, yes, total, table)
        if len(total) > WHOLE_CLASSES + 2:
            bounds[i, 0] = _least_of_faces(kind, yes, total, weight, inf)
            continue
        least = inf
        for corner in range(1 << len(total)):
            if kind == ENTROPY:
                least = min(least, entropy(corner, yes, pure, weight, table))
            elif kind == ACCURACY_PLUS:
                for k in range(len(yes)):
                    kept[k] = yes[k] if (corner >> k) & 1 else 0.0
                errors = error_share(_most_right(kept, kept, total, most), weight)
                least = min(least, errors + 0.5 * entropy(corner, yes, pure, weight, table))
            else:
                least = min(least, _sum_of_terms(kind, corner, yes, total, weight))
        bounds[i, 0] = least


@njit(nogil=True, cache=True, error_model="numpy")
def class_losses(kind: int, counts: Any, total: Any, table: Any) -> Any:
    """Return the losses without bounds, as (m, 2); consecutive candidates with equal counts are computed once."""
    losses = np.zeros((len(counts), 2))
    weight, pure = total.sum(), pure_parts(total, table)
    for i in range(len(counts) if weight > 0 else 0):
        if i > 0 and _same(counts[i], counts[i - 1]):
            losses[i, 0], losses[i, 1] = losses[i - 1, 0], losses[i - 1, 1]  # rows take long to compile
            continue
        losses[i, 0] = loss_of_many(kind, counts[i], total, weight, pure, table)
        if kind == ACCURACY_STAR:
            losses[i, 1] = bits_of_many(counts[i], total, weight, pure, table)
    return losses


@njit(nogil=True, cache=True, error_model="numpy")
def _same(one: Any, other: Any) -> bool:
    different = 0
    for k in range(len(one)):
        different += one[k] != other[k]
    return different == 0


# ---- any number of branches ------------------------------------------------------------------------------------


@njit(nogil=True, cache=True, error_model="numpy")
def side_impurities(kind: int, sides: Any) -> Any:
    """Return weight times impurity of each branch, as (sides,).

    Parameters
    ----------
    kind : int
        Any but ``GAIN_RATIO``, ``TWOING`` and ``ACCURACY_STAR``.
    sides : (sides, classes) or (sides, 3) float64
    """
    found = np.zeros(len(sides))
    for i in range(len(sides)):
        if kind == MSE:
            found[i] = deviation(sides[i, 0], sides[i, 1], sides[i, 2], sides[i, 0])
            continue
        weight, most = 0.0, 0.0
        for k in range(sides.shape[1]):
            weight, most = weight + sides[i, k], max(most, sides[i, k])
        found[i] = weight - most if kind in (ACCURACY, ACCURACY_PLUS) else 0.0
        for k in range(sides.shape[1] if kind != ACCURACY else 0):
            found[i] += _part(kind, sides[i, k], weight)
    return found


@njit(nogil=True, cache=True, error_model="numpy")
def information(sides: Any, division: Any, known: Any) -> Any:
    """Return the total information gain of each split in bits, summed over its individuals.

    Parameters
    ----------
    sides : (sides, classes) float64
    division : (sides,) int64
        Index of the split that each branch belongs to.
    known : (divisions, classes) float64
        Sums over the branches of each split.
    """
    bits = np.zeros(len(known))
    for i in range(len(sides)):
        here = sides[i].sum()
        others = rest(known[division[i]].sum(), here)
        for k in range(sides.shape[1]):
            part, total = sides[i, k], known[division[i], k]
            surplus = part * others - here * rest(total, part)
            bits[division[i]] += _surplus_nats(part, surplus, here * total) / LOG_2
    return bits


# ---- one candidate of two classes ---------------------------------------------------------------------------
# Losses do not change if the branches are swapped, so either may be the yes branch.


@njit(nogil=True, cache=True, error_model="numpy", inline="always")
def loss_of_two(kind: int, x: float, y: float, p: float, q: float, weight: float, table: Any) -> float:
    """Return the first component of the loss for two classes: x and y in one branch, p and q in the other."""
    if kind == GINI:
        return 2.0 * (_half_gini(x, y) + _half_gini(p, q)) / weight
    if kind == ENTROPY:
        return entropy_of_two(x, y, p, q, weight, table)
    if kind == SQRT_GINI:
        return 2.0 * (sqrt(x * y) + sqrt(p * q)) / weight
    if kind == TWOING:
        both = (x + y) * (p + q)
        return -(((x * q - y * p) / weight) ** 2) / both if both > 0 else 0.0
    if kind == ACCURACY_PLUS:
        return error_share(max(x, y) + max(p, q), weight) + 0.5 * entropy_of_two(x, y, p, q, weight, table)
    return error_share(max(x, y) + max(p, q), weight)


@njit(nogil=True, cache=True, error_model="numpy", inline="always")
def _loss_of_one(kind: int, x: float, p: float, m: float, weight: float, table: Any) -> float:
    """Return the loss if one branch has x of one class, and the other has p of that class and all m of the other."""
    if kind == ENTROPY:
        pure = times_log2(p, table) + times_log2(m, table)
        return side_bits(p + m, pure, table) / weight
    return loss_of_two(kind, x, 0.0, p, m, weight, table)


@njit(nogil=True, cache=True, error_model="numpy")
def _half_gini(x: float, y: float) -> float:
    return x * y / max(x + y, TINY)


@njit(nogil=True, cache=True, error_model="numpy")
def entropy_of_two(x: float, y: float, p: float, q: float, weight: float, table: Any) -> float:
    """Return the mean entropy of a branch with class weights x and y and a branch with p and q."""
    bits = side_bits(x + y, times_log2(x, table) + times_log2(y, table), table)
    bits += side_bits(p + q, times_log2(p, table) + times_log2(q, table), table)
    return bits / weight


@njit(nogil=True, cache=True, error_model="numpy")
def side_bits(side: float, pure: float, table: Any) -> float:
    """Return the weight of a branch times its entropy, T log2 T - Σ v log2 v; 0 for a rounding residue."""
    return max(times_log2(side, table) - pure, 0.0) if side > 0 else 0.0


@njit(nogil=True, cache=True, error_model="numpy")
def is_better(loss: float, tie: float, other: float, other_tie: float, slack: float) -> bool:
    """Return whether a loss is lower than another by more than the slack; the second component breaks ties."""
    return loss < other - slack or (loss <= other + slack and tie < other_tie - slack)


@njit(nogil=True, cache=True, error_model="numpy")
def rest(whole: float, part: float) -> float:
    """Return the difference, or 0 if it is a rounding residue, which a square root would magnify by up to 10^8.

    Positive weights are at least 1 (`structtree.tasks.target`), so a true difference is never taken for a residue.
    """
    left = whole - part
    return left if left > dust(whole) else 0.0


@njit(nogil=True, cache=True, error_model="numpy")
def dust(whole: float) -> float:
    """Return the largest rounding error of sums up to this weight."""
    return min(TOLERANCE * whole, 0.5)


@njit(nogil=True, cache=True, error_model="numpy")
def class_slack(kind: int, total: Any) -> Any:
    """Return the largest difference of two equal classification losses due to rounding.

    Sums of integers up to 2^53 are exact. The error of other sums is proportional to the weight of the node, which
    can be large relative to a branch with a single light individual. Gain ratio changes in proportion to the relative
    error, square-root Gini with its root, and the other criteria hardly; positive weights are at least 1.
    """
    if kind != GAIN_RATIO and kind != SQRT_GINI:
        return TOLERANCE
    weight, whole = 0.0, True
    for k in range(len(total)):
        weight += total[k]
        whole = whole and total[k] == np.floor(total[k])
    if whole and weight <= EXACT:
        return TOLERANCE
    return TOLERANCE + SUM_ERROR * (weight if kind == GAIN_RATIO else sqrt(weight))


@njit(nogil=True, cache=True, error_model="numpy")
def error_share(right: float, weight: float) -> float:
    """Return the error rate."""
    return max(weight - right, 0.0) / weight


@njit(nogil=True, cache=True, error_model="numpy")
def times_log2(v: float, table: Any) -> float:
    """Return v log2 v."""
    if len(table) > 0:
        return table[np.uint64(np.int64(v))]  # type: ignore[no-any-return]
    return v * log2(v) if v > 0 else 0.0


# ---- one candidate of any number of classes -----------------------------------------------------------------


@njit(nogil=True, cache=True, error_model="numpy", inline="always")
def loss_of_many(kind: int, side: Any, total: Any, weight: float, pure: Any, table: Any) -> Any:
    """Return the first component of the loss for any number of classes."""
    if kind >= ACCURACY:
        return _errors(side, total, weight)
    if kind == ENTROPY:
        return bits_of_many(side, total, weight, pure, table)
    if kind == ACCURACY_PLUS:
        return _errors(side, total, weight) + 0.5 * bits_of_many(side, total, weight, pure, table)
    return _sum_of_terms(kind, EVERYTHING, side, total, weight)


@njit(nogil=True, cache=True, error_model="numpy", inline="always")
def bits_of_many(side: Any, total: Any, weight: float, pure: Any, table: Any) -> Any:
    """Return the mean entropy for any number of classes."""
    fill_pure_parts(pure, side, total, table)
    return entropy(EVERYTHING, side, pure, weight, table)


@njit(nogil=True, cache=True, error_model="numpy", inline="always")
def _errors(side: Any, total: Any, weight: float) -> Any:
    most, no_most = 0.0, 0.0
    for k in range(len(side)):
        most, no_most = max(most, side[k]), max(no_most, rest(total[k], side[k]))
    return error_share(most + no_most, weight)


@njit(nogil=True, cache=True, error_model="numpy", inline="always")
def _most_right(low: Any, high: Any, total: Any, most: float) -> float:
    """Return the maximum correct weight if the yes branch keeps between low and high of each class."""
    greatest, second, first = 0.0, 0.0, -1
    for k in range(len(high)):
        if high[k] > greatest:
            greatest, second, first = high[k], greatest, k
        elif high[k] > second:
            second = high[k]
    right = most
    for k in range(len(high)):
        right = max(right, rest(total[k], low[k]) + (second if k == first else greatest))
    return right


@njit(nogil=True, cache=True, error_model="numpy")
def pure_parts(total: Any, table: Any) -> Any:
    """Return v log2 v of each class at the node, in an array with room for the yes branch and the no branch."""
    pure = np.empty((3, len(total)))
    for k in range(len(total)):
        pure[2, k] = times_log2(total[k], table)
    return pure


@njit(nogil=True, cache=True, error_model="numpy", inline="always")
def fill_pure_parts(pure: Any, yes: Any, total: Any, table: Any) -> None:
    """Fill in v log2 v of each class in the yes branch and the no branch."""
    for k in range(len(yes)):
        pure[0, k] = times_log2(yes[k], table)
        pure[1, k] = times_log2(rest(total[k], yes[k]), table)


@njit(nogil=True, cache=True, error_model="numpy", inline="always")
def entropy(corner: int, yes: Any, pure: Any, weight: float, table: Any) -> float:
    """Return the mean entropy if the yes branch keeps only the classes of a corner.

    Unlike the sum of v log2(T / v), this needs two logarithms per corner for any number of classes.
    """
    kept, inside, outside = 0.0, 0.0, 0.0
    for k in range(len(yes)):
        if (corner >> k) & 1:
            kept += yes[k]
            inside += pure[0, k]
            outside += pure[1, k]
        else:
            outside += pure[2, k]
    return (side_bits(kept, inside, table) + side_bits(rest(weight, kept), outside, table)) / weight


@njit(nogil=True, cache=True, error_model="numpy", inline="always")
def _sum_of_terms(kind: int, corner: int, yes: Any, total: Any, weight: float) -> float:
    """Return the loss if the yes branch keeps only the classes of a corner."""
    kept, added = 0.0, 0.0
    for k in range(len(yes)):
        if (corner >> k) & 1:
            kept += yes[k]
    left = rest(weight, kept)
    for k in range(len(yes)):
        added += _term(kind, yes[k] if (corner >> k) & 1 else 0.0, kept, left, total[k], weight)
    return _finish(kind, added * _scale(kind, kept, left, weight))


@njit(nogil=True, cache=True, error_model="numpy")
def _least_of_faces(kind: int, yes: Any, total: Any, weight: float, error: float) -> float:
    """Return a lower bound over the faces of the box, with the largest classes at a corner and the others free.

    Only faces with at most this error are considered; infinity for all.

    Claim
        No counts between 0 and ``yes`` have a smaller loss.
    Why
        On a face, each free class is bounded alone: its term is quasi-concave in its own count and the weight of the
        others, so its minimum is at a corner of that rectangle. The errors of acc+ are bounded for the whole face.
    Tight when
        All classes of the yes branch are enumerated. The bound of an impurity is never below that of the no branch
        alone. ``test_bounding_classes_one_by_one_is_valid_and_above_the_no_side_alone``
    """
    order, most, least = _greatest(yes), total.max(), inf
    low, high = np.zeros(len(yes)), yes.copy()
    for face in range(1 << WHOLE_CLASSES):
        for r in range(WHOLE_CLASSES):
            low[order[r]] = high[order[r]] = yes[order[r]] if (face >> r) & 1 else 0.0
        errors = 0.0
        if error < inf or kind == ACCURACY_PLUS:
            errors = error_share(_most_right(low, high, total, most), weight)
        if errors > error + TOLERANCE:
            continue
        all_low, all_high, added = low.sum(), high.sum(), errors if kind == ACCURACY_PLUS else 0.0
        for k in range(len(yes)):
            own, others, term = (low[k], high[k]), (rest(all_low, low[k]), rest(all_high, high[k])), inf
            for i in range(4):
                side = own[i // 2] + others[i % 2]
                left = rest(weight, side)
                found = _term(kind, own[i // 2], side, left, total[k], weight) * _scale(kind, side, left, weight)
                term = min(term, found)
            added += term
        least = min(least, added)
    return _finish(kind, least)


@njit(nogil=True, cache=True)
def _greatest(yes: Any) -> Any:
    """Return the largest classes in order, ties by index; a loop compiles faster than a sort."""
    order, waits = np.zeros(WHOLE_CLASSES, dtype=np.int64), np.ones(len(yes), dtype=np.bool_)
    for r in range(WHOLE_CLASSES):
        order[r] = -1
        for k in range(len(yes)):
            if waits[k] and (order[r] < 0 or yes[k] > yes[order[r]]):
                order[r] = k
        waits[order[r]] = False
    return order


@njit(nogil=True, cache=True, error_model="numpy", inline="always")
def _term(kind: int, part: float, side: float, left: float, total: float, weight: float) -> float:
    """Return the summand of a class with ``part`` of its total in a branch of weight ``side``."""
    no_part = rest(total, part)
    # The excess over the expected count, times the total weight; this form stays accurate if one branch is far
    # lighter than the other.
    surplus = part * left - side * no_part
    if kind == GAIN_RATIO:
        # For a rare split both gain and entropy are small; log1p of the excess keeps their ratio accurate, which a
        # difference of two entropies would not.
        return _surplus_nats(part, surplus, side * total) + _surplus_nats(no_part, -surplus, left * total)
    if kind == TWOING:
        return abs(surplus)
    return _part(kind, part, side) + _part(kind, no_part, left)


@njit(nogil=True, cache=True, error_model="numpy", inline="always")
def _scale(kind: int, side: float, left: float, weight: float) -> float:
    """Return the factor of the sum; 0 for an empty branch."""
    if kind == GAIN_RATIO:
        return -1.0 / (side * log1p(left / side) + left * log1p(side / left)) if side > 0 and left > 0 else 0.0
    if kind == TWOING:
        both = side * left
        return -1.0 / (2.0 * weight * sqrt(both)) if both > 0 else 0.0
    return 1.0 / weight


@njit(nogil=True, cache=True, error_model="numpy")
def _finish(kind: int, added: float) -> float:
    return -(added * added) if kind == TWOING else added


@njit(nogil=True, cache=True, error_model="numpy")
def _part(kind: int, part: float, whole: float) -> float:
    """Return the summand of a class of weight ``part`` in weight times impurity of a branch of weight ``whole``."""
    if kind in (ENTROPY, ACCURACY_PLUS):  # the errors of acc+ are not a sum over the classes
        bits = part * log2(max(whole, part) / part) if part > 0 else 0.0
        return bits if kind == ENTROPY else 0.5 * bits
    if kind == SQRT_GINI:
        return sqrt(part * rest(whole, part))
    return part * rest(whole, part) / whole if whole > 0 else 0.0


@njit(nogil=True, cache=True, error_model="numpy")
def _surplus_nats(part: float, surplus: float, expected: float) -> float:
    """Return part × log(1 + surplus / expected); 0 if part is 0 or the sum rounds to 0."""
    if part > 0 and expected > 0 and surplus > -expected:
        return part * log1p(surplus / expected)
    return 0.0


# ---- many candidates: numbers -------------------------------------------------------------------------------


@njit(nogil=True, cache=True, error_model="numpy")
def assess_numbers(counts: Any, targets: Any, total: Any, best: float, slack: float) -> Any:
    """Return the losses and bounds for mse.

    The bound is the deviation of the no branch if that is already worse than the best, else that of the best cut.

    Claim
        No subset of the yes branch, even with fractional weights, has a smaller loss than its best prefix or suffix
        in the order of the labels.
    Why
        For fixed predictions a of the yes branch and b of the no branch, each individual is best in the branch with
        the nearer prediction: below or above (a + b)/2. The minimum over a and b can be taken last.
    Tight when
        Always: the cut is a subset. ``test_the_regression_bound_is_the_best_of_all_subsets``

    Parameters
    ----------
    counts : (m, n) float64
        The weight of each individual in the yes branch of each candidate, in the order of the labels.
    targets : (n,) float64
        Ascending and centred.
    total : (3,) float64
        Weight, sum and sum of squares of all targets.
    best, slack : float

    Returns
    -------
    losses, bounds : (m, 2)
    """
    losses, bounds = np.zeros((len(counts), 2)), np.zeros((len(counts), 2))
    weight = total[0]
    scale = weight if weight > 0 else 1.0
    for i in range(len(counts)):
        w, s, q = 0.0, 0.0, 0.0
        for j in range(len(targets)):
            moment = counts[i, j] * targets[j]
            w += counts[i, j]
            s += moment
            q += moment * targets[j]
        no = deviation(weight - w, total[1] - s, total[2] - q, weight)
        losses[i, 0] = (deviation(w, s, q, weight) + no) / scale
        bounds[i, 0] = no / scale
        if not best < bounds[i, 0] - slack:
            explained = _best_cut(counts[i], targets, w, s, total)
            bounds[i, 0] = max(total[2] - explained, 0.0) / scale
    return losses, bounds


@njit(nogil=True, cache=True, error_model="numpy")
def _best_cut(kept: Any, targets: Any, w: float, s: float, total: Any) -> float:
    """Return the largest explained variation of a prefix or a suffix of the kept individuals."""
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
    """Return the larger of the best variation so far and the variation that this yes branch explains."""
    weight = total[0]
    no, no_sum = weight - w, total[1] - s
    least = dust(weight)
    if w > least and no > least:
        # A single division, and only for a new maximum, which is rare.
        above, below = s * s * no + no_sum * no_sum * w, w * no
        return above / below if above > most * below else most
    if w > least:
        return max(most, s * s / w)
    return max(most, no_sum * no_sum / no) if no > least else most


@njit(nogil=True, cache=True, error_model="numpy")
def deviation(w: float, s: float, q: float, weight: float) -> float:
    return max(q - s * s / w, 0.0) if w > dust(weight) else max(q, 0.0)


@njit(nogil=True, cache=True, error_model="numpy")
def moment_losses(some: Any, whole: Any) -> Any:
    """Return losses and bounds for mse, as (m, 2) each, from weight, sum and sum of squares of centred labels.

    Claim
        No refinement has a smaller loss than the deviation of the no branch.
    Why
        A refinement only adds individuals to the no branch, which cannot decrease its sum of squared deviations.
    Tight when
        The yes branch can shrink to equal labels without moving any of the others, as when it is empty.
        ``test_the_regression_bound_is_the_best_of_all_subsets``
    """
    losses, bounds = np.zeros((len(some), 2)), np.zeros((len(some), 2))
    weight = whole[0]
    for i in range(len(some) if weight > 0 else 0):
        no = deviation(weight - some[i, 0], whole[1] - some[i, 1], whole[2] - some[i, 2], weight)
        yes = deviation(some[i, 0], some[i, 1], some[i, 2], weight)
        losses[i, 0], bounds[i, 0] = (yes + no) / weight, no / weight
    return losses, bounds
