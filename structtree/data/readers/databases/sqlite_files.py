"""SQLite databases, read and never touched: their tables as sheets, and the keys that they declare.

The file is opened read-only. A database in WAL mode that nobody has open is opened as immutable, since SQLite would
leave files beside it otherwise; one that somebody has open is copied together with its log, and the copy is read. A
packed file is unpacked to a temporary one.

SQLite does not insist on types, so the values decide: a column of numbers is one of numbers, whatever it is declared
as. Text that is numbers throughout (but for words for missing values) is numbers too, unless it has leading zeros,
as codes have. Empty text is missing. Columns with binary values are left out.
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
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import numpy as np

from structtree.data.dates import text_of
from structtree.data.readers.databases.keys import (
    Database,
    ForeignKey,
    RowChoice,
    SourceTable,
    UnreadKind,
    condition_error,
    endless_condition,
    unread_table,
)
from structtree.data.readers.databases.storage import Stored, moments_of
from structtree.data.readers.tables.sheets import Coded, Raw, Sheet
from structtree.data.readers.text_files import MISSING_WORDS, require_file, unpack
from structtree.errors import DataError
from structtree.progress import report_status

__all__ = [
    "as_hexadecimal",
    "from_sqlite",
    "is_sqlite",
    "number_column",
    "read_sqlite",
    "require_database",
    "sql_name",
    "with_choice",
]

_MAGIC = b"SQLite format 3\0"
_BLOCK = 50_000
"""So many rows are fetched at a time."""

_EXACT = 2**53
"""Text of digits that are a larger number is no number: as one, it could not be told from its neighbours."""

_NUMBER = re.compile(r"[+-]?(0|[1-9]\d*)?(\.\d+)?([eE][+-]?\d+)?", re.ASCII)


def is_sqlite(head: bytes) -> bool:
    """Return whether a file that begins so is an SQLite database."""
    return head.startswith(_MAGIC)


def sql_name(name: str) -> str:
    """Return a name as SQL takes it, whatever signs it has.

    Examples
    --------
    >>> print(sql_name("Order Details"), sql_name('a"b'))
    "Order Details" "a""b"
    """
    return '"' + name.replace('"', '""') + '"'


def read_sqlite(
    path: str | os.PathLike[str],
    where: RowChoice | None = None,
    exclude: Container[str] = (),
    missing_words: Sequence[str] = MISSING_WORDS,
) -> Database:
    """Return the tables of an SQLite file (``.gz`` is unpacked), and the keys that it declares.

    Parameters
    ----------
    path : path
    where : RowChoice, optional
        A condition for the rows of a table that are individuals.
    exclude : container of str
        The tables that are not read.
    missing_words : sequence of str
        The words for a missing value among text that is numbers otherwise.
    """
    source = str(require_file(path))
    with _opened(source) as connection, _explained(source):
        return from_sqlite(connection, source, where, exclude, missing_words)


def from_sqlite(
    connection: sqlite3.Connection,
    source: str = "the database",
    where: RowChoice | None = None,
    exclude: Container[str] = (),
    missing_words: Sequence[str] = MISSING_WORDS,
) -> Database:
    """Return the tables of an open SQLite database, and the keys that it declares.

    Parameters
    ----------
    connection : sqlite3.Connection
    source : str
        What to call it in errors.
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
    unread: dict[str, UnreadKind] = {**listed.others}
    keys = tuple(chain.from_iterable(_foreign_keys(connection, name) for name in listed.tables))
    linking = _linking_columns(keys)
    tables = {}
    for name in listed.tables:
        if name in exclude:
            tables[name] = unread_table(name)
            continue
        table, binary = _table(connection, name, source, where and where.of(name), missing_words, linking)
        tables[name] = table
        unread |= {f"{name}.{column}": "binary column" for column in binary}
    return Database(source, tables, keys, unread, "sqlite", None if where is None else where.sql)


# ---- opening ---------------------------------------------------------------------------------------------


