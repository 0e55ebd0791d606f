"""A criterion of one's own works wherever the name of one does, pruned where it has a bound."""

from __future__ import annotations

import numpy as np
import pytest

from structtree import Grammar, load_dataset
from structtree.data.population import Population
from structtree.errors import UsageError
from structtree.estimators import StructuralTreeClassifier, StructuralTreeRegressor
from structtree.evaluation.validate import cross_validate
from structtree.learn.growing import grow
from structtree.models.settings import Growth
from structtree.report.effort import compare_effort
from structtree.search.best_split import best_split
from structtree.tasks import criteria
from structtree.tasks.criteria import Criterion, criterion
from tests.search.toy_criteria import BoundedTsallis, Spread, Tsallis, WrongTsallis

TRAINS, LENSES = load_dataset("trains"), load_dataset("lenses")
WEIGHTS = np.random.default_rng(0).random((40, 3)).round(2)
NUMBERS = Population.from_array(np.where(WEIGHTS < 0.1, np.nan, WEIGHTS), names=["a", "b", "c"])
TARGET = 10 * WEIGHTS[:, 0] + (WEIGHTS[:, 1] > 0.5)
ONE = "refine Row { top -> a >= *; top -> b <= *; top -> c >= * }"
CARS = "refine Train { top -> exists cars (top) } refine Car { top -> long; top -> not long; top -> roof = * }"


class Gini(Criterion):
    name = "gini"

    def impurity(self, sides):
        weights = sides.sum(axis=1)
        return weights - (sides**2).sum(axis=1) / np.where(weights > 0, weights, 1.0)


class Error(Criterion):
    name, task = "mse", "numbers"

    def impurity(self, sides):
        return np.maximum(sides[:, 2] - sides[:, 1] ** 2 / np.where(sides[:, 0] > 0, sides[:, 0], 1.0), 0.0)


ROUTES = [
    Growth(),
    Growth(max_leaf_nodes=5),
    Growth(strategy="best-first"),
    Growth(strategy="exhaustive"),
    Growth(stop="test"),
    Growth(min_samples_leaf=3, max_depth=3),
]
FOR_TABLES = [Growth(nominal="subset"), Growth(nominal="multiway"), Growth(missing="fractional")]


def asked(tree):
    return [(getattr(node, "test", None), node.stats.n) for node in tree.nodes]


@pytest.mark.parametrize("growth", [*ROUTES, *FOR_TABLES, Growth(strategy="bottom-up")])
def test_a_criterion_that_is_written_anew_grows_the_same_trees_of_numbers(growth):
    grammar = Grammar.parse(ONE)
    trees = [grow(NUMBERS, TARGET, grammar, growth, criterion=own) for own in ("mse", Error())]
    assert asked(trees[0]) == asked(trees[1])


@pytest.mark.parametrize("growth", [*ROUTES, Growth(strategy="bottom-up"), Growth(strategy="beam")])
def test_a_criterion_that_is_written_anew_grows_the_same_trees_of_structures(growth):
    trees = [
        grow(TRAINS.population, TRAINS.target, Grammar.parse(CARS), growth, criterion=c) for c in ("gini", Gini())
    ]
    assert asked(trees[0]) == asked(trees[1])


@pytest.mark.parametrize("growth", [*ROUTES, *FOR_TABLES])
def test_a_criterion_that_is_written_anew_grows_the_same_trees_of_values(growth):
    grammar = Grammar.from_schema(LENSES.population.schema)
    trees = [grow(LENSES.population, LENSES.target, grammar, growth, criterion=own) for own in ("gini", Gini())]
    assert asked(trees[0]) == asked(trees[1])


def test_a_bound_prunes_and_changes_nothing_else():
    grammar = Grammar.load("trains")
    free, bounded = (
        best_split(TRAINS.population, TRAINS.target, grammar, criterion=c()) for c in (Tsallis, BoundedTsallis)
    )
    assert free.proved and bounded.proved and free.loss == pytest.approx(bounded.loss)
    assert free.predicate == bounded.predicate and bounded.stats.evaluated < free.stats.evaluated


def test_a_wrong_bound_is_refused_with_a_counterexample():
    with pytest.raises(
        UsageError, match=r"bound \[.*\] of criterion 'tsallis' is wrong: in a node \[.*\] the yes branch"
    ):
        best_split(TRAINS.population, TRAINS.target, Grammar.load("trains"), criterion=WrongTsallis())
    low = Tsallis()
    low.least = 0.1
    with pytest.raises(UsageError, match=r"least loss 0\.1 of criterion 'tsallis' is wrong"):
        criterion(low)


def test_a_wrong_bound_is_refused_by_name_as_well(monkeypatch):
    monkeypatch.setattr(criteria, "CRITERIA", {**criteria.CRITERIA, "tsallis": WrongTsallis()})
    with pytest.raises(UsageError, match=r"bound \[.*\] of criterion 'tsallis' is wrong"):
        criterion("tsallis")


def test_what_gives_no_number_for_each_candidate_is_refused():
    class Nothing(Tsallis):
        def loss(self, yes, total):
            return np.zeros(1)

    with pytest.raises(UsageError, match="must return one or two numbers per candidate"):
        criterion(Nothing())


def test_it_is_cross_validated_and_its_effort_compared():
    found = cross_validate(
        lambda: StructuralTreeClassifier("trains", criterion=BoundedTsallis()),
        TRAINS.population,
        TRAINS.target,
        folds=2,
    )
    assert found.mean > 0
    (effort,) = compare_effort(TRAINS.population, TRAINS.target, Grammar.parse(CARS), [BoundedTsallis()])
    assert effort.criterion == "tsallis" and effort.agree
    regressor = StructuralTreeRegressor(Grammar.parse(ONE), criterion=Spread(), max_depth=2).fit(NUMBERS, TARGET)
    assert regressor.model_.settings.criterion == "spread"
