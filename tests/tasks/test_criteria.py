"""Losses equal their definitions; bounds are never beaten by any refinement, and attained where they say so."""

from __future__ import annotations

import pickle
from itertools import product
from math import inf, log2, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from structtree.errors import UnknownNameError, UsageError
from structtree.tasks.criteria import CRITERIA, TOLERANCE, better, cannot_beat, criterion
from tests.search.reference import (
    TERMS,
    accuracy_bound,
    accuracy_plus_bound,
    accuracy_star_bound,
    additive_bound,
    binned_bound,
    centred,
    class_counts,
    moments,
    mse_bound,
    regression_bound,
    twoing_bound,
)

OF_CLASSES = [name for name in CRITERIA if CRITERIA[name].task == "classes"]
NEAR = 1e-9

of_classes = st.sampled_from(OF_CLASSES)


# ---- random splits, and the definitions, one side at a time -----------------------------------------------


@st.composite
def splits(draw, min_classes=2, max_classes=4, most=5, fractional=False):
    """Yes counts and totals, with absent classes and empty sides among them."""
    n = draw(st.integers(min_classes, max_classes))
    pairs = draw(st.lists(st.tuples(st.integers(0, most), st.integers(0, most)), min_size=n, max_size=n))
    weights = (
        draw(st.lists(st.sampled_from([0.1, 0.3, 1.0, 2.5]), min_size=n, max_size=n)) if fractional else [1.0] * n
    )
    yes, no = np.array(pairs, dtype=float).T * np.array(weights)
    if not (yes + no).any():
        no = no + 1.0
    return yes, yes + no


@st.composite
def samples(draw, least=1, most=9):
    """Ascending targets with repeats, weights, and which of them are on the yes side."""
    n = draw(st.integers(least, most))
    y = sorted(draw(st.lists(st.integers(-4, 4), min_size=n, max_size=n)))
    w = draw(st.lists(st.sampled_from([0.25, 0.5, 1.0, 3.0]), min_size=n, max_size=n))
    inside = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    return np.array(y, dtype=float), np.array(w), np.array(inside)


def side(counts, impurity):
    """Weight times impurity of one side."""
    weight = sum(counts)
    return weight * impurity([count / weight for count in counts]) if weight else 0.0


def errors(p):
    return 1 - max(p)


def entropy(p):
    return -sum(x * log2(x) for x in p if x > 0)


def gini(p):
    return sum(x * (1 - x) for x in p)


def sqrt_gini(p):
    return sum(sqrt(max(x * (1 - x), 0)) for x in p)


def mean_impurity(impurity, yes, total):
    return (side(yes, impurity) + side(total - yes, impurity)) / sum(total)


def gain_ratio(yes, total):
    share = sum(yes) / sum(total)
    of_split = entropy([share, 1 - share])
    return (side(total, entropy) / sum(total) - mean_impurity(entropy, yes, total)) / of_split if of_split else 0.0


def twoing(yes, total):
    """As in Breiman and others, "Classification and Regression Trees" (1984), chapter 4."""
    no = total - yes
    if not sum(yes) or not sum(no):
        return 0.0
    apart = sum(abs(a / sum(yes) - b / sum(no)) for a, b in zip(yes, no, strict=True))
    return sum(yes) * sum(no) / sum(total) ** 2 / 4 * apart**2


def one_by_one(name, yes, total, whole_classes):
    """The bound of a sum of terms when all but so many classes are taken one by one."""
    if name == "twoing":
        return twoing_bound([yes], total, whole_classes)[0]
    return additive_bound(TERMS[name], [yes], total, whole_classes)[0]


DEFINITIONS = {
    "accuracy": lambda yes, total: (mean_impurity(errors, yes, total), 0),
    "acc*": lambda yes, total: (mean_impurity(errors, yes, total), mean_impurity(entropy, yes, total)),
    "acc+": lambda yes, total: (mean_impurity(errors, yes, total) + mean_impurity(entropy, yes, total) / 2, 0),
    "entropy": lambda yes, total: (mean_impurity(entropy, yes, total), 0),
    "gini": lambda yes, total: (mean_impurity(gini, yes, total), 0),
    "sqrt-gini": lambda yes, total: (mean_impurity(sqrt_gini, yes, total), 0),
    "gain-ratio": lambda yes, total: (-gain_ratio(yes, total), 0),
    "twoing": lambda yes, total: (-twoing(yes, total), 0),
}


