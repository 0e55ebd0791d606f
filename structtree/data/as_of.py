"""Populations as of a date: each individual sees only rows dated before its own date, along every path.

Rows are shared between individuals of different dates, so that no filter on a row can say who sees it. The rows that
an individual reaches are therefore unrolled: behind each path of links there is a table of its own, whose rows are
pairs of an individual and a row that it sees, one for each way to it. A link leads from a pair to pairs of the same
individual, so that nothing that is asked of an individual can pass by its date, whatever the path. Tables without
dates that lead nowhere further are shared.

A row is dated by its date attribute; by the latest of several; or, where its type has none, by the latest row that it
refers to. What belongs to the individual itself (the items of an order) is seen whatever its date. A date that lies
after that of the individual (when an account that is dated by its opening was closed) is missing.

Law: a walk along links exists in the result exactly where it exists in the population and every row on it is seen.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import Floats, Ints, Mask
from structtree.data.columns import Adjacency, Column, Population, Table
from structtree.data.moments import DAY, pattern_of_digits
from structtree.data.schema import Attribute, Kind, Link, RecordType, Schema
from structtree.errors import DataError, UnknownNameError, option_text
from structtree.interrupts import NO_LIMIT, Limit

__all__ = ["DAYS_BEFORE", "NESTING", "AsOf", "are_until", "as_of", "dates_of", "frozen_at", "own_dates"]

DAYS_BEFORE = "days_before"
"""The attribute of rows that are seen as of a date: how many days before it they are dated.

Where a type has several dates, or one that does not date it, each has an attribute of its own, whose name goes on
with that of the date: ``days_before_opened``. They count from the last moment that is seen: the date of the
individual, less the lead, or the end of the day at which everything is frozen, if that is earlier.
"""

MOST_ROWS = 5_000_000
"""So many rows may be made in all; links that would lead to more are left out, the farthest first."""

NESTING = 4
"""How many links deep individuals see."""

_MOMENTS = ("date", "time")


@dataclass(frozen=True, slots=True)
class AsOf:
    """A population in which individuals see the past only, and what is to be said about it.

    Parameters
    ----------
    population : Population
    notes : tuple of str
        How types were dated, and which links were left out for their size.
    origins : mapping from type to str
        For each type of the population, the type whose rows it has.
    absolute : frozenset of pairs
        The dates, by type and attribute, that `DAYS_BEFORE` stands for, the date of the individuals, and numbers that
        are the years of those dates: asked for themselves, they say nothing about what comes later.
    """

    population: Population
    notes: tuple[str, ...]
    origins: Mapping[str, str]
    absolute: frozenset[tuple[str, str]] = frozenset()


def as_of(
    population: Population,
    date: str,
    *,
    dates: Mapping[str, str | None] | None = None,
    until: float | None = None,
    lead: float = 0.0,
    nesting: int = NESTING,
    most_rows: int = MOST_ROWS,
    limit: Limit = NO_LIMIT,
) -> AsOf:
    """Return the population in which each individual sees only rows dated before its own date.

    Parameters
    ----------
    population : Population
    date : str
        The attribute of the individuals that dates them; also behind references (``race.date``).
    dates : mapping from type to attribute, optional
        What dates the rows of a type; None for nothing. Without it, all date attributes do: the latest of them.
    until : float, optional
        The last day that is seen, in days since 1970, whatever the date of an individual.
    lead : float
        How many days before its date an individual stops to see.
    nesting : int
        How many links deep individuals see.
    most_rows : int
        How many rows may be made.
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
    sight = _Sight.of(population, dates or {})
    dating = own_dates(population, date)
    own = _days(dating)
    limits = own - lead if until is None else np.fmin(own - lead, until + 1.0)
    draft = _Draft(population, sight, limits, own, date, dating.kind == "date", nesting, most_rows, limit)
    draft.unroll()
    return AsOf(draft.finish(), (*sight.notes, *draft.notes), draft.origins, frozenset(draft.absolute))


def frozen_at(population: Population, day: float, dates: Mapping[str, str | None] | None = None) -> Population:
    """Return the population without the rows dated after a day, for every individual alike.

    Parameters
    ----------
    population : Population
    day : float
        In days since 1970.
    dates : mapping from type to attribute, optional
        As for `as_of`.

    Examples
    --------
    >>> people = Population.from_records([{"visits": [{"on": "2024-01-05"}, {"on": "2025-01-05"}]}])
    >>> len(frozen_at(people, 19800).record(0)["visits"])
    1
    """
    sight = _Sight.of(population, dates or {})
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
        tables[record.name] = replace(table, links=adjacencies)
    schema = Schema(tuple(types), population.schema.individual)
    return replace(population, schema=schema, tables=tables, _known_good=False, _compact=False)


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
        return np.asarray(_days(own_dates(population, date))[population.individuals] < day + 1.0)
    individual = population.schema.individual
    seen_from = _Sight.of(population, dates or {}).seen_from[individual][population.individuals]
    if np.isneginf(seen_from).all():
        raise DataError(f"nothing dates {individual}", fix="say what does: --as-of DATE")
    return np.asarray(seen_from <= day + 1.0)


