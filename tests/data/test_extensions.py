"""Equality of rows by value: what unfolding the rows says, also around cycles; sets without repeated elements."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from structtree.data.extensions import NotComparableError, compared_types, distinct_elements, value_numbers
from structtree.data.population import Population
from tests.strategies import populations


def unfolded(population, depth):
    """The value of each row down to some depth, as nested tuples and frozensets replaced by their numbers."""
    names: dict[object, int] = {}
    found = {name: [0] * table.n_rows for name, table in population.tables.items()}
    for _ in range(depth):
        found = {
            record.name: [
                names.setdefault(whole(population, record, row, found), len(names) + 1)
                for row in range(len(found[record.name]))
            ]
            for record in population.schema.types
        }
    return found


def whole(population, record, row, numbers):
    table = population.tables[record.name]
    values = tuple((name, column.value(row)) for name, column in sorted(table.columns.items()))
    links = []
    for link in record.links:
        inside = [numbers[link.target][target] for target in table.links[link.name].of(row)]
        links.append((link.name, frozenset(inside) if link.kind == "set" else tuple(inside)))
    return values, tuple(sorted(links, key=lambda pair: pair[0]))


@given(populations(most=5))
def test_rows_have_the_same_number_exactly_if_unfolding_does_not_tell_them_apart(population):
    depth = sum(table.n_rows for table in population.tables.values()) + 1
    expected = unfolded(population, depth)
    for name in population.schema.names:
        numbers = value_numbers(population, compared_types(population.schema, name, name))[name]
        same = numbers[:, None] == numbers
        assert (same == np.equal.outer(expected[name], expected[name])).all()


def test_rows_of_types_with_the_same_members_are_compared():
    population = Population.from_records(
        [{"x": [[1, 2], [3]], "y": [[3], [1, 2]]}, {"x": [[1.0]], "y": []}], types={"x": "set of set"}
    )
    numbers = value_numbers(population, compared_types(population.schema, "XValue", "YValue"))
    assert numbers["XValue"][:3].tolist() == numbers["YValue"][[1, 2, 0]].tolist()


def test_deep_differences_between_types_with_one_row_each_are_found():
    population = Population.from_records([{"x": [[["a"]]], "y": [[["b"]]]}])
    numbers = value_numbers(population, compared_types(population.schema, "X", "Y"))
    assert numbers["X"][0] != numbers["Y"][0]


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({"x": ["a"], "y": [1]}, "X.value is nominal, Y.value is int"),
        ({"x": ["a"], "y": [["a"]]}, "type 'X' has 'value', type 'Y' does not"),
        ({"x": [["a"]], "y": [{"a"}]}, "X.values is list, Y.values is set"),
        ({"x": [{"v": {"a": 1}}], "y": [{"v": 1}]}, "X.v is one, Y.v is int"),
    ],
)
def test_other_types_cannot_be_compared(record, reason):
    with pytest.raises(NotComparableError) as caught:
        compared_types(Population.from_records([record]).schema, "X", "Y")
    assert str(caught.value) == reason


def test_the_counts_of_equal_elements_are_added():
    bags = Population.from_records(
        [{"x": [{"v": 1, "n": 2}, {"v": 1, "n": 3}, {"v": None, "n": 1}]}], types={"x": "set"}
    )
    assert distinct_elements(bags, "Individual", "x", "n").record(0)["x"] == [{"v": 1, "n": 5}, {"n": 1}]
    assert len(distinct_elements(bags, "Individual", "x").record(0)["x"]) == 3


def test_equal_elements_of_different_sets_are_kept():
    bags = Population.from_records([{"x": [{"v": 1}, {"v": 1}]}, {"x": [{"v": 1}]}], types={"x": "set"})
    assert [len(distinct_elements(bags, "Individual", "x").record(i)["x"]) for i in (0, 1)] == [1, 1]
