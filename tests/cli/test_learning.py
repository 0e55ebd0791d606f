"""`structtree fit`, `predict`, `show`, `explain` and `cv`, as a stranger uses them."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import shlex
import signal
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from numba.core.event import trigger_event

from structtree import Growth, Pruning, StructuralTreeClassifier, load_dataset, load_model, open_data, pretty
from structtree.cli import fit as fitting
from structtree.cli.flags import as_flag
from structtree.cli.progress import live_status
from structtree.data.readers import opening
from structtree.evaluation import score, validate
from structtree.evaluation.validate import FoldDone
from structtree.lang import default
from structtree.lang.grammar import Grammar
from structtree.learn import fit, learning_set
from structtree.learn import pruning as prune
from structtree.learn.growing import Progress
from structtree.learn.pruning import cost_complexity
from structtree.models.files import models as model_files
from structtree.models.tree import Leaf
from structtree.progress import Status, report
from structtree.report import effort, text
from structtree.search import clock
from structtree.search.kernels import compiling
from structtree.session.time import time_for_learning
from structtree.space.families import _Resolver
from structtree.splitters import search as searching
from tests.cli.test_commands import fail, run, succeed
from tests.conftest import REPOSITORY

TREE = """\
exists cars (closed and not long)
├─ yes: east 8/8
└─ no:  exists cars (shape = u_shaped) and count cars (roof = "none") >= 3
   ├─ yes: east 2/2
   └─ no:  west 10/10
