"""Boosting: a round is a forest's tree, the training loss never rises, and what stops it, as recomputed by hand."""

from __future__ import annotations

import numpy as np
import pytest

from structtree import Population, fit, load_dataset
from structtree.errors import DataError, UsageError
from structtree.learn.boosting_fit import fit_boosting
from structtree.learn.fit import fit as learn
from structtree.learn.held_out import fold_numbers
from structtree.models.importance import mentioned
from structtree.models.settings import Boosting, Growth, Objective, check_kind
from structtree.progress import status_listener
from structtree.search.clock import Clock
from structtree.tasks.gradients import margin_loss
from tests.splitters.test_sweep import TESTS, people

WHOLE = {"early_stopping": False, "min_hessian": 0.0, "l2": 0.0}


def labels_for(loss, n=150, seed=0):
    rng = np.random.default_rng(seed)
    if loss == "log-loss":
        return rng.integers(0, 2, n)
    if loss == "several":
        return rng.integers(0, 4, n)
    return rng.poisson(2.0, n).astype(float) if loss == "poisson" else rng.integers(-30, 30, n) / 8


def boosted(loss="squared", n=150, seed=0, **options):
    population, labels = people(n, seed, gaps=0.1), labels_for(loss, n, seed)
    given = {} if loss == "several" else {"loss": loss}
    given |= {"quantile": 0.7} if loss == "quantile" else {}
    model = fit(population, labels, TESTS, model="boosting", **given, **options)
    return model, population, labels


LOSSES = ["log-loss", "several", "squared", "absolute", "quantile", "poisson"]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("limits", [{}, {"max_depth": 3, "min_samples_leaf": 4}])
def test_one_round_of_squared_loss_without_shrinkage_is_the_tree_of_a_forest(seed, limits):
    options = {"max_iter": 1, "learning_rate": 1.0, "category_sets": False, "max_leaf_nodes": 1000, "max_bins": 1000}
    population, half = people(150, seed, gaps=0.1), np.random.default_rng(seed).integers(0, 30, 75) / 8
    labels = np.random.default_rng(seed).permutation([*half, *-half])  # sums about their mean are exact: ties are
    model = fit(population, labels, TESTS, model="boosting", **WHOLE, **options, **limits)
    one = {"n_estimators": 1, "max_features": "all", "bootstrap": False, "max_bins": 1000}
    forest = fit(population, labels, TESTS, model="forest", **one, **limits)
    for some in (population, people(200, seed + 10, gaps=0.2)):
        assert np.allclose(model.predict(some), forest.predict(some))
    assert len(model.predictor.trees.figures) == len(forest.predictor.trees.figures)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("seed", range(3))
def test_the_training_loss_never_rises_with_small_steps(loss, seed):
    model, _, _ = boosted(loss, seed=seed, max_iter=25, early_stopping=False, learning_rate=0.1, min_hessian=0.1)
    losses = np.array(model.losses.training)
    assert len(losses) == 25 and (np.diff(losses) <= 1e-12).all() and losses[-1] < losses[0]


@pytest.mark.parametrize("loss", LOSSES)
def test_recorded_losses_are_those_of_the_predictions(loss):
    model, population, labels = boosted(loss, n=800, max_iter=12, stopping_fraction=0.25)
    values = np.searchsorted(model.classes, labels) if model.classes else labels
    margins = model.predictor.margins(model.predictor.leaves(population))
    losses = model.predictor.loss.losses(values, margins)
    n, held = model.predictor.n_rounds, model.losses.held_out
    assert n == 1 + int(np.argmin(held))
    mean = 0.75 * model.losses.training[n - 1] + 0.25 * held[n - 1]
    assert losses.mean() == pytest.approx(mean, rel=1e-3)  # strata are rounded


@pytest.mark.parametrize("loss", LOSSES)
def test_folds_choose_the_number_of_rounds_of_few_individuals(loss):
    model, population, labels = boosted(loss, n=100, max_iter=40, stopping_rounds=5, min_hessian=0.2)
    strata = labels if model.classes else np.zeros(100)
    folds, total = fold_numbers(strata, 5, np.random.default_rng(0)), 0.0
    n, held = model.predictor.n_rounds, model.losses.held_out
    options = {"model": "boosting", "loss": model.predictor.loss.name, "min_hessian": 0.2, "early_stopping": False}
    options |= {"quantile": 0.7} if loss == "quantile" else {}
    for fold in range(5):
        train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        weights = np.where(folds == fold, 0.0, 1.0)
        alone = fit(population, labels, TESTS, sample_weight=weights, max_iter=n, max_bins=1000, **options)
        values = np.searchsorted(model.classes, labels) if model.classes else labels
        margins = alone.predictor.margins(alone.predictor.leaves(population))
        total += alone.predictor.loss.losses(values, margins)[test].sum()
        assert len(train) + len(test) == 100
    assert n == 1 + int(np.argmin(held)) and held[n - 1] == pytest.approx(total / 100, rel=0.02)
    whole = fit(population, labels, TESTS, max_iter=n, **options)
    assert np.array_equal(whole.predict(population), model.predict(population))


