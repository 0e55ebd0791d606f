"""The best conjunctions of listed literals by a measure, with all of the data as bit masks.

If the tests are few and only about attributes of the individuals, the whole space consists of sets of literals, and
the numbers of individuals of each class in a set are intersections of masks. The sets are extended level by level, as
in R. Agrawal and R. Srikant, "Fast algorithms for mining association rules" (1994): two sets that agree in all but
the last literal are joined. A set is extended only if the bound of the measure allows a refinement among the k best.
The measure and its bound are evaluated for many sets at once; they are those of `structtree.tasks.measures`.

Twin: `structtree.search.engine`, which searches any space. ``tests/rules`` compares both with brute force.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

import numpy as np

from structtree.arrays import TOLERANCE, Floats, Ints, Words
from structtree.lang import syntax as syn
from structtree.rules.frequent import Ending, Literals
from structtree.search.clock import Clock
from structtree.search.kernels.masks import joined_counts, packed, shared_counts
from structtree.space.terms import conjoin
from structtree.tasks.measures import Measure

__all__ = ["BestConjunction", "BestConjunctions"]

JOINED = 200_000
"""Number of sets whose measure is computed at once."""


class BestConjunction(NamedTuple):
    """A conjunction, its individuals as a mask, its quality, and whether none outside the k best is better."""

    predicate: syn.Predicate
    inside: Words
    quality: float
    proved: bool


@dataclass(slots=True, eq=False)
class BestConjunctions:
    """The k best conjunctions of literals with different individuals, by a measure of classes.

    Parameters
    ----------
    literals : Literals
        All literals that enough individuals satisfy.
    codes : array of int
        The class of each individual.
    measure : Measure
        Its minimum support is that of a conjunction.
    k : int
    most_conjuncts : int, optional
    room : int, optional
        Maximum size of all literals of a conjunction.
    clock : Clock
    evaluated : int
        Number of conjunctions whose quality was computed.
    gap : float
        Maximum amount by which another conjunction may be better than the last one.
    stopped_by : str
    """

    literals: Literals
    codes: Ints
    measure: Measure
    k: int
    most_conjuncts: int | None
    room: int | None
    clock: Clock = field(default_factory=Clock)
    evaluated: int = 0
    gap: float = 0.0
    stopped_by: Ending = "done"
    _words: Words = field(init=False)
    _classes: Words = field(init=False)
    _total: Floats = field(init=False)
    _least: float = field(init=False)
    _best: dict[bytes, tuple[float, int, tuple[int, ...]]] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        n_classes = int(self.codes.max()) + 1
        self._classes = packed(self.codes == np.arange(n_classes)[:, None])
        self._words = np.array(self.literals.words)
        self._total = np.bincount(self.codes, minlength=n_classes).astype(np.float64)
        self._least = float(self.measure.quality(self._total[None, :], self._total)[0]) + TOLERANCE

    def find(self) -> list[BestConjunction]:
        """Return the best conjunctions, the best first."""
        sets = np.arange(len(self._words), dtype=np.int64)[:, None]
        if len(sets):
            sets, bounds = self._kept(sets, self._counts_of_literals())
            while len(sets) > 1 and self._may_grow(sets.shape[1]):
                sets, bounds = self._extended(sets, bounds)
        ranked = sorted(self._best.items(), key=lambda one: one[1])
        remaining = self._bar() + self.gap if self.gap else -np.inf
        return [
            BestConjunction(self._predicate(chosen), np.frombuffer(words, np.uint64), -loss, -loss >= remaining)
            for words, (loss, _, chosen) in ranked
        ]

    def _may_grow(self, n: int) -> bool:
        has_room = self.room is None or self.room > n
        return self.stopped_by == "done" and has_room and (self.most_conjuncts is None or self.most_conjuncts > n)

    def _counts_of_literals(self) -> Ints:
        every = np.arange(len(self._words))
        return np.stack([shared_counts(own, self._words, every) for own in self._classes], axis=1)

    def _bar(self) -> float:
        """Return the quality that another conjunction has to beat."""
        if len(self._best) < self.k:
            return self._least
        return max(self._least, -max(loss for loss, *_ in self._best.values()))

    # ---- levels -----------------------------------------------------------------------------------------------

    def _extended(self, sets: Ints, bounds: Floats) -> tuple[Ints, Floats]:
        """Return the joins of the sets that may still be extended."""
        ends = _ends(sets)
        parts, kept_bounds = [], []
        for first, last in _pieces(ends):
            over = self.clock.over()
            if over is not None:
                self.stopped_by = over
                self.gap = max(0.0, float(bounds[first:].max()) - self._bar())
                break
            chosen = np.arange(first, last)
            if not (bounds[chosen] >= self._bar()).any():
                continue
            counts = joined_counts(self._words, sets[first:last], ends[first:last] - first, self._classes)
            widths = ends[first:last] - chosen - 1
            one = np.repeat(chosen, widths)
            other = np.arange(len(one)) - np.repeat(np.cumsum(widths) - widths, widths) + one + 1
            joined = np.concatenate([sets[one], sets[other, -1:]], axis=1)
            some, some_bounds = self._kept(joined, counts)
            parts.append(some)
            kept_bounds.append(some_bounds)
        if not parts:
            return sets[:0], bounds[:0]
        found, found_bounds = np.concatenate(parts), np.concatenate(kept_bounds)
        still = found_bounds >= self._bar()
        return found[still], found_bounds[still]

    def _kept(self, sets: Ints, counts: Ints) -> tuple[Ints, Floats]:
        """Evaluate sets, remember the best, and return those whose refinements may be better, with their bounds."""
        sizes = counts.sum(axis=1)
        enough = np.flatnonzero(sizes >= max(1.0, self.measure.support))
        sets, sums = sets[enough], counts[enough].astype(np.float64)
        self.evaluated += len(sets)
        if not len(sets):
            return sets, np.zeros(0)
        quality = self.measure.quality(sums, self._total)
        self._remember(sets, np.where(sizes[enough] < len(self.codes), quality, -np.inf))
        bounds = np.asarray(-self.measure.bound(sums, self._total))
        may_win = bounds >= self._bar() - TOLERANCE
        return sets[may_win], bounds[may_win]

    def _remember(self, sets: Ints, quality: Floats) -> None:
        """Add the best sets with different individuals."""
        bar = self._bar()
        promising = np.flatnonzero(quality >= bar)
        n_new = 0
        for place in promising[np.argsort(-quality[promising], kind="stable")].tolist():
            if n_new >= self.k or (len(self._best) >= self.k and quality[place] <= self._bar()):
                break
            chosen = tuple(sets[place].tolist())
            words = np.bitwise_and.reduce(self._words[list(chosen)]).tobytes()
            if words not in self._best and self._is_in_space(chosen):
                self._best[words] = (-float(quality[place]), len(chosen), chosen)
                n_new += 1
        for worst in sorted(self._best, key=lambda one: self._best[one])[self.k :]:
            del self._best[worst]

    def _is_in_space(self, chosen: tuple[int, ...]) -> bool:
        sizes = self.literals.sizes
        fits = self.room is None or sum(sizes[one] for one in chosen) <= self.room
        return fits and all(self.literals.are_compatible(*pair) for pair in combinations(chosen, 2))

    def _predicate(self, chosen: tuple[int, ...]) -> syn.Predicate:
        return conjoin(tuple(self.literals.predicates[one] for one in chosen))


def _ends(sets: Ints) -> Ints:
    """Return, for each of some sorted sets, the end of the run that agrees with it in all but the last literal.

    Examples
    --------
    >>> _ends(np.array([[0, 1], [0, 2], [1, 2]])).tolist()
    [2, 2, 3]
    """
    changes = np.flatnonzero((sets[1:, :-1] != sets[:-1, :-1]).any(axis=1)) + 1
    stops = np.append(changes, len(sets))
    return np.asarray(np.repeat(stops, np.diff(stops, prepend=0)))


def _pieces(ends: Ints) -> Iterator[tuple[int, int]]:
    """Yield ranges of whole runs with about `JOINED` joins each."""
    first, joins = 0, 0
    start = 0
    while start < len(ends):
        stop = int(ends[start])
        joins += (stop - start) * (stop - start - 1) // 2
        start = stop
        if joins >= JOINED or stop == len(ends):
            yield first, stop
            first, joins = stop, 0
