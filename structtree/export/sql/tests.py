"""Translation of predicates to SQL conditions: one recursive function over the forms of the language.

A row of a type is an alias of a table. A link becomes a subquery joined by its key, a derived link a subquery joined
along its path. A test of a missing value is NULL, which counts as false wherever it matters. As of a date, every
alias has the condition that its row is visible to the individual.

Law: a condition is true for exactly the rows for which `structtree.space.evaluate` returns true.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, assert_never

from structtree.arrays import EXACT
from structtree.data.as_of import DAYS_BEFORE
from structtree.data.dates import DAY
from structtree.data.layouts import LayoutLink, SourceLayout
from structtree.data.readers.databases.sqlite_files import sql_name
from structtree.data.readers.databases.storage import Engine, Stored
from structtree.data.schema import FAR_ROW, Attribute, Kind, RecordType, Schema
from structtree.export.arithmetic import InfixNotation, TypedText
from structtree.export.sql.values import (
    NotInSqlError,
    SqlValue,
    any_of,
    both,
    column_name,
    comparable,
    compared,
    date_part,
    key_value,
    number_literal,
    own_moment,
    stored_value,
    text_literal,
)
from structtree.lang import syntax as syn
from structtree.lang.background import (
    Background,
    ComputedAttribute,
    ComputedCycles,
    ComputedEquality,
    ComputedLink,
    ComputedNeighbourhood,
    Hop,
    Repeated,
)

__all__ = ["SUM_SLACK", "SqlRow", "SqlTests"]

_OfRows = ComputedAttribute | ComputedCycles | ComputedEquality | ComputedNeighbourhood

SUM_SLACK = 1e-12
"""Relative tolerance in comparisons of sums of reals, which databases add in another order."""


@dataclass(frozen=True, slots=True)
class SqlRow:
    """Row in a query: its table alias, its type, and the row from which it was reached.

    Parameters
    ----------
    alias : str
        Alias of its table.
    type, table : str
    parent : SqlRow, optional
        Row that it was reached from.
    via : str
        Link by which it was reached.
    pair : ComputedLink, optional
        Derived link whose pairs have attributes, if the row is the end of one.
    begun : SqlRow, optional
        Row at which that derived link begins.
    owner : SqlRow, optional
        Row that ``my`` refers to in the condition of a derived link.
    is_copied : bool
        Whether the query selects from a copy of the table.
    """

    alias: str
    type: str
    table: str
    parent: SqlRow | None = None
    via: str = ""
    pair: ComputedLink | None = None
    begun: SqlRow | None = None
    owner: SqlRow | None = None
    is_copied: bool = False

    @property
    def root(self) -> SqlRow:
        """The individual."""
        row = self
        while row.parent is not None:
            row = row.parent
        return row


class _Rows(NamedTuple):
    """Rows behind a link, as the tables and conditions that select them."""

    row: SqlRow
    tables: tuple[str, ...]
    conditions: tuple[str, ...]

    def where(self, *more: str) -> str:
        """Return the FROM and WHERE clauses for these rows."""
        return f"FROM {', '.join(self.tables)} WHERE {both((*self.conditions, *more))}"

    def exists(self, *more: str) -> str:
        return f"EXISTS (SELECT 1 {self.where(*more)})"


class _Typed(NamedTuple):
    """SQL value and its attribute."""

    value: SqlValue
    attribute: Attribute


@dataclass(slots=True)
class SqlTests:
    """Translator of the tests of a model to SQL conditions.

    Parameters
    ----------
    schema : Schema
        Schema of the tests.
    layout : SourceLayout
        Source tables.
    engine : {"sqlite", "duckdb"}
    background : Background
        Derived links and computed attributes.
    n_aliases : int
        Number of aliases so far.
    copies : dict from table to name
        Tables that queries select from through a copy; see `beginning`.
    """

    schema: Schema
    layout: SourceLayout
    engine: Engine
    background: Background
    n_aliases: int = 0
    copies: dict[str, str] = field(default_factory=dict)
    _links: dict[tuple[str, str], ComputedLink] = field(init=False)
    _attributes: dict[tuple[str, str], _OfRows] = field(init=False)
    _tables: Mapping[str, str] = field(init=False)

    def __post_init__(self) -> None:
        steps = self.background.steps
        self._links = {(s.type, s.link.name): s for s in steps if isinstance(s, ComputedLink)}
        self._attributes = {(s.type, s.attribute.name): s for s in steps if not isinstance(s, ComputedLink)}
        self._tables = _tables_of(self.schema, self.layout)

    def individual(self) -> SqlRow:
        """Return a row of the individuals' table."""
        return SqlRow(self._alias(self.layout.individual), self.schema.individual, self.layout.individual)

    def source(self, row: SqlRow) -> str:
        """Return the table of a row with its alias, for a FROM clause."""
        return f"{sql_name(self.copies[row.table] if row.is_copied else row.table)} AS {row.alias}"

    def selection(self, row: SqlRow) -> list[str]:
        """Return the user's condition that selects the individuals, if any."""
        if self.layout.condition is None:
            return []
        table = self.layout.tables[row.table]
        ids = [table.rowid] if table.rowid else list(map(sql_name, table.key))
        left = ", ".join(self.identity(row))
        inner = f"SELECT {', '.join(ids)} FROM {sql_name(row.table)} WHERE ({self.layout.condition}\n)"
        return [f"{f'({left})' if len(ids) > 1 else left} IN ({inner})"]

    def beginning(self, tables: Sequence[str] = ()) -> str:
        """Return the WITH clause for the conditions written so far and further tables, and start a new query.

        SQLite scans a whole table for each lookup by a column without an index; for a copy made by the query it
        builds an index first, if that pays off.
        """
        copies = []
        for table, name in self.copies.items():
            rowid = self.layout.tables[table].rowid
            number = f"{rowid} AS {rowid}, " if rowid else ""
            copies.append(f"{sql_name(name)} AS MATERIALIZED (SELECT {number}* FROM {sql_name(table)})")
        self.copies = {}
        found = ",\n".join([*copies, *tables])
        return f"WITH {found}\n" if found else ""

    def _is_copied(self, table: str, columns: Sequence[str]) -> bool:
        """Return whether lookups should use a copy of a table; if so, request the copy."""
        if self.engine != "sqlite" or any(set(columns) == set(each) for each in self.layout.tables[table].indexed):
            return False
        name = f"{table} rows"
        while name in self.layout.tables:
            name += "_"
        self.copies[table] = name
        return True

    def identity(self, row: SqlRow) -> tuple[str, ...]:
        """Return the columns that identify a row: its number, or its key."""
        table = self.layout.tables[row.table]
        if table.rowid:
            return (f"{row.alias}.{table.rowid}",)
        if table.key:
            return tuple(column_name(row.alias, column) for column in table.key)
        raise NotInSqlError(f"the rows of {row.table} have neither a row number nor a key")

    def _same(self, one: SqlRow, other: SqlRow) -> str:
        pairs = zip(self.identity(one), self.identity(other), strict=True)
        return both(f"{mine} = {theirs}" for mine, theirs in pairs)

    def _alias(self, table: str) -> str:
        first = next((sign.lower() for sign in table if sign.isascii() and sign.isalpha()), "t")
        self.n_aliases += 1
        return f"{first}{self.n_aliases}"

    # ---- predicates

    def condition(self, predicate: syn.Predicate, row: SqlRow) -> str:
        """Return the condition that is true if a row satisfies a predicate, and false or NULL otherwise."""
        match predicate:
            case syn.Top():
                return "TRUE"
            case syn.Flag(attribute, positive):
                return f"{self._value(row, attribute).value.number} = {int(positive)}"
            case syn.Compare(attribute, op, value):
                return compared(self._value(row, attribute).value, op, value)
            case syn.CompareOwn(path, op, other):
                return self._compared(self._at(row, path), op, self._at(row, other), path)
            case syn.CompareMine(path, op, mine):
                assert row.owner is not None
                return self._compared(self._at(row, path), op, self._at(row.owner, mine), path)
            case syn.Me():
                assert row.owner is not None
                return self._same(row, row.owner)
            case syn.Among(attribute, values):
                return self._among(self._value(row, attribute).value, values)
            case syn.Within(attribute, low, high, closed):
                found = self._value(row, attribute).value
                return both((compared(found, ">=", low), compared(found, "<=" if closed else "<", high)))
            case syn.Missing(member):
                if self._record(row).link(member) is not None:
                    return f"NOT {self._behind(row, member).exists()}"
                return f"{self._value(row, member).value.sql} IS NULL"
            case syn.Named(_, body):
                assert body is not None
                return self.condition(body, row)
            case syn.Follow(link, inner) | syn.Exists(link, inner):
                rows = self._behind(row, link)
                return rows.exists(self.condition(inner, rows.row))
            case syn.No(link, inner):
                rows = self._behind(row, link)
                return f"NOT {rows.exists(self.condition(inner, rows.row))}"
            case syn.All(link, inner):
                rows = self._behind(row, link)
                return f"NOT {rows.exists(untrue(self.condition(inner, rows.row)))}"
            case syn.Count(link, inner, op, n):
                return self._count(self._behind(row, link), inner, op, n)
            case syn.ListStep():
                return self._list_step(predicate, row)
            case syn.Aggregate():
                return self._aggregate(predicate, row)
            case syn.Distinct(link, inners):
                return self._distinct(row, link, inners)
            case syn.And(parts):
                return both(self.condition(part, row) for part in parts)
            case syn.Or(parts):
                return any_of(self.condition(part, row) for part in parts)
            case syn.Not(inner):
                return untrue(self.condition(inner, row))
            case _ as never:
                assert_never(never)

    def _among(self, value: SqlValue, values: Sequence[Any]) -> str:
        if value.domain in ("days", "stored number"):
            return any_of(compared(value, "=", each) for each in values)
        shown = (text_literal(str(v)) if value.domain == "text" else number_literal(v) for v in values)
        return f"{value.sql if value.domain == 'text' else comparable(value, values)} IN ({', '.join(shown)})"

    def _count(self, rows: _Rows, inner: syn.Predicate, op: str, n: Any) -> str:
        inside = self.condition(inner, rows.row)
        if op == ">=" and n == 1:
            return rows.exists(inside)
        return f"(SELECT COUNT(*) {rows.where(inside)}) {op} {number_literal(n)}"

    def _distinct(self, row: SqlRow, link: str, inners: Sequence[syn.Predicate]) -> str:
        found = [self._behind(row, link) for _ in inners]
        tables = [table for rows in found for table in rows.tables]
        conditions = [condition for rows in found for condition in rows.conditions]
        conditions += [self.condition(inner, rows.row) for rows, inner in zip(found, inners, strict=True)]
        for i, one in enumerate(found):
            conditions += [f"NOT ({self._same(one.row, other.row)})" for other in found[i + 1 :]]
        return f"EXISTS (SELECT 1 FROM {', '.join(tables)} WHERE {both(conditions)})"

    # ---- lists

    def _list_step(self, step: syn.ListStep, row: SqlRow) -> str:
        if step.link is not None:
            rows, other = self._behind(row, step.link), self._behind(row, step.link)
            nearer = self._comes_before(other.row, rows.row, step.step == "last")
            return rows.exists(f"NOT {other.exists(nearer)}", self.condition(step.inner, rows.row))
        owner, via = (row.parent, row.via) if row.pair is None else (row.begun, row.pair.link.name)
        link = None if owner is None else self._record(owner).link(via)
        if owner is None or link is None or link.kind != "list":
            raise NotInSqlError(f"{step.step!r} is supported only after following a list")
        rows, between = self._behind(owner, via), self._behind(owner, via)
        backwards = step.step == "previous"
        after = self._comes_before(row, rows.row, backwards)
        if step.step == "later":
            return rows.exists(after, self.condition(step.inner, rows.row))
        nearer = both(
            (self._comes_before(row, between.row, backwards), self._comes_before(between.row, rows.row, backwards))
        )
        return rows.exists(after, f"NOT {between.exists(nearer)}", self.condition(step.inner, rows.row))

    def _list_place(self, row: SqlRow) -> list[str]:
        """Return the sort key of the rows behind a link; the order of a derived list comes first."""
        order = None if row.pair is None else row.pair.order
        if order is None:
            return list(self.identity(row))
        key = self._value(row, order.attribute).value.number
        return [f"{key} IS NULL", f"-({key})" if order.descending else str(key), *self.identity(row)]

    def _comes_before(self, one: SqlRow, other: SqlRow, backwards: bool) -> str:
        """Return the condition that a list element precedes another; with `backwards`, that it follows."""
        order = None if one.pair is None else one.pair.order
        first, second = (one, other) if not backwards else (other, one)
        id_a, id_b = (", ".join(self.identity(row)) for row in (first, second))
        if "," in id_a:
            id_a, id_b = f"({id_a})", f"({id_b})"
        if order is None:
            return f"{id_a} < {id_b}"
        a, b = (self._value(row, order.attribute).value.number for row in (first, second))
        sign = ">" if order.descending else "<"
        # missing values come last, ties in the order of the rows
        return any_of(
            (
                f"{a} {sign} {b}",
                f"{a} IS NOT NULL AND {b} IS NULL",
                f"({a} = {b} OR ({a} IS NULL AND {b} IS NULL)) AND {id_a} < {id_b}",
            )
        )

    # ---- aggregates

    def _aggregate(self, test: syn.Aggregate, row: SqlRow) -> str:
        found, is_rounded = self._aggregated(test, row)
        limit: Any = test.value
        if is_rounded and test.op in (">=", "<="):
            slack = SUM_SLACK * abs(float(limit))
            limit = float(limit) - slack if test.op == ">=" else float(limit) + slack
        if test.function != "deviation":
            return compared(found, test.op, limit)
        if limit < 0:
            return f"{found.number} IS NOT NULL" if test.op in (">=", "!=") else "FALSE"
        return compared(found, test.op, limit * limit)

    def _aggregated(self, test: syn.Aggregate, row: SqlRow) -> tuple[SqlValue, bool]:
        """Return an aggregate, and whether SQL may round it differently than structtree does."""
        rows = self._behind(row, test.link)
        inside = "TRUE" if test.inner is None else self.condition(test.inner, rows.row)
        if test.attribute is None:
            share = f"(SELECT AVG(CASE WHEN {inside} THEN 1.0 ELSE 0.0 END) {rows.where()})"
            return SqlValue.of_number(share), False
        found, kind = self._value(rows.row, test.attribute)
        order = None if test.order is None else self._value(rows.row, test.order)
        present = [f"{found.sql} IS NOT NULL", *([] if order is None else [f"{order.value.sql} IS NOT NULL"])]
        clauses = rows.where(inside, *present)
        is_real = kind.kind == "real"
        if not is_real and test.function in ("sum", "mean"):
            _require_exact_sums(test)
        match test.function:
            case "sum":
                total = f"(SELECT TOTAL({found.number}) {clauses})"
                if self.engine == "duckdb":
                    total = f"(SELECT COALESCE(SUM(CAST({found.number} AS DOUBLE)), 0) {clauses})"
                return SqlValue.of_number(total), is_real
            case "mean":
                return SqlValue.of_number(f"(SELECT AVG({found.number}) {clauses})"), is_real
            case "min" | "max":
                name = test.function.upper()
                sql, number = (f"(SELECT {name}({each}) {clauses})" for each in (found.sql, found.number))
                return SqlValue(sql, found.domain, number), False
            case "range":
                unit = f" / {DAY}" if kind.kind == "time" else ""
                span = f"(SELECT (MAX({found.number}) - MIN({found.number})){unit} {clauses})"
                return SqlValue.of_number(span), False
            case "distinct":
                each = found.number if found.domain == "number" else found.sql
                return SqlValue.of_number(f"(SELECT COUNT(DISTINCT {each}) {clauses})"), False
            case "latest" | "earliest":
                return self._outermost(test, _Typed(found, kind), order, rows, clauses), False
            case "deviation":
                return self._squared_deviation(test, row), True
            case "trend":
                return self._trend(test, row), True
            case _:
                raise NotInSqlError(f"the aggregate {test.function!r} is not supported")

    def _outermost(
        self, test: syn.Aggregate, found: _Typed, order: _Typed | None, rows: _Rows, clauses: str
    ) -> SqlValue:
        down = " DESC" if test.function == "latest" else ""
        value = found.value
        if found.attribute.kind == "bool":
            value = SqlValue(f"CASE {value.number} WHEN 1 THEN 'true' WHEN 0 THEN 'false' END", "text")
        ordered = [*([] if order is None else [order.value.number]), *self._list_place(rows.row)]
        by = ", ".join(f"o{place}{down}" for place in range(len(ordered)))
        named = ", ".join(f"{each} AS o{place}" for place, each in enumerate(ordered))
        # SQLite allows references to the outer query in WHERE, but not in ORDER BY.
        sql, number = (
            f"(SELECT v FROM (SELECT {each} AS v, {named} {clauses}) ORDER BY {by} LIMIT 1)"
            for each in (value.sql, value.number or "NULL")
        )
        return SqlValue(sql, value.domain, number)

    def _numbers_behind(self, test: syn.Aggregate, row: SqlRow) -> tuple[_Rows, str, str, str]:
        """Return the rows of an aggregate, with new aliases, and their condition, value and order."""
        rows = self._behind(row, test.link)
        inside = "TRUE" if test.inner is None else self.condition(test.inner, rows.row)
        value = self._value(rows.row, str(test.attribute)).value.number
        conditions, order = [inside, f"{value} IS NOT NULL"], ""
        if test.order is not None:
            found, attribute = self._value(rows.row, test.order)
            order = own_moment(found, attribute.kind) if attribute.kind in ("date", "time") else found.number
            conditions.append(f"{order} IS NOT NULL")
        return rows, both(conditions), value, order

    def _squared_deviation(self, test: syn.Aggregate, row: SqlRow) -> SqlValue:
        """Return the sample variance, since SQLite may lack square roots."""
        rows, counted, value, _ = self._numbers_behind(test, row)
        again, same, other, _ = self._numbers_behind(test, row)
        mean = f"(SELECT AVG({other}) {again.where(same)})"
        squares = f"SUM(({value} - {mean}) * ({value} - {mean})) / (COUNT(*) - 1)"
        spread = f"CASE WHEN MIN({value}) = MAX({value}) THEN 0 ELSE {squares} END"
        return SqlValue.of_number(f"(SELECT CASE WHEN COUNT(*) > 1 THEN {spread} END {rows.where(counted)})")

    def _trend(self, test: syn.Aggregate, row: SqlRow) -> SqlValue:
        if test.order is None:
            raise NotInSqlError("trends over list positions are not supported")
        rows, counted, value, place = self._numbers_behind(test, row)
        again, same, other, theirs = self._numbers_behind(test, row)
        up, across = (f"(SELECT AVG({each}) {again.where(same)})" for each in (other, theirs))
        slope = f"SUM(({place} - {across}) * ({value} - {up})) / SUM(({place} - {across}) * ({place} - {across}))"
        known = f"CASE WHEN MIN({value}) = MAX({value}) THEN 0 ELSE {slope} END"
        sql = f"(SELECT CASE WHEN MIN({place}) < MAX({place}) THEN {known} END {rows.where(counted)})"
        return SqlValue.of_number(sql)

    # ---- values

    def number(self, test: syn.Predicate, row: SqlRow) -> str:
        """Return the number that a test compares, as an expression that is NULL if it is missing."""
        match test:
            case syn.Follow(link, inner):
                rows = self._behind(row, link)
                return f"(SELECT {self.number(inner, rows.row)} {rows.where()})"
            case syn.Count(link, inner):
                rows = self._behind(row, link)
                return f"(SELECT COUNT(*) {rows.where(self.condition(inner, rows.row))})"
            case syn.Compare(attribute):
                return self._value(row, attribute).value.number
            case syn.Aggregate():
                number = self._aggregated(test, row)[0].number
                return f"SQRT({number})" if test.function == "deviation" else number
            case _:
                raise NotInSqlError("it compares no number")

    def column(self, row: SqlRow, attribute: Attribute) -> SqlValue:
        """Return a column of the table of a row, whether or not it is in the schema of the tests."""
        return self._column(row.alias, row.table, attribute)

    def look_up(
        self,
        row: SqlRow,
        path: Sequence[str],
        attribute: str | None,
        function: str = "",
        value: str | None = None,
        only: Callable[[SqlRow], str] | None = None,
    ) -> SqlValue:
        """Return the value at the end of a path of references, or an aggregate of the rows behind its last link.

        Parameters
        ----------
        row : SqlRow
        path : sequence of str
            Links to follow.
        attribute : str or None
            Attribute of the rows at the end; None to count them.
        function : {"", "count", "sum", "mean", "min", "max", "is"}
            Aggregate over the rows behind the last link; empty for a reference.
        value : str, optional
            For ``is``: the category whose rows are counted.
        only : function, optional
            Condition on the rows behind the last link.
        """
        if not path:
            assert attribute is not None
            return self._value(row, attribute).value
        rows = self._behind(row, path[0])
        if len(path) > 1 or not function:
            inner = self.look_up(rows.row, path[1:], attribute, function, value, only)
            sql, number = (f"(SELECT {each} {rows.where()})" if each else "" for each in (inner.sql, inner.number))
            return SqlValue(sql, inner.domain, number)
        where = rows.where(*([] if only is None else [only(rows.row)]))
        if attribute is None:
            return SqlValue.of_number(f"(SELECT COUNT(*) {where})")
        found = self._value(rows.row, attribute).value
        if function == "is":
            counted = f"COALESCE(SUM(CASE WHEN {compared(found, '=', value)} THEN 1 ELSE 0 END), 0)"
            return SqlValue.of_number(f"(SELECT {counted} {where})")
        name = {"mean": "AVG"}.get(function, function.upper())
        sql, number = (f"(SELECT {name}({each}) {where})" if each else "" for each in (found.sql, found.number))
        return SqlValue(sql, found.domain, number)

    def _record(self, row: SqlRow) -> RecordType:
        return self.schema.type(row.type)

    def _base(self, row: SqlRow) -> str:
        """Return the type of the underlying row; for a pair, the type of its linked row."""
        return self.schema.rows_of(row.type)

    def _value(self, row: SqlRow, name: str) -> _Typed:
        """Return the value of an attribute of a row, or of one component of a date."""
        record = self._record(row)
        part_of_date = record.attribute_or_part(name)
        if record.attribute(name) is None and part_of_date is not None:
            base, _, part = name.rpartition(".")
            value, attribute = self._value(row, base)
            return _Typed(SqlValue.of_number(date_part(value, attribute.kind, part, self.engine)), part_of_date)
        own = [] if row.pair is None else [each for each in row.pair.attributes if each.attribute.name == name]
        if own:
            return self._computed(own[0].expression, replace(row, owner=row.begun), name)
        step = self._attributes.get((self._base(row), name))
        if isinstance(step, ComputedCycles):
            raise NotInSqlError(f"it uses {name!r}, a number of cycles")
        if isinstance(step, ComputedNeighbourhood):
            raise NotInSqlError(f"it uses {name!r}, a neighbourhood")
        if isinstance(step, ComputedEquality):
            raise NotInSqlError(f"it uses {name!r}, an equality of collections")
        if step is not None:
            return self._computed(step.expression, row, name)
        declared = record.attribute(name) or self.schema.type(self._base(row)).attribute(name)
        assert declared is not None  # the test was checked
        if self.layout.as_of is None:
            return _Typed(self._past(row, declared), declared)
        if name == DAYS_BEFORE and row.parent is not None and row.table in self.layout.dated:
            return _Typed(SqlValue.of_number(self._days_before(row)), declared)
        other = record.attribute(name.removeprefix(f"{DAYS_BEFORE}_"))
        if other is not None and other.name != name and name not in self.layout.tables[row.table].columns:
            days = own_moment(self._past(row, other), other.kind)
            return _Typed(SqlValue.of_number(f"({self._limit(row.root)} - {days})"), declared)
        return _Typed(self._past(row, declared), declared)

    def _column(self, alias: str, table: str, attribute: Attribute) -> SqlValue:
        name = attribute.name
        if name not in self.layout.tables[table].columns:
            raise NotInSqlError(f"{name!r} is not a column of {table}")
        stored = self._stored(table, name)
        words = self.layout.missing_words
        return stored_value(column_name(alias, name), attribute, stored, self.engine, words, f"{table}.{name}")

    def _past(self, row: SqlRow, attribute: Attribute) -> SqlValue:
        """Return an attribute as of the individual's date, with NULL for values that were set later."""
        value = self._column(row.alias, row.table, attribute)
        date = self._dated_with(row, attribute)
        if date is None:
            return value
        found = value if date == attribute else self._column(row.alias, row.table, date)
        days, limit = own_moment(found, date.kind), self._last(row)
        past = f"{days} + 1 <= {limit}" if date.kind == "date" else f"{days} < {limit}"
        if date != attribute:  # a value without a date is known
            past = any_of((f"{days} IS NULL", past))
        sql, number = (f"CASE WHEN {past} THEN {each} END" for each in (value.sql, value.number))
        return SqlValue(sql, value.domain, number)

    def _dated_with(self, row: SqlRow, attribute: Attribute) -> Attribute | None:
        """Return the date from which an attribute of a row is known; None if it is always known."""
        layout = self.layout
        dates = layout.dating.get(row.table)
        if layout.as_of is None and layout.until is None:
            return None
        if attribute.kind in ("date", "time"):
            return None if attribute.name in self._always_known(row) else attribute
        name = None if dates is None else dates.set_with.get(attribute.name)
        of_individual = row.parent is None if layout.as_of is not None else row.table == layout.individual
        if name is None or of_individual:
            return None
        date = self.schema.given.type(self._base(row)).attribute(name)
        if date is None:
            raise NotInSqlError(f"{attribute.name!r} is dated by {name!r}, which the model does not contain")
        return date

    def _always_known(self, row: SqlRow) -> Collection[str]:
        """Return the date attributes of a row that are known whenever the row is visible."""
        if row.parent is None and self.layout.as_of is not None:
            return (self.layout.as_of,)
        dates = self.layout.dated.get(row.table, {})
        is_frozen_individual = self.layout.as_of is None and row.table == self.layout.individual
        return dates if len(dates) == 1 or is_frozen_individual else ()

    def _last(self, row: SqlRow) -> str:
        """Return the exclusive end of the time visible from a row, in days."""
        if self.layout.as_of is None:
            assert self.layout.until is not None  # or everything is known
            return number_literal(self.layout.until + 1)
        return self._limit(row.root) if row.parent is not None else self._own_days(row)

    def _stored(self, table: str, column: str) -> Stored:
        """Return the storage format of a column; only its layout if the engine is another than in training."""
        stored = self.layout.tables[table].columns[column]
        return stored if self.layout.engine == self.engine else Stored(layout=stored.layout)

    def _at(self, row: SqlRow, path: syn.ValuePath) -> _Typed:
        """Return the value at the end of a path of references."""
        record = self._record(row)
        if len(path) == 1 or record.attribute_or_part(".".join(path)) is not None:
            return self._value(row, ".".join(path))
        rows = self._behind(row, path[0])
        value, attribute = self._at(rows.row, path[1:])
        parts = (value.sql, value.number, value.text)
        sql, number, text = (f"(SELECT {each} {rows.where()})" if each else "" for each in parts)
        return _Typed(SqlValue(sql, value.domain, number, text), attribute)

    def _compared(self, one: _Typed, op: str, other: _Typed, path: syn.ValuePath) -> str:
        """Return the condition that compares two values; categories are compared as text."""
        sign, kinds = "<>" if op == "!=" else op, (one.attribute.kind, other.attribute.kind)
        is_ranked = one.attribute.values == other.attribute.values and "nominal" not in kinds
        if "nominal" in kinds or ("ordered" in kinds and op in ("=", "!=") and not is_ranked):
            a, b = (each.value.text or each.value.sql for each in (one, other))
            are_texts = all(each.value.text or each.value.domain == "text" for each in (one, other))
            if not are_texts and not one.value.domain == other.value.domain == "stored number":
                raise NotInSqlError(f"{'.'.join(path)!r} is compared with categories in another format")
            return f"{a} {sign} {b}"
        if set(kinds) == {"date", "time"}:
            a, b = (
                f"{each.value.number} * {DAY}" if each.attribute.kind == "date" else each.value.number
                for each in (one, other)
            )
            return f"{a} {sign} {b}"
        if one.value.domain == other.value.domain == "days":
            return f"{one.value.sql} {sign} {other.value.sql}"
        return f"{one.value.number} {sign} {other.value.number}"

    # ---- expressions

    def _computed(self, expression: syn.Expression, row: SqlRow, name: str) -> _Typed:
        def operand(value: syn.Operand) -> TypedText:
            at = row.owner if value.mine else row
            assert at is not None
            found = self._at(at, value.path)
            return TypedText(found.value.number, found.attribute.kind)

        quotient = "({} * 1.0e0 / NULLIF({}, 0))".format
        sql, kind = InfixNotation(operand, number_literal, quotient).translated(expression)
        return _Typed(SqlValue.of_number(f"({sql})"), Attribute(name, kind))

    # ---- links

    def _behind(self, row: SqlRow, link: str) -> _Rows:
        """Return the visible rows behind a link of a row."""
        declared = self._record(row).link(link)
        assert declared is not None  # the test was checked
        step = self._links.get((row.type, link)) or self._links.get((self._base(row), link))
        if step is not None:
            return self._derived(row, step)
        rows = self._joined(row, _found(self.layout, row.table, link), declared.target, link)
        return rows._replace(conditions=(*rows.conditions, *self._seen(rows.row)))

    def _itself(self, row: SqlRow) -> _Rows:
        """Return a query that selects only a given row."""
        same = replace(row, alias=self._alias(row.table))
        return _Rows(same, (self.source(same),), (self._same(same, row),))

    def _joined(self, row: SqlRow, route: _Route, target: str, name: str) -> _Rows:
        """Return the rows of another table that a key refers to, including rows that are not visible."""
        columns = route.link.key if route.forth else route.link.columns
        is_copied = self._is_copied(route.table, columns if route.other is None else route.other.key)
        made = SqlRow(self._alias(route.table), target, route.table, row, name, owner=row.owner, is_copied=is_copied)
        if route.other is None:
            return _Rows(made, (self.source(made),), (self._join(route.link, row, made, route.forth),))
        is_copied = self._is_copied(route.link.table, route.link.columns)
        between = SqlRow(self._alias(route.link.table), "", route.link.table, is_copied=is_copied)
        inside = both((self._join(route.link, between, row, True), self._join(route.other, between, made, True)))
        return _Rows(made, (self.source(made),), (f"EXISTS (SELECT 1 FROM {self.source(between)} WHERE {inside})",))

    def _join(self, link: LayoutLink, one: SqlRow, other: SqlRow, forth: bool) -> str:
        """Return the condition that one row refers to the other by a foreign key; `forth` is the direction."""
        child, parent = (one, other) if forth else (other, one)
        parts, mine = [], []
        for column, key, kind in zip(link.columns, link.key, link.compared, strict=True):
            here, there = self._stored(link.table, column), self._stored(link.to, key)
            a = key_value(column_name(child.alias, column), here, kind, there, self.engine)
            b = key_value(column_name(parent.alias, key), there, kind, here, self.engine)
            a, b = (b, a) if forth else (a, b)  # the new row comes first
            mine.append(a)
            parts.append((a, b))
        if len(parts) == 1:
            return f"{parts[0][0]} = {parts[0][1]}"
        equal = "IS" if self.engine == "sqlite" else "IS NOT DISTINCT FROM"
        same = (f"{a} {equal} {b}" for a, b in parts)
        return both((*same, any_of(f"{each} IS NOT NULL" for each in mine)))

    def _derived(self, row: SqlRow, step: ComputedLink) -> _Rows:
        """Return the distinct rows behind a derived link."""
        here, tables, conditions = row, list[str](), list[str]()
        repeats = False
        for hop in step.walk:
            if isinstance(hop, Repeated):
                raise NotInSqlError(f"the path of {step.link.name!r} is recursive")
            rows, is_single = self._hop(here, hop)
            repeats |= not is_single and hop is not step.walk[-1]
            here = rows.row
            tables += rows.tables
            conditions += rows.conditions
        pair = step if step.declared.has_pairs else None
        made = replace(here, type=step.link.target, pair=pair, begun=row, owner=row.owner)
        if not tables:
            return self._condition_of(self._itself(made), step, row)
        if repeats and self.layout.as_of is None:
            once = replace(made, alias=self._alias(made.table))
            ids = [", ".join(self.identity(each)) for each in (once, made)]
            left = f"({ids[0]})" if "," in ids[0] else ids[0]
            inner = f"{left} IN (SELECT {ids[1]} FROM {', '.join(tables)} WHERE {both(conditions)})"
            return self._condition_of(_Rows(once, (self.source(once),), (inner,)), step, row)
        return self._condition_of(_Rows(made, tuple(tables), tuple(conditions)), step, row)

    def _condition_of(self, rows: _Rows, step: ComputedLink, owner: SqlRow) -> _Rows:
        far = replace(rows.row, type=step.far, pair=None, begun=None, owner=owner)
        return rows._replace(conditions=(*rows.conditions, self.condition(step.where, far)))

    def _hop(self, row: SqlRow, hop: Hop) -> tuple[_Rows, bool]:
        """Return the rows one step further along a path, and whether there is at most one."""
        if hop.link == FAR_ROW:
            met = replace(row, type=self.schema.met_by(row.type) or row.type, pair=None, begun=None)
            return _Rows(met, (), ()), True
        if not hop.backwards:
            link = self._record(row).link(hop.link)
            return self._behind(row, hop.link), link is not None and link.single
        if self.layout.as_of is not None:
            if row.parent is None or (row.parent.type, row.via) != (hop.owner, hop.link):
                raise NotInSqlError(f"{hop.link!r} is followed backwards to rows other than the parent row")
            return _Rows(row.parent, (), ()), True
        if (hop.owner, hop.link) in self._links:
            raise NotInSqlError(f"the derived link {hop.link!r} cannot be followed backwards")
        route = _found(self.layout, self._tables[hop.owner], hop.link)
        rows = self._joined(row, route.back(), hop.owner, hop.link)
        is_single = route.other is None and (route.link.back_single if route.forth else route.link.single)
        return rows._replace(conditions=(*rows.conditions, *self._seen(row))), is_single

    # ---- time

    def _seen(self, row: SqlRow) -> list[str]:
        """Return the conditions under which a row is visible to the individual."""
        if self.layout.as_of is None and self.layout.until is None:
            return []
        return self._seen_in(row, row.root, ())

    def _seen_in(self, row: SqlRow, root: SqlRow, met: tuple[str, ...]) -> list[str]:
        dates = self.layout.dated.get(row.table)
        if dates is not None:
            return self._dated_before(row, root, dates)
        if not _is_dated_behind(self.layout, row.table):
            return []
        if row.table in met:
            raise NotInSqlError(f"the rows of {row.table} are dated by circular references")
        conditions, n_claims = [], 0
        for link, forth in _references(self.layout, row.table):
            target = link.to if forth else link.table
            if met and target == met[-1]:
                continue  # returns to the previous row
            rows = self._joined(row, _Route(link, forth, target), "", "")
            inside = self._seen_in(rows.row, root, (*met, row.table))
            if target == self.layout.individual and row.table != target and self.layout.as_of is not None:
                n_claims += 1
                limit = [f"{self._own_date(root).value.sql} IS NOT NULL"] if self.layout.until is None else []
                inside = [any_of((self._same(rows.row, root), both((*inside, *limit))))]
            elif target == self.layout.individual and row.table != target:
                continue
            if inside:
                conditions.append(f"NOT {rows.exists(untrue(both(inside)))}")
        if n_claims > 1:
            raise NotInSqlError(f"the rows of {row.table} refer to two individuals, whose dates may differ")
        return conditions

    def _dated_before(self, row: SqlRow, root: SqlRow, dates: Mapping[str, Kind]) -> list[str]:
        values = [(self._column(row.alias, row.table, Attribute(name, kind)), kind) for name, kind in dates.items()]
        conditions = [both(self._before(value, kind, root)) for value, kind in values]
        return conditions if len(conditions) == 1 else [any_of(conditions)]

    def _before(self, value: SqlValue, kind: Kind, root: SqlRow) -> list[str]:
        """Return the conditions that a date precedes the individual's date and is not after the last day."""
        found, until = [], self.layout.until
        if self.layout.as_of is not None:
            own, attribute = self._own_date(root)
            if kind == attribute.kind == "date" and value.domain == own.domain == "days":
                before = f"{value.sql} < {self._earlier(own)}"
            elif kind == "date":
                before = f"{value.number} + 1 <= {self._led(own, attribute.kind)}"
            else:
                before = f"{own_moment(value, kind)} < {self._led(own, attribute.kind)}"
            found.append(before if until is None else any_of((before, f"{own.sql} IS NULL")))
        if until is not None:
            last = compared(value, "<=", until) if kind == "date" else f"{own_moment(value, kind)} < {until + 1}"
            found.append(last)
        return found

    def _earlier(self, own: SqlValue) -> str:
        """Return the date of the individual minus the lead, as a SQL date."""
        lead = self.layout.lead
        if not lead:
            return own.sql
        return f"date({own.sql}, '-{lead} days')" if self.engine == "sqlite" else f"({own.sql} - {lead})"

    def _led(self, own: SqlValue, kind: Kind) -> str:
        """Return the date of the individual minus the lead, in days."""
        days = own_moment(own, kind)
        return f"({days} - {self.layout.lead})" if self.layout.lead else days

    def _own_days(self, root: SqlRow) -> str:
        own, attribute = self._own_date(root)
        return own_moment(own, attribute.kind)

    def _limit(self, root: SqlRow) -> str:
        """Return the exclusive end of the time visible to an individual, in days."""
        own, attribute = self._own_date(root)
        limit, until = self._led(own, attribute.kind), self.layout.until
        if until is None:
            return limit
        last = number_literal(until + 1)
        return f"CASE WHEN {limit} < {last} THEN {limit} ELSE {last} END"

    def _own_date(self, root: SqlRow) -> _Typed:
        """Return the date of an individual and its attribute."""
        assert self.layout.as_of is not None
        return self._dated_at(root, self.layout.as_of.split("."))

    def _dated_at(self, row: SqlRow, path: Sequence[str]) -> _Typed:
        if len(path) == 1:
            attribute = Attribute(path[0], self.layout.date_kind or "date")
            return _Typed(self._column(row.alias, row.table, attribute), attribute)
        rows = self._joined(row, _found(self.layout, row.table, path[0]), "", path[0])
        value, attribute = self._dated_at(rows.row, path[1:])
        sql, number = (f"(SELECT {each} {rows.where()})" for each in (value.sql, value.number))
        return _Typed(SqlValue(sql, value.domain, number), attribute)

    def _days_before(self, row: SqlRow) -> str:
        """Return the number of days between the earliest date of a row and the date of the individual."""
        dates = [
            own_moment(self._column(row.alias, row.table, Attribute(name, kind)), kind)
            for name, kind in self.layout.dated[row.table].items()
        ]
        return f"({self._limit(row.root)} - {_earliest(dates)})"


