"""Equality of rows by value, and sets without repeated elements.

Two rows are equal if their attributes are equal, their lists have equal elements in the same order, and their sets
have the same elements, however often. A missing value equals a missing value. Rows of types with the same members can
be equal, whatever the names of the types.

Equal rows get the same number. The numbers are refined until nothing changes: first rows differ by their attributes,
then by the numbers of the rows that they lead to, so rows that lead back to themselves are compared as well.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from structtree.data.population import Adjacency, Column, Population
from structtree.data.reachable import seen_by_individuals
from structtree.data.schema import Kind, Link, RecordType, Schema

__all__ = ["Alike", "NotComparableError", "collections_equal", "compared_types", "distinct_elements", "value_numbers"]

_Ints = NDArray[np.int64]


class NotComparableError(Exception):
    """The reason why rows of two types cannot be equal, as a phrase."""


@dataclass(frozen=True, slots=True)
class Alike:
    """Types whose rows are compared with each other, and the members that they are compared by."""

    types: tuple[str, ...]
    members: tuple[str, ...]


def compared_types(
    schema: Schema, left: str, right: str, ignored: Collection[tuple[str, str]] = ()
) -> tuple[Alike, ...]:
    """Return the types that are compared when rows of two types are, in groups.

    Parameters
    ----------
    schema : Schema
        Computed members are not compared.
    left, right : str
        Names of the two types; may be equal.
    ignored : collection of pairs of type and member
        Members that are not compared.

    Raises
    ------
    NotComparableError
        If the types have different members.

    Examples
    --------
    >>> schema = Population.from_records([{"x": ["a"], "y": ["b"]}]).schema
    >>> compared_types(schema, "X", "Y")
    (Alike(types=('X', 'Y'), members=('value',)),)
    """
    schema = schema.given
    groups: dict[str, set[str]] = {}
    seen: set[tuple[str, str]] = set()
    waiting = [(left, right)]
    while waiting:
        one, other = pair = waiting.pop()
        if pair in seen:
            continue
        seen.add(pair)
        together = groups.get(one, {one}) | groups.get(other, {other})
        groups |= dict.fromkeys(together, together)
        waiting += _linked_types(schema.type(one), schema.type(other), ignored)
    distinct = dict.fromkeys(tuple(sorted(group)) for group in groups.values())
    return tuple(Alike(types, _members(schema.type(types[0]), ignored)) for types in distinct)


def value_numbers(population: Population, groups: Sequence[Alike]) -> Mapping[str, _Ints]:
    """Number the rows of some types so that rows have the same number exactly if they are equal.

    Numbers are comparable among the types of one group.

    Examples
    --------
    >>> bags = Population.from_records([{"x": ["a", "b"]}, {"x": ["b"]}])
    >>> numbers = value_numbers(bags, compared_types(bags.schema, "X", "X"))["X"]
    >>> [bool(numbers[1] == number) for number in numbers]
    [False, True, True]
    """
    fixed = {group.types: _attribute_codes(population, group) for group in groups}
    numbers = {name: np.zeros(population.tables[name].n_rows, dtype=np.int64) for g in groups for name in g.types}
    n_distinct = -1
    while n_distinct != (n_distinct := sum(_n_distinct(numbers, group) for group in groups)):
        numbers = {
            name: part
            for group in groups
            for name, part in _refined(population, group, numbers, fixed[group.types]).items()
        }
    return numbers


def collections_equal(
    population: Population, type_name: str, left: Link, right: Link, groups: Sequence[Alike]
) -> Column:
    """Return whether two links of each row lead to equal collections: lists in order, sets as sets.

    Examples
    --------
    >>> pairs = Population.from_records([{"x": {"a", "b"}, "y": {"b", "a"}}, {"x": {"a"}, "y": {"b"}}])
    >>> record = pairs.schema.type("Individual")
    >>> groups = compared_types(pairs.schema, "X", "Y")
    >>> collections_equal(pairs, "Individual", record.link("x"), record.link("y"), groups).values.tolist()
    [1, 0]
    """
    numbers, table = value_numbers(population, groups), population.tables[type_name]
    sides = [(table.links[link.name], numbers[link.target], link.kind == "set") for link in (left, right)]
    codes = _sequence_codes(sides)
    return Column("bool", (codes[: table.n_rows] == codes[table.n_rows :]).astype(np.int8))


def distinct_elements(population: Population, owner: str, link_name: str, counted: str | None = None) -> Population:
    """Return the population with the elements of a set at most once each.

    Parameters
    ----------
    population : Population
    owner, link_name : str
        The type and the link that is a set.
    counted : str, optional
        Attribute of the elements that says how often each occurs; those of equal elements are added.

    Examples
    --------
    >>> bags = Population.from_records([{"x": [{"v": 1}, {"v": 1}, {"v": 2}]}], types={"x": "set"})
    >>> distinct_elements(bags, "Individual", "x").record(0)
    {'x': [{'v': 1}, {'v': 2}]}
    """
    adjacency, target = population.tables[owner].links[link_name], _target(population.schema, owner, link_name)
    if (adjacency.lengths <= 1).all():
        return population
    ignored = () if counted is None else ((target, counted),)
    numbers = value_numbers(population, compared_types(population.schema, target, target, ignored))[target]
    found = numbers[adjacency.targets]
    elements = adjacency.owners * (int(found.max()) + 1) + found
    _, first, element = np.unique(elements, return_index=True, return_inverse=True)
    if len(first) == len(found):
        return population
    kept = np.zeros(len(found), dtype=np.bool_)
    kept[first] = True
    tables = dict(population.tables)
    if counted is not None:
        column = tables[target].columns[counted]
        values = column.values.copy()
        values[adjacency.targets[first]] = np.bincount(element, column.values[adjacency.targets])
        columns = {**tables[target].columns, counted: replace(column, values=values)}
        tables[target] = replace(tables[target], columns=columns)
    links = {**tables[owner].links, link_name: Adjacency.filtered(adjacency.lengths, adjacency.targets, kept)}
    tables[owner] = replace(tables[owner], links=links)
    return seen_by_individuals(replace(population, tables=tables, _compact=False))


def _target(schema: Schema, owner: str, link_name: str) -> str:
    link = schema.type(owner).link(link_name)
    assert link is not None
    return link.target


# ---- types with the same members -------------------------------------------------------------------------


def _members(record: RecordType, ignored: Collection[tuple[str, str]]) -> tuple[str, ...]:
    return tuple(sorted(name for name in record.members if (record.name, name) not in ignored))


def _linked_types(one: RecordType, other: RecordType, ignored: Collection[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the pairs of types to compare next; raise `NotComparableError` if the members differ."""
    mine, theirs = _members(one, ignored), _members(other, ignored)
    if mine != theirs:
        name = min(set(mine) ^ set(theirs))
        has, lacks = (one, other) if name in mine else (other, one)
        raise NotComparableError(f"type {has.name!r} has {name!r}, type {lacks.name!r} does not")
    following = []
    for name in mine:
        a, b, first, second = one.attribute(name), other.attribute(name), one.link(name), other.link(name)
        if first is not None and second is not None and _form(first) == _form(second):
            following.append((first.target, second.target))
        elif a is None or b is None or not _same_sort(a.kind, b.kind):
            what = [each.kind for each in (a or first, b or second) if each is not None]
            raise NotComparableError(f"{one.name}.{name} is {what[0]}, {other.name}.{name} is {what[1]}")
    return following


