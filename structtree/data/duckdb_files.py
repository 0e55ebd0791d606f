"""DuckDB databases, read and never touched: their tables as sheets, and the keys that they declare.

The file is opened read-only. Columns of lists, structures and binary values are left out.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structtree.data.frames import Raw, Sheet, array_cells, frame_columns
from structtree.data.keys import Database, ForeignKey, RowChoice, SourceTable
from structtree.data.sqlite_files import sql_name
from structtree.data.stored import Stored
from structtree.data.textfiles import require_file
from structtree.errors import DataError, MissingPackageError, UsageError, option_text
from structtree.telling import tell

__all__ = ["from_duckdb", "is_duckdb", "read_duckdb"]

_MAGIC = slice(8, 12), b"DUCK"


def is_duckdb(head: bytes) -> bool:
    """Return whether a file that begins so is a DuckDB database."""
    return head[_MAGIC[0]] == _MAGIC[1]


def read_duckdb(path: str | os.PathLike[str], where: RowChoice | None = None) -> Database:
    """Return the tables of a DuckDB file, and the keys that it declares, if the package ``duckdb`` is installed.

    Parameters
    ----------
    path : path
    where : RowChoice, optional
        A condition for the rows of a table that are individuals.
    """
    source = str(require_file(path))
    try:
        import duckdb
    except ImportError:
        raise MissingPackageError(f"{source}: DuckDB files are read by the package duckdb", "duckdb") from None
    if not Path(source).stat().st_size:
        raise DataError("the file is empty; expected a DuckDB database", source=source)
    try:
        with closing(duckdb.connect(source, read_only=True)) as connection:
            return from_duckdb(connection, source, where)
    except duckdb.Error as error:
        first = str(error).splitlines()[0].replace(f'"{os.path.realpath(source)}"', "it").replace(f'"{source}"', "it")
        raise DataError(f"DuckDB cannot read it: {first}", source=source) from None


def from_duckdb(connection: Any, source: str = "the database", where: RowChoice | None = None) -> Database:
    """Return the tables of an open DuckDB database, and the keys that it declares.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
    source : str
        What to call it in errors.
    where
        As in `read_duckdb`.
    """
    names = [row[0] for row in connection.execute(_TABLES).fetchall()]
    declared = connection.execute(_CONSTRAINTS).fetchall()
    tables, left_out = {}, []
    for name in names:
        keys = [(kind, tuple(columns)) for table, kind, columns, *_ in declared if table == name]
        table, odd = _table(connection, name, source, keys, where and where.of(name))
        tables[name] = table
        left_out += [f"{name}.{column}" for column in odd]
    foreign = tuple(
        ForeignKey(table, tuple(columns), to, tuple(key))
        for table, kind, columns, to, key in declared
        if kind == "FOREIGN KEY" and table in tables
    )
    views = [row[0] for row in connection.execute(_VIEWS).fetchall()]
    condition = None if where is None else where.sql
    return Database(source, tables, foreign, tuple(_remarks(views, left_out)), "duckdb", condition)


_TABLES = (
    "SELECT table_name FROM duckdb_tables() WHERE NOT internal AND schema_name = current_schema() ORDER BY table_oid"
)
_VIEWS = "SELECT view_name FROM duckdb_views() WHERE NOT internal AND schema_name = current_schema()"
_CONSTRAINTS = (
    "SELECT table_name, constraint_type, constraint_column_names, referenced_table, referenced_column_names "
    "FROM duckdb_constraints() WHERE schema_name = current_schema() ORDER BY constraint_index"
)


def _remarks(views: list[str], left_out: list[str]) -> Iterator[str]:
    if views:
        yield f"views are not read: {', '.join(views)}"
    if left_out:
        yield f"left out, since they are neither numbers, text nor dates: {', '.join(left_out)}"


def _table(
    connection: Any, name: str, source: str, keys: list[tuple[str, tuple[str, ...]]], where: str | None
) -> tuple[SourceTable, list[str]]:
    """Return a table, and the names of the columns that are left out."""
    tell("reading", 0, None, f"table {name}")
    condition = "" if where is None else f", ({where}\n) AS {sql_name(_CHOSEN)}"
    try:
        found = connection.execute(f"SELECT *{condition} FROM {sql_name(name)}").fetchnumpy()
    except Exception as error:
        if where is None:
            raise
        first = str(error).splitlines()[0]
        raise UsageError(f"{option_text('--where', where)} is not understood for {name}: {first}") from None
    chosen = None if where is None else np.asarray(np.ma.filled(found.pop(_CHOSEN), False), dtype=np.bool_)
    columns = {column: raw for column, cells in found.items() if (raw := _raw(cells)) is not None}
    n_rows = len(next(iter(found.values()), ()))
    primary = next((each for kind, each in keys if kind == "PRIMARY KEY" and set(each) <= set(columns)), ())
    unique = tuple(each for kind, each in keys if kind == "UNIQUE" and set(each) <= set(columns))
    sheet = Sheet(columns, n_rows, f"{source}, table {name}")
    declared = connection.execute(f"SELECT * FROM {sql_name(name)} LIMIT 0").description
    stored = {column: Stored(str(kind).lower()) for column, kind, *_ in declared if column in columns}
    table = SourceTable(name, sheet, primary, unique, chosen=chosen, stored=stored)
    return table, [column for column in found if column not in columns]


_CHOSEN = "structtree: chosen"


def _raw(cells: NDArray[Any]) -> Raw | None:
    """Return a column of an array; None if its values are no plain ones."""
    import pandas as pd

    if not isinstance(cells, np.ndarray):  # categories
        return pd.Series(cells)
    if cells.dtype == object:
        plain = array_cells(cells)
        first = next((value for value in plain if value is not None and value == value), None)
        if first is not None and not isinstance(first, str | int | float | date):
            return None
        return frame_columns(pd.DataFrame({"": plain}))[0]
    return pd.Series(array_cells(cells))
