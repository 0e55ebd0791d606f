"""A splitter of one's own: it asks whether the size is at least the median of the node."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from structtree.data.columns import Population
from structtree.lang.syntax import Compare
from structtree.learn.plan import Plan
from structtree.learn.splitters import Candidate, NodeMembers, Proposal, Splitter


@dataclass(slots=True, eq=False)
class MedianSplitter(Splitter[NodeMembers]):
    """Divide at the median size."""

    population: Population

    def best(self, node, clock):
        sizes = self.population.column("size").values[node.members.rows]
        middle, target = float(np.median(sizes)), self.target
        above = sizes >= middle
        if above.all():
            return Proposal(None)
        loss, unsplit = self.losses(node.members.rows, above)
        gains = tuple(np.maximum(unsplit - loss, 0.0).tolist())
        improves = bool(loss[0] < unsplit[0] - target.criterion.slack(target.weights))
        return Proposal(Candidate(Compare("size", ">=", middle), tuple(loss), gains, improves, division=above), 1)

    def losses(self, rows, above):
        counts = [self.target.stats(some).counts for some in (rows[above], rows)]
        criterion = self.target.criterion
        return criterion.loss(counts[:1], counts[1])[0], criterion.unsplit(counts[1])

    def sides(self, node):
        rows, above = node.members.rows, node.candidate.division
        return [rows[above], rows[~above]]


def median_plan(population, grammar, growth):
    """A plan with this splitter."""

    def splitter(target, growth, clock):
        return MedianSplitter(target, population)

    return Plan(
        "median", "sizes are divided, since it is a toy", population, grammar, growth, splitter, population.schema
    )
