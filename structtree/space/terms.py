"""Canonical form and size of ground predicates, and which conjuncts can be combined.

In canonical form, a conjunction is a sorted set of at least two conjuncts without ``top``, and without tests that are
implied by another test of the same feature. Two predicates with the same canonical form are the same member of the
space. Conjuncts of a position must not `clash`: as far as the syntax shows, none may repeat, imply or exclude
another.
"""

from __future__ import annotations

from collections.abc import Container, Hashable
from dataclasses import replace
from typing import Any

from structtree.lang import syntax as syn
from structtree.lang.logic import excludes, implies, subject
from structtree.lang.walk import children, functional_step, peel, with_children

__all__ = [
    "canonical",
    "clash",
    "conjoin",
    "conjuncts",
    "head",
    "may_outgrow",
    "may_part",
    "n_literals",
    "nesting",
    "order",
]

Head = tuple[str | None, ...] | None


def conjuncts(predicate: syn.Predicate) -> tuple[syn.Predicate, ...]:
    """Return the parts of a conjunction; for other predicates, the predicate itself; for ``top``, nothing."""
    match predicate:
        case syn.Top():
            return ()
        case syn.And(parts):
            return parts
        case _:
            return (predicate,)


def conjoin(parts: tuple[syn.Predicate, ...]) -> syn.Predicate:
    """Return the canonical conjunction of canonical parts that do not clash."""
    if len(parts) > 1:
        return syn.And(tuple(sorted(parts, key=order)))
    return parts[0] if parts else syn.TOP


def canonical(predicate: syn.Predicate) -> syn.Predicate:
    """Return the canonical form of a ground predicate.

    Examples
    --------
    >>> from structtree.lang.parse import parse_predicate
    >>> from structtree.lang.pretty import pretty
    >>> pretty(canonical(parse_predicate("b >= 2 and top and a = x and b >= 3 and a = x")))
    'a = x and b >= 3'
    """
    if inners := children(predicate):
        predicate = with_children(predicate, tuple(map(canonical, inners)))
    match predicate:
        case syn.And(parts):
            return conjoin(tuple(_strongest([part for p in parts for part in conjuncts(p)])))
        case syn.Or(parts):
            unique = tuple(sorted(dict.fromkeys(part for p in parts for part in _disjuncts(p)), key=order))
            if syn.TOP in unique:
                return syn.TOP
            return syn.Or(unique) if len(unique) > 1 else unique[0]
        case syn.Among(attribute, values, None):
            words = syn.sort_scalars(values)
            return syn.Compare(attribute, "=", words[0]) if len(words) == 1 else syn.Among(attribute, words)
        case syn.CompareOwn():
            return predicate.in_order
        case syn.Distinct(link, inners):
            return syn.Distinct(link, tuple(sorted(inners, key=order)))
        case syn.Aggregate(attribute=str(), inner=syn.Top()):
            return replace(predicate, inner=None)
        case _:
            return predicate


def _disjuncts(predicate: syn.Predicate) -> tuple[syn.Predicate, ...]:
    return predicate.parts if isinstance(predicate, syn.Or) else (predicate,)


def _strongest(parts: list[syn.Predicate]) -> list[syn.Predicate]:
    """Return the distinct parts that no other part implies; of two equivalent parts, the first."""
    left = dict.fromkeys(parts)
    related: dict[Hashable, list[syn.Predicate]] = {}
    for part in tuple(left):
        topic = _topic(part)
        kept = related.setdefault(topic, [])
        if topic is None:
            continue
        if any(implies(other, part) for other in kept):
            del left[part]
            continue
        for weaker in [other for other in kept if implies(part, other)]:
            kept.remove(weaker)
            del left[weaker]
        kept.append(part)
    return list(left)


