"""Families: the literals that each rewrite of a grammar can add to a position, given the values of the data.

A *family* is the right side of a rewrite whose value sources are resolved: its members differ only in a value. A test
family tests one feature; a link family opens *slots*, the positions behind the link. The search evaluates a family in
one pass. A *bundle* is the right side of a rewrite that adds several literals to a position at once; they are the
fixed literals of a slot.
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
from structtree.errors import GrammarError, UsageError, option_text
from structtree.interrupts import NO_LIMIT, Limit, Preparation
from structtree.lang import syntax as syn
from structtree.lang.aggregates import computed_attribute
from structtree.lang.calls import ParameterUse, called, is_open_call, parameter_uses, substituted
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
"""The index of the families that a search starts with, greater than all indices of the grammar."""

MOST_CALLS = 100_000
"""Maximum number of calls of a definition in one rewrite."""

MOST_SETS = 4095
"""Maximum number of sets of values to enumerate: all sets of twelve values."""

Values = NDArray[np.float64] | tuple[Any, ...] | Subsets
_GIVEN = syn.Listed | syn.Range  # the sources whose values are in the grammar
LinkPredicate = syn.Exists | syn.All | syn.Count | syn.Distinct | syn.Follow | syn.ListStep | syn.Aggregate


@dataclass(frozen=True, slots=True, eq=False)
class TestFamily:
    """Tests of one feature in one form: ``wheels >= t`` for all t, ``load.shape = v`` for all v.

    Parameters
    ----------
    index : int
        The index among the families of its type, in order of generation.
    type : str
        The type of the tested rows.
    template : Predicate
        The test behind the path, with a value source.
    path : tuple
        The functional steps before the test (``load.`` in ``load.shape``), outermost first.
    values : array, tuple or Subsets
        The values of the value source; a single None if there is none.
    left : Predicate or None
        The left side of the rewrite; None for ``top``.
    kind : str or None
        The kind of the attribute.
    levels : tuple of str
        The categories of an ordered attribute, in order.
    length : int or None
        The size of a member in literals, if it differs from the number of its literals.
    subject : tuple or None
        The feature of all members.
    head : tuple or None
        The functional step that all members start with, if any; a link family may open the same step.
    surcharge : int
        What a member costs beyond 1 per literal; negative if it costs less.
    size, depth : int
        The number of literals and the number of nested links in a member.
    """

    __test__ = False  # not a test case for pytest

    index: int
    type: str
    template: syn.Predicate
    path: StepPath
    values: Values
    left: syn.Predicate | None = None
    kind: Kind | None = None
    length: int | None = None
    levels: tuple[str, ...] = ()
    surcharge: int = 0
    subject: Subject | None = field(init=False)
    head: tuple[Any, ...] | None = field(init=False)
    size: int = field(init=False)
    depth: int = field(init=False)

    def __post_init__(self) -> None:
        example = self.literal(0) if len(self) else None
        object.__setattr__(self, "subject", subject(example) if example is not None else None)
        object.__setattr__(self, "head", head(self.path[0]) if self.path else None)
        size = n_literals(example) if example is not None else 0
        object.__setattr__(self, "size", size if self.length is None else self.length)
        object.__setattr__(self, "depth", nesting(example) if example is not None else 0)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def n(self) -> int:
        """Number of members, even if it is too large for ``len``."""
        return self.values.n if isinstance(self.values, Subsets) else len(self.values)

    def choices(self) -> range:
        """Return the indices of all members.

        Raises
        ------
        UsageError
            If the members are sets of more than twelve values.
        """
        if isinstance(self.values, Subsets) and self.values.n > MOST_SETS:
            sets = f"{self.values.n:,} sets of {len(self.values.words)} values"
            raise UsageError(
                f"{pretty(self.template)!r} stands for {sets}, too many to enumerate; "
                "list the sets ('in {a, b}'), or use only single tests of the individual's attributes, "
                "which need no enumeration"
            )
        return range(len(self.values))

    def literal(self, v: int) -> syn.Predicate:
        """Return the v-th member."""
        return wrap(self.path, _instantiate(self.template, self.values[v], self.kind, self.levels))

    def find(self, literal: syn.Predicate) -> int | None:
        """Return the index of a literal among the members, or None if the literal is not a member."""
        end = self._behind_the_path(literal)
        return None if end is None else _find_value(self.template, self.values, end)

    def nearest(self, literal: syn.Predicate) -> int | None:
        """Return the index of a literal or of the member with the nearest threshold; None if there is neither."""
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
        """Return the predicate after the family's path, or None if the literal starts with another path."""
        for step in self.path:
            if functional_step(literal) != functional_step(step):
                return None
            assert isinstance(literal, syn.Follow | syn.ListStep)
            literal = literal.inner
        return literal

    def may_make(self, literal: syn.Predicate) -> bool:
        """Return whether a literal is a member."""
        return self.find(literal) is not None

    @property
    def form(self) -> tuple[Any, ...]:
        """A key that is equal for families that can have members in common."""
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
        """True if a position can have only one member, because any two members imply or exclude each other."""
        many = isinstance(self.template, syn.Compare | syn.Aggregate) and self.template.op == "!="
        return not (many or is_open_call(self.template)) or len(self) == 1


