"""Laws of the generators: the planted rule is the class, the noise is exact, a seed gives one population."""

from __future__ import annotations

import calendar
from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from structtree.data.datasets.generators import (
    PLANTED_RULES,
    bags,
    king_rook_king,
    leap_years,
    monks,
    planted_graphs,
    planted_trains,
    rooted_trees,
    sequences,
)
from structtree.data.population import Population
from structtree.errors import UsageError
from structtree.lang.parse import parse_predicate
from structtree.lang.pretty import pretty
from tests.fact_files import read_facts

Rule = Callable[[dict], bool]


def triangle_before_long(train: dict) -> bool:
    cars = train["cars"]
    return any(a.get("load", {}).get("shape") == "triangle" and b["long"] for a, b in pairwise(cars))


def nitro(molecule: dict) -> bool:
    return any(
        atom["element"] == "N" and sum(bond["to"]["element"] == "O" for bond in atom["bonds"]) >= 2
        for atom in molecule["atoms"]
    )


def in_the_box(molecule: dict) -> bool:
    return any(0 <= c["f3"] < 60 and -120 <= c["f8"] < -40 for c in molecule["conformations"])


def tata(sequence: dict) -> bool:
    return "TATA" in "".join(item["symbol"] for item in sequence["items"])


def c_before_d_below_b(tree: dict) -> bool:
    return any(
        "cd" in "".join(below["label"] for below in child["children"])
        for child in tree["root"]["children"]
        if child["label"] == "b"
    )


PLANTED: dict[str, tuple[Callable[..., Population], str, str, Rule]] = {
    "trains": (planted_trains, "direction", "east", triangle_before_long),
    "molecules": (planted_graphs, "class", "active", nitro),
    "bags": (partial(bags, features=12), "class", "positive", in_the_box),
    "sequences": (sequences, "class", "positive", tata),
    "rooted trees": (rooted_trees, "class", "positive", c_before_d_below_b),
}

every_planted_set = pytest.mark.parametrize(("make", "target", "value", "rule"), PLANTED.values(), ids=PLANTED)


def labels(population: Population, target: str) -> np.ndarray:
    return population.split_target(target)[1]


def arrays(population: Population) -> dict[str, object]:
    """All there is in a population, by name, as lists."""
    found: dict[str, object] = {"individuals": population.individuals.tolist()}
    for name, table in population.tables.items():
        for key, column in table.columns.items():
            found[f"{name}.{key}"] = (column.kind, column.categories, column.values.tolist())
        for key, link in table.links.items():
            found[f"{name}.{key}"] = (link.offsets.tolist(), link.targets.tolist())
    return found


# ---- laws of all planted sets -----------------------------------------------------------------------------


@every_planted_set
@given(seed=st.integers(0, 2**32), n=st.integers(1, 25))
def test_without_noise_the_planted_rule_is_the_class(make, target, value, rule, seed, n):
    population = make(n, seed=seed)
    truth = [rule(population.record(i, depth=3)) for i in range(n)]
    assert truth == (labels(population, target) == value).tolist()


@every_planted_set
def test_a_seed_gives_one_population_and_another_seed_another(make, target, value, rule):
    assert arrays(make(30, seed=5)) == arrays(make(30, seed=5))
    assert arrays(make(30, seed=5)) != arrays(make(30, seed=6))


@every_planted_set
@pytest.mark.parametrize("noise", [0.1, 0.25, 1.0])
def test_noise_changes_an_exact_share_of_the_classes_and_nothing_else(make, target, value, rule, noise):
    (clean, before), (noisy, after) = (make(40, noise=share, seed=9).split_target(target) for share in (0.0, noise))
    assert np.count_nonzero(before != after) == round(noise * 40)
    assert arrays(clean) == arrays(noisy)


@every_planted_set
def test_the_classes_are_balanced(make, target, value, rule):
    share = np.mean(labels(make(300, seed=2), target) == value)
    assert 0.4 <= share <= 0.6


@every_planted_set
def test_categories_are_sorted_and_all_occur(make, target, value, rule):
    for table in make(50, seed=3).tables.values():
        for column in table.columns.values():
            if column.kind == "nominal":
                assert list(column.categories) == sorted(column.categories)
                assert set(column.values.tolist()) == set(range(len(column.categories)))


@every_planted_set
@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"n": 0}, "n must be an int >= 1; got 0"),
        ({"n": 2.5}, "n must be an int >= 1; got 2.5"),
        ({"n": 5, "noise": 1.5}, "noise must be a fraction between 0 and 1; got 1.5"),
        ({"n": 5, "noise": "much"}, "noise must be a fraction between 0 and 1; got 'much'"),
        ({"n": 5, "seed": -1}, "seed must be an int >= 0; got -1"),
    ],
)
def test_arguments_that_make_no_sense_are_refused_in_one_sentence(make, target, value, rule, options, sentence):
    with pytest.raises(UsageError) as caught:
        make(**options)
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("make", "option", "span"),
    [
        (planted_graphs, "nodes", (3, 9)),
        (planted_graphs, "nodes", (9, 8)),
        (bags, "instances", (0, 4)),
        (sequences, "length", 7),
        (rooted_trees, "nodes", (4.0, 8)),
    ],
)
def test_a_span_that_makes_no_sense_is_refused(make, option, span):
    with pytest.raises(UsageError, match=f"^{option} must be a pair of ints"):
        make(5, **{option: span})


