"""Selections of individuals by predicates, as SQL views over the tables of the training database."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, get_args

from structtree.data.layouts import SourceLayout
from structtree.data.readers.databases.sqlite_files import sql_name
from structtree.data.readers.databases.storage import Engine
from structtree.data.schema import Schema
from structtree.errors import UnknownNameError, UsageError
from structtree.evaluation.score import class_name
from structtree.export.sql.tests import SqlRow, SqlTests, untrue
from structtree.export.sql.values import NotInSqlError, column_name, number_literal, text_literal
from structtree.lang import syntax as syn
from structtree.lang.background import Background
from structtree.lang.pretty import pretty

__all__ = ["SqlSelections", "answer_literal", "engine_of"]


def engine_of(layout: SourceLayout, dialect: str | None = None) -> Engine:
    """Return the SQL dialect: the given one, or that of the tables."""
    engine = dialect or layout.engine or "sqlite"
    if engine not in get_args(Engine):
        raise UnknownNameError("dialect", engine, get_args(Engine))
    return engine  # type: ignore[return-value]  # checked above


class SqlSelections:
    """Writer of SQL views that select individuals.

    Parameters
    ----------
    schema : Schema
        Schema of the predicates.
    layout : SourceLayout
        The tables.
    engine : {"sqlite", "duckdb"}
    background : Background
        Derived links and computed attributes.
    """

    def __init__(self, schema: Schema, layout: SourceLayout, engine: Engine, background: Background) -> None:
        self.layout = layout
        self.tests = SqlTests(schema, layout, engine, background)
        self.key = layout.tables[layout.individual].key

    def view(self, name: str, comments: Iterable[str], steps: Iterable[tuple[syn.Predicate, bool]]) -> str:
        """Return a view of the individuals for which each predicate has the given truth value."""
        row = self.tests.individual()
        conditions = []
        for predicate, truth in steps:
            condition = self.condition(predicate, row)
            conditions.append(f"({condition})" if truth else untrue(condition))
        where = "\n    AND ".join([*self.tests.selection(row), *conditions]) or "TRUE"
        return "\n".join(
            [
                *(f"-- {comment}" for comment in comments),
                f"CREATE VIEW {self.name(name)} AS",
                f"{self.tests.beginning()}SELECT {', '.join(self.columns(row))}",
                f"FROM {self.tests.source(row)}",
                f"WHERE {where};",
            ]
        )

    def name(self, name: str) -> str:
        """Return a name for a view that no table has."""
        while name.lower() in {table.lower() for table in self.layout.tables}:
            name += "_"
        return sql_name(name)

    def columns(self, row: SqlRow) -> list[str]:
        """Return the columns that identify individuals: their key, or row numbers."""
        if self.key:
            return [column_name(row.alias, column) for column in self.key]
        return [f"{each} AS row_id" for each in self.tests.identity(row)]

    def condition(self, test: syn.Predicate, row: SqlRow) -> str:
        """Return the condition that a row satisfies a predicate."""
        return self._written(self.tests.condition, test, row)

    def number(self, test: syn.Predicate, row: SqlRow) -> str:
        """Return the number of a row that a test compares."""
        return self._written(self.tests.number, test, row)

    def _written(self, write: Callable[[syn.Predicate, SqlRow], str], test: syn.Predicate, row: SqlRow) -> str:
        try:
            return write(test, row)
        except NotInSqlError as problem:
            raise UsageError(f"the test {pretty(test)!r} cannot be written as SQL: {problem}") from None


def answer_literal(answer: Any) -> str:
    """Return a prediction as a SQL literal.

    Examples
    --------
    >>> answer_literal("good"), answer_literal(2.5)
    ("'good'", '2.5e0')
    """
    return text_literal(class_name(answer)) if isinstance(answer, str | bool) else number_literal(float(answer))
