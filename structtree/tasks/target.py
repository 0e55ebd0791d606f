"""Target: the labels and weights of all individuals, checked once, and their summary at any node.

The task defines valid labels and their statistics (`structtree.tasks.task`).

Only the ratios of weights matter, so weights are scaled: the smallest is at least 1, and multiples of a common unit
become integers, whose sums are exact. A tree is grown and pruned with scaled weights, and its figures are converted
back at the end. Law: multiplying all weights by a constant does not change the tree (`tests/learn/test_scale.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import frexp, ldexp
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from structtree.arrays import EXACT, Floats
from structtree.errors import DataError, quoted
from structtree.reprs import names_text, number_text, short_repr
from structtree.tasks.classification import ClassWeight
from structtree.tasks.criteria import Criterion, criterion
from structtree.tasks.inference import infer_task
from structtree.tasks.registry import as_task
from structtree.tasks.statistics import PLAIN, Stats, Units
from structtree.tasks.task import Task

__all__ = ["Target", "room", "target_for", "undivided"]

FAINT = 2.0**-150
"""Weights below this fraction of the largest one are set to 0."""

MOST_PARTS = 1000
"""Largest multiple of a common unit that is tried for the smallest weight."""


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """Labels and weights of all individuals, with the criterion that scores splits.

    Parameters
    ----------
    criterion : Criterion
    values : array
        Class codes or numbers.
    weights : array of float
        Sample weight times class weight.
    task : Task
        Also lists the classes, in the order of their codes.
    units : Units
        Units of the numbers and the weights.

    Examples
    --------
    >>> target = target_for(np.array(["no", "yes", "yes"]), 3, class_weight={"yes": 2.0})
    >>> target.classes, target.stats(np.array([0, 2]))
    (('no', 'yes'), <ClassCounts: n=2, counts 1, 2>)
    """

    criterion: Criterion
    values: NDArray[Any]
    weights: Floats
    task: Task
    units: Units = PLAIN

    def __repr__(self) -> str:
        return short_repr(self, number_text(self.values, "label"), names_text(self.classes) or self.task.noun)

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes, in the order of their codes; empty for regression."""
        return self.task.classes

    def stats(self, which: NDArray[np.int64], parts: Floats | None = None) -> Stats:
        """Return the summary of individuals, possibly with fractional weights."""
        return self.task.summary(self.values[which], self.weights[which] * (1.0 if parts is None else parts))

    @property
    def lightest(self) -> float:
        """Smallest positive weight."""
        return float(self.weights[self.weights > 0].min())

    def counted(self) -> Target:
        """Return the target with labels and weights scaled to suitable units."""
        weights, unit = _counted_weights(self.weights)
        units = self.task.units(self.values)._replace(weight=unit)
        return (
            self
            if units.are_plain
            else replace(self, values=units.counted(self.values), weights=weights, units=units)
        )

    def take(self, which: NDArray[np.int64]) -> Target:
        """Return the target of a subset of the individuals."""
        return replace(self, values=self.values[which], weights=self.weights[which])

    def is_pure(self, which: NDArray[np.int64]) -> bool:
        """Return whether all labels are identical."""
        return self.task.is_pure(self.values[which])


def undivided(criterion: Criterion, stats: Stats) -> float:
    """Return the loss of a node without a split.

    Examples
    --------
    >>> from structtree.tasks.statistics import ClassCounts
    >>> undivided(criterion("accuracy"), ClassCounts(4, (1.0, 3.0)))
    0.25
    """
    return float(criterion.unsplit(np.array(stats.sums))[0])


def room(criterion: Criterion, stats: Stats) -> float:
    """Return an upper bound on how much a split can lower the loss of a node.

    Examples
    --------
    >>> from structtree.tasks.statistics import ClassCounts
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
    task: str | Task | None = None,
) -> Target:
    """Check labels and weights, and return the target of n individuals.

    Parameters
    ----------
    target : array
        Classes or numbers, depending on the criterion; without one, `structtree.tasks.inference` infers the task.
    name : str or Criterion, optional
        The criterion, or its name; ``"acc*"`` for classes and ``"mse"`` for numbers by default.
    sample_weight, class_weight : optional
        Weights of individuals, and of classes (``"balanced"`` gives all classes the same total weight); at least one
        individual must have a positive weight. Only the ratios matter. A weight that is less than 1e-45 times the
        largest one counts as 0.
    classes : sequence, optional
        All classes, including those that do not occur in the target, in their order; by default those that occur,
        sorted.
    priors : mapping from class to float, optional
        Class proportions to use instead of those of the target; individuals are reweighted to match before class
        weights apply. Only the ratios matter.
    task : str or Task, optional
        By default the task of the criterion; without one, it is inferred from the labels.

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
    known, chosen = _task_and_criterion(task, name, labels, classes)
    weights = _weights(sample_weight, n)
    known = known.with_classes(labels, classes, chosen)
    values = known.values(labels, chosen)
    weights = known.weighted(values, weights, class_weight, priors)
    return _without_faint_weights(Target(chosen, values, weights, known))


def _task_and_criterion(
    task: str | Task | None, name: str | Criterion | None, labels: NDArray[Any], classes: Sequence[Any] | None
) -> tuple[Task, Criterion]:
    """Return the task and the criterion; a task that is not given follows from the criterion or the labels."""
    chosen = None if name is None else criterion(name)
    if task is None:
        inferred = infer_task(labels) if classes is None else "classes"
        task = inferred if chosen is None else chosen.task
    known = as_task(task)
    return known, known.admitted(chosen or known.criterion_for())


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


def _without_faint_weights(target: Target) -> Target:
    """Set negligible weights to 0; reject weights whose sum is 0 or overflows."""
    greatest = float(target.weights.max())
    if not greatest > 0:
        raise DataError("the weights of all individuals are zero; at least one must be positive")
    if not greatest * len(target.weights) < np.inf:
        raise DataError("the sum of the weights overflows; scale all weights down")
    faint = target.weights < FAINT * greatest
    return replace(target, weights=np.where(faint, 0.0, target.weights)) if faint.any() else target


def _counted_weights(weights: Floats) -> tuple[Floats, float]:
    """Return weights scaled such that all positive ones are at least 1, and their unit.

    Weights that are multiples of a common unit, up to rounding, become integers: for example, integers that were
    multiplied by a constant. Other weights are divided by a power of two, which is exact.

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
    """Return whether numbers are multiples of the smallest one divided by ``parts``, up to rounding."""
    for some in (numbers[:16], numbers):  # a few usually suffice to refute it
        multiples = some / least * parts
        if (np.abs(multiples - np.rint(multiples)) > 4 * np.finfo(np.float64).eps * multiples).any():
            return False
    return True


def _common_power(numbers: Floats, n: int) -> float:
    """Return a power of two that divides all numbers and makes sums of n multiples exact; 0 if there is none."""
    least, greatest = (frexp(float(number))[1] for number in (numbers[0], numbers[-1]))
    exponent = greatest + n.bit_length() - 53
    if exponent > least or exponent < -1021:
        return 0.0
    unit = ldexp(1.0, exponent)
    return unit if (numbers / unit == np.floor(numbers / unit)).all() else 0.0
