"""Data from standard input and from pipes: the same data as from a file, and errors that name the stream."""

from __future__ import annotations

import gzip
import json
import os
import sys
import tempfile
import threading
from io import BytesIO, TextIOWrapper
from pathlib import Path

import networkx as nx
import pytest
from typer.testing import CliRunner

from structtree import open_data
from structtree.cli import app
from structtree.data.readers.streams import guessed_extension
from structtree.errors import DataError, UsageError
from tests.data.sameness import same_population

CSV = b"x,y\n1,a\n2,b\n3,a\n4,b\n"
JSONL = b'{"x": 1, "y": "a"}\n{"x": 2, "y": "b"}\n'
ARFF = b"% about\n\n@RELATION r\n@attribute x numeric\n@attribute y {a,b}\n@data\n1,a\n2,b\n"
SDF = (
    b"\n  made\n\n  1  0  0  0  0  0  0  0  0  0999 V2000\n"
    b"    0.0000    0.0000    0.0000 C   0  0  0  0  0  0  0  0  0  0  0  0\nM  END\n$$$$\n"
)

OPENINGS = {
    CSV: ".csv",
    b"\xef\xbb\xbfx;y\n1;2\n": ".csv",
    JSONL: ".jsonl",
    b'\n [{"x": 1}]': ".json",
    ARFF: ".arff",
    SDF: ".sdf",
    SDF.replace(b"\n", b"\r\n"): ".sdf",
    b"<?xml version='1.0'?><graphml/>": ".graphml",
    b'Creator "x"\nVersion 1\ngraph\n[\n': ".gml",
    b"graph [ directed 0 ]": ".gml",
    b"PAR1\x15\x04": ".parquet",
    b"ARROW1\0\0": ".arrow",
    b"graph,size\n1,2\n": ".csv",
    b"[CH4],1\n": ".csv",
}


@pytest.fixture
def sent(monkeypatch):
    """A function that puts bytes on standard input."""

    def send(content):
        monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(content)))

    return send


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """The folder of temporary files, which must be empty afterwards."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("head", OPENINGS, ids=lambda head: repr(head[:12]))
def test_the_format_is_guessed_from_the_first_bytes(head):
    assert guessed_extension(head) == OPENINGS[head]


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "packed"])
@pytest.mark.parametrize("content", [CSV, JSONL, ARFF, SDF], ids=["csv", "jsonl", "arff", "sdf"])
def test_standard_input_is_read_as_a_file_would_be(content, pack, sent, temporary, tmp_path):
    file = tmp_path / f"a{OPENINGS[content]}"
    file.write_bytes(content)
    sent(pack(content))
    expected, found = open_data(file), open_data("-")
    assert same_population(found.population, expected.population)
    assert found.target_name == expected.target_name
    assert (found.name, found.source) == ("standard input", "standard input")


def test_a_graph_can_come_from_standard_input(sent, temporary):
    for text in (nx.generate_gml(nx.path_graph(3)), nx.generate_graphml(nx.path_graph(3))):
        sent("\n".join(text).encode())
        assert open_data("-").population.table("Node").n_rows == 3


def test_a_named_pipe_is_read_once(temporary, tmp_path):
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    thread = threading.Thread(target=pipe.write_bytes, args=[JSONL])
    thread.start()
    assert len(open_data(pipe, target="y").population) == 2
    thread.join()


@pytest.mark.parametrize(
    ("content", "options", "error", "message"),
    [
        (b"", {}, DataError, "^standard input: no data"),
        (b"x,y\n1\n", {}, DataError, "^standard input:2: expected 2 fields"),
        (gzip.compress(CSV, mtime=0)[:-9], {}, DataError, "^standard input: not a complete gzip file"),
        (b"\0\1\2", {}, DataError, "^standard input: a binary file"),
        (CSV, {"format": "tu"}, UsageError, "several files"),
        (CSV, {"format": "cvs"}, UsageError, "unknown format 'cvs'.*'csv'"),
        (CSV, {"format": "jsonl"}, DataError, "^standard input:1: broken JSON"),
        (CSV, {"target": "z"}, LookupError, "unknown attribute 'z'"),
    ],
)
def test_errors_name_the_stream_and_never_the_temporary_file(content, options, error, message, sent, temporary):
    sent(content)
    with pytest.raises(error, match=message) as caught:
        open_data("-", **options)
    assert str(temporary) not in str(caught.value)


def test_warnings_name_the_stream_and_never_the_temporary_file(sent, temporary):
    sent(b"smiles,y\nCCO,1\nC1CC,2\n")
    with pytest.warns(UserWarning, match="^standard input: skipped 1 of 2 molecules") as caught:
        open_data("-", skip_bad=True)
    assert [each.message.rows for each in caught] == [(1,)]


def test_a_terminal_and_no_standard_input_are_refused(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(UsageError, match="no standard input"):
        open_data("-")
    main, terminal = os.openpty()
    with os.fdopen(terminal) as stdin, os.fdopen(main):
        monkeypatch.setattr(sys, "stdin", stdin)
        with pytest.raises(UsageError, match="standard input is a terminal"):
            open_data("-")


COMMANDS = {
    "fit - --target y -o {model}": "saved",
    "predict {model} -": "row,",
    "explain {model} - --row 1": "true label: b",
    "cv - --target y --folds 2 --repeats 1": "accuracy",
    "effort - --target y --criterion gini": "gini",
    "data info - --target y": "standard input: 4 individuals",
    "data convert - -": '{"x":1,"y":"a"}',
    "grammar derive - --target y -o {grammar}": "wrote",
    "grammar check {grammar} --data -": "fine",
    "grammar count {grammar} --data -": "",
    "grammar show {grammar} --data -": "individual Row",
    "grammar draw {grammar} --data - -o {picture}": "drew",
}


def test_every_command_that_takes_data_takes_standard_input(temporary, tmp_path):
    places = {"model": tmp_path / "m.json", "grammar": tmp_path / "g.grammar", "picture": tmp_path / "p.dot"}
    for command, said in COMMANDS.items():
        done = CliRunner().invoke(app, command.format(**places).split(), input=CSV)
        assert done.exit_code == 0, (command, done.output)
        assert said in done.output, (command, done.output)
    assert json.loads(places["model"].read_text())["target"] == "y"
    assert Path("-").exists() is False
