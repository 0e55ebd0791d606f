"""Prolog's syntax: the clauses of a text, read and never executed.

A plain fact, such as ``bond(m1, a1, a2, 7).``, is one match of one regular expression; everything else goes token by
token through a small operator precedence parser. A generated parser is not used, because files of facts have tens of
thousands of lines that are all alike, and a match per line is some fifty times faster.

Constants are plain Python values: atoms and strings are ``str``, numbers ``int`` and ``float``, lists are tuples. One
liberty is taken, since files of facts take it: a word may begin with a digit (``3_hydroxy``). What facts mean is left
to the neighbours.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple, NoReturn

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
    "quoted_atom",
    "read_clauses",
    "term_text",
]


class Variable(NamedTuple):
    """A variable of a rule or of a declaration."""

    name: str


class Compound(NamedTuple):
    """A term with arguments, such as ``atom(X, 7)``; operators are written the same way: ``-(3)``, ``,(a, b)``."""

    name: str
    arguments: tuple[Any, ...]


class Fact(NamedTuple):
    """A clause without a body: its predicate, its arguments, and where it begins in its text."""

    name: str
    arguments: tuple[Any, ...]
    at: int


class PrologRule(NamedTuple):
    """A clause with a body, and where it begins in its text."""

    head: Any
    body: Any
    at: int


class Directive(NamedTuple):
    """A goal that Prolog would run (``:- goal.``), and where it begins in its text."""

    goal: Any
    at: int


@dataclass(frozen=True)
class PrologSource:
    """A text with the name of where it comes from, which knows the line of each place."""

    text: str
    name: str = "<facts>"

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    def line(self, at: int) -> int:
        """Return the line of a place, counted from 1."""
        return bisect_right(self._starts, at)

    def error(self, message: str, at: int, fix: str | None = None) -> DataError:
        """Return the error that says what is wrong at a place."""
        return DataError(message, source=self.name, line=self.line(at), fix=fix)


@dataclass(frozen=True, slots=True)
class Clauses:
    """The clauses of a text, by what they are."""

    source: PrologSource
    facts: list[Fact] = field(default_factory=list)
    rules: list[PrologRule] = field(default_factory=list)
    directives: list[Directive] = field(default_factory=list)


def read_clauses(text: str, name: str = "<facts>") -> Clauses:
    """Return the clauses of a text in Prolog's syntax.

    Raises
    ------
    DataError
        With the line, where the text is no sequence of clauses.

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
    structtree.errors.DataError: <facts>:2: bond: a bracket is not closed, and the text ends without a full stop
    """
    source = PrologSource(text, name)
    found = Clauses(source)
    values = _Values()
    at, end = _skip(source, 0), len(text)
    match, add, split = _PLAIN_FACT.match, found.facts.append, str.split
    while at < end:
        plain = match(text, at)
        if plain is None:
            at = _read_slowly(source, at, found)
        else:
            add(Fact(plain[1], tuple([values[word] for word in split(plain[2], ",")]), plain.start(1)))
            at = plain.end()
        at = _skip(source, at)
    return found


def term_text(term: Any) -> str:
    """Return a term as Prolog writes it, operators before their arguments.

    Examples
    --------
    >>> term_text(Compound("p", ("a", (1, 2.5), "B c", Variable("X"))))
    "p(a, [1, 2.5], 'B c', X)"
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
            return repr(term)


def _atom_text(name: str) -> str:
    return name if _BARE.fullmatch(name) else quoted_atom(name)


def quoted_atom(name: str) -> str:
    r"""Return an atom in quotes, as it is read back; what does not print is written by its number.

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

_NUMBER = r"\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?!\w)"
_WORD = rf"(?:-?{_NUMBER}|[a-z0-9]\w*)"
_PLAIN_FACT = re.compile(rf"([a-z]\w*)\(\s*({_WORD}(?:\s*,\s*{_WORD})*)\s*\)\s*\.(?=\s|%|\Z)")
_BARE = re.compile(r"[a-z]\w*|[-+*/\\^<>=~:.?@#&$]+|\[\]|[,;!]")
_IS_NUMBER = re.compile(rf"-?{_NUMBER}")


class _Values(dict[str, Any]):
    """The value of each word that has been met, so that a word is looked at once."""

    def __missing__(self, word: str) -> Any:
        text = word.strip()
        value = self[word] = _number(text) if _IS_NUMBER.fullmatch(text) else text
        return value


def _number(text: str) -> int | float:
    return float(text) if set(text) & set(".eE") else int(text)


# ---- everything else -------------------------------------------------------------------------------------

_SPACE = re.compile(r"(?:\s+|%[^\n]*)*")
_TOKEN = re.compile(
    rf"""(?P<number>0'(?:\\.|''|[^\\'])|{_NUMBER})
    | (?P<word>\w+)
    | (?P<quoted>'(?:[^'\\]|\\(?:x[0-9a-fA-F]+\\|[0-7]+\\|.)|'')*')
    | (?P<string>"(?:[^"\\]|\\(?:x[0-9a-fA-F]+\\|[0-7]+\\|.)|"")*")
    | (?P<end>\.(?=\s|%|\Z))
    | (?P<sign>[()\[\]{{}}|,;!])
    | (?P<symbols>[-+*/\\^<>=~:.?@#&$]+)
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]+\\?|[0-7]+\\?|\n|.)", re.DOTALL)
_ESCAPED = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "v": "\v",
    "0": "\0",
    "s": " ",
    "\n": "",
}

