"""Databases by their URLs, and the engines and connections of SQLAlchemy: tables as sheets, and declared keys.

A URL of an SQLite or DuckDB file is read as that file is. Of any other database SQLAlchemy tells the tables of the
default schema and their keys, and each table is read by one SELECT. Nothing is committed: what is opened here is
rolled back, and read in a transaction that cannot write where the database has such ones. What a URL keeps secret is
not said.
"""

from __future__ import annotations

import re
import sqlite3
import sys
import warnings
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from uuid import UUID

import numpy as np

from structtree.data.readers.databases.duckdb_files import read_duckdb
from structtree.data.readers.databases.keys import (
    Database,
    ForeignKey,
    RowChoice,
    SourceTable,
    UnreadKind,
    columns_text,
    condition_error,
    unread_table,
)
from structtree.data.readers.databases.sqlite_files import as_hexadecimal, from_sqlite, number_column, read_sqlite
from structtree.data.readers.tables.sheets import Raw, Sheet, frame_columns
from structtree.data.readers.text_files import require_file
from structtree.errors import DataError, MissingPackageError, UsageError, did_you_mean
from structtree.progress import report_status

if TYPE_CHECKING:
    from sqlalchemy import URL, Connection, Engine, Inspector

__all__ = ["from_alchemy", "is_alchemy", "is_url", "read_url", "reflected", "shown_url"]

_FILES: dict[str, Callable[[str, RowChoice | None, Container[str]], Database]] = {
    "sqlite": read_sqlite,
    "sqlite+pysqlite": read_sqlite,
    "duckdb": read_duckdb,
}
"""The readers of URLs that are those of files."""

_KNOWN = ("postgresql", "mysql", "mariadb", "oracle", "mssql", "sqlite", "duckdb")
_CAN_ONLY_READ = ("postgresql", "mysql", "mariadb", "oracle")
"""The databases whose transactions can be told to write nothing, by the same words."""

_BLOCK = 50_000
"""So many rows are fetched at a time."""

_LARGEST = 2**63
"""Whole numbers from here on do not fit into 64 bits."""


# ---- URLs ------------------------------------------------------------------------------------------------


def is_url(where: Any) -> bool:
    """Return whether a text is the URL of a database.

    Examples
    --------
    >>> is_url("sqlite:///bank.db"), is_url("mysql+pymysql://host/bank"), is_url("bank.db"), is_url("https://a.org/b.csv")
    (True, True, False, False)
    """
    found = re.match(r"([A-Za-z][\w+.-]*)://", where) if isinstance(where, str) else None
    return found is not None and found[1].lower() not in ("http", "https", "ftp", "file", "s3", "gs")


def shown_url(where: str) -> str:
    """Return a URL as it may be shown: without password and parameters. Any other text is as it was.

    Examples
    --------
    >>> shown_url("postgresql://ann:se/c@ret@host:5432/bank?sslkey=k"), shown_url("mysql://ann:secret")
    ('postgresql://ann:***@host:5432/bank', 'mysql://ann:***')
    >>> shown_url("sqlite:///bank.db"), shown_url("a?b.csv")
    ('sqlite:///bank.db', 'a?b.csv')
    """
    if not is_url(where):
        return where
    hidden = re.sub(r"^([\w+.-]+://[^:/@]*):.*@", r"\1:***@", where, flags=re.DOTALL)
    if hidden == where:
        hidden = re.sub(r"^([\w+.-]+://[^:/@?]*):(?!\d*(?:[/?]|$))[^/?]*", r"\1:***", where)
    return hidden.partition("?")[0]


