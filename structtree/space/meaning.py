"""Witnesses: the rows that make a predicate true for an individual, and the path to each row.

The witnesses of an aggregate are the rows that it was computed from; for the latest, minimum or maximum value, only
the row with that value. `counted_rows` answers for predicates that may be false: which rows they count, and why.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, assert_never

import numpy as np

from structtree.data.population import Population
from structtree.data.readers.individuals import population_of
from structtree.data.schema import FAR_ROW
from structtree.errors import require
from structtree.lang import syntax as syn
from structtree.lang.matching import first_matching
from structtree.lang.pretty import pretty
from structtree.lang.walk import inner_type
from structtree.reprs import short_repr
from structtree.space.evaluate import Known, rows_where
from structtree.space.list_steps import runs_of

__all__ = [
    "Witness",
    "aggregated_places",
    "counted_rows",
    "given_paths",
    "linked_row",
    "satisfies",
    "witnesses",
]


@dataclass(frozen=True, slots=True)
class Witness:
    """A row that makes a part of a predicate true.

    Parameters
    ----------
    type, row
        The type and the index of the row.
    path : str
        The path from the individual to the row, such as ``cars[2].load``; empty for the individual itself.
    predicate : Predicate
        The predicate that the row satisfies.
    level : int
        The number of links with conditions on several rows (`exists`, `count`, aggregates ...) on the path: rows of
        level 1 are counted, and rows of a higher level make a row of level 1 count.
    """

    type: str
    row: int
    path: str
    predicate: syn.Predicate
    level: int = field(default=0, compare=False)

    def __repr__(self) -> str:
        return short_repr(self, f"{self.path or 'the individual'} ({self.type} {self.row})", pretty(self.predicate))


def satisfies(predicate: syn.Predicate, individuals: Any, individual: int) -> bool:
    """Return whether an individual satisfies a predicate.

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


def witnesses(
    predicate: syn.Predicate, individuals: Any, individual: int, known: Known | None = None
) -> tuple[Witness, ...]:
    """Return the rows that make a predicate true for an individual; empty if it is false.

    Parameters
    ----------
    predicate : Predicate
    individuals : Population, or individuals in another form
    individual : int
        Position of the individual, counted from 0.
    known : dict, optional
        Cache of masks by type and predicate, managed by the caller.

    Examples
    --------
    >>> from structtree.lang.parse import parse_predicate
    >>> trains = Population.from_records([{"cars": [{"wheels": 2}, {"wheels": 3}]}])
    >>> [w.path for w in witnesses(parse_predicate("exists cars (wheels >= 3)"), trains, 0)]
    ['', 'cars[1]']
    """
    syn.require_predicate(predicate)
    population = population_of(individuals)
    evidence = _Evidence(population, {} if known is None else known)
    row = _individual(population, individual)
    return tuple(dict.fromkeys(evidence.of(predicate, row))) if evidence.holds(predicate, row) else ()


def counted_rows(
    predicate: syn.Predicate, individuals: Any, individual: int, known: Known | None = None
) -> tuple[Witness, ...]:
    """Return the rows that a predicate counts and the rows that make them count, whether or not it is true.

    Parameters
    ----------
    predicate, individuals, individual, known
        As in `witnesses`.

    Examples
    --------
    >>> from structtree.lang.parse import parse_predicate
    >>> trains = Population.from_records([{"cars": [{"wheels": 2}, {"wheels": 3}]}])
    >>> [w.path for w in counted_rows(parse_predicate("count cars (wheels >= 3) >= 2"), trains, 0)]
    ['', 'cars[1]']
    """
    syn.require_predicate(predicate)
    population = population_of(individuals)
    row = _individual(population, individual)
    evidence = _Evidence(population, {} if known is None else known)
    return tuple(dict.fromkeys(evidence.counted(predicate, row)))


