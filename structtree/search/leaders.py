"""The best predicates of a search so far, and the rule that tells which others may still become its result.

With a tolerance, the result is the cheapest predicate whose loss is nearly the best: worse by at most a fraction of
what the best gains. Which one that is depends on the best loss, which is known at the end only. So the *leaders* are
all predicates that may still be chosen: those within the limit, of which none is both as cheap and as good as
another. Without a tolerance that is a single one, the best, of equally good ones the cheapest.

A search for the k best predicates keeps k that select different individuals; others have to beat the last of them.

Claim: a predicate that `is_hopeless` has no refinement that becomes the result. Why: the limit falls with the best
loss; a refinement has at least the loss of the bound and at least the cost of its parent, so that a leader which is
as good and as cheap is chosen before it, whatever the best loss will be. Tight when the bound is the loss of a
refinement. `tests/search/test_costs.py` compares with all predicates of small spaces.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from structtree.arrays import Floats, Ints, Mask
from structtree.search.scorers import Loss, Scorer
from structtree.space.space import Position
from structtree.tasks.criteria import better, cannot_beat

__all__ = ["Best", "Leaders", "limit_of"]


@dataclass(frozen=True, slots=True, eq=False)
class Best:
    """One of the best predicates so far; ties go to the cheaper one, then to the one generated first.

    The cost is the number of literals if a search has no tolerance. If it keeps several predicates, `meaning` encodes
    the individuals that satisfy it.
    """

    loss: Loss
    cost: int
    key: tuple[int, ...]
    position: Position
    meaning: bytes = b""


def limit_of(best: Loss, unsplit: Loss, tolerance: float, scorer: Scorer) -> Loss:
    """Return the worst loss that is nearly the best: it gains all but a fraction of what the best gains.

    Examples
    --------
    >>> from structtree.search.scorers import scorer_for
    >>> scorer = scorer_for("entropy", np.array(["no", "yes"]), 2)
    >>> limit_of((0.5, 0.0), (1.0, 0.0), 0.1, scorer), limit_of((0.5, 0.0), (1.0, 0.0), 0.0, scorer)
    ((0.55, 0.0), (0.5, 0.0))
    """
    if not tolerance or scorer.compare(best, unsplit) >= 0:
        return best
    first, second = (b + tolerance * max(0.0, u - b) for b, u in zip(best, unsplit, strict=True))
    return first, second


@dataclass(slots=True, eq=False)
class Leaders:
    """The best predicates so far, the best first.

    Parameters
    ----------
    scorer : Scorer
    k : int
        Number of predicates to keep; 1 with a tolerance.
    tolerance : float
        Fraction of the best gain that may be given up for a lower cost.
    """

    scorer: Scorer
    k: int = 1
    tolerance: float = 0.0
    found: list[Best] = field(default_factory=list, init=False)
    limit: Loss | None = field(default=None, init=False)
    _unsplit: Loss = field(init=False)
    _is_final: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        first, second = self.scorer.criterion.unsplit(self.scorer.total)
        self._unsplit = float(first), float(second)

    @property
    def best(self) -> Best | None:
        """The predicate with the smallest loss."""
        return self.found[0] if self.found else None

    @property
    def choice(self) -> Best | None:
        """The result so far: the cheapest predicate within the tolerance."""
        return self.found[-1] if self.tolerance and self.found else self.best

    @property
    def is_full(self) -> bool:
        """True if there are as many predicates as wanted."""
        return len(self.found) >= self.k

    @property
    def _rivals(self) -> Sequence[Best]:
        """The predicates that any other has to beat in loss or in cost."""
        return self.found[-1:] if self.k > 1 or not self.tolerance else self.found

    def settle(self, bound: Loss) -> None:
        """Learn that no other predicate has a loss below this bound; the limit may then be final."""
        if self.tolerance and self.found and self.scorer.compare(bound, self.found[0].loss) >= 0:
            self._is_final = True

    # ---- what may become the result ---------------------------------------------------------------------

    def may_lead(self, loss: Loss, cost: int) -> bool:
        """Return whether a predicate may be among the best; if it ties, the order of generation decides."""
        if self.limit is None:
            return True
        if self.scorer.improves(self.limit, loss):
            return False
        return not any(self._is_behind(loss, cost, rival) for rival in self._rivals)

    def _is_behind(self, loss: Loss, cost: int, rival: Best) -> bool:
        """Return whether a rival is better and as cheap, or as good and cheaper."""
        order = self.scorer.compare(loss, rival.loss)
        return (cost > rival.cost and order >= 0) or (cost == rival.cost and order > 0)

    def is_hopeless(self, bound: Loss, cost: int) -> bool:
        """Return whether no predicate of at least this cost, and with a loss of at least this bound, may lead."""
        if self.limit is None:
            return False
        return not self.may_lead(bound, cost) or (self._is_final and cost > self.found[-1].cost)

    def hopeful(self, bounds: Floats, costs: Ints) -> Mask:
        """Return a mask of the bounds and costs that are not hopeless; see `is_hopeless`."""
        if self.limit is None:
            return np.ones(len(bounds), dtype=np.bool_)
        slack = self.scorer.slack
        found = ~cannot_beat(bounds, self.limit, slack)
        for rival in self._rivals:
            found &= (costs <= rival.cost) | better(bounds, rival.loss, slack)
            if rival.loss != self.limit:
                found &= (costs != rival.cost) | ~cannot_beat(bounds, rival.loss, slack)
        return found & (costs <= self.found[-1].cost) if self._is_final else found

    # ---- another predicate ------------------------------------------------------------------------------

    def admits(self, new: Best) -> bool:
        """Return whether a predicate leads, apart from its meaning."""
        if self.tolerance:
            return self.may_lead(new.loss, new.cost) and not any(self._is_ahead(old, new) for old in self.found)
        return not self.is_full or self._precedes(new, self.found[-1])

    def add(self, new: Best) -> bool:
        """Add an admitted predicate in place of those behind it; return whether that is an improvement.

        If several are kept, it replaces the one that selects the same individuals.
        """
        bar = self.found[0] if self.tolerance and self.found else self.found[-1] if self.is_full else None
        if self.tolerance:
            self._add_in_front(new)
        elif not self._add_in_order(new):
            return False
        return bar is None or self.scorer.compare(new.loss, bar.loss) < 0

    def _add_in_order(self, new: Best) -> bool:
        alike = next((other for other in self.found if self.k > 1 and other.meaning == new.meaning), None)
        if alike is not None:
            if not self._precedes(new, alike):
                return False
            self.found.remove(alike)
        before = [other for other in self.found if not self._precedes(new, other)]
        self.found = [*before, new, *(other for other in self.found if other not in before)][: self.k]
        self.limit = self.found[-1].loss if self.is_full else None
        return True

    def _add_in_front(self, new: Best) -> None:
        rest = [old for old in self.found if not self._is_ahead(new, old)]
        found = sorted([*rest, new], key=lambda one: one.loss)
        limit = limit_of(found[0].loss, self._unsplit, self.tolerance, self.scorer)
        self.found, self.limit = [one for one in found if not self.scorer.improves(limit, one.loss)], limit

    def _precedes(self, one: Best, other: Best) -> bool:
        order = self.scorer.compare(one.loss, other.loss)
        return order < 0 or (order == 0 and (one.cost, one.key) < (other.cost, other.key))

    def _is_ahead(self, one: Best, other: Best) -> bool:
        """Return whether a predicate is as good and as cheap as another; if they tie, whether it comes first."""
        order = self.scorer.compare(one.loss, other.loss)
        return order <= 0 and (one.cost, order, one.key) < (other.cost, 0, other.key)
