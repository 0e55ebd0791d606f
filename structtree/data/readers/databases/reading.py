"""Databases as populations: one door for SQLite, DuckDB, URLs, folders of tables, open connections and frames.

Whatever the tables come from, the same follows: columns and tables that the user excludes are left out, keys are
those of a schema file, or as declared, or else guessed, what the user says of keys and links goes before that, and
then the tables are linked (`structtree.data.readers.databases.linking`).
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import Path
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from structtree.data.as_of import SKIPPED_LINK, AsOf, as_of, dated_until, frozen_at, individual_dates
from structtree.data.dates import moment_text
from structtree.data.dating import dated_by
from structtree.data.layouts import MOST_DAYS, Dating, SourceLayout, TypeDates, apply_layout
from structtree.data.population import Population
from structtree.data.profile import identifiers
from structtree.data.provenance import provenance_of
from structtree.data.readers.databases.duckdb_files import from_duckdb, is_duckdb, read_duckdb
from structtree.data.readers.databases.folders import read_table_folder
from structtree.data.readers.databases.key_guesses import guess_keys
from structtree.data.readers.databases.keys import (
    Database,
    ForeignKey,
    KeyColumns,
    RowChoice,
    SourceTable,
    columns_text,
    unread_table,
)
from structtree.data.readers.databases.linking import Relations, SeenInTime, link_tables
from structtree.data.readers.databases.schema_files import as_said, read_schema_file, without_tables
from structtree.data.readers.databases.sqlite_files import from_sqlite, is_sqlite, read_sqlite, with_choice
from structtree.data.readers.databases.urls import from_alchemy, is_alchemy, is_url, read_url
from structtree.data.readers.options import DatabaseOptions
from structtree.data.readers.tables.reading import frame_sheet
from structtree.data.readers.text_files import require_file
from structtree.errors import DataError, UnknownNameError, UsageError, option_text
from structtree.interrupts import current_limit
from structtree.reprs import number_text

__all__ = ["from_database", "linked_database", "read_database", "read_database_url", "read_tables"]


def from_database(source: Any, **options: Unpack[DatabaseOptions]) -> Population:
    """Return the population of a database: a type for each table, links for its foreign keys.

    Parameters
    ----------
    source : path, connection or mapping
        An SQLite or DuckDB file, a folder of CSV or Parquet files, the URL of a database, an engine or connection of
        ``sqlalchemy``, an open connection of `sqlite3` or ``duckdb``, or frames of pandas or polars by the names of
        the tables.
    individual : str, optional
        The table whose rows are the individuals.
    types : mapping, optional
        Kinds to read columns as, such as ``{"zip": "nominal", "loan.year": "nominal"}``.
    keys : list of str, optional
        Primary keys: ``["account.id", "team.year,name"]``.
    links : list of str, optional
        Foreign keys: ``["loan.account=account.id"]``; they go before those that are declared or guessed.
    exclude : list of str, optional
        Tables, and columns of tables, that are left out: ``["log", "loan.notes"]``.
    condition : str, optional
        A condition in SQL for the rows of that table that are individuals. The database evaluates it; for folders of
        tables and for frames SQLite does.
    schema_file : str, optional
        A file with keys and links, as ``structtree data schema`` writes it.
    layout : SourceLayout, optional
        The tables that a model was learned from: these have the keys and links that they had then, and others are
        left out.
    strict : bool, optional
        Whether foreign keys that lead nowhere are refused.
    as_of : str, optional
        The date of the individuals before which they see rows, along every path; also behind references
        (``race.date``). See `structtree.data.as_of`.
    frozen_at : str, optional
        A day after which nothing is seen.
    exclude_after : str, optional
        The same, and individuals that are dated later are left out.
    lead : int, optional
        Days between the last visible row and the date of an individual.
    dates : list of str, optional
        The date from which the rows of a table exist (``["race.date"]``), by default the earliest of its dates; a
        table alone is dated by nothing.
    set_once : list of str, optional
        Dates that never change once they are set (``["order.shipped"]``). Other dates that most rows have, and that
        are later than their row, may have been updated after the date of an individual, so they are skipped.

    Examples
    --------
    >>> import pandas as pd
    >>> teams = pd.DataFrame({"team_id": ["A", "B"], "town": ["Rome", "Oslo"]})
    >>> games = pd.DataFrame({"home_team_id": ["A", "B", "A"], "guests": [10, 20, 30]})
    >>> league = from_database({"teams": teams, "games": games}, individual="games")
    >>> league.record(1, depth=1)
    {'guests': 20, 'home_team': {'town': 'Oslo', 'games': '...'}}
    """
    if isinstance(source, str) and is_url(source):
        return read_database_url(source, **options)
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        return read_tables(path, **options) if path.is_dir() else read_database(path, **options)
    where, excluded = _row_choice(options), _skipped(options)
    if isinstance(source, sqlite3.Connection):
        return linked_database(from_sqlite(source, where=where, exclude=excluded), options)
    if is_alchemy(source):
        return linked_database(from_alchemy(source, where, excluded), options)
    if hasattr(source, "execute") and hasattr(source, "fetchnumpy"):
        return linked_database(from_duckdb(source, where=where, exclude=excluded), options)
    if not isinstance(source, Mapping):
        expected = "a path, a connection of sqlite3, duckdb or sqlalchemy, a URL, or frames by the names of tables"
        raise UsageError(f"expected {expected}; got a {type(source).__name__}")
    unread = excluded.but_for(where)
    frames = {str(name): frame for name, frame in source.items()}
    tables = {
        name: unread_table(name) if name in unread else SourceTable(name, frame_sheet(frame, name))
        for name, frame in frames.items()
    }
    database = Database("the tables", tables)
    return linked_database(database if where is None else with_choice(database, where), options)


def read_database(
    path: str | os.PathLike[str], *, missing_words: Sequence[str] | None = None, **options: Unpack[DatabaseOptions]
) -> Population:
    """Return the population of an SQLite or DuckDB file; its first bytes say which of them it is.

    Parameters
    ----------
    path : path
    missing_words : sequence of str, optional
        For SQLite, the words for a missing value among text that is numbers otherwise.
    individual, types, keys, links, exclude, condition, schema_file, strict
        As in `from_database`.
    """
    where, excluded = _row_choice(options), _skipped(options)
    with require_file(path).open("rb") as file:
        head = file.read(16)
    if is_duckdb(head) or (str(path).lower().endswith((".duckdb", ".ddb")) and not is_sqlite(head)):
        if missing_words is not None:
            raise UsageError(
                f"missing_words makes no sense for {path}: DuckDB has a value of its own for missing ones"
            )
        return linked_database(read_duckdb(path, where, excluded), options)
    words = {} if missing_words is None else {"missing_words": missing_words}
    return linked_database(read_sqlite(path, where, excluded, **words), options)


def read_database_url(url: str, **options: Unpack[DatabaseOptions]) -> Population:
    """Return the population of the database at a URL; see `structtree.data.readers.databases.urls`.

    Parameters
    ----------
    url : str
    individual, types, keys, links, exclude, condition, schema_file, strict
        As in `from_database`.
    """
    return linked_database(read_url(url, _row_choice(options), _skipped(options)), options)


def read_tables(path: str | os.PathLike[str], **options: Any) -> Population:
    """Return the population of a folder of CSV, Parquet or Feather files, one for each table.

    Parameters
    ----------
    path : path
    individual, types, keys, links, exclude, condition, schema_file, strict
        As in `from_database`.
    delimiter, header, encoding, decimal, missing_words
        For delimited text, as in `structtree.data.readers.tables.reading.read_csv`.
    """
    text = ("delimiter", "header", "encoding", "decimal", "missing_words")
    said = {name: options.pop(name) for name in text if options.get(name) is not None}
    where = _row_choice(options)  # type: ignore[arg-type]
    database = read_table_folder(Path(path), _skipped(options).but_for(where), **said)  # type: ignore[arg-type]
    return linked_database(database if where is None else with_choice(database, where), options)  # type: ignore[arg-type]


def linked_database(database: Database, options: DatabaseOptions) -> Population:
    """Return the population of a database that was read, its tables linked as is declared, said or guessed."""
    schema_file, layout = options.get("schema_file"), options.get("layout")
    if schema_file is not None:
        for option in ("keys", "links"):
            if options.get(option):
                raise UsageError(
                    f"{option} and a schema file both say what the keys are; write them into {schema_file}"
                )
        gone = _whole_tables(options)
        said = without_tables(read_schema_file(schema_file), gone)
        excluded = [table for name, table in database.tables.items() if name in gone]
        database = as_said(database, said, schema_file).with_tables(excluded)
    database = _without(database, options.get("exclude") or (), options.get("individual"))
    if layout is not None and schema_file is None:
        database = apply_layout(layout, database)
    database = _checked(database)
    database = _with_keys(database, options.get("keys") or ())
    links = [_link(database, text) for text in options.get("links") or ()]
    database = _with_links(database, links)
    if schema_file is None and layout is None:
        settled = {(link.table, column) for link in links for column in link.columns}
        database = guess_keys(database, settled)
    is_strict = bool(options.get("strict"))
    options = _with_owner(database, options)
    population = link_tables(database, options.get("individual"), options.get("types"), strict=is_strict)
    return _seen_in_time(population, options)


def _with_owner(database: Database, options: DatabaseOptions) -> DatabaseOptions:
    """Return the options with the table that has the target as the individual, if none is named."""
    target = options.get("target")
    if target is None or options.get("individual") is not None:
        return options
    owners = [name for name, table in database.tables.items() if target in table.sheet.columns]
    if len(owners) != 1:
        has = "no table has it" if not owners else f"{target!r} is a column of {', '.join(owners)}"
        known = "" if owners else f" (tables: {', '.join(database.tables)})"
        raise UsageError(f"choose the table to learn about with {option_text('individual')}; {has}{known}")
    return {**options, "individual": owners[0]}


def _seen_in_time(population: Population, options: DatabaseOptions) -> Population:
    """Return a population in which individuals see only what lies before their dates, or before one day."""
    own, day = options.get("as_of"), _last_day(options)
    lead = _lead(options.get("lead"), own)
    if own is None and day is None:
        for name in ("dates", "set_once"):
            if options.get(name):
                others = ", ".join(option_text(each) for each in ("as_of", "frozen_at"))
                raise UsageError(f"{option_text(name)} matters only with {others} or {option_text('exclude_after')}")
        return population
    dates, set_once = _said_dates(_relations(population).database, options)
    own = own and own.removeprefix(f"{population.schema.individual}.")
    if options.get("exclude_after") is not None:
        assert day is not None  # because this is the day
        population = _until(population, day, dated_until(population, day, own, dates))
    dating = _learned_dating(options.get("layout"), dates)
    if own is None:
        assert day is not None  # because one of the two is given
        kind, seen = None, frozen_at(population, day, dates, set_once, dating)
    else:
        kind = individual_dates(population, own).kind
        seen = as_of(
            population,
            own,
            dates=dates,
            set_once=set_once,
            until=day,
            lead=lead,
            dating=dating,
            limit=current_limit(),
        )
    time = SeenInTime(own, kind, lead, day, dated_by(population, seen.dating), seen.dating)
    relations = _in_time(population, seen, time)
    return replace(seen.population, provenance=replace(provenance_of(population), relations=relations))


def _learned_dating(layout: SourceLayout | None, dates: Mapping[str, str | None]) -> Dating | None:
    """Return how the rows of a model's own data were dated, if there is a model; refuse to date them otherwise."""
    if layout is None or not layout.dating:
        return None
    for table, said in dates.items():
        learned = layout.dating.get(table, TypeDates()).by
        if learned != (() if said is None else (said,)):
            by = " and ".join(learned) or "nothing"
            raise UsageError(
                f"the model was learned with {table} dated by {by}; predict without {option_text('dates', [table])}"
            )
    return layout.dating


