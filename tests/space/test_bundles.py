"""Rewrites with conjunctions on either side: small spaces worked out by hand, counting, obstacles, the search."""

from __future__ import annotations

import numpy as np
import pytest

from structtree import Grammar, GrammarError, Population, Space, best_split, pretty
from structtree.space.count import count_space
from structtree.space.obstacle import obstacle
from tests.oracles import all_predicates

TYPES = """
type T = { a: x | y | z, n: int, c: bool, d: bool, us: set of U, o: U? }
type U = { e: bool, f: red | green, vs: set of U }
individual T
"""


def space_of(rewrites, more="", limits="literals 6"):
    return Space.build(Grammar.parse(f"{TYPES} refine T {{ {rewrites} }} {more} limits {{ {limits} }}"))


def texts(space):
    found = [pretty(predicate) for predicate in space.enumerate()]
    assert len(set(found)) == len(found)
    assert set(space.enumerate()) == all_predicates(space)
    assert count_space(space).size == len(found)
    return found


def test_a_right_side_of_two_tests_puts_both_at_the_position():
    found = texts(space_of("top -> a = {x, y} and n >= 1..2"))
    assert found == ["top", "a = x and n >= 1", "a = x and n >= 2", "a = y and n >= 1", "a = y and n >= 2"]


def test_a_bundle_takes_one_place_however_many_literals_it_has():
    pairs = "top -> c and n >= 1; top -> d; top -> a = x; top -> top and top max 2"
    assert set(texts(space_of(pairs))) == {
        "top",
        "c and n >= 1",
        "d",
        "a = x",
        "c and d and n >= 1",
        "a = x and c and n >= 1",
        "a = x and d",
    }


def test_without_top_and_top_a_bundle_stands_alone():
    assert set(texts(space_of("top -> c and n >= 1; top -> d"))) == {"top", "c and n >= 1", "d"}


def test_and_top_leaves_the_place_for_something_else():
    found = texts(space_of("top -> c and n >= 1 and top; top -> d; top -> a = x"))
    assert set(found) == {"top", "c and n >= 1", "d", "a = x", "c and d and n >= 1", "a = x and c and n >= 1"}


def test_positions_in_a_bundle_are_refined():
    found = texts(space_of("top -> c and exists us (e and top)", "refine U { top -> f = red }"))
    assert found == ["top", "c and exists us (e)", "c and exists us (e and f = red)"]


def test_two_links_of_one_kind_are_two_different_ones():
    found = texts(space_of("top -> exists us (top) and exists us (top)", "refine U { top -> e; top -> f = red }"))
    assert set(found) == {
        "top",
        "exists us (e) and exists us (top)",
        "exists us (f = red) and exists us (top)",
        "exists us (e) and exists us (f = red)",
    }


def test_what_several_rewrites_make_is_there_once():
    found = texts(space_of("top -> c; top -> d; top -> c and d; top -> d and c and top; top -> top and top max 2"))
    assert set(found) == {"top", "c", "d", "c and d"}


def test_tests_that_are_askable_only_beside_others():
    found = texts(space_of("top -> c; top -> d; c and d -> c and d and n >= 1..2; top -> top and top max 2"))
    assert set(found) == {"top", "c", "d", "c and d", "c and d and n >= 1", "c and d and n >= 2"}


def test_a_left_side_may_be_put_together_from_parts_of_bundles():
    found = texts(space_of("top -> c and a = x and top; top -> d; c and d -> c and d and n >= 1"))
    assert "a = x and c and d and n >= 1" in found


def test_a_pair_may_be_replaced_by_something_stronger():
    found = texts(space_of("top -> n >= 1; top -> c; n >= 1 and c -> n >= 2..3 and c; top -> top and top max 2"))
    assert set(found) == {"top", "n >= 1", "c", "c and n >= 1", "c and n >= 2", "c and n >= 3"}


