"""Stopping: p-values against scipy's, codes against counting what they tell apart, and trees that stop on noise."""

from __future__ import annotations

from itertools import product
from math import comb, log2

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from structtree.data.datasets.catalog import load_dataset
from structtree.data.population import Population
from structtree.lang.grammar import Grammar
from structtree.lang.parse import parse_predicate
from structtree.learn.growing import grow
from structtree.learn.stopping import literals_offered, predicate_bits, saves_bits
from structtree.models.settings import Growth
from structtree.space.space import Space
from structtree.tasks.evidence import class_bits, class_p_value, number_bits, number_p_value, precision_of
from structtree.tasks.registry import as_task

ONE_TEST = Grammar.parse("refine Row { top -> * >= * }")
CLASSES_AND_NUMBERS = ["classes", "numbers"]
# A split is the best of 476 here, so that 0.05 would be no protection at all; this is about 0.005 / 476.
STRICT = Growth(stop="test", significance=1e-5)

counts = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=4)
values = st.lists(st.integers(-20, 20), min_size=1, max_size=8)


# ---- p-values -------------------------------------------------------------------------------------------


@given(counts)
def test_the_p_value_of_classes_is_that_of_the_chi_squared_test(table):
    yes, no = np.transpose(table)
    assume(yes.sum() > 0 and no.sum() > 0)
    occurring = np.array([yes, no])[:, yes + no > 0]
    expected = stats.chi2_contingency(occurring, correction=False).pvalue if occurring.shape[1] > 1 else 1.0
    assert class_p_value(yes, no) == pytest.approx(expected)


@given(values, values)
def test_the_p_value_of_numbers_is_that_of_the_f_test(yes, no):
    assume(len({*yes}) + len({*no}) > 2)
    assume(abs(np.mean(yes) - np.mean(no)) > 1e-9)  # equal means that are rounded differently give scipy nan
    assert number_p_value(yes, no) == pytest.approx(stats.f_oneway(yes, no).pvalue)


@given(st.lists(st.lists(st.integers(1, 9), min_size=3, max_size=3), min_size=2, max_size=5))
def test_the_tests_are_for_any_number_of_sides(table):
    assert class_p_value(*table) == pytest.approx(stats.chi2_contingency(table, correction=False).pvalue)
    assume(len({np.mean(side) for side in table}) > 1 and any(len(set(side)) > 1 for side in table))
    assert number_p_value(*table) == pytest.approx(stats.f_oneway(*table).pvalue)


def test_two_numbers_show_nothing_and_equal_numbers_that_differ_between_the_sides_everything():
    assert number_p_value([1.0], [9.0]) == 1.0
    assert number_p_value([1.0, 1.0], [9.0]) == 0.0
    assert number_p_value([1.0, 1.0], [1.0]) == 1.0


def test_a_side_that_nobody_is_on_shows_nothing():
    assert class_p_value([0, 0], [3, 4]) == 1.0
    assert number_p_value([], [3.0, 4.0, 5.0]) == 1.0


# ---- description length ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "k"), [(1, 2), (4, 2), (5, 3)])
def test_the_code_of_classes_has_a_word_for_every_sequence_and_no_room_for_more(n, k):
    """Kraft: two to the minus length, over all sequences, adds up to 1."""
    words = [class_bits(np.bincount(sequence, minlength=k)) for sequence in product(range(k), repeat=n)]
    assert sum(2.0**-bits for bits in words) == pytest.approx(1.0)


@given(st.integers(0, 300), st.integers(0, 300))
def test_two_classes_are_told_by_their_number_and_their_order(m, n):
    assert class_bits([m, n]) == pytest.approx(log2(m + n + 1) + log2(comb(m + n, m)))


@given(values, st.integers(0, 40))
def test_numbers_never_cost_less_than_nothing_and_more_when_they_spread(y, extent):
    bits = number_bits(y, 1.0, float(extent))
    assert bits >= -1e-9
    assert number_bits(np.multiply(y, 3.0), 1.0, float(extent)) >= bits - 2 * log2(1 + extent * len(y)) - 1e-9


@given(values, st.sampled_from([0.01, 0.5, 30.0]), st.integers(-5, 5))
def test_the_bits_of_numbers_do_not_depend_on_their_unit_or_their_zero(y, unit, zero):
    moved = (np.array(y) + zero) * unit
    assert number_bits(moved, unit, 40.0 * unit) == pytest.approx(number_bits(y, 1.0, 40.0))


def test_the_precision_is_the_least_difference_that_is_more_than_rounding():
    assert precision_of([0.1 + 0.2, 0.3, 0.7]) == pytest.approx(0.4)
    assert precision_of([5.0, 5.0]) == 1.0