def clash(p: syn.Predicate, q: syn.Predicate) -> bool:
    """Return whether two literals cannot be conjuncts of one position.

    They clash if they are equal; if they test the same feature, and one implies or excludes the other; if they are
    two sets of values of the same feature, which can be written as one set; if they count the same rows, and one
    implies or excludes the other; and if they start with the same functional step (``load (P)``), unless both are
    plain tests behind it, because other conditions belong inside P.

    Examples
    --------
    >>> from structtree.lang.parse import parse_predicate as parse
    >>> clash(parse("a = x"), parse("a = y")), clash(parse("a >= 1"), parse("a <= 3"))
    (True, False)
    """
    if p == q:
        return True
    step = functional_step(p)
    if step is not None and step == functional_step(q):
        return subject(p) is None or subject(q) is None or (subject(p) == subject(q) and _opposed(p, q))
    if isinstance(p, syn.Missing) and isinstance(q, syn.Follow):
        return p.member == q.link
    if isinstance(q, syn.Missing) and isinstance(p, syn.Follow):
        return q.member == p.link
    return _related(p, q) and _opposed(p, q)


def may_outgrow(p: syn.Predicate, q: syn.Predicate, rewritten: Container[Head] = ()) -> bool:
    """Return whether a literal p that clashes with q may have refinements that do not clash with q.

    Behind a functional step, only ``top`` and left sides of rewrites can become plain tests, and only an aggregate
    can change its feature. Elsewhere, any refinement may resolve the clash.

    Parameters
    ----------
    rewritten : container of heads
        The heads of the left sides of rewrites.
    """
    if isinstance(p, syn.Missing) or isinstance(q, syn.Missing):
        return False
    step = functional_step(p)
    if step is None or step != functional_step(q):
        return True
    return head(p) in rewritten or (subject(q) is not None and (_unfilled(p, rewritten) or _aggregates(p)))


def may_part(p: syn.Predicate, q: syn.Predicate, rewritten: Container[Head] = ()) -> bool:
    """Return whether two literals that clash may have refinements that do not clash, if both can be refined."""
    if isinstance(p, syn.Missing) or isinstance(q, syn.Missing):
        return False
    step = functional_step(p)
    if step is None or step != functional_step(q) or head(p) in rewritten or head(q) in rewritten:
        return True
    return all(subject(one) is not None or _unfilled(one, rewritten) for one in (p, q))


def _unfilled(p: syn.Predicate, rewritten: Container[Head]) -> bool:
    if isinstance(p, syn.Top) or head(p) in rewritten:
        return True
    return (
        isinstance(p, syn.Follow | syn.ListStep) and functional_step(p) is not None and _unfilled(p.inner, rewritten)
    )


def _aggregates(p: syn.Predicate) -> bool:
    """Return whether a literal ends in an aggregate; refining its condition changes the feature."""
    return isinstance(peel(p)[1], syn.Aggregate)


def head(literal: syn.Predicate) -> Head:
    """Return a key of a literal that ignores its values and its children.

    Examples
    --------
    >>> from structtree.lang.parse import parse_predicate
    >>> head(parse_predicate("later (long)")) == head(parse_predicate("later (top)"))
    True
    """
    match literal:
        case syn.ListStep(step, _, link):
            return ("ListStep", step, link)
        case (
            syn.Exists(link) | syn.All(link) | syn.No(link) | syn.Count(link) | syn.Distinct(link) | syn.Follow(link)
        ):
            return (type(literal).__name__, link)
        case syn.Aggregate(function, link, attribute, order=by):
            return (f"{function} ", link, attribute, by)
        case _:
            return subject(literal)


def _related(p: syn.Predicate, q: syn.Predicate) -> bool:
    mine = _topic(p)
    return mine is not None and mine == _topic(q)


def _topic(literal: syn.Predicate) -> Hashable:
    """Return what a literal is about, as a key: the counted rows, or the feature; None if it has neither."""
    match literal:
        case syn.Count(link, inner):
            return ("Count", link, inner)
        case _:
            return subject(literal)


