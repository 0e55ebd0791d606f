"""Curves of a ranking as pictures: coverage with its hull and isometrics, precision and recall, lift, calibration."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from structtree.evaluation.curves import CalibrationCurve
from structtree.evaluation.performance import ClassCurves, Performance
from structtree.files import replacing
from structtree.report.pictures.coverage import coverage_axes
from structtree.report.pictures.rendering import GREY, INK, WITH, check_picture, quiet_axes
from structtree.tasks.measures import Measure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw_curves", "performance_figure"]


def draw_curves(found: Performance, path: str | Path, *, measure: Measure | None = None, title: str = "") -> None:
    """Draw the curves of each class, or the calibration of numbers, as SVG, PNG or PDF."""
    target = Path(path)
    check_picture(target)
    figure = performance_figure(found, measure=measure, title=title)
    with replacing(target) as draft:
        figure.savefig(draft, format=draft.suffix[1:], dpi=150)


def performance_figure(found: Performance, *, measure: Measure | None = None, title: str = "") -> Figure:
    """Return the figure that `draw_curves` writes, with a row of panels for each class.

    Parameters
    ----------
    found : Performance
    measure : Measure, optional
        Measure of classes whose isometrics are drawn behind the coverage curve.
    title : str
    """
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    rows: list[list[Callable[[Any], None]]] = [_panels(curves, measure) for curves in found.curves]
    if found.calibration is not None:
        rows.append([partial(_calibration, curve=found.calibration, observed="mean label")])
    n_columns = max(map(len, rows), default=1)
    layout = ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.08)
    figure = Figure(figsize=(0.4 + 3.1 * n_columns, 0.5 + 3.1 * max(1, len(rows))), layout=layout)
    if title:
        figure.suptitle(title, x=0.012, ha="left", fontsize=12, color=INK)
    panels: Any = figure.subplots(max(1, len(rows)), n_columns, squeeze=False)
    for axes, draw in zip(panels.flat, [draw for row in rows for draw in row], strict=False):
        draw(axes)
        quiet_axes(axes)
    return figure


def _panels(curves: ClassCurves, measure: Measure | None) -> list[Callable[[Any], None]]:
    return [
        partial(_coverage, curves=curves, measure=measure),
        partial(_precision_recall, curves=curves),
        partial(_lift, curves=curves),
        partial(_calibration, curve=curves.calibration, observed=f"share of {curves.label}"),
    ]


def _coverage(axes: Any, curves: ClassCurves, measure: Measure | None) -> None:
    curve = curves.coverage
    x, y = curve.negatives, curve.positives
    total = np.array([x[-1], y[-1]], dtype=np.float64)
    coverage_axes(axes, total, curves.label, measure)
    axes.plot(x[curve.hull], y[curve.hull], color=GREY, linewidth=1, zorder=3)
    axes.plot(x, y, color=WITH, linewidth=1.5, clip_on=False, zorder=4)
    best = curves.cheapest
    axes.plot(best.false_positives, best.true_positives, "o", color=WITH, clip_on=False, zorder=5)
    axes.set_title(f"Coverage, AUC {curves.roc.auc:.3f}", loc="left", fontsize=9, color=INK)


def _precision_recall(axes: Any, curves: ClassCurves) -> None:
    curve = curves.precision_recall
    axes.step([0.0, *curve.recall], [curve.precision[0], *curve.precision], color=WITH, linewidth=1.5, where="pre")
    share = curves.coverage.positives[-1] / (curves.coverage.positives[-1] + curves.coverage.negatives[-1])
    axes.axhline(share, color=GREY, linestyle="--", linewidth=1)
    _named(axes, "recall", "precision", f"Mean precision {curve.average_precision:.3f}")
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1.02)


def _lift(axes: Any, curves: ClassCurves) -> None:
    curve = curves.lift
    axes.plot([0.0, *curve.selected], [curve.lift[0], *curve.lift], color=WITH, linewidth=1.5)
    axes.axhline(1.0, color=GREY, linestyle="--", linewidth=1)
    _named(axes, "share of individuals selected", "lift", "Lift")
    axes.set_xlim(0, 1)
    axes.set_ylim(bottom=0)


def _calibration(axes: Any, curve: CalibrationCurve, observed: str) -> None:
    low = min(curve.predicted.min(), curve.observed.min())
    high = max(curve.predicted.max(), curve.observed.max())
    axes.plot([low, high], [low, high], color=GREY, linestyle="--", linewidth=1)
    sizes = 12 + 60 * curve.n / curve.n.max()
    axes.scatter(curve.predicted, curve.observed, s=sizes, color=WITH, clip_on=False, zorder=3)
    _named(axes, "mean prediction", observed, "Calibration")


def _named(axes: Any, x: str, y: str, title: str) -> None:
    axes.set_xlabel(x, color=INK, fontsize=8.5)
    axes.set_ylabel(y, color=INK, fontsize=8.5)
    axes.set_title(title, loc="left", fontsize=9, color=INK)