_INFIX = {":-": 1200, "-->": 1200, ";": 1100, "|": 1100, "->": 1050, ",": 1000, ":": 200, "^": 200, "**": 200}
_INFIX |= dict.fromkeys(["=", "\\=", "==", "\\==", "is", "=:=", "=\\=", "<", ">", "=<", ">=", "=..", "@<", "@>"], 700)
_INFIX |= dict.fromkeys(["+", "-"], 500) | dict.fromkeys(["*", "/", "//", "mod", "rem"], 400)
_PREFIX = {":-": 1200, "?-": 1200, "\\+": 900, "not": 900, "dynamic": 1150, "discontiguous": 1150}
_PREFIX |= dict.fromkeys(["-", "+", "#", "?", "+-", "-+", "\\", "@", "*", "++", "--"], 200)
_ARGUMENT = 999


class _Token(NamedTuple):
    kind: str
    text: str
    at: int


def _skip(source: PrologSource, at: int) -> int:
    """Return the place after blanks and comments."""
    while True:
        space = _SPACE.match(source.text, at)
        at = space.end() if space else at
        if not source.text.startswith("/*", at):
            return at
        end = source.text.find("*/", at + 2)
        if end < 0:
            raise source.error("a comment begins with /* and is not closed", at)
        at = end + 2


def _tokens(source: PrologSource, at: int) -> Iterator[_Token]:
    """Yield the tokens of one clause; the last one is the full stop, or that there is none."""
    text = source.text
    while (at := _skip(source, at)) < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            what = f"a quote ({text[at]}) is not closed" if text[at] in "'\"" else f"unexpected sign {text[at]!r}"
            raise source.error(what, at)
        token = _Token(str(match.lastgroup), match[0], at)
        yield token
        if token.kind == "end":
            return
        at = match.end()
    yield _Token("nothing", "", len(text))


def _read_slowly(source: PrologSource, at: int, found: Clauses) -> int:
    """Read one clause token by token, and return where it ends."""
    parser = _Parser(source, list(_tokens(source, at)))
    match parser.clause():
        case Compound(":-" | "?-", (goal,)):
            found.directives.append(Directive(goal, at))
        case Compound(":-", (head, body)):
            found.rules.append(PrologRule(head, body, at))
        case Compound("-->", _):
            raise source.error("a rule with --> is a grammar of Prolog; expected a fact", at)
        case Compound(name, arguments):
            found.facts.append(Fact(name, arguments, at))
        case str(name):
            found.facts.append(Fact(name, (), at))
        case other:
            raise source.error(f"expected a fact such as bond(m1, a1, a2, 7), got {term_text(other)}", at)
    return parser.tokens[-1].at + 1


