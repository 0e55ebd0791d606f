"""The definition of truth, one row at a time: what the evaluation of all rows at once must equal.

Written for reading, not for speed, and with nothing of the package but its columns. Tests on missing values are
false; ``not (P)`` and ``missing a`` are the ways to ask for them.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import eq, ge, le, ne
from typing import Any, assert_never

import numpy as np

from structtree.data.population import Population, Value
from structtree.lang import syntax as syn
from structtree.lang.matching import first_matching

_OPERATORS: dict[str, Any] = {"=": eq, "!=": ne, ">=": ge, "<=": le}


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a type; in the condition of a derived link, with the row that asks."""

    type: str
    index: int
    asker: Row | None = None


def is_true(predicate: syn.Predicate, population: Population, individual: int) -> bool:
    """Tell whether a predicate holds of one individual, straight from the definition."""
    return row_satisfies(
        predicate, population, Row(population.schema.individual, int(population.individuals[individual]))
    )


def row_satisfies(predicate: syn.Predicate, population: Population, row: Row) -> bool:
    """Tell whether a predicate holds of one row."""

    def true_of(inner: syn.Predicate, rows: list[Row]) -> list[Row]:
        return [r for r in rows if row_satisfies(inner, population, r)]

    match predicate:
        case syn.Top():
            return True
        case syn.Flag(attribute, positive):
            return value_of(population, row, attribute) is positive
        case syn.Compare(attribute, op, value):
            found = value_of(population, row, attribute)
            return found is not None and bool(_OPERATORS[op](found, value))
        case syn.CompareOwn(path, op, other):
            pair = [_comparable(population, row, side, op) for side in (path, other)]
            return None not in pair and bool(_OPERATORS[op](*pair))
        case syn.CompareMine(path, op, mine):
            assert row.asker is not None
            pair = [_comparable(population, row, path, op), _comparable(population, row.asker, mine, op)]
            return None not in pair and bool(_OPERATORS[op](*pair))
        case syn.Me():
            assert row.asker is not None
            return (row.type, row.index) == (row.asker.type, row.asker.index)
        case syn.Among(attribute, values):
            return value_of(population, row, attribute) in values
        case syn.Within(attribute, low, high, closed):
            found = value_of(population, row, attribute)
            return isinstance(found, int | float) and low <= found and (found <= high if closed else found < high)
        case syn.Missing(member):
            return _is_missing(population, row, member)
        case syn.Named(_, body):
            assert body is not None
            return row_satisfies(body, population, row)
        case syn.Follow(link, inner) | syn.Exists(link, inner):
            return bool(true_of(inner, targets_of(population, row, link)))
        case syn.ListStep(_, inner):
            return bool(true_of(inner, _step(population, row, predicate)))
        case syn.All(link, inner):
            targets = targets_of(population, row, link)
            return len(true_of(inner, targets)) == len(targets)
        case syn.No(link, inner):
            return not true_of(inner, targets_of(population, row, link))
        case syn.Count(link, inner, op, n):
            return bool(_OPERATORS[op](len(true_of(inner, targets_of(population, row, link))), n))
        case syn.Aggregate(op=op, value=value):
            found = _aggregate(population, row, predicate)
            return found is not None and bool(_OPERATORS[op](found, value))
        case syn.Distinct(link, inners):
            return _assignment(population, row, link, inners) is not None
        case syn.And(parts):
            return all(row_satisfies(part, population, row) for part in parts)
        case syn.Or(parts):
            return any(row_satisfies(part, population, row) for part in parts)
        case syn.Not(inner):
            return not row_satisfies(inner, population, row)
        case _ as never:
            assert_never(never)


def value_of(population: Population, row: Row, attribute: str) -> Value:
    """The value of an attribute, or of a part of a date; numbers for moments and ranks."""
    columns = population.tables[row.type].columns
    if attribute not in columns:
        return _part(population, row, *attribute.rsplit(".", 1))
    column = columns[attribute]
    if column.kind in ("date", "time", "ordered"):  # which are numbers, however they are shown
        number = float(column.values[row.index])
        return None if number != number else number
    return column.value(row.index)


def _part(population: Population, row: Row, attribute: str, part: str) -> Value:
    """A part of a date or time, as Python knows it."""
    moment: Any = population.tables[row.type].columns[attribute].value(row.index)
    if moment is None:
        return None
    return float(moment.weekday()) if part == "weekday" else int(getattr(moment, part))


def _comparable(population: Population, row: Row, path: tuple[str, ...], op: str) -> Any:
    """What is compared at the end of a path: a text, a rank, a number, or seconds; None where there is nothing."""
    *references, attribute = path
    for link in references:
        targets = targets_of(population, row, link)
        if not targets:
            return None
        (row,) = targets
    column = population.tables[row.type].columns[attribute]
    if column.kind == "ordered" and op in ("=", "!="):
        return column.value(row.index)
    value = value_of(population, row, attribute)
    return value * 86400 if column.kind == "date" and isinstance(value, float) else value


def _is_missing(population: Population, row: Row, member: str) -> bool:
    if member in population.tables[row.type].columns:
        return value_of(population, row, member) is None
    return not targets_of(population, row, member)


