"""Every meaning once: the predicates of a type from the inside out, each kept only if no shorter one means the same.

What a predicate means is the set of rows it holds of. Two predicates that hold of the same rows can stand for each
other wherever they are put, so of all predicates of a type one for each meaning is enough, and there are far fewer
meanings than predicates: on MUTAG a few hundred out of a hundred thousand. Innermost types come first; links carry
meanings outwards by counting.

Law: for every predicate of the space there is one here that holds of the same individuals and is no longer (unless
there were too many, which is said).

This is the other way to search: `structtree.search.engine` goes from ``top`` inwards and prunes, which pays where
families are large; from the inside out pays where structure is deep, and the result serves every node of a tree.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import Ints, Mask
from structtree.data.population import Population
from structtree.lang import syntax as syn
from structtree.progress import report_status
from structtree.search.clock import Clock
from structtree.search.columns import call_columns, is_nested, ranked_column
from structtree.search.kernels.masks import conjunction_signatures, signatures, words_behind
from structtree.search.steps import Steps
from structtree.space.evaluate import holds, rows_where
from structtree.space.families import LinkFamily, Slot, TestFamily, base_predicates
from structtree.space.space import Space
from structtree.space.terms import clash, conjoin, conjuncts, n_literals, nesting

__all__ = ["LinkColumn", "LinkColumns", "Meanings", "is_settled", "link_columns", "meanings", "own_columns", "suits"]

Words = NDArray[np.uint64]

MOST = 20_000
"""Most meanings of one type that are kept by default."""

CELLS = 2_000_000_000
"""Most meanings times rows of a type that are kept by default; a bit each."""

FEW_TESTS = 300
"""More tests of one type than these are not listed, unless they are asked for."""

PAIRS = 20_000_000
"""Most conjunctions of one length that are looked at."""

WORK = 2_000_000_000
"""Most 64-bit words that they may have in all."""

WORDS_AT_A_TIME = 100_000_000
"""Most of these words that are looked at before the next look at the clock."""

PREDICATES = 256
"""Most predicates that are carried behind links at a time."""

ENDLESS = 99


@dataclass(frozen=True, slots=True, eq=False)
class Meanings:
    """Predicates on a type that all hold of different rows, shorter ones first; the first one is ``top``.

    Parameters
    ----------
    words : (m, n) uint64
        Which rows each holds of, a bit for each row.
    sizes : (m,) int
        How many literals each has.
    predicates : tuple of Predicate
    complete : bool
        Whether no meaning is missing that a predicate of the space has; one that holds of no row is always left out.
    """

    words: Words
    sizes: Ints
    predicates: tuple[syn.Predicate, ...]
    complete: bool

    def __len__(self) -> int:
        return len(self.sizes)


@dataclass(frozen=True, slots=True, eq=False)
class LinkColumn:
    """One way to look behind a link of the individuals: by how much each of them passes.

    Parameters
    ----------
    tests : tuple of Predicate
        From the laxest to the strictest; who passes one passes all before it.
    ranks : (individuals,) int16 or int32
        How many of them each individual passes.
    """

    tests: tuple[syn.Predicate, ...]
    ranks: NDArray[np.int16] | NDArray[np.int32]


@dataclass(slots=True, eq=False)
class _Work:
    """State that all types share: the space on its population, and the limits."""

    space: Space
    most: int
    cells: int
    clock: Clock = field(default_factory=Clock)
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
        """Return whether the time is over, or somebody wants it to end."""
        return self.clock.over() is not None

    def limit(self, n_rows: int) -> int:
        """Return how many meanings of a type may be looked at."""
        return max(100, min(self.most, self.cells // max(1, n_rows)))


def suits(space: Space) -> bool:
    """Return whether all that a grammar makes can be made from the inside out."""
    if any(space.offers.from_literal.values()) or space.bundled:
        return False
    families = [family for offered in space.offers.from_top.values() for family in offered]
    links = [family for family in families if isinstance(family, LinkFamily)]
    # ``all`` holds of a row without targets whatever is asked: what holds of no row would have to be kept for it.
    return all(
        (link.slots[0].plain or is_settled(link.slots[0]))
        and not isinstance(link.template, syn.All | syn.Distinct | syn.Aggregate)
        for link in links
    )


def is_settled(slot: Slot) -> bool:
    """Return whether nothing can be added in a slot, nor inside of what stands in it."""
    inner = [slot for family in slot.fixed if isinstance(family, LinkFamily) for slot in family.slots]
    return not slot.open and all(map(is_settled, inner))


def is_affordable(space: Space) -> bool:
    """Return whether tests behind links are few enough to combine: thresholds are better swept than listed."""
    offered = (families for name, families in space.offers.from_top.items() if name != space.grammar.individual)
    return all(sum(f.n for f in families if isinstance(f, TestFamily)) <= FEW_TESTS for families in offered)


class LinkColumns(NamedTuple):
    """All ways to look behind links of the individuals.

    Parameters
    ----------
    columns : tuple of LinkColumn
        ``count`` with its numbers is one of them, all other literals are one each.
    missing : {"conjunctions", "literals", "time"}, optional
        What there was too much of, if anything: single literals by themselves, or else conjunctions, and what the
        rows are too many for; or that the time was over.
    """

    columns: tuple[LinkColumn, ...]
    missing: Literal["conjunctions", "literals", "time"] | None


def link_columns(
    space: Space, most: int = MOST, cells: int = CELLS, *, shorten: bool = True, clock: Clock | None = None
) -> LinkColumns:
    """All literals on the individuals that look behind a link, one for each meaning, with who passes them.

    Parameters
    ----------
    space : Space
        For which `suits` holds, on a population.
    most, cells : int
        How many meanings of a type are kept, and how many times its rows that may be.
    shorten : bool
        Whether to go on when there are too many single literals; else there are no columns then.
    clock : Clock, optional
        When the time is over, what is still missing is left out: the longer ones.

    Examples
    --------
    >>> from structtree import Grammar, load_dataset, pretty
    >>> trains = load_dataset("trains")
    >>> grammar = "refine Train { top -> exists cars (top) } refine Car { top -> long; top -> roof = * }"
    >>> columns, missing = link_columns(Space.build(Grammar.parse(grammar), trains.population))
    >>> missing, pretty(columns[0].tests[0]), columns[0].ranks[:5].tolist()
    (None, 'exists cars (long)', [1, 0, 1, 0, 1])
    """
    work = _Work(space, most, cells, clock or Clock())
    if not shorten and not is_affordable(space):
        return LinkColumns((), "literals")
    depth, size = _limits(space)
    found: list[LinkColumn] = []
    complete = True
    seen: set[bytes] = set()
    for family in space.first_families():
        if not isinstance(family, LinkFamily):
            continue
        report_status("listing tests", 0, None, f"{sum(len(one.tests) for one in found):,} so far")
        inner = _inside(work, family, depth, size)
        complete &= inner.complete and not work.over
        for predicate, ranks in _ranks(family, inner, work):
            key = ranks.tobytes()
            if key not in seen and ranks.any() and ranks.min() != ranks.max():
                seen.add(key)
                passed = family.numbers[: int(ranks.max())]
                found.append(LinkColumn(tuple(family.build(n, [predicate]) for n in passed), ranks))
    if complete:
        return LinkColumns(tuple(found), None)
    return LinkColumns(tuple(found), "time" if work.over else "literals" if work.overflow else "conjunctions")


def own_columns(family: TestFamily, population: Population) -> Iterator[LinkColumn]:
    """The tests of a family on the individuals as columns: one for nested ones, as thresholds are, else one each."""
    steps = Steps(population)
    nested = [ranked_column(family, steps)] if is_nested(family) else call_columns(family, steps)
    for column in nested or ():
        tests = tuple(family.literal(v) for v in column.choices.tolist())
        yield LinkColumn(tests, column.values[population.individuals])
    if nested is not None:
        return
    for v in family.choices():
        yield LinkColumn((family.literal(v),), holds(family.literal(v), population).astype(np.int16))


def _ranks(family: LinkFamily, inner: Meanings, work: _Work) -> Iterator[tuple[syn.Predicate, NDArray[np.int16]]]:
    """For each meaning behind a link, how many tests of the family each individual passes."""
    individuals, n_rows = work.population.individuals, work.population.tables[family.type].n_rows
    everybody = np.array_equal(individuals, np.arange(n_rows))
    for first in range(0, len(inner), PREDICATES):
        if first and work.over:
            return
        lifted = _lifted(family, inner.words[first : first + PREDICATES], work)
        reached = np.zeros((lifted.shape[1], len(individuals)), dtype=np.int16)
        for words in lifted:
            masks = _masks(words, n_rows)
            reached += masks if everybody else masks[:, individuals]
        yield from zip(inner.predicates[first : first + PREDICATES], reached, strict=True)


def meanings(space: Space, name: str, most: int = MOST, cells: int = CELLS) -> Meanings:
    """All meanings of the predicates on a type, as far as a predicate on the individuals can have them inside.

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
    """Return how many links deep a predicate may look, and how many literals it may have."""
    limits = space.grammar.limits
    return (
        ENDLESS if limits.nesting is None else limits.nesting,
        ENDLESS if limits.literals is None else limits.literals,
    )