def _in_time(population: Population, seen: AsOf, time: SeenInTime) -> Relations:
    """Return the relations of a population in which individuals see the past only."""
    relations = _relations(population)
    tables = _label_tables(relations.database, population.schema.individual) if time.as_of is not None else ()
    telling = identifiers(population, seen.rows) if time.as_of is not None else frozenset()
    return replace(
        relations,
        time=time,
        remarks=(*relations.remarks, *tables, *_in_short(seen.notes)),
        whole=population,
        origins=seen.origins,
        absolute_dates=seen.absolute,
        identifying=frozenset(
            (name, m.attribute) for name, table in seen.origins.items() for m in telling if m.type == table
        ),
    )


def _said_dates(
    database: Database, options: DatabaseOptions
) -> tuple[dict[str, str | None], dict[str, tuple[str, ...]]]:
    """Return what the user says dates the rows of tables, and which dates are set once."""
    dates = dict(_dated(database, "dates", text) for text in options.get("dates") or ())
    set_once: dict[str, tuple[str, ...]] = {}
    for table, column in (_dated(database, "set_once", text) for text in options.get("set_once") or ()):
        if column is None:
            raise UsageError(f"{option_text('set_once')} takes TABLE.COLUMN; got the table {table}")
        set_once[table] = (*set_once.get(table, ()), column)
    return dates, set_once


