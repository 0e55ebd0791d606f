"""Cross-validation: scikit-learn's folds and scores, and a t test that knows that folds overlap."""

from __future__ import annotations

from math import inf, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold, cross_val_score

from structtree import StructuralTreeClassifier, StructuralTreeRegressor, load_dataset
from structtree.errors import UsageError
from structtree.evaluation.validate import compare, corrected_t_test, cross_validate, mcnemar_test
from structtree.progress import status_listener

scores = st.lists(st.integers(0, 10).map(lambda k: k / 10), min_size=3, max_size=8)
LENSES = load_dataset("lenses")


# ---- the test --------------------------------------------------------------------------------------------


def test_the_corrected_test_is_worked_out_by_hand():
    # Differences 0.1, 0.1, 0, 0.2: mean 0.1, variance 0.02 / 3; the error is √((1/4 + 1/3) · 0.02 / 3).
    found = corrected_t_test([0.9, 0.8, 0.9, 1.0], [0.8, 0.7, 0.9, 0.8], 1 / 3)
    t = 0.1 / sqrt((1 / 4 + 1 / 3) * 0.02 / 3)
    assert found.difference == pytest.approx(0.1) and found.t == pytest.approx(t)
    assert found.p == pytest.approx(2 * stats.t.sf(t, 3))


@given(scores, st.data())
def test_without_correction_it_is_the_paired_t_test(a, data):
    b = data.draw(st.lists(st.sampled_from([0.0, 0.3, 1.0]), min_size=len(a), max_size=len(a)))
    differences = np.subtract(a, b)
    if differences.std() > 1e-9:
        found, usual = corrected_t_test(a, b, 0.0), stats.ttest_rel(a, b)
        assert (found.t, found.p) == (pytest.approx(usual.statistic), pytest.approx(usual.pvalue))


@given(scores, st.floats(0.01, 1), st.data())
def test_the_correction_makes_differences_less_significant_and_has_no_direction(a, ratio, data):
    b = data.draw(st.lists(st.sampled_from([0.0, 0.3, 1.0]), min_size=len(a), max_size=len(a)))
    found, back = corrected_t_test(a, b, ratio), corrected_t_test(b, a, ratio)
    assert found.p >= corrected_t_test(a, b, 0.0).p - 1e-12
    assert found.p == pytest.approx(back.p) and found.t == pytest.approx(-back.t)
    assert 0 <= found.p <= 1


def test_equal_scores_do_not_differ_and_a_constant_difference_is_certain():
    assert corrected_t_test([0.5, 0.7], [0.5, 0.7], 0.1) == (0.0, 0.0, 1.0)
    assert corrected_t_test([0.7, 0.9], [0.5, 0.7], 0.1)[1:] == (inf, 0.0)
    with pytest.raises(UsageError, match="two or more scores of each estimator; got 1"):
        corrected_t_test([0.7], [0.5], 0.1)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30))
def test_mcnemars_test_is_a_binomial_test_of_the_individuals_that_one_classifier_gets_right(pairs):
    right, others = zip(*pairs, strict=True)
    found = mcnemar_test(right, others)
    only, only_other = pairs.count((True, False)), pairs.count((False, True))
    assert found[:2] == (only, only_other)
    if only + only_other:
        assert found.p == pytest.approx(stats.binomtest(only, only + only_other).pvalue)
    else:
        assert found.p == 1.0
    assert mcnemar_test(others, right).p == found.p


def test_mcnemars_test_counts_each_individual_once_however_often_folds_are_repeated():
    makers = {name: lambda c=name: StructuralTreeClassifier(criterion=c, max_depth=2) for name in ("acc*", "entropy")}
    once = compare(makers, LENSES.population, LENSES.target, folds=3, repeats=1)
    often = compare(makers, LENSES.population, LENSES.target, folds=3, repeats=3)
    assert often.mcnemar == once.mcnemar
    other, first = (once.results[name] for name in ("entropy", "acc*"))
    assert sorted(other.is_right()) == list(range(24))
    right, base = (sum(result.is_right().values()) for result in (other, first))
    assert once.mcnemar["entropy"].only - once.mcnemar["entropy"].only_other == right - base


def test_mcnemars_test_is_for_classes_and_for_the_same_individuals():
    x = np.arange(20.0)[:, None]
    makers = {name: lambda d=d: StructuralTreeRegressor(max_depth=d) for name, d in (("small", 1), ("large", 2))}
    assert compare(makers, x, x[:, 0], folds=2, repeats=1).mcnemar == {}
    with pytest.raises(UsageError, match="the same individuals; got 2 and 1"):
        mcnemar_test([True, False], [True])


# ---- the folds -------------------------------------------------------------------------------------------


def test_the_scores_are_those_of_scikit_learn_on_the_same_folds():
    found = cross_validate(StructuralTreeClassifier, LENSES.population, LENSES.target, folds=4, repeats=2, seed=3)
    folds = RepeatedStratifiedKFold(n_splits=4, n_repeats=2, random_state=3)
    usual = cross_val_score(StructuralTreeClassifier(), LENSES.population, LENSES.target, cv=folds)
    assert found.scores.tolist() == usual.tolist()
    assert found.mean == pytest.approx(usual.mean()) and found.sd == pytest.approx(usual.std(ddof=1))
    assert found.test_ratio == pytest.approx(1 / 3) and found.unproved == 0
    assert len(found.leaves) == 8 and found.leaves_mean == found.leaves.mean()
    assert found.evaluated > 0 and found.seconds > 0