def _opposed(p: syn.Predicate, q: syn.Predicate) -> bool:
    if isinstance(peel(p)[1], syn.Among) and isinstance(peel(q)[1], syn.Among):
        return True
    return bool(implies(p, q)) or bool(implies(q, p)) or excludes(p, q)


def n_literals(predicate: syn.Predicate) -> int:
    """Return the number of literals in a predicate: its tests and link steps.

    Examples
    --------
    >>> from structtree.lang.parse import parse_predicate
    >>> n_literals(parse_predicate("exists atoms (element = N and exists bonds (to.element = O))"))
    5
    """
    if isinstance(predicate, syn.CompareOwn):
        return 1 + sum(len(side) - 1 for side in predicate.sides)
    return sum(map(n_literals, children(predicate))) + (not isinstance(predicate, _CONNECTIVES))


def nesting(predicate: syn.Predicate) -> int:
    """Return the maximum number of nested link steps in a predicate.

    Examples
    --------
    >>> from structtree.lang.parse import parse_predicate
    >>> nesting(parse_predicate("exists atoms (element = N and exists bonds (to.element = O))"))
    3
    """
    if isinstance(predicate, syn.CompareOwn):
        return max(map(len, predicate.sides)) - 1
    inside = max(map(nesting, children(predicate)), default=0)
    return inside + isinstance(predicate, _LOOKS_BEHIND_A_LINK)


def _scalar_order(value: Any) -> tuple[bool, Any]:
    return (isinstance(value, str), value)


def order(predicate: syn.Predicate) -> tuple[Any, ...]:
    """Return a sort key for ground predicates: tests before links, then by name, form and value."""
    match predicate:
        case syn.Flag(attribute, positive):
            return (0, attribute, 0, not positive)
        case syn.Compare(attribute, op, value):
            return (0, attribute, _OPERATORS[op], _scalar_order(value))
        case syn.CompareOwn(path, op, other):
            return (0, path[0], 9, path, _OPERATORS[op], other)
        case syn.Among(attribute, values):
            return (0, attribute, 5, tuple(map(_scalar_order, values)))
        case syn.Within(attribute, low, high, closed):
            return (0, attribute, 6, low, high, closed)
        case syn.Missing(name):
            return (0, name, 7)
        case syn.Named(name, arguments=arguments):
            return (0, name, 8, tuple(map(_scalar_order, arguments)))
        case syn.CompareMine(path, op, mine):
            return (0, path[0], 10, path, _OPERATORS[op], mine)
        case syn.Me():
            return (0, "", 11)
        case syn.Aggregate(function, link, attribute, op, value, inner, by):
            condition = () if inner is None else order(inner)
            return (1, link, attribute or "", function, condition, by or "", op, _scalar_order(value))
        case syn.Follow(link, inner):
            return (2, link, "", order(inner))
        case syn.ListStep(step, inner, link):
            return (2, link or "", step, order(inner))
        case syn.Exists(link, inner) | syn.All(link, inner) | syn.No(link, inner):
            return (3, link, _QUANTIFIERS[type(predicate)], order(inner))
        case syn.Count(link, inner, op, n):
            return (3, link, 3, order(inner), op, n)
        case syn.Distinct(link, inners):
            return (3, link, 4, tuple(map(order, inners)))
        case syn.And(parts):
            return (4, tuple(map(order, parts)))
        case syn.Or(parts):
            return (5, tuple(map(order, parts)))
        case syn.Not(inner):
            return (6, order(inner))
        case syn.Top():
            return (9,)


_CONNECTIVES = (syn.Top, syn.And, syn.Or, syn.Not)
_LOOKS_BEHIND_A_LINK = syn.LinkForm | syn.Aggregate
_QUANTIFIERS = {syn.Exists: 0, syn.All: 1, syn.No: 2}
_OPERATORS = {"=": 1, "!=": 2, ">=": 3, "<=": 4}
