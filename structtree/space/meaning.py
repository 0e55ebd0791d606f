"""What a predicate means, one row at a time: the definition that the vectorised evaluator must equal.

Written for reading, not for speed. `satisfies` says whether a predicate holds of a row, `witnesses` which rows
made it hold. Tests on missing values are false; ``not (P)`` and ``missing a`` are the ways to ask for them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from operator import eq, ge, le, ne
from typing import Any, assert_never

from structtree.data.columns import Population, Value
from structtree.lang.matching import first_matching
from structtree.lang.syntax import (
    Aggregate,
    All,
    Among,
    And,
    Compare,
    Count,
    Distinct,
    Exists,
    Flag,
    Follow,
    ListStep,
    Missing,
    Named,
    No,
    Not,
    Or,
    Predicate,
    Top,
    Within,
)
from structtree.lang.walk import inner_type
from structtree.space.list_steps import runs_of

__all__ = ["Witness", "satisfies", "witnesses"]

_OPERATORS: dict[str, Any] = {"=": eq, "!=": ne, ">=": ge, "<=": le}


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of a type, and the path that led to it from the individual."""

    type: str
    index: int
    path: str = ""


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
    predicate: Predicate


def satisfies(predicate: Predicate, population: Population, individual: int) -> bool:
    """Whether a predicate holds of one individual, straight from the definition.

    Examples
    --------
    >>> from structtree.lang.parse import parse_predicate
    >>> trains = Population.from_records([{"cars": [{"wheels": 2}, {"wheels": 3}]}, {"cars": []}])
    >>> p = parse_predicate("exists cars (wheels >= 3)")
    >>> satisfies(p, trains, 0), satisfies(p, trains, 1)
    (True, False)
    """
    return _holds(predicate, population, _individual(population, individual))


def witnesses(predicate: Predicate, population: Population, individual: int) -> tuple[Witness, ...]:
    """The rows that made a predicate true of one individual; none when it is false.

    Examples
    --------
    >>> from structtree.lang.parse import parse_predicate
    >>> trains = Population.from_records([{"cars": [{"wheels": 2}, {"wheels": 3}]}])
    >>> [w.path for w in witnesses(parse_predicate("exists cars (wheels >= 3)"), trains, 0)]
    ['', 'cars[1]']
    """
    row = _individual(population, individual)
    if not _holds(predicate, population, row):
        return ()
    return tuple(dict.fromkeys(_evidence(predicate, population, row)))


def _individual(population: Population, individual: int) -> _Row:
    return _Row(population.schema.individual, int(population.individuals[individual]))


# ---- truth ----------------------------------------------------------------------------------------------


def _holds(predicate: Predicate, population: Population, row: _Row) -> bool:
    def true_of(inner: Predicate, rows: list[_Row]) -> list[_Row]:
        return [r for r in rows if _holds(inner, population, r)]

    match predicate:
        case Top():
            return True
        case Flag(attribute, positive):
            return _value(population, row, attribute) is positive
        case Compare(attribute, op, value):
            found = _value(population, row, attribute)
            return found is not None and bool(_OPERATORS[op](found, value))
        case Among(attribute, values):
            return _value(population, row, attribute) in values
        case Within(attribute, low, high, closed):
            found = _value(population, row, attribute)
            return isinstance(found, int | float) and low <= found and (found <= high if closed else found < high)
        case Missing(member):
            return _is_missing(population, row, member)
        case Named(_, body):
            assert body is not None
            return _holds(body, population, row)
        case Follow(link, inner) | Exists(link, inner):
            return bool(true_of(inner, _targets(population, row, link)))
        case ListStep(_, inner):
            return bool(true_of(inner, _step(population, row, predicate)))
        case All(link, inner):
            targets = _targets(population, row, link)
            return len(true_of(inner, targets)) == len(targets)
        case No(link, inner):
            return not true_of(inner, _targets(population, row, link))
        case Count(link, inner, op, n):
            return bool(_OPERATORS[op](len(true_of(inner, _targets(population, row, link))), n))
        case Aggregate(_, _, _, op, value):
            total = _aggregate(population, row, predicate)
            return total is not None and bool(_OPERATORS[op](total, value))
        case Distinct(link, inners):
            return _assignment(population, row, link, inners) is not None
        case And(parts):
            return all(_holds(part, population, row) for part in parts)
        case Or(parts):
            return any(_holds(part, population, row) for part in parts)
        case Not(inner):
            return not _holds(inner, population, row)
        case _ as never:
            assert_never(never)


