"""Layouts: descriptions of the training tables, without their rows, that are stored in models.

A layout describes the tables with their keys and column storage, the foreign keys with the names of their links, the
condition for individuals, and the visible time range. With it another database with the same tables is linked as in
training (`apply_layout`), without guessing again, and the tests of a model can be translated to SQL.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from structtree.data.json_parts import JsonPart, members_json
from structtree.data.readers.databases.storage import Engine, Stored, ValueClass
from structtree.data.schema import Kind

if TYPE_CHECKING:  # the options import this module and must load fast
    from structtree.data.population import Population
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
    "layout_behind",
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
    """Links that follow a foreign key.

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
    """Date attributes of a type: those that date its rows, and those that are skipped.

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
    """Description of the source tables of a population.

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
        return members_json(self)

    @classmethod
    def from_json(cls, part: JsonPart) -> SourceLayout:
        """Create a layout from the output of `to_json`.

        Raises
        ------
        DataError
            If the value is not a layout.
        """
        layout: SourceLayout = part.as_dataclass(cls)
        if layout.individual not in layout.tables:
            part.fail(f"expected {layout.individual!r} among the tables")
        if not (layout.lead <= MOST_DAYS and abs(layout.until or 0.0) <= MOST_DAYS):
            part.fail(f"expected at most {MOST_DAYS:,} days")
        if not {kind for dates in layout.dated.values() for kind in dates.values()} <= {"date", "time"}:
            part.fail("expected dates or times as dated columns")
        if any(not len(link.columns) == len(link.key) == len(link.compared) for link in layout.links):
            part.fail("expected links with as many columns as key columns")
        return layout


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


def layout_behind(population: Population) -> SourceLayout | None:
    """Return the tables that individuals come from; None if their type is not one of these tables."""
    from structtree.data.provenance import provenance_of

    relations, individual = provenance_of(population).relations, population.schema.individual
    if relations is None or individual not in relations.database.tables:
        return None
    return layout_of(relations, individual)


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
    """Return a database with the keys and links of a layout whose tables and columns exist.

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
