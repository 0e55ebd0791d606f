"""Implication and exclusion of predicates, as far as they follow from the syntax.

A test is a region of the values of its feature: a set of strings, the complement of such a set, or a union of
intervals. Implication then means inclusion, and exclusion means an empty intersection; both are exact. Predicates
about the rows behind a link are compared by monotonicity.

Every test is false for a missing value, except ``missing``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from operator import eq, ge, le
from typing import Any, assert_never

from structtree.lang import syntax as syn
from structtree.lang.matching import can_be_matched
from structtree.lang.walk import functional_step

__all__ = ["excludes", "implies", "source_of", "subject"]

Subject = tuple[Any, ...]

MOST_PAIRS = 2_500
"""Maximum number of pairs of parts to compare; in longer predicates only equal parts are recognised."""

_COMPOUND = (syn.And, syn.Or, syn.Not, syn.Named)


def implies(p: syn.Predicate, q: syn.Predicate) -> bool | None:
    """Return whether every row that satisfies p satisfies q.

    Parameters
    ----------
    p : Predicate
        May contain value sources; the result is then whether some of their values can imply q.
    q : Predicate
        Must be ground.

    Returns
    -------
    bool or None
        True if p implies q on all data; False if some values make p true and q false; None if the syntax does not
        decide, for instance because the predicates test different features.

    Examples
    --------
    >>> from structtree.lang.parse import parse_predicate as parse
    >>> low, high = parse("charge >= 2"), parse("charge >= 3")
    >>> implies(high, low), implies(low, high)
    (True, False)
    >>> implies(parse("count atoms (element = N) >= 2"), parse("exists atoms (element in {N, O})"))
    True
    >>> print(implies(parse("aromatic"), parse("element = C")))
    None
    """
    if isinstance(p, syn.ValueTest) and isinstance(q, syn.ValueTest):
        return _test_implies(p, q)
    if isinstance(q, syn.Top) or p == q:
        return True
    if _have_many_pairs(p, q):
        return _visibly_implies(p, q) or None
    match p, q:
        case syn.Named(_, body), _ if body is not None:
            return implies(body, q)
        case _, syn.Named(_, body) if body is not None:
            return implies(p, body)
        case _, syn.And(parts):
            return _every(implies(p, part) for part in parts)
        case syn.And(parts), _ if any(implies(part, q) for part in parts):
            return True
        case syn.Or(parts), _:
            return _every(implies(part, q) for part in parts)
        case _, syn.Or(parts):
            return True if any(implies(p, part) for part in parts) else None
        case syn.Not(inner), syn.Not(other):
            return implies(other, inner)
        case _, syn.Not(other):
            return True if excludes(p, other) else None
        case syn.And(parts), _:
            return _together_imply(parts, q)
        case syn.Top(), _:
            return _always(q)
        case _:
            return _link_implies(p, q)


def excludes(p: syn.Predicate, q: syn.Predicate) -> bool:
    """Return whether the syntax shows that no row satisfies both predicates.

    Examples
    --------
    >>> from structtree.lang.parse import parse_predicate as parse
    >>> excludes(parse("element = N"), parse("element = O")), excludes(parse("a >= 1"), parse("a <= 1"))
    (True, False)
    >>> excludes(parse("not (a >= 3)"), parse("a >= 5 and b")), excludes(parse("not (a >= 5)"), parse("a >= 3"))
    (True, False)
    """
    if isinstance(p, syn.ValueTest) and isinstance(q, syn.ValueTest):
        return _tests_exclude(p, q)
    if _have_many_pairs(p, q):
        return any(isinstance(a, syn.Not) and _visibly_implies(b, a.inner) for a, b in ((p, q), (q, p)))
    return _links_exclude(p, q) or _parts_exclude(p, q) or _parts_exclude(q, p)


def _links_exclude(p: syn.Predicate, q: syn.Predicate) -> bool:
    match p, q:
        case (syn.Missing(member), syn.Follow(link)) | (syn.Follow(link), syn.Missing(member)):
            return member == link
        case syn.Follow(link, inner), syn.Follow(other_link, other):
            return link == other_link and excludes(inner, other)
        case syn.ListStep(step, inner, link), syn.ListStep(other_step, other, other_link) if step != "later":
            return (step, link) == (other_step, other_link) and excludes(inner, other)
        case _:
            return _counts_exclude(p, q) or _counts_exclude(q, p)


def _parts_exclude(p: syn.Predicate, q: syn.Predicate) -> bool:
    match p:
        case syn.And(parts):
            return any(excludes(part, q) for part in parts)
        case syn.Or(parts):
            return all(excludes(part, q) for part in parts)
        case syn.Not(inner):
            return implies(q, inner) is True
        case syn.Named(_, body) if body is not None:
            return excludes(body, q)
        case _:
            return False


def _have_many_pairs(p: syn.Predicate, q: syn.Predicate) -> bool:
    """Return whether two predicates have too many parts to compare all pairs."""
    if not isinstance(p, _COMPOUND) or not isinstance(q, _COMPOUND):
        return False
    return _n_parts(p) * _n_parts(q) > MOST_PAIRS


def _n_parts(predicate: syn.Predicate) -> int:
    match predicate:
        case syn.And(parts) | syn.Or(parts):
            return sum(map(_n_parts, parts))
        case syn.Not(inner):
            return _n_parts(inner)
        case syn.Named(_, body) if body is not None:
            return _n_parts(body)
        case _:
            return 1


def _visibly_implies(p: syn.Predicate, q: syn.Predicate) -> bool:
    """Return whether all conjuncts of q, with definitions expanded, are conjuncts of p."""
    known, asked = {syn.TOP, *_conjuncts(p)}, [q]
    while asked:
        match asked.pop():
            case part if part in known:
                continue
            case syn.And(parts):
                asked += parts
            case syn.Named(_, body) if body is not None:
                asked.append(body)
            case _:
                return False
    return True


def _conjuncts(predicate: syn.Predicate) -> Iterator[syn.Predicate]:
    """Yield a predicate and all its conjuncts, with definitions expanded."""
    yield predicate
    match predicate:
        case syn.And(parts):
            for part in parts:
                yield from _conjuncts(part)
        case syn.Named(_, body) if body is not None:
            yield from _conjuncts(body)


def source_of(predicate: syn.Predicate) -> syn.ValueSource | None:
    """Return the first value source of a test, count, aggregate or call, or None.

    Examples
    --------
    >>> source_of(syn.Compare("wheels", ">=", syn.Range(2, 6))), source_of(syn.Compare("wheels", ">=", 2))
    (Range(low=2, high=6), None)
    """
    match predicate:
        case syn.Compare(value=value) | syn.Aggregate(value=value) | syn.Count(n=value):
            return value if isinstance(value, syn.ValueSource) else None
        case syn.Within(source=value) | syn.Among(source=value):
            return value
        case syn.Named(arguments=arguments):
            return next((value for value in arguments if isinstance(value, syn.ValueSource)), None)
        case syn.And() | syn.Or() | syn.Not():
            return None
        case _ if isinstance(predicate, syn.Atomic | syn.LinkForm):
            return None
        case _ as never:
            assert_never(never)


# ---- tests: regions of values ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Words:
    """A set of strings or booleans, or its complement."""

    names: frozenset[str | bool]
    all_but: bool = False


# A cut is just before (0) or just after (1) a number; a span is the interval between two cuts.
_Cut = tuple[float, int]
_Span = tuple[_Cut, _Cut]
_START: _Cut = (-math.inf, 0)
_END: _Cut = (math.inf, 1)


@dataclass(frozen=True, slots=True)
class _Numbers:
    """A union of disjoint spans, in ascending order."""

    spans: tuple[_Span, ...]


@dataclass(frozen=True, slots=True)
class _Absent:
    """The missing value, for ``missing a``."""


_Region = _Words | _Numbers | _Absent
# The possible orders of two compared values, sorted by name. Different categories may be in either order, since they
# are only compared by ``=`` and ``!=``.
_ORDERS = {"=": ("equal",), "!=": ("less", "greater"), ">=": ("equal", "greater"), "<=": ("less", "equal")}
_MIRRORED = {"=": "=", "!=": "!=", ">=": "<=", "<=": ">="}
_NOWHERE = (_Numbers(()), _Words(frozenset()))


def subject(predicate: syn.Predicate) -> Subject | None:
    """Return the feature of a test: an attribute or an aggregate, with the path to it; None for other predicates.

    Tests can be compared by syntax only if they test the same feature.

    Examples
    --------
    >>> from structtree.lang.parse import parse_predicate
    >>> subject(parse_predicate("load.shape = circle"))
    ('load.', 'shape')
    """
    match predicate:
        case syn.Flag(name) | syn.Compare(name) | syn.Among(name) | syn.Within(name) | syn.Missing(name):
            return (name,)
        case syn.CompareOwn():
            one, other = sorted(predicate.sides)
            return ("its ", *one, " ", *other)
        case syn.Named(name):
            return ("define ", name)
        case syn.Aggregate(function, link, attribute, _, _, inner, by):
            return (f"{function} ", link, attribute, inner, by)
        case syn.Follow() | syn.ListStep() if (step := functional_step(predicate)) is not None:
            behind = subject(predicate.inner)
            return None if behind is None else (step, *behind)
        case syn.Top() | syn.And() | syn.Or() | syn.Not() | syn.CompareMine() | syn.Me():
            return None
        case _ if isinstance(predicate, syn.LinkForm):
            return None
        case _ as never:
            assert_never(never)


def _region(test: syn.ValueTest) -> _Region | None:
    """Return the set of values that satisfy a ground test; None for other tests."""
    match test:
        case syn.Aggregate(op=op, value=value):
            return _region(syn.Compare("", op, value))
        case syn.Flag(_, positive):
            return _Words(frozenset([positive]))
        case syn.CompareOwn():
            return _Words(frozenset(_ORDERS[test.op if test.attribute <= test.other else _MIRRORED[test.op]]))
        case syn.Missing():
            return _Absent()
        case syn.Among(_, values, None):
            return _listed(values)
        case syn.Within(_, low, high, closed, None):
            return _Numbers((((low, 0), (high, int(closed))),) if (low, 0) < (high, int(closed)) else ())
        case syn.Compare(_, "=", str() | int() | float() as value):
            return _listed((value,))
        case syn.Compare(_, "!=", str() as word):
            return _Words(frozenset([word]), all_but=True)
        case syn.Compare(_, "!=", int() | float() as value):
            return _Numbers(_minus((_START, _END), (((value, 0), (value, 1)),)))
        case syn.Compare(_, ">=", int() | float() as value):
            return _Numbers((((value, 0), _END),))
        case syn.Compare(_, "<=", int() | float() as value):
            return _Numbers(((_START, (value, 1)),))
        case _:
            return None


def _listed(values: tuple[syn.Scalar, ...]) -> _Region:
    numbers = [value for value in values if not isinstance(value, str)]
    if len(numbers) < len(values):
        return _Words(frozenset(map(str, values)))
    return _Numbers(tuple(((v, 0), (v, 1)) for v in sorted(set(numbers))))


def _test_implies(p: syn.ValueTest, q: syn.ValueTest) -> bool | None:
    if subject(p) != subject(q):
        return None
    if isinstance(p, syn.Compare) and isinstance(q, syn.Compare) and p.op == q.op and _alike(p.value, q.value):
        return _COMPARE[p.op](p.value, q.value)
    wider = _region(q)
    if wider is None:
        return True if p == q else None
    if source_of(p) is not None:
        return _some_value_implies(p, q, wider)
    narrower = _region(p)
    return None if narrower is None else _inside(narrower, wider, dense=_of_reals(p) or _of_reals(q))


def _tests_exclude(p: syn.ValueTest, q: syn.ValueTest) -> bool:
    if subject(p) != subject(q):
        return False
    if isinstance(p, syn.Compare) and isinstance(q, syn.Compare) and p.op == q.op and _alike(p.value, q.value):
        return p.op == "=" and p.value != q.value
    one, other = _region(p), _region(q)
    return one is not None and other is not None and _disjoint(one, other)


# A shortcut for two tests of the same form, by far the most common case. Regions would give the same result.
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {"=": eq, "!=": eq, ">=": ge, "<=": le}


def _alike(one: syn.Scalar | syn.ValueSource, other: syn.Scalar | syn.ValueSource) -> bool:
    """Return whether two values can be compared: both strings, or both numbers."""
    if isinstance(one, str):
        return isinstance(other, str)
    return isinstance(one, int | float) and isinstance(other, int | float)


def _of_reals(test: syn.ValueTest) -> bool:
    """Return whether a checked test compares a real attribute, judging by the type of its values."""
    match test:
        case syn.Compare(value=float()):
            return True
        case syn.Among(values=values):
            return any(isinstance(value, float) for value in values)
        case _:
            return False


def _inside(p: _Region, q: _Region, *, dense: bool) -> bool | None:
    if p in _NOWHERE:
        return True
    match p, q:
        case _Absent(), _Absent():
            return True
        case _Words(names, all_but), _Words(others, True):
            return others <= names if all_but else names.isdisjoint(others)
        case _Words(names, False), _Words(others, False):
            return names <= others
        case _Numbers(spans), _Numbers(others):
            rest = [piece for span in spans for piece in _minus(span, others)]
            if not rest:
                return True
            # If the attribute is int, q fails only for an integer in the rest.
            return False if dense or any(map(_contains_integer, rest)) else None
        case (_Absent(), _) | (_, _Absent()):
            return False
        case _:
            return None  # whether a complement is inside a set depends on the categories of the data


def _disjoint(p: _Region, q: _Region) -> bool:
    match p, q:
        case _Words(names, False), _Words(others, False):
            return names.isdisjoint(others)
        case (_Words(names, False), _Words(others, True)) | (_Words(others, True), _Words(names, False)):
            return names <= others
        case _Numbers(spans), _Numbers(others):
            return all(min(b, d) <= max(a, c) for a, b in spans for c, d in others)
        case (_Absent(), _) | (_, _Absent()):
            return p != q
        case _:
            return False


def _minus(span: _Span, others: tuple[_Span, ...]) -> tuple[_Span, ...]:
    """Return the difference between a span and the union of other spans, as a tuple of spans."""
    start, end = span
    pieces: list[_Span] = []
    for low, high in others:
        if start < min(low, end):
            pieces.append((start, min(low, end)))
        start = max(start, high)
    if start < end:
        pieces.append((start, end))
    return tuple(pieces)


def _contains_integer(span: _Span) -> bool:
    (low, after), end = span
    if math.isinf(low):
        return low < 0 and end > (-math.inf, 1)
    first = math.floor(low) + 1 if after else math.ceil(low)
    return (first, 0) < end


def _some_value_implies(p: syn.ValueTest, q: syn.ValueTest, region: _Region) -> bool | None:
    """Return whether p implies q and differs from q for at least one value of p's value source."""
    source = source_of(p)
    if isinstance(source, syn.Listed | syn.Range):
        assert isinstance(p, syn.Compare | syn.Aggregate)
        instances = [replace(p, value=value) for value in source.values]
        return any(i != q and _test_implies(i, q) is True for i in instances)
    match p, region:
        case _, _Absent():
            return False
        case ((syn.Compare(op="=") | syn.Aggregate(op="=") | syn.Among()), _Words(names, all_but)):
            return all_but or len(names) > 1
        case ((syn.Compare(op="=") | syn.Aggregate(op="=")), _Numbers(spans)):
            return len(spans) > 1 or any(_is_wide(span) for span in spans)
        case syn.Within(), _Numbers(spans):
            return any(map(_is_wide, spans))
        case ((syn.Compare(op=">=") | syn.Aggregate(op=">=")), _Numbers(spans)):
            return bool(spans) and spans[-1][1] == _END
        case ((syn.Compare(op="<=") | syn.Aggregate(op="<=")), _Numbers(spans)):
            return bool(spans) and spans[0][0] == _START
        case _:
            return False


