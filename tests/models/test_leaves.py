"""What leaves say: estimates equal their definitions, decisions cost least, operating points are Flach's."""

from __future__ import annotations

from itertools import pairwise, product
from math import inf, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from structtree.errors import UnknownNameError, UsageError
from structtree.models.leaves import (
    Decision,
    class_counts,
    convex_hull,
    decisions,
    means,
    operating_points,
    probabilities,
    reweighted,
    spreads,
    with_class_shares,
)
from structtree.models.tree import Leaf, Moments, Tree
from tests.models.random_trees import (
    SCHEMA,
    class_trees,
    count_leaves,
    counts,
    number_trees,
    numbers,
    sketches,
    three_class_trees,
    tree_of,
)

# The tree of Flach's figure 5.4: 50 positives and 100 negatives, in the order (negatives, positives).
FLACH = tree_of(((counts(10, 29), counts(25, 1)), (counts(3, 15), counts(62, 5))), ("-", "+"))
LEAVES = FLACH.leaves

estimates = st.sampled_from(["frequency", "laplace", "m-estimate", "m-branch"])
ms = st.sampled_from([0.0, 0.5, 2.0, 10.0])
positive_costs = st.integers(0, 5).map(float)


def cost_matrices(n):
    return st.lists(st.lists(positive_costs, min_size=n, max_size=n), min_size=n, max_size=n)


def with_costs(miss, alarm=1.0, estimate="frequency"):
    return Decision(estimate, costs=((0.0, alarm), (miss, 0.0)))


def estimated(estimate, m):
    """A decision by this estimate; only two of them have a use for m."""
    return Decision(estimate, m) if estimate.startswith("m-") else Decision(estimate)


def labelling(tree, decision):
    """The decisions of the leaves from left to right, as Flach writes them."""
    said = decisions(tree, decision)
    return "".join(tree.classes[said[leaf]] for leaf in tree.leaves)


# ---- probabilities --------------------------------------------------------------------------------------


@given(three_class_trees, estimates, ms)
def test_estimates_equal_their_definitions(tree, estimate, m):
    found = probabilities(tree, estimated(estimate, m))
    root = tree.nodes[0].stats
    for index, (row, node) in enumerate(zip(found, tree.nodes, strict=True)):
        n, above = node.stats.weight, tree.parent(index)
        for k, count in enumerate(node.stats.counts):
            expected = {
                "frequency": count / n,
                "laplace": (count + 1) / (n + 3),
                "m-estimate": (count + m * root.counts[k] / root.weight) / (n + m),
                "m-branch": count / n if above is None else (count + m * found[above, k]) / (n + m),
            }
            assert row[k] == pytest.approx(expected[estimate])


@given(class_trees, estimates, ms)
def test_probabilities_sum_to_one(tree, estimate, m):
    assert probabilities(tree, estimated(estimate, m)).sum(axis=1) == pytest.approx(1.0)


@given(class_trees, st.sampled_from(["m-estimate", "m-branch"]))
def test_an_estimate_with_nothing_more_is_the_frequency(tree, estimate):
    assert probabilities(tree, Decision(estimate, 0.0)) == pytest.approx(probabilities(tree))


@given(class_trees, st.sampled_from(["m-estimate", "m-branch"]), ms)
def test_the_root_keeps_its_distribution_whatever_is_added(tree, estimate, m):
    assert probabilities(tree, Decision(estimate, m))[0] == pytest.approx(probabilities(tree)[0])


@pytest.mark.parametrize("estimate", ["frequency", "m-estimate", "m-branch"])
def test_where_nobody_arrived_the_node_above_speaks(estimate):
    tree = tree_of(((counts(0, 0), counts(1, 3)), counts(4, 0)))
    empty = 2
    assert class_counts(tree)[empty].tolist() == [0.0, 0.0]
    found = probabilities(tree, estimated(estimate, 0.0))
    assert found[empty].tolist() == found[tree.parent(empty)].tolist() == [0.25, 0.75]
    assert probabilities(tree, Decision("m-estimate", 2.0))[empty] == pytest.approx(probabilities(tree)[0])
    smoothed = probabilities(tree, Decision("m-branch", 2.0))
    assert smoothed[empty] == pytest.approx(smoothed[tree.parent(empty)])


def test_a_tree_that_nobody_arrived_at_finds_all_classes_equally_probable():
    assert probabilities(tree_of(counts(0, 0))).tolist() == [[0.5, 0.5]]


# ---- decisions ------------------------------------------------------------------------------------------


@given(three_class_trees, estimates, cost_matrices(3))
def test_no_class_has_less_expected_cost_than_the_one_that_is_said(tree, estimate, costs):
    decision = Decision(estimate, costs=costs)
    chances, said = probabilities(tree, decision), decisions(tree, decision)
    for p, choice in zip(chances, said, strict=True):
        expected = [sum(p[i] * costs[i][j] for i in range(3)) for j in range(3)]
        assert expected[choice] == pytest.approx(min(expected))
        assert all(expected[j] > expected[choice] - 1e-9 for j in range(choice))


