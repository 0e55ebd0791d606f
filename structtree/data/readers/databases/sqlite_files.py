"""SQLite databases, opened read-only: tables as sheets, and declared keys.

A database in WAL mode is opened as immutable, since SQLite would otherwise create files beside it; if its log is in
use, both are copied and the copy is read. A gzipped file is decompressed to a temporary one.

SQLite does not enforce types, so the values decide: a column of numbers is numeric whatever its declared type. Text
that consists of numbers (and words for missing values) is numeric too, unless it has leading zeros, as codes do.
Empty text is missing. Columns with binary values are skipped.
"""

from __future__ import annotations

import gzip
import os
import re
import shutil
import sqlite3
import tempfile
import zlib
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from structtree.data.dates import text_of
from structtree.data.readers.databases.keys import (
    Database,
    ForeignKey,
    RowFilter,
    SourceTable,
    UnreadKind,
    condition_error,
    condition_timeout,
    fetch_columns,
    read_each,
)
from structtree.data.readers.databases.storage import Stored, moments_of
from structtree.data.readers.tables.sheets import Coded, Raw, Sheet
from structtree.data.readers.text_files import MISSING_WORDS, require_file, unpack
from structtree.errors import DataError

__all__ = [
    "bytes_as_hex",
    "filter_rows",
    "from_sqlite",
    "is_sqlite",
    "number_column",
    "read_sqlite",
    "require_database",
    "sql_name",
]

_MAGIC = b"SQLite format 3\0"

_EXACT = 2**53
"""Larger numbers in text remain text, since neighbouring integers are equal as floats."""

_NUMBER = re.compile(r"[+-]?(0|[1-9]\d*)?(\.\d+)?([eE][+-]?\d+)?", re.ASCII)


def is_sqlite(head: bytes) -> bool:
    """Return whether the first bytes of a file are those of an SQLite database."""
    return head.startswith(_MAGIC)


def sql_name(name: str) -> str:
    """Return a name quoted for SQL.

    Examples
    --------
    >>> print(sql_name("Order Details"), sql_name('a"b'))
    "Order Details" "a""b"
    """
    return '"' + name.replace('"', '""') + '"'


def read_sqlite(
    path: str | os.PathLike[str],
    where: RowFilter | None = None,
    exclude: Container[str] = (),
    missing_words: Sequence[str] = MISSING_WORDS,
) -> Database:
    """Return the tables and declared keys of an SQLite file, possibly gzipped.

    Parameters
    ----------
    path : path
    where : RowFilter, optional
        Condition that selects the individuals.
    exclude : container of str
        Tables to skip.
    missing_words : sequence of str
        Words that denote a missing value in otherwise numeric text.
    """
    source = str(require_file(path))
    with _opened(source) as connection, _explained(source):
        return from_sqlite(connection, source, where, exclude, missing_words)


def from_sqlite(
    connection: sqlite3.Connection,
    source: str = "the database",
    where: RowFilter | None = None,
    exclude: Container[str] = (),
    missing_words: Sequence[str] = MISSING_WORDS,
) -> Database:
    """Return the tables and declared keys of an open SQLite database.

    Parameters
    ----------
    connection : sqlite3.Connection
    source : str
        Name for error messages.
    where, exclude, missing_words
        As in `read_sqlite`.

    Examples
    --------
    >>> connection = sqlite3.connect(":memory:")
    >>> _ = connection.executescript('''
    ...     CREATE TABLE account(id INTEGER PRIMARY KEY, town TEXT);
    ...     CREATE TABLE loan(amount REAL, account INTEGER REFERENCES account);
    ...     INSERT INTO account VALUES (7, 'Bern'); INSERT INTO loan VALUES (20.5, 7);
    ... ''')
    >>> database = from_sqlite(connection)
    >>> list(database.tables), *map(str, database.foreign_keys)
    (['account', 'loan'], 'loan.account=account.')
    """
    listed = _listed(connection)
    names = [name for name, kind in listed.items() if kind is None]
    keys = tuple(chain.from_iterable(_foreign_keys(connection, name) for name in names))
    read = partial(_table, connection, source, frozenset(missing_words), _linking_columns(keys))
    tables, columns = read_each(names, exclude, where, read)
    unread = {name: kind for name, kind in listed.items() if kind is not None} | columns
    return Database(source, tables, keys, unread, "sqlite", where and where.sql)


