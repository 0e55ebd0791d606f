"""Parser for Prolog syntax, which does not execute the clauses.

A plain fact, such as ``bond(m1, a1, a2, 7).``, is one match of one regular expression; everything else goes token by
token through a small operator precedence parser. A generated parser would be about fifty times slower on typical
files, which have tens of thousands of similar lines.

Constants are plain Python values: atoms and strings are ``str``, numbers ``int`` and ``float``, lists are tuples. The
empty list ``[]`` is not the atom ``'[]'``, as in SWI-Prolog. The operators are those of SWI-Prolog and of mode
declarations. Two deviations from Prolog are common in files of facts and accepted: a word may begin with a digit
(``3_hydroxy``), and ``+3`` is the number 3.
"""

from __future__ import annotations

import math
import re
import sys
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple, NoReturn
from unicodedata import category

from structtree.errors import DataError

__all__ = [
    "Clauses",
    "Compound",
    "Directive",
    "Fact",
    "PrologRule",
    "PrologSource",
    "Variable",
    "flattened",
    "numeral_text",
    "quoted_atom",
    "read_clauses",
    "term_text",
]


class Variable(NamedTuple):
    """Variable of a rule or a declaration."""

    name: str


class Compound(NamedTuple):
    """Term with arguments, such as ``atom(X, 7)``; also operators: ``-(3)``, ``,(a, b)``."""

    name: str
    arguments: tuple[Any, ...]


class Fact(NamedTuple):
    """Clause without a body: predicate, arguments and offset in the source."""

    name: str
    arguments: tuple[Any, ...]
    at: int


class PrologRule(NamedTuple):
    """Clause with a body, and its offset in the source."""

    head: Any
    body: Any
    at: int


class Directive(NamedTuple):
    """Goal that Prolog would run (``:- goal.``), and its offset in the source."""

    goal: Any
    at: int


@dataclass(frozen=True)
class PrologSource:
    """Prolog text and the name of its source; converts offsets to lines."""

    text: str
    name: str = "<facts>"

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    def line(self, at: int) -> int:
        """Return the line of an offset, counted from 1."""
        return bisect_right(self._starts, at)

    def error(self, message: str, at: int, fix: str | None = None) -> DataError:
        """Return an error that names the line at an offset."""
        return DataError(message, source=self.name, line=self.line(at), fix=fix)


@dataclass(frozen=True, slots=True)
class Clauses:
    """Clauses of a source: facts, rules and directives."""

    source: PrologSource
    facts: list[Fact] = field(default_factory=list)
    rules: list[PrologRule] = field(default_factory=list)
    directives: list[Directive] = field(default_factory=list)


def read_clauses(text: str, name: str = "<facts>") -> Clauses:
    """Parse the clauses of a Prolog text.

    Raises
    ------
    DataError
        If the text is not a sequence of clauses, with the line.

    Examples
    --------
    >>> facts = "bond(m1, 'A 1', -2.5). % a bond\\nring(m1, [a, b])."
    >>> read = read_clauses(facts + "\\n:- modeb(*, p(+m)).\\nq(X) :- p(X).")
    >>> [(fact.name, fact.arguments) for fact in read.facts]
    [('bond', ('m1', 'A 1', -2.5)), ('ring', ('m1', ('a', 'b')))]
    >>> len(read.rules), term_text(read.directives[0].goal)
    (1, 'modeb(*, p(+(m)))')
    >>> read_clauses("bond(m1, a1).\\nbond(m1, a2")
    Traceback (most recent call last):
    structtree.errors.DataError: <facts>:2: bond: unclosed bracket, and the text ends without a full stop
    """
    source = PrologSource(text, name)
    found = Clauses(source)
    values = _Values()
    at, end = _skip(source, 0), len(text)
    match, add, split = _PLAIN_FACT.match, found.facts.append, str.split
    while at < end:
        plain = match(text, at)
        if plain is None:
            at = _parse_clause(source, at, found)
        else:
            try:
                arguments = tuple([values[word] for word in split(plain[2], ",")])
            except _LiteralError as error:
                raise source.error(f"{plain[1]}: {error}", at) from None
            add(Fact(plain[1], arguments, plain.start(1)))
            at = plain.end()
        at = _skip(source, at)
    return found


