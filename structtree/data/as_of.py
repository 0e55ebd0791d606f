"""Populations as of a date: each individual sees only rows dated before its own date, along every path.

Rows are shared between individuals of different dates, so that no filter on a row can say who sees it. The rows that
an individual reaches are therefore unrolled: behind each path of links there is a table of its own, whose rows are
pairs of an individual and a row that it sees, one for each way to it. A link leads from a pair to pairs of the same
individual, so that nothing that is asked of an individual can pass by its date, whatever the path. Tables without
dates that lead nowhere further are shared.

A row is dated as `structtree.data.dating` says; where its type has no dates, by the latest row that it refers to.
What belongs to the individual itself (the items of an order) is seen whatever its date. A date after that of the
individual is missing, exactly as if it had never been set; a column that would be missing for no other reason is
skipped.

Laws: a walk along links exists in the result exactly where it exists in the population and every row on it is seen.
Two populations that differ only in what happened on or after each individual's date have the same result
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

__all__ = ["DAYS_BEFORE", "NESTING", "AsOf", "are_until", "as_of", "frozen_at", "own_dates"]

DAYS_BEFORE = "days_before"
"""The attribute of rows that are seen as of a date: how many days before it they are dated.

Where a type has several dates, or one that does not date it, each has an attribute of its own, whose name goes on
with that of the date: ``days_before_opened``. They count from the last moment that is seen: the date of the
individual, less the lead, or the end of the day at which everything is frozen, if that is earlier.
"""

MOST_ROWS = 5_000_000
"""How many rows may be made in all; links that would lead to more are not followed, the farthest first."""

NESTING = 4
"""How many links deep individuals see."""

NOT_FOLLOWED = "not followed: "
"""How notes about links that are not followed begin."""

PAIRS_AT_ONCE = 500_000
"""How many pairs are looked at together, which bounds the memory for those that turn out to be hidden."""


@dataclass(frozen=True, slots=True)
class AsOf:
    """A population in which individuals see the past only, and what is to be said about it.

    Parameters
    ----------
    population : Population
    notes : tuple of str
        How types are dated, which columns are skipped, and which links are not followed because of their size.
    dating : mapping from type to TypeDates
        How rows are dated, and which columns are skipped or set together with a date.
    origins : mapping from type to str
        For each type of the population, the type whose rows it has; empty if types are the same.
    absolute : frozenset of pairs
        The dates, by type and attribute, that `DAYS_BEFORE` stands for, the date of the individuals, and numbers that
        are the years of those dates: asked for themselves, they say nothing about what comes later.
    hidden : mapping from path to array
        What was hidden from each row of the individual type: how many rows behind a path (``user.visits``), or how
        many values (``user.closed``).
    rows : mapping from type to mask
        The rows of the given population that somebody sees.
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
        The attribute of the individuals that dates them; also behind references (``race.date``).
    dates : mapping from type to attribute, optional
        What dates the rows of a type; None for nothing. By default the earliest of its dates does, and of the
        individuals their own date.
    set_once : mapping from type to attributes, optional
        Dates that are never changed once they are set.
    until : float, optional
        The last day that is seen, in days since 1970, whatever the date of an individual.
    lead : float
        Days between the last visible row and the date of an individual.
    nesting : int
        How many links deep individuals see.
    most_rows : int
        How many rows may be made.
    dating : mapping from type to TypeDates, optional
        How rows are dated, as found in other data: that which a model was learned from.
    limit : Limit, optional
        When it is over, paths that are not followed yet are skipped, and a note counts them.

    Examples
    --------
    >>> paid = [{"on": "2024-01-05", "sum": 3}, {"on": "2024-03-01", "sum": 9}]
    >>> loans = Population.from_records([{"date": "2024-02-01", "paid": paid}], types={"on": "date", "date": "date"})
    >>> [each["sum"] for each in as_of(loans, "date").population.record(0)["paid"]]
    [3]
    >>> as_of(loans, "date", lead=30).population.record(0)["paid"]
    []
    """
    column = own_dates(population, date)
    own = days_of(column)
    limits = own - lead if until is None else np.fmin(own - lead, until + 1.0)
    is_settled = dating is not None
    if dating is None:
        last = float(np.nanmax(limits[population.individuals], initial=-np.inf))
        dating = dating_of(population, last, _with_own(population, date, dates or {}), set_once)
    sight = _Sight.of(population, dating)
    draft = _Draft(population, sight, limits, own, date, column.kind == "date", nesting, most_rows, limit)
    draft.unroll()
    if not is_settled:
        dating = _without_blanks(dating, draft.blanks, set_once or {})
    notes = (*_dating_notes(dating), *sight.notes, *draft.notes)
    found = AsOf(draft.finish(), notes, dating, draft.origins, frozenset(draft.absolute), draft.hidden, draft.rows)
    return _skipping(found, population.schema.individual)


def _with_own(population: Population, date: str, dates: Mapping[str, str | None]) -> dict[str, str | None]:
    """Return what dates the rows of each type: by default, individuals are dated by their own date."""
    is_own = "." not in date
    return {**({population.schema.individual: date} if is_own else {}), **dates}


def frozen_at(
    population: Population,
    day: float,
    dates: Mapping[str, str | None] | None = None,
    set_once: Mapping[str, Collection[str]] | None = None,
    dating: Dating | None = None,
) -> AsOf:
    """Return the population without the rows dated after a day, for every individual alike.

    Parameters
    ----------
    population : Population
    day : float
        In days since 1970.
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
    sight, blanks = _Sight.of(population, dating), _Blanks()
    types, tables = [], {}
    for record in population.schema.types:
        table, links, adjacencies = population.tables[record.name], [], {}
        for link in record.links:
            adjacency = table.links[link.name]
            kept = sight.seen_from[link.target][adjacency.targets] <= day + 1.0
            made = _filtered(adjacency.lengths, adjacency.targets, kept)
            links.append(_as_it_is(link, made))
            adjacencies[link.name] = made
        types.append(replace(record, links=tuple(links)))
        columns = _frozen_columns(population, record.name, sight, day, blanks)
        tables[record.name] = replace(table, columns=columns, links=adjacencies)
    if not is_settled:
        dating = _without_blanks(dating, blanks, set_once or {})
    schema = Schema(tuple(types), population.schema.individual)
    frozen = replace(population, schema=schema, tables=tables, _known_good=False, _compact=False)
    notes = (*_dating_notes(dating), *sight.notes)
    return _skipping(AsOf(frozen, notes, dating), population.schema.individual)


