"""Resolution of the names and values of a predicate against a schema.

A bare word becomes a flag or a definition, ``22`` becomes a category or a number depending on the attribute, and a
glob becomes all attributes that it matches. Errors show the location and the nearest valid name.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from itertools import product
from typing import Any, NamedTuple, assert_never

from structtree.data.dates import DAY
from structtree.data.readers.molecules.patterns import atom_types
from structtree.data.schema import FAR_ROW, NUMERIC, PART_RANGES, PARTS, Attribute, Kind, Link, RecordType, Schema
from structtree.errors import GrammarError, did_you_mean
from structtree.lang import syntax as syn
from structtree.lang.aggregates import ORDERED, attribute_kinds, computed_attribute, default_order, order_kinds
from structtree.lang.calls import ParameterUse, call_of, called, is_open_call, parameter_uses
from structtree.lang.logic import source_of
from structtree.lang.mistakes import error_at
from structtree.lang.pretty import pretty, pretty_aggregate, pretty_name, pretty_scalar
from structtree.lang.walk import children, with_children
from structtree.reprs import number_text

__all__ = ["Scope", "its_hint", "link_of", "resolve", "value_attribute"]

_NUMBERS: tuple[Kind, ...] = ("int", "real")
_MOMENTS: tuple[Kind, ...] = ("date", "time")


@dataclass(frozen=True, slots=True)
class Scope:
    """The names that a predicate may use, and the location for error messages.

    Parameters
    ----------
    schema : Schema
    definitions : mapping from name to Definition
        Definitions with resolved bodies.
    categories : mapping
        The declared categories of attributes, by type and name; they override those of the data. Empty for an
        attribute declared as ``nominal``.
    families : bool
        Whether value sources and globs are allowed, as on the right side of a rewrite.
    owner : str, optional
        In the condition of a derived link, the type of the link's owner.
    parameters : frozenset of str
        In the body of a definition, its parameters.
    place : Location, optional
        The location for error messages.
    """

    schema: Schema
    definitions: Mapping[str, syn.Definition] = field(default_factory=dict)
    categories: Mapping[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    families: bool = False
    owner: str | None = None
    parameters: frozenset[str] = frozenset()
    place: syn.Location | None = None

    def at(self, place: syn.Location | None) -> Scope:
        """Return the scope with another location."""
        return self if place is None or place == self.place else replace(self, place=place)

    def error(self, message: str) -> GrammarError:
        """Return an error at the location of the scope."""
        return error_at(self.place, message)

    def type(self, name: str) -> RecordType:
        """Return a record type by name, or raise an error."""
        if name not in self.schema:
            raise self.error(f"unknown type {name!r}{did_you_mean(name, self.schema.names)}")
        return self.schema.type(name)


def resolve(predicate: syn.Predicate, type_name: str, scope: Scope) -> tuple[syn.Predicate, ...]:
    """Resolve a parsed predicate, and expand its globs into one predicate for each combination of attributes.

    Parameters
    ----------
    predicate : Predicate
        A parsed predicate.
    type_name : str
        The type of the rows that it applies to.
    scope : Scope

    Examples
    --------
    >>> schema = Schema((RecordType("Car", (Attribute("f1", "real"), Attribute("f2", "int"))),), "Car")
    >>> resolve(syn.Compare(syn.Glob("f*"), ">=", 2), "Car", Scope(schema, families=True))
    (Compare(attribute='f1', op='>=', value=2.0), Compare(attribute='f2', op='>=', value=2))
    """
    scope = scope.at(getattr(predicate, "place", None))
    match predicate:
        case syn.Missing():
            return _missings(predicate, scope.type(type_name), scope)
        case syn.Named() if (step := _step_of(predicate, type_name, scope)) is not None:
            return resolve(step, type_name, scope)
        case syn.Named():
            return (_named(predicate, type_name, scope),)
        case syn.Follow() if (call := _call_of(predicate, type_name, scope)) is not None:
            return (_named(call, type_name, scope),)
        case syn.Aggregate():
            return _aggregates(predicate, type_name, scope)
        case syn.CompareOwn():
            return _comparisons(predicate, type_name, scope)
        case syn.CompareMine():
            _check_mine(predicate, type_name, scope)
            return (predicate,)
        case syn.Me():
            _check_me(type_name, scope)
            return (predicate,)
        case _ if isinstance(predicate, syn.AttributeTest):
            return _tests(predicate, scope.type(type_name), scope)
        case syn.Follow(name) if _is_moment(name, scope.type(type_name)):
            return resolve(_of_part(predicate, scope.type(type_name), scope), type_name, scope)
        case _:
            target = _target(predicate, type_name, scope)
            predicate = _with_parameter(predicate) if isinstance(predicate, syn.Count) else predicate
            choices = product(*[resolve(part, target, scope) for part in children(predicate)])
            return tuple(with_children(predicate, chosen) for chosen in choices)


def _target(predicate: syn.Top | syn.LinkForm | syn.And | syn.Or | syn.Not, type_name: str, scope: Scope) -> str:
    """Check the link of a predicate, and return the type of the rows that its children apply to."""
    match predicate:
        case syn.Follow():
            link = link_of(predicate.link, type_name, scope)
            if not link.single:
                raise scope.error(f"{link.name!r} leads to many rows of {link.target!r}; write '{_pattern(link)}'")
            return link.target
        case syn.ListStep():
            return _list_target(predicate, type_name, scope)
        case syn.Exists() | syn.All() | syn.No() | syn.Count() | syn.Distinct():
            if isinstance(predicate, syn.Count):
                _check_number(predicate, scope)
            target = _many(predicate, type_name, scope)
            if isinstance(predicate, syn.Distinct) and len(predicate.inners) < 2:
                instead = f"exists {pretty_name(predicate.link)} (...)"
                raise scope.error(f"expected at least two predicates in 'distinct'; write '{instead}'")
            return target
        case syn.Top() | syn.And() | syn.Or() | syn.Not():
            return type_name
        case _ as never:
            assert_never(never)


# ---- attributes -----------------------------------------------------------------------------------------


def _tests(test: syn.AttributeTest, record: RecordType, scope: Scope) -> tuple[syn.Predicate, ...]:
    names = _names(test.attribute, _kinds(test), record, scope)
    return tuple(_test(replace(test, attribute=name), record, scope) for name in names)


def _test(test: syn.AttributeTest, record: RecordType, scope: Scope) -> syn.Predicate:
    if source_of(test) is not None and not scope.families:
        raise _only_in_rewrites(pretty(test), "values", scope)
    match test:
        case syn.Flag():
            return _flag(test, record, scope)
        case syn.Compare(name):
            return _compare(test, _attribute(name, record, scope), record, scope)
        case syn.Among(name, source=syn.Star()):
            _expect(_attribute(name, record, scope), ("nominal",), test, scope)
            return test
        case syn.Among(name, values):
            attribute = _attribute(name, record, scope)
            _expect(attribute, ("nominal", *NUMERIC), test, scope)
            return replace(test, values=syn.sort_scalars(_own_value(v, attribute, record, scope) for v in values))
        case syn.Within(name):
            attribute = _attribute(name, record, scope)
            _expect(attribute, (*_NUMBERS, *_MOMENTS), test, scope)
            return test if test.source is not None else _interval(test, attribute, record, scope)
        case _ as never:
            assert_never(never)


def _interval(test: syn.Within, attribute: Attribute, record: RecordType, scope: Scope) -> syn.Within:
    if attribute.kind in _MOMENTS or isinstance(test.low, syn.Day) or isinstance(test.high, syn.Day):
        low, high = (_value(end, attribute, record, scope, "in") for end in (test.low, test.high))
        assert not isinstance(low, str) and not isinstance(high, str)
        test = replace(test, low=low, high=high)
    if not (test.low <= test.high if test.closed else test.low < test.high):
        raise scope.error(f"the interval of {pretty(test)!r} is empty")
    return test


def _flag(test: syn.Flag, record: RecordType, scope: Scope) -> syn.Predicate:
    name = test.attribute
    attribute, definition = record.attribute_or_part(name), scope.definitions.get(name)
    if attribute is not None and attribute.kind == "bool":
        return test
    if attribute is None and isinstance(name, syn.SmartsName):
        refuse_smarts(record.name, scope)
        raise scope.error(f"{name} is not in the grammar; add 'define NAME: {record.name} = {name}'")
    if attribute is None and definition is not None and record.link(name) is None:
        named = _named(syn.Named(name, place=test.place), record.name, scope)
        return named if test.positive else syn.Not(named)
    if attribute is not None:
        example = f"{pretty_name(name)} {'=' if attribute.kind == 'nominal' else '>='} ..."
        raise scope.error(f"{name!r} is {attribute.kind}, not bool; write '{example}'")
    _refuse_link(name, record, scope)
    known = [*record.members, *(d.name for d in scope.definitions.values() if d.type == record.name)]
    hint = did_you_mean(name, known)
    raise scope.error(f"{name!r} is neither an attribute nor a definition of type {record.name!r}{hint}")


def refuse_smarts(type_name: str, scope: Scope) -> None:
    """Raise an error if a SMARTS pattern cannot be matched with rows of a type, because they are not atoms."""
    types = atom_types(scope.schema)
    if types is None:
        raise scope.error(
            "smarts(...) needs molecules that RDKit has read; the individuals of this data are "
            f"{scope.schema.individual!r}, without the attributes of such atoms and bonds"
        )
    if scope.schema.rows_of(type_name) != types.atom:
        fixes = {types.molecule: "exists atoms (smarts(...))", types.bond: "to (smarts(...))"}
        fix = fixes.get(type_name, f"define ...: {types.atom} = smarts(...)")
        raise scope.error(f"smarts(...) is a condition on {types.atom!r}, not on {type_name!r}; write '{fix}'")


def _named(named: syn.Named, type_name: str, scope: Scope) -> syn.Predicate:
    definition = scope.definitions.get(named.name)
    if definition is None:
        if named.body is not None:
            return named
        known = did_you_mean(named.name, scope.definitions)
        raise scope.error(f"unknown definition {named.name!r}{known}")
    if definition.type != type_name:
        of_pairs = _of_pairs(definition, type_name, scope)
        return replace(_named_by(of_pairs, named, scope), definition=definition)
    return _named_by(definition, named, scope)


def _named_by(definition: syn.Definition, named: syn.Named, scope: Scope) -> syn.Named:
    if definition.parameters or named.arguments:
        return _call(named, definition, scope)
    return replace(named, body=definition.body, says=definition.says)


def _of_pairs(definition: syn.Definition, type_name: str, scope: Scope) -> syn.Definition:
    """Return a definition resolved for a type of pairs that link to its type; raise an error for any other type."""
    if definition.type not in (scope.schema.met_by(type_name), scope.schema.rows_of(type_name)):
        raise scope.error(f"{definition.name!r} is defined for type {definition.type!r}, not for {type_name!r}")
    parameters = frozenset(definition.parameters)
    (body,) = resolve(definition.body, type_name, replace(scope, families=False, parameters=parameters))
    return replace(definition, type=type_name, body=body)


# ---- definitions with parameters ------------------------------------------------------------------------


def _call_of(step: syn.Follow, type_name: str, scope: Scope) -> syn.Named | None:
    """Convert a parsed reference to a call if its name is a definition and not a link; else return None."""
    definition = scope.definitions.get(step.link)
    if step.link == "smarts" and definition is None and scope.type(type_name).link(step.link) is None:
        raise scope.error('write a SMARTS pattern in quotes: smarts("...")')
    if definition is None or scope.type(type_name).link(step.link) is not None:
        return None
    call = call_of(step)
    if call is None:
        raise scope.error(f"{step.link!r} is a definition; write '{_example(definition)}'")
    return call


def _step_of(named: syn.Named, type_name: str, scope: Scope) -> syn.Follow | None:
    """Convert a parsed call to a reference if its name is a link of the type; else return None."""
    link = scope.type(type_name).link(named.name)
    if link is None or not named.arguments:
        return None
    match named.arguments:
        case (str() as word,):
            return syn.Follow(named.name, syn.Flag(word, place=named.place), place=named.place)
        case (syn.Star(),):
            return syn.Follow(named.name, syn.Flag(syn.Glob("*"), place=named.place), place=named.place)
        case _:
            raise scope.error(f"{named.name!r} is a link to {link.target!r}; write '{_pattern(link)}' with a test")


def _call(named: syn.Named, definition: syn.Definition, scope: Scope) -> syn.Named:
    """Return a call with converted arguments, and with its body unless an argument is a value source."""
    n, expected = len(named.arguments), len(definition.parameters)
    if n != expected:
        takes = number_text(expected, "argument") if expected else "no arguments"
        raise scope.error(f"{named.name!r} takes {takes}, got {n}; write '{_example(definition)}'")
    if is_open_call(named) and not scope.families:
        raise _only_in_rewrites(pretty(named), "values", scope)
    places = parameter_uses(definition, scope.schema)
    given = zip(definition.parameters, named.arguments, strict=True)
    arguments: tuple[Any, ...] = tuple(_argument(value, places[name], scope) for name, value in given)
    if is_open_call(named):
        return replace(named, body=None, arguments=arguments, definition=definition)
    return called(definition, arguments, named)


def _example(definition: syn.Definition) -> str:
    parameters = ", ".join(map(pretty_name, definition.parameters))
    return f"{pretty_name(definition.name)}({parameters})" if parameters else pretty_name(definition.name)


def _argument(
    given: syn.Scalar | syn.ValueSource, places: tuple[ParameterUse, ...], scope: Scope
) -> syn.Scalar | syn.ValueSource:
    """Convert an argument to the kind needed by the uses of its parameter; unchanged if the uses differ."""
    found = [_argument_at(given, place, scope) for place in places]
    return found[0] if all(each == found[0] for each in found) else given


def _argument_at(
    given: syn.Scalar | syn.ValueSource, place: ParameterUse, scope: Scope
) -> syn.Scalar | syn.ValueSource:
    if isinstance(given, syn.ValueSource):
        (test,) = resolve(_with_argument(place, given), place.type, replace(scope, families=True))
        source = source_of(test)
        assert source is not None
        return source
    if given in scope.parameters:
        return syn.Parameter(given)
    (test,) = resolve(_with_argument(place, given), place.type, scope)
    value: Any = test.n if isinstance(test, syn.Count) else getattr(test, "value", given)
    return value  # type: ignore[no-any-return]


def _with_argument(place: ParameterUse, value: Any) -> syn.Predicate:
    """Return a test with its parameter replaced by a value."""
    match place.test:
        case syn.Count(link, _, op):
            return syn.Count(link, syn.TOP, op, value)
        case syn.Among(attribute):
            return syn.Compare(attribute, "=", value)
        case syn.Aggregate() as test:
            return replace(test, value=value, inner=None if test.inner is None else syn.TOP, place=None)
        case test:
            return replace(test, value=value, place=None)


def _with_parameter(count: syn.Count) -> syn.Count:
    """Return a count with a parameter in place of a number if the number was parsed as a name."""
    number: Any = count.n
    return replace(count, n=syn.Parameter(number)) if isinstance(number, str) else count  # type: ignore[arg-type]


# ---- values ---------------------------------------------------------------------------------------------


def _compare(test: syn.Compare, attribute: Attribute, record: RecordType, scope: Scope) -> syn.Predicate:
    if attribute.kind == "bool":
        return _flag_as_value(test, scope)
    _expect(attribute, NUMERIC if test.op in (">=", "<=") else ("nominal", *NUMERIC), test, scope)
    match test.value:
        case syn.Star():
            return test
        case syn.Bins() | syn.Quantiles():
            if test.op in ("=", "!="):
                raise scope.error(f"expected '>=', '<=' or 'in' in {pretty(test)!r}")
            return test
        case syn.Range() if attribute.kind in _NUMBERS:
            return test
        case syn.Listed() | syn.Range() as source:
            listed = dict.fromkeys(_own_value(value, attribute, record, scope, test.op) for value in source.values)
            return replace(test, value=syn.Listed(tuple(listed)))
        case value:
            return replace(test, value=_own_value(value, attribute, record, scope, test.op))


def _flag_as_value(test: syn.Compare, scope: Scope) -> syn.Flag:
    match test:
        case syn.Compare(name, ("=" | "!=") as op, ("true" | "false") as value):
            return syn.Flag(name, (value == "true") == (op == "="), place=test.place)
        case syn.Compare(name):
            shown = pretty_name(name)
            raise scope.error(f"{name!r} is bool; write '{shown}' or 'not {shown}'")


def _value(value: syn.Scalar, attribute: Attribute, record: RecordType, scope: Scope, op: str = "=") -> syn.Scalar:
    """Return the value converted to the kind of its attribute, or raise an error."""
    if value in scope.parameters:
        return _parameter(str(value), attribute, record, scope)
    match attribute.kind:
        case "date" | "time":
            return _moment(value, attribute, record, scope, op)
        case "ordered" | "nominal":
            return _category(str(value), attribute, record, scope, op)
    if isinstance(value, str | syn.Day):
        hint = _compared_hint(value, attribute, record, scope, op)
        raise scope.error(f"{attribute.name!r} is {attribute.kind}: expected a number, got {str(value)!r}{hint}")
    if attribute.kind == "real":
        return float(value)
    if isinstance(value, int) or not math.isfinite(value):
        return value
    match op:
        case ">=":
            return math.ceil(value)
        case "<=":
            return math.floor(value)
        case _ if value.is_integer():
            return int(value)
        case _:
            raise scope.error(f"{attribute.name!r} is int: expected a whole number, got {value!r}")


def _own_value(
    value: syn.Scalar, attribute: Attribute, record: RecordType, scope: Scope, op: str = "="
) -> syn.Scalar:
    """Convert the value of a comparison to the attribute's kind; raise an error for an impossible date part."""
    found = _value(value, attribute, record, scope, op)
    is_part = record.attribute(attribute.name) is None
    low, high = PART_RANGES.get(attribute.name.rpartition(".")[2], (-math.inf, math.inf))
    if is_part and isinstance(value, int | float) and not low <= value <= high:
        raise scope.error(f"expected a number from {low} to {high} for {attribute.name!r}, got {value}")
    return found


