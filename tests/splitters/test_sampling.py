"""Laws of sampled columns: all of them change nothing, and the best of some is what brute force finds among those."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

from structtree import Grammar, Population, Space, holds, pretty
from structtree.learn.growing import grow_by
from structtree.learn.plan import plan_for
from structtree.models.settings import Growth
from structtree.search.clock import Clock
from structtree.search.scorers import scorer_for
from structtree.splitters.sampling import ColumnSampler
from structtree.splitters.splitter import GrowingNode
from structtree.tasks.target import target_for
from tests.splitters.test_sweep import drawn

FLAT = Grammar.parse("refine Individual { top -> * >= *; top -> * <= *; top -> * = * }")
COMBINED = Grammar.parse("""
refine Individual { top -> a >= *; top -> kind = *; top -> exists parts (top); top -> count parts (top) >= *
                    top -> top and top max 2 }
refine Part { top -> size >= *; top -> size <= *; top -> flat; top -> color = *; top -> top and top max 2 }
limits { literals 3 }
""")
ROUTES = [("sweeps", FLAT), ("parts", FLAT), ("table", COMBINED), ("search", COMBINED)]
FEATURES = {FLAT: ["a", "b", "c", "kind"], COMBINED: ["a", "kind", "size", "flat", "color"]}


def things(n, seed):
    rng = np.random.default_rng(seed)

    def part():
        return {"size": int(rng.integers(3)), "flat": bool(rng.random() < 0.5), "color": str(rng.choice(["r", "g"]))}

    def thing():
        numbers = {name: [None, 1, 2, 3, 4][rng.integers(5)] for name in "abc"}
        kind = str(rng.choice(["x", "y", "z"]))
        return {**numbers, "kind": kind, "parts": [part() for _ in range(rng.integers(1, 4))]}

    records = [thing() for _ in range(n)]
    return Population.from_records(records), rng.choice(["no", "yes"], n)


def case(route, grammar, seed, n=30):
    """A plan for things, and their labels."""
    population, labels = things(n, seed)
    growth = Growth(max_depth=3, effort="prove", missing="fractional" if route == "parts" else "false")
    plan = plan_for(population, grammar.check(population.schema), growth, route=route)
    assert plan.route == route
    return plan, target_for(labels, n, "entropy").counted()


def grown(plan, target, sampler=None):
    return grow_by(target, plan.population, plan.grammar, plan.growth, plan=plan, sampler=sampler)


@pytest.mark.parametrize(("route", "grammar"), ROUTES)
def test_all_columns_give_the_same_tree_as_no_sampler(route, grammar):
    plan, target = case(route, grammar, 0)
    every = ColumnSampler(10**6, np.random.default_rng(0))
    assert drawn(grown(plan, target, every)) == drawn(grown(plan, target))


@pytest.mark.parametrize(("route", "grammar"), ROUTES)
def test_one_seed_gives_one_tree_and_others_give_others(route, grammar):
    plan, target = case(route, grammar, 1)
    trees = [drawn(grown(plan, target, ColumnSampler(1, np.random.default_rng(seed)))) for seed in (0, 0, *range(9))]
    assert trees[0] == trees[1]
    assert any(tree != trees[0] for tree in trees)


@dataclass(frozen=True)
class Given(ColumnSampler):
    """Returns certain columns, and notes how many there are."""

    places: tuple[int, ...] = ()
    seen: list[int] = field(default_factory=list)

    def draw(self, n_columns):
        self.seen.append(n_columns)
        return np.array(self.places)


def mentions(predicate, names):
    """Those of some names that a predicate has."""
    words = pretty(predicate).replace("(", " ").replace(")", " ").split()
    return {name for name in names if name in words}


def least_loss(space, labels, names, grammar):
    """The least loss of all predicates that mention no other features, one by one."""
    scorer, losses = scorer_for("entropy", labels, len(labels)), []
    for predicate in space.enumerate():
        true = holds(predicate, space.population)
        if mentions(predicate, FEATURES[grammar]) <= names and 0 < true.sum() < len(true):
            losses.append(tuple(scorer.loss(scorer.counts(true[:, None]))[0]))
    return min(losses, default=None)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("route", "grammar"), [("sweeps", FLAT), ("search", COMBINED)])
def test_the_best_of_some_columns_is_the_best_predicate_made_of_them(route, grammar, seed):
    plan, target = case(route, grammar, seed, n=14)
    labels = np.array(target.classes, dtype=object)[target.values]
    features, space = FEATURES[grammar], Space.build(grammar, plan.population)
    if route == "sweeps":
        tests = plan.prepared.columns
        attribute_of = {int(tests.tests[t, 0]): test.attribute for t, test in enumerate(tests.members.tests)}
        features = [attribute_of[column] for column in range(len(tests))]
    for places in [(0,), (1,), (2,), (3,), (0, 2), (1, 3), (0, 1, 2, 3)]:
        sampler = Given(1, np.random.default_rng(0), places)
        splitter = plan.splitter(target, plan.growth, Clock(), sampler)
        found = splitter.best(GrowingNode(splitter.root(), 0, True), Clock()).candidate
        expected = least_loss(space, labels, {features[place] for place in places}, grammar)
        splitter.close()
        assert sampler.seen == [len(features)]
        assert (found is None) == (expected is None)
        if found is not None:
            np.testing.assert_allclose(found.loss, expected, atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("missing", ["false", "majority", "fractional"])
def test_divisions_of_some_columns_are_those_of_a_grammar_that_has_only_these(missing, seed):
    population, labels = things(40, seed)
    target, growth = target_for(labels, 40, "entropy").counted(), Growth(max_depth=1, missing=missing)
    plan = plan_for(population, FLAT.check(population.schema), growth, route="parts")
    listed = plan.prepared
    for places in [(0,), (3,), (0, 2), (1, 2, 3)]:
        names = {test.attribute for t, test in enumerate(listed.members.tests) if listed.tests[t, 0] in places}
        numbers, others = sorted(names & set("abc")), sorted(names - set("abc"))
        rules = [f"top -> {name} >= *; top -> {name} <= *" for name in numbers]
        text = "; ".join([*rules, *(f"top -> {name} = *" for name in others)])
        alone = Grammar.parse(f"refine Individual {{ {text} }}").check(population.schema)
        some = grown(plan, target, Given(1, np.random.default_rng(0), places))
        assert drawn(some) == drawn(grown(plan_for(population, alone, growth, route="parts"), target))
