"""The performance of a model: costs and curves of the classes, with the scores that `evaluate` returns."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from structtree import StructuralTreeClassifier, StructuralTreeRegressor, evaluate, load_dataset
from structtree.errors import UnknownNameError, UsageError
from structtree.evaluation.performance import performance, performance_of
from structtree.evaluation.score import Predicted

LENSES = load_dataset("lenses")
CLASSES = ("hard", "none", "soft")


def lenses_tree(**options):
    return StructuralTreeClassifier(LENSES.grammar, max_depth=1, **options).fit(LENSES.population, LENSES.target)


def test_scores_are_those_of_evaluate_and_every_class_has_curves():
    tree = lenses_tree()
    found = performance(tree, LENSES.population, LENSES.target)
    assert found.scores.values == evaluate(tree, LENSES.population, LENSES.target).values
    assert tuple(one.label for one in found.curves) == CLASSES and found.errors is None
    for one in found.curves:
        assert one.coverage.positives[-1] == LENSES.target.tolist().count(one.label)
    json.dumps(found.to_dict(), allow_nan=False)


@given(st.lists(st.tuples(st.sampled_from(CLASSES), st.sampled_from(CLASSES)), min_size=1), st.data())
def test_the_cost_is_the_sum_over_individuals(drawn, data):
    costs = data.draw(st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=3, max_size=3))
    actual, said = zip(*drawn, strict=True)
    found = performance_of(Predicted.of_classes(actual, said, CLASSES), costs=costs)

    def cost(predicted):
        pairs = zip(actual, predicted, strict=True)
        return sum(costs[CLASSES.index(true)][CLASSES.index(guess)] for true, guess in pairs)

    assert found.errors.total == cost(said)
    assert found.errors.constant == min(cost([label] * len(actual)) for label in CLASSES)
    assert found.curves == ()


def test_the_costs_of_the_model_are_the_default_and_choose_the_threshold():
    trains = load_dataset("trains")
    tree = StructuralTreeClassifier("trains", max_depth=1, costs=[[0, 9], [1, 0]])
    found = performance(tree.fit(trains.population, trains.target), trains.population, trains.target)
    assert found.errors.costs.tolist() == [[0, 9], [1, 0]]
    (west,) = found.curves
    choices = [
        9 * x + (west.coverage.positives[-1] - y)
        for x, y in zip(west.coverage.negatives, west.coverage.positives, strict=True)
    ]
    assert west.cheapest.cost == min(choices)


def test_one_class_can_be_chosen_and_unknown_classes_are_refused():
    tree = lenses_tree()
    assert [one.label for one in performance(tree, LENSES.population, LENSES.target, label="soft").curves] == ["soft"]
    with pytest.raises(UsageError, match=r"unknown class 'sof' .did you mean 'soft'"):
        performance(tree, LENSES.population, LENSES.target, label="sof")
    with pytest.raises(UsageError, match="one row and one column for each class"):
        performance_of(Predicted.of_classes(["a"], ["b"], ["a", "b"]), costs=[[0]])
    with pytest.raises(UnknownNameError):
        performance(tree, LENSES.population, LENSES.target, metrics=["acuracy"])


def test_an_error_about_a_class_that_the_model_does_not_know_costs_1():
    chances = np.array([[0.5, 0.5]] * 2)
    answers = Predicted.of_classes(["c", "a"], ["a", "b"], ["a", "b"], chances)
    assert performance_of(answers, costs=[[0, 7], [1, 0]]).errors.total == 8


def test_numbers_are_calibrated_in_bins_and_have_no_classes():
    x = np.arange(40.0)[:, None]
    tree = StructuralTreeRegressor(max_depth=3).fit(x, x[:, 0] ** 2)
    found = performance(tree, x, x[:, 0] ** 2)
    assert found.curves == () and all(a < b for a, b in pairwise(found.calibration.predicted))
    np.testing.assert_allclose(found.calibration.predicted, found.calibration.observed)  # means of leaves
    for given_options, word in (({"label": "a"}, "label"), ({"costs": [[0]]}, "costs")):
        with pytest.raises(UsageError, match=f"{word} is for classes"):
            performance(tree, x, x[:, 0], **given_options)