# ---- opening ---------------------------------------------------------------------------------------------


@contextmanager
def _opened(source: str) -> Iterator[sqlite3.Connection]:
    """Open a file read-only inside a block, without creating files beside it."""
    with tempfile.TemporaryDirectory() as folder:
        path = _unpacked(Path(source), Path(folder)) if source.lower().endswith(".gz") else Path(source)
        with path.open("rb") as file:
            head = file.read(100)
        _check_head(head, path.stat().st_size, source)
        _require_no_journal(path)
        is_wal = head[18:20] == b"\2\2"
        with closing(sqlite3.connect(_address(path, is_wal, Path(folder)), uri=True, timeout=1)) as connection:
            yield connection


def _unpacked(path: Path, folder: Path) -> Path:
    """Decompress an SQLite file into a folder and return the new path."""
    plain = folder / "unpacked.sqlite"
    try:
        with gzip.open(path) as packed:
            head = packed.read(100)
        if head:
            require_database(head, "an SQLite database", is_sqlite, str(path))
        unpack(path, plain, str(path))
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataError(f"cannot be decompressed: {error}", source=str(path)) from None
    return plain


def _check_head(head: bytes, size: int, source: str) -> None:
    """Raise `DataError` for a file that is empty, of another kind, encrypted or truncated."""
    require_database(head, "an SQLite database", is_sqlite, source)
    page = int.from_bytes(head[16:18], "big")
    page = 65_536 if page == 1 else page
    n_pages = int.from_bytes(head[28:32], "big")
    if len(head) < 100:
        raise DataError(f"the SQLite database is truncated after {size:,} bytes", source=source)
    if head[24:28] == head[92:96] and size < n_pages * page:
        raise DataError(f"the SQLite database is truncated after {size:,} of {n_pages * page:,} bytes", source=source)


def require_database(head: bytes, kind: str, is_kind: Callable[[bytes], bool], source: str) -> None:
    """Raise `DataError` for a file that is empty or whose first bytes are not those of a database."""
    if not head:
        raise DataError(f"the file is empty; expected {kind}", source=source)
    if not is_kind(head):
        raise DataError(f"not {kind}: {_looks_like(head)}", source=source)


def _looks_like(head: bytes) -> str:
    """Describe the first bytes of a file that is not a database."""
    try:
        text = head.decode("utf-8", "strict" if len(head) < 90 else "ignore")
    except UnicodeDecodeError:
        text = ""
    if text and all(sign.isprintable() or sign.isspace() for sign in text):
        return f"it is text that starts with {text.splitlines()[0][:40]!r}"
    return "it has another format or is encrypted"


def _require_no_journal(path: Path) -> None:
    """Raise `DataError` for a database with a rollback journal: a write is in progress or was interrupted."""
    journal = path.with_name(f"{path.name}-journal")
    if journal.exists() and journal.stat().st_size:
        message = f"found the journal {journal.name}: another program is writing or was interrupted"
        raise DataError(
            message, source=str(path), fix="close that program, or open the database with it once to recover"
        )


def _address(path: Path, is_wal: bool, folder: Path) -> str:
    """Return the URI to open; a database whose log is in use is first copied to a folder, with its log."""
    log = path.with_name(f"{path.name}-wal")
    if is_wal and log.exists() and log.stat().st_size:
        for each in (path, log):
            shutil.copyfile(each, folder / each.name)
        return f"file:{quote(str(folder / path.name))}?mode=rw"
    return f"file:{quote(str(path.resolve()))}?mode=ro{'&immutable=1' if is_wal else ''}"


