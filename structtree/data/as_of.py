"""Populations as of a date: each individual sees only rows dated before its own date, along every path.

Rows are shared between individuals with different dates, so visibility cannot be a filter on rows. Instead, rows are
unrolled: each path of links gets its own table, whose rows are pairs of an individual and a row visible to it, one
pair per walk. A link leads from a pair to pairs of the same individual, so no test can look past the individual's
date. Undated tables without further links are shared.

Rows are dated by `structtree.data.dating`; rows of a type without dates, by the latest row that they refer to. Rows
that belong to the individual (the items of an order) are always visible. A date after that of the individual is
missing, as if it had never been set; a column that would be missing for no other reason is skipped.

Laws: a walk along links exists in the result exactly if it exists in the population and all its rows are visible.
Two populations that differ only in events on or after each individual's date have the same result
(`tests/data/test_future.py`).
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import Floats, Ints, Mask
from structtree.data.dates import pattern_of_digits
from structtree.data.dating import (
    MOMENTS,
    OFTEN_LATER,
    UPDATED,
    USUALLY_FILLED,
    date_names,
    dating_of,
    days_of,
    earliest,
    is_year,
    past_from,
)
from structtree.data.layouts import Dating, TypeDates
from structtree.data.population import Adjacency, Column, Population, Table
from structtree.data.schema import Attribute, Kind, Link, RecordType, Schema
from structtree.errors import DataError, UnknownNameError, option_text
from structtree.interrupts import NO_LIMIT, Limit

__all__ = [
    "DAYS_BEFORE",
    "NESTING",
    "AsOf",
    "as_of",
    "dated_until",
    "frozen_at",
    "individual_dates",
    "optional_if_absent",
]

DAYS_BEFORE = "days_before"
"""Attribute of visible rows: the age of the row in days.