def given_paths(population: Population, individual: int) -> dict[tuple[str, int], str]:
    """Return the shortest path from an individual to each row through links of the data, by type and row.

    The result is empty if the schema has no derived links, because every path then consists of links of the data.

    Examples
    --------
    >>> trains = Population.from_records([{"cars": [{"wheels": 2}]}], individual="Train")
    >>> given_paths(trains, 0)
    {}
    """
    found, given = dict[tuple[str, int], str](), population.schema.given
    if not any(link.derived for record in population.schema.types for link in record.links):
        return found
    start = _individual(population, individual)
    found[start.type, start.index] = ""
    waiting, evidence = [start], _Evidence(population)
    for row in waiting:  # grows while iterated
        for link in given.type(row.type).links:
            fresh = [r for r in evidence.targets(row, link.name) if (r.type, r.index) not in found]
            found |= {(r.type, r.index): r.path for r in fresh}
            waiting += fresh
    return found


def linked_row(population: Population, type_name: str, row: int) -> tuple[str, int]:
    """Return the type and number of a row; for a pair of a derived link, those of its linked row.

    Examples
    --------
    >>> linked_row(Population.from_records([{"cars": [{"wheels": 2}]}], individual="Train"), "Car", 0)
    ('Car', 0)
    """
    while (met := population.schema.met_by(type_name)) is not None:
        type_name, row = met, int(population.tables[type_name].links[FAR_ROW].targets[row])
    return type_name, row


def aggregated_places(
    test: syn.Aggregate, population: Population, type_name: str, row: int, known: Known | None = None
) -> list[int]:
    """Return the positions (in the link) of the rows that determined the value of an aggregate.

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
    """Yield the conditions that a row must satisfy to be aggregated."""
    if test.inner is not None:
        yield test.inner
    yield from (syn.Not(syn.Missing(name)) for name in (test.attribute, test.order) if name is not None)


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of a type, and the path from the individual to it."""

    type: str
    index: int
    path: str = ""
    level: int = 0


def _individual(population: Population, individual: int) -> _Row:
    require(individual, Integral, "individual", "the index of an individual, counted from 0")
    return _Row(population.schema.individual, int(population.individuals[individual]))


