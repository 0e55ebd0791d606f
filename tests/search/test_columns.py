"""Laws of test columns: each member keeps the rows that its test keeps, and views have the same integers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from structtree import Population
from structtree.lang.grammar import Grammar
from structtree.search.clock import Clock
from structtree.search.columns import SpaceColumns
from structtree.search.kernels.tables import AT_LEAST, AT_MOST, EQUAL
from structtree.space.evaluate import holds, rows_where
from structtree.space.families import LinkFamily
from structtree.splitters.attribute_tests import flat_tests
from structtree.splitters.table import Tuning, columns_for, on_tests
from tests.properties.test_space import spaces

TESTS = Grammar.parse("refine Individual { top -> * >= *; top -> * <= *; top -> * = *; top -> a >= 2 }")


@given(spaces())
def test_a_member_of_a_column_keeps_the_rows_of_its_literal(space):
    columns = SpaceColumns(space)
    for name, families in space.offers.from_top.items():
        tests = {family.index: family for family in families if not isinstance(family, LinkFamily)}
        for each, form in zip(columns.of(name), (EQUAL, AT_LEAST), strict=True):
            assert (each.tests[:, 1] == form).all()
            for member, (family, choice) in enumerate(zip(*each.members, strict=True)):
                column = int(np.searchsorted(each.offsets, member, side="right")) - 1
                if int(family) in tests:
                    expected = rows_where(tests[int(family)].literal(int(choice)), space.population, name)
                    assert (each.mask(column, member - int(each.offsets[column])) == expected).all()
                    assert (each.find(int(family), int(choice)) == expected).all()


def things(n, seed):
    rng = np.random.default_rng(seed)
    values = [None, 1, 2, 3, 5]
    kinds = [None, "x", "y", "z"]
    return Population.from_records([{"a": values[rng.integers(5)], "kind": kinds[rng.integers(4)]} for _ in range(n)])


def listed_columns(n, seed, counted):
    population = things(n, seed)
    listed = flat_tests(TESTS.check(population.schema))
    return population, columns_for(listed, population, Clock(), Tuning(counted=0 if counted else 10**9))


@pytest.mark.parametrize("counted", [True, False], ids=["by value", "sorted"])
@pytest.mark.parametrize("seed", range(3))
def test_a_column_of_data_has_the_ranks_of_its_values(seed, counted):
    population, columns = listed_columns(40, seed, counted)
    assert len(columns.order) == (0 if counted else 1)
    for t, test in enumerate(columns.members.tests):
        column, form = columns.tests[t].tolist()
        if test.subject is None:
            assert (columns.mask(t, 0) == holds(test.right, population)).all()
            continue
        values, ranks = population.column(test.attribute), columns.values[column]
        assert ((ranks < 0) == values.missing).all()
        for member in range(int(columns.sizes[column])):
            value = values.values[np.flatnonzero(ranks == member)[0]]
            kept = {AT_LEAST: values.values > value, AT_MOST: values.values <= value, EQUAL: values.values == value}
            assert (columns.mask(t, member) == (kept[form] & ~values.missing)).all()


@pytest.mark.parametrize("seed", range(3))
def test_some_rows_stay_in_the_order_of_their_values_and_the_missing_ones_come_last(seed):
    _, columns = listed_columns(40, seed, counted=False)
    rows = np.flatnonzero(np.random.default_rng(seed).random(40) < 0.5)
    part = columns.take(rows)
    assert part.values is columns.values and part.rows.tolist() == rows.tolist()
    for order, ranks in zip(part.swept.order, columns.values, strict=False):
        assert sorted(order.tolist()) == rows.tolist()
        here = ranks[order]
        known = here[here >= 0]
        assert (np.diff(known) >= 0).all() and (here[len(known) :] == -1).all()


def test_some_tests_share_the_columns_of_all():
    _, columns = listed_columns(40, 0, counted=True)
    for column in range(len(columns)):
        tests = columns.tests_on(np.array([column]))
        some = on_tests(columns, tests)
        assert some.values is columns.values and (some.tests[:, 0] == column).all()
        assert some.members.tests == tuple(columns.members.tests[t] for t in tests)
