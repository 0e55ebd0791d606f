"""Profile of a population: facts about its attributes and links that decide which tests are worth trying.

The schema defines the possible tests, the data shows which are useful. Identifiers are not tested, since they do not
generalise to new rows. A number with very many values is tested at quantiles. Two attributes of a row are compared if
they have the same kind and overlapping values. A link through which all individuals reach nearly all rows, as from an
airline back to its flights, is expensive and not informative.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

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
"""Maximum number of thresholds for all numbers of a linked type; further numbers are tested at quantiles."""

MANY_ROWS, SHARING = 2_000_000, 3
"""A link is crowded if individuals reach more rows through it in total, and each row more often on average."""

MANY_INDIVIDUALS = 200_000
"""With more linked individuals, tests are not combined if a tree can apply them one after the other."""

LEAST_ROWS = 20
"""Minimum number of rows with a value to recognise a string attribute as an identifier."""

MOSTLY = 0.9
"""Minimum fraction of distinct values of an identifier."""

MANY_WORDS, TYPICAL, FREQUENT = 50, 3, 10
"""Other identifiers: minimum number of values, maximum mean number of rows per value, rows of a frequent value."""

FEW_WORDS = 30
"""A string attribute with at most this many values is not an identifier if twice as many rows refer to its rows."""

MANY_PAIRS = 15
"""Maximum number of pairs of attributes that are compared per type; among more pairs most agree by chance."""

ALIKE = 0.5
"""Minimum overlap of the values of two comparable attributes, as a fraction of their union."""

MANY_NUMBERS = 12
"""Maximum number of numeric attributes of a kind, per type, that are compared with each other."""

SAMPLE = 2000
"""Number of rows from which the range of a numeric attribute is estimated."""

TAIL = 0.05
"""Fraction of the numbers at either end that is excluded from the range."""

SPANS = (7, 30, 90, 365, 1825)
"""Candidates for the number of recent days: a week, a month, a quarter, a year, five years."""

LEAST_VALUES = 3
"""Minimum number of distinct values of comparable attributes."""

IDENTIFIER_NAME = re.compile(r"(?i:(^|[\W_])id$)|[a-z0-9]I[dD]$")
"""Usual names of identifiers: ``id``, ``order_id``, ``orderId``, ``Order ID``; but not ``acid``."""


class Member(NamedTuple):
    """An attribute or a link of a type."""

    type: str
    attribute: str


class MemberPair(NamedTuple):
    """Two attributes of a type, in the order of the schema."""

    type: str
    one: str
    other: str


@dataclass(frozen=True, slots=True)
class Profile:
    """Facts about the attributes and links of a population.

    Parameters
    ----------
    identifiers : frozenset of Member
        Attributes that identify rows.
    many_valued : frozenset of Member
        Numbers with too many distinct values to try all thresholds.
    comparable : tuple of MemberPair
        Attributes that are worth comparing with each other, in schema order.
    crowded : frozenset of Member
        Links through which the individuals reach too many rows.
    returning : frozenset of Member
        References that only return to the parent row.
    absolute : frozenset of Member
        Dates and years, if individuals see only the past: they precede those of all new individuals, so ages are more
        useful.
    recent : tuple of Member and int
        Number of days that count as recent for each type with ages: the longest of a week, a month, a quarter, a year
        and five years that contains at most half of the rows.
    is_large : bool
        Whether there are too many linked individuals to combine tests that a tree can apply one after the other.
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
    """Return the profile of a population, based on the rows that its individuals reach.

    A string attribute is an identifier if at least 20 rows have a value and 90 % of the values are distinct, or if it
    has at least 50 values with fewer than three rows on average and hardly any with ten rows, such as weights with
    units, dates in words or ticket numbers. It is not an identifier if it has at most 30 values and twice as many
    rows refer to its rows, such as the names of genres. A string or integer attribute with a suitable name (``id``,
    ``order_id``, ``orderId``) is an identifier if all values are distinct.

    The numbers of a linked type share ``max_cuts`` thresholds. Those with the fewest values come first; the remaining
    ones are many-valued. The numbers of plain tables never are.

    Two attributes of a type are comparable if they have the same kind, at least three values each, and share half of
    their categories or half of their range (for numbers, the range of the middle 90 %). If more than 15 pairs of a
    type, or more than 12 numbers of a kind, are comparable, none are compared.

    A link to several rows is crowded if the individuals reach more than two million rows through it, counted with
    repetitions along the shortest path, and each row three times on average. A reference is returning if it leads
    back along every link through which individuals reach its rows: from an account to transactions, and from each of
    them to the account. The population is large if it has more than 200,000 individuals with links.

    Examples
    --------
    >>> people = Population.from_records([{"id": 7, "age": 31}, {"id": 8, "age": 40}])
    >>> profile(people).identifiers
    frozenset({Member(type='Individual', attribute='id')})
    """
    suspects, large = tuple(_suspects(population)), tuple(_large_types(population, max_cuts))
    schema, relations = population.schema, provenance_of(population).relations
    absolute = _in_schema(population, relations.absolute_dates) if relations is not None else frozenset()
    keys, many = frozenset[Member](), frozenset[Member]()
    if suspects or large:
        reached = reachable_rows(population)
        keys = frozenset(each for each in suspects if _identifies(each, _reached(population, each, reached)))
        keys |= _in_schema(population, relations.identifying) if relations is not None else frozenset()
        found = (each for record in large for each in _many_valued(population, record, reached, keys, max_cuts))
        many = frozenset(found) - absolute
    crowded = frozenset(_crowded(population))
    return Profile(
        identifiers=keys,
        many_valued=many,
        comparable=tuple(pair for record in schema.types for pair in _comparable(population, record, keys)),
        crowded=crowded,
        returning=_returning(population, crowded),
        absolute=absolute,
        recent=tuple(_recent(population)),
        is_large=bool(schema.type(schema.individual).links) and len(population) > MANY_INDIVIDUALS,
    )