@contextmanager
def _opened(source: str) -> Iterator[sqlite3.Connection]:
    """Open a file for reading only; nothing is left beside it, and it is not kept open."""
    with tempfile.TemporaryDirectory() as folder:
        path = _unpacked(Path(source), Path(folder)) if source.lower().endswith(".gz") else Path(source)
        with path.open("rb") as file:
            head = file.read(100)
        _check_head(head, path.stat().st_size, source)
        _require_quiet(path)
        with closing(sqlite3.connect(_address(path, Path(folder)), uri=True, timeout=1)) as connection:
            yield connection


def _unpacked(path: Path, folder: Path) -> Path:
    """Return a file in a folder with what is packed in another, if that begins like an SQLite database."""
    plain = folder / "unpacked.sqlite"
    try:
        with gzip.open(path) as packed:
            head = packed.read(100)
        if head:
            require_database(head, "an SQLite database", is_sqlite, str(path))
        unpack(path, plain, str(path))
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataError(f"cannot be unpacked: {error}", source=str(path)) from None
    return plain


def _check_head(head: bytes, size: int, source: str) -> None:
    """Refuse a file that is empty, of another kind, encrypted or cut off."""
    require_database(head, "an SQLite database", is_sqlite, source)
    page = int.from_bytes(head[16:18], "big")
    page = 65_536 if page == 1 else page
    n_pages = int.from_bytes(head[28:32], "big")
    if len(head) < 100:
        raise DataError(f"the SQLite database is cut off after {size:,} bytes", source=source)
    if head[24:28] == head[92:96] and size < n_pages * page:
        raise DataError(f"the SQLite database is cut off after {size:,} bytes of {n_pages * page:,}", source=source)


def require_database(head: bytes, kind: str, is_kind: Callable[[bytes], bool], source: str) -> None:
    """Refuse a file that is empty, or does not begin like a database of some kind."""
    if not head:
        raise DataError(f"the file is empty; expected {kind}", source=source)
    if not is_kind(head):
        raise DataError(f"not {kind}: {_looks_like(head)}", source=source)


def _looks_like(head: bytes) -> str:
    """Return what a file may be that begins so and is no database."""
    try:
        text = head.decode("utf-8", "strict" if len(head) < 90 else "ignore")
    except UnicodeDecodeError:
        text = ""
    if text and all(sign.isprintable() or sign.isspace() for sign in text):
        return f"it is text, which begins {text.splitlines()[0][:40]!r}"
    return "it is of another kind, or encrypted"


def _require_quiet(path: Path) -> None:
    """Refuse a database with a rollback journal: it is being written, or what was writing it has died."""
    journal = path.with_name(f"{path.name}-journal")
    if journal.exists() and journal.stat().st_size:
        message = f"{journal.name} stands beside it: another program is writing, or was interrupted"
        raise DataError(message, source=str(path), fix="close that program, or open the database with it once")


def _address(path: Path, folder: Path) -> str:
    """Return how SQLite is to open a file; a log in use is copied together with its database, to a folder of ours."""
    with path.open("rb") as file:
        is_wal = file.read(20)[18:20] == b"\2\2"
    log = path.with_name(f"{path.name}-wal")
    if is_wal and log.exists() and log.stat().st_size:
        for each in (path, log):
            shutil.copyfile(each, folder / each.name)
        return f"file:{quote(str(folder / path.name))}?mode=rw"
    return f"file:{quote(str(path.resolve()))}?mode=ro{'&immutable=1' if is_wal else ''}"


