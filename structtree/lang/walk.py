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
from structtree.lang.aggregates import is_monotone
from structtree.lang.syntax import (
    Absolute,
    Aggregate,
    All,
    And,
    Arithmetic,
    AskerTest,
    AttributeTest,
    CompareMine,
    CompareOwn,
    Count,
    DatePart,
    Distinct,
    Exists,
    Expression,
    Follow,
    LinkedTo,
    LinkForm,
    ListStep,
    Missing,
    Named,
    Negative,
    No,
    Not,
    Operand,
    Or,
    Predicate,
    Test,
    Top,
    ValuePath,
    require_predicate,
)

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

StepPath = tuple[Follow | ListStep, ...]


def children(predicate: Predicate) -> tuple[Predicate, ...]:
    """Return the predicates that a predicate is made of; none for a plain test or a definition.

    Examples
    --------
    >>> children(Exists("cars", Top()))
    (Top(),)
    """
    match predicate:
        case LinkedTo() | ListStep() | Not():
            return (predicate.inner,)
        case And(parts) | Or(parts) | Distinct(_, parts):
            return parts
        case Aggregate(inner=inner):
            return () if inner is None else (inner,)
        case Top():
            return ()
        case _ if isinstance(predicate, Test):
            return ()
        case _ as never:
            require_predicate(never)
            assert_never(never)


def with_children(predicate: Predicate, inners: tuple[Predicate, ...]) -> Predicate:
    """Return the same form made of other predicates, as many as its `children`."""
    match predicate:
        case LinkedTo() | ListStep() | Not():
            return replace(predicate, inner=inners[0])
        case And() | Or():
            return replace(predicate, parts=inners)
        case Distinct():
            return replace(predicate, inners=inners)
        case Aggregate():
            return replace(predicate, inner=inners[0] if inners else None)
        case Top():
            return predicate
        case _ if isinstance(predicate, Test):
            return predicate
        case _ as never:
            assert_never(never)


def inner_type(predicate: Predicate, type_name: str, schema: Schema) -> str | None:
    """Return the type that the children of a predicate are about; None when the link is not known."""
    link = predicate.link if isinstance(predicate, LinkForm | Aggregate) else None
    if link is None:
        return type_name
    found = schema.type(type_name).link(link)
    return None if found is None else found.target


def compared_members(test: CompareOwn, type_name: str, schema: Schema) -> Iterator[tuple[str, str]]:
    """Yield the references and attributes that a comparison of two values asks about, each with its type.

    Examples
    --------
    >>> from structtree.data.schema import Link, RecordType
    >>> schema = Schema((RecordType("Car", (), (Link("load", "one", "Load"),)), RecordType("Load")), "Car")
    >>> list(compared_members(CompareOwn(("load", "shape"), "=", ("roof",)), "Car", schema))
    [('Car', 'load'), ('Load', 'shape'), ('Car', 'roof')]
    """
    for path in test.sides:
        yield from path_members(path, type_name, schema)


def path_members(path: ValuePath, type_name: str, schema: Schema) -> Iterator[tuple[str, str]]:
    """Yield the references of a path and the attribute at its end, each with its type, as far as they are known."""
    at: str | None = type_name
    for member in path:
        if at is None:
            break
        yield at, member
        link = schema.type(at).link(member)
        at = None if link is None else link.target


