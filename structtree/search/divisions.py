"""How good a division into any number of sides is: the criteria of `structtree.search.criteria` for more than two.

Many divisions are judged at once. Their sides are the rows of one array, and beside it stands which division each
side belongs to. A side adds its weight times its impurity; for gain ratio the information that the sides give about
the class is divided by that which they have themselves.

Whoever is on no side of a division is *unknown* to it. As in Quinlan's C4.5 (1993), what a division gains for those
that it knows counts in proportion to their weight, and for gain ratio the unknown are one more side of the split.

Law: for two sides that have everybody, the loss is that of the criterion.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from structtree.search.criteria import (
    TOLERANCE,
    Criterion,
    entropy_part,
    gini_part,
    sqrt_gini_part,
    times_log,
)

__all__ = ["division_losses", "information_gains"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_PARTS = {"entropy": entropy_part, "gini": gini_part, "sqrt-gini": sqrt_gini_part}


def division_losses(criterion: Criterion, sides: Floats, division: Ints, n: int, total: Floats) -> Floats:
    """The losses of n divisions of one node, as (n, 2), to be compared as those of the criterion.

    Parameters
    ----------
    criterion : Criterion
    sides : (sides, classes) or (sides, 3)
        The class weights of each side of each division; for numbers weight, sum and sum of squares.
    division : (sides,)
        Which division each of them is a side of.
    n : int
        How many divisions there are.
    total : (classes,) or (3,)
        The whole node, those included that are on no side.

    Of twoing every division has two sides.

    Examples
    --------
    The first feature of Flach's regression example 5.4, by the variance that it leaves.

    >>> from structtree.search.criteria import criterion
    >>> prices = {"A": [1051, 1770, 1900], "B": [4513], "E": [77], "M": [870], "T": [99, 270, 625]}
    >>> moments = [[len(y), sum(y), sum(np.square(y))] for y in map(np.array, prices.values())]
    >>> sides = np.array(moments, dtype=float)
    >>> division_losses(criterion("mse"), sides, np.zeros(5, dtype=int), 1, sides.sum(axis=0)).round().tolist()
    [[62467.0, 0.0]]
    """
    if criterion.name == "gain-ratio":
        first, second = -_gain_ratios(sides, division, n, total), np.zeros(n)
    elif criterion.name == "twoing":
        first, second = -_twoings(sides, division, n, total), np.zeros(n)
    else:
        first = _left(criterion.name, sides, division, n, total)
        second = _left("entropy", sides, division, n, total) if criterion.name == "acc*" else np.zeros(n)
    return np.stack([first, second], axis=1)


def information_gains(sides: Floats, division: Ints, n: int, total: Floats) -> Floats:
    """The bits about the class that each of n divisions gives for an individual of the node, as (n,).

    Examples
    --------
    >>> sides = np.array([[2.0, 0.0], [0.0, 2.0]])
    >>> information_gains(sides, np.zeros(2, dtype=int), 1, np.array([2.0, 2.0])).tolist()
    [1.0]
    """
    weight = float(total.sum())
    known = _added(sides, division, n)
    whole, rows = known.sum(axis=1)[division], sides.sum(axis=1)
    expected = rows[:, None] * known[division]
    bits = times_log(sides, sides * whole[:, None] - expected, expected).sum(axis=1)
    return np.bincount(division, bits, n) / weight


def _left(name: str, sides: Floats, division: Ints, n: int, total: Floats) -> Floats:
    """The impurity that is left, where that of the unknown is as great as if nobody were divided."""
    weight = float(_weights(name, total[None, :])[0])
    left = np.bincount(division, _amounts(name, sides), n)
    is_whole = np.bincount(division, _weights(name, sides), n) >= weight * (1 - TOLERANCE)
    if not is_whole.all():
        of_known = _amounts(name, _added(sides, division, n))
        left += np.where(is_whole, 0.0, _amounts(name, total[None, :]) - of_known)
    return np.asarray(left / weight)


def _gain_ratios(sides: Floats, division: Ints, n: int, total: Floats) -> Floats:
    weight = float(total.sum())
    rows = sides.sum(axis=1)
    unknown = np.maximum(weight - np.bincount(division, rows, n), 0.0)
    unknown[unknown <= TOLERANCE * weight] = 0.0
    whole = np.array(weight)
    split = (np.bincount(division, entropy_part(rows, whole), n) + entropy_part(unknown, whole)) / weight
    return information_gains(sides, division, n, total) / np.where(split > 0, split, np.inf)


def _twoings(sides: Floats, division: Ints, n: int, total: Floats) -> Floats:
    """Of divisions of two sides each; of those who are known, in proportion to their weight."""
    known = _added(sides, division, n)
    whole, rows = known.sum(axis=1), sides.sum(axis=1)
    apart = np.abs(sides * whole[division, None] - rows[:, None] * known[division]).sum(axis=1)
    both = np.ones(n)
    np.multiply.at(both, division, rows)
    # Both sides are as far from the whole.
    found = (np.bincount(division, apart, n) / 2) ** 2 / np.where(both > 0, 4 * whole**2 * both, np.inf)
    return np.asarray(found * whole / float(total.sum()))


def _added(sides: Floats, division: Ints, n: int) -> Floats:
    """All sides of each division together."""
    return np.stack([np.bincount(division, column, n) for column in sides.T], axis=1)


def _weights(name: str, sides: Floats) -> Floats:
    return sides[:, 0] if name == "mse" else np.asarray(sides.sum(axis=1))


def _amounts(name: str, sides: Floats) -> Floats:
    """The weight of each side times its impurity."""
    weights = _weights(name, sides)
    match name:
        case "mse":
            return np.maximum(sides[:, 2] - sides[:, 1] ** 2 / np.where(weights > 0, weights, 1.0), 0.0)
        case "accuracy" | "acc*":
            return np.asarray(weights - sides.max(axis=1))
        case _:
            return np.asarray(_PARTS[name](sides, weights[:, None]).sum(axis=1))
