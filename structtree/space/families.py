"""A checked grammar on given data: for each type, the families of literals that may be added at a position.

A *family* is the right side of one rewrite with its value sources resolved: all its members differ in a value
only. A test family asks one subject; a link family opens *slots*, the positions behind the link. Families are
what is added during refinement, what is counted, and what the search evaluates in one pass. A *bundle* is the right
side of a rewrite that is about several literals of a position at once: a slot whose literals stand among the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from graphlib import CycleError, TopologicalSorter
from itertools import chain, islice, product
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from structtree.data.population import Column, Population
from structtree.data.reachable import reachable_rows
from structtree.data.schema import Attribute, Kind
from structtree.errors import GrammarError, UsageError
from structtree.interrupts import NO_LIMIT, Limit, Preparation
from structtree.lang import syntax as syn
from structtree.lang.aggregates import computed_attribute
from structtree.lang.calls import Place, called, is_open_call, places_of, substituted
from structtree.lang.check import CheckedGrammar, CheckedRewrite
from structtree.lang.logic import Subject, implies, source_of, subject
from structtree.lang.mistakes import error_at
from structtree.lang.pretty import pretty
from structtree.lang.walk import StepPath, children, functional_step, inner_type, is_closed, peel, with_children, wrap
from structtree.space.evaluate import aggregate_column, rows_where
from structtree.space.terms import (
    canonical,
    conjoin,
    conjuncts,
    head,
    n_literals,
    nesting,
)
from structtree.space.values import Interval, Subsets, counts, cuts, intervals, scalars

__all__ = [
    "BundleFamily",
    "Family",
    "LinkFamily",
    "Offers",
    "Slot",
    "TestFamily",
    "base_literals",
    "base_predicates",
    "is_single",
    "reopened",
    "resolve_families",
]

START = 1 << 40
"""The index of families that a search starts with besides those of the grammar; after all of them."""

MOST_CALLS = 100_000
"""For so many calls of a definition may one rewrite stand."""

MOST_SETS = 4095
"""So many sets of values are tried one by one, if they must be: those of twelve values."""

Values = NDArray[np.float64] | tuple[Any, ...] | Subsets
LinkPredicate = syn.Exists | syn.All | syn.Count | syn.Distinct | syn.Follow | syn.ListStep | syn.Aggregate


@dataclass(frozen=True, slots=True, eq=False)
class TestFamily:
    """Tests of one subject in one form: ``wheels >= t`` for all t, ``load.shape = v`` for all v.

    Parameters
    ----------
    index : int
        The place among the families of its type; the order of generation.
    type : str
        The type of row it is asked of.
    template : Predicate
        The test behind the path, its value still a source.
    path : tuple
        The functional steps before it (``load.`` in ``load.shape``), outermost first.
    values : array, tuple or Subsets
        What the source offers; one None when there is no source.
    left : Predicate or None
        The literal it specialises; None stands for ``top``.
    kind : str or None
        The kind of the attribute whose values these are.
    levels : tuple of str
        Its categories in order, if they are ordered.
    cost : int or None
        For how many literals a member counts, when not for those it has.
    subject : tuple or None
        What all members ask about.
    head : tuple or None
        The functional step they start with, which a link family may open too.
    size, depth : int
        The literals and the nesting of a member.
    """

    __test__ = False  # not a test case for pytest

    index: int
    type: str
    template: syn.Predicate
    path: StepPath
    values: Values
    left: syn.Predicate | None = None
    kind: Kind | None = None
    cost: int | None = None
    levels: tuple[str, ...] = ()
    subject: Subject | None = field(init=False)
    head: tuple[Any, ...] | None = field(init=False)
    size: int = field(init=False)
    depth: int = field(init=False)

    def __post_init__(self) -> None:
        example = self.literal(0) if len(self) else None
        object.__setattr__(self, "subject", subject(example) if example is not None else None)
        object.__setattr__(self, "head", head(self.path[0]) if self.path else None)
        size = n_literals(example) if example is not None else 0
        object.__setattr__(self, "size", size if self.cost is None else self.cost)
        object.__setattr__(self, "depth", nesting(example) if example is not None else 0)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def n(self) -> int:
        """Number of members, even if they are more than can be listed."""
        return self.values.n if isinstance(self.values, Subsets) else len(self.values)

    def choices(self) -> range:
        """The indices of all members, for who takes them one by one.

        Raises
        ------
        UsageError
            When they are sets of more than twelve values.
        """
        if isinstance(self.values, Subsets) and self.values.n > MOST_SETS:
            sets = f"{self.values.n:,} sets of {len(self.values.words)} values"
            raise UsageError(
                f"{pretty(self.template)!r} stands for {sets}, too many to try one by one: "
                "ask one plain test of a table at a time, which needs no list, or write out the sets ('in {a, b}')"
            )
        return range(len(self.values))

    def literal(self, v: int) -> syn.Predicate:
        """The member with the v-th value."""
        return wrap(self.path, _instantiate(self.template, self.values[v], self.kind, self.levels))

    def find(self, literal: syn.Predicate) -> int | None:
        """The index of a literal among the members, if it is one."""
        end = self._behind_the_path(literal)
        return None if end is None else _find_value(self.template, self.values, end)

    def nearest(self, literal: syn.Predicate) -> int | None:
        """The index of a literal among the members or, where thresholds are others, of the nearest one."""
        found = self.find(literal)
        if found is not None or not isinstance(self.values, np.ndarray) or not len(self):
            return found
        end = self._behind_the_path(literal)
        if not isinstance(end, syn.Compare | syn.Aggregate) or type(end) is not type(self.template):
            return None
        if replace(end, value=syn.Star()) != replace(self.template, value=syn.Star()):
            return None
        assert isinstance(end.value, int | float)
        return int(np.argmin(np.abs(self.values - end.value)))

    def _behind_the_path(self, literal: syn.Predicate) -> syn.Predicate | None:
        """Return what stands behind the steps of the path, if the literal begins with these."""
        for step in self.path:
            if functional_step(literal) != functional_step(step):
                return None
            assert isinstance(literal, syn.Follow | syn.ListStep)
            literal = literal.inner
        return literal

    def may_make(self, literal: syn.Predicate) -> bool:
        """Tell whether a literal is one of the members."""
        return self.find(literal) is not None

    @property
    def form(self) -> tuple[Any, ...]:
        """The part that two families share when their members can be the same literals."""
        path = tuple(functional_step(step) for step in self.path)
        match self.template:
            case syn.Compare(attribute, "=") | syn.Among(attribute):
                return (*path, "values", attribute)
            case syn.Compare(attribute, op):
                return (*path, "compare", attribute, op)
            case syn.Within(attribute):
                return (*path, "within", attribute)
            case syn.Aggregate(op=op):
                return (*path, "aggregate", subject(self.template), op)
            case syn.Count(link, inner, op):
                return (*path, "count", link, inner, op)
            case syn.Named(name):
                return (*path, "define", name)
            case other:
                return (*path, "single", other)

    @property
    def lonely(self) -> bool:
        """True where any two members imply or exclude each other, so that a position has one of them at most."""
        many = isinstance(self.template, syn.Compare | syn.Aggregate) and self.template.op == "!="
        return not (many or is_open_call(self.template)) or len(self) == 1


@dataclass(frozen=True, slots=True, eq=False)
class Slot:
    """A position behind a link: its type, the literals it must have, and whether more may be added.

    Parameters
    ----------
    bundle : bool
        Whether it is the right side of a rewrite, whose literals stand at a position among others.
    """

    type: str
    fixed: tuple[Family, ...] = ()
    open: bool = True
    bundle: bool = False

    @property
    def plain(self) -> bool:
        """True where it is just ``top``."""
        return self.open and not self.fixed


@dataclass(frozen=True, slots=True, eq=False)
class LinkFamily:
    """Literals that look behind a link: ``exists cars (top)``, ``count atoms (top) >= n`` for all n.

    So are aggregates inside which something is refined, ``max orders (top).price >= t``, for all t.
    """

    index: int
    type: str
    template: LinkPredicate
    slots: tuple[Slot, ...]
    numbers: tuple[float, ...] = (0,)
    left: syn.Predicate | None = None
    #: How many literals of a member are not counted, since they were there before; see `reopened`.
    given: int = 0

    @property
    def head(self) -> tuple[Any, ...]:
        """The part that two families share when their members can be the same literals."""
        own = head(self.template)
        assert own is not None
        return (*own, len(self.slots)) if isinstance(self.template, syn.Distinct) else own

    @property
    def functional(self) -> bool:
        """True where it looks at one certain row."""
        return functional_step(self.template) is not None

    def build(self, number: float, inners: Sequence[syn.Predicate]) -> syn.Predicate:
        """The member with this count or threshold and these predicates in the slots."""
        match self.template:
            case syn.Distinct(link):
                return canonical(syn.Distinct(link, tuple(inners)))
            case syn.Count(link, _, op):
                return syn.Count(link, inners[0], op, int(number))
            case syn.Aggregate() as test:
                return canonical(replace(test, inner=inners[0], value=number))
            case other:
                return replace(other, inner=inners[0])

    def inners(self, literal: syn.Predicate) -> tuple[syn.Predicate, ...] | None:
        """The predicates in the slots of a literal, if it has this family's head and an offered number."""
        if isinstance(literal, syn.Aggregate) and isinstance(self.template, syn.Aggregate):
            same = head(literal) == head(self.template) and literal.op == self.template.op
            return (literal.inner or syn.TOP,) if same and literal.value in self.numbers else None
        inners = children(literal)
        if head(literal) != head(self.template) or len(inners) != len(self.slots):
            return None
        if isinstance(literal, syn.Count) and isinstance(self.template, syn.Count):
            return inners if literal.op == self.template.op and literal.n in self.numbers else None
        return inners

    def choice_of(self, literal: syn.Predicate) -> int:
        """The index of the number of a literal that has an offered one."""
        match literal:
            case syn.Count(n=number) | syn.Aggregate(value=number):
                return self.numbers.index(number)
            case _:
                return 0

    def may_make(self, literal: syn.Predicate) -> bool:
        """Tell whether a literal can be a member, as far as can be seen without a look inside."""
        return self.inners(literal) is not None


