"""The space of predicates: refinement that generates each predicate once, membership tests, and parents.

A predicate is a tree of positions. A position is a set of literals, and a literal of a link family contains
positions. Every literal has a *key*, the sequence of choices that produced it, ordered so that a literal precedes
everything it was grown from. The literals of a position are sorted by key, and only the last one is grown or followed
by another, as in set enumeration. Growing makes a key smaller; a literal that would then precede its left neighbour
is skipped, because the same set is generated in the other order. (This is rightmost extension of unordered trees, for
sets instead of bags.)

If a rewrite adds several literals at once, a position is a sequence of steps. Each step adds a literal or a bundle of
literals, or replaces literals by a bundle. Of all sequences that lead to the same literals, only the least is kept:
the one that uses the fewest conjuncts of ``top and top``, then the shortest, then the first by its keys. A least
sequence without its last step is also least, because adding the same step to two sequences preserves their order. It
is therefore enough to check each extension of a least sequence.

Law: every predicate that `Space.refine` yields implies its parent; `Space.enumerate` yields every member of the space
once; `Space.size` is their number.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from heapq import heappop, heappush
from itertools import chain, combinations, count, islice, pairwise, product
from typing import Any, TypeVar

import numpy as np

from structtree.data.population import Population
from structtree.data.readers.individuals import population_of
from structtree.errors import GrammarError, UsageError
from structtree.interrupts import NO_LIMIT, Limit
from structtree.lang import syntax as syn
from structtree.lang.check import CheckedGrammar, check_predicate
from structtree.lang.grammar import Grammar
from structtree.lang.logic import Subject, subject
from structtree.lang.matching import first_matching
from structtree.lang.parse import parse_predicate
from structtree.lang.pretty import pretty
from structtree.reprs import number_text, short_repr
from structtree.space.background import with_background, with_computed
from structtree.space.families import (
    START,
    BundleFamily,
    Family,
    LinkFamily,
    Offers,
    Slot,
    TestFamily,
    base_literals,
    base_predicates,
    is_single,
    reopened,
    resolve_families,
)
from structtree.space.terms import (
    Head,
    canonical,
    clash,
    conjoin,
    conjuncts,
    head,
    may_outgrow,
    may_part,
    n_literals,
    nesting,
)

__all__ = ["Batch", "Extension", "Item", "Opening", "PlainTests", "Position", "Room", "Space", "has_room"]

END = 1 << 60  # ends a literal or a position in a key; greater than every choice, so that growing makes a key smaller
CHAIN = -1  # separates the key of a literal from that of the literal it was rewritten to
MAX_KNOWN = 100_000
"""Maximum number of cached derivations."""

Key = tuple[int, ...]
SlotPath = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Item:
    """A literal, or a bundle of literals, with the family members that produced it.

    Parameters
    ----------
    family : Family or BundleFamily
    choice : int
        The index of the value or count in the family.
    literal : Predicate
        The literal, or the conjunction of the literals of a bundle.
    positions : tuple of Position
        The positions in the slots of a link family, or the literals of a bundle.
    origin : Item, optional
        The literal that it was rewritten from.
    key : tuple of int
        The choices, then `END`; smaller than the key of everything it was grown from.
    size : int
        The number of its literals, excluding those that it replaces and those that its family does not count.
    depth : int
        The number of nested link steps.
    """

    family: Family | BundleFamily
    choice: int
    literal: syn.Predicate
    positions: tuple[Position, ...] = ()
    origin: Item | None = None
    key: Key = field(init=False)
    size: int = field(init=False)
    depth: int = field(init=False)

    def __post_init__(self) -> None:
        inside = chain.from_iterable(position.key for position in self.positions)
        before = () if self.origin is None else (*self.origin.key[:-1], CHAIN)
        object.__setattr__(self, "key", (*before, self.family.index, self.choice, *inside, END))
        if isinstance(self.family, TestFamily):
            size, depth = self.family.size, self.family.depth
        elif isinstance(self.family, BundleFamily):
            (bundle,) = self.positions
            size = bundle.size - sum(map(n_literals, self.family.left))
            depth = max(item.depth for item in bundle.items)
        else:
            size = 1 + sum(position.size for position in self.positions) - self.family.given
            depth = 1 + max((item.depth for position in self.positions for item in position.items), default=0)
        object.__setattr__(self, "size", size)
        object.__setattr__(self, "depth", depth)

    @property
    def cost(self) -> int:
        """The cost of its literals: 1 each, unless a rewrite that adds or replaces literals has a cost."""
        family = self.family
        if isinstance(family, TestFamily):
            return family.size + family.surcharge
        if isinstance(family, BundleFamily):
            return self.positions[0].cost - sum(map(n_literals, family.left)) + family.surcharge
        return 1 + sum(position.cost for position in self.positions) - family.given + family.surcharge

    @property
    def grown(self) -> bool:
        """True if the item has been refined since it was added."""
        return self.origin is not None or any(position.grown for position in self.positions)

    @property
    def is_circular(self) -> bool:
        """True if a sequence of rewrites has returned to the same literal."""
        before = self.origin
        while before is not None and before.literal != self.literal:
            before = before.origin
        return before is not None


@dataclass(frozen=True, slots=True, eq=False)
class Position:
    """A set of literals: the fixed literals of its slot, then the added ones, sorted by key.

    If rewrites add bundles, the added items are in the order of the steps, and a step may replace earlier literals.
    """

    slot: Slot
    fixed: tuple[Item, ...] = ()
    added: tuple[Item, ...] = ()
    #: The fixed and the added items.
    items: tuple[Item, ...] = field(init=False, repr=False)
    _predicate: syn.Predicate | None = field(init=False, repr=False, default=None)

    def __post_init__(self) -> None:
        object.__setattr__(self, "items", (*self.fixed, *self.added) if self.fixed else self.added)

    @property
    def literals(self) -> tuple[syn.Predicate, ...]:
        """All conjuncts of the position."""
        return _standing(self.items)

    @property
    def predicate(self) -> syn.Predicate:
        """The canonical conjunction."""
        if self._predicate is None:
            object.__setattr__(self, "_predicate", conjoin(self.literals))
        assert self._predicate is not None
        return self._predicate

    @property
    def size(self) -> int:
        """The number of literals, including nested ones."""
        return sum(item.size for item in self.items)

    @property
    def cost(self) -> int:
        """The cost of all its literals."""
        return sum(item.cost for item in self.items)

    @property
    def grown(self) -> bool:
        """True if anything has been added since the position was opened."""
        return bool(self.added) or any(item.grown for item in self.fixed)

    @property
    def key(self) -> Key:
        """The choices of all literals, then `END`."""
        return (*chain.from_iterable(item.key for item in self.items), END)


@dataclass(frozen=True, slots=True)
class Room:
    """Remaining limits: the numbers of literals and of nested links that may still be added; None if unlimited."""

    literals: int | None
    nesting: int | None

    def allows(self, literals: int, depth: int) -> bool:
        """Return whether the limits allow a literal of this size and depth."""
        return (self.literals is None or literals <= self.literals) and (
            self.nesting is None or depth <= self.nesting
        )

    def inside(self) -> Room:
        """Return the limits that remain behind a link step."""
        return self if self.nesting is None else Room(self.literals, self.nesting - 1)

    def after(self, literals: int) -> Room:
        """Return the limits that remain after adding a number of literals."""
        return self if self.literals is None else Room(self.literals - literals, self.nesting)


@dataclass(frozen=True, slots=True, eq=False)
class Opening:
    """A family whose members may be added at a position of a predicate.

    Parameters
    ----------
    path : tuple
        The path to the position: the literal and its slot at each level from the root.
    position : Position
    family : Family
    start : int
        The first choice that may be added.
    room : Room
    settle : function from Item to positions
        Yields the whole predicate with a member added, or refinements of it if the member cannot stand there itself.
    """

    path: SlotPath
    position: Position
    family: Family
    start: int
    room: Room
    settle: Callable[[Item], Iterator[Position]]


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """All plain tests that may be added at a position, without enumerating them.

    Parameters
    ----------
    path, position, room, settle
        As in `Opening`.
    since : (int, int)
        The first family and its first choice.
    without : frozenset of int
        The excluded families.
    ranges : dict from int to (int, int)
        The range of choices, from start to stop, of each family that is only partly included.
    """

    path: SlotPath
    position: Position
    since: tuple[int, int]
    without: frozenset[int]
    ranges: Mapping[int, tuple[int, int]]
    room: Room
    settle: Callable[[Item], Iterator[Position]]


@dataclass(frozen=True, slots=True, eq=False)
class PlainTests:
    """The families of plain tests of a type, which can be in a `Batch`.

    Parameters
    ----------
    families : dict from index to TestFamily, in order of generation
    by_subject : dict from feature to the indices of its families
    deep : dict from index to int
        The depth of the families that look behind a link, such as aggregates.
    others : tuple of Family
        The families of the type that are not plain tests.
    longest : int
        The maximum size of a member, in literals.
    """

    families: Mapping[int, TestFamily]
    by_subject: Mapping[Subject, frozenset[int]]
    deep: Mapping[int, int]
    others: tuple[Family, ...]
    longest: int

    @classmethod
    def of(cls, families: tuple[Family, ...]) -> PlainTests:
        """Select the plain tests among the families of a type."""
        plain = {f.index: f for f in families if isinstance(f, TestFamily) and f.subject and f.head is None}
        by_subject: dict[Subject, frozenset[int]] = {}
        for index, family in plain.items():
            assert family.subject is not None
            by_subject[family.subject] = by_subject.get(family.subject, frozenset()) | {index}
        others = tuple(f for f in families if f.index not in plain)
        deep = {i: f.depth for i, f in plain.items() if f.depth > 0}
        return cls(plain, by_subject, deep, others, max((f.size for f in plain.values()), default=0))


Extension = Opening | Batch | Position
Placed = TypeVar("Placed", Item, Position)
Settle = Callable[[Position], Iterator[Position]]
_Given = TypeVar("_Given")
_Found = TypeVar("_Found")


@dataclass(frozen=True, slots=True, eq=False)
class Space:
    """The predicates that a grammar derives from ``top`` on given data.

    Examples
    --------
    >>> from structtree.data.datasets.catalog import load_dataset
    >>> trains = load_dataset("trains")
    >>> space = Space.build(Grammar.load("trains"), trains.population)
    >>> "exists cars (roof = none)" in space
    True
    >>> "exists cars (roof = none and roof = flat)" in space
    False
    """

    grammar: CheckedGrammar
    population: Population | None
    offers: Offers
    contested: Mapping[str, frozenset[int]] = field(init=False)
    #: Types with rewrites that add several literals at once.
    bundled: frozenset[str] = field(init=False)
    plain: Mapping[str, PlainTests] = field(init=False)
    rewritten: frozenset[Head] = field(init=False)
    #: Cache of derivations at positions of bundled types.
    found: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        names = self.grammar.schema.names
        object.__setattr__(self, "contested", {name: _contested(name, self.offers) for name in names})
        bundled = frozenset(name for name, bundles in self.offers.bundles.items() if bundles)
        object.__setattr__(self, "bundled", bundled)
        lefts = (left for by_left in self.offers.from_literal.values() for left in by_left)
        object.__setattr__(self, "rewritten", frozenset(map(head, lefts)))
        object.__setattr__(self, "plain", {name: PlainTests.of(self.offers.from_top[name]) for name in names})

    def __repr__(self) -> str:
        name, individual = self.grammar.syntax.name or "unnamed", self.grammar.individual
        data = "without data" if self.population is None else f"on {len(self.population):,} {individual}"
        names = self.grammar.schema.names
        families = sum(1 for each in names for _ in self.offers.of_type(each))
        families += sum(map(len, self.offers.bundles.values()))
        return short_repr(self, f"grammar {name} {data}", number_text(families, "family", "families") + " of tests")

    @classmethod
    def build(
        cls,
        grammar: Grammar | CheckedGrammar,
        individuals: Any = None,
        functions: Mapping[str, Callable[[Mapping[str, Any]], Any]] | None = None,
        limit: Limit = NO_LIMIT,
    ) -> Space:
        """Build the space of a grammar on a population.

        Parameters
        ----------
        grammar : Grammar or CheckedGrammar
        individuals : Population, or individuals in another form, optional
            Needed if the grammar takes values from data (``*``, ``bins``, ``quantiles``).
        functions : mapping, optional
            A Python function from a record (nested dicts) to its value, for each ``function`` of the grammar.
        limit : Limit, optional
            When it is reached, the remaining rewrites are skipped; ``offers.n_skipped`` counts them.
        """
        population = None if individuals is None else population_of(individuals)
        if isinstance(grammar, Grammar):
            if population is not None:
                population = with_background(population, grammar, functions or {})
            grammar = grammar.check(None if population is None else population.schema)
        elif population is not None:
            population = with_computed(population, grammar.background)
        offers = resolve_families(grammar, population, limit)
        _refuse_shrinking(grammar, offers)
        return cls(grammar, population, offers)

    # ---- public interface -------------------------------------------------------------------------------

    def refine(self, predicate: syn.Predicate) -> Iterator[syn.Predicate]:
        """Yield the children of a predicate in a tree that contains each predicate of the space once.

        Examples
        --------
        >>> grammar = Grammar.parse("type T = {a: bool, b: bool} individual T "
        ...                         "refine T { top -> a; top -> b; top -> top and top max 2 }")
        >>> space = Space.build(grammar)
        >>> [[pretty(q) for q in space.refine(p)] for p in space.enumerate()]
        [['a', 'b'], ['a and b'], [], []]
        """
        found = self._located(predicate)
        return (position.predicate for position in self.extend(found))

    def enumerate(self, depth: int | None = None) -> Iterator[syn.Predicate]:
        """Yield every predicate of the space once, parents first; optionally only up to a number of rewrites."""
        queue = deque([(self.root(), 0)])
        while queue:
            position, level = queue.popleft()
            yield position.predicate
            if depth is None or level < depth:
                queue.extend((child, level + 1) for child in self.extend(position))

    def size(self) -> int:
        """Return the number of predicates, without enumerating them; see `structtree.space.count`."""
        from structtree.space.count import count_space

        return count_space(self).size

    @property
    def is_priced(self) -> bool:
        """True if a rewrite has a cost other than 1 per literal."""
        families = chain.from_iterable(map(self.offers.of_type, self.grammar.schema.names))
        bundles = chain.from_iterable(self.offers.bundles.values())
        return any(family.surcharge for family in chain(families, bundles))

    def cost(self, predicate: syn.Predicate) -> int:
        """Return the cost of a predicate of the space: 1 per literal, unless a rewrite of the grammar has a cost.

        Examples
        --------
        >>> grammar = Grammar.parse("type T = {a: bool, b: bool} individual T "
        ...                         "refine T { top -> a; top -> b cost 3; top -> top and top max 2 }")
        >>> space = Space.build(grammar)
        >>> [(pretty(p), space.cost(p)) for p in space.enumerate()]
        [('top', 0), ('a', 1), ('b', 3), ('a and b', 4)]
        """
        return self._located(predicate).cost

    def _located(self, predicate: syn.Predicate) -> Position:
        found = self.locate(predicate)
        if found is None:
            raise UsageError(f"the grammar does not derive {pretty(predicate)!r}")
        return found

    def __contains__(self, predicate: syn.Predicate | str) -> bool:
        if isinstance(predicate, str):
            predicate = self.parse(predicate)
        return self.locate(predicate) is not None

    def parse(self, text: str) -> syn.Predicate:
        """Parse and check a predicate on individuals, and return its canonical form."""
        return canonical(check_predicate(parse_predicate(text), self.grammar.individual, self.grammar))

    def parents(self, predicate: syn.Predicate) -> Iterator[syn.Predicate]:
        """Yield the predicates of the space from which a single rewrite produces this one."""
        own = self.locate(predicate)
        if own is None:
            return
        for general in dict.fromkeys(map(canonical, self._generalise(own))):
            if general != own.predicate and self.locate(general) is not None:
                yield general

    # ---- the tree of positions --------------------------------------------------------------------------

    def root(self) -> Position:
        """Return the empty position of the individual."""
        return Position(Slot(self.grammar.individual))

    def reopened(self, start: syn.Predicate) -> Iterator[Position]:
        """Yield positions from which a predicate can be refined beyond the limits of the grammar.

        There is one for each literal about linked rows, with all positions of the literal open. Existing literals do
        not count towards the limits, so that a grammar with one step can add another.

        Examples
        --------
        >>> from structtree.data.datasets.catalog import load_dataset
        >>> trains = load_dataset("trains").population
        >>> grammar = Grammar.parse("refine Train { top -> exists cars (top) } "
        ...                         "refine Car { top -> long; top -> double }")
        >>> space = Space.build(grammar, trains)
        >>> (position,) = space.reopened(space.parse("exists cars (long)"))
        >>> [pretty(made.predicate) for made in space.extend(position)]
        ['exists cars (double and long)']
        """
        for literal in conjuncts(canonical(start)):
            family = reopened(literal, self.grammar)
            if family is not None:
                for item in self._members(family, None, Room(None, None), 0):
                    yield Position(Slot(self.grammar.individual), (), (item,))

    def room(self) -> Room:
        """Return the limits of the grammar as the room of an empty predicate."""
        return Room(self.grammar.limits.literals, self.grammar.limits.nesting)

    def first_families(self) -> tuple[Family, ...]:
        """Return the families of tests on individuals that are within the limits."""
        room = self.room()
        return tuple(f for f in self.offers.from_top[self.grammar.individual] if has_room(f, room))

    def extend(self, position: Position) -> Iterator[Position]:
        """Yield the positions that a single rewrite produces from this one."""
        return self._flatten(self.extensions(position))

    def extensions(self, position: Position) -> Iterator[Extension]:
        """Yield the extensions of a position; families are not enumerated, so that each is evaluated in one pass."""
        room = self.room().after(position.size)
        return self._extensions(position, room, (), _alone, free=True)

    def members(self, extension: Opening | Batch) -> Iterator[Item]:
        """Yield the members of an extension, in order of generation."""
        if isinstance(extension, Opening):
            yield from self._members(extension.family, None, extension.room, extension.start)
            return
        for index, family in self.plain[extension.position.slot.type].families.items():
            if index >= extension.since[0] and index not in extension.without:
                start = extension.since[1] if index == extension.since[0] else 0
                low, high = extension.ranges.get(index, (0, len(family)))
                yield from islice(
                    self._members(family, None, extension.room, max(start, low)), max(0, high - max(start, low))
                )

    def with_member(self, extension: Opening | Batch, family: int, choice: int) -> Iterator[Position]:
        """Yield the predicate with one member of an extension added.

        Yield nothing if another derivation of the predicate is used, and refinements of the member where it cannot
        stand itself.
        """
        if isinstance(extension, Batch):
            tests = self.plain[extension.position.slot.type].families[family]
            yield from extension.settle(Item(tests, choice, tests.literal(choice)))
            return
        for item in self.members(replace(extension, start=choice)):
            if item.choice != choice:
                return
            yield from extension.settle(item)

    def _flatten(self, extensions: Iterator[Extension]) -> Iterator[Position]:
        for extension in extensions:
            if isinstance(extension, Position):
                yield extension
            else:
                for item in self.members(extension):
                    yield from extension.settle(item)

    def _extensions(
        self, position: Position, room: Room, path: SlotPath, up: Settle, *, free: bool
    ) -> Iterator[Extension]:
        """Yield the extensions of a position and of positions behind its last literal, embedded by `up`."""
        bundled = position.slot.type in self.bundled
        free = free and not bundled
        if position.added:
            yield from self._extensions_of_last(position, room, path, up, free=free)
        else:
            for made in self._grow_fixed(position, room):
                yield from up(made)
        add = _then(partial(self._settle, position, position.added, room, None), up)
        if bundled:
            for item in self._bundles(position, room):
                yield from add(item)
        if position.slot.open and self.has_place(position):
            after = position.added[-1].key if position.added else (0, 0)
            if position.added and _replaces(position.added[-1]):
                after = (0, 0)  # a skipped literal may have clashed only with the replaced ones
            batch = (
                self._batch(path, position, (after[0], after[1]), room, add)
                if free and all(map(is_single, position.slot.fixed))
                else None
            )
            if batch is not None:
                yield batch
            for family in self._others(position.slot.type, batch):
                if family.index >= after[0] and has_room(family, room) and not self._is_spent(position, family):
                    start = after[1] if family.index == after[0] else 0
                    yield Opening(path, position, family, start, room, add)

    def _batch(
        self,
        path: SlotPath,
        position: Position,
        since: tuple[int, int],
        room: Room,
        settle: Callable[[Item], Iterator[Position]],
    ) -> Batch | None:
        """Return the plain tests of features that a position does not test yet, or None if there are none."""
        tests = self.plain[position.slot.type]
        if not tests.families or not room.allows(1, 0):
            return None
        without = frozenset(index for index, depth in tests.deep.items() if not room.allows(1, depth))
        if not room.allows(tests.longest, 0):
            without |= {index for index, family in tests.families.items() if not room.allows(family.size, 0)}
        ranges: dict[int, tuple[int, int]] = {}
        for literal in position.literals:
            about = (literal.link,) if isinstance(literal, syn.Follow) else subject(literal)
            for index in tests.by_subject.get(about, ()) if about is not None else ():
                between = _between(literal, tests.families[index])
                if between is None or index in ranges or index in without:
                    without = without | {index}
                else:
                    ranges[index] = between
        ranges = {index: between for index, between in ranges.items() if index not in without}
        return Batch(path, position, since, without, ranges, room, settle)

    def _others(self, name: str, batch: Batch | None) -> tuple[Family, ...]:
        """Return the families that are not in a batch."""
        if batch is None:
            return self.offers.from_top[name]
        tests = self.plain[name]
        return (*tests.others, *(tests.families[index] for index in sorted(batch.without)))

    def _is_spent(self, position: Position, family: Family) -> bool:
        """Return whether a position already has a member of a family that allows only one."""
        name = position.slot.type
        if not isinstance(family, TestFamily) or self.offers.from_literal[name] or name in self.bundled:
            return False
        return family.lonely and any(item.family is family for item in position.added)

    def _extensions_of_last(
        self, position: Position, room: Room, path: SlotPath, up: Settle, *, free: bool
    ) -> Iterator[Extension]:
        *before, last = position.added
        put = _then(partial(self._settle, position, tuple(before), room, last), up)
        if isinstance(last.family, LinkFamily):
            # Growing makes a key smaller, so that it may precede an earlier literal with the same first choice.
            alone = not (position.fixed or last.origin or (before and before[-1].key[0] == last.key[0]))
            is_free = free and alone and last.family.index not in self.contested[position.slot.type]
            for i in reversed(range(len(last.positions))):
                step = (*path, (len(position.items) - 1, i))
                inside = _then(partial(_with_position, last, i), put)
                yield from self._extensions(last.positions[i], room.inside(), step, inside, free=is_free and i == 0)
                if last.positions[i].grown:
                    break
            grown = self._rewritten(last, position.slot.type, room)
        else:
            grown = self._grow_item(last, position.slot.type, room)
        for item in grown:
            yield from put(item)

    def _bundles(self, position: Position, room: Room) -> Iterator[Item]:
        """Yield the unrefined bundles that may be added next at a position."""
        if position.added and position.added[-1].key[0] == START:
            return
        standing = set(position.literals)
        for family in self.offers.bundles[position.slot.type]:
            if family.left:
                fits = standing.issuperset(family.left)
            else:
                fits = position.slot.open and (family.open or self.has_place(position))
            if fits:
                wider = room.after(-sum(map(n_literals, family.left)))
                yield from (_bundle_item(family, made) for made in self._bases(family.slot, wider))

    def has_place(self, position: Position) -> bool:
        """Return whether another literal may be added to a position."""
        most, n_fixed = self.grammar.conjuncts.get(position.slot.type, 1), len(position.fixed)
        return most == 0 or n_fixed + sum(map(_places, position.added)) < max(most, n_fixed + 1)

    def most_conjuncts(self, slot: Slot) -> int:
        """Return the maximum number of conjuncts in a slot, including the fixed ones; 0 for no maximum.

        A literal counts as one conjunct, and so does a bundle unless it ends in ``and top``.
        """
        most = self.grammar.conjuncts.get(slot.type, 1)
        return most and max(most, len(slot.fixed) + int(slot.open))

    def _settle(
        self, position: Position, before: tuple[Item, ...], room: Room, was: Item | None, item: Item
    ) -> Iterator[Position]:
        """Yield the position with an item added, or with its refinements if it clashes or has another derivation."""
        any_order = not before or _replaces(item) or _replaces(before[-1])
        if not (any_order or item.key > before[-1].key) or not _fits(item, was, room):
            return
        made = Position(position.slot, position.fixed, (*before, item))
        blocked = list(_clashes(item, (*position.fixed, *before)))
        if not blocked and self._is_kept(made, item):
            yield made
        elif all(may_outgrow(mine, other, self.rewritten) for mine, other in blocked):
            for deeper in self._grow_item(item, position.slot.type, room.after(_growth(item, was))):
                yield from self._settle(position, before, room, was, deeper)

    def _grow_fixed(self, position: Position, room: Room) -> Iterator[Position]:
        """Yield the extensions of the fixed literals, starting with the last literal that was extended."""
        for i in reversed(range(len(position.fixed))):
            was = position.fixed[i]
            for item in self._grow_item(was, position.slot.type, room):
                if _fits(item, was, room):
                    fixed = (*position.fixed[:i], item, *position.fixed[i + 1 :])
                    yield from self._settle_fixed(Position(position.slot, fixed), room.after(_growth(item, was)))
            if was.grown:
                return

    def _settle_fixed(self, made: Position, room: Room) -> Iterator[Position]:
        """Yield the position if this derivation is the least of its predicate, else its extensions."""
        if self._is_least(made):
            yield made
        elif all(self._can_be_combined(p, q, made.slot.type) for p, q in combinations(made.fixed, 2)):
            yield from self._grow_fixed(made, room)

    def _can_be_combined(self, p: Item, q: Item, type_name: str) -> bool:
        """Return whether two items do not clash, or may have refinements that do not clash."""
        if not clash(p.literal, q.literal):
            return True
        lefts = self.offers.from_literal[type_name]
        grows = any(isinstance(one.family, LinkFamily) or one.literal in lefts for one in (p, q))
        return grows and may_part(p.literal, q.literal, self.rewritten)

    def _is_kept(self, made: Position, item: Item) -> bool:
        """Return whether a derivation is the only or the least one of its predicate."""
        if made.slot.type in self.bundled:
            return item.key[0] == START or self._is_least(made)
        if item.key[0] != START and item.family.index in self.contested[made.slot.type]:
            home = self._home(made.slot.type, item.literal)
            if home is None or home.key != item.key:
                return False
        return not made.fixed or self._is_least(made)

    def _is_least(self, made: Position) -> bool:
        least = self._place(made.slot, made.literals)
        return least is not None and least.key == made.key

    def _grow_item(self, item: Item, type_name: str, room: Room) -> Iterator[Item]:
        """Yield the item with one of its positions extended, or rewritten into a more specific literal."""
        if isinstance(item.family, BundleFamily):
            for position in self._grow_fixed(item.positions[0], room):
                yield _bundle_item(item.family, position)
            return
        if isinstance(item.family, LinkFamily):
            for i in reversed(range(len(item.positions))):
                growths = self._extensions(item.positions[i], room.inside(), (), _alone, free=False)
                for position in self._flatten(growths):
                    yield from _with_position(item, i, position)
                if item.positions[i].grown:
                    break
        yield from self._rewritten(item, type_name, room)

    def _rewritten(self, item: Item, type_name: str, room: Room) -> Iterator[Item]:
        """Yield the literals that rewrites produce from the literal of an item."""
        if not item.is_circular:
            for family in self.offers.from_literal[type_name].get(item.literal, ()):
                yield from self._members(family, item, room.after(-item.size), 0)

    def _members(self, family: Family, origin: Item | None, room: Room, start: int) -> Iterator[Item]:
        """Yield the unrefined literals of a family, starting from the member with the given index."""
        if not has_room(family, room):
            return
        if isinstance(family, TestFamily):
            for v in family.choices()[start:]:
                yield Item(family, v, family.literal(v), (), origin)
            return
        inside = room.inside().after(1)
        bases = list(product(*(list(self._bases(slot, inside)) for slot in family.slots)))
        for n in range(start, len(family.numbers)):
            for positions in bases:
                if _in_order(positions):
                    yield _link_item(family, n, positions, origin)

    def _bases(self, slot: Slot, room: Room) -> Iterator[Position]:
        """Yield the unrefined positions of a slot, one for each combination of fixed literals."""
        for items in product(*(list(self._members(family, None, room, 0)) for family in slot.fixed)):
            made = Position(slot, tuple(items))
            if not items:
                yield made
            else:
                yield from self._settle_fixed(made, room.after(made.size))

    # ---- membership: the least derivation ---------------------------------------------------------------

    def locate(self, predicate: syn.Predicate) -> Position | None:
        """Return the least derivation of a predicate as a position, or None if the grammar does not derive it."""
        predicate = canonical(predicate)
        if not self.room().allows(n_literals(predicate), nesting(predicate)):
            return None
        return self._place(Slot(self.grammar.individual), conjuncts(predicate))

    def _place(self, slot: Slot, literals: tuple[syn.Predicate, ...]) -> Position | None:
        """Return the least derivation of a set of literals in a slot."""
        if _any_clash(literals):
            return None
        if slot.bundle:
            return self._match(slot, literals)
        if slot.type in self.bundled:
            return self._known(self._least_steps, slot, frozenset(literals))
        most, n_fixed = self.most_conjuncts(slot), len(slot.fixed)
        if len(literals) < n_fixed or (len(literals) > n_fixed and not slot.open) or 0 < most < len(literals):
            return None
        homes = [self._home(slot.type, literal) for literal in literals] if len(literals) > n_fixed else []
        fixed = [[self._place_from((family,), literal, slot.type) for literal in literals] for family in slot.fixed]
        found = _least([*fixed, *[homes] * (len(literals) - n_fixed)])
        if found is None:
            return None
        return Position(slot, found[:n_fixed], tuple(sorted(found[n_fixed:], key=lambda item: item.key)))

    def _known(self, find: Callable[[Any, Any], Placed | None], where: Any, what: Any) -> Placed | None:
        """Return a derivation from the cache, or find and cache it."""
        key = (where, what)
        if key not in self.found:
            if len(self.found) >= MAX_KNOWN:
                self.found.clear()
            self.found[key] = find(where, what)
        known: Placed | None = self.found[key]
        return known

    def _match(self, slot: Slot, literals: tuple[syn.Predicate, ...]) -> Position | None:
        """Return a position whose literals are exactly the fixed literals of a slot, or None if they do not match."""
        if len(literals) != len(slot.fixed):
            return None
        parts = [[self._known(self._place_as, family, literal) for literal in literals] for family in slot.fixed]
        found = _least(parts)
        return None if found is None else Position(slot, found)

    def _place_as(self, family: Family, literal: syn.Predicate) -> Item | None:
        """Return the derivation of a literal from a family, or None if there is none."""
        return self._place_from((family,), literal, family.type)

    def _least_steps(self, slot: Slot, literals: frozenset[syn.Predicate]) -> Position | None:
        """Return the least derivation of a set of literals at a position whose rewrites add bundles.

        All derivations are traced back to the fixed literals of the slot. Dijkstra's algorithm then finds the least
        one, with conjuncts, steps and keys as lengths.
        """
        starts: dict[frozenset[syn.Predicate], Position] = {}
        onwards: dict[frozenset[syn.Predicate], list[tuple[Item, frozenset[syn.Predicate]]]] = {literals: []}
        waiting = [literals]
        while waiting:
            here = waiting.pop()
            start = self._match(slot, tuple(here))
            if start is not None:
                starts[here] = start
            for item, before in self._last_steps(slot, here):
                if before not in onwards:
                    onwards[before] = []
                    waiting.append(before)
                onwards[before].append((item, here))
        most, tie = self.most_conjuncts(slot), count()
        ways = [(len(slot.fixed), 0, start.key[:-1], next(tie), here, start) for here, start in starts.items()]
        ways.sort(key=lambda way: way[:4])
        done: set[frozenset[syn.Predicate]] = set()
        while ways:
            places, n_steps, key, _, here, made = heappop(ways)
            if here == literals:
                return made
            if here in done:
                continue
            done.add(here)
            for item, there in onwards[here]:
                used = places + _places(item)
                if there not in done and (most == 0 or used <= most):
                    further = Position(slot, made.fixed, (*made.added, item))
                    heappush(ways, (used, n_steps + 1, (*key, *item.key), next(tie), there, further))
        return None

    def _last_steps(
        self, slot: Slot, literals: frozenset[syn.Predicate]
    ) -> Iterator[tuple[Item, frozenset[syn.Predicate]]]:
        """Yield the possible last steps of a derivation of some literals, each with the literals before the step."""
        if slot.open:
            for literal in literals:
                home = self._known(self._home, slot.type, literal)
                if home is not None:
                    yield home, literals - {literal}
        for family in self.offers.bundles[slot.type]:
            if not family.left and not slot.open:
                continue
            for taken in combinations(literals, len(family.slot.fixed)):
                before = literals.difference(taken).union(family.left)
                # A literal that is still present was not replaced.
                fits = len(before) == len(literals) - len(taken) + len(family.left) and before != literals
                made = self._match(family.slot, taken) if fits else None
                if made is not None and not (family.left and _any_clash(before)):
                    yield _bundle_item(family, made), before

    def _home(self, type_name: str, literal: syn.Predicate) -> Item | None:
        """Return the least derivation of a literal at a position of a type, or None if there is none."""
        return self._place_from(self.offers.from_top[type_name], literal, type_name)

    def _place_from(
        self,
        families: tuple[Family, ...],
        literal: syn.Predicate,
        type_name: str,
        later: tuple[syn.Predicate, ...] = (),
    ) -> Item | None:
        """Return the first derivation of a literal from some families that avoids the literals in `later`."""
        for family in families:
            item = self._place_in(family, literal)
            if item is not None:
                return item
        later = (*later, literal)
        for left, chained in self.offers.from_literal[type_name].items():
            for family in chained:
                if left in later or self._place_in(family, literal) is None:
                    continue
                origin = self._place_from(families, left, type_name, later)
                if origin is not None:
                    return self._place_in(family, literal, origin)
        return None

    def _place_in(self, family: Family, literal: syn.Predicate, origin: Item | None = None) -> Item | None:
        if isinstance(family, TestFamily):
            v = family.find(literal)
            return None if v is None else Item(family, v, literal, (), origin)
        inners = family.inners(literal)
        if inners is None:
            return None
        choice = family.choice_of(literal)
        plain = next((slot for slot in family.slots if slot.plain), None)
        slots = [plain if plain is not None and slot.plain else slot for slot in family.slots]
        placed = {slot: [self._place(slot, conjuncts(p)) for p in inners] for slot in dict.fromkeys(slots)}
        positions = _least([placed[slot] for slot in slots])
        return None if positions is None else _link_item(family, choice, positions, origin)

    # ---- parents ----------------------------------------------------------------------------------------

    def _generalise(self, position: Position) -> Iterator[syn.Predicate]:
        """Yield candidates for the parents of a predicate; some may be outside the space."""
        if position.slot.type in self.bundled:
            yield from self._generalise_steps(position)
            return
        items = position.items
        for i, item in enumerate(items):
            rest = tuple(other.literal for other in (*items[:i], *items[i + 1 :]))
            if i >= len(position.fixed) and not item.grown:
                yield conjoin(rest)
            # A literal that clashes with the rest was skipped in the derivation, which added it as a whole.
            yield from self._generalise_item(item, position.slot.type, rest, without=rest)

    def _generalise_item(
        self, item: Item, type_name: str, rest: tuple[syn.Predicate, ...], without: tuple[syn.Predicate, ...]
    ) -> Iterator[syn.Predicate]:
        """Yield the predicates before the last rewrite of a literal, or `without` where they would clash."""
        for left, families in self.offers.from_literal[type_name].items():
            if any(item.literal in base_literals(family) for family in families):
                yield conjoin((*rest, left))
        for j, inner in enumerate(item.positions):
            for general in self._generalise(inner):
                literal = _with_inner(item, j, general)
                yield conjoin(without if any(clash(literal, other) for other in rest) else (*rest, literal))

    def _generalise_steps(self, position: Position) -> Iterator[syn.Predicate]:
        """Yield the predicates before the last rewrite, at a position whose rewrites add bundles."""
        standing = frozenset(position.literals)
        for last, before in self._last_steps(position.slot, standing):
            if not last.grown:
                yield conjoin(tuple(before))
        for step in position.items:
            without = tuple(standing.difference(conjuncts(step.literal)))
            for item in step.positions[0].items if isinstance(step.family, BundleFamily) else (step,):
                if item.literal in standing:  # otherwise it was replaced
                    rest = tuple(standing - {item.literal})
                    yield from self._generalise_item(item, position.slot.type, rest, without)


def _with_inner(item: Item, j: int, inner: syn.Predicate) -> syn.Predicate:
    assert isinstance(item.family, LinkFamily)
    inners = [position.predicate for position in item.positions]
    inners[j] = inner
    return item.family.build(item.family.numbers[item.choice], inners)


def _least(placed: Sequence[Sequence[Placed | None]]) -> tuple[Placed, ...] | None:
    """Assign a different literal or position to each slot, with the least keys; return None if impossible.

    Parameters
    ----------
    placed : list of lists
        For each slot, the derivation of each literal or position in it; None if there is none.
    """
    wanted = []
    for things in placed:
        keys = {i: thing.key for i, thing in enumerate(things) if thing is not None}
        wanted.append(sorted(keys, key=keys.__getitem__))
    chosen = first_matching(wanted)
    if chosen is None:
        return None
    found = (things[i] for things, i in zip(placed, chosen, strict=True))
    return tuple(thing for thing in found if thing is not None)


def _link_item(family: LinkFamily, choice: int, positions: tuple[Position, ...], origin: Item | None) -> Item:
    literal = family.build(family.numbers[choice], [position.predicate for position in positions])
    return Item(family, choice, literal, positions, origin)


def _with_position(item: Item, i: int, position: Position) -> Iterator[Item]:
    """Yield an item with one of its positions replaced, unless the positions would not be in order."""
    positions = (*item.positions[:i], position, *item.positions[i + 1 :])
    if _in_order(positions):
        assert isinstance(item.family, LinkFamily)
        yield _link_item(item.family, item.choice, positions, item.origin)


def _bundle_item(family: BundleFamily, made: Position) -> Item:
    return Item(family, 0, made.predicate, (made,))


def _places(item: Item) -> int:
    """Return the number of conjuncts that an item adds to its position."""
    return item.family.places if isinstance(item.family, BundleFamily) else 1


def _replaces(item: Item) -> bool:
    """Return whether an item replaces earlier literals."""
    return isinstance(item.family, BundleFamily) and bool(item.family.left)


def _standing(items: tuple[Item, ...]) -> tuple[syn.Predicate, ...]:
    """Return the literals at a position after a sequence of items has been added."""
    if not any(isinstance(item.family, BundleFamily) for item in items):
        return tuple(item.literal for item in items)
    found: dict[syn.Predicate, None] = {}
    for item in items:
        for gone in item.family.left if isinstance(item.family, BundleFamily) else ():
            del found[gone]
        found.update(dict.fromkeys(conjuncts(item.literal)))
    return tuple(found)


def _clashes(item: Item, before: tuple[Item, ...]) -> Iterator[tuple[syn.Predicate, syn.Predicate]]:
    """Yield the pairs of literals, from an item and from earlier items, that clash."""
    gone = item.family.left if isinstance(item.family, BundleFamily) else ()
    for mine in conjuncts(item.literal):
        yield from ((mine, other) for other in _standing(before) if other not in gone and clash(mine, other))


def _any_clash(literals: Collection[syn.Predicate]) -> bool:
    return any(clash(p, q) for p, q in combinations(literals, 2))


def _alone(made: Position) -> Iterator[Position]:
    """Yield a position unchanged: it is the whole predicate, and needs no embedding."""
    yield made


def _then(
    first: Callable[[_Given], Iterator[_Found]], second: Callable[[_Found], Iterator[Position]]
) -> Callable[[_Given], Iterator[Position]]:
    """Return a function that passes each result of the first generator function to the second."""
    return lambda given: (made for found in first(given) for made in second(found))


def _between(literal: syn.Predicate, family: TestFamily) -> tuple[int, int] | None:
    """Return the range of members that are opposite bounds compatible with a literal; None for other tests."""
    cuts, template = family.values, family.template
    if (
        not isinstance(literal, syn.Compare)
        or not isinstance(template, syn.Compare)
        or not isinstance(cuts, np.ndarray)
    ):
        return None
    match literal.op, template.op, literal.value:
        case ">=", "<=", int() | float() as bound:
            return int(np.searchsorted(cuts, bound, side="left")), len(family)
        case "<=", ">=", int() | float() as bound:
            return 0, int(np.searchsorted(cuts, bound, side="right"))
        case _:
            return None


def has_room(family: Family, room: Room) -> bool:
    """Return whether the unrefined members of a family are within the limits."""
    if isinstance(family, TestFamily):
        return room.allows(family.size, family.depth)
    return room.allows(1, 1)


def _growth(item: Item, was: Item | None) -> int:
    return item.size - (was.size if was else 0)


def _fits(item: Item, was: Item | None, room: Room) -> bool:
    return room.allows(_growth(item, was), item.depth)


def _in_order(positions: tuple[Position, ...]) -> bool:
    """Return whether the interchangeable positions of ``distinct`` are sorted by key."""
    return len(positions) < 2 or all(p.key <= q.key for p, q in pairwise(p for p in positions if p.slot.plain))


def _contested(name: str, offers: Offers) -> frozenset[int]:
    """Return the indices of the families of a type whose literals may have several derivations."""
    families = [*offers.of_type(name)]
    chained = [family for family in families if family.left is not None]
    links = [family for family in families if isinstance(family, LinkFamily)]
    often = {shared for shared, n in Counter(family.head for family in links).items() if n > 1}
    dotted = {f.head for f in families if isinstance(f, TestFamily) and f.head} & {f.head for f in links}
    unlike = {f.head for f in links if len(f.slots) > 1 and not all(slot.plain for slot in f.slots)}
    contested = {family.index for family in families if family.head in often | dotted | unlike}
    # A rewritten literal has as many derivations as the literal it was rewritten from.
    while more := {f.index for f in chained if f.index not in contested and _is_shared(f.left, families, contested)}:
        contested |= more
    return frozenset(contested)


def _is_shared(literal: syn.Predicate | None, families: list[Family], contested: set[int]) -> bool:
    """Return whether a literal may have several derivations."""
    assert literal is not None
    makers = [family.index for family in families if family.may_make(literal)]
    return len(makers) > 1 or not contested.isdisjoint(makers)


def _refuse_shrinking(grammar: CheckedGrammar, offers: Offers) -> None:
    """Raise an error for a rewrite that makes a literal smaller, since every step must respect the limits."""
    for left, right in _firsts(offers):
        if n_literals(right) < n_literals(left) or nesting(right) < nesting(left):
            raise GrammarError(
                f"the rewrite {pretty(left)!r} -> {pretty(right)!r} makes a predicate smaller; start it from 'top' "
                "instead",
                grammar.source,
            )


def _firsts(offers: Offers) -> Iterator[tuple[syn.Predicate, syn.Predicate]]:
    """Yield the left side of each rewrite of literals, with the first literal or conjunction that it produces."""
    for by_left in offers.from_literal.values():
        for left, families in by_left.items():
            for family in families:
                yield from ((left, right) for right in islice(base_literals(family), 1))
    for bundles in offers.bundles.values():
        for bundle in bundles:
            yield from ((conjoin(bundle.left), right) for right in islice(base_predicates(bundle.slot), 1))