def _form(link: Link) -> str:
    return "one" if link.single else link.kind


def _same_sort(one: Kind, other: Kind) -> bool:
    return one == other or {one, other} == {"int", "real"}


# ---- numbers of rows -------------------------------------------------------------------------------------


def _attribute_codes(population: Population, group: Alike) -> list[_Ints]:
    """Return the codes of the attributes of all rows of a group, one type after the other."""
    names = [name for name in group.members if name in population.tables[group.types[0]].columns]
    return [_column_codes([population.tables[each].columns[name] for each in group.types]) for name in names]


def _column_codes(columns: Sequence[Column]) -> _Ints:
    if columns[0].kind in ("nominal", "ordered"):
        categories = sorted({category for column in columns for category in column.categories})
        place = {category: code for code, category in enumerate(categories)}
        parts = []
        for column in columns:
            codes = np.where(column.missing, -1, column.values).astype(np.int64)
            parts.append(np.array([*(place[c] for c in column.categories), -1], dtype=np.int64)[codes])
        return _codes(np.concatenate(parts))
    return _codes(np.concatenate([column.values for column in columns]))


def _refined(
    population: Population, group: Alike, numbers: Mapping[str, _Ints], fixed: Sequence[_Ints]
) -> dict[str, _Ints]:
    """Return new numbers for the rows of a group, from the current numbers of the rows that they lead to."""
    codes = np.concatenate([numbers[name] for name in group.types])
    for column in fixed:
        codes = _joint_codes(codes, column)
    for member in (name for name in group.members if population.schema.type(group.types[0]).link(name) is not None):
        links = [population.schema.type(name).link(member) for name in group.types]
        sides = [
            (population.tables[name].links[member], numbers[link.target], link.kind == "set")
            for name, link in zip(group.types, links, strict=True)
            if link is not None
        ]
        codes = _joint_codes(codes, _sequence_codes(sides))
    ends = np.cumsum([population.tables[name].n_rows for name in group.types])
    return dict(zip(group.types, np.split(codes, ends[:-1]), strict=True))


def _n_distinct(numbers: Mapping[str, _Ints], group: Alike) -> int:
    return len(np.unique(np.concatenate([numbers[name] for name in group.types])))


def _codes(values: NDArray[np.generic]) -> _Ints:
    codes: _Ints = np.unique(values, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return codes


def _joint_codes(one: _Ints, other: _Ints) -> _Ints:
    """Return codes that are equal where both arrays are."""
    return _codes(one * (int(other.max(initial=0)) + 1) + other)


def _sequence_codes(sides: Sequence[tuple[Adjacency, _Ints, bool]]) -> _Ints:
    """Return codes of the rows of several links that are equal where the rows lead to the same numbers.

    Each link comes with the numbers of its targets, and with whether it is a set.
    """
    runs = [_runs(*side) for side in sides]
    lengths = np.concatenate([run.lengths for run in runs])
    elements = np.concatenate([run.targets for run in runs]).astype(np.int64)
    starts, codes = np.cumsum(lengths) - lengths, np.zeros(len(lengths), dtype=np.int64)
    n_codes = 1
    for length in np.unique(lengths[lengths > 0]):
        rows = np.flatnonzero(lengths == length)
        matrix = elements[starts[rows, None] + np.arange(length)]
        distinct, place = np.unique(matrix, axis=0, return_inverse=True)
        codes[rows] = n_codes + place.reshape(-1)
        n_codes += len(distinct)
    return codes


def _runs(adjacency: Adjacency, numbers: _Ints, is_set: bool) -> Adjacency:
    """Return the numbers of the targets of each row; those of a set sorted, without repeats."""
    found = numbers[adjacency.targets]
    if not is_set:
        return Adjacency(adjacency.offsets, found.astype(np.int32))
    n_numbers = int(found.max(initial=0)) + 1
    owners, values = np.divmod(np.unique(adjacency.owners * n_numbers + found), n_numbers)
    return Adjacency.from_lengths(np.bincount(owners, minlength=len(adjacency)), values)
