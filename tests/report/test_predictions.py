"""Predictions of all individuals of some data, beside the truth where it is known."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest

from structtree import Population, fit, open_data
from structtree.data.opening import Opened
from structtree.report.predictions import predictions

RECORDS = [{"size": size, "kind": "ab"[size > 4]} for size in range(10)]


@pytest.fixture(scope="module")
def model():
    population, kinds = Population.from_records(RECORDS).split_target("kind")
    return fit(population, kinds, target_name="kind")


def opened(*records):
    return Opened("new", Population.from_records(list(records)))


def test_they_are_what_the_model_says(model):
    found = predictions(model, opened(*RECORDS))
    population = Population.from_records(RECORDS)
    assert found.said.tolist() == model.predict(population).tolist()
    assert np.array_equal(found.probabilities, model.predict_proba(population))
    assert found.evaluate()["accuracy"] == 1.0


def test_the_table_and_the_objects_say_the_same(model):
    found = predictions(model, opened(*RECORDS))
    rows = list(csv.DictReader(io.StringIO(found.to_csv())))
    for row, record in zip(rows, found.to_dicts(), strict=True):
        assert (row["row"], row["prediction"], row["actual"]) == (
            str(record["row"]),
            record["prediction"],
            record["actual"],
        )
        assert {f"p({name})": float(row[f"p({name})"]) for name in "ab"} == {
            f"p({name})": p for name, p in record["probabilities"].items()
        }


def test_a_truth_that_is_known_of_some_is_scored_on_those(model):
    found = predictions(model, opened({"size": 1, "kind": "b"}, {"size": 9}, {"size": 8, "kind": "b"}))
    assert found.actual == ["b", None, "b"]
    scores = found.evaluate()
    assert (scores.n, scores["accuracy"]) == (2, 0.5)


def test_without_a_truth_there_is_no_score(model):
    found = predictions(model, opened({"size": 1}))
    assert (found.actual, found.evaluate()) == (None, None)


def test_the_target_of_the_data_may_be_asked_about_by_a_model_for_something_else():
    whole = open_data("lenses")
    with_lenses = whole.population.with_target("lenses", whole.target)
    population, rates = with_lenses.split_target("tear_rate")
    model = fit(population, rates, target_name="tear_rate")
    assert predictions(model, whole).evaluate()["accuracy"] == 0.875


def test_numbers_have_a_spread():
    population, sizes = Population.from_records(RECORDS).split_target("size")
    model = fit(population, sizes, target_name="size")
    found = predictions(model, opened({"kind": "a"}, {"kind": "b"}))
    assert found.said.tolist() == [2.0, 7.0]
    assert found.spread == pytest.approx([2**0.5, 2**0.5])
    assert found.to_csv().splitlines()[:2] == ["row,prediction,spread", "0,2.0,1.41421"]