Family = TestFamily | LinkFamily


@dataclass(frozen=True, slots=True, eq=False)
class BundleFamily:
    """Literals that one rewrite puts at a position together: ``a = v and b >= t`` for all v and t.

    Parameters
    ----------
    index : int
        The place among the rewrites of its type.
    type : str
    slot : Slot
        The literals; nothing is added to them.
    left : tuple of Predicate
        The literals whose place they take, ground; none where they are put in the place of ``top``.
    open : bool
        Whether the right side ends in ``and top``, so that the place of ``top`` is not used up.
    """

    index: int
    type: str
    slot: Slot
    left: tuple[syn.Predicate, ...] = ()
    open: bool = False
    #: Its literals may be those of any other family.
    head: ClassVar[None] = None

    @property
    def places(self) -> int:
        """Number of the places that ``top and top`` gives a position which are used up."""
        return int(not self.open and not self.left)


@dataclass(frozen=True, slots=True)
class Offers:
    """All families of a grammar on given data, by type: those from ``top``, those from a literal, and bundles.

    `n_skipped` counts the rewrites that there was no time to resolve.
    """

    from_top: Mapping[str, tuple[Family, ...]]
    from_literal: Mapping[str, Mapping[syn.Predicate, tuple[Family, ...]]]
    bundles: Mapping[str, tuple[BundleFamily, ...]] = field(default_factory=dict)
    n_skipped: int = 0

    def of_type(self, name: str) -> Iterator[Family]:
        """Yield all families of a type, those from ``top`` first."""
        return chain(self.from_top[name], *self.from_literal[name].values())


