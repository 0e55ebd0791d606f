"""Trees of boosting: those of a plain twin, those of a forest where a Newton step is a mean, and threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from structtree import Grammar, Population
from structtree.lang.pretty import pretty
from structtree.learn.ensembles import assembled, leaf_figures
from structtree.search.kernels.newton import NewtonLimits
from structtree.search.kernels.tables import Limits
from structtree.space.evaluate import holds
from structtree.splitters.binned import Sampling, grow_binned
from structtree.splitters.boosted import BoostedColumns, TreeLimits, grow_boosted
from structtree.tasks.target import target_for
from tests.splitters.slow_boosted import grow as grow_slowly
from tests.splitters.test_binned import NOT_STOPPED, binned
from tests.splitters.test_sweep import people


def fruits(n, seed, gaps):
    """Individuals with a nominal attribute of six values."""
    rng = np.random.default_rng(seed)
    records = [
        {"kind": str(rng.choice(list("abcdef"))), "size": int(rng.integers(0, 9)), "share": float(rng.random())}
        for _ in range(n)
    ]
    return Population.from_records([{k: v for k, v in each.items() if rng.random() >= gaps} for each in records])


FRUITS = Grammar.parse("refine Individual { top -> * = *; top -> * >= *; top -> * <= * }")
NOBODY = np.zeros(0, dtype=np.int32)
LIMITS = {"leaves": 12, "depth": -1, "split": 2, "leaf": 1, "hessian": 0.0, "l2": 0.0}


def limits_of(limits):
    child = NewtonLimits(limits["leaf"], limits["hessian"], limits["l2"])
    return TreeLimits(limits["leaves"], limits["depth"], limits["split"], child)


def derivatives(n, seed):
    """Numbers whose sums are exact, so that equal splits are equal."""
    rng = np.random.default_rng(seed)
    return rng.integers(-40, 40, n) / 8, rng.integers(1, 9, n) / 8


def nodes_of(grown, columns, l2):
    """The nodes as the twin returns them."""
    tree, found, first, leaf = grown.tree, [], 0, 0
    sets = [(t, np.frombuffer(inside, dtype=np.bool_)) for t, inside in columns.sets.places]
    for node, (t, low, high) in enumerate(zip(*tree[:3], strict=True)):
        if t >= columns.binned.n_tests:
            test, inside = sets[t - columns.binned.n_tests]
            found.append((test, frozenset(np.flatnonzero(inside).tolist())))
        elif t >= 0:
            found.append((int(t), (int(low), int(high))))
        else:
            rows = tree.rows[first : first + tree.sizes[node]]
            gradient, hessian, _ = tree.stats[node]
            value = float(np.clip(-gradient / (hessian + l2), *grown.bounds[leaf]))
            found.append((sorted(rows.tolist()), value))
            first, leaf = first + tree.sizes[node], leaf + 1
    return found


def matches(ours, theirs):
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs, strict=True):
        assert one[0] == other[0]
        assert one[1] == (pytest.approx(other[1]) if isinstance(other[1], float) else other[1])


@pytest.mark.parametrize("category_sets", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_a_tree_is_that_of_the_plain_twin(seed, category_sets):
    rng = np.random.default_rng(seed)
    limits = {
        "leaves": int(rng.integers(2, 14)),
        "depth": int(rng.integers(-1, 4)) or 1,
        "split": int(rng.integers(2, 9)),
        "leaf": int(rng.integers(1, 5)),
        "hessian": float(rng.choice([0.0, 2.0])),
        "l2": float(rng.choice([0.0, 1.0, 7.5])),
    }
    made = binned(fruits(70, seed, 0.15 * (seed % 2)), int(rng.integers(5, 40)), FRUITS)
    signs = np.where(made.columns.tests[:, 1] < 2, rng.integers(-1, 2, made.n_tests), 0).astype(np.int8)
    columns = BoostedColumns.of(made, signs, category_sets=category_sets)
    gradients, hessians = derivatives(70, seed)
    rows = np.flatnonzero(rng.random(70) < 0.8).astype(np.int32)
    tests = np.sort(rng.permutation(made.n_tests)[: int(rng.integers(2, made.n_tests + 1))])
    grown = grow_boosted(columns, gradients, hessians, rows, NOBODY, tests, limits_of(limits))
    forms = columns.tested.tests[:, 1].tolist()
    plain = [(t, made.codes(t).tolist(), forms[t], int(signs[t])) for t in tests.tolist()]
    expected = grow_slowly(plain, gradients.tolist(), hessians.tolist(), rows.tolist(), limits)
    matches(nodes_of(grown, columns, limits["l2"]), expected)


@pytest.mark.parametrize("limits", [{}, {"depth": 3, "leaf": 5}])
@pytest.mark.parametrize("seed", range(3))
def test_with_equal_hessians_and_no_penalty_a_tree_is_that_of_a_forest(seed, limits):
    population, labels = people(150, seed, gaps=0.1), np.random.default_rng(seed).normal(size=150)
    made, chosen = binned(population), target_for(labels, 150, "mse")
    plain = Limits(limits.get("depth", -1), 2, limits.get("leaf", 1), 0.0)
    tree = grow_binned(made, chosen, plain, Sampling(np.arange(made.n_tests), 10**6), NOT_STOPPED)
    columns = BoostedColumns.of(made, category_sets=False)
    rows, every = np.arange(150, dtype=np.int32), limits_of(LIMITS | {"leaves": 150} | limits)
    grown = grow_boosted(columns, -labels, np.ones(150), rows, NOBODY, np.arange(made.n_tests), every)
    means = leaf_figures(tree, chosen.task)[:, 1]
    leaf = grown.leaf_of(150)
    values = -np.bincount(leaf, -labels) / np.bincount(leaf)
    is_leaf = tree.tests < 0
    expected = np.empty(150)
    expected[tree.rows] = np.repeat(means, tree.sizes[is_leaf])
    assert np.allclose(values[leaf], expected)


def test_threads_change_nothing(monkeypatch):
    monkeypatch.setattr("structtree.splitters.boosted.SHARED_CELLS", 1)
    made = binned(people(300, 1, gaps=0.1))
    rng = np.random.default_rng(0)
    gradients, hessians = rng.normal(size=300), rng.random(300)
    rows, tests = np.arange(0, 300, 2, dtype=np.int32), np.arange(made.n_tests)
    others = np.arange(1, 300, 2, dtype=np.int32)
    found = []
    for n_jobs in (1, 3):
        columns = BoostedColumns.of(made, n_jobs=n_jobs)
        with ThreadPoolExecutor(3) as pool:
            found.append(grow_boosted(columns, gradients, hessians, rows, others, tests, limits_of(LIMITS), pool))
    one, other = found
    assert all(np.array_equal(a, b) for a, b in zip(one.tree, other.tree, strict=True))
    assert np.array_equal(one.leaf_of(300), other.leaf_of(300)) and len(one.bounds) == 12


@pytest.mark.parametrize("max_bins", [4, 1000])
def test_every_individual_is_in_the_leaf_that_its_tests_lead_to(max_bins):
    population = fruits(200, 3, 0.15)
    columns = BoostedColumns.of(binned(population, max_bins, FRUITS))
    gradients, hessians = derivatives(200, 3)
    rows, others = np.arange(0, 200, 3, dtype=np.int32), np.setdiff1d(np.arange(200), np.arange(0, 200, 3))
    tests = np.arange(columns.binned.n_tests)
    given = (rows, others.astype(np.int32), tests, limits_of(LIMITS))
    grown = grow_boosted(columns, gradients, hessians, *given)
    every = columns.sets.added_to(columns.binned)
    made = assembled(every, [grown.tree], [np.zeros((len(grown.bounds), 2))])
    tree = made.trees
    leaf_of = grown.leaf_of(200)
    truth = [[holds(test, population) for test in tests] for tests in made.ladders]
    for row in range(200):
        node = 0
        while tree.ladders[node] >= 0:
            node = node + 1 if truth[tree.ladders[node]][tree.steps[node]][row] else tree.no[node]
        assert tree.no[node] == leaf_of[row]
    assert any(" in {" in pretty(test) for tests in made.ladders for test in tests)


def test_a_stopped_tree_keeps_its_leaves_so_far():
    made = binned(people(100, 0, gaps=0.0))
    columns, (gradients, hessians) = BoostedColumns.of(made), derivatives(100, 0)
    rows, answers = np.arange(100, dtype=np.int32), iter([False, False, True])
    given = (gradients, hessians, rows, NOBODY, np.arange(made.n_tests), limits_of(LIMITS))
    grown = grow_boosted(columns, *given, None, lambda: next(answers))
    assert len(grown.bounds) == 3 and grown.tree.sizes[grown.tree.tests < 0].sum() == 100


def test_the_columns_are_not_changed():
    made = binned(people(100, 0, gaps=0.1))
    before = replace(made.columns, values=made.columns.values.copy())
    columns = BoostedColumns.of(made)
    gradients, hessians = derivatives(100, 0)
    rows, tests = np.arange(100, dtype=np.int32), np.arange(made.n_tests)
    grow_boosted(columns, gradients, hessians, rows, NOBODY, tests, limits_of(LIMITS))
    assert np.array_equal(made.columns.values, before.values) and np.array_equal(made.columns.tests, before.tests)
    assert rows.tolist() == list(range(100))
