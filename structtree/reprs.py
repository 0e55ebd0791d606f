"""Short ``repr`` of results: one line with the type and the facts that matter, however large the data."""

from __future__ import annotations

from collections.abc import Iterable, Sized
from itertools import islice

__all__ = ["Viewed", "inert", "names_text", "number_text", "short_repr"]

MAX_CHARACTERS = 240
"""The longest a repr may be; what follows is cut off."""

MAX_NAMES = 6
"""Names of a list that are shown."""


class Viewed:
    """Result that a notebook shows as more than a line; see `structtree.report.html.notebook`."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        import structtree  # which stands above all, and loads the view when it is asked for

        return structtree.html_view(self)


def short_repr(value: object, *facts: str) -> str:
    """Return a type's name and facts about a value of it as one line that is cut off where it gets too long.

    Examples
    --------
    >>> short_repr(1, "odd", "", "positive")
    '<int: odd, positive>'
    """
    text = " ".join(f"{type(value).__name__}: {', '.join(filter(None, facts))}".split())
    return f"<{text if len(text) <= MAX_CHARACTERS else text[: MAX_CHARACTERS - 1] + '…'}>"


def number_text(things: int | Sized, one: str, several: str | None = None) -> str:
    """Return how many things there are, with the noun in the right form.

    Examples
    --------
    >>> number_text(1, "leaf", "leaves"), number_text(1200, "leaf", "leaves"), number_text([], "name")
    ('1 leaf', '1,200 leaves', '0 names')
    """
    n = things if isinstance(things, int) else len(things)
    return f"{n:,} {one if n == 1 else several or one + 's'}"


def names_text(names: Iterable[object]) -> str:
    """Return the first few names, and "…" for the others.

    Examples
    --------
    >>> names_text("abc"), names_text(range(100))
    ('a, b, c', '0, 1, 2, 3, 4, 5, …')
    """
    first = [str(name) for name in islice(names, MAX_NAMES + 1)]
    return ", ".join(first if len(first) <= MAX_NAMES else [*first[:MAX_NAMES], "…"])


def inert(text: str) -> str:
    """Return a text without signs that control a terminal or turn the direction of reading: those are spelled out.

    What joins the parts of an emoji stays.

    Examples
    --------
    >>> inert("red\\x1b[31m\\n\\u202ecar") == "red\\\\x1b[31m\\\\n\\\\u202ecar"
    True
    """
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() or sign in _JOINERS else repr(sign)[1:-1] for sign in text)


_JOINERS = "\u200c\u200d"
