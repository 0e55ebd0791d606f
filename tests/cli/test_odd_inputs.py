"""Odd inputs, as one table: each is refused in one sentence that names what is wrong, and nothing is lost.

A case of the command line is a command, the files that it finds in its folder, and what its sentence says; one of
Python is a call, and the kind of its error. `NAMES` of files stand in a command as they are.
"""

from __future__ import annotations

import gzip
import json
import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import structtree as st
from structtree.cli import app
from structtree.errors import DataError, GrammarError, MissingFileError, StructtreeError, UnknownNameError, UsageError
from structtree.models.files.models import model_from_json, model_to_json

LONGEST = 300
"""So many characters are enough for a sentence; one that lists what is known may be longer."""

TABLE = "x,y\n" + "".join(f"{i},{'ab'[i % 2]}\n" for i in range(12))
GRAMMAR = "individual Row\nrefine Row {\n    top -> x >= *\n}\n"
NODES = "graph [\n  node [ id 0 ]\n  node [ id 1 ]\n  edge [ source 0 target 1 ]\n]\n"
ARFF = "@relation r\n@attribute x numeric\n@attribute y {a,b}\n@attribute z {a,b}\n@data\n1,a,a\n2,b,b\n"
CARBON = (
    "\n  made\n\n  1  0  0  0  0  0  0  0  0  0999 V2000\n"
    "    0.0000    0.0000    0.0000 C   0  0  0  0  0  0  0  0  0  0  0  0\nM  END\n$$$$\n"
)


@cache
def model_text():
    """Return the text of a model of tables such as `TABLE`."""
    frame, labels = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0] * 4}), np.array([*"aabb"] * 4)
    learned = st.fit(st.Population.from_frame(frame), labels, growth=st.Growth(max_depth=1), target_name="y")
    return json.dumps(model_to_json(learned))


def tampered(*keys, to):
    """Return a function to the text of a model in which one value is another."""

    def text():
        document = json.loads(model_text())
        part = document
        for key in keys[:-1]:
            part = part[key]
        part[keys[-1]] = to
        return json.dumps(document)

    return text


@dataclass(frozen=True)
class Odd:
    """Command that must fail: what its sentence says, its exit code, and the files that it finds."""

    command: str
    says: str
    code: int = 1
    files: Mapping[str, Any] = field(default_factory=dict)
    sent: bytes | None = None


def data(command, says, content, name="a.csv", code=1, **more):
    """Return a case with a file of data, which is called DATA in the command."""
    return Odd(command.replace("DATA", shlex.quote(name)), says, code, {name: content, **more})


def usage(command, says, **files):
    """Return a case of wrong usage, with the usual data, model and grammar at hand."""
    return Odd(command, says, 2, {"a.csv": TABLE, "m.json": model_text, "g.grammar": GRAMMAR, **files})


def wrong(command, says, **files):
    """Return a case of wrong data, with the usual data, model and grammar at hand."""
    return replace(usage(command, says, **files), code=1)


def broken(content, says, name="m.json"):
    """Return a case of a model file that cannot be used."""
    return Odd(f"show {name}", says, 1, {name: content})


def grammar(content, says, with_data=False):
    """Return a case of a grammar that cannot be used."""
    command = "grammar check g.grammar --data a.csv" if with_data else "grammar check g.grammar"
    return Odd(command, says, 1, {"g.grammar": content, "a.csv": TABLE})


def lines(*records):
    return "".join(f"{json.dumps(record)}\n" for record in records)


UTF16 = TABLE.encode("utf-16")
DEEP = '{"a":' * 3000 + "1" + "}" * 3000
FIT = "fit DATA --target y"

FILES = (
    data(FIT, r"a.csv: the file is empty", ""),
    data(FIT, r"a.csv: .*only blank lines", "\n\n\n"),
    data(FIT, r"a.csv:1: .*header but no rows", "x,y\n"),
    data(FIT, r"a.csv: a binary file", b"\x00\x01\x02\xff" * 50),
    data(FIT, r"a.csv: the text is UTF-16", UTF16),
    data(FIT, r"a.csv:2: byte 6 is 0xe9.*--encoding cp1252", b"x,y\n1,\xe9b\n2,c\n"),
    data(
        "fit DATA --target y --encoding utf-16",
        r"a.csv: the text does not begin with the byte order mark of UTF-16.*--encoding utf-16-le",
        TABLE.encode("utf-16-le"),
    ),
    data("fit DATA --target y --encoding utf-16", r"--encoding utf-16-be", TABLE.encode("utf-16-be")),
    data("fit DATA --target y --encoding utf-16", r"byte order mark.*--encoding utf-8", TABLE),
    data("fit DATA --target y --encoding utf-32", r"a.csv", TABLE.encode("utf-32-le")[:-1]),
    data("fit DATA --target y --encoding zlib", r"unknown encoding 'zlib'", TABLE, code=2),
    data("fit DATA --target y --encoding idna", r"unknown encoding 'idna'", TABLE, code=2),
    data("fit DATA --target y --encoding klingon", r"unknown encoding 'klingon'", TABLE, code=2),
    data("fit DATA --target y", r"a.csv.gz: not a complete gzip", gzip.compress(TABLE.encode())[:-12], "a.csv.gz"),
    data("fit DATA --target y", r"a.csv.gz: not a complete gzip", TABLE, "a.csv.gz"),
    data("fit DATA --target y", r"a.xyz: unknown extension '.xyz'.*--format", TABLE, "a.xyz", 2),
    data("fit DATA --target y", r"table: the name has no extension.*--format", TABLE, "table", 2),
    data("fit DATA --target y --format cvs", r"unknown format 'cvs' \(did you mean 'csv'", TABLE, code=2),
    data("fit DATA --target y --format parquet", r"a.csv: not a Parquet file", TABLE),
    data("fit DATA --target y", r"a.parquet: not a Parquet file", TABLE, "a.parquet"),
    data("fit DATA --target y", r"a.feather: not a Feather file", b"ARROW1", "a.feather"),
    data("fit DATA --target y", r"a.jsonl:1: invalid JSON", TABLE, "a.jsonl"),
    data("fit DATA --target y", r"a.arff:1: expected @attribute or @data", TABLE, "a.arff"),
    data("fit DATA --target y", r"a.graphml: broken graphml", TABLE, "a.graphml"),
    data("fit DATA --target y", r"a.gml: broken gml", TABLE, "a.gml"),
    data("fit DATA --target y", r"a.sdf", TABLE, "a.sdf"),
    data("data info DATA", r"it's a \"name\".csv: the file is empty", "", 'it\'s a "name".csv'),
    data("data info DATA", r"naïve 🦆.csv: the file is empty", "", "naïve 🦆.csv"),
    Odd("data info nowhere.csv", r"'nowhere.csv' is neither a file nor a dataset"),
    Odd("data info trians", r"'trians' is neither a file nor a dataset \(did you mean 'trains'"),
    Odd("data info ''", r"DATA|neither a file|is a folder|the folder", 1),
    Odd("data info b.csv", r"did you mean 'a.csv'", 1, {"a.csv": TABLE}),
    Odd("data info empty", r"the folder contains no", 1, {"empty/readme.txt": "nothing"}),
    Odd("data info .", r"the folder contains no", 1, {"a.csv": TABLE}),
    Odd("data info a.csv/b.csv", r"a.csv/b.csv' is neither a file nor a dataset", 1, {"a.csv": TABLE}),
)

