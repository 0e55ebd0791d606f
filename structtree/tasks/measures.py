"""Measures of rules and subgroups: criteria that score the yes branch alone, with exact refinement bounds.

A tree needs a good split, a rule good individuals: those that its condition does not select are left to other rules.
Most measures here therefore read one branch, and `min_samples_leaf` applies to that branch only. The search for the k
best is that of splits. ``docs/bounds.md`` proves the bounds (sections 12 to 14).

For classes there are two: the first is everything else, the second is the class that a rule predicts. For numbers, a
good subgroup has a high mean. Chi squared compares the whole distribution of any number of classes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from types import MappingProxyType
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import ArrayLike

from structtree.arrays import TOLERANCE, Floats
from structtree.errors import UnknownNameError
from structtree.tasks.criteria import Criterion
from structtree.tasks.losses import dust

__all__ = [
    "MEASURES",
    "AverageRecall",
    "ChiSquared",
    "Laplace",
    "Lift",
    "MEstimate",
    "MeanShift",
    "Measure",
    "OfBestClass",
    "Precision",
    "TStatistic",
    "WRAcc",
    "WithExample",
    "measure_class",
]

MOST_CORNERS = 8
"""Maximum number of classes whose corners are all tried for chi squared."""


@dataclass(frozen=True, repr=False)
class Measure(Criterion):
    """Quality of the yes branch, to be maximised; its loss is minus the quality.

    Parameters
    ----------
    support : float
        Lower bound on the weight of the yes branch of every refinement that counts.
    one : float
        Weight of one individual, for corrections that add individuals.
    """

    support: float = 0.0
    one: float = 1.0

    least = -np.inf
    is_one_sided = True

    def quality(self, yes: Floats, total: Floats) -> Floats:
        """Return the quality of m yes branches, as (m,)."""
        raise NotImplementedError

    def loss(self, yes: ArrayLike, total: ArrayLike) -> Floats:
        """Return minus the quality of m yes branches, as (m,)."""
        return -self.quality(*self.sides(yes, total))

    def score(self, loss: float) -> float:
        """Return the quality."""
        return 0.0 - loss

    def unsplit(self, total: ArrayLike) -> Floats:
        """Return the loss of all individuals together, as (2,)."""
        whole = np.asarray(total, dtype=np.float64)
        return np.array([float(self.loss(whole[None, :], whole)[0]), 0.0])


def _ratio(part: Floats, whole: Any) -> Floats:
    """Return a quotient, or 0 if the denominator is 0."""
    found = np.zeros(np.broadcast_shapes(np.shape(part), np.shape(whole)))
    return np.asarray(np.divide(part, whole, out=found, where=np.asarray(whole) > 0))


class _OfTwoClasses(Measure):
    """Measure that rises with the weight of the class and falls with the weight of the others.

    Claim
        No refinement of at least the minimum support has a higher quality than one that keeps all of the class, and
        of the others only what the support requires.
    Why
        The quality never falls with the first and never rises with the second.
    Tight when
        Always. ``test_no_refinement_beats_the_bound_of_a_measure``, ``test_some_refinement_attains_the_bound``
    """

    def bound(self, yes: ArrayLike, total: ArrayLike) -> Floats:
        some, whole = self.sides(yes, total)
        others = np.clip(self.support - some[:, 1], 0.0, some[:, 0])
        return -self.quality(np.stack([others, some[:, 1]], axis=1), whole)


@dataclass(frozen=True, repr=False)
class WRAcc(_OfTwoClasses):
    """Weighted relative accuracy: (n/N)^a times the difference of the shares of the class, with a = 1.

    Parameters
    ----------
    exponent : float
        The exponent a, from 0 (the difference alone) to 1; 0.5 orders subgroups as the binomial test does.

    Examples
    --------
    >>> WRAcc().quality(np.array([[1.0, 5.0]]), np.array([5.0, 5.0])).round(2).tolist()
    [0.2]
    """

    exponent: float = 1.0
    name = "wracc"

    def quality(self, yes: Floats, total: Floats) -> Floats:
        """Return the weighted relative accuracy of m yes branches."""
        weights = yes.sum(axis=1)
        excess = yes[:, 1] - weights * (total[1] / total.sum())
        if self.exponent == 1.0:
            return np.asarray(excess / total.sum())
        return _ratio(weights, total.sum()) ** self.exponent * _ratio(excess, weights)

    def bound(self, yes: ArrayLike, total: ArrayLike) -> Floats:
        """Return minus the greatest quality of the refinements, at most 0 if the exponent is less than 1."""
        # Below the share of all individuals, fewer of the others may mean a smaller subgroup, which is less bad.
        found = super().bound(yes, total)
        return found if self.exponent == 1.0 else np.minimum(found, 0.0)


class AverageRecall(_OfTwoClasses):
    """Mean of the recalls of both classes: (1 + true positive rate - false positive rate) / 2."""

    name = "average-recall"

    def quality(self, yes: Floats, total: Floats) -> Floats:
        """Return the mean of the recall of the class and the specificity."""
        return np.asarray((1.0 + _ratio(yes[:, 1], total[1]) - _ratio(yes[:, 0], total[0])) / 2)


class _Share(_OfTwoClasses):
    """Measure that small subgroups maximise; on the way to them, wracc is a better guide."""

    @property
    def guide(self) -> Criterion:
        """Weighted relative accuracy."""
        return WRAcc(self.support, self.one)


class Precision(_Share):
    """Share of the class among the selected individuals; use it with a minimum support."""

    name = "precision"

    def quality(self, yes: Floats, total: Floats) -> Floats:
        """Return the share of the class."""
        return _ratio(yes[:, 1], yes.sum(axis=1))


@dataclass(frozen=True, repr=False)
class Laplace(_Share):
    """Precision with one more individual of each class.

    Parameters
    ----------
    n_classes : int

    Examples
    --------
    >>> Laplace().quality(np.array([[1.0, 5.0], [0.0, 2.0]]), np.array([5.0, 5.0])).tolist()
    [0.75, 0.75]
    """

    n_classes: int = 2
    name = "laplace"

    def quality(self, yes: Floats, total: Floats) -> Floats:
        """Return the corrected share of the class."""
        return np.asarray((yes[:, 1] + self.one) / (yes.sum(axis=1) + self.n_classes * self.one))


@dataclass(frozen=True, repr=False)
class MEstimate(_Share):
    """Precision with m more individuals that have the class frequencies of all individuals.

    Parameters
    ----------
    m : float
    """

    m: float = 2.0
    name = "m-estimate"

    def quality(self, yes: Floats, total: Floats) -> Floats:
        """Return the corrected share of the class."""
        added = self.m * self.one
        return np.asarray((yes[:, 1] + added * (total[1] / total.sum())) / (yes.sum(axis=1) + added))


@dataclass(frozen=True, repr=False)
class OfBestClass(Measure):
    """Quality of a rule for whichever class it is best for, among any number of classes.

    Claim
        No refinement has a higher quality than the best bound of a single class.
    Why
        The quality is the greatest of those of the classes.
    Tight when
        The bound of the measure is. ``test_no_refinement_beats_the_bound_of_the_best_class``

    Parameters
    ----------
    of_one : Measure
        The measure of a rule for one class, against all others; it is at most 1.

    Examples
    --------
    >>> OfBestClass(of_one=Precision()).quality(np.array([[1.0, 5.0, 4.0]]), np.array([5.0, 5.0, 5.0])).tolist()
    [0.5]
    """

    of_one: Measure = field(default_factory=Precision)
    least = -1.0

    @property
    def name(self) -> str:  # type: ignore[override]  # which never changes
        """Name of the measure."""
        return self.of_one.name

    @property
    def guide(self) -> Criterion | None:
        """The guide of the measure, for the best class."""
        found = self.of_one.guide
        return None if found is None else OfBestClass(self.support, self.one, found)  # type: ignore[arg-type]

    def quality(self, yes: Floats, total: Floats) -> Floats:
        """Return the quality of m yes branches for the best class."""
        return np.asarray(np.max([self.of_one.quality(*each) for each in _one_by_one(yes, total)], axis=0))

    def bound(self, yes: ArrayLike, total: ArrayLike) -> Floats:
        """Return minus the greatest quality of the refinements."""
        some, whole = self.sides(yes, total)
        return np.asarray(np.min([self.of_one.bound(*each) for each in _one_by_one(some, whole)], axis=0))


def _one_by_one(yes: Floats, total: Floats) -> Iterator[tuple[Floats, Floats]]:
    """Yield the counts of each class against those of all others, which come first."""
    for code in range(len(total)):
        others = yes.sum(axis=1) - yes[:, code]
        yield np.stack([others, yes[:, code]], axis=1), np.array([total.sum() - total[code], total[code]])


@dataclass(frozen=True, repr=False)
class WithExample(Measure):
    """Quality of subgroups that contain one individual; all others are worse than all individuals together.

    The individual is a class of its own, the last one. Its true class is known, so that it is counted there.

    Claim
        A subgroup without the individual has no refinement that is better than all individuals; for any other, the
        bound of the measure applies.
    Why
        A refinement selects no individual that its parent does not, and the quality is that of the measure.
    Tight when
        The bound of the measure is tight and attained with the individual.
        ``test_subgroups_with_an_example_are_the_best_of_those_that_contain_it``

    Parameters
    ----------
    of_one : Measure
        The measure of the subgroups that contain it.
    code : int
        Its true class.
    is_alone : bool
        Whether it is the only individual of this class, for which there is then no other column.

    Examples
    --------
    >>> measure = WithExample(of_one=Precision(), code=1)
    >>> measure.quality(np.array([[1.0, 2.0, 1.0], [0.0, 3.0, 0.0]]), np.array([4.0, 3.0, 1.0])).tolist()
    [0.75, -0.5]
    """

    of_one: Measure = field(default_factory=Precision)
    code: int = 1
    is_alone: bool = False

    @property
    def name(self) -> str:  # type: ignore[override]  # which never changes
        """Name of the measure."""
        return self.of_one.name

    def quality(self, yes: Floats, total: Floats) -> Floats:
        """Return the quality of m yes branches."""
        whole = self._merged(total[None, :])
        return self._if_inside(yes, self._inner.quality(self._merged(yes), whole[0]), whole)

    def bound(self, yes: ArrayLike, total: ArrayLike) -> Floats:
        """Return minus the greatest quality of the refinements."""
        some, every = self.sides(yes, total)
        whole = self._merged(every[None, :])
        return -self._if_inside(some, -np.asarray(self._inner.bound(self._merged(some), whole[0])), whole)

    @property
    def _inner(self) -> Measure:
        return replace(self.of_one, support=self.support, one=self.one)

    def _if_inside(self, yes: Floats, quality: Floats, whole: Floats) -> Floats:
        """Return the quality of branches with the individual, and less than that of all individuals for others."""
        nothing = self._inner.quality(whole, whole[0])[0]
        return np.asarray(np.where(yes[:, -1] > 0, quality, nothing - 1.0))

    def _merged(self, counts: Floats) -> Floats:
        """Return counts of which the individual is counted in its class."""
        if self.is_alone:
            return np.insert(counts[:, :-1], self.code, counts[:, -1], axis=1)
        found = counts[:, :-1].copy()
        found[:, self.code] += counts[:, -1]
        return found


class Lift(_Share):
    """Precision divided by the share of the class among all individuals."""

    name = "lift"

    def quality(self, yes: Floats, total: Floats) -> Floats:
        """Return the share of the class, relative to that of all individuals."""
        return _ratio(_ratio(yes[:, 1], yes.sum(axis=1)), np.asarray(total[1] / total.sum()))


class ChiSquared(Measure):
    """Pearson's statistic of the table of branch and class, for any number of classes."""

    name = "chi-squared"

    def quality(self, yes: Floats, total: Floats) -> Floats:
        """Return the statistic of m yes branches."""
        weight, kept = total.sum(), yes.sum(axis=1)
        surplus = yes * weight - kept[:, None] * total
        left = weight - kept
        both = np.where((kept > dust(weight)) & (left > dust(weight)), kept * left, 0.0)
        return _ratio(_ratio(surplus**2, total).sum(axis=1), both)

    def bound(self, yes: ArrayLike, total: ArrayLike) -> Floats:
        """Return minus the greatest statistic of the refinements.

        Claim
            No refinement has a greater statistic than the best corner of its box; with two classes and a minimum
            support, than the better of the two that keep as little as possible of one class.
        Why
            The statistic is a sum of squares of linear functions divided by linear functions, so convex.
        Tight when
            There are at most eight classes, and for more than two, the best corner has the minimum support.
            ``test_no_refinement_beats_the_bound_of_a_measure``, ``test_some_refinement_attains_the_bound``
        """
        some, whole = self.sides(yes, total)
        if len(whole) == 2:
            least = np.clip(self.support - some[:, ::-1], 0.0, some)
            pure = (np.stack([least[:, 0], some[:, 1]], 1), np.stack([some[:, 0], least[:, 1]], 1))
            return np.asarray(-np.maximum(*(self.quality(corner, whole) for corner in pure)))
        if len(whole) <= MOST_CORNERS:
            corners = (some * np.array(corner) for corner in product((0.0, 1.0), repeat=len(whole)))
            return np.asarray(-np.max([self.quality(corner, whole) for corner in corners], axis=0))
        return np.asarray(-np.minimum(whole.sum(), self._one_by_one(some, whole)))

    def _one_by_one(self, some: Floats, whole: Floats) -> Floats:
        """Return the sum of the greatest terms of each class, which is convex in its own and the other weight."""
        weight, others = whole.sum(), some.sum(axis=1, keepdims=True) - some
        terms = []
        for own, rest in product((0.0, some), (0.0, others)):
            kept = own + rest + np.zeros_like(some)
            both = kept * (weight - kept)
            terms.append(_ratio(_ratio((own * weight - kept * whole) ** 2, whole), both))
        return np.asarray(np.max(terms, axis=0).sum(axis=1))

    def slack(self, total: ArrayLike) -> float:
        """Return the tolerance, in proportion to the greatest statistic."""
        return TOLERANCE * max(1.0, float(np.sum(total)))


