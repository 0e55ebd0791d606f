"""Folders of the TU format: what networkx would give, label maps of readmes, and one sentence for what is wrong."""

from __future__ import annotations

import gzip
from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from structtree.data.readers.graphs.reading import from_graphs
from structtree.data.readers.graphs.tu import is_tu_folder, read_tu
from structtree.data.readers.opening import open_data
from structtree.data.readers.sources import read_data
from structtree.data.schema import Attribute, Link, RecordType
from structtree.errors import StructtreeError, UnknownNameError, UsageError
from tests.data.sameness import canonical, same_population

TINY = {
    "A": "1, 2\n2, 1\n2, 3\n3, 2\n4, 5\n5, 4\n",
    "graph_indicator": "1\n1\n1\n2\n2\n",
    "graph_labels": "1\n-1\n",
    "node_labels": "0\n1\n0\n2\n2\n",
    "edge_labels": "0\n0\n1\n1\n0\n0\n",
}


def write(folder, files, name="TINY", **readmes):
    for what, text in files.items():
        (folder / f"{name}_{what}.txt").write_text(text)
    for what, text in readmes.items():
        (folder / f"{what}.txt").write_text(text)
    return folder


def values(population, type_name, attribute):
    column = population.table(type_name).columns[attribute]
    return [column.value(row) for row in range(len(column))]


def test_a_folder_becomes_graphs_nodes_and_edges(tmp_path):
    population = read_tu(write(tmp_path, TINY))
    assert population.schema.types == (
        RecordType("Graph", (Attribute("class", "nominal"),), (Link("nodes", "set", "Node"),)),
        RecordType("Node", (Attribute("label", "nominal"),), (Link("edges", "set", "Edge"),)),
        RecordType("Edge", (Attribute("label", "nominal"),), (Link("to", "one", "Node"),)),
    )
    assert values(population, "Graph", "class") == ["1", "-1"]
    assert population.table("Graph").links["nodes"].lengths.tolist() == [3, 2]
    assert population.table("Node").links["edges"].lengths.tolist() == [1, 2, 1, 1, 1]
    assert population.table("Edge").links["to"].targets.tolist() == [1, 0, 2, 1, 4, 3]


def test_a_folder_brings_its_target(tmp_path):
    opened = open_data(write(tmp_path, TINY))
    assert opened.target_name == "class" and opened.target.tolist() == ["1", "-1"]
    assert opened.population.schema.type("Graph").members == ("nodes",)
    assert open_data(tmp_path, individual="Node").target is None
    nodes = open_data(tmp_path, individual="Node", target="label")
    assert nodes.target.tolist() == ["0", "1", "0", "2", "2"] and nodes.population.schema.names == ("Node", "Edge")


@pytest.mark.parametrize(("text", "target"), [("0.5\n2\n", [0.5, 2.0]), ("3\n4\n", [3.0, 4.0])])
def test_a_single_number_of_graphs_is_the_target(tmp_path, text, target):
    files = {**TINY, "graph_attributes": text}
    del files["graph_labels"]
    opened = open_data(write(tmp_path, files))
    assert opened.target_name == "value" and opened.target.tolist() == target


def test_several_numbers_of_graphs_are_attributes_and_none_is_the_target(tmp_path):
    files = {**TINY, "graph_attributes": "0.5, 1\n2, 3\n"}
    del files["graph_labels"]
    opened = open_data(write(tmp_path, files))
    assert opened.target is None and opened.population.schema.type("Graph").members == ("value1", "value2", "nodes")
    assert open_data(tmp_path, target="value2").target.tolist() == [1, 3]