@contextmanager
def _explained(source: str) -> Iterator[None]:
    """Convert errors of SQLite to `DataError`."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if "locked" in str(error):
            raise DataError("the database is locked: another program is writing to it", source=source) from None
        raise DataError(f"SQLite cannot read it: {error}", source=source) from None
    except sqlite3.DatabaseError as error:
        raise DataError(f"the SQLite database is damaged: {error}", source=source) from None


# ---- tables ----------------------------------------------------------------------------------------------


def _listed(connection: sqlite3.Connection) -> dict[str, UnreadKind | None]:
    """Return the names of all tables and views, with the kind of those that are not read.

    Virtual tables come with shadow tables, which are not read either.
    """
    rows = connection.execute(
        "SELECT name, type, sql FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY rowid"
    )
    found: dict[str, UnreadKind | None] = {}
    virtual: list[str] = []
    for name, kind, sql in rows.fetchall():
        if name.lower().startswith("sqlite_"):
            continue
        if kind == "table" and re.match(r"\s*CREATE\s+VIRTUAL", sql or "", re.IGNORECASE):
            virtual.append(name)
        is_virtual = any(name == other or name.startswith(f"{other}_") for other in virtual)
        found[name] = "view" if kind == "view" else "virtual table" if is_virtual else None
    return found


def _linking_columns(keys: Sequence[ForeignKey]) -> frozenset[tuple[str, str]]:
    """Return the referencing and referenced columns in lower case, since SQLite ignores the case of names."""
    here = ((key.table, column) for key in keys for column in key.columns)
    there = ((key.to, column) for key in keys for column in key.key)
    return frozenset((table.lower(), column.lower()) for table, column in (*here, *there))


def filter_rows(database: Database, where: RowFilter | None) -> Database:
    """Apply a condition, if any, to tables from files or frames.

    SQLite evaluates it on copies of all tables that it names, with dates as ISO text.
    """
    own = next((table for name, table in database.tables.items() if where and where.for_table(name)), None)
    if where is None or own is None:
        return database
    with closing(sqlite3.connect(":memory:")) as connection:
        for name, table in database.tables.items():
            if table is own or name.lower() in where.sql.lower():
                _copy(connection, table)
        cells, _ = _cells(connection, own.name, [], where.sql)
    return replace(database.with_tables([replace(own, chosen=_are_true(cells[0]))]), condition=where.sql)


def _are_true(values: Iterable[Any]) -> NDArray[np.bool_]:
    return np.array([bool(value) for value in values], dtype=np.bool_)


def _copy(connection: sqlite3.Connection, table: SourceTable) -> None:
    names = list(table.sheet.columns)
    columns = [table.sheet.typed(name).column for name in names]
    connection.execute(f"CREATE TABLE {sql_name(table.name)} ({', '.join(map(sql_name, names))})")
    values = ([column.value(row) for column in columns] for row in range(table.sheet.n_rows))
    rows = ([text_of(value) if isinstance(value, date) else value for value in row] for row in values)
    places = ", ".join("?" for _ in names)
    connection.executemany(f"INSERT INTO {sql_name(table.name)} VALUES ({places})", rows)


def _table(
    connection: sqlite3.Connection,
    source: str,
    missing_words: frozenset[str],
    linking: frozenset[tuple[str, str]],
    name: str,
    where: str | None,
) -> tuple[SourceTable, dict[str, UnreadKind]]:
    """Return a table, and its binary columns, which are skipped unless they are keys."""
    info = connection.execute(f"PRAGMA table_xinfo({sql_name(name)})").fetchall()
    names = [row[1] for row in info if row[6] in (0, 2, 3)]
    declared = {row[1]: str(row[2]) for row in info}
    key = tuple(row[1] for row in sorted((row for row in info if row[5]), key=lambda row: row[5]))
    cells, n_rows = _cells(connection, name, names, where)
    chosen = None if where is None else _are_true(cells.pop())
    columns: dict[str, Raw] = {}
    stored: dict[str, Stored] = {}
    definition = _definition(connection, name)
    for column, values in zip(names, cells, strict=True):
        is_key = column in key or (name.lower(), column.lower()) in linking
        raw = _raw(bytes_as_hex(values) if is_key else values, declared[column], missing_words)
        if raw is not None:
            columns[column], form = raw
            is_text = form.form in ("text", "mixed")
            stored[column] = replace(form, collated=is_text and "COLLATE" in definition)
    sheet = Sheet(columns, n_rows, f"{source}, table {name}")
    known = tuple(each for each in (key, *_unique(connection, name)) if each and set(each) <= set(columns))
    is_key = bool(key) and set(key) <= set(columns)
    rowid = "" if re.search(r"WITHOUT\s+ROWID", definition) else _rowid(names)
    own = key if is_key else ()
    table = SourceTable(name, sheet, own, known[is_key:], chosen=chosen, stored=stored, rowid=rowid, indexed=known)
    return table, {column: "binary column" for column in names if column not in columns}


def _definition(connection: sqlite3.Connection, name: str) -> str:
    """Return the statement that created a table, in upper case."""
    found = connection.execute("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?", (name,)).fetchone()
    return str(found[0]).upper() if found else ""


def _rowid(columns: Sequence[str]) -> str:
    """Return a name of SQLite's row number that no column has, or an empty string."""
    taken = {name.lower() for name in columns}
    return next((name for name in ("rowid", "_rowid_", "oid") if name not in taken), "")


