"""Keys of relational tables: columns as integer codes, and the rows that each foreign key refers to.

A reader returns a `Database`: named tables as sheets, with their declared keys. This module compares key values
across columns, whatever their storage type (account ``'17'`` is account 17), ignoring surrounding whitespace;
composite keys compare several columns at once. `structtree.data.readers.databases.linking` names the resulting links
and converts the other columns; `structtree.data.readers.databases.key_guesses` guesses undeclared keys.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from structtree.data.population import Adjacency, run_places
from structtree.data.readers.databases.storage import Engine, Stored, ValueClass
from structtree.data.readers.tables.sheets import Coded, PythonValues, Raw, Sheet, Texts
from structtree.errors import DataError, UnknownNameError, option_text
from structtree.progress import report_status

__all__ = [
    "Database",
    "ForeignKey",
    "KeyColumns",
    "KeyMatch",
    "KeyValues",
    "RowFilter",
    "SourceTable",
    "UnreadKind",
    "columns_text",
    "condition_error",
    "condition_timeout",
    "distinct_values",
    "fetch_columns",
    "read_each",
    "read_sheets",
]


def columns_text(table: str, columns: Sequence[str]) -> str:
    """Return columns of a table in the notation of the ``links`` option.

    Examples
    --------
    >>> columns_text("loan", ["account_id"]), columns_text("flights", ["origin", "hour"])
    ('loan.account_id', 'flights.origin,hour')
    """
    return f"{table}.{','.join(columns)}"


class RowFilter(NamedTuple):
    """SQL condition that selects the rows of a table that are individuals."""

    table: str
    sql: str

    def for_table(self, name: str) -> str | None:
        """Return the condition if it applies to the given table."""
        return self.sql if name.lower() == self.table.lower() else None


def condition_error(sql: str, table: str, why: str) -> DataError:
    """Return the error for a condition that a database rejects, with the first line of the reason."""
    return DataError(f"{option_text('condition', sql)} is not valid for {table}: {why.splitlines()[0].rstrip('.')}")


def condition_timeout(sql: str, table: str, after: str) -> DataError:
    """Return the error for a condition whose evaluation was stopped because it may never end."""
    return DataError(f"{option_text('condition', sql)} was stopped for {table} after {after}; it may never end")


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """Foreign key: columns of one table that refer to rows of another (or the same) table.

    Parameters
    ----------
    table, columns
        Referencing table and columns.
    to, key
        Referenced table and columns, in the same order; without columns, its primary key.
    guessed : bool
        Whether the key is guessed rather than declared.
    name, back : str, optional
        User-defined names of the link along the key and of the reverse link.

    Examples
    --------
    >>> str(ForeignKey("loan", ("account_id",), "account", ("account_id",)))
    'loan.account_id=account.account_id'
    """

    table: str
    columns: tuple[str, ...]
    to: str
    key: tuple[str, ...]
    guessed: bool = False
    name: str | None = None
    back: str | None = None

    def __str__(self) -> str:
        return f"{columns_text(self.table, self.columns)}={columns_text(self.to, self.key)}"


@dataclass(frozen=True, slots=True, eq=False)
class SourceTable:
    """Table as read from a database.

    Parameters
    ----------
    name : str
    sheet : Sheet
    key : tuple of str
        Primary key columns, if any.
    unique : tuple of tuples of str
        Further columns, or combinations of columns, that are unique.
    key_guessed : bool
        Whether the primary key is guessed rather than declared.
    chosen : array of bool, optional
        Mask of the rows that are individuals, unless all are.
    stored : mapping from column to Stored
        Storage formats of columns, if known.
    rowid : str
        Name of the row number column; empty if the table has none.
    indexed : tuple of tuples of str
        Columns with an index.
    """

    name: str
    sheet: Sheet
    key: tuple[str, ...] = ()
    unique: tuple[tuple[str, ...], ...] = ()
    key_guessed: bool = False
    chosen: NDArray[np.bool_] | None = None
    stored: Mapping[str, Stored] = field(default_factory=dict)
    rowid: str = "rowid"
    indexed: tuple[tuple[str, ...], ...] = ()

    def is_unique(self, columns: Iterable[str]) -> bool:
        """Return whether these columns are declared unique."""
        wanted = set(columns)
        return any(wanted == set(each) for each in (self.key, *self.unique))


def fetch_columns(cursor: Any, n_columns: int) -> list[list[Any]]:
    """Return the columns of a query result, fetched in blocks to save memory."""
    columns: list[list[Any]] = [[] for _ in range(n_columns)]
    while rows := cursor.fetchmany(_BLOCK):
        for column, values in zip(columns, zip(*rows, strict=True), strict=True):
            column.extend(values)
    return columns


_BLOCK = 50_000


UnreadKind = Literal[
    "view", "virtual table", "binary column", "column of unsupported values", "key to another schema"
]

UNREAD: Mapping[UnreadKind, str] = {
    "view": "views",
    "virtual table": "virtual tables",
    "binary column": "binary columns",
    "column of unsupported values": "columns of values other than numbers, text and dates",
    "key to another schema": "keys to tables of other schemas",
}
"""Plural of each kind of table or column that is not read."""


def read_each(
    names: Iterable[str],
    exclude: Container[str],
    where: RowFilter | None,
    read: Callable[[str, str | None], tuple[SourceTable, Mapping[str, UnreadKind]]],
) -> tuple[dict[str, SourceTable], dict[str, UnreadKind]]:
    """Return all tables, empty if excluded, and the columns (``table.column``) that were not read.

    Parameters
    ----------
    names : iterable of str
    exclude : container of str
        Tables to skip.
    where : RowFilter, optional
    read : callable
        Returns a table and its unread columns, given its name and the condition for its rows.
    """
    tables: dict[str, SourceTable] = {}
    unread: dict[str, UnreadKind] = {}
    for name in names:
        if name in exclude:
            tables[name] = SourceTable(name, Sheet({}, 0, name))
        else:
            report_status("reading", 0, None, f"table {name}")
            tables[name], skipped = read(name, where and where.for_table(name))
            unread |= {f"{name}.{column}": kind for column, kind in skipped.items()}
    return tables, unread


def read_sheets(
    names: Iterable[str], exclude: Container[str], read: Callable[[str], Sheet]
) -> dict[str, SourceTable]:
    """Return tables without keys; excluded tables are empty."""
    return read_each(names, exclude, None, lambda name, _: (SourceTable(name, read(name)), {}))[0]


@dataclass(frozen=True, slots=True, eq=False)
class Database:
    """Named tables and the keys that link them.

    Parameters
    ----------
    source : str
        Name for error messages.
    tables : mapping from name to SourceTable
    foreign_keys : tuple of ForeignKey
    unread : mapping from name to str
        Kind of each table and column (``table.column``) that was not read.
    engine : {"sqlite", "duckdb"}, optional
        Database engine; None for other databases, files and frames.
    condition : str, optional
        SQL condition that selects the individuals.
    missing_words : tuple of str
        Words that denote a missing value in text files.
    """

    source: str
    tables: Mapping[str, SourceTable]
    foreign_keys: tuple[ForeignKey, ...] = ()
    unread: Mapping[str, UnreadKind] = field(default_factory=dict)
    engine: Engine | None = None
    condition: str | None = None
    missing_words: tuple[str, ...] = ()

    def table(self, name: str) -> SourceTable:
        """Return a table by name, ignoring case if that is unambiguous."""
        found = {name} if name in self.tables else {each for each in self.tables if each.lower() == name.lower()}
        if len(found) != 1:
            self.refuse_unread(name)
            raise UnknownNameError("table", name, self.tables)
        return self.tables[found.pop()]

    def refuse_unread(self, name: str) -> None:
        """Raise `DataError` for a table or a column (``table.column``) that was not read."""
        for each, kind in self.unread.items():
            if each.lower() == name.lower():
                raise DataError(f"{each} is a {kind}, and {UNREAD[kind]} are not read", source=self.source)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Notes about tables and columns that were not read."""
        named = {kind: [name for name, each in self.unread.items() if each == kind] for kind in UNREAD}
        return tuple(f"{UNREAD[kind]} are not read: {', '.join(names)}" for kind, names in named.items() if names)

    def with_tables(self, tables: Iterable[SourceTable]) -> Database:
        """Return the database with tables replaced by those of the same name."""
        return replace(self, tables={**self.tables, **{table.name: table for table in tables}})