@dataclass(frozen=True, slots=True, eq=False)
class Slot:
    """A position inside a link literal, with the literals that the rewrite fixes there.

    Parameters
    ----------
    type : str
        The type of the rows.
    fixed : tuple of Family
    open : bool
        Whether literals may be added.
    bundle : bool
        Whether it is a bundle, so that its literals are added to a position that may have others.
    """

    type: str
    fixed: tuple[Family, ...] = ()
    open: bool = True
    bundle: bool = False

    @property
    def plain(self) -> bool:
        """True if the slot is an open position without fixed literals."""
        return self.open and not self.fixed


@dataclass(frozen=True, slots=True, eq=False)
class LinkFamily:
    """Literals about linked rows: ``exists cars (top)``, ``count atoms (top) >= n`` for all n.

    Includes aggregates whose condition can be refined: ``max orders (top).price >= t`` for all t.
    """

    index: int
    type: str
    template: LinkPredicate
    slots: tuple[Slot, ...]
    numbers: tuple[float, ...] = (0,)
    left: syn.Predicate | None = None
    #: The number of literals of a member that do not count, since they existed before; see `reopened`.
    given: int = 0
    #: What a member costs beyond 1 for each literal that the rewrite fixes.
    surcharge: int = 0

    @property
    def head(self) -> tuple[Any, ...]:
        """A key that is equal for families that can have members in common."""
        own = head(self.template)
        assert own is not None
        return (*own, len(self.slots)) if isinstance(self.template, syn.Distinct) else own

    @property
    def functional(self) -> bool:
        """True if the link leads to at most one row."""
        return functional_step(self.template) is not None

    def build(self, number: float, inners: Sequence[syn.Predicate]) -> syn.Predicate:
        """Return the member with the given count or threshold and the given inner predicates."""
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
        """Return the inner predicates of a literal, or None if its form or number differs from the family's."""
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
        """Return the index of the count or threshold of a literal, which must be a member."""
        match literal:
            case syn.Count(n=number) | syn.Aggregate(value=number):
                return self.numbers.index(number)
            case _:
                return 0

    def may_make(self, literal: syn.Predicate) -> bool:
        """Return whether a literal can be a member, ignoring its inner predicates."""
        return self.inners(literal) is not None


Family = TestFamily | LinkFamily


@dataclass(frozen=True, slots=True, eq=False)
class BundleFamily:
    """Literals that a rewrite adds to a position together: ``a = v and b >= t`` for all v and t.

    Parameters
    ----------
    index : int
        The index among the rewrites of its type.
    type : str
    slot : Slot
        A closed slot with the literals.
    left : tuple of Predicate
        The ground literals that they replace; empty if they replace ``top``.
    open : bool
        Whether the right side ends in ``and top``, so that more literals can be added.
    """

    index: int
    type: str
    slot: Slot
    left: tuple[syn.Predicate, ...] = ()
    open: bool = False
    #: What the bundle costs beyond the costs of its literals.
    surcharge: int = 0
    #: Its literals may belong to any other family.
    head: ClassVar[None] = None

    @property
    def places(self) -> int:
        """The number of conjuncts that the bundle counts as."""
        return int(not self.open and not self.left)