def _is_wide(span: _Span) -> bool:
    return span[0][0] < span[1][0]


# ---- behind links ---------------------------------------------------------------------------------------


def _link_implies(p: syn.Predicate, q: syn.Predicate) -> bool | None:
    match p, q:
        case (syn.Follow(link, inner), syn.Follow(other_link, other)) | (
            syn.All(link, inner),
            syn.All(other_link, other),
        ):
            return implies(inner, other) if link == other_link else None
        case syn.ListStep(step, inner, link), syn.ListStep(other_step, other, other_link):
            if (step, link) == (other_step, other_link):
                return implies(inner, other)
            return implies(inner, other) or None if (step, other_step) == ("next", "later") else None
        case syn.ListStep("first" | "last", inner, str() as link), syn.Exists(other_link) if link == other_link:
            return implies(syn.Exists(link, inner), q)
        case syn.Distinct(link, inners), syn.Distinct(other_link, others) if link == other_link:
            return _can_be_matched(inners, others) or None
        case syn.All(link, inner), syn.No(other_link, refused) if link == other_link:
            return excludes(inner, refused) or None
        case _:
            return _counts_imply(p, q)


def _as_count(predicate: syn.Predicate) -> syn.Count | None:
    """Return a count, or the count equivalent to ``exists`` or ``none``; None for other forms."""
    match predicate:
        case syn.Exists(link, inner):
            return syn.Count(link, inner, ">=", 1)
        case syn.No(link, inner):
            return syn.Count(link, inner, "<=", 0)
        case syn.Count():
            return predicate
        case _:
            return None


