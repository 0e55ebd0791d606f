"""A tree is a value: nodes in one tuple, parents before children, so that nothing about it is recursive.

Node 0 is the root and a node is called by its place in the tuple. Both sides of a branch follow it, first everything
on the yes side, then everything on the no side: the order in which a tree is read. A node keeps what was seen of the
training data there, branches too, so that pruning a branch to a leaf needs nothing but the tree.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from structtree.data.columns import Population
from structtree.data.schema import Schema
from structtree.lang.syntax import Predicate
from structtree.learn.routing import holds_among
from structtree.space.evaluate import Known

__all__ = ["Branch", "ClassCounts", "Found", "Leaf", "Moments", "Node", "Step", "Tree", "subtree"]


@dataclass(frozen=True, slots=True)
class ClassCounts:
    """What was seen at a node of a classification tree.

    Parameters
    ----------
    n : int
        How many individuals.
    counts : tuple of float
        Their weight in each class, in the order of the tree's classes.
    """

    n: int
    counts: tuple[float, ...]

    @property
    def weight(self) -> float:
        """The weight of all of them."""
        return sum(self.counts)


@dataclass(frozen=True, slots=True)
class Moments:
    """What was seen at a node of a regression tree: how many, their weight, and mean and variance of the target."""

    n: int
    weight: float
    mean: float
    variance: float


Stats = ClassCounts | Moments


@dataclass(frozen=True, slots=True)
class Found:
    """How a branch's test was found.

    Parameters
    ----------
    criterion : str
    score : float
        Of the split, as the criterion quotes it.
    gain : float
        How much less the criterion's loss is than without the split.
    proved : bool
        Whether no test of the grammar's space is better.
    gap : float
        How much less the loss of something unseen might still be.
    evaluated : int
        Predicates that were evaluated.
    seconds : float
        What the search took.
    """

    criterion: str
    score: float
    gain: float
    proved: bool
    gap: float
    evaluated: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Leaf:
    """Where individuals end up.

    Parameters
    ----------
    stats : ClassCounts or Moments
    gap : float
        How much less the loss might be with a test that was not found because growing was cut short; else 0.
    """

    stats: Stats
    gap: float = field(default=0.0, repr=False)

    @property
    def children(self) -> tuple[int, ...]:
        """There are none."""
        return ()


@dataclass(frozen=True, slots=True)
class Branch:
    """A test, and where it sends whom it holds of and whom it does not."""

    test: Predicate
    yes: int
    no: int
    stats: Stats
    found: Found

    @property
    def children(self) -> tuple[int, ...]:
        """The two sides."""
        return (self.yes, self.no)


Node = Branch | Leaf


class Step(NamedTuple):
    """One answer on the way to a node: the branch that asked, and what the answer was."""

    branch: int
    test: Predicate
    answer: bool


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """A decision or regression tree.

    Parameters
    ----------
    nodes : tuple of Node
        Parents before children; the first is the root.
    schema : Schema
        Of the individuals it can be asked about.
    classes : tuple
        The classes, in the order of the counts; empty when the target is a number.
    """

    nodes: tuple[Node, ...]
    schema: Schema
    classes: tuple[Any, ...] = ()
    _parents: tuple[int, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        parents = [-1] * len(self.nodes)
        for index, node in enumerate(self.nodes):
            for child in node.children:
                parents[child] = index
        object.__setattr__(self, "_parents", tuple(parents))

    # ---- its shape --------------------------------------------------------------------------------------

    @property
    def task(self) -> str:
        """Whether it tells ``"classes"`` or ``"numbers"``."""
        return "classes" if self.classes else "numbers"

    @property
    def leaves(self) -> tuple[int, ...]:
        """Which nodes are leaves, in reading order."""
        return tuple(i for i, node in enumerate(self.nodes) if isinstance(node, Leaf))

    @property
    def branches(self) -> tuple[int, ...]:
        """Which nodes are branches, in reading order."""
        return tuple(i for i, node in enumerate(self.nodes) if isinstance(node, Branch))

    @property
    def depths(self) -> tuple[int, ...]:
        """How many answers lead to each node."""
        depths = [0] * len(self.nodes)
        for index, parent in enumerate(self._parents):
            if parent >= 0:
                depths[index] = depths[parent] + 1
        return tuple(depths)

    @property
    def depth(self) -> int:
        """The most answers that lead to a leaf."""
        return max(self.depths)

    def parent(self, node: int) -> int | None:
        """The branch above a node; None for the root."""
        return None if self._parents[node] < 0 else self._parents[node]

    def walk(self) -> Iterator[tuple[int, int, Node]]:
        """Every node in reading order, with its number and depth."""
        for index, (depth, node) in enumerate(zip(self.depths, self.nodes, strict=True)):
            yield index, depth, node

    def path(self, node: int) -> tuple[Step, ...]:
        """The answers that lead to a node, from the root on."""
        steps = []
        while (above := self._parents[node]) >= 0:
            branch = self.nodes[above]
            assert isinstance(branch, Branch)
            steps.append(Step(above, branch.test, branch.yes == node))
            node = above
        return tuple(reversed(steps))

    # ---- its use ----------------------------------------------------------------------------------------

    def apply(self, population: Population) -> NDArray[np.int64]:
        """The leaf that each individual ends up in.

        Examples
        --------
        >>> from structtree.data.columns import Population
        >>> from structtree.lang.parse import parse_predicate
        >>> data = Population.from_records([{"size": 1}, {"size": 5}])
        >>> found = Found("acc*", 1.0, 0.5, True, 0.0, 1, 0.0)
        >>> no, yes = ClassCounts(1, (1.0, 0.0)), ClassCounts(1, (0.0, 1.0))
        >>> branch = Branch(parse_predicate("size >= 3"), 1, 2, ClassCounts(2, (1.0, 1.0)), found)
        >>> Tree((branch, Leaf(yes), Leaf(no)), data.schema, ("no", "yes")).apply(data).tolist()
        [2, 1]
        """
        leaf_of = np.empty(len(population), dtype=np.int64)
        for node, which in self.arrivals(population):
            if isinstance(self.nodes[node], Leaf):
                leaf_of[which] = node
        return leaf_of

    def arrivals(self, population: Population) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Every node in reading order, with the individuals that come by it."""
        known: Known = {}
        stack = [(0, np.arange(len(population)))]
        while stack:
            index, which = stack.pop()
            yield index, which
            node = self.nodes[index]
            if isinstance(node, Branch):
                true = holds_among(node.test, population, which, known)
                stack += [(node.no, which[~true]), (node.yes, which[true])]


def subtree(tree: Tree, kept: frozenset[int]) -> Tree:
    """The tree in which only some of its branches are still branches, and the others have become leaves.

    Parameters
    ----------
    kept : set of int
        Branches; what lies below one that is not kept is gone.
    """
    nodes: list[Node] = []
    waiting: list[tuple[int, int, bool]] = [(0, -1, False)]
    while waiting:
        old, above, is_yes = waiting.pop()
        node, place = tree.nodes[old], len(nodes)
        if isinstance(node, Branch) and old in kept:
            nodes.append(node)
            waiting += [(node.no, place, False), (node.yes, place, True)]
        else:
            nodes.append(Leaf(node.stats))
        if above >= 0:
            branch = nodes[above]
            assert isinstance(branch, Branch)
            nodes[above] = _with_child(branch, place, is_yes)
    return Tree(tuple(nodes), tree.schema, tree.classes)


def _with_child(branch: Branch, place: int, is_yes: bool) -> Branch:
    yes, no = (place, branch.no) if is_yes else (branch.yes, place)
    return Branch(branch.test, yes, no, branch.stats, branch.found)
