"""Boosted sums: margins tree by tree, files, stages, contributions, and damaged files."""

from __future__ import annotations

import json

import numpy as np
import pytest

from structtree import contributions, explain, load_model, save_model, to_rules
from structtree.errors import DataError, UsageError
from structtree.models.files.models import model_from_json, model_to_json
from tests.learn.test_boosting import LOSSES, boosted
from tests.splitters.test_sweep import people

OTHERS = people(60, 9, gaps=0.2)


@pytest.fixture(scope="module", params=LOSSES)
def model(request):
    return boosted(request.param, max_iter=6)[0]


def test_margins_are_the_start_plus_the_values_of_the_leaves(model):
    predictor = model.predictor
    leaves, k = predictor.leaves(OTHERS), predictor.loss.n_margins
    for row in range(20):
        expected = np.array(predictor.start)
        for tree, leaf in enumerate(leaves[row]):
            expected[tree % k] += predictor.trees.figures[leaf, 1]
        assert np.allclose(predictor.margins(leaves)[row], expected)
    assert np.allclose(predictor.margins(leaves), predictor.intercept + predictor.outputs[leaves].sum(axis=1))


def test_a_file_preserves_every_prediction(model, tmp_path):
    save_model(model, tmp_path / "boosted.json")
    loaded = load_model(tmp_path / "boosted.json")
    assert np.array_equal(loaded.predict(OTHERS), model.predict(OTHERS))
    if model.classes:
        assert np.array_equal(loaded.predict_proba(OTHERS), model.predict_proba(OTHERS))
        assert np.allclose(model.predict_proba(OTHERS).sum(axis=1), 1)
    assert loaded.settings == model.settings and loaded.predictor.loss.name == model.predictor.loss.name
    assert model_to_json(loaded) == model_to_json(model)


def test_contributions_sum_to_the_margins(model):
    predictor = model.predictor
    found = contributions(model, OTHERS)
    assert np.allclose(found.margins, predictor.margins(predictor.leaves(OTHERS)))


def test_an_explanation_names_the_margin(model):
    text = str(explain(model, OTHERS, 0))
    name = model.predictor.loss.margin_name
    assert f"expected {name}" in text


def test_what_needs_a_tree_refuses_a_boosted_sum_in_one_sentence(model):
    with pytest.raises(UsageError, match=r"expected a model with a tree; this one predicts with a boosted sum"):
        to_rules(model)


def damaged(change, loss="several"):
    document = json.loads(json.dumps(model_to_json(boosted(loss, max_iter=2)[0])))
    change(document["predictor"])
    return document


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda p: p["start"].pop(), "4 numbers"),
        (lambda p: p["trees"].pop(), "4 trees for each round"),
        (lambda p: p["loss"].__setitem__("name", "poisson"), "is for numbers"),
        (lambda p: p["loss"].__setitem__("name", 3), r"\$.predictor.loss.name"),
        (lambda p: p["trees"][0]["leaves"].__setitem__(0, [1]), "2 numbers"),
        (lambda p: p["trees"].clear(), "one tree or more"),
    ],
)
def test_a_damaged_file_is_refused(change, message):
    with pytest.raises(DataError, match=message):
        model_from_json(damaged(change))
