"""Significance tests and description lengths of labels, for stopping rules.

Both rules consider the individuals at one node, each counted once whatever its weight.

*Test*: could the branches differ this much by chance? This is the χ² test of independence of branch and class, or the
F test of equal means. The p-values are not corrected for choosing the best of many tests: with a large grammar, use a
smaller significance level.

*MDL*, minimum description length: encode the labels for a receiver who knows the data, in as few bits as possible.
A node is encoded directly, or as a test and its branches, whichever is shorter. The code:

- One bit per node marks it as a leaf or a branch; so a branch with two leaves needs two more bits than a leaf.
- A test is encoded literal by literal. Each costs one bit, which marks the end of the test, and log2 of the number of
  literals that the grammar allows at the node.
- n labels of k classes: the counts are one of C(n + k - 1, k - 1) possibilities, and their order one of
  n! / (n_1! ... n_k!).
- n numbers: a normal distribution, to the precision of the data, which is the smallest difference between two labels.
  The mean and standard deviation s are encoded in steps of s / √n within the range of the node's labels.

The choice between two codes follows J. R. Quinlan and R. L. Rivest, "Inferring Decision Trees Using the Minimum
Description Length Principle" (1989), but encodes the class counts first.
"""

from __future__ import annotations

from math import e, lgamma, log, log2, pi, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from structtree.arrays import TOLERANCE

__all__ = [
    "Targets",
    "class_bits",
    "class_p_value",
    "excess_p_value",
    "number_bits",
    "number_p_value",
    "precision_of",
    "shift_p_value",
]

USUAL_TERMS = 64
"""Number of terms of a sum to try first."""

NEGLIGIBLE = 40.0
"""Difference of logarithms beyond which a term does not change a sum of double precision."""

Targets = NDArray[Any]


# ---- significance ----------------------------------------------------------------------------


def class_p_value(*sides: ArrayLike) -> float:
    """Return the p-value of Pearson's χ² test of independence of class and branch.

    Parameters
    ----------
    sides : arrays of int
        Class counts of each branch.

    Examples
    --------
    >>> round(class_p_value([0, 4], [5, 1]), 4)
    0.0098
    >>> class_p_value([2, 2], [3, 3])
    1.0
    """
    from scipy.special import chdtrc  # type: ignore[import-untyped]  # scipy has no types

    counts = np.array(sides, dtype=np.float64)
    counts = counts[:, counts.sum(axis=0) > 0]
    expected = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0) / counts.sum()
    if counts.shape[1] < 2 or (expected == 0).any():
        return 1.0
    statistic = ((counts - expected) ** 2 / expected).sum()
    return float(chdtrc((len(counts) - 1) * (counts.shape[1] - 1), statistic))


def number_p_value(*targets: ArrayLike) -> float:
    """Return the p-value of the F test that the means of all branches are equal.

    Parameters
    ----------
    targets : arrays of float
        Targets in each branch.

    Examples
    --------
    >>> round(number_p_value([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]), 4)
    0.0213
    """
    from scipy.special import fdtrc

    sides = [np.asarray(side, dtype=np.float64) for side in targets]
    n, k = sum(map(len, sides)), len(sides)
    if n <= k or not all(map(len, sides)):
        return 1.0
    mean = np.concatenate(sides).mean()
    between = sum(len(side) * (side.mean() - mean) ** 2 for side in sides)
    within = sum(((side - side.mean()) ** 2).sum() for side in sides)
    if within <= TOLERANCE * between:
        return 0.0 if between > 0 else 1.0
    return float(fdtrc(k - 1, n - k, (between / (k - 1)) / (within / (n - k))))


