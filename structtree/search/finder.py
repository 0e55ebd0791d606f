"""Heuristic search for good predicates: a beam search guided by impurity, and local improvement of its results.

Near the root of a space, bounds form a plateau: a predicate that keeps nearly all individuals may still be refined
into a perfect one. A search that proves optimality has to explore it; a heuristic does not. The beam adds one literal
at a time, from whole families at all positions, by a guide that has a slope where accuracy is flat. The polish then
changes, adds or drops one literal at a time until there is no improvement. `structtree.search.engine` decides
whether a result is optimal. Both are generators that yield after each step, so that they can alternate with it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from heapq import nsmallest
from math import inf
from typing import NamedTuple

from structtree.lang import syntax as syn
from structtree.search.combined import Combined
from structtree.search.queries import Query
from structtree.search.scorers import Loss
from structtree.search.sweeps import QueryCandidate, Sweeps

__all__ = ["Finder"]

MOST_ALIKE = 3
"""Maximum number of queries per level with the same guide; most of them select the same individuals."""

KEPT_REFINEMENTS = 40
"""Number of refinements of a query that are cached, the best by the guide."""

NEWEST = 3
"""Number of the best queries that are polished after a beam."""


class ScoredQuery(NamedTuple):
    """A scored query: its loss, its size and the query itself."""

    loss: Loss
    size: int
    query: Query


@dataclass(slots=True, eq=False)
class Finder:
    """Beam search and local improvement of queries, with a cache of refinements.

    Parameters
    ----------
    sweeps : Sweeps
    take : function from (Predicate, Loss) to bool
        Called with each candidate for the best result; returns whether it is in the space.
    """

    sweeps: Sweeps
    take: Callable[[syn.Predicate, Loss], bool]
    best: ScoredQuery | None = None
    combined: Combined = field(init=False)
    _found: list[ScoredQuery] = field(default_factory=list)
    _polished: set[Query] = field(default_factory=set)
    _seen: dict[tuple[Query, bool], list[QueryCandidate]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.combined = Combined(self.sweeps)

    def newest(self) -> list[syn.Predicate]:
        """Return the latest of the best predicates that were not returned before, best first."""
        found, self._found = self._found[-NEWEST:], []
        return [self.sweeps.words.predicate(one.query) for one in reversed(found)]

    def beam(self, width: int, *, counting: bool) -> Iterator[None]:
        """Run the beam search: at each level, refine the queries that the guide ranks best."""
        level = [Query(self.sweeps.space.grammar.individual)]
        passed = set(level)
        while level:
            candidates: list[QueryCandidate] = []
            for query in level:
                candidates += self._refinements(query, counting)
                yield
            self._note(candidates)
            level = self._chosen(candidates, width, passed)
            passed.update(level)

    def polish(self, start: Query | None, *, counting: bool) -> Iterator[None]:
        """Improve a query by changing, adding or dropping one literal at a time."""
        if start is None:
            return
        here = self._judged(start)
        self._consider(here)
        while here.query not in self._polished:
            self._polished.add(here.query)
            best = here
            for base in (here.query, *here.query.dropped()):
                candidates = self._refinements(base, counting)
                for found in (self._judged(base), *map(self._made, self._better(candidates, best))):
                    if self._improves(found, best) and self._is_member(found):
                        best = found
                        self._consider(found)
                yield
            here = best

    def _judged(self, query: Query) -> ScoredQuery:
        return ScoredQuery(self.sweeps.judged(query)[1], self.sweeps.words.size(query), query)

    def _made(self, candidate: QueryCandidate) -> ScoredQuery:
        return ScoredQuery(candidate.loss, candidate.size, self.sweeps.made(candidate))

    def _is_member(self, found: ScoredQuery) -> bool:
        return self.sweeps.words.predicate(found.query) in self.sweeps.space

    def _better(self, candidates: Iterable[QueryCandidate], than: ScoredQuery | None) -> list[QueryCandidate]:
        """Return the candidates that are better than a query, the best first."""
        good = [c for c in candidates if than is None or self._improves(ScoredQuery(c.loss, c.size, c.query), than)]
        return sorted(good, key=lambda candidate: (candidate.loss, candidate.size))

    def _refinements(self, query: Query, counting: bool) -> list[QueryCandidate]:
        key = (query, counting)
        if key not in self._seen:
            more = self.combined.picks(query)
            self._seen[key] = self.sweeps.refinements(query, counting=counting, most=KEPT_REFINEMENTS, more=more)
        return self._seen[key]

    def _note(self, candidates: list[QueryCandidate]) -> None:
        """Record the best of some candidates if it improves on the best result so far."""
        for candidate in self._better(candidates, self.best):
            if self._consider(self._made(candidate)):
                return

    def _consider(self, found: ScoredQuery) -> bool:
        if found.loss[0] == inf or (self.best is not None and not self._improves(found, self.best)):
            return False
        if not self.take(self.sweeps.words.predicate(found.query), found.loss):
            return False
        self.best = found
        self._found.append(found)
        return True

    def _improves(self, found: ScoredQuery, than: ScoredQuery) -> bool:
        if found.loss[0] == inf or than.loss[0] == inf:
            return found.loss[0] < than.loss[0]
        order = self.sweeps.scorer.compare(found.loss, than.loss)
        return order < 0 or (order == 0 and found.size < than.size)

    def _chosen(self, candidates: list[QueryCandidate], width: int, passed: set[Query]) -> list[Query]:
        """Return the new queries that the guide ranks best, with at most a few of the same rank."""
        chosen: dict[Query, None] = {}
        alike: Counter[float] = Counter()
        for candidate in nsmallest(4 * width, candidates, key=lambda candidate: (candidate.guide, candidate.size)):
            if alike[candidate.guide] < MOST_ALIKE:
                query = self.sweeps.made(candidate)
                if query not in chosen and query not in passed:
                    chosen[query] = None
                    alike[candidate.guide] += 1
            if len(chosen) == width:
                break
        return list(chosen)
