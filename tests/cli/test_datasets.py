"""`structtree datasets` lists what has a name, and `structtree datasets get` brings what other packages carry."""

from __future__ import annotations

import json
from functools import partial

import pytest

from structtree.data.datasets import catalog
from structtree.data.datasets.catalog import Entry, load_dataset
from structtree.data.datasets.files import read_files
from tests.cli.test_commands import fail, run, succeed
from tests.toy_wheels import make_wheel, offer_only, toy_source

FILES = {"a.csv": b"size,class\n1,small\n2,small\n9,large\n"}


@pytest.fixture(autouse=True)
def toy(tmp_path, monkeypatch):
    """One more set in the catalog."""
    entry = Entry(
        "toy",
        "Three toys.",
        "made up here",
        "class",
        wheel=toy_source(FILES),
        _make=partial(read_files, files=["a.csv"]),
    )
    known = {**catalog._entries(), "toy": entry}
    monkeypatch.setattr(catalog, "_entries", lambda: known)
    monkeypatch.setenv("STRUCTTREE_DATA", str(tmp_path / "kept"))
    return tmp_path


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    return offer_only(tmp_path / "shelf", monkeypatch)


def test_sets_of_other_packages_are_listed_with_the_package():
    packages = {entry["name"]: entry["package"] for entry in json.loads(succeed("datasets", "--json"))}
    assert packages["trains"] is None
    assert packages["mutag"] == "grakel==0.1.11"
    before, after = succeed("datasets").split("structtree datasets get NAME")
    assert "trains" in before
    assert "musk-1" in after


def test_get_has_help_with_an_example():
    assert "structtree datasets get mutag" in " ".join(succeed("datasets", "get", "--help").split())


def test_getting_a_set_says_where_it_is_and_what_to_do_next(toy, shelf):
    make_wheel(shelf, FILES)
    where = toy / "kept" / "toy"
    assert succeed("datasets", "get", "toy") == (f"toy is in {where}; describe it with: structtree data info toy\n")
    assert json.loads(succeed("datasets", "get", "toy", "--json")) == {"name": "toy", "folder": str(where)}


def test_a_set_is_fetched_when_it_is_first_used(toy, shelf):
    make_wheel(shelf, FILES)
    assert json.loads(succeed("data", "info", "toy", "--json"))["target"]["summary"] == "small 2, large 1"
    shelf.rename(toy / "gone")
    assert load_dataset("toy").population.column("size").values.tolist() == [1, 2, 9]


def test_a_local_copy_will_do(toy):
    wheel = make_wheel(toy / "mine", FILES)
    succeed("datasets", "get", "toy", "--from", wheel)
    succeed("datasets", "get", "toy", "--from", wheel.parent, "--force")
    assert len(load_dataset("toy").population) == 3


def test_a_wrong_copy_is_refused_with_both_digests(toy):
    wheel = make_wheel(toy / "mine", {"a.csv": b"size,class\n"})
    sentence = fail("datasets", "get", "toy", "--from", wheel)
    assert toy_source(FILES).digests["a.csv"] in sentence
    assert toy_source({"a.csv": b"size,class\n"}).digests["a.csv"] in sentence
    assert sentence.endswith("nothing was kept\n")


@pytest.mark.usefixtures("shelf")
def test_a_set_that_cannot_be_fetched_is_told_in_one_sentence():
    for command in (("datasets", "get", "toy"), ("data", "info", "toy")):
        sentence = fail(*command)
        assert sentence.startswith("error: cannot get toy: pip could not download toys==1.0 (")
        assert sentence.endswith("with: structtree datasets get toy --from DIR\n")
        assert sentence.count("\n") == 1


def test_a_set_that_comes_with_the_package_need_not_be_got():
    assert succeed("datasets", "get", "lenses") == "lenses is included in structtree; nothing to fetch\n"
    assert json.loads(succeed("datasets", "get", "trains", "--json")) == {"name": "trains", "folder": None}


def test_an_unknown_name_is_answered_with_the_nearest():
    assert fail("datasets", "get", "musk1") == "error: unknown dataset 'musk1' (did you mean 'musk-1'?)\n"


def test_an_attribute_of_a_built_in_dataset_is_read_as_another_kind_and_the_model_remembers_it(tmp_path):
    model = tmp_path / "m.json"
    succeed("fit", "dolphins", "--type", "length=nominal", "-o", model)
    said = run("predict", model, "dolphins")
    assert said.exit_code == 0
    assert "read like the training data: types length=nominal" in said.output
