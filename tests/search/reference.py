"""The criteria in plain numpy: the twin of the compiled losses, with every formula as it is written in the books."""

from __future__ import annotations

from functools import partial
from math import log

import numpy as np

from structtree.arrays import TOLERANCE
from structtree.tasks.losses import WHOLE_CLASSES

# ---- evidence


def class_counts(codes, weights, n_classes: int, inside=None):
    """The weight of each class, (c,); or, of each class inside each of m sets of individuals, (m, c).

    Parameters
    ----------
    codes : (n,) int
        The class of each individual, 0 to n_classes - 1.
    weights : (n,) float, optional
        Sample weight times class weight; 1 when absent.
    n_classes : int
    inside : (m, n) bool, optional
        Which individuals are on the yes side, one row per candidate.
    """
    of_class = np.eye(n_classes)[np.asarray(codes, dtype=np.intp)]
    return _add_up(of_class if weights is None else of_class * np.asarray(weights)[:, None], inside)


def centred(targets, weights=None):
    """The targets less their weighted mean; moments of anything else lose digits where the mean is large."""
    y = np.asarray(targets, dtype=np.float64)
    return y - np.average(y, weights=None if weights is None else np.asarray(weights))


def moments(targets, weights=None, inside=None):
    """Weight, sum and sum of squares of :func:`centred` targets, (3,); or inside each of m sets, (m, 3)."""
    y = np.asarray(targets, dtype=np.float64)
    powers = np.stack([np.ones_like(y), y, y * y], axis=1)
    return _add_up(powers if weights is None else powers * np.asarray(weights)[:, None], inside)


def _add_up(rows, inside):
    if inside is None:
        return np.asarray(rows.sum(axis=0))
    return np.asarray(inside, dtype=np.float64) @ rows


# ---- accuracy


def accuracy_loss(yes, total):
    """The share of weight outside the majority class of its side."""
    counts, whole = _sides(yes, total)
    return _one_component(_error_share(counts.max(axis=1) + _rest(whole, counts).max(axis=1), whole))


def accuracy_bound(yes, total):
    """The least error share of any refinement, 1 - B in the words of Ng and Lloyd.

    Claim
        No refinement gets more right than max over i of (n_i + max over k ≠ i of yes_k).
    Why
        The two sides predict one class each. If it is the same class i they get n_i right; if the yes side says k
        and the no side i ≠ k, at most yes_k and n_i.
    Tight when
        Always: keep just class k. ``test_no_refinement_beats_the_bound``, ``test_some_refinement_attains_the_bound``
    """
    counts, whole = _sides(yes, total)
    return _one_component(_error_share(_most_right(counts, whole, whole), whole))


def accuracy_star_loss(yes, total):
    """Acc*: the error share, and among equals the entropy."""
    errors = accuracy_loss(yes, total)
    errors[:, 1] = additive_loss(partial(impurity_term, entropy_part), yes, total)[:, 0]
    return errors


def accuracy_star_bound(yes, total, whole_classes=WHOLE_CLASSES):
    """The lexicographically least (error share, entropy) of any refinement.

    Claim
        No refinement is lexicographically below (1 - B, least entropy among the corners that attain B).
    Why
        Both components are concave. A point that attains the least error is a mean of corners that all attain it,
        so one of these has no more entropy than the point. The pair (1 - B, least entropy of all corners) is valid
        too but weaker: its two corners need not be the same one.
    Tight when
        As in :func:`additive_bound`; elsewhere the entropy is bounded as there, over the faces of the box on which
        B may be attained.
        ``test_no_refinement_beats_the_bound``, ``test_some_refinement_attains_the_bound``,
        ``test_the_bound_of_acc_star_is_never_below_the_pair_of_bounds``
    """
    counts, whole = _sides(yes, total)
    bound = accuracy_bound(counts, whole)
    bound[:, 1] = np.inf
    for low, high in _faces(counts, whole_classes):
        errors = _error_share(_most_right(high, _rest(whole, low), whole), whole)
        entropy = np.where(
            errors <= bound[:, 0] + TOLERANCE,
            _least_on_face(partial(impurity_term, entropy_part), low, high, whole),
            np.inf,
        )
        bound[:, 1] = np.minimum(bound[:, 1], entropy)
    return bound


def accuracy_plus_loss(yes, total):
    """Acc+: the error share plus half the entropy."""
    return accuracy_loss(yes, total) + additive_loss(partial(impurity_term, entropy_part), yes, total) / 2


