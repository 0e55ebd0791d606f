"""Conversion of linked columns to nested records, the inverse of `structtree.data.readers.records.shredding`.

A row may be reachable along several paths, but can be nested only once. Each row is therefore placed where a
breadth-first search from the individuals reaches it first, with a few array operations per level, and is written as
``$ref`` elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structtree.data.dates import moment_text
from structtree.data.population import Column, Population, Table
from structtree.data.schema import Link
from structtree.errors import DataError

__all__ = ["Placement", "nested", "placement_of"]


@dataclass(frozen=True, slots=True, eq=False)
class TypePlacement:
    """Placement of the rows of a type in nested records.

    Parameters
    ----------
    home : array of int
        Individual whose record contains the row; -1 if no individual reaches it.
    named : array of bool
        Whether there are references to the row, so that it needs an ``$id``.
    order : array of int
        Rows sorted by home.
    written : mapping from link to array of bool
        Whether each target of a link is nested there, rather than a reference.
    """

    home: NDArray[np.int64]
    named: NDArray[np.bool_]
    order: NDArray[np.int64]
    written: Mapping[str, NDArray[np.bool_]]

    def rows(self, start: int, stop: int) -> NDArray[np.int64]:
        """Return the rows nested in the records of a range of individuals."""
        low, high = np.searchsorted(self.home, (start, stop), sorter=self.order)
        return self.order[low:high]


@dataclass(frozen=True, slots=True, eq=False)
class Placement:
    """Placement of all rows, and a mask of the individuals that are written as references to earlier records."""

    types: Mapping[str, TypePlacement]
    repeats: NDArray[np.bool_]


def placement_of(population: Population) -> Placement:
    """Place each row of a population as near to an individual as possible.

    Examples
    --------
    >>> population = Population.from_records([{"to": {"$id": 1, "a": 5}}, {"to": {"$ref": 1}}])
    >>> placement_of(population).types["To"].home.tolist()
    [0]
    """
    schema, tables = population.schema, population.tables
    home = {name: np.full(tables[name].n_rows, -1, dtype=np.int64) for name in schema.names}
    named = {name: np.zeros(tables[name].n_rows, dtype=np.bool_) for name in schema.names}
    written = {name: _nowhere(tables[name]) for name in schema.names}
    top = population.individuals
    new = _claim(home[schema.individual], named[schema.individual], top, np.arange(len(top)))
    frontier = {schema.individual: top[new]}
    while any(len(rows) for rows in frontier.values()):
        reached: dict[str, list[NDArray[np.int64]]] = {}
        for name, rows in frontier.items():
            for link in schema.type(name).links:
                adjacency = tables[name].links[link.name]
                places = adjacency.places(rows)
                targets = adjacency.targets[places].astype(np.int64)
                owners = np.repeat(home[name][rows], adjacency.n_of(rows))
                first = _claim(home[link.target], named[link.target], targets, owners)
                written[name][link.name][places] = first
                reached.setdefault(link.target, []).append(targets[first])
        frontier = {name: np.concatenate(runs) for name, runs in reached.items()}
    order = {name: np.argsort(home[name], kind="stable") for name in schema.names}
    types = {name: TypePlacement(home[name], named[name], order[name], written[name]) for name in schema.names}
    return Placement(types, ~new)


def nested(population: Population, placement: Placement, start: int, stop: int) -> list[dict[str, Any]]:
    """Return the nested records of a range of individuals.

    Examples
    --------
    >>> population = Population.from_records([{"to": {"$id": 1, "a": 5}}, {"to": {"$ref": 1}}])
    >>> nested(population, placement_of(population), 0, 2)
    [{'to': {'$id': 0, 'a': 5}}, {'to': {'$ref': 0}}]
    """
    schema, tables = population.schema, population.tables
    rows = {name: placement.types[name].rows(start, stop) for name in schema.names}
    objects = {name: _objects(tables[name], placement.types[name], rows[name]) for name in schema.names}
    for record in schema.types:
        owners = list(objects[record.name].values())
        for link in record.links:
            adjacency = tables[record.name].links[link.name]
            places = adjacency.places(rows[record.name])
            here = placement.types[record.name].written[link.name][places].tolist()
            inside, targets = objects[link.target], adjacency.targets[places].tolist()
            elements = [inside[r] if out else {"$ref": r} for r, out in zip(targets, here, strict=True)]
            _set_link(owners, link, adjacency.n_of(rows[record.name]).tolist(), elements)
    mine = objects[schema.individual]
    top, repeats = population.individuals[start:stop].tolist(), placement.repeats[start:stop].tolist()
    return [{"$ref": row} if repeat else mine[row] for row, repeat in zip(top, repeats, strict=True)]


def _nowhere(table: Table) -> dict[str, NDArray[np.bool_]]:
    return {name: np.zeros(len(link.targets), dtype=np.bool_) for name, link in table.links.items()}


def _claim(
    home: NDArray[np.int64], named: NDArray[np.bool_], targets: NDArray[np.int64], owners: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Assign targets without a home to their first owner, name the others, and return a mask of the former."""
    first = np.zeros(len(targets), dtype=np.bool_)
    _, where = np.unique(targets, return_index=True)
    first[where] = home[targets[where]] < 0
    home[targets[first]] = owners[first]
    named[targets[~first]] = True
    return first


def _objects(table: Table, placement: TypePlacement, rows: NDArray[np.int64]) -> dict[int, dict[str, Any]]:
    """Return a dict for each row with its attributes, and its ``$id`` if it needs one."""
    columns = [_plain_values(column) for column in table.take_columns(rows).values()]
    cells: Iterable[tuple[Any, ...]] = zip(*columns, strict=True) if columns else repeat((), len(rows))
    found = [dict(zip(table.columns, values, strict=True)) for values in cells]
    numbers = rows.tolist()
    for i in np.flatnonzero(placement.named[rows]).tolist():
        found[i] = {"$id": numbers[i], **found[i]}
    return dict(zip(numbers, found, strict=True))


def _plain_values(column: Column) -> list[Any]:
    match column.kind:
        case "nominal" | "ordered":
            codes = np.where(column.missing, -1, column.values).astype(np.int64)
            return list(np.array([*column.categories, None], dtype=object)[codes])
        case "date" | "time":
            kind = column.kind
            return [None if value != value else moment_text(value, kind) for value in column.values.tolist()]
        case "bool":
            return list(np.array([False, True, None], dtype=object)[column.values])
        case "int":
            return [None if value != value else int(value) for value in column.values.tolist()]
        case "real":
            if np.isinf(column.values).any():
                raise DataError("an infinite number cannot be written as JSON")
            values = column.values.astype(object)
            values[column.missing] = None
            return list(values)


def _set_link(owners: Sequence[dict[str, Any]], link: Link, lengths: Sequence[int], elements: list[Any]) -> None:
    at = 0
    for owner, n in zip(owners, lengths, strict=True):
        if not link.single:
            owner[link.name] = elements[at : at + n]
        elif n:
            owner[link.name] = elements[at]
        at += n
