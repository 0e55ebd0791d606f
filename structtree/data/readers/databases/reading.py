"""Databases as populations: SQLite, DuckDB, URLs, folders of tables, open connections and frames.

All sources share the same steps: drop excluded tables and columns; take keys from a schema file, else from the
database, else guess them; let the user's keys and links override these; link the tables
(`structtree.data.readers.databases.linking`).
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
from structtree.data.readers.databases.addresses import is_url
from structtree.data.readers.databases.duckdb_files import from_duckdb, is_duckdb, read_duckdb
from structtree.data.readers.databases.folders import read_table_folder
from structtree.data.readers.databases.key_guesses import guess_keys
from structtree.data.readers.databases.keys import (
    Database,
    ForeignKey,
    KeyColumns,
    RowFilter,
    SourceTable,
    columns_text,
    read_sheets,
)
from structtree.data.readers.databases.linking import Relations, TimeLimits, link_tables
from structtree.data.readers.databases.schema_files import apply_schema, drop_tables, read_schema_file
from structtree.data.readers.databases.sqlite_files import filter_rows, from_sqlite, is_sqlite, read_sqlite
from structtree.data.readers.databases.urls import from_sqlalchemy, is_sqlalchemy, read_url
from structtree.data.readers.options import DatabaseOptions
from structtree.data.readers.tables.reading import frame_sheet
from structtree.data.readers.text_files import require_file
from structtree.errors import DataError, UnknownNameError, UsageError, option_text
from structtree.interrupts import current_limit
from structtree.reprs import number_text

__all__ = ["from_database", "linked_database", "read_database", "read_tables"]


def from_database(source: Any, **options: Unpack[DatabaseOptions]) -> Population:
    """Return the population of a database, with one type per table and links for foreign keys.

    Parameters
    ----------
    source : path, connection or mapping
        SQLite or DuckDB file, folder of CSV or Parquet files, database URL, ``sqlalchemy`` engine or connection, open
        `sqlite3` or ``duckdb`` connection, or mapping from table names to pandas or polars frames.
    individual : str, optional
        Table whose rows are the individuals.
    types : mapping, optional
        Kinds of columns, such as ``{"zip": "nominal", "loan.year": "nominal"}``.
    keys : list of str, optional
        Primary keys: ``["account.id", "team.year,name"]``.
    links : list of str, optional
        Foreign keys: ``["loan.account=account.id"]``; they override declared and guessed ones.
    exclude : list of str, optional
        Tables and columns to skip: ``["log", "loan.notes"]``.
    condition : str, optional
        SQL condition that selects the individuals. The database evaluates it; for folders of tables and frames,
        SQLite does.
    schema_file : str, optional
        File with keys and links, as written by ``structtree data schema``.
    layout : SourceLayout, optional
        Tables, keys and links of the training data of a model; other tables are skipped.
    strict : bool, optional
        Whether dangling foreign keys are an error.
    as_of : str, optional
        Date attribute of the individuals, possibly behind references (``race.date``): each individual sees only rows
        dated earlier. See `structtree.data.as_of`.
    frozen_at : str, optional
        Last visible day.
    exclude_after : str, optional
        As ``frozen_at``; individuals dated later are excluded.
    lead : int, optional
        Days between the last visible row and the date of an individual.
    dates : list of str, optional
        Date from which the rows of a table exist (``["race.date"]``), by default the earliest date of each row. A
        table name without a column marks a table without dates.
    set_once : list of str, optional
        Dates that never change once they are set (``["order.shipped"]``). Any other date that most rows have and that
        is later than the date of its row is skipped, since it may have been updated after the date of an individual.

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
        return linked_database(read_url(source, _row_filter(options), _skipped(options)), options)
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        return read_tables(path, **options) if path.is_dir() else read_database(path, **options)
    where = _row_filter(options)
    excluded = _skipped(options, where if isinstance(source, Mapping) else None)
    if isinstance(source, sqlite3.Connection):
        database = from_sqlite(source, where=where, exclude=excluded)
    elif is_sqlalchemy(source):
        database = from_sqlalchemy(source, where, excluded)
    elif hasattr(source, "execute") and hasattr(source, "fetchnumpy"):
        database = from_duckdb(source, where=where, exclude=excluded)
    elif isinstance(source, Mapping):
        frames = {str(name): frame for name, frame in source.items()}
        tables = read_sheets(frames, excluded, lambda name: frame_sheet(frames[name], name))
        database = filter_rows(Database("the tables", tables), where)
    else:
        expected = "a path, a URL, a connection of sqlite3, duckdb or sqlalchemy, or a mapping of frames"
        raise UsageError(f"expected {expected}; got a {type(source).__name__}")
    return linked_database(database, options)


