"""Ensembles: individuals reach the leaves that the tests lead to, and files preserve every prediction."""

from __future__ import annotations

import json

import numpy as np
import pytest

from structtree import export_prolog, load_model, plot_tree, save_model, to_formula, to_rules
from structtree.errors import DataError, UsageError
from structtree.models.ensemble import EnsembleTrees, ForestPredictor
from structtree.models.files.models import model_from_json, model_to_json
from structtree.models.model import Model
from structtree.models.settings import Decision
from structtree.search.kernels.descending import no_children
from structtree.search.kernels.tables import Limits
from structtree.space.evaluate import holds
from structtree.splitters.binned import Sampling, grow_binned
from structtree.tasks.target import target_for
from tests.splitters.test_binned import NOT_STOPPED, binned, forest_of
from tests.splitters.test_sweep import people, target


def forest(criterion="gini", n_trees=5, n=100):
    population, labels = people(n, 4, gaps=0.1), target(criterion, n, 4)
    columns, rng, trees = binned(population), np.random.default_rng(0), []
    for seed in range(n_trees):
        weights = np.bincount(rng.integers(0, n, n), minlength=n).astype(float)
        chosen = target_for(labels, n, criterion, sample_weight=weights)
        sampling = Sampling(np.arange(columns.n_tests), 2, False, seed)
        trees.append(grow_binned(columns, chosen, Limits(6, 2, 1, 0.0), sampling, NOT_STOPPED))
    return forest_of(columns, trees, chosen, population)[1], population


def leaf_by_hand(trees, ladders, population, row):
    alone = population.take(np.array([row]))
    node = 0
    while trees.ladders[node] >= 0:
        test = ladders[trees.ladders[node]][trees.steps[node]]
        node = node + 1 if holds(test, alone)[0] else trees.no[node]
    return trees.no[node]


@pytest.mark.parametrize("criterion", ["gini", "mse"])
def test_an_individual_reaches_the_leaf_that_its_tests_lead_to(criterion):
    made, _ = forest(criterion)
    others = people(40, 9, gaps=0.2)
    leaves = made.leaves(others, n_jobs=2)
    for place in range(len(made.trees)):
        tree = made.trees.tree(place)
        first = int(made.trees.no[made.trees.roots[place] + np.flatnonzero(tree.ladders < 0)[0]])
        for row in range(40):
            assert leaves[row, place] == first + leaf_by_hand(tree, made.ladders, others, row)


@pytest.mark.parametrize("criterion", ["gini", "mse"])
def test_predictions_are_means_over_the_trees(criterion):
    made, population = forest(criterion)
    singles = [
        ForestPredictor(made.trees.tree(place), made.ladders, made.gains, made.schema, made.task)
        for place in range(len(made.trees))
    ]
    if criterion == "mse":
        assert np.allclose(made.predict(population), np.mean([one.predict(population) for one in singles], axis=0))
        return
    mean = np.mean([one.predict_proba(population) for one in singles], axis=0)
    assert np.allclose(made.predict_proba(population), mean)
    assert (made.predict(population) == mean.argmax(axis=1)).all()


def test_the_spread_is_that_of_the_mixture_of_leaves():
    made, population = forest("mse", n_trees=2)
    leaves, figures = made.leaves(population), made.trees.figures
    for row in range(10):
        mean, variance = figures[leaves[row], 1], figures[leaves[row], 2]
        expected = np.mean(variance + mean**2) - np.mean(mean) ** 2
        assert made.predict_spread(population)[row] == pytest.approx(np.sqrt(max(expected, 0)), abs=1e-7)


def test_costs_decide():
    made, population = forest()
    always = ForestPredictor(
        made.trees, made.ladders, made.gains, made.schema, made.task, Decision(costs=[[0, 0], [1, 0]])
    )
    assert set(always.predict(population).tolist()) == {1} and len(set(made.predict(population).tolist())) == 2


@pytest.mark.parametrize("criterion", ["gini", "mse"])
@pytest.mark.parametrize("name", ["forest.json", "forest.json.gz"])
def test_a_file_preserves_every_prediction(criterion, name, tmp_path):
    made, _ = forest(criterion)
    save_model(Model(made), tmp_path / name)
    loaded = load_model(tmp_path / name).predictor
    others = people(50, 9, gaps=0.2)
    assert np.array_equal(loaded.predict(others), made.predict(others))
    assert all(np.array_equal(one, other) for one, other in zip(loaded.trees, made.trees, strict=True))
    assert list(map(str, loaded.tests)) == list(map(str, made.tests)) and loaded.mentioned == made.mentioned


def test_trees_are_joined_and_taken_apart():
    made, _ = forest()
    parts = [made.trees.tree(place) for place in range(len(made.trees))]
    again = EnsembleTrees.joined(parts)
    assert all(np.array_equal(one, other) for one, other in zip(again, made.trees, strict=True))


@pytest.mark.parametrize(
    ("ladders", "expected"),
    [
        ([-1], [0]),
        ([0, -1, -1], [2, 0, 1]),
        ([0, 1, -1, -1, 2, -1, -1], [4, 3, 0, 1, 6, 2, 3]),
        ([0, -1], []),
        ([-1, -1], []),
        ([0, -1, -1, -1], []),
        ([0], []),
    ],
)
def test_the_no_children_follow_from_the_order(ladders, expected):
    assert no_children(np.array(ladders, dtype=np.int32)).tolist() == expected


def damaged(change):
    document = json.loads(json.dumps(model_to_json(Model(forest(n_trees=2)[0]))))
    change(document["predictor"])
    return document


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda p: p["trees"].clear(), "one tree or more"),
        (lambda p: p["trees"][0]["ladders"].__setitem__(0, 10**6), "the places of ladders"),
        (lambda p: p["trees"][0]["ladders"].__setitem__(0, "x"), "a list of whole numbers"),
        (lambda p: p["trees"][0]["ladders"].append(-1), "not a tree in reading order"),
        (lambda p: p["trees"][0]["steps"].pop(), "one for each branch"),
        (lambda p: p["trees"][0]["steps"].__setitem__(0, 10**6), "the place of a test"),
        (lambda p: p["trees"][0]["leaves"].pop(), "one for each leaf"),
        (lambda p: p["trees"][0]["leaves"].__setitem__(0, [1]), "2 numbers"),
        (lambda p: p["trees"][0]["leaves"].__setitem__(0, [0, 0]), "not all 0"),
        (lambda p: p["ladders"].clear(), "the places of ladders"),
        (lambda p: p.__setitem__("task", "poetry"), "poetry"),
    ],
)
def test_a_damaged_file_is_refused(change, message):
    with pytest.raises(DataError, match=message):
        model_from_json(damaged(change))


def test_a_large_file_is_compressed_and_loads_under_any_name(tmp_path, monkeypatch):
    made, population = forest()
    save_model(Model(made), tmp_path / "plain.json")
    monkeypatch.setattr("structtree.models.files.models.LARGE", 1000)
    save_model(Model(made), tmp_path / "packed.json")
    assert (tmp_path / "packed.json").stat().st_size < (tmp_path / "plain.json").stat().st_size / 2
    assert np.array_equal(
        load_model(tmp_path / "packed.json").predictor.predict(population), made.predict(population)
    )


def test_what_needs_a_tree_refuses_a_forest_in_one_sentence():
    made, _ = forest()
    for ask in (to_rules, plot_tree, export_prolog, to_formula):
        with pytest.raises(UsageError, match=r"expected a model with a tree; this one predicts with a forest"):
            ask(Model(made))