TABLES = (
    data(FIT, r"a.csv:1: columns 1 and 2 are both named 'x'", "x,x,y\n1,2,a\n3,4,b\n"),
    data(FIT, r"a.csv:3: expected 2 fields .* got 1", "x,y\n1,a\n2\n3,b\n"),
    data(FIT, r"a.csv:3: expected 2 fields .* got 3", "x,y\n1,a\n2,b,c\n3,b\n"),
    data(FIT, r"a.csv:2: a quoted value is never closed", 'x,y\n1,"a\n2,b\n'),
    data("fit DATA", r"a.csv:1: the header looks like a row of data.*--no-header", "5.1,3.5\n4.9,3.0\n"),
    data("fit DATA --target y", r"the target 'y' is missing for all 2 individuals", "x,y\n1,\n2,\n"),
    data("fit DATA --target z", r"unknown attribute 'z'", TABLE),
    data("fit DATA --target Y", r"unknown attribute 'Y' .*did you mean 'y'", TABLE),
    data("fit DATA --target ''", r"unknown attribute ''", TABLE),
    data("fit DATA", r"choose the attribute of a.csv to predict with --target \(it has: x, y", TABLE, code=2),
    data("fit DATA --target y --target x", r"--target was given twice", TABLE, code=2),
    data("fit DATA --target y --ignore z", r"'z'", TABLE),
    data("fit DATA --target y --features 'q*'", r"'q\*'", TABLE),
    data("fit DATA --target y --type x=numbr", r"'x' cannot be read as 'numbr'", TABLE, code=2),
    data("fit DATA --target y --type x", r"--type takes NAME=KIND.*got 'x'", TABLE, code=2),
    data("fit DATA --target y --type =int", r"--type takes NAME=KIND.*got '=int'", TABLE, code=2),
    data("fit DATA --target y --type z=int", r"'z'", TABLE),
    data("fit DATA --target y --type y=int", r"a.csv.*'a'.*column 'y'", TABLE),
    data("fit DATA --target y --delimiter ';;'", r"delimiter|--delimiter", TABLE, code=2),
    data("fit DATA --target y --decimal x", r"decimal must be '.' or ','; got 'x'", TABLE, code=2),
    data("fit DATA --target y --names a", r"expected 2 names.*a.csv, got 1", TABLE, code=2),
    data("fit DATA --target y --names p,p", r"'p'", TABLE, code=2),
    data("fit DATA --target y --group z", r"'z'", TABLE),
    data("fit DATA --target y --link rows", r"link", TABLE, code=2),
    data("fit DATA --target y --smiles x", r"a.csv: RDKit cannot read 12 of 12 molecules", TABLE),
    data("fit DATA --target y --hydrogens some", r"hydrogens must be 'implicit' or 'explicit'", TABLE, code=2),
    data(
        "fit DATA --target y --skip-bad",
        r"--skip-bad is for molecules, and a.csv has no column named smiles.*--smiles",
        "x,y\n1,a\n2\n3,b\n",
        code=2,
    ),
    data("fit DATA --target y --neutralise", r"--neutralise is for molecules, and a.csv has no", TABLE, code=2),
    data("fit DATA --target y --format csv --skip-bad", r"--skip-bad does not apply to csv", TABLE, code=2),
    data(
        "fit DATA --target y --criterion gini",
        r"y has non-integer values.*--type y=nominal",
        "x,y\n1,1.5\n2,2.5\n",
        code=2,
    ),
    data("fit DATA --target y --criterion mse", r"y contains non-numeric values such as 'a'", TABLE, code=2),
    data("fit DATA --target 'the y' --criterion gini", r"--type 'the y=nominal'", "x,the y\n1,1.5\n2,2.5\n", code=2),
    data("fit DATA --target y", r"a.csv.*(inf|finite)", "x,y\n1,0.5\n2,inf\n3,1.5\n"),
    data("fit DATA --target y", r"(1,5|decimal).*column 'x'", "x;y\n1,5;a\n2.5;b\n3,5;a\n"),
    data("cv DATA --target y", r"folds must be .*individuals", "x,y\n1,a\n", code=2),
    data("cv DATA --target y --folds 50", r"fold", TABLE, code=2),
    data("effort DATA --target q", r"unknown attribute 'q'", TABLE),
    data("data convert DATA out.jsonl --target y", r"no such option: --target", TABLE, code=2),
    data("grammar derive DATA --target q", r"unknown attribute 'q'", TABLE),
)

