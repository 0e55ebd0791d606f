"""Dates of rows: which columns say since when a row exists, and which may be changed after that.

A row exists from the earliest of its dates, or from the date that the user declares. What its other dates say depends
on when it is read:

* A date that is hardly ever later than that of its row (a date of birth) is known as soon as the row exists.
* A date that most rows have and that is later than that of its row (when a user was last seen) may be overwritten
  whenever something happens. Whether it lies before a cutoff then tells what happened after the cutoff, so the column
  is skipped, unless the user declares that it is set once.
* A date that few rows have (when an account was closed) is set once. After the cutoff it is missing, as if it had
  never been set, and so are columns that are filled exactly where it is. A column that tells whether it is set (a
  status) is skipped.

Law: a database that differs from another only in what happened after every individual's date has the same `Dating`,
but for shares that lie near a threshold.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from structtree.arrays import Floats, Ints, Mask
from structtree.data.dates import DAY
from structtree.data.layouts import Dating, TypeDates
from structtree.data.population import Column, Population, Table
from structtree.data.schema import Kind, RecordType
from structtree.errors import UnknownNameError

__all__ = [
    "MOMENTS",
    "OFTEN_LATER",
    "UPDATED",
    "USUALLY_FILLED",
    "date_names",
    "dated_by",
    "dating_of",
    "days_of",
    "earliest",
    "is_year",
    "past_from",
]

MOMENTS: tuple[Kind, ...] = ("date", "time")

USUALLY_FILLED = 0.5
"""A date that at least this share of the rows have is not an event that happens to some of them."""

OFTEN_LATER = 0.01
"""A smaller share of dates that are later than that of their row is taken for errors in the data."""

UPDATED = "it may be updated"
"""Why a date is skipped that is later than that of its row."""

MOST_STATUSES = 12
"""A column with more values than this is not a status."""

ENOUGH_ROWS = 20
"""In fewer rows, columns that agree may agree by chance."""


def dating_of(
    population: Population,
    last: float,
    dates: Mapping[str, str | None] | None = None,
    set_once: Mapping[str, Collection[str]] | None = None,
) -> Dating:
    """Return what the dates of each type say.

    Parameters
    ----------
    population : Population
    last : float
        The last moment that any individual sees, in days: later rows have no say.
    dates : mapping from type to attribute, optional
        What dates the rows of a type; None for nothing. By default the earliest of all dates does.
    set_once : mapping from type to attributes, optional
        Dates that are never changed once they are set.

    Examples
    --------
    >>> seen = [{"joined": "2024-01-05", "last_seen": day} for day in ("2024-03-01", "2024-02-07", "2024-01-09")]
    >>> users = Population.from_records(seen, individual="User")
    >>> dating_of(users, 20000.0)["User"]
    TypeDates(by=('joined',), skipped={'last_seen': 'it may be updated'}, set_with={}, telling={})
    """
    dates, set_once = dates or {}, set_once or {}
    for name in (*dates, *set_once):
        population.schema.type(name)
    found = {}
    for record in population.schema.types:
        moments = date_names(record)
        declared = _declared(record, moments, dates)
        kept = _known(record, moments, set_once.get(record.name, ()))
        if moments:
            table = population.tables[record.name]
            rows = np.flatnonzero(earliest(table, declared) <= last)
            if record.name == population.schema.individual:
                rows = np.union1d(rows, population.individuals)
            found[record.name] = _type_dates(table, moments, declared, kept, rows)
    return found


def dated_by(population: Population, dating: Dating) -> dict[str, dict[str, Kind]]:
    """Return the types whose rows have dates, each with the attributes that date them, and their kinds."""
    return {
        name: {each: population.tables[name].columns[each].kind for each in dates.by}
        for name, dates in dating.items()
        if dates.by and name in population.tables
    }


def _declared(record: RecordType, moments: tuple[str, ...], dates: Mapping[str, str | None]) -> tuple[str, ...]:
    """Return the dates that may date the rows of a type."""
    if record.name not in dates:
        return moments
    said = dates[record.name]
    return () if said is None else _known(record, moments, (said,))


def _known(record: RecordType, moments: tuple[str, ...], names: Collection[str]) -> tuple[str, ...]:
    for name in names:
        if name not in moments:
            raise UnknownNameError(f"date of {record.name}", name, moments)
    return tuple(names)


def _type_dates(
    table: Table, moments: tuple[str, ...], dating: tuple[str, ...], set_once: tuple[str, ...], rows: Ints
) -> TypeDates:
    """Return what the dates of some rows of a table say; `dating` are those that may date its rows."""
    since, n = earliest(table, dating), len(rows)
    first = _first(table, dating, since, rows) if len(dating) > 1 else "".join(dating)
    skipped: dict[str, str] = {}
    for name in moments:
        if name == first or name in set_once or not dating:
            continue
        filled = ~np.isnan(table.columns[name].values[rows])
        later = filled & (past_from(table.columns[name])[rows] > since[rows])
        if filled.sum() >= USUALLY_FILLED * n and later.sum() > OFTEN_LATER * n:
            skipped[name] = UPDATED
    others = [name for name in moments if name != first]
    set_with, telling = _followers(table, others, moments, rows)
    for name, date in (*set_with.items(), *telling.items()):
        if date in skipped and name not in skipped:
            skipped[name] = f"it is set with {date}"
    by = tuple(
        each for each in dating if each not in skipped and (each == first or _precedes(table, each, first, rows))
    )
    return TypeDates(by, skipped, set_with, telling)


def _precedes(table: Table, date: str, first: str, rows: Ints) -> bool:
    """Tell whether a date is earlier than another in some row, or there without it."""
    one, other = past_from(table.columns[date])[rows], past_from(table.columns[first])[rows]
    return bool(((one < other) | (np.isnan(other) & ~np.isnan(one))).any())


def _first(table: Table, dating: tuple[str, ...], since: Floats, rows: Ints) -> str:
    """Return the date that is most often the earliest of its row, which is not an update."""
    n_earliest = {name: int((past_from(table.columns[name])[rows] == since[rows]).sum()) for name in dating}
    return max(dating, key=lambda name: n_earliest[name])


def _followers(
    table: Table, dates: list[str], moments: tuple[str, ...], rows: Ints
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the attributes that are set together with a date, and those that tell whether it is set."""
    set_with: dict[str, str] = {}
    telling: dict[str, str] = {}
    for date in dates:
        unset = np.isnan(table.columns[date].values[rows])
        for name, column in table.columns.items():
            if name in moments or name in set_with or name in telling:
                continue
            if is_year(column, table, (date,), rows) or _is_set_with(column.missing[rows], unset):
                set_with[name] = date
            elif _tells(column, unset, rows):
                telling[name] = date
    return set_with, telling


