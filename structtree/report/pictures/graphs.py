"""Drawings of graphs and ordered trees: labelled nodes, connected by lines.

A graph is an individual whose rows refer to each other: Graph –nodes→ Node –edges→ Edge –to→ Node, under any names,
or Node –friends→ Node. An individual that is itself a node is drawn with its neighbourhood. Nodes in lists of other
nodes form an ordered tree.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import hypot
from typing import NamedTuple

from structtree.data.schema import Link
from structtree.report.pictures.drawing import (
    EDGE,
    GREY,
    INK,
    MARK,
    ON_COLOUR,
    PAPER,
    RIM,
    Drawing,
    Element,
    Painted,
    stacked,
)
from structtree.report.pictures.layout import BoxSize, spread, tidy
from structtree.report.pictures.records import Canvas, note_drawing
from structtree.report.pictures.scene import Box, Label, Stroke, line_width, shortened
from structtree.report.pictures.trees import class_colours, paler
from structtree.reprs import number_text

__all__ = ["GraphDrawing", "graph_drawing"]

MOST_NODES, MOST_TREE_NODES = 60, 30
"""Maximum number of nodes drawn in a graph and in a tree; highlighted nodes and their neighbours take precedence."""
_SIZE, _RADIUS, _STEP = 10.0, 9.0, 34.0
_INSIDE = 3
"""Maximum length of a label inside its node, in characters."""
_TALLEST = 340.0


class _Wire(NamedTuple):
    """Line between two nodes, given as rows, and the row of the edge if it is a record."""

    one: int
    other: int
    edge: Element | None


@dataclass(frozen=True, slots=True)
class _Form:
    """Recipe for finding nodes: their type, the link from the individual, and the links between nodes.

    Parameters
    ----------
    nodes : str
    start : Link or None
        None if the individual is itself a node.
    steps : tuple of (Link, Link or None)
        A link to other nodes, or a link to edges and their link to nodes.
    """

    nodes: str
    start: Link | None
    steps: tuple[tuple[Link, Link | None], ...]

    @property
    def is_tree(self) -> bool:
        """Whether the nodes form an ordered tree: one root, and a list of children at each node."""
        is_rooted = self.start is None or self.start.single
        return is_rooted and all(link.kind == "list" and back is None for link, back in self.steps)


class GraphDrawing(NamedTuple):
    """Drawing of a graph, the types that it shows, and the links of the individual to them."""

    drawing: Drawing
    types: frozenset[str]
    links: frozenset[str]


def graph_drawing(on: Canvas) -> GraphDrawing | None:
    """Draw an individual as a graph or an ordered tree; return None if it is neither."""
    for form in _forms(on):
        nodes = _reached(on, form)
        wires = list(_wires(on, form, nodes))
        if not any(wire.one != wire.other for wire in wires):
            continue
        ends = [wire.other for wire in wires]
        if form.is_tree and nodes[0] not in ends and len(set(ends)) == len(ends):  # no row is in its own list
            shown = _upper_part(on, form, nodes, wires)
            drawn = _tree(on, form, shown, wires)
        else:
            shown = _chosen(on, form, nodes, wires)
            drawn = _graph(on, form, shown, wires)
        more = len(nodes) - len(shown)
        parts = [drawn, note_drawing(f"… {number_text(more, 'more node')}")] if more else [drawn]
        types = frozenset(element.type for element in drawn.elements)
        links = [link for link, _ in form.steps] if form.start is None else [form.start]
        return GraphDrawing(stacked(parts, 3), types, frozenset(link.name for link in links))
    return None


def _forms(on: Canvas) -> Iterator[_Form]:
    """Yield the graphs that an individual can be read as; none for databases."""
    if on.is_database:
        return
    own = on.alone.schema.individual
    if steps := tuple(_steps(on, own)):
        yield _Form(own, None, steps)
    for link in on.links(own):
        if steps := tuple(_steps(on, link.target)):
            yield _Form(link.target, link, steps)


def _steps(on: Canvas, nodes: str) -> Iterator[tuple[Link, Link | None]]:
    for link in on.links(nodes):
        if link.single:
            continue
        if link.target == nodes:
            yield link, None
            continue
        yield from ((link, back) for back in on.links(link.target) if back.single and back.target == nodes)


def _reached(on: Canvas, form: _Form) -> list[int]:
    """Return the nodes that can be reached from the individual, nearest first, up to a limit."""
    schema, row = on.alone.schema, int(on.alone.individuals[0])
    waiting = [row] if form.start is None else on.targets(schema.individual, row, form.start.name)
    found = dict.fromkeys(waiting)
    for node in waiting:  # grows while it is read
        if len(found) > 20 * MOST_NODES:
            break
        fresh = [wire.other for wire in _wires(on, form, [node]) if wire.other not in found]
        found |= dict.fromkeys(fresh)
        waiting += dict.fromkeys(fresh)
    return list(found)


def _wires(on: Canvas, form: _Form, nodes: Sequence[int]) -> Iterator[_Wire]:
    for link, back in form.steps:
        for node in nodes:
            for row in on.targets(form.nodes, node, link.name):
                if back is None:
                    yield _Wire(node, row, None)
                    continue
                ends = on.targets(link.target, row, back.name)
                yield from (_Wire(node, end, Element(link.target, row)) for end in ends)


def _chosen(on: Canvas, form: _Form, nodes: Sequence[int], wires: Sequence[_Wire]) -> list[int]:
    """Return the nodes to draw: highlighted nodes, then their neighbours, then the first remaining nodes."""
    if len(nodes) <= MOST_NODES:
        return list(nodes)
    near: dict[int, list[int]] = {node: [] for node in nodes}
    for wire in wires:
        if wire.other in near:
            near[wire.one].append(wire.other)
    edges = {wire.edge: wire.one for wire in wires if wire.edge is not None}
    places = {Element(form.nodes, node): node for node in nodes} | edges
    wanted = [places[element] for element in sorted(on.wanted, key=on.wanted.__getitem__) if element in places]
    waiting = list(dict.fromkeys(wanted or nodes[:1]))[: MOST_NODES // 2]
    found = set(waiting)
    for node in waiting:  # grows while it is read
        for other in near[node]:
            if len(found) < MOST_NODES and other not in found:
                found.add(other)
                waiting.append(other)
    return [node for node in nodes if node in found]


# ---- graphs ---------------------------------------------------------------------------------------------


def _graph(on: Canvas, form: _Form, shown: Sequence[int], wires: Sequence[_Wire]) -> Drawing:
    places = {node: place for place, node in enumerate(shown)}
    drawn = [wire for wire in wires if wire.one in places and wire.other in places]
    spots = spread(len(shown), [(places[wire.one], places[wire.other]) for wire in drawn])
    wide, high = max(spot.x for spot in spots), max(spot.y for spot in spots)
    rim = _RADIUS + 5
    least = min((hypot(a.x - b.x, a.y - b.y) for i, a in enumerate(spots) for b in spots[:i]), default=1.0)
    wanted = max(_STEP, 2.4 * _RADIUS / max(least, 0.1))
    scale = min(wanted, (on.width - 2 * rim) / max(wide, 0.1), (_TALLEST - 2 * rim) / max(high, 0.1))
    radius = min(_RADIUS, max(2.5, 0.42 * scale * least))
    at = {node: (rim + spot.x * scale, rim + spot.y * scale) for node, spot in zip(shown, spots, strict=True)}
    pieces = [
        Painted(Stroke(*at[wire.one], *at[wire.other], radius, MARK), wire.edge)
        for wire in drawn if wire.edge is not None
    ]  # fmt: skip
    for one, other in dict.fromkeys((min(w.one, w.other), max(w.one, w.other)) for w in drawn):
        pieces += _lines(on, drawn, at, one, other)
    labels = _Labels.of(on, form.nodes, shown)
    for node in shown:
        pieces += _node(Element(form.nodes, node), *at[node], radius, labels)
    here = Drawing(wide * scale + 2 * rim, high * scale + 2 * rim, tuple(pieces))
    legend = labels.legend(on.width, radius)
    return here if legend is None else stacked([here, legend], 4)


_BONDS = {"double": 2, "triple": 3, "aromatic": 2}


def _lines(
    on: Canvas, wires: Sequence[_Wire], at: dict[int, tuple[float, float]], one: int, other: int
) -> Iterator[Painted]:
    """Yield the lines between two nodes: two or three for a double or triple bond, otherwise one."""
    edge = next(w.edge for w in wires if {w.one, w.other} == {one, other})
    (x, y), (to_x, to_y) = at[one], at[other]
    texts = [] if edge is None else [on.text(edge.type, edge.row, name) for name in on.names(edge.type)]
    order = next((text for text in texts if text in _BONDS), "")
    length = max(((to_x - x) ** 2 + (to_y - y) ** 2) ** 0.5, 0.1)
    n = _BONDS.get(order, 1)
    for k in range(n):
        off = 3.6 * (k - (n - 1) / 2)
        dx, dy = -(to_y - y) / length * off, (to_x - x) / length * off
        yield Painted(Stroke(x + dx, y + dy, to_x + dx, to_y + dy, 1.3, GREY, dashed=order == "aromatic" and k == 1))


def _node(element: Element, x: float, y: float, radius: float, labels: _Labels) -> Iterator[Painted]:
    text, colour = labels.texts[element.row], labels.colours[labels.texts[element.row]]
    halo = radius + min(4.0, 0.45 * radius)
    yield Painted(Box(x - halo, y - halo, 2 * halo, 2 * halo, MARK, RIM, 1.4, halo), element)
    yield Painted(Box(x - radius, y - radius, 2 * radius, 2 * radius, paler(colour, 0.4), colour, 1.2, radius))
    if labels.inside and radius >= 7:
        yield Painted(Label(x, y + 3.5, text, _SIZE, ON_COLOUR, anchor="middle"))


@dataclass(frozen=True, slots=True)
class _Labels:
    """Labels of the nodes, and a colour for each label."""

    name: str
    texts: dict[int, str]
    colours: dict[str, str]

    @classmethod
    def of(cls, on: Canvas, type_name: str, rows: Sequence[int]) -> _Labels:
        attributes = on.alone.schema.type(type_name).attributes
        name = next((a.name for a in attributes if a.kind == "nominal" and not a.derived), "")
        texts = {row: on.text(type_name, row, name) if name else "" for row in rows}
        kinds = sorted(set(texts.values()))
        return cls(name, texts, dict(zip(kinds, class_colours(len(kinds)), strict=True)))

    @property
    def inside(self) -> bool:
        """Whether labels are short enough to fit inside their nodes."""
        return all(len(text) <= _INSIDE for text in self.colours)

    def legend(self, width: float, radius: float) -> Drawing | None:
        """Return the colour legend; None if the nodes are labelled, or if there are too many colours."""
        if not self.name or len(self.colours) > 16 or (self.inside and radius >= 7):
            return None
        pieces = [Painted(Label(0, 11, shortened(self.name, 100, _SIZE), _SIZE, GREY))]
        x, y = line_width(shortened(self.name, 100, _SIZE), _SIZE) + 10, 0.0
        for text, colour in self.colours.items():
            shown = shortened(text, 120, _SIZE)
            needed = 14 + line_width(shown, _SIZE) + 10
            if x + needed > width:
                x, y = 0.0, y + 15
            pieces.append(Painted(Box(x, y + 2, 10, 10, paler(colour, 0.4), colour, 1.2, 5)))
            pieces.append(Painted(Label(x + 14, y + 11, shown, _SIZE, INK)))
            x += needed
        return Drawing(width, y + 15, tuple(pieces))


# ---- ordered trees --------------------------------------------------------------------------------------


def _upper_part(on: Canvas, form: _Form, nodes: Sequence[int], wires: Sequence[_Wire]) -> list[int]:
    """Return the tree nodes to draw: highlighted nodes with their ancestors, then the topmost nodes."""
    parents = {wire.other: wire.one for wire in wires}
    found: set[int] = set()
    for node in (node for node in nodes if on.is_wanted(form.nodes, node)):
        path = [node]
        while path[-1] in parents:
            path.append(parents[path[-1]])
        if len(found.union(path)) <= MOST_TREE_NODES:
            found.update(path)
    for node in nodes:
        if len(found) < MOST_TREE_NODES and (not found or node == nodes[0] or parents[node] in found):
            found.add(node)
    return [node for node in nodes if node in found]


def _tree(on: Canvas, form: _Form, shown: Sequence[int], wires: Sequence[_Wire]) -> Drawing:
    """Draw an ordered tree; `shown` lists parents before their children."""
    labels = _Labels.of(on, form.nodes, shown)
    texts = [shortened(labels.texts[node] or "·", 70, _SIZE) for node in shown]
    sizes = [BoxSize(max(16.0, line_width(text, _SIZE) + 8), 17.0) for text in texts]
    places = {node: place for place, node in enumerate(shown)}
    below: list[list[int]] = [[] for _ in shown]
    for wire in wires:
        if wire.one in places and wire.other in places:
            below[places[wire.one]].append(places[wire.other])
    spots = tidy(below, sizes, 6.0, 18.0)
    pieces = [
        Painted(Stroke(spots[one].x, spots[one].y + 17, spots[other].x, spots[other].y, 1.2, GREY))
        for one, others in enumerate(below) for other in others
    ]  # fmt: skip
    for node, text, spot, size in zip(shown, texts, spots, sizes, strict=True):
        frame = Box(spot.x - size.width / 2, spot.y, size.width, size.height, PAPER, EDGE, 1.0, 4)
        mark = replace(frame, fill=MARK, edge=RIM, line=2.0)
        pieces += [Painted(frame), Painted(mark, Element(form.nodes, node))]
        pieces.append(Painted(Label(spot.x, spot.y + 12.5, text, _SIZE, INK, anchor="middle")))
    width = max(spot.x + size.width / 2 for spot, size in zip(spots, sizes, strict=True))
    return Drawing(width, max(spot.y for spot in spots) + 17, tuple(pieces))
