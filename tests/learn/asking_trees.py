"""Random trees whose tests ask anything of structured individuals; what was seen in them is made up."""

from __future__ import annotations

from hypothesis import strategies as st

from structtree.lang import syntax as syn
from structtree.lang.parse import parse_predicate
from structtree.models.tree import Branch, ClassCounts, Found, Leaf, Moments, Tree
from structtree.space.terms import canonical
from tests.strategies import predicates

CLASSES = ("a", "b", "c")
FOUND = Found("gini", 0.5, 0.1, True, 0.0, 1, 0.0)


def ask(schema, sketch, classes=("no", "yes"), found=FOUND):
    """A tree from a sketch: a leaf is what was seen there, a branch is (test, yes, no) with the test as text."""
    return Tree(tuple(_nodes(sketch, 0, found)), schema, classes if _is_of_classes(sketch) else ())


def _is_of_classes(sketch):
    while isinstance(sketch, tuple):
        sketch = sketch[1]
    return isinstance(sketch, ClassCounts)


def _nodes(sketch, place, found):
    if not isinstance(sketch, tuple):
        return [Leaf(sketch)]
    test, yes, no = sketch
    above = _nodes(yes, place + 1, found)
    below = _nodes(no, place + 1 + len(above), found)
    test = parse_predicate(test) if isinstance(test, str) else test
    seen = together(above[0].stats, below[0].stats)
    return [Branch(test, place + 1, place + 1 + len(above), seen, found), *above, *below]


def together(one, other):
    n = one.n + other.n
    if isinstance(one, ClassCounts):
        return ClassCounts(n, tuple(a + b for a, b in zip(one.counts, other.counts, strict=True)))
    weight = one.weight + other.weight
    mean = (one.weight * one.mean + other.weight * other.mean) / weight
    square = one.weight * (one.variance + one.mean**2) + other.weight * (other.variance + other.mean**2)
    return Moments(n, weight, mean, square / weight - mean**2)


def counts(*of):
    return ClassCounts(int(sum(of)), tuple(map(float, of)))


class_leaves = st.tuples(*[st.integers(0, 3)] * 3).filter(any).map(lambda of: counts(*of))
number_leaves = st.tuples(st.integers(1, 3), st.integers(0, 2), st.sampled_from([0.0, 1.0])).map(
    lambda of: Moments(of[0], float(of[0]), float(of[1]), of[2])
)


@st.composite
def predicates_on(draw, schema):
    """Tests of which some imply or exclude others: few subjects, and conjunctions with what was asked before."""
    pool = draw(st.lists(predicates(schema, depth=2), min_size=2, max_size=3))
    pool = [syn.Named(f"d{i}", p) if draw(st.integers(0, 5)) == 0 else p for i, p in enumerate(pool)]
    one = st.sampled_from(pool)
    return st.one_of(one, st.tuples(one, one).map(syn.And)).map(canonical)


@st.composite
def trees(draw, schema, leaves=class_leaves, max_leaves=7):
    """A tree on a schema."""
    tests = draw(predicates_on(schema))
    sketch = st.recursive(leaves, lambda inner: st.tuples(tests, inner, inner), max_leaves=max_leaves)
    return ask(schema, draw(sketch), CLASSES)
