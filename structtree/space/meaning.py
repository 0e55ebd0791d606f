"""Witnesses: the rows that made a predicate true of an individual, and how each is reached.

The witnesses of an aggregate are the rows that it was computed from; of the latest, the least or the greatest, only
the row that has it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, assert_never

import numpy as np

from structtree.data.population import Population
from structtree.data.readers.individuals import population_of
from structtree.errors import require
from structtree.lang import syntax as syn
from structtree.lang.matching import first_matching
from structtree.lang.pretty import pretty
from structtree.lang.walk import inner_type
from structtree.reprs import short_repr
from structtree.space.evaluate import Known, rows_where
from structtree.space.list_steps import runs_of

__all__ = ["Witness", "aggregated_places", "given_paths", "satisfies", "witnesses"]


@dataclass(frozen=True, slots=True)
class Witness:
    """A row that made a part of a predicate true.

    Parameters
    ----------
    type, row
        Which row of which table.
    path : str
        How it is reached from the individual, such as ``cars[2].load``; empty for the individual itself.
    predicate : Predicate
        What holds of it.
    """

    type: str
    row: int
    path: str
    predicate: syn.Predicate

    def __repr__(self) -> str:
        return short_repr(self, f"{self.path or 'the individual'} ({self.type} {self.row})", pretty(self.predicate))


def satisfies(predicate: syn.Predicate, individuals: Any, individual: int) -> bool:
    """Tell whether a predicate holds of one individual, of a population or of anything that becomes one.

    Examples
    --------
    >>> from structtree.lang.parse import parse_predicate
    >>> trains = Population.from_records([{"cars": [{"wheels": 2}, {"wheels": 3}]}, {"cars": []}])
    >>> p = parse_predicate("exists cars (wheels >= 3)")
    >>> satisfies(p, trains, 0), satisfies(p, trains, 1)
    (True, False)
    """
    syn.require_predicate(predicate)
    population = population_of(individuals)
    return _Evidence(population).holds(predicate, _individual(population, individual))


def witnesses(predicate: syn.Predicate, individuals: Any, individual: int) -> tuple[Witness, ...]:
    """Return the rows that made a predicate true of one individual; none when it is false.

    Examples
    --------
    >>> from structtree.lang.parse import parse_predicate
    >>> trains = Population.from_records([{"cars": [{"wheels": 2}, {"wheels": 3}]}])
    >>> [w.path for w in witnesses(parse_predicate("exists cars (wheels >= 3)"), trains, 0)]
    ['', 'cars[1]']
    """
    syn.require_predicate(predicate)
    population = population_of(individuals)
    evidence, row = _Evidence(population), _individual(population, individual)
    return tuple(dict.fromkeys(evidence.of(predicate, row))) if evidence.holds(predicate, row) else ()


def given_paths(population: Population, individual: int) -> dict[tuple[str, int], str]:
    """Return how an individual reaches each row through links of the data, on a shortest way, by type and row.

    Where no link is derived there is nothing to find out, and nothing is returned.

    Examples
    --------
    >>> trains = Population.from_records([{"cars": [{"wheels": 2}]}], individual="Train")
    >>> given_paths(trains, 0)
    {}
    """
    schema, found = population.schema, dict[tuple[str, int], str]()
    if schema.given is schema:
        return found
    start = _individual(population, individual)
    found[start.type, start.index] = ""
    waiting, evidence = [start], _Evidence(population)
    for row in waiting:  # grows while it is read
        for link in schema.given.type(row.type).links:
            fresh = [r for r in evidence.targets(row, link.name) if (r.type, r.index) not in found]
            found |= {(r.type, r.index): r.path for r in fresh}
            waiting += fresh
    return found


def aggregated_places(
    test: syn.Aggregate, population: Population, type_name: str, row: int, known: Known | None = None
) -> list[int]:
    """Return which of the rows behind its link an aggregate of a row was computed from, counted from 0.

    Examples
    --------
    >>> from structtree.lang.parse import parse_predicate
    >>> trains = Population.from_records([{"cars": [{"load": 3}, {"load": None}, {"load": 5}]}], individual="Train")
    >>> tests = [parse_predicate(f"{function} cars.load >= 1") for function in ("sum", "max")]
    >>> [aggregated_places(test, trains, "Train", 0) for test in tests]
    [[0, 2], [2]]
    """
    link = population.schema.type(type_name).link(test.link)
    assert link is not None
    rows, table = population.tables[type_name].links[test.link].of(row), population.tables[link.target]
    counted = np.ones(len(rows), dtype=np.bool_)
    for part in _conditions(test):
        counted &= rows_where(part, population, link.target, known)[rows]
    places = np.flatnonzero(counted)
    if test.attribute is None or not len(places):
        return [int(place) for place in places]
    values = table.value_column(test.attribute).values[rows[places]]
    order = places if test.order is None else table.value_column(test.order).values[rows[places]]
    match test.function:
        case "latest":
            chosen = np.flatnonzero(order == order.max())[-1:]
        case "earliest":
            chosen = np.flatnonzero(order == order.min())[:1]
        case "min":
            chosen = np.flatnonzero(values == values.min())
        case "max":
            chosen = np.flatnonzero(values == values.max())
        case "range":
            chosen = np.flatnonzero((values == values.min()) | (values == values.max()))
        case _:
            chosen = np.arange(len(places))
    return [int(place) for place in places[chosen]]


def _conditions(test: syn.Aggregate) -> Iterator[syn.Predicate]:
    """Yield what is true of every row that an aggregate was computed from."""
    if test.inner is not None:
        yield test.inner
    yield from (syn.Not(syn.Missing(name)) for name in (test.attribute, test.order) if name is not None)


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of a type, and the path that led to it from the individual."""

    type: str
    index: int
    path: str = ""


