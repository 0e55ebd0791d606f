"""Definitions with parameters: recognise calls, find the uses of parameters, and substitute arguments.

``near(O)`` and ``load (round)`` look alike, so both are parsed as references; the checker decides by name. A call is
equivalent to the body of the definition with the arguments substituted for the parameters.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from structtree.data.schema import Schema
from structtree.lang import syntax as syn
from structtree.lang.walk import children, parts_of, subpredicates, with_children

__all__ = [
    "ParameterUse",
    "as_calls",
    "call_of",
    "called",
    "is_open_call",
    "parameter_uses",
    "parameters_in",
    "substituted",
]


class ParameterUse(NamedTuple):
    """A test that uses a parameter, and the type of the tested rows."""

    test: syn.Compare | syn.Among | syn.Count | syn.Aggregate
    type: str

    @property
    def needs(self) -> frozenset[str]:
        """Parameters in the condition of an aggregate, on which its thresholds depend."""
        inner = self.test.inner if isinstance(self.test, syn.Aggregate) else None
        return frozenset() if inner is None else frozenset(parameters_in(inner))


def call_of(step: syn.Follow) -> syn.Named | None:
    """Return ``name (word)``, parsed as a reference, as a call of a definition; None if it cannot be a call.

    Examples
    --------
    >>> call_of(syn.Follow("near", syn.Flag("O"))), call_of(syn.Follow("near", syn.Flag(syn.Glob("*"))))
    (Named(name='near', body=None, arguments=('O',)), Named(name='near', body=None, arguments=(Star(),)))
    """
    match step.inner:
        case syn.Flag(syn.Glob() as glob, True):
            return syn.Named(step.link, arguments=(syn.Star(),), place=step.place) if str(glob) == "*" else None
        case syn.Flag(word, True):
            return syn.Named(step.link, arguments=(word,), place=step.place)
        case _:
            return None


def as_calls(predicate: syn.Predicate, names: Container[str]) -> syn.Predicate:
    """Return the predicate with references to the named definitions replaced by calls."""
    if isinstance(predicate, syn.Follow) and predicate.link in names and (call := call_of(predicate)) is not None:
        return call
    return with_children(predicate, tuple(as_calls(part, names) for part in children(predicate)))


def is_open_call(predicate: syn.Predicate) -> bool:
    """Return whether a predicate is a call with a value source among its arguments."""
    return isinstance(predicate, syn.Named) and any(
        isinstance(value, syn.ValueSource) for value in predicate.arguments
    )


def called(
    definition: syn.Definition, arguments: tuple[syn.Scalar, ...], named: syn.Named | None = None
) -> syn.Named:
    """Return a call of a definition, with the arguments substituted in its body.

    Examples
    --------
    >>> near = syn.Definition("near", "Atom", syn.Compare("element", "=", syn.Parameter("e")), parameters=("e",))
    >>> called(near, ("O",)).body
    Compare(attribute='element', op='=', value='O')
    """
    body = substituted(definition.body, dict(zip(definition.parameters, arguments, strict=True)))
    whole = syn.Named(definition.name) if named is None else named
    return replace(whole, body=body, arguments=arguments, definition=definition, says=definition.says)


def substituted(body: syn.Predicate, values: Mapping[str, syn.Scalar]) -> syn.Predicate:
    """Return the body of a definition with values, or other parameters, substituted for its parameters."""
    inside = with_children(body, tuple(substituted(part, values) for part in children(body)))
    match inside:
        case syn.Compare(value=syn.Parameter() as word) | syn.Aggregate(value=syn.Parameter() as word):
            return replace(inside, value=values[word])
        case syn.Among(values=listed):
            return replace(inside, values=syn.sort_scalars(_filled(listed, values)))
        case syn.Count() if (name := _parameter_of(inside)) is not None:
            number: Any = values[name]
            return replace(inside, n=number)
        case syn.Named(_, own, arguments) if arguments and own is not None:
            return replace(inside, body=substituted(own, values), arguments=tuple(_filled(arguments, values)))
        case _:
            return inside


def parameters_in(predicate: syn.Predicate) -> Iterator[syn.Parameter]:
    """Yield the parameters used in a predicate.

    Examples
    --------
    >>> list(parameters_in(syn.Compare("element", "=", syn.Parameter("e"))))
    [Parameter('e')]
    """
    for part in parts_of(predicate):
        yield from _own_parameters(part)


def _own_parameters(test: syn.Predicate) -> Iterator[syn.Parameter]:
    """Yield the parameters that a test uses directly, not in predicates nested in it."""
    match test:
        case syn.Compare(value=syn.Parameter() as word) | syn.Aggregate(value=syn.Parameter() as word):
            yield word
        case syn.Among(values=values) | syn.Named(arguments=values):
            yield from (value for value in values if isinstance(value, syn.Parameter))
        case syn.Count() if (name := _parameter_of(test)) is not None:
            yield name
        case _:
            pass


def _filled(listed: Iterable[Any], values: Mapping[str, syn.Scalar]) -> Iterable[Any]:
    return (values[value] if isinstance(value, syn.Parameter) else value for value in listed)


def _parameter_of(test: syn.Count) -> syn.Parameter | None:
    """Return the parameter that a count uses in place of a number, or None."""
    value: Any = test.n  # a number once the arguments are substituted
    return value if isinstance(value, syn.Parameter) else None


def parameter_uses(definition: syn.Definition, schema: Schema) -> dict[str, tuple[ParameterUse, ...]]:
    """Return the uses of each parameter in the resolved body of a definition, including nested definitions.

    Examples
    --------
    >>> from structtree.data.schema import RecordType
    >>> near = syn.Definition("near", "Atom", syn.Compare("element", "=", syn.Parameter("e")), parameters=("e",))
    >>> parameter_uses(near, Schema((RecordType("Atom"),), "Atom"))["e"][0].test.attribute
    'element'
    """
    found: dict[str, list[ParameterUse]] = {name: [] for name in definition.parameters}
    for part, type_name in subpredicates(definition.body, definition.type, schema, definitions=True):
        if isinstance(part, syn.Compare | syn.Among | syn.Count | syn.Aggregate):
            for name in _own_parameters(part):
                found[name].append(ParameterUse(part, type_name))
    return {name: tuple(places) for name, places in found.items()}