def resolve_families(grammar: CheckedGrammar, population: Population | None, limit: Limit = NO_LIMIT) -> Offers:
    """Resolve every rewrite of a checked grammar on the data, and verify those that syntax could not settle.

    Families are without repeats: of two that offer the same literal the first one has it. The types nearest to the
    individuals come first. When the limit is over, the remaining rewrites are skipped, once there is some test.
    """
    resolve = _Resolver(grammar, population, Preparation(limit))
    top: dict[str, tuple[Family, ...]] = {}
    literal: dict[str, dict[syn.Predicate, tuple[Family, ...]]] = {}
    for name in _nearest_first(grammar):
        rewrites = grammar.rewrites.get(name, ())
        seen: dict[tuple[Any, ...], list[TestFamily]] = {}
        top[name] = tuple(_unseen(resolve.families(name, rewrites, of_top=True), seen))
        resolve.refuse_overlap(top[name])
        literal[name] = {}
        for family in _unseen(resolve.families(name, rewrites, of_top=False), seen):
            assert family.left is not None
            literal[name][family.left] = (*literal[name].get(family.left, ()), family)
    bundles = {name: tuple(resolve.bundles(name, grammar.rewrites.get(name, ()))) for name in grammar.schema.names}
    names = grammar.schema.names
    in_order = {name: top[name] for name in names}, {name: literal[name] for name in names}
    return Offers(*in_order, bundles, len(resolve.skipped))


def _nearest_first(grammar: CheckedGrammar) -> list[str]:
    """Return all types: the individual's first, then those that its links lead to, and so on."""
    found = [grammar.individual]
    for name in found:  # which grows meanwhile
        found += [link.target for link in grammar.schema.type(name).links if link.target not in found]
    return list(dict.fromkeys((*found, *grammar.schema.names)))


def reopened(literal: syn.Predicate, grammar: CheckedGrammar) -> LinkFamily | None:
    """A ground literal on individuals as a family of its own, with all its positions open; None if it has none."""
    right = _with_top(literal)
    if right == literal:
        return None
    rewrite = CheckedRewrite(grammar.individual, syn.Top(), right, settled=True)
    family = _Resolver(grammar, None, Preparation(NO_LIMIT)).family(right, grammar.individual, rewrite)
    assert isinstance(family, LinkFamily)
    return replace(family, index=START, given=n_literals(literal))


