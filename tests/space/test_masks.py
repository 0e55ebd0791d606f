"""Masks of a part of a population: the same as those evaluated on the part alone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from structtree.data.reachable import compact, part_of
from structtree.space.evaluate import rows_where
from structtree.space.masks import MasksOfPart
from tests.data.sameness import same_population
from tests.strategies import populations, predicates


@st.composite
def predicates_on_parts(draw):
    """A population, some of its individuals, and predicates on several types."""
    population = draw(populations())
    which = draw(st.lists(st.integers(0, len(population) - 1), min_size=1, max_size=3))
    names = draw(st.lists(st.sampled_from([each.name for each in population.schema.types]), min_size=1, max_size=3))
    return population, which, [(name, draw(predicates(population.schema, name, depth=2))) for name in names]


@given(predicates_on_parts())
def test_masks_taken_from_the_whole_equal_those_of_the_part_alone(case):
    population, which, asked = case
    shared = {}
    for chosen in (which, [*which[::-1], 0]):
        part = part_of(population, chosen)
        masks = MasksOfPart(part, population, shared)
        for name, predicate in asked:
            alone = rows_where(predicate, part.population, name)
            assert rows_where(predicate, part.population, name, masks).tolist() == alone.tolist()
            assert rows_where(predicate, part.population, name, masks) is masks[name, predicate]


@given(predicates_on_parts())
def test_a_part_is_the_compact_population_and_its_rows_are_those_of_the_whole(case):
    population, which, _ = case
    part = part_of(population, which)
    assert same_population(part.population, compact(population.take(which)))
    for name, table in part.population.tables.items():
        rows, places = part.rows[name].tolist(), range(table.n_rows)
        assert len(rows) == table.n_rows
        for key, column in table.columns.items():
            whole = population.tables[name].columns[key]
            assert list(map(column.value, places)) == list(map(whole.value, rows))