def test_attributes_are_numbers_and_labels_may_be_several(tmp_path):
    files = {
        **TINY,
        "node_labels": "0, 7\n1, 7\n0, 8\n2, 8\n2, 7\n",
        "node_attributes": "0.5, 1\n1.5, 2\n2, 3\n2, 4\nnan, 5\n",
        "edge_attributes": "1\n1\n2\n2\n3.5\n3.5\n",
    }
    population = read_tu(write(tmp_path, files))
    assert population.schema.type("Node").members == ("label1", "label2", "attribute1", "attribute2", "edges")
    assert [population.schema.type("Node").attribute(f"attribute{i}").kind for i in (1, 2)] == ["real", "int"]
    assert values(population, "Node", "attribute1") == [0.5, 1.5, 2, 2, None]
    assert values(population, "Edge", "attribute") == [1, 1, 2, 2, 3.5, 3.5]


def test_kinds_are_read_as_told(tmp_path):
    write(tmp_path, TINY)
    population = read_tu(tmp_path, types={"Node.label": "int", "class": "real"})
    assert population.table("Node").columns["label"].kind == "int" and population.column("class").kind == "real"
    with pytest.raises(UnknownNameError, match="unknown member 'lable'"):
        read_tu(tmp_path, types={"lable": "int"})


def test_files_may_be_packed(tmp_path):
    plain, packed = tmp_path / "plain", tmp_path / "packed"
    plain.mkdir()
    packed.mkdir()
    write(plain, TINY)
    for what, text in TINY.items():
        (packed / f"TINY_{what}.txt.gz").write_bytes(gzip.compress(text.encode()))
    assert same_population(read_data(packed), read_data(plain))
    assert is_tu_folder(packed) and not is_tu_folder(tmp_path)


def test_nodes_may_come_in_any_order(tmp_path):
    """Graphs 1 and 2 take turns; each keeps its own nodes, labels and edges."""
    files = {
        "A": "1, 3\n2, 4\n3, 1\n4, 2\n",
        "graph_indicator": "1\n2\n1\n2\n",
        "graph_labels": "0\n1\n",
        "node_labels": "5\n6\n7\n8\n",
        "edge_labels": "1\n2\n1\n2\n",
    }
    population = read_tu(write(tmp_path, files))
    graphs = [population.record(i, depth=3)["nodes"] for i in range(2)]
    assert [[(n["label"], n["edges"][0]["label"], n["edges"][0]["to"]["label"]) for n in g] for g in graphs] == [
        [("5", "1", "7"), ("7", "1", "5")],
        [("6", "2", "8"), ("8", "2", "6")],
    ]


def test_arcs_in_one_direction_only_are_a_directed_graph(tmp_path):
    population = read_tu(write(tmp_path, {"A": "1, 2\n3, 2\n", "graph_indicator": "1\n1\n1\n"}))
    assert population.schema.type("Node").members == ("outgoing", "incoming")
    assert population.table("Node").links["incoming"].lengths.tolist() == [0, 2, 0]


def test_edges_can_be_the_individuals(tmp_path):
    population = read_tu(write(tmp_path, TINY), individual="Edge")
    assert len(population) == 3 and values(population, "Edge", "label") == ["0", "1", "0"]
    assert population.record(1, depth=1)["ends"] == [{"label": "1", "edges": "..."}, {"label": "0", "edges": "..."}]
    with pytest.raises(UsageError, match="individual must be 'Graph', 'Node' or 'Edge' for graphs; got 'Vertex'"):
        read_tu(tmp_path, individual="Vertex")


@given(
    data=st.lists(
        st.tuples(st.integers(1, 4), st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=6)),
        min_size=1,
    )
)
def test_a_folder_is_what_networkx_has(tmp_path_factory, data):
    graphs, arcs, indicator, labels = [], [], [], []
    for number, (n, edges) in enumerate(data, 1):
        graph = nx.Graph()
        first = len(indicator) + 1
        graph.add_nodes_from((i, {"label": str((i + number) % 2)}) for i in range(n))
        graph.add_edges_from((u % n, v % n) for u, v in edges)
        graphs.append(graph)
        indicator += [number] * n
        labels += [(i + number) % 2 for i in range(n)]
        arcs += [(first + u, first + v) for u in graph for v in graph[u]]
    if not arcs:
        return
    folder = tmp_path_factory.mktemp("tu")
    write(
        folder,
        {
            "A": "".join(f"{u}, {v}\n" for u, v in arcs),
            "graph_indicator": "".join(f"{i}\n" for i in indicator),
            "node_labels": "".join(f"{i}\n" for i in labels),
        },
    )
    assert canonical(read_tu(folder)) == canonical(from_graphs(graphs, types={"label": "nominal"}))