def _with_top(predicate: syn.Predicate) -> syn.Predicate:
    """The predicate with ``and top`` wherever something may be added, below its own position."""
    return with_children(predicate, tuple(map(_with_room, children(predicate)))) if _opens(predicate) else predicate


def _with_room(inner: syn.Predicate) -> syn.Predicate:
    parts = tuple(_with_top(part) for part in _parts(inner) if not isinstance(part, syn.Top))
    return syn.And((*parts, syn.Top())) if parts else syn.Top()


@dataclass(frozen=True, slots=True)
class _Resolver:
    """Turns rewrites into families: looks values up in the data, once per column."""

    grammar: CheckedGrammar
    population: Population | None
    preparation: Preparation
    skipped: list[CheckedRewrite] = field(default_factory=list)
    reached: Mapping[str, NDArray[np.bool_]] = field(init=False)
    _tests: list[TestFamily] = field(default_factory=list)

    def __post_init__(self) -> None:
        found = {} if self.population is None else reachable_rows(self.population)
        object.__setattr__(self, "reached", found)

    def families(self, name: str, rewrites: Sequence[CheckedRewrite], *, of_top: bool) -> Iterator[Family]:
        for index, rewrite in enumerate(rewrites):
            if rewrite.is_bundle or isinstance(rewrite.left, syn.Top) != of_top:
                continue
            if self._is_over(name):
                self.skipped.append(rewrite)
                continue
            family = replace(self.family(rewrite.right, name, rewrite), index=index)
            if not of_top:
                family = self._below(family, canonical(rewrite.left), rewrite)
            if not rewrite.settled:
                self._verify(family, rewrite)
            if isinstance(family, TestFamily) and len(family) and not _is_constant(family):
                self._tests.append(family)
            yield family

    def _is_over(self, name: str) -> bool:
        """Return whether to skip the rest: there is no time for it, and some test that may tell rows apart."""
        n_rows = 0 if self.population is None else self.population.tables[name].n_rows
        return self.preparation.is_over(n_rows) and bool(self._tests)

    def bundles(self, name: str, rewrites: Sequence[CheckedRewrite]) -> Iterator[BundleFamily]:
        """Yield the rewrites of a type that are about several literals at once."""
        for index, rewrite in enumerate(rewrites):
            if rewrite.is_bundle and self._is_over(name):
                self.skipped.append(rewrite)
            elif rewrite.is_bundle:
                slot, left = self.slot(rewrite.right, name, rewrite), conjuncts(canonical(rewrite.left))
                fixed = self._parts_below(slot.fixed, left) if rewrite.settled else slot.fixed
                bundle = BundleFamily(index, name, Slot(name, fixed, open=False, bundle=True), left, slot.open)
                if not rewrite.settled:
                    self._verify(bundle, rewrite)
                yield bundle

    def _parts_below(self, parts: tuple[Family, ...], left: tuple[syn.Predicate, ...]) -> tuple[Family, ...]:
        """The parts of a right side with only those values that make them imply the left side."""
        certain = [literal for part in parts for literal in base_literals(part) if is_single(part)]
        for literal in left:
            if not any(implies(other, literal) for other in certain):
                parts = tuple(_members_below(part, literal) for part in parts)
        return parts

    def refuse_overlap(self, families: Sequence[Family]) -> None:
        """Refuse an aggregate with a fixed condition beside one whose condition is open: both may make one test."""
        links = [family for family in families if isinstance(family, LinkFamily)]
        opened = {(f.head, f.template.op) for f in links if isinstance(f.template, syn.Aggregate)}
        for family in families:
            test = family.template
            if not isinstance(family, TestFamily) or not isinstance(test, syn.Aggregate):
                continue
            if (head(test), test.op) in opened:
                rewrite = self.grammar.rewrites[family.type][family.index]
                raise self._error(
                    f"{pretty(rewrite.right)!r} has a fixed condition, and another rewrite of {family.type!r} "
                    "refines that of the same aggregate: keep one of them",
                    rewrite,
                )

    def family(self, right: syn.Predicate, name: str, rewrite: CheckedRewrite) -> Family:
        """The family of one right side, or of one literal inside it."""
        path, end = _path_to_test(right)
        if not _opens(end):
            at = reduce(self._target, path, name)
            values, kind = self._values(end, at, rewrite)
            levels = self._levels(end, at) if kind == "ordered" else ()
            return TestFamily(0, name, canonical(end), path, values, kind=kind, levels=levels)
        assert isinstance(right, LinkPredicate)
        target = self._target(name, right)
        slots = tuple(self.slot(inner, target, rewrite) for inner in children(right))
        return LinkFamily(0, name, right, slots, self._numbers(right, name, rewrite))

    def slot(self, inner: syn.Predicate, name: str, rewrite: CheckedRewrite) -> Slot:
        parts = _parts(inner)
        fixed = [self.family(part, name, rewrite) for part in parts if not isinstance(part, syn.Top)]
        numbered = tuple(replace(family, index=i) for i, family in enumerate(fixed))
        return Slot(name, numbered, open=len(fixed) < len(parts))

    def _target(self, name: str, predicate: syn.Predicate) -> str:
        target = inner_type(predicate, name, self.grammar.schema)
        assert target is not None  # the grammar has been checked
        return target

    def _values(self, test: syn.Predicate, name: str, rewrite: CheckedRewrite) -> tuple[Values, Kind | None]:
        match test:
            case syn.Among(attribute, source=syn.Star() as source):
                return Subsets(self._offered(name, attribute, source, rewrite)), "nominal"
            case syn.Compare(
                attribute, op, syn.Star() | syn.Bins() | syn.Quantiles() | syn.Listed() | syn.Range() as source
            ):
                kind = self._attribute(name, attribute).kind
                if op in (">=", "<="):
                    return cuts(source, self._numbers_of(test, name, source, rewrite), kind, op), kind
                return scalars(source, self._offered(name, attribute, source, rewrite)), kind
            case syn.Within(attribute, source=syn.Bins() | syn.Quantiles() as source):
                kind = self._attribute(name, attribute).kind
                return intervals(source, self._numbers_of(test, name, source, rewrite), kind), kind
            case syn.Aggregate(
                value=syn.Star() | syn.Bins() | syn.Quantiles() | syn.Listed() | syn.Range() as source
            ):
                made = self._computed(test, name)
                if test.op in (">=", "<="):
                    return cuts(source, self._numbers_of(test, name, source, rewrite), made.kind, test.op), made.kind
                return scalars(source, self._computed_values(test, name, source, rewrite)), made.kind
            case syn.Count():
                return self._counts(test, name, rewrite), None
            case syn.Named() if is_open_call(test):
                return self._calls(test, rewrite), None
            case _:
                return (None,), None

    def _calls(self, call: syn.Named, rewrite: CheckedRewrite) -> tuple[tuple[syn.Scalar, ...], ...]:
        """Return the values of all members of an open call: each choice of what its arguments offer."""
        assert call.definition is not None  # the grammar has been checked
        names = call.definition.parameters
        given = dict(zip(names, call.arguments, strict=True))
        chosen: list[dict[str, syn.Scalar]] = [{}]
        for name, places in self._in_order(call, rewrite):
            more = ({**one, name: v} for one in chosen for v in self._arguments(given[name], places, one, rewrite))
            chosen = list(islice(more, MOST_CALLS + 1))
            if len(chosen) > MOST_CALLS:
                raise self._error(
                    f"{pretty(call)!r} stands for more than {MOST_CALLS:,} tests; list fewer values, or ask for "
                    "quantiles(10)",
                    rewrite,
                )
        return tuple(tuple(one[name] for name in names) for one in chosen)

    def _in_order(self, call: syn.Named, rewrite: CheckedRewrite) -> Iterator[tuple[str, tuple[Place, ...]]]:
        """Yield the parameters of a call with their places, each after those that decide what it offers."""
        assert call.definition is not None
        places = places_of(call.definition, self.grammar.schema)
        given = zip(places, call.arguments, strict=True)
        asked = {name for name, value in given if isinstance(value, syn.Star | syn.Bins | syn.Quantiles)}
        needs = {name: {n for place in own if name in asked for n in place.needs} for name, own in places.items()}
        try:
            yield from ((name, places[name]) for name in TopologicalSorter(needs).static_order())
        except CycleError as error:
            name = error.args[1][0]
            message = f"which values {name!r} offers in {pretty(call)!r} depends on itself; list them"
            raise self._error(message, rewrite) from None

    def _arguments(
        self,
        given: syn.Scalar | syn.ValueSource,
        places: Sequence[Place],
        chosen: Mapping[str, syn.Scalar],
        rewrite: CheckedRewrite,
    ) -> tuple[syn.Scalar, ...]:
        """Return the values that an argument stands for: those that any of its places offers."""
        if not isinstance(given, syn.ValueSource):
            return (given,)
        if isinstance(given, syn.Listed | syn.Range):
            return tuple(given.values)
        return syn.sort_scalars(
            value for place in places for value in self._offered_at(place, given, chosen, rewrite)
        )

    def _offered_at(
        self, place: Place, source: syn.ValueSource, chosen: Mapping[str, syn.Scalar], rewrite: CheckedRewrite
    ) -> Iterator[syn.Scalar]:
        match place.test:
            case syn.Count():
                test: syn.Predicate = replace(place.test, n=source)
            case syn.Among(attribute):
                test = syn.Compare(attribute, "=", source)
            case syn.Aggregate(inner=inner) as aggregate:
                condition = None if inner is None else substituted(inner, chosen)
                test = replace(aggregate, value=source, inner=condition)
            case other:
                test = replace(other, value=source)
        values, kind = self._values(test, place.type, rewrite)
        levels = self._levels(test, place.type) if kind == "ordered" else ()
        value: Any
        for value in values:
            yield value if isinstance(value, str | int) else syn.written(value, kind, levels)

    def _levels(self, test: syn.Predicate, name: str) -> tuple[str, ...]:
        if isinstance(test, syn.Aggregate):
            return self._computed(test, name).values
        assert isinstance(test, syn.Compare)  # no other test is for ordered categories
        return self._attribute(name, test.attribute).values

    def _computed(self, test: syn.Aggregate, name: str) -> Attribute:
        return computed_attribute(test, self.grammar.schema.type(self._target(name, test)))

    def _attribute(self, name: str, attribute: str) -> Attribute:
        found = self.grammar.schema.type(name).attribute_or_part(attribute)
        assert found is not None
        return found

    def _data(self, rewrite: CheckedRewrite) -> Population:
        if self.population is None:
            message = f"{pretty(rewrite.right)!r} takes its values from data; give a population (--data)"
            raise self._error(message, rewrite)
        return self.population

    def _numbers_of(
        self,
        test: syn.Compare | syn.Within | syn.Aggregate,
        name: str,
        source: syn.ValueSource,
        rewrite: CheckedRewrite,
    ) -> NDArray[np.float64]:
        """Return the numbers that a test compares, of all rows that can be reached; none where they are listed."""
        if isinstance(source, syn.Listed | syn.Range):
            return np.zeros(0)
        data = self._data(rewrite)
        if isinstance(test, syn.Aggregate):
            return np.asarray(aggregate_column(test, data, name).values[self.reached[name]])
        return np.asarray(data.tables[name].value_column(test.attribute).values[self.reached[name]])

    def _offered(
        self, name: str, attribute: str, source: syn.ValueSource, rewrite: CheckedRewrite
    ) -> tuple[Any, ...]:
        declared = self._attribute(name, attribute)
        if isinstance(source, syn.Listed | syn.Range) or (self.population is None and declared.values):
            if declared.kind == "ordered":
                return tuple(syn.OrderedCategory(rank, name) for rank, name in enumerate(declared.values))
            return declared.values
        return self._present(self._data(rewrite).tables[name].value_column(attribute), name)

    def _computed_values(
        self, test: syn.Aggregate, name: str, source: syn.ValueSource, rewrite: CheckedRewrite
    ) -> tuple[Any, ...]:
        """Return the different values that an aggregate has; where they are listed, or known without data, those."""
        declared = self._computed(test, name)
        if isinstance(source, syn.Listed | syn.Range) or (self.population is None and declared.kind == "nominal"):
            return declared.values
        return self._present(aggregate_column(test, self._data(rewrite), name), name)

    def _present(self, column: Column, name: str) -> tuple[Any, ...]:
        """Return the different values of a column among the rows that can be reached."""
        values = column.values[self.reached[name]]
        if column.kind == "nominal":
            return tuple(column.categories[code] for code in np.flatnonzero(np.bincount(values[values >= 0])))
        present = np.unique(values[~np.isnan(values)]).tolist()
        return tuple(syn.written(v, column.kind, column.categories) for v in present)

    def _counts(self, predicate: syn.Count, name: str, rewrite: CheckedRewrite) -> tuple[int, ...]:
        if isinstance(predicate.n, int):
            return (predicate.n,)
        if isinstance(predicate.n, syn.Listed | syn.Range):
            return counts(predicate.n, 0)
        lengths = self._data(rewrite).tables[name].links[predicate.link].lengths[self.reached[name]]
        return counts(predicate.n, int(lengths.max(initial=0)))

    def _numbers(self, right: LinkPredicate, name: str, rewrite: CheckedRewrite) -> tuple[float, ...]:
        """Return the counts or the thresholds that a literal with positions inside is offered with."""
        match right:
            case syn.Count():
                return self._counts(right, name, rewrite)
            case syn.Aggregate(value=int() | float() as number):
                return (number,)
            case syn.Aggregate(
                value=syn.Star() | syn.Bins() | syn.Quantiles() | syn.Listed() | syn.Range() as source
            ):
                made = self._computed(right, name)
                known = (
                    np.zeros(0)
                    if isinstance(source, syn.Listed | syn.Range)
                    else self._within_reach(right, name, rewrite)
                )
                found = cuts(source, known, made.kind, right.op).tolist()
                return tuple(syn.written(number, made.kind, made.values) for number in found)
            case _:
                return (0,)

    def _within_reach(self, test: syn.Aggregate, name: str, rewrite: CheckedRewrite) -> NDArray[np.float64]:
        """Return what an aggregate may be of some of the rows behind the link; its ranges only of all of them."""
        data, reached = self._data(rewrite), self.reached[name]
        links = data.tables[name].links[test.link]
        if test.function == "share":
            lengths = np.unique(links.lengths[reached])
            return np.concatenate([np.arange(n + 1) / n for n in lengths if n] or [np.zeros(0)])
        if test.function in ("min", "max"):
            assert test.attribute is not None
            column = data.tables[self._target(name, test)].value_column(test.attribute)
            return np.asarray(column.values[links.targets[reached[links.owners]]])
        whole = aggregate_column(replace(test, inner=None), data, name).values[reached]
        if test.function == "distinct":
            return np.arange(np.nanmax(whole, initial=0.0) + 1)
        return np.append(whole, 0.0)

    def _below(self, family: Family, left: syn.Predicate, rewrite: CheckedRewrite) -> Family:
        """The family with only those members that are more specific than the left side."""
        if isinstance(family, LinkFamily):
            return replace(family, left=left)
        if isinstance(family.values, Subsets) and rewrite.settled and family.subject == subject(left):
            return replace(family, values=_sets_below(family, left), left=left)
        keep = [v for v in family.choices() if _special(family.literal(v), left, rewrite)]
        return replace(family, values=_some(family.values, keep), left=left)

    def _verify(self, family: Family | BundleFamily, rewrite: CheckedRewrite) -> None:
        """Refuse a rewrite that some row shows to generalise."""
        population = self._data(rewrite)
        outside = ~rows_where(rewrite.left, population, family.type)
        rights = base_predicates(family.slot) if isinstance(family, BundleFamily) else base_literals(family)
        for literal in rights:
            broken = rows_where(literal, population, family.type) & outside
            if broken.any():
                row = int(np.argmax(broken))
                raise self._error(
                    f"this rewrite does not specialise: row {row} of {family.type} satisfies {pretty(literal)!r} but "
                    f"not {pretty(rewrite.left)!r}; the row is {population.row(family.type, row, 1)}",
                    rewrite,
                )

    def _error(self, message: str, rewrite: CheckedRewrite) -> GrammarError:
        return error_at(rewrite.place, message, self.grammar.source, self.grammar.text)


