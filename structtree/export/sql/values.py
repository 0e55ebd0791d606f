"""SQL expressions for stored columns that give the same values as the readers.

A reader turns text such as ``1993-07-01`` into days and ``'17'`` into 17, and treats empty text as missing; this
module does the same in the SQL of SQLite and DuckDB. Numbers, dates and ranks are compared as numbers, except that
columns of days are compared with date literals, which are readable and can use an index.

Numbers in a population are floats, while a database may have integers beyond 2**53, which reading rounds. Compared
with a smaller constant, both give the same result, so the column is used as stored. Everywhere else it is cast to a
float, which rounds in the same way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, inf
from typing import Any, Literal

from structtree.arrays import EXACT
from structtree.data.dates import DAY, moment_text
from structtree.data.readers.databases.sqlite_files import sql_name
from structtree.data.readers.databases.storage import Engine, Stored
from structtree.data.schema import Attribute
from structtree.errors import StructtreeError

__all__ = [
    "NotInSqlError",
    "SqlValue",
    "any_of",
    "boolean",
    "both",
    "column_name",
    "comparable",
    "compared",
    "date_part",
    "floored",
    "key_value",
    "number_literal",
    "own_moment",
    "stored_value",
    "text_literal",
]

Domain = Literal["number", "text", "days", "stored number", "flag"]
"""Domain of an expression: numbers, text, dates of the database, or numbers as categories."""

_BLANKS = "' ' || char(9) || char(10) || char(13)"
_EPOCH = "2440587.5"
"""Julian day number of 1970-01-01, midnight."""


class NotInSqlError(StructtreeError):
    """Raised for a test that cannot be written in SQL."""


@dataclass(frozen=True, slots=True)
class SqlValue:
    """Expression for a value, NULL where it is missing.

    Parameters
    ----------
    sql : str
    domain : str
        Domain of ``sql``.
    number : str
        Value as a float (number, days, seconds or rank); empty if it has none.
    text : str
        Text of an ordered category.
    """

    sql: str
    domain: Domain
    number: str = ""
    text: str = ""

    @classmethod
    def of_number(cls, sql: str) -> SqlValue:
        """Return an `SqlValue` for a numeric expression."""
        return cls(sql, "number", sql)


# ---- literals --------------------------------------------------------------------------------------------


def text_literal(text: str) -> str:
    """Return a string literal.

    Examples
    --------
    >>> print(text_literal("it's"))
    'it''s'
    """
    if "\0" in text:
        raise NotInSqlError(f"SQL cannot represent the string {text!r}")
    return "'" + text.replace("'", "''") + "'"


def number_literal(value: float) -> str:
    """Return a numeric literal with all digits, never a decimal that DuckDB would round.

    Examples
    --------
    >>> [number_literal(value) for value in (3, 3.0, 0.1, -2.5e-7, float("inf"))]
    ['3', '3', '0.1e0', '-2.5e-07', '9e999']
    """
    value = float(value)
    if value in (inf, -inf):
        return "9e999" if value > 0 else "-9e999"
    if value.is_integer() and abs(value) < EXACT:
        return str(int(value))
    text = repr(value)
    return text if "e" in text else f"{text}e0"


def both(parts: Iterable[str]) -> str:
    """Return the conjunction of conditions.

    Examples
    --------
    >>> both(["a = 1", "b = 2 OR c"]), both([])
    ('a = 1 AND (b = 2 OR c)', 'TRUE')
    """
    known = [part for part in dict.fromkeys(parts) if part != "TRUE"]
    return " AND ".join(boolean(part) if len(known) > 1 else part for part in known) or "TRUE"


def any_of(parts: Iterable[str]) -> str:
    """Return the disjunction of conditions."""
    return " OR ".join(f"({part})" for part in parts)


def boolean(sql: str) -> str:
    """Return a condition, in parentheses if it may need them."""
    return f"({sql})" if " OR " in sql or sql.startswith("NOT ") or " IS NOT TRUE" in sql else sql


# ---- columns ---------------------------------------------------------------------------------------------


def stored_value(
    column: str, attribute: Attribute, stored: Stored, engine: Engine, missing_words: Sequence[str], where: str
) -> SqlValue:
    """Return the SQL expression for an attribute.

    Parameters
    ----------
    column : str
        Qualified name of the column in SQL.
    attribute : Attribute
    stored : Stored
        Storage format of the column; its form is empty if unknown.
    engine : {"sqlite", "duckdb"}
    missing_words : sequence of str
        Words that denote a missing value, if the storage format is unknown.
    where : str
        Table and column, for error messages.
    """
    of = _Column(column, stored, engine, tuple(missing_words), where)
    match attribute.kind:
        case "int" | "real":
            return SqlValue(of.number(), "number", of.rounded())
        case "bool":
            return SqlValue(of.flag(), "flag", of.flag())
        case "nominal":
            return of.category()
        case "ordered":
            return _ranked(of.category(), attribute.values)
        case "date":
            return of.day()
        case "time":
            return SqlValue.of_number(of.seconds())


def _ranked(value: SqlValue, categories: Sequence[str]) -> SqlValue:
    literal = text_literal if value.domain == "text" else _category_number
    ranks = " ".join(f"WHEN {literal(text)} THEN {rank}" for rank, text in enumerate(categories))
    sql = f"CASE {value.sql} {ranks} END"
    return SqlValue(sql, "number", sql, value.sql if value.domain == "text" else "")


@dataclass(frozen=True, slots=True)
class _Column:
    """Column of a table with its storage format."""

    sql: str
    stored: Stored
    engine: Engine
    missing_words: tuple[str, ...]
    where: str

    @property
    def present(self) -> str:
        """Column with NULL for text that denotes a missing value."""
        return without(self.sql, self.stored.missing)

    @property
    def text_type(self) -> str:
        """SQL type of text."""
        return "TEXT" if self.engine == "sqlite" else "VARCHAR"

    @property
    def text(self) -> str:
        """Column as text, if its storage format is unknown."""
        return without(f"TRIM(CAST({self.sql} AS {self.text_type}))", ("", *self.missing_words))

    def number(self) -> str:
        form = self.stored.form
        if self.engine == "sqlite":
            if form in ("integer", "number"):
                return self.sql
            if form in ("digits", "numeric", "text", "mixed"):
                return f"CAST({self.present} AS REAL)"
            plain = f"typeof({self.sql}) IN ('integer', 'real')"
            return f"CASE WHEN {plain} OR {self.sql} GLOB '*[0-9]*' THEN CAST({self.sql} AS REAL) END"
        if form.endswith(("int", "integer")):
            return self.sql
        if form == "interval":
            return f"epoch({self.sql})"
        return f"NULLIF(TRY_CAST({self.sql} AS DOUBLE), CAST('nan' AS DOUBLE))"

    def rounded(self) -> str:
        """Return the number as a float, rounding large integers."""
        if self.engine == "sqlite":
            return f"CAST({self.sql} AS REAL)" if self.stored.form in ("integer", "number") else self.number()
        return f"CAST({self.sql} AS DOUBLE)" if self.stored.form.endswith(("bigint", "hugeint")) else self.number()

    def flag(self) -> str:
        if self.engine == "sqlite":
            if self.stored.form in ("integer", "number"):
                return self.sql
            words = f"lower(TRIM(CAST({self.sql} AS TEXT)))"
            return f"CASE {words} WHEN 'true' THEN 1 WHEN '1' THEN 1 WHEN 'false' THEN 0 WHEN '0' THEN 0 END"
        return f"CAST(TRY_CAST({self.sql} AS BOOLEAN) AS INTEGER)"

    def category(self) -> SqlValue:
        """Return the column as text, or as stored if its categories are numbers."""
        form = self.stored.form
        if self.engine == "sqlite":
            if form in ("integer", "number", "digits", "numeric"):
                return SqlValue(self.number(), "stored number")
            if form == "mixed":
                return SqlValue(without(f"CAST({self.sql} AS TEXT)", self.stored.missing), "text")
            if form == "text":
                collated = " COLLATE BINARY" if self.stored.collated else ""
                return SqlValue(f"{self.present}{collated}", "text")
            return SqlValue(self.text, "text")
        if form == "varchar":
            return SqlValue(self.sql, "text")
        if form == "boolean" or form.startswith("enum"):
            return SqlValue(f"CAST({self.sql} AS VARCHAR)", "text")
        if form.startswith(("date", "time")):
            raise NotInSqlError(f"{self.where} contains dates that were read as categories")
        return SqlValue(self.number(), "stored number") if form else SqlValue(self.text, "text")

    def day(self) -> SqlValue:
        if self.stored.layout:
            text = self._laid_out()
            if self.engine == "sqlite":
                return SqlValue(text, "days", f"(julianday({text}) - {_EPOCH})")
            return SqlValue(f"CAST({text} AS DATE)", "days", f"(CAST({text} AS DATE) - DATE '1970-01-01')")
        if self.engine == "duckdb":
            plain = self.sql if self.stored.form == "date" else f"CAST(TRY_CAST({self.sql} AS TIMESTAMP) AS DATE)"
            return SqlValue(plain, "days", f"({plain} - DATE '1970-01-01')")
        if self.stored.form and self._text_moments() == "day":
            return SqlValue(self.present, "days", f"(julianday({self.present}) - {_EPOCH})")
        return SqlValue.of_number(f"(julianday(date({self.sql})) - {_EPOCH})")

    def _laid_out(self) -> str:
        """Return the ISO 8601 text of dates that are written as digits."""
        width = {"%y%m%d": 6, "%Y%m%d": 8}.get(self.stored.layout)
        if width is None:
            raise NotInSqlError(f"the dates of {self.where} are written as {self.stored.layout}")
        digits = f"substr('{'0' * width}' || CAST(CAST({self.sql} AS INTEGER) AS {self.text_type}), -{width})"
        if self.engine == "duckdb":
            digits = f"lpad(CAST(TRY_CAST({self.sql} AS INTEGER) AS {self.text_type}), {width}, '0')"
        year, at = f"substr({digits}, 1, 4)", 5
        if width == 6:  # two-digit years as in Python
            year, at = f"(CASE WHEN {digits} >= '69' THEN '19' ELSE '20' END || substr({digits}, 1, 2))", 3
        return f"({year} || '-' || substr({digits}, {at}, 2) || '-' || substr({digits}, {at + 2}, 2))"

    def seconds(self) -> str:
        if self.stored.layout:
            raise NotInSqlError(f"the times of {self.where} are written as {self.stored.layout}")
        if self.engine == "duckdb":
            return f"epoch(TRY_CAST({self.sql} AS TIMESTAMP))"
        if self.stored.form and self._text_moments() != "fraction":
            return f"CAST(strftime('%s', {self.sql}) AS INTEGER)"
        whole = f"CAST(strftime('%s', substr({self.sql}, 1, 19)) AS INTEGER)"
        return f"({whole} + CAST('0' || substr({self.sql}, 20) AS REAL))"

    def _text_moments(self) -> str:
        if self.stored.moments is None:
            raise NotInSqlError(f"the dates of {self.where} are not ISO 8601 text, which SQLite needs")
        return self.stored.moments


def without(sql: str, missing: Sequence[str]) -> str:
    """Return an expression with NULL for text that denotes a missing value."""
    match missing:
        case ():
            return sql
        case (only,):
            return f"NULLIF({sql}, {text_literal(only)})"
        case several:
            return f"CASE WHEN {sql} IN ({', '.join(map(text_literal, several))}) THEN NULL ELSE {sql} END"


# ---- comparing -------------------------------------------------------------------------------------------


def compared(value: SqlValue, op: str, with_value: Any) -> str:
    """Return the condition that compares an expression with a constant."""
    sign = "<>" if op == "!=" else op
    match value.domain:
        case "text":
            return f"{value.sql} {sign} {text_literal(str(with_value))}"
        case "stored number":
            literal = _category_number(str(with_value))
            if literal == "NULL":  # not a number, so never equal
                return f"{value.sql} IS NOT NULL" if op == "!=" else "FALSE"
            return f"{value.sql} {sign} {literal}"
        case "days":
            return _compared_days(value, op, float(with_value))
        case _:
            return f"{comparable(value, (with_value,))} {sign} {number_literal(with_value)}"


def comparable(value: SqlValue, constants: Iterable[float]) -> str:
    """Return the expression to compare with constants: the column as stored if these are below 2**53."""
    is_plain = value.domain == "number" and all(abs(constant) < EXACT for constant in constants)
    return value.sql if is_plain else value.number


def _compared_days(value: SqlValue, op: str, day: float) -> str:
    if not -719_162 <= day <= 2_932_896:  # the range of date literals
        return f"{value.number} {'<>' if op == '!=' else op} {number_literal(day)}"
    literal = ("DATE " if "DATE" in value.number else "") + "'{}'"
    if not day.is_integer() and op in ("=", "!="):
        return "FALSE" if op == "=" else f"{value.sql} IS NOT NULL"
    nearest = ceil(day) if op in (">=", "<") else floor(day)
    return f"{value.sql} {'<>' if op == '!=' else op} {literal.format(moment_text(nearest, 'date'))}"


def _category_number(text: str) -> str:
    try:
        is_whole = text.removeprefix("-").isdecimal() and text.isascii()
        return str(int(text)) if is_whole else number_literal(float(text))
    except ValueError:
        return "NULL"


def key_value(column: str, stored: Stored, compared_as: str, other: Stored, engine: Engine) -> str:
    """Return the expression to compare a key column with another one, whose storage format may differ."""
    texts = ("text", "digits", "numeric", "mixed", "varchar")
    if compared_as == "number" and stored.form in texts and not (stored.form == other.form == "digits"):
        if engine == "duckdb":
            return f"TRY_CAST({column} AS DOUBLE)"
        odd = f"{column} GLOB '*[0-9]*' AND NOT {column} GLOB '*[^0-9.eE+-]*'"
        return f"CASE WHEN {odd} THEN CAST({column} AS REAL) END"
    found = f"CAST({column} AS TEXT)" if stored.form == "mixed" else column
    if stored.padded or other.padded:
        found = f"TRIM({found}, {_BLANKS})" if engine == "sqlite" else f"TRIM({found})"
    if stored.missing and compared_as == "text":
        found = without(found, ("",) if stored.padded else stored.missing)
    return f"{found} COLLATE BINARY" if stored.collated and compared_as == "text" else found


# ---- dates and numbers -----------------------------------------------------------------------------------


def floored(sql: str) -> str:
    """Return the expression for the floor of a number, which may not be a function in SQLite.

    Examples
    --------
    >>> floored("x")
    '(CAST(x AS INTEGER) - (x < CAST(x AS INTEGER)))'
    """
    return f"(CAST({sql} AS INTEGER) - ({sql} < CAST({sql} AS INTEGER)))"


def date_part(value: SqlValue, kind: str, part: str, engine: Engine) -> str:
    """Return the expression for a part of a date or time, as a number; weekdays count from 0."""
    days = value.number if kind == "date" else _days_of_seconds(value.number, engine)
    if part == "hour":
        rest = f"({value.number} - {days} * {int(DAY)})"
        return f"CAST({rest} / 3600 AS INTEGER)" if engine == "sqlite" else f"CAST(floor({rest} / 3600) AS BIGINT)"
    whole = f"CAST({days} AS {'INTEGER' if engine == 'sqlite' else 'BIGINT'})"
    if part == "weekday":
        return f"((({whole} + 3) % 7 + 7) % 7)"
    if engine == "sqlite":
        sign = {"day": "%d", "month": "%m", "year": "%Y"}[part]
        return f"CAST(strftime('{sign}', {days} + {_EPOCH}) AS INTEGER)"
    return f"{part}(DATE '1970-01-01' + CAST({days} AS INTEGER))"


def _days_of_seconds(seconds: str, engine: Engine) -> str:
    days = f"({seconds} / {DAY})"
    return floored(days) if engine == "sqlite" else f"floor({days})"


def own_moment(value: SqlValue, kind: str) -> str:
    """Return the expression for a date or time in days."""
    return value.number if kind == "date" else f"({value.number} / {DAY})"


def column_name(alias: str, column: str) -> str:
    """Return the qualified name of a column."""
    return f"{alias}.{sql_name(column)}"
