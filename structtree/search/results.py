"""Results of a search: the split, and what it cost."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from structtree.arrays import Floats
from structtree.lang import syntax as syn
from structtree.lang.pretty import pretty
from structtree.reprs import Viewed, short_repr
from structtree.search.scorers import Loss, Scorer
from structtree.space.space import Space
from structtree.tasks.statistics import Units

__all__ = ["Pass", "Problem", "SearchStats", "Split", "StoppedBy", "TracePoint"]

StoppedBy = Literal["done", "evaluations", "time", "interrupt", "beam"]


class Pass(NamedTuple):
    """Cost of the passes over the rows at one position, to prove or to find.

    Parameters
    ----------
    order : {"prove", "find"}
        By which bound, or by which score, predicates were chosen to go on from.
    position : str
        The links that lead there.
    evaluated : int
    seconds : float
    """

    order: str
    position: str
    evaluated: int
    seconds: float


class TracePoint(NamedTuple):
    """The best found at some moment of a search, and what nothing in the space can beat as far as was known then.

    Parameters
    ----------
    evaluated : int
    seconds : float
    score : float
        Of the best found, as the criterion quotes it: accuracies rise, impurities and errors fall.
    bound : float
        The best score that was not ruled out; the search ends when it meets the score of the best found.
    """

    evaluated: int
    seconds: float
    score: float
    bound: float

    def in_plain_units(self, units: Units) -> TracePoint:
        """Return it with all figures as they are, where the numbers of a target were counted in some units."""
        return self._replace(score=units.square(self.score), bound=units.square(self.bound))


@dataclass(frozen=True, slots=True)
class SearchStats:
    """Cost of a search.

    Parameters
    ----------
    evaluated : int
        Predicates whose score was computed.
    expanded : int
        Predicates whose refinements were generated.
    pruned : int
        Predicates that were not expanded because their bound cannot beat the best found.
    duplicates : int
        Predicates that were not expanded because another one has the same refinements.
    seconds : float
    stopped_by : {"done", "evaluations", "time", "interrupt", "beam"}
    passes : tuple of Pass
        Where the time went.
    trace : tuple of TracePoint
        How the best found and the bound met, at numbers of evaluations that grow by a factor. It begins with the
        score of no split, and ends with the result.
    """

    evaluated: int = 0
    expanded: int = 0
    pruned: int = 0
    duplicates: int = 0
    seconds: float = 0.0
    stopped_by: StoppedBy = "done"
    passes: tuple[Pass, ...] = ()
    trace: tuple[TracePoint, ...] = field(repr=False, default=())

    def __repr__(self) -> str:
        did = (f"{getattr(self, name):,} {name}" for name in ("evaluated", "expanded", "pruned"))
        end = "done" if self.stopped_by == "done" else f"stopped by {self.stopped_by}"
        return short_repr(self, *did, f"{self.seconds:.3g} s", end)


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """Problem that was searched: the space on the population that was split, the scorer, and the fewest on a side."""

    space: Space
    scorer: Scorer
    least: int

    def __repr__(self) -> str:
        return short_repr(self, repr(self.space), f"at least {self.least:,} on each side")


@dataclass(frozen=True, slots=True, eq=False)
class Split(Viewed):
    """The best predicate found, and how good it is.

    Parameters
    ----------
    predicate : Predicate
        ``top`` when no predicate leaves enough on both sides.
    loss : tuple of two floats
        What the criterion makes least, compared in this order; see `structtree.tasks.criteria`. For numbers of
        extreme size in other units than theirs; see `structtree.tasks.target`.
    score : float
        The criterion's value as people quote it: accuracy for the accuracies, else the impurity or error.
    yes, no : array
        Weighted class counts on both sides; for numbers weight, sum and sum of squares of the centred targets.
    proved : bool
        Whether no predicate of the space is better.
    gap : float
        How much less than this, in the first component of the loss, something unseen might still have.
    criterion : str
    stats : SearchStats
    problem : Problem
        What was asked, for questions afterwards; see `structtree.search.why_not`.
    runners_up : tuple of Predicate
        Others that were good on the way, the better ones first.
    next_best : tuple of Split
        The second best predicate and so on, where several were asked for. No two of them, nor this one, are satisfied
        by the same individuals.
    """

    predicate: syn.Predicate
    loss: Loss
    score: float
    yes: Floats
    no: Floats
    proved: bool
    gap: float
    criterion: str
    stats: SearchStats
    problem: Problem = field(repr=False)
    runners_up: tuple[syn.Predicate, ...] = field(repr=False, default=())
    next_best: tuple[Split, ...] = field(repr=False, default=())

    def __repr__(self) -> str:
        known = "proved best" if self.proved else f"not proved best (gap at most {self.gap:.3g})"
        return short_repr(self, f"{pretty(self.predicate)} | {self.criterion} {self.score:.4g}", known)

    def __str__(self) -> str:
        return f"{pretty(self.predicate)} ({self.criterion} {self.score:.4g})"

    def in_plain_units(self, units: Units) -> Split:
        """Return it with scores and weights as people quote them, not in the units of the target."""
        stats = replace(self.stats, trace=tuple(point.in_plain_units(units) for point in self.stats.trace))
        yes, no = self.yes * units.weight, self.no * units.weight
        others = tuple(split.in_plain_units(units) for split in self.next_best)
        score, gap = units.square(self.score), units.square(self.gap)
        return replace(self, yes=yes, no=no, score=score, gap=gap, stats=stats, next_best=others)