@dataclass(frozen=True, slots=True)
class Offers:
    """All families and bundles of a grammar on given data, by type.

    `from_top` has the families of rewrites of ``top``, and `from_literal` those of rewrites of other literals, by the
    literal. `n_skipped` is the number of rewrites that were skipped when the time limit was reached.
    """

    from_top: Mapping[str, tuple[Family, ...]]
    from_literal: Mapping[str, Mapping[syn.Predicate, tuple[Family, ...]]]
    bundles: Mapping[str, tuple[BundleFamily, ...]] = field(default_factory=dict)
    n_skipped: int = 0

    def of_type(self, name: str) -> Iterator[Family]:
        """Yield all families of a type; families of ``top`` come first."""
        return chain(self.from_top[name], *self.from_literal[name].values())


def resolve_families(grammar: CheckedGrammar, population: Population | None, limit: Limit = NO_LIMIT) -> Offers:
    """Turn the rewrites of a checked grammar into families; verify on the data what the syntax does not prove.

    Families are disjoint: a literal belongs to the first family that contains it. The types nearest to the
    individuals are resolved first. Once the limit is reached and there is at least one test, the remaining rewrites
    are skipped.
    """
    resolve = _Resolution(grammar, population, Preparation(limit))
    top: dict[str, tuple[Family, ...]] = {}
    literal: dict[str, dict[syn.Predicate, tuple[Family, ...]]] = {}
    for name in _nearest_first(grammar):
        seen: dict[tuple[Any, ...], list[TestFamily]] = {}
        top[name] = tuple(_unseen(resolve.families(name, of_top=True), seen))
        resolve.refuse_overlap(top[name])
        literal[name] = {}
        for family in _unseen(resolve.families(name, of_top=False), seen):
            assert family.left is not None
            literal[name][family.left] = (*literal[name].get(family.left, ()), family)
    names = grammar.schema.names
    bundles = {name: tuple(resolve.bundles(name)) for name in names}
    in_order = {name: top[name] for name in names}, {name: literal[name] for name in names}
    return Offers(*in_order, bundles, len(resolve.skipped))


def _nearest_first(grammar: CheckedGrammar) -> list[str]:
    """Return all types, sorted by their distance from the individual."""
    found = [grammar.individual]
    for name in found:  # grows while iterated
        found += [link.target for link in grammar.schema.type(name).links if link.target not in found]
    return list(dict.fromkeys((*found, *grammar.schema.names)))


def reopened(literal: syn.Predicate, grammar: CheckedGrammar) -> LinkFamily | None:
    """Return a family that refines a ground literal at all its positions; None if the literal has no positions."""
    right = _with_top(literal)
    if right == literal:
        return None
    rewrite = CheckedRewrite(grammar.individual, syn.Top(), right, settled=True)
    family = _Resolver(grammar, None, {}, rewrite).family(right, grammar.individual)
    assert isinstance(family, LinkFamily)
    return replace(family, index=START, given=n_literals(literal))


def _with_top(predicate: syn.Predicate) -> syn.Predicate:
    """Return the predicate with ``and top`` at every open position inside it."""
    return with_children(predicate, tuple(map(_with_room, children(predicate)))) if _opens(predicate) else predicate


def _with_room(inner: syn.Predicate) -> syn.Predicate:
    parts = tuple(_with_top(part) for part in _parts(inner) if not isinstance(part, syn.Top))
    return syn.And((*parts, syn.Top())) if parts else syn.Top()