def base_literals(family: Family) -> Iterator[syn.Predicate]:
    """The members of a family as a rewrite makes them, nothing refined yet."""
    if isinstance(family, TestFamily):
        yield from map(family.literal, family.choices())
        return
    for number in family.numbers:
        for inners in product(*(list(base_predicates(slot)) for slot in family.slots)):
            yield family.build(number, inners)


def is_single(family: Family) -> bool:
    """Tell whether a family is one literal, so that which literal of a position it made is never a question."""
    if isinstance(family, TestFamily):
        return len(family) == 1
    return len(family.numbers) == 1 and all(is_single(f) for slot in family.slots for f in slot.fixed)


def _members_below(family: Family, left: syn.Predicate) -> Family:
    """A family of tests of the subject of a literal with only those members that imply it."""
    if not isinstance(family, TestFamily) or family.subject is None or family.subject != subject(left):
        return family
    return replace(
        family, values=_some(family.values, [v for v in family.choices() if implies(family.literal(v), left)])
    )


def base_predicates(slot: Slot) -> Iterator[syn.Predicate]:
    """Yield what stands in a slot as a rewrite makes it."""
    for parts in product(*(list(base_literals(family)) for family in slot.fixed)):
        yield canonical(conjoin(parts))


def _is_constant(family: TestFamily) -> bool:
    """Return whether a family asks for the one value that there is."""
    return isinstance(family.values, tuple) and len(family) == 1 and family.values[0] is not None


