"""Populations: the data of a schema as linked columns.

There is one table per record type. A column is one numpy array: numbers, dates (days since 1970), times (seconds
since 1970) and ordered categories (ranks) as float64 with NaN for missing; nominals as int32 codes into sorted
categories and booleans as int8, both with -1 for missing. A link is a pair of arrays, offsets and targets, as in
compressed sparse rows and Arrow lists: row ``i`` leads to the rows ``targets[offsets[i]:offsets[i + 1]]`` of the
target type. Rows may be shared and types may be recursive.

Populations are created by the readers; this module is independent of file formats.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from importlib import import_module
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from structtree.data.dates import moment_of, moment_value, part_numbers, to_kind
from structtree.data.schema import NUMERIC, PARTS, WEEKDAYS, Attribute, Kind, Link, RecordType, Schema
from structtree.errors import DataError, UnknownNameError, option_text
from structtree.reprs import Viewed, names_text, number_text, short_repr

if TYPE_CHECKING:
    from structtree.data.provenance import Provenance
    from structtree.data.readers.databases import reading as databases
    from structtree.data.readers.facts import reading as facts
    from structtree.data.readers.graphs import reading as graphs
    from structtree.data.readers.molecules import reading as molecules
    from structtree.data.readers.records import reading as records
    from structtree.data.readers.tables import reading as frames

__all__ = [
    "DTYPES",
    "Adjacency",
    "Column",
    "Population",
    "Table",
    "TypedTable",
    "Value",
    "bool_column",
    "column_of",
    "int_column",
    "linked_population",
    "named_column",
    "repeated_pairs",
    "run_places",
    "typed_table",
]

Value = bool | int | float | str | date | None

DTYPES: dict[Kind, type[np.generic]] = {
    "bool": np.int8,
    **dict.fromkeys(NUMERIC, np.float64),
    "nominal": np.int32,
}
"""Array type of each kind of column."""


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """Values of one attribute for all rows of a type."""

    kind: Kind
    values: NDArray[Any]
    categories: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return short_repr(self, self.kind, number_text(self, "row"), names_text(self.categories))

    def __len__(self) -> int:
        return len(self.values)

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Mask of the missing values."""
        return np.asarray(np.isnan(self.values) if self.values.dtype.kind == "f" else self.values < 0)

    def as_attribute(self, name: str) -> Attribute:
        """Return an attribute that fits this column."""
        return Attribute(name, self.kind, self.categories if self.kind == "ordered" else ())

    def value(self, row: int) -> Value:
        """Return the value of a row as a Python value, None if missing."""
        raw = self.values[row]
        if raw < 0 if self.kind in ("bool", "nominal") else np.isnan(raw):
            return None
        match self.kind:
            case "bool":
                return bool(raw)
            case "int":
                return int(raw)
            case "real":
                return float(raw)
            case "date" | "time":
                return moment_value(float(raw), self.kind)
            case "nominal" | "ordered":
                return self.categories[int(raw)]

    def code(self, category: str) -> int:
        """Return the code of a category, or -2 (never the code of a value) if it is unknown."""
        return self.categories.index(category) if category in self.categories else -2

    def take(self, rows: NDArray[np.integer[Any]]) -> Column:
        """Return the column of the given rows."""
        return replace(self, values=self.values[rows])