@dataclass(frozen=True, slots=True, eq=False)
class KeyValues:
    """Distinct values of a column, and the code of each row's value; -1 for missing values."""

    codes: NDArray[np.int64]
    values: NDArray[Any]
    value_class: ValueClass

    @property
    def are_integers(self) -> bool:
        """True if no value has a fractional part."""
        if self.value_class != "number":
            return True
        if self.values.dtype == object:
            return all(isinstance(value, int) or value.is_integer() for value in self.values)
        return bool((np.floor(self.values) == self.values).all())

    @property
    def is_unique(self) -> bool:
        """True if there are rows and their values are all present and distinct."""
        return len(self.values) == len(self.codes) > 0


def distinct_values(column: Raw) -> KeyValues:
    """Return the distinct values of a raw column, and the code of each row.

    Examples
    --------
    >>> found = distinct_values(Coded(np.array([0, 1, 0, -1]), ["b", "a"]))
    >>> found.codes.tolist(), found.values.tolist(), found.value_class
    ([0, 1, 0, -1], ['b', 'a'], 'text')
    """
    import pandas as pd

    match column:
        case Coded():
            codes, values = np.asarray(column.codes, dtype=np.int64), np.array(column.values, dtype=object)
        case Texts() | PythonValues():
            codes, values = pd.factorize(np.array(column.cells, dtype=object))
        case _:
            codes, uniques = pd.factorize(column)
            values = np.asarray(uniques)
    return _classed(np.asarray(codes, dtype=np.int64), values)