# ---- numbers -------------------------------------------------------------------------------------------------


class _OfNumbers(Measure):
    """Measure that divides the surplus, the sum of differences from the mean, by a concave function of the weight.

    Claim
        No refinement of at least the minimum support has a higher quality than the best *top*: the individuals with
        the greatest targets, down to some target, or just as many as the support requires.
    Why
        Of a given weight the greatest targets have the greatest surplus. Where a top grows within equal targets, its
        surplus is linear, so that the quotient is quasi-convex and greatest at an end.
    Tight when
        Some refinement is better than all individuals together; otherwise the bound is 0.
        ``test_no_refinement_beats_the_bound_of_a_measure_of_numbers``, ``test_some_top_attains_the_bound``
    """

    task = "numbers"
    exponent: float

    def quality(self, yes: Floats, total: Floats) -> Floats:
        surplus = yes[:, 1] - yes[:, 0] * (total[1] / total[0])
        return np.asarray(_quotients(self.exponent, yes[:, 0], surplus, total[0]) * self.factor(total))

    def factor(self, total: Floats) -> float:
        """Return a constant factor of the quality."""
        return 1.0

    def label_bound(self, counts: Floats, values: Floats, total: Floats) -> Floats:
        mean = total[1] / total[0]
        best = _best_tops(self.exponent, np.ascontiguousarray(counts), values - mean, total[0], self.support)
        return np.asarray(-best * self.factor(total))

    def unit(self, total: ArrayLike) -> float:
        """Return the scale of the quality."""
        return 1.0


