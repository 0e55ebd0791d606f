"""One search: the frontier, the best so far, and the expansion of a predicate, whole families at a time.

The plain tests at a position that is reached through existential links are counted by a kernel in one pass over the
pairs there; everything else is evaluated by itself. Two siblings that leave the same pairs at their position have the
same refinements, and one that leaves all pairs of its parent has none that its parent has not: only one is expanded.

`structtree.search.best_split` is the door; it validates, and makes the space and the judge.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from structtree.data.columns import Population
from structtree.lang.syntax import Count
from structtree.search.boards import Board, boards_of
from structtree.search.judges import Assessment, Judge, Loss
from structtree.search.kernels import coded_counts, ranked_counts
from structtree.search.kernels.compiling import now
from structtree.search.lifting import inside_of, liftable, member_truth
from structtree.search.pairs import Pairs, existential, pairs_at
from structtree.search.results import Problem, SearchStats, Split, StoppedBy
from structtree.space.evaluate import Known, rows_where
from structtree.space.families import LinkFamily
from structtree.space.space import Batch, Item, Opening, Path, Position, Space

__all__ = ["Budget", "Search"]

# Answers of predicates that are kept for later ones, in bytes.
REMEMBERED = 200_000_000

Progress = Callable[[SearchStats, "Split | None"], None]


@dataclass(frozen=True, slots=True)
class Budget:
    """How much a search may cost; None is no limit. `frontier` only decides when it goes on depth-first."""

    evaluations: int | None = None
    seconds: float | None = None
    frontier: int = 1_000_000
    started: float = field(default_factory=now)

    def spent(self) -> float:
        """Seconds since the start."""
        return now() - self.started

    def over(self, evaluated: int) -> StoppedBy | None:
        """Which limit is reached, if any."""
        if self.evaluations is not None and evaluated >= self.evaluations:
            return "evaluations"
        if self.seconds is not None and self.spent() >= self.seconds:
            return "time"
        return None


class _OutOfTimeError(Exception):
    """The time is over in the middle of an expansion."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A predicate that may be expanded: made already, or still a member of a batch of its parent."""

    bound: Loss
    trail: tuple[int, ...]
    size: int
    position: Position | None
    batch: Batch | None = None
    family: int = 0
    choice: int = 0

    def __lt__(self, other: Candidate) -> bool:
        return (self.bound, self.trail) < (other.bound, other.trail)


@dataclass(frozen=True, slots=True, eq=False)
class Best:
    """The best predicate so far; of equals the shortest, then the one that is generated first."""

    loss: Loss
    size: int
    key: tuple[int, ...]
    position: Position


@dataclass(frozen=True, slots=True, eq=False)
class Members:
    """Evaluated members of a batch: which family and choice each is, and what it keeps."""

    batch: Batch
    trail: tuple[int, ...]
    families: NDArray[np.int64]
    choices: NDArray[np.int64]
    counts: NDArray[np.float64]
    sizes: NDArray[np.int64]
    marks: NDArray[np.uint64] | None = None

    def chosen(self, which: NDArray[np.bool_]) -> Members:
        """Some of them. (Taking rows by number is several times faster than by a mask.)"""
        rows = np.flatnonzero(which)
        return Members(
            self.batch,
            self.trail,
            self.families.take(rows),
            self.choices.take(rows),
            self.counts.take(rows, axis=0),
            self.sizes.take(rows),
            None if self.marks is None else self.marks.take(rows, axis=1),
        )