def _inside(work: _Work, family: LinkFamily, depth: int, size: int) -> Meanings:
    """Return the meanings that may stand behind a link: any, or those that the rewrite says."""
    slot = family.slots[0]
    if slot.plain:
        return _meanings(work, slot.type, depth - 1, size - 1)
    fitting = [
        predicate
        for predicate in base_predicates(slot)
        if nesting(predicate) <= depth - 1 and n_literals(predicate) <= size - 1
    ]
    masks = [_words(rows_where(predicate, work.population, slot.type)[None, :]) for predicate in fitting]
    n_words = max(1, -(-work.population.tables[slot.type].n_rows // 64))
    words = np.concatenate([np.zeros((0, n_words), dtype=np.uint64), *masks])
    return Meanings(words, np.array([n_literals(p) for p in fitting], dtype=np.int64), tuple(fitting), True)


def _meanings(work: _Work, name: str, depth: int, size: int) -> Meanings:
    """The meanings of predicates that look so deep at most and have so many literals at most."""
    key = (name, depth, size)
    if key not in work.done:
        limit = work.limit(work.population.tables[name].n_rows)
        growing = _Growing(_literals(work, name, depth, size), limit, work.clock)
        for _ in range(1, work.space.grammar.conjuncts.get(name, 1) or ENDLESS):
            if work.over:
                growing.complete = False
            if work.over or not growing.extend(size):
                break
        work.done[key] = growing.result()
    return work.done[key]


# ---- literals --------------------------------------------------------------------------------------------------


def _literals(work: _Work, name: str, depth: int, size: int) -> Meanings:
    """The meanings of single literals."""
    n_rows = work.population.tables[name].n_rows
    parts = [Meanings(_words(np.ones((1, n_rows), dtype=np.bool_)), np.zeros(1, dtype=np.int64), (syn.Top(),), True)]
    for family in work.space.offers.from_top[name]:
        if isinstance(family, TestFamily):
            if family.size <= size and family.depth <= depth:
                parts.append(_tests(family, work.population))
        elif depth >= 1 and size >= 1:
            inner = _inside(work, family, depth, size)
            parts.append(_links(family, inner, work))
    limit = work.limit(n_rows)
    found = _distinct(parts, limit)
    # Searching from ``top`` would do better if the tests are too many, but not if the rows are.
    work.overflow |= limit == work.most and not found.complete and all(part.complete for part in parts)
    return found


def _tests(family: TestFamily, population: Population) -> Meanings:
    literals = tuple(map(family.literal, family.choices()))
    masks = [_words(rows_where(literal, population, family.type)[None, :]) for literal in literals]
    return Meanings(np.concatenate(masks), np.full(len(literals), family.size), literals, True)


def _links(family: LinkFamily, inner: Meanings, work: _Work) -> Meanings:
    """A literal for each meaning behind a link, and of ``count`` for each number."""
    population, complete = work.population, inner.complete
    n_words = -(-population.tables[family.type].n_rows // 64)
    words, sizes, literals = [np.zeros((0, max(1, n_words)), dtype=np.uint64)], [], []
    for first in range(0, len(inner), PREDICATES):
        if work.over:
            complete = False
            break
        lifted = _lifted(family, inner.words[first : first + PREDICATES], work)
        for number, found in zip(family.numbers, lifted, strict=True):
            some = np.flatnonzero(found.any(axis=1))
            words.append(found[some])
            for m in (first + some).tolist():
                sizes.append(int(inner.sizes[m]) + 1)
                literals.append(family.build(number, [inner.predicates[m]]))
    return Meanings(np.concatenate(words), np.array(sizes, dtype=np.int64), tuple(literals), complete)


def _lifted(family: LinkFamily, words: Words, work: _Work) -> Words:
    """For each number of a family, which rows have so many targets at least that each predicate holds of."""
    adjacency = work.steps.of(family)
    numbers = np.array(family.numbers if isinstance(family.template, syn.Count) else (1,), dtype=np.int64)
    return np.asarray(words_behind(adjacency.offsets, adjacency.targets, words, numbers))


# ---- one for each meaning --------------------------------------------------------------------------------------


def _words(masks: Mask) -> Words:
    """Mask as 64-bit words."""
    n_words = max(1, -(-masks.shape[1] // 64))
    packed = np.zeros((len(masks), n_words * 8), dtype=np.uint8)
    bits = np.packbits(masks, axis=1, bitorder="little")
    packed[:, : bits.shape[1]] = bits
    return packed.view("<u8")


def _masks(words: Words, n_rows: int) -> Mask:
    return np.unpackbits(words.view(np.uint8), axis=1, count=n_rows, bitorder="little").astype(np.bool_)


def _seeds(n_words: int) -> Words:
    return np.random.default_rng(0).integers(0, 2**63, size=n_words, dtype=np.uint64) | np.uint64(1)


def _distinct(parts: list[Meanings], most: int) -> Meanings:
    """The parts together, of equal meanings the shortest, then the first; at most so many."""
    words = np.concatenate([part.words for part in parts])
    sizes = np.concatenate([part.sizes for part in parts])
    literals = [literal for part in parts for literal in part.predicates]
    order = np.argsort(sizes, kind="stable")
    _, first = np.unique(signatures(words, _seeds(words.shape[1]))[order], return_index=True)
    kept = order[np.sort(first)]
    kept = kept[words[kept].any(axis=1)]
    complete = all(part.complete for part in parts) and len(kept) <= most
    kept = kept[:most]
    return Meanings(words[kept], sizes[kept], tuple(literals[k] for k in kept.tolist()), complete)


@dataclass(slots=True, eq=False)
class _Growing:
    """Conjunctions, by one more conjunct at a time."""

    literals: Meanings
    limit: int
    clock: Clock
    words: Words = field(init=False)
    sizes: Ints = field(init=False)
    lasts: Ints = field(init=False)
    predicates: list[syn.Predicate] = field(init=False)
    seeds: Words = field(init=False)
    seen: set[int] = field(init=False)
    complete: bool = field(init=False)
    first: int = 1

    def __post_init__(self) -> None:
        self.words, self.sizes = self.literals.words, self.literals.sizes
        self.lasts = np.arange(len(self.literals))
        self.predicates = list(self.literals.predicates)
        self.seeds = _seeds(self.words.shape[1])
        self.seen = {0, *signatures(self.words, self.seeds).tolist()}
        self.complete = self.literals.complete

    def extend(self, size: int) -> bool:
        """Add what one more conjunct makes; whether there was anything new."""
        n = len(self.sizes)
        pairs, signs = self._pairs(size)
        lengths = self.sizes[pairs[:, 0]] + self.literals.sizes[pairs[:, 1]]
        order = np.argsort(lengths, kind="stable")
        _, first = np.unique(signs[order], return_index=True)
        # Where the first of equals may not stand together, another one may: those few are looked at one by one.
        self._add(pairs[self._fresh(pairs, signs, order, np.sort(first))])
        self.first = n
        return n < len(self.sizes) < self.limit

    def _pairs(self, size: int) -> tuple[NDArray[np.int32], Words]:
        """Return which predicates may be extended by which literals, with signatures, as far as time allows."""
        literals, last = self.literals, self._affordable(size)
        step = max(1, WORDS_AT_A_TIME // max(1, len(literals) * self.words.shape[1]))
        parts = [(np.zeros((0, 2), dtype=np.int32), np.zeros(0, dtype=np.uint64))]
        for first in range(self.first, last, step):
            some = slice(0, min(first + step, last))
            given = (self.words[some], self.sizes[some], self.lasts[some], first)
            parts.append(conjunction_signatures(*given, literals.words, literals.sizes, size, self.seeds))
            report_status("listing tests", first, last, f"{len(self.sizes):,} of one type so far")
            if self.clock.over() is not None and some.stop < last:
                self.complete = False
                break
        return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])

    def _affordable(self, size: int) -> int:
        """Return how many of the predicates, shorter ones first, can be extended by all literals that fit."""
        fitting = np.searchsorted(np.sort(self.literals.sizes), size - self.sizes[self.first :], side="right")
        most = min(PAIRS, WORK // self.words.shape[1])
        affordable = self.first + int(np.searchsorted(np.cumsum(fitting), most, side="right"))
        self.complete = self.complete and affordable >= len(self.sizes)
        return affordable

    def _fresh(self, pairs: NDArray[np.int32], signs: Words, order: Ints, first: Ints) -> Ints:
        """One pair for each new meaning: the shortest, then the first, that may stand together."""
        kept: list[int] = []
        refused: set[int] = set()
        self._sift(order[first], pairs, signs, kept, refused)
        if refused:
            again = order[np.isin(signs[order], np.array(list(refused), dtype=np.uint64))]
            self._sift(again, pairs, signs, kept, set())
        room = self._room
        self.complete = self.complete and len(kept) <= room
        return np.array(kept[:room], dtype=np.int64)

    @property
    def _room(self) -> int:
        return self.limit - len(self.sizes)

    def _sift(self, some: Ints, pairs: NDArray[np.int32], signs: Words, kept: list[int], refused: set[int]) -> None:
        """Keep those of some pairs that mean something new and may stand together, until there are too many."""
        for n, k in enumerate(some.tolist()):
            if len(kept) > self._room or (n % 256 == 0 and self.clock.over() is not None):
                self.complete = False
                return
            sign = int(signs[k])
            if sign in self.seen:
                continue
            if self._stands(pairs[k]):
                self.seen.add(sign)
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
        self.lasts = np.concatenate([self.lasts, other])
        for m, k in pairs.tolist():
            self.predicates.append(conjoin((*conjuncts(self.predicates[m]), self.literals.predicates[k])))

    def result(self) -> Meanings:
        """All of them, shorter ones first."""
        order = np.argsort(self.sizes, kind="stable")
        predicates = tuple(self.predicates[k] for k in order.tolist())
        return Meanings(self.words[order], self.sizes[order], predicates, self.complete)
