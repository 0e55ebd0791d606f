"""Lines of text whose parts have roles, so that the same lines are printed plain or in colour.

What makes text decides what each part is (`TextSpan`); what prints it decides how that looks, or ignores it. Widths
are those of a terminal: a Chinese character takes two cells, an accent none.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

__all__ = ["Line", "SpanRole", "TextSpan", "cells", "line_text", "wrapped_spans"]

SpanRole = Literal["plain", "edge", "yes", "no", "test", "answer", "figure", "doubt", "bar"]


class TextSpan(NamedTuple):
    """Part of a line.

    Parameters
    ----------
    text : str
    role : str
        What it is: an ``edge`` of the tree, a side (``yes``, ``no``), a ``test``, an ``answer``, a ``figure``, a
        ``caveat``, or a part of a ``bar``.
    code : int, optional
        Of the class that it is about.
    """

    text: str
    role: SpanRole = "plain"
    code: int | None = None


Line = tuple[TextSpan, ...]


def line_text(line: Iterable[TextSpan]) -> str:
    """Return a line without its roles.

    Examples
    --------
    >>> line_text((TextSpan("yes: ", "yes"), TextSpan("east 8/8", "answer", 0)))
    'yes: east 8/8'
    """
    return "".join(span.text for span in line).rstrip(" ")


def cells(text: str) -> int:
    """Return how many cells of a terminal a text takes.

    Examples
    --------
    >>> cells("train"), cells("列車"), cells("e\\u0301")
    (5, 4, 1)
    """
    return len(text) if text.isascii() else sum(map(_cells_of, text))


def _cells_of(sign: str) -> int:
    if unicodedata.combining(sign) or sign in "\u200c\u200d\ufe0f":
        return 0
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 1


def wrapped_spans(spans: Sequence[TextSpan], first: int, others: int, *, break_words: bool) -> list[Line]:
    """Return spans in lines, with a blank between words and two between spans.

    The first line has so many cells, and each of the others so many. A span that does not fit behind the one before
    it begins a line. With `break_words` a word that is too long for any line is divided; else its line is longer.

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
    """Yield the words of a text; those that are too long in pieces, if they may be divided."""
    for word in text.split(" "):
        piece = ""
        for sign in word if break_words and cells(word) > room else ():
            if piece and cells(piece) + cells(sign) > room:
                yield piece
                piece = ""
            piece += sign
        yield piece or word
