"""`structtree evaluate`, as a stranger uses it."""

from __future__ import annotations

import json

import pytest

from tests.cli.test_commands import fail, run, succeed


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A tree of two leaves for the trains, eighteen of which it classifies correctly."""
    path = tmp_path_factory.mktemp("models") / "trains.json"
    succeed("fit", "trains", "--max-depth", 1, "--leaf-estimate", "frequency", "-o", path)
    return path


def test_the_text_has_scores_confusion_costs_and_curves(model):
    text = succeed("evaluate", model, "trains", "--cost", "west:east=5")
    assert "accuracy                    0.900" in text
    assert "cost of errors: 2, or 0.1 per individual; the cheapest constant prediction costs 10" in text
    assert text.splitlines()[-1].split() == [
        "west",
        "10",
        "0.900",
        "0.900",
        "0.833",
        "1.67",
        "0.000",
        "p",
        ">=",
        "0.833",
        "2",
    ]


def test_json_has_all_points(model):
    found = json.loads(succeed("evaluate", model, "trains", "--class", "east", "--metric", "accuracy", "--json"))
    (east,) = found["curves"]
    assert (east["coverage"]["negatives"], east["coverage"]["positives"]) == ([0, 0, 10], [0, 8, 10])
    assert east["coverage"]["thresholds"][0] is None and east["roc"]["auc"] == pytest.approx(0.9)
    assert list(found["metrics"]) == ["accuracy"] and found["is_training"]


def test_scores_on_the_training_data_are_called_so_and_others_are_not(model, tmp_path):
    assert "on the training data" in run("evaluate", model, "trains").stderr
    assert "on the training data" not in run("evaluate", model, "michalski10").stderr


def test_pictures_and_pages_are_written(model, tmp_path):
    plot, page = tmp_path / "curves.svg", tmp_path / "page.html"
    succeed("evaluate", model, "trains", "--plot", plot, "--report", page, "--isometrics", "laplace")
    assert plot.read_text(encoding="utf-8").count("<svg") == 1
    text = page.read_text(encoding="utf-8")
    assert text.count("<svg") == 1 and "Confusion" in text and "<script" not in text


def test_a_number_has_a_calibration(tmp_path):
    path, plot = tmp_path / "organs.json", tmp_path / "organs.svg"
    succeed("fit", "hammond", "--max-depth", 1, "-o", path)
    text = succeed("evaluate", path, "hammond", "--plot", plot)
    assert "mean prediction" in text and "R²" in text and plot.exists()
    assert "--class is for classes" in fail("evaluate", path, "hammond", "--class", "a", code=2)
    assert "--cost is for classes" in fail("evaluate", path, "hammond", "--cost", "a:b=2", code=2)


def test_what_cannot_be_evaluated_is_refused_in_a_sentence(model, tmp_path):
    unlabelled = tmp_path / "trains.jsonl"
    unlabelled.write_text('{"cars": []}\n', encoding="utf-8")
    assert "no values of direction" in fail("evaluate", model, unlabelled)
    assert "--isometrics is for pictures" in fail("evaluate", model, "trains", "--isometrics", "wracc", code=2)
    wrong = ["evaluate", model, "trains", "--plot", tmp_path / "a.svg", "--isometrics", "t"]
    assert "measure of classes" in fail(*wrong, code=2)
    assert "did you mean 'west'" in fail("evaluate", model, "trains", "--class", "wets", code=2)
    assert "did you mean 'west:east'" in fail("evaluate", model, "trains", "--cost", "west:eats=5", code=2)
