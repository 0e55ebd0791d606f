"""Builder: the loop that grows a tree, whatever finds the best split of a node.

A node that is pure, too small or too deep is a leaf and nothing is looked for. Any other is given to the splitter.
Its split is made if it leaves somebody on both sides, if the criterion is better for it, and if nothing that the user
asked for (`Growth`) speaks against it. "Better" is why acc* goes on where plain accuracy stops: when no split gets
more right, acc* still takes one that lowers the entropy, and a split further down may then get more right.

With ``max_leaf_nodes`` the node whose split helps most is divided first. Where searches are limited by their work, it
is the node with the largest loss, since those with a small loss may not all be searched (`structtree.search.effort`).
Otherwise the order changes nothing, and it is that in which a tree is read.

Law: with ``effort="prove"`` the tree is that of plain recursion (`tests/learn/test_options.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from math import ceil, inf, log2
from typing import Any, Generic, Literal

from numpy.typing import NDArray

from structtree.interrupts import interruptible
from structtree.lang import syntax as syn
from structtree.learn.stopping import saves_bits
from structtree.models.settings import Growth
from structtree.models.tree import Branch, Leaf, MultiwayBranch, Node, NodeArrays, Unproved
from structtree.progress import Status
from structtree.search.clock import Clock
from structtree.search.effort import LARGE_SHARE
from structtree.search.results import SearchStats, Split
from structtree.splitters.splitter import (
    Candidate,
    GrowingNode,
    M,
    Proposal,
    SideValues,
    Splitter,
    all_nodes,
    found_by,
    gap_of,
)
from structtree.tasks.criteria import TOLERANCE
from structtree.tasks.target import Target, room

__all__ = ["Builder", "Progress"]

LEAST_SHARE = 1 / 3
"""Minimum fraction of the time for a subtree that its root gets."""

LEAST_SECONDS = 0.2
"""Minimum time for another search at the root, after one that found nothing."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of growing a tree.

    Parameters
    ----------
    nodes : int
        Number of finished nodes: leaves, and branches with a test.
    leaves : int
        Number of finished leaves.
    settled : int
        Number of individuals in finished leaves.
    individuals : int
        Number of all individuals.
    evaluated : int
        Number of predicates evaluated so far.
    stopped_by : {"time", "interrupt"}, optional
        Why growing ended early.
    depth : int
        Depth of the current node.
    best, gap : float, optional
        During a search: the best score so far, and the gap to the bound.
    criterion : str
    seconds : float
        Time since the start.
    seconds_left : float, optional
        Time until the limit.
    tree, trees : int
        Number of the current tree, and of all trees, including those for cross-validation.
    """

    nodes: int
    leaves: int
    settled: int
    individuals: int
    evaluated: int
    stopped_by: Literal["time", "interrupt"] | None = None
    depth: int = 0
    best: float | None = None
    gap: float | None = None
    criterion: str = ""
    seconds: float = 0.0
    seconds_left: float | None = None
    tree: int = 1
    trees: int = 1

    @property
    def status(self) -> Status:
        """Progress as a status for display."""
        which = f"growing tree {self.tree} of {self.trees}" if self.trees > 1 else "growing"
        rate = f", {self.evaluated / self.seconds:,.0f}/s" if self.seconds >= 1 else ""
        is_done = self.settled == self.individuals
        where = f"{self.nodes:,} nodes" if is_done else f"node {self.nodes + 1:,} at depth {self.depth}"
        facts = [where, f"{self.evaluated:,} predicate{'' if self.evaluated == 1 else 's'}{rate}"]
        if self.best is not None:
            gap = f", gap {self.gap:.2g}" if self.gap else ""
            facts.append(f"best {self.criterion} {self.best:.4g}{gap}")
        return Status(which, self.settled, self.individuals, tuple(facts), self.seconds_left)


Price = Callable[[syn.Predicate | SideValues, NDArray[Any]], float]
"""Number of bits that encode a test, given the individuals at the node."""


@dataclass(frozen=True, slots=True, eq=False)
class _Offer(Generic[M]):
    """Candidate split with its effect on the whole tree; the most useful one sorts first."""

    node: GrowingNode[M]
    decrease: tuple[float, float]
    serial: int

    def __lt__(self, other: _Offer[M]) -> bool:
        return (other.decrease, self.serial) < (self.decrease, other.serial)


@dataclass(slots=True, eq=False)
class Builder(Generic[M]):
    """State of growing one tree.

    Parameters
    ----------
    splitter : Splitter
    growth : Growth
    clock : Clock
        When it is over, what is not divided yet stays so.
    price : function
        For ``stop="mdl"``.
    progress : function, optional
        Called when a node is done, about once a second during a search, and at the end.
    """

    splitter: Splitter[M]
    growth: Growth
    clock: Clock
    price: Price
    progress: Callable[[Progress], None] | None = None
    stopped_by: Literal["time", "interrupt"] | None = field(default=None, init=False)
    n: float = field(default=0.0, init=False)
    weight: float = field(default=0.0, init=False)
    evaluated: int = field(default=0, init=False)
    n_offers: int = field(default=0, init=False)
    n_nodes: int = field(default=0, init=False)
    n_leaves: int = field(default=0, init=False)
    settled: float = field(default=0.0, init=False)
    depth: int = field(default=0, init=False)
    loss: float = field(default=0.0, init=False)
    work: dict[bool, int] = field(default_factory=lambda: {False: 0, True: 0}, init=False)

    @property
    def target(self) -> Target:
        """Labels and weights of all individuals."""
        return self.splitter.target

    def build(self) -> Sequence[Node]:
        """Grow the tree and return its nodes in reading order."""
        root = self._node(self.splitter.root(), 0)
        if self._is_by_work:
            self.loss = self.splitter.loss(root.members)
        self.n, self.weight = self.splitter.size(root.members), self.splitter.weight(root.members)
        self.splitter.tell = None if self.progress is None else self._tell
        is_done = False
        with interruptible(self.clock.stop):
            self._grow(root)
            is_done = True
        if not is_done:
            self._is_over()
        nodes = self.splitter.nodes(root)
        if nodes is None:
            nodes = self._in_reading_order(root)
        self._tell_the_end(nodes)
        return nodes

    # ---- the two orders of dividing ---------------------------------------------------------------------

    def _grow(self, root: GrowingNode[M]) -> None:
        if self.growth.max_leaf_nodes is not None:
            self._best_first(root, self.growth.max_leaf_nodes)
        elif self._is_by_work:
            self._largest_first(root)
        else:
            self._depth_first(root)

    @property
    def _is_by_work(self) -> bool:
        """True if nodes are searched with a share of the work instead of the time."""
        return self.splitter.is_timed and self.growth.patience is not None

    def _largest_first(self, root: GrowingNode[M]) -> None:
        """Divide the node with the largest loss first, because nodes with a small loss may not all be searched."""
        waiting, serial = [(-root.share, 0, root)], 0
        while waiting:
            node = heappop(waiting)[-1]
            if self._offer(node) is not None:
                for child in self._divide(node):
                    serial += 1
                    heappush(waiting, (-child.share, serial, child))

    def _depth_first(self, root: GrowingNode[M]) -> None:
        stack = [root]
        while stack:
            node = stack.pop()
            if node.is_open and self.growth.stop is None and self.splitter.grow_below(node):
                continue
            if self._offer(node) is not None:
                stack += reversed(self._divide(node))
        self.splitter.wait(self._is_over)

    def _best_first(self, root: GrowingNode[M], most: int) -> None:
        offers: list[_Offer[M]] = []
        fresh: Sequence[GrowingNode[M]] = [root]
        n_leaves = 1
        while n_leaves < most:
            for offer in filter(None, map(self._offer, fresh)):
                heappush(offers, offer)
            while offers and n_leaves + offers[0].node.candidate.n_sides - 1 > most:
                heappop(offers)
            if not offers:
                return
            node = heappop(offers).node
            n_leaves += node.candidate.n_sides - 1
            fresh = self._divide(node)
        for node in fresh:
            node.is_open = False  # whatever there is to find

    # ---- one node ---------------------------------------------------------------------------------------

    def _node(self, members: M, depth: int) -> GrowingNode[M]:
        least = max(self.growth.min_samples_split, 2 * self.growth.min_samples_leaf)
        is_large = self.splitter.size(members) >= least - TOLERANCE
        is_open = is_large and depth != self.growth.max_depth and not self.splitter.is_pure(members)
        share = min(1.0, self.splitter.loss(members) / self.loss) if is_open and self.loss else 1.0
        return GrowingNode(members, depth, is_open, share)

    def _offer(self, node: GrowingNode[M]) -> _Offer[M] | None:
        """Return the best split of a node; the node becomes a leaf if there is none."""
        if node.is_open and self._is_spent(node):
            node.proposal = Proposal(None, least=-inf, stopped_by="effort")
        elif node.is_open and (self._is_due(node) or not self._is_over()):
            self._look_at(node, self._seconds_for(node))
            while not node.accepted and node.depth == 0 and self._has_more_time(node):
                # Without a root there is no tree: the time of the levels below is of no other use.
                assert node.proposal is not None
                node.hints = node.proposal.runners_up
                self._look_at(node, max(self.clock.left() / 2, LEAST_SECONDS))
                if not node.proposal.trace:
                    break  # not even half of all the time is enough to begin a search
        if not node.accepted:
            self.n_leaves += 1
            self.n_nodes += 1
            self.settled += self.splitter.size(node.members)
            self._tell()
            return None
        self.n_offers += 1
        share, gains = self._share(node), node.candidate.gains
        return _Offer(node, (share * gains[0], share * gains[1]), self.n_offers)

    def _look_at(self, node: GrowingNode[M], seconds: float) -> None:
        self.depth = node.depth
        clock = self.clock if seconds == inf else self.clock.part(seconds)
        node.proposal = self.splitter.best(node, clock)
        self.evaluated += node.proposal.evaluated
        self.work[node.share < LARGE_SHARE] += node.proposal.work
        if node.proposal.stopped_by == "interrupt":
            self.stopped_by = "interrupt"
        candidate = node.proposal.candidate
        node.accepted = candidate is not None and self._accepts(node, candidate)

    def _accepts(self, node: GrowingNode[M], candidate: Candidate) -> bool:
        """Return whether a split improves the criterion and satisfies all options."""
        if not candidate.improves or not self._decreases_enough(node, candidate.gains[0]):
            return False
        match self.growth.stop:
            case None:
                return True
            case "test":
                return self.target.task.p_value(*self._targets(node)) <= self.growth.significance
            case "mdl":
                task, bits = self.target.task, self.price(candidate.test, self.splitter.rows(node.members))
                precision = task.precision(self.target.values)
                return saves_bits(task, *self._targets(node), for_test=bits, precision=precision)

    def _decreases_enough(self, node: GrowingNode[M], gain: float) -> bool:
        """Return whether the weighted impurity decrease reaches the minimum, up to rounding."""
        least = self.growth.min_impurity_decrease
        if not least:
            return True
        slack = TOLERANCE * self.target.criterion.unit(self.splitter.stats(node.members).sums)
        return self._share(node) * (gain + slack) >= least

    def _targets(self, node: GrowingNode[M]) -> list[NDArray[Any]]:
        return [self.target.values[rows] for rows in self.splitter.sides(node)]

    def _share(self, node: GrowingNode[M]) -> float:
        """Return the weight of a node divided by the total weight."""
        return self.splitter.weight(node.members) / self.weight

    def _divide(self, node: GrowingNode[M]) -> Sequence[GrowingNode[M]]:
        """Turn a node into a branch or a multiway branch."""
        test, hints = node.candidate.test, self._hints_below(node)
        if self.growth.missing != "false" or isinstance(test, SideValues):
            node.shares = self.splitter.shares(node)
        children = [self._node(members, node.depth + 1) for members in self.splitter.divide(node)]
        for side, child in enumerate(children):
            child.known, child.hints = node.known, hints
            if side == 0 and not isinstance(test, SideValues):
                child.known = (test, *node.known)
            if child.is_open and not (self.splitter.is_timed and self.clock.over()):
                child.members = self.splitter.prepare(child.members, node, side)
        node.children = tuple(children)
        self.n_nodes += 1
        self._tell()
        return children

    def _hints_below(self, node: GrowingNode[M]) -> tuple[syn.Predicate, ...]:
        assert node.proposal is not None
        return (*node.proposal.runners_up, *node.hints)[: self.splitter.n_hints]

    # ---- time -------------------------------------------------------------------------------------------

    def _is_spent(self, node: GrowingNode[M]) -> bool:
        """Return whether a node has a small loss, and such nodes have used up their part of the work."""
        patience = self.growth.patience if self.splitter.is_timed else None
        return (
            patience is not None
            and node.share < LARGE_SHARE
            and patience.is_spent(self.work[True], self.work[False], int(self.n))
        )

    def _is_due(self, node: GrowingNode[M]) -> bool:
        """Return whether a node is searched even if the time is up, as the root is unless the fit was interrupted."""
        return node.depth == 0 and self.clock.over() != "interrupt"

    def _is_over(self) -> bool:
        if self.stopped_by is None:
            self.stopped_by = self.clock.over()
        return self.stopped_by is not None

    def _has_more_time(self, node: GrowingNode[M]) -> bool:
        assert node.proposal is not None
        return node.proposal.stopped_by == "time" and self.clock.over() is None

    def _seconds_for(self, node: GrowingNode[M]) -> float:
        if self.clock.seconds is None or not self.splitter.is_timed or self._is_by_work:
            return inf
        share = self.splitter.size(node.members) / (self.n - self.settled)
        return self.clock.left() * share / min(self._n_levels(node), 1 / LEAST_SHARE)

    def _n_levels(self, node: GrowingNode[M]) -> int:
        """Return the number of levels of a subtree whose nodes are all split in halves."""
        halvings = ceil(log2(self.splitter.size(node.members) / self.growth.min_samples_leaf))
        most = halvings if self.growth.max_depth is None else self.growth.max_depth - node.depth
        return max(1, min(halvings, most))

    # ---- progress ---------------------------------------------------------------------------------------

    def _tell(self, stats: SearchStats | None = None, split: Split | None = None) -> None:
        if self.progress is None:
            return
        left, units = self.clock.left(), self.target.units
        progress = Progress(
            self.n_nodes,
            self.n_leaves,
            int(self.settled),
            int(self.n),
            self.evaluated + (0 if stats is None else stats.evaluated),
            self.stopped_by,
            depth=self.depth,
            best=None if split is None else units.square(split.score),
            gap=None if split is None else units.square(split.gap),
            criterion=self.target.criterion.name,
            seconds=self.clock.spent(),
            seconds_left=None if left == inf else max(0.0, left),
        )
        self.progress(progress)

    def _tell_the_end(self, nodes: Sequence[Node]) -> None:
        """Report the finished tree, whose waiting nodes have become leaves."""
        if self.progress is None:
            return
        if isinstance(nodes, NodeArrays):
            n_leaves, evaluated = nodes.n_leaves, nodes.evaluated
        else:
            n_leaves, evaluated = sum(isinstance(node, Leaf) for node in nodes), self.evaluated
        n = round(self.n)
        self.progress(Progress(len(nodes), n_leaves, n, n, evaluated, self.stopped_by))

    # ---- from growing nodes to those of a tree ----------------------------------------------------------

    def _in_reading_order(self, root: GrowingNode[M]) -> tuple[Node, ...]:
        nodes = list(all_nodes(root))
        place = {id(node): index for index, node in enumerate(nodes)}
        return tuple(self._finished(node, tuple(place[id(child)] for child in node.children)) for node in nodes)

    def _finished(self, node: GrowingNode[M], children: tuple[int, ...]) -> Node:
        stats = self.splitter.stats(node.members)
        if not children:
            gap, reason = self._leaf_gap(node)
            return Leaf(stats, gap, reason) if gap else Leaf(stats)
        assert node.proposal is not None
        found = found_by(node.proposal, self.target)
        match node.candidate.test:
            case SideValues(attribute, values):
                return MultiwayBranch(attribute, values, children, stats, found, node.shares)
            case test:
                yes, no = children
                return Branch(test, yes, no, stats, found, node.shares)

    def _leaf_gap(self, node: GrowingNode[M]) -> tuple[float, Unproved | None]:
        """Return an upper bound on the gain of an untried test, and why it was not tried."""
        criterion = self.target.criterion
        if not node.is_open or node.accepted:
            return 0.0, None
        if node.proposal is None:  # all that is known is that it might be divided perfectly
            return room(criterion, self.splitter.stats(node.members)), self.stopped_by
        reason = node.proposal.stopped_by or self.stopped_by
        return gap_of(self.splitter.stats(node.members), self.target, node.proposal.least), reason