def _parameter(name: str, attribute: Attribute, record: RecordType, scope: Scope) -> syn.Parameter:
    """Return a parameter used as a value; raise an error if it is also a category."""
    if name in scope.categories.get((record.name, attribute.name), attribute.values):
        raise scope.error(f"{name!r} is both a parameter and a value of {attribute.name!r}; rename the parameter")
    return syn.Parameter(name)


def its_hint(value: syn.Scalar, attribute: Attribute, record: RecordType, op: str) -> str:
    """Return a hint to write ``its`` if a value is the name of a comparable attribute, else "".

    Examples
    --------
    >>> ends, begins = Attribute("ends", "int"), Attribute("begins", "int")
    >>> its_hint("begins", ends, RecordType("Stay", (ends, begins)), ">=")
    "; to compare the two attributes write 'ends >= its begins'"
    """
    other = record.attribute(str(value))
    if other is None or other.name == attribute.name or not _fit(attribute, other, op):
        return ""
    return f"; to compare the two attributes write '{pretty_name(attribute.name)} {op} its {pretty_name(other.name)}'"


def _compared_hint(value: syn.Scalar, attribute: Attribute, record: RecordType, scope: Scope, op: str) -> str:
    """Return a hint to write ``its``, or ``my`` if the link's owner has a comparable attribute; else ""."""
    hint = its_hint(value, attribute, record, op)
    other = None if hint or scope.owner is None else scope.type(scope.owner).attribute(str(value))
    if other is None or not _fit(attribute, other, op):
        return hint
    comparison = f"{pretty_name(attribute.name)} {op} my {pretty_name(other.name)}"
    return f"; for the value of the link's owner write '{comparison}'"


