"""Conversion of facts with complete signatures to linked columns.

The members of a type follow from the signatures alone, so facts with the same signatures always create the same
types. Only the kind of an attribute depends on its values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations, permutations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from structtree.data.kinds import Overrides, ValueMismatch, encode, type_name_of, value_type, with_dates
from structtree.data.population import Adjacency, Column, Population, Table, bool_column, column_of
from structtree.data.readers.facts.base import FactTable
from structtree.data.readers.facts.layout import Layout, attribute_name, free_name
from structtree.data.readers.facts.prolog import flattened, term_text
from structtree.data.readers.facts.signatures import (
    Argument,
    FactJoin,
    FactStep,
    MemberOrigin,
    PrologPredicate,
    Signature,
)
from structtree.data.schema import Link, LinkKind, RecordType, Schema

__all__ = ["ExampleRows", "FactTypes", "fact_population", "fact_type_names", "types_without_facts"]

MAX_COMMON = 30
"""Number of pairs of paths above which records shared along two different paths are not linked."""

MAX_COMMON_CELLS = 200_000
"""The same for the number of pairs of paths times that of examples, where there are few examples."""

_Tables = Mapping[PrologPredicate, FactTable]
_Ends = tuple[int, int]


@dataclass(frozen=True, slots=True)
class ExampleRows:
    """Individuals: records, or facts of the predicate to predict.

    Parameters
    ----------
    rows : sequence of tuples
        Arguments of the predicate to predict, one tuple per individual.
    signature : Signature
        Signature of that predicate.
    label : str
        Name of the attribute with the labels; empty if there are none.
    labels : sequence
    """

    rows: Sequence[tuple[Any, ...]]
    signature: Signature
    label: str = ""
    labels: Sequence[Any] = ()

    @property
    def record_place(self) -> int | None:
        """Argument whose records are the individuals; None if each example is an individual."""
        label = self.label if self.signature.key is not None else ""
        others = [one for one in self.signature.arguments if not one.is_type and one.name != label]
        types = self.signature.types
        return types[0] if len(types) == 1 and not others else None


@dataclass(frozen=True, slots=True)
class FactTypes:
    """Population of facts, and the origin of its members.

    Parameters
    ----------
    population : Population
    rows : mapping
        Row of each constant of each type.
    unlinked : tuple of PrologPredicate
        Predicates that are not part of the population.
    origins : mapping from type and member
        Origin of each member, except names and the values of list elements.
    joins : mapping from type and member
        Origin of each member that relates two arguments of an example.
    own : mapping
        Type name of each predicate whose facts are records.
    """

    population: Population
    rows: Mapping[str, Mapping[Any, int]]
    unlinked: tuple[PrologPredicate, ...]
    origins: Mapping[tuple[str, str], MemberOrigin]
    joins: Mapping[tuple[str, str], FactJoin]
    own: Mapping[PrologPredicate, str]


def fact_type_names(
    layout: Layout, examples: ExampleRows | None, individual: str | None
) -> dict[PrologPredicate, str]:
    """Return a unique type name for each predicate whose facts are records."""
    taken = {one.name for signature in layout.signatures.values() for one in signature.arguments if one.is_type}
    found: dict[PrologPredicate, str] = {}
    target = examples.signature.predicate if examples and examples.record_place is None else None
    if examples is not None and target is not None:
        found[target] = individual or free_name(type_name_of(examples.signature.name), taken)
        taken.add(found[target])
    for predicate, signature in layout.signatures.items():
        if _is_own(signature) and predicate not in found:
            found[predicate] = free_name(type_name_of(signature.name), taken)
            taken.add(found[predicate])
    return found


def _is_own(signature: Signature) -> bool:
    """Return whether each fact of a predicate becomes a record of its own."""
    is_pair = len(signature.arguments) == 2 == len(signature.types)
    return bool(signature.types) and len(signature.arguments) > 1 and signature.key is None and not is_pair


def fact_population(
    tables: _Tables, layout: Layout, examples: ExampleRows | None, individual: str | None, overrides: Overrides
) -> FactTypes:
    """Return the population of facts with complete signatures.

    Parameters
    ----------
    tables : mapping
        Facts of each predicate, without those to predict.
    layout : Layout
    examples : ExampleRows, optional
        Individuals; by default all records of a type.
    individual : str, optional
        Name of the individuals' type.
    overrides : Overrides
        Given kinds of attributes.
    """
    names = fact_type_names(layout, examples, individual)
    target = examples.signature.predicate if examples else None
    signatures = [one for predicate, one in layout.signatures.items() if predicate != target]
    draft = _Draft(names, overrides, _owners(signatures), _shared_in_lists(signatures, tables))
    if examples is not None:
        _add_constants(draft, examples.signature, examples.rows)
    for signature in signatures:
        _add_constants(draft, signature, _rows(tables, signature))
    if examples is not None:
        _add_label(draft, examples, names)
    for signature in signatures:
        if signature.types:
            _add_members(draft, signature, tables.get(signature.predicate, FactTable()))
    unlinked = [signature.predicate for signature in signatures if not signature.types]
    who = _individual_type(draft, examples, individual, names)
    _add_names(draft, signatures, {who, *_types_of(examples)})
    if examples is not None and examples.record_place is None:
        used = _JointMembers(draft, examples, signatures, tables, who).add()
        unlinked = [predicate for predicate in unlinked if predicate not in used]
    population = draft.population(who)
    if examples is not None and examples.record_place is not None:
        rows = [draft.rows[who][row[examples.record_place]] for row in examples.rows]
        population = Population(population.schema, population.tables, np.array(rows, dtype=np.int64))
    return FactTypes(population, draft.rows, tuple(unlinked), draft.origins, draft.joins, names)


def types_without_facts(
    signatures: Mapping[PrologPredicate, Signature], target: str | None, individual: str
) -> FactTypes:
    """Return the types and members that signatures define, without any facts.

    Parameters
    ----------
    signatures : mapping
        Signatures of all predicates, including that of the examples.
    target : str, optional
        Predicate of the examples, or an attribute.
    individual : str
        Name of the individuals' type.

    Examples
    --------
    >>> from structtree.data.readers.facts.signatures import signatures_of
    >>> known = signatures_of(["has_car(Train, Car key)", "wheels(Car key, wheels)", "eastbound(Train)"])
    >>> types_without_facts(known, "eastbound", "Train").origins["Car", "wheels"]
    MemberOrigin(predicate=PrologPredicate(name='wheels', arity=2), start=0, end=1)
    """
    examples = next((one for one in signatures.values() if one.name == target), None)
    rows = ExampleRows((), examples, str(target)) if examples is not None else None
    return fact_population({}, Layout(signatures), rows, individual, Overrides({}))


def _types_of(examples: ExampleRows | None) -> set[str]:
    if examples is None:
        return set()
    return {examples.signature.arguments[place].name for place in examples.signature.types}


def _rows(tables: _Tables, signature: Signature) -> Sequence[tuple[Any, ...]]:
    return tables[signature.predicate].rows if signature.predicate in tables else ()


def _individual_type(
    draft: _Draft, examples: ExampleRows | None, individual: str | None, names: Mapping[PrologPredicate, str]
) -> str:
    if examples is not None:
        return _example_type(examples, names)
    return max(draft.rows, key=lambda name: len(draft.members(name))) if individual is None else individual


def _example_type(examples: ExampleRows, names: Mapping[PrologPredicate, str]) -> str:
    place = examples.record_place
    return names[examples.signature.predicate] if place is None else examples.signature.arguments[place].name


# ---- drafts ----------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Draft:
    """Types under construction: their rows, columns and links."""

    own: Mapping[PrologPredicate, str]
    overrides: Overrides
    owners: frozenset[tuple[str, str]]
    shared: frozenset[str]
    rows: dict[str, dict[Any, int]] = field(default_factory=dict)
    columns: dict[str, dict[str, Column]] = field(default_factory=dict)
    links: dict[str, dict[Link, Adjacency]] = field(default_factory=dict)
    origins: dict[tuple[str, str], MemberOrigin] = field(default_factory=dict)
    joins: dict[tuple[str, str], FactJoin] = field(default_factory=dict)

    def add_rows(self, name: str, constants: Iterable[Any]) -> None:
        known = self.rows.setdefault(name, {})
        for one in constants:
            known.setdefault(one, len(known))

    def places(self, name: str, constants: Iterable[Any]) -> NDArray[np.int64]:
        """Return the row numbers of records, given by their constants, in a type."""
        known = self.rows[name]
        return np.array([known[one] for one in constants], dtype=np.int64)

    def n_rows(self, name: str) -> int:
        return len(self.rows[name])

    def members(self, name: str) -> list[str]:
        return [*self.columns.get(name, ()), *(link.name for link in self.links.get(name, ()))]

    def free(self, type_name: str, name: str) -> str:
        """Return a name for a member, with a number appended if the name is taken."""
        return free_name(name, self.members(type_name), "_")

    def add_column(
        self, type_name: str, name: str, column: Column, origin: MemberOrigin | FactJoin | None = None
    ) -> None:
        found = self.free(type_name, name)
        self.columns.setdefault(type_name, {})[found] = column
        self._keep_origin(type_name, found, origin)

    def add_link(
        self,
        type_name: str,
        name: str,
        kind: LinkKind,
        target: str,
        found: Adjacency,
        origin: MemberOrigin | FactJoin | None = None,
    ) -> None:
        link = Link(self.free(type_name, name), kind, target)
        self.links.setdefault(type_name, {})[link] = found
        self._keep_origin(type_name, link.name, origin)

    def _keep_origin(self, type_name: str, name: str, origin: MemberOrigin | FactJoin | None) -> None:
        if isinstance(origin, FactJoin):
            self.joins[type_name, name] = origin
        elif origin is not None:
            self.origins[type_name, name] = origin

    def add_values(
        self, type_name: str, name: str, values: list[Any], table: FactTable, at: Sequence[int], origin: MemberOrigin
    ) -> None:
        """Add an attribute whose values come from the facts at the given indices."""
        wanted = self.overrides.declared_kind(type_name, name)
        try:
            column = encode(values, wanted.kind, wanted.values, layout=wanted.layout) if wanted else _column(values)
        except ValueMismatch as mismatch:
            where = next((fact for fact, row in enumerate(at) if row == mismatch.index), 0)
            raise table.error(where, f"{mismatch.message} as {name} of {type_name}") from None
        self.add_column(type_name, name, column or column_of("nominal", [None] * len(values)), origin)

    def population(self, individual: str) -> Population:
        """Return a population of only the types that can be reached from the individuals."""
        names = list(_reached(individual, self.links))
        types, tables = [], {}
        for name in names:
            columns, links = self.columns.get(name, {}), self.links.get(name, {})
            attributes = [column.as_attribute(key) for key, column in columns.items()]
            types.append(RecordType(name, tuple(attributes), tuple(links)))
            tables[name] = Table(self.n_rows(name), columns, {link.name: found for link, found in links.items()})
        return Population(Schema(tuple(types), individual), tables)


def _reached(individual: str, links: Mapping[str, Mapping[Link, Adjacency]]) -> Iterator[str]:
    found = [individual]
    for name in found:  # grows during the iteration
        yield name
        found += dict.fromkeys(link.target for link in links.get(name, ()) if link.target not in found)


def _column(values: Sequence[Any]) -> Column | None:
    """Return a column of numbers, words or dates; numbers mixed with words are words."""
    sorts = {value_type(type(value)) for value in values} - {"missing"}
    column = encode(values, "nominal") if len(sorts) > 1 else encode(values)
    return column and with_dates(column)


def _owners(signatures: Sequence[Signature]) -> frozenset[tuple[str, str]]:
    """Return the pairs of a part type and its owner type."""
    return frozenset(
        (signature.arguments[signature.key].name, signature.arguments[place].name)
        for signature in signatures
        if signature.key is not None
        for place in signature.types
        if place < signature.key
    )


def _shared_in_lists(signatures: Sequence[Signature], tables: _Tables) -> frozenset[str]:
    """Return the types with a record that occurs in two lists; lists of these types become sets."""
    seen: dict[str, set[Any]] = {}
    shared = set()
    for signature in signatures:
        for place, argument in enumerate(signature.arguments):
            if argument.is_list and argument.is_type:
                for row in _rows(tables, signature):
                    items = flattened(row[place])
                    known = seen.setdefault(argument.name, set())
                    if len(set(items)) < len(items) or not known.isdisjoint(items):
                        shared.add(argument.name)
                    known.update(items)
    return frozenset(shared)


# ---- rows ------------------------------------------------------------------------------------------------


def _add_constants(draft: _Draft, signature: Signature, rows: Sequence[tuple[Any, ...]]) -> None:
    for place, argument in enumerate(signature.arguments):
        if argument.is_type:
            values = (row[place] for row in rows)
            draft.add_rows(argument.name, chain.from_iterable(map(flattened, values)) if argument.is_list else values)
    own = draft.own.get(signature.predicate)
    if own is not None:
        draft.add_rows(own, _own_keys(signature, rows))


def _own_keys(signature: Signature, rows: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
    """Yield the keys of facts that become records; a fact that is read both ways has two keys."""
    for row in rows:
        yield row
        if signature.direction == "both ways":
            yield (*row, "back")


# ---- members ---------------------------------------------------------------------------------------------


def _add_label(draft: _Draft, examples: ExampleRows, names: Mapping[PrologPredicate, str]) -> None:
    """Add the labels, and the arguments of the examples if these are the individuals."""
    place, who = examples.record_place, _example_type(examples, names)
    if place is None:
        _add_own(draft, examples.signature, FactTable(list(examples.rows)), is_example=True)
    if not examples.label:
        return
    values: list[Any] = [None] * draft.n_rows(who)
    for row, label in zip(examples.rows, examples.labels, strict=True):
        values[draft.rows[who][row if place is None else row[place]]] = label
    wanted = draft.overrides.declared_kind(who, examples.label)
    column = encode(values, wanted.kind, wanted.values) if wanted else _column(values)
    draft.add_column(who, examples.label, column or column_of("bool", values))


def _add_members(draft: _Draft, signature: Signature, table: FactTable) -> None:
    arguments = signature.arguments
    if len(arguments) == 1:
        name = arguments[0].name
        is_true = np.zeros(draft.n_rows(name), dtype=np.bool_)
        is_true[draft.places(name, (row[0] for row in table.rows))] = True
        draft.add_column(name, signature.name, bool_column(is_true), MemberOrigin(signature.predicate, 0))
    elif signature.key is not None:
        _add_described(draft, signature, table, signature.key)
    elif _is_own(signature):
        _add_own(draft, signature, table)
    else:
        _add_relation(draft, signature, table)


def _add_described(draft: _Draft, signature: Signature, table: FactTable, key: int) -> None:
    """Add the other arguments of a predicate as attributes and references of its key argument."""
    who = signature.arguments[key].name
    at = draft.places(who, (row[key] for row in table.rows))
    again = np.setdiff1d(np.arange(len(at)), np.unique(at, return_index=True)[1])
    if len(again):
        row = int(again[0])
        raise table.error(row, f"{signature.predicate}: a second fact for the key {table.rows[row][key]}")
    n_types = len(signature.types)
    for place, argument in enumerate(signature.arguments):
        if place == key or argument.is_skipped:
            continue
        values = [row[place] for row in table.rows]
        origin = MemberOrigin(signature.predicate, key, place)
        if argument.is_list:
            name = signature.name if len(signature.arguments) == 2 else argument.role or attribute_name(argument.name)
            _add_list(draft, who, name, argument, at, values, origin)
        elif not argument.is_type:
            known: list[Any] = [None] * draft.n_rows(who)
            for row, value in zip(at.tolist(), values, strict=True):
                known[row] = value
            draft.add_values(who, argument.name, known, table, at.tolist(), origin)
        else:
            usual = signature.name if n_types == 2 else f"{signature.name}_{attribute_name(argument.name)}"
            name = argument.role or usual
            _add_reference(draft, signature, who, at, place, name, values)


def _add_reference(
    draft: _Draft, signature: Signature, who: str, at: NDArray[np.int64], place: int, name: str, values: list[Any]
) -> None:
    """Add a reference from the key to another record, and the reverse set."""
    other = signature.arguments[place].name
    targets = draft.places(other, values)
    assert signature.key is not None
    is_first, is_one_way = signature.key < place, signature.direction == "one way"
    if is_first or not is_one_way:
        lengths = np.zeros(draft.n_rows(who), dtype=np.int64)
        lengths[at] = 1
        found = Adjacency.from_lengths(lengths, targets[np.argsort(at, kind="stable")])
        origin = MemberOrigin(signature.predicate, signature.key, place)
        draft.add_link(who, name if is_first else f"{name}_of", "optional", other, found, origin)
    if not is_first or not is_one_way:
        back = Adjacency.grouped(targets, at, draft.n_rows(other))
        origin = MemberOrigin(signature.predicate, place, signature.key)
        draft.add_link(other, f"{name}_of" if is_first else name, "set", who, back, origin)


def _add_relation(draft: _Draft, signature: Signature, table: FactTable) -> None:
    """Add set links between the records of two arguments."""
    first, second = (argument.name for argument in signature.arguments)
    owners = draft.places(first, (row[0] for row in table.rows))
    targets = draft.places(second, (row[1] for row in table.rows))
    if signature.direction == "both ways":
        pairs = dict.fromkeys([*zip(owners.tolist(), targets.tolist(), strict=True)])
        pairs |= dict.fromkeys((b, a) for a, b in [*pairs])
        owners, targets = np.array([*pairs], dtype=np.int64).reshape(-1, 2).T
    name = signature.arguments[1].role or signature.name
    found = Adjacency.grouped(owners, targets, draft.n_rows(first))
    draft.add_link(first, name, "set", second, found, MemberOrigin(signature.predicate, 0, 1))
    if not signature.direction:
        back = Adjacency.grouped(targets, owners, draft.n_rows(second))
        own = signature.arguments[0].role or f"{name}_of"
        draft.add_link(second, own, "set", first, back, MemberOrigin(signature.predicate, 1, 0))


def _add_list(
    draft: _Draft,
    who: str,
    name: str,
    argument: Argument,
    at: NDArray[np.int64],
    values: list[Any],
    origin: MemberOrigin,
) -> None:
    """Add lists of records, sets if lists share records, or lists of elements with a value."""
    items = [flattened(value) for value in values]
    if argument.is_type:
        target = argument.name
        pairs = [(row, one) for row, each in zip(at.tolist(), items, strict=True) for one in dict.fromkeys(each)]
        owners = np.array([row for row, _ in pairs], dtype=np.int64)
        found = Adjacency.grouped(owners, draft.places(target, (one for _, one in pairs)), draft.n_rows(who))
        draft.add_link(who, name, "set" if target in draft.shared else "list", target, found, origin)
        return
    element = free_name(type_name_of(f"{name}_item"), draft.rows)
    lengths = np.zeros(draft.n_rows(who), dtype=np.int64)
    lengths[at] = [len(each) for each in items]
    order = np.argsort(at, kind="stable")
    flat = [one for i in order for one in items[i]]
    draft.rows[element] = {i: i for i in range(len(flat))}
    draft.add_column(element, "value", _column(flat) or column_of("nominal", [None] * len(flat)))
    draft.add_link(who, name, "list", element, Adjacency.in_order(lengths), origin)


def _add_own(draft: _Draft, signature: Signature, table: FactTable, *, is_example: bool = False) -> None:
    """Add the facts of a predicate as records, with attributes, references and reverse sets."""
    own = draft.own[signature.predicate]
    is_double = signature.direction == "both ways"
    rows = [each for row in table.rows for each in ((row, _swapped(signature, row)) if is_double else (row,))]
    at = np.arange(len(rows))
    for place, argument in enumerate(signature.arguments):
        if argument.is_skipped:
            continue
        values = [row[place] for row in rows]
        origin = MemberOrigin(signature.predicate, None, place)
        if argument.is_list:
            _add_list(draft, own, argument.role or attribute_name(argument.name), argument, at, values, origin)
        elif not argument.is_type:
            facts = [2 * i for i in range(len(table.rows))] if is_double else at.tolist()
            draft.add_values(own, argument.name, values, table, facts, origin)
        else:
            _add_role(draft, signature, own, place, draft.places(argument.name, values), is_example)


def _add_role(
    draft: _Draft, signature: Signature, own: str, place: int, targets: NDArray[np.int64], is_example: bool
) -> None:
    """Add the reference from a fact to a record, and the reverse set."""
    argument = signature.arguments[place]
    role = argument.role or attribute_name(argument.name)
    is_twice = sum(one.name == argument.name for one in signature.arguments) == 2
    is_double = signature.direction == "both ways" and is_twice
    is_first = argument.name not in [signature.arguments[i].name for i in signature.types if i < place]
    others = [signature.arguments[i].name for i in signature.types if i != place]
    is_owner = not is_example and (not others or any((other, argument.name) in draft.owners for other in others))
    if not (is_double and is_first) and not is_owner:
        origin = MemberOrigin(signature.predicate, None, place)
        draft.add_link(own, role, "one", argument.name, Adjacency.single(targets), origin)
    if is_example or (is_double and not is_first):
        return
    name = signature.name if is_first else f"{signature.name}_{role}"
    facts = Adjacency.grouped(targets, np.arange(len(targets)), draft.n_rows(argument.name))
    draft.add_link(argument.name, name, "set", own, facts, MemberOrigin(signature.predicate, place))


def _swapped(signature: Signature, row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a fact with its two records of the same type swapped."""
    names = [argument.name if argument.is_type else "" for argument in signature.arguments]
    first, second = next((i, j) for i, j in combinations(range(len(row)), 2) if names[i] and names[i] == names[j])
    found = list(row)
    found[first], found[second] = row[second], row[first]
    return tuple(found)


