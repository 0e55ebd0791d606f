"""Probabilities and decisions of the nodes of a classification tree, from class counts.

Estimates follow chapter 5 of P. Flach, "Machine Learning" (2012); ``"m-branch"`` is from C. Ferri, P. Flach and
J. Hernández-Orallo, "Improving the AUC of probabilistic estimation trees" (2003).
"""

from __future__ import annotations

from typing import Any, Protocol, assert_never

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import TOLERANCE, Floats
from structtree.errors import UsageError
from structtree.tasks.decision import MAJORITY, Decision

__all__ = [
    "TreeFigures",
    "class_counts",
    "cost_matrix",
    "decisions",
    "nearest_with_weight",
    "probabilities",
    "smoothed_counts",
]


class TreeFigures(Protocol):
    """The part of a tree that decides what its nodes say: see `structtree.models.tree.Tree`."""

    @property
    def seen(self) -> Floats:
        """The figures of each node, as (nodes, figures)."""

    @property
    def parents(self) -> tuple[int, ...]:
        """The branch above each node; -1 for the root."""

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes, in the order of the figures."""

    @property
    def lightest(self) -> float:
        """The least weight of a training individual, above 0."""


def class_counts(tree: TreeFigures) -> Floats:
    """The weight of each class at each node, as (nodes, classes).

    Examples
    --------
    >>> from structtree.data.schema import RecordType, Schema
    >>> from structtree.models.tree import ClassCounts, Leaf, Tree
    >>> tree = Tree((Leaf(ClassCounts(4, (3.0, 1.0))),), Schema((RecordType("Car"),), "Car"), ("no", "yes"))
    >>> class_counts(tree).tolist()
    [[3.0, 1.0]]
    """
    if not tree.classes:
        raise UsageError("expected a classification tree; got a regression tree, which has means and spreads")
    return tree.seen.copy()


def probabilities(tree: TreeFigures, decision: Decision = MAJORITY) -> Floats:
    """The probability of each class at each node, as (nodes, classes).

    Where no training weight arrived, frequencies are those of the nearest node above where some did.

    Examples
    --------
    >>> from structtree.data.schema import RecordType, Schema
    >>> from structtree.models.tree import ClassCounts, Leaf, Tree
    >>> tree = Tree((Leaf(ClassCounts(4, (4.0, 0.0))),), Schema((RecordType("Car"),), "Car"), ("no", "yes"))
    >>> probabilities(tree).tolist()
    [[1.0, 0.0]]
    >>> probabilities(tree, Decision("laplace")).round(3).tolist()
    [[0.833, 0.167]]
    """
    counts = smoothed_counts(tree, decision)
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))


def decisions(tree: TreeFigures, decision: Decision = MAJORITY) -> NDArray[np.int64]:
    """The class that each node says, as its place among the tree's classes: the first of least expected cost.

    Examples
    --------
    >>> from structtree.data.schema import RecordType, Schema
    >>> from structtree.models.tree import ClassCounts, Leaf, Tree
    >>> tree = Tree((Leaf(ClassCounts(4, (3.0, 1.0))),), Schema((RecordType("Car"),), "Car"), ("no", "yes"))
    >>> decisions(tree).tolist(), decisions(tree, Decision(costs=[[0, 1], [5, 0]])).tolist()
    ([0], [1])
    """
    counts, costs = smoothed_counts(tree, decision), cost_matrix(tree, decision)
    expected = counts @ costs
    slack = TOLERANCE * counts.sum(axis=1) * costs.max(initial=0.0)
    tied = expected <= (expected.min(axis=1) + slack)[:, None]
    return np.asarray(tied.argmax(axis=1))


def cost_matrix(tree: TreeFigures, decision: Decision = MAJORITY) -> Floats:
    """Return the costs of saying class j of an individual of class i, as (i, j); by default 1 for every error.

    Examples
    --------
    >>> from structtree.data.schema import RecordType, Schema
    >>> from structtree.models.tree import ClassCounts, Leaf, Tree
    >>> tree = Tree((Leaf(ClassCounts(2, (1.0, 1.0))),), Schema((RecordType("Car"),), "Car"), ("no", "yes"))
    >>> cost_matrix(tree).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    n = len(tree.classes)
    if decision.costs is None:
        return np.ones((n, n)) - np.eye(n)
    if len(decision.costs) != n:
        raise UsageError(
            f"costs must have one row and one column for each of the {n} classes {list(tree.classes)}; "
            f"got {len(decision.costs)} rows"
        )
    return np.array(decision.costs)


# ---- from counts to what probabilities are in proportion to ----------------------------------------------


def smoothed_counts(tree: TreeFigures, decision: Decision) -> Floats:
    """Return the counts with what the estimate adds to them.

    Not yet divided into probabilities because so they are exact for whole counts: equal ratios are equal numbers.
    Individuals of the least training weight are added, so that only the ratios of weights matter; where that is 1, an
    individual of weight 3 counts as three.
    """
    counts = class_counts(tree)
    if decision.estimate not in ("frequency", None):
        counts /= tree.lightest
    match decision.estimate:
        case "laplace":
            return counts + 1.0
        case "frequency" | None:
            return _somewhere(counts[nearest_with_weight(tree, counts.sum(axis=1))])
        case "m-estimate":
            prior = _somewhere(counts[:1])
            smooth = counts + (decision.m or 0.0) * prior / prior.sum()
            return _somewhere(smooth[nearest_with_weight(tree, smooth.sum(axis=1))])
        case "m-branch":
            return _smoothed_by_branch(tree, counts, decision.m or 0.0)
        case _:
            assert_never(decision.estimate)


def _smoothed_by_branch(tree: TreeFigures, counts: Floats, m: float) -> Floats:
    """The counts with m more that are distributed as the node above is estimated to be; the root keeps its own."""
    smooth = _somewhere(counts)
    for node in range(1, len(counts)):
        above = smooth[tree.parents[node]]
        added = counts[node] + m * above / above.sum()
        smooth[node] = added if added.any() else above
    return smooth


def _somewhere(counts: Floats) -> Floats:
    """Equal counts where there are none at all."""
    return np.where(counts.sum(axis=1, keepdims=True) > 0, counts, 1.0)


def nearest_with_weight(tree: TreeFigures, weights: Floats) -> NDArray[np.int64]:
    """Return for each node the nearest one at or above it that has any weight."""
    sources = np.arange(len(weights))
    for node in np.flatnonzero(weights <= 0).tolist():
        above = tree.parents[node]
        if above >= 0:
            sources[node] = sources[above]
    return sources
