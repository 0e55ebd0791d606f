"""Rows that individuals reach through links, and populations of only these rows.

The cost of most operations depends on the number of rows. A subset of the individuals, such as a fold or a tree node,
shares the tables of the whole population; `compact` gives it smaller tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from structtree.data.population import Adjacency, Population, Table

__all__ = ["Part", "compact", "part_of", "reachable_rows", "restricted", "seen_by_individuals"]


def reachable_rows(population: Population) -> Mapping[str, NDArray[np.bool_]]:
    """Return a mask for each type of the rows that individuals reach through links.

    An element of a list also reaches the rest of the list through its next and previous elements.
    """
    reached = {name: np.full(t.n_rows, population._compact, dtype=np.bool_) for name, t in population.tables.items()}
    if population._compact:
        return reached
    is_individual = np.zeros(population.tables[population.schema.individual].n_rows, dtype=np.bool_)
    is_individual[population.individuals] = True
    fresh = {population.schema.individual: np.flatnonzero(is_individual)}
    while fresh:
        found: dict[str, list[NDArray[np.int64]]] = {}
        for name, rows in fresh.items():
            reached[name][rows] = True
            for target, more in _one_step(population, name, rows):
                found.setdefault(target, []).append(more)
        fresh = {}
        for name, runs in found.items():
            new = np.zeros(len(reached[name]), dtype=np.bool_)
            for rows in runs:
                new[rows] = True
            new &= ~reached[name]
            if new.any():
                fresh[name] = np.flatnonzero(new)
    return reached


def _one_step(population: Population, name: str, rows: NDArray[np.int64]) -> Iterator[tuple[str, NDArray[np.int64]]]:
    """Yield the rows that are one link away from the given rows, including the owners of lists that contain these."""
    for link in population.schema.type(name).links:
        adjacency = population.tables[name].links[link.name]
        yield link.target, adjacency.targets[adjacency.places(rows)].astype(np.int64)
    for record in population.schema.types:
        for link in record.links:
            if link.kind == "list" and link.target == name:
                adjacency = population.tables[record.name].links[link.name]
                yield record.name, adjacency.owners[np.isin(adjacency.targets, rows)]


def compact(population: Population) -> Population:
    """Return the same individuals with only the rows that they reach.

    Examples
    --------
    >>> whole = Population.from_records([{"xs": [{"v": 1}, {"v": 2}]}, {"xs": [{"v": 9}]}])
    >>> part = compact(whole.take([1]))
    >>> part.record(0), part.table("X").n_rows
    ({'xs': [{'v': 9}]}, 1)
    """
    if population._compact:
        return population
    return replace(restricted(population, reachable_rows(population)), _compact=True)


class Part(NamedTuple):
    """Some individuals with only the rows that they reach, and the numbers of these rows in the whole population."""

    population: Population
    rows: Mapping[str, NDArray[np.int64]]


def part_of(population: Population, which: Sequence[int]) -> Part:
    """Return the selected individuals with only the rows that they reach, and the numbers of these rows.

    Examples
    --------
    >>> whole = Population.from_records([{"xs": [{"v": 1}, {"v": 2}]}, {"xs": [{"v": 9}]}])
    >>> part = part_of(whole, [1])
    >>> part.population.record(0), part.rows["X"].tolist()
    ({'xs': [{'v': 9}]}, [2])
    """
    chosen = population.take(which)
    kept = reachable_rows(chosen)
    smaller = replace(restricted(chosen, kept), _compact=True)
    return Part(smaller, {name: np.flatnonzero(mask) for name, mask in kept.items()})


def seen_by_individuals(population: Population) -> Population:
    """Return the same individuals without the rows that only other individuals reach.

    Rows of types that no individual can reach are kept. Values that are computed from all rows of a table, such as
    the owners of a row, then do not depend on the individuals of a test set.

    Examples
    --------
    >>> whole = Population.from_records([{"xs": [{"v": 1}, {"v": 2}]}, {"xs": [{"v": 9}]}])
    >>> seen_by_individuals(whole.take([1])).table("X").n_rows
    1
    """
    schema, kept = population.schema, dict(reachable_rows(population))
    beyond = [record for record in schema.types if record.name not in _reachable_types(population)]
    kept |= {record.name: np.ones(population.tables[record.name].n_rows, dtype=np.bool_) for record in beyond}
    n_kept = -1
    while n_kept != (n_kept := sum(int(kept[record.name].sum()) for record in beyond)):
        for record in beyond:
            for link in (each for each in record.links if each.kind == "one"):
                targets = population.tables[record.name].links[link.name].targets
                kept[record.name] &= kept[link.target][targets]
    return restricted(population, kept)


def _reachable_types(population: Population) -> set[str]:
    """Return the types that individuals can reach; elements of lists reach their owners."""
    schema = population.schema
    steps = {record.name: {link.target for link in record.links} for record in schema.types}
    for record in schema.types:
        for link in record.links:
            if link.kind == "list":
                steps[link.target].add(record.name)
    found, waiting = {schema.individual}, [schema.individual]
    while waiting:
        fresh = steps[waiting.pop()] - found
        found |= fresh
        waiting += fresh
    return found


def restricted(population: Population, kept: Mapping[str, NDArray[np.bool_]]) -> Population:
    """Return the population with some rows of each type, without links to other rows."""
    if all(mask.all() for mask in kept.values()):
        return population
    chosen = {name: np.flatnonzero(mask) for name, mask in kept.items()}
    places = {name: np.where(mask, np.cumsum(mask) - 1, -1) for name, mask in kept.items()}
    tables = {}
    for record in population.schema.types:
        table, rows = population.tables[record.name], chosen[record.name]
        links = {}
        for link in record.links:
            adjacency = table.links[link.name]
            lengths, targets = adjacency.n_of(rows), places[link.target][adjacency.targets[adjacency.places(rows)]]
            links[link.name] = Adjacency.filtered(lengths, targets, targets >= 0)
        tables[record.name] = Table(len(rows), table.take_columns(rows), links)
    name = population.schema.individual
    individuals, provenance = places[name][population.individuals], population.provenance
    provenance = None if provenance is None else provenance.take(chosen[name])
    return replace(population, tables=tables, individuals=individuals, provenance=provenance)
