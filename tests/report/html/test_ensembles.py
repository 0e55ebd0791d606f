"""The page about an ensemble: held-out figures first, examples, charts, and the tree that agrees most."""

from __future__ import annotations

import numpy as np
import pytest

from structtree import Population, StructuralForestClassifier, fit, html_report, load_dataset, load_model, save_model
from structtree.errors import DataError, UsageError
from structtree.learn.forests import out_of_samples
from structtree.models.ensemble import ForestPredictor
from structtree.report.html.ensembles import representative
from tests.cli.test_commands import run
from tests.models.test_ensemble import forest


@pytest.fixture(scope="module")
def trains():
    data = load_dataset("trains")
    return fit(data.population, data.target, "trains", model="forest", n_estimators=30, target_name="direction"), data


def test_the_page_has_all_parts_and_needs_no_scripts(trains):
    model, data = trains
    page = html_report(model, data.population, data.target).html
    for part in (
        "Scores",
        "Tests, by share",
        "Attributes and links",
        "Calibration",
        "Learning curve",
        "A representative",
    ):
        assert f"<h2>{part}" in page
    assert "<script" not in page and page.count("<svg") == 6 + 2 + 1
    assert "new data (out of bag)" in page and "at least some value" not in page


def test_a_loaded_forest_says_what_its_figures_are_about(trains, tmp_path):
    model, data = trains
    save_model(model, tmp_path / "forest.json")
    page = html_report(load_model(tmp_path / "forest.json"), data.population, data.target).html
    assert "the individuals of this report" in page and "out of bag" not in page
    assert "Calibration" not in html_report(model, data.population).html


def test_stored_scores_on_new_data_come_first(tmp_path):
    out, page = tmp_path / "forest.json", tmp_path / "report.html"
    found = run("fit", "trains", "--model", "forest", "--trees", "20", "-o", str(out), "--report", str(page))
    assert found.exit_code == 0, found.stderr
    text = page.read_text()
    assert 0 < text.index("new data (out of bag)</th>") < text.index("training data</th>")
    assert run("report", str(out), "trains", "-o", str(page)).exit_code == 0
    assert "new data (out of bag)</th>" in page.read_text()


def test_trees_and_individuals_out_of_their_samples_give_the_predictions_out_of_bag(trains):
    model, data = trains
    unseen = out_of_samples(model.grown, model.settings.growth, model.settings.forest)
    leaves = model.predictor.leaves(model.prepared(data.population))
    assert np.allclose(model.predictor.mean_over(leaves, unseen), model.out_of_bag, equal_nan=True)


@pytest.mark.parametrize("criterion", ["gini", "mse"])
def test_a_single_tree_predicts_as_in_the_forest(criterion):
    made, population = forest(criterion)
    for place in range(len(made.trees)):
        alone = ForestPredictor(made.trees.tree(place), made.ladders, made.gains, made.schema, made.task)
        tree = made.single_tree(place)
        expected = alone.predict_proba(population) if criterion == "gini" else alone.predict(population)
        reached = tree.apply(population)
        if criterion == "gini":
            counts = np.array([tree.nodes[leaf].stats.counts for leaf in reached])
            assert np.allclose(counts / counts.sum(axis=1, keepdims=True), expected)
        else:
            assert np.allclose([tree.nodes[leaf].stats.mean for leaf in reached], expected)
            weights = [tree.nodes[leaf].stats.weight for leaf in tree.leaves]
            means = [tree.nodes[leaf].stats.mean for leaf in tree.leaves]
            assert tree.nodes[0].stats.mean == pytest.approx(np.average(means, weights=weights))


def test_the_representative_tree_is_nearest_to_the_forest():
    made, population = forest("mse", n_trees=8)
    whole = made.predict(population)
    singles = [
        ForestPredictor(made.trees.tree(place), made.ladders, made.gains, made.schema, made.task).predict(population)
        for place in range(8)
    ]
    distances = [np.square(one - whole).mean() for one in singles]
    assert representative(made, made.leaves(population)) == int(np.argmin(distances))


def test_hostile_names_stay_text():
    rows = [{"<b>x": float(n % 7), "k": "<script>"} for n in range(40)]
    labels = ["<i>a" if n % 7 > 3 else "b&" for n in range(40)]
    model = fit(Population.from_records(rows), labels, model="forest", n_estimators=5, target_name="<u>")
    page = html_report(model, rows, labels).html
    assert "<script" not in page and "<i>" not in page and "<u>" not in page and "<b>x" not in page


def test_numbers_and_boosted_sums_have_pages_too():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(80, 2))
    for kind in ("forest", "boosting"):
        options = {"n_estimators": 5} if kind == "forest" else {"max_iter": 5}
        model = fit(values, values[:, 0] * 3, model=kind, **options)
        page = html_report(model, values, values[:, 0] * 3).html
        assert "Learning curve" in page and "Calibration" not in page
        assert ("A representative" in page) == (kind == "forest")
        classes = fit(values, values[:, 0] > 0, model=kind, **options)
        assert "Calibration" in html_report(classes, values, values[:, 0] > 0).html


def test_what_does_not_fit_is_refused(trains):
    model, data = trains
    with pytest.raises(DataError, match="expected 20 labels"):
        html_report(model, data.population, ["east"])
    with pytest.raises(UsageError, match="effort is measured for trees"):
        html_report(model, data.population, data.target, effort=1.0)
    estimator = StructuralForestClassifier("trains", n_estimators=5).fit(data.population, data.target)
    assert "out of bag" in html_report(estimator, data.population, data.target).html
