"""Growing a tree over a plain table as ID3 and C4.5 do: switches, and individuals that go several ways in parts.

The same steps as in `structtree.learn.grow`, but a node is a list of individuals with how much of each is there. Who
is unknown to the division that is chosen (`structtree.learn.dividing`) goes to the heaviest side, or to all of them
in proportion to the weight of those who are known. Sizes are sums of parts: half an individual counts half.

The rules are those of J. R. Quinlan, "Induction of Decision Trees" (1986) and "C4.5: Programs for Machine Learning"
(1993).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from structtree.data.columns import Population
from structtree.data.schema import RecordType
from structtree.interrupts import cut_short
from structtree.learn.dividing import Crowd, Division, Manner, Questions, best_division, questions_of
from structtree.learn.evidence import Evidence, room
from structtree.learn.flat import Flat
from structtree.learn.table import Asked
from structtree.learn.tree import Branch, Found, Leaf, Node, Stats, Switch, Unproved, heaviest
from structtree.search.clock import Clock
from structtree.search.criteria import TOLERANCE, better
from structtree.search.kernels.flat import Limits

__all__ = ["Refuses", "grow_parts"]

Refuses = Callable[[list[NDArray[Any]], int], bool]
"""Whether a division is not to be taken, from the targets on its sides and how many there were to choose from."""


def grow_parts(
    asked: Asked,
    population: Population,
    evidence: Evidence,
    record: RecordType,
    manner: Manner,
    limits: Limits,
    *,
    max_leaf_nodes: int | None = None,
    clock: Clock | None = None,
    refuses: Refuses | None = None,
) -> Flat:
    """Grow a tree over a plain table.

    Parameters
    ----------
    asked : Asked
        From `structtree.learn.table.flat_tests`.
    record : RecordType
        The individuals, with the categories that are known.
    manner : Manner
        How nodes are divided.
    limits : Limits
        When they are not.
    max_leaf_nodes : int, optional
        Divide first where it helps most, up to so many leaves.
    clock : Clock, optional
        When it is over, what is not divided yet stays so.
    refuses : function, optional
        A last word on every division.
    """
    questions = questions_of(asked, population, record, manner)
    grower = _Grower(questions, evidence, manner, limits, clock or Clock(), refuses)
    n = len(population)
    root = grower.knot(np.arange(n), np.ones(n), 0)
    grower.run(root, max_leaf_nodes)
    nodes = _in_reading_order(root)
    n_leaves = sum(isinstance(node, Leaf) for node in nodes)
    return Flat(nodes, len(nodes), n_leaves, grower.tried, grower.stopped_by)


@dataclass(slots=True, eq=False)
class _Knot:
    """A node of the growing tree; a leaf as long as it has no fork."""

    rows: NDArray[np.int64]
    parts: NDArray[np.float64]
    depth: int
    stats: Stats
    fork: _Fork | None = None
    gap: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class _Fork:
    """What makes a knot a branch or a switch."""

    division: Division
    found: Found
    shares: tuple[float, ...]
    sides: tuple[_Knot, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Offer:
    """A division that may be made, and what it does for the whole tree; the one that does most is the least."""

    knot: _Knot
    crowd: Crowd
    division: Division
    found: Found
    decrease: tuple[float, float]
    serial: int

    def __lt__(self, other: _Offer) -> bool:
        return (other.decrease, self.serial) < (self.decrease, other.serial)


@dataclass(slots=True, eq=False)
class _Grower:
    questions: Questions
    evidence: Evidence
    manner: Manner
    limits: Limits
    clock: Clock
    refuses: Refuses | None
    stopped_by: Literal["time", "interrupt"] | None = None
    tried: int = 0
    n_offers: int = 0
    weight: float = field(init=False)

    def __post_init__(self) -> None:
        self.weight = float(self.evidence.weights.sum())

    def knot(self, rows: NDArray[np.int64], parts: NDArray[np.float64], depth: int) -> _Knot:
        """A node that is a leaf so far."""
        return _Knot(rows, parts, depth, self.evidence.stats(rows, parts))

    def run(self, root: _Knot, max_leaf_nodes: int | None) -> None:
        with cut_short(self.clock.stop):
            if max_leaf_nodes is None:
                self._depth_first(root)
            else:
                self._best_first(root, max_leaf_nodes)
            return
        self._is_over()

    def _depth_first(self, root: _Knot) -> None:
        stack = [root]
        while stack:
            offer = self._offer(stack.pop())
            if offer is not None:
                stack += reversed(self._divide(offer))

    def _best_first(self, root: _Knot, most: int) -> None:
        offers: list[_Offer] = []
        fresh, n_leaves = [root], 1
        while True:
            for offer in filter(None, map(self._offer, fresh)):
                heappush(offers, offer)
            while offers and n_leaves + offers[0].division.n_sides - 1 > most:
                heappop(offers)
            if not offers:
                return
            n_leaves += offers[0].division.n_sides - 1
            fresh = self._divide(heappop(offers))

    def _is_open(self, knot: _Knot) -> bool:
        least = max(self.limits.split, 2 * self.limits.leaf)
        if float(knot.parts.sum()) < least - TOLERANCE or knot.depth == self.limits.depth:
            return False
        return not self.evidence.is_pure(knot.rows)

    def _is_over(self) -> bool:
        if self.stopped_by is None:
            self.stopped_by = self.clock.over()
        return self.stopped_by is not None

    def _offer(self, knot: _Knot) -> _Offer | None:
        """The best division of a node, if there is one to take."""
        if not self._is_open(knot) or self._is_over():
            return None
        crowd, criterion = Crowd(knot.rows, knot.parts, self.evidence), self.evidence.criterion
        division, proved = best_division(self.questions, crowd, criterion, self.manner)
        knot.gap = 0.0 if proved else room(criterion, knot.stats)
        if division is None:
            return None
        self.tried += division.tried
        self.n_offers += 1
        unsplit = criterion.unsplit(crowd.total)
        gains = np.maximum(unsplit - division.loss, 0.0)
        share = float(crowd.weights(crowd.total)) / self.weight
        is_better = better(division.loss, unsplit, criterion.slack(crowd.total))
        if not is_better or share * gains[0] + TOLERANCE < self.limits.decrease or self._is_refused(crowd, division):
            return None
        score = criterion.score(float(division.loss[0]))
        gap = 0.0 if proved else criterion.room(score)
        reason: Unproved | None = None if proved else "sets"
        found = Found(criterion.name, score, float(gains[0]), proved, gap, division.tried, 0.0, reason)
        return _Offer(knot, crowd, division, found, (share * float(gains[0]), share * float(gains[1])), self.n_offers)

    def _is_refused(self, crowd: Crowd, division: Division) -> bool:
        if self.refuses is None:
            return False
        target, places = self.evidence.target[crowd.rows], division.places
        return self.refuses([target[places == place] for place in range(division.n_sides)], division.offered)

    def _divide(self, offer: _Offer) -> list[_Knot]:
        """Make a leaf a branch or a switch."""
        knot, division = offer.knot, offer.division
        weights = offer.crowd.weights(offer.crowd.adds)
        known = [float(weights[division.places == place].sum()) for place in range(division.n_sides)]
        shares = tuple(weight / sum(known) for weight in known)
        sides = [self._side(knot, division.places, place, shares) for place in range(division.n_sides)]
        needless = division.test is not None and self.manner.missing == "false"
        knot.fork = _Fork(division, offer.found, () if needless else shares, tuple(sides))
        return sides

    def _side(self, knot: _Knot, places: NDArray[np.int64], place: int, shares: tuple[float, ...]) -> _Knot:
        """Those who are on a side, and of those whose side is unknown a share of each, or all or nobody."""
        here, unknown, parts = places == place, places < 0, knot.parts
        if self.manner.missing == "fractional":
            here, parts = here | unknown, np.where(unknown, shares[place] * parts, parts)
        elif place == heaviest(shares):
            here = here | unknown
        return self.knot(knot.rows[here], parts[here], knot.depth + 1)


def _in_reading_order(root: _Knot) -> tuple[Node, ...]:
    knots: list[_Knot] = []
    stack = [root]
    while stack:
        knot = stack.pop()
        knots.append(knot)
        if knot.fork is not None:
            stack += reversed(knot.fork.sides)
    place = {id(knot): index for index, knot in enumerate(knots)}
    return tuple(_node(knot, place) for knot in knots)


def _node(knot: _Knot, place: Mapping[int, int]) -> Node:
    if knot.fork is None:
        return Leaf(knot.stats, knot.gap, "sets") if knot.gap else Leaf(knot.stats)
    fork, division = knot.fork, knot.fork.division
    children = tuple(place[id(side)] for side in fork.sides)
    if division.test is None:
        return Switch(division.attribute, division.values, children, knot.stats, fork.found, fork.shares)
    yes, no = children
    return Branch(division.test, yes, no, knot.stats, fork.found, fork.shares)