@dataclass(frozen=True, slots=True, eq=False)
class Adjacency:
    """A link of all rows of a type, as offsets and targets."""

    offsets: NDArray[np.int64]
    targets: NDArray[np.int32]
    _shared: bool | None = field(default=None, init=False, repr=False)

    def __repr__(self) -> str:
        return short_repr(self, f"{number_text(self, 'row')} to {number_text(self.targets, 'target')}")

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def shared(self) -> bool:
        """True if several links lead to the same row; computed once."""
        if self._shared is None:
            again = len(self.targets) > 0 and int(np.bincount(self.targets).max()) > 1
            object.__setattr__(self, "_shared", again)
        return bool(self._shared)

    def of(self, row: int) -> NDArray[np.int32]:
        """Return the targets of a row, in order."""
        return self.targets[self.offsets[row] : self.offsets[row + 1]]

    @property
    def first_targets(self) -> NDArray[np.int64]:
        """First target of each row, or -1 without one, with an extra -1 at the end so that index -1 gives -1."""
        found = np.full(len(self) + 1, -1)
        some = np.flatnonzero(self.lengths)
        found[some] = self.targets[self.offsets[some]]
        return found

    def n_of(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of targets of each of the given rows."""
        return self.offsets[rows + 1] - self.offsets[rows]

    def places(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the positions of the targets of the given rows, row by row."""
        return run_places(self.offsets[rows], self.n_of(rows))

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Number of targets of each row."""
        return np.diff(self.offsets)

    @property
    def owners(self) -> NDArray[np.int64]:
        """Row that each target belongs to."""
        return np.repeat(np.arange(len(self)), self.lengths)

    @classmethod
    def from_lengths(cls, lengths: ArrayLike, targets: ArrayLike) -> Adjacency:
        """Create links from the number of targets of each row and the concatenated targets."""
        counts = np.asarray(lengths, dtype=np.int64)
        offsets = np.zeros(len(counts) + 1, dtype=np.int64)
        np.cumsum(counts, out=offsets[1:])
        return cls(offsets, np.asarray(targets, dtype=np.int32))

    @classmethod
    def filtered(
        cls, lengths: NDArray[np.int64], targets: NDArray[np.integer[Any]], kept: NDArray[np.bool_]
    ) -> Adjacency:
        """Create links as `from_lengths` does, but only to the targets in a mask."""
        if kept.all():
            return cls.from_lengths(lengths, targets)
        owners = np.repeat(np.arange(len(lengths)), lengths)[kept]
        return cls.from_lengths(np.bincount(owners, minlength=len(lengths)), targets[kept])

    @classmethod
    def in_order(cls, lengths: ArrayLike) -> Adjacency:
        """Create links to all rows of a table in order, from the number of targets of each row."""
        return cls.from_lengths(lengths, np.arange(int(np.sum(np.asarray(lengths)))))

    @classmethod
    def single(cls, targets: ArrayLike) -> Adjacency:
        """Create references from the target of each row."""
        return cls.from_lengths(np.ones(np.size(targets), dtype=np.int64), targets)

    def reversed(self, n_targets: int) -> Adjacency:
        """Return the reverse links: from each target to its rows, in order."""
        return Adjacency.grouped(self.targets.astype(np.int64), self.owners, n_targets)

    @classmethod
    def grouped(cls, owners: NDArray[np.int64], targets: NDArray[np.int64], n_owners: int) -> Adjacency:
        """Create links from (owner, target) pairs in any order; each owner keeps the order of its targets."""
        by_owner = np.argsort(owners, kind="stable")
        return cls.from_lengths(np.bincount(owners, minlength=n_owners), targets[by_owner])


def run_places(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the positions in several runs, concatenated.

    Examples
    --------
    >>> run_places(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    before = np.cumsum(lengths) - lengths
    return np.repeat(starts - before, lengths) + np.arange(lengths.sum())


def repeated_pairs(owners: NDArray[np.int64], targets: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """Return the positions of (owner, target) pairs that occurred before.

    Examples
    --------
    >>> repeated_pairs(np.array([0, 0, 1, 0]), np.array([7, 8, 7, 7])).tolist()
    [3]
    """
    order = np.lexsort((targets, owners))
    return np.asarray(order[1:][(np.diff(owners[order]) == 0) & (np.diff(targets[order]) == 0)])


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Rows of one record type."""

    n_rows: int
    columns: Mapping[str, Column] = field(default_factory=dict)
    links: Mapping[str, Adjacency] = field(default_factory=dict)
    _parts: dict[str, Column] = field(default_factory=dict, init=False, repr=False)

    def __repr__(self) -> str:
        return short_repr(self, number_text(self.n_rows, "row"), names_text(chain(self.columns, self.links)))

    def column(self, name: str) -> Column | None:
        """Return the column of an attribute, or of a part of a date or time (``born.month``); None if unknown."""
        found = self.columns.get(name, self._parts.get(name))
        base, _, part = name.rpartition(".")
        of = self.columns.get(base) if found is None and part in PARTS else None
        if of is not None and (of.kind == "date" or of.kind == "time") and of.kind in PARTS[part]:
            is_weekday = part == "weekday"
            values = part_numbers(of.values, of.kind, part)
            found = Column("ordered" if is_weekday else "int", values, WEEKDAYS if is_weekday else ())
            self._parts[name] = found
        return found

    def value_column(self, name: str) -> Column:
        """Return the column of an attribute, as `column` does; raise an error if the attribute is unknown.

        Raises
        ------
        UnknownNameError
            If there is no such attribute.
        """
        found = self.column(name)
        if found is None:
            raise UnknownNameError("attribute", name, self.columns)
        return found

    def take_columns(self, rows: NDArray[np.integer[Any]]) -> dict[str, Column]:
        """Return all columns for the given rows."""
        return {name: column.take(rows) for name, column in self.columns.items()}


@dataclass(frozen=True, slots=True, eq=False)
class TypedTable:
    """Table together with its record type."""

    record: RecordType
    table: Table

    def __repr__(self) -> str:
        return short_repr(self, self.record.name, number_text(self.table.n_rows, "row"))


class _Reader:
    """Static method that calls a reader, imported on first use to avoid circular imports."""

    def __init__(self, source: str) -> None:
        self.source = source

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: object, owner: type) -> Any:
        return getattr(import_module(f"structtree.data.readers.{self.source}.reading"), self.name)


