"""Lines of text as spans with roles, so that the same lines can be printed plain or in colour.

The code that writes a line sets the role of each span (`TextSpan`); the code that prints it chooses a style or
ignores the role. Widths are measured in terminal cells: a Chinese character takes two, a combining accent none.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

__all__ = ["Line", "SpanRole", "TextSpan", "cells", "line_text", "wrapped_spans"]

SpanRole = Literal["plain", "edge", "yes", "no", "test", "answer", "figure", "caveat", "bar"]


class TextSpan(NamedTuple):
    """Part of a line of text, with a role that determines its colour.

    Parameters
    ----------
    text : str
    role : str
        An ``edge`` of the tree, a branch (``yes``, ``no``), a ``test``, an ``answer``, a ``figure``, a ``caveat``, or
        a piece of a ``bar``.
    code : int, optional
        Code of the class that the span refers to.
    """

    text: str
    role: SpanRole = "plain"
    code: int | None = None


Line = tuple[TextSpan, ...]


def line_text(line: Iterable[TextSpan]) -> str:
    """Return the plain text of a line.

    Examples
    --------
    >>> line_text((TextSpan("yes: ", "yes"), TextSpan("east 8/8", "answer", 0)))
    'yes: east 8/8'
    """
    return "".join(span.text for span in line).rstrip(" ")


def cells(text: str) -> int:
    """Return the width of a string in terminal cells.

    Examples
    --------
    >>> cells("train"), cells("列車"), cells("e\\u0301")
    (5, 4, 1)
    """
    return len(text) if text.isascii() else sum(map(_cells_of, text))


def _cells_of(char: str) -> int:
    if unicodedata.combining(char) or char in "\u200c\u200d\ufe0f":
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def wrapped_spans(spans: Sequence[TextSpan], first: int, others: int, *, break_words: bool) -> list[Line]:
    """Wrap spans into lines, with one space between words and two between spans.

    The first line is at most `first` cells wide, the others `others`. A span that does not fit on the rest of a line
    starts a new one. With `break_words`, a word longer than any line is broken; otherwise its line overflows.

    Examples
    --------
    >>> spans = [TextSpan("some car is long"), TextSpan("[gap 0.1]")]
    >>> [line_text(line) for line in wrapped_spans(spans, 12, 12, break_words=True)]
    ['some car is', 'long', '[gap 0.1]']
    """
    lines: list[list[TextSpan]] = [[]]
    used, room = 0, first
    for span in (span for span in spans if span.text):
        is_begun, is_new = False, bool(used) and used + 2 + cells(span.text) > room
        for word in _pieces(span.text, min(first, others), break_words):
            blank = " " if is_begun else "  " if used else ""
            if is_new or (used and used + len(blank) + cells(word) > room):
                lines.append([])
                used, room, blank, is_begun, is_new = 0, others, "", False, False
            before = lines[-1].pop().text if is_begun else ""
            lines[-1].append(span._replace(text=before + blank + word))
            used, is_begun = used + len(blank) + cells(word), True
    return [tuple(line) for line in lines]


def _pieces(text: str, room: int, break_words: bool) -> Iterator[str]:
    """Yield the words of a text; with `break_words`, long words are broken into pieces."""
    for word in text.split(" "):
        piece = ""
        for char in word if break_words and cells(word) > room else ():
            if piece and cells(piece) + cells(char) > room:
                yield piece
                piece = ""
            piece += char
        yield piece or word
