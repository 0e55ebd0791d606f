"""Picture files: scenes as SVG, PNG, PDF or DOT, and search effort as charts; matplotlib is imported only here."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby, zip_longest
from math import log10, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from structtree.errors import UsageError
from structtree.files import check_writable, replacing
from structtree.report.pictures.scene import ARC, Box, Curve, Label, Scene, Stroke, bends, scaled, to_svg

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.path import Path as Outline
    from PIL.Image import Image as Picture

    from structtree.report.effort import Effort
    from structtree.search.results import TracePoint

__all__ = [
    "check_dag_picture",
    "check_picture",
    "draw_effort",
    "effort_figure",
    "gain_shares",
    "paint_scene",
    "quiet_axes",
    "write_pdf",
    "write_scene",
]

PICTURE_FORMATS = (".svg", ".png", ".pdf")
INK, GREY = "#1c2a44", "#7a8499"
WITH, WITHOUT = "#2f6db5", "#c9d3e3"


def write_scene(scene: Scene, path: Path, format: str, dot: str = "") -> None:
    """Write a scene as SVG, PNG or PDF, or its graph in the DOT language; the path ``-`` is standard output."""
    check_writable(path)
    with replacing(path) as draft:
        match format:
            case "svg":
                draft.write_text(to_svg(scene) + "\n", encoding="utf-8")
            case "dot":
                draft.write_text(dot + "\n", encoding="utf-8")
            case "pdf":
                write_pdf(scene, draft)
            case _:
                paint_scene(scene).save(draft, "png", compress_level=4)


def paint_scene(scene: Scene) -> Picture:
    """Render a scene as pixels: shapes with matplotlib, text with Pillow, which is fast for thousands of labels.

    Very large pictures get fewer pixels per point, so that the file can still be opened.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from PIL import Image, ImageDraw, ImageFont

    scale = _pixels_per_point(scene)
    canvas = FigureCanvasAgg(_shapes_figure(scene, dpi=72 * scale))
    canvas.draw()  # type: ignore[no-untyped-call]
    pixels = np.asarray(canvas.buffer_rgba())  # type: ignore[no-untyped-call]
    picture = Image.fromarray(pixels).convert("RGB")
    pen, files = ImageDraw.Draw(picture), _font_files()
    fonts: dict[tuple[bool, float], ImageFont.FreeTypeFont] = {}
    for label in _labels(scene):
        key = (label.bold, label.size)
        if key not in fonts:
            fonts[key] = ImageFont.truetype(str(files[label.bold]), max(1.0, label.size * scale))
        place = (label.x * scale, label.y * scale)
        pen.text(place, label.text, label.colour, fonts[key], _ANCHORS[label.anchor])
    return picture


def write_pdf(scene: Scene, path: Path) -> None:
    """Write a scene as a one-page PDF file with vector shapes and searchable text.

    The output is deterministic. Very large pictures are scaled down to the maximum page size of PDF.
    """
    from matplotlib import rc_context

    fitted = scaled(scene, min(1.0, _LONGEST_PAGE / max(scene.width, scene.height)))
    figure = _shapes_figure(fitted, dpi=72)
    _set_labels(figure, fitted)
    with warnings.catch_warnings(), rc_context({"pdf.fonttype": 42}):  # TrueType, for searchable text
        warnings.filterwarnings("ignore", "Glyph .* missing from")  # drawn as a box, as in the other formats
        figure.savefig(path, format="pdf", metadata={"CreationDate": None})


def _set_labels(figure: Figure, scene: Scene) -> None:
    for label in _labels(scene):
        place = label.x / scene.width, 1 - label.y / scene.height
        text = figure.text(*place, label.text, ha=_ALIGNED[label.anchor], va="baseline", color=label.colour)
        text.set(family="DejaVu Sans", size=label.size, weight="bold" if label.bold else "normal")
        text.set(parse_math=False, usetex=False)  # no math mode for dollar signs