def read_url(url: str, where: RowChoice | None = None, exclude: Container[str] = ()) -> Database:
    """Return the tables of the database at a URL, and the keys that it declares, if SQLAlchemy is installed.

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
    return from_alchemy(_engine(parsed, source), where, exclude, source)


def _parsed(url: str, source: str) -> URL:
    try:
        from sqlalchemy import make_url
        from sqlalchemy.exc import ArgumentError
    except ImportError:
        message = f"{source}: the URLs of databases are read by the package sqlalchemy"
        raise MissingPackageError(message, "sqlalchemy") from None
    try:
        return make_url(url)
    except (ArgumentError, ValueError):  # which may say what is secret
        expected = "expected a URL such as postgresql://user:password@host:5432/database"
        raise UsageError(f"{source} is not understood; {expected}") from None


def _file_of(url: URL, source: str) -> str:
    """Return the file that a URL names; refuse one that names none, and parameters, since the reader has its own."""
    name = url.database or ""
    if name in ("", ":memory:") or name.startswith("file:"):
        example = f"{url.drivername}:///bank.db, or {url.drivername}:////folder/bank.db"
        raise UsageError(f"{source} names no file; expected a URL such as {example}")
    if url.query:
        given = ", ".join(url.query)
        raise UsageError(f"{source}: the file is opened for reading only, without parameters; leave out ?{given}")
    return name


def _engine(url: URL, source: str) -> Engine:
    """Return what connects to a database; nothing is asked of it yet."""
    from sqlalchemy import create_engine
    from sqlalchemy.exc import NoSuchModuleError, SQLAlchemyError
    from sqlalchemy.pool import NullPool

    try:
        engine = create_engine(url, poolclass=NullPool)
    except NoSuchModuleError:
        known = did_you_mean(url.get_backend_name(), _KNOWN)
        fix = known or "; the package with its dialect must be installed"
        raise UsageError(f"{source}: SQLAlchemy does not know the database {url.drivername!r}{fix}") from None
    except ImportError as error:
        driver = error.name or "of this database"
        fix = f"install it, or name another ({url.get_backend_name()}+DRIVER://)"
        raise DataError(f"the driver {driver} is not installed", source=source, fix=fix) from None
    except (SQLAlchemyError, TypeError, ValueError) as error:
        raise DataError(f"SQLAlchemy cannot open it: {_said(error, url)}", source=source) from None
    if engine.dialect.is_async:
        fix = f"name another ({url.get_backend_name()}+DRIVER://)"
        raise DataError(f"the driver {engine.dialect.driver} is asynchronous", source=source, fix=fix)
    return engine


_SECRET = re.compile(r"pass|pwd|secret|token|key|odbc_connect", re.IGNORECASE)


def _said(error: BaseException, url: URL) -> str:
    """Return the first line of what a driver says, without what the URL keeps secret."""
    lines = str(getattr(error, "orig", None) or error).strip().splitlines()
    text = lines[0].rstrip(".") if lines else type(error).__name__
    query = ((name, each) for name, values in url.query.items() for each in _several(values))
    secrets = [str(url.password or ""), *(value for name, value in query if _SECRET.search(name))]
    for secret in filter(None, secrets):
        text = text.replace(secret, "***")
    return text


def _several(values: str | tuple[str, ...]) -> tuple[str, ...]:
    return (values,) if isinstance(values, str) else values


# ---- engines and connections -----------------------------------------------------------------------------


def is_alchemy(source: Any) -> bool:
    """Return whether something is an engine or a connection of SQLAlchemy, which is not loaded for it."""
    alchemy = sys.modules.get("sqlalchemy")
    return alchemy is not None and isinstance(source, alchemy.Engine | alchemy.Connection)


def from_alchemy(
    given: Engine | Connection,
    where: RowChoice | None = None,
    exclude: Container[str] = (),
    source: str = "",
) -> Database:
    """Return the tables of a database that SQLAlchemy has open or can open, and the keys that it declares.

    A transaction that somebody has begun on a connection goes on afterwards; any other is rolled back.

    Parameters
    ----------
    given : sqlalchemy.Engine or sqlalchemy.Connection
    where, exclude
        As in `read_url`.
    source : str, optional
        What to call it in errors.
    """
    from sqlalchemy.exc import SAWarning, SQLAlchemyError

    url = given.engine.url
    called = source or url.set(query={}).render_as_string(hide_password=True)
    if url.get_backend_name() == "sqlite" and url.database not in (None, "", ":memory:"):
        _require_sqlite_file(str(url.database))
    try:
        with warnings.catch_warnings(), _connected(given) as connection:
            warnings.simplefilter("ignore", SAWarning)  # of types that it does not know: the values tell
            driver = connection.connection.driver_connection
            if isinstance(driver, sqlite3.Connection):
                return from_sqlite(driver, called, where, exclude)
            return reflected(connection, called, where, exclude)
    except (SQLAlchemyError, sqlite3.Error, TypeError, OSError) as error:
        raise DataError(f"the database cannot be read: {_said(error, url)}", source=called) from None


def _require_sqlite_file(name: str) -> None:
    """Refuse a file that is not there, which SQLite would make."""
    if not name.startswith("file:"):
        require_file(name)


@contextmanager
def _connected(given: Engine | Connection) -> Iterator[Connection]:
    from sqlalchemy import Connection

    if isinstance(given, Connection):
        is_theirs = given.in_transaction()
        try:
            yield given
        finally:
            if not is_theirs:
                given.rollback()
        return
    with given.connect() as connection:
        if connection.dialect.name in _CAN_ONLY_READ:
            connection.exec_driver_sql("SET TRANSACTION READ ONLY")
        try:
            yield connection
        finally:
            connection.rollback()


# ---- tables ----------------------------------------------------------------------------------------------


def reflected(
    connection: Connection, source: str, where: RowChoice | None = None, exclude: Container[str] = ()
) -> Database:
    """Return the tables of the default schema of a database, and their keys, as SQLAlchemy tells them.

    Parameters
    ----------
    connection : sqlalchemy.Connection
    source : str
        What to call it in errors.
    where, exclude
        As in `read_url`.

    Examples
    --------
    >>> import sqlalchemy
    >>> with sqlalchemy.create_engine("sqlite://").connect() as connection:
    ...     _ = connection.exec_driver_sql("CREATE TABLE account(id INTEGER PRIMARY KEY, town TEXT)")
    ...     _ = connection.exec_driver_sql("CREATE TABLE loan(amount REAL, account INTEGER REFERENCES account)")
    ...     database = reflected(connection, "the bank")
    >>> list(database.tables), *map(str, database.foreign_keys)
    (['account', 'loan'], 'loan.account=account.id')
    """
    from sqlalchemy import inspect

    inspector: Inspector = inspect(connection)
    names = inspector.get_table_names()
    unread: dict[str, UnreadKind] = dict.fromkeys(_if_known(inspector.get_view_names), "view")
    keys = []
    for key, is_here in _foreign_keys(inspector, names):
        if is_here:
            keys.append(key)
        else:
            unread[str(key)] = "key to another schema"
    tables = {}
    for name in names:
        if name in exclude:
            tables[str(name)] = unread_table(str(name))
            continue
        linking = {column for key in keys if key.table == name for column in key.columns}
        linking |= {column for key in keys if key.to == name for column in key.key}
        table, others = _table(connection, inspector, name, source, where and where.of(name), linking)
        tables[str(name)] = table
        unread |= {columns_text(name, [column]): kind for column, kind in others.items()}
    return Database(source, tables, tuple(keys), unread, None, None if where is None else where.sql)


def _if_known(ask: Callable[..., Sequence[Any]], *names: str) -> Sequence[Any]:
    """Return what SQLAlchemy knows of a database; nothing where it cannot ask that."""
    try:
        return ask(*names)
    except NotImplementedError:
        return []


def _foreign_keys(inspector: Inspector, names: Sequence[str]) -> Iterator[tuple[ForeignKey, bool]]:
    """Yield the foreign keys, and whether each leads to a table of the same schema."""
    for name in names:
        for found in _if_known(inspector.get_foreign_keys, name):
            schema, to = found["referred_schema"], found["referred_table"]
            is_here = schema in (None, inspector.default_schema_name)
            called = str(to) if is_here else f"{schema}.{to}"
            here, there = map(str, found["constrained_columns"]), map(str, found["referred_columns"])
            yield ForeignKey(str(name), tuple(here), called, tuple(there)), is_here


def _unique(inspector: Inspector, name: str) -> Iterator[tuple[str, ...]]:
    """Yield the columns that differ from row to row, by constraint or by an index of all rows."""
    for constraint in _if_known(inspector.get_unique_constraints, name):
        yield tuple(map(str, constraint["column_names"]))
    for index in _if_known(inspector.get_indexes, name):
        is_partial = any(option.endswith("_where") for option in index.get("dialect_options", {}))
        if index["unique"] and not is_partial and None not in index["column_names"]:
            yield tuple(map(str, index["column_names"]))


def _table(
    connection: Connection, inspector: Inspector, name: str, source: str, where: str | None, linking: set[str]
) -> tuple[SourceTable, dict[str, UnreadKind]]:
    """Return a table, and the columns that are left out."""
    report_status("reading", 0, None, f"table {name}")
    declared = {column["name"]: str(column["type"]) for column in inspector.get_columns(name)}
    key = tuple(map(str, inspector.get_pk_constraint(name)["constrained_columns"]))
    cells, n_rows = _cells(connection, name, list(declared), where)
    chosen = None if where is None else np.array(cells.pop(), dtype=np.bool_)
    columns: dict[str, Raw] = {}
    others: dict[str, UnreadKind] = {}
    for (column, kind), values in zip(declared.items(), cells, strict=True):
        plain = [_plain(value) for value in values]
        found = _column(as_hexadecimal(plain) if column in linking or column in key else plain, kind)
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
    """Return the values of all columns, with one more for whether a condition holds."""
    quote = connection.dialect.identifier_preparer.quote
    selected = [quote(column) for column in columns]
    if where is not None:
        _require_condition(where, name)
        selected.append(f"CASE WHEN ({where}\n) THEN 1 ELSE 0 END")
    n_rows = int(_asked(connection, f"SELECT count(*) FROM {quote(name)}").scalar_one())
    cells: list[list[Any]] = [[] for _ in selected]
    if not selected:
        return cells, n_rows
    with _judged(where, name, connection.engine.url):
        result = _asked(connection, f"SELECT {', '.join(selected)} FROM {quote(name)}")
        if len(result.keys()) != len(selected):
            raise condition_error(str(where), name, "expected one condition")
        while rows := result.fetchmany(_BLOCK):
            for column, values in zip(cells, zip(*rows, strict=True), strict=True):
                column.extend(values)
    if where is not None and len(cells[0]) != n_rows:
        raise condition_error(where, name, "it must be about single rows")
    return cells, len(cells[0])


def _asked(connection: Connection, sql: str) -> Any:
    """Ask in SQL that the driver takes as it stands, with its percent signs and colons."""
    return connection.exec_driver_sql(sql, execution_options={"no_parameters": True})


@contextmanager
def _judged(where: str | None, name: str, url: URL) -> Iterator[None]:
    """Blame a condition for what the database does not understand, if there is one."""
    from sqlalchemy.exc import DBAPIError

    try:
        yield
    except DBAPIError as error:
        if where is None:
            raise
        raise condition_error(where, name, _said(error, url)) from None


_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|`[^`]*`")
_MORE = re.compile(r";|--|/\*|#|\$\w*\$|['\"`]")


def _require_condition(sql: str, table: str) -> None:
    """Refuse what may be more than a condition: several statements, comments, or what leaves its parentheses.

    Databases quote in several ways, so what could be read in two is refused too.
    """
    bare = _QUOTED.sub("", sql)
    depth = np.cumsum([{"(": 1, ")": -1}.get(sign, 0) for sign in bare])
    is_whole = not len(depth) or (depth.min() >= 0 and depth[-1] == 0)
    if _MORE.search(bare) or "\\'" in sql or not is_whole:
        raise condition_error(sql, table, "it must be a condition, and nothing else")


# ---- columns ---------------------------------------------------------------------------------------------


def _plain(value: Any) -> Any:
    """Return a value of a driver as one of Python's plain ones.

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
    """Return a column, or what is in it if that is not read."""
    import pandas as pd

    types = set(map(type, values)) - {type(None)}
    if bytes in types:
        return "binary column"
    if not all(issubclass(each, str | int | float | date | timedelta) for each in types):
        return "column of other values"
    if types == {int} and any(value is not None and abs(value) >= _LARGEST for value in values):
        values, types = [None if value is None else str(value) for value in values], {str}
    if types <= {int, float}:
        return number_column(values, types, declared)[0]
    return frame_columns(pd.DataFrame({"": values}))[0]
