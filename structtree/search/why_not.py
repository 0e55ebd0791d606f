"""Explanation of why a search did not return a given predicate, based on bounds and scores.

The predicate is not derivable, was pruned, was outscored, is as good as the winner, or is the winner. A search keeps
no record of the millions of predicates that it pruned; whether one of them was pruned is decided afterwards, from
the bounds of its ancestors.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from structtree.errors import GrammarError, require
from structtree.lang import syntax as syn
from structtree.lang.check import check_predicate
from structtree.lang.parse import parse_predicate
from structtree.lang.pretty import pretty
from structtree.reprs import short_repr
from structtree.search.best_split import Split
from structtree.search.leaders import limit_of
from structtree.search.scorers import Loss, Scorer
from structtree.space.evaluate import Known, rows_where
from structtree.space.obstacle import obstacle
from structtree.space.space import Space
from structtree.space.terms import canonical, n_literals, order

__all__ = ["WhyNot", "why_not"]

Verdict = Literal["not derivable", "pruned", "outscored", "dearer", "equivalent", "winner", "missed"]


@dataclass(frozen=True, slots=True)
class WhyNot:
    """Explanation of why a predicate is not the result of a search.

    Parameters
    ----------
    kind : str
        ``"not derivable"``, ``"pruned"``, ``"outscored"``, ``"equivalent"`` (the same individuals, or the same
        score), ``"dearer"`` (better than the winner, by less than the cost tolerance), ``"winner"``; and ``"missed"``
        if it is better than the result of a search that was stopped.
    sentence : str
    predicate : Predicate or None
        The canonical predicate; None if it is not valid on this data.
    score, best : float or None
        Its score, and the score of the winner.
    ancestor : Predicate or None
        For a pruned predicate, the most general ancestor (or itself) that excludes it.
    bound : float or None
        The best possible score of the refinements of this ancestor.
    nearest : tuple of Predicate
        For a predicate that is not derivable, the nearest literals of the grammar.
    """

    kind: Verdict
    sentence: str
    predicate: syn.Predicate | None = None
    score: float | None = None
    best: float | None = None
    ancestor: syn.Predicate | None = None
    bound: float | None = None
    nearest: tuple[syn.Predicate, ...] = ()

    def __repr__(self) -> str:
        return short_repr(self, self.kind, self.sentence)

    def __str__(self) -> str:
        return self.sentence

    def to_dict(self) -> dict[str, Any]:
        """Return a dict for JSON, with predicates as text."""
        texts = {
            name: None if p is None else pretty(p)
            for name, p in (("predicate", self.predicate), ("ancestor", self.ancestor))
        }
        numbers = {"score": self.score, "best": self.best, "bound": self.bound}
        return {
            "kind": self.kind,
            "sentence": self.sentence,
            **texts,
            **numbers,
            "nearest": [*map(pretty, self.nearest)],
        }


def why_not(split: Split, predicate: syn.Predicate | str) -> WhyNot:
    """Explain why a search did not return a given predicate.

    Parameters
    ----------
    split : Split
        The result of `best_split`.
    predicate : Predicate or str
        The expected predicate.

    Raises
    ------
    GrammarError
        If the text cannot be parsed.

    Examples
    --------
    >>> from structtree import Grammar, best_split, load_dataset
    >>> trains = load_dataset("trains")
    >>> found = best_split(trains.population, trains.target, Grammar.load("trains"))
    >>> print(why_not(found, "exists cars (long)"))
    'exists cars (long)' was outscored: accuracy 0.65, against 0.9 of 'exists cars (closed and not long)'
    >>> why_not(found, "exists cars (wheels >= 2)").kind
    'not derivable'
    """
    require(split, Split, "split", "the result of best_split")
    require(predicate, str | syn.Predicate, "predicate", "a predicate or its text")
    space, problem = split.problem.space, split.problem
    parsed = parse_predicate(predicate) if isinstance(predicate, str) else predicate
    try:
        candidate = canonical(check_predicate(parsed, space.grammar.individual, space.grammar))
    except GrammarError as error:
        return WhyNot("not derivable", f"{pretty(parsed)!r} is not derivable: {error.message}", best=split.score)
    wall = obstacle(space, candidate)
    if wall is not None:
        sentence = f"{pretty(candidate)!r} is not derivable: {wall.sentence}"
        return WhyNot("not derivable", sentence, candidate, best=split.score, nearest=wall.nearest)
    return _Inquiry(split, space, problem.scorer, problem.least).answer(candidate)


@dataclass(frozen=True, slots=True, eq=False)
class _Candidate:
    """A predicate with its individuals, loss and bound."""

    predicate: syn.Predicate
    inside: NDArray[np.bool_]
    loss: Loss
    bound: Loss

    @property
    def size(self) -> int:
        return n_literals(self.predicate)

    @property
    def text(self) -> str:
        return repr(pretty(self.predicate))


@dataclass(frozen=True, slots=True, eq=False)
class _Inquiry:
    split: Split
    space: Space
    scorer: Scorer
    least: int
    known: Known = field(default_factory=dict)

    def answer(self, predicate: syn.Predicate) -> WhyNot:
        candidate, winner = self._look(predicate), self._look(self.split.predicate)
        if candidate.predicate == winner.predicate:
            proved = "proved best" if self.split.proved else "the best found, but not proved best"
            return self._because("winner", candidate, f"is the winner: {self._score_text(candidate.loss)}, {proved}")
        return (
            self._too_small(candidate)
            or self._dearer(candidate, winner)
            or self._as_good(candidate, winner)
            or self._missed(candidate, winner)
            or self._pruned(candidate, winner)
            or self._because("outscored", candidate, f"was outscored: {self._against(candidate.loss, winner)}")
        )

    def _look(self, predicate: syn.Predicate) -> _Candidate:
        population = self.space.population
        assert population is not None
        rows = rows_where(predicate, population, population.schema.individual, self.known)
        inside = rows[population.individuals]
        counts = self.scorer.counts(inside[:, None])
        loss, bound = self.scorer.loss(counts)[0], self.scorer.bound(counts)[0]
        return _Candidate(predicate, inside, (float(loss[0]), float(loss[1])), (float(bound[0]), float(bound[1])))

    # ---- the answers ------------------------------------------------------------------------------------

    def _too_small(self, candidate: _Candidate) -> WhyNot | None:
        n_no = int((~candidate.inside).sum())
        small = [seen for seen in self._lineage(candidate) if seen.inside.sum() < self.least]
        if small:
            top = _most_general(small)
            selected = f"{top.text} selects {_individuals(int(top.inside.sum()))}"
            why = f"was pruned: {selected}, and a branch needs at least {self.least}"
            return self._because("pruned", candidate, why, top)
        least = self.scorer.least_no(self.least)
        if n_no < least:
            why = f"is not a split: the no branch has {_individuals(n_no)}, and a branch needs at least {least}"
            return self._because("pruned", candidate, why, candidate)
        return None

    def _as_good(self, candidate: _Candidate, winner: _Candidate) -> WhyNot | None:
        if (candidate.inside == winner.inside).all():
            same = f"both select the same {_individuals(int(candidate.inside.sum()))}"
            why = f"is equivalent to {winner.text} on this data: {same}"
        elif (candidate.inside == ~winner.inside).all():
            why = f"is the same split as {winner.text} with yes and no swapped"
        elif self.scorer.compare(candidate.loss, winner.loss) == 0:
            why = f"ties with {winner.text}: both have {self._score_text(candidate.loss, winner.loss)}"
        else:
            return None
        return self._because("equivalent", candidate, f"{why}, and {self._tie_break(candidate, winner)}")

    def _tie_break(self, candidate: _Candidate, winner: _Candidate) -> str:
        if self._tolerance and self._cost(winner) != self._cost(candidate):
            return f"the cheaper predicate wins ({self._costs(winner, candidate)})"
        if winner.size < candidate.size:
            return f"the shorter predicate wins a tie ({winner.size} against {candidate.size} literals)"
        if winner.size > candidate.size:
            return "the search found the other predicate first and skipped this one as redundant"
        return "among predicates of equal length, the one generated first wins"

    @property
    def _tolerance(self) -> float:
        return self.split.problem.tolerance

    @property
    def _limit(self) -> Loss:
        """The worst loss of a predicate that may win by its cost; without a tolerance, that of the winner."""
        best = self.split.best or self.split
        first, second = self.scorer.criterion.unsplit(self.scorer.total)
        return limit_of(best.loss, (float(first), float(second)), self._tolerance, self.scorer)

    def _cost(self, candidate: _Candidate) -> int:
        return self.space.cost(candidate.predicate)

    def _costs(self, one: _Candidate, other: _Candidate) -> str:
        return f"cost {self._cost(one)} against {self._cost(other)}"

    def _dearer(self, candidate: _Candidate, winner: _Candidate) -> WhyNot | None:
        """Return the answer for a predicate that is better, but not by enough for its cost."""
        best = self.split.best
        is_better = self.scorer.improves(candidate.loss, winner.loss)
        if best is None or not is_better or self.scorer.improves(candidate.loss, best.loss):
            return None
        nearly = f"{winner.text} is cheaper and within the cost tolerance ({self._tolerance:.4g} of the best gain)"
        why = f"lost because of its cost: {self._against(candidate.loss, winner)}, but {nearly}: "
        return self._because("dearer", candidate, why + self._costs(candidate, winner))

    def _missed(self, candidate: _Candidate, winner: _Candidate) -> WhyNot | None:
        if not self.scorer.improves(candidate.loss, winner.loss):
            return None
        stopped = self.split.stats.stopped_by
        ended = "on other data or options" if stopped == "done" else f"before reaching it (stopped by {stopped})"
        return self._because(
            "missed", candidate, f"is better: {self._against(candidate.loss, winner)}; the search ended {ended}"
        )

    def _pruned(self, candidate: _Candidate, winner: _Candidate) -> WhyNot | None:
        if not self.split.stats.pruned:
            return None
        above = [seen for seen in self._lineage(candidate) if seen is not candidate]
        hopeless = [seen for seen in above if self.scorer.improves(self._limit, seen.bound)]
        if not hopeless:
            return None
        top = _most_general(hopeless)
        best = self._score_text(top.bound, winner.loss)
        why = f"was pruned: refinements of {top.text} have {best} at best, and {winner.text} has "
        own = f"{self._score_text(winner.loss, top.bound)} (this predicate has {self._score_text(candidate.loss)})"
        return self._because("pruned", candidate, why + own, top)

    def _lineage(self, candidate: _Candidate) -> list[_Candidate]:
        """Return the predicate and all its ancestors."""
        seen = {candidate.predicate: candidate}
        queue = deque([candidate.predicate])
        while queue:
            for parent in self.space.parents(queue.popleft()):
                if parent not in seen:
                    seen[parent] = self._look(parent)
                    queue.append(parent)
        return list(seen.values())

    # ---- texts ------------------------------------------------------------------------------------------

    def _because(self, kind: Verdict, candidate: _Candidate, why: str, ancestor: _Candidate | None = None) -> WhyNot:
        bound = None if ancestor is None else self._score(ancestor.bound)
        above = None if ancestor is None else ancestor.predicate
        own = self._score(candidate.loss)
        return WhyNot(kind, f"{candidate.text} {why}", candidate.predicate, own, self.split.score, above, bound)

    def _score(self, loss: Loss) -> float:
        return self.scorer.score(np.array(loss))

    def _against(self, loss: Loss, winner: _Candidate) -> str:
        mine, best = self._score_text(loss, winner.loss), self._score_text(winner.loss, loss)
        short = best if " with " in best else best.rsplit(" ", 1)[-1]
        return f"{mine}, against {short} of {winner.text}"

    def _score_text(self, loss: Loss, other: Loss | None = None) -> str:
        """Return the score with its name as text; for acc*, with the entropy if it breaks a tie."""
        name = self.scorer.name
        if name != "acc*":
            return f"{name} {self._score(loss):.4g}"
        decides = other is not None and abs(loss[0] - other[0]) <= 1e-9 and loss != other
        entropy = f" with entropy {loss[1]:.4g}" if decides else ""
        return f"accuracy {self._score(loss):.4g}{entropy}"


def _most_general(candidates: list[_Candidate]) -> _Candidate:
    """Return the shortest candidate; among equally short ones, the one with the worst bound."""
    return min(candidates, key=lambda seen: (seen.size, (-seen.bound[0], -seen.bound[1]), order(seen.predicate)))


def _individuals(n: int) -> str:
    return f"{n:,} individual{'s' * (n != 1)}"
