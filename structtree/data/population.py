"""Populations: the data of a schema as linked columns.

One table per record type. A column is one numpy array: numbers as float64 with NaN for missing, and so are dates
(days since 1970), times (seconds since then) and ordered categories (ranks); nominals as int32 codes into sorted
categories with -1 for missing, flags as int8 with -1 for missing. A link is a pair of
arrays, offsets and targets (the layout of compressed sparse rows, and of Arrow lists): row ``i`` leads to the
rows ``targets[offsets[i]:offsets[i + 1]]`` of the link's type. Rows may be shared and types may be recursive.

Readers make populations (see the neighbours in this package); nothing here knows a file format.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from structtree.data.dates import moment_of, moment_value, part_numbers, to_kind
from structtree.data.schema import NUMERIC, PARTS, WEEKDAYS, Attribute, Kind, Link, RecordType, Schema
from structtree.errors import DataError, UnknownNameError, option_text
from structtree.reprs import Viewed, names_text, number_text, short_repr

if TYPE_CHECKING:
    from structtree.data.provenance import Provenance
    from structtree.data.readers.graphs.reading import GraphIndividual
    from structtree.data.readers.options import DatabaseOptions, MoleculeOptions, RowOptions

__all__ = [
    "DTYPES",
    "Adjacency",
    "Column",
    "Population",
    "Table",
    "TypedTable",
    "Value",
    "column_of",
    "flag_column",
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
"""How the values of each kind of column are kept."""


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """The values of one attribute for all rows of a type."""

    kind: Kind
    values: NDArray[Any]
    categories: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return short_repr(self, self.kind, number_text(self, "row"), names_text(self.categories))

    def __len__(self) -> int:
        return len(self.values)

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Mask of the rows without a value."""
        if self.values.dtype.kind == "f":
            return np.asarray(np.isnan(self.values))
        return np.asarray(self.values < 0)

    def as_attribute(self, name: str) -> Attribute:
        """An attribute that this can be the column of."""
        return Attribute(name, self.kind, self.categories if self.kind == "ordered" else ())

    def value(self, row: int) -> Value:
        """The value of one row as a plain Python value, None when missing."""
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
        """The code of a category, or -2 (never a value's code) when no row can have it."""
        try:
            return self.categories.index(category)
        except ValueError:
            return -2

    def take(self, rows: NDArray[np.integer[Any]]) -> Column:
        """The column of the chosen rows."""
        return replace(self, values=self.values[rows])


