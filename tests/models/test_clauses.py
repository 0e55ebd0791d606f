from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from structtree.data.schema import Attribute, Link, RecordType, Schema
from structtree.lang import syntax as syn
from structtree.lang.check import check_predicate
from structtree.lang.logic import excludes, implies
from structtree.lang.parse import parse_predicate
from structtree.lang.pretty import pretty
from structtree.models.clauses import _direction, _Facts, clauses, negation, short_clauses
from structtree.space.evaluate import rows_where
from tests.learn.asking_trees import ask, counts, trees
from tests.strategies import populations, predicates, schemas

A, B = counts(3, 0), counts(0, 3)
SCHEMA = Schema(
    (
        RecordType(
            "Train",
            (Attribute("a", "real"), Attribute("b", "bool"), Attribute("c", "bool")),
            (Link("cars", "list", "Car"),),
        ),
        RecordType("Car", (Attribute("long", "bool"), Attribute("closed", "bool"))),
    ),
    "Train",
)


def shortened(sketch, answers=None):
    tree = ask(SCHEMA, sketch)
    said = [int(np.argmax(node.stats.counts)) for node in tree.nodes] if answers is None else answers
    return [" & ".join(map(pretty, clause.conditions)) for clause in short_clauses(tree, said)]


@st.composite
def two_on_a_population(draw):
    schema = draw(schemas())
    two = draw(st.tuples(predicates(schema, depth=2), predicates(schema, depth=2)))
    return draw(populations(schema)), *two


@given(two_on_a_population())
def test_the_negation_holds_where_the_predicate_does_not(case):
    population, p, _ = case
    name = population.schema.individual
    assert (rows_where(negation(p), population, name) == ~rows_where(p, population, name)).all()


@st.composite
def two_about_rows(draw):
    """Two conditions that ask for similar rows, or deny them."""
    tests = st.sampled_from(["long", "closed", "long and closed", "not long", "long or closed", "top"])
    signs = st.sampled_from(["exists cars ({})", "none cars ({})", "not (exists cars ({}))", "count cars ({}) >= 2"])
    more = st.sampled_from(["count cars ({}) <= 1", "not (count cars ({}) >= 2)", "count cars ({}) >= 0"])
    texts = [draw(signs | more).format(draw(tests)) for _ in range(2)]
    return [check_predicate(parse_predicate(text), "Train", SCHEMA) for text in texts]


def agrees(p, q):
    return (_direction(p).may_imply(_direction(q)) or implies(p, q) is not True) and (
        _direction(p).may_exclude(_direction(q)) or not excludes(p, q)
    )


@given(two_about_rows())
def test_conditions_whose_names_do_not_fit_neither_imply_nor_exclude_each_other(two):
    assert all(agrees(p, q) for p in two for q in two)


@given(two_on_a_population())
def test_random_predicates_whose_names_do_not_fit_neither_imply_nor_exclude_each_other(case):
    _, *two = case
    negated = [*two, *map(negation, two)]
    assert all(agrees(p, q) for p in negated for q in negated)


@given(two_on_a_population())
def test_what_is_entailed_or_refuted_is_so_on_data(case):
    population, p, q = case
    name = population.schema.individual
    one, other = rows_where(p, population, name), rows_where(q, population, name)
    assert not implies(p, q) or other[one].all()
    assert not excludes(p, q) or not (one & other).any()


@given(schemas().flatmap(trees))
def test_clauses_only_get_fewer_and_shorter(tree):
    said = [int(np.argmax(node.stats.counts)) for node in tree.nodes]
    length = {clause.leaves[0]: len(clause.conditions) for clause in clauses(tree)}
    short = short_clauses(tree, said)
    leaves = [leaf for clause in short for leaf in clause.leaves]
    assert len(set(leaves)) == len(leaves) <= len(tree.leaves)
    assert all(len(clause.conditions) <= max(length[leaf] for leaf in clause.leaves) for clause in short)


def test_a_weaker_bound_is_dropped():
    assert shortened(("a >= 3", ("a >= 5", A, B), A), [0, 0, 1, 2, 3]) == ["a >= 5", "a in [3, 5)", "not (a >= 3)"]


