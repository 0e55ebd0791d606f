"""Names and values of a predicate, looked up in a schema.

Resolving turns what the parser understood into what is meant: a bare word is a flag or a definition, ``22`` is
a category or a number as its attribute wants, a glob is every attribute it matches. What makes no sense is
refused with the place and the nearest name that would.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from itertools import product
from typing import Any, NamedTuple, assert_never

from structtree.data.dates import DAY
from structtree.data.schema import FAR_ROW, NUMERIC, PART_RANGES, PARTS, Attribute, Kind, Link, RecordType, Schema
from structtree.errors import GrammarError, did_you_mean
from structtree.lang import syntax as syn
from structtree.lang.aggregates import ORDERED, attribute_kinds, computed_attribute, default_order, order_kinds
from structtree.lang.calls import Place, call_of, called, is_open_call, places_of
from structtree.lang.logic import source_of
from structtree.lang.mistakes import error_at
from structtree.lang.pretty import pretty, pretty_aggregate, pretty_name, pretty_scalar
from structtree.lang.walk import children, with_children

__all__ = ["Scope", "its_hint", "link_of", "resolve", "value_attribute"]

_NUMBERS: tuple[Kind, ...] = ("int", "real")
_MOMENTS: tuple[Kind, ...] = ("date", "time")


@dataclass(frozen=True, slots=True)
class Scope:
    """The meaning of names, and where messages point.

    Parameters
    ----------
    schema : Schema
    definitions : mapping from name to Definition
        With resolved bodies.
    categories : mapping
        The categories that a grammar declares for an attribute of a type, which go before those of the data;
        none at all when it declares just ``nominal``.
    families : bool
        Whether value sources and globs may stand here: only on the right side of a rewrite.
    asker : str, optional
        The type of the row that asks, in the condition of a derived link; elsewhere nothing speaks of it.
    parameters : frozenset of str
        In the body of a definition: the words that stand for its parameters.
    place : Location, optional
        Where messages point.
    """

    schema: Schema
    definitions: Mapping[str, syn.Definition] = field(default_factory=dict)
    categories: Mapping[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    families: bool = False
    asker: str | None = None
    parameters: frozenset[str] = frozenset()
    source: str = "<predicate>"
    text: str | None = None
    place: syn.Location | None = None

    def at(self, place: syn.Location | None) -> Scope:
        """The same scope, for what stands at that place."""
        return self if place is None or place == self.place else replace(self, place=place)

    def error(self, message: str) -> GrammarError:
        """An error at the place of the scope."""
        return error_at(self.place, message, self.source, self.text)

    def type(self, name: str) -> RecordType:
        """The record type of that name, or an error."""
        if name not in self.schema:
            raise self.error(f"unknown type {name!r}{did_you_mean(name, self.schema.names)}")
        return self.schema.type(name)


def resolve(predicate: syn.Predicate, type_name: str, scope: Scope) -> tuple[syn.Predicate, ...]:
    """The predicates that a predicate stands for: one, or one for each choice of what its globs match.

    Parameters
    ----------
    predicate : Predicate
        As parsed.
    type_name : str
        The type of the rows it is about.
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
    """Return the type of the rows that the parts of a predicate are about; refuse what does not fit the link."""
    match predicate:
        case syn.Follow():
            link = link_of(predicate.link, type_name, scope)
            if not link.single:
                raise scope.error(f"{link.name!r} leads to many rows of {link.target!r}; write '{_how(link)}'")
            return link.target
        case syn.ListStep():
            return _stepped(predicate, type_name, scope)
        case syn.Exists() | syn.All() | syn.No() | syn.Count() | syn.Distinct():
            if isinstance(predicate, syn.Count):
                _check_number(predicate, scope)
            target = _many(predicate, type_name, scope)
            if isinstance(predicate, syn.Distinct) and len(predicate.inners) < 2:
                instead = f"exists {pretty_name(predicate.link)} (...)"
                raise scope.error(f"'distinct' needs two predicates or more; write '{instead}'")
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
        raise _only_in_rewrites(f"the values of {pretty(test)!r}", scope)
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
        raise scope.error(f"no value is in the interval of {pretty(test)!r}")
    return test


