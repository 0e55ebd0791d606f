"""Every option on every way to a tree: the tree of a plain recursion, or refused by the option's name.

The oracle knows nothing of plans, splitters and orders of dividing. It evaluates every predicate that a grammar
offers at a node, takes the best, and asks the options one by one whether to take it. Weights are random, so that no
two different divisions are equally good; where two tests divide alike, either will do.
"""

from __future__ import annotations

import pickle
from dataclasses import fields, replace
from math import inf
from typing import ClassVar

import numpy as np
import pytest

from structtree import Grammar, Growth, Population
from structtree.errors import UsageError
from structtree.lang.parse import parse_predicate
from structtree.lang.syntax import TOP
from structtree.learn.builder import Builder
from structtree.learn.growing import grow
from structtree.learn.plan import plan_for
from structtree.learn.stopping import literals_offered, predicate_bits, saves_bits
from structtree.models.tree import Branch, Leaf
from structtree.space.evaluate import holds
from structtree.space.space import Space
from structtree.tasks.classification import Classification
from structtree.tasks.criteria import TOLERANCE, better
from structtree.tasks.target import target_for
from tests.growing import grow_on
from tests.splitters.toy_splitter import median_plan

FLAT = Grammar.parse(
    "refine Thing { top -> color = *; top -> size >= *; top -> weight >= *; top -> size >= its dose }"
)
LINKS = Grammar.parse(
    "refine Thing { top -> color = *; top -> size >= *; top -> size >= its dose; top -> exists parts (top) } "
    "refine Part { top -> old; top -> not old; top -> length >= *; top -> length = its width }"
)
PRICED_FLAT = Grammar.parse(
    "refine Thing { top -> weight >= * cost 4; "
    "top -> size >= * cost 6; top -> color = *; top -> size >= its dose cost 3 }"
)
PRICED_LINKS = Grammar.parse(
    "refine Thing { top -> color = *; top -> size >= * cost 6; top -> exists parts (top) cost 2 } "
    "refine Part { top -> old; top -> not old; top -> length >= * cost 3; top -> length = its width }"
)
GRAMMARS = {"flat": FLAT, "links": LINKS, "priced flat": PRICED_FLAT, "priced links": PRICED_LINKS}
ROUTES = {"flat": ("sweeps", "table", "search", "parts"), "links": ("sweeps", "table", "search")}

OPTIONS = [
    {},
    {"max_depth": 2},
    {"min_samples_split": 15},
    {"min_samples_leaf": 6},
    {"min_impurity_decrease": 0.02},
    {"max_leaf_nodes": 5},
    {"max_leaf_nodes": 4, "min_samples_leaf": 3},
    {"stop": "test"},
    {"stop": "test", "significance": 0.4},
    {"stop": "mdl"},
    {"share": "path"},
    {"prune": False},
    {"strategy": "auto"},
    {"strategy": "bottom-up"},
    {"strategy": "best-first"},
    {"strategy": "exhaustive"},
    {"strategy": "beam"},
    {"effort": "quick"},
    {"effort": "normal"},
    {"effort": "thorough"},
    {"effort": "prove"},
    {"max_evaluations": 100_000},
    {"time_limit": 1000.0},
    {"random_state": 5},
    {"cost_tolerance": 0.4},
    {"nominal": "subset"},
    {"nominal": "multiway"},
    {"missing": "majority"},
    {"missing": "fractional"},
    {"average_gain_filter": True},
    {"nominal": "multiway", "max_leaf_nodes": 4},
    {"nominal": "subset", "stop": "test", "significance": 0.3},
    {"strategy": "bottom-up", "stop": "test", "significance": 0.4, "max_leaf_nodes": 6},
]