"""


@pytest.fixture(scope="module")
def trains(tmp_path_factory):
    """A model of the twenty trains."""
    path = tmp_path_factory.mktemp("models") / "trains.json"
    succeed("fit", "trains", "-o", path)
    return path


@pytest.fixture(scope="module")
def hammond(tmp_path_factory):
    """A model of numbers."""
    path = tmp_path_factory.mktemp("models") / "hammond.json"
    succeed("fit", "hammond", "-o", path)
    return path


@pytest.fixture
def table(tmp_path):
    """A function that writes a CSV file."""

    def write(*lines, name="data.csv"):
        path = tmp_path / name
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path

    return write


def in_json(*args):
    return json.loads(succeed(*args, "--json"))


# ---- fit ------------------------------------------------------------------------------------------------


def test_fit_prints_the_tree_and_what_it_took(tmp_path):
    out = tmp_path / "model.json"
    text = succeed("fit", "trains", "-o", out)
    assert text.startswith(TREE)
    assert re.search(r"^direction +new data \(5 folds\) +training data +always east$", text, re.M)
    assert re.search(r"^accuracy +0\.\d{3} ± 0\.\d{3} +1\.000 +0\.500$", text, re.M)
    size = "size full, because 20 individuals are too few for cross-validation"
    assert f"Settings: for accuracy, criterion acc*, {size}, minimum samples per leaf 1\nGrammar: trains" in text
    assert "3 leaves, depth 2; " in text
    assert "every test is proved best" in text
    assert f"structtree predict {out} DATA" in text
    assert [p.name for p in tmp_path.iterdir()] == ["model.json"]


def test_the_json_of_a_fit(tmp_path):
    found = in_json("fit", "trains", "-o", tmp_path / "model.json")
    assert (found["leaves"], found["depth"], found["train_score"]) == (3, 2, 1.0)
    assert found["evaluated"] > 100
    assert found["seconds"] > 0
    assert (found["unproved"], found["stopped_by"], found["model"]) == ([], None, str(tmp_path / "model.json"))


def test_the_same_seed_gives_the_same_file(tmp_path):
    for name in ("a.json", "b.json"):
        succeed("fit", "lenses", "--seed", 3, "--post-prune", "cost-complexity", "-o", tmp_path / name)
    one, two = (load_model(tmp_path / name) for name in ("a.json", "b.json"))
    assert [node.stats for node in one.tree.nodes] == [node.stats for node in two.tree.nodes]


def test_what_is_not_proved_is_told():
    found = in_json("fit", "trains", "--strategy", "best-first", "--max-evaluations", 50)
    assert found["unproved"]
    assert {"node", "test", "gap", "stopped_by"} == set(found["unproved"][0])
    assert found["unproved"][0]["stopped_by"] == "evaluations"
    text = succeed("fit", "trains", "--strategy", "best-first", "--max-evaluations", 50)
    assert "not proved best, gap" in text
    text = " ".join(text.split())
    assert "(the tree is valid, but" in text
    assert "not proved best, only the best found: the limit on evaluations ended the search)" in text
    assert "to prove more, allow more evaluations, or use a" in text


@pytest.mark.parametrize(
    ("options", "part", "name", "value"),
    [
        (["--max-depth", 1], "growth", "max_depth", 1),
        (["--max-leaf-nodes", 2], "growth", "max_leaf_nodes", 2),
        (["--min-samples-leaf", 9], "growth", "min_samples_leaf", 9),
        (["--min-samples-split", 13], "growth", "min_samples_split", 13),
        (["--min-impurity-decrease", 0.2], "growth", "min_impurity_decrease", 0.2),
        (["--stop", "mdl"], "growth", "stop", "mdl"),
        (["--stop", "test", "--significance", 0.01], "growth", "significance", 0.01),
        (["--share", "path"], "growth", "share", "path"),
        (["--strategy", "beam"], "growth", "strategy", "beam"),
        (["--effort", "prove"], "growth", "effort", "prove"),
        (["--max-evaluations", 99], "growth", "max_evaluations", 99),
        (["--time-limit", 7], "growth", "time_limit", 7.0),
        (["--seed", 5], "growth", "random_state", 5),
        (["--cost-tolerance", 0.1], "growth", "cost_tolerance", 0.1),
        (["--post-prune", "pessimistic", "--confidence", 0.1], "pruning", "confidence", 0.1),
        (["--post-prune", "reduced-error", "--validation-fraction", 0.4], "pruning", "validation_fraction", 0.4),
        (["--post-prune", "cost-complexity"], "pruning", "alpha", "cv"),
        (["--alpha", 0.1], "pruning", "method", "cost-complexity"),
        (["--alpha", 0.1], "pruning", "alpha", 0.1),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, list) else str(value),
)
def test_options_reach_the_library(options, part, name, value, tmp_path):
    succeed("fit", "lenses", *options, "-o", tmp_path / "m.json")
    assert getattr(getattr(load_model(tmp_path / "m.json").settings, part), name) == value


def test_the_estimate_of_leaves_is_kept(tmp_path):
    options = ["--leaf-estimate", "m-estimate", "--m", 3, "--criterion", "gini"]
    succeed("fit", "lenses", *options, "-o", tmp_path / "m.json")
    model = load_model(tmp_path / "m.json")
    assert (model.decision.estimate, model.decision.m, model.settings.criterion) == ("m-estimate", 3.0, "gini")


def test_costs_change_what_leaves_say():
    plain = succeed("fit", "trains", "--max-depth", 1)
    assert "no:  west 10/12" in plain
    costly = succeed("fit", "trains", "--max-depth", 1, "--cost", "east:west=6")
    assert "no:  east 2/12" in costly


def test_class_weights_are_in_the_counts():
    assert "no:  west 20/22" in succeed("fit", "trains", "--max-depth", 1, "--class-weight", "west=2")
    assert "yes: soft 8/8.53" in succeed("fit", "lenses", "--max-depth", 1, "--class-weight", "balanced")


def test_a_large_tree_is_printed_in_part(table, tmp_path):
    path = table("x,y", *(f"{i},{i * i % 97}" for i in range(80)))
    result = run("fit", path, "--target", "y", "--grow", "full", "-o", tmp_path / "m.json")
    assert "leaves, " in result.stdout
    assert f"printed to depth 4; for the whole tree: structtree show {tmp_path / 'm.json'}" in result.stderr
    assert "for a smaller tree, use --for reading" in result.stderr
    assert len(result.stdout.splitlines()) < 40
    assert len(succeed("show", tmp_path / "m.json").splitlines()) > 100


def test_a_smaller_tree_is_suggested_for_one_that_nobody_can_retell(table):
    rows = [f"{i},{i // 10}" for i in range(400)]
    advice = "for a smaller tree, use --for reading"
    options = ("fit", table("x,y", *rows), "--target", "y", "--no-estimate")
    large, small = (run(*options, *more) for more in ((), ("--for", "reading")))
    assert "\n40 leaves" in large.stdout and advice in large.stderr
    assert "\n8 leaves" in small.stdout and advice not in small.stderr


def test_a_folder_of_graphs_brings_its_target(shared_data):
    found = in_json("fit", shared_data("mutag"), "--max-depth", 1)
    assert (found["target"], found["individuals"], found["leaves"]) == ("class", 188, 2)
    assert found["train_score"] > 0.8


# ---- what the target is ---------------------------------------------------------------------------------


def test_two_whole_numbers_are_classes(table):
    path = table("x,y", *(f"{i},{int(i > 5)}" for i in range(12)))
    found = in_json("fit", path, "--target", "y")
    assert (found["task"], found["criterion"], found["leaves"]) == ("classes", "acc*", 2)
    assert in_json("fit", path, "--target", "y", "--criterion", "mse")["task"] == "numbers"


def test_a_few_whole_numbers_are_numbers_and_that_is_said(table):
    path = table("x,y", *(f"{i},{i % 3}" for i in range(12)))
    result = run("fit", path, "--target", "y", "--max-depth", 1)
    assert "note: y, with 3 distinct values, is treated as a number; for classes: --type y=nominal" in result.stderr
    for option in (["--type", "y=nominal"], ["--criterion", "gini"]):
        assert in_json("fit", path, "--target", "y", *option)["task"] == "classes"


def test_individuals_without_a_target_are_left_out_and_counted(table):
    path = table("x,y", *(f"{i},{'' if i % 4 == 0 else 'ab'[i > 5]}" for i in range(12)))
    result = run("fit", path, "--target", "y", "--json")
    assert "warning: skipped 3 of 12 individuals without a value for y" in result.stderr
    assert json.loads(result.stdout)["individuals"] == 9


def test_an_attribute_like_a_name_is_not_asked_and_can_be_ignored(table):
    path = table("name,x,y", *(f"n{i},{i % 7},{'ab'[i % 2]}" for i in range(24)))
    note = "  skipped: name (unique per row)\n"
    said = succeed("fit", path, "--target", "y")
    assert note in said
    assert "name =" not in said
    assert note not in succeed("fit", path, "--target", "y", "--ignore", "name")
    assert "did you mean 'name'" in fail("fit", path, "--target", "y", "--ignore", "nam")


# ---- which grammar --------------------------------------------------------------------------------------

DERIVED = "derived from the data (structtree grammar derive DATA shows it)"


@pytest.fixture
def nested(tmp_path):
    """A file of people with visits; one of them has no class."""
    path = tmp_path / "people.jsonl"
    people = [
        {
            "id": i,
            "age": i % 7,
            "y": "ab"[i % 2],
            "visits": [{"visit_id": f"{i}-{k}", "cost": i * k} for k in range(3)],
        }
        for i in range(12)
    ]
    del people[5]["y"]
    path.write_text("".join(json.dumps(person) + "\n" for person in people), encoding="utf-8")
    return path


FITS = ["--max-depth", 1, "--time-limit", 2]


def test_the_default_grammar_is_what_derive_writes(nested, tmp_path):
    model = tmp_path / "model.json"
    for data in (nested, "trains", "planted-molecules", "lenses"):
        target = ["--target", "y"] if data == nested else []
        text = succeed("grammar", "derive", data, *target)
        assert in_json("grammar", "derive", data, *target)["text"] == text
        succeed("fit", data, *target, *FITS, "-o", model)
        assert load_model(model).grammar.text == str(Grammar.parse(text))


@pytest.mark.parametrize(
    ("data", "options", "origin"),
    [
        ("people", [], DERIVED),
        ("trains", [], "trains (shipped, made for this data)"),
        ("trains", ["--grammar", "trains"], "trains (shipped)"),
        ("lenses", ["--nominal", "multiway"], "derived from the data, one test at a time"),
    ],
)
def test_fit_and_its_model_say_which_grammar_was_used(nested, tmp_path, data, options, origin):
    where = [nested, "--target", "y"] if data == "people" else [data]
    model = tmp_path / "model.json"
    assert f"\nGrammar: {origin}\n" in succeed("fit", *where, *options, *FITS, "-o", model)
    assert in_json("fit", *where, *options, *FITS)["grammar"]["origin"] == origin
    assert load_model(model).grammar.origin == origin
    assert f"\nGrammar: {origin}\n" in succeed("show", model)


def test_a_grammar_of_a_file_is_called_by_the_file(tmp_path):
    path = tmp_path / "mine.grammar"
    path.write_text("refine Train { top -> count cars (top) >= * }", encoding="utf-8")
    assert f"\nGrammar: {path}\n" in succeed("fit", "trains", "--grammar", path)


def test_cross_validation_says_which_grammar_all_folds_used(nested):
    given = ["cv", nested, "--target", "y", "--folds", 2, "--repeats", 1, "--max-depth", 1, "--time-limit", 2]
    said = succeed(*given)
    assert f"Grammar: {DERIVED}\n  skipped: id, Visit.visit_id (unique per row)\nFeatures: " in said
    about = in_json(*given)["grammar"]
    notes = ["skipped: id, Visit.visit_id (unique per row)"]
    assert about == {"name": None, "origin": DERIVED, "notes": notes, "attributes": ["age"], "links": ["visits"]}


def test_a_derived_grammar_can_be_given_a_name(nested):
    for data in (nested, "trains"):
        text = succeed("grammar", "derive", "mine", "--data", data)
        assert Grammar.parse(text).name == "mine"
        assert Grammar.parse(text).syntax.blocks == Grammar.parse(succeed("grammar", "derive", data)).syntax.blocks


def test_molecules_that_cannot_be_read_are_refused_or_left_out(table):
    pytest.importorskip("rdkit")
    rows = [f"{smiles},{y}" for smiles, y in zip(["CCO", "CCN", "C1CC", "CCCl", "CCC"], "ababa", strict=True)]
    path = table("smiles,y", *rows)
    sentence = fail("fit", path, "--target", "y")
    assert "data.csv:4" in sentence
    assert "--skip-bad" in sentence
    result = run("fit", path, "--target", "y", "--skip-bad", "--json")
    assert "skipped 1 of 5 molecules:\n  line 4 (row 2): RDKit cannot read the SMILES 'C1CC'" in result.stderr
    assert json.loads(result.stdout)["individuals"] == 4


def test_text_of_another_dialect_is_read_as_told(tmp_path):
    path = tmp_path / "haus.csv.gz"
    rows = "".join(f"{i},5;{'groß' if i > 5 else 'klein'}\n" for i in range(12))
    path.write_bytes(gzip.compress(rows.encode("cp1252")))
    reading = ["--no-header", "--names", "m2,art", "--delimiter", ";", "--decimal", ",", "--encoding", "cp1252"]
    text = succeed("fit", path, "--target", "art", *reading)
    assert text.startswith("m2 >= 6.0\n├─ yes: groß 6/6")


# ---- predict --------------------------------------------------------------------------------------------


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_predictions_are_a_table_with_probabilities(trains):
    result = run("predict", trains, "trains")
    assert result.exit_code == 0
    rows = rows_of(result.stdout)
    assert list(rows[0]) == ["row", "prediction", "p(east)", "p(west)", "actual"]
    known = load_dataset("trains")
    assert [row["prediction"] for row in rows] == load_model(trains).predict(known.population).tolist()
    assert result.stderr.splitlines()[:2] == [
        "direction          20 individuals  always east",
        "accuracy                    1.000        0.500",
    ]
    assert "Confusion, 20 individuals\ntrue \\ predicted  east  west  recall\n" in result.stderr


def test_predictions_in_json_are_one_object_for_each_individual(trains):
    found = in_json("predict", trains, "trains")
    assert len(found) == 20
    assert found[0] == {
        "row": 0,
        "prediction": "east",
        "probabilities": {"east": pytest.approx(8.5 / 9), "west": pytest.approx(0.5 / 9)},  # 8 of 8, smoothed
        "actual": "east",
    }


def test_predictions_flag_individuals_unlike_any_in_training(table, tmp_path):
    rows = [f"{i},{'red' if i % 3 else 'blue'},{'yes' if i >= 20 else 'no'}" for i in range(40)]
    run("fit", table("size,colour,y", *rows), "--target", "y", "--no-estimate", "-o", tmp_path / "m.json")
    new = tmp_path / "new.csv"
    new.write_text("size,colour\n5,red\n900,red\n30,red\n")
    result = run("predict", tmp_path / "m.json", new)
    assert result.stdout.splitlines()[0] == "row,prediction,p(no),p(yes),unusual"
    assert result.stdout.splitlines()[2].endswith(",size = 900; in training 0 to 39")
    assert result.stderr == (
        "note: 1 individual unlike any in training, so the predictions are uncertain; such as row 1: size = 900; in "
        "training 0 to 39\n"
    )


def test_predictions_of_numbers_have_a_spread(hammond):
    found = in_json("predict", hammond, "hammond")
    assert set(found[0]) == {"row", "prediction", "spread", "actual"}
    assert rows_of(run("predict", hammond, "hammond").stdout)[0].keys() == set(found[0])


def test_predictions_are_written_to_a_file_as_a_whole(trains, tmp_path):
    out = tmp_path / "out.csv"
    result = run("predict", trains, "trains", "-o", out)
    assert result.stdout == ""
    assert f"wrote 20 predictions to {out}" in result.stderr
    assert out.read_text(encoding="utf-8") == run("predict", trains, "trains").stdout
    assert [p.name for p in tmp_path.iterdir()] == ["out.csv"]


def test_without_the_target_there_is_no_score(trains, tmp_path):
    path = tmp_path / "new.jsonl"
    path.write_text('{"cars": [{"long": false, "roof": "flat", "shape": "oval"}]}\n', encoding="utf-8")
    result = run("predict", trains, path)
    assert rows_of(result.stdout) == [
        {"row": "0", "prediction": "east", "p(east)": "0.944444", "p(west)": "0.0555556"}
    ]
    assert result.stderr == ""


def test_a_target_that_is_known_of_some_is_scored_on_those(table, tmp_path):
    succeed("fit", table("x,y", "1,a", "2,a", "8,b", "9,b"), "--target", "y", "-o", tmp_path / "m.json")
    result = run("predict", tmp_path / "m.json", table("x,y", "1,a", "9,", "8,a", name="new.csv"))
    assert re.search(r"^y +2 individuals +always", result.stderr, re.M)
    assert re.search(r"^accuracy +0\.500", result.stderr, re.M)
    assert [row["actual"] for row in rows_of(result.stdout)] == ["a", "", "a"]


# ---- show and explain -----------------------------------------------------------------------------------


def test_a_model_is_shown_as_a_tree(trains):
    text = succeed("show", trains)
    assert text.startswith("direction (east, west) of a Train\n3 leaves, depth 2, criterion acc*\n")
    assert text.endswith(TREE)
    assert "… 2 leaves, west 10/12" in succeed("show", trains, "--max-depth", 1)


def test_a_model_is_shown_as_rules(trains):
    lines = succeed("show", trains, "--format", "rules").splitlines()
    assert len(lines) == 3
    assert lines[0] == "if exists cars (closed and not long) then east (n=8, confidence 1.00)"
    rules = in_json("show", trains, "--format", "rules")
    assert [rule["prediction"] for rule in rules] == ["east", "east", "west"]


def test_a_model_is_shown_as_a_formula(trains):
    east, west = succeed("show", trains, "--format", "formula").splitlines()
    assert east.startswith("east: exists cars (closed and not long) or ")
    assert west.startswith("west: ")
    assert set(in_json("show", trains, "--format", "formula")) == {"east", "west"}


def test_a_model_is_shown_as_json(trains):
    assert in_json("show", trains) == json.loads(trains.read_text(encoding="utf-8"))
    assert json.loads(succeed("show", trains, "--format", "json")) == in_json("show", trains)


def test_an_explanation_names_the_rows(trains):
    text = succeed("explain", trains, "trains", "--row", 0)
    assert text.splitlines()[:2] == ["Train 0", "1. exists cars (closed and not long): yes"]
    assert "cars[2] (Car)" in text
    assert text.endswith("→ east 8/8\n  (true label: east)\n")
    found = in_json("explain", trains, "trains", "--row", 0)
    assert (found["prediction"], found["actual"]) == ("east", "east")
    assert found["path"][0]["rows"][0]["path"] == "cars[2]"


# ---- cross-validation -----------------------------------------------------------------------------------


def test_the_json_of_a_cross_validation():
    found = in_json("cv", "lenses", "--folds", 4, "--repeats", 2)
    assert {"mean", "sd", "folds", "repeats", "leaves_mean", "seconds", "evaluated", "unproved"} <= set(found)
    assert (found["folds"], len(found["scores"])) == (4, 8)
    assert found["mean"] == pytest.approx(np.mean(found["scores"]))
    again = in_json("cv", "lenses", "--folds", 4, "--repeats", 2)
    assert again["scores"] == found["scores"]


def test_a_cross_validation_is_a_table_for_people():
    text = succeed("cv", "hammond", "--folds", 3, "--repeats", 1)
    assert text.startswith("price of 9 individuals, 3 folds\n")
    assert "R²" in text
    assert "mse" in text


def test_criteria_are_compared_on_the_same_folds():
    given = ["cv", "lenses", "--folds", 3, "--repeats", 2, "--compare", "acc*,entropy, gini"]
    found = in_json(*given)
    assert [one["criterion"] for one in found] == ["acc*", "entropy", "gini"]
    assert "p" not in found[0]
    for one in found[1:]:
        assert 0 <= one["p"] <= 1
        assert one["difference"] == pytest.approx(one["mean"] - found[0]["mean"])
        assert 0 <= one["mcnemar"]["p"] <= 1
    text = succeed(*given)
    assert "difference" in text
    assert "p (McNemar)" in text
    assert "entropy" in text


def test_options_of_learning_count_in_cross_validation():
    options = ["--folds", 3, "--repeats", 1, "--cost", "none:soft=9", "--class-weight", "balanced"]
    assert in_json("cv", "lenses", *options, "--max-depth", 1)["leaves_mean"] <= 2
    assert in_json("cv", "hammond", "--folds", 3, "--repeats", 1, "--max-depth", 1)["leaves_mean"] <= 2


# ---- scores ---------------------------------------------------------------------------------------------


def test_the_metrics_that_are_shown_can_be_chosen(tmp_path):
    out = tmp_path / "m.json"
    text = succeed("fit", "lenses", "--metric", "mcc, f1", "-o", out)
    assert re.search(r"^Matthews correlation +0\.\d{3} ± 0\.\d{3} +1\.000", text, re.M)
    assert "F1 " in text
    assert not re.search(r"^accuracy", text, re.M)
    assert "Confusion" not in text
    text = succeed("cv", "lenses", "--folds", 3, "--repeats", 1, "--metric", "roc_auc,confusion_matrix")
    assert re.search(r"^ROC AUC +0\.\d{3} ± 0\.\d{3} +0\.500$", text, re.M)
    assert "Confusion, all folds together\ntrue \\ predicted  hard  none  soft  recall\n" in text
    said = run("predict", out, "lenses", "--metric", "all").stderr
    for name in ("accuracy", "balanced accuracy", "ROC AUC", "log loss", "average precision", "F1", "Matthews"):
        assert re.search(rf"^{name} .*", said, re.M)


def test_the_json_has_the_same_figures(tmp_path):
    found = in_json("fit", "lenses", "--metric", "accuracy,roc_auc")
    assert found["training"]["metrics"]["accuracy"] == {"value": 1.0, "baseline": 15 / 24}
    assert found["estimate"]["metrics"]["roc_auc"]["baseline"] == 0.5
    assert (found["estimate"]["folds"], found["estimate"]["individuals"]) == (5, 24)
    assert np.sum(found["estimate"]["confusion_matrix"]["counts"]) == 24
    assert found["growth"]["min_samples_leaf"] == 1
    assert found["pruning"]["method"] is None
    found = in_json("cv", "hammond", "--folds", 3, "--repeats", 1, "--metric", "all")
    assert list(found["metrics"]) == ["r2", "rmse", "mae", "median_ae"]
    assert found["metrics"]["r2"]["value"] == pytest.approx(found["mean"])
    assert found["baseline"] == "always the mean"


def test_the_estimate_of_a_fit_is_its_cross_validation():
    options = ["--max-depth", 2, "--post-prune", "cost-complexity", "--seed", 1]
    estimate = in_json("fit", "monks-3", *options, "--estimate")["estimate"]["metrics"]
    assert estimate == in_json("cv", "monks-3", "--folds", 5, "--repeats", 1, *options)["metrics"]


def test_an_estimate_can_be_left_out_or_insisted_on(monkeypatch):
    assert in_json("fit", "lenses", "--no-estimate")["estimate"] is None
    assert "new data" not in succeed("fit", "lenses", "--no-estimate")
    monkeypatch.setattr("structtree.session.fitting.QUICK", 0.0)
    slow = run("fit", "lenses")
    assert "\nNew data: not estimated, to save time; use --estimate or structtree cv" in slow.stdout
    assert "new data (5 folds)" not in slow.stdout
    assert "new data (5 folds)" in succeed("fit", "lenses", "--estimate")
    assert "\nNew data: 9 individuals are too few to estimate scores\n" in succeed("fit", "hammond")


def test_ctrl_c_ends_the_estimate_and_keeps_the_tree(monkeypatch, tmp_path):
    pressing(monkeypatch, StructuralTreeClassifier, "fit", at=2)
    result = run("fit", "lenses", "-o", tmp_path / "m.json")
    assert result.exit_code == 130, result.output
    assert "New data: interrupted before the scores were estimated\n" in result.stdout
    assert "this is the tree so far" not in result.stderr
    assert len(load_model(tmp_path / "m.json").tree.leaves) > 3


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--stop", "mdl"], "no test passes the stopping rule 'mdl'"),
        (["--min-samples-leaf", 20], "no test of the grammar improves the tree within the growth limits"),
        (["--alpha", 1.0], "pruned to one leaf, since no test improves the predictions"),
    ],
    ids=str,
)
def test_a_tree_of_one_leaf_says_why(options, words, table):
    rng = np.random.default_rng(1)
    noise = [f"{x:.3f},{'ab'[k % 2]}" for k, x in enumerate(rng.random(30))]
    text = succeed("fit", table("x,class", *noise), "--target", "class", *options)
    assert f"; {words}\n" in text
    assert re.search(r"^1 leaf, depth 0; learned in \S+ s; ", text, re.M)


def test_where_a_class_is_rare_a_tree_of_one_leaf_points_to_ranking(table):
    rare = [f"{i},{'yes' if i % 20 == 0 else 'no'}" for i in range(200)]
    result = run("fit", table("x,class", *rare), "--target", "class", "--no-estimate")
    assert result.stdout.startswith("no 190/200\n")
    assert "where a class is rare, --for ranking still ranks" in result.stderr
    assert "--for ranking" not in run("fit", "lenses", "--alpha", 1.0, "--no-estimate").stderr


def test_where_no_test_within_the_limits_helps_the_advice_names_them(tmp_path):
    rows = [{"y": "ab"[i % 2], "cars": [{"n": 1, "kids": [{"z": 1}]}] * 2} for i in range(60)]
    path = tmp_path / "alike.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    result = run("fit", path, "--target", "y", "--no-estimate")
    advice = "no test within the limits of the grammar (nesting 4, literals 6) helps; for more complex tests, write "
    assert f"{advice}'limits {{ nesting 6, literals 8 }}' in the grammar" in result.stderr
    assert "time" not in result.stderr
    assert "limits of the grammar" not in run("fit", "trains", "--no-estimate").stderr


def test_a_tree_of_one_leaf_does_not_blame_tests_that_there_was_no_time_to_find(monkeypatch):
    monkeypatch.setattr(fitting._Learned, "stopped_by", "time")
    text = succeed("fit", "lenses", "--alpha", 1.0)
    assert "; pruned to one leaf, since no test found in time improves the predictions\n" in text


def test_groups_stay_together_and_are_not_asked_about(table):
    rng = np.random.default_rng(0)
    rows = [f"{k // 4},{rng.integers(9)},{'ab'[k // 4 % 2]}" for k in range(40)]
    path = table("patient,dose,ill", *rows)
    given = ["cv", path, "--target", "ill", "--folds"]
    text = succeed(*given, "group:patient")
    assert text.startswith("ill of 40 individuals, 5 folds by group patient\n")
    assert "Folds: individuals with the same patient are in one fold; patient is not used as a feature\n" in text
    found = in_json(*given, "group:patient:2")
    assert (found["folds"], found["repeats"], found["divided_by"]) == (2, 1, "group patient")
    assert in_json(*given, 5)["mean"] > in_json(*given, "group:patient")["mean"]


@pytest.mark.parametrize(
    "times", [range(2000, 2030), [f"2024-01-{k + 1:02}" for k in range(30)]], ids=["int", "date"]
)
def test_later_individuals_are_predicted_from_earlier_ones(table, times):
    path = table("x,when,y", *(f"{k % 3},{when},{'ab'[k % 2]}" for k, when in enumerate(times)))
    text = succeed("cv", path, "--target", "y", "--folds", "time:when:3")
    assert text.startswith("y of 30 individuals, 3 folds by time when\n")
    assert "Folds: each fold is tested on individuals that are later by when than its training data" in text


def test_molecules_with_a_scaffold_stay_together(table):
    pytest.importorskip("rdkit", reason="molecules are read by RDKit")
    smiles = ["Cc1ccccc1", "Oc1ccccc1", "C1CC1C", "OC1CC1", "CCO", "CCN", "c1cc[nH]c1", "Cn1cccc1"]
    path = table("smiles,y", *(f"{text},{'ab'[k % 2]}" for k, text in enumerate(smiles)))
    text = succeed("cv", path, "--target", "y", "--folds", "scaffold:3")
    assert "Folds: 4 scaffolds (Bemis-Murcko); molecules with the same scaffold are in one fold\n" in text


@pytest.mark.parametrize(
    ("folds", "code", "words"),
    [
        ("scafold", 2, "--folds takes a number, scaffold, group:COLUMN or time:COLUMN"),
        ("group", 2, "--folds takes a number, scaffold, group:COLUMN or time:COLUMN"),
        ("group:patiend", 1, "did you mean 'patient'"),
        ("group:patient:9", 2, "the number of groups, 3; got 9"),
        ("time:name", 1, "name must contain numbers or dates such as 2024-07-31; got values such as"),
        ("group:gap", 1, "gap defines the folds, but is missing for 1 individual"),
        ("scaffold", 1, "scaffolds require molecules"),
    ],
)
def test_folds_that_cannot_be_made_are_refused(table, folds, code, words):
    path = table("patient,name,gap,y", "1,x,1,a", "2,y,2,b", "3,z,,a", "1,x,4,b")
    assert words in fail("cv", path, "--target", "y", "--folds", folds, code=code)
    assert "repeats must be 1" in fail(
        "cv", path, "--target", "y", "--folds", "group:patient:2", "--repeats", 3, code=2
    )


@pytest.mark.parametrize("command", ["fit", "cv", "predict"])
def test_metrics_that_do_not_fit_are_refused(command, trains):
    given = [command, *([trains] if command == "predict" else []), "trains", "--metric"]
    assert "unknown metric 'roc_aux' (did you mean 'roc_auc'?)" in fail(*given, "roc_aux", code=2)
    assert "the metric rmse is for numbers, but the target has classes" in fail(*given, "rmse", code=2)
    assert "--metric takes names" in fail(*given, ",", code=2)


# ---- Ctrl-C and waiting ---------------------------------------------------------------------------------


def test_the_time_limit_counts_reading(monkeypatch):
    monkeypatch.setattr(clock.Clock, "spent", lambda _: 7.0)
    times = {limit: time_for_learning(clock.Clock(limit)) for limit in (10.0, 7.5, 1.0, None, 100.0)}
    assert [time.clock.seconds for time in times.values()] == [3.0, 0.75, 0.3, None, 93.0]
    assert [len(time.remarks) for time in times.values()] == [1, 1, 1, 0, 0]
    assert times[10.0].remarks[0].sentence(as_flag) == (
        "reading the data took 7 s of the time limit of 10 s, which leaves 3 s for learning; "
        "to allow more, increase --time-limit"
    )


@pytest.mark.parametrize("command", ["fit", "cv", "effort"])
def test_compiling_is_told_and_not_counted(monkeypatch, command):
    moment = [100.0]
    monkeypatch.setattr(compiling, "perf_counter", lambda: moment[0])
    real = searching.best_split if command != "effort" else effort.best_split

    def compiled(*arguments, **options):
        if moment[0] == 100.0:
            with trigger_event("numba:compile"):
                moment[0] += 12.0
        return real(*arguments, **options)

    monkeypatch.setattr(effort if command == "effort" else searching, "best_split", compiled)
    limit = ["--exhaustive-limit", 0] if command == "effort" else ["--max-depth", 1]
    limit += ["--folds", 2, "--repeats", 1] if command == "cv" else []
    result = run(command, "trains", "--time-limit", 5, *limit)
    assert result.exit_code == 0
    assert "note: compiled in 12 s (not counted towards the time limit)\n" in result.stderr
    assert "time limit ended" not in result.stdout
    assert "compiled in" not in run(command, "trains", "--time-limit", 5, *limit).stderr


def test_a_fit_says_what_there_was_no_time_to_prepare(monkeypatch, ticking, tmp_path):
    now, real = ticking(0.0), _Resolver.family

    def slowly(*arguments, **options):
        now.seconds += 1.0
        return real(*arguments, **options)

    monkeypatch.setattr(_Resolver, "family", slowly)
    monkeypatch.setattr("structtree.interrupts.UNTIMED_CELLS", 0)
    said = "time limit reached while finding the values of tests: 3 of 5 families of tests skipped"
    (tmp_path / "cars.grammar").write_text(
        "refine Train { top -> exists cars (top) } "
        "refine Car { top -> long; top -> roof = *; top -> wheels >= *; top -> shape = * }"
    )
    given = [
        "fit",
        "trains",
        "--grammar",
        tmp_path / "cars.grammar",
        "--no-estimate",
        "--effort",
        "prove",
        "--time-limit",
        4,
    ]
    assert said in run(*given).stderr
    assert json.loads(succeed(*given, "--json"))["skipped"] == [said]
    given[-1] = 400
    assert "skipped" not in run(*given).stderr
    assert json.loads(succeed(*given, "--json"))["skipped"] == []


def test_a_cross_validation_that_runs_out_of_time_has_the_folds_so_far(monkeypatch, ticking):
    now, real = ticking(0.0), StructuralTreeClassifier.fit

    def slowly(*arguments, **options):
        now.seconds += 2.0
        return real(*arguments, **options)

    monkeypatch.setattr(StructuralTreeClassifier, "fit", slowly)
    result = run("cv", "lenses", "--folds", 3, "--repeats", 2, "--time-limit", 5)
    assert result.exit_code == 0
    assert "the time limit of 5 s was reached: completed 3 of 6 folds" in result.stderr


def pressing(monkeypatch, where, name, at=1):
    """Have Ctrl-C pressed when a function is called for the n-th time."""
    real, calls = getattr(where, name), []

    def pressed(*args, **kwargs):
        calls.append(1)
        if len(calls) == at:
            signal.raise_signal(signal.SIGINT)
        return real(*args, **kwargs)

    monkeypatch.setattr(where, name, pressed)
    return calls


def test_after_ctrl_c_the_tree_so_far_is_kept(monkeypatch, tmp_path):
    pressing(monkeypatch, searching, "best_split", at=2)
    result = run("fit", "trains", "--strategy", "best-first", "--effort", "prove", "-o", tmp_path / "m.json")
    assert result.exit_code == 130
    assert "interrupted: this is the tree so far" in result.stderr
    tree = load_model(tmp_path / "m.json").tree
    assert pretty(tree.nodes[0].test) == "exists cars (closed and not long)"
    unproved = [node.stopped_by if isinstance(node, Leaf) else node.found.stopped_by for node in tree.nodes[2:]]
    assert "interrupt" in unproved
    assert "Ctrl-C ended the search)" in result.stdout


def test_verbose_says_which_way_was_gone_and_why(tmp_path):
    for options, words in (
        ((), "each node searches tests that were made once for the whole tree, since it may combine them"),
        (("--strategy", "beam"), "each node is searched by branch and bound, since the strategy is 'beam'"),
    ):
        result = run("fit", "trains", "--verbose", "-o", tmp_path / "m.json", *options)
        assert f"route: {words}\n" in result.stderr
        assert load_model(tmp_path / "m.json").route.why == words


MOMENTS = {
    "reading": (opening, "read_data"),
    "the grammar": (default, "profile"),
    "checking": (learning_set, "target_for"),
    "growing": (fit, "plan_for"),
    "pruning": (fit, "choose_alpha"),
    "a fold": (prune, "_held_out"),
    "scoring": (score, "class_name"),
    "saving": (model_files, "replacing"),
    "printing": (text, "tree_lines"),
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_ctrl_c_at_any_moment_of_a_fit_leaves_a_model(monkeypatch, tmp_path, moment):
    table, out = tmp_path / "table.csv", tmp_path / "m.json"
    rng = np.random.default_rng(0)
    lines = [f"{x:.3f},{y:.3f},{'ab'[int(x + 0.2 * z > y)]}" for x, y, z in rng.random((60, 3))]
    table.write_text("\n".join(["x,y,class", *lines]) + "\n", encoding="utf-8")
    calls = pressing(monkeypatch, *MOMENTS[moment])
    result = run("fit", table, "--target", "class", "--post-prune", "cost-complexity", "-o", out)
    assert calls
    assert result.exit_code == 130, result.output
    assert result.stdout.endswith(f"saved {out}; use it with: structtree predict {out} DATA\n")
    assert len(load_model(out).predict(open_data(table).population)) == 60


def test_a_tree_is_not_pruned_by_folds_that_ctrl_c_has_cut_short(monkeypatch):
    monks = load_dataset("monks-3")
    given = (monks.population, monks.target, Grammar.load("flat"), Growth(), Pruning("cost-complexity"))
    whole = fit.fit(*given[:4]).tree
    calls = pressing(monkeypatch, prune, "_held_out", at=2)
    stopped = fit.fit(*given)
    assert calls
    assert stopped.outcome.stopped_by == "interrupt"
    assert len(stopped.tree.leaves) == len(cost_complexity(whole, 0.0).leaves)


def test_a_second_ctrl_c_stops_at_once(monkeypatch, tmp_path):
    def twice(*args, **kwargs):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(searching, "best_split", twice)
    out = tmp_path / "m.json"
    assert fail("fit", "lenses", "--strategy", "best-first", "-o", out, code=130) == "error: stopped\n"
    assert not out.exists()


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemError])
def test_what_does_not_answer_ctrl_c_is_cut_short(monkeypatch, tmp_path, error):
    """Where patience is over an interrupt is raised, which may come out of something that is being compiled."""

    def overdue(*args, **kwargs):
        signal.raise_signal(signal.SIGINT)
        signal.getsignal(signal.SIGINT).__self__.is_overdue = True
        raise error

    monkeypatch.setattr(searching, "best_split", overdue)
    result = run("fit", "trains", "--strategy", "best-first", "-o", tmp_path / "m.json")
    assert result.exit_code == 130, result.output
    (leaf,) = load_model(tmp_path / "m.json").tree.nodes
    assert (leaf.gap, leaf.stopped_by) == (0.5, "interrupt")
    assert "(the tree is valid, but 1 leaf might be split further: Ctrl-C ended the search)" in result.stdout


def test_data_that_takes_too_long_to_read_after_ctrl_c_is_not_learned_from(monkeypatch):
    def overdue(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(opening, "load_dataset", overdue)
    words = "error: stopped: the data was still being read, and nothing was learned\n"
    assert fail("fit", "trains", code=130) == words


SCRIPT = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # which the background of a shell ignores
from structtree import cli
from structtree.search import clock
def after(n, real):
    calls = []
    def look():
        calls.append(0)
        found = real()
        if len(calls) == n:
            signal.raise_signal(signal.SIGINT)
        return found
    return look
class AtOnce:
    def find_spec(self, name, *_):
        if name == "structtree.cli.commands":
            signal.raise_signal(signal.SIGINT)
n = int(sys.argv.pop(1))
if n == 0:
    sys.meta_path.insert(0, AtOnce())
clock.now = after(n, clock.now)
cli.main()
"""


