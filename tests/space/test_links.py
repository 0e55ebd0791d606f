"""Derived links and computed attributes: columns made at once equal the definition one row at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from structtree import Grammar
from structtree.data.reach import seen_by_individuals
from structtree.data.schema import FAR_ROW
from structtree.errors import GrammarError
from structtree.lang.pretty import pretty_grammar
from structtree.lang.syntax import Computed, GrammarSyntax
from structtree.space.background import with_background
from tests import strategies as some
from tests.space import links as plain
from tests.space.truth import Row


def made(population, *declared):
    """The population with what is declared; declarations that make no sense are not for these tests."""
    syntax = GrammarSyntax(
        computed=tuple(each for each in declared if isinstance(each, Computed)),
        links=tuple(each for each in declared if not isinstance(each, Computed)),
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


@given(st.data())
def test_a_derived_link_leads_where_the_definition_says(data):
    population = data.draw(some.populations())
    link = data.draw(plain.derived_links(population.schema))
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