def accuracy_plus_bound(yes, total, whole_classes=WHOLE_CLASSES):
    """The least sum of error share and half the entropy over the box of all refinements, at one of its corners.

    Claim
        No counts between 0 and ``yes``, whole or fractional, have a smaller loss.
    Why
        Both parts are concave, so their sum is least at a corner. On a face the least of both parts is bounded apart.
    Tight when
        As in :func:`additive_bound`.
        ``test_no_refinement_beats_the_bound``, ``test_some_refinement_attains_the_bound``,
        ``test_acc_plus_is_bounded_as_well_when_classes_are_taken_one_by_one``
    """
    counts, whole = _sides(yes, total)
    least = np.full(len(counts), np.inf)
    for low, high in _faces(counts, whole_classes):
        errors = _error_share(_most_right(high, _rest(whole, low), whole), whole)
        entropy = _least_on_face(partial(impurity_term, entropy_part), low, high, whole)
        least = np.minimum(least, errors + entropy / 2)
    return _one_component(least)


def _most_right(yes_most, no_most, whole):
    """The most weight two predictions get right, if no class has more than this on the yes and on the no side."""
    return np.maximum(whole.max(), (no_most + _greatest_of_the_others(yes_most)).max(axis=1))


def _greatest_of_the_others(counts):
    """For each class the greatest count of any other class, 0 where there is no other."""
    if counts.shape[1] == 1:
        return np.zeros_like(counts)
    ascending = np.partition(counts, -2, axis=1)
    is_first = np.arange(counts.shape[1]) == counts.argmax(axis=1)[:, None]
    return np.where(is_first, ascending[:, -2:-1], ascending[:, -1:])


def _error_share(right, whole):
    weight = float(whole.sum())
    return np.maximum(weight - right, 0.0) / (weight or 1.0)


# ---- criteria that add up over the classes: the impurities


def entropy_part(part, whole):
    """What a class of weight ``part`` adds to weight times entropy, in bits, of a side of weight ``whole``."""
    present = np.where(part > 0, part, 1.0)
    return part * np.log2(np.maximum(whole, present) / present)


def gini_part(part, whole):
    """What a class of weight ``part`` adds to weight times Gini index of a side of weight ``whole``."""
    return part * _rest(whole, part) / np.where(whole > 0, whole, 1.0)


def sqrt_gini_part(part, whole):
    """What a class adds to weight times square-root Gini: the sum over classes of √(p(1-p)).

    For two classes this is the 2√(p(1-p)) of Dietterich, Kearns and Mansour (DKM); for more, each class against
    the rest, as is usual for the Gini index.
    """
    return np.sqrt(part * _rest(whole, part))


def impurity_term(part, yes, yes_weight, total, weight):
    """What a class adds to the mean impurity of the two sides, if ``yes`` of its ``total`` are on the yes side."""
    both = part(yes, yes_weight) + part(_rest(total, yes), _rest(weight, yes_weight))
    return both / np.where(weight > 0, weight, 1.0)


def gain_ratio_term(yes, yes_weight, total, weight):
    """What a class adds to minus the gain ratio: its share of the information gained over the split's entropy.

    A split with an empty side has gain ratio 0, the limit of smaller and smaller sides. That C4.5 only admits
    tests of at least average gain is a rule about a set of tests and no part of this.
    """
    no, no_weight = _rest(total, yes), _rest(weight, yes_weight)
    split = entropy_part(yes_weight, weight) + entropy_part(no_weight, weight)
    # Of a rare split both gain and entropy are small; taking the surplus over what the margins predict into log1p
    # keeps their ratio exact where a difference of two entropies would not.
    surplus = yes * weight - yes_weight * total
    gain = times_log(yes, surplus, yes_weight * total) + times_log(no, -surplus, no_weight * total)
    return -gain / np.where(split > 0, split, np.inf)


def times_log(part, surplus, expected):
    """part × log2(1 + surplus / expected), 0 where there is no part, or so little that the sum rounds to 0."""
    there = (part > 0) & (expected > 0) & (surplus > -expected)
    ratio = np.where(there, surplus, 0.0) / np.where(there, expected, 1.0)
    return part * np.log1p(ratio) / log(2)


def additive_loss(term, yes, total):
    """The sum over the classes of what each adds: entropy, Gini, square-root Gini, gain ratio."""
    counts, whole = _sides(yes, total)
    return _one_component(_sum_of_terms(term, counts, whole))