@pytest.mark.parametrize("looks", [0, 1, 20, 300])
def test_ctrl_c_ends_the_command_with_a_model_or_a_sentence(tmp_path, looks):
    """It comes while the commands are imported, or when the work looks at the clock for the n-th time."""
    rng = np.random.default_rng(0)
    data, out = tmp_path / "data.jsonl", tmp_path / "m.json"
    with data.open("w", encoding="utf-8") as file:
        for _ in range(300):
            orders = [{"days": int(rng.integers(99)), "items": rng.integers(99, size=3).tolist()} for _ in range(4)]
            file.write(
                json.dumps({"age": int(rng.integers(99)), "orders": orders, "left": int(rng.integers(2))}) + "\n"
            )
    given = ["fit", str(data), "--target", "left", "--type", "left=nominal", "-o", str(out)]
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(looks), *given], capture_output=True, text=True, check=False
    )
    assert done.returncode == 130, done.stderr
    assert "Traceback" not in done.stderr
    assert out.exists() or "error: stopped" in done.stderr
    assert out.exists() == (looks > 0)
    if out.exists():
        assert len(load_model(out).predict(open_data(data).population)) == 300


def test_after_ctrl_c_the_folds_so_far_are_kept(monkeypatch):
    """Growing a tree answers Ctrl-C with the tree so far; such a fold is worth nothing, and the rest is not begun."""
    calls = pressing(monkeypatch, StructuralTreeClassifier, "fit", at=4)
    result = run("cv", "lenses", "--folds", 6, "--repeats", 1, "--json")
    assert result.exit_code == 130, result.output
    assert "interrupted: completed 3 of 6 folds" in result.stderr
    assert len(json.loads(result.stdout)["scores"]) == 3
    assert len(calls) == 4


