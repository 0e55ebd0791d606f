"""Schemas: lookup, mistakes, and the round trip through JSON."""

from __future__ import annotations

import json
import pickle

import pytest
from hypothesis import given

from structtree.data.schema import Attribute, Link, RecordType, Schema
from structtree.errors import DataError, UnknownNameError
from tests.strategies import schemas

CAR = RecordType("Car", (Attribute("wheels", "int"), Attribute("shape", "nominal", ("box", "u"))))
TRAIN = RecordType(
    "Train", (Attribute("fast", "bool"),), (Link("cars", "list", "Car"), Link("first", "optional", "Car"))
)
TRAINS = Schema((TRAIN, CAR), "Train")


def test_members_are_found_by_name():
    assert TRAIN.members == ("fast", "cars", "first")
    assert TRAIN.link("cars").target == "Car" and TRAIN.attribute("cars") is None
    assert TRAIN.attribute("fast").kind == "bool" and TRAIN.link("fast") is None
    assert not TRAIN.link("cars").single and TRAIN.link("first").single


def test_only_elements_of_lists_have_neighbours():
    assert TRAINS.listed("Car") and not TRAINS.listed("Train")


def test_a_schema_survives_json_and_pickle():
    assert Schema.from_json(json.loads(json.dumps(TRAINS.to_json()))) == TRAINS
    assert pickle.loads(pickle.dumps(TRAINS)) == TRAINS


@given(schemas())
def test_any_schema_survives_json(schema):
    assert Schema.from_json(json.loads(json.dumps(schema.to_json()))) == schema


def test_an_unknown_type_is_refused_with_the_nearest_name():
    with pytest.raises(UnknownNameError, match=r"unknown type 'Carr' \(did you mean 'Car'\?\)"):
        TRAINS.type("Carr")
    with pytest.raises(UnknownNameError, match="unknown type 'Wagon'"):
        Schema((RecordType("Train", (), (Link("cars", "list", "Wagon"),)),), "Train")
    with pytest.raises(UnknownNameError, match="unknown type 'Trian'"):
        Schema((TRAIN, CAR), "Trian")


def test_names_must_be_unique():
    with pytest.raises(DataError, match="two members named 'x'"):
        RecordType("T", (Attribute("x", "int"),), (Link("x", "set", "T"),))
    with pytest.raises(DataError, match="two types have the same name"):
        Schema((CAR, CAR), "Car")


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ([], "a schema needs 'individual' and 'types'"),
        ({"types": {}}, "a schema needs 'individual' and 'types'"),
        ({"individual": "A", "types": {"A": 3}}, "type 'A' must be a JSON object of attributes and links"),
        ({"individual": "A", "types": {"A": {"x": "reel"}}}, "member 'x' of type 'A' is not an attribute or a link"),
        ({"individual": "A", "types": {"A": {"x": {"link": "bag", "to": "A"}}}}, "member 'x' of type 'A'"),
    ],
)
def test_a_schema_from_json_says_what_is_wrong(value, sentence):
    with pytest.raises(DataError, match=sentence):
        Schema.from_json(value)
