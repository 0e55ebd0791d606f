"""Command that evaluates a model on data with known labels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from structtree.cli.common import Json, check_output, command, note, print_json, say
from structtree.cli.learning import costs_by_name
from structtree.cli.models import IgnoredOptions, ModelFile
from structtree.cli.progress import live_status
from structtree.cli.reading import Reading, Where, read_with_options
from structtree.cli.scoring import MetricOption, Metrics
from structtree.errors import DataError, UsageError, did_you_mean
from structtree.reprs import inert

if TYPE_CHECKING:
    from structtree.evaluation.performance import Performance
    from structtree.models.model import Model
    from structtree.tasks.measures import Measure

__all__ = ["evaluate_command"]


@command
def evaluate_command(
    model: ModelFile,
    where: Where,
    reading: Reading,
    ignored: IgnoredOptions,
    metric: MetricOption = None,
    label: Annotated[
        str | None,
        typer.Option(
            "--class",
            metavar="CLASS",
            help="Class of the curves.  [default: the second of two classes, each of more]",
            show_default=False,
        ),
    ] = None,
    cost: Annotated[
        list[str] | None,
        typer.Option(
            "--cost",
            metavar="TRUE:PREDICTED=COST",
            help="Misclassification cost, such as active:inactive=5; can be repeated.  [default: those of the model]",
        ),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw the curves: .png, .svg or .pdf.")
    ] = None,
    isometrics: Annotated[
        str | None,
        typer.Option(
            "--isometrics", metavar="MEASURE", help="Measure whose isometrics are drawn in coverage plots: wracc."
        ),
    ] = None,
    report: Annotated[
        Path | None, typer.Option("--report", metavar="FILE.html", help="Write a page with tables and curves.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Evaluate a model on data with known labels: scores, confusion and its costs, and curves of each class.

    For each class: the area under the ROC curve and under its convex hull, the mean precision, the lift of the tenth
    of the individuals that are ranked highest, the calibration error, and the threshold with the fewest errors or the
    lowest costs. --json has all points of the curves: coverage, ROC, precision and recall, lift, and calibration.

    Example: structtree evaluate trains.json trains

    Example: structtree evaluate churn.json new.csv --class yes --cost yes:no=5 --report churn.html

    Example: structtree evaluate churn.json new.csv --plot churn.svg --isometrics wracc
    """
    from structtree.files import check_writable
    from structtree.models.files.models import load_model
    from structtree.report.performance import is_seen_in_training, performance_lines
    from structtree.report.pictures.rendering import check_picture

    if plot is not None:
        check_picture(plot)
    for path in (plot, report):
        check_writable(path)
        check_output(path, as_json=as_json)
    measure = _measure(isometrics, plot or report)
    loaded, metrics = load_model(model), Metrics.parse(metric)
    metrics.check(loaded.task)
    found = _performance(loaded, where, reading, metrics, label, cost)
    remarks = []
    if is_seen_in_training(found.scores, loaded.scores.training):
        remarks.append("these are the scores on the training data, which are optimistic")
    if as_json:
        print_json(found.to_dict() | {"target": loaded.target, "is_training": bool(remarks)})
    else:
        target = inert(loaded.target or "target")
        shown = {"with_scores": bool(found.scores.values), "with_confusion": metrics.with_confusion}
        for line in performance_lines(found, target=target, **shown):
            say(line)
    for remark in remarks:
        note(f"note: {remark}")
    _write(found, loaded, plot, report, measure, remarks)


def _performance(
    model: Model, where: str, reading: Reading, metrics: Metrics, label: str | None, cost: list[str] | None
) -> Performance:
    """Read the data and evaluate the model."""
    from structtree.evaluation.performance import performance_of
    from structtree.models.tree_predictor import TreePredictor
    from structtree.report.predictions import predictions

    if not model.task.predicts_classes and (label is not None or cost):
        raise UsageError(f"{'--class' if cost is None else '--cost'} is for classes, but the target is a number")
    own = model.predictor.decision.costs if isinstance(model.predictor, TreePredictor) else None
    costs = costs_by_name(cost, model.classes) or own
    data = read_with_options(where, reading, model=model)
    with live_status("evaluating"):
        found = predictions(model, data)
    if found.answers is None:
        raise DataError(f"the data has no values of {model.target or 'the target'}, which the model predicts")
    return performance_of(found.answers, metrics=metrics.names, label=label, costs=costs)


def _measure(name: str | None, drawn: Path | None) -> Measure | None:
    from structtree.tasks.measures import MEASURES, measure_class

    if name is None:
        return None
    if drawn is None:
        raise UsageError("--isometrics is for pictures; add --plot FILE or --report FILE.html")
    known = [each for each, one in MEASURES.items() if one.task == "classes"]
    if name not in known:
        raise UsageError(f"--isometrics takes a measure of classes; got {name!r}{did_you_mean(name, known)}")
    return measure_class(name)()


def _write(
    found: Performance,
    model: Model,
    plot: Path | None,
    report: Path | None,
    measure: Measure | None,
    remarks: list[str],
) -> None:
    """Write the requested files."""
    from structtree.report.performance import performance_page
    from structtree.report.pictures.curves import draw_curves

    title = f"Predictions of {model.target or 'the target'}"
    if plot is not None:
        draw_curves(found, plot, measure=measure, title=title)
        note(f"wrote {plot}")
    if report is not None:
        performance_page(found, title=title, measure=measure, remarks=remarks).save(report)
        note(f"wrote {report}")