@dataclass(frozen=True, repr=False)
class MeanShift(_OfNumbers):
    """Difference of the mean from that of all individuals, times the weight to the power of an exponent.

    Parameters
    ----------
    exponent : float
        From 0 (the difference alone) to 1 (the sum of the differences).
    """

    exponent: float = 1.0
    name = "mean-shift"

    def unit(self, total: ArrayLike) -> float:
        """Return the standard deviation of all individuals times the power of their weight."""
        weight, added, squares = np.asarray(total, dtype=np.float64)
        deviation = max(squares - added * added / weight, 0.0) if weight > 0 else 0.0
        return float(np.sqrt(deviation / max(weight, 1.0)) * max(weight, 1.0) ** self.exponent)


class TStatistic(_OfNumbers):
    """Student's t of the selected individuals against the others, as the correlation r of selection and target.

    For N individuals, t = r √((N − 2) / (1 − r²)), which rises with r. Unlike t, r is always finite.
    """

    name = "t"
    exponent = -1.0
    least = -1.0

    def factor(self, total: Floats) -> float:
        """Return one divided by the standard deviation of all individuals."""
        weight, added, squares = total
        deviation = squares - added * added / weight
        return float(np.sqrt(weight / deviation)) if deviation > 0 else 0.0


@njit(nogil=True, cache=True, error_model="numpy")
def _quotient(exponent: float, w: float, s: float, weight: float) -> float:
    """Return w^(exponent - 1) s; for a negative exponent, s / √(w (weight - w))."""
    least = min(TOLERANCE * weight, 0.5)
    if w <= least:
        return 0.0
    if exponent < 0.0:
        return s / np.sqrt(w * (weight - w)) if weight - w > least else 0.0
    return s if exponent == 1.0 else s * w ** (exponent - 1.0)


