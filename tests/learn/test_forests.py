"""Forests: without randomness a tree; out of bag, warm start, threads and limits as recomputed by hand."""

from __future__ import annotations

import numpy as np
import pytest

from structtree import Grammar, Population, fit, grow, load_dataset
from structtree.errors import UsageError
from structtree.lang import syntax as syn
from structtree.learn.fit import fit as learn
from structtree.learn.forest_fit import held_out_predictions
from structtree.models.ensemble import ForestPredictor
from structtree.models.importance import mentioned
from structtree.models.settings import Decision, Forest, Growth, Objective, Pruning, check_kind
from structtree.models.tree_predictor import TreePredictor
from structtree.progress import status_listener
from structtree.search.clock import Clock
from structtree.space.space import Space
from structtree.splitters.attribute_tests import flat_tests
from structtree.splitters.forest_columns import forest_columns
from structtree.tasks.target import target_for
from tests.splitters.test_sweep import TESTS, people, target
from tests.tasks.toy_poisson import PoissonTask

NO_RANDOMNESS = {"n_estimators": 1, "max_features": "all", "bootstrap": False, "max_bins": 10_000}


def trained(n=120, seed=0, criterion="gini", **options):
    population, labels = people(n, seed, gaps=0.1), target(criterion, n, seed)
    given = {"n_estimators": 12, "max_features": 2.0} | options
    return fit(population, labels, TESTS, model="forest", criterion=criterion, **given), population, labels


@pytest.mark.parametrize("criterion", ["gini", "entropy", "acc*", "mse"])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("limits", [{}, {"max_depth": 3, "min_samples_leaf": 4}, {"min_impurity_decrease": 0.02}])
def test_a_forest_of_one_tree_without_randomness_is_that_tree(criterion, seed, limits):
    model, population, labels = trained(150, seed, criterion, **NO_RANDOMNESS, **limits)
    tree = TreePredictor(grow(population, labels, TESTS, criterion=criterion, **limits))
    for some in (population, people(200, seed + 10, gaps=0.2)):
        assert np.allclose(model.predictor.predict(some), tree.predict(some), rtol=1e-9, atol=0)
    assert len(model.predictor.trees.figures) == len(tree.tree.leaves)


@pytest.mark.parametrize("name", ["trains", "monks-2", "lenses"])
def test_a_forest_of_one_tree_is_that_tree_on_other_data(name):
    data = load_dataset(name)
    counts = "refine Train { top -> count cars (top) >= * } refine Car { top -> * = * }"
    grammar = counts if name == "trains" else None
    tree = fit(data.population, data.target, grammar, criterion="gini", grow="full", leaf_estimate="frequency")
    forest = fit(data.population, data.target, grammar, model="forest", **NO_RANDOMNESS)
    assert np.allclose(forest.predict_proba(data.population), tree.predict_proba(data.population))


def singles(model):
    forest = model.predictor
    return [
        ForestPredictor(forest.trees.tree(k), forest.ladders, forest.gains, forest.schema, forest.task)
        for k in range(len(forest.trees))
    ]


def samples(model, n):
    """The samples of the trees, drawn again."""
    settings = model.settings.forest
    size = int(np.ceil((settings.max_samples or 1.0) * n))
    for place in range(settings.n_estimators):
        rng = np.random.default_rng([model.settings.growth.random_state, place])
        if settings.bootstrap:
            yield set(rng.integers(0, n, size).tolist())
        else:
            yield set(range(n) if size == n else rng.choice(n, size, replace=False).tolist())


@pytest.mark.parametrize("criterion", ["gini", "mse"])
@pytest.mark.parametrize("options", [{}, {"max_samples": 0.3}, {"bootstrap": False, "max_samples": 0.5}])
def test_predictions_out_of_bag_are_means_over_the_trees_that_did_not_see_an_individual(criterion, options):
    model, population, _ = trained(60, 1, criterion, **options)
    of_trees = [one.predict_proba(population) if model.classes else one.predict(population) for one in singles(model)]
    seen = list(samples(model, 60))
    for row in range(60):
        unseen = [of_tree[row] for of_tree, sample in zip(of_trees, seen, strict=True) if row not in sample]
        expected = np.mean(unseen, axis=0) if unseen else np.full_like(model.out_of_bag[row], np.nan)
        assert np.allclose(model.out_of_bag[row], expected, equal_nan=True)


def test_without_samples_nobody_is_out_of_bag():
    model, _, _ = trained(bootstrap=False)
    assert held_out_predictions(model) is None