def bytes_as_hex(values: Iterable[Any]) -> list[Any]:
    """Return the values of a key column, with bytes, such as UUIDs, as hexadecimal text."""
    return [f"x{value.hex()}" if isinstance(value, bytes | bytearray) else value for value in values]


def _cells(
    connection: sqlite3.Connection, name: str, columns: Sequence[str], where: str | None
) -> tuple[list[list[Any]], int]:
    """Return the columns of a table, for each row whether it satisfies the condition, and the number of rows.

    In text that is not UTF-8, invalid bytes are replaced.
    """
    try:
        return _fetched(connection, name, columns, where)
    except sqlite3.OperationalError as error:
        if "decode" not in str(error):
            raise
        connection.text_factory = lambda text: text.decode("utf-8", "replace")
        return _fetched(connection, name, columns, where)


def _fetched(
    connection: sqlite3.Connection, name: str, columns: Sequence[str], where: str | None
) -> tuple[list[list[Any]], int]:
    selected = [*map(sql_name, columns), *([] if where is None else [f"({where}\n)"])]
    with _condition_checked(connection, where, name):
        cursor = connection.execute(f"SELECT {', '.join(selected)} FROM {sql_name(name)}")
        if where is not None and len(cursor.description) != len(selected):
            raise condition_error(where, name, "expected one condition")
        cells = fetch_columns(cursor, len(selected))
    n_rows = len(cells[0]) if cells else 0
    if where is not None and n_rows != connection.execute(f"SELECT count(*) FROM {sql_name(name)}").fetchone()[0]:
        raise condition_error(where, name, "it must apply to single rows")
    return cells, n_rows


@contextmanager
def _condition_checked(connection: sqlite3.Connection, where: str | None, name: str) -> Iterator[None]:
    """Convert errors and excessive work inside this block to errors of the condition, if there is one."""
    if where is None:
        yield
        return
    watch = _Watch()
    connection.set_progress_handler(watch, _STEPS)
    try:
        yield
    except (sqlite3.Error, MemoryError) as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if watch.is_over:
            raise condition_timeout(where, name, f"{_MOST_STEPS:,} steps of SQLite") from None
        if code == sqlite3.SQLITE_INTERRUPT:  # Ctrl-C in the progress handler, whose exception SQLite drops
            raise KeyboardInterrupt from None
        if code in _FILE_ERRORS or "decode" in str(error):
            raise
        raise condition_error(where, name, str(error) or "it needs too much memory") from None
    finally:
        connection.set_progress_handler(None, 0)


_STEPS = 1_000_000
_MOST_STEPS = 5_000_000_000
"""Maximum number of steps of SQLite's virtual machine for a condition: a minute or two."""

_FILE_ERRORS = (
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_NOTADB,
)
"""Errors that a condition cannot cause."""


@dataclass(slots=True)
class _Watch:
    """SQLite progress handler that stops excessive work and allows Ctrl-C to interrupt."""

    n_steps: int = 0

    @property
    def is_over(self) -> bool:
        return self.n_steps > _MOST_STEPS

    def __call__(self) -> bool:
        self.n_steps += _STEPS
        return self.is_over


def _unique(connection: sqlite3.Connection, name: str) -> Iterator[tuple[str, ...]]:
    """Yield the columns of each unique index."""
    for index in connection.execute(f"PRAGMA index_list({sql_name(name)})").fetchall():
        is_partial = len(index) > 4 and index[4]
        if index[2] and not is_partial:
            columns = [row[2] for row in connection.execute(f"PRAGMA index_info({sql_name(index[1])})").fetchall()]
            if None not in columns:
                yield tuple(columns)


def _foreign_keys(connection: sqlite3.Connection, name: str) -> Iterator[ForeignKey]:
    """Yield the foreign keys of a table in the order of their declaration."""
    rows = connection.execute(f"PRAGMA foreign_key_list({sql_name(name)})").fetchall()
    for number in sorted({row[0] for row in rows}, reverse=True):
        parts = sorted((row for row in rows if row[0] == number), key=lambda row: row[1])
        key = () if parts[0][4] is None else tuple(row[4] for row in parts)
        yield ForeignKey(name, tuple(row[3] for row in parts), parts[0][2], key)


