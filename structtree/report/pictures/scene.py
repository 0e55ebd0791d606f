"""Pictures as plain data: boxes, lines, curves and labels (in points), with export to SVG.

`structtree.report.pictures.trees` makes scenes of trees, `structtree.report.pictures.drawing` of individuals, and
`structtree.report.pictures.rendering` renders them as pixels and PDF. Text is measured with approximate widths of
DejaVu Sans, so that a layout needs no font file and is the same everywhere.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from html import escape
from typing import Any, Literal, TypeVar

from structtree.reprs import inert, number_text, short_repr

__all__ = [
    "ARC",
    "Box",
    "Curve",
    "Label",
    "Scene",
    "SceneItem",
    "Stroke",
    "bends",
    "line_width",
    "moved",
    "scaled",
    "shortened",
    "to_svg",
    "wrapped_lines",
]

ARC = 0.5523
"""Distance of the control points of a quarter circle from its ends, as a fraction of the radius."""
FONTS = "DejaVu Sans, Verdana, Bitstream Vera Sans, sans-serif"
_NARROW, _WIDE = frozenset("iljIJ.,:;'|!()[]{}ftr/\\ "), frozenset("mwMWQOGD%@&≥≤→…—")


@dataclass(frozen=True, slots=True)
class Box:
    """Rectangle: top left corner, size and style."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    edge: str = "none"
    line: float = 0.0
    radius: float = 0.0
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Curve:
    """Smooth curve between two points whose ends are vertical (`upright`) or horizontal."""

    x: float
    y: float
    to_x: float
    to_y: float
    line: float
    colour: str
    upright: bool = True


@dataclass(frozen=True, slots=True)
class Stroke:
    """Straight line with round ends."""

    x: float
    y: float
    to_x: float
    to_y: float
    line: float
    colour: str
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Label:
    """Line of text, anchored at the start, middle or end of its baseline."""

    x: float
    y: float
    text: str
    size: float = 12.0
    colour: str = "#1c2a44"
    bold: bool = False
    anchor: Literal["start", "middle", "end"] = "start"


SceneItem = Box | Curve | Stroke | Label


@dataclass(frozen=True, slots=True)
class Scene:
    """Picture with a size, its items in drawing order, and a title."""

    width: float
    height: float
    items: tuple[SceneItem, ...]
    title: str = ""

    def __repr__(self) -> str:
        return short_repr(self, f"{self.width:.0f} × {self.height:.0f}", number_text(self.items, "item"))


def line_width(text: str, size: float = 12.0, *, bold: bool = False) -> float:
    """Estimate the width of a line of text, rather too wide than too narrow.

    Examples
    --------
    >>> line_width("ill") < line_width("aaa") < line_width("MMM")
    True
    """
    return size * sum(map(_width, text)) * (1.1 if bold else 1.0)


def _width(char: str) -> float:
    if char in _NARROW:
        return 0.42
    if char in _WIDE:
        return 0.98
    if unicodedata.east_asian_width(char) in "WF":
        return 1.25
    if unicodedata.combining(char) or char in "\u200c\u200d\ufe0f":
        return 0.0
    return 0.72 if char.isupper() else 0.64


def wrapped_lines(text: str, width: float, size: float = 12.0, *, bold: bool = False) -> list[str]:
    """Wrap text into lines of at most a width; words that are too long are broken.

    Examples
    --------
    >>> wrapped_lines("some nitrogen atom has at least two bonds", 130)
    ['some nitrogen', 'atom has at least', 'two bonds']
    """
    lines = [""]
    for word in inert(text).split(" "):
        for piece in _pieces(word, width, size, bold):
            longer = f"{lines[-1]} {piece}" if lines[-1] else piece
            if line_width(longer, size, bold=bold) <= width or not lines[-1]:
                lines[-1] = longer
            else:
                lines.append(piece)
    return lines


def _pieces(word: str, width: float, size: float, bold: bool) -> Iterator[str]:
    """Split a word into pieces that each fit on one line."""
    piece = ""
    for char in word:
        if piece and line_width(piece + char, size, bold=bold) > width:
            yield piece
            piece = ""
        piece += char
    yield piece


def shortened(text: str, width: float, size: float = 12.0, *, bold: bool = False) -> str:
    """Shorten text to at most a width, with an ellipsis.

    Examples
    --------
    >>> shortened("Academy of St. Martin in the Fields", 130), shortened("AC/DC", 130)
    ('Academy of St. M…', 'AC/DC')
    """
    shown = inert(text)
    if line_width(shown, size, bold=bold) <= width:
        return shown
    room = width - line_width("…", size, bold=bold)
    return next(_pieces(shown, room, size, bold)).rstrip() + "…"


