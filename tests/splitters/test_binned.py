"""Trees over binned columns: those of a plain twin, and those of a sweep where every test is tried."""

from __future__ import annotations

import numpy as np
import pytest

from structtree import Grammar, Population
from structtree.errors import UsageError
from structtree.learn.ensembles import assembled, leaf_figures
from structtree.learn.growing import grow
from structtree.models.ensemble import ForestPredictor
from structtree.models.tree_predictor import TreePredictor
from structtree.search.clock import Clock
from structtree.search.kernels.tables import AT_LEAST, EQUAL, Limits
from structtree.splitters.attribute_tests import flat_tests, with_sets
from structtree.splitters.binned import Sampling, bin_columns, grow_binned, leaves_of
from structtree.splitters.table import Tuning, columns_for
from structtree.tasks.criteria import CRITERIA
from structtree.tasks.target import target_for
from tests.splitters.slow_binned import grow as grow_slowly
from tests.splitters.test_sweep import TESTS, people, target

NOT_STOPPED = np.zeros(1, dtype=np.bool_)
EVERY_TEST = 10**6


def binned(population, max_bins=10**4, grammar=TESTS):
    listed = flat_tests(grammar.check(population.schema))
    return bin_columns(columns_for(listed, population, Clock(), Tuning()), max_bins)


def whole_tree(columns, chosen, **limits):
    limits = Limits(**{"depth": -1, "split": 2, "leaf": 1, "decrease": 0.0} | limits)
    return grow_binned(columns, chosen, limits, Sampling(np.arange(columns.n_tests), EVERY_TEST), NOT_STOPPED)


def forest_of(columns, trees, chosen, population):
    made = assembled(columns, trees, [leaf_figures(tree, chosen.task) for tree in trees])
    return made, ForestPredictor(made.trees, made.ladders, made.gains, population.schema, chosen.task)


@pytest.mark.parametrize("criterion", [name for name in CRITERIA if CRITERIA[name].is_compiled])
@pytest.mark.parametrize("seed", range(3))
def test_a_tree_that_tries_every_test_is_that_of_a_sweep(criterion, seed):
    population, labels = people(120, seed, gaps=0.1), target(criterion, 120, seed)
    chosen = target_for(labels, 120, criterion)
    columns = binned(population)
    tree = grow(population, labels, TESTS, criterion=criterion)
    grown = whole_tree(columns, chosen)
    assert len(grown.tests) == len(tree.nodes)
    _, forest = forest_of(columns, [grown], chosen, population)
    others = people(300, seed + 10, gaps=0.2)
    for some in (population, others):
        assert np.allclose(forest.predict(some), TreePredictor(tree).predict(some), rtol=1e-9, atol=0)


@pytest.mark.parametrize("at_random", [False, True])
@pytest.mark.parametrize("criterion", ["gini", "mse"])
@pytest.mark.parametrize("seed", range(6))
def test_a_tree_of_a_sample_is_that_of_the_plain_twin(criterion, seed, at_random):
    rng = np.random.default_rng(seed)
    population, labels = people(60, seed, gaps=0.15), target(criterion, 60, seed)
    weights = rng.integers(0, 3, 60).astype(float)
    chosen = target_for(labels, 60, criterion, sample_weight=weights)
    columns = binned(population, max_bins=int(rng.integers(5, 40)))
    tests, per_node, leaf, depth = rng.permutation(columns.n_tests), int(rng.integers(1, 4)), 1 + seed % 3, 3 + seed
    grown = grow_binned(
        columns, chosen, Limits(depth, 2, leaf, 0.0), Sampling(tests, per_node, at_random, seed), NOT_STOPPED
    )
    forms = columns.columns.tests[:, 1].tolist()
    plain = [(columns.codes(t).tolist(), forms[t]) for t in range(columns.n_tests)]
    codes = chosen.values.tolist()
    n_classes = len(chosen.classes)
    expected = grow_slowly(plain, codes, weights, n_classes, tests, per_node, at_random, seed, depth, leaf)
    assert nodes_of(grown) == expected


def nodes_of(grown):
    found, first = [], 0
    for t, low, high, size in zip(*(grown[:3]), grown.sizes, strict=True):
        if t < 0:
            found.append(sorted(grown.rows[first : first + size].tolist()))
            first += size
        else:
            found.append((int(t), int(low), int(high)))
    return found