def things(n=40, seed=0):
    """Individuals without missing values, which `tests/splitters/test_fractional.py` is about."""
    rng = np.random.default_rng(seed)
    return Population.from_records(
        [
            {
                "color": str(rng.choice(["red", "green", "blue"])),
                "size": int(rng.integers(0, 6)),
                "weight": round(float(rng.normal()), 1),
                "dose": int(rng.integers(0, 6)),
                "parts": [
                    {
                        "old": bool(rng.random() < 0.3),
                        "length": int(rng.integers(1, 5)),
                        "width": int(rng.integers(1, 5)),
                    }
                    for _ in range(rng.integers(0, 3))
                ],
            }
            for _ in range(n)
        ],
        types={"parts": "set"},
        individual="Thing",
    )


def labels(population, rng):
    """Classes that depend on the size, and on chance."""
    return ((population.column("size").values >= 3) ^ (rng.random(len(population)) < 0.15)).astype(int)


# ---- the oracle -------------------------------------------------------------------------------------------------


class Oracle:
    """A tree by plain recursion, as nested pairs of individuals and sides."""

    def __init__(self, population, target, grammar, growth):
        self.population, self.target, self.growth = population, target, growth
        self.grammar = grammar.check(population.schema)
        self.criterion = target.criterion
        self.n_leaves = 1

    def tree(self):
        """The sides of every node, as sets of individuals."""
        everybody = np.arange(len(self.population))
        if self.growth.max_leaf_nodes is None:
            return self.divided(everybody, 0, ())
        return self.best_first(everybody, self.growth.max_leaf_nodes)

    def divided(self, rows, depth, known):
        split = self.best(rows, depth, known)
        if split is None:
            return (frozenset(rows.tolist()), frozenset())
        sides = [self.divided(side, depth + 1, more) for side, more in split["sides"]]
        return (frozenset(rows.tolist()), frozenset(sides))

    def best_first(self, everybody, most):
        leaves, children = [(everybody, 0, ())], {}
        while len(leaves) < most:
            splits = [(self.best(*leaf), leaf) for leaf in leaves]
            splits = [(s, leaf) for s, leaf in splits if s and len(leaves) + len(s["sides"]) - 1 <= most]
            if not splits:
                break
            split, leaf = max(splits, key=lambda one: one[0]["decrease"])
            leaves = [other for other in leaves if other is not leaf]
            sides = [(side, leaf[1] + 1, more) for side, more in split["sides"]]
            children[leaf[0].tobytes()] = sides
            leaves += sides

        def nested(leaf):
            return (
                frozenset(leaf[0].tolist()),
                frozenset(nested(side) for side in children.get(leaf[0].tobytes(), ())),
            )

        return nested((everybody, 0, ()))

    def best(self, rows, depth, known):
        """The best split of a node that everything allows."""
        growth, y = self.growth, self.target.values[rows]
        if len(rows) < growth.min_samples_split or depth == growth.max_depth or len(np.unique(y)) < 2:
            return None
        total = self.sums(rows)
        found, tried = None, []
        for test, places in self.divisions(rows, known):
            sizes = np.bincount(places)
            if (sizes >= growth.min_samples_leaf).sum() < 2:
                continue
            loss = self.loss(rows, places, total)
            tried.append((loss, test, places))
            if found is None or better(loss, found[0]):
                found = (loss, test, places)
        if found is not None and growth.tolerance:
            found = self.cheapest(tried, found[0], total, rows)
        if found is None or not better(found[0], self.criterion.unsplit(total)):
            return None
        loss, test, places = found
        share = self.target.weights[rows].sum() / self.target.weights.sum()
        decrease = tuple((share * np.maximum(self.criterion.unsplit(total) - loss, 0.0)).tolist())
        if decrease[0] + TOLERANCE < growth.min_impurity_decrease or self.is_stopped(rows, test, places):
            return None
        sides = [(rows[places == place], known) for place in range(places.max() + 1)]
        if test is not None and growth.share == "path":
            sides[0] = (sides[0][0], (test, *known))
        return {"sides": sides, "decrease": decrease}

    def cheapest(self, tried, best, total, rows):
        """The best of the cheapest splits that gain all but the tolerated part of what the best gains."""
        space = Space.build(self.grammar, self.population.take(rows))
        unsplit = self.criterion.unsplit(total)
        worst = best + self.growth.tolerance * np.maximum(unsplit - best, 0.0)
        nearly = [(space.cost(split[1]), split) for split in tried if not better(worst, split[0])]
        least = min(cost for cost, _ in nearly)
        chosen = None
        for split in (split for cost, split in nearly if cost == least):
            chosen = split if chosen is None or better(split[0], chosen[0]) else chosen
        return chosen

    def agrees(self, branch, rows):
        """Whether a branch gives up what it says of the gain of the dearer test that it names."""
        if isinstance(branch, Leaf) or branch.found.dearer is None:
            return True
        part, total = self.population.take(rows), self.sums(rows)
        tests = (parse_predicate(branch.found.dearer.test), branch.test)
        losses = [self.loss(rows, np.where(holds(test, part), 0, 1), total)[0] for test in tests]
        best, chosen = self.criterion.unsplit(total)[0] - losses
        return branch.found.dearer.given_up == pytest.approx(1 - chosen / best)

    def sums(self, rows):
        weights = self.target.weights[rows]
        return np.bincount(self.target.values[rows], weights, len(self.target.classes))

    def loss(self, rows, places, total):
        if places.max() == 1:
            return self.criterion.loss(self.sums(rows[places == 0])[None, :], total)[0]
        sides = np.array([self.sums(rows[places == place]) for place in range(places.max() + 1)])
        lost = self.criterion.impurity(sides).sum(axis=0) / total.sum()
        return np.array([lost, 0.0]) if np.ndim(lost) == 0 else lost

    def divisions(self, rows, known):
        """Every division that the grammar offers, with the side of each individual."""
        part = self.population.take(rows)
        space = Space.build(self.grammar, part)
        for test in self.offered(space, known):
            if not self.is_replaced(test):
                yield test, np.where(holds(test, part), 0, 1)
        yield from self.divisions_by_color(part)

    def offered(self, space, known):
        yield from (test for test in space.enumerate() if test != TOP)
        waiting = [position for test in known for position in space.reopened(test)]
        while waiting:
            position = waiting.pop()
            yield position.predicate
            waiting += space.extend(position)

    def is_replaced(self, test):
        return self.growth.nominal != "binary" and getattr(test, "attribute", None) == "color"

    def divisions_by_color(self, part):
        column = part.column("color")
        codes = np.unique(column.values, return_inverse=True)[1]
        if self.growth.nominal == "multiway" and codes.max(initial=0) > 0:
            yield None, codes
        if self.growth.nominal == "subset":
            for number in range(1, 2 ** (codes.max() + 1) - 1):
                yield None, np.where((number >> codes) & 1 == 1, 0, 1)

    def is_stopped(self, rows, test, places):
        sides = [self.target.values[rows[places == place]] for place in range(places.max() + 1)]
        if self.growth.stop == "test":
            return Classification().p_value(*sides) > self.growth.significance
        if self.growth.stop == "mdl":
            offered = literals_offered(Space.build(self.grammar, self.population.take(rows)))
            return not saves_bits(Classification(), *sides, for_test=predicate_bits(test, offered))
        return False


