"""Distillation: a tree grown on the predictions of an ensemble, out of bag for the individuals of training."""

from __future__ import annotations

import json

import numpy as np
import pytest

from structtree import (
    Forest,
    Model,
    Population,
    distil,
    explain,
    export_text,
    fit,
    load_dataset,
    load_model,
    save_model,
    to_rules,
)
from structtree.errors import DataError, UsageError
from structtree.models.settings import ModelChoice
from structtree.session.fitting import fit as fit_source
from tests.cli.test_commands import run


@pytest.fixture(scope="module")
def monks():
    data = load_dataset("monks-1")
    return fit(data.population, data.target, "flat", model="forest", n_estimators=30), data


def soft_counts(model, forest, population):
    """The sums of the predictions out of bag in each leaf, one individual at a time."""
    leaves, found = model.tree.apply(population), {}
    for leaf, chances in zip(leaves.tolist(), forest.out_of_bag, strict=True):
        found.setdefault(leaf, []).append(chances)
    return {leaf: (len(rows), np.sum(rows, axis=0)) for leaf, rows in found.items()}


def test_leaves_have_the_sums_of_the_predictions_out_of_bag(monks):
    forest, data = monks
    model = distil(forest, data.population, leaves=6, grammar="flat")
    assert len(model.tree.leaves) <= 6 and model.ensemble is forest
    expected = soft_counts(model, forest, data.population)
    assert set(expected) == set(model.tree.leaves)
    for leaf, (n, sums) in expected.items():
        stats = model.tree.nodes[leaf].stats
        assert stats.n == n and np.allclose(stats.counts, sums, rtol=0, atol=1e-9)
    root = model.tree.nodes[0].stats
    assert root.n == len(data.population) and np.allclose(root.counts, forest.out_of_bag.sum(axis=0))


def best_gini(columns, soft):
    """The loss of the best single test of categories for soft labels, by trying all."""
    losses = []
    for values in columns:
        for value in set(values):
            inside = np.array([other == value for other in values])
            if 0 < inside.sum() < len(inside):
                losses.append(sum(loss(soft[side]) for side in (inside, ~inside)))
    return min(losses)


def loss(soft):
    sums = soft.sum(axis=0)
    return float(sums.sum() - np.square(sums).sum() / sums.sum())


def test_the_first_test_divides_the_predictions_best(monks):
    forest, data = monks
    model = distil(forest, data.population, leaves=2, grammar="flat")
    names = [a.name for a in data.population.schema.type(data.population.schema.individual).attributes]
    columns = [data.population.column(name).values.tolist() for name in names]
    leaves = model.tree.apply(data.population)
    mine = sum(loss(forest.out_of_bag[leaves == leaf]) for leaf in model.tree.leaves)
    assert mine <= best_gini(columns, forest.out_of_bag) + 1e-9


def test_a_forest_of_a_small_tree_is_imitated_exactly():
    rows = [{"size": n % 7, "kind": "ab"[n % 2]} for n in range(80)]
    population = Population.from_records(rows)
    labels = ["x" if row["size"] >= 4 and row["kind"] == "a" else "y" for row in rows]
    forest = fit(population, labels, model="forest", n_estimators=1, bootstrap=False, max_features="all")
    model = distil(forest, population, leaves=3)
    assert model.fidelity == 1.0 and model.predict(population).tolist() == labels
    assert len(model.tree.leaves) == 3


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_result_is_an_ordinary_model(n_classes, tmp_path):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(150, 3))
    labels = np.array(["a", "b", "c"])[(values[:, 0] > 0).astype(int) + (n_classes == 3) * (values[:, 1] > 0.5)]
    forest = fit(values, labels, model="forest", n_estimators=20)
    model = distil(forest, values, leaves=5)
    save_model(model, tmp_path / "tree.json")
    loaded = load_model(tmp_path / "tree.json")
    assert np.array_equal(loaded.predict_proba(values), model.predict_proba(values))
    assert type(loaded) is Model and loaded.route.why.startswith("imitates a forest of 20 trees")
    assert len(to_rules(loaded.tree)) <= 5 and "yes" in export_text(loaded)
    assert explain(loaded, values, 0).leaf in loaded.tree.leaves
    assert model.fidelity == pytest.approx(
        np.mean(model.predict(values) == model.task.labels(forest.out_of_bag.argmax(axis=1)))
    )