def test_values_that_do_not_imply_the_left_side_are_left_out():
    found = texts(space_of("top -> n >= 2; top -> c; n >= 2 and c -> n >= 1..4 and c; top -> top and top max 2"))
    assert set(found) == {"top", "n >= 2", "c", "c and n >= 2", "c and n >= 3", "c and n >= 4"}


def test_a_closed_position_is_rewritten_too():
    found = texts(
        space_of("top -> exists us (e and f = red)", "refine U { e and f = red -> e and f = red and exists vs (e) }")
    )
    assert found == ["top", "exists us (e and f = red)", "exists us (e and f = red and exists vs (e))"]


def test_whether_a_pair_implies_another_is_seen_in_the_data():
    grammar = "refine Individual { top -> a; top -> b; a and b -> c and d; top -> top and top max 2 }"
    rows = [{"a": True, "b": True, "c": True, "d": True}, {"a": True, "b": False, "c": False, "d": True}]
    assert "c and d" in Space.build(Grammar.parse(grammar), Population.from_records(rows))
    rows.append({"a": True, "b": False, "c": True, "d": True})
    with pytest.raises(GrammarError, match="row 2 of Individual satisfies 'c and d' but not 'a and b'"):
        Space.build(Grammar.parse(grammar), Population.from_records(rows))


@pytest.mark.parametrize(
    ("rewrites", "expected"),
    [
        ("top -> a = * and n >= 1..4", 1 + 12),
        ("top -> a = * and n >= 1..4; top -> c; top -> d", 1 + 12 + 2),
        ("top -> a = * and n >= 1..4; top -> c; top -> d; top -> top and top max 2", 1 + 12 + 2 + 24 + 1),
        ("top -> a = * and n >= 1..4 and top; top -> c; top -> d", (1 + 12) * (1 + 2)),
        ("top -> a = * and exists us (top)", 1 + 3 * 3),
        ("top -> exists us (top) and top; top -> c", (1 + 3 + 3 + 1) + (1 + 3 + 3)),
    ],
)
def test_where_rewrites_do_not_overlap_a_formula_counts(rewrites, expected):
    space = space_of(rewrites, "refine U { top -> f = * }", limits="literals 5")
    assert count_space(space).enumerated is None
    assert count_space(space).size == expected == len(texts(space))


def test_where_they_overlap_the_space_is_enumerated_and_that_is_said():
    size = count_space(space_of("top -> a = * and c; top -> c; top -> top and top max 2"))
    assert "several rewrites of T can produce literals of 'a = x and c'" in size.enumerated


@pytest.mark.parametrize(
    ("predicate", "sentence"),
    [
        ("n >= 1", "no rewrites of T produce 'n >= 1': 'n >= 1' is only produced by 'top -> a = * and n >= 1..2'"),
        (
            "a = x and n >= 3",
            "no rewrite of T produces 'n >= 3': 'top -> a = * and n >= 1..2' allows n >= 1 and n >= 2",
        ),
        ("c and d", "a position of T has at most 1 conjunct (it has no 'top -> top and top'), got 2"),
        ("a = x and exists us (e)", "no rewrite of T produces 'exists us (e)'"),
    ],
)
def test_what_stands_in_the_way_is_said(predicate, sentence):
    space = space_of("top -> a = * and n >= 1..2; top -> c; top -> d")
    found = obstacle(space, space.parse(predicate))
    assert sentence in found.sentence
    assert obstacle(space, space.parse("a = x and n >= 1")) is None


def test_the_search_finds_what_only_a_bundle_makes():
    random = np.random.default_rng(0)
    rows = [{"a": bool(a), "n": int(n)} for a, n in random.integers(0, [2, 6], size=(60, 2))]
    labels = np.array([row["a"] and row["n"] >= 3 for row in rows])
    grammar = Grammar.parse("refine Individual { top -> a and n >= *; top -> not a }")
    for prune in (True, False):
        found = best_split(Population.from_records(rows), labels, grammar, prune=prune)
        assert (pretty(found.predicate), found.score, found.proved) == ("a and n >= 3", 1.0, True)
    assert found.stats.evaluated == Space.build(grammar, Population.from_records(rows)).size()
