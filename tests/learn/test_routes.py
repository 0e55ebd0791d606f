"""A grammar means the same on every route to a tree: searched, listed from the inside out, one test or several."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from structtree.data.population import Population
from structtree.lang.grammar import Grammar
from structtree.lang.parse import parse_predicate
from structtree.lang.pretty import pretty
from structtree.learn.growing import grow
from structtree.models.settings import Growth
from structtree.models.tree import Branch
from structtree.space.evaluate import holds

ROUTES = [("auto", 1), ("auto", 2), ("bottom-up", 1), ("best-first", 1), ("best-first", 2)]


def order(age, items):
    made = [{"heavy": letter == "y", "weight": 1 + place} for place, letter in enumerate(items)]
    return {"paid": len(items) < 2, "customer": {"age": age}, "items": made}


ORDERS = Population.from_records(
    [order(20, "n"), order(30, "nn"), order(40, ""), order(50, "yn"), order(60, "yyn"), order(70, "yy")],
    types={"items": "set"},
    individual="Order",
)
TARGET = [0, 0, 0, 1, 1, 1]
REST = "refine Item { top -> heavy; top -> not heavy }"


def grown(rewrites, strategy, conjuncts, limits=""):
    several = f"top -> top and top max {conjuncts}" if conjuncts > 1 else ""
    text = f"refine Order {{ {'; '.join(rewrites)}; {several} }} {REST} {limits}"
    return grow(ORDERS, TARGET, Grammar.parse(text), Growth(strategy=strategy, effort="prove"))


def check(tree):
    """What a node has seen is what arrives there."""
    for node, which in tree.arrivals(ORDERS):
        assert tree.nodes[node].stats.n == len(which)


@pytest.mark.parametrize(("strategy", "conjuncts"), ROUTES)
@pytest.mark.parametrize("numbers", ["0..3", "{0, 2}", "-1..0", "-2..1", "{0, 1}", "0"])
@pytest.mark.parametrize("form", ["count items (top)", "count items (heavy)"])
def test_counts_from_below_1_on_mean_what_they_say(strategy, conjuncts, numbers, form):
    tree = grown([f"top -> {form} >= {numbers}"], strategy, conjuncts)
    check(tree)
    searched = grown([f"top -> {form} >= {numbers}"], "best-first", conjuncts)
    assert [node.stats for node in tree.nodes] == [node.stats for node in searched.nodes]


@pytest.mark.parametrize(("strategy", "conjuncts"), ROUTES)
@pytest.mark.parametrize(
    ("limits", "right"),
    [
        ("literals 1", "customer.age >= *"),
        ("literals 1", "customer.age <= {40}"),
        ("nesting 0", "customer.age >= *"),
        ("nesting 0", "max items.weight >= *"),
        ("nesting 0", "none items (heavy)"),
    ],
)
def test_limits_hold_for_tests_behind_links(strategy, conjuncts, limits, right):
    tree = grown(["top -> paid", f"top -> {right}"], strategy, conjuncts, f"limits {{ {limits} }}")
    assert {pretty(node.test) for node in tree.nodes if isinstance(node, Branch)} <= {"paid"}


GREATEST = sys.float_info.max
EXTREMES = [
    [-np.inf, np.inf, -np.inf, np.inf, np.inf, -np.inf],
    [-np.inf, 0.0, 1.0, 1.5, 2.0, np.inf],
    [-GREATEST, GREATEST, -GREATEST, GREATEST, GREATEST, -GREATEST],
    [GREATEST, np.inf, GREATEST, np.inf, np.inf, GREATEST],
    [-np.inf, -GREATEST, -np.inf, -GREATEST, np.nan, -GREATEST],
    [-GREATEST, -1e300, 0.0, 5e-324, 1e300, GREATEST],
]


@pytest.mark.parametrize("values", EXTREMES)
@pytest.mark.parametrize(
    "right",
    ["a >= *", "a <= *", "a >= bins(3)", "a <= bins(3)", "a in bins(3)", "a >= quantiles(3)", "a in quantiles(3)"],
)
@pytest.mark.parametrize(
    ("strategy", "missing"), [("auto", "false"), ("best-first", "false"), ("auto", "fractional")]
)
def test_infinite_and_greatest_numbers_are_divided_as_they_are_ordered(values, right, strategy, missing):
    table = Population.from_array(np.array(values)[:, None], names=["a"])
    grammar = Grammar.parse(f"refine Row {{ top -> {right} }}")
    tree = grow(table, [0, 1, 0, 1, 1, 0], grammar, Growth(strategy=strategy, missing=missing))
    for node, which in tree.arrivals(table):
        assert missing == "fractional" or tree.nodes[node].stats.n == len(which)
    for test in (node.test for node in tree.nodes if isinstance(node, Branch)):
        assert parse_predicate(pretty(test)) == test
        assert 0 < holds(test, table).sum() < len(table)
