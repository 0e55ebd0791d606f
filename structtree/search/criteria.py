"""How good a split is, and how good any refinement of it can become, side by side.

The one idea: a refinement only takes individuals away from the yes side, so it lies in a box that the present
counts span, and every criterion here is quasi-concave on that box. Its least value is therefore at a corner,
where each class has stayed wholly or left wholly: the bound is the loss itself with other arguments. For numbers
the corner is a cut of the yes side sorted by target.

Everything is a *loss*, less is better, for m candidates at once as an (m, 2) array compared lexicographically; a
criterion of one component leaves the second at 0. This module is the reference: plain numpy, exact, and not
what the search runs on. Proofs are in ``docs/bounds.md``. The bound for accuracy is that of Bowers, Giraud-Carrier
and Lloyd (2000); acc* and the bound for numbers follow Ng and Lloyd, "Predicate Selection for Structural Decision
Trees" (2005); that entropy, Gini, square-root Gini, gain ratio and twoing have exact bounds too is shown there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from math import log
from types import MappingProxyType
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from structtree.errors import UnknownNameError

__all__ = [
    "CRITERIA",
    "NOTHING_FOUND",
    "TOLERANCE",
    "WHOLE_CLASSES",
    "Criterion",
    "Task",
    "accuracy_bound",
    "accuracy_loss",
    "accuracy_star_bound",
    "accuracy_star_loss",
    "additive_bound",
    "additive_loss",
    "better",
    "cannot_beat",
    "centred",
    "class_counts",
    "criterion",
    "entropy_part",
    "gain_ratio_term",
    "gini_part",
    "impurity_term",
    "moments",
    "mse_bound",
    "mse_loss",
    "regression_bound",
    "sqrt_gini_part",
    "times_log",
    "twoing_bound",
    "twoing_loss",
    "twoing_term",
]

Floats = NDArray[np.float64]
Task = Literal["classes", "numbers"]
Part = Callable[[Floats, Floats], Floats]
Term = Callable[[Floats, Floats, Floats, Floats], Floats]
Measure = Callable[[ArrayLike, ArrayLike], Floats]

# Two losses nearer than this count as equal. Rounding moves a loss by about 1e-15, and the error shares of two
# different splits of fewer than 10^11 individuals are further apart.
TOLERANCE = 1e-12

# Corners double with every class, so beyond ten classes only the eight greatest on the yes side are enumerated and
# the others bounded one by one. On fourteen random classes that promises 5 % more gain than any refinement has (of
# gain ratio 50 %), where the impurity of the no side alone would promise 150 % more.
WHOLE_CLASSES = 8

# What the first candidate is compared with.
NOTHING_FOUND: Floats = np.full(2, np.inf)
NOTHING_FOUND.setflags(write=False)


@dataclass(frozen=True, slots=True)
class Criterion:
    """A loss to minimise and its refinement bound; get one with :func:`criterion`.

    Parameters
    ----------
    name : str
    task : "classes" or "numbers"
        Whether sides are described by weighted class counts (c of them) or by moments (weight, sum, sum of squares).
    loss : callable
        ``loss(yes, total)``: from the yes sides of m candidates, (m, c) or (m, 3), and the whole node to (m, 2).
    bound : callable
        ``bound(yes, total)``, of the same form: lexicographically no greater than the loss of any refinement.
    score : callable
        The first component of the loss as people say it: accuracy, not error; gain ratio, not its negative.
    """

    name: str
    task: Task
    loss: Measure = field(compare=False, repr=False)
    bound: Measure = field(compare=False, repr=False)
    score: Callable[[float], float] = field(compare=False, repr=False, default=float)

    def room(self, score: float) -> float:
        """How much less than that of a split with this score a loss can be at all.

        Examples
        --------
        >>> criterion("acc*").room(0.75), criterion("gini").room(0.1), criterion("gain-ratio").room(0.6)
        (0.25, 0.1, 0.4)
        """
        if self.name in _MOST:
            return _MOST[self.name] - score
        return max(0.0, self.score(score))  # what turns a loss into a score turns it back

    def unsplit(self, total: ArrayLike) -> Floats:
        """The loss of not splitting, as (2,): the impurity of the node itself.

        Examples
        --------
        >>> criterion("entropy").unsplit([1, 1]).tolist()
        [1.0, 0.0]
        """
        whole = np.asarray(total, dtype=np.float64)
        (loss,) = self.loss(np.zeros((1, len(whole))), whole)
        return np.asarray(loss, dtype=np.float64)

    def slack(self, total: ArrayLike) -> float:
        """What rounding may have changed in a loss: the tolerance, for numbers in units of their variance.

        Examples
        --------
        >>> criterion("gini").slack([5, 5]) == TOLERANCE
        True
        """
        return TOLERANCE * float(self.unsplit(total)[0]) if self.task == "numbers" else TOLERANCE


def criterion(name: str) -> Criterion:
    """The criterion of that name, one of ``CRITERIA``.

    Examples
    --------
    >>> criterion("acc*")
    Criterion(name='acc*', task='classes')
    >>> criterion("entropi")
    Traceback (most recent call last):
        ...
    structtree.errors.UnknownNameError: unknown criterion 'entropi' (did you mean 'entropy'?)
    """
    try:
        return CRITERIA[name]
    except KeyError:
        raise UnknownNameError("criterion", name, CRITERIA) from None


def better(a: ArrayLike, b: ArrayLike, slack: float = TOLERANCE) -> NDArray[np.bool_]:
    """Whether loss a is less than loss b by more than the slack; equal first components leave it to the second.

    Examples
    --------
    >>> better([[0.2, 0.9], [0.3, 0.5], [0.3, 0.7]], [0.3, 0.6]).tolist()
    [True, True, False]
    """
    first_a, second_a = np.moveaxis(np.asarray(a, dtype=np.float64), -1, 0)
    first_b, second_b = np.moveaxis(np.asarray(b, dtype=np.float64), -1, 0)
    ahead, behind = first_a < first_b - slack, first_a > first_b + slack
    return np.asarray(ahead | (~behind & (second_a < second_b - slack)))


def cannot_beat(bound: ArrayLike, best: ArrayLike, slack: float = TOLERANCE) -> NDArray[np.bool_]:
    """Whether nothing with this bound is better than the best, or as good: the best is better than the bound.

    Refinements that may still tie are kept, since ties go to the shorter predicate. A search that has no use for
    ties may ask ``~better(bound, best)`` instead.

    Examples
    --------
    >>> cannot_beat([[0.3, 0.7], [0.3, 0.6], [0.2, 0.9]], [0.3, 0.6]).tolist()
    [True, False, False]
    """
    return better(best, bound, slack)


# ---------------------------------------------------------------------------------------------------- evidence


def class_counts(
    codes: ArrayLike, weights: ArrayLike | None, n_classes: int, inside: ArrayLike | None = None
) -> Floats:
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

    Examples
    --------
    >>> class_counts([0, 1, 1], None, 2).tolist()
    [1.0, 2.0]
    >>> class_counts([0, 1, 1], [1, 0.5, 2], 2, inside=[[True, True, False]]).tolist()
    [[1.0, 0.5]]
    """
    of_class = np.eye(n_classes)[np.asarray(codes, dtype=np.intp)]
    return _add_up(of_class if weights is None else of_class * np.asarray(weights)[:, None], inside)