def additive_bound(term, yes, total, whole_classes=WHOLE_CLASSES):
    """The least loss over the box of all refinements, at one of its corners.

    Claim
        No counts between 0 and ``yes``, whole or fractional, have a smaller loss.
    Why
        Impurities are concave in the yes counts; the gain is convex and the entropy of the split concave, so minus
        the gain ratio is quasi-concave. Either way the least value over a box is at a corner. Where there are more
        than ``whole_classes`` classes the greatest are enumerated and each of the others is taken alone: its term
        is quasi-concave in its own count and the weight of the rest, so least at a corner of that rectangle.
    Tight when
        At most ``whole_classes`` classes are on the yes side, or there are at most two more in all. An impurity is
        never bounded below that of the no side alone.
        ``test_no_refinement_beats_the_bound``, ``test_some_refinement_attains_the_bound``,
        ``test_bounding_classes_one_by_one_is_valid_and_above_the_no_side_alone``
    """
    counts, whole = _sides(yes, total)
    least = np.full(len(counts), np.inf)
    for low, high in _faces(counts, whole_classes):
        least = np.minimum(least, _least_on_face(term, low, high, whole))
    return _one_component(least)


def twoing_term(yes, yes_weight, total, weight):
    """What a class adds to minus the square root of twoing: by how much its shares on the two sides differ."""
    both = yes_weight * _rest(weight, yes_weight)
    there = both > 0
    return -np.abs(yes * weight - yes_weight * total) / np.where(there, 2 * weight * np.sqrt(both), np.inf)


def twoing_loss(yes, total):
    """Minus the twoing measure of CART (Breiman and others, 1984): p q / 4 times (Σ |share on yes - share on no|)².

    p and q are the weights of the two sides, the sum is over the classes and their shares of both sides. The best
    there is, 1/4, has two halves without a class in common.
    """
    return _minus_square(additive_loss(twoing_term, yes, total))


def twoing_bound(yes, total, whole_classes=WHOLE_CLASSES):
    """The least loss over the box of all refinements, at one of its corners.

    Claim
        No counts between 0 and ``yes``, whole or fractional, have more twoing than the best corner.
    Why
        The square root of twoing is a sum of absolute values of linear functions, which is convex, over the root of
        the product of the weights of the two sides, which is concave: quasi-convex, so greatest at a corner. With
        many classes each of the others is taken alone, as in :func:`additive_bound`.
    Tight when
        As in :func:`additive_bound`.
        ``test_no_refinement_beats_the_bound``, ``test_some_refinement_attains_the_bound``,
        ``test_bounding_classes_one_by_one_is_valid_and_above_the_no_side_alone``
    """
    return _minus_square(additive_bound(twoing_term, yes, total, whole_classes))


def _minus_square(root):
    return _one_component(0.0 - root[:, 0] ** 2)


def _sum_of_terms(term, counts, whole):
    return term(counts, counts.sum(axis=1, keepdims=True), whole, whole.sum()).sum(axis=1)


def _faces(counts, whole_classes: int):
    """The faces of the box as (least, greatest) counts: the greatest classes wholly in or out, the others free."""
    n_classes = counts.shape[1]
    # Two free classes would cost the same four evaluations per face as the four corners they stand for.
    n_whole = n_classes if n_classes <= whole_classes + 2 else whole_classes
    rank = np.argsort(np.argsort(-counts, axis=1, kind="stable"), axis=1)
    for mask in range(2**n_whole):
        stays = (mask >> np.arange(n_whole)) & 1
        low = counts * np.append(stays, np.zeros(n_classes - n_whole))[rank]
        yield low, (low if n_whole == n_classes else counts * np.append(stays, np.ones(n_classes - n_whole))[rank])


def _least_on_face(term, low, high, whole):
    """The loss where the face is a corner; elsewhere the sum of the least terms, each over its own rectangle."""
    if low is high:
        return _sum_of_terms(term, low, whole)
    rest_low, rest_high = (_rest(side.sum(axis=1, keepdims=True), side) for side in (low, high))
    terms = [term(own, own + rest, whole, whole.sum()) for own in (low, high) for rest in (rest_low, rest_high)]
    return np.minimum.reduce(terms).sum(axis=1)


# ---- numbers


def mse_loss(yes, total):
    """The squared deviations of both sides from their means, over the whole weight: Q / W.

    Parameters
    ----------
    yes, total : (m, 3) and (3,)
        Weight, sum and sum of squares, from :func:`moments` of :func:`centred` targets.
    """
    some, whole = _sides(yes, total)
    weight = float(whole[0])
    return _one_component((_deviation(some, weight) + _deviation(whole - some, weight)) / (weight or 1.0))


def mse_bound(yes, total):
    """The deviation of the no side alone, from moments only: the cheap filter before :func:`regression_bound`.

    Claim
        No refinement has a smaller loss than E(no side) / W.
    Why
        A refinement only adds to the no side, and more examples have no less squared deviation from their mean.
    Tight when
        The yes side can shrink to equal targets without moving any of the others, as when it is empty.
        ``test_the_regression_bound_is_the_best_of_all_subsets``
    """
    some, whole = _sides(yes, total)
    weight = float(whole[0])
    return _one_component(_deviation(whole - some, weight) / (weight or 1.0))