class _Parser:
    """The tokens of one clause, and how many of them are read."""

    def __init__(self, source: PrologSource, tokens: list[_Token]) -> None:
        self.source, self.tokens, self.place = source, tokens, 0

    def clause(self) -> Any:
        """Return the term that the tokens are."""
        term = self.term(1200)
        if self.next.kind != "end":
            if self.next.kind == "nothing":
                self.refuse("the text ends without a full stop")
            if self.next.text in (")", "]", "}"):
                self.refuse(f"there is a {self.next.text} that no bracket opens")
            if isinstance(term, Variable):
                self.refuse(f"{term.name} is a variable; a predicate begins with a small letter, or is quoted")
            if self.next.text.startswith("."):
                self.refuse("expected a blank or a line break after the full stop", self.next.at)
            self.refuse(f"expected a full stop before {self.next.text!r}", self.next.at)
        return term

    @property
    def next(self) -> _Token:
        return self.tokens[self.place]

    def take(self) -> _Token:
        token = self.next
        if token.kind in ("end", "nothing"):
            self.refuse("the clause ends too early")
        self.place += 1
        return token

    def refuse(self, message: str, at: int | None = None) -> NoReturn:
        """Raise the error that begins with the predicate; where brackets are open, that is what it says."""
        first = self.tokens[0]
        who = f"{first.text}: " if first.kind == "word" else ""
        signs = [token.text for token in self.tokens[: self.place + 1] if token.kind == "sign"]
        n_open = sum(sign in "([{" for sign in signs) - sum(sign in ")]}" for sign in signs)
        if n_open > 0 and self.next.kind in ("end", "nothing"):
            ends = "the text ends without a full stop" if self.next.kind == "nothing" else "the clause ends"
            message, at = f"a bracket is not closed, and {ends}", first.at
        raise self.source.error(f"{who}{message}", first.at if at is None else at)

    def term(self, most: int) -> Any:
        """Return the next term whose operators bind at least so tightly."""
        left = self.operand(most)
        while (strength := self.infix()) is not None and strength <= most:
            name = self.take().text
            right = self.term(strength if name in (",", ";", "->", "^") else strength - 1)
            left = Compound("," if name == "," else name, (left, right))
        return left

    def infix(self) -> int | None:
        token = self.next
        if token.kind in ("quoted", "string", "end", "nothing", "number"):
            return None
        return _INFIX.get(token.text)

    def operand(self, most: int) -> Any:
        token = self.take()
        match token.kind:
            case "number":
                return (
                    ord(_unquoted(token.text[1:] + "'")[-1]) if token.text.startswith("0'") else _number(token.text)
                )
            case "string":
                return _unquoted(token.text)
            case "quoted":
                return self.applied(_unquoted(token.text))
            case "word" if token.text[0] == "_" or token.text[0].isupper():
                return Variable(token.text)
            case "sign":
                return self.bracketed(token)
        return self.prefixed(token, most) if token.text in _PREFIX else self.applied(token.text)

    def prefixed(self, token: _Token, most: int) -> Any:
        """Return what a prefix operator makes of the term behind it; alone it is an atom, as in ``modeb(*, p)``."""
        following = self.next
        touches = following.at == token.at + len(token.text)
        if following.text == "(" and touches and token.kind == "word":
            return self.applied(token.text)
        if following.kind in ("end", "nothing") or following.text in (",", ")", "]", "|") or self.infix() is not None:
            return token.text
        argument = self.term(min(_PREFIX[token.text], most))
        if token.text in "+-" and touches and following.kind == "number":
            return argument if token.text == "+" else -argument
        return Compound(token.text, (argument,))

    def applied(self, name: str) -> Any:
        """Return the atom, with its arguments if a bracket follows it at once."""
        last = self.tokens[self.place - 1]
        if self.next.text != "(" or self.next.kind != "sign" or self.next.at != last.at + len(last.text):
            return name
        self.take()
        return Compound(name, tuple(self.items(")")))

    def bracketed(self, token: _Token) -> Any:
        match token.text:
            case "(":
                term = self.term(1200)
                self.expect(")")
                return term
            case "[":
                if self.next.text == "]":
                    self.take()
                    return ()
                return tuple(self.items("]"))
            case "{":
                self.refuse("braces { } are not read", token.at)
            case "!":
                return "!"
        return self.refuse(f"unexpected {token.text!r}", token.at)

    def items(self, closing: str) -> list[Any]:
        found = [self.term(_ARGUMENT)]
        while self.next.text == "," and self.next.kind == "sign":
            self.take()
            found.append(self.term(_ARGUMENT))
        if self.next.text == "|":
            self.refuse("a list with an open end ([a | Rest]) is not read", self.next.at)
        self.expect(closing)
        return found

    def expect(self, closing: str) -> None:
        if self.next.text != closing or self.next.kind != "sign":
            if self.next.kind in ("end", "nothing"):
                self.take()
            self.refuse(f"expected , or {closing} before {self.next.text!r}", self.next.at)
        self.take()


def _unquoted(text: str) -> str:
    quote = text[0]
    inner = text[1:-1].replace(quote * 2, quote)
    return _ESCAPE.sub(_escaped, inner) if "\\" in inner else inner


def _escaped(match: re.Match[str]) -> str:
    sign = match[1]
    digits = sign.rstrip("\\")
    if sign[0] == "x":
        return chr(int(digits[1:], 16))
    if digits.isdigit() and digits != "":
        return chr(int(digits, 8))
    return _ESCAPED.get(sign, sign)


def flattened(items: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the elements of a list, and of the lists in it.

    Examples
    --------
    >>> flattened(("a", ("b", ("c",))))
    ('a', 'b', 'c')
    """
    return tuple(chain.from_iterable(flattened(item) if type(item) is tuple else (item,) for item in items))
