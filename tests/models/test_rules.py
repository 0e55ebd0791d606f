"""Rules and formulas tell everybody what the tree does; on real trees, and on random ones that ask anything."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from structtree.data.datasets.catalog import load_dataset
from structtree.data.population import Population
from structtree.data.schema import PARTS
from structtree.errors import DataError, GrammarError, UsageError
from structtree.lang import syntax as syn
from structtree.lang.grammar import Grammar
from structtree.lang.parse import parse_predicate
from structtree.lang.pretty import pretty
from structtree.lang.walk import children
from structtree.learn.fit import fit
from structtree.learn.growing import grow
from structtree.models.files.models import model_from_json, model_to_json
from structtree.models.leaves import Decision, decisions, means
from structtree.models.rules import to_formula, to_rules
from structtree.models.settings import Growth
from structtree.models.tree import ClassCounts, Moments
from structtree.space.evaluate import holds
from structtree.tasks.target import target_for
from tests.learn.asking_trees import CLASSES, ask, class_leaves, counts, number_leaves, trees
from tests.models.rules_as_printed import misquoted, read
from tests.strategies import populations, schemas

THINGS = Population.from_records([{"a": 1, "b": True}, {"a": 4, "b": True}, {"a": 9, "b": False}, {"a": 9}])
COSTLY = Decision(costs=((0, 1, 1), (5, 0, 1), (1, 1, 0)))


@st.composite
def cases(draw, **options):
    schema = draw(schemas())
    return draw(trees(schema, **options)), draw(populations(schema))


def predicted(tree, population, decision=None):
    said = means(tree) if not tree.classes else np.array(tree.classes)[decisions(tree, decision or Decision())]
    return said[tree.apply(population)]


def agree(rules, population, expected):
    """Which rule holds for whom; every one that does must say what is expected."""
    fired = np.zeros(len(population), dtype=int)
    for rule in rules:
        covered = holds(rule.conditions, population)
        assert (expected[covered] == rule.prediction).all()
        fired += covered
    return fired


# ---- laws -----------------------------------------------------------------------------------------------


@given(cases(), st.sampled_from([Decision(), Decision("laplace"), COSTLY]))
def test_at_least_one_rule_holds_for_everybody_and_all_that_do_agree_with_the_tree(case, decision):
    tree, population = case
    assert (agree(to_rules(tree, decision=decision), population, predicted(tree, population, decision)) >= 1).all()


@given(cases())
def test_unsimplified_there_is_one_rule_per_leaf_and_exactly_one_holds(case):
    tree, population = case
    rules = to_rules(tree, simplify=False)
    assert sorted(leaf for rule in rules for leaf in rule.leaves) == list(tree.leaves)
    assert all(len(rule.leaves) == 1 for rule in rules)
    assert (agree(rules, population, predicted(tree, population)) == 1).all()


@given(cases(leaves=number_leaves))
def test_rules_of_numbers_agree_with_the_tree_too(case):
    tree, population = case
    assert (agree(to_rules(tree), population, predicted(tree, population)) >= 1).all()


@given(cases())
def test_the_formula_of_a_class_holds_for_exactly_those_whom_the_tree_gives_it_to(case):
    tree, population = case
    expected = predicted(tree, population)
    for label, formula in to_formula(tree).items():
        assert (holds(formula, population) == (expected == label)).all()


@given(cases())
def test_a_formula_can_be_read_back(case):
    tree, _ = case
    # Only a schema knows the order of categories, and what is a part of a date; without one they are plain words.
    has_order = any(a.kind == "ordered" for record in tree.schema.types for a in record.attributes)
    for formula in to_formula(tree).values():
        text = pretty(formula)
        again = parse_predicate(text)
        assert pretty(again) == text
        has_part = any(f".{part}" in text for part in PARTS)
        assert again == formula or mentions_a_definition(formula) or has_order or has_part


def mentions_a_definition(predicate):
    return isinstance(predicate, syn.Named) or any(map(mentions_a_definition, children(predicate)))


@given(cases())
def test_rules_stand_class_by_class_with_most_support_first(case):
    tree, _ = case
    found = [(CLASSES.index(rule.prediction), -rule.support) for rule in to_rules(tree)]
    assert found == sorted(found)


@given(cases())
def test_what_was_seen_at_the_leaves_is_counted_once(case):
    tree, _ = case
    for rule in to_rules(tree, simplify=False):
        stats = tree.nodes[rule.leaves[0]].stats
        assert (rule.n, rule.support) == (stats.n, stats.weight)
        assert rule.confidence == stats.counts[CLASSES.index(rule.prediction)] / stats.weight


@st.composite
def trees_that_saw_somebody(draw, leaves):
    """A tree with what its nodes really saw of some individuals, their labels and their weights."""
    tree, population = draw(cases(leaves=leaves))
    assume(all(is_allowed(test, tree.schema) for test in tree.tests))
    n = len(population)
    labels = st.sampled_from(CLASSES) if tree.classes else st.integers(0, 3).map(float)
    target = np.array(draw(st.lists(labels, min_size=n, max_size=n)))
    weights = np.array(draw(st.lists(st.sampled_from([1.0, 1.0, 2.0, 0.5]), min_size=n, max_size=n)))
    return having_seen(tree, population, target, weights), population, target, weights


def is_allowed(test, schema):
    """Random tests may say what the language refuses, such as a `distinct` of one predicate."""
    try:
        return read(pretty(test), test, schema) is not None
    except GrammarError:
        return False


def having_seen(tree, population, target, weights):
    criterion = None if tree.classes else "mse"
    checked = target_for(target, len(population), criterion, weights, classes=tree.classes or None)
    seen = {node: checked.stats(which) if len(which) else nobody(tree) for node, which in tree.arrivals(population)}
    return replace(tree, nodes=tuple(replace(node, stats=seen[i]) for i, node in enumerate(tree.nodes)))


def nobody(tree):
    return ClassCounts(0, (0.0,) * len(tree.classes)) if tree.classes else Moments(0, 0.0, 0.0, 0.0)


@given(trees_that_saw_somebody(class_leaves), st.sampled_from([Decision(), Decision("laplace"), COSTLY]))
def test_the_figures_beside_a_rule_are_true_of_the_rule_as_printed(case, decision):
    tree, population, target, weights = case
    for simplify in (False, True):
        assert misquoted(to_rules(tree, decision=decision, simplify=simplify), population, target, weights) == []


@given(trees_that_saw_somebody(number_leaves))
def test_the_figures_beside_a_rule_of_a_number_are_true_of_the_rule_as_printed(case):
    tree, population, target, weights = case
    for simplify in (False, True):
        assert misquoted(to_rules(tree, simplify=simplify), population, target, weights) == []


@given(trees_that_saw_somebody(class_leaves))
def test_counted_on_the_training_data_rules_have_the_figures_that_they_have_without_it(case):
    tree, population, target, weights = case
    assert to_rules(tree, population, target, sample_weight=weights) == to_rules(tree)


# ---- by hand --------------------------------------------------------------------------------------------


def test_a_rule_reads_as_a_sentence():
    tree = ask(THINGS.schema, ("a >= 3", counts(1, 13), counts(5, 0)))
    assert [str(rule) for rule in to_rules(tree)] == [
        "if not (a >= 3) then no (n=5, confidence 1.00)",
        "if a >= 3 then yes (n=14, confidence 0.93)",
    ]


def test_a_rule_of_a_number_says_its_spread():
    tree = ask(THINGS.schema, ("a >= 3", Moments(4, 4.0, 2.5, 0.25), Moments(2, 3.0, 1.0, 0.0)))
    assert [str(rule) for rule in to_rules(tree)] == [
        "if not (a >= 3) then 1 (n=2, weight 3, ± 0)",
        "if a >= 3 then 2.5 (n=4, ± 0.5)",
    ]


def test_a_tree_of_one_leaf_is_one_rule_for_everybody():
    tree = ask(THINGS.schema, counts(1, 3))
    assert [str(rule) for rule in to_rules(tree)] == ["if top then yes (n=4, confidence 0.75)"]
    assert {label: pretty(formula) for label, formula in to_formula(tree).items()} == {
        "no": "not (top)",
        "yes": "top",
    }


def test_on_a_population_everybody_is_counted_for_whom_the_rule_holds():
    tree = ask(THINGS.schema, ("b", counts(0, 9), ("a >= 3", counts(0, 9), counts(9, 0))))
    rules = to_rules(tree, THINGS, ["no", "yes", "yes", "no"], sample_weight=[1, 1, 2, 4])
    found = {pretty(rule.conditions): (rule.n, rule.support, rule.confidence) for rule in rules}
    assert found == {
        "not (b) and not (a >= 3)": (0, 0.0, None),
        "b": (2, 2.0, 0.5),
        "not (b) and a >= 3": (2, 6.0, 1 / 3),
    }


def test_a_condition_stays_without_which_a_rule_would_hold_for_parts_of_leaves():
    tree = ask(THINGS.schema, ("b", counts(1, 9), ("a >= 3", counts(0, 4), counts(7, 0))))
    assert [str(rule) for rule in to_rules(tree)] == [
        "if not (b) and not (a >= 3) then no (n=7, confidence 1.00)",
        "if b then yes (n=10, confidence 0.90)",
        "if not (b) and a >= 3 then yes (n=4, confidence 1.00)",
    ]
    assert pretty(to_formula(tree)["yes"]) == "b or a >= 3"


def test_a_condition_goes_without_which_a_rule_holds_for_whole_leaves():
    below = ("a >= 3", counts(1, 4), counts(7, 0))
    assert [str(rule) for rule in to_rules(ask(THINGS.schema, ("b", below, below)))] == [
        "if not (a >= 3) then no (n=14, confidence 1.00)",
        "if a >= 3 then yes (n=10, confidence 0.80)",
    ]
    tree = ask(THINGS.schema, ("a >= 5", counts(0, 2), ("a >= 3", counts(1, 2), counts(7, 0))))
    assert [str(rule) for rule in to_rules(tree)] == [
        "if not (a >= 3) then no (n=7, confidence 1.00)",
        "if a >= 3 then yes (n=5, confidence 0.80)",
    ]


@pytest.mark.parametrize("name", ["trains", "monks-2", "golf", "arches", "hammond"])
def test_the_figures_of_learned_trees_are_true_of_the_rules_as_printed(name):
    data, random = load_dataset(name), np.random.default_rng(0)
    target = np.where(random.random(len(data.target)) < 0.2, random.permutation(data.target), data.target)
    weights = random.integers(1, 4, len(target)).astype(float)
    for given_weights in (None, weights):
        model = fit(data.population, target, growth=Growth(max_depth=4), grow="full", sample_weight=given_weights)
        again = model_from_json(model_to_json(model))
        assert len(to_rules(again)) > 1
        assert misquoted(to_rules(again), data.population, target, given_weights) == []


def test_numbers_are_counted_on_a_population_by_what_the_prediction_is_off_by():
    tree = ask(THINGS.schema, ("a >= 3", Moments(4, 4.0, 2.0, 0.25), Moments(2, 2.0, 1.0, 0.0)))
    _, rule = to_rules(tree, THINGS, [7.0, 2.0, 5.0, 5.0])
    assert (rule.n, rule.prediction, rule.spread) == (3, 2.0, pytest.approx(6**0.5))


def test_a_cost_matrix_changes_the_rules_without_growing():
    tree = ask(THINGS.schema, ("b", counts(3, 1, 0), counts(0, 0, 4)), CLASSES)
    assert [rule.prediction for rule in to_rules(tree)] == ["a", "c"]
    assert [rule.prediction for rule in to_rules(tree, decision=COSTLY)] == ["b", "c"]


def test_a_population_without_its_target_is_refused():
    with pytest.raises(UsageError, match="individuals are given without a target; pass target as well"):
        to_rules(ask(THINGS.schema, counts(1, 3)), THINGS)


def test_an_unknown_class_is_refused():
    with pytest.raises(DataError, match="'maybe' is not one of the classes"):
        to_rules(ask(THINGS.schema, counts(1, 3)), THINGS, ["yes", "no", "maybe", "no"])


def test_numbers_have_no_formula():
    with pytest.raises(UsageError, match="this tree predicts numbers, so use its rules instead"):
        to_formula(ask(THINGS.schema, Moments(2, 2.0, 1.0, 0.0)))


def test_the_trains_are_told_apart_by_three_rules():
    trains = load_dataset("trains")
    tree = grow(trains.population, trains.target, Grammar.load("trains"))
    rules = to_rules(tree, trains.population, trains.target)
    assert [rule.prediction for rule in rules] == ["east", "east", "west"]
    assert all(rule.confidence == 1.0 for rule in rules)
    formula = to_formula(tree)
    assert (holds(formula["east"], trains.population) == (trains.target == "east")).all()