def _classed(codes: NDArray[np.int64], values: NDArray[Any]) -> KeyValues:
    if values.dtype.kind in "biuf":
        return KeyValues(codes, _exact_numbers(values), "number")
    if values.dtype.kind == "M":
        return KeyValues(codes, values.astype("datetime64[us]").astype(np.int64), "moment")
    if len(values) and all(isinstance(value, int | float | np.number) for value in values):
        return KeyValues(codes, _exact_numbers(values), "number")
    return KeyValues(codes, np.array([str(value).strip() for value in values], dtype=object), "text")


def _exact_numbers(numbers: NDArray[Any]) -> NDArray[Any]:
    """Return numbers as floats, or as Python objects if floats would be inexact, as for 64-bit keys."""
    floats = numbers.astype(np.float64)
    return floats if np.abs(floats).max(initial=0) < _EXACT else numbers.astype(object)


_EXACT = 2.0**53
"""Integers below this limit are exact as floats."""


def _as_numbers(values: KeyValues) -> NDArray[Any]:
    """Return values as numbers, with NaN for non-numeric text."""
    import pandas as pd

    if values.value_class == "number":
        return values.values
    floats = np.asarray(pd.to_numeric(pd.Series(values.values), "coerce"), np.float64)
    if not np.nanmax(np.abs(floats), initial=0) >= _EXACT:
        return floats
    is_whole = [text.lstrip("+-").isdecimal() for text in values.values]
    pairs = zip(is_whole, values.values, floats.tolist(), strict=True)
    return np.array([int(text) if whole else number for whole, text, number in pairs], dtype=object)


def _places_among(values: KeyValues, others: KeyValues) -> NDArray[np.int64]:
    """Return for each distinct value its code in another column, or -1 if that column lacks it."""
    import pandas as pd

    mine, theirs = values.values, others.values
    if {values.value_class, others.value_class} == {"number", "text"}:
        mine, theirs = _as_numbers(values), _as_numbers(others)
    elif values.value_class != others.value_class:
        mine, theirs = (np.array([str(value) for value in each], dtype=object) for each in (mine, theirs))
    index = pd.Index(theirs, dtype=theirs.dtype)  # explicit dtype, or pandas would convert text
    first = np.flatnonzero(~index.duplicated())
    found = index[first].get_indexer(pd.Index(mine, dtype=mine.dtype))
    return np.where(pd.isna(mine), -1, np.append(first, -1)[found])


@dataclass(frozen=True, slots=True, eq=False)
class KeyMatch:
    """Foreign key evaluated on data: the referenced rows, and the number of dangling references.

    Parameters
    ----------
    foreign_key : ForeignKey
    rows : Adjacency
        Referenced rows for each row of the referencing table.
    n_missing : int
        Number of rows without a value.
    n_dangling : int
        Number of rows whose value matches no row of the referenced table.
    single : bool
        Whether the referenced values are unique.
    compared : tuple of str
        Value class in which each column is compared; ``text`` where the classes differ.
    """

    foreign_key: ForeignKey
    rows: Adjacency
    n_missing: int
    n_dangling: int
    single: bool
    compared: tuple[ValueClass, ...] = ()

    @property
    def fit(self) -> float:
        """Fraction of the non-missing references that match a row; 1 if all are missing."""
        n = len(self.rows) - self.n_missing
        return 1.0 if n == 0 else (n - self.n_dangling) / n


_ColumnName = tuple[str, str]
"""Table and column."""


