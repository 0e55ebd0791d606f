"""One search: the best predicates so far, a frontier that proves them best, and a heuristic that finds better ones.

The frontier is a queue of predicates ordered by bound. The first one is expanded, whole families at a time, and its
refinements join the frontier if their bounds beat the best predicate; once no bound does, it is proved best. A search
for the k best predicates keeps k that select different individuals; bounds then have to beat the last one, the *bar*.

In deep spaces, this alone would spend its time on predicates that keep nearly all individuals, so it alternates with
a finder (`structtree.search.finder`). Both sweep the same columns along the same chains, and share the best
predicates, the budget and the statistics.

Turns depend on an estimate of the work, not on seconds, so that a completed search is the same on every machine.
`structtree.search.best_split` validates the arguments and builds the space and the scorer.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import Floats, Ints, Mask
from structtree.data.population import Population
from structtree.data.reachable import compact
from structtree.lang import syntax as syn
from structtree.search.chains import chain_to, is_countable
from structtree.search.clock import Clock
from structtree.search.columns import SpaceColumns
from structtree.search.effort import Patience
from structtree.search.finder import Finder
from structtree.search.kernels.compiling import now
from structtree.search.leaders import Best, Leaders
from structtree.search.queries import Vocabulary
from structtree.search.results import Pass, Problem, SearchStats, Split, StoppedBy, TracePoint
from structtree.search.scorers import Loss, Scorer, Sums
from structtree.search.steps import link_name
from structtree.search.sweeps import Sweeps
from structtree.space.evaluate import Known, rows_where
from structtree.space.families import LinkFamily, base_literals
from structtree.space.space import Batch, Opening, Position, SlotPath, Space
from structtree.space.terms import clash

__all__ = ["Budget", "Search"]

# Maximum size of the cache of predicate results, in bytes.
KNOWN_BYTES = 200_000_000

# Estimated cost in nanoseconds of an expansion, a single predicate, a sweep at one position, a predicate in it, and a
# row of a column.
EXPANSION, SINGLE, SWEEP, PREDICATE, CELL = 300_000, 200_000, 100_000, 40, 2

# Further work in nanoseconds: for a row that a sweep follows links to, and for a linked row that a search prepares.
FOLLOWING, PREPARATION = 30, 300

# Work on the frontier before the finder starts: if all tests are at one position, proofs are fast. In nested data,
# the finder starts as soon as this many predicates are waiting, because the proof will take long.
FIRST_NESTED, FIRST_PLAIN = 200_000_000, 6_000_000_000
MANY_WAITING = 5_000

# The same in nested data if the search will stop without a proof, until the finder has completed its first rounds.
FIRST_ROUND = 10_000_000

# Ratio of the work of the finder to that of the proof.
FINDING = 3

# Beam widths of the rounds of the finder.
WIDTHS = (8, 32, 128, 512, 2048)

# Size of the random sample for the finder, if there are more than twice as many individuals.
FINDER_SAMPLE = 2_500

# Growth of the number of evaluations between two points of the trace: sixty points for ten million evaluations.
TRACED = 1.3

# With more rows than this, every step is slow, so that the warm-start predicates are scored first.
MANY_ROWS_JUDGED = 50_000

SearchProgress = Callable[[SearchStats, "Split | None"], None]


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of a search; None for no limit. Beyond `frontier` predicates, the search is depth-first."""

    evaluations: int | None = None
    clock: Clock = field(default_factory=Clock)
    frontier: int = 5_000_000
    patience: Patience | None = None

    def over(self, evaluated: int) -> StoppedBy | None:
        """Return the limit that is reached, or None."""
        if self.evaluations is not None and evaluated >= self.evaluations:
            return "evaluations"
        return self.clock.over()


class _OverError(Exception):
    """Raised if a limit is reached within a step."""


Make = Callable[[int, int], Iterable[Position]]
CostT = TypeVar("CostT", int, Ints)