@dataclass(slots=True, eq=False)
class Search:
    """The state of a search.

    Parameters
    ----------
    problem : Problem
    space : Space
        The problem's space in the order in which it is to be searched. Its population is what is split, and nothing
        more: its rows are what every step costs.
    budget : Budget
    prune : bool
    progress : function, optional
    seed : int
        For the random numbers that identify sets of rows; no result depends on it.
    starts : tuple of Position
        Where the search begins, besides at ``top``.
    """

    problem: Problem
    space: Space
    budget: Budget
    prune: bool
    progress: Progress | None = None
    seed: int = 0
    starts: tuple[Position, ...] = ()
    best: Best | None = None
    frontier: list[Candidate] = field(default_factory=list)
    known: Known = field(default_factory=dict)
    boards: dict[str, tuple[Board, Board]] = field(default_factory=dict)
    lengths: dict[str, NDArray[np.int64]] = field(default_factory=dict)
    marks: NDArray[np.uint64] = field(default_factory=lambda: np.zeros((2, 0), dtype=np.uint64))
    evaluated: int = 0
    expanded: int = 0
    pruned: int = 0
    duplicates: int = 0
    stopped_by: StoppedBy = "done"
    reported: float = 0.0

    @property
    def population(self) -> Population:
        """What is split."""
        assert self.space.population is not None
        return self.space.population

    @property
    def judge(self) -> Judge:
        """What decides which predicate is better."""
        return self.problem.judge

    @property
    def least(self) -> int:
        """The fewest individuals on either side."""
        return self.problem.least

    # ---- strategies -------------------------------------------------------------------------------------

    def run(self) -> None:
        """Expand the predicate with the best bound until no bound beats the best found."""
        self._start()
        while self.frontier:
            over = self.budget.over(self.evaluated)
            # However little time there is, the root is looked at: it ends as soon as there is something to return.
            if over == "evaluations" or (over == "time" and self.expanded):
                self.stopped_by = over
                return
            candidate = heapq.heappop(self.frontier)
            if self._is_hopeless(candidate.bound, 0):
                # Every other bound is worse still.
                self.pruned += 1 + len(self.frontier)
                self.frontier.clear()
                return
            if self._is_hopeless(candidate.bound, candidate.size):
                self.pruned += 1
                continue
            try:
                if len(self.frontier) > self.budget.frontier:
                    self._dive(candidate)
                else:
                    self._expand(candidate)
                self._report()
            except (KeyboardInterrupt, _OutOfTimeError) as stop:
                # What is half expanded may still hide something better, so it counts for the gap.
                heapq.heappush(self.frontier, candidate)
                self.stopped_by = "time" if isinstance(stop, _OutOfTimeError) else "interrupt"
                return

    def _dive(self, candidate: Candidate) -> None:
        """Search everything below a candidate depth-first, so that the frontier does not grow."""
        waiting, stack = self.frontier, [candidate]
        while stack and self.budget.over(self.evaluated) is None:
            following = stack.pop()
            if self._is_hopeless(following.bound, following.size):
                self.pruned += 1
                continue
            self.frontier = []
            try:
                self._expand(following)
            finally:
                stack.extend(sorted(self.frontier, reverse=True))
                self.frontier = waiting
        for left in stack:
            heapq.heappush(self.frontier, left)

    def run_beam(self, width: int) -> None:
        """Level by level, only the few with the best bounds are expanded; nothing is proved."""
        self._start()
        self.stopped_by = "beam"
        level = list(self.frontier)
        try:
            while level and self.budget.over(self.evaluated) is None:
                self.frontier = []
                for candidate in sorted(level)[:width]:
                    self._expand(candidate)
                level = [c for c in self.frontier if not self._is_hopeless(c.bound, c.size)]
        except KeyboardInterrupt:
            self.stopped_by = "interrupt"
        except _OutOfTimeError:
            self.stopped_by = "time"

    def _start(self) -> None:
        everybody = self.judge.counts(np.ones((len(self.population), 1), dtype=np.bool_))
        self.evaluated += 1
        self.frontier.append(Candidate(_pair(self.judge.bound(everybody)[0]), (), 0, self.space.root()))
        for n, position in enumerate(self.starts):
            self._consider(position, (n,))

    def _is_hopeless(self, bound: Loss, size: int) -> bool:
        """Whether no refinement of a predicate of this size, with this bound, can become the result.

        Refinements are no shorter, so those of one that is longer than the best must be better, not just as good.
        """
        if not self.prune or self.best is None:
            return False
        if size > self.best.size:
            return self.judge.compare(bound, self.best.loss) >= 0
        return self.judge.cannot_beat(bound, self.best.loss)

    # ---- one expansion ----------------------------------------------------------------------------------

    def _expand(self, candidate: Candidate) -> None:
        self.expanded += 1
        position = self._made(candidate)
        n = 0
        for growth in self.space.growths(position):
            n += 1
            if isinstance(growth, Position):
                self._consider(growth, (*candidate.trail, n))
            elif isinstance(growth, Batch) and existential(position, growth.path):
                self._consider_batch(position, growth, (*candidate.trail, n))
            elif isinstance(growth, Batch) and liftable(position, growth.path):
                self._consider_lifted(position, growth, (*candidate.trail, n))
            elif isinstance(growth, Opening) and _counts_all(growth) and liftable(position, growth.path):
                n = self._consider_numbers(position, growth, candidate.trail, n)
            else:
                for item in self.space.members(growth):
                    for made in growth.settle(item):
                        n += 1
                        self._consider(made, (*candidate.trail, n))
        if len(self.known) * max(1, len(self.population)) > REMEMBERED:
            self.known.clear()

    def _made(self, candidate: Candidate) -> Position:
        if candidate.position is not None:
            return candidate.position
        assert candidate.batch is not None
        return self._member(candidate.batch, candidate.family, candidate.choice)

    def _member(self, batch: Batch, index: int, choice: int) -> Position:
        """The predicate that a member of a batch makes."""
        family = self.space.plain[batch.position.slot.type].families[index]
        return next(batch.settle(Item(family, choice, family.literal(choice))))

    def _consider(self, position: Position, trail: tuple[int, ...]) -> None:
        """Evaluate one predicate by itself."""
        rows = rows_where(position.predicate, self.population, self.population.schema.individual, self.known)
        self._consider_truth(position, rows[self.population.individuals], trail)

    def _consider_truth(self, position: Position, true: NDArray[np.bool_], trail: tuple[int, ...]) -> None:
        """Let one predicate, of which it is known whom it holds of, become the best or wait."""
        self._count(1)
        size = int(np.count_nonzero(true))
        if self.prune and size < self.least:
            self.pruned += 1
            return
        assessed = self.judge.assess(self.judge.counts(true[:, None]), self.best.loss if self.best else None)
        if self.least <= size <= len(true) - self.least:
            self._improve(_pair(assessed.losses[0]), position.size, lambda: position)
        bound = _pair(assessed.bounds[0])
        if self._is_hopeless(bound, position.size):
            self.pruned += 1
        else:
            heapq.heappush(self.frontier, Candidate(bound, trail, position.size, position))

    def _consider_numbers(self, position: Position, opening: Opening, trail: tuple[int, ...], n: int) -> int:
        """Evaluate ``count link (top) >= k`` for all k in one pass over the lengths of the link."""
        family = opening.family
        assert isinstance(family, LinkFamily) and isinstance(family.template, Count)
        lengths = self.population.tables[family.type].links[family.template.link].lengths
        enough = lengths[:, None] >= np.array(family.numbers)
        inside = inside_of(position, opening.path, enough, self.population, self.known)
        longer = position.size + 1
        for item in self.space.members(opening):
            for made in opening.settle(item):
                n += 1
                if made.size == longer:
                    self._consider_truth(made, inside[:, item.choice], (*trail, n))
                else:
                    self._consider(made, (*trail, n))
        return n

    def _count(self, n: int) -> None:
        """Count evaluations, and stop when the time is over and there is something to return."""
        self.evaluated += n
        if self.budget.seconds is not None and self.best is not None and self.budget.over(0) == "time":
            raise _OutOfTimeError

    # ---- families in one pass ---------------------------------------------------------------------------

    def _consider_batch(self, position: Position, batch: Batch, trail: tuple[int, ...]) -> None:
        """Evaluate all plain tests that may be added at one position."""
        pairs = pairs_at(position, batch.path, self.population, self.known)
        grows = self._can_grow_after(position, batch)
        hashes = self._hashes(len(pairs) if grows else 0)
        for board in self._boards(batch.position.slot.type):
            for first, last in board.pieces(board.since(batch.since[0]), self.judge.n_labels):
                found = self._evaluate(board, first, last, pairs, hashes, batch, trail)
                start, stop = int(board.offsets[first]), int(board.offsets[last])
                self._take(found, board.allowed(start, stop, batch), position.size, grows, hashes)

    def _consider_lifted(self, position: Position, batch: Batch, trail: tuple[int, ...]) -> None:
        """The same behind links that are not existential: by truth instead of pairs."""
        name = batch.position.slot.type
        boards = self._boards(name)
        grows = self._can_grow_after(position, batch)
        widest = max((len(a.targets) for t in self.population.tables.values() for a in t.links.values()), default=1)
        for board in boards:
            for first, last in board.pieces(board.since(batch.since[0]), max(widest, self.judge.n_labels)):
                start, stop = int(board.offsets[first]), int(board.offsets[last])
                truth = member_truth(board, first, last)
                inside = inside_of(position, batch.path, truth, self.population, self.known)
                families, choices = board.families[start:stop], board.choices[start:stop]
                counts, sizes = self.judge.counts(inside), inside.sum(axis=0)
                found = Members(batch, trail, families, choices, counts, sizes)
                self._take(found, board.allowed(start, stop, batch), position.size, grows, None)

    def _take(
        self, found: Members, allowed: NDArray[np.bool_], size: int, grows: bool, hashes: NDArray[np.uint64] | None
    ) -> None:
        """Let the members that are allowed and, when pruning, keep enough individuals become best or wait."""
        enough = allowed & (found.sizes >= self.least) if self.prune else allowed
        n_allowed = int(np.count_nonzero(allowed))
        self._count(n_allowed)
        self.pruned += n_allowed - int(np.count_nonzero(enough))
        members = found if enough.all() else found.chosen(enough)
        if len(members.sizes):
            assessed = self.judge.assess(members.counts, self.best.loss if self.best else None)
            self._improve_by(members, assessed.losses, size)
            if grows:
                self._push(members, assessed, size, hashes)

    def _boards(self, name: str) -> tuple[Board, Board]:
        if name not in self.boards:
            self.boards[name] = boards_of(self.space, name)
        return self.boards[name]

    def _evaluate(
        self,
        board: Board,
        first: int,
        last: int,
        pairs: Pairs,
        hashes: NDArray[np.uint64],
        batch: Batch,
        trail: tuple[int, ...],
    ) -> Members:
        """The members in some columns of a board, counted in one pass over the pairs."""
        judge = self.judge
        start, stop = int(board.offsets[first]), int(board.offsets[last])
        kernel = ranked_counts if board.ranked else coded_counts
        counts, sizes, marks = kernel(
            pairs.owners,
            pairs.rows,
            board.columns[first:last],
            board.offsets[first : last + 1] - start,
            judge.labels,
            judge.weights,
            judge.n_labels,
            hashes,
        )
        families, choices = board.families[start:stop], board.choices[start:stop]
        return Members(batch, trail, families, choices, counts, sizes, marks if hashes.shape[1] else None)

    def _improve_by(self, members: Members, losses: NDArray[np.float64], size: int) -> None:
        """Take the best of the members that leave enough on the other side as well."""
        most = len(self.population) - self.least
        good = (members.sizes >= self.least) & (members.sizes <= most)
        if self.best is not None:
            good &= losses[:, 0] <= self.best.loss[0] + self.judge.slack
        splits = np.flatnonzero(good)
        if not len(splits):
            return
        tied = splits[self.judge.least(losses[splits])]
        loss = _pair(losses[tied[0]])
        if not self._may_improve(loss, size + 1):
            return
        lengths = self._lengths(members.batch.position.slot.type)[members.families[tied]]
        first = tied[np.lexsort((members.choices[tied], members.families[tied], lengths))[0]]
        family, choice = int(members.families[first]), int(members.choices[first])
        self._improve(loss, size + int(lengths.min()), lambda: self._member(members.batch, family, choice))

    def _lengths(self, name: str) -> NDArray[np.int64]:
        """For how many literals a member of each plain family of a type counts, by the index of the family."""
        if name not in self.lengths:
            families = self.space.plain[name].families
            lengths = np.ones(max(families, default=0) + 1, dtype=np.int64)
            lengths[list(families)] = [family.size for family in families.values()]
            self.lengths[name] = lengths
        return self.lengths[name]

    def _push(self, members: Members, assessed: Assessment, size: int, hashes: NDArray[np.uint64] | None) -> None:
        """Put the members that may have better refinements on the frontier; the rule is that of `_is_hopeless`."""
        hopeful = np.ones(len(assessed.bounds), dtype=np.bool_)
        if self.prune and self.best is not None and size > self.best.size:
            hopeful = self.judge.all_improve(assessed.bounds, self.best.loss)
        elif self.prune and self.best is not None:
            hopeful = ~self.judge.all_cannot_beat(assessed.bounds, self.best.loss)
        fresh = hopeful if hashes is None else hopeful & self._fresh(members, hashes)
        self.pruned += int(np.count_nonzero(~hopeful))
        self.duplicates += int(np.count_nonzero(hopeful & ~fresh))
        for k in np.flatnonzero(fresh):
            family, choice = int(members.families[k]), int(members.choices[k])
            step = (*members.trail, family, choice)
            bound = _pair(assessed.bounds[k])
            heapq.heappush(self.frontier, Candidate(bound, step, size, None, members.batch, family, choice))

    def _fresh(self, members: Members, hashes: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Which members leave less than their parent does, and what no member before them leaves.

        The others have only refinements that are found elsewhere; unless a rewrite goes on from the test itself.
        """
        marks = members.marks
        fresh = np.ones(len(members.sizes), dtype=np.bool_)
        if marks is None or not self.prune or self.space.offers.from_literal[members.batch.position.slot.type]:
            return fresh
        whole = hashes.sum(axis=1, dtype=np.uint64)
        fresh[(marks[0] == whole[0]) & (marks[1] == whole[1])] = False
        order = np.lexsort((members.choices, members.families, marks[1], marks[0]))
        again = (np.diff(marks[0][order]) == 0) & (np.diff(marks[1][order]) == 0)
        fresh[order[1:][again]] = False
        return fresh

    def _hashes(self, n: int) -> NDArray[np.uint64]:
        """Random numbers, the same throughout a search; two sums of them identify a set of pairs."""
        if self.marks.shape[1] < n:
            self.marks = np.random.default_rng(self.seed).integers(0, 2**63, size=(2, 2 * n), dtype=np.uint64)
        return self.marks[:, :n]

    def _can_grow_after(self, position: Position, batch: Batch) -> bool:
        """Whether a predicate with one more test at the end of the path can have refinements."""
        if self.space.offers.from_literal[batch.position.slot.type]:
            return True
        if batch.room.literals is not None and batch.room.literals <= 1:
            return False
        most = self.space.grammar.conjuncts.get(batch.position.slot.type, 1)
        if most == 0 or len(batch.position.items) + 1 < max(most, len(batch.position.fixed) + 1):
            return True
        return any(self.space.has_place(place) for place in _before_the_end(position, batch.path))

    # ---- the best so far --------------------------------------------------------------------------------

    def _improve(self, loss: Loss, size: int, make: Callable[[], Position]) -> None:
        """Take a predicate as the best if it is, or if it is as good and shorter, or as short and comes first."""
        if not self._may_improve(loss, size):
            return
        position = make()
        better = self.best is None or self.judge.compare(loss, self.best.loss) < 0
        if better or self.best is None or (size, position.key) < (self.best.size, self.best.key):
            self.best = Best(loss, size, position.key, position)

    def _may_improve(self, loss: Loss, size: int) -> bool:
        """Whether a predicate is better than the best, or as good and no longer."""
        if self.best is None:
            return True
        order = self.judge.compare(loss, self.best.loss)
        return order < 0 or (order == 0 and size <= self.best.size)

    def _report(self) -> None:
        if self.progress is not None and self.budget.spent() - self.reported >= 1.0:
            self.reported = self.budget.spent()
            self.progress(self._stats(), self.result() if self.best is not None else None)

    def _stats(self) -> SearchStats:
        seconds = self.budget.spent()
        return SearchStats(self.evaluated, self.expanded, self.pruned, self.duplicates, seconds, self.stopped_by)

    def result(self) -> Split:
        """What was found, and what is proved of it."""
        position = self.space.root() if self.best is None else self.best.position
        rows = rows_where(position.predicate, self.population, self.population.schema.individual)
        true = rows[self.population.individuals]
        loss = _pair(self.judge.loss(self.judge.counts(true[:, None]))[0])
        yes, no = self.judge.sides(true)
        done = self.stopped_by == "done" and not self.frontier
        least = min((candidate.bound[0] for candidate in self.frontier), default=loss[0])
        gap = 0.0 if done else max(0.0, loss[0] - least)
        score = self.judge.score(np.array(loss))
        name, stats = self.judge.name, self._stats()
        return Split(position.predicate, loss, score, yes, no, done, gap, name, stats, self.problem)


def _pair(loss: NDArray[np.float64]) -> Loss:
    return float(loss[0]), float(loss[1])


def _counts_all(opening: Opening) -> bool:
    """Whether a family is ``count link (top) >= k`` for some numbers k."""
    family = opening.family
    return isinstance(family, LinkFamily) and isinstance(family.template, Count) and family.slots[0].plain


def _before_the_end(position: Position, path: Path) -> Iterator[Position]:
    """The positions along a path, the last one not included."""
    for index, slot in path:
        yield position
        position = position.items[index].positions[slot]
