"""Grammar checks: every name is known, every value has the right kind, and every rewrite specialises.

`declare` determines the schema, `resolve` resolves the names and values of predicates, and `rewrites` checks
rewrites. This module combines them and sorts definitions by dependency.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter
from typing import NamedTuple

from structtree.data.schema import Attribute, Schema
from structtree.errors import GrammarError
from structtree.lang import syntax as syn
from structtree.lang.aggregates import computed_attribute
from structtree.lang.background import Background, background_of
from structtree.lang.calls import ParameterUse, call_of, parameter_uses
from structtree.lang.declare import declared_categories, declared_schema, in_names_of, schema_of
from structtree.lang.mistakes import located
from structtree.lang.pretty import pretty, pretty_name, pretty_rewrite
from structtree.lang.resolve import Scope, its_hint, resolve
from structtree.lang.rewrites import (
    CheckedRewrite,
    Rewrites,
    check_rewrite,
    never_derived,
    reachable_types,
    refuse_endless,
)
from structtree.lang.walk import asked_members, children, inner_type, subpredicates
from structtree.reprs import names_text, number_text, short_repr

__all__ = ["CheckedGrammar", "CheckedRewrite", "check", "check_predicate"]

MAX_DEFINITION_DEPTH = 150
"""Maximum nesting of a definition after expansion of the definitions in it."""

MAX_SIZE = 100_000
"""Maximum number of parts of a definition after expansion of the definitions in it."""


@dataclass(frozen=True, slots=True)
class CheckedGrammar:
    """A grammar that has been checked against a schema.

    Parameters
    ----------
    syntax : GrammarSyntax
        The checked syntax, with the type names of the data.
    schema : Schema
        The schema of the data, or else the declared schema, with functions, computed attributes and derived links.
    individual : str
    rewrites : mapping from type to tuple of CheckedRewrite
        All rewrites except ``top and top``, with globs expanded.
    conjuncts : mapping from type to int
        The maximum number of conjuncts at a position: 1 without ``top and top``; 0 for no maximum.
    definitions : mapping from name to Definition
        Definitions with resolved bodies.
    functions : mapping from name to Function
    background : Background
        The derived links and computed attributes.
    limits : GrammarLimits
    warnings : tuple of str
        Warnings about suspicious rewrites.
    source, text
        The name and the text of the grammar, for error messages.
    """

    syntax: syn.GrammarSyntax
    schema: Schema
    individual: str
    rewrites: Mapping[str, tuple[CheckedRewrite, ...]]
    conjuncts: Mapping[str, int]
    definitions: Mapping[str, syn.Definition]
    functions: Mapping[str, syn.Function]
    background: Background
    limits: syn.GrammarLimits
    warnings: tuple[str, ...] = ()
    source: str = "<grammar>"
    text: str | None = None

    def __repr__(self) -> str:
        rewrites = number_text(sum(map(len, self.rewrites.values())), "rewrite")
        types = names_text(name for name, own in self.rewrites.items() if own)
        warnings = number_text(self.warnings, "warning") if self.warnings else ""
        return short_repr(self, self.syntax.name or "unnamed", f"{rewrites} for {types}", warnings)


class _Warning(NamedTuple):
    """A warning about a grammar, and its location."""

    message: str
    place: syn.Location | None = None

    def text(self, source: str) -> str:
        where = f"{source}:{self.place.line}:{self.place.column}" if self.place else source
        return f"{where}: {self.message}"


def check(
    syntax: syn.GrammarSyntax,
    schema: Schema | None = None,
    *,
    source: str = "<grammar>",
    text: str | None = None,
    copies: Mapping[str, Collection[str]] | None = None,
) -> CheckedGrammar:
    """Check a grammar against the schema of the data, or against the types that it declares.

    Parameters
    ----------
    syntax : GrammarSyntax
    schema : Schema, optional
        The schema of the data, which must have all declared types and members.
    source, text : str
        The name and the text of the grammar, for error messages.
    copies : mapping from type to names, optional
        The members copied to the pairs of derived links; by default, the members that the grammar mentions.

    Raises
    ------
    GrammarError
        At the first error.

    Examples
    --------
    >>> from structtree.lang.parse import parse_grammar
    >>> checked = check(parse_grammar("type Car = { long: bool, f1: real, f2: real } refine Car { top -> f* >= * }"))
    >>> [pretty(rewrite.right) for rewrite in checked.rewrites["Car"]]
    ['f1 >= *', 'f2 >= *']
    """
    with located(source, text):
        meant = in_names_of(syntax, schema or declared_schema(syntax))
        background = background_of(meant, schema_of(meant, schema), members=copies)
        found = background.schema
        scope = Scope(found, categories=_categories(meant, found))
        scope = replace(scope, definitions=_definitions(meant, scope))
        skipped: list[_Warning] = []
        rewrites = _rewrites(meant, scope, skipped)
        refuse_endless(rewrites, syntax.limits, scope)
        conjuncts = _conjuncts(meant, scope)
    return CheckedGrammar(
        meant,
        found,
        found.individual,
        rewrites,
        conjuncts,
        scope.definitions,
        {function.name: function for function in meant.functions},
        background,
        meant.limits,
        tuple(w.text(source) for w in (*_warnings(meant, rewrites, scope), *_about_lists(meant, schema), *skipped)),
        source,
        text,
    )


def check_predicate(
    predicate: syn.Predicate, type_name: str, context: CheckedGrammar | Schema, *, text: str | None = None
) -> syn.Predicate:
    """Check a parsed predicate and resolve its names and values.

    Parameters
    ----------
    predicate : Predicate
        A parsed predicate, without value sources or globs.
    type_name : str
        The type of the rows that it applies to.
    context : CheckedGrammar or Schema
        A grammar also provides definitions and functions.
    text : str, optional
        The text of the predicate, for error messages.

    Examples
    --------
    >>> from structtree.data.schema import Attribute, RecordType
    >>> schema = Schema((RecordType("Bond", (Attribute("order", "nominal"),)),), "Bond")
    >>> from structtree.lang.parse import parse_predicate
    >>> check_predicate(parse_predicate("order = 7"), "Bond", schema)
    Compare(attribute='order', op='=', value='7')
    """
    if isinstance(context, Schema):
        scope = Scope(context)
    else:
        categories = _categories(context.syntax, context.schema)
        scope = Scope(context.schema, context.definitions, categories)
    with located("<predicate>", text):
        scope.type(type_name)
        (found,) = resolve(predicate, type_name, scope)
    return found


# ---- definitions ----------------------------------------------------------------------------------------


def _definitions(syntax: syn.GrammarSyntax, scope: Scope) -> dict[str, syn.Definition]:
    """Return the definitions of a grammar with resolved bodies."""
    written = {definition.name: definition for definition in syntax.definitions}
    for definition in written.values():
        here = scope.at(definition.place)
        if definition.name in here.type(definition.type).members:
            raise here.error(f"type {definition.type!r} already has a member {definition.name!r}")
    known = dict(written)  # not resolved yet, but enough to distinguish a definition from an unknown name
    depths: dict[str, int] = {}
    sizes: dict[str, int] = {}
    for name in _in_order(written, scope):
        definition = written[name]
        _refuse_huge(definition, depths, sizes, scope)
        parameters = frozenset(definition.parameters)
        (body,) = resolve(definition.body, definition.type, replace(scope, definitions=known, parameters=parameters))
        known[name] = replace(definition, body=body)
        _check_parameters(known[name], scope.at(definition.place))
    return known


def _check_parameters(definition: syn.Definition, scope: Scope) -> None:
    """Raise an error for a parameter that is unused, or that is compared with different kinds of values."""
    for name, places in parameter_uses(definition, scope.schema).items():
        if not places:
            raise scope.error(f"the parameter {name!r} of {definition.name!r} is unused")
        kinds = {kind: what for what, kind in (_wanted(place, scope.schema) for place in reversed(places))}
        if len(kinds) > 1:
            (_, one), (_, other), *_ = reversed(kinds.items())
            raise scope.error(
                f"the parameter {name!r} of {definition.name!r} is both {one} and {other}; use two parameters"
            )


def _wanted(place: ParameterUse, schema: Schema) -> tuple[str, tuple[str, ...]]:
    """Return a description of how a parameter is used, and the kind of value that it needs."""
    test = place.test
    if isinstance(test, syn.Count):
        return f"a count of {test.link!r}", ("number",)
    if isinstance(test, syn.Aggregate):
        target = inner_type(test, place.type, schema)
        assert target is not None
        attribute: Attribute | None = computed_attribute(test, schema.type(target))
    else:
        attribute = schema.type(place.type).attribute_or_part(test.attribute)
    assert attribute is not None  # the body has been resolved
    kind = "number" if attribute.kind in ("int", "real") else attribute.kind
    levels = attribute.values if kind == "ordered" else ()
    return f"a value of {attribute.name!r} ({attribute.kind})", (kind, *levels)


def _in_order(written: Mapping[str, syn.Definition], scope: Scope) -> list[str]:
    """Return the definition names sorted by dependency, or raise an error that shows a cycle."""
    needs = {name: [*_needs(definition, written, scope)] for name, definition in written.items()}
    try:
        return [*TopologicalSorter(needs).static_order()]
    except CycleError as error:
        cycle = error.args[1][:0:-1]  # from dependent to dependency, without the repeated last one
        first = min(range(len(cycle)), key=lambda i: [*written].index(cycle[i]))
        names = [*cycle[first:], *cycle[: first + 1]]
        message = (
            f"circular definitions: {' -> '.join(names)}; to follow a link repeatedly, use its closure, as in "
            "'link ancestors: Person -> set of Person = parent+'"
        )
        raise scope.at(written[names[0]].place).error(message) from None


def _needs(definition: syn.Definition, written: Mapping[str, syn.Definition], scope: Scope) -> Iterator[str]:
    """Yield the definitions that a definition uses; a member of the type takes precedence over a definition."""
    for part, type_name in subpredicates(definition.body, definition.type, scope.schema):
        name = _name_of(part)
        if name is not None and name in written and name not in scope.schema.type(type_name).members:
            yield name


def _name_of(part: syn.Predicate) -> str | None:
    """Return the name that may refer to a definition, or None."""
    match part:
        case syn.Flag(name) | syn.Named(name):
            return name
        case syn.Follow(name) if call_of(part) is not None:
            return name
        case _:
            return None


def _refuse_huge(definition: syn.Definition, depths: dict[str, int], sizes: dict[str, int], scope: Scope) -> None:
    """Raise an error for a definition that would be too large after expansion of the definitions in it."""
    depth, size = 0, 0
    stack = [(definition.body, 1)]
    while stack:
        part, level = stack.pop()
        name = _name_of(part)
        depth = max(depth, level + depths.get(name or "", 0))
        size += 1 + sizes.get(name or "", 0)
        stack.extend((child, level + 1) for child in children(part))
    depths[definition.name], sizes[definition.name] = depth, size
    if depth > MAX_DEFINITION_DEPTH or size > MAX_SIZE:
        raise scope.at(definition.place).error(
            f"the definition {definition.name!r} is too large with the definitions in it expanded: "
            f"expected a nesting of at most {MAX_DEFINITION_DEPTH} and at most {MAX_SIZE} parts"
        )


# ---- rewrites -------------------------------------------------------------------------------------------


def _categories(syntax: syn.GrammarSyntax, schema: Schema) -> dict[tuple[str, str], tuple[str, ...]]:
    """Return the declared categories of attributes, and of their copies in pairs."""
    declared = declared_categories(syntax)
    copies = {
        (name, attribute.name): declared[schema.rows_of(name), attribute.name]
        for name in schema.names
        for attribute in schema.type(name).attributes
        if (schema.rows_of(name), attribute.name) in declared
    }
    return {**declared, **copies}


def _rewrites(
    syntax: syn.GrammarSyntax, scope: Scope, skipped: list[_Warning]
) -> dict[str, tuple[CheckedRewrite, ...]]:
    """Return the rewrites of each type; a type of pairs inherits the rewrites of the rows that it links to.

    Warnings about rewrites that pairs cannot inherit are added to ``skipped``.
    """
    found: dict[str, tuple[CheckedRewrite, ...]] = {}
    for block in syntax.blocks:
        scope.at(block.place).type(block.type)
        checked = [
            one
            for rewrite in block.rewrites
            if rewrite.conjuncts is None
            for one in check_rewrite(rewrite, block.type, scope)
        ]
        found[block.type] = (*found.get(block.type, ()), *checked)
    for name in scope.schema.names:  # the type of the linked rows precedes the type of the pairs
        met = scope.schema.met_by(name)
        if met is not None:
            inherited = [one for rewrite in found.get(met, ()) for one in _inherited(rewrite, name, scope, skipped)]
            own = found.get(name, ())
            known = {(one.left, one.right) for one in own}
            more = tuple(one for one in inherited if (one.left, one.right) not in known)
            if own or more:
                found[name] = (*own, *more)
    return found


def _inherited(
    rewrite: CheckedRewrite, pairs: str, scope: Scope, skipped: list[_Warning]
) -> tuple[CheckedRewrite, ...]:
    """Return a rewrite adapted to a type of pairs; empty if it needs a derived link that the pairs do not have."""
    plain = syn.Rewrite(rewrite.left, rewrite.right, cost=rewrite.cost, place=rewrite.place)
    if any(
        (link := scope.schema.type(rewrite.type).link(member)) is not None and link.derived
        for name, member in asked_members(rewrite.right, rewrite.type, scope.schema)
        if name == rewrite.type and member not in scope.schema.type(pairs).members
    ):
        return ()
    try:
        return check_rewrite(plain, pairs, scope)
    except GrammarError as error:
        message = f"{pretty_rewrite(plain)!r} does not apply to the pairs of {pairs!r}: {error.message}"
        skipped.append(_Warning(message, rewrite.place))
        return ()


def _conjuncts(syntax: syn.GrammarSyntax, scope: Scope) -> dict[str, int]:
    found: dict[str, int] = {}
    for block in syntax.blocks:
        for rewrite in block.rewrites:
            if rewrite.conjuncts is None:
                continue
            here = scope.at(rewrite.place)
            if block.type in found:
                raise here.error(f"duplicate 'top and top' for type {block.type!r}")
            if rewrite.conjuncts == 0 and syntax.limits.literals is None:
                raise here.error(
                    "conjunctions are unlimited; write 'top -> top and top max 3', or 'limits { literals 6 }'"
                )
            found[block.type] = rewrite.conjuncts
    for name in scope.schema.names:
        met = scope.schema.met_by(name)
        if met in found:
            found.setdefault(name, found[met])
    return {name: found.get(name, 1) for name in scope.schema.names}


def _about_lists(syntax: syn.GrammarSyntax, data: Schema | None) -> Iterator[_Warning]:
    """Yield a warning for each set of the grammar that is a list in the data, whose order no test can use."""
    for declared in (each for each in syntax.types if data is not None and each.name in data):
        for link in declared.links:
            found = data.type(declared.name).link(link.name) if data is not None else None
            if link.kind == "set" and found is not None and found.kind == "list":
                shown = f"{pretty_name(declared.name)}.{pretty_name(link.name)}"
                fix = f"declare 'list of {pretty_name(link.target)}' to keep its order"
                message = f"{shown} is declared as a set, but is a list in the data; {fix}"
                yield _Warning(message, declared.member_places.get(link.name, declared.place))


def _warnings(syntax: syn.GrammarSyntax, rewrites: Rewrites, scope: Scope) -> Iterator[_Warning]:
    schema = scope.schema
    reachable = reachable_types(rewrites, schema)
    individual = schema.type(schema.individual)
    if individual.members and not rewrites.get(individual.name):
        yield _Warning(f"the grammar has no tests: type {individual.name!r} has no rewrites")
    used_by_pairs = {schema.met_by(name) for name in reachable} | {schema.rows_of(name) for name in reachable}
    for block in syntax.blocks:
        if block.type not in reachable | used_by_pairs:
            message = f"no rewrite leads from {schema.individual!r} to {block.type!r}, so this block is never used"
            yield _Warning(message, block.place)
    used = [rewrite for name in schema.names if name in reachable for rewrite in rewrites.get(name, ())]
    for rewrite in used:
        if never_derived(rewrite, used, schema):
            message = f"no rewrite produces {pretty(rewrite.left)!r}, so this rewrite is never used"
            yield _Warning(message, rewrite.place)
    yield from _doubtful_values(rewrites, scope)


def _doubtful_values(rewrites: Rewrites, scope: Scope) -> Iterator[_Warning]:
    """Yield a warning for each undeclared category that has the name of an attribute."""
    stated = [(d.body, d.type) for d in scope.definitions.values()]
    stated += [(side, name) for name, of_type in rewrites.items() for r in of_type for side in (r.left, r.right)]
    for predicate, type_name in stated:
        for part, name in subpredicates(predicate, type_name, scope.schema):
            match part:
                case syn.Compare(member, op, str() as value) if not isinstance(value, syn.Parameter):
                    record = scope.schema.type(name)
                    attribute = record.attribute(member)
                    if attribute is None or value in attribute.values:
                        continue
                    if hint := its_hint(value, attribute, record, op):
                        yield _Warning(f"{pretty(part)!r} means the category {value!r}{hint}", part.place)