@dataclass(slots=True, eq=False)
class Waiting:
    """Predicates from one position that wait to be expanded, best bounds first; each is built when it is expanded.

    Parameters
    ----------
    trail : tuple of int
        Where they were generated, to break ties.
    bounds : (n, 2)
    sizes, costs, families, choices : (n,)
        The number of literals of each, its cost, and which member it is.
    counted : (n,) bool
        Which of them count as evaluated; the others count when they are built.
    make : function from (family, choice)
        Yields the predicate; nothing, if another derivation of it is used; or a longer replacement.
    at : int
        The next predicate to expand.
    """

    trail: tuple[int, ...]
    bounds: Floats
    sizes: Ints
    costs: Ints
    families: Ints
    choices: Ints
    counted: Mask
    make: Make
    at: int = 0
    key: tuple[Loss, tuple[int, ...], int] = field(init=False)

    def __post_init__(self) -> None:
        order = np.lexsort((self.choices, self.families, self.bounds[:, 1], self.bounds[:, 0]))
        is_priced = self.costs is not self.sizes  # otherwise one array is enough
        for name in ("bounds", "sizes", "families", "choices", "counted"):
            setattr(self, name, getattr(self, name)[order])
        self.costs = self.costs[order] if is_priced else self.sizes
        self._find_key()

    @classmethod
    def single(cls, bound: Loss, trail: tuple[int, ...], position: Position, cost: int) -> Waiting:
        """Return an entry for one existing predicate."""
        one, counted = np.zeros(1, dtype=np.int64), np.ones(1, dtype=np.bool_)
        bounds, sizes, costs = np.array([bound]), np.array([position.size]), np.array([cost])
        return cls(trail, bounds, sizes, costs, one, one, counted, lambda family, choice: [position])

    def first(self) -> Waiting:
        """Return an entry with only the next predicate."""
        one = slice(self.at, self.at + 1)
        members = (self.sizes[one], self.costs[one], self.families[one], self.choices[one], self.counted[one])
        return Waiting(self.trail, self.bounds[one], *members, self.make)

    def __len__(self) -> int:
        return len(self.sizes) - self.at

    def __lt__(self, other: Waiting) -> bool:
        return self.key < other.key

    @property
    def bound(self) -> Loss:
        """The best bound of the waiting predicates."""
        return self.key[0]

    @property
    def size(self) -> int:
        """The number of literals of the next predicate."""
        return int(self.sizes[self.at])

    @property
    def cost(self) -> int:
        """The cost of the next predicate."""
        return int(self.costs[self.at])

    def drop(self) -> None:
        """Drop the next predicate."""
        self.at += 1
        self._find_key()

    def _find_key(self) -> None:
        if self.at < len(self.sizes):
            self.key = (_pair(self.bounds[self.at]), self.trail, self.at)


class OpenPosition(NamedTuple):
    """A position of a predicate, with the tests and links that may be added there."""

    position: Position
    path: SlotPath
    batch: Batch | None
    openings: tuple[Opening, ...]
    trail: tuple[int, ...]

    @property
    def type(self) -> str:
        """The type of the rows there."""
        return (self.batch or self.openings[0]).position.slot.type

    @property
    def since(self) -> int:
        """The first family that may be added."""
        first = [opening.family.index for opening in self.openings]
        return min(first if self.batch is None else [self.batch.since[0], *first])