@pytest.mark.parametrize("rule", PLANTED_RULES.values(), ids=PLANTED_RULES)
def test_the_rules_are_canonical_text_of_the_language(rule):
    assert pretty(parse_predicate(rule)) == rule


# ---- monks and years --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("problem", "positives"), [(1, 216), (2, 142), (3, 228)])
def test_the_monks_have_432_cases_and_the_known_number_of_positives(problem, positives):
    assert Counter(labels(monks(problem), "class").tolist()) == {"1": positives, "0": 432 - positives}


@pytest.mark.parametrize("problem", [1, 2, 3])
def test_the_monks_are_those_of_the_repository(problem, shared_data):
    lines = [line.split() for line in shared_data(f"uci/monks-{problem}.test").read_text().splitlines()]
    expected = {tuple(line[1:7]): line[0] for line in lines if line}
    population, target = monks(problem).split_target("class")
    found = {tuple(population.record(i).values()): y for i, y in enumerate(target.tolist())}
    assert len(expected) == 432
    assert found == expected


@pytest.mark.parametrize("problem", [1, 2, 3])
def test_the_training_sets_of_the_monks_are_those_of_the_repository(problem, shared_data):
    lines = [line.split() for line in shared_data(f"uci/monks-{problem}.train").read_text().splitlines()]
    population, target = monks(problem, cases="train").split_target("class")
    found = [(y, *population.record(i).values()) for i, y in enumerate(target.tolist())]
    assert found == [tuple(line[:7]) for line in lines if line]


@pytest.mark.parametrize(("problem", "n_wrong"), [(1, 0), (2, 0), (3, 6)])
def test_training_cases_of_the_monks_are_cases_with_the_known_number_of_wrong_classes(problem, n_wrong):
    whole, truth = monks(problem).split_target("class")
    known = {tuple(whole.record(i).values()): y for i, y in enumerate(truth.tolist())}
    part, target = monks(problem, cases="train").split_target("class")
    cases = [tuple(part.record(i).values()) for i in range(len(part))]
    assert len(set(cases)) == len(cases)
    assert sum(known[case] != y for case, y in zip(cases, target.tolist(), strict=True)) == n_wrong


def test_noise_in_a_monks_problem_is_an_exact_share_that_the_seed_chooses():
    clean, first, second = (labels(monks(3, noise, seed), "class") for noise, seed in ((0, 0), (0.05, 0), (0.05, 1)))
    assert np.count_nonzero(clean != first) == np.count_nonzero(clean != second) == round(0.05 * 432)
    assert (first != second).any()


def test_there_is_no_fourth_monks_problem():
    with pytest.raises(UsageError, match="problem must be 1, 2 or 3; got 4"):
        monks(4)
    with pytest.raises(UsageError, match="cases must be 'all' or 'train'; got 'test'"):
        monks(1, cases="test")


def test_leap_years_are_those_of_the_calendar():
    assert (labels(leap_years(), "leap") == "yes").tolist() == [calendar.isleap(y) for y in range(1600, 2401)]


SQUARES = [(file, rank) for file in range(8) for rank in range(8)]


def is_illegal(king, rook, other):
    """The rook goes in each direction until the board ends or its own king is in the way."""
    if len({king, rook, other}) < 3 or max(abs(king[0] - other[0]), abs(king[1] - other[1])) == 1:
        return True
    for across, up in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        square = (rook[0] + across, rook[1] + up)
        while square in SQUARES and square != king:
            if square == other:
                return True
            square = (square[0] + across, square[1] + up)
    return False


def test_illegal_positions_are_those_of_the_rules_of_chess():
    positions = king_rook_king(3000, seed=1)
    (*squares, classes) = zip(*(positions.record(i).values() for i in range(3000)), strict=True)
    truth = [is_illegal(row[:2], row[2:4], row[4:]) for row in zip(*squares, strict=True)]
    assert [label == "illegal" for label in classes] == truth
    assert 0.3 < np.mean(truth) < 0.36


def test_the_positions_of_the_literature_follow_the_same_rules(shared_data):
    facts = {name: read_facts(shared_data(f"krk/{name}.pl"))["illegal"] for name in ("pos", "neg")}
    for name, rows in facts.items():
        squares = ([int(number) for number in row] for row in rows)
        assert all(is_illegal((a, b), (c, d), (e, f)) == (name == "pos") for a, b, c, d, e, f in squares)
    assert {name: len(rows) for name, rows in facts.items()} == {"pos": 3240, "neg": 6760}


