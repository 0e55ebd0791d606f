"""Sets of values: the best one at a node is found in one pass where that is proved, as if all had been tried."""

from __future__ import annotations

from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from structtree import export_text, fit, load_model, save_model, to_rules
from structtree.data.population import Population
from structtree.data.schema import Attribute, RecordType, Schema
from structtree.errors import UsageError
from structtree.lang.grammar import Grammar
from structtree.lang.pretty import pretty
from structtree.learn.growing import grow
from structtree.models.routing.paths import decision_path
from structtree.models.settings import Growth
from structtree.models.tree import Branch
from structtree.search.kernels.grouping import FEW_VALUES
from structtree.space.evaluate import holds
from structtree.tasks.criteria import CRITERIA, better
from structtree.tasks.target import target_for
from tests.growing import grow_on
from tests.search.reference import centred, class_counts, moments

SETS = Grammar.parse("refine Individual { top -> * in * }")
ALL = Grammar.parse("refine Individual { top -> * in *; top -> * >= *; top -> missing * }")
CLASSIFIERS = [name for name, criterion in CRITERIA.items() if criterion.task == "classes"]
GAPS = st.sampled_from(["none", "some"])


@st.composite
def tables(draw, classes="ab", n_values=5, min_size=2, max_size=16):
    """Rows with two nominal attributes and a number, perhaps with gaps; their targets and weights."""
    n = draw(st.integers(min_size, max_size))
    nothing = [None] if draw(GAPS) == "some" else []
    color = st.sampled_from(["uvwxyzrst"[i] for i in range(n_values)] + nothing)
    shape = st.sampled_from([*"pq", *nothing])
    size = st.sampled_from([0, 1, 2, *nothing])
    rows = draw(
        st.lists(st.fixed_dictionaries({"color": color, "shape": shape, "size": size}), min_size=n, max_size=n)
    )
    one = st.integers(-3, 3) if classes is None else st.sampled_from(classes)
    target = draw(st.lists(one, min_size=n, max_size=n))
    weights = draw(st.lists(st.sampled_from([1.0, 1.0, 2.0, 0.3]), min_size=n, max_size=n))
    return rows, np.array(target, dtype=float if classes is None else object), np.array(weights)


SCHEMA = Schema(
    (RecordType("Thing", (Attribute("color", "nominal"), Attribute("shape", "nominal"), Attribute("size", "int"))),),
    "Thing",
)


def population_of(rows):
    return Population.from_records(rows, SCHEMA)


# ---- the plain way ----------------------------------------------------------------------------------------


def all_sets(values):
    present = sorted({value for value in values if value is not None})
    return chain.from_iterable(combinations(present, size) for size in range(1, len(present) + 1))


def questions(rows):
    """Whom each test of `SETS` holds of."""
    for name in ("color", "shape"):
        for chosen in all_sets([row[name] for row in rows]):
            yield np.array([row[name] in chosen for row in rows])


def loss_of(inside, evidence, rows):
    """Both components of the loss of a split of some individuals."""
    target, weights = evidence.values[rows], evidence.weights[rows]
    if evidence.classes:
        n = len(evidence.classes)
        yes, total = class_counts(target, weights, n, inside[None, :]), class_counts(target, weights, n)
    else:
        y = centred(target, weights)
        yes, total = moments(y, weights, inside[None, :]), moments(y, weights)
    return evidence.criterion.loss(yes, total)[0], evidence.criterion.unsplit(total)


def least_loss(rows, which, evidence, least):
    """The least loss of any set that leaves enough on both sides, and that of no split."""
    best, unsplit = np.array([np.inf, np.inf]), None
    for inside in questions([rows[i] for i in which]):
        loss, unsplit = loss_of(inside, evidence, which)
        if least <= inside.sum() <= len(inside) - least and better(loss, best, 1e-9):
            best = loss
    return best, unsplit


