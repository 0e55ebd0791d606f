"""DAG of a predicate space to a given depth, as plain data, as a picture and as DOT text.

Nodes are predicates, edges are rewrites. Of refinements that differ only in a value, a few are shown and the rest are
counted, so that the picture stays legible.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from structtree.lang import syntax as syn
from structtree.lang.pretty import pretty
from structtree.report.pictures.layout import BoxSize, tidy
from structtree.report.pictures.rendering import GREY, INK, check_dag_picture, write_scene
from structtree.report.pictures.scene import Box, Curve, Label, Scene, SceneItem, line_width
from structtree.reprs import number_text, short_repr
from structtree.space.space import Position, Space

__all__ = ["Dag", "DagEdge", "DagNode", "dag_of", "dag_scene", "draw_dag", "to_dot"]

_SIZE, _HEIGHT = 11.0, 20.0
_TREE, _OTHER = "#7a8ba8", "#d9dee7"

MAX_REFINEMENTS = 2000
"""Maximum number of refinements listed per parent; beyond it, the count is prefixed with "at least"."""


@dataclass(frozen=True, slots=True)
class DagNode:
    """Node of the DAG: a predicate, or a placeholder for `more` hidden siblings."""

    text: str
    level: int
    more: int = 0


@dataclass(frozen=True, slots=True)
class DagEdge:
    """Rewrite from one node to another; `tree` is true if the canonical derivation uses it."""

    source: int
    target: int
    tree: bool = True


@dataclass(frozen=True, slots=True)
class Dag:
    """Nodes, level by level, and edges between node numbers."""

    nodes: tuple[DagNode, ...]
    edges: tuple[DagEdge, ...]

    def __repr__(self) -> str:
        return short_repr(self, number_text(self.nodes, "node"), number_text(self.edges, "edge"))


def dag_of(space: Space, depth: int = 2, width: int = 5, values: int = 2) -> Dag:
    """Return the DAG of a space to a depth, with at most `width` refinements per node, `values` per form.

    Examples
    --------
    >>> from structtree.lang.grammar import Grammar
    >>> grammar = Grammar.parse("type T = {a: bool, b: bool} individual T "
    ...                         "refine T { top -> a; top -> b; top -> top and top max 2 }")
    >>> dag = dag_of(Space.build(grammar))
    >>> [node.text for node in dag.nodes]
    ['top', 'a', 'b', 'a and b']
    >>> [(e.source, e.target, e.tree) for e in dag.edges]
    [(0, 1, True), (0, 2, True), (1, 3, True), (2, 3, False)]
    """
    nodes: list[DagNode] = [DagNode("top", 0)]
    edges: list[DagEdge] = []
    numbers: dict[syn.Predicate, int] = {space.root().predicate: 0}
    frontier: list[tuple[Position, int]] = [(space.root(), 0)]
    for level in range(1, depth + 1):
        following: list[tuple[Position, int]] = []
        for position, number in frontier:
            children = list(islice(space.extend(position), MAX_REFINEMENTS))
            shown = _varied(children, width, values)
            for child in shown:
                numbers[child.predicate] = len(nodes)
                edges.append(DagEdge(number, len(nodes)))
                following.append((child, len(nodes)))
                nodes.append(DagNode(pretty(child.predicate), level))
            if len(children) > len(shown):
                more = len(children) - len(shown)
                edges.append(DagEdge(number, len(nodes)))
                sign = "at least " if len(children) == MAX_REFINEMENTS else ""
                nodes.append(DagNode(f"… {sign}{more:,} more", level, more))
        frontier = following
    edges += _other_edges(space, numbers, edges)
    return Dag(tuple(nodes), tuple(edges))


def _varied(children: list[Position], width: int, values: int) -> list[Position]:
    """Select the first few refinements of each form, so that every rewrite is represented."""
    if len(children) <= width + 1:
        return children
    by_form: dict[str, list[Position]] = defaultdict(list)
    for child in children:
        by_form[_form(pretty(child.predicate))].append(child)
    chosen: set[int] = set()
    for i in range(values):
        for members in by_form.values():
            if i < len(members) and len(chosen) < width:
                chosen.add(id(members[i]))
    return [child for child in children if id(child) in chosen]


def _form(text: str) -> str:
    return re.sub(r"(>=|<=|!=|=|in) (\{[^}]*\}|\[[^\])]*[\])]|\"(?:[^\"\\]|\\.)*\"|[^\s()]+)", r"\1 *", text)


def _other_edges(space: Space, numbers: Mapping[syn.Predicate, int], edges: list[DagEdge]) -> list[DagEdge]:
    known = {(edge.source, edge.target) for edge in edges}
    found = []
    for predicate, target in numbers.items():
        for parent in space.parents(predicate):
            source = numbers.get(parent)
            if source is not None and (source, target) not in known:
                found.append(DagEdge(source, target, tree=False))
    return found


def draw_dag(dag: Dag, path: str | Path, title: str = "") -> None:
    """Draw a DAG to a file: SVG, PNG, PDF or DOT, according to its suffix."""
    target = Path(path)
    check_dag_picture(target)
    write_scene(dag_scene(dag, title), target, target.suffix[1:], to_dot(dag))


def dag_scene(dag: Dag, title: str = "") -> Scene:
    """Return the picture of a DAG: levels from left to right, parents centred on their children.

    Examples
    --------
    >>> dag_scene(Dag((DagNode("top", 0), DagNode("a", 1), DagNode("b", 1)), (DagEdge(0, 1), DagEdge(0, 2))))
    <Scene: ... × ..., 8 items>
    """
    children: list[list[int]] = [[] for _ in dag.nodes]
    for edge in dag.edges:
        if edge.tree:
            children[edge.source].append(edge.target)
    widths = [line_width(node.text, _SIZE) + 14 for node in dag.nodes]
    spots = tidy(
        children, [BoxSize(_HEIGHT, width) for width in widths], 7.0, 44.0
    )  # transposed: depth grows to the right
    lefts, middles = [12 + spot.y for spot in spots], [36 + spot.x for spot in spots]
    items: list[SceneItem] = [Label(12, 20, title, _SIZE, GREY)] if title else []
    for edge in sorted(dag.edges, key=lambda edge: edge.tree):
        start = lefts[edge.source] + widths[edge.source], middles[edge.source]
        items.append(
            Curve(
                *start, lefts[edge.target], middles[edge.target], 1.0, _TREE if edge.tree else _OTHER, upright=False
            )
        )
    for node, x, y, width in zip(dag.nodes, lefts, middles, widths, strict=True):
        fill, rim, ink = ("#ffffff", "#cccccc", GREY) if node.more else ("#f4f7fc", "#9fb0cc", INK)
        items.append(Box(x, y - _HEIGHT / 2, width, _HEIGHT, fill, rim, 0.8, 5.0, bool(node.more)))
        items.append(Label(x + 7, y + 4, node.text, _SIZE, ink))
    right = max(left + width for left, width in zip(lefts, widths, strict=True))
    width = max(right, 12 + line_width(title, _SIZE))
    return Scene(width + 12, max(middles) + _HEIGHT / 2 + 12, tuple(items), title)


def to_dot(dag: Dag) -> str:
    """Return the DAG in Graphviz DOT format.

    Examples
    --------
    >>> print(to_dot(Dag((DagNode("top", 0), DagNode("a", 1)), (DagEdge(0, 1),))))
    digraph space {
        rankdir=LR; node [shape=box, fontname="monospace"];
        n0 [label="top"];
        n1 [label="a"];
        n0 -> n1;
    }
    """
    lines = ["digraph space {", '    rankdir=LR; node [shape=box, fontname="monospace"];']
    for i, node in enumerate(dag.nodes):
        style = ", style=dashed" if node.more else ""
        lines.append(f"    n{i} [label={json.dumps(node.text, ensure_ascii=False)}{style}];")
    for edge in dag.edges:
        style = "" if edge.tree else " [color=gray, constraint=false]"
        lines.append(f"    n{edge.source} -> n{edge.target}{style};")
    return "\n".join([*lines, "}"])
