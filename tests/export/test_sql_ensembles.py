"""Ensembles as SQL: SQLite and DuckDB predict what the forest, or the boosted sum, predicts."""

from __future__ import annotations

import sqlite3
import warnings
from dataclasses import replace

import numpy as np
import pytest

from structtree import Population, export_prolog, export_smarts, export_sql, fit, load_model, save_model
from structtree.errors import UsageError
from structtree.export.sql import ensembles
from structtree.export.sql.ensembles import _first_class, _yes_paths
from structtree.lang.parse import parse_predicate
from structtree.models.ensemble import EnsembleTrees, ForestPredictor
from structtree.models.ladders import Thresholds
from structtree.models.predictor import answers_from
from structtree.models.settings import Decision
from structtree.search.kernels.descending import no_children
from structtree.tasks.classification import Classification
from structtree.tasks.gradients import LogLoss
from tests.models.test_contributions import random_tree
from tests.odd_shop import LINKS, duck_shop, shop

ENGINES = ["sqlite", "duckdb"]


def opened(engine, individual, seed=0):
    """A shop in a database, and the population that is read from it."""
    database, options = shop(seed), {}
    if engine == "duckdb":
        pytest.importorskip("duckdb")
        database, options = duck_shop(database), {"links": LINKS}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return database, Population.from_database(database, individual=individual, **options)


def selected(database, sql):
    """The rows of the view, in the order of its key."""
    return table(database, sql)[1]


def table(database, sql):
    """The names of the columns of the view, and its rows in the order of its key."""
    database.execute("DROP VIEW IF EXISTS prediction")
    getattr(database, "executescript", database.execute)(sql)
    found = database.execute("SELECT * FROM prediction ORDER BY 1")
    return [column[0] for column in found.description], found.fetchall()


def grammar_for(population):
    """A grammar of tests on customers and their orders, as the links of the population are named."""
    grammar = (
        "refine customer { top -> count ~order.customer (top) >= *; top -> born <= *; top -> vip; "
        "top -> mean ~order.customer.total >= *; top -> exists ~order.customer (top) } "
        "refine order { top -> pieces >= *; top -> kind = *; top -> total <= *; top -> customer (vip) }"
    )
    schema_links = {link.name for record in population.schema.types for link in record.links}
    return grammar if "~order.customer" in schema_links else grammar.replace("~order.customer", "order")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("individual", ["customer", "order"])
@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_the_view_of_linked_tables_predicts_what_the_forest_predicts(engine, individual, n_classes, tmp_path):
    database, population = opened(engine, individual)
    rng = np.random.default_rng(1)
    labels = (
        rng.integers(0, n_classes, len(population)).astype(str) if n_classes else rng.normal(size=len(population))
    )
    grammar = grammar_for(population)
    forest = fit(population, labels, grammar, model="forest", n_estimators=12)
    save_model(forest, tmp_path / "forest.json")
    model = load_model(tmp_path / "forest.json")
    rows = selected(database, export_sql(model))
    assert len(rows) == len(population)
    predicted = model.predict(population).tolist()  # keys and row numbers ascend
    if not n_classes:
        assert np.allclose([row[1] for row in rows], predicted, rtol=1e-9, atol=1e-12)
        return
    assert [row[1] for row in rows] == predicted
    assert np.allclose([row[2:] for row in rows], model.predict_proba(population), rtol=0, atol=1e-12)