def centred(targets: ArrayLike, weights: ArrayLike | None = None) -> Floats:
    """The targets less their weighted mean; moments of anything else lose digits where the mean is large.

    Examples
    --------
    >>> centred([10.0, 20.0], [3, 1]).tolist()
    [-2.5, 7.5]
    """
    y = np.asarray(targets, dtype=np.float64)
    return y - np.average(y, weights=None if weights is None else np.asarray(weights))


def moments(targets: ArrayLike, weights: ArrayLike | None = None, inside: ArrayLike | None = None) -> Floats:
    """Weight, sum and sum of squares of :func:`centred` targets, (3,); or inside each of m sets, (m, 3).

    Examples
    --------
    >>> moments([-1.0, 0.0, 1.0]).tolist()
    [3.0, 0.0, 2.0]
    >>> moments([-1.0, 0.0, 1.0], [1, 1, 2], inside=[[False, True, True]]).tolist()
    [[3.0, 2.0, 2.0]]
    """
    y = np.asarray(targets, dtype=np.float64)
    powers = np.stack([np.ones_like(y), y, y * y], axis=1)
    return _add_up(powers if weights is None else powers * np.asarray(weights)[:, None], inside)


def _add_up(rows: Floats, inside: ArrayLike | None) -> Floats:
    if inside is None:
        return np.asarray(rows.sum(axis=0))
    return np.asarray(inside, dtype=np.float64) @ rows