def _value(population: Population, row: _Row, attribute: str) -> Value:
    return population.tables[row.type].columns[attribute].value(row.index)


def _is_missing(population: Population, row: _Row, member: str) -> bool:
    if member in population.tables[row.type].columns:
        return _value(population, row, member) is None
    return not _targets(population, row, member)


def _targets(population: Population, row: _Row, link: str) -> list[_Row]:
    declared = population.schema.type(row.type).link(link)
    assert declared is not None
    rows = population.tables[row.type].links[link].of(row.index)
    dot = f"{row.path}." if row.path else ""
    if declared.single:
        return [_Row(declared.target, int(r), f"{dot}{link}") for r in rows]
    return [_Row(declared.target, int(r), f"{dot}{link}[{i}]") for i, r in enumerate(rows)]


def _step(population: Population, row: _Row, step: ListStep) -> list[_Row]:
    """Return the rows one step along a list: its first or last element, or the neighbours of an element."""
    target = inner_type(step, row.type, population.schema)
    assert target is not None
    runs = runs_of(step, population, row.type)
    begin, start, stop = (int(places[row.index]) for places in (runs.begin, runs.start, runs.stop))
    name = max((link for link in runs.links if link[0] <= start), default=(0, ""))[1]
    if step.link is not None:
        stem = f"{row.path}.{name}" if row.path else name
    else:
        stem = row.path[: row.path.rfind("[")] if row.path.endswith("]") else name
    return [_Row(target, int(runs.elements[i]), f"{stem}[{i - begin}]") for i in range(start, stop)]


def _aggregate(population: Population, row: _Row, predicate: Aggregate) -> float | None:
    found = [_value(population, r, predicate.attribute) for r in _targets(population, row, predicate.link)]
    values = [float(v) for v in found if v is not None]
    if predicate.function == "sum":
        return _sum(values)
    if not values:
        return None
    match predicate.function:
        case "mean":
            return _sum(values) / len(values)
        case "min":
            return min(values)
        case "max":
            return max(values)


def _sum(values: list[float]) -> float:
    """One addition after the other, in order: the rounding that the vectorised evaluator has too."""
    total = 0.0
    for value in values:
        total += value
    return total


def _assignment(
    population: Population, row: _Row, link: str, inners: tuple[Predicate, ...]
) -> tuple[_Row, ...] | None:
    """Different targets, one that satisfies each of the predicates: the first ones that do, if any."""
    rows = _targets(population, row, link)
    chosen = first_matching([[i for i, r in enumerate(rows) if _holds(inner, population, r)] for inner in inners])
    return None if chosen is None else tuple(rows[i] for i in chosen)


# ---- evidence -------------------------------------------------------------------------------------------


def _evidence(predicate: Predicate, population: Population, row: _Row) -> Iterator[Witness]:
    """The rows behind a predicate that is known to hold of the row."""
    match predicate:
        case And(parts) | Or(parts):
            for part in parts:
                if _holds(part, population, row):
                    yield from _evidence(part, population, row)
            return
        case Named(_, body):
            yield Witness(row.type, row.index, row.path, predicate)
            assert body is not None
            yield from (w for w in _evidence(body, population, row) if (w.type, w.row) != (row.type, row.index))
            return
    yield Witness(row.type, row.index, row.path, predicate)
    for inner, target in _grounds(predicate, population, row):
        yield from _evidence(inner, population, target)


def _grounds(predicate: Predicate, population: Population, row: _Row) -> Iterator[tuple[Predicate, _Row]]:
    """The rows that a literal looked at and found true, each with what it found."""
    match predicate:
        case Follow(link, inner) | Exists(link, inner) | All(link, inner) | Count(link, inner, ">="):
            rows = _targets(population, row, link)
        case ListStep(_, inner):
            rows = _step(population, row, predicate)
        case Distinct(link, inners):
            chosen = _assignment(population, row, link, inners)
            assert chosen is not None
            yield from zip(inners, chosen, strict=True)
            return
        case _:
            return
    yield from ((inner, r) for r in rows if _holds(inner, population, r))