@dataclass(frozen=True, slots=True)
class _Resolution:
    """Computation of the families of all rewrites of a grammar, within a time limit."""

    grammar: CheckedGrammar
    population: Population | None
    preparation: Preparation
    skipped: list[CheckedRewrite] = field(default_factory=list)
    _tests: list[TestFamily] = field(default_factory=list)
    _reached: Mapping[str, NDArray[np.bool_]] = field(init=False)

    def __post_init__(self) -> None:
        found = {} if self.population is None else reachable_rows(self.population)
        object.__setattr__(self, "_reached", found)

    def families(self, name: str, *, of_top: bool) -> Iterator[Family]:
        """Yield the families of a type whose rewrites start from ``top``, or from literals."""
        for index, rewrite in self._rewrites(name, bundles=False):
            if isinstance(rewrite.left, syn.Top) == of_top and not self._is_over(rewrite):
                family = self._resolver(rewrite).whole(index)
                if isinstance(family, TestFamily) and len(family) and not _is_constant(family):
                    self._tests.append(family)
                yield family

    def bundles(self, name: str) -> Iterator[BundleFamily]:
        """Yield the bundles of a type."""
        for index, rewrite in self._rewrites(name, bundles=True):
            if not self._is_over(rewrite):
                yield self._resolver(rewrite).bundle(index)

    def _rewrites(self, name: str, *, bundles: bool) -> Iterator[tuple[int, CheckedRewrite]]:
        rewrites = enumerate(self.grammar.rewrites.get(name, ()))
        return ((index, rewrite) for index, rewrite in rewrites if rewrite.is_bundle == bundles)

    def _is_over(self, rewrite: CheckedRewrite) -> bool:
        """Return whether to skip a rewrite because the time is up; there must be at least one informative test."""
        n_rows = 0 if self.population is None else self.population.tables[rewrite.type].n_rows
        is_over = self.preparation.is_over(n_rows) and bool(self._tests)
        if is_over:
            self.skipped.append(rewrite)
        return is_over

    def _resolver(self, rewrite: CheckedRewrite) -> _Resolver:
        return _Resolver(self.grammar, self.population, self._reached, rewrite)

    def refuse_overlap(self, families: Sequence[Family]) -> None:
        """Raise an error if an aggregate with a fixed condition overlaps with one whose condition is refined."""
        links = [family for family in families if isinstance(family, LinkFamily)]
        opened = {(f.head, f.template.op) for f in links if isinstance(f.template, syn.Aggregate)}
        for family in families:
            test = family.template
            if not isinstance(family, TestFamily) or not isinstance(test, syn.Aggregate):
                continue
            if (head(test), test.op) in opened:
                rewrite = self.grammar.rewrites[family.type][family.index]
                raise self._resolver(rewrite).error(
                    f"{pretty(rewrite.right)!r} has a fixed condition, but another rewrite of {family.type!r} "
                    "refines the condition of the same aggregate; keep one of them"
                )


