"""The splitter of structured individuals: each node's best test is searched for, by branch and bound.

A node is a population of its own, so that thresholds lie between the values that occur there. Where all that a
grammar asks behind links has been made columns of a table (`structtree.learn.linked`), the search combines those, and
its tests are translated back.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from structtree.data.columns import Population
from structtree.data.reach import compact
from structtree.lang.check import CheckedGrammar
from structtree.lang.syntax import Predicate, Top
from structtree.learn.growth import Growth
from structtree.learn.linked import Linked
from structtree.learn.splitters import Candidate, GrowingNode, NodeMembers, Proposal, RowSplitter
from structtree.learn.tree import Unproved
from structtree.search.best_split import Split, Strategy, best_split
from structtree.search.clock import Clock
from structtree.space.evaluate import holds

__all__ = ["SearchSplitter"]


@dataclass(slots=True, eq=False)
class SearchSplitter(RowSplitter):
    """Search the grammar's space anew at each node.

    Parameters
    ----------
    target : Target
    population : Population
        All individuals.
    grammar : CheckedGrammar
    growth : Growth
    table : Linked, optional
        The same individuals as a table.
    """

    is_timed: ClassVar[bool] = True
    population: Population
    grammar: CheckedGrammar
    growth: Growth
    table: Linked | None = None

    def __post_init__(self) -> None:
        self.n_hints = 4

    def root(self) -> NodeMembers:
        """Everybody who has a weight."""
        rows = np.flatnonzero(self.target.weights)
        whole = self.population if self.table is None else self.table.population
        return NodeMembers(rows, population=whole.take(rows))

    def prepare(self, members: NodeMembers, parent: GrowingNode[NodeMembers], side: int) -> NodeMembers:
        """Give an open side its population.

        It shares the tables of the whole, and keeps them alive as long as it waits. The smaller side gets its own,
        so that the tables of all waiting nodes together have at most about twice the rows of the root.
        """
        division: _Division = parent.candidate.division
        whole = division.population
        part = whole.take(division.true if side == 0 else ~division.true)
        return replace(members, population=compact(part) if 2 * len(part) <= len(whole) else part)

    def best(self, node: GrowingNode[NodeMembers], clock: Clock) -> Proposal:
        """Search; what is known of all individuals here may be refined further."""
        growth, members = self.growth, node.members
        assert members.population is not None
        split = best_split(
            members.population,
            self.target.take(members.rows),
            self.grammar if self.table is None else self.table.space_at(members.population),
            prune=growth.prune,
            strategy=_strategy(growth),
            max_evaluations=growth.max_evaluations,
            clock=clock,
            hints=node.hints,
            min_samples_leaf=growth.min_samples_leaf,
            random_state=growth.random_state,
            start=node.known if growth.share == "path" else (),
            progress=self.tell,
        )
        return self._proposal(split)

    def _proposal(self, split: Split) -> Proposal:
        stats, reason = split.stats, _reason(split)
        least = inf if split.proved else split.loss[0] - split.gap
        if self.table is not None and not self.table.complete:
            reason, least = reason or "listing", -inf  # of what is not in the table nothing is known
        candidate = None if isinstance(split.predicate, Top) else self._candidate(split)
        cost = (stats.evaluated, least, reason, stats.seconds)
        return Proposal(candidate, *cost, split.runners_up, stats.pruned, stats.trace)

    def _candidate(self, split: Split) -> Candidate:
        judge, population = split.problem.judge, split.problem.space.population
        assert population is not None
        unsplit = judge.criterion.unsplit(judge.total)
        gains = np.maximum(unsplit - split.loss, 0.0)
        improves = judge.improves(split.loss, (unsplit[0], unsplit[1]))
        test = split.predicate if self.table is None else self.table.translated(split.predicate)
        division = _Division(split.predicate, population)
        return Candidate(test, split.loss, (float(gains[0]), float(gains[1])), improves, division=division)

    def sides(self, node: GrowingNode[NodeMembers]) -> list[NDArray[np.int64]]:
        """Those of whom the test holds, and the others."""
        rows, division = node.members.rows, node.candidate.division
        return [rows[division.true], rows[~division.true]]


@dataclass(frozen=True, eq=False)
class _Division:
    """A test, and the individuals that it divides."""

    test: Predicate
    population: Population

    @cached_property
    def true(self) -> NDArray[np.bool_]:
        """Mask of those of whom it holds."""
        return holds(self.test, self.population)


def _strategy(growth: Growth) -> Strategy:
    """Return the strategy of the search at a node."""
    match growth.strategy:
        case "auto" | "bottom-up":
            return "best-first"
        case other:
            return other


def _reason(split: Split) -> Unproved | None:
    """Return why a split is not proved best."""
    stopped_by = split.stats.stopped_by
    return None if split.proved or stopped_by == "done" else stopped_by
