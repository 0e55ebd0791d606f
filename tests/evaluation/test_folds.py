"""Folds: everyone is tested once, groups stay together, and nothing is learned from what is later."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import KFold, ShuffleSplit

from structtree import StructuralTreeClassifier, cross_validate, load_dataset
from structtree.errors import UsageError
from structtree.evaluation.folds import GroupFolds, TimeFolds, splits_of

LENSES = load_dataset("lenses")


def splits(folds, n=24, **options):
    return splits_of(folds, np.arange(n) % 2, **({"is_classes": True, "repeats": 1, "seed": 0} | options))


@given(st.lists(st.sampled_from("abcdefg"), min_size=2, max_size=40), st.data())
def test_no_group_is_in_two_folds_and_everyone_is_tested_once(groups, data):
    n_groups = len(set(groups))
    if n_groups < 2:
        return
    found = list(GroupFolds(groups, data.draw(st.integers(2, n_groups))).split())
    assert sorted(row for _, test in found for row in test.tolist()) == list(range(len(groups)))
    for train, test in found:
        assert not {groups[i] for i in train} & {groups[i] for i in test}
        assert len(train) + len(test) == len(groups)


@given(st.lists(st.integers(0, 12), min_size=3, max_size=40), st.data())
def test_what_is_learned_from_is_earlier_than_what_is_tested(times, data):
    n_times = len(set(times))
    if n_times < 3:
        return
    n_folds = data.draw(st.integers(2, n_times - 1))
    found = list(TimeFolds(times, n_folds).split())
    assert len(found) == n_folds
    for train, test in found:
        assert max(times[i] for i in train) < min(times[i] for i in test)
    tested = [i for _, test in found for i in test.tolist()]
    assert len(tested) == len(set(tested))
    assert max(times) in {times[i] for i in tested}


@given(st.integers(4, 30), st.integers(2, 4), st.integers(1, 3))
def test_by_chance_everyone_is_tested_once_in_each_repeat(n, folds, repeats):
    found = splits(folds, n, repeats=repeats)
    tested = np.concatenate([test for _, test in found])
    assert np.bincount(tested, minlength=n).tolist() == [repeats] * n


def test_groups_are_spread_evenly_by_their_size():
    groups = np.repeat(["a", "b", "c", "d"], [4, 3, 2, 1])
    assert [len(test) for _, test in GroupFolds(groups, 2).split()] == [5, 5]


@pytest.mark.parametrize(
    "folds",
    [
        KFold(3),
        ShuffleSplit(3, random_state=1),
        [(range(12), range(12, 24)), (range(12, 24), range(12))],
        ((train, test) for train, test in KFold(2).split(np.zeros(24))),
        np.arange(24) % 4,
        [f"patient {k % 4}" for k in range(24)],
        TimeFolds(np.arange(24) // 3, 3),
        [(np.arange(24) < 12, np.arange(24) >= 12)],
    ],
    ids=["splitter", "random", "pairs", "generator", "array", "list", "time", "masks"],
)
def test_whatever_says_how_to_divide_is_taken(folds):
    found = cross_validate(StructuralTreeClassifier, LENSES.population, LENSES.target, folds=folds)
    assert len(found.scores) == len(found.held_out) >= 1
    for part in found.held_out:
        assert len(part.rows) == len(part.answers.actual)
        codes = [part.answers.classes[code] for code in part.answers.actual]
        assert codes == LENSES.target[part.rows].tolist()


@pytest.mark.parametrize(
    ("folds", "options", "words"),
    [
        ("five", {}, "folds must be an int, a splitter, an array with the group of each individual, or pairs"),
        ([1, 2, 1], {}, "got 3 groups for 24 individuals"),
        ([], {}, "at least one fold"),
        ([([0, 1], [1, 2])], {}, "individual 1 is in both"),
        ([([0, 1], [24])], {}, "from 0 to 23; got .24"),
        ([([0, 1], [])], {}, "pair of row numbers|from 0 to 23"),
        ([(["a"], [1])], {}, "a fold must be a pair of row numbers"),
        (KFold(3), {"repeats": 2}, "repeats must be 1 unless folds is a number; got 2"),
        (GroupFolds(["a"] * 24), {}, "the number of groups, 1; got 5"),
        (TimeFolds([1] * 12 + [2] * 12), {}, "between 2 and 1, one less than the number of distinct times; got 5"),
        (1, {}, "folds must be an int from 2 to the number of individuals, which is 24; got 1"),
        (3, {"repeats": 0}, "repeats must be an int >= 1; got 0"),
    ],
    ids=str,
)
def test_folds_that_make_no_sense_are_refused(folds, options, words):
    with pytest.raises(UsageError, match=words):
        splits(folds, **options)


def test_scores_are_means_over_the_folds_beside_the_baseline_of_the_training_data():
    found = cross_validate(StructuralTreeClassifier, LENSES.population, LENSES.target, folds=4, repeats=1)
    gathered, parts = found.evaluate(["accuracy", "mcc"]), found.scores_by_fold(["accuracy", "mcc"])
    assert [part["accuracy"] for part in parts] == found.scores.tolist()
    assert gathered["mcc"] == pytest.approx(np.mean([part["mcc"] for part in parts]))
    assert gathered.sd["accuracy"] == pytest.approx(found.sd)
    assert gathered.confusion.counts.sum() == gathered.n == 24
    assert gathered.confusion.counts.trace() == sum(part.confusion.counts.trace() for part in parts)
    assert gathered.constant == "always none"
