"""Storage formats of database columns, which are needed to express the values of a population in SQL."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from structtree.data.json_parts import JsonPart, members_json

__all__ = ["Engine", "Stored", "TextMoments", "ValueClass", "moments_of"]

Engine = Literal["sqlite", "duckdb"]
"""Database engine with its own SQL dialect."""

TextMoments = Literal["day", "clock", "fraction"]
"""Precision of dates in text: days, time of day, or fractions of a second."""

ValueClass = Literal["number", "moment", "text"]
"""Class of values in which keys are compared."""

_DAY = r"\d{4}-\d{2}-\d{2}"
_CLOCK = rf"{_DAY}(?:[T ]\d{{2}}:\d{{2}}(?::\d{{2}})?(?:Z|[+-]\d{{2}}:\d{{2}})?)?"
_FRACTION = rf"{_DAY}(?:[T ]\d{{2}}:\d{{2}}(?::\d{{2}}(?:\.\d+)?)?)?"
_MOMENTS: Mapping[TextMoments, re.Pattern[str]] = {
    "day": re.compile(_DAY, re.ASCII),
    "clock": re.compile(_CLOCK, re.ASCII),
    "fraction": re.compile(_FRACTION, re.ASCII),
}


@dataclass(frozen=True, slots=True)
class Stored:
    """Storage format of a column.

    Parameters
    ----------
    form : str
        For SQLite, the values: ``integer``, ``number``, ``text``, ``digits`` (integers as text), ``numeric`` (numbers
        as text) or ``mixed``; for DuckDB, the type of the column; empty if unknown.
    missing : tuple of str
        Strings that denote a missing value.
    padded : bool
        Whether some strings have surrounding whitespace.
    collated : bool
        Whether the table may compare strings with a collation other than binary.
    moments : {"day", "clock", "fraction"}, optional
        Precision of dates in text, if the text is dates.
    layout : str
        Given format of dates; see `structtree.data.dates.moment_of`.

    Examples
    --------
    >>> Stored("text", ("",), moments="day").to_json()
    {'form': 'text', 'missing': [''], 'moments': 'day'}
    >>> Stored.from_json(JsonPart("integer")) == Stored("integer")
    True
    """

    form: str = ""
    missing: tuple[str, ...] = ()
    padded: bool = False
    collated: bool = False
    moments: TextMoments | None = None
    layout: str = ""

    def to_json(self) -> str | dict[str, Any]:
        """Return the format as plain JSON values: its form alone if the other fields have default values."""
        members = members_json(self)
        return members if members.keys() - {"form"} else self.form

    @classmethod
    def from_json(cls, part: JsonPart) -> Stored:
        """Create a storage format from the output of `to_json`."""
        stored: Stored = cls(part.value) if isinstance(part.value, str) else part.as_dataclass(cls)
        return stored


def moments_of(texts: Iterable[str]) -> TextMoments | None:
    """Return the precision of dates in strings; None unless all are dates.

    Examples
    --------
    >>> moments_of(["2024-02-29"]), moments_of(["2024-02-29", "2024-03-01 12:30"]), moments_of(["soon"])
    ('day', 'clock', None)
    """
    known = list(texts)
    return next((form for form, like in _MOMENTS.items() if known and all(map(like.fullmatch, known))), None)
