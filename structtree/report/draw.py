"""Pictures, by matplotlib: the one place that knows it."""

from __future__ import annotations

from pathlib import Path

from structtree.errors import UsageError
from structtree.files import replacing
from structtree.report.dag import Dag, Node, Spot, layout, to_dot

__all__ = ["draw_dag"]

FORMATS = (".svg", ".png", ".pdf", ".dot")
INCHES_PER_CHARACTER, INCHES_PER_LINE = 0.0672, 0.29


def draw_dag(dag: Dag, path: str | Path, title: str = "") -> None:
    """Draw a DAG of predicates to a file: SVG, PNG, PDF, or DOT by its ending."""
    target = Path(path)
    if target.suffix not in FORMATS:
        raise UsageError(f"cannot draw {target.name!r}: the name must end in {', '.join(FORMATS)}")
    with replacing(target) as draft:
        if target.suffix == ".dot":
            draft.write_text(to_dot(dag) + "\n", encoding="utf-8")
        else:
            _paint(dag, draft, title)


def _paint(dag: Dag, path: Path, title: str) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    spots = layout(dag)
    right = max(spot.x + len(node.text) for spot, node in zip(spots, dag.nodes, strict=True)) + 2
    bottom = max(spot.y for spot in spots) + 1
    figure = Figure(figsize=(max(4.0, right * INCHES_PER_CHARACTER), (bottom + 1) * INCHES_PER_LINE))
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_xlim(-1.5, right)
    axes.set_ylim(bottom, -1.4)
    axes.set_axis_off()
    for edge in dag.edges:
        start, end = spots[edge.source], spots[edge.target]
        _connect(axes, start, end, len(dag.nodes[edge.source].text), tree=edge.tree)
    for node, spot in zip(dag.nodes, spots, strict=True):
        _box(axes, node, spot)
    if title:
        axes.text(-0.7, -1.0, title, fontsize=9, color="#555555", ha="left", va="center")
    figure.savefig(path, format=path.suffix[1:], dpi=150)


def _connect(axes, start: Spot, end: Spot, width: int, *, tree: bool) -> None:  # type: ignore[no-untyped-def]
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path as Curve

    left, right = start.x + width + 0.8, end.x - 0.8
    middle = (left + right) / 2
    points = [(left, start.y), (middle, start.y), (middle, end.y), (right, end.y)]
    curve = Curve(points, [Curve.MOVETO, Curve.CURVE4, Curve.CURVE4, Curve.CURVE4])
    colour = "#7a8ba8" if tree else "#d9dee7"
    axes.add_patch(PathPatch(curve, fill=False, edgecolor=colour, linewidth=1.0, zorder=1 if tree else 0))


def _box(axes, node: Node, spot: Spot) -> None:  # type: ignore[no-untyped-def]
    frame = {"boxstyle": "round,pad=0.3", "facecolor": "#f4f7fc", "edgecolor": "#9fb0cc", "linewidth": 0.8}
    if node.more:
        frame |= {"facecolor": "white", "edgecolor": "#cccccc", "linestyle": "--"}
    colour = "#888888" if node.more else "#1c2a44"
    axes.text(
        spot.x,
        spot.y,
        node.text,
        fontsize=8,
        family="monospace",
        color=colour,
        va="center",
        bbox=frame,
        zorder=2,
    )
