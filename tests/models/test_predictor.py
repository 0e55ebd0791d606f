"""Predictors of other kinds than trees work in models, files and commands; unknown kinds are refused."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

from structtree import (
    Model,
    Predictor,
    TreePredictor,
    evaluate,
    explain,
    export_text,
    fit,
    load_dataset,
    load_model,
    register_predictor,
    save_model,
)
from structtree.errors import DataError, UsageError
from structtree.models.predictor import _KINDS
from tests.cli.test_commands import run
from tests.models.toy_predictors import Constant, Mean


@pytest.fixture(scope="module")
def trains():
    return load_dataset("trains")


@pytest.fixture(scope="module")
def mean(trains):
    """A model of two trees, one of which was learned from half of the trains."""
    half = np.arange(0, 20, 2)
    learned = [
        fit(trains.population, trains.target, "trains", max_depth=1),
        fit(trains.population.take(half), trains.target[half], "trains", max_depth=2, criterion="gini"),
    ]
    return Model(Mean(tuple(model.predictor for model in learned)), "direction")


def test_a_mean_of_trees_predicts(mean, trains):
    each = [Model(member).predict_proba(trains.population) for member in mean.predictor.members]
    np.testing.assert_array_equal(mean.predict_proba(trains.population), (each[0] + each[1]) / 2)
    said = np.array(mean.classes)[mean.predict_proba(trains.population).argmax(axis=1)]
    assert mean.predict(trains.population).tolist() == said.tolist()
    assert evaluate(mean, trains.population, trains.target)["accuracy"] >= 0.9


def test_it_is_saved_with_its_kind_and_loaded(mean, trains, tmp_path):
    save_model(mean, tmp_path / "mean.json")
    written = json.loads((tmp_path / "mean.json").read_text())["predictor"]
    assert [written["kind"], *(member["kind"] for member in written["members"])] == ["mean", "tree", "tree"]
    loaded = load_model(tmp_path / "mean.json")
    assert isinstance(loaded.predictor, Mean) and loaded.needed == mean.needed
    np.testing.assert_array_equal(loaded.predict_proba(trains.population), mean.predict_proba(trains.population))


def test_the_command_line_predicts_and_explains_with_it(mean, trains, tmp_path):
    save_model(mean, tmp_path / "mean.json")
    found = run("predict", str(tmp_path / "mean.json"), "trains")
    assert found.exit_code == 0, found.stderr
    rows = list(csv.DictReader(found.stdout.splitlines()))
    assert [row["prediction"] for row in rows] == mean.predict(trains.population).tolist()
    told = run("explain", str(tmp_path / "mean.json"), "trains", "--row", "3")
    assert told.exit_code == 0, told.stderr
    assert told.stdout.startswith("Train 3\n→ east, p = 0.")
    assert json.loads(run("explain", str(tmp_path / "mean.json"), "trains", "--json").stdout)["path"] == []


def test_numbers_may_come_without_a_spread(trains, tmp_path):
    model = Model(Constant(trains.population.schema, 2.5), "wheels")
    assert model.predict(trains.population).tolist() == [2.5] * 20
    save_model(model, tmp_path / "m.json")
    assert load_model(tmp_path / "m.json").predictor == model.predictor
    found = run("predict", str(tmp_path / "m.json"), "trains")
    assert found.stdout.splitlines()[:2] == ["row,prediction", "0,2.5"]
    assert str(explain(model, trains.population, 1)) == "Train 1\n→ 2.5"
    with pytest.raises(UsageError, match="predicts numbers, which have no probabilities"):
        model.predict_proba(trains.population)


def test_what_needs_a_tree_says_so(mean):
    for ask in (export_text, lambda model: model.tree, lambda model: model.decision):
        with pytest.raises(UsageError, match="expected a model with a tree; this one predicts with a mean"):
            ask(mean)


def test_a_file_of_a_kind_that_is_not_registered_is_refused(mean, tmp_path, monkeypatch):
    save_model(mean, tmp_path / "mean.json")
    monkeypatch.delitem(_KINDS, "mean")
    with pytest.raises(DataError, match=r"mean\.json: unknown kind of predictor 'mean'.* at \$\.predictor\.kind"):
        load_model(tmp_path / "mean.json")


def test_a_kind_has_one_class():
    class Other(Constant):
        kind = "tree"

    sentence = "a predictor class needs a unique class attribute 'kind'; got 'tree', the kind of"
    with pytest.raises(UsageError, match=sentence):
        register_predictor(Other)


def test_a_tree_is_not_a_predictor_by_itself(trains):
    tree = fit(trains.population, trains.target, "trains", max_depth=1).tree
    with pytest.raises(UsageError, match=r"predictor must be a Predictor, such as TreePredictor\(tree\); got"):
        Model(tree)
    assert isinstance(Model(TreePredictor(tree)).predictor, Predictor)
