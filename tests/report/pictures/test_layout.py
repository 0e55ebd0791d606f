"""The tidy layout of trees: nothing overlaps, whatever the shape and the sizes."""

from itertools import combinations, pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from structtree.report.pictures.layout import BoxSize, _inverse, tidy


@st.composite
def trees(draw, most=60):
    """Random trees as children of each node, in the order of reading."""
    n = draw(st.integers(1, most))
    parents = [draw(st.integers(max(0, node - 6), node - 1)) for node in range(1, n)]
    children = [[] for _ in range(n)]
    for node, parent in enumerate(parents, 1):
        children[parent].append(node)
    return children


@st.composite
def sized_trees(draw):
    children = draw(trees())
    box = st.builds(BoxSize, st.integers(1, 200), st.integers(1, 60))
    return children, draw(st.lists(box, min_size=len(children), max_size=len(children)))


def overlaps(one, size, other, other_size, gap=0.0):
    aside = abs(one.x - other.x) + 1e-9 >= (size.width + other_size.width) / 2 + gap
    upper, lower = sorted([(one.y, size.height), (other.y, other_size.height)])
    return not aside and lower[0] < upper[0] + upper[1]


@given(sized_trees(), st.integers(0, 20), st.integers(0, 40))
def test_boxes_never_overlap_and_keep_their_distance(tree, gap, level_gap):
    children, sizes = tree
    spots = tidy(children, sizes, gap, level_gap)
    for (one, size), (other, other_size) in combinations(zip(spots, sizes, strict=True), 2):
        same_level = one.y == other.y
        assert not overlaps(one, size, other, other_size, gap if same_level else 0.0)


@given(sized_trees())
def test_parents_stand_above_the_middle_of_their_children_who_keep_their_order(tree):
    children, sizes = tree
    spots = tidy(children, sizes)
    for node, below in enumerate(children):
        if below:
            xs = [spots[child].x for child in below]
            assert abs(spots[node].x - (xs[0] + xs[-1]) / 2) < 1e-6
            assert all(left < right for left, right in pairwise(xs))
            assert all(spots[child].y >= spots[node].y + sizes[node].height for child in below)


@given(sized_trees())
def test_the_picture_begins_at_zero(tree):
    children, sizes = tree
    spots = tidy(children, sizes)
    assert abs(min(spot.x - size.width / 2 for spot, size in zip(spots, sizes, strict=True))) < 1e-6
    assert spots[0].y == 0


@given(trees())
def test_a_mirrored_tree_has_a_mirrored_shape(children):
    """Subtrees that are the same shape are drawn alike, so a binary tree and its mirror image match."""
    children = [below[:2] for below in children]
    keep = reachable(children)
    children = [[keep.index(child) for child in children[node]] for node in keep]
    sizes = [BoxSize(10, 10)] * len(children)
    spots, mirrored = tidy(children, sizes), tidy([below[::-1] for below in children], sizes)
    width = max(spot.x for spot in spots) + 5
    assert all(abs((width - one.x) - other.x) < 1e-6 for one, other in zip(spots, mirrored, strict=True))


def reachable(children):
    found, stack = [], [0]
    while stack:
        node = stack.pop()
        found.append(node)
        stack.extend(reversed(children[node]))
    return sorted(found)


def test_a_chain_of_a_thousand_levels_is_laid_out():
    n = 1000
    children = [[node + 1, node + 2] if node % 2 == 0 and node < 2 * n else [] for node in range(2 * n + 1)]
    assert len(tidy(children, [BoxSize(10, 10)] * len(children))) == 2 * n + 1


@given(st.integers(2, 12).flatmap(lambda n: st.lists(st.integers(1, 9), min_size=n * n, max_size=n * n)))
def test_the_inverse_of_a_laplacian_is_its_pseudoinverse(lengths):
    n = int(len(lengths) ** 0.5)
    steps = np.array(lengths, dtype=np.float64).reshape(n, n)
    weights = np.where(np.eye(n, dtype=np.bool_), 0.0, 1.0 / (steps + steps.T) ** 2)
    expected = np.linalg.pinv(np.diag(weights.sum(axis=1)) - weights)
    assert np.allclose(_inverse(weights), expected, rtol=1e-6, atol=1e-6)