RECORDS = (
    data(FIT, r"a.jsonl:2: invalid JSON", '{"x": 1, "y": "a"}\n{"x": 2,\n', "a.jsonl"),
    data(FIT, r"unknown attribute 'y'", "[1, 2]\n", "a.jsonl"),
    data(FIT, r"a.jsonl:2: .*NaN|a.jsonl:2: invalid JSON", '{"x": 1, "y": "a"}\n{"x": NaN, "y": "b"}\n', "a.jsonl"),
    data(FIT, r"a.jsonl:1: brackets are nested deeper", DEEP + "\n", "a.jsonl"),
    data(
        FIT,
        r"a.jsonl:2: .*expected a number|a.jsonl.*'high'",
        lines({"x": 1, "y": "a"}, {"x": "high", "y": "b"}),
        "a.jsonl",
        1,
    ),
    data(FIT, r"a.jsonl.*expected", lines({"x": 1, "y": "a"}, {"x": [1], "y": "b"}), "a.jsonl"),
    data(FIT, r"a.jsonl.*expected", lines({"x": {"z": 1}, "y": "a"}, {"x": 2, "y": "b"}), "a.jsonl"),
    data(FIT, r"a.jsonl: the file has only blank lines", "\n\n", "a.jsonl"),
    data(FIT, r"a.jsonl.*'y' has no value|unknown attribute 'y'", lines({"x": 1}, {"x": 2}), "a.jsonl"),
    data(FIT, r"a.json: expected an array of objects", '{"x": 1}', "a.json"),
    data(FIT, r"a.json", "[]", "a.json"),
    data(FIT, r"a.json:?.*invalid JSON", '[{"x": 1},', "a.json"),
    data(
        FIT,
        r"a.jsonl:1: the schema cannot be used",
        '{"$schema": {"individual": "Q", "types": {}}}\n{"x": 1}\n',
        "a.jsonl",
    ),
    data(
        FIT,
        r"a.jsonl.*(expected|unknown|not in)",
        '{"$schema": {"individual": "R", "types": {"R": {"x": "int", "y": "nominal"}}}}\n{"x": "a", "y": "b"}\n',
        "a.jsonl",
    ),
    data("fit DATA --target y --group x", r"group does not apply to jsonl", lines({"x": 1, "y": "a"}), "a.jsonl", 2),
    data(FIT, r"a.arff:\d+: .*'c'", "@relation r\n@attribute x {a,b}\n@attribute y {a,b}\n@data\nc,a\n", "a.arff"),
    data(FIT, r"a.arff: expected @data", "@relation r\n@attribute x numeric\n", "a.arff"),
    data(FIT, r"a.arff:2: .*numbr", "@relation r\n@attribute x numbr\n@data\n1\n", "a.arff"),
    data(FIT, r"a.arff: no rows", "@relation r\n@attribute x numeric\n@data\n", "a.arff"),
    data(FIT, r"a.arff:5: .*2", "@relation r\n@attribute x numeric\n@attribute y {a,b}\n@data\n1\n", "a.arff"),
    data(FIT, r"a.names", "1,2,a\n", "a.data"),
    Odd("fit a.data", r"a.data:1", 1, {"a.names": "a,b.\nx: continuous.\n", "a.data": "high,a\n"}),
)

GRAPHS_AND_MOLECULES = (
    data(FIT, r"a.gml: broken gml", NODES[:-6], "a.gml"),
    data(FIT, r"a.gml", NODES.replace("target 1", "target 7"), "a.gml"),
    data(FIT, r"a.graphml: broken graphml", "<graphml><graph>", "a.graphml"),
    data(FIT, r"unknown attribute 'y'", NODES, "a.gml"),
    data("fit DATA --individual Atom --target y", r"'Edge' for graphs; got 'Atom'", NODES, "a.gml", 2),
    Odd(
        "fit gs --target y",
        r"b.gml.*(directed|undirected)",
        1,
        {"gs/a.gml": NODES, "gs/b.gml": NODES.replace("[", "[ directed 1", 1)},
    ),
    Odd("fit gs --target y", r"b.gml: broken gml", 1, {"gs/a.gml": NODES, "gs/b.gml": "graph ["}),
    Odd("fit TU", r"TU_graph_indicator.txt", 1, {"TU/TU_A.txt": "1, 2\n2, 1\n"}),
    Odd(
        "fit TU",
        r"TU_A.txt",
        1,
        {"TU/TU_A.txt": "1, 9\n", "TU/TU_graph_indicator.txt": "1\n1\n", "TU/TU_graph_labels.txt": "1\n"},
    ),
    Odd(
        "fit TU",
        r"TU_A.txt:1",
        1,
        {"TU/TU_A.txt": "1 - 2\n", "TU/TU_graph_indicator.txt": "1\n1\n", "TU/TU_graph_labels.txt": "1\n"},
    ),
    Odd(
        "fit TU",
        r"TU_graph_labels.txt",
        1,
        {"TU/TU_A.txt": "1, 2\n", "TU/TU_graph_indicator.txt": "1\n2\n", "TU/TU_graph_labels.txt": "1\n"},
    ),
    Odd(
        "fit TU",
        r"TU_graph_indicator.txt",
        1,
        {"TU/TU_A.txt": "1, 2\n", "TU/TU_graph_indicator.txt": "one\n1\n", "TU/TU_graph_labels.txt": "1\n"},
    ),
    Odd(
        "fit TU",
        r"TU_node_labels.txt",
        1,
        {
            "TU/TU_A.txt": "1, 2\n",
            "TU/TU_graph_indicator.txt": "1\n1\n",
            "TU/TU_graph_labels.txt": "1\n",
            "TU/TU_node_labels.txt": "1\n",
        },
    ),
    data(FIT, r"a.csv:2: .*'C1CC'.*--skip-bad", "smiles,y\nC1CC,a\nCC,b\n"),
    data(FIT, r"a.csv:4: .*'XX'", "smiles,y\nCC,a\nCCO,b\nXX,a\n"),
    data(FIT, r"a.csv: RDKit cannot read 2 of 2 molecules; correct them", "smiles,y\nqq,a\nXX,b\n"),
    data(
        "fit DATA --target y --skip-bad",
        r"a.csv: RDKit cannot read 2 of 2 .*none can be skipped",
        "smiles,y\nqq,a\nXX,b\n",
    ),
    data(FIT, r"a.csv:3", "smiles,y\nCC,a\n,b\n"),
    data("fit DATA --target y --smiles mol", r"mol", "smiles,y\nCC,a\n"),
    data("data info DATA", r"a.smi:1", "this is no molecule\n", "a.smi"),
    data("data info DATA", r"a.sdf:1", CARBON[:60], "a.sdf"),
    data("data info DATA", r"a.sdf:1", CARBON.replace(" C ", " Qq"), "a.sdf"),
    data("data info DATA --smiles x", r"smiles does not apply to sdf", CARBON, "a.sdf", 2),
)