def _moment(value: syn.Scalar, attribute: Attribute, record: RecordType, scope: Scope, op: str) -> syn.Scalar:
    """Return the value as a date or a time; a date without a time is midnight."""
    if attribute.kind == "time" and isinstance(value, syn.Day):
        return value if isinstance(value, syn.Instant) else syn.Instant(value * DAY)
    if isinstance(value, syn.Day) and not isinstance(value, syn.Instant):
        return value
    hint = _compared_hint(value, attribute, record, scope, op)
    example = "2024-12-31" if attribute.kind == "date" else "2024-12-31 12:30"
    raise scope.error(
        f"{attribute.name!r} is a {attribute.kind}: expected a value such as {example}, got {str(value)!r}{hint}"
    )


def _category(word: str, attribute: Attribute, record: RecordType, scope: Scope, op: str) -> syn.Scalar:
    is_ordered, known = attribute.kind == "ordered", attribute.values
    if not is_ordered:
        known = scope.categories.get((record.name, attribute.name), known)
    if word not in known and (known or is_ordered):
        hint = _compared_hint(word, attribute, record, scope, op) or did_you_mean(word, known)
        raise scope.error(f"{word!r} is not a value of {attribute.name!r}{hint}")
    return syn.OrderedCategory(known.index(word), word) if is_ordered else word


