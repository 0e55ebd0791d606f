"""Relational tables into populations: a type for each table, and each foreign key as links both ways.

==========================================  =================================================================
a foreign key                               becomes
==========================================  =================================================================
of any table                                a reference, ``optional`` if it leads nowhere in some rows; and back a
                                            set of the rows that refer
that differs from row to row                a reference, and back an optional one
to values that several rows have            sets both ways
of a table with two foreign keys and        links both ways between the two others; the table itself is no type
nothing else but a key of its own           (unless it is the individual, or something refers to it)
==========================================  =================================================================

A reference is called like its column without ``_id`` (``account_id``: ``account``), or like the table it leads to if
there are several columns; a set like the table that refers, and ``loan_by_guarantor`` where several keys of that
table lead here, or its own. A name that is taken gives way to a longer one.

Keys are not attributes, with two exceptions: a foreign key of text with few values, such as a country or an airline,
says something by itself; and so do the numbers, dates and such texts that are only a part of a key.
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

__all__ = ["KeyLink", "Relations", "SeenInTime", "link_tables", "stem_of"]

_WORD = re.compile(r"[\s_.-]+(?:id|key|fk)$", re.IGNORECASE)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?:ID|Id|Key)$")


def stem_of(column: str) -> str:
    """Return the name of a key's column without what only says that it is a key.

    Examples
    --------
    >>> [stem_of(name) for name in ("account_id", "ArtistId", "CustomerID", "park.key", "ReportsTo", "id", "paid")]
    ['account', 'Artist', 'Customer', 'park', 'ReportsTo', 'id', 'paid']
    """
    camel = _CAMEL.sub("", column)
    return camel if camel not in (column, "") else _WORD.sub("", column) or column


@dataclass(frozen=True, slots=True, eq=False)
class KeyLink:
    """A foreign key that was used, and the names of its links; of a table that only joins, there are two such keys.

    Parameters
    ----------
    match : KeyMatch
    name, back : str
        The names of the link along the key, and of that back.
    joins : bool
        Whether the table only joins two others, so that the links lead on to the other one.
    """

    match: KeyMatch
    name: str
    back: str
    joins: bool = False


class SeenInTime(NamedTuple):
    """Limits in time of what individuals see.

    Parameters
    ----------
    as_of : str or None
        The date of the individuals before which they see rows, after the references that lead to it.
    kind : str or None
        Whether that is a date or a time.
    lead : int
        How many days before it they stop to see.
    until : float or None
        The last day that is seen, in days since 1970.
    dated : mapping from table to attributes with their kinds
        What dates the rows of a table: the earliest of these.
    dating : mapping from table to TypeDates
        The same, and the columns that are skipped, or set together with a date.
    """

    as_of: str | None
    kind: Kind | None
    lead: int
    until: float | None
    dated: Mapping[str, Mapping[str, Kind]]
    dating: Dating


@dataclass(frozen=True, slots=True, eq=False)
class Relations:
    """The tables of a database as they became types: keys, links, and what was not read.

    Parameters
    ----------
    database : Database
    links : tuple of KeyLink
    remarks : tuple of str
        Sentences about what was not read, and about keys that do not fit.
    individual_given : bool
        Whether somebody has said which table is the individual.
    origins : mapping from type to str
        As of a date, for each type the table whose rows it has; empty if types are tables.
    absolute_dates : frozenset of pairs
        As of a date, the dates and years, by type and attribute, that say when something was, not how long ago.
    identifying : frozenset of pairs
        As of a date, the attributes, by type and name, that identify the rows of their table, though each row is
        there for many individuals.
    time : SeenInTime, optional
        What individuals see in time, if that is limited.
    laid_out : mapping from table and column to str
        How dates are written, where somebody has said so.
    whole : Population, optional
        As of a date, the population before anything was hidden, with its target.
    """

    database: Database
    links: tuple[KeyLink, ...]
    remarks: tuple[str, ...] = ()
    individual_given: bool = True
    origins: Mapping[str, str] = field(default_factory=dict)
    absolute_dates: frozenset[tuple[str, str]] = frozenset()
    identifying: frozenset[tuple[str, str]] = frozenset()
    time: SeenInTime | None = None
    laid_out: Mapping[tuple[str, str], str] = field(default_factory=dict)
    whole: Population | None = None

    def __repr__(self) -> str:
        return short_repr(self, number_text(self.database.tables, "table"), number_text(self.links, "foreign key"))

    @property
    def guessed(self) -> tuple[KeyLink, ...]:
        """The foreign keys that are guessed."""
        return tuple(link for link in self.links if link.match.foreign_key.guessed)

    @property
    def dangling(self) -> tuple[KeyLink, ...]:
        """The foreign keys that lead nowhere in some rows that have a value."""
        return tuple(link for link in self.links if link.match.n_dangling)

    def in_short(self) -> Iterator[str]:
        """Yield what a person should know before they believe a tree, in a few sentences."""
        yield from self.remarks
        if self.guessed:
            worst = min(self.guessed, key=lambda link: link.match.fit)
            are = "are" if len(self.guessed) > 1 else "is"
            yield (
                f"{number_text(self.guessed, 'link')} between tables {are} guessed (the worst, "
                f"{worst.match.foreign_key}, fits {worst.match.fit:.1%} of the rows): structtree data info shows "
                "them, structtree data schema writes them to a file that you can correct"
            )
        for link in self.dangling[:_FEW]:
            yield dangling_sentence(link.match)
        if len(self.dangling) > _FEW:
            yield f"{len(self.dangling) - _FEW} more keys lead nowhere in some rows"


_FEW = 3


def dangling_sentence(match: KeyMatch) -> str:
    """Return in how many rows a foreign key leads nowhere."""
    key = match.foreign_key
    return (
        f"{columns_text(key.table, key.columns)} names no row of {key.to} in {match.n_dangling:,} of "
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
        The table whose rows are the individuals; the first that has rows unless given.
    types : mapping, optional
        Kinds to read columns as; a key that has one is an attribute too.
    strict : bool
        Whether foreign keys that lead nowhere are refused.

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
        raise DataError("there is no table", source=database.source)
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
    said = {(table, name): overrides.declared_kind(table, name) for table, names in kept.items() for name in names}
    laid_out = {place: wanted.layout for place, wanted in said.items() if wanted is not None and wanted.layout}
    relations = Relations(database, tuple(draft.made), remarks, individual is not None, laid_out=laid_out)
    return _population(chosen, tables, overrides, relations)


def _individual(database: Database, individual: str | None) -> SourceTable:
    if individual is None:
        found = [table for table in database.tables.values() if table.sheet.n_rows]
        return found[0] if found else next(iter(database.tables.values()))
    table = database.table(individual)
    if not table.sheet.n_rows:
        raise DataError(f"the table {table.name} has no rows, so there are no individuals", source=database.source)
    return table


def _refuse_dangling(matches: Iterable[KeyMatch], source: str) -> None:
    for match in matches:
        if match.n_dangling:
            fix = f"correct the data, or read it without {option_text('strict', True)}"
            raise DataError(dangling_sentence(match), source=source, fix=fix)


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
    """Return the primary key of the individuals as text, by which people know them."""
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
    """Return the columns of a table that are attributes, converted."""
    keys = [key.columns for key in database.foreign_keys if key.table == table.name]
    whole = {key[0] for key in (*keys, table.key) if len(key) == 1}
    parts = {name for key in keys if len(key) > 1 for name in key}
    found = {}
    for name in table.sheet.columns:
        wanted = overrides.declared_kind(table.name, name) if overrides.given else None
        is_key = wanted is None and name in whole | parts
        if is_key and (table.key == (name,) or not _may_say_something(table, name, columns, name in whole)):
            continue
        typed = table.sheet.typed(name, wanted, are_individuals=False)
        if not is_key or typed.attribute.kind != "nominal" or _has_few_values(table, name, columns):
            found[name] = typed
    return found


def _may_say_something(table: SourceTable, name: str, columns: KeyColumns, is_whole: bool) -> bool:
    """Return whether a column of a foreign key is worth a question too: all of one, if it has few words."""
    is_text = columns.distinct(table.name, name).values_are == "text"
    return is_text and _has_few_values(table, name, columns) if is_whole else True


def _has_few_values(table: SourceTable, name: str, columns: KeyColumns) -> bool:
    values = columns.distinct(table.name, name)
    return 2 <= len(values.values) <= min(FEW_WORDS, values.n_present // 2)


def _about_dates(kept: Mapping[str, Mapping[str, TypedColumn]]) -> Iterator[str]:
    """Tell of text that is dates, though not as ISO 8601 writes them, and how to have it read."""
    for table, columns in kept.items():
        for name, typed in columns.items():
            texts = typed.column.categories if typed.attribute.kind == "nominal" else ()
            kinds = [f"date({layout})" if layout else "date" for layout in layouts_of(texts)]
            if kinds:
                options = " or ".join(option_text("types", {f"{table}.{name}": kind}) for kind in kinds)
                yield f"{table}.{name} has dates such as {texts[0]!r}, which are read as such with {options}"


def _typed(
    table: SourceTable, kept: Mapping[str, TypedColumn], overrides: Overrides, links: Mapping[Link, Adjacency]
) -> TypedTable:
    columns = {name: one.column for name, one in kept.items()}
    own = [one.attribute for one in kept.values()]
    as_wanted = {
        replace(
            link, kind=(overrides.link(table.name, link.name) or link.kind) if not link.single else link.kind
        ): rows
        for link, rows in links.items()
    }
    return typed_table(table.name, table.sheet.n_rows, columns, as_wanted, own)


# ---- links -----------------------------------------------------------------------------------------------


def _joining(database: Database, matches: Sequence[KeyMatch], individual: str) -> list[str]:
    """Return the tables that only join two others: two foreign keys, and nothing else but a key of their own."""
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
    """Return whether several keys of one table lead to another, or one to its own."""
    key = match.foreign_key
    again = sum((other.foreign_key.table, other.foreign_key.to) == (key.table, key.to) for other in matches)
    return again > 1 or key.table == key.to


@dataclass(slots=True, eq=False)
class _Draft:
    """Links of the types while they are made, the names that are taken, and what is to be said about keys."""

    database: Database
    columns: KeyColumns
    taken: dict[str, set[str]]
    made: list[KeyLink] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    links: dict[str, dict[Link, Adjacency]] = field(init=False)

    def __post_init__(self) -> None:
        self.links = {name: {} for name in self.database.tables}

    def take_given(self, match: KeyMatch) -> None:
        """Reserve the names that somebody has chosen; two members of one name are refused."""
        key = match.foreign_key
        for table, name in ((key.table, key.name), (key.to, key.back)):
            if name is not None:
                if name in self.taken[table]:
                    raise DataError(f"{table} has two members named {name!r}", source=self.database.source)
                self.taken[table].add(name)

    def name(self, table: str, given: str | None, *wishes: str) -> str:
        """Return the first name that is free, and take it."""
        if given is not None:
            return given
        numbered = (f"{wishes[-1]}_{number}" for number in count(2))
        found = next(name for name in chain(wishes, numbered) if name and name not in self.taken[table])
        self.taken[table].add(found)
        return found

    def add(self, match: KeyMatch, *, several: bool) -> None:
        """Make the links of a foreign key, both ways."""
        key, child = match.foreign_key, self.database.tables[match.foreign_key.table]
        column = self.telling_column(match)
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
                f"{columns_text(key.to, key.key)} is not unique, so that {columns_text(key.table, key.columns)} "
                "leads to several rows"
            )

    def telling_column(self, match: KeyMatch) -> str | None:
        """Return the column of a key after which its link is called; None if that is the table.

        Of several columns it is the one that no other key between the two tables has.
        """
        key = match.foreign_key
        if len(key.columns) == 1:
            return None if stem_of(key.columns[0]).lower() == "id" else key.columns[0]
        others = [each for each in self.database.foreign_keys if (each.table, each.to) == (key.table, key.to)]
        shared = {column for each in others if each != key for column in each.columns}
        own = [column for column in key.columns if column not in shared]
        return own[0] if len(others) > 1 and len(own) == 1 else None

    def add_joint(self, first: KeyMatch, second: KeyMatch) -> None:
        """Make the links between the two tables that a third one joins."""
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
            self.remarks.append(f"{name} has {number_text(len(again), 'pair')} more than once; each is taken once")
            owners, targets = np.delete(owners, again), np.delete(targets, again)
        n_one, n_other = (self.database.tables[each].sheet.n_rows for each in (one, other))
        self.links[one][Link(there, "set", other)] = Adjacency.grouped(owners, targets, n_one)
        self.links[other][Link(back, "set", one)] = Adjacency.grouped(targets, owners, n_other)
        self.made += [KeyLink(first, back, there, joins=True), KeyLink(second, there, back, joins=True)]


def _pairs(first: Adjacency, second: Adjacency) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the pairs of rows that the rows of a table join, each combination of what its two keys lead to."""
    counts = first.lengths * second.lengths
    rows = np.repeat(np.arange(len(first)), counts)
    place = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    n_second = second.lengths[rows]
    owners = first.targets[first.offsets[:-1][rows] + place // np.maximum(n_second, 1)]
    targets = second.targets[second.offsets[:-1][rows] + place % np.maximum(n_second, 1)]
    return owners.astype(np.int64), targets.astype(np.int64)
