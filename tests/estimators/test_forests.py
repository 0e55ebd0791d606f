"""Forests as estimators and on the command line."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import check_estimator

import structtree
from structtree import StructuralForestClassifier, StructuralForestRegressor, load_dataset, load_model, save_model
from structtree.errors import UsageError
from structtree.forests import FOREST_PARAMETERS
from tests.cli.test_commands import run, succeed


@pytest.mark.filterwarnings("ignore::RuntimeWarning:sklearn")  # of its own casts
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (StructuralForestClassifier(n_estimators=10), RandomForestClassifier(n_estimators=10)),
        (StructuralForestRegressor(n_estimators=10), RandomForestRegressor(n_estimators=10)),
    ],
)
def test_scikit_learns_checks_pass_but_for_those_that_its_own_forests_do_not_pass(ours, theirs):
    results = [check_estimator(each, on_fail=None, on_skip=None) for each in (ours, theirs)]
    mine, other = ({r["check_name"] for r in each if r["status"] in ("failed", "xfail")} for each in results)
    assert mine <= other  # weights are not equal to repeated individuals in random samples
    assert sum(r["status"] == "passed" for r in results[0]) > 40


def test_what_happens_to_unlabelled_individuals_out_of_bag():
    rng = np.random.default_rng(0)
    cells, labels = rng.normal(size=(40, 2)), np.array(["a", "b"] * 20, dtype=object)
    labels[3] = None
    with pytest.warns(UserWarning, match="skipped 1 of 40"):
        forest = StructuralForestClassifier(n_estimators=30).fit(cells, labels)
    assert forest.oob_decision_function_.shape == (40, 2) and np.isnan(forest.oob_decision_function_[3]).all()
    known = np.arange(40) != 3
    said = forest.classes_[forest.oob_decision_function_[known].argmax(axis=1)]
    assert forest.oob_score_ == np.mean(said == labels[known])


def test_frames_molecules_graphs_and_nested_records_are_read_as_by_trees(tmp_path):
    frame = pd.DataFrame({"size": [1.0, 2.0, None, 4.0] * 5, "colour": ["red", "blue", "red", "green"] * 5})
    smiles = ["CCO", "CC", "CCCO", "CCC"] * 5
    trains = load_dataset("trains").population
    for individuals in (frame, smiles, trains):
        labels = ["yes", "no"] * 10
        forest = StructuralForestClassifier(n_estimators=10).fit(individuals, labels)
        save_model(forest, tmp_path / "forest.json")
        loaded = load_model(tmp_path / "forest.json")
        assert np.array_equal(loaded.predict_proba(individuals), forest.predict_proba(individuals))
        assert np.array_equal(loaded.predict(individuals), forest.predict(individuals))
        assert loaded.settings == forest.model_.settings


def test_estimators_can_be_cloned_and_cross_validated_and_add_trees():
    iris = load_dataset("monks-3")
    forest = StructuralForestClassifier(n_estimators=15)
    assert cross_val_score(forest, iris.population, iris.target, cv=3).mean() > 0.9
    assert clone(forest).get_params() == forest.get_params()
    assert set(forest.get_params()) == {each.parameter for each in FOREST_PARAMETERS}
    forest.set_params(warm_start=True).fit(iris.population, iris.target)
    forest.set_params(n_estimators=25).fit(iris.population, iris.target)
    at_once = StructuralForestClassifier(n_estimators=25).fit(iris.population, iris.target)
    assert np.array_equal(forest.predict_proba(iris.population), at_once.predict_proba(iris.population))
    assert forest.oob_score_ == at_once.oob_score_
    with pytest.raises(UsageError, match="same individuals and labels"):
        forest.fit(iris.population, iris.target[::-1])


def test_the_importance_of_columns_is_that_of_the_tests_on_them():
    rng = np.random.default_rng(0)
    cells = rng.normal(size=(300, 3))
    forest = StructuralForestClassifier(n_estimators=20).fit(cells, cells[:, 1] > 0)
    assert forest.feature_importances_.argmax() == 1 and forest.feature_importances_.sum() == pytest.approx(1)
    falls = forest.permutation_importances(cells, cells[:, 1] > 0)
    assert next(iter(falls)) == "x1" and falls["x1"] > 0.3 and abs(falls.get("x2", 0.0)) < 0.1


def test_the_library_does_what_the_command_does(tmp_path):
    out = tmp_path / "forest.json"
    shown = json.loads(succeed("fit", "trains", "--model", "forest", "--trees", "40", "-o", str(out), "--json"))
    assert shown["trees"] == 40 and shown["estimate"]["out_of_bag"] and shown["forest"]["n_estimators"] == 40
    model = structtree.fit("trains", model="forest", n_estimators=40)
    assert model.estimate["accuracy"] == shown["estimate"]["metrics"]["accuracy"]["value"]
    trains = load_dataset("trains").population
    assert np.array_equal(load_model(out).predict_proba(trains), model.predict_proba(trains))
    assert "40 trees" in succeed("show", str(out)) and "40 trees" in model._repr_html_()
    assert succeed("predict", str(out), "trains").count("\n") == 21
    words = ["--model", "forest", "--trees", "10", "--folds", "4", "--repeats", "1"]
    assert "accuracy" in succeed("cv", "trains", *words)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["fit", "trains", "--trees", "5"], "--trees 5 does not apply to a tree; add --model forest"),
        (["fit", "trains", "--model", "forest", "--stop", "test"], "--stop test does not apply to a forest"),
        (["fit", "trains", "--model", "forest", "--trees", "0"], "--trees must be an int >= 1"),
        (["fit", "trains", "--model", "jungle"], "--model must be 'tree', 'forest'"),
        (["fit", "trains", "--model", "forest", "--max-features", "some"], "--max-features takes"),
    ],
)
def test_the_command_line_refuses_options_that_do_not_apply(words, message):
    found = run(*words)
    assert found.exit_code == 2 and message in found.stderr
