"""Criteria for divisions into any number of sides: those of `structtree.tasks.criteria` for more than two.

Many divisions are judged at once. Their sides are the rows of one array, and beside it stands which division each
side belongs to. A side adds its weight times its impurity; for gain ratio the information that the sides give about
the class is divided by that which they have themselves.

Whoever is on no side of a division is *unknown* to it. As in Quinlan's C4.5 (1993), what a division gains for those
that it knows counts in proportion to their weight, and for gain ratio the unknown are one more side of the split.

Law: for two sides that have everybody, the loss is that of the criterion.
"""

from __future__ import annotations

import numpy as np

from structtree.arrays import TOLERANCE, Floats, Ints, Mask
from structtree.tasks.criteria import Criterion, two_components
from structtree.tasks.losses import information

__all__ = ["division_losses", "information_gains"]


def division_losses(criterion: Criterion, sides: Floats, division: Ints, n: int, total: Floats) -> Floats:
    """Return the losses of n divisions of one node, as (n, 2), to be compared as those of the criterion.

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

    Every division has two sides by a criterion that is not for many.

    Examples
    --------
    The first feature of Flach's regression example 5.4, by the variance that it leaves.

    >>> from structtree.tasks.criteria import criterion
    >>> prices = {"A": [1051, 1770, 1900], "B": [4513], "E": [77], "M": [870], "T": [99, 270, 625]}
    >>> moments = [[len(y), sum(y), sum(np.square(y))] for y in map(np.array, prices.values())]
    >>> sides = np.array(moments, dtype=float)
    >>> division_losses(criterion("mse"), sides, np.zeros(5, dtype=int), 1, sides.sum(axis=0)).round().tolist()
    [[62467.0, 0.0]]
    """
    if criterion.name == "gain-ratio":
        return two_components(-_gain_ratios(sides, division, n, total))
    known = _added(sides, division, n)
    some = criterion.weight(known) < criterion.weight(total) * (1 - TOLERANCE)
    if not criterion.is_for_many_sides:
        return _losses_of_two(criterion, sides, division, known, some, total)
    left = _added(two_components(criterion.impurity(sides)), division, n)
    # The impurity of the unknown is as great as if nobody were divided.
    left[some] += two_components(criterion.impurity(total[None, :])) - two_components(criterion.impurity(known[some]))
    return np.asarray(left / criterion.weight(total))


def _losses_of_two(
    criterion: Criterion, sides: Floats, division: Ints, known: Floats, some: Mask, total: Floats
) -> Floats:
    """Return the losses of divisions of two sides each; the known count in proportion to their weight."""
    yes = sides[np.unique(division, return_index=True)[1]]
    losses = two_components(criterion.loss(yes, total))
    # Divisions by one attribute know the same individuals.
    same = np.round(known / criterion.weight(total), 9)
    for group in np.unique(same[some], axis=0):
        which = np.flatnonzero(some & (same == group).all(axis=1))
        whole = known[which[0]]
        gained = criterion.unsplit(whole) - two_components(criterion.loss(yes[which], whole))
        share = criterion.weight(whole) / criterion.weight(total)
        losses[which] = criterion.unsplit(total) - share * gained
    return losses


def information_gains(sides: Floats, division: Ints, n: int, total: Floats) -> Floats:
    """Return the bits about the class that each of n divisions gives for an individual of the node, as (n,).

    Examples
    --------
    >>> sides = np.array([[2.0, 0.0], [0.0, 2.0]])
    >>> information_gains(sides, np.zeros(2, dtype=int), 1, np.array([2.0, 2.0])).tolist()
    [1.0]
    """
    return np.asarray(information(sides, division, _added(sides, division, n)) / float(total.sum()))


def _gain_ratios(sides: Floats, division: Ints, n: int, total: Floats) -> Floats:
    weight, rows = float(total.sum()), sides.sum(axis=1)
    unknown = np.maximum(weight - np.bincount(division, rows, n), 0.0)
    unknown[unknown <= min(TOLERANCE * weight, 0.5)] = 0.0
    split = (np.bincount(division, _bits(rows, weight), n) + _bits(unknown, weight)) / weight
    return information_gains(sides, division, n, total) / np.where(split > 0, split, np.inf)


def _bits(part: Floats, whole: float) -> Floats:
    # As a sum, since the logarithm of a ratio near 1 would lose its digits.
    others = np.maximum(whole - part, 0.0)
    return np.asarray(part * np.log1p(others / np.where(part > 0, part, 1.0)) / np.log(2))


def _added(sides: Floats, division: Ints, n: int) -> Floats:
    """All sides of each division together."""
    return np.stack([np.bincount(division, column, n).astype(np.float64) for column in sides.T], axis=1)
