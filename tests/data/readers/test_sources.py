"""Any file or folder: the format told by its name, and one sentence for each way it can be wrong."""

from __future__ import annotations

import gzip
import json

import networkx as nx
import numpy as np
import pytest

from structtree.data.population import Population
from structtree.data.readers.records.reading import from_records, read_jsonl, write_jsonl
from structtree.data.readers.sources import FILE_FORMATS, read_data
from structtree.errors import DataError, MissingFileError, StructtreeError, UsageError
from tests.data.sameness import same_population

RECORDS = [{"x": 1, "name": "a"}, {"x": 2, "name": "b"}]


def sentence(*arguments, **options):
    with pytest.raises(StructtreeError) as caught:
        read_data(*arguments, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "a.JSONL", "a.json", "a.csv", "a.tsv", "a.graphml", "a.gml"])
def test_the_extension_tells_the_format(tmp_path, name):
    path = tmp_path / name
    if name.endswith((".graphml", ".gml")):
        graph = nx.Graph()
        graph.add_nodes_from(range(2))
        nx.write_gml(graph, path) if name.endswith(".gml") else nx.write_graphml(graph, path)
        assert read_data(path).table("Node").n_rows == len(read_data(path, individual="Node")) == 2
        return
    lines = [json.dumps(record) for record in RECORDS]
    mark = "\t" if name.endswith("tsv") else ","
    text = {
        "json": f"[{','.join(lines)}]",
        "csv": f"x{mark}name\n1{mark}a\n2{mark}b\n",
        "tsv": f"x{mark}name\n1{mark}a\n2{mark}b\n",
    }
    path.write_text(text.get(path.suffix[1:], "\n".join(lines)))
    assert same_population(read_data(path, individual="Thing"), from_records(RECORDS, individual="Thing"))


def test_the_format_can_be_said(tmp_path):
    path = tmp_path / "data.txt"
    path.write_text("a,b\n1,2\n")
    assert len(read_data(path, format="csv")) == 1
    path.write_text("graph [ node [ id 0 ] ]")
    assert read_data(path, format="gml").table("Node").n_rows == 1


def test_a_folder_of_graphs_is_a_population(tmp_path):
    for i in range(3):
        nx.write_graphml(nx.path_graph(i + 1), tmp_path / f"{i}.graphml")
    assert isinstance(read_data(tmp_path), Population) and len(read_data(str(tmp_path))) == 3


