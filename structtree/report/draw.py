"""Pictures, by matplotlib: the one place that knows it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle, groupby
from math import log10, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from structtree.errors import UsageError
from structtree.files import check_writable, replacing
from structtree.report.dag import Dag, DagNode, Point, layout, to_dot
from structtree.report.scene import ARC, Box, Curve, Label, Scene, Stroke, bends

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.path import Path as Outline
    from PIL.Image import Image as Picture

    from structtree.report.effort import Effort

__all__ = [
    "check_dag_picture",
    "check_picture",
    "draw_dag",
    "draw_effort",
    "effort_figure",
    "font_files",
    "paint_scene",
]

PICTURE_FORMATS = (".svg", ".png", ".pdf")
INCHES_PER_CHARACTER, INCHES_PER_LINE = 0.0672, 0.29
INK, GREY = "#1c2a44", "#7a8499"
WITH, WITHOUT = "#2f6db5", "#c9d3e3"
# Distinguishable with any kind of colour vision (after Okabe and Ito).
LINES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#333333")
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (8, 2)), "-")
MARKERS = ("o", "s", "^", "v", "P", "X", "*")


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


def paint_scene(scene: Scene) -> Picture:
    """Return a scene as pixels: shapes by matplotlib, and text by Pillow, which sets thousands of labels in a second.

    Very large pictures get fewer pixels for each point, so that they stay files that can be opened.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from PIL import Image, ImageDraw, ImageFont

    scale = _pixels_per_point(scene)
    figure = Figure(figsize=(scene.width / 72, scene.height / 72), dpi=72 * scale)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0), xlim=(0, scene.width), ylim=(scene.height, 0))
    axes.set_axis_off()
    _paint_shapes(axes, scene)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()  # type: ignore[no-untyped-call]
    pixels = np.asarray(canvas.buffer_rgba())  # type: ignore[no-untyped-call]
    picture = Image.fromarray(pixels).convert("RGB")
    pen, files = ImageDraw.Draw(picture), font_files()
    fonts: dict[tuple[bool, float], ImageFont.FreeTypeFont] = {}
    for label in (item for item in scene.items if isinstance(item, Label)):
        key = (label.bold, label.size)
        if key not in fonts:
            fonts[key] = ImageFont.truetype(str(files[label.bold]), max(1.0, label.size * scale))
        place = (label.x * scale, label.y * scale)
        pen.text(place, label.text, label.colour, fonts[key], f"{_ALIGNED[label.anchor]}s")
    return picture


def font_files() -> dict[bool, Path]:
    """Return the files of the plain and the bold font, which come with matplotlib."""
    from matplotlib.font_manager import FontProperties, findfont

    weights = {False: "normal", True: "bold"}
    return {
        bold: Path(findfont(FontProperties(family="DejaVu Sans", weight=weight))) for bold, weight in weights.items()
    }


_ALIGNED = {"start": "l", "middle": "m", "end": "r"}
_MOST_PIXELS, _LONGEST = 16e6, 30_000
"""The most pixels of a picture, and of one of its sides."""


def _pixels_per_point(scene: Scene) -> float:
    least = min(sqrt(_MOST_PIXELS / (scene.width * scene.height)), _LONGEST / max(scene.width, scene.height))
    return min(2.0, least)


def _paint_shapes(axes, scene: Scene) -> None:  # type: ignore[no-untyped-def]
    """Paint runs of shapes of one kind as one collection each: thousands of them are painted at once."""
    from matplotlib.collections import PathCollection

    shapes = (item for item in scene.items if not isinstance(item, Label))
    for place, (kind, run) in enumerate(groupby(shapes, type), 1):
        look: dict[str, Any] = _lines_look(list(run)) if kind is not Box else _boxes_look(list(run))
        axes.add_collection(PathCollection(zorder=place, **look))