WORDS = (
    usage("fit", r"missing argument 'DATA'"),
    usage("fitt a.csv", r"no such command 'fitt' \(did you mean 'fit'"),
    usage("grammar chek g.grammar", r"no such command 'chek' \(did you mean 'check'"),
    usage("fit a.csv more --target y", r"unexpected extra argument"),
    usage("fit a.csv --targte y", r"no such option: --targte .*--target"),
    usage("fit a.csv --target", r"'?--target'? requires an argument"),
    usage("fit a.csv --target y --max-depth deep", r"--max-depth.*expected an integer"),
    usage("fit a.csv --target y --max-depth 0", r"max.depth must be .*got 0"),
    usage("fit a.csv --target y --max-depth -3", r"max.depth must be .*got -3"),
    usage("fit a.csv --target y --max-depth 1.5", r"--max-depth"),
    usage("fit a.csv --target y --min-samples-leaf 0", r"min.samples.leaf must be .*got 0"),
    usage("fit a.csv --target y --min-samples-split one", r"--min-samples-split"),
    usage("fit a.csv --target y --max-leaf-nodes 1", r"max.leaf.nodes must be .*got 1"),
    usage("fit a.csv --target y --time-limit 0", r"time.limit must be"),
    usage("fit a.csv --target y --time-limit -1", r"time.limit must be"),
    usage("fit a.csv --target y --time-limit nan", r"time.limit must be"),
    usage("fit a.csv --target y --time-limit soon", r"--time-limit.*expected a number"),
    usage("fit a.csv --target y --criterion entropyy", r"'entropyy' .*did you mean 'entropy'"),
    usage("fit a.csv --target y --post-prune some", r"'some'"),
    usage("fit a.csv --target y --strategy clever", r"'clever'"),
    usage("fit a.csv --target y --missing maybe", r"--missing .*--if-missing"),
    usage("fit a.csv --target y --cost a", r"cost.*'a'"),
    usage("fit a.csv --target y --cost a:q=2", r"'a:q'"),
    usage("fit a.csv --target y --cost a:b=-2", r"-2"),
    usage("fit a.csv --target y --class-weight a=x", r"class.weight"),
    usage("fit a.csv --target y --seed x", r"--seed.*expected an integer"),
    usage("fit a.csv --target y --json -o -", r"both write to standard output"),
    usage("fit a.csv --target y --delimiter , --delimiter ,", r"--delimiter was given twice"),
    usage("cv a.csv --target y --folds 1", r"folds?"),
    usage("cv a.csv --target y --folds many", r"'many'|--folds"),
    usage("cv a.csv --target y --repeats 0", r"repeats"),
    usage("effort a.csv --target y --criterion q", r"'q'"),
    usage("show m.json --format pdf", r"set the output file with -o FILE for the PDF format"),
    usage("show m.json --max-depth x", r"--max-depth.*expected an integer"),
    usage("show m.json --format rules --max-depth 2", r"--max-depth is for text and pictures of a tree"),
    usage("explain m.json a.csv --row x", r"--row.*expected an integer"),
    usage("explain m.json a.csv --row 1 --id 2", r"--row and --id are mutually exclusive"),
    usage("explain m.json a.csv --id-column x", r"--id-column requires --id VALUE"),
    usage("predict m.json", r"missing argument 'DATA'"),
    usage("data convert a.csv", r"missing argument 'OUT.jsonl'"),
    usage("data convert a.csv out.csv", r"must end in .jsonl.*'out.csv'"),
    usage("grammar derive", r"no data given"),
    usage("grammar draw g.grammar --data a.csv --depth 0", r"--depth"),
    usage("grammar draw g.grammar --data a.csv -o p.doc", r"p.doc|'.doc'"),
    usage("datasets get", r"missing argument 'NAME'"),
    usage("--verbose", r"no such option: --verbose"),
    wrong("datasets get trians", r"'trians' .*did you mean 'trains'"),
    wrong("datasets get mutag --from nowhere", r"nowhere"),
    wrong("fit a.csv --target y --grammar nothing", r"nothing"),
    wrong("fit a.csv --target y --grammar q.grammar", r"q.grammar"),
    wrong("fit a.csv --target y --grammar trains", r"Train|trains"),
    usage("explain m.json a.csv --row 99", r"--row must be from 0 to 11.*got 99"),
    usage("explain m.json a.csv --row -1", r"--row must be from 0 to 11.*got -1"),
    usage("explain m.json a.csv --id nobody", r"'nobody'"),
    wrong("explain m.json a.csv --id 1 --id-column q", r"'q'"),
    wrong("predict m.json a.csv --id q", r"'q'"),
    wrong("predict m.json a.csv --keep q", r"'q'"),
    wrong("predict m.json nowhere.csv", r"'nowhere.csv' is neither"),
    wrong("predict nowhere.json a.csv", r"nowhere.json"),
    wrong("predict a.csv m.json", r"a.csv"),
    wrong("predict m.json b.csv", r"'?x'?", **{"b.csv": "z,y\n1,a\n"}),
    wrong("predict m.json b.csv", r"x.*(nominal|real|number)", **{"b.csv": "x,y\nlow,a\nhigh,b\n"}),
    wrong("predict m.json b.gml", r"the data has graphs", **{"b.gml": NODES}),
    wrong("predict m.json trains", r"Row|x|Train"),
    wrong("explain m.json b.csv", r"x", **{"b.csv": "z\n1\n"}),
)

