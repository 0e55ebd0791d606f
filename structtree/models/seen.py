"""Values of tested features in training, and new individuals that differ from all of them.

A model stores the range of each number and of the size of each link that its tests use, and the categories. A new
individual is unusual if some row that it reaches has a category that no row had, a number or size far outside the
range (by more than half of its width), or an empty link where every row had linked rows. Its prediction is then an
extrapolation, whatever its probability. No individual of the training data is unusual.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import Mask
from structtree.data.json_parts import JsonPart
from structtree.data.population import Column, Population
from structtree.data.reachable import seen_by_individuals
from structtree.models.conform import NeededMembers

__all__ = ["SeenValues", "seen_from_json", "seen_in", "unusual_individuals"]

SeenValues = Mapping[str, Mapping[str, tuple[str, ...] | tuple[float, float]]]
"""By type and member: the categories, or the smallest and largest number or size."""

MAX_STORED = 1000
"""Maximum number of categories to store of an attribute; of others, nothing is stored."""

MAX_ROUNDS = 20
"""Maximum number of links between an individual and an unusual row."""


def seen_in(population: Population, mentioned: NeededMembers) -> SeenValues:
    """Return the values that the mentioned attributes and links of a population have.

    Examples
    --------
    >>> trains = Population.from_records([{"cars": [{"load": "coal", "axles": 2}, {"load": "iron", "axles": 3}]}])
    >>> seen_in(trains, {"Individual": frozenset({"cars"}), "Car": frozenset({"load", "axles"})})
    {'Individual': {'cars': (2.0, 2.0)}, 'Car': {'axles': (2.0, 3.0), 'load': ('coal', 'iron')}}
    """
    population = seen_by_individuals(population)
    found = {name: dict(_seen_at(population, name, members)) for name, members in mentioned.items()}
    return {name: values for name, values in found.items() if values}


def _seen_at(
    population: Population, type_name: str, members: frozenset[str]
) -> Iterator[tuple[str, tuple[str, ...] | tuple[float, float]]]:
    table = population.tables[type_name]
    for name in sorted(members):
        if name in table.columns:
            column = table.columns[name]
            if column.kind in ("nominal", "ordered"):
                codes = np.unique(column.values[~column.missing])
                if len(codes) <= MAX_STORED:
                    yield name, tuple(column.categories[int(code)] for code in codes)
            elif column.kind != "bool":
                yield from ((name, span) for span in _span(column.values))
        elif name in table.links:
            yield from ((name, span) for span in _span(table.links[name].lengths))


def _span(values: NDArray[np.generic]) -> Iterator[tuple[float, float]]:
    numbers = values.astype(np.float64)
    numbers = numbers[np.isfinite(numbers)]
    if len(numbers):
        yield float(numbers.min()), float(numbers.max())


def seen_from_json(part: JsonPart) -> SeenValues:
    """Return stored values; each member has a list of strings or two numbers.

    Examples
    --------
    >>> seen_from_json(JsonPart({"Car": {"axles": [2, 3], "load": ["coal", "iron"]}}))
    {'Car': {'axles': (2.0, 3.0), 'load': ('coal', 'iron')}}
    """
    return {name: {member: _values(each) for member, each in members.parts()} for name, members in part.parts()}


def _values(part: JsonPart) -> tuple[str, ...] | tuple[float, float]:
    elements = part.elements()
    if all(isinstance(each.value, str) for each in elements):
        return part.texts()
    if len(elements) != 2:
        part.expected("strings, or the smallest and the largest number")
    return elements[0].number(), elements[1].number()


def unusual_individuals(population: Population, seen: SeenValues) -> dict[int, str]:
    """Return the individuals that are unlike all training data, each with the first reason.

    Parameters
    ----------
    population : Population
        New individuals in the form that the tests need; see `structtree.models.conform.conform`.
    seen : SeenValues

    Examples
    --------
    >>> seen = {"Individual": {"cars": (1.0, 3.0)}, "Car": {"load": ("coal", "iron")}}
    >>> trains = [{"cars": [{"load": "coal"}]}, {"cars": [{"load": "coal"}, {"load": "gold"}]}, {"cars": []}]
    >>> unusual_individuals(Population.from_records(trains), seen)
    {1: "load = 'gold' did not occur in training", 2: 'no cars; in training 1 to 3'}
    """
    found: dict[int, str] = {}
    for name, members in seen.items():
        if name not in population.tables:
            continue
        for member, values in members.items():
            for odd, reason in _odd_rows(population, name, member, values):
                for individual in np.flatnonzero(_reaching(population, name, odd, seen)).tolist():
                    found.setdefault(individual, reason)
    return dict(sorted(found.items()))


def _odd_rows(
    population: Population, type_name: str, member: str, values: tuple[str, ...] | tuple[float, float]
) -> Iterator[tuple[Mask, str]]:
    """Yield masks of rows that are unlike those of training in a member, each with the reason."""
    table = population.tables[type_name]
    column, link = table.columns.get(member), table.links.get(member)
    if column is not None and column.kind in ("nominal", "ordered"):
        known = set(values)
        for code, category in enumerate(column.categories):
            if category not in known and (odd := _has_code(column, code)).any():
                yield odd, f"{member} = {category!r} did not occur in training"
        return
    if len(values) != 2 or isinstance(values[0], str) or isinstance(values[1], str):
        return
    low, high = values
    span = f"in training {low:g} to {high:g}" if low < high else f"in training always {low:g}"
    if column is not None and column.kind != "bool":
        numbers = column.values.astype(np.float64)
    elif link is not None:
        numbers = link.lengths.astype(np.float64)
        empty = (numbers == 0) & (low > 0)
        if empty.any():
            yield empty, f"no {member}; {span}"
    else:
        return
    margin = (high - low) / 2
    far = (numbers < low - margin) | (numbers > high + margin)  # false for missing values
    if far.any():
        worst = numbers[far][0]
        yield far, f"{member} {'=' if column is not None else 'has'} {worst:g}; {span}"


def _has_code(column: Column, code: int) -> Mask:
    return np.asarray((column.values == code) & ~column.missing)


def _reaching(population: Population, type_name: str, rows: Mask, seen: SeenValues) -> Mask:
    """Return a mask of the individuals that reach one of some rows through links that the tests use."""
    odd = {type_name: rows}
    individual = population.schema.individual
    links = [
        (record.name, population.tables[record.name].links[link.name], link.target)
        for record in population.schema.types
        for link in record.links
        if link.name in seen.get(record.name, ())
    ]
    for _ in range(MAX_ROUNDS):
        changed = False
        for owner, adjacency, target in links:
            if target not in odd:
                continue
            hit = np.bincount(adjacency.owners[odd[target][adjacency.targets]], minlength=len(adjacency)) > 0
            before = odd.get(owner)
            odd[owner] = hit if before is None else before | hit
            changed |= before is None or bool((odd[owner] & ~before).any())
        if not changed:
            break
    found: Mask = odd.get(individual, np.zeros(population.tables[individual].n_rows, dtype=np.bool_))
    return found[population.individuals]
