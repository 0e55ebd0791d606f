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
    """Properties of a tree that determine its predictions; see `structtree.models.tree.Tree`."""

    @property
    def seen(self) -> Floats:
        """Statistics of each node, one row per node."""

    @property
    def parents(self) -> tuple[int, ...]:
        """Parent of each node; -1 for the root."""

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes, in the order of the statistics."""

    @property
    def lightest(self) -> float:
        """Smallest positive weight of a training individual."""


def class_counts(tree: TreeFigures) -> Floats:
    """Return the weight of each class at each node, as (nodes, classes).

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
    """Return the probability of each class at each node, as (nodes, classes).

    A node without training weight has the frequencies of its nearest ancestor with weight.

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
    """Return the index of the class with the lowest expected cost at each node; ties go to the first.

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
    """Return the cost of predicting class j for true class i, as (i, j); by default 1 for every error.

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


# ---- smoothed counts ----------------------------------------------


def smoothed_counts(tree: TreeFigures, decision: Decision) -> Floats:
    """Return the class counts of each node, smoothed as the estimate requires.

    They are not normalised, because integer counts are exact: equal ratios then compare equal. Estimates add
    individuals with the smallest training weight, so that only the ratios of weights matter.
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
    """Return the counts plus m individuals distributed as in the parent's estimate; the root is unchanged."""
    smooth = _somewhere(counts)
    for node in range(1, len(counts)):
        above = smooth[tree.parents[node]]
        added = counts[node] + m * above / above.sum()
        smooth[node] = added if added.any() else above
    return smooth


def _somewhere(counts: Floats) -> Floats:
    """Replace the counts of nodes without weight by equal counts."""
    return np.where(counts.sum(axis=1, keepdims=True) > 0, counts, 1.0)


def nearest_with_weight(tree: TreeFigures, weights: Floats) -> NDArray[np.int64]:
    """Return, for each node, the node itself or its nearest ancestor that has weight."""
    sources = np.arange(len(weights))
    for node in np.flatnonzero(weights <= 0).tolist():
        above = tree.parents[node]
        if above >= 0:
            sources[node] = sources[above]
    return sources