def _shapes_figure(scene: Scene, dpi: float) -> Figure:
    """Return a figure with all shapes of a scene, but without its labels."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(scene.width / 72, scene.height / 72), dpi=dpi)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0), xlim=(0, scene.width), ylim=(scene.height, 0))
    axes.set_axis_off()
    _paint_shapes(axes, scene)
    return figure


def _labels(scene: Scene) -> Iterator[Label]:
    return (item for item in scene.items if isinstance(item, Label))


def _font_files() -> dict[bool, Path]:
    """Return the paths of the regular and bold fonts that matplotlib ships."""
    from matplotlib.font_manager import FontProperties, findfont

    weights = {False: "normal", True: "bold"}
    return {
        bold: Path(findfont(FontProperties(family="DejaVu Sans", weight=weight))) for bold, weight in weights.items()
    }


_ANCHORS = {"start": "ls", "middle": "ms", "end": "rs"}
_ALIGNED: Mapping[str, Literal["left", "center", "right"]] = {"start": "left", "middle": "center", "end": "right"}
"""Anchors of labels on the baseline, for Pillow and for matplotlib."""
_MOST_PIXELS, _LONGEST = 16e6, 30_000
"""Maximum number of pixels of a picture, and of its longer side."""
_LONGEST_PAGE = 14_400.0
"""Maximum side of a PDF page, in points."""


def _pixels_per_point(scene: Scene) -> float:
    least = min(sqrt(_MOST_PIXELS / (scene.width * scene.height)), _LONGEST / max(scene.width, scene.height))
    return min(2.0, least)


def _paint_shapes(axes, scene: Scene) -> None:  # type: ignore[no-untyped-def]
    """Draw consecutive shapes of the same kind as one matplotlib collection, which is fast."""
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
    """Return the clockwise outline of a box with rounded corners."""
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
    """Draw the effort that pruning saves, by criterion and by node, and the convergence of score and bound."""
    target = Path(path)
    check_picture(target)
    figure = effort_figure(efforts, title)
    with replacing(target) as draft:
        figure.savefig(draft, format=draft.suffix[1:], dpi=150)


def effort_figure(efforts: Sequence[Effort], title: str = "") -> Figure:
    """Return the figure that `draw_effort` writes.

    At the top are bars with and without pruning for each criterion. Below is a small panel for each criterion with
    the best score and the bound against the predicates evaluated, and for whole trees bars for each node.
    """
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    n_rows = -(-len(efforts) // _ABREAST)
    trees = [effort for effort in efforts if effort.by_node]
    most = max((min(len(effort.by_node), _MOST_NODES) for effort in trees), default=0)
    heights = [1.1 + 0.6 * len(efforts), 0.5 + 2.1 * n_rows, (0.5 + (1.0 + 0.3 * most) * n_rows) if trees else 0.0]
    figure = Figure(
        figsize=(10.0, sum(heights) + (0.4 if title else 0.0)), layout=ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.06)
    )
    if title:
        figure.suptitle(title, x=0.012, ha="left", fontsize=12, color=INK)
    parts: Any = figure.subfigures(3 if trees else 2, 1, height_ratios=heights[: 3 if trees else 2])
    _bars(parts[0].subplots(), efforts, [effort.criterion for effort in efforts])
    _panels(parts[1], efforts, _race, f"share of the initially possible gain: best found {_ends(efforts)}")
    if trees:
        _panels(parts[2], trees, _node_bars, "effort of each node, in depth-first order")
    return figure


_ABREAST, _MOST_NODES = 4, 24
"""Maximum number of panels side by side, and of nodes in a panel."""


def _panels(part: Any, efforts: Sequence[Effort], draw: Callable[..., None], title: str) -> None:
    """Draw one panel per criterion, in rows."""
    part.suptitle(title, x=0.012, ha="left", fontsize=9, color=GREY)
    n_columns = min(len(efforts), _ABREAST)
    panels = part.subplots(-(-len(efforts) // n_columns), n_columns, squeeze=False).flat
    for axes, effort in zip_longest(panels, efforts):
        if effort is None:
            axes.set_axis_off()
        else:
            draw(axes, effort)


def check_picture(path: str | Path) -> None:
    """Raise an error early if a picture cannot be written to a path."""
    _check_picture(Path(path), PICTURE_FORMATS)


def check_dag_picture(path: str | Path) -> None:
    """Raise an error early if a picture of a DAG or tree cannot be written to a path; DOT is allowed."""
    _check_picture(Path(path), (*PICTURE_FORMATS, ".dot"))


def _check_picture(path: Path, formats: tuple[str, ...]) -> None:
    if path.suffix not in formats:
        raise UsageError(f"cannot draw {path.name!r}: the name must end in {', '.join(formats)}")
    check_writable(path)


def _bars(axes, efforts: Sequence[Effort], names: Sequence[str], room: float = 1.2) -> None:  # type: ignore[no-untyped-def]
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
    # Room for the numbers after the bars; on a log scale, a power of the greatest.
    axes.set_xlim(1, max(10.0, float(greatest)) ** room)
    axes.set_ylim(len(efforts) - 0.4, -0.6)
    axes.set_yticks(range(len(efforts)), names)
    axes.set_xlabel("predicates evaluated (log scale)", color=INK)
    axes.set_title(_legend(efforts), loc="left", fontsize=9, color=GREY)
    quiet_axes(axes)
    _plain_ticks(axes.xaxis)


def _node_bars(axes, effort: Effort) -> None:  # type: ignore[no-untyped-def]
    """Draw bars for the nodes of one tree, up to a maximum number."""
    shown = effort.by_node[:_MOST_NODES]
    _bars(axes, shown, [f"n={node.individuals:,}" for node in shown], 1.5)
    more = len(effort.by_node) - len(shown)
    axes.set_title(effort.criterion + (f", and {more} more nodes" if more else ""), loc="left", fontsize=9, color=INK)
    axes.set_xlabel("predicates (log)", color=INK, fontsize=8.5)
    _plain_ticks(axes.xaxis, 5)


def _legend(efforts: Sequence[Effort]) -> str:
    hatched = "; hatched: estimated" if any(effort.exhaustive_estimated for effort in efforts) else ""
    return f"upper bar: without pruning{hatched}; lower bar: with pruning"


def _label(axes, x: float, y: float, text: str, colour: str) -> None:  # type: ignore[no-untyped-def]
    axes.annotate(text, (x, y), (4, 0), textcoords="offset points", va="center", fontsize=8.5, color=colour)


def _race(axes, effort: Effort) -> None:  # type: ignore[no-untyped-def]
    """Plot the best score and the bound against the number of evaluated predicates."""
    counts = [point.evaluated for point in effort.trace]
    found, bounds = gain_shares(effort.trace)
    axes.fill_between(counts, found, bounds, step="post", color=WITHOUT, alpha=0.5, linewidth=0)
    axes.step(counts, bounds, where="post", color=GREY, linestyle="--", linewidth=1.2)
    axes.step(counts, found, where="post", color=WITH, linewidth=1.8)
    inside = WITH if effort.split.proved else "white"
    axes.plot(counts[-1:], found[-1:], "D", color=inside, markersize=6, markeredgecolor=WITH, zorder=3, clip_on=False)
    axes.set_xscale("log")
    axes.set_ylim(-4, 106)
    axes.yaxis.set_major_formatter("{x:.0f} %")
    axes.set_title(effort.criterion, loc="left", fontsize=9, color=INK)
    axes.set_xlabel("predicates evaluated (log)", color=INK, fontsize=8.5)
    quiet_axes(axes)
    _plain_ticks(axes.xaxis, 5)


def gain_shares(trace: Sequence[TracePoint]) -> tuple[list[float], list[float]]:
    """Return the gains of the best score and of the bound, as percentages of the gain that the first bound allows.

    Examples
    --------
    >>> from structtree.search.results import TracePoint
    >>> gain_shares([TracePoint(1, 0.0, 0.5, 1.0), TracePoint(9, 0.1, 0.8, 0.9)])
    ([0.0, 60.0], [100.0, 80.0])
    """
    nothing, most = trace[0].score, trace[0].bound - trace[0].score
    if not most:
        return [100.0] * len(trace), [100.0] * len(trace)
    shares = [(100 * (point.score - nothing) / most, 100 * (point.bound - nothing) / most) for point in trace]
    return [round(score, 6) for score, _ in shares], [round(bound, 6) for _, bound in shares]


def _ends(efforts: Sequence[Effort]) -> str:
    """Return the legend of the curves and diamonds."""
    proved = "filled diamond: proved best" if any(effort.split.proved for effort in efforts) else ""
    stopped = "open diamond: stopped before the proof" if any(not effort.split.proved for effort in efforts) else ""
    return "; ".join(filter(None, ("and bound (dashed)", proved, stopped)))


def quiet_axes(axes: Any) -> None:
    """Remove the frame of a chart, except for the axes."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color("#b8c0ce")
    axes.tick_params(colors=INK, labelsize=9, length=3)
    axes.minorticks_off()


def _plain_ticks(axis, most: int = 8) -> None:  # type: ignore[no-untyped-def]
    """Label a log axis with a readable number of plain ticks."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    low, high = axis.get_view_interval()
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if high < 50 * low else (1.0,), numticks=most))
    axis.set_major_formatter(FuncFormatter(lambda x, _: _tick_text(x, is_short=most < 8)))
    axis.set_minor_locator(NullLocator())


def _tick_text(x: float, *, is_short: bool = False) -> str:
    """Format a tick label: a number, optionally abbreviated, or a power of ten for large numbers.

    Examples
    --------
    >>> _tick_text(0.2), _tick_text(20_000), _tick_text(1e8)
    ('0.2', '20,000', '$10^{8}$')
    >>> _tick_text(20_000, is_short=True), _tick_text(1e6, is_short=True), _tick_text(500, is_short=True)
    ('20k', '1M', '500')
    """
    if is_short and 1e3 <= x < 1e9:
        return f"{x / 1e3:g}k" if x < 1e6 else f"{x / 1e6:g}M"
    if x >= 1e7:
        return f"$10^{{{round(log10(x))}}}$"
    return f"{x:,.0f}" if x >= 1 else f"{x:g}"