# ---------------------------------------------------------------------------------------------------- accuracy


def accuracy_loss(yes: ArrayLike, total: ArrayLike) -> Floats:
    """The share of weight outside the majority class of its side.

    Examples
    --------
    >>> accuracy_loss([[2, 1, 0, 2]], [6, 9, 3, 2]).tolist()
    [[0.5, 0.0]]
    """
    counts, whole = _sides(yes, total)
    return _one_component(_error_share(counts.max(axis=1) + _rest(whole, counts).max(axis=1), whole))


def accuracy_bound(yes: ArrayLike, total: ArrayLike) -> Floats:
    """The least error share of any refinement, 1 - B in the words of Ng and Lloyd.

    Claim
        No refinement gets more right than max over i of (n_i + max over k ≠ i of yes_k).
    Why
        The two sides predict one class each. If it is the same class i they get n_i right; if the yes side says k
        and the no side i ≠ k, at most yes_k and n_i.
    Tight when
        Always: keep just class k. ``test_no_refinement_beats_the_bound``, ``test_some_refinement_attains_the_bound``

    Examples
    --------
    >>> accuracy_bound([[2, 1, 0, 2]], [6, 9, 3, 2]).tolist()
    [[0.45, 0.0]]
    """
    counts, whole = _sides(yes, total)
    return _one_component(_error_share(_most_right(counts, whole, whole), whole))


def accuracy_star_loss(yes: ArrayLike, total: ArrayLike) -> Floats:
    """Acc*: the error share, and among equals the entropy.

    Examples
    --------
    >>> accuracy_star_loss([[300, 100], [200, 400]], [400, 400]).round(3).tolist()
    [[0.25, 0.811], [0.25, 0.689]]
    """
    errors = accuracy_loss(yes, total)
    errors[:, 1] = additive_loss(_ENTROPY, yes, total)[:, 0]
    return errors