def test_ctrl_c_before_there_is_anything_says_stopped(monkeypatch):
    pressing(monkeypatch, validate, "_fit")
    assert fail("cv", "lenses", code=130) == "error: stopped\n"


@pytest.mark.parametrize("command", ["show", "predict", "explain"])
def test_ctrl_c_ends_commands_that_use_a_model_at_once(monkeypatch, tmp_path, command):
    path = tmp_path / "m.json"
    succeed("fit", "lenses", "-o", path)
    pressing(monkeypatch, model_files, "load_model")
    assert fail(command, path, *([] if command == "show" else ["lenses"]), code=130) == "error: stopped\n"


def test_a_pipe_gets_no_progress(capfd):
    succeed("fit", "lenses", "--json")
    succeed("cv", "lenses", "--folds", 3, "--repeats", 1)
    assert capfd.readouterr().err == ""


class Terminal(io.StringIO):
    def isatty(self):
        return True


def shown_live(monkeypatch, *progress):
    """Return what a terminal of 200 columns shows at last of some progress."""
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr("structtree.cli.progress.Timer", AtOnce)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "200")
    with live_status("preparing"):
        for each in progress:
            report(each)
    return re.sub("\x1b\\[[0-9;?]*[A-Za-z]", "", sys.stderr.getvalue())


