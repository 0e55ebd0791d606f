"""Features of individuals: their own columns, columns behind references, and aggregates over links."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from structtree.arrays import Floats, Ints
from structtree.data.population import Adjacency, Column, Population
from structtree.data.schema import Link

__all__ = ["NESTING_OF_FEATURES", "Feature", "features", "links_behind", "pairs_behind"]

NESTING_OF_FEATURES = 2
"""Maximum number of references in a path; a link to several rows may follow."""

FEW_CATEGORIES = 12
"""Maximum number of categories of a nominal attribute for which rows are counted by category."""

MOST_ROWS_BEHIND = 5_000_000
"""Number of rows behind a link above which it is skipped."""


@dataclass(frozen=True, slots=True, eq=False)
class Feature:
    """Feature of the individuals: how it is computed, and its values.

    Parameters
    ----------
    path : tuple of str
        Links to the attribute.
    attribute : str or None
        None if rows are counted.
    function : {"", "count", "sum", "mean", "min", "max", "is"}
        Aggregate over the rows behind the last link; empty for a value behind references.
    type : str
        Type that has the attribute.
    column : Column
        Value of each individual.
    value : str, optional
        For ``is``, the category whose rows are counted.
    """

    path: tuple[str, ...]
    attribute: str | None
    function: str
    type: str
    column: Column
    value: str | None = None

    @property
    def name(self) -> str:
        """Readable name: ``account.district.region``, ``mean of account.payment.paid``."""
        at = ".".join((*self.path, *([] if self.attribute is None else [self.attribute])))
        forms = {"": at, "count": f"number of {at}", "is": f"number of {at} = {self.value}"}
        return forms.get(self.function, f"{self.function} of {at}")

    @property
    def numbers(self) -> Floats:
        """Values as numbers, with categories as codes and NaN for missing values."""
        values = self.column.values.astype(np.float64)
        values[self.column.missing] = np.nan
        return values


def features(population: Population, *, aggregated: bool = True) -> Iterator[Feature]:
    """Yield the features of the individuals, those with the fewest links first.

    Parameters
    ----------
    population : Population
    aggregated : bool
        Whether to include aggregates over links.

    Examples
    --------
    >>> data = Population.from_records([{"age": 3, "visits": [{"cost": 2}, {"cost": 4}]}, {"age": 5, "visits": []}])
    >>> {each.name: each.numbers.tolist() for each in features(data)}  # doctest: +ELLIPSIS
    {'age': [3.0, 5.0], 'number of visits': [2.0, 0.0], 'sum of visits.cost': [6.0, nan], ...}
    """
    behind: dict[tuple[str, ...], Ints] = {}
    for path, name, rows in links_behind(population):
        table, behind[path] = population.tables[name], rows
        if path and (rows < 0).any():
            there = np.where(behind[path[:-1]] >= 0, rows >= 0, np.nan)
            yield Feature(path, None, "count", name, Column("int", there))
        for attribute, column in table.columns.items():
            yield Feature(path, attribute, "", name, _taken(column, rows))
        for link in population.schema.type(name).links:
            if aggregated and not link.single:
                yield from _aggregates(population, (*path, link.name), link, table.links[link.name], rows)


def links_behind(population: Population) -> Iterator[tuple[tuple[str, ...], str, Ints]]:
    """Yield each path of references from the individuals, with its target type and target rows (-1 for none)."""
    start = ((), population.schema.individual, population.individuals)
    waiting: list[tuple[tuple[str, ...], str, Ints]] = [start]
    while waiting:
        path, name, rows = waiting.pop(0)
        yield path, name, rows
        for link in population.schema.type(name).links if len(path) < NESTING_OF_FEATURES else ():
            if link.single:
                to = population.tables[name].links[link.name].first_targets[rows]
                is_back = (
                    link.target == population.schema.individual and (to == population.individuals)[to >= 0].all()
                )
                waiting += [] if is_back else [((*path, link.name), link.target, to)]


def pairs_behind(adjacency: Adjacency, rows: Ints) -> tuple[Ints, Ints]:
    """Return the (owner, target row) pairs of a link, with owners as positions in ``rows``."""
    there = np.flatnonzero(rows >= 0)
    lengths = adjacency.n_of(rows[there])
    return np.repeat(there, lengths), adjacency.targets[adjacency.places(rows[there])].astype(np.int64)


def _taken(column: Column, rows: Ints) -> Column:
    """Return the values of a column in the given rows, missing where a row is -1."""
    missing = np.nan if column.values.dtype.kind == "f" else -1
    values = np.append(column.values, np.array([missing], dtype=column.values.dtype))
    return Column(column.kind, values[rows], column.categories)


def _aggregates(
    population: Population, path: tuple[str, ...], link: Link, adjacency: Adjacency, rows: Ints
) -> Iterator[Feature]:
    if adjacency.n_of(rows[rows >= 0]).sum() > MOST_ROWS_BEHIND:
        return
    owners, targets = pairs_behind(adjacency, rows)
    table, n = population.tables[link.target], len(rows)
    counts = np.bincount(owners, minlength=n).astype(np.float64)
    counts[rows < 0] = np.nan
    yield Feature(path, None, "count", link.target, Column("int", counts))
    for name, column in table.columns.items():
        values = column.values[targets]
        known = ~column.missing[targets]
        whose, what = owners[known], values[known].astype(np.float64)
        if column.kind in ("int", "real", "bool"):
            sums, numbers = np.bincount(whose, what, n).astype(np.float64), np.bincount(whose, minlength=n)
            sums[numbers == 0] = np.nan
            yield Feature(path, name, "sum", link.target, Column("real", sums))
            yield Feature(path, name, "mean", link.target, Column("real", sums / np.maximum(numbers, 1)))
        for function, reduce in (("min", np.minimum), ("max", np.maximum)):
            found = _reduced(reduce, whose, what, n)
            kept = np.where(np.isnan(found), -1, found).astype(column.values.dtype)
            extreme = Column(column.kind, found if column.values.dtype.kind == "f" else kept, column.categories)
            yield Feature(path, name, function, link.target, extreme)
        if column.kind == "nominal" and len(column.categories) <= FEW_CATEGORIES:
            for code, text in enumerate(column.categories):
                numbers = np.bincount(owners[values == code], minlength=n).astype(np.float64)
                numbers[rows < 0] = np.nan
                yield Feature(path, name, "is", link.target, Column("int", numbers), text)


def _reduced(reduce: np.ufunc, owners: Ints, values: Floats, n: int) -> Floats:
    """Return the minimum or maximum of the values of each owner, NaN for owners without values."""
    found = np.full(n, np.nan)
    if len(owners):
        starts = np.flatnonzero(np.append(True, np.diff(owners) != 0))
        found[owners[starts]] = reduce.reduceat(values, starts)
    return found