def _parts(predicate: syn.Predicate) -> list[syn.Predicate]:
    """The parts of a conjunction, ``top`` among them where it stands there."""
    if isinstance(predicate, syn.And):
        return [part for p in predicate.parts for part in _parts(p)]
    return [predicate]


def _special(literal: syn.Predicate, left: syn.Predicate, rewrite: CheckedRewrite) -> bool:
    if literal == left:
        return False
    return not rewrite.settled or subject(literal) != subject(left) or bool(implies(literal, left))


def _opens(predicate: syn.Predicate) -> bool:
    """Tell whether a literal has positions behind a link in which something stands or may be added."""
    if isinstance(predicate, syn.Aggregate):
        return not is_closed(predicate) and predicate.inner is not None and _is_refined(predicate.inner)
    return isinstance(predicate, syn.LinkForm) and not is_closed(predicate)


def _is_refined(inner: syn.Predicate) -> bool:
    """Tell whether something may be added inside a predicate, or some value chosen."""
    if isinstance(inner, syn.Top) or source_of(inner) is not None:
        return True
    return not is_closed(inner) and any(map(_is_refined, children(inner)))


def _path_to_test(predicate: syn.Predicate) -> tuple[StepPath, syn.Predicate]:
    """Return the functional steps before a single test, and that test; no steps when it is not of that kind."""
    path, end = peel(predicate)
    return (path, end) if isinstance(end, syn.Test) and not _opens(end) else ((), predicate)


