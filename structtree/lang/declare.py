"""The schema that a grammar is checked against, from its declarations or the data; the two must agree.

A grammar names its types, whereas the type names of the data are often derived from members (as for JSON Lines). A
declared type is therefore matched with a type of the data by name, or else by position (`data_names`). Grammars are
checked with the type names of the data (`in_names_of`), and training data gets those of the grammar (`named_by`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from typing import TypeVar

from structtree.data.population import Population
from structtree.data.readers.facts.signatures import implies_signature, signatures_of
from structtree.data.schema import Attribute, Link, RecordType, Schema
from structtree.errors import GrammarError, UsageError, did_you_mean, option_text
from structtree.lang import syntax as syn
from structtree.lang.mistakes import error_at

__all__ = [
    "check_declared_facts",
    "data_names",
    "declared_categories",
    "declared_individual",
    "declared_kinds",
    "declared_schema",
    "functions_in_order",
    "given_types",
    "in_names_of",
    "named_by",
    "schema_of",
]

INDIVIDUAL = "Individual"
"""An alias for the type of the individuals in ``refine``, ``define`` and ``function``, unless it is a type name."""


def check_declared_facts(syntax: syn.GrammarSyntax, population: Population) -> None:
    """Raise a UsageError if the signature of a fact differs between the grammar and the reading of the data.

    Signatures passed to the reader take precedence and are not compared.

    Examples
    --------
    >>> from structtree.lang.parse import parse_grammar
    >>> facts = Population.from_facts("age(ann, 3). age(bob, 4). tall(ann).")
    >>> check_declared_facts(parse_grammar("fact age(Person key, years)"), facts)
    Traceback (most recent call last):
    structtree.errors.UsageError: the grammar declares the fact age(Person key, years), but the facts were read as ...
    """
    if not syntax.facts:
        return
    reading = population.provenance.facts if population.provenance is not None else None
    if reading is None:
        raise UsageError(
            f"the grammar declares the fact {syntax.facts[0].signature}, but the data was not read from facts; "
            "remove the 'fact' declarations"
        )
    given, settled = signatures_of(reading.given), signatures_of(reading.signatures)
    for declaration in syntax.facts:
        declared = declaration.signature
        found = settled.get(declared.predicate)
        if declared.predicate in given or found is None or implies_signature(found, declared):
            continue
        raise UsageError(
            f"the grammar declares the fact {declared}, but the facts were read as {found}; read them with "
            "fact=grammar.facts"
        )


def declared_individual(syntax: syn.GrammarSyntax) -> str | None:
    """Return the declared type of the individuals, or the only declared type.

    Examples
    --------
    >>> from structtree.lang.parse import parse_grammar
    >>> declared_individual(parse_grammar("type Car = { wheels: int }"))
    'Car'
    """
    types = _of_data(syntax)
    return syntax.individual or (types[0].name if len(types) == 1 else None)


def _given_names(syntax: syn.GrammarSyntax) -> set[str]:
    """Return the declared types whose rows come from functions instead of the data."""
    targets = [function.link.target for function in syntax.functions if function.link is not None]
    given = {each.name for target in targets for each in _led_to(target, syntax)}
    others = {link.target for each in syntax.types if each.name not in given for link in each.links}
    return given - others - {syntax.individual}


def _led_to(name: str, syntax: syn.GrammarSyntax) -> tuple[syn.TypeDeclaration, ...]:
    """Return a declared type and the declared types that its links lead to."""
    declared = {each.name: each for each in syntax.types}
    names = [name] if name in declared else []
    for found in names:  # grows while iterated
        targets = dict.fromkeys(link.target for link in declared[found].links)
        names += [target for target in targets if target in declared and target not in names]
    return tuple(declared[found] for found in names)


def given_types(function: syn.Function, syntax: syn.GrammarSyntax, known: Schema) -> tuple[RecordType, ...]:
    """Return the types of the rows that a function returns: new types that the grammar declares.

    Raises
    ------
    GrammarError
        If a type is not new, or links to an undeclared type.

    Examples
    --------
    >>> from structtree.lang.parse import parse_grammar
    >>> syntax = parse_grammar("type Point = { x: real } function corners: Shape -> set of Point")
    >>> [each.name for each in given_types(syntax.functions[0], syntax, Schema((RecordType("Shape"),), "Shape"))]
    ['Point']
    """
    assert function.link is not None
    names = [each.name for each in syntax.types]
    found = _led_to(function.link.target, syntax)
    for declaration in found:
        if declaration.name in known:
            raise error_at(
                function.place,
                f"the function {function.name!r} returns rows of type {declaration.name!r}, which already has rows; "
                "declare a new type for them",
            )
        _check_targets(declaration, names)
    return tuple(declaration.record for declaration in found)


def _check_targets(declaration: syn.TypeDeclaration, names: Iterable[str]) -> None:
    """Raise an error if a link of a declared type leads to an unknown type."""
    for link in declaration.links:
        if link.target not in names:
            place = declaration.member_places.get(link.name, declaration.place)
            raise error_at(place, f"unknown type {link.target!r}{did_you_mean(link.target, names)}")


def functions_in_order(syntax: syn.GrammarSyntax) -> tuple[syn.Function, ...]:
    """Return the functions of a grammar, each after the functions that return its input rows.

    Examples
    --------
    >>> from structtree.lang.parse import parse_grammar
    >>> text = "function size: Point -> real function points: Shape -> set of Point type Point = { x: real }"
    >>> [function.name for function in functions_in_order(parse_grammar(text))]
    ['points', 'size']
    """
    givers: dict[str, set[str]] = {}
    for function in syntax.functions:
        for each in _led_to(function.link.target, syntax) if function.link is not None else ():
            givers.setdefault(each.name, set()).add(function.name)
    by_name = {function.name: function for function in syntax.functions}
    needs = {name: givers.get(function.type, set()) for name, function in by_name.items()}
    try:
        return tuple(by_name[name] for name in TopologicalSorter(needs).static_order())
    except CycleError as error:
        function = by_name[error.args[1][0]]
        message = f"the function {function.name!r} is applied to rows that it returns itself"
        raise error_at(function.place, message) from None


def declared_kinds(syntax: syn.GrammarSyntax) -> dict[str, str]:
    """Return the declared kinds of members, for the readers.

    The type names of the data are unknown before it is read, so members are identified by name alone. Only members
    declared with different kinds in several types are qualified by the type.

    Examples
    --------
    >>> from structtree.lang.parse import parse_grammar
    >>> declared_kinds(parse_grammar("type Box = { zip: nominal, items: set of Item } type Item = { kg: real }"))
    {'zip': 'nominal', 'items': 'set', 'kg': 'real'}
    """
    found: dict[str, dict[str, str]] = {}
    for record in _of_data(syntax):
        for attribute in record.attributes:
            found.setdefault(attribute.name, {})[record.name] = attribute.kind
        for link in (each for each in record.links if not each.single):
            found.setdefault(link.name, {})[record.name] = link.kind
    alike = {member: next(iter(kinds.values())) for member, kinds in found.items() if len(set(kinds.values())) == 1}
    others = {f"{type_name}.{m}": kind for m in found if m not in alike for type_name, kind in found[m].items()}
    return alike | others


def data_names(syntax: syn.GrammarSyntax, data: Schema) -> dict[str, str]:
    """Return a dict from declared types to the types of the data.

    A declared type is matched by name. If the data has no such type, it is matched by position: the individual of the
    grammar is the individual of the data, and links with the same name lead to the same type.

    Examples
    --------
    >>> from structtree.lang.parse import parse_grammar
    >>> syntax = parse_grammar("type Molecule = { confs: set of S } type S = { f1: real } individual Molecule")
    >>> data_names(syntax, Population.from_records([{"confs": [{"f1": 0.5}]}]).schema)
    {'Molecule': 'Individual', 'S': 'Conf'}
    >>> data_names(parse_grammar("individual Box"), Population.from_records([{"kg": 0.5}]).schema)
    {'Box': 'Individual'}
    """
    declared, start = {each.name: each for each in syntax.types}, declared_individual(syntax)
    found = {name: name for name in declared if name in data}
    if start is not None and start not in data:
        found[start] = data.individual
    waiting = [name for name in found if name in declared]
    for name in waiting:  # grows while iterated
        for link in declared[name].links:
            there = data.type(found[name]).link(link.name)
            if there is not None and link.target in declared and link.target not in found:
                found[link.target] = there.target
                waiting.append(link.target)
    return found


def in_names_of(syntax: syn.GrammarSyntax, data: Schema) -> syn.GrammarSyntax:
    """Return the grammar with the type names of the data; ``Individual`` is the type of the individuals.

    Raises
    ------
    GrammarError
        If two declared types match one type of the data, or if a function returns rows of an undeclared type.

    Examples
    --------
    >>> from structtree.lang.parse import parse_grammar
    >>> syntax = parse_grammar("type Car = { wheels: int } refine Car { top -> wheels >= * }")
    >>> in_names_of(syntax, Population.from_records([{"wheels": 4}]).schema).blocks[0].type
    'Individual'
    """
    _refuse_undeclared(syntax)
    names = data_names(syntax, data)
    _refuse_shared(syntax, names)
    if INDIVIDUAL not in data:
        names.setdefault(INDIVIDUAL, data.individual)

    def name(given: str) -> str:
        return names.get(given, given)

    if all(name(given) == given for given in names):
        return syntax
    return replace(
        syntax,
        types=tuple(_renamed(declaration, names) for declaration in syntax.types),
        individual=None if syntax.individual is None else name(syntax.individual),
        definitions=tuple(replace(each, type=name(each.type)) for each in syntax.definitions),
        functions=tuple(_renamed_function(each, names) for each in syntax.functions),
        computed=tuple(replace(each, type=name(each.type)) for each in syntax.computed),
        cycles=tuple(_renamed_cycles(each, names, data) for each in syntax.cycles),
        neighbourhoods=tuple(_renamed_cycles(each, names, data) for each in syntax.neighbourhoods),
        equalities=tuple(replace(each, type=name(each.type)) for each in syntax.equalities),
        links=tuple(_renamed_link(each, names, data) for each in syntax.links),
        blocks=tuple(replace(block, type=name(block.type)) for block in syntax.blocks),
    )


def named_by(population: Population, syntax: syn.GrammarSyntax) -> Population:
    """Return the population with the type names of a grammar.

    Examples
    --------
    >>> from structtree.lang.parse import parse_grammar
    >>> boxes = Population.from_records([{"items": [{"kg": 2}]}])
    >>> syntax = parse_grammar("type Box = { items: list of Thing } type Thing = { kg: int } individual Box")
    >>> named_by(boxes, syntax).schema.names
    ('Box', 'Thing')
    """
    names = {found: declared for declared, found in data_names(syntax, population.schema).items()}
    return population.renamed(names)


def _renamed(declaration: syn.TypeDeclaration, names: Mapping[str, str]) -> syn.TypeDeclaration:
    links = tuple(replace(link, target=names.get(link.target, link.target)) for link in declaration.links)
    return replace(declaration, name=names.get(declaration.name, declaration.name), links=links)


def _renamed_function(function: syn.Function, names: Mapping[str, str]) -> syn.Function:
    link = function.link
    to = None if link is None else replace(link, target=names.get(link.target, link.target))
    return replace(function, type=names.get(function.type, function.type), link=to)


def _refuse_undeclared(syntax: syn.GrammarSyntax) -> None:
    """Raise an error if a function returns rows of an undeclared type."""
    names = [each.name for each in syntax.types]
    for function in syntax.functions:
        if function.link is not None and function.link.target not in names:
            target = function.link.target
            hint = did_you_mean(target, names) or f"; add 'type {target} = {{ ... }}'"
            message = f"the function {function.name!r} returns {target!r}, an undeclared type{hint}"
            raise error_at(function.place, message)


def _renamed_link(link: syn.DerivedLink, names: Mapping[str, str], data: Schema) -> syn.DerivedLink:
    path = _renamed_path(link.path, names, {each.name for record in data.types for each in record.links})
    target = names.get(link.target, link.target)
    return replace(link, type=names.get(link.type, link.type), target=target, path=path)


_Walked = TypeVar("_Walked", syn.CycleCount, syn.Neighbourhood)


def _renamed_cycles(count: _Walked, names: Mapping[str, str], data: Schema) -> _Walked:
    path = _renamed_path(count.path, names, {each.name for record in data.types for each in record.links})
    return replace(count, type=names.get(count.type, count.type), path=path)


def _renamed_path(path: syn.DerivedPath, names: Mapping[str, str], links: set[str]) -> syn.DerivedPath:
    """Return the path with renamed types in steps like ``~Type.link``."""
    return tuple(
        replace(step, path=_renamed_path(step.path, names, links))
        if isinstance(step, syn.Closure)
        else replace(step, link=names[step.link])
        if step.backwards and step.link in names and step.link not in links
        else step
        for step in path
    )


def _refuse_shared(syntax: syn.GrammarSyntax, names: Mapping[str, str]) -> None:
    """Raise an error if two declared types match one type of the data."""
    first: dict[str, str] = {}
    for declaration in (each for each in syntax.types if each.name in names):
        found = names[declaration.name]
        if first.setdefault(found, declaration.name) != declaration.name:
            message = f"{first[found]!r} and {declaration.name!r} are the same type in the data ({found!r})"
            raise error_at(declaration.place, f"{message}; declare it once")


def declared_schema(syntax: syn.GrammarSyntax) -> Schema:
    """Return the schema that a grammar declares, without functions.

    Raises
    ------
    GrammarError
        If it declares no types or no individual, or if a name is unknown.

    Examples
    --------
    >>> from structtree.lang.parse import parse_grammar
    >>> declared_schema(parse_grammar("type Car = { wheels: int } function cost: Car -> real")).type("Car").members
    ('wheels',)
    """
    return schema_of(replace(syntax, types=_of_data(syntax), functions=()), None)


def _of_data(syntax: syn.GrammarSyntax) -> tuple[syn.TypeDeclaration, ...]:
    """Return the declared types except types whose rows come from functions."""
    given = _given_names(syntax)
    return tuple(each for each in syntax.types if each.name not in given)


def _brought(syntax: syn.GrammarSyntax, data: Schema) -> tuple[syn.TypeDeclaration, ...]:
    """Return the declared types whose rows functions computed earlier and that the data therefore contains."""
    done = [f.link for f in syntax.functions if f.link and f.type in data and f.link in data.type(f.type).links]
    return tuple(each for link in done for each in _led_to(link.target, syntax))


def schema_of(syntax: syn.GrammarSyntax, data: Schema | None) -> Schema:
    """Return the schema of the data after checking it against the declarations; without data, the declared schema.

    Functions are added as attributes, or as links to declared types. `structtree.lang.background.background_of` adds
    derived links and computed attributes.

    Raises
    ------
    GrammarError
        If no types are known, a name is unknown, or the data disagrees with the declarations.

    Examples
    --------
    >>> from structtree.lang.parse import parse_grammar
    >>> schema_of(parse_grammar("type Car = { wheels: int }"), None).individual
    'Car'
    """
    if data is None:
        found = _declared_schema(replace(syntax, types=_of_data(syntax)))
    else:
        there = (*_of_data(syntax), *_brought(syntax, data))
        for declaration in sorted(there, key=lambda each: each.name not in data):
            _compare(declaration, syntax, data)
        _check_individual(syntax, data)
        found = data.given
    for function in functions_in_order(syntax):
        found = _with_function(found, function, syntax)
    return found


def declared_categories(syntax: syn.GrammarSyntax) -> dict[tuple[str, str], tuple[str, ...]]:
    """Return the categories of each declared nominal attribute, by type and name; () if any is allowed.

    Examples
    --------
    >>> from structtree.lang.parse import parse_grammar
    >>> declared_categories(parse_grammar("type Bond = { order: single | double, kind: nominal }"))
    {('Bond', 'order'): ('single', 'double'), ('Bond', 'kind'): ()}
    """
    return {(t.name, a.name): a.values for t in syntax.types for a in t.attributes if a.kind == "nominal"}


def _declared_schema(syntax: syn.GrammarSyntax) -> Schema:
    if not syntax.types:
        raise GrammarError(f"this grammar declares no types; give {option_text('data')}, or a schema")
    names = [declaration.name for declaration in syntax.types]
    for declaration in syntax.types:
        _check_targets(declaration, names)
    if syntax.individual is not None and syntax.individual not in names:
        hint = did_you_mean(syntax.individual, names)
        raise error_at(syntax.individual_place, f"unknown type {syntax.individual!r}{hint}")
    if syntax.individual is None and len(names) > 1:
        choice = " or ".join(f"'individual {name}'" for name in names[:3])
        raise GrammarError(f"the grammar does not declare the type of the individuals; add {choice}")
    return Schema(tuple(declaration.record for declaration in syntax.types), syntax.individual or names[0])


def _check_individual(syntax: syn.GrammarSyntax, data: Schema) -> None:
    if syntax.individual in (None, data.individual):
        return
    message = f"the individual of the grammar is {syntax.individual!r}, that of the data is {data.individual!r}"
    raise error_at(syntax.individual_place, message)


def _compare(declaration: syn.TypeDeclaration, syntax: syn.GrammarSyntax, data: Schema) -> None:
    """Raise an error if a declared type disagrees with the data."""
    if declaration.name not in data:
        hint = did_you_mean(declaration.name, data.names)
        if declared_individual(syntax) is None:
            hint += f"; to use the type names of the grammar, declare the individual: individual {declaration.name}"
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
        kind = "<".join(declared.values) if declared.kind == "ordered" else declared.kind
        fix = f"declare it so, or read it with {option_text('types', {declared.name: kind})}"
        return f"{name!r} as {found.kind}, not {declared.kind}; {fix}"
    if declared.kind == "ordered" and found.values != declared.values:
        return f"{name!r} in the order {' < '.join(found.values)}, not {' < '.join(declared.values)}"
    more = [value for value in found.values if value not in declared.values]
    if declared.values and more:
        return f"the value {more[0]!r} of {name!r}, which is not declared"
    return None


def _link_problem(declared: Link, record: RecordType) -> str | None:
    name = f"{record.name}.{declared.name}"
    found = record.link(declared.name)
    if found is None:
        return f"no link {name!r}{did_you_mean(declared.name, record.members)}"
    if found.target != declared.target:
        return f"a link {name!r} to {found.target!r}, not to {declared.target!r}"
    if found.kind != declared.kind and (found.kind, declared.kind) not in (("list", "set"), ("one", "optional")):
        return f"{name!r} as {found.shown!r}, not as {declared.shown!r}"
    return None


def _with_function(schema: Schema, function: syn.Function, syntax: syn.GrammarSyntax) -> Schema:
    if function.type not in schema:
        hint = did_you_mean(function.type, schema.names)
        raise error_at(function.place, f"unknown type {function.type!r}{hint}")
    record = schema.type(function.type)
    attribute, link = record.attribute(function.name), record.link(function.name)
    if (attribute is not None and attribute.kind == function.kind) or (link is not None and link == function.link):
        return schema  # already computed
    if function.name in record.members:
        raise error_at(function.place, f"type {record.name!r} already has a member {function.name!r}")
    if function.link is None:
        wider = replace(record, attributes=(*record.attributes, function.attribute))
    else:
        wider = replace(record, links=(*record.links, function.link))
    more = () if function.link is None else given_types(function, syntax, schema)
    return Schema((*(wider if t is record else t for t in schema.types), *more), schema.individual)