def dates_of(population: Population, dates: Mapping[str, str | None]) -> dict[str, dict[str, Kind]]:
    """Return the types that have dates, each with the attributes that date its rows, and their kinds.

    Parameters
    ----------
    population : Population
    dates : mapping from type to attribute
        As for `as_of`.

    Examples
    --------
    >>> visits = Population.from_records([{"on": "2024-01-05", "rooms": [{"size": 3}]}], individual="Visit")
    >>> dates_of(visits, {})
    {'Visit': {'on': 'date'}}
    """
    tables = population.tables
    found = dict(_dated_by(population, dates))
    return {name: {each: tables[name].columns[each].kind for each in columns} for name, columns in found.items()}


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
    if column is None or column.kind not in _MOMENTS:
        known = [key for key, each in population.tables[at].columns.items() if each.kind in _MOMENTS]
        if column is None and known:
            raise UnknownNameError(f"date of {at}", name, known)
        if column is None:
            fix = "a date may also stand behind references, as in --as-of race.date"
            raise DataError(f"{at} has no {name!r}, nor any other date", fix=fix)
        first = next((each for each in column.values if each == each), None)
        pattern = pattern_of_digits(f"{first:.0f}") if column.kind == "int" and first is not None else None
        said = option_text("--type", f"{at}.{name}=date" if pattern is None else f"{at}.{name}=date({pattern})")
        raise DataError(f"{at}.{name} is {column.kind}, not a date", fix=f"read it as one: {said}")
    return Column(column.kind, np.append(column.values, np.nan)[rows])


def _is_year(column: Column, table: Table, moments: list[str]) -> bool:
    """Tell whether a column has nothing but the years of a date of its rows."""
    if column.kind != "int":
        return False
    known = ~np.isnan(column.values)
    found = (table.value_column(f"{name}.year").values for name in moments)
    return bool(known.any()) and any(np.array_equal(column.values[known], years[known]) for years in found)


def _days(column: Column) -> Floats:
    return np.asarray(column.values if column.kind == "date" else column.values / DAY)


# ---- who sees what --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Sight:
    """From when on each row is seen, and whose it is.

    Parameters
    ----------
    seen_from : mapping from type to array
        The first moment, in days, as of which a row is seen: the day after its date, or just after its time. Rows
        that nothing dates are always seen (-inf), rows that lack their date never (inf).
    owner : mapping from type to array
        The row of the individual type that a row without a date refers to, which sees it whatever the date; or -1.
    dated : mapping from type to array
        The date of the rows of types that have one, in days.
    notes : tuple of str
    """

    seen_from: Mapping[str, Floats]
    owner: Mapping[str, Ints]
    dated: Mapping[str, Floats]
    notes: tuple[str, ...]

    @classmethod
    def of(cls, population: Population, dates: Mapping[str, str | None]) -> _Sight:
        """Return what a population says of its rows, and what the user says of its types."""
        chosen = dict(_dated_by(population, dates))
        notes = [
            f"{name} is dated by the latest of {', '.join(columns)}; to choose one: --date {name}.{columns[0]}"
            for name, columns in chosen.items()
            if len(columns) > 1
        ]
        seen = {name: _seen_from(population.tables[name], chosen.get(name, ())) for name in population.schema.names}
        dated = {name: _latest(population.tables[name], columns) for name, columns in chosen.items()}
        hidden = {name: int(np.isnan(days).sum()) for name, days in dated.items()}
        notes += [f"{n:,} rows of {name} have no date and are not seen" for name, n in hidden.items() if n]
        owner = {name: np.full(population.tables[name].n_rows, -1) for name in population.schema.names}
        _inherit(population, seen, owner, undated=[name for name in seen if name not in chosen])
        return cls(seen, owner, dated, tuple(notes))

    def sees(self, name: str, rows: NDArray[np.integer], individuals: Ints, individual: str, limits: Floats) -> Mask:
        """Return which individuals see which rows of a type, pair by pair."""
        seen, owner, limit = self.seen_from[name][rows], self.owner[name][rows], limits[individuals]
        visible = (seen == -np.inf) | (seen <= limit)
        of_owner = self.seen_from[individual][owner]  # of none the last one, which is then not looked at
        return np.asarray(visible & ((owner < 0) | (owner == individuals) | (of_owner <= limit)))


