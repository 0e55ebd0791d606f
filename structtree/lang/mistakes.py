"""Messages about a text that cannot be parsed, in words a reader of the language knows.

Brackets and quotes are matched first, in one scan over the text. For anything else the parser knows which
terminals could have come; here they are gathered into a few phrases, and the usual slips get a hint.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from structtree.errors import GrammarError
from structtree.lang import syntax as syn

__all__ = ["MAX_BRACKET_DEPTH", "Word", "check_brackets", "error_at", "place_at", "sentence"]

MAX_BRACKET_DEPTH = 50
"""How deep brackets may nest: far more than anyone reads, and safe for everything that recurs over syntax."""

# One character at a time: where a quote is not closed, a run of several would be divided in every possible way.
_SCAN = re.compile(r'#[^\n]*|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\\n]|\\.)*`|["`(){}\[\]]')
_CLOSES = {")": "([", "]": "[", "}": "{"}  # an interval may be [low, high)
_CLOSED_BY = {"(": "')'", "[": "']' or ')'", "{": "'}'"}


class Word(NamedTuple):
    """A piece of text with the name of its terminal; "" when it is none."""

    terminal: str
    text: str


def place_at(text: str, position: int) -> syn.Location:
    """The line and column of a position in a text.

    Examples
    --------
    >>> place_at("one\\ntwo", 5)
    Location(line=2, column=2)
    """
    return syn.Location(text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position))


def error_at(place: syn.Location | None, message: str, source: str = "", text: str | None = None) -> GrammarError:
    """Return an error that points at a place in a text, if there is one."""
    line, column = (place.line, place.column) if place else (None, None)
    return GrammarError(message, source, line, column, text)


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
            if len(opened) > MAX_BRACKET_DEPTH:
                raise _error(
                    f"brackets nest more than {MAX_BRACKET_DEPTH} deep; name parts with 'define'", text, position
                )
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
    return error_at(place_at(text, position), message, "<grammar>")


# ---- what could have come -------------------------------------------------------------------------------

# A phrase stands for all its terminals, when all of them could have come. Tried from the top. After a slash: what
# comes along with a phrase already said, or is too marginal to mention.
_PHRASES = (
    ("a value, '*', or a value list", "NAME STRING NUMBER STAR LBRACE / DATE _BINS _QUANTILES _ITS _MY"),
    (
        "a test, or a value for a definition",
        "_TOP _NOT NAME BACKTICKS GLOB LPAR _MISSING STEP QUANTIFIER STRING NUMBER LBRACE"
        " / COUNT DISTINCT AGGREGATE DATE _BINS _QUANTILES",
    ),
    ("a type", "KIND COLLECTION NAME / BACKTICKS STRING NUMBER"),
    (
        "a test",
        "_TOP _NOT NAME BACKTICKS GLOB LPAR _MISSING STEP QUANTIFIER / COUNT DISTINCT AGGREGATE SHARE LATEST TREND",
    ),
    ("a value", "NAME STRING NUMBER / DATE"),
    ("'*', a value list, an interval, bins(k) or quantiles(k)", "STAR LBRACE LSQB _BINS / _QUANTILES"),
    (
        "a declaration (type, individual, define, function, attribute, link, refine, limits, fact)",
        "_TYPE _REFINE / _INDIVIDUAL _DEFINE _FUNCTION _ATTRIBUTE _LINK LIMITS _FACT",
    ),
    ("a number, a value or '('", "NUMBER NAME LPAR MINUS / BACKTICKS _MY _ABS"),
    ("a link, '~' and a link, or '('", "NAME TILDE LPAR / BACKTICKS"),
    ("a name", "NAME BACKTICKS"),
    ("a name", "GRAMMAR_NAME"),
    ("a name", "NAME"),
    ("a comparison (=, !=, >=, <=, in)", "EQUAL UNEQUAL BOUND _IN"),
    ("'>=' or '<='", "BOUND"),
    ("'and'", "_AND"),
    ("'or'", "_OR"),
    ("'by'", "_BY"),
    ("'->'", "ARROW"),
    ("'key'", "KEY"),
    ("'many'", "MANY"),
    ("'one way' or 'both ways'", "WAY"),
    ("'='", "EQUAL"),
    ("'.'", "DOT"),
    ("'..'", "DOTS"),
    ("'of'", "_OF"),
    ("'where'", "_WHERE"),
    ("'with'", "_WITH"),
    ("'sorted by'", "_SORTED"),
    ("'by'", "_BY"),
    ("'descending'", "DESCENDING"),
    ("a sign (+, -, *, /)", "PLUS MINUS STAR SLASH"),
    ("'+'", "PLUS"),
    ("'?'", "QUESTION"),
    ("bool, int, real, date, time or nominal", "KIND"),
    ("nesting, literals or pairs", "LIMIT"),
    ("a number or a date", "NUMBER DATE"),
    ("a number", "NUMBER"),
    ("'('", "LPAR"),
    ("')' or ']'", "INTERVAL_END"),
    ("')'", "RPAR"),
    ("'{'", "LBRACE"),
    ("'}'", "RBRACE"),
    ("'['", "LSQB"),
    ("','", "COMMA"),
    ("':'", "COLON"),
    ("the end of the text", "$END"),
)
_KEYWORDS = {"_TOP", "_NOT", "_MISSING", "STEP", "QUANTIFIER", "COUNT", "DISTINCT", "AGGREGATE"}


_AFTER = {
    "my": "'my' stands on the right of a comparison, as in 'amount >= my limit'",
    "share": "a share has its condition in brackets, as in 'share payments (late) >= 0.5'",
}
"""Words that are names where they do not stand as they should, so that the error comes later, with what to say."""


def sentence(accepted: Iterable[str], words: Sequence[Word], came: Word) -> str:
    """Say what was expected, after what, and what came instead.

    Parameters
    ----------
    accepted : iterable of str
        The terminals that could have come.
    words : sequence of Word
        The words that were understood, at least the last few of them.
    came : Word
        The word, or the single character, that was not.

    Examples
    --------
    >>> sentence({"BOUND"}, [Word("RPAR", ")")], Word("EQUAL", "="))
    "expected '>=' or '<=' after ')', got '='"
    """
    before = words[-1] if words else None
    phrases = _phrases(set(accepted))
    expected = " or ".join((", ".join(phrases[:-1]), phrases[-1]) if len(phrases) > 1 else phrases)
    after = f" after {_quoted(before.text)}" if before else ""
    got = "the text ended" if came.terminal == "$END" else f"got {_quoted(came.text)}"
    return f"expected {expected}{after}, {got}{_earlier_hint(words, came) or _hint(before, came)}"


def _earlier_hint(words: Sequence[Word], came: Word) -> str:
    """Return what to say of two names side by side, shortly before the error, if the first is a word."""
    for one, other in pairwise((*words[-6:], came)):
        if one.terminal == other.terminal == "NAME" and one.text in _AFTER:
            return f"; {_AFTER[one.text]}"
    return ""


def _phrases(accepted: set[str], most: int = 5) -> list[str]:
    phrases: list[str] = []
    for phrase, terminals in _PHRASES:
        own, _, implied = terminals.partition("/")
        if accepted.issuperset(own.split()):
            accepted = accepted.difference(own.split(), implied.split())
            phrases.append(phrase)
    return phrases[:most] or ["something else"]


def _quoted(text: str) -> str:
    short = text if len(text) <= 30 else f"{text[:27]}..."
    return f"'{short}'" if short.isprintable() else repr(short)


def _hint(before: Word | None, came: Word) -> str:
    after_name = before is not None and before.terminal in ("NAME", "GLOB")
    match came.text:
        case "<" | ">":
            return f"; write '{came.text}=', or 'not ... {'<' if came.text == '>' else '>'}='"
        case "=" if before is not None and before.text == "=":
            return "; write '=' once"
        case "-" if after_name and before is not None:
            return f"; a name with a '-' stands in backticks: `{before.text}-...`"
        case "(" if after_name:
            return "; links stand one inside the other: a (b (...)), and 'not' before a bracket: not (a (...))"
        case "'":
            return '; text stands in double quotes: "..."'
        case "says":
            return "; a phrase stands after it in double quotes"
        case "&" | "|":
            return f"; write '{'and' if came.text == '&' else 'or'}'"
        case _ if before is not None and before.terminal in _KEYWORDS and came.terminal in ("BOUND", "EQUAL", "_IN"):
            return f"; to use the word {before.text!r} as a name put it in backticks: `{before.text}`"
        case _:
            return ""