def _counts_imply(p: syn.Predicate, q: syn.Predicate) -> bool | None:
    match _as_count(p), _as_count(q):
        case syn.Count(link, inner, op, n), syn.Count(other, outer, other_op, limit) if (link, op) == (
            other,
            other_op,
        ):
            up = op == ">="
            return _more_rows(implies(inner, outer) if up else implies(outer, inner), n, limit, up=up)
        case None, syn.Count(link, inner, ">=", int() as n) if isinstance(p, syn.Distinct) and p.link == link:
            return sum(implies(i, inner) is True for i in p.inners) >= n or None
        case syn.Count(link, inner, ">=", int() as n), None if isinstance(q, syn.Distinct) and q.link == link:
            return (n >= len(q.inners) and all(implies(inner, i) for i in q.inners)) or None
        case _:
            return None


def _more_rows(
    inner: bool | None, n: int | syn.ValueSource, limit: int | syn.ValueSource, *, up: bool
) -> bool | None:
    """Return whether a count with limit n implies the same count with another limit; n may be a value source."""
    if up and isinstance(limit, int) and limit <= 0:
        return True
    if not inner or isinstance(limit, syn.ValueSource):
        return inner and None
    match n:
        case int():
            numbers = [n]
        case syn.Range(low, high):
            numbers = [high if up else low]
        case syn.Listed(values):
            numbers = [value for value in values if isinstance(value, int)]
        case _:
            return True
    return any(number >= limit if up else number <= limit for number in numbers)


