"""The rows at a position of a predicate, each with the individual it stands there for.

A predicate of ``exists``, references, steps along lists and ``and`` is an acyclic conjunctive query. Followed from
the individuals through its links, with every row dropped that does not satisfy what is asked of it, the pairs
(individual, row) at each position are exactly those of its embeddings: a test added there keeps exactly the
individuals that own a pair which passes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structtree.data.columns import Adjacency, Population
from structtree.lang.syntax import Exists, Follow, Step
from structtree.space.evaluate import Known, rows_where
from structtree.space.families import LinkFamily
from structtree.space.space import Path, Position

__all__ = ["Pairs", "existential", "follow", "pairs_at"]


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Owners (numbers of individuals, ascending) and the rows that stand for them."""

    owners: NDArray[np.int32]
    rows: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.owners)


def existential(position: Position, path: Path) -> bool:
    """Whether the way to a position goes through links that ask for some row only."""
    for index, slot in path:
        item = position.items[index]
        family = item.family
        if not isinstance(family, LinkFamily) or not isinstance(family.template, Exists | Follow | Step):
            return False
        position = item.positions[slot]
    return True


def pairs_at(position: Position, path: Path, population: Population, known: Known) -> Pairs:
    """The pairs at the end of an existential path of a predicate."""
    individuals = population.individuals
    owners = np.arange(len(individuals))
    if len(position.items) != 1 or not path:
        true = rows_where(position.predicate, population, population.schema.individual, known)[individuals]
        owners = np.flatnonzero(true)
    # Of a single literal nothing needs to be asked first: who does not satisfy it ends with no pair.
    rows = individuals[owners]
    for index, slot in path:
        item = position.items[index]
        assert isinstance(item.family, LinkFamily)
        owners, rows = follow(owners, rows, item.family, population)
        position = item.positions[slot]
        passes = rows_where(position.predicate, population, position.slot.type, known)[rows]
        owners, rows = owners[passes], rows[passes]
        if _may_repeat(item.family, population):
            owners, rows = _unique(owners, rows, population.tables[position.slot.type].n_rows)
    return Pairs(owners.astype(np.int32), rows.astype(np.int32))


def _may_repeat(family: LinkFamily, population: Population) -> bool:
    """Whether following a link from different rows can lead to one row twice, or out of order."""
    match family.template:
        case Exists(link) | Follow(link) | Step("first" | "last", _, str(link)):
            return population.tables[family.type].links[link].shared
        case _:
            return True


def follow(
    owners: NDArray[np.int64], rows: NDArray[np.int64], family: LinkFamily, population: Population
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The pairs one existential link further, not yet unique and not yet asked anything."""
    template = family.template
    table = population.tables[family.type]
    match template:
        case Exists(link) | Follow(link):
            return _spread(owners, rows, table.links[link], 0, None)
        case Step("first", _, str(link)):
            return _spread(owners, rows, table.links[link], 0, 1)
        case Step("last", _, str(link)):
            adjacency = table.links[link]
            some = adjacency.lengths[rows] > 0
            return owners[some], adjacency.targets[adjacency.offsets[rows[some] + 1] - 1].astype(np.int64)
        case Step():
            return _neighbours(owners, rows, template, family.type, population)
        case _:
            raise AssertionError("only existential links are followed")


def _spread(owners: Any, rows: Any, adjacency: Adjacency, skip: int, most: int | None) -> tuple[Any, Any]:
    """All targets of the rows (or the first few of each), with their owners."""
    starts = adjacency.offsets[rows] + skip
    lengths = np.maximum(adjacency.offsets[rows + 1] - starts, 0)
    if most is not None:
        lengths = np.minimum(lengths, most)
    ends = np.cumsum(lengths)
    places = np.repeat(starts - ends + lengths, lengths) + np.arange(ends[-1] if len(ends) else 0)
    return np.repeat(owners, lengths), adjacency.targets[places].astype(np.int64)


def _neighbours(
    owners: NDArray[np.int64], rows: NDArray[np.int64], step: Step, type_name: str, population: Population
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The next, the previous, or all later elements of the lists that the rows are in."""
    found: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
    for record in population.schema.types:
        for link in record.links:
            if link.kind == "list" and link.target == type_name:
                adjacency = population.tables[record.name].links[link.name]
                found.append(_in_lists(owners, rows, step, adjacency, population.tables[type_name].n_rows))
    return np.concatenate([f[0] for f in found]), np.concatenate([f[1] for f in found])


def _in_lists(owners: Any, rows: Any, step: Step, adjacency: Adjacency, n_rows: int) -> tuple[Any, Any]:
    place_of = np.full(n_rows, -1, dtype=np.int64)
    place_of[adjacency.targets] = np.arange(len(adjacency.targets))
    end_of = np.repeat(adjacency.offsets[1:], adjacency.lengths)
    start_of = np.repeat(adjacency.offsets[:-1], adjacency.lengths)
    places = place_of[rows]
    owners, places = owners[places >= 0], places[places >= 0]
    if step.step == "previous":
        some = places > start_of[places]
        return owners[some], adjacency.targets[places[some] - 1].astype(np.int64)
    lengths = end_of[places] - places - 1
    if step.step == "next":
        lengths = np.minimum(lengths, 1)
    ends = np.cumsum(lengths)
    later = np.repeat(places + 1 - ends + lengths, lengths) + np.arange(ends[-1] if len(ends) else 0)
    return np.repeat(owners, lengths), adjacency.targets[later].astype(np.int64)


def _unique(owners: Any, rows: Any, n_rows: int) -> tuple[Any, Any]:
    """The pairs sorted by owner, each once."""
    keys = np.unique(owners * n_rows + rows)
    return keys // n_rows, keys % n_rows
