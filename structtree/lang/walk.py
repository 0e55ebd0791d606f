"""Traversal of predicates: their subpredicates, the type of each, and the open positions.

All traversals use these functions: `children` and `with_children` take a predicate apart and put it together,
`subpredicates` visits all subpredicates, and `peel` and `wrap` remove and add functional steps. Each ``match`` ends
in `assert_never`, so that a type checker finds the places where a new node class has to be handled.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, assert_never

from structtree.data.schema import Schema
from structtree.lang import syntax as syn
from structtree.lang.aggregates import is_monotone

__all__ = [
    "FUNCTIONAL",
    "StepPath",
    "asked_members",
    "children",
    "expression_parts",
    "functional_step",
    "inner_type",
    "is_closed",
    "mentions_owner",
    "open_types",
    "parts_of",
    "path_members",
    "peel",
    "subpredicates",
    "with_children",
    "with_number",
    "wrap",
]

FUNCTIONAL = ("first", "last", "next", "previous")
"""The list steps that lead to at most one row."""

StepPath = tuple[syn.Follow | syn.ListStep, ...]


def children(predicate: syn.Predicate) -> tuple[syn.Predicate, ...]:
    """Return the direct subpredicates of a predicate; empty for a plain test or a definition.

    Examples
    --------
    >>> children(syn.Exists("cars", syn.Top()))
    (Top(),)
    """
    match predicate:
        case syn.LinkedTo() | syn.ListStep() | syn.Not():
            return (predicate.inner,)
        case syn.And(parts) | syn.Or(parts) | syn.Distinct(_, parts):
            return parts
        case syn.Aggregate(inner=inner):
            return () if inner is None else (inner,)
        case _ if isinstance(predicate, syn.Atomic):
            return ()
        case _ as never:
            syn.require_predicate(never)
            assert_never(never)


def with_children(predicate: syn.Predicate, inners: tuple[syn.Predicate, ...]) -> syn.Predicate:
    """Return the predicate with its children replaced; `inners` has as many predicates as `children` returns."""
    match predicate:
        case syn.LinkedTo() | syn.ListStep() | syn.Not():
            return replace(predicate, inner=inners[0])
        case syn.And() | syn.Or():
            return replace(predicate, parts=inners)
        case syn.Distinct():
            return replace(predicate, inners=inners)
        case syn.Aggregate():
            return replace(predicate, inner=inners[0] if inners else None)
        case _ if isinstance(predicate, syn.Atomic):
            return predicate
        case _ as never:
            assert_never(never)


def inner_type(predicate: syn.Predicate, type_name: str, schema: Schema) -> str | None:
    """Return the type of the rows that the children of a predicate are tested on; None if the link is unknown."""
    link = predicate.link if isinstance(predicate, syn.LinkForm | syn.Aggregate) else None
    if link is None:
        return type_name
    found = schema.type(type_name).link(link)
    return None if found is None else found.target


def path_members(path: syn.ValuePath, type_name: str, schema: Schema) -> Iterator[tuple[str, str]]:
    """Yield the members along a path, each with its type, up to an unknown link.

    Examples
    --------
    >>> from structtree.data.schema import Link, RecordType
    >>> schema = Schema((RecordType("Car", (), (Link("load", "one", "Load"),)), RecordType("Load")), "Car")
    >>> list(path_members(("load", "shape"), "Car", schema))
    [('Car', 'load'), ('Load', 'shape')]
    """
    at: str | None = type_name
    for member in path:
        if at is None:
            break
        yield at, member
        link = schema.type(at).link(member)
        at = None if link is None else link.target


def asked_members(
    predicate: syn.Predicate, type_name: str, schema: Schema, owner: str | None = None, *, definitions: bool = False
) -> Iterator[tuple[str, str]]:
    """Yield the members that a predicate uses, each with its type; a date part counts as its date.

    Parameters
    ----------
    owner : str, optional
        In the condition of a derived link, the type of the link's owner.
    definitions : bool
        Whether to include the bodies of definitions.

    Examples
    --------
    >>> from structtree.data.schema import Link, RecordType
    >>> schema = Schema((RecordType("Train", (), (Link("cars", "list", "Car"),)), RecordType("Car")), "Train")
    >>> list(asked_members(syn.Exists("cars", syn.Flag("long")), "Train", schema))
    [('Train', 'cars'), ('Car', 'long')]
    """
    for part, name in subpredicates(predicate, type_name, schema, definitions=definitions):
        for at, member in _members_of(part, name, schema, owner):
            yield at, member.names[0] if isinstance(member, syn.DatePart) else member


def _members_of(part: syn.Predicate, name: str, schema: Schema, owner: str | None) -> Iterator[tuple[str, str]]:
    """Yield the members that a predicate uses directly, not in predicates nested in it."""
    if isinstance(part, syn.AttributeTest):
        yield name, part.attribute
    elif isinstance(part, syn.CompareOwn):
        for path in part.sides:
            yield from path_members(path, name, schema)
    elif isinstance(part, syn.CompareMine):
        yield from path_members(part.attribute, name, schema)
        yield from path_members(part.mine, owner, schema) if owner is not None else ()
    elif isinstance(part, syn.Missing):
        yield name, part.member
    elif isinstance(part, syn.LinkForm | syn.Aggregate) and part.link is not None:
        yield name, part.link
    if isinstance(part, syn.Aggregate) and (link := schema.type(name).link(part.link)) is not None:
        yield from ((link.target, member) for member in (part.attribute, part.order) if member is not None)


def mentions_owner(predicate: syn.Predicate) -> bool:
    """Return whether a predicate mentions the link's owner, with ``my`` or ``me``."""
    return any(isinstance(part, syn.OwnerTest) for part in parts_of(predicate))


