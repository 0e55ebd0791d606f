"""Features as SQL: the numbers and truth values that a database returns are those of the package."""

from __future__ import annotations

import sqlite3
import warnings

import numpy as np
import pytest

from structtree import Population, StructuralFeatures
from structtree.data.layouts import layout_of
from structtree.data.provenance import provenance_of
from structtree.export.sql.features import features_sql
from structtree.export.sql.tests import SqlTests
from structtree.export.sql.values import NotInSqlError
from structtree.lang.background import Background
from structtree.lang.pretty import pretty
from tests.models.test_features import numeric_tests
from tests.odd_shop import LINKS, duck_shop, shop

READINGS = [
    {"individual": "customer"},
    {"individual": "order", "types": {"kind": "Shop<web"}},
    {"individual": "order", "as_of": "day"},
]


@pytest.mark.parametrize("engine", ["sqlite", "duckdb"])
@pytest.mark.parametrize("reading", READINGS, ids=str)
def test_a_database_returns_the_same_numbers(engine, reading):
    n = 0
    for seed in range(3):
        database = shop(seed)
        if engine == "duckdb":
            pytest.importorskip("duckdb")
            database, reading = duck_shop(database), {**reading, "links": LINKS}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            population = Population.from_database(database, **reading)
        layout = layout_of(provenance_of(population).relations, population.schema.individual)
        for test, numbers in numeric_tests(population, seed, 40 if engine == "sqlite" else 25):
            tests = SqlTests(population.schema, layout, engine, Background(population.schema))
            row = tests.individual()
            try:
                expression = tests.number(test, row)
            except NotInSqlError:
                continue
            query = f"{tests.beginning()}SELECT {expression} FROM {tests.source(row)} ORDER BY {row.alias}.rowid"
            found = [np.nan if value is None else float(value) for (value,) in database.execute(query).fetchall()]
            assert np.allclose(found, numbers, rtol=1e-9, atol=0, equal_nan=True), pretty(test)
            n += 1
    assert n > 5


def test_the_view_has_the_columns_that_the_transformer_returns():
    database = sqlite3.connect(":memory:")
    database.executescript("""
        CREATE TABLE customer(id INTEGER PRIMARY KEY, town TEXT, age INTEGER);
        CREATE TABLE "order"(customer_id INTEGER REFERENCES customer, total REAL, paid INTEGER);
    """)
    rng = np.random.default_rng(0)
    customers = [(i, str(rng.choice(["Bern", "Oslo"])), None if i % 7 == 0 else i % 5) for i in range(60)]
    orders = [(int(rng.integers(60)), float(rng.integers(90)), int(rng.integers(2))) for _ in range(150)]
    database.executemany("INSERT INTO customer VALUES (?, ?, ?)", customers)
    database.executemany('INSERT INTO "order" VALUES (?, ?, ?)', orders)
    population = Population.from_database(database, individual="customer")
    labels = ["good" if town == "Oslo" or age == 3 else "bad" for _, town, age in customers]
    features = StructuralFeatures(k=12).fit(population, labels)
    assert {each.is_number for each in features.selection_.features} == {False, True}
    database.executescript(features_sql(features.selection_))
    cursor = database.execute("SELECT * FROM features ORDER BY id")
    assert [name for name, *_ in cursor.description][1:] == features.get_feature_names_out().tolist()
    rows = np.array(cursor.fetchall(), dtype=float)[:, 1:]
    expected = features.transform(population)
    assert np.isnan(expected).any() and np.allclose(rows, expected, equal_nan=True)
    for place in (0, 5):
        values = [value for _, value in database.execute(features.feature_sql(place) + " ORDER BY 1").fetchall()]
        assert np.allclose(np.array(values, dtype=float), expected[:, place], equal_nan=True)
