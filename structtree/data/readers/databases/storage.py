"""Storage formats of database columns, from which the values of a population are expressed in SQL."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from structtree.errors import DataError

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
    >>> Stored.from_json("integer") == Stored("integer")
    True
    """

    form: str = ""
    missing: tuple[str, ...] = ()
    padded: bool = False
    collated: bool = False
    moments: TextMoments | None = None
    layout: str = ""

    def to_json(self) -> str | dict[str, Any]:
        """Return plain JSON values: only the form if the rest has default values."""
        known = {name: value for name, value in asdict(self).items() if value and name != "form"}
        if self.missing:
            known["missing"] = list(self.missing)
        return {"form": self.form, **known} if known else self.form

    @classmethod
    def from_json(cls, value: Any) -> Stored:
        """Return the storage format that `to_json` wrote."""
        match value:
            case str():
                return cls(value)
            case {"form": str(form)}:
                moments = value.get("moments")
                missing = tuple(map(str, value.get("missing", ())))
                flags = bool(value.get("padded")), bool(value.get("collated"))
                if moments is None or moments in get_args(TextMoments):
                    return cls(form, missing, *flags, moments, str(value.get("layout", "")))
        raise DataError(f"expected the storage format of a column, got {value!r}")


def moments_of(texts: Iterable[str]) -> TextMoments | None:
    """Return the precision of dates in strings; None unless all are dates.

    Examples
    --------
    >>> moments_of(["2024-02-29"]), moments_of(["2024-02-29", "2024-03-01 12:30"]), moments_of(["soon"])
    ('day', 'clock', None)
    """
    known = list(texts)
    return next((form for form, like in _MOMENTS.items() if known and all(map(like.fullmatch, known))), None)