def accuracy_star_bound(yes: ArrayLike, total: ArrayLike, whole_classes: int = WHOLE_CLASSES) -> Floats:
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

    Examples
    --------
    Keeping (0, 16) leaves the least entropy, 1/3 bit, and 4 errors; keeping (1, 0) leaves 3 errors and more entropy.

    >>> accuracy_star_bound([[1, 16]], [4, 20]).round(3).tolist()
    [[0.125, 0.535]]
    >>> criterion("entropy").bound([[1, 16]], [4, 20]).round(3).tolist()
    [[0.333, 0.0]]
    """
    counts, whole = _sides(yes, total)
    bound = accuracy_bound(counts, whole)
    bound[:, 1] = np.inf
    for low, high in _faces(counts, whole_classes):
        errors = _error_share(_most_right(high, _rest(whole, low), whole), whole)
        entropy = np.where(errors <= bound[:, 0] + TOLERANCE, _least_on_face(_ENTROPY, low, high, whole), np.inf)
        bound[:, 1] = np.minimum(bound[:, 1], entropy)
    return bound


def _most_right(yes_most: Floats, no_most: Floats, whole: Floats) -> Floats:
    """The most weight two predictions get right, if no class has more than this on the yes and on the no side."""
    right: Floats = np.maximum(whole.max(), (no_most + _greatest_of_the_others(yes_most)).max(axis=1))
    return right


def _greatest_of_the_others(counts: Floats) -> Floats:
    """For each class the greatest count of any other class, 0 where there is no other."""
    if counts.shape[1] == 1:
        return np.zeros_like(counts)
    ascending = np.partition(counts, -2, axis=1)
    is_first = np.arange(counts.shape[1]) == counts.argmax(axis=1)[:, None]
    return np.where(is_first, ascending[:, -2:-1], ascending[:, -1:])


def _error_share(right: Floats, whole: Floats) -> Floats:
    weight = float(whole.sum())
    share: Floats = np.maximum(weight - right, 0.0) / (weight or 1.0)
    return share


# ------------------------------------------------------- criteria that add up over the classes: the impurities


def entropy_part(part: Floats, whole: Floats) -> Floats:
    """What a class of weight ``part`` adds to weight times entropy, in bits, of a side of weight ``whole``.

    Examples
    --------
    >>> entropy_part(np.array([0.0, 1.0, 2.0]), np.array(2.0)).tolist()
    [0.0, 1.0, 0.0]
    """
    present = np.where(part > 0, part, 1.0)
    return part * np.log2(np.maximum(whole, present) / present)


def gini_part(part: Floats, whole: Floats) -> Floats:
    """What a class of weight ``part`` adds to weight times Gini index of a side of weight ``whole``.

    Examples
    --------
    >>> gini_part(np.array([0.0, 1.0, 2.0]), np.array(2.0)).tolist()
    [0.0, 0.5, 0.0]
    """
    return part * _rest(whole, part) / np.where(whole > 0, whole, 1.0)


def sqrt_gini_part(part: Floats, whole: Floats) -> Floats:
    """What a class adds to weight times square-root Gini: the sum over classes of √(p(1-p)).

    For two classes this is the 2√(p(1-p)) of Dietterich, Kearns and Mansour (DKM); for more, each class against
    the rest, as is usual for the Gini index.

    Examples
    --------
    >>> sqrt_gini_part(np.array([0.0, 1.0, 2.0]), np.array(2.0)).tolist()
    [0.0, 1.0, 0.0]
    """
    return np.sqrt(part * _rest(whole, part))


def impurity_term(part: Part, yes: Floats, yes_weight: Floats, total: Floats, weight: Floats) -> Floats:
    """What a class adds to the mean impurity of the two sides, if ``yes`` of its ``total`` are on the yes side.

    Examples
    --------
    >>> one = np.array([1.0])
    >>> impurity_term(gini_part, one, 2 * one, 2 * one, 4 * one).tolist()
    [0.25]
    """
    both = part(yes, yes_weight) + part(_rest(total, yes), _rest(weight, yes_weight))
    return both / np.where(weight > 0, weight, 1.0)


def gain_ratio_term(yes: Floats, yes_weight: Floats, total: Floats, weight: Floats) -> Floats:
    """What a class adds to minus the gain ratio: its share of the information gained over the split's entropy.

    A split with an empty side has gain ratio 0, the limit of smaller and smaller sides. That C4.5 only admits
    tests of at least average gain is a rule about a set of tests and no part of this.

    Examples
    --------
    >>> one = np.array([1.0])
    >>> gain_ratio_term(one, one, one, 2 * one).round(12).tolist()
    [-0.5]
    """
    no, no_weight = _rest(total, yes), _rest(weight, yes_weight)
    split = entropy_part(yes_weight, weight) + entropy_part(no_weight, weight)
    # Of a rare split both gain and entropy are small; taking the surplus over what the margins predict into log1p
    # keeps their ratio exact where a difference of two entropies would not.
    surplus = yes * weight - yes_weight * total
    gain = times_log(yes, surplus, yes_weight * total) + times_log(no, -surplus, no_weight * total)
    return -gain / np.where(split > 0, split, np.inf)


def times_log(part: Floats, surplus: Floats, expected: Floats) -> Floats:
    """part × log2(1 + surplus / expected), 0 where there is no part, or so little that the sum rounds to 0.

    Examples
    --------
    >>> times_log(np.array([2.0, 0.0]), np.array([1.0, 1.0]), np.array([1.0, 1.0])).tolist()
    [2.0, 0.0]
    """
    there = (part > 0) & (expected > 0) & (surplus > -expected)
    ratio = np.where(there, surplus, 0.0) / np.where(there, expected, 1.0)
    return part * np.log1p(ratio) / log(2)


def additive_loss(term: Term, yes: ArrayLike, total: ArrayLike) -> Floats:
    """The sum over the classes of what each adds: entropy, Gini, square-root Gini, gain ratio.

    Examples
    --------
    >>> additive_loss(partial(impurity_term, gini_part), [[0, 4], [5, 3]], [5, 5]).round(2).tolist()
    [[0.17, 0.0], [0.38, 0.0]]
    """
    counts, whole = _sides(yes, total)
    return _one_component(_sum_of_terms(term, counts, whole))


def additive_bound(term: Term, yes: ArrayLike, total: ArrayLike, whole_classes: int = WHOLE_CLASSES) -> Floats:
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

    Examples
    --------
    >>> additive_bound(partial(impurity_term, gini_part), [[5, 3]], [5, 5]).round(2).tolist()
    [[0.0, 0.0]]
    """
    counts, whole = _sides(yes, total)
    least = np.full(len(counts), np.inf)
    for low, high in _faces(counts, whole_classes):
        least = np.minimum(least, _least_on_face(term, low, high, whole))
    return _one_component(least)


