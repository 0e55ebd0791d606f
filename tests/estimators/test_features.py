"""Features as a scikit-learn transformer and on the command line."""

from __future__ import annotations

import csv
import json
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.feature_selection import SelectPercentile
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from structtree import Population, StructuralFeatures, holds, load_dataset, pretty
from structtree.errors import UsageError
from structtree.features import FEATURE_PARAMETERS
from tests.cli.test_commands import fail, run, succeed


@pytest.mark.filterwarnings("ignore::RuntimeWarning:sklearn")  # of its own casts
def test_scikit_learns_checks_pass_but_for_those_that_its_own_selection_does_not_pass():
    results = [
        check_estimator(each, on_fail=None, on_skip=None) for each in (StructuralFeatures(), SelectPercentile())
    ]
    mine, other = ({r["check_name"] for r in each if r["status"] in ("failed", "xfail")} for each in results)
    assert mine <= other
    assert sum(r["status"] == "passed" for r in results[0]) > 35


def test_individuals_in_any_form_are_transformed_in_pipelines():
    trains = load_dataset("trains")
    frame = pd.DataFrame({"size": [1.0, 2.0, None, 4.0] * 5, "colour": ["red", "blue", "red", "green"] * 5})
    smiles = ["CCO", "CC", "CCCO", "CCC"] * 5
    records = [{"parts": [{"kg": kg} for kg in range(n % 4)]} for n in range(20)]
    for individuals in (frame, smiles, records, trains.population):
        labels = ["yes", "no", "yes", "yes"] * 5
        learner = make_pipeline(StructuralFeatures(k=8), SimpleImputer(), LogisticRegression())
        assert learner.fit(individuals, labels).predict(individuals).shape == (20,)
        numbers = make_pipeline(StructuralFeatures(k=8, task="numbers"), SimpleImputer(), Ridge())
        assert numbers.fit(individuals, np.arange(20.0)).predict(individuals).shape == (20,)
    scores = cross_val_score(learner, trains.population, trains.target, cv=5)
    assert scores.mean() > 0.6


def test_columns_are_the_tests_and_numbers_that_their_names_tell():
    rng = np.random.default_rng(0)
    records = [
        {"age": None if n % 9 == 0 else n % 13, "parts": [{"kg": int(kg)} for kg in rng.integers(0, 5, n % 6)]}
        for n in range(90)
    ]
    labels = np.array([sum(p["kg"] for p in r["parts"]) + (r["age"] or 0) > 9 for r in records])
    train, test = (Population.from_records(some) for some in (records[:60], records[60:]))
    features = StructuralFeatures(k=15).fit(train, labels[:60])
    names, columns = features.get_feature_names_out(), features.transform(test)
    assert len(set(names)) == len(names) == 15 and np.isnan(columns).any()
    kinds = set()
    for place, (name, values) in enumerate(zip(names, columns.T, strict=True)):
        predicate = features.feature_predicate(place)
        is_number = name != pretty(predicate)
        kinds.add(is_number)
        if is_number:
            threshold = float(np.nanmedian(values))
            predicate, op = features.feature_predicate(place, threshold), features.selection_.features[place].op
            values = values <= threshold if op == "<=" else values >= threshold
        assert holds(predicate, test).tolist() == values.astype(bool).tolist()
    assert kinds == {True, False}
    again = pickle.loads(pickle.dumps(features)).transform(test)
    assert np.array_equal(again, columns, equal_nan=True)


def test_outputs_are_dense_sparse_or_frames_with_names():
    trains = load_dataset("trains")
    features = StructuralFeatures("trains", k=6)
    dense = features.fit_transform(trains.population, trains.target)
    assert np.array_equal(dense, features.transform(trains.population)) and dense.shape == (20, 6)
    sparse = clone(features).set_params(sparse_output=True).fit(trains.population, trains.target)
    assert np.array_equal(sparse.transform(trains.population).toarray(), dense)
    frame = clone(features).set_output(transform="pandas").fit_transform(trains.population, trains.target)
    assert frame.columns.tolist() == features.get_feature_names_out().tolist() and np.array_equal(frame, dense)
    short = clone(features).set_params(names="numbers").fit(trains.population, trains.target)
    assert short.get_feature_names_out().tolist() == [f"feature{place}" for place in range(6)]
    assert set(features.get_params()) == {each.parameter for each in FEATURE_PARAMETERS}


def test_labels_outside_of_the_training_data_change_nothing():
    trains = load_dataset("trains")
    inside = np.arange(20) % 4 > 0
    alone = StructuralFeatures("trains", k=6).fit(
        trains.population.take(np.flatnonzero(inside)), trains.target[inside]
    )
    labels = np.where(inside, trains.target, None)
    with pytest.warns(UserWarning, match="skipped 5 of 20"):
        masked = StructuralFeatures("trains", k=6).fit(trains.population, labels)
    assert masked.selection_.features == alone.selection_.features


def test_wrong_parameters_are_refused():
    trains = load_dataset("trains")
    for wrong, message in (({"k": 0}, "k must be an int >= 1"), ({"max_bins": 1}, "max_bins must be an int from 2")):
        with pytest.raises(UsageError, match=message):
            StructuralFeatures("trains", **wrong).fit(trains.population, trains.target)


def test_the_command_writes_features_targets_and_rows(tmp_path):
    out = tmp_path / "features.csv"
    shown = succeed("features", "trains", "-k", "25", "-o", out)
    assert "25 features of" in shown and "... and 5 more" in shown
    rows = list(csv.reader(out.read_text(encoding="utf-8").splitlines()))
    trains = load_dataset("trains")
    features = StructuralFeatures("trains", k=25).fit(trains.population, trains.target)
    assert rows[0] == ["row", *features.get_feature_names_out(), "direction"]
    assert [row[-1] for row in rows[1:]] == trains.target.tolist()
    assert [row[0] for row in rows[1:]] == list(map(str, range(20)))
    values = np.array([row[1:-1] for row in rows[1:]], dtype=float)
    assert np.array_equal(values, features.transform(trains.population))
    facts = json.loads(succeed("features", "trains", "-k", "3", "--json"))
    assert [each["name"] for each in facts["features"]] == features.get_feature_names_out()[:3].tolist()
    assert run("features", "trains", "-k", "2", "-o", "-").stdout.startswith("row,exists cars")


def test_a_missing_number_is_an_empty_cell(tmp_path):
    (tmp_path / "boxes.csv").write_text("size,full\n1,no\n,yes\n2,no\n7,yes\n,yes\n8,yes\n")
    succeed("features", tmp_path / "boxes.csv", "--target", "full", "-k", "1", "-o", tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text().splitlines()[1:3] == ["0,1,no", "1,,yes"]


def test_the_command_refuses_what_it_cannot_do(tmp_path):
    assert "-k must be an int >= 1; got 0" in fail("features", "trains", "-k", "0", code=2)
    refused = fail("features", "trains", "--sql", tmp_path / "out.sql", code=2)
    assert "SQL views need individuals from the tables of a database" in refused
