"""The frequent predicates of a space: those that at least a given number of individuals satisfy.

A refinement is satisfied by no more individuals than the predicate that it refines, so that the refinements of rare
predicates are never generated. There are two steps:

1. Frequent *literals* are found from ``top`` inwards, a family at a time, along the chains of links that the search
   for splits uses as well (`structtree.search.chains`). Each is kept as a bit mask of the individuals.
2. They are *combined* depth-first: the individuals of a conjunction are the intersection of the masks, and literals
   that are too rare beside the first ones of a conjunction stay so beside more of them. This is the vertical
   representation and the search order of M. J. Zaki, "Scalable algorithms for association mining" (2000).

If rewrites of the individual add several literals at once, a conjunction is more than a set of literals; the first
step then finds whole predicates, and there is no second one.

Law: the predicates are those of `Space.enumerate` that are frequent, without conjunctions in which one literal
implies another, and each is found once (`tests/rules/test_patterns.py`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from structtree.arrays import Ints, Mask, Words
from structtree.data.population import Population
from structtree.lang import syntax as syn
from structtree.lang.logic import implies
from structtree.search.chains import Chain, chain_to, is_countable
from structtree.search.clock import Clock
from structtree.search.columns import (
    FamilyMembers,
    SpaceColumns,
    TestColumns,
    columns_of,
    opening_column,
    stack_columns,
)
from structtree.search.kernels.masks import packed, shared_counts
from structtree.search.kernels.tables import AT_LEAST, EQUAL
from structtree.search.scorers import Sums
from structtree.space.evaluate import Known, rows_where
from structtree.space.families import LinkFamily
from structtree.space.space import Batch, Opening, Position, SlotPath, Space
from structtree.space.terms import clash

__all__ = ["Ending", "Frequent", "FrequentPredicates", "Literals"]

Ending = Literal["done", "time", "interrupt", "memory"]

MASK_BYTES = 2_000_000_000
"""Maximum size of the masks of all literals."""

CACHE_BYTES = 200_000_000
"""Maximum size of the cache of rows that satisfy a predicate."""


class Frequent(NamedTuple):
    """A frequent predicate: the numbers of its literals in `Literals`, ascending, and its individuals."""

    literals: tuple[int, ...]
    n: int
    words: Words


@dataclass(slots=True, eq=False)
class Literals:
    """Frequent literals in the order in which they are found; or whole predicates, if they cannot be combined.

    Parameters
    ----------
    predicates : list of Predicate
    sizes : list of int
        The number of literals that each counts for.
    counts : list of int
        The number of individuals that satisfy each.
    words : list of arrays
        The individuals, one bit each.
    """

    predicates: list[syn.Predicate] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    words: list[Words] = field(default_factory=list)
    _compatible: dict[tuple[int, int], bool] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.predicates)

    def add(self, position: Position, n: int, words: Words) -> int:
        """Add a literal and return its number."""
        self.predicates.append(position.predicate)
        self.sizes.append(position.size)
        self.counts.append(n)
        self.words.append(words)
        return len(self.predicates) - 1

    def are_compatible(self, one: int, other: int) -> bool:
        """Return whether two literals may stand in one conjunction and neither implies the other."""
        key = (one, other) if one < other else (other, one)
        if key not in self._compatible:
            p, q = self.predicates[one], self.predicates[other]
            self._compatible[key] = not (clash(p, q) or implies(p, q) or implies(q, p))
        return self._compatible[key]


@dataclass(slots=True, eq=False)
class FrequentPredicates:
    """Iterates over the frequent predicates of a space, without ``top``, in an order that depends on nothing else.

    Parameters
    ----------
    space : Space
    least : int
        Minimum number of individuals; it may be raised between two results.
    clock : Clock
    literals : Literals
        All frequent literals so far.
    stopped_by : str
        Why the last iteration ended.
    """

    space: Space
    least: int
    clock: Clock = field(default_factory=Clock)
    literals: Literals = field(default_factory=Literals)
    stopped_by: Ending = "done"
    columns: SpaceColumns = field(init=False)
    _known: Known = field(default_factory=dict)
    _sums: Sums = field(init=False)

    def __post_init__(self) -> None:
        n = len(self.population)
        self.columns = SpaceColumns(self.space)
        self._sums = Sums(np.zeros(n, dtype=np.int32), np.ones(n), 1)

    def __iter__(self) -> Iterator[Frequent]:
        self.stopped_by = "done"
        for position, n, words in self._walk():
            yield Frequent((self.literals.add(position, n, words),), n, words)
        if self.combines and self.space.most_conjuncts(self.space.root().slot) != 1:
            yield from self._combined()

    @property
    def population(self) -> Population:
        """The individuals."""
        assert self.space.population is not None
        return self.space.population

    @property
    def combines(self) -> bool:
        """True if a conjunction about the individual is any set of literals that are possible beside each other."""
        return self.space.grammar.individual not in self.space.bundled

    def _is_over(self) -> bool:
        over = self.clock.over()
        if over is not None:
            self.stopped_by = over
        return over is not None

    # ---- literals -----------------------------------------------------------------------------------------

    def plain_literals(self, most: int) -> Literals | None:
        """Return the frequent literals; None if there are too many, others than about attributes, or too little time.

        Parameters
        ----------
        most : int
            Maximum number of frequent literals.
        """
        name, offers = self.space.grammar.individual, self.space.offers
        families = offers.from_top[name]
        is_plain = self.combines and not offers.from_literal[name] and not self.space.is_priced
        if not is_plain or any(isinstance(family, LinkFamily) for family in families):
            return None
        for position, n, mask in self._refined(self.space.root()):
            if len(self.literals) == most:
                return None
            self.literals.add(position, n, packed(mask[None, :])[0])
        return self.literals if self.stopped_by == "done" and not offers.n_skipped else None

    def _walk(self) -> Iterator[tuple[Position, int, Words]]:
        """Yield each frequent literal or whole predicate, parents first."""
        waiting, room = deque([self.space.root()]), MASK_BYTES
        while waiting:
            for position, n, mask in self._refined(waiting.popleft()):
                if self._is_over():
                    return
                words = packed(mask[None, :])[0]
                room -= words.nbytes
                if room < 0:
                    self.stopped_by = "memory"
                    return
                yield position, n, words
                waiting.append(position)
            if self._is_over():
                return

    def _refined(self, position: Position) -> Iterator[tuple[Position, int, Mask]]:
        """Yield the frequent refinements of a predicate by one rewrite, with their individuals."""
        if len(self._known) * max(1, len(self.population)) > CACHE_BYTES:
            self._known.clear()
        places: dict[SlotPath, list[Batch | Opening]] = {}
        for growth in self.space.extensions(position):
            if isinstance(growth, Position):
                yield from self._single(growth)
            elif self.combines and position.added and not growth.path:
                continue  # a second literal; see `_combined`
            elif is_countable(position, growth):
                places.setdefault(growth.path, []).append(growth)
            else:
                for item in self.space.members(growth):
                    for made in growth.settle(item):
                        if self._is_over():  # many in a row may be rare
                            return
                        yield from self._single(made)
        for path, growths in places.items():
            yield from self._swept(position, path, growths)

    def _single(self, position: Position) -> Iterator[tuple[Position, int, Mask]]:
        """Yield a predicate with its individuals if it is frequent."""
        population = self.population
        rows = rows_where(position.predicate, population, population.schema.individual, self._known)
        mask = rows[population.individuals]
        n = int(np.count_nonzero(mask))
        if n >= self.least:
            yield position, n, mask

    def _swept(
        self, position: Position, path: SlotPath, growths: list[Batch | Opening]
    ) -> Iterator[tuple[Position, int, Mask]]:
        """Yield the frequent members of all families that may be added at one place."""
        name = growths[0].position.slot.type
        chain = chain_to(position, path, self.columns.steps, self._known)
        openings = {each.family.index: each for each in growths if isinstance(each, Opening)}
        batch = next((each for each in growths if isinstance(each, Batch)), None)
        for columns in self._columns(name, position):
            if self._is_over():
                return
            for first, last in columns.pieces(0, 1):
                start, stop = int(columns.offsets[first]), int(columns.offsets[last])
                sizes = chain.count(columns, first, last, self._sums).sizes
                families, choices = columns.members.families[start:stop], columns.members.choices[start:stop]
                in_batch = np.zeros(stop - start, dtype=np.bool_)
                if batch is not None:
                    in_batch = columns.allowed(start, stop, batch) & self.columns.is_plain(name)[families]
                for m in np.flatnonzero(sizes >= self.least).tolist():
                    family, choice = int(families[m]), int(choices[m])
                    growth = batch if in_batch[m] else openings.get(family)
                    if growth is None or (isinstance(growth, Opening) and choice < growth.start):
                        continue
                    mask, n = _mask(chain, columns, start + m, len(self.population)), int(sizes[m])
                    expected = position.size + int(self.columns.lengths(name)[family])
                    yield from self._placed(growth, family, choice, expected, n, mask)

    def _placed(
        self, growth: Batch | Opening, family: int, choice: int, expected: int, n: int, mask: Mask
    ) -> Iterator[tuple[Position, int, Mask]]:
        """Yield the predicate with a member; or, where the member cannot stand, its refinements that are frequent."""
        name = growth.position.slot.type
        is_exact = not any(self.space.offers.from_literal[name].values())
        for made in self.space.with_member(growth, family, choice):
            if self._is_over():
                return
            if is_exact and made.size == expected:
                yield made, n, mask
            else:
                yield from self._single(made)

    def _columns(self, name: str, position: Position) -> Iterator[TestColumns[FamilyMembers]]:
        """Yield the columns of a type; for the first tests one family at a time, since individuals may be many."""
        if position.items:
            yield from self.columns.of(name)
            return
        steps = self.columns.steps
        for family in self.space.offers.from_top[name]:
            if isinstance(family, LinkFamily):
                fresh = [opening_column(family, steps.of(family).lengths)]
            else:
                fresh = columns_of(family, steps)
            for form in (EQUAL, AT_LEAST):
                alike = [column for column in fresh if column.form == form]
                if alike:
                    yield stack_columns(alike, self.population.tables[name].n_rows, form)

    # ---- conjunctions -------------------------------------------------------------------------------------

    def _combined(self) -> Iterator[Frequent]:
        """Yield the frequent conjunctions of several literals."""
        if not len(self.literals) or self.stopped_by != "done":
            return
        words = np.array(self.literals.words)
        self.literals.words = list(words)  # views, so that each mask is stored once
        most = self.space.most_conjuncts(self.space.root().slot) or len(self.literals)
        room = self.space.room().literals
        every = np.arange(len(self.literals))
        for one in range(len(self.literals)):
            first = Frequent((one,), self.literals.counts[one], words[one])
            yield from self._extended(first, every[one + 1 :], words, most - 1, room)

    def _extended(self, given: Frequent, tail: Ints, words: Words, most: int, room: int | None) -> Iterator[Frequent]:
        """Yield the frequent conjunctions of some literals with literals of the tail.

        Parameters
        ----------
        given : Frequent
        tail : array of int
            The literals that are frequent beside all but the last of the given ones.
        words : array
            The individuals of all literals.
        most : int
            Maximum number of further conjuncts.
        room : int, optional
            Maximum size of the given literals and all that follow.
        """
        if most < 1 or self._is_over():
            return
        sizes = self.literals.sizes
        left = None if room is None else room - sum(sizes[k] for k in given.literals)
        counts = shared_counts(given.words, words, tail)
        enough = np.flatnonzero(counts >= self.least)
        last = given.literals[-1]
        kept = [
            k
            for k in enough.tolist()
            if (left is None or sizes[int(tail[k])] <= left) and self.literals.are_compatible(last, int(tail[k]))
        ]
        further, counts = tail[kept], counts[kept]
        for place, (k, n) in enumerate(zip(further.tolist(), counts.tolist(), strict=True)):
            if n < self.least:  # which was raised meanwhile
                continue
            found = Frequent((*given.literals, k), n, given.words & words[k])
            yield found
            if place + 1 < len(further):
                yield from self._extended(found, further[place + 1 :], words, most - 1, room)
            if self.stopped_by != "done":
                return


def _mask(chain: Chain, columns: TestColumns[FamilyMembers], member: int, n: int) -> Mask:
    """Return the individuals that a member of some columns keeps."""
    column = int(np.searchsorted(columns.offsets, member, side="right")) - 1
    place, n_members = member - int(columns.offsets[column]), int(columns.sizes[column])
    if not chain.levels and np.array_equal(chain.owners, np.arange(n)):  # the individuals themselves
        values = columns.values[column][chain.rows]
        return np.asarray(values > place if columns.is_ranked else values == place)
    if columns.is_ranked:
        return np.asarray(chain.greatest(columns.values[column], n_members, n) > place)
    codes = np.where(columns.values[column] == place, 0, -1).astype(np.int32)
    return np.asarray(next(chain.members(codes, 1, n)) > 0)