def asked_members(
    predicate: Predicate, type_name: str, schema: Schema, asker: str | None = None, *, definitions: bool = False
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
    >>> list(asked_members(Exists("cars", Flag("long")), "Train", schema))
    [('Train', 'cars'), ('Car', 'long')]
    """
    for part, name in subpredicates(predicate, type_name, schema, definitions=definitions):
        for at, member in _members_of(part, name, schema, asker):
            yield at, member.names[0] if isinstance(member, DatePart) else member


def _members_of(part: Predicate, name: str, schema: Schema, asker: str | None) -> Iterator[tuple[str, str]]:
    """Yield the members that a predicate itself asks about, without those that its parts do."""
    if isinstance(part, AttributeTest):
        yield name, part.attribute
    elif isinstance(part, CompareOwn):
        yield from compared_members(part, name, schema)
    elif isinstance(part, CompareMine):
        yield from path_members(part.attribute, name, schema)
        yield from path_members(part.mine, asker, schema) if asker is not None else ()
    elif isinstance(part, Missing):
        yield name, part.member
    elif isinstance(part, LinkForm | Aggregate) and part.link is not None:
        yield name, part.link
    if isinstance(part, Aggregate) and (link := schema.type(name).link(part.link)) is not None:
        yield from ((link.target, member) for member in (part.attribute, part.order) if member is not None)


def asks_about_asker(predicate: Predicate) -> bool:
    """Tell whether a predicate speaks of the row that asks, by ``my`` or ``me``."""
    return any(isinstance(part, AskerTest) for part in parts_of(predicate))


def expression_parts(value: Expression) -> Iterator[Expression]:
    """Yield every expression inside one, itself first."""
    stack = [value]
    while stack:
        here = stack.pop()
        yield here
        match here:
            case Arithmetic(left, _, right):
                stack += [right, left]
            case Negative(inner) | Absolute(inner):
                stack.append(inner)
            case int() | float() | Operand():
                pass
            case _ as never:
                assert_never(never)


def is_closed(predicate: Predicate) -> bool:
    """Tell whether nothing is refined inside, since adding to a part could make the whole hold of more rows."""
    match predicate:
        case Or() | Not() | No():
            return True
        case Aggregate():
            return not is_monotone(predicate)
        case Count(op=op):
            return op == "<="
        case Top() | And() | Follow() | ListStep() | Exists() | All() | Distinct():
            return False
        case _ if isinstance(predicate, Test):
            return False
        case _ as never:
            assert_never(never)


def parts_of(predicate: Predicate) -> Iterator[Predicate]:
    """Yield every predicate inside one, itself first."""
    stack = [predicate]  # a stack of its own, since predicates may be long, and definitions make them deep
    while stack:
        here = stack.pop()
        yield here
        stack.extend(reversed(children(here)))


def subpredicates(
    predicate: Predicate, type_name: str, schema: Schema, *, closed: bool = True, definitions: bool = False
) -> Iterator[tuple[Predicate, str]]:
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
    >>> [name for _, name in subpredicates(Exists("cars", Top()), "Train", schema)]
    ['Train', 'Car']
    """
    stack = [(predicate, type_name)]
    while stack:
        here, name = stack.pop()
        yield here, name
        if definitions and isinstance(here, Named) and here.body is not None:
            stack.append((here.body, name))
        inner = inner_type(here, name, schema)
        if inner is not None and (closed or not is_closed(here)):
            stack.extend((child, inner) for child in reversed(children(here)))


def open_types(predicate: Predicate, type_name: str, schema: Schema) -> Iterator[str]:
    """Yield the types of the positions inside a predicate at which something may still be added."""
    for part, name in subpredicates(predicate, type_name, schema, closed=False):
        if isinstance(part, Top):
            yield name


def functional_step(predicate: Predicate) -> str | None:
    """Return the step of a predicate that looks at one row (a reference, the first, the next ...); else None."""
    match predicate:
        case Follow(link):
            return f"{link}."
        case ListStep(step, _, link) if step in FUNCTIONAL:
            return f"{step} {link or ''}."
        case _:
            return None


def peel(predicate: Predicate) -> tuple[StepPath, Predicate]:
    """Return the references and functional steps that a predicate begins with, and what stands behind them.

    Examples
    --------
    >>> from structtree.lang.syntax import Flag
    >>> peel(Follow("load", Flag("round")))[1]
    Flag(attribute='round', positive=True)
    """
    path: list[Follow | ListStep] = []
    while isinstance(predicate, Follow) or (isinstance(predicate, ListStep) and predicate.step in FUNCTIONAL):
        path.append(predicate)
        predicate = predicate.inner
    return tuple(path), predicate


def wrap(path: StepPath, predicate: Predicate) -> Predicate:
    """Return a predicate behind some steps, outermost first; the inverse of `peel`."""
    for step in reversed(path):
        predicate = replace(step, inner=predicate)
    return predicate