def untrue(sql: str) -> str:
    """Return the condition that the given condition is false or NULL.

    Examples
    --------
    >>> untrue("a = 1"), untrue("FALSE")
    ('(a = 1) IS NOT TRUE', 'TRUE')
    """
    return {"TRUE": "FALSE", "FALSE": "TRUE"}.get(sql, f"({sql}) IS NOT TRUE")


def _earliest(dates: Sequence[str]) -> str:
    """Return the expression for the earliest date that is not NULL."""
    found = dates[0]
    for each in dates[1:]:
        found = f"CASE WHEN {found} < {each} THEN {found} ELSE COALESCE({each}, {found}) END"
    return found


def _require_exact_sums(test: syn.Aggregate) -> None:
    """Raise `NotInSqlError` for sums of integers beyond 2**53, whose rounding depends on the order of addition."""
    limit: Any = test.value
    if abs(float(limit)) >= EXACT:
        raise NotInSqlError(f"a {test.function} of integers is compared with a number beyond 2**53")


# ---- the keys behind links -------------------------------------------------------------------------------


class _Route(NamedTuple):
    """Route of a link: along a foreign key, in reverse, or through a join table."""

    link: LayoutLink
    forth: bool
    table: str
    other: LayoutLink | None = None

    def back(self) -> _Route:
        """Return the reverse route."""
        if self.other is not None:
            return _Route(self.other, False, self.link.to, self.link)
        return _Route(self.link, not self.forth, self.link.table if self.forth else self.link.to)