def term_text(term: Any) -> str:
    """Return a term as Prolog text, with operators before their arguments.

    Examples
    --------
    >>> term_text(Compound("p", ("a", (1, 2.5), "B c", Variable("X"))))
    "p(a, [1, 2.5], 'B c', X)"
    >>> term_text(Compound("-", (1, -1, ",", "/*", "*", ())))
    "-(1, -1, ',', '/*', *, [])"
    """
    match term:
        case Compound(name, arguments):
            return f"{_atom_text(name)}({', '.join(map(term_text, arguments))})"
        case Variable(name):
            return name
        case tuple():
            return f"[{', '.join(map(term_text, term))}]"
        case str():
            return _atom_text(term)
        case _:
            return numeral_text(term)


def numeral_text(value: float) -> str:
    """Return a number, possibly infinite or NaN, as SWI-Prolog text.

    Examples
    --------
    >>> [numeral_text(value) for value in (7, -0.5, 1e22, -math.inf, math.nan)]
    ['7', '-0.5', '1.0e+22', '-1.0Inf', '1.5NaN']
    """
    if isinstance(value, int):
        return str(int(value))
    if math.isfinite(value):
        text = repr(float(value))
        return text if "." in text else text.replace("e", ".0e")
    return "1.5NaN" if math.isnan(value) else f"{'-' if value < 0 else ''}1.0Inf"


def _atom_text(name: str) -> str:
    return name if _BARE.fullmatch(name) else quoted_atom(name)


def quoted_atom(name: str) -> str:
    r"""Return a quoted atom, with unprintable characters as escapes.

    Examples
    --------
    >>> print(quoted_atom("B c"), quoted_atom("it's"), quoted_atom("a\n\0b"))
    'B c' 'it\'s' 'a\xa\\x0\b'
    """
    return f"'{''.join(map(_escape, name))}'"


def _escape(character: str) -> str:
    if character in "\\'":
        return f"\\{character}"
    return character if character.isprintable() else f"\\x{ord(character):x}\\"


# ---- plain facts -----------------------------------------------------------------------------------------

_DECIMAL = r"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?!\w)"
_NUMBER = rf"(?:(?:0x[0-9a-fA-F]+|0o[0-7]+|0b[01]+|[0-9]+\.[0-9]+(?:Inf|NaN))(?!\w)|{_DECIMAL})"
_WORD = rf"(?:-?{_DECIMAL}|[a-z0-9]\w*)"
_PLAIN_FACT = re.compile(rf"([a-z]\w*)\(\s*({_WORD}(?:\s*,\s*{_WORD})*)\s*\)\s*\.(?=\s|%|\Z)")
_BARE = re.compile(r"[a-z][a-zA-Z0-9_]*|[!;]|(?!/\*|\.\Z)[-+*/\\^<>=~:.?@#&$]+")  # neither a comment nor a full stop
_IS_NUMBER = re.compile(rf"-?{_NUMBER}")
_MOST_DIGITS = 4300  # Python's default limit
_BASES = {"0x": 16, "0o": 8, "0b": 2}


class _Values(dict[str, Any]):
    """Cache that maps each word to its value."""

    def __missing__(self, word: str) -> Any:
        text = word.strip()
        value = self[word] = _number(text) if _IS_NUMBER.fullmatch(text) else text
        return value


class _LiteralError(ValueError):
    """Invalid literal: a number outside the range of Python, or an escape with an invalid character code."""


def _number(text: str) -> int | float:
    if text[:2] in _BASES:
        return int(text[2:], _BASES[text[:2]])
    if text.endswith(("Inf", "NaN")):
        return float(text[-3:]) * (-1 if text[0] == "-" else 1)
    if not set(text) & set(".eE"):
        if len(text) > _MOST_DIGITS:
            raise _LiteralError(f"an integer of {len(text)} digits is too long; at most {_MOST_DIGITS} are read")
        return int(text)
    if math.isinf(value := float(text)):
        raise _LiteralError(f"{text} is too large for a floating-point number")
    return value


