"""The splitter of structured individuals: each node's best test is searched for, by branch and bound.

A node is a population of its own, so that thresholds lie between the values that occur there. Where all that a
grammar asks behind links has been made columns of a table (`structtree.splitters.link_table`), the search combines
those, and its tests are translated back.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from structtree.data.population import Population
from structtree.data.reachable import compact
from structtree.lang import syntax as syn
from structtree.lang.check import CheckedGrammar
from structtree.lang.pretty import pretty
from structtree.models.settings import Growth
from structtree.models.tree import Dearer, Unproved
from structtree.search.best_split import Split, best_split
from structtree.search.clock import Clock
from structtree.space.evaluate import holds
from structtree.space.space import Space
from structtree.splitters.link_table import ColumnSpace
from structtree.splitters.sampling import sampled_space
from structtree.splitters.splitter import Candidate, GrowingNode, NodeMembers, Proposal, RowSplitter, given_up

__all__ = ["SearchSplitter"]


@dataclass(slots=True, eq=False)
class SearchSplitter(RowSplitter):
    """Splitter that searches the space of the grammar at each node.

    Parameters
    ----------
    target : Target
    population : Population
        All individuals.
    grammar : CheckedGrammar
    growth : Growth
    table : ColumnSpace, optional
        The same individuals as a table.
    space : Space, optional
        The space of the grammar on all individuals, for a root that has all of them.
    """

    is_timed: ClassVar[bool] = True
    population: Population
    grammar: CheckedGrammar
    growth: Growth
    table: ColumnSpace | None = None
    space: Space | None = None
    n: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.n_hints = 4
        self.n = int(np.count_nonzero(self.target.weights))

    def root(self) -> NodeMembers:
        """Return all individuals with positive weight."""
        rows = np.flatnonzero(self.target.weights)
        whole = self.population if self.table is None else self.table.population
        if self.space is not None and self.space.population is not None:
            whole = self.space.population  # the same individuals, with only the rows that they reach
        own = whole if len(rows) == len(whole) else whole.take(rows)
        return NodeMembers(rows, population=own)

    def prepare(self, members: NodeMembers, parent: GrowingNode[NodeMembers], side: int) -> NodeMembers:
        """Give an open child its population.

        It shares the tables of the whole, and keeps them alive as long as it waits. The smaller side gets its own,
        so that the tables of all waiting nodes together have at most about twice the rows of the root.
        """
        division: _Division = parent.candidate.division
        whole = division.population
        part = whole.take(division.true if side == 0 else ~division.true)
        return replace(members, population=compact(part) if 2 * len(part) <= len(whole) else part)

    def best(self, node: GrowingNode[NodeMembers], clock: Clock) -> Proposal:
        """Search the space of a node, with its share of the work."""
        growth, members = self.growth, node.members
        assert members.population is not None
        patience = None if growth.patience is None else growth.patience.of(node.share, self.n)
        is_small = patience is not None and patience.is_small
        split = best_split(
            members.population,
            self.target.take(members.rows),
            self._tests_at(node, clock),
            prune=growth.prune,
            strategy="auto" if growth.strategy == "bottom-up" else growth.strategy,
            max_evaluations=growth.max_evaluations,
            clock=clock,
            hints=() if is_small else node.hints,  # scoring them costs as much as the search
            min_samples_leaf=growth.min_samples_leaf,
            random_state=growth.random_state,
            start=node.known if growth.share == "path" else (),
            progress=self.tell,
            effort=patience or "prove",
            cost_tolerance=growth.tolerance,
        )
        return self._proposal(split)

    def _tests_at(self, node: GrowingNode[NodeMembers], clock: Clock) -> CheckedGrammar | Space:
        """Return the search space of a node; that of all individuals is already prepared."""
        population = node.members.population
        assert population is not None
        is_whole = self.space is not None and len(node.members.rows) == len(self.population)
        found = self.space if is_whole else None
        if self.table is not None:
            found = self.table.space_at(population)
        if self.sampler is None:
            return found or self.grammar
        return sampled_space(found or Space.build(self.grammar, compact(population), limit=clock), self.sampler)

    def _proposal(self, split: Split) -> Proposal:
        stats, reason = split.stats, _reason(split)
        least = inf if split.proved else split.loss[0] - split.gap
        if self.table is not None and not self.table.complete:
            reason, least = reason or "listing", -inf  # of what is not in the table nothing is known
        candidate = None if isinstance(split.predicate, syn.Top) else self._candidate(split)
        cost = (stats.evaluated, least, reason, stats.seconds)
        dearer = None if split.best is None or candidate is None else self._dearer(split.best, split.cost, candidate)
        return Proposal(candidate, *cost, split.runners_up, stats.pruned, stats.trace, stats.work, dearer)

    def _dearer(self, best: Split, cost: int, candidate: Candidate) -> Dearer:
        """Return the record of the best split, which lost because of its cost."""
        better = self._candidate(best)
        assert isinstance(better.test, syn.Predicate)
        return Dearer(pretty(better.test), given_up(candidate.gains, better.gains), best.cost, cost)

    def _candidate(self, split: Split) -> Candidate:
        scorer, population = split.problem.scorer, split.problem.space.population
        assert population is not None
        unsplit = scorer.criterion.unsplit(scorer.total)
        gains = np.maximum(unsplit - split.loss, 0.0)
        improves = scorer.improves(split.loss, (unsplit[0], unsplit[1]))
        test = split.predicate if self.table is None else self.table.translated(split.predicate)
        division = _Division(split.predicate, population)
        return Candidate(test, split.loss, (float(gains[0]), float(gains[1])), improves, division=division)

    def sides(self, node: GrowingNode[NodeMembers]) -> list[NDArray[np.int64]]:
        """Return the individuals that satisfy the test, and the others."""
        rows, division = node.members.rows, node.candidate.division
        return [rows[division.true], rows[~division.true]]


@dataclass(frozen=True, eq=False)
class _Division:
    """A test, and the individuals that it splits."""

    test: syn.Predicate
    population: Population

    @cached_property
    def true(self) -> NDArray[np.bool_]:
        """Mask of the individuals that satisfy the test."""
        return holds(self.test, self.population)


def _reason(split: Split) -> Unproved | None:
    """Return why a split is not proved optimal."""
    stopped_by = split.stats.stopped_by
    return None if split.proved or stopped_by == "done" else stopped_by
