"""The performance of a model as text and as a page: scores, costs of errors, and figures of the curves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from io import StringIO
from math import isclose, isfinite

import numpy as np

from structtree.evaluation.curves import LiftCurve
from structtree.evaluation.performance import ClassCurves, ErrorCosts, Performance
from structtree.evaluation.score import Scores
from structtree.models.records import StoredScores
from structtree.report.html.page import HtmlReport, static_page
from structtree.report.pictures.curves import performance_figure
from structtree.report.scores import aligned, confusion_lines, score_lines
from structtree.reprs import inert, number_text
from structtree.tasks.measures import Measure

__all__ = ["is_seen_in_training", "performance_lines", "performance_page"]

TOP_SHARE = 0.1
"""Share of the individuals whose lift is shown in the table."""


def performance_lines(
    found: Performance, *, target: str = "", with_scores: bool = True, with_confusion: bool = True
) -> Iterator[str]:
    """Yield the performance as lines of text.

    Examples
    --------
    >>> from structtree.evaluation.performance import performance_of
    >>> from structtree.evaluation.score import Predicted
    >>> chances = np.array([[0.8, 0.2], [0.4, 0.6], [0.4, 0.6], [0.8, 0.2]])
    >>> answers = Predicted.of_classes(["no", "yes", "no", "no"], ["no", "yes", "yes", "no"], ["no", "yes"], chances)
    >>> found = performance_of(answers, metrics=["accuracy"], costs=[[0, 1], [4, 0]])
    >>> print(*performance_lines(found, target="ill"), sep="\\n")  # doctest: +NORMALIZE_WHITESPACE
    ill       4 individuals  always no
    accuracy          0.750      0.750
    <BLANKLINE>
    true \\ predicted  no  yes  recall
    no                 2    1   0.667
    yes                0    1   1.000
    <BLANKLINE>
    cost of errors: 1, or 0.25 per individual; the cheapest constant prediction costs 3
    <BLANKLINE>
    class  individuals    AUC  hull  mean precision  lift of top 10 %  calibration error    cheapest  cost
    yes              1  0.833  0.833          0.500              2.00              0.150  p >= 0.600     1
    """
    n = number_text(found.scores.n, "individual")
    if with_scores:
        yield from score_lines({n: found.scores}, title=target)
        yield ""
    if with_confusion and found.scores.confusion is not None:
        yield from confusion_lines(found.scores.confusion)
        yield ""
    if found.errors is not None:
        yield _cost_sentence(found.errors, found.scores.n)
        yield ""
    if found.curves:
        yield from aligned(_curve_rows(found))
    if found.calibration is not None:
        yield from aligned(_calibration_rows(found))


def is_seen_in_training(scores: Scores, stored: StoredScores | None) -> bool:
    """Return whether scores equal those that a model stores about its training data, so that they are optimistic."""
    if stored is None or stored.n != scores.n:
        return False
    known = {name: value for name, value in zip(stored.metrics, stored.values, strict=True) if name in scores.values}
    return bool(known) and all(_is_equal(scores[name], value) for name, value in known.items())


def _is_equal(value: float, stored: float | None) -> bool:
    return not isfinite(value) if stored is None else isclose(value, stored, rel_tol=1e-9, abs_tol=1e-12)


def performance_page(
    found: Performance, *, title: str = "", measure: Measure | None = None, remarks: Sequence[str] = ()
) -> HtmlReport:
    """Return a page with scores, confusion matrix, costs and curves; it needs no scripts.

    Examples
    --------
    >>> from structtree import load_dataset, fit
    >>> from structtree.evaluation.performance import performance
    >>> trains = load_dataset("trains")
    >>> model = fit(trains.population, trains.target, trains.grammar)
    >>> performance_page(performance(model, trains.population, trains.target), title="Trains")
    <HtmlReport: Trains, ... MB>
    """
    title = title or "Performance"
    scores = [["", number_text(found.scores.n, "individual"), found.scores.constant]]
    for name, value in found.scores.values.items():
        metric = found.scores.task.metrics[name]
        scores.append([metric.label, *(_figure(each, metric.form) for each in (value, found.scores.baseline[name]))])
    parts = ["".join(f"<p>{escape(inert(text))}</p>" for text in remarks), _table("Scores", scores)]
    if found.scores.confusion is not None:
        parts.append(_table("Confusion", _confusion_rows(found)))
    if found.errors is not None:
        parts.append(f"<p>{escape(_cost_sentence(found.errors, found.scores.n))}</p>")
    rows = _curve_rows(found) if found.curves else _calibration_rows(found) if found.calibration is not None else []
    parts.append(_table("Curves" if found.curves else "Calibration", rows) if rows else "")
    if rows:
        parts.append(_picture(found, measure))
    return HtmlReport(static_page(title, "".join(parts)), title)


def _curve_rows(found: Performance) -> list[list[str]]:
    """Return a table of the curves, with the cheapest threshold, or the one with fewest errors without costs."""
    has_costs = found.errors is not None and len(found.errors.costs) == 2
    figures = ["AUC", "hull", "mean precision", f"lift of top {TOP_SHARE * 100:g} %", "calibration error"]
    choice = ["cheapest", "cost"] if has_costs else ["fewest errors", "errors"]
    rows = [["class", "individuals", *figures, *choice]]
    for one in found.curves:
        numbers = (one.roc.auc, one.roc.hull_auc, one.precision_recall.average_precision)
        cells = [*(_figure(each) for each in numbers), _figure(_lift_of(one.lift, TOP_SHARE), ".2f")]
        cells += [_figure(one.calibration.error), _threshold(one), f"{one.cheapest.cost:,.6g}"]
        rows.append([one.label, f"{one.coverage.positives[-1]:,}", *cells])
    return rows


def _lift_of(curve: LiftCurve, share: float) -> float:
    """Return the lift of a share of the individuals; of equal scores, a random part is taken."""
    return float(np.interp(share, [0.0, *curve.selected], [0.0, *curve.gain])) / share


def _threshold(one: ClassCurves) -> str:
    return f"p >= {one.cheapest.value:.3f}" if isfinite(one.cheapest.value) else "never"


def _calibration_rows(found: Performance) -> list[list[str]]:
    assert found.calibration is not None
    curve = found.calibration
    rows = [["mean prediction", "mean label", "individuals"]]
    for predicted, observed, n in zip(curve.predicted, curve.observed, curve.n, strict=True):
        rows.append([f"{predicted:.4g}", f"{observed:.4g}", f"{n:,}"])
    return rows


def _confusion_rows(found: Performance) -> list[list[str]]:
    assert found.scores.confusion is not None
    classes, counts = found.scores.confusion
    rows = [["true \\ predicted", *classes]]
    for i, name in enumerate(classes):
        cells = [f"{count:,}" for count in counts[i].tolist()]
        if found.errors is not None:
            prices = found.errors.costs[i].tolist()
            cells = [f"{cell} × {price:g}" if price else cell for cell, price in zip(cells, prices, strict=True)]
        rows.append([name, *cells])
    return rows


def _cost_sentence(errors: ErrorCosts, n: int) -> str:
    total = f"{errors.total:,.6g}, or {errors.total / n:.4g} per individual"
    return f"cost of errors: {total}; the cheapest constant prediction costs {errors.constant:,.6g}"


def _figure(value: float, form: str = ".3f") -> str:
    return f"{value:{form}}" if isfinite(value) else "-"


def _table(name: str, rows: Sequence[Sequence[str]]) -> str:
    heads, *others = rows
    head = "".join(f'<th scope="col">{escape(inert(cell))}</th>' for cell in heads)
    body = "".join(
        f'<tr><th scope="row">{escape(inert(first))}</th>'
        + "".join(f'<td class="number">{escape(inert(cell))}</td>' for cell in cells)
        + "</tr>"
        for first, *cells in others
    )
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<h2>{name}</h2><div class="scroll" tabindex="0" role="region" aria-label="{name}">{table}</div>'


def _picture(found: Performance, measure: Measure | None) -> str:
    drawn = StringIO()
    performance_figure(found, measure=measure).savefig(drawn, format="svg", metadata={"Date": None})
    picture = drawn.getvalue()
    alternative = "Coverage, precision and recall, lift and calibration" if found.curves else "Calibration"
    label = escape(f"{alternative}; the table has the figures")
    return f'<div class="plate" role="img" aria-label="{label}">{picture[picture.index("<svg") :]}</div>'