def identifiers(population: Population, rows: Mapping[str, NDArray[np.bool_]] | None = None) -> frozenset[Member]:
    """Return the attributes that identify rows, among the given rows of each table (all by default).

    Examples
    --------
    >>> identifiers(Population.from_records([{"id": 7, "age": 31}, {"id": 8, "age": 40}]))
    frozenset({Member(type='Individual', attribute='id')})
    """
    if rows is None:
        rows = {name: np.ones(table.n_rows, dtype=np.bool_) for name, table in population.tables.items()}
    return frozenset(m for m in _suspects(population) if _identifies(m, _reached(population, m, rows)))


def _in_schema(population: Population, members: frozenset[tuple[str, str]]) -> frozenset[Member]:
    """Return the given (type, name) pairs that are attributes of the population."""
    has = {(record.name, a.name) for record in population.schema.types for a in record.attributes}
    return frozenset(Member(*each) for each in members & has)


def _recent(population: Population) -> Iterator[tuple[Member, int]]:
    """Yield the attribute with the age of rows, for each type that has one, and the days that count as recent."""
    relations = provenance_of(population).relations
    for name in () if relations is None else relations.origins:
        record = next((each for each in population.schema.types if each.name == name), None)
        if record is not None and record.attribute(DAYS_BEFORE) is not None:
            days = population.tables[name].columns[DAYS_BEFORE].values
            middle = float(np.nanmedian(days)) if np.isfinite(days).any() else 0.0
            found = [span for span in SPANS if span <= middle]
            if found:
                yield Member(name, DAYS_BEFORE), found[-1]


def _returning(population: Population, crowded: frozenset[Member]) -> frozenset[Member]:
    """Return the references that return to the parent row whichever link leads there."""
    schema, found = population.schema, frozenset[Member]()
    while True:
        incoming = _incoming_links(population, crowded | found)
        more = {
            Member(name, link.name)
            for name, origins in incoming.items()
            if name != schema.individual and not schema.listed(name)
            for link in schema.type(name).links
            if link.single and all(_leads_back(population, origin, Member(name, link.name)) for origin in origins)
        }
        if more <= found:
            return found
        found |= more


def _incoming_links(population: Population, without: frozenset[Member]) -> dict[str, list[Member]]:
    """Return the links through which individuals reach each type."""
    schema = population.schema
    incoming: dict[str, list[Member]] = {schema.individual: []}
    waiting = [schema.individual]
    while waiting:
        name = waiting.pop()
        for link in schema.type(name).links:
            if Member(name, link.name) not in without:
                waiting += [] if link.target in incoming else [link.target]
                incoming.setdefault(link.target, []).append(Member(name, link.name))
    return incoming


