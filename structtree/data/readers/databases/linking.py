"""Relational tables as populations: one type per table, and each foreign key as links in both directions.

==========================================  =================================================================
foreign key                                 becomes
==========================================  =================================================================
in general                                  a reference, ``optional`` if some rows match nothing; in reverse, a
                                            set of the referencing rows
with unique values                          a reference; in reverse, an optional reference
to values that are not unique               sets in both directions
of a table with two foreign keys and        links between the two other tables; the table itself is not a type
otherwise only a primary key                (unless it is the individual, or another table refers to it)
==========================================  =================================================================

A reference is named after its column without ``_id`` (``account_id``: ``account``), or after the referenced table if
the key is composite. A set is named after the referencing table, or like ``loan_by_guarantor`` if several keys of
that table refer here, or if it refers to itself. If a name is taken, a longer one is used.

Keys are not attributes, with two exceptions: text foreign keys with few values, such as a country or an airline,
which are informative; and numbers, dates and such text that are only part of a key.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from structtree.data.dates import layouts_of
from structtree.data.kinds import Overrides
from structtree.data.layouts import Dating
from structtree.data.population import (
    Adjacency,
    Population,
    TypedTable,
    linked_population,
    repeated_pairs,
    typed_table,
)
from structtree.data.profile import FEW_WORDS
from structtree.data.provenance import Provenance
from structtree.data.readers.databases.keys import Database, KeyColumns, KeyMatch, SourceTable, columns_text
from structtree.data.readers.tables.sheets import TypedColumn
from structtree.data.schema import Kind, Link
from structtree.errors import DataError, option_text
from structtree.reprs import number_text, short_repr

__all__ = ["KeyLink", "Relations", "TimeLimits", "link_tables", "stem_of"]

_WORD = re.compile(r"[\s_.-]+(?:id|key|fk)$", re.IGNORECASE)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?:ID|Id|Key)$")


def stem_of(column: str) -> str:
    """Return the name of a key column without the suffix that marks it as a key.

    Examples
    --------
    >>> [stem_of(name) for name in ("account_id", "ArtistId", "CustomerID", "park.key", "ReportsTo", "id", "paid")]
    ['account', 'Artist', 'Customer', 'park', 'ReportsTo', 'id', 'paid']
    """
    camel = _CAMEL.sub("", column)
    return camel if camel not in (column, "") else _WORD.sub("", column) or column


@dataclass(frozen=True, slots=True, eq=False)
class KeyLink:
    """Foreign key that is in use, with the names of its two links.

    Parameters
    ----------
    match : KeyMatch
    name, back : str
        Names of the link along the key and of the reverse link.
    joins : bool
        Whether the table only joins two others, so that the links connect these directly.
    """

    match: KeyMatch
    name: str
    back: str
    joins: bool = False


class TimeLimits(NamedTuple):
    """Time limits on the rows that individuals see.

    Parameters
    ----------
    as_of : str or None
        Path to the date attribute of the individuals, which see only earlier rows.
    kind : str or None
        Kind of that attribute, date or time.
    lead : int
        Days between the last visible row and that date.
    until : float or None
        Last visible day, in days since 1970.
    dated : mapping from table to attributes with their kinds
        Attributes whose earliest date is the date of a row.
    dating : mapping from table to TypeDates
        The same attributes, with the columns that are skipped or set together with a date.
    """

    as_of: str | None
    kind: Kind | None
    lead: int
    until: float | None
    dated: Mapping[str, Mapping[str, Kind]]
    dating: Dating


@dataclass(frozen=True, slots=True, eq=False)
class Relations:
    """Tables of a database as types: keys, links, and skipped tables and columns.

    Parameters
    ----------
    database : Database
    links : tuple of KeyLink
    remarks : tuple of str
        Notes about unread columns and keys that do not match.
    individual_given : bool
        Whether the user has chosen the table of the individuals.
    origins : mapping from type to str
        As of a date, the source table of each type; empty if each table is a type.
    absolute_dates : frozenset of pairs
        As of a date, the type and attribute of dates and years that are points in time rather than ages.
    identifying : frozenset of pairs
        As of a date, the type and name of attributes that identify the rows of their table, even though the
        population repeats each row for many individuals.
    time : TimeLimits, optional
    date_formats : mapping from table and column to str
        Formats of dates given by the user.
    whole : Population, optional
        As of a date, the population before rows were hidden, with its target.
    """

    database: Database
    links: tuple[KeyLink, ...]
    remarks: tuple[str, ...] = ()
    individual_given: bool = True
    origins: Mapping[str, str] = field(default_factory=dict)
    absolute_dates: frozenset[tuple[str, str]] = frozenset()
    identifying: frozenset[tuple[str, str]] = frozenset()
    time: TimeLimits | None = None
    date_formats: Mapping[tuple[str, str], str] = field(default_factory=dict)
    whole: Population | None = None

    def __repr__(self) -> str:
        return short_repr(self, number_text(self.database.tables, "table"), number_text(self.links, "foreign key"))

    def iter_notes(self) -> Iterator[str]:
        """Yield notes about links that may be wrong."""
        yield from self.remarks
        guessed = [link.match for link in self.links if link.match.foreign_key.guessed]
        if guessed:
            worst = min(guessed, key=lambda match: match.fit)
            are = "are" if len(guessed) > 1 else "is"
            yield (
                f"{number_text(guessed, 'link')} between tables {are} guessed (the worst, {worst.foreign_key}, fits "
                f"{worst.fit:.1%} of the rows): structtree data info shows them, structtree data schema writes them "
                "to a file that you can correct"
            )
        dangling = [link.match for link in self.links if link.match.n_dangling]
        yield from map(dangling_text, dangling[:_FEW])
        if len(dangling) > _FEW:
            yield f"{len(dangling) - _FEW} more foreign keys also have dangling references"


_FEW = 3


def dangling_text(match: KeyMatch) -> str:
    """Describe the number of rows in which a foreign key is dangling."""
    key = match.foreign_key
    return (
        f"{columns_text(key.table, key.columns)} matches no row of {key.to} in {match.n_dangling:,} of "
        f"{len(match.rows):,} rows"
    )


def link_tables(
    database: Database,
    individual: str | None = None,
    types: Mapping[str, str] | None = None,
    *,
    strict: bool = False,
) -> Population:
    """Return the population of the tables of a database.

    Parameters
    ----------
    database : Database
    individual : str, optional
        Table whose rows are the individuals; by default the first that is not empty.
    types : mapping, optional
        Kinds of columns; a key with a given kind is an attribute too.
    strict : bool
        Whether dangling foreign keys are an error.

    Examples
    --------
    >>> from structtree.data.readers.tables.sheets import PythonValues, Sheet
    >>> from structtree.data.readers.databases.keys import ForeignKey
    >>> account = SourceTable("account", Sheet({"id": PythonValues([7, 8]), "age": PythonValues([3, 1])}, 2), ("id",))
    >>> loan = SourceTable("loan", Sheet({"account_id": PythonValues([8, 8]), "sum": PythonValues([5, 9])}, 2))
    >>> key = ForeignKey("loan", ("account_id",), "account", ("id",))
    >>> bank = link_tables(Database("bank", {"account": account, "loan": loan}, (key,)), "account")
    >>> bank.record(1, depth=1)
    {'age': 1, 'loan': [{'sum': 5, 'account': '...'}, {'sum': 9, 'account': '...'}]}
    """
    if not database.tables:
        raise DataError("there are no tables", source=database.source)
    chosen = _individual(database, individual)
    columns, overrides = KeyColumns(database.tables), Overrides(types or {})
    matches = [columns.match(key) for key in database.foreign_keys]
    if strict:
        _refuse_dangling(matches, database.source)
    joining = _joining(database, matches, chosen.name)
    kept = {name: _attributes(table, database, columns, overrides) for name, table in database.tables.items()}
    draft = _Draft(database, columns, {name: set(names) for name, names in kept.items()})
    for match in matches:
        draft.take_given(match)
    for match in matches:
        if match.foreign_key.table not in joining:
            draft.add(match, several=_is_one_of_several(match, matches))
    for name in joining:
        draft.add_joint(*(match for match in matches if match.foreign_key.table == name))
    tables = [
        _typed(table, kept[name], overrides, draft.links[name])
        for name, table in database.tables.items()
        if name not in joining
    ]
    remarks = (*database.remarks, *draft.remarks, *_about_dates(kept))
    wanted = {(table, name): overrides.declared_kind(table, name) for table, names in kept.items() for name in names}
    date_formats = {place: each.layout for place, each in wanted.items() if each is not None and each.layout}
    relations = Relations(database, tuple(draft.made), remarks, individual is not None, date_formats=date_formats)
    return _population(chosen, tables, overrides, relations)


def _individual(database: Database, individual: str | None) -> SourceTable:
    if individual is None:
        tables = list(database.tables.values())
        return next((table for table in tables if table.sheet.n_rows), tables[0])
    table = database.table(individual)
    if not table.sheet.n_rows:
        raise DataError(f"the table {table.name} has no rows, so there are no individuals", source=database.source)
    return table


def _refuse_dangling(matches: Iterable[KeyMatch], source: str) -> None:
    for match in matches:
        if match.n_dangling:
            fix = f"correct the data, or omit {option_text('strict', True)}"
            raise DataError(dangling_text(match), source=source, fix=fix)


def _population(
    chosen: SourceTable, tables: Sequence[TypedTable], overrides: Overrides, relations: Relations
) -> Population:
    n_rows = chosen.sheet.n_rows
    who = np.arange(n_rows) if chosen.chosen is None else np.flatnonzero(chosen.chosen)
    if chosen.chosen is not None and not len(who):
        raise DataError(
            f"{option_text('condition')} matches none of the {n_rows:,} rows of {chosen.name}",
            source=chosen.sheet.source,
        )
    numbers = np.full(n_rows, -1, dtype=np.int64)
    numbers[who] = np.arange(len(who))
    provenance = Provenance(numbers, len(who), _names(chosen, who), relations=relations)
    population = linked_population(chosen.name, tables, provenance)
    if overrides.given:
        overrides.check(population.schema)
    return population if chosen.chosen is None else replace(population, individuals=who)


def _names(table: SourceTable, rows: NDArray[np.int64]) -> dict[str, list[str | None]]:
    """Return the names of the individuals: their primary keys as text."""
    found = {}
    for name in table.key:
        typed = table.sheet.typed(name, are_individuals=False).column.take(rows)
        values = [typed.value(row) for row in range(len(rows))]
        found[name] = [None if value is None else str(value) for value in values]
    return found


# ---- attributes ------------------------------------------------------------------------------------------


def _attributes(
    table: SourceTable, database: Database, columns: KeyColumns, overrides: Overrides
) -> dict[str, TypedColumn]:
    """Convert the columns of a table that become attributes."""
    keys = [key.columns for key in database.foreign_keys if key.table == table.name]
    whole = {key[0] for key in (*keys, table.key) if len(key) == 1}
    parts = {name for key in keys if len(key) > 1 for name in key}
    found = {}
    for name in table.sheet.columns:
        wanted = overrides.declared_kind(table.name, name) if overrides.given else None
        is_key = wanted is None and name in whole | parts
        if is_key:
            values = columns.distinct(table.name, name)
            n_present = int(np.count_nonzero(values.codes >= 0))
            has_few_values = 2 <= len(values.values) <= min(FEW_WORDS, n_present // 2)
            is_informative = name not in whole or (values.value_class == "text" and has_few_values)
            if table.key == (name,) or not is_informative:
                continue
        typed = table.sheet.typed(name, wanted, are_individuals=False)
        if not is_key or typed.attribute.kind != "nominal" or has_few_values:
            found[name] = typed
    return found


def _about_dates(kept: Mapping[str, Mapping[str, TypedColumn]]) -> Iterator[str]:
    """Yield notes about text columns with dates other than ISO 8601, and the option that parses them."""
    for table, columns in kept.items():
        for name, typed in columns.items():
            texts = typed.column.categories if typed.attribute.kind == "nominal" else ()
            kinds = [f"date({layout})" if layout else "date" for layout in layouts_of(texts)]
            if kinds:
                options = " or ".join(option_text("types", {f"{table}.{name}": kind}) for kind in kinds)
                yield f"{table}.{name} has dates such as {texts[0]!r}; to read them as dates, use {options}"


def _typed(
    table: SourceTable, kept: Mapping[str, TypedColumn], overrides: Overrides, links: Mapping[Link, Adjacency]
) -> TypedTable:
    columns = {name: one.column for name, one in kept.items()}
    own = [one.attribute for one in kept.values()]
    as_wanted = {
        link if link.single else replace(link, kind=overrides.link(table.name, link.name) or link.kind): rows
        for link, rows in links.items()
    }
    return typed_table(table.name, table.sheet.n_rows, columns, as_wanted, own)


# ---- links -----------------------------------------------------------------------------------------------


def _joining(database: Database, matches: Sequence[KeyMatch], individual: str) -> list[str]:
    """Return the join tables: tables with two foreign keys and no other columns than a primary key."""
    referred = {match.foreign_key.to for match in matches}
    found = []
    for name, table in database.tables.items():
        own = [match.foreign_key for match in matches if match.foreign_key.table == name]
        if name == individual or name in referred or len(own) != 2:
            continue
        surrogate = table.key if len(table.key) == 1 else ()
        named = {column for key in own for column in key.columns}
        if set(table.sheet.columns) - set(surrogate) <= named and not set(surrogate) & named:
            found.append(name)
    return found


def _is_one_of_several(match: KeyMatch, matches: Sequence[KeyMatch]) -> bool:
    """Return whether a foreign key refers to its own table, or to the same table as another foreign key."""
    key = match.foreign_key
    again = sum((other.foreign_key.table, other.foreign_key.to) == (key.table, key.to) for other in matches)
    return again > 1 or key.table == key.to


@dataclass(slots=True, eq=False)
class _Draft:
    """Links under construction, names already taken, and remarks about keys."""

    database: Database
    columns: KeyColumns
    taken: dict[str, set[str]]
    made: list[KeyLink] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    links: dict[str, dict[Link, Adjacency]] = field(init=False)

    def __post_init__(self) -> None:
        self.links = {name: {} for name in self.database.tables}

    def take_given(self, match: KeyMatch) -> None:
        """Reserve the given names; raise `DataError` if a name is taken."""
        key = match.foreign_key
        for table, name in ((key.table, key.name), (key.to, key.back)):
            if name is not None:
                if name in self.taken[table]:
                    raise DataError(f"{table} has two members named {name!r}", source=self.database.source)
                self.taken[table].add(name)

    def name(self, table: str, given: str | None, *wishes: str) -> str:
        """Return the first free name, and reserve it."""
        if given is not None:
            return given
        numbered = (f"{wishes[-1]}_{number}" for number in count(2))
        found = next(name for name in chain(wishes, numbered) if name and name not in self.taken[table])
        self.taken[table].add(found)
        return found

    def add(self, match: KeyMatch, *, several: bool) -> None:
        """Add the links of a foreign key in both directions."""
        key, child = match.foreign_key, self.database.tables[match.foreign_key.table]
        column = self.naming_column(match)
        plain = key.to if column is None else stem_of(column)
        if several and column is not None:
            wishes = [plain, column, f"{plain}_{key.to}"]
        else:
            wishes = [plain, column or plain, key.to, f"{key.columns[0]}_{key.to}"]
        name = self.name(key.table, key.name, *wishes)
        by = f"{key.table}_by_{plain}"
        back = self.name(key.to, key.back, *((by,) if several else (key.table, by)), f"{by}_of_{key.table}")
        complete = len(match.rows) == len(match.rows.targets)
        there = Link(name, ("one" if complete else "optional") if match.single else "set", key.to)
        is_unique = match.single and child.is_unique(key.columns)
        here = Link(back, "optional" if is_unique else "set", key.table)
        n_rows = self.database.tables[key.to].sheet.n_rows
        self.links[key.table][there] = match.rows
        self.links[key.to][here] = Adjacency.grouped(match.rows.targets.astype(np.int64), match.rows.owners, n_rows)
        self.made.append(KeyLink(match, name, back))
        if not match.single:
            self.remarks.append(
                f"{columns_text(key.to, key.key)} is not unique, so {columns_text(key.table, key.columns)} "
                "refers to several rows"
            )

    def naming_column(self, match: KeyMatch) -> str | None:
        """Return the column that a link is named after, or None if it is named after the table.

        A composite key has such a column if only one is not shared with other keys between the two tables.
        """
        key = match.foreign_key
        if len(key.columns) == 1:
            return None if stem_of(key.columns[0]).lower() == "id" else key.columns[0]
        others = [each for each in self.database.foreign_keys if (each.table, each.to) == (key.table, key.to)]
        shared = {column for each in others if each != key for column in each.columns}
        own = [column for column in key.columns if column not in shared]
        return own[0] if len(others) > 1 and len(own) == 1 else None

    def add_joint(self, first: KeyMatch, second: KeyMatch) -> None:
        """Add the links between two tables that a join table connects."""
        order = list(self.database.tables[first.foreign_key.table].sheet.columns)
        first, second = sorted((first, second), key=lambda match: order.index(match.foreign_key.columns[0]))
        name, one, other = first.foreign_key.table, first.foreign_key.to, second.foreign_key.to
        by = f"{name}_by_{stem_of(second.foreign_key.columns[0])}"
        there = self.name(
            one, first.foreign_key.back, *((name,) if one == other else (other, name)), f"{other}_by_{name}"
        )
        back = self.name(
            other, second.foreign_key.back, *((by,) if one == other else (one, name)), f"{one}_by_{name}"
        )
        owners, targets = _pairs(first.rows, second.rows)
        again = repeated_pairs(owners, targets)
        if len(again):
            self.remarks.append(f"{name} has {number_text(len(again), 'duplicate pair')}; each is used once")
            owners, targets = np.delete(owners, again), np.delete(targets, again)
        n_one, n_other = (self.database.tables[each].sheet.n_rows for each in (one, other))
        self.links[one][Link(there, "set", other)] = Adjacency.grouped(owners, targets, n_one)
        self.links[other][Link(back, "set", one)] = Adjacency.grouped(targets, owners, n_other)
        self.made += [KeyLink(first, back, there, joins=True), KeyLink(second, there, back, joins=True)]


def _pairs(first: Adjacency, second: Adjacency) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the pairs of rows that a join table connects: all combinations of the rows of its two keys."""
    counts = first.lengths * second.lengths
    rows = np.repeat(np.arange(len(first)), counts)
    place = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    n_second = second.lengths[rows]
    owners = first.targets[first.offsets[:-1][rows] + place // np.maximum(n_second, 1)]
    targets = second.targets[second.offsets[:-1][rows] + place % np.maximum(n_second, 1)]
    return owners.astype(np.int64), targets.astype(np.int64)
