"""Criteria for divisions into any number of branches, extending `structtree.tasks.criteria`.

Many divisions are scored at once. Their branches are the rows of one array, and another array has the division of
each branch. A branch adds its weight times its impurity; for gain ratio, the information about the class is divided
by the entropy of the branches.

Individuals in no branch of a division are *unknown* to it. As in Quinlan's C4.5 (1993), the gain for the known
individuals counts in proportion to their weight, and for gain ratio the unknown ones are another branch of the split.

Law: for two branches without unknown individuals, the loss equals that of the criterion.
"""

from __future__ import annotations

import numpy as np

from structtree.arrays import TOLERANCE, Floats, Ints, Mask
from structtree.tasks.criteria import Criterion, two_components
from structtree.tasks.losses import information
from structtree.tasks.statistics import group_sums

__all__ = ["division_losses", "information_gains"]


def division_losses(criterion: Criterion, sides: Floats, division: Ints, n: int, total: Floats) -> Floats:
    """Return the losses of n divisions of one node, in an (n, 2) array, comparable to those of the criterion.

    Parameters
    ----------
    criterion : Criterion
    sides : (sides, classes) or (sides, 3)
        The class weights of each side of each division; for numbers, the weight, sum and sum of squares.
    division : (sides,)
        The division of each side.
    n : int
        The number of divisions.
    total : (classes,) or (3,)
        The statistics of the whole node, including unknown individuals.

    For a criterion that does not support many sides, every division must have two.

    Examples
    --------
    The first feature of Flach's regression example 5.4, scored by the remaining variance.

    >>> from structtree.tasks.criteria import criterion
    >>> prices = {"A": [1051, 1770, 1900], "B": [4513], "E": [77], "M": [870], "T": [99, 270, 625]}
    >>> moments = [[len(y), sum(y), sum(np.square(y))] for y in map(np.array, prices.values())]
    >>> sides = np.array(moments, dtype=float)
    >>> division_losses(criterion("mse"), sides, np.zeros(5, dtype=int), 1, sides.sum(axis=0)).round().tolist()
    [[62467.0, 0.0]]
    """
    if criterion.name == "gain-ratio":
        return two_components(-_gain_ratios(sides, division, n, total))
    known = group_sums(sides, division, n)
    some = criterion.weight(known) < criterion.weight(total) * (1 - TOLERANCE)
    if not criterion.is_multiway:
        return _losses_of_two(criterion, sides, division, known, some, total)
    left = group_sums(two_components(criterion.impurity(sides)), division, n)
    # Unknown individuals keep the impurity of the undivided node.
    left[some] += two_components(criterion.impurity(total[None, :])) - two_components(criterion.impurity(known[some]))
    return np.asarray(left / criterion.weight(total))


def _losses_of_two(
    criterion: Criterion, sides: Floats, division: Ints, known: Floats, some: Mask, total: Floats
) -> Floats:
    """Return the losses of divisions into two branches; the gain counts in proportion to the known weight."""
    yes = sides[np.unique(division, return_index=True)[1]]
    losses = two_components(criterion.loss(yes, total))
    # Divisions by one attribute have the same known individuals.
    same = np.round(known / criterion.weight(total), 9)
    for group in np.unique(same[some], axis=0):
        which = np.flatnonzero(some & (same == group).all(axis=1))
        whole = known[which[0]]
        gained = criterion.unsplit(whole) - two_components(criterion.loss(yes[which], whole))
        share = criterion.weight(whole) / criterion.weight(total)
        losses[which] = criterion.unsplit(total) - share * gained
    return losses


def information_gains(sides: Floats, division: Ints, n: int, total: Floats) -> Floats:
    """Return the information gain of each of n divisions, in bits per individual of the node.

    Examples
    --------
    >>> sides = np.array([[2.0, 0.0], [0.0, 2.0]])
    >>> information_gains(sides, np.zeros(2, dtype=int), 1, np.array([2.0, 2.0])).tolist()
    [1.0]
    """
    return np.asarray(information(sides, division, group_sums(sides, division, n)) / float(total.sum()))


def _gain_ratios(sides: Floats, division: Ints, n: int, total: Floats) -> Floats:
    weight, rows = float(total.sum()), sides.sum(axis=1)
    unknown = np.maximum(weight - np.bincount(division, rows, n), 0.0)
    unknown[unknown <= min(TOLERANCE * weight, 0.5)] = 0.0
    split = (np.bincount(division, _bits(rows, weight), n) + _bits(unknown, weight)) / weight
    return information_gains(sides, division, n, total) / np.where(split > 0, split, np.inf)


def _bits(part: Floats, whole: float) -> Floats:
    # log1p, because the logarithm of a ratio near 1 would lose precision.
    others = np.maximum(whole - part, 0.0)
    return np.asarray(part * np.log1p(others / np.where(part > 0, part, 1.0)) / np.log(2))
