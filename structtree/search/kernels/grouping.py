"""Which sets of values may divide a node best: the beginnings and ends of a few orders, or all sets of few values.

What a set of values puts on the yes side is the sum of their counts. All such sums span a polytope (a zonotope), and
every loss here is quasi-concave, so it is least at a corner. If there are but two classes, or if sums of targets take
the place of counts, the polytope lies in a plane, and its corners are the sums of those values that are first, or
last, in the order of the share of one class, or of the mean target; so that those sets are enough
(``docs/bounds.md``, section 10). For more classes there are as many corners as sets. Then all sets of few values are
tried, and of many values the beginnings and ends of some orders, of which nothing is proved: by the share of each
class, and along the first principal component of the shares (Coppersmith, Hong and Hosking, "Partitioning Nominal
Attributes in Decision Trees", 1999).
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
from numba import njit

__all__ = ["FEW_VALUES", "all_sums", "lies_in_a_plane", "value_orders"]

FEW_VALUES = 10
"""All sets of so many values are tried where no order is known to be enough."""

STEPS = 100  # of the power iteration


@njit(nogil=True, cache=True)
def lies_in_a_plane(counts: Any, classes: bool) -> bool:
    """Whether one order of the values is enough; see `value_orders`.

    Parameters
    ----------
    counts : (values, classes) or (values, 2) float64
        The class weights of each value; for numbers weight and sum of targets.
    classes : bool
        Whether they are class weights.
    """
    return not classes or len(_classes_in(counts)) <= 2


@njit(nogil=True, cache=True)
def _classes_in(counts: Any) -> Any:
    weights = np.zeros(counts.shape[1])
    for v in range(len(counts)):
        weights += counts[v]
    return np.flatnonzero(weights > 0)


@njit(nogil=True, cache=True, error_model="numpy")
def value_orders(counts: Any, classes: bool) -> Any:
    """The orders of values, (orders, values), of which the beginnings and ends are worth a look."""
    n = len(counts)
    if not classes:
        return np.argsort(counts[:, 1] / counts[:, 0], kind="mergesort").reshape(1, n)
    present = _classes_in(counts)
    shares = np.empty((n, len(present)))
    for v in range(n):
        shares[v] = counts[v][present] / counts[v].sum()
    if len(present) <= 2:
        return np.argsort(shares[:, 0], kind="mergesort").reshape(1, n)
    orders = np.empty((len(present) + 1, n), dtype=np.int64)
    for k in range(len(present)):
        orders[k] = np.argsort(shares[:, k], kind="mergesort")
    orders[len(present)] = np.argsort(_along_the_first_component(counts, shares), kind="mergesort")
    return orders


@njit(nogil=True, cache=True, error_model="numpy")
def _along_the_first_component(counts: Any, shares: Any) -> Any:
    """Where each value lies along the direction in which the shares of the classes differ most."""
    n, c = shares.shape
    centre, weight = np.zeros(c), counts.sum()
    for v in range(n):
        centre += shares[v] * (counts[v].sum() / weight)
    spread = np.zeros((c, c))
    for v in range(n):
        apart = shares[v] - centre
        for k in range(c):
            spread[k] += counts[v].sum() * apart[k] * apart
    along = spread[np.argmax(np.diag(spread))].copy()
    for _ in range(STEPS):
        length = sqrt((along * along).sum())
        if length == 0.0:
            break
        along = spread @ (along / length)
    return shares @ along


@njit(nogil=True, cache=True)
def all_sums(counts: Any, sizes: Any) -> Any:
    """The sums of all sets of values, by the bits of their number: (sets, width) of counts, and of sizes."""
    n_sets = 1 << len(counts)
    sums, n_rows = np.zeros((n_sets, counts.shape[1])), np.zeros(n_sets, dtype=np.int64)
    for v in range(len(counts)):
        for s in range(1 << v):
            sums[s + (1 << v)] = sums[s] + counts[v]
            n_rows[s + (1 << v)] = n_rows[s] + sizes[v]
    return sums, n_rows