@dataclass(frozen=True, slots=True, eq=False)
class Population(Viewed):
    """Structured individuals: a schema, its tables, and the rows of the individuals.

    Parameters
    ----------
    schema : Schema
    tables : mapping from type name to Table
    individuals : array of int, optional
        Rows of the individual type, in order; all rows by default.
    provenance : Provenance, optional
        Source of the rows of the individual type.

    Examples
    --------
    >>> population = Population.from_records([{"cars": [{"wheels": 2}, {"wheels": 3}]}, {"cars": []}])
    >>> len(population), population.table("Car").n_rows
    (2, 2)
    >>> population.record(0)
    {'cars': [{'wheels': 2}, {'wheels': 3}]}
    """

    schema: Schema
    tables: Mapping[str, Table]
    individuals: NDArray[np.int64] = field(default=None)  # type: ignore[arg-type]  # filled in below
    provenance: Provenance | None = field(default=None, repr=False)
    _known_good: bool = field(default=False, repr=False)
    #: Whether every row is known to be reachable from an individual; see `structtree.data.reachable`.
    _compact: bool = field(default=False, repr=False)
    #: Aggregates of linked rows, by type and function; see `structtree.space.evaluate`.
    _aggregates: dict[Any, Column] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.individuals is None:
            object.__setattr__(self, "individuals", np.arange(self.tables[self.schema.individual].n_rows))
        if not self._known_good:
            _validate(self)
            object.__setattr__(self, "_known_good", True)

    def __repr__(self) -> str:
        individual = self.schema.individual
        n_rows = {name: self.tables[name].n_rows for name in self.schema.names}
        some = f" (of {n_rows[individual]:,})" if len(self) != n_rows[individual] else ""
        others = names_text(f"{n:,} {name}" for name, n in n_rows.items() if name != individual)
        return short_repr(self, f"{len(self):,} {individual}{some}", others)

    def __len__(self) -> int:
        return len(self.individuals)

    @property
    def n_rows(self) -> int:
        """Number of rows of all types."""
        return sum(table.n_rows for table in self.tables.values())

    @property
    def shape(self) -> tuple[int, int]:
        """Number of individuals and a second dimension of 1; scikit-learn needs a shape to split populations."""
        return (len(self), 1)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[np.object_]:
        """Convert to an array with one column of populations of one individual, for scikit-learn's ensembles.

        Examples
        --------
        >>> population = Population.from_records([{"size": 1}, {"size": 2}])
        >>> np.asarray(population).shape, np.asarray(population)[1, 0].record(0)
        ((2, 1), {'size': 2})
        """
        cells = np.empty(self.shape, dtype=object)
        for i in range(len(self)):
            cells[i, 0] = self[i]
        return cells

    def __getitem__(self, which: Any) -> Population:
        """Select individuals by position, slice, positions or mask.

        Examples
        --------
        >>> population = Population.from_records([{"size": 1}, {"size": 2}, {"size": 3}])
        >>> population[1].record(0), len(population[:2]), len(population[[0, 2]])
        ({'size': 2}, 2, 2)
        """
        rows = which[0] if isinstance(which, tuple) and which[1:] == (...,) else which
        return replace(self, individuals=np.atleast_1d(self.individuals[rows]), _compact=False)

    def table(self, name: str) -> Table:
        """Return the table of a record type."""
        self.schema.type(name)
        return self.tables[name]

    @property
    def n_bytes(self) -> int:
        """Memory of the arrays, in bytes."""
        arrays: list[NDArray[Any]] = [self.individuals]
        for table in self.tables.values():
            arrays += [c.values for c in table.columns.values()]
            arrays += [a for link in table.links.values() for a in (link.offsets, link.targets)]
        return sum(a.nbytes for a in arrays)

    def take(self, which: ArrayLike) -> Population:
        """Return the selected individuals in the given order; the tables are shared.

        Parameters
        ----------
        which : array of int or bool
            Positions of individuals, or a mask.
        """
        chosen = np.asarray(which)
        if chosen.dtype != np.bool_:
            chosen = chosen.astype(np.int64)
        return replace(self, individuals=self.individuals[chosen], _compact=False)

    def column(self, attribute: str) -> Column:
        """Return an attribute of the individuals, in order."""
        return self.tables[self.schema.individual].value_column(attribute).take(self.individuals)

    def split_target(self, attribute: str) -> tuple[Population, NDArray[Any]]:
        """Return the population without an attribute of the individuals, and the values of that attribute.

        Numbers are returned as floats, nominals as strings and booleans as booleans.

        Examples
        --------
        >>> population = Population.from_records([{"size": 1.5, "kind": "a"}, {"size": 2.5, "kind": "b"}])
        >>> rest, labels = population.split_target("kind")
        >>> labels.tolist(), rest.schema.type("Individual").members
        (['a', 'b'], ('size',))
        """
        return self.without(attribute), _labels(self.column(attribute), attribute)

    def without(self, *attributes: str) -> Population:
        """Return the population without the given attributes of the individuals.

        Examples
        --------
        >>> population = Population.from_records([{"name": "Ann", "age": 31}])
        >>> population.without("name").record(0)
        {'age': 31}
        """
        known = self.tables[self.schema.individual].columns
        for attribute in attributes:
            if attribute not in known:
                raise UnknownNameError("attribute", attribute, known)
        return self.without_attributes(self.schema.individual, *attributes)

    def without_attributes(self, type_name: str, *attributes: str) -> Population:
        """Return the population without the given attributes of a type, if it has them."""
        record, columns = self.schema.type(type_name), self.tables[type_name].columns
        kept = tuple(a for a in record.attributes if a.name not in attributes)
        return self._with_columns(type_name, kept, {key: c for key, c in columns.items() if key not in attributes})

    def renamed(self, names: Mapping[str, str]) -> Population:
        """Return the population with some of its types renamed.

        Examples
        --------
        >>> population = Population.from_records([{"cars": [{"wheels": 2}]}])
        >>> population.renamed({"Individual": "Train"}).schema.names
        ('Train', 'Car')
        """
        if all(new == old for old, new in names.items()):
            return self
        types = tuple(_renamed(record, names) for record in self.schema.types)
        schema = Schema(types, names.get(self.schema.individual, self.schema.individual))
        return replace(self, schema=schema, tables={names.get(old, old): table for old, table in self.tables.items()})

    def with_table(self, type_name: str, made: TypedTable) -> Population:
        """Return the population with the table of a type replaced or added; the new table is not validated."""
        record, names = made.record, self.schema.names
        types = tuple(record if t.name == type_name else t for t in self.schema.types)
        schema = Schema(types if type_name in names else (*types, record), self.schema.individual)
        return replace(self, schema=schema, tables={**self.tables, type_name: made.table}, _compact=False)

    @property
    def given(self) -> Population:
        """The population without members that are computed by a grammar."""
        return self if self.schema.given is self.schema else self.restricted(self.schema.given)

    def restricted(self, schema: Schema) -> Population:
        """Return the population with only the attributes and links of the given schema."""
        tables = {}
        for record in schema.types:
            table = self.tables[record.name]
            columns = {a.name: table.columns[a.name] for a in record.attributes}
            links = {link.name: table.links[link.name] for link in record.links}
            tables[record.name] = Table(table.n_rows, columns, links)
        return replace(self, schema=schema, tables=tables, _compact=False)

    def with_column(self, type_name: str, attribute: Attribute, column: Column) -> Population:
        """Return the population with an additional attribute of a type."""
        attributes = (*self.schema.type(type_name).attributes, attribute)
        return self._with_columns(type_name, attributes, {**self.tables[type_name].columns, attribute.name: column})

    def _with_columns(
        self, type_name: str, attributes: tuple[Attribute, ...], columns: Mapping[str, Column]
    ) -> Population:
        record = RecordType(type_name, attributes, self.schema.type(type_name).links)
        types = tuple(record if t.name == type_name else t for t in self.schema.types)
        tables = {**self.tables, type_name: replace(self.tables[type_name], columns=columns)}
        schema = Schema(types, self.schema.individual)
        return replace(self, schema=schema, tables=tables, _known_good=False)

    def with_target(self, attribute: str, labels: NDArray[Any]) -> Population:
        """Return the population with the labels as an additional attribute; the inverse of `split_target`.

        Examples
        --------
        >>> population = Population.from_records([{"size": 1.5}, {"size": 2.5}])
        >>> population.with_target("kind", np.array(["a", "b"], dtype=object)).record(1)
        {'size': 2.5, 'kind': 'b'}
        """
        kind: Kind = {"b": "bool", "f": "real", "i": "int", "u": "int"}.get(labels.dtype.kind, "nominal")  # type: ignore[assignment]
        values: list[Value] = [None] * self.tables[self.schema.individual].n_rows
        for row, label in zip(self.individuals, labels, strict=True):
            values[row] = label
        return self.with_column(self.schema.individual, Attribute(attribute, kind), column_of(kind, values))

    def record(self, individual: int, depth: int = 4) -> dict[str, Any]:
        """Return an individual as nested Python values, following links to a depth; for display, not for storage."""
        return self.row(self.schema.individual, int(self.individuals[individual]), depth)

    def row(self, type_name: str, row: int, depth: int = 4) -> dict[str, Any]:
        """Return a row of a type as nested Python values, following links to a depth."""
        table, record = self.tables[type_name], self.schema.type(type_name)
        found: dict[str, Any] = {a.name: table.columns[a.name].value(row) for a in record.attributes}
        for link in record.links:
            rows = table.links[link.name].of(row)
            if depth == 0:
                found[link.name] = "..." if len(rows) else None
            elif link.single:
                found[link.name] = self.row(link.target, int(rows[0]), depth - 1) if len(rows) else None
            else:
                found[link.name] = [self.row(link.target, int(r), depth - 1) for r in rows]
        return {key: value for key, value in found.items() if value is not None}

    if TYPE_CHECKING:
        from_records = staticmethod(records.from_records)
        from_graphs = staticmethod(graphs.from_graphs)
        from_molecules = staticmethod(molecules.from_molecules)
        from_smiles = staticmethod(molecules.from_smiles)
        from_facts = staticmethod(facts.from_facts)
        from_frame = staticmethod(frames.from_frame)
        from_array = staticmethod(frames.from_array)
        from_database = staticmethod(databases.from_database)
    else:
        from_records = _Reader("records")
        from_graphs = _Reader("graphs")
        from_molecules = _Reader("molecules")
        from_smiles = _Reader("molecules")
        from_facts = _Reader("facts")
        from_frame = _Reader("tables")
        from_array = _Reader("tables")
        from_database = _Reader("databases")


