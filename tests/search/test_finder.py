"""What a search finds in nested data long before it could prove anything, by evaluations and not by seconds."""

from __future__ import annotations

import numpy as np
import pytest

from structtree.data.population import Population
from structtree.lang.grammar import Grammar
from structtree.lang.parse import parse_predicate
from structtree.search.best_split import best_split
from structtree.space.evaluate import holds

RULE = parse_predicate("exists orders (channel = web and exists items (price >= 40 and returned))")


def customers(n, seed=0, noise=0.03):
    """Customers with orders with items, who mostly follow the rule."""
    rng = np.random.default_rng(seed)

    def item():
        return {"price": round(float(np.exp(rng.normal(3, 1))), 2), "returned": bool(rng.random() < 0.25)}

    def order():
        items = [item() for _ in range(rng.integers(1, 4))]
        return {
            "channel": ["web", "shop", "phone"][rng.integers(3)],
            "days": int(rng.integers(1, 31)),
            "items": items,
        }

    records = [
        {"age": int(rng.integers(18, 90)), "orders": [order() for _ in range(rng.integers(0, 4))]} for _ in range(n)
    ]
    population = Population.from_records(records)
    target = holds(RULE, population) ^ (rng.random(n) < noise)
    return population, target, Grammar.from_schema(population.schema)


def accuracy_of_the_rule(population, target):
    return float(np.mean(holds(RULE, population) == target))


@pytest.mark.parametrize("criterion", ["acc*", "accuracy", "entropy", "gini"])
def test_a_rule_of_five_literals_is_found_whatever_the_criterion(criterion):
    population, target, grammar = customers(300)
    found = best_split(population, target, grammar, criterion=criterion, max_evaluations=4_000_000)
    scorer = found.problem.scorer
    planted = scorer.loss(scorer.counts(holds(RULE, population)[:, None]))[0]
    assert scorer.compare(found.loss, (planted[0], planted[1])) <= 0
    assert not found.proved
    assert found.stats.stopped_by == "evaluations"


def test_of_many_individuals_a_sample_is_enough_to_begin_with():
    population, target, grammar = customers(6_000, seed=1)
    found = best_split(population, target, grammar, max_evaluations=6_000_000)
    assert found.score >= accuracy_of_the_rule(population, target)


def test_finding_is_the_same_from_run_to_run():
    first, second = (best_split(*customers(200, seed=2), max_evaluations=400_000) for _ in range(2))
    assert first.predicate == second.predicate
    assert first.stats.evaluated == second.stats.evaluated


def test_a_hint_is_polished_before_anything_else_is_looked_for():
    population, target, grammar = customers(300)
    near = grammar.predicate("exists orders (exists items (price >= 45 and returned))", population.schema)
    with_hint, without = (
        best_split(population, target, grammar, hints=hints, max_evaluations=75_000) for hints in ((near,), ())
    )
    assert with_hint.score >= accuracy_of_the_rule(population, target)
    assert with_hint.score > without.score
