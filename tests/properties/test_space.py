"""Laws of the space: each predicate once, every refinement implies its parent, counting is enumerating."""

from __future__ import annotations

from itertools import islice

from hypothesis import assume, given
from hypothesis import strategies as st

from structtree.errors import GrammarError
from structtree.lang.grammar import Grammar
from structtree.lang.pretty import pretty
from structtree.space.count import count_space
from structtree.space.evaluate import holds
from structtree.space.space import Space
from structtree.space.terms import canonical
from tests.oracles import TooManyError, all_predicates
from tests.strategies import grammars, populations

MOST = 3000


@st.composite
def spaces(draw):
    population = draw(populations())
    text = draw(grammars(population.schema))
    try:
        return Space.build(Grammar.parse(text), population)
    except GrammarError as error:
        assume("specialise" not in str(error) and "no value" not in str(error))
        raise


def members(space):
    found = list(islice(space.enumerate(), MOST + 1))
    assume(len(found) <= MOST)
    return found


@given(spaces())
def test_no_predicate_is_generated_twice(space):
    found = members(space)
    assert len(set(found)) == len(found)


@given(spaces())
def test_counting_is_enumerating(space):
    assert count_space(space).size == len(members(space))


@given(spaces())
def test_every_generated_predicate_is_canonical_and_a_member(space):
    for predicate in members(space)[:300]:
        assert canonical(predicate) == predicate
        assert predicate in space


@given(spaces())
def test_every_refinement_implies_the_one_it_came_from(space):
    for predicate in members(space)[:60]:
        parent = holds(predicate, space.population)
        for child in islice(space.refine(predicate), 60):
            assert not (holds(child, space.population) & ~parent).any(), f"{pretty(child)} from {pretty(predicate)}"


@given(spaces())
def test_refining_from_the_text_of_a_predicate_gives_the_same_tree(space):
    found = members(space)
    again = [child for p in found for child in space.refine(space.parse(pretty(p)))]
    assert sorted(map(pretty, again)) == sorted(map(pretty, found[1:]))


@given(spaces())
def test_parents_are_members_that_the_predicate_implies(space):
    for predicate in members(space)[1:80]:
        parents = list(space.parents(predicate))
        assert parents, f"{pretty(predicate)} has no parent"
        for parent in parents:
            assert parent in space
            assert not (holds(predicate, space.population) & ~holds(parent, space.population)).any()


@given(spaces())
def test_the_space_is_what_the_rewrites_mean(space):
    try:
        expected = all_predicates(space)
    except TooManyError:
        assume(False)
    assert set(members(space)) == expected
