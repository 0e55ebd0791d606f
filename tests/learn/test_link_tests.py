"""Laws of tests behind links as columns of the sweeps: every meaning is there, and the tree is what searching finds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from structtree import Grammar, Population, Space, holds, pretty
from structtree.data.reach import compact
from structtree.errors import GrammarError
from structtree.learn.grow import grow
from structtree.learn.growth import Growth
from structtree.learn.link_tests import is_one_at_a_time, linked_tests
from structtree.learn.plan import plan_for
from structtree.search.best_split import best_split
from structtree.search.criteria import CRITERIA
from structtree.search.kernels import tables as kernel
from tests.properties.test_space import members
from tests.strategies import grammars, populations


@st.composite
def spaces(draw):
    population = compact(draw(populations()))
    text = draw(grammars(population.schema, one_at_a_time=True))
    try:
        space = Space.build(Grammar.parse(text), population)
    except GrammarError as error:
        assume("no value" not in str(error))
        raise
    assume(is_one_at_a_time(space))
    return space


def listed(test, population):
    """The members of a listed test, each with whom it holds of according to its column."""
    if test.subject is None:
        yield test.right, holds(test.right, population)
        return
    column = test.column or population.tables[population.schema.individual].value_column(test.attribute).take(
        population.individuals
    )
    values = column.values
    if test.steps:
        for place, step in enumerate(test.steps):
            passed = {
                kernel.AT_LEAST: values > place,
                kernel.AT_MOST: values <= place,
                kernel.EQUAL: values == place,
            }
            yield step, passed[test.form]
        return
    for value in np.unique(values[~column.missing]):
        if test.form == kernel.EQUAL:
            yield test.of(column.categories[value]), values == value
        elif test.form == kernel.SUBSET:
            yield test.among([column.categories[value]]), values == value
        else:
            yield test.at(value), values >= value if test.form == kernel.AT_LEAST else values <= value


@given(spaces())
def test_a_column_says_of_whom_its_members_hold_and_every_meaning_has_a_column(space):
    wanted = {holds(p, space.population).tobytes(): p for p in members(space)}
    found = linked_tests(space.grammar, space.population)
    assert found is not None and found.complete
    made = set()
    for test in found.tests:
        for member, true in listed(test, space.population):
            assert (holds(member, space.population) == true).all(), pretty(member)
            made.add(true.tobytes())
            if test.form == kernel.SUBSET:
                return
    n = len(space.population)
    trivial = {np.zeros(n, dtype=np.bool_).tobytes(), np.ones(n, dtype=np.bool_).tobytes()}
    assert {key: pretty(p) for key, p in wanted.items() if key not in made | trivial} == {}


@given(spaces(), st.sampled_from(sorted(CRITERIA)), st.integers(1, 2), st.randoms(use_true_random=False))
def test_the_root_is_what_an_exhaustive_search_finds(space, criterion, leaf, random):
    population = space.population
    numbers = CRITERIA[criterion].task == "numbers"
    target = [random.randrange(4) * (1.5 if numbers else 1) for _ in range(len(population))]
    assume(len(set(target)) > 1)
    growth = Growth(max_depth=1, min_samples_leaf=leaf)
    plan = plan_for(population, space.grammar, growth)
    assert plan.route == "sweeps"
    tree = grow(population, target, space.grammar, growth, criterion=criterion, plan=plan)
    slow = best_split(
        population, target, space.grammar, criterion=criterion, strategy="exhaustive", min_samples_leaf=leaf
    )
    judge = slow.problem.judge
    gained = judge.criterion.unsplit(judge.total) - np.array(slow.loss)
    root = tree.nodes[0]
    if len(tree.nodes) == 1:
        assert slow.predicate == slow.problem.space.root().predicate or not judge.improves(
            slow.loss, tuple(judge.criterion.unsplit(judge.total))
        )
        return
    assert root.found.proved
    true = holds(root.test, population)
    loss = judge.loss(judge.counts(true[:, None]))[0]
    assert judge.compare(tuple(loss), slow.loss) == 0, (pretty(root.test), pretty(slow.predicate), gained)
