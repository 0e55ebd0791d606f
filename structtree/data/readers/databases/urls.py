"""Databases by URL, and SQLAlchemy engines and connections: tables as sheets, and declared keys.

The URL of an SQLite or DuckDB file is read as that file. For any other database SQLAlchemy reflects the tables of the
default schema and their keys, and each table is read with one SELECT. Nothing is committed: transactions opened here
are rolled back, and read-only where the database supports it. Secrets in a URL are never shown.
"""

from __future__ import annotations

import re
import sqlite3
import sys
import warnings
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from datetime import date, timedelta
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import UUID

import numpy as np

from structtree.data.readers.databases.addresses import shown_url
from structtree.data.readers.databases.duckdb_files import read_duckdb
from structtree.data.readers.databases.keys import (
    Database,
    ForeignKey,
    RowFilter,
    SourceTable,
    UnreadKind,
    condition_error,
    fetch_columns,
    read_each,
)
from structtree.data.readers.databases.sqlite_files import bytes_as_hex, from_sqlite, number_column, read_sqlite
from structtree.data.readers.tables.sheets import Raw, Sheet, frame_columns
from structtree.data.readers.text_files import require_file
from structtree.errors import DataError, MissingPackageError, UsageError, did_you_mean

if TYPE_CHECKING:
    from sqlalchemy import URL, Connection, Engine, Inspector

__all__ = ["from_sqlalchemy", "is_sqlalchemy", "read_url", "reflect"]

_FILES: dict[str, Callable[[str, RowFilter | None, Container[str]], Database]] = {
    "sqlite": read_sqlite,
    "sqlite+pysqlite": read_sqlite,
    "duckdb": read_duckdb,
}
"""Readers for URLs of files."""

_KNOWN = ("postgresql", "mysql", "mariadb", "oracle", "mssql", "sqlite", "duckdb")
_CAN_ONLY_READ = ("postgresql", "mysql", "mariadb", "oracle")
"""Databases that support SET TRANSACTION READ ONLY."""

_LARGEST = 2**63
"""Integers from this limit on do not fit into 64 bits."""


# ---- URLs ------------------------------------------------------------------------------------------------


def read_url(url: str, where: RowFilter | None = None, exclude: Container[str] = ()) -> Database:
    """Return the tables and declared keys of the database at a URL; needs the package ``sqlalchemy``.

    Parameters
    ----------
    url : str
    where, exclude
        As in `read_sqlite`.
    """
    source = shown_url(url)
    parsed = _parsed(url, source)
    if parsed.drivername in _FILES:
        return _FILES[parsed.drivername](_file_of(parsed, source), where, exclude)
    return from_sqlalchemy(_engine(parsed, source), where, exclude, source)


def _parsed(url: str, source: str) -> URL:
    try:
        from sqlalchemy import make_url
        from sqlalchemy.exc import ArgumentError
    except ImportError:
        message = f"{source}: reading a database URL needs the package sqlalchemy"
        raise MissingPackageError(message, "sqlalchemy") from None
    try:
        return make_url(url)
    except (ArgumentError, ValueError):  # whose text may contain secrets
        expected = "expected a URL such as postgresql://user:password@host:5432/database"
        raise UsageError(f"{source} is not a valid URL; {expected}") from None


def _file_of(url: URL, source: str) -> str:
    """Return the file of a URL; raise `UsageError` for a URL without a file or with parameters."""
    name = url.database or ""
    if name in ("", ":memory:") or name.startswith("file:"):
        example = f"{url.drivername}:///bank.db, or {url.drivername}:////folder/bank.db"
        raise UsageError(f"{source} has no file name; expected a URL such as {example}")
    if url.query:
        given = ", ".join(url.query)
        raise UsageError(f"{source}: the file is opened read-only, without parameters; remove ?{given}")
    return name


