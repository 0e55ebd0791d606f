"""Walking over a predicate, knowing of which type each part is, and which parts are open.

Everything here works with a stack of its own: predicates may be long, and definitions make them deep.
"""

from __future__ import annotations

from collections.abc import Iterator

from structtree.data.schema import Schema
from structtree.lang.syntax import (
    All,
    And,
    Count,
    Distinct,
    Exists,
    Follow,
    No,
    Not,
    Or,
    Predicate,
    Step,
    Top,
)

__all__ = ["children", "inner_type", "is_closed", "open_types", "subpredicates"]


def children(predicate: Predicate) -> tuple[Predicate, ...]:
    """The predicates that a predicate is made of; none for a test or a definition.

    Examples
    --------
    >>> children(Exists("cars", Top()))
    (Top(),)
    """
    match predicate:
        case And(parts) | Or(parts) | Distinct(_, parts):
            return parts
        case Follow() | Step() | Exists() | All() | No() | Count() | Not():
            return (predicate.inner,)
        case _:
            return ()


def inner_type(predicate: Predicate, type_name: str, schema: Schema) -> str | None:
    """The type that the children of a predicate are about; None when the link is not known."""
    match predicate:
        case Follow(link) | Exists(link) | All(link) | No(link) | Count(link) | Distinct(link):
            found = schema.type(type_name).link(link)
            return None if found is None else found.target
        case Step(link=str() as link):
            found = schema.type(type_name).link(link)
            return None if found is None else found.target
        case _:
            return type_name


def is_closed(predicate: Predicate) -> bool:
    """Whether nothing is refined inside: adding to a part could make the whole hold of more rows."""
    match predicate:
        case Or() | Not() | No():
            return True
        case Count(op=op):
            return op == "<="
        case _:
            return False


def subpredicates(
    predicate: Predicate, type_name: str, schema: Schema, *, closed: bool = True
) -> Iterator[tuple[Predicate, str]]:
    """Every predicate inside one, itself first, each with its type; on request not what is inside closed forms.

    Examples
    --------
    >>> from structtree.data.schema import Link, RecordType
    >>> schema = Schema((RecordType("Train", (), (Link("cars", "list", "Car"),)), RecordType("Car")), "Train")
    >>> [name for _, name in subpredicates(Exists("cars", Top()), "Train", schema)]
    ['Train', 'Car']
    """
    stack = [(predicate, type_name)]
    while stack:
        here, name = stack.pop()
        yield here, name
        inner = inner_type(here, name, schema)
        if inner is not None and (closed or not is_closed(here)):
            stack.extend((child, inner) for child in reversed(children(here)))


def open_types(predicate: Predicate, type_name: str, schema: Schema) -> Iterator[str]:
    """The types of the positions inside a predicate at which something may still be added."""
    for part, name in subpredicates(predicate, type_name, schema, closed=False):
        if isinstance(part, Top):
            yield name
