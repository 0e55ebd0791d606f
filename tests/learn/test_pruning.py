"""Every pruning is the smallest best one of all, found by trying; the path is CART's, and scikit-learn's."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from structtree.data.datasets.catalog import load_dataset
from structtree.data.population import Population
from structtree.errors import DataError, UnknownNameError, UsageError
from structtree.lang.grammar import Grammar
from structtree.lang.parse import parse_predicate
from structtree.learn.growing import grow
from structtree.learn.pruning import (
    choose_alpha,
    cost_complexity,
    losses_along,
    merge_equal_leaves,
    pessimistic,
    pruning_path,
    reduced_error,
)
from structtree.models.leaves import Decision, decisions, means, operating_points, probabilities
from structtree.models.tree import Branch, ClassCounts, Found, Leaf, Moments, Tree, subtree
from tests.models.random_trees import (
    FOUND,
    arriving,
    class_trees,
    count_leaves,
    counts,
    number_trees,
    numbers,
    prunings,
    sketches,
    three_class_trees,
    tree_of,
)

trees = st.one_of(class_trees, three_class_trees, number_trees)
alphas = st.sampled_from([0.0, 0.01, 0.04, 0.1, 0.21, 0.5, 1.3, 10.0])


def training_risk(tree, node):
    """The share of all weight that a node as a leaf gets wrong, or its part of the variance."""
    stats, weight = tree.nodes[node].stats, tree.nodes[0].stats.weight
    if isinstance(stats, Moments):
        return stats.weight * stats.variance / weight
    return (stats.weight - max(stats.counts)) / weight


def smallest_best(tree, cost_of_leaf):
    """The branches of the pruning with the least sum of costs, by trying all; of equal ones that with fewest."""
    found = [(sum(cost_of_leaf(leaf) for leaf in leaves), kept) for kept, leaves in prunings(tree)]
    least = min(cost for cost, _ in found)
    return min((kept for cost, kept in found if cost <= least + 1e-9), key=len)


def shape(tree):
    """What two trees must share to be the same."""
    return [(type(node), node.stats, node.children) for node in tree.nodes]


def weakest_links(tree):
    """CART's procedure word for word: collapse the branches of least gain per leaf, again and again."""
    current, alpha, rows = tree, 0.0, []
    while True:
        links = {}
        for branch in current.branches:
            ends = leaves_below(current, branch)
            gain = training_risk(current, branch) - sum(training_risk(current, end) for end in ends)
            links[branch] = max(0.0, gain / (len(ends) - 1))
        if not links or min(links.values()) > alpha + 1e-12:
            rows.append((alpha, sum(training_risk(current, end) for end in current.leaves), len(current.leaves)))
            if not links:
                return rows
            alpha = min(links.values())
        weak = {branch for branch, link in links.items() if link <= alpha + 1e-12}
        current = subtree(current, frozenset(links) - weak)


def leaves_below(tree, node):
    children = tree.nodes[node].children
    return [end for child in children for end in leaves_below(tree, child)] if children else [node]


# ---- cost-complexity ------------------------------------------------------------------------------------


@given(trees, alphas)
def test_cost_complexity_is_the_smallest_best_of_all_prunings(tree, alpha):
    expected = smallest_best(tree, lambda leaf: training_risk(tree, leaf) + alpha)
    assert shape(cost_complexity(tree, alpha)) == shape(subtree(tree, expected))


@given(trees)
def test_the_path_is_what_collapsing_the_weakest_links_gives(tree):
    path = pruning_path(tree)
    expected = weakest_links(tree)
    assert path.n_leaves.tolist() == [row[2] for row in expected]
    assert path.alphas == pytest.approx([row[0] for row in expected])
    assert path.risks == pytest.approx([row[1] for row in expected], abs=1e-12)


@given(trees)
def test_the_path_ascends_from_nothing_lost_to_the_root_alone_through_nested_trees(tree):
    path = pruning_path(tree)
    assert path.alphas[0] == 0.0 and (np.diff(path.alphas) > 0).all()
    assert (np.diff(path.n_leaves) < 0).all() and path.n_leaves[-1] == 1
    assert path.risks[0] == pytest.approx(sum(training_risk(tree, leaf) for leaf in tree.leaves), abs=1e-12)
    for step, (before, after) in enumerate(pairwise(path.kept(step) for step in range(len(path)))):
        assert after < before
        assert len(subtree(tree, before).leaves) == path.n_leaves[step]


