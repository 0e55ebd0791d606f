"""Rules about several rows, from the literature and planted, found in data by a search that proves them best."""

from __future__ import annotations

import re
from itertools import count

import networkx as nx
import numpy as np
import pytest

from structtree import Grammar, Population, Space, best_split, fit, holds, load_dataset, open_data, pretty
from structtree.space.background import with_background
from tests.fact_files import family
from tests.fact_files import population as population_of
from tests.loans import loans


def found(population, labels, grammar, rule):
    """The best split, which is proved and without an error; the rule is in the space and says the same."""
    labels = np.asarray(labels, dtype=bool)
    computed = with_background(population, Grammar.parse(grammar), {})
    space = Space.build(Grammar.parse(grammar), population)
    assert space.parse(rule) in space
    assert holds(space.parse(rule), computed).tolist() == labels.tolist()
    split = best_split(population, labels, space)
    assert split.proved
    assert holds(split.predicate, computed).tolist() in (labels.tolist(), (~labels).tolist())
    return pretty(split.predicate)


# ---- tables -----------------------------------------------------------------------------------------------


def test_the_first_problem_of_the_monks_is_learned_from_its_124_training_cases(shared_data):
    names = ["class", *(f"a{i}" for i in range(1, 7)), "id"]
    kinds = dict.fromkeys(names, "nominal")

    def read(part):
        path = shared_data(f"uci/monks-1.{part}")
        return open_data(path, target="class", format="csv", delimiter=" ", names=names, types=kinds)

    train, test = read("train"), read("test")
    model = fit(
        train.population, train.target, Grammar.parse("refine Individual { top -> * = its *; top -> a5 = * }")
    )
    assert [pretty(test) for test in model.tree.tests] == ["a1 = its a2", 'a5 = "1"']
    assert (model.predict(test.population) == test.target).all()


def test_illegal_positions_of_king_and_rook_are_learned_from_4000():
    """Thresholds alone come nowhere near: comparisons of two pieces, and how far apart the kings are, say it all."""
    positions, others = load_dataset("krk", n=4000, seed=1), load_dataset("krk", n=5000, seed=2)
    model = fit(positions.population, positions.target, Grammar.load("krk"))
    assert len(model.tree.leaves) < 25
    assert (model.predict(others.population) == others.target).mean() > 0.995
    plain = fit(positions.population, positions.target, "refine Individual { top -> * >= * }")
    assert (plain.predict(others.population) == others.target).mean() < 0.85


# ---- Blockeel, examples 15.16 and 15.17 -------------------------------------------------------------------

VALENCES = {"c": 4, "n": 3, "o": 2}
ORDERS = {"-": 1, "=": 2, "#": 3}


def molecule(atoms, bonds):
    """A molecule from its heavy atoms and the bonds between them, counted from 1; hydrogens are filled in."""
    graph = nx.Graph()
    graph.add_nodes_from((i, {"element": element}) for i, element in enumerate(atoms, start=1))
    free = {i: VALENCES[element] for i, element in enumerate(atoms, start=1)}
    for one, sign, other in re.findall(r"(\d)(.)(\d)", bonds):
        graph.add_edge(int(one), int(other), order={"-": "s", "=": "d", "#": "t"}[sign])
        free[int(one)] -= ORDERS[sign]
        free[int(other)] -= ORDERS[sign]
    for atom, n in free.items():
        for k in range(n):
            graph.add_node((atom, k), element="h")
            graph.add_edge(atom, (atom, k), order="s")
    return graph


ACIDS = {
    "formic acid": ("coo", "1=2 1-3"),
    "acetic acid": ("ccoo", "1-2 2=3 2-4"),
    "acrylic acid": ("cccoo", "1=2 2-3 3=4 3-5"),
    "glycine": ("nccoo", "1-2 2-3 3=4 3-5"),
    "oxalic acid": ("ccoooo", "1-2 1=3 1-4 2=5 2-6"),
}
OTHERS = {
    "allene": ("ccc", "1=2 2=3"),
    "propyne": ("ccc", "1#2 2-3"),
    "water": ("o", ""),
    "ethanol": ("cco", "1-2 2-3"),
    "acetaldehyde": ("cco", "1-2 2=3"),
    "methyl formate": ("cooc", "1=2 1-3 3-4"),
    "glycolaldehyde": ("ccoo", "1-2 1=3 2-4"),
    "methanediol": ("coo", "1-2 1-3"),
    "ethene-1,1-diol": ("ccoo", "1=2 2-3 2-4"),
    "formamide": ("con", "1=2 1-3"),
    "performic acid": ("cooo", "1=2 1-3 3-4"),
    "a hydroxamic acid": ("cono", "1=2 1-3 3-4"),
}


