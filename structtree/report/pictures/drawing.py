"""Drawing of an individual, with shapes that are always shown and shapes that highlight an element.

The same drawing serves all tests of a path: the highlighted elements are chosen when it is rendered, as a scene
(`structtree.report.pictures.scene`) or by the script of a report.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from structtree.report.pictures.scene import Box, Label, Scene, SceneItem, Stroke, moved
from structtree.reprs import inert, number_text, short_repr

__all__ = [
    "EDGE",
    "GREY",
    "INK",
    "MARK",
    "ON_COLOUR",
    "PALE",
    "PAPER",
    "RIM",
    "SUPPORT",
    "SUPPORT_PALE",
    "Drawing",
    "Element",
    "Painted",
    "stacked",
]

INK, GREY, EDGE, PAPER = "#1c2a44", "#55607a", "#b9c5da", "#ffffff"
MARK, PALE, RIM = "#ffd54a", "#fff3cc", "#a87400"
SUPPORT, SUPPORT_PALE = "#1f6fb2", "#dcecfa"
ON_COLOUR = "#101828"
"""Text colour on fills that are the same in light and dark mode."""

_ROLES = {
    INK: "ink", GREY: "grey", EDGE: "line", PAPER: "paper", MARK: "mark", PALE: "pale", RIM: "rim",
    SUPPORT: "support", SUPPORT_PALE: "support-pale",
}  # fmt: skip
"""Names of the colours that a report replaces to match its theme."""


class Element(NamedTuple):
    """Element that can be highlighted: a row of a type, or the value of one of its members."""

    type: str
    row: int
    member: str = ""


class Painted(NamedTuple):
    """Shape in a drawing; a shape with an element is shown only if the element is highlighted."""

    item: Box | Stroke | Label
    of: Element | None = None


@dataclass(frozen=True, slots=True)
class Drawing:
    """Picture of all or part of an individual: its size, and its shapes from back to front."""

    width: float
    height: float
    pieces: tuple[Painted, ...]

    def __repr__(self) -> str:
        return short_repr(self, f"{self.width:.0f} × {self.height:.0f}", number_text(self.elements, "element"))

    @property
    def elements(self) -> frozenset[Element]:
        """Elements that can be highlighted."""
        return frozenset(piece.of for piece in self.pieces if piece.of is not None)

    def missing_text(self, counted: Iterable[Element]) -> str:
        """Return a remark if some of the counted rows are not in the drawing; otherwise an empty string."""
        rows, elements = [element for element in counted if not element.member], self.elements
        n = sum(element in elements for element in rows)
        return f"the drawing shows {n:,} of {len(rows):,} counted rows" if n < len(rows) else ""

    def moved(self, x: float, y: float) -> Iterable[Painted]:
        """Yield the shapes, moved by an offset."""
        for item, of in self.pieces:
            yield Painted(moved(item, x, y), of)

    def only(self, elements: Collection[Element]) -> Drawing:
        """Return a smaller drawing in which only the given elements can be highlighted."""
        kept = frozenset(elements)
        return replace(self, pieces=tuple(piece for piece in self.pieces if piece.of is None or piece.of in kept))

    def items(
        self,
        counted: Collection[Element] = (),
        supporting: Collection[Element] = (),
        near: Collection[Element] = (),
    ) -> list[SceneItem]:
        """Return the items to draw: counted elements filled, supporting ones outlined, near ones dashed."""
        found: list[SceneItem] = []
        for item, of in self.pieces:
            if of is None or of in counted:
                found.append(item)
            elif of in supporting:
                found.append(_outlined(item))
            elif of in near:
                found.append(_dashed(item))
        return found

    def scene(
        self,
        counted: Collection[Element] = (),
        supporting: Collection[Element] = (),
        near: Collection[Element] = (),
        title: str = "",
    ) -> Scene:
        """Return the drawing as a scene."""
        return Scene(self.width, self.height, tuple(self.items(counted, supporting, near)), title)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values: a list for each shape, with the number of its element or -1."""
        places = {element: place for place, element in enumerate(self.ordered_elements)}
        pieces = [[-1 if of is None else places[of], *_plain(item)] for item, of in self.pieces]
        return {"size": [_short(self.width), _short(self.height)], "pieces": pieces}

    @property
    def ordered_elements(self) -> tuple[Element, ...]:
        """Elements in drawing order; their positions are the numbers in the JSON."""
        return tuple(dict.fromkeys(piece.of for piece in self.pieces if piece.of is not None))


def stacked(drawings: Sequence[Drawing], gap: float = 10.0) -> Drawing:
    """Stack drawings vertically.

    Examples
    --------
    >>> one = Drawing(20, 10, (Painted(Box(0, 0, 20, 10, PAPER)),))
    >>> [piece.item.y for piece in stacked([one, one]).pieces]
    [0, 20.0]
    """
    pieces: list[Painted] = []
    y = 0.0
    for drawing in drawings:
        pieces += drawing.moved(0, y)
        y += drawing.height + gap
    return Drawing(max((d.width for d in drawings), default=0.0), max(y - gap, 0.0), tuple(pieces))


def _outlined(item: Box | Stroke | Label) -> SceneItem:
    """Return the highlight of a supporting element: an outline in another colour, pale inside."""
    match item:
        case Box():
            return replace(item, fill=SUPPORT_PALE, edge=SUPPORT if item.line else item.edge)
        case Stroke():
            return replace(item, colour=SUPPORT_PALE)
        case Label():
            return item


def _dashed(item: Box | Stroke | Label) -> SceneItem:
    """Return the dashed outline of an element that nearly satisfies a test."""
    match item:
        case Box():
            return replace(item, fill=PAPER, edge=RIM if item.line else item.edge, dashed=True)
        case Stroke():
            return replace(item, colour=RIM, line=min(item.line, 1.6), dashed=True)
        case Label():
            return item


def _plain(item: Box | Stroke | Label) -> list[Any]:
    match item:
        case Box():
            numbers = [item.x, item.y, item.width, item.height, item.radius, item.line]
            return ["b", *map(_short, numbers), _role(item.fill), _role(item.edge), int(item.dashed)]
        case Stroke():
            numbers = [item.x, item.y, item.to_x, item.to_y, item.line]
            return ["s", *map(_short, numbers), _role(item.colour), int(item.dashed)]
        case Label():
            anchor = {"start": 0, "middle": 1, "end": 2}[item.anchor]
            look = [_short(item.size), _role(item.colour), anchor, int(item.bold)]
            return ["t", _short(item.x), _short(item.y), inert(item.text), *look]


def _role(colour: str) -> str:
    return _ROLES.get(colour, colour)


def _short(number: float) -> float | int:
    found = round(float(number), 1)
    return int(found) if found.is_integer() else found
