"""Pictures, by matplotlib: the one place that knows it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from structtree.errors import UsageError
from structtree.files import check_writable, replacing
from structtree.report.dag import Dag, DagNode, Point, layout, to_dot

if TYPE_CHECKING:
    from structtree.report.effort import Effort

__all__ = ["check_dag_picture", "check_picture", "draw_dag", "draw_effort"]

PICTURE_FORMATS = (".svg", ".png", ".pdf")
INCHES_PER_CHARACTER, INCHES_PER_LINE = 0.0672, 0.29
INK, GREY = "#1c2a44", "#7a8499"
WITH, WITHOUT = "#2f6db5", "#c9d3e3"
# Told apart by people who do not see all colours (after Okabe and Ito).
LINES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#333333")


def draw_dag(dag: Dag, path: str | Path, title: str = "") -> None:
    """Draw a DAG of predicates to a file: SVG, PNG, PDF, or DOT by its ending."""
    target = Path(path)
    check_dag_picture(target)
    with replacing(target) as draft:
        if target.suffix == ".dot":
            draft.write_text(to_dot(dag) + "\n", encoding="utf-8")
        else:
            _paint(dag, draft, title)


def _paint(dag: Dag, path: Path, title: str) -> None:
    from matplotlib.figure import Figure

    points = layout(dag)
    right = max(point.x + len(node.text) for point, node in zip(points, dag.nodes, strict=True)) + 2
    bottom = max(point.y for point in points) + 1
    figure = Figure(figsize=(max(4.0, right * INCHES_PER_CHARACTER), (bottom + 1) * INCHES_PER_LINE))
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_xlim(-1.5, right)
    axes.set_ylim(bottom, -1.4)
    axes.set_axis_off()
    for edge in dag.edges:
        start, end = points[edge.source], points[edge.target]
        _connect(axes, start, end, len(dag.nodes[edge.source].text), tree=edge.tree)
    for node, point in zip(dag.nodes, points, strict=True):
        _box(axes, node, point)
    if title:
        axes.text(-0.7, -1.0, title, fontsize=9, color="#555555", ha="left", va="center")
    figure.savefig(path, format=path.suffix[1:], dpi=150)


def _connect(axes, start: Point, end: Point, width: int, *, tree: bool) -> None:  # type: ignore[no-untyped-def]
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path as Curve

    left, right = start.x + width + 0.8, end.x - 0.8
    middle = (left + right) / 2
    corners = [(left, start.y), (middle, start.y), (middle, end.y), (right, end.y)]
    curve = Curve(corners, [Curve.MOVETO, Curve.CURVE4, Curve.CURVE4, Curve.CURVE4])
    colour = "#7a8ba8" if tree else "#d9dee7"
    axes.add_patch(PathPatch(curve, fill=False, edgecolor=colour, linewidth=1.0, zorder=1 if tree else 0))


def _box(axes, node: DagNode, point: Point) -> None:  # type: ignore[no-untyped-def]
    frame = {"boxstyle": "round,pad=0.3", "facecolor": "#f4f7fc", "edgecolor": "#9fb0cc", "linewidth": 0.8}
    if node.more:
        frame |= {"facecolor": "white", "edgecolor": "#cccccc", "linestyle": "--"}
    look = {"fontsize": 8, "family": "monospace", "color": "#888888" if node.more else INK, "va": "center"}
    axes.text(point.x, point.y, node.text, bbox=frame, zorder=2, **look)


def draw_effort(efforts: Sequence[Effort], path: str | Path, title: str = "") -> None:
    """Draw what pruning saves: bars with and without it, and beside them the best found against time."""
    from matplotlib.figure import Figure

    target = Path(path)
    check_picture(target)
    watched = any(effort.moments for effort in efforts)
    figure = Figure(figsize=(11.0 if watched else 6.6, 1.9 + 0.62 * max(3, len(efforts))), layout="constrained")
    if title:
        figure.suptitle(title, x=0.012, ha="left", fontsize=12, color=INK)
    panels = figure.subplots(1, 2, width_ratios=(1.35, 1.0)) if watched else [figure.subplots()]
    _bars(panels[0], efforts)
    if watched:
        _incumbents(panels[1], efforts)
    with replacing(target) as draft:
        figure.savefig(draft, format=draft.suffix[1:], dpi=150)


def check_picture(path: str | Path) -> None:
    """Refuse the name of a picture that could not be drawn, before the work is done."""
    _check_picture(Path(path), PICTURE_FORMATS)


def check_dag_picture(path: str | Path) -> None:
    """Refuse the name of a picture of a DAG that could not be drawn; it may be DOT too."""
    _check_picture(Path(path), (*PICTURE_FORMATS, ".dot"))


def _check_picture(path: Path, formats: tuple[str, ...]) -> None:
    if path.suffix not in formats:
        raise UsageError(f"cannot draw {path.name!r}: the name must end in {', '.join(formats)}")
    check_writable(path)


def _bars(axes, efforts: Sequence[Effort]) -> None:  # type: ignore[no-untyped-def]
    greatest = max(max(effort.evaluated, effort.evaluated_exhaustive or 0) for effort in efforts)
    for row, effort in enumerate(efforts):
        whole = effort.evaluated_exhaustive
        if whole is not None:
            hatch = "////" if effort.exhaustive_estimated else None
            axes.barh(row - 0.19, whole, 0.34, color=WITHOUT, edgecolor="white", linewidth=0, hatch=hatch)
            _label(axes, whole, row - 0.19, f"{'~' * effort.exhaustive_estimated}{whole:,}", GREY)
        axes.barh(row + 0.19, effort.evaluated, 0.34, color=WITH)
        share = "" if effort.percent is None else f"  ({effort.percent:.2g} %)"
        if not effort.proved:
            share = ", then stopped"
        _label(axes, effort.evaluated, row + 0.19, f"{effort.evaluated:,}{share}", INK)
    axes.set_xscale("log")
    # Room for the numbers behind the bars, on a scale where that is a factor.
    axes.set_xlim(1, max(10.0, float(greatest)) ** 1.42)
    axes.set_ylim(len(efforts) - 0.4, -0.6)
    axes.set_yticks(range(len(efforts)), [effort.criterion for effort in efforts])
    axes.set_xlabel("predicates evaluated (log scale)", color=INK)
    axes.set_title(_legend(efforts), loc="left", fontsize=9, color=GREY)
    _quiet(axes)


def _legend(efforts: Sequence[Effort]) -> str:
    hatched = "; hatched: estimated" if any(effort.exhaustive_estimated for effort in efforts) else ""
    return f"upper bar: without pruning{hatched}; lower bar: with pruning"


def _label(axes, x: float, y: float, text: str, colour: str) -> None:  # type: ignore[no-untyped-def]
    axes.annotate(text, (x, y), (4, 0), textcoords="offset points", va="center", fontsize=8.5, color=colour)


def _incumbents(axes, efforts: Sequence[Effort]) -> None:  # type: ignore[no-untyped-def]
    for effort, colour, width in zip(efforts, LINES * len(efforts), _widths(len(efforts)), strict=False):
        times = [1000 * moment.seconds for moment in effort.moments]
        shares = [100 * moment.share for moment in effort.moments]
        axes.step(times, shares, where="post", color=colour, linewidth=width, label=effort.criterion, alpha=0.85)
        axes.plot(times, shares, "o", color=colour, markersize=3)
        if effort.proved and times:
            axes.plot(times[-1:], shares[-1:], "D", color=colour, markersize=6, markeredgecolor="white")
    axes.set_xscale("log")
    axes.set_ylim(top=103)
    axes.set_xlabel("milliseconds (log scale)", color=INK)
    axes.set_ylabel("% of the final gain", color=INK)
    axes.set_title("best found so far; diamond: proved best", loc="left", fontsize=9, color=GREY)
    axes.legend(frameon=False, fontsize=8.5, loc="lower right")
    _quiet(axes)


def _widths(n: int) -> list[float]:
    """Lines that run over each other are all seen when the lower ones are wider."""
    return [1.2 + 2.4 * (n - 1 - i) / n for i in range(n)]


def _quiet(axes) -> None:  # type: ignore[no-untyped-def]
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color("#b8c0ce")
    axes.tick_params(colors=INK, labelsize=9, length=3)
    axes.minorticks_off()