def _missings(test: syn.Missing, record: RecordType, scope: Scope) -> tuple[syn.Predicate, ...]:
    if isinstance(test.member, syn.Glob):
        names = _names(test.member, ("bool", "nominal", *NUMERIC), record, scope)
        return tuple(replace(test, member=name) for name in names)
    if record.attribute_or_part(test.member) is not None:
        return (test,)
    match record.link(test.member):
        case None:
            _attribute(test.member, record, scope)
        case Link(name, "one"):
            raise scope.error(f"the reference {name!r} is never missing, because it is not optional")
        case Link(name, "set" | "list"):
            raise scope.error(f"{name!r} leads to many rows; write 'none {pretty_name(name)} (top)'")
        case _:
            pass
    return (test,)


def _attribute(name: str, record: RecordType, scope: Scope) -> Attribute:
    attribute = record.attribute_or_part(name)
    if attribute is not None:
        return attribute
    _refuse_link(name, record, scope)
    if name in scope.definitions:
        raise scope.error(f"{name!r} is a definition, not an attribute; write '{name}'")
    if scope.owner is not None and scope.type(scope.owner).attribute(name) is not None:
        known = f"; for the attribute of the link's owner write 'my {pretty_name(name)}'"
    else:
        known = _not_copied(name, record, scope) or did_you_mean(name, _members_of(record))
    raise scope.error(f"unknown attribute {name!r} of type {record.name!r}{known}")


