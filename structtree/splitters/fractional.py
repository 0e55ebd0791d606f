"""Splitter of plain tables as in ID3 and C4.5: multiway splits, and individuals divided among branches.

A node is a list of individuals with how much of each is there. Who is unknown to the division that is chosen
(`structtree.splitters.multiway`) goes to the heaviest side, or to all of them in proportion to the weight of those
who are known. Sizes are sums of parts: half an individual counts half.

The rules are those of J. R. Quinlan, "Induction of Decision Trees" (1986) and "C4.5: Programs for Machine Learning"
(1993).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from structtree.models.settings import Growth
from structtree.models.tree import heaviest
from structtree.search.clock import Clock
from structtree.splitters.multiway import Division, NodeSample, best_division
from structtree.splitters.sampling import sampled_tests
from structtree.splitters.splitter import Candidate, GrowingNode, NodeMembers, Proposal, RowSplitter
from structtree.splitters.table import ListedColumns, on_tests
from structtree.tasks.criteria import better

__all__ = ["FractionalSplitter"]


@dataclass(slots=True, eq=False)
class FractionalSplitter(RowSplitter):
    """Splitter that tries every multiway or fractional split of a plain table.

    Parameters
    ----------
    target : Target
    columns : TestColumns
        From `structtree.splitters.multiway.columns_to_divide`.
    growth : Growth
    """

    columns: ListedColumns
    growth: Growth

    def root(self) -> NodeMembers:
        """Return all individuals with positive weight, each with fraction 1."""
        rows = np.flatnonzero(self.target.weights)
        return NodeMembers(rows, np.ones(len(rows)))

    def best(self, node: GrowingNode[NodeMembers], clock: Clock) -> Proposal:
        """Evaluate all splits of a node and return the best."""
        sample, criterion = self._sample(node), self.target.criterion
        tests = sampled_tests(self.columns, self.sampler)
        division, proved = best_division(on_tests(self.columns, tests), sample, criterion, self.growth)
        least = inf if proved else -inf
        if division is None:
            return Proposal(None, 0, least, "sets")
        unsplit, loss = criterion.unsplit(sample.total), division.loss
        gains = np.maximum(unsplit - loss, 0.0).tolist()
        improves = bool(better(loss, unsplit, criterion.slack(sample.total)))
        candidate = Candidate(division.test, tuple(loss.tolist()), tuple(gains), improves, division.n_sides, division)
        return Proposal(candidate, division.tried, least, "sets")

    def _sample(self, node: GrowingNode[NodeMembers]) -> NodeSample:
        assert node.members.parts is not None
        return NodeSample(node.members.rows, node.members.parts, self.target)

    def sides(self, node: GrowingNode[NodeMembers]) -> list[NDArray[np.int64]]:
        """Return the individuals in each branch, without those whose branch is unknown."""
        division: Division = node.candidate.division
        return [node.members.rows[division.places == place] for place in range(division.n_sides)]

    def shares(self, node: GrowingNode[NodeMembers]) -> tuple[float, ...]:
        """Return the share of each branch in the total weight of individuals whose branch is known."""
        sample, division = self._sample(node), node.candidate.division
        weights = sample.weights(sample.adds)
        known = [float(weights[division.places == place].sum()) for place in range(division.n_sides)]
        return tuple(weight / sum(known) for weight in known)

    def divide(self, node: GrowingNode[NodeMembers]) -> list[NodeMembers]:
        """Split the individuals; those whose branch is unknown are divided or follow the majority."""
        places = node.candidate.division.places
        shares = node.shares or self.shares(node)
        return [self._side(node.members, places, place, shares) for place in range(len(shares))]

    def _side(
        self, members: NodeMembers, places: NDArray[np.int64], place: int, shares: tuple[float, ...]
    ) -> NodeMembers:
        here, unknown, parts = places == place, places < 0, members.parts
        assert parts is not None
        if self.growth.missing == "fractional":
            here, parts = here | unknown, np.where(unknown, shares[place] * parts, parts)
        elif place == heaviest(shares):
            here = here | unknown
        return NodeMembers(members.rows[here], parts[here])