def test_numbers_are_imitated_by_their_means():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(200, 2))
    forest = fit(values, 3 * values[:, 0], model="forest", n_estimators=20, max_features="all")
    model = distil(forest, values, leaves=8)
    leaves = model.tree.apply(model.prepared(values))
    for leaf in model.tree.leaves:
        assert model.tree.nodes[leaf].stats.mean == pytest.approx(forest.out_of_bag[leaves == leaf].mean())
    residue = forest.out_of_bag - model.predict(values)
    assert model.fidelity == pytest.approx(1 - np.square(residue).mean() / forest.out_of_bag.var())
    assert model.fidelity > 0.9


def test_unlabelled_individuals_count_with_their_predictions(monks):
    _, data = monks
    rows = np.arange(len(data.population))
    some, others = rows[:200], rows[200:]
    part = fit(data.population.take(some), data.target[some], "flat", model="forest", n_estimators=30)
    model = distil(part, data.population.take(some), 4, data.population.take(others), grammar="flat")
    chances = np.concatenate([part.out_of_bag, part.predict_proba(data.population.take(others))])
    assert model.tree.nodes[0].stats.n == len(rows)
    assert np.allclose(model.tree.nodes[0].stats.counts, chances.sum(axis=0))
    with pytest.raises(DataError, match="expected the 200 individuals that the forest was fitted to, got 432"):
        distil(part, data.population)


@pytest.mark.parametrize("form", [np.array, list])
def test_unlabelled_individuals_have_the_form_of_the_others(form):
    rng = np.random.default_rng(1)
    values = rng.normal(size=(60, 2))
    forest = fit(values, values[:, 0] > 0, model="forest", n_estimators=5)
    given = form(values.tolist())
    model = distil(forest, given, 3, form(rng.normal(size=(40, 2)).tolist()))
    assert model.tree.nodes[0].stats.n == 100
    with pytest.raises(DataError, match="unlabelled individuals must be of the same population"):
        distil(forest, values, 3, [{"x0": 1.0, "x1": 2.0}])


def test_a_loaded_forest_predicts_anew(monks, tmp_path):
    forest, data = monks
    save_model(forest, tmp_path / "forest.json")
    model = distil(load_model(tmp_path / "forest.json"), data.population, leaves=4)
    assert np.allclose(model.tree.nodes[0].stats.counts, forest.predict_proba(data.population).sum(axis=0))


def test_costs_of_the_ensemble_decide_in_the_tree():
    rng = np.random.default_rng(2)
    values = rng.normal(size=(100, 2))
    costs = [[0.0, 1.0], [30.0, 0.0]]
    forest = fit(values, values[:, 0] > 0, model="forest", n_estimators=10, costs=costs)
    model = distil(forest, values, leaves=4)
    chances = model.predict_proba(values)
    assert (model.predict(values) == (chances[:, 1] * 30 >= chances[:, 0])).all()


def test_what_cannot_be_imitated_is_refused(monks):
    _, data = monks
    tree = fit(data.population, data.target, max_depth=1)
    with pytest.raises(UsageError, match="distil imitates an ensemble; got a model with a tree"):
        distil(tree, data.population)
    with pytest.raises(UsageError, match="distil=12 imitates a forest; add model='forest'"):
        ModelChoice(distil=12)
    with pytest.raises(UsageError, match="distil=12 imitates a forest; add model='forest'"):
        ModelChoice("rule-set", distil=12)
    with pytest.raises(UsageError, match="distil requires a source"):
        fit_source(data.population, data.target, model="forest", distil=12)


def test_a_source_is_distilled_with_its_scores():
    model = fit("monks-1-train", model="forest", forest=Forest(n_estimators=10), distil=3, estimate=True)
    assert len(model.tree.leaves) <= 3 and model.estimate.n == 124
    assert model.settings.forest is None and model.route.why.startswith("imitates a forest of 10 trees")


def test_the_command_prints_fidelity_and_the_plain_tree(tmp_path):
    out = tmp_path / "tree.json"
    words = ["monks-1-train", "--model", "forest", "--trees", "10", "--distil", "3"]
    found = run("fit", *words, "--estimate", "-o", str(out))
    assert found.exit_code == 0, found.stderr
    assert "plain tree (5 folds)" in found.stdout and "forest (out of bag)" in found.stdout
    assert "fidelity to the forest (the same class): " in found.stdout
    assert len(load_model(out).tree.leaves) <= 3
    record = json.loads(run("fit", *words, "--estimate", "--json").stdout)
    assert 0 <= record["fidelity"]["estimate"] <= 1 and set(record["plain_tree"]) == set(record["estimate"]) - {
        "folds"
    }
    validated = json.loads(run("cv", *words, "--folds", "3", "--repeats", "1", "--json").stdout)
    assert validated["leaves_mean"] <= 3
    refused = run("fit", "trains", "--distil", "3")
    assert refused.exit_code == 2 and "--distil 3 imitates a forest; add --model forest" in refused.stderr
