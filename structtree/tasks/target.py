"""The target: a class or a number for each individual, checked once, and added up at any node.

Classes become codes in one order for the whole tree, so that the counts of all nodes can be compared, also where a
node, or a training fold, lacks a class. Class weights are multiplied into the weights of the individuals. What is
known of a set of individuals adds up over its parts: the weights of the classes, or weight, sum and sum of squares.

Numbers far from zero, or of extreme size, lose their digits in such sums. So where it matters they are counted from
another zero and in another unit (`Units`), so chosen that nothing is rounded; all other numbers stay as they are.

Only the ratios of weights matter, so they are counted in a unit of their own: the least weight is 1 or more, and
weights that have a common unit are whole numbers, which add up without rounding. A tree is grown and pruned in these
units, and its figures are converted back at the end. Law: multiplying all weights by a constant does not change the
tree (`tests/learn/test_scale.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import frexp, ldexp
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from structtree.arrays import EXACT, TOLERANCE, Floats
from structtree.errors import DataError, UsageError, did_you_mean, quoted, require
from structtree.reprs import names_text, number_text, short_repr
from structtree.tasks.criteria import Criterion, criterion
from structtree.tasks.inference import infer_task, labels_for

__all__ = [
    "ClassCounts",
    "ClassWeight",
    "Moments",
    "Stats",
    "Target",
    "Units",
    "class_factors",
    "room",
    "target_for",
    "undivided",
]

ClassWeight = Mapping[Any, float] | Literal["balanced"]
"""The weight of each class, or that all classes weigh the same."""

NARROW = 1 / 1024
"""Numbers that spread over less than this part of their size are counted from one of them."""

ROUNDING = 64 * np.finfo(np.float64).eps
"""Numbers that spread over less than this part of their size are equal but for rounding."""

ORDINARY = 100
"""Numbers with a smaller exponent, to the base of 2 and of either sign, have squares that can be added up."""

GREATEST = float(np.finfo(np.float64).max)
"""The greatest number."""

FAINT = 2.0**-150
"""Weights below this share of the greatest one count as 0."""

MOST_PARTS = 1000
"""The least weight may be at most this many of a unit of which all weights are whole multiples."""


@dataclass(frozen=True, slots=True)
class ClassCounts:
    """Class weights of the individuals seen at a node of a classification tree.

    Parameters
    ----------
    n : int
        How many individuals.
    counts : tuple of float
        Their weight in each class, in the order of the tree's classes.
    """

    n: int
    counts: tuple[float, ...]

    def __repr__(self) -> str:
        return short_repr(self, str(self))

    def __str__(self) -> str:
        return f"n={self.n:,}, counts {names_text(f'{count:.4g}' for count in self.counts)}"

    @property
    def weight(self) -> float:
        """The weight of all of them."""
        return sum(self.counts)

    @property
    def figures(self) -> tuple[float, ...]:
        """The counts."""
        return self.counts


@dataclass(frozen=True, slots=True)
class Moments:
    """Number, weight, mean and variance of the targets seen at a node of a regression tree."""

    n: int
    weight: float
    mean: float
    variance: float

    def __repr__(self) -> str:
        return short_repr(self, str(self))

    def __str__(self) -> str:
        return f"n={self.n:,}, mean {self.mean:.4g}, variance {self.variance:.4g}"

    @property
    def figures(self) -> tuple[float, ...]:
        """Weight, mean and variance."""
        return (self.weight, self.mean, self.variance)


Stats = ClassCounts | Moments


class Units(NamedTuple):
    """The zero and the unit in which numbers are counted: a number is ``zero + unit * counted``, without rounding.

    Weights have a unit as well: a weight is ``weight * counted``.

    Examples
    --------
    >>> Units.of(np.array([1e15, 1e15 + 100])), Units.of(np.array([1.0, 2.0]))
    (Units(zero=1000000000000000.0, unit=1.0, weight=1.0), Units(zero=0.0, unit=1.0, weight=1.0))
    """

    zero: float = 0.0
    unit: float = 1.0
    weight: float = 1.0

    @classmethod
    def of(cls, numbers: Floats) -> Units:
        """Return the units that suit some numbers: a zero among them if they are close together, a power of two."""
        low, high = float(numbers.min()), float(numbers.max())
        size, spread = max(-low, high), high / 2 - low / 2
        zero = low if ROUNDING * size < 2 * spread < NARROW * size else 0.0
        exponent = frexp(spread if zero else size)[1]
        # The greatest power of two is 2 ** 1023.
        return cls(zero, 1.0 if abs(exponent) < ORDINARY else ldexp(1.0, min(exponent, 1023)))

    @property
    def are_plain(self) -> bool:
        """Return whether numbers and weights are counted as they are."""
        return self == PLAIN

    def counted(self, numbers: Floats) -> Floats:
        """Return numbers in these units."""
        return (numbers - self.zero) / self.unit if self.zero or self.unit != 1.0 else numbers

    def square(self, counted: float) -> float:
        """Return something with the unit of a variance as it is; infinite or 0 if no number is so great or small."""
        return counted * self.unit * self.unit

    def stats(self, counted: Stats) -> Stats:
        """Return counts or moments as they are."""
        match counted:
            case _ if self.are_plain:
                return counted
            case ClassCounts(n, counts):
                return ClassCounts(n, tuple(self.weight * count for count in counts))
            case Moments(n, weight, mean, variance):
                # A mean that is rounded up must not leave the range of numbers.
                plain = min(max(self.zero + self.unit * mean, -GREATEST), GREATEST)
                return Moments(n, self.weight * weight, plain, self.square(variance))


PLAIN = Units()


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """The labels of all individuals, and the criterion that splits are judged by.

    Parameters
    ----------
    criterion : Criterion
    values : array
        For classes their codes, else the numbers.
    weights : array of float
        Sample weight times class weight.
    classes : tuple
        What the codes stand for; empty when the target is a number.
    units : Units
        In which the numbers and the weights are counted.

    Examples
    --------
    >>> target = target_for(np.array(["no", "yes", "yes"]), 3, class_weight={"yes": 2.0})
    >>> target.classes, target.stats(np.array([0, 2]))
    (('no', 'yes'), <ClassCounts: n=2, counts 1, 2>)
    """

    criterion: Criterion
    values: NDArray[Any]
    weights: Floats
    classes: tuple[Any, ...] = ()
    units: Units = PLAIN

    def __repr__(self) -> str:
        return short_repr(self, number_text(self.values, "label"), names_text(self.classes) or "numbers")

    def stats(self, which: NDArray[np.int64], parts: Floats | None = None) -> Stats:
        """Return what is seen of some individuals, or of parts of them."""
        values, weights = self.values[which], self.weights[which] * (1.0 if parts is None else parts)
        if self.criterion.task == "classes":
            counts = np.bincount(values, weights, len(self.classes))
            return ClassCounts(len(which), tuple(counts.tolist()))
        units = Units.of(values)
        counted = units.counted(values)
        mean = float(np.average(counted, weights=weights))
        variance = float(np.average((counted - mean) ** 2, weights=weights))
        return units.stats(Moments(len(which), float(weights.sum()), mean, variance))

    @property
    def lightest(self) -> float:
        """The least weight above 0."""
        return float(self.weights[self.weights > 0].min())

    def counted(self) -> Target:
        """Return the same labels, numbers and weights in the units that suit them."""
        units = PLAIN if self.criterion.task == "classes" else Units.of(self.values)
        weights, unit = _counted_weights(self.weights)
        units = units._replace(weight=unit)
        return (
            self
            if units.are_plain
            else replace(self, values=units.counted(self.values), weights=weights, units=units)
        )

    def take(self, which: NDArray[np.int64]) -> Target:
        """Return the labels and weights of some individuals."""
        return replace(self, values=self.values[which], weights=self.weights[which])

    def is_pure(self, which: NDArray[np.int64]) -> bool:
        """Return if there is nothing to tell apart: one class, or numbers that are equal but for rounding."""
        values = self.values[which]
        if self.criterion.task == "classes":
            return bool((values == values[0]).all())
        return bool(np.ptp(values) <= TOLERANCE * np.abs(values).max())


def undivided(criterion: Criterion, stats: Stats) -> float:
    """Return the loss of a node as it is.

    Examples
    --------
    >>> undivided(criterion("accuracy"), ClassCounts(4, (1.0, 3.0)))
    0.25
    """
    match stats:
        case ClassCounts(_, counts):
            total = np.array(counts)
        case Moments(_, weight, _, variance):
            total = np.array([weight, 0.0, weight * variance])
    return float(criterion.unsplit(total)[0])


def room(criterion: Criterion, stats: Stats) -> float:
    """Return how much less than that of a node as it is a loss can be, for all that is known.

    Examples
    --------
    >>> room(criterion("accuracy"), ClassCounts(4, (1.0, 3.0)))
    0.25
    """
    return criterion.room(criterion.score(undivided(criterion, stats)))


def target_for(
    target: ArrayLike,
    n: int,
    name: str | Criterion | None = None,
    sample_weight: ArrayLike | None = None,
    class_weight: ClassWeight | None = None,
    classes: Sequence[Any] | None = None,
    priors: Mapping[Any, float] | None = None,
) -> Target:
    """Check the labels and weights of n individuals.

    Parameters
    ----------
    target : array
        Classes or numbers, as the criterion says, or else as `structtree.tasks.inference` infers it.
    name : str or Criterion, optional
        The criterion, or its name; ``"acc*"`` for classes and ``"mse"`` for numbers by default.
    sample_weight, class_weight : optional
        Weights of individuals, and of classes (with ``"balanced"`` all classes weigh the same); at least one
        individual must have a weight above 0. Only the ratios matter. A weight that is less than 1e-45 times the
        greatest one counts as 0.
    classes : sequence, optional
        The classes in the order to use, when more may be known than are in the target; sorted by default.
    priors : mapping from class to float, optional
        What shares the classes really have, if not those of the target; their weights are made to be so before class
        weights count. Only the ratios matter.

    Examples
    --------
    >>> target_for(["ill", "ill", "well", "well"], 4, priors={"ill": 1, "well": 9}).weights.tolist()
    [0.2, 0.2, 1.8, 1.8]
    >>> target_for(["ill", "well", "well", "well"], 4, class_weight="balanced").weights.round(2).tolist()
    [2.0, 0.67, 0.67, 0.67]
    """
    labels = np.asarray(target)
    if labels.shape != (n,):
        raise DataError(f"expected {n} labels, one for each individual; got an array of shape {labels.shape}")
    if not n:
        raise DataError("the population has no individuals, so there is nothing to learn from")
    chosen = _criterion(name, labels, classes)
    weights = _weights(sample_weight, n)
    if chosen.task == "numbers":
        if priors is not None:
            raise UsageError("priors are for classes, and the target is a number; leave them out")
        return _with_some_weight(Target(chosen, _numbers(chosen, labels), weights))
    labels = labels if classes is not None else labels_for("classes", labels)
    known = _classes(labels.tolist()) if classes is None else tuple(map(_plain, classes))
    codes = _codes(labels.tolist(), known)
    require(class_weight, Mapping | str | None, "class_weight", "a mapping from class to weight, 'balanced' or None")
    require(priors, Mapping | None, "priors", "a mapping from class to share, or None")
    is_balanced = class_weight == "balanced"
    factors = _balanced_factors(codes, len(known)) if is_balanced else class_factors(class_weight, known)
    if priors is not None:
        factors *= _prior_factors(priors, known, np.bincount(codes, weights, len(known)).astype(np.float64))
    return _with_some_weight(Target(chosen, codes, _products(weights, factors[codes]), known))


def _criterion(name: str | Criterion | None, labels: NDArray[Any], classes: Sequence[Any] | None) -> Criterion:
    if name is None:
        return criterion("mse" if classes is None and infer_task(labels) == "numbers" else "acc*")
    chosen = criterion(name)
    if chosen.task == "numbers" and classes is not None:
        raise UsageError(
            f"criterion {chosen.name!r} is for numbers, which have no classes; leave out classes={classes!r}"
        )
    return chosen


def _numbers(chosen: Criterion, labels: NDArray[Any]) -> Floats:
    try:
        values = labels.astype(np.float64)
    except (TypeError, ValueError):
        raise DataError(f"criterion {chosen.name!r} needs numbers as targets; got {labels[0]!r}") from None
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        raise DataError(f"a target must be a finite number; got {values[bad[0]]}", individual=int(bad[0]))
    return values


def _classes(labels: list[Any]) -> tuple[Any, ...]:
    """All classes; by type first, since labels of two types need not have an order."""
    found = dict.fromkeys(labels)
    missing = next((label for label in found if label is None or label != label), ...)
    if missing is not ...:
        raise DataError("the target has no value", individual=next(i for i, x in enumerate(labels) if x is missing))
    return tuple(sorted(found, key=lambda label: (type(label).__name__, label)))


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


def _codes(labels: list[Any], classes: tuple[Any, ...]) -> NDArray[np.int64]:
    code_of = {label: code for code, label in enumerate(classes)}
    unknown = next((i for i, label in enumerate(labels) if label not in code_of), None)
    if unknown is not None:
        known = did_you_mean(str(labels[unknown]), map(str, classes))
        raise DataError(f"{labels[unknown]!r} is not one of the classes{known}", individual=unknown)
    return np.fromiter(map(code_of.__getitem__, labels), dtype=np.int64, count=len(labels))


def _balanced_factors(codes: NDArray[np.int64], n_classes: int) -> Floats:
    """Return the factors with which all classes that occur weigh the same."""
    counts = np.bincount(codes, minlength=n_classes)
    return np.where(counts > 0, len(codes) / (np.count_nonzero(counts) * np.maximum(counts, 1)), 1.0)


def class_factors(class_weight: Mapping[Any, float] | str | None, classes: tuple[Any, ...]) -> Floats:
    """Return the factor of each class, which is 1 for those without a weight.

    Examples
    --------
    >>> class_factors({"yes": 2}, ("no", "yes")).tolist()
    [1.0, 2.0]
    """
    class_weight = class_weight or {}
    if isinstance(class_weight, str):
        raise UsageError(f"class_weight must be a dict from class to number, or 'balanced'; got {class_weight!r}")
    for label, weight in class_weight.items():
        if label not in classes:
            known = did_you_mean(str(label), map(str, classes))
            raise UsageError(f"class_weight names {label!r}, which is not a class{known}")
        if not 0 <= weight < np.inf:
            raise UsageError(f"a class weight must be a number >= 0; got {weight} for {label!r}")
    return np.array([float(class_weight.get(label, 1.0)) for label in classes])


def _prior_factors(priors: Mapping[Any, float], classes: tuple[Any, ...], weights: Floats) -> Floats:
    """Return the factors that make classes weigh as the priors say, and all of them together what they did."""
    for label in priors:
        if label not in classes:
            known = did_you_mean(str(label), map(str, classes))
            raise UsageError(f"priors name {label!r}, which is not a class{known}")
    shares = np.array([float(priors.get(label, np.nan)) for label in classes])
    if not (shares >= 0).all() or not 0 < shares.sum() < np.inf:
        raise UsageError(
            f"priors must be a number >= 0 for each of the classes {list(classes)}, not 0 for all; got {dict(priors)}"
        )
    nobody = np.flatnonzero((shares > 0) & (weights <= 0))
    if len(nobody):
        raise UsageError(
            f"class {classes[nobody[0]]!r} cannot have a prior: no individual of the training data has it"
        )
    return np.asarray(shares / shares.sum() * weights.sum() / np.where(weights > 0, weights, 1.0))


def _weights(sample_weight: ArrayLike | None, n: int) -> Floats:
    try:
        weights = np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"expected {n} sample weights; got {quoted(sample_weight)}") from None
    if weights.shape != (n,):
        raise DataError(f"expected {n} sample weights; got an array of shape {weights.shape}")
    bad = np.flatnonzero(~np.isfinite(weights) | (weights < 0))
    if len(bad):
        raise DataError(f"a sample weight must be a number >= 0; got {weights[bad[0]]}", individual=int(bad[0]))
    return weights


def _products(weights: Floats, factors: Floats) -> Floats:
    with np.errstate(over="ignore"):  # refused below
        return np.asarray(weights * factors)


def _with_some_weight(target: Target) -> Target:
    greatest = float(target.weights.max())
    if not greatest > 0:
        raise DataError("all individuals have weight 0, so there is nothing to learn from")
    if not greatest * len(target.weights) < np.inf:
        raise DataError("the weights are too great to be added up; divide all of them by the same number")
    faint = target.weights < FAINT * greatest
    return replace(target, weights=np.where(faint, 0.0, target.weights)) if faint.any() else target


def _counted_weights(weights: Floats) -> tuple[Floats, float]:
    """Return weights in a unit such that none but 0 is below 1, and the unit.

    They are whole numbers where they are multiples of one unit but for rounding, as multiples of whole numbers by any
    constant are. Other weights are divided by a power of two, which rounds nothing.

    Examples
    --------
    >>> _counted_weights(np.array([0.1, 0.2, 0.3]))[0].tolist(), _counted_weights(np.array([5e-9, 5e-9]))[0].tolist()
    ([1.0, 2.0, 3.0], [1.0, 1.0])
    >>> _counted_weights(np.array([3.0, 4.0]))
    (array([3., 4.]), 1.0)
    """
    if (weights == 1).all():
        return weights, 1.0
    distinct, places = np.unique(weights, return_inverse=True)
    distinct, zero = (distinct[1:], 1) if distinct[0] == 0 else (distinct, 0)
    least = float(distinct[0])
    room = EXACT * (least / (float(distinct[-1]) * len(weights)))
    tried = range(1, int(min(MOST_PARTS, room)) + 1)
    parts = next((parts for parts in tried if _are_whole(distinct, least, parts)), None)
    if parts is not None:
        counted, unit = np.rint(distinct / least * parts), least / parts
    else:
        unit = _common_power(distinct, len(weights)) or ldexp(1.0, frexp(least)[1] - 1)
        counted = distinct / unit
    return np.append(np.zeros(zero), counted)[places], unit


def _are_whole(numbers: Floats, least: float, parts: int) -> bool:
    """Return whether numbers are multiples of a part of the least one, but for rounding."""
    for some in (numbers[:16], numbers):  # most that are not are seen to be so by the first
        multiples = some / least * parts
        if (np.abs(multiples - np.rint(multiples)) > 4 * np.finfo(np.float64).eps * multiples).any():
            return False
    return True


def _common_power(numbers: Floats, n: int) -> float:
    """Return a power of two of which all numbers are multiples, if sums of n of the multiples are exact; else 0."""
    least, greatest = (frexp(float(number))[1] for number in (numbers[0], numbers[-1]))
    exponent = greatest + n.bit_length() - 53
    if exponent > least or exponent < -1021:
        return 0.0
    unit = ldexp(1.0, exponent)
    return unit if (numbers / unit == np.floor(numbers / unit)).all() else 0.0
