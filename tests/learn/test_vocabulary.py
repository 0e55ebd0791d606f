"""Tests found by search for forests: a deep rule is among them, and out-of-bag scores stay honest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from structtree import StructuralBoostingRegressor, StructuralForestClassifier, pretty
from structtree.learn import boosting_fit, forest_fit, vocabulary
from structtree.learn.forest_fit import forest_criterion
from structtree.learn.learning_set import learning_set
from structtree.learn.vocabulary import found_tests, halves, with_residual_tests, with_vocabulary
from structtree.models.settings import Forest
from structtree.search.clock import Clock
from structtree.space.evaluate import holds

GRAMMAR = """
refine Individual { top -> exists orders (top); top -> age >= * }
refine Order { top -> app; top -> not app; top -> exists items (top); top -> top and top max 2 }
refine Item { top -> kg >= *; top -> kg <= *; top -> exists tags (top); top -> top and top max 2 }
refine Tag { top -> value = * }
"""


def customers(n, seed=0):
    rng = np.random.default_rng(seed)

    def item():
        return {"kg": int(rng.integers(1, 7)), "tags": rng.choice(["eco", "fragile", "gift"], 1).tolist()}

    def order():
        return {"app": bool(rng.random() < 0.5), "items": [item() for _ in range(3)]}

    return [{"age": int(rng.integers(20, 80)), "orders": [order() for _ in range(2)]} for _ in range(n)]


def is_risky(customer):
    return any(
        order["app"] and any(item["kg"] >= 4 and "fragile" in item["tags"] for item in order["items"])
        for order in customer["orders"]
    )


@pytest.fixture
def shortened(monkeypatch):
    """Make the list of tests so short that the rule is not in it."""
    monkeypatch.setattr(forest_fit, "MOST_MEANINGS", 60)
    monkeypatch.setattr(forest_fit, "FEWEST_MEANINGS", 60)


def prepared(data, labels):
    checked = learning_set(data, labels, GRAMMAR, usual=forest_criterion)
    listed = forest_fit.prepared_columns(checked, Forest(), Clock())
    return checked, listed, with_vocabulary(listed, checked, halves(len(data), 0), Clock(), 0)


def test_a_rule_that_is_not_listed_is_found(shortened):
    data = customers(300)
    labels = np.array([is_risky(each) for each in data])
    _, listed, columns = prepared(data, labels)
    assert not listed.is_complete and listed.found_in is None
    tests = [columns.binned.test(t).right for t in np.flatnonzero(columns.found_in >= 0)]
    assert any("app" in pretty(test) and "fragile" in pretty(test) and "kg" in pretty(test) for test in tests)


def test_found_tests_make_a_forest_better_also_on_new_individuals(shortened, monkeypatch):
    data, new = customers(300), customers(300, seed=1)
    labels, actual = (np.array([is_risky(each) for each in some]) for some in (data, new))
    forest = StructuralForestClassifier(GRAMMAR, n_estimators=60, random_state=0, time_limit=None)
    found = forest.fit(data, labels).score(new, actual), forest.oob_score_
    monkeypatch.setattr(forest_fit, "with_vocabulary", lambda columns, *_: columns)
    listed = forest.fit(data, labels).score(new, actual), forest.oob_score_
    assert found[0] > listed[0] + 0.05 and found[1] > listed[1] + 0.05


def test_the_columns_of_found_tests_say_who_satisfies_them(shortened):
    data = customers(200)
    checked, listed, columns = prepared(data, [is_risky(each) for each in data])
    assert columns.binned.n_tests > listed.binned.n_tests
    for t in np.flatnonzero(columns.found_in >= 0).tolist():
        test = columns.binned.test(t).right
        codes = columns.binned.columns.values[columns.binned.columns.tests[t, 0]]
        assert ((codes == codes.max()) == holds(test, checked.population)).all()


def test_tests_found_on_one_half_do_not_depend_on_the_labels_of_the_other(shortened):
    data = customers(200)
    labels = np.array([is_risky(each) for each in data])
    _, _, columns = prepared(data, labels)
    others = np.flatnonzero(columns.part_of == 1)
    shuffled = labels.copy()
    shuffled[others] = labels[np.random.default_rng(0).permutation(others)]
    _, _, changed = prepared(data, shuffled)
    assert np.array_equal(columns.part_of, changed.part_of)
    same, other = ([texts(each, half) for each in (columns, changed)] for half in (0, 1))
    assert same[0] == same[1] and same[0]
    assert other[0] != other[1]


def texts(columns, half):
    return [pretty(columns.binned.test(t).right) for t in np.flatnonzero(columns.found_in == half)]


def test_a_tree_predicts_nobody_out_of_bag_whose_label_led_to_its_tests(shortened):
    data = customers(200)
    forest = StructuralForestClassifier(GRAMMAR, n_estimators=1, random_state=3, time_limit=None)
    grown = forest.fit(data, [is_risky(each) for each in data]).model_.grown
    part_of = grown.columns.part_of
    assert (grown.n_votes[part_of == 0] == 0).all() and grown.n_votes[part_of == 1].any()
    two = forest.set_params(n_estimators=2).fit(data, [is_risky(each) for each in data]).model_.grown
    assert two.n_votes[part_of == 0].any()
    assert set(np.flatnonzero(two.columns.found_in == 1)).isdisjoint(two.trees[0].tests.tolist())
    assert set(np.flatnonzero(two.columns.found_in == 0)).isdisjoint(two.trees[1].tests.tolist())


def test_a_complete_list_is_left_as_it_is():
    data = customers(60)
    checked = learning_set(data, [is_risky(each) for each in data], GRAMMAR, usual=forest_criterion)
    listed = forest_fit.prepared_columns(checked, Forest(), Clock())
    whole = replace(listed, is_complete=True)
    assert with_vocabulary(whole, checked, halves(len(data), 0), Clock(), 0) is whole


def test_individuals_without_weight_have_no_say():
    data = customers(120)
    labels = np.array([is_risky(each) for each in data])
    checked = learning_set(data, labels, GRAMMAR, usual=forest_criterion)
    weights = np.where(np.arange(120) < 80, checked.target.weights, 0.0)
    target = replace(checked.target, weights=weights)
    flipped = np.where(np.arange(120) < 80, labels, ~labels)
    again = learning_set(data, flipped, GRAMMAR, usual=forest_criterion)
    other = replace(again.target, weights=weights)
    assert found_tests(checked, target, Clock()) == found_tests(again, other, Clock())


def test_boosting_searches_residuals_as_long_as_that_helps(shortened, monkeypatch):
    monkeypatch.setattr(vocabulary, "LEAVES_SEARCHED", 2)
    data, new = customers(200), customers(300, seed=1)
    labels, actual = (np.array([kilos(each) for each in some]) for some in (data, new))
    boosting = StructuralBoostingRegressor(GRAMMAR, time_limit=None, random_state=0)
    searched = boosting.fit(data, labels).score(new, actual)
    monkeypatch.setattr(boosting_fit, "MOST_SEARCHES", 0)
    once = boosting.fit(data, labels).score(new, actual)
    monkeypatch.setattr(boosting_fit, "with_vocabulary", lambda columns, *_: columns)
    listed = boosting.fit(data, labels).score(new, actual)
    assert searched > once > listed


def kilos(customer):
    """Sum of two rules and of a number that the individual itself has."""
    fragile = any(
        order["app"] and any(item["kg"] >= 4 and "fragile" in item["tags"] for item in order["items"])
        for order in customer["orders"]
    )
    eco = any(
        not order["app"] and any(item["kg"] <= 2 and "eco" in item["tags"] for item in order["items"])
        for order in customer["orders"]
    )
    return 10.0 * fragile + 6.0 * eco + customer["age"] / 20


def test_tests_for_residuals_are_new_and_do_not_depend_on_other_individuals(shortened):
    data = customers(200)
    labels = np.array([kilos(each) for each in data])
    checked = learning_set(data, labels, GRAMMAR, usual=forest_criterion)
    listed = forest_fit.prepared_columns(checked, Forest(), Clock())
    rows = np.arange(150)
    some = with_vocabulary(listed, checked, [rows], Clock(), 0)
    residuals = labels - labels.mean()
    more = with_residual_tests(some, checked, residuals, rows, Clock(), 0)
    assert not set(more.found[len(some.found) :]) & set(some.found)
    changed = np.where(np.arange(200) < 150, residuals, -residuals)
    assert with_residual_tests(some, checked, changed, rows, Clock(), 0).found == more.found