def _flag(test: syn.Flag, record: RecordType, scope: Scope) -> syn.Predicate:
    name = test.attribute
    attribute, definition = record.attribute_or_part(name), scope.definitions.get(name)
    if attribute is not None and attribute.kind == "bool":
        return test
    if attribute is None and definition is not None and record.link(name) is None:
        named = _named(syn.Named(name, place=test.place), record.name, scope)
        return named if test.positive else syn.Not(named)
    if attribute is not None:
        example = f"{pretty_name(name)} {'=' if attribute.kind == 'nominal' else '>='} ..."
        raise scope.error(f"{name!r} is {attribute.kind}, not a flag; write '{example}'")
    _refuse_link(name, record, scope)
    known = [*record.members, *(d.name for d in scope.definitions.values() if d.type == record.name)]
    hint = did_you_mean(name, known)
    raise scope.error(f"{name!r} is neither an attribute nor a definition of type {record.name!r}{hint}")


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
    """Return a definition as it is asked of pairs that have met rows of its type; refuse it of other rows."""
    if definition.type not in (scope.schema.met_by(type_name), scope.schema.rows_of(type_name)):
        message = f"{definition.name!r} is defined for type {definition.type!r}, not for {type_name!r}"
        raise scope.error(message)
    parameters = frozenset(definition.parameters)
    (body,) = resolve(definition.body, type_name, replace(scope, families=False, parameters=parameters))
    return replace(definition, type=type_name, body=body)


# ---- definitions with parameters ------------------------------------------------------------------------


def _call_of(step: syn.Follow, type_name: str, scope: Scope) -> syn.Named | None:
    """Return a reference as the call that it is when it has the name of a definition, and of no link."""
    definition = scope.definitions.get(step.link)
    if definition is None or scope.type(type_name).link(step.link) is not None:
        return None
    call = call_of(step)
    if call is None:
        raise scope.error(f"{step.link!r} is a definition; write '{_example(definition)}'")
    return call


def _step_of(named: syn.Named, type_name: str, scope: Scope) -> syn.Follow | None:
    """Return a call as the reference that it is when it has the name of a link of the type."""
    link = scope.type(type_name).link(named.name)
    if link is None or not named.arguments:
        return None
    match named.arguments:
        case (str() as word,):
            return syn.Follow(named.name, syn.Flag(word, place=named.place), place=named.place)
        case (syn.Star(),):
            return syn.Follow(named.name, syn.Flag(syn.Glob("*"), place=named.place), place=named.place)
        case _:
            raise scope.error(f"{named.name!r} is a link to {link.target!r}; write '{_how(link)}' with a test inside")


def _call(named: syn.Named, definition: syn.Definition, scope: Scope) -> syn.Named:
    """Return the call with its arguments as their places want them, and with its body if they are single values."""
    n, expected = len(named.arguments), len(definition.parameters)
    if n != expected:
        takes = "no value" if not expected else f"{expected} value{'s' * (expected > 1)}"
        raise scope.error(f"{named.name!r} takes {takes}, got {n}; write '{_example(definition)}'")
    if is_open_call(named) and not scope.families:
        raise _only_in_rewrites(f"the values of {pretty(named)!r}", scope)
    places = places_of(definition, scope.schema)
    given = zip(definition.parameters, named.arguments, strict=True)
    arguments: tuple[Any, ...] = tuple(_argument(value, places[name], scope) for name, value in given)
    if is_open_call(named):
        return replace(named, body=None, arguments=arguments, definition=definition)
    return called(definition, arguments, named)


def _example(definition: syn.Definition) -> str:
    parameters = ", ".join(map(pretty_name, definition.parameters))
    return f"{pretty_name(definition.name)}({parameters})" if parameters else pretty_name(definition.name)


def _argument(
    given: syn.Scalar | syn.ValueSource, places: tuple[Place, ...], scope: Scope
) -> syn.Scalar | syn.ValueSource:
    """Return an argument as the places of its parameter want it; as it is where they want different things."""
    found = [_argument_at(given, place, scope) for place in places]
    return found[0] if all(each == found[0] for each in found) else given


def _argument_at(given: syn.Scalar | syn.ValueSource, place: Place, scope: Scope) -> syn.Scalar | syn.ValueSource:
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