class AtOnce:
    """A timer that does not wait."""

    def __init__(self, seconds, function):
        self.start = function

    def cancel(self):
        """There is nothing to wait for."""

    join = cancel


def test_a_terminal_gets_a_live_line(monkeypatch):
    searching = Progress(3, 2, 8, 20, 12_340, depth=2, best=0.95, gap=0.05, criterion="acc*", seconds=2.0)
    shown = shown_live(monkeypatch, replace(searching, seconds_left=61.0, tree=2, trees=6))
    for part in ("growing tree 2 of 6", "40%", "at most 1:01 left", "node 4 at depth 2"):
        assert part in shown
    assert "12,340 predicates, 6,170/s · best acc* 0.95, gap 0.05" in shown
    assert "acc* 0.750" in shown_live(monkeypatch, FoldDone("acc*", 1, 10, 0.75))


def test_what_is_read_is_told_on_a_terminal_and_controls_it_not(monkeypatch):
    shown = shown_live(monkeypatch, Status("reading", 1, 4, ("table \x1b[31m",)))
    assert "reading" in shown and "25%" in shown and "table \\x1b[31m" in shown


# ---- wrong input ----------------------------------------------------------------------------------------


def test_an_unknown_target_is_answered_with_the_nearest(table):
    path = table("x,class", "1,a", "2,b")
    for command in ("fit", "cv"):
        assert "did you mean 'class'" in fail(command, path, "--target", "clas")
        assert "to predict with --target (it has" in fail(command, path, code=2)
        assert "did you mean 'trains'" in fail(command, "trians")