def _renamed(record: RecordType, names: Mapping[str, str]) -> RecordType:
    links = tuple(replace(link, target=names.get(link.target, link.target)) for link in record.links)
    return RecordType(names.get(record.name, record.name), record.attributes, links)


def typed_table(
    name: str,
    n_rows: int,
    columns: Mapping[str, Column],
    links: Mapping[Link, Adjacency] = MappingProxyType({}),
    attributes: Sequence[Attribute] | None = None,
) -> TypedTable:
    """Return a table with its record type; by default the attributes follow from the columns."""
    own = [column.as_attribute(key) for key, column in columns.items()] if attributes is None else attributes
    table = Table(n_rows, columns, {link.name: adjacency for link, adjacency in links.items()})
    return TypedTable(RecordType(name, tuple(own), tuple(links)), table)


def linked_population(
    individual: str, tables: Iterable[TypedTable], provenance: Provenance | None = None
) -> Population:
    """Create a population from one table per type, in which all rows of the individual type are individuals.

    Examples
    --------
    >>> train = typed_table("Train", 1, {}, {Link("cars", "list", "Car"): Adjacency.in_order([2])})
    >>> car = typed_table("Car", 2, {"wheels": column_of("int", [2, 3])})
    >>> linked_population("Train", [train, car]).record(0)
    {'cars': [{'wheels': 2}, {'wheels': 3}]}
    """
    known = list(tables)
    schema = Schema(tuple(one.record for one in known), individual)
    return Population(schema, {one.record.name: one.table for one in known}, provenance=provenance)