_Item = TypeVar("_Item", bound=SceneItem)


def moved(item: _Item, x: float, y: float) -> _Item:
    """Return an item moved by an offset.

    Examples
    --------
    >>> moved(Label(2, 12, "a"), 10, 0).x
    12
    """
    if not x and not y:
        return item
    if isinstance(item, Stroke | Curve):
        return replace(item, x=item.x + x, y=item.y + y, to_x=item.to_x + x, to_y=item.to_y + y)
    return replace(item, x=item.x + x, y=item.y + y)


def scaled(scene: Scene, factor: float) -> Scene:
    """Return a scene with every length multiplied by a factor.

    Examples
    --------
    >>> scaled(Scene(30, 20, (Label(2, 12, "a"),)), 0.5).items[0].size
    6.0
    """
    if factor == 1:
        return scene
    items = tuple(replace(item, **_scaled_lengths(item, factor)) for item in scene.items)
    return replace(scene, items=items, **_scaled_lengths(scene, factor))


def _scaled_lengths(thing: Scene | SceneItem, factor: float) -> dict[str, Any]:
    return {field.name: getattr(thing, field.name) * factor for field in fields(thing) if field.type == "float"}


# ---- SVG ------------------------------------------------------------------------------------------------


def to_svg(scene: Scene) -> str:
    """Return a scene as the text of a self-contained SVG file.

    Examples
    --------
    >>> print(to_svg(Scene(30, 20, (Label(2, 12, "a < b"),), "A label")))
    <svg xmlns="http://www.w3.org/2000/svg" width="30" height="20" viewBox="0 0 30 20" role="img" ...>
    <title>A label</title>
    <rect width="30" height="20" fill="#ffffff"/>
    <text x="2" y="12" font-size="12" fill="#1c2a44">a &lt; b</text>
    </svg>
    """
    width, height = _n(scene.width), _n(scene.height)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    lines = [f'{head} role="img" font-family="{FONTS}">', f"<title>{_text(scene.title)}</title>"]
    lines.append(f'<rect width="{width}" height="{height}" fill="#ffffff"/>')
    return "\n".join([*lines, *map(_element, scene.items), "</svg>"])


def _element(item: SceneItem) -> str:
    match item:
        case Box():
            look = f' rx="{_n(item.radius)}"' if item.radius else ""
            look += f' stroke="{item.edge}" stroke-width="{_n(item.line)}"' if item.line else ""
            look += ' stroke-dasharray="4 3"' if item.dashed else ""
            place = f'x="{_n(item.x)}" y="{_n(item.y)}" width="{_n(item.width)}" height="{_n(item.height)}"'
            return f'<rect {place} fill="{item.fill}"{look}/>'
        case Curve():
            corners = " ".join(f"{_n(x)},{_n(y)}" for x, y in bends(item))
            path = f"M{_n(item.x)},{_n(item.y)} C{corners}"
            return f'<path d="{path}" fill="none" stroke="{item.colour}" stroke-width="{_n(item.line)}"/>'
        case Stroke():
            look = ' stroke-dasharray="4 3"' if item.dashed else ' stroke-linecap="round"'
            ends = f'x1="{_n(item.x)}" y1="{_n(item.y)}" x2="{_n(item.to_x)}" y2="{_n(item.to_y)}"'
            return f'<line {ends} stroke="{item.colour}" stroke-width="{_n(item.line)}"{look}/>'
        case Label():
            look = ' font-weight="bold"' if item.bold else ""
            look += f' text-anchor="{item.anchor}"' if item.anchor != "start" else ""
            place = f'x="{_n(item.x)}" y="{_n(item.y)}" font-size="{_n(item.size)}" fill="{item.colour}"'
            return f"<text {place}{look}>{_text(item.text)}</text>"


def bends(curve: Curve) -> tuple[tuple[float, float], ...]:
    """Return the two control points and the end of a curve."""
    if curve.upright:
        middle = (curve.y + curve.to_y) / 2
        return (curve.x, middle), (curve.to_x, middle), (curve.to_x, curve.to_y)
    middle = (curve.x + curve.to_x) / 2
    return (middle, curve.y), (middle, curve.to_y), (curve.to_x, curve.to_y)


def _text(text: str) -> str:
    return escape(inert(text), quote=False)


def _n(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")
