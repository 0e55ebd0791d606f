"""Counting: the formula against enumeration on larger generated grammars, and numbers known from elsewhere."""

from __future__ import annotations

import gzip
from functools import cache
from itertools import islice
from math import comb
from random import Random

import numpy as np
import pytest

from structtree.data.datasets.catalog import load_dataset
from structtree.data.population import Adjacency, Column, Population, Table
from structtree.data.schema import Attribute, Link, RecordType, Schema
from structtree.lang.grammar import Grammar
from structtree.space.count import count_space
from structtree.space.space import Space

DATA = {
    "trains": {},
    "arches": {},
    "planted-molecules": {"n": 3, "seed": 1},
    "sequences": {"n": 4, "seed": 1},
    "lenses": {},
    "hammond-bids": {},
}
LARGEST = 30_000


@cache
def population(name):
    return load_dataset(name, **DATA[name]).population


def attribute_rewrites(attribute):
    name = attribute.name
    match attribute.kind:
        case "bool":
            return [name, f"not {name}"]
        case "nominal":
            return [f"{name} = *", f"{name} != *"]
        case _:
            return [f"{name} >= *", f"{name} <= *", f"{name} in bins(4)", f"{name} >= quantiles(3)"]


def link_rewrites(link):
    if link.single:
        return [f"{link.name} (top)"]
    ordered = [f"first {link.name} (top)", f"last {link.name} (top)"] if link.kind == "list" else []
    return [
        f"exists {link.name} (top)",
        f"count {link.name} (top) >= 2..3",
        f"all {link.name} (top)",
        f"distinct {link.name} (top, top)",
        *ordered,
    ]


def random_grammar(schema, random):
    """A grammar with some of everything that the schema has."""
    blocks = []
    for record in schema.types:
        tests = [random.choice(attribute_rewrites(a)) for a in record.attributes]
        links = [
            r for link in record.links for r in random.sample(link_rewrites(link), k=min(2, len(link_rewrites(link))))
        ]
        steps = ["next (top)", "later (top)"] if schema.listed(record.name) else []
        chosen = random.sample(tests, k=min(3, len(tests))) + links + random.sample(steps, k=min(1, len(steps)))
        conjuncts = f"; top -> top and top max {random.randint(2, 3)}" if random.random() < 0.8 else ""
        if chosen:
            blocks.append(f"refine {record.name} {{ {'; '.join(f'top -> {c}' for c in chosen)}{conjuncts} }}")
    blocks.append(f"limits {{ nesting {random.randint(2, 3)}, literals {random.randint(3, 5)} }}")
    return "\n".join(blocks)


@cache
def spaces_with_a_formula(n):
    """So many generated spaces of a hundred to thirty thousand predicates, always the same ones."""
    found = []
    for seed in range(2000):
        random = Random(seed)
        data = population(random.choice(sorted(DATA)))
        space = Space.build(Grammar.parse(random_grammar(data.schema, random)), data)
        size = count_space(space)
        if size.enumerated is None and 100 <= size.size <= LARGEST:
            found.append((size.size, space))
        if len(found) == n:
            break
    return found


def test_forty_larger_spaces_are_generated():
    spaces = spaces_with_a_formula(40)
    assert len(spaces) == 40
    assert max(size for size, _ in spaces) > 20_000


@pytest.mark.parametrize("which", range(40))
def test_counting_is_enumerating_on_forty_larger_spaces(which):
    size, space = spaces_with_a_formula(40)[which]
    found = list(islice(space.enumerate(), LARGEST + 1))
    assert len(found) == size
    assert len(set(found)) == size


def sets_of_vectors(values, n_bags=4):
    """Bags of rows with the columns f1, f2, ... of an array."""
    names = [f"f{i + 1}" for i in range(values.shape[1])]
    schema = Schema(
        (
            RecordType("Molecule", (), (Link("conformations", "set", "Conformation"),)),
            RecordType("Conformation", tuple(Attribute(name, "int") for name in names)),
        ),
        "Molecule",
    )
    columns = {name: Column("int", values[:, i].astype(np.float64)) for i, name in enumerate(names)}
    owners = np.arange(len(values)) * n_bags // len(values)
    links = Adjacency.from_lengths(np.bincount(owners, minlength=n_bags), np.arange(len(values)))
    tables = {
        "Molecule": Table(n_bags, {}, {"conformations": links}),
        "Conformation": Table(len(values), columns),
    }
    return Population(schema, tables)


