"""Going down a tree in compiled code leads where its tests lead."""

from __future__ import annotations

import numpy as np
import pytest

from structtree import Grammar, Population
from structtree.lang.parse import parse_predicate
from structtree.learn.growing import grow
from structtree.models.routing.descent import descent_of, leaves_by
from structtree.models.settings import Growth
from structtree.models.tree import Branch

SETS = Grammar.parse("refine Individual { top -> *; top -> * in *; top -> * >= * }")
FLAT = Grammar.parse("refine Individual { top -> *; top -> * = *; top -> * >= *; top -> * <= * }")


def table(n, seed, kinds=("a", "b", "c")):
    rng = np.random.default_rng(seed)
    records = [
        {
            "size": int(rng.integers(0, 9)),
            "height": float(rng.normal()),
            "kind": str(rng.choice(kinds)),
            "old": bool(rng.random() < 0.5),
        }
        for _ in range(n)
    ]
    for i in range(0, n, 7):
        del records[i][("size", "height", "kind")[i % 3]]
    return Population.from_records(records)


def slowly(tree, population):
    """The leaves by asking every test by itself."""
    leaf_of = np.empty(len(population), dtype=int)
    for node, which in tree.arrivals(population):
        leaf_of[which] = node
    return leaf_of


@pytest.mark.parametrize("grammar", [FLAT, SETS], ids=["values", "sets"])
@pytest.mark.parametrize("seed", range(6))
def test_it_leads_to_the_same_leaves_also_where_values_are_missing_or_new(seed, grammar):
    train, other = table(300, seed), table(500, seed + 100, kinds=("a", "c", "d", "e"))
    labels = np.random.default_rng(seed).integers(0, 3, 300)
    tree = grow(train, labels, grammar, Growth(max_depth=6), criterion="gini")
    assert len(tree.leaves) > 10
    quickly = [tree.apply(population) for population in (train, other)]
    for found, population in zip(quickly, (train, other), strict=True):
        assert (found == slowly(tree, population)).all()


ARRAYS = {
    "rows": lambda cells: cells,
    "columns": np.asfortranarray,
    "every other row": lambda cells: np.repeat(cells, 2, axis=0)[::2],
    "last row first": lambda cells: cells[::-1],
    "every other column": lambda cells: np.repeat(cells, 2, axis=1)[:, ::2],
    "last column first": lambda cells: cells[:, ::-1],
    "single precision": lambda cells: cells.astype(np.float32),
    "whole numbers": lambda cells: np.nan_to_num(cells * 5).astype(int),
    "one row": lambda cells: cells[:1],
    "none": lambda cells: cells[:0],
    "packed": lambda cells: packed(cells),
}


def packed(cells):
    """The same as parts of rows that begin anywhere in memory."""
    rows = np.empty(len(cells), dtype=np.dtype([("flag", "i1"), ("cells", "f8", cells.shape[1])]))
    rows["cells"] = cells
    return rows["cells"]


@pytest.mark.parametrize("form", ARRAYS)
@pytest.mark.parametrize("copy", [False, True])
def test_the_columns_of_an_array_are_read_where_they_are(form, copy):
    rng = np.random.default_rng(3)
    cells = rng.normal(size=(501, 7))
    cells[rng.random(cells.shape) < 0.1] = np.nan
    train = Population.from_array(cells)
    tree = grow(train, rng.integers(0, 2, 501), Grammar.from_schema(train.schema), criterion="gini")
    given = ARRAYS[form](cells)
    before = given.copy()
    population = Population.from_array(given, copy=copy)
    chosen = rng.permutation(len(population))[: len(population) // 2]
    some = [population, population.take(chosen), population[len(population) // 3 :]]
    quickly = [leaves_by(tree.descent, each, piece=40) for each in some]  # threads, and a last piece
    np.testing.assert_array_equal(given, before)
    for found, each in zip(quickly, some, strict=True):
        assert (found == slowly(tree, each)).all()


def test_a_tree_with_other_tests_is_asked_one_by_one():
    data = Population.from_records([{"xs": [{"v": 1}]}, {"xs": []}])
    tests = Grammar.parse("refine Individual { top -> exists xs (top) }")
    tree = grow(data, np.array(["a", "b"]), tests)
    branch = tree.nodes[0]
    assert isinstance(branch, Branch)
    assert descent_of([branch.test, None, None], [(1, 2), (-1, -1), (-1, -1)]) is None


def test_sets_of_numbers_are_left_to_the_tests_themselves():
    test = parse_predicate("kind in {a, b}")
    descent = descent_of([test, None, None], [(1, 2), (-1, -1), (-1, -1)])
    words, numbers = (Population.from_records([{"kind": kind} for kind in kinds]) for kinds in ("abc", (1, 2, 3)))
    assert leaves_by(descent, words).tolist() == [1, 1, 2]
    assert leaves_by(descent, numbers) is None
    assert descent_of([parse_predicate("size in {1, 2}"), None, None], [(1, 2), (-1, -1), (-1, -1)]) is None


def test_data_without_an_attribute_is_left_to_the_tests_themselves():
    train = table(50, 0)
    tree = grow(
        train, np.arange(50) % 2, Grammar.parse("refine Individual { top -> size >= * }"), Growth(max_depth=1)
    )
    branch = tree.nodes[0]
    descent = descent_of([branch.test, None, None], [(1, 2), (-1, -1), (-1, -1)])
    assert leaves_by(descent, Population.from_records([{"height": 1.5}])) is None