@pytest.mark.parametrize("criterion", ["gini", "mse"])
def test_the_number_of_threads_does_not_change_a_prediction(criterion):
    one, population, _ = trained(criterion=criterion, n_jobs=1, thresholds="random")
    four, _, _ = trained(criterion=criterion, n_jobs=4, thresholds="random")
    assert all(np.array_equal(a, b) for a, b in zip(one.predictor.trees, four.predictor.trees, strict=True))
    assert np.array_equal(one.out_of_bag, four.out_of_bag, equal_nan=True)
    leaves = [one.predictor.leaves(population, n_jobs=n) for n in (1, 3)]
    assert np.array_equal(*leaves)


def test_the_first_trees_are_those_of_a_smaller_forest_and_adding_trees_gives_the_larger():
    small, population, labels = trained(n_estimators=5)
    large, _, _ = trained(n_estimators=12)
    given = {"criterion": "gini", "max_features": 2.0, "n_estimators": 12}
    more = learn(population, labels, TESTS, model="forest", so_far=small.grown, **given)
    for a, b in zip(more.predictor.trees, large.predictor.trees, strict=True):
        assert np.array_equal(a, b)
    assert np.array_equal(more.out_of_bag, large.out_of_bag, equal_nan=True)
    with pytest.raises(UsageError, match="same individuals and labels"):
        learn(population, labels[::-1], TESTS, model="forest", so_far=small.grown, **given)
    with pytest.raises(UsageError, match="at least 5"):
        learn(population, labels, TESTS, model="forest", so_far=small.grown, **given | {"n_estimators": 3})


def test_trees_use_only_the_columns_of_their_families():
    model, _, _ = trained(max_families=0.01, n_estimators=8)
    for one in singles(model):
        used = {path for place in set(one.trees.ladders) - {-1} for path in mentioned(one.ladders[place][0])}
        assert len(used) <= 1


def test_individuals_without_weight_do_not_count_and_have_no_predictions_out_of_bag():
    population, labels = people(80, 3, gaps=0.1), target("gini", 80, 3)
    weights = np.arange(80) % 4 != 0
    whole = fit(population, labels, TESTS, model="forest", n_estimators=10, sample_weight=weights)
    taken = fit(population.take(np.flatnonzero(weights)), labels[weights], TESTS, model="forest", n_estimators=10)
    assert np.array_equal(whole.predict_proba(population), taken.predict_proba(population))
    assert np.isnan(whole.out_of_bag[~weights]).all()
    assert np.array_equal(whole.out_of_bag[weights], taken.out_of_bag, equal_nan=True)


def test_large_numbers_and_weights_are_counted_in_units_of_their_own():
    population, labels = people(100, 5, gaps=0.1), target("mse", 100, 5)
    plain = fit(population, labels, TESTS, model="forest", n_estimators=10)
    far = fit(population, 1e15 + 128 * np.round(labels * 8), TESTS, model="forest", n_estimators=10)
    near = fit(population, np.round(labels * 8), TESTS, model="forest", n_estimators=10)
    assert np.allclose((far.predict(population) - 1e15) / 128, near.predict(population), atol=0.01)
    weighted = fit(population, labels, TESTS, model="forest", n_estimators=10, sample_weight=np.full(100, 1e-30))
    assert np.allclose(weighted.predict(population), plain.predict(population))
    assert weighted.predictor.trees.figures[:, 0].sum() == pytest.approx(1e-30 * 1000)


def test_leaves_have_the_fraction_of_the_weight_that_is_asked_for():
    model, _, _ = trained(200, 2, min_weight_fraction_leaf=0.1, n_estimators=6)
    whole, _, _ = trained(200, 2, n_estimators=6)
    for tree in (one.trees for one in singles(model)):
        weights = tree.figures.sum(axis=1)
        assert len(weights) == 1 or weights.min() >= 0.1 * weights.sum() * (1 - 1e-9)
    assert len(model.predictor.trees.figures) < len(whole.predictor.trees.figures)


def test_the_time_limit_keeps_at_least_one_tree():
    population, labels = people(400, 0, gaps=0.1), target("gini", 400, 0)
    model = learn(population, labels, TESTS, model="forest", n_estimators=100_000, clock=Clock(0.3))
    assert 1 <= len(model.predictor.trees) < 100_000 and model.outcome.stopped_by == "time"
    assert any("trees were grown" in note for note in model.outcome.skipped)
    none = learn(population, labels, TESTS, model="forest", n_estimators=100, clock=Clock(0.0))
    assert 1 <= len(none.predictor.trees) < 100 and none.predict_proba(population).shape == (400, 2)


