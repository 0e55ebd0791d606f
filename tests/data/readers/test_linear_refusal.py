"""Text that is wrong is refused in linear time, whatever the reader.

Nothing here looks at a clock: each text is so long that a regular expression which tries all ways to divide it, of
which there are at least ten thousand millions, would not come to an end.
"""

from __future__ import annotations

import pytest

from structtree.data.readers.sources import read_data
from structtree.errors import DataError, GrammarError
from structtree.lang.parse import parse_grammar, parse_predicate

N = 100_000
ARFF = "@relation r\n@attribute a {x,y}\n@attribute b numeric\n@data\n"
NAMES = "yes, no.\nsky: sunny, rain.\ndegrees: continuous.\n"
BLOCK = "x\n\n\n  0  0  0  0  0  0  0  0  0  0999 V2000\nM  END\n"


@pytest.mark.parametrize(
    "text",
    [
        'a = "' + "ab" * N,
        'a = "' + "\\\\" * N,
        'a = "' + '\\"' * N,
        "`" + "ab" * N,
        "`" + "\\`" * N,
        '"' * (N + 1),
        "(" * N,
        "not " * N,
        "a in {" + "1," * N,
        "a >= " + "1" * N + "x",
        "a" + " " * N + "!",
        "#" * N,
    ],
    ids=lambda text: repr(text[:8]),
)
def test_predicates_and_grammars(text):
    with pytest.raises(GrammarError) as refusal:
        parse_predicate(text)
    assert len(str(refusal.value)) < 1000
    with pytest.raises(GrammarError):
        parse_grammar("refine A {\n  top -> " + text)


FILES = {
    "arff unclosed": ("a.arff", ARFF + "'" + "ab" * N),
    "arff escapes": ("a.arff", ARFF + "'" + "\\'" * N),
    "arff quotes": ("a.arff", ARFF + "'" * (N + 1)),
    "arff blanks": ("a.arff", ARFF + "x" + " " * N + "y z'"),
    "arff sparse blanks": ("a.arff", ARFF + "{0" + " " * N + "'"),
    "arff sparse words": ("a.arff", ARFF + "{0 " + "x " * N + "'}"),
    "arff name": ("a.arff", "@relation r\n@attribute '" + "ab" * N + "\n@data\n1\n"),
    "arff values": ("a.arff", "@relation r\n@attribute a {x" + " " * N + "\n@data\n1\n"),
    "csv unclosed": ("a.csv", 'x,y\n1,"' + "ab" * N),
    "csv quotes": ("a.csv", "x,y\n" + '"' * (N + 1)),
    "csv quotes in the header": ("a.csv", '"' * (N + 1) + "\n1,2\n"),
    "csv fields": ("a.csv", "x,y\n" + "1," * N),
    "gml unclosed": ("a.gml", 'graph [ node [ id 0 label "' + "ab" * N),
    "gml brackets": ("a.gml", "graph " + "[ a " * N),
    "gml digits": ("a.gml", "graph [ node [ id " + "1" * N + "x ] ]"),
    "gml blanks": ("a.gml", "graph" + " " * N + "!"),
    "graphml": ("a.graphml", "<graphml>" + "<a>" * N),
    "jsonl unclosed": ("a.jsonl", '{"a": "' + "ab" * N),
    "jsonl escapes": ("a.jsonl", '{"a": "' + "\\\\" * N),
    "jsonl brackets": ("a.jsonl", '{"a": ' + "[" * N),
    "jsonl objects": ("a.jsonl", '{"a": ' * N),
    "jsonl digits": ("a.jsonl", '{"a": ' + "1" * N + "x}"),
    "json blanks": ("a.json", '[{"a": 1},' + " " * N + "x"),
    "c45 number": ("a.data", "sunny, " + "1" * N + "x, no.\n"),
    "c45 escapes": ("a.data", "sunny, " + "\\," * N + ", no.\n"),
    "c45 commas": ("a.data", "sunny" + "," * N + "\n"),
}


@pytest.mark.parametrize("case", FILES)
def test_files(tmp_path, case):
    name, text = FILES[case]
    (tmp_path / "a.names").write_text(NAMES)
    (tmp_path / name).write_text(text)
    with pytest.raises(DataError) as refusal:
        read_data(tmp_path / name)
    assert len(str(refusal.value)) < 1000


@pytest.mark.parametrize(
    "names", ["sky: a" + " " * N, "sky: discrete" + " " * N + "x.", "sky" + "\\:" * N, "sky" + " ." * N]
)
def test_names_of_c45(tmp_path, names):
    (tmp_path / "a.names").write_text("yes, no.\n" + names + "\n")
    (tmp_path / "a.data").write_text("sunny, no.\n")
    with pytest.raises(DataError):
        read_data(tmp_path / "a.data")


def test_numbers_that_are_none(tmp_path):
    (tmp_path / "a.csv").write_text(f"{'1' * N}x;2\n{'1' * N},3y;2\n")
    assert len(read_data(tmp_path / "a.csv", header=False)) == 2


@pytest.mark.parametrize(
    "readme",
    [
        "Node labels: 0 C" + ", 0 C" * N + " !",
        "Node labels:\n0 C" + " " * N + "!",
        "Node labels:\n" + "0 " * N,
        "Node labels:\n" + "1" * N + " x y",
        "node labels " * N,
        "component" + " " * N + "x",
    ],
    ids=lambda text: repr(text[:20]),
)
def test_readmes_that_say_nothing_about_labels(tmp_path, readme):
    parts = {"A": "1, 2\n2, 1\n", "graph_indicator": "1\n1\n", "graph_labels": "1\n", "node_labels": "0\n1\n"}
    for name, text in parts.items():
        (tmp_path / f"TINY_{name}.txt").write_text(text)
    (tmp_path / "README.txt").write_text(readme)
    assert len(read_data(tmp_path)) == 1


@pytest.mark.parametrize("heading", [">" + "<" * N, "> <" + "a" * N])
def test_headings_in_files_of_molecules(tmp_path, heading):
    pytest.importorskip("rdkit")
    (tmp_path / "a.sdf").write_text(f"{BLOCK}{heading}\n1\n\n$$$$\n")
    assert len(read_data(tmp_path / "a.sdf")) == 1
