"""The rows behind an aggregate: computed from these alone, it is the same."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from structtree.data.population import Adjacency
from structtree.lang.syntax import TOP
from structtree.space.evaluate import aggregate_column
from structtree.space.meaning import aggregated_places, witnesses
from tests.space.truth import is_true
from tests.strategies import aggregates_of, populations, predicates


@st.composite
def cases(draw):
    population = draw(populations())
    schema = population.schema
    links = [link for link in schema.type(schema.individual).links if not link.single]
    forms = []
    for link in links:
        inner = st.none() | predicates(schema, link.target, depth=1)
        forms += aggregates_of(schema, link, inner)
    return population, draw(st.one_of(forms)) if forms else TOP


def with_only(population, link, row, places):
    """The population in which a link of a row leads to some of its rows only."""
    name = population.schema.individual
    table = population.tables[name]
    kept = [
        adjacent[places] if owner == row else adjacent
        for owner in range(table.n_rows)
        for adjacent in [table.links[link].of(owner)]
    ]
    adjacency = Adjacency.from_lengths([len(each) for each in kept], np.concatenate([*kept, np.zeros(0, np.int32)]))
    changed = replace(table, links={**table.links, link: adjacency})
    return replace(population, tables={**population.tables, name: changed})


@given(cases())
def test_an_aggregate_of_its_rows_alone_is_the_same(case):
    population, test = case
    if test is TOP or test.function == "share" or (test.function == "trend" and test.order is None):
        return  # which depend on the other rows, by their number or by the places in between
    name = population.schema.individual
    expected = aggregate_column(test, population, name)
    for row in range(population.tables[name].n_rows):
        places = aggregated_places(test, population, name, row)
        if test.function in ("min", "max", "range", "latest", "earliest") and not expected.missing[row]:
            assert places  # the row that has it
        less = with_only(population, test.link, row, places)
        assert repr(aggregate_column(test, less, name).value(row)) == repr(expected.value(row))


@given(cases())
def test_the_witnesses_of_an_aggregate_are_its_rows(case):
    population, test = case
    if test is TOP:
        return
    for i, row in enumerate(population.individuals.tolist()):
        found = {w.path for w in witnesses(test, population, i) if w.path and "." not in w.path}
        places = aggregated_places(test, population, population.schema.individual, row)
        expected = {f"{test.link}[{place}]" for place in places} if is_true(test, population, i) else set()
        assert found == expected