@dataclass(frozen=True, slots=True, eq=False)
class Members:
    """Evaluated members of families at one position: the family and choice of each, and its counts."""

    place: OpenPosition
    families: Ints
    choices: Ints
    counts: Floats
    sizes: Ints
    marks: NDArray[np.uint64] | None = None

    def chosen(self, which: Mask) -> Members:
        """Return some of the members; taking rows by index is several times faster than by a mask."""
        rows = np.flatnonzero(which)
        return Members(
            self.place,
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
        The space of the problem, in search order. Its population has only the rows needed, since the cost of every
        step depends on their number.
    columns : SpaceColumns
        The columns of this space.
    budget : Budget
    prune : bool
    progress : function, optional
    seed : int
        Seed of the hashes that identify sets of rows, and of the finder's sample.
    starts : tuple of Position
        Predicates to refine, in addition to ``top``.
    hints : tuple of Predicate
        Predicates for a warm start of the finder.
    k : int
        Number of predicates to keep; no two of them select the same individuals.
    """

    problem: Problem
    space: Space
    columns: SpaceColumns
    budget: Budget
    prune: bool
    progress: SearchProgress | None = None
    seed: int = 0
    starts: tuple[Position, ...] = ()
    hints: tuple[syn.Predicate, ...] = ()
    k: int = 1
    leaders: Leaders = field(init=False)
    is_priced: bool = field(init=False)
    frontier: list[Waiting] = field(default_factory=list)
    stack: list[Waiting] = field(default_factory=list)
    known: Known = field(default_factory=dict)
    tally: Sums = field(init=False)
    marks: NDArray[np.uint64] = field(default_factory=lambda: np.zeros((2, 0), dtype=np.uint64))
    evaluated: int = 0
    expanded: int = 0
    pruned: int = 0
    duplicates: int = 0
    waiting: int = 0
    proving: int = 0
    finding: int = 0
    following: int = 0
    improved: int = 0
    rounds: int = 0
    passes: dict[tuple[str, str], list[float]] = field(default_factory=dict)
    trace: list[TracePoint] = field(default_factory=list)
    stopped_by: StoppedBy = "done"
    reported: float = 0.0
    good: list[syn.Predicate] = field(default_factory=list)
    least_bound: Loss = (-np.inf, -np.inf)

    def __post_init__(self) -> None:
        self.tally = Sums(self.scorer.labels, self.scorer.weights, self.scorer.n_labels)
        self.leaders = Leaders(self.scorer, self.k, self.problem.tolerance)
        self.is_priced = self.problem.tolerance > 0 and self.space.is_priced

    @property
    def population(self) -> Population:
        """The individuals that are split."""
        assert self.space.population is not None
        return self.space.population

    @property
    def scorer(self) -> Scorer:
        """The scorer of the problem."""
        return self.problem.scorer

    @property
    def best(self) -> Best | None:
        """The best predicate so far."""
        return self.leaders.best

    @property
    def least(self) -> int:
        """Minimum number of individuals of the yes branch; of a branch, if the criterion reads both."""
        return self.problem.least

    @property
    def most(self) -> int:
        """Maximum number of individuals of the yes branch."""
        return len(self.population) - self.scorer.least_no(self.least)

    # ---- taking turns -----------------------------------------------------------------------------------

    def run(self) -> None:
        """Alternate between proof and finder until no bound beats the best predicate or a limit is reached."""
        self._start()
        if self.population.n_rows > MANY_ROWS_JUDGED:
            self._judge_hints()
        self._take_turns()
        if self.stopped_by == "done" and self._is_partial():
            self.stopped_by = self.budget.clock.over() or "time"
        if self.stopped_by in ("time", "effort") or (self.problem.tolerance and self.frontier):
            self._shorten()

    def _take_turns(self) -> None:
        """Continue with the proof or the finder, depending on their work so far, until a limit is reached."""
        finder: Iterator[None] | None = self._rounds(self._widths()) if self.prune else None
        nested, enough = self._is_nested(), np.inf
        try:
            while self.frontier:
                over = self.budget.over(self.evaluated)
                # The root is always expanded, even without time, so that there is a result to return.
                if over == "evaluations" or (over is not None and self.expanded):
                    self.stopped_by = over
                    return
                if self.proving + self.finding > enough:
                    return
                if self._is_enough(finder):
                    self.stopped_by = "effort"
                    return
                if finder is not None and self.proving >= max(self._first(nested), self.finding / FINDING):
                    finder = finder if next(finder, self) is None else None
                else:
                    self._prove()
                if self.prune and enough == np.inf and self._is_perfect():
                    # Nothing can be better; the search for a shorter predicate may double the work so far.
                    enough = 2 * max(FIRST_NESTED, self.proving + self.finding)
                self._note_point()
                self._report()
        except _OverError:
            self.stopped_by = self.budget.over(self.evaluated) or "time"

    def _first(self, nested: bool) -> int:
        """Return the work of the proof that comes before the finder."""
        if nested and self.waiting > MANY_WAITING:
            return 0
        first, patience = FIRST_NESTED if nested else FIRST_PLAIN, self.budget.patience
        if patience is None:
            return first
        if nested and self.rounds < patience.rounds:
            return FIRST_ROUND
        return min(first, patience.proof)

    def _is_enough(self, finder: Iterator[None] | None) -> bool:
        """Return whether nothing better has appeared for as much work as the effort allows."""
        patience = self.budget.patience
        if patience is None or not self.prune or not self.expanded:
            return False
        return patience.is_over(self.work, self.improved, len(WIDTHS) if finder is None else self.rounds)

    def _widths(self) -> tuple[int, ...]:
        """Return the widths of the beams, starting with that of the effort."""
        patience = self.budget.patience
        if patience is None:
            return WIDTHS
        return (patience.width, *(width for width in WIDTHS if width > patience.width))

    @property
    def work(self) -> int:
        """The estimated work so far, which does not decide about turns."""
        return self.proving + self.finding + self.following

    def run_beam(self, width: int) -> None:
        """Run only the finder: a beam search of this width, then local improvement, without a proof."""
        self._start()
        self.stopped_by = "beam"
        try:
            for _ in self._rounds((width,)):
                self._note_point()
                self._report()
        except _OverError:
            self.stopped_by = self.budget.over(self.evaluated) or "time"

    def _start(self) -> None:
        everybody = self.scorer.counts(np.ones((len(self.population), 1), dtype=np.bool_))
        self.evaluated += 1
        self.least_bound = _pair(self.scorer.bound(everybody)[0])
        self.following += PREPARATION * (self.population.n_rows - len(self.population))
        self._push(Waiting.single(self.least_bound, (), self.space.root(), 0))
        self.trace.append(self._point(float(self.scorer.criterion.unsplit(self.scorer.total)[0])))
        for n, position in enumerate(self.starts):
            self._consider(position, (n,))

    def _is_nested(self) -> bool:
        """Return whether there are tests at several positions, so that bounds are weak near the root."""
        families = self.space.offers.from_top
        names = [name for name in families if any(not isinstance(f, LinkFamily) for f in families[name])]
        return len(names) > 1 or any(isinstance(f, LinkFamily) for name in names for f in families[name])

    def _is_partial(self) -> bool:
        """Return whether there was no time to prepare some of the tests."""
        return bool(self.space.offers.n_skipped or self.columns.partial)

    def _is_perfect(self) -> bool:
        """Return whether all k predicates have the smallest possible loss."""
        return self.leaders.limit is not None and self._has_least_loss(self.leaders.limit)

    def _has_least_loss(self, loss: Loss) -> bool:
        return self.scorer.compare(loss, self.least_bound) <= 0

    # ---- finding ----------------------------------------------------------------------------------------

    def _rounds(self, widths: tuple[int, ...]) -> Iterator[None]:
        """Run beams of growing width, each with a polish of its results, and yield after each step."""
        finder = Finder(self._sweeps(self.space, self.scorer), self._take_found)
        words = finder.sweeps.words
        for hint in self.hints:
            yield from finder.polish(words.query(hint), counting=False)
        n = len(self.population)
        small = self._on_sample(FINDER_SAMPLE) if n > 2 * FINDER_SAMPLE else None
        for number, width in enumerate(widths):
            counting = number > 0 or len(widths) == 1
            yield from (small or finder).beam(width, counting=counting)
            newest = (small or finder).newest()
            for predicate in newest:
                yield from finder.polish(words.query(predicate), counting=small is None)
            if small is not None:
                for predicate in newest:
                    yield from small.polish(small.sweeps.words.query(predicate), counting=True)
                for predicate in small.newest():
                    yield from finder.polish(words.query(predicate), counting=False)
            self.rounds += 1

    def _sweeps(self, space: Space, scorer: Scorer) -> Sweeps:
        """Return sweeps over all individuals, or over a sample, which needs fewer individuals per branch."""
        assert space.population is not None
        own, n = space.population is self.population, len(space.population)
        least = max(1, self.least * n // len(self.population))
        columns = self.columns if own else SpaceColumns(space, limit=self.budget.clock)
        return Sweeps(space, scorer, least, self._tell, columns)

    def _on_sample(self, n: int) -> Finder:
        """Return a finder on a sample of the individuals, with the thresholds between their values."""
        which = np.sort(np.random.default_rng(self.seed).choice(len(self.population), n, replace=False))
        part = compact(self.population.take(which))
        grammar = self.space.grammar
        limit = self.budget.clock
        space = Space.build(grammar, part, limit=limit) if grammar.rewrites else replace(self.space, population=part)
        return Finder(self._sweeps(space, self.scorer.take(which)), lambda predicate, _: predicate in space)

    def _tell(self, n: int, rows: int, columns: int, position: str, seconds: float) -> None:
        """Record a pass of the finder."""
        self.finding += SWEEP + PREDICATE * n + CELL * rows * columns
        self.following += FOLLOWING * rows
        self._note_pass("find", position, n, seconds)
        self.evaluated += n
        self._stop_if_over()

    def _take_found(self, predicate: syn.Predicate, loss: Loss) -> bool:
        """Consider a result of the finder as the best predicate, and return whether it is in the space."""
        position = self.space.locate(predicate)
        if position is None:
            return False
        self._improve(loss, position)
        self.good.append(predicate)
        return True

    def _shorten(self) -> None:
        """Drop literals of the best predicate that make no difference, as a polish would have done with more time."""
        words, shortened = Vocabulary(self.space), None
        while self.leaders.choice is not None and self.leaders.choice is not shortened:
            shortened = self.leaders.choice
            query = words.query(shortened.position.predicate)
            for fewer in () if query is None else query.dropped():
                position = self.space.locate(words.predicate(fewer))
                if position is not None and position.size:
                    self._judge_alone(position)

    def _judge_hints(self) -> None:
        """Score the warm-start predicates."""
        words = Vocabulary(self.space)
        for query in filter(None, map(words.query, self.hints)):
            position = self.space.locate(words.predicate(query))
            if position is not None and position.size:
                self._judge_alone(position)

    def _judge_alone(self, position: Position) -> None:
        """Consider one predicate as the best, if both branches have enough individuals."""
        true = self._true(position.predicate)
        self.evaluated += 1
        if self.least <= int(np.count_nonzero(true)) <= self.most:
            loss = _pair(self.scorer.loss(self.scorer.counts(true[:, None]))[0])
            self._improve(loss, position)

    def _true(self, predicate: syn.Predicate) -> Mask:
        """Return a mask of the individuals that satisfy a predicate."""
        rows = rows_where(predicate, self.population, self.population.schema.individual)
        return rows[self.population.individuals]

    # ---- proving ----------------------------------------------------------------------------------------

    def _prove(self) -> None:
        """Expand the predicate with the best bound, or end the proof."""
        if self.stack:
            self._dive()
            return
        waiting = self.frontier[0]
        self.leaders.settle(waiting.bound)
        if self._is_hopeless(waiting.bound, 0):
            # Every other bound is worse still.
            self.pruned += sum(map(len, self.frontier))
            self.frontier.clear()
            return
        if self.waiting > self.budget.frontier:
            self.stack = [waiting.first()]
            self._dive()
            return
        heapq.heappop(self.frontier)
        try:
            if self._is_hopeless(waiting.bound, self._least_cost(waiting.cost)):
                self.pruned += 1
            else:
                self._expand(waiting)
        except _OverError:
            # A partly expanded predicate may still have better refinements, so it counts for the gap.
            heapq.heappush(self.frontier, waiting)
            raise
        self._drop(waiting)

    def _drop(self, waiting: Waiting) -> None:
        """Put an entry back without its first predicate, which was expanded."""
        self.waiting -= 1
        waiting.drop()
        if len(waiting):
            heapq.heappush(self.frontier, waiting)

    def _push(self, waiting: Waiting) -> None:
        if self.stack:
            self.stack.append(waiting)
        else:
            self.waiting += len(waiting)
            heapq.heappush(self.frontier, waiting)

    def _dive(self) -> None:
        """Expand one step below the first predicate of the frontier, depth-first, so that the frontier does not grow.

        The predicate stays in the frontier until its subtree is finished.
        """
        waiting, n = self.stack[-1], len(self.stack)
        if self._is_hopeless(waiting.bound, 0):
            self.pruned += len(waiting)
            self.stack.pop()
        else:
            if not self._is_hopeless(waiting.bound, self._least_cost(waiting.cost)):
                self._expand(waiting)
            waiting.drop()
            # Its best refinement comes next, and the rest of its own run after its subtree.
            below = sorted(self.stack[n:], reverse=True)
            self.stack[n - 1 :] = [*([waiting] if len(waiting) else []), *below]
        if not self.stack:
            self._drop(heapq.heappop(self.frontier))

    def _is_hopeless(self, bound: Loss, cost: int) -> bool:
        """Return whether no refinement with at least this loss and this cost can become the result."""
        return self.prune and self.leaders.is_hopeless(bound, cost)

    def _least_cost(self, cost: CostT) -> CostT:
        """Return the least cost of the refinements of predicates with this cost.

        A refinement costs more; as much, if it may have as many literals; and maybe less, if it may replace literals
        by cheaper ones.
        """
        if not self._may_stay_as_long():
            return cost + 1
        return cost * 0 if self.is_priced else cost

    def _may_stay_as_long(self) -> bool:
        """Return whether a refinement can have as many literals as its parent."""
        return any(self.space.offers.from_literal.values()) or bool(self.space.bundled)

    # ---- one expansion ----------------------------------------------------------------------------------

    def _expand(self, waiting: Waiting) -> None:
        """Evaluate the refinements of the first waiting predicate."""
        at, size = waiting.at, waiting.size
        family, choice = int(waiting.families[at]), int(waiting.choices[at])
        trail = (*waiting.trail, family, choice)
        for n, position in enumerate(waiting.make(family, choice)):
            if position.size > size:
                self._consider(position, (*trail, n))
                continue
            if not waiting.counted[at]:
                self._count(1)
            self._refine(position, trail)

    def _refine(self, position: Position, trail: tuple[int, ...]) -> None:
        """Evaluate all refinements of a predicate by one rewrite."""
        self.expanded += 1
        self.proving += EXPANSION
        places: dict[SlotPath, list[Batch | Opening]] = {}
        n = 0
        for growth in self.space.extensions(position):
            n += 1
            if isinstance(growth, Position):
                self._consider(growth, (*trail, n))
            elif is_countable(position, growth):
                places.setdefault(growth.path, []).append(growth)
            else:
                for item in self.space.members(growth):
                    for made in growth.settle(item):
                        n += 1
                        self._consider(made, (*trail, n))
        for path, growths in places.items():
            batch = next((growth for growth in growths if isinstance(growth, Batch)), None)
            openings = tuple(growth for growth in growths if isinstance(growth, Opening))
            self._sweep(OpenPosition(position, path, batch, openings, (*trail, n + 1)))
        if len(self.known) * max(1, len(self.population)) > KNOWN_BYTES:
            self.known.clear()

    def _consider(self, position: Position, trail: tuple[int, ...]) -> None:
        """Evaluate a single predicate."""
        self.proving += SINGLE
        rows = rows_where(position.predicate, self.population, self.population.schema.individual, self.known)
        true = rows[self.population.individuals]
        self._count(1)
        size = int(np.count_nonzero(true))
        if self.prune and size < self.least:
            self.pruned += 1
            return
        assessed = self.scorer.assess(self.scorer.counts(true[:, None]), self.leaders.limit)
        if self.least <= size <= self.most:
            self._improve(_pair(assessed.losses[0]), position)
        bound, cost = _pair(assessed.bounds[0]), self._cost(position)
        if self._is_hopeless(bound, self._least_cost(cost)):
            self.pruned += 1
        else:
            self._push(Waiting.single(bound, trail, position, cost))

    def _count(self, n: int) -> None:
        """Count evaluations, and stop if a limit is reached and there is a result to return."""
        self.evaluated += n
        self.proving += PREDICATE * n * self.scorer.width // self.scorer.n_labels
        self._stop_if_over()

    def _stop_if_over(self) -> None:
        if self.best is not None and self.budget.clock.over() is not None:
            raise _OverError

    def _note_pass(self, order: str, position: str, n: int, seconds: float) -> None:
        sums = self.passes.setdefault((order, position), [0, 0.0])
        sums[0] += n
        sums[1] += seconds

    def _note_point(self) -> None:
        """Add a point to the trace, if there were many evaluations since the last one."""
        if self.best is not None and self.evaluated >= TRACED * self.trace[-1].evaluated:
            self.trace.append(self._point(self.best.loss[0]))

    def _point(self, loss: float) -> TracePoint:
        """Return a trace point; the first waiting predicate has the smallest bound."""
        least = min(loss, self.frontier[0].bound[0]) if self.frontier else loss
        score, seconds = self.scorer.criterion.score, self.budget.clock.spent()
        return TracePoint(self.evaluated, seconds, float(score(loss)), float(score(least)))

    # ---- families in one pass ---------------------------------------------------------------------------

    def _sweep(self, place: OpenPosition) -> None:
        """Evaluate all tests, and links without further tests, that may be added at one position."""
        began = now()
        chain = chain_to(place.position, place.path, self.columns.steps, self.known)
        self.following += FOLLOWING * len(chain)
        grows = place.batch is None or self._can_grow_after(place.position, place.batch)
        signed = grows and place.batch is not None and not chain.levels
        hashes = self._hashes(len(chain) if signed else 0)
        evaluated = self.evaluated
        for columns in self.columns.of(place.type):
            for first, last in columns.pieces(columns.since(place.since), self.scorer.width):
                start, stop = int(columns.offsets[first]), int(columns.offsets[last])
                counts, sizes, marks = chain.count(columns, first, last, self.tally, hashes)
                self.proving += CELL * len(chain) * (last - first)
                families, choices = columns.members.families[start:stop], columns.members.choices[start:stop]
                found = Members(place, families, choices, counts, sizes, marks if signed else None)
                if place.batch is not None:
                    plain = columns.allowed(start, stop, place.batch) & self.columns.is_plain(place.type)[families]
                    self._take(found, plain, grows, hashes if signed else None)
                if place.openings:
                    self._open(found)
        self._note_pass("prove", _text(place.position, place.path), self.evaluated - evaluated, now() - began)

    def _open(self, found: Members) -> None:
        """Consider the members of families that are opened one by one as best, or let them wait."""
        openings = {opening.family.index: opening for opening in found.place.openings}
        first = np.full(len(self.columns.lengths(found.place.type)), np.iinfo(np.int64).max)
        first[list(openings)] = [opening.start for opening in openings.values()]
        mine = found.choices >= first[found.families]
        if self.prune:
            mine &= found.sizes >= self.least
        members = found.chosen(mine)
        if not len(members.sizes):
            return
        assessed = self.scorer.assess(members.counts, self.leaders.limit)
        self._improve_by_openings(members, assessed.losses, openings)
        surely = self._surely_stand(members, openings)
        self._count(int(np.count_nonzero(surely)))
        every = np.ones(len(surely), dtype=np.bool_)
        self._push_members(
            members, assessed.bounds, every, surely, lambda f, choice: self.space.with_member(openings[f], f, choice)
        )

    def _improve_by_openings(self, members: Members, losses: Floats, openings: Mapping[int, Opening]) -> None:
        """Update the best predicate with the members that this derivation generates."""
        sizes, costs, splits = self._sizes(members), self._costs(members), self._splits(members, losses)
        for k in splits[np.lexsort((costs[splits], losses[splits, 1], losses[splits, 0]))].tolist():
            if not self.leaders.may_lead(_pair(losses[k]), int(costs[k])):
                if self.problem.tolerance:
                    continue  # a worse one may be cheaper
                return
            family, choice = int(members.families[k]), int(members.choices[k])
            for made in self.space.with_member(openings[family], family, choice):
                if made.size == sizes[k]:
                    self._improve(_pair(losses[k]), made)

    def _surely_stand(self, members: Members, openings: Mapping[int, Opening]) -> Mask:
        """Return a mask of the members certain to be derived here: links that clash with nothing at the position."""
        place = members.place
        found = np.zeros(len(members.sizes), dtype=np.bool_)
        if place.batch is None:
            return found
        for index, opening in openings.items():
            family = opening.family
            if isinstance(family, LinkFamily) and index not in self.space.contested[place.type]:
                literal = next(base_literals(family), None)
                if literal is None:
                    continue  # nothing to count, as no molecule has a ring
                beside = opening.position.items
                found[members.families == index] = not any(
                    item.family.head == family.head or clash(literal, item.literal) for item in beside
                )
        return found

    def _push_members(self, members: Members, bounds: Floats, fresh: Mask, counted: Mask, make: Make) -> None:
        """Add the fresh members that may have better refinements to the frontier; see `_is_hopeless`."""
        sizes = self._sizes(members)
        costs = self._costs(members) if self.is_priced else sizes
        hopeful = self._hopeful(bounds, costs)
        self.pruned += int(np.count_nonzero(~hopeful))
        self.duplicates += int(np.count_nonzero(hopeful & ~fresh))
        k = np.flatnonzero(hopeful & fresh)
        if len(k):
            left = sizes[k]
            given = (left, costs[k] if self.is_priced else left, members.families[k], members.choices[k], counted[k])
            self._push(Waiting(members.place.trail, bounds[k], *given, make))

    def _take(self, found: Members, allowed: Mask, grows: bool, hashes: NDArray[np.uint64] | None) -> None:
        """Consider allowed members as best, or let them wait; when pruning, they must keep enough individuals."""
        enough = allowed & (found.sizes >= self.least) if self.prune else allowed
        n_allowed = int(np.count_nonzero(allowed))
        self._count(n_allowed)
        self.pruned += n_allowed - int(np.count_nonzero(enough))
        members = found if enough.all() else found.chosen(enough)
        if len(members.sizes):
            assessed = self.scorer.assess(members.counts, self.leaders.limit)
            self._improve_by(members, assessed.losses)
            if grows:
                every, make = np.ones(len(members.sizes), dtype=np.bool_), partial(self._made, members.place)
                fresh = every if hashes is None else self._fresh(members, hashes)
                self._push_members(members, assessed.bounds, fresh, every, make)

    def _improve_by(self, members: Members, losses: Floats) -> None:
        """Update the best predicate with the members that leave enough individuals in both branches."""
        place, splits = members.place, self._splits(members, losses)
        if not len(splits):
            return
        if self.k > 1:
            self._improve_by_several(members, losses, splits)
            return
        nearly = bool(self.problem.tolerance)
        costs = self._costs(members)
        pool = splits if nearly else splits[self.scorer.least(losses[splits])]
        for cost in np.unique(costs[pool])[: None if nearly else 1].tolist():
            alike = pool[costs[pool] == cost]
            tied = alike[self.scorer.least(losses[alike])]
            if self.leaders.may_lead(_pair(losses[tied[0]]), cost):
                first = tied[np.lexsort((members.choices[tied], members.families[tied]))[0]]
                family, choice = int(members.families[first]), int(members.choices[first])
                self._improve(_pair(losses[first]), next(self._made(place, family, choice)))

    def _improve_by_several(self, members: Members, losses: Floats, splits: Ints) -> None:
        """Update the k best predicates with the members that select different individuals."""
        costs = self._costs(members)
        keys = (
            members.choices[splits],
            members.families[splits],
            costs[splits],
            losses[splits, 1],
            losses[splits, 0],
        )
        for m in splits[np.lexsort(keys)].tolist():
            loss, limit = _pair(losses[m]), self.leaders.limit
            if limit is not None and self.scorer.improves(limit, loss):
                return
            if self.leaders.may_lead(loss, int(costs[m])):
                family, choice = int(members.families[m]), int(members.choices[m])
                self._improve(loss, next(self._made(members.place, family, choice)))

    def _splits(self, members: Members, losses: Floats) -> Ints:
        """Return the members with enough individuals in both branches and a first component within the limit."""
        good, limit = (members.sizes >= self.least) & (members.sizes <= self.most), self.leaders.limit
        if limit is not None:
            good &= losses[:, 0] <= limit[0] + self.scorer.slack
        return np.flatnonzero(good)

    def _made(self, place: OpenPosition, index: int, choice: int) -> Iterator[Position]:
        """Yield the predicate of a member of a batch."""
        assert place.batch is not None
        return self.space.with_member(place.batch, index, choice)

    def _sizes(self, members: Members) -> Ints:
        """Return the number of literals of each member's predicate."""
        place = members.place
        return np.asarray(place.position.size + self.columns.lengths(place.type)[members.families])

    def _costs(self, members: Members) -> Ints:
        """Return the cost of each member's predicate: with a tolerance as in the grammar, otherwise its size."""
        sizes = self._sizes(members)
        if not self.is_priced:
            return sizes
        place = members.place
        surcharges = self.columns.surcharges(place.type)[members.families]
        return np.asarray(sizes + surcharges + (place.position.cost - place.position.size))

    def _cost(self, position: Position) -> int:
        """Return the cost of a predicate; see `_costs`."""
        return position.cost if self.is_priced else position.size

    def _hopeful(self, bounds: Floats, costs: Ints) -> Mask:
        """Return a mask of the predicates of which a refinement can become the result; see `_is_hopeless`."""
        if not self.prune:
            return np.ones(len(bounds), dtype=np.bool_)
        return self.leaders.hopeful(bounds, self._least_cost(costs))

    def _fresh(self, members: Members, hashes: NDArray[np.uint64]) -> Mask:
        """Return a mask of the members that keep fewer rows than their parent, and rows unlike any earlier member's.

        The refinements of the others are found elsewhere, with no more literals, so that no limit excludes them;
        unless a rewrite starts from the test itself.
        """
        marks = members.marks
        fresh = np.ones(len(members.sizes), dtype=np.bool_)
        if marks is None or not self.prune or self.space.offers.from_literal[members.place.type]:
            return fresh
        whole = hashes.sum(axis=1, dtype=np.uint64)
        fresh[(marks[0] == whole[0]) & (marks[1] == whole[1])] = False
        sizes, costs = self._sizes(members), self._costs(members)
        order = np.lexsort((members.choices, members.families, costs, sizes, marks[1], marks[0]))
        again = (np.diff(marks[0][order]) == 0) & (np.diff(marks[1][order]) == 0)
        if self.is_priced:  # a shorter one may be dearer
            again &= np.diff(sizes[order]) == 0
        fresh[order[1:][again]] = False
        return fresh

    def _hashes(self, n: int) -> NDArray[np.uint64]:
        """Return random numbers, fixed throughout a search; two sums of them identify a set of pairs."""
        if self.marks.shape[1] < n:
            self.marks = np.random.default_rng(self.seed).integers(0, 2**63, size=(2, 2 * n), dtype=np.uint64)
        return np.ascontiguousarray(self.marks[:, :n])  # kernels would be compiled again for a view

    def _can_grow_after(self, position: Position, batch: Batch) -> bool:
        """Return whether a predicate with one more test at the end of the path can have refinements."""
        if self.space.offers.from_literal[batch.position.slot.type]:
            return True
        if batch.room.literals is not None and batch.room.literals <= 1:
            return False
        most = self.space.grammar.conjuncts.get(batch.position.slot.type, 1)
        if most == 0 or len(batch.position.items) + 1 < max(most, len(batch.position.fixed) + 1):
            return True
        return any(self.space.has_place(place) for place in _before_the_end(position, batch.path))

    # ---- the best so far --------------------------------------------------------------------------------

    def _improve(self, loss: Loss, position: Position) -> None:
        """Add a predicate to the best if it leads; see `structtree.search.leaders`."""
        found = Best(loss, self._cost(position), position.key, position)
        if not self.leaders.admits(found):
            return
        if self.k > 1:
            found = replace(found, meaning=np.packbits(self._true(position.predicate)).tobytes())
        if self.leaders.add(found):
            self.improved = self.work

    def _report(self) -> None:
        spent = self.budget.clock.spent()
        if self.progress is not None and spent - self.reported >= 1.0:
            self.reported = spent
            self.progress(self._stats(), self.result() if self.best is not None else None)

    def _stats(self) -> SearchStats:
        passes = tuple(Pass(*key, int(n), seconds) for key, (n, seconds) in sorted(self.passes.items()))
        seconds = self.budget.clock.spent()
        counts = (self.evaluated, self.expanded, self.pruned, self.duplicates)
        return SearchStats(*counts, seconds, self.stopped_by, self.work, passes)

    def result(self) -> Split:
        """Return the best split, with the next best ones; with a tolerance the cheapest of nearly the best."""
        bounds = [waiting.bound for waiting in self.frontier]
        if self._is_partial():  # nothing is known about tests that were not prepared
            bounds.append(self.least_bound)
        best, choice = self.leaders.best, self.leaders.choice
        if best is None or choice is None:
            return self._split(self.space.root(), bounds)
        if self.problem.tolerance:
            found = self._split(choice.position, bounds)
            return found if best is choice else replace(found, best=self._split(best.position, bounds))
        first, *others = (self._split(leader.position, bounds) for leader in self.leaders.found)
        return replace(first, next_best=tuple(others))

    def _split(self, position: Position, bounds: list[Loss]) -> Split:
        true = self._true(position.predicate)
        loss = _pair(self.scorer.loss(self.scorer.counts(true[:, None]))[0])
        yes, no = self.scorer.sides(true)
        proved = self._is_proved(loss, bounds)
        gap = 0.0 if proved else max(0.0, loss[0] - min(bound[0] for bound in bounds))
        score = self.scorer.score(np.array(loss))
        end = self._point(loss[0])
        trace = (*self.trace, end._replace(bound=end.score) if proved else end)
        name, stats = self.scorer.name, replace(self._stats(), trace=trace)
        others = tuple(p for p in dict.fromkeys(reversed(self.good)) if p != position.predicate)
        given = (score, yes, no, proved, gap, name, stats, self.problem, others)
        return Split(position.predicate, loss, *given, cost=position.cost)

    def _is_proved(self, loss: Loss, bounds: list[Loss]) -> bool:
        """Return whether no predicate with one of these bounds can be better, or cheaper and nearly as good."""
        if self.problem.tolerance:
            return all(self.leaders.is_hopeless(bound, 0) for bound in bounds)
        is_perfect = bool(self.leaders.found) and self._has_least_loss(loss)
        return is_perfect or not any(self.scorer.compare(bound, loss) < 0 for bound in bounds)


def _text(position: Position, path: SlotPath) -> str:
    """Return a position as text: the links that lead to it."""
    names = []
    for index, slot in path:
        item = position.items[index]
        assert isinstance(item.family, LinkFamily)
        names.append(link_name(item.family))
        position = item.positions[slot]
    return ".".join(names) or "(individual)"


def _pair(loss: Floats) -> Loss:
    return float(loss[0]), float(loss[1])


def _before_the_end(position: Position, path: SlotPath) -> Iterator[Position]:
    """Yield the positions along a path, without the last."""
    for index, slot in path:
        yield position
        position = position.items[index].positions[slot]