def excess_p_value(n_hits: int, n: int, n_class: int, n_all: int) -> float:
    """Return the p-value of Fisher's exact test that a class is not more frequent in a subgroup than outside.

    Parameters
    ----------
    n_hits : int
        Number of individuals of the class in the subgroup.
    n : int
        Number of individuals in the subgroup.
    n_class, n_all : int
        Numbers of individuals of the class, and of all individuals.

    Examples
    --------
    Of 20 ways to choose three of six, one selects the three of the class.

    >>> round(excess_p_value(3, 3, 3, 6), 4), excess_p_value(0, 3, 3, 6)
    (0.05, 1.0)
    """
    from scipy.special import gammaln

    def log_choices(whole: Any, part: Any) -> Any:
        return gammaln(whole + 1) - gammaln(part + 1) - gammaln(whole - part + 1)

    if n_hits <= max(0, n + n_class - n_all):
        return 1.0
    end, n_terms = min(n, n_class) + 1, USUAL_TERMS
    while True:
        hits = np.arange(n_hits, min(end, n_hits + n_terms))
        logs = log_choices(n_class, hits) + log_choices(n_all - n_class, n - hits) - log_choices(n_all, n)
        # The terms rise and then fall. Once they fall, the remaining ones together are less than this.
        is_falling = len(logs) > 1 and logs[-1] < logs[-2]
        left = end - n_hits - len(hits)
        if not left or (is_falling and logs[-1] + np.log(left) < logs.max() - NEGLIGIBLE):
            return float(min(1.0, np.exp(logs.max() + np.log(np.exp(logs - logs.max()).sum()))))
        n_terms *= 4


def shift_p_value(inside: ArrayLike, outside: ArrayLike) -> float:
    """Return the p-value of Welch's t test that the mean of a subgroup is not greater than the mean outside.

    Examples
    --------
    >>> round(shift_p_value([4.0, 5.0, 6.0], [1.0, 2.0, 3.0]), 4)
    0.0107
    >>> shift_p_value([2.0, 2.0], [2.0]), shift_p_value([3.0, 3.0], [2.0, 2.0])
    (1.0, 0.0)
    """
    from scipy.special import stdtr

    one, other = np.asarray(inside, dtype=np.float64), np.asarray(outside, dtype=np.float64)
    if min(len(one), len(other)) < 2:
        return 1.0
    shift = float(one.mean() - other.mean())
    errors = np.array([one.var(ddof=1) / len(one), other.var(ddof=1) / len(other)])
    if errors.sum() <= TOLERANCE * shift**2:
        return 0.0 if shift > 0 else 1.0
    freedom = errors.sum() ** 2 / (errors**2 / np.array([len(one) - 1, len(other) - 1])).sum()
    return float(stdtr(freedom, -shift / np.sqrt(errors.sum())))


# ---- description length ---------------------------------------------------------------


def class_bits(counts: ArrayLike) -> float:
    """Return the number of bits that encode class labels: first the counts, then the order.

    Parameters
    ----------
    counts : array of int
        The class counts.

    Examples
    --------
    Two of four in one class: one of 5 counts, then one of 6 orders.

    >>> round(class_bits([2, 2]), 3), round(log2(5 * 6), 3)
    (4.907, 4.907)
    """
    n_each = np.asarray(counts)
    n, k = int(n_each.sum()), len(n_each)
    how_many = lgamma(n + k) - lgamma(k) - lgamma(n + 1)
    who = lgamma(n + 1) - sum(lgamma(int(m) + 1) for m in n_each)
    return (how_many + who) / log(2)


def number_bits(values: ArrayLike, precision: float, extent: float) -> float:
    """Return the number of bits that encode normally distributed numbers: the parameters, then each number.

    Parameters
    ----------
    values : array of float
    precision : float
        Precision of the encoded numbers.
    extent : float
        Difference between the largest and the smallest possible number.

    Examples
    --------
    >>> number_bits([5.0, 5.0, 5.0], 1.0, 0.0)
    0.0
    >>> number_bits([1.0, 9.0], 1.0, 100.0) < number_bits([1.0, 90.0], 1.0, 100.0)
    True
    """
    y = np.asarray(values, dtype=np.float64)
    # With less spread a number would need fewer than 0 bits.
    spread = max(float(y.std()), precision / sqrt(2 * pi))
    parameters = 2 * log2(1 + extent * sqrt(len(y)) / spread)
    each = log2(sqrt(2 * pi) * spread / precision) + float(y.var()) / spread**2 * log2(e) / 2
    return parameters + len(y) * each


def precision_of(values: ArrayLike) -> float:
    """Return the smallest difference between two numbers, ignoring rounding errors; 1 if all are equal.

    Examples
    --------
    >>> precision_of([3.0, 1.0, 1.5, 3.0])
    0.5
    """
    y = np.unique(np.asarray(values, dtype=np.float64))
    gaps = np.diff(y)
    gaps = gaps[gaps > TOLERANCE * np.abs(y).max()]
    return float(gaps.min()) if len(gaps) else 1.0
