"""Derived links and computed attributes: columns made at once equal the definition one row at a time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from structtree import Grammar, Population
from structtree.data.reachable import compact, seen_by_individuals
from structtree.data.schema import FAR_ROW
from structtree.errors import GrammarError
from structtree.lang import syntax as syn
from structtree.lang.parse import parse_grammar
from structtree.lang.pretty import pretty_grammar
from structtree.space import background, pairs
from structtree.space.background import with_background
from tests import strategies as some
from tests.space import links as plain
from tests.space.truth import Row


def made(population, *declared):
    """The population with what is declared; declarations that make no sense are not for these tests."""
    syntax = syn.GrammarSyntax(
        computed=tuple(each for each in declared if isinstance(each, syn.Computed)),
        links=tuple(each for each in declared if not isinstance(each, syn.Computed)),
    )
    try:
        return with_background(population, Grammar.parse(pretty_grammar(syntax)), {})
    except GrammarError:
        assume(False)


def value_of(column, row):
    number = float(column.values[row])
    return None if np.isnan(number) else number


def assert_same_value(found, expected):
    expected = plain.number(expected) if expected is not None else None
    assert found == (expected if expected is None else pytest.approx(expected, rel=1e-12, abs=1e-9))


def check_link(population, link):
    """A derived link leads where the definition says, row by row, and its pairs have the values of the definition."""
    found = made(population, link)
    seen = seen_by_individuals(population)
    adjacency = found.tables[link.type].links[link.name]
    for row in range(seen.tables[link.type].n_rows):
        expected = plain.rows_met(link, seen, Row(link.type, row))
        rows = adjacency.of(row)
        if not link.has_pairs:
            assert rows.tolist() == [far.index for far in expected] or set(rows) == {far.index for far in expected}
            assert len(rows) == len(expected)
            continue
        table = found.tables[link.name]
        met = table.links[FAR_ROW].targets[rows]
        in_row_order = met if link.order is not None else np.sort(met)
        assert in_row_order.tolist() == [far.index for far in expected]
        places = {far.index: far for far in expected}
        for pair, far in zip(rows, met, strict=True):
            for each in link.attributes:
                value = value_of(table.columns[each.name], pair)
                assert_same_value(value, plain.computed(each.expression, seen, places[far]))


@given(st.data())
def test_a_derived_link_leads_where_the_definition_says(data):
    population = data.draw(some.populations())
    check_link(population, data.draw(plain.derived_links(population.schema)))


@given(st.data())
def test_a_computed_attribute_has_the_values_of_the_definition(data):
    population = data.draw(some.populations())
    name = data.draw(st.sampled_from(population.schema.names))
    expression = data.draw(plain.pair_values(population.schema, name))
    found = made(population, syn.Computed("made", name, expression)).table(name).columns["made"]
    for row in range(len(found)):
        assert_same_value(value_of(found, row), plain.computed(expression, population, Row(name, row)))


@given(st.data())
def test_links_do_not_depend_on_how_many_pairs_are_made_at_a_time(data):
    population = data.draw(some.populations())
    link = data.draw(plain.derived_links(population.schema))
    whole = made(population, link)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(background, "CHUNK", data.draw(st.integers(1, 4)))
        patch.setattr(background, "DENSE", data.draw(st.integers(1, 8)))
        patch.setattr(pairs, "MAX_EXPANDED", data.draw(st.integers(1, 4)))
        parts = made(population, link)
    assert_same_rows(whole, parts)


@given(st.data())
def test_links_of_some_individuals_are_made_of_what_these_reach(data):
    population = data.draw(some.populations())
    link = data.draw(plain.derived_links(population.schema))
    chosen = data.draw(st.lists(st.integers(0, len(population) - 1), unique=True))
    part = population.take(np.array(chosen, dtype=np.int64))
    assert_same_rows(compact(made(part, link)), compact(made(seen_by_individuals(part), link)))


def assert_same_rows(one, other):
    assert one.schema == other.schema
    for name in one.schema.names:
        for key, column in one.tables[name].columns.items():
            np.testing.assert_array_equal(column.values, other.tables[name].columns[key].values)
        for key, adjacency in one.tables[name].links.items():
            np.testing.assert_array_equal(adjacency.offsets, other.tables[name].links[key].offsets)
            np.testing.assert_array_equal(adjacency.targets, other.tables[name].links[key].targets)


@given(st.data())
def test_pairs_have_what_the_rows_have_that_they_met(data):
    population = data.draw(some.populations())
    link = data.draw(plain.derived_links(population.schema))
    assume(link.has_pairs)
    record = population.schema.type(link.target)
    own = [f"top -> missing {a.name}" for a in record.attributes]
    own += [f"top -> exists {each.name} (top)" for each in record.links if not each.single]
    syntax = replace(
        syn.GrammarSyntax(links=(link,)), blocks=parse_grammar(f"refine {link.target} {{ {';'.join(own)} }}").blocks
    )
    try:
        found = with_background(population, Grammar.parse(pretty_grammar(syntax)), {})
    except GrammarError:
        assume(False)
    table, far = found.tables[link.name], found.tables[link.target]
    met = table.links[FAR_ROW].targets
    for attribute in record.attributes:
        np.testing.assert_array_equal(table.columns[attribute.name].values, far.columns[attribute.name].values[met])
    for each in (each for each in record.links if not each.single):
        for pair, row in enumerate(met):
            assert table.links[each.name].of(pair).tolist() == far.links[each.name].of(row).tolist()
    Population(found.schema, found.tables, found.individuals)  # which checks that all fits together


def test_a_path_may_go_through_pairs_and_back():
    trains = Population.from_records(
        [{"cars": [{"wheels": 2}, {"wheels": 3}]}, {"cars": [{"wheels": 4}]}], individual="Train"
    )
    grammar = Grammar.parse("""
        link other: Car -> set of Car = ~cars.cars where not me with more = wheels - my wheels
        link back: Car -> set of Car = other.other where me
        link large: Car -> set of Car = other where wheels >= 3
        link better: Car -> set of other = other where more >= 1
        link owners: other -> set of Car = ~other
        refine Train { top -> exists cars (top) }
    """)
    found = with_background(trains, grammar, {})
    car = found.table("Car")
    assert [car.links["back"].of(row).tolist() for row in range(3)] == [[0], [1], []]
    assert [car.links["large"].of(row).tolist() for row in range(3)] == [[1], [], []]
    assert [car.links["better"].of(row).tolist() for row in range(3)] == [[0], [], []]
    assert found.table("other").links["owners"].targets.tolist() == [0, 1]
    Population(found.schema, found.tables, found.individuals)