def _relations(population: Population) -> Relations:
    found = provenance_of(population).relations
    assert found is not None  # a database has them
    return found


def _last_day(options: DatabaseOptions) -> float | None:
    """Return the last day that is seen, if there is one, in days since 1970."""
    given = {flag: options.get(flag) for flag in ("frozen_at", "exclude_after") if options.get(flag) is not None}
    if len(given) > 1:
        raise UsageError(
            f"{option_text('exclude_after')} does what {option_text('frozen_at')} does, and leaves out individuals "
            "too; give one of them"
        )
    return next((_day(option_text(name), str(text)) for name, text in given.items()), None)


def _until(population: Population, day: float, kept: NDArray[np.bool_]) -> Population:
    """Return the population without the individuals that are not dated until a day, which its provenance tells."""
    text, name = moment_text(day, "date"), population.schema.individual
    if not kept.any():
        raise DataError(f"no {name} is dated {text} or before, so that {option_text('exclude_after')} leaves none")
    provenance, relations = provenance_of(population), _relations(population)
    gone = provenance.rows[population.individuals[~kept]].tolist()
    note = f"skipped {len(gone):,} of {len(kept):,} individuals dated after {text} or without a date"
    told = replace(
        provenance,
        left_out={**provenance.left_out, **dict.fromkeys(gone, f"it is not dated {text} or before")},
        relations=replace(relations, remarks=(*relations.remarks, *([note] if gone else []))),
    )
    return replace(population, provenance=told).take(np.flatnonzero(kept))


