"""The schema that a grammar is checked on: what it declares, what the data brings, and whether the two agree."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from structtree.data.schema import Attribute, Link, RecordType, Schema
from structtree.errors import GrammarError, did_you_mean
from structtree.lang.mistakes import error_at
from structtree.lang.syntax import Function, GrammarSyntax, TypeDeclaration

__all__ = ["DeclaredMembers", "declared_categories", "declared_members", "schema_of"]


def schema_of(
    syntax: GrammarSyntax, data: Schema | None, source: str = "<grammar>", text: str | None = None
) -> Schema:
    """The schema of a grammar: the data's when there is one, and it has all that the grammar declares.

    The functions of the grammar become attributes of their types.

    Raises
    ------
    GrammarError
        When neither declares types, a name is unknown, or the two disagree.

    Examples
    --------
    >>> from structtree.lang.parse import parse_grammar
    >>> schema_of(parse_grammar("type Car = { wheels: int }"), None).individual
    'Car'
    """
    try:
        if data is None:
            found = _declared_schema(syntax)
        else:
            for declaration in syntax.types:
                _compare(declaration, data)
            _check_individual(syntax, data)
            found = data
        for function in syntax.functions:
            found = _with_function(found, function)
    except GrammarError as error:
        raise GrammarError(error.message, source, error.line, error.column, text) from None
    return found


def declared_categories(syntax: GrammarSyntax) -> dict[tuple[str, str], tuple[str, ...]]:
    """The categories of every nominal attribute that the grammar declares, by type and name; () for any.

    Examples
    --------
    >>> from structtree.lang.parse import parse_grammar
    >>> declared_categories(parse_grammar("type Bond = { order: single | double, kind: nominal }"))
    {('Bond', 'order'): ('single', 'double'), ('Bond', 'kind'): ()}
    """
    return {(t.name, a.name): a.values for t in syntax.types for a in t.attributes if a.kind == "nominal"}


class DeclaredMembers(NamedTuple):
    """Declarations of a grammar about the data: the individual's type, and the kinds of members."""

    individual: str | None
    types: dict[str, str]


def declared_members(syntax: GrammarSyntax | None) -> DeclaredMembers:
    """Return what a grammar says about how individuals are to be read; nothing without a grammar.

    Examples
    --------
    >>> from structtree.lang.parse import parse_grammar
    >>> declared_members(parse_grammar("type Car = { code: nominal, wheels: set of Wheel }  type Wheel = { r: int }"))
    DeclaredMembers(individual=None, types={'Car.code': 'nominal', 'Wheel.r': 'int', 'Car.wheels': 'set'})
    """
    if syntax is None:
        return DeclaredMembers(None, {})
    individual = syntax.individual or (syntax.types[0].name if len(syntax.types) == 1 else None)
    kinds = {f"{record.name}.{a.name}": str(a.kind) for record in syntax.types for a in record.attributes}
    links = {f"{t.name}.{link.name}": str(link.kind) for t in syntax.types for link in t.links if not link.single}
    return DeclaredMembers(individual, {**kinds, **links})


def _declared_schema(syntax: GrammarSyntax) -> Schema:
    if not syntax.types:
        raise GrammarError("this grammar declares no types; give --data, or a schema")
    names = [declaration.name for declaration in syntax.types]
    for declaration in syntax.types:
        for link in declaration.links:
            if link.target not in names:
                place = declaration.member_places.get(link.name, declaration.place)
                raise error_at(place, f"unknown type {link.target!r}{did_you_mean(link.target, names)}")
    if syntax.individual is not None and syntax.individual not in names:
        hint = did_you_mean(syntax.individual, names)
        raise error_at(syntax.individual_place, f"unknown type {syntax.individual!r}{hint}")
    if syntax.individual is None and len(names) > 1:
        choice = " or ".join(f"'individual {name}'" for name in names[:3])
        raise GrammarError(f"this grammar does not say what the individual is; add {choice}")
    return Schema(tuple(declaration.record for declaration in syntax.types), syntax.individual or names[0])


def _check_individual(syntax: GrammarSyntax, data: Schema) -> None:
    if syntax.individual in (None, data.individual):
        return
    raise error_at(
        syntax.individual_place,
        f"the individual of this grammar is {syntax.individual!r}, that of the data is {data.individual!r}",
    )


def _compare(declaration: TypeDeclaration, data: Schema) -> None:
    """Refuse a declared type of which the data has something else."""
    if declaration.name not in data:
        hint = did_you_mean(declaration.name, data.names)
        raise error_at(declaration.place, f"the data has no type {declaration.name!r}{hint}")
    record = data.type(declaration.name)
    problems = {attribute.name: _attribute_problem(attribute, record) for attribute in declaration.attributes}
    problems |= {link.name: _link_problem(link, record) for link in declaration.links}
    for name, problem in problems.items():
        if problem is not None:
            raise error_at(declaration.member_places.get(name, declaration.place), f"the data has {problem}")


def _attribute_problem(declared: Attribute, record: RecordType) -> str | None:
    name = f"{record.name}.{declared.name}"
    found = record.attribute(declared.name)
    if found is None:
        return f"no attribute {name!r}{did_you_mean(declared.name, record.members)}"
    if found.kind != declared.kind and (found.kind, declared.kind) != ("int", "real"):
        fix = f"declare it so, or read it with --type {declared.name}={declared.kind}"
        return f"{name!r} as {found.kind}, not {declared.kind}; {fix}"
    more = [value for value in found.values if value not in declared.values]
    if declared.values and more:
        return f"the value {more[0]!r} of {name!r}, which is not among those declared"
    return None


def _link_problem(declared: Link, record: RecordType) -> str | None:
    name = f"{record.name}.{declared.name}"
    found = record.link(declared.name)
    if found is None:
        return f"no link {name!r}{did_you_mean(declared.name, record.members)}"
    if found.target != declared.target:
        return f"{name!r} lead to {found.target!r}, not to {declared.target!r}"
    if found.kind != declared.kind and (found.kind, declared.kind) not in (("list", "set"), ("one", "optional")):
        return f"{name!r} as {_shown(found)!r}, not as {_shown(declared)!r}"
    return None


def _shown(link: Link) -> str:
    match link.kind:
        case "one":
            return link.target
        case "optional":
            return f"{link.target}?"
        case kind:
            return f"{kind} of {link.target}"


def _with_function(schema: Schema, function: Function) -> Schema:
    if function.type not in schema:
        hint = did_you_mean(function.type, schema.names)
        raise error_at(function.place, f"unknown type {function.type!r}{hint}")
    record = schema.type(function.type)
    present = record.attribute(function.name)
    if present is not None and present.kind == function.kind:
        return schema  # the data brings its values already
    if function.name in record.members:
        raise error_at(function.place, f"type {record.name!r} has a member {function.name!r} already")
    wider = replace(record, attributes=(*record.attributes, function.attribute))
    return Schema(tuple(wider if t is record else t for t in schema.types), schema.individual)
