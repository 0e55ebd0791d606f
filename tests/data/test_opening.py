"""Opening data: by name or by path, and with a target that not everybody has."""

from __future__ import annotations

import pytest

from structtree import open_data
from structtree.errors import DataError, MissingFileError, UnknownNameError, UsageError


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("x,y\n1,a\n2,\n3,b\n", encoding="utf-8")
    return file


def test_individuals_without_a_target_are_refused_or_left_out(path):
    with pytest.raises(DataError, match="the target 'y' has no value"):
        open_data(path, target="y")
    with pytest.warns(UserWarning, match="left out 1 of 3 individuals, which have no y"):
        found = open_data(path, target="y", unlabelled="leave out")
    assert found.target.tolist() == ["a", "b"]
    assert found.population.column("x").values.tolist() == [1.0, 3.0]


def test_a_target_that_nobody_has_is_refused_in_any_case(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("x,y\n1,\n2,\n", encoding="utf-8")
    with pytest.raises(DataError, match="the target 'y' has no value"):
        open_data(file, target="y", unlabelled="leave out")


def test_attributes_can_be_left_out(path):
    population = open_data(path).population
    assert population.without("x").record(0) == {"y": "a"}
    assert population.without("x", "y").schema.type("Row").members == ()
    with pytest.raises(UnknownNameError, match="unknown attribute 'z'"):
        population.without("z")


def test_a_data_set_with_a_name_is_not_read_and_takes_no_options():
    with pytest.raises(UsageError, match="individual says how to read a file, and trains is a data set with a name"):
        open_data("trains", individual="Car")


def test_a_path_that_is_not_there_is_answered_with_what_is_near(path):
    with pytest.raises(MissingFileError, match=r"neither a file nor a data set \(did you mean '.*a\.csv'"):
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
