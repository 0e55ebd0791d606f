"""The rows that individuals of a population reach through links, and a population of just those.

The cost of everything that is done to a population follows its rows. A part of the individuals, such as those of one
fold or of one node of a tree, shares the tables of the whole; `compact` gives it tables of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from structtree.data.population import Adjacency, Population, Table

__all__ = ["compact", "reachable_rows", "restricted", "seen_by_individuals"]


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
    return replace(restricted(population, reachable_rows(population)), _compact=True)


def seen_by_individuals(population: Population) -> Population:
    """The same individuals, without the rows that only others reach; rows that nobody can reach through links stay.

    What is computed from all rows of a table, such as the owners of a row, is computed from these: the individuals of
    a test set are then not seen while a tree is learned from the others.

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
    """The types of which individuals reach rows, if the data has such rows; elements of lists reach their owners."""
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
    """The population with some rows of each type; links to other rows are left out."""
    if all(mask.all() for mask in kept.values()):
        return population
    chosen = {name: np.flatnonzero(mask) for name, mask in kept.items()}
    places = {name: _places(rows, population.tables[name].n_rows) for name, rows in chosen.items()}
    tables = {}
    for record in population.schema.types:
        table, rows = population.tables[record.name], chosen[record.name]
        links = {}
        for link in record.links:
            adjacency = table.links[link.name]
            lengths, targets = adjacency.n_of(rows), places[link.target][adjacency.targets[adjacency.places(rows)]]
            if len(targets) and targets.min() < 0:
                owners = np.repeat(np.arange(len(rows)), lengths)[targets >= 0]
                lengths, targets = np.bincount(owners, minlength=len(rows)), targets[targets >= 0]
            links[link.name] = Adjacency.from_lengths(lengths, targets)
        columns = {name: column.take(rows) for name, column in table.columns.items()}
        tables[record.name] = Table(len(rows), columns, links)
    name = population.schema.individual
    individuals, provenance = places[name][population.individuals], population.provenance
    provenance = None if provenance is None else provenance.take(chosen[name])
    return replace(population, tables=tables, individuals=individuals, provenance=provenance)


def _places(rows: NDArray[np.int64], n_rows: int) -> NDArray[np.int64]:
    """Where each row goes; rows that are not kept go nowhere and are never looked up."""
    places = np.full(n_rows, -1, dtype=np.int64)
    places[rows] = np.arange(len(rows))
    return places
