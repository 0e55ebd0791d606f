"""What a tree is grown from: the order of classes, weights, and every way in which labels can be wrong."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from structtree.errors import DataError, UnknownNameError, UsageError
from structtree.models.tree import ClassCounts, Moments
from structtree.tasks.target import target_for

YES_NO = np.array(["yes", "no", "yes"])


def test_classes_are_sorted_and_counted_in_that_order():
    evidence = target_for(YES_NO, 3, sample_weight=[1, 2, 4])
    assert evidence.classes == ("no", "yes")
    assert evidence.stats(np.arange(3)) == ClassCounts(3, (2.0, 5.0))
    assert not evidence.is_pure(np.arange(3))
    assert evidence.is_pure(np.array([0, 2]))


def test_the_classes_may_be_known_from_outside_in_any_order_and_as_numpy_values():
    evidence = target_for(np.array([2, 2, 7]), 3, classes=np.array([7, 5, 2]))
    assert evidence.classes == (7, 5, 2)
    assert all(type(label) is int for label in evidence.classes)
    assert evidence.stats(np.arange(3)).counts == (1.0, 0.0, 2.0)


def test_labels_of_two_types_have_an_order():
    assert target_for(np.array([1, "a", 0], dtype=object), 3).classes == (0, 1, "a")


def test_real_numbers_are_numbers_unless_something_says_that_they_are_classes():
    target = np.array([1.0, 2.0, 3.0])
    assert target_for(target, 3).criterion.name == "mse"
    assert target_for(target, 3, "gini").classes == (1.0, 2.0, 3.0)
    assert target_for(target, 3, classes=[1.0, 2.0, 3.0]).criterion.name == "acc*"
    assert target_for(target.astype(int), 3, "mse").classes == ()


def test_numbers_are_told_by_weighted_mean_and_variance():
    evidence = target_for(np.array([1.0, 5.0, 1e9]), 3, sample_weight=[3, 1, 1])
    assert evidence.stats(np.array([0, 1])) == Moments(2, 4.0, 2.0, 3.0)


def test_numbers_that_only_rounding_keeps_apart_are_pure():
    evidence = target_for(np.array([0.3, 0.1 + 0.2, 0.31]), 3)
    assert evidence.is_pure(np.array([0, 1]))
    assert not evidence.is_pure(np.arange(3))


def test_class_weights_multiply_those_of_the_individuals():
    evidence = target_for(YES_NO, 3, None, [1, 2, 4], {"yes": 0.5})
    assert evidence.weights.tolist() == [0.5, 2.0, 2.0]


def test_balanced_classes_weigh_the_same():
    found = target_for(list("abbb"), 4, class_weight="balanced", classes=["a", "b", "c"])
    assert found.weights.tolist() == [2.0, 2 / 3, 2 / 3, 2 / 3]


def test_a_class_weight_may_be_of_a_class_that_is_only_known_from_outside():
    assert target_for(YES_NO, 3, None, None, {"perhaps": 2.0}, ["no", "perhaps", "yes"]).weights.tolist() == [
        1,
        1,
        1,
    ]


@pytest.mark.parametrize(
    ("target", "options", "sentence"),
    [
        (["a", "b"], {}, "expected 3 labels, one for each individual; got an array of shape (2,)"),
        ([["a"], ["b"], ["c"]], {}, "expected 3 labels, one for each individual; got an array of shape (3, 1)"),
        (np.array(["a", None, "b"], dtype=object), {}, "the target has no value (individual 1)"),
        (np.array([1.0, 2.0, np.nan]), {"name": "gini"}, "the target has no value (individual 2)"),
        (np.array([1.0, np.inf, 2.0]), {}, "a target must be a finite number; got inf (individual 1)"),
        (["a", "b", "b"], {"name": "mse"}, "criterion 'mse' needs numbers as targets; got np.str_('a')"),
        (["a", "b", "x"], {"classes": ("a", "b")}, "'x' is not one of the classes (known: 'a', 'b') (individual 2)"),
        (["a", "b", "b"], {"sample_weight": [1, 2]}, "expected 3 sample weights; got an array of shape (2,)"),
        (
            ["a", "b", "b"],
            {"sample_weight": [1, -2, 1]},
            "a sample weight must be a number >= 0; got -2.0 (individual 1)",
        ),
        (
            ["a", "b", "b"],
            {"sample_weight": [0, 0, 0]},
            "the weights of all individuals are zero; at least one must be positive",
        ),
    ],
)
def test_labels_and_weights_that_make_no_sense_are_refused_with_a_sentence(target, options, sentence):
    with pytest.raises(DataError) as caught:
        target_for(target, 3, **options)
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"class_weight": {"yse": 2}}, "class_weight names 'yse', which is not a class (did you mean 'yes'?)"),
        ({"class_weight": "equal"}, "class_weight must be a dict from class to number, or 'balanced'; got 'equal'"),
        ({"class_weight": {"yes": -1}}, "a class weight must be a number >= 0; got -1 for 'yes'"),
        (
            {"name": "mse", "classes": ("no",)},
            "criterion 'mse' is for numbers, which have no classes; remove classes=('no',)",
        ),
    ],
)
def test_options_that_make_no_sense_are_refused_with_a_sentence(options, sentence):
    with pytest.raises(UsageError) as caught:
        target_for(YES_NO, 3, **options)
    assert str(caught.value) == sentence


@pytest.mark.parametrize("option", [{"class_weight": "balanced"}, {"class_weight": {1.5: 2}}, {"priors": {1.5: 1}}])
def test_options_for_classes_are_refused_for_numbers(option):
    with pytest.raises(UsageError, match=r"(class_weight is|priors are) for classes, but the target is a number"):
        target_for([1.5, 2.5], 2, **option)


def test_nobody_is_nothing_to_learn_from():
    with pytest.raises(DataError, match="the population has no individuals"):
        target_for([], 0)


def test_a_criterion_that_is_not_there_is_said_to_be_so():
    with pytest.raises(UnknownNameError, match=r"unknown criterion 'ginni' \(did you mean 'gini'\?\)"):
        target_for(YES_NO, 3, "ginni")


# ---- priors -----------------------------------------------------------------------------------------------


@given(st.lists(st.sampled_from("ab"), min_size=2).filter(lambda y: len(set(y)) == 2), st.floats(0.01, 0.99))
def test_priors_make_classes_weigh_what_they_say_and_all_together_as_before(labels, share):
    weights = np.arange(1.0, len(labels) + 1)
    found = target_for(labels, len(labels), sample_weight=weights, priors={"a": share, "b": 1 - share})
    of_a = found.weights[np.array(labels) == "a"].sum()
    assert of_a == pytest.approx(share * weights.sum())
    assert found.weights.sum() == pytest.approx(weights.sum())


def test_class_weights_come_on_top_of_priors():
    found = target_for(list("aabb"), 4, priors={"a": 1, "b": 3}, class_weight={"a": 10})
    assert found.weights.tolist() == [5.0, 5.0, 1.5, 1.5]


def test_a_class_with_prior_0_is_left_out_and_priors_that_make_no_sense_are_refused():
    assert target_for(list("aab"), 3, priors={"a": 1, "b": 0}).weights.tolist() == [1.5, 1.5, 0.0]
    with pytest.raises(UsageError, match=r"priors name 'x', which is not a class"):
        target_for(list("aab"), 3, priors={"a": 1, "x": 1})
    for priors in ({"a": 1}, {"a": -1, "b": 2}, {"a": 0, "b": 0}, {"a": np.nan, "b": 1}):
        with pytest.raises(UsageError, match="priors must be numbers >= 0, not all 0, one for each of the classes"):
            target_for(list("aab"), 3, priors=priors)
    with pytest.raises(UsageError, match="class 'b' cannot have a prior: no training individual has this class"):
        target_for(list("aa"), 2, classes=("a", "b"), priors={"a": 1, "b": 1})
    with pytest.raises(UsageError, match="priors are for classes"):
        target_for([1.5, 2.5], 2, priors={"a": 1})