def _frozen_columns(
    population: Population, name: str, sight: _Sight, day: float, blanks: _Blanks
) -> dict[str, Column]:
    """Return the columns of a type without what lies after a day; individuals keep their dates and their labels."""
    table, dates = population.tables[name], sight.dating.get(name, TypeDates())
    is_individual = name == population.schema.individual
    known = dates.by if is_individual else ()
    limits = np.where(sight.seen_from[name] <= day + 1.0, day + 1.0, -np.inf)
    hidden = _hidden_values(table.columns, dates, limits, known, with_followers=not is_individual)
    blanks.count(name, table.columns, hidden, np.flatnonzero(limits > -np.inf))
    return {key: _blanked(column, hidden.get(key)) for key, column in table.columns.items()}


def are_until(
    population: Population, day: float, date: str | None = None, dates: Mapping[str, str | None] | None = None
) -> Mask:
    """Return which individuals are dated on a day or before; those that lack their date are not.

    Parameters
    ----------
    population : Population
    day : float
        In days since 1970.
    date : str, optional
        The attribute that dates them, as for `as_of`; without it they are dated as other rows are.
    dates : mapping from type to attribute, optional
        As for `as_of`.

    Examples
    --------
    >>> loans = Population.from_records([{"date": "2024-01-05"}, {"date": "2024-02-01"}, {"date": None}])
    >>> are_until(loans, 19750).tolist()
    [True, False, False]
    """
    if date is not None:
        return np.asarray(days_of(own_dates(population, date))[population.individuals] < day + 1.0)
    individual = population.schema.individual
    sight = _Sight.of(population, dating_of(population, day + 1.0, dates))
    seen_from = sight.seen_from[individual][population.individuals]
    if np.isneginf(seen_from).all():
        raise DataError(f"{individual} has no date column", fix=f"name one with {option_text('as_of')}")
    return np.asarray(seen_from <= day + 1.0)


