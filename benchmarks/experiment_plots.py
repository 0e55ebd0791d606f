"""Pictures of experiments as SVG, drawn by matplotlib from plain points.

A picture stores its points as JSON in the description of its file, so that a test can compare a committed picture
with the results, whatever version of matplotlib drew it.
"""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

__all__ = ["Panel", "Picture", "Series", "draw", "drawn_points", "points_of"]

STYLE = {
    "svg.hashsalt": "structtree",
    "svg.fonttype": "none",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "legend.frameon": False,
    "legend.fontsize": 8,
}
DESCRIPTION = "{http://purl.org/dc/elements/1.1/}description"


@dataclass(frozen=True, slots=True)
class Series:
    """Points with a label; names on the vertical axis make rows of dots, numbers make a line."""

    label: str
    x: tuple[float, ...]
    y: tuple[float, ...] | tuple[str, ...]
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Panel:
    """One pair of axes."""

    x: str
    y: str
    series: tuple[Series, ...]
    log_x: bool = False
    log_y: bool = False
    title: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """Panels side by side, with the text that replaces them for those who cannot see them."""

    name: str
    text: str
    panels: tuple[Panel, ...]


def points_of(picture: Picture) -> str:
    """Return everything that is drawn, as JSON."""
    return json.dumps(asdict(picture), ensure_ascii=False)


def drawn_points(path: Path) -> str:
    """Return the points in the description of a file."""
    return next(node.text or "" for node in ET.parse(path).iter(DESCRIPTION))


def draw(picture: Picture, path: Path) -> None:
    """Draw the panels side by side into a file."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(9.0, _height(picture)), layout="constrained")
        axes = figure.subplots(1, len(picture.panels), squeeze=False)[0]
        for axis, panel in zip(axes, picture.panels, strict=True):
            _draw_panel(axis, panel)
        columns = min(4, max(len(panel.series) for panel in picture.panels))
        handles = {
            label: line for axis in axes for line, label in zip(*axis.get_legend_handles_labels(), strict=True)
        }
        figure.legend(list(handles.values()), list(handles), loc="outside upper center", ncols=columns)
        figure.savefig(path, format="svg", metadata={"Date": None, "Description": points_of(picture)})


def _height(picture: Picture) -> float:
    named = {y for panel in picture.panels for series in panel.series for y in series.y if isinstance(y, str)}
    return max(3.2, 1.2 + 0.24 * len(named))


def _draw_panel(axis: Axes, panel: Panel) -> None:
    for series, marker in zip(panel.series, _markers(), strict=False):
        line = "" if isinstance(series.y[0], str) else "--" if series.dashed else "-"
        axis.plot(series.x, series.y, linestyle=line, marker=marker, markersize=5, alpha=0.85, label=series.label)
    if isinstance(panel.series[0].y[0], str):
        axis.invert_yaxis()
    axis.set_xscale("log" if panel.log_x else "linear")
    if panel.log_y:
        axis.set_yscale("log")
    axis.set_xlabel(panel.x)
    axis.set_ylabel(panel.y)
    axis.set_title(panel.title)


def _markers() -> Iterator[str]:
    while True:
        yield from "osD^vPX*<>hd"
