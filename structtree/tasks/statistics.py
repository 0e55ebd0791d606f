"""Additive statistics of individuals, and their summaries at the nodes of a tree.

An individual contributes its weight times the row of its label. For a class the row is one-hot, so that the sums are
the class weights, and only the labels are stored. Otherwise the rows are a matrix, such as 1, y and y² for a number
y. The target, the scorers of a search and the divisions of tables all sum with this module. The compiled sweeps over
columns (`structtree.search.kernels`) start from the same codes and weights.

Sums of numbers that are extreme, or close together but far from zero, lose digits. Such numbers are first shifted and
scaled without rounding (`Units`); all others are used as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import frexp, ldexp
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import Floats, Ints, Mask
from structtree.reprs import names_text, short_repr

__all__ = ["PLAIN", "ClassCounts", "Moments", "Statistics", "Stats", "Sums", "Units", "group_sums", "one_hot"]

NARROW = 1 / 1024
"""Numbers whose range is below this fraction of their magnitude are stored relative to the smallest."""

ROUNDING = 64 * np.finfo(np.float64).eps
"""Numbers whose range is below this fraction of their magnitude are equal up to rounding."""

ORDINARY = 100
"""Numbers whose binary exponent is smaller, in absolute value, have squares that can be summed safely."""


class Stats(Protocol):
    """Summary of the individuals at a node, for any task.

    Parameters
    ----------
    n : int
        Number of individuals.
    """

    @property
    def n(self) -> int:
        """Number of individuals."""

    @property
    def weight(self) -> float:
        """Total weight."""

    @property
    def figures(self) -> tuple[float, ...]:
        """Numbers that a tree stores for the node."""

    @property
    def sums(self) -> tuple[float, ...]:
        """Sums over the individuals that the criteria of the task use."""


@dataclass(frozen=True, slots=True)
class ClassCounts:
    """Class weights of the training individuals at a node of a classification tree.

    Parameters
    ----------
    n : int
        Number of individuals.
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
        """Total weight."""
        return sum(self.counts)

    @property
    def figures(self) -> tuple[float, ...]:
        """The counts."""
        return self.counts

    @property
    def sums(self) -> tuple[float, ...]:
        """The counts."""
        return self.counts


@dataclass(frozen=True, slots=True)
class Moments:
    """Number, weight, mean and variance of the training labels at a node of a regression tree."""

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

    @property
    def sums(self) -> tuple[float, ...]:
        """Weight, sum and sum of squares of the differences from the mean."""
        return (self.weight, 0.0, self.weight * self.variance)


class Units(NamedTuple):
    """Units of scaled numbers: a number is exactly ``zero + unit * scaled``.

    Weights have a unit as well: a weight is ``weight * scaled``.

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
        """Choose units for numbers: zero is the smallest number if all are close together; unit is a power of 2."""
        low, high = float(numbers.min()), float(numbers.max())
        size, spread = max(-low, high), high / 2 - low / 2
        zero = low if ROUNDING * size < 2 * spread < NARROW * size else 0.0
        exponent = frexp(spread if zero else size)[1]
        # The largest power of two is 2 ** 1023.
        return cls(zero, 1.0 if abs(exponent) < ORDINARY else ldexp(1.0, min(exponent, 1023)))

    @property
    def are_plain(self) -> bool:
        """True if numbers and weights are not scaled."""
        return self == PLAIN

    def counted(self, numbers: Floats) -> Floats:
        """Return numbers scaled to these units."""
        return (numbers - self.zero) / self.unit if self.zero or self.unit != 1.0 else numbers

    def square(self, counted: float) -> float:
        """Return a scaled variance in the original unit; infinity on overflow, 0 on underflow."""
        return counted * self.unit * self.unit


PLAIN = Units()


# ---- sums over individuals ------------------------------------------------------------------------------


class Sums(NamedTuple):
    """Labels and weights of individuals, from which the total weight of each label is computed."""

    labels: NDArray[np.int32]
    weights: Floats
    n_labels: int


@dataclass(frozen=True, slots=True, eq=False)
class Statistics:
    """Additive statistics of individuals.

    Parameters
    ----------
    labels : (n,) int32
        The label of each individual.
    weights : (n,) float
    n_labels : int
    values : (n_labels,) float
        The number of each label, ascending; empty for classes.
    rows : (n_labels, k) float, optional
        The row of each label; None for classes, whose rows are one-hot.

    Examples
    --------
    >>> Statistics(np.array([0, 1, 1], dtype=np.int32), np.array([1.0, 1.0, 2.0]), 2, np.zeros(0)).total.tolist()
    [1.0, 3.0]
    """

    labels: NDArray[np.int32]
    weights: Floats
    n_labels: int
    values: Floats
    rows: Floats | None = None

    @property
    def individual_values(self) -> NDArray[np.float64] | NDArray[np.int32]:
        """The number or class code of each individual."""
        return self.labels if self.rows is None else self.values[self.labels]

    @property
    def total(self) -> Floats:
        """The sums over all individuals."""
        everybody = np.bincount(self.labels, self.weights, self.n_labels).astype(np.float64)
        return np.asarray(self.sums(everybody[None, :])[0])

    def counts(self, inside: Mask) -> Floats:
        """Return the weight of each label among the individuals in each column, as (columns, labels)."""
        if self.rows is not None:
            kept = [np.bincount(self.labels, self.weights * column, self.n_labels) for column in inside.T]
            return np.reshape(kept, (inside.shape[1], self.n_labels))
        return np.asarray(inside.T.astype(np.float64) @ one_hot(self.labels, self.weights, self.n_labels))

    def sums(self, counts: Floats) -> Floats:
        """Convert weights of labels to sums over individuals."""
        return counts if self.rows is None else np.asarray(counts @ self.rows)

    def tallies(self) -> Iterator[Sums]:
        """Yield labels and weights such that each total weight of a label is one of the sums over individuals."""
        if self.rows is None:
            yield Sums(self.labels, self.weights, self.n_labels)
            return
        one = np.zeros(len(self.labels), dtype=np.int32)
        for column in self.rows.T:
            yield Sums(one, self.weights * column[self.labels], 1)


def one_hot(codes: NDArray[np.integer], weights: Floats, n: int) -> Floats:
    """Return the one-hot matrix of class codes times the weights, as (individuals, classes)."""
    found = np.zeros((len(codes), n))
    found[np.arange(len(codes)), codes] = weights
    return found


def group_sums(rows: Floats, group: Ints, n: int) -> Floats:
    """Return the sum of the rows in each of n groups, as (n, columns).

    Examples
    --------
    >>> group_sums(np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), np.array([0, 1, 0]), 2).tolist()
    [[6.0, 8.0], [3.0, 4.0]]
    """
    return np.stack([np.bincount(group, column, n).astype(np.float64) for column in rows.T], axis=1)