def _engine(url: URL, source: str) -> Engine:
    """Return the engine of a URL, without connecting."""
    from sqlalchemy import create_engine
    from sqlalchemy.exc import NoSuchModuleError, SQLAlchemyError
    from sqlalchemy.pool import NullPool

    try:
        engine = create_engine(url, poolclass=NullPool)
    except NoSuchModuleError:
        known = did_you_mean(url.get_backend_name(), _KNOWN)
        fix = known or "; install the package that provides it"
        raise UsageError(f"{source}: SQLAlchemy has no dialect {url.drivername!r}{fix}") from None
    except ImportError as error:
        driver = error.name or "of this database"
        fix = f"install it, or use another driver ({url.get_backend_name()}+DRIVER://)"
        raise DataError(f"the driver {driver} is not installed", source=source, fix=fix) from None
    except (SQLAlchemyError, TypeError, ValueError) as error:
        raise DataError(f"SQLAlchemy cannot open it: {_redacted(error, url)}", source=source) from None
    if engine.dialect.is_async:
        fix = f"use another driver ({url.get_backend_name()}+DRIVER://)"
        raise DataError(f"the driver {engine.dialect.driver} is asynchronous", source=source, fix=fix)
    return engine


_SECRET = re.compile(r"pass|pwd|secret|token|key|odbc_connect", re.IGNORECASE)


def _redacted(error: BaseException, url: URL) -> str:
    """Return the first line of a driver's error, without the secrets of the URL."""
    lines = str(getattr(error, "orig", None) or error).strip().splitlines()
    text = lines[0].rstrip(".") if lines else type(error).__name__
    secrets = [str(url.password or "")]
    for name, values in url.normalized_query.items():
        secrets += values if _SECRET.search(name) else ()
    for secret in filter(None, secrets):
        text = text.replace(secret, "***")
    return text


# ---- engines and connections -----------------------------------------------------------------------------


def is_sqlalchemy(source: Any) -> bool:
    """Return whether an object is an engine or a connection of SQLAlchemy, without importing it."""
    alchemy = sys.modules.get("sqlalchemy")
    return alchemy is not None and isinstance(source, alchemy.Engine | alchemy.Connection)


def from_sqlalchemy(
    given: Engine | Connection,
    where: RowFilter | None = None,
    exclude: Container[str] = (),
    source: str = "",
) -> Database:
    """Return the tables and declared keys of the database of an SQLAlchemy engine or connection.

    A transaction that is already open on a connection stays open; any other is rolled back.

    Parameters
    ----------
    given : sqlalchemy.Engine or sqlalchemy.Connection
    where, exclude
        As in `read_url`.
    source : str, optional
        Name for error messages.
    """
    from sqlalchemy.exc import SAWarning, SQLAlchemyError

    url = given.engine.url
    source = source or url.set(query={}).render_as_string(hide_password=True)
    file = url.database or ""
    if url.get_backend_name() == "sqlite" and file not in ("", ":memory:") and not file.startswith("file:"):
        require_file(file)  # SQLite would create it
    try:
        with warnings.catch_warnings(), _connected(given) as connection:
            warnings.simplefilter("ignore", SAWarning)  # about unknown types: the values decide
            driver = connection.connection.driver_connection
            if isinstance(driver, sqlite3.Connection):
                return from_sqlite(driver, source, where, exclude)
            return reflect(connection, source, where, exclude)
    except (SQLAlchemyError, sqlite3.Error, TypeError, OSError) as error:
        raise DataError(f"the database cannot be read: {_redacted(error, url)}", source=source) from None


@contextmanager
def _connected(given: Engine | Connection) -> Iterator[Connection]:
    from sqlalchemy import Connection

    with nullcontext(given) if isinstance(given, Connection) else given.connect() as connection:
        was_open = connection.in_transaction()
        if connection is not given and connection.dialect.name in _CAN_ONLY_READ:
            connection.exec_driver_sql("SET TRANSACTION READ ONLY")
        try:
            yield connection
        finally:
            if not was_open:
                connection.rollback()


# ---- tables ----------------------------------------------------------------------------------------------


