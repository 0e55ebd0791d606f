"""Report of an ensemble as one static page: scores, importances with examples, calibration, learning curve, one tree.

Held-out figures come first. A forest that was just fitted has its predictions out of bag, for the scores, the
calibration and the learning curve; otherwise these are about the individuals of the report, and say so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import Floats
from structtree.data.population import Population
from structtree.data.reachable import part_of
from structtree.errors import DataError, UsageError
from structtree.evaluation.score import Predicted, Scores, constant_answers, main_metric, score_answers
from structtree.lang import syntax as syn
from structtree.lang.pretty import pretty
from structtree.learn.forest_fit import ForestModel
from structtree.learn.forests import out_of_samples
from structtree.models.boosting import BoostingPredictor
from structtree.models.ensemble import EnsemblePredictor, ForestPredictor, leaf_values
from structtree.models.importance import column_importances, importances, without_number
from structtree.models.model import Fitted, Model
from structtree.models.records import StoredScores
from structtree.report.explain import Reason
from structtree.report.forests import forest_lines
from structtree.report.pictures.highlights import marks_of
from structtree.report.pictures.individuals import drawn
from structtree.report.pictures.scene import Box, Label, Scene, SceneItem, Stroke, to_svg
from structtree.report.pictures.trees import plot_tree
from structtree.report.words import in_words
from structtree.reprs import inert, number_text
from structtree.space.evaluate import holds
from structtree.space.terms import conjuncts

__all__ = ["ensemble_body", "representative"]

MOST_TESTS, MOST_EXAMPLES, MOST_FEATURES = 12, 6, 12
"""Maximum numbers of tests, of tests with a drawn example, and of attributes and links."""

BINS = 10
"""Number of bins of a calibration plot."""

CURVE_POINTS = 40
"""Approximate number of points of a learning curve."""

SHOWN_LEVELS = 3
"""Levels of the representative tree that are drawn."""

_GREY, _INK, _BLUE, _GOLD = "#8a93a6", "#1c2a44", "#1f6fb2", "#d18f00"


@dataclass(frozen=True, slots=True, eq=False)
class _Reported:
    """Individuals of a report, with what the ensemble predicts for them after each tree.

    Parameters
    ----------
    model : Model
    population : Population
        Prepared for the tests.
    target : array, optional
    leaves : (individuals, trees) array
    unseen : (individuals, trees) bool, optional
        Whether a tree did not see an individual; None if unknown.
    """

    model: Model
    population: Population
    target: NDArray[Any] | None
    leaves: NDArray[np.int32]
    unseen: NDArray[np.bool_] | None

    @property
    def ensemble(self) -> EnsemblePredictor:
        """The predictor."""
        assert isinstance(self.model.predictor, EnsemblePredictor)
        return self.model.predictor

    @property
    def source(self) -> str:
        """The individuals that figures are about, as a phrase."""
        return "new data (out of bag)" if self.unseen is not None else "the individuals of this report"

    def staged(self) -> Iterator[tuple[int, Floats]]:
        """Yield numbers of trees, and the combined predictions of these trees; NaN for individuals they saw."""
        ensemble = self.ensemble
        if isinstance(ensemble, BoostingPredictor):
            for n, margins in enumerate(ensemble.staged_margins(self.leaves), 1):
                yield n, ensemble.from_margins(margins.copy())
            return
        values, n_trees = leaf_values(ensemble.trees.figures, ensemble.task), len(ensemble.trees)
        inside = np.ones(self.leaves.shape, dtype=np.bool_) if self.unseen is None else self.unseen
        total, n_votes = np.zeros((len(self.leaves), values.shape[1])), np.zeros(len(self.leaves))
        for tree in range(n_trees):
            total += values[self.leaves[:, tree]] * inside[:, tree, None]
            n_votes += inside[:, tree]
            with np.errstate(invalid="ignore"):
                mean = total / n_votes[:, None]
            yield tree + 1, mean if ensemble.task.predicts_classes else mean[:, 0]


def ensemble_body(known: Fitted, individuals: Any, target: Any) -> str:
    """Return the markup of the report, for `structtree.report.html.page.static_page`.

    Parameters
    ----------
    known : Fitted
        With an ensemble.
    individuals : individuals in any form
    target : array, optional
        True labels.
    """
    population = known.prepared(individuals)
    labels = None if target is None else np.asarray(target)
    if labels is not None and labels.shape != (len(population),):
        raise DataError(f"expected {len(population)} labels, one for each individual; got shape {labels.shape}")
    if not len(population):
        raise UsageError("a report needs at least one individual")
    ensemble: Any = known.model.predictor
    seen = _Reported(
        known.model, population, labels, ensemble.leaves(population), _unseen(known.model, len(population))
    )
    sections = [_summary(seen), *_scores(seen), *_importances(seen), *_calibration(seen), *_curve(seen), *_tree(seen)]
    return "".join(sections)


def _unseen(model: Model, n: int) -> NDArray[np.bool_] | None:
    """Return which trees did not see which individuals, for a forest that was fitted to them."""
    if not isinstance(model, ForestModel) or model.grown is None or model.settings.forest is None:
        return None
    found = out_of_samples(model.grown, model.settings.growth, model.settings.forest)
    return found if len(found) == n and found.any() else None


# ---- figures ---------------------------------------------------------------------------------------------


def _summary(seen: _Reported) -> str:
    return f"<section><p>{escape(inert(next(forest_lines(seen.model))))}</p></section>"


def _scored(seen: _Reported, combined: Floats) -> Scores | None:
    """Return the scores of combined predictions for the individuals that have a label and a prediction."""
    assert seen.target is not None
    ensemble, flat = seen.ensemble, combined if combined.ndim == 1 else combined[:, 0]
    rows = np.flatnonzero(~np.isnan(flat) & _is_known(seen))
    if not len(rows):
        return None
    said, target = seen.model.task.labels(ensemble.answers(combined[rows])), seen.target[rows]
    if not seen.model.task.predicts_classes:
        answers = Predicted.of_numbers(target, said, seen.model.task)
    else:
        answers = Predicted.of_classes(target, said, seen.model.classes, combined[rows])
    return score_answers(answers, constant_answers(answers))


def _is_known(seen: _Reported) -> NDArray[np.bool_]:
    """Return which individuals have a label that the ensemble knows."""
    assert seen.target is not None
    if not seen.model.classes:
        return np.isfinite(seen.target.astype(np.float64))
    return np.isin(seen.target.astype(str), np.array(seen.model.classes).astype(str))


def _scores(seen: _Reported) -> Iterator[str]:
    """Yield the scores, held-out ones first."""
    stored = seen.model.scores
    folds = 0 if stored.held_out is None else stored.held_out.folds
    how = f"{folds} folds" if folds else "out of bag"
    columns = {f"new data ({how})": stored.held_out, "training data": stored.training}
    known = {name: scores for name, scores in columns.items() if scores is not None}
    if not known and seen.target is not None:
        *_, (_, last) = seen.staged()
        found = _scored(seen, last)
        if found is not None:
            rows = [[_label(seen, m), f"{found[m]:.3f}", f"{found.baseline[m]:.3f}"] for m in found.values]
            yield f"<h2>Scores</h2>{_table('Scores', ['', seen.source, found.constant], rows)}"
        return
    if known:
        first = next(iter(known.values()))
        rows = [
            [_label(seen, metric), *(_figure(scores, metric) for scores in known.values()), _number(base)]
            for metric, base in zip(first.metrics, first.baseline, strict=True)
        ]
        yield f"<h2>Scores</h2>{_table('Scores', ['', *known, first.constant], rows)}"


def _label(seen: _Reported, metric: str) -> str:
    known = seen.model.task.metrics.get(metric)
    return metric if known is None else known.label


def _figure(scores: StoredScores, metric: str) -> str:
    if metric not in scores.metrics:
        return ""
    return _number(scores.values[scores.metrics.index(metric)])


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


# ---- importances -----------------------------------------------------------------------------------------


def _importances(seen: _Reported) -> Iterator[str]:
    """Yield the shares of the gain by test, some with an example, and by attribute and link."""
    schema = seen.model.schema
    tests = [(test, share) for test, share in column_importances(seen.model).items() if share > 0]
    if not tests:
        return
    yield "<h2>Tests, by share of the gain</h2>"
    has_links = bool(schema.type(schema.individual).links)
    for place, (test, share) in enumerate(tests[:MOST_TESTS]):
        useful = _most_useful(seen.ensemble, test)
        words, text = escape(inert(in_words(useful, schema))), escape(pretty(test))
        example = _example(seen, useful) if has_links and place < MOST_EXAMPLES else ""
        yield f"<section><p><b>{share:.1%}</b> {words}<br><code>{text}</code></p>{example}</section>"
    rows = [[path, f"{share:.1%}"] for path, share in list(importances(seen.model).items())[:MOST_FEATURES]]
    yield f"<h2>Attributes and links, by share of the gain</h2>{_table('Attributes and links', ['', 'share'], rows)}"


def _example(seen: _Reported, test: syn.Predicate) -> str:
    """Return a drawing of the first individual that satisfies a test."""
    rows = np.flatnonzero(holds(test, seen.population))
    if not len(rows):
        return ""
    alone = part_of(seen.population, [int(rows[0])]).population
    marks = marks_of(Reason(None, pretty(test), True, (), condition=test), alone)
    target = seen.model.target
    own = alone.tables[alone.schema.individual].columns
    drawing = drawn(alone.without(target) if target is not None and target in own else alone, [marks])
    title = f"{alone.schema.individual} {rows[0]}, an example of {len(rows):,}"
    scene = Scene(drawing.width, drawing.height, tuple(drawing.items(marks.counted, marks.supporting)), inert(title))
    return f'<div class="plate">{to_svg(scene)}</div><p>{escape(inert(title))}</p>'


def _most_useful(ensemble: EnsemblePredictor, column: syn.Predicate) -> syn.Predicate:
    """Return the test, or the part of a conjunction, of a column with the largest gain."""
    found = [
        (gain, part)
        for tests, gains in zip(ensemble.ladders, ensemble.gains, strict=True)
        for test, gain in zip(tests, gains.tolist(), strict=True)
        for part in conjuncts(test)
        if without_number(part) == column
    ]
    return max(found, key=lambda pair: pair[0])[1]


# ---- charts ----------------------------------------------------------------------------------------------


def _calibration(seen: _Reported) -> Iterator[str]:
    """Yield the frequency of the last class (of two), or of the predicted class, by its predicted probability."""
    if seen.target is None or not seen.model.classes:
        return
    *_, (_, combined) = seen.staged()
    rows = np.flatnonzero(~np.isnan(combined[:, 0]) & _is_known(seen))
    if not len(rows):
        return
    names = np.array(seen.model.classes).astype(str)
    place = np.full(len(rows), 1) if len(names) == 2 else combined[rows].argmax(axis=1)
    chances = combined[rows, place]
    hits = seen.target[rows].astype(str) == names[place]
    bins = np.minimum((chances * BINS).astype(int), BINS - 1)
    points = [(float(chances[bins == b].mean()), float(hits[bins == b].mean())) for b in np.unique(bins)]
    what = f"of {names[1]}" if len(names) == 2 else "of the predicted class"
    chart = _chart(
        points, (0.0, 1.0), (0.0, 1.0), f"predicted probability {what}", "frequency", diagonal=True, lines=False
    )
    note = f"{number_text(rows, 'individual')} in {number_text(points, 'bin')}, {seen.source}"
    note = inert(f"{note}; on the line, probabilities are right")
    yield f'<h2>Calibration</h2><div class="plate">{chart}</div><p>{escape(note)}</p>'


def _curve(seen: _Reported) -> Iterator[str]:
    """Yield the main score by the number of trees."""
    if seen.target is None or len(seen.ensemble.trees) < 2:
        return
    n_all = sum(1 for _ in seen.staged())
    wanted = {int(n) for n in np.unique(np.geomspace(1, n_all, CURVE_POINTS).round())}
    main, points = main_metric(seen.model.task), list[tuple[float, float]]()
    for n, combined in seen.staged():
        if n in wanted and (found := _scored(seen, combined)) is not None and np.isfinite(found[main]):
            points.append((float(n), found[main]))
    if len(points) < 2:
        return
    values = [value for _, value in points]
    room = 0.05 * (max(values) - min(values) or 1.0)
    label = _label(seen, main)
    unit = "rounds" if isinstance(seen.ensemble, BoostingPredictor) else "trees"
    chart = _chart(points, (1.0, float(n_all)), (min(values) - room, max(values) + room), f"number of {unit}", label)
    note = f"{label} by the number of {unit}, {seen.source}"
    yield f'<h2>Learning curve</h2><div class="plate">{chart}</div><p>{escape(inert(note))}</p>'


def _chart(
    points: Sequence[tuple[float, float]],
    x_range: tuple[float, float],
    y_range: tuple[float, float],
    x_label: str,
    y_label: str,
    *,
    diagonal: bool = False,
    lines: bool = True,
) -> str:
    """Return a chart of points as SVG."""
    left, top, width, height = 52.0, 24.0, 400.0, 240.0

    def at(point: tuple[float, float]) -> tuple[float, float]:
        x, y = (
            (value - low) / (high - low or 1.0) for value, (low, high) in zip(point, (x_range, y_range), strict=True)
        )
        return left + width * x, top + height * (1 - y)

    items: list[SceneItem] = [Label(4, 14, inert(y_label), 11, _INK)]
    for share in (0.0, 0.5, 1.0):
        y, value = top + height * (1 - share), y_range[0] + share * (y_range[1] - y_range[0])
        items += [
            Stroke(left, y, left + width, y, 0.6, "#d7deea"),
            Label(left - 6, y + 4, f"{value:.3g}", 10, _GREY, anchor="end"),
        ]
        x, value = left + width * share, x_range[0] + share * (x_range[1] - x_range[0])
        items.append(Label(x, top + height + 16, f"{value:.3g}", 10, _GREY, anchor="middle"))
    items.append(Label(left + width / 2, top + height + 34, inert(x_label), 11, _INK, anchor="middle"))
    if diagonal:
        items.append(Stroke(*at((0, 0)), *at((1, 1)), 1.0, _GREY, dashed=True))
    places = [at(point) for point in points]
    for one, other in pairwise(places) if lines else ():
        items.append(Stroke(*one, *other, 1.8, _BLUE))
    items += [Box(x - 3, y - 3, 6, 6, _GOLD if not lines else _BLUE, radius=3) for x, y in places]
    return to_svg(Scene(left + width + 14, top + height + 44, tuple(items), inert(f"{y_label} by {x_label}")))


# ---- one tree --------------------------------------------------------------------------------------------


def representative(forest: ForestPredictor, leaves: NDArray[np.int32]) -> int:
    """Return the place of the tree whose predictions are nearest to those of the forest, by mean squared distance.

    Parameters
    ----------
    forest : ForestPredictor
    leaves : (individuals, trees) array
    """
    values = leaf_values(forest.trees.figures, forest.task)
    mean = sum(values[leaves[:, tree]] for tree in range(leaves.shape[1])) / leaves.shape[1]
    distances = [float(np.square(values[leaves[:, tree]] - mean).mean()) for tree in range(leaves.shape[1])]
    return int(np.argmin(distances))


def _tree(seen: _Reported) -> Iterator[str]:
    """Yield the top of the tree that agrees most with a forest."""
    forest = seen.ensemble
    if not isinstance(forest, ForestPredictor):
        return
    place = representative(forest, seen.leaves)
    tree = forest.single_tree(place)
    picture = plot_tree(tree, max_depth=SHOWN_LEVELS, words=True, title=f"tree {place + 1}")
    n = number_text(tree.leaves, "leaf", "leaves")
    note = f"Tree {place + 1} of {len(forest.trees):,}, whose predictions are nearest to the forest's; {n} in all"
    yield f'<h2>A representative tree</h2><div class="plate">{picture.svg}</div><p>{escape(note)}</p>'


# ---- markup ----------------------------------------------------------------------------------------------


def _table(label: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f'<th scope="col">{escape(inert(text))}</th>' for text in heads)
    body = "".join(
        f'<tr><th scope="row">{escape(inert(first))}</th>'
        + "".join(f'<td class="number">{escape(inert(text))}</td>' for text in rest)
        + "</tr>"
        for first, *rest in rows
    )
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(label)}">{table}</div>'