@pytest.mark.parametrize("loss", LOSSES)
def test_the_number_of_threads_does_not_change_a_prediction(loss, monkeypatch):
    monkeypatch.setattr("structtree.splitters.boosted.SHARED_CELLS", 1)
    options = {"max_iter": 5, "subsample": 0.7, "columns_per_tree": 0.5}
    one, population, _ = boosted(loss, n_jobs=1, **options)
    four, _, _ = boosted(loss, n_jobs=4, **options)
    assert all(np.array_equal(a, b) for a, b in zip(one.predictor.trees, four.predictor.trees, strict=True))
    assert np.array_equal(one.predict(population), four.predict(population))


def test_the_number_of_rounds_is_the_best_one_for_held_out_individuals():
    model, _, _ = boosted(n=300, max_iter=400, stopping_rounds=7)
    held = np.array(model.losses.held_out)
    assert len(held) == model.predictor.n_rounds + 7 < 400
    assert held.argmin() + 1 == model.predictor.n_rounds and model.outcome.stopped_by is None
    fixed, _, _ = boosted(n=300, max_iter=30, early_stopping=False)
    assert fixed.predictor.n_rounds == 30 and not fixed.losses.held_out


def test_boosting_finds_most_of_the_signal():
    rng = np.random.default_rng(0)
    cells = rng.normal(size=(900, 8))
    signal = cells[:, 0] * cells[:, 1] + cells[:, 2]
    train, test = Population.from_array(cells[:600]), Population.from_array(cells[600:])
    assert np.corrcoef(fit(train, signal[:600], model="boosting").predict(test), signal[600:])[0, 1] > 0.9
    assert np.mean(fit(train, signal[:600] > 0, model="boosting").predict(test) == (signal[600:] > 0)) > 0.85
    kinds = np.digitize(signal, [-0.5, 0.5])
    assert np.mean(fit(train, kinds[:600], model="boosting").predict(test) == kinds[600:]) > 0.7


@pytest.mark.parametrize(("loss", "share"), [("absolute", 0.5), ("quantile", 0.7)])
def test_absolute_and_quantile_loss_predict_medians_and_quantiles(loss, share):
    model, population, labels = boosted(loss, n=500, max_iter=5, min_samples_leaf=30, learning_rate=0.5)
    assert np.mean(labels <= model.predict(population)) == pytest.approx(share, abs=0.06)


def test_counts_have_positive_means():
    model, population, labels = boosted("poisson", n=400)
    assert (model.predict(population) > 0).all()
    assert model.predict(population).mean() == pytest.approx(labels.mean(), rel=0.1)
    with pytest.raises(DataError, match="loss='poisson' needs targets >= 0"):
        fit(population, -labels, TESTS, model="boosting", loss="poisson")


def test_weights_are_numbers_of_individuals_and_classes_are_reweighted():
    population, labels = people(200, 3, gaps=0.1), labels_for("log-loss", 200, 3)
    options = {"model": "boosting", "max_iter": 10, "early_stopping": False}
    weights = np.random.default_rng(0).integers(0, 4, 200)
    rows = np.repeat(np.arange(200), weights)
    weighted = fit(population, labels, TESTS, sample_weight=weights.astype(float), **options)
    repeated = fit(population.take(rows), labels[rows], TESTS, **options)
    assert np.allclose(weighted.predict_proba(population), repeated.predict_proba(population))
    assert weighted.predictor.covers[0] == repeated.predictor.covers[0]
    light = fit(population, labels, TESTS, sample_weight=np.full(200, 1e-9), **options)
    assert "add up to 2e-07, too little" in light.outcome.skipped[0] and light.predictor.n_tests == 0
    by_class = fit(population, labels, TESTS, class_weight={0: 1.0, 1: 3.0}, **options)
    by_sample = fit(population, labels, TESTS, sample_weight=np.where(labels == 1, 3.0, 1.0), **options)
    assert np.array_equal(by_class.predict_proba(population), by_sample.predict_proba(population))
    costly = fit(population, labels, TESTS, costs=((0, 1), (50, 0)), **options)
    assert set(costly.predict(population).tolist()) == {1}


def test_labels_in_other_units_give_the_same_trees():
    population, labels = people(150, 5, gaps=0.1), np.round(8 * labels_for("squared", 150, 5))
    options = {"model": "boosting", "max_iter": 10}
    near, far = (fit(population, some, TESTS, **options) for some in (labels, 1e15 + 128 * labels))
    assert np.allclose((far.predict(population) - 1e15) / 128, near.predict(population), atol=0.01)


def cells_with_noise(n=500):
    rng = np.random.default_rng(0)
    cells = rng.normal(size=(n, 3))
    cells[rng.random((n, 3)) < 0.1] = np.nan
    signal = np.nan_to_num(cells)
    return cells, signal[:, 0] - 0.3 * signal[:, 1] + 2 * np.sin(3 * signal[:, 0]) + 0.5 * rng.normal(size=n)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("loss", ["squared", "absolute", "log-loss"])