def test_a_missing_or_broken_model_file(tmp_path, trains):
    assert "did you mean 'trains.json'" in fail("show", trains.with_name("trans.json"))
    (tmp_path / "other.json").write_text('{"a": 1}', encoding="utf-8")
    (tmp_path / "broken.json").write_text(trains.read_text(encoding="utf-8")[:500], encoding="utf-8")
    for command in (["show"], ["predict", "trains"], ["explain", "trains"]):
        name, *data = command
        assert "not a structtree model" in fail(name, tmp_path / "other.json", *data)
        assert "invalid JSON" in fail(name, tmp_path / "broken.json", *data)


def test_data_of_another_schema(trains):
    for command in ("predict", "explain"):
        sentence = fail(command, trains, "lenses")
        assert "the model needs the link 'cars' of type 'Row', which the data lacks" in sentence


def test_a_row_that_is_not_there(trains):
    for row in (20, -1):
        sentence = fail("explain", trains, "trains", "--row", row, code=2)
        assert sentence == f"error: --row must be from 0 to 19, since there are 20 individuals; got {row}\n"


def test_an_unknown_criterion_is_answered_with_the_nearest():
    assert "did you mean 'entropy'" in fail("cv", "lenses", "--compare", "acc*,entropi", code=2)
    assert "did you mean 'entropy'" in fail("fit", "lenses", "--criterion", "entropi", code=2)