@contextmanager
def _explained(source: str) -> Iterator[None]:
    """Turn what SQLite says into a sentence."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if "locked" in str(error):
            raise DataError("the database is locked: another program is writing to it", source=source) from None
        raise DataError(f"SQLite cannot read it: {error}", source=source) from None
    except sqlite3.DatabaseError as error:
        raise DataError(f"the SQLite database is damaged: {error}", source=source) from None


# ---- tables ----------------------------------------------------------------------------------------------


class _Listed(NamedTuple):
    """What a database has, by name: tables, and what is listed among them and is not read."""

    tables: list[str]
    others: dict[str, UnreadKind]


def _listed(connection: sqlite3.Connection) -> _Listed:
    """Return the tables, the views, and the tables that are not stored as such (virtual ones and their shadows)."""
    rows = connection.execute(
        "SELECT name, type, sql FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY rowid"
    )
    found, virtual = _Listed([], {}), []
    for name, kind, sql in rows.fetchall():
        if name.lower().startswith("sqlite_"):
            continue
        if kind == "view":
            found.others[name] = "view"
        elif re.match(r"\s*CREATE\s+VIRTUAL", sql or "", re.IGNORECASE):
            virtual.append(name)
            found.others[name] = "virtual table"
        elif any(name.startswith(f"{other}_") for other in virtual):
            found.others[name] = "virtual table"
        else:
            found.tables.append(name)
    return found


def _linking_columns(keys: Sequence[ForeignKey]) -> frozenset[tuple[str, str]]:
    """Return the columns of foreign keys, and those that they refer to, in lower case, as SQLite compares."""
    here = ((key.table, column) for key in keys for column in key.columns)
    there = ((key.to, column) for key in keys for column in key.key)
    return frozenset((table.lower(), column.lower()) for table, column in (*here, *there))


def with_choice(database: Database, where: RowChoice) -> Database:
    """Return tables that come from no database, with the rows of one of them that a condition chooses.

    SQLite evaluates it, on copies of that table and of those whose names are in the condition. Dates are ISO text.
    """
    own = next((table for name, table in database.tables.items() if where.of(name) is not None), None)
    if own is None:
        return database
    with closing(sqlite3.connect(":memory:")) as connection:
        for name, table in database.tables.items():
            if table is own or name.lower() in where.sql.lower():
                _copy(connection, table)
        cells, _ = _cells(connection, own.name, [], where.sql)
    chosen = replace(own, chosen=np.array([bool(value) for value in cells[0]], dtype=np.bool_))
    return replace(database.with_tables([chosen]), condition=where.sql)


def _copy(connection: sqlite3.Connection, table: SourceTable) -> None:
    names = list(table.sheet.columns)
    columns = [table.sheet.typed(name).column for name in names]
    connection.execute(f"CREATE TABLE {sql_name(table.name)} ({', '.join(map(sql_name, names))})")
    rows = (tuple(_cell(column.value(row)) for column in columns) for row in range(table.sheet.n_rows))
    places = ", ".join("?" for _ in names)
    connection.executemany(f"INSERT INTO {sql_name(table.name)} VALUES ({places})", rows)


def _cell(value: Any) -> Any:
    return text_of(value) if isinstance(value, date) else value


def _table(
    connection: sqlite3.Connection,
    name: str,
    source: str,
    where: str | None,
    missing_words: Sequence[str],
    linking: frozenset[tuple[str, str]],
) -> tuple[SourceTable, list[str]]:
    """Return a table, and the names of its binary columns, which are left out unless they are keys."""
    report_status("reading", 0, None, f"table {name}")
    info = connection.execute(f"PRAGMA table_xinfo({sql_name(name)})").fetchall()
    names = [row[1] for row in info if row[6] in (0, 2, 3)]
    declared = {row[1]: str(row[2]) for row in info}
    key = tuple(row[1] for row in sorted((row for row in info if row[5]), key=lambda row: row[5]))
    cells, n_rows = _cells(connection, name, names, where)
    chosen = None if where is None else np.array([bool(value) for value in cells.pop()], dtype=np.bool_)
    columns: dict[str, Raw] = {}
    stored: dict[str, Stored] = {}
    binary = []
    definition = _definition(connection, name)
    for column, values in zip(names, cells, strict=True):
        is_key = column in key or (name.lower(), column.lower()) in linking
        raw = _raw(as_hexadecimal(values) if is_key else values, declared[column], frozenset(missing_words))
        if raw is None:
            binary.append(column)
        else:
            columns[column], form = raw
            stored[column] = replace(form, collated=form.form in _WORDS and "COLLATE" in definition)
    sheet = Sheet(columns, n_rows, f"{source}, table {name}")
    known = tuple(each for each in (key, *_unique(connection, name)) if each and set(each) <= set(columns))
    is_key = bool(key) and set(key) <= set(columns)
    rowid = "" if re.search(r"WITHOUT\s+ROWID", definition) else _rowid(names)
    own = key if is_key else ()
    table = SourceTable(name, sheet, own, known[is_key:], chosen=chosen, stored=stored, rowid=rowid, indexed=known)
    return table, binary


_WORDS = ("text", "mixed")
"""The forms of columns that are text for us, too."""


def _definition(connection: sqlite3.Connection, name: str) -> str:
    """Return the statement that made a table, in capitals."""
    found = connection.execute("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?", (name,)).fetchone()
    return str(found[0]).upper() if found else ""


def _rowid(columns: Sequence[str]) -> str:
    """Return the name for the numbers of rows that no column has taken."""
    taken = {name.lower() for name in columns}
    return next((name for name in ("rowid", "_rowid_", "oid") if name not in taken), "")


def as_hexadecimal(values: Iterable[Any]) -> list[Any]:
    """Return the values of a key; those of bytes, as UUIDs often are, as text that tells them apart."""
    return [f"x{value.hex()}" if isinstance(value, bytes | bytearray) else value for value in values]


def _cells(
    connection: sqlite3.Connection, name: str, columns: Sequence[str], where: str | None
) -> tuple[list[list[Any]], int]:
    """Return the values of all columns, with one more for whether a condition holds.

    Text that is no UTF-8 is read as well as can be.
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
    cells: list[list[Any]] = [[] for _ in selected]
    with _judged(connection, where, name):
        cursor = connection.execute(f"SELECT {', '.join(selected)} FROM {sql_name(name)}")
        if where is not None and len(cursor.description) != len(selected):
            raise condition_error(where, name, "expected one condition")
        while rows := cursor.fetchmany(_BLOCK):
            for column, values in zip(cells, zip(*rows, strict=True), strict=True):
                column.extend(values)
    n_rows = len(cells[0]) if cells else 0
    if where is not None and n_rows != connection.execute(f"SELECT count(*) FROM {sql_name(name)}").fetchone()[0]:
        raise condition_error(where, name, "it must be about single rows")
    return cells, n_rows