def shape(tree, population, index=0):
    """A tree as the oracle has it."""
    rows = {node: frozenset(which.tolist()) for node, which in tree.arrivals(population)}

    def nested(node):
        return (rows[node], frozenset(nested(child) for child in tree.nodes[node].children))

    return nested(index)


# ---- every option on every way ----------------------------------------------------------------------------------


def test_every_option_is_tried():
    assert {name for options in OPTIONS for name in options} == {field.name for field in fields(Growth)}


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: ", ".join(f"{k}={v}" for k, v in options.items()))
@pytest.mark.parametrize(("kind", "route"), [(kind, route) for kind, routes in ROUTES.items() for route in routes])
def test_it_is_the_tree_of_plain_recursion_or_refused_by_name(kind, route, options):
    """Searches run until their proof; with less effort, these spaces are small enough to be searched completely."""
    growth, grammar, refused = Growth(**{"effort": "prove", **options}), FLAT if kind == "flat" else LINKS, 0
    name = "gain-ratio" if growth.average_gain_filter else "entropy"
    for seed in range(3):
        population = things(seed=seed)
        rng = np.random.default_rng(seed + 50)
        classes, weights = labels(population, rng), rng.random(len(population)) + 0.5
        try:
            tree = grow_on(route, population, classes, grammar, growth, criterion=name, sample_weight=weights)
        except UsageError as error:
            named = [option for option in options if option in str(error)]
            assert named or f"cannot use the route {route!r}" in str(error)
            refused += 1
            continue
        assert all(isinstance(node, Leaf) or node.found.proved or growth.strategy == "beam" for node in tree.nodes)
        target = target_for(classes, len(classes), name, weights)
        if not growth.average_gain_filter:  # of which `tests/splitters/test_fractional.py` has an oracle
            assert shape(tree, population) == Oracle(population, target, grammar, growth).tree()
        assert len(tree.nodes) > 1
    assert refused in (0, 3)