@dataclass(frozen=True, slots=True)
class _Resolver:
    """Computation of the family or bundle of one rewrite."""

    grammar: CheckedGrammar
    population: Population | None
    reached: Mapping[str, NDArray[np.bool_]]
    rewrite: CheckedRewrite

    def whole(self, index: int) -> Family:
        """Return the family of the rewrite, restricted to members that specialise its left side."""
        rewrite = self.rewrite
        family = self.family(rewrite.right, rewrite.type, index, self._surcharge)
        if not isinstance(rewrite.left, syn.Top):
            family = self._below(family, canonical(rewrite.left))
        if not rewrite.settled:
            self._verify(family)
        return family

    @property
    def _surcharge(self) -> int:
        """What the literals of the right side cost beyond 1 each."""
        cost = self.rewrite.cost
        return 0 if cost is None else cost - n_literals(self.rewrite.right)

    def bundle(self, index: int) -> BundleFamily:
        """Return the bundle of the rewrite."""
        rewrite, name = self.rewrite, self.rewrite.type
        slot, left = self.slot(rewrite.right, name), conjuncts(canonical(rewrite.left))
        fixed = _parts_below(slot.fixed, left) if rewrite.settled else slot.fixed
        own = Slot(name, fixed, open=False, bundle=True)
        bundle = BundleFamily(index, name, own, left, slot.open, self._surcharge)
        if not rewrite.settled:
            self._verify(bundle)
        return bundle

    def family(self, right: syn.Predicate, name: str, index: int = 0, surcharge: int = 0) -> Family:
        """Return the family of a right side, or of a literal nested in it."""
        path, end = _path_to_test(right)
        if not _opens(end):
            at = reduce(self._target, path, name)
            values, kind = self._values(end, at)
            levels = self._levels(end, at, kind)
            form = index, name, canonical(end), path, values
            return TestFamily(*form, kind=kind, levels=levels, surcharge=surcharge)
        assert isinstance(right, LinkPredicate)
        target = self._target(name, right)
        slots = tuple(self.slot(inner, target) for inner in children(right))
        return LinkFamily(index, name, right, slots, self._numbers(right, name), surcharge=surcharge)

    def slot(self, inner: syn.Predicate, name: str) -> Slot:
        parts = _parts(inner)
        literals = [part for part in parts if not isinstance(part, syn.Top)]
        fixed = tuple(self.family(part, name, index) for index, part in enumerate(literals))
        return Slot(name, fixed, open=len(fixed) < len(parts))

    def _target(self, name: str, predicate: syn.Predicate) -> str:
        target = inner_type(predicate, name, self.grammar.schema)
        assert target is not None  # the grammar has been checked
        return target

    def _values(self, test: syn.Predicate, name: str) -> tuple[Values, Kind | None]:
        match test:
            case syn.Among(source=syn.Star()):
                return Subsets(self._offered(test, name)), "nominal"
            case syn.Compare(value=source) | syn.Aggregate(value=source) if isinstance(source, syn.ValueSource):
                kind = self._tested(test, name).kind
                if test.op in (">=", "<="):
                    known = np.zeros(0) if isinstance(source, _GIVEN) else self._known(test, name)
                    return cuts(source, known, kind, test.op), kind
                return scalars(source, () if isinstance(source, _GIVEN) else self._offered(test, name)), kind
            case syn.Within(source=syn.Bins() | syn.Quantiles() as source):
                kind = self._tested(test, name).kind
                return intervals(source, self._known(test, name), kind), kind
            case syn.Count():
                return self._counts(test, name), None
            case syn.Named() if is_open_call(test):
                return self._calls(test), None
            case _:
                return (None,), None

    def _calls(self, call: syn.Named) -> tuple[tuple[syn.Scalar, ...], ...]:
        """Return the arguments of all members of an open call: all combinations of values of its parameters."""
        assert call.definition is not None  # the grammar has been checked
        names = call.definition.parameters
        given = dict(zip(names, call.arguments, strict=True))
        chosen: list[dict[str, syn.Scalar]] = [{}]
        for name, places in self._in_order(call):
            more = ({**one, name: v} for one in chosen for v in self._arguments(given[name], places, one))
            chosen = list(islice(more, MOST_CALLS + 1))
            if len(chosen) > MOST_CALLS:
                message = f"{pretty(call)!r} stands for more than {MOST_CALLS:,} tests"
                raise self.error(f"{message}; list fewer values, or use quantiles(10)")
        return tuple(tuple(one[name] for name in names) for one in chosen)

    def _in_order(self, call: syn.Named) -> Iterator[tuple[str, tuple[ParameterUse, ...]]]:
        """Yield the parameters of a call in dependency order, each with its uses."""
        assert call.definition is not None
        places = parameter_uses(call.definition, self.grammar.schema)
        given = zip(places, call.arguments, strict=True)
        asked = {name for name, value in given if isinstance(value, syn.Star | syn.Bins | syn.Quantiles)}
        needs = {name: {n for place in own if name in asked for n in place.needs} for name, own in places.items()}
        try:
            yield from ((name, places[name]) for name in TopologicalSorter(needs).static_order())
        except CycleError as error:
            name = error.args[1][0]
            message = f"the values of {name!r} in {pretty(call)!r} depend on themselves; list them"
            raise self.error(message) from None

    def _arguments(
        self, given: syn.Scalar | syn.ValueSource, places: Sequence[ParameterUse], chosen: Mapping[str, syn.Scalar]
    ) -> tuple[syn.Scalar, ...]:
        """Return the values of an argument, collected from all uses of its parameter."""
        if not isinstance(given, syn.ValueSource):
            return (given,)
        if isinstance(given, _GIVEN):
            return tuple(given.values)
        return syn.sort_scalars(value for place in places for value in self._offered_at(place, given, chosen))

    def _offered_at(
        self, place: ParameterUse, source: syn.ValueSource, chosen: Mapping[str, syn.Scalar]
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
        values, kind = self._values(test, place.type)
        levels = self._levels(test, place.type, kind)
        value: Any
        for value in values:
            yield value if isinstance(value, str | int) else syn.written(value, kind, levels)

    def _levels(self, test: syn.Predicate, name: str, kind: Kind | None) -> tuple[str, ...]:
        return self._tested(test, name).values if kind == "ordered" else ()

    def _tested(self, test: syn.Predicate, name: str) -> Attribute:
        """Return the attribute that a test compares; for an aggregate, the kind and categories of its values."""
        if isinstance(test, syn.Aggregate):
            return computed_attribute(test, self.grammar.schema.type(self._target(name, test)))
        assert isinstance(test, syn.Compare | syn.Among | syn.Within)
        found = self.grammar.schema.type(name).attribute_or_part(test.attribute)
        assert found is not None
        return found

    def _data(self) -> Population:
        if self.population is None:
            shown = pretty(self.rewrite.right)
            raise self.error(f"{shown!r} takes its values from data; give a population ({option_text('data')})")
        return self.population

    def _known(self, test: syn.Compare | syn.Among | syn.Within | syn.Aggregate, name: str) -> NDArray[Any]:
        """Return the tested values of all reachable rows."""
        return np.asarray(self._column(test, name).values[self.reached[name]])

    def _column(self, test: syn.Compare | syn.Among | syn.Within | syn.Aggregate, name: str) -> Column:
        data = self._data()
        if isinstance(test, syn.Aggregate):
            return aggregate_column(test, data, name)
        return data.tables[name].value_column(test.attribute)

    def _offered(self, test: syn.Compare | syn.Among | syn.Aggregate, name: str) -> tuple[Any, ...]:
        """Return the distinct values of the reachable rows, or the declared values without data."""
        declared, is_aggregate = self._tested(test, name), isinstance(test, syn.Aggregate)
        if self.population is None and (declared.kind == "nominal" if is_aggregate else declared.values):
            if declared.kind == "ordered":
                return tuple(syn.OrderedCategory(rank, name) for rank, name in enumerate(declared.values))
            return declared.values
        column = self._column(test, name)
        values = column.values[self.reached[name]]
        if column.kind == "nominal":
            return tuple(column.categories[code] for code in np.flatnonzero(np.bincount(values[values >= 0])))
        present = np.unique(values[~np.isnan(values)]).tolist()
        return tuple(syn.written(v, column.kind, column.categories) for v in present)

    def _counts(self, predicate: syn.Count, name: str) -> tuple[int, ...]:
        if isinstance(predicate.n, int):
            return (predicate.n,)
        if isinstance(predicate.n, _GIVEN):
            return counts(predicate.n, 0)
        lengths = self._data().tables[name].links[predicate.link].lengths[self.reached[name]]
        return counts(predicate.n, int(lengths.max(initial=0)))

    def _numbers(self, right: LinkPredicate, name: str) -> tuple[float, ...]:
        """Return the counts or thresholds of a literal with open positions."""
        match right:
            case syn.Count():
                return self._counts(right, name)
            case syn.Aggregate(value=int() | float() as number):
                return (number,)
            case syn.Aggregate(value=source) if isinstance(source, syn.ValueSource):
                made = self._tested(right, name)
                known = np.zeros(0) if isinstance(source, _GIVEN) else self._within_reach(right, name)
                found = cuts(source, known, made.kind, right.op).tolist()
                return tuple(syn.written(number, made.kind, made.values) for number in found)
            case _:
                return (0,)

    def _within_reach(self, test: syn.Aggregate, name: str) -> NDArray[np.float64]:
        """Return the values that an aggregate can have if its condition selects any subset of the linked rows."""
        data, reached = self._data(), self.reached[name]
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

    def _below(self, family: Family, left: syn.Predicate) -> Family:
        """Return the family restricted to members that specialise the left side."""
        if isinstance(family, LinkFamily):
            return replace(family, left=left)
        if isinstance(family.values, Subsets) and self.rewrite.settled and family.subject == subject(left):
            return replace(family, values=_sets_below(family, left), left=left)
        keep = [v for v in family.choices() if self._is_special(family.literal(v), left)]
        return replace(family, values=_some(family.values, keep), left=left)

    def _is_special(self, literal: syn.Predicate, left: syn.Predicate) -> bool:
        if literal == left:
            return False
        return not self.rewrite.settled or subject(literal) != subject(left) or bool(implies(literal, left))

    def _verify(self, family: Family | BundleFamily) -> None:
        """Raise an error if a row satisfies the right side of the rewrite but not its left side."""
        population = self._data()
        outside = ~rows_where(self.rewrite.left, population, family.type)
        rights = base_predicates(family.slot) if isinstance(family, BundleFamily) else base_literals(family)
        for literal in rights:
            broken = rows_where(literal, population, family.type) & outside
            if broken.any():
                row = int(np.argmax(broken))
                raise self.error(
                    f"the rewrite does not specialise: row {row} of {family.type} satisfies {pretty(literal)!r} but "
                    f"not {pretty(self.rewrite.left)!r}; the row is {population.row(family.type, row, 1)}"
                )

    def error(self, message: str) -> GrammarError:
        return error_at(self.rewrite.place, message, self.grammar.source, self.grammar.text)


def base_literals(family: Family) -> Iterator[syn.Predicate]:
    """Yield the members of a family, unrefined."""
    if isinstance(family, TestFamily):
        yield from map(family.literal, family.choices())
        return
    for number in family.numbers:
        for inners in product(*(list(base_predicates(slot)) for slot in family.slots)):
            yield family.build(number, inners)


def is_single(family: Family) -> bool:
    """Return whether a family has a single member."""
    if isinstance(family, TestFamily):
        return len(family) == 1
    return len(family.numbers) == 1 and all(is_single(f) for slot in family.slots for f in slot.fixed)


def _parts_below(parts: tuple[Family, ...], left: tuple[syn.Predicate, ...]) -> tuple[Family, ...]:
    """Return the families of a right side, restricted to members that imply the left side."""
    certain = [literal for part in parts for literal in base_literals(part) if is_single(part)]
    for literal in left:
        if not any(implies(other, literal) for other in certain):
            parts = tuple(_members_below(part, literal) for part in parts)
    return parts


def _members_below(family: Family, left: syn.Predicate) -> Family:
    """Return a family restricted to members that imply a literal; unchanged if it tests another feature."""
    if not isinstance(family, TestFamily) or family.subject is None or family.subject != subject(left):
        return family
    return replace(
        family, values=_some(family.values, [v for v in family.choices() if implies(family.literal(v), left)])
    )


def base_predicates(slot: Slot) -> Iterator[syn.Predicate]:
    """Yield the predicates of a slot, unrefined."""
    for parts in product(*(list(base_literals(family)) for family in slot.fixed)):
        yield canonical(conjoin(parts))


def _is_constant(family: TestFamily) -> bool:
    """Return whether a family has a single member because the data has a single value."""
    return isinstance(family.values, tuple) and len(family) == 1 and family.values[0] is not None


def _parts(predicate: syn.Predicate) -> list[syn.Predicate]:
    """Return the parts of a conjunction, including ``top``."""
    if isinstance(predicate, syn.And):
        return [part for p in predicate.parts for part in _parts(p)]
    return [predicate]


def _opens(predicate: syn.Predicate) -> bool:
    """Return whether a literal has open positions for tests of linked rows."""
    if isinstance(predicate, syn.Aggregate):
        return not is_closed(predicate) and predicate.inner is not None and _is_refined(predicate.inner)
    return isinstance(predicate, syn.LinkForm) and not is_closed(predicate)


def _is_refined(inner: syn.Predicate) -> bool:
    """Return whether a predicate contains an open position or a value source."""
    if isinstance(inner, syn.Top) or source_of(inner) is not None:
        return True
    return not is_closed(inner) and any(map(_is_refined, children(inner)))


def _path_to_test(predicate: syn.Predicate) -> tuple[StepPath, syn.Predicate]:
    """Split a predicate into functional steps and a test; no steps if they lead to anything other than a test."""
    path, end = peel(predicate)
    return (path, end) if isinstance(end, syn.Test) and not _opens(end) else ((), predicate)


def _instantiate(template: syn.Predicate, value: Any, kind: Kind | None, levels: tuple[str, ...]) -> syn.Predicate:
    if value is None:
        return template
    match template:
        case syn.Among(attribute):
            return canonical(syn.Among(attribute, value))
        case syn.Compare() | syn.Aggregate():
            return replace(template, value=value if isinstance(value, str) else syn.written(value, kind, levels))
        case syn.Within():
            low, high = (syn.written(end, "real" if kind == "int" else kind) for end in (value.low, value.high))
            return replace(template, low=low, high=high, closed=value.closed, source=None)
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
    """Return the values that a literal allows; () if it does not test the attribute of the template."""
    match template, literal:
        case syn.Among(attribute), syn.Among(other, words) if attribute == other:
            return words
        case syn.Among(attribute), syn.Compare(other, "=", word) if attribute == other:
            return (word,)
        case _:
            return ()


def _sets_below(family: TestFamily, left: syn.Predicate) -> Subsets:
    """Return the sets of values in a family that imply another test of the same feature."""
    assert isinstance(family.values, Subsets)
    single = replace(family, values=tuple((word,) for word in family.values.words))
    inside = Subsets(values[0] for v, values in enumerate(single.values) if implies(single.literal(v), left))
    own = replace(family, values=inside).find(left)
    return inside if own is None else inside.without([own])


def _some(values: Values, places: list[int]) -> Values:
    return values[places] if isinstance(values, np.ndarray) else tuple(values[place] for place in places)


def _new_sets(family: TestFamily, earlier: list[TestFamily]) -> Values:
    """Return the sets of values that no earlier family contains, without enumerating them."""
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
    """Yield the families, each without members of earlier families of the same form; empty families are dropped."""
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
