"""Trees over tables, grown in compiled sweeps: those that searching finds, however the columns are kept."""

from __future__ import annotations

import pickle
from copy import deepcopy

import numpy as np
import pytest

from structtree import Grammar, Population, pretty
from structtree.learn.growing import grow
from structtree.learn.plan import plan_for
from structtree.models.conform import needed_members
from structtree.models.leaves import class_counts, decisions, means, spreads
from structtree.models.model import Model
from structtree.models.settings import Growth
from structtree.models.tree import Branch, Tree
from structtree.models.tree_predictor import TreePredictor
from structtree.splitters.table import Tuning
from structtree.tasks.criteria import CRITERIA

TESTS = Grammar.parse("refine Individual { top -> *; top -> * = *; top -> * >= *; top -> * <= *; top -> not old }")


def people(n, seed, gaps):
    rng = np.random.default_rng(seed)
    records = [
        {
            "size": int(rng.integers(0, 9)),
            "height": round(float(rng.normal()), 1),
            "share": float(rng.random()),
            "kind": str(rng.choice(["a", "b", "c"])),
            "old": bool(rng.random() < 0.5),
        }
        for _ in range(n)
    ]
    for record in records:
        for name in list(record):
            if rng.random() < gaps:
                del record[name]
    return Population.from_records(records)


def target(name, n, seed):
    rng = np.random.default_rng(seed + 1)
    return rng.normal(size=n).round(1) if CRITERIA[name].task == "numbers" else rng.integers(0, 2 + seed % 2, n)


def drawn(tree):
    return [
        (node.stats.n, pretty(node.test), node.children, round(node.found.gain, 9))
        if isinstance(node, Branch)
        else node
        for node in tree.nodes
    ]


def same_shape(tree, other):
    return [row if isinstance(row, tuple) else row.stats.n for row in drawn(tree)] == [
        row if isinstance(row, tuple) else row.stats.n for row in drawn(other)
    ]


@pytest.mark.parametrize("counted", [True, False], ids=["by value", "sorted"])
@pytest.mark.parametrize("name", CRITERIA)
@pytest.mark.parametrize(("seed", "gaps"), [(0, 0.0), (1, 0.0), (2, 0.15), (3, 0.15)])
def test_it_is_the_tree_that_searching_finds(name, seed, gaps, counted):
    population, labels = people(70, seed, gaps), target(name, 70, seed)
    weights = None if seed % 2 else np.random.default_rng(seed).integers(1, 4, 70)
    growth = {"max_depth": 4, "min_samples_leaf": 1 + seed}
    tuning = Tuning(counted=0 if counted else 10**9)
    plan = plan_for(population, TESTS.check(population.schema), Growth(**growth), tuning=tuning)
    quick = grow(population, labels, TESTS, Growth(**growth), criterion=name, sample_weight=weights, plan=plan)
    slow = Growth(strategy="best-first", effort="prove", **growth)
    assert len(quick.leaves) > 4
    assert same_shape(quick, grow(population, labels, TESTS, slow, criterion=name, sample_weight=weights))


@pytest.mark.parametrize("most", [None, 30])
@pytest.mark.parametrize("name", ["gini", "acc*", "mse"])
def test_neither_threads_nor_how_columns_are_kept_change_it(name, most):
    population, labels = people(400, 5, 0.1), target(name, 400, 5)
    grown, checked, growth = [], TESTS.check(population.schema), Growth(max_leaf_nodes=most)
    for tuning in ((10**9, 10**9, 10**9), (0, 100, 0), (0, 1000, 10**9), (0, 10**9, 0)):
        plan = plan_for(population, checked, growth, tuning=Tuning(*tuning))
        grown.append(grow(population, labels, TESTS, growth, criterion=name, plan=plan))
    assert all(drawn(tree) == drawn(grown[0]) for tree in grown[1:])


def test_a_column_may_be_any_part_of_an_array():
    rng = np.random.default_rng(0)
    cells, labels = rng.normal(size=(300, 4)), rng.integers(0, 2, 300)
    trees = [
        grow(Population.from_array(given, copy=copy), labels, Grammar.parse("refine Row { top -> * >= * }"))
        for given in (cells, np.asfortranarray(cells), np.repeat(cells, 2, axis=1)[:, ::2])
        for copy in (False, True)
    ]
    assert all(drawn(tree) == drawn(trees[0]) for tree in trees[1:])


@pytest.mark.parametrize("look_first", [False, True])
def test_nodes_that_nobody_has_looked_at_are_copied_and_pickled_too(look_first):
    population, labels = people(50, 1, 0.1), target("gini", 50, 1)
    expected = drawn(grow(population, labels, TESTS, criterion="gini"))
    for again in (deepcopy, lambda tree: pickle.loads(pickle.dumps(tree))):
        tree = grow(population, labels, TESTS, criterion="gini")
        if look_first:
            assert len(tree.nodes) == len(expected)
        assert drawn(again(tree)) == expected == drawn(tree)
        assert (again(tree).apply(population) == tree.apply(population)).all()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", ["gini", "mse"])
def test_what_is_made_without_nodes_is_what_they_would_give(name, seed):
    grown = grow(people(200, seed, 0.1), target(name, 200, seed), TESTS, criterion=name)
    alike = grow(people(200, seed, 0.1), target(name, 200, seed), TESTS, criterion=name)
    copy = Tree(alike.nodes, alike.schema, alike.classes)
    quick, slow = grown.descent, copy.descent
    places = [slow.attributes.index(name) for name in quick.attributes]
    nodes = quick.nodes.copy()
    nodes["place"] = np.where(
        np.isnan(nodes["low"]) & (nodes["no"] == nodes["yes"]), 0, np.take(places, nodes["place"])
    )
    for name_of_part in nodes.dtype.names:
        np.testing.assert_array_equal(nodes[name_of_part], slow.nodes[name_of_part])
    assert {places[place]: values for place, values in quick.equal.items()} == slow.equal
    assert {"old", "kind"} <= set(quick.attributes)
    for of in (class_counts, decisions) if name == "gini" else (means, spreads):
        np.testing.assert_array_equal(of(grown), of(copy))
    assert (
        Model(TreePredictor(grown)).needed
        == {"Individual": set(quick.attributes)}
        == needed_members(copy.tests, copy.schema)
    )
    assert drawn(grown) == drawn(copy) and grown.descent is quick


def test_what_is_grown_does_not_depend_on_what_becomes_of_the_array():
    rng = np.random.default_rng(0)
    cells, labels = rng.normal(size=(100, 2)), rng.integers(0, 2, 100)
    grammar = Grammar.parse("refine Row { top -> * >= * }")
    expected = drawn(grow(Population.from_array(cells), labels, grammar))
    tree = grow(Population.from_array(cells, copy=False), labels, grammar)
    cells[:] = 0.0
    assert drawn(tree) == expected
