"""Individuals unlike the training data: none of the training set, and those with anything new in a tested feature."""

from __future__ import annotations

import json

import networkx as nx
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from structtree import Population, fit, load_model, save_model
from structtree.data.json_parts import JsonPart
from structtree.data.readers.opening import open_data
from structtree.errors import DataError
from structtree.models.files.models import model_from_json, model_to_json
from structtree.models.seen import seen_from_json, seen_in, unusual_individuals
from structtree.report.predictions import predictions
from tests import strategies as some


def everything(schema):
    return {record.name: frozenset(record.members) for record in schema.types}


@given(st.data())
def test_no_individual_of_the_training_data_is_unusual(data):
    population = data.draw(some.populations())
    assume(len(population))
    seen = seen_in(population, everything(population.schema))
    assert unusual_individuals(population, seen) == {}
    chosen = data.draw(st.lists(st.integers(0, len(population) - 1)))
    assert unusual_individuals(population.take(chosen), seen) == {}


@given(st.data())
def test_what_is_seen_comes_back_from_json(data):
    population = data.draw(some.populations())
    seen = seen_in(population, everything(population.schema))
    assert seen_from_json(JsonPart(json.loads(json.dumps(seen)))) == seen


SEEN = {
    "Individual": {"cars": (1.0, 3.0), "km": (10.0, 20.0)},
    "Car": {"load": ("coal", "iron"), "axles": (2.0, 2.0)},
}


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({"km": 15, "cars": [{"load": "iron", "axles": 2}]}, None),
        ({"km": 24, "cars": [{"load": None, "axles": None}] * 4}, None),
        ({"km": 26, "cars": [{"load": "coal"}]}, "km = 26; in training 10 to 20"),
        ({"km": 4, "cars": [{"load": "coal"}]}, "km = 4; in training 10 to 20"),
        ({"km": None, "cars": [{"load": "coal"}] * 5}, "cars has 5; in training 1 to 3"),
        ({"km": 15, "cars": []}, "no cars; in training 1 to 3"),
        ({"km": 15, "cars": [{"load": "coal"}, {"load": "gold"}]}, "load = 'gold' did not occur in training"),
        ({"km": 15, "cars": [{"load": "coal", "axles": 3}]}, "axles = 3; in training always 2"),
    ],
)
def test_a_new_value_of_any_row_makes_an_individual_unusual(record, reason):
    usual = {"km": 12, "cars": [{"load": "coal", "axles": 2}]}
    population = Population.from_records([usual, record, usual])
    assert unusual_individuals(population, SEEN) == ({} if reason is None else {1: reason})


def test_rows_far_away_in_a_graph_belong_to_their_own_graph_only():
    graphs = [nx.path_graph(8), nx.path_graph(9)]
    for graph in graphs:
        nx.set_node_attributes(graph, "C", "element")
    graphs[1].nodes[8]["element"] = "Hg"
    seen = {"Graph": {"nodes": (8.0, 9.0)}, "Node": {"element": ("C",)}}
    assert unusual_individuals(Population.from_graphs(graphs), seen) == {
        1: "element = 'Hg' did not occur in training"
    }


MOLECULES = "smiles,soluble\n" + "".join(f"{'C' * n}O,yes\n{'C' * n}N,no\n" for n in range(1, 9))


def test_mercury_is_flagged(tmp_path):
    (tmp_path / "train.csv").write_text(MOLECULES)
    (tmp_path / "new.csv").write_text("smiles\nCCO\n[Hg+2]\nCCN\n")
    train = open_data(tmp_path / "train.csv", target="soluble")
    model = fit(train.population, train.target, target_name="soluble")
    save_model(model, tmp_path / "model.json")
    found = predictions(load_model(tmp_path / "model.json"), open_data(tmp_path / "new.csv"))
    assert list(found.unusual) == [1]
    header, *rows = found.to_csv().splitlines()
    assert header.endswith(",unusual") and [row.endswith(",") for row in rows] == [True, False, True]
    assert "unusual" not in predictions(model, train).to_csv()


def test_models_of_older_versions_flag_nothing():
    trains = open_data("trains")
    model = fit(trains.population, trains.target, target_name="direction")
    document = model_to_json(model)
    assert document.pop("seen")
    old = model_from_json(document)
    assert old.seen == {} and predictions(old, trains).unusual == {}


@pytest.mark.parametrize(
    ("seen", "message"),
    [
        ({"Train": {"cars": [1, 2, 3]}}, "expected strings, or the smallest and the largest number"),
        ({"Train": {"cars": [1, "x"]}}, "expected a number, got 'x' at $.seen.Train.cars[1]"),
        ({"Train": 3}, "expected an object, got 3 at $.seen.Train"),
    ],
)
def test_damaged_values_are_an_error_with_their_place(seen, message):
    trains = open_data("trains")
    document = model_to_json(fit(trains.population, trains.target, target_name="direction"))
    with pytest.raises(DataError) as caught:
        model_from_json({**document, "seen": seen})
    assert message in str(caught.value)