def _leads_back(population: Population, there: Member, back: Member) -> bool:
    """Return whether following one link and then another always returns to the same row."""
    link = population.schema.type(back.type).link(back.attribute)
    if link is None or link.target != there.type:
        return False
    forward = population.tables[there.type].links[there.attribute]
    last = population.tables[back.type].links[back.attribute].first_targets
    return bool((last[forward.targets] == forward.owners).all())


def _crowded(population: Population, max_rows: int = MANY_ROWS) -> Iterator[Member]:
    """Yield the links that lead to too many rows, in order of their distance from the individuals."""
    individual = population.schema.individual
    n_times = np.bincount(population.individuals, minlength=population.tables[individual].n_rows)
    level, known = {individual: n_times.astype(np.float64)}, {individual}
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
    """Yield the attributes that may be identifiers, judged without reading rows."""
    for record in population.schema.types:
        for member, column in _members(population, record):
            is_text = column.kind == "nominal" and len(column.categories) >= MOSTLY * LEAST_ROWS
            is_text = is_text and not _is_looked_up(population, member, column)
            if is_text or (column.kind in ("nominal", "int") and _is_identifier_name(member.attribute)):
                yield member


def _is_identifier_name(name: str) -> bool:
    """Return whether an attribute is named like an identifier.

    Examples
    --------
    >>> names = ("id", "ID", "order_id", "orderId", "Compound ID", "acid", "GRID", "idle")
    >>> [_is_identifier_name(name) for name in names]
    [True, True, True, True, True, False, False, False]
    """
    return IDENTIFIER_NAME.search(name) is not None


def _reached(population: Population, member: Member, reached: Mapping[str, NDArray[np.bool_]]) -> Column:
    """Return the non-missing values in the rows that individuals reach."""
    column = population.tables[member.type].columns[member.attribute]
    return column.take(np.flatnonzero(reached[member.type] & ~column.missing))


def _identifies(member: Member, column: Column) -> bool:
    n, n_different = len(column), _n_different(column)
    if n >= 2 and n_different == n and _is_identifier_name(member.attribute):
        return True
    if column.kind != "nominal" or n < LEAST_ROWS:
        return False
    return n_different >= MOSTLY * n or _is_scattered(np.bincount(column.values))


def _is_looked_up(population: Population, member: Member, column: Column) -> bool:
    """Return whether an attribute belongs to a short lookup table to which many rows refer."""
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
    """Return whether there are many values with few rows each, and almost no frequent ones.

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
    """Yield the types whose numeric attributes may have too many thresholds."""
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
    """Yield the numeric attributes of a type that exceed the limit of thresholds, fewest values first."""
    numbers = (m for m, c in _members(population, record) if c.kind in NUMERIC and m not in identifiers)
    n_cuts = {member: _n_different(_reached(population, member, reached)) - 1 for member in numbers}
    total = 0
    for member in sorted(n_cuts, key=n_cuts.__getitem__):
        total += n_cuts[member]
        if total > max_cuts:
            yield member


def _comparable(population: Population, record: RecordType, identifiers: frozenset[Member]) -> Iterator[MemberPair]:
    """Yield the pairs of attributes of a type that are worth comparing; none if there are too many."""
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
    """Yield the pairs of columns whose values overlap, among columns of one kind."""
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


def _span(column: Column, tail: float) -> tuple[float, float] | None:
    """Return the minimum and maximum of a sample without its tails; None if it has too few distinct values."""
    values = np.sort(column.values[:: max(1, len(column) // SAMPLE)])
    values = values[: int(np.searchsorted(values, np.nan))]
    if np.count_nonzero(values[1:] != values[:-1]) + 1 < LEAST_VALUES:
        return None
    cut = int(tail * len(values))
    return float(values[cut]), float(values[len(values) - 1 - cut])


def _overlap(one: tuple[float, float], other: tuple[float, float]) -> bool:
    """Return whether the intersection of two spans is at least half of their union.

    Examples
    --------
    >>> _overlap((0, 2), (1, 3)), _overlap((0, 2), (0.5, 2.5)), _overlap((0, 2), (5, 7))
    (False, True, False)
    """
    shared = min(one[1], other[1]) - max(one[0], other[0])
    return _share(shared, max(one[1], other[1]) - min(one[0], other[0]))


def _share(common: float, whole: float) -> bool:
    return common > 0 and common >= ALIKE * whole