def reflect(
    connection: Connection, source: str, where: RowFilter | None = None, exclude: Container[str] = ()
) -> Database:
    """Return the tables and keys of the default schema of a database, as SQLAlchemy reflects them.

    Parameters
    ----------
    connection : sqlalchemy.Connection
    source : str
        Name for error messages.
    where, exclude
        As in `read_url`.

    Examples
    --------
    >>> import sqlalchemy
    >>> with sqlalchemy.create_engine("sqlite://").connect() as connection:
    ...     _ = connection.exec_driver_sql("CREATE TABLE account(id INTEGER PRIMARY KEY, town TEXT)")
    ...     _ = connection.exec_driver_sql("CREATE TABLE loan(amount REAL, account INTEGER REFERENCES account)")
    ...     database = reflect(connection, "the bank")
    >>> list(database.tables), *map(str, database.foreign_keys)
    (['account', 'loan'], 'loan.account=account.id')
    """
    from sqlalchemy import inspect

    inspector: Inspector = inspect(connection)
    names = inspector.get_table_names()
    unread: dict[str, UnreadKind] = dict.fromkeys(_if_supported(inspector.get_view_names), "view")
    declared = list(_foreign_keys(inspector, names))
    keys = tuple(key for key, is_here in declared if is_here)
    unread |= {str(key): "key to another schema" for key, is_here in declared if not is_here}
    read = partial(_table, connection, inspector, source, keys)
    tables, columns = read_each(names, exclude, where, read)
    return Database(source, tables, keys, unread | columns, None, where and where.sql)


def _if_supported(method: Callable[..., Sequence[Any]], *names: str) -> Sequence[Any]:
    """Return the result of an inspector method, or an empty list if the dialect does not support it."""
    try:
        return method(*names)
    except NotImplementedError:
        return []


def _foreign_keys(inspector: Inspector, names: Sequence[str]) -> Iterator[tuple[ForeignKey, bool]]:
    """Yield the foreign keys, and whether each refers to a table of the same schema."""
    for name in names:
        for found in _if_supported(inspector.get_foreign_keys, name):
            schema, to = found["referred_schema"], found["referred_table"]
            is_here = schema in (None, inspector.default_schema_name)
            called = str(to) if is_here else f"{schema}.{to}"
            here, there = map(str, found["constrained_columns"]), map(str, found["referred_columns"])
            yield ForeignKey(str(name), tuple(here), called, tuple(there)), is_here


def _unique(inspector: Inspector, name: str) -> Iterator[tuple[str, ...]]:
    """Yield the columns of each unique constraint and of each unique index over all rows."""
    for constraint in _if_supported(inspector.get_unique_constraints, name):
        yield tuple(map(str, constraint["column_names"]))
    for index in _if_supported(inspector.get_indexes, name):
        is_partial = any(option.endswith("_where") for option in index.get("dialect_options", {}))
        if index["unique"] and not is_partial and None not in index["column_names"]:
            yield tuple(map(str, index["column_names"]))


def _table(
    connection: Connection,
    inspector: Inspector,
    source: str,
    keys: Sequence[ForeignKey],
    name: str,
    where: str | None,
) -> tuple[SourceTable, dict[str, UnreadKind]]:
    """Return a table, and the kinds of its skipped columns by name."""
    declared = {column["name"]: str(column["type"]) for column in inspector.get_columns(name)}
    key = tuple(map(str, inspector.get_pk_constraint(name)["constrained_columns"]))
    linking = {column for each in keys if each.table == name for column in each.columns}
    linking |= {column for each in keys if each.to == name for column in each.key}
    cells, n_rows = _cells(connection, name, list(declared), where)
    chosen = None if where is None else np.array(cells.pop(), dtype=np.bool_)
    columns: dict[str, Raw] = {}
    others: dict[str, UnreadKind] = {}
    for (column, kind), values in zip(declared.items(), cells, strict=True):
        plain = [_plain(value) for value in values]
        found = _column(bytes_as_hex(plain) if column in linking or column in key else plain, kind)
        if isinstance(found, str):
            others[str(column)] = found
        else:
            columns[str(column)] = found
    unique = tuple(dict.fromkeys(each for each in _unique(inspector, name) if set(each) <= set(columns)))
    sheet = Sheet(columns, n_rows, f"{source}, table {name}")
    return SourceTable(str(name), sheet, key if set(key) <= set(columns) else (), unique, chosen=chosen), others