@dataclass(frozen=True, slots=True, eq=False)
class Adjacency:
    """The links of one name for all rows of a type: offsets and targets."""

    offsets: NDArray[np.int64]
    targets: NDArray[np.int32]
    _shared: bool | None = field(default=None, init=False, repr=False)

    def __repr__(self) -> str:
        return short_repr(self, f"{number_text(self, 'row')} to {number_text(self.targets, 'target')}")

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def shared(self) -> bool:
        """True if some row is a target more than once; looked up once."""
        if self._shared is None:
            again = len(self.targets) > 0 and int(np.bincount(self.targets).max()) > 1
            object.__setattr__(self, "_shared", again)
        return bool(self._shared)

    def of(self, row: int) -> NDArray[np.int32]:
        """The rows that one row leads to, in order."""
        return self.targets[self.offsets[row] : self.offsets[row + 1]]

    @property
    def first_targets(self) -> NDArray[np.int64]:
        """The first row that each row leads to, -1 where there is none; and after all rows -1 for none of them."""
        found = np.full(len(self) + 1, -1)
        some = np.flatnonzero(self.lengths)
        found[some] = self.targets[self.offsets[some]]
        return found

    def n_of(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Number of rows that each of some rows leads to."""
        return self.offsets[rows + 1] - self.offsets[rows]

    def places(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The places of the targets of some rows, row by row."""
        return run_places(self.offsets[rows], self.n_of(rows))

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Number of rows that each row leads to."""
        return np.diff(self.offsets)

    @property
    def owners(self) -> NDArray[np.int64]:
        """For each target, the row it is a target of."""
        return np.repeat(np.arange(len(self)), self.lengths)

    @classmethod
    def from_lengths(cls, lengths: ArrayLike, targets: ArrayLike) -> Adjacency:
        """Links from how many each row has, and all targets in one run."""
        counts = np.asarray(lengths, dtype=np.int64)
        offsets = np.zeros(len(counts) + 1, dtype=np.int64)
        np.cumsum(counts, out=offsets[1:])
        return cls(offsets, np.asarray(targets, dtype=np.int32))

    @classmethod
    def in_order(cls, lengths: ArrayLike) -> Adjacency:
        """Return links to all rows of a table in order, so many for each row."""
        return cls.from_lengths(lengths, np.arange(int(np.sum(np.asarray(lengths)))))

    @classmethod
    def single(cls, targets: ArrayLike) -> Adjacency:
        """Return a reference from each row to the row given for it."""
        return cls.from_lengths(np.ones(np.size(targets), dtype=np.int64), targets)

    def reversed(self, n_targets: int) -> Adjacency:
        """Return the links backwards: for each target the rows that it is a target of, in order."""
        return Adjacency.grouped(self.targets.astype(np.int64), self.owners, n_targets)

    @classmethod
    def grouped(cls, owners: NDArray[np.int64], targets: NDArray[np.int64], n_owners: int) -> Adjacency:
        """Return links from pairs of owner and target in any order; each owner keeps the order of its targets."""
        by_owner = np.argsort(owners, kind="stable")
        return cls.from_lengths(np.bincount(owners, minlength=n_owners), targets[by_owner])


def run_places(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the places of some runs, one run after the other.

    Examples
    --------
    >>> run_places(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    before = np.cumsum(lengths) - lengths
    return np.repeat(starts - before, lengths) + np.arange(lengths.sum())


def repeated_pairs(owners: NDArray[np.int64], targets: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """Return which pairs of owner and target are there before, too.

    Examples
    --------
    >>> repeated_pairs(np.array([0, 0, 1, 0]), np.array([7, 8, 7, 7])).tolist()
    [3]
    """
    order = np.lexsort((targets, owners))
    return np.asarray(order[1:][(np.diff(owners[order]) == 0) & (np.diff(targets[order]) == 0)])


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """All rows of one record type."""

    n_rows: int
    columns: Mapping[str, Column] = field(default_factory=dict)
    links: Mapping[str, Adjacency] = field(default_factory=dict)
    _parts: dict[str, Column] = field(default_factory=dict, init=False, repr=False)

    def __repr__(self) -> str:
        return short_repr(self, number_text(self.n_rows, "row"), names_text(chain(self.columns, self.links)))

    def column(self, name: str) -> Column | None:
        """The values of an attribute, or of a part of a date or time (``born.month``), made when first asked for."""
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
        """The same, of an attribute that is known to be there.

        Raises
        ------
        UnknownNameError
            When it is not.
        """
        found = self.column(name)
        if found is None:
            raise UnknownNameError("attribute", name, self.columns)
        return found


@dataclass(frozen=True, slots=True, eq=False)
class TypedTable:
    """A record type and its rows."""

    record: RecordType
    table: Table

    def __repr__(self) -> str:
        return short_repr(self, self.record.name, number_text(self.table.n_rows, "row"))


@dataclass(frozen=True, slots=True, eq=False)
class Population(Viewed):
    """Structured individuals: a schema, its tables, and the rows that are the individuals.

    Parameters
    ----------
    schema : Schema
    tables : mapping from type name to Table
    individuals : array of int, optional
        Rows of the individual type, in the order of the individuals; all rows by default.
    provenance : Provenance, optional
        Where the rows of the individual type come from, if their reader says so.

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
    #: Whether every row is known to be reached by some individual; see `structtree.data.reachable`.
    _compact: bool = field(default=False, repr=False)

    def __post_init__(self) -> None:
        if self.individuals is None:
            rows = np.arange(self.tables[self.schema.individual].n_rows)
            object.__setattr__(self, "individuals", rows)
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
        """Number of individuals, and one column; so scikit-learn takes and splits populations."""
        return (len(self), 1)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[np.object_]:
        """One column of populations of one individual each; scikit-learn's ensembles turn data into arrays.

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
        """Some individuals, as an array of them would give: by position, slice, positions or mask.

        Examples
        --------
        >>> population = Population.from_records([{"size": 1}, {"size": 2}, {"size": 3}])
        >>> population[1].record(0), len(population[:2]), len(population[[0, 2]])
        ({'size': 2}, 2, 2)
        """
        rows = which[0] if isinstance(which, tuple) and which[1:] == (...,) else which
        return replace(self, individuals=np.atleast_1d(self.individuals[rows]), _compact=False)

    def table(self, name: str) -> Table:
        """The table of a record type."""
        self.schema.type(name)
        return self.tables[name]

    @property
    def n_bytes(self) -> int:
        """The memory that the arrays take."""
        arrays: list[NDArray[Any]] = [self.individuals]
        for table in self.tables.values():
            arrays += [c.values for c in table.columns.values()]
            arrays += [a for link in table.links.values() for a in (link.offsets, link.targets)]
        return sum(a.nbytes for a in arrays)

    def take(self, which: ArrayLike) -> Population:
        """The chosen individuals, in the given order; the other tables stay shared.

        Parameters
        ----------
        which : array of int or bool
            Positions of individuals, or a mask over them.
        """
        chosen = np.asarray(which)
        if chosen.dtype != np.bool_:
            chosen = chosen.astype(np.int64)
        return replace(self, individuals=self.individuals[chosen], _compact=False)

    def column(self, attribute: str) -> Column:
        """One attribute of the individuals, in their order."""
        return self.tables[self.schema.individual].value_column(attribute).take(self.individuals)

    def split_target(self, attribute: str) -> tuple[Population, NDArray[Any]]:
        """The population without one attribute of the individuals, and that attribute's values as labels.

        Numbers come as floats, nominals as strings, flags as Python-like booleans.

        Examples
        --------
        >>> population = Population.from_records([{"size": 1.5, "kind": "a"}, {"size": 2.5, "kind": "b"}])
        >>> rest, labels = population.split_target("kind")
        >>> labels.tolist(), rest.schema.type("Individual").members
        (['a', 'b'], ('size',))
        """
        return self.without(attribute), _labels(self.column(attribute), attribute)

    def without(self, *attributes: str) -> Population:
        """The population without some attributes of the individuals.

        Examples
        --------
        >>> population = Population.from_records([{"name": "Ann", "age": 31}])
        >>> population.without("name").record(0)
        {'age': 31}
        """
        name = self.schema.individual
        record, columns = self.schema.type(name), self.tables[name].columns
        for attribute in attributes:
            if attribute not in columns:
                raise UnknownNameError("attribute", attribute, columns)
        kept = tuple(a for a in record.attributes if a.name not in attributes)
        return self._with_columns(name, kept, {key: c for key, c in columns.items() if key not in attributes})

    def without_attribute(self, type_name: str, attribute: str) -> Population:
        """Return the population without one attribute of a type, if the type has it."""
        record, columns = self.schema.type(type_name), self.tables[type_name].columns
        kept = tuple(a for a in record.attributes if a.name != attribute)
        return self._with_columns(type_name, kept, {key: c for key, c in columns.items() if key != attribute})

    def renamed(self, names: Mapping[str, str]) -> Population:
        """Return the population with other names of its types; those that are not mentioned keep theirs.

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
        """Return the population with another table of a type, or with one more type; what is new is not checked."""
        record, names = made.record, self.schema.names
        types = tuple(record if t.name == type_name else t for t in self.schema.types)
        schema = Schema(types if type_name in names else (*types, record), self.schema.individual)
        return replace(self, schema=schema, tables={**self.tables, type_name: made.table}, _compact=False)

    @property
    def given(self) -> Population:
        """The population without what a grammar has computed."""
        schema = self.schema.given
        if schema is self.schema:
            return self
        tables = {}
        for record in schema.types:
            table = self.tables[record.name]
            columns = {a.name: table.columns[a.name] for a in record.attributes}
            tables[record.name] = Table(
                table.n_rows, columns, {each.name: table.links[each.name] for each in record.links}
            )
        return replace(self, schema=schema, tables=tables, _compact=False)

    def with_column(self, type_name: str, attribute: Attribute, column: Column) -> Population:
        """Return the population with one more attribute of a type."""
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
        """The inverse of `split_target`: the labels as one more attribute of the individuals.

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
        """One individual as nested Python values, links followed to a depth; for looking at, not for storing."""
        return self.row(self.schema.individual, int(self.individuals[individual]), depth)

    def row(self, type_name: str, row: int, depth: int = 4) -> dict[str, Any]:
        """One row of a type as nested Python values, links followed to a depth."""
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

    @classmethod
    def from_records(
        cls,
        records: Sequence[Mapping[str, Any]],
        schema: Schema | None = None,
        *,
        individual: str = "Individual",
        types: Mapping[str, str] | None = None,
    ) -> Population:
        """A population from nested Python dicts and lists; see `structtree.data.readers.records.reading`."""
        from structtree.data.readers.records.reading import from_records

        return from_records(records, schema, individual=individual, types=types)

    @classmethod
    def from_graphs(
        cls, graphs: Iterable[Any], *, individual: GraphIndividual = "Graph", types: Mapping[str, str] | None = None
    ) -> Population:
        """A population of networkx graphs; see `structtree.data.readers.graphs.reading`."""
        from structtree.data.readers.graphs.reading import from_graphs

        return from_graphs(graphs, individual=individual, types=types)

    @classmethod
    def from_molecules(
        cls,
        molecules: Iterable[Any],
        *,
        columns: Mapping[str, Sequence[Any]] | None = None,
        types: Mapping[str, str] | None = None,
        **options: Unpack[MoleculeOptions],
    ) -> Population:
        """A population of RDKit molecules or SMILES; see `structtree.data.readers.molecules.reading`."""
        from structtree.data.readers.molecules.reading import from_molecules

        return from_molecules(molecules, columns=columns, types=types, **options)

    @classmethod
    def from_smiles(
        cls,
        smiles: Iterable[str | None],
        *,
        columns: Mapping[str, Sequence[Any]] | None = None,
        types: Mapping[str, str] | None = None,
        **options: Unpack[MoleculeOptions],
    ) -> Population:
        """Read a population of molecules from SMILES; see `structtree.data.readers.molecules.reading`."""
        from structtree.data.readers.molecules.reading import from_smiles

        return from_smiles(smiles, columns=columns, types=types, **options)

    @classmethod
    def from_facts(
        cls,
        facts: str | Iterable[Sequence[Any]],
        *,
        positives: str | Iterable[Sequence[Any]] | None = None,
        negatives: str | Iterable[Sequence[Any]] | None = None,
        target: str | None = None,
        individual: str | None = None,
        types: Mapping[str, str] | None = None,
        fact: Sequence[str] = (),
        sample_negatives: int | None = None,
        sample_seed: int = 0,
    ) -> Population:
        """A population from facts in Prolog's syntax, or as tuples; see `structtree.data.readers.facts.reading`."""
        from structtree.data.readers.facts.reading import from_facts

        return from_facts(
            facts,
            positives=positives,
            negatives=negatives,
            target=target,
            individual=individual,
            types=types,
            fact=fact,
            sample_negatives=sample_negatives,
            sample_seed=sample_seed,
        )

    @classmethod
    def from_frame(
        cls, frame: Any, *, columns: Collection[str] | None = None, copy: bool = True, **rows: Unpack[RowOptions]
    ) -> Population:
        """A population from a pandas or polars DataFrame; see `structtree.data.readers.tables.reading`."""
        from structtree.data.readers.tables.reading import from_frame

        return from_frame(frame, columns=columns, copy=copy, **rows)

    @classmethod
    def from_database(cls, source: Any, **options: Unpack[DatabaseOptions]) -> Population:
        """A population of the linked tables of a database; see `structtree.data.readers.databases.reading`."""
        from structtree.data.readers.databases.reading import from_database

        return from_database(source, **options)

    @classmethod
    def from_array(
        cls,
        array: ArrayLike,
        names: Sequence[str] | None = None,
        *,
        individual: str = "Row",
        types: Mapping[str, str] | None = None,
        columns: Collection[str] | None = None,
        copy: bool = True,
    ) -> Population:
        """A population from a two-dimensional numpy array; see `structtree.data.readers.tables.reading`."""
        from structtree.data.readers.tables.reading import from_array

        return from_array(array, names, individual=individual, types=types, columns=columns, copy=copy)


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
    """Return a table with its record type; unless attributes are given, they are read off the columns."""
    own = [column.as_attribute(key) for key, column in columns.items()] if attributes is None else attributes
    table = Table(n_rows, columns, {link.name: adjacency for link, adjacency in links.items()})
    return TypedTable(RecordType(name, tuple(own), tuple(links)), table)


def linked_population(
    individual: str, tables: Iterable[TypedTable], provenance: Provenance | None = None
) -> Population:
    """Return the population of some tables, one for each type; its individuals are all rows of theirs.

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
    """A column from plain Python values of one kind; None is missing.

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


def flag_column(values: NDArray[np.bool_]) -> Column:
    """A column of flags, none of them missing."""
    return Column("bool", values.astype(np.int8))


def int_column(values: ArrayLike) -> Column:
    """A column of whole numbers."""
    return Column("int", np.asarray(values, dtype=np.float64))


def named_column(numbers: NDArray[np.integer[Any]], names: Mapping[int, str]) -> Column:
    """A nominal column from whole numbers and what they stand for; a number without a name is missing.

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
    if column.kind == "nominal":
        return np.asarray(np.array(column.categories, dtype=object)[column.values])
    if column.kind == "ordered":
        return np.asarray(np.array(column.categories, dtype=object)[column.values.astype(np.int64)])
    if column.kind in ("date", "time"):
        fix = f"to predict it as a number of seconds: {option_text('types', {name: 'real'})}"
        raise DataError(f"the target {name!r} is a {column.kind}, neither classes nor numbers", fix=fix)
    return column.values.astype(np.bool_) if column.kind == "bool" else column.values.copy()


def _validate(population: Population) -> None:
    """Check what must hold for every population, once, when it is made."""
    for record in population.schema.types:
        table = population.tables.get(record.name)
        if table is None:
            raise DataError(f"there is no table for type {record.name!r}")
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
        raise DataError(f"there is no {attribute.kind} column for {name}")
    if len(column) != table.n_rows:
        raise DataError(f"{name} has {len(column)} values for {table.n_rows} rows")
    if column.kind == "ordered" and column.categories != attribute.values:
        raise DataError(f"{name} has other categories than its attribute, or in another order")
    n_codes = {"bool": 2, "nominal": len(column.categories)}.get(column.kind)
    if n_codes is not None and len(column) and not (column.values.min() >= -1 and column.values.max() < n_codes):
        raise DataError(f"{name} has a code that is not a {'flag' if column.kind == 'bool' else 'category'}")


def _validate_link(record: RecordType, link: Link, table: Table, n_targets: int) -> None:
    adjacency = table.links.get(link.name)
    name = f"{record.name}.{link.name}"
    if adjacency is None or len(adjacency) != table.n_rows:
        raise DataError(f"there are no links {name} for {table.n_rows} rows")
    lengths = adjacency.lengths
    if adjacency.offsets[0] != 0 or adjacency.offsets[-1] != len(adjacency.targets) or (lengths < 0).any():
        raise DataError(f"the offsets of {name} do not fit its targets")
    if len(adjacency.targets) and not (adjacency.targets.min() >= 0 and adjacency.targets.max() < n_targets):
        raise DataError(f"{name} leads to a row of {link.target!r} that does not exist")
    if link.kind == "set":
        _validate_set(name, adjacency)
    if link.single and (lengths > 1).any():
        raise DataError(f"{name} leads to {lengths.max()} rows where one is allowed")
    if link.kind == "one" and (lengths < 1).any():
        row = int(np.flatnonzero(lengths < 1)[0])
        raise DataError(f"{name} leads nowhere in row {row}; make it an optional reference ('{link.target}?')")


def _validate_set(name: str, adjacency: Adjacency) -> None:
    """A set has no element twice; the sort is needed only where rows are shared at all."""
    if not adjacency.shared:
        return
    again = repeated_pairs(adjacency.owners, adjacency.targets)
    if len(again):
        row = int(adjacency.owners[again].min())
        raise DataError(
            f"the set {name} of row {row} has one element twice; make it a list of records that refer to it"
        )


def _validate_lists(population: Population) -> None:
    """The elements of lists belong to one list each."""
    seen: dict[str, list[NDArray[np.int32]]] = {}
    for record in population.schema.types:
        for link in record.links:
            if link.kind == "list":
                seen.setdefault(link.target, []).append(population.tables[record.name].links[link.name].targets)
    for target, runs in seen.items():
        targets = np.concatenate(runs)
        if len(targets) and np.bincount(targets).max() > 1:
            row = int(np.argmax(np.bincount(targets)))
            raise DataError(
                f"row {row} of {target!r} stands in two lists; an element belongs to one list, so use a set, "
                "or a list of records that refer to it"
            )