def _dated_by(population: Population, dates: Mapping[str, str | None]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the types that have dates, with the attributes that count."""
    for name in dates:
        population.schema.type(name)
    for record in population.schema.types:
        known = tuple(a.name for a in record.attributes if a.kind in _MOMENTS)
        if record.name in dates:
            said = dates[record.name]
            if said is not None and said not in known:
                raise UnknownNameError(f"date of {record.name}", said, known)
            known = () if said is None else (said,)
        if known:
            yield record.name, known


def _latest(table: Table, columns: tuple[str, ...]) -> Floats:
    """Return the latest of some dates for each row, in days; NaN where there is none."""
    found = _days(table.columns[columns[0]])
    for name in columns[1:]:
        found = np.fmax(found, _days(table.columns[name]))
    return found


def _seen_from(table: Table, columns: tuple[str, ...]) -> Floats:
    found = np.full(table.n_rows, -np.inf if not columns else np.nan)
    for name in columns:
        found = np.fmax(found, _past_from(table.columns[name]))
    return np.where(np.isnan(found), np.inf, found)


def _past_from(column: Column) -> Floats:
    """Return the first moment, in days, as of which dates are past: the day after, or just after a time."""
    days = _days(column)
    return days + 1.0 if column.kind == "date" else np.nextafter(days, np.inf)


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


# ---- unrolling ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """The rows behind one path: pairs of an individual and a row."""

    name: str
    base: str
    rows: Ints
    individuals: Ints
    path: tuple[str, ...] = ()
    came_by: tuple[str, Link] | None = None


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
    n_rows: int = 0
    n_followed: int = 0
    n_skipped: int = 0

    def unroll(self) -> None:
        """Make the tables behind all paths, the nearest first."""
        individual = self.population.schema.individual
        everyone = np.arange(self.population.tables[individual].n_rows)
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
        record, table = self.population.schema.type(place.base), self.population.tables[place.base]
        columns = {name: self._seen(name, column.take(place.rows), place) for name, column in table.columns.items()}
        spans = {name: self.limits[place.individuals] - days for name, days in self._dates(place, columns)}
        kind: Kind = "int" if self.in_days and self._has_days_only(table) else "real"
        ages = {name: Column(kind, days) for name, days in spans.items()}
        attributes = [a for a in record.attributes if a.name not in ages] + [Attribute(name, kind) for name in ages]
        columns |= ages
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
        self.tables[place.name] = Table(len(place.rows), columns, adjacencies)
        return further

    def _has_days_only(self, table: Table) -> bool:
        return not any(column.kind == "time" for column in table.columns.values())

    def _seen(self, name: str, column: Column, place: _Place) -> Column:
        """Return a column of a place; where it has dates, without those that lie in the future."""
        if column.kind not in _MOMENTS or (not place.path and name == self.own_date):
            return column
        limits = self.limits if place.path else self.own
        hidden = _past_from(column) > limits[place.individuals]
        if hidden.any() and not place.path:
            self.notes.append(f"{int(hidden.sum()):,} values of {name} lie after {self.own_date} and are not seen")
        return replace(column, values=np.where(hidden, np.nan, column.values)) if hidden.any() else column

    def _dates(self, place: _Place, seen: Mapping[str, Column]) -> Iterator[tuple[str, Floats]]:
        """Yield the dates of the rows of a place, in days, by the attributes that tell how long ago they were."""
        table, dating = self.population.tables[place.base], self.sight.dated.get(place.base)
        moments = [name for name, column in table.columns.items() if column.kind in _MOMENTS]
        if not place.path:
            others = [name for name in moments if name != self.own_date]
        else:
            others = moments if len(moments) > 1 or dating is None else []
        if place.path and dating is not None:
            yield DAYS_BEFORE, dating[place.rows]
        for name in others:
            yield f"{DAYS_BEFORE}_{name}", _days(seen[name])
        years = (name for name, column in table.columns.items() if _is_year(column, table, moments))
        self.absolute |= {(place.name, name) for name in (*moments, *years)}

    def _followed(self, place: _Place, link: Link) -> tuple[_Place, Adjacency] | None:
        """Return the place behind a link and the link to it; None where that would be too many rows."""
        adjacency, individual = self.population.tables[place.base].links[link.name], self.population.schema.individual
        lengths = adjacency.n_of(place.rows)
        if self.n_rows + int(lengths.sum()) > self.most_rows and not self._is_shared(link, place):
            path = ".".join((*place.path, link.name))
            self.notes.append(f"not followed: {path} (up to {int(lengths.sum()):,} rows)")
            return None
        targets, who = adjacency.targets[adjacency.places(place.rows)], np.repeat(place.individuals, lengths)
        kept = self.sight.sees(link.target, targets, who, individual, self.limits)
        made = _filtered(lengths, targets, kept)
        if self._is_shared(link, place):
            return self._shared(link), made
        rows = made.targets.astype(np.int64)
        self.n_rows += len(rows)
        name = self._new_name(link, place)
        behind = _Place(name, link.target, rows, who[kept], (*place.path, link.name), (place.base, link))
        return behind, Adjacency.in_order(made.lengths)

    def _is_shared(self, link: Link, place: _Place) -> bool:
        """Tell whether the rows behind a link can be those of all: they have no date, and lead nowhere further."""
        undated = link.target not in self.sight.dated and link.target != self.population.schema.individual
        ends = len(place.path) + 1 >= self.nesting or not self.population.schema.type(link.target).links
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
        """Tell whether a reference leads back to the very row that the rows of a place were reached from."""
        if place.came_by is None or not link.single:
            return False
        source, came = place.came_by
        if link.target != source:
            return False
        forth = self.population.tables[source].links[came.name]
        back = self.population.tables[place.base].links[link.name].first_targets
        return bool(np.array_equal(back[forth.targets], forth.owners))

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
