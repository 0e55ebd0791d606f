"""Keys of relational tables: the values of their columns as codes, and which rows a foreign key leads to.

A reader gives a `Database`: named tables as sheets, with the keys that it declares. Here keys are compared: values of
one column with those of another, whatever the two are stored as (an account ``'17'`` is the account 17) and without
blanks around them, several columns at once for keys of several columns. What the links that follow from them are
called, and what becomes of the other columns, is said in `structtree.data.readers.databases.linking`; how keys are
guessed where none is declared, in `structtree.data.readers.databases.key_guesses`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from structtree.data.population import Adjacency, run_places
from structtree.data.readers.databases.storage import Engine, Stored, ValueClass
from structtree.data.readers.tables.sheets import Coded, PythonValues, Raw, Sheet, Texts
from structtree.errors import DataError, UnknownNameError, option_text

__all__ = [
    "Database",
    "ForeignKey",
    "KeyColumns",
    "KeyMatch",
    "KeyValues",
    "RowChoice",
    "SourceTable",
    "UnreadKind",
    "columns_text",
    "condition_error",
    "distinct_values",
    "endless_condition",
    "unread_table",
]


def columns_text(table: str, columns: Sequence[str]) -> str:
    """Return columns of a table as people write them, and as ``links`` takes them.

    Examples
    --------
    >>> columns_text("loan", ["account_id"]), columns_text("flights", ["origin", "hour"])
    ('loan.account_id', 'flights.origin,hour')
    """
    return f"{table}.{','.join(columns)}"


class RowChoice(NamedTuple):
    """Condition in SQL for the rows of a table that are individuals."""

    table: str
    sql: str

    def of(self, name: str) -> str | None:
        """Return the condition for the rows of a table, if there is one."""
        return self.sql if name.lower() == self.table.lower() else None


def condition_error(sql: str, table: str, why: str) -> DataError:
    """Return the error for a condition that a database does not understand, with the first line of what it says."""
    return DataError(
        f"{option_text('condition', sql)} is not understood for {table}: {why.splitlines()[0].rstrip('.')}"
    )


def endless_condition(sql: str, table: str, after: str) -> DataError:
    """Return the error for a condition that was stopped, since it may never end."""
    return DataError(f"{option_text('condition', sql)} was stopped for {table} after {after}; it may never end")


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """Columns of a table whose values name rows of a table.

    Parameters
    ----------
    table, columns
        The table that refers, and its columns.
    to, key
        The table that is referred to, and those of its columns that the values are compared with, in the same order;
        none where its primary key is meant and not yet looked up.
    guessed : bool
        Whether it is guessed, not declared.
    name, back : str, optional
        The names of the link along the key, and of the one back, where somebody has chosen them.

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
    """A table of a database, as its reader gives it.

    Parameters
    ----------
    name : str
    sheet : Sheet
    key : tuple of str
        The columns of its primary key, if it has one.
    unique : tuple of tuples of str
        Further columns, or sets of them, that differ from row to row.
    key_guessed : bool
        Whether the primary key is guessed, not declared.
    chosen : array of bool, optional
        The rows that are individuals, where not all are.
    stored : mapping from column to Stored
        How the database has its columns, where that is known.
    rowid : str
        What the database calls the numbers of its rows; empty if it has none.
    indexed : tuple of tuples of str
        Columns by which the database finds rows quickly.
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
        """Return whether these columns are declared to differ from row to row."""
        wanted = set(columns)
        return any(wanted == set(each) for each in (self.key, *self.unique))


def unread_table(name: str) -> SourceTable:
    """Return what stands for a table that is excluded, and so was not read."""
    return SourceTable(name, Sheet({}, 0, name))


UnreadKind = Literal["view", "virtual table", "binary column", "column of other values", "key to another schema"]

UNREAD: Mapping[UnreadKind, str] = {
    "view": "views",
    "virtual table": "virtual tables",
    "binary column": "binary columns",
    "column of other values": "columns of values other than numbers, text and dates",
    "key to another schema": "keys to tables of other schemas",
}
"""What is not read, in the plural."""


@dataclass(frozen=True, slots=True, eq=False)
class Database:
    """Named tables and the keys that link them.

    Parameters
    ----------
    source : str
        Where it comes from, for errors.
    tables : mapping from name to SourceTable
    foreign_keys : tuple of ForeignKey
    unread : mapping from name to str
        The tables and columns (``table.column``) that were not read, and what they are.
    engine : {"sqlite", "duckdb"}, optional
        The database that has the tables; None for others, files and frames.
    condition : str, optional
        The condition in SQL for the rows that are individuals.
    missing_words : tuple of str
        Of text files, the words for a missing value.
    """

    source: str
    tables: Mapping[str, SourceTable]
    foreign_keys: tuple[ForeignKey, ...] = ()
    unread: Mapping[str, UnreadKind] = field(default_factory=dict)
    engine: Engine | None = None
    condition: str | None = None
    missing_words: tuple[str, ...] = ()

    def table(self, name: str) -> SourceTable:
        """Return the table of that name, written in whatever case, if no other differs from it only in that."""
        found = {name} if name in self.tables else {each for each in self.tables if each.lower() == name.lower()}
        if len(found) != 1:
            self.refuse_unread(name)
            raise UnknownNameError("table", name, self.tables)
        return self.tables[found.pop()]

    def refuse_unread(self, name: str) -> None:
        """Refuse a table, or a column of one (``table.column``), that was not read."""
        for each, kind in self.unread.items():
            if each.lower() == name.lower():
                raise DataError(f"{each} is a {kind}, and {UNREAD[kind]} are not read", source=self.source)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Sentences about what was not read."""
        named = {kind: [name for name, each in self.unread.items() if each == kind] for kind in UNREAD}
        return tuple(f"{UNREAD[kind]} are not read: {', '.join(names)}" for kind, names in named.items() if names)

    def with_tables(self, tables: Iterable[SourceTable]) -> Database:
        """Return the database with some tables in the place of those of the same names."""
        return replace(self, tables={**self.tables, **{table.name: table for table in tables}})


