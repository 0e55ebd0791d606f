"""Pictures of trees: the contents of the nodes, their layout, and the picture as a file.

A node shows its test or its prediction, its number of individuals, and the distribution of their targets: a bar with
one segment per class, or a histogram of numbers. Without the data, mean and spread are shown instead of a histogram.
The width of an edge is its share of the training data. Small trees grow downwards, larger ones to the right, where
text has more room.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from structtree.errors import UsageError
from structtree.evaluation.score import class_name
from structtree.models.model import Fitted, fitted
from structtree.models.settings import Decision
from structtree.models.tree import Branch, Leaf, MultiwayBranch, Tree, depths_of
from structtree.report.pictures.layout import BoxSize, Spot, tidy
from structtree.report.pictures.rendering import INK, check_dag_picture, write_scene
from structtree.report.pictures.scene import Box, Curve, Label, Scene, line_width, to_svg, wrapped_lines
from structtree.report.text import NodeText, branch_labels, leaves_below, question
from structtree.reprs import inert, number_text, short_repr

__all__ = ["TreePicture", "class_colours", "paler", "plot_tree"]

GrowthDirection = Literal["auto", "down", "right"]

# Distinguishable with any kind of colour vision (after Okabe and Ito, and Tol), the first eight best of all.
_COLOURS = (
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#7f7f7f",
    "#332288", "#aa4499", "#44aa99", "#999933", "#882255", "#88ccee", "#ddcc77", "#661100",
)  # fmt: skip
_PAPER, _EDGE, _FAINT, _GREY, _PATH = "#ffffff", "#9fb0cc", "#c3cde0", "#5d677c", "#1c2a44"
_PAD, _LINE, _BAR = 8.0, 15.0, 9.0
_WIDEST_DOWN, _WIDEST_RIGHT = 190.0, 300.0
_MOST_DOWN = 12
"""Maximum number of leaves of a tree that grows down by default."""
MANY_LEAVES, _MOST_ENDS, _MOST_LEVELS = 60, 24, 6
"""Number of leaves above which only the top of a tree is drawn by default, and the ends and levels drawn then."""
_BINS = 16
_THICKEST = 12.0


def plot_tree(
    model: Any,
    individuals: Any = None,
    target: ArrayLike | None = None,
    *,
    decision: Decision | None = None,
    max_depth: int | None = None,
    individual: int | None = None,
    words: bool = False,
    direction: GrowthDirection = "auto",
    title: str = "",
) -> TreePicture:
    """Return a picture of a tree, which notebooks display and `TreePicture.save` writes.

    Parameters
    ----------
    model : Tree, Model or fitted estimator
    individuals, target : individuals in any form and array, optional
        With both, the nodes of a regression tree show histograms of these targets.
    decision : Decision, optional
        Decision rule of the leaves; that of the model by default.
    max_depth : int, optional
        Deeper subtrees are summarised in one box. By default, a tree with at most 60 leaves is drawn completely, and
        the top levels of a larger one, so that its text can be read.
    individual : int, optional
        Position of an individual, counted from 0: only its path is drawn in full.
    words : bool
        Show tests in plain English.
    direction : {"auto", "down", "right"}
        Direction of growth; by default down for at most 12 leaves, otherwise right.
    title : str
        Title above the tree.

    Examples
    --------
    >>> from structtree import StructuralTreeClassifier
    >>> tree = StructuralTreeClassifier().fit([[1.0], [2.0], [3.0], [4.0]], ["a", "a", "b", "b"])
    >>> plot_tree(tree)
    <TreePicture: 3 nodes, ... × ...>
    """
    if max_depth is not None and max_depth < 0:
        raise UsageError(f"max_depth must be a whole number >= 0; got {max_depth}")
    if direction not in ("auto", "down", "right"):
        raise UsageError(f"direction must be auto, down or right; got {direction!r}")
    known = fitted(model, decision)
    tree = known.model.tree
    path = _path_of(known, individuals, individual)
    depth = _top_depth(tree) if max_depth is None and not path else max_depth
    shown = _Shown.of(tree, depth, path)
    down = direction == "down" or (direction == "auto" and shown.n_ends <= _MOST_DOWN)
    counts = _histograms(known, individuals, target)
    look = _Look(tree, NodeText.of(tree, known.model.decision), shown, down, words, counts)
    return TreePicture(look, title)


@dataclass(frozen=True, eq=False)
class TreePicture:
    """Picture of a tree; see `plot_tree`."""

    look: _Look
    title: str = ""

    def __repr__(self) -> str:
        scene = self.scene
        return short_repr(self, number_text(self.look.shown.nodes, "node"), f"{scene.width:.0f} × {scene.height:.0f}")

    def _repr_svg_(self) -> str:
        return self.svg

    @cached_property
    def scene(self) -> Scene:
        """The picture as plain data."""
        return _scene(self.look, self.title, self.note)

    @property
    def note(self) -> str:
        """Return what is not drawn, as a phrase; '' for a complete picture."""
        shown, tree = self.look.shown, self.look.tree
        if not shown.folded or shown.path:
            return ""
        drawn = max(depths_of(tree.parents)[node] for node in shown.nodes)
        return f"drawn to depth {drawn} of {tree.depth}"

    @property
    def svg(self) -> str:
        """The text of an SVG file."""
        return to_svg(self.scene)

    @property
    def dot(self) -> str:
        """The tree in the DOT language of Graphviz."""
        return _dot(self.look)

    def save(self, path: str | Path) -> None:
        """Write the picture to a file: SVG, PNG, PDF or DOT, according to its suffix."""
        target = Path(path)
        check_dag_picture(target)
        self.write(target, target.suffix[1:])

    def write(self, path: Path, format: str) -> None:
        """Write the picture in a format, regardless of the file name; ``-`` is standard output."""
        write_scene(self.scene, path, format, self.dot)


def class_colours(n: int) -> tuple[str, ...]:
    """Return a colour for each of n classes; after 16, the colours repeat in paler shades.

    Examples
    --------
    >>> class_colours(2), len(set(class_colours(32)))
    (('#0072b2', '#e69f00'), 32)
    """
    return tuple(paler(_COLOURS[i % len(_COLOURS)], 0.55 ** (i // len(_COLOURS))) for i in range(n))


def paler(colour: str, strength: float) -> str:
    """Return a colour mixed with white.

    Examples
    --------
    >>> paler("#0072b2", 0.5)
    '#80b8d8'
    """
    parts = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{round(255 - (255 - part) * strength):02x}" for part in parts)


# ---- visible nodes --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Shown:
    """Visible nodes, parents first, and their visible children; folded nodes represent whole subtrees."""

    nodes: tuple[int, ...]
    children: tuple[tuple[int, ...], ...]
    folded: frozenset[int]
    path: frozenset[int]

    @property
    def n_ends(self) -> int:
        """Number of boxes without children."""
        return sum(not below for below in self.children)

    @classmethod
    def of(cls, tree: Tree, max_depth: int | None, path: frozenset[int]) -> _Shown:
        nodes: list[int] = []
        children: dict[int, tuple[int, ...]] = {}
        stack = [(0, 0)]
        while stack:
            node, depth = stack.pop()
            nodes.append(node)
            too_deep = max_depth is not None and depth >= max_depth
            below = () if too_deep or (path and node not in path) else tree.nodes[node].children
            children[node] = below
            stack.extend((child, depth + 1) for child in reversed(below))
        places = {node: place for place, node in enumerate(nodes)}
        folded = frozenset(node for node in nodes if not children[node] and tree.nodes[node].children)
        return cls(tuple(nodes), tuple(tuple(places[c] for c in children[node]) for node in nodes), folded, path)


def _top_depth(tree: Tree) -> int | None:
    """Return the depth to which a large tree is drawn by default; None for a small tree."""
    if len(tree.leaves) <= MANY_LEAVES:
        return None
    depths = depths_of(tree.parents)
    ends, depth = 1, 0
    while depth < min(tree.depth, _MOST_LEVELS):
        more = sum(len(tree.nodes[node].children) - 1 for node in tree.branches if depths[node] == depth)
        if ends + more > _MOST_ENDS:
            break
        ends, depth = ends + more, depth + 1
    return max(1, depth)


def _path_of(known: Fitted, individuals: Any, individual: int | None) -> frozenset[int]:
    if individual is None:
        return frozenset()
    if individuals is None:
        raise UsageError("individual requires individuals; pass both to draw the path of one of them")
    population, tree = known.prepared(individuals), known.model.tree
    if not 0 <= individual < len(population):
        raise UsageError(f"individual must be between 0 and {len(population) - 1}; got {individual}")
    leaf = int(tree.apply(population.take([individual]))[0])
    return frozenset((*(step.branch for step in tree.path(leaf)), leaf))


@dataclass(frozen=True, slots=True, eq=False)
class _Histograms:
    """Histogram of the targets at each node, over a common range."""

    low: float
    high: float
    counts: NDArray[np.float64]


def _histograms(known: Fitted, individuals: Any, target: ArrayLike | None) -> _Histograms | None:
    tree = known.model.tree
    if tree.classes or target is None:
        return None
    if individuals is None:
        raise UsageError("target requires individuals; pass both to draw histograms")
    population, values = known.prepared(individuals), np.asarray(target, dtype=np.float64)
    if len(values) != len(population):
        raise UsageError(f"expected {len(population):,} targets, one for each individual; got {len(values):,}")
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    counts = np.zeros((len(tree.nodes), _BINS))
    for node, which in tree.arrivals(population):
        counts[node] += np.histogram(values[which], _BINS, (low, high if high > low else low + 1))[0]
    return _Histograms(low, high, counts)


# ---- contents of nodes ----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Look:
    """Content and options of a picture, before layout."""

    tree: Tree
    texts: NodeText
    shown: _Shown
    down: bool
    words: bool
    histograms: _Histograms | None

    @cached_property
    def colours(self) -> tuple[str, ...]:
        return class_colours(len(self.tree.classes))

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """Training weight of each node."""
        return np.array([node.stats.weight for node in self.tree.nodes])

    @cached_property
    def cards(self) -> tuple[_Card, ...]:
        return tuple(map(self.card, self.shown.nodes))

    @cached_property
    def edge_labels(self) -> dict[int, str]:
        """Label of the edge to each visible node, by node position."""
        found: dict[int, str] = {}
        for node, below in zip(self.shown.nodes, self.shown.children, strict=True):
            parent = self.tree.nodes[node]
            if below and not isinstance(parent, Leaf):
                found.update(zip(below, branch_labels(parent, self.tree.missing == "fractional"), strict=True))
        return found

    def card(self, node: int) -> _Card:
        """Return the text of a node, wrapped into lines."""
        known, widest = self.tree.nodes[node], _WIDEST_DOWN if self.down else _WIDEST_RIGHT
        is_end = isinstance(known, Leaf) or node in self.folded
        if is_end:
            head = wrapped_lines(self.texts.says(node), widest, bold=True)
            more = f"… {len(leaves_below(self.tree, node)):,} leaves" if node in self.folded else ""
            small = [*filter(None, [more]), *wrapped_lines(self.texts.share(node), widest, 10.5)]
        else:
            head = wrapped_lines(question(self.tree, node, words=self.words), widest)
            caveat = self.texts.caveat(known) if isinstance(known, Branch | MultiwayBranch) else ""
            small = wrapped_lines(" ".join(filter(None, [self._summary(node), caveat])), widest, 10.5)
        return _Card(node, tuple(head), tuple(small), is_end)

    @property
    def folded(self) -> frozenset[int]:
        return self.shown.folded

    def _summary(self, node: int) -> str:
        return self.tree.task.short_text(self.texts.figures(node))


@dataclass(frozen=True, slots=True)
class _Card:
    """Text of a node: large lines above the bar, and small lines below it."""

    node: int
    head: tuple[str, ...]
    small: tuple[str, ...]
    is_end: bool

    @property
    def size(self) -> BoxSize:
        widths = [line_width(line, bold=self.is_end) for line in self.head]
        widths += [line_width(line, 10.5) for line in self.small]
        height = _LINE * len(self.head) + 13.0 * len(self.small) + _BAR + 2 * _PAD + 5
        return BoxSize(max(72.0, *widths) + 2 * _PAD, height)


def _scene(look: _Look, title: str, note: str) -> Scene:
    """Place the nodes, and draw edges before boxes."""
    cards = look.cards
    spots, sizes = _spots(look)
    legend = _Legend.of(look, title, note)
    right = max(spot.x + size.width for spot, size in zip(spots, sizes, strict=True))
    width, top = max(right, legend.width) + 24, legend.height + 12
    left = 12 + (width - 24 - right) / 2 if look.down else 12.0
    moved = [Spot(spot.x + left, spot.y + top) for spot in spots]
    bottom = max(spot.y + size.height for spot, size in zip(moved, sizes, strict=True))
    items = [*legend.items, *_edges(look, moved, sizes)]
    for card, spot, size in zip(cards, moved, sizes, strict=True):
        items += _node_items(look, card, spot, size)
    shown = f"{number_text(len(look.tree.leaves), 'leaf', 'leaves')}, depth {look.tree.depth}"
    return Scene(width, bottom + 12, tuple(items), title or f"Decision tree: {shown}")


def _spots(look: _Look) -> tuple[list[Spot], list[BoxSize]]:
    """Return the top left corner and the size of each box; for trees that grow to the right, transpose the layout."""
    sizes = [card.size for card in look.cards]
    labels = [line_width(look.edge_labels.get(place, ""), 11) for place in range(len(sizes))]
    if look.down:  # where labels stand beside the edges
        room = [
            BoxSize(max(size.width, 2 * label + _THICKEST + 8), size.height)
            for size, label in zip(sizes, labels, strict=True)
        ]
        found = tidy(look.shown.children, room, 16.0, 52.0)
        return [Spot(spot.x - size.width / 2, spot.y) for spot, size in zip(found, sizes, strict=True)], sizes
    turned = [BoxSize(size.height, size.width) for size in sizes]
    found = tidy(look.shown.children, turned, 10.0, 46.0 + max(labels, default=0.0))
    return [Spot(spot.y, spot.x - size.height / 2) for spot, size in zip(found, sizes, strict=True)], sizes


def _edges(look: _Look, spots: Sequence[Spot], sizes: Sequence[BoxSize]) -> list[Box | Curve | Label]:
    whole = float(look.weights[0]) or 1.0
    curves: list[Box | Curve | Label] = []
    labels: list[Box | Curve | Label] = []
    for place, below in enumerate(look.shown.children):
        for child in below:
            node, spot, size = look.shown.nodes[child], spots[child], sizes[child]
            line = 1.0 + (_THICKEST - 1.0) * float(look.weights[node]) / whole
            colour = _PATH if node in look.shown.path else _FAINT
            begin, own = spots[place], sizes[place]
            if look.down:
                end = (spot.x + size.width / 2, spot.y)
                start = (begin.x + own.width / 2, begin.y + own.height)
            else:
                end = (spot.x, spot.y + size.height / 2)
                start = (begin.x + own.width, begin.y + own.height / 2)
            curve = Curve(*start, *end, line, colour, upright=look.down)
            curves.append(curve)
            labels.append(_edge_label(look.edge_labels[child], curve))
    return [*curves, *labels]


def _edge_label(text: str, curve: Curve) -> Label:
    """Return the label at the end of an edge, placed so that it does not touch the edge."""
    gap, text = curve.line / 2 + 4, inert(text)
    if curve.upright:
        is_left = curve.to_x < curve.x
        x = curve.to_x - gap if is_left else curve.to_x + gap
        return Label(x, curve.to_y - 5, text, 11, _GREY, anchor="end" if is_left else "start")
    y = curve.to_y - gap if curve.to_y <= curve.y else curve.to_y + gap + 7
    return Label(curve.to_x - 7, y, text, 11, _GREY, anchor="end")


def _node_items(look: _Look, card: _Card, spot: Spot, size: BoxSize) -> list[Box | Curve | Label]:
    on_path = card.node in look.shown.path
    edge = _PATH if on_path else _EDGE
    fill = _tint(look, card.node) if card.is_end else _PAPER
    dashed = card.node in look.folded
    items: list[Box | Curve | Label] = [
        Box(spot.x, spot.y, size.width, size.height, fill, edge, 2.0 if on_path else 1.0, 6.0, dashed)
    ]
    x, y = spot.x + _PAD, spot.y + _PAD + 11
    for line in card.head:
        items.append(Label(x, y, line, bold=card.is_end))
        y += _LINE
    items += _distribution(look, card.node, x, y - 9, size.width - 2 * _PAD)
    y += _BAR + 6
    for line in card.small:
        items.append(Label(x, y, line, 10.5, _GREY))
        y += 13.0
    return items


def _tint(look: _Look, node: int) -> str:
    """Return the colour of a leaf: a pale shade of its class; for numbers, stronger for larger means."""
    code = look.texts.code(node)
    if code is not None:
        return paler(look.colours[code], 0.16)
    means = look.tree.task.value(look.tree.seen)
    low, high = float(means.min()), float(means.max())
    return paler(_COLOURS[0], 0.05 + 0.3 * (float(means[node]) - low) / ((high - low) or 1.0))


def _distribution(look: _Look, node: int, x: float, y: float, width: float) -> list[Box | Curve | Label]:
    counts = look.tree.task.distribution(look.tree.nodes[node].stats)
    if counts:
        return _class_bar(look, counts, x, y, width)
    if look.histograms is not None:
        return _histogram(look.histograms.counts[node], x, y, width)
    return _interval(look, node, x, y, width)


def _class_bar(look: _Look, counts: Sequence[float], x: float, y: float, width: float) -> list[Box | Curve | Label]:
    whole, items = sum(counts), []
    for count, colour in zip(counts, look.colours, strict=True):
        if count:
            part = width * count / whole
            items.append(Box(x, y, part, _BAR, colour))
            x += part
    return [*items]


def _histogram(counts: NDArray[np.float64], x: float, y: float, width: float) -> list[Box | Curve | Label]:
    greatest, part = float(counts.max()) or 1.0, width / len(counts)
    items: list[Box | Curve | Label] = [Box(x, y + _BAR, width, 0.8, _EDGE)]
    for i, count in enumerate(counts):
        height = (_BAR + 3) * float(count) / greatest
        if height:
            items.append(Box(x + i * part, y + _BAR - height, max(part - 0.6, 0.5), height, _COLOURS[0]))
    return items


def _interval(look: _Look, node: int, x: float, y: float, width: float) -> list[Box | Curve | Label]:
    """Draw the mean and spread of a node on the scale of the whole tree."""
    assert look.texts.spread is not None
    means, spreads = look.texts.said, look.texts.spread
    low, high = look.texts.scale
    scale = width / ((high - low) or 1.0)
    at, half = x + (float(means[node]) - low) * scale, float(spreads[node]) * scale
    return [
        Box(x, y - 1, width, _BAR + 2, _PAPER, radius=2),
        Box(x, y + _BAR / 2 - 0.4, width, 0.8, _EDGE),
        Box(at - half, y + 1.5, max(2 * half, 0.5), _BAR - 3, paler(_COLOURS[0], 0.45)),
        Box(at - 1, y, 2, _BAR, _COLOURS[0]),
    ]


# ---- legend ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Legend:
    """Heading of a picture: its title and class colours."""

    items: tuple[Box | Curve | Label, ...]
    width: float
    height: float

    @classmethod
    def of(cls, look: _Look, title: str, note: str) -> _Legend:
        items: list[Box | Curve | Label] = []
        x, y, right, room = 12.0, 12.0, 0.0, 560.0
        if title:
            for line in wrapped_lines(title, room, 14, bold=True):
                items.append(Label(x, y + 12, line, 14, INK, bold=True))
                right, y = max(right, line_width(line, 14, bold=True)), y + 18
            y += 4
        if note:
            items.append(Label(x, y + 9, note, 11, _GREY))
            right, y = max(right, line_width(note, 11)), y + 18
        names = [inert(class_name(label)) for label in look.tree.classes]
        for name, colour in zip(names, look.colours, strict=True):
            needed = 16 + line_width(name, 11) + 14
            if x > 12 and x + needed > room:
                x, y = 12.0, y + 17
            items += [Box(x, y, 10, 10, colour, radius=2), Label(x + 15, y + 9, name, 11, _GREY)]
            x += needed
            right = max(right, x)
        return cls(tuple(items), right, y + (18 if names else 0))


# ---- DOT ------------------------------------------------------------------------------------------------


def _dot(look: _Look) -> str:
    """Return the tree in the DOT language; the width of an edge is its share of the training data."""
    whole = float(look.weights[0]) or 1.0
    rank = "" if look.down else "rankdir=LR; "
    lines = ["digraph tree {", f'    {rank}node [shape=box, style="rounded,filled", fontname="sans-serif"];']
    for place, card in enumerate(look.cards):
        fill = _tint(look, card.node) if card.is_end else _PAPER
        label = _quoted(*card.head, *card.small)
        style = ', style="rounded,filled,dashed"' if card.node in look.folded else ""
        lines.append(f'    n{place} [label={label}, fillcolor="{fill}"{style}];')
    for place, below in enumerate(look.shown.children):
        for child in below:
            line = 1.0 + 7.0 * float(look.weights[look.shown.nodes[child]]) / whole
            label = _quoted(inert(look.edge_labels[child]))
            lines.append(f"    n{place} -> n{child} [label={label}, penwidth={line:.2f}];")
    return "\n".join([*lines, "}"])


def _quoted(*lines: str) -> str:
    """Return lines as a DOT string: special characters are escaped, lines are left-aligned."""
    escaped = [json.dumps(line.replace("&", "&amp;"), ensure_ascii=False)[1:-1] for line in lines]
    return '"' + "\\l".join([*escaped, ""] if len(lines) > 1 else escaped) + '"'