@pytest.mark.parametrize("max_bins", [3, 20, 1000])
def test_the_leaves_of_the_training_individuals_are_those_that_the_tests_lead_to(max_bins):
    population, labels = people(200, 1, gaps=0.1), target("gini", 200, 1)
    chosen, columns = target_for(labels, 200, "gini"), binned(population, max_bins)
    half = target_for(labels, 200, "gini", sample_weight=np.arange(200) % 2)
    for grown_for in (chosen, half):
        grown = whole_tree(columns, grown_for)
        _, forest = forest_of(columns, [grown], chosen, population)
        leaves = leaves_of(columns, grown, np.arange(200, dtype=np.int32))
        assert (forest.leaves(population)[:, 0] == leaves).all()
    grown = whole_tree(columns, chosen)
    of_row = np.empty(200, dtype=int)
    of_row[grown.rows] = np.repeat(np.arange((grown.tests < 0).sum()), grown.sizes[grown.tests < 0])
    assert (leaves_of(columns, grown, np.arange(200, dtype=np.int32)) == of_row).all()


def test_bins_have_about_the_same_number_of_rows_and_frequent_values_their_own():
    numbers = np.concatenate([np.zeros(500), np.arange(1, 501)])
    columns = binned(
        Population.from_array(numbers[:, None], ["x"]), 10, Grammar.parse("refine Row { top -> x >= * }")
    )
    sizes = np.bincount(columns.codes(0))
    assert sizes[0] == 500 and sizes[1:].max() <= 101 and len(sizes) <= 10
    assert columns.codes(0).dtype == np.int8
    edges = columns.edges[0]
    assert (edges.high[:-1] < edges.low[1:]).all() and edges.high[-1] == 500


def test_no_threshold_lies_inside_a_bin():
    numbers = np.arange(100.0) ** 2
    columns = binned(Population.from_array(numbers[:, None], ["x"]), 7, Grammar.parse("refine Row { top -> x >= * }"))
    n = int(columns.columns.sizes[0])
    low, high = (np.array(side) for side in zip(*((a, b) for a in range(n) for b in range(a + 1, n)), strict=True))
    chosen = columns.chosen(0, low, high)
    edges = columns.edges[0]
    assert (edges.high[low] < chosen).all() and (chosen <= edges.low[high]).all()
    cuts = columns.cuts(np.zeros(len(low), dtype=np.int64), low, high)
    for threshold, cut in zip(chosen.tolist(), cuts.tolist(), strict=True):
        assert ((columns.codes(0) >= cut) == (numbers >= threshold)).all()
        assert not ((edges.low < threshold) & (threshold <= edges.high)).any()


def test_the_same_seed_gives_the_same_tree_and_the_columns_are_not_changed():
    population, labels = people(150, 2, gaps=0.1), target("gini", 150, 2)
    columns, chosen = binned(population), target_for(labels, 150, "gini")
    before = columns.columns.values.copy()
    sampling = Sampling(np.arange(columns.n_tests), 2, True, 5)
    trees = [grow_binned(columns, chosen, Limits(-1, 2, 1, 0.0), sampling, NOT_STOPPED) for _ in range(2)]
    assert all(np.array_equal(one, other) for one, other in zip(*trees, strict=True))
    assert np.array_equal(columns.columns.values, before)
    other = grow_binned(columns, chosen, Limits(-1, 2, 1, 0.0), sampling._replace(seed=6), NOT_STOPPED)
    assert not np.array_equal(other.tests, trees[0].tests)


def test_weights_are_numbers_of_individuals():
    population, labels = people(80, 3, gaps=0.0), target("gini", 80, 3)
    rng = np.random.default_rng(0)
    weights = rng.integers(0, 4, 80)
    rows = np.repeat(np.arange(80), weights)
    columns = binned(population)
    weighted = whole_tree(columns, target_for(labels, 80, "gini", sample_weight=weights.astype(float)))
    taken = binned(population.take(rows))
    repeated = whole_tree(taken, target_for(labels[rows], len(rows), "gini"))
    assert np.array_equal(weighted.stats, repeated.stats)


def test_sets_of_values_are_refused():
    population = people(30, 0, gaps=0.0)
    grammar = with_sets(TESTS.check(population.schema))
    columns = columns_for(flat_tests(grammar), population, Clock(), Tuning())
    with pytest.raises(UsageError, match="sets of values"):
        bin_columns(columns, 100)


def test_the_forms_of_the_tests_above_are_all_there():
    columns = binned(people(60, 0, gaps=0.15))
    assert {AT_LEAST, EQUAL} < set(columns.columns.tests[:, 1].tolist())


def test_a_stopped_tree_is_a_leaf():
    population, labels = people(50, 3, gaps=0.0), target("gini", 50, 3)
    columns, chosen = binned(population), target_for(labels, 50, "gini")
    sampling = Sampling(np.arange(columns.n_tests), EVERY_TEST)
    grown = grow_binned(columns, chosen, Limits(-1, 2, 1, 0.0), sampling, np.ones(1, dtype=np.bool_))
    assert grown.tests.tolist() == [-1] and grown.stats.sum() == 50
