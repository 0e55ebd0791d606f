"""Candidate sets of values for a split: the prefixes and suffixes of a few orders, or all sets of few values.

A set of values puts the sum of their counts on the yes side. These sums span a polytope (a zonotope), and every loss
here is quasi-concave, so that its minimum is at a corner. With two classes, or with sums of targets instead of
counts, the polytope lies in a plane, and its corners are the prefixes and suffixes of the values sorted by the share
of one class, or by the mean target; these sets are enough (``docs/bounds.md``, section 10). With more classes, there
are as many corners as sets. Then all sets of few values are tried; of many values, the prefixes and suffixes of some
orders, without a guarantee: by the share of each class, and along the first principal component of the shares
(Coppersmith, Hong and Hosking, "Partitioning Nominal Attributes in Decision Trees", 1999).
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
from numba import njit

__all__ = ["FEW_VALUES", "all_sums", "lies_in_a_plane", "value_orders"]

FEW_VALUES = 10
"""Maximum number of values whose sets are all tried if no order is known to be enough."""

STEPS = 100  # of the power iteration


# Loops instead of numpy functions, which take many times longer to compile.


@njit(nogil=True, cache=True)
def lies_in_a_plane(counts: Any, classes: bool) -> bool:
    """Return whether sorting the values in a single order is enough to find the best set; see `value_orders`.

    Parameters
    ----------
    counts : (values, classes) or (values, 2) float64
        The class weights of each value; for numbers weight and sum of targets.
    classes : bool
        Whether they are class weights.
    """
    return not classes or _n_classes(counts) <= 2


@njit(nogil=True, cache=True)
def _n_classes(counts: Any) -> int:
    n = 0
    for k in range(counts.shape[1]):
        n += _occurs(counts, k)
    return n


@njit(nogil=True, cache=True)
def _occurs(counts: Any, k: int) -> bool:
    weight = 0.0
    for v in range(len(counts)):
        weight += counts[v, k]
    return weight > 0


@njit(nogil=True, cache=True, error_model="numpy")
def value_orders(counts: Any, classes: bool) -> Any:
    """Return the orders of values whose prefixes and suffixes are candidate sets, as an (orders, values) array."""
    n, c = counts.shape
    in_plane = lies_in_a_plane(counts, classes)
    keys, n_orders = np.empty((1 if in_plane else c + 1, n)), 0
    if not classes:
        for v in range(n):
            keys[0, v] = counts[v, 1] / counts[v, 0]
        n_orders = 1
    else:
        weights = _weights(counts)
        for k in range(c):
            if _occurs(counts, k) and n_orders < (1 if in_plane else c):
                for v in range(n):
                    keys[n_orders, v] = counts[v, k] / weights[v]
                n_orders += 1
        if not in_plane:
            _fill_first_component(keys[n_orders], counts, weights)
            n_orders += 1
    orders = np.empty((n_orders, n), dtype=np.int64)
    for i in range(n_orders):
        _sort(orders[i], keys[i])
    return orders


@njit(nogil=True, cache=True)
def _weights(counts: Any) -> Any:
    weights = np.zeros(len(counts))
    for v in range(len(counts)):
        for k in range(counts.shape[1]):
            weights[v] += counts[v, k]
    return weights


@njit(nogil=True, cache=True)
def _sort(order: Any, keys: Any) -> None:
    """Fill in the stable ascending order of the keys, with a bottom-up merge sort."""
    n = len(keys)
    spare = np.empty(n, dtype=np.int64)
    for i in range(n):
        order[i] = i
    width = 1
    while width < n:
        for first in range(0, n, 2 * width):
            middle, last = min(first + width, n), min(first + 2 * width, n)
            i, j = first, middle
            for place in range(first, last):
                if i < middle and (j == last or keys[order[i]] <= keys[order[j]]):
                    spare[place] = order[i]
                    i += 1
                else:
                    spare[place] = order[j]
                    j += 1
        for place in range(n):
            order[place] = spare[place]
        width *= 2


@njit(nogil=True, cache=True, error_model="numpy")
def _fill_first_component(along: Any, counts: Any, weights: Any) -> None:
    """Fill in the coordinate of each value along the first principal component of the class shares."""
    n, c = counts.shape
    apart, direction, following = np.empty((n, c)), np.zeros(c), np.zeros(c)
    weight = 0.0
    for v in range(n):
        weight += weights[v]
    for k in range(c):
        centre, spread = 0.0, 0.0
        for v in range(n):
            centre += counts[v, k] / weight
        for v in range(n):
            apart[v, k] = counts[v, k] / weights[v] - centre
            spread += weights[v] * apart[v, k] ** 2
        direction[k] = spread * (1.0 if k % 2 else -1.0)
    for _ in range(STEPS):
        following[:] = 0.0
        for v in range(n):
            along[v] = _product(apart[v], direction)
            for k in range(c):
                following[k] += weights[v] * along[v] * apart[v, k]
        length = sqrt(_product(following, following))
        if length == 0.0:
            return
        for k in range(c):
            direction[k] = following[k] / length


@njit(nogil=True, cache=True)
def _product(one: Any, other: Any) -> float:
    total = 0.0
    for k in range(len(one)):
        total += one[k] * other[k]
    return total


@njit(nogil=True, cache=True)
def all_sums(counts: Any, sizes: Any) -> Any:
    """Return the counts and sizes of all sets of values, indexed by the bits of the set."""
    n_sets = 1 << len(counts)
    sums, n_rows = np.zeros((n_sets, counts.shape[1])), np.zeros(n_sets, dtype=np.int64)
    for v in range(len(counts)):
        for s in range(1 << v):
            for k in range(counts.shape[1]):
                sums[s + (1 << v), k] = sums[s, k] + counts[v, k]
            n_rows[s + (1 << v)] = n_rows[s] + sizes[v]
    return sums, n_rows