def _individual(population: Population, individual: int) -> _Row:
    require(individual, Integral, "individual", "the place of one, counted from 0")
    return _Row(population.schema.individual, int(population.individuals[individual]))


@dataclass(frozen=True, slots=True)
class _Evidence:
    """The rows behind predicates that hold, on one population; what was evaluated is kept."""

    population: Population
    known: Known = field(default_factory=dict)

    def holds(self, predicate: syn.Predicate, row: _Row) -> bool:
        return bool(rows_where(predicate, self.population, row.type, self.known)[row.index])

    def of(self, predicate: syn.Predicate, row: _Row) -> Iterator[Witness]:
        """Yield the rows behind a predicate that is known to hold of the row."""
        if isinstance(predicate, syn.And | syn.Or):
            for part in predicate.parts:
                if self.holds(part, row):
                    yield from self.of(part, row)
            return
        yield Witness(row.type, row.index, row.path, predicate)
        if isinstance(predicate, syn.Named):
            assert predicate.body is not None
            inside = self.of(predicate.body, row)
            yield from (w for w in inside if (w.type, w.row) != (row.type, row.index))
        for inner, target in self._grounds(predicate, row):
            yield from self.of(inner, target)

    def _grounds(self, predicate: syn.Predicate, row: _Row) -> Iterator[tuple[syn.Predicate, _Row]]:
        """Yield the rows that a literal looked at and found true, each with what it found."""
        match predicate:
            case (
                syn.Follow(link, inner)
                | syn.Exists(link, inner)
                | syn.All(link, inner)
                | syn.Count(link, inner, ">=")
            ):
                yield from ((inner, r) for r in self.targets(row, link) if self.holds(inner, r))
            case syn.ListStep(_, inner):
                yield from ((inner, r) for r in self._elements(row, predicate) if self.holds(inner, r))
            case syn.Distinct(link, inners):
                rows = self.targets(row, link)
                chosen = first_matching([[i for i, r in enumerate(rows) if self.holds(p, r)] for p in inners])
                assert chosen is not None
                yield from ((inner, rows[i]) for inner, i in zip(inners, chosen, strict=True))
            case syn.Aggregate(link=link):
                rows = self.targets(row, link)
                places = aggregated_places(predicate, self.population, row.type, row.index, self.known)
                yield from ((part, rows[place]) for place in places for part in _conditions(predicate))
            case syn.Top() | syn.And() | syn.Or() | syn.Not() | syn.No() | syn.Count():
                pass  # nothing, or the absence of rows, made it true
            case _ if isinstance(predicate, syn.Test):
                pass
            case _ as never:
                assert_never(never)

    def targets(self, row: _Row, link: str) -> list[_Row]:
        declared = self.population.schema.type(row.type).link(link)
        assert declared is not None
        rows = self.population.tables[row.type].links[link].of(row.index)
        path = f"{row.path}.{link}" if row.path else link
        places = ["" if declared.single else f"[{i}]" for i in range(len(rows))]
        return [_Row(declared.target, int(r), f"{path}{place}") for r, place in zip(rows, places, strict=True)]

    def _elements(self, row: _Row, step: syn.ListStep) -> list[_Row]:
        """Return the rows one step along a list: its first or last element, or the neighbours of an element."""
        target = inner_type(step, row.type, self.population.schema)
        assert target is not None
        runs = runs_of(step, self.population, row.type)
        begin, start, stop = (int(places[row.index]) for places in (runs.begin, runs.start, runs.stop))
        name = max((link for link in runs.links if link[0] <= start), default=(0, ""))[1]
        if step.link is not None:
            stem = f"{row.path}.{name}" if row.path else name
        else:
            stem = row.path[: row.path.rfind("[")] if row.path.endswith("]") else name
        return [_Row(target, int(runs.elements[i]), f"{stem}[{i - begin}]") for i in range(start, stop)]
