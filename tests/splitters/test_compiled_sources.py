"""Bins, quantiles, lists and intervals of a plain table: compiled, and the same trees as by searching."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structtree.lang import syntax as syn
from structtree.lang.grammar import Grammar
from structtree.lang.pretty import pretty
from structtree.learn.growing import grow
from structtree.models.settings import Growth
from structtree.models.tree import Branch
from structtree.space.space import Space
from tests.growing import grow_on
from tests.learn.plain_trees import records, things

FIXED = [
    "size >= {1, 3}",
    "size <= {0, 1, 2}",
    "size >= 1..3",
    "size <= 0..2",
    "size = {0, 2}",
    "size in [1, 3)",
    "size in [0, 2]",
    "size in {0, 3}",
    "missing size",
    "missing *",
    "color = {blue, red}",
    "color in {blue, red}",
]
OF_THE_DATA = ["size in bins(2)", "size in quantiles(3)", "size >= quantiles(2)", "size <= bins(3)", "color != *"]


@st.composite
def tables(draw):
    rows = draw(st.lists(records, min_size=2, max_size=20))
    target = draw(st.lists(st.sampled_from("ab"), min_size=len(rows), max_size=len(rows)))
    return rows, np.array(target, dtype=object)


def grammar_of(rewrites):
    return Grammar.parse("refine Thing { top -> old; " + "; ".join(f"top -> {right}" for right in rewrites) + " }")


def written_out(grammar, population):
    """The same grammar with every test that it offers on the data as a rewrite."""
    return grammar_of(pretty(p) for p in Space.build(grammar, population).enumerate() if p != syn.Top())


def drawn(tree):
    return [(pretty(node.test) if isinstance(node, Branch) else "", node.stats.counts) for node in tree.nodes]


#: A tree that must not be searched for.
compiled = partial(grow_on, "sweeps")


@settings(max_examples=60)
@given(table=tables(), rewrites=st.lists(st.sampled_from(FIXED), min_size=1, max_size=3, unique=True))
def test_lists_and_intervals_are_the_same_compiled_and_searched(table, rewrites):
    rows, target = table
    given_ = (things(rows), target, grammar_of(rewrites))
    tree = compiled(*given_, criterion="gini")
    assert drawn(tree) == drawn(grow(*given_, Growth(strategy="best-first", effort="prove"), criterion="gini"))


@settings(max_examples=40)
@given(table=tables(), right=st.sampled_from(OF_THE_DATA))
def test_bins_and_quantiles_are_made_once_of_all_individuals(table, right):
    rows, target = table
    population, grammar = things(rows), grammar_of([right])
    tree = compiled(population, target, grammar, criterion="gini")
    listed = written_out(grammar, population)
    searched = grow(population, target, listed, Growth(strategy="best-first", effort="prove"), criterion="gini")
    assert [counts for _, counts in drawn(tree)] == [counts for _, counts in drawn(searched)]


@pytest.mark.parametrize("missing", ["false", "majority", "fractional"])
@settings(max_examples=30)
@given(table=tables(), right=st.sampled_from([*FIXED, *OF_THE_DATA]))
def test_by_every_rule_for_missing_values_they_are_the_tests_written_out(missing, table, right):
    rows, target = table
    population, grammar = things(rows), grammar_of([right])
    options = {"growth": Growth(missing=missing), "criterion": "gini"}
    tree = grow(population, target, grammar, **options)
    listed = grow(population, target, written_out(grammar, population), **options)
    # Written out, a threshold between whole numbers is one of them.
    assert [counts for _, counts in drawn(tree)] == [counts for _, counts in drawn(listed)]