def test_a_literal_costs_a_bit_and_the_choice_among_those_offered():
    grammar = Grammar.parse(
        "type T = {a: x | y | z, parts: set of P} type P = {b: bool} individual T "
        "refine T { top -> a = *; top -> exists parts (top); top -> count parts (top) >= 2..4 } "
        "refine P { top -> b }"
    )
    offered = literals_offered(Space.build(grammar))
    assert offered == 3 + 1 + 3 + 1
    assert predicate_bits(parse_predicate("a = x"), offered) == 1 + 3
    assert predicate_bits(parse_predicate("exists parts (b)"), offered) == 2 * (1 + 3)


def test_literals_that_only_rewrites_of_literals_offer_are_counted_too():
    grammar = Grammar.parse(
        "type T = {a: x | y | z} individual T refine T { top -> a in {x, y}; a in {x, y} -> a = {x, y} }"
    )
    assert literals_offered(Space.build(grammar)) == 1 + 2


@pytest.mark.parametrize("task", CLASSES_AND_NUMBERS)
def test_a_split_saves_bits_when_there_are_enough_who_agree(task):
    def saves(n):
        yes, no = np.zeros(n, dtype=np.int64), np.ones(n, dtype=np.int64)
        targets = (yes, no) if task == "classes" else (yes.astype(float), no.astype(float))
        return saves_bits(as_task(task), *targets, for_test=8.0)

    assert not saves(3)
    assert saves(30)


@pytest.mark.parametrize("task", CLASSES_AND_NUMBERS)
def test_every_side_costs_a_bit(task):
    sides = [np.full(9, code, dtype=np.int64 if task == "classes" else float) for code in range(3)]
    apart = [saves_bits(as_task(task), *sides, for_test=float(bits)) for bits in range(200)]
    fewer = [
        saves_bits(as_task(task), np.concatenate(sides[:2]), sides[2], for_test=float(bits)) for bits in range(200)
    ]
    assert sum(apart) > sum(fewer) > 0


# ---- trees that stop ------------------------------------------------------------------------------------


def noise_and_signal(task, n=120):
    """Three columns of noise and one that the target follows."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=(n, 4))
    noise = rng.permutation(n) % 2 if task == "classes" else rng.normal(size=n)
    signal = (x[:, 2] > 0).astype(np.int64) if task == "classes" else (x[:, 2] > 0) + 0.3 * rng.normal(size=n)
    return Population.from_array(x), noise, signal


@pytest.mark.parametrize("task", CLASSES_AND_NUMBERS)
@pytest.mark.parametrize("growth", [STRICT, Growth(stop="mdl")], ids=["test", "mdl"])
def test_noise_is_left_alone_and_a_signal_is_found(task, growth):
    population, noise, signal = noise_and_signal(task)
    assert len(grow(population, noise, ONE_TEST).nodes) > 20
    assert len(grow(population, noise, ONE_TEST, growth).nodes) == 1
    root, *below = grow(population, signal, ONE_TEST, growth).nodes
    assert root.test.attribute == "x2"
    assert len(below) == 2


@pytest.mark.parametrize("task", CLASSES_AND_NUMBERS)
def test_the_significance_is_the_greatest_p_value_of_a_branch(task):
    population, noise, _ = noise_and_signal(task)
    whole = grow(population, noise, ONE_TEST, Growth(max_depth=1))
    (_, yes), (_, no) = list(whole.arrivals(population))[1:]
    p = as_task(task).p_value(noise[yes], noise[no])
    for level, n_nodes in ((p * 1.01, 3), (p * 0.99, 1)):
        growth = Growth(max_depth=1, stop="test", significance=level)
        assert len(grow(population, noise, ONE_TEST, growth).nodes) == n_nodes


def test_weights_do_not_make_a_split_significant():
    population, noise, _ = noise_and_signal("classes")
    assert len(grow(population, noise, ONE_TEST, STRICT, sample_weight=np.full(len(noise), 50.0)).nodes) == 1


@pytest.mark.parametrize("name", ["trains", "planted-trains"])
def test_a_test_has_one_price_whichever_way_the_tree_is_grown(name):
    """On some ways a test stands for a column of a table, which would be shorter to describe."""
    data = load_dataset(name)
    trees = [
        grow(data.population, data.target, Grammar.load("trains"), Growth(stop="mdl", strategy=strategy, max_depth=2))
        for strategy in ("auto", "best-first")
    ]
    assert [[node.stats for node in tree.nodes] for tree in trees[1:]] == [[node.stats for node in trees[0].nodes]]
