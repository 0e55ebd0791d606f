"""Models that older versions wrote are loaded, and say what those versions said."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from structtree import explain, export_text, load_model, open_data, save_model
from tests.cli.test_commands import run

OLD = Path(__file__).parent / "old_files"
DATA = {
    "weather": "weather.csv",
    "multiway": "weather.csv",
    "houses": "houses.csv",
    "bank": "bank.sqlite",
    "alcohols": "alcohols.csv",
    "facts": "facts",
    "rivals": "rivals.jsonl",
}
READ_BY = {
    "weather": {"delimiter": ";", "missing_words": ["-"]},
    "multiway": {"delimiter": ";", "missing_words": ["-"]},
    "bank": {"individual": "loan", "as_of": "date"},
    "alcohols": {"largest_fragment": True},
    "facts": {"individual": "Train"},
    "rivals": {"individual": "Train"},
}


@pytest.fixture(params=DATA)
def old(request, tmp_path):
    """The name of an old file, in a folder with the data of all of them."""
    folder = tmp_path / "old"
    shutil.copytree(OLD, folder)
    with closing(sqlite3.connect(folder / "bank.sqlite")) as bank:
        bank.executescript((OLD / "bank.sql").read_text())
    return folder / request.param


def said_of(model, folder, name):
    """Predictions, text and an explanation, as the expected files have them."""
    predicted = run("predict", str(model), str(folder / DATA[name]))
    assert predicted.exit_code == 0, predicted.stderr
    loaded, data = load_model(model), open_data(folder / DATA[name], **READ_BY.get(name, {}))
    return f"{predicted.stdout}{export_text(loaded)}\n{explain(loaded, data.population, 1)}\n"


def test_an_old_file_says_what_it_said_then(old):
    expected = old.with_suffix(".txt").read_text()
    assert said_of(old.with_suffix(".json"), old.parent, old.name) == expected


def test_an_old_file_that_is_saved_again_says_the_same(old, tmp_path):
    save_model(load_model(old.with_suffix(".json")), tmp_path / "again.json")
    assert said_of(tmp_path / "again.json", old.parent, old.name) == old.with_suffix(".txt").read_text()
