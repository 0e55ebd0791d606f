"""A splitter of one's own: it asks whether the size is at least the median of the node."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from structtree.data.population import Population
from structtree.lang import syntax as syn
from structtree.learn.plan import Plan
from structtree.splitters.splitter import Candidate, Proposal, RowSplitter


@dataclass(slots=True, eq=False)
class MedianSplitter(RowSplitter):
    """Divide at the median size."""

    population: Population

    def best(self, node, clock):
        rows, criterion = node.members.rows, self.target.criterion
        sizes = self.population.column("size").values[rows]
        above = sizes >= np.median(sizes)
        yes, total = (np.array(self.target.stats(some).counts) for some in (rows[above], rows))
        loss, unsplit = criterion.loss(yes, total)[0], criterion.unsplit(total)
        test, gains = syn.Compare("size", ">=", float(np.median(sizes))), np.maximum(unsplit - loss, 0.0)
        improves = not above.all() and gains[0] > criterion.slack(total)
        return Proposal(Candidate(test, tuple(loss), tuple(gains), improves, division=above), evaluated=1)

    def sides(self, node):
        rows, above = node.members.rows, node.candidate.division
        return [rows[above], rows[~above]]


def median_plan(population, grammar, growth):
    """A plan with this splitter."""
    given = ("median", "sizes are divided, since it is a toy", population, grammar, growth, population.schema)
    return Plan(*given, median_splitter)


def median_splitter(plan, target, growth, clock):
    """Make this splitter."""
    return MedianSplitter(target, plan.population)