def test_carboxylic_acids():
    """Example 15.16: a carbon with a double bond to an oxygen and a single one to another, which has a hydrogen."""
    graphs = [molecule(*parts) for parts in (*ACIDS.values(), *OTHERS.values())]
    grammar = """
        refine Graph { top -> exists nodes (top) }
        refine Node  { top -> element = *; top -> exists edges (order = * and to (top)); top -> top and top max 3 }
        limits { nesting 5, literals 14 }
    """
    acid = """exists nodes (element = c and exists edges (order = d and to.element = o)
        and exists edges (order = s and to (element = o and exists edges (order = s and to.element = h))))"""
    labels = [True] * len(ACIDS) + [False] * len(OTHERS)
    shorter = """exists nodes (element = o and exists edges (order = s and to.element = h)
        and exists edges (order = s and to (exists edges (order = d and to.element = o))))"""
    assert found(Population.from_graphs(graphs), labels, grammar, acid) == " ".join(shorter.split())


ARCHES = """
    refine Structure { top -> exists blocks (top) }
    refine Block { top -> shape = *; top -> pointing = *; top -> exists on (top); top -> top and top max 3 }
    limits { nesting 2, literals 5 }
"""


@pytest.mark.parametrize(
    "clause",
    [
        "exists blocks (shape = triangle and pointing = up and exists on (shape = rectangle))",
        "exists blocks (shape = triangle)",
    ],
    ids=["the longer clause", "the shorter clause"],
)
def test_the_two_clauses_for_an_arch(clause):
    """Example 15.17: both separate its two structures; the shorter of them is what a search gives."""
    arches = load_dataset("arches")
    two = arches.population.take([0, 1])
    assert found(two, arches.target[:2] == "arch", ARCHES, clause) == "exists blocks (shape = triangle)"


# ---- planted rules ----------------------------------------------------------------------------------------

SHAPES = ("triangle", "circle", "square")


def scene(rng, number):
    """Figures, each of which may be inside one that was drawn before."""
    figures = []
    for i in range(int(rng.integers(3, 9))):
        figure = {"$id": 10 * number + i, "shape": str(rng.choice(SHAPES)), "large": bool(rng.random() < 0.5)}
        if i and rng.random() < 0.7:
            figure["inside"] = {"$ref": 10 * number + int(rng.integers(i))}
        figures.append(figure)
    return {"figures": figures}


def shapes_around(figures, i):
    """The shapes of the figures that a figure is in, from the inside out."""
    while "inside" in figures[i]:
        i = figures[i]["inside"]["$ref"] % 10
        yield figures[i]["shape"]


