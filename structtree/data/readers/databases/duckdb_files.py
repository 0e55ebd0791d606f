"""DuckDB databases, opened read-only: tables as sheets, and declared keys.

Columns of lists, structs and binary values are skipped.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Container
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from structtree.data.readers.databases.keys import (
    Database,
    ForeignKey,
    RowFilter,
    SourceTable,
    UnreadKind,
    condition_error,
    condition_timeout,
    read_each,
)
from structtree.data.readers.databases.sqlite_files import bytes_as_hex, require_database, sql_name
from structtree.data.readers.databases.storage import Stored
from structtree.data.readers.tables.sheets import Raw, Sheet, array_cells, frame_columns
from structtree.data.readers.text_files import require_file
from structtree.errors import DataError, MissingPackageError

__all__ = ["from_duckdb", "is_duckdb", "read_duckdb"]


def is_duckdb(head: bytes) -> bool:
    """Return whether the first bytes of a file are those of a DuckDB database."""
    return head[8:12] == b"DUCK"


def read_duckdb(
    path: str | os.PathLike[str], where: RowFilter | None = None, exclude: Container[str] = ()
) -> Database:
    """Return the tables and declared keys of a DuckDB file; needs the package ``duckdb``.

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
        raise MissingPackageError(f"{source}: reading DuckDB files needs the package duckdb", "duckdb") from None
    with Path(source).open("rb") as file:
        require_database(file.read(100), "a DuckDB database", is_duckdb, source)
    try:
        with closing(duckdb.connect(source, read_only=True, config=_ISOLATED)) as connection:
            return from_duckdb(connection, source, where, exclude)
    except duckdb.Error as error:
        raise DataError(_explained(str(error), source), source=source) from None


_ISOLATED: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}
"""Settings that prevent DuckDB from accessing other files and from downloading anything."""


def _explained(error: str, source: str) -> str:
    """Return the reason why DuckDB cannot read a file."""
    first = _first_line(error)
    if "set lock on file" in first:
        return "the database is locked: another program is writing to it"
    if "read enough bytes" in first:
        return f"the DuckDB database is truncated after {Path(source).stat().st_size:,} bytes"
    for path in (os.path.realpath(source), source):
        first = first.replace(f'"{path}"', "it")
    return f"DuckDB cannot read it: {first}"


def _first_line(error: str) -> str:
    """Return the first line of a DuckDB error, without its class.

    Examples
    --------
    >>> _first_line("Binder Error: there is no column x\\nLINE 1: SELECT x")
    'there is no column x'
    """
    return re.sub(r"^[A-Z][A-Za-z ]* Error: ", "", error.splitlines()[0])


def from_duckdb(
    connection: Any,
    source: str = "the database",
    where: RowFilter | None = None,
    exclude: Container[str] = (),
) -> Database:
    """Return the tables and declared keys of an open DuckDB database.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
    source : str
        Name for error messages.
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
    keys = [(table, kind, tuple(columns)) for table, kind, columns, *_ in declared]
    keys += [(key.to, "REFERRED TO", key.key) for key in foreign]
    views: dict[str, UnreadKind] = {row[0]: "view" for row in connection.execute(_VIEWS).fetchall()}
    tables, columns = read_each(names, exclude, where, partial(_table, connection, source, keys))
    return Database(source, tables, foreign, views | columns, "duckdb", where and where.sql)


_TABLES = (
    "SELECT table_name FROM duckdb_tables() WHERE NOT internal AND schema_name = current_schema() ORDER BY table_oid"
)
_VIEWS = "SELECT view_name FROM duckdb_views() WHERE NOT internal AND schema_name = current_schema()"
_CONSTRAINTS = (
    "SELECT table_name, constraint_type, constraint_column_names, referenced_table, referenced_column_names "
    "FROM duckdb_constraints() WHERE schema_name = current_schema() ORDER BY constraint_index"
)


def _table(
    connection: Any, source: str, declared_keys: list[tuple[str, str, tuple[str, ...]]], name: str, where: str | None
) -> tuple[SourceTable, dict[str, UnreadKind]]:
    """Return a table, and the kinds of its skipped columns by name."""
    found = _cells(connection, name, where)
    chosen = None if where is None else np.asarray(np.ma.filled(found.pop(_CHOSEN), False), dtype=np.bool_)
    keys = [(kind, columns) for table, kind, columns in declared_keys if table == name]
    linking = {column for kind, columns in keys if kind in _LINKING for column in columns}
    raws = {column: _raw(_key_texts(cells) if column in linking else cells) for column, cells in found.items()}
    columns = {column: raw for column, raw in raws.items() if raw is not None}
    n_rows = len(next(iter(found.values()), ()))
    read_keys = [(kind, key) for kind, key in keys if set(key) <= set(columns)]
    primary = next((key for kind, key in read_keys if kind == "PRIMARY KEY"), ())
    unique = tuple(key for kind, key in read_keys if kind == "UNIQUE")
    sheet = Sheet(columns, n_rows, f"{source}, table {name}")
    declared = connection.execute(f"SELECT * FROM {sql_name(name)} LIMIT 0").description
    stored = {column: Stored(str(kind).lower()) for column, kind, *_ in declared if column in columns}
    table = SourceTable(name, sheet, primary, unique, chosen=chosen, stored=stored)
    return table, {column: "column of unsupported values" for column in found if column not in columns}


def _cells(connection: Any, name: str, where: str | None) -> dict[str, Any]:
    """Return the columns of a table, and for each row whether it satisfies the condition."""
    query = f"SELECT * FROM {sql_name(name)}"
    if where is None:
        return dict(connection.execute(query).fetchnumpy())
    filtered = f"SELECT *, ({where}\n) AS {sql_name(_CHOSEN)} FROM {sql_name(name)}"
    try:
        if len(connection.extract_statements(filtered)) != 1:
            raise condition_error(where, name, "it must be a single condition")
        found = _within_limit(connection, lambda: dict(connection.execute(filtered).fetchnumpy()))
    except DataError:
        raise
    except TimeoutError:
        raise condition_timeout(where, name, f"{_MOST_SECONDS:g} seconds") from None
    except Exception as error:  # duckdb.Error, without importing duckdb
        raise condition_error(where, name, _first_line(str(error))) from None
    expected = [row[0] for row in connection.execute(f"DESCRIBE {query}").fetchall()]
    if list(found) != [*expected, _CHOSEN]:
        raise condition_error(where, name, "expected one condition")
    return found


_MOST_SECONDS = 300.0
"""Time limit of DuckDB for a condition."""


def _within_limit(connection: Any, query: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Run a query in a thread, so that Ctrl-C and the time limit can interrupt DuckDB."""
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(query)
        try:
            return answer.result(_MOST_SECONDS)
        except BaseException:
            while not wait([answer], 0.1).done:  # repeated, since the query may not have started
                connection.interrupt()
            raise


_LINKING = ("PRIMARY KEY", "FOREIGN KEY", "REFERRED TO")


def _key_texts(cells: NDArray[Any]) -> NDArray[Any]:
    """Return the values of a key column, with bytes as hexadecimal text."""
    if not isinstance(cells, np.ndarray) or cells.dtype != object:
        return cells
    return np.array(bytes_as_hex(array_cells(cells)), dtype=object)


_CHOSEN = "structtree: chosen"


def _raw(cells: NDArray[Any]) -> Raw | None:
    """Return an array as a column; None if its values are not numbers, text or dates."""
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
