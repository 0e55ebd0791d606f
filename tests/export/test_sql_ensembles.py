"""Ensembles as SQL: SQLite and DuckDB predict what the forest predicts."""

from __future__ import annotations

import sqlite3
import warnings
from dataclasses import replace

import numpy as np
import pytest

from structtree import Population, export_prolog, export_smarts, export_sql, fit, load_model, save_model
from structtree.errors import UsageError
from structtree.export.sql import ensembles
from structtree.export.sql.ensembles import _yes_paths
from structtree.lang.parse import parse_predicate
from structtree.models.ensemble import EnsembleTrees, ForestPredictor
from structtree.models.ladders import Thresholds
from structtree.search.kernels.descending import no_children
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
    database.execute("DROP VIEW IF EXISTS prediction")
    getattr(database, "executescript", database.execute)(sql)
    return database.execute("SELECT * FROM prediction ORDER BY 1").fetchall()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("individual", ["customer", "order"])
@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_the_view_of_linked_tables_predicts_what_the_forest_predicts(engine, individual, n_classes, tmp_path):
    database, population = opened(engine, individual)
    rng = np.random.default_rng(1)
    labels = (
        rng.integers(0, n_classes, len(population)).astype(str) if n_classes else rng.normal(size=len(population))
    )
    grammar = (
        "refine customer { top -> count ~order.customer (top) >= *; top -> born <= *; top -> vip; "
        "top -> mean ~order.customer.total >= *; top -> exists ~order.customer (top) } "
        "refine order { top -> pieces >= *; top -> kind = *; top -> total <= *; top -> customer (vip) }"
    )
    schema_links = {link.name for record in population.schema.types for link in record.links}
    grammar = grammar if "~order.customer" in schema_links else grammar.replace("~order.customer", "order")
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
