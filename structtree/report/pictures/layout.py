"""Layout of trees and graphs: pure functions from sizes or edges to positions.

Trees use the tidy layout of Reingold and Tilford (1981) for boxes of any width: levels are stacked, subtrees keep
their shape and are as close to each other as the gap allows, and a parent is centred above its first and last child.
The subtrees of a node are placed by their contours, the least and the greatest x on each level. The functions are not
recursive, so deep trees are no problem. Graphs are laid out by the lengths of shortest paths.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["BoxSize", "Spot", "spread", "tidy"]


class BoxSize(NamedTuple):
    """Width and height of a box."""

    width: float
    height: float


class Spot(NamedTuple):
    """Position of a box: its horizontal centre and its upper edge."""

    x: float
    y: float


class _Contour(NamedTuple):
    """Minimum and maximum x of a subtree on each level, relative to its root."""

    left: list[float]
    right: list[float]


def tidy(
    children: Sequence[Sequence[int]], sizes: Sequence[BoxSize], gap: float = 12.0, level_gap: float = 40.0
) -> list[Spot]:
    """Compute the positions of the nodes of a tree, so that boxes never overlap.

    Parameters
    ----------
    children : sequence of sequences of int
        Children of each node, in order; parents come before children, and node 0 is the root.
    sizes : sequence of BoxSize
        Size of the box of each node.
    gap : float
        Minimum distance between two boxes side by side.
    level_gap : float
        Distance between the lowest box of a level and the next level.

    Returns
    -------
    list of Spot
        The leftmost edge is at x = 0, the root at y = 0.

    Examples
    --------
    >>> tidy([[1, 2], [], []], [BoxSize(20, 10)] * 3, gap=4, level_gap=8)
    [Spot(x=22.0, y=0), Spot(x=10.0, y=18), Spot(x=34.0, y=18)]
    """
    shifts = _shifts(children, [size.width for size in sizes], gap)
    xs, levels = [0.0] * len(children), [0] * len(children)
    for node, below in enumerate(children):
        for child in below:
            xs[child], levels[child] = xs[node] + shifts[child], levels[node] + 1
    heights: list[float] = [0] * (max(levels) + 1)
    for level, size in zip(levels, sizes, strict=True):
        heights[level] = max(heights[level], size.height)
    tops: list[float] = [0]
    for height in heights:
        tops.append(tops[-1] + height + level_gap)
    least = min(x - size.width / 2 for x, size in zip(xs, sizes, strict=True))
    return [Spot(x - least, tops[level]) for x, level in zip(xs, levels, strict=True)]


def _shifts(children: Sequence[Sequence[int]], widths: Sequence[float], gap: float) -> list[float]:
    """Return the horizontal offset of each node from its parent."""
    shifts = [0.0] * len(children)
    contours: dict[int, _Contour] = {}
    for node in reversed(range(len(children))):
        half, below = widths[node] / 2, [contours.pop(child) for child in children[node]]
        places = _side_by_side(below, gap)
        middle = (places[0] + places[-1]) / 2 if places else 0.0
        places = [place - middle for place in places]
        for child, place in zip(children[node], places, strict=True):
            shifts[child] = place
        contours[node] = _above(half, below, places)
    return shifts


def _side_by_side(contours: Sequence[_Contour], gap: float) -> list[float]:
    """Return the positions of subtrees from left to right, each as close to the previous ones as possible."""
    places: list[float] = []
    right: list[float] = []
    for contour in contours:
        place = max((r + gap - left for r, left in zip(right, contour.left, strict=False)), default=0.0)
        places.append(place)
        mine = [place + x for x in contour.right]
        right = mine + right[len(mine) :]
    return places


def _above(half: float, below: Sequence[_Contour], places: Sequence[float]) -> _Contour:
    """Return the contour of a subtree, from those of its children."""
    depth = max((len(contour.left) for contour in below), default=0)
    left, right = [-half] + [float("inf")] * depth, [half] + [float("-inf")] * depth
    for contour, place in zip(below, places, strict=True):
        for level, (least, greatest) in enumerate(zip(contour.left, contour.right, strict=True), 1):
            left[level] = min(left[level], place + least)
            right[level] = max(right[level], place + greatest)
    return _Contour(left, right)


def spread(n: int, edges: Sequence[tuple[int, int]]) -> list[Spot]:
    """Compute positions of the nodes of a graph, with distances close to shortest-path lengths.

    Uses stress majorization (Gansner, Koren and North, 2004), initialised by classical scaling, and is deterministic.
    Connected components are placed side by side.

    Examples
    --------
    >>> [(round(spot.x, 1), round(spot.y, 1)) for spot in spread(3, [(0, 1), (1, 2)])]
    [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)]
    """
    near: list[set[int]] = [set() for _ in range(n)]
    for one, other in edges:
        near[one].add(other)
        near[other].add(one)
    steps = np.stack([_steps_from(start, near) for start in range(n)]) if n else np.zeros((0, 0))
    found, left = np.zeros((n, 2)), 0.0
    todo = np.ones(n, dtype=np.bool_)
    while todo.any():
        part = np.flatnonzero(np.isfinite(steps[int(np.argmax(todo))]))
        todo[part] = False
        places = _majorized(steps[np.ix_(part, part)])
        places -= places.min(axis=0)
        found[part] = places + np.array([left, 0.0])
        left += float(places[:, 0].max()) + 1.0
    return [Spot(float(x), float(y)) for x, y in found]


def _steps_from(start: int, near: Sequence[set[int]]) -> NDArray[np.float64]:
    steps = np.full(len(near), np.inf)
    steps[start], waiting = 0.0, [start]
    for node in waiting:  # grows while it is read
        fresh = [other for other in near[node] if np.isinf(steps[other])]
        steps[fresh] = steps[node] + 1.0
        waiting += fresh
    return steps


_ROUNDS = 150


def _majorized(steps: NDArray[np.float64]) -> NDArray[np.float64]:
    n = len(steps)
    if n == 1:
        return np.zeros((1, 2))
    places, off = _scaled(steps), ~np.eye(n, dtype=np.bool_)
    weights = np.where(off, 1.0 / np.where(off, steps, 1.0) ** 2, 0.0)
    inverse, wanted = _inverse(weights), weights * steps
    for _ in range(_ROUNDS):
        x, y = places.T
        lengths = np.hypot(x[:, None] - x, y[:, None] - y)
        ratios = np.where(lengths > 1e-9, wanted / np.maximum(lengths, 1e-9), 0.0)
        places = inverse @ (ratios.sum(axis=1)[:, None] * places - ratios @ places)
    return _lying(places)


def _inverse(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the pseudoinverse of the Laplacian of a connected graph with these weights.

    The Laplacian maps only constant vectors to 0, so it is invertible once their projection is added, and the inverse
    has that projection as well. This is many times faster than a singular value decomposition.
    """
    n = len(weights)
    constant = np.full((n, n), 1.0 / n)
    return np.asarray(np.linalg.inv(np.diag(weights.sum(axis=1)) - weights + constant) - constant)


def _scaled(steps: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute positions by classical multidimensional scaling, perturbed so that no two nodes coincide."""
    n = len(steps)
    centred = np.eye(n) - 1.0 / n
    values, vectors = np.linalg.eigh(-0.5 * centred @ (steps**2) @ centred)
    places = vectors[:, -2:] * np.sqrt(np.maximum(values[-2:], 1e-6))
    turns = 2.399963 * np.arange(n)  # multiples of the golden angle are all different
    nudges = 0.03 * np.column_stack([np.cos(turns), np.sin(turns)])
    return np.asarray(places + nudges)


def _lying(places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rotate the positions so that the picture is wider than it is high, with the first node on the left."""
    centred = places - places.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    turned = centred @ axes.T
    signs = np.where(turned[0] > 1e-9, -1.0, 1.0)
    return np.asarray(turned * signs)