@pytest.mark.parametrize("tolerance", [0.3, 0.6])
@pytest.mark.parametrize(
    ("kind", "route"), [(kind, route) for kind in GRAMMARS for route in ROUTES[kind.split(" ")[-1]]]
)
def test_the_cheapest_of_nearly_the_best_is_chosen_or_the_route_refuses(kind, route, tolerance):
    growth, dearer, refused = Growth(effort="prove", cost_tolerance=tolerance, max_depth=4), 0, 0
    for seed in range(3):
        population = things(seed=seed)
        rng = np.random.default_rng(seed + 50)
        classes, weights = labels(population, rng), rng.random(len(population)) + 0.5
        given = {"criterion": "entropy", "sample_weight": weights}
        try:
            tree = grow_on(route, population, classes, GRAMMARS[kind], growth, **given)
        except UsageError as error:
            assert "cost_tolerance" in str(error) or f"cannot use the route {route!r}" in str(error)
            refused += 1
            continue
        branches = [node for node in tree.nodes if isinstance(node, Branch)]
        assert all(branch.found.proved for branch in branches)
        target = target_for(classes, len(classes), "entropy", weights)
        oracle = Oracle(population, target, GRAMMARS[kind], growth)
        assert shape(tree, population) == oracle.tree()
        records = [branch.found.dearer for branch in branches if branch.found.dearer is not None]
        dearer += len(records)
        assert all(0 < one.given_up <= tolerance and one.chosen_cost < one.cost for one in records)
        assert all(oracle.agrees(tree.nodes[i], rows) for i, rows in tree.arrivals(population))
    assert refused in (0, 3)
    assert (dearer > 0) == (refused == 0 and kind != "flat")  # all of its tests cost the same


@pytest.mark.parametrize("route", ROUTES["flat"])
def test_thresholds_lie_between_the_values_of_the_node(route):
    """A tree that divides alike may still ask otherwise: where other tests have left gaps, in another place."""
    population = things(80)
    classes = np.random.default_rng(3).integers(0, 2, len(population))
    tree = grow_on(route, population, classes, FLAT, criterion="entropy")
    assert len(tree.branches) > 10
    for node, which in tree.arrivals(population):
        if isinstance(tree.nodes[node], Branch):
            assert tree.nodes[node].test in Space.build(FLAT, population.take(which)).enumerate()


# ---- plans and splitters are arguments ----------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "route"), [(kind, route) for kind in ROUTES for route in ROUTES[kind]])
def test_a_plan_is_used_again_for_other_targets_weights_and_limits(kind, route):
    population, grammar, rng = things(), FLAT if kind == "flat" else LINKS, np.random.default_rng(1)
    plan = plan_for(population, grammar.check(population.schema), route=route)
    for growth in (Growth(), Growth(max_depth=2), Growth(max_leaf_nodes=4, min_samples_leaf=3)):
        classes, weights = labels(population, rng), rng.random(len(population)) + 0.5
        given = {"criterion": "gini", "sample_weight": weights}
        tree = grow(population, classes, grammar, growth, plan=plan, **given)
        fresh = grow_on(route, population, classes, grammar, growth, **given)
        assert shape(tree, population) == shape(fresh, population)