def _lead(days: int | None, own: str | None) -> int:
    if days is None:
        return 0
    if own is None:
        raise UsageError(
            f"{option_text('lead')} is the time before the date of an individual, so it needs {option_text('as_of')}"
        )
    if days < 0:
        raise UsageError(f"{option_text('lead')} must be a number of days >= 0; got {days}")
    if days > MOST_DAYS:
        raise UsageError(f"{option_text('lead')} must be at most {MOST_DAYS:,} days, which are 9,999 years")
    return days


def _label_tables(database: Database, individual: str) -> Iterator[str]:
    """Yield a warning of each table that may have labels of what comes after its dates, as the individuals have.

    It has the columns of their table but for one, and hardly any others: another task about the same things at the
    same times.
    """
    mine = set(database.tables[individual].sheet.columns)
    for name, table in database.tables.items():
        theirs = set(table.sheet.columns)
        others = sorted(theirs - mine)
        if name != individual and len(mine - theirs) == 1 and 1 <= len(others) <= 2 <= len(mine & theirs):
            yield (
                f"{name} has the columns of {individual} but for {' and '.join(others)}; if what they say is known "
                f"only after the date of the row, leave it out: {option_text('exclude', [name])}"
            )


def _in_short(notes: Sequence[str]) -> Iterator[str]:
    """Yield notes, those about paths that are not followed as one."""
    yield from (note for note in notes if not note.startswith(SKIPPED_LINK))
    paths = [note.removeprefix(SKIPPED_LINK) for note in notes if note.startswith(SKIPPED_LINK)]
    if len(paths) > 3:
        paths = [*paths[:2], f"and {len(paths) - 2} more paths"]
    if paths:
        yield f"{SKIPPED_LINK}{', '.join(paths)}"


