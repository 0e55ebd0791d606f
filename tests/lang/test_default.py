"""The grammar that data gets when none is given: a shipped one where it fits, and else one derived from the data."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from structtree import best_split, fit
from structtree.data.datasets.catalog import load_dataset
from structtree.data.population import Population
from structtree.data.profile import profile
from structtree.lang.default import default_grammar
from structtree.lang.grammar import Grammar
from structtree.lang.pretty import pretty
from structtree.models.settings import Growth


def asked(grammar, population, name):
    return {pretty(rewrite.right) for rewrite in grammar.check(population.schema).rewrites.get(name, ())}


# ---- shipped grammars -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "options", "name"),
    [
        ("planted-molecules", {"n": 20}, "atoms-and-bonds"),
        ("bags", {"n": 20}, None),
        ("trains", {}, None),
        ("lenses", {}, None),
        ("rooted-trees", {"n": 20}, None),
    ],
)
def test_data_of_a_known_form_gets_its_shipped_grammar_and_other_data_a_derived_one(data, options, name):
    population = load_dataset(data, **options).population
    grammar = default_grammar(population)
    assert grammar.name == name
    assert grammar.origin == (f"{name} (shipped, fits this data)" if name else "derived from the data")
    assert grammar.check(population.schema).warnings == ()


def test_a_data_set_with_a_name_may_bring_its_own():
    trains = load_dataset("trains")
    grammar = default_grammar(trains.population, trains.grammar)
    assert grammar == Grammar.load("trains")
    assert grammar.origin == "trains (shipped, made for this data)"


@pytest.mark.parametrize("own", [None, "atoms-and-bonds"])
def test_the_text_of_a_shipped_grammar_begins_with_a_comment_that_says_why_it_was_taken(own):
    population = load_dataset("planted-molecules", n=20).population
    grammar = default_grammar(population, own)
    why = "is made for this data" if own else "fits this data"
    line = f"# The grammar atoms-and-bonds is shipped with structtree and {why}.\n"
    assert grammar.text == line + Grammar.load("atoms-and-bonds").text
    assert grammar == Grammar.parse(grammar.text) == Grammar.load("atoms-and-bonds")


def coloured(kind, **attributes):
    graph = kind([(0, 1), (1, 2)])
    nx.set_node_attributes(graph, {0: "red", 1: "blue", 2: "red"}, "colour")
    graph.graph.update(attributes)
    return graph


def test_undirected_graphs_get_their_grammar_and_directed_graphs_nodes_and_edges_a_derived_one():
    assert default_grammar(Population.from_graphs([coloured(nx.Graph)])) == Grammar.load("graphs")
    assert default_grammar(Population.from_graphs([coloured(nx.DiGraph)])).name is None
    for individual in ("Node", "Edge"):
        population = Population.from_graphs([coloured(nx.Graph)], individual=individual)
        assert default_grammar(population).name is None
        assert default_grammar(population).check(population.schema).warnings == ()


def molecules(**more):
    """Forty molecules as atoms and bonds, with more attributes by name."""
    population = load_dataset("planted-molecules", n=40).population
    for name, values in more.items():
        dtype = object if isinstance(values[0], str) else None
        population = population.with_target(name, np.array(values, dtype=dtype))
    return population


def test_attributes_of_individuals_that_a_shipped_grammar_leaves_out_are_added():
    population = molecules(**{"kind of": ["a", "b"] * 20, "size": [1, 2] * 20, "wet": [True, False] * 20})
    grammar = default_grammar(population)
    assert grammar.name == "atoms-and-bonds"
    assert {"`kind of` = *", "size >= *", "wet"} <= asked(grammar, population, "Molecule")


def test_a_text_that_names_individuals_is_not_added_to_a_shipped_grammar():
    population = molecules(name=[f"n{i}" for i in range(40)])
    grammar = default_grammar(population)
    assert grammar == Grammar.load("atoms-and-bonds")
    assert grammar.notes[0] == "skipped: name (unique per row)"


def test_a_glob_of_a_shipped_grammar_does_not_bring_back_an_identifier():
    population = molecules(mol_id=list(range(40)), logp=[i / 4 for i in range(40)], size=[1, 2] * 20)
    grammar = default_grammar(population)
    assert grammar.name == "atoms-and-bonds"
    questions = asked(grammar, population, "Molecule")
    assert {"logp >= *", "size >= *"} <= questions
    assert not any("mol_id" in question for question in questions)
    assert "    top -> logp >= *\n    top -> size >= *  # numeric attributes of the molecule" in grammar.text
    assert Grammar.parse(grammar.text) == grammar


def test_an_identifier_of_parts_is_not_asked_by_a_shipped_grammar():
    graphs = [coloured(nx.Graph) for _ in range(10)]
    for i, graph in enumerate(graphs):
        nx.set_node_attributes(graph, {node: f"{i}-{node}" for node in graph}, "name")
        nx.set_edge_attributes(graph, {edge: i * 2 + k for k, edge in enumerate(graph.edges)}, "weight")
    population = Population.from_graphs(graphs)
    grammar = default_grammar(population)
    assert (grammar.name, grammar.notes) == ("graphs", ("skipped: Node.name (unique per row)",))
    assert "colour = *" in asked(grammar, population, "Node")
    assert "name = *" not in asked(grammar, population, "Node")
    assert "weight >= *" in asked(grammar, population, "Edge")


def test_an_identifier_beside_other_rewrites_of_its_line_is_left_out_too():
    graphs = [coloured(nx.Graph, graph_id=i, size=i % 5) for i in range(10)]
    population = Population.from_graphs(graphs)
    grammar = default_grammar(population)
    assert grammar.name == "graphs"
    assert {q for q in asked(grammar, population, "Graph") if "=" in q and "count" not in q} == {
        "size >= *",
        "size <= *",
    }


def test_a_shipped_grammar_that_leaves_out_attributes_of_parts_does_not_fit():
    graphs = [coloured(nx.Graph) for _ in range(2)]
    population = Population.from_graphs(graphs)
    assert default_grammar(population).name == "graphs"
    records = [{"atoms": [{"element": "C", "bonds": [{"order": "single", "length": 1.5}]}]}] * 3
    types = {"atoms": "set", "bonds": "set"}
    assert default_grammar(Population.from_records(records, individual="Molecule", types=types)).name is None


def test_the_grammar_of_molecules_fits_whatever_column_is_the_target():
    pytest.importorskip("rdkit", reason="needs RDKit: pip install 'structtree[molecules]'")
    smiles = ["CCO", "c1ccccc1", "CC(=O)N", "CCCl", "OCC1CC1", "CCBr"] * 4
    numbers = [i / 2 for i in range(24)]
    whole = Population.from_smiles(smiles, columns={"assay": numbers, "plate": ["a", "b", "c"] * 8})
    grammar = default_grammar(whole)
    own = {question for question in asked(grammar, whole, "Molecule") if "atoms" not in question}
    assert {"assay >= *", "plate = *", "logp >= quantiles(30)", "rotatable >= *"} <= own
    assert not any("weight" in question or "sp3" in question for question in own)
    less = Population.from_smiles(smiles, columns={"logp": numbers}).split_target("logp")[0]
    fitted = default_grammar(less)
    assert fitted.name == "molecules" and "tpsa >= quantiles(30)" in asked(fitted, less, "Molecule")
    assert fitted.notes[0] == "skipped: logp (not in the data); removed 1 rewrite"


def test_quantiles_of_a_shipped_grammar_are_told():
    population = load_dataset("planted-molecules", n=20).population
    assert default_grammar(population).notes == ("tested at quantiles instead of every threshold: Atom.charge",)


# ---- derived grammars -----------------------------------------------------------------------------------


def customers(n=30):
    return Population.from_records(
        [
            {
                "id": i,
                "name": f"n{i}",
                "age": 20 + i % 9,
                "orders": [{"sku": f"s{i}-{k}", "price": i + k / 4} for k in range(3)],
            }
            for i in range(n)
        ],
        types={"orders": "set"},
    )


def test_a_derived_grammar_says_what_it_does_not_ask():
    grammar = default_grammar(customers())
    assert grammar.notes == ("skipped: id, name, Order.sku (unique per row)",)
    assert (
        grammar.text
        == """\