@given(trees)
def test_pruning_for_an_alpha_of_the_path_gives_the_tree_of_that_step(tree):
    path = pruning_path(tree)
    for step, alpha in enumerate(path.alphas):
        pruned = cost_complexity(tree, alpha)
        assert len(pruned.leaves) == path.n_leaves[step]
        assert sum(training_risk(pruned, leaf) for leaf in pruned.leaves) == pytest.approx(
            path.risks[step], abs=1e-12
        )


@given(class_trees, alphas, st.tuples(st.integers(0, 4), st.integers(0, 4)))
def test_costs_of_errors_enter_the_risk(tree, alpha, costs):
    decision = Decision(costs=((0, costs[0]), (costs[1], 0)))
    weight = tree.nodes[0].stats.weight

    def cost(leaf):
        no, yes = tree.nodes[leaf].stats.counts
        return min(no * costs[0], yes * costs[1]) / weight + alpha

    assert shape(cost_complexity(tree, alpha, decision=decision)) == shape(subtree(tree, smallest_best(tree, cost)))


def test_a_tree_that_says_one_class_everywhere_is_a_leaf_at_alpha_zero():
    # Blockeel's example 4.6: 10 positives and 90 negatives, and every test lowers the entropy.
    tree = tree_of((((counts(10, 25), counts(0, 15)), counts(0, 20)), counts(0, 30)))
    assert len(cost_complexity(tree, 0.0).nodes) == 1
    assert len(cost_complexity(tree, 0.0, risk="entropy").leaves) == 4


def test_all_equally_weak_links_go_at_once():
    pair = (counts(1, 0), counts(0, 1))
    path = pruning_path(tree_of(((pair, pair), (pair, pair))))
    assert path.alphas.tolist() == [0.0, 0.5 / 7]
    assert path.n_leaves.tolist() == [8, 1]


def test_weights_of_another_scale_change_nothing():
    sketch = ((counts(3, 1), counts(0, 2)), (counts(5, 0), (counts(1, 2), counts(2, 1))))

    def scaled(part):
        return tuple(map(scaled, part)) if isinstance(part, tuple) else counts(*(0.1 * count for count in part.of))

    ours, theirs = pruning_path(tree_of(sketch)), pruning_path(tree_of(scaled(sketch)))
    assert ours.alphas == pytest.approx(theirs.alphas) and ours.gone.tolist() == theirs.gone.tolist()


