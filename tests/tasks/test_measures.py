"""Measures equal their definitions, and no refinement beats their bounds, which some refinement attains."""

from __future__ import annotations

import pickle
from math import sqrt

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency

from structtree.errors import UnknownNameError
from structtree.tasks.criteria import tried
from structtree.tasks.measures import (
    MEASURES,
    AverageRecall,
    ChiSquared,
    Laplace,
    Lift,
    MeanShift,
    MEstimate,
    OfBestClass,
    Precision,
    TStatistic,
    WRAcc,
    measure_class,
)
from structtree.tasks.regression import REGRESSION
from tests.tasks.test_criteria import refinements, samples, splits, subsets

NEAR = 1e-9

OF_TWO = [
    WRAcc,
    lambda *given: WRAcc(*given, exponent=0.5),
    lambda *given: WRAcc(*given, exponent=0.0),
    AverageRecall,
    Precision,
    Laplace,
    lambda *given: Laplace(*given, n_classes=5),
    MEstimate,
    lambda *given: MEstimate(*given, m=7.5),
    Lift,
    ChiSquared,
]
OF_NUMBERS = [MeanShift, *(lambda *given, a=a: MeanShift(*given, exponent=a) for a in (0.0, 0.3, 0.5)), TStatistic]


def quality(measure, yes, total):
    return float(measure.quality(np.array([yes], dtype=float), np.array(total, dtype=float))[0])


# ---- definitions ------------------------------------------------------------------------------------------


def definitions(yes, total):
    """Each measure from the counts of a two-by-two table, as textbooks write it."""
    (fp, tp), (n_neg, n_pos) = yes, total
    n, whole = fp + tp, n_neg + n_pos
    share = n_pos / whole
    yield WRAcc(), n / whole * (tp / n - share)
    yield WRAcc(exponent=0.5), sqrt(n / whole) * (tp / n - share)
    yield Precision(), tp / n
    yield Laplace(), (tp + 1) / (n + 2)
    yield Laplace(one=0.25, n_classes=3), (tp + 0.25) / (n + 0.75)
    yield MEstimate(m=4.0), (tp + 4 * share) / (n + 4)
    if n_pos and n_neg:
        yield AverageRecall(), (1 + tp / n_pos - fp / n_neg) / 2
        yield Lift(), (tp / n) / share
        if n < whole:
            table = [[fp, tp], [n_neg - fp, n_pos - tp]]
            yield ChiSquared(), chi2_contingency(table, correction=False).statistic


@given(splits(min_classes=2, max_classes=2))
def test_a_measure_of_two_classes_is_its_definition(split):
    yes, total = split
    assume(yes.sum() > 0)
    for measure, expected in definitions(yes, total):
        assert quality(measure, yes, total) == pytest.approx(expected, abs=NEAR), measure
        assert measure.score(measure.loss([yes], total)[0]) == pytest.approx(expected, abs=NEAR)


@given(splits(min_classes=3, max_classes=5))
def test_chi_squared_of_many_classes_is_that_of_the_table(split):
    yes, total = split
    assume(0 < yes.sum() < total.sum())
    table = np.stack([yes, total - yes])[:, total > 0]
    assert quality(ChiSquared(), yes, total) == pytest.approx(chi2_contingency(table, correction=False).statistic)


def student(some, others):
    """Student's t with a pooled variance."""
    within = ((some - some.mean()) ** 2).sum() + ((others - others.mean()) ** 2).sum()
    variance = within / (len(some) + len(others) - 2)
    return (some.mean() - others.mean()) / sqrt(variance * (1 / len(some) + 1 / len(others)))


@given(samples(least=3))
def test_a_measure_of_numbers_is_its_definition(sample):
    y, _, inside = sample
    assume(inside.any() and not inside.all() and len(set(y.tolist())) > 1)
    total, yes = (REGRESSION.columns(some - y.mean()).sum(axis=0) for some in (y, y[inside]))
    shift = y[inside].mean() - y.mean()
    for exponent in (0.0, 0.5, 1.0):
        found = quality(MeanShift(exponent=exponent), yes, total)
        assert found == pytest.approx(inside.sum() ** exponent * shift, abs=NEAR)
    r = quality(TStatistic(), yes, total)
    assert r == pytest.approx(np.corrcoef(inside, y)[0, 1], abs=NEAR)
    if abs(r) < 1 - NEAR:
        assert r * sqrt((len(y) - 2) / (1 - r * r)) == pytest.approx(student(y[inside], y[~inside]), abs=1e-6)


def test_top_subgroups_of_the_dolphins_have_the_figures_of_table_6_1():
    """Flach, table 6.1: coverage (positives, negatives) of 5 and 5, Laplace precision and average recall."""
    table = {
        (0, 4): (0.17, 0.10),
        (3, 0): (0.80, 0.80),
        (5, 1): (0.75, 0.90),
        (0, 2): (0.25, 0.30),
        (2, 0): (0.75, 0.70),
        (1, 3): (0.33, 0.30),
        (5, 3): (0.60, 0.70),
    }
    for (positives, negatives), expected in table.items():
        yes, total = (negatives, positives), (5, 5)
        assert tuple(round(quality(m, yes, total), 2) for m in (Laplace(), AverageRecall())) == expected


# ---- bounds -----------------------------------------------------------------------------------------------


