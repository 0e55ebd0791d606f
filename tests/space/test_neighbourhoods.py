"""Neighbourhoods: what recursion finds around each node, whatever the other rows are; and in grammars and files."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from structtree import Grammar, Population, default_grammar, fit, load_model, save_model
from structtree.data.population import Adjacency, Column
from structtree.errors import GrammarError
from structtree.lang.pretty import pretty_grammar
from structtree.space.background import with_background
from structtree.space.neighbourhoods import LONGEST, neighbourhoods

AROUND = """
attribute around: Node = neighbourhood(edges.to, label, 2) "Labels within two steps."
refine Graph { top -> count nodes (top) >= * }
refine Node { top -> around = * }
"""


def around(graph, node, labels, depth):
    """The neighbourhood of a node by recursion; None if any text within it is too long."""
    if depth == 0:
        return labels[node]
    inner = [around(graph, other, labels, depth - 1) for other in graph[node]]
    if None in inner:
        return None
    text = f"{labels[node]}({','.join(sorted(inner))})"
    return text if len(text) <= LONGEST else None


def labelled(seed, n=12, edges=16):
    graph, rng = nx.gnm_random_graph(n, edges, seed=seed), np.random.default_rng(seed)
    nx.set_node_attributes(graph, {node: str(rng.choice(["C", "N", "O"])) for node in graph}, "label")
    return graph


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("seed", range(6))
def test_neighbourhoods_are_those_found_by_recursion(seed, depth):
    graph = labelled(seed, edges=10 + 4 * seed)
    labels = nx.get_node_attributes(graph, "label")
    names = sorted(set(labels.values()))
    adjacency = Adjacency.from_lengths([len(graph[n]) for n in graph], [m for n in graph for m in graph[n]])
    codes = np.array([names.index(labels[node]) for node in graph], dtype=np.int32)
    found = neighbourhoods(adjacency, Column("nominal", codes, tuple(names)), depth)
    assert [found.value(node) for node in graph] == [around(graph, node, labels, depth) for node in graph]
    counts = np.bincount(found.values[found.values >= 0], minlength=len(found.categories))
    assert (np.diff(counts) <= 0).all()


def test_a_missing_value_has_a_text_and_a_long_text_is_missing():
    star = Adjacency.from_lengths([100] + [1] * 100, [*range(1, 101), *[0] * 100])
    codes = np.array([0, -1, *[0] * 99], dtype=np.int32)
    found = neighbourhoods(star, Column("nominal", codes, ("C",)), 1)
    assert found.value(0) is None and found.value(1) == "?(C)" and found.value(2) == "C(C)"
    deeper = neighbourhoods(star, Column("nominal", codes, ("C",)), 2)
    assert deeper.missing.all()


def test_other_graphs_do_not_change_a_neighbourhood():
    graphs = [labelled(seed) for seed in range(6)]
    whole = with_background(Population.from_graphs(graphs), Grammar.parse(AROUND), {})
    alone = with_background(Population.from_graphs(graphs[3:4]), Grammar.parse(AROUND), {})
    rows = range(36, 48)
    columns = [each.table("Node").columns["around"] for each in (whole, alone)]
    assert [columns[0].value(row) for row in rows] == [columns[1].value(row) for row in range(12)]


def test_a_declaration_is_written_as_it_was_read():
    grammar = Grammar.parse(AROUND)
    assert Grammar.parse(pretty_grammar(grammar.syntax)).syntax == grammar.syntax
    assert "attribute around: Node = neighbourhood(edges.to, label, 2)" in pretty_grammar(grammar.syntax)


@pytest.mark.parametrize("options", [{}, {"model": "forest", "n_estimators": 10}])
def test_models_compute_neighbourhoods_when_they_predict(options, tmp_path):
    graphs = [labelled(seed) for seed in range(40)]
    texts = [around(g, 0, nx.get_node_attributes(g, "label"), 1)[0] for g in graphs]
    population = Population.from_graphs(graphs)
    grammar = Grammar.parse(AROUND.replace("label, 2", "label, 1"))
    model = fit(population, texts, grammar, **options)
    save_model(model, tmp_path / "model.json")
    loaded = load_model(tmp_path / "model.json")
    others = Population.from_graphs([labelled(seed) for seed in range(40, 60)])
    for some in (population, others, population.take(np.arange(3))):
        assert np.array_equal(loaded.predict_proba(some), model.predict_proba(some))
    assert np.array_equal(model.predict_proba(population)[:3], model.predict_proba(population.take(np.arange(3))))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("neighbourhood(edges, label, 1)", "a path from a type to itself in 'neighbourhood'"),
        ("neighbourhood(edges.to, weight, 1)", "expected a nominal attribute of 'Node', got 'weight'"),
        ("neighbourhood(edges.to, label, 4)", "expected a depth from 1 to 3 for a neighbourhood"),
    ],
)
def test_declarations_that_make_no_sense_are_refused(text, message):
    data = Population.from_graphs([labelled(0)])
    with pytest.raises(GrammarError, match=message):
        Grammar.parse(f"attribute x: Node = {text} refine Node {{ top -> x = * }}").check(data.schema)


def test_a_neighbourhood_is_omitted_with_its_attribute():
    data = Population.from_graphs([nx.path_graph(4)], individual="Node")  # without the target
    grammar = Grammar.parse(AROUND.replace("refine Graph { top -> count nodes (top) >= * }", ""))
    left = grammar.omitting({"label": "the target"}, data.schema)
    assert not left.syntax.neighbourhoods and "around" not in str(left.syntax.blocks)


def test_forests_of_labelled_graphs_test_neighbourhoods_by_default():
    data = Population.from_graphs([labelled(seed) for seed in range(30)])
    plain, rich = default_grammar(data), default_grammar(data, for_forest=True)
    assert not plain.syntax.neighbourhoods and len(rich.syntax.neighbourhoods) == 2
    assert rich.origin.endswith("with neighbourhoods")
    unlabelled = Population.from_graphs([nx.path_graph(3), nx.cycle_graph(4)])
    assert default_grammar(unlabelled, for_forest=True).text == default_grammar(unlabelled).text
    forest = fit(data, [i % 2 for i in range(30)], model="forest", n_estimators=30)
    assert any("around" in str(test) for test in forest.predictor.tests)
