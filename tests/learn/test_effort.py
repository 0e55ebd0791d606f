"""Trees by effort: the same whatever the clock says, the best on small data, and planted rules are found."""

from __future__ import annotations

import numpy as np
import pytest

from structtree import Grammar, Growth, Population, fit, grow, holds, load_dataset, pretty
from structtree.errors import UsageError
from structtree.lang.parse import parse_predicate
from structtree.models.tree import Branch, Leaf
from structtree.search import effort as efforts
from structtree.search.effort import Patience
from tests.learn.test_options import FLAT, LINKS, labels, shape, things

SEARCHED = ["quick", "normal", "thorough"]
RULES = [
    "exists orders (week >= 20 and exists items (kind = b))",
    "exists orders (paid and exists items (kind = a and weight >= 0.5))",
    "age >= 40 and exists orders (exists items (kind = c and fragile))",
]
SHOPS = Grammar.parse(
    "refine Individual { top -> age >= *; top -> exists orders (top); top -> top and top max 2 } "
    "refine Order { top -> week >= *; top -> paid; top -> exists items (top); top -> top and top max 2 } "
    "refine Item { top -> kind = *; top -> weight >= *; top -> fragile; top -> top and top max 2 }"
)


def shoppers(n, seed):
    """People with orders of items."""
    rng = np.random.default_rng(seed)

    def item():
        weight, fragile = round(float(rng.random()), 2), bool(rng.random() < 0.5)
        return {"kind": str(rng.choice(["a", "b", "c"])), "weight": weight, "fragile": fragile}

    def order():
        items = [item() for _ in range(rng.integers(1, 4))]
        return {"week": int(rng.integers(52)), "paid": bool(rng.random() < 0.5), "items": items}

    people = [
        {"age": int(rng.integers(18, 80)), "orders": [order() for _ in range(rng.integers(1, 4))]} for _ in range(n)
    ]
    return Population.from_records(people)