def _members_of(record: RecordType) -> list[str]:
    """Return the names of the members of a type that a grammar can use."""
    return [name for name in record.members if name != FAR_ROW]


def _not_copied(name: str, record: RecordType, scope: Scope) -> str:
    """Return a hint on how to use a member of the linked rows that was not copied to the pairs, else ""."""
    met = scope.schema.met_by(record.name)
    if met is None or name not in scope.type(met).members:
        return ""
    return f"; to copy it to the pairs, use it in 'refine {pretty_name(record.name)} {{ ... }}'"


def _refuse_link(name: str, record: RecordType, scope: Scope) -> None:
    link = record.link(name)
    if link is not None:
        raise scope.error(f"{name!r} is a link to {link.target!r}, not an attribute; write '{_pattern(link)}'")


def _pattern(link: Link) -> str:
    """Return an example of a predicate on linked rows, such as ``exists cars (...)``, for error messages."""
    return f"{'' if link.single else 'exists '}{pretty_name(link.name)} (...)"


def _expect(attribute: Attribute, kinds: tuple[Kind, ...], test: syn.AttributeTest, scope: Scope) -> None:
    if attribute.kind in kinds:
        return
    shown = pretty_name(attribute.name)
    match attribute.kind:
        case "nominal":
            instead = f"'{shown} = ...'"
        case "bool":
            instead = f"'{shown}' or 'not {shown}'"
        case "ordered":
            instead = f"'{shown} >= *' or '{shown} = *'"
        case _:
            instead = f"'{shown} >= *' or '{shown} in bins(5)'"
    message = f"{pretty(test)!r} does not apply to {attribute.name!r}, which is {attribute.kind}"
    raise scope.error(f"{message}; write {instead}")


