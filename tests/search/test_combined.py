"""Aggregates with a condition and bundles, which the finder refines by several choices together."""

from __future__ import annotations

import numpy as np
import pytest

from structtree import Grammar, Population, best_split, holds, pretty
from structtree.lang.parse import parse_predicate
from structtree.search.combined import Combined
from structtree.search.finder import Finder
from structtree.search.queries import Query, Vocabulary
from structtree.search.scorers import scorer_for
from structtree.search.sweeps import Sweeps
from structtree.space.space import Space
from structtree.space.terms import n_literals

TYPES = """type Person = { age: int, orders: set of Order }
    type Order = { channel: a | b | c, price: real, week: int, items: set of Item }
    type Item = { weight: real, red: bool }
    individual Person"""
TESTS = "top -> channel = *; top -> week >= *; top -> exists items (top); top -> top and top max 2"
AGGREGATES = f"""{TYPES}
    refine Person {{
        top -> max orders (top).price >= *; top -> min orders (top).week <= *; top -> age >= *
        top -> top and top max 2
    }}
    refine Order {{ {TESTS} }}
    refine Item {{ top -> red; top -> weight >= * }}
    limits {{ literals 5 }}"""
INSIDE = f"""{TYPES}
    refine Person {{ top -> exists orders (top); top -> count orders (top) >= *; top -> age >= *; top -> top and top}}
    refine Order {{ top -> share items (top) >= *; {TESTS} }}
    refine Item {{ top -> red }}
    limits {{ literals 5 }}"""
BUNDLES = f"""{TYPES}
    refine Person {{ top -> exists orders (top); top -> count orders (top) >= *; top -> age >= * and age <= * }}
    refine Order {{ top -> channel = * and price >= *; top -> week >= *; top -> top and top max 2 }}
    limits {{ literals 5 }}"""
GRAMMARS = {"aggregates": AGGREGATES, "inside": INSIDE, "bundles": BUNDLES}


def people(n, seed):
    rng = np.random.default_rng(seed)

    def order():
        items = [
            {"weight": round(float(rng.random()), 2), "red": bool(rng.integers(2))} for _ in range(rng.integers(3))
        ]
        price = round(float(rng.exponential(30)), 2)
        return {
            "channel": str(rng.choice(["a", "b", "c"])),
            "price": price,
            "week": int(rng.integers(20)),
            "items": items,
        }

    records = [
        {"age": int(rng.integers(20, 60)), "orders": [order() for _ in range(rng.integers(5))]} for _ in range(n)
    ]
    return Population.from_records(records, Grammar.parse(AGGREGATES).check().schema)


@pytest.mark.parametrize("counting", [False, True])
@pytest.mark.parametrize("name", ["acc*", "gini", "mse"])
@pytest.mark.parametrize("grammar", GRAMMARS)
def test_refinements_by_several_choices_are_as_good_as_they_say(grammar, name, counting):
    population = people(40, 1)
    rng = np.random.default_rng(2)
    labels = rng.normal(size=40) if name == "mse" else rng.choice(["x", "y"], 40)
    space = Space.build(Grammar.parse(GRAMMARS[grammar]), population)
    scorer = scorer_for(name, labels, 40)
    sweeps = Sweeps(space, scorer, 1)
    query, combined, n_members = Query("Person"), Combined(sweeps), 0
    for _ in range(4):
        more = list(combined.picks(query))
        for candidate in sweeps.refinements(query, counting=counting, more=more):
            predicate = sweeps.words.predicate(sweeps.made(candidate))
            true = holds(predicate, population)
            loss = scorer.loss(scorer.counts(true[:, None]))[0] if 1 <= true.sum() <= 39 else (np.inf, np.inf)
            np.testing.assert_allclose(candidate.loss, loss, atol=1e-9, err_msg=pretty(predicate))
            assert (sweeps.truth(sweeps.made(candidate))[population.individuals] == true).all(), pretty(predicate)
        found = [pick.candidate(k) for pick in more for k in range(len(pick.sizes))]
        predicates = [sweeps.words.predicate(sweeps.made(candidate)) for candidate in found]
        n_members += sum(predicate in space for predicate in predicates)
        inside = [candidate for candidate, predicate in zip(found, predicates, strict=True) if predicate in space]
        if not inside:
            break
        query = sweeps.made(inside[rng.integers(len(inside))])
    assert n_members >= 10


@pytest.mark.parametrize("grammar", GRAMMARS)
def test_predicates_become_queries_and_queries_the_same_predicates(grammar):
    space = Space.build(Grammar.parse(GRAMMARS[grammar]), people(20, 3))
    words, combined = Vocabulary(space), Combined(Sweeps(space, scorer_for("acc*", np.arange(20) % 2, 20), 1))
    for pick in combined.picks(Query("Person")):
        for k in range(len(pick.sizes)):
            candidate = pick.candidate(k)
            predicate = words.predicate(combined.sweeps.made(candidate))
            if predicate in space:
                assert candidate.size == n_literals(predicate)
                again = words.query(predicate)
                assert again is not None
                assert words.predicate(again) == predicate


RULES = [
    ("aggregates", "max orders (channel = b and week >= 5).price >= 25"),
    ("aggregates", "age >= 40 and min orders (channel = a).week <= 6"),
    ("inside", "exists orders (channel = c and share items (red) >= 0.4)"),
    ("bundles", "exists orders (channel = b and price >= 20 and week >= 6)"),
    ("bundles", "age >= 30 and age <= 45"),
]


@pytest.mark.parametrize(("grammar", "rule"), RULES)
def test_planted_rules_are_found_with_normal_effort(grammar, rule):
    population = people(400, 5)
    classes = holds(parse_predicate(rule), population)
    turned = np.random.default_rng(6).permutation(400)[:16]
    classes[turned] = ~classes[turned]
    assert 0.1 <= classes.mean() <= 0.9
    found = best_split(population, classes, Grammar.parse(GRAMMARS[grammar]), effort="normal")
    assert found.score >= 1 - 16 / 400 - 1e-9


def test_the_finder_proposes_them_without_the_proof():
    population = people(300, 7)
    rule = RULES[0][1]
    classes = holds(parse_predicate(rule), population)
    space = Space.build(Grammar.parse(AGGREGATES), population)
    taken = []
    finder = Finder(
        Sweeps(space, scorer_for("acc*", classes, 300), 1), lambda p, loss: p in space and not taken.append(p)
    )
    for _ in finder.beam(2, counting=False):
        pass
    for predicate in finder.newest():
        for _ in finder.polish(finder.sweeps.words.query(predicate), counting=True):
            pass
    assert (holds(taken[-1], population) == classes).mean() >= 0.97
