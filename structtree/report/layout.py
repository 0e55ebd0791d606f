"""Places of the nodes of a tree in a picture: a pure function from sizes to places.

The tidy layout of Reingold and Tilford (1981) for boxes of any width: levels lie below each other, subtrees keep
their shape and come as near to each other as the gap allows, and a parent stands above the middle of its first and
last child. The subtrees of a node are put side by side by their contours, the least and the greatest x on each
level. No function calls itself, so that the depth of a tree does not matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["BoxSize", "Spot", "tidy"]


class BoxSize(NamedTuple):
    """Width and height of a box."""

    width: float
    height: float


class Spot(NamedTuple):
    """Place of a box: its middle from left to right, and its upper edge."""

    x: float
    y: float


class _Contour(NamedTuple):
    """The least and greatest x of a subtree on each level, as seen from its root."""

    left: list[float]
    right: list[float]


def tidy(
    children: Sequence[Sequence[int]], sizes: Sequence[BoxSize], gap: float = 12.0, level_gap: float = 40.0
) -> list[Spot]:
    """Return a place for each node of a tree, such that boxes never overlap.

    Parameters
    ----------
    children : sequence of sequences of int
        The children of each node, in order; parents come before children, and node 0 is the root.
    sizes : sequence of BoxSize
        Of the box of each node.
    gap : float
        The least distance between two boxes side by side.
    level_gap : float
        The distance between the lowest box of a level and the next level.

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
    """Return how far right of its parent each node stands."""
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
    """Return the places of subtrees from left to right, each as near to those before it as it can be."""
    places: list[float] = []
    right: list[float] = []
    for contour in contours:
        place = max((r + gap - left for r, left in zip(right, contour.left, strict=False)), default=0.0)
        places.append(place)
        mine = [place + x for x in contour.right]
        right = mine + right[len(mine) :]
    return places


def _above(half: float, below: Sequence[_Contour], places: Sequence[float]) -> _Contour:
    """Return the contour of a node with its subtrees."""
    depth = max((len(contour.left) for contour in below), default=0)
    left, right = [-half] + [float("inf")] * depth, [half] + [float("-inf")] * depth
    for contour, place in zip(below, places, strict=True):
        for level, (least, greatest) in enumerate(zip(contour.left, contour.right, strict=True), 1):
            left[level] = min(left[level], place + least)
            right[level] = max(right[level], place + greatest)
    return _Contour(left, right)
