"""Dating of rows: the columns that date a row, and those that may change later.

A row exists from the earliest of its dates, or from the declared one. Other dates are treated as follows:

* A date that is hardly ever later than its row (a date of birth) is known as soon as the row exists.
* A date that most rows have and that is often later than its row (when a user was last seen) may be updated. Whether
  it lies before a cutoff reveals events after the cutoff, so the column is skipped unless it is declared as set once.
* A date that few rows have (when an account was closed) is set once. After the cutoff it is missing, as if it had
  never been set, and so are columns that are filled exactly where it is. A column that shows whether it is set (a
  status) is skipped.

Law: databases that differ only in events after every individual's date have the same `Dating`, apart from fractions
near a threshold.
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
"""A date that at least this fraction of the rows have is not an event that happens to some of them."""

OFTEN_LATER = 0.01
"""If a smaller fraction of dates is later than their row, they are considered errors in the data."""

UPDATED = "it may be updated"
"""Reason for skipping a date that is often later than its row."""

MOST_STATUSES = 12
"""Maximum number of values of a status column."""

ENOUGH_ROWS = 20
"""Minimum number of rows to compare columns; in fewer rows they may agree by chance."""


def dating_of(
    population: Population,
    last: float,
    dates: Mapping[str, str | None] | None = None,
    set_once: Mapping[str, Collection[str]] | None = None,
) -> Dating:
    """Return which attributes date the rows of each type, and which may change later.

    Parameters
    ----------
    population : Population
    last : float
        Last moment visible to any individual, in days; later rows are ignored.
    dates : mapping from type to attribute, optional
        Date attribute of each type, or None for undated rows; by default rows have the earliest of their dates.
    set_once : mapping from type to attributes, optional
        Dates that never change once they are set.

    Examples
    --------
    >>> seen = [{"joined": "2024-01-05", "last_seen": day} for day in ("2024-03-01", "2024-02-07", "2024-01-09")]
    >>> users = Population.from_records(seen, individual="User")
    >>> dating_of(users, 20000.0)["User"]
    TypeDates(by=('joined',), skipped={'last_seen': 'it may be updated'}, set_with={}, revealing={})
    """
    dates, set_once = dates or {}, set_once or {}
    for name in (*dates, *set_once):
        population.schema.type(name)
    found = {}
    for record in population.schema.types:
        moments, date, kept = date_names(record), dates.get(record.name), tuple(set_once.get(record.name, ()))
        declared = moments if record.name not in dates else () if date is None else (date,)
        for name in (*declared, *kept):
            if name not in moments:
                raise UnknownNameError(f"date of {record.name}", name, moments)
        if moments:
            table = population.tables[record.name]
            rows = np.flatnonzero(earliest(table, declared) <= last)
            if record.name == population.schema.individual:
                rows = np.union1d(rows, population.individuals)
            found[record.name] = _type_dates(table, moments, declared, kept, rows)
    return found


def dated_by(population: Population, dating: Dating) -> dict[str, dict[str, Kind]]:
    """Return the dated types, each with its date attributes and their kinds."""
    return {
        name: {each: population.tables[name].columns[each].kind for each in dates.by}
        for name, dates in dating.items()
        if dates.by and name in population.tables
    }


def _type_dates(
    table: Table, moments: tuple[str, ...], dating: tuple[str, ...], set_once: tuple[str, ...], rows: Ints
) -> TypeDates:
    """Return the dates of a type, judged by the given rows.

    `dating` has the dates that may date a row.
    """
    since, n = earliest(table, dating), len(rows)
    # The date that is most often the earliest one of its row is not an update.
    n_earliest = {name: int((past_from(table.columns[name])[rows] == since[rows]).sum()) for name in dating}
    first = max(n_earliest, key=n_earliest.__getitem__, default="")
    skipped: dict[str, str] = {}
    for name in moments:
        if name == first or name in set_once or not dating:
            continue
        filled = ~np.isnan(table.columns[name].values[rows])
        later = filled & (past_from(table.columns[name])[rows] > since[rows])
        if filled.sum() >= USUALLY_FILLED * n and later.sum() > OFTEN_LATER * n:
            skipped[name] = UPDATED
    others = [name for name in moments if name != first]
    set_with, revealing = _followers(table, others, moments, rows)
    for name, date in (*set_with.items(), *revealing.items()):
        if date in skipped and name not in skipped:
            skipped[name] = f"it is set with {date}"
    by = tuple(
        each for each in dating if each not in skipped and (each == first or _precedes(table, each, first, rows))
    )
    return TypeDates(by, skipped, set_with, revealing)


def _precedes(table: Table, date: str, first: str, rows: Ints) -> bool:
    """Return whether, in some row, a date is before another one or set without it."""
    one, other = past_from(table.columns[date])[rows], past_from(table.columns[first])[rows]
    return bool(((one < other) | (np.isnan(other) & ~np.isnan(one))).any())


def _followers(
    table: Table, dates: list[str], moments: tuple[str, ...], rows: Ints
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the attributes that are set together with a date, and those that show whether it is set."""
    set_with: dict[str, str] = {}
    revealing: dict[str, str] = {}
    for date in dates:
        unset = np.isnan(table.columns[date].values[rows])
        for name, column in table.columns.items():
            if name in moments or name in set_with or name in revealing:
                continue
            if is_year(column, table, (date,), rows) or _is_set_with(column.missing[rows], unset):
                set_with[name] = date
            elif _reveals(column, unset, rows):
                revealing[name] = date
    return set_with, revealing


