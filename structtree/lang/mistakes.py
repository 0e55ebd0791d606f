"""Error messages for text that cannot be parsed.

Brackets and quotes are matched first, in one scan of the text. For any other error, the message summarises the
terminals that the parser would have accepted in a few phrases, and adds a hint for common mistakes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import NamedTuple

from structtree.errors import GrammarError
from structtree.lang import syntax as syn

__all__ = ["MAX_BRACKET_DEPTH", "Word", "check_brackets", "error_at", "located", "place_at", "sentence"]

MAX_BRACKET_DEPTH = 50
"""Maximum nesting of brackets, so that recursion over the syntax cannot exhaust the stack."""

# One character at a time: with an unclosed quote, a repeated run would backtrack exponentially.
_SCAN = re.compile(r'#[^\n]*|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\\n]|\\.)*`|["`(){}\[\]]')
_CLOSES = {")": "([", "]": "[", "}": "{"}  # an interval may be [low, high)
_CLOSED_BY = {"(": "')'", "[": "']' or ')'", "{": "'}'"}


class Word(NamedTuple):
    """A token: its text and the name of its terminal ("" if no terminal matches)."""

    terminal: str
    text: str


def place_at(text: str, position: int) -> syn.Location:
    """Return the line and column of an offset in a text.

    Examples
    --------
    >>> place_at("one\\ntwo", 5)
    Location(line=2, column=2)
    """
    return syn.Location(text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position))


def error_at(place: syn.Location | None, message: str, source: str = "", text: str | None = None) -> GrammarError:
    """Return a GrammarError with a location (if known) and optional source; `located` adds source and text later."""
    line, column = (place.line, place.column) if place else (None, None)
    return GrammarError(message, source, line, column, text)


@contextmanager
def located(source: str, text: str | None) -> Iterator[None]:
    """Add the name and the text of a grammar to the errors raised inside this block."""
    try:
        yield
    except GrammarError as error:
        raise GrammarError(error.message, source, error.line, error.column, text) from None


def check_brackets(text: str) -> None:
    """Raise a GrammarError for an unbalanced quote or bracket, or for brackets that are nested too deeply.

    Examples
    --------
    >>> check_brackets("refine Car { top -> exists loads (top }")
    Traceback (most recent call last):
    structtree.errors.GrammarError: <grammar>:1:39: expected ')' to close the '(' on line 1, got '}'
    """
    opened: list[tuple[str, int]] = []
    for found in _SCAN.finditer(text):
        sign, position = found[0], found.start()
        if sign in ('"', "`"):
            what = "string" if sign == '"' else "name"
            raise _error(f"this {what} is not closed: expected another {sign} on the same line", text, position)
        if sign in _CLOSED_BY:
            opened.append((sign, position))
            if len(opened) > MAX_BRACKET_DEPTH:
                message = f"brackets are nested more than {MAX_BRACKET_DEPTH} deep; name parts with 'define'"
                raise _error(message, text, position)
        elif sign in _CLOSES:
            _close(opened, sign, text, position)
    if opened:
        sign, position = opened[-1]
        raise _error(f"this '{sign}' is not closed: expected {_CLOSED_BY[sign]}", text, position)


def _close(opened: list[tuple[str, int]], sign: str, text: str, position: int) -> None:
    if not opened:
        raise _error(f"unexpected '{sign}' without an opening bracket", text, position)
    bracket, start = opened.pop()
    if bracket not in _CLOSES[sign]:
        line = place_at(text, start).line
        expected = _CLOSED_BY[bracket]
        raise _error(f"expected {expected} to close the '{bracket}' on line {line}, got '{sign}'", text, position)


def _error(message: str, text: str, position: int) -> GrammarError:
    return error_at(place_at(text, position), message, "<grammar>")


# ---- expected terminals ---------------------------------------------------------------------------------

# A phrase is used if all of its terminals are accepted; phrases are tried from the top. Terminals after a slash are
# covered by the phrase, or too rare to mention.
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
    ("'descending'", "DESCENDING"),
    ("an operator (+, -, *, /)", "PLUS MINUS STAR SLASH"),
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
    "my": "'my' is allowed on the right of a comparison, as in 'amount >= my limit'",
    "share": "write the condition of a share in brackets, as in 'share payments (late) >= 0.5'",
}
"""Hints for keywords that are parsed as names when misplaced, so that the error is only found later."""


def sentence(accepted: Iterable[str], words: Sequence[Word], found: Word) -> str:
    """Return the message of a syntax error: the expected tokens, the word before, and the token found.

    Parameters
    ----------
    accepted : iterable of str
        The terminals that the parser would have accepted.
    words : sequence of Word
        The words before the error; the last few are enough.
    found : Word
        The word, or the character, at the error.

    Examples
    --------
    >>> sentence({"BOUND"}, [Word("RPAR", ")")], Word("EQUAL", "="))
    "expected '>=' or '<=' after ')', got '='"
    """
    before = words[-1] if words else None
    phrases = _phrases(set(accepted))
    expected = " or ".join((", ".join(phrases[:-1]), phrases[-1]) if len(phrases) > 1 else phrases)
    after = f" after {_quoted(before.text)}" if before else ""
    got = "the end of the text" if found.terminal == "$END" else _quoted(found.text)
    return f"expected {expected}{after}, got {got}{_earlier_hint(words, found) or _hint(before, found)}"


def _earlier_hint(words: Sequence[Word], found: Word) -> str:
    """Return a hint about a misplaced keyword that was parsed as a name shortly before the error, or ""."""
    for one, other in pairwise((*words[-6:], found)):
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


def _hint(before: Word | None, found: Word) -> str:
    after_name = before is not None and before.terminal in ("NAME", "GLOB")
    match found.text:
        case "<" | ">":
            return f"; write '{found.text}=', or 'not ... {'<' if found.text == '>' else '>'}='"
        case "=" if before is not None and before.text == "=":
            return "; write '=' once"
        case "-" if after_name and before is not None:
            return f"; write a name that contains '-' in backticks: `{before.text}-...`"
        case "(" if after_name:
            return "; nest links as in a (b (...)), and write 'not' before a bracket: not (a (...))"
        case "'":
            return '; write strings in double quotes: "..."'
        case "says":
            return "; write the phrase after it in double quotes"
        case "&" | "|":
            return f"; write '{'and' if found.text == '&' else 'or'}'"
        case _ if before is not None and before.terminal in _KEYWORDS and found.terminal in ("BOUND", "EQUAL", "_IN"):
            return f"; to use {before.text!r} as a name, write it in backticks: `{before.text}`"
        case _:
            return ""