@pytest.mark.parametrize(
    ("kind", "shown"),
    [("date", "when in [1970-01-02, 1970-01-03)"), ("time", "when in [1970-01-01 00:00:01, 1970-01-01 00:00:02)")],
)
def test_the_ends_of_an_interval_of_dates_are_dates(kind, shown):
    schema = Schema((RecordType("T", (Attribute("when", kind),)),), "T")
    first, second = (syn.Compare("when", ">=", syn.written(number, kind)) for number in (1.0, 2.0))
    clause = short_clauses(ask(schema, (first, (second, A, B), A)), [0, 0, 1, 2, 3])[1]
    assert pretty(clause.conditions[0]) == shown
    assert check_predicate(parse_predicate(shown), "T", schema) == clause.conditions[0]


def test_bounds_of_ordered_categories_are_no_interval():
    schema = Schema((RecordType("T", (Attribute("size", "ordered", ("s", "m", "l")),)),), "T")
    first, second = (
        syn.Compare("size", ">=", syn.written(number, "ordered", ("s", "m", "l"))) for number in (1.0, 2.0)
    )
    clause = short_clauses(ask(schema, (first, (second, A, B), A)), [0, 0, 1, 2, 3])[1]
    assert list(map(pretty, clause.conditions)) == ["size >= m", "not (size >= l)"]


def test_what_a_refinement_implies_is_dropped():
    sketch = ("exists cars (long)", ("exists cars (long and closed)", A, B), A)
    assert shortened(sketch, [0, 0, 1, 2, 3]) == [
        "exists cars (long and closed)",
        "exists cars (long) & none cars (long and closed)",
        "none cars (long)",
    ]


def test_a_known_conjunct_of_a_negated_conjunction_is_dropped():
    assert shortened(("b", ("b and c", A, B), A), [0, 0, 1, 2, 3]) == ["b & c", "b & not (c)", "not (b)"]


def test_a_condition_that_makes_no_difference_is_dropped():
    assert shortened(("b", A, ("c", A, B))) == ["b", "c", "not (b) & not (c)"]


def test_leaves_that_say_the_same_share_a_clause():
    tree = ask(SCHEMA, ("b", ("c", A, A), B))
    found = short_clauses(tree, [0, 0, 0, 0, 1])
    assert [(list(map(pretty, clause.conditions)), clause.leaves) for clause in found] == [
        (["b"], (2, 3)),
        (["not (b)"], (4,)),
    ]


def test_a_tree_of_one_answer_has_one_clause_without_conditions():
    assert shortened(("b", ("c", A, A), ("a >= 1", A, A))) == [""]


def test_a_leaf_that_nobody_can_reach_has_no_clause():
    assert shortened(("a >= 5", ("a >= 3", A, B), B)) == ["a >= 5", "not (a >= 5)"]


def test_counts_of_the_same_rows_are_seen_through():
    sketch = ("count cars (long) >= 3", A, ("exists cars (long)", B, A))
    assert shortened(sketch, [0, 0, 0, 1, 2]) == [
        "count cars (long) >= 3",
        "count cars (long) <= 2 & exists cars (long)",
        "none cars (long)",
    ]


def test_a_long_chain_of_tests_is_no_trouble():
    sketch = A
    for i in range(150):
        sketch = (parse_predicate(f"a >= {i}"), (A, B)[i % 2], sketch)
    found = shortened(sketch)
    assert len(found) == 150  # below 1 all are told the same
    assert found[0] == "a >= 149"
    assert found[1] == "a in [148, 149)"


@given(schemas().flatmap(lambda schema: st.lists(predicates(schema, depth=2), min_size=2, max_size=8)))
def test_what_is_looked_up_is_what_logic_says(conditions):
    behind = ("exists cars (a >= {})", "exists cars (a >= {} and b)", "count cars (a >= {}) >= 2")
    forms = [
        *(text.format(t) for t in (1, 2, 2.5) for text in ("a >= {}", "a <= {}", *behind)),
        "missing a",
        "exists cars (b)",
    ]
    plain = [*conditions, *map(parse_predicate, forms)]
    facts = _Facts([*plain, *map(negation, plain)])
    for (i, p), (j, q) in product(enumerate(facts.conditions), repeat=2):
        related = i in facts._related(q)
        assert (i in facts.entailers(j)) == (i == j or (related and bool(implies(p, q))))
        assert (i in facts.refuters(j)) == (related and bool(excludes(p, q)))