If a type has several dates, or one that does not date its rows, each has its own attribute, such as
``days_before_opened``. Ages count from the last visible moment: the date of the individual minus the lead, or the end
of the day at which everything is frozen, if that is earlier.
"""

MOST_ROWS = 5_000_000
"""Maximum number of rows in the result; links that would exceed it are skipped, the most distant first."""

NESTING = 4
"""Maximum number of links that are followed."""

SKIPPED_LINK = "skipped link: "
"""Prefix of notes about skipped links."""

PAIRS_AT_ONCE = 500_000
"""Number of pairs per batch, which bounds the memory for hidden pairs."""


@dataclass(frozen=True, slots=True)
class AsOf:
    """Population in which individuals see only the past.

    Parameters
    ----------
    population : Population
    notes : tuple of str
        How types are dated, and which columns and links are skipped.
    dating : mapping from type to TypeDates
        How rows are dated, and which columns are skipped or set together with a date.
    origins : mapping from type to str
        Original type of each type of the population; empty if the types are unchanged.
    absolute : frozenset of pairs
        Dates, as (type, attribute), that `DAYS_BEFORE` replaces, the date of the individuals, and columns with the
        years of these dates. Their absolute values do not generalise to later individuals.
    hidden : mapping from path to array
        For each row of the individual type, the number of hidden rows (``user.visits``) or values (``user.closed``).
    rows : mapping from type to mask
        Rows of the original population that are visible to some individual.
    """

    population: Population
    notes: tuple[str, ...]
    dating: Dating
    origins: Mapping[str, str] = field(default_factory=dict)
    absolute: frozenset[tuple[str, str]] = frozenset()
    hidden: Mapping[str, Ints] = field(default_factory=dict)
    rows: Mapping[str, Mask] = field(default_factory=dict)


def as_of(
    population: Population,
    date: str,
    *,
    dates: Mapping[str, str | None] | None = None,
    set_once: Mapping[str, Collection[str]] | None = None,
    until: float | None = None,
    lead: float = 0.0,
    nesting: int = NESTING,
    most_rows: int = MOST_ROWS,
    dating: Dating | None = None,
    limit: Limit = NO_LIMIT,
) -> AsOf:
    """Return the population in which each individual sees only rows dated before its own date.

    Parameters
    ----------
    population : Population
    date : str
        Date attribute of the individuals, possibly behind references (``race.date``).
    dates : mapping from type to attribute, optional
        Date attribute of each type, or None for undated rows. By default rows have the earliest of their dates, and
        individuals have `date`.
    set_once : mapping from type to attributes, optional
        Dates that never change once they are set.
    until : float, optional
        Last visible day for all individuals, in days since 1970.
    lead : float
        Days between the last visible row and the date of an individual.
    nesting : int
        Maximum number of links that are followed.
    most_rows : int
        Maximum number of rows in the result.
    dating : mapping from type to TypeDates, optional
        Dating found in other data, such as the training data of a model.
    limit : Limit, optional
        When it is over, the remaining paths are skipped and counted in a note.

    Examples
    --------
    >>> paid = [{"on": "2024-01-05", "sum": 3}, {"on": "2024-03-01", "sum": 9}]
    >>> loans = Population.from_records([{"date": "2024-02-01", "paid": paid}], types={"on": "date", "date": "date"})
    >>> [each["sum"] for each in as_of(loans, "date").population.record(0)["paid"]]
    [3]
    >>> as_of(loans, "date", lead=30).population.record(0)["paid"]
    []
    """
    column = individual_dates(population, date)
    own = days_of(column)
    limits = own - lead if until is None else np.fmin(own - lead, until + 1.0)
    is_settled = dating is not None
    if dating is None:
        last = float(np.nanmax(limits[population.individuals], initial=-np.inf))
        default = {} if "." in date else {population.schema.individual: date}
        dating = dating_of(population, last, {**default, **(dates or {})}, set_once)
    visibility = _Visibility.of(population, dating)
    draft = _Draft(population, visibility, limits, own, date, column.kind == "date", nesting, most_rows, limit)
    draft.unroll()
    if not is_settled:
        dating = _without_blanks(dating, draft.blanks, set_once or {})
    notes = (*_dating_notes(dating), *visibility.notes, *draft.notes)
    found = AsOf(draft.finish(), notes, dating, draft.origins, frozenset(draft.absolute), draft.hidden, draft.rows)
    return _skipping(found, population.schema.individual)


def frozen_at(
    population: Population,
    day: float,
    dates: Mapping[str, str | None] | None = None,
    set_once: Mapping[str, Collection[str]] | None = None,
    dating: Dating | None = None,
) -> AsOf:
    """Return the population without the rows dated after a day.

    Parameters
    ----------
    population : Population
    day : float
        Days since 1970.
    dates, set_once, dating
        As for `as_of`.

    Examples
    --------
    >>> people = Population.from_records([{"visits": [{"on": "2024-01-05"}, {"on": "2025-01-05"}]}])
    >>> len(frozen_at(people, 19800).population.record(0)["visits"])
    1
    """
    is_settled = dating is not None
    if dating is None:
        dating = dating_of(population, day + 1.0, dates, set_once)
    visibility, blanks = _Visibility.of(population, dating), _Blanks()
    types, tables = [], {}
    for record in population.schema.types:
        table, links, adjacencies = population.tables[record.name], [], {}
        for link in record.links:
            adjacency = table.links[link.name]
            kept = visibility.seen_from[link.target][adjacency.targets] <= day + 1.0
            adjacencies[link.name] = Adjacency.filtered(adjacency.lengths, adjacency.targets, kept)
            links.append(optional_if_absent(link, adjacencies[link.name]))
        types.append(replace(record, links=tuple(links)))
        columns = _frozen_columns(population, record.name, visibility, day, blanks)
        tables[record.name] = replace(table, columns=columns, links=adjacencies)
    if not is_settled:
        dating = _without_blanks(dating, blanks, set_once or {})
    schema = Schema(tuple(types), population.schema.individual)
    frozen = replace(population, schema=schema, tables=tables, _known_good=False, _compact=False)
    notes = (*_dating_notes(dating), *visibility.notes)
    return _skipping(AsOf(frozen, notes, dating), population.schema.individual)


def _frozen_columns(
    population: Population, name: str, visibility: _Visibility, day: float, blanks: _Blanks
) -> dict[str, Column]:
    """Return the columns of a type without values after a day; individuals keep their dates and labels."""
    table, dates = population.tables[name], visibility.dating.get(name, TypeDates())
    is_individual = name == population.schema.individual
    known = dates.by if is_individual else ()
    limits = np.where(visibility.seen_from[name] <= day + 1.0, day + 1.0, -np.inf)
    hidden = _hidden_values(table.columns, dates, limits, known, with_followers=not is_individual)
    blanks.count(name, table.columns, hidden, np.flatnonzero(limits > -np.inf))
    return {key: _blanked(column, hidden.get(key)) for key, column in table.columns.items()}


def dated_until(
    population: Population, day: float, date: str | None = None, dates: Mapping[str, str | None] | None = None
) -> Mask:
    """Return a mask of the individuals dated on or before a day; False for those without a date.

    Parameters
    ----------
    population : Population
    day : float
        Days since 1970.
    date : str, optional
        Date attribute of the individuals, as for `as_of`; by default they are dated like other rows.
    dates : mapping from type to attribute, optional
        As for `as_of`.

    Examples
    --------
    >>> loans = Population.from_records([{"date": "2024-01-05"}, {"date": "2024-02-01"}, {"date": None}])
    >>> dated_until(loans, 19750).tolist()
    [True, False, False]
    """
    if date is not None:
        return np.asarray(days_of(individual_dates(population, date))[population.individuals] < day + 1.0)
    individual = population.schema.individual
    visibility = _Visibility.of(population, dating_of(population, day + 1.0, dates))
    seen_from = visibility.seen_from[individual][population.individuals]
    if np.isneginf(seen_from).all():
        raise DataError(f"{individual} has no date column", fix=f"name one with {option_text('as_of')}")
    return np.asarray(seen_from <= day + 1.0)


def optional_if_absent(link: Link, adjacency: Adjacency) -> Link:
    """Return a link as optional if it has no target in some rows, or else unchanged."""
    is_absent = link.kind == "one" and bool((adjacency.lengths == 0).any())
    return replace(link, kind="optional") if is_absent else link


def individual_dates(population: Population, path: str) -> Column:
    """Return the dates of the rows of the individual type, NaN where missing.

    Parameters
    ----------
    population : Population
    path : str
        Date attribute, possibly behind references (``race.date``).
    """
    *references, name = path.split(".")
    at, rows = population.schema.individual, np.arange(population.tables[population.schema.individual].n_rows)
    for reference in references:
        link = population.schema.type(at).link(reference)
        if link is None or not link.single:
            singles = [each.name for each in population.schema.type(at).links if each.single]
            raise UnknownNameError(f"reference of {at}", reference, singles)
        rows, at = population.tables[at].links[reference].first_targets[rows], link.target
    column = population.tables[at].columns.get(name)
    if column is None or column.kind not in MOMENTS:
        known = [key for key, each in population.tables[at].columns.items() if each.kind in MOMENTS]
        if column is None and known:
            raise UnknownNameError(f"date of {at}", name, known)
        if column is None:
            fix = f"the date may also be in a referenced record, as in {option_text('as_of', 'race.date')}"
            raise DataError(f"{at} has no attribute {name!r} and no date", fix=fix)
        first = next((each for each in column.values if each == each), None)
        pattern = pattern_of_digits(f"{first:.0f}") if column.kind == "int" and first is not None else None
        types = option_text("types", {f"{at}.{name}": "date" if pattern is None else f"date({pattern})"})
        raise DataError(f"{at}.{name} is {column.kind}, not a date", fix=f"to read it as a date: {types}")
    return Column(column.kind, np.append(column.values, np.nan)[rows])


# ---- visibility -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Visibility:
    """Time at which each row becomes visible, and the individual that owns it.

    Parameters
    ----------
    dating : mapping from type to TypeDates
    seen_from : mapping from type to array
        First moment, in days, at which a row is visible: the day after its date, or just after its time. Rows of
        undated types are always visible (-inf), rows with a missing date never (inf).
    owner : mapping from type to array
        Row of the individual type that an undated row refers to, and that always sees it; -1 for none.
    owned : frozenset of str
        Types with owned rows.
    dated : mapping from type to array
        Dates of the rows of dated types, in days.
    notes : tuple of str
    """

    dating: Dating
    seen_from: Mapping[str, Floats]
    owner: Mapping[str, Ints]
    owned: frozenset[str]
    dated: Mapping[str, Floats]
    notes: tuple[str, ...]

    @classmethod
    def of(cls, population: Population, dating: Dating) -> _Visibility:
        """Compute the visibility of all rows."""
        tables = population.tables
        by = {name: _dates_in(tables[name], dating.get(name)) for name in population.schema.names}
        seen = {name: earliest(tables[name], dates) for name, dates in by.items()}
        days = {name: [days_of(tables[name].columns[each]) for each in dates] for name, dates in by.items() if dates}
        dated = {name: np.asarray(np.fmin.reduce(each)) for name, each in days.items()}
        undated = {name: int(np.isnan(days).sum()) for name, days in dated.items()}
        notes = (f"{n:,} rows of {name} have no date and are hidden" for name, n in undated.items() if n)
        owner = {name: np.full(tables[name].n_rows, -1) for name in population.schema.names}
        _inherit(population, seen, owner, undated=[name for name in seen if name not in dated])
        owned = frozenset(name for name, rows in owner.items() if (rows >= 0).any())
        return cls(dating, seen, owner, owned, dated, tuple(notes))

    def sees(self, name: str, rows: NDArray[np.integer], individuals: Ints, individual: str, limits: Floats) -> Mask:
        """Return for each pair whether the individual sees the row; a limit of -inf shows only undated rows."""
        limit = limits[individuals]
        visible = self.seen_from[name][rows] <= limit
        if name not in self.owned:
            return np.asarray(visible)
        owner = self.owner[name][rows]
        of_owner = self.seen_from[individual][owner]  # ignored where the owner is -1
        others = (of_owner <= limit) & (limit > -np.inf)
        return np.asarray(visible & ((owner < 0) | (owner == individuals) | others))


def _dates_in(table: Table, dates: TypeDates | None) -> tuple[str, ...]:
    """Return the attributes of a table that date its rows."""
    by = () if dates is None else dates.by
    return tuple(name for name in by if name in table.columns and table.columns[name].kind in MOMENTS)


def _inherit(population: Population, seen: dict[str, Floats], owner: dict[str, Ints], undated: list[str]) -> None:
    """Date the rows of undated types by the rows that they refer to, directly or indirectly."""
    individual, before = population.schema.individual, None
    # Each round goes one reference further.
    while before != (before := [array.tobytes() for name in undated for array in (seen[name], owner[name])]):
        for name in undated:
            for link in (each for each in population.schema.type(name).links if each.single):
                to = population.tables[name].links[link.name].first_targets[:-1]
                if link.target == individual and name != individual:
                    _claim(owner[name], to, seen, name)
                    continue
                seen[name] = np.maximum(seen[name], np.append(seen[link.target], -np.inf)[to])
                _claim(owner[name], np.append(owner[link.target], -1)[to], seen, name)


def _claim(owner: Ints, claimed: Ints, seen: dict[str, Floats], name: str) -> None:
    """Set the owners of rows; a row claimed by two owners is never visible."""
    several = (owner >= 0) & (claimed >= 0) & (owner != claimed)
    seen[name] = np.where(several, np.inf, seen[name])
    owner[(owner < 0) & (claimed >= 0)] = claimed[(owner < 0) & (claimed >= 0)]


# ---- future values --------------------------------------------------------------------------------------


_ONLY_CUTOFF = "it would be missing only because of the cutoff"
_OFTEN_AFTER = "it often lies after the cutoff"


@dataclass(slots=True)
class _Blanks:
    """Counts of rows, missing values and hidden values for each date attribute."""

    seen: Counter[tuple[str, str]] = field(default_factory=Counter)
    unset: Counter[tuple[str, str]] = field(default_factory=Counter)
    hidden: Counter[tuple[str, str]] = field(default_factory=Counter)

    def count(
        self, type_name: str, columns: Mapping[str, Column], hidden: Mapping[str, Mask], rows: Ints | slice
    ) -> None:
        """Add the hidden values of some rows to the counts."""
        for name, mask in hidden.items():
            if columns[name].kind in MOMENTS:
                self.seen[type_name, name] += len(mask[rows])
                self.unset[type_name, name] += int(columns[name].missing[rows].sum())
                self.hidden[type_name, name] += int(mask[rows].sum())

    def reason(self, type_name: str, name: str) -> str | None:
        """Return the reason why a date reveals later events, or None if it does not."""
        key = type_name, name
        filled = self.seen[key] - self.unset[key]
        if not self.hidden[key]:
            return None
        if not self.unset[key]:
            return _ONLY_CUTOFF
        is_often = self.hidden[key] > OFTEN_LATER * filled
        return _OFTEN_AFTER if filled >= USUALLY_FILLED * self.seen[key] and is_often else None


def _hidden_values(
    columns: Mapping[str, Column], dates: TypeDates, limits: Floats, known: Collection[str], with_followers: bool
) -> dict[str, Mask]:
    """Return masks of the values after a limit, and of those set together with a date after it.

    Parameters
    ----------
    columns : mapping from name to Column
    dates : TypeDates
    limits : array
        First hidden moment of each row, in days.
    known : collection of str
        Dates that are always known, such as those of the individuals.
    with_followers : bool
        Whether columns that were set together with a date are hidden with it.
    """
    found = {}
    for name, column in columns.items():
        if column.kind in MOMENTS and name not in known:
            found[name] = np.asarray(~column.missing & ~(past_from(column) <= limits))
    for name, date in dates.set_with.items() if with_followers else ():
        if date in found and name in columns:
            found[name] = found[date] & ~columns[name].missing
    return found


def _blanked(column: Column, hidden: Mask | None) -> Column:
    """Return a column with its hidden values set to missing."""
    if hidden is None or not hidden.any():
        return column
    missing = np.nan if column.values.dtype.kind == "f" else -1
    return replace(column, values=np.where(hidden, missing, column.values).astype(column.values.dtype))


def _without_blanks(dating: Dating, blanks: _Blanks, set_once: Mapping[str, Collection[str]]) -> Dating:
    """Return the dating, which now skips dates hidden by the cutoff and columns that depend on them."""
    found = {}
    for name, dates in dating.items():
        skipped = dict(dates.skipped)
        hidden = [date for type_name, date in blanks.hidden if type_name == name and blanks.hidden[name, date]]
        for date in hidden:
            reason = None if date in set_once.get(name, ()) else blanks.reason(name, date)
            if reason is not None:
                skipped.setdefault(date, reason)
        for follower, date in dates.set_with.items():
            if date in skipped:
                skipped.setdefault(follower, f"it is set with {date}")
        for follower, date in dates.revealing.items():
            if date in hidden or date in skipped:
                skipped.setdefault(follower, f"it shows whether {date} is set")
        found[name] = replace(dates, skipped=skipped)
    return found


def _skipping(found: AsOf, individual: str) -> AsOf:
    """Return the population without the attributes that reveal later events.

    Individuals lose only dates: the target is one of their attributes and may be set later.
    """
    population = found.population
    for record in population.schema.types:
        dates = found.dating.get(found.origins.get(record.name, record.name))
        for name in () if dates is None else dates.skipped:
            attribute = record.attribute(name)
            if attribute is not None and (record.name != individual or attribute.kind in MOMENTS):
                population = population.without_attributes(record.name, name, f"{DAYS_BEFORE}_{name}")
    return replace(found, population=population)


def _dating_notes(dating: Dating) -> Iterator[str]:
    """Yield notes about how rows are dated, with the options that change it."""
    for name, dates in dating.items():
        if len(dates.by) > 1:
            option = option_text("dates", [f"{name}.{dates.by[0]}"])
            yield f"{name} is dated by the earliest of {', '.join(dates.by)}; choose one with {option}"
        for skipped, reason in dates.skipped.items():
            keep = f"; if it never changes, keep it with {option_text('set_once', [f'{name}.{skipped}'])}"
            is_date = reason in (UPDATED, _ONLY_CUTOFF, _OFTEN_AFTER)
            yield f"skipped {name}.{skipped} ({reason}){keep if is_date else ''}"


# ---- unrolling ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """Rows at the end of a path of links: pairs of an individual and a row.

    Parameters
    ----------
    name, base : str
        New type and original type.
    rows, individuals : arrays
    path : tuple of str
        Names of the links.
    came_from : str
        Original type of the previous rows on the path.
    sources : array, optional
        Previous rows on the path.
    """

    name: str
    base: str
    rows: Ints
    individuals: Ints
    path: tuple[str, ...] = ()
    came_from: str = ""
    sources: Ints | None = None


@dataclass(slots=True, eq=False)
class _Draft:
    """Types and tables of a population under construction."""

    population: Population
    visibility: _Visibility
    limits: Floats
    own: Floats
    own_date: str
    in_days: bool
    nesting: int
    most_rows: int
    limit: Limit = NO_LIMIT
    notes: list[str] = field(default_factory=list)
    origins: dict[str, str] = field(default_factory=dict)
    types: dict[str, RecordType] = field(default_factory=dict)
    tables: dict[str, Table] = field(default_factory=dict)
    absolute: set[tuple[str, str]] = field(default_factory=set)
    blanks: _Blanks = field(default_factory=_Blanks)
    hidden: dict[str, Ints] = field(default_factory=dict)
    rows: dict[str, Mask] = field(default_factory=dict)
    n_rows: int = 0
    n_followed: int = 0
    n_skipped: int = 0

    def unroll(self) -> None:
        """Build a table for each path of links, breadth first."""
        individual = self.population.schema.individual
        everyone = np.arange(self.population.tables[individual].n_rows)
        self.rows = {name: np.zeros(table.n_rows, dtype=np.bool_) for name, table in self.population.tables.items()}
        self.origins[individual] = individual
        waiting = deque([_Place(individual, individual, everyone, everyone)])
        while waiting:
            waiting.extend(self._place(waiting.popleft()))
        if self.n_skipped:
            why = "interrupted" if self.limit.over() == "interrupt" else "time limit reached"
            n = self.n_followed + self.n_skipped
            self.notes.append(f"{why} while following links: {self.n_skipped:,} of {n:,} paths skipped")

    def _place(self, place: _Place) -> list[_Place]:
        """Build the table of a place, and return the places that its links lead to."""
        record = self.population.schema.type(place.base)
        self.rows[place.base][place.rows] = True
        columns = self._columns(place)
        ages = dict(self._ages(place, columns))
        attributes = [a for a in record.attributes if a.name not in ages]
        attributes += [Attribute(name, column.kind) for name, column in ages.items()]
        links: list[Link] = []
        adjacencies: dict[str, Adjacency] = {}
        further: list[_Place] = []
        for link in record.links if len(place.path) < self.nesting else ():
            if self._leads_back(place, link):
                continue
            if self.limit.over() is not None:
                self.n_skipped += 1
                continue
            self.n_followed += 1
            found = self._followed(place, link)
            if found is not None:
                target, adjacency = found
                links.append(optional_if_absent(replace(link, target=target.name), adjacency))
                adjacencies[link.name] = adjacency
                further += [target] if target.name not in self.types else []
        self.types[place.name] = RecordType(place.name, tuple(attributes), tuple(links))
        self.tables[place.name] = Table(len(place.rows), {**columns, **ages}, adjacencies)
        return further

    def _columns(self, place: _Place) -> dict[str, Column]:
        """Return the columns of a place, without future values."""
        columns = self.population.tables[place.base].take_columns(place.rows)
        dates = self.visibility.dating.get(place.base, TypeDates())
        if place.path:
            hidden = _hidden_values(columns, dates, self.limits[place.individuals], (), with_followers=True)
        else:
            hidden = _hidden_values(columns, dates, self.own, (self.own_date,), with_followers=False)
        self.blanks.count(place.base, columns, hidden, slice(None) if place.path else self.population.individuals)
        for name, mask in hidden.items():
            if mask.any():
                n_hidden = np.bincount(place.individuals[mask], minlength=len(self.own))
                self.hidden[".".join((*place.path, name))] = n_hidden
        return {name: _blanked(column, hidden.get(name)) for name, column in columns.items()}

    def _ages(self, place: _Place, columns: Mapping[str, Column]) -> Iterator[tuple[str, Column]]:
        """Yield attributes with the ages of rows and of their other dates."""
        base = self.population.tables[place.base]
        dated = self.visibility.dated.get(place.base) if place.path else None
        moments = date_names(self.population.schema.type(place.base))
        others = [name for name in moments if place.path or name != self.own_date]
        kind: Kind = "int" if self.in_days and all(columns[name].kind == "date" for name in moments) else "real"
        limits = self.limits[place.individuals]
        if dated is not None:
            yield DAYS_BEFORE, Column(kind, limits - dated[place.rows])
        for name in others if len(moments) > 1 or dated is None else ():
            yield f"{DAYS_BEFORE}_{name}", Column(kind, limits - days_of(columns[name]))
        years = (name for name, column in base.columns.items() if is_year(column, base, moments, place.rows))
        self.absolute |= {(place.name, name) for name in (*moments, *years)}

    def _followed(self, place: _Place, link: Link) -> tuple[_Place, Adjacency] | None:
        """Return the place that a link leads to, with the link; None if it would have too many rows."""
        is_shared = self._is_shared(link, place)
        found = self._visible(place, link, np.inf if is_shared else self.most_rows - self.n_rows)
        if found is None:
            path = ".".join((*place.path, link.name))
            self.notes.append(f"{SKIPPED_LINK}{path} (more than {self.most_rows:,} rows in total)")
            return None
        made, individuals = found
        if is_shared:
            self.rows[link.target][made.targets] = True
            return self._shared(link), made
        rows = made.targets.astype(np.int64)
        self.n_rows += len(rows)
        names = (*place.path, link.name)
        name, sources = self._new_name(link.target, "_".join(names)), place.rows[made.owners]
        behind = _Place(name, link.target, rows, individuals, names, place.base, sources)
        return behind, Adjacency.in_order(made.lengths)

    def _visible(self, place: _Place, link: Link, most: float) -> tuple[Adjacency, Ints] | None:
        """Return the visible rows behind a link and the individuals that see them; None if there are too many.

        Only visible rows count, since whether a link is followed must not depend on the future.
        """
        adjacency, individual = self.population.tables[place.base].links[link.name], self.population.schema.individual
        lengths = adjacency.n_of(place.rows)
        ends = np.cumsum(lengths)
        starts = np.flatnonzero(np.diff(ends // PAIRS_AT_ONCE, prepend=0))
        limits = np.where(np.isnan(self.limits), -np.inf, self.limits)
        n_seen, hidden = 0, np.zeros(len(self.own), dtype=np.int64)
        kept_lengths, kept_targets, kept_individuals = [], [], []
        for part in np.split(np.arange(len(lengths)), starts):
            targets = adjacency.targets[adjacency.places(place.rows[part])]
            individuals = np.repeat(place.individuals[part], lengths[part])
            kept = self.visibility.sees(link.target, targets, individuals, individual, limits)
            n_seen += int(kept.sum())
            if n_seen > most:
                return None
            hidden += np.bincount(individuals[~kept], minlength=len(hidden))
            made = Adjacency.filtered(lengths[part], targets, kept)
            kept_lengths.append(made.lengths)
            kept_targets.append(made.targets)
            kept_individuals.append(individuals[kept])
        if hidden.any():
            self.hidden[".".join((*place.path, link.name))] = hidden
        whole = Adjacency.from_lengths(np.concatenate(kept_lengths), np.concatenate(kept_targets))
        return whole, np.concatenate(kept_individuals)

    def _is_shared(self, link: Link, place: _Place) -> bool:
        """Return whether all individuals can share the rows behind a link: undated, without further links."""
        record = self.population.schema.type(link.target)
        undated = not date_names(record) and link.target != self.population.schema.individual
        ends = len(place.path) + 1 >= self.nesting or not record.links
        return undated and ends and link.kind != "list"

    def _shared(self, link: Link) -> _Place:
        """Return a place with all rows of a type, without links."""
        table, record = self.population.tables[link.target], self.population.schema.type(link.target)
        name = next((n for n, t in self.tables.items() if t.columns is table.columns), None)
        if name is None:
            name = self._new_name(link.target)
            self.types[name] = RecordType(name, record.attributes)
            self.tables[name] = Table(table.n_rows, table.columns)
        return _Place(name, link.target, np.arange(table.n_rows), np.zeros(0, dtype=np.int64))

    def _leads_back(self, place: _Place, link: Link) -> bool:
        """Return whether a reference returns to the previous rows on the path."""
        if place.sources is None or not link.single or link.target != place.came_from:
            return False
        back = self.population.tables[place.base].links[link.name].first_targets
        return bool(np.array_equal(back[place.rows], place.sources))

    def _new_name(self, base: str, path: str = "alone") -> str:
        """Return an unused name for a copy of a type, and record its origin."""
        name = base
        if base in self.origins:
            name = f"{base}_{path}"
            while name in self.origins or name in self.population.schema:
                name += "_"
        self.origins[name] = base
        return name

    def finish(self) -> Population:
        """Return the finished population."""
        schema = Schema(tuple(self.types.values()), self.population.schema.individual)
        return replace(self.population, schema=schema, tables=self.tables, _known_good=False, _compact=False)
