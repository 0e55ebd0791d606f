"""Graphs of networkx: every kind of graph, attributes, and names of nodes that mean nothing."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from structtree.data.readers.graphs.reading import from_graphs, read_graphs
from structtree.data.readers.records.reading import read_jsonl, write_jsonl
from structtree.data.schema import Attribute, Link, RecordType
from structtree.errors import DataError, UnknownNameError, UsageError
from structtree.lang.parse import parse_predicate
from structtree.space.evaluate import holds
from tests.data.sameness import canonical, same_population

KINDS = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]


def water():
    graph = nx.Graph(name="water", polar=True)
    graph.add_nodes_from([("o", {"element": "O"}), ("h1", {"element": "H"}), ("h2", {"element": "H"})])
    graph.add_edges_from([("o", "h1"), ("o", "h2")], order=1)
    return graph


@st.composite
def graphs(draw, kind):
    """A small graph with attributes, some of them missing, with loops and, if it can, parallel edges."""
    graph = kind(size=draw(st.integers(0, 3)))
    names = draw(st.lists(st.text("abc", max_size=2), max_size=5, unique=True))
    for name in names:
        graph.add_node(name, **draw(st.fixed_dictionaries({}, optional={"label": st.sampled_from("xy")})))
    if names:
        for u, v, weight in draw(
            st.lists(st.tuples(st.sampled_from(names), st.sampled_from(names), st.integers(0, 2)), max_size=8)
        ):
            graph.add_edge(u, v, weight=weight)
    return graph


def edges_of(population, link):
    """All (from, to, attributes) that the nodes see, as rows of nodes."""
    nodes, to = population.table("Node").links[link], population.table("Edge").links["to"]
    columns = population.table("Edge").columns
    return [
        (node, int(to.of(edge)[0]), {key: column.value(edge) for key, column in columns.items()})
        for node in range(population.table("Node").n_rows)
        for edge in nodes.of(node)
    ]


def as_list(edges):
    return sorted(map(repr, edges))


def test_an_undirected_graph_is_seen_from_both_ends():
    population = from_graphs([water()])
    assert population.schema.types == (
        RecordType(
            "Graph", (Attribute("name", "nominal"), Attribute("polar", "bool")), (Link("nodes", "set", "Node"),)
        ),
        RecordType("Node", (Attribute("element", "nominal"),), (Link("edges", "set", "Edge"),)),
        RecordType("Edge", (Attribute("order", "int"),), (Link("to", "one", "Node"),)),
    )
    order = {"order": 1}
    assert edges_of(population, "edges") == [(0, 1, order), (0, 2, order), (1, 0, order), (2, 0, order)]


def test_a_loop_is_one_edge():
    population = from_graphs([nx.Graph([(1, 1), (1, 2)])])
    assert edges_of(population, "edges") == [(0, 0, {}), (0, 1, {}), (1, 0, {})]


def test_a_directed_edge_goes_out_and_comes_in():
    graph = nx.DiGraph()
    graph.add_edge("a", "b", w=1)
    graph.add_edge("c", "b", w=2)
    graph.add_edge("b", "b", w=3)
    population = from_graphs([graph])
    assert population.schema.type("Node").links == (Link("outgoing", "set", "Edge"), Link("incoming", "set", "Edge"))
    assert edges_of(population, "outgoing") == [(0, 1, {"w": 1}), (1, 1, {"w": 3}), (2, 1, {"w": 2})]
    assert edges_of(population, "incoming") == [(1, 0, {"w": 1}), (1, 1, {"w": 3}), (1, 2, {"w": 2})]


def test_parallel_edges_are_edges_of_their_own():
    graph = nx.MultiGraph()
    graph.add_edge(0, 1, w=1)
    graph.add_edge(0, 1, w=2)
    graph.add_edge(0, 0)
    found = edges_of(from_graphs([graph]), "edges")
    assert as_list(found) == as_list(
        [(0, 1, {"w": 1}), (0, 1, {"w": 2}), (0, 0, {"w": None}), (1, 0, {"w": 1}), (1, 0, {"w": 2})]
    )


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_every_edge_of_networkx_is_there_once_from_each_end(kind, data):
    graph = data.draw(graphs(kind))
    population = from_graphs([graph])
    row = {name: i for i, name in enumerate(graph)}
    forth = [(row[u], row[v], {"weight": w}) for u, v, w in graph.edges(data="weight")]
    back = [(v, u, w) for u, v, w in forth]
    if not graph.number_of_edges():
        assert population.table("Edge").n_rows == 0
    elif graph.is_directed():
        assert as_list(edges_of(population, "outgoing")) == as_list(forth)
        assert as_list(edges_of(population, "incoming")) == as_list(back)
    else:
        both = forth + [(u, v, w) for u, v, w in back if u != v]
        assert as_list(edges_of(population, "edges")) == as_list(both)
    assert (
        [population.table("Node").columns["label"].value(i) for i in range(len(graph))]
        == [label for _, label in graph.nodes(data="label")]
        if "label" in population.table("Node").columns
        else True
    )


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_names_and_order_of_nodes_and_edges_mean_nothing(kind, data):
    several = data.draw(st.lists(graphs(kind), min_size=1, max_size=3))
    expected = canonical(from_graphs(several))
    renamed = [nx.relabel_nodes(g, {n: ("new", i) for i, n in enumerate(g)}) for g in several]
    assert canonical(from_graphs(renamed)) == expected
    assert canonical(from_graphs([shuffled(g, data.draw) for g in several])) == expected
    assert canonical(from_graphs(several[::-1])) == expected[::-1]


def shuffled(graph, draw):
    other = graph.__class__(**graph.graph)
    other.add_nodes_from(draw(st.permutations(list(graph.nodes(data=True)))))
    other.add_edges_from(draw(st.permutations(list(graph.edges(data=True)))))
    return other


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_graphs_survive_a_file(tmp_path_factory, kind, data):
    population = from_graphs(data.draw(st.lists(graphs(kind), min_size=1, max_size=3)))
    path = tmp_path_factory.mktemp("graphs") / "graphs.jsonl"
    write_jsonl(population, path)
    assert same_population(read_jsonl(path), population)


def test_graphs_are_laid_end_to_end():
    population = from_graphs([water(), nx.Graph(), nx.path_graph(2)])
    assert population.table("Graph").links["nodes"].lengths.tolist() == [3, 0, 2]
    assert population.table("Edge").links["to"].targets.tolist() == [1, 2, 0, 0, 4, 3]
    assert population.column("name").value(1) is None


def test_views_and_subgraphs_are_graphs_too():
    path = nx.path_graph(5)
    population = from_graphs([path.subgraph([1, 2, 4])])
    assert edges_of(population, "edges") == [(0, 1, {}), (1, 0, {})]


def test_the_individual_may_be_a_node():
    population = from_graphs([nx.star_graph(3)], individual="Node")
    assert population.schema.names == ("Node", "Edge") and len(population) == 4
    assert population.table("Node").links["edges"].lengths.tolist() == [3, 1, 1, 1]


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_the_individual_may_be_an_edge_in_the_order_of_networkx(kind, data):
    several = data.draw(st.lists(graphs(kind), min_size=1, max_size=3))
    population = from_graphs(several, individual="Edge", types={"label": "nominal"} if has_labels(several) else None)
    names = [name for graph in several for name in ((id(graph), node) for node in graph)]
    row = {name: i for i, name in enumerate(names)}
    expected = [(row[id(g), u], row[id(g), v], w) for g in several for u, v, w in g.edges(data="weight")]
    assert len(population) == len(expected)
    table = population.table("Edge")
    if several[0].is_directed():
        ends = [(int(table.links["from"].of(e)[0]), int(table.links["to"].of(e)[0])) for e in range(len(expected))]
        assert ends == [(u, v) for u, v, _ in expected]
        assert_inverse(population, "outgoing", "from")
        assert_inverse(population, "incoming", "to")
    else:
        ends = [set(table.links["ends"].of(e).tolist()) for e in range(len(expected))]
        assert ends == [{u, v} for u, v, _ in expected]
        assert_inverse(population, "edges", "ends")
    if "weight" in table.columns:
        assert [table.columns["weight"].value(e) for e in range(len(expected))] == [w for _, _, w in expected]


def has_labels(several):
    return any("label" in attributes for graph in several for _, attributes in graph.nodes(data=True))


def assert_inverse(population, link, back):
    """The edges of a node are those that it is an end of."""
    there, here = population.table("Node").links[link], population.table("Edge").links[back]
    pairs = set(zip(there.owners.tolist(), there.targets.tolist(), strict=True))
    assert pairs == set(zip(here.targets.tolist(), here.owners.tolist(), strict=True))
    assert len(there.targets) == len(pairs)


def test_edges_with_a_label_are_a_task():
    """Which edges join two nodes of one colour: a question about both ends."""
    graph = nx.Graph()
    graph.add_nodes_from([(0, {"colour": "red"}), (1, {"colour": "red"}), (2, {"colour": "blue"})])
    graph.add_edges_from([(0, 1), (1, 2), (2, 2)])
    population = from_graphs([graph], individual="Edge")
    assert holds(parse_predicate("count ends (colour = red) >= 2"), population).tolist() == [True, False, False]
    both = parse_predicate("distinct ends (colour = red, colour = blue)")
    assert holds(both, population).tolist() == [False, True, False]


def test_attributes_are_read_as_told():
    graph = nx.Graph()
    graph.add_node(0, label=1)
    graph.add_edge(0, 0, label=2)
    population = from_graphs([graph], types={"Node.label": "nominal"})
    assert population.table("Node").columns["label"].categories == ("1",)
    assert population.table("Edge").columns["label"].kind == "int"


def test_an_attribute_that_is_always_missing_is_nominal():
    graph = nx.Graph()
    graph.add_node(0, label=None)
    assert from_graphs([graph]).table("Node").columns["label"].missing.all()


@pytest.mark.parametrize(
    ("node", "edge", "message"),
    [
        (
            {"charge": "high"},
            {},
            "expected a number, got 'high' at $.nodes['b'].charge (individual 1); "
            "to read all of it as text: types={'charge': 'nominal'}",
        ),
        ({}, {"order": "x"}, "expected a number, got 'x' at $.nodes['b'].edges['c'].order (individual 1)"),
        ({"charge": [1]}, {}, "expected a number, got a list at $.nodes['b'].charge (individual 1)"),
        ({"box": {}}, {}, "expected a plain value, got a record at $.nodes['b'].box (individual 1)"),
        ({"edges": 3}, {}, "the attribute 'edges' of Node has the same name as a link; rename the attribute"),
        ({}, {"to": 3}, "the attribute 'to' of Edge has the same name as a link"),
    ],
)
def test_attributes_that_do_not_fit_are_refused_with_their_place(node, edge, message):
    first, second = nx.Graph(), nx.Graph()
    first.add_node("a", charge=1.5)
    first.add_edge("a", "a", order=1)
    second.add_node("b", **node)
    second.add_edge("b", "c", **edge)
    with pytest.raises(DataError) as caught:
        from_graphs([first, second])
    assert str(caught.value).startswith(message)


def test_a_misfit_is_counted_by_nodes_when_nodes_are_the_individuals():
    graph = nx.DiGraph()
    graph.add_node("a", x=1)
    graph.add_node("b", x="y")
    with pytest.raises(DataError, match=r"at \$.nodes\['b'\].x \(individual 1\)"):
        from_graphs([graph], individual="Node")


@pytest.mark.parametrize(
    ("several", "error", "message"),
    [
        (
            [nx.Graph(), nx.DiGraph()],
            DataError,
            "expected undirected graphs like the first, got a graph that is",
        ),
        ([nx.Graph(), 3], DataError, r"expected a networkx graph, got 3 \(individual 1\)"),
        ([], DataError, "expected at least one graph, got none"),
        (nx.Graph([(1, 2)]), UsageError, r"pass \[graph\]"),
    ],
)
def test_what_is_not_a_list_of_like_graphs_is_refused(several, error, message):
    with pytest.raises(error, match=message):
        from_graphs(several)


def test_options_that_make_no_sense_are_refused():
    with pytest.raises(UsageError, match="individual must be 'Graph', 'Node' or 'Edge' for graphs; got 'Vertex'"):
        from_graphs([water()], individual="Vertex")
    with pytest.raises(UnknownNameError, match=r"unknown member 'elemnt' \(did you mean 'element'\?\)"):
        from_graphs([water()], types={"elemnt": "nominal"})


# ---- files ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".graphml", ".gml", ".graphml.gz", ".gml.gz"])
def test_a_graph_file_is_read(tmp_path, suffix):
    graph = nx.convert_node_labels_to_integers(water())
    path = tmp_path / f"water{suffix}"
    nx.write_gml(graph, path) if "gml" in suffix and "graphml" not in suffix else nx.write_graphml(graph, path)
    population = read_graphs(path)
    assert [population.table("Node").columns["element"].value(i) for i in range(3)] == ["O", "H", "H"]
    assert len(edges_of(population, "edges")) == 4 and population.column("name").value(0) == "water"
    assert set(population.schema.type("Graph").members) == {"name", "polar", "nodes"}


def test_a_folder_has_one_graph_a_file_in_order_of_name(tmp_path):
    nx.write_gml(nx.path_graph(3), tmp_path / "b.gml")
    nx.write_graphml(nx.path_graph(2), tmp_path / "a.graphml")
    (tmp_path / "readme.txt").write_text("not a graph")
    assert read_graphs(tmp_path).table("Graph").links["nodes"].lengths.tolist() == [2, 3]


@pytest.mark.parametrize(("name", "text"), [("a.gml", "graph [ node ["), ("a.graphml", "<graphml><graph></graphml>")])
def test_a_broken_graph_file_is_refused_in_one_sentence(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(DataError) as caught:
        read_graphs(path)
    assert str(caught.value).startswith(f"{path}: broken {path.suffix[1:]}: ") and "\n" not in str(caught.value)


def test_errors_in_a_folder_name_the_file(tmp_path):
    for name, value in {"a": 1, "b": "high"}.items():
        graph = nx.Graph()
        graph.add_node(0, x=value)
        nx.write_gml(graph, tmp_path / f"{name}.gml")
    with pytest.raises(DataError) as caught:
        read_graphs(tmp_path)
    assert str(caught.value).startswith(f"{tmp_path / 'b.gml'}: expected a number, got 'high' at $.nodes[0].x")
    nx.write_gml(nx.DiGraph(), tmp_path / "b.gml")
    with pytest.raises(DataError, match=r"b.gml: expected undirected graphs like the first"):
        read_graphs(tmp_path)


def test_dates_of_nodes_may_have_a_declared_layout():
    graph = nx.Graph()
    graph.add_node(0, born="31.12.2024")
    node = from_graphs([graph], types={"Node.born": "date(day-first)"}).table("Node")
    assert node.columns["born"].value(0).isoformat() == "2024-12-31"
