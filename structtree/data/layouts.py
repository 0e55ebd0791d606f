"""Layouts: what a model keeps of the tables that it was learned from, without a row of them.

A layout has the tables with their keys and how their columns are stored, the foreign keys with the names of their
links, which rows were individuals, and what they could see in time. With it the links of another database of the same
tables are made as in training (`said_by`), nothing guessed again, and the tests of a model can be asked in SQL.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, get_args

from structtree.data.readers.databases.storage import Engine, Stored, ValueClass
from structtree.data.schema import Kind
from structtree.errors import DataError

if TYPE_CHECKING:  # so that the options, which know layouts, need nothing heavy
    from structtree.data.readers.databases.keys import Database, SourceTable
    from structtree.data.readers.databases.linking import KeyLink, Relations

__all__ = ["MOST_DAYS", "Dating", "LayoutLink", "LayoutTable", "SourceLayout", "TypeDates", "layout_of", "said_by"]

MOST_DAYS = 3_652_059
"""The days of the years from 1 to 9999; two dates are not further apart."""


@dataclass(frozen=True, slots=True)
class LayoutTable:
    """A table: its key, the name for the numbers of its rows, how columns are stored, and which are indexed."""

    key: tuple[str, ...] = ()
    rowid: str = "rowid"
    columns: Mapping[str, Stored] = field(default_factory=dict)
    indexed: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class LayoutLink:
    """A foreign key that is links.

    Parameters
    ----------
    table, columns, to, key
        As of `structtree.data.readers.databases.keys.ForeignKey`.
    name, back : str
        The names of the link along the key, and of that back.
    joins : bool
        Whether the table only joins two others: the link back leads on to the other one.
    single, back_single : bool
        Whether each leads to one row at most.
    compared : tuple of str
        What the values of each column are compared as.
    """

    table: str
    columns: tuple[str, ...]
    to: str
    key: tuple[str, ...]
    name: str
    back: str
    joins: bool = False
    single: bool = True
    back_single: bool = False
    compared: tuple[ValueClass, ...] = ()


@dataclass(frozen=True, slots=True)
class TypeDates:
    """Dates of the rows of a type.

    Parameters
    ----------
    by : tuple of str
        The dates whose earliest says since when a row exists; none if nothing does.
    skipped : mapping from str to str
        The attributes that tell what happened later, each with the reason.
    set_with : mapping from str to str
        The attributes that are set together with a date, each with that date.
    telling : mapping from str to str
        The attributes that tell whether a date is set, each with that date.
    """

    by: tuple[str, ...] = ()
    skipped: Mapping[str, str] = field(default_factory=dict)
    set_with: Mapping[str, str] = field(default_factory=dict)
    telling: Mapping[str, str] = field(default_factory=dict)


Dating = Mapping[str, TypeDates]
"""The dates of each type that has any."""


@dataclass(frozen=True, slots=True)
class SourceLayout:
    """The tables that a population was made of.

    Parameters
    ----------
    individual : str
        The table of the individuals.
    tables : mapping from name to LayoutTable
    links : tuple of LayoutLink
    engine : {"sqlite", "duckdb"}, optional
        The database that has them; None for others, files and frames.
    condition : str, optional
        The condition in SQL for the rows that are individuals.
    as_of : str, optional
        The date of the individuals before which they see rows.
    date_kind : str, optional
        Whether that is a date or a time.
    lead : int
        How many days before it they stop to see.
    until : float, optional
        The last day that is seen, in days since 1970.
    dated : mapping from table to attributes with their kinds
        What dates the rows of a table, if anything does: the earliest of these; only where time matters.
    dating : mapping from table to TypeDates
        The same, and the columns that are skipped, or set together with a date.
    missing_words : tuple of str
        Of text files, the words for a missing value.
    """

    individual: str
    tables: Mapping[str, LayoutTable]
    links: tuple[LayoutLink, ...] = ()
    engine: Engine | None = None
    condition: str | None = None
    as_of: str | None = None
    date_kind: Kind | None = None
    lead: int = 0
    until: float | None = None
    dated: Mapping[str, Mapping[str, Kind]] = field(default_factory=dict)
    missing_words: tuple[str, ...] = ()
    dating: Dating = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        more = {
            "engine": self.engine,
            "condition": self.condition,
            "as_of": self.as_of,
            "date_kind": self.date_kind,
            "lead": self.lead or None,
            "until": self.until,
            "dated": {name: dict(columns) for name, columns in self.dated.items()},
            "missing_words": list(self.missing_words),
            "dating": {name: _dates_to_json(dates) for name, dates in self.dating.items()},
        }
        return {
            "individual": self.individual,
            "tables": {name: _table_to_json(table) for name, table in self.tables.items()},
            "links": [_link_to_json(link) for link in self.links],
            **{name: value for name, value in more.items() if value not in (None, {}, [])},
        }

    @classmethod
    def from_json(cls, value: Any) -> SourceLayout:
        """Return what `to_json` has written.

        Raises
        ------
        DataError
            When it is something else.
        """
        match value:
            case {"individual": str(individual), "tables": dict(tables), "links": list(links)} if (
                individual in tables
            ):
                found = cls(
                    individual,
                    {name: _table_from_json(table) for name, table in tables.items()},
                    tuple(map(_link_from_json, links)),
                    _optional(value.get("engine"), str),
                    _optional(value.get("condition"), str),
                    _optional(value.get("as_of"), str),
                    _optional(value.get("date_kind"), str),
                    int(_days(value.get("lead"), int, 0) or 0),
                    _days(value.get("until"), int | float, -MOST_DAYS),
                    {name: _kinds(columns) for name, columns in dict(value.get("dated", {})).items()},
                    _names(value.get("missing_words", [])),
                    {name: _dates_from_json(dates) for name, dates in dict(value.get("dating", {})).items()},
                )
                if found.engine in (None, *get_args(Engine)):
                    return found
        raise DataError("expected tables and links, and which table is the individual")


def _table_to_json(table: LayoutTable) -> dict[str, Any]:
    columns = {name: stored.to_json() for name, stored in table.columns.items()}
    indexed = {"indexed": [list(each) for each in table.indexed]} if table.indexed else {}
    return {"key": list(table.key), "rowid": table.rowid, "columns": columns, **indexed}


def _table_from_json(value: Any) -> LayoutTable:
    match value:
        case {"key": key, "rowid": str(rowid), "columns": dict(columns)}:
            stored = {name: Stored.from_json(each) for name, each in columns.items()}
            return LayoutTable(_names(key), rowid, stored, tuple(map(_names, value.get("indexed", []))))
    raise DataError("expected a table with key, rowid and columns")


_FLAGS = {"joins": False, "single": True, "back_single": False}
"""What is written only where it is otherwise."""


def _link_to_json(link: LayoutLink) -> dict[str, Any]:
    names = {name: getattr(link, name) for name in ("table", "to", "name", "back")}
    lists = {name: list(getattr(link, name)) for name in ("columns", "key", "compared")}
    flags = {name: value for name, usual in _FLAGS.items() if (value := getattr(link, name)) != usual}
    return {**names, **lists, **flags}


def _link_from_json(value: Any) -> LayoutLink:
    match value:
        case {"table": str(table), "to": str(to), "name": str(name), "back": str(back)}:
            columns, key = _names(value.get("columns")), _names(value.get("key"))
            compared = _names(value.get("compared"))
            if len(columns) == len(key) == len(compared) and set(compared) <= set(get_args(ValueClass)):
                flags = {flag: bool(value.get(flag, usual)) for flag, usual in _FLAGS.items()}
                return LayoutLink(table, columns, to, key, name, back, compared=compared, **flags)  # type: ignore[arg-type]
    raise DataError("expected a link with table, columns, to, key, name and back")


def _names(value: Any) -> tuple[str, ...]:
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return tuple(value)
    raise DataError("expected a list of names")


def _kinds(value: Any) -> dict[str, Kind]:
    if isinstance(value, dict) and all(kind in ("date", "time") for kind in value.values()):
        return dict(value)
    raise DataError("expected dates with their kinds")


def _dates_to_json(dates: TypeDates) -> dict[str, Any]:
    parts = {"by": list(dates.by), "skipped": dict(dates.skipped), "set_with": dict(dates.set_with)}
    return {name: part for name, part in parts.items() if part}


def _dates_from_json(value: Any) -> TypeDates:
    match value:
        case dict():
            return TypeDates(
                _names(value.get("by", [])), _texts(value.get("skipped", {})), _texts(value.get("set_with", {}))
            )
    raise DataError("expected the dates of a table")


def _texts(value: Any) -> dict[str, str]:
    if isinstance(value, dict) and all(isinstance(each, str) for each in value.values()):
        return dict(value)
    raise DataError("expected names with texts")


def _optional(value: Any, kind: Any) -> Any:
    if value is None or isinstance(value, kind):
        return value
    raise DataError(f"expected another value than {value!r}")


def _days(value: Any, kind: Any, least: int) -> Any:
    """Return a number of days, if there is one."""
    if value is None or (isinstance(value, kind) and not isinstance(value, bool) and least <= value <= MOST_DAYS):
        return value
    raise DataError(f"expected a number of days from {least:,} to {MOST_DAYS:,}")


# ---- from a database, and for another --------------------------------------------------------------------


def layout_of(relations: Relations, individual: str) -> SourceLayout:
    """Return what is to be kept of a database whose tables have become types.

    Parameters
    ----------
    relations : Relations
    individual : str
        The table of the individuals.
    """
    database, time = relations.database, relations.time
    return SourceLayout(
        individual,
        {
            name: LayoutTable(table.key, table.rowid, _columns(table, relations.date_formats), table.indexed)
            for name, table in database.tables.items()
        },
        tuple(_link(database, link) for link in relations.links),
        database.engine,
        database.condition,
        None if time is None else time.as_of,
        None if time is None else time.kind,
        0 if time is None else time.lead,
        None if time is None else time.until,
        {} if time is None else time.dated,
        database.missing_words,
        {} if time is None else time.dating,
    )


def _columns(table: SourceTable, laid_out: Mapping[tuple[str, str], str]) -> dict[str, Stored]:
    return {
        name: replace(table.stored.get(name, Stored()), layout=laid_out.get((table.name, name), ""))
        for name in table.sheet.columns
    }


def _link(database: Database, link: KeyLink) -> LayoutLink:
    key, match = link.match.foreign_key, link.match
    is_unique = match.single and database.tables[key.table].is_unique(key.columns)
    return LayoutLink(
        key.table,
        key.columns,
        key.to,
        key.key,
        link.name,
        link.back,
        link.joins,
        match.single and not link.joins,
        is_unique and not link.joins,
        match.compared,
    )


def said_by(layout: SourceLayout, database: Database) -> Database:
    """Return a database with the keys and links of a layout, as far as it has those tables and columns.

    Tables that the layout does not have are left out, as in training.
    """
    from structtree.data.readers.databases.keys import ForeignKey, KeyColumns

    values = KeyColumns(database.tables)
    known = {name: set(table.sheet.columns) for name, table in database.tables.items() if name in layout.tables}
    tables = {}
    for name, columns in known.items():
        key = layout.tables[name].key
        is_key = bool(key) and set(key) <= columns and values.is_unique(name, key)
        tables[name] = replace(database.tables[name], key=key if is_key else ())
    links = (
        ForeignKey(
            link.table, link.columns, link.to, link.key, name=None if link.joins else link.name, back=link.back
        )
        for link in layout.links
        if set(link.columns) <= known.get(link.table, set()) and set(link.key) <= known.get(link.to, set())
    )
    return replace(database, tables=tables, foreign_keys=tuple(links))
