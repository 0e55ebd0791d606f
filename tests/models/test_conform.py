"""New data for old tests: what is there, what may be absent, and what is read as it was in training."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from structtree.data.population import Population
from structtree.data.schema import Attribute, RecordType, Schema
from structtree.errors import DataError
from structtree.lang import syntax as syn
from structtree.lang.parse import parse_predicate
from structtree.models.conform import conform, needed_members, optional_members
from structtree.space.evaluate import holds
from structtree.space.meaning import satisfies
from tests.strategies import populations, predicates, schemas

TRAINING = Population.from_records(
    [
        {"kind": "a", "fast": True, "cars": [{"wheels": 2, "code": "x1", "load": {"shape": "circle"}}]},
        {"kind": "b", "fast": False, "cars": [{"wheels": 3, "code": "22"}, {"wheels": 2.5}]},
    ],
    individual="Train",
)


def ready(records, *tests, optional=MappingProxyType({}), **options):
    data = records if isinstance(records, Population) else Population.from_records(records, **options)
    return conform(data, TRAINING.schema, needed_members(map(parse_predicate, tests), TRAINING.schema), optional)


def answers(records, test, **options):
    return holds(parse_predicate(test), ready(records, test, **options)).tolist()


@given(st.data())
def test_a_population_of_the_same_schema_stays_as_it_is(data):
    schema = data.draw(schemas())
    population, test = data.draw(populations(schema)), data.draw(predicates(schema))
    assert conform(population, schema, needed_members([test], schema)) is population


@given(st.data())
def test_what_no_record_has_and_all_may_lack_is_a_value_that_all_miss(data):
    schema = data.draw(schemas())
    test = data.draw(predicates(schema))
    bare = Population.from_records([{"$id": 1}, {"$id": 2}], Schema((RecordType("Bare"),), "Bare"))
    needed = {name: members - {"$list"} for name, members in needed_members([test], schema).items()}
    told = conform(bare, schema, needed, needed)
    assert holds(test, told).tolist() == [satisfies(test, told, 0), satisfies(test, told, 1)]


def test_only_what_the_tests_mention_is_needed():
    assert answers([{"kind": "b"}, {"kind": "z"}], "kind = b") == [True, False]


def test_more_attributes_and_unseen_categories_do_no_harm():
    assert answers([{"kind": "new", "colour": "red", "cars": []}], "kind = a") == [False]


def test_types_are_matched_by_the_links_that_lead_to_them():
    record = {"cars": [{"$type": "Wagon", "wheels": 4}]}
    assert answers([record], "exists cars (wheels >= 4)", individual="Anything") == [True]


@pytest.mark.parametrize(
    ("records", "test", "message"),
    [
        (
            [{"knd": "a"}],
            "kind = a",
            r"needs the attribute 'kind' of type 'Individual', which the data lacks",
        ),
        ([{"kind": "a"}], "exists cars (top)", "needs the link 'cars' of type 'Individual', which the data lacks"),
        ([{"cars": [{"seats": 2}]}], "exists cars (wheels >= 2)", "needs the attribute 'wheels' of type 'Car'"),
        (
            [{"cars": 3}],
            "exists cars (top)",
            r"needs Individual\.cars to be a link, but in the data it is an attribute",
        ),
        (
            [{"kind": [{"x": 1}]}],
            "kind = a",
            r"needs Individual\.kind to be an attribute, but in the data it is a link",
        ),
        (
            [{"cars": {"wheels": 2}}],
            "exists cars (top)",
            r"Individual\.cars to be a list, but in the data it is a reference",
        ),
        ([{"cars": [{"wheels": "two"}]}], "exists cars (wheels >= 2)", r"Car\.wheels was real in training: .*'two'"),
        ([{"fast": "perhaps"}], "fast", r"Individual\.fast was bool in training: expected true or false, got 'perh"),
    ],
)
def test_what_is_absent_or_of_another_sort_is_refused_in_a_sentence(records, test, message):
    with pytest.raises(DataError, match=message):
        ready(records, test)


def test_a_set_cannot_stand_for_a_list_whose_order_is_asked_for():
    records = [{"cars": [{"wheels": 2}, {"wheels": 3}]}]
    with pytest.raises(DataError, match=r"needs Individual\.cars to be a list, but in the data it is a set"):
        ready(records, "exists cars (next (wheels >= 3))", types={"cars": "set"})
    assert answers(records, "exists cars (next (wheels >= 3))") == [True]


def test_kinds_are_those_of_training():
    assert answers([{"cars": [{"code": 22}]}], 'exists cars (code = "22")') == [True]
    assert answers([{"cars": [{"wheels": "3.5"}]}], "exists cars (wheels >= 3)") == [True]
    assert answers([{"fast": 1}, {"fast": 0}, {"fast": None}], "fast") == [True, False, False]
    assert answers([{"cars": [{"wheels": 3}]}], "exists cars (wheels >= 3.0)") == [True]


def test_a_column_without_any_value_can_stand_for_every_kind():
    records = [{"fast": None, "cars": [{"wheels": None}]}]
    assert answers(records, "not fast") == [False]
    assert answers(records, "missing fast") == [True]
    assert answers(records, "exists cars (wheels <= 9)") == [False]


def test_individuals_of_whom_none_has_a_car_need_no_attributes_of_cars():
    assert answers([{"cars": []}, {"cars": []}], "exists cars (wheels >= 3 and load.shape = circle)") == [
        False,
        False,
    ]
    assert answers([{"cars": []}], "sum cars.wheels <= 0") == [True]


def test_an_optional_reference_that_nobody_has_leads_nowhere():
    records = [{"cars": [{"load": None}]}]
    assert answers(records, "exists cars (load.shape = circle)") == [False]
    assert answers(records, "exists cars (missing load)") == [True]
    optional = optional_members(TRAINING, {"Train": frozenset({"cars"}), "Car": frozenset({"load", "wheels"})})
    assert optional == {"Car": frozenset({"load"})}
    assert answers([{"cars": [{}]}], "exists cars (missing load)", optional=optional) == [True]
    with pytest.raises(DataError, match="needs the attribute 'wheels' of type 'Car'"):
        answers([{"cars": [{}]}], "exists cars (wheels >= 2)", optional=optional)


def test_all_that_is_lacking_is_named():
    with pytest.raises(DataError) as caught:
        ready([{"cars": [{"seats": 1}]}], "kind = a and fast and exists cars (wheels >= 2)")
    assert str(caught.value) == (
        "the model needs the attribute 'fast' of type 'Individual', the attribute 'kind' of type 'Individual' and "
        "the attribute 'wheels' of type 'Car', which the data lacks"
    )


def test_definitions_are_looked_into():
    schema = Schema((RecordType("Row", (Attribute("a", "bool"), Attribute("b", "bool"))),), "Row")
    test = syn.And((syn.Named("d", syn.Flag("b")), syn.Flag("a")))
    assert needed_members([test], schema) == {"Row": frozenset({"a", "b"})}
    with pytest.raises(DataError, match="needs the attribute 'b'"):
        conform(Population.from_array(np.ones((2, 1), dtype=bool), ["a"]), schema, needed_members([test], schema))
