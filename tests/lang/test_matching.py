"""Matching: what trying all ways in order would find, and soon."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from structtree.lang.matching import can_be_matched, first_matching

candidates = st.lists(st.lists(st.integers(0, 4), unique=True, max_size=5), max_size=5)


def by_trying(wanted):
    return next((chosen for chosen in product(*wanted) if len(set(chosen)) == len(chosen)), None)


@given(candidates)
def test_it_is_the_first_of_all_ways(wanted):
    assert first_matching(wanted) == by_trying(wanted)
    assert can_be_matched(wanted) == (by_trying(wanted) is not None)


def test_forty_parts_that_want_the_same_are_served_at_once():
    everything = list(range(40))
    assert first_matching([everything] * 40) == tuple(everything)
    assert first_matching([everything] * 41) is None
    assert first_matching([everything[place:] for place in range(40)][::-1]) == tuple(everything[::-1])