MUSK_SPACE = 1_647_122_635


def test_the_number_of_the_multi_instance_space_is_the_closed_form():
    assert 2 + sum(comb(166, k) * 13**k for k in (1, 2, 3)) == MUSK_SPACE
    # The source paper counts repeated and contradictory conjunctions as well.
    assert comb(166 * 13 + 3, 3) + 1 == 1_679_615_641


def test_the_multi_instance_space_is_counted_exactly():
    values = np.random.default_rng(0).integers(-300, 300, size=(60, 166))
    assert Space.build(Grammar.load("multi-instance"), sets_of_vectors(values)).size() == MUSK_SPACE


def test_the_space_of_musk_is_counted_exactly(shared_data):
    with gzip.open(shared_data("musk/clean1.data.gz"), "rt") as file:
        rows = [line.split(",")[2:168] for line in file]
    values = np.array(rows, dtype=np.float64)
    assert values.shape == (476, 166)
    assert Space.build(Grammar.load("multi-instance"), sets_of_vectors(values, 92)).size() == MUSK_SPACE


def size_of(rewrites, conjuncts, types="a: x | y | z, b: bool, n: int, o: U?", limits=""):
    text = f"""
    type T = {{ {types}, us: set of U }}
    type U = {{ c: red | green, d: bool }}
    individual T
    refine T {{ {"; ".join(f"top -> {r}" for r in rewrites)}; top -> top and top max {conjuncts} }}
    refine U {{ top -> c = *; top -> d; top -> top and top max 2 }}
    {limits}
    """
    space = Space.build(Grammar.parse(text))
    size = count_space(space)
    assert size.size == sum(1 for _ in space.enumerate())
    return size


@pytest.mark.parametrize(
    ("rewrites", "conjuncts", "expected"),
    [
        (["a = *"], 3, 1 + 3),
        (["a != *"], 3, 1 + 3 + 3 + 1),
        (["a = *", "b", "not b"], 3, (1 + 3) * (1 + 2)),
        (["n >= 1..3"], 2, 1 + 3),
        (["n >= 1..3", "n <= 1..3"], 2, 1 + 6 + 6),
        (["n in [0, 2)", "n >= 1"], 2, 1 + 2 + 1),
        (["n in [0, 2)", "n >= 0"], 2, 1 + 2),
        (["exists us (top)"], 1, 1 + 6),
        (["exists us (top)"], 2, 1 + 6 + comb(6, 2)),
        (["count us (top) >= 2..4"], 2, 1 + 6 * 3 + comb(6, 2) * 9),
        (["distinct us (top, top)"], 1, 1 + comb(7, 2)),
        (["all us (top)", "exists us (top)"], 2, 1 + 12 + comb(12, 2)),
        (["o (top)"], 1, 1 + 6),
        (["o (top)"], 2, 1 + 6 + 2),
        (["o.c = *", "o.d"], 2, 1 + 3 + 2),
        (["o (top)", "missing o"], 2, 1 + 7 + 2),
        (["exists us (d and top)"], 1, 1 + 3),
        (["exists us (c = *)"], 2, 1 + 2 + 1),
    ],
)
def test_small_spaces_have_the_size_that_is_worked_out_by_hand(rewrites, conjuncts, expected):
    size = size_of(rewrites, conjuncts)
    assert size.size == expected


def test_a_rewrite_that_another_one_covers_does_not_spoil_the_formula():
    size = size_of(["exists us (top)", "exists us (d and top)"], 1)
    assert (size.size, size.enumerated) == (7, None)


def test_where_rewrites_overlap_the_space_is_enumerated_and_that_is_said():
    size = size_of(["exists us (c = red and top)", "exists us (d and top)"], 1)
    assert size.size == 1 + 4
    assert "several rewrites of T" in size.enumerated


def test_limits_count_tests_and_steps():
    assert size_of(["exists us (top)"], 2, limits="limits { literals 3 }").size == 1 + 6 + 3
    assert size_of(["exists us (top)", "b"], 2, limits="limits { nesting 0 }").size == 2
