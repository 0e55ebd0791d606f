"""Names (``$id``) of the records of a type, and the rows they refer to.

Most names are used close to their definition, so recent names are in a small dictionary that stays in the CPU cache.
Older names are stored compactly (integers as arrays) and searched only if a name was not found.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structtree.data.kinds import first_unexpected, quoted_value, to_value_types
from structtree.data.readers.records.source_paths import Origin, Trail
from structtree.errors import DataError

__all__ = ["Names"]


@dataclass(frozen=True, slots=True, eq=False)
class _Numbers:
    """Integer names, their rows, and their origin."""

    names: NDArray[np.int64]
    rows: NDArray[np.int64]
    trail: Trail | Origin


@dataclass(slots=True, eq=False)
class Names:
    """Names of the records of a type, added in batches.

    Examples
    --------
    >>> names = Names("Node")
    >>> names.add(["a", None, 7], 10, Origin())
    >>> names.rows([7, "a", 7]).tolist(), names.rows(["b"])
    ([12, 10, 12], None)
    """

    type_name: str
    _recent: dict[Any, int] = field(default_factory=dict)
    _texts: dict[Any, int] = field(default_factory=dict)
    _numbers: list[_Numbers] = field(default_factory=list)

    def add(self, names: Sequence[Any], start: int, trail: Trail | Origin) -> None:
        """Add the names of the rows from ``start`` on, None for rows without a name."""
        types = set(map(type, names))
        if not to_value_types(types) <= {"missing", "number", "string"}:
            index = first_unexpected(names, {"missing", "number", "string"})
            raise trail.error(index, f"expected a number or a string, got {quoted_value(names[index])}", ".$id")
        rows = np.arange(start, start + len(names))
        for one in types - {type(None)}:
            if len(types) == 1:
                self._add(names, rows, trail)
            else:
                which = np.flatnonzero([type(name) is one for name in names])
                some = [names[i] for i in which.tolist()]
                self._add(some, rows[which], replace(trail, kept=which if trail.kept is None else trail.kept[which]))

    def rows(self, names: Sequence[Any]) -> NDArray[np.int64] | None:
        """Return the rows of names, or None if some are not known."""
        for known in (self._recent, self._texts):
            try:
                return np.fromiter(map(known.__getitem__, names), np.int64, len(names))
            except KeyError:
                continue
        return None

    def forget_recent(self) -> None:
        """Clear the dictionary of recent names."""
        self._recent = {}

    def load_all(self) -> Iterable[Any]:
        """Load all names into the dictionary of recent names, and return them."""
        self._recent = dict(self._texts)
        for batch in self._numbers:
            self._recent.update(zip(batch.names.tolist(), batch.rows.tolist(), strict=True))
        return self._recent.keys()

    def check(self) -> None:
        """Raise `DataError` if an integer name is defined in two batches."""
        if not self._numbers:
            return
        names = np.concatenate([batch.names for batch in self._numbers])
        ordered = np.sort(names)
        twice = ordered[1:][ordered[1:] == ordered[:-1]]
        if len(twice):
            at = int(np.flatnonzero(names == twice[0])[1])
            for batch in self._numbers:
                if at < len(batch.names):
                    raise self._given_twice(int(twice[0]), at, batch.trail)
                at -= len(batch.names)

    def _add(self, names: Sequence[Any], rows: NDArray[np.int64], trail: Trail | Origin) -> None:
        n_before, is_disjoint = len(self._recent), self._recent.keys().isdisjoint(names)
        if is_disjoint:
            self._recent.update(zip(names, rows.tolist(), strict=True))
        if len(self._recent) != n_before + len(names):
            index = _first_repeated(names, set() if is_disjoint else set(self._recent))
            raise self._given_twice(names[index], index, trail)
        if isinstance(names[0], int):
            # Integers with more than 64 bits are stored like strings.
            with suppress(OverflowError):
                self._numbers.append(_Numbers(np.array(names, dtype=np.int64), rows, trail))
                return
        if not self._texts.keys().isdisjoint(names):
            index = _first_repeated(names, set(self._texts))
            raise self._given_twice(names[index], index, trail)
        self._texts.update(zip(names, rows.tolist(), strict=True))

    def _given_twice(self, name: Any, index: int, trail: Trail | Origin) -> DataError:
        message = f"the $id {quoted_value(name)} names two records of type {self.type_name!r}"
        return trail.error(index, message, fix="ids must be unique in the whole data, not only within an individual")


def _first_repeated(names: Sequence[Any], seen: set[Any]) -> int:
    for index, name in enumerate(names):
        if name in seen:
            return index
        seen.add(name)
    raise AssertionError("no name is repeated")
