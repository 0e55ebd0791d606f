"""Checks of rewrites: their form, whether they specialise, and whether rewriting terminates.

Every open form is monotone: adding a test inside it can only make the whole predicate more specific. A rewrite of
``top`` therefore always specialises; a rewrite of tests specialises if its right side implies its left side.
`structtree.lang.logic` decides this from the syntax where possible.
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

__all__ = ["CheckedRewrite", "Rewrites", "check_rewrite", "never_derived", "reachable_types", "refuse_endless"]

Rewrites = Mapping[str, "tuple[CheckedRewrite, ...]"]


@dataclass(frozen=True, slots=True)
class CheckedRewrite:
    """A rewrite at positions of a type, with resolved names.

    Parameters
    ----------
    type : str
    left, right : Predicate
        The left side is ground; the right side may contain value sources and open positions (``top``). Either may be
        a conjunction.
    settled : bool
        Whether the syntax shows that the rewrite specialises; if not, it is verified on the data.
    place : Location or None
    cost : int or None
        What the literals of the right side cost together; None for 1 each.
    """

    type: str
    left: syn.Predicate
    right: syn.Predicate
    settled: bool
    place: syn.Location | None = None
    cost: int | None = None

    @property
    def is_bundle(self) -> bool:
        """True if either side is a conjunction, so that several literals are replaced or added at once."""
        return isinstance(self.left, syn.And) or isinstance(self.right, syn.And)


def check_rewrite(rewrite: syn.Rewrite, type_name: str, scope: Scope) -> tuple[CheckedRewrite, ...]:
    """Check a rewrite and expand its globs.

    Raises
    ------
    GrammarError
        If a name or value is invalid, or if the syntax shows that the rewrite does not specialise.
    """
    scope = scope.at(rewrite.place)
    _check_form(rewrite, scope)
    (left,) = resolve(rewrite.left, type_name, replace(scope, families=False))
    return tuple(
        CheckedRewrite(type_name, left, right, _specialises(left, right, scope), rewrite.place, rewrite.cost)
        for right in resolve(rewrite.right, type_name, replace(scope, families=True))
    )


# ---- form -----------------------------------------------------------------------------------------------


def _check_form(rewrite: syn.Rewrite, scope: Scope) -> None:
    if syn.TOP in _literals(rewrite.left):
        raise scope.error("the left side of a rewrite must be 'top' alone, or tests without 'top'")
    match rewrite.right:
        case syn.Top():
            raise scope.error(f"{pretty_rewrite(rewrite)!r} adds nothing")
        case syn.And(parts) if set(parts) == {syn.TOP}:
            raise scope.error("to allow conjunctions, write 'top -> top and top max k'")
        case syn.And(parts) if syn.TOP in parts and not isinstance(rewrite.left, syn.Top):
            raise scope.error(
                f"a rewrite of {pretty(rewrite.left)!r} cannot add 'top'; remove 'and top', or start the rewrite "
                "from 'top'"
            )
        case syn.And(parts) if parts.count(syn.TOP) > 1:
            raise scope.error("write 'and top' once; 'top -> top and top max k' sets the number of tests")
        case right:
            _check_closed(right, scope, inside=None)


def _literals(predicate: syn.Predicate) -> tuple[syn.Predicate, ...]:
    """Return the parts of a conjunction, including ``top``; empty if the predicate is ``top``."""
    match predicate:
        case syn.And(parts):
            return parts
        case syn.Top():
            return ()
        case _:
            return (predicate,)


def _check_closed(predicate: syn.Predicate, scope: Scope, inside: syn.Predicate | None) -> None:
    """Raise an error for an open position or a value source inside a closed form."""
    scope = scope.at(getattr(predicate, "place", None))
    if inside is not None and source_of(predicate) is not None:
        raise scope.error(f"{pretty(inside)!r} cannot be refined, so {pretty(predicate)!r} needs a single value")
    closed = predicate if is_closed(predicate) else inside
    loose = isinstance(predicate, syn.And | syn.Or | syn.Not | syn.Aggregate) and syn.TOP in children(predicate)
    if closed is not None and loose:
        why = f": {_why_closed(closed)}" if isinstance(closed, syn.Aggregate) else ""
        raise scope.error(f"{pretty(closed)!r} cannot be refined, so it must not contain 'top'{why}")
    for child in children(predicate):
        _check_closed(child, scope, closed)


def _why_closed(test: syn.Aggregate) -> str:
    instead = pretty_aggregate(replace(test, inner=None)) if test.attribute is not None else None
    fix = f"; for all rows write '{instead}'" if instead and isinstance(test.inner, syn.Top) else ""
    return f"'{test.function}' of fewer rows may satisfy {test.op!r} where that of more rows does not{fix}"


# ---- specialisation -------------------------------------------------------------------------------------


def _specialises(left: syn.Predicate, right: syn.Predicate, scope: Scope) -> bool:
    """Return whether the syntax shows that a rewrite specialises; raise an error if it shows that it does not."""
    if isinstance(left, syn.Top):
        return True
    if {*_literals(left)} == {*_literals(right)}:
        raise scope.error(f"{pretty(left)!r} is rewritten to itself")
    answer = implies(right, left)
    if answer is False and any(source_of(part) is not None for part in parts_of(right)):
        raise scope.error(
            f"the rewrite does not specialise: no value makes {pretty(right)!r} more specific than {pretty(left)!r}"
        )
    if answer is False or (answer is None and implies(left, right)):
        raise scope.error(f"the rewrite does not specialise: {pretty(right)!r} is more general than {pretty(left)!r}")
    return answer is True


# ---- termination ----------------------------------------------------------------------------------------


def reachable_types(rewrites: Rewrites, schema: Schema) -> set[str]:
    """Return the types of the positions that rewrites can open, including the individual."""
    return _reach(_steps(rewrites, schema), schema.individual)


def refuse_endless(rewrites: Rewrites, limits: syn.GrammarLimits, scope: Scope) -> None:
    """Raise a GrammarError for a rewrite that can be repeated without end."""
    if limits.literals is not None:
        return
    for name in sorted(reachable_types(rewrites, scope.schema)):
        for rewrite in rewrites.get(name, ()):
            if _adds_again(rewrite):
                raise scope.at(rewrite.place).error(
                    "this rewrite can be repeated at the same position; add a limit such as 'limits { literals 6 }'"
                )
    if limits.nesting is not None:
        return
    steps = _steps(rewrites, scope.schema)
    for name in sorted(_reach(steps, scope.schema.individual)):
        for rewrite in rewrites.get(name, ()):
            for target in _opened(rewrite, scope.schema):
                if name in _reach(steps, target):
                    raise scope.at(rewrite.place).error(
                        f"this rewrite can be repeated without end, from {name!r} back to {name!r}; "
                        "add a limit such as 'limits { nesting 4 }'"
                    )


def _adds_again(rewrite: CheckedRewrite) -> bool:
    """Return whether a rewrite adds literals to a position and can be repeated there."""
    left, right = _literals(rewrite.left), _literals(rewrite.right)
    more = syn.TOP in right if isinstance(rewrite.left, syn.Top) else len(right) > len(left)
    return more and not any(_is_unique(part) for part in right if part not in left)


def _is_unique(part: syn.Predicate) -> bool:
    """Return whether a position can have only one literal of this form, such as one value of an attribute."""
    test = peel(part)[1]
    many = isinstance(test, syn.Compare | syn.Aggregate) and test.op == "!="
    return isinstance(test, syn.Test) and not many and not is_open_call(test) and syn.TOP not in parts_of(test)


def _steps(rewrites: Rewrites, schema: Schema) -> dict[str, set[str]]:
    """Return the types of the positions that the rewrites of each type open."""
    return {
        name: {target for rewrite in of_type for target in _opened(rewrite, schema)}
        for name, of_type in rewrites.items()
    }


def _opened(rewrite: CheckedRewrite, schema: Schema) -> Iterator[str]:
    """Yield the types of the positions that a rewrite opens below its own position."""
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
    """Return whether a rewrite can never apply, because no other rewrite produces its left side."""
    wanted = _literals(rewrite.left)
    if not wanted:  # `top` is always derived; a shortcut, since large databases have a thousand rewrites of it
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
    """Return whether a right side can become the given literal, with some values and after refinement."""
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
    """Return whether two predicates differ only in their children."""
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