def _kinds(test: syn.AttributeTest) -> tuple[Kind, ...]:
    """Return the kinds of attribute that a glob in a test can match."""
    match test:
        case syn.Flag():
            return ("bool",)
        case syn.Among(source=syn.Star()):
            return ("nominal",)
        case syn.Within(low=syn.Day()) | syn.Compare(value=syn.Day()):
            return _MOMENTS
        case syn.Within(source=None) | syn.Compare(value=int() | float() | syn.Range()):
            return _NUMBERS
        case syn.Within():
            return (*_NUMBERS, *_MOMENTS)
        case syn.Compare(op=">=" | "<=", value=str()):
            return ("ordered",)
        case syn.Compare(op=">=" | "<=", value=syn.Star() | syn.Bins() | syn.Quantiles()):
            return NUMERIC
        case syn.Compare(value=syn.Listed(values)) | syn.Among(values=values):
            return _kinds_of_values(values)
        case _:
            return ("nominal",)


def _kinds_of_values(values: tuple[syn.Scalar, ...]) -> tuple[Kind, ...]:
    if any(isinstance(value, str) for value in values):
        return ("nominal",)
    return _MOMENTS if any(isinstance(value, syn.Day) for value in values) else _NUMBERS


def _names(glob: str, kinds: tuple[Kind, ...], record: RecordType, scope: Scope) -> tuple[str, ...]:
    """Return the attributes of these kinds that a glob matches, or a plain name unchanged."""
    if not isinstance(glob, syn.Glob):
        return (glob,)
    if not scope.families:
        raise _only_in_rewrites(str(glob), "attributes", scope)
    names = tuple(a.name for a in record.attributes if a.kind in kinds and fnmatchcase(a.name, str(glob)))
    if not names and str(glob) != "*":  # a bare star may match nothing
        what = f"{kinds[0]} " if len(kinds) == 1 else "numeric " if kinds in (NUMERIC, _NUMBERS) else ""
        known = did_you_mean(str(glob), record.members)
        raise scope.error(f"no {what}attribute of type {record.name!r} matches '{glob}'{known}")
    return names


def _only_in_rewrites(text: str, what: str, scope: Scope) -> GrammarError:
    message = f"'{text}' stands for several {what}, which is only allowed on the right side of a rewrite"
    return scope.error(f"{message}; write one of them")


# ---- parts of dates -------------------------------------------------------------------------------------


def _is_moment(name: str, record: RecordType) -> bool:
    attribute = record.attribute(name)
    return attribute is not None and attribute.kind in _MOMENTS


def _of_part(step: syn.Follow, record: RecordType, scope: Scope) -> syn.Predicate:
    """Return a test of a date part, such as ``born.month = 5``, that was parsed as a reference."""
    match step.inner:
        case syn.Flag(part) | syn.Compare(part) | syn.Among(part) | syn.Within(part) as test:
            return replace(test, attribute=_part(step.link, part, record, scope))
        case syn.Missing(part) as test:
            return replace(test, member=_part(step.link, part, record, scope))
        case syn.CompareOwn((one,), _, (other,)) as test:
            names = ((_part(step.link, part, record, scope),) for part in (one, other))
            return replace(test, attribute=next(names), other=next(names))
        case _:
            example = _parts_of(step.link, record)[0]
            raise scope.error(f"{step.link!r} is a date, not a reference; write '{example} = ...'")


def _part(name: str, part: str, record: RecordType, scope: Scope) -> str:
    """Return the name of a date part, such as ``born.month``; an attribute with this name takes precedence."""
    whole = f"{name}.{part}"
    if record.attribute(whole) is not None:
        return whole
    if isinstance(part, syn.Glob) or record.attribute_or_part(whole) is None:
        parts = _parts_of(name, record)
        hint = did_you_mean(whole, parts)
        raise scope.error(f"the date {name!r} has no part {part!r}; its parts are {', '.join(parts)}{hint}")
    return syn.DatePart(whole)


def _parts_of(name: str, record: RecordType) -> list[str]:
    return [f"{name}.{part}" for part in PARTS if record.attribute_or_part(f"{name}.{part}") is not None]


# ---- two values of one row ------------------------------------------------------------------------------


def _comparisons(test: syn.CompareOwn, type_name: str, scope: Scope) -> tuple[syn.Predicate, ...]:
    """Return the comparisons that a comparison with globs stands for: one for each pair of comparable attributes."""
    one, other = (_sides(path, type_name, scope) for path in test.sides)
    pairs = [(a, b) for a in one for b in other]
    if not any(isinstance(path[-1], syn.Glob) for path in test.sides):
        ((a, b),) = pairs
        if a.path == b.path:
            raise scope.error(f"{pretty(test)!r} compares a value with itself")
        _refuse_unfit(a, b, test, scope)
        return (replace(test, attribute=a.path, other=b.path),)
    pairs = [(a, b) for a, b in pairs if a.path != b.path and _may_hold(a, b, test.op, scope)]
    made = (replace(test, attribute=a.path, other=b.path).in_order for a, b in pairs)
    return tuple(dict.fromkeys(made))


class _Side(NamedTuple):
    """A compared value: its path, its attribute, and the type that has the attribute."""

    path: syn.ValuePath
    attribute: Attribute
    type: str