def targets_of(population: Population, row: Row, link: str) -> list[Row]:
    """The rows that a link leads to."""
    declared = population.schema.type(row.type).link(link)
    assert declared is not None
    rows = population.tables[row.type].links[link].of(row.index)
    return [Row(declared.target, int(r), row.asker) for r in rows]


def _step(population: Population, row: Row, step: syn.ListStep) -> list[Row]:
    """The rows one step along a list: its first or last element, or the neighbours of an element."""
    if step.link is not None:
        elements = targets_of(population, row, step.link)
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
                    elements = [Row(row.type, int(r), row.asker) for r in adjacency.of(owner)]
                    return elements, int(place - adjacency.offsets[owner])
    return [row], 0


def _aggregate(population: Population, row: Row, test: syn.Aggregate) -> Any:
    """What an aggregate of a row is; None where there is nothing to say."""
    rows = targets_of(population, row, test.link)
    counted = [r for r in rows if test.inner is None or row_satisfies(test.inner, population, r)]
    if test.attribute is None:
        return len(counted) / len(rows) if rows else None
    found = [(value_of(population, r, test.attribute), _place(population, r, rows, test.order)) for r in counted]
    pairs = [(value, place) for value, place in found if value is not None and place is not None]
    if test.function == "distinct":
        return len({value for value, _ in pairs})
    if test.function in ("latest", "earliest"):
        return _outermost(test.function, pairs)
    return _of_numbers(
        test.function, [float(v) for v, _ in pairs], [p for _, p in pairs], _unit(population, row, test)
    )


def _place(population: Population, row: Row, rows: list[Row], order: str | None) -> Any:
    """Where a row stands in an order, in days if it is one of moments; in its list if none is named."""
    if order is None:
        return float(rows.index(row))
    place = value_of(population, row, order)
    is_time = population.tables[row.type].columns[order].kind == "time"
    return place / 86400 if is_time and isinstance(place, float) else place


def _unit(population: Population, row: Row, test: syn.Aggregate) -> float:
    """How many days the values of an aggregate are apart if they differ by one; 1 unless they are times."""
    link = population.schema.type(row.type).link(test.link)
    assert link is not None and test.attribute is not None
    return 86400.0 if population.tables[link.target].columns[test.attribute].kind == "time" else 1.0


def _outermost(function: str, pairs: list[tuple[Any, Any]]) -> Any:
    if not pairs:
        return None
    places = [place for _, place in pairs]
    if function == "latest":
        value = pairs[len(pairs) - 1 - places[::-1].index(max(places))][0]
    else:
        value = pairs[places.index(min(places))][0]
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else value


def _of_numbers(function: str, values: list[float], places: list[float], unit: float) -> float | None:
    if function == "sum":
        return _number(_sum(values))
    if not values:
        return None
    match function:
        case "mean":
            return _number(_mean(values))
        case "min":
            return min(values)
        case "max":
            return max(values)
        case "range":
            return _number((max(values) - min(values)) / unit)
        case "deviation":
            return _number(_deviation(values))
        case _:
            return _number(_slope(values, places))


def _number(value: float) -> float | None:
    return None if value != value else value


def _mean(values: list[float]) -> float:
    total = _sum(values)
    return _sum([value / len(values) for value in values]) if abs(total) == np.inf else total / len(values)


def _parts(values: list[float]) -> tuple[list[float], float]:
    """The differences to the mean as parts of the greatest of them, and that one: nothing is too large to square."""
    mean = _mean(values)
    rough = [value - mean for value in values]
    rest = _mean(rough)
    away = [difference - rest for difference in rough]
    scale = float(np.max(np.abs(away))) or 1.0
    return [float(np.float64(difference) / scale) for difference in away], scale


@np.errstate(all="ignore")
def _deviation(values: list[float]) -> float:
    if len(values) < 2:
        return np.nan
    if max(values) - min(values) == 0:
        return 0.0
    parts, scale = _parts(values)
    return float(scale * np.sqrt(_sum([part * part for part in parts]) / (len(values) - 1)))


@np.errstate(all="ignore")
def _slope(values: list[float], places: list[float]) -> float:
    if not max(places) - min(places) > 0:
        return np.nan
    if max(values) - min(values) == 0:
        return 0.0
    (across, width), (up, height) = _parts(places), _parts(values)
    products = _sum([a * u for a, u in zip(across, up, strict=True)])
    return float(products / np.float64(_sum([a * a for a in across])) * (np.float64(height) / width))


def _sum(values: list[float]) -> float:
    """One addition after the other, in order: the rounding that the vectorised evaluator has too."""
    total = 0.0
    for value in values:
        total += value
    return total


def _assignment(
    population: Population, row: Row, link: str, inners: tuple[syn.Predicate, ...]
) -> tuple[Row, ...] | None:
    """Different targets, one that satisfies each of the predicates: the first ones that do, if any."""
    rows = targets_of(population, row, link)
    chosen = first_matching(
        [[i for i, r in enumerate(rows) if row_satisfies(inner, population, r)] for inner in inners]
    )
    return None if chosen is None else tuple(rows[i] for i in chosen)
