"""Trees with switches and rules for missing values: one meaning, wherever such a tree is used, written or cut."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from structtree.data.population import Population
from structtree.errors import DataError
from structtree.lang.parse import parse_predicate
from structtree.lang.pretty import pretty
from structtree.learn.pruning import cost_complexity, merge_equal_leaves, pessimistic, reduced_error
from structtree.models.files.models import model_from_json, model_to_json
from structtree.models.importance import importances
from structtree.models.leaves import Decision, probabilities
from structtree.models.model import Model
from structtree.models.routing.paths import decision_path
from structtree.models.rules import to_formula, to_rules
from structtree.models.tree import Branch, Found, Leaf, MultiwayBranch, Tree, heaviest, subtree
from structtree.models.tree_predictor import TreePredictor
from structtree.report.explain import explain
from structtree.report.text import export_text
from structtree.space.evaluate import holds
from structtree.tasks.target import target_for
from tests.learn.asking_trees import counts, number_leaves
from tests.learn.plain_trees import (
    CATEGORIES,
    DATA,
    SEEN,
    any_trees,
    complete_records,
    nodes_of,
    plain_trees,
    records,
    things,
    ways_down,
)
from tests.models.random_trees import prunings
from tests.models.rules_as_printed import misquoted

some = st.lists(records, min_size=1, max_size=12)
one_way = st.sampled_from(["false", "majority"])
COSTLY = Decision("laplace", costs=((0, 1, 1), (5, 0, 1), (1, 1, 0)))

COLORS = ("color", ("blue", "green", "red"), (0.25, 0.25, 0.5), counts(2, 0, 0), counts(0, 2, 0), counts(0, 1, 3))


def tree_of(sketch, missing="false"):
    return Tree(tuple(nodes_of(sketch, 0, missing)), SEEN, ("a", "b", "c"), missing)


# ---- who goes where ---------------------------------------------------------------------------------------


@given(any_trees, some)
def test_the_way_down_is_the_plain_one(tree, rows):
    rows_of, leaves, weights = tree.distribution(things(rows))
    for i, record in enumerate(rows):
        found = dict(zip(leaves[rows_of == i].tolist(), weights[rows_of == i].tolist(), strict=True))
        assert found == pytest.approx(ways_down(tree, record))


@given(any_trees, some)
def test_the_parts_of_an_individual_add_up_to_one_and_its_leaf_has_the_greatest(tree, rows):
    population = things(rows)
    rows_of, leaves, weights = tree.distribution(population)
    assert np.bincount(rows_of, weights) == pytest.approx(np.ones(len(rows)))
    assert (np.diff(rows_of) >= 0).all()
    for i, leaf in enumerate(tree.apply(population)):
        own = weights[rows_of == i]
        assert weights[(rows_of == i) & (leaves == leaf)] == pytest.approx(own.max())


@given(any_trees, some)
def test_what_leaves_a_node_is_what_arrived_there(tree, rows):
    arrived = {node: weights.sum() for node, _, weights in tree.weighted_arrivals(things(rows))}
    assert sorted(arrived) == list(range(len(tree.nodes)))
    for index, node in enumerate(tree.nodes):
        if not isinstance(node, Leaf):
            assert arrived[index] == pytest.approx(sum(arrived[child] for child in node.children))


@given(st.one_of(*(plain_trees(rule) for rule in ("false", "majority"))), some)
def test_exactly_one_way_from_a_node_is_open_to_everybody_and_it_is_taken(tree, rows):
    population = things(rows)
    arrivals = dict(tree.arrivals(population))
    for index, which in arrivals.items():
        for child, test, said in tree.edges(index):
            there = which[holds(test, population)[which] == said]
            assert there.tolist() == arrivals[child].tolist()


@given(plain_trees(), st.lists(complete_records, min_size=1, max_size=8))
def test_where_every_value_is_known_a_branch_goes_by_its_test_whatever_the_rule(tree, rows):
    population = things(rows)
    for index, which in tree.arrivals(population):
        node = tree.nodes[index]
        if isinstance(node, Branch):
            arrived = dict(tree.arrivals(population))
            assert which[holds(node.test, population)[which]].tolist() == arrived[node.yes].tolist()


@given(plain_trees(one_way), some)
def test_a_path_is_what_those_at_its_end_answered(tree, rows):
    population = things(rows)
    for node, which in tree.arrivals(population):
        for step in tree.path(node):
            assert (holds(step.test, population)[which] == step.answer).all()


@given(any_trees, some)
def test_the_nodes_on_the_way_are_those_of_all_parts(tree, rows):
    population = things(rows)
    visits = decision_path(tree, population)
    for i, record in enumerate(rows):
        seen = {leaf for leaf in visits.of(i).tolist() if isinstance(tree.nodes[leaf], Leaf)}
        assert seen == set(ways_down(tree, record))


def test_values_that_were_not_seen_go_where_most_went():
    rows = [{"color": color, "shape": None, "size": None, "old": None} for color in ("green", "purple", None)]
    assert tree_of(COLORS).apply(things(rows)).tolist() == [2, 3, 3]
    assert tree_of(COLORS, "majority").apply(things(rows)).tolist() == [2, 3, 3]
    weights = tree_of(COLORS, "fractional").distribution(things(rows)).weights
    assert weights.tolist() == [1, 0.25, 0.25, 0.5, 0.25, 0.25, 0.5]


def test_of_sides_that_only_rounding_keeps_apart_the_first_is_heaviest():
    assert heaviest((0.1 + 0.2, 0.3, 0.4)) == 2
    assert heaviest((0.3, 0.1 + 0.2, 0.3)) == 0


# ---- what is said -----------------------------------------------------------------------------------------


@given(plain_trees(), some, st.sampled_from([Decision(), COSTLY]))
def test_probabilities_are_those_of_the_leaves_mixed(tree, rows, decision):
    expected = [
        sum(weight * probabilities(tree, decision)[leaf] for leaf, weight in ways_down(tree, record).items())
        for record in rows
    ]
    assert TreePredictor(tree, decision).predict_proba(things(rows)) == pytest.approx(np.array(expected))


@given(plain_trees(), some, st.sampled_from([Decision(), COSTLY]))
def test_the_class_is_the_first_of_least_expected_cost(tree, rows, decision):
    costs = np.array(decision.costs or np.ones((3, 3)) - np.eye(3))
    expected = TreePredictor(tree, decision).predict_proba(things(rows)) @ costs
    for code, cost in zip(TreePredictor(tree, decision).predict(things(rows)), expected, strict=True):
        assert code == np.flatnonzero(cost <= cost.min() + 1e-9)[0]


@given(plain_trees(leaves=number_leaves), some)
def test_mean_and_spread_are_those_of_a_mixture(tree, rows):
    for i, record in enumerate(rows):
        parts = [(weight, tree.nodes[leaf].stats) for leaf, weight in ways_down(tree, record).items()]
        mean = sum(weight * stats.mean for weight, stats in parts)
        square = sum(weight * (stats.variance + stats.mean**2) for weight, stats in parts)
        assert TreePredictor(tree).predict(things(rows))[i] == pytest.approx(mean)
        assert TreePredictor(tree).predict_spread(things(rows))[i] ** 2 == pytest.approx(square - mean**2, abs=1e-9)


# ---- rules and formulas -----------------------------------------------------------------------------------


def told(tree, population):
    return np.array(tree.classes)[TreePredictor(tree).predict(population)]


@given(plain_trees(one_way), some)
def test_rules_say_of_everybody_what_the_tree_says(tree, rows):
    population = things(rows)
    expected, fired = told(tree, population), np.zeros(len(rows), dtype=int)
    for rule in to_rules(tree):
        covered = holds(rule.conditions, population)
        assert (expected[covered] == rule.prediction).all()
        fired += covered
    assert (fired >= 1).all()


@given(plain_trees(one_way), some)
def test_unsimplified_exactly_one_rule_holds(tree, rows):
    fired = sum(holds(rule.conditions, things(rows)).astype(int) for rule in to_rules(tree, simplify=False))
    assert (fired == 1).all()


@given(plain_trees("fractional"), st.lists(complete_records, min_size=1, max_size=8))
def test_rules_of_a_tree_that_sends_parts_are_right_about_those_who_stay_whole(tree, rows):
    population = things(rows)
    expected, is_whole = told(tree, population), np.array([len(ways_down(tree, record)) == 1 for record in rows])
    for rule in to_rules(tree):
        assert (expected[holds(rule.conditions, population) & is_whole] == rule.prediction).all()


def having_seen(tree, rows, labels):
    """The tree with what its nodes saw of some records."""
    target, population = target_for(labels, len(rows), classes=tree.classes), things(rows)
    seen = {node: target.stats(which, parts) for node, which, parts in tree.weighted_arrivals(population)}
    return replace(tree, nodes=tuple(replace(node, stats=seen[i]) for i, node in enumerate(tree.nodes)))


labelled = st.lists(st.tuples(records, st.sampled_from("abc")), min_size=1, max_size=12)


@given(plain_trees(one_way), labelled)
def test_the_figures_beside_a_rule_are_true_of_the_rule_as_printed(tree, cases):
    rows, labels = map(list, zip(*cases, strict=True))
    assert misquoted(to_rules(having_seen(tree, rows, labels)), things(rows), labels) == []


@given(plain_trees("fractional"), labelled)
def test_rules_quote_no_figures_of_individuals_that_were_counted_in_parts(tree, cases):
    rows, labels = map(list, zip(*cases, strict=True))
    seen, is_divided = having_seen(tree, rows, labels), any(len(ways_down(tree, record)) > 1 for record in rows)
    for rule in to_rules(seen):
        assert ((rule.n, rule.support, rule.confidence) == (None, None, None)) == is_divided
        assert str(rule).endswith(f"then {rule.prediction}") == is_divided
    assert misquoted(to_rules(seen, things(rows), labels), things(rows), labels) == []


@given(plain_trees(one_way), some)
def test_the_formula_of_a_class_holds_for_exactly_those_who_get_it(tree, rows):
    population = things(rows)
    for label, formula in to_formula(tree).items():
        assert (holds(formula, population) == (told(tree, population) == label)).all()
        assert pretty(parse_predicate(pretty(formula))) == pretty(formula)


def test_the_heaviest_side_of_a_switch_is_what_is_none_of_the_others():
    assert [str(rule) for rule in to_rules(tree_of(COLORS))] == [
        "if color = blue then a (n=2, confidence 1.00)",
        "if color = green then b (n=2, confidence 1.00)",
        "if not (color in {blue, green}) then c (n=4, confidence 0.75)",
    ]


def test_where_yes_is_heavier_who_lacks_a_value_is_in_the_rule_of_yes():
    sketch = (parse_predicate("size >= 2"), (0.75, 0.25), counts(3, 0, 0), counts(0, 1, 0))
    assert [pretty(rule.conditions) for rule in to_rules(tree_of(sketch, "majority"))] == [
        "size >= 2 or missing size",
        "not (size >= 2 or missing size)",
    ]
    assert [pretty(rule.conditions) for rule in to_rules(tree_of(sketch))] == ["size >= 2", "not (size >= 2)"]


# ---- cutting ----------------------------------------------------------------------------------------------


@given(any_trees, st.data())
def test_a_pruning_keeps_the_way_down_to_what_is_left(tree, data):
    kept, leaves = data.draw(st.sampled_from(prunings(tree)))
    cut = subtree(tree, kept)
    assert cut.missing == tree.missing and len(cut.leaves) == len(leaves)
    rows = data.draw(some)
    above = {leaf: next(n for n in (leaf, *ancestors(tree, leaf)) if n in leaves) for leaf in tree.leaves}
    stats = {node: (cut.nodes[place].stats) for node, place in zip(sorted(leaves), cut.leaves, strict=True)}
    assert all(stats[node] == tree.nodes[node].stats for node in leaves)
    place_of = dict(zip(sorted(leaves), cut.leaves, strict=True))
    for record in rows:
        expected = {}
        for leaf, weight in ways_down(tree, record).items():
            place = place_of[above[leaf]]
            expected[place] = expected.get(place, 0.0) + weight
        assert ways_down(cut, record) == pytest.approx(expected)


def ancestors(tree, node):
    while (node := tree.parent(node)) is not None:
        yield node


@given(plain_trees(), st.sampled_from([0.0, 0.05, 0.2, 1.0]))
def test_cost_complexity_is_the_smallest_best_of_all_prunings(tree, alpha):
    weight = tree.nodes[0].stats.weight

    def cost(leaves):
        wrong = (tree.nodes[leaf].stats.weight - max(tree.nodes[leaf].stats.counts) for leaf in leaves)
        return sum(wrong) / weight + alpha * len(leaves)

    found = cost_complexity(tree, alpha)
    least = min(cost(leaves) for _, leaves in prunings(tree))
    smallest = min(len(kept) for kept, leaves in prunings(tree) if cost(leaves) <= least + 1e-9)
    assert cost(kept_leaves(tree, found)) == pytest.approx(least)
    assert len(found.branches) == smallest


def kept_leaves(tree, cut):
    """The nodes of a tree that are the leaves of its pruning."""
    place, found = {0: 0}, []
    for index, node in enumerate(cut.nodes):
        if isinstance(node, Leaf):
            found.append(place[index])
        else:
            place |= dict(zip(node.children, tree.nodes[place[index]].children, strict=True))
    return found


@given(plain_trees(), some, st.data())
def test_the_other_ways_to_prune_do_not_lose_what_the_tree_is(tree, rows, data):
    labels = data.draw(st.lists(st.sampled_from(tree.classes), min_size=len(rows), max_size=len(rows)))
    for cut in (pessimistic(tree), merge_equal_leaves(tree), reduced_error(tree, things(rows), labels)):
        assert (cut.missing, cut.schema) == (tree.missing, tree.schema)
        assert np.bincount(cut.distribution(things(rows)).rows).min() >= 1


def test_equal_leaves_of_a_switch_are_merged():
    sketch = ("color", ("blue", "red"), (0.5, 0.5), counts(2, 0, 0), counts(2, 1, 0))
    assert len(merge_equal_leaves(tree_of(sketch)).nodes) == 1
    assert len(merge_equal_leaves(tree_of(COLORS)).nodes) == 4


# ---- files ------------------------------------------------------------------------------------------------


@given(any_trees, some)
def test_what_is_loaded_is_what_was_saved_and_says_the_same(tree, rows):
    model = Model(TreePredictor(tree))
    loaded = model_from_json(json.loads(json.dumps(model_to_json(model))))
    assert (loaded.tree.nodes, loaded.tree.missing, loaded.tree.schema) == (tree.nodes, tree.missing, tree.schema)
    assert loaded.predict(things(rows)).tolist() == model.predict(things(rows)).tolist()


DAMAGE = {
    "values": (
        lambda node: node["values"].pop(),
        r"expected 2 nodes, one per value, got 3 at .*\.nodes\[0\]",
    ),
    "twice": (lambda node: node.update(values=["a", "b", "a"]), "expected two or more different values"),
    "shares": (lambda node: node["shares"].pop(), r"expected 3 numbers, one per branch, got 2"),
    "attribute": (
        lambda node: node.update(switch="colour"),
        r"unknown .*'colour'.*at .*\.nodes\[0\]\.switch",
    ),
    "kind": (lambda node: node.update(switch="size"), r"at .*\.nodes\[0\]\.switch"),
    "order": (
        lambda node: node["children"].reverse(),
        r"this node is out of order: .* at .*\.nodes\[1\]",
    ),
    "lacks": (lambda node: node.pop("children"), r"expected an object with 'children'"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_switch_is_refused_with_its_place(name):
    change, message = DAMAGE[name]
    document = json.loads(json.dumps(model_to_json(Model(TreePredictor(tree_of(COLORS))))))
    change(document["predictor"]["nodes"][0])
    with pytest.raises(DataError, match=message):
        model_from_json(document)


def test_a_rule_that_nobody_knows_is_refused():
    document = model_to_json(Model(TreePredictor(tree_of(COLORS))))
    with pytest.raises(DataError, match=r"expected false, majority or fractional, got 'guess' at .*\.missing"):
        model_from_json(document | {"predictor": document["predictor"] | {"missing": "guess"}})


def test_a_branch_needs_its_shares_if_the_rule_does():
    sketch = (parse_predicate("size >= 2"), (0.75, 0.25), counts(3, 0, 0), counts(0, 1, 0))
    document = model_to_json(Model(TreePredictor(tree_of(sketch, "majority"))))
    del document["predictor"]["nodes"][0]["shares"]
    with pytest.raises(DataError, match=r"expected an object with 'shares' at .*\.nodes\[0\]"):
        model_from_json(document)


# ---- reading and explaining -------------------------------------------------------------------------------


def test_a_switch_prints_a_line_for_each_value():
    assert export_text(tree_of(COLORS)).splitlines() == [
        "color",
        "├─ blue:      a 2/2",
        "├─ green:     b 2/2",
        "└─ red, else: c 3/4",
    ]
    assert export_text(tree_of(COLORS, "fractional")).splitlines()[-2:] == [
        "└─ red:   c 3/4",
        "(missing values: to all branches, in proportion to their weight in training)",
    ]
    assert export_text(tree_of(COLORS), max_depth=0) == "… 3 leaves, b 3/8"


@given(any_trees, some)
def test_an_explanation_says_what_the_tree_says_and_is_plain_json(tree, rows):
    population, model = things(rows), Model(TreePredictor(tree))
    said = model.predict(population)
    for i in range(len(rows)):
        found = explain(tree, population, i)
        assert found.prediction == said[i]
        assert found.leaf == tree.apply(population)[i]
        assert [reason.node for reason in found.reasons] == [step.branch for step in tree.path(found.leaf)]
        assert json.loads(json.dumps(found.to_dict()))["leaf"] == found.leaf
        assert str(found)


def test_an_explanation_tells_the_rule_for_missing_values():
    thing = things([{"color": "purple", "shape": None, "size": 1, "old": None}])
    assert str(explain(tree_of(COLORS), thing, 0)).splitlines() == [
        "Thing 0",
        "1. color: red (unknown: follows the majority)",
        "     color = purple",
        "→ c 3/4",
    ]
    assert str(explain(tree_of(COLORS, "fractional"), thing, 0)).splitlines()[1::2] == [
        "1. color: red (unknown: 50% of its weight goes here)",
        "→ b, p = 0.375 (from 3 leaves)",
    ]


def test_a_switch_is_owed_to_its_attribute():
    sketch = (*COLORS[:3], (parse_predicate("old"), (0.5, 0.5), counts(1, 0, 0), counts(1, 0, 0)), *COLORS[4:])
    assert importances(tree_of(sketch)) == {"color": pytest.approx(0.8), "old": pytest.approx(0.2)}


def test_a_switch_of_acc_star_is_owed_its_entropy():
    found = Found("acc*", 0.875, 0.5, True, 0.0, 1, 0.0)
    switch = MultiwayBranch("color", CATEGORIES["color"], (1, 2, 3), counts(2, 3, 3), found, (0.25, 0.25, 0.5))
    nodes = (switch, Leaf(counts(2, 0, 0)), Leaf(counts(0, 2, 0)), Leaf(counts(0, 1, 3)))
    assert importances(Tree(nodes, DATA, ("a", "b", "c"))) == {"color": 1.0}


def test_what_a_tree_asks_about_includes_the_attributes_of_its_switches():
    population = Population.from_records([{"color": "red", "more": 1}, {"color": "purple", "more": 2}])
    assert Model(TreePredictor(tree_of(COLORS))).predict(population).tolist() == ["c", "c"]
    with pytest.raises(DataError, match="the model needs the attribute 'color'"):
        Model(TreePredictor(tree_of(COLORS))).predict(Population.from_records([{"more": 1}]))
