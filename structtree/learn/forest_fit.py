"""From data to a forest: list the tests, grow the trees, and keep what is needed to use them.

`structtree.learn.fit` prepares the data. Here the tests are listed, and it is decided which options apply.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import Floats, Ints
from structtree.data.reachable import compact
from structtree.errors import UsageError
from structtree.interrupts import interruptible
from structtree.lang import syntax as syn
from structtree.learn.ensembles import assembled
from structtree.learn.forests import GrownForest, grow_forest
from structtree.learn.learning_set import LearningSet, with_requirements
from structtree.learn.vocabulary import halves, one_at_a_time, with_vocabulary
from structtree.models.ensemble import ForestPredictor
from structtree.models.model import Model
from structtree.models.records import RouteRecord, SearchOutcome, Settings
from structtree.models.settings import ColumnOptions, Decision, Forest, Growth, Pruning
from structtree.remarks import option_text
from structtree.reprs import number_text
from structtree.search.clock import Clock
from structtree.search.kernels import tables as kernel
from structtree.space.space import Space
from structtree.splitters.attribute_tests import FlatTest, ListedTests, flat_tests
from structtree.splitters.forest_columns import ForestColumns, forest_columns
from structtree.splitters.link_tests import ListingBudget, linked_tests
from structtree.tasks.criteria import Criterion, criterion
from structtree.tasks.target import Target
from structtree.tasks.task import Task

__all__ = [
    "ForestModel",
    "column_notes",
    "columns_in_words",
    "fit_forest",
    "forest_criterion",
    "held_out_predictions",
    "no_columns",
    "prepared_columns",
]

FOR_COLUMNS = 2
"""Maximum fraction of the time for listing tests and for preparing columns."""

FOR_SEARCH = 3
"""Maximum fraction of the rest of the time for finding tests where there are too many to list."""

FEWEST_MEANINGS, MOST_MEANINGS, LISTED_CELLS = 200, 3_000, 50_000_000
"""Range of the maximum number of predicates on a type, and this number times individuals."""

LEAST_SATISFIED = 5
"""Minimum number of rows, such as nodes of graphs, that a single test inside a link keeps."""

LISTED_WORDS = 100_000_000
"""Maximum number of 64-bit words of the conjunctions of one length that are compared."""

MOST_ENUMERATED = 3_000
"""Maximum number of tests of a grammar whose tests cannot be listed as columns."""


@dataclass(frozen=True, eq=False, repr=False)
class ForestModel(Model):
    """Forest with its state after growing, which is not saved.

    Parameters
    ----------
    grown : GrownForest, optional
        The columns and trees, to which further trees can be added.
    out_of_bag : array, optional
        For each individual the mean prediction of the trees that did not see it: probabilities, as (individuals,
        classes), or numbers; NaN for individuals that all trees saw.
    """

    grown: GrownForest | None = field(default=None)
    out_of_bag: Floats | None = None


def forest_criterion(task: Task) -> Criterion:
    """Return the default criterion of a forest.

    Examples
    --------
    >>> from structtree.tasks.registry import as_task
    >>> forest_criterion(as_task("classes")).name, forest_criterion(as_task("numbers")).name
    ('gini', 'mse')
    """
    return criterion("gini") if task.predicts_classes else task.criterion_for()


def fit_forest(
    data: LearningSet,
    growth: Growth,
    pruning: Pruning,
    decision: Decision,
    forest: Forest,
    clock: Clock,
    so_far: GrownForest | None = None,
) -> ForestModel:
    """Learn a forest from checked data.

    Parameters
    ----------
    data : LearningSet
    growth, pruning, decision, forest
        Options, of which only those for forests are used.
    clock : Clock
    so_far : GrownForest, optional
        The state of an earlier forest with the same data and options, to which trees are added.
    """
    target = data.target
    if not target.criterion.is_compiled:
        known = ", ".join(each.name for each in target.task.criteria)
        instead = f"use one of {known}" if known else "use a tree"
        raise UsageError(f"a forest needs a criterion of the package, not {target.criterion.name!r}; {instead}")
    columns = None if so_far is None else _columns_so_far(so_far, target, forest)
    with interruptible(clock.stop):
        if columns is None:
            listed, parts = prepared_columns(data, forest, clock), halves(len(data.population), growth.random_state)
            time = clock.part(clock.left() / FOR_SEARCH)
            columns = with_vocabulary(listed, data, parts, time, growth.random_state)
    columns = columns or no_columns(data, forest, clock)
    least = pruning.min_weight_fraction
    grown = grow_forest(columns, target, growth, forest, clock, so_far, least, partial(_score_text, target))
    clock.stop.handled = True
    made = assembled(columns.binned, grown.trees, grown.figures)
    predictor = ForestPredictor(
        made.trees, made.ladders, made.gains, data.population.schema, target.task, replace(decision, estimate=None)
    )
    model = ForestModel(
        predictor,
        data.target_name,
        Settings(None, target.criterion.name, growth, pruning, forest=forest),
        data.record,
        RouteRecord("forest", columns_in_words(columns)),
        outcome=SearchOutcome(grown.stopped_by, tuple(_notes(columns, grown, forest))),
        grown=grown,
        out_of_bag=_of_all(grown.out_of_bag, data),
    )
    return with_requirements(model, data.population, data.grammar, data.layout)


def _of_all(predicted: Floats, data: LearningSet) -> Floats:
    """Return predictions for all individuals; NaN for those without weight."""
    found = np.full((len(data.has_weight), predicted.shape[1]), np.nan)
    found[data.has_weight] = predicted
    return found if data.target.task.predicts_classes else found[:, 0]


class HeldOutPredictions(NamedTuple):
    """Predictions for the individuals that some tree did not see.

    Parameters
    ----------
    rows : array of int
        The individuals.
    predicted : array
        Indices of classes, or numbers.
    probabilities : array, optional
    """

    rows: Ints
    predicted: NDArray[Any]
    probabilities: Floats | None


def held_out_predictions(model: Model) -> HeldOutPredictions | None:
    """Return the predictions of a forest out of bag; None for other models, and if every tree saw everybody."""
    if not isinstance(model, ForestModel) or model.out_of_bag is None:
        return None
    assert isinstance(model.predictor, ForestPredictor)
    found = model.out_of_bag
    rows = np.flatnonzero(~np.isnan(found if found.ndim == 1 else found[:, 0]))
    if not len(rows):
        return None
    return HeldOutPredictions(
        rows, model.predictor.answers(found[rows]), found[rows] if model.task.predicts_classes else None
    )


def _columns_so_far(so_far: GrownForest, target: Target, forest: Forest) -> ForestColumns:
    """Return the columns of a smaller forest; reject other data and fewer trees."""
    known = so_far.target
    if not (np.array_equal(known.values, target.values) and np.array_equal(known.weights, target.weights)):
        raise UsageError("warm_start adds trees to a forest of the same individuals and labels; got others")
    if forest.n_estimators < len(so_far.trees):
        raise UsageError(
            f"n_estimators must be at least {len(so_far.trees)}, the number of trees so far, with warm_start; "
            f"got {forest.n_estimators}"
        )
    return so_far.columns


def prepared_columns(data: LearningSet, options: ColumnOptions, clock: Clock) -> ForestColumns:
    """List the tests that the grammar of a learning set allows, and convert them to columns within limits."""
    part = clock.part(clock.left() / FOR_COLUMNS)
    listed = _listed(data, part)
    return forest_columns(listed, data.population, data.target, options.max_bins, options.max_memory, part)


def no_columns(data: LearningSet, options: ColumnOptions, clock: Clock) -> ForestColumns:
    """Return columns without tests, after an interrupt."""
    nothing = ListedTests(())
    return forest_columns(nothing, data.population, data.target, options.max_bins, options.max_memory, clock)


def _listed(data: LearningSet, clock: Clock) -> ListedTests:
    """List the tests of a grammar; the trees combine tests of the individual."""
    grammar = one_at_a_time(data.grammar)
    own = flat_tests(grammar)
    if own is not None:
        return own
    space = Space.build(grammar, compact(data.population), limit=clock)
    meanings = min(MOST_MEANINGS, max(FEWEST_MEANINGS, LISTED_CELLS // len(data.population)))
    found = linked_tests(
        space, shorten=True, clock=clock, budget=ListingBudget(meanings, LISTED_WORDS, LEAST_SATISFIED)
    )
    return found or _enumerated(space, clock)


def _enumerated(space: Space, clock: Clock) -> ListedTests:
    """Return the shortest predicates of a space as single tests."""
    found = list[FlatTest]()
    for predicate in space.enumerate():
        if len(found) >= MOST_ENUMERATED or clock.over() is not None:
            return ListedTests(tuple(found), complete=False)
        if not isinstance(predicate, syn.Top):
            found.append(FlatTest(predicate, kernel.EQUAL))
    return ListedTests(tuple(found))


def _score_text(target: Target, predicted: Floats, is_seen: NDArray[np.bool_]) -> str:
    """Return the score of predictions out of bag, as text."""
    predicted, actual, weights = predicted[is_seen], target.values[is_seen], target.weights[is_seen]
    if target.task.predicts_classes:
        return f"accuracy out of bag {(predicted.argmax(axis=1) == actual).mean():.3f}"
    actual = target.units.zero + target.units.unit * actual
    residue = np.average((actual - predicted[:, 0]) ** 2, weights=weights)
    spread = np.average((actual - np.average(actual, weights=weights)) ** 2, weights=weights)
    return f"R² out of bag {1 - residue / spread if spread else 0.0:.3f}"


def columns_in_words(columns: ForestColumns) -> str:
    """Return the number of columns and their memory, as a sentence."""
    n = len(columns.binned.columns)
    return f"all trees use the same {n:,} columns, prepared once in {columns.megabytes:.3g} MB"


def column_notes(columns: ForestColumns, options: ColumnOptions) -> Iterator[str]:
    """Yield a sentence about each reason why columns are missing."""
    if not columns.is_complete:
        yield (
            "the grammar has too many tests to list: the shortest were listed, and if a test has many values, values "
            f"at equal distances; {number_text(columns.found, 'longer test')} found by search"
        )
    if not columns.is_searched:
        yield "time limit reached while searching for longer tests"
    if columns.n_skipped:
        n, skipped = columns.n_listed, columns.n_skipped
        yield f"time limit reached while preparing columns: {skipped:,} of {n:,} tests skipped"
    if columns.n_dropped:
        n = columns.n_dropped + len(columns.binned.columns)
        yield (
            f"{columns.n_dropped:,} of {n:,} columns were dropped to keep them within "
            f"{options.max_memory:g} MB; to keep more, use {option_text('max_memory', 2 * options.max_memory)}"
        )


def _notes(columns: ForestColumns, grown: GrownForest, forest: Forest) -> Iterator[str]:
    yield from column_notes(columns, forest)
    if len(grown.trees) < forest.n_estimators:
        yield f"{len(grown.trees):,} of {forest.n_estimators:,} trees were grown"
