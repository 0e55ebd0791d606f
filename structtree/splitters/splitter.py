"""Splitters: the interface between the builder (`structtree.learn.builder`) and the search for the best split.

A splitter knows everything about *one node's best split* and nothing about trees: which individuals a node has, how
the best split of them is found, and who goes to which side. There are three of them, each in a module of its own:
compiled sweeps over sorted columns (`structtree.splitters.sweep`), branch and bound (`structtree.splitters.search`),
and multiway or fractional divisions of plain tables (`structtree.splitters.fractional`). A fourth needs no more than
`best` and `sides`, as a `RowSplitter`. All can search a random subset of columns (`structtree.splitters.sampling`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import Ints
from structtree.data.population import Population
from structtree.lang import syntax as syn
from structtree.models.tree import Dearer, Found, Node, Stats, Unproved
from structtree.search.clock import Clock
from structtree.search.results import SearchStats, Split, TracePoint
from structtree.splitters.sampling import ColumnSampler
from structtree.tasks.target import Target, room, undivided

__all__ = [
    "Candidate",
    "GrowingNode",
    "NodeMembers",
    "Proposal",
    "RowSplitter",
    "SideValues",
    "Splitter",
    "all_nodes",
    "found_by",
    "gap_of",
    "given_up",
]


class SideValues(NamedTuple):
    """Test of a multiway branch: an attribute, and the value of each branch."""

    attribute: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class NodeMembers:
    """The individuals at a node.

    Parameters
    ----------
    rows : array of int
        Which of all individuals.
    parts : array of float, optional
        How much of each is here; all of it by default.
    population : Population, optional
        The same individuals as a population, where a splitter needs it.
    """

    rows: Ints
    parts: NDArray[np.float64] | None = None
    population: Population | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """Candidate split.

    Parameters
    ----------
    test : Predicate or SideValues
    loss : pair of float
    gains : pair of float
        By how much less both components of the loss are than without the split.
    improves : bool
        Whether that is more than rounding.
    n_sides : int
    division : optional
        For the splitter: how the individuals are divided.
    """

    test: syn.Predicate | SideValues
    loss: tuple[float, float]
    gains: tuple[float, float]
    improves: bool
    n_sides: int = 2
    division: Any = None


@dataclass(frozen=True, slots=True, eq=False)
class Proposal:
    """Result of the search for a node's best split.

    Parameters
    ----------
    candidate : Candidate, optional
        None where nothing divides the node.
    evaluated : int
        Number of predicates evaluated.
    least : float
        Lower bound on the loss of untried splits; infinite if none is better than the candidate.
    stopped_by : optional
        Why something was not tried, as in `structtree.models.tree.Found`.
    seconds : float
    runners_up : tuple of Predicate
        Others that were good.
    pruned : int, optional
        As of `structtree.models.tree.Found`.
    trace : tuple of TracePoint
        How a search went.
    work : int
        Estimated work of a search; see `structtree.search.effort`.
    dearer : Dearer, optional
        A better split that lost because of its cost.
    """

    candidate: Candidate | None
    evaluated: int = 0
    least: float = inf
    stopped_by: Unproved | None = None
    seconds: float = 0.0
    runners_up: tuple[syn.Predicate, ...] = ()
    pruned: int | None = None
    trace: tuple[TracePoint, ...] = ()
    work: int = 0
    dearer: Dearer | None = None


M = TypeVar("M")


@dataclass(slots=True, eq=False)
class GrowingNode(Generic[M]):
    """Node of a growing tree: a leaf until it has children, so that growing can end at any time.

    Parameters
    ----------
    members
        Its individuals, as the splitter describes them.
    depth : int
    is_open : bool
        Whether it may be divided.
    share : float
        Its loss as a fraction of the loss of the root; a search gets a share of the work.
    known : tuple of Predicate
        The tests that hold of all its individuals: those on whose yes side it is, the nearest first.
    hints : tuple of Predicate
        Tests for a warm start of the search: good tests of the parent.
    proposal : Proposal, optional
        None until the node has been searched.
    accepted : bool
        Whether the proposed split may be made.
    children : tuple of GrowingNode
    shares : tuple of float
        How the weight of those whose side is known is divided among the children.
    """

    members: M
    depth: int
    is_open: bool
    share: float = 1.0
    known: tuple[syn.Predicate, ...] = ()
    hints: tuple[syn.Predicate, ...] = ()
    proposal: Proposal | None = None
    accepted: bool = False
    children: tuple[GrowingNode[M], ...] = ()
    shares: tuple[float, ...] = ()

    @property
    def candidate(self) -> Candidate:
        """The proposed split."""
        assert self.proposal is not None and self.proposal.candidate is not None
        return self.proposal.candidate


@dataclass(slots=True, eq=False)
class Splitter(ABC, Generic[M]):
    """Base class of algorithms that find the best split of a node; most derive from `RowSplitter`.

    Law: the same individuals get the same split, whatever was divided before.
    """

    target: Target
    #: Chooses the columns to search at each node; all of them without one.
    sampler: ColumnSampler | None = field(default=None, init=False)
    #: Whether a node takes as long as it is given.
    is_timed: ClassVar[bool] = False
    #: Number of good tests of a node that warm-start the search at its children.
    n_hints: int = field(default=0, init=False)
    #: To be called now and then during a long search with its statistics and the best so far.
    tell: Callable[[SearchStats, Split | None], None] | None = field(default=None, init=False)

    # ---- the individuals of a node ----------------------------------------------------------------------

    @abstractmethod
    def root(self) -> M:
        """Return all individuals with positive weight."""

    @abstractmethod
    def rows(self, members: M) -> Ints:
        """Return the positions of the individuals."""

    @abstractmethod
    def size(self, members: M) -> float:
        """Return the number of individuals, with fractions summed."""

    @abstractmethod
    def weight(self, members: M) -> float:
        """Return the total weight of the individuals."""

    def stats(self, members: M) -> Stats:
        """Return the statistics of a node with these individuals."""
        return self.target.stats(self.rows(members))

    def is_pure(self, members: M) -> bool:
        """Return whether all labels are identical."""
        return self.target.is_pure(self.rows(members))

    # ---- its best split ---------------------------------------------------------------------------------

    @abstractmethod
    def best(self, node: GrowingNode[M], clock: Clock) -> Proposal:
        """Find the best split of a node."""

    @abstractmethod
    def sides(self, node: GrowingNode[M]) -> list[Ints]:
        """Return the individuals in each branch of the proposed split, without those whose branch is unknown."""

    @abstractmethod
    def divide(self, node: GrowingNode[M]) -> Sequence[M]:
        """Split the individuals as proposed, and return the members of each branch."""

    def shares(self, node: GrowingNode[M]) -> tuple[float, ...]:
        """Return the share of each branch in the total weight of individuals whose branch is known."""
        known = [float(self.target.weights[rows].sum()) for rows in self.sides(node)]
        return tuple(weight / sum(known) for weight in known)

    def loss(self, members: M) -> float:
        """Return the loss that splits of these individuals could remove, times their weight."""
        stats = self.stats(members)
        return stats.weight * room(self.target.criterion, stats)

    def prepare(self, members: M, parent: GrowingNode[M], side: int) -> M:
        """Prepare a child of a node for its search."""
        return members

    def close(self) -> None:
        """Release resources that are not needed after growing."""

    # ---- whole subtrees ---------------------------------------------------------------------------------

    def grow_below(self, node: GrowingNode[M]) -> bool:
        """Start growing the whole subtree of a node if that is supported; return whether it was started."""
        return False

    def wait(self, is_over: Callable[[], bool]) -> None:
        """Wait for all subtrees that are being grown."""

    def nodes(self, root: GrowingNode[M]) -> Sequence[Node] | None:
        """Return the nodes of the tree, or None if the builder should create them."""
        return None


class RowSplitter(Splitter[NodeMembers]):
    """Base class of splitters whose nodes are rows; subclasses define `best` and `sides`."""

    __slots__ = ()

    def root(self) -> NodeMembers:
        """Return all individuals with positive weight."""
        return NodeMembers(np.flatnonzero(self.target.weights))

    def rows(self, members: NodeMembers) -> Ints:
        """Return the rows."""
        return members.rows

    def size(self, members: NodeMembers) -> float:
        """Return the number of individuals, with fractions summed."""
        return len(members.rows) if members.parts is None else float(members.parts.sum())

    def weight(self, members: NodeMembers) -> float:
        """Return the total weight of the individuals."""
        weights = self.target.weights[members.rows]
        return float(weights.sum() if members.parts is None else (weights * members.parts).sum())

    def stats(self, members: NodeMembers) -> Stats:
        """Return the statistics of a node with these individuals, possibly fractional."""
        return self.target.stats(members.rows, members.parts)

    def divide(self, node: GrowingNode[NodeMembers]) -> Sequence[NodeMembers]:
        """Split the individuals as proposed, and return the members of each branch."""
        return [NodeMembers(rows) for rows in self.sides(node)]


def gap_of(stats: Any, target: Target, least: float) -> float:
    """Return an upper bound on the gain of an untried test, from a lower bound on its loss."""
    if least == inf:
        return 0.0
    if least == -inf:
        return room(target.criterion, stats)
    return max(0.0, undivided(target.criterion, stats) - least)


def found_by(proposal: Proposal, target: Target) -> Found:
    """Return the record of how a test was found."""
    criterion, candidate, least = target.criterion, proposal.candidate, proposal.least
    assert candidate is not None
    loss, score = candidate.loss[0], criterion.score(candidate.loss[0])
    proved = least == inf
    # Of what was not tried often nothing is known.
    gap = 0.0 if proved else criterion.room(score) if least == -inf else loss - least
    reason = None if proved else proposal.stopped_by
    figures = (candidate.gains[0], proved, gap, proposal.evaluated, proposal.seconds)
    return Found(criterion.name, score, *figures, reason, proposal.pruned, proposal.trace, proposal.dearer)


def given_up(gains: tuple[float, float], best: tuple[float, float]) -> float:
    """Return the fraction of the best gain that a split gives up, in the first component in which there is a gain.

    Examples
    --------
    >>> given_up((0.75, 0.1), (1.0, 0.2)), given_up((0.0, 0.1), (0.0, 0.2))
    (0.25, 0.5)
    """
    component = 0 if best[0] > 0 else 1
    return max(0.0, 1.0 - gains[component] / best[component])


def all_nodes(root: GrowingNode[M]) -> Iterator[GrowingNode[M]]:
    """Return all nodes of a growing tree in reading order."""
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        stack += reversed(node.children)
