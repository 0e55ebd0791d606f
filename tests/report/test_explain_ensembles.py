"""Explanations of ensembles: the tests that contribute most, with their answers and the rows that decided them."""

from __future__ import annotations

import json

import numpy as np
import pytest

from structtree import contributions, explain, fit, html_view, load_dataset, plot_explanation
from structtree.lang.pretty import pretty
from structtree.models.ensemble import MOST_EXPLAINED
from structtree.models.importance import without_number
from structtree.models.model import Model, fitted
from structtree.report.explain import explain_prepared
from structtree.report.pictures.highlights import marks_of
from structtree.space.meaning import satisfies, witnesses
from tests.models.test_ensemble import forest
from tests.splitters.test_sweep import people


@pytest.fixture(scope="module")
def trains():
    data = load_dataset("trains")
    return fit(data.population, data.target, "trains", model="forest", n_estimators=30), data


def test_the_explanation_adds_up_to_the_prediction(trains):
    model, data = trains
    chances = model.predict_proba(data.population)
    for row in range(len(data.population)):
        found = explain(model, data.population, row)
        margin = found.margin
        whole = margin.expected + sum(reason.contribution for reason in found.reasons) + margin.others
        place = model.classes.index(found.prediction)
        assert whole == pytest.approx(chances[row, place], abs=1e-9)
        assert found.probability == pytest.approx(whole, abs=1e-9)
        assert margin.expected + sum(part for _, part in found.features) == pytest.approx(whole, abs=1e-9)
        assert margin.name == f"probability of {found.prediction}"


@pytest.mark.parametrize("criterion", ["gini", "mse"])
def test_the_tests_shown_are_those_that_contribute_most(criterion):
    made, _ = forest(criterion, n_trees=10)
    others = people(15, 9, gaps=0.2)
    summed = contributions(Model(made), others)
    answers = made.predict(others)
    for row in range(15):
        found = explain(Model(made), others, row)
        own = summed.values[row] @ made.direction(int(answers[row]) if criterion == "gini" else 0)
        most = np.sort(np.abs(own[own != 0]))[::-1]
        shown = [reason.contribution for reason in found.reasons]
        assert np.abs(shown) == pytest.approx(most[:MOST_EXPLAINED], abs=1e-12)
        assert found.margin.n_others == max(0, len(most) - MOST_EXPLAINED)
        assert found.margin.others == pytest.approx(own.sum() - sum(shown), abs=1e-12)
        for reason in found.reasons:
            test = without_number(reason.condition)
            assert any(
                other == test and value == pytest.approx(reason.contribution)
                for other, value in zip(summed.tests, own, strict=True)
            )


def test_answers_and_witnesses_are_true_of_the_individual(trains):
    model, data = trains
    for row in range(len(data.population)):
        for reason in explain(model, data.population, row).reasons:
            test = reason.condition
            assert reason.test == pretty(test) and reason.answer == satisfies(test, data.population, row)
            assert reason.node is None
            if reason.answer:
                paths = {(witness.path, witness.type) for witness in witnesses(test, data.population, row)}
                assert {(seen.path, seen.type) for seen in reason.rows} <= paths | {("", "Train")}


def test_of_thresholds_the_one_that_contributes_most_is_shown():
    rows = [[float(n % 10), float(n * 7 % 11)] for n in range(200)]
    labels = [100.0 if x >= 5 else 0.0 for x, _ in rows]
    model = fit(np.array(rows), labels, model="forest", n_estimators=20, max_features="all")
    first = explain(model, rows, 7).reasons[0]
    assert first.test == "x0 >= 4.5" and first.answer is True and first.contribution > 0
    assert [str(row) for row in first.rows] == ["x0 = 7.0"]


def test_text_and_json_list_the_contributions(trains):
    model, data = trains
    found = explain(model, data.population, 8, words=True)
    lines = str(found).splitlines()
    assert lines[0] == "Train 8" and lines[1].startswith(f"expected probability of {found.prediction}: 0.")
    assert lines[2].startswith(("1. +", "1. -")) and lines[-1] == f"→ {found.words}"
    assert "other tests" in lines[-3] and lines[-2].startswith("by attribute and link: ")
    record = json.loads(json.dumps(found.to_dict()))
    assert "path" not in record and "leaf" not in record
    assert [each["contribution"] for each in record["contributions"]] == [r.contribution for r in found.reasons]
    assert record["margin"]["n_others"] == found.margin.n_others and record["features"] == dict(found.features)


def test_the_picture_highlights_what_the_tests_counted(trains):
    model, data = trains
    for row in (0, 8):
        explanation, alone = explain_prepared(fitted(model), data.population, row)
        marks = [marks_of(reason, alone) for reason in explanation.reasons]
        assert all(bool(each.elements) for each in marks)
        picture = plot_explanation(model, data.population, row, actual="east")
        for reason in explanation.reasons:
            assert f"{reason.contribution:+.3g}" in picture.svg
        assert "other tests" in picture.svg
    assert "<svg" in html_view(explain(model, data.population, 0))


def test_a_forest_without_tests_is_explained_by_its_expected_value():
    model = fit([[1.0], [1.0], [1.0]], [1.0, 2.0, 6.0], model="forest", n_estimators=3)
    found = explain(model, [[1.0]], 0)
    assert found.reasons == () and found.margin.expected == pytest.approx(found.prediction)
    assert str(found).splitlines()[-1] == f"→ {found.words}"
    assert "expected" in plot_explanation(model, [[1.0]], 0).svg
