"""Single tests behind links, as columns of the individuals.

Where a position behind a link has one test only, each family of tests at the end of each way along links is a column:
behind references (``weather.wind >= *``) the values of the row that they lead to; behind links to several rows the
greatest rank among them, since some row passes a threshold if the greatest value does, and k of them if the k-th
greatest does. Where tests may be combined behind links there is one column for each meaning instead
(`structtree.search.bottom_up`).

Law: every predicate of the space means what a member of some column means, and a column says of whom each of its
members holds.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, NamedTuple, overload

import numpy as np

from structtree.arrays import Codes, Ints
from structtree.data.population import Column, Population
from structtree.lang import syntax as syn
from structtree.lang.walk import functional_step, wrap
from structtree.search.bottom_up import MOST, WORK, is_settled, link_columns, suits
from structtree.search.chains import Chain
from structtree.search.clock import Clock
from structtree.search.columns import TestColumn, columns_of, end_column, is_nested, opening_column
from structtree.search.kernels import tables as kernel
from structtree.search.steps import Steps, rows_needed
from structtree.space.evaluate import rows_where
from structtree.space.families import LinkFamily, TestFamily, base_predicates
from structtree.space.space import Space
from structtree.space.terms import n_literals
from structtree.splitters.attribute_tests import FlatTest, ListedTests, flat_test

__all__ = ["ListingBudget", "linked_tests"]

MOST_COLUMNS = 2_000
"""Maximum number of columns behind links; beyond it, one column per meaning is better."""

MANY_CELLS = 200_000_000
"""Maximum number of columns times individuals."""

FEW_STEPS = 256
"""Maximum number of steps for counting; longer lists are sorted."""


class ListingBudget(NamedTuple):
    """Limits on the work of listing tests, as in `structtree.search.bottom_up.link_columns`.

    Parameters
    ----------
    meanings : int
        Maximum number of meanings of a type.
    words : int
        Maximum number of words of the conjunctions of one length.
    least : int
        Minimum number of rows that a single test inside a link keeps.
    """

    meanings: int = MOST
    words: int = WORK
    least: int = 1


def linked_tests(
    space: Space,
    *,
    shorten: bool = False,
    clock: Clock | None = None,
    by_cost: bool = False,
    budget: ListingBudget | None = None,
) -> ListedTests | None:
    """List the single tests of a grammar, behind links and on the individuals' own attributes.

    None where a node may ask several things at once, where the grammar does not suit, or where there is too much;
    if `shorten`, then what is short enough is offered nevertheless. When the clock is over the rest is left out. Of
    several tests that split alike the shortest is listed, or `by_cost` the cheapest.

    Parameters
    ----------
    space : Space
        On its population, of which every row is reached.
    budget : ListingBudget, optional
        The shortest tests that it allows are listed.

    Examples
    --------
    >>> from structtree import Grammar, load_dataset, pretty
    >>> trains = load_dataset("trains").population
    >>> text = "refine Train { top -> exists cars (top) } refine Car { top -> wheels >= *; top -> load.shape = * }"
    >>> found = linked_tests(Space.build(Grammar.parse(text), trains))
    >>> [pretty(test.right) for test in found.tests][:3]
    ['exists cars (wheels >= 3)', 'exists cars (load.shape = circle)', 'exists cars (load.shape = diamond)']
    """
    grammar = space.grammar
    if grammar.conjuncts.get(grammar.individual, 1) != 1:
        return None
    listing = _Listing(space, clock or Clock(), by_cost)
    if not shorten and listing.suits():
        return listing.along_links()
    if not suits(space):
        return None
    meanings, words, least = budget or ListingBudget()
    found = link_columns(space, meanings, effort=words, least=least, shorten=shorten, clock=clock, by_cost=by_cost)
    if found.missing in ("literals", "time") and not shorten:
        return None
    own = listing.of_individuals()
    behind = (_stepped(column.members, column.values.astype(np.int32)) for column in found.columns)
    return ListedTests(
        (*own, *(replace(test, cost=cost) for test, cost in zip(behind, found.costs, strict=True))),
        found.missing is None and not space.offers.n_skipped,
    )


def is_one_at_a_time(space: Space) -> bool:
    """Return whether each position in a space has at most one literal, which is generated from ``top``."""
    if any(space.offers.from_literal.values()) or space.bundled:
        return False
    families = [family for offered in space.offers.from_top.values() for family in offered]
    links = [family for family in families if isinstance(family, LinkFamily)]
    return all(map(_is_listed, links)) and all(
        space.grammar.conjuncts.get(link.slots[0].type, 1) == 1 for link in links if link.slots[0].plain
    )


def _is_listed(link: LinkFamily) -> bool:
    """Return whether a family only tests the number of rows behind a link that satisfy one test."""
    if isinstance(link.template, syn.Distinct | syn.Aggregate):
        return False
    return link.slots[0].plain or is_settled(link.slots[0])


class _Step(NamedTuple):
    """Step of a path: a link, and the quantifier or count that is tested."""

    family: LinkFamily
    choice: int


@dataclass(frozen=True, slots=True, eq=False)
class _Way:
    """Path along links from the individuals to the rows that a test is about."""

    type: str
    steps: tuple[_Step, ...] = ()

    @property
    def is_single(self) -> bool:
        """Whether the path leads to at most one row."""
        return all(step.family.functional for step in self.steps)

    @property
    def key(self) -> tuple[int, ...]:
        """Numbers that identify the path and sort paths in the order of generation."""
        return tuple(chain.from_iterable((step.family.index, step.choice) for step in self.steps))

    def around(self, inner: syn.Predicate) -> syn.Predicate:
        """Return the test of an individual that results from a test at the end of the path."""
        for family, choice in reversed(self.steps):
            inner = family.build(family.numbers[choice], [inner])
        return inner


@dataclass(frozen=True, slots=True, eq=False)
class _Members(Sequence[syn.Predicate]):
    """Members of a family at the end of a path, created on demand."""

    way: _Way
    family: TestFamily | LinkFamily
    choices: Ints

    def __len__(self) -> int:
        return len(self.choices)

    @overload
    def __getitem__(self, place: int) -> syn.Predicate: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[syn.Predicate]: ...
    def __getitem__(self, place: int | slice) -> syn.Predicate | Sequence[syn.Predicate]:
        if isinstance(place, slice):
            return replace(self, choices=self.choices[place])
        choice = int(self.choices[place])
        if isinstance(self.family, TestFamily):
            return self.way.around(self.family.literal(choice))
        return self.way.around(self.family.build(self.family.numbers[choice], [syn.TOP]))


@dataclass(frozen=True, slots=True, eq=False)
class _Listing:
    """Listing of the tests of a space with one literal per position, path by path.

    Parameters
    ----------
    space : Space
        On its population, of which every row is reached.
    clock : Clock
        When the time is up, the remaining tests are skipped.
    by_cost : bool
        Whether cheaper tests come first, and not shorter ones.
    """

    space: Space
    clock: Clock
    by_cost: bool = False
    steps: Steps = field(init=False)
    _columns: dict[tuple[str, int], list[TestColumn]] = field(default_factory=dict, init=False)
    _chains: dict[tuple[int, ...], Chain] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", Steps(self.population))

    @property
    def population(self) -> Population:
        """The individuals."""
        assert self.space.population is not None
        return self.space.population

    # ---- ways -------------------------------------------------------------------------------------------

    def families(self, way: _Way) -> list[TestFamily | LinkFamily]:
        """Return the families that are allowed at the end of a path."""
        limits, taken = self.space.grammar.limits, len(way.steps)
        literals = np.inf if limits.literals is None else limits.literals - taken
        nesting = np.inf if limits.nesting is None else limits.nesting - taken
        return [
            family
            for family in self.space.offers.from_top[way.type]
            if (1 if isinstance(family, LinkFamily) else family.size) <= literals
            and (1 if isinstance(family, LinkFamily) else family.depth) <= nesting
        ]

    def ways(self, way: _Way) -> Iterator[_Way]:
        """Yield a path and all its extensions."""
        yield way
        for family in self.families(way):
            if isinstance(family, LinkFamily) and family.slots[0].plain:
                for choice in range(len(family.numbers)):
                    if rows_needed(family, choice) != 0:
                        yield from self.ways(_Way(family.slots[0].type, (*way.steps, _Step(family, choice))))

    def suits(self) -> bool:
        """Return whether each position has at most one literal and the number of columns is within the limit."""
        if not is_one_at_a_time(self.space):
            return False
        n, most = 0, min(MOST_COLUMNS, MANY_CELLS // max(1, len(self.population)))
        for way in self.ways(_Way(self.space.grammar.individual)):
            for family in self.families(way):
                n += family.n if isinstance(family, TestFamily) and not self._is_one_column(way, family) else 1
            if n > most:
                return False
        return True

    @staticmethod
    def _is_one_column(way: _Way, family: TestFamily) -> bool:
        return is_nested(family) or (way.is_single and isinstance(family.template, syn.Compare | syn.Among))

    # ---- columns ----------------------------------------------------------------------------------------

    def along_links(self) -> ListedTests:
        """Return the tests at the ends of all paths, shorter paths first, then in the order of generation."""
        found: list[tuple[int, tuple[int, ...], FlatTest]] = []
        asked = [(way, f) for way in self.ways(_Way(self.space.grammar.individual)) for f in self.families(way)]
        n_done = 0
        for way, family in asked:
            if found and self.clock.over() is not None:
                break
            for test in self._tests(way, family):
                length = test.cost if self.by_cost else n_literals(test.right)
                found.append((length, (*way.key, family.index), test))
            n_done += 1
        in_order = [test for _, _, test in sorted(found, key=lambda item: item[:2])]
        n_skipped, complete = len(asked) - n_done, n_done == len(asked) and not self.space.offers.n_skipped
        return ListedTests(tuple(_different(in_order)), complete, n_skipped, len(asked))

    def of_individuals(self) -> list[FlatTest]:
        """Return the tests of individuals that do not open a position behind a link."""
        way = _Way(self.space.grammar.individual)
        own = (family for family in self.families(way) if isinstance(family, TestFamily))
        return [test for family in own for test in self._tests(way, family)]

    def _tests(self, way: _Way, family: TestFamily | LinkFamily) -> Iterator[FlatTest]:
        """Yield the tests of a family at the end of a path, with their costs."""
        surcharge = family.surcharge + sum(step.family.surcharge for step in way.steps)
        for test in self._free(way, family):
            yield replace(test, cost=n_literals(test.right) + surcharge)

    def _free(self, way: _Way, family: TestFamily | LinkFamily) -> Iterator[FlatTest]:
        if isinstance(family, LinkFamily):
            yield from self._opened(way, family)
            return
        plain = flat_test(family.template, self.space.grammar) if not way.steps and not family.path else None
        if plain is not None:
            yield plain
        elif way.is_single and _has_values(family):
            valued = self._valued(way, family)
            yield valued
            yield from self._laxest(way, family, valued)
        else:
            for column in self._columns_of(family):
                yield from self._carried(way, column, _Members(way, family, column.members), _is_upper(family))

    def _columns_of(self, family: TestFamily) -> list[TestColumn]:
        """Evaluate a family of tests for all rows of its type; cached, because several paths may lead to the type."""
        key = (family.type, family.index)
        if key not in self._columns:
            self._columns[key] = columns_of(family, self.steps)
        return self._columns[key]

    def _opened(self, way: _Way, family: LinkFamily) -> Iterator[FlatTest]:
        """Yield tests of the number of rows behind a link, or of the number that satisfy a fixed test."""
        slot = family.slots[0]
        if slot.plain:
            if not isinstance(family.template, syn.All):
                column = opening_column(family, self.steps.of(family).lengths)
                yield from self._carried(way, column, _Members(way, family, column.members))
            return
        for choice, inner in ((c, p) for c in range(len(family.numbers)) for p in base_predicates(slot)):
            further = _Way(slot.type, (*way.steps, _Step(family, choice)))
            true = rows_where(inner, self.population, slot.type)
            column = TestColumn(true.astype(np.int32), kernel.AT_LEAST, (inner,))
            yield from self._carried(further, column, (further.around(inner),))

    def _carried(
        self, way: _Way, column: TestColumn, tests: Sequence[syn.Predicate], is_upper: bool = False
    ) -> Iterator[FlatTest]:
        """Convert results for the rows at the end of a path to tests of individuals."""
        here = self._chain(way)
        if not len(tests):
            return
        if column.form == kernel.AT_LEAST:
            yield _stepped(tests, here.greatest(column.values, len(tests), len(self.population)), is_upper=is_upper)
        elif way.is_single:
            codes = here.codes(column.values, len(self.population))
            yield FlatTest(tests[0], kernel.EQUAL, steps=tests, column=Column("nominal", codes))
        else:
            for place, ranks in enumerate(here.members(column.values, len(tests), len(self.population))):
                yield _stepped(tests[place : place + 1], ranks)

    def _valued(self, way: _Way, family: TestFamily) -> FlatTest:
        """Return a family at the end of a path of references as tests of the value in the referenced row."""
        ends, found = end_column(family, self.steps)
        missing = np.nan if found.values.dtype.kind == "f" else -1
        values = np.append(found.values, np.asarray(missing, dtype=found.values.dtype))
        rows = np.append(ends, -1)[self._chain(way).codes(np.arange(len(ends), dtype=np.int32), len(self.population))]
        right = way.around(wrap(family.path, family.template))
        form = _form(family)
        key = (*(functional_step(step.family.template) for step in way.steps), *map(functional_step, family.path))
        subject: Hashable = (key, _subject(family.template))
        column = replace(found, values=values[rows])
        return FlatTest(right, form, kind=family.kind, levels=family.levels, column=column, key=subject)

    def _laxest(self, way: _Way, family: TestFamily, valued: FlatTest) -> Iterator[FlatTest]:
        """Yield the most general member of a family if all individuals with a value satisfy it.

        Thresholds lie between the values of individuals, so that such a test is not among them. But a family also has
        the values of rows that no individual reaches by this way, and its laxest member tells who has a value at all.
        """
        assert valued.column is not None
        missing = valued.column.missing
        if valued.form not in (kernel.AT_LEAST, kernel.AT_MOST) or not len(family) or not missing.any():
            return
        for choice in {0, len(family) - 1}:
            test = way.around(family.literal(choice))
            true = rows_where(test, self.population, self.population.schema.individual)[self.population.individuals]
            if np.array_equal(true, ~missing):
                yield _stepped((test,), true.astype(np.int32))
                return

    def _chain(self, way: _Way) -> Chain:
        """Return the rows at the end of a path, with the links that lead to them; cached."""
        if way.key not in self._chains:
            if not way.steps:
                name = self.population.schema.individual
                self._chains[way.key] = Chain.start(self.population, self._everything(name))
            else:
                family, choice = way.steps[-1]
                need = rows_needed(family, choice)
                assert need is not None
                before = self._chain(_Way(family.type, way.steps[:-1]))
                adjacency = self.steps.of(family)
                self._chains[way.key] = before.follow(adjacency, need, self._everything(family.slots[0].type))
        return self._chains[way.key]

    def _everything(self, name: str) -> Any:
        return np.ones(self.population.tables[name].n_rows, dtype=np.bool_)


def _has_values(family: TestFamily) -> bool:
    """Return whether a family compares with any value that occurs in the data (``*``)."""
    match family.template:
        case (
            syn.Compare(_, ">=" | "<=", syn.Star())
            | syn.Aggregate(op=">=" | "<=", value=syn.Star())
            | syn.Among(source=syn.Star())
        ):
            return True
        case syn.Compare(_, "=", syn.Star()):
            return family.kind == "nominal"
        case _:
            return False


def _form(family: TestFamily) -> int:
    match family.template:
        case syn.Compare(op=op) | syn.Aggregate(op=op) if op in (">=", "<="):
            return kernel.AT_LEAST if op == ">=" else kernel.AT_MOST
        case syn.Among():
            return kernel.SUBSET
        case _:
            return kernel.EQUAL


def _subject(template: syn.Predicate) -> Hashable:
    """Return the feature that a test compares, without the value."""
    match template:
        case syn.Aggregate():
            return replace(template, op=">=", value=0)
        case syn.Compare(attribute) | syn.Among(attribute):
            return attribute
        case _:
            raise AssertionError(template)


def _is_upper(family: TestFamily) -> bool:
    return getattr(family.template, "op", None) == "<="


def _stepped(tests: Sequence[syn.Predicate], ranks: Codes, *, is_upper: bool = False) -> FlatTest:
    """Combine nested tests, the most general first, with the number of tests that each individual satisfies.

    Of upper bounds the least comes first, as it does in a search.
    """
    if is_upper:
        tests, ranks = tests[::-1], len(tests) - ranks
    form = kernel.AT_MOST if is_upper else kernel.AT_LEAST
    few = len(tests) <= FEW_STEPS
    column = Column("nominal", ranks) if few else Column("int", ranks.astype(np.float64))
    return FlatTest(tests[0], form, steps=tests, column=column)


def _different(tests: Sequence[FlatTest]) -> Iterator[FlatTest]:
    """Yield the tests that split the individuals, without those that repeat an earlier split."""
    seen: set[tuple[int, bytes]] = set()
    for test in tests:
        if test.steps and test.column is not None:
            values = test.column.values
            key = (test.form, values.tobytes())
            if key in seen or not len(values) or values.min() == values.max():
                continue
            seen.add(key)
        yield test