def _counts_exclude(p: syn.Predicate, q: syn.Predicate) -> bool:
    match _as_count(p), _as_count(q):
        case syn.Count(link, inner, ">=", int() as least), syn.Count(other, outer, "<=", int() as most) if (
            link == other
        ):
            return least > most and implies(inner, outer) is True
        case _:
            return False


def _can_be_matched(inners: tuple[syn.Predicate, ...], others: tuple[syn.Predicate, ...]) -> bool:
    """Return whether each predicate in `others` is implied by a different predicate in `inners`."""
    return can_be_matched([[i for i, inner in enumerate(inners) if implies(inner, other)] for other in others])


# ---- conjunctions ---------------------------------------------------------------------------------------


def _always(q: syn.Predicate) -> bool | None:
    """Return whether q holds for every row."""
    match q:
        case syn.Exists() | syn.ListStep() | syn.Distinct():
            return False
        case syn.Count(_, _, ">=", int() as n) | syn.Aggregate("distinct", _, _, ">=", int() as n):
            return n <= 0
        case syn.All(_, inner):
            return _always(inner)
        case syn.Follow(_, inner):
            return None if implies(syn.TOP, inner) else False
        case syn.Top():
            return True
        case syn.No() | syn.Count() | syn.And() | syn.Or() | syn.Not() | syn.Named() | syn.CompareMine() | syn.Me():
            return None
        case _ if isinstance(q, syn.ValueTest):
            return False
        case _ as never:
            assert_never(never)