def _with_argument(place: Place, value: Any) -> syn.Predicate:
    """Return the test at a place of a parameter, with a value for it."""
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
    """Return a count with its number as a parameter, if that is a word."""
    number: Any = count.n
    if isinstance(number, str):
        number = syn.Parameter(number)
    return replace(count, n=number)


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
                raise scope.error(f"{pretty(test)!r} needs '>=', '<=' or 'in'")
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
            raise scope.error(f"{name!r} is a flag; write '{shown}' or 'not {shown}'")


def _value(value: syn.Scalar, attribute: Attribute, record: RecordType, scope: Scope, op: str = "=") -> syn.Scalar:
    """The value as its attribute wants it: a known category, a whole number, a real number."""
    if value in scope.parameters:
        return _parameter(str(value), attribute, record, scope)
    match attribute.kind:
        case "date" | "time":
            return _moment(value, attribute, record, scope, op)
        case "ordered":
            return _level(value, attribute, record, scope, op)
    if attribute.kind == "nominal":
        word = str(value)
        known = scope.categories.get((record.name, attribute.name), attribute.values)
        if known and word not in known:
            hint = _compared_hint(word, attribute, record, scope, op) or did_you_mean(word, known)
            raise scope.error(f"{word!r} is not a value of {attribute.name!r}{hint}")
        return word
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
    """A value that an attribute itself is compared with; refused if no date has such a part, as a 13th month."""
    found = _value(value, attribute, record, scope, op)
    is_part = record.attribute(attribute.name) is None
    low, high = PART_RANGES.get(attribute.name.rpartition(".")[2], (-math.inf, math.inf))
    if is_part and isinstance(value, int | float) and not low <= value <= high:
        raise scope.error(f"{attribute.name!r} is a number from {low} to {high}; got {value}")
    return found


def _parameter(name: str, attribute: Attribute, record: RecordType, scope: Scope) -> syn.Parameter:
    """The parameter that stands for a value; not if it could be taken for one."""
    if name in scope.categories.get((record.name, attribute.name), attribute.values):
        raise scope.error(f"{name!r} is a parameter and a value of {attribute.name!r}; rename the parameter")
    return syn.Parameter(name)


