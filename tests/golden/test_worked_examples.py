"""Criteria and bounds on the worked examples of the literature, with the numbers printed there."""

from __future__ import annotations

import numpy as np
import pytest

from structtree.search.scorers import Assessment, scorer_for
from structtree.tasks.criteria import better, cannot_beat, criterion


def accuracy(yes, total):
    return criterion("accuracy").score(criterion("accuracy").loss(yes, total)[0, 0])


def accuracy_bound(yes, total):
    return criterion("accuracy").score(criterion("accuracy").bound(yes, total)[0, 0])


def weighted_impurity(name, *segments):
    """The mean impurity of any number of segments, as [positives, negatives]."""
    sizes = np.array([sum(segment) for segment in segments])
    return float(np.average([criterion(name).unsplit(segment)[0] for segment in segments], weights=sizes))


def split_loss(name, yes, no):
    return criterion(name).loss([yes], np.add(yes, no))[0]


def assessed(yes, no):
    """What the search computes for a split of these numbers: loss and bound, over all examples as in Ng and Lloyd."""
    y = np.array([*yes, *no])
    scorer = scorer_for("mse", y, len(y))
    found = scorer.assess(scorer.counts(np.arange(len(y))[:, None] < len(yes)))
    return Assessment(len(y) * found.losses[0, 0], len(y) * found.bounds[0, 0])


def squared_error(yes, no):
    """Q of Ng and Lloyd: summed, not divided by the number of examples."""
    return assessed(yes, no).losses


def least_squared_error(yes, no):
    """C of Ng and Lloyd."""
    return assessed(yes, no).bounds


# ---- Ng and Lloyd, "Predicate Selection for Structural Decision Trees" ------------------------------------


class TestNgAndLloyd:
    def test_example_8_accuracy_and_bound_of_two_partitions(self):
        examples = [6, 9, 3, 2]
        assert accuracy([2, 1, 0, 2], examples) == pytest.approx(10 / 20)
        assert accuracy_bound([2, 1, 0, 2], examples) == pytest.approx(11 / 20)
        assert accuracy([0, 9, 0, 0], examples) == accuracy_bound([0, 9, 0, 0], examples) == pytest.approx(15 / 20)

    @pytest.mark.parametrize("name", ["accuracy", "acc*"])
    def test_example_10_one_partition_is_pruned_and_the_other_is_not(self, name):
        examples = [6, 9, 3, 2]
        best = criterion(name).loss([6, 3, 0, 2], examples)[0]
        assert accuracy([6, 3, 0, 2], examples) == pytest.approx(12 / 20)
        assert accuracy_bound([2, 4, 0, 1], examples) == pytest.approx(11 / 20)
        assert accuracy_bound([6, 5, 3, 2], examples) == pytest.approx(15 / 20)
        bounds = criterion(name).bound([[2, 4, 0, 1], [6, 5, 3, 2]], examples)
        assert cannot_beat(bounds, best).tolist() == [True, False]

    def test_criticism_1_accuracy_finds_nothing_in_a_nearly_pure_node_and_acc_star_does(self):
        split, node = [30, 10], [90, 10]
        assert not better(criterion("accuracy").loss(split, node)[0], criterion("accuracy").unsplit(node))
        assert better(criterion("acc*").loss(split, node)[0], criterion("acc*").unsplit(node))

    def test_criticism_2_accuracy_cannot_tell_two_splits_apart_and_acc_star_prefers_the_second(self):
        node = [400, 400]
        assert accuracy([300, 100], node) == accuracy([200, 400], node) == 600 / 800
        first, second = criterion("acc*").loss([[300, 100], [200, 400]], node)
        assert better(second, first)

    def test_example_20_the_best_refinement_is_on_the_other_side_of_the_means(self):
        yes, no = [0.3, 0.5, 0.98], [0.41, 0.53, 0.77, 0.9]
        assert np.mean(yes) == pytest.approx(0.59, abs=0.005)
        assert np.mean(no) == pytest.approx(0.65, abs=0.005)
        prefixes = [squared_error(yes[:i], yes[i:] + no) for i in (1, 2, 3)]
        assert min(prefixes) == prefixes[1] == pytest.approx(0.255, abs=0.0005)
        assert squared_error([0.98], [0.3, 0.5, *no]) == pytest.approx(0.254, abs=0.0005)
        assert least_squared_error(yes, no) == pytest.approx(squared_error([0.98], [0.3, 0.5, *no]))

    def test_example_21_errors_along_the_suffixes_have_two_valleys(self):
        yes, no = [0.29, 0.36, 0.81, 0.92], [0.95]
        suffixes = [squared_error(yes[i:], yes[:i] + no) for i in range(5)]
        cut_off_as_printed = np.floor(np.multiply(suffixes, 10_000) + 1e-6) / 10_000
        assert cut_off_as_printed.tolist() == [0.3001, 0.3938, 0.2689, 0.3202, 0.4009]
        prefixes = [squared_error(yes[:i], yes[i:] + no) for i in range(5)]
        assert least_squared_error(yes, no) == pytest.approx(min(suffixes + prefixes))