def test_the_path_of_two_thousand_leaves_can_be_cut_anywhere_also_when_they_hang_in_a_chain():
    rng = np.random.default_rng(0)
    seen = rng.integers(0, 9, size=(2000, 2))
    seen[:, 0] += 1
    balanced = [counts(*row) for row in seen]
    while len(balanced) > 1:
        balanced = [*zip(balanced[::2], balanced[1::2], strict=False), *(balanced[-1:] if len(balanced) % 2 else ())]
    for tree in (tree_of(balanced[0]), deep_tree(seen)):
        path = pruning_path(tree)
        for place in (1, len(path) // 2, len(path) - 2):
            assert len(cost_complexity(tree, path.alphas[place]).leaves) == path.n_leaves[place]


def deep_tree(seen):
    """A chain whose nodes are made without recursion: each branch has a leaf and the rest."""
    rest = np.cumsum(seen[::-1], axis=0)[::-1]
    nodes = []
    for i in range(len(seen) - 1):
        stats = ClassCounts(int(rest[i].sum()), tuple(rest[i].astype(float).tolist()))
        nodes.append(Branch(parse_predicate("x <= 0"), 2 * i + 1, 2 * i + 2, stats, FOUND))
        nodes.append(Leaf(ClassCounts(int(seen[i].sum()), tuple(seen[i].astype(float).tolist()))))
    nodes.append(Leaf(ClassCounts(int(seen[-1].sum()), tuple(seen[-1].astype(float).tolist()))))
    return Tree(tuple(nodes), arriving([0]).schema, ("no", "yes"))


# ---- scikit-learn as the scorer --------------------------------------------------------------------------


def converted(fitted, classes=()):
    """A fitted tree of scikit-learn as ours: its nodes are in the same order, the true side first."""
    inner = fitted.tree_
    schema = Population.from_array(np.zeros((1, inner.n_features))).schema
    names = schema.type("Row").members

    def stats(i):
        n, weight = int(inner.n_node_samples[i]), float(inner.weighted_n_node_samples[i])
        if classes:
            return ClassCounts(n, tuple((inner.value[i, 0] * weight).tolist()))
        return Moments(n, weight, float(inner.value[i, 0, 0]), float(inner.impurity[i]))

    def node(i):
        yes, no = int(inner.children_left[i]), int(inner.children_right[i])
        if yes < 0:
            return Leaf(stats(i))
        test = parse_predicate(f"{names[inner.feature[i]]} <= {inner.threshold[i]}")
        return Branch(test, yes, no, stats(i), Found("mse", 0.0, 0.0, True, 0.0, 1, 0.0))

    return Tree(tuple(map(node, range(inner.node_count))), schema, classes)


def assert_same_path(ours, theirs):
    """Theirs repeats alphas that are equal; the last of each is the tree with all of them collapsed."""
    last = np.append(np.diff(theirs.ccp_alphas) > 1e-9, True)
    assert ours.alphas == pytest.approx(theirs.ccp_alphas[last], abs=1e-9)
    assert ours.risks == pytest.approx(theirs.impurities[last], abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_the_path_for_numbers_is_that_of_scikit_learn(seed):
    from sklearn.tree import DecisionTreeRegressor

    rng = np.random.default_rng(seed)
    x, weights = rng.normal(size=(120, 3)), rng.uniform(0.5, 2.0, size=120)
    y = np.where(x[:, 0] > 0, 3.0, -1.0) + rng.normal(size=120)
    model = DecisionTreeRegressor(random_state=0)
    theirs = model.cost_complexity_pruning_path(x, y, weights)
    tree = converted(model.fit(x, y, weights))
    assert_same_path(pruning_path(tree), theirs)
    for alpha in (theirs.ccp_alphas[1:] + theirs.ccp_alphas[:-1])[::10] / 2:
        pruned = DecisionTreeRegressor(random_state=0, ccp_alpha=alpha).fit(x, y, weights)
        assert len(cost_complexity(tree, alpha).leaves) == pruned.get_n_leaves()


@pytest.mark.parametrize("risk", ["gini", "entropy"])
def test_the_path_for_an_impurity_is_that_of_scikit_learn(risk):
    from sklearn.tree import DecisionTreeClassifier

    rng = np.random.default_rng(1)
    x = rng.normal(size=(150, 3))
    y = np.where(rng.random(150) < 0.2, rng.integers(0, 3, 150), np.digitize(x[:, 0], [-0.5, 0.5]))
    model = DecisionTreeClassifier(criterion=risk, random_state=0)
    theirs = model.cost_complexity_pruning_path(x, y)
    tree = converted(model.fit(x, y), (0, 1, 2))
    assert_same_path(pruning_path(tree, risk), theirs)
    for alpha in (theirs.ccp_alphas[1:] + theirs.ccp_alphas[:-1])[::5] / 2:
        pruned = DecisionTreeClassifier(criterion=risk, random_state=0, ccp_alpha=alpha).fit(x, y)
        assert len(cost_complexity(tree, alpha, risk).leaves) == pruned.get_n_leaves()


# ---- choosing alpha -------------------------------------------------------------------------------------


def noisy(seed=0, n=120, noise=0.15, as_numbers=False):
    """Two whole numbers, and a label that depends on one of them; often wrong."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 40, size=(n, 2)).astype(float)
    if as_numbers:
        return x, np.where(x[:, 0] >= 20, 3.0, 0.0) + rng.normal(size=n)
    return x, ((x[:, 0] >= 20) ^ (rng.random(n) < noise)).astype(int)


def grower(x, y, weights=None, trains=None):
    """Trees of scikit-learn on some of the individuals; notes which."""
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    def grow_fold(train):
        if trains is not None:
            trains.append(train)
        given = None if weights is None else weights[train]
        if y.dtype.kind == "f":
            return converted(DecisionTreeRegressor(random_state=0).fit(x[train], y[train], given))
        return converted(DecisionTreeClassifier(random_state=0).fit(x[train], y[train], given), (0, 1))

    return grow_fold


def losses_of(tree, x, y):
    """What a tree gets wrong of each individual."""
    leaf_of = tree.apply(Population.from_array(x))
    if tree.classes:
        return (decisions(tree)[leaf_of] != y).astype(float)
    return (means(tree)[leaf_of] - y) ** 2


@pytest.mark.parametrize("standard_errors", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("as_numbers", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_the_chosen_alpha_is_that_of_the_plain_procedure(standard_errors, as_numbers, seed):
    x, y = noisy(seed, n=60, as_numbers=as_numbers)
    weights = np.random.default_rng(seed).integers(1, 4, size=len(y)).astype(float)
    trains = []
    tree = grower(x, y, weights)(np.arange(len(y)))
    options = {"seed": seed, "standard_errors": standard_errors, "sample_weight": weights}
    chosen = choose_alpha(grower(x, y, weights, trains), tree, Population.from_array(x), y, **options)

    path = pruning_path(tree)
    losses = np.zeros((len(path), len(y)))
    for train in trains:
        grown, out = grower(x, y, weights)(train), np.setdiff1d(np.arange(len(y)), train)
        for step in range(len(path)):
            last = step == len(path) - 1
            middle = 1e9 if last else np.sqrt(path.alphas[step] * path.alphas[step + 1])
            losses[step, out] = losses_of(cost_complexity(grown, middle), x[out], y[out])
    mean = np.average(losses, axis=1, weights=weights)
    best = mean.argmin()
    error = standard_errors * np.sqrt(np.average((losses[best] - mean[best]) ** 2, weights=weights) / len(y))
    step = np.flatnonzero(mean <= mean[best] + error + 1e-9)[-1]
    assert (chosen.alpha, chosen.loss) == (path.alphas[step], pytest.approx(mean[step]))
    assert chosen.losses == pytest.approx(mean)
    here = losses_along(tree, path, Population.from_array(x), y)
    assert here == pytest.approx([losses_of(cost_complexity(tree, alpha), x, y).mean() for alpha in path.alphas])


def test_every_individual_is_held_out_once_and_classes_are_spread_evenly():
    x, y = noisy(n=103)
    trains = []
    tree = grower(x, y)(np.arange(103))
    choose_alpha(grower(x, y, trains=trains), tree, Population.from_array(x), y, folds=4)
    outs = [np.setdiff1d(np.arange(103), train) for train in trains]
    assert sorted(np.concatenate(outs).tolist()) == list(range(103))
    assert np.ptp([len(out) for out in outs]) <= 1
    assert np.ptp([y[out].sum() for out in outs]) <= 1


def test_the_folds_depend_on_the_seed_and_on_nothing_else():
    x, y = noisy()
    runs = {seed: [[], []] for seed in (0, 1)}
    tree = grower(x, y)(np.arange(len(y)))
    for seed, (first, second) in runs.items():
        for trains in (first, second):
            choose_alpha(grower(x, y, trains=trains), tree, Population.from_array(x), y, seed=seed)
        assert all((a == b).all() for a, b in zip(first, second, strict=True))
    assert any(len(a) != len(b) or (a != b).any() for a, b in zip(runs[0][0], runs[1][0], strict=True))


@pytest.mark.parametrize("as_numbers", [False, True])
def test_noise_is_pruned_away_and_one_standard_error_prunes_no_less(as_numbers):
    x, y = noisy(n=300, as_numbers=as_numbers)
    tree = grower(x, y)(np.arange(300))
    least, within = (
        choose_alpha(grower(x, y), tree, Population.from_array(x), y, standard_errors=errors).alpha
        for errors in (0.0, 1.0)
    )
    assert len(tree.leaves) > 50 and within >= least > 0
    assert len(cost_complexity(tree, within).leaves) == 2


@pytest.mark.parametrize("rounds", [1, 3, 9])
def test_some_folds_may_stay_in_and_beyond_all_of_them_they_are_shuffled_again(rounds):
    x, y = noisy(n=103)
    trains = []
    tree = grower(x, y)(np.arange(103))
    choose_alpha(grower(x, y, trains=trains), tree, Population.from_array(x), y, folds=4, rounds=rounds)
    outs = [frozenset(np.setdiff1d(np.arange(103), train).tolist()) for train in trains]
    assert len(outs) == len(set(outs)) == rounds
    for start in range(0, rounds - 3, 4):
        assert sorted(i for out in outs[start : start + 4] for i in out) == list(range(103))


def test_a_pruning_has_at_most_the_leaves_that_are_allowed():
    x, y = noisy(n=300, noise=0.0)
    y = y ^ (x[:, 1] >= 10)
    tree = grower(x, y)(np.arange(300))
    found = choose_alpha(grower(x, y), tree, Population.from_array(x), y, max_leaf_nodes=2)
    assert len(tree.leaves) >= 4 and len(cost_complexity(tree, found.alpha).leaves) <= 2


# ---- reduced error --------------------------------------------------------------------------------------


@st.composite
def held_out(draw, trees, labels):
    """A tree, and individuals that end up in its leaves, or in none of some."""
    tree = draw(trees)
    rows = st.tuples(st.integers(0, len(tree.leaves) - 1), labels, st.integers(1, 3))
    leaves, target, weights = zip(*draw(st.lists(rows, min_size=1, max_size=10)), strict=True)
    return tree, np.array(leaves), np.array(target), np.array(weights, dtype=float)


def costs_of_held_out(tree, leaves, loss, weights):
    """A function from a node to the cost of what it says of those that come by; leaves are walked to one by one."""
    population = arriving(leaves)
    comes_by = {node: set(which.tolist()) for node, which in tree.arrivals(population)}
    return lambda node: sum(loss(node, i) * weights[i] for i in comes_by[node])


@given(held_out(class_trees, st.sampled_from(["no", "yes"])), st.sampled_from([None, ((0, 1), (3, 0))]))
def test_reduced_error_is_the_smallest_best_pruning_on_what_was_held_out(case, costs):
    tree, leaves, target, weights = case
    decision = Decision("laplace", costs=costs)
    said = decisions(tree, decision)
    of = np.array(costs or ((0, 1), (1, 0)))
    cost = costs_of_held_out(tree, leaves, lambda node, i: of[tree.classes.index(target[i]), said[node]], weights)
    pruned = reduced_error(tree, arriving(leaves), target, weights, decision)
    assert shape(pruned) == shape(subtree(tree, smallest_best(tree, cost)))


@given(held_out(number_trees, st.integers(-4, 4).map(float)))
def test_reduced_error_of_numbers_is_the_smallest_best_pruning_too(case):
    tree, leaves, target, weights = case
    cost = costs_of_held_out(tree, leaves, lambda node, i: (means(tree)[node] - target[i]) ** 2, weights)
    pruned = reduced_error(tree, arriving(leaves), target, weights)
    assert shape(pruned) == shape(subtree(tree, smallest_best(tree, cost)))


def test_a_branch_that_nobody_held_out_comes_by_becomes_a_leaf():
    tree = tree_of(((counts(9, 0), counts(0, 9)), (counts(9, 1), counts(1, 19))))
    pruned = reduced_error(tree, arriving([2, 2, 3, 3]), ["no", "no", "yes", "yes"])
    assert pruned.depths == (0, 1, 1, 2, 2)


# ---- pessimistic ----------------------------------------------------------------------------------------


def probability_of_so_few(errors, n, rate):
    from math import comb

    return sum(comb(n, k) * rate**k * (1 - rate) ** (n - k) for k in range(errors + 1))


def upper_limit(errors, n, confidence):
    """By halving: the rate at which so few errors have the probability ``confidence``."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if probability_of_so_few(errors, n, middle) > confidence else (low, middle)
    return high


@given(st.one_of(class_trees, three_class_trees), st.sampled_from([0.05, 0.25, 0.6]))
def test_pessimistic_pruning_is_the_smallest_best_by_upper_limits(tree, confidence):
    def cost(node):
        seen = tree.nodes[node].stats
        return seen.n * upper_limit(seen.n - int(max(seen.counts)), seen.n, confidence)

    assert shape(pessimistic(tree, confidence)) == shape(subtree(tree, smallest_best(tree, cost)))


def test_quinlans_example_is_pruned():
    # C4.5 (1993), chapter 4: of 6, 9 and 1 without an error it expects 3.273 errors, of 16 with one error 2.512; the
    # exact limit is 2.554.
    leaves = [n * upper_limit(0, n, 0.25) for n in (6, 9, 1)]
    assert leaves == pytest.approx([6 * 0.206, 9 * 0.143, 0.750], abs=0.005)
    assert sum(leaves) == pytest.approx(3.273, abs=0.005)
    assert 16 * upper_limit(1, 16, 0.25) == pytest.approx(2.554, abs=0.001)
    assert len(pessimistic(tree_of(((counts(6, 0), counts(0, 1)), counts(9, 0)))).nodes) == 1


def test_a_real_regularity_survives_pessimistic_pruning_and_a_lower_confidence_prunes_more():
    tree = tree_of(((counts(40, 5), counts(1, 2)), counts(2, 40)))
    assert len(pessimistic(tree).leaves) == 3
    assert len(pessimistic(tree, 0.05).leaves) == 2


def test_pessimistic_pruning_does_not_depend_on_the_scale_of_the_weights():
    def weighted(factor):
        seen = [(counts(40, 1), 41), (counts(1, 4), 5), (counts(2, 40), 42)]
        leaves = [Leaf(ClassCounts(n, tuple(factor * c for c in of.of))) for of, n in seen]
        upper = Branch(FOUND_TEST, 2, 3, ClassCounts(46, (factor * 41, factor * 5)), FOUND)
        root = Branch(FOUND_TEST, 1, 4, ClassCounts(88, (factor * 43, factor * 45)), FOUND)
        return Tree((root, upper, *leaves), arriving([0]).schema, ("no", "yes"))

    assert len({len(pessimistic(weighted(factor)).leaves) for factor in (0.001, 1.0, 50.0)}) == 1


FOUND_TEST = parse_predicate("x <= 0")


# ---- equal leaves ---------------------------------------------------------------------------------------


def test_flachs_right_split_is_not_needed_where_misses_cost_twenty_times_as_much():
    tree = tree_of(((counts(10, 29), counts(25, 1)), (counts(3, 15), counts(62, 5))), ("-", "+"))
    merged = merge_equal_leaves(tree, Decision(costs=((0, 1), (20, 0))))
    assert [merged.nodes[leaf].stats.counts for leaf in merged.leaves] == [(10, 29), (25, 1), (65, 20)]

    def area(tree):
        points = operating_points(tree)
        return np.trapezoid([p.true_positive_rate for p in points], [p.false_positive_rate for p in points])

    assert area(merged) < area(tree)


@given(
    sketches(count_leaves()),
    st.sampled_from(["frequency", "laplace", "m-estimate", "m-branch"]),
    st.sampled_from([None, ((0, 1), (3, 0)), ((0, 2.5), (1, 0))]),
)
def test_merging_equal_leaves_changes_no_decision_and_leaves_nothing_to_merge(sketch, estimate, costs):
    tree, decision = tree_of(sketch), Decision(estimate, costs=costs)
    merged = merge_equal_leaves(tree, decision)
    everybody = arriving(range(len(tree.leaves)))
    before, after = decisions(tree, decision), decisions(merged, decision)
    assert before[tree.apply(everybody)].tolist() == after[merged.apply(everybody)].tolist()
    for branch in merged.branches:
        assert len({after[branch], *(after[leaf] for leaf in leaves_below(merged, branch))}) > 1


# ---- on a tree that was grown ---------------------------------------------------------------------------


def test_every_method_finds_the_third_monks_four_leaves_under_wrong_labels():
    monks, flat = load_dataset("monks-3"), Grammar.load("flat")
    people, noisy = monks.population, monks.target.copy()
    noisy[::10] = np.where(noisy[::10] == "1", "0", "1")
    out = np.arange(len(noisy)) % 3 == 1
    tree, part = grow(people, noisy, flat), grow(people.take(~out), noisy[~out], flat)
    alpha = choose_alpha(
        lambda train: grow(people.take(train), noisy[train], flat, classes=tree.classes), tree, people, noisy
    ).alpha
    pruned_by = [
        cost_complexity(tree, alpha),
        reduced_error(part, people.take(out), noisy[out]),
        pessimistic(tree),
    ]
    assert min(len(tree.leaves), len(part.leaves)) > 50
    for pruned in pruned_by:
        assert len(pruned.leaves) == 4
        said = np.array(pruned.classes)[decisions(pruned)][pruned.apply(people)]
        assert said.tolist() == monks.target.tolist()


# ---- what all have in common ----------------------------------------------------------------------------


@given(class_trees)
def test_a_pruned_tree_is_new_and_keeps_what_was_seen_at_its_nodes(tree):
    before = shape(tree)
    for pruned in (cost_complexity(tree, 0.1), pessimistic(tree), merge_equal_leaves(tree)):
        assert pruned.nodes[0].stats == tree.nodes[0].stats
        assert probabilities(pruned)[0] == pytest.approx(probabilities(tree)[0])
        assert pruned.classes == tree.classes and pruned.schema == tree.schema
        assert isinstance(pruned.nodes[-1], Leaf)
    assert shape(tree) == before


@pytest.mark.parametrize("prune", [lambda t: cost_complexity(t, 0.1), pessimistic, merge_equal_leaves])
def test_a_leaf_stays_a_leaf(prune):
    assert len(prune(tree_of(counts(3, 1))).nodes) == 1


def test_deep_trees_are_no_problem():
    seen = np.tile([[3, 1], [0, 2]], (1500, 1))
    tree = deep_tree(seen)
    for pruned in (cost_complexity(tree, 1.0), pessimistic(tree, 0.01), merge_equal_leaves(tree)):
        assert len(pruned.nodes) <= len(tree.nodes)


# ---- mistakes -------------------------------------------------------------------------------------------

OF_CLASSES, OF_NUMBERS = tree_of((counts(3, 1), counts(0, 2))), tree_of((numbers(3, 1), numbers(0)))
DATA = arriving([0, 1, 1])


@pytest.mark.parametrize(
    ("prune", "error", "sentence"),
    [
        (lambda: cost_complexity(OF_CLASSES, -0.1), UsageError, "alpha must be a number >= 0; got -0.1"),
        (lambda: cost_complexity(OF_CLASSES, float("nan")), UsageError, "alpha must be a number >= 0; got nan"),
        (lambda: pruning_path(OF_CLASSES, "ginni"), UnknownNameError, "did you mean 'gini'"),
        (lambda: pruning_path(OF_CLASSES, "mse"), UsageError, "risk 'mse' is not available for classes"),
        (lambda: pruning_path(OF_NUMBERS, "gini"), UsageError, "risk 'gini' is not available for numbers"),
        (lambda: pessimistic(OF_CLASSES, 1.0), UsageError, "confidence must be a number between 0 and 1; got 1.0"),
        (lambda: pessimistic(OF_NUMBERS), UsageError, "for numbers by cost-complexity or reduced error"),
        (
            lambda: reduced_error(OF_CLASSES, arriving([]), []),
            DataError,
            "reduced-error pruning needs at least one held-out individual; got none",
        ),
        (lambda: reduced_error(OF_CLASSES, DATA, ["no"]), DataError, "expected 3 labels"),
        (
            lambda: reduced_error(OF_CLASSES, DATA, ["no", "yes", "maybe"]),
            DataError,
            "'maybe' is not one of the classes",
        ),
        (lambda: reduced_error(OF_NUMBERS, DATA, ["a", "b", "c"]), DataError, "needs numbers as targets"),
        (lambda: reduced_error(OF_NUMBERS, DATA, [1.0, 2.0, 3.0], [1.0]), DataError, "expected 3 sample weights"),
        (lambda: chosen(folds=1), UsageError, "folds must be an int from 2 to the number of individuals, which is 3"),
        (lambda: chosen(folds=4), UsageError, "got 4"),
        (lambda: chosen(folds=2, risk="most"), UnknownNameError, "unknown risk 'most'"),
        (
            lambda: chosen(folds=2, classes=("yes", "no")),
            UsageError,
            "classes to the function that grows it",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_sentence(prune, error, sentence):
    with pytest.raises(error, match=sentence):
        prune()


def chosen(classes=("no", "yes"), **options):
    other = tree_of((counts(3, 1), counts(0, 2)), classes)
    return choose_alpha(lambda train: other, OF_CLASSES, DATA, ["no", "yes", "yes"], **options)