# ---- readmes --------------------------------------------------------------------------------------------

ELEMENTS = ["C", "N", "C", "O", "O"]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("README", "Node labels: 0 C, 1 N, 2 O", ELEMENTS),
        ("readme", "Node labels:\n\n  0  C\n  1  N\n  2  O\n\nEdge labels:\n\n  0  single\n", ELEMENTS),
        ("README", "node_labels: 0=C; 1=N; 2=O.", ELEMENTS),
        ("README", "Node labels:\n[0] = C\n[1] = N\n[2] = O\n", ELEMENTS),
        ("README", "# Node labels\n\n- 0 -> C\n- 1: N\n* 2 O\n", ELEMENTS),
        (
            "TINY_label_readme",
            "Node labels were converted using this map:\n\nComponent 0:\n\t0\tC\n\t1\tN\n\t2\tO\n",
            ELEMENTS,
        ),
        ("README", "Node labels: 0 C, 1 N", ["0", "1", "0", "2", "2"]),
        ("README", "Node labels: 0 C, 1 C, 2 O", ["0", "1", "0", "2", "2"]),
        ("README", "(4) DS_node_labels.txt (n lines)\n column vector of node labels,\n 1 line for each", None),
        ("notes", "Node labels: 0 C, 1 N, 2 O", None),
    ],
)
def test_a_readme_names_labels_if_it_is_clear(tmp_path, name, text, expected):
    population = read_tu(write(tmp_path, TINY, **{name: text}))
    assert values(population, "Node", "label") == (expected or ["0", "1", "0", "2", "2"])


def test_a_readme_names_classes_and_edges_too(tmp_path):
    text = "Class labels:\n -1 no\n 1 yes\n\nEdge labels: 0 single, 1 double\n"
    population = read_tu(write(tmp_path, TINY, README=text))
    assert values(population, "Graph", "class") == ["yes", "no"]
    assert values(population, "Edge", "label") == ["single", "single", "double", "double", "single", "single"]


def test_names_in_a_label_readme_may_have_several_words(tmp_path):
    """With a tab between number and name, the rest of the line is the name."""
    text = "Node labels:\t\t[chem]\n\nComponent 0:\n\t0\tcarbon, sp3\n\t1\tamide N\n\t2\tO\n"
    text += "\nClass labels were converted using this map:\n\n\t-1\tnot active\n\t1\tactive\n"
    population = read_tu(write(tmp_path, TINY, TINY_label_readme=text))
    assert values(population, "Node", "label") == ["carbon, sp3", "amide N", "carbon, sp3", "O", "O"]
    assert values(population, "Graph", "class") == ["active", "not active"]


def test_components_of_labels_have_maps_of_their_own(tmp_path):
    files = {**TINY, "node_labels": "0, 0\n1, 0\n0, 1\n0, 1\n0, 0\n"}
    text = "Node labels:\nComponent 0:\n 0 C\n 1 N\nComponent 1:\n 0 acid\n 1 base\n"
    population = read_tu(write(tmp_path, files, README=text))
    assert values(population, "Node", "label1") == ["C", "N", "C", "C", "C"]
    assert values(population, "Node", "label2") == ["acid", "acid", "base", "base", "acid"]


