"""Target: the labels and weights of all individuals, checked once, and summarised at any node.

The task defines valid labels and their statistics (`structtree.tasks.task`).

Only the ratios of weights matter, so they are counted in a unit of their own: the least weight is 1 or more, and
weights that have a common unit are whole numbers, which add up without rounding. A tree is grown and pruned in these
units, and its figures are converted back at the end. Law: multiplying all weights by a constant does not change the
tree (`tests/learn/test_scale.py`).
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
"""Weights below this fraction of the largest one count as 0."""

MOST_PARTS = 1000
"""The least weight may be at most this many of a unit of which all weights are whole multiples."""


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
    task : Task
        With the classes that codes stand for.
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
    task: Task
    units: Units = PLAIN

    def __repr__(self) -> str:
        return short_repr(self, number_text(self.values, "label"), names_text(self.classes) or self.task.noun)

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes that codes stand for; none if numbers are predicted."""
        return self.task.classes

    def stats(self, which: NDArray[np.int64], parts: Floats | None = None) -> Stats:
        """Return the summary of individuals, possibly with fractional weights."""
        return self.task.summary(self.values[which], self.weights[which] * (1.0 if parts is None else parts))

    @property
    def lightest(self) -> float:
        """Smallest positive weight."""
        return float(self.weights[self.weights > 0].min())

    def counted(self) -> Target:
        """Return the target with labels and weights in suitable units."""
        weights, unit = _counted_weights(self.weights)
        units = self.task.units(self.values)._replace(weight=unit)
        return (
            self
            if units.are_plain
            else replace(self, values=units.counted(self.values), weights=weights, units=units)
        )

    def take(self, which: NDArray[np.int64]) -> Target:
        """Return the labels and weights of some individuals."""
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
    task : str or Task, optional
        What is predicted; by default that of the criterion, or else what the labels suggest.

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
    return _with_some_weight(Target(chosen, values, known.weighted(values, weights, class_weight, priors), known))


def _task_and_criterion(
    task: str | Task | None, name: str | Criterion | None, labels: NDArray[Any], classes: Sequence[Any] | None
) -> tuple[Task, Criterion]:
    """Return the task that is given, that the criterion is for, or that the labels suggest; and its criterion."""
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


def _with_some_weight(target: Target) -> Target:
    greatest = float(target.weights.max())
    if not greatest > 0:
        raise DataError("the weights of all individuals are zero; at least one must be positive")
    if not greatest * len(target.weights) < np.inf:
        raise DataError("the sum of the weights overflows; divide all weights by the same number")
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