def check(tree, rows, population, evidence, least):
    """Every branch has a test that is as good as the best of all, and every leaf none that is better than nothing."""
    visits = decision_path(tree, population)
    passing = np.repeat(np.arange(len(rows)), np.diff(visits.offsets))
    for index, node in enumerate(tree.nodes):
        which = passing[visits.nodes == index]
        if isinstance(node, Branch):
            best, _ = least_loss(rows, which, evidence, least)
            own, _ = loss_of(holds(node.test, population)[which], evidence, which)
            assert own == pytest.approx(best, abs=1e-9)
            assert node.found.score == pytest.approx(evidence.criterion.score(best[0]), abs=1e-9)
            assert node.found.proved and node.found.gap == 0.0
        elif len(which) >= 2 * least and not evidence.is_pure(which):
            best, unsplit = least_loss(rows, which, evidence, least)
            assert unsplit is None or not better(best, unsplit, 1e-9)


# ---- laws -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CLASSIFIERS)
@settings(max_examples=60)
@given(table=tables(), least=st.integers(1, 3))
def test_of_two_classes_every_node_has_the_best_of_all_sets(name, table, least):
    rows, target, weights = table
    tree = grow(
        population_of(rows), target, SETS, Growth(min_samples_leaf=least), criterion=name, sample_weight=weights
    )
    check(tree, rows, population_of(rows), target_for(target, len(rows), name, weights), least)


@pytest.mark.parametrize("name", CLASSIFIERS)
@settings(max_examples=40)
@given(table=tables("abcd"), least=st.integers(1, 2))
def test_of_many_classes_every_node_has_the_best_of_all_sets_of_few_values(name, table, least):
    rows, target, weights = table
    tree = grow(
        population_of(rows), target, SETS, Growth(min_samples_leaf=least), criterion=name, sample_weight=weights
    )
    check(tree, rows, population_of(rows), target_for(target, len(rows), name, weights), least)


@settings(max_examples=60)
@given(table=tables(None), least=st.integers(1, 3))
def test_of_numbers_every_node_has_the_best_of_all_sets(table, least):
    rows, target, weights = table
    tree = grow(
        population_of(rows), target, SETS, Growth(min_samples_leaf=least), criterion="mse", sample_weight=weights
    )
    check(tree, rows, population_of(rows), target_for(target, len(rows), "mse", weights), least)


@pytest.mark.parametrize("name", [*CLASSIFIERS, "mse"])
@settings(max_examples=25)
@given(data=st.data(), least=st.integers(1, 2))
def test_the_first_test_is_as_good_as_that_of_searching(name, data, least):
    rows, target, weights = data.draw(tables(None if name == "mse" else "abc"))
    assume(len(set(target.tolist())) > 1)
    options = {"criterion": name, "sample_weight": weights}
    population = population_of(rows)
    tree = grow(population, target, ALL, Growth(min_samples_leaf=least, max_depth=1), **options)
    for growth in ({"strategy": "best-first", "effort": "prove"}, {"strategy": "exhaustive", "prune": False}):
        searched = grow(population, target, ALL, Growth(min_samples_leaf=least, max_depth=1, **growth), **options)
        assert len(searched.nodes) == len(tree.nodes)
        if len(tree.nodes) > 1:
            own, other = tree.nodes[0].found, searched.nodes[0].found
            assert (own.score, own.gain) == pytest.approx((other.score, other.gain), abs=1e-9)


@pytest.mark.parametrize("missing", ["false", "majority", "fractional"])
@pytest.mark.parametrize("name", [*CLASSIFIERS, "mse"])
@settings(max_examples=25)
@given(data=st.data(), least=st.integers(1, 2))
def test_by_every_rule_for_missing_values_the_first_test_is_the_best_of_all_sets(name, missing, data, least):
    """Written out, all sets are single tests, which are tried one by one."""
    rows, target, weights = data.draw(tables(None if name == "mse" else "abc", n_values=4))
    written = "; ".join(
        f"top -> {attribute} in {{{', '.join(chosen)}}}"
        for attribute in ("color", "shape")
        for chosen in all_sets([row[attribute] for row in rows])
    )
    assume(written)
    growth = Growth(missing=missing, min_samples_leaf=least, max_depth=1)
    options = {"criterion": name, "sample_weight": weights}
    expected = grow(population_of(rows), target, Grammar.parse(f"refine Thing {{ {written} }}"), growth, **options)
    tree = grow_on("parts", population_of(rows), target, SETS, growth, **options)
    assert len(tree.nodes) == len(expected.nodes)
    if len(tree.nodes) > 1:
        own, other = tree.nodes[0].found, expected.nodes[0].found
        assert (own.score, own.gain) == pytest.approx((other.score, other.gain), abs=1e-9)
        assert own.proved