def refinements(yes, steps=None):
    """Every vector of counts below ``yes``: all whole ones, or so many equal steps from 0 to each count."""
    levels = [np.arange(y + 1) if steps is None else np.linspace(0, y, steps) for y in yes]
    return np.array(list(product(*levels)), dtype=float)


def least(losses):
    """The lexicographically least of some losses."""
    first = losses[:, 0].min()
    return np.array([first, losses[losses[:, 0] <= first + TOLERANCE, 1].min()])


def direct_mse(y, w, inside):
    def deviation(chosen):
        if not chosen.any():
            return 0.0
        mean = np.average(y[chosen], weights=w[chosen])
        return float((w[chosen] * (y[chosen] - mean) ** 2).sum())

    return (deviation(inside) + deviation(~inside)) / w.sum()


def subsets(inside):
    rows = np.flatnonzero(inside)
    for kept in product([False, True], repeat=len(rows)):
        chosen = np.zeros(len(inside), dtype=bool)
        chosen[rows] = kept
        yield chosen


# ---- losses -----------------------------------------------------------------------------------------------


@given(of_classes, splits(fractional=True))
def test_a_loss_is_its_definition(name, split):
    yes, total = split
    assert criterion(name).loss([yes], total)[0] == pytest.approx(DEFINITIONS[name](yes, total), abs=NEAR)


@given(of_classes, splits(), st.randoms(use_true_random=False))
def test_naming_the_classes_in_another_order_changes_nothing(name, split, random):
    yes, total = split
    order = list(range(len(yes)))
    random.shuffle(order)
    for measure in (criterion(name).loss, criterion(name).bound):
        assert measure([yes[order]], total[order])[0] == pytest.approx(measure([yes], total)[0], abs=NEAR)


@given(of_classes, splits())
def test_swapping_the_sides_changes_no_loss(name, split):
    yes, total = split
    loss = criterion(name).loss([yes, total - yes], total)
    assert loss[0] == pytest.approx(loss[1], abs=NEAR)


@given(of_classes, splits(), st.sampled_from([1e-6, 0.3, 7.0, 1e9]))
def test_scaling_all_weights_changes_nothing(name, split, factor):
    yes, total = split
    for measure in (criterion(name).loss, criterion(name).bound):
        assert measure([factor * yes], factor * total)[0] == pytest.approx(measure([yes], total)[0], abs=NEAR)


@given(of_classes, splits())
def test_no_split_is_worse_than_not_splitting(name, split):
    yes, total = split
    found = criterion(name)
    assert not better(found.unsplit(total), found.loss([yes], total)[0])


@given(of_classes, st.lists(splits(min_classes=3, max_classes=3), min_size=1, max_size=4))
def test_many_candidates_at_once_are_as_one_by_one(name, some):
    total = np.max([total for _, total in some], axis=0)
    yes = np.array([yes for yes, _ in some])
    for measure in (criterion(name).loss, criterion(name).bound):
        assert measure(yes, total).tolist() == [measure(row, total)[0].tolist() for row in yes]


@pytest.mark.parametrize("name", OF_CLASSES)
def test_one_class_alone_leaves_nothing_to_gain(name):
    assert criterion(name).loss([[3.0]], [5.0]).tolist() == criterion(name).bound([[3.0]], [5.0]).tolist() == [[0, 0]]


@pytest.mark.parametrize("name", OF_CLASSES)
def test_no_candidates_give_no_losses(name):
    nothing = np.zeros((0, 3))
    assert criterion(name).loss(nothing, [1, 2, 3]).shape == criterion(name).bound(nothing, [1, 2, 3]).shape == (0, 2)


@pytest.mark.parametrize("name", OF_CLASSES)
def test_the_dust_of_rounding_is_not_taken_for_individuals(name):
    """Weights summed in another order leave 10^-17 of a class behind, whose square root would be 10^-8."""
    exact = criterion(name).loss([[3.0, 0.0]], [3.0, 4.0])
    dusty = criterion(name).loss([[3.0 - 4e-16, 0.0]], [3.0, 4.0])
    assert dusty[0] == pytest.approx(exact[0], abs=TOLERANCE)


