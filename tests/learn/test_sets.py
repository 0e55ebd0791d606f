"""Sets of values: the best one at a node is found in one pass where that is proved, and is that of trying them all."""

from __future__ import annotations

from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structtree.data.columns import Population
from structtree.data.schema import Attribute, RecordType, Schema
from structtree.errors import UsageError
from structtree.lang.grammar import Grammar
from structtree.lang.pretty import pretty
from structtree.learn.evidence import evidence_for
from structtree.learn.grow import Growth, grow
from structtree.learn.paths import decision_path
from structtree.learn.tree import Branch
from structtree.search.best_split import best_split
from structtree.search.criteria import CRITERIA, better, centred, class_counts, moments
from structtree.search.kernels.grouping import FEW_VALUES
from structtree.space.evaluate import holds

SETS = Grammar.parse("refine Individual { top -> * in * }")
ALL = Grammar.parse("refine Individual { top -> * in *; top -> * >= *; top -> missing * }")
CLASSIFIERS = [name for name, criterion in CRITERIA.items() if criterion.task == "classes"]
GAPS = st.sampled_from(["none", "some"])


@st.composite
def tables(draw, classes="ab", n_values=5, min_size=2, max_size=16):
    """Rows with two nominal attributes and a number, perhaps with gaps; their targets and weights."""
    n = draw(st.integers(min_size, max_size))
    nothing = [None] if draw(GAPS) == "some" else []
    color = st.sampled_from(["uvwxyzrst"[i] for i in range(n_values)] + nothing)
    shape = st.sampled_from([*"pq", *nothing])
    size = st.sampled_from([0, 1, 2, *nothing])
    rows = draw(
        st.lists(st.fixed_dictionaries({"color": color, "shape": shape, "size": size}), min_size=n, max_size=n)
    )
    one = st.integers(-3, 3) if classes is None else st.sampled_from(classes)
    target = draw(st.lists(one, min_size=n, max_size=n))
    weights = draw(st.lists(st.sampled_from([1.0, 1.0, 2.0, 0.3]), min_size=n, max_size=n))
    return rows, np.array(target, dtype=float if classes is None else object), np.array(weights)


SCHEMA = Schema(
    (RecordType("Thing", (Attribute("color", "nominal"), Attribute("shape", "nominal"), Attribute("size", "int"))),),
    "Thing",
)


def population_of(rows):
    return Population.from_records(rows, SCHEMA)


# ---- the plain way ----------------------------------------------------------------------------------------


def all_sets(values):
    present = sorted({value for value in values if value is not None})
    return chain.from_iterable(combinations(present, size) for size in range(1, len(present) + 1))


def questions(rows):
    """Whom each test of `SETS` holds of."""
    for name in ("color", "shape"):
        for chosen in all_sets([row[name] for row in rows]):
            yield np.array([row[name] in chosen for row in rows])


def loss_of(inside, evidence, rows):
    """Both components of the loss of a split of some individuals."""
    target, weights = evidence.target[rows], evidence.weights[rows]
    if evidence.classes:
        n = len(evidence.classes)
        yes, total = class_counts(target, weights, n, inside[None, :]), class_counts(target, weights, n)
    else:
        y = centred(target, weights)
        yes, total = moments(y, weights, inside[None, :]), moments(y, weights)
    return evidence.criterion.loss(yes, total)[0], evidence.criterion.unsplit(total)


def least_loss(rows, which, evidence, least):
    """The least loss of any set that leaves enough on both sides, and that of no split."""
    best, unsplit = np.array([np.inf, np.inf]), None
    for inside in questions([rows[i] for i in which]):
        loss, unsplit = loss_of(inside, evidence, which)
        if least <= inside.sum() <= len(inside) - least and better(loss, best, 1e-9):
            best = loss
    return best, unsplit


def check(tree, rows, population, evidence, least):
    """Every branch has a test that is as good as the best of all, and every leaf none that is better than nothing."""
    visits = decision_path(tree, population)
    passing = np.repeat(np.arange(len(rows)), np.diff(visits.offsets))
    for index, node in enumerate(tree.nodes):
        which = passing[visits.nodes == index]
        if isinstance(node, Branch):
            best, _ = least_loss(rows, which, evidence, least)
            own, _ = loss_of(holds(node.test, population)[which], evidence, which)
            assert own == pytest.approx(best, abs=1e-9)
            assert node.found.score == pytest.approx(evidence.criterion.score(best[0]), abs=1e-9)
            assert node.found.proved and node.found.gap == 0.0
        elif len(which) >= 2 * least and not evidence.is_pure(which):
            best, unsplit = least_loss(rows, which, evidence, least)
            assert unsplit is None or not better(best, unsplit, 1e-9)


# ---- laws -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CLASSIFIERS)
@settings(max_examples=60)
@given(table=tables(), least=st.integers(1, 3))
def test_of_two_classes_every_node_has_the_best_of_all_sets(name, table, least):
    rows, target, weights = table
    tree = grow(
        population_of(rows), target, SETS, Growth(min_samples_leaf=least), criterion=name, sample_weight=weights
    )
    check(tree, rows, population_of(rows), evidence_for(target, len(rows), name, weights), least)


@pytest.mark.parametrize("name", CLASSIFIERS)
@settings(max_examples=40)
@given(table=tables("abcd"), least=st.integers(1, 2))
def test_of_many_classes_every_node_has_the_best_of_all_sets_of_few_values(name, table, least):
    rows, target, weights = table
    tree = grow(
        population_of(rows), target, SETS, Growth(min_samples_leaf=least), criterion=name, sample_weight=weights
    )
    check(tree, rows, population_of(rows), evidence_for(target, len(rows), name, weights), least)


@settings(max_examples=60)
@given(table=tables(None), least=st.integers(1, 3))
def test_of_numbers_every_node_has_the_best_of_all_sets(table, least):
    rows, target, weights = table
    tree = grow(population_of(rows), target, SETS, Growth(min_samples_leaf=least), sample_weight=weights)
    check(tree, rows, population_of(rows), evidence_for(target, len(rows), "mse", weights), least)
