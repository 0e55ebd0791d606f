"""Checks of rewrites: their shape, whether they specialise, and whether rewriting comes to an end.

All forms in which something is refined are monotone: adding a test inside can only make the whole hold of fewer
rows. A rewrite from ``top`` therefore always specialises; a rewrite of tests does if its right side implies them,
which `structtree.lang.logic` answers from the syntax where that is possible.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from structtree.data.schema import Schema
from structtree.lang import syntax as syn
from structtree.lang.calls import is_open_call
from structtree.lang.logic import implies, source_of
from structtree.lang.pretty import pretty, pretty_aggregate, pretty_rewrite
from structtree.lang.resolve import Scope, resolve
from structtree.lang.walk import children, is_closed, open_types, parts_of, peel, subpredicates, with_children

__all__ = ["CheckedRewrite", "check_rewrite", "never_derived", "reachable_types", "refuse_endless"]

Rewrites = Mapping[str, "tuple[CheckedRewrite, ...]"]


@dataclass(frozen=True, slots=True)
class CheckedRewrite:
    """A rewrite at positions of a type, its names resolved.

    Parameters
    ----------
    type : str
    left, right : Predicate
        The left side is ground; the right side may have value sources and open positions (``top``). Either may be
        a conjunction.
    settled : bool
        Whether the syntax shows that it specialises; otherwise the data must.
    place : Location or None
    """

    type: str
    left: syn.Predicate
    right: syn.Predicate
    settled: bool
    place: syn.Location | None = None

    @property
    def is_bundle(self) -> bool:
        """True where a side is a conjunction, so that the rewrite is about several literals of a position at once."""
        return isinstance(self.left, syn.And) or isinstance(self.right, syn.And)


def check_rewrite(rewrite: syn.Rewrite, type_name: str, scope: Scope) -> tuple[CheckedRewrite, ...]:
    """The rewrites that one stands for: one for each choice of what its globs match.

    Raises
    ------
    GrammarError
        When a name or value makes no sense, or when the syntax shows that it does not specialise.
    """
    scope = scope.at(rewrite.place)
    _check_shape(rewrite, scope)
    (left,) = resolve(rewrite.left, type_name, replace(scope, families=False))
    return tuple(
        CheckedRewrite(type_name, left, right, _specialises(left, right, scope), rewrite.place)
        for right in resolve(rewrite.right, type_name, replace(scope, families=True))
    )


# ---- the shape ------------------------------------------------------------------------------------------


def _check_shape(rewrite: syn.Rewrite, scope: Scope) -> None:
    if syn.TOP in _literals(rewrite.left):
        raise scope.error("the left side of a rewrite is 'top' alone, or tests without 'top'")
    match rewrite.right:
        case syn.Top():
            raise scope.error(f"{pretty_rewrite(rewrite)!r} adds nothing")
        case syn.And(parts) if set(parts) == {syn.TOP}:
            raise scope.error("conjunctions are allowed by 'top -> top and top max k', from 'top' and to 'top' twice")
        case syn.And(parts) if syn.TOP in parts and not isinstance(rewrite.left, syn.Top):
            raise scope.error(
                f"a rewrite of {pretty(rewrite.left)!r} adds no 'top' beside it; "
                "leave 'and top' out, or begin the rewrite at 'top'"
            )
        case syn.And(parts) if parts.count(syn.TOP) > 1:
            raise scope.error(
                "one 'and top' is enough; how many tests there may be is said by 'top -> top and top max k'"
            )
        case right:
            _check_closed(right, scope, inside=None)


def _literals(predicate: syn.Predicate) -> tuple[syn.Predicate, ...]:
    """Return the parts of a conjunction, ``top`` among them where it stands there; none for ``top`` alone."""
    match predicate:
        case syn.And(parts):
            return parts
        case syn.Top():
            return ()
        case _:
            return (predicate,)


def _check_closed(predicate: syn.Predicate, scope: Scope, inside: syn.Predicate | None) -> None:
    """In a closed form everything is fixed: no open position beside other tests, no choice of values."""
    scope = scope.at(getattr(predicate, "place", None))
    if inside is not None and source_of(predicate) is not None:
        raise scope.error(
            f"nothing is refined inside {pretty(inside)!r}, so {pretty(predicate)!r} must have one value there"
        )
    closed = predicate if is_closed(predicate) else inside
    loose = isinstance(predicate, syn.And | syn.Or | syn.Not | syn.Aggregate) and syn.TOP in children(predicate)
    if closed is not None and loose:
        why = f": {_why_closed(closed)}" if isinstance(closed, syn.Aggregate) else ""
        raise scope.error(f"nothing is refined inside {pretty(closed)!r}, so 'top' has no place there{why}")
    for child in children(predicate):
        _check_closed(child, scope, closed)


def _why_closed(test: syn.Aggregate) -> str:
    instead = pretty_aggregate(replace(test, inner=None)) if test.attribute is not None else None
    fix = f"; for all rows write '{instead}'" if instead and isinstance(test.inner, syn.Top) else ""
    return f"of fewer rows '{test.function}' may pass {test.op!r} where of more it does not{fix}"


# ---- specialisation -------------------------------------------------------------------------------------


def _specialises(left: syn.Predicate, right: syn.Predicate, scope: Scope) -> bool:
    """Tell whether syntax shows it; False leaves it to the data, and what is wrong for certain is refused."""
    if isinstance(left, syn.Top):
        return True
    if {*_literals(left)} == {*_literals(right)}:
        raise scope.error(f"{pretty(left)!r} is rewritten to itself")
    answer = implies(right, left)
    if answer is False and any(source_of(part) is not None for part in parts_of(right)):
        raise scope.error(f"does not specialise: no value makes {pretty(right)!r} narrower than {pretty(left)!r}")
    if answer is False or (answer is None and implies(left, right)):
        raise scope.error(f"does not specialise: {pretty(right)!r} holds of more rows than {pretty(left)!r}")
    return answer is True


# ---- the end of rewriting -------------------------------------------------------------------------------


def reachable_types(rewrites: Rewrites, schema: Schema) -> set[str]:
    """The types of the positions that can come up, beginning with the individual."""
    return _reach(_steps(rewrites, schema), schema.individual)


def refuse_endless(rewrites: Rewrites, limits: syn.GrammarLimits, scope: Scope) -> None:
    """Raise a GrammarError at a rewrite that can be repeated for ever."""
    if limits.literals is not None:
        return
    for name in sorted(reachable_types(rewrites, scope.schema)):
        for rewrite in rewrites.get(name, ()):
            if _adds_again(rewrite):
                raise scope.at(rewrite.place).error(
                    "this rewrite can be repeated at the same position; add a limit, as in 'limits { literals 6 }'"
                )
    if limits.nesting is not None:
        return
    steps = _steps(rewrites, scope.schema)
    for name in sorted(_reach(steps, scope.schema.individual)):
        for rewrite in rewrites.get(name, ()):
            for target in _opened(rewrite, scope.schema):
                if name in _reach(steps, target):
                    raise scope.at(rewrite.place).error(
                        f"this rewrite can be repeated for ever, from {name!r} to {name!r} again; "
                        "add a limit, as in 'limits { nesting 4 }'"
                    )


def _adds_again(rewrite: CheckedRewrite) -> bool:
    """Tell whether a rewrite adds literals at a position and can do so again there, with others of the same form."""
    left, right = _literals(rewrite.left), _literals(rewrite.right)
    more = syn.TOP in right if isinstance(rewrite.left, syn.Top) else len(right) > len(left)
    return more and not any(_stands_once(part) for part in right if part not in left)


def _stands_once(part: syn.Predicate) -> bool:
    """Tell whether no two literals of a form stand at one position, as two values of one attribute do not."""
    test = peel(part)[1]
    many = isinstance(test, syn.Compare | syn.Aggregate) and test.op == "!="
    return isinstance(test, syn.Test) and not many and not is_open_call(test) and syn.TOP not in parts_of(test)


def _steps(rewrites: Rewrites, schema: Schema) -> dict[str, set[str]]:
    """For each type the types of the positions that its rewrites open."""
    return {
        name: {target for rewrite in of_type for target in _opened(rewrite, schema)}
        for name, of_type in rewrites.items()
    }


def _opened(rewrite: CheckedRewrite, schema: Schema) -> Iterator[str]:
    """Yield the types of the positions that a rewrite opens, other than the one it stands at."""
    for part in _literals(rewrite.right):
        if part != syn.TOP:
            yield from open_types(part, rewrite.type, schema)


def _reach(steps: Mapping[str, set[str]], start: str) -> set[str]:
    found: set[str] = set()
    waiting = {start}
    while waiting:
        name = waiting.pop()
        found.add(name)
        waiting |= steps.get(name, set()) - found
    return found


def never_derived(rewrite: CheckedRewrite, rewrites: Iterable[CheckedRewrite], schema: Schema) -> bool:
    """Tell whether no other rewrite can lead to the left side of this one."""
    wanted = _literals(rewrite.left)
    if not wanted:  # `top` stands everywhere, and a grammar of a large database has a thousand rewrites of it
        return False
    made = [
        part
        for other in rewrites
        if other is not rewrite
        for part, name in subpredicates(other.right, other.type, schema, closed=False)
        if name == rewrite.type and not isinstance(part, syn.Top)
    ]
    return not all(any(_may_become(part, literal) for part in made) for literal in wanted)


def _may_become(right: syn.Predicate, left: syn.Predicate) -> bool:
    """Tell whether a right side can be the literal, by a choice of values and by refining its open positions."""
    match right, left:
        case syn.Top(), _:
            return True
        case syn.Compare(value=offered), syn.Compare(value=wanted):
            return _covers(offered, wanted) and replace(right, value=wanted) == left
        case syn.Aggregate(value=offered, inner=inner), syn.Aggregate(value=wanted, inner=other):
            may = inner == other or (inner is not None and _may_become(inner, other or syn.TOP))
            return may and _covers(offered, wanted) and replace(right, value=wanted, inner=other) == left
        case syn.Named(name, arguments=offers), syn.Named(other, arguments=wants):
            return name == other and len(offers) == len(wants) and all(map(_covers, offers, wants))
        case syn.Within(source=source), syn.Within() if source is not None:
            return right.attribute == left.attribute
        case syn.Among(source=source), (syn.Among() | syn.Compare(op="=")) if source is not None:
            return right.attribute == left.attribute
        case syn.Count(n=offered), syn.Count(n=wanted):
            same = (right.link, right.op) == (left.link, left.op)
            return same and _covers(offered, wanted) and _may_become(right.inner, left.inner)
        case syn.Distinct(link, inners), syn.Distinct(other, others):
            return link == other and len(inners) == len(others)
        case syn.And(parts), _:
            return syn.TOP in parts or right == left
        case _:
            return _same_head(right, left) and all(map(_may_become, children(right), children(left)))


def _same_head(right: syn.Predicate, left: syn.Predicate) -> bool:
    """Tell whether two predicates differ at most in what is inside them."""
    same_form = type(right) is type(left) and len(children(right)) == len(children(left))
    return same_form and with_children(right, children(left)) == left


def _covers(offered: syn.Scalar | syn.ValueSource, wanted: syn.Scalar | syn.ValueSource) -> bool:
    match offered:
        case syn.Listed(values):
            return wanted in values
        case syn.Range(low, high):
            return isinstance(wanted, int | float) and low <= wanted <= high
        case _:
            return isinstance(offered, syn.ValueSource) or offered == wanted
