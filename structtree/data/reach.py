"""The rows that individuals of a population reach through links, and a population of just those.

The cost of everything that is done to a population follows its rows. A part of the individuals, such as those of one
fold or of one node of a tree, shares the tables of the whole; `compact` gives it tables of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from structtree.data.columns import Adjacency, Population, Table

__all__ = ["compact", "reachable_rows"]


def reachable_rows(population: Population) -> Mapping[str, NDArray[np.bool_]]:
    """For each type, the rows that some individual of the population reaches through links.

    An element of a list reaches that list too, by its next and previous elements.
    """
    if population._compact:
        return {name: np.ones(table.n_rows, dtype=np.bool_) for name, table in population.tables.items()}
    reached = {name: np.zeros(t.n_rows, dtype=np.bool_) for name, t in population.tables.items()}
    everybody = np.zeros(population.tables[population.schema.individual].n_rows, dtype=np.bool_)
    everybody[population.individuals] = True
    fresh = {population.schema.individual: np.flatnonzero(everybody)}
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
    """The rows that links lead to, and the owners of the lists that the rows are elements of."""
    for link in population.schema.type(name).links:
        adjacency = population.tables[name].links[link.name]
        yield link.target, adjacency.targets[adjacency.places(rows)].astype(np.int64)
    for record in population.schema.types:
        for link in record.links:
            if link.kind == "list" and link.target == name:
                adjacency = population.tables[record.name].links[link.name]
                yield record.name, adjacency.owners[np.isin(adjacency.targets, rows)]


def compact(population: Population) -> Population:
    """The same individuals, with only the rows that they reach.

    Examples
    --------
    >>> whole = Population.from_records([{"xs": [{"v": 1}, {"v": 2}]}, {"xs": [{"v": 9}]}])
    >>> part = compact(whole.take([1]))
    >>> part.record(0), part.table("X").n_rows
    ({'xs': [{'v': 9}]}, 1)
    """
    if population._compact:
        return population
    kept = {name: np.flatnonzero(mask) for name, mask in reachable_rows(population).items()}
    if all(len(rows) == population.tables[name].n_rows for name, rows in kept.items()):
        return replace(population, _compact=True)
    places = {name: _places(rows, population.tables[name].n_rows) for name, rows in kept.items()}
    tables = {}
    for record in population.schema.types:
        table, rows = population.tables[record.name], kept[record.name]
        links = {}
        for link in record.links:
            adjacency = table.links[link.name]
            targets = adjacency.targets[adjacency.places(rows)]
            links[link.name] = Adjacency.from_lengths(adjacency.n_of(rows), places[link.target][targets])
        columns = {name: column.take(rows) for name, column in table.columns.items()}
        tables[record.name] = Table(len(rows), columns, links)
    name = population.schema.individual
    individuals, provenance = places[name][population.individuals], population.provenance
    provenance = None if provenance is None else provenance.take(kept[name])
    return replace(population, tables=tables, individuals=individuals, provenance=provenance, _compact=True)


def _places(rows: NDArray[np.int64], n_rows: int) -> NDArray[np.int64]:
    """Where each row goes; rows that are not kept go nowhere and are never looked up."""
    places = np.full(n_rows, -1, dtype=np.int64)
    places[rows] = np.arange(len(rows))
    return places