@st.composite
def measured_splits(draw, fractional=False):
    yes, total = draw(splits(min_classes=2, max_classes=2, most=6, fractional=fractional))
    return draw(st.sampled_from(OF_TWO)), draw(st.integers(0, 4)), yes, total


@given(measured_splits())
def test_no_refinement_beats_the_bound_of_a_measure(drawn):
    make, support, yes, total = drawn
    assume(yes.sum() >= support and total.all())
    measure, below = make(float(support)), refinements(yes)
    below = below[below.sum(axis=1) >= support]
    assert (measure.loss(below, total) >= measure.bound([yes], total) - NEAR).all()


@given(measured_splits(fractional=True))
def test_no_refinement_of_weighted_individuals_beats_the_bound_of_a_measure(drawn):
    make, support, yes, total = drawn
    assume(yes.sum() >= support and total.all())
    measure, below = make(float(support)), refinements(yes, steps=7)
    below = below[below.sum(axis=1) >= support]
    assert (measure.loss(below, total) >= measure.bound([yes], total) - NEAR).all()


@given(measured_splits())
def test_some_refinement_attains_the_bound(drawn):
    make, support, yes, total = drawn
    assume(yes.sum() >= support and total.all())
    measure, below = make(float(support)), refinements(yes)
    below = below[below.sum(axis=1) >= support]
    best, bound = measure.loss(below, total).min(), measure.bound([yes], total)[0]
    if isinstance(measure, WRAcc) and measure.exponent < 1 and best > 0:
        assert bound == 0  # every refinement is worse than all individuals together
    else:
        assert best == pytest.approx(bound, abs=NEAR)


@given(splits(min_classes=2, max_classes=4, most=4), st.sampled_from(OF_TWO), st.integers(0, 3))
def test_no_refinement_beats_the_bound_of_the_best_class(split, make, support):
    yes, total = split
    assume(yes.sum() >= support and total.all())
    measure, below = OfBestClass(float(support), 1.0, make(float(support))), refinements(yes)
    below = below[below.sum(axis=1) >= support]
    assert (measure.loss(below, total) >= measure.bound([yes], total) - NEAR).all()


@given(splits(min_classes=3, max_classes=4, most=4))
def test_the_bound_of_chi_squared_of_many_classes_is_its_best_corner(split):
    yes, total = split
    losses = ChiSquared().loss(refinements(yes), total)
    assert losses.min() == pytest.approx(ChiSquared().bound([yes], total)[0], abs=NEAR)


@pytest.mark.parametrize("seed", range(20))
def test_the_bound_of_chi_squared_of_very_many_classes_is_valid(seed):
    rng = np.random.default_rng(seed)
    yes = rng.integers(0, 5, 10).astype(float)
    total = yes + rng.integers(0, 5, 10)
    corners = yes * rng.integers(0, 2, (500, 10))
    below = np.concatenate([np.floor(rng.random((500, 10)) * (yes + 1)), corners])
    assert (ChiSquared().loss(below, total) >= ChiSquared().bound([yes], total) - NEAR).all()


def prepared(sample):
    """Counts of the yes side by label, the labels and the sums of all, as a scorer has them."""
    y, w, inside = sample
    y = y - np.average(y, weights=w)
    values, labels = np.unique(y, return_inverse=True)
    counts = np.bincount(labels, w * inside, len(values))[None, :]
    return y, w, counts, values, (w[:, None] * REGRESSION.columns(y)).sum(axis=0)


@given(samples(least=2, most=8), st.sampled_from(OF_NUMBERS), st.integers(0, 3))
def test_no_refinement_beats_the_bound_of_a_measure_of_numbers(sample, make, support):
    y, w, counts, values, total = prepared(sample)
    measure = make(float(support))
    bound = measure.label_bound(counts, values, total)[0]
    for kept in subsets(sample[2]):
        if w[kept].sum() >= support:
            sums = (w[kept, None] * REGRESSION.columns(y[kept])).sum(axis=0)
            assert measure.loss([sums], total)[0] >= bound - NEAR


@given(samples(least=2, most=8), st.sampled_from(OF_NUMBERS), st.integers(0, 3))
def test_some_top_attains_the_bound(sample, make, support):
    y, w, inside = sample[0], np.ones(len(sample[0])), sample[2]
    assume(inside.sum() >= support)
    y, w, counts, values, total = prepared((y, w, inside))
    measure = make(float(support))
    best = 0.0
    for kept in subsets(inside):
        if w[kept].sum() >= max(support, 1):
            best = min(best, float(measure.loss([REGRESSION.columns(y[kept]).sum(axis=0)], total)[0]))
    assert measure.label_bound(counts, values, total)[0] == pytest.approx(best, abs=NEAR)


# ---- as criteria ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MEASURES)
def test_a_measure_is_known_by_name_and_can_be_pickled(name):
    measure = measure_class(name)(2.0)
    assert pickle.loads(pickle.dumps(measure)) == measure != measure_class(name)(3.0)
    assert measure.name == name and measure.is_one_sided


def test_chi_squared_passes_the_trial_of_custom_criteria():
    assert tried(ChiSquared(), ChiSquared().reads.random_split) == ChiSquared()


def test_an_unknown_measure_is_refused():
    with pytest.raises(UnknownNameError, match="unknown measure 'wracy'"):
        measure_class("wracy")