@njit(nogil=True, cache=True, error_model="numpy")
def _quotients(exponent: float, weights: Any, surplus: Any, weight: float) -> Any:
    found = np.zeros(len(weights))
    for i in range(len(weights)):
        found[i] = _quotient(exponent, weights[i], surplus[i], weight)
    return found


@njit(nogil=True, cache=True, error_model="numpy")
def _best_tops(exponent: float, counts: Any, centred: Any, weight: float, support: float) -> Any:
    """Return the greatest quotient of the tops of each candidate, at least 0.

    Parameters
    ----------
    counts : (m, n) float64
        The weight of each label in the yes branch of each candidate.
    centred : (n,) float64
        The labels in ascending order, minus the mean of all individuals.
    """
    best = np.zeros(len(counts))
    for i in range(len(counts)):
        w, s = 0.0, 0.0
        for j in range(len(centred) - 1, -1, -1):
            here = counts[i, j]
            if here <= 0.0:
                continue
            if w < support < w + here:
                best[i] = max(best[i], _quotient(exponent, support, s + (support - w) * centred[j], weight))
            w, s = w + here, s + here * centred[j]
            if w >= support:
                best[i] = max(best[i], _quotient(exponent, w, s, weight))
    return best


#: All measures by name, the default for classes first.
MEASURES: Mapping[str, type[Measure]] = MappingProxyType(
    {
        found.name: found
        for found in (
            WRAcc,
            AverageRecall,
            Precision,
            Laplace,
            MEstimate,
            Lift,
            ChiSquared,
            MeanShift,
            TStatistic,
        )
    }
)


def measure_class(name: str) -> type[Measure]:
    """Return the class of a measure by name.

    Examples
    --------
    >>> measure_class("lift")
    <class 'structtree.tasks.measures.Lift'>
    >>> measure_class("wrac")
    Traceback (most recent call last):
        ...
    structtree.errors.UnknownNameError: unknown measure 'wrac' (did you mean 'wracc'?)
    """
    if name not in MEASURES:
        raise UnknownNameError("measure", name, MEASURES)
    return MEASURES[name]