@contextmanager
def _judged(connection: sqlite3.Connection, where: str | None, name: str) -> Iterator[None]:
    """Blame a condition, if there is one, for what SQLite does not understand, and for work without end."""
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
            raise endless_condition(where, name, f"{_MOST_STEPS:,} steps of SQLite") from None
        if code == sqlite3.SQLITE_INTERRUPT:  # Ctrl-C came in the watch, and SQLite keeps no error from there
            raise KeyboardInterrupt from None
        if code in _OF_THE_FILE or "decode" in str(error):
            raise
        raise condition_error(where, name, str(error) or "it needs too much memory") from None
    finally:
        connection.set_progress_handler(None, 0)


_STEPS = 1_000_000
_MOST_STEPS = 5_000_000_000
"""Steps of its virtual machine that SQLite may take for a condition: a minute or two."""

_OF_THE_FILE = (
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_NOTADB,
)
"""The errors that no condition is to blame for."""


@dataclass(slots=True)
class _Watch:
    """What SQLite calls from time to time, so that work without end is ended, and Ctrl-C is heard."""

    n_steps: int = 0

    @property
    def is_over(self) -> bool:
        return self.n_steps > _MOST_STEPS

    def __call__(self) -> bool:
        self.n_steps += _STEPS
        return self.is_over


def _unique(connection: sqlite3.Connection, name: str) -> Iterator[tuple[str, ...]]:
    """Yield the columns of each index that allows nothing twice."""
    for index in connection.execute(f"PRAGMA index_list({sql_name(name)})").fetchall():
        is_partial = len(index) > 4 and index[4]
        if index[2] and not is_partial:
            columns = [row[2] for row in connection.execute(f"PRAGMA index_info({sql_name(index[1])})").fetchall()]
            if None not in columns:
                yield tuple(columns)


