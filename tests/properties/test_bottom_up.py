"""Laws of the search from the inside out: every meaning that the space has, once, and by a predicate of the space."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given

from structtree import Grammar, Space, holds, load_dataset, pretty
from structtree.data.reachable import compact
from structtree.data.readers.individuals import population_of
from structtree.search.bottom_up import link_columns, meanings, suits
from structtree.space.evaluate import rows_where
from structtree.space.families import LinkFamily
from structtree.space.terms import n_literals
from tests.properties.test_space import members, spaces


def shortest(predicates, population, name):
    """For each meaning the least number of literals of a predicate that has it."""
    found = {}
    for predicate in predicates:
        key = rows_where(predicate, population, name).tobytes()
        found[key] = min(n_literals(predicate), found.get(key, 99))
    return found


@given(spaces())
def test_every_meaning_of_the_space_is_there_and_no_longer_than_it_need_be(space):
    assume(suits(space))
    name, population = space.grammar.individual, space.population
    wanted = shortest(members(space), population, name)
    found = meanings(space, name)
    assert found.complete
    made = shortest(found.predicates, population, name)
    assert len(made) == len(found)
    nothing = np.zeros(population.tables[name].n_rows, dtype=np.bool_).tobytes()
    assert {key: size for key, size in wanted.items() if key != nothing} == made
    assert list(found.sizes) == [n_literals(predicate) for predicate in found.predicates]


@given(spaces())
def test_every_predicate_that_is_made_is_in_the_space(space):
    assume(suits(space))
    members(space)
    assert all(predicate in space for predicate in meanings(space, space.grammar.individual).predicates[:200])


@given(spaces())
def test_a_column_says_who_passes_each_of_its_tests(space):
    assume(suits(space))
    columns, _, _ = link_columns(space)
    for column in columns[:50]:
        for rank, test in enumerate(column.members):
            assert (holds(test, space.population) == (column.values > rank)).all()


def test_all_and_distinct_are_left_to_the_other_search():
    trains = load_dataset("trains").population
    for text in ("all cars (top)", "distinct cars (top, top)"):
        grammar = Grammar.parse(f"refine Train {{ top -> {text} }} refine Car {{ top -> long }}")
        assert not suits(Space.build(grammar, trains))


def test_when_there_are_too_many_meanings_the_short_ones_are_kept_and_it_is_said():
    trains = load_dataset("trains").population
    space = Space.build(Grammar.load("trains"), compact(trains))
    whole, part = meanings(space, "Car"), meanings(space, "Car", most=100)
    assert whole.complete and not part.complete and len(part) == 100 < len(whole)
    assert part.sizes.max() <= whole.sizes[np.searchsorted(whole.sizes, part.sizes.max())]
    assert any(isinstance(family, LinkFamily) for family in space.offers.from_top["Car"])


def test_of_too_many_tests_every_attribute_keeps_some_of_its_values():
    boxes = [{"items": [{"kg": i + j, "cm": 3 * i - j} for j in range(2)]} for i in range(400)]
    population = population_of(boxes)
    grammar = "refine Item { top -> kg >= *; top -> cm >= * } refine Individual { top -> exists items (top) }"
    space = Space.build(Grammar.parse(grammar), population)
    columns, missing, _ = link_columns(space, 100)
    tested = [pretty(test) for column in columns for test in column.members]
    assert missing == "literals"
    for name in ("kg", "cm"):
        values = sorted(int(test.split(">=")[1].strip(" )")) for test in tested if name in test)
        everything = sorted({item[name] for box in boxes for item in box["items"]})
        assert 20 <= len(values) <= 50
        assert np.diff(np.searchsorted(everything, values)).max() <= len(everything) / 20