@dataclass(frozen=True, slots=True, eq=False)
class KeyColumns:
    """Cached codes of the columns of a database, and their comparisons.

    Examples
    --------
    >>> from structtree.data.readers.tables.sheets import Sheet
    >>> account = SourceTable("account", Sheet({"id": PythonValues([7, 8])}, 2), ("id",))
    >>> loan = SourceTable("loan", Sheet({"account": PythonValues(["8", "7", "9", None])}, 4))
    >>> columns = KeyColumns({"account": account, "loan": loan})
    >>> match = columns.match(ForeignKey("loan", ("account",), "account", ("id",)))
    >>> match.rows.targets.tolist(), match.n_dangling, match.n_missing, match.fit
    ([1, 0], 1, 1, 0.6666666666666666)
    """

    tables: Mapping[str, SourceTable]
    _known: dict[_ColumnName, KeyValues] = field(default_factory=dict, init=False, repr=False)
    _places: dict[tuple[_ColumnName, _ColumnName], NDArray[np.int64]] = field(
        default_factory=dict, init=False, repr=False
    )

    def distinct(self, table: str, column: str) -> KeyValues:
        """Return the distinct values of a column."""
        if (table, column) not in self._known:
            self._known[table, column] = distinct_values(self.tables[table].sheet.columns[column])
        return self._known[table, column]

    def places(self, here: _ColumnName, there: _ColumnName) -> NDArray[np.int64]:
        """Return for each distinct value, and for a missing value at the end, its code in another column.

        With n distinct values in the other column, a missing value has code n and a value not found there n + 1.
        """
        if (here, there) not in self._places:
            others = self.distinct(*there)
            n = len(others.values)
            found = _places_among(self.distinct(*here), others)
            self._places[here, there] = np.append(np.where(found == -1, n + 1, found), n)
        return self._places[here, there]

    def is_unique(self, table: str, columns: Sequence[str]) -> bool:
        """Return whether the rows are unique in these columns, treating missing values as equal.

        A single column must have no missing values.
        """
        if len(columns) == 1:
            return self.distinct(table, columns[0]).is_unique
        n_rows = self.tables[table].sheet.n_rows
        if math.prod(len(self.distinct(table, column).values) + 1 for column in columns) < n_rows:
            return False
        joint = _joint([_filled(self.distinct(table, column)) for column in columns], n_rows)
        return n_rows > 0 and int(np.bincount(joint).max()) == 1

    def match(self, foreign_key: ForeignKey, most: int | None = None) -> KeyMatch:
        """Return the rows that a foreign key refers to; in composite keys, missing values match each other.

        Parameters
        ----------
        foreign_key : ForeignKey
        most : int, optional
            Maximum number of rows to compare, spread evenly over the table.
        """
        n_here, n_there = (self.tables[name].sheet.n_rows for name in (foreign_key.table, foreign_key.to))
        here = [self.distinct(foreign_key.table, column) for column in foreign_key.columns]
        if most is not None and n_here > most:
            some = np.linspace(0, n_here - 1, most).astype(np.int64)
            here, n_here = [replace(one, codes=one.codes[some]) for one in here], most
        there = [self.distinct(foreign_key.to, column) for column in foreign_key.key]
        pairs = zip(foreign_key.columns, foreign_key.key, strict=True)
        places = [self.places((foreign_key.table, column), (foreign_key.to, key)) for column, key in pairs]
        parts = [
            np.concatenate([_filled(other), own[one.codes]])
            for one, other, own in zip(here, there, places, strict=True)
        ]
        joint = _joint(parts, n_here + n_there)
        gone_here = np.all([one.codes < 0 for one in here], axis=0)
        gone_there = np.all([one.codes < 0 for one in there], axis=0)
        owners, wanted = joint[:n_there], joint[n_there:]
        n_values = int(joint.max(initial=-1)) + 1
        counts = np.bincount(owners[~gone_there], minlength=n_values)
        order = np.flatnonzero(~gone_there)[np.argsort(owners[~gone_there], kind="stable")]
        lengths = np.where(gone_here, 0, counts[wanted])
        starts = (np.cumsum(counts) - counts)[wanted]
        rows = Adjacency.from_lengths(lengths, order[run_places(starts, lengths)])
        nowhere, some_gone = lengths == 0, np.any([one.codes < 0 for one in here], axis=0)
        return KeyMatch(
            foreign_key,
            rows,
            n_missing=int(np.count_nonzero(nowhere & some_gone)),
            n_dangling=int(np.count_nonzero(nowhere & ~some_gone)),
            single=bool(counts.max(initial=0) <= 1),
            compared=tuple(_compared(one, other) for one, other in zip(here, there, strict=True)),
        )


def _compared(one: KeyValues, other: KeyValues) -> ValueClass:
    if one.value_class == other.value_class:
        return one.value_class
    return "number" if {one.value_class, other.value_class} == {"number", "text"} else "text"


def _filled(column: KeyValues) -> NDArray[np.int64]:
    """Return the codes of a column, with a separate code for missing values."""
    return np.where(column.codes < 0, len(column.values), column.codes)


def _joint(parts: Sequence[NDArray[np.int64]], n: int) -> NDArray[np.int64]:
    """Return one code for each distinct combination of several codes."""
    import pandas as pd

    joint, n_codes = np.zeros(n, dtype=np.int64), 1
    for part in parts:
        size = int(part.max(initial=0)) + 1
        if n_codes * size > 2 * n:
            joint = np.asarray(pd.factorize(joint)[0], dtype=np.int64)
            n_codes = int(joint.max(initial=0)) + 1
        joint, n_codes = joint * size + part, n_codes * size
    return joint if n_codes <= 2 * n else np.asarray(pd.factorize(joint)[0], dtype=np.int64)
