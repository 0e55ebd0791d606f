"""One-pass evaluation of calls that differ in one threshold: the number of calls that each row satisfies.

The calls ``heavy(C, t)`` for all t are nested, like ``mass >= t``: a row that satisfies one of them satisfies all
weaker ones. One number per row is therefore enough: the strictest threshold at which the call still holds. It is
computed from the inside out: ``and`` and ``all`` take the minimum, ``or`` and ``exists`` the maximum, and
``count >= n`` the n-th largest value. If the threshold is elsewhere, such as inside ``not``, the calls are evaluated
one by one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from structtree.arrays import Floats, Ints
from structtree.data.population import Adjacency, Column, Population
from structtree.lang import syntax as syn
from structtree.lang.calls import parameters_in, substituted
from structtree.lang.walk import inner_type
from structtree.space.evaluate import aggregate_column, count_behind, own_column, rows_where
from structtree.space.families import TestFamily

__all__ = ["RankedCalls", "ranked_calls"]

MOST_RANKS = 30_000
"""Maximum number of calls ranked together, since ranks are stored in 16 bits."""


class RankedCalls(NamedTuple):
    """Calls that differ in one threshold, weakest first, and the number of calls that each row satisfies."""

    choices: Ints
    ranks: Ints


def ranked_calls(family: TestFamily, population: Population, type_name: str) -> list[RankedCalls] | None:
    """Group the calls of a family that differ in one threshold; return None if they are not nested.

    Parameters
    ----------
    type_name : str
        The type of the rows at the end of the family's path.
    """
    call = family.template
    if not isinstance(call, syn.Named) or call.body is not None or call.definition is None:
        return None
    members = [tuple(arguments) for arguments in family.values]
    places = [i for i, value in enumerate(call.arguments) if isinstance(value, syn.ValueSource)]
    for place in sorted(places, key=lambda i: -len({arguments[i] for arguments in members})):
        found = _runs(call.definition, members, place, population, type_name)
        if found:
            return found
    return None


def _runs(
    definition: syn.Definition,
    members: list[tuple[syn.Scalar, ...]],
    place: int,
    population: Population,
    type_name: str,
) -> list[RankedCalls]:
    """Group calls that differ in one argument; return an empty list if they are not nested."""
    groups: dict[tuple[syn.Scalar, ...], list[int]] = {}
    for v, arguments in enumerate(members):
        groups.setdefault((*arguments[:place], *arguments[place + 1 :]), []).append(v)
    name = definition.parameters[place]
    found: list[RankedCalls] = []
    for choices in groups.values():
        values = dict(zip(definition.parameters, members[choices[0]], strict=True))
        body = substituted(definition.body, {**values, name: syn.Parameter(name)})
        thresholds = [members[v][place] for v in choices]
        run = _run(body, thresholds, np.array(choices), population, type_name)
        if run is None:
            return []
        found += run
    return found


def _run(
    body: syn.Predicate, thresholds: list[syn.Scalar], choices: Ints, population: Population, type_name: str
) -> list[RankedCalls] | None:
    if any(isinstance(threshold, str) for threshold in thresholds):
        return None
    for sign in (1, -1):
        strictest = _strictest(body, sign, population, type_name)
        cuts = sign * np.array(thresholds, dtype=np.float64)
        if strictest is None or np.isneginf(cuts).any():
            continue
        order = np.argsort(cuts, kind="stable")
        parts = (order[first : first + MOST_RANKS] for first in range(0, len(order), MOST_RANKS))
        return [RankedCalls(choices[p], np.searchsorted(cuts[p], strictest, side="right")) for p in parts]
    return None


def _strictest(body: syn.Predicate, sign: int, population: Population, name: str) -> Floats | None:
    """Return the strictest threshold (times the sign) that satisfies the body, for each row; None if not nested.

    The threshold is infinity if the body is always true, and minus infinity if it is never true.
    """
    if _is_fixed(body):
        return np.where(rows_where(body, population, name), np.inf, -np.inf)
    op = ">=" if sign > 0 else "<="
    match body:
        case syn.Compare(attribute, own, syn.Parameter()) if own == op:
            return _signed(own_column((attribute,), population, name), sign)
        case syn.Aggregate(op=own, value=syn.Parameter(), inner=inner) if own == op and (
            inner is None or _is_fixed(inner)
        ):
            return _signed(aggregate_column(body, population, name), sign)
        case syn.And(parts) | syn.Or(parts):
            inside = [_strictest(part, sign, population, name) for part in parts]
            known = [part for part in inside if part is not None]
            reduce = np.minimum if isinstance(body, syn.And) else np.maximum
            return np.asarray(reduce.reduce(known)) if len(known) == len(parts) else None
        case syn.Named(body=inside) if inside is not None:
            return _strictest(inside, sign, population, name)
        case syn.Count(inner=inner, op=own, n=n) if not isinstance(n, int):  # the number itself is the threshold
            is_nested = own == op and _is_fixed(inner)
            return (sign * count_behind(body, population, name)).astype(np.float64) if is_nested else None
        case syn.Exists(link, inner) | syn.Follow(link, inner) | syn.All(link, inner) | syn.Count(link, inner, ">="):
            target = inner_type(body, name, population.schema)
            behind = None if target is None else _strictest(inner, sign, population, target)
            return None if behind is None else _behind(body, population.tables[name].links[link], behind)
        case _:
            return None


def _is_fixed(predicate: syn.Predicate) -> bool:
    return next(parameters_in(predicate), None) is None


def _signed(column: Column, sign: int) -> Floats:
    return np.where(column.missing, -np.inf, sign * column.values)


def _behind(form: syn.Exists | syn.Follow | syn.All | syn.Count, adjacency: Adjacency, inner: Floats) -> Floats:
    match form:
        case syn.All():
            return -_greatest(adjacency, -inner, 1)
        case syn.Count(n=int() as n):
            return np.full(len(adjacency), np.inf) if n <= 0 else _greatest(adjacency, inner, n)
        case _:
            return _greatest(adjacency, inner, 1)


def _greatest(adjacency: Adjacency, values: Floats, n: int) -> Floats:
    """Return the n-th largest value of the rows linked to each row, or minus infinity if there are fewer."""
    order = np.lexsort((-values[adjacency.targets], adjacency.owners))
    places = adjacency.offsets[:-1] + n - 1
    enough = adjacency.lengths >= n
    found = np.full(len(adjacency), -np.inf)
    found[enough] = values[adjacency.targets[order[places[enough]]]]
    return found