OUTPUTS = (
    wrong("fit a.csv --target y -o there", r"cannot write there: it is a folder", **{"there/kept.txt": "kept"}),
    wrong("fit a.csv --target y -o no/m.json", r"cannot write no/m.json: folder no does not exist"),
    wrong("fit a.csv --target y -o a.csv/m.json", r"cannot write a.csv/m.json"),
    wrong("fit b.csv --target y -o m.json", r"b.csv:2", **{"b.csv": "x,y\n1\n"}),
    wrong("predict m.json a.csv -o there", r"cannot write there: it is a folder", **{"there/kept.txt": "kept"}),
    wrong("predict m.json b.csv -o a.csv", r"x", **{"b.csv": "z\n1\n"}),
    wrong("data convert a.csv no/out.jsonl", r"cannot write no/out.jsonl: folder no does not exist"),
    wrong("data convert b.csv out.jsonl", r"b.csv:2", **{"b.csv": "x,y\n1\n", "out.jsonl": "kept"}),
    wrong("grammar derive a.csv -o there", r"cannot write there: it is a folder", **{"there/kept.txt": "kept"}),
    wrong("grammar draw g.grammar --data a.csv -o no/p.svg", r"no/p.svg"),
    wrong("effort a.csv --target y --plot no/p.svg", r"no/p.svg"),
    Odd("data info -", r"standard input: no data", 1, sent=b""),
    Odd("fit - --target y", r"standard input:2: expected 2 fields", 1, sent=b"x,y\n1\n"),
    Odd("fit - --target q", r"unknown attribute 'q'", 1, sent=TABLE.encode()),
    Odd("data convert - out.csv", r"must end in .jsonl", 2, sent=TABLE.encode()),
)

MODELS = (
    broken("", r"m.json: the file is empty"),
    broken(b"\x00\x01", r"m.json: a binary file"),
    broken("{}", r"m.json: this is not a structtree model"),
    broken("[]", r"m.json: this is not a structtree model"),
    broken('{"format": "structtree model"}', r"m.json: .*format_version"),
    broken(lambda: model_text()[:-40], r"m.json:1: invalid JSON"),
    broken(DEEP, r"m.json: .*nested too deeply"),
    broken(lambda: gzip.compress(model_text().encode())[:-20], r"m.json.gz: not a complete gzip", "m.json.gz"),
    broken(tampered("format_version", to=99), r"m.json: .*99"),
    broken(tampered("format_version", to="1"), r"m.json: .*format_version"),
    broken(tampered("predictor", "nodes", 0, "counts", to=[-1, 2]), r"m.json: .*nodes\[0\].counts\[0\]"),
    broken(tampered("predictor", "nodes", 0, "counts", to=[1]), r"m.json: .*nodes\[0\].counts"),
    broken(tampered("predictor", "nodes", 0, "test", to="z >= 1"), r"m.json: .*'z'.*nodes\[0\].test"),
    broken(
        tampered("predictor", "nodes", 0, "test", to="__import__('os').system('x')"), r"m.json: .*nodes\[0\].test"
    ),
    broken(tampered("predictor", "nodes", 0, "test", to="x >= "), r"m.json: .*nodes\[0\].test"),
    broken(tampered("predictor", "nodes", 0, "yes", to=0), r"m.json: .*nodes"),
    broken(tampered("predictor", "nodes", 0, "yes", to=99), r"m.json: .*nodes"),
    broken(tampered("predictor", "nodes", to=[]), r"m.json: .*nodes"),
    broken(tampered("predictor", "nodes", to={}), r"m.json: .*nodes"),
    broken(tampered("predictor", "classes", to=["a", "a"]), r"m.json: .*classes"),
    broken(tampered("predictor", "classes", to=[["a"], "b"]), r"m.json: .*classes\[0\]"),
    broken(tampered("schema", "types", "Row", "x", to="number"), r"m.json: .*schema"),
    broken(tampered("schema", "individual", to="Q"), r"m.json: .*schema"),
    broken(tampered("predictor", "task", to="miracles"), r"m.json: .*task"),
    broken(tampered("predictor", "decision", "estimate", to="guess"), r"m.json: .*decision"),
)

