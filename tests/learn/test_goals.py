"""Goals: what they choose, what they leave alone, and that the tree which comes of it is good."""

import signal
from typing import get_args

import numpy as np
import pytest

from structtree import (
    Population,
    StructuralTreeClassifier,
    StructuralTreeRegressor,
    export_text,
    fit,
    pretty,
)
from structtree.errors import UsageError
from structtree.learn import fit as fitting
from structtree.learn.goals import ENOUGH_TO_CHOOSE, LIMITS, settle
from structtree.models.files.models import model_from_json, model_to_json
from structtree.models.records import Size
from structtree.models.settings import Decision, Goal, Growth, Pruning

GIVEN = {
    "max_depth": 4,
    "min_samples_split": 9,
    "min_samples_leaf": 2,
    "min_impurity_decrease": 0.01,
    "max_leaf_nodes": 6,
    "stop": "mdl",
}


def noisy(n=400, seed=0, as_numbers=False):
    """A table in which one column of five matters, and a fifth of the labels are wrong."""
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(n, 5))
    if as_numbers:
        return table, np.where(table[:, 0] > 0, 5.0, 0.0) + rng.normal(size=n)
    return table, (table[:, 0] > 0) ^ (rng.random(n) < 0.2)


PRUNED = [("accuracy", "classes"), ("reading", "classes"), *((goal, "numbers") for goal in get_args(Goal))]


@pytest.mark.parametrize(("goal", "task"), PRUNED)
def test_the_size_is_chosen_by_cross_validation_where_nothing_is_said_about_it(goal, task):
    found = settle(goal, "pruned", task, 1000, Growth(), Pruning(), Decision())
    assert (found.pruning.method, found.pruning.alpha) == ("cost-complexity", "cv")
    assert found.size == Size("cross-validation")


@pytest.mark.parametrize(("n", "leaf"), [(200, 5), (5000, 10)])
def test_ranks_of_classes_need_many_leaves_so_nothing_is_pruned_for_them(n, leaf):
    found = settle("ranking", "pruned", "classes", n, Growth(), Pruning(), Decision())
    assert (found.growth, found.pruning) == (Growth(max_depth=8, min_samples_leaf=leaf), Pruning())
    assert found.decision == Decision("m-branch", 20.0)


@pytest.mark.parametrize("name", LIMITS)
def test_a_limit_of_the_size_leaves_nothing_to_choose_about_it(name):
    growth = Growth(**{name: GIVEN[name]})
    found = settle("accuracy", "pruned", "classes", 1000, growth, Pruning(), Decision())
    assert (found.growth, found.pruning) == (growth, Pruning())
    assert found.size == Size("limits", name)


@pytest.mark.parametrize(
    "pruning", [Pruning("pessimistic"), Pruning("reduced-error"), Pruning(alpha=0.1), Pruning("cost-complexity")]
)
def test_a_way_of_pruning_is_kept(pruning):
    assert settle("reading", "pruned", "classes", 1000, Growth(), pruning, Decision()).pruning == pruning


def test_a_full_tree_keeps_the_goals_criterion_and_estimate():
    found = settle("ranking", "full", "classes", 1000, Growth(), Pruning(), Decision())
    assert (found.growth, found.pruning, found.size) == (Growth(), Pruning(), Size("full"))
    assert found.decision.estimate == "m-branch"


def test_a_given_estimate_is_kept_and_costs_come_along():
    costs = ((0.0, 1.0), (5.0, 0.0))
    kept = settle("ranking", "pruned", "classes", 1000, Growth(), Pruning(), Decision("laplace", costs=costs))
    assert kept.decision == Decision("laplace", costs=costs)
    filled = settle("ranking", "pruned", "classes", 1000, Growth(), Pruning(), Decision(costs=costs))
    assert (filled.decision.estimate, filled.decision.costs) == ("m-branch", costs)


def test_an_unknown_goal_is_refused_with_the_known_ones():
    with pytest.raises(UsageError, match="goal must be 'accuracy', 'ranking' or 'reading'; got 'accurcy'"):
        fit([{"a": 1}, {"a": 2}], ["x", "y"], goal="accurcy")


@pytest.mark.parametrize("as_numbers", [False, True])
@pytest.mark.parametrize("goal", ["accuracy", "reading"])
def test_the_default_tree_is_small_and_better_on_new_individuals_than_the_full_one(goal, as_numbers):
    kind = StructuralTreeRegressor if as_numbers else StructuralTreeClassifier
    (table, target), (other, truth) = (noisy(seed=seed, as_numbers=as_numbers) for seed in (0, 1))
    chosen, full = (kind(goal=goal, grow=grow).fit(table, target) for grow in ("pruned", "full"))
    assert chosen.get_n_leaves() <= 12 < full.get_n_leaves()
    assert chosen.score(other, truth) > full.score(other, truth) + 0.05


def test_a_tree_for_ranking_ranks_new_individuals_better_than_the_default_one():
    from sklearn.metrics import roc_auc_score

    rng = np.random.default_rng(0)
    table, other = rng.normal(size=(2, 3000, 4))
    target, truth = (rng.random(3000) < 1 / (1 + np.exp(-each[:, :2].sum(axis=1))) for each in (table, other))
    trees = {goal: StructuralTreeClassifier(goal=goal).fit(table, target) for goal in ("accuracy", "ranking")}
    area = {goal: roc_auc_score(truth, tree.predict_proba(other)[:, 1]) for goal, tree in trees.items()}
    assert area["ranking"] > area["accuracy"] + 0.01