def twoing_term(yes: Floats, yes_weight: Floats, total: Floats, weight: Floats) -> Floats:
    """What a class adds to minus the square root of twoing: by how much its shares on the two sides differ.

    Examples
    --------
    >>> one = np.array([1.0])
    >>> twoing_term(one, one, one, 2 * one).tolist()
    [-0.25]
    """
    both = yes_weight * _rest(weight, yes_weight)
    there = both > 0
    return -np.abs(yes * weight - yes_weight * total) / np.where(there, 2 * weight * np.sqrt(both), np.inf)


def twoing_loss(yes: ArrayLike, total: ArrayLike) -> Floats:
    """Minus the twoing measure of CART (Breiman and others, 1984): p q / 4 times (Σ |share on yes - share on no|)².

    p and q are the weights of the two sides, the sum is over the classes and their shares of both sides. The best
    there is, 1/4, has two halves without a class in common.

    Examples
    --------
    >>> twoing_loss([[2, 0, 0], [2, 2, 0]], [2, 2, 4]).round(4).tolist()
    [[-0.1875, 0.0], [-0.25, 0.0]]
    """
    return _minus_square(additive_loss(twoing_term, yes, total))


def twoing_bound(yes: ArrayLike, total: ArrayLike, whole_classes: int = WHOLE_CLASSES) -> Floats:
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

    Examples
    --------
    >>> twoing_bound([[2, 2, 1]], [2, 2, 4]).round(4).tolist()
    [[-0.25, 0.0]]
    """
    return _minus_square(additive_bound(twoing_term, yes, total, whole_classes))


def _minus_square(root: Floats) -> Floats:
    return _one_component(0.0 - root[:, 0] ** 2)


def _sum_of_terms(term: Term, counts: Floats, whole: Floats) -> Floats:
    added: Floats = term(counts, counts.sum(axis=1, keepdims=True), whole, whole.sum()).sum(axis=1)
    return added


def _faces(counts: Floats, whole_classes: int) -> Iterator[tuple[Floats, Floats]]:
    """The faces of the box as (least, greatest) counts: the greatest classes wholly in or out, the others free."""
    n_classes = counts.shape[1]
    # Two free classes would cost the same four evaluations per face as the four corners they stand for.
    n_whole = n_classes if n_classes <= whole_classes + 2 else whole_classes
    rank = np.argsort(np.argsort(-counts, axis=1, kind="stable"), axis=1)
    for mask in range(2**n_whole):
        stays = (mask >> np.arange(n_whole)) & 1
        low = counts * np.append(stays, np.zeros(n_classes - n_whole))[rank]
        yield low, (low if n_whole == n_classes else counts * np.append(stays, np.ones(n_classes - n_whole))[rank])


def _least_on_face(term: Term, low: Floats, high: Floats, whole: Floats) -> Floats:
    """The loss where the face is a corner; elsewhere the sum of the least terms, each over its own rectangle."""
    if low is high:
        return _sum_of_terms(term, low, whole)
    rest_low, rest_high = (_rest(side.sum(axis=1, keepdims=True), side) for side in (low, high))
    terms = [term(own, own + rest, whole, whole.sum()) for own in (low, high) for rest in (rest_low, rest_high)]
    least: Floats = np.minimum.reduce(terms).sum(axis=1)
    return least


# ----------------------------------------------------------------------------------------------------- numbers


def mse_loss(yes: ArrayLike, total: ArrayLike) -> Floats:
    """The squared deviations of both sides from their means, over the whole weight: Q / W.

    Parameters
    ----------
    yes, total : (m, 3) and (3,)
        Weight, sum and sum of squares, from :func:`moments` of :func:`centred` targets.

    Examples
    --------
    >>> y = centred([1.0, 1.0, 5.0])
    >>> mse_loss(moments(y, inside=[[True, True, False], [True, False, True]]), moments(y)).round(3).tolist()
    [[0.0, 0.0], [2.667, 0.0]]
    """
    some, whole = _sides(yes, total)
    weight = float(whole[0])
    return _one_component((_deviation(some, weight) + _deviation(whole - some, weight)) / (weight or 1.0))


def mse_bound(yes: ArrayLike, total: ArrayLike) -> Floats:
    """The deviation of the no side alone, from moments only: the cheap filter before :func:`regression_bound`.

    Claim
        No refinement has a smaller loss than E(no side) / W.
    Why
        A refinement only adds to the no side, and more examples have no less squared deviation from their mean.
    Tight when
        The yes side can shrink to equal targets without moving any of the others, as when it is empty.
        ``test_the_regression_bound_is_the_best_of_all_subsets``

    Examples
    --------
    >>> y = centred([1.0, 1.0, 5.0])
    >>> mse_bound(moments(y, inside=[[True, False, False]]), moments(y)).round(3).tolist()
    [[2.667, 0.0]]
    """
    some, whole = _sides(yes, total)
    weight = float(whole[0])
    return _one_component(_deviation(whole - some, weight) / (weight or 1.0))


def regression_bound(targets: ArrayLike, weights: ArrayLike | None, inside: ArrayLike) -> Floats:
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

    Examples
    --------
    Example 20 of Ng and Lloyd, where the best refinement keeps 0.98 only.

    >>> y = [0.3, 0.41, 0.5, 0.53, 0.77, 0.9, 0.98]
    >>> bound = regression_bound(y, None, [[True, False, True, False, False, False, True]])
    >>> (7 * bound).round(3).tolist()
    [[0.254, 0.0]]
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


def _explained(moment: Floats, weight: float) -> Floats:
    """(Σ w y)² / Σ w, and 0 for a side that is empty or the dust of rounding."""
    there = moment[..., 0] > TOLERANCE * weight
    return np.where(there, moment[..., 1], 0.0) ** 2 / np.where(there, moment[..., 0], 1.0)


def _deviation(moment: Floats, weight: float) -> Floats:
    """Σ w (y - mean)² of each side."""
    return np.maximum(moment[..., 2] - _explained(moment, weight), 0.0)


# --------------------------------------------------------------------------------------------- shared, and names


def _sides(yes: ArrayLike, total: ArrayLike) -> tuple[Floats, Floats]:
    return np.atleast_2d(np.asarray(yes, dtype=np.float64)), np.asarray(total, dtype=np.float64)


def _one_component(first: Floats) -> Floats:
    return np.stack([first, np.zeros_like(first)], axis=1)


def _rest(whole: Floats, part: Floats) -> Floats:
    """The difference, 0 where it is the dust of rounding: near 0 a square root would make it 10^8 times greater."""
    left = whole - part
    return np.where(left > TOLERANCE * whole, left, 0.0)


def _one_minus(loss: float) -> float:
    return 1.0 - loss


def _minus(loss: float) -> float:
    return 0.0 - loss


# The greatest scores of criteria that have no least loss of 0.
_MOST = {"gain-ratio": 1.0, "twoing": 0.25}

_ENTROPY: Term = partial(impurity_term, entropy_part)
_GINI: Term = partial(impurity_term, gini_part)
_SQRT_GINI: Term = partial(impurity_term, sqrt_gini_part)


def _additive(name: str, term: Term, score: Callable[[float], float] = float) -> Criterion:
    return Criterion(name, "classes", partial(additive_loss, term), partial(additive_bound, term), score)


#: All criteria by name, the default for classes first.
CRITERIA: Mapping[str, Criterion] = MappingProxyType(
    {
        found.name: found
        for found in (
            Criterion("acc*", "classes", accuracy_star_loss, accuracy_star_bound, _one_minus),
            Criterion("accuracy", "classes", accuracy_loss, accuracy_bound, _one_minus),
            _additive("entropy", _ENTROPY),
            _additive("gini", _GINI),
            _additive("sqrt-gini", _SQRT_GINI),
            _additive("gain-ratio", gain_ratio_term, _minus),
            Criterion("twoing", "classes", twoing_loss, twoing_bound, _minus),
            Criterion("mse", "numbers", mse_loss, mse_bound),
        )
    }
)
