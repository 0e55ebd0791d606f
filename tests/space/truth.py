"""The definition of truth, one row at a time: what the evaluation of all rows at once must equal.

Written for reading, not for speed, and with nothing of the package but its columns. Tests on missing values are
false; ``not (P)`` and ``missing a`` are the ways to ask for them.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import eq, ge, le, ne
from typing import Any, assert_never

import numpy as np

from structtree.data.columns import Population, Value
from structtree.lang.matching import first_matching
from structtree.lang.syntax import (
    Aggregate,
    All,
    Among,
    And,
    Compare,
    CompareOwn,
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

_OPERATORS: dict[str, Any] = {"=": eq, "!=": ne, ">=": ge, "<=": le}


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a type."""

    type: str
    index: int


def is_true(predicate: Predicate, population: Population, individual: int) -> bool:
    """Tell whether a predicate holds of one individual, straight from the definition."""
    return _holds(predicate, population, Row(population.schema.individual, int(population.individuals[individual])))


def _holds(predicate: Predicate, population: Population, row: Row) -> bool:
    def true_of(inner: Predicate, rows: list[Row]) -> list[Row]:
        return [r for r in rows if _holds(inner, population, r)]

    match predicate:
        case Top():
            return True
        case Flag(attribute, positive):
            return _value(population, row, attribute) is positive
        case Compare(attribute, op, value):
            found = _value(population, row, attribute)
            return found is not None and bool(_OPERATORS[op](found, value))
        case CompareOwn(path, op, other):
            pair = [_comparable(population, row, side, op) for side in (path, other)]
            return None not in pair and bool(_OPERATORS[op](*pair))
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


def _value(population: Population, row: Row, attribute: str) -> Value:
    column = population.tables[row.type].columns[attribute]
    if column.kind in ("date", "time", "ordered"):  # which are numbers, however they are shown
        number = float(column.values[row.index])
        return None if number != number else number
    return column.value(row.index)


def _comparable(population: Population, row: Row, path: tuple[str, ...], op: str) -> Any:
    """What is compared at the end of a path: a text, a rank, a number, or seconds; None where there is nothing."""
    *references, attribute = path
    for link in references:
        targets = _targets(population, row, link)
        if not targets:
            return None
        (row,) = targets
    column = population.tables[row.type].columns[attribute]
    if column.kind == "ordered" and op in ("=", "!="):
        return column.value(row.index)
    value = _value(population, row, attribute)
    return value * 86400 if column.kind == "date" and isinstance(value, float) else value


def _is_missing(population: Population, row: Row, member: str) -> bool:
    if member in population.tables[row.type].columns:
        return _value(population, row, member) is None
    return not _targets(population, row, member)


def _targets(population: Population, row: Row, link: str) -> list[Row]:
    declared = population.schema.type(row.type).link(link)
    assert declared is not None
    rows = population.tables[row.type].links[link].of(row.index)
    return [Row(declared.target, int(r)) for r in rows]


def _step(population: Population, row: Row, step: ListStep) -> list[Row]:
    """The rows one step along a list: its first or last element, or the neighbours of an element."""
    if step.link is not None:
        elements = _targets(population, row, step.link)
        return elements[:1] if step.step == "first" else elements[-1:]
    elements, index = _list_of(population, row)
    match step.step:
        case "next":
            return elements[index + 1 : index + 2]
        case "previous":
            return elements[max(index - 1, 0) : index]
        case _:
            return elements[index + 1 :]


def _list_of(population: Population, row: Row) -> tuple[list[Row], int]:
    """The list that a row is an element of (rows are in one list at most), and its index there."""
    for record in population.schema.types:
        for link in record.links:
            if link.kind == "list" and link.target == row.type:
                adjacency = population.tables[record.name].links[link.name]
                for place in np.flatnonzero(adjacency.targets == row.index):
                    owner = int(np.searchsorted(adjacency.offsets, place, side="right")) - 1
                    elements = [Row(row.type, int(r)) for r in adjacency.of(owner)]
                    return elements, int(place - adjacency.offsets[owner])
    return [row], 0


def _aggregate(population: Population, row: Row, predicate: Aggregate) -> float | None:
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


def _assignment(population: Population, row: Row, link: str, inners: tuple[Predicate, ...]) -> tuple[Row, ...] | None:
    """Different targets, one that satisfies each of the predicates: the first ones that do, if any."""
    rows = _targets(population, row, link)
    chosen = first_matching([[i for i, r in enumerate(rows) if _holds(inner, population, r)] for inner in inners])
    return None if chosen is None else tuple(rows[i] for i in chosen)