def _instantiate(template: syn.Predicate, value: Any, kind: Kind | None, levels: tuple[str, ...]) -> syn.Predicate:
    if value is None:
        return template
    match template:
        case syn.Among(attribute):
            return canonical(syn.Among(attribute, value))
        case syn.Compare():
            return replace(template, value=value if isinstance(value, str) else syn.written(value, kind, levels))
        case syn.Within():
            low, high = (syn.written(end, "real" if kind == "int" else kind) for end in (value.low, value.high))
            return replace(template, low=low, high=high, closed=value.closed, source=None)
        case syn.Aggregate():
            return replace(template, value=value if isinstance(value, str) else syn.written(value, kind, levels))
        case syn.Count():
            return replace(template, n=int(value))
        case syn.Named(definition=syn.Definition() as definition):
            return called(definition, value, template)
        case _:
            return template


def _find_value(template: syn.Predicate, values: Values, literal: syn.Predicate) -> int | None:
    if isinstance(values, Subsets):
        return values.find(_words(template, literal))
    if len(values) and values[0] is None:
        return 0 if template == literal else None
    match template, literal:
        case syn.Among(source=syn.Star()), _:
            wanted: Any = _words(template, literal)
        case syn.Compare(attribute, op), syn.Compare(other, other_op, value) if (attribute, op) == (other, other_op):
            wanted = value
        case syn.Within(attribute), syn.Within(other, low, high, closed) if attribute == other:
            wanted = Interval(low, high, closed)
        case syn.Aggregate(), syn.Aggregate(value=value) if replace(template, value=value) == literal:
            wanted = value
        case syn.Count(), syn.Count(n=n) if replace(template, n=n) == literal:
            wanted = n
        case syn.Named(name), syn.Named(other, arguments=arguments) if name == other:
            wanted = arguments
        case _:
            return None
    if isinstance(values, np.ndarray):
        place = int(np.searchsorted(values, wanted))
        return place if place < len(values) and values[place] == wanted else None
    return values.index(wanted) if wanted in values else None