GRAMMARS = (
    grammar("", r"g.grammar"),
    grammar("# nothing\n", r"g.grammar"),
    grammar(b"\xff\xfe\x00", r"g.grammar"),
    grammar("individual Row\nrefine Row {\n    top -> x >= *\n", r"g.grammar:\d+:\d+"),
    grammar('individual Row\nrefine Row {\n    top -> x = "open\n}\n', r"g.grammar:3:\d+"),
    grammar("individual Row\nrefine Row {\n    top ->\n}\n", r"g.grammar:\d+:\d+"),
    grammar("individual Row\nrefin Row {\n    top -> x >= *\n}\n", r"g.grammar:2:1"),
    grammar("this is no grammar\n", r"g.grammar:1:1"),
    grammar(GRAMMAR.replace("refine Row", "refine Rwo"), r"g.grammar:2:8: .*'Rwo'.*'Row'", True),
    grammar(GRAMMAR.replace("x >=", "z >="), r"g.grammar:3:\d+: .*'z'", True),
    Odd(
        "grammar check g.grammar --data a.arff",
        r"g.grammar:3:\d+: .*'c'",
        1,
        {
            "g.grammar": GRAMMAR.replace("x >= *", "y = c"),
            "a.arff": ARFF,
        },
    ),
    grammar(GRAMMAR.replace("x >= *", "x = word"), r"g.grammar:3:\d+", True),
    grammar(GRAMMAR.replace("x >= *", "y >= 3"), r"g.grammar:3:\d+", True),
    grammar(GRAMMAR.replace("x >= *", "exists cars (top)"), r"g.grammar:3:\d+: .*'cars'", True),
    grammar(GRAMMAR.replace("x >= *", "q* = *"), r"g.grammar:3:\d+: .*q\*", True),
    grammar(GRAMMAR.replace("individual Row", "individual Car"), r"g.grammar:2:8: .*'Row' \(known: 'Car'\)", True),
    Odd(
        "grammar check g.grammar --data a.csv",
        r"g.grammar:3:\d+: expected a number from 1 to 12 for 'd.month', got 13",
        1,
        {"g.grammar": GRAMMAR.replace("x >= *", "d.month = 13"), "a.csv": "d,y\n2024-01-01,a\n2024-02-01,b\n"},
    ),
    grammar(GRAMMAR + GRAMMAR, r"g.grammar:\d+:\d+"),
    grammar(f"individual Row\nrefine Row {{\n    top -> {'(' * 3000}x >= *{')' * 3000}\n}}\n", r"g.grammar:3"),
    grammar("individual Row\npredicate p := not p\nrefine Row {\n    top -> p\n}\n", r"g.grammar:\d+:\d+"),
)

LONG = "z" * 5000
TWO_LINES = 'x,"two\nlines"\n1,1.5\n2,2.5\n'

NAMES = (
    data("fit DATA --target q", r"'q' \(known: 'new\\nline', 'y'", '"new\nline",y\n1,a\n2,b\n'),
    data("fit DATA --target q", r"'\\x1b\[31mred'", "\x1b[31mred,y\n1,a\n2,b\n"),
    data("fit DATA --target q", r"'q' \(known: 'y', 'zzz.*\.\.\.", f"{LONG},y\n1,a\n2,b\n"),
    data(
        "fit DATA --target 'two\nlines' --criterion gini",
        r"`two\\nlines` has .*\$'two\\u000alines=nominal'",
        TWO_LINES,
        code=2,
    ),
    data("fit DATA --target y --type y=int", r"a.csv:2: .*got 'zzz.*\.\.\. at column 'y'", f"x,y\n1,{LONG}\n2,b\n"),
    data(
        "fit DATA --target y --type x=date",
        r"a.csv:3: expected a date .*'2020-13-45'",
        "x,y\n2020-01-01,a\n2020-13-45,b\n",
    ),
    data("fit DATA --target x", r"the target 'x' is a date", "x,y\n2020-01-01,a\n2020-02-02,b\n"),
    data(
        "fit DATA --target y", r"a.jsonl:1: expected the name of a member, got ''", '{"": 1, "y": "a"}\n', "a.jsonl"
    ),
    data(
        "fit DATA --target y", r"a.jsonl:1: invalid JSON: number is infinity", '{"x": 1e400, "y": "a"}\n', "a.jsonl"
    ),
    data("fit DATA --target y", r"a.jsonl:2: expected a string, got 2", '{"x": 1, "x": "a"}\n{"x": 2}\n', "a.jsonl"),
    data("fit DATA --target y --grammar ''", r"''", TABLE),
    data("data info DATA --delimiter ''", r"delimiter must be one character.*got ''", TABLE, code=2),
    data(f"fit DATA --target {LONG}", r"unknown attribute 'zzz.*\.\.\.", TABLE),
    data(f"fit DATA --target y -o {LONG}", r"cannot write zzz.*: File name too long", TABLE),
    data("fit DATA --target y --missing-word a --missing-word b", r"'y' is missing for all 12 individuals", TABLE),
    data("cv DATA --target y --folds group:q", r"unknown attribute 'q'", TABLE),
    Odd(f"data info {LONG}", r"zzz.*: File name too long"),
    Odd("data info 'a\nb'", r"'a\\nb' is neither a file nor a dataset"),
)

COMMANDS = (
    *FILES,
    *NAMES,
    *TABLES,
    *RECORDS,
    *GRAPHS_AND_MOLECULES,
    *WORDS,
    *OUTPUTS,
    *MODELS,
    *GRAMMARS,
)


def write(folder, files):
    for name, content in files.items():
        content = content() if callable(content) else content
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)


def everything_in(folder):
    return {path.relative_to(folder): path.is_file() and path.read_bytes() for path in folder.rglob("*")}


def sentence_in(told):
    """Return the one sentence of an error; below it there may be the line of a grammar, or a list of bad lines."""
    rest = [line for line in told.splitlines() if not line.startswith(("note: ", "warning: "))]
    assert rest[0].startswith("error: "), told
    assert all(line.startswith("  ") for line in rest[1:]), told
    sentence = rest[0].removeprefix("error: ")
    return sentence.removesuffix(":") if len(rest) > 1 else sentence


