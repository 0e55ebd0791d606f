"""Numbers of cycles: what networkx lists, whatever the directions, the numbering and the other graphs."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from structtree import Grammar, Population, fit, load_model, pretty, save_model
from structtree.data.population import Adjacency
from structtree.errors import GrammarError
from structtree.space import cycles
from structtree.space.background import with_background
from structtree.space.cycles import n_cycles

pairs = st.integers(1, 9).flatmap(
    lambda n: st.tuples(st.just(n), st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=22))
)


def adjacency_of(n, arcs):
    tails, heads = np.array(arcs, dtype=np.int64).reshape(-1, 2).T
    return Adjacency.grouped(tails, heads, n)


def listed_cycles(n, arcs, length):
    """The number of cycles of a length through each node, by listing all of them."""
    graph = nx.Graph((tail, head) for tail, head in arcs if tail != head)
    found = [cycle for cycle in nx.simple_cycles(graph, length) if len(cycle) == length]
    return [sum(node in cycle for cycle in found) for node in range(n)]


@given(pairs, st.integers(3, 7))
def test_cycles_are_those_that_networkx_lists(graph, length):
    n, arcs = graph
    assert n_cycles(adjacency_of(n, arcs), length).tolist() == listed_cycles(n, arcs, length)


@pytest.mark.parametrize("length", range(3, 9))
def test_larger_graphs_have_the_cycles_that_networkx_lists(length):
    for seed in range(5):
        graph = nx.gnm_random_graph(30, 36, seed=seed)
        expected = listed_cycles(30, list(graph.edges), length)
        assert n_cycles(adjacency_of(30, list(graph.edges)), length).tolist() == expected


def test_a_large_chunk_and_many_small_ones_count_alike(monkeypatch):
    adjacency = adjacency_of(40, list(nx.gnm_random_graph(40, 70, seed=2).edges))
    whole = n_cycles(adjacency, 6)
    monkeypatch.setattr(cycles, "WALKS_AT_ONCE", 3)
    assert (n_cycles(adjacency, 6) == whole).all() and whole.max() > 0


def test_a_part_with_too_many_walks_has_no_number_and_other_parts_keep_theirs():
    clique = list(nx.complete_graph(40).edges)
    hexagon = [(40 + i, 40 + (i + 1) % 6) for i in range(6)]
    pendant = [(0, 46)]
    found = n_cycles(adjacency_of(47, clique + hexagon + pendant), 6)
    assert np.isnan(found[:40]).all() and found[40:].tolist() == [1.0] * 6 + [0.0]
    triangles = n_cycles(adjacency_of(47, clique + hexagon), 3)
    assert triangles[:40].tolist() == [39 * 38 / 2] * 40


def test_the_work_is_bounded_on_a_large_dense_graph():
    """All 6-cycles of this graph would be more than 10^14."""
    rng = np.random.default_rng(0)
    ends = rng.integers(0, 2_000, (100_000, 2))
    assert np.isnan(n_cycles(adjacency_of(2_000, ends), 6)).all()


# ---- in grammars ----------------------------------------------------------------------------------------


def test_graphs_have_the_cycles_that_networkx_lists():
    graphs = [nx.gnm_random_graph(9, m, seed=m) for m in (6, 9, 12, 15)]
    population = with_background(Population.from_graphs(graphs), Grammar.load("graphs"), {})
    for length in range(3, 7):
        expected = [count for graph in graphs for count in listed_cycles(9, list(graph.edges), length)]
        assert population.table("Node").columns[f"cycles{length}"].values.tolist() == expected


def test_the_cycles_of_a_graph_do_not_depend_on_the_other_graphs():
    graphs = [nx.gnm_random_graph(8, m, seed=m) for m in (10, 12)] + [nx.complete_graph(60)]
    grammar = Grammar.load("graphs")
    together = with_background(Population.from_graphs(graphs), grammar, {}).table("Node").columns["cycles6"].values
    alone = [with_background(Population.from_graphs([graph]), grammar, {}) for graph in graphs]
    apart = np.concatenate([population.table("Node").columns["cycles6"].values for population in alone])
    np.testing.assert_array_equal(together, apart)


@pytest.mark.parametrize("length", [3, 4, 5, 6])
def test_a_planted_cycle_is_found_without_a_grammar(length, tmp_path):
    rng = np.random.default_rng(length)
    graphs = [nx.gnm_random_graph(12, int(rng.integers(9, 15)), seed=seed) for seed in range(80)]
    labels = ["yes" if max(listed_cycles(12, list(graph.edges), length)) else "no" for graph in graphs]
    model = fit(graphs, labels)
    assert pretty(model.tree.tests[0]) == f"count nodes (cycles{length} >= 1) >= 1"
    save_model(model, tmp_path / "model.json")
    new = [nx.gnm_random_graph(12, 13, seed=seed) for seed in range(500, 530)]
    found = load_model(tmp_path / "model.json").predict(new).tolist()
    assert found == ["yes" if max(listed_cycles(12, list(graph.edges), length)) else "no" for graph in new]


@pytest.mark.parametrize(
    ("declaration", "message"),
    [
        ("attribute c: Node = cycles(edges.to, 2)", "expected a length from 3 to 8 for cycles, got '2'"),
        ("attribute c: Node = cycles(edges.to, 3.0)", "expected a length from 3 to 8 for cycles, got '3.0'"),
        (
            "attribute c: Node = cycles(edges, 3)",
            "expected a path from a type to itself in 'cycles', got 'edges'",
        ),
        ("attribute c: Node = cycles(edge.to, 3)", "unknown link 'edge' of type 'Node' (did you mean 'edges'?)"),
        ("attribute edges: Node = cycles(edges.to, 3)", "type 'Node' already has a member 'edges'"),
        ("attribute c: Node = 1 + cycles(edges.to, 3)", "expected"),
    ],
)
def test_a_wrong_declaration_is_an_error(declaration, message):
    population = Population.from_graphs([nx.path_graph(3)])
    with pytest.raises(GrammarError) as caught:
        Grammar.parse(f"{declaration}\nrefine Graph {{ top -> count nodes (top) >= * }}").check(population.schema)
    assert message in str(caught.value)


def test_cycles_may_follow_a_derived_link_and_be_used_in_expressions():
    population = Population.from_graphs([nx.cycle_graph(4)])
    grammar = Grammar.parse("""
        attribute twice: Node = 2 * rings
        attribute rings: Node = cycles(near, 4) "squares"
        link near: Node -> set of Node = edges.to
        refine Graph { top -> exists nodes (top) } refine Node { top -> twice >= * }
    """)
    assert with_background(population, grammar, {}).table("Node").columns["twice"].values.tolist() == [2] * 4
    assert Grammar.parse(str(grammar)) == grammar


def test_cycles_is_still_a_name():
    population = Population.from_records([{"cycles": [{"n": 3}, {"n": 4}]}], individual="Plan")
    grammar = Grammar.parse("refine Plan { top -> exists cycles (n >= 4) } attribute cycles: Record = n")
    assert grammar.syntax.computed[0].name == "cycles"
    assert Grammar.parse("refine Plan { top -> exists cycles (n >= 4) }").check(population.schema).warnings == ()


def test_a_grammar_without_the_link_of_the_path_loses_its_cycles():
    population = Population.from_records([{"parts": [{"n": 3}]} for _ in range(3)], individual="Plan")
    grammar = Grammar.parse("""
        link same: Plan -> set of Plan = parts.~parts where y = my y
        attribute c: Plan = cycles(same, 3)
        refine Plan { top -> c >= *; top -> y >= * }
    """)
    omitted = grammar.omitting({"y": "the target"}, population.schema)
    assert omitted.syntax.cycles == () and omitted.syntax.links == ()
