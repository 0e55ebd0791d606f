"""Curves of rankings are those of scikit-learn, and their hulls and areas are what pairs and lines say."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics
from sklearn.calibration import calibration_curve as calibration_of_sklearn

from structtree.errors import DataError, UsageError
from structtree.evaluation.curves import (
    calibration_curve,
    cheapest_threshold,
    coverage_curve,
    isometric_grid,
    lift_curve,
    precision_recall_curve,
    roc_curve,
)
from structtree.tasks.measures import MEASURES

pairs = st.lists(st.tuples(st.booleans(), st.integers(0, 8).map(lambda k: k / 8)), min_size=2, max_size=30)
of_both = pairs.filter(lambda drawn: len({positive for positive, _ in drawn}) == 2)


def arrays(drawn):
    positive, scores = zip(*drawn, strict=True)
    return np.array(positive), np.array(scores)


@given(of_both)
def test_a_roc_curve_is_that_of_scikit_learn(drawn):
    actual, scores = arrays(drawn)
    found = roc_curve(actual, scores)
    x, y, thresholds = metrics.roc_curve(actual, scores, drop_intermediate=False)
    np.testing.assert_allclose(found.false_positive_rate, x)
    np.testing.assert_allclose(found.true_positive_rate, y)
    np.testing.assert_allclose(found.thresholds, thresholds)
    assert found.auc == pytest.approx(metrics.roc_auc_score(actual, scores))


@given(of_both)
def test_ranking_errors_are_pairs_in_the_wrong_order(drawn):
    actual, scores = arrays(drawn)
    curve = coverage_curve(actual, scores)
    errors = sum(
        (low < high) + (low == high) / 2 for low, high in product(scores[actual].tolist(), scores[~actual].tolist())
    )
    n_pairs = int(actual.sum()) * int((~actual).sum())
    assert curve.ranking_errors == errors
    assert roc_curve(actual, scores).auc == pytest.approx(1 - errors / n_pairs)


@given(of_both)
def test_no_point_lies_above_the_hull_and_each_corner_is_best_for_some_costs(drawn):
    curve = coverage_curve(*arrays(drawn))
    points = np.stack([curve.negatives, curve.positives], axis=1)
    corners = points[curve.hull]
    assert corners[0].tolist() == [0, 0] and corners[-1].tolist() == points[-1].tolist()
    for first, second in pairwise(corners):
        run, rise = second - first
        assert all(run * (y - first[1]) <= rise * (x - first[0]) for x, y in points)
    slopes = [rise / run if run else np.inf for run, rise in np.diff(corners, axis=0).tolist()]
    assert all(a > b for a, b in pairwise(slopes))
    roc = roc_curve(*arrays(drawn))
    assert roc.hull_auc >= roc.auc - 1e-12


@given(of_both, st.integers(0, 5), st.integers(0, 5))
def test_the_cheapest_threshold_is_the_cheapest_of_all_thresholds(drawn, miss, false_alarm):
    actual, scores = arrays(drawn)
    found = cheapest_threshold(coverage_curve(actual, scores), miss, false_alarm)

    def cost(threshold):
        said = scores >= threshold
        return miss * int((actual & ~said).sum()) + false_alarm * int((said & ~actual).sum())

    assert found.cost == cost(found.value) == min(map(cost, [np.inf, *scores.tolist()]))


@given(of_both)
def test_precision_and_recall_are_those_of_scikit_learn(drawn):
    actual, scores = arrays(drawn)
    found = precision_recall_curve(actual, scores)
    precision, recall, thresholds = metrics.precision_recall_curve(actual, scores)
    np.testing.assert_allclose(found.precision, precision[-2::-1])
    np.testing.assert_allclose(found.recall, recall[-2::-1])
    np.testing.assert_allclose(found.thresholds, thresholds[::-1])
    assert found.average_precision == pytest.approx(metrics.average_precision_score(actual, scores))


@given(of_both)
def test_the_lift_of_a_threshold_is_the_share_of_positives_above_it_relative_to_all(drawn):
    actual, scores = arrays(drawn)
    found = lift_curve(actual, scores)
    for place, threshold in enumerate(found.thresholds):
        above = scores >= threshold
        assert found.lift[place] == pytest.approx(actual[above].mean() / actual.mean())
        assert found.selected[place] == pytest.approx(above.mean())


@given(of_both, st.integers(1, 6))
def test_calibration_is_that_of_scikit_learn(drawn, bins):
    actual, scores = arrays(drawn)
    found = calibration_curve(actual, scores, bins)
    observed, predicted = calibration_of_sklearn(actual, scores, n_bins=bins, strategy="quantile")
    np.testing.assert_allclose(found.observed, observed)
    np.testing.assert_allclose(found.predicted, predicted)
    assert found.n.sum() == len(actual)


def test_the_calibration_of_numbers_has_the_means_of_both():
    found = calibration_curve([1.0, 3.0, 10.0, 12.0], [2.0, 2.0, 10.0, 11.0], bins=2)
    assert found.predicted.tolist() == [2.0, 10.5] and found.observed.tolist() == [2.0, 11.0]
    assert found.error == 0.25


@pytest.mark.parametrize("name", [name for name, one in MEASURES.items() if one.task == "classes"])
def test_a_grid_has_the_quality_of_each_point(name):
    measure = MEASURES[name]()
    x, y, quality = isometric_grid(measure, 4, 2, steps=3)
    for place in np.ndindex(3, 3):
        expected = measure.quality(np.array([[x[place], y[place]]]), np.array([4.0, 2.0]))[0]
        assert quality[place] == expected
    assert (x[0].tolist(), y[:, 0].tolist()) == ([0.0, 2.0, 4.0], [0.0, 1.0, 2.0])


def test_a_ranking_of_one_class_has_no_area():
    found = roc_curve([True, True], [0.2, 0.3])
    assert np.isnan(found.auc) and np.isnan(found.false_positive_rate).all()
    assert np.isnan(precision_recall_curve([False, False], [0.2, 0.3]).average_precision)


@pytest.mark.parametrize(
    ("actual", "scores", "error", "text"),
    [
        (["yes", "no"], [0.1, 0.2], UsageError, "true for positives"),
        ([True], [0.1, 0.2], DataError, "one score for each label"),
        ([], [], DataError, "no individuals"),
        ([True, False], [0.1, np.nan], DataError, "NaN"),
    ],
)
def test_wrong_rankings_are_refused(actual, scores, error, text):
    with pytest.raises(error, match=text):
        roc_curve(np.array(actual, dtype=object if actual == ["yes", "no"] else bool), scores)