def check_sentence(sentence, says):
    assert re.search(says, sentence), sentence
    assert len(sentence) <= LONGEST, sentence
    assert not sentence.endswith((".", ":", ";", ",", " ")), sentence
    assert "Error" not in sentence, sentence
    assert not re.search(r"\bNone\b|<[a-z_.]+ object|0x[0-9a-f]{6}", sentence), sentence


@pytest.mark.parametrize("case", COMMANDS, ids=[f"{i}: {case.command[:70]}" for i, case in enumerate(COMMANDS)])
def test_a_command_refuses_odd_input_in_one_sentence(case, tmp_path, monkeypatch):
    write(tmp_path, case.files)
    monkeypatch.chdir(tmp_path)
    before = everything_in(tmp_path)
    done = CliRunner().invoke(app, shlex.split(case.command), input=case.sent)
    assert done.exception is None or isinstance(done.exception, SystemExit), repr(done.exception)
    assert done.exit_code == case.code, done.output
    assert done.stdout == ""
    check_sentence(sentence_in(done.stderr), case.says)
    assert everything_in(tmp_path) == before


def frame(**columns):
    return pd.DataFrame(columns or {"x": [1.0, 2.0, 3.0, 4.0]})


def small():
    return st.Population.from_frame(frame())


def records(*values):
    return st.Population.from_records(values)


def ready():
    return model_from_json(json.loads(model_text()))


def classifier(**options):
    return st.StructuralTreeClassifier(**options)


LABELS = ["a", "b", "a", "b"]


@dataclass(frozen=True)
class Call:
    """Call in Python that must fail: what it is, the class of its error, and what that says."""

    name: str
    run: Callable[[], object]
    error: type[Exception]
    says: str