@given(three_class_trees, estimates)
def test_without_costs_the_first_most_probable_class_is_said(tree, estimate):
    decision = Decision(estimate)
    chances = probabilities(tree, decision).round(9)
    assert decisions(tree, decision).tolist() == chances.argmax(axis=1).tolist()


def test_ties_go_to_the_first_class_whatever_rounding_does():
    assert decisions(tree_of(counts(0.1 + 0.2, 0.3))).tolist() == [0]
    assert decisions(tree_of(counts(0.3, 0.1 + 0.2))).tolist() == [0]
    assert decisions(tree_of(counts(10, 1)), with_costs(10.0)).tolist() == [0]


@given(three_class_trees, st.lists(st.integers(1, 5), min_size=3, max_size=3))
def test_weights_of_classes_are_costs_of_their_errors(tree, factors):
    weighted = reweighted(tree, dict(zip(tree.classes, factors, strict=True)))
    costs = [[0.0 if i == j else float(factors[i]) for j in range(3)] for i in range(3)]
    assert decisions(weighted).tolist() == decisions(tree, Decision(costs=costs)).tolist()


@given(class_trees.filter(lambda tree: min(tree.nodes[0].stats.counts) > 0))
def test_expecting_the_shares_of_the_training_data_changes_nothing(tree):
    same = with_class_shares(tree, dict(zip(tree.classes, tree.nodes[0].stats.counts, strict=True)))
    assert class_counts(same) == pytest.approx(class_counts(tree))


def test_other_shares_of_the_classes_become_those_of_the_root_and_keep_the_weight():
    even = with_class_shares(FLACH, {"+": 1, "-": 1})
    assert class_counts(even)[0] == pytest.approx([75.0, 75.0])
    assert labelling(even, Decision()) == labelling(FLACH, with_costs(2.0)) == "+-+-"
    assert labelling(with_class_shares(FLACH, {"+": 10, "-": 1}), Decision()) == "+-++"


# ---- mistakes -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("costs", "sentence"),
    [
        ([[0, 1]], "costs must be a square matrix; got 1 rows and 2 numbers in row 0"),
        ([[0, 1], [2]], "costs must be a square matrix; got 2 rows and 1 numbers in row 1"),
        ([[0, -1], [1, 0]], "costs must be numbers >= 0; got -1.0 in row 0, column 1"),
        ([[0, 1], [inf, 0]], "costs must be numbers >= 0; got inf in row 1, column 0"),
        ([[0, 1], [float("nan"), 0]], "costs must be numbers >= 0; got nan in row 1, column 0"),
        ([["a", 1], [1, 0]], "costs must be a square matrix of numbers >= 0; got [['a', 1], [1, 0]]"),
        (3, "costs must be a square matrix of numbers >= 0; got 3"),
    ],
)
def test_a_cost_matrix_that_makes_no_sense_is_refused(costs, sentence):
    with pytest.raises(UsageError) as caught:
        Decision(costs=costs)
    assert str(caught.value) == sentence


def test_costs_of_another_number_of_classes_are_refused():
    with pytest.raises(UsageError, match=r"one row and one column for each of the 2 classes .*; got 3 rows"):
        decisions(FLACH, Decision(costs=np.ones((3, 3))))


def test_an_unknown_estimate_is_answered_with_the_known_ones():
    with pytest.raises(
        UsageError, match="estimate must be None, 'frequency', 'laplace', 'm-estimate' or 'm-branch'; got"
    ):
        Decision("laplac")


def test_an_m_that_the_estimate_has_no_use_for_is_refused():
    with pytest.raises(UsageError, match="m is for estimate='m-estimate' or estimate='m-branch', not for"):
        Decision("laplace", 3.0)


@pytest.mark.parametrize("m", [-1.0, inf, float("nan")])
def test_a_negative_or_endless_m_is_refused(m):
    with pytest.raises(UsageError, match=r"m must be a number from 0 to 1e\+15"):
        Decision("m-estimate", m)


def test_a_tree_for_numbers_has_no_decisions_and_one_for_classes_no_means():
    with pytest.raises(UsageError, match="expected a classification tree; got a regression tree"):
        decisions(tree_of(numbers(1, 2)))
    with pytest.raises(UsageError, match="expected a regression tree; got a classification tree"):
        means(FLACH)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda: reweighted(FLACH, {"?": 1}), "class_weight names '\\?', which is not a class"),
        (lambda: reweighted(FLACH, {"+": -1}), "a class weight must be a number >= 0; got -1 for '\\+'"),
        (
            lambda: with_class_shares(FLACH, {"+": 1}),
            "priors must be numbers >= 0, not all 0, one for each of the classes",
        ),
        (
            lambda: with_class_shares(FLACH, {"+": 0, "-": 0}),
            "not all 0, one for each of the classes .*; got",
        ),
        (lambda: with_class_shares(FLACH, {"+": 2, "-": -1}), "for each of the classes .*; got"),
        (
            lambda: with_class_shares(tree_of(counts(1, 0)), {"no": 1, "yes": 1}),
            "no training individual has this class",
        ),
        (lambda: operating_points(tree_of(numbers(1))), "two classes; got one for numbers"),
        (lambda: operating_points(tree_of(counts(1, 1, 1), (1, 2, 3))), "two classes; got one for 3 classes"),
        (lambda: operating_points(FLACH, positive="?"), "unknown class '\\?'"),
    ],
)
def test_what_does_not_fit_the_classes_is_refused(change, sentence):
    with pytest.raises((UsageError, UnknownNameError), match=sentence):
        change()