def _as_it_is(link: Link, adjacency: Adjacency) -> Link:
    """Return the link, optional where it leads nowhere for some rows."""
    is_absent = link.kind == "one" and bool((adjacency.lengths == 0).any())
    return replace(link, kind="optional") if is_absent else link


def _filtered(lengths: Ints, targets: NDArray[np.int32], kept: Mask) -> Adjacency:
    owners = np.repeat(np.arange(len(lengths)), lengths)[kept]
    return Adjacency.from_lengths(np.bincount(owners, minlength=len(lengths)), targets[kept])


def own_dates(population: Population, path: str) -> Column:
    """Return the dates of the rows of the individual type; NaN where there is none.

    Parameters
    ----------
    population : Population
    path : str
        The attribute that dates them, after the references that lead to it.
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
            fix = f"a date may also stand behind references, as in {option_text('as_of', 'race.date')}"
            raise DataError(f"{at} has no {name!r}, nor any other date", fix=fix)
        first = next((each for each in column.values if each == each), None)
        pattern = pattern_of_digits(f"{first:.0f}") if column.kind == "int" and first is not None else None
        said = option_text("types", {f"{at}.{name}": "date" if pattern is None else f"date({pattern})"})
        raise DataError(f"{at}.{name} is {column.kind}, not a date", fix=f"read it as one: {said}")
    return Column(column.kind, np.append(column.values, np.nan)[rows])


# ---- who sees what --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Sight:
    """From when on each row is seen, and whose it is.

    Parameters
    ----------
    dating : mapping from type to TypeDates
    seen_from : mapping from type to array
        The first moment, in days, as of which a row is seen: the day after its date, or just after its time. Rows
        that nothing dates are always seen (-inf), rows that lack their date never (inf).
    owner : mapping from type to array
        The row of the individual type that a row without a date refers to, which sees it whatever the date; or -1.
    owned : frozenset of str
        The types some of whose rows have an owner.
    dated : mapping from type to array
        The date of the rows of types that have one, in days.
    notes : tuple of str
    """

    dating: Dating
    seen_from: Mapping[str, Floats]
    owner: Mapping[str, Ints]
    owned: frozenset[str]
    dated: Mapping[str, Floats]
    notes: tuple[str, ...]

    @classmethod
    def of(cls, population: Population, dating: Dating) -> _Sight:
        """Return what a population says of its rows."""
        by = {name: _dates_in(population.tables[name], dating.get(name)) for name in population.schema.names}
        seen = {name: earliest(population.tables[name], dates) for name, dates in by.items()}
        dated = {name: _first_days(population.tables[name], dates) for name, dates in by.items() if dates}
        undated = {name: int(np.isnan(days).sum()) for name, days in dated.items()}
        notes = (f"{n:,} rows of {name} have no date and are not seen" for name, n in undated.items() if n)
        owner = {name: np.full(population.tables[name].n_rows, -1) for name in population.schema.names}
        _inherit(population, seen, owner, undated=[name for name in seen if name not in dated])
        owned = frozenset(name for name, rows in owner.items() if (rows >= 0).any())
        return cls(dating, seen, owner, owned, dated, tuple(notes))

    def sees(self, name: str, rows: NDArray[np.integer], individuals: Ints, individual: str, limits: Floats) -> Mask:
        """Return which individuals see which rows of a type, pair by pair; with a limit of -inf only undated ones."""
        limit = limits[individuals]
        visible = self.seen_from[name][rows] <= limit
        if name not in self.owned:
            return np.asarray(visible)
        owner = self.owner[name][rows]
        of_owner = self.seen_from[individual][owner]  # of none the last one, which is then not looked at
        others = (of_owner <= limit) & (limit > -np.inf)
        return np.asarray(visible & ((owner < 0) | (owner == individuals) | others))


def _dates_in(table: Table, dates: TypeDates | None) -> tuple[str, ...]:
    """Return the dates that date the rows of a table, as far as it has them."""
    by = () if dates is None else dates.by
    return tuple(name for name in by if name in table.columns and table.columns[name].kind in MOMENTS)


def _first_days(table: Table, dates: Collection[str]) -> Floats:
    """Return the earliest of some dates for each row, in days; NaN where there is none."""
    found = np.full(table.n_rows, np.nan)
    for name in dates:
        found = np.fmin(found, days_of(table.columns[name]))
    return found


def _inherit(population: Population, seen: dict[str, Floats], owner: dict[str, Ints], undated: list[str]) -> None:
    """Date the rows of types without dates by the rows that they refer to, as far as that leads."""
    individual, before = population.schema.individual, None
    while before != (before := _state(seen, owner, undated)):  # each round goes one reference further
        for name in undated:
            for link in (each for each in population.schema.type(name).links if each.single):
                to = population.tables[name].links[link.name].first_targets[:-1]
                if link.target == individual and name != individual:
                    _claim(owner[name], to, seen, name)
                    continue
                seen[name] = np.maximum(seen[name], np.append(seen[link.target], -np.inf)[to])
                _claim(owner[name], np.append(owner[link.target], -1)[to], seen, name)


def _state(seen: Mapping[str, Floats], owner: Mapping[str, Ints], names: list[str]) -> list[bytes]:
    """Return what is known of the rows of some types, to be compared."""
    return [array.tobytes() for name in names for array in (seen[name], owner[name])]


def _claim(owner: Ints, claimed: Ints, seen: dict[str, Floats], name: str) -> None:
    """Say of rows whose they are; a row of two individuals is nobody's, and never seen."""
    several = (owner >= 0) & (claimed >= 0) & (owner != claimed)
    seen[name] = np.where(several, np.inf, seen[name])
    owner[(owner < 0) & (claimed >= 0)] = claimed[(owner < 0) & (claimed >= 0)]