def column_of(kind: Kind, values: Sequence[Value], categories: Sequence[str] | None = None) -> Column:
    """Create a column from Python values of one kind; None is missing.

    Examples
    --------
    >>> column_of("nominal", ["b", None, "a"]).values.tolist()
    [1, -1, 0]
    """
    if kind == "nominal":
        names = tuple(sorted({str(v) for v in values if v is not None})) if categories is None else tuple(categories)
        codes = {name: code for code, name in enumerate(names)}
        coded = [-1 if v is None else codes[str(v)] for v in values]
        return Column(kind, np.array(coded, dtype=np.int32), names)
    if kind == "bool":
        return Column(kind, np.array([-1 if v is None else int(bool(v)) for v in values], dtype=np.int8))
    if kind in ("date", "time"):
        seconds = np.array([np.nan if v is None else moment_of(v) for v in values], dtype=np.float64)
        return Column(kind, to_kind(seconds, kind))
    numbers: list[Any] = [np.nan if v is None else v for v in values]
    return Column(kind, np.array(numbers, dtype=np.float64))


def bool_column(values: NDArray[np.bool_]) -> Column:
    """Create a column of booleans without missing values."""
    return Column("bool", values.astype(np.int8))


def int_column(values: ArrayLike) -> Column:
    """Create a column of integers."""
    return Column("int", np.asarray(values, dtype=np.float64))


