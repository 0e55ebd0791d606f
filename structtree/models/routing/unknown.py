"""Tests for unknown values: which individuals certainly satisfy a test, and which possibly do.

A value is unknown if it is missing, or a category that did not occur in training. Both sets of individuals are
described by ordinary tests, so trees with special rules for unknown values are routed, and converted to rules, with
ordinary tests.

Law: if every value is known, the test and both derived tests agree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from structtree.data.population import Population
from structtree.data.schema import Attribute, RecordType, Schema
from structtree.lang import syntax as syn
from structtree.lang.walk import with_children

__all__ = ["none_of", "one_of", "possibly", "seen_schema", "surely"]

Change = Callable[[syn.Predicate, RecordType], syn.Predicate]


def surely(test: syn.Predicate, record: RecordType) -> syn.Predicate:
    """Return the test for individuals that certainly satisfy a test, whatever the unknown values are.

    Parameters
    ----------
    test : Predicate
        Test of attributes of the individual itself.
    record : RecordType
        Type of the individuals, with the known categories.

    Examples
    --------
    >>> from structtree.data.schema import Attribute
    >>> from structtree.lang.parse import parse_predicate as parse
    >>> from structtree.lang.pretty import pretty
    >>> car = RecordType("Car", (Attribute("color", "nominal", ("blue", "green", "red")), Attribute("doors", "int")))
    >>> [pretty(surely(parse(text), car)) for text in ("doors >= 3", "color = red", "color != red")]
    ['doors >= 3', 'color = red', 'color in {blue, green}']
    """
    match test:
        case syn.Compare(name, "!=", str() as value) if _is_nominal(name, record):
            return one_of(name, _others(name, (value,), record))
        case _:
            return _inside(test, record, surely, possibly)


def possibly(test: syn.Predicate, record: RecordType) -> syn.Predicate:
    """Return the test for individuals that possibly satisfy a test, for some choice of the unknown values.

    Examples
    --------
    >>> from structtree.data.schema import Attribute
    >>> from structtree.lang.parse import parse_predicate as parse
    >>> from structtree.lang.pretty import pretty
    >>> car = RecordType("Car", (Attribute("color", "nominal", ("blue", "green", "red")), Attribute("doors", "int")))
    >>> [pretty(possibly(parse(text), car)) for text in ("doors >= 3", "color = red", "color != red")]
    ['doors >= 3 or missing doors', 'not (color in {blue, green})', 'not (color = red)']
    """
    match test:
        case syn.Compare(name, "=", str() as value) if _is_nominal(name, record):
            return none_of(name, _others(name, (value,), record))
        case syn.Compare(name, "!=", str() as value) if _is_nominal(name, record):
            return none_of(name, (value,))
        case syn.Among(name, values) if _is_nominal(name, record):
            return none_of(name, _others(name, values, record))
        case syn.Flag(name) | syn.Compare(name) | syn.Among(name) | syn.Within(name):
            return syn.Or((test, syn.Missing(name)))
        case syn.CompareOwn((name,), _, (other,)):  # unseen categories are compared as text
            return syn.Or((test, syn.Missing(name), syn.Missing(other)))
        case _:
            return _inside(test, record, possibly, surely)


def _inside(test: syn.Predicate, record: RecordType, of_same: Change, of_negated: Change) -> syn.Predicate:
    """Transform the parts of a test, with the dual transformation inside a negation."""
    match test:
        case syn.And(parts) | syn.Or(parts):
            return with_children(test, tuple(of_same(part, record) for part in parts))
        case syn.Not(inner):
            return syn.Not(of_negated(inner, record))
        case syn.Named(_, body) if body is not None:
            inside = of_same(body, record)
            return test if inside == body else inside
        case _:
            return _as_it_is(test)


def _as_it_is(test: syn.Top | syn.Test | syn.LinkForm) -> syn.Predicate:
    """Return a test that unknown values do not affect; its type annotation rejects other connectives."""
    return test


def seen_schema(population: Population) -> Schema:
    """Return the schema of a population with only the categories that occur in it.

    Examples
    --------
    >>> data = Population.from_records([{"color": "red"}, {"color": "blue"}, {"color": "red"}])
    >>> seen_schema(data.take([0, 2])).type("Individual").attribute("color").values
    ('red',)
    """
    schema = population.schema
    record = schema.type(schema.individual)
    seen = replace(record, attributes=tuple(_as_seen(attribute, population) for attribute in record.attributes))
    return Schema(tuple(seen if t.name == record.name else t for t in schema.types), schema.individual)


def _as_seen(attribute: Attribute, population: Population) -> Attribute:
    if attribute.kind != "nominal":
        return attribute
    column = population.column(attribute.name)
    codes = np.unique(column.values[~column.missing])
    return replace(attribute, values=tuple(column.categories[code] for code in codes))


def one_of(name: str, values: Iterable[str]) -> syn.Predicate:
    """Return the test that an attribute has one of the values.

    Examples
    --------
    >>> from structtree.lang.pretty import pretty
    >>> pretty(one_of("color", ["red"])), pretty(one_of("color", ["red", "blue"]))
    ('color = red', 'color in {blue, red}')
    """
    match sorted(values):
        case []:
            return syn.Not(syn.Top())
        case [only]:
            return syn.Compare(name, "=", only)
        case several:
            return syn.Among(name, tuple(several))


def none_of(name: str, values: Iterable[str]) -> syn.Predicate:
    """Return the test that an attribute has none of the values: another value, or no value.

    Examples
    --------
    >>> from structtree.lang.pretty import pretty
    >>> pretty(none_of("color", ["red", "blue"])), pretty(none_of("color", []))
    ('not (color in {blue, red})', 'top')
    """
    found = one_of(name, values)
    return found.inner if isinstance(found, syn.Not) else syn.Not(found)


def _is_nominal(name: str, record: RecordType) -> bool:
    attribute = record.attribute(name)
    return attribute is not None and attribute.kind == "nominal"


def _others(name: str, values: Iterable[object], record: RecordType) -> list[str]:
    """Return the known categories of an attribute except the given ones."""
    attribute = record.attribute(name)
    assert attribute is not None
    without = set(values)
    return [category for category in attribute.values if category not in without]
