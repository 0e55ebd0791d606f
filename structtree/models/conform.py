"""Conversion of new data to the schema of a model, after checking that all required features are present.

Only attributes and links that the tests mention are considered. Types are matched by the links that lead to them,
whatever their names; additional attributes and unseen categories are allowed. A column that was read as another kind,
such as codes that happen to be all digits, is converted if no information is lost.

A feature that no row has is an error, because predictions would then be based on nothing. The exception is a feature
of linked rows that some of them lacked in training, such as the load of a car: it becomes a missing value. Models of
graphs or molecules only accept graphs or molecules.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from structtree.data.collection_kinds import is_unnamed
from structtree.data.extensions import distinct_elements
from structtree.data.kinds import ValueMismatch, encode, missing_column
from structtree.data.population import Adjacency, Column, Population, Table
from structtree.data.schema import Attribute, Link, RecordType, Schema
from structtree.errors import DataError, did_you_mean, option_text
from structtree.lang import syntax as syn
from structtree.lang.walk import asked_members, subpredicates

__all__ = ["NeededMembers", "any_category", "conform", "needed_members", "optional_members"]

NeededMembers = Mapping[str, frozenset[str]]

_LISTS = "$list"  # stands for the order of the rows of a type; no member can have this name


def needed_members(tests: Iterable[syn.Predicate], schema: Schema) -> NeededMembers:
    """Return the attributes and links, by type, that tests mention, with definitions expanded.

    Examples
    --------
    >>> from structtree.lang.parse import parse_predicate
    >>> schema = Schema((RecordType("Train", (), (Link("cars", "list", "Car"),)), RecordType("Car")), "Train")
    >>> needed_members([parse_predicate("exists cars (wheels >= 3)")], schema)
    {'Train': frozenset({'cars'}), 'Car': frozenset({'wheels'})}
    """
    found: dict[str, set[str]] = {schema.individual: set()}
    for test in tests:
        for name, member in asked_members(test, schema.individual, schema, definitions=True):
            found.setdefault(name, set()).add(str(member))
    parts = (pair for test in tests for pair in subpredicates(test, schema.individual, schema, definitions=True))
    for part, name in parts:
        here = found.setdefault(name, set())
        if isinstance(part, syn.ListStep) and part.link is None:
            here.add(_LISTS)
    return {name: frozenset(map(schema.type(name).given_name, members)) for name, members in found.items()}


def any_category(schema: Schema) -> Schema:
    """Return the schema without the categories of nominal attributes, which may differ in other data."""
    return Schema(tuple(map(_of_any_category, schema.types)), schema.individual)


def _of_any_category(record: RecordType) -> RecordType:
    attributes = (replace(a, values=()) if a.kind == "nominal" else a for a in record.attributes)
    return replace(record, attributes=tuple(attributes))


def optional_members(population: Population, needed: NeededMembers) -> NeededMembers:
    """Return the needed members that are missing in some linked rows of the training data.

    Examples
    --------
    >>> trains = Population.from_records([{"cars": [{"wheels": 2, "load": 1}, {"wheels": 2}]}], individual="Train")
    >>> optional_members(trains, {"Train": frozenset({"cars"}), "Car": frozenset({"wheels", "load"})})
    {'Car': frozenset({'load'})}
    """
    parts = {name: members for name, members in needed.items() if name != population.schema.individual}
    lacked = {
        name: frozenset(member for member in members if _is_lacked(population.table(name), member))
        for name, members in parts.items()
    }
    return {name: members for name, members in lacked.items() if members}


def _is_lacked(table: Table, member: str) -> bool:
    if member in table.links:
        return bool((table.links[member].lengths == 0).any())
    return member in table.columns and bool(table.columns[member].missing.any())


def conform(
    population: Population,
    schema: Schema,
    needed: NeededMembers,
    optional: NeededMembers = MappingProxyType({}),
) -> Population:
    """Convert a population to the types, members and kinds that the tests of a model require.

    Parameters
    ----------
    population : Population
    schema : Schema
        Schema of the tests.
    needed : mapping from type to members
        Attributes and links that the tests mention; see `needed_members`.
    optional : mapping from type to members
        Attributes and links that all rows may lack; they become missing values and empty links.

    Raises
    ------
    DataError
        If a member is missing, refers to another type, or cannot be converted to the kind it had in training.

    Examples
    --------
    >>> trained = Schema((RecordType("Row", (Attribute("zip", "nominal"),)),), "Row")
    >>> data = Population.from_records([{"zip": 90210, "more": True}])
    >>> conform(data, trained, {"Row": frozenset({"zip"})}).record(0)
    {'zip': '90210', 'more': True}
    """
    _require_kind(population.schema, schema)
    population = _with_sets(population, schema)
    draft = _Draft(population, schema, optional)
    waiting = [schema.individual]
    draft.names[schema.individual] = population.schema.individual
    for name in waiting:  # grows during the loop
        waiting += [target for member in sorted(needed.get(name, ())) for target in draft.settle(name, member)]
        if name == waiting[-1]:  # types that no link leads to are matched by name
            waiting += draft.by_name(each for each in needed if each not in draft.names)
    return draft.finish()


class _Absent(NamedTuple):
    """Attribute or link that the model needs and the data lacks."""

    what: str
    type: str
    member: str


@dataclass(slots=True, eq=False)
class _Draft:
    """Types and tables converted so far, with a mapping from training types to data types."""

    population: Population
    schema: Schema
    optional: NeededMembers
    names: dict[str, str] = field(default_factory=dict)
    absent: list[_Absent] = field(default_factory=list)
    types: dict[str, RecordType] = field(init=False)
    tables: dict[str, Table] = field(init=False)

    def __post_init__(self) -> None:
        self.types = {record.name: record for record in self.population.schema.types}
        self.tables = dict(self.population.tables)

    def by_name(self, names: Iterable[str]) -> tuple[str, ...]:
        """Match the first of the given training types to the data type with the same name."""
        for name in names:
            if name not in self.types:
                raise DataError(f"the model needs rows of type {name!r}, but the data has no such type")
            self.names[name] = name
            return (name,)
        return ()

    def settle(self, name: str, member: str) -> tuple[str, ...]:
        """Match one member of a training type, and return the types that it reaches for the first time."""
        record = self.schema.type(name)
        attribute, link = record.attribute(member), record.link(member)
        if link is not None:
            return self._settle_link(name, link)
        if attribute is not None:
            self._settle_attribute(name, attribute)
        elif member == _LISTS:
            self._require_list(self.names[name])
        return ()

    def _settle_attribute(self, name: str, wanted: Attribute) -> None:
        here = self.names[name]
        found = self.types[here].attribute(wanted.name)
        if found is None:
            self._note_absent("attribute", name, wanted.name)
            column = missing_column(wanted.kind, self.tables[here].n_rows, wanted.values)
        else:
            column = _read_as(self.tables[here].columns[wanted.name], wanted, f"{here}.{wanted.name}")
        self._put(here, column.as_attribute(wanted.name), column)

    def _settle_link(self, name: str, wanted: Link) -> tuple[str, ...]:
        here = self.names[name]
        found = self.types[here].link(wanted.name)
        if found is None:
            found = self._empty_link(name, wanted)
        elif not _serves(found, wanted) and len(self.tables[here].links[wanted.name].targets):
            raise DataError(
                f"the model needs {here}.{wanted.name} to be {_shown(wanted)}, but in the data it is {_shown(found)}"
            )
        known = self.names.get(wanted.target)
        if known is None:
            self.names[wanted.target] = found.target
            return (wanted.target,)
        if known != found.target:
            raise DataError(f"the model needs {here}.{wanted.name} to refer to {known!r}, not to {found.target!r}")
        return ()

    def _empty_link(self, name: str, wanted: Link) -> Link:
        """Add an empty link where the data has none; an attribute with its name must be empty."""
        here = self.names[name]
        self._note_absent("link", name, wanted.name)
        target = self.names.get(wanted.target, wanted.target)
        if target not in self.types:
            self.types[target], self.tables[target] = RecordType(target), Table(0)
        link = Link(wanted.name, "optional" if wanted.single else wanted.kind, target)
        record, table = self.types[here], self.tables[here]
        attributes = tuple(a for a in record.attributes if a.name != wanted.name)
        columns = {key: column for key, column in table.columns.items() if key != wanted.name}
        nowhere = Adjacency.from_lengths(np.zeros(table.n_rows, dtype=np.int64), [])
        self.types[here] = RecordType(here, attributes, (*record.links, link))
        self.tables[here] = Table(table.n_rows, columns, {**table.links, wanted.name: nowhere})
        return link

    def _require_list(self, here: str) -> None:
        schema = self.population.schema
        if self.tables[here].n_rows and here in schema and not schema.listed(here):
            raise DataError(f"the model needs the order of the rows of {here!r}, but no list contains them")

    def _note_absent(self, what: str, name: str, member: str) -> None:
        """Record a missing member unless it is optional; reject a link in place of an attribute, and vice versa."""
        here = self.names[name]
        record, table = self.types[here], self.tables[here]
        if member in record.members:
            if member not in table.columns or not table.columns[member].missing.all():
                sorts = ("a link", "an attribute") if what == "link" else ("an attribute", "a link")
                raise DataError(f"the model needs {here}.{member} to be {sorts[0]}, but in the data it is {sorts[1]}")
        elif table.n_rows and member not in self.optional.get(name, ()):
            self.absent.append(_Absent(what, here, member))

    def _refuse_absent(self) -> None:
        if not self.absent:
            return
        listed = [f"the {one.what} {one.member!r} of type {one.type!r}" for one in self.absent]
        nearest = did_you_mean(self.absent[0].member, self.population.schema.type(self.absent[0].type).members)
        raise DataError(f"the model needs {_and(listed)}, which the data lacks{nearest if len(listed) == 1 else ''}")

    def _put(self, here: str, attribute: Attribute, column: Column) -> None:
        record, table = self.types[here], self.tables[here]
        if table.columns.get(attribute.name) is not column:
            attributes = {**{a.name: a for a in record.attributes}, attribute.name: attribute}
            self.types[here] = RecordType(here, tuple(attributes.values()), record.links)
            self.tables[here] = replace(table, columns={**table.columns, attribute.name: column})

    def finish(self) -> Population:
        """Return the converted population; raise an error if a required member is missing."""
        self._refuse_absent()
        if self.tables == dict(self.population.tables):
            return self.population
        schema = Schema(tuple(self.types.values()), self.population.schema.individual)
        return replace(self.population, schema=schema, tables=self.tables, _known_good=False)


def _with_sets(population: Population, trained: Schema) -> Population:
    """Return the population with lists of elements without field names as sets, where these were sets in training."""
    schema, found, names = population.schema, [], {trained.individual: population.schema.individual}
    waiting = [trained.individual]
    for name in waiting:  # grows during the loop
        for wanted in trained.type(name).links:
            here = schema.type(names[name]).link(wanted.name)
            if here is None or wanted.derived:
                continue
            if (here.kind, wanted.kind) == ("list", "set") and is_unnamed(schema.type(here.target)):
                found.append((names[name], here.name))
            if wanted.target not in names:
                names[wanted.target] = here.target
                waiting.append(wanted.target)
    if not found:
        return population
    types = []
    for record in schema.types:
        links = (replace(link, kind="set") if (record.name, link.name) in found else link for link in record.links)
        types.append(replace(record, links=tuple(links)))
    population = replace(population, schema=Schema(tuple(types), schema.individual))
    for owner, link_name in reversed(found):
        population = distinct_elements(population, owner, link_name)
    return population


def _serves(found: Link, wanted: Link) -> bool:
    """Return whether a link can be used in place of another: a list can replace a set, but not the reverse."""
    return found.single if wanted.single else found.kind == wanted.kind or (found.kind == "list" and not found.single)


def _shown(link: Link) -> str:
    return "a reference" if link.single else f"a {link.kind}"


def _read_as(column: Column, wanted: Attribute, place: str) -> Column:
    """Convert a column to its kind in training; integers and reals are interchangeable."""
    numeric = ("int", "real")
    if column.kind == wanted.kind != "ordered" or (column.kind in numeric and wanted.kind in numeric):
        return column
    if column.kind == "ordered" and column.categories == wanted.values:
        return column
    distinct, places = np.unique(column.values, return_inverse=True)
    short = replace(column, values=distinct)
    try:
        levels = wanted.values if wanted.kind == "ordered" else ()
        read = encode([short.value(i) for i in range(len(distinct))], wanted.kind, levels)
    except ValueMismatch as mismatch:
        raise DataError(f"{place} was {wanted.kind} in training: {mismatch.message}") from None
    assert read is not None  # because the kind is given
    return read.take(places)


def _and(phrases: list[str]) -> str:
    *first, last = phrases
    return f"{', '.join(first)} and {last}" if first else last


# ---- kinds of individuals --------------------------------------------------------------------------------

_KINDS = {
    ("Molecule", "atoms"): "molecules",
    ("Graph", "nodes"): "graphs",
    ("Node", "edges"): "nodes of undirected graphs",
    ("Node", "outgoing"): "nodes of directed graphs",
    ("Edge", "ends"): "edges of undirected graphs",
    ("Edge", "from"): "edges of directed graphs",
}
"""Kinds of individuals by the name of their type and the link that identifies them."""


def _require_kind(data: Schema, model: Schema) -> None:
    """Check that a model for graphs or molecules gets such data, and that other models do not."""
    if data is model:
        return
    ours, theirs = data.type(data.individual), model.type(model.individual)
    for (name, link), words in _KINDS.items():
        if theirs.name == name and theirs.link(link) is not None and link not in ours.members:
            fix = (
                f"name the column that has the SMILES: {option_text('smiles', 'COLUMN')}" if link == "atoms" else None
            )
            raise DataError(f"the model is for {words}, but the individuals of the data have no {link}", fix=fix)
    for (name, link), words in _KINDS.items():
        if ours.name == name and ours.link(link) is not None and link not in theirs.members:
            raise DataError(f"the data has {words}, but the model is for individuals without {link}")