def _cells(
    connection: Connection, name: str, columns: Sequence[str], where: str | None
) -> tuple[list[list[Any]], int]:
    """Return the columns of a table, for each row whether it satisfies the condition, and the number of rows."""
    quote = connection.dialect.identifier_preparer.quote
    selected = [quote(column) for column in columns]
    if where is not None:
        _require_condition(where, name)
        selected.append(f"CASE WHEN ({where}\n) THEN 1 ELSE 0 END")
    n_rows = int(_execute(connection, f"SELECT count(*) FROM {quote(name)}").scalar_one())
    if not selected:
        return [], n_rows
    with _condition_checked(where, name, connection.engine.url):
        result = _execute(connection, f"SELECT {', '.join(selected)} FROM {quote(name)}")
        if len(result.keys()) != len(selected):
            raise condition_error(str(where), name, "expected one condition")
        cells = fetch_columns(result, len(selected))
    if where is not None and len(cells[0]) != n_rows:
        raise condition_error(where, name, "it must apply to single rows")
    return cells, len(cells[0])


def _execute(connection: Connection, sql: str) -> Any:
    """Execute SQL verbatim: percent signs and colons have no special meaning."""
    return connection.exec_driver_sql(sql, execution_options={"no_parameters": True})


@contextmanager
def _condition_checked(where: str | None, name: str, url: URL) -> Iterator[None]:
    """Convert database errors inside this block to errors of the condition, if there is one."""
    from sqlalchemy.exc import DBAPIError

    try:
        yield
    except DBAPIError as error:
        if where is None:
            raise
        raise condition_error(where, name, _redacted(error, url)) from None


_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|`[^`]*`")
_MORE = re.compile(r";|--|/\*|#|\$\w*\$|['\"`]")


def _require_condition(sql: str, table: str) -> None:
    """Raise `DataError` for SQL that may be more than a condition: statements, comments, unbalanced parentheses.

    Databases differ in their quoting, so ambiguous quotes are rejected too.
    """
    bare = _QUOTED.sub("", sql)
    depth = np.cumsum([{"(": 1, ")": -1}.get(sign, 0) for sign in bare])
    is_whole = not len(depth) or (depth.min() >= 0 and depth[-1] == 0)
    if _MORE.search(bare) or "\\'" in sql or not is_whole:
        raise condition_error(sql, table, "it must be a single condition")


# ---- columns ---------------------------------------------------------------------------------------------


def _plain(value: Any) -> Any:
    """Convert a driver's value to a builtin Python type.

    Examples
    --------
    >>> _plain(Decimal("12")), _plain(Decimal("12.50")), _plain(memoryview(b"a")), _plain(UUID(int=1))
    (12, 12.5, b'a', '00000000-0000-0000-0000-000000000001')
    """
    match value:
        case Decimal():
            exponent = value.as_tuple().exponent
            return int(value) if isinstance(exponent, int) and exponent >= 0 else float(value)
        case UUID():
            return str(value)
        case bytearray() | memoryview():
            return bytes(value)
    return value


def _column(values: list[Any], declared: str) -> Raw | UnreadKind:
    """Return a column, or a description of its kind if that is not supported."""
    import pandas as pd

    types = set(map(type, values)) - {type(None)}
    if bytes in types:
        return "binary column"
    if not all(issubclass(each, str | int | float | date | timedelta) for each in types):
        return "column of unsupported values"
    if types == {int} and any(value is not None and abs(value) >= _LARGEST for value in values):
        values, types = [None if value is None else str(value) for value in values], {str}
    if types <= {int, float}:
        return number_column(values, types, declared)[0]
    return frame_columns(pd.DataFrame({"": values}))[0]
