"""Whole trees: worked examples of the literature, rules that can be learned exactly, and scikit-learn's trees."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from structtree.data.datasets.catalog import load_dataset
from structtree.data.population import Population
from structtree.lang.grammar import Grammar
from structtree.lang.pretty import pretty
from structtree.learn.growing import grow
from structtree.models.settings import Growth
from structtree.models.tree import Branch
from structtree.tasks.criteria import criterion
from tests.growing import grow_on

ONE_TEST = Grammar.parse("refine Individual { top -> *; top -> not *; top -> * = *; top -> * >= * }")
TWO_TESTS = Grammar.parse("refine Individual { top -> *; top -> * = *; top -> * >= *; top -> top and top max 2 }")
THRESHOLDS = Grammar.parse("refine Row { top -> * >= * }")
TWO_DIGITS = 0.005 + 1e-9


def asked_by(tree):
    return [pretty(tree.nodes[branch].test) for branch in tree.branches]


def n_errors(tree):
    return sum(tree.nodes[leaf].stats.weight - max(tree.nodes[leaf].stats.counts) for leaf in tree.leaves)


def counts_at(tree, *answers):
    """What is seen at the node that some answers lead to, in the order of the classes."""
    return tree.nodes[node_at(tree, *answers)].stats.counts


def node_at(tree, *answers):
    node = 0
    for answer in answers:
        branch = tree.nodes[node]
        node = branch.yes if answer else branch.no
    return node


# ---- Flach, "Machine Learning", chapter 5 -------------------------------------------------------------------


class TestDolphins:
    """Section 5.1: gills, then length, then teeth; asked here in questions with two answers."""

    grammar = Grammar.parse("refine Individual { top -> * = *; top -> length = {3, 4, 5} }")

    def grown(self, name, **options):
        dolphins = load_dataset("dolphins")
        return grow(dolphins.population, dolphins.target, self.grammar, Growth(**options), criterion=name)

    @pytest.mark.parametrize(("name", "impurity"), [("entropy", 0.39), ("gini", 0.17)])
    def test_the_first_split_is_on_gills_with_the_impurity_printed_there(self, name, impurity):
        tree = self.grown(name, max_depth=1)
        assert asked_by(tree) == ["gills = no"]
        assert tree.nodes[0].found.score == pytest.approx(impurity, abs=TWO_DIGITS)
        assert tree.classes == ("no", "yes")
        assert counts_at(tree, True) == (1, 5)
        assert counts_at(tree, False) == (4, 0)

    @pytest.mark.parametrize("name", ["entropy", "gini", "sqrt-gini", "acc*"])
    def test_length_and_teeth_divide_the_rest(self, name):
        tree = self.grown(name)
        assert asked_by(tree) == ["gills = no", "length = 4", "teeth = few"]
        assert counts_at(tree, True, True) == (1, 1)
        assert counts_at(tree, True, False) == (0, 4)
        assert n_errors(tree) == 0

    def test_accuracy_finds_no_use_in_a_second_split_and_acc_star_does(self):
        """Of [5+, 1-] no test gets more than five right; the split that acc* makes first gains no accuracy."""
        accuracy, star = self.grown("accuracy"), self.grown("acc*")
        assert asked_by(accuracy) == ["gills = no"]
        assert n_errors(accuracy) == 1
        assert star.nodes[node_at(star, True)].found.gain == 0
        assert n_errors(star) == 0


class TestHammondOrgans:
    """Example 5.4; the features have many values there, so here one is told from the others at a time."""

    prices = load_dataset("hammond").target

    def grown(self, grammar, which=slice(None), **options):
        organs = load_dataset("hammond")
        rows = np.arange(len(organs.target))[which]
        return grow(organs.population.take(rows), organs.target[rows], grammar, Growth(**options))

    def test_the_split_on_leslie_has_the_means_printed_there(self):
        tree = self.grown(Grammar.parse("refine Individual { top -> leslie = yes }"), max_depth=1)
        yes, no = tree.nodes[1].stats, tree.nodes[2].stats
        assert (round(yes.mean), round(no.mean)) == (1132, 1297)
        assert (yes.n, no.n) == (3, 6)

    def test_the_variance_left_is_the_mean_square_less_the_mean_of_squared_means(self):
        """1.55 million for Leslie: the book looks for the greatest such number, we for the least variance."""
        tree = self.grown(Grammar.parse("refine Individual { top -> leslie = yes }"), max_depth=1)
        squared_means = np.mean(self.prices**2) - tree.nodes[0].found.score
        assert squared_means == pytest.approx(1.55e6, abs=0.005e6)

    def test_the_tree_splits_on_the_model_first(self):
        tree = self.grown(ONE_TEST)
        assert asked_by(tree)[:2] == ["model = B3", "model = A100"]
        assert tree.nodes[node_at(tree, True)].stats.mean == 4513
        assert round(tree.nodes[node_at(tree, False, True)].stats.mean) == 1574
        assert all(tree.nodes[leaf].stats.variance == 0 for leaf in tree.leaves)

    @pytest.mark.parametrize(
        ("which", "mean", "with_leslie", "without"),
        [([2, 5, 7], 1574, [1900], [1051, 1770]), ([1, 3, 6], 331, [625], [99, 270])],
        ids=["A100", "T202"],
    )
    def test_the_organs_of_one_model_are_split_on_leslie(self, which, mean, with_leslie, without):
        tree = self.grown(Grammar.parse("refine Individual { top -> leslie = yes; top -> condition = * }"), which)
        assert asked_by(tree)[0] == "leslie = yes"
        assert round(tree.nodes[0].stats.mean) == mean
        assert tree.nodes[node_at(tree, True)].stats.mean == np.mean(with_leslie)
        assert tree.nodes[node_at(tree, False)].stats.mean == np.mean(without)


# ---- rules that can be learned exactly --------------------------------------------------------------------


@pytest.mark.parametrize("name", ["acc*", "accuracy", "entropy", "gini"])
def test_three_tests_decide_whether_a_year_is_a_leap_year(name):
    """Blockeel, figure 4.1: by 4, by 100, by 400."""
    years = load_dataset("leap-years")
    tree = grow(years.population, years.target, ONE_TEST, criterion=name)
    assert [test.removeprefix("not ") for test in asked_by(tree)] == ["by_4", "by_100", "by_400"]
    assert len(years.target) == 801
    assert n_errors(tree) == 0


@pytest.mark.parametrize("name", ["acc*", "entropy", "gini"])
@pytest.mark.parametrize(("problem", "n_leaves"), [("monks-1", 5), ("monks-3", 4)])
def test_the_first_and_the_third_problem_of_the_monks_are_learned_exactly(problem, n_leaves, name):
    monks = load_dataset(problem)
    tree = grow(monks.population, monks.target, Grammar.load("flat"), criterion=name)
    assert n_errors(tree) == 0
    assert len(tree.leaves) <= n_leaves


def test_the_first_problem_of_the_monks_is_one_leaf_for_a_jacket_and_one_for_each_shape():
    """The rule says: a1 = a2, or a5 = 1."""
    monks = load_dataset("monks-1")
    tree = grow(monks.population, monks.target, Grammar.load("flat"))
    assert asked_by(tree) == ['a5 = "1"', *(f'a1 = "{v}" and a2 = "{v}"' for v in (1, 2, 3))]


@pytest.mark.parametrize("rewrite", ["a1 = its a2", "* = its *"])
def test_the_first_problem_of_the_monks_is_two_tests_where_values_are_compared(rewrite):
    """The rule says: a1 = a2, or a5 = 1."""
    monks = load_dataset("monks-1")
    tree = grow(monks.population, monks.target, Grammar.parse(f"refine Row {{ top -> {rewrite}; top -> a5 = 1 }}"))
    assert asked_by(tree) == ["a1 = its a2", 'a5 = "1"']
    assert n_errors(tree) == 0


@pytest.mark.parametrize("n_attributes", [2, 5])
def test_exclusive_or_is_learned_with_two_literals_and_not_with_one(n_attributes):
    rows = [{f"b{i}": bool(code >> i & 1) for i in range(n_attributes)} for code in range(2**n_attributes)]
    population = Population.from_records(rows)
    target = ["odd" if row["b0"] != row["b1"] else "even" for row in rows]
    assert len(grow(population, target, ONE_TEST).nodes) == 1
    tree = grow(population, target, TWO_TESTS)
    assert n_errors(tree) == 0
    assert len(tree.leaves) <= 4


def test_a_rule_about_linked_rows_is_learned_exactly():
    trains = load_dataset("planted-trains", n=200, seed=3)
    tree = grow(trains.population, trains.target, Grammar.load("trains"))
    assert n_errors(tree) == 0
    assert len(tree.leaves) == 2


# ---- scikit-learn's trees ---------------------------------------------------------------------------------


def random_table(seed):
    """Real numbers, classes that depend on some of them, and weights, so that no two splits are equal by chance.

    What is left of ties is splits into pure sides, which no measure of impurity can tell apart. The weights are
    binary fractions: sums of others are rounded, and scikit-learn then goes on to divide some nodes that are pure.
    """
    rng = np.random.default_rng(seed)
    n, m, c = int(rng.integers(40, 120)), int(rng.integers(2, 5)), int(rng.integers(2, 5))
    x = rng.normal(size=(n, m))
    scores = x @ rng.normal(size=(m, c)) + rng.normal(size=(n, c))
    return x, scores.argmax(axis=1), rng.integers(2**19, 2**21, size=n) / 2**20


def impurity(name, leaf_of, y, weights):
    """The mean impurity of the leaves, from who is in which."""
    leaves = [leaf_of == leaf for leaf in np.unique(leaf_of)]
    counts = [np.bincount(y[leaf], weights[leaf]) for leaf in leaves]
    return sum(criterion(name).unsplit(count)[0] * count.sum() for count in counts) / weights.sum()


@pytest.fixture(params=["sweeps", "table", "search", "parts"])
def growing(request):
    """All ways in which a tree of a table can grow."""
    return partial(grow_on, request.param)


def predictions(tree, population):
    best = [np.argmax(node.stats.counts) for node in tree.nodes]
    return np.array(tree.classes)[best][tree.apply(population)]


@pytest.mark.parametrize("name", ["entropy", "gini"])
@pytest.mark.parametrize("seed", range(50))
def test_a_tree_of_a_table_is_as_pure_as_scikit_learns_at_every_depth(growing, name, seed):
    x, y, weights = random_table(seed)
    population = Population.from_array(x)
    for depth in (*range(1, 7), None):
        growth = Growth(max_depth=depth, effort="prove")
        ours = growing(population, y, THRESHOLDS, growth, criterion=name, sample_weight=weights)
        theirs = DecisionTreeClassifier(criterion=name, max_depth=depth, random_state=0).fit(x, y, weights)
        expected = impurity(name, theirs.apply(x), y, weights)
        assert impurity(name, ours.apply(population), y, weights) == pytest.approx(expected, abs=1e-9)
        assert predictions(ours, population).tolist() == theirs.predict(x).tolist()
        assert len(ours.leaves) == theirs.get_n_leaves()


@pytest.mark.parametrize("name", ["entropy", "gini"])
@pytest.mark.parametrize("seed", range(10))
def test_no_split_of_a_tree_is_less_pure_than_scikit_learns_also_where_many_are_equally_good(growing, name, seed):
    x, y, _ = random_table(seed)
    x = x.round(1)
    population = Population.from_array(x)
    tree = growing(population, y, THRESHOLDS, criterion=name)
    for index, which in tree.arrivals(population):
        node = tree.nodes[index]
        if isinstance(node, Branch):
            stump = DecisionTreeClassifier(criterion=name, max_depth=1, random_state=0).fit(x[which], y[which])
            expected = impurity(name, stump.apply(x[which]), y[which], np.ones(len(which)))
            assert node.found.score == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_a_regression_tree_has_the_variance_of_scikit_learns_at_every_depth(growing, seed):
    x, _, weights = random_table(seed)
    y = x[:, 0] * x[:, 1] + np.random.default_rng(seed).normal(size=len(x))
    population = Population.from_array(x)
    for depth in (1, 2, 3, 5):
        ours = growing(population, y, THRESHOLDS, Growth(max_depth=depth, effort="prove"), sample_weight=weights)
        theirs = DecisionTreeRegressor(max_depth=depth, random_state=0).fit(x, y, weights)
        means = np.array([node.stats.mean for node in ours.nodes])
        np.testing.assert_allclose(means[ours.apply(population)], theirs.predict(x))


@pytest.mark.parametrize("options", [{"max_leaf_nodes": 6}, {"min_impurity_decrease": 0.02}, {"min_samples_leaf": 5}])
@pytest.mark.parametrize("seed", range(10))
def test_the_options_that_scikit_learn_has_too_mean_the_same(growing, options, seed):
    x, y, weights = random_table(seed)
    population = Population.from_array(x)
    ours = growing(
        population, y, THRESHOLDS, Growth(effort="prove", **options), criterion="gini", sample_weight=weights
    )
    theirs = DecisionTreeClassifier(random_state=0, **options).fit(x, y, weights)
    assert len(ours.leaves) == theirs.get_n_leaves()
    assert predictions(ours, population).tolist() == theirs.predict(x).tolist()