def named_column(numbers: NDArray[np.integer[Any]], names: Mapping[int, str]) -> Column:
    """Create a nominal column from integers and their names; a number without a name is missing.

    Examples
    --------
    >>> column = named_column(np.array([8, 6, 0, 6]), {6: "C", 7: "N", 8: "O"})
    >>> column.categories, column.values.tolist()
    (('C', 'O'), [1, 0, -1, 0])
    """
    found, places = np.unique(numbers, return_inverse=True)
    texts = [names.get(number) for number in found.tolist()]
    categories = tuple(sorted({text for text in texts if text is not None}))
    code = {text: i for i, text in enumerate(categories)}
    codes = np.array([-1 if text is None else code[text] for text in texts], dtype=np.int32)
    return Column("nominal", codes[places], categories)


def _labels(column: Column, name: str) -> NDArray[Any]:
    if column.missing.any():
        first = int(np.flatnonzero(column.missing)[0])
        raise DataError(f"the target {name!r} has no value", individual=first)
    if column.kind in ("nominal", "ordered"):
        return np.asarray(np.array(column.categories, dtype=object)[column.values.astype(np.int64)])
    if column.kind in ("date", "time"):
        fix = f"to predict it as a number of seconds: {option_text('types', {name: 'real'})}"
        raise DataError(f"the target {name!r} is a {column.kind}; expected classes or numbers", fix=fix)
    return column.values.astype(np.bool_) if column.kind == "bool" else column.values.copy()