def read_database(
    path: str | os.PathLike[str], *, missing_words: Sequence[str] | None = None, **options: Unpack[DatabaseOptions]
) -> Population:
    """Return the population of an SQLite or DuckDB file, recognised by its first bytes.

    Parameters
    ----------
    path : path
    missing_words : sequence of str, optional
        For SQLite, words that denote a missing value in otherwise numeric text.
    individual, types, keys, links, exclude, condition, schema_file, strict
        As in `from_database`.
    """
    where, excluded = _row_filter(options), _skipped(options)
    with require_file(path).open("rb") as file:
        head = file.read(16)
    if is_duckdb(head) or (str(path).lower().endswith((".duckdb", ".ddb")) and not is_sqlite(head)):
        if missing_words is not None:
            raise UsageError(f"missing_words does not apply to {path}: DuckDB stores missing values as NULL")
        return linked_database(read_duckdb(path, where, excluded), options)
    words = {} if missing_words is None else {"missing_words": missing_words}
    return linked_database(read_sqlite(path, where, excluded, **words), options)


def read_tables(path: str | os.PathLike[str], **options: Any) -> Population:
    """Return the population of a folder of CSV, Parquet or Feather files, one per table.

    Parameters
    ----------
    path : path
    individual, types, keys, links, exclude, condition, schema_file, strict
        As in `from_database`.
    delimiter, header, encoding, decimal, missing_words
        For delimited text, as in `structtree.data.readers.tables.reading.read_csv`.
    """
    text = ("delimiter", "header", "encoding", "decimal", "missing_words")
    given = {name: options.pop(name) for name in text if options.get(name) is not None}
    where = _row_filter(options)  # type: ignore[arg-type]
    database = read_table_folder(Path(path), _skipped(options, where), **given)  # type: ignore[arg-type]
    return linked_database(filter_rows(database, where), options)  # type: ignore[arg-type]


def linked_database(database: Database, options: DatabaseOptions) -> Population:
    """Return the population of a database, linked by given, declared or guessed keys."""
    schema_file, layout = options.get("schema_file"), options.get("layout")
    if schema_file is not None:
        for option in ("keys", "links"):
            if options.get(option):
                raise UsageError(f"{option} and a schema file are mutually exclusive; write them into {schema_file}")
        gone = _excluded_tables(options)
        entries = drop_tables(read_schema_file(schema_file), gone)
        excluded = [table for name, table in database.tables.items() if name in gone]
        database = apply_schema(database, entries, schema_file).with_tables(excluded)
    database = _drop_excluded(database, options.get("exclude") or (), options.get("individual"))
    if layout is not None and schema_file is None:
        database = apply_layout(layout, database)
    database = _resolve_keys(database)
    database = _with_keys(database, options.get("keys") or ())
    links = [_parse_link(database, text) for text in options.get("links") or ()]
    database = _with_links(database, links)
    if schema_file is None and layout is None:
        settled = {(link.table, column) for link in links for column in link.columns}
        database = guess_keys(database, settled)
    is_strict = bool(options.get("strict"))
    options = _with_owner(database, options)
    population = link_tables(database, options.get("individual"), options.get("types"), strict=is_strict)
    return _limit_time(population, options)


def _with_owner(database: Database, options: DatabaseOptions) -> DatabaseOptions:
    """Return the options, with the table that has the target as the individual if none is given."""
    target = options.get("target")
    if target is None or options.get("individual") is not None:
        return options
    owners = [name for name, table in database.tables.items() if target in table.sheet.columns]
    if len(owners) != 1:
        known = f"no table has it (tables: {', '.join(database.tables)})"
        has = f"{target!r} is a column of {', '.join(owners)}" if owners else known
        raise UsageError(f"choose the table to learn about with {option_text('individual')}; {has}")
    return {**options, "individual": owners[0]}


def _limit_time(population: Population, options: DatabaseOptions) -> Population:
    """Hide the rows dated after the date of each individual, after a given day, or both."""
    own, day = options.get("as_of"), _last_day(options)
    lead = _lead(options.get("lead"), own)
    if own is None and day is None:
        for name in ("dates", "set_once"):
            if options.get(name):
                others = ", ".join(option_text(each) for each in ("as_of", "frozen_at"))
                raise UsageError(f"{option_text(name)} requires {others} or {option_text('exclude_after')}")
        return population
    dates, set_once = _given_dates(_relations(population).database, options)
    own = own and own.removeprefix(f"{population.schema.individual}.")
    if options.get("exclude_after") is not None:
        assert day is not None  # exclude_after is that day
        population = _exclude_after(population, day, dated_until(population, day, own, dates))
    dating = _learned_dating(options.get("layout"), dates)
    if own is None:
        assert day is not None  # one of the two is given
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
    time = TimeLimits(own, kind, lead, day, dated_by(population, seen.dating), seen.dating)
    relations = _limited_relations(population, seen, time)
    return replace(seen.population, provenance=replace(provenance_of(population), relations=relations))