def test_predictions_are_monotone(sign, loss):
    cells, labels = cells_with_noise()
    labels = labels > 0 if loss == "log-loss" else labels
    population = Population.from_array(cells)
    options = {"model": "boosting", "loss": loss, "max_iter": 60, "early_stopping": False}
    model = fit(population, labels, monotone={"x0": sign}, **options)
    free = fit(population, labels, **options)
    steps = {}
    for name, each in (("monotone", model), ("free", free)):
        grid = np.linspace(-2, 2, 41)
        others = np.repeat(cells[:30], len(grid), axis=0)
        others[:, 0] = np.tile(grid, 30)
        found = each.predict_proba if each.classes else each.predict
        answers = found(Population.from_array(others))
        answers = answers[:, 1] if answers.ndim == 2 else answers
        steps[name] = sign * np.diff(answers.reshape(30, -1), axis=1)
    assert (steps["monotone"] >= 0).all() and steps["monotone"].max() > 0 > steps["free"].min()
    assert len({path for test in model.predictor.tests for path in mentioned(test)}) > 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"monotone": {"x9": 1}}, "monotone names 'x9', on which there are no thresholds"),
        ({"monotone": {"x0": 2}}, "monotone must map attributes to 1 or -1"),
        ({"quantile": 0.3}, "quantile is for loss='quantile', not for loss=None"),
        ({"stopping_rounds": 3, "early_stopping": False}, "stopping_rounds is for early_stopping=True"),
        ({"loss": "log-loss"}, None),
        ({"criterion": "mse"}, "criterion='mse' does not apply to boosting"),
        ({"goal": "ranking"}, "goal='ranking' does not apply to boosting"),
        ({"n_estimators": 5}, "n_estimators=5 does not apply to boosting; add model='forest'"),
        ({"min_impurity_decrease": 0.1}, "min_impurity_decrease=0.1 does not apply to boosting"),
    ],
)
def test_options_that_do_not_apply_are_refused(options, message):
    cells, labels = cells_with_noise(60)
    if message is None:  # every distinct number is a class
        assert len(fit(cells, labels.round(), model="boosting", max_iter=2, **options).classes) > 2
        return
    with pytest.raises(UsageError, match=message):
        fit(cells, labels, model="boosting", **options)


def test_options_of_columns_are_shared_by_forests_and_boosting():
    for kind in ("forest", "boosting"):
        check_kind(kind, Boosting(max_bins=50), Growth(max_depth=3), Objective())
    with pytest.raises(UsageError, match="max_bins=50 does not apply to a tree"):
        check_kind("tree", Boosting(max_bins=50))
    with pytest.raises(UsageError, match=r"learning_rate=0.5 does not apply to a forest; add model='boosting'"):
        check_kind("forest", Boosting(learning_rate=0.5))


def test_the_time_limit_and_an_interrupt_keep_the_rounds_so_far():
    population, labels = people(400, 0, gaps=0.1), labels_for("squared", 400)
    given = {"model": "boosting", "max_iter": 100_000, "early_stopping": False}
    none = learn(population, labels, TESTS, clock=Clock(0.0), **given)
    assert none.predictor.n_rounds == 1 and none.outcome.stopped_by == "time"
    assert any("rounds were made" in note for note in none.outcome.skipped)
    clock, seen = Clock(), []

    def listen(status):
        seen.append(status)
        if status.what == "boosting" and status.done == 3:
            clock.stop.presses = 1

    with status_listener(listen):
        model = learn(population, labels, TESTS, clock=clock, **given)
    assert model.predictor.n_rounds == 3 and model.outcome.stopped_by == "interrupt"
    assert any("training squared error" in fact for status in seen for fact in status.facts)


def test_identical_labels_give_one_leaf():
    population = people(50, 0, gaps=0.1)
    for labels, loss in ((np.ones(50), "squared"), (np.ones(50), "poisson"), (np.array(["a"] * 50), "log-loss")):
        model = fit(population, labels, TESTS, model="boosting", loss=loss)
        assert len(model.predictor.trees) == 1 and model.predictor.n_tests == 0
        assert set(np.asarray(model.predict(population)).tolist()) == {labels[0]}


def test_structured_data_uses_tests_behind_links():
    trains = load_dataset("trains")
    model = fit(trains.population, trains.target, "trains", model="boosting", max_iter=40)
    assert np.mean(model.predict(trains.population) == trains.target) == 1.0
    assert any("cars." in path for test in model.predictor.tests for path in mentioned(test))


def test_the_default_loss_follows_from_the_task():
    assert margin_loss(None, 0.5, learn([[1.0], [2.0]], ["a", "b"], model="boosting").task).name == "log-loss"
    assert fit_boosting.__name__ == "fit_boosting"