def _words(template: syn.Predicate, literal: syn.Predicate) -> tuple[Any, ...]:
    """The values that a literal allows, if it asks about the attribute of a template; else none."""
    match template, literal:
        case syn.Among(attribute), syn.Among(other, words) if attribute == other:
            return words
        case syn.Among(attribute), syn.Compare(other, "=", word) if attribute == other:
            return (word,)
        case _:
            return ()


def _sets_below(family: TestFamily, left: syn.Predicate) -> Subsets:
    """The sets of a family that imply another test of the same subject: those of the values that do."""
    assert isinstance(family.values, Subsets)
    single = replace(family, values=tuple((word,) for word in family.values.words))
    inside = Subsets(values[0] for v, values in enumerate(single.values) if implies(single.literal(v), left))
    own = replace(family, values=inside).find(left)
    return inside if own is None else inside.without([own])


def _some(values: Values, places: list[int]) -> Values:
    return values[places] if isinstance(values, np.ndarray) else tuple(values[place] for place in places)


def _new_sets(family: TestFamily, earlier: list[TestFamily]) -> Values:
    """The sets of a family that no earlier one has, without a look at each."""
    assert isinstance(family.values, Subsets)
    sets = family.values
    for other in earlier:
        if isinstance(other.values, Subsets) and set(sets.words) <= set(other.values.words):
            every = Subsets(other.values.words)
            family = replace(family, values=tuple(every[place] for place in other.values.skipped))
            return _some(family.values, _new_places(family, earlier))
        literals = map(other.literal, other.choices())
        ends = (_path_to_test(literal)[1] for literal in literals)
        places = (sets.place_among_all(_words(family.template, end)) for end in ends)
        sets = sets.without(place for place in places if place is not None)
    return sets


def _new_places(family: TestFamily, earlier: list[TestFamily]) -> list[int]:
    return [v for v in range(len(family)) if not any(e.find(family.literal(v)) is not None for e in earlier)]


def _unseen(families: Iterator[Family], seen: dict[tuple[Any, ...], list[TestFamily]]) -> Iterator[Family]:
    """The families without the members that an earlier one of the same form has; empty ones are dropped."""
    for family in families:
        if isinstance(family, LinkFamily):
            if family.numbers:
                yield family
            continue
        earlier = seen.setdefault(family.form, [])
        if earlier:
            are_sets = isinstance(family.values, Subsets)
            fresh = _new_sets(family, earlier) if are_sets else _some(family.values, _new_places(family, earlier))
            family = replace(family, values=fresh)
        if len(family):
            earlier.append(family)
            yield family