def numbers(engine, n=300, n_columns=6):
    """A table of numbers and categories with gaps, in a database."""
    rng = np.random.default_rng(5)
    values = rng.normal(size=(n, n_columns)).round(3)
    names = [f"x{place}" for place in range(n_columns)]
    if engine == "sqlite":
        database = sqlite3.connect(":memory:")
    else:
        database = pytest.importorskip("duckdb").connect(":memory:")
    kinds = ", ".join(f"{name} DOUBLE" for name in names)
    database.execute(f"CREATE TABLE part(id INTEGER PRIMARY KEY, {kinds}, colour VARCHAR)")
    for row, own in enumerate(values.tolist()):
        cells = [None if rng.random() < 0.1 else value for value in own]
        marks = ", ".join("?" * (len(cells) + 2))
        database.execute(f"INSERT INTO part VALUES ({marks})", [row, *cells, "rgb"[row % 3]])
    labels = np.where(values[:, 0] + (np.arange(n) % 3 == 0) > 0.3, "yes", "no")
    return database, Population.from_database(database, individual="part"), labels


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("costs", [None, [[0.0, 1.0], [7.0, 0.0]]])
def test_a_deep_forest_over_a_table_is_evaluated_in_parts(engine, costs, monkeypatch):
    database, population, labels = numbers(engine)
    monkeypatch.setattr(ensembles, "MOST_IN_TABLE", 3)
    monkeypatch.setattr(ensembles, "SUMMED_TOGETHER", 4)
    forest = fit(population, labels, model="forest", n_estimators=30, costs=costs)
    sql = export_sql(forest)
    assert "test_results_2" in sql
    rows = selected(database, sql)
    assert [row[1] for row in rows] == forest.predict(population).tolist()
    assert np.allclose([row[2:] for row in rows], forest.predict_proba(population), rtol=0, atol=1e-12)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_tree_deeper_than_the_parser_of_sqlite_allows_is_flat(engine):
    n = 60
    database = (
        sqlite3.connect(":memory:") if engine == "sqlite" else pytest.importorskip("duckdb").connect(":memory:")
    )
    database.execute("CREATE TABLE part(id INTEGER PRIMARY KEY, x DOUBLE)")
    for row in range(n):
        database.execute("INSERT INTO part VALUES (?, ?)", [row, float(row)])
    population = Population.from_database(database, individual="part")
    forest = fit(population, np.arange(float(n)), model="forest", n_estimators=1)
    # A chain that asks for each threshold in turn; as nested expressions, it would be 60 deep.
    ladders = np.array([0, -1] * (n - 1) + [-1], dtype=np.int32)
    steps = np.array([step for k in range(n - 2, -1, -1) for step in (k, 0)] + [0], dtype=np.int32)
    figures = np.column_stack([np.ones(n), np.arange(n)[::-1] * 10.0, np.zeros(n)])
    trees = EnsembleTrees(ladders, steps, no_children(ladders), np.zeros(1, dtype=np.int32), figures)
    thresholds = Thresholds(parse_predicate("x >= 1.0"), tuple(float(k) for k in range(1, n)))
    chain = ForestPredictor(trees, (thresholds,), (np.ones(n - 1),), forest.schema, forest.task)
    model = replace(forest, predictor=chain)
    assert model.predict(population).tolist() == [10.0 * row for row in range(n)]
    assert [row[1] for row in selected(database, export_sql(model))] == model.predict(population).tolist()


def test_leaves_in_reading_order_need_only_the_tests_that_they_pass():
    rng = np.random.default_rng(0)
    for _ in range(50):
        tree, _ = random_tree(rng, 4, 5, 1)
        paths = _yes_paths(tree.ladders, tree.no, 0, len(tree.ladders))
        ranks = rng.integers(0, 4, 4)
        holds = ranks[tree.ladders] > tree.steps
        node = 0
        while tree.ladders[node] >= 0:
            node = node + 1 if holds[node] else int(tree.no[node])
        first = next(leaf for leaf, path in paths if all(holds[branch] for branch in path))
        assert first == tree.no[node]


# ---- boosting --------------------------------------------------------------------------------------------

COSTS = {2: [[0.0, 1.0], [1.5, 0.0]], 3: [[0.0, 1.0, 2.0], [5.0, 0.0, 1.0], [1.0, 3.0, 0.0]]}


def columns_of(database, sql):
    """The columns of the view by name."""
    names, rows = table(database, sql)
    return dict(zip(names, zip(*rows, strict=True), strict=True))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("individual", ["customer", "order"])
