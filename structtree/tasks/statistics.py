"""Statistics that add up over individuals, and their summaries at the nodes of a tree.

An individual adds its weight times the row of its label. Where the label is a class, the row is 1 at the class and 0
elsewhere, so that the sums are the weights of the classes, and the labels alone are kept. Otherwise the rows are a
matrix, such as 1, y and y² of a number y. Everything that sums over individuals does it here: the target, the scorers
of a search, and the divisions of tables. The compiled sweeps over columns (`structtree.search.kernels`) start from
the same codes and weights.

Numbers far from zero, or of extreme size, lose their digits in such sums. So where it matters they are counted from
another zero and in another unit (`Units`), so chosen that nothing is rounded; all other numbers stay as they are.
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
"""Numbers whose range is below this fraction of their size are stored relative to one of them."""

ROUNDING = 64 * np.finfo(np.float64).eps
"""Numbers whose range is below this fraction of their size are equal up to rounding."""

ORDINARY = 100
"""Numbers with a smaller exponent, to the base of 2 and of either sign, have squares that can be added up."""


class Stats(Protocol):
    """Summary of the individuals at a node, whatever the task.

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
        """Sums over the individuals, as the criteria of the task read them."""


@dataclass(frozen=True, slots=True)
class ClassCounts:
    """Class weights of the individuals seen at a node of a classification tree.

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
        """The counts, which add up."""
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

    @property
    def sums(self) -> tuple[float, ...]:
        """Weight, sum and sum of squares, taken about the mean."""
        return (self.weight, 0.0, self.weight * self.variance)


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
        """True if numbers and weights are in plain units."""
        return self == PLAIN

    def counted(self, numbers: Floats) -> Floats:
        """Return numbers in these units."""
        return (numbers - self.zero) / self.unit if self.zero or self.unit != 1.0 else numbers

    def square(self, counted: float) -> float:
        """Return something with the unit of a variance as it is; infinite or 0 if no number is so great or small."""
        return counted * self.unit * self.unit


PLAIN = Units()


# ---- sums over individuals ------------------------------------------------------------------------------


class Sums(NamedTuple):
    """Labels of individuals and their weights, to be summed by label."""

    labels: NDArray[np.int32]
    weights: Floats
    n_labels: int


@dataclass(frozen=True, slots=True, eq=False)
class Statistics:
    """Additive statistics of some individuals.

    Parameters
    ----------
    labels : (n,) int32
        The label of each individual.
    weights : (n,) float
    n_labels : int
    values : (n_labels,) float
        The number that each label stands for, ascending; empty for classes.
    rows : (n_labels, k) float, optional
        The row of each label; None where labels are classes, which have a column each.

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
        """The number of each individual, or the code of its class."""
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
        """Return weights of labels as sums over individuals."""
        return counts if self.rows is None else np.asarray(counts @ self.rows)

    def tallies(self) -> Iterator[Sums]:
        """Yield what to sum by label so that the sums, side by side, are those over individuals."""
        if self.rows is None:
            yield Sums(self.labels, self.weights, self.n_labels)
            return
        one = np.zeros(len(self.labels), dtype=np.int32)
        for column in self.rows.T:
            yield Sums(one, self.weights * column[self.labels], 1)


def one_hot(codes: NDArray[np.integer], weights: Floats, n: int) -> Floats:
    """Return a one-hot matrix of the classes times the weights, as (individuals, classes)."""
    found = np.zeros((len(codes), n))
    found[np.arange(len(codes)), codes] = weights
    return found


def group_sums(rows: Floats, group: Ints, n: int) -> Floats:
    """Return the sums of the rows in each of n groups, as (n, columns).

    Examples
    --------
    >>> group_sums(np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), np.array([0, 1, 0]), 2).tolist()
    [[6.0, 8.0], [3.0, 4.0]]
    """
    return np.stack([np.bincount(group, column, n).astype(np.float64) for column in rows.T], axis=1)