def test_numbers_are_scored_too_and_individuals_may_be_records():
    boxes = [{"items": [{"kg": k}] * (k % 3)} for k in range(12)]
    target = [float(k % 3) for k in range(12)]
    found = cross_validate(StructuralTreeRegressor, boxes, target, folds=3, repeats=1, seed=1)
    folds = RepeatedKFold(n_splits=3, n_repeats=1, random_state=1)
    assert found.scores.tolist() == cross_val_score(StructuralTreeRegressor(), boxes, target, cv=folds).tolist()
    errors = cross_validate(
        StructuralTreeRegressor, boxes, target, folds=3, repeats=1, scoring="neg_mean_absolute_error"
    )
    assert (errors.scores <= 0).all()


def test_the_same_seed_gives_the_same_folds():
    runs = [
        cross_validate(StructuralTreeClassifier, LENSES.population, LENSES.target, folds=3, repeats=1, seed=seed)
        for seed in (5, 5, 6)
    ]
    assert runs[0].scores.tolist() == runs[1].scores.tolist() and runs[0].leaves.tolist() == runs[1].leaves.tolist()


def test_a_class_with_fewer_members_than_folds_is_no_trouble():
    x, y = np.arange(12.0)[:, None], np.array(["a"] * 10 + ["b"] * 2)
    assert len(cross_validate(StructuralTreeClassifier, x, y, folds=5, repeats=1).scores) == 5
    everyone_different = np.arange(12)
    assert cross_validate(StructuralTreeClassifier, x, everyone_different, folds=3, repeats=1).mean == 0.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"folds": 25}, "folds must be an int from 2 to the number of individuals, which is 24; got 25"),
        ({"folds": 1}, "folds must be an int from 2 .* got 1"),
        ({"repeats": 0}, "repeats must be an int >= 1; got 0"),
    ],
)
def test_impossible_folds_are_refused(options, message):
    with pytest.raises(UsageError, match=message):
        cross_validate(StructuralTreeClassifier, LENSES.population, LENSES.target, **options)


def test_progress_is_told_of_every_fold():
    told, shown = [], []
    with status_listener(shown.append):
        cross_validate(
            StructuralTreeClassifier, LENSES.population, LENSES.target, folds=3, repeats=1, progress=told.append
        )
    assert [(one.done, one.total) for one in told] == [(1, 3), (2, 3), (3, 3)]
    assert [(one.what, one.done, one.total) for one in shown] == [("cross-validation", n, 3) for n in (1, 2, 3)]
    assert shown[2].facts == (f"mean {np.mean([one.score for one in told]):.3f}",)
    assert all(0 <= one.score <= 1 for one in told)


def test_a_time_limit_is_shared_by_all_fits(ticking):
    trains = load_dataset("trains")
    clock = ticking(0.002)
    found = cross_validate(
        StructuralTreeClassifier, trains.population, trains.target, folds=4, repeats=1, time_limit=2.0
    )
    assert len(found.scores) == 4 and clock.seconds < 2.2


@pytest.mark.parametrize("slow", [1.0, 0.9])
def test_folds_that_no_time_is_left_for_are_skipped_but_two_are_made(ticking, slow):
    clock = ticking(0.0)

    class Slow(StructuralTreeClassifier):
        def fit(self, individuals, target):
            clock.seconds += slow
            return super().fit(individuals, target)

    made = cross_validate(Slow, LENSES.population, LENSES.target, folds=4, repeats=1, time_limit=2.0)
    assert len(made.scores) == (2 if slow == 1.0 else 3)
    few = cross_validate(Slow, LENSES.population, LENSES.target, folds=4, repeats=1, time_limit=0.1)
    assert len(few.scores) == 2


# ---- comparing -------------------------------------------------------------------------------------------


def test_an_estimator_does_not_differ_from_itself():
    found = compare(
        {"one": StructuralTreeClassifier, "other": StructuralTreeClassifier},
        LENSES.population,
        LENSES.target,
        folds=3,
        repeats=2,
    )
    assert found.results["one"].scores.tolist() == found.results["other"].scores.tolist()
    assert found.tests == {"other": (0.0, 0.0, 1.0)}


def test_all_are_compared_with_the_first_on_the_same_folds():
    makers = {"deep": StructuralTreeClassifier, "stump": lambda: StructuralTreeClassifier(max_depth=1)}
    x = np.arange(60.0)[:, None]
    found = compare(makers, x, (x[:, 0] // 10 % 2).astype(int), folds=5, repeats=2, seed=1)
    assert found.results["stump"].leaves_mean == 2
    assert found.tests["stump"].difference == pytest.approx(found.results["stump"].mean - found.results["deep"].mean)
    assert found.tests["stump"].difference < 0 and found.tests["stump"].p < 0.05


def test_one_estimator_alone_cannot_be_compared():
    with pytest.raises(UsageError, match="two or more estimators to compare"):
        compare({"one": StructuralTreeClassifier}, LENSES.population, LENSES.target)
