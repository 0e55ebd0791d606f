"""Opening data: by name or by path, and with a target that not everybody has."""

from __future__ import annotations

import re

import pytest

from structtree import load_dataset, open_data
from structtree.errors import DataError, MissingFileError, UnknownNameError, UsageError


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("x,y\n1,a\n2,\n3,b\n", encoding="utf-8")
    return file


def test_individuals_without_a_target_are_refused_or_left_out(path):
    with pytest.raises(DataError, match="the target 'y' has no value"):
        open_data(path, target="y")
    with pytest.warns(UserWarning, match="skipped 1 of 3 individuals without a value for y"):
        found = open_data(path, target="y", unlabelled="leave out")
    assert found.target.tolist() == ["a", "b"]
    assert found.population.column("x").values.tolist() == [1.0, 3.0]


def test_a_target_that_nobody_has_is_refused_in_any_case(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("x,y\n1,\n2,\n", encoding="utf-8")
    with pytest.raises(DataError, match="the target 'y' is missing for all 2 individuals"):
        open_data(file, target="y", unlabelled="leave out")


def test_attributes_can_be_left_out(path):
    population = open_data(path).population
    assert population.without("x").record(0) == {"y": "a"}
    assert population.without("x", "y").schema.type("Row").members == ()
    with pytest.raises(UnknownNameError, match="unknown attribute 'z'"):
        population.without("z")


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        (
            "trains",
            {"individual": "Car"},
            "--individual (individual=...) does not apply to trains, a built-in dataset whose",
        ),
        (
            "dolphins",
            {"delimiter": ";"},
            "--delimiter (delimiter=...) does not apply to dolphins, a built-in dataset whose",
        ),
        (
            "dolphins",
            {"format": "csv"},
            "--format (format=...) does not apply to dolphins, a built-in dataset whose files",
        ),
        (
            "dolphins",
            {"hydrogens": "explicit"},
            "does not apply to dolphins, a built-in dataset without a SMILES column",
        ),
        (
            "monks-1",
            {"types": {"a1": "int"}},
            "--type (types=...) does not apply to monks-1, a built-in dataset that is gen",
        ),
        (
            "trains",
            {"condition": "1"},
            "--where (condition=...) does not apply to trains, a built-in dataset whose files are",
        ),
    ],
)
def test_an_option_of_reading_that_a_built_in_dataset_has_no_use_for_is_refused_by_name(name, options, message):
    with pytest.raises(UsageError, match=re.escape(message)):
        open_data(name, **options)


def test_the_attributes_of_a_built_in_dataset_can_be_read_as_another_kind():
    assert open_data("dolphins").population.column("length").kind == "int"
    assert open_data("dolphins", types={"length": "nominal"}).population.column("length").kind == "nominal"
    assert open_data("dolphins", types={"Row.length": "nominal"}).population.column("length").kind == "nominal"
    cars = open_data("trains", types={"wheels": "nominal"}).population.schema.type("Car")
    assert cars.attribute("wheels").kind == "nominal"
    assert load_dataset("hammond").task == "numbers"
    assert load_dataset("hammond", types={"price": "nominal"}).task == "classes"
    with pytest.raises(UnknownNameError, match=r"'lenght'"):
        open_data("dolphins", types={"lenght": "nominal"})


def test_a_path_that_is_not_there_is_answered_with_what_is_near(path):
    with pytest.raises(MissingFileError, match=r"neither a file nor a dataset \(did you mean '.*a\.csv'"):
        open_data(path.with_name("a.cvs"))
    with pytest.raises(MissingFileError, match="did you mean 'trains'"):
        open_data("trians")


def test_a_file_goes_before_a_data_set_of_that_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lenses").write_text("x,y\n1,a\n2,b\n", encoding="utf-8")
    assert len(open_data("lenses", format="csv").population) == 2


def test_a_data_set_may_have_another_target():
    found = open_data("lenses", target="tear_rate")
    assert (found.target_name, sorted(set(found.target))) == ("tear_rate", ["normal", "reduced"])