def test_the_gain_ratio_of_one_in_a_billion_keeps_its_digits():
    """One individual of class A: gain and entropy of the split are both about 10^-8, their ratio is known."""
    n = 10.0**9
    exact = log2(2) / (log2(n) + 1 / np.log(2))  # to first order in 1/n
    assert -criterion("gain-ratio").loss([[1, 0]], [n / 2, n / 2])[0, 0] == pytest.approx(exact, rel=1e-7)


# ---- bounds for classes -----------------------------------------------------------------------------------


@given(of_classes, splits())
def test_no_refinement_beats_the_bound(name, split):
    yes, total = split
    found = criterion(name)
    bound = found.bound([yes], total)[0]
    for steps in (None, 4):
        assert not better(found.loss(refinements(yes, steps), total), bound).any()


@given(of_classes, splits(fractional=True))
def test_no_refinement_by_parts_of_weights_beats_the_bound(name, split):
    yes, total = split
    found = criterion(name)
    assert not better(found.loss(refinements(yes, 4), total), found.bound([yes], total)[0]).any()


@given(of_classes, splits())
def test_some_refinement_attains_the_bound(name, split):
    yes, total = split
    found = criterion(name)
    assert least(found.loss(refinements(yes), total)) == pytest.approx(found.bound([yes], total)[0], abs=NEAR)


@given(of_classes, splits(), st.data())
def test_the_bound_of_a_refinement_is_no_lower(name, split, data):
    yes, total = split
    below = np.array([data.draw(st.integers(0, int(y))) for y in yes], dtype=float)
    bound = criterion(name).bound([yes, below], total)
    assert not better(bound[1], bound[0])


@given(splits(min_classes=2, max_classes=2))
def test_twoing_of_two_classes_is_half_the_gain_of_gini(split):
    yes, total = split
    gain = criterion("gini").unsplit(total)[0] - criterion("gini").loss([yes], total)[0, 0]
    assert -criterion("twoing").loss([yes], total)[0, 0] == pytest.approx(gain / 2, abs=NEAR)


@given(splits(max_classes=5))
def test_the_bound_of_acc_star_is_never_below_the_pair_of_bounds(split):
    yes, total = split
    pair = [accuracy_bound([yes], total)[0, 0], additive_bound(TERMS["entropy"], [yes], total)[0, 0]]
    assert not better(accuracy_star_bound([yes], total)[0], pair)


@given(st.sampled_from(["acc+", "entropy", "gini", "sqrt-gini"]), splits(min_classes=2, max_classes=2))
def test_with_two_classes_one_of_them_leaves_wholly(name, split):
    """Only two of the four corners matter, which is what a kernel for two classes evaluates."""
    yes, total = split
    found = criterion(name)
    assert found.bound([yes], total)[0, 0] == pytest.approx(
        found.loss([[yes[0], 0], [0, yes[1]]], total)[:, 0].min(), abs=NEAR
    )


@given(st.sampled_from(sorted(TERMS)), splits(min_classes=4, max_classes=6, most=3), st.integers(0, 2))
def test_bounding_classes_one_by_one_is_valid_and_above_the_no_side_alone(name, split, whole_classes):
    yes, total = split
    bound = one_by_one(name, yes, total, whole_classes)
    assert not better(criterion(name).loss(refinements(yes), total), bound).any()
    if name not in ("gain-ratio", "twoing"):
        impurity = {"entropy": entropy, "gini": gini, "sqrt-gini": sqrt_gini}[name]
        assert bound[0] >= side(total - yes, impurity) / sum(total) - NEAR


@given(splits(min_classes=4, max_classes=6, most=3), st.integers(0, 2))
def test_acc_star_is_bounded_as_well_when_classes_are_taken_one_by_one(split, whole_classes):
    yes, total = split
    bound = accuracy_star_bound([yes], total, whole_classes)[0]
    assert not better(criterion("acc*").loss(refinements(yes), total), bound).any()
    assert not better(accuracy_star_bound([yes], total)[0], bound)


@given(splits(min_classes=4, max_classes=6, most=3), st.integers(0, 2))
def test_acc_plus_is_bounded_as_well_when_classes_are_taken_one_by_one(split, whole_classes):
    yes, total = split
    bound = accuracy_plus_bound([yes], total, whole_classes)[0]
    assert not better(criterion("acc+").loss(refinements(yes), total), bound).any()
    assert not better(accuracy_plus_bound([yes], total)[0], bound)


