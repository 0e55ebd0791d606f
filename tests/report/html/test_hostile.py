"""Strings from data stay text on the terminal and in tables, whatever is in them."""

import csv
import io
import json
import re

import pytest

from structtree.cli.common import print_exactly, print_tree
from structtree.models.files.models import load_model
from structtree.report.spans import cells
from tests.cli.test_commands import run
from tests.report.pictures.test_trees import HOSTILE

CONTROLS = ("\x1b", "\r", "\u202e")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    with (folder / "data.jsonl").open("w", encoding="utf-8") as file:
        for _ in range(3):
            for i, label in enumerate(HOSTILE):
                parts = [{name: i == k for k, name in enumerate(HOSTILE)}, {"kind": label}]
                file.write(json.dumps({"label": label, "id": f"{label} {i}", "parts": parts}) + "\n")
    return folder


@pytest.mark.parametrize(
    "words",
    [
        ["show", "model.json"],
        ["show", "model.json", "--words"],
        ["show", "model.json", "--format", "rules"],
        ["show", "model.json", "--format", "rules", "--words"],
        ["show", "model.json", "--format", "formula"],
        ["show", "model.json", "--format", "svg", "--words"],
        ["show", "model.json", "--format", "dot"],
        ["explain", "model.json", "data.jsonl", "--row", "1"],
        ["explain", "model.json", "data.jsonl", "--row", "2", "--words"],
        ["cv", "data.jsonl", "--target", "label", "--folds", "3", "--repeats", "1", "--ignore", "id"],
        ["data", "info", "data.jsonl"],
    ],
    ids=" ".join,
)
def test_what_is_printed_controls_no_terminal(folder, monkeypatch, words):
    monkeypatch.chdir(folder)
    fitted = run("fit", "data.jsonl", "--target", "label", "--ignore", "id", "-o", "model.json", "--grow", "full")
    assert fitted.exit_code == 0, fitted.stderr
    found = run(*words)
    assert found.exit_code == 0, found.stderr
    for text in (fitted.stdout, fitted.stderr, found.stdout, found.stderr):
        assert not any(sign in text for sign in CONTROLS)


class Terminal(io.StringIO):
    """What is printed on a terminal."""

    def isatty(self):
        return True


@pytest.mark.parametrize("colours", [True, False])
def test_on_a_terminal_there_are_colours_and_nothing_else_that_controls_it(folder, monkeypatch, colours):
    monkeypatch.chdir(folder)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("NO_COLOR", "" if colours else "1")
    run("fit", "data.jsonl", "--target", "label", "--ignore", "id", "-o", "model.json", "--grow", "full")
    screen = Terminal()
    monkeypatch.setattr("sys.stdout", screen)
    print_tree(load_model("model.json"))
    text = screen.getvalue()
    plain = re.sub("\x1b\\[[0-9;]*m", "", text)
    assert not any(sign in plain for sign in CONTROLS)
    assert ("\x1b[38;5;" in text) == colours
    assert all(cells(line) <= 40 for line in plain.splitlines())


def test_predictions_on_a_terminal_control_nothing(monkeypatch):
    text = "".join(f"{label}\n" for label in HOSTILE)
    for screen, is_exact in ((Terminal(), False), (io.StringIO(), True)):
        monkeypatch.setattr("sys.stdout", screen)
        print_exactly(text)
        assert (screen.getvalue() == text) == is_exact
        assert is_exact or not any(sign in screen.getvalue() for sign in CONTROLS)


def test_predictions_keep_what_the_data_says(folder, monkeypatch):
    monkeypatch.chdir(folder)
    run("fit", "data.jsonl", "--target", "label", "--ignore", "id", "-o", "model.json", "--grow", "full")
    found = run("predict", "model.json", "data.jsonl", "-o", "out.csv")
    assert found.exit_code == 0, found.stderr
    with (folder / "out.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(io.StringIO(file.read(), newline="")))
    assert len(rows) == 3 * len(HOSTILE) and {row["prediction"] for row in rows} <= set(HOSTILE)
