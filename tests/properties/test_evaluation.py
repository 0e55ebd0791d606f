"""Laws of evaluation: the vectorised evaluator is the reference, whatever the predicate and the data."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from structtree.space.evaluate import holds
from structtree.space.meaning import satisfies, witnesses
from structtree.space.terms import canonical
from tests.space.truth import is_true
from tests.strategies import populations, predicates


@st.composite
def cases(draw):
    population = draw(populations())
    return population, draw(predicates(population.schema))


@given(cases())
def test_the_vectorised_evaluator_equals_the_reference(case):
    population, predicate = case
    expected = [is_true(predicate, population, i) for i in range(len(population))]
    assert holds(predicate, population).tolist() == expected
    assert [satisfies(predicate, population, i) for i in range(len(population))] == expected


@given(cases())
def test_the_canonical_form_means_the_same(case):
    population, predicate = case
    assert holds(canonical(predicate), population).tolist() == holds(predicate, population).tolist()


@given(cases())
def test_the_canonical_form_is_canonical(case):
    _, predicate = case
    assert canonical(canonical(predicate)) == canonical(predicate)


@given(cases())
def test_there_are_witnesses_exactly_when_a_predicate_that_asks_something_holds(case):
    population, predicate = case
    for i, true in enumerate(holds(predicate, population)):
        found = witnesses(predicate, population, i)
        assert bool(found) == bool(true)


@given(cases())
def test_every_witness_satisfies_what_it_is_a_witness_of(case):
    from structtree.space.evaluate import rows_where

    population, predicate = case
    for i in range(len(population)):
        for witness in witnesses(predicate, population, i):
            assert rows_where(witness.predicate, population, witness.type)[witness.row]


@given(cases(), st.randoms(use_true_random=False))
def test_reordering_individuals_reorders_the_answers(case, random):
    population, predicate = case
    order = list(range(len(population)))
    random.shuffle(order)
    assert holds(predicate, population.take(order)).tolist() == holds(predicate, population)[np.array(order)].tolist()
