"""Many tests at once behind any monotone link: truth lifted level by level from a position to the individuals.

Where a path goes through ``all`` or ``count``, pairs do not tell what a test keeps. There the truth of all members is
a matrix, a row for each row of the type and a column for each member, and each link on the way up turns it into the
matrix of the type before, just as `structtree.space.evaluate` does for one predicate.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from structtree.data.columns import Adjacency, Population
from structtree.lang.syntax import All, Count, Exists, Follow
from structtree.search.boards import Board
from structtree.space.evaluate import Known, rows_where
from structtree.space.families import LinkFamily
from structtree.space.space import Item, Position, SlotPath

__all__ = ["inside_of", "liftable", "member_truth"]

Matrix = NDArray[np.bool_]


def liftable(position: Position, path: SlotPath) -> bool:
    """Whether truth can be lifted along a path."""
    for index, slot in path:
        item = position.items[index]
        template = item.family.template
        if not isinstance(item.family, LinkFamily) or not isinstance(template, Exists | Follow | All | Count):
            return False
        position = item.positions[slot]
    return True


def member_truth(board: Board, first: int, last: int) -> Matrix:
    """Which row passes which member of some columns of a board."""
    sizes = np.diff(board.offsets[first : last + 1])
    parts = []
    for column, size in zip(board.columns[first:last], sizes, strict=True):
        members = np.arange(size)
        parts.append(column[:, None] > members if board.ranked else column[:, None] == members)
    return np.concatenate(parts, axis=1)


def inside_of(position: Position, path: SlotPath, members: Matrix, population: Population, known: Known) -> Matrix:
    """Which individuals a predicate holds of when a member is added at the end of a path, for all members."""
    items, positions = [], [position]
    for index, slot in path:
        items.append((positions[-1], index))
        positions.append(positions[-1].items[index].positions[slot])
    end = positions[-1]
    truth = members & rows_where(end.predicate, population, end.slot.type, known)[:, None]
    for place, index in reversed(items):
        truth = _lift(place.items[index], truth, population)
        for other in (*place.items[:index], *place.items[index + 1 :]):
            truth &= rows_where(other.literal, population, place.slot.type, known)[:, None]
    return truth[population.individuals]


def _lift(item: Item, truth: Matrix, population: Population) -> Matrix:
    family = item.family
    assert isinstance(family, LinkFamily)
    template = family.template
    assert isinstance(template, Exists | Follow | All | Count)
    adjacency = population.tables[family.type].links[template.link]
    n_true = _n_true(adjacency, truth)
    match template:
        case All():
            return np.asarray(n_true == adjacency.lengths[:, None])
        case Count():
            return np.asarray(n_true >= family.numbers[item.choice])
        case _:
            return np.asarray(n_true > 0)


def _n_true(adjacency: Adjacency, truth: Matrix) -> NDArray[np.int32]:
    """For each row and member, how many of the row's targets pass."""
    running = np.zeros((len(adjacency.targets) + 1, truth.shape[1]), dtype=np.int32)
    np.cumsum(truth[adjacency.targets], axis=0, out=running[1:])
    return np.asarray(running[adjacency.offsets[1:]] - running[adjacency.offsets[:-1]])
