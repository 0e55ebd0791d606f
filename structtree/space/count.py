"""The number of predicates in a space, computed without enumerating them.

A position is a set of literals. Literals of different groups can be combined freely; a group contains the tests of
one feature or the literals of one link. Each group is a polynomial: the coefficient of x^k y^l is the number of ways
to combine k of its literals with a total size of l. The polynomial of a position is the product of those of its
groups, truncated at the maximum number of conjuncts and at the limits. That of a link counts sets of predicates of
its slot.

If rewrites overlap, so that a predicate has several derivations, no formula applies. The predicates are then
enumerated, up to a limit, and the result gives the reason.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from math import comb
from typing import Any

import numpy as np

from structtree.errors import UsageError, require
from structtree.lang import syntax as syn
from structtree.lang.pretty import pretty
from structtree.space.families import (
    BundleFamily,
    Family,
    LinkFamily,
    Slot,
    TestFamily,
    base_literals,
    base_predicates,
)
from structtree.space.space import Room, Space, has_room
from structtree.space.terms import clash, head

__all__ = ["SpaceSize", "count_space"]

Series = dict[tuple[int, int], int]  # (conjuncts, literals) -> number of ways
Sizes = dict[int, int]  # literals -> number of predicates

MAX_ENUMERATED = 1_000_000
MAX_COMPARED_TESTS = 3_000


@dataclass(frozen=True, slots=True)
class SpaceSize:
    """The number of predicates in a space.

    Parameters
    ----------
    size : int
    enumerated : str or None
        Why the predicates were enumerated; None if they were counted by formula.
    """

    size: int
    enumerated: str | None = None


class _NoFormulaError(Exception):
    """Raised if no formula applies: rewrites overlap, or a feature has too many tests of different forms."""


def count_space(space: Space, most: int = MAX_ENUMERATED) -> SpaceSize:
    """Count the predicates of a space, including ``top``.

    Parameters
    ----------
    space : Space
    most : int
        The maximum number of predicates to enumerate if no formula applies.

    Raises
    ------
    UsageError
        If there are more than `most` predicates to enumerate.

    Examples
    --------
    >>> from structtree.lang.grammar import Grammar
    >>> grammar = Grammar.parse("type T = {a: x | y | z, b: bool} individual T "
    ...                         "refine T { top -> a = *; top -> b; top -> top and top max 2 }")
    >>> count_space(Space.build(grammar))
    SpaceSize(size=8, enumerated=None)
    """
    require(space, Space, "space", "a Space; build it with Space.build(grammar, individuals)")
    counter = _Counter(space)
    try:
        sizes = counter.position(Slot(space.grammar.individual), space.room())
        return SpaceSize(sum(sizes.values()))
    except _NoFormulaError as reason:
        return _enumerate(space, most, str(reason))


def _enumerate(space: Space, most: int, reason: str) -> SpaceSize:
    n = sum(1 for _ in islice(space.enumerate(), most + 1))
    if n > most:
        raise UsageError(f"the space has more than {most:,} predicates, and no formula applies: {reason}")
    return SpaceSize(n, reason)


def _inside(room: Room) -> Room:
    """Return the limits that remain behind a link; the link itself counts as a literal."""
    return room.inside().after(1)


def _weight(room: Room, literals: int) -> int:
    """Return the number of literals as an exponent of the polynomial; 0 if the number is unlimited."""
    return 0 if room.literals is None else literals


@dataclass(slots=True)
class _Counter:
    space: Space
    known: dict[tuple[str, Room], Sizes] = field(default_factory=dict)

    def position(self, slot: Slot, room: Room) -> Sizes:
        """Return the number of predicates of each size at a position."""
        if not slot.plain:
            return _sizes(self._with_fixed(slot, room))
        key = (slot.type, room)
        if key not in self.known:
            most = self._most(slot, room)
            groups = self._groups(slot.type, room, most)
            self.known[key] = _sizes(_product(groups, most, room.literals))
        return self.known[key]

    def _most(self, slot: Slot, room: Room) -> int:
        most = self.space.most_conjuncts(slot)
        if most == 0:
            assert room.literals is not None  # the checker requires a limit
            return max(room.literals, 0)
        return most

    # ---- the groups of an open position -----------------------------------------------------------------

    def _groups(self, name: str, room: Room, most: int) -> Iterator[Series]:
        tests, links = self._families(name)
        for bundle in self.space.offers.bundles.get(name, ()):
            self._require_apart(bundle, [*tests, *links])
            yield self._bundle_series(bundle, room)
        functional = {f.head: f for f in links if f.functional}
        plain = [t for t in tests if t.head not in functional]
        lonely = self._lonely_missing(plain)
        yield from self._test_groups([t for t in plain if t not in lonely], room, most)
        yield from self._link_series(links, room, most, lonely)
        stepped = {f.template.link for f in links if isinstance(f.template, syn.Follow)}
        for test in lonely:
            assert isinstance(test.template, syn.Missing)
            if test.template.member not in stepped:
                raise _NoFormulaError(f"{pretty(test.literal(0))!r} can be combined with tests behind the reference")

    def _reached(self, name: str) -> list[Family]:
        """Return the reachable families of a type; families of ``top`` come first."""
        space = self.space
        chained = [
            family
            for left, families in space.offers.from_literal[name].items()
            if space._home(name, left) is not None
            for family in families
        ]
        return [*space.offers.from_top[name], *chained]

    def _families(self, name: str) -> tuple[list[TestFamily], list[LinkFamily]]:
        """Return the reachable families of a type, without redundant link families."""
        families = self._reached(name)
        tests = [f for f in families if isinstance(f, TestFamily)]
        links = [f for f in families if isinstance(f, LinkFamily)]
        links = [f for f in links if not any(self._covers(g, f) for g in links if g is not f)]
        heads = [f.head for f in links]
        twice = next((f for f in links if heads.count(f.head) > 1), None)
        dotted = next((t for t in tests if t.head is not None and t.head in heads), None)
        closed = (t for t in tests if isinstance(t.template, syn.Aggregate) and not t.path)
        beside = next((t for t in closed if head(t.template) in heads), None)
        if beside is not None:
            raise _NoFormulaError(f"{pretty(beside.literal(0))!r} can be combined with aggregates of the same rows")
        overlap = twice or dotted
        if overlap is not None:
            example = next(islice(base_literals(overlap), 1), None)
            shown = pretty(example) if example is not None else ""
            raise _NoFormulaError(f"several rewrites of {name} can produce {shown!r}")
        return tests, links

    def _covers(self, wide: LinkFamily, narrow: LinkFamily) -> bool:
        """Return whether every predicate of one family can be derived from another, open family."""
        if wide.head != narrow.head or not all(slot.plain for slot in wide.slots):
            return False
        if not set(narrow.numbers) <= set(wide.numbers):
            return False
        if all(slot.plain for slot in narrow.slots):
            return (wide.left is not None, wide.index) < (narrow.left is not None, narrow.index)
        for slot in narrow.slots:
            most = self.space.grammar.conjuncts.get(slot.type, 1)
            if most and len(slot.fixed) + int(slot.open) > most:
                return False
        if wide.left is not None:
            return False
        literals = list(islice(base_literals(narrow), MAX_COMPARED_TESTS + 1))
        return len(literals) <= MAX_COMPARED_TESTS and all(
            self.space._place_in(wide, literal) is not None for literal in literals
        )

    def _lonely_missing(self, tests: list[TestFamily]) -> list[TestFamily]:
        """Return the tests ``missing a`` for references that other rewrites follow."""
        behind = {t.path[0].link for t in tests if t.path and isinstance(t.path[0], syn.Follow)}
        found = []
        for test in tests:
            if isinstance(test.template, syn.Missing) and not test.path:
                member = test.template.member
                follows = any(f.head == ("Follow", member) for f in self._reached(test.type))
                if member in behind or follows:
                    found.append(test)
        return found

    def _test_groups(self, tests: list[TestFamily], room: Room, most: int) -> Iterator[Series]:
        """Yield the polynomial of the tests of each feature."""
        by_subject: dict[Any, list[TestFamily]] = defaultdict(list)
        for test in tests:
            if has_room(test, room):
                by_subject[test.subject or self._counted(test)].append(test)
        for families in by_subject.values():
            yield _group_series(_ways(families, most), families[0].size, room)

    def _counted(self, test: TestFamily) -> Any:
        """Return a key that groups closed tests without a feature: the counted rows, or the test itself."""
        if not isinstance(test.template, syn.Count):
            return test
        of_link = ("Count", test.template.link)
        if any(f.head == of_link for f in self._reached(test.type)):
            raise _NoFormulaError(f"{pretty(test.literal(0))!r} can be combined with counts of the same link")
        return (*of_link, test.template.inner)

    # ---- links ------------------------------------------------------------------------------------------

    def _link_series(
        self, links: list[LinkFamily], room: Room, most: int, lonely: list[TestFamily]
    ) -> Iterator[Series]:
        for family in links:
            if family.functional:
                yield self._step_series(family, room, most, lonely)
            elif room.allows(1, 1):
                yield self._set_series(family, room, most)

    def _set_series(self, family: LinkFamily, room: Room, most: int) -> Series:
        """Return the polynomial of a link family, from the number of predicates at its inner positions."""
        inside = _inside(room)
        if len(family.slots) > 1:
            if not all(slot.plain for slot in family.slots):
                raise _NoFormulaError(f"the parts of {pretty(family.template)!r} differ from each other")
            inner = _bags(self.position(family.slots[0], inside), len(family.slots), inside.literals)
        else:
            inner = self.position(family.slots[0], inside)
        return _sets(inner, len(family.numbers), room, most)

    def _step_series(self, family: LinkFamily, room: Room, most: int, lonely: list[TestFamily]) -> Series:
        """Return the polynomial of literals behind a functional step: several plain tests, or one other literal."""
        link = family.template.link if isinstance(family.template, syn.Follow) else None
        alone: Series = defaultdict(int)
        for test in lonely:
            assert isinstance(test.template, syn.Missing)
            if test.template.member == link and has_room(test, room):
                alone[1, _weight(room, 1)] += 1
        if not room.allows(1, 1):
            return {(0, 0): 1, **alone}
        (slot,) = family.slots
        inside = _inside(room)
        if not slot.plain:
            raise _NoFormulaError(f"{pretty(family.template)!r} opens a position with fixed tests")
        groups = [_behind_a_step(group, room) for group in self._plain_tests(slot.type, inside, most)]
        series = _product(groups, most, room.literals)
        for size, n in self.position(slot, inside).items():
            alone[1, _weight(room, size + 1)] += n
        for group in groups:
            for (k, size), ways in group.items():
                alone[k, size] -= ways if k == 1 else 0
        for key, ways in alone.items():
            series[key] += ways
        return series

    def _plain_tests(self, name: str, room: Room, most: int) -> Iterator[Series]:
        """Yield the polynomials of the plain tests at a position of a type, including tests behind functional steps.

        An aggregate with any condition is a plain test, because each condition makes it a different feature.
        """
        tests, links = self._families(name)
        with_subject = [t for t in tests if t.subject is not None]
        yield from self._test_groups(with_subject, room, most)
        for family in links if room.allows(1, 1) else ():
            if isinstance(family.template, syn.Aggregate):
                yield self._set_series(family, room, most)
            elif family.functional and all(slot.plain for slot in family.slots):
                inside = _inside(room)
                for group in self._plain_tests(family.slots[0].type, inside, most):
                    yield _behind_a_step(group, room)

    # ---- bundles --------------------------------------------------------------------------------------------

    def _require_apart(self, bundle: BundleFamily, others: list[Family]) -> None:
        """Raise an error if the literals of a bundle may clash with literals of other rewrites."""
        parts, name = bundle.slot.fixed, bundle.type
        rivals = [f for other in self.space.offers.bundles[name] if other is not bundle for f in other.slot.fixed]
        about = [_about(family) for family in parts]
        known = {_about(family) for family in (*others, *rivals)}
        if bundle.left or self.space.offers.from_literal[name] or None in about or not known.isdisjoint(about):
            raise _NoFormulaError(f"several rewrites of {name} can produce literals of {_shown(bundle)}")
        once = len(parts) > 1 and any(isinstance(family, TestFamily) and family.lonely for family in parts)
        is_link = len(parts) == 1 and isinstance(parts[0], LinkFamily) and len(parts[0].slots) == 1
        if len(set(about)) < len(about) or not (once or is_link):
            raise _NoFormulaError(f"{_shown(bundle)} can be derived in several ways at a position of {name}")

    def _bundle_series(self, bundle: BundleFamily, room: Room) -> Series:
        """Return the polynomial of a bundle, which is added at most once unless it is a single link literal."""
        (first, *more), places = bundle.slot.fixed, bundle.places
        if not more and isinstance(first, LinkFamily):
            if not room.allows(1, 1):
                return {(0, 0): 1}
            most = room.literals if room.literals is not None else 1
            found = self._set_series(first, room, most)
        else:
            found = {(0, 0): 1, **{(1, size): n for (_, size), n in self._closed(bundle.slot, room).items()}}
        series: Series = defaultdict(int)
        for (k, size), n in found.items():
            series[k * places, size] += n
        return series

    # ---- slots with fixed literals ----------------------------------------------------------------------

    def _with_fixed(self, slot: Slot, room: Room) -> Series:
        if self.space.offers.bundles.get(slot.type):
            raise _NoFormulaError(f"rewrites of {slot.type} add several literals to fixed tests")
        if self.space.offers.from_literal[slot.type]:
            raise _NoFormulaError(f"fixed tests at a position of {slot.type} can be rewritten")
        if not slot.open:
            return self._closed(slot, room)
        if not all(isinstance(f, TestFamily) and f.subject and not f.head for f in slot.fixed):
            raise _NoFormulaError(f"a rewrite opens a position of {slot.type} with more than plain tests")
        fixed = [f for f in slot.fixed if isinstance(f, TestFamily)]
        self._require_different(slot, [f.subject for f in fixed])
        most = self._most(slot, room)
        tests, links = self._families(slot.type)
        if any(isinstance(t.template, syn.Missing) for t in (*tests, *fixed)):
            raise _NoFormulaError("a position has a test for missing values next to fixed tests")
        series: list[Series] = []
        subjects = {f.subject for f in fixed}
        others = [t for t in tests if t.subject not in subjects and t.head is None]
        if any(t.head is not None for t in tests):
            raise _NoFormulaError(f"a rewrite opens a position of {slot.type} with tests behind references")
        for family in fixed:
            if not has_room(family, room):
                return {}
            same = [t for t in tests if t.subject == family.subject]
            series.append(_group_series(_ways_with(family, same, most), 1, room))
        series += self._test_groups(others, room, most)
        series += self._link_series(links, room, most, [])
        return _product(series, most, room.literals)

    def _closed(self, slot: Slot, room: Room) -> Series:
        self._require_different(slot, [f.subject or f if isinstance(f, TestFamily) else f.head for f in slot.fixed])
        return _product((self._one_of(f, room) for f in slot.fixed), len(slot.fixed), room.literals)

    def _one_of(self, family: Family, room: Room) -> Series:
        if isinstance(family, TestFamily):
            return {(1, _weight(room, family.size)): family.n} if has_room(family, room) else {}
        if not room.allows(1, 1):
            return {}
        if len(family.slots) > 1:
            raise _NoFormulaError(f"a rewrite fixes {pretty(family.template)!r} inside a position")
        inner = self.position(family.slots[0], _inside(room))
        n = len(family.numbers)
        return {(1, _weight(room, size + 1)): ways * n for size, ways in inner.items()}

    def _require_different(self, slot: Slot, subjects: list[Any]) -> None:
        steps = [s for s in subjects if isinstance(s, tuple) and str(s[0]).endswith(".")]
        if len(set(subjects)) < len(subjects) or len(steps) > 1:
            raise _NoFormulaError(f"a rewrite fixes two literals of one feature at a position of {slot.type}")


def _about(family: Family) -> Any:
    """Return what literals must share to clash with a family: a feature or the head of a link; None if several."""
    if isinstance(family, LinkFamily):
        return None if family.functional else family.head
    is_plain = family.head is None and family.depth == 0 and not isinstance(family.template, syn.Missing)
    return family.subject if is_plain else None


def _shown(bundle: BundleFamily) -> str:
    return repr(next((pretty(right) for right in base_predicates(bundle.slot)), ""))


# ---- polynomials ----------------------------------------------------------------------------------------


def _product(factors: Iterable[Series], most: int, literals: int | None) -> Series:
    result: Series = defaultdict(int, {(0, 0): 1})
    for factor in factors:
        made: Series = defaultdict(int)
        for (k, size), ways in result.items():
            for (j, more), other in factor.items():
                if k + j <= most and (literals is None or size + more <= literals):
                    made[k + j, size + more] += ways * other
        result = made
    return result


def _sizes(series: Series) -> Sizes:
    sizes: Sizes = defaultdict(int)
    for (_, size), ways in series.items():
        sizes[size] += ways
    return sizes


def _group_series(ways: list[int], size: int, room: Room) -> Series:
    """Return the polynomial of tests of equal size, given the number of ways to combine 0, 1, 2, ... tests."""
    return {(k, _weight(room, k * size)): n for k, n in enumerate(ways) if n}


def _behind_a_step(series: Series, room: Room) -> Series:
    """Return the polynomial of the same literals, each with an additional step before it."""
    return {(k, _weight(room, size + k)): ways for (k, size), ways in series.items()}


def _sets(inner: Sizes, numbers: int, room: Room, most: int) -> Series:
    """Return the polynomial that counts sets of link literals with distinct inner predicates and a number each."""
    return _product(
        (
            {(k, _weight(room, k * (size + 1))): comb(n, k) * numbers**k for k in range(min(n, most) + 1)}
            for size, n in inner.items()
        ),
        most,
        room.literals,
    )


def _bags(inner: Sizes, n_parts: int, literals: int | None) -> Sizes:
    """Return the number of multisets of `n_parts` inner predicates, by total size."""
    factors: list[Series] = [
        {(k, k * size): comb(n + k - 1, k) for k in range(n_parts + 1)} for size, n in inner.items() if n
    ]
    return {size: ways for (k, size), ways in _product(factors, n_parts, literals).items() if k == n_parts}


# ---- combinations of tests of one feature ---------------------------------------------------------------


def _ways(families: list[TestFamily], most: int) -> list[int]:
    """Return the number of ways to combine 0, 1, 2, ... tests of one feature."""
    n = sum(family.n for family in families)
    templates = [f.template for f in families]
    if most <= 1 or n <= 1:
        return [1, n]
    if all(isinstance(t, syn.Compare | syn.Aggregate) and t.op in (">=", "<=") for t in templates):
        return [1, n, _n_bounded(families)]
    if all(
        isinstance(t, syn.Among) or (isinstance(t, syn.Compare | syn.Aggregate) and t.op == "=") for t in templates
    ):
        return [1, n]
    if all(isinstance(t, syn.Compare | syn.Aggregate) and t.op == "!=" for t in templates):
        return [comb(n, k) for k in range(most + 1)]
    if len(families) == 1 and isinstance(templates[0], syn.Within) and templates[0].source is not None:
        return [1, n]
    return _cliques([f.literal(v) for f in families for v in f.choices()], most)


def _n_bounded(families: list[TestFamily]) -> int:
    """Return the number of pairs of a lower and an upper bound that values can satisfy together."""
    lower, upper = (
        np.sort(np.concatenate([_bound_values(f) for f in families if f.template.op == op] or [np.zeros(0)]))  # type: ignore[union-attr]
        for op in (">=", "<=")
    )
    return int((len(upper) - np.searchsorted(upper, lower, side="left")).sum())


def _bound_values(family: TestFamily) -> Any:
    if isinstance(family.values, np.ndarray):
        return family.values
    return np.array([float(family.template.value)])  # type: ignore[union-attr, arg-type]


def _ways_with(fixed: TestFamily, others: list[TestFamily], most: int) -> list[int]:
    """Return the number of ways to combine 0, 1, 2, ... tests of a feature, with at least one from a fixed family."""
    open_tests = {f.literal(v) for f in others for v in f.choices()}
    required = set(map(fixed.literal, fixed.choices()))
    everything = list(open_tests | required)
    return _cliques(everything, most, lambda chosen: _has_one(chosen, required, open_tests))


def _has_one(chosen: list[Any], required: set[Any], open_tests: set[Any]) -> bool:
    """Return whether the tests include one of the fixed family, and at most one that is in no open family."""
    only_fixed = [test for test in chosen if test not in open_tests]
    return any(test in required for test in chosen) and len(only_fixed) <= 1


def _cliques(tests: list[Any], most: int, accept: Callable[[list[Any]], bool] = bool) -> list[int]:
    """Return the number of sets of 0, 1, 2, ... compatible tests that `accept` accepts."""
    if len(tests) > MAX_COMPARED_TESTS:
        raise _NoFormulaError(f"{len(tests):,} tests of several forms share the feature of {pretty(tests[0])!r}")
    friends = [{j for j in range(i + 1, len(tests)) if not clash(tests[i], tests[j])} for i in range(len(tests))]
    ways = [int(accept is bool)] + [0] * most

    def grow(chosen: list[int], candidates: set[int]) -> None:
        for i in sorted(candidates):
            now = [*chosen, i]
            ways[len(now)] += accept([tests[j] for j in now])
            if len(now) < most:
                grow(now, candidates & friends[i])

    grow([], set(range(len(tests))))
    return ways