@dataclass(frozen=True, slots=True)
class _Evidence:
    """Search for witnesses in a population, with a cache of evaluated predicates."""

    population: Population
    known: Known = field(default_factory=dict)

    def holds(self, predicate: syn.Predicate, row: _Row) -> bool:
        return bool(rows_where(predicate, self.population, row.type, self.known)[row.index])

    def of(self, predicate: syn.Predicate, row: _Row) -> Iterator[Witness]:
        """Yield the witnesses of a predicate that is true for a row."""
        if isinstance(predicate, syn.And | syn.Or):
            for part in predicate.parts:
                if self.holds(part, row):
                    yield from self.of(part, row)
            return
        yield Witness(row.type, row.index, row.path, predicate, row.level)
        if isinstance(predicate, syn.Top | syn.AttributeTest):
            return  # most witnesses, which have no rows behind them
        if isinstance(predicate, syn.Named):
            assert predicate.body is not None
            inside = self.of(predicate.body, row)
            yield from (w for w in inside if (w.type, w.row) != (row.type, row.index))
        for inner, target in self._grounds(predicate, row):
            yield from self.of(inner, target)

    def counted(self, predicate: syn.Predicate, row: _Row) -> Iterator[Witness]:
        """Yield the rows that the literals of a predicate count; of `and` and `or`, only the decisive parts."""
        match predicate:
            case syn.And(parts) | syn.Or(parts):
                truth = self.holds(predicate, row)
                for part in parts:
                    if self.holds(part, row) == truth:
                        yield from self.counted(part, row)
            case syn.Not(inner):
                yield from self.counted(inner, row)
            case syn.Named(_, body) if body is not None:
                yield from self.counted(body, row)
            case syn.Follow(link, inner):
                for target in self.targets(row, link):
                    yield Witness(target.type, target.index, target.path, inner, target.level)
                    yield from self.counted(inner, target)
            case syn.Count(link, inner) | syn.No(link, inner):
                yield from self.of(syn.Exists(link, inner), row)
            case syn.Distinct(link, inners) if not self.holds(predicate, row):
                for inner in inners:
                    yield from self.of(syn.Exists(link, inner), row)
            case syn.Exists() | syn.All() | syn.Aggregate():
                yield from self.of(predicate, row)
            case _ if self.holds(predicate, row):
                yield from self.of(predicate, row)
            case _:
                pass  # a value, or an element of a list, that does not satisfy its condition

    def _grounds(self, predicate: syn.Predicate, row: _Row) -> Iterator[tuple[syn.Predicate, _Row]]:
        """Yield the rows that make a literal true, each with the inner predicate that it satisfies."""
        match predicate:
            case syn.Follow(link, inner):
                yield from ((inner, r) for r in self.targets(row, link, inner))
            case syn.Exists(link, inner) | syn.All(link, inner) | syn.Count(link, inner, ">="):
                yield from ((inner, r) for r in self.below(row, link, inner))
            case syn.ListStep(_, inner):
                yield from ((inner, r) for r in self._elements(row, predicate) if self.holds(inner, r))
            case syn.Distinct(link, inners):
                rows = self.below(row, link)
                chosen = first_matching([[i for i, r in enumerate(rows) if self.holds(p, r)] for p in inners])
                assert chosen is not None
                yield from ((inner, rows[i]) for inner, i in zip(inners, chosen, strict=True))
            case syn.Aggregate(link=link):
                rows = self.below(row, link)
                places = aggregated_places(predicate, self.population, row.type, row.index, self.known)
                yield from ((part, rows[place]) for place in places for part in _conditions(predicate))
            case syn.Top() | syn.And() | syn.Or() | syn.Not() | syn.No() | syn.Count():
                pass  # no rows, or the absence of rows, makes it true
            case _ if isinstance(predicate, syn.Test):
                pass
            case _ as never:
                assert_never(never)

    def targets(self, row: _Row, link: str, inner: syn.Predicate = syn.TOP, level: int | None = None) -> list[_Row]:
        """Return the rows that a link refers to and that satisfy a predicate."""
        declared = self.population.schema.type(row.type).link(link)
        assert declared is not None
        rows = self.population.tables[row.type].links[link].of(row.index)
        path, name = f"{row.path}.{link}" if row.path else link, declared.target
        places = list(range(len(rows)))
        if not isinstance(inner, syn.Top):
            places = np.flatnonzero(rows_where(inner, self.population, name, self.known)[rows]).tolist()
        level = row.level if level is None else level
        return [_Row(name, int(rows[i]), path if declared.single else f"{path}[{i}]", level) for i in places]

    def below(self, row: _Row, link: str, inner: syn.Predicate = syn.TOP) -> list[_Row]:
        """Return the rows that a link refers to and that satisfy a predicate, as rows to be counted."""
        return self.targets(row, link, inner, row.level + 1)

    def _elements(self, row: _Row, step: syn.ListStep) -> list[_Row]:
        """Return the rows that a list step leads to: the first or last element, or neighbouring elements."""
        target = inner_type(step, row.type, self.population.schema)
        assert target is not None
        runs = runs_of(step, self.population, row.type)
        begin, start, stop = (int(places[row.index]) for places in (runs.begin, runs.start, runs.stop))
        name = max((link for link in runs.links if link[0] <= start), default=(0, ""))[1]
        if step.link is not None:
            stem = f"{row.path}.{name}" if row.path else name
        else:
            stem = row.path[: row.path.rfind("[")] if row.path.endswith("]") else name
        return [
            _Row(target, int(runs.elements[i]), f"{stem}[{i - begin}]", row.level + 1) for i in range(start, stop)
        ]