# ---- everything else -------------------------------------------------------------------------------------

_SPACE = re.compile(r"(?:\s+|%[^\n]*)*")
_OTHER = r"[^\x00-\x7f\w\s]"  # combining accents, and symbols beyond ASCII
_ESCAPES = r"\\(?:x[0-9a-fA-F]+\\?|[0-7]+\\?|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)"
_TOKEN = re.compile(
    rf"""(?P<number>0'(?:{_ESCAPES}|''|[^\\'])|{_NUMBER})
    | (?P<word>\w(?:\w|{_OTHER})*)
    | (?P<quoted>'(?:[^'\\]|{_ESCAPES}|'')*')
    | (?P<string>"(?:[^"\\]|{_ESCAPES}|"")*")
    | (?P<end>\.(?=\s|%|\Z))
    | (?P<sign>[()\[\]{{}}|,])
    | (?P<symbols>(?:[-+*/\\^<>=~:.?@#&$]|{_OTHER})+|[;!])
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = {quote: re.compile(rf"{quote * 2}|{_ESCAPES}", re.DOTALL) for quote in "'\""}
_ESCAPED = dict(zip("ntrabefvs", "\n\t\r\a\b\x1b\f\v ", strict=True)) | {"\n": ""}


class _Infix(NamedTuple):
    """Priority of an infix operator, and the maximum priority of its right argument."""

    priority: int
    right: int


def _infix(priority: int, names: str, right: int = -1) -> dict[str, _Infix]:
    return {name: _Infix(priority, priority + right) for name in names.split()}


_INFIX = _infix(1200, ":- --> =>") | _infix(1105, "|", 0) | _infix(1100, ";", 0) | _infix(1050, "-> *->", 0)
_INFIX |= _infix(1000, ",", 0) | _infix(800, ":=") | _infix(600, ":", 0) | _infix(500, "+ - /\\ \\/")
_INFIX |= _infix(700, "= \\= == \\== =@= \\=@= is as =.. =:= =\\= < > =< >= @< @> @=< @>= :< >:<")
_INFIX |= _infix(400, "* / // mod rem div rdiv xor << >>") | _infix(200, "**") | _infix(200, "^", 0)
_PREFIX = {":-": 1199, "?-": 1199, "\\+": 900, "$": 0} | dict.fromkeys(["-", "+", "\\"], 200)
_DECLARATIONS = """dynamic discontiguous initialization meta_predicate module_transparent multifile public table
    thread_initialization thread_local volatile"""
_PREFIX |= dict.fromkeys(_DECLARATIONS.split(), 1149)
_MODE_SIGNS = {"not": 900} | dict.fromkeys(["#", "?", "+-", "-+", "@", "*", "++", "--"], 200)  # prefixes in modes
_ARGUMENT = 999


class _Token(NamedTuple):
    kind: str
    text: str
    at: int


def _skip(source: PrologSource, at: int) -> int:
    """Return the offset after whitespace and comments."""
    while True:
        space = _SPACE.match(source.text, at)
        at = space.end() if space else at
        if not source.text.startswith("/*", at):
            return at
        end = source.text.find("*/", at + 2)
        if end < 0:
            raise source.error("unclosed comment /*", at)
        at = end + 2


def _tokens(source: PrologSource, at: int) -> Iterator[_Token]:
    """Yield the tokens of a clause up to the full stop, or up to ``nothing`` if the full stop is missing."""
    text = source.text
    while (at := _skip(source, at)) < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            what = f"unclosed quote ({text[at]})" if text[at] in "'\"" else f"unexpected character {text[at]!r}"
            raise source.error(what, at)
        token = _Token(str(match.lastgroup), match[0], at)
        if token.kind == "word" and not token.text.isascii():
            token = token._replace(text=_word(token.text))
        yield token
        if token.kind == "end":
            return
        at += len(token.text)
    yield _Token("nothing", "", len(text))


def _word(text: str) -> str:
    """Return the leading letters of a string, with their accents."""
    symbol = next((i for i, sign in enumerate(text) if not sign.isalnum() and category(sign)[0] not in "MP"), None)
    return text[:symbol]


def _parse_clause(source: PrologSource, at: int, found: Clauses) -> int:
    """Parse one clause token by token, and return the offset of its end."""
    parser = _Parser(source, list(_tokens(source, at)))
    try:
        clause = parser.clause()
    except RecursionError:
        raise source.error("the terms of a clause are nested too deeply", at) from None
    match clause:
        case Compound(":-" | "?-", (goal,)):
            found.directives.append(Directive(goal, at))
        case Compound(":-", (head, body)):
            found.rules.append(PrologRule(head, body, at))
        case Compound("-->", _):
            raise source.error("a rule with --> is a Prolog grammar rule; expected a fact", at)
        case Compound(name, arguments):
            found.facts.append(Fact(name, arguments, at))
        case str(name):
            found.facts.append(Fact(name, (), at))
        case other:
            raise source.error(f"expected a fact such as bond(m1, a1, a2, 7), got {term_text(other)}", at)
    return parser.tokens[-1].at + 1


class _Parser:
    """Operator precedence parser of one clause."""

    def __init__(self, source: PrologSource, tokens: list[_Token]) -> None:
        self.source, self.tokens, self.place = source, tokens, 0

    def clause(self) -> Any:
        """Return the term of the whole clause."""
        term = self.term(1200)
        if self.next.kind != "end":
            if self.next.kind == "nothing":
                self.refuse("the text ends without a full stop")
            if self.next.text in (")", "]", "}"):
                self.refuse(f"unmatched {self.next.text}")
            if isinstance(term, Variable):
                self.refuse(f"{term.name} is a variable; a predicate begins with a lowercase letter or is quoted")
            if self.next.text.startswith("."):
                self.refuse("expected whitespace after the full stop", self.next.at)
            self.refuse(f"expected a full stop before {self.next.text!r}", self.next.at)
        return term

    @property
    def next(self) -> _Token:
        return self.tokens[self.place]

    def take(self) -> _Token:
        token = self.next
        if token.kind in ("end", "nothing"):
            self.refuse("the clause is incomplete")
        self.place += 1
        return token

    def refuse(self, message: str, at: int | None = None) -> NoReturn:
        """Raise an error that names the predicate; an unclosed bracket is reported instead of the given message."""
        first = self.tokens[0]
        who = f"{first.text}: " if first.kind == "word" else ""
        signs = [token.text for token in self.tokens[: self.place + 1] if token.kind == "sign"]
        n_open = sum(sign in "([{" for sign in signs) - sum(sign in ")]}" for sign in signs)
        if n_open > 0 and self.next.kind in ("end", "nothing"):
            ends = "the text ends without a full stop" if self.next.kind == "nothing" else "the clause ends"
            message, at = f"unclosed bracket, and {ends}", first.at
        raise self.source.error(f"{who}{message}", first.at if at is None else at)

    def term(self, most: int) -> Any:
        """Return the next term with at most the given priority."""
        left = self.operand(most)
        while (operator := _INFIX.get(self.next.text)) is not None and operator.priority <= most:
            name = self.take().text  # never a quoted atom, whose text includes its quotes
            left = Compound(name, (left, self.term(operator.right)))
        return left

    def operand(self, most: int) -> Any:
        token = self.take()
        match token.kind:
            case "number":
                return self.number(token)
            case "string":
                return self.unquoted(token)
            case "quoted":
                return self.applied(self.unquoted(token))
            case "word" if token.text[0] == "_" or token.text[0].isupper():
                return Variable(token.text)
            case "sign":
                return self.bracketed(token)
        if token.text in _PREFIX or token.text in _MODE_SIGNS:
            return self.prefixed(token, most)
        return self.applied(token.text)

    def prefixed(self, token: _Token, most: int) -> Any:
        """Return a prefix operator with its argument; without one it is an atom, as in ``modeb(*, p)``."""
        following = self.next
        touches = following.at == token.at + len(token.text)
        if following.text == "(" and touches:
            return self.applied(token.text)
        if token.text == "-" and touches and following.kind == "number":
            return -self.number(self.take())
        if not self.begins_operand(token):
            return token.text
        argument = self.term(min(_PREFIX.get(token.text, _MODE_SIGNS.get(token.text, 0)), most))
        is_number = token.text == "+" and touches and isinstance(argument, int | float)
        return argument if is_number else Compound(token.text, (argument,))

    def begins_operand(self, prefix: _Token) -> bool:
        """Return whether the next token begins the argument of a prefix operator: ``- a``, ``- - a``, ``- =(b)``."""
        if self.ends_operand(self.next):
            return False
        if self.next.text not in _INFIX:
            return True
        after = self.tokens[self.place + 1]
        if self.ends_operand(after):
            return True
        has_arguments = after.text == "(" and after.at == self.next.at + len(self.next.text)
        return prefix.text in _PREFIX and (self.next.text in _PREFIX or has_arguments)  # not - = a

    def ends_operand(self, token: _Token) -> bool:
        """Return whether a token ends an operand, that is, cannot begin one."""
        return token.kind in ("end", "nothing") or token.text in (",", ")", "]", "}", "|")

    def number(self, token: _Token) -> int | float:
        if token.text.startswith("0'"):
            return ord(self.unquoted(token._replace(text=f"{token.text[1:]}'")))
        try:
            return _number(token.text)
        except _LiteralError as error:
            self.refuse(str(error), token.at)

    def unquoted(self, token: _Token) -> str:
        """Return the text of a quoted token."""
        try:
            return _ESCAPE[token.text[0]].sub(_escaped, token.text[1:-1])
        except _LiteralError as error:
            self.refuse(str(error), token.at)

    def applied(self, name: str) -> Any:
        """Return an atom, or a compound term if a parenthesis follows immediately."""
        last = self.tokens[self.place - 1]
        if self.next.text != "(" or self.next.kind != "sign" or self.next.at != last.at + len(last.text):
            return name
        self.take()
        return Compound(name, tuple(self.items(")")))

    def bracketed(self, token: _Token) -> Any:
        closing = {"(": ")", "[": "]", "{": "}"}.get(token.text)
        if closing is None:
            self.refuse(f"unexpected {token.text!r}", token.at)
        if self.next.text == closing and closing != ")":
            self.take()
            return () if closing == "]" else self.applied("{}")
        if closing == "]":
            return tuple(self.items(closing))
        term = self.term(1200)
        self.expect(closing)
        return term if closing == ")" else Compound("{}", (term,))

    def items(self, closing: str) -> list[Any]:
        found = [self.term(_ARGUMENT)]
        while self.next.text == "," and self.next.kind == "sign":
            self.take()
            found.append(self.term(_ARGUMENT))
        if self.next.text == "|":
            self.refuse("a partial list ([a | Rest]) is not supported", self.next.at)
        self.expect(closing)
        return found

    def expect(self, closing: str) -> None:
        if self.next.text != closing or self.next.kind != "sign":
            if self.next.kind in ("end", "nothing"):
                self.take()
            self.refuse(f"expected , or {closing} before {self.next.text!r}", self.next.at)
        self.take()


def _escaped(match: re.Match[str]) -> str:
    """Return the character of an escape or of a doubled quote."""
    sign = match[0][1:]
    digits = sign.rstrip("\\")
    if sign[0] in "xuU" and len(digits) > 1:
        return _character(digits[1:], 16, match[0])
    if sign[0] in "01234567":
        return _character(digits, 8, match[0])
    return _ESCAPED.get(sign, sign)


def _character(digits: str, base: int, escape: str) -> str:
    number = int(digits, base)
    if number > sys.maxunicode or 0xD800 <= number < 0xE000:  # surrogates are not characters
        raise _LiteralError(f"{escape} is not a valid character code")
    return chr(number)


def flattened(term: Any) -> tuple[Any, ...]:
    """Return the elements of a list and of all nested lists; for any other term, the term itself.

    Examples
    --------
    >>> flattened(("a", ("b", ("c",)))), flattened("a")
    (('a', 'b', 'c'), ('a',))
    """
    return tuple(chain.from_iterable(map(flattened, term))) if type(term) is tuple else (term,)
