"""Contributions of tests to ensembles: they equal the definition of Shapley values, and add up to the margins."""

from __future__ import annotations

from itertools import combinations
from math import factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from structtree import Population, StructuralForestRegressor, StructuralTreeClassifier, contributions
from structtree.errors import UsageError
from structtree.models.ensemble import EnsembleTrees
from structtree.models.importance import mentioned
from structtree.models.ladders import ladder_ranks
from structtree.models.model import Model
from structtree.models.shapley import ShapleyTrees
from structtree.search.kernels.descending import no_children
from tests.models.test_ensemble import forest
from tests.splitters.test_sweep import people


def random_tree(rng, n_ladders, depth, n_outputs):
    """A tree whose paths ask the same ladder several times, with its outputs and covers."""
    ladders, steps = [], []

    def grow(left):
        if left == 0 or (left < depth and rng.random() < 0.2):
            ladders.append(-1)
            steps.append(0)
            return
        ladders.append(int(rng.integers(n_ladders)))
        steps.append(int(rng.integers(3)))
        grow(left - 1)
        grow(left - 1)

    grow(depth)
    asked = np.array(ladders, dtype=np.int32)
    n_leaves = int((asked < 0).sum())
    figures = rng.normal(size=(n_leaves, n_outputs)) * 100
    no = no_children(asked)
    tree = EnsembleTrees(asked, np.array(steps, dtype=np.int32), no, np.zeros(1, dtype=np.int32), figures)
    return tree, rng.integers(1, 50, n_leaves).astype(float)


def expectation(trees, covers, row, known, node):
    """The mean output below a node if only some ladders are known, and the weight of the node."""
    ladder = int(trees.ladders[node])
    if ladder < 0:
        leaf = trees.no[node]
        return trees.figures[leaf], covers[leaf]
    (yes, yes_weight), (no, no_weight) = (
        expectation(trees, covers, row, known, child) for child in (node + 1, int(trees.no[node]))
    )
    weight = yes_weight + no_weight
    if ladder in known:
        return (yes if row[ladder] > trees.steps[node] else no), weight
    return (yes * yes_weight + no * no_weight) / weight, weight


def value(trees, covers, row, known):
    """The margins if only some ladders are known."""
    return sum(expectation(trees, covers, row, known, int(root))[0] for root in trees.roots)


def shapley_by_definition(trees, covers, row, n_ladders):
    """A weighted sum over all subsets of the other ladders, for each ladder."""
    values = {
        known: value(trees, covers, row, known)
        for size in range(n_ladders + 1)
        for known in combinations(range(n_ladders), size)
    }
    found = np.zeros((n_ladders, trees.figures.shape[1]))
    for ladder in range(n_ladders):
        for known in values:
            if ladder not in known:
                n = len(known)
                weight = factorial(n) * factorial(n_ladders - n - 1) / factorial(n_ladders)
                found[ladder] += weight * (values[tuple(sorted((*known, ladder)))] - values[known])
    return found


def joined(parts):
    return EnsembleTrees.joined([tree for tree, _ in parts]), np.concatenate([covers for _, covers in parts])


@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(0, 5), st.integers(1, 3))
def test_contributions_equal_the_sum_over_all_subsets(seed, n_ladders, depth, n_outputs):
    rng = np.random.default_rng(seed)
    trees, covers = joined([random_tree(rng, n_ladders, depth, n_outputs) for _ in range(2)])
    ranks = rng.integers(0, 4, (3, n_ladders)).astype(np.uint16)
    prepared = ShapleyTrees.of(trees, trees.figures, covers)
    found = prepared.values(ranks, trees.ladders.astype(np.int64), n_ladders)
    assert np.allclose(prepared.expected, value(trees, covers, ranks[0], ()), rtol=0, atol=1e-9)
    for row, mine in zip(ranks, found, strict=True):
        assert np.allclose(mine, shapley_by_definition(trees, covers, row, n_ladders), rtol=0, atol=1e-9)


def test_a_long_path_is_added_up_without_loss():
    # A chain of 300 different ladders whose branches all have tiny shares.
    n = 300
    ladders = np.array([each for ladder in range(n) for each in (ladder, -1)] + [-1], dtype=np.int32)
    # In reading order, the yes child of each branch is a leaf, and the no child the next branch.
    rng = np.random.default_rng(0)
    figures = rng.normal(size=(n + 1, 1))
    trees = EnsembleTrees(ladders, np.zeros_like(ladders), no_children(ladders), np.zeros(1, dtype=np.int32), figures)
    ranks = np.zeros((1, n), dtype=np.uint16)
    prepared = ShapleyTrees.of(trees, figures, np.geomspace(1e9, 1.0, n + 1))
    found = prepared.values(ranks, ladders.astype(np.int64), n)
    assert prepared.expected + found.sum() == pytest.approx(figures[-1], abs=1e-9)