def _learned_dating(layout: SourceLayout | None, dates: Mapping[str, str | None]) -> Dating | None:
    """Return the dating of a model's training data, if any; raise `UsageError` if the given dates differ from it."""
    if layout is None or not layout.dating:
        return None
    for table, given in dates.items():
        learned = layout.dating.get(table, TypeDates()).by
        if learned != (() if given is None else (given,)):
            by = " and ".join(learned) or "nothing"
            raise UsageError(
                f"the model was learned with {table} dated by {by}; predict without {option_text('dates', [table])}"
            )
    return layout.dating


def _limited_relations(population: Population, seen: AsOf, time: TimeLimits) -> Relations:
    """Return the relations for a population whose individuals see only the past."""
    relations, is_dated = _relations(population), time.as_of is not None
    tables = _possible_label_tables(relations.database, population.schema.individual) if is_dated else ()
    unique = identifiers(population, seen.rows) if is_dated else frozenset()
    return replace(
        relations,
        time=time,
        remarks=(*relations.remarks, *tables, *_merge_skipped(seen.notes)),
        whole=population,
        origins=seen.origins,
        absolute_dates=seen.absolute,
        identifying=frozenset(
            (name, m.attribute) for name, table in seen.origins.items() for m in unique if m.type == table
        ),
    )


def _given_dates(
    database: Database, options: DatabaseOptions
) -> tuple[dict[str, str | None], dict[str, tuple[str, ...]]]:
    """Return the columns of the ``dates`` and ``set_once`` options by table."""
    dates = dict(_parse_dated(database, "dates", text) for text in options.get("dates") or ())
    set_once: dict[str, tuple[str, ...]] = {}
    for table, column in (_parse_dated(database, "set_once", text) for text in options.get("set_once") or ()):
        if column is None:
            raise UsageError(f"{option_text('set_once')} takes TABLE.COLUMN; got the table {table}")
        set_once[table] = (*set_once.get(table, ()), column)
    return dates, set_once


def _relations(population: Population) -> Relations:
    found = provenance_of(population).relations
    assert found is not None  # every population of a database has relations
    return found


def _last_day(options: DatabaseOptions) -> float | None:
    """Return the last visible day in days since 1970, or None without a limit."""
    given = {flag: options.get(flag) for flag in ("frozen_at", "exclude_after") if options.get(flag) is not None}
    if len(given) > 1:
        raise UsageError(f"{option_text('frozen_at')} and {option_text('exclude_after')} are mutually exclusive")
    return next((_parse_day(option_text(name), str(text)) for name, text in given.items()), None)


def _exclude_after(population: Population, day: float, kept: NDArray[np.bool_]) -> Population:
    """Exclude individuals dated after a day, and record them in the provenance."""
    text, name = moment_text(day, "date"), population.schema.individual
    if not kept.any():
        raise DataError(
            f"no {name} is dated {text} or before, so {option_text('exclude_after')} excludes all of them"
        )
    provenance, relations = provenance_of(population), _relations(population)
    gone = provenance.rows[population.individuals[~kept]].tolist()
    note = f"skipped {len(gone):,} of {len(kept):,} individuals dated after {text} or without a date"
    recorded = replace(
        provenance,
        left_out={**provenance.left_out, **dict.fromkeys(gone, f"it is not dated {text} or before")},
        relations=replace(relations, remarks=(*relations.remarks, *([note] if gone else []))),
    )
    return replace(population, provenance=recorded).take(np.flatnonzero(kept))


def _lead(days: int | None, own: str | None) -> int:
    if days is None:
        return 0
    if own is None:
        raise UsageError(f"{option_text('lead')} requires the date of the individuals: {option_text('as_of')}")
    if days < 0:
        raise UsageError(f"{option_text('lead')} must be a number of days >= 0; got {days}")
    if days > MOST_DAYS:
        raise UsageError(f"{option_text('lead')} must be at most {MOST_DAYS:,} days (9,999 years)")
    return days