def _add_names(draft: _Draft, signatures: Sequence[Signature], without: set[str]) -> None:
    """Add names to shared records, such as words and enzymes, but not to individuals and parts."""
    parts = {
        signature.arguments[signature.key].name
        for signature in signatures
        if signature.key is not None and len(signature.types) > 1 and signature.key != signature.types[0]
    }
    own = {*draft.own.values()}
    for name, rows in draft.rows.items():
        is_element = name not in own and all(key == row for key, row in rows.items())
        if name in without or name in parts or name in own or (is_element and "value" in draft.columns.get(name, {})):
            continue
        texts = [one if isinstance(one, str) else term_text(one) for one in rows]
        draft.add_column(name, "name", column_of("nominal", texts))


# ---- pairs -----------------------------------------------------------------------------------------------


class _Path(NamedTuple):
    """Path from the arguments of an example to records that they may share, with the targets of each record."""

    name: str
    target: str
    rows: Mapping[Any, set[Any]]
    steps: tuple[FactStep, ...]
    is_single: bool = False
    is_long: bool = False


@dataclass(frozen=True, slots=True)
class _JointMembers:
    """Attributes and links of examples that relate two of their arguments."""

    draft: _Draft
    examples: ExampleRows
    signatures: Sequence[Signature]
    tables: _Tables
    who: str

    def add(self) -> set[PrologPredicate]:
        """Add all members, and return the relations between numbers that they use."""
        arguments, types = self.examples.signature.arguments, self.examples.signature.types
        if len(types) == 2:
            ends = types[0], types[1]
            if len(_types_of(self.examples)) == 1:
                self.add_flag("same", (one == other for one, other in self.pairs(ends)), FactJoin(ends))
            for signature in self.signatures:
                self.add_relation(signature, ends)
            self.add_common(ends)
        numbers = [
            place
            for place, one in enumerate(arguments)
            if not one.is_type and all(isinstance(row[place], int) for row in self.examples.rows)
        ]
        relations = (one for one in self.signatures if not one.types and len(one.arguments) == 2)
        return {one.predicate for one in relations if self.add_number_relation(one, numbers)}

    def pairs(self, ends: _Ends) -> Iterator[tuple[Any, Any]]:
        """Yield the two given arguments of each example."""
        return ((row[ends[0]], row[ends[1]]) for row in self.examples.rows)

    def add_flag(self, name: str, values: Iterable[bool], origin: FactJoin) -> None:
        self.draft.add_column(self.who, name, bool_column(np.array(list(values), dtype=np.bool_)), origin)

    def add_sets(self, name: str, target: str, rows: Sequence[Sequence[int]], origin: FactJoin) -> None:
        flat = [one for each in rows for one in each]
        found = Adjacency.from_lengths([len(each) for each in rows], np.array(flat, dtype=np.int64))
        self.draft.add_link(self.who, name, "set", target, found, origin)

    def add_relation(self, signature: Signature, ends: _Ends) -> None:
        """Add a boolean attribute, or a set of facts, for a predicate that relates the two records of an example."""
        if signature.key is not None and len(signature.arguments) > 2:
            return
        names = [self.examples.signature.arguments[place].name for place in ends]
        for i, j in permutations(signature.types, 2):
            if [signature.arguments[i].name, signature.arguments[j].name] != names:
                continue
            if i > j and signature.direction and names[0] == names[1]:
                continue  # both directions are equal
            name = signature.name if i < j else f"{signature.name}_back"
            step = FactStep(signature.predicate, i, j, signature.direction == "both ways")
            if len(signature.arguments) == 2:
                found = {(row[i], row[j]) for row in _rows(self.tables, signature)}
                found |= {(b, a) for a, b in found} if signature.direction == "both ways" else set()
                self.add_flag(name, (pair in found for pair in self.pairs(ends)), FactJoin(ends, (step,)))
            elif signature.predicate in self.draft.own:
                between: dict[Any, list[int]] = {}
                own = self.draft.own[signature.predicate]
                for key, at in self.draft.rows[own].items():
                    fact = _swapped(signature, key[:-1]) if len(key) > len(signature.arguments) else key
                    between.setdefault((fact[i], fact[j]), []).append(at)
                targets = [between.get(pair, []) for pair in self.pairs(ends)]
                self.add_sets(name, own, targets, FactJoin(ends, between=step))

    def add_common(self, ends: _Ends) -> None:
        """Add links to records that are reachable from both arguments of an example."""
        names = [self.examples.signature.arguments[place].name for place in ends]
        paths = [list(self.longer_paths(name)) for name in names]
        both = [(a, b) for a in paths[0] for b in paths[1] if a.target == b.target]
        alike = [(a, b) for a, b in both if a.name == b.name]
        short = [(a, b) for a, b in both if a.name != b.name and not (a.is_long or b.is_long)]
        is_small = len(both) <= MAX_COMMON or len(both) * len(self.examples.rows) <= MAX_COMMON_CELLS
        for a, b in [*alike, *(short if is_small else ())]:
            known, nothing = self.draft.rows[a.target], frozenset[int]()
            first, second = (
                {one: frozenset(map(known.__getitem__, each)) for one, each in path.rows.items()} for path in (a, b)
            )
            shared = [first.get(one, nothing) & second.get(other, nothing) for one, other in self.pairs(ends)]
            name = f"common_{a.name}" if a.name == b.name else f"{a.name}_and_{b.name}"
            self.add_sets(name, a.target, [sorted(each) for each in shared], FactJoin(ends, a.steps, b.steps))

    def longer_paths(self, name: str) -> Iterator[_Path]:
        """Yield all paths with one step, and their extensions by a second step after a reference."""
        for path in self.paths(name):
            yield path
            if path.target == name or not path.is_single:
                continue
            for further in self.paths(path.target):
                if further.target not in (name, path.target):
                    rows = {
                        one: set().union(*(further.rows.get(each, set()) for each in middle))
                        for one, middle in path.rows.items()
                    }
                    steps = path.steps + further.steps
                    yield _Path(f"{path.name}_{further.name}", further.target, rows, steps, is_long=True)

    def paths(self, name: str) -> Iterator[_Path]:
        """Yield the paths of one step from records of a type to other records."""
        for signature in self.signatures:
            for i, j in permutations(signature.types, 2):
                end = signature.arguments[j]
                is_same_type = end.name == name
                if signature.arguments[i].name != name or (i > j and is_same_type and signature.direction):
                    continue
                both_ways = signature.direction == "both ways" and is_same_type
                found: dict[Any, set[Any]] = {}
                for row in _rows(self.tables, signature):
                    found.setdefault(row[i], set()).add(row[j])
                    if both_ways:
                        found.setdefault(row[j], set()).add(row[i])
                role = f"_{end.role or attribute_name(end.name)}" if len(signature.types) > 2 else ""
                back = "_of" if i > j and is_same_type else ""
                steps = (FactStep(signature.predicate, i, j, both_ways),)
                yield _Path(f"{signature.name}{role}{back}", end.name, found, steps, signature.key == i)

    def add_number_relation(self, signature: Signature, places: Sequence[int]) -> bool:
        """Add a boolean attribute for each pair of integer arguments whose values a relation covers."""
        rows = _rows(self.tables, signature)
        if not all(isinstance(one, int) for row in rows for one in row):
            return False
        found, domain = set(rows), {one for row in rows for one in row}
        within = [place for place in places if {row[place] for row in self.examples.rows} <= domain]
        is_symmetric = bool(found) and all((b, a) in found for a, b in found)
        choose: Callable[..., Iterable[_Ends]] = combinations if is_symmetric else permutations
        target = self.examples.signature
        for ends in choose(within, 2):
            names = [target.arguments[place].name.removeprefix(f"{target.name}_") for place in ends]
            origin = FactJoin(ends, (FactStep(signature.predicate, 0, 1),))
            are_related = (pair in found for pair in self.pairs(ends))
            self.add_flag("_".join([signature.name, *names]), are_related, origin)
        return len(within) > 1