@pytest.mark.parametrize(("n_classes", "has_costs"), [(2, False), (2, True), (3, False), (3, True)])
def test_a_boosted_sum_decides_in_the_database_as_the_model_does(engine, individual, n_classes, has_costs, tmp_path):
    database, population = opened(engine, individual)
    labels = np.random.default_rng(1).choice(list("abc"[:n_classes]), len(population))
    costs = COSTS[n_classes] if has_costs else None
    options = {"max_iter": 12, "early_stopping": False, "min_hessian": 0.01, "costs": costs}
    boosted = fit(population, labels, grammar_for(population), model="boosting", **options)
    save_model(boosted, tmp_path / "boosted.json")
    model = load_model(tmp_path / "boosted.json")
    if engine == "sqlite" and costs is not None and n_classes > 2:
        with pytest.raises(UsageError, match=r"costs of three classes or more need exp\(\), which SQLite may lack"):
            export_sql(model)
        return
    found = columns_of(database, export_sql(model))
    assert found["prediction"] == tuple(model.predict(population))
    assert len(set(found["prediction"])) > 1
    names = ["margin"] if n_classes == 2 else [f"margin_{label}" for label in model.classes]
    margins = model.predictor.margins(model.predictor.leaves(population))
    assert np.allclose([found[name] for name in names], margins.T, rtol=0, atol=1e-12)
    chances = [f"p_{label}" for label in model.classes]
    assert (chances[0] in found) == (engine == "duckdb")
    if engine == "duckdb":
        shares = model.predict_proba(population)
        assert np.allclose([found[name] for name in chances], shares.T, rtol=0, atol=1e-12)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("loss", ["squared", "absolute", "quantile", "poisson"])
def test_a_boosted_sum_for_numbers_gives_margins_and_predictions(engine, loss):
    database, population, _ = numbers(engine, n=120, n_columns=3)
    targets = np.random.default_rng(2).poisson(3.0, len(population)) + 5.0 * (np.arange(len(population)) % 3 == 0)
    model = fit(population, targets, model="boosting", loss=loss, max_iter=40, early_stopping=False)
    sql = export_sql(model)
    found = columns_of(database, sql)
    margins = model.predictor.margins(model.predictor.leaves(population))[:, 0]
    assert ("margin" in found) == (loss == "poisson")
    assert ("prediction" in found) == (loss != "poisson" or engine == "duckdb")
    assert ("SQLite may lack exp(), which the prediction would need" in sql) == ("prediction" not in found)
    for name, expected in (("margin", margins), ("prediction", model.predict(population))):
        assert np.allclose(found.get(name, expected), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("engine", ENGINES)
def test_equal_margins_and_sums_in_groups_decide_as_the_model_does(engine, monkeypatch):
    monkeypatch.setattr(ensembles, "SUMMED_TOGETHER", 4)
    database, population, _ = numbers(engine, n=60, n_columns=2)
    for classes in ("ab", "abc"):
        labels = np.array(list(classes) * 60)[: len(population)]
        model = fit(population, labels, model="boosting", max_iter=10, early_stopping=False)
        for figure in (model.predictor.trees.figures[:, 1], np.zeros(1)):
            trees = model.predictor.trees
            figures = np.column_stack([trees.figures[:, 0], np.broadcast_to(figure, len(trees.figures))])
            start = tuple(0.0 for _ in model.predictor.start)
            predictor = replace(model.predictor, trees=EnsembleTrees(*tuple(trees)[:4], figures), start=start)
            changed = replace(model, predictor=predictor)
            found = columns_of(database, export_sql(changed))
            assert found["prediction"] == tuple(changed.predict(population))
    assert set(found["prediction"]) == {"a"}


def test_the_threshold_of_log_odds_is_that_of_the_least_expected_cost():
    rng = np.random.default_rng(0)
    margins = np.concatenate([rng.normal(scale=3, size=50), [0.0, -40.0, 40.0]])
    chances, task = LogLoss().predictions(margins[:, None]), Classification(("a", "b"))
    for _ in range(200):
        costs = rng.integers(0, 4, (2, 2)).astype(float)
        expected = answers_from(chances, task, Decision(costs=tuple(map(tuple, costs.tolist()))))
        condition = _first_class(costs.tolist())
        with sqlite3.connect(":memory:") as database:
            query = f"SELECT {condition} FROM (SELECT ? AS m0)"
            first = [database.execute(query, [float(margin)]).fetchone()[0] for margin in margins]
        assert [1 - each for each in first] == expected.tolist(), costs


def test_prolog_smarts_and_other_data_are_refused_in_one_sentence():
    _, population, labels = numbers("sqlite", n=30)
    forest = fit(population, labels, model="forest", n_estimators=3)
    with pytest.raises(UsageError, match="expected a model with a tree; this one predicts with a forest"):
        export_prolog(forest)
    with pytest.raises(UsageError, match="SMARTS needs molecules"):
        export_smarts(forest)
    other = fit([[1.0], [2.0]], ["a", "b"], model="forest", n_estimators=3)
    with pytest.raises(UsageError, match="does not record the tables it was learned from"):
        export_sql(other)