# ---- columns ---------------------------------------------------------------------------------------------


def _raw(values: list[Any], declared: str, missing_words: frozenset[str]) -> tuple[Raw, Stored] | None:
    """Return a column with its storage format, both inferred from its values; None if some are binary."""
    types = set(map(type, values)) - {type(None)}
    if bytes in types:
        return None
    if types <= {int, float}:
        return number_column(values, types, declared)
    return _text_column(values, types, missing_words)


def number_column(values: list[Any], types: set[type], declared: str) -> tuple[Raw, Stored]:
    """Return a column of numbers with its storage format.

    Parameters
    ----------
    values : list of int, float and None
    types : set of type
        Types of the values that are not missing.
    declared : str
        Declared type of the column, which decides if all values are missing.
    """
    import pandas as pd

    if not types:
        return _empty_column(len(values), declared), Stored()
    if types != {int}:
        return pd.Series(np.array(values, dtype=np.float64)), Stored("number")
    numbers = pd.Series(values, dtype="Int64")
    is_boolean = declared.upper().startswith("BOOL") and numbers.dropna().isin([0, 1]).all()
    return numbers.astype("boolean") if is_boolean else numbers, Stored("integer")


def _empty_column(n: int, declared: str) -> Raw:
    """Return a column of missing values of the declared type."""
    import pandas as pd

    kind = declared.upper()
    if kind.startswith("BOOL"):
        dtype = "boolean"
    elif "INT" in kind:
        dtype = "Int64"
    elif any(word in kind for word in ("REAL", "FLOA", "DOUB", "NUM", "DEC")):
        dtype = "float64"
    elif kind.startswith(("DATE", "TIMESTAMP")):
        dtype = "datetime64[us]"
    else:
        return Coded(np.full(n, -1, dtype=np.int64), [])
    return pd.Series([None] * n, dtype=dtype)


def _text_column(values: list[Any], types: set[type], missing_words: frozenset[str]) -> tuple[Raw, Stored]:
    """Return a column of text, or of numbers if all text is numeric, with its storage format."""
    import pandas as pd

    codes, found = pd.factorize(np.array(values, dtype=object))
    texts = ["" if isinstance(value, str) and not value.strip() else value for value in found]
    known = [text for text in texts if not (isinstance(text, str) and (not text or text in missing_words))]
    if known and all(not isinstance(text, str) or _is_number(text) for text in known):
        is_known = frozenset(known)
        numbers = [float(text) if text in is_known else None for text in texts]
        is_whole = all(
            isinstance(text, int) or (isinstance(text, str) and text.strip("+-").isdigit()) for text in known
        )
        if not is_whole or max(map(abs, filter(None, numbers)), default=0) < _EXACT:  # else they are codes
            gone = tuple(value for value, text in zip(found, texts, strict=True) if text not in known)
            is_plain = is_whole and types == {str} and all(str(int(text)) == text for text in known)
            spread = np.array([*numbers, None], dtype=np.float64)[codes]
            column = pd.Series(spread, dtype="Int64" if is_whole else "float64")
            return column, Stored("digits" if is_plain else "numeric", gone)
    kept = {text: str(text) for text in texts if text != ""}
    places = {text: place for place, text in enumerate(dict.fromkeys(kept.values()))}
    recoded = np.array([*(places[kept[text]] if text != "" else -1 for text in texts), -1], dtype=np.int64)
    return Coded(recoded[codes], list(places)), _stored_text(found, types, list(places))


def _stored_text(found: Iterable[Any], types: set[type], texts: Sequence[str]) -> Stored:
    blank = tuple(value for value in found if isinstance(value, str) and not value.strip())
    is_padded = any(text != text.strip() for text in texts)
    if types - {str}:
        return Stored("mixed", blank, is_padded)
    return Stored("text", blank, is_padded, moments=moments_of(texts))


def _is_number(text: str) -> bool:
    """Return whether text is a plain number rather than a code such as 007.

    Examples
    --------
    >>> [_is_number(text) for text in ("12", "-0.5", "1e3", "007", "", ".", "nan")]
    [True, True, True, False, False, False, False]
    """
    return bool(_NUMBER.fullmatch(text)) and any(map(str.isdigit, text))