def its_hint(value: syn.Scalar, attribute: Attribute, record: RecordType, op: str) -> str:
    """Return a proposal of ``its``, where what stands for a value is the name of an attribute that would fit.

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
    """Return a proposal of ``its``, or of ``my`` where the row that asks has an attribute that would fit."""
    hint = its_hint(value, attribute, record, op)
    other = None if hint or scope.asker is None else scope.type(scope.asker).attribute(str(value))
    if other is None or not _fit(attribute, other, op):
        return hint
    comparison = f"{pretty_name(attribute.name)} {op} my {pretty_name(other.name)}"
    return f"; for the value of the row that asks write '{comparison}'"


def _moment(value: syn.Scalar, attribute: Attribute, record: RecordType, scope: Scope, op: str) -> syn.Scalar:
    """The value as a date or a time; a date alone is the beginning of that day."""
    if attribute.kind == "time" and isinstance(value, syn.Day):
        return value if isinstance(value, syn.Instant) else syn.Instant(value * DAY)
    if isinstance(value, syn.Day) and not isinstance(value, syn.Instant):
        return value
    hint = _compared_hint(value, attribute, record, scope, op)
    example = "2024-12-31" if attribute.kind == "date" else "2024-12-31 12:30"
    raise scope.error(
        f"{attribute.name!r} is a {attribute.kind}: expected one such as {example}, got {str(value)!r}{hint}"
    )


def _level(value: syn.Scalar, attribute: Attribute, record: RecordType, scope: Scope, op: str) -> syn.Scalar:
    word = str(value)
    if word not in attribute.values:
        hint = _compared_hint(word, attribute, record, scope, op) or did_you_mean(word, attribute.values)
        raise scope.error(f"{word!r} is not a value of {attribute.name!r}{hint}")
    return syn.OrderedCategory(attribute.values.index(word), word)


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
            raise scope.error(f"the reference {name!r} is never missing; it is not optional")
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
        raise scope.error(f"{name!r} is a definition and has no value; write '{name}'")
    if scope.asker is not None and scope.type(scope.asker).attribute(name) is not None:
        known = f"; for that of the row that asks write 'my {pretty_name(name)}'"
    else:
        known = _not_copied(name, record, scope) or did_you_mean(name, _members_of(record))
    raise scope.error(f"unknown attribute {name!r} of type {record.name!r}{known}")


def _members_of(record: RecordType) -> list[str]:
    """Return the members of a type that have names for users."""
    return [name for name in record.members if name != FAR_ROW]


def _not_copied(name: str, record: RecordType, scope: Scope) -> str:
    """Return a hint where pairs lack a member of the rows that they met, since nobody asks it of them."""
    met = scope.schema.met_by(record.name)
    if met is None or name not in scope.type(met).members:
        return ""
    return f"; pairs have what the grammar asks of them: name it in 'refine {pretty_name(record.name)} {{ ... }}'"


def _refuse_link(name: str, record: RecordType, scope: Scope) -> None:
    link = record.link(name)
    if link is not None:
        raise scope.error(f"{name!r} is a link to {link.target!r}, not an attribute; write '{_how(link)}'")


def _how(link: Link) -> str:
    """How a predicate on the rows behind a link is written."""
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
    raise scope.error(f"{attribute.name!r} is {attribute.kind}, which {pretty(test)!r} is not for; write {instead}")


def _kinds(test: syn.AttributeTest) -> tuple[Kind, ...]:
    """The kinds of attribute that a glob in this test is for."""
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
    """Return the attributes of these kinds that a glob matches; a plain name is itself, whatever it names."""
    if not isinstance(glob, syn.Glob):
        return (glob,)
    if not scope.families:
        raise _only_in_rewrites(f"the attributes of '{glob}'", scope)
    names = tuple(a.name for a in record.attributes if a.kind in kinds and fnmatchcase(a.name, str(glob)))
    if not names and str(glob) != "*":  # a bare star means all there are, and there may be none
        what = kinds[0] if len(kinds) == 1 else "numeric" if kinds in (NUMERIC, _NUMBERS) else ""
        known = did_you_mean(str(glob), record.members)
        raise scope.error(f"no {what} attribute of type {record.name!r} matches '{glob}'{known}")
    return names


def _only_in_rewrites(what: str, scope: Scope) -> GrammarError:
    return scope.error(f"{what} are many; that is for the right side of a rewrite, write out one here")


# ---- parts of dates -------------------------------------------------------------------------------------


def _is_moment(name: str, record: RecordType) -> bool:
    attribute = record.attribute(name)
    return attribute is not None and attribute.kind in _MOMENTS


def _of_part(step: syn.Follow, record: RecordType, scope: Scope) -> syn.Predicate:
    """Return a test of a part of a date, ``born.month = 5``, which the parser takes for one behind a reference."""
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
            raise scope.error(f"{step.link!r} is a date and not a reference; write '{example} = ...'")


def _part(name: str, part: str, record: RecordType, scope: Scope) -> str:
    """Return the name of a part of a date; of an attribute that is really called so, that name."""
    whole = f"{name}.{part}"
    if record.attribute(whole) is not None:
        return whole
    if isinstance(part, syn.Glob) or record.attribute_or_part(whole) is None:
        parts = _parts_of(name, record)
        hint = did_you_mean(whole, parts)
        raise scope.error(f"{name!r} is a date that has no {part!r}; its parts are {', '.join(parts)}{hint}")
    return syn.DatePart(whole)


def _parts_of(name: str, record: RecordType) -> list[str]:
    return [f"{name}.{part}" for part in PARTS if record.attribute_or_part(f"{name}.{part}") is not None]


# ---- two values of one row ------------------------------------------------------------------------------


def _comparisons(test: syn.CompareOwn, type_name: str, scope: Scope) -> tuple[syn.Predicate, ...]:
    """Return the comparison as it is; of globs one for each pair that fits, whichever of the two comes first."""
    one, other = (_sides(path, type_name, scope) for path in test.sides)
    pairs = [(a, b) for a in one for b in other]
    if not any(isinstance(path[-1], syn.Glob) for path in test.sides):
        ((a, b),) = pairs
        _refuse_unlike(a, b, test, scope)
        return (replace(test, attribute=a.path, other=b.path),)
    pairs = [(a, b) for a, b in pairs if a.path != b.path and _may_hold(a, b, test.op, scope)]
    made = (replace(test, attribute=a.path, other=b.path).in_order for a, b in pairs)
    return tuple(dict.fromkeys(made))


class _Side(NamedTuple):
    """A value of a row that is compared: its path, its attribute, and the type that has it."""

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
    """Tell whether a glob stands for this pair: kinds that fit, and categories in common as far as they are known."""
    known = [set(scope.categories.get((s.type, s.attribute.name), s.attribute.values)) for s in (one, other)]
    return _fit(one.attribute, other.attribute, op) and (not all(known) or not known[0].isdisjoint(known[1]))


def _fit(one: Attribute, other: Attribute, op: str) -> bool:
    kinds = {one.kind, other.kind}
    if kinds <= {"nominal", "ordered"}:
        return op in ("=", "!=") or (kinds == {"ordered"} and one.values == other.values)
    if kinds == {"bool"}:
        return op in ("=", "!=")
    return kinds <= set(_NUMBERS) or kinds <= set(_MOMENTS)


def _refuse_unlike(one: _Side, other: _Side, test: syn.CompareOwn, scope: Scope) -> None:
    if one.path == other.path:
        raise scope.error(f"{pretty(test)!r} compares a value with itself")
    _refuse_unfit(one, other, test, scope)


def _refuse_unfit(one: _Side, other: _Side, test: syn.CompareOwn | syn.CompareMine, scope: Scope) -> None:
    if _fit(one.attribute, other.attribute, test.op):
        return
    names = [repr(".".join(side.path)) for side in (one, other)]
    if not _fit(one.attribute, other.attribute, "="):
        kinds = [side.attribute.kind for side in (one, other)]
        raise scope.error(f"{names[0]} is {kinds[0]} and {names[1]} is {kinds[1]}: the two cannot be compared")
    why = (
        "are ordered in different ways"
        if one.attribute.kind == other.attribute.kind == "ordered"
        else "have no order"
    )
    raise scope.error(f"{names[0]} and {names[1]} {why}; write {pretty(replace(test, op='='))!r}")


# ---- the row that asks ----------------------------------------------------------------------------------


def _check_mine(test: syn.CompareMine, type_name: str, scope: Scope) -> None:
    if scope.asker is None:
        raise scope.error(
            f"'my {pretty_name(test.mine[-1])}' is a value of the row that asks, and only the condition of a derived "
            "link ('link ... where ...') has one; two values of one row are compared by 'its'"
        )
    (one,), (other,) = _sides(test.attribute, type_name, scope), _sides(test.mine, scope.asker, scope)
    _refuse_unfit(one, other, test, scope)


def _check_me(type_name: str, scope: Scope) -> None:
    if scope.asker is None:
        raise scope.error(
            "'me' is the row that asks, and only the condition of a derived link ('link ... where ...') has one; "
            "an attribute of that name stands in backticks: `me`"
        )
    if type_name != scope.asker:
        raise scope.error(f"'me' is a row of type {scope.asker!r}, and this is one of type {type_name!r}")


def value_attribute(path: syn.ValuePath, type_name: str, scope: Scope) -> Attribute:
    """Return the attribute at the end of a path of references, or raise an error."""
    (found,) = _sides(path, type_name, scope)
    return found.attribute


# ---- links ----------------------------------------------------------------------------------------------


def link_of(name: str, type_name: str, scope: Scope) -> Link:
    """Return the link of a type, or raise an error."""
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
        raise scope.error(f"{link.name!r} leads to one {link.target!r} only; write '{_how(link)}'")
    return link.target


def _is_sorted(pairs: str, met: str, schema: Schema) -> bool:
    """Return whether a type is that of pairs in an order which have met rows of another."""
    return schema.met_by(pairs) == met and schema.listed(pairs)


def _stepped(predicate: syn.ListStep, type_name: str, scope: Scope) -> str:
    step, name = predicate.step, predicate.link
    if name is None:
        if not scope.schema.listed(type_name):
            sorted_pairs = [name for name in scope.schema.names if _is_sorted(name, type_name, scope.schema)]
            fix = f"; write it in 'refine {pretty_name(sorted_pairs[0])} {{ ... }}'" if sorted_pairs else ""
            raise scope.error(f"'{step}' needs an element of a list, and no list has rows of {type_name!r}{fix}")
        return type_name
    link = link_of(name, type_name, scope)
    if link.kind != "list":
        raise scope.error(f"'{step}' needs a list, and {name!r} is not one; write '{_how(link)}'")
    return link.target


def _check_number(predicate: syn.Count, scope: Scope) -> None:
    n: Any = predicate.n
    if isinstance(n, str) and n not in scope.parameters:
        raise scope.error(f"a count takes a whole number, not {n!r}")
    if isinstance(n, syn.ValueSource) and not scope.families:
        raise _only_in_rewrites(f"the numbers of {pretty(predicate)!r}", scope)
    if isinstance(n, syn.Bins | syn.Quantiles):
        raise scope.error("a count takes a whole number, '*', a list or a range")
    wrong = [value for value in n.values if not isinstance(value, int)] if isinstance(n, syn.Listed) else []
    if wrong:
        raise scope.error(f"a count takes whole numbers, not {pretty_scalar(wrong[0])}")
    if isinstance(n, float):
        raise scope.error(f"a count takes a whole number, not {pretty_scalar(n)}")


# ---- aggregates -----------------------------------------------------------------------------------------


def _aggregates(test: syn.Aggregate, type_name: str, scope: Scope) -> tuple[syn.Predicate, ...]:
    """Return the aggregate with its order and the values as they are meant; one for each choice of its globs."""
    record = scope.type(_many(test, type_name, scope))
    if isinstance(test.value, syn.ValueSource) and not scope.families:
        raise _only_in_rewrites(f"the values of {pretty(test)!r}", scope)
    test = replace(test, order=_aggregate_order(test, type_name, record, scope))
    names = (None,) if test.attribute is None else _names(test.attribute, _asked_kinds(test), record, scope)
    made = [_aggregate(replace(test, attribute=name), record, scope) for name in names]
    choices = product(made, *[resolve(inner, record.name, scope) for inner in children(test)])
    return tuple(with_children(one, tuple(inners)) for one, *inners in choices)


def _asked_kinds(test: syn.Aggregate) -> tuple[Kind, ...]:
    """Return the kinds of attribute that a glob in an aggregate is for."""
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
        shown = pretty_aggregate(test)
        raise scope.error(f"{made.name!r} has no order for '{test.op}'; write '{shown} = ...'")
    if isinstance(test.value, syn.Bins | syn.Quantiles) and test.op in ("=", "!="):
        raise scope.error(f"{pretty(test)!r} needs '>=' or '<='")
    return replace(test, value=_aggregate_value(test, made, record, scope))


def _aggregate_value(
    test: syn.Aggregate, made: Attribute, record: RecordType, scope: Scope
) -> syn.Scalar | syn.ValueSource:
    alone = RecordType(record.name)  # of which no other attribute is proposed to compare with

    def value(given: syn.Scalar) -> syn.Scalar:
        if made.kind in _NUMBERS and isinstance(given, str) and given not in scope.parameters:
            raise scope.error(f"'{test.function}' needs numbers in {pretty(test)!r}")
        return _value(given, made, alone, scope, test.op)

    match test.value:
        case syn.Range() if made.kind in _NUMBERS:
            return test.value
        case syn.Range() if made.kind in _MOMENTS:
            raise scope.error(f"{made.name!r} is a {made.kind}, which has no ranges of whole numbers")
        case syn.Listed() | syn.Range() as source:
            return syn.Listed(tuple(dict.fromkeys(map(value, source.values))))
        case str() | int() | float() as given:
            return value(given)
        case source:
            return source


def _aggregate_order(test: syn.Aggregate, type_name: str, record: RecordType, scope: Scope) -> str | None:
    """Return the attribute that orders the rows: the one that is named, or that a set has for it; none of a list."""
    if test.function not in ORDERED:
        return None
    if test.order is not None:
        order, kinds = _attribute(test.order, record, scope), order_kinds(test.function)
        if order.kind not in kinds:
            what = "numbers or dates" if test.function == "trend" else "numbers, dates or ordered categories"
            raise scope.error(f"'{test.function}' orders rows by {what}, and {order.name!r} is {order.kind}")
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
