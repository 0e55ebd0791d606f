"""A task of one file works everywhere: learning, cross-validation, files, text, pictures and reports."""

from __future__ import annotations

import json
from functools import partial
from math import lgamma, log

import numpy as np
import pandas as pd
import pytest

import structtree
from structtree.data.population import Population
from structtree.errors import DataError, UnknownNameError, UsageError
from structtree.evaluation.score import evaluate
from structtree.lang.pretty import pretty
from structtree.models.rules import to_rules
from structtree.report.explain import explain
from structtree.tasks import registry
from structtree.tasks.task import Task
from tests.conftest import REPOSITORY
from tests.tasks.toy_poisson import PoissonDeviance, PoissonTask, Rate

N = 90


SHOPS = "refine Individual { top -> size >= *; top -> exists staff (top) } refine Staff { top -> sells }"


@pytest.fixture(scope="module")
def shops():
    """Shops with their staff, for the search behind links."""
    random = np.random.default_rng(7)
    staff = [[{"sells": bool(random.integers(2))} for _ in range(2)] for _ in range(N)]
    sizes = random.integers(1, 9, N).tolist()
    return Population.from_records([{"size": size, "staff": some} for size, some in zip(sizes, staff, strict=True)])


@pytest.fixture(scope="module")
def table():
    random = np.random.default_rng(3)
    return Population.from_records([{"size": int(size), "far": bool(size % 2)} for size in random.integers(1, 9, N)])


def counts_for(population):
    random = np.random.default_rng(1)
    return random.poisson(np.where(population.column("size").values >= 5, 6.0, 1.0))


@pytest.fixture
def registered(monkeypatch):
    monkeypatch.setattr(registry, "_TASKS", dict(registry._TASKS))
    structtree.register_task(PoissonTask())


@pytest.fixture(scope="module", params=["shops", "table"])
def learned(request):
    population = request.getfixturevalue(request.param)
    counts, grammar = counts_for(population), SHOPS if request.param == "shops" else "flat"
    model = structtree.fit(population, counts, grammar, task=PoissonTask(), target_name="customers", max_depth=2)
    return population, counts, model


@pytest.mark.parametrize("task", [PoissonTask(), "poisson"], ids=["object", "name"])
def test_a_file_gives_the_tree_of_its_individuals(registered, table, tmp_path, task):
    counts, file = counts_for(table), tmp_path / "shops.csv"
    sizes = table.column("size").values
    rows = [f"{size:g},{n}" for size, n in zip(sizes, counts, strict=True)]
    file.write_text("\n".join(["size,customers", *rows]), encoding="utf-8")
    found = structtree.fit(file, target="customers", task=task, max_depth=2, estimate=True)
    twin = structtree.fit(
        pd.DataFrame({"size": sizes.astype(int)}), counts, task=task, max_depth=2, target_name="customers"
    )
    assert [str(node) for node in found.tree.nodes] == [str(node) for node in twin.tree.nodes]
    assert found.tree.task.name == "poisson" and len(found.tree.nodes) > 1
    assert list(found.training.values) == list(found.estimate.values) == ["deviance"]
    opened = structtree.open_data(file, target="customers")
    assert structtree.fit(opened, task=task, max_depth=1).tree.task == PoissonTask()


def test_the_task_of_a_file_must_fit_its_labels_and_the_criterion(tmp_path):
    file = tmp_path / "shops.csv"
    file.write_text("size,customers\n1,few\n2,many\n", encoding="utf-8")
    with pytest.raises(UsageError, match="customers contains non-numeric values such as 'few'"):
        structtree.fit(file, target="customers", task=PoissonTask())
    with pytest.raises(UsageError, match="criterion 'gini' is for classes; this is a tree for counts"):
        structtree.fit(file, target="size", task=PoissonTask(), criterion="gini")
    with pytest.raises(UnknownNameError, match="unknown task 'poison'"):
        structtree.fit(file, target="size", task="poison")


def test_the_toy_is_one_short_file():
    lines = (REPOSITORY / "tests" / "tasks" / "toy_poisson.py").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 120


def test_no_module_of_the_package_knows_the_toy():
    texts = ((path, path.read_text(encoding="utf-8")) for path in (REPOSITORY / "structtree").rglob("*.py"))
    assert [path.name for path, text in texts if "PoissonTask" in text or "toy_poisson import" in text] == []


def test_the_first_split_is_the_one_of_least_deviance_by_plain_counting(table):
    counts = counts_for(table)
    tree = structtree.grow(table, counts, "flat", task=PoissonTask(), max_depth=1)
    sizes = table.column("size").values

    def likelihood(part):
        rate = part.mean() or 1.0
        return sum(k * log(rate) - rate - lgamma(k + 1) for k in part.tolist())

    cuts = np.arange(2, 9)
    best = max(cuts, key=lambda cut: likelihood(counts[sizes >= cut]) + likelihood(counts[sizes < cut]))
    assert best == 5
    assert pretty(tree.nodes[0].test) == "size >= 5"
    large = counts[sizes >= 5]
    assert tree.nodes[1].stats == Rate(len(large), float(len(large)), float(large.sum()))


def test_fit_and_predict(learned):
    population, counts, model = learned
    assert pretty(model.tree.nodes[0].test) == "size >= 5"
    large = population.column("size").values >= 5
    said = model.predict(population)
    assert said[large].mean() == pytest.approx(counts[large].mean(), rel=0.1)
    assert said[~large].mean() == pytest.approx(counts[~large].mean(), rel=0.1)
    assert model.settings.criterion == "poisson"


