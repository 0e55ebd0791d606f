"""Columns as databases store them: all that must be known to ask in SQL for the values that a reader has made."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from structtree.errors import DataError

__all__ = ["Engine", "Stored", "TextMoments", "ValueClass", "moments_of"]

Engine = Literal["sqlite", "duckdb"]
"""A database that SQL is written for."""

TextMoments = Literal["day", "clock", "fraction"]
"""How text has dates: as days, with the time of the day, or with parts of a second."""

ValueClass = Literal["number", "moment", "text"]
"""What the values of a key are compared as."""

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
    """A column as a database has it.

    Parameters
    ----------
    form : str
        Of SQLite, what the values are: ``integer``, ``number``, ``text``, ``digits`` (whole numbers as text),
        ``numeric`` (numbers as text) or ``mixed``; of DuckDB the type of the column; empty if it is not known.
    missing : tuple of str
        Texts that stand for a missing value.
    padded : bool
        Whether some texts have blanks around them.
    collated : bool
        Whether the table may compare texts otherwise than sign by sign.
    moments : {"day", "clock", "fraction"}, optional
        How text has dates, if it has any.
    layout : str
        How dates are written, where somebody has said so; see `structtree.data.dates.moment_of`.

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
        """Return it as plain JSON values: a word, if that says all."""
        more: dict[str, Any] = {
            "missing": list(self.missing),
            "padded": self.padded,
            "collated": self.collated,
            "moments": self.moments,
            "layout": self.layout,
        }
        known = {name: value for name, value in more.items() if value}
        return {"form": self.form, **known} if known else self.form

    @classmethod
    def from_json(cls, value: Any) -> Stored:
        """Return what `to_json` has written."""
        match value:
            case str():
                return cls(value)
            case {"form": str(form)}:
                moments = value.get("moments")
                missing = tuple(map(str, value.get("missing", ())))
                flags = bool(value.get("padded")), bool(value.get("collated"))
                if moments is None or moments in get_args(TextMoments):
                    return cls(form, missing, *flags, moments, str(value.get("layout", "")))
        raise DataError(f"expected how a column is stored, got {value!r}")


def moments_of(texts: Iterable[str]) -> TextMoments | None:
    """Return how texts have dates; None if some have none.

    Examples
    --------
    >>> moments_of(["2024-02-29"]), moments_of(["2024-02-29", "2024-03-01 12:30"]), moments_of(["soon"])
    ('day', 'clock', None)
    """
    known = list(texts)
    return next((form for form, like in _MOMENTS.items() if known and all(map(like.fullmatch, known))), None)
