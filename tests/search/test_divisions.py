"""Divisions into many sides: for two the criterion itself, for more the formulas as books write them."""

from __future__ import annotations

from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from structtree.search.divisions import division_losses, information_gains
from structtree.tasks.criteria import CRITERIA, criterion
from tests.search.reference import centred, moments

CLASSIFIERS = [name for name, found in CRITERIA.items() if found.task == "classes"]
sides_of_two = st.lists(st.integers(0, 6), min_size=2, max_size=2).filter(any)
many_sides = st.lists(sides_of_two, min_size=1, max_size=5)


def entropy(counts):
    return -sum(n / sum(counts) * log2(n / sum(counts)) for n in counts if n)


def impurity(name, counts):
    shares = [n / sum(counts) for n in counts]
    match name:
        case "entropy":
            return entropy(counts)
        case "acc+":
            return 1 - max(shares) + entropy(counts) / 2
        case "gini":
            return sum(p * (1 - p) for p in shares)
        case "sqrt-gini":
            return sum((p * (1 - p)) ** 0.5 for p in shares)
        case _:
            return 1 - max(shares)


def expected_gain(name, sides, lost):
    """What a division gains for those it knows, times their share."""
    known = np.sum(sides, axis=0)
    left = sum(sum(side) * impurity(name, side) for side in sides) / known.sum()
    return known.sum() / (known.sum() + sum(lost)) * (impurity(name, known) - left)


def loss(name, sides, lost=(0, 0)):
    array = np.array(sides, dtype=float)
    total = array.sum(axis=0) + np.array(lost, dtype=float)
    return division_losses(criterion(name), array, np.zeros(len(sides), dtype=int), 1, total)[0]


@pytest.mark.parametrize("name", CLASSIFIERS)
@given(
    yes=st.lists(st.integers(0, 9), min_size=3, max_size=3), no=st.lists(st.integers(0, 9), min_size=3, max_size=3)
)
def test_two_sides_have_the_loss_of_the_criterion(name, yes, no):
    if sum(yes) and sum(no):
        total = np.array(yes, dtype=float) + no
        assert loss(name, [yes, no], (0, 0, 0)) == pytest.approx(criterion(name).loss([yes], total)[0], abs=1e-12)


@given(st.lists(st.integers(-5, 5), min_size=2, max_size=8), st.data())
def test_two_sides_have_the_loss_of_the_criterion_for_numbers(targets, data):
    inside = np.array(data.draw(st.lists(st.booleans(), min_size=len(targets), max_size=len(targets))))
    if inside.any() and not inside.all():
        y = centred(targets)
        sides, total = moments(y, inside=[inside, ~inside]), moments(y)
        expected = criterion("mse").loss(sides[:1], total)
        assert division_losses(criterion("mse"), sides, np.array([0, 0]), 1, total) == pytest.approx(expected)


@pytest.mark.parametrize("name", ["entropy", "gini", "sqrt-gini", "accuracy", "acc*", "acc+"])
@given(sides=many_sides, lost=st.lists(st.integers(0, 3), min_size=2, max_size=2))
def test_the_loss_is_what_the_node_has_less_what_is_gained_for_those_who_are_known(name, sides, lost):
    total = np.sum(sides, axis=0) + lost
    first, second = loss(name, sides, lost)
    assert first == pytest.approx(impurity(name, total) - expected_gain(name, sides, lost))
    if name == "acc*":
        assert second == pytest.approx(entropy(total) - expected_gain("entropy", sides, lost))


@given(sides=many_sides, lost=st.lists(st.integers(0, 3), min_size=2, max_size=2))
def test_gain_ratio_divides_by_the_entropy_of_the_sides_and_of_the_unknown(sides, lost):
    split = entropy([*map(sum, sides), sum(lost)])
    gain = expected_gain("entropy", sides, lost)
    assert loss("gain-ratio", sides, lost)[0] == pytest.approx(-gain / split if split else 0.0, abs=1e-12)
    array, total = np.array(sides, dtype=float), np.sum(sides, axis=0) + np.array(lost, dtype=float)
    found = information_gains(array, np.zeros(len(sides), dtype=int), 1, total)
    assert found == pytest.approx([gain], abs=1e-12)


@given(st.lists(many_sides, min_size=1, max_size=4))
def test_divisions_are_judged_together_as_each_alone(divisions):
    total = np.array([40.0, 40.0])
    sides = np.array([side for division in divisions for side in division], dtype=float)
    of = np.repeat(np.arange(len(divisions)), [len(division) for division in divisions])
    order = np.random.default_rng(0).permutation(len(of))
    for name in (name for name in CLASSIFIERS if criterion(name).is_multiway):
        found = division_losses(criterion(name), sides[order], of[order], len(divisions), total)
        alone = [loss(name, division, total - np.sum(division, axis=0)) for division in divisions]
        assert found == pytest.approx(np.array(alone))


def test_the_features_of_flachs_organs_by_the_mean_of_squared_means():
    """Example 5.4: 3.21, 2.68 and 1.55 million for model, condition and Leslie."""
    divisions = [
        [[1051, 1770, 1900], [4513], [77], [870], [99, 270, 625]],
        [[1770, 4513], [270, 870, 1051, 1900], [77, 99, 625]],
        [[625, 870, 1900], [77, 99, 270, 1051, 1770, 4513]],
    ]
    sides = [np.array(side, dtype=float) for division in divisions for side in division]
    found = np.array([[len(side), side.sum(), (side**2).sum()] for side in sides])
    of = np.repeat([0, 1, 2], [5, 3, 2])
    losses = division_losses(criterion("mse"), found, of, 3, found[of == 0].sum(axis=0))[:, 0]
    squares = (found[of == 0, 2].sum()) / 9
    assert (squares - losses) / 1e6 == pytest.approx([3.21, 2.68, 1.55], abs=0.005)
