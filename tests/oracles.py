"""Slow and obvious versions of the clever steps."""

from __future__ import annotations

from itertools import combinations, product

from structtree.space.families import LinkFamily, Slot, TestFamily
from structtree.space.terms import clash, conjoin, n_literals, nesting

TOO_MANY = 400
ENDLESS = 99


class TooManyError(Exception):
    """The oracle would take too long."""


def all_predicates(space):
    """Every member of a space, by forming all sets of all literals, straight from the meaning of the rewrites."""
    limits = space.grammar.limits
    deep, long = (ENDLESS if limit is None else limit for limit in (limits.nesting, limits.literals))
    return positions(space, Slot(space.grammar.individual), deep, long)


def positions(space, slot, deep, long):
    """All conjunctions that may stand in a slot, within so many link steps and so many literals."""
    if deep < 0 or long < 0:
        return set()
    fixed = [with_rewrites(space, slot.type, family_literals(space, f, deep, long), deep, long) for f in slot.fixed]
    addable = literals_of(space, slot.type, deep, long) if slot.open else set()
    most = space.grammar.conjuncts.get(slot.type, 1) or long
    if space.offers.bundles.get(slot.type):
        return positions_with_bundles(space, slot, deep, long, fixed, addable, most)
    found = set()
    for chosen in product(*fixed):
        if not compatible(chosen):
            continue
        room = max(most, len(chosen) + int(slot.open)) - len(chosen)
        for k in range(min(room, len(addable)) + 1):
            for added in combinations(sorted(addable, key=repr), k):
                parts = (*chosen, *added)
                if len(set(parts)) == len(parts) and compatible(parts) and sum(map(n_literals, parts)) <= long:
                    found.add(conjoin(parts))
                    if len(found) > TOO_MANY**2:
                        raise TooManyError
    return found


def positions_with_bundles(space, slot, deep, long, fixed, addable, most):
    """The same where rewrites put several literals at a position at once: all that steps lead to, one by one."""
    steps = [(frozenset(), {literal}, 1) for literal in addable]
    for bundle in space.offers.bundles[slot.type]:
        if slot.open or bundle.left:
            parts = [
                with_rewrites(space, slot.type, family_literals(space, f, deep, long), deep, long)
                for f in bundle.slot.fixed
            ]
            free = bool(bundle.left) or bundle.open
            steps += [(frozenset(bundle.left), set(one), int(not free)) for one in product(*parts) if compatible(one)]
    n_fixed = len(slot.fixed)
    room = max(most, n_fixed + int(slot.open)) - n_fixed
    places = {frozenset(chosen): 0 for chosen in product(*fixed) if is_small(chosen, long)}
    waiting = list(places)
    while waiting:
        here = waiting.pop()
        for left, right, needed in steps:
            rest = here - left
            if left <= here and not rest & right and places[here] + needed <= room:
                made = rest | right
                if is_small(made, long) and places[here] + needed < places.get(made, ENDLESS):
                    places[made] = places[here] + needed
                    waiting.append(made)
        if len(places) > TOO_MANY or len(steps) > TOO_MANY:
            raise TooManyError
    return {conjoin(tuple(one)) for one in places}


def is_small(parts, long):
    return compatible(parts) and sum(map(n_literals, parts)) <= long


def literals_of(space, name, deep, long):
    """All literals that may be added at a position of a type."""
    start = set()
    for family in space.offers.from_top[name]:
        start |= family_literals(space, family, deep, long)
    return with_rewrites(space, name, start, deep, long)


def with_rewrites(space, name, start, deep, long):
    """The literals, and all that rewrites of literals make of them."""
    found = set(start)
    while True:
        more = {
            made
            for left in found & set(space.offers.from_literal[name])
            for family in space.offers.from_literal[name][left]
            for made in family_literals(space, family, deep, long)
        }
        if more <= found:
            return found
        found |= more
        if len(found) > TOO_MANY:
            raise TooManyError


def family_literals(space, family, deep, long):
    """All members of a family, everything that may stand in its slots included."""
    if isinstance(family, TestFamily):
        made = {family.literal(v) for v in range(len(family))}
    else:
        assert isinstance(family, LinkFamily)
        inner = [positions(space, slot, deep - 1, long - 1) for slot in family.slots]
        if len(inner) > 1 and any(len(i) > 60 for i in inner):
            raise TooManyError
        made = {family.build(n, inners) for n in family.numbers for inners in product(*inner)}
    made = {m for m in made if nesting(m) <= deep and n_literals(m) <= long}
    if len(made) > TOO_MANY:
        raise TooManyError
    return made


def compatible(parts):
    return not any(clash(p, q) for p, q in combinations(parts, 2))