def test_years_that_run_backwards_are_refused():
    with pytest.raises(UsageError, match="last must be an int >= 2000; got 1999"):
        leap_years(2000, 1999)


# ---- the structures ---------------------------------------------------------------------------------------


def test_planted_trains_have_the_schema_of_the_trains():
    from structtree.data.datasets.catalog import load_dataset

    assert load_dataset("planted-trains", n=20).population.schema == load_dataset("trains").population.schema


def test_cars_keep_the_manners_of_the_challenge():
    for train in (planted_trains(100, seed=4).record(i) for i in range(100)):
        assert 2 <= len(train["cars"]) <= 6
        for car in train["cars"]:
            assert car["shape"] == "rectangle" or not car["long"]
            assert car["wheels"] == 2 or car["long"]
            assert not car["double"] or (car["shape"], car["roof"], car["long"]) == (
                "rectangle",
                "none",
                False,
            )
            assert "load" not in car or 1 <= car["load"]["number"] <= 3


def bonds_of(population: Population) -> list[tuple[int, int, str]]:
    bonds, bond = population.table("Atom").links["bonds"], population.table("Bond")
    orders = [bond.columns["order"].value(row) for row in range(bond.n_rows)]
    return list(zip(bonds.owners.tolist(), bond.links["to"].targets.tolist(), orders, strict=True))


@given(seed=st.integers(0, 2**32), least=st.integers(4, 14), more=st.integers(0, 15))
def test_molecules_are_connected_with_at_most_four_bonds_an_atom_and_bonds_go_both_ways(seed, least, more):
    population = planted_graphs(8, nodes=(least, least + more), seed=seed)
    bonds = bonds_of(population)
    assert sorted(bonds) == sorted((b, a, order) for a, b, order in bonds)
    assert len({(a, b) for a, b, _ in bonds}) == len(bonds)
    assert max(Counter(a for a, _, _ in bonds).values()) <= 4
    atoms = population.table("Molecule").links["atoms"]
    graph = nx.Graph((a, b) for a, b, _ in bonds)
    assert {frozenset(part) for part in nx.connected_components(graph)} == {
        frozenset(atoms.of(molecule).tolist()) for molecule in range(8)
    }
    assert all(least <= size <= least + more for size in atoms.lengths)


def test_no_atom_has_more_bonds_than_its_valence():
    population = planted_graphs(300, seed=8)
    valence = {"C": 4, "N": 3, "O": 2, "S": 2, "F": 1, "Cl": 1, "Br": 1}
    worth = {"single": 1.0, "double": 2.0, "triple": 3.0, "aromatic": 1.5}
    used: Counter[int] = Counter()
    for a, _, order in bonds_of(population):
        used[a] += worth[order]
    element = population.table("Atom").columns["element"]
    # The N at the centre of a group may have a fourth bond: it is the charged N of a nitro group.
    assert all(total <= valence[element.value(a)] + (element.value(a) == "N") for a, total in used.items())


def test_molecules_have_all_orders_of_bonds_and_a_majority_of_carbon():
    population = planted_graphs(300, seed=8)
    assert population.table("Bond").columns["order"].categories == ("aromatic", "double", "single", "triple")
    element = population.table("Atom").columns["element"]
    assert 0.55 <= np.mean(element.values == element.code("C")) <= 0.8


def test_aromatic_bonds_join_aromatic_atoms_in_rings_of_six():
    population = planted_graphs(100, seed=1)
    aromatic = population.table("Atom").columns["aromatic"]
    partners = Counter(a for a, _, order in bonds_of(population) if order == "aromatic")
    assert partners == {int(a): 2 for a in np.flatnonzero(aromatic.values)}
    per_molecule = [sum(atom["aromatic"] for atom in population.record(i, 1)["atoms"]) for i in range(100)]
    assert set(per_molecule) == {0, 6}


def test_bags_have_the_measures_that_were_asked_for():
    population = bags(12, instances=(3, 4), features=9, seed=1)
    assert set(population.table("Molecule").links["conformations"].lengths.tolist()) <= {3, 4}
    assert population.schema.type("Conformation").members == tuple(f"f{i}" for i in range(1, 10))
    with pytest.raises(UsageError, match="features must be an int >= 8; got 7"):
        bags(features=7)


def test_bags_without_arguments_have_the_measures_of_musk():
    population = bags()
    assert len(population) == 92
    assert len(population.schema.type("Conformation").attributes) == 166


def size(node: dict) -> int:
    return 1 + sum(size(child) for child in node["children"])


def test_rooted_trees_have_all_their_nodes_below_the_root():
    population = rooted_trees(30, nodes=(4, 12), seed=6)
    sizes = [size(population.record(i, depth=30)["root"]) for i in range(30)]
    assert all(4 <= n <= 12 for n in sizes)
    assert sum(sizes) == population.table("Node").n_rows
