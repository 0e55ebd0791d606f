"""Laws of the search: pruned equals exhaustive equals brute force, whatever the space, the labels and the weights."""

from __future__ import annotations

from itertools import pairwise
from math import log

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from structtree.search.best_split import best_split
from structtree.search.scorers import scorer_for
from structtree.space.count import count_space
from structtree.space.evaluate import holds
from structtree.tasks.criteria import CRITERIA
from tests.properties.test_space import members, spaces

CLASSIFIERS = [name for name, criterion in CRITERIA.items() if criterion.task == "classes"]
# Many problems are passed over: one individual, one class, or a space that is too large.
FEW = settings(max_examples=30, suppress_health_check=[HealthCheck.filter_too_much])


@st.composite
def problems(draw, numbers=False):
    space = draw(spaces())
    n = len(space.population)
    assume(n >= 2)
    if numbers:
        target = np.array(draw(st.lists(st.integers(-4, 4), min_size=n, max_size=n)), dtype=np.float64)
        assume(len(set(target.tolist())) > 1)
    else:
        target = np.array(draw(st.lists(st.sampled_from("abc"), min_size=n, max_size=n)), dtype=object)
        assume(len(set(target)) > 1)
    weights = np.array(draw(st.lists(st.sampled_from([0.5, 1.0, 2.0]), min_size=n, max_size=n)))
    return space, target, weights


def best_loss(space, target, weights, name, least):
    """The least loss over all predicates that leave enough on both sides, one by one; None when there is none."""
    scorer = scorer_for(name, target, len(target), weights)
    losses = []
    for predicate in members(space):
        true = holds(predicate, space.population)
        if least <= true.sum() <= len(true) - least:
            losses.append(tuple(scorer.loss(scorer.counts(true[:, None]))[0]))
    return min(losses, default=None)


def check(space, target, weights, name, least):
    expected = best_loss(space, target, weights, name, least)
    assume(expected is not None)
    for prune in (True, False):
        found = best_split(
            space.population,
            target,
            space,
            criterion=name,
            prune=prune,
            sample_weight=weights,
            min_samples_leaf=least,
        )
        assert found.proved
        assert found.gap == 0.0
        assert prune or found.stats.evaluated == count_space(space).size
        np.testing.assert_allclose(found.loss, expected, atol=1e-9)
        check_trace(found)


def check_trace(found):
    """The best found only gets better, no bound is worse than what is the best in the end, and there they meet."""
    trace, quote = found.stats.trace, found.problem.scorer.criterion.score
    sign = quote(1.0) - quote(0.0)
    losses, bounds = ([sign * getattr(point, name) for point in trace] for name in ("score", "bound"))
    assert all(later <= earlier + 1e-9 for earlier, later in pairwise(losses[1:]))
    assert all(bound <= losses[-1] + 1e-9 for bound in bounds)
    assert losses[-1] == bounds[-1] == pytest.approx(sign * found.score)
    counts = [point.evaluated for point in trace]
    assert counts == sorted(counts) and counts[-1] == found.stats.evaluated
    assert len(trace) <= 2 + log(counts[-1]) / log(1.3) + 1


@pytest.mark.parametrize("name", CLASSIFIERS)
@FEW
@given(problem=problems(), least=st.integers(1, 2))
def test_pruned_and_exhaustive_search_find_the_best_split(name, problem, least):
    check(*problem, name, least)


@FEW
@given(problem=problems(numbers=True), least=st.integers(1, 2))
def test_pruned_and_exhaustive_search_find_the_best_split_of_numbers(problem, least):
    check(*problem, "mse", least)


def least_losses(space, target, weights, name, least, k):
    """The k least losses over all sets of individuals that some predicate of the space keeps."""
    scorer = scorer_for(name, target, len(target), weights)
    kept = {tuple(holds(predicate, space.population).tolist()) for predicate in members(space)}
    some = [np.array(true) for true in kept if least <= sum(true) <= len(true) - least]
    return sorted(tuple(scorer.loss(scorer.counts(true[:, None]))[0]) for true in some)[:k]


@pytest.mark.parametrize("name", ["acc*", "accuracy", "entropy", "gain-ratio", "mse"])
@FEW
@given(problem=problems(), least=st.integers(1, 2), k=st.sampled_from([2, 3, 7]))
def test_the_k_best_are_those_of_the_whole_space(name, problem, least, k):
    space, target, weights = problem
    if name == "mse":
        target = np.array([ord(label) for label in target], dtype=np.float64)
    expected = least_losses(space, target, weights, name, least, k)
    assume(expected)
    given_to = {"criterion": name, "sample_weight": weights, "min_samples_leaf": least}
    best = best_split(space.population, target, space, **given_to)
    for prune in (True, False):
        found = best_split(space.population, target, space, k=k, prune=prune, **given_to)
        splits = (found, *found.next_best)
        assert found.predicate == best.predicate
        assert all(split.proved and not split.gap for split in splits)
        np.testing.assert_allclose([split.loss for split in splits], expected, atol=1e-9)
        meanings = {tuple(holds(split.predicate, space.population).tolist()) for split in splits}
        assert len(meanings) == len(splits)


@pytest.mark.parametrize("name", ["acc*", "entropy", "mse"])
@FEW
@given(problem=problems())
def test_the_winner_is_the_same_with_and_without_pruning(name, problem):
    space, target, weights = problem
    if name == "mse":
        target = np.array([ord(label) for label in target], dtype=np.float64)
    with_pruning, without = (
        best_split(space.population, target, space, criterion=name, prune=prune, sample_weight=weights)
        for prune in (True, False)
    )
    assert with_pruning.predicate == without.predicate
    assert with_pruning.stats.evaluated <= without.stats.evaluated


@FEW
@given(problem=problems())
def test_a_beam_finds_nothing_better_and_its_gap_is_no_smaller_than_the_truth(problem):
    space, target, weights = problem
    best = best_split(space.population, target, space, sample_weight=weights)
    beam = best_split(space.population, target, space, sample_weight=weights, strategy="beam", beam_width=2)
    assert beam.loss >= best.loss or np.allclose(beam.loss, best.loss)
    assert beam.loss[0] - beam.gap <= best.loss[0] + 1e-12
    assert not beam.proved or np.allclose(beam.loss, best.loss)