# ---- Flach, "Machine Learning", chapter 5: [positives, negatives] ---------------------------------------------


TWO_DIGITS = 0.005 + 1e-9
FLACH_5_1 = {
    "Length": ([[2, 0], [1, 3], [2, 2]], 0.72, 0.35),
    "Gills": ([[0, 4], [5, 1]], 0.39, 0.17),
    "Beak": ([[5, 3], [0, 2]], 0.76, 0.38),
    "Teeth": ([[3, 4], [2, 1]], 0.97, 0.48),
}


class TestFlach:
    @pytest.mark.parametrize("feature", FLACH_5_1)
    def test_example_5_1_impurities_of_four_features(self, feature):
        segments, entropy, gini = FLACH_5_1[feature]
        assert weighted_impurity("entropy", *segments) == pytest.approx(entropy, abs=TWO_DIGITS)
        assert weighted_impurity("gini", *segments) == pytest.approx(gini, abs=TWO_DIGITS)

    @pytest.mark.parametrize("feature", ["Gills", "Beak", "Teeth"])
    def test_example_5_1_the_loss_of_a_split_in_two_is_the_impurity_of_its_segments(self, feature):
        (yes, no), entropy, gini = FLACH_5_1[feature]
        assert split_loss("entropy", yes, no)[0] == pytest.approx(entropy, abs=TWO_DIGITS)
        assert split_loss("gini", yes, no)[0] == pytest.approx(gini, abs=TWO_DIGITS)

    @pytest.mark.parametrize("name", ["entropy", "gini", "sqrt-gini", "acc*"])
    def test_example_5_1_gills_is_the_feature_to_split_on(self, name):
        gills, beak, teeth = (split_loss(name, *FLACH_5_1[f][0]) for f in ("Gills", "Beak", "Teeth"))
        assert better(gills, beak)
        assert better(gills, teeth)

    @pytest.mark.parametrize(("name", "first_wins"), [("entropy", True), ("gini", True), ("sqrt-gini", False)])
    def test_example_5_3_square_root_gini_prefers_the_other_split(self, name, first_wins):
        first, second = split_loss(name, [8, 2], [2, 8]), split_loss(name, [10, 6], [0, 4])
        assert better(first, second) == first_wins
        assert better(second, first) != first_wins

    @pytest.mark.parametrize("name", ["entropy", "gini", "sqrt-gini"])
    def test_example_5_3_with_ten_copies_of_each_positive_all_prefer_the_second(self, name):
        assert better(split_loss(name, [100, 6], [0, 4]), split_loss(name, [80, 2], [20, 8]))

    def test_square_root_gini_relative_to_the_node_does_not_see_the_copies(self):
        once = split_loss("sqrt-gini", [8, 2], [2, 8])[0] / criterion("sqrt-gini").unsplit([10, 10])[0]
        tenfold = split_loss("sqrt-gini", [80, 2], [20, 8])[0] / criterion("sqrt-gini").unsplit([100, 10])[0]
        assert once == pytest.approx(tenfold)


# ---- Blockeel, example 4.4: 80 positives and 20 negatives -----------------------------------------------------


class TestBlockeel:
    node = (80, 20)
    even, pure = (40, 10), (40, 0)

    def test_example_4_4_purity_is_the_same_for_both_partitions_and_the_node(self):
        assert accuracy(self.even, self.node) == accuracy(self.pure, self.node) == pytest.approx(0.8)
        assert 1 - criterion("accuracy").unsplit(self.node)[0] == pytest.approx(0.8)

    @pytest.mark.parametrize("name", ["acc*", "entropy", "gini", "sqrt-gini", "gain-ratio"])
    def test_example_4_4_the_others_prefer_the_partition_with_a_pure_side(self, name):
        even, pure = criterion(name).loss([self.even, self.pure], self.node)
        assert better(pure, even)

    def test_exercise_4_2_only_the_second_partition_gains_information(self):
        before = criterion("entropy").unsplit(self.node)[0]
        even, pure = criterion("entropy").loss([self.even, self.pure], self.node)[:, 0]
        assert before - even == pytest.approx(0)
        assert before - pure == pytest.approx(0.7219 - 0.6 * 0.9183, abs=0.0001)