def _lines_look(lines: Sequence[Any]) -> dict[str, Any]:
    return {
        "paths": [_curve_path(line) if isinstance(line, Curve) else _stroke_path(line) for line in lines],
        "facecolors": "none",
        "edgecolors": [line.colour for line in lines],
        "linewidths": [line.line for line in lines],
        "linestyles": [(0, (4, 3)) if isinstance(line, Stroke) and line.dashed else "-" for line in lines],
        "capstyle": "round" if isinstance(lines[0], Stroke) else None,
    }


def _boxes_look(boxes: Sequence[Any]) -> dict[str, Any]:
    return {
        "paths": [_box_path(box) for box in boxes],
        "facecolors": [box.fill for box in boxes],
        "edgecolors": [box.edge if box.line else "none" for box in boxes],
        "linewidths": [box.line for box in boxes],
        "linestyles": [(0, (4, 3)) if box.dashed else "-" for box in boxes],
    }


def _stroke_path(stroke: Stroke) -> Outline:
    from matplotlib.path import Path as Outline

    return Outline([(stroke.x, stroke.y), (stroke.to_x, stroke.to_y)])


def _curve_path(curve: Curve) -> Outline:
    from matplotlib.path import Path as Outline

    return Outline([(curve.x, curve.y), *bends(curve)], [Outline.MOVETO, *[Outline.CURVE4] * 3])


def _box_path(box: Box) -> Outline:
    """Return the outline of a box, clockwise, with round corners."""
    from matplotlib.path import Path as Outline

    left, top, right, bottom = box.x, box.y, box.x + box.width, box.y + box.height
    r = min(box.radius, box.width / 2, box.height / 2)
    k, points = r * (1 - ARC), [(left + r, top)]
    for (x, y), (dx, dy) in zip(
        ((right, top), (right, bottom), (left, bottom), (left, top)), ((1, 0), (0, 1), (-1, 0), (0, -1)), strict=True
    ):
        ends = (x - k * dx, y - k * dy), (x - k * dy, y + k * dx), (x - r * dy, y + r * dx)
        points += [(x - r * dx, y - r * dy), *ends]
    codes = [Outline.MOVETO, *[Outline.LINETO, *[Outline.CURVE4] * 3] * 4]
    return Outline(points, codes)


def draw_effort(efforts: Sequence[Effort], path: str | Path, title: str = "") -> None:
    """Draw what pruning saves: bars with and without it, and beside them the best found against time."""
    target = Path(path)
    check_picture(target)
    figure = effort_figure(efforts, title)
    with replacing(target) as draft:
        figure.savefig(draft, format=draft.suffix[1:], dpi=150)


def effort_figure(efforts: Sequence[Effort], title: str = "") -> Figure:
    """Return the figure that `draw_effort` writes."""
    from matplotlib.figure import Figure

    watched = any(effort.moments for effort in efforts)
    figure = Figure(figsize=(12.0 if watched else 6.6, 1.9 + 0.62 * max(3, len(efforts))), layout="constrained")
    if title:
        figure.suptitle(title, x=0.012, ha="left", fontsize=12, color=INK)
    panels = figure.subplots(1, 2, width_ratios=(1.35, 1.0)) if watched else [figure.subplots()]
    _bars(panels[0], efforts)
    if watched:
        _incumbents(panels[1], efforts)
    return figure


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
            share = ", not proved"
        _label(axes, effort.evaluated, row + 0.19, f"{effort.evaluated:,}{share}", INK)
    axes.set_xscale("log")
    # Room for the numbers behind the bars, on a scale where that is a factor.
    axes.set_xlim(1, max(10.0, float(greatest)) ** 1.42)
    axes.set_ylim(len(efforts) - 0.4, -0.6)
    axes.set_yticks(range(len(efforts)), [effort.criterion for effort in efforts])
    axes.set_xlabel("predicates evaluated (log scale)", color=INK)
    axes.set_title(_legend(efforts), loc="left", fontsize=9, color=GREY)
    _quiet(axes)
    _plain_ticks(axes.xaxis)


