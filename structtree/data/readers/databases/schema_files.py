"""Schema files: the keys and links of a database as a small, editable TOML file.

.. code-block:: toml

    [tables.account]
    key = ["account_id"]

    [tables.loan]
    key = ["loan_id"]
    exclude = ["notes"]

    [[tables.loan.links]]       # loan.account_id names an account
    columns = ["account_id"]
    to = "account"
    key = ["account_id"]        # the account's key unless given
    name = "account"            # the link from a loan to its account
    back = "loan"               # the link from an account to its loans

Tables that the file does not mention are skipped, and no key is guessed.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from structtree.data.readers.databases.keys import Database, ForeignKey, SourceTable
from structtree.data.readers.databases.linking import KeyLink, Relations
from structtree.data.readers.text_files import require_file
from structtree.errors import DataError, did_you_mean

__all__ = ["apply_schema", "drop_tables", "read_schema_file", "schema_text"]

_TABLE = ("key", "exclude", "links")
_LINK = ("columns", "to", "key", "name", "back")


def schema_text(relations: Relations) -> str:
    """Return the keys and links of a database as the content of a schema file.

    Parameters
    ----------
    relations : Relations
        Relations from the provenance of a population that was read from a database.
    """
    lines = [
        f"# Tables of {Path(relations.database.source).name}: keys, and links between them.",
        "# Delete a table or a link to skip it; list columns to skip under exclude.",
    ]
    for name, table in relations.database.tables.items():
        links = [link for link in relations.links if link.match.foreign_key.table == name]
        lines += ["", f"[tables.{_header(name)}]", *([f"key = {_list(table.key)}"] if table.key else [])]
        for link in links:
            lines += _link_lines(name, link)
    return "\n".join(lines) + "\n"


def _link_lines(table: str, link: KeyLink) -> Iterator[str]:
    match, key = link.match, link.match.foreign_key
    yield ""
    if key.guessed or match.n_dangling:
        yield f"# {'guessed; ' if key.guessed else ''}fits {match.fit:.1%} of the rows"
    yield f"[[tables.{_header(table)}.links]]"
    yield f"columns = {_list(key.columns)}"
    yield f"to = {_quoted(key.to)}"
    yield f"key = {_list(key.key)}"
    if not link.joins:
        yield f"name = {_quoted(link.name)}"
    yield f"back = {_quoted(link.back)}"


def _header(name: str) -> str:
    """Return the name of a table for a TOML header."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _quoted(name)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _list(texts: Sequence[str]) -> str:
    return f"[{', '.join(map(_quoted, texts))}]"


def read_schema_file(path: str | os.PathLike[str]) -> Mapping[str, Any]:
    """Return the raw table entries of a schema file; raise `DataError` if it is not TOML with tables."""
    source = str(require_file(path))
    try:
        with Path(source).open("rb") as file:
            found = tomllib.load(file)
    except UnicodeDecodeError:
        raise DataError("not a schema file: it is not UTF-8 text", source=source) from None
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"not a schema file: {error}", source=source) from None
    tables = found.pop("tables", None)
    if not isinstance(tables, dict) or not tables or found:
        odd = f"; got {next(iter(found))!r}" if found else ""
        raise DataError(f"expected tables, as in [tables.loan]{odd}", source=source)
    return tables


def drop_tables(entries: Mapping[str, Any], names: Container[str]) -> dict[str, Any]:
    """Return the entries of a schema file without the given tables and the links to them.

    Parameters
    ----------
    entries : mapping
        Result of `read_schema_file`.
    names : container of str

    Examples
    --------
    >>> entries = {"loan": {"links": [{"columns": ["a"], "to": "account"}]}, "account": {"key": ["id"]}}
    >>> drop_tables(entries, ["account"])
    {'loan': {'links': []}}
    """
    return {name: _without_links(entry, names) for name, entry in entries.items() if name not in names}


def _without_links(entry: Any, names: Container[str]) -> Any:
    links = entry.get("links") if isinstance(entry, dict) else None
    if not isinstance(links, list):
        return entry
    return {**entry, "links": [link for link in links if not isinstance(link, dict) or link.get("to") not in names]}


def apply_schema(database: Database, entries: Mapping[str, Any], source: str) -> Database:
    """Return a database with only the tables, keys and links of a schema file.

    Parameters
    ----------
    database : Database
    entries : mapping
        Result of `read_schema_file`.
    source : str
        Path of the file, for error messages.
    """
    tables = {}
    for name, entry in entries.items():
        _check(entry, _TABLE, f"tables.{name}", source)
        if name not in database.tables:
            raise DataError(f"there is no table {name!r}{did_you_mean(name, database.tables)}", source=source)
        table = database.tables[name]
        gone = _names(entry.get("exclude", []), table, f"tables.{name}.exclude", source)
        columns = {each: raw for each, raw in table.sheet.columns.items() if each not in gone}
        key = _names(entry.get("key", []), table, f"tables.{name}.key", source)
        tables[name] = replace(table, sheet=replace(table.sheet, columns=columns), key=key)
    keys = [
        _foreign_key(name, link, tables, source) for name, entry in entries.items() for link in entry.get("links", [])
    ]
    return replace(database, tables=tables, foreign_keys=tuple(keys))


def _foreign_key(name: str, link: Any, tables: Mapping[str, SourceTable], source: str) -> ForeignKey:
    path = f"tables.{name}.links"
    _check(link, _LINK, path, source)
    to = link.get("to")
    if not isinstance(to, str) or to not in tables:
        raise DataError(f"'to' must be a table; got {to!r}{did_you_mean(str(to), tables)}", source=source, path=path)
    columns = _names(link.get("columns", []), tables[name], path, source)
    key = _names(link.get("key", list(tables[to].key)), tables[to], path, source)
    if not columns or len(columns) != len(key):
        raise DataError(
            f"expected as many columns as the key of {to!r} has ({len(key)}); got {len(columns)}",
            source=source,
            path=path,
        )
    for each in ("name", "back"):
        if not isinstance(link.get(each, ""), str):
            raise DataError(f"{each} must be a string", source=source, path=path)
    return ForeignKey(name, columns, to, key, name=link.get("name"), back=link.get("back"))


def _check(entry: Any, known: Sequence[str], path: str, source: str) -> None:
    if not isinstance(entry, dict):
        raise DataError("expected a TOML table", source=source, path=path)
    for name in entry:
        if name not in known:
            raise DataError(f"unknown entry {name!r}{did_you_mean(name, known)}", source=source, path=path)


def _names(given: Any, table: SourceTable, path: str, source: str) -> tuple[str, ...]:
    """Return the column names in an entry; raise `DataError` unless they are columns of the table."""
    if not isinstance(given, list) or not all(isinstance(each, str) for each in given):
        raise DataError("expected a list of columns", source=source, path=path)
    known = table.sheet.columns
    for name in given:
        if name not in known:
            message = f"{table.name} has no column {name!r}{did_you_mean(name, known)}"
            raise DataError(message, source=source, path=path)
    return tuple(given)