def test_a_tree_for_reading_has_at_most_twelve_leaves_where_more_would_be_better():
    rng = np.random.default_rng(0)
    table = rng.integers(0, 2, size=(600, 5))
    parity = table.sum(axis=1) % 2
    grown = {goal: StructuralTreeClassifier(goal=goal).fit(table, parity) for goal in ("accuracy", "reading")}
    assert grown["reading"].get_n_leaves() <= 12
    assert grown["accuracy"].get_n_leaves() == 32


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("goal", ["accuracy", "reading"])
def test_ctrl_c_ends_the_choice_of_the_size_and_the_model_says_so(monkeypatch, goal, when):
    """The tree itself is complete, and one for reading is still small."""

    def interrupted(*arguments, **options):
        if when == "before":
            signal.raise_signal(signal.SIGINT)
        found = choose(*arguments, **options)
        if when == "after":
            signal.raise_signal(signal.SIGINT)
        return found

    choose = fitting.choose_alpha
    monkeypatch.setattr(fitting, "choose_alpha", interrupted)
    table, target = noisy()
    model = fit(Population.from_array(table), target, goal=goal)
    least = model.settings.growth.min_samples_leaf
    full = fit(Population.from_array(table), target, goal=goal, grow="full", min_samples_leaf=least)
    assert (model.outcome.stopped_by, model.settings.size) == ("interrupt", Size("interrupt"))
    assert len(full.tree.leaves) > 12
    assert model.tree.nodes == full.tree.nodes if goal == "accuracy" else 1 < len(model.tree.leaves) <= 12


@pytest.mark.parametrize("n", [ENOUGH_TO_CHOOSE - 1, ENOUGH_TO_CHOOSE])
def test_a_few_individuals_are_not_divided_further_to_choose_by(n):
    table, target = noisy(n)
    model = StructuralTreeClassifier().fit(table, target).model_
    assert (model.settings.pruning.method is None) == (n < ENOUGH_TO_CHOOSE)
    assert (model.settings.size.by == "too few") == (n < ENOUGH_TO_CHOOSE)


def test_leaves_say_their_most_frequent_class_and_are_never_sure():
    table, target = noisy()
    tree = StructuralTreeClassifier(max_leaf_nodes=30).fit(table, target)
    said, sure = tree.predict(table), tree.predict_proba(table)
    leaves = tree.apply(table)
    for leaf in np.unique(leaves):
        counts = np.array(tree.tree_.nodes[leaf].stats.counts)
        if counts[0] != counts[1]:
            assert (said[leaves == leaf] == tree.classes_[counts.argmax()]).all()
    assert sure.min() > 0 and sure.max() < 1


def test_the_same_seed_gives_the_same_tree_and_the_model_says_how_it_came_about():
    table, target = noisy()
    population = Population.from_array(table)
    one, other = (fit(population, target, goal="ranking") for _ in range(2))
    assert one.tree.nodes == other.tree.nodes
    assert (one.settings.goal, one.settings.criterion) == ("ranking", "entropy")
    assert str(one.settings.size) == "tuned for ranking, with depth at most 8"


def test_structured_individuals_are_sized_too():
    rng = np.random.default_rng(0)
    boxes = [
        {"items": [dict(zip("abc", map(bool, rng.random(3) < 0.3), strict=True)) for _ in range(3)]}
        for _ in range(200)
    ]
    labels = [any(item["a"] for item in box["items"]) ^ bool(rng.random() < 0.1) for box in boxes]
    asked = "refine Individual { top -> exists items (top) } refine Item { top -> a; top -> b; top -> c }"
    sized, full = (StructuralTreeClassifier(asked, grow=grow).fit(boxes, labels) for grow in ("pruned", "full"))
    assert pretty(sized.tree_.nodes[0].test) == "exists items (a)"
    assert sized.get_n_leaves() == 2 < full.get_n_leaves()
    assert sized.model_.settings.size == Size("cross-validation")


def test_a_tree_for_reading_prefers_cheaper_tests_unless_another_option_forbids_it():
    """A dear exact test and a cheap one that misses a few: only with a tolerance is the cheap one chosen."""
    records = [{"lab": i, "cough": i >= 60 and i % 25 > 0} for i in range(100)]
    patients, sick = Population.from_records(records), [i >= 60 for i in range(100)]
    grammar = "refine Individual { top -> cough; top -> lab >= * cost 8 }"

    def root(**options):
        model = fit(patients, sick, grammar, **{"grow": "full", "max_depth": 1, **options})
        return model, model.tree.nodes[0]

    for options in ({}, {"goal": "reading", "cost_tolerance": 0}, {"goal": "ranking"}):
        assert pretty(root(**options)[1].test) == "lab >= 60"
    model, node = root(goal="accuracy", criterion="entropy", cost_tolerance=0.3)
    assert pretty(node.test) == "cough"
    dearer = node.found.dearer
    assert (dearer.test, dearer.cost, dearer.chosen_cost) == ("lab >= 60", 8, 1)
    assert 0 < dearer.given_up < 0.3
    assert "cough  [gives up " in export_text(model)
    assert export_text(model).splitlines()[-1].startswith("(1 test was preferred to a better one with a higher cost")
    again = model_from_json(model_to_json(model))
    assert again.tree.nodes[0].found == node.found
    assert settle("reading", "full", "classes", 100, Growth(), Pruning(), Decision()).growth.tolerance == 0.05
    for other in (Growth(nominal="multiway"), Growth(missing="majority"), Growth(strategy="bottom-up")):
        assert settle("reading", "full", "classes", 100, other, Pruning(), Decision()).growth.tolerance == 0.0