def _legend(efforts: Sequence[Effort]) -> str:
    hatched = "; hatched: estimated" if any(effort.exhaustive_estimated for effort in efforts) else ""
    return f"upper bar: without pruning{hatched}; lower bar: with pruning"


def _label(axes, x: float, y: float, text: str, colour: str) -> None:  # type: ignore[no-untyped-def]
    axes.annotate(text, (x, y), (4, 0), textcoords="offset points", va="center", fontsize=8.5, color=colour)


def _incumbents(axes, efforts: Sequence[Effort]) -> None:  # type: ignore[no-untyped-def]
    """Draw the best found against time; colours, dashes and markers differ, so that it can be read in grey."""
    end = max((moment.seconds for effort in efforts for moment in effort.moments), default=0.0)
    unit, factor = ("seconds", 1.0) if end >= 10 else ("milliseconds", 1000.0)
    looks = zip(LINES, DASHES, MARKERS, strict=True)
    for effort, (colour, dashes, marker), width in zip(efforts, cycle(looks), _widths(len(efforts)), strict=False):
        times = [factor * moment.seconds for moment in effort.moments]
        shares = [100 * moment.share for moment in effort.moments]
        look = {"color": colour, "marker": marker, "markersize": 4, "markevery": _changes(shares)}
        axes.step(times, shares, where="post", linestyle=dashes, linewidth=width, label=effort.criterion, **look)
        inside = colour if effort.proved else "white"
        axes.plot(times[-1:], shares[-1:], "D", color=inside, markersize=6, markeredgecolor=colour, zorder=3)
    axes.set_xscale("log")
    axes.set_ylim(-3, 104)
    axes.set_xlabel(f"{unit} (log scale)", color=INK)
    axes.set_ylabel("% of the possible gain", color=INK)
    axes.set_title(_ends(efforts), loc="left", fontsize=9, color=GREY)
    axes.legend(frameon=False, fontsize=8.5, loc="upper left", bbox_to_anchor=(1.0, 1.0), handlelength=3.2)
    _quiet(axes)
    _plain_ticks(axes.xaxis)


def _ends(efforts: Sequence[Effort]) -> str:
    """Return what the diamonds mean: what is above an open one is not ruled out."""
    proved = "filled diamond: proved best" if any(effort.proved for effort in efforts) else ""
    stopped = "open diamond: stopped before the proof" if any(not effort.proved for effort in efforts) else ""
    return "best found so far; " + "; ".join(filter(None, (proved, stopped)))


def _changes(shares: Sequence[float]) -> list[int]:
    """Return where a curve rises; further markers would only hide other curves."""
    return [i for i, share in enumerate(shares) if i == 0 or share > shares[i - 1]]


def _widths(n: int) -> list[float]:
    """Lines that run over each other are all seen when the lower ones are wider."""
    return [1.2 + 2.4 * (n - 1 - i) / n for i in range(n)]


def _quiet(axes) -> None:  # type: ignore[no-untyped-def]
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color("#b8c0ce")
    axes.tick_params(colors=INK, labelsize=9, length=3)
    axes.minorticks_off()


def _plain_ticks(axis) -> None:  # type: ignore[no-untyped-def]
    """Label a log axis with plain numbers, and with enough of them where it spans little."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    low, high = axis.get_view_interval()
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if high < 50 * low else (1.0,), numticks=8))
    axis.set_major_formatter(FuncFormatter(lambda x, _: _tick_text(x)))
    axis.set_minor_locator(NullLocator())


def _tick_text(x: float) -> str:
    """Return a number as people write it; powers of ten from ten million on.

    Examples
    --------
    >>> _tick_text(0.2), _tick_text(20_000), _tick_text(1e8)
    ('0.2', '20,000', '$10^{8}$')
    """
    if x >= 1e7:
        return f"$10^{{{round(log10(x))}}}$"
    return f"{x:,.0f}" if x >= 1 else f"{x:g}"