CALLS = (
    Call("no records", lambda: records(), DataError, r"record"),
    Call("a number as record", lambda: records(1), DataError, r"expected a record, got 1"),
    Call("a text as records", lambda: st.Population.from_records("abc"), DataError, r"expected a list of records"),
    Call("a mixed member", lambda: records({"x": 1}, {"x": "a"}), DataError, r"expected a number, got 'a' at \$.x"),
    Call("a list and a number", lambda: records({"x": [1]}, {"x": 2}), DataError, r"\$.x"),
    Call("a foreign value", lambda: records({"x": object()}), DataError, r"\$.x"),
    Call("a key that is no text", lambda: records({1: 2}), DataError, r"1"),
    Call("a record in itself", lambda: records(endless()), DataError, r"deep|itself|nest"),
    Call(
        "an unknown kind",
        lambda: st.Population.from_records([{"x": 1}], types={"x": "numbr"}),
        UsageError,
        r"'numbr'",
    ),
    Call(
        "an unknown member",
        lambda: st.Population.from_records([{"x": 1}], types={"z": "int"}),
        UnknownNameError,
        r"'z'",
    ),
    Call("no rows", lambda: st.fit(st.Population.from_frame(frame(x=[])), []), StructtreeError, r"individual|row"),
    Call(
        "two columns of one name",
        lambda: st.Population.from_frame(pd.DataFrame([[1, 2]], columns=["x", "x"])),
        DataError,
        r"columns 1 and 2 are both named 'x'",
    ),
    Call(
        "two columns of one name, to learn from",
        lambda: classifier().fit(pd.DataFrame([[1, 2]] * 4, columns=["x", "x"]), LABELS),
        DataError,
        r"columns 1 and 2 are both named 'x'",
    ),
    Call(
        "one row of a frame",
        lambda: classifier().fit(frame(), LABELS).predict(frame().iloc[0]),
        UsageError,
        r"got a Series; use frame.iloc\[\[i\]\]",
    ),
    Call(
        "classes for a regressor",
        lambda: st.StructuralTreeRegressor().fit(frame(), LABELS),
        UsageError,
        r"expected numbers as labels, got 'a'; for classes, use StructuralTreeClassifier",
    ),
    Call("no frame", lambda: st.Population.from_frame("abc"), StructtreeError, r"DataFrame|frame"),
    Call(
        "an array of one dimension",
        lambda: st.Population.from_array(np.arange(3)),
        StructtreeError,
        r"dimension|2D|two",
    ),
    Call(
        "an array of no numbers",
        lambda: st.Population.from_array(np.array([[object()]])),
        StructtreeError,
        r"object|column|cell|value",
    ),
    Call("no graphs", lambda: st.Population.from_graphs([]), DataError, r"graph"),
    Call("a number as graph", lambda: st.Population.from_graphs([3]), DataError, r"graph"),
    Call(
        "graphs of two kinds",
        lambda: st.Population.from_graphs([nx.Graph([(1, 2)]), nx.DiGraph([(1, 2)])]),
        DataError,
        r"directed",
    ),
    Call("bad SMILES", lambda: st.Population.from_smiles(["CC", "C1"]), DataError, r"'C1'.*individual 1"),
    Call("no SMILES", lambda: st.Population.from_smiles([]), DataError, r"expected at least one molecule, got none"),
    Call("an empty SMILES", lambda: st.Population.from_smiles(["CC", ""]), DataError, r"individual 1"),
    Call("one text for many", lambda: st.Population.from_smiles("CCO"), StructtreeError, r"list"),
    Call(
        "no such data",
        lambda: st.open_data("nowhere"),
        MissingFileError,
        r"'nowhere' is neither a file nor a dataset",
    ),
    Call("no such data set", lambda: st.load_dataset("trians"), StructtreeError, r"'trians' .*'trains'"),
    Call("no such reading option", lambda: st.open_data("trains", formt="csv"), UsageError, r"'formt'"),
    Call("a reading option for a name", lambda: st.open_data("trains", format="csv"), UsageError, r"format"),
    Call("no such target", lambda: st.open_data("trains", target="colour"), StructtreeError, r"'colour'"),
    Call("no such model", lambda: st.load_model("nowhere.json"), MissingFileError, r"nowhere.json"),
    Call("no such grammar", lambda: st.Grammar.load("nowhere"), StructtreeError, r"nowhere"),
    Call("an empty grammar", lambda: st.Grammar.parse(""), GrammarError, r"is empty"),
    Call("an open brace", lambda: st.Grammar.parse("individual R\nrefine R {"), GrammarError, r":2:"),
    Call(
        "an open string", lambda: st.Grammar.parse('individual R\nrefine R { top -> x = "a }'), GrammarError, r":2:"
    ),
    Call("an empty predicate", lambda: st.parse_predicate(""), GrammarError, r"expected"),
    Call("half a predicate", lambda: st.parse_predicate("x >= "), GrammarError, r"expected"),
    Call("code as predicate", lambda: st.parse_predicate("__import__('os')"), GrammarError, r":1:"),
    Call(
        "a deep predicate", lambda: st.parse_predicate("(" * 5000 + "x = 1" + ")" * 5000), GrammarError, r"deep|nest"
    ),
    Call("an unknown attribute", lambda: st.holds(st.parse_predicate("z = 1"), small()), UnknownNameError, r"'z'"),
    Call("too few labels", lambda: st.fit(small(), ["a"]), StructtreeError, r"4.*1|1.*4"),
    Call(
        "labels in two dimensions",
        lambda: st.fit(small(), [[1, 2]] * 4),
        StructtreeError,
        r"expected 4 labels.*shape",
    ),
    Call(
        "a missing label",
        lambda: st.fit(small(), ["a", None, "b", "a"], unlabelled="refuse"),
        StructtreeError,
        r"individual 1|missing|None",
    ),
    Call(
        "an infinite target",
        lambda: st.fit(small(), [1.0, np.inf, 2.0, 3.0]),
        DataError,
        r"finite number; got inf \(individual 1\)",
    ),
    Call(
        "an unknown criterion",
        lambda: st.fit(small(), LABELS, criterion="entropyy"),
        UnknownNameError,
        r"'entropyy' .*'entropy'",
    ),
    Call("classes for numbers", lambda: st.fit(small(), LABELS, criterion="mse"), StructtreeError, r"mse|numbers"),
    Call(
        "depth of zero", lambda: st.Growth(max_depth=0), UsageError, r"max_depth must be an int >= 1 or None; got 0"
    ),
    Call("depth of a word", lambda: st.Growth(max_depth="deep"), UsageError, r"max_depth must be .*'deep'"),
    Call("no time", lambda: st.Growth(time_limit=-1), UsageError, r"time_limit must be"),
    Call("an unknown pruning", lambda: st.Pruning(method="hard"), UsageError, r"method must be .*'hard'"),
    Call(
        "negative weights", lambda: st.fit(small(), LABELS, sample_weight=[-1, 1, 1, 1]), StructtreeError, r"weight"
    ),
    Call("too few weights", lambda: st.fit(small(), LABELS, sample_weight=[1.0]), StructtreeError, r"weight"),
    Call("a foreign class weight", lambda: st.fit(small(), LABELS, class_weight={"q": 2.0}), StructtreeError, r"'q'"),
    Call(
        "a foreign grammar",
        lambda: st.fit(small(), LABELS, st.Grammar.load("trains")),
        StructtreeError,
        r"Train|Row|car",
    ),
    Call(
        "data without a column",
        lambda: ready().predict(st.Population.from_frame(frame(z=[1.0]))),
        StructtreeError,
        r"'?x'?",
    ),
    Call(
        "data of another kind",
        lambda: ready().predict(st.Population.from_frame(frame(x=["p", "q"]))),
        StructtreeError,
        r"x",
    ),
    Call(
        "graphs for rows",
        lambda: ready().predict(st.Population.from_graphs([nx.path_graph(2)])),
        StructtreeError,
        r"the data has graphs",
    ),
    Call("a model of nothing", lambda: model_from_json({}), DataError, r"not a structtree model"),
    Call("a model of a list", lambda: model_from_json([]), DataError, r"not a structtree model"),
    Call(
        "an estimator with an odd depth",
        lambda: classifier(max_depth=0).fit(frame(), LABELS),
        ValueError,
        r"max_depth",
    ),
    Call(
        "an estimator with an odd criterion",
        lambda: classifier(criterion="q").fit(frame(), LABELS),
        StructtreeError,
        r"'q'",
    ),
    Call("an estimator with too few labels", lambda: classifier().fit(frame(), ["a"]), ValueError, r"4.*1|1.*4"),
    Call("an estimator that is not fitted", lambda: classifier().predict(frame()), ValueError, r"not fitted"),
    Call(
        "a regressor for words", lambda: st.StructuralTreeRegressor().fit(frame(), LABELS), ValueError, r"'a'|number"
    ),
    Call("an estimator without rows", lambda: classifier().fit(frame(x=[]), []), ValueError, r"0|row|empty"),
    Call(
        "nowhere to save",
        lambda: st.save_model(ready(), "no/such/m.json"),
        MissingFileError,
        r"folder no/such does not exist",
    ),
)


def endless():
    record = {}
    record["x"] = [record]
    return record


@pytest.mark.parametrize("case", CALLS, ids=[case.name for case in CALLS])
def test_a_call_refuses_odd_input_in_one_sentence(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(case.error) as caught:
        case.run()
    sentence = str(caught.value).partition("\n    ")[0].rstrip(".")
    assert "\n" not in sentence
    assert re.search(case.says, sentence), sentence
    assert len(sentence) <= LONGEST, sentence
    assert list(tmp_path.iterdir()) == []


def test_the_table_is_as_long_as_it_claims():
    assert len({(case.command, str(case.files), case.sent) for case in COMMANDS}) == len(COMMANDS) >= 150