@dataclass(frozen=True, slots=True, eq=False)
class KeyValues:
    """A column as codes into its different values, -1 for missing; of text without blanks around it."""

    codes: NDArray[np.int64]
    values: NDArray[Any]
    values_are: ValueClass

    @property
    def are_whole(self) -> bool:
        """True if no value is a number with a fraction."""
        if self.values_are != "number":
            return True
        if self.values.dtype == object:
            return all(isinstance(value, int) or value.is_integer() for value in self.values)
        return bool((np.floor(self.values) == self.values).all())

    @property
    def n_present(self) -> int:
        """Number of rows that have a value."""
        return int(np.count_nonzero(self.codes >= 0))

    @property
    def differs(self) -> bool:
        """True if there are rows, and every one has a value of its own."""
        return len(self.values) == len(self.codes) > 0


def distinct_values(column: Raw) -> KeyValues:
    """Return the different values of a raw column.

    Examples
    --------
    >>> found = distinct_values(Coded(np.array([0, 1, 0, -1]), ["b", "a"]))
    >>> found.codes.tolist(), found.values.tolist(), found.values_are
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
        return KeyValues(codes, _told_apart(values), "number")
    if values.dtype.kind == "M":
        return KeyValues(codes, values.astype("datetime64[us]").astype(np.int64), "moment")
    if len(values) and all(isinstance(value, int | float | np.number) for value in values):
        return KeyValues(codes, _told_apart(values), "number")
    return KeyValues(codes, np.array([str(value).strip() for value in values], dtype=object), "text")


def _told_apart(numbers: NDArray[Any]) -> NDArray[Any]:
    """Return numbers as floats; or as Python's, if some are too large for that, as many a key of 64 bits is."""
    floats = numbers.astype(np.float64)
    return floats if np.abs(floats).max(initial=0) < _EXACT else numbers.astype(object)


_EXACT = 2.0**53
"""Whole numbers below this are floats without loss."""


def _as_numbers(values: KeyValues) -> NDArray[Any]:
    """Return values as numbers; NaN for text that is none."""
    import pandas as pd

    if values.values_are == "number":
        return values.values
    floats = np.asarray(pd.to_numeric(pd.Series(values.values), "coerce"), np.float64)
    if not np.nanmax(np.abs(floats), initial=0) >= _EXACT:
        return floats
    is_whole = [text.lstrip("+-").isdecimal() for text in values.values]
    pairs = zip(is_whole, values.values, floats.tolist(), strict=True)
    return np.array([int(text) if whole else number for whole, text, number in pairs], dtype=object)


