"""SQL queries for the figures of findings, over the source tables of the data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, Any

from structtree.arrays import Mask
from structtree.auditing.features import Feature
from structtree.data.dating import dated_by, dating_of
from structtree.data.layouts import SourceLayout
from structtree.data.population import Population
from structtree.data.readers.databases.storage import Engine
from structtree.data.schema import Attribute, Schema
from structtree.export.sql.tests import SqlRow, SqlTests
from structtree.export.sql.values import SqlValue, both, column_name, compared
from structtree.lang.background import Background

if TYPE_CHECKING:
    from structtree.auditing.case import Cutoffs

__all__ = ["Event", "Queries", "SqlColumn", "Writer"]


@dataclass(frozen=True, slots=True, eq=False)
class Event:
    """Event that is true for some individuals: a class, or a number above the median."""

    text: str
    is_true: Mask
    op: str
    value: Any


@dataclass(frozen=True, slots=True, eq=False)
class Writer:
    """Writer of SQL expressions about an individual, over visible rows, all rows, or rows before the cutoff."""

    row: SqlRow
    seen: SqlTests
    every: SqlTests
    before: SqlTests
    target: Attribute

    def feature(self, feature: Feature, tests: SqlTests | None = None) -> str:
        """Return the expression for a feature, by default over visible rows."""
        look_up = (tests or self.seen).look_up
        return _plain(look_up(self.row, feature.path, feature.attribute, feature.function, feature.value))

    def label(self) -> str:
        """Return the expression for the target."""
        return _plain(self.seen.column(self.row, self.target))

    def event(self, event: Event) -> str:
        """Return the expression that is 1 if an event is true, and 0 otherwise."""
        found = self.seen.column(self.row, self.target)
        value = int(event.value) if isinstance(event.value, bool) else event.value
        return f"CASE WHEN {compared(found, event.op, value)} THEN 1 ELSE 0 END"

    def same_day(self, feature: Feature, own: str, date: Attribute) -> str:
        """Return the expression for a feature, over rows with the same date as the individual."""
        mine = self.every.look_up(self.row, own.split(".")[:-1], own.split(".")[-1])

        def is_same(row: SqlRow) -> str:
            theirs = self.every.column(row, date)
            are_days = mine.domain == theirs.domain == "days"
            return f"{theirs.sql} = {mine.sql}" if are_days else f"{theirs.number} = {mine.number}"

        return _plain(self.every.look_up(self.row, feature.path, feature.attribute, feature.function, None, is_same))

    def raw(self, column: str) -> str:
        """Return the expression for a stored column of the individuals' table."""
        return column_name(self.row.alias, column)


def _plain(value: SqlValue) -> str:
    return value.number if value.domain in ("number", "flag") else value.sql


SqlColumn = Callable[[Writer], str]


@dataclass(frozen=True, slots=True, eq=False)
class Queries:
    """Writer of queries over the labelled individuals.

    Parameters
    ----------
    layout : SourceLayout
        Layout with the time limits of the population, if any.
    dated : SourceLayout
        Layout limited to rows before the cutoffs, even if the population is not.
    whole, seen : Schema
    target : Attribute
    engine : {"sqlite", "duckdb"}
    """

    layout: SourceLayout
    dated: SourceLayout
    whole: Schema
    seen: Schema
    target: Attribute
    engine: Engine

    @classmethod
    def of(
        cls, layout: SourceLayout, whole: Population, seen: Population, target: Attribute, cutoffs: Cutoffs | None
    ) -> Queries:
        """Return the writer for the tables of a layout."""
        dated = layout
        if cutoffs is not None and layout.as_of is None:
            dating = dating_of(whole, inf)
            dates = dated_by(whole, dating)
            dated = replace(layout, as_of=cutoffs.path, date_kind=cutoffs.kind, dated=dates, dating=dating)
        return cls(layout, dated, whole.schema, seen.schema, target, layout.engine or "sqlite")

    def text(self, columns: Mapping[str, SqlColumn], select: str) -> str:
        """Return a query on a table ``f`` with one row per labelled individual and the given columns.

        Raises
        ------
        NotInSqlError
            If a column cannot be written as SQL.
        """
        timeless = replace(self.layout, as_of=None, until=None, dated={})
        plans = ((self.seen, self.layout, 0), (self.whole, timeless, 100), (self.whole, self.dated, 200))
        seen, every, before = (
            SqlTests(schema, layout, self.engine, Background(schema), n) for schema, layout, n in plans
        )
        writer = Writer(seen.individual(), seen, every, before, self.target)
        chosen = ",\n       ".join(f"{write(writer)} AS {name}" for name, write in columns.items())
        where = both((f"{writer.label()} IS NOT NULL", *seen.selection(writer.row)))
        seen.copies |= every.copies | before.copies
        beginning = seen.beginning().rstrip()
        beginning = f"{beginning},\n" if beginning else "WITH "
        return f"{beginning}f AS (\n  SELECT {chosen}\n  FROM {seen.source(writer.row)}\n  WHERE {where}\n)\n{select}"
