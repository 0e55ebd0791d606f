"""Only the ratios of weights matter, and only the shape of numbers: trees do not depend on units.

The losses of what is proved best are compared with those of exact arithmetic: fractions for the sums, and decimals of
sixty digits for roots and logarithms.
"""

from __future__ import annotations

import sys
import warnings
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from structtree import Grammar, StructuralTreeClassifier, StructuralTreeRegressor
from structtree.data.population import Population
from structtree.errors import DataError
from structtree.learn.fit import fit
from structtree.learn.growing import grow
from structtree.models.files.models import load_model, save_model
from structtree.models.leaves import probabilities
from structtree.models.settings import Decision, Growth, Pruning
from structtree.models.tree import Branch
from structtree.search.best_split import best_split
from structtree.tasks.criteria import CRITERIA
from tests.growing import grow_on

CONSTANTS = [2.0**300, 2.0**-300, 2.0**-100, 3.0, 1 / 3, 1e-30, 1e200, 0.7]
EXTREMES = [2.0**1000, 2.0**-1000, 1e-300]
FOR_CLASSES = [name for name, found in CRITERIA.items() if found.task == "classes"]
ROUTES = ["sweeps", "table", "search", "parts"]
ONE = Grammar.parse("refine Row { top -> a >= *; top -> b >= * }")
TWO = Grammar.parse("refine Row { top -> a >= *; top -> b >= *; top -> top and top max 2 }")


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def table(n, seed, n_classes=3):
    """A table of two columns, with classes and numbers that depend on them a little."""
    rng = np.random.default_rng(seed)
    columns = rng.integers(0, 7, (n, 2)).astype(float)
    classes = (columns[:, 0] + rng.integers(0, 3, n)) % n_classes
    numbers = columns[:, 1] + rng.normal(size=n)
    return Population.from_array(columns, names=["a", "b"]), columns, classes.astype(int), numbers


def weights_of(kind, n, seed):
    rng = np.random.default_rng(seed)
    match kind:
        case "whole":
            return rng.integers(1, 6, n).astype(float)
        case "whole, far apart":
            return np.floor(10 ** rng.uniform(0, 9, n))
        case "real":
            return rng.uniform(0.1, 1, n)
        case "real, far apart":
            return 10 ** rng.uniform(0, 9, n)
        case "some 0":
            return rng.integers(0, 3, n).astype(float)
        case _:
            return np.ones(n)


def shape(tree):
    """Everything about a tree but its weights and what was computed from them."""
    tests = [node.test if isinstance(node, Branch) else None for node in tree.nodes]
    proved = [node.found.proved if isinstance(node, Branch) else node.gap == 0 for node in tree.nodes]
    return tests, proved, [node.stats.n for node in tree.nodes], tree.parents


def same_tree(one, other, factor):
    """Check that two trees differ in nothing but the unit of their weights."""
    assert shape(one) == shape(other)
    figures, scaled = one.seen.copy(), other.seen.copy()
    figures[:, : len(one.classes) or 1] *= factor
    assert scaled == pytest.approx(figures, rel=1e-9, abs=1e-12 * figures[0].max())
    for before, after in zip(one.nodes, other.nodes, strict=True):
        if isinstance(before, Branch):
            assert after.found.score == pytest.approx(before.found.score, rel=1e-9, abs=1e-12)


# ---- weights -------------------------------------------------------------------------------------------------