def regression_bound(targets, weights, inside):
    """The least mse of any refinement, C / W in the words of Ng and Lloyd: the best cut of the sorted yes side.

    Parameters
    ----------
    targets : (n,) float, ascending
    weights : (n,) float, optional
    inside : (m, n) bool
        The yes sides, in the order of the targets.

    Notes
    -----
    Claim
        No subset of the yes side, even with parts of weights, has a smaller loss than its best prefix or suffix.
    Why
        For fixed predictions a of the yes and b of the no side each example is best on the side whose prediction
        is nearer: below or above (a + b)/2. The least over a and b can be taken last.
    Tight when
        Always: the cut is a subset. ``test_the_regression_bound_is_the_best_of_all_subsets``

    One pass of prefix sums per candidate, since Q = Σ w y² - (Σ_yes w y)² / W_yes - (Σ_no w y)² / W_no.
    """
    y, members = centred(targets, weights), np.asarray(inside, dtype=np.bool_)
    w = np.ones_like(y) if weights is None else np.asarray(weights, dtype=np.float64)
    weight, total = float(w.sum()), np.array([w.sum(), (w * y).sum()])
    prefix = np.zeros((len(members), len(y) + 1, 2))
    np.cumsum(members[:, :, None] * np.stack([w, w * y], axis=1), axis=1, out=prefix[:, 1:])
    suffix = prefix[:, -1:] - prefix
    explained = [_explained(side, weight) + _explained(total - side, weight) for side in (prefix, suffix)]
    deviation = (w * y * y).sum() - np.maximum(*explained).max(axis=1)
    return _one_component(np.maximum(deviation, 0.0) / (weight or 1.0))


def binned_bound(targets, weights, inside, edges):
    """The least mse of any refinement from weights and sums of targets by bins; see section 8 of docs/bounds.md."""
    y, weights = centred(targets, weights), np.asarray(weights, dtype=np.float64)
    bins = np.searchsorted(edges, targets, side="right")
    masses = []
    for b in np.unique(bins):
        mine = (bins == b) & np.asarray(inside)
        w, s = weights[mine].sum(), (weights * y)[mine].sum()
        low, high = y[bins == b].min(), y[bins == b].max()
        at_low = (high * w - s) / (high - low) if high > low else w
        masses += [(at_low, at_low * low), (w - at_low, (w - at_low) * high)]
    prefix = np.concatenate([np.zeros((1, 2)), np.cumsum(masses, axis=0)])
    weight, total = weights.sum(), np.array([weights.sum(), (weights * y).sum()])
    explained = [
        _explained(side, weight) + _explained(total - side, weight) for side in (prefix, prefix[-1] - prefix)
    ]
    return max((weights * y * y).sum() - np.max(explained), 0.0) / (weight or 1.0)


def _explained(moment, weight):
    """(Σ w y)² / Σ w, and 0 for a side that is empty or the dust of rounding."""
    there = moment[..., 0] > TOLERANCE * weight
    return np.where(there, moment[..., 1], 0.0) ** 2 / np.where(there, moment[..., 0], 1.0)


def _deviation(moment, weight):
    """Σ w (y - mean)² of each side."""
    return np.maximum(moment[..., 2] - _explained(moment, weight), 0.0)


# ---- shared, and names


def _sides(yes, total):
    return np.atleast_2d(np.asarray(yes, dtype=np.float64)), np.asarray(total, dtype=np.float64)


def _one_component(first):
    return np.stack([first, np.zeros_like(first)], axis=1)


def _rest(whole, part):
    """The difference, 0 where it is the dust of rounding: near 0 a square root would make it 10^8 times greater."""
    left = whole - part
    return np.where(left > TOLERANCE * whole, left, 0.0)


TERMS = {
    "entropy": partial(impurity_term, entropy_part),
    "gini": partial(impurity_term, gini_part),
    "sqrt-gini": partial(impurity_term, sqrt_gini_part),
    "gain-ratio": gain_ratio_term,
    "twoing": twoing_term,
}
LOSSES = {
    "acc*": accuracy_star_loss,
    "acc+": accuracy_plus_loss,
    "accuracy": accuracy_loss,
    **{name: partial(additive_loss, term) for name, term in TERMS.items()},
    "twoing": twoing_loss,
    "mse": mse_loss,
}
BOUNDS = {
    "acc*": accuracy_star_bound,
    "acc+": accuracy_plus_bound,
    "accuracy": accuracy_bound,
    **{name: partial(additive_bound, term) for name, term in TERMS.items()},
    "twoing": twoing_bound,
    "mse": mse_bound,
}