def expression_parts(value: syn.Expression) -> Iterator[syn.Expression]:
    """Yield an expression and all its subexpressions."""
    stack = [value]
    while stack:
        here = stack.pop()
        yield here
        match here:
            case syn.Arithmetic(left, _, right):
                stack += [right, left]
            case syn.Negative(inner) | syn.Absolute(inner):
                stack.append(inner)
            case int() | float() | syn.Operand() | syn.Smarts():
                pass
            case _ as never:
                assert_never(never)


def is_closed(predicate: syn.Predicate) -> bool:
    """Return whether the parts of a predicate cannot be refined because refining them could make it more general."""
    match predicate:
        case syn.Or() | syn.Not() | syn.No():
            return True
        case syn.Aggregate():
            return not is_monotone(predicate)
        case syn.Count(op=op):
            return op == "<="
        case syn.And() | syn.Follow() | syn.ListStep() | syn.Exists() | syn.All() | syn.Distinct():
            return False
        case _ if isinstance(predicate, syn.Atomic):
            return False
        case _ as never:
            assert_never(never)


def parts_of(predicate: syn.Predicate) -> Iterator[syn.Predicate]:
    """Yield a predicate and all its subpredicates."""
    stack = [predicate]  # no recursion, because definitions can make predicates deep
    while stack:
        here = stack.pop()
        yield here
        stack.extend(reversed(children(here)))


def subpredicates(
    predicate: syn.Predicate, type_name: str, schema: Schema, *, closed: bool = True, definitions: bool = False
) -> Iterator[tuple[syn.Predicate, str]]:
    """Yield a predicate and all its subpredicates, each with its type.

    Parameters
    ----------
    closed : bool
        Whether to look inside closed predicates.
    definitions : bool
        Whether to include the bodies of definitions.

    Examples
    --------
    >>> from structtree.data.schema import Link, RecordType
    >>> schema = Schema((RecordType("Train", (), (Link("cars", "list", "Car"),)), RecordType("Car")), "Train")
    >>> [name for _, name in subpredicates(syn.Exists("cars", syn.Top()), "Train", schema)]
    ['Train', 'Car']
    """
    stack = [(predicate, type_name)]
    while stack:
        here, name = stack.pop()
        yield here, name
        if definitions and isinstance(here, syn.Named) and here.body is not None:
            stack.append((here.body, name))
        inner = inner_type(here, name, schema)
        if inner is not None and (closed or not is_closed(here)):
            stack.extend((child, inner) for child in reversed(children(here)))


def open_types(predicate: syn.Predicate, type_name: str, schema: Schema) -> Iterator[str]:
    """Yield the types of the open positions inside a predicate."""
    for part, name in subpredicates(predicate, type_name, schema, closed=False):
        if isinstance(part, syn.Top):
            yield name


def functional_step(predicate: syn.Predicate) -> str | None:
    """Return the first step of a predicate if it leads to a single row (a reference, ``next`` ...), else None."""
    match predicate:
        case syn.Follow(link):
            return f"{link}."
        case syn.ListStep(step, _, link) if step in FUNCTIONAL:
            return f"{step} {link or ''}."
        case _:
            return None


def peel(predicate: syn.Predicate) -> tuple[StepPath, syn.Predicate]:
    """Split a predicate into its leading functional steps (each leads to a single row) and the rest.

    Examples
    --------
    >>> peel(syn.Follow("load", syn.Flag("round")))[1]
    Flag(attribute='round', positive=True)
    """
    path: list[syn.Follow | syn.ListStep] = []
    while isinstance(predicate, syn.Follow) or (isinstance(predicate, syn.ListStep) and predicate.step in FUNCTIONAL):
        path.append(predicate)
        predicate = predicate.inner
    return tuple(path), predicate


def wrap(path: StepPath, predicate: syn.Predicate) -> syn.Predicate:
    """Put functional steps, outermost first, before a predicate; the inverse of `peel`."""
    for step in reversed(path):
        predicate = replace(step, inner=predicate)
    return predicate


def with_number(test: syn.Predicate, number: Any) -> syn.Predicate:
    """Return a test that compares a number, such as a count, with another number.

    Examples
    --------
    >>> with_number(syn.Compare("size", ">=", 3), 5)
    Compare(attribute='size', op='>=', value=5)
    """
    path, end = peel(test)
    if isinstance(end, syn.Count):
        return wrap(path, replace(end, n=number))
    assert isinstance(end, syn.Compare | syn.Aggregate)
    return wrap(path, replace(end, value=number))