KINDS = ["one", "whole", "whole, far apart", "real", "real, far apart", "some 0"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", [*FOR_CLASSES, "mse"])
@pytest.mark.parametrize("route", ROUTES)
def test_a_constant_factor_of_all_weights_does_not_change_the_tree(route, name, kind):
    population, _, classes, numbers = table(40, 1)
    target, weights = (numbers if name == "mse" else classes), weights_of(kind, 40, 2)
    grammar, growth = (TWO if route == "table" else ONE), Growth(max_depth=3)
    one = grow_on(route, population, target, grammar, growth, criterion=name, sample_weight=weights)
    assert len(one.nodes) > 3
    for factor in (*CONSTANTS, *([] if "far" in kind else EXTREMES)):
        other = grow_on(route, population, target, grammar, growth, criterion=name, sample_weight=factor * weights)
        same_tree(one, other, factor)


PRUNINGS = [
    Pruning(),
    Pruning("cost-complexity"),
    Pruning(alpha=0.01),
    Pruning("reduced-error"),
    Pruning(min_weight_fraction=0.125),
]


@pytest.mark.parametrize("kind", ["one", "whole", "real", "whole, far apart"])
@pytest.mark.parametrize("pruning", [*PRUNINGS, Pruning("pessimistic")])
def test_nor_does_it_change_how_classes_are_pruned_and_predicted(pruning, kind):
    population, _, classes, _ = table(60, 3)
    weights = weights_of(kind, 60, 4)
    for estimate in ("frequency", "laplace", "m-estimate", "m-branch"):
        options = {"pruning": pruning, "decision": Decision(estimate), "class_weight": {0: 0.3, 1: 2.0}}
        one = fit(population, classes, ONE, sample_weight=weights, **options)
        for factor in CONSTANTS:
            other = fit(population, classes, ONE, sample_weight=factor * weights, **options)
            same_tree(one.tree, other.tree, factor)
            likely = [probabilities(model.tree, model.decision) for model in (one, other)]
            assert likely[1] == pytest.approx(likely[0], rel=1e-9)
            assert (one.predict(population) == other.predict(population)).all()


@pytest.mark.parametrize("kind", ["one", "whole", "real", "whole, far apart"])
@pytest.mark.parametrize("pruning", PRUNINGS)
def test_nor_how_numbers_are(pruning, kind):
    population, _, _, numbers = table(60, 5)
    weights = weights_of(kind, 60, 6)
    one = fit(population, numbers, ONE, pruning=pruning, sample_weight=weights)
    for factor in CONSTANTS:
        other = fit(population, numbers, ONE, pruning=pruning, sample_weight=factor * weights)
        same_tree(one.tree, other.tree, factor)


@pytest.mark.parametrize("factor", CONSTANTS)
def test_estimators_and_class_weights_do_not_depend_on_the_unit_of_weights_either(factor):
    _, columns, classes, numbers = table(60, 7)
    weights = weights_of("real", 60, 8)
    for class_weight in (None, "balanced", {0: 0.1, 1: 0.2, 2: 0.3}):
        one = StructuralTreeClassifier(class_weight=class_weight, random_state=0).fit(columns, classes, weights)
        other = StructuralTreeClassifier(class_weight=class_weight, random_state=0)
        other.fit(columns, classes, factor * weights)
        same_tree(one.tree_, other.tree_, factor)
        assert other.predict_proba(columns) == pytest.approx(one.predict_proba(columns), rel=1e-9)
    one, other = StructuralTreeRegressor(random_state=0), StructuralTreeRegressor(random_state=0)
    same_tree(one.fit(columns, numbers, weights).tree_, other.fit(columns, numbers, factor * weights).tree_, factor)


def test_equal_weights_are_no_weights():
    population, _, classes, numbers = table(50, 9)
    for target, name in product((classes, numbers), ("auto", "best-first")):
        growth = Growth(strategy=name, max_depth=3)
        one = grow(population, target, ONE, growth)
        same_tree(one, grow(population, target, ONE, growth, sample_weight=np.full(50, 0.1)), 0.1)


def test_the_best_split_shows_weights_as_they_were_given():
    population, _, classes, _ = table(20, 10, n_classes=2)
    weights = weights_of("real", 20, 11)
    found = best_split(population, classes, ONE, sample_weight=1e-40 * weights)
    assert found.yes.sum() + found.no.sum() == pytest.approx(1e-40 * weights.sum())


def test_individuals_that_weigh_next_to_nothing_are_left_out_and_weights_beyond_all_sums_are_refused():
    population, _, classes, _ = table(10, 12)
    weights = np.where(np.arange(10) < 2, 1e-60, 1.0)
    assert grow(population, classes, ONE, sample_weight=weights).nodes[0].stats.n == 8
    message = "the sum of the weights overflows; scale all weights down"
    with pytest.raises(DataError, match=message):
        grow(population, classes, ONE, sample_weight=np.full(10, 1e308))
    with pytest.raises(DataError, match=message):
        grow(population, classes, ONE, sample_weight=np.full(10, 1e300), class_weight={0: 1e10})


# ---- numbers -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("exponent", [-1060, -900, -300, -60, 60, 300, 900, 1014])
def test_the_unit_of_numbers_does_not_change_the_tree(route, exponent):
    population, _, _, numbers = table(40, 13)
    numbers = np.round(numbers * 16)  # so that the least numbers have digits left
    unit = 2.0**exponent
    grammar, growth = (TWO if route == "table" else ONE), Growth(max_depth=3)
    one = grow_on(route, population, numbers, grammar, growth)
    other = grow_on(route, population, numbers * unit, grammar, growth)
    assert shape(one) == shape(other)
    means = [node.stats.mean for node in one.nodes]
    assert [node.stats.mean / unit for node in other.nodes] == pytest.approx(
        means, rel=0.1 if exponent < -1050 else 1e-9
    )


@pytest.mark.parametrize("pruning", [*PRUNINGS[:2], *PRUNINGS[3:]])
@pytest.mark.parametrize("exponent", [-1000, -300, 300, 1014])
def test_nor_does_it_change_how_they_are_pruned(pruning, exponent):
    population, _, _, numbers = table(60, 14)
    numbers, unit = np.round(numbers * 16), 2.0**exponent
    one, other = (fit(population, numbers * each, ONE, pruning=pruning) for each in (1.0, unit))
    assert shape(one.tree) == shape(other.tree)
    assert other.predict(population) / unit == pytest.approx(one.predict(population), rel=1e-9)


def test_the_cost_of_a_leaf_is_in_the_units_of_the_numbers():
    population, _, _, numbers = table(60, 15)
    unit = 2.0**160
    sizes = []
    for alpha in (0.0, 0.05, 0.2, 1.0, 100.0):
        one = fit(population, numbers, ONE, pruning=Pruning(alpha=alpha))
        other = fit(population, numbers * unit, ONE, pruning=Pruning(alpha=alpha * unit * unit))
        assert shape(one.tree) == shape(other.tree)
        sizes.append(len(one.tree.leaves))
    assert sizes[0] > sizes[1] > sizes[-1] == 1


@pytest.mark.parametrize("size", [1e-10, 1.0, 1e10])
@pytest.mark.parametrize("strategy", ["auto", "best-first"])
def test_the_least_decrease_of_small_numbers_counts(size, strategy):
    y = size * np.array([0.0, 0.0, 0.0, 1.0])
    population = Population.from_array(np.arange(4.0)[:, None], names=["a"])
    grammar, gain = Grammar.parse("refine Row { top -> a >= * }"), 3 / 16 * size * size
    for share, n_nodes in ((0.99, 3), (1.0, 3), (1.01, 1)):
        growth = Growth(strategy=strategy, min_impurity_decrease=share * gain)
        assert len(grow(population, y, grammar, growth, criterion="mse").nodes) == n_nodes


@pytest.mark.parametrize("size", [1e308, sys.float_info.max, 5e-324, 1e-310])
@pytest.mark.parametrize("route", [None, *ROUTES])
def test_the_greatest_and_the_least_numbers_are_learned_and_saved(size, route, tmp_path):
    population, columns, _, _ = table(40, 16)
    y = np.where(columns[:, 0] >= 3, size, -size)
    if route is not None:
        tree = grow_on(route, population, y, TWO if route == "table" else ONE)
        assert [node.stats.mean for node in tree.nodes[1:]] == pytest.approx([size, -size], rel=1e-15)
        return
    model = fit(population, y, ONE)
    assert model.predict(population) == pytest.approx(y, rel=1e-15)
    save_model(model, tmp_path / "model.json")
    assert (load_model(tmp_path / "model.json").predict(population) == model.predict(population)).all()


@pytest.mark.parametrize("bad", [np.inf, -np.inf])
def test_infinite_numbers_are_refused(bad):
    population, _, _, numbers = table(10, 17)
    numbers[3] = bad
    with pytest.raises(DataError, match=f"a target must be a finite number; got {bad}"):
        fit(population, numbers, ONE)


# ---- what is proved is true -----------------------------------------------------------------------------------


def exact_loss(name, sides):
    """The loss of sides, each the exact weights of its classes; or numbers with their weights."""
    if name == "mse":
        return sum(map(squared_deviation, sides)) / sum(w for side in sides for w, _ in side)
    total = [sum(column) for column in zip(*sides, strict=True)]
    weight = sum(total)
    match name:
        case "accuracy" | "acc*":
            return 1 - sum(map(max, sides)) / weight
        case "acc+":
            return decimal(1 - sum(map(max, sides)) / weight) + sum(map(bits, sides)) / decimal(weight) / 2
        case "gini":
            return sum(sum(v * (sum(side) - v) for v in side) / sum(side) for side in sides) / weight
        case "sqrt-gini":
            return sum(decimal(v * (sum(side) - v)).sqrt() for side in sides for v in side) / decimal(weight)
        case "entropy":
            return sum(map(bits, sides)) / decimal(weight)
        case "gain-ratio":
            return (sum(map(bits, sides)) - bits(total)) / bits([sum(side) for side in sides])
        case _:
            yes, no = sides
            apart = sum(abs(a * sum(no) - b * sum(yes)) for a, b in zip(yes, no, strict=True))
            return -(apart**2) / (4 * weight**2 * sum(yes) * sum(no))


def squared_deviation(side):
    weight, moment = sum(w for w, _ in side), sum(w * y for w, y in side)
    return sum(w * y * y for w, y in side) - moment * moment / weight


def decimal(fraction):
    return Decimal(fraction.numerator) / Decimal(fraction.denominator)


def bits(counts):
    """Weight times entropy."""
    known = [decimal(count) for count in counts if count]
    return sum(count * (sum(known) / count).ln() for count in known) / Decimal(2).ln()


def least_loss(name, columns, target, weights):
    """The least loss of all thresholds, by exact arithmetic."""
    with localcontext() as context:
        context.prec = 60
        losses = []
        for column in columns.T:
            for threshold in np.unique(column)[1:]:
                sides = [
                    exact_side(name, target, weights, part) for part in (column >= threshold, column < threshold)
                ]
                losses.append(Fraction(exact_loss(name, sides)))
        return min(losses)


def exact_side(name, target, weights, inside):
    if name == "mse":
        return [(Fraction(w), Fraction(y)) for w, y in zip(weights[inside], target[inside], strict=True)]
    each = [weights[inside & (target == label)] for label in np.unique(target)]
    return [sum(map(Fraction, own), Fraction(0)) for own in each]


def tolerance(name, weights, target):
    """How near a loss that is proved to be the least has to be to it."""
    ratio = float(weights.sum() / weights.min())
    is_whole = (weights == np.floor(weights)).all()
    if name == "mse":
        return 1e-12 * float(np.cov(target, aweights=weights, ddof=0))
    if is_whole or name not in ("gain-ratio", "sqrt-gini"):
        return 1e-12
    return 1e-12 + 2.0**-50 * (ratio if name == "gain-ratio" else ratio**0.5)


@pytest.mark.parametrize("kind", ["whole", "whole, far apart", "real", "real, far apart"])
@pytest.mark.parametrize("name", [*FOR_CLASSES, "mse"])
@pytest.mark.parametrize("route", ROUTES)
def test_what_is_proved_is_the_least_loss_of_exact_arithmetic(route, name, kind):
    for seed, n_classes in ((20, 2), (21, 3), (22, 2)):
        population, columns, classes, numbers = table(30, seed, n_classes)
        target, weights = (numbers if name == "mse" else classes), weights_of(kind, 30, seed)
        grammar = Grammar.parse(str(ONE) + "limits { literals 1 }") if route == "table" else ONE
        tree = grow_on(route, population, target, grammar, Growth(max_depth=3), criterion=name, sample_weight=weights)
        checked = 0
        for index, which in tree.arrivals(population):
            node = tree.nodes[index]
            if isinstance(node, Branch) and node.found.proved:
                least = least_loss(name, columns[which], target[which], weights[which])
                loss = CRITERIA[name].score(node.found.score)
                slack = tolerance(name, weights[which], target[which])
                assert abs(Fraction(loss) - least) <= Fraction(slack), (index, loss, float(least))
                checked += 1
        assert checked


@given(st.integers(0, 10**6), st.sampled_from([*FOR_CLASSES, "mse"]), st.sampled_from(ROUTES))
def test_random_tables_have_the_same_tree_whatever_the_unit(seed, name, route):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 25))
    population, columns, classes, numbers = table(n, seed, int(rng.integers(2, 4)))
    target, kind = (numbers if name == "mse" else classes), KINDS[int(rng.integers(len(KINDS) - 1))]
    weights, factor = weights_of(kind, n, seed), 10.0 ** rng.uniform(-80, 80)
    grammar, growth = (TWO if route == "table" else ONE), Growth(max_depth=2)
    if len(np.unique(columns[:, 0])) < 2 or len(np.unique(target)) < 2:
        return
    one, other = (
        grow_on(route, population, target, grammar, growth, criterion=name, sample_weight=unit * weights)
        for unit in (1.0, factor)
    )
    same_tree(one, other, factor)
