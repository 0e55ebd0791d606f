"""Guessing of undeclared keys from column names, types and inclusion of values.

*Primary keys.* A column with unique values is the key if it comes first, is named after its table, or has a name
typical of keys. Otherwise the key is the shortest sequence of first columns that is unique.

*Foreign keys.* Numbers often include one another by chance, so a numeric column refers to a table only if its name
agrees: it is named like the key of that table, or after the table. A text column refers to a table without such a
name if nearly all its values are keys there, as with airports. Composite keys need columns of the same names in both
tables, the fewest that are unique in one of them; each must explain a column that no shorter key explains.

Guesses are evaluated on the data and reported with the fraction of matching rows. Nothing is guessed between two
tables that both have declared foreign keys.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import combinations
from typing import NamedTuple

from structtree.data.kinds import type_name_of
from structtree.data.profile import IDENTIFIER_NAME
from structtree.data.readers.databases.keys import Database, ForeignKey, KeyColumns, KeyMatch, KeyValues, SourceTable
from structtree.data.readers.databases.linking import stem_of

__all__ = ["guess_keys"]

LEAST_FIT = 0.5
"""Minimum fraction of matching rows for a foreign key that its name suggests."""

LEAST_FIT_TOGETHER = 0.8
"""Minimum fraction of matching rows for a composite foreign key."""

LEAST_INCLUSION = 0.9
"""Minimum fraction of matching values, and of matching rows, for text whose name suggests no key."""

MOST_TOGETHER = 4
"""Maximum number of columns in a foreign key."""

_SAMPLE = 2000
"""Number of rows on which composite keys are tried first."""

_LONGEST = 6
"""Maximum number of columns in a primary key."""

_GENERIC = frozenset(re.findall(r"\w+", "id key code name title number nr no num year date type status rank"))
_PARENTS = frozenset(re.findall(r"\w+", "parent reportsto manager supervisor boss father mother superior"))


def guess_keys(database: Database, settled: Collection[tuple[str, str]] = ()) -> Database:
    """Return a database with guessed keys where none are declared.

    Parameters
    ----------
    database : Database
    settled : collection of (table, column)
        Columns whose links the user has given, for which nothing is guessed.

    Examples
    --------
    >>> from structtree.data.readers.tables.sheets import PythonValues, Sheet
    >>> planes = Sheet({"tailnum": PythonValues(["N1", "N2"]), "seats": PythonValues([9, 9])}, 2)
    >>> flights = Sheet({"day": PythonValues([1, 1, 2, 2]), "tailnum": PythonValues(["N2", "N1", "N7", "N2"])}, 4)
    >>> tables = {"planes": SourceTable("planes", planes), "flights": SourceTable("flights", flights)}
    >>> found = guess_keys(Database("nyc", tables))
    >>> found.tables["planes"].key, *map(str, found.foreign_keys)
    (('tailnum',), 'flights.tailnum=planes.tailnum')
    """
    columns = KeyColumns(database.tables)
    keyed = database.with_tables(
        replace(table, key=_primary(table, columns, _referring(table, database)), key_guessed=True)
        for table in database.tables.values()
        if not table.key
    )
    guesses = _Guesses(keyed, columns, frozenset(settled))
    touched = {name for key in database.foreign_keys for name in (key.table, key.to)}
    for child in keyed.tables.values():
        if child.sheet.n_rows:
            free = [each for each in keyed.tables.values() if not {child.name, each.name} <= touched]
            guesses.add(child, free)
    found = replace(keyed, foreign_keys=(*database.foreign_keys, *guesses.found))
    return found.with_tables(_without_doubtful(table, found, database) for table in found.tables.values())


def _without_doubtful(table: SourceTable, found: Database, declared: Database) -> SourceTable:
    """Remove a guessed key that may be unique by chance: nothing refers to it, and it is not named like a key."""
    if len(table.key) != 1 or declared.tables[table.name].key:
        return table
    is_used = any((key.to, key.key) == (table.name, table.key) for key in found.foreign_keys)
    is_named = _is_key_name(table.key[0]) or _is_named_after(table.key[0], table.name)
    return table if is_used or is_named else replace(table, key=())


@cache
def _plain(name: str) -> str:
    """Return a name in lower case, without punctuation."""
    return re.sub(r"[\W_]+", "", name).lower()


@cache
def _stem(column: str) -> str:
    return _plain(stem_of(column))


def _is_key_name(column: str) -> bool:
    return stem_of(column) != column or IDENTIFIER_NAME.search(column) is not None


def _can_be_key(values: KeyValues) -> bool:
    """Return whether values can identify rows: at least one is known, and none has a fractional part."""
    return len(values.values) > 0 and values.are_integers


def _is_named_after(column: str, table: str) -> bool:
    """Return whether a column is named after a table.

    Examples
    --------
    >>> _is_named_after("customer_id", "Customers"), _is_named_after("CustomerID", "Orders")
    (True, False)
    """
    return _stem(column) in (_plain(table), _plain(type_name_of(table)))


def _referring(table: SourceTable, database: Database) -> frozenset[str]:
    """Return the columns that are foreign keys by themselves, so that their values may be unique by chance."""
    keys = [key for key in database.foreign_keys if key.table == table.name and len(key.columns) == 1]
    return frozenset(key.columns[0] for key in keys if not _is_named_after(key.columns[0], table.name))


def _primary(table: SourceTable, columns: KeyColumns, referring: Collection[str]) -> tuple[str, ...]:
    """Return the columns of the most likely primary key of a table, or an empty tuple."""
    if table.sheet.n_rows < 2:
        return ()
    names = [name for name in table.sheet.columns if _can_be_key(columns.distinct(table.name, name))]
    alone = [name for name in names if columns.distinct(table.name, name).is_unique and name not in referring]
    every = tuple(table.sheet.columns)
    likely = [
        *(name for name in alone if _is_named_after(name, table.name)),
        *(name for name in alone if name == every[0]),
        *(name for name in alone if _is_key_name(name)),
    ]
    if likely:
        return (likely[0],)
    for n in range(2, min(_LONGEST, len(every)) + 1):
        some = every[:n]
        if not set(some) <= set(names):
            return ()
        if columns.is_unique(table.name, some):
            return some
    return ()


class _Candidate(NamedTuple):
    """Possible foreign key with the rank of its evidence, lower for better evidence."""

    reason: int
    match: KeyMatch


@dataclass(slots=True, eq=False)
class _Guesses:
    """Foreign keys guessed so far."""

    database: Database
    columns: KeyColumns
    settled: frozenset[tuple[str, str]]
    found: list[ForeignKey] = field(default_factory=list)
    unique: dict[tuple[str, tuple[str, ...]], bool] = field(default_factory=dict)

    def add(self, child: SourceTable, parents: Sequence[SourceTable]) -> None:
        """Guess the foreign keys of one table."""
        explained: set[str] = set()
        for column in child.sheet.columns:
            candidates = list(self.single(child, column, parents))
            if candidates:
                best = min(candidates, key=lambda each: (each.reason, -each.match.fit))
                self.found.append(best.match.foreign_key)
                explained.add(column)
        composite = sorted(
            (match for parent in parents for match in self.composite(child, parent, explained)),
            key=lambda match: (len(match.foreign_key.columns), -match.fit),
        )
        for match in composite:
            if self.explains(child, match.foreign_key.columns, explained):
                self.found.append(self.widened(match))
                explained.update(self.found[-1].columns)

    def explains(self, child: SourceTable, columns: Sequence[str], explained: Collection[str]) -> bool:
        """Return whether a foreign key has a further column that is named like a key or is not numeric."""
        return any(
            _is_key_name(column) or self.columns.distinct(child.name, column).value_class != "number"
            for column in columns
            if column not in explained
        )

    # ---- keys of one column ------------------------------------------------------------------------------

    def single(self, child: SourceTable, column: str, parents: Sequence[SourceTable]) -> Iterator[_Candidate]:
        values = self.columns.distinct(child.name, column)
        if not _can_be_key(values) or (child.name, column) in self.settled:
            return
        for parent in parents:
            key = self.key_for(column, parent)
            if key is None or (parent is child and key == column):
                continue
            reason = self.reason(child, column, parent, key)
            if reason is None or (values.is_unique and not self.may_share(child, column, parent, key)):
                continue
            match = self.columns.match(ForeignKey(child.name, (column,), parent.name, (key,), guessed=True))
            if match.single and match.fit >= (LEAST_FIT if reason < _BY_VALUES else LEAST_INCLUSION):
                yield _Candidate(reason, match)

    def key_for(self, column: str, parent: SourceTable) -> str | None:
        """Return the column of a table that a foreign key may refer to: its key, or a unique column of that name."""
        if len(parent.key) == 1:
            return parent.key[0]
        names = (name for name in parent.sheet.columns if _plain(name) == _plain(column))
        return next((name for name in names if self.columns.distinct(parent.name, name).is_unique), None)

    def reason(self, child: SourceTable, column: str, parent: SourceTable, key: str) -> int | None:
        """Return the rank of the evidence that a column refers to a table, or None without any evidence."""
        mine, theirs = self.columns.distinct(child.name, column), self.columns.distinct(parent.name, key)
        if parent is not child and _is_named_after(column, parent.name):
            return 0
        if parent is not child and _plain(column) == _plain(key) and _stem(key) not in _GENERIC:
            return 1
        if _is_key_name(column) and _ends_with(_stem(column), parent, key):
            return 2
        if parent is child and _stem(column) in _PARENTS and mine.value_class == theirs.value_class:
            return 2
        return _BY_VALUES if parent is not child and self.is_contained(child, column, mine, theirs) else None

    def is_contained(self, child: SourceTable, column: str, mine: KeyValues, theirs: KeyValues) -> bool:
        """Return whether nearly all strings in a column are keys of a table."""
        if mine.value_class != "text" or theirs.value_class != "text" or child.key == (column,):
            return False
        if min(len(mine.values), len(theirs.values)) < 3:
            return False
        return len(set(mine.values) & set(theirs.values)) >= LEAST_INCLUSION * len(mine.values)

    def may_share(self, child: SourceTable, column: str, parent: SourceTable, key: str) -> bool:
        """Return whether a unique column may refer to a unique column of another table, which must be larger."""
        order = list(self.database.tables)
        mine, theirs = (
            (-each.sheet.n_rows, not _is_named_after(name, each.name), order.index(each.name))
            for each, name in ((child, column), (parent, key))
        )
        return mine > theirs

    # ---- composite keys ----------------------------------------------------------------------------------

    def composite(self, child: SourceTable, parent: SourceTable, explained: Collection[str]) -> Iterator[KeyMatch]:
        if parent is not child and parent.sheet.n_rows >= 2:
            found = (self.smallest(child, parent, pairs, explained) for pairs in self.pairings(child, parent))
            yield from (match for match in found if match is not None)

    def pairings(self, child: SourceTable, parent: SourceTable) -> Iterator[dict[str, str]]:
        """Yield mappings from key columns of a table to columns of another with the same name or a common suffix."""
        likely = [name for name in parent.sheet.columns if self.is_likely_part(parent, name)]
        stems = {_stem(name): name for name in child.sheet.columns}
        plain = {_plain(name): name for name in child.sheet.columns}
        for ending in sorted({"", *_endings(likely, plain)}):
            pairs = {}
            for key in likely:
                column = plain.get(_plain(key) + ending) or plain.get(_plain(key)) or stems.get(_stem(key))
                if column is not None and (child.name, column) not in self.settled:
                    pairs[key] = column
            if len(pairs) > 1:
                yield pairs

    def is_likely_part(self, parent: SourceTable, name: str) -> bool:
        """Return whether a column is likely to be part of a composite key."""
        values = self.columns.distinct(parent.name, name)
        if not _can_be_key(values) or values.is_unique:
            return False
        return name in parent.key or _is_key_name(name) or values.value_class != "number"

    def smallest(
        self, child: SourceTable, parent: SourceTable, pairs: Mapping[str, str], explained: Collection[str]
    ) -> KeyMatch | None:
        """Return the best match among composite foreign keys with the fewest columns, if any."""
        for n in range(2, min(MOST_TOGETHER, len(pairs)) + 1):
            keys = (
                ForeignKey(child.name, tuple(pairs[each] for each in key), parent.name, key, guessed=True)
                for key in combinations(pairs, n)
                if self.explains(child, [pairs[each] for each in key], explained) and self.is_unique(parent, key)
            )
            fits = {key: self.columns.match(key, _SAMPLE).fit for key in keys if len(set(key.columns)) == n}
            likely = [key for key, fit in fits.items() if fit >= LEAST_FIT_TOGETHER and not self.is_back(key)]
            matches = [self.columns.match(key) for key in sorted(likely, key=lambda key: -fits[key])[:2]]
            best = max(matches, key=lambda match: match.fit, default=None)
            if best is not None and best.fit >= LEAST_FIT_TOGETHER:
                return best
        return None

    def is_unique(self, parent: SourceTable, key: tuple[str, ...]) -> bool:
        if (parent.name, key) not in self.unique:
            self.unique[parent.name, key] = self.columns.is_unique(parent.name, key)
        return self.unique[parent.name, key]

    def is_back(self, key: ForeignKey) -> bool:
        """Return whether the other table already refers to this table with the same columns."""
        return any((key.to, set(key.key), key.table) == (o.table, set(o.columns), o.to) for o in self.found)

    def widened(self, match: KeyMatch) -> ForeignKey:
        """Extend a composite foreign key with primary key columns of the same name, if as many rows still match."""
        key = match.foreign_key
        child, parent = self.database.tables[key.table], self.database.tables[key.to]
        for name in parent.sheet.columns:
            is_open = name not in key.key and name in child.sheet.columns and name not in key.columns
            if is_open and name in parent.key and _is_key_name(name):
                wider = replace(key, columns=(*key.columns, name), key=(*key.key, name))
                if self.columns.match(wider).fit == match.fit:
                    key = wider
        return key


_BY_VALUES = 3


def _endings(keys: Sequence[str], columns: Collection[str]) -> Iterator[str]:
    """Yield the suffixes of columns whose names begin with a key, such as winner and loser."""
    for key in (_plain(name) for name in keys if _is_key_name(name)):
        yield from (name.removeprefix(key) for name in columns if name.startswith(key) and name != key)


def _ends_with(stem: str, parent: SourceTable, key: str) -> bool:
    """Return whether a name ends with the name of a table or of its key, as ``home_team_id`` for teams."""
    ends = {_plain(type_name_of(parent.name)), _plain(parent.name), *({_stem(key)} - _GENERIC)}
    return any(len(end) > 3 and stem.endswith(end) and stem != end for end in ends)
