"""Shared leaves and quantiles of leaves, as loops compute them."""

from __future__ import annotations

import numpy as np
import pytest

from structtree import StructuralForestClassifier, StructuralForestRegressor
from structtree.errors import UsageError
from structtree.models.neighbours import leaf_quantiles, shared_leaves


def leaves_of(rng, n, n_trees=5, n_leaves=3):
    return rng.integers(0, n_leaves, (n, n_trees)).astype(np.int32) + n_leaves * np.arange(n_trees, dtype=np.int32)


@pytest.mark.parametrize("seed", range(5))
def test_proximities_are_the_fractions_of_shared_leaves(seed):
    rng = np.random.default_rng(seed)
    some, others = leaves_of(rng, 7), leaves_of(rng, 4)
    expected = [[np.mean(a == b) for b in others] for a in some]
    assert np.allclose(shared_leaves(some, others), expected)


@pytest.mark.parametrize("seed", range(5))
def test_quantiles_weigh_the_training_individuals_in_the_same_leaves(seed):
    rng = np.random.default_rng(seed)
    training, labels = leaves_of(rng, 30), rng.integers(0, 9, 30).astype(float)
    weights, new, wanted = rng.integers(1, 4, 30).astype(float), leaves_of(rng, 6), [0.0, 0.25, 0.5, 0.9, 1.0]
    found = leaf_quantiles(new, training, labels, weights, np.array(wanted))
    for row in range(6):
        mass = np.zeros(30)
        for tree in range(5):
            inside = training[:, tree] == new[row, tree]
            if inside.any():
                mass += np.where(inside, weights, 0) / weights[inside].sum()
        order = sorted(range(30), key=lambda i: labels[i])
        for q, value in zip(wanted, found[row], strict=True):
            below = 0.0
            for i in order:
                below += mass[i]
                if below > 0 and below >= q * mass.sum() - 1e-9:
                    break
            assert value == labels[i]


def test_the_estimators_have_both():
    rng = np.random.default_rng(0)
    cells = rng.normal(size=(120, 3))
    forest = StructuralForestRegressor(n_estimators=20, min_samples_leaf=5).fit(cells, cells[:, 0])
    low, middle, high = forest.predict_quantiles(cells).T
    assert (low <= middle).all() and (middle <= high).all()
    assert np.mean((low <= cells[:, 0]) & (cells[:, 0] <= high)) > 0.8
    near = forest.proximities(cells)
    assert np.array_equal(near, near.T) and (near.diagonal() == 1).all()
    with pytest.raises(UsageError, match="quantiles must be"):
        forest.predict_quantiles(cells, [2])


def test_attributes_out_of_bag_need_samples():
    cells = np.arange(20.0)[:, None]
    forest = StructuralForestClassifier(n_estimators=5, bootstrap=False).fit(cells, cells[:, 0] > 9)
    with pytest.raises(AttributeError, match="bootstrap=True"):
        _ = forest.oob_score_