def test_a_table_of_sets_can_be_read(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("g,x\np,1\np,2\nq,3\n")
    assert len(read_data(path, group="g", link="items")) == 2


def test_a_schema_and_kinds_go_to_the_reader(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"x": 1}\n')
    schema = from_records([{"x": 1.5, "y": 1}]).schema
    assert read_data(path, schema=schema).schema == schema
    assert read_data(path, types={"x": "nominal"}).column("x").categories == ("1",)


def test_what_is_not_there_is_refused_with_the_nearest_name(tmp_path):
    (tmp_path / "trains.jsonl").write_text("{}")
    missing = tmp_path / "train.jsonl"
    assert sentence(missing) == f"there is no file {missing} (did you mean 'trains.jsonl'?)"
    lost = tmp_path / "no" / "a.csv"
    assert sentence(lost) == f"there is no file {lost}; there is no folder {lost.parent}"
    with pytest.raises(MissingFileError):
        read_data(missing)
    with pytest.raises(FileNotFoundError):
        read_data(missing, format="csv")


def test_what_cannot_be_told_is_asked_for(tmp_path):
    for name in ("a.xyz", "a"):
        (tmp_path / name).write_text("hello")
    known = (
        "jsonl, json, csv, arff, c45, parquet, feather, graphml, gml, sqlite, duckdb, tables, tu, smiles, sdf, facts"
    )
    assert sentence(tmp_path / "a.xyz") == (
        f"{tmp_path / 'a.xyz'}: unknown extension '.xyz'; set format to one of: {known}"
    )
    assert sentence(tmp_path / "a") == f"{tmp_path / 'a'}: the name has no extension; set format to one of: {known}"
    assert sentence(tmp_path / "a", format="jsnl") == "unknown format 'jsnl' (did you mean 'jsonl'?)"
    assert list(FILE_FORMATS) == known.split(", ")


def test_a_folder_without_graphs_is_refused(tmp_path):
    (tmp_path / "a.csv").write_text("a\n1\n")
    message = (
        f"{tmp_path}: the folder contains no graphs (.graphml or .gml files, or NAME_A.txt), "
        "no facts (.pl, .pro, .prolog, .kb), and fewer than two tables (CSV or Parquet)"
    )
    assert sentence(tmp_path) == message
    assert sentence(tmp_path, format="csv") == f"{tmp_path} is a folder; expected a file"
    assert sentence(tmp_path, format="gml") == f"{tmp_path}: the folder has no .graphml or .gml file"


@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.csv", "a.gml", "a.graphml"])
def test_empty_and_binary_files_are_refused(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(b"")
    assert sentence(path) == f"{path}: the file is empty"
    path.write_bytes(bytes(range(256)) * 10)
    assert sentence(path) == f"{path}: a binary file; expected text"
    with pytest.raises(DataError):
        read_data(path)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("a.jsonl", {"group": "g"}, "group does not apply to jsonl (one JSON object per line), only to csv"),
        (
            "a.csv",
            {"schema": from_records([{}]).schema},
            "schema does not apply to csv (a table with a header), only to ",
        ),
        ("a.gml", {"link": "xs"}, "link does not apply to gml"),
        ("a.gml", {"individual": "Atom"}, "individual must be 'Graph', 'Node' or 'Edge' for graphs; got 'Atom'"),
    ],
)
def test_options_that_make_no_sense_for_a_format_are_refused(tmp_path, name, options, message):
    path = tmp_path / name
    path.write_text("graph [ node [ id 0 ] ]" if name.endswith("gml") else "{}")
    assert sentence(path, **options).startswith(message)
    with pytest.raises(UsageError):
        read_data(path, **options)


def test_real_bags_are_read(shared_data, tmp_path):
    """Musk 1: 92 molecules as sets of 476 conformations, read, written, and read again."""
    names = ["molecule", "conformation", *(f"f{i}" for i in range(1, 167)), "musk"]
    rows = gzip.decompress(shared_data("musk/clean1.data.gz").read_bytes())
    path = tmp_path / "musk.csv"
    path.write_bytes(",".join(names).encode() + b"\n" + rows)
    musk = read_data(path, group="molecule", link="conformations", individual="Molecule")
    assert len(musk) == 92 and musk.table("Conformation").n_rows == 476
    assert musk.schema.type("Molecule").members == ("musk", "conformations")
    assert np.bincount(musk.column("musk").values.astype(int)).tolist() == [45, 47]
    write_jsonl(musk, tmp_path / "musk.jsonl")
    assert same_population(read_jsonl(tmp_path / "musk.jsonl"), musk)


def test_a_real_table_is_read(shared_data, tmp_path):
    """Adult: 32 561 people; the file has no header, which is noticed."""
    source = shared_data("uci/adult-train.csv.gz")
    assert (
        sentence(source)
        == f"{source}:1: the header looks like a row of data; add a line with the names of the columns, "
        "or use header=False"
    )
    path = tmp_path / "adult.csv"
    path.write_bytes(b"age,work,weight,school,years,status,job,role,race,sex,gain,loss,hours,country,income\n")
    with path.open("ab") as file:
        file.write(gzip.decompress(source.read_bytes()))
    adult = read_data(path)
    assert len(adult) == 32_561 and adult.column("income").categories == ("<=50K", ">50K")
    assert adult.column("work").missing.sum() == 1836