def test_an_interrupt_keeps_the_trees_so_far():
    population, labels, clock = people(400, 0, gaps=0.1), target("gini", 400, 0), Clock()
    seen = []

    def listen(status):
        seen.append(status)
        if status.what == "growing trees" and status.done == 3:
            clock.stop.presses = 1

    with status_listener(listen):
        model = learn(population, labels, TESTS, model="forest", n_estimators=100_000, clock=clock)
    assert 3 <= len(model.predictor.trees) < 100_000 and model.outcome.stopped_by == "interrupt"
    assert any("accuracy out of bag" in fact for status in seen for fact in status.facts)


def test_columns_beyond_the_memory_limit_are_dropped_and_the_best_are_kept():
    rng = np.random.default_rng(0)
    cells = rng.normal(size=(1000, 40))
    labels = cells[:, 7] + cells[:, 31] > 0
    population = Population.from_array(cells)
    model = fit(population, labels, model="forest", n_estimators=10, max_memory=0.01)
    used = {path for test in model.predictor.tests for path in mentioned(test)}
    assert {"x7", "x31"} <= used and len(used) <= 10
    assert any("dropped" in note for note in model.outcome.skipped)
    assert model.grown.columns.megabytes <= 0.01


def test_columns_made_some_at_a_time_are_those_made_at_once(monkeypatch):
    population, labels = people(100, 0, gaps=0.1), target("gini", 100, 0)
    listed = flat_tests(TESTS.check(population.schema))
    given = (listed, population, target_for(labels, 100, "gini"), 50, 100.0, Clock())
    whole = forest_columns(*given).binned
    monkeypatch.setattr("structtree.splitters.forest_columns.CELLS_AT_A_TIME", 100)
    parts = forest_columns(*given).binned
    assert sorted(codes_of(whole)) == sorted(codes_of(parts))


def codes_of(columns):
    return [(str(columns.test(t).right), columns.codes(t).tolist()) for t in range(columns.n_tests)]


@pytest.mark.parametrize(
    "grammar",
    [
        "refine Train { top -> all cars (top) } refine Car { top -> not long; top -> top and top max 2 }",
        "refine Train { top -> exists cars (top); top -> top and top max 2 } refine Car { top -> roof = * }",
        "refine Train { top -> distinct cars (top, top) } refine Car { top -> shape = * }",
        "refine Train { top -> exists cars (top) } refine Car { top -> shape in {hexagon, ellipse}; "
        "shape in {hexagon, ellipse} -> shape = * }",
        "refine Train { top -> max cars.wheels >= *; top -> sum cars.wheels >= * }",
    ],
)
def test_every_grammar_has_columns(grammar):
    trains = load_dataset("trains")
    model = fit(trains.population, trains.target, grammar, model="forest", n_estimators=20, bootstrap=False)
    assert model.predictor.n_tests > 0
    space = Space.build(Grammar.parse(grammar), trains.population)
    # Thresholds on sums lie between the values at a node, and those of the space between all values.
    assert all(test in space for test in model.predictor.tests if not isinstance(test, syn.Aggregate))


def test_a_criterion_that_is_not_compiled_is_refused():
    with pytest.raises(UsageError, match="a forest needs a criterion of the package"):
        fit([[1.0], [2.0], [3.0]], [1.0, 2.0, 5.0], model="forest", task=PoissonTask())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([Growth(max_leaf_nodes=4)], "max_leaf_nodes=4 does not apply to a forest"),
        ([Pruning(leaves=4)], "does not apply to a forest"),
        ([Decision("laplace")], "leaf_estimate='laplace' does not apply to a forest"),
        ([Objective(goal="ranking")], "goal='ranking' does not apply to a forest"),
        ([Growth(missing="majority")], "missing='majority' does not apply to a forest"),
    ],
)
def test_options_that_do_not_apply_are_refused(options, message):
    with pytest.raises(UsageError, match=message):
        check_kind("forest", *options)
    with pytest.raises(UsageError, match="n_estimators=3 does not apply to a tree; add model='forest'"):
        check_kind("tree", Forest(n_estimators=3))
    check_kind("tree", *options)


@pytest.mark.parametrize("criterion", ["gini", "mse"])
def test_more_than_half_of_the_signal_is_found(criterion):
    rng = np.random.default_rng(0)
    cells = rng.normal(size=(600, 8))
    signal = cells[:, 0] * cells[:, 1] + cells[:, 2]
    labels = signal > 0 if criterion == "gini" else signal
    forest = fit(Population.from_array(cells[:400]), labels[:400], model="forest", n_estimators=60)
    found = forest.predict(Population.from_array(cells[400:]))
    score = np.mean(found == labels[400:]) if criterion == "gini" else np.corrcoef(found, labels[400:])[0, 1]
    assert score > 0.7
