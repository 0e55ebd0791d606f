"""Scorers: a criterion with labels, which turns the individuals that a predicate keeps into a loss and a bound.

The kernels sum the weight of each label (`structtree.tasks.statistics`). For classification, the labels are the
classes; for regression, each distinct target is a label, in ascending order, so that the bound can choose a
threshold.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from structtree.arrays import Floats, Ints
from structtree.errors import DataError
from structtree.tasks.criteria import Criterion, two_components
from structtree.tasks.losses import (
    ACCURACY_PLUS,
    ACCURACY_STAR,
    ENTROPY,
    assess_classes,
    assess_numbers,
    class_losses,
)
from structtree.tasks.statistics import Statistics, Sums
from structtree.tasks.target import Target, target_for
from structtree.tasks.task import Task

__all__ = ["Assessment", "Loss", "Scorer", "Sums", "scorer_for", "scorer_of", "splittable", "weight_table"]

Loss = tuple[float, float]

# The number of corners doubles with every class; with more classes, an assessment costs as much as with this many.
FEW_CLASSES = 8
# A larger table would not fit into the cache, be no faster than the logarithms, and take longer to compute.
TABLED_WEIGHT = 100_000


class Assessment(NamedTuple):
    """Losses and bounds of many candidates.

    Parameters
    ----------
    losses, bounds : (m, 2)
        If the first component is worse than the best, the second may be skipped: infinity in a loss, 0 in a bound.
    """

    losses: Floats
    bounds: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Scorer:
    """A criterion applied to the labels of some individuals.

    Parameters
    ----------
    criterion : Criterion
    statistics : Statistics
        The statistics of the individuals that the criterion reads.
    task : Task
        The task, with the classes that occur, one per label.

    Examples
    --------
    >>> scorer = scorer_for("acc*", np.array(["no", "no", "yes", "yes"]), 4)
    >>> found = scorer.assess(np.array([[1.0, 0.0], [0.0, 2.0]]), best=(0.0, 0.0))
    >>> found.losses[1].tolist(), found.bounds[:, 0].tolist()
    ([0.0, 0.0], [0.25, 0.0])
    """

    criterion: Criterion
    statistics: Statistics
    task: Task
    #: The label of each individual, its weight, and the number of labels.
    labels: NDArray[np.int32] = field(init=False, repr=False)
    weights: Floats = field(init=False, repr=False)
    n_labels: int = field(init=False)
    #: The statistics of all individuals: class weights, or moments.
    total: Floats = field(init=False)
    #: Maximum rounding error of a loss.
    slack: float = field(init=False)
    _table: Floats = field(init=False, repr=False)

    def __post_init__(self) -> None:
        total = self.statistics.total
        for name, value in (
            ("labels", self.statistics.labels),
            ("weights", self.statistics.weights),
            ("n_labels", self.statistics.n_labels),
            ("total", total),
            ("slack", self.criterion.slack(total)),
            ("_table", weight_table(self.criterion, self.statistics.weights)),
        ):
            object.__setattr__(self, name, value)

    @property
    def name(self) -> str:
        """The name of the criterion."""
        return self.criterion.name

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes that occur, one per label; empty for regression."""
        return self.task.classes

    def counts(self, inside: NDArray[np.bool_]) -> Floats:
        """Return the weight of each label among the individuals that each column of a mask selects."""
        return self.statistics.counts(inside)

    def take(self, which: NDArray[np.int64]) -> Scorer:
        """Return a scorer for some of the individuals, with the same classes."""
        values = self.statistics.individual_values[which]
        return Scorer(self.criterion, self.task.statistics(values, self.weights[which]), self.task)

    def guide(self) -> Scorer | None:
        """Return a scorer to guide a heuristic search, or None if this scorer is a good guide itself."""
        found = self.criterion.guide
        return None if found is None else Scorer(found, self.statistics, self.task)

    def least_no(self, least: int) -> int:
        """Return the minimum number of individuals of the no branch, given that of the yes branch."""
        return 1 if self.criterion.is_one_sided else least

    def tallies(self) -> Iterator[Sums]:
        """Yield the statistics that `losses` needs the sums of: weights by class, or moments."""
        return self.statistics.tallies()

    @property
    def _reads_counts(self) -> bool:
        """Whether the criterion reads the label counts directly."""
        return self.statistics.rows is None

    def losses(self, counts: Floats) -> Floats:
        """Return the losses of candidates, given the sums of their statistics."""
        if self.criterion.is_compiled and self._reads_counts:
            return np.asarray(class_losses(self.criterion.kind, counts, self.total, self._table))
        return two_components(self.criterion.loss(counts, self.total))

    def loss(self, counts: Floats) -> Floats:
        """Return the losses of candidates, given their counts."""
        return self.assess(counts).losses

    def bound(self, counts: Floats) -> Floats:
        """Return lower bounds on the losses of the refinements of candidates."""
        return self.assess(counts).bounds

    def assess(self, counts: Floats, best: Loss | None = None) -> Assessment:
        """Return the losses of candidates, and lower bounds on the losses of their refinements.

        Parameters
        ----------
        counts : (m, n_labels)
            Sums of the weights of this scorer.
        best : pair of floats, optional
            The best loss found.
        """
        first = inf if best is None else float(best[0])
        if not self.criterion.is_compiled:
            sides = self.statistics.sums(counts)
            losses = two_components(self.criterion.loss(sides, self.total))
            bounds = self.criterion.label_bound(counts, self.statistics.values, self.total)
            if bounds is None:
                bounds = self.criterion.bound(sides, self.total)
            return Assessment(losses, two_components(bounds))
        known = np.ascontiguousarray(counts, dtype=np.float64)
        if not self._reads_counts:
            return Assessment(*assess_numbers(known, self.statistics.values, self.total, first, self.slack))
        given = (known, self.total, self._table, first, self.slack)
        return Assessment(*assess_classes(self.criterion.kind, *given))

    @property
    def width(self) -> int:
        """The cost of assessing a candidate, as a number of values: its counts, or all corners for many classes."""
        many = self._reads_counts and self.n_labels > FEW_CLASSES
        return self.n_labels * (2**FEW_CLASSES if many else 1)

    def improves(self, loss: Loss, best: Loss) -> bool:
        """Return whether a loss is less than the best loss by more than rounding error."""
        return self.compare(loss, best) < 0

    def least(self, losses: Floats) -> Ints:
        """Return the indices of the smallest losses, equal up to rounding."""
        tied = np.flatnonzero(losses[:, 0] <= losses[:, 0].min() + self.slack)
        second = losses[tied, 1]
        return np.asarray(tied[second <= second.min() + self.slack])

    def compare(self, loss: Loss, other: Loss) -> int:
        """Return -1 if a loss is less than another, 1 if it is greater, 0 if they are equal up to rounding."""
        for mine, theirs in zip(loss, other, strict=True):
            if abs(mine - theirs) > self.slack:
                return -1 if mine < theirs else 1
        return 0

    def score(self, loss: Floats) -> float:
        """Return the reported score of a loss, such as an accuracy."""
        return float(self.criterion.score(float(loss[0])))

    def sides(self, inside: NDArray[np.bool_]) -> tuple[Floats, Floats]:
        """Return the statistics of the selected individuals and of the others."""
        both = self.statistics.sums(self.counts(np.stack([inside, ~inside], axis=1)))
        return both[0], both[1]


