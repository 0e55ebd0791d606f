"""Results of a search: the split and its cost."""

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

StoppedBy = Literal["done", "effort", "evaluations", "time", "interrupt", "beam"]


class Pass(NamedTuple):
    """Cost of the passes over the rows at one position.

    Parameters
    ----------
    order : {"prove", "find"}
        Whether predicates were expanded in the order of their bounds or of their scores.
    position : str
        The links that lead to the position.
    evaluated : int
    seconds : float
    """

    order: str
    position: str
    evaluated: int
    seconds: float


class TracePoint(NamedTuple):
    """The best score and the bound at one point during a search.

    Parameters
    ----------
    evaluated : int
    seconds : float
    score : float
        The score of the best predicate so far; accuracies rise, impurities and errors fall.
    bound : float
        The best score not ruled out so far; the search ends when it equals the score.
    """

    evaluated: int
    seconds: float
    score: float
    bound: float

    def in_plain_units(self, units: Units) -> TracePoint:
        """Return the point with score and bound in the original units of the target."""
        return self._replace(score=units.square(self.score), bound=units.square(self.bound))


@dataclass(frozen=True, slots=True)
class SearchStats:
    """Cost of a search.

    Parameters
    ----------
    evaluated : int
        Number of times that the loss of a predicate was computed.
    expanded : int
        Predicates whose refinements were generated.
    pruned : int
        Predicates that were not expanded because their bound cannot beat the best found.
    duplicates : int
        Predicates that were not expanded because another one has the same refinements.
    seconds : float
    stopped_by : {"done", "effort", "evaluations", "time", "interrupt", "beam"}
    work : int
        Estimated work, from numbers of evaluations and rows; see `structtree.search.effort`.
    passes : tuple of Pass
        The passes, with their times.
    trace : tuple of TracePoint
        The best score and the bound over the search, at geometrically spaced numbers of evaluations. It starts with
        the score without a split and ends with the result.
    """

    evaluated: int = 0
    expanded: int = 0
    pruned: int = 0
    duplicates: int = 0
    seconds: float = 0.0
    stopped_by: StoppedBy = "done"
    work: int = 0
    passes: tuple[Pass, ...] = ()
    trace: tuple[TracePoint, ...] = field(repr=False, default=())

    def __repr__(self) -> str:
        did = (f"{getattr(self, name):,} {name}" for name in ("evaluated", "expanded", "pruned"))
        end = "done" if self.stopped_by == "done" else f"stopped by {self.stopped_by}"
        return short_repr(self, *did, f"{self.seconds:.3g} s", end)


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """A search problem: the space on its population, the scorer, the minimum samples per branch, and the tolerance.

    The tolerance is the fraction of the best gain that may be given up for a cheaper predicate.
    """

    space: Space
    scorer: Scorer
    least: int
    tolerance: float = 0.0

    def __repr__(self) -> str:
        return short_repr(self, repr(self.space), f"at least {self.least:,} per branch")


@dataclass(frozen=True, slots=True, eq=False)
class Split(Viewed):
    """The best predicate of a search, with its score.

    Parameters
    ----------
    predicate : Predicate
        ``top`` if no predicate gives both branches enough individuals.
    loss : tuple of two floats
        The minimised values, compared in this order; see `structtree.tasks.criteria`. Very large or small targets
        are scaled; see `structtree.tasks.target`.
    score : float
        The reported value of the criterion: an accuracy, impurity or error.
    yes, no : array
        Weighted class counts of the branches; for regression, weight, sum and sum of squares of the centred targets.
    proved : bool
        Whether it is proved that no predicate of the space is better; with a cost tolerance, also that no cheaper one
        is nearly as good as the best.
    gap : float
        Maximum amount by which the first component of the loss could still be improved.
    criterion : str
    stats : SearchStats
    problem : Problem
        The searched problem; used by `structtree.search.why_not`.
    runners_up : tuple of Predicate
        Other good predicates of the search, best first.
    next_best : tuple of Split
        With k > 1, the second best split and so on. No two of them, nor this one, select the same individuals.
    cost : int
        The cost of the predicate: 1 per literal, unless a rewrite of the grammar has a cost.
    best : Split, optional
        With a cost tolerance, the best split, if a cheaper one was preferred to it.
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
    cost: int = field(repr=False, default=0)
    best: Split | None = field(repr=False, default=None)

    def __repr__(self) -> str:
        known = "proved best" if self.proved else f"not proved best (gap at most {self.gap:.3g})"
        return short_repr(self, f"{pretty(self.predicate)} | {self.criterion} {self.score:.4g}", known)

    def __str__(self) -> str:
        return f"{pretty(self.predicate)} ({self.criterion} {self.score:.4g})"

    def in_plain_units(self, units: Units) -> Split:
        """Return the split with scores and weights in the original units of the target."""
        stats = replace(self.stats, trace=tuple(point.in_plain_units(units) for point in self.stats.trace))
        yes, no = self.yes * units.weight, self.no * units.weight
        others = tuple(split.in_plain_units(units) for split in self.next_best)
        best = None if self.best is None else self.best.in_plain_units(units)
        score, gap = units.square(self.score), units.square(self.gap)
        return replace(self, yes=yes, no=no, score=score, gap=gap, stats=stats, next_best=others, best=best)
