"""The options of reading are declared once, and the checks, the formats and the command line follow from that."""

from __future__ import annotations

import sys

import pytest
from typer.testing import CliRunner

from structtree.cli import app
from structtree.data.readers.opening import open_data
from structtree.data.readers.options import reading_options
from structtree.data.readers.sources import FILE_FORMATS, read_data
from structtree.errors import UsageError


def test_every_option_is_for_some_format_and_every_option_of_a_format_is_declared():
    used = {option for known in FILE_FORMATS.values() for option in known.options}
    assert used == reading_options().keys() - {"format"}


def test_every_option_that_has_a_text_is_on_the_command_line():
    shown = CliRunner().invoke(app, ["data", "info", "--help"], env={"COLUMNS": "200"}).output
    for option in reading_options().values():
        if option.panel:
            assert option.flag.partition("/")[0] in shown
            assert option.help[:30] in shown


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"delimeter": ";"}, r"reading has no option 'delimeter' \(did you mean 'delimiter'\?\)"),
        ({"delimiter": 3}, "delimiter must be a string; got 3"),
        ({"header": "yes"}, "header must be True or False; got 'yes'"),
        ({"names": "a"}, "names must be a list of strings; got 'a'"),
        ({"missing_words": [0]}, r"missing_words must be a list of strings; got \[0\]"),
        ({"types": ["a"]}, r"types must be a mapping from names to kinds; got \['a'\]"),
        ({"decimal": ";"}, "decimal must be '.' or ','; got ';'"),
    ],
)
def test_a_wrong_option_is_refused_by_name(tmp_path, options, sentence):
    path = tmp_path / "a.csv"
    path.write_text("a;b\n1;2\n")
    for read in (read_data, open_data):
        with pytest.raises(UsageError, match=sentence):
            read(path, **options)


@pytest.fixture
def n_openings():
    """A function that calls another and tells how often a file was opened meanwhile."""
    seen: list[str] | None = None

    def hook(event, args):  # it cannot be taken away again, only made idle
        if seen is not None and event == "open":
            seen.append(str(args[0]))

    sys.addaudithook(hook)

    def count(path, call):
        nonlocal seen
        seen = []
        try:
            call()
            return seen.count(str(path))
        finally:
            seen = None

    return count


def test_a_table_of_molecules_is_opened_once_for_its_layout_and_once_for_its_values(tmp_path, n_openings):
    pytest.importorskip("rdkit")
    path = tmp_path / "molecules.csv"
    path.write_text("smiles;logs|x\nCCO;1,5|a\nCCC;2,5|b\n")
    assert n_openings(path, lambda: read_data(path, decimal=",")) == 2