def _dated(database: Database, option: str, text: str) -> tuple[str, str | None]:
    """Return a table and the column that dates its rows; no column if nothing does."""
    said = _parsed(database, text)
    if len(said.columns) > 1:
        also = ", or TABLE for one that nothing dates" if option == "dates" else ""
        raise UsageError(f"{option_text(option)} takes TABLE.COLUMN{also}; got {text!r}")
    return said.table, said.columns[0] if said.columns else None


def _day(option: str, text: str) -> float:
    try:
        return datetime.strptime(text, "%Y-%m-%d").date().toordinal() - _EPOCH
    except ValueError:
        raise DataError(f"{option} takes a day such as 2010-01-01; got {text!r}") from None


_EPOCH = date(1970, 1, 1).toordinal()


def _whole_tables(options: DatabaseOptions) -> frozenset[str]:
    """Return the texts that exclude a whole table, if there is one of that name, and name none of its columns."""
    given = tuple(options.get("exclude") or ())
    return frozenset(text for text in given if not any(each.startswith(f"{text}.") for each in given))


@dataclass(frozen=True, slots=True)
class _Skipped:
    """The tables that need not be read: those that are excluded, and those that a schema file does not mention."""

    names: frozenset[str]
    only: frozenset[str] | None = None
    asked: str = ""

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str) or name.lower() in self.asked:
            return False
        return name in self.names or (self.only is not None and name not in self.only)

    def but_for(self, where: RowChoice | None) -> _Skipped:
        """Return the same without the tables that a condition may speak of, where it is we who evaluate it."""
        return replace(self, asked="" if where is None else f"{where.table} {where.sql}".lower())


def _skipped(options: DatabaseOptions) -> _Skipped:
    schema_file = options.get("schema_file")
    only = None if schema_file is None else frozenset(read_schema_file(schema_file))
    return _Skipped(_whole_tables(options), only)


def _row_choice(options: DatabaseOptions) -> RowChoice | None:
    condition, individual = options.get("condition"), options.get("individual")
    if condition is None:
        return None
    if individual is None:
        raise UsageError(
            f"{option_text('condition')} is about the individuals: name their table with {option_text('individual')}"
        )
    if not condition.strip():
        raise UsageError(
            f"{option_text('condition')} must be a condition in SQL, such as \"status = 'A'\"; got nothing"
        )
    return RowChoice(individual, condition)


# ---- what the user says ----------------------------------------------------------------------------------


class _Columns(NamedTuple):
    """Columns of a table; none for all of it."""

    table: str
    columns: tuple[str, ...]


def _parsed(database: Database, text: str) -> _Columns:
    """Return the table and the columns that a text such as ``team.year,name`` names; names may have points."""
    if text in database.tables:
        return _Columns(text, ())
    for name in sorted(database.tables, key=len, reverse=True):
        if text.lower().startswith(f"{name.lower()}."):
            return _Columns(name, _columns(database, name, text[len(name) + 1 :]))
    table, point, column = text.rpartition(".")
    if not point:
        owners = [f"{name}.{text}" for name, each in database.tables.items() if text in each.sheet.columns]
        if owners:
            raise UsageError(f"unknown table {text!r}; the column {text!r} is written {' or '.join(owners)}")
    database.refuse_unread(table or column)
    raise UnknownNameError("table", table or column, database.tables)


def _columns(database: Database, table: str, text: str) -> tuple[str, ...]:
    known = database.tables[table]
    if text in known.sheet.columns:
        return (text,)
    names = [part.strip() for part in text.split(",")]
    for name in names:
        database.refuse_unread(columns_text(table, [name]))
    return _spelled(known, names)


def _spelled(table: SourceTable, names: Sequence[str]) -> tuple[str, ...]:
    """Return columns as a table spells them."""
    known = list(table.sheet.columns)
    folded = {name.lower(): name for name in known}
    found = [name if name in known else folded.get(name.lower(), name) for name in names]
    for name in found:
        if name not in known:
            raise UnknownNameError(f"column of {table.name}", name, known)
    return tuple(found)


