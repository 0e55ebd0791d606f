from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from structtree.data.population import Population
from structtree.data.schema import RecordType, Schema
from structtree.lang.grammar import Grammar
from structtree.lang.parse import parse_predicate
from structtree.learn.growing import grow
from structtree.models.importance import importances, mentioned
from structtree.models.settings import Growth
from structtree.models.tree import Found, Moments
from tests.learn.asking_trees import ask, counts, trees
from tests.strategies import schemas

SCHEMA = Schema((RecordType("Thing"),), "Thing")


def found(criterion, gain):
    return Found(criterion, 0.0, gain, True, 0.0, 1, 0.0)


@given(schemas().flatmap(trees))
def test_importances_sum_to_one_or_are_all_zero_and_descend(tree):
    shares = list(importances(tree).values())
    assert sum(shares) == pytest.approx(1.0) or not any(shares)
    assert shares == sorted(shares, reverse=True)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "mse"])
def test_on_a_table_they_are_those_of_scikit_learn(criterion):
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    # With few individuals on a side several attributes often split equally well.
    values = np.random.default_rng(1).normal(size=(80, 4))
    target = values[:, 0] + 0.3 * values[:, 1] * values[:, 2]
    theirs = DecisionTreeRegressor(max_depth=3, min_samples_leaf=5, random_state=0)
    if criterion != "mse":
        target = np.where(target > 0, "p", "q")
        theirs = DecisionTreeClassifier(max_depth=3, min_samples_leaf=5, criterion=criterion, random_state=0)
    theirs.fit(values, target)
    names = [f"x{i}" for i in range(4)]
    ours = importances(grown(values, names, target, criterion))
    assert [ours.get(name, 0.0) for name in names] == pytest.approx(theirs.feature_importances_.tolist())


def grown(values, names, target, criterion):
    population = Population.from_array(values, names)
    name = population.schema.individual
    rewrites = "; ".join(f"top -> {attribute} <= *" for attribute in names)
    grammar = Grammar.parse(f"refine {name} {{ {rewrites} }}")
    return grow(population, target, grammar, Growth(max_depth=3, min_samples_leaf=5), criterion=criterion)


def test_what_a_test_mentions_shares_its_gain_and_weight_counts():
    sketch = ("exists cars (long and closed)", ("size >= 2", counts(4, 0), counts(0, 2)), counts(4, 2))
    tree = ask(SCHEMA, sketch, found=found("gini", 0.5))
    assert importances(tree) == {
        "cars.closed": pytest.approx(1 / 3),
        "cars.long": pytest.approx(1 / 3),
        "size": pytest.approx(1 / 3),
    }


def test_acc_star_is_measured_in_entropy_because_accuracy_may_gain_nothing():
    tree = ask(SCHEMA, ("b", counts(8, 0), counts(3, 2)), found=found("acc*", 0.0))
    assert importances(tree) == {"b": 1.0}


def test_a_split_that_gains_nothing_leaves_all_at_zero():
    tree = ask(SCHEMA, ("b", Moments(2, 2.0, 1.0, 1.0), Moments(2, 2.0, 1.0, 1.0)), found=found("mse", 0.0))
    assert importances(tree) == {"b": 0.0}


def test_a_leaf_has_no_importances():
    assert importances(ask(SCHEMA, counts(1, 2))) == {}


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("first cars (next (long))", ("cars.long",)),
        ("next (long) and next (top)", ("next.long", "next")),
        ("distinct cars (long, top)", ("cars.long", "cars")),
        ("not (missing a or b in {1, 2})", ("a", "b")),
        ("all cars (load.weight in [1, 2))", ("cars.load.weight",)),
        ("none cars (long and long)", ("cars.long",)),
        ("top", ()),
    ],
)
def test_paths_are_named_from_the_individual_on(text, paths):
    assert mentioned(parse_predicate(text)) == paths