def scenes(rng, n, good):
    """As many scenes that are good as that are not, in turn."""
    kept = {True: [], False: []}
    numbers = count()
    while min(map(len, kept.values())) < n // 2:
        made = scene(rng, next(numbers))
        kept[good(made["figures"])].append(made)
    return [which[i] for i in range(n // 2) for which in (kept[True], kept[False])]


def test_a_triangle_inside_a_circle_inside_a_square():
    """As in Bongard's problems: the rule is about three figures that are nested."""

    def good(figures):
        insides = ([figures[i]["shape"], *shapes_around(figures, i)][:3] for i in range(len(figures)))
        return ["triangle", "circle", "square"] in insides

    population = Population.from_records(scenes(np.random.default_rng(4), 200, good))
    grammar = """
        refine Individual { top -> exists figures (top) }
        refine Figure { top -> shape = *; top -> large; top -> inside (top); top -> top and top max 2 }
        limits { nesting 3, literals 6 }
    """
    rule = "exists figures (shape = triangle and inside (shape = circle and inside.shape = square))"
    labels = np.arange(200) % 2 == 0
    assert found(population, labels, grammar, rule) == rule


def test_a_triangle_somewhere_inside_a_circle_that_is_somewhere_inside_a_square():
    """The figures that a figure is in, however deep, are the closure of what it is in."""

    def good(figures):
        return any(
            figures[i]["shape"] == "triangle" and "circle" in around and "square" in around[around.index("circle") :]
            for i in range(len(figures))
            for around in [list(shapes_around(figures, i))]
        )

    population = Population.from_records(scenes(np.random.default_rng(5), 200, good))
    grammar = """
        link around: Figure -> set of Figure = inside+
        refine Individual { top -> exists figures (top) }
        refine Figure { top -> shape = *; top -> large; top -> exists around (top); top -> top and top max 2 }
        limits { nesting 3, literals 6 }
    """
    rule = "exists figures (shape = triangle and exists around (shape = circle and exists around (shape = square)))"
    assert found(population, np.arange(200) % 2 == 0, grammar, rule) == rule


def test_two_cars_carry_the_same_load():
    trains = load_dataset("planted-trains", n=200, seed=1).population
    loads = [[car["load"]["shape"] for car in trains.record(i, 3)["cars"] if "load" in car] for i in range(200)]
    grammar = """
        link rival: Car -> set of Car = ~cars.cars where load.shape = my load.shape and not me
        refine Train { top -> exists cars (top); top -> count cars (top) >= * }
        refine Car { top -> exists rival (top); top -> shape = *; top -> long; top -> load (top)
                     top -> top and top max 2 }
        refine Load { top -> shape = *; top -> number >= * }
        limits { nesting 2, literals 4 }
    """
    same = [len(set(shapes)) < len(shapes) for shapes in loads]
    assert found(trains, same, grammar, "exists cars (exists rival (top))") == "exists cars (exists rival (top))"


def test_a_triangle_in_a_graph():
    """Cycles are paths that come back: a corner is two edges away, and one."""
    graphs = [nx.gnp_random_graph(9, 0.22, seed=seed) for seed in range(120)]
    for number, graph in enumerate(graphs):
        nx.set_node_attributes(graph, {node: "ab"[(node + number) % 2] for node in graph}, "colour")
    grammar = """
        link corner: Node -> set of Node = edges.to.edges.to where exists edges (to.me) and not me
        refine Graph { top -> exists nodes (top); top -> count nodes (top) >= 2..4 }
        refine Node { top -> colour = *; top -> exists edges (top); top -> count edges (top) >= 2..4
                      top -> exists corner (top); top -> top and top max 2 }
        refine Edge { top -> to (top) }
        limits { nesting 4, literals 4 }
    """
    labels = [sum(nx.triangles(graph).values()) > 0 for graph in graphs]
    assert 40 < sum(labels) < 80
    rule = "exists nodes (exists corner (top))"
    assert found(Population.from_graphs(graphs), labels, grammar, rule) == rule


def test_ancestors_in_hintons_families(shared_data):
    """Of all pairs of persons: is one an ancestor of the other? The closure of `parent` says it."""
    people = family(shared_data("hinton_family/family.pl"))
    parents, names = people.table("Person").links["parent"], people.column("name")
    n = len(people)
    pairs = [(old, young) for old in range(n) for young in range(n)]
    person = ({"name": ("nominal", [names.value(i) for i in range(n)])}, {"parent": ("set", "Person", rows(parents))})
    ends = {end: ("one", "Person", [[pair[i]] for pair in pairs]) for i, end in enumerate(("old", "young"))}
    grammar = """
        link met: Pair -> set of Person = young.parent+ where name = my old.name
        link one_step: Pair -> set of Person = young.parent where name = my old.name
        link two_steps: Pair -> set of Person = young.parent.parent where name = my old.name
        refine Pair { top -> exists met (top); top -> exists one_step (top); top -> exists two_steps (top) }
    """
    graph = nx.DiGraph((old, young) for young in range(n) for old in parents.of(young).tolist())
    labels = [pair in nx.transitive_closure(graph).edges for pair in pairs]
    made = population_of({"Pair": ({}, ends), "Person": person}, "Pair")
    assert found(made, labels, grammar, "exists met (top)") == "exists met (top)"


def rows(adjacency):
    return [adjacency.of(row).tolist() for row in range(len(adjacency))]


def test_three_late_payments_within_90_days_before_the_loan():
    population = loans(300, seed=8, payments=(4, 14))

    def late(loan):
        days = [(loan["date"] - payment["date"]).days for payment in loan["payments"] if payment["late"]]
        return sum(0 <= n <= 90 for n in days) >= 3

    grammar = """
        link before: Individual -> set of Payment = payments where date <= my date with days = my date - date
        refine Individual { top -> count before (top) >= 1..4; top -> exists payments (top); top -> amount >= * }
        refine Payment { top -> late; top -> way = *; top -> top and top max 2 }
        refine before { top -> days <= * }
        limits { nesting 1, literals 3 }
    """
    labels = [late(population.record(i)) for i in range(300)]
    assert 60 < sum(labels) < 240
    rule = "count before (days <= 90 and late) >= 3"
    assert found(population, labels, grammar, rule) == rule