@settings(max_examples=30)
@given(table=tables("abc"), seed=st.integers(0, 99), name=st.sampled_from(CLASSIFIERS))
def test_the_order_of_the_individuals_changes_nothing(table, seed, name):
    rows, target, weights = table
    order = np.random.default_rng(seed).permutation(len(rows))
    one = grow(population_of(rows), target, SETS, criterion=name, sample_weight=weights)
    other = grow(
        population_of([rows[i] for i in order]), target[order], SETS, criterion=name, sample_weight=weights[order]
    )
    assert drawn(one) == drawn(other)


def drawn(tree):
    return [pretty(node.test) if isinstance(node, Branch) else "" for node in tree.nodes]


# ---- many values ------------------------------------------------------------------------------------------


def many_values(n_values, n_classes, n=400, seed=0):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, n_values, n)
    chances = rng.dirichlet(np.ones(n_classes), n_values)
    target = np.array([rng.choice(n_classes, p=chances[code]) for code in codes])
    rows = [{"color": f"v{code:02}", "shape": "p", "size": 0} for code in codes]
    return rows, target


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_two_classes_are_proved_however_many_values_there_are(name):
    rows, target = many_values(60, 2)
    tree = grow(population_of(rows), target, SETS, criterion=name)
    assert all(node.found.proved for node in tree.nodes if isinstance(node, Branch))
    assert len(tree.leaves) > 1


@pytest.mark.parametrize("rule", ["false", "fractional"])
def test_many_values_and_many_classes_are_not_called_proved(rule):
    rows, target = many_values(FEW_VALUES + 2, 4)
    rows[0]["color"] = None
    tree = grow(population_of(rows), target, SETS, Growth(max_depth=1, missing=rule), criterion="gini")
    found = tree.nodes[0].found
    assert not found.proved and found.gap == pytest.approx(found.score)
    few, target = many_values(FEW_VALUES, 4)
    assert grow(population_of(few), target, SETS, Growth(max_depth=1), criterion="gini").nodes[0].found.proved


def test_orders_of_many_values_come_near_the_best():
    for seed in range(5):
        rows, target = many_values(FEW_VALUES + 1, 3, seed=seed)
        evidence = target_for(target, len(rows), "gini")
        tree = grow(population_of(rows), target, SETS, Growth(max_depth=1), criterion="gini")
        best, unsplit = least_loss(rows, np.arange(len(rows)), evidence, 1)
        assert not tree.nodes[0].found.proved
        assert tree.nodes[0].found.gain >= 0.9 * (unsplit[0] - best[0])


@pytest.mark.parametrize("name", ["gini", "acc*", "mse"])
@pytest.mark.parametrize("seed", range(4))
def test_with_large_leaves_a_set_is_best_or_the_gap_says_how_much_better_another_may_be(name, seed):
    rows, target = many_values(FEW_VALUES + 1, 2, n=30, seed=seed)
    target = target.astype(float) if name == "mse" else target
    evidence = target_for(target, len(rows), name)
    for least in (1, 4, 12, 14):
        growth = Growth(max_depth=1, min_samples_leaf=least)
        root = grow(population_of(rows), target, SETS, growth, criterion=name).nodes[0]
        best, unsplit = least_loss(rows, np.arange(len(rows)), evidence, least)
        own = unsplit[0] - (root.found.gain if isinstance(root, Branch) else 0.0)
        gap = root.found.gap if isinstance(root, Branch) else root.gap
        assert own - gap - 1e-9 <= best[0]
        if isinstance(root, Branch) and root.found.proved:
            assert own == pytest.approx(best[0], abs=1e-9)
        assert least > 1 or root.found.proved


def test_a_leaf_that_may_be_divisible_after_all_says_so():
    """Of twelve values in the order of their rates the large one comes in the middle, and no beginning has seven."""
    colors = [f"v{i:02}" for i in range(11)]
    rows = [{"color": color, "shape": "p", "size": 0} for color in [*colors, *["zz"] * 50]]
    target = np.array(["a"] * 5 + ["b"] * 6 + ["a", "b"] * 25)
    tree = grow(population_of(rows), target, SETS, Growth(min_samples_leaf=7), criterion="gini")
    assert len(tree.nodes) == 1 and tree.nodes[0].gap == pytest.approx(0.053, abs=1e-3)