# ---- operating points -----------------------------------------------------------------------------------


def test_flachs_example_has_his_ranking_and_his_cost_ratios():
    points = operating_points(FLACH)
    first, second, third, fourth = LEAVES
    assert [p.positive_leaves for p in points] == [
        frozenset(chosen)
        for chosen in ([], [third], [third, first], [third, first, fourth], [first, second, third, fourth])
    ]
    assert [p.cost_ratios for p in points] == [
        (0.0, 3 / 15),
        (3 / 15, 10 / 29),
        (10 / 29, 62 / 5),
        (62 / 5, 25 / 1),
        (25 / 1, inf),
    ]
    assert [(p.false_positives, p.true_positives) for p in points] == [(0, 0), (3, 15), (13, 44), (75, 49), (100, 50)]
    assert [(p.false_positive_rate, p.true_positive_rate) for p in points][2] == (0.13, 0.88)


@pytest.mark.parametrize(
    ("ratio", "signs"),
    [(0.19, "----"), (0.21, "--+-"), (1.0, "+-+-"), (20.0, "+-++"), (26.0, "++++")],
)
def test_flachs_labellings_are_chosen_for_his_costs_and_for_weights_of_the_positives(ratio, signs):
    assert labelling(FLACH, with_costs(ratio)) == signs
    assert labelling(reweighted(FLACH, {"+": ratio}), Decision()) == signs


@given(class_trees, estimates, st.sampled_from([0.0, 0.11, 0.37, 0.9, 1.07, 2.3, 7.7, 100.0]))
def test_costs_choose_the_operating_point_that_says_so(tree, estimate, ratio):
    said = decisions(tree, with_costs(ratio, estimate=estimate))
    positive = frozenset(leaf for leaf in tree.leaves if said[leaf] == 1)
    fitting = [p for p in operating_points(tree, Decision(estimate)) if p.cost_ratios[0] <= ratio <= p.cost_ratios[1]]
    assert positive in [p.positive_leaves for p in fitting]


@given(class_trees)
def test_the_points_of_frequencies_are_the_corners_of_the_hull_of_all_labellings(tree):
    points = operating_points(tree)
    assert convex_hull(points) == points
    seen = class_counts(tree)[list(tree.leaves)]
    corners = [(p.false_positives, p.true_positives) for p in points]
    for labels in product([0, 1], repeat=len(seen)):
        false, true = np.array(labels) @ seen
        assert true <= np.interp(false, *zip(*_highest(corners), strict=True)) + 1e-9


def _highest(corners):
    """One corner for each number of false positives: the highest."""
    return sorted(dict(sorted(corners)).items())


@given(class_trees, estimates)
def test_the_points_go_from_nothing_positive_to_everything(tree, estimate):
    points = operating_points(tree, Decision(estimate))
    assert points[0].positive_leaves == frozenset()
    assert points[-1].positive_leaves == frozenset(tree.leaves)
    for before, after in pairwise(points):
        assert before.positive_leaves < after.positive_leaves
        assert before.cost_ratios[1] == after.cost_ratios[0]


@given(sketches(count_leaves()), estimates)
def test_the_other_class_as_positive_gives_the_points_the_other_way_round(sketch, estimate):
    tree = tree_of(sketch)
    everything = frozenset(tree.leaves)
    ours = operating_points(tree, Decision(estimate))
    theirs = operating_points(tree, Decision(estimate), positive="no")
    assert [everything - p.positive_leaves for p in reversed(theirs)] == [p.positive_leaves for p in ours]


def test_laplace_may_leave_the_hull():
    tree = tree_of(((counts(0, 1), counts(1, 9)), counts(9, 9)))
    rough = operating_points(tree, Decision("laplace"))
    assert len(convex_hull(rough)) < len(rough)


def test_rates_of_a_class_that_nobody_has_are_not_numbers():
    assert np.isnan(operating_points(tree_of(counts(3, 0)))[1].true_positive_rate)


# ---- numbers --------------------------------------------------------------------------------------------


@given(number_trees)
def test_means_and_spreads_are_those_of_the_moments(tree):
    assert means(tree).tolist() == [node.stats.mean for node in tree.nodes]
    assert spreads(tree).tolist() == [sqrt(node.stats.variance) for node in tree.nodes]


def test_a_mean_of_nobody_is_the_mean_above():
    tree = tree_of((numbers(1, 3), numbers(5)))
    hollow = (tree.nodes[0], Leaf(Moments(1, 0.0, float("nan"), float("nan"))), tree.nodes[2])
    assert means(Tree(hollow, SCHEMA)).tolist() == [3.0, 3.0, 5.0]
    assert spreads(Tree(hollow, SCHEMA))[1] == pytest.approx(np.std([1, 3, 5]))
