"""Signatures of facts: declarations of the arguments of a predicate.

In ``bond(Molecule, Atom key, Atom -> to, order) both ways``, a capitalised argument is a record of that type and any
other an attribute of that name; ``_`` is skipped, and an argument in brackets is a list. ``-> to`` names the role of
a record in the fact. A ``key`` has at most one fact, so the other arguments describe it; ``many`` means that there is
no key. ``both ways`` also reads each fact with its two records of one type exchanged, ``one way`` omits the link from
the later argument back to the first.

The same syntax is used in a grammar (``fact bond(...)``), in reading options, and in model files, so that new facts
are read like the training data.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from structtree.errors import UsageError

__all__ = [
    "Argument",
    "Direction",
    "FactJoin",
    "FactStep",
    "MemberOrigin",
    "PrologPredicate",
    "Signature",
    "check_signature",
    "implies_signature",
    "parse_signature",
    "signatures_of",
]

Direction = Literal["", "one way", "both ways"]


class PrologPredicate(NamedTuple):
    """Name and arity of a predicate."""

    name: str
    arity: int

    def __str__(self) -> str:
        return f"{self.name}/{self.arity}"


class MemberOrigin(NamedTuple):
    """Source of a member: a predicate, the argument that has the member, and the argument it refers to.

    An argument is None where the fact itself is the record.
    """

    predicate: PrologPredicate
    start: int | None
    end: int | None = None


class FactStep(NamedTuple):
    """Step between two records through the facts of a predicate, from one argument to another."""

    predicate: PrologPredicate
    start: int
    end: int
    both_ways: bool = False


class FactJoin(NamedTuple):
    """Source of a member that relates the two arguments of an example: the facts that connect the arguments.

    Parameters
    ----------
    ends : pair of int
        Both arguments of the example.
    first, second : tuple of FactStep
        Paths from these arguments that must meet; a path may be empty.
    between : FactStep, optional
        Instead of paths, the facts of a predicate that have both as arguments.
    """

    ends: tuple[int, int]
    first: tuple[FactStep, ...] = ()
    second: tuple[FactStep, ...] = ()
    between: FactStep | None = None


@dataclass(frozen=True, slots=True)
class Argument:
    """Argument of a predicate: a record of a type, or an attribute.

    Parameters
    ----------
    name : str
        Name of the type if capitalised, of the attribute otherwise; ``_`` is skipped.
    is_key : bool
        Whether each record has at most one fact.
    role : str, optional
        Name of the reference to the record.
    is_list : bool
    """

    name: str
    is_key: bool = False
    role: str | None = None
    is_list: bool = False

    @property
    def is_type(self) -> bool:
        """True if the argument is a record."""
        return self.name[:1].isupper()

    @property
    def is_skipped(self) -> bool:
        """True if the argument is not read."""
        return self.name == "_"

    def __str__(self) -> str:
        name = f"[{_quoted(self.name)}]" if self.is_list else _quoted(self.name)
        return f"{name}{' key' if self.is_key else ''}{f' -> {_quoted(self.role)}' if self.role else ''}"


@dataclass(frozen=True, slots=True)
class Signature:
    """Declaration of the arguments of a predicate; `str` returns the syntax of `parse_signature`.

    Examples
    --------
    >>> str(Signature("bond", (Argument("Atom"), Argument("Atom", role="to")), direction="both ways"))
    'bond(Atom, Atom -> to) both ways'
    """

    name: str
    arguments: tuple[Argument, ...] = ()
    is_many: bool = False
    direction: Direction = ""

    @property
    def predicate(self) -> PrologPredicate:
        """Declared predicate."""
        return PrologPredicate(self.name, len(self.arguments))

    @property
    def key(self) -> int | None:
        """Position of the key argument, if any."""
        return next((place for place, one in enumerate(self.arguments) if one.is_key), None)

    @property
    def types(self) -> tuple[int, ...]:
        """Positions of the arguments that are records, excluding lists of records."""
        return tuple(i for i, one in enumerate(self.arguments) if one.is_type and not one.is_list)

    def __str__(self) -> str:
        inner = ", ".join(map(str, self.arguments))
        words = ["many"] * self.is_many + [self.direction] * bool(self.direction)
        return " ".join([f"{_quoted(self.name)}({inner})", *words])


_PLAIN_NAME = re.compile(r"[^\W\d]\w*")
_NAME = r"(?:[^\W\d]\w*|`(?:[^`\\]|\\.)*`)"
_HEAD = re.compile(rf"\s*({_NAME})\s*\(\s*", re.DOTALL)
_ARGUMENT = re.compile(rf"(\[)?\s*({_NAME})\s*(?(1)\])\s*(key\b)?\s*(?:->\s*({_NAME}))?\s*(,\s*|(?=\)))", re.DOTALL)
_TAIL = re.compile(r"\)\s*(many)?\s*(one\s+way|both\s+ways)?\s*")


def parse_signature(text: str) -> Signature:
    """Parse a signature.

    Examples
    --------
    >>> signature = parse_signature("atm(Molecule, Atom key, element, _, [Ring])")
    >>> signature.key, signature.types, str(signature)
    (1, (0, 1), 'atm(Molecule, Atom key, element, _, [Ring])')
    >>> parse_signature("atm(Molecule")
    Traceback (most recent call last):
    structtree.errors.UsageError: expected a fact such as bond(Molecule, Atom, Atom -> to, order), got 'atm(Molecule'
    """
    head = _HEAD.match(text)
    at, arguments = head.end() if head else 0, []
    while found := _ARGUMENT.match(text, at):
        role = _unquoted(found[4]) if found[4] else None
        arguments.append(Argument(_unquoted(found[2]), bool(found[3]), role, bool(found[1])))
        at = found.end()
    tail = _TAIL.fullmatch(text, at)
    if head is None or tail is None:
        raise UsageError(f"expected a fact such as bond(Molecule, Atom, Atom -> to, order), got {text!r}")
    words: Any = " ".join((tail[2] or "").split())
    signature = Signature(_unquoted(head[1]), tuple(arguments), tail[1] is not None, words)
    check_signature(signature)
    return signature


def check_signature(signature: Signature) -> None:
    """Raise `UsageError` for an inconsistent signature.

    Examples
    --------
    >>> check_signature(Signature("p", (Argument("a", is_key=True),)))
    Traceback (most recent call last):
    structtree.errors.UsageError: p(a key): a is an attribute, but only a capitalised type can be a key
    """
    keys = [one for one in signature.arguments if one.is_key]
    if len(keys) > 1 or (keys and signature.is_many):
        raise UsageError(f"{signature}: at most one argument can be a key, and none with 'many'")
    for one in signature.arguments:
        if not one.is_type and (one.is_key or one.role):
            word = "be a key" if one.is_key else "have a role"
            raise UsageError(f"{signature}: {one.name} is an attribute, but only a capitalised type can {word}")
    counts = Counter(signature.arguments[place].name for place in signature.types)
    if signature.direction == "both ways" and 2 not in counts.values():
        raise UsageError(f"{signature}: 'both ways' needs two arguments of one type")


def implies_signature(settled: Signature, declared: Signature) -> bool:
    """Return whether a complete signature agrees with a partial one of the same predicate.

    Examples
    --------
    >>> settled = parse_signature("bond(Molecule, Atom, Atom -> to, order) many both ways")
    >>> implies_signature(settled, parse_signature("bond(Molecule, Atom, Atom -> to, order)"))
    True
    >>> implies_signature(settled, parse_signature("bond(Molecule, Atom, Atom -> to, order) one way"))
    False
    """
    pairs = zip(settled.arguments, declared.arguments, strict=True)
    alike = all(
        one.name == other.name
        and one.is_list == other.is_list
        and (other.role is None or one.role == other.role)
        and one.is_key >= other.is_key
        for one, other in pairs
    )
    return (
        alike
        and settled.is_many >= declared.is_many
        and (not declared.direction or settled.direction == declared.direction)
    )


def signatures_of(texts: Iterable[str]) -> Mapping[PrologPredicate, Signature]:
    """Parse signatures and return them in a mapping by predicate.

    Examples
    --------
    >>> [str(predicate) for predicate in signatures_of(["smokes(Person)", "friends(Person, Person)"])]
    ['smokes/1', 'friends/2']
    """
    found: dict[PrologPredicate, Signature] = {}
    for text in texts:
        signature = parse_signature(text)
        if signature.predicate in found:
            raise UsageError(
                f"the fact {signature.predicate} is declared twice: {found[signature.predicate]} and {text}"
            )
        found[signature.predicate] = signature
    return found


def _quoted(name: str) -> str:
    if _PLAIN_NAME.fullmatch(name):
        return name
    escaped = name.replace("\\", "\\\\").replace("`", "\\`")
    return f"`{escaped}`"


def _unquoted(name: str) -> str:
    return re.sub(r"\\(.)", r"\1", name[1:-1], flags=re.DOTALL) if name.startswith("`") else name
