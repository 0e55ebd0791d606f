"""Boosting as estimators and on the command line."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import check_estimator

import structtree
from structtree import StructuralBoostingClassifier, StructuralBoostingRegressor, load_dataset, load_model, save_model
from structtree.boosting import BOOSTING_PARAMETERS
from tests.cli.test_commands import run, succeed


@pytest.mark.filterwarnings("ignore::RuntimeWarning:sklearn")  # of its own casts
@pytest.mark.parametrize("kind", [StructuralBoostingClassifier, StructuralBoostingRegressor])
def test_scikit_learns_checks_pass(kind):
    results = check_estimator(kind(max_iter=10), on_fail=None, on_skip=None)
    assert not {r["check_name"] for r in results if r["status"] in ("failed", "xfail")}
    assert sum(r["status"] == "passed" for r in results) > 40


def test_frames_molecules_and_nested_records_are_read_as_by_trees(tmp_path):
    frame = pd.DataFrame({"size": [1.0, 2.0, None, 4.0] * 5, "colour": ["red", "blue", "red", "green"] * 5})
    smiles = ["CCO", "CC", "CCCO", "CCC"] * 5
    trains = load_dataset("trains").population
    for individuals in (frame, smiles, trains):
        labels = ["yes", "no"] * 10
        boosted = StructuralBoostingClassifier(max_iter=10, min_hessian=0.1).fit(individuals, labels)
        save_model(boosted, tmp_path / "boosted.json")
        loaded = load_model(tmp_path / "boosted.json")
        assert np.array_equal(loaded.predict_proba(individuals), boosted.predict_proba(individuals))
        assert np.array_equal(loaded.predict(individuals), boosted.predict(individuals))
        assert boosted.score(individuals, labels) > 0.9 and loaded.settings == boosted.model_.settings


def test_estimators_can_be_cloned_and_cross_validated():
    monks = load_dataset("monks-3")
    boosted = StructuralBoostingClassifier(max_iter=30)
    assert cross_val_score(boosted, monks.population, monks.target, cv=3).mean() > 0.9
    assert clone(boosted).get_params() == boosted.get_params()
    assert set(boosted.get_params()) == {each.parameter for each in BOOSTING_PARAMETERS}


def test_the_last_stage_is_the_prediction():
    rng = np.random.default_rng(0)
    cells = rng.normal(size=(300, 3))
    numbers = StructuralBoostingRegressor(max_iter=15).fit(cells, cells[:, 0])
    stages = [stage.copy() for stage in numbers.staged_predict(cells)]
    assert len(stages) == numbers.n_iter_ == 15 and np.array_equal(stages[-1], numbers.predict(cells))
    errors = [np.mean((stage - cells[:, 0]) ** 2) for stage in stages]
    assert errors == sorted(errors, reverse=True)
    assert len(numbers.train_losses_) == len(numbers.held_out_losses_) == 15
    classes = StructuralBoostingClassifier(max_iter=5).fit(cells, np.digitize(cells[:, 0], [-0.5, 0.5]))
    *_, last = classes.staged_predict_proba(cells)
    assert np.array_equal(last, classes.predict_proba(cells))
    *_, answers = classes.staged_predict(cells)
    assert np.array_equal(answers, classes.predict(cells)) and classes.apply(cells).shape == (300, 15)


def test_importances_are_those_of_the_tests():
    rng = np.random.default_rng(0)
    cells = rng.normal(size=(300, 3))
    boosted = StructuralBoostingClassifier(max_iter=20).fit(cells, cells[:, 1] > 0)
    assert boosted.feature_importances_.argmax() == 1 and boosted.feature_importances_.sum() == pytest.approx(1)
    falls = boosted.permutation_importances(cells, cells[:, 1] > 0)
    assert next(iter(falls)) == "x1" and falls["x1"] > 0.3 and abs(falls.get("x2", 0.0)) < 0.1


def test_commands_of_a_boosted_sum(tmp_path):
    out = tmp_path / "boosted.json"
    given = [
        "fit",
        "trains",
        "--model",
        "boosting",
        "--rounds",
        "20",
        "--learning-rate",
        "0.2",
        "--no-early-stopping",
    ]
    text = succeed(*given, "-o", str(out))
    assert "20 trees with" in text and "loss log-loss, learning rate 0.2" in text
    assert "new data (cross-validation)" in text
    found = json.loads(succeed(*given, "--json"))
    assert found["model_kind"] == "boosting" and found["boosting"]["max_iter"] == 20 and found["trees"] == 20
    assert "20 trees with" in succeed("show", str(out))
    assert "expected log odds of" in succeed("explain", str(out), "trains", "--row", "3")
    model = structtree.load_model(out)
    assert "boosting of 20 trees" in str(model.predictor) and "20 trees" in model._repr_html_()
    assert succeed("predict", str(out), "trains").count("\n") == 21
    words = ["--model", "boosting", "--rounds", "10", "--folds", "4", "--repeats", "1"]
    assert "accuracy" in succeed("cv", "trains", *words)


def test_a_loss_decides_about_the_task(tmp_path):
    table = tmp_path / "counts.csv"
    rows = [f"{size},{size % 3}" for size in range(60)]
    table.write_text("size,n\n" + "\n".join(rows) + "\n")
    given = ["fit", str(table), "--target", "n", "--model", "boosting", "--rounds", "5", "--no-estimate"]
    assert "R²" in succeed(*given, "--loss", "poisson")
    assert "accuracy" in succeed(*given, "--loss", "log-loss")
    assert "loss squared" in succeed(*given, "--loss", "squared", "--monotone", "size=1")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--rounds", "5"], "--rounds 5 does not apply to a tree; add --model boosting"),
        (["--model", "boosting", "--stop", "test"], "--stop test does not apply to boosting"),
        (["--model", "boosting", "--criterion", "gini"], "--criterion gini does not apply to boosting"),
        (["--model", "boosting", "--rounds", "0"], "--rounds must be an int >= 1"),
        (["--model", "boosting", "--loss", "poisson"], "is for numbers"),
        (["--model", "boosting", "--monotone", "size"], "--monotone takes ATTRIBUTE=1|-1"),
        (["--model", "boosting", "--monotone", "size=2"], "must map attributes to 1 or -1"),
        (["--model", "forest", "--learning-rate", "0.5"], "--learning-rate 0.5 does not apply to a forest"),
    ],
)
def test_the_command_line_refuses_options_that_do_not_apply(words, message):
    found = run("fit", "trains", *words)
    assert found.exit_code in (1, 2) and message in found.stderr, found.stderr