@given(splits(max_classes=5))
def test_half_the_entropy_of_a_split_is_no_less_than_its_errors(split):
    """So acc+ is between twice the errors and the entropy: Hellman and Raviv's inequality."""
    yes, total = split
    loss, wrong, bits = (criterion(name).loss([yes], total)[0, 0] for name in ("acc+", "accuracy", "entropy"))
    assert 2 * wrong - NEAR <= loss <= bits + NEAR


@given(st.sampled_from(sorted(TERMS)), splits(min_classes=5, max_classes=6))
def test_classes_that_are_not_on_the_yes_side_cost_no_tightness(name, split):
    yes, total = split
    yes[2:] = 0
    exact, of_two = (one_by_one(name, yes, total, n) for n in (6, 2))
    assert of_two == pytest.approx(exact, abs=NEAR)


# ---- numbers ----------------------------------------------------------------------------------------------


@given(samples(), st.sampled_from([0.0, 1e6]))
def test_the_mse_from_moments_is_the_mse_from_the_targets(sample, shift):
    y, w, inside = sample
    there = centred(y + shift, w)
    loss = criterion("mse").loss(moments(there, w, [inside]), moments(there, w))[0]
    assert loss == pytest.approx([direct_mse(y, w, inside), 0.0], abs=NEAR)


@given(samples())
def test_the_regression_bound_is_the_best_of_all_subsets(sample):
    y, w, inside = sample
    bound = regression_bound(y, w, [inside])[0]
    assert bound == pytest.approx([min(direct_mse(y, w, chosen) for chosen in subsets(inside)), 0.0], abs=NEAR)
    there = centred(y, w)
    assert mse_bound(moments(there, w, [inside]), moments(there, w))[0, 0] <= bound[0] + NEAR


@given(samples(), st.lists(st.floats(-5, 5), max_size=4).map(sorted))
def test_sums_by_bins_give_a_valid_bound(sample, edges):
    y, w, inside = sample
    exact = regression_bound(y, w, [inside])[0, 0]
    assert binned_bound(y, w, inside, edges) <= exact + NEAR
    assert binned_bound(y, w, inside, np.unique(y)) == pytest.approx(exact, abs=NEAR)


@given(samples(most=6), st.data())
def test_parts_of_weights_do_not_beat_the_regression_bound(sample, data):
    y, w, inside = sample
    kept = w * inside * np.array([data.draw(st.sampled_from([0, 0.25, 0.5, 1])) for _ in y])
    there = centred(y, w)
    loss = criterion("mse").loss(moments(there, kept), moments(there, w))
    assert not better(loss[0], regression_bound(y, w, [inside])[0], NEAR)


@given(samples(), st.data())
def test_the_regression_bound_without_weights_counts_everyone_once(sample, data):
    y, _, inside = sample
    others = np.array([data.draw(st.booleans()) for _ in y])
    some = np.array([inside, others])
    assert regression_bound(y, None, some).tolist() == regression_bound(y, np.ones_like(y), some).tolist()


@given(samples(least=2))
def test_targets_of_another_scale_and_origin_have_the_same_order_of_losses(sample):
    y, w, inside = sample
    scaled = regression_bound(1000 * y + 5e6, w, [inside])[0, 0]
    assert scaled == pytest.approx(1e6 * regression_bound(y, w, [inside])[0, 0], abs=1e-3)


def test_the_slack_for_numbers_has_their_unit():
    y = centred([1.0, 2.0, 3.0, 6.0])
    assert criterion("mse").slack(moments(1000 * y)) == pytest.approx(1e6 * criterion("mse").slack(moments(y)))
    assert criterion("mse").slack(moments(y)) == pytest.approx(TOLERANCE * np.var(y))


# ---- evidence, comparison, names ----------------------------------------------------------------------------


@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from([0.5, 1, 2]), st.booleans()), min_size=1, max_size=9))
def test_class_counts_add_up_the_weights(individuals):
    codes, weights, inside = zip(*individuals, strict=True)
    expected = [sum(w for c, w, i in individuals if c == k and i) for k in range(3)]
    assert class_counts(codes, weights, 3, [inside]).tolist() == [expected]
    assert class_counts(codes, None, 3).tolist() == [codes.count(k) for k in range(3)]


