"""What is said about a text that cannot be parsed, in words a reader of the language knows.

Brackets and quotes are matched first, in one scan over the text. For anything else the parser knows which
terminals could have come; here they are gathered into a few phrases, and the usual slips get a hint.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from structtree.errors import GrammarError
from structtree.lang.syntax import Place

__all__ = ["MAX_DEPTH", "Word", "check_brackets", "place_at", "sentence"]

MAX_DEPTH = 50
"""How deep brackets may nest: far more than anyone reads, and safe for everything that recurs over syntax."""

_SCAN = re.compile(r'#[^\n]*|"(?:[^"\\\n]+|\\.)*"|`(?:[^`\\\n]+|\\.)*`|["`(){}\[\]]')
_CLOSES = {")": "([", "]": "[", "}": "{"}  # an interval may be [low, high)
_CLOSED_BY = {"(": "')'", "[": "']' or ')'", "{": "'}'"}


class Word(NamedTuple):
    """A piece of text with the name of its terminal; "" when it is none."""

    terminal: str
    text: str


def place_at(text: str, position: int) -> Place:
    """The line and column of a position in a text.

    Examples
    --------
    >>> place_at("one\\ntwo", 5)
    Place(line=2, column=2)
    """
    return Place(text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position))


def check_brackets(text: str) -> None:
    """Raise a GrammarError for a quote or bracket that is not closed, closes nothing, or nests too deep.

    Examples
    --------
    >>> check_brackets("refine Car { top -> exists loads (top }")
    Traceback (most recent call last):
    structtree.errors.GrammarError: <grammar>:1:39: expected ')' to close the '(' of line 1, got '}'
    """
    opened: list[tuple[str, int]] = []
    for found in _SCAN.finditer(text):
        sign, position = found[0], found.start()
        if sign in ('"', "`"):
            what = "text" if sign == '"' else "name"
            raise _error(f"this {what} is never closed: expected another {sign} on the same line", text, position)
        if sign in _CLOSED_BY:
            opened.append((sign, position))
            if len(opened) > MAX_DEPTH:
                raise _error(f"brackets nest more than {MAX_DEPTH} deep; name parts with 'define'", text, position)
        elif sign in _CLOSES:
            _close(opened, sign, text, position)
    if opened:
        sign, position = opened[-1]
        raise _error(f"this '{sign}' is never closed: expected {_CLOSED_BY[sign]}", text, position)


def _close(opened: list[tuple[str, int]], sign: str, text: str, position: int) -> None:
    if not opened:
        raise _error(f"this '{sign}' closes nothing", text, position)
    bracket, start = opened.pop()
    if bracket not in _CLOSES[sign]:
        line = place_at(text, start).line
        expected = _CLOSED_BY[bracket]
        raise _error(f"expected {expected} to close the '{bracket}' of line {line}, got '{sign}'", text, position)


def _error(message: str, text: str, position: int) -> GrammarError:
    place = place_at(text, position)
    return GrammarError(message, line=place.line, column=place.column)


# ---- what could have come -------------------------------------------------------------------------------

# A phrase stands for all its terminals, when all of them could have come. Tried from the top.
_PHRASES: tuple[tuple[str, frozenset[str]], ...] = (
    ("a value, '*', or a value list", frozenset({"NAME", "STRING", "NUMBER", "STAR", "LBRACE"})),
    ("a type", frozenset({"KIND", "COLLECTION", "NAME"})),
    (
        "a test",
        frozenset({"_TOP", "_NOT", "NAME", "BACKTICKS", "GLOB", "LPAR", "_MISSING", "STEP", "QUANTIFIER"}),
    ),
    ("a value", frozenset({"NAME", "STRING", "NUMBER"})),
    ("'*', a value list, an interval, bins(k) or quantiles(k)", frozenset({"STAR", "LBRACE", "LSQB", "_BINS"})),
    ("a declaration (type, individual, define, function, refine, limits)", frozenset({"_TYPE", "_REFINE"})),
    ("a name", frozenset({"NAME", "BACKTICKS"})),
    ("a name", frozenset({"GRAMMAR_NAME"})),
    ("a name", frozenset({"NAME"})),
    ("a comparison (=, !=, >=, <=, in)", frozenset({"EQUAL", "UNEQUAL", "BOUND", "_IN"})),
    ("'>=' or '<='", frozenset({"BOUND"})),
    ("'and'", frozenset({"_AND"})),
    ("'or'", frozenset({"_OR"})),
    ("'->'", frozenset({"ARROW"})),
    ("'='", frozenset({"EQUAL"})),
    ("'.'", frozenset({"DOT"})),
    ("'..'", frozenset({"DOTS"})),
    ("'of'", frozenset({"_OF"})),
    ("bool, int, real or nominal", frozenset({"KIND"})),
    ("nesting or literals", frozenset({"LIMIT"})),
    ("a number", frozenset({"NUMBER"})),
    ("'('", frozenset({"LPAR"})),
    ("')' or ']'", frozenset({"INTERVAL_END"})),
    ("')'", frozenset({"RPAR"})),
    ("'{'", frozenset({"LBRACE"})),
    ("'}'", frozenset({"RBRACE"})),
    ("'['", frozenset({"LSQB"})),
    ("','", frozenset({"COMMA"})),
    ("':'", frozenset({"COLON"})),
    ("the end of the text", frozenset({"$END"})),
)
# What comes along with a phrase already said, or is too marginal to mention.
_IMPLIED = {
    "a test": {"COUNT", "DISTINCT", "AGGREGATE"},
    "a value, '*', or a value list": {"_BINS", "_QUANTILES"},
    "'*', a value list, an interval, bins(k) or quantiles(k)": {"_QUANTILES"},
    "a type": {"BACKTICKS", "STRING", "NUMBER"},
    "a declaration (type, individual, define, function, refine, limits)": {
        "_INDIVIDUAL",
        "_DEFINE",
        "_FUNCTION",
        "LIMITS",
    },
}
_KEYWORDS = {"_TOP", "_NOT", "_MISSING", "STEP", "QUANTIFIER", "COUNT", "DISTINCT", "AGGREGATE"}


def sentence(accepted: Iterable[str], before: Word | None, came: Word) -> str:
    """What was expected, after what, and what came instead.

    Parameters
    ----------
    accepted : iterable of str
        The terminals that could have come.
    before : Word or None
        The last word that was understood.
    came : Word
        The word, or the single character, that was not.

    Examples
    --------
    >>> sentence({"BOUND"}, Word("RPAR", ")"), Word("EQUAL", "="))
    "expected '>=' or '<=' after ')', got '='"
    """
    phrases = _phrases(set(accepted))
    expected = " or ".join((", ".join(phrases[:-1]), phrases[-1]) if len(phrases) > 1 else phrases)
    after = f" after {_quoted(before.text)}" if before else ""
    got = "the text ended" if came.terminal == "$END" else f"got {_quoted(came.text)}"
    return f"expected {expected}{after}, {got}{_hint(before, came)}"


def _phrases(accepted: set[str], most: int = 5) -> list[str]:
    phrases: list[str] = []
    for phrase, terminals in _PHRASES:
        if terminals <= accepted:
            accepted = accepted - terminals - _IMPLIED.get(phrase, set())
            phrases.append(phrase)
    return phrases[:most] or ["something else"]


def _quoted(text: str) -> str:
    short = text if len(text) <= 30 else f"{text[:27]}..."
    return f"'{short}'" if short.isprintable() else repr(short)


def _hint(before: Word | None, came: Word) -> str:
    after_name = before is not None and before.terminal in ("NAME", "GLOB")
    match came.text:
        case "<" | ">":
            return f"; write '{came.text}='"
        case "=" if before is not None and before.text == "=":
            return "; write '=' once"
        case "-" if after_name and before is not None:
            return f"; a name with a '-' stands in backticks: `{before.text}-...`"
        case "(" if after_name:
            return "; links stand one inside the other: a (b (...)), and 'not' before a bracket: not (a (...))"
        case "'":
            return '; text stands in double quotes: "..."'
        case "&" | "|":
            return f"; write '{'and' if came.text == '&' else 'or'}'"
        case _ if before is not None and before.terminal in _KEYWORDS and came.terminal in ("BOUND", "EQUAL", "_IN"):
            return f"; to use the word {before.text!r} as a name put it in backticks: `{before.text}`"
        case _:
            return ""
