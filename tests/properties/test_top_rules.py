"""Laws of the search for rules: the k best by any measure are those of the whole space."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from structtree.search.best_split import best_split
from structtree.search.scorers import scorer_of
from structtree.space.evaluate import holds
from structtree.tasks.measures import MEASURES
from structtree.tasks.target import target_for
from tests.properties.test_space import members, spaces

FEW = settings(max_examples=25, suppress_health_check=[HealthCheck.filter_too_much])


@st.composite
def problems(draw):
    """A space, and labels, weights and a minimum support for its individuals."""
    space = draw(spaces())
    n = len(space.population)
    assume(n >= 2)
    labels = draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    weights = draw(st.lists(st.sampled_from([0.5, 1.0, 2.0]), min_size=n, max_size=n))
    return space, np.array(labels, dtype=float), weights, draw(st.integers(1, 3))


def target_of(name, labels, weights, least):
    """The target with a measure: numbers as they are, or whether they are large."""
    of_classes = MEASURES[name].task == "classes"
    labels = (labels > 2).astype(int) if of_classes else labels
    assume(len(set(labels.tolist())) > 1)
    target = target_for(labels, len(labels), "gini" if of_classes else "mse", weights).counted()
    return replace(target, criterion=MEASURES[name](support=least * target.lightest))


def best_losses(space, target, least, k):
    """The k least losses over all sets of individuals that some predicate selects."""
    scorer = scorer_of(target)
    kept = {tuple(holds(predicate, space.population).tolist()) for predicate in members(space)}
    some = [np.array(true) for true in kept if least <= sum(true) < len(true)]
    return sorted(float(scorer.loss(scorer.counts(true[:, None]))[0, 0]) for true in some)[:k]


@pytest.mark.parametrize("name", MEASURES)
@FEW
@given(problem=problems(), k=st.sampled_from([1, 3, 7]))
def test_the_k_best_rules_are_those_of_the_whole_space(name, problem, k):
    space, labels, weights, least = problem
    target = target_of(name, labels, weights, least)
    expected = best_losses(space, target, least, k)
    assume(expected)
    for prune in (True, False):
        found = best_split(space.population, target, space, k=k, prune=prune, min_samples_leaf=least)
        rules = (found, *found.next_best)
        assert all(rule.proved and not rule.gap for rule in rules)
        np.testing.assert_allclose([rule.loss[0] for rule in rules], expected, atol=1e-9)