# ---- what is wrong --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"A": None}, "there is no file {}/TINY_A.txt (or .txt.gz)"),
        ({"graph_indicator": None}, "there is no file {}/TINY_graph_indicator.txt (or .txt.gz)"),
        ({"A": "1, 2\n2, 9\n"}, "{}/TINY_A.txt:2: node 9 does not exist: TINY_graph_indicator.txt has 5 lines"),
        ({"A": "0, 2\n"}, "{}/TINY_A.txt:1: node 0 does not exist: TINY_graph_indicator.txt has 5 lines"),
        (
            {"A": "1, 2\n1, 4\n"},
            "{}/TINY_A.txt:2: an edge leads from graph 1 to graph 2; expected both ends in one graph",
        ),
        ({"A": "1, 2\n2, x\n"}, "{}/TINY_A.txt:2: expected an integer, got 'x'"),
        ({"A": "1, 2\n2\n"}, "{}/TINY_A.txt:2: expected 2 numbers as in the first line, got 1"),
        ({"A": "1\n2\n"}, "{}/TINY_A.txt:1: expected two nodes, got 1 numbers"),
        ({"A": ""}, "{}/TINY_A.txt: the file is empty"),
        (
            {"graph_indicator": "1\n1\n1\n2\n3\n"},
            "{}/TINY_graph_indicator.txt:5: graph 3 does not exist: TINY_graph_labels.txt has 2 lines",
        ),
        (
            {"graph_indicator": "0\n1\n1\n2\n2\n"},
            "{}/TINY_graph_indicator.txt:1: expected the number of a graph, at least 1; got 0",
        ),
        (
            {"node_labels": "0\n1\n0\n2\n"},
            "{}/TINY_node_labels.txt: expected 5 lines, one for each node of TINY_graph_indicator.txt; got 4",
        ),
        ({"edge_labels": "0\n"}, "{}/TINY_edge_labels.txt: expected 6 lines, one for each edge of TINY_A.txt; got 1"),
        ({"node_labels": "0\n1\n0\n2.5\n2\n"}, "{}/TINY_node_labels.txt:4: expected an integer, got '2.5'"),
        ({"node_attributes": "0\n1\nhigh\n2\n2\n"}, "{}/TINY_node_attributes.txt:3: expected a number, got 'high'"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(tmp_path, changed, message):
    write(tmp_path, {what: text for what, text in {**TINY, **changed}.items() if text is not None})
    with pytest.raises(StructtreeError) as caught:
        read_data(tmp_path)
    assert str(caught.value) == message.format(tmp_path)


def test_a_folder_of_two_data_sets_is_refused(tmp_path):
    write(write(tmp_path, TINY), TINY, name="SMALL")
    with pytest.raises(StructtreeError, match="expected the files of one dataset, got SMALL and TINY"):
        read_data(tmp_path)
    with pytest.raises(StructtreeError, match="expected a folder in TU format"):
        read_tu(tmp_path / "nothing")


# ---- real data ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "n_nodes", "n_arcs", "classes"),
    [
        ("mutag", 3371, 7442, {"1": 125, "-1": 63}),
        ("nci1", 122747, 265506, {"0": 2053, "1": 2057}),
        ("enzymes", 19580, 74564, dict.fromkeys("123456", 100)),
        ("proteins", 43471, 162088, {"1": 663, "2": 450}),
        ("mutagenicity", 131488, 266894, {"mutagen": 2401, "nonmutagen": 1936}),
    ],
)
def test_real_folders_are_read(shared_data, name, n_nodes, n_arcs, classes):
    opened = open_data(shared_data(name))
    assert opened.population.table("Node").n_rows == n_nodes and opened.population.table("Edge").n_rows == n_arcs
    assert Counter(opened.target.tolist()) == classes
    assert opened.population.schema.type("Node").link("edges")


def test_a_readme_that_comes_with_real_data_is_understood(shared_data):
    population = read_tu(shared_data("mutagenicity"))
    assert {"C", "N", "O", "Cl", "Br"} <= set(population.table("Node").columns["label"].categories)
    assert population.table("Edge").columns["label"].categories == ("1", "2", "3")


def test_the_nodes_of_four_thousand_graphs_stay_in_order(shared_data):
    population = read_tu(shared_data("nci1"))
    assert len(population) == 4110
    assert np.array_equal(population.table("Graph").links["nodes"].targets, np.arange(122747))
