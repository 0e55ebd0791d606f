"""Populations: what must hold for one, choosing individuals, and taking the target apart."""

from __future__ import annotations

import numpy as np
import pytest

from structtree.data.population import Adjacency, Column, Population, Table, column_of
from structtree.data.readers.records.reading import from_records
from structtree.data.schema import Attribute, Link, RecordType, Schema
from structtree.errors import DataError, UnknownNameError

TRAINS = from_records(
    [
        {"fast": True, "kind": "east", "cars": [{"wheels": 2}, {"wheels": 3, "load": {"shape": "circle"}}]},
        {"fast": False, "kind": "west", "cars": []},
        {"kind": "east", "cars": [{"wheels": None}]},
    ],
    individual="Train",
)


def one_type(column, kind="nominal", n_rows=2):
    return Population(Schema((RecordType("T", (Attribute("x", kind),)),), "T"), {"T": Table(n_rows, {"x": column})})


def linked(kind, offsets, targets, n_targets=2):
    schema = Schema((RecordType("T", (), (Link("next", kind, "U"),)), RecordType("U")), "T")
    adjacency = Adjacency(np.array(offsets, dtype=np.int64), np.array(targets, dtype=np.int32))
    return Population(schema, {"T": Table(len(offsets) - 1, {}, {"next": adjacency}), "U": Table(n_targets)})


def test_a_record_shows_what_is_there_and_leaves_out_what_is_missing():
    assert TRAINS.record(0) == {
        "fast": True,
        "kind": "east",
        "cars": [{"wheels": 2}, {"wheels": 3, "load": {"shape": "circle"}}],
    }
    assert TRAINS.record(2) == {"kind": "east", "cars": [{}]}
    assert TRAINS.record(0, depth=0)["cars"] == "..."


def test_columns_keep_missing_values_apart():
    assert TRAINS.column("fast").values.tolist() == [1, 0, -1]
    assert TRAINS.column("fast").missing.tolist() == [False, False, True]
    assert [TRAINS.column("fast").value(i) for i in range(3)] == [True, False, None]
    assert TRAINS.table("Car").columns["wheels"].missing.tolist() == [False, False, True]
    assert TRAINS.column("kind").categories == ("east", "west")
    assert TRAINS.column("kind").code("west") == 1 and TRAINS.column("kind").code("north") == -2


def test_links_are_offsets_and_targets():
    cars = TRAINS.table("Train").links["cars"]
    assert cars.offsets.tolist() == [0, 2, 2, 3] and cars.targets.tolist() == [0, 1, 2]
    assert cars.of(0).tolist() == [0, 1] and cars.owners.tolist() == [0, 0, 2] and cars.lengths.tolist() == [2, 0, 1]


def test_individuals_are_chosen_by_position_or_by_mask():
    assert [TRAINS.take([2, 0, 2]).column("kind").value(i) for i in range(3)] == ["east", "east", "east"]
    assert len(TRAINS.take(np.array([False, True, False]))) == 1
    assert TRAINS.take([1]).record(0) == TRAINS.record(1)
    assert len(TRAINS.take([])) == 0


def test_individuals_are_indexed_as_an_array_is():
    assert TRAINS.shape == (3, 1)
    assert TRAINS[1].record(0) == TRAINS[-2].record(0) == TRAINS.record(1)
    assert [len(TRAINS[which]) for which in (slice(1, None), [0, 2, 0], np.array([True, False, True]))] == [2, 3, 2]
    assert len(TRAINS[np.array([0, 1]), ...]) == 2
    assert [len(one) for one in TRAINS] == [1, 1, 1]
    with pytest.raises(IndexError):
        TRAINS[3]


def test_the_target_comes_apart():
    rest, labels = TRAINS.split_target("kind")
    assert labels.tolist() == ["east", "west", "east"]
    assert rest.schema.type("Train").members == ("fast", "cars") and len(rest) == 3
    assert "kind" in TRAINS.table("Train").columns


def test_a_target_that_is_missing_or_unknown_is_refused():
    with pytest.raises(DataError, match=r"the target 'fast' has no value \(individual 2\)"):
        TRAINS.split_target("fast")
    with pytest.raises(UnknownNameError, match=r"unknown attribute 'kinds' \(did you mean 'kind'\?\)"):
        TRAINS.split_target("kinds")


def test_memory_is_the_memory_of_the_arrays():
    assert one_type(column_of("real", [1.0, 2.0]), "real").n_bytes == 2 * 8 + 2 * 8


@pytest.mark.parametrize(
    ("column", "kind", "sentence"),
    [
        (Column("nominal", np.array([0, 2], np.int32), ("a", "b")), "nominal", "a code that is not a category"),
        (Column("nominal", np.array([0, -2], np.int32), ("a", "b")), "nominal", "a code that is not a category"),
        (Column("bool", np.array([0, 2], np.int8)), "bool", "a code that is not a boolean"),
        (Column("real", np.zeros(3)), "real", "T.x has 3 values for 2 rows"),
        (Column("int", np.zeros(2)), "real", "T.x has no real column"),
        (Column("real", np.zeros(2, np.float32)), "real", "T.x has no real column"),
    ],
)
def test_a_column_that_does_not_fit_is_refused(column, kind, sentence):
    with pytest.raises(DataError, match=sentence):
        one_type(column, kind)


@pytest.mark.parametrize(
    ("kind", "offsets", "targets", "sentence"),
    [
        ("set", [0, 1], [2], "leads to a row of 'U' that does not exist"),
        ("set", [0, 2], [1], "the offsets of T.next do not match"),
        ("set", [0, 2], [1, 1], "contains an element twice"),
        ("optional", [0, 2], [0, 1], "leads to 2 rows; expected at most one"),
        ("one", [0, 1, 1], [0], "has no target in row 1; make it an optional reference"),
        ("list", [0, 1, 2], [1, 1], "row 1 of 'U' is in two lists"),
    ],
)
def test_a_link_that_does_not_fit_is_refused(kind, offsets, targets, sentence):
    with pytest.raises(DataError, match=sentence):
        linked(kind, offsets, targets)


def test_rows_of_sets_and_references_may_be_shared():
    assert linked("set", [0, 1, 3], [1, 0, 1]).table("T").links["next"].of(1).tolist() == [0, 1]
    assert len(linked("one", [0, 1, 2], [1, 1])) == 2


def test_an_individual_must_be_a_row():
    schema = Schema((RecordType("T"),), "T")
    with pytest.raises(DataError, match="an individual refers to a row that does not exist"):
        Population(schema, {"T": Table(2)}, np.array([0, 2]))
