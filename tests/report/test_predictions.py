"""Predictions of all individuals of some data, beside the truth where it is known."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest

from structtree import Population, fit, open_data
from structtree.data.readers.opening import Opened
from structtree.errors import DataError, UnknownNameError, UsageError
from structtree.report.predictions import find_individual, predictions

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
        assert {f"p({name})": float(row[f"p({name})"]) for name in "ab"} == pytest.approx(
            {f"p({name})": p for name, p in record["probabilities"].items()}, rel=1e-5
        )


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


# ---- the numbers and names of the source ------------------------------------------------------------------


@pytest.fixture
def sizes(tmp_path):
    path = tmp_path / "sizes.csv"
    path.write_text("code,size,row,kind\n007,1,x,a\n08,9,y,\n7,3,z,a\n")
    return path


def read(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_rows_that_were_left_out_have_a_problem_and_the_others_their_own_numbers(model, sizes):
    with pytest.warns(UserWarning, match="skipped 1"):
        data = open_data(sizes, target="kind", unlabelled="leave out", id="code")
    found = predictions(model, data, ["all"])
    rows = read(found.to_csv())
    assert [(row["row"], row["code"], row["prediction"]) for row in rows] == [
        ("0", "007", "a"),
        ("1", "08", ""),
        ("2", "7", "a"),
    ]
    assert [row["problem"] for row in rows] == ["", "it has no kind", ""]
    assert [row["input.row"] for row in rows] == ["x", "", "z"]
    assert found.to_dicts()[1]["problem"] == "it has no kind" and "problem" not in found.to_dicts()[0]


@pytest.mark.parametrize(
    ("keep", "heads"),
    [
        ([], []),
        (["size"], ["size"]),
        (["s*", "code"], ["code", "size"]),  # as they stand in the source
        (["all"], ["code", "size", "input.row", "kind"]),
    ],
)
def test_columns_of_the_source_are_kept_on_request(model, sizes, keep, heads):
    found = predictions(model, open_data(sizes), keep).to_csv().splitlines()[0].split(",")
    assert found == ["row", "prediction", "p(a)", "p(b)", "actual", *heads]


def test_a_column_that_is_not_there_cannot_be_kept(model, sizes):
    with pytest.raises(UnknownNameError, match=r"unknown column 'sise' \(did you mean 'size'"):
        predictions(model, open_data(sizes), ["sise"])


def test_an_individual_is_found_by_its_row_or_its_name(sizes):
    with pytest.warns(UserWarning, match="skipped 1"):
        data = open_data(sizes, target="kind", unlabelled="leave out", id="code")
    assert [find_individual(data, 0), find_individual(data, 2)] == [0, 1]
    assert find_individual(data, id="7") == 1 and find_individual(data, id="z") == 1
    assert find_individual(data, id="7", column="code") == 1


@pytest.mark.parametrize(
    ("wanted", "error", "message"),
    [
        ({"row": 3}, UsageError, "row must be from 0 to 2, since there are 3 individuals; got 3"),
        ({"row": 1}, DataError, "row 1 was skipped: it has no kind"),
        ({"id": "08"}, DataError, "row 1 was skipped: it has no kind"),
        ({"id": "07"}, UsageError, r"there is no individual whose code or size or row is '07' \(did you mean"),
        ({"id": "a", "column": "kind"}, UnknownNameError, "unknown column 'kind'"),
    ],
)
def test_an_individual_that_is_not_there_is_refused(sizes, wanted, error, message):
    with pytest.warns(UserWarning, match="skipped 1"):
        data = open_data(sizes, target="kind", unlabelled="leave out", id="code")
    with pytest.raises(error, match=message):
        find_individual(data, **wanted)


def test_a_name_that_several_have_does_not_tell_which(sizes):
    with pytest.raises(UsageError, match="2 individuals have kind a, in rows 0, 2; choose one with row"):
        find_individual(open_data(sizes), id="a", column="kind")
