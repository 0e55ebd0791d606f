"""The best conjunctions over bit masks are those that the search finds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structtree import Grammar, Population
from structtree.rules import subgroups as module
from structtree.rules.conjunctions import BestConjunctions
from structtree.rules.frequent import FrequentPredicates
from structtree.rules.subgroups import find_subgroups
from structtree.search.clock import Clock
from structtree.search.kernels.masks import joined_counts, packed
from structtree.space.space import Space
from structtree.tasks.measures import MEASURES, Precision

CLASSES = [name for name, measure in MEASURES.items() if measure.task == "classes"]
GRAMMAR = "refine Row { top -> * = *; top -> x >= *; top -> x <= *; top -> not flag; top -> flag }"


@st.composite
def tables(draw):
    """A small table with nominal, numeric and boolean columns and missing values, and labels of a few classes."""
    n = draw(st.integers(4, 14))
    column = lambda values: draw(st.lists(st.sampled_from(values), min_size=n, max_size=n))  # noqa: E731
    columns = {
        "a": column("pqr"),
        "b": column(["p", "q", None]),
        "x": column([1, 2, 3]),
        "flag": column([True, False]),
    }
    records = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    labels = column("uvw")
    labels[:2] = "u", "v"
    types = {"a": "nominal", "b": "nominal", "x": "int", "flag": "bool"}
    return Population.from_records(records, individual="Row", types=types), np.array(labels)


@pytest.mark.parametrize("name", CLASSES)
@settings(max_examples=20)
@given(drawn=tables(), top=st.integers(1, 6), least=st.integers(1, 3), literals=st.integers(1, 4))
def test_masks_and_the_search_find_equally_good_subgroups(name, drawn, top, least, literals):
    population, labels = drawn
    options = {"measure": name, "top": top, "literals": literals, "min_support": least, "held_out": 0}
    listed = find_subgroups(population, labels, GRAMMAR, effort="prove", **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_LISTED", 0)
        searched = find_subgroups(population, labels, GRAMMAR, effort="prove", **options)
    assert listed.proved and searched.proved
    np.testing.assert_allclose(
        [each.searched.quality for each in listed], [each.searched.quality for each in searched], atol=1e-9
    )
    assert [each.searched.n >= least for each in listed] == [True] * len(listed)


def test_a_search_whose_time_is_over_is_not_proved():
    rng = np.random.default_rng(0)
    rows = [{f"a{j}": str(rng.integers(3)) for j in range(12)} for _ in range(300)]
    codes, population = rng.integers(2, size=300), Population.from_records(rows)
    grammar = Grammar.from_schema(population.schema).combining(4, population.schema)
    space = Space.build(grammar, population)
    literals = FrequentPredicates(space, 2).plain_literals(1000)
    search = BestConjunctions(literals, codes, Precision(support=2.0), 5, 4, 4, Clock(1e-9))
    found = search.find()
    assert len(found) == 5 and search.stopped_by == "time"
    best = BestConjunctions(literals, codes, Precision(support=2.0), 5, 4, 4).find()
    assert all(each.proved for each in best) and not any(each.proved for each in found)
    assert best[-1].quality - found[-1].quality <= search.gap
    late = find_subgroups(population, codes, grammar, held_out=0, clock=Clock(1e-9))
    assert not late.proved


def test_joins_are_counted_by_class():
    rng = np.random.default_rng(1)
    masks, codes = rng.random((5, 130)) < 0.5, rng.integers(3, size=130)
    sets = np.array([[0, 1], [0, 2], [0, 4], [1, 2], [1, 3]])
    ends = np.array([3, 3, 3, 5, 5])
    found = joined_counts(packed(masks), sets, ends, packed(codes == np.arange(3)[:, None]))
    joins = [(0, 1, 2), (0, 1, 4), (0, 2, 4), (1, 2, 3)]
    expected = [np.bincount(codes[masks[list(join)].all(axis=0)], minlength=3).tolist() for join in joins]
    assert found.tolist() == expected
