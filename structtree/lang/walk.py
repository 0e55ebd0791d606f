"""The one traversal of predicates: what they are made of, of which type each part is, and which parts are open.

Whatever walks over predicates is built from here: `children` and `with_children` take a form apart and put it
together, `subpredicates` goes through all parts, and `peel` and `wrap` take single steps off and put them back. Each
``match`` ends in `assert_never`, so that a type checker lists the places that a new form has to be added to.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import assert_never

from structtree.data.schema import Schema
from structtree.lang import syntax as syn
from structtree.lang.aggregates import is_monotone

__all__ = [
    "FUNCTIONAL",
    "StepPath",
    "asked_members",
    "asks_about_asker",
    "children",
    "compared_members",
    "expression_parts",
    "functional_step",
    "inner_type",
    "is_closed",
    "open_types",
    "parts_of",
    "path_members",
    "peel",
    "subpredicates",
    "with_children",
    "wrap",
]

FUNCTIONAL = ("first", "last", "next", "previous")
"""The steps along lists that lead to one row at most."""

StepPath = tuple[syn.Follow | syn.ListStep, ...]


def children(predicate: syn.Predicate) -> tuple[syn.Predicate, ...]:
    """Return the predicates that a predicate is made of; none for a plain test or a definition.

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
        case syn.Top():
            return ()
        case _ if isinstance(predicate, syn.Test):
            return ()
        case _ as never:
            syn.require_predicate(never)
            assert_never(never)


def with_children(predicate: syn.Predicate, inners: tuple[syn.Predicate, ...]) -> syn.Predicate:
    """Return the same form made of other predicates, as many as its `children`."""
    match predicate:
        case syn.LinkedTo() | syn.ListStep() | syn.Not():
            return replace(predicate, inner=inners[0])
        case syn.And() | syn.Or():
            return replace(predicate, parts=inners)
        case syn.Distinct():
            return replace(predicate, inners=inners)
        case syn.Aggregate():
            return replace(predicate, inner=inners[0] if inners else None)
        case syn.Top():
            return predicate
        case _ if isinstance(predicate, syn.Test):
            return predicate
        case _ as never:
            assert_never(never)


def inner_type(predicate: syn.Predicate, type_name: str, schema: Schema) -> str | None:
    """Return the type that the children of a predicate are about; None when the link is not known."""
    link = predicate.link if isinstance(predicate, syn.LinkForm | syn.Aggregate) else None
    if link is None:
        return type_name
    found = schema.type(type_name).link(link)
    return None if found is None else found.target


def compared_members(test: syn.CompareOwn, type_name: str, schema: Schema) -> Iterator[tuple[str, str]]:
    """Yield the references and attributes that a comparison of two values asks about, each with its type.

    Examples
    --------
    >>> from structtree.data.schema import Link, RecordType
    >>> schema = Schema((RecordType("Car", (), (Link("load", "one", "Load"),)), RecordType("Load")), "Car")
    >>> list(compared_members(syn.CompareOwn(("load", "shape"), "=", ("roof",)), "Car", schema))
    [('Car', 'load'), ('Load', 'shape'), ('Car', 'roof')]
    """
    for path in test.sides:
        yield from path_members(path, type_name, schema)


def path_members(path: syn.ValuePath, type_name: str, schema: Schema) -> Iterator[tuple[str, str]]:
    """Yield the references of a path and the attribute at its end, each with its type, as far as they are known."""
    at: str | None = type_name
    for member in path:
        if at is None:
            break
        yield at, member
        link = schema.type(at).link(member)
        at = None if link is None else link.target


def asked_members(
    predicate: syn.Predicate, type_name: str, schema: Schema, asker: str | None = None, *, definitions: bool = False
) -> Iterator[tuple[str, str]]:
    """Yield the members that a predicate asks about, each with its type; of a part of a date, the date.

    Parameters
    ----------
    asker : str, optional
        The type of the row that asks, in the condition of a derived link.
    definitions : bool
        Also what definitions stand for.

    Examples
    --------
    >>> from structtree.data.schema import Link, RecordType
    >>> from structtree.lang.syntax import Flag
    >>> schema = Schema((RecordType("Train", (), (Link("cars", "list", "Car"),)), RecordType("Car")), "Train")
    >>> list(asked_members(syn.Exists("cars", Flag("long")), "Train", schema))
    [('Train', 'cars'), ('Car', 'long')]
    """
    for part, name in subpredicates(predicate, type_name, schema, definitions=definitions):
        for at, member in _members_of(part, name, schema, asker):
            yield at, member.names[0] if isinstance(member, syn.DatePart) else member


