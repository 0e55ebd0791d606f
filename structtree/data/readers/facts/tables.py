"""Tables of linked columns from facts whose signatures are settled.

Which members a type has follows from the signatures alone, not from the facts, so that facts of the same signatures
always make the same types. Only the kind of an attribute is told by its values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, permutations
from typing import Any, NamedTuple

import numpy as np

from structtree.data.kinds import Overrides, ValueMismatch, encode, type_name_of, value_type, with_dates
from structtree.data.population import Adjacency, Column, Population, Table, bool_column, column_of
from structtree.data.readers.facts.base import FactTable
from structtree.data.readers.facts.layout import Layout
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

__all__ = ["ExampleRows", "FactTypes", "fact_population", "own_type_names", "types_without_facts"]

MAX_COMMON = 30
"""What two records have in common by different ways is linked if there are no more pairs of ways than this."""


@dataclass(frozen=True, slots=True)
class ExampleRows:
    """The individuals: records, or facts of the predicate to predict.

    Parameters
    ----------
    rows : sequence of tuples
        The arguments of the predicate to predict, one tuple for each individual.
    signature : Signature
        Of that predicate.
    label : str
        The name of the attribute with the labels; none if it is empty.
    labels : sequence
    """

    rows: Sequence[tuple[Any, ...]]
    signature: Signature
    label: str = ""
    labels: Sequence[Any] = ()

    @property
    def record_place(self) -> int | None:
        """The argument whose records are the individuals; None if each example is an individual of its own."""
        label = self.label if self.signature.key is not None else ""
        others = [one for one in self.signature.arguments if not one.is_type and one.name != label]
        types = self.signature.types
        return types[0] if len(types) == 1 and not others else None


@dataclass(frozen=True, slots=True)
class FactTypes:
    """A population of facts, and where it comes from.

    Parameters
    ----------
    population : Population
    rows : mapping
        The rows of the constants of each type.
    unlinked : tuple of PrologPredicate
        The predicates that are not in it.
    origins : mapping from type and member
        What the members come from; names and the values of elements of lists have no origin.
    joins : mapping from type and member
        The same of members that say something about two arguments of an example.
    own : mapping
        The types that predicates become.
    """

    population: Population
    rows: Mapping[str, Mapping[Any, int]]
    unlinked: tuple[PrologPredicate, ...]
    origins: Mapping[tuple[str, str], MemberOrigin]
    joins: Mapping[tuple[str, str], FactJoin]
    own: Mapping[PrologPredicate, str]


def own_type_names(
    layout: Layout, examples: ExampleRows | None, individual: str | None
) -> dict[PrologPredicate, str]:
    """Return the names of the types that predicates become; each is unlike those of records."""
    taken = {one.name for signature in layout.signatures.values() for one in signature.arguments if one.is_type}
    found: dict[PrologPredicate, str] = {}
    target = examples.signature.predicate if examples and examples.record_place is None else None
    if examples is not None and target is not None:
        found[target] = individual or _unlike(type_name_of(examples.signature.name), taken)
        taken.add(found[target])
    for predicate, signature in layout.signatures.items():
        if _is_own(signature) and predicate not in found:
            found[predicate] = _unlike(type_name_of(signature.name), taken)
            taken.add(found[predicate])
    return found


def _is_own(signature: Signature) -> bool:
    """Return whether each fact of a predicate becomes a record."""
    is_pair = len(signature.arguments) == 2 == len(signature.types)
    return bool(signature.types) and len(signature.arguments) > 1 and signature.key is None and not is_pair


def _unlike(name: str, taken: Iterable[str]) -> str:
    known, found, n = set(taken), name, 2
    while found in known:
        found, n = f"{name}{n}", n + 1
    return found


def fact_population(
    tables: Mapping[PrologPredicate, FactTable],
    layout: Layout,
    examples: ExampleRows | None,
    individual: str | None,
    overrides: Overrides,
) -> FactTypes:
    """Return the population of facts whose signatures are settled.

    Parameters
    ----------
    tables : mapping
        The facts of each predicate, without those to predict.
    layout : Layout
    examples : ExampleRows, optional
        The individuals; without them all records of a type are.
    individual : str, optional
        The name of the individuals' type.
    overrides : Overrides
        Kinds of attributes that are wanted.
    """
    names = own_type_names(layout, examples, individual)
    target = examples.signature.predicate if examples else None
    signatures = [one for predicate, one in layout.signatures.items() if predicate != target]
    draft = _Draft(names, overrides, _owners(signatures), _shared_in_lists(signatures, tables))
    if examples is not None:
        _add_constants(draft, examples.signature, examples.rows)
    for signature in signatures:
        _add_constants(draft, signature, _rows(tables, signature))
    if examples is not None:
        _add_label(draft, examples, names)
    unlinked = []
    for signature in signatures:
        if signature.types:
            _add_members(draft, signature, tables.get(signature.predicate, FactTable()))
        else:
            unlinked.append(signature.predicate)
    who = _individual_type(draft, examples, individual, names)
    _add_names(draft, signatures, {who, *_types_of(examples)})
    if examples is not None and examples.record_place is None:
        _add_relations(draft, examples, signatures, tables, who, unlinked)
    population = draft.population(who)
    if examples is not None and examples.record_place is not None:
        rows = [draft.rows[who][row[examples.record_place]] for row in examples.rows]
        population = Population(population.schema, population.tables, np.array(rows, dtype=np.int64))
    return FactTypes(population, draft.rows, tuple(unlinked), draft.origins, draft.joins, names)


def types_without_facts(
    signatures: Mapping[PrologPredicate, Signature], target: str | None, individual: str
) -> FactTypes:
    """Return the types that facts of some signatures make, and what their members come from, without any facts.

    Parameters
    ----------
    signatures : mapping
        Of all predicates, that of the examples among them.
    target : str, optional
        The predicate of the examples, or an attribute.
    individual : str
        The name of the individuals' type.

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