def _foreign_keys(connection: sqlite3.Connection, name: str) -> Iterator[ForeignKey]:
    """Yield the foreign keys of a table as they are declared, in that order."""
    rows = connection.execute(f"PRAGMA foreign_key_list({sql_name(name)})").fetchall()
    for number in sorted({row[0] for row in rows}, reverse=True):
        parts = sorted((row for row in rows if row[0] == number), key=lambda row: row[1])
        key = () if parts[0][4] is None else tuple(row[4] for row in parts)
        yield ForeignKey(name, tuple(row[3] for row in parts), parts[0][2], key)


# ---- columns ---------------------------------------------------------------------------------------------


def _raw(values: list[Any], declared: str, missing_words: frozenset[str]) -> tuple[Raw, Stored] | None:
    """Return a column for what its values are, and how they are stored; None if some are binary."""
    types = set(map(type, values)) - {type(None)}
    if bytes in types:
        return None
    if types <= {int, float}:
        return number_column(values, types, declared)
    return _of_texts(values, types, missing_words)


def number_column(values: list[Any], types: set[type], declared: str) -> tuple[Raw, Stored]:
    """Return a column of numbers, and how they are stored.

    Parameters
    ----------
    values : list of int, float and None
    types : set of type
        The types of those that are not missing.
    declared : str
        The type of the column, which tells what it is if none has a value.
    """
    import pandas as pd

    if not types:
        return _without_values(len(values), declared), Stored()
    if types == {int}:
        gone = np.array([value is None for value in values], dtype=np.bool_) if None in values else None
        numbers = np.array(
            [0 if value is None else value for value in values] if gone is not None else values, np.int64
        )
        mask = np.zeros(len(values), dtype=np.bool_) if gone is None else gone
        if declared.upper().startswith("BOOL") and not (numbers & ~1).any():
            return pd.Series(pd.arrays.BooleanArray(numbers.astype(np.bool_), mask)), Stored("integer")
        return pd.Series(pd.arrays.IntegerArray(numbers, mask)), Stored("integer")
    return pd.Series(np.array(values, dtype=np.float64)), Stored("number")


def _without_values(n: int, declared: str) -> Raw:
    """Return a column in which no row has a value, of the kind that it is declared to have."""
    import pandas as pd

    kind = declared.upper()
    gone = np.ones(n, dtype=np.bool_)
    if kind.startswith("BOOL"):
        return pd.Series(pd.arrays.BooleanArray(np.zeros(n, dtype=np.bool_), gone))
    if "INT" in kind:
        return pd.Series(pd.arrays.IntegerArray(np.zeros(n, dtype=np.int64), gone))
    if any(word in kind for word in ("REAL", "FLOA", "DOUB", "NUM", "DEC")):
        return pd.Series(np.full(n, np.nan))
    if kind.startswith(("DATE", "TIMESTAMP")):
        return pd.Series(np.full(n, np.datetime64("NaT", "us")))
    return Coded(np.full(n, -1, dtype=np.int64), [])


def _of_texts(values: list[Any], types: set[type], missing_words: frozenset[str]) -> tuple[Raw, Stored]:
    """Return a column of text, or of numbers if that is what the text is, and how it is stored."""
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
            is_plain = types == {str} and all(str(int(text)) == text for text in known) if is_whole else False
            return _spread_numbers(codes, numbers, is_whole), Stored("digits" if is_plain else "numeric", gone)
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
    """Return whether a text is a number as people write one, and no code such as 007.

    Examples
    --------
    >>> [_is_number(text) for text in ("12", "-0.5", "1e3", "007", "", ".", "nan")]
    [True, True, True, False, False, False, False]
    """
    return bool(_NUMBER.fullmatch(text)) and any(map(str.isdigit, text))


def _spread_numbers(codes: Any, numbers: Sequence[float | None], is_whole: bool) -> Raw:
    import pandas as pd

    each = np.array([np.nan if number is None else number for number in [*numbers, None]], dtype=np.float64)
    column = each[codes]
    if is_whole:
        gone = np.isnan(column)
        return pd.Series(pd.arrays.IntegerArray(np.where(gone, 0, column).astype(np.int64), gone))
    return pd.Series(column)