def _possible_label_tables(database: Database, individual: str) -> Iterator[str]:
    """Yield a warning for each table that may contain labels that become known after its dates.

    Such a table has all columns of the individuals' table but one, and one or two others: it defines another task for
    the same entities and dates.
    """
    mine = set(database.tables[individual].sheet.columns)
    for name, table in database.tables.items():
        theirs = set(table.sheet.columns)
        others = sorted(theirs - mine)
        if name != individual and len(mine - theirs) == 1 and 1 <= len(others) <= 2 <= len(mine & theirs):
            yield (
                f"{name} differs from {individual} only in {' and '.join(others)}; if those values become known "
                f"after the date of the row, exclude the table: {option_text('exclude', [name])}"
            )


def _merge_skipped(notes: Sequence[str]) -> Iterator[str]:
    """Yield notes, with those about skipped links merged into one."""
    yield from (note for note in notes if not note.startswith(SKIPPED_LINK))
    paths = [note.removeprefix(SKIPPED_LINK) for note in notes if note.startswith(SKIPPED_LINK)]
    if len(paths) > 3:
        paths = [*paths[:2], f"and {len(paths) - 2} more paths"]
    if paths:
        yield f"{SKIPPED_LINK}{', '.join(paths)}"


def _parse_dated(database: Database, option: str, text: str) -> tuple[str, str | None]:
    """Parse TABLE.COLUMN, or TABLE alone, which gives None as the column."""
    given = _parse_columns(database, text)
    if len(given.columns) > 1:
        also = ", or TABLE for a table without dates" if option == "dates" else ""
        raise UsageError(f"{option_text(option)} takes TABLE.COLUMN{also}; got {text!r}")
    return given.table, given.columns[0] if given.columns else None


def _parse_day(option: str, text: str) -> float:
    try:
        return datetime.strptime(text, "%Y-%m-%d").date().toordinal() - _EPOCH
    except ValueError:
        raise DataError(f"{option} takes a day such as 2010-01-01; got {text!r}") from None


_EPOCH = date(1970, 1, 1).toordinal()


def _excluded_tables(options: DatabaseOptions) -> frozenset[str]:
    """Return the excluded names that may be tables because no other excluded name is one of their columns."""
    given = tuple(options.get("exclude") or ())
    return frozenset(text for text in given if not any(each.startswith(f"{text}.") for each in given))


@dataclass(frozen=True, slots=True)
class _Skipped:
    """Tables to skip: excluded or not in the schema file, and not mentioned in the condition."""

    names: frozenset[str]
    only: frozenset[str] | None
    condition: str

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str) or name.lower() in self.condition:
            return False
        return name in self.names or (self.only is not None and name not in self.only)


def _skipped(options: DatabaseOptions, where: RowFilter | None = None) -> _Skipped:
    """Return the tables to skip, except those mentioned in a condition that is evaluated here."""
    schema_file = options.get("schema_file")
    only = None if schema_file is None else frozenset(read_schema_file(schema_file))
    return _Skipped(_excluded_tables(options), only, "" if where is None else f"{where.table} {where.sql}".lower())


def _row_filter(options: DatabaseOptions) -> RowFilter | None:
    condition, individual = options.get("condition"), options.get("individual")
    if condition is None:
        return None
    if individual is None:
        raise UsageError(
            f"{option_text('condition')} selects individuals; choose their table with {option_text('individual')}"
        )
    if not condition.strip():
        raise UsageError(f"{option_text('condition')} must be an SQL condition, such as \"status = 'A'\"; got ''")
    return RowFilter(individual, condition)


# ---- keys and links given by the user --------------------------------------------------------------------


class _Columns(NamedTuple):
    """Columns of a table; empty for the whole table."""

    table: str
    columns: tuple[str, ...]


def _parse_columns(database: Database, text: str) -> _Columns:
    """Parse a table and its columns, such as ``team.year,name``; names may contain dots."""
    if text in database.tables:
        return _Columns(text, ())
    for name in sorted(database.tables, key=len, reverse=True):
        if text.lower().startswith(f"{name.lower()}."):
            return _Columns(name, _columns(database, name, text[len(name) + 1 :]))
    table, point, column = text.rpartition(".")
    if not point:
        owners = [f"{name}.{text}" for name, each in database.tables.items() if text in each.sheet.columns]
        if owners:
            raise UsageError(f"unknown table {text!r}; for the column, write {' or '.join(owners)}")
    database.refuse_unread(table or column)
    raise UnknownNameError("table", table or column, database.tables)


def _columns(database: Database, table: str, text: str) -> tuple[str, ...]:
    known = database.tables[table]
    if text in known.sheet.columns:
        return (text,)
    names = [part.strip() for part in text.split(",")]
    for name in names:
        database.refuse_unread(columns_text(table, [name]))
    return _match_case(known, names)


