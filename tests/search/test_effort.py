"""Effort: a search stops by the work it has done, whatever the clock says, and what it leaves open is in its gap."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from structtree import Grammar, best_split, load_dataset, pretty
from structtree.errors import UsageError
from structtree.search.effort import EFFORTS, LARGE_SHARE, Patience
from structtree.tasks.criteria import CRITERIA
from tests.properties.test_search import FEW, best_loss, problems

GIVEN_UP = Patience(1, 20_000, 0, 2, below=0)
SOON = [Patience(1, 0, 0, 1, below=0, rounds=0), Patience(1, 0, 0, 1, below=0), GIVEN_UP]
CLASSIFIERS = [name for name, criterion in CRITERIA.items() if criterion.task == "classes"]
TRAINS = load_dataset("planted-trains", n=100, seed=1, noise=0.2)
GRAMMAR = Grammar.from_schema(TRAINS.population.schema)
patiences = st.builds(
    Patience,
    multiple=st.floats(1, 10),
    work=st.integers(0, 300_000),
    proof=st.integers(0, 100_000),
    width=st.integers(1, 8),
    below=st.integers(0, 10**6),
    rounds=st.integers(0, 1),
)
shares = st.floats(0, 1)


def search(effort, **options):
    return best_split(TRAINS.population, TRAINS.target, GRAMMAR, criterion="entropy", effort=effort, **options)


# ---- how much patience ------------------------------------------------------------------------------------


@given(patiences, shares, shares, st.integers(1, 10**6), st.integers(0, 10**6), st.integers(0, 10**6))
def test_a_larger_share_of_the_loss_gets_no_less_work(patience, one, other, n, work, improved):
    least, most = (patience.of(share, n) for share in sorted((one, other)))
    assert max(least.work, least.proof) <= max(most.work, most.proof)
    assert least.is_over(work, improved, 1) or not most.is_over(work, improved, 1)


@given(patiences, shares, st.integers(1, 10**6))
def test_a_node_gets_no_more_work_than_the_root(patience, share, n):
    assume(patience.proof <= patience.work)
    root, part = patience.of(1.0, n), patience.of(share, n)
    assert part.work <= root.work and part.proof <= root.proof
    assert part.width <= patience.width and part.rounds <= patience.rounds
    assert part.is_small == (share < LARGE_SHARE or patience.is_small)


@given(patiences, st.integers(0, 10**6), st.integers(0, 10**6))
def test_after_the_first_round_no_search_does_more_than_its_work(patience, work, improved):
    if work >= max(patience.work, patience.proof):
        assert patience.is_over(work, improved, patience.rounds)
    if patience.is_over(work, improved, patience.rounds):
        assert patience.is_over(work + 1, improved, patience.rounds)


@given(patiences, st.integers(0, 10**6), st.integers(0, 10**6))
def test_a_search_is_not_over_before_its_rounds_and_its_proof(patience, work, improved):
    assert not patience.is_over(work, improved, patience.rounds - 1)
    assert work >= patience.proof or not patience.is_over(work, improved, patience.rounds)


def test_small_nodes_have_spent_their_work_when_it_is_more_than_their_own_and_a_quarter_of_the_rest():
    patience = Patience(3, 1000, 100, 4, below=50)
    many = 10**12
    assert [patience.is_spent(small, 0, many) for small in (50, 51)] == [False, True]
    assert [patience.is_spent(small, 1000, many) for small in (250, 251)] == [False, True]
    assert not patience.is_spent(251, 1000, 1000)


def test_the_work_of_small_nodes_is_least_for_a_thousand_individuals_and_full_from_two_thousand():
    patience = EFFORTS["normal"]
    half = patience.below // 2
    spent = {n: patience.is_spent(half + 1, 0, n) for n in (100, 999, 1000, 1001, 2000, 10**6)}
    assert spent == {100: False, 999: False, 1000: True, 1001: False, 2000: False, 10**6: False}
    assert not patience.is_spent(patience.below, 0, 2000)
    assert patience.is_spent(patience.below + 1, 0, 10**6)


def test_each_effort_is_more_than_the_one_before():
    quick, normal, thorough = (EFFORTS[name] for name in ("quick", "normal", "thorough"))
    for less, more in ((quick, normal), (normal, thorough)):
        for name in ("multiple", "work", "proof", "width", "below"):
            assert getattr(less, name) < getattr(more, name)
    assert EFFORTS["prove"] is None


# ---- what a search says -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CLASSIFIERS)
@settings(FEW, max_examples=8)
@given(problem=problems(), least=st.integers(1, 2), patience=patiences)
def test_no_predicate_is_better_than_the_gap_says(name, problem, least, patience):
    space, target, weights = problem
    expected = best_loss(space, target, weights, name, least)
    assume(expected is not None)
    options = {"criterion": name, "sample_weight": weights, "min_samples_leaf": least}
    found = best_split(space.population, target, space, effort=patience, **options)
    assert found.loss[0] - found.gap <= expected[0] + 1e-9
    assert tuple(found.loss) >= (expected[0] - 1e-9, -np.inf)
    if found.proved:
        np.testing.assert_allclose(found.loss, expected, atol=1e-9)
        assert found.gap == 0.0
    assert found.proved or found.stats.stopped_by == "effort"


@pytest.mark.parametrize("patience", SOON)
def test_a_search_that_stops_early_is_not_called_proved(patience):
    better, found = search("quick"), search(patience)
    assert (found.proved, found.stats.stopped_by) == (False, "effort")
    assert found.score - found.gap <= better.score <= found.score
    assert found.gap > 0 and pretty(found.predicate) != "top"


def test_thorough_proves_a_small_space():
    data = load_dataset("trains")
    found, best = (
        best_split(data.population, data.target, "trains", criterion="entropy", effort=each)
        for each in ("thorough", "prove")
    )
    assert (found.predicate, found.proved, found.stats.stopped_by) == (best.predicate, True, "done")


@pytest.mark.parametrize("effort", [*SOON, "quick"])
def test_a_search_does_the_same_whatever_the_clock_says(effort, ticking):
    found = []
    for step in (0.0, 1e-6, 1.0):
        ticking(step)
        found.append(search(effort, time_limit=1e12))
    for name in ("evaluated", "expanded", "pruned", "duplicates", "work", "stopped_by"):
        assert len({getattr(split.stats, name) for split in found}) == 1, name
    assert len({(split.predicate, split.gap) for split in found}) == 1
    assert found[0].stats.work > 0


def test_more_rounds_cost_more_work():
    works = [search(patience).stats.work for patience in SOON]
    assert works == sorted(works) and works[0] < works[-1]


@pytest.mark.parametrize("effort", ["fast", "", 3])
def test_an_unknown_effort_is_refused(effort):
    with pytest.raises(UsageError) as refused:
        search(effort)
    assert str(refused.value) == f"effort must be 'quick', 'normal', 'thorough' or 'prove'; got {effort!r}"
