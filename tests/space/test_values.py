"""What value sources offer, by hand."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from structtree.data.population import Population
from structtree.data.reachable import reachable_rows
from structtree.lang import syntax as syn
from structtree.lang.grammar import Grammar
from structtree.lang.pretty import pretty
from structtree.space.space import Space
from structtree.space.values import Interval, counts, cuts, intervals, scalars

NAN = np.nan


def test_whole_numbers_are_cut_at_the_numbers_themselves():
    values = np.array([2.0, 3.0, NAN, 7.0])
    assert cuts(syn.Star(), values, "int", ">=").tolist() == [3, 7]
    assert cuts(syn.Star(), values, "int", "<=").tolist() == [2, 3]


def test_reals_are_cut_between_neighbours_with_few_decimals():
    assert cuts(syn.Star(), np.array([0.1423, 0.1471]), "real", ">=").tolist() == [0.145]
    assert cuts(syn.Star(), np.array([1.0, 1000.0]), "real", ">=").tolist() == [500.0]


@given(st.lists(st.floats(allow_nan=False), min_size=2, unique=True))
@example([-np.inf, np.inf])
@example([-np.inf, 5.0, np.inf])
@example([-sys.float_info.max, sys.float_info.max])
@example([sys.float_info.max, np.inf])
def test_every_cut_separates_its_neighbours(values):
    present = np.unique(np.array(values))
    for op, below in ((">=", False), ("<=", True)):
        found = cuts(syn.Star(), present, "real", op)
        assert len(found) == len(present) - 1
        for cut, low, high in zip(found, present, present[1:], strict=False):
            assert (low <= cut < high) if below else (low < cut <= high)


def test_bins_have_equal_width_and_the_last_is_closed():
    assert intervals(syn.Bins(4), np.array([0.0, 8.0, 3.0]), "real") == (
        Interval(0, 2),
        Interval(2, 4),
        Interval(4, 6),
        Interval(6, 8, closed=True),
    )
    assert cuts(syn.Bins(4), np.array([0.0, 8.0]), "real", ">=").tolist() == [2, 4, 6]


def test_cuts_beside_infinite_numbers_are_finite():
    values = np.array([-np.inf, 0.0, 1.0, np.inf])
    for op in (">=", "<="):
        found = cuts(syn.Star(), values, "real", op)
        assert np.isfinite(found).all()
        assert np.searchsorted(values, found).tolist() == [1, 2, 3]


@given(st.lists(st.floats(allow_nan=False), min_size=1), st.integers(1, 5))
@example([-sys.float_info.max, sys.float_info.max], 3)
@example([-np.inf, 0.0, 10.0, np.inf], 2)
@example([-np.inf, np.inf], 4)
def test_intervals_hold_every_value_once(values, k):
    values = np.array(values)
    for source in (syn.Bins(k), syn.Quantiles(k)):
        found = intervals(source, values, "real")
        inside = [(values >= i.low) & ((values <= i.high) if i.closed else (values < i.high)) for i in found]
        assert (np.sum(inside, axis=0) == 1).all()
        assert not np.isnan(cuts(source, values, "real", ">=")).any()


def test_bins_have_equal_width_among_the_finite_numbers():
    assert intervals(syn.Bins(2), np.array([-np.inf, 0.0, 10.0, np.inf]), "real") == (
        Interval(-np.inf, 5),
        Interval(5, np.inf, closed=True),
    )


@given(st.lists(st.integers(-20, 20), min_size=1), st.integers(1, 6), st.sampled_from([">=", "<="]))
def test_thresholds_of_whole_numbers_are_whole_and_divide_as_the_edges_of_bins_do(values, k, op):
    values = np.array(values, dtype=np.float64)
    whole, edges = cuts(syn.Bins(k), values, "int", op), cuts(syn.Bins(k), values, "real", op)
    assert (whole == np.round(whole)).all()
    assert (np.diff(whole) > 0).all()
    passed = np.greater_equal if op == ">=" else np.less_equal
    assert {passed(values, cut).tobytes() for cut in whole} == {passed(values, cut).tobytes() for cut in edges}


def test_a_constant_column_has_one_bin_and_no_cuts():
    constant = np.array([5.0, 5.0, NAN])
    assert intervals(syn.Bins(3), constant, "real") == (Interval(5, 5, closed=True),)
    assert cuts(syn.Star(), constant, "real", ">=").tolist() == []
    assert cuts(syn.Quantiles(4), constant, "real", ">=").tolist() == []
    assert intervals(syn.Bins(3), np.array([NAN]), "real") == ()


def test_quantiles_hold_about_equally_many_rows():
    values = np.arange(100.0)
    found = intervals(syn.Quantiles(4), values, "int")
    sizes = [int(((values >= i.low) & ((values < i.high) | (i.closed & (values == i.high)))).sum()) for i in found]
    assert sizes == [25, 25, 25, 25]


@given(st.lists(st.integers(0, 20).map(float), min_size=1), st.integers(1, 6))
def test_intervals_cover_every_value_once(values, k):
    array = np.array(values)
    for source in (syn.Bins(k), syn.Quantiles(k)):
        found = intervals(source, array, "int")
        covered = sum(
            ((array >= i.low) & ((array < i.high) | (i.closed & (array == i.high)))).astype(int) for i in found
        )
        assert (covered == 1).all()


def test_lists_and_ranges_are_what_they_say():
    assert cuts(syn.Listed((5, 1, 2)), np.zeros(0), "int", ">=").tolist() == [1, 2, 5]
    assert cuts(syn.Range(2, 4), np.zeros(0), "int", ">=").tolist() == [2, 3, 4]
    assert counts(syn.Star(), 3) == (1, 2, 3)
    assert counts(syn.Range(2, 3), 99) == (2, 3)
    assert scalars(syn.Star(), ("a", "b")) == ("a", "b")
    assert scalars(syn.Listed(("b", "b", "c")), ("a", "b")) == ("b", "c")


@pytest.mark.parametrize(("chosen", "expected"), [([0], [True, True, False]), ([1], [False, False, True])])
def test_only_rows_that_the_individuals_reach_are_asked(chosen, expected):
    population = Population.from_records([{"xs": [{"v": 1}, {"v": 2}]}, {"xs": [{"v": 9}]}])
    assert reachable_rows(population.take(chosen))["X"].tolist() == expected


@pytest.mark.parametrize("right", ["a >= bins(2)", "a <= bins(2)", "a in bins(2)", "a >= quantiles(2)", "a >= *"])
def test_what_whole_numbers_are_compared_with_reads_as_it_is_written(right):
    data = Population.from_records([{"a": a} for a in (1, 2, 3, 4)])
    space = Space.build(Grammar.parse(f"refine Individual {{ top -> {right} }}"), data)
    for predicate in space.enumerate():
        assert predicate in space
        assert space.parse(pretty(predicate)) == predicate
