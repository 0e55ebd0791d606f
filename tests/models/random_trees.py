"""Trees made by hand or by Hypothesis: what arrives at the leaves is given, the counts above are its sums.

A sketch is a leaf or a pair (yes, no) of sketches. A leaf is what is seen there: class counts, or a list of numbers.
Leaves are numbered from left to right, and an individual whose ``x`` is a leaf's number ends up in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from hypothesis import strategies as st

from structtree.data.population import Population
from structtree.data.schema import Attribute, RecordType, Schema
from structtree.lang.parse import parse_predicate
from structtree.models.tree import Branch, ClassCounts, Found, Leaf, Moments, Tree

SCHEMA = Schema((RecordType("Thing", (Attribute("x", "int"),)),), "Thing")
FOUND = Found("acc*", 0.5, 0.1, True, 0.0, 1, 0.0)


@dataclass(frozen=True)
class Counts:
    """Class counts at a leaf."""

    of: tuple[float, ...]

    def __add__(self, other):
        return Counts(tuple(a + b for a, b in zip(self.of, other.of, strict=True)))

    def stats(self):
        return ClassCounts(int(sum(self.of)), self.of)


@dataclass(frozen=True)
class Numbers:
    """Targets at a leaf."""

    of: tuple[float, ...]

    def __add__(self, other):
        return Numbers(self.of + other.of)

    def stats(self):
        return Moments(len(self.of), float(len(self.of)), float(np.mean(self.of)), float(np.var(self.of)))


def counts(*of):
    return Counts(tuple(map(float, of)))


def numbers(*of):
    return Numbers(tuple(map(float, of)))


def tree_of(sketch, classes=("no", "yes")):
    """The tree that a sketch stands for."""
    nodes, _, seen = _nodes(sketch, 0, 0)
    return Tree(tuple(nodes), SCHEMA, classes if isinstance(seen, Counts) else ())


def _nodes(sketch, place, leaf):
    """The nodes of a sketch from a place on, the number of the leaf after its own, and all that is seen in it."""
    if not isinstance(sketch, tuple):
        return [Leaf(sketch.stats())], leaf + 1, sketch
    yes, between, seen_yes = _nodes(sketch[0], place + 1, leaf)
    no, after, seen_no = _nodes(sketch[1], place + 1 + len(yes), between)
    seen = seen_yes + seen_no
    test = parse_predicate(f"x <= {between - 1}")
    return [Branch(test, place + 1, place + 1 + len(yes), seen.stats(), FOUND), *yes, *no], after, seen


def arriving(leaves):
    """A population whose individuals end up in the leaves of these numbers."""
    return Population.from_records([{"x": int(leaf)} for leaf in leaves], SCHEMA)


def sketches(leaves, max_leaves=6):
    """Random sketches over a strategy for leaves."""
    return st.recursive(leaves, lambda inner: st.tuples(inner, inner), max_leaves=max_leaves)


def count_leaves(n_classes=2, most=5, least_weight=1):
    each = st.lists(st.integers(0, most), min_size=n_classes, max_size=n_classes)
    return each.filter(lambda of: sum(of) >= least_weight).map(lambda of: counts(*of))


number_leaves = st.lists(st.integers(-4, 4), min_size=1, max_size=4).map(lambda of: numbers(*of))
class_trees = sketches(count_leaves()).map(tree_of)
three_class_trees = sketches(count_leaves(3)).map(lambda sketch: tree_of(sketch, ("a", "b", "c")))
number_trees = sketches(number_leaves).map(tree_of)


def prunings(tree, node=0):
    """Every way to prune what is below a node, as (branches kept, leaves); a plain recursion."""
    ways = [(frozenset(), (node,))]
    children = tree.nodes[node].children
    if children:
        ways += [
            (frozenset({node}).union(*(kept for kept, _ in sides)), sum((leaves for _, leaves in sides), ()))
            for sides in product(*(prunings(tree, child) for child in children))
        ]
    return ways
