"""Conversion of dates and times between numbers, Python values and text.

A ``date`` is stored as days since 1970-01-01, a ``time`` as seconds since then in UTC, with microseconds. By default
text must be ISO 8601: ``2024-12-31``, ``2024-12-31 12:30``, ``2024-12-31T12:30:05.25``, optionally with ``Z`` or an
offset such as ``+02:00``. ``0000-00-00``, which some databases write, is a missing date. Attributes declared as dates
may also be written as ``2024-3-1``, ``2024/03/01``, ``1 March 2024``, ``01-MAR-2024`` or ``March 1, 2024``; if the
layout is declared, with the day or the month first (``31.12.2024``, ``12/31/2024``), or in any format of
`datetime.strptime` (``991231``). Years range from 1 to 9999.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "DAY",
    "DAY_FIRST",
    "MONTH_FIRST",
    "MomentKind",
    "UtcSeconds",
    "are_iso",
    "between",
    "is_no_date",
    "kind_of_seconds",
    "layouts_of",
    "moment_of",
    "moment_text",
    "moment_value",
    "numbers_of_dates",
    "part_numbers",
    "pattern_example",
    "pattern_of_digits",
    "text_of",
    "to_kind",
]

MomentKind = Literal["date", "time"]

DAY = 86_400.0
"""Seconds per day."""

DAY_FIRST = "day-first"
"""Layout of dates such as 31.12.2024."""

MONTH_FIRST = "month-first"
"""Layout of dates such as 12/31/2024."""

_EPOCH = datetime(1970, 1, 1)
_MICROSECOND = timedelta(microseconds=1)
_CLOCK = r"(?P<clock>\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)"
_ZONE = r"(?P<zone>Z|[+-]\d{2}:?\d{2})"
_ISO = re.compile(rf"(?P<day>\d{{4}}-\d{{2}}-\d{{2}})(?:[T ]{_CLOCK}\s*{_ZONE}?)?", re.ASCII)
_NO_DATE = re.compile(r"0000-00-00(?:[T ][0:.]*)?")
_ANY_CLOCK = r"(?P<clock>\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)\s*(?P<half>[AaPp][Mm])?"
_LATER = rf"(?:,?[T ]\s*{_ANY_CLOCK}\s*{_ZONE}?)?"
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAME = "(?P<name>[A-Za-z]{3,9})"
_TEXTS: Mapping[str, Sequence[str]] = {
    "": (
        r"(?P<y>\d{4})([./-])(?P<m>\d{1,2})\2(?P<d>\d{1,2})",
        rf"(?P<d>\d{{1,2}})[ -]{_NAME}[.,]?[ -](?P<y>\d{{4}})",
        rf"{_NAME}\.? ?(?P<d>\d{{1,2}}),? ?(?P<y>\d{{4}})",
    ),
    DAY_FIRST: (r"(?P<d>\d{1,2})([./-])(?P<m>\d{1,2})\2(?P<y>\d{4})",),
    MONTH_FIRST: (r"(?P<m>\d{1,2})([./-])(?P<d>\d{1,2})\2(?P<y>\d{4})",),
}
_FORMS = {layout: [re.compile(text + _LATER, re.ASCII) for text in texts] for layout, texts in _TEXTS.items()}


class UtcSeconds(float):
    """A date or time in seconds since 1970, with a flag for values that had a time zone."""

    __slots__ = ("is_aware",)
    is_aware: bool

    def __new__(cls, seconds: float, is_aware: bool = False) -> UtcSeconds:
        """Create a time from seconds since 1970."""
        made = super().__new__(cls, seconds)
        made.is_aware = is_aware
        return made


def is_no_date(text: str) -> bool:
    """Return whether a string is a zero date, which some databases write for missing dates.

    Examples
    --------
    >>> is_no_date("0000-00-00"), is_no_date("0000-00-00 00:00:00"), is_no_date("2000-01-01")
    (True, True, False)
    """
    return _NO_DATE.fullmatch(text.strip()) is not None


def moment_of(value: Any, *, layout: str = "") -> UtcSeconds:
    """Convert a string, a Python date or a numpy datetime to seconds since 1970; NaN for ``0000-00-00``.

    Parameters
    ----------
    value : str, date or number
        Numbers are allowed only with a format as layout.
    layout : str
        Empty for a year first or a month name, ``day-first``, ``month-first``, or a format such as ``%y%m%d``.

    Raises
    ------
    ValueError
        If the value is not a date or time.

    Examples
    --------
    >>> moment_of("1970-01-02"), moment_of("1970-01-01T01:00+01:00").is_aware
    (86400.0, True)
    >>> moment_of("31.12.1970", layout=DAY_FIRST) == moment_of("31-DEC-1970") == moment_of(date(1970, 12, 31))
    True
    >>> moment_of(700102, layout="%y%m%d")
    86400.0
    """
    if isinstance(value, str) and is_no_date(value):
        return UtcSeconds(np.nan)
    if "%" in layout and isinstance(value, str | int | float | np.integer | np.floating):
        return moment_of(datetime.strptime(_digits(value, layout), layout))
    if isinstance(value, str):
        return _of_text(value.strip(), layout)
    if isinstance(value, np.datetime64):
        value = value.astype("datetime64[us]").item()
    if isinstance(value, datetime):
        plain = value if value.tzinfo is None else value.astimezone(UTC).replace(tzinfo=None)
        return UtcSeconds((plain - _EPOCH) // _MICROSECOND / 1e6, value.tzinfo is not None)
    if isinstance(value, date):
        return UtcSeconds((value.toordinal() - _EPOCH.toordinal()) * DAY)
    raise ValueError("neither a date nor a time")


def _digits(value: Any, pattern: str) -> str:
    """Return a date as stripped text, with leading zeros if it is a number shorter than the format."""
    return value.strip() if isinstance(value, str) else f"{int(value):0{len(pattern_example(pattern))}d}"


def pattern_example(pattern: str) -> str:
    """Return the last day of 1999 in a format of `datetime.strptime`.

    Raises
    ------
    ValueError
        If the format does not contain a complete date.

    Examples
    --------
    >>> pattern_example("%y%m%d"), pattern_example("%d %b %Y")
    ('991231', '31 Dec 1999')
    """
    day = datetime(1999, 12, 31)
    text = day.strftime(pattern)
    if datetime.strptime(text, pattern) != day:
        raise ValueError("not a complete date")
    return text


def pattern_of_digits(text: str) -> str | None:
    """Return the format of a date that consists of digits with the year first, or None.

    Examples
    --------
    >>> pattern_of_digits("991231"), pattern_of_digits("19991231"), pattern_of_digits("999999")
    ('%y%m%d', '%Y%m%d', None)
    """
    pattern = {6: "%y%m%d", 8: "%Y%m%d"}.get(len(text)) if text.isdecimal() else None
    try:
        return pattern if pattern is not None and datetime.strptime(text, pattern) else None
    except ValueError:
        return None


def _of_text(text: str, layout: str) -> UtcSeconds:
    found = _ISO.fullmatch(text) if not layout else None
    if found is not None:
        return _of_parts(found["day"], found["clock"], found["zone"])
    for form in _FORMS[layout]:
        found = form.fullmatch(text)
        if found is not None:
            clock = found["clock"] and _to_24_hours(found["clock"], found["half"])
            return _of_parts(f"{found['y']}-{_month(found):02}-{int(found['d']):02}", clock, found["zone"])
    raise ValueError("neither a date nor a time")


def _of_parts(day: str, clock: str | None, zone: str | None) -> UtcSeconds:
    if is_no_date(day):
        return UtcSeconds(np.nan)
    if clock is None:
        return moment_of(date.fromisoformat(day))
    return moment_of(datetime.fromisoformat(f"{day}T{clock}{(zone or '').replace('Z', '+00:00')}"))


def _month(found: re.Match[str]) -> int:
    """Return the number of a month, which may be written as a name."""
    if "name" not in found.re.groupindex:
        return int(found["m"])
    name = found["name"].lower()
    number = _MONTHS.index(name[:3]) + 1  # ValueError for other words
    if not calendar.month_name[number].lower().startswith(name) and name != "sept":
        raise ValueError("not a month")
    return number


def _to_24_hours(clock: str, half: str | None) -> str:
    """Return a time of a 12-hour or 24-hour clock with two digits for the hour, from 00 to 23."""
    hour, rest = clock.split(":", 1)
    if half is None:
        return f"{int(hour):02}:{rest}"
    if not 1 <= int(hour) <= 12:
        raise ValueError("not an hour")
    return f"{int(hour) % 12 + 12 * (half.lower() == 'pm'):02}:{rest}"


def layouts_of(texts: Collection[str]) -> list[str]:
    """Return the layouts in which all strings are dates.

    Examples
    --------
    >>> layouts_of(["1978-8-1"]), layouts_of(["17-MAR-2002"]), layouts_of(["soon"])
    ([''], [''], [])
    >>> layouts_of(["1/2/2003"]), layouts_of(["1/2/2003", "8/30/2003"])
    (['day-first', 'month-first'], ['month-first'])
    """
    return [layout for layout in _FORMS if texts and all(_is_moment(text, layout) for text in texts)]


def _is_moment(text: str, layout: str) -> bool:
    try:
        return moment_of(text, layout=layout) is not None
    except ValueError:
        return False


def are_iso(texts: Sequence[str]) -> bool:
    """Return whether all strings are ISO 8601 dates or times, ignoring zero dates.

    Examples
    --------
    >>> are_iso(["2024-02-29", "2024-03-01 12:30"]), are_iso(["2024-02-30"]), are_iso(["2024"]), are_iso([])
    (True, False, False, False)
    >>> are_iso(["2024-02-29", "0000-00-00"]), are_iso(["2024-3-1"])
    (True, False)
    """
    written = [text.strip() for text in texts if not is_no_date(text)]
    return bool(written) and all(_ISO.fullmatch(text) is not None and _is_moment(text, "") for text in written)


def kind_of_seconds(seconds: NDArray[np.float64]) -> MomentKind:
    """Return "date" if all values are at midnight, else "time".

    Examples
    --------
    >>> kind_of_seconds(np.array([0.0, 86400.0, np.nan])), kind_of_seconds(np.array([60.0]))
    ('date', 'time')
    """
    return "time" if np.any((seconds % DAY)[~np.isnan(seconds)]) else "date"


def to_kind(seconds: NDArray[np.float64], kind: MomentKind) -> NDArray[np.float64]:
    """Convert seconds to the numbers in a column: whole days for dates, seconds for times.

    Examples
    --------
    >>> to_kind(np.array([90000.0]), "date").tolist(), to_kind(np.array([90000.0]), "time").tolist()
    ([1.0], [90000.0])
    """
    return np.asarray(np.floor(seconds / DAY)) if kind == "date" else seconds


def numbers_of_dates(moments: NDArray[np.datetime64]) -> NDArray[np.float64]:
    """Convert numpy datetimes to seconds since 1970, NaN for NaT.

    Examples
    --------
    >>> numbers_of_dates(np.array(["1970-01-02", "NaT"], dtype="datetime64[D]")).tolist()
    [86400.0, nan]
    """
    exact = moments.astype("datetime64[us]")
    return np.where(np.isnat(exact), np.nan, exact.astype(np.int64) / 1e6)


def part_numbers(moments: NDArray[np.float64], kind: MomentKind, part: str) -> NDArray[np.float64]:
    """Return a part of dates or times, NaN where missing; weekdays are numbered from 0 for Monday.

    Examples
    --------
    >>> days = np.array([moment_of("2024-03-01") / DAY, np.nan])
    >>> {part: part_numbers(days, "date", part).tolist() for part in ("weekday", "day", "month", "year")}
    {'weekday': [4.0, nan], 'day': [1.0, nan], 'month': [3.0, nan], 'year': [2024.0, nan]}
    >>> part_numbers(np.array([-60.0]), "time", "hour").tolist()
    [23.0]
    """
    is_missing = np.isnan(moments)
    present = np.where(is_missing, 0.0, moments)
    days = np.floor(present / DAY if kind == "time" else present).astype(np.int64)
    dates = days.astype("datetime64[D]")
    months = dates.astype("datetime64[M]")
    match part:
        case "weekday":
            found = (days + _EPOCH.weekday()) % 7
        case "day":
            found = (dates - months.astype("datetime64[D]")).astype(np.int64) + 1
        case "month":
            found = months.astype(np.int64) % 12 + 1
        case "year":
            found = dates.astype("datetime64[Y]").astype(np.int64) + _EPOCH.year
        case _:
            found = np.floor((present - days * DAY) / 3600).astype(np.int64)
    return np.where(is_missing, np.nan, found.astype(np.float64))


def moment_value(number: float, kind: MomentKind) -> date | datetime:
    """Convert the number of a date or time in a column to a Python date or naive datetime.

    Examples
    --------
    >>> moment_value(1.0, "date"), moment_value(60.0, "time")
    (datetime.date(1970, 1, 2), datetime.datetime(1970, 1, 1, 0, 1))
    """
    if kind == "date":
        return date.fromordinal(int(number) + _EPOCH.toordinal())
    return _EPOCH + timedelta(microseconds=round(number * 1e6))


def moment_text(number: float, kind: MomentKind) -> str:
    """Format a date or time from its number in a column, without seconds or fractions that are zero.

    Examples
    --------
    >>> moment_text(19783.0, "date"), moment_text(60.0, "time"), moment_text(61.25, "time")
    ('2024-03-01', '1970-01-01 00:01', '1970-01-01 00:01:01.250')
    """
    value = moment_value(number, kind)
    if not isinstance(value, datetime):
        return value.isoformat()
    small = value.microsecond
    unit = "minutes" if not (small or value.second) else "seconds" if not small else "milliseconds"
    return value.isoformat(" ", "microseconds" if small % 1000 else unit)


def text_of(value: date | np.datetime64) -> str:
    """Format a Python or numpy date or datetime.

    Examples
    --------
    >>> text_of(date(2024, 3, 1)), text_of(datetime(2024, 3, 1))
    ('2024-03-01', '2024-03-01 00:00')
    """
    seconds = moment_of(value)
    is_time = isinstance(value, datetime) or bool(seconds % DAY)
    return moment_text(seconds, "time") if is_time else moment_text(seconds / DAY, "date")


def between(low: NDArray[np.float64], high: NDArray[np.float64], kind: MomentKind, op: str) -> NDArray[np.float64]:
    """Return a threshold between each pair of values, if possible the start of a year, month, day or hour.

    Round thresholds must be in the middle half of the gap. For ``<=`` dates, the threshold is the day before.

    Examples
    --------
    >>> two = np.array([moment_of("1989-11-20"), moment_of("1990-04-03")]) / DAY
    >>> [moment_text(between(two[:1], two[1:], "date", op)[0], "date") for op in (">=", "<=")]
    ['1990-01-01', '1989-12-31']
    """
    scale = DAY * 1e6 if kind == "date" else 1e6  # everything below is in microseconds
    tick = round(scale) if kind == "date" else 1
    first, last = (np.round(ends * scale).astype(np.int64) for ends in (low, high))
    middle = first + (last - first) // 2
    found = -(-middle // tick) * tick
    is_open = np.ones(len(low), dtype=np.bool_)
    for unit in ("Y", "M", "D") if kind == "date" else ("Y", "M", "D", "h", "m", "s"):
        nearest = _nearest(middle, unit)
        good = is_open & (np.abs(nearest - middle) <= (last - first) // 4)
        found, is_open = np.where(good, nearest, found), is_open & ~good
    numbers = found / scale
    if kind == "date":
        return np.asarray(numbers if op == ">=" else numbers - 1.0)
    stuck = (numbers <= low) if op == ">=" else (numbers >= high)
    return np.where(stuck, high if op == ">=" else low, numbers)


def _nearest(middle: NDArray[np.int64], unit: str) -> NDArray[np.int64]:
    """Return the starts of the given unit (year, month and so on) that are nearest to times in microseconds."""
    own = middle.astype("datetime64[us]").astype(f"datetime64[{unit}]")
    before, after = (each.astype("datetime64[us]").astype(np.int64) for each in (own, own + 1))
    return np.where(middle - before < after - middle, before, after)
