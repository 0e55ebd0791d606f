"""Searching on from a predicate: what a path of a tree knows may be refined further."""

from __future__ import annotations

import numpy as np
import pytest

from structtree import Grammar, Population, Space, best_split, holds, load_dataset, pretty
from structtree.lang.logic import implies

ONE_STEP = """
refine Train { top -> exists cars (top) }
refine Car { top -> shape = *; top -> long; top -> not long; top -> roof != none; top -> load (top) }
refine Load { top -> shape = * }
"""


@pytest.fixture
def trains():
    return load_dataset("trains")


def enumerated(space, start):
    waiting = list(space.reopened(start))
    while waiting:
        position = waiting.pop()
        yield position.predicate
        waiting.extend(space.extend(position))


@pytest.mark.parametrize(
    "text",
    [
        "exists cars (long)",
        "exists cars (not long and load (shape = circle))",
    ],
)
def test_everything_made_from_a_start_implies_it_and_is_made_once(trains, text):
    space = Space.build(Grammar.parse(ONE_STEP), trains.population)
    start = space.parse(text)
    found = list(enumerated(space, start))
    assert len(set(found)) == len(found) > 5
    before = holds(start, trains.population)
    assert all((holds(predicate, trains.population) <= before).all() for predicate in found)


def test_of_a_conjunction_each_literal_is_refined_by_itself(trains):
    space = Space.build(Grammar.parse(ONE_STEP), trains.population)
    one, other = space.parse("exists cars (long)"), space.parse("exists cars (roof != none)")
    both = space.parse("exists cars (long) and exists cars (roof != none)")
    assert set(enumerated(space, both)) == set(enumerated(space, one)) | set(enumerated(space, other))


def test_a_start_without_links_offers_nothing_to_refine():
    data = Population.from_records([{"a": 1, "b": True}, {"a": 2, "b": False}])
    space = Space.build(Grammar.parse("refine Individual { top -> a >= * ; top -> b }"), data)
    assert list(space.reopened(space.parse("b"))) == []


def test_a_one_step_grammar_finds_two_conditions_on_the_same_row():
    both = [{"xs": [{"p": True, "q": True}, {"p": False, "q": False}]}] * 5
    apart = [{"xs": [{"p": True, "q": False}, {"p": False, "q": True}]}] * 5
    data = Population.from_records(both + apart)
    labels = np.array(["both"] * 5 + ["apart"] * 5, dtype=object)
    grammar = Grammar.parse("refine Individual { top -> exists xs (top) } refine X { top -> p; top -> q }")
    alone = best_split(data, labels, grammar)
    assert alone.score == 0.5
    start = Space.build(grammar, data).parse("exists xs (p)")
    shared = best_split(data, labels, grammar, start=start)
    assert (pretty(shared.predicate), shared.score, shared.proved) == ("exists xs (p and q)", 1.0, True)
    assert implies(shared.predicate, start)


@pytest.mark.parametrize("criterion", ["acc*", "entropy"])
@pytest.mark.parametrize("text", ["exists cars (long)", "exists cars (not long and load (shape = circle))"])
def test_with_a_start_pruned_and_exhaustive_search_agree_and_find_the_best_there_is(trains, criterion, text):
    grammar = Grammar.parse(ONE_STEP)
    space = Space.build(grammar, trains.population)
    start = space.parse(text)
    inside = holds(start, trains.population)
    part, labels = trains.population.take(inside), trains.target[inside]
    pruned = best_split(part, labels, grammar, criterion=criterion, start=start)
    whole = best_split(part, labels, grammar, criterion=criterion, start=start, prune=False)
    assert pruned.loss == pytest.approx(whole.loss)
    assert pruned.predicate == whole.predicate
    own = Space.build(grammar, part)
    scorer = pruned.problem.scorer
    candidates = np.stack([holds(p, part) for p in [*own.enumerate(), *enumerated(own, start)]], axis=1)
    splits = candidates[:, candidates.any(axis=0) & ~candidates.all(axis=0)]
    losses = scorer.loss(scorer.counts(splits))
    assert pruned.loss == pytest.approx(min(map(tuple, losses.tolist())))
