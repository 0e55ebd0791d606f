"""Predictions of nodes: probabilities and classes from class counts, mean and standard deviation from moments.

As in Flach's book, growing a tree only partitions the individuals; the predictions of the leaves are chosen
afterwards. So the same tree can be used with other costs, class weights or class proportions. For two classes, the
useful labellings of the leaves form a short list, the operating points. Predictions are computed for branches too,
because pruning turns branches into leaves.

Estimates and operating points follow chapter 5 of P. Flach, "Machine Learning" (2012); ``"m-branch"`` is from C.
Ferri, P. Flach and J. Hernández-Orallo, "Improving the AUC of probabilistic estimation trees" (2003).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf, nan
from typing import Any

import numpy as np

from structtree.arrays import Floats
from structtree.errors import UnknownNameError, UsageError
from structtree.models.settings import MAJORITY, Decision
from structtree.models.tree import ClassCounts, Tree
from structtree.reprs import number_text, short_repr
from structtree.tasks.classification import class_factors, prior_factors
from structtree.tasks.estimates import class_counts, cost_matrix, decisions, probabilities, smoothed_counts
from structtree.tasks.task import Task

__all__ = [
    "OperatingPoint",
    "class_counts",
    "convex_hull",
    "cost_matrix",
    "decisions",
    "means",
    "operating_points",
    "probabilities",
    "reweighted",
    "spreads",
    "upper_hull",
    "with_class_shares",
]


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """A labelling of the leaves of a tree for two classes.

    Parameters
    ----------
    positive_leaves : set of int
        The leaves that predict the positive class.
    false_positives, true_positives : float
        The training weight of each class in these leaves.
    false_positive_rate, true_positive_rate : float
        The same as fractions of the class; NaN for an empty class.
    cost_ratios : pair of float
        The range of the cost ratio (false negative to false positive) for which the labelling is optimal; it never is
        if both are equal.
    """

    positive_leaves: frozenset[int]
    false_positives: float
    true_positives: float
    false_positive_rate: float
    true_positive_rate: float
    cost_ratios: tuple[float, float]

    def __repr__(self) -> str:
        rates = (
            f"true positive rate {self.true_positive_rate:.3g}",
            f"false positive rate {self.false_positive_rate:.3g}",
        )
        return short_repr(self, number_text(self.positive_leaves, "positive leaf", "positive leaves"), *rates)


# ---- classes --------------------------------------------------------------------------------------------


def reweighted(tree: Tree, class_weight: Mapping[Any, float]) -> Tree:
    """Return the tree with the weight of each class multiplied by a factor; the tests do not change.

    Parameters
    ----------
    class_weight : mapping from class to float
        The factors; 1 by default.

    Examples
    --------
    >>> from structtree.data.schema import RecordType, Schema
    >>> from structtree.models.tree import Leaf
    >>> tree = Tree((Leaf(ClassCounts(4, (3.0, 1.0))),), Schema((RecordType("Car"),), "Car"), ("no", "yes"))
    >>> class_counts(reweighted(tree, {"yes": 5})).tolist()
    [[3.0, 5.0]]
    """
    return _scaled(tree, class_factors(class_weight, tree.classes))


def with_class_shares(tree: Tree, priors: Mapping[Any, float]) -> Tree:
    """Return the tree reweighted to class proportions other than those of the training data.

    Parameters
    ----------
    priors : mapping from class to float
        One proportion for every class, such as ``{"ill": 1, "well": 99}``; only their ratios matter.

    Examples
    --------
    >>> from structtree.data.schema import RecordType, Schema
    >>> from structtree.models.tree import Leaf
    >>> tree = Tree((Leaf(ClassCounts(4, (3.0, 1.0))),), Schema((RecordType("Car"),), "Car"), ("no", "yes"))
    >>> probabilities(with_class_shares(tree, {"no": 1, "yes": 9})).tolist()
    [[0.1, 0.9]]
    """
    return _scaled(tree, prior_factors(priors, tree.classes, class_counts(tree)[0]))


def _scaled(tree: Tree, factors: Floats) -> Tree:
    counts = (class_counts(tree) * factors).tolist()
    stats = (ClassCounts(node.stats.n, tuple(row)) for node, row in zip(tree.nodes, counts, strict=True))
    nodes = (replace(node, stats=each) for node, each in zip(tree.nodes, stats, strict=True))
    return replace(tree, nodes=tuple(nodes))


# ---- numbers --------------------------------------------------------------------------------------------


def means(tree: Tree) -> Floats:
    """Return the mean of each node; a node without weight inherits the mean of its nearest ancestor with weight.

    Examples
    --------
    >>> from structtree.data.schema import RecordType, Schema
    >>> from structtree.models.tree import Leaf, Moments
    >>> tree = Tree((Leaf(Moments(2, 2.0, 1.5, 0.25)),), Schema((RecordType("Car"),), "Car"))
    >>> means(tree).tolist(), spreads(tree).tolist()
    ([1.5], [0.5])
    """
    return np.asarray(_for_numbers(tree).answers(tree))


def spreads(tree: Tree) -> Floats:
    """Return the standard deviation of the target at each node; nodes without weight are treated as in `means`."""
    return np.asarray(_for_numbers(tree).spreads(tree))


def _for_numbers(tree: Tree) -> Task:
    if tree.classes:
        raise UsageError(
            "expected a regression tree; got a classification tree, which has probabilities and decisions"
        )
    return tree.task


# ---- two classes ----------------------------------------------------------------------------------------


def operating_points(tree: Tree, decision: Decision = MAJORITY, positive: Any = None) -> tuple[OperatingPoint, ...]:
    """Return the labellings of the leaves that are optimal for some cost ratio, from all negative to all positive.

    Leaves become positive in the order of their probabilities, ties together. With relative frequencies the points
    are the corners of the convex ROC curve of the training data.

    Parameters
    ----------
    decision : Decision
        Only the estimate is used; each point lists the cost ratios for which it is optimal.
    positive : optional
        The positive class; the second class by default.

    Examples
    --------
    >>> from structtree.data.schema import RecordType, Schema
    >>> from structtree.models.tree import Leaf
    >>> tree = Tree((Leaf(ClassCounts(4, (3.0, 1.0))),), Schema((RecordType("Car"),), "Car"), ("no", "yes"))
    >>> [(p.false_positive_rate, p.true_positive_rate, p.cost_ratios) for p in operating_points(tree)]
    [(0.0, 0.0, (0.0, 3.0)), (1.0, 1.0, (3.0, inf))]
    """
    place = _place_of_positive(tree, positive)
    leaves = np.array(tree.leaves)
    ratios = _ratios(smoothed_counts(tree, decision)[leaves], place)
    counts = class_counts(tree)
    thresholds = [0.0, *np.unique(ratios).tolist(), inf]
    return tuple(
        _operating_point(frozenset(leaves[ratios <= low].tolist() if step else ()), counts, place, (low, high))
        for step, (low, high) in enumerate(pairwise(thresholds))
    )


def convex_hull(points: tuple[OperatingPoint, ...]) -> tuple[OperatingPoint, ...]:
    """Return the operating points on the convex hull of the ROC curve.

    With relative frequencies all points are on it; other estimates may rank the leaves in a different order.

    Examples
    --------
    >>> from structtree.data.schema import RecordType, Schema
    >>> from structtree.models.tree import Leaf
    >>> tree = Tree((Leaf(ClassCounts(4, (3.0, 1.0))),), Schema((RecordType("Car"),), "Car"), ("no", "yes"))
    >>> len(convex_hull(operating_points(tree)))
    2
    """
    corners = upper_hull([(point.false_positives, point.true_positives) for point in points])
    return tuple(points[place] for place in corners)


def upper_hull(points: Sequence[tuple[float, float]]) -> list[int]:
    """Return the places of the corners of the upper convex hull of points that are sorted by x.

    Examples
    --------
    >>> upper_hull([(0, 0), (1, 2), (2, 1), (3, 3)])
    [0, 1, 3]
    """
    hull: list[int] = []
    for place, point in enumerate(points):
        while len(hull) > 1 and not _turns_right(points[hull[-2]], points[hull[-1]], point):
            hull.pop()
        hull.append(place)
    return hull


# ---- operating points -----------------------------------------------------------------------------------


def _place_of_positive(tree: Tree, positive: Any) -> int:
    if len(tree.classes) != 2:
        got = f"{len(tree.classes)} classes" if tree.classes else tree.task.noun
        raise UsageError(f"operating points need a tree for two classes; got one for {got}")
    if positive is None:
        return 1
    if positive not in tree.classes:
        raise UnknownNameError("class", str(positive), map(str, tree.classes))
    return tree.classes.index(positive)


def _ratios(counts: Floats, place: int) -> Floats:
    """Return negatives per positive in each leaf, the lowest cost ratio at which the leaf predicts positive."""
    positives, negatives = counts[:, place], counts[:, 1 - place]
    return np.asarray(np.divide(negatives, positives, out=np.full(len(counts), inf), where=positives > 0))


def _operating_point(
    leaves: frozenset[int], counts: Floats, place: int, cost_ratios: tuple[float, float]
) -> OperatingPoint:
    covered = counts[sorted(leaves)].sum(axis=0)
    false, true = float(covered[1 - place]), float(covered[place])
    negatives, positives = float(counts[0, 1 - place]), float(counts[0, place])
    return OperatingPoint(leaves, false, true, _share(false, negatives), _share(true, positives), cost_ratios)


def _share(part: float, whole: float) -> float:
    return part / whole if whole else nan


def _turns_right(first: tuple[float, float], second: tuple[float, float], third: tuple[float, float]) -> bool:
    run = (second[0] - first[0]) * (third[1] - first[1])
    rise = (second[1] - first[1]) * (third[0] - first[0])
    return rise > run
