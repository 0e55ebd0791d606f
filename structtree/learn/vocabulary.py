"""Tests that a search finds for ensembles, where a grammar has too many tests to list them all.

Listed are then the shortest tests, and a rule that needs several conditions far from the individuals is not among
them. The search of a single tree finds such rules, so trees are grown with little effort, and their tests are added
to the columns of the ensemble.

A test that was chosen for the labels of an individual says too much about this individual. So a forest searches once
on each half of the individuals; a tree of the forest gets the tests of one half only, and does not take part in the
predictions out of bag for individuals of this half. Boosting searches the individuals that it learns from, not those
that choose the number of rounds: first their labels, then what is left of them, the residuals, as long as that helps.

Law: the predictions out of bag for an individual come from trees that neither saw it nor have tests that were found
with its label (`tests/learn/test_vocabulary.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from structtree.arrays import Floats, Ints
from structtree.lang import syntax as syn
from structtree.lang.check import CheckedGrammar
from structtree.learn.growing import grow_by
from structtree.learn.learning_set import LearningSet
from structtree.models.settings import Growth
from structtree.models.tree import Branch
from structtree.progress import report_status
from structtree.search.clock import Clock
from structtree.splitters.forest_columns import ForestColumns, with_tests
from structtree.tasks.target import Target, target_for

__all__ = ["found_tests", "halves", "one_at_a_time", "only", "with_residual_tests", "with_vocabulary"]

LEAVES_SEARCHED = 16
"""Maximum number of leaves of the tree whose tests are added."""

LEAST_SHARE, LEAST = 0.01, 3
"""Minimum number of individuals per leaf of this tree, as a share and absolutely."""


def one_at_a_time(grammar: CheckedGrammar) -> CheckedGrammar:
    """Return a grammar in which a test of an individual is a single literal, since the trees combine tests."""
    return replace(grammar, conjuncts={**grammar.conjuncts, grammar.individual: 1})


def halves(n: int, seed: int) -> tuple[Ints, Ints]:
    """Return two random halves of the individuals.

    Examples
    --------
    >>> [len(half) for half in halves(5, seed=0)]
    [3, 2]
    """
    order = np.random.default_rng(seed).permutation(n)
    return order[::2], order[1::2]


def found_tests(data: LearningSet, target: Target, clock: Clock, seed: int = 0) -> tuple[syn.Predicate, ...]:
    """Return the different tests of a small tree, the root first.

    Parameters
    ----------
    data : LearningSet
    target : Target
        Labels of the individuals; those with weight 0 do not count.
    clock : Clock
    seed : int
    """
    n = int(np.count_nonzero(target.weights))
    least = max(LEAST, round(LEAST_SHARE * n))
    growth = Growth(effort="quick", max_leaf_nodes=LEAVES_SEARCHED, min_samples_leaf=least, random_state=seed)
    tree = grow_by(target, data.population, one_at_a_time(data.grammar), growth, clock=clock)
    return tuple(dict.fromkeys(node.test for node in tree.nodes if isinstance(node, Branch)))


def with_vocabulary(
    columns: ForestColumns, data: LearningSet, parts: Sequence[Ints], clock: Clock, seed: int
) -> ForestColumns:
    """Add the tests found on each of several parts of the individuals; nothing if all tests are listed.

    Parameters
    ----------
    columns : ForestColumns
        The listed tests.
    data : LearningSet
    parts : sequence of arrays
        The individuals of each part.
    clock : Clock
    seed : int
    """
    if columns.is_complete or min(map(len, parts)) < LEAST:
        return columns
    found, part_of = [], np.full(len(data.population), -1, dtype=np.int8)
    for place, rows in enumerate(parts):
        report_status("searching tests", place, len(parts))
        part = clock.part(clock.left() / (len(parts) - place))
        found.append(found_tests(data, only(data.target, rows), part, seed))
        part_of[rows] = place
    whole = with_tests(columns, found, part_of, data.population, clock)
    return whole if clock.over() is None else replace(whole, is_searched=False)


def with_residual_tests(
    columns: ForestColumns, data: LearningSet, residuals: Floats, rows: Ints, clock: Clock, seed: int
) -> ForestColumns:
    """Add the tests found for the residuals of some individuals; the same columns if nothing new is found.

    Parameters
    ----------
    columns : ForestColumns
        With tests found before.
    data : LearningSet
    residuals : (n,) array
    rows : array of int
        The individuals that are searched.
    clock : Clock
    seed : int
    """
    weights = only(data.target, rows).weights
    target = target_for(residuals, len(residuals), "mse", weights, task="numbers").counted()
    known = set(columns.found)
    new = tuple(test for test in found_tests(data, target, clock, seed) if test not in known)
    part_of = np.where(weights > 0, 0, -1).astype(np.int8)
    return with_tests(columns, [new], part_of, data.population, clock)


def only(target: Target, rows: Ints) -> Target:
    """Return a target in which only some individuals count."""
    weights: Floats = np.zeros_like(target.weights)
    weights[rows] = target.weights[rows]
    return replace(target, weights=weights)
