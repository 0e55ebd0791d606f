"""Shared variables along a path: a yes-branch goes on about the row that made its test true."""

from __future__ import annotations

import numpy as np
import pytest

from structtree import Grammar, Population, pretty
from structtree.learn.growing import grow
from structtree.models.leaves import decisions
from structtree.models.settings import Growth

ONE_STEP = Grammar.parse("refine Individual { top -> exists xs (top) } refine X { top -> p; top -> q }")


@pytest.fixture
def linked_conditions():
    """Only a row that is both p and q makes an individual good; that needs two conditions on one row."""
    both = [{"xs": [{"p": True, "q": True}, {"p": False, "q": False}]}] * 5
    apart = [{"xs": [{"p": True, "q": False}, {"p": False, "q": True}]}] * 5
    neither = [{"xs": [{"p": False, "q": False}]}] * 5
    return Population.from_records(both + apart + neither), np.array(["good"] * 5 + ["bad"] * 10, dtype=object)


def right(tree, population, labels):
    said = np.array(tree.classes, dtype=object)[decisions(tree)[tree.apply(population)]]
    return int((said == labels).sum())


def test_with_one_step_a_grammar_cannot_ask_two_things_of_one_row(linked_conditions):
    population, labels = linked_conditions
    assert right(grow(population, labels, ONE_STEP), population, labels) < len(labels)


def test_with_shared_paths_it_can(linked_conditions):
    population, labels = linked_conditions
    tree = grow(population, labels, ONE_STEP, Growth(share="path"))
    assert right(tree, population, labels) == len(labels)
    root, below = tree.nodes[0], tree.nodes[tree.nodes[0].yes]
    assert pretty(root.test) in ("exists xs (p)", "exists xs (q)")
    assert pretty(below.test) == "exists xs (p and q)"
    assert tree.nodes[below.yes].stats.n == 5


def test_a_row_that_a_test_further_up_found_can_be_gone_on_about():
    """Between the two conditions on one row stands a test of something else, whose answer is yes as well."""
    grammar = Grammar.parse(
        "refine Individual { top -> exists xs (top); top -> big } refine X { top -> p; top -> q; top -> r }"
    )

    def record(xs, *, big):
        return {"big": big, "xs": [dict(zip("pqr", (c in x for c in "pqr"), strict=True)) for x in xs]}

    good = [record(["pq"], big=True)] * 8
    bad = [record(["p", "q"], big=True)] * 4 + [record(["pq"], big=False)] * 9 + [record([""], big=True)] * 20
    population, labels = Population.from_records(good + bad), np.array(["good"] * 8 + ["bad"] * 33, dtype=object)
    tree = grow(population, labels, grammar, Growth(share="path"), criterion="entropy")
    assert right(tree, population, labels) == len(labels)
    last = next(branch for branch in tree.branches if pretty(tree.nodes[branch].test) == "exists xs (p and q)")
    assert [pretty(step.test) for step in tree.path(last)] == ["exists xs (p)", "big"]


def test_on_the_no_side_there_is_no_row_to_go_on_about(linked_conditions):
    population, labels = linked_conditions
    tree = grow(population, 1 - (labels == "good").astype(int), ONE_STEP, Growth(share="path"))
    for index in tree.branches:
        test = pretty(tree.nodes[index].test)
        asked_above = [step.answer for step in tree.path(index)]
        assert "and" not in test or all(asked_above)