def _found(layout: SourceLayout, table: str, name: str) -> _Route:
    """Return the route from a table along a link."""
    for link in layout.links:
        if link.joins:
            if (link.to, link.back) == (table, name):
                other = next(o for o in layout.links if o.table == link.table and o is not link)
                return _Route(link, False, other.to, other)
        elif (link.table, link.name) == (table, name):
            return _Route(link, True, link.to)
        elif (link.to, link.back) == (table, name):
            return _Route(link, False, link.table)
    raise NotInSqlError(f"{name!r} is not a key of {table}")


def _references(layout: SourceLayout, table: str) -> list[tuple[LayoutLink, bool]]:
    """Return the keys that lead from a row of a table to at most one row, each with its direction."""
    plain = [link for link in layout.links if not link.joins]
    forth = [(link, True) for link in plain if link.table == table and link.single]
    return [*forth, *((link, False) for link in plain if link.to == table and link.back_single)]


def _is_dated_behind(layout: SourceLayout, table: str) -> bool:
    """Return whether rows of a table refer, directly or indirectly, to dated rows or individuals."""
    seen, waiting = {table}, [table]
    while waiting:
        for link, forth in _references(layout, waiting.pop()):
            target = link.to if forth else link.table
            if target in layout.dated or target == layout.individual:
                return True
            if target not in seen:
                seen.add(target)
                waiting.append(target)
    return False


def _tables_of(schema: Schema, layout: SourceLayout) -> dict[str, str]:
    """Return the table of each type that is reachable from the individuals."""
    found, waiting = {schema.individual: layout.individual}, [schema.individual]
    while waiting:
        name = waiting.pop()
        for link in schema.given.type(name).links:
            try:
                table = _found(layout, found[name], link.name).table
            except NotInSqlError:
                continue
            if link.target not in found:
                found[link.target] = table
                waiting.append(link.target)
    return found