def weight_table(criterion: Criterion, weights: Floats) -> Floats:
    """Return a table of v log2 v for all possible counts v; empty if the counts are not integers or too large."""
    weight = float(weights.sum())
    logs = criterion.kind in (ACCURACY_PLUS, ACCURACY_STAR, ENTROPY)
    if not logs or weight > TABLED_WEIGHT or (weights != np.floor(weights)).any():
        return np.zeros(0)
    v = np.arange(weight + 1)
    return np.asarray(v * np.log2(np.maximum(v, 1.0)))


def scorer_of(target: Target) -> Scorer:
    """Return the scorer of a checked target, without the classes that do not occur."""
    task, values = target.task.compacted(target.values)
    return Scorer(target.criterion, task.statistics(values, target.weights), task)


def scorer_for(
    name: str | Criterion | None,
    target: NDArray[Any],
    n: int,
    sample_weight: ArrayLike | None = None,
    class_weight: dict[Any, float] | None = None,
) -> Scorer:
    """Return the scorer of a target after checking it; see `structtree.tasks.target.target_for`."""
    return scorer_of(splittable(target_for(target, n, name, sample_weight, class_weight)))


def splittable(target: Target) -> Target:
    """Return a target in units that suit its values; raise `DataError` if all labels are identical."""
    if len(target.classes) == 1:
        raise DataError(f"all labels are identical: every individual has the class {target.classes[0]!r}")
    return target.counted()