def _together_imply(parts: tuple[syn.Predicate, ...], q: syn.Predicate) -> bool | None:
    """Return whether several tests of one feature together imply another test of this feature."""
    if not isinstance(q, syn.ValueTest):
        return None
    related = [part for part in parts if isinstance(part, syn.ValueTest) and subject(part) == subject(q)]
    regions = [region for part in related if (region := _region(part)) is not None]
    wider = _region(q)
    if wider is None or not regions:
        return None
    found = _inside(_common(regions), wider, dense=any(map(_of_reals, [*related, q])))
    return found if found or len(regions) == len(parts) else None


def _common(regions: list[_Region]) -> _Region:
    """Return the intersection of regions, or the last region if the regions are not comparable."""
    found = regions[-1]
    for region in regions[:-1]:
        match found, region:
            case _Numbers(spans), _Numbers(others):
                gaps = _minus((_START, _END), others)
                found = _Numbers(tuple(piece for span in spans for piece in _minus(span, gaps)))
            case _Words(names, False), _Words(others, all_but):
                found = _Words(names - others if all_but else names & others)
            case _Words(names, True), _Words(others, True):
                found = _Words(names | others, all_but=True)
            case _Words(names, True), _Words(others, False):
                found = _Words(others - names)
            case _ if isinstance(found, _Absent) != isinstance(region, _Absent):
                found = _Numbers(())
            case _:
                pass
    return found


def _every(answers: Iterable[bool | None]) -> bool | None:
    """Return True if all answers are True, False if any is False, and None otherwise."""
    found = list(answers)
    return False if False in found else (None if None in found else True)