@pytest.mark.parametrize(("kind", "route"), [(kind, route) for kind in ROUTES for route in ROUTES[kind]])
def test_a_pickled_plan_grows_the_same_tree(kind, route):
    population, grammar = things(), FLAT if kind == "flat" else LINKS
    classes = labels(population, np.random.default_rng(3))
    plan = plan_for(population, grammar.check(population.schema), route=route)
    again = pickle.loads(pickle.dumps(plan))
    assert again.route == route
    trees = [grow(population, classes, grammar, plan=each, criterion="entropy") for each in (plan, again, plan)]
    assert shape(trees[0], population) == shape(trees[1], population) == shape(trees[2], population)


class CountingBuilder(Builder):
    """A builder that notes the trees it builds."""

    built: ClassVar[list[str]] = []

    def build(self):
        self.built.append(type(self.splitter).__name__)
        return super().build()


def test_a_plan_selects_its_builder():
    population = things()
    plan = replace(plan_for(population, FLAT.check(population.schema)), builder=CountingBuilder)
    classes = labels(population, np.random.default_rng(0))
    tree = grow(population, classes, FLAT, plan=pickle.loads(pickle.dumps(plan)))
    assert CountingBuilder.built == ["SweepSplitter"]
    assert shape(tree, population) == shape(grow(population, classes, FLAT), population)


@pytest.mark.parametrize("route", ROUTES["flat"])
def test_by_a_plan_for_everybody_who_has_no_weight_is_left_out(route):
    population, rng = things(), np.random.default_rng(2)
    plan = plan_for(population, FLAT.check(population.schema), route=route)
    classes, weights = labels(population, rng), rng.integers(0, 3, len(population)) * rng.random(len(population))
    tree = grow(population, classes, FLAT, plan=plan, sample_weight=weights, criterion="entropy")
    inside = np.flatnonzero(weights)
    alone = grow(population.take(inside), classes[inside], FLAT, sample_weight=weights[inside], criterion="entropy")
    assert [node.stats for node in tree.nodes] == [node.stats for node in alone.nodes]


def test_a_plan_for_other_options_is_refused():
    population = things()
    plan = plan_for(population, FLAT.check(population.schema))
    with pytest.raises(UsageError, match="the plan is for strategy='auto'; got strategy='beam'"):
        grow(population, labels(population, np.random.default_rng(0)), FLAT, Growth(strategy="beam"), plan=plan)


@pytest.mark.parametrize("route", ROUTES["flat"])
def test_a_plan_says_why(route):
    population = things()
    plan = plan_for(population, FLAT.check(population.schema), route=route)
    assert plan.route == route and ", since " in plan.why


GROWTHS = [
    Growth(),
    Growth(max_depth=2),
    Growth(max_leaf_nodes=3),
    Growth(stop="test"),
    Growth(stop="mdl"),
    Growth(min_samples_leaf=9, min_impurity_decrease=0.01),
    Growth(time_limit=60.0),
]


@pytest.mark.parametrize("growth", GROWTHS)
def test_a_splitter_of_ones_own_grows_trees_with_every_option_of_growing(growth):
    """It asks for sizes in the middle only; the builder does the rest."""
    population, told = things(200), []
    classes = labels(population, np.random.default_rng(0))
    plan = median_plan(population, FLAT.check(population.schema), growth)
    tree = grow(population, classes, FLAT, growth, plan=plan, progress=told.append)
    assert {node.test.attribute for node in tree.nodes if isinstance(node, Branch)} == {"size"}
    assert all(tree.nodes[node].stats.n == len(which) for node, which in tree.arrivals(population))
    assert tree.depth <= (growth.max_depth or inf) and len(tree.leaves) <= (growth.max_leaf_nodes or inf)
    assert all(tree.nodes[leaf].stats.n >= growth.min_samples_leaf for leaf in tree.leaves)
    assert (told[-1].nodes, told[-1].leaves) == (len(tree.nodes), len(tree.leaves))