def _is_set_with(missing: Mask, unset: Mask) -> bool:
    return len(unset) >= ENOUGH_ROWS and bool(unset.any() and not unset.all()) and bool((missing == unset).all())


def _tells(column: Column, unset: Mask, rows: Ints) -> bool:
    """Tell whether the few values of a column are others where a date is set than where it is not."""
    if len(unset) < ENOUGH_ROWS or unset.all() or not unset.any() or column.kind not in ("bool", "nominal", "int"):
        return False
    values = np.where(column.missing[rows], np.nan, column.values[rows].astype(np.float64))
    distinct, places = np.unique(values, return_inverse=True)  # NaN is one value
    if not 2 <= len(distinct) <= MOST_STATUSES:
        return False
    where_unset = np.bincount(places, weights=unset, minlength=len(distinct))
    n_of_each = np.bincount(places, minlength=len(distinct))
    return bool(((where_unset == 0) | (where_unset == n_of_each)).all())


def is_year(column: Column, table: Table, dates: Collection[str], rows: Ints | slice = slice(None)) -> bool:
    """Tell whether a column has nothing but the years of one of the dates of its rows."""
    if column.kind != "int":
        return False
    values = column.values[rows]
    known = ~np.isnan(values)
    years = (table.value_column(f"{name}.year").values[rows] for name in dates)
    return bool(known.any()) and any(np.array_equal(values[known], each[known]) for each in years)


def date_names(record: RecordType) -> tuple[str, ...]:
    """Return the dates and times of a type."""
    return tuple(a.name for a in record.attributes if a.kind in MOMENTS)


def days_of(column: Column) -> Floats:
    """Return dates or times in days since 1970; NaN where there is none."""
    return np.asarray(column.values if column.kind == "date" else column.values / DAY)


def past_from(column: Column) -> Floats:
    """Return the first moment, in days, as of which dates are past: the day after, or just after a time."""
    days = days_of(column)
    return days + 1.0 if column.kind == "date" else np.nextafter(days, np.inf)


def earliest(table: Table, dates: Collection[str]) -> Floats:
    """Return the first moment, in days, as of which rows exist.

    Rows that nothing dates always exist (-inf), rows that lack all of their dates never do (inf).
    """
    found = np.full(table.n_rows, -np.inf if not dates else np.nan)
    for name in dates:
        found = np.fmin(found, past_from(table.columns[name]))
    return np.where(np.isnan(found), np.inf, found)
