"""Numbers far from zero, or of extreme size, are told apart as well as others: what counts is how far they spread."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

from structtree import Grammar
from structtree.data.population import Population
from structtree.learn.fit import fit
from structtree.learn.growing import grow
from structtree.models.files.models import load_model, save_model
from structtree.models.settings import Growth
from structtree.models.tree import Branch
from structtree.search.best_split import best_split

X = np.arange(8.0)
STEP = X >= 4
FAR = [(1e15, 100.0), (1e6, 1e-7), (1.7e18, 1e6), (-1e15, 100.0), (1e200, 1e190), (0.0, 1e200), (0.0, 1e-200)]
TABLE = Population.from_array(X[:, None], names=["x"])
GAPS = Population.from_array(np.stack([X, np.where(X == 0, np.nan, X)], axis=1), names=["x", "z"])
ONE, TWO = "refine Row { top -> x >= * }", "refine Row { top -> x >= *; top -> x <= *; top -> top and top max 2 }"
ROUTES = [
    (TABLE, ONE, Growth()),
    (TABLE, ONE, Growth(max_leaf_nodes=4)),
    (TABLE, ONE, Growth(strategy="bottom-up")),
    (TABLE, ONE, Growth(strategy="best-first")),
    (TABLE, ONE, Growth(strategy="exhaustive")),
    (TABLE, ONE, Growth(strategy="beam")),
    (TABLE, TWO, Growth()),
    (TABLE, ONE, Growth(stop="test")),
    (GAPS, "refine Row { top -> x >= *; top -> z >= * }", Growth(missing="fractional")),
]


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.parametrize(("offset", "step"), FAR)
@pytest.mark.parametrize(("table", "rewrites", "growth"), ROUTES)
def test_a_step_is_found_wherever_it_is(offset, step, table, rewrites, growth):
    y = offset + step * STEP
    tree = grow(table, y, Grammar.parse(rewrites), growth, criterion="mse")
    root, *leaves = tree.nodes
    assert isinstance(root, Branch) and len(leaves) == 2
    assert [leaf.stats.mean for leaf in leaves] == [y[-1], y[0]]
    assert [leaf.stats.variance for leaf in leaves] == [0.0, 0.0]
    assert root.stats.mean == pytest.approx(offset + step / 2)
    spread = float(y[-1] - y[0]) / 2
    assert root.stats.variance == pytest.approx(spread * spread)
    assert root.found.score == 0 and root.found.gain == root.stats.variance


@pytest.mark.parametrize(("offset", "step"), FAR)
def test_the_best_split_has_no_error_left(offset, step):
    found = best_split(TABLE, offset + step * STEP, Grammar.parse(ONE), criterion="mse")
    assert found.score == 0 and found.proved


def test_numbers_that_only_rounding_keeps_apart_are_equal():
    y = np.where(STEP, 0.1 + 0.2, 0.3)
    assert y[0] != y[-1]
    for table, rewrites, growth in ROUTES:
        assert len(grow(table, y, Grammar.parse(rewrites), growth, criterion="mse").nodes) == 1


def test_the_least_decrease_is_in_the_units_of_the_target():
    for offset, step in ((0.0, 1e120), (1e15, 100.0)):
        y = offset + step * STEP
        gain = step / 2 * step / 2
        for share, n_nodes in ((0.9, 3), (1.1, 1)):
            for strategy in ("auto", "best-first"):
                growth = Growth(strategy=strategy, min_impurity_decrease=share * gain)
                assert len(grow(TABLE, y, Grammar.parse(ONE), growth, criterion="mse").nodes) == n_nodes


def test_numbers_whose_squares_overflow_have_an_infinite_variance_and_nothing_else_is_lost(tmp_path):
    y = 1e200 * np.array([1.0, 1.0, 2.0, 2.0, -5.0, -5.0, -5.0, -7.0])
    tree = grow(TABLE, y, Grammar.parse(ONE), Growth(), criterion="mse")
    assert tree.nodes[0].stats.variance == math.inf
    model = fit(TABLE, y, Grammar.parse(ONE), criterion="mse")
    assert model.predict(TABLE).tolist() == y.tolist()
    save_model(model, tmp_path / "m.json")
    assert load_model(tmp_path / "m.json").predict(TABLE).tolist() == y.tolist()