# ---- what is said -----------------------------------------------------------------------------------------


def first_test(rows, target, **options):
    return pretty(grow(population_of(rows), np.array(target), SETS, Growth(max_depth=1), **options).nodes[0].test)


def colored(colors):
    return [{"color": color, "shape": "p", "size": 0} for color in colors]


def test_the_side_that_is_shorter_to_read_is_named():
    assert first_test(colored("uvwxyz"), list("abbbbb")) == "color = u"
    assert first_test(colored("uvwxyz"), list("bbbbba")) == "color = z"
    assert first_test(colored("uvwxyz"), list("babbba")) == "color in {v, z}"
    assert first_test(colored("uvwx"), list("baab")) == "color in {u, x}"  # of two equal halves that with the first


def test_who_has_no_value_is_on_the_other_side():
    assert first_test(colored(["u", "v", "w", None]), list("aabb")) == "color in {u, v}"
    assert first_test(colored(["u", "v", "w", None]), list("bbba")) == "color in {u, v, w}"
    assert first_test(colored(["u", "v", "w", None]), list("abbb")) == "color = u"


def test_a_value_that_a_node_has_not_seen_is_on_the_no_side():
    rows = colored("uuvvwwxx")
    target = np.array(list("aabbabab"))
    population = population_of(rows)
    tree = grow(population.take(np.arange(4)), target[:4], SETS)
    assert pretty(tree.nodes[0].test) == "color = u"
    assert tree.apply(population).tolist() == [1, 1, 2, 2, 2, 2, 2, 2]


def test_the_option_asks_sets_of_values_of_a_derived_grammar():
    rows, target = many_values(8, 2)
    population = population_of(rows)
    by_option = grow(population, target, Grammar.from_schema(population.schema), Growth(nominal="subset"))
    by_grammar = grow(population, target, Grammar.parse("refine Thing { top -> * in *; top -> * >= * }"))
    assert drawn(by_option) == drawn(by_grammar)
    written = Grammar.parse("refine Thing { top -> * = *; top -> top and top max 2 }")
    with pytest.raises(UsageError, match="nominal='subset' needs a grammar with single tests of a plain table"):
        grow(population, target, written, Growth(nominal="subset"))


def test_only_a_search_that_lists_them_minds_how_many_there_are():
    rows, target = many_values(13, 2)
    assert grow(population_of(rows), target, SETS).nodes[0].found.proved
    with pytest.raises(UsageError, match="stands for 8,191 sets of 13 values, too many to enumerate"):
        grow(population_of(rows), target, SETS, Growth(strategy="best-first"))


@pytest.mark.parametrize("missing", ["false", "majority", "fractional"])
def test_a_tree_with_sets_is_saved_read_and_used(missing, tmp_path):
    rows, target = many_values(8, 2)
    for i in range(0, len(rows), 9):
        rows[i]["color"] = None
    population = population_of(rows)
    model = fit(population, target, growth=Growth(nominal="subset", missing=missing, max_depth=3))
    save_model(model, tmp_path / "m.json")
    again = load_model(tmp_path / "m.json")
    other = population_of([*rows, *colored(["new", "v01", None])])
    assert (again.predict(other) == model.predict(other)).all()
    assert again.tree.nodes == model.tree.nodes
    assert " in {" in export_text(again.tree) and " in {" in "\n".join(map(str, to_rules(again.tree)))


def test_a_stopping_rule_tells_a_set_as_one_of_all_sets():
    rng = np.random.default_rng(0)
    rows = colored(f"v{code:02}" for code in rng.integers(0, 12, 60))
    target = rng.integers(0, 2, 60)
    population = population_of(rows)
    grown = grow(population, target, SETS, Growth(max_depth=1))
    stopped = grow(population, target, Grammar.from_schema(population.schema), Growth(nominal="subset", stop="mdl"))
    assert len(grown.nodes) == 3 and len(stopped.nodes) == 1