def planted(rule, n=300, seed=0):
    """A population, and labels that follow a rule but for one in twenty."""
    population = shoppers(n, seed)
    classes = holds(parse_predicate(rule), population)
    wrong = np.random.default_rng(seed).permutation(n)[: n // 20]
    classes[wrong] = ~classes[wrong]
    return population, classes


def did(tree):
    """The nodes of a tree and the work for them, without the time."""
    return [
        (pretty(node.test), node.stats, node.found.evaluated, node.found.gap, node.found.stopped_by)
        if isinstance(node, Branch)
        else (node.stats, node.gap, node.stopped_by)
        for node in tree.nodes
    ]


@pytest.fixture
def small_efforts(monkeypatch):
    """Efforts with less work, so that they stop searches of small data as they would stop those of large data."""
    little = {
        "quick": Patience(1, 200_000, 10_000, 1, below=100_000),
        "normal": Patience(2, 2_000_000, 50_000, 2, below=1_000_000),
        "thorough": Patience(3, 10_000_000, 100_000, 4, below=5_000_000),
        "prove": None,
    }
    monkeypatch.setattr("structtree.models.settings.EFFORTS", little)
    assert little.keys() == efforts.EFFORTS.keys()


@pytest.mark.parametrize("options", [{}, {"max_leaf_nodes": 6}], ids=["largest-first", "best-first"])
@pytest.mark.parametrize("effort", SEARCHED)
def test_a_tree_is_the_same_whatever_the_clock_says(small_efforts, ticking, effort, options):
    population, classes = planted(RULES[0], 120)
    trees = []
    for step in (0.0, 1e-6, 1.0):
        ticking(step)
        growth = Growth(effort=effort, time_limit=1e12, max_depth=3, **options)
        trees.append(grow(population, classes, SHOPS, growth))
    assert did(trees[0]) == did(trees[1]) == did(trees[2])
    assert "effort" in {row[-1] for row in did(trees[0])}


@pytest.mark.parametrize("effort", SEARCHED)
def test_with_any_effort_the_gap_of_the_root_is_not_beaten(small_efforts, effort):
    population, classes = planted(RULES[2], 60)
    best, found = (
        grow(population, classes, LITTLE, Growth(effort=each, max_depth=1)).nodes[0].found
        for each in ("prove", effort)
    )
    assert best.proved
    assert found.score <= best.score <= found.score + found.gap + 1e-9
    assert found.proved == (found.stopped_by is None)


LITTLE = Grammar.parse(str(SHOPS) + "limits { literals 3 }")


@pytest.mark.parametrize("effort", SEARCHED)
def test_nodes_that_are_not_searched_become_leaves_with_a_gap(monkeypatch, effort):
    monkeypatch.setattr("structtree.models.settings.EFFORTS", {effort: Patience(1, 10_000, 0, 1, below=0)})
    population, classes = planted(RULES[1], 200, seed=2)
    tree = grow(population, classes, SHOPS, Growth(effort=effort))
    left = [node for node in tree.nodes if isinstance(node, Leaf) and node.stopped_by]
    assert left and all(node.gap > 0 and node.stopped_by == "effort" for node in left)
    assert tree.caveats


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("grammar", [FLAT, LINKS], ids=["flat", "links"])
def test_of_small_data_it_is_the_tree_of_a_proof(grammar, seed):
    population = things(seed=seed)
    classes, weights = labels(population, np.random.default_rng(seed)), np.random.default_rng(seed).random(40) + 0.5
    trees = [
        grow(
            population,
            classes,
            grammar,
            strategy="best-first",
            effort=each,
            criterion="entropy",
            sample_weight=weights,
        )
        for each in ("thorough", "normal", "prove")
    ]
    assert shape(trees[0], population) == shape(trees[1], population) == shape(trees[2], population)
    assert all(isinstance(node, Leaf) or node.found.proved for tree in trees for node in tree.nodes)


@pytest.mark.parametrize("name", ["arches", "lenses", "michalski10"])
def test_textbook_data_is_proved_with_default_options(name):
    data = load_dataset(name)
    trees = [fit(data.population, data.target, effort=each, max_depth=2).tree for each in ("normal", "prove")]
    assert did(trees[0]) == did(trees[1])
    assert all(node.found.proved for node in trees[0].nodes if isinstance(node, Branch))


@pytest.mark.parametrize("rule", RULES)
def test_a_planted_rule_is_found_with_default_options(rule):
    """Where the threshold lies between two values does not matter."""
    population, classes = planted(rule)
    root = fit(population, classes, max_depth=1, time_limit=None).tree.nodes[0]
    true = holds(parse_predicate(rule), population)
    assert (holds(root.test, population) == true).all() or (holds(root.test, population) == ~true).all()


@pytest.mark.parametrize("effort", ["fast", "", None])
def test_an_unknown_effort_is_refused_in_one_sentence(effort):
    sentence = f"effort must be 'quick', 'normal', 'thorough' or 'prove'; got {effort!r}"
    for refuse in (lambda: Growth(effort=effort), lambda: fit(*planted(RULES[0], 10), effort=effort)):
        with pytest.raises(UsageError) as refused:
            refuse()
        assert str(refused.value) == sentence


FOLDED = {
    "search": SHOPS,
    "table": Grammar.parse("refine Individual { top -> age >= *; top -> age <= *; top -> top and top max 2 }"),
    "sweeps": Grammar.parse(
        "refine Individual { top -> exists orders (top); top -> age >= * } "
        "refine Order { top -> week >= *; top -> paid }"
    ),
}


@pytest.mark.parametrize("effort", ["quick", "normal"])
@pytest.mark.parametrize("route", FOLDED)
def test_the_tree_of_a_fold_does_not_see_the_labels_of_the_individuals_held_out(monkeypatch, route, effort):
    population, classes = planted(RULES[1], 150, seed=3)
    train = np.sort(np.random.default_rng(0).permutation(150)[:110])
    others = np.setdiff1d(np.arange(150), train)
    grown = []

    def choose(grow_fold, *_, **__):
        """Grow one fold, with the plan and all that the whole tree has left behind."""
        grown.append(grow_fold(train))

    monkeypatch.setattr("structtree.learn.fit.choose_alpha", choose)
    for seed in range(3):
        labels = classes.copy()
        labels[others] = np.random.default_rng(seed).random(len(others)) < 0.5
        model = fit(population, labels, FOLDED[route], effort=effort)
        assert model.route.name == route
    assert did(grown[0]) == did(grown[1]) == did(grown[2])
    assert len(grown[0].nodes) > 1
