"""Whom a test surely holds of, and whom it may hold of: found by trying everything that might be the case."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from structtree.data.population import Population
from structtree.lang.parse import parse_predicate
from structtree.lang.pretty import pretty
from structtree.models.routing.unknown import possibly, seen_schema, surely
from structtree.space.evaluate import holds
from tests.learn.plain_trees import CATEGORIES, SEEN, TESTS, answer, complete_records, records, things

THING = SEEN.type("Thing")
VALUES = {**CATEGORIES, "size": (0, 1, 2, 3), "old": (True, False)}
# Those that ask about an attribute once and say nothing about its absence: of others three values of truth say less.
# Of two values the text says all that is asked, also where training has not seen it.
ONCE = [test for test in TESTS if "missing" not in test and " its " not in test]

tests = st.sampled_from(TESTS).map(parse_predicate)


def completions(record):
    """The record with everything in the place of what is unknown that training has seen there."""
    known = [[v] if v in VALUES[name] and v is not None else VALUES[name] for name, v in record.items()]
    return [dict(zip(record, values, strict=True)) for values in product(*known)]


@given(st.sampled_from(ONCE).map(parse_predicate), records)
def test_a_test_surely_holds_if_it_does_whatever_the_unknown_values_are(test, record):
    found = [answer(test, completed) for completed in completions(record)]
    assert holds(surely(test, THING), things([record])).tolist() == [all(found)]
    assert holds(possibly(test, THING), things([record])).tolist() == [any(found)]


@given(tests, records)
def test_both_are_what_three_values_of_truth_say(test, record):
    known = answer(test, record)
    assert holds(surely(test, THING), things([record])).tolist() == [known is True]
    assert holds(possibly(test, THING), things([record])).tolist() == [known is not False]


@given(tests, complete_records)
def test_where_every_value_is_known_all_three_are_the_same(test, record):
    thing = things([record])
    assert holds(surely(test, THING), thing) == holds(test, thing) == holds(possibly(test, THING), thing)


@given(tests)
def test_both_can_be_written_and_read(test):
    for found in (surely(test, THING), possibly(test, THING)):
        assert pretty(parse_predicate(pretty(found))) == pretty(found)


def test_the_categories_seen_are_those_that_individuals_have():
    data = Population.from_records([{"a": "x", "b": 1}, {"a": None, "b": 2}, {"a": "z", "b": 3}])
    assert seen_schema(data).type("Individual").attribute("a").values == ("x", "z")
    assert seen_schema(data.take([0, 1])).type("Individual").attribute("a").values == ("x",)
    assert seen_schema(data.take([1])).type("Individual").attribute("a").values == ()