def _without(database: Database, exclude: Collection[str], individual: str | None) -> Database:
    """Return the database without some tables and columns, and without the keys that need them."""
    if not exclude:
        return database
    said = [_parsed(database, text) for text in exclude]
    gone = {each.table for each in said if not each.columns}
    if individual is not None and database.table(individual).name in gone:
        raise UsageError(f"{individual} is excluded, and its rows are the individuals")
    tables = {}
    for name, table in database.tables.items():
        if name not in gone:
            dropped = {column for each in said if each.table == name for column in each.columns}
            columns = {column: raw for column, raw in table.sheet.columns.items() if column not in dropped}
            key = () if dropped & set(table.key) else table.key
            tables[name] = replace(table, sheet=replace(table.sheet, columns=columns), key=key)
    known = {name.lower() for name in gone}
    kept = (
        key
        for key in database.foreign_keys
        if key.table in tables
        and key.to.lower() not in known
        and set(key.columns) <= set(tables[key.table].sheet.columns)
        and not any((each.table, *each.columns) == (key.to, *key.key) for each in said)
    )
    return replace(database, tables=tables, foreign_keys=tuple(kept))


def _checked(database: Database) -> Database:
    """Return the database with its declared foreign keys as its tables spell them; refuse one that leads nowhere."""
    found = []
    for key in database.foreign_keys:
        try:
            to = database.table(key.to)
            theirs = _spelled(to, key.key) if key.key else to.key
            mine = _spelled(database.tables[key.table], key.columns)
        except UnknownNameError as error:
            raise _leads_nowhere(database, key, f"which is not there: {error}") from None
        if not theirs or len(theirs) != len(mine):
            raise _leads_nowhere(database, key, "which has no such key")
        found.append(replace(key, columns=mine, to=to.name, key=theirs))
    return replace(database, foreign_keys=tuple(found))


def _leads_nowhere(database: Database, key: ForeignKey, why: str) -> DataError:
    to = columns_text(key.to, key.key) if key.key else key.to
    fix = f"to do without it: {option_text('exclude', [columns_text(key.table, key.columns)])}"
    message = f"the foreign key {columns_text(key.table, key.columns)} refers to {to}, {why}"
    return DataError(message, source=database.source, fix=fix)


def _with_keys(database: Database, keys: Collection[str]) -> Database:
    columns = KeyColumns(database.tables)
    tables = []
    for text in keys:
        said = _parsed(database, text)
        if not said.columns:
            raise UsageError(
                f"{option_text('keys')} takes TABLE.COLUMN, as in {option_text('keys', ['account.id'])}; got {text!r}"
            )
        if not columns.differs(said.table, said.columns):
            message = f"{columns_text(*said)} is no key: rows have the same value, or none"
            raise DataError(message, source=database.source)
        tables.append(replace(database.tables[said.table], key=said.columns))
    return database.with_tables(tables)


def _link(database: Database, text: str) -> ForeignKey:
    """Return the foreign key that a text such as ``loan.account=account.id`` says."""
    problem: Exception | None = None
    places = [place for place, sign in enumerate(text) if sign == "="]
    for place in places:
        try:
            here, there = _parsed(database, text[:place].strip()), _parsed(database, text[place + 1 :].strip())
        except (UnknownNameError, UsageError) as error:
            problem = problem or error
            continue
        key = there.columns or database.tables[there.table].key
        if not key:
            fix = f"say which column: {option_text('links', [f'{text}.COLUMN'])}"
            message = f"the table {there.table} has no key that {columns_text(*here)} could refer to"
            raise DataError(message, source=database.source, fix=fix)
        if here.columns and len(here.columns) == len(key):
            return ForeignKey(here.table, here.columns, there.table, key)
        if here.columns:
            n, there_text = number_text(here.columns, "column"), columns_text(there.table, key)
            message = f"{option_text('links', [text])}: {columns_text(*here)} is {n}, and {there_text} {len(key)}"
            problem = problem or UsageError(message)
    if problem is not None and len(places) == 1:
        raise problem
    example = option_text("links", ["loan.account=account.id"])
    raise UsageError(f"{option_text('links')} takes TABLE.COLUMN=TABLE.COLUMN, as in {example}; got {text!r}")


def _with_links(database: Database, links: Sequence[ForeignKey]) -> Database:
    said = {(link.table, link.columns) for link in links}
    kept = [key for key in database.foreign_keys if (key.table, key.columns) not in said]
    return replace(database, foreign_keys=(*kept, *links))