def _rows(tables: Mapping[PrologPredicate, FactTable], signature: Signature) -> Sequence[tuple[Any, ...]]:
    return tables[signature.predicate].rows if signature.predicate in tables else ()


def _individual_type(
    draft: _Draft, examples: ExampleRows | None, individual: str | None, names: Mapping[PrologPredicate, str]
) -> str:
    if examples is not None:
        place = examples.record_place
        return names[examples.signature.predicate] if place is None else examples.signature.arguments[place].name
    known = [*draft.rows]
    if individual is not None:
        return individual
    return max(known, key=lambda name: draft.n_members(name))


# ---- drafts ----------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Draft:
    """Types while they are made: their rows, columns and links."""

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

    def places(self, name: str, constants: Iterable[Any]) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Return the rows of constants of a type."""
        known = self.rows[name]
        return np.array([known[one] for one in constants], dtype=np.int64)

    def n_rows(self, name: str) -> int:
        return len(self.rows[name])

    def n_members(self, name: str) -> int:
        return len(self.columns.get(name, ())) + len(self.links.get(name, ()))

    def free(self, type_name: str, name: str) -> str:
        """Return the name for a member, with a number behind it if the type has one of that name."""
        taken = [*self.columns.get(type_name, ()), *(link.name for link in self.links.get(type_name, ()))]
        found, n = name, 2
        while found in taken:
            found, n = f"{name}_{n}", n + 1
        return found

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
        """Add an attribute; its values come from the facts whose numbers are given, one for each."""
        wanted = self.overrides.declared_kind(type_name, name)
        try:
            column = encode(values, wanted.kind, wanted.values, layout=wanted.layout) if wanted else _column(values)
        except ValueMismatch as mismatch:
            where = next((fact for fact, row in enumerate(at) if row == mismatch.index), 0)
            raise table.error(where, f"{mismatch.message} as {name} of {type_name}") from None
        self.add_column(type_name, name, column or column_of("nominal", [None] * len(values)), origin)

    def population(self, individual: str) -> Population:
        """Return the population of the types that the individuals reach."""
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
    for name in found:  # grows while it is read
        yield name
        found += dict.fromkeys(link.target for link in links.get(name, ()) if link.target not in found)


def _column(values: Sequence[Any]) -> Column | None:
    """Return a column of numbers, of words, or of dates if all words are dates; numbers among words are words."""
    sorts = {value_type(type(value)) for value in values} - {"missing"}
    column = encode(values, "nominal") if len(sorts) > 1 else encode(values)
    return column and with_dates(column)


def _owners(signatures: Sequence[Signature]) -> frozenset[tuple[str, str]]:
    """Return the types whose records are parts of others, with the types of those."""
    return frozenset(
        (signature.arguments[signature.key].name, signature.arguments[place].name)
        for signature in signatures
        if signature.key is not None
        for place in signature.types
        if place < signature.key
    )


def _shared_in_lists(signatures: Sequence[Signature], tables: Mapping[PrologPredicate, FactTable]) -> frozenset[str]:
    """Return the types of which some record stands in two lists, which are sets then."""
    seen: dict[str, set[Any]] = {}
    shared = set()
    for signature in signatures:
        for place, argument in enumerate(signature.arguments):
            if argument.is_list and argument.is_type:
                for row in _rows(tables, signature):
                    items = _items(row[place])
                    known = seen.setdefault(argument.name, set())
                    if len(set(items)) < len(items) or not known.isdisjoint(items):
                        shared.add(argument.name)
                    known.update(items)
    return frozenset(shared)


# ---- rows ------------------------------------------------------------------------------------------------


def _add_constants(draft: _Draft, signature: Signature, rows: Sequence[tuple[Any, ...]]) -> None:
    for place, argument in enumerate(signature.arguments):
        if not argument.is_type:
            continue
        if argument.is_list:
            draft.add_rows(argument.name, (one for row in rows for one in _items(row[place])))
        else:
            draft.add_rows(argument.name, (row[place] for row in rows))
    own = draft.own.get(signature.predicate)
    if own is not None:
        draft.add_rows(own, _own_keys(signature, rows))


def _own_keys(signature: Signature, rows: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
    """Yield what tells the records of a predicate apart: its facts, and if they are read both ways, each twice."""
    for row in rows:
        yield row
        if signature.way == "both ways":
            yield (*row, "back")


def _items(value: Any) -> tuple[Any, ...]:
    return flattened(value if type(value) is tuple else (value,))


# ---- members ---------------------------------------------------------------------------------------------


def _add_label(draft: _Draft, examples: ExampleRows, names: Mapping[PrologPredicate, str]) -> None:
    """Add the labels, and what the arguments of an example are where each is an individual of its own."""
    place = examples.record_place
    who = names[examples.signature.predicate] if place is None else examples.signature.arguments[place].name
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
        holds = np.zeros(draft.n_rows(name), dtype=np.bool_)
        holds[draft.places(name, (row[0] for row in table.rows))] = True
        draft.add_column(name, signature.name, bool_column(holds), MemberOrigin(signature.predicate, 0))
    elif signature.key is not None:
        _add_described(draft, signature, table, signature.key)
    elif _is_own(signature):
        _add_own(draft, signature, table)
    else:
        _add_relation(draft, signature, table)


def _add_described(draft: _Draft, signature: Signature, table: FactTable, key: int) -> None:
    """Add the other arguments as attributes and references of the key."""
    who = signature.arguments[key].name
    at = draft.places(who, (row[key] for row in table.rows))
    if len(set(at.tolist())) < len(at):
        seen: set[int] = set()
        again = next(i for i, row in enumerate(at.tolist()) if row in seen or seen.add(row))  # type: ignore[func-returns-value]
        raise table.error(again, f"{signature.predicate}: a second fact of {table.rows[again][key]}, which is a key")
    n_types = len(signature.types)
    for place, argument in enumerate(signature.arguments):
        if place == key or argument.is_left_out:
            continue
        values = [row[place] for row in table.rows]
        if argument.is_list:
            name = signature.name if len(signature.arguments) == 2 else argument.role or _lower(argument.name)
            _add_list(draft, who, name, argument, at, values, MemberOrigin(signature.predicate, key, place))
        elif not argument.is_type:
            known: list[Any] = [None] * draft.n_rows(who)
            for row, value in zip(at.tolist(), values, strict=True):
                known[row] = value
            draft.add_values(
                who, argument.name, known, table, at.tolist(), MemberOrigin(signature.predicate, key, place)
            )
        else:
            name = argument.role or (signature.name if n_types == 2 else f"{signature.name}_{_lower(argument.name)}")
            _add_reference(draft, signature, who, at, place, name, values)


def _add_reference(
    draft: _Draft,
    signature: Signature,
    who: str,
    at: np.ndarray[Any, np.dtype[np.int64]],
    place: int,
    name: str,
    values: list[Any],
) -> None:
    """Add a reference of the key to another record, and the set of keys of that record."""
    other = signature.arguments[place].name
    targets = draft.places(other, values)
    assert signature.key is not None
    is_first, is_one_way = signature.key < place, signature.way == "one way"
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
    if signature.way == "both ways":
        pairs = dict.fromkeys([*zip(owners.tolist(), targets.tolist(), strict=True)])
        pairs |= dict.fromkeys((b, a) for a, b in [*pairs])
        owners, targets = np.array([*pairs], dtype=np.int64).reshape(-1, 2).T
    name = signature.arguments[1].role or signature.name
    found = Adjacency.grouped(owners, targets, draft.n_rows(first))
    draft.add_link(first, name, "set", second, found, MemberOrigin(signature.predicate, 0, 1))
    if not signature.way:
        back = Adjacency.grouped(targets, owners, draft.n_rows(second))
        own = signature.arguments[0].role or f"{name}_of"
        draft.add_link(second, own, "set", first, back, MemberOrigin(signature.predicate, 1, 0))


def _add_list(
    draft: _Draft,
    who: str,
    name: str,
    argument: Argument,
    at: np.ndarray[Any, np.dtype[np.int64]],
    values: list[Any],
    origin: MemberOrigin,
) -> None:
    """Add lists: of records that no other list has, of shared records as a set, or of elements with a value."""
    items = [_items(value) for value in values]
    lengths = np.zeros(draft.n_rows(who), dtype=np.int64)
    if argument.is_type:
        _add_list_of_records(draft, who, name, argument.name, at, items, origin)
        return
    element = _unlike(type_name_of(f"{name}_item"), draft.rows)
    lengths[at] = [len(each) for each in items]
    order = np.argsort(at, kind="stable")
    flat = [one for i in order for one in items[i]]
    draft.rows[element] = {i: i for i in range(len(flat))}
    draft.add_column(element, "value", _column(flat) or column_of("nominal", [None] * len(flat)))
    draft.add_link(who, name, "list", element, Adjacency.in_order(lengths), origin)


def _add_list_of_records(
    draft: _Draft,
    who: str,
    name: str,
    target: str,
    at: np.ndarray[Any, np.dtype[np.int64]],
    items: list[tuple[Any, ...]],
    origin: MemberOrigin,
) -> None:
    pairs = [(row, one) for row, each in zip(at.tolist(), items, strict=True) for one in dict.fromkeys(each)]
    owners = np.array([row for row, _ in pairs], dtype=np.int64)
    found = Adjacency.grouped(owners, draft.places(target, (one for _, one in pairs)), draft.n_rows(who))
    draft.add_link(who, name, "set" if target in draft.shared else "list", target, found, origin)


def _add_own(draft: _Draft, signature: Signature, table: FactTable, *, is_example: bool = False) -> None:
    """Add the type of a predicate: references and attributes of its facts, and the sets of its records."""
    own = draft.own[signature.predicate]
    is_double = signature.way == "both ways"
    rows = [each for row in table.rows for each in ((row, _swapped(signature, row)) if is_double else (row,))]
    at = np.arange(len(rows))
    seen: set[str] = set()
    for place, argument in enumerate(signature.arguments):
        if argument.is_left_out:
            continue
        values = [row[place] for row in rows]
        if argument.is_list:
            origin = MemberOrigin(signature.predicate, None, place)
            _add_list(draft, own, argument.role or _lower(argument.name), argument, at, values, origin)
        elif not argument.is_type:
            facts = [2 * i for i in range(len(table.rows))] if is_double else at.tolist()
            draft.add_values(own, argument.name, values, table, facts, MemberOrigin(signature.predicate, None, place))
        else:
            is_first = argument.name not in seen
            seen.add(argument.name)
            _add_role(draft, signature, own, place, draft.places(argument.name, values), is_first, is_example)


def _add_role(
    draft: _Draft,
    signature: Signature,
    own: str,
    place: int,
    targets: np.ndarray[Any, np.dtype[np.int64]],
    is_first: bool,
    is_example: bool,
) -> None:
    """Add the reference of a fact to a record, and the set of facts of that record."""
    argument = signature.arguments[place]
    role = argument.role or _lower(argument.name)
    is_twice = sum(one.name == argument.name for one in signature.arguments) == 2
    is_double = signature.way == "both ways" and is_twice
    others = [
        signature.arguments[place].name for place in signature.types if signature.arguments[place] is not argument
    ]
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
    """Return the fact with its two records of one type exchanged."""
    names = [argument.name if argument.is_type else "" for argument in signature.arguments]
    first, second = next((i, j) for i, j in combinations(range(len(row)), 2) if names[i] and names[i] == names[j])
    found = list(row)
    found[first], found[second] = row[second], row[first]
    return tuple(found)


def _lower(name: str) -> str:
    return name[:1].lower() + name[1:]


def _add_names(draft: _Draft, signatures: Sequence[Signature], without: set[str]) -> None:
    """Add the names of records that are shared, such as words and enzymes; not of individuals, nor of parts."""
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
        draft.add_column(name, "name", column_of("nominal", [_name_text(one) for one in rows]))


def _name_text(constant: Any) -> str:
    return constant if isinstance(constant, str) else term_text(constant)


# ---- pairs -----------------------------------------------------------------------------------------------


def _add_relations(
    draft: _Draft,
    examples: ExampleRows,
    signatures: Sequence[Signature],
    tables: Mapping[PrologPredicate, FactTable],
    who: str,
    unlinked: list[PrologPredicate],
) -> None:
    """Add what facts say about the records, or the numbers, of an example together."""
    types = examples.signature.types
    if len(types) == 2:
        first, second = types
        if len(_types_of(examples)) == 1:
            same = np.array([row[first] == row[second] for row in examples.rows], dtype=np.bool_)
            draft.add_column(who, "same", bool_column(same), FactJoin((first, second)))
        for signature in signatures:
            _add_relation_of_pair(draft, examples, signature, tables, who, (first, second))
        _add_common(draft, examples, signatures, tables, who, (first, second))
    numbers = [
        place
        for place, one in enumerate(examples.signature.arguments)
        if not one.is_type and all(isinstance(row[place], int) for row in examples.rows)
    ]
    for signature in signatures:
        if not signature.types and _add_number_relation(draft, examples, signature, tables, who, numbers):
            unlinked.remove(signature.predicate)


def _add_relation_of_pair(
    draft: _Draft,
    examples: ExampleRows,
    signature: Signature,
    tables: Mapping[PrologPredicate, FactTable],
    who: str,
    ends: tuple[int, int],
) -> None:
    """Add a flag, or a set of facts, for a predicate that relates the two records of an example."""
    if signature.key is not None and len(signature.arguments) > 2:
        return
    names = [examples.signature.arguments[place].name for place in ends]
    rows = _rows(tables, signature)
    for i, j in permutations(signature.types, 2):
        if [signature.arguments[i].name, signature.arguments[j].name] != names:
            continue
        name = signature.name if i < j else f"{signature.name}_back"
        if i > j and signature.way and names[0] == names[1]:
            continue  # both directions are the same
        step = FactStep(signature.predicate, i, j, signature.way == "both ways")
        if len(signature.arguments) == 2:
            found = {(row[i], row[j]) for row in rows}
            found |= {(b, a) for a, b in found} if signature.way == "both ways" else set()
            holds = [(row[ends[0]], row[ends[1]]) in found for row in examples.rows]
            draft.add_column(who, name, bool_column(np.array(holds, dtype=np.bool_)), FactJoin(ends, (step,)))
        elif signature.predicate in draft.own:
            between: dict[Any, list[int]] = {}
            own = draft.own[signature.predicate]
            for key, at in draft.rows[own].items():
                fact = _swapped(signature, key[:-1]) if len(key) > len(signature.arguments) else key
                between.setdefault((fact[i], fact[j]), []).append(at)
            targets = [between.get((row[ends[0]], row[ends[1]]), []) for row in examples.rows]
            _add_sets(draft, who, name, own, targets, FactJoin(ends, between=step))


def _add_sets(
    draft: _Draft, who: str, name: str, target: str, rows: Sequence[Sequence[int]], origin: FactJoin
) -> None:
    flat = [one for each in rows for one in each]
    found = Adjacency.from_lengths([len(each) for each in rows], np.array(flat, dtype=np.int64))
    draft.add_link(who, name, "set", target, found, origin)


class _Path(NamedTuple):
    """A way from the records of an example to shared ones: its name, where it leads, and the rows for each record."""

    name: str
    target: str
    rows: Mapping[Any, set[Any]]
    steps: tuple[FactStep, ...]
    is_single: bool = False
    is_long: bool = False


def _add_common(
    draft: _Draft,
    examples: ExampleRows,
    signatures: Sequence[Signature],
    tables: Mapping[PrologPredicate, FactTable],
    who: str,
    ends: tuple[int, int],
) -> None:
    """Add links to what the two records of an example have in common."""
    names = [examples.signature.arguments[place].name for place in ends]
    ways = [list(_longer_paths(name, signatures, tables)) for name in names]
    both = [(a, b) for a in ways[0] for b in ways[1] if a.target == b.target]
    alike = [(a, b) for a, b in both if a.name == b.name]
    short = [(a, b) for a, b in both if a.name != b.name and not (a.is_long or b.is_long)]
    for a, b in [*alike, *(short if len(both) <= MAX_COMMON else ())]:
        known, nothing = draft.rows[a.target], frozenset[int]()
        first, second = (
            {one: frozenset(map(known.__getitem__, each)) for one, each in w.rows.items()} for w in (a, b)
        )
        shared = [first.get(row[ends[0]], nothing) & second.get(row[ends[1]], nothing) for row in examples.rows]
        name = f"common_{a.name}" if a.name == b.name else f"{a.name}_and_{b.name}"
        _add_sets(draft, who, name, a.target, [sorted(each) for each in shared], FactJoin(ends, a.steps, b.steps))


def _longer_paths(
    name: str, signatures: Sequence[Signature], tables: Mapping[PrologPredicate, FactTable]
) -> Iterator[_Path]:
    """Yield the ways from records of a type, and those that go on from the one record that a reference leads to."""
    for path in _paths(name, signatures, tables):
        yield path
        if path.target == name or not path.is_single:
            continue
        for further in _paths(path.target, signatures, tables):
            if further.target not in (name, path.target):
                rows = {
                    one: set().union(*(further.rows.get(each, set()) for each in middle))
                    for one, middle in path.rows.items()
                }
                called = f"{path.name}_{further.name}"
                yield _Path(called, further.target, rows, path.steps + further.steps, is_long=True)


def _paths(
    name: str, signatures: Sequence[Signature], tables: Mapping[PrologPredicate, FactTable]
) -> Iterator[_Path]:
    """Yield the ways from records of a type to those of another that facts about both give."""
    for signature in signatures:
        for i, j in permutations(signature.types, 2):
            if signature.arguments[i].name != name or (
                i > j and signature.arguments[j].name == name and signature.way
            ):
                continue
            found: dict[Any, set[Any]] = {}
            for row in _rows(tables, signature):
                found.setdefault(row[i], set()).add(row[j])
                if signature.way == "both ways" and signature.arguments[j].name == name:
                    found.setdefault(row[j], set()).add(row[i])
            n_others = len(signature.types) - 1
            role = f"_{signature.arguments[j].role or _lower(signature.arguments[j].name)}" if n_others > 1 else ""
            back = "_of" if i > j and signature.arguments[j].name == name else ""
            both_ways = signature.way == "both ways" and signature.arguments[j].name == name
            steps = (FactStep(signature.predicate, i, j, both_ways),)
            yield _Path(
                f"{signature.name}{role}{back}", signature.arguments[j].name, found, steps, signature.key == i
            )


def _add_number_relation(
    draft: _Draft,
    examples: ExampleRows,
    signature: Signature,
    tables: Mapping[PrologPredicate, FactTable],
    who: str,
    places: Sequence[int],
) -> bool:
    """Add flags for a relation of two whole numbers, for each two numbers of an example that it speaks of."""
    rows = _rows(tables, signature)
    if len(signature.arguments) != 2 or not all(isinstance(one, int) for row in rows for one in row):
        return False
    found, domain = set(rows), {one for row in rows for one in row}
    within = [place for place in places if {row[place] for row in examples.rows} <= domain]
    is_symmetric = bool(found) and all((b, a) in found for a, b in found)
    choose: Callable[..., Iterable[tuple[int, ...]]] = combinations if is_symmetric else permutations
    arguments = examples.signature.arguments
    for i, j in choose(within, 2):
        holds = [(row[i], row[j]) in found for row in examples.rows]
        ends = [arguments[k].name.removeprefix(f"{examples.signature.name}_") for k in (i, j)]
        name = "_".join([signature.name, *ends])
        origin = FactJoin((i, j), (FactStep(signature.predicate, 0, 1),))
        draft.add_column(who, name, bool_column(np.array(holds, dtype=np.bool_)), origin)
    return len(within) > 1