def _match_case(table: SourceTable, names: Sequence[str]) -> tuple[str, ...]:
    """Return column names in the case used by the table."""
    known = list(table.sheet.columns)
    folded = {name.lower(): name for name in known}
    found = [name if name in known else folded.get(name.lower(), name) for name in names]
    for name in found:
        if name not in known:
            raise UnknownNameError(f"column of {table.name}", name, known)
    return tuple(found)


def _drop_excluded(database: Database, exclude: Collection[str], individual: str | None) -> Database:
    """Return the database without the excluded tables and columns, and without the keys that need them."""
    if not exclude:
        return database
    given = [_parse_columns(database, text) for text in exclude]
    gone = {each.table for each in given if not each.columns}
    if individual is not None and database.table(individual).name in gone:
        raise UsageError(f"{individual} is excluded, but it is the table of the individuals")
    tables = {}
    for name, table in database.tables.items():
        if name not in gone:
            dropped = {column for each in given if each.table == name for column in each.columns}
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
        and not any((each.table, *each.columns) == (key.to, *key.key) for each in given)
    )
    return replace(database, tables=tables, foreign_keys=tuple(kept))


def _resolve_keys(database: Database) -> Database:
    """Resolve the names in declared foreign keys; raise `DataError` for a broken key."""
    found = []
    for key in database.foreign_keys:
        try:
            to = database.table(key.to)
            theirs = _match_case(to, key.key) if key.key else to.key
            mine = _match_case(database.tables[key.table], key.columns)
        except UnknownNameError as error:
            raise _broken_key(database, key, f"which does not exist: {error}") from None
        if not theirs or len(theirs) != len(mine):
            raise _broken_key(database, key, "which has no such key")
        found.append(replace(key, columns=mine, to=to.name, key=theirs))
    return replace(database, foreign_keys=tuple(found))


def _broken_key(database: Database, key: ForeignKey, why: str) -> DataError:
    to = columns_text(key.to, key.key) if key.key else key.to
    fix = f"to ignore it: {option_text('exclude', [columns_text(key.table, key.columns)])}"
    message = f"the foreign key {columns_text(key.table, key.columns)} refers to {to}, {why}"
    return DataError(message, source=database.source, fix=fix)


def _with_keys(database: Database, keys: Collection[str]) -> Database:
    columns = KeyColumns(database.tables)
    tables = []
    for text in keys:
        given = _parse_columns(database, text)
        if not given.columns:
            raise UsageError(
                f"{option_text('keys')} takes TABLE.COLUMN, as in {option_text('keys', ['account.id'])}; got {text!r}"
            )
        if not columns.is_unique(given.table, given.columns):
            message = f"{columns_text(*given)} is not a key: its values are not unique, or some are missing"
            raise DataError(message, source=database.source)
        tables.append(replace(database.tables[given.table], key=given.columns))
    return database.with_tables(tables)


def _parse_link(database: Database, text: str) -> ForeignKey:
    """Parse a foreign key, such as ``loan.account=account.id``; names may contain an equals sign."""
    problem: Exception | None = None
    places = [place for place, sign in enumerate(text) if sign == "="]
    for place in places:
        try:
            here, there = (_parse_columns(database, half.strip()) for half in (text[:place], text[place + 1 :]))
        except (UnknownNameError, UsageError) as error:
            problem = problem or error
            continue
        key = there.columns or database.tables[there.table].key
        if not key:
            fix = f"name the column: {option_text('links', [f'{text}.COLUMN'])}"
            message = f"the table {there.table} has no key for {columns_text(*here)} to refer to"
            raise DataError(message, source=database.source, fix=fix)
        if here.columns and len(here.columns) == len(key):
            return ForeignKey(here.table, here.columns, there.table, key)
        if here.columns:
            n, there_text = number_text(here.columns, "column"), columns_text(there.table, key)
            message = (
                f"{option_text('links', [text])}: {columns_text(*here)} has {n}, but {there_text} has {len(key)}"
            )
            problem = problem or UsageError(message)
    if problem is not None and len(places) == 1:
        raise problem
    example = option_text("links", ["loan.account=account.id"])
    raise UsageError(f"{option_text('links')} takes TABLE.COLUMN=TABLE.COLUMN, as in {example}; got {text!r}")


def _with_links(database: Database, links: Sequence[ForeignKey]) -> Database:
    given = {(link.table, link.columns) for link in links}
    kept = [key for key in database.foreign_keys if (key.table, key.columns) not in given]
    return replace(database, foreign_keys=(*kept, *links))
