"""Numpy and SQLite agree on every figure of an audit."""

from __future__ import annotations

import sqlite3

import numpy as np
import pytest

from structtree.auditing.figures import (
    AUC_SQL,
    BY_VALUE_SQL,
    CORRELATION_SQL,
    VARIANCE_BY_VALUE_SQL,
    accuracy_by_value,
    auc,
    squared_correlation,
    variance_by_value,
)


@pytest.mark.parametrize("seed", range(5))
def test_numpy_and_sql_agree(seed):
    rng = np.random.default_rng(seed)
    x = np.where(rng.random(60) < 0.1, np.nan, rng.integers(0, 8, 60).astype(float))
    y = rng.normal(size=60) + np.nan_to_num(x)
    event = rng.random(60) < 0.4
    rows = [(None if np.isnan(a) else a, b, int(c)) for a, b, c in zip(x, y.tolist(), event, strict=True)]
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE f(x REAL, y REAL, e INTEGER)")
    database.executemany("INSERT INTO f VALUES (?, ?, ?)", rows)
    database.execute("CREATE TABLE g AS SELECT x, e AS y FROM f")
    pairs = {
        AUC_SQL: auc(x, event),
        CORRELATION_SQL: squared_correlation(x, y),
        VARIANCE_BY_VALUE_SQL: variance_by_value(x, y),
        BY_VALUE_SQL.replace("FROM f", "FROM g"): accuracy_by_value(x, event),
    }
    for query, expected in pairs.items():
        assert database.execute(query).fetchone()[0] == pytest.approx(expected)


def test_the_auc_counts_pairs():
    rng = np.random.default_rng(0)
    x, event = rng.integers(0, 5, 40).astype(float), rng.random(40) < 0.5
    pairs = [(a > b) + 0.5 * (a == b) for a in x[event] for b in x[~event]]
    assert auc(x, event) == pytest.approx(np.mean(pairs))
