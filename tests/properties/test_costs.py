"""Laws of cost tolerances: the result is the cheapest predicate that is nearly the best, by brute force."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from structtree import Growth
from structtree.errors import UsageError
from structtree.lang.check import check
from structtree.lang.grammar import Grammar
from structtree.lang.pretty import pretty_grammar
from structtree.learn.growing import grow
from structtree.learn.plan import plan_for
from structtree.search.best_split import best_split
from structtree.search.scorers import scorer_for
from structtree.search.why_not import why_not
from structtree.space.evaluate import holds
from structtree.space.space import Space
from structtree.space.terms import canonical, n_literals
from structtree.tasks.criteria import CRITERIA
from tests.properties.test_space import members, spaces

FEW = settings(max_examples=30, suppress_health_check=[HealthCheck.filter_too_much])
TOLERANCES = st.sampled_from([0.05, 0.3, 0.7, 0.9])


def with_costs(space, costs):
    """The space of the same grammar, whose rewrites have the given costs in turn; None keeps 1 per literal."""
    syntax = space.grammar.syntax
    turn = iter(costs * 100)
    blocks = tuple(
        replace(
            block,
            rewrites=tuple(r if r.conjuncts is not None else replace(r, cost=next(turn)) for r in block.rewrites),
        )
        for block in syntax.blocks
    )
    text = pretty_grammar(replace(syntax, blocks=blocks))
    return Space.build(Grammar.parse(text), space.population)


@st.composite
def problems(draw):
    space = draw(spaces())
    n = len(space.population)
    assume(n >= 2)
    target = np.array(draw(st.lists(st.sampled_from("abc"), min_size=n, max_size=n)), dtype=object)
    assume(len(set(target)) > 1)
    costs = draw(st.lists(st.sampled_from([None, 1, 2, 5]), min_size=1, max_size=6))
    weights = np.array(draw(st.lists(st.sampled_from([0.5, 1.0, 2.0]), min_size=n, max_size=n)))
    return with_costs(space, costs), target, weights


def scored(space, scorer, least):
    """The loss and the cost of every predicate that leaves enough on both sides, one by one."""
    found = {}
    for predicate in members(space):
        true = holds(predicate, space.population)
        if least <= true.sum() <= len(true) - least:
            found[predicate] = (tuple(scorer.loss(scorer.counts(true[:, None]))[0].tolist()), space.cost(predicate))
    return found


def is_nearly(loss, best, unsplit, tolerance, scorer):
    """Whether a loss gives up at most the tolerated fraction of the best gain, in the first component that gains."""
    if scorer.compare(best, unsplit) >= 0:
        return scorer.compare(loss, best) <= 0
    worst = tuple(b + tolerance * max(0.0, u - b) for b, u in zip(best, unsplit, strict=True))
    return scorer.compare(loss, worst) <= 0


@pytest.mark.parametrize("name", [*CRITERIA])
@FEW
@given(problem=problems(), least=st.integers(1, 2), tolerance=TOLERANCES)
def test_the_result_is_the_cheapest_of_those_that_are_nearly_the_best(name, problem, least, tolerance):
    space, target, weights = problem
    if name == "mse":
        target = np.array([ord(label) for label in target], dtype=np.float64)
    scorer = scorer_for(name, target, len(target), weights)
    losses = scored(space, scorer, least)
    assume(losses)
    best, unsplit = min(loss for loss, _ in losses.values()), tuple(scorer.criterion.unsplit(scorer.total).tolist())
    nearly = [(cost, loss) for loss, cost in losses.values() if is_nearly(loss, best, unsplit, tolerance, scorer)]
    cheapest = min(cost for cost, _ in nearly)
    expected = min(loss for cost, loss in nearly if cost == cheapest)
    for prune in (True, False):
        found = best_split(
            space.population,
            target,
            space,
            criterion=name,
            prune=prune,
            sample_weight=weights,
            min_samples_leaf=least,
            cost_tolerance=tolerance,
        )
        assert found.proved
        assert found.cost == space.cost(found.predicate) == cheapest
        np.testing.assert_allclose(found.loss, expected, atol=1e-9)
        np.testing.assert_allclose((found.best or found).loss, best, atol=1e-9)
        assert found.best is None or found.best.cost > found.cost


@FEW
@given(problem=problems(), tolerance=TOLERANCES)
def test_of_a_search_without_a_proof_the_result_is_nearly_the_best_found(problem, tolerance):
    space, target, weights = problem
    scorer = scorer_for("entropy", target, len(target), weights)
    unsplit = tuple(scorer.criterion.unsplit(scorer.total).tolist())
    found = best_split(
        space.population,
        target,
        space,
        criterion="entropy",
        sample_weight=weights,
        max_evaluations=10,
        cost_tolerance=tolerance,
    )
    best = found.best or found
    assert is_nearly(found.loss, best.loss, unsplit, tolerance, scorer)
    losses = scored(space, scorer, 1)
    if found.proved and losses:
        nearly = [cost for loss, cost in losses.values() if is_nearly(loss, best.loss, unsplit, tolerance, scorer)]
        assert found.cost == min(nearly)


@FEW
@given(problem=problems())
def test_without_a_tolerance_costs_change_nothing(problem):
    space, target, weights = problem
    plain = with_costs(space, [None])
    assert not plain.is_priced
    one, other = (
        best_split(each.population, target, each, sample_weight=weights, cost_tolerance=0.0)
        for each in (space, plain)
    )
    assert (one.predicate, one.loss, one.stats.evaluated) == (other.predicate, other.loss, other.stats.evaluated)


@given(spaces())
def test_without_costs_a_predicate_costs_its_literals(space):
    assert all(space.cost(predicate) == n_literals(predicate) for predicate in members(space)[:300])


@FEW
@given(problem=problems(), tolerance=TOLERANCES)
def test_a_search_says_why_a_better_test_lost(problem, tolerance):
    space, target, weights = problem
    found = best_split(
        space.population, target, space, criterion="entropy", sample_weight=weights, cost_tolerance=tolerance
    )
    for predicate in members(space)[:40]:
        answer = why_not(found, predicate)
        scorer = found.problem.scorer
        true = holds(predicate, space.population)
        loss = tuple(scorer.loss(scorer.counts(true[:, None]))[0].tolist())
        is_better = 0 < true.sum() < len(true) and scorer.improves(loss, found.loss)
        assert is_better == (answer.kind == "dearer")
        assert answer.kind != "missed"
        if is_better:
            assert space.cost(predicate) > found.cost
            assert f"cost {space.cost(predicate)} against {found.cost}" in answer.sentence


@given(spaces(), st.lists(st.sampled_from([None, 1, 2, 5]), min_size=1, max_size=6))
def test_costs_survive_printing_and_checking(space, costs):
    priced = with_costs(space, costs)
    checked = check(Grammar.parse(priced.grammar.text).syntax, priced.population.schema)
    assert [r.cost for rs in checked.rewrites.values() for r in rs] == [
        r.cost for rs in priced.grammar.rewrites.values() for r in rs
    ]


@pytest.mark.parametrize("route", ["sweeps", "table"])
@FEW
@given(problem=problems(), tolerance=TOLERANCES)
def test_listed_tests_have_the_costs_of_the_search(route, problem, tolerance):
    """Of several tests that select the same individuals, the cheapest is listed."""
    space, target, weights = problem
    scorer = scorer_for("entropy", target, len(target), weights)
    losses = scored(space, scorer, 1)
    assume(losses)
    growth = Growth(max_depth=1, effort="prove", cost_tolerance=tolerance)
    given_to = {"criterion": "entropy", "sample_weight": weights}
    try:
        plan = plan_for(space.population, space.grammar, growth, route=route)
        tree = grow(space.population, target, space.grammar, growth, plan=plan, **given_to)
    except UsageError as error:
        assert f"cannot use the route {route!r}" in str(error)
        assume(False)
    best, unsplit = (min(loss for loss, _ in losses.values()), tuple(scorer.criterion.unsplit(scorer.total).tolist()))
    assume(scorer.improves(best, unsplit))
    nearly = [(cost, loss) for loss, cost in losses.values() if is_nearly(loss, best, unsplit, tolerance, scorer)]
    cost, loss = min(nearly)
    root = tree.nodes[0]
    assert root.found.proved
    assert space.cost(canonical(root.test)) == cost
    assert root.found.score == pytest.approx(scorer.score(np.array(loss)), abs=1e-9)