# ---- values of the future -------------------------------------------------------------------------------


_ONLY_CUTOFF = "it would be missing only because of the cutoff"
_OFTEN_AFTER = "it often lies after the cutoff"


@dataclass(slots=True)
class _Blanks:
    """For dates, by type and name: how many values were looked at, how many are not set, and how many are hidden."""

    seen: Counter[tuple[str, str]] = field(default_factory=Counter)
    unset: Counter[tuple[str, str]] = field(default_factory=Counter)
    hidden: Counter[tuple[str, str]] = field(default_factory=Counter)

    def count(
        self, type_name: str, columns: Mapping[str, Column], hidden: Mapping[str, Mask], rows: Ints | slice
    ) -> None:
        """Count what is hidden of the dates of some rows."""
        for name, mask in hidden.items():
            if columns[name].kind in MOMENTS:
                self.seen[type_name, name] += len(mask[rows])
                self.unset[type_name, name] += int(columns[name].missing[rows].sum())
                self.hidden[type_name, name] += int(mask[rows].sum())

    def reason(self, type_name: str, name: str) -> str | None:
        """Return why a date tells what happened later, if it does."""
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
    """Return where the values of columns lie after a limit, or were set together with a date that does.

    Parameters
    ----------
    columns : mapping from name to Column
    dates : TypeDates
    limits : array
        For each row, the first moment that is not seen, in days.
    known : collection of str
        Dates that are known whatever they are: those of the individuals themselves.
    with_followers : bool
        Whether other columns are hidden with a date.
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
    """Return a column that is missing where its values are hidden."""
    if hidden is None or not hidden.any():
        return column
    missing = np.nan if column.values.dtype.kind == "f" else -1
    return replace(column, values=np.where(hidden, missing, column.values).astype(column.values.dtype))


def _without_blanks(dating: Dating, blanks: _Blanks, set_once: Mapping[str, Collection[str]]) -> Dating:
    """Return the dating that also skips dates that are missing because of the cutoff, and what tells as much."""
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
        for follower, date in dates.telling.items():
            if date in hidden or date in skipped:
                skipped.setdefault(follower, f"it tells whether {date} is set")
        found[name] = replace(dates, skipped=skipped)
    return found


def _skipping(found: AsOf, individual: str) -> AsOf:
    """Return the population without the attributes that tell what happened later.

    The individuals keep all but dates: what is learned is one of their attributes, and may well come later.
    """
    population = found.population
    for record in population.schema.types:
        dates = found.dating.get(found.origins.get(record.name, record.name))
        for name in () if dates is None else dates.skipped:
            attribute = record.attribute(name)
            if attribute is not None and (record.name != individual or attribute.kind in MOMENTS):
                population = population.without_attribute(record.name, name)
                population = population.without_attribute(record.name, f"{DAYS_BEFORE}_{name}")
    return replace(found, population=population)


def _dating_notes(dating: Dating) -> Iterator[str]:
    """Yield what a user may want to declare otherwise."""
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
    """The rows behind one path: pairs of an individual and a row.

    Parameters
    ----------
    name, base : str
        The type that is made, and that whose rows it has.
    rows, individuals : arrays
    path : tuple of str
        The links that lead there.
    came_from : str
        The type of the rows that they were reached from,
    sources : array, optional
        and those rows.
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
    """The types and tables of the result so far."""

    population: Population
    sight: _Sight
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
        """Make the tables behind all paths, the nearest first."""
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
        """Make the table of a place; return the places that its links lead to."""
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
                links.append(_as_it_is(replace(link, target=target.name), adjacency))
                adjacencies[link.name] = adjacency
                further += [target] if target.name not in self.types else []
        self.types[place.name] = RecordType(place.name, tuple(attributes), tuple(links))
        self.tables[place.name] = Table(len(place.rows), {**columns, **ages}, adjacencies)
        return further

    def _columns(self, place: _Place) -> dict[str, Column]:
        """Return the columns of a place, without the values of the future."""
        columns = {
            name: column.take(place.rows) for name, column in self.population.tables[place.base].columns.items()
        }
        dates = self.sight.dating.get(place.base, TypeDates())
        if place.path:
            hidden = _hidden_values(columns, dates, self.limits[place.individuals], (), with_followers=True)
        else:
            hidden = _hidden_values(columns, dates, self.own, (self.own_date,), with_followers=False)
        asked = slice(None) if place.path else self.population.individuals
        self.blanks.count(place.base, columns, hidden, asked)
        for name, mask in hidden.items():
            if mask.any():
                self._hide((*place.path, name), place.individuals[mask])
        return {name: _blanked(column, hidden.get(name)) for name, column in columns.items()}

    def _hide(self, path: tuple[str, ...], individuals: Ints) -> None:
        """Keep how much each individual does not see of what is behind a path."""
        self.hidden[".".join(path)] = np.bincount(individuals, minlength=len(self.own))

    def _ages(self, place: _Place, columns: Mapping[str, Column]) -> Iterator[tuple[str, Column]]:
        """Yield how long ago the dates of the rows of a place were, by the attributes that say so."""
        base, dating = self.population.tables[place.base], self.sight.dated.get(place.base)
        moments = date_names(self.population.schema.type(place.base))
        is_dated = bool(place.path) and dating is not None
        others = [name for name in moments if place.path or name != self.own_date]
        kind: Kind = "int" if self.in_days and all(columns[name].kind == "date" for name in moments) else "real"
        limits = self.limits[place.individuals]
        if is_dated:
            assert dating is not None  # as it is dated
            yield DAYS_BEFORE, Column(kind, limits - dating[place.rows])
        for name in others if len(moments) > 1 or not is_dated else ():
            yield f"{DAYS_BEFORE}_{name}", Column(kind, limits - days_of(columns[name]))
        years = (name for name, column in base.columns.items() if is_year(column, base, moments, place.rows))
        self.absolute |= {(place.name, name) for name in (*moments, *years)}

    def _followed(self, place: _Place, link: Link) -> tuple[_Place, Adjacency] | None:
        """Return the place behind a link and the link to it; None where that would be too many rows."""
        is_shared = self._is_shared(link, place)
        found = self._visible(place, link, np.inf if is_shared else self.most_rows - self.n_rows)
        if found is None:
            path = ".".join((*place.path, link.name))
            self.notes.append(f"{NOT_FOLLOWED}{path} (more than {self.most_rows:,} rows in all)")
            return None
        made, who = found
        if is_shared:
            self.rows[link.target][made.targets] = True
            return self._shared(link), made
        rows = made.targets.astype(np.int64)
        self.n_rows += len(rows)
        name, sources = self._new_name(link, place), place.rows[made.owners]
        behind = _Place(name, link.target, rows, who, (*place.path, link.name), place.base, sources)
        return behind, Adjacency.in_order(made.lengths)

    def _visible(self, place: _Place, link: Link, most: float) -> tuple[Adjacency, Ints] | None:
        """Return the visible rows behind a link and who sees them; None if there are too many.

        Only what is seen counts: whether a link is followed must not depend on what lies in the future.
        """
        adjacency, individual = self.population.tables[place.base].links[link.name], self.population.schema.individual
        lengths = adjacency.n_of(place.rows)
        ends = np.cumsum(lengths)
        starts = np.flatnonzero(np.diff(ends // PAIRS_AT_ONCE, prepend=0))
        limits = np.where(np.isnan(self.limits), -np.inf, self.limits)
        n_seen, hidden = 0, np.zeros(len(self.own), dtype=np.int64)
        kept_lengths, kept_targets, kept_who = [], [], []
        for part in np.split(np.arange(len(lengths)), starts):
            targets = adjacency.targets[adjacency.places(place.rows[part])]
            who = np.repeat(place.individuals[part], lengths[part])
            kept = self.sight.sees(link.target, targets, who, individual, limits)
            n_seen += int(kept.sum())
            if n_seen > most:
                return None
            hidden += np.bincount(who[~kept], minlength=len(hidden))
            made = _filtered(lengths[part], targets, kept)
            kept_lengths.append(made.lengths)
            kept_targets.append(made.targets)
            kept_who.append(who[kept])
        if hidden.any():
            self.hidden[".".join((*place.path, link.name))] = hidden
        whole = Adjacency.from_lengths(np.concatenate(kept_lengths), np.concatenate(kept_targets))
        return whole, np.concatenate(kept_who)

    def _is_shared(self, link: Link, place: _Place) -> bool:
        """Tell whether the rows behind a link can be those of all: they have no dates, and lead nowhere further."""
        record = self.population.schema.type(link.target)
        undated = not date_names(record) and link.target != self.population.schema.individual
        ends = len(place.path) + 1 >= self.nesting or not record.links
        return undated and ends and link.kind != "list"

    def _shared(self, link: Link) -> _Place:
        """Return the place of all rows of a type, without links."""
        table, record = self.population.tables[link.target], self.population.schema.type(link.target)
        name = next((n for n, t in self.tables.items() if t.columns is table.columns), None)
        if name is None:
            name = self._free_name(link.target)
            self.origins[name] = link.target
            self.types[name] = RecordType(name, record.attributes)
            self.tables[name] = Table(table.n_rows, table.columns)
        return _Place(name, link.target, np.arange(table.n_rows), np.zeros(0, dtype=np.int64))

    def _leads_back(self, place: _Place, link: Link) -> bool:
        """Tell whether a reference leads back to the very rows that those of a place were reached from."""
        if place.sources is None or not link.single or link.target != place.came_from:
            return False
        back = self.population.tables[place.base].links[link.name].first_targets
        return bool(np.array_equal(back[place.rows], place.sources))

    def _new_name(self, link: Link, place: _Place) -> str:
        name = self._free_name(link.target, "_".join((*place.path, link.name)))
        self.origins[name] = link.target
        return name

    def _free_name(self, base: str, path: str = "") -> str:
        if base not in self.origins:
            return base
        name = f"{base}_{path}" if path else f"{base}_alone"
        while name in self.origins or name in self.population.schema:
            name += "_"
        return name

    def finish(self) -> Population:
        """Return the population."""
        schema = Schema(tuple(self.types.values()), self.population.schema.individual)
        return replace(self.population, schema=schema, tables=self.tables, _known_good=False, _compact=False)