@pytest.mark.parametrize("command", ["fit", "predict"])
def test_a_file_that_cannot_be_written_is_refused_before_the_work(command, trains, tmp_path):
    given = [command, *([trains] if command == "predict" else []), "trains", "-o"]
    assert f"folder {tmp_path / 'none'} does not exist" in fail(*given, tmp_path / "none" / "out.json")
    assert "it is a folder" in fail(*given, tmp_path)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["fit", "lenses", "--max-depth", 0], "--max-depth must be"),
        (["fit", "lenses", "--stop", "soon"], "--stop must be"),
        (["fit", "lenses", "--time-limit", 0], "--time-limit must be"),
        (["fit", "lenses", "--post-prune", "hard"], "--post-prune must be"),
        (["fit", "lenses", "--alpha", "much"], "--alpha takes a number"),
        (
            ["fit", "lenses", "--alpha", 1, "--post-prune", "pessimistic"],
            "ccp_alpha is for post_prune='cost",
        ),
        (["fit", "lenses", "--cost", "none=5"], "not a pair of classes"),
        (["fit", "lenses", "--cost", "none:soft"], "TRUE:PREDICTED=COST"),
        (["fit", "lenses", "--cost", "none:sott=1"], "did you mean 'none:soft'"),
        (["fit", "lenses", "--class-weight", "sott=1"], "did you mean 'soft'"),
        (["fit", "lenses", "--class-weight", "soft"], "CLASS=WEIGHT"),
        (["fit", "hammond", "--cost", "a:b=1"], "--cost is for classes"),
        (["fit", "lenses", "--criterion", "mse"], "the criterion or task is for numbers"),
        (["fit", "hammond", "--post-prune", "pessimistic"], "pessimistic pruning is for classes"),
        (["fit", "lenses", "--strategy", "magic"], "--strategy must be"),
        (
            ["fit", "trains", "--effort", "fast"],
            "--effort must be 'quick', 'normal', 'thorough' or 'prove'; got 'fast'",
        ),
        (["cv", "lenses", "--folds", 1], "folds must be"),
        (["cv", "lenses", "--repeats", 0], "repeats must be"),
        (["cv", "lenses", "--time-limit", 0], "--time-limit must be"),
        (["cv", "lenses", "--compare", "gini"], "two or more criteria"),
        (["cv", "lenses", "--compare", "gini,mse"], "'mse' is for numbers and 'gini' for classes"),
        (["cv", "lenses", "--compare", "acc*,gini", "--criterion", "gini"], "mutually exclusive"),
        (["cv", "lenses", "--min-samples-leaf", 0], "--min-samples-leaf must be"),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, list) else "",
)
def test_wrong_usage_exits_with_2(options, words):
    assert words in fail(*options, code=2)