def _places_among(values: KeyValues, others: KeyValues) -> NDArray[np.int64]:
    """Return for each different value its code among other values, -1 where it is none of them."""
    import pandas as pd

    mine, theirs = values.values, others.values
    if {values.values_are, others.values_are} == {"number", "text"}:
        mine, theirs = _as_numbers(values), _as_numbers(others)
    elif values.values_are != others.values_are:
        mine, theirs = (np.array([str(value) for value in each], dtype=object) for each in (mine, theirs))
    first: dict[Any, int] = {}
    index = pd.Index(theirs, dtype=theirs.dtype)  # else text would become another kind of array
    if not index.is_unique:
        for place, value in enumerate(theirs.tolist()):
            if value == value:
                first.setdefault(value, place)
        return np.array([first.get(value, -1) for value in mine.tolist()], dtype=np.int64)
    found = np.asarray(index.get_indexer(pd.Index(mine, dtype=mine.dtype)), dtype=np.int64)
    return np.where(pd.isna(mine), -1, found) if len(mine) else found


@dataclass(frozen=True, slots=True, eq=False)
class KeyMatch:
    """A foreign key on its data: the rows that it leads to, and how many rows it leads nowhere.

    Parameters
    ----------
    foreign_key : ForeignKey
    rows : Adjacency
        For each row of the table that refers, the rows of the other.
    n_missing : int
        Number of rows without a value.
    n_dangling : int
        Number of rows with a value that no row of the other table has.
    single : bool
        Whether the values that are referred to differ from row to row.
    compared : tuple of str
        What the values of each column are compared as; ``text`` where they are of two sorts.
    """

    foreign_key: ForeignKey
    rows: Adjacency
    n_missing: int
    n_dangling: int
    single: bool
    compared: tuple[ValueClass, ...] = ()

    @property
    def fit(self) -> float:
        """Share of the rows with a value for which the other table has a row; 1 if there are none."""
        n = len(self.rows) - self.n_missing
        return 1.0 if n == 0 else (n - self.n_dangling) / n


_ColumnName = tuple[str, str]
"""A table, and a column of it."""


@dataclass(frozen=True, slots=True, eq=False)
class KeyColumns:
    """The columns of a database as codes, each made once, and comparisons of them.

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
        """Return the different values of a column."""
        if (table, column) not in self._known:
            self._known[table, column] = distinct_values(self.tables[table].sheet.columns[column])
        return self._known[table, column]

    def places(self, here: _ColumnName, there: _ColumnName) -> NDArray[np.int64]:
        """Return for each different value of a column its code in another; at the end, that of a missing value.

        A missing value has the next code after all others, a value that the other column lacks the one after that.
        """
        if (here, there) not in self._places:
            others = self.distinct(*there)
            n = len(others.values)
            found = _places_among(self.distinct(*here), others)
            self._places[here, there] = np.append(np.where(found == -1, n + 1, found), n)
        return self._places[here, there]

    def differs(self, table: str, columns: Sequence[str]) -> bool:
        """Return whether some columns together differ from row to row; missing values count as values of their own.

        A single column must have a value in every row.
        """
        if len(columns) == 1:
            return self.distinct(table, columns[0]).differs
        n_rows = self.tables[table].sheet.n_rows
        if math.prod(len(self.distinct(table, column).values) + 1 for column in columns) < n_rows:
            return False
        joint = _joint([_filled(self.distinct(table, column)) for column in columns], n_rows)
        return n_rows > 0 and int(np.bincount(joint).max()) == 1

    def match(self, foreign_key: ForeignKey, most: int | None = None) -> KeyMatch:
        """Return where a foreign key leads to; of several columns a missing one is a value like others.

        Parameters
        ----------
        foreign_key : ForeignKey
        most : int, optional
            So many rows at most are looked at, spread over the table.
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
    if one.values_are == other.values_are:
        return one.values_are
    return "number" if {one.values_are, other.values_are} == {"number", "text"} else "text"


def _filled(column: KeyValues) -> NDArray[np.int64]:
    """Return the codes of a column, with one of its own for missing values."""
    return np.where(column.codes < 0, len(column.values), column.codes)


def _joint(parts: Sequence[NDArray[np.int64]], n: int) -> NDArray[np.int64]:
    """Return one code for each combination of codes."""
    import pandas as pd

    joint, n_codes = np.zeros(n, dtype=np.int64), 1
    for part in parts:
        size = int(part.max(initial=0)) + 1
        if n_codes * size > 2 * n:
            joint = np.asarray(pd.factorize(joint)[0], dtype=np.int64)
            n_codes = int(joint.max(initial=0)) + 1
        joint, n_codes = joint * size + part, n_codes * size
    return joint if n_codes <= 2 * n else np.asarray(pd.factorize(joint)[0], dtype=np.int64)