def test_scores_are_those_of_the_task(learned):
    population, counts, model = learned
    found = evaluate(model, population, counts)
    assert list(found.values) == ["deviance"]
    assert 0 < found["deviance"] < found.baseline["deviance"]
    assert str(found).startswith("Poisson deviance ")
    with pytest.raises(UsageError, match="the metric rmse is for numbers, but the target is a count"):
        evaluate(model, population, counts, ["rmse"])


def test_cross_validation(learned):
    population, counts, _ = learned
    grammar = SHOPS if population.schema.names == ("Individual", "Staff") else "flat"
    make = partial(structtree.StructuralTreeRegressor, grammar, task=PoissonTask(), max_depth=2)
    found = structtree.cross_validate(make, population, counts, folds=3, repeats=1)
    scores = found.evaluate()
    assert scores["deviance"] < scores.baseline["deviance"]
    assert found.mean == pytest.approx(scores["deviance"])


@pytest.mark.usefixtures("registered")
def test_save_and_load(learned, tmp_path):
    population, _, model = learned
    structtree.save_model(model, tmp_path / "m.json")
    again = structtree.load_model(tmp_path / "m.json")
    assert json.loads((tmp_path / "m.json").read_text())["predictor"]["task"] == "poisson"
    assert again.tree.task == PoissonTask()
    assert again.tree.nodes == model.tree.nodes
    assert again.predict(population).tolist() == model.predict(population).tolist()


def test_loading_needs_the_task(learned, tmp_path):
    structtree.save_model(learned[2], tmp_path / "m.json")
    with pytest.raises(
        DataError, match=r"unknown task 'poisson' .*; register .*\.register_task.* at \$\.predictor\.task"
    ):
        structtree.load_model(tmp_path / "m.json")


def test_text_rules_and_explanation(learned):
    population, _, model = learned
    text = structtree.export_text(model, counts=True)
    assert text.startswith("size >= 5  (n=90, mean rate ")
    assert "rate 6" in text or "rate 5" in text
    assert all(rule.spread > 0 and rule.confidence is None for rule in to_rules(model))
    assert "rate " in explain(model, population, 0).words


def test_a_task_without_a_spread_shows_none(table):
    class Plain(PoissonTask):
        spread, leaf_text = Task.spread, Task.leaf_text

    model = structtree.fit(table, counts_for(table), "flat", task=Plain(), max_depth=2)
    text = structtree.export_text(model)
    assert "±" not in text
    assert "n=" in text
    assert all(rule.spread is None for rule in to_rules(model))
    assert "±" not in explain(model, table, 0).words
    assert "standard deviation" not in structtree.plot_tree(model, individuals=table, target=counts_for(table)).svg
    assert '"sd"' not in structtree.html_report(model, table, counts_for(table)).html


def test_picture(learned, tmp_path):
    population, counts, model = learned
    picture = structtree.plot_tree(model, individuals=population, target=counts)
    assert "rate " in picture.svg


def test_report(learned, tmp_path):
    population, counts, model = learned
    page = structtree.html_report(model, population, counts).html
    assert "Poisson tree for customers" in page
    assert '"deviance"' in page


@pytest.mark.parametrize("options", [{"post_prune": "reduced-error"}, {"ccp_alpha": 0.01}, {"grow": "full"}])
def test_pruning(table, options):
    model = structtree.fit(table, counts_for(table), "flat", task=PoissonTask(), **options)
    assert pretty(model.tree.nodes[0].test) == "size >= 5"


def test_weights_in_any_unit_give_the_same_tree(table):
    counts, weights = counts_for(table), np.arange(N) % 3 + 1.0
    trees = [
        structtree.grow(table, counts, "flat", task=PoissonTask(), sample_weight=weights * unit, max_depth=2)
        for unit in (1.0, 0.1)
    ]
    assert [pretty(tree.nodes[0].test) for tree in trees] == ["size >= 5"] * 2
    assert trees[1].nodes[0].stats.total == pytest.approx(0.1 * trees[0].nodes[0].stats.total)


@pytest.mark.usefixtures("registered")
def test_a_registered_task_has_a_name(table):
    counts = counts_for(table)
    by_name = structtree.grow(table, counts, "flat", task="poisson")
    by_criterion = structtree.grow(table, counts, "flat", criterion=PoissonDeviance())
    assert by_name.task == by_criterion.task == PoissonTask()
    assert structtree.export_text(by_name) == structtree.export_text(by_criterion)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"class_weight": "balanced"}, "class_weight is for classes, but the target is a count"),
        ({"priors": {0: 1}}, "priors are for classes, but the target is a count"),
        ({"classes": [0, 1]}, "is for counts, which have no classes"),
        ({"criterion": "gini"}, "criterion 'gini' is for classes; this is a tree for counts"),
        ({"stop": "test"}, "stop='test' is not available for counts"),
        ({"post_prune": "pessimistic"}, "pessimistic pruning is for classes"),
        ({"task": "poison"}, "unknown task 'poison'"),
    ],
)
def test_options_of_other_tasks_are_refused(table, options, message):
    with pytest.raises((UsageError, structtree.StructtreeError), match=message):
        structtree.fit(table, counts_for(table), **{"task": PoissonTask(), **options})


def test_labels_are_checked_by_the_task(table):
    with pytest.raises(DataError, match="a count must be a whole number >= 0; got -1"):
        structtree.fit(table, np.full(N, -1), task=PoissonTask())


def test_a_name_stands_for_one_task(registered):
    class Other(PoissonTask):
        pass

    structtree.register_task(PoissonTask())
    with pytest.raises(UsageError, match="there is already a task called 'poisson'"):
        structtree.register_task(Other())