def test_the_depth_of_a_text_is_refused_for_anything_else(trains):
    assert "--max-depth is for text and pictures of a tree, not for rules" in fail(
        "show", trains, "--format", "rules", "--max-depth", 1, code=2
    )
    assert "not for json" in fail("show", trains, "--json", "--max-depth", 1, code=2)


def test_options_for_classes_are_refused_for_numbers_by_their_names():
    for given in (["--leaf-estimate", "laplace"], ["--class-weight", "a=1"], ["--average-gain-filter"]):
        assert f"{given[0]} is for classes, but the target is a number" in fail("fit", "hammond", *given, code=2)
        assert f"{given[0]} is for classes, but the target is a number" in fail("cv", "hammond", *given, code=2)


def test_an_unknown_format_of_a_model(trains, hammond):
    assert "did you mean 'rules'" in fail("show", trains, "--format", "rule", code=2)
    assert "use its rules instead" in fail("show", hammond, "--format", "formula", code=2)


def test_every_command_about_trees_takes_a_seed_and_a_time_limit(trains):
    for command in (["show", trains], ["predict", trains, "trains"], ["explain", trains, "trains"]):
        assert json.loads(succeed(*command, "--seed", 1, "--time-limit", 5, "--json"))
    assert json.loads(succeed("fit", "lenses", "--seed", 1, "--time-limit", 5, "--json"))["leaves"] > 1


# ---- what the documents show ----------------------------------------------------------------------------


def command_lines(document):
    lines = (REPOSITORY / document).read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.startswith("    structtree ")]


@pytest.mark.parametrize("document", ["README.md", "docs/tutorial.md"])
def test_the_command_lines_of_the_documents_run(document, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = command_lines(document)
    assert len(lines) >= 5
    for line in lines:
        succeed(*shlex.split(line)[1:])


def test_the_tree_of_the_readme_is_the_one_that_is_printed():
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    assert "".join(f"    {line}\n" for line in TREE.splitlines()) in text


# ---- how the model's own data was read ------------------------------------------------------------------

BAGS = "bag;f1;label\nb1;1,5;yes\nb1;2,5;yes\nb2;0,5;no\nb3;3,5;yes\nb4;0,25;no\nb4;0,75;no\n"
AS_BAGS = ("--group", "bag", "--link", "rows", "--delimiter", ";", "--decimal", ",")


@pytest.fixture
def bags(tmp_path):
    """A table that must be told how to be read, and a model learned from it."""
    path, model = tmp_path / "bags.csv", tmp_path / "bags.json"
    path.write_text(BAGS)
    succeed("fit", path, "--target", "label", "-o", model, *AS_BAGS)
    return path, model


def test_new_data_is_read_as_the_data_of_the_model_was(bags):
    path, model = bags
    result = run("predict", model, path)
    assert result.exit_code == 0
    assert [line.split(",")[:3] for line in result.stdout.splitlines()] == [
        ["row", "bag", "prediction"],
        *(["0123"[i], f"b{i + 1}", ["yes", "no"][i % 2]] for i in range(4)),
    ]
    assert "note: read like the training data: decimal ,, delimiter ;, group bag, link rows" in result.stderr
    assert "yes" in succeed("explain", model, path, "--row", 2)


def test_what_is_said_about_new_data_counts_more(bags, tmp_path):
    _, model = bags
    other = tmp_path / "other.csv"
    other.write_text(BAGS.replace(",", ".").replace(";", ","))
    told = succeed("predict", model, other, "--delimiter", ",", "--decimal", ".")
    assert [line.split(",")[2] for line in told.splitlines()[1:]] == ["yes", "no", "yes", "no"]


def test_a_file_of_another_kind_is_read_by_itself(bags, tmp_path):
    _, model = bags
    other = tmp_path / "bags.jsonl"
    other.write_text('{"rows": [{"f1": 9.5}]}\n{"rows": [{"f1": 0.1}]}\n')
    assert [line.split(",")[1] for line in succeed("predict", model, other).splitlines()[1:]] == ["yes", "no"]


def test_how_a_folder_was_read_says_nothing_about_a_data_set(tmp_path):
    folder, model = tmp_path / "RINGS", tmp_path / "model.json"
    folder.mkdir()
    for part, lines in {
        "A": ["1, 2", "2, 1", "3, 4", "4, 3"],
        "graph_indicator": [1, 1, 2, 2],
        "graph_labels": [0, 1],
        "node_labels": [5, 5, 6, 6],
    }.items():
        (folder / f"RINGS_{part}.txt").write_text("".join(f"{line}\n" for line in lines))
    succeed("fit", folder, "--individual", "Node", "--target", "label", "-o", model)
    assert "read like the training data: individual Node" in run("predict", model, folder).stderr
    assert "read as" not in run("predict", model, "trains").stderr


@pytest.mark.parametrize(
    ("option", "value"), [("delimiter", 7), ("group", ["bag"]), ("header", "no"), ("types", "a=int")]
)
def test_a_model_file_that_says_nonsense_about_reading_is_refused(bags, option, value):
    path, model = bags
    document = json.loads(model.read_text())
    document["reading"]["options"][option] = value
    model.write_text(json.dumps(document))
    said = fail("predict", model, path, code=1)
    assert f"invalid reading option: {option} is {value!r}" in said


# ---- odd data is told of --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "remark"),
    [
        ("a,b,y\n1,,no\n3,,yes\n", "note: b has no values, so no test can use it"),
        ("a,y\n1,no\n3,no\n", "note: all labels are identical: y is no for all 2 individuals"),
        (
            "a,y\n1,No\n3,yes\n2,n o\n4,no\n",
            "note: classes of y differ only in case or spaces: 'No' and 'n o' and 'no'; if they are the same, rename "
            "them",
        ),
        (
            "a,y\n1,no\n3,yes\n4.5,no\nnone,yes\n6,no\n",
            "note: a is nominal because of non-numeric values such as 'none' (individual 3); "
            "if they mark missing values, use --missing-word none",
        ),
    ],
)
def test_a_table_that_is_odd_is_learned_from_and_told_of(tmp_path, text, remark):
    path = tmp_path / "odd.csv"
    path.write_text(text)
    result = run("fit", path, "--target", "y")
    assert result.exit_code == 0
    assert [line for line in result.stderr.splitlines() if line.startswith("note:")] == [remark]


def test_what_is_declared_to_be_nominal_is_not_odd(tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text("a,y\n1,no\n3,yes\n4.5,no\nnone,yes\n6,no\n")
    assert run("fit", path, "--target", "y", "--type", "a=nominal").stderr == ""
    path = tmp_path / "doors.arff"
    path.write_text(
        "@relation r\n@attribute a {2,3,4,5more}\n@attribute y {no,yes}\n@data\n2,no\n3,yes\n4,no\n5more,no\n"
    )
    assert run("fit", path, "--target", "y").stderr == ""


def test_a_table_that_is_not_odd_is_not_remarked_on(tmp_path):
    path = tmp_path / "plain.csv"
    path.write_text("a,b,y\n1,x,no\n3,y,yes\n,x,no\n")
    assert run("fit", path, "--target", "y").stderr == ""
