"""Layouts: the description of the training tables that a model stores, without their rows.

A layout describes the tables with their keys and column storage, the foreign keys with the names of their links, the
condition for individuals, and the visible time range. With it another database with the same tables is linked as in
training (`apply_layout`), without guessing again, and the tests of a model can be translated to SQL.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, get_args

from structtree.data.readers.databases.storage import Engine, Stored, ValueClass
from structtree.data.schema import Kind
from structtree.errors import DataError

if TYPE_CHECKING:  # the options import this module and must load fast
    from structtree.data.readers.databases.keys import Database, SourceTable
    from structtree.data.readers.databases.linking import KeyLink, Relations

__all__ = [
    "MOST_DAYS",
    "Dating",
    "LayoutLink",
    "LayoutTable",
    "SourceLayout",
    "TypeDates",
    "apply_layout",
    "layout_of",
]

MOST_DAYS = 3_652_059
"""Number of days in the years 1 to 9999, the maximum distance of two dates."""


@dataclass(frozen=True, slots=True)
class LayoutTable:
    """A table with its key, the name of its row id, the storage of its columns, and its indexes."""

    key: tuple[str, ...] = ()
    rowid: str = "rowid"
    columns: Mapping[str, Stored] = field(default_factory=dict)
    indexed: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class LayoutLink:
    """Links along a foreign key.

    Parameters
    ----------
    table, columns, to, key
        As for `structtree.data.readers.databases.keys.ForeignKey`.
    name, back : str
        Names of the link along the key and of the reverse link.
    joins : bool
        Whether the table only joins two others, so that the reverse link leads on to the other one.
    single, back_single : bool
        Whether each link leads to at most one row.
    compared : tuple of str
        Type in which the values of each column are compared.
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
        Dates of a row, which exists from the earliest of them; empty for undated rows.
    skipped : mapping from str to str
        Attributes that reveal later events, with the reason.
    set_with : mapping from str to str
        Attributes that are set together with a date, with that date.
    revealing : mapping from str to str
        Attributes that show whether a date is set, with that date.
    """

    by: tuple[str, ...] = ()
    skipped: Mapping[str, str] = field(default_factory=dict)
    set_with: Mapping[str, str] = field(default_factory=dict)
    revealing: Mapping[str, str] = field(default_factory=dict)


Dating = Mapping[str, TypeDates]
"""Dates of each type that has any."""


@dataclass(frozen=True, slots=True)
class SourceLayout:
    """Source tables of a population.

    Parameters
    ----------
    individual : str
        Table of the individuals.
    tables : mapping from name to LayoutTable
    links : tuple of LayoutLink
    engine : {"sqlite", "duckdb"}, optional
        Database engine; None for other databases, files and data frames.
    condition : str, optional
        SQL condition for the individuals.
    as_of : str, optional
        Date attribute of the individuals, before which rows are visible.
    date_kind : str, optional
        Whether `as_of` is a date or a time.
    lead : int
        Prediction horizon in days.
    until : float, optional
        Last visible day, in days since 1970.
    dated : mapping from table to attributes with their kinds
        Date attributes of each dated table, whose earliest date counts; only with `as_of` or `until`.
    dating : mapping from table to TypeDates
        The same, and the columns that are skipped or set together with a date.
    missing_words : tuple of str
        Words for missing values in text files.
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
        """Return the layout as plain JSON values."""
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
        """Create a layout from the output of `to_json`.

        Raises
        ------
        DataError
            If the value is not a layout.
        """
        match value:
            case {"individual": str(individual), "tables": dict(tables), "links": list(links)} if (
                individual in tables
            ):
                found = cls(
                    individual,
                    {name: _table_from_json(table) for name, table in tables.items()},
                    tuple(map(_link_from_json, links)),
                    _optional_string(value.get("engine")),
                    _optional_string(value.get("condition")),
                    _optional_string(value.get("as_of")),
                    _optional_string(value.get("date_kind")),
                    int(_days(value.get("lead"), int, 0) or 0),
                    _days(value.get("until"), int | float, -MOST_DAYS),
                    {name: _kinds(columns) for name, columns in dict(value.get("dated", {})).items()},
                    _names(value.get("missing_words", [])),
                    {name: _dates_from_json(dates) for name, dates in dict(value.get("dating", {})).items()},
                )
                if found.engine in (None, *get_args(Engine)):
                    return found
        raise DataError("expected an object with individual, tables and links")


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
"""Defaults, which are not written."""


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
    raise DataError("expected an object of dates with their kinds")


def _dates_to_json(dates: TypeDates) -> dict[str, Any]:
    parts = {"by": list(dates.by), "skipped": dict(dates.skipped), "set_with": dict(dates.set_with)}
    return {name: part for name, part in parts.items() if part}


def _dates_from_json(value: Any) -> TypeDates:
    if isinstance(value, dict):
        skipped, set_with = _strings(value.get("skipped", {})), _strings(value.get("set_with", {}))
        return TypeDates(_names(value.get("by", [])), skipped, set_with)
    raise DataError("expected an object with the dates of a table")


def _strings(value: Any) -> dict[str, str]:
    if isinstance(value, dict) and all(isinstance(each, str) for each in value.values()):
        return dict(value)
    raise DataError("expected an object of strings")


def _optional_string(value: Any) -> Any:
    if value is None or isinstance(value, str):
        return value
    raise DataError(f"expected a string or null, got {value!r}")


def _days(value: Any, kind: Any, least: int) -> Any:
    """Return a number of days or None."""
    if value is None or (isinstance(value, kind) and not isinstance(value, bool) and least <= value <= MOST_DAYS):
        return value
    raise DataError(f"expected a number of days from {least:,} to {MOST_DAYS:,}")


# ---- layouts of databases --------------------------------------------------------------------------------


def layout_of(relations: Relations, individual: str) -> SourceLayout:
    """Return the layout of a database.

    Parameters
    ----------
    relations : Relations
    individual : str
        Table of the individuals.
    """
    database, time = relations.database, relations.time
    tables = {
        name: LayoutTable(table.key, table.rowid, _columns(table, relations.date_formats), table.indexed)
        for name, table in database.tables.items()
    }
    links = tuple(_link(database, link) for link in relations.links)
    layout = SourceLayout(individual, tables, links, database.engine, database.condition)
    layout = replace(layout, missing_words=database.missing_words)
    if time is None:
        return layout
    seen = replace(layout, as_of=time.as_of, date_kind=time.kind, lead=time.lead, until=time.until)
    return replace(seen, dated=time.dated, dating=time.dating)


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


def apply_layout(layout: SourceLayout, database: Database) -> Database:
    """Return a database with the keys and links of a layout, as far as it has these tables and columns.

    Tables that are not in the layout are skipped, as in training.
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
