"""Held-out scores that a model stores, and whether they beat a constant prediction."""

import json
from dataclasses import replace

import numpy as np
import pytest

import structtree
from structtree import load_model, save_model
from structtree.errors import DataError
from structtree.evaluation.held_out import baseline_warning, held_out_score, score_summary
from structtree.evaluation.score import evaluate
from structtree.evaluation.validate import cross_validate
from structtree.models.records import ScoreRecord
from structtree.report.html.scores import ReportedIndividuals, is_training_data
from tests.cli.test_commands import run
from tests.report.html.test_page import data_of


def table(path, labels):
    """Write two columns of random numbers, and the labels."""
    rng = np.random.default_rng(3)
    rows = [f"{rng.random():.3f},{rng.random():.3f},{label}" for label in labels]
    path.write_text("\n".join(["a,b,y", *rows]) + "\n", encoding="utf-8")


@pytest.fixture(scope="module")
def noise(tmp_path_factory):
    """Path of a table whose labels are independent of its columns."""
    path = tmp_path_factory.mktemp("noise") / "noise.csv"
    table(path, np.random.default_rng(4).choice(["no", "yes"], 60, p=[0.4, 0.6]).tolist())
    return path


@pytest.fixture(scope="module")
def model(noise):
    return structtree.fit(str(noise), target="y", estimate=True, grow="full", time_limit=6000)


def test_the_stored_scores_are_those_of_a_cross_validation_and_of_the_training_data(noise, model):
    data = structtree.open_data(noise, target="y")
    folds = cross_validate(
        lambda: structtree.StructuralTreeClassifier(grow="full"),
        data.population,
        data.target,
        folds=5,
        repeats=1,
        seed=0,
    ).held_out
    accuracies = [np.mean(fold.answers.actual == fold.answers.predicted) for fold in folds]
    stored, known = model.scores.held_out, held_out_score(model)
    assert (stored.folds, stored.n) == (5, 60)
    assert known.value == stored.values[0] == pytest.approx(np.mean(accuracies))
    assert known.spread == stored.sd[0] == pytest.approx(np.std(accuracies, ddof=1))
    assert known.error == pytest.approx(np.std(accuracies, ddof=1) * np.sqrt(1 / 5 + 12 / 48))
    trained = evaluate(model, data.population, data.target)
    assert dict(zip(model.scores.training.metrics, model.scores.training.values, strict=True)) == trained.values
    assert np.array(stored.confusion).sum() == 60 and np.trace(stored.confusion) == round(60 * stored.values[0])


def test_a_saved_model_has_the_same_scores_and_an_older_file_has_none(model, tmp_path):
    save_model(model, tmp_path / "m.json")
    assert load_model(tmp_path / "m.json").scores == model.scores != ScoreRecord()
    document = json.loads((tmp_path / "m.json").read_text())
    del document["scores"]
    (tmp_path / "old.json").write_text(json.dumps(document))
    old = load_model(tmp_path / "old.json")
    assert old.scores == ScoreRecord() and (score_summary(old), baseline_warning(old)) == ("", "")


@pytest.mark.parametrize(
    "damage",
    [
        lambda scores: scores["held_out"]["values"].pop(),
        lambda scores: scores["held_out"]["sd"].pop(),
        lambda scores: scores["training"]["confusion"][0].pop(),
        lambda scores: scores["training"].update(metrics=[], values=[], baseline=[]),
    ],
)
def test_damaged_scores_are_refused(model, tmp_path, damage):
    save_model(model, tmp_path / "m.json")
    document = json.loads((tmp_path / "m.json").read_text())
    damage(document["scores"])
    (tmp_path / "m.json").write_text(json.dumps(document))
    with pytest.raises(DataError, match="one value for each metric"):
        load_model(tmp_path / "m.json")


def with_held_out(model, value, baseline, sd):
    held_out = model.scores.held_out
    one = {"metrics": ("accuracy",), "values": (value,), "baseline": (baseline,), "sd": (sd,)}
    return replace(model, scores=ScoreRecord(replace(held_out, **one)))


@pytest.mark.parametrize(
    ("value", "sd", "words"),
    [
        (0.5, 0.02, "is worse than"),
        (0.6, 0.02, "equals"),
        (0.61, 0.02, "is not clearly better than"),
        (0.62, 0.02, None),
        (None, None, None),
    ],
)
def test_a_warning_gives_both_figures_unless_the_model_is_clearly_better(model, value, sd, words):
    said = baseline_warning(with_held_out(model, value, 0.6, sd))
    expected = (
        "" if words is None else f"accuracy {value:.3f} ± {sd:.3f} on new data {words} the baseline, 0.600 for "
    )
    assert said.startswith(expected) and bool(said) == bool(words)


def test_a_tree_for_ranking_is_compared_by_its_auc(noise):
    model = structtree.fit(str(noise), target="y", estimate=True, goal="ranking", time_limit=6000)
    assert held_out_score(model).metric == "roc_auc" and held_out_score(model).baseline == 0.5


def test_the_terminal_and_the_report_warn_about_noise(noise, tmp_path):
    out, html, again = (tmp_path / name for name in ("m.json", "fit.html", "report.html"))
    said = run("fit", noise, "--target", "y", "--estimate", "--grow", "full", "-o", out, "--report", html)
    assert said.exit_code == 0 and "warning: accuracy 0." in said.stderr and " the baseline, 0." in said.stderr
    assert run("report", out, noise, "-o", again).exit_code == 0
    first, second = (data_of(path.read_text(encoding="utf-8")) for path in (html, again))
    for name in ("held_out", "training", "scores", "warning", "main_scores"):
        assert first[name] == second[name]
    assert first["has_held_out"] is True
    assert first["is_training"] is True and first["scores"][0][1] == 1.0 > first["held_out"]["scores"][0][1]
    assert f"warning: {first['warning']}" in said.stderr
    shown = run("show", out).stdout
    assert f"Scores: {first['main_scores']}\nWarning: {first['warning']}\n" in shown


def test_individuals_are_those_of_training_only_if_every_leaf_has_the_same_labels(model, noise):
    data = structtree.open_data(noise, target="y")
    leaves = model.tree.apply(data.population)
    codes = np.array([model.classes.index(label) for label in data.target])

    def judged(which, actual=codes):
        return is_training_data(model.tree, ReportedIndividuals(leaves[which], actual[which]), len(which))

    everyone = np.arange(60)
    assert judged(everyone) is True and judged(everyone[::-1]) is True
    assert judged(everyone[1:]) is False and judged(np.append(everyone, 3)) is False
    assert judged(everyone, 1 - codes) is False
    assert judged(everyone[:0]) is None


def test_the_means_of_numbers_tell_training_data_too():
    rows, target = [[float(i)] for i in range(40)], np.repeat([1.0, 5.0], 20)
    tree = structtree.StructuralTreeRegressor(max_depth=1).fit(rows, target)
    for labels, expected in ((target, True), (target + 1, False)):
        assert data_of(tree.report(rows, labels).html)["is_training"] is expected
    unscored = data_of(tree.report(rows).html)
    assert unscored["is_training"] is None and unscored["has_held_out"] is False and unscored["scores"] == []