@pytest.mark.parametrize("criterion", ["gini", "mse"])
def test_contributions_and_the_expected_value_add_up_to_the_margins(criterion):
    made, population = forest(criterion, n_trees=20)
    others = people(40, 9, gaps=0.2)
    for some in (population, others):
        found = contributions(Model(made), some)
        margins = made.margins(made.leaves(some))
        scale = np.abs(margins).max()
        assert np.abs(found.margins - margins).max() <= 1e-9 * scale
        assert np.abs(found.expected + sum(found.by_feature().values()) - margins).max() <= 1e-9 * scale
        assert set(found.by_feature()) == {path for test in made.tests for path in mentioned(test)}


def test_the_shap_package_agrees():
    shap = pytest.importorskip("shap")
    rng = np.random.default_rng(3)
    parts = [random_tree(rng, 5, 4, 1) for _ in range(4)]
    trees, covers = joined(parts)
    ranks = rng.integers(0, 4, (20, 5)).astype(np.uint16)
    theirs = shap.TreeExplainer(
        {"trees": [as_shap(*part) for part in parts]}, feature_perturbation="tree_path_dependent"
    )
    prepared = ShapleyTrees.of(trees, trees.figures, covers)
    mine = prepared.values(ranks, trees.ladders.astype(np.int64), 5)[:, :, 0]
    assert np.allclose(mine, theirs.shap_values(ranks.astype(float)), rtol=0, atol=1e-4)  # shap has single precision


def as_shap(tree, covers):
    """A tree as the arrays of shap, in which the left child has the values up to the threshold."""
    is_leaf, nodes = tree.ladders < 0, np.arange(len(tree.ladders))
    weights, values = np.zeros(len(nodes)), np.zeros(len(nodes))
    for node in nodes[::-1]:
        if is_leaf[node]:
            weights[node], values[node] = covers[tree.no[node]], tree.figures[tree.no[node], 0]
        else:
            children = [node + 1, tree.no[node]]
            weights[node] = weights[children].sum()
            values[node] = weights[children] @ values[children] / weights[node]
    return {
        "children_left": np.where(is_leaf, -1, tree.no),
        "children_right": np.where(is_leaf, -1, nodes + 1),
        "children_default": np.where(is_leaf, -1, tree.no),
        "features": np.where(is_leaf, -2, tree.ladders),
        "thresholds": tree.steps.astype(float),
        "values": values[:, None],
        "node_sample_weight": weights,
    }


def test_an_attribute_without_influence_contributes_little():
    rng = np.random.default_rng(1)
    data = Population.from_array(rng.normal(size=(300, 2)), ["x", "noise"])
    model = StructuralForestRegressor(n_estimators=30, max_features="all").fit(data, 10.0 * data.column("x").values)
    found = contributions(model, data).by_feature()
    assert list(found) == ["x", "noise"]
    assert np.abs(found["noise"]).mean() < 0.05 * np.abs(found["x"]).mean()


def test_the_trees_of_a_ladder_add_up_to_it():
    made, population = forest("gini")
    ranks = ladder_ranks(made.ladders, population)
    whole = made.contributions(population)
    singles = [
        ShapleyTrees.of(made.trees.tree(place), made.outputs[leaves], made.covers[leaves]).values(
            ranks, made.trees.tree(place).ladders.astype(np.int64), len(made.ladders)
        )
        for place in range(len(made.trees))
        for leaves in [leaves_of(made.trees, place)]
    ]
    assert np.allclose(whole, sum(singles), rtol=0, atol=1e-12)


def leaves_of(trees, place):
    last = trees.roots[place + 1] if place + 1 < len(trees) else len(trees.ladders)
    own = slice(int(trees.roots[place]), int(last))
    return trees.no[own][trees.ladders[own] < 0]


def test_a_tree_has_no_contributions():
    tree = StructuralTreeClassifier().fit([[1.0], [2.0]], ["a", "b"])
    with pytest.raises(UsageError, match="contributions are for ensembles; got a model with a tree"):
        contributions(tree, [[1.0]])
