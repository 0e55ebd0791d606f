"""Explanations of why a predicate cannot be derived from a grammar.

The predicate is examined from the outside in, like a derivation, until an obstacle is found: an exceeded limit, a
clash of two conjuncts, too many conjuncts, or a literal that no rewrite of its type produces. Law: there is an
obstacle if and only if `Space.locate` returns None.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from heapq import nsmallest
from itertools import combinations
from typing import Any, Literal

import numpy as np

from structtree.lang import syntax as syn
from structtree.lang.logic import excludes, implies, subject
from structtree.lang.pretty import pretty
from structtree.lang.walk import peel
from structtree.reprs import number_text
from structtree.space.families import BundleFamily, Family, LinkFamily, Slot, TestFamily
from structtree.space.space import Space
from structtree.space.terms import canonical, clash, conjuncts, head, n_literals, nesting

__all__ = ["Obstacle", "obstacle"]

N_NEAREST = 3
"""Maximum number of nearest literals or rewrites in a message."""

MAX_COMPARED_MEMBERS = 1000
"""Maximum number of members of a family that are compared; for sets of values, small sets first."""


@dataclass(frozen=True, slots=True)
class Obstacle:
    """The first reason that a predicate is not in a space.

    Parameters
    ----------
    what : {"limit", "clash", "conjuncts", "value", "rewrite"}
    sentence : str
    at : Predicate
        The part of the predicate that cannot be derived.
    type : str
        The type of the rows that this part applies to.
    nearest : tuple of Predicate
        The nearest literals that rewrites of this type produce.
    """

    what: Literal["limit", "clash", "conjuncts", "value", "rewrite"]
    sentence: str
    at: syn.Predicate
    type: str
    nearest: tuple[syn.Predicate, ...] = ()


def obstacle(space: Space, predicate: syn.Predicate) -> Obstacle | None:
    """Return why a checked, ground predicate is not in the space, or None if it is.

    Examples
    --------
    >>> from structtree.lang.grammar import Grammar
    >>> space = Space.build(Grammar.parse("type T = {a: int} individual T refine T { top -> a >= {2, 5} }"))
    >>> print(obstacle(space, space.parse("a >= 3")).sentence)
    no rewrite of T produces 'a >= 3': 'top -> a >= {2, 5}' allows a >= 2 and a >= 5
    """
    predicate = canonical(predicate)
    if space.locate(predicate) is not None:
        return None
    slot = Slot(space.grammar.individual)
    found = _limit(space, predicate) or _at(space, slot, conjuncts(predicate), predicate)
    return found or _unmade(space, slot.type, predicate)


def _limit(space: Space, predicate: syn.Predicate) -> Obstacle | None:
    limits = space.grammar.limits
    measured = (("literals", n_literals(predicate), limits.literals), ("nesting", nesting(predicate), limits.nesting))
    for name, size, most in measured:
        if most is not None and size > most:
            has = f"it has {size} literals" if name == "literals" else f"it has {size} nested links"
            sentence = f"{has}, {size - most} more than 'limits {{ {name} {most} }}' allows"
            return Obstacle("limit", sentence, predicate, space.grammar.individual)
    return None


def _at(space: Space, slot: Slot, literals: tuple[syn.Predicate, ...], whole: syn.Predicate) -> Obstacle | None:
    """Return why these conjuncts cannot be at a position, or None if they can."""
    for p, q in combinations(literals, 2):
        if clash(p, q):
            return Obstacle("clash", _clash(p, q, slot.type), whole, slot.type)
    if slot.type in space.bundled:
        return _at_bundles(space, slot, literals, whole)
    if 0 < space.most_conjuncts(slot) < len(literals):
        sentence = _too_many(literals, space.grammar.conjuncts.get(slot.type, 1), slot.type)
        return Obstacle("conjuncts", sentence, whole, slot.type)
    for literal in literals:
        fixed = any(space._place_from((family,), literal, slot.type) for family in slot.fixed)
        if not fixed and space._home(slot.type, literal) is None:
            return _of_literal(space, slot.type, literal)
    return None


def _at_bundles(
    space: Space, slot: Slot, literals: tuple[syn.Predicate, ...], whole: syn.Predicate
) -> Obstacle | None:
    """Return why conjuncts cannot be at a position whose rewrites add bundles, or None if they can."""
    if space._place(slot, literals) is not None:
        return None
    parts = [family for bundle in space.offers.bundles[slot.type] for family in bundle.slot.fixed]
    for literal in literals:
        together = any(space._place_as(family, literal) for family in (*slot.fixed, *parts))
        if not together and (not slot.open or space._home(slot.type, literal) is None):
            return _of_literal(space, slot.type, literal)
    text = " and ".join(map(pretty, literals))
    alone = [literal for literal in literals if space._home(slot.type, literal) is None]
    if not alone:
        sentence = _too_many(literals, space.grammar.conjuncts.get(slot.type, 1), slot.type)
        return Obstacle("conjuncts", sentence, whole, slot.type)
    makers = (b for b in space.offers.bundles[slot.type] if any(space._place_as(f, alone[0]) for f in b.slot.fixed))
    rules = [_rule(space, bundle) for bundle in makers]
    made = f"{pretty(alone[0])!r} is only produced by {' and '.join(map(repr, rules))}" if rules else "it is closed"
    sentence = f"no rewrites of {slot.type} produce {text!r}: {made}"
    return Obstacle("rewrite", sentence, whole, slot.type)


def _clash(p: syn.Predicate, q: syn.Predicate, name: str) -> str:
    both = f"{pretty(p)!r} and {pretty(q)!r} cannot be combined at one position of {name}"
    if excludes(p, q):
        return f"{both}: no row satisfies both"
    if implies(p, q) or implies(q, p):
        weak = q if implies(p, q) else p
        return f"{both}: {pretty(weak)!r} is redundant"
    if isinstance(peel(p)[1], syn.Among) and isinstance(peel(q)[1], syn.Among):
        return f"{both}: write the common values as one set"
    return f"{both}: write the conditions behind one reference in one pair of brackets"


def _too_many(literals: tuple[syn.Predicate, ...], most: int, name: str) -> str:
    rule = f"'top -> top and top max {most}'" if most > 1 else "it has no 'top -> top and top'"
    return f"a position of {name} has at most {number_text(most, 'conjunct')} ({rule}), got {len(literals)}"


# ---- one literal ----------------------------------------------------------------------------------------


def _of_literal(space: Space, name: str, literal: syn.Predicate) -> Obstacle:
    """Return why no rewrite of a type produces a literal: its children, its value or its form."""
    inside = [found for family in _families(space, name) for found in _inside(space, family, literal)]
    if inside:
        return inside[0]
    return _value(space, name, literal) or _unmade(space, name, literal)


def _inside(space: Space, family: Family, literal: syn.Predicate) -> Iterator[Obstacle]:
    """Yield the obstacles in the inner predicates of a literal, if a family has its link."""
    inners = family.inners(literal) if isinstance(family, LinkFamily) else None
    if inners is None:
        return
    assert isinstance(family, LinkFamily)
    for slot, inner in zip(family.slots, inners, strict=True):
        found = _at(space, slot, conjuncts(inner), literal)
        if found is not None:
            yield found


def _value(space: Space, name: str, literal: syn.Predicate) -> Obstacle | None:
    """Return an obstacle that lists the nearest values if rewrites test the same feature with other values."""
    same = [family for family in _families(space, name) if _tests_the_same(family, literal)]
    if not same:
        return None
    alike = [family for family in same if _operator(family.template) == _operator(peel(literal)[1])] or same
    near = [found for family in alike for found in _nearest(family, literal)][:N_NEAREST]
    rules = list(dict.fromkeys(repr(_rule(space, family)) for family in alike))
    n = sum(family.n if isinstance(family, TestFamily) else len(family.numbers) for family in alike)
    allowed = _listed(near) if n <= len(near) else f"{n:,} others, such as {_listed(near)}"
    allow = f"{' and '.join(rules)} allow{'s' * (len(rules) == 1)}"
    sentence = f"no rewrite of {name} produces {pretty(literal)!r}: {allow} {allowed}"
    return Obstacle("value", sentence, literal, name, tuple(near))


def _unmade(space: Space, name: str, literal: syn.Predicate) -> Obstacle:
    rules = list(dict.fromkeys(_rule(space, family) for family in _families(space, name)))
    text = f"top -> {pretty(literal)}"
    near = difflib.get_close_matches(text, rules, n=N_NEAREST, cutoff=0.0)
    more = f" and {len(rules) - len(near)} more" if len(rules) > len(near) else ""
    known = f"; it has {', '.join(map(repr, near))}{more}" if rules else ", which has no rewrites"
    return Obstacle("rewrite", f"no rewrite of {name} produces {pretty(literal)!r}{known}", literal, name)


def _families(space: Space, name: str) -> Iterator[Family]:
    """Yield all families of a type, including the families in bundles."""
    yield from space.offers.of_type(name)
    for bundle in space.offers.bundles.get(name, ()):
        yield from (replace(family, index=bundle.index) for family in bundle.slot.fixed)


def _tests_the_same(family: Family, literal: syn.Predicate) -> bool:
    if isinstance(family, TestFamily):
        return family.subject is not None and family.subject == subject(literal)
    template = family.template
    if isinstance(template, syn.Aggregate) and isinstance(literal, syn.Aggregate):
        return head(template) == head(literal) and template.op == literal.op
    return isinstance(template, syn.Count) and isinstance(literal, syn.Count) and template.link == literal.link


def _rule(space: Space, family: Family | BundleFamily) -> str:
    rewrite = space.grammar.rewrites[family.type][family.index]
    return f"{pretty(rewrite.left)} -> {pretty(rewrite.right)}"


def _nearest(family: Family, literal: syn.Predicate) -> Iterator[syn.Predicate]:
    """Yield the members of a family with the nearest values, in order of their values."""
    wanted = _value_of(literal)
    values: Any = family.values if isinstance(family, TestFamily) else family.numbers
    compared = range(min(len(values), MAX_COMPARED_MEMBERS))
    for v in sorted(nsmallest(N_NEAREST, compared, key=lambda v: _distance(values[v], wanted))):
        if isinstance(family, TestFamily):
            yield family.literal(v)
        else:
            assert isinstance(literal, syn.Count | syn.Aggregate)
            yield family.build(family.numbers[v], [literal.inner or syn.TOP])


def _distance(value: Any, wanted: Any) -> float:
    value = getattr(value, "low", value)
    if isinstance(wanted, tuple) and isinstance(value, tuple) and len(wanted) == len(value):
        return sum(map(_distance, value, wanted))
    if isinstance(wanted, int | float) and isinstance(value, int | float | np.number):
        return abs(float(value) - float(wanted))
    return 1.0 - difflib.SequenceMatcher(None, str(value), str(wanted)).ratio()


def _value_of(literal: syn.Predicate) -> Any:
    match peel(literal)[1]:
        case syn.Compare(value=value) | syn.Aggregate(value=value):
            return value
        case syn.Count(n=n):
            return n
        case syn.Within(low=low):
            return low
        case syn.Among(values=values) | syn.Named(arguments=values):
            return values
        case _:
            return None


def _operator(test: syn.Predicate) -> tuple[str, str | None]:
    return type(test).__name__, getattr(test, "op", None)


def _listed(predicates: list[syn.Predicate]) -> str:
    *first, last = map(pretty, predicates)
    return f"{', '.join(first)} and {last}" if first else last