def _members_of(part: syn.Predicate, name: str, schema: Schema, asker: str | None) -> Iterator[tuple[str, str]]:
    """Yield the members that a predicate itself asks about, without those that its parts do."""
    if isinstance(part, syn.AttributeTest):
        yield name, part.attribute
    elif isinstance(part, syn.CompareOwn):
        yield from compared_members(part, name, schema)
    elif isinstance(part, syn.CompareMine):
        yield from path_members(part.attribute, name, schema)
        yield from path_members(part.mine, asker, schema) if asker is not None else ()
    elif isinstance(part, syn.Missing):
        yield name, part.member
    elif isinstance(part, syn.LinkForm | syn.Aggregate) and part.link is not None:
        yield name, part.link
    if isinstance(part, syn.Aggregate) and (link := schema.type(name).link(part.link)) is not None:
        yield from ((link.target, member) for member in (part.attribute, part.order) if member is not None)


def asks_about_asker(predicate: syn.Predicate) -> bool:
    """Tell whether a predicate speaks of the row that asks, by ``my`` or ``me``."""
    return any(isinstance(part, syn.AskerTest) for part in parts_of(predicate))


def expression_parts(value: syn.Expression) -> Iterator[syn.Expression]:
    """Yield every expression inside one, itself first."""
    stack = [value]
    while stack:
        here = stack.pop()
        yield here
        match here:
            case syn.Arithmetic(left, _, right):
                stack += [right, left]
            case syn.Negative(inner) | syn.Absolute(inner):
                stack.append(inner)
            case int() | float() | syn.Operand():
                pass
            case _ as never:
                assert_never(never)


def is_closed(predicate: syn.Predicate) -> bool:
    """Tell whether nothing is refined inside, since adding to a part could make the whole hold of more rows."""
    match predicate:
        case syn.Or() | syn.Not() | syn.No():
            return True
        case syn.Aggregate():
            return not is_monotone(predicate)
        case syn.Count(op=op):
            return op == "<="
        case syn.Top() | syn.And() | syn.Follow() | syn.ListStep() | syn.Exists() | syn.All() | syn.Distinct():
            return False
        case _ if isinstance(predicate, syn.Test):
            return False
        case _ as never:
            assert_never(never)


def parts_of(predicate: syn.Predicate) -> Iterator[syn.Predicate]:
    """Yield every predicate inside one, itself first."""
    stack = [predicate]  # a stack of its own, since predicates may be long, and definitions make them deep
    while stack:
        here = stack.pop()
        yield here
        stack.extend(reversed(children(here)))


def subpredicates(
    predicate: syn.Predicate, type_name: str, schema: Schema, *, closed: bool = True, definitions: bool = False
) -> Iterator[tuple[syn.Predicate, str]]:
    """Yield every predicate inside one, itself first, each with its type.

    Parameters
    ----------
    closed : bool
        Also what stands inside closed forms.
    definitions : bool
        Also what definitions stand for.

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
    """Yield the types of the positions inside a predicate at which something may still be added."""
    for part, name in subpredicates(predicate, type_name, schema, closed=False):
        if isinstance(part, syn.Top):
            yield name


def functional_step(predicate: syn.Predicate) -> str | None:
    """Return the step of a predicate that looks at one row (a reference, the first, the next ...); else None."""
    match predicate:
        case syn.Follow(link):
            return f"{link}."
        case syn.ListStep(step, _, link) if step in FUNCTIONAL:
            return f"{step} {link or ''}."
        case _:
            return None


def peel(predicate: syn.Predicate) -> tuple[StepPath, syn.Predicate]:
    """Return the references and functional steps that a predicate begins with, and what stands behind them.

    Examples
    --------
    >>> from structtree.lang.syntax import Flag
    >>> peel(syn.Follow("load", Flag("round")))[1]
    Flag(attribute='round', positive=True)
    """
    path: list[syn.Follow | syn.ListStep] = []
    while isinstance(predicate, syn.Follow) or (isinstance(predicate, syn.ListStep) and predicate.step in FUNCTIONAL):
        path.append(predicate)
        predicate = predicate.inner
    return tuple(path), predicate


def wrap(path: StepPath, predicate: syn.Predicate) -> syn.Predicate:
    """Return a predicate behind some steps, outermost first; the inverse of `peel`."""
    for step in reversed(path):
        predicate = replace(step, inner=predicate)
    return predicate