def _is_set_with(missing: Mask, unset: Mask) -> bool:
    return len(unset) >= ENOUGH_ROWS and bool(unset.any() and not unset.all()) and bool((missing == unset).all())


def _reveals(column: Column, unset: Mask, rows: Ints) -> bool:
    """Return whether a column has few values, each of which occurs only with or only without a date."""
    if len(unset) < ENOUGH_ROWS or unset.all() or not unset.any() or column.kind not in ("bool", "nominal", "int"):
        return False
    values = np.where(column.missing[rows], np.nan, column.values[rows].astype(np.float64))
    distinct, places = np.unique(values, return_inverse=True)  # NaN is one value
    if not 2 <= len(distinct) <= MOST_STATUSES:
        return False
    n_unset, n_rows = np.bincount(places, weights=unset), np.bincount(places)
    return bool(((n_unset == 0) | (n_unset == n_rows)).all())


def is_year(column: Column, table: Table, dates: Collection[str], rows: Ints | slice = slice(None)) -> bool:
    """Return whether a column contains the years of one of the given dates."""
    if column.kind != "int":
        return False
    values = column.values[rows]
    known = ~np.isnan(values)
    years = (table.value_column(f"{name}.year").values[rows] for name in dates)
    return bool(known.any()) and any(np.array_equal(values[known], each[known]) for each in years)


def date_names(record: RecordType) -> tuple[str, ...]:
    """Return the names of the date and time attributes of a type."""
    return tuple(a.name for a in record.attributes if a.kind in MOMENTS)


def days_of(column: Column) -> Floats:
    """Convert a column of dates or times to days since 1970, NaN where missing."""
    return np.asarray(column.values if column.kind == "date" else column.values / DAY)


def past_from(column: Column) -> Floats:
    """Return the first moment, in days, at which each date is past: the day after, or just after a time."""
    days = days_of(column)
    return days + 1.0 if column.kind == "date" else np.nextafter(days, np.inf)


def earliest(table: Table, dates: Collection[str]) -> Floats:
    """Return the first moment, in days, at which each row exists.

    Undated rows always exist (-inf); rows whose dates are all missing never do (inf).
    """
    found = np.full(table.n_rows, -np.inf if not dates else np.nan)
    for name in dates:
        found = np.fmin(found, past_from(table.columns[name]))
    return np.where(np.isnan(found), np.inf, found)
