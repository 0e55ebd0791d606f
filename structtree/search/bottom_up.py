"""Bottom-up search for predicates: one shortest predicate for each set of rows that predicates can select.

The meaning of a predicate is the set of rows that satisfy it. Predicates with the same meaning are interchangeable,
so that one predicate per meaning is enough, and there are far fewer meanings than predicates: on MUTAG, a few
hundred instead of a hundred thousand. Innermost types come first; links carry meanings outwards by counting.

Law: for every predicate of the space, the result has one with the same individuals that is no longer (unless there
are too many, which is reported).

The alternative, `structtree.search.engine`, goes from ``top`` inwards and prunes, which is better for large
families. Bottom-up search is better for deep structures, and its result can be used at every node of a tree.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import Ints, Words
from structtree.data.population import Population
from structtree.lang import syntax as syn
from structtree.progress import report_status
from structtree.search.clock import Clock
from structtree.search.columns import TestColumn, call_columns, is_nested, ranked_column
from structtree.search.kernels.masks import conjunction_signatures, packed, signatures, unpacked, words_behind
from structtree.search.kernels.tables import AT_LEAST
from structtree.search.steps import Steps
from structtree.space.evaluate import holds, rows_where
from structtree.space.families import LinkFamily, Slot, TestFamily, base_predicates
from structtree.space.space import Space
from structtree.space.terms import clash, conjoin, conjuncts, n_literals, nesting

__all__ = ["LinkColumns", "Meanings", "is_settled", "link_columns", "meanings", "own_columns", "suits"]

MOST = 20_000
"""Default maximum number of meanings of one type."""

CELLS = 2_000_000_000
"""Default maximum number of meanings times rows of one type, one bit each."""

FEW_TESTS = 300
"""Maximum number of tests of one type that are listed by default."""

PAIRS, FEW_PAIRS = 20_000_000, 1_500_000
"""Maximum number of conjunctions of one length; and where an incomplete list is of no use."""

WORK = 2_000_000_000
"""Default maximum number of 64-bit words of these conjunctions."""

WORDS_AT_A_TIME = 100_000_000
"""Number of these words processed between two checks of the clock."""

PREDICATES = 256
"""Number of predicates carried through links at a time."""

ENDLESS = 99


@dataclass(frozen=True, slots=True, eq=False)
class Meanings:
    """Predicates on a type that select different sets of rows, shortest first, starting with ``top``.

    Parameters
    ----------
    words : (m, n) uint64
        The rows that satisfy each predicate, one bit per row.
    sizes : (m,) int
        The number of literals of each predicate.
    costs : (m,) int
        The cost of each predicate.
    predicates : tuple of Predicate
    complete : bool
        Whether all meanings are included; predicates that no row satisfies are always excluded.
    """

    words: Words
    sizes: Ints
    costs: Ints
    predicates: tuple[syn.Predicate, ...]
    complete: bool

    def __len__(self) -> int:
        return len(self.sizes)


@dataclass(slots=True, eq=False)
class _Work:
    """Shared state of a bottom-up search: the space on its population, the limits and the results so far.

    By cost, the cheapest predicate stands for all that select the same rows; if a cheaper one may be longer, the
    cheapest of each length does.
    """

    space: Space
    most: int
    cells: int
    effort: int = WORK
    least: int = 1
    clock: Clock = field(default_factory=Clock)
    partial: bool = True
    by_cost: bool = False
    thin: bool = False
    overflow: bool = False
    steps: Steps = field(init=False)
    done: dict[tuple[str, int, int], Meanings] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.steps = Steps(self.population)

    @property
    def population(self) -> Population:
        assert self.space.population is not None
        return self.space.population

    @property
    def over(self) -> bool:
        """True after the time limit or Ctrl-C."""
        return self.clock.over() is not None

    @property
    def is_priced(self) -> bool:
        """True if a cheaper predicate may be longer."""
        return self.by_cost and self.space.is_priced

    def limit(self, n_rows: int) -> int:
        """Return the maximum number of predicates to keep for a type."""
        return max(100, min(self.most, self.cells // max(1, n_rows)))


def suits(space: Space) -> bool:
    """Return whether bottom-up search supports all predicates of a grammar."""
    if any(space.offers.from_literal.values()) or space.bundled:
        return False
    families = [family for offered in space.offers.from_top.values() for family in offered]
    links = [family for family in families if isinstance(family, LinkFamily)]
    # ``all`` holds for a row without targets, so that it would need the excluded predicates that no row satisfies.
    return all(
        (link.slots[0].plain or is_settled(link.slots[0]))
        and not isinstance(link.template, syn.All | syn.Distinct | syn.Aggregate)
        for link in links
    )


def is_settled(slot: Slot) -> bool:
    """Return whether a slot and all slots inside it are closed."""
    inner = [slot for family in slot.fixed if isinstance(family, LinkFamily) for slot in family.slots]
    return not slot.open and all(map(is_settled, inner))


def is_affordable(space: Space) -> bool:
    """Return whether there are few enough tests behind links to enumerate them."""
    offered = (families for name, families in space.offers.from_top.items() if name != space.grammar.individual)
    return all(sum(f.n for f in families if isinstance(f, TestFamily)) <= FEW_TESTS for families in offered)


class LinkColumns(NamedTuple):
    """All tests behind links of the individuals, as columns.

    Parameters
    ----------
    columns : tuple of TestColumn
        One for each ``count`` with all its numbers (weakest first), and one for each other literal.
    missing : {"conjunctions", "literals", "time"}, optional
        Why the columns are incomplete: too many single literals, too many conjunctions (or rows), or no time left.
    costs : tuple of int
        The cost of the tests of each column.
    """

    columns: tuple[TestColumn, ...]
    missing: Literal["conjunctions", "literals", "time"] | None
    costs: tuple[int, ...] = ()


class _IncompleteError(Exception):
    """Raised if there are too many tests, and an incomplete list of them is of no use."""


def link_columns(
    space: Space,
    most: int = MOST,
    cells: int = CELLS,
    effort: int = WORK,
    least: int = 1,
    *,
    shorten: bool = True,
    partial: bool = True,
    clock: Clock | None = None,
    by_cost: bool = False,
) -> LinkColumns:
    """Return all literals behind links of the individuals, one for each set of individuals that they select.

    Parameters
    ----------
    space : Space
        A space on a population for which `suits` is true.
    most, cells : int
        The maximum number of meanings of a type, and of meanings times rows.
    effort : int
        The maximum number of 64-bit words of the conjunctions of one length that are compared.
    least : int
        The minimum number of rows that a single test inside a link keeps.
    shorten : bool
        Whether to continue if there are too many single literals, with some of the values of each test; otherwise no
        columns are returned.
    partial : bool
        Whether to return incomplete columns; otherwise no columns are returned, as soon as some are missing.
    clock : Clock, optional
        When it is over, the remaining (longer) tests are skipped.
    by_cost : bool
        Whether the cheapest test stands for all that select the same individuals.

    Examples
    --------
    >>> from structtree import Grammar, load_dataset, pretty
    >>> trains = load_dataset("trains")
    >>> grammar = "refine Train { top -> exists cars (top) } refine Car { top -> long; top -> roof = * }"
    >>> columns, missing, _ = link_columns(Space.build(Grammar.parse(grammar), trains.population))
    >>> missing, pretty(columns[0].members[0]), columns[0].values[:5].tolist()
    (None, 'exists cars (long)', [1, 0, 1, 0, 1])
    """
    work = _Work(space, most, cells, effort, least, clock or Clock(), partial, by_cost, shorten)
    if not shorten and not is_affordable(space):
        return LinkColumns((), "literals")
    try:
        return _link_columns(work)
    except _IncompleteError:
        return LinkColumns((), "time" if work.over else "conjunctions")


def _link_columns(work: _Work) -> LinkColumns:
    space = work.space
    depth, size = _limits(space)
    found: dict[bytes, tuple[int, TestColumn]] = {}
    complete = True
    for family in space.first_families():
        if not isinstance(family, LinkFamily):
            continue
        report_status("listing tests", 0, None, f"{sum(len(one.members) for _, one in found.values()):,} found")
        inner = _inside(work, family, depth, size)
        complete &= inner.complete and not work.over
        for (predicate, ranks), inside in zip(_ranks(family, inner, work), inner.costs.tolist(), strict=False):
            key, cost = ranks.tobytes(), 1 + inside + family.surcharge
            is_new = key not in found or (work.by_cost and cost < found[key][0])
            if is_new and ranks.any() and ranks.min() != ranks.max():
                passed = family.numbers[: int(ranks.max())]
                found[key] = cost, TestColumn(ranks, AT_LEAST, tuple(family.build(n, [predicate]) for n in passed))
    costs, columns = tuple(cost for cost, _ in found.values()), tuple(column for _, column in found.values())
    if complete:
        return LinkColumns(columns, None, costs)
    return LinkColumns(columns, "time" if work.over else "literals" if work.overflow else "conjunctions", costs)


def own_columns(family: TestFamily, population: Population) -> Iterator[TestColumn]:
    """Yield the tests of a family on the individuals as columns: a single one for nested tests, else one per test."""
    steps = Steps(population)
    nested = [ranked_column(family, steps)] if is_nested(family) else call_columns(family, steps)
    for column in nested or ():
        tests = tuple(family.literal(v) for v in column.members.tolist())
        yield TestColumn(column.values[population.individuals], AT_LEAST, tests)
    if nested is not None:
        return
    for v in family.choices():
        yield TestColumn(holds(family.literal(v), population).astype(np.int16), AT_LEAST, (family.literal(v),))


def _ranks(family: LinkFamily, inner: Meanings, work: _Work) -> Iterator[tuple[syn.Predicate, NDArray[np.int16]]]:
    """Yield each predicate behind a link, with the number of tests of the family that each individual satisfies."""
    individuals, n_rows = work.population.individuals, work.population.tables[family.type].n_rows
    everybody = np.array_equal(individuals, np.arange(n_rows))
    for first in range(0, len(inner), PREDICATES):
        if first and work.over:
            return
        lifted = _lifted(family, inner.words[first : first + PREDICATES], work)
        reached = np.zeros((lifted.shape[1], len(individuals)), dtype=np.int16)
        for words in lifted:
            masks = unpacked(words, n_rows)
            reached += masks if everybody else masks[:, individuals]
        yield from zip(inner.predicates[first : first + PREDICATES], reached, strict=True)


def meanings(space: Space, name: str, most: int = MOST, cells: int = CELLS) -> Meanings:
    """Return the predicates on a type that can be nested in predicates on individuals, one per set of rows.

    Examples
    --------
    >>> from structtree import Grammar, load_dataset, pretty
    >>> trains = load_dataset("trains")
    >>> grammar = "refine Train { top -> exists cars (top) } refine Car { top -> long; top -> not long }"
    >>> found = meanings(Space.build(Grammar.parse(grammar), trains.population), "Car")
    >>> [pretty(predicate) for predicate in found.predicates]
    ['top', 'long', 'not long']
    """
    return _meanings(_Work(space, most, cells), name, *_limits(space))


def _limits(space: Space) -> tuple[int, int]:
    """Return the maximum nesting and the maximum number of literals of a predicate."""
    limits = space.grammar.limits
    nesting, literals = (ENDLESS if limit is None else limit for limit in (limits.nesting, limits.literals))
    return nesting, literals


def _inside(work: _Work, family: LinkFamily, depth: int, size: int) -> Meanings:
    """Return the predicates that are possible behind a link: all, or those fixed by the rewrite."""
    slot = family.slots[0]
    if slot.plain:
        return _meanings(work, slot.type, depth - 1, size - 1)
    fitting = [
        predicate
        for predicate in base_predicates(slot)
        if nesting(predicate) <= depth - 1 and n_literals(predicate) <= size - 1
    ]
    masks = [packed(rows_where(predicate, work.population, slot.type)[None, :]) for predicate in fitting]
    n_words = max(1, -(-work.population.tables[slot.type].n_rows // 64))
    words = np.concatenate([np.zeros((0, n_words), dtype=np.uint64), *masks])
    sizes = np.array([n_literals(p) for p in fitting], dtype=np.int64)
    return Meanings(words, sizes, sizes, tuple(fitting), True)


def _meanings(work: _Work, name: str, depth: int, size: int) -> Meanings:
    """Return the predicates on a type with at most the given nesting and number of literals, one per set of rows."""
    key = (name, depth, size)
    if key not in work.done:
        limit = work.limit(work.population.tables[name].n_rows)
        most_pairs = PAIRS if work.partial else FEW_PAIRS
        literals = _literals(work, name, depth, size)
        by = (work.by_cost, work.is_priced, work.effort)
        growing = _Growing(literals, limit, work.clock, most_pairs, *by)
        for _ in range(1, work.space.grammar.conjuncts.get(name, 1) or ENDLESS):
            growing.complete &= not work.over and (work.partial or growing.is_affordable(size))
            if work.over or not (work.partial or growing.complete) or not growing.extend(size):
                break
        if not growing.complete and not work.partial:
            raise _IncompleteError
        work.done[key] = growing.result()
    return work.done[key]


# ---- literals --------------------------------------------------------------------------------------------------


def _literals(work: _Work, name: str, depth: int, size: int) -> Meanings:
    """Return the single literals on a type, one per set of rows."""
    n_rows = work.population.tables[name].n_rows
    none = np.zeros(1, dtype=np.int64)
    parts = [Meanings(packed(np.ones((1, n_rows), dtype=np.bool_)), none, none, (syn.Top(),), True)]
    offered = work.space.offers.from_top[name]
    tests = [f for f in offered if isinstance(f, TestFamily) and f.size <= size and f.depth <= depth]
    share = _share([f.n for f in tests], work.limit(n_rows) // 2) if work.thin else None
    for family in offered:
        if isinstance(family, TestFamily):
            if family.size <= size and family.depth <= depth:
                parts.append(_tests(family, work.population, work.least, share))
        elif depth >= 1 and size >= 1:
            inner = _inside(work, family, depth, size)
            parts.append(_links(family, inner, work))
    limit = work.limit(n_rows)
    found = _distinct(parts, limit, by_cost=work.by_cost, is_priced=work.is_priced)
    # Searching from ``top`` is better if there are too many tests, but not if there are too many rows.
    is_thinned = share is not None
    work.overflow |= limit == work.most and not found.complete and (is_thinned or all(p.complete for p in parts))
    return found


def _share(sizes: list[int], room: int) -> int | None:
    """Return the maximum number of tests per family, so that all families fit; None if they fit as they are.

    Examples
    --------
    >>> _share([3, 50, 1000], 103), _share([3, 50], 53)
    (50, None)
    """
    if sum(sizes) <= room:
        return None
    for n_left, size in zip(range(len(sizes), 0, -1), sorted(sizes), strict=True):
        if size * n_left > room:
            return max(1, room // n_left)
        room -= size
    return None


def _tests(family: TestFamily, population: Population, least: int, share: int | None) -> Meanings:
    """Return the tests of a family that keep enough rows; of many, a share at equal distances."""
    words, literals = [np.zeros((0, max(1, -(-population.tables[family.type].n_rows // 64))), dtype=np.uint64)], []
    choices: Sequence[int] = family.choices()
    is_thinned = share is not None and share < len(choices)
    if share is not None and is_thinned:
        choices = [choices[k * len(choices) // share + len(choices) // (2 * share)] for k in range(share)]
    for literal in map(family.literal, choices):
        mask = rows_where(literal, population, family.type)
        if least == 1 or np.count_nonzero(mask) >= least:
            words.append(packed(mask[None, :]))
            literals.append(literal)
    sizes = np.full(len(literals), family.size)
    return Meanings(np.concatenate(words), sizes, sizes + family.surcharge, tuple(literals), not is_thinned)


def _links(family: LinkFamily, inner: Meanings, work: _Work) -> Meanings:
    """Return the literals of a link family: one for each inner predicate and each number of a count."""
    population, complete = work.population, inner.complete
    n_words = -(-population.tables[family.type].n_rows // 64)
    words, which, literals = [np.zeros((0, max(1, n_words)), dtype=np.uint64)], [], []
    for first in range(0, len(inner), PREDICATES):
        if work.over:
            complete = False
            break
        lifted = _lifted(family, inner.words[first : first + PREDICATES], work)
        for number, found in zip(family.numbers, lifted, strict=True):
            some = np.flatnonzero(found.any(axis=1))
            words.append(found[some])
            for m in (first + some).tolist():
                which.append(m)
                literals.append(family.build(number, [inner.predicates[m]]))
    inside = np.array(which, dtype=np.int64)
    sizes, costs = inner.sizes[inside] + 1, inner.costs[inside] + 1 + family.surcharge
    return Meanings(np.concatenate(words), sizes, costs, tuple(literals), complete)


def _lifted(family: LinkFamily, words: Words, work: _Work) -> Words:
    """Return the rows with at least n targets that satisfy each predicate, for each number n of a family."""
    adjacency = work.steps.of(family)
    numbers = np.array(family.numbers if isinstance(family.template, syn.Count) else (1,), dtype=np.int64)
    return np.asarray(words_behind(adjacency.offsets, adjacency.targets, words, numbers))


# ---- distinct meanings -----------------------------------------------------------------------------------------


def _seeds(n_words: int) -> Words:
    return np.random.default_rng(0).integers(0, 2**63, size=n_words, dtype=np.uint64) | np.uint64(1)


def _by_length(signs: Words, sizes: Ints, is_priced: bool) -> Words:
    """Return signatures that also differ for predicates of different lengths, if a cheaper one may be longer."""
    return signs + sizes.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) if is_priced else signs


def _distinct(parts: list[Meanings], most: int, *, by_cost: bool, is_priced: bool) -> Meanings:
    """Merge predicates from several sources, keeping the shortest for each set of rows, up to a maximum number."""
    words = np.concatenate([part.words for part in parts])
    sizes, costs = (np.concatenate([getattr(part, name) for part in parts]) for name in ("sizes", "costs"))
    literals = [literal for part in parts for literal in part.predicates]
    order = np.argsort(costs if by_cost else sizes, kind="stable")
    signs = _by_length(signatures(words, _seeds(words.shape[1])), sizes, is_priced)
    _, first = np.unique(signs[order], return_index=True)
    kept = order[np.sort(first)]
    kept = kept[words[kept].any(axis=1)]
    complete = all(part.complete for part in parts) and len(kept) <= most
    kept = kept[:most]
    return Meanings(words[kept], sizes[kept], costs[kept], tuple(literals[k] for k in kept.tolist()), complete)


@dataclass(slots=True, eq=False)
class _Growing:
    """Conjunctions that are extended by one conjunct at a time.

    By cost, a conjunction with the rows of an earlier one is kept as well if it is cheaper.
    """

    literals: Meanings
    limit: int
    clock: Clock
    most_pairs: int = PAIRS
    by_cost: bool = False
    is_priced: bool = False
    effort: int = WORK
    words: Words = field(init=False)
    sizes: Ints = field(init=False)
    costs: Ints = field(init=False)
    lasts: Ints = field(init=False)
    predicates: list[syn.Predicate] = field(init=False)
    seeds: Words = field(init=False)
    seen: dict[int, int] = field(init=False)
    complete: bool = field(init=False)
    first: int = 1

    def __post_init__(self) -> None:
        self.words, self.sizes, self.costs = self.literals.words, self.literals.sizes, self.literals.costs
        self.lasts = np.arange(len(self.literals))
        self.predicates = list(self.literals.predicates)
        self.seeds = _seeds(self.words.shape[1])
        signs = _by_length(signatures(self.words, self.seeds), self.sizes, self.is_priced)
        self.seen = dict(zip(signs.tolist(), self.costs.tolist(), strict=True))
        self.complete = self.literals.complete

    def extend(self, size: int) -> bool:
        """Extend the conjunctions by one conjunct; return whether this produced conjunctions to extend further."""
        n = len(self.sizes)
        pairs, signs = self._pairs(size)
        lengths = self.sizes[pairs[:, 0]] + self.literals.sizes[pairs[:, 1]]
        costs = self.costs[pairs[:, 0]] + self.literals.costs[pairs[:, 1]]
        pairs, signs, lengths, costs = (each[signs != 0] for each in (pairs, signs, lengths, costs))
        signs = _by_length(signs, lengths, self.is_priced)
        order = np.argsort(costs if self.by_cost else lengths, kind="stable")
        _, first = np.unique(signs[order], return_index=True)
        # If the first of several equal pairs clashes, another may not; those few are checked one by one.
        self._add(pairs[self._fresh(pairs, signs, costs, order, np.sort(first))])
        self.first = n
        return n < len(self.sizes) < self.limit

    def _pairs(self, size: int) -> tuple[NDArray[np.int32], Words]:
        """Return pairs of a predicate and a literal that extends it, with their signatures, until the time is up."""
        literals, last = self.literals, self._affordable(size)
        self.complete = self.complete and last >= len(self.sizes)
        step = max(1, WORDS_AT_A_TIME // max(1, len(literals) * self.words.shape[1]))
        parts = [(np.zeros((0, 2), dtype=np.int32), np.zeros(0, dtype=np.uint64))]
        for first in range(self.first, last, step):
            some = slice(0, min(first + step, last))
            given = (self.words[some], self.sizes[some], self.lasts[some], first)
            parts.append(conjunction_signatures(*given, literals.words, literals.sizes, size, self.seeds))
            report_status("listing tests", first, last, f"{len(self.sizes):,} found for the current type")
            if self.clock.over() is not None and some.stop < last:
                self.complete = False
                break
        return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])

    def is_affordable(self, size: int) -> bool:
        """Return whether all predicates can be extended within the work limit."""
        return self._affordable(size) >= len(self.sizes)

    def _affordable(self, size: int) -> int:
        """Return the number of predicates, shortest first, that can be extended within the work limit."""
        fitting = np.searchsorted(np.sort(self.literals.sizes), size - self.sizes[self.first :], side="right")
        most = min(self.most_pairs, self.effort // self.words.shape[1])
        return self.first + int(np.searchsorted(np.cumsum(fitting), most, side="right"))

    def _fresh(self, pairs: NDArray[np.int32], signs: Words, costs: Ints, order: Ints, first: Ints) -> Ints:
        """Return one pair for each new set of rows: the shortest pair without a clash."""
        kept: list[int] = []
        refused: set[int] = set()
        self._sift(order[first], pairs, signs, costs, kept, refused)
        if refused:
            again = order[np.isin(signs[order], np.array(list(refused), dtype=np.uint64))]
            self._sift(again, pairs, signs, costs, kept, set())
        room = self._room
        self.complete = self.complete and len(kept) <= room
        return np.array(kept[:room], dtype=np.int64)

    @property
    def _room(self) -> int:
        return self.limit - len(self.sizes)

    def _sift(
        self,
        some: Ints,
        pairs: NDArray[np.int32],
        signs: Words,
        costs: Ints,
        kept: list[int],
        refused: set[int],
    ) -> None:
        """Keep the pairs that select a new set of rows, or are cheaper, and do not clash, up to the limit."""
        for n, k in enumerate(some.tolist()):
            if len(kept) > self._room or (n % 256 == 0 and self.clock.over() is not None):
                self.complete = False
                return
            sign, cost = int(signs[k]), int(costs[k])
            if sign in self.seen and not (self.by_cost and cost < self.seen[sign]):
                continue
            if self._stands(pairs[k]):
                self.seen[sign] = cost
                kept.append(k)
            else:
                refused.add(sign)

    def _stands(self, pair: NDArray[np.int32]) -> bool:
        literal = self.literals.predicates[int(pair[1])]
        return not any(clash(literal, other) for other in conjuncts(self.predicates[int(pair[0])]))

    def _add(self, pairs: NDArray[np.int32]) -> None:
        one, other = pairs[:, 0], pairs[:, 1]
        self.words = np.concatenate([self.words, self.words[one] & self.literals.words[other]])
        self.sizes = np.concatenate([self.sizes, self.sizes[one] + self.literals.sizes[other]])
        self.costs = np.concatenate([self.costs, self.costs[one] + self.literals.costs[other]])
        self.lasts = np.concatenate([self.lasts, other])
        for m, k in pairs.tolist():
            self.predicates.append(conjoin((*conjuncts(self.predicates[m]), self.literals.predicates[k])))

    def result(self) -> Meanings:
        """Return all predicates found, shortest first; by cost, the cheapest first, and none that is dearer."""
        order = np.argsort(self.costs if self.by_cost else self.sizes, kind="stable")
        if self.by_cost:
            signs = _by_length(signatures(self.words, self.seeds), self.sizes, self.is_priced)
            order = order[np.sort(np.unique(signs[order], return_index=True)[1])]
        predicates = tuple(self.predicates[k] for k in order.tolist())
        return Meanings(self.words[order], self.sizes[order], self.costs[order], predicates, self.complete)
