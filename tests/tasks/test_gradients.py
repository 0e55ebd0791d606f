"""Losses of margins: gradients and Hessians are derivatives, first margins are best, and quantiles are quantiles."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from sklearn.metrics import log_loss, mean_pinball_loss, mean_poisson_deviance

from structtree.errors import DataError, UnknownNameError
from structtree.models.settings import LossName, task_of_loss
from structtree.tasks.classification import Classification
from structtree.tasks.gradients import grouped_quantiles, margin_loss
from structtree.tasks.regression import REGRESSION

NAMES = get_args(LossName)
CASES = [*((name, 2) for name in NAMES), ("log-loss", 4)]
STEP = 1e-4


def loss_of(name, n_classes=2, quantile=0.3):
    task = Classification(tuple(range(n_classes))) if name == "log-loss" else REGRESSION
    return margin_loss(name, quantile, task)


def drawn(name, n_classes, n=60, seed=0):
    rng = np.random.default_rng(seed)
    loss = loss_of(name, n_classes)
    values = rng.integers(0, n_classes, n) if name == "log-loss" else rng.poisson(2.0, n).astype(float)
    return loss, values, np.asfortranarray(rng.normal(size=(n, loss.n_margins)))


@pytest.mark.parametrize(("name", "n_classes"), CASES)
def test_gradients_and_hessians_are_the_derivatives_of_the_loss(name, n_classes):
    loss, values, margins = drawn(name, n_classes)
    gradients, hessians = loss.derivatives(values, margins)
    assert gradients.shape == hessians.shape == margins.shape
    for k in range(loss.n_margins):
        step = np.zeros(loss.n_margins)
        step[k] = STEP
        low, here, high = (loss.losses(values, margins + sign * step) for sign in (-1, 0, 1))
        assert np.allclose(gradients[:, k], (high - low) / (2 * STEP), atol=1e-6)
        curvature = (high - 2 * here + low) / STEP**2
        if name in ("absolute", "quantile"):  # which have none
            assert (hessians == 1).all()
        else:
            assert np.allclose(
                hessians[:, k] * ((n_classes - 1) / n_classes if n_classes > 2 else 1), curvature, atol=1e-6
            )


@pytest.mark.parametrize(("name", "n_classes"), CASES)
def test_no_other_constant_margins_are_better_than_the_first(name, n_classes):
    loss, values, _ = drawn(name, n_classes)
    weights = np.random.default_rng(1).random(60)
    start = loss.start(values, weights)
    assert start.shape == (loss.n_margins,)
    best = weights @ loss.losses(values, np.tile(start, (60, 1)))
    for seed in range(20):
        other = start + 0.1 * np.random.default_rng(seed).normal(size=len(start))
        assert best <= weights @ loss.losses(values, np.tile(other, (60, 1))) + 1e-9


def test_losses_are_those_of_scikit_learn():
    loss, values, margins = drawn("log-loss", 2)
    assert loss.losses(values, margins).mean() == pytest.approx(log_loss(values, loss.predictions(margins)))
    loss, values, margins = drawn("log-loss", 4)
    assert np.allclose(loss.predictions(margins).sum(axis=1), 1)
    assert loss.losses(values, margins).mean() == pytest.approx(log_loss(values, loss.predictions(margins)))
    loss, values, margins = drawn("quantile", 2)
    expected = mean_pinball_loss(values, margins[:, 0], alpha=0.3)
    assert loss.losses(values, margins).mean() == pytest.approx(expected)
    loss, values, margins = drawn("poisson", 2)
    off = loss.losses(values, margins) - loss.losses(values, np.log(np.maximum(values, 1e-12))[:, None])
    assert 2 * off.mean() == pytest.approx(mean_poisson_deviance(values, loss.predictions(margins)), abs=1e-6)


@pytest.mark.parametrize("name", ["squared", "absolute", "quantile"])
def test_a_unit_of_labels_is_one_of_margins(name):
    loss, values, margins = drawn(name, 2)
    scaled = loss.losses(8 * values - 3, 8 * margins - 3)
    assert loss.degree > 0 and np.allclose(scaled, 8**loss.degree * loss.losses(values, margins))


@pytest.mark.parametrize("quantile", [0.0, 0.1, 0.5, 0.9, 1.0])
def test_a_quantile_of_a_group_is_its_inverted_distribution(quantile):
    rng = np.random.default_rng(0)
    values, groups, weights = rng.normal(size=50), rng.integers(0, 4, 50), rng.integers(1, 4, 50).astype(float)
    found = grouped_quantiles(values, weights, groups, 5, quantile)
    for group in range(4):
        repeated = np.repeat(values[groups == group], weights[groups == group].astype(int))
        expected = np.quantile(repeated, quantile, method="averaged_inverted_cdf")
        assert found[group] == pytest.approx(expected)
    assert found[4] == 0.0


def test_labels_that_a_loss_is_not_defined_for_are_refused():
    with pytest.raises(DataError, match="loss='poisson' needs targets >= 0; got -1"):
        loss_of("poisson").check(np.array([1.0, -1.0]))
    with pytest.raises(DataError, match="all targets are 0"):
        loss_of("poisson").check(np.zeros(3))
    with pytest.raises(UnknownNameError, match="unknown loss 'sqared' \\(did you mean 'squared'"):
        loss_of("sqared")


def test_every_loss_has_a_task():
    for name in NAMES:
        assert loss_of(name).name == name
        assert (task_of_loss(name) == "classes") == (name == "log-loss")
