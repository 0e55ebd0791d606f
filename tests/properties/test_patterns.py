"""Path and star patterns over graphs agree with brute force on the networkx graph itself."""

from __future__ import annotations

from itertools import combinations, permutations, product

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from structtree.data.population import Population
from structtree.lang import syntax as syn
from structtree.space.evaluate import holds

# Every population gets this graph as well, so that the attributes of nodes and edges are always known.
PLAIN = nx.Graph()
PLAIN.add_nodes_from([0, 1], label="z")
PLAIN.add_edge(0, 1, bond="z")

LABELS = "abc"
BONDS = "st"


@st.composite
def graphs(draw, directed=False):
    n = draw(st.integers(1, 6))
    pairs = [(u, v) for u in range(n) for v in range(n) if u != v and (directed or u < v)]
    graph = nx.DiGraph() if directed else nx.Graph()
    for node in range(n):
        graph.add_node(node, label=draw(st.sampled_from(LABELS)))
    if pairs:
        for u, v in draw(st.lists(st.sampled_from(pairs), unique=True)):
            graph.add_edge(u, v, bond=draw(st.sampled_from(BONDS)))
    return graph


def answers(predicate, graphs):
    plain = PLAIN.to_directed() if graphs[0].is_directed() else PLAIN
    return holds(predicate, Population.from_graphs([*graphs, plain])).tolist()[:-1]


def label(value):
    return syn.Compare("label", "=", value)


def bond_to(bond, inner, link="edges"):
    return syn.Exists(link, syn.And((syn.Compare("bond", "=", bond), syn.Follow("to", inner))))


def path_predicate(labels, bonds, link="edges"):
    """A walk with these labels along these bonds, as a nested predicate on a graph."""
    inner = label(labels[-1])
    for value, bond in zip(reversed(labels[:-1]), reversed(bonds), strict=True):
        inner = syn.And((label(value), bond_to(bond, inner, link)))
    return syn.Exists("nodes", inner)


def has_walk(graph, labels, bonds):
    """Whether a homomorphism from the labelled path exists, by trying all maps."""
    return any(
        all(graph.nodes[node]["label"] == value for node, value in zip(image, labels, strict=True))
        and all(
            graph.has_edge(u, v) and graph.edges[u, v]["bond"] == bond
            for u, v, bond in zip(image, image[1:], bonds, strict=False)
        )
        for image in product(graph.nodes, repeat=len(labels))
    )


walks = st.integers(1, 4).flatmap(
    lambda n: st.tuples(
        st.lists(st.sampled_from(LABELS), min_size=n, max_size=n),
        st.lists(st.sampled_from(BONDS), min_size=n - 1, max_size=n - 1),
    )
)


@given(st.lists(graphs(), min_size=1, max_size=4), walks)
def test_path_patterns_are_homomorphisms(individuals, walk):
    labels, bonds = walk
    found = answers(path_predicate(labels, bonds), individuals)
    assert found == [has_walk(graph, labels, bonds) for graph in individuals]


@given(st.lists(graphs(directed=True), min_size=1, max_size=4), walks)
def test_directed_path_patterns_follow_the_arrows(individuals, walk):
    labels, bonds = walk
    found = answers(path_predicate(labels, bonds, "outgoing"), individuals)
    assert found == [has_walk(graph, labels, bonds) for graph in individuals]


def star_counts(graph, centre, arms):
    """Whether some centre has different neighbours for all arms (bond, label), by trying all choices."""
    return any(
        any(
            all(
                graph.edges[node, leaf]["bond"] == bond and graph.nodes[leaf]["label"] == value
                for leaf, (bond, value) in zip(leaves, ordered, strict=True)
            )
            for leaves in combinations(graph.neighbors(node), len(arms))
            for ordered in permutations(arms)
        )
        for node in graph.nodes
        if graph.nodes[node]["label"] == centre
    )


arms_of_stars = st.lists(st.tuples(st.sampled_from(BONDS), st.sampled_from(LABELS)), min_size=1, max_size=3)


@given(st.lists(graphs(), min_size=1, max_size=4), st.sampled_from(LABELS), arms_of_stars)
def test_star_patterns_need_different_neighbours(individuals, centre, arms):
    inners = tuple(syn.And((syn.Compare("bond", "=", bond), syn.Follow("to", label(value)))) for bond, value in arms)
    predicate = syn.Exists("nodes", syn.And((label(centre), syn.Distinct("edges", inners))))
    found = answers(predicate, individuals)
    assert found == [star_counts(graph, centre, arms) for graph in individuals]


@given(st.lists(graphs(), min_size=1, max_size=4), st.sampled_from(LABELS), st.integers(1, 4))
def test_counts_are_degrees(individuals, value, n):
    predicate = syn.Exists("nodes", syn.Count("edges", syn.Follow("to", label(value)), ">=", n))
    found = answers(predicate, individuals)
    expected = [
        any(sum(g.nodes[v]["label"] == value for v in g.neighbors(u)) >= n for u in g.nodes) for g in individuals
    ]
    assert found == expected


@given(st.lists(graphs(), min_size=1, max_size=3), walks, st.randoms(use_true_random=False))
def test_relabelling_nodes_changes_no_answer(individuals, walk, random):
    predicate = path_predicate(*walk)
    shuffled = []
    for graph in individuals:
        names = [f"n{i}" for i in range(len(graph))]
        random.shuffle(names)
        renamed = nx.relabel_nodes(graph, dict(zip(graph.nodes, names, strict=True)))
        moved = nx.Graph()
        moved.add_nodes_from(sorted(renamed.nodes(data=True)))
        moved.add_edges_from(renamed.edges(data=True))
        shuffled.append(moved)
    assert answers(predicate, individuals) == answers(predicate, shuffled)
