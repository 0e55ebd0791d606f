"""``a in *``: every set of values, listed without being kept, and counted however many there are."""

from __future__ import annotations

from itertools import chain, combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structtree.data.population import Population
from structtree.errors import UsageError
from structtree.lang.grammar import Grammar
from structtree.lang.pretty import pretty
from structtree.space.count import count_space
from structtree.space.obstacle import obstacle
from structtree.space.space import Space
from structtree.space.values import Subsets

WORDS = st.sets(st.sampled_from("abcdefg"), max_size=6)


def all_sets(words):
    ordered = sorted(words)
    return list(chain.from_iterable(combinations(ordered, size) for size in range(1, len(ordered) + 1)))


def letters(n):
    return " | ".join(f"v{i:02}" for i in range(n))


def space_of(rewrites, n=4):
    return Space.build(
        Grammar.parse(f"type T = {{ a: {letters(n)}, b: bool }} individual T refine T {{ {rewrites} }}")
    )


def members(space):
    return [pretty(predicate) for predicate in space.enumerate()]


# ---- the list that is not kept ----------------------------------------------------------------------------


@given(words=WORDS)
def test_they_are_all_sets_the_small_ones_first_and_then_by_alphabet(words):
    sets = Subsets(words)
    assert list(sets) == all_sets(words)
    assert sets.n == len(sets) == max(0, 2 ** len(words) - 1)


@given(words=WORDS, skipped=st.sets(st.integers(0, 62)))
def test_a_set_is_found_where_it_stands_also_when_some_are_skipped(words, skipped):
    every = all_sets(words)
    sets = Subsets(words, [place for place in skipped if place < len(every)])
    expected = [chosen for place, chosen in enumerate(every) if place not in skipped]
    assert list(sets) == expected
    assert [sets.find(chosen) for chosen in expected] == list(range(len(expected)))
    assert all(sets.find(chosen) is None for chosen in every if chosen not in expected)
    assert sets.find(()) is None and sets.find(("z",)) is None


def test_there_may_be_more_than_anybody_can_list():
    sets = Subsets(f"v{i:03}" for i in range(200))
    assert sets.n == 2**200 - 1
    assert sets[0] == ("v000",) and len(sets[sets.n - 1]) == 200
    assert sets.find(sets[12345678901234567890]) == 12345678901234567890
    with pytest.raises(IndexError):
        sets[sets.n]


# ---- in a space -------------------------------------------------------------------------------------------


def test_a_set_of_one_is_written_as_an_equality_and_all_values_are_a_set_too():
    assert members(space_of("top -> a in *", 3)) == [
        "top",
        "a = v00",
        "a = v01",
        "a = v02",
        "a in {v00, v01}",
        "a in {v00, v02}",
        "a in {v01, v02}",
        "a in {v00, v01, v02}",
    ]


@pytest.mark.parametrize("first", ["top -> a = *;", "top -> a in {v00, v02}; top -> a = v01;", "top -> a in *;"])
def test_what_another_rewrite_offers_is_not_offered_again(first):
    found = members(space_of(f"{first} top -> a in *"))
    assert len(found) == len(set(found)) == count_space(space_of(f"{first} top -> a in *")).size == 16


def test_a_set_is_rewritten_to_its_parts():
    space = space_of("top -> a in {v00, v01, v02}; a in {v00, v01, v02} -> a in *")
    assert len(members(space)) == 1 + 1 + 6
    assert "a in {v00, v02}" in space and "a = v03" not in space


def test_two_sets_of_one_attribute_are_better_said_as_one():
    space = space_of("top -> a in *; top -> b; top -> top and top max 2")
    assert space.size() == 1 + 15 + 1 + 15
    assert "a in {v00, v01} and b" in space
    assert "a in {v00, v01} and a in {v01, v02}" not in space
    found = obstacle(space, space.parse("a in {v00, v01} and a in {v01, v02}"))
    assert found.sentence.endswith("write the common values as one set")


def test_they_are_counted_however_many_there_are_and_listed_up_to_twelve_values():
    assert sum(1 for _ in space_of("top -> a in *", 12).enumerate()) == 4096
    large = space_of("top -> a in *; top -> b; top -> top and top max 2", 70)
    assert large.size() == 2 * 2**70
    assert "a in {v03, v17, v69} and b" in large
    with pytest.raises(UsageError, match=r"'a in \*' stands for 8,191 sets of 13 values, too many to enumerate"):
        list(space_of("top -> a in *", 13).enumerate())


def test_the_values_are_those_that_the_data_has():
    data = Population.from_records([{"a": "x"}, {"a": "y"}, {"a": None}, {"a": "z"}])
    grammar = Grammar.parse("refine Individual { top -> * in * }")
    assert Space.build(grammar, data.take([0, 1, 2])).size() == 4
    assert Space.build(grammar, data.take([2])).size() == 1


def test_a_value_that_the_data_lacks_is_in_no_set():
    data = Population.from_records([{"a": "x"}, {"a": "y"}, {"a": "z"}])
    space = Space.build(Grammar.parse("refine Individual { top -> a in * }"), data.take([0, 1]))
    found = obstacle(space, space.parse("a in {x, z}"))
    assert "a in {x, y}" in found.sentence
