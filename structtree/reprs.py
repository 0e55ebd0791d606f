"""Short ``repr`` of results: one line with the type and a few facts."""

from __future__ import annotations

from collections.abc import Iterable, Sized
from itertools import islice

__all__ = ["Viewed", "inert", "names_text", "number_text", "seconds_text", "short_repr"]

MAX_CHARACTERS = 240
"""Maximum length of a repr; the rest is truncated."""

MAX_NAMES = 6
"""Maximum number of names to show."""


class Viewed:
    """Mixin for results with an HTML view in notebooks; see `structtree.report.html.notebook`."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        import structtree  # the top-level package loads the view on demand

        return structtree.html_view(self)


def short_repr(value: object, *facts: str) -> str:
    """Return one line with the type of a value and facts about it, truncated if too long.

    Examples
    --------
    >>> short_repr(1, "odd", "", "positive")
    '<int: odd, positive>'
    """
    text = " ".join(f"{type(value).__name__}: {', '.join(filter(None, facts))}".split())
    return f"<{text if len(text) <= MAX_CHARACTERS else text[: MAX_CHARACTERS - 1] + '…'}>"


def number_text(things: int | Sized, one: str, several: str | None = None) -> str:
    """Format a count with its noun in the singular or plural.

    Examples
    --------
    >>> number_text(1, "leaf", "leaves"), number_text(1200, "leaf", "leaves"), number_text([], "name")
    ('1 leaf', '1,200 leaves', '0 names')
    """
    n = things if isinstance(things, int) else len(things)
    return f"{n:,} {one if n == 1 else several or one + 's'}"


def names_text(names: Iterable[object]) -> str:
    """Join the first few names, followed by "…" if there are more.

    Examples
    --------
    >>> names_text("abc"), names_text(range(100))
    ('a, b, c', '0, 1, 2, 3, 4, 5, …')
    """
    first = [str(name) for name in islice(names, MAX_NAMES + 1)]
    return ", ".join(first if len(first) <= MAX_NAMES else [*first[:MAX_NAMES], "…"])


def inert(text: str) -> str:
    """Escape characters that control a terminal or change the text direction.

    Joiners, which combine the parts of an emoji, are kept.

    Examples
    --------
    >>> inert("red\\x1b[31m\\n\\u202ecar") == "red\\\\x1b[31m\\\\n\\\\u202ecar"
    True
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in _JOINERS else repr(char)[1:-1] for char in text)


_JOINERS = "\u200c\u200d"


def seconds_text(seconds: float) -> str:
    """Format seconds with two significant digits, or as an integer from 100 on.

    Examples
    --------
    >>> seconds_text(0.123), seconds_text(1234.5)
    ('0.12', '1,234')
    """
    return f"{seconds:,.0f}" if seconds >= 100 else f"{seconds:.2g}"
