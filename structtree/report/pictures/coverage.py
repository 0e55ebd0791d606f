"""Coverage plots: the individuals of each subgroup, with lines of equal quality of the measure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from structtree.arrays import Floats
from structtree.evaluation.curves import isometric_grid
from structtree.files import replacing
from structtree.report.pictures.rendering import GREY, INK, WITH, check_picture, quiet_axes
from structtree.rules.subgroups import Subgroup, Subgroups
from structtree.tasks.measures import Measure
from structtree.tasks.metrics import class_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["coverage_axes", "coverage_figure", "draw_coverage"]

ABREAST = 3
"""Maximum number of panels side by side."""


def draw_coverage(found: Subgroups, path: str | Path, title: str = "") -> None:
    """Draw the coverage of subgroups, as SVG, PNG or PDF."""
    target = Path(path)
    check_picture(target)
    figure = coverage_figure(found, title)
    with replacing(target) as draft:
        figure.savefig(draft, format=draft.suffix[1:], dpi=150)


def coverage_figure(found: Subgroups, title: str = "") -> Figure:
    """Return the figure that `draw_coverage` writes, with one panel for each class that has subgroups.

    For a class, the coordinates of a subgroup are the numbers of its individuals of other classes and of the class.
    Subgroups on the dashed diagonal are like all individuals, and lines join points of equal quality. For numbers,
    and if all classes are compared, the size of a subgroup is drawn against its mean or its quality.
    """
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    labels = list(dict.fromkeys(each.label for each in found)) or [None]
    n_columns = min(len(labels), ABREAST)
    n_rows = -(-len(labels) // n_columns)
    layout = ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.08)
    figure = Figure(figsize=(1.0 + 4.2 * n_columns, 0.5 + 3.9 * n_rows), layout=layout)
    if title:
        figure.suptitle(title, x=0.012, ha="left", fontsize=12, color=INK)
    panels: Any = figure.subplots(n_rows, n_columns, squeeze=False)
    for place, axes in enumerate(panels.flat):
        if place >= len(labels):
            axes.set_axis_off()
            continue
        _panel(axes, found, labels[place])
        quiet_axes(axes)
    return figure


def _panel(axes: Any, found: Subgroups, label: Any) -> None:
    own = [(place, each) for place, each in enumerate(found, 1) if each.label == label]
    if found.task.predicts_classes and label is not None:
        points = _class_points([each for _, each in own])
        mine = found.labels[~found.is_held_out] == label
        coverage_axes(axes, np.array([np.sum(~mine), np.sum(mine)], dtype=np.float64), label, found.measure)
    else:
        heights = [each.searched.quality if label is None else each.searched.mean for _, each in own]
        points = np.array([[each.searched.n for _, each in own], heights], dtype=np.float64).T.reshape(-1, 2)
        if own and label is not None:
            axes.axhline(own[0][1].searched.mean_all, color=GREY, linestyle="--", linewidth=1)
        axes.set_xlabel("individuals", color=INK, fontsize=8.5)
        axes.set_ylabel(found.measure.name if label is None else "mean", color=INK, fontsize=8.5)
    axes.plot(points[:, 0], points[:, 1], "o", color=WITH, markersize=5, clip_on=False, zorder=3)
    for (place, _), (x, y) in zip(own, points, strict=True):
        axes.annotate(str(place), (x, y), xytext=(4, 4), textcoords="offset points", fontsize=8, color=INK)


def _class_points(subgroups: Sequence[Subgroup]) -> Floats:
    """Return the number of individuals of other classes, and of the class, in each subgroup."""
    hits = np.array([round(each.searched.mean * each.searched.n) for each in subgroups])
    sizes = np.array([each.searched.n for each in subgroups])
    return np.stack([sizes - hits, hits], axis=1).astype(np.float64)


def coverage_axes(axes: Any, total: Floats, label: Any, measure: Measure | None = None) -> None:
    """Prepare the axes of a coverage plot: names, limits, the line of random subsets, and isometrics of a measure.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
    total : array
        Number of individuals of other classes and of the class.
    label
        The class.
    measure : Measure, optional
    """
    axes.set_xlabel("individuals of other classes", color=INK, fontsize=8.5)
    axes.set_ylabel(f"individuals of class {class_name(label)}", color=INK, fontsize=8.5)
    if measure is not None:
        x, y, quality = isometric_grid(measure, *total.astype(int).tolist())
        levels = np.linspace(quality.min(), quality.max(), 12)[1:-1]
        if len(np.unique(levels)) == len(levels):
            axes.contour(x, y, quality, levels=levels, colors="#d5dbe6", linestyles="-", linewidths=0.8, zorder=1)
    axes.plot([0, total[0]], [0, total[1]], color=GREY, linestyle="--", linewidth=1, zorder=2)
    axes.set_xlim(0, total[0])
    axes.set_ylim(0, total[1])
