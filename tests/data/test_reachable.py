"""Laws of compacting: the same answers from fewer rows."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from structtree.data.reachable import compact, reachable_rows
from structtree.space.evaluate import holds
from tests.strategies import populations, predicates


@st.composite
def parts(draw):
    population = draw(populations())
    chosen = draw(st.lists(st.integers(0, len(population) - 1), min_size=1, max_size=4))
    return population.take(chosen), draw(predicates(population.schema))


@given(parts())
def test_a_compact_population_gives_the_same_answers(part):
    population, predicate = part
    assert holds(predicate, compact(population)).tolist() == holds(predicate, population).tolist()


@given(parts())
def test_a_compact_population_has_only_rows_that_are_reached(part):
    population, _ = part
    assert all(mask.all() for mask in reachable_rows(compact(population)).values())