losses = st.tuples(st.sampled_from([0.1, 0.2, 0.3]), st.sampled_from([0.0, 0.5, 1.0])).map(np.array)


@given(losses, losses)
def test_of_two_losses_one_is_better_or_they_are_equal(a, b):
    assert better(a, b) == (tuple(a) < tuple(b))
    assert cannot_beat(a, b) == (tuple(b) < tuple(a))


@given(losses, losses)
def test_rounding_decides_nothing(a, b):
    noise = 1e-15 * np.array([1, -1])
    assert better(a + noise, b - noise) == better(a, b)


@given(losses)
def test_anything_is_better_than_nothing(a):
    nothing_found = (inf, inf)
    assert better(a, nothing_found)
    assert not cannot_beat(a, nothing_found)
    assert not better(nothing_found, nothing_found)


def test_comparisons_broadcast():
    assert better([[0.1, 0], [0.3, 0]], [0.2, 0]).tolist() == [True, False]
    assert cannot_beat([[0.1, 0], [0.3, 0]], [0.2, 0]).tolist() == [False, True]


@pytest.mark.parametrize(
    ("wrong", "end"), [("enropy", "(did you mean 'entropy'?)"), ("x", "(known: 'acc*', 'acc+', 'accuracy'")]
)
def test_an_unknown_criterion_names_the_nearest(wrong, end):
    with pytest.raises(UnknownNameError, match="unknown criterion") as caught:
        criterion(wrong)
    assert end in str(caught.value)


@pytest.mark.parametrize("name", CRITERIA)
def test_a_criterion_survives_pickling(name):
    again = pickle.loads(pickle.dumps(criterion(name)))
    assert again == criterion(name)
    assert again.loss([[1, 1, 3]], [4, 2, 9]).tolist() == criterion(name).loss([[1, 1, 3]], [4, 2, 9]).tolist()


def test_scores_are_what_people_say():
    assert criterion("accuracy").score(0.25) == 0.75
    assert criterion("gain-ratio").score(-0.5) == 0.5
    assert criterion("twoing").score(-0.2) == 0.2
    assert criterion("twoing").room(0.2) == pytest.approx(0.05)
    assert criterion("gini").score(0.25) == 0.25


# ---- what a criterion is not about ------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["loss", "bound"])
@pytest.mark.parametrize(
    ("name", "yes", "total", "sentence"),
    [
        ("mse", [[3, 1]], [5, 5], r"'mse' needs weight, sum and sum of squares of a node; got \[5.0, 5.0\]"),
        ("mse", [[3, 1, 0, 0]], [5, 5, 1, 1], "needs weight, sum and sum of squares of a node"),
        ("mse", [[3, 1]], [5, 0, 5], "needs weight, sum and sum of squares of each branch"),
        ("mse", [[1, 4, 2]], [5, 9, 2], r"\[5.0, 9.0, 2.0\] is impossible in a node"),
        (
            "gini",
            [[2.0, -1.5, 2.5]],
            [5.0, 0.0, 9.0],
            r"'gini' needs the weight of each class; \[2.0, -1.5, 2.5\] is",
        ),
        ("entropy", [[3, 1]], [5, 5, 5], "needs the weight of each class of each branch"),
        ("acc*", [[6, 1]], [5, 5], r"\[6.0, 1.0\] is impossible in a node \[5.0, 5.0\]"),
        ("acc*", [[1, 1]], 5, "of a node; got 5.0"),
    ],
)
def test_counts_of_another_kind_are_refused(method, name, yes, total, sentence):
    with pytest.raises(UsageError, match=sentence):
        getattr(criterion(name), method)(yes, total)


def test_the_impurity_of_numbers_is_not_that_of_classes():
    with pytest.raises(UsageError, match="needs the weight, sum and sum of squares of each branch"):
        criterion("mse").impurity(np.array([[3.0, 1.0]]))


@given(splits())
def test_the_bound_of_accuracy_is_the_error_of_the_no_side_for_two_classes(split):
    """For more classes it is at least that."""
    yes, total = split
    bound = float(CRITERIA["accuracy"].bound([yes], total)[0, 0]) * total.sum()
    errors = (total - yes).sum() - (total - yes).max()
    assert bound >= errors - NEAR
    if len(total) == 2:
        assert bound == pytest.approx(errors)
