"""The best predicate of a space: best-first branch and bound, whole families at a time.

The frontier holds predicates by their bound. The one with the best bound is expanded: every family at every position
is evaluated in one pass, what may still beat the best found goes to the frontier, and as soon as no bound there beats
it, it is proved best. Two siblings that leave the same rows at their position have the same refinements, and one that
leaves all rows of its parent has none that its parent has not: only one of them is expanded.

Law: with and without pruning the score is the same. Ties go to the shorter predicate, then to the one that is
generated first.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from structtree.data.columns import Population
from structtree.data.reach import compact
from structtree.errors import DataError, UsageError
from structtree.lang.grammar import Grammar
from structtree.lang.pretty import pretty
from structtree.lang.syntax import Predicate
from structtree.search.boards import Board, boards_of
from structtree.search.judges import Judge, Loss, judge_for
from structtree.search.kernels import coded_counts, ranked_counts
from structtree.search.pairs import Pairs, existential, pairs_at
from structtree.space.evaluate import Known, rows_where
from structtree.space.families import TestFamily
from structtree.space.space import Opening, Path, Position, Space
from structtree.space.terms import n_literals

__all__ = ["SearchStats", "Split", "best_split"]

Strategy = Literal["best-first", "exhaustive", "beam"]
StoppedBy = Literal["done", "evaluations", "time", "interrupt", "beam"]
# Answers of predicates that are kept for later ones, in bytes.
REMEMBERED = 200_000_000
# A batch of members times labels is cut into pieces of about this many numbers.
PIECE = 8_000_000


@dataclass(frozen=True, slots=True)
class SearchStats:
    """What a search cost.

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
    """

    evaluated: int = 0
    expanded: int = 0
    pruned: int = 0
    duplicates: int = 0
    seconds: float = 0.0
    stopped_by: StoppedBy = "done"


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """The best predicate found, and how good it is.

    Parameters
    ----------
    predicate : Predicate
    loss : tuple of two floats
        What the criterion makes least, compared in this order; see `structtree.search.criteria`.
    score : float
        The criterion's value as people quote it: accuracy for the accuracies, else the impurity or error.
    yes, no : array
        Weighted class counts on both sides; for numbers weight, mean and variance.
    proved : bool
        Whether no predicate of the space is better.
    gap : float
        How much better than this, in the first component of the loss, something unseen might still be.
    """

    predicate: Predicate
    loss: Loss
    score: float
    yes: NDArray[np.float64]
    no: NDArray[np.float64]
    proved: bool
    gap: float
    criterion: str
    stats: SearchStats

    def __str__(self) -> str:
        return f"{pretty(self.predicate)} ({self.criterion} {self.score:.4g})"


def best_split(
    population: Population,
    target: ArrayLike,
    grammar: Grammar | Space,
    *,
    criterion: str | None = None,
    prune: bool = True,
    strategy: Strategy = "best-first",
    max_evaluations: int | None = None,
    time_limit: float | None = None,
    min_samples_leaf: int = 1,
    sample_weight: ArrayLike | None = None,
    class_weight: dict[Any, float] | None = None,
    beam_width: int = 10,
    progress: Callable[[SearchStats, Split | None], None] | None = None,
) -> Split:
    """Find the predicate of a grammar's space that splits a population best.

    Parameters
    ----------
    population : Population
    target : array
        A class, or a number, for each individual.
    grammar : Grammar or Space
        What may be asked.
    criterion : str, optional
        ``"acc*"`` by default for classes, ``"mse"`` for numbers.
    prune : bool
        Whether bounds are used; without them the whole space is evaluated.
    strategy : {"best-first", "exhaustive", "beam"}
        ``exhaustive`` is best-first without pruning; ``beam`` keeps the best few of each level and proves nothing.
    max_evaluations, time_limit : optional
        Budgets; what was found until then is returned, with the gap left.
    min_samples_leaf : int
        The least number of individuals on either side.
    sample_weight, class_weight : optional
        Weights of individuals, and of classes.
    progress : function, optional
        Called about once a second with the statistics and the best so far.

    Examples
    --------
    >>> from structtree import Grammar, load_dataset
    >>> trains = load_dataset("trains")
    >>> found = best_split(trains.population, trains.target, Grammar.load("trains"))
    >>> print(pretty(found.predicate), found.proved)
    exists cars (closed and not long) True
    """
    _check_options(population, strategy, min_samples_leaf, beam_width)
    judge = judge_for(criterion, np.asarray(target), len(population), sample_weight, class_weight)
    if isinstance(grammar, Space):
        assert grammar.population is not None
        space = replace(grammar, population=compact(population))
    else:
        space = Space.build(grammar, compact(population))
    budget = _Budget(max_evaluations, time_limit, time.perf_counter())
    search = _Search(space, judge, budget, prune and strategy != "exhaustive", min_samples_leaf, progress)
    if strategy == "beam":
        search.run_beam(beam_width)
    else:
        search.run()
    return search.result()


def _check_options(population: Population, strategy: str, min_samples_leaf: int, beam_width: int) -> None:
    if not len(population):
        raise DataError("the population has no individuals, so there is nothing to split")
    if strategy not in ("best-first", "exhaustive", "beam"):
        raise UsageError(f"strategy must be 'best-first', 'exhaustive' or 'beam'; got {strategy!r}")
    if min_samples_leaf < 1:
        raise UsageError(f"min_samples_leaf must be an int >= 1; got {min_samples_leaf}")
    if beam_width < 1:
        raise UsageError(f"beam_width must be an int >= 1; got {beam_width}")


@dataclass(frozen=True, slots=True)
class _Budget:
    evaluations: int | None
    seconds: float | None
    started: float

    def spent(self) -> float:
        return time.perf_counter() - self.started

    def over(self, evaluated: int) -> StoppedBy | None:
        if self.evaluations is not None and evaluated >= self.evaluations:
            return "evaluations"
        if self.seconds is not None and self.spent() >= self.seconds:
            return "time"
        return None


@dataclass(frozen=True, slots=True, eq=False)
class _Candidate:
    """A predicate that may be expanded: either made, or a member of a family at an opening of its parent."""

    bound: Loss
    trail: tuple[int, ...]
    position: Position | None
    opening: Opening | None = None
    choice: int = 0

    def __lt__(self, other: _Candidate) -> bool:
        return (self.bound, self.trail) < (other.bound, other.trail)


@dataclass(frozen=True, slots=True, eq=False)
class _Best:
    loss: Loss
    size: int
    key: tuple[int, ...]
    position: Position


@dataclass(slots=True, eq=False)
class _Search:
    space: Space
    judge: Judge
    budget: _Budget
    prune: bool
    least: int
    progress: Callable[[SearchStats, Split | None], None] | None
    best: _Best | None = None
    frontier: list[_Candidate] = field(default_factory=list)
    known: Known = field(default_factory=dict)
    boards: dict[str, tuple[Board, Board]] = field(default_factory=dict)
    evaluated: int = 0
    expanded: int = 0
    pruned: int = 0
    duplicates: int = 0
    marks: NDArray[np.uint64] = field(default_factory=lambda: np.zeros((2, 0), dtype=np.uint64))
    stopped_by: StoppedBy = "done"
    reported: float = 0.0

    @property
    def population(self) -> Population:
        assert self.space.population is not None
        return self.space.population

    # ---- strategies -------------------------------------------------------------------------------------

    def run(self) -> None:
        """Expand the predicate with the best bound until no bound beats the best found."""
        self._consider_root()
        while self.frontier:
            over = self.budget.over(self.evaluated)
            if over is not None:
                self.stopped_by = over
                return
            candidate = heapq.heappop(self.frontier)
            if self._hopeless(candidate):
                # Every other bound is worse still.
                self.pruned += 1 + len(self.frontier)
                self.frontier.clear()
                return
            try:
                self._expand(candidate)
                self._report()
            except KeyboardInterrupt:
                heapq.heappush(self.frontier, candidate)
                self.stopped_by = "interrupt"
                return

    def run_beam(self, width: int) -> None:
        """Level by level, only the few with the best bounds are expanded."""
        self._consider_root()
        self.stopped_by = "beam"
        level = list(self.frontier)
        try:
            while level and self.budget.over(self.evaluated) is None:
                self.frontier = []
                for candidate in sorted(level)[:width]:
                    self._expand(candidate)
                level = [c for c in self.frontier if not self._hopeless(c)]
        except KeyboardInterrupt:
            self.stopped_by = "interrupt"

    def _consider_root(self) -> None:
        root = self.space.root()
        counts = self.judge.counts(np.ones((len(self.population), 1), dtype=np.bool_))
        bound = self.judge.bound(counts)[0]
        self.evaluated += 1
        self.frontier.append(_Candidate((float(bound[0]), float(bound[1])), (), root))

    def _hopeless(self, candidate: _Candidate) -> bool:
        """Whether nothing below a candidate can become the result."""
        if not self.prune or self.best is None:
            return False
        return self.judge.cannot_beat(candidate.bound, self.best.loss)

    # ---- one expansion ----------------------------------------------------------------------------------

    def _expand(self, candidate: _Candidate) -> None:
        self.expanded += 1
        position = self._made(candidate)
        if position is None:
            return
        together: dict[Path, list[Opening]] = {}
        followed: dict[Path, bool] = {}
        n = 0
        for growth in self.space.growths(position):
            n += 1
            if isinstance(growth, Position):
                self._consider(growth, (*candidate.trail, n))
                continue
            if growth.path not in followed:
                followed[growth.path] = existential(position, growth.path)
            if growth.free and followed[growth.path]:
                together.setdefault(growth.path, []).append(growth)
            else:
                for item in self.space.members(growth):
                    for made in growth.settle(item):
                        n += 1
                        self._consider(made, (*candidate.trail, n))
        for path, openings in together.items():
            self._consider_families(position, path, openings, (*candidate.trail, n + 1))
        self._forget()

    def _made(self, candidate: _Candidate) -> Position | None:
        if candidate.position is not None:
            return candidate.position
        assert candidate.opening is not None
        return self._member(candidate.opening, candidate.choice)

    def _member(self, opening: Opening, choice: int) -> Position | None:
        item = next(self.space.members(replace(opening, start=choice)), None)
        return None if item is None else next(opening.settle(item), None)

    def _consider(self, position: Position, trail: tuple[int, ...]) -> None:
        """Evaluate one predicate by itself."""
        known = rows_where(position.predicate, self.population, self.population.schema.individual, self.known)
        true = known[self.population.individuals]
        self.evaluated += 1
        size = int(true.sum())
        if size < self.least:
            self.pruned += 1
            return
        counts = self.judge.counts(true[:, None])
        loss, bound = self.judge.loss(counts)[0], self.judge.bound(counts)[0]
        if len(true) - size >= self.least:
            self._improve((float(loss[0]), float(loss[1])), lambda: position, n_literals(position.predicate))
        self._push(_Candidate((float(bound[0]), float(bound[1])), trail, position))

    def _push(self, candidate: _Candidate) -> None:
        if self._hopeless(candidate):
            self.pruned += 1
        else:
            heapq.heappush(self.frontier, candidate)

    # ---- families in one pass ---------------------------------------------------------------------------

    def _consider_families(
        self, position: Position, path: Path, openings: list[Opening], trail: tuple[int, ...]
    ) -> None:
        """Evaluate all members of the families that may be added at one position."""
        pairs = pairs_at(position, path, self.population, self.known)
        place = openings[0].position
        if place.slot.type not in self.boards:
            self.boards[place.slot.type] = boards_of(self.space, place.slot.type)
        by_family = {opening.family.index: opening for opening in openings}
        grows = self._can_grow_after(position, path, openings[0])
        for board in self.boards[place.slot.type]:
            column, member = board.since(openings[0].family.index)
            for first, last in _pieces(board, column, self.judge.n_labels):
                self._consider_piece(board, first, last, member, pairs, by_family, trail, grows)

    def _consider_piece(
        self,
        board: Board,
        first: int,
        last: int,
        member: int,
        pairs: Pairs,
        by_family: dict[int, Opening],
        trail: tuple[int, ...],
        grows: bool,
    ) -> None:
        """Evaluate the columns from first to last of a board."""
        start = int(board.offsets[first])
        stop = int(board.offsets[last])
        families, choices = board.families[start:stop], board.choices[start:stop]
        listed = np.zeros(int(families.max(initial=0)) + 1, dtype=np.bool_)
        listed[[index for index in by_family if index < len(listed)]] = True
        allowed = listed[families]
        opening = min(by_family.values(), key=lambda o: o.family.index)
        allowed &= (families != opening.family.index) | (choices >= opening.start)
        if not allowed.any():
            return
        hashes = self._hashes(len(pairs))
        kernel = ranked_counts if board.ranked else coded_counts
        offsets = board.offsets[first : last + 1] - start
        columns = board.columns[first:last]
        counts, sizes, signatures = kernel(
            pairs.owners,
            pairs.rows,
            columns,
            offsets,
            self.judge.labels,
            self.judge.weights,
            self.judge.n_labels,
            hashes,
        )
        self.evaluated += int(allowed.sum())
        enough = allowed & (sizes >= self.least)
        self.pruned += int((allowed & ~enough).sum())
        chosen = np.flatnonzero(enough)
        if not len(chosen):
            return
        losses = self.judge.loss(counts[chosen])
        splits = chosen[len(self.population) - sizes[chosen] >= self.least]
        if len(splits):
            self._improve_by(losses, chosen, splits, families, choices, by_family)
        if grows:
            self._push_members(counts, chosen, signatures, hashes, families, choices, by_family, trail)

    def _improve_by(
        self,
        losses: NDArray[np.float64],
        chosen: NDArray[np.int64],
        splits: NDArray[np.int64],
        families: NDArray[np.int64],
        choices: NDArray[np.int64],
        by_family: dict[int, Opening],
    ) -> None:
        admissible = losses[np.isin(chosen, splits)]
        least = self.judge.least(admissible)
        loss = (float(admissible[least, 0]), float(admissible[least, 1]))
        if self.best is not None and loss > self.best.loss:
            return
        tied = splits[(admissible == admissible[least]).all(axis=1)]
        first = min(tied, key=lambda m: (families[m], choices[m]))
        opening = by_family[int(families[first])]
        assert isinstance(opening.family, TestFamily)
        size = self._size(opening) + opening.family.size

        def make() -> Position:
            made = self._member(opening, int(choices[first]))
            assert made is not None
            return made

        self._improve(loss, make, size)

    def _push_members(
        self,
        counts: NDArray[np.float64],
        chosen: NDArray[np.int64],
        signatures: NDArray[np.uint64],
        hashes: NDArray[np.uint64],
        families: NDArray[np.int64],
        choices: NDArray[np.int64],
        by_family: dict[int, Opening],
        trail: tuple[int, ...],
    ) -> None:
        bounds = self.judge.bound(counts[chosen])
        hopeful = np.ones(len(chosen), dtype=np.bool_)
        if self.prune and self.best is not None:
            hopeful = ~self.judge.all_cannot_beat(bounds, self.best.loss)
            self.pruned += int((~hopeful).sum())
        fresh = hopeful & self._fresh(signatures[:, chosen], hashes, by_family)
        self.duplicates += int(hopeful.sum() - fresh.sum())
        for k in np.flatnonzero(fresh):
            m = chosen[k]
            bound = (float(bounds[k, 0]), float(bounds[k, 1]))
            opening = by_family[int(families[m])]
            step = (*trail, int(families[m]), int(choices[m]))
            heapq.heappush(self.frontier, _Candidate(bound, step, None, opening, int(choices[m])))

    def _fresh(
        self, marks: NDArray[np.uint64], hashes: NDArray[np.uint64], by_family: dict[int, Opening]
    ) -> NDArray[np.bool_]:
        """Which members leave less than their parent does, and what no member before them leaves.

        The others have only refinements that are found elsewhere; unless a rewrite goes on from the test itself.
        """
        fresh = np.ones(marks.shape[1], dtype=np.bool_)
        name = next(iter(by_family.values())).family.type
        if self.space.offers.from_literal[name]:
            return fresh
        whole = hashes.sum(axis=1, dtype=np.uint64)
        fresh[(marks[0] == whole[0]) & (marks[1] == whole[1])] = False
        order = np.lexsort((np.arange(marks.shape[1]), marks[1], marks[0]))
        again = (np.diff(marks[0][order]) == 0) & (np.diff(marks[1][order]) == 0)
        fresh[order[1:][again]] = False
        return fresh

    def _hashes(self, n: int) -> NDArray[np.uint64]:
        """Random numbers, the same in every run; sums of them identify sets of pairs."""
        if self.marks.shape[1] < n:
            self.marks = np.random.default_rng(0).integers(0, 2**63, size=(2, 2 * n), dtype=np.uint64)
        return self.marks[:, :n]

    def _size(self, opening: Opening) -> int:
        """The number of literals of the predicate that an opening belongs to."""
        limit = self.space.grammar.limits.literals
        if limit is None or opening.room.literals is None:
            return len(opening.path) + len(opening.position.literals)
        return limit - opening.room.literals

    def _can_grow_after(self, position: Position, path: Path, opening: Opening) -> bool:
        """Whether a predicate with one more test at the end of the path can have refinements."""
        room = opening.room
        if room.literals is not None and room.literals <= 1:
            return False
        places = [position]
        for index, slot in path:
            places.append(places[-1].items[index].positions[slot])
        if self.space.offers.from_literal[places[-1].slot.type]:
            return True
        most = self.space.grammar.conjuncts.get(places[-1].slot.type, 1)
        if most == 0 or len(places[-1].items) + 1 < most:
            return True
        return any(self.space.has_place(p) for p in places[:-1])

    # ---- the best so far --------------------------------------------------------------------------------

    def _improve(self, loss: Loss, make: Callable[[], Position], size: int) -> None:
        """Take a predicate as the best if it is, or if it is as good and shorter, or comes first."""
        if self.best is not None and (loss, size) > (self.best.loss, self.best.size):
            return
        position = make()
        key = position.key
        if self.best is None or (loss, size, key) < (self.best.loss, self.best.size, self.best.key):
            self.best = _Best(loss, size, key, position)

    def _forget(self) -> None:
        if len(self.known) * max(1, len(self.population)) > REMEMBERED:
            self.known.clear()

    def _report(self) -> None:
        if self.progress is not None and self.budget.spent() - self.reported >= 1.0:
            self.reported = self.budget.spent()
            self.progress(self._stats(), self.result() if self.best is not None else None)

    def _stats(self) -> SearchStats:
        return SearchStats(
            self.evaluated, self.expanded, self.pruned, self.duplicates, self.budget.spent(), self.stopped_by
        )

    def result(self) -> Split:
        """What was found, and what is proved of it."""
        root = self.space.root()
        position = root if self.best is None else self.best.position
        mask = rows_where(position.predicate, self.population, self.population.schema.individual)
        true = mask[self.population.individuals]
        counts = self.judge.counts(true[:, None])
        loss = self.judge.loss(counts)[0]
        gap = max(0.0, float(loss[0]) - min((c.bound[0] for c in self.frontier), default=float(loss[0])))
        yes, no = self.judge.sides(true)
        return Split(
            position.predicate,
            (float(loss[0]), float(loss[1])),
            self.judge.score(loss),
            yes,
            no,
            self.stopped_by == "done",
            gap if self.stopped_by != "done" else 0.0,
            self.judge.name,
            self._stats(),
        )


def _pieces(board: Board, column: int, n_labels: int) -> Iterator[tuple[int, int]]:
    """Runs of columns whose counts fit into a piece of memory."""
    n_columns = len(board.offsets) - 1
    while column < n_columns:
        most = board.offsets[column] + max(1, PIECE // max(1, n_labels))
        stop = max(column + 1, int(np.searchsorted(board.offsets, most, side="right")) - 1)
        yield column, stop
        column = stop
