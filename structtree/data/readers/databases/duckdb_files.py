"""DuckDB databases, read and never touched: their tables as sheets, and the keys that they declare.

The file is opened read-only. Columns of lists, structures and binary values are left out.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Container
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

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
from structtree.data.readers.databases.sqlite_files import as_hexadecimal, require_database, sql_name
from structtree.data.readers.databases.storage import Stored
from structtree.data.readers.tables.sheets import Raw, Sheet, array_cells, frame_columns
from structtree.data.readers.text_files import require_file
from structtree.errors import DataError, MissingPackageError
from structtree.progress import report_status

__all__ = ["from_duckdb", "is_duckdb", "read_duckdb"]

_MAGIC = slice(8, 12), b"DUCK"


def is_duckdb(head: bytes) -> bool:
    """Return whether a file that begins so is a DuckDB database."""
    return head[_MAGIC[0]] == _MAGIC[1]


def read_duckdb(
    path: str | os.PathLike[str], where: RowChoice | None = None, exclude: Container[str] = ()
) -> Database:
    """Return the tables of a DuckDB file, and the keys that it declares, if the package ``duckdb`` is installed.

    Parameters
    ----------
    path : path
    where, exclude
        As in `read_sqlite`.
    """
    source = str(require_file(path))
    try:
        import duckdb
    except ImportError:
        raise MissingPackageError(f"{source}: DuckDB files are read by the package duckdb", "duckdb") from None
    with Path(source).open("rb") as file:
        require_database(file.read(100), "a DuckDB database", is_duckdb, source)
    try:
        with closing(duckdb.connect(source, read_only=True, config=_ALONE)) as connection:
            return from_duckdb(connection, source, where, exclude)
    except duckdb.Error as error:
        raise DataError(_told(str(error), source), source=source) from None


_ALONE: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}
"""No other files are read or written while a database is open, and nothing is fetched."""


def _told(error: str, source: str) -> str:
    """Return in a sentence why DuckDB cannot read a file."""
    first = _plainly(error)
    if "set lock on file" in first:
        return "the database is locked: another program is writing to it"
    if "read enough bytes" in first:
        return f"the DuckDB database is cut off after {Path(source).stat().st_size:,} bytes"
    for path in (os.path.realpath(source), source):
        first = first.replace(f'"{path}"', "it")
    return f"DuckDB cannot read it: {first}"


def _plainly(error: str) -> str:
    """Return the first line of what DuckDB says, without the class of the error.

    Examples
    --------
    >>> _plainly("Binder Error: there is no column x\\nLINE 1: SELECT x")
    'there is no column x'
    """
    return re.sub(r"^[A-Z][A-Za-z ]* Error: ", "", error.splitlines()[0])


def from_duckdb(
    connection: Any,
    source: str = "the database",
    where: RowChoice | None = None,
    exclude: Container[str] = (),
) -> Database:
    """Return the tables of an open DuckDB database, and the keys that it declares.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
    source : str
        What to call it in errors.
    where, exclude
        As in `read_duckdb`.
    """
    names = [row[0] for row in connection.execute(_TABLES).fetchall()]
    declared = connection.execute(_CONSTRAINTS).fetchall()
    foreign = tuple(
        ForeignKey(table, tuple(columns), to, tuple(key))
        for table, kind, columns, to, key in declared
        if kind == "FOREIGN KEY" and table in names
    )
    referred = [(key.to, key.key) for key in foreign]
    unread: dict[str, UnreadKind] = {row[0]: "view" for row in connection.execute(_VIEWS).fetchall()}
    tables = {}
    for name in names:
        if name in exclude:
            tables[name] = unread_table(name)
            continue
        keys = [(kind, tuple(columns)) for table, kind, columns, *_ in declared if table == name]
        keys += [("REFERRED TO", key) for to, key in referred if to == name]
        table, others = _table(connection, name, source, keys, where and where.of(name))
        tables[name] = table
        unread |= {f"{name}.{column}": "column of other values" for column in others}
    return Database(source, tables, foreign, unread, "duckdb", None if where is None else where.sql)


_TABLES = (
    "SELECT table_name FROM duckdb_tables() WHERE NOT internal AND schema_name = current_schema() ORDER BY table_oid"
)
_VIEWS = "SELECT view_name FROM duckdb_views() WHERE NOT internal AND schema_name = current_schema()"
_CONSTRAINTS = (
    "SELECT table_name, constraint_type, constraint_column_names, referenced_table, referenced_column_names "
    "FROM duckdb_constraints() WHERE schema_name = current_schema() ORDER BY constraint_index"
)


def _table(
    connection: Any, name: str, source: str, keys: list[tuple[str, tuple[str, ...]]], where: str | None
) -> tuple[SourceTable, list[str]]:
    """Return a table, and the names of the columns that are left out."""
    report_status("reading", 0, None, f"table {name}")
    found = _cells(connection, name, where)
    chosen = None if where is None else np.asarray(np.ma.filled(found.pop(_CHOSEN), False), dtype=np.bool_)
    linking = {column for kind, columns in keys if kind in _LINKING for column in columns}
    raws = {column: _raw(_key_texts(cells) if column in linking else cells) for column, cells in found.items()}
    columns = {column: raw for column, raw in raws.items() if raw is not None}
    n_rows = len(next(iter(found.values()), ()))
    primary = next((each for kind, each in keys if kind == "PRIMARY KEY" and set(each) <= set(columns)), ())
    unique = tuple(each for kind, each in keys if kind == "UNIQUE" and set(each) <= set(columns))
    sheet = Sheet(columns, n_rows, f"{source}, table {name}")
    declared = connection.execute(f"SELECT * FROM {sql_name(name)} LIMIT 0").description
    stored = {column: Stored(str(kind).lower()) for column, kind, *_ in declared if column in columns}
    table = SourceTable(name, sheet, primary, unique, chosen=chosen, stored=stored)
    return table, [column for column in found if column not in columns]


def _cells(connection: Any, name: str, where: str | None) -> dict[str, Any]:
    """Return the values of all columns, with one more for whether a condition holds."""
    query = f"SELECT * FROM {sql_name(name)}"
    if where is None:
        return dict(connection.execute(query).fetchnumpy())
    asked = f"SELECT *, ({where}\n) AS {sql_name(_CHOSEN)} FROM {sql_name(name)}"
    try:
        if len(connection.extract_statements(asked)) != 1:
            raise condition_error(where, name, "it must be a condition, and nothing else")
        found = _within_limit(connection, lambda: dict(connection.execute(asked).fetchnumpy()))
    except DataError:
        raise
    except TimeoutError:
        raise endless_condition(where, name, f"{_MOST_SECONDS:g} seconds") from None
    except Exception as error:  # that of duckdb, which need not be imported here
        raise condition_error(where, name, _plainly(str(error))) from None
    expected = [row[0] for row in connection.execute(f"DESCRIBE {query}").fetchall()]
    if list(found) != [*expected, _CHOSEN]:
        raise condition_error(where, name, "expected one condition")
    return found


_MOST_SECONDS = 300.0
"""So long may DuckDB take for a condition."""


def _within_limit(connection: Any, ask: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return what is asked; Ctrl-C, and the end of the time, interrupt DuckDB, which works in a thread of its own."""
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(ask)
        try:
            return answer.result(_MOST_SECONDS)
        except BaseException:
            while not wait([answer], 0.1).done:  # again, since it may not have begun
                connection.interrupt()
            raise


_LINKING = ("PRIMARY KEY", "FOREIGN KEY", "REFERRED TO")


def _key_texts(cells: NDArray[Any]) -> NDArray[Any]:
    """Return the values of a key; those of bytes as text that tells them apart."""
    if not isinstance(cells, np.ndarray) or cells.dtype != object:
        return cells
    return np.array(as_hexadecimal(array_cells(cells)), dtype=object)


_CHOSEN = "structtree: chosen"


def _raw(cells: NDArray[Any]) -> Raw | None:
    """Return a column of an array; None if its values are no plain ones."""
    import pandas as pd

    if not isinstance(cells, np.ndarray):  # categories
        return pd.Series(cells)
    if cells.dtype == object:
        plain = [str(value) if isinstance(value, UUID) else value for value in array_cells(cells)]
        first = next((value for value in plain if value is not None and value == value), None)
        if first is not None and not isinstance(first, str | int | float | date):
            return None
        return frame_columns(pd.DataFrame({"": plain}))[0]
    return pd.Series(array_cells(cells))