def _validate(population: Population) -> None:
    """Check the invariants of a population when it is created."""
    for record in population.schema.types:
        table = population.tables.get(record.name)
        if table is None:
            raise DataError(f"type {record.name!r} has no table")
        for attribute in record.attributes:
            _validate_column(record, attribute, table)
        for link in record.links:
            _validate_link(record, link, table, population.tables[link.target].n_rows)
    _validate_lists(population)
    rows = population.individuals
    if len(rows) and not (rows.min() >= 0 and rows.max() < population.tables[population.schema.individual].n_rows):
        raise DataError("an individual refers to a row that does not exist")


def _validate_column(record: RecordType, attribute: Attribute, table: Table) -> None:
    column = table.columns.get(attribute.name)
    name = f"{record.name}.{attribute.name}"
    if column is None or column.kind != attribute.kind or column.values.dtype != DTYPES[attribute.kind]:
        raise DataError(f"{name} has no {attribute.kind} column")
    if len(column) != table.n_rows:
        raise DataError(f"{name} has {len(column)} values for {table.n_rows} rows")
    if column.kind == "ordered" and column.categories != attribute.values:
        raise DataError(f"the categories of {name} differ from those of its attribute, or their order does")
    n_codes = {"bool": 2, "nominal": len(column.categories)}.get(column.kind)
    if n_codes is not None and len(column) and not (column.values.min() >= -1 and column.values.max() < n_codes):
        raise DataError(f"{name} has a code that is not a {'boolean' if column.kind == 'bool' else 'category'}")


def _validate_link(record: RecordType, link: Link, table: Table, n_targets: int) -> None:
    adjacency = table.links.get(link.name)
    name = f"{record.name}.{link.name}"
    if adjacency is None or len(adjacency) != table.n_rows:
        raise DataError(f"{name} must have links for each of the {table.n_rows} rows")
    lengths = adjacency.lengths
    if adjacency.offsets[0] != 0 or adjacency.offsets[-1] != len(adjacency.targets) or (lengths < 0).any():
        raise DataError(f"the offsets of {name} do not match its targets")
    if len(adjacency.targets) and not (adjacency.targets.min() >= 0 and adjacency.targets.max() < n_targets):
        raise DataError(f"{name} leads to a row of {link.target!r} that does not exist")
    # Sorting the pairs is needed only if rows are shared.
    again = repeated_pairs(adjacency.owners, adjacency.targets) if link.kind == "set" and adjacency.shared else ()
    if len(again):
        row, fix = int(adjacency.owners[again].min()), "use a list of records that refer to it"
        raise DataError(f"the set {name} of row {row} contains an element twice; {fix}")
    if link.single and (lengths > 1).any():
        raise DataError(f"{name} leads to {lengths.max()} rows; expected at most one")
    if link.kind == "one" and (lengths < 1).any():
        row = int(np.flatnonzero(lengths < 1)[0])
        raise DataError(f"{name} has no target in row {row}; make it an optional reference ('{link.target}?')")


def _validate_lists(population: Population) -> None:
    """Check that each list element belongs to one list."""
    seen: dict[str, list[NDArray[np.int32]]] = {}
    for record in population.schema.types:
        for link in record.links:
            if link.kind == "list":
                seen.setdefault(link.target, []).append(population.tables[record.name].links[link.name].targets)
    for target, runs in seen.items():
        targets = np.concatenate(runs)
        if len(targets) and np.bincount(targets).max() > 1:
            row = int(np.argmax(np.bincount(targets)))
            fix = "an element belongs to one list, so use a set, or a list of records that refer to it"
            raise DataError(f"row {row} of {target!r} is in two lists; {fix}")