def _sides(path: syn.ValuePath, type_name: str, scope: Scope) -> list[_Side]:
    *references, name = path
    for place, reference in enumerate(references):
        if place == len(references) - 1 and _is_moment(reference, scope.type(type_name)):
            references, name = references[:-1], _part(reference, name, scope.type(type_name), scope)
            break
        type_name = _target(syn.Follow(reference, syn.TOP), type_name, scope)
    record = scope.type(type_name)
    names = _names(name, ("bool", "nominal", *NUMERIC), record, scope)
    return [_Side((*references, each), _attribute(each, record, scope), type_name) for each in names]


def _may_hold(one: _Side, other: _Side, op: str, scope: Scope) -> bool:
    """Return whether two values are comparable and, if their categories are known, share a category."""
    known = [set(scope.categories.get((s.type, s.attribute.name), s.attribute.values)) for s in (one, other)]
    return _fit(one.attribute, other.attribute, op) and (not all(known) or not known[0].isdisjoint(known[1]))


def _fit(one: Attribute, other: Attribute, op: str) -> bool:
    kinds = {one.kind, other.kind}
    if kinds <= {"nominal", "ordered"}:
        return op in ("=", "!=") or (kinds == {"ordered"} and one.values == other.values)
    if kinds == {"bool"}:
        return op in ("=", "!=")
    return kinds <= set(_NUMBERS) or kinds <= set(_MOMENTS)


def _refuse_unfit(one: _Side, other: _Side, test: syn.CompareOwn | syn.CompareMine, scope: Scope) -> None:
    if _fit(one.attribute, other.attribute, test.op):
        return
    names = [repr(".".join(side.path)) for side in (one, other)]
    if not _fit(one.attribute, other.attribute, "="):
        kinds = [side.attribute.kind for side in (one, other)]
        raise scope.error(f"cannot compare {names[0]} ({kinds[0]}) with {names[1]} ({kinds[1]})")
    order = "different orders" if one.attribute.kind == other.attribute.kind == "ordered" else "no order"
    raise scope.error(f"{names[0]} and {names[1]} have {order}; write {pretty(replace(test, op='='))!r}")


# ---- the owner of a derived link ------------------------------------------------------------------------


def _check_mine(test: syn.CompareMine, type_name: str, scope: Scope) -> None:
    if scope.owner is None:
        raise scope.error(
            f"'my {pretty_name(test.mine[-1])}' is only allowed in the condition of a derived link ('link ... where "
            "...'); to compare two values of one row, use 'its'"
        )
    (one,), (other,) = _sides(test.attribute, type_name, scope), _sides(test.mine, scope.owner, scope)
    _refuse_unfit(one, other, test, scope)


def _check_me(type_name: str, scope: Scope) -> None:
    if scope.owner is None:
        raise scope.error(
            "'me' is only allowed in the condition of a derived link ('link ... where ...'); write an attribute of "
            "that name in backticks: `me`"
        )
    if type_name != scope.owner:
        raise scope.error(f"'me' has type {scope.owner!r}, but the row here has type {type_name!r}")


def value_attribute(path: syn.ValuePath, type_name: str, scope: Scope) -> Attribute:
    """Return the attribute at the end of a path of references, or raise an error."""
    (found,) = _sides(path, type_name, scope)
    return found.attribute


# ---- links ----------------------------------------------------------------------------------------------


def link_of(name: str, type_name: str, scope: Scope) -> Link:
    """Return a link of a type by name, or raise an error."""
    record = scope.type(type_name)
    link = record.link(name)
    if link is not None:
        return link
    if record.attribute(name) is not None:
        raise scope.error(f"{name!r} is an attribute of type {type_name!r}, not a link")
    calls = (d.name for d in scope.definitions.values() if d.type == type_name and d.parameters)
    known = _not_copied(name, record, scope) or did_you_mean(
        name, [*(link.name for link in record.links if link.name != FAR_ROW), *calls]
    )
    raise scope.error(f"unknown link {name!r} of type {type_name!r}{known}")


def _many(
    predicate: syn.Exists | syn.All | syn.No | syn.Count | syn.Distinct | syn.Aggregate, type_name: str, scope: Scope
) -> str:
    link = link_of(predicate.link, type_name, scope)
    if link.single:
        raise scope.error(f"{link.name!r} leads to a single {link.target!r}; write '{_pattern(link)}'")
    return link.target


def _list_target(predicate: syn.ListStep, type_name: str, scope: Scope) -> str:
    """Return the type of the elements that a list step leads to; raise an error if there is no list."""
    step, name, schema = predicate.step, predicate.link, scope.schema
    if name is None:
        if not schema.listed(type_name):
            pairs = [each for each in schema.names if schema.met_by(each) == type_name and schema.listed(each)]
            fix = f"; write it in 'refine {pretty_name(pairs[0])} {{ ... }}'" if pairs else ""
            raise scope.error(f"'{step}' needs an element of a list, but no list has rows of {type_name!r}{fix}")
        return type_name
    link = link_of(name, type_name, scope)
    if link.kind != "list":
        raise scope.error(f"expected a list after '{step}', but {name!r} is not a list; write '{_pattern(link)}'")
    return link.target