"Derived from the data: the attributes and links of Individual, Order."

individual Individual

refine Individual {
    # Numbers, at every threshold; for fewer write quantiles(10) instead of *
    top -> age >= *
    top -> age <= *
    # Links; the block of the linked type refines 'top'.
    top -> exists orders (top)
    top -> count orders (top) >= 2..4
    # Aggregates of linked rows; also available: min, max, range, deviation, trend, share and distinct.
    top -> sum orders.price >= *; top -> sum orders.price <= *
    top -> mean orders.price >= *; top -> mean orders.price <= *
    # skipped: id, name (unique per row)
    # Maximum number of tests at one position.
    top -> top and top max 2
}

refine Order {
    # Numbers, at every threshold; for fewer write quantiles(10) instead of *
    top -> price >= *
    top -> price <= *
    # skipped: sku (unique per row)
    # Maximum number of tests at one position.
    top -> top and top max 2
}

# Maximum nesting of links, and maximum number of tests and links in a predicate.
limits { nesting 4, literals 6 }
"""
    )


def test_too_many_thresholds_become_quantiles_and_the_notes_say_so():
    population = customers()
    grammar = default_grammar(population, known=profile(population, max_cuts=20))
    line = "tested at 100 quantiles instead of every threshold: Order.price (too many values)"
    assert grammar.notes[1:] == (line,)
    assert asked(grammar, population, "Order") == {"price >= quantiles(100)", "price <= quantiles(100)"}
    assert {"age >= *", "age <= *"} <= asked(grammar, population, "Individual")


def test_graphs_with_too_many_thresholds_for_their_grammar_get_a_derived_one():
    graphs = [coloured(nx.Graph) for _ in range(4)]
    for i, graph in enumerate(graphs):
        nx.set_edge_attributes(graph, {edge: i + k / 8 for k, edge in enumerate(graph.edges)}, "w")
    population = Population.from_graphs(graphs)
    assert default_grammar(population).name == "graphs"
    grammar = default_grammar(population, known=profile(population, max_cuts=3))
    assert grammar.name is None
    assert "w >= quantiles(100)" in asked(grammar, population, "Edge")


def test_a_glob_stands_only_for_numbers_that_are_asked_alike():
    numbers = {f"f{i}": [i, i + 1] for i in range(30)}
    rows = [
        dict(zip(["id", *numbers], values, strict=True)) for values in zip([7, 8], *numbers.values(), strict=True)
    ]
    assert "top -> f* >= *\n" in default_grammar(Population.from_records(rows)).text
    rows = [{**row, "f_id": row["id"]} for row in rows]
    population = Population.from_records(rows)
    questions = asked(default_grammar(population), population, "Individual")
    assert questions == {f"f{i} {op} *" for i in range(30) for op in (">=", "<=")}


def test_nothing_but_identifiers_leaves_nothing_to_ask():
    population = Population.from_records([{"id": i} for i in range(30)])
    grammar = default_grammar(population)
    assert asked(grammar, population, "Individual") == set()
    assert Grammar.parse(grammar.text) == grammar
    assert len(fit(population, ["a", "b"] * 15).tree.leaves) == 1


def test_a_text_with_many_values_that_repeat_is_asked_however_it_was_declared():
    rows = [{"zip": f"z{i % 60}"} for i in range(600)]
    assert "zip = *" in default_grammar(Population.from_records(rows)).text


# ---- what comes of it -----------------------------------------------------------------------------------


def weighted_graphs(n=40):
    """Graphs of which every other one has an edge of weight 9, where others have at most 8."""
    rng, graphs = np.random.default_rng(0), []
    for i in range(n):
        graph = nx.cycle_graph(8)
        nx.set_edge_attributes(graph, {edge: int(rng.integers(0, 9)) for edge in graph.edges}, "w")
        if i % 2:
            graph.edges[0, 1]["w"] = 9
        graphs.append(graph)
    return Population.from_graphs(graphs), np.arange(n) % 2


def test_a_rare_weight_of_an_edge_is_found_by_default():
    population, target = weighted_graphs()
    split = best_split(population, target, default_grammar(population))
    assert pretty(split.predicate) == "count nodes (exists edges (w >= 9)) >= 1"
    assert split.score == 1


def test_a_model_says_which_grammar_it_was_grown_by():
    population = customers()
    target = ["a", "b"] * 15
    grammar = fit(population, target, growth=Growth(max_depth=1, time_limit=1)).grammar
    assert grammar.text == str(default_grammar(population))
    assert grammar.origin == "derived from the data"
    assert grammar.notes == ("skipped: id, name, Order.sku (unique per row)",)
    given = Grammar.parse("refine Individual { top -> age >= * }")
    assert fit(population, target, given).grammar.origin == "given as text"


def test_individuals_without_weight_do_not_count_for_the_default():
    population = Population.from_records([{"id": i % 20, "x": i} for i in range(40)])
    target, weights = ["a", "b"] * 20, np.r_[np.ones(20), np.zeros(20)]
    assert "id >= *" in fit(population, target).grammar.text
    assert "id >= *" not in fit(population, target, sample_weight=weights).grammar.text
