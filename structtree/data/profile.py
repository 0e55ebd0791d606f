"""Profile of a population: which attributes identify rows, have many values or can be compared, which links explode.

The schema says what could be tested; the data says what is worth testing. An identifier tells rows apart and says
nothing about new ones, so that no test of it is worth making. A number with very many values is tested at quantiles.
Two attributes of one row are worth comparing if their values are of one kind and lie in the same places. A link by
which all individuals reach nearly all rows, as from an airline back to its flights, costs much and says little.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple, TypedDict

import numpy as np
from numpy.typing import NDArray

from structtree.data.as_of import DAYS_BEFORE
from structtree.data.population import Column, Population
from structtree.data.provenance import provenance_of
from structtree.data.reachable import reachable_rows
from structtree.data.schema import NUMERIC, RecordType
from structtree.reprs import names_text, short_repr

__all__ = ["FEW_WORDS", "MANY_PAIRS", "MANY_ROWS", "Member", "MemberPair", "Profile", "identifiers", "profile"]

MANY_CUTS = 100_000
"""How many thresholds the numbers of one linked type may have in all; a number beyond that is tested at quantiles."""

MANY_ROWS, SHARING = 2_000_000, 3
"""A link leads to too many rows if individuals reach so many by it in all, and each row so many times on average."""

MANY_INDIVIDUALS = 200_000
"""Of more individuals than this, one thing at a time is asked where a tree can ask one after the other as well."""

LEAST_ROWS = 20
"""A text can be seen to identify rows if at least so many rows have one."""

MOSTLY = 0.9
"""A text identifies rows if it has at least so many different values per row."""

MANY_WORDS, TYPICAL, FREQUENT = 50, 3, 10
"""A text also identifies if it has so many values, each of fewer rows than that on average, and hardly any of ten."""

FEW_WORDS = 30
"""A text with at most so many values, that at least twice as many rows have, says something even if it is a key."""

MANY_PAIRS = 15
"""So many pairs of attributes of a type are compared, those of six attributes; of more pairs most are chance."""

ALIKE = 0.5
"""Two attributes are comparable if they share at least this part of all values that either can have."""

MANY_NUMBERS = 12
"""More numbers of one kind than this, in one type, are not compared with each other."""

SAMPLE = 2000
"""So many rows tell where the numbers of an attribute lie."""

TAIL = 0.05
"""The part of the numbers, at either end, that does not count for where they lie."""

SPANS = (7, 30, 90, 365, 1825)
"""The days that people count as recent: of a week, a month, a quarter, a year, five years."""

LEAST_VALUES = 3
"""An attribute with fewer different values than this is not compared with others: each test of it says as much."""

IDENTIFIER_NAME = re.compile(r"(?i:(^|[\W_])id$)|[a-z0-9]I[dD]$")
"""The names that people give to identifiers: ``id``, ``order_id``, ``orderId``, ``Order ID``; but not ``acid``."""


class Member(NamedTuple):
    """An attribute, or a link, of a type."""

    type: str
    attribute: str


class MemberPair(NamedTuple):
    """Two attributes of a type, in the order of the schema."""

    type: str
    one: str
    other: str


@dataclass(frozen=True, slots=True)
class Profile:
    """Facts about attributes that the data tells, beyond the schema.

    Parameters
    ----------
    identifiers : frozenset of Member
        Attributes that identify rows rather than describe them.
    many_valued : frozenset of Member
        Numbers that have too many different values to try all thresholds.
    comparable : tuple of MemberPair
        Attributes whose values are worth comparing with each other, in the order of the schema.
    crowded : frozenset of Member
        Links by which the individuals reach too many rows.
    returning : frozenset of Member
        References that only lead back to the row from which one came.
    absolute : frozenset of Member
        Where individuals see the past only, dates and years, which lie before those of all new individuals; how long
        ago something was says more about them.
    recent : tuple of Member and int
        For each type whose rows were so many days before, how many days count as recent: the longest of a week, a
        month, a quarter, a year and five years in which at most half of the rows lie.
    is_large : bool
        Whether individuals with links are too many to combine tests that a tree can ask one after the other as well.
    """

    identifiers: frozenset[Member] = frozenset()
    many_valued: frozenset[Member] = frozenset()
    comparable: tuple[MemberPair, ...] = ()
    crowded: frozenset[Member] = frozenset()
    returning: frozenset[Member] = frozenset()
    absolute: frozenset[Member] = frozenset()
    recent: tuple[tuple[Member, int], ...] = ()
    is_large: bool = False

    def __repr__(self) -> str:
        found = {"identifiers": self.identifiers, "many-valued": self.many_valued, "crowded": self.crowded}
        found |= {"returning": self.returning, "absolute": self.absolute}
        texts = {what: names_text(f"{m.type}.{m.attribute}" for m in members) for what, members in found.items()}
        texts["comparable"] = names_text(f"{p.type}.{p.one} and {p.other}" for p in self.comparable)
        return short_repr(self, "; ".join(f"{what} {text or 'none'}" for what, text in texts.items()))


def profile(population: Population, max_cuts: int = MANY_CUTS) -> Profile:
    """Return the profile of a population, from the rows that its individuals reach.

    A text identifies if at least twenty rows have one and nine in ten of them differ, or if it has fifty values and
    more, of fewer than three rows on average, and hardly any of ten rows: weights with their unit, dates in words,
    tickets. What holds of two or three rows is chance, and a tree that may ask for each such value finds little else.
    A text of at most thirty values is no identifier if twice as many rows refer to its rows: the names of genres, to
    which tracks refer. A text or a whole number whose name says so (``id``, ``order_id``, ``orderId``) identifies if
    no two rows have the same.

    The numbers of a type that links lead to or from share ``max_cuts`` thresholds. Those with the fewest values come
    first; those for which nothing is left have many values. Plain tables are swept whatever their size, so that none
    of their numbers has.

    Two attributes of a type are comparable if they have the same kind, at least three values each, and share half of
    all categories that either has, or half of the span of both: for dates, that of all; for numbers, that of the
    middle nine tenths. Where more than fifteen pairs of a type are alike, or more than twelve numbers are of a kind,
    none is better than the others, so that none is taken.

    A link to several rows is crowded if the individuals reach more than two million rows by it, counted as often as
    they are reached along the shortest way, and each of them three times on average. A reference returns if it leads
    back along every link by which individuals reach its rows: from an account to transactions, and from each of them
    to the account. Individuals with links are many if there are more than 200,000.

    Examples
    --------
    >>> people = Population.from_records([{"id": 7, "age": 31}, {"id": 8, "age": 40}])
    >>> profile(people).identifiers
    frozenset({Member(type='Individual', attribute='id')})
    """
    suspects, large = tuple(_suspects(population)), tuple(_large_types(population, max_cuts))
    recent = tuple(_recent(population))
    relations = provenance_of(population).relations
    absolute = _in_schema(population, relations.absolute_dates) if relations is not None else frozenset()
    if not suspects and not large:
        alike = _all_comparable(population)
        return Profile(comparable=alike, absolute=absolute, recent=recent, **_of_links(population))
    reached = reachable_rows(population)
    telling = frozenset(member for member in suspects if _identifies(member, _reached(population, member, reached)))
    telling |= _in_schema(population, relations.identifying) if relations is not None else frozenset()
    found = (member for record in large for member in _many_valued(population, record, reached, telling, max_cuts))
    alike = _all_comparable(population, telling)
    many = frozenset(found) - absolute
    return Profile(telling, many, alike, absolute=absolute, recent=recent, **_of_links(population))


def identifiers(population: Population, rows: Mapping[str, NDArray[np.bool_]] | None = None) -> frozenset[Member]:
    """Return the attributes that identify rows, among some rows of each table or all of them.

    Examples
    --------
    >>> identifiers(Population.from_records([{"id": 7, "age": 31}, {"id": 8, "age": 40}]))
    frozenset({Member(type='Individual', attribute='id')})
    """
    if rows is None:
        rows = {name: np.ones(table.n_rows, dtype=np.bool_) for name, table in population.tables.items()}
    return frozenset(m for m in _suspects(population) if _identifies(m, _reached(population, m, rows)))


def _in_schema(population: Population, members: frozenset[tuple[str, str]]) -> frozenset[Member]:
    """Return those of some attributes, by type and name, that a population still has."""
    has = {(record.name, a.name) for record in population.schema.types for a in record.attributes}
    return frozenset(Member(*each) for each in members & has)


def _recent(population: Population) -> Iterator[tuple[Member, int]]:
    """Yield the types whose rows are dated before individuals, and how many days count as recent in each."""
    relations = provenance_of(population).relations
    for name in () if relations is None else relations.origins:
        record = next((each for each in population.schema.types if each.name == name), None)
        if record is not None and record.attribute(DAYS_BEFORE) is not None:
            days = population.tables[name].columns[DAYS_BEFORE].values
            middle = float(np.nanmedian(days)) if np.isfinite(days).any() else 0.0
            found = [span for span in SPANS if span <= middle]
            if found:
                yield Member(name, DAYS_BEFORE), found[-1]


class _OfLinks(TypedDict):
    """What a profile says about links."""

    crowded: frozenset[Member]
    returning: frozenset[Member]
    is_large: bool


def _of_links(population: Population) -> _OfLinks:
    schema, crowded = population.schema, frozenset(_crowded(population))
    is_large = bool(schema.type(schema.individual).links) and len(population) > MANY_INDIVIDUALS
    return _OfLinks(crowded=crowded, returning=_returning(population, crowded), is_large=is_large)


def _returning(population: Population, crowded: frozenset[Member]) -> frozenset[Member]:
    """Return the references that lead back to where one came from, by whatever link that is followed one came."""
    schema, found = population.schema, frozenset[Member]()
    while True:
        comers = _comers(population, crowded | found)
        more = {
            Member(name, link.name)
            for name, ways in comers.items()
            if name != schema.individual and not schema.listed(name)
            for link in schema.type(name).links
            if link.single and all(_leads_back(population, way, Member(name, link.name)) for way in ways)
        }
        if more <= found:
            return found
        found |= more


def _comers(population: Population, without: frozenset[Member]) -> dict[str, list[Member]]:
    """Return the links by which individuals come to each type that they reach."""
    schema = population.schema
    comers: dict[str, list[Member]] = {schema.individual: []}
    waiting = [schema.individual]
    while waiting:
        name = waiting.pop()
        for link in schema.type(name).links:
            if Member(name, link.name) not in without:
                waiting += [] if link.target in comers else [link.target]
                comers.setdefault(link.target, []).append(Member(name, link.name))
    return comers


def _leads_back(population: Population, there: Member, back: Member) -> bool:
    """Tell whether whoever follows one link and then another is where it was."""
    link = population.schema.type(back.type).link(back.attribute)
    if link is None or link.target != there.type:
        return False
    ways = population.tables[there.type].links[there.attribute]
    last = population.tables[back.type].links[back.attribute].first_targets
    return bool((last[ways.targets] == ways.owners).all())


def _all_comparable(population: Population, identifiers: frozenset[Member] = frozenset()) -> tuple[MemberPair, ...]:
    types = population.schema.types
    return tuple(pair for record in types for pair in _comparable(population, record, identifiers))


def _crowded(population: Population, max_rows: int = MANY_ROWS) -> Iterator[Member]:
    """Yield the links that lead to too many rows, those nearest to the individuals first."""
    individual = population.schema.individual
    everybody = np.bincount(population.individuals, minlength=population.tables[individual].n_rows)
    level, known = {individual: everybody.astype(np.float64)}, {individual}
    while level:
        further: dict[str, NDArray[np.float64]] = {}
        for name, times in level.items():
            for link in population.schema.type(name).links:
                adjacency, n_rows = population.tables[name].links[link.name], population.tables[link.target].n_rows
                if not link.single and float(times @ adjacency.lengths) > max(max_rows, SHARING * n_rows):
                    yield Member(name, link.name)
                elif link.target not in known:
                    reached = np.bincount(adjacency.targets, np.repeat(times, adjacency.lengths), n_rows)
                    further[link.target] = np.maximum(further.get(link.target, 0.0), reached)
        known |= further.keys()
        level = further


def _members(population: Population, record: RecordType) -> Iterator[tuple[Member, Column]]:
    columns = population.tables[record.name].columns
    return ((Member(record.name, a.name), columns[a.name]) for a in record.attributes)


def _suspects(population: Population) -> Iterator[Member]:
    """The attributes that may identify, by what is known without looking at rows."""
    for record in population.schema.types:
        for member, column in _members(population, record):
            is_text = column.kind == "nominal" and len(column.categories) >= MOSTLY * LEAST_ROWS
            is_text = is_text and not _is_looked_up(population, member, column)
            if is_text or (column.kind in ("nominal", "int") and _is_named_so(member.attribute)):
                yield member


def _is_named_so(name: str) -> bool:
    """Return whether a name is one for identifiers.

    Examples
    --------
    >>> [_is_named_so(name) for name in ("id", "ID", "order_id", "orderId", "Compound ID", "acid", "GRID", "idle")]
    [True, True, True, True, True, False, False, False]
    """
    return IDENTIFIER_NAME.search(name) is not None


def _reached(population: Population, member: Member, reached: Mapping[str, NDArray[np.bool_]]) -> Column:
    """The values of the rows that are reached and have one."""
    column = population.tables[member.type].columns[member.attribute]
    return column.take(np.flatnonzero(reached[member.type] & ~column.missing))


def _identifies(member: Member, column: Column) -> bool:
    n, n_different = len(column), _n_different(column)
    if n >= 2 and n_different == n and _is_named_so(member.attribute):
        return True
    if column.kind != "nominal" or n < LEAST_ROWS:
        return False
    return n_different >= MOSTLY * n or _is_scattered(np.bincount(column.values))


def _is_looked_up(population: Population, member: Member, column: Column) -> bool:
    """Return whether a text stands in a short list of things to which many rows refer."""
    if len(column.categories) > FEW_WORDS or member.type == population.schema.individual:
        return False
    n_referring = (
        len(population.tables[record.name].links[link.name].targets)
        for record in population.schema.types
        for link in record.links
        if link.target == member.type and link.single and record.name != member.type
    )
    return max(n_referring, default=0) >= 2 * len(column)


def _is_scattered(counts: NDArray[np.int64]) -> bool:
    """Return whether there are many values of few rows each; words of a language are not, some of which are frequent.

    Examples
    --------
    >>> _is_scattered(np.repeat(2, 60)), _is_scattered(np.repeat(4, 60)), _is_scattered(np.array([30] + [2] * 60))
    (True, False, False)
    """
    n, n_different = int(counts.sum()), int(np.count_nonzero(counts))
    n_frequent = int(counts[counts >= FREQUENT].sum())
    return n_different >= MANY_WORDS and n < TYPICAL * n_different and n_frequent < (1 - MOSTLY) * n


def _n_different(column: Column) -> int:
    if column.kind == "nominal":
        return int(np.count_nonzero(np.bincount(column.values)))
    return len(np.unique(column.values))


def _large_types(population: Population, max_cuts: int) -> Iterator[RecordType]:
    """The types that have so many numbers that there may be too many thresholds."""
    schema = population.schema
    if not any(record.links for record in schema.types):
        return
    for record in schema.types:
        n_numbers = sum(attribute.kind in NUMERIC for attribute in record.attributes)
        if n_numbers * population.tables[record.name].n_rows > max_cuts:
            yield record


def _many_valued(
    population: Population,
    record: RecordType,
    reached: Mapping[str, NDArray[np.bool_]],
    identifiers: frozenset[Member],
    max_cuts: int,
) -> Iterator[Member]:
    """The numbers of a type for which no thresholds are left, the one with most values last."""
    numbers = (m for m, c in _members(population, record) if c.kind in NUMERIC and m not in identifiers)
    n_cuts = {member: _n_different(_reached(population, member, reached)) - 1 for member in numbers}
    total = 0
    for member in sorted(n_cuts, key=n_cuts.__getitem__):
        total += n_cuts[member]
        if total > max_cuts:
            yield member


def _comparable(population: Population, record: RecordType, identifiers: frozenset[Member]) -> Iterator[MemberPair]:
    """Yield the pairs of attributes of a type that are worth comparing; none where there are very many."""
    by_kind: dict[str, dict[str, Column]] = {}
    is_individual = record.name == population.schema.individual
    for member, column in _members(population, record):
        if column.kind != "bool" and member not in identifiers:
            rows = population.individuals[:: max(1, len(population) // SAMPLE)] if is_individual else None
            by_kind.setdefault(column.kind, {})[member.attribute] = column if rows is None else column.take(rows)
    alike = {pair for kind, columns in by_kind.items() for pair in _alike(kind, columns)}
    if len(alike) <= MANY_PAIRS:
        names = [attribute.name for attribute in record.attributes]
        yield from (MemberPair(record.name, *pair) for pair in combinations(names, 2) if pair in alike)


def _alike(kind: str, columns: Mapping[str, Column]) -> Iterator[tuple[str, str]]:
    """Yield the pairs of columns of one kind that have their values in the same places."""
    match kind:
        case "nominal":
            words = {name: set(column.categories) for name, column in columns.items()}
            some = [name for name, own in words.items() if len(own) >= LEAST_VALUES]
            pairs = combinations(some, 2)
            yield from (p for p in pairs if _share(len(words[p[0]] & words[p[1]]), len(words[p[0]] | words[p[1]])))
        case "ordered":
            pairs = combinations(columns, 2)
            yield from (p for p in pairs if columns[p[0]].categories == columns[p[1]].categories)
        case _ if 2 <= len(columns) <= MANY_NUMBERS:
            tails = 0.0 if kind in ("date", "time") else TAIL
            spans = {name: span for name, column in columns.items() if (span := _span(column, tails)) is not None}
            yield from (pair for pair in combinations(spans, 2) if _overlap(spans[pair[0]], spans[pair[1]]))
        case _:
            pass


def _span(column: Column, tail: float) -> tuple[float, float] | None:
    """Return the least and the greatest value of a sample without its tails; None of hardly any different values."""
    values = np.sort(column.values[:: max(1, len(column) // SAMPLE)])
    values = values[: int(np.searchsorted(values, np.nan))]
    if np.count_nonzero(values[1:] != values[:-1]) + 1 < LEAST_VALUES:
        return None
    cut = int(tail * len(values))
    return float(values[cut]), float(values[len(values) - 1 - cut])


def _overlap(one: tuple[float, float], other: tuple[float, float]) -> bool:
    """Return whether two spans have half of what they span together in common.

    Examples
    --------
    >>> _overlap((0, 2), (1, 3)), _overlap((0, 2), (0.5, 2.5)), _overlap((0, 2), (5, 7))
    (False, True, False)
    """
    shared = min(one[1], other[1]) - max(one[0], other[0])
    return _share(shared, max(one[1], other[1]) - min(one[0], other[0]))


def _share(common: float, whole: float) -> bool:
    return common > 0 and common >= ALIKE * whole