def _check_number(predicate: syn.Count, scope: Scope) -> None:
    n: Any = predicate.n
    if isinstance(n, syn.ValueSource) and not scope.families:
        raise _only_in_rewrites(pretty(predicate), "numbers", scope)
    if isinstance(n, syn.Bins | syn.Quantiles):
        raise scope.error("expected a whole number, '*', a list or a range in a count")
    for value in n.values if isinstance(n, syn.Listed) else (n,):
        if not isinstance(value, int | syn.ValueSource) and value not in scope.parameters:
            raise scope.error(f"expected a whole number in a count, got {pretty_scalar(value)!r}")


# ---- aggregates -----------------------------------------------------------------------------------------


def _aggregates(test: syn.Aggregate, type_name: str, scope: Scope) -> tuple[syn.Predicate, ...]:
    """Return the resolved aggregates, one for each combination of attributes that its globs match."""
    record = scope.type(_many(test, type_name, scope))
    if isinstance(test.value, syn.ValueSource) and not scope.families:
        raise _only_in_rewrites(pretty(test), "values", scope)
    test = replace(test, order=_aggregate_order(test, type_name, record, scope))
    names = (None,) if test.attribute is None else _names(test.attribute, _aggregate_kinds(test), record, scope)
    made = [_aggregate(replace(test, attribute=name), record, scope) for name in names]
    choices = product(made, *[resolve(inner, record.name, scope) for inner in children(test)])
    return tuple(with_children(one, tuple(inners)) for one, *inners in choices)


def _aggregate_kinds(test: syn.Aggregate) -> tuple[Kind, ...]:
    """Return the kinds of attribute that a glob in an aggregate can match."""
    if test.function not in ("latest", "earliest"):
        return attribute_kinds(test.function)
    return _kinds(syn.Compare("", test.op, test.value))


def _aggregate(test: syn.Aggregate, record: RecordType, scope: Scope) -> syn.Aggregate:
    if test.attribute is not None:
        kinds, attribute = attribute_kinds(test.function), _attribute(test.attribute, record, scope)
        if attribute.kind not in kinds:
            what = "numbers or dates" if len(kinds) > 2 else "numbers"
            raise scope.error(f"{attribute.name!r} is {attribute.kind}; '{test.function}' needs {what}")
    made = computed_attribute(test, record)
    if made.kind == "nominal" and test.op in (">=", "<="):
        raise scope.error(f"{made.name!r} has no order for '{test.op}'; write '{pretty_aggregate(test)} = ...'")
    if isinstance(test.value, syn.Bins | syn.Quantiles) and test.op in ("=", "!="):
        raise scope.error(f"expected '>=' or '<=' in {pretty(test)!r}")
    return replace(test, value=_aggregate_value(test, made, record, scope))


def _aggregate_value(
    test: syn.Aggregate, made: Attribute, record: RecordType, scope: Scope
) -> syn.Scalar | syn.ValueSource:
    alone = RecordType(record.name)  # without attributes, so that no hint suggests a comparison

    def value(given: syn.Scalar) -> syn.Scalar:
        if made.kind in _NUMBERS and isinstance(given, str) and given not in scope.parameters:
            raise scope.error(f"expected a number in {pretty(test)!r}, got {given!r}")
        return _value(given, made, alone, scope, test.op)

    match test.value:
        case syn.Range() if made.kind in _NUMBERS:
            return test.value
        case syn.Range() if made.kind in _MOMENTS:
            raise scope.error(f"{made.name!r} is a {made.kind}, which cannot be compared with a range of numbers")
        case syn.Listed() | syn.Range() as source:
            return syn.Listed(tuple(dict.fromkeys(map(value, source.values))))
        case str() | int() | float() as given:
            return value(given)
        case source:
            return source


def _aggregate_order(test: syn.Aggregate, type_name: str, record: RecordType, scope: Scope) -> str | None:
    """Return the attribute that orders the rows: the given or default attribute of a set; None for a list."""
    if test.function not in ORDERED:
        return None
    if test.order is not None:
        order, kinds = _attribute(test.order, record, scope), order_kinds(test.function)
        if order.kind not in kinds:
            what = "numbers or dates" if test.function == "trend" else "numbers, dates or ordered categories"
            raise scope.error(f"'{test.function}' orders rows by {what}, but {order.name!r} is {order.kind}")
        return order.name
    link = link_of(test.link, type_name, scope)
    found = default_order(link, record)
    if found is None and link.kind != "list":
        moments = [a.name for a in record.attributes if a.kind in _MOMENTS]
        what = "several dates" if moments else "no date"
        proposal = pretty_aggregate(replace(test, order=(*moments, "date")[0]))
        raise scope.error(
            f"the rows of the set {link.name!r} have {what} to order them by; name the attribute: '{proposal}'"
        )
    return found
