"""Highlights: the counted rows are those that a test selects, the supporting ones are the witnesses inside."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from structtree import Population
from structtree.data.reachable import compact
from structtree.data.schema import FAR_ROW
from structtree.lang import syntax as syn
from structtree.lang.parse import parse_predicate
from structtree.models.model import fitted
from structtree.report.explain import explain_prepared
from structtree.report.pictures.drawing import Element
from structtree.report.pictures.highlights import marks_of
from structtree.space.meaning import satisfies, witnesses
from tests.learn.asking_trees import ask, counts
from tests.space.links import derived_links
from tests.space.test_links import made
from tests.space.truth import Row, row_satisfies
from tests.strategies import aggregates_of, populations, predicates, schemas


def marks_for(test, population, who=0):
    """The highlights of a test, and the individual as a population of its own."""
    known = fitted(ask(population.schema, (test, counts(0, 3), counts(2, 0))))
    explanation, alone = explain_prepared(known, population, who)
    return marks_of(explanation.reasons[0], alone), alone


def rows_of(elements):
    return {element for element in elements if not element.member}


def selected(test, alone):
    """The rows that a literal selects, one row at a time: those behind its link that satisfy what is inside."""
    own, start = alone.schema.individual, int(alone.individuals[0])
    target = alone.schema.type(own).link(test.link).target
    behind = alone.tables[own].links[test.link].of(start).tolist()
    return {Element(target, row) for row in behind if row_satisfies(test.inner, alone, Row(target, row))}


@st.composite
def counting_cases(draw):
    """A literal about the rows behind a link, and an individual."""
    schema = draw(schemas())
    population = draw(populations(schema))
    links = [link for link in schema.type(schema.individual).links if not link.single]
    if not links:
        return None
    link = draw(st.sampled_from(links))
    inner = draw(predicates(schema, link.target, depth=2))
    form = draw(st.sampled_from(("exists", "all", "none", "count >=", "count <=")))
    n = draw(st.integers(1, 3))
    test = {
        "exists": syn.Exists(link.name, inner),
        "all": syn.All(link.name, inner),
        "none": syn.No(link.name, inner),
        "count >=": syn.Count(link.name, inner, ">=", n),
        "count <=": syn.Count(link.name, inner, "<=", n),
    }[form]
    return test, population, draw(st.integers(0, len(population) - 1))


@given(counting_cases(), st.booleans())
def test_the_counted_rows_are_those_that_the_inner_predicate_selects(case, is_negated):
    if case is None:
        return
    test, population, who = case
    marks, alone = marks_for(syn.Not(test) if is_negated else test, population, who)
    assert rows_of(marks.counted) == selected(test, alone)
    assert not {*marks.counted} & {*marks.supporting} and not {*marks.near} & {*marks.counted, *marks.supporting}


@given(counting_cases())
def test_the_supporting_rows_are_the_witnesses_of_the_counted_ones(case):
    if case is None:
        return
    test, population, who = case
    marks, alone = marks_for(test, population, who)
    below = {
        Element(witness.type, witness.row)
        for witness in witnesses(syn.Exists(test.link, test.inner), alone, 0)
        if witness.path
    }
    assert rows_of(marks.counted) | rows_of(marks.supporting) == below


@given(st.data())
def test_the_counted_rows_of_an_aggregate_satisfy_its_condition_and_have_its_value(data):
    schema = data.draw(schemas())
    population = data.draw(populations(schema))
    forms = []
    for link in schema.type(schema.individual).links:
        if not link.single:
            forms += aggregates_of(schema, link, st.none() | predicates(schema, link.target, depth=1))
    if not forms:
        return
    test = data.draw(st.one_of(forms))
    marks, alone = marks_for(test, population)
    wanted = selected(syn.Exists(test.link, test.inner or syn.TOP), alone)
    if test.function in ("min", "max", "range", "latest", "earliest"):
        assert rows_of(marks.counted) <= wanted
    else:
        names = [name for name in (test.attribute, test.order) if name is not None]
        whole = {e for e in wanted if all(alone.tables[e.type].columns[n].value(e.row) is not None for n in names)}
        assert rows_of(marks.counted) == whole


@given(st.data())
def test_the_counted_rows_of_a_derived_link_are_the_linked_rows(data):
    population = data.draw(populations())
    link = data.draw(derived_links(population.schema))
    own = population.schema.individual
    assume(link.type == own)
    population = made(population, link)
    target = population.schema.type(own).link(link.name).target
    inner = data.draw(predicates(population.schema, target, depth=1))
    test = syn.Count(link.name, inner, ">=", data.draw(st.integers(1, 2)))
    marks, alone = marks_for(test, population)
    pairs = alone.tables[own].links[link.name].of(int(alone.individuals[0])).tolist()
    true = [row for row in pairs if row_satisfies(inner, alone, Row(target, row))]
    if population.schema.met_by(target) is None:
        expected = {Element(target, row) for row in true}
    else:
        expected = {Element(link.target, int(alone.tables[target].links[FAR_ROW].targets[row])) for row in true}
    assert rows_of(marks.counted) == expected


CARS = [
    {"long": True, "wheels": 3, "load": [{"n": 1}, {"n": 5}]},
    {"long": False, "wheels": 2, "load": [{"n": 5}]},
    {"long": False, "wheels": 1, "load": []},
]
TRAINS = Population.from_records([{"cars": CARS}], individual="Train")


@pytest.mark.parametrize(
    ("test", "counted", "supporting"),
    [
        ("exists cars (long)", {0}, set()),
        ("count cars (not long) >= 3", {1, 2}, set()),
        ("count cars (exists load (n >= 5)) >= 1", {0, 1}, {1, 2}),
        ("distinct cars (long, wheels <= 2)", {0, 1}, set()),
        ("distinct cars (long, long)", {0}, set()),
        ("first cars (next (wheels = 2))", {0}, set()),
        ("exists cars (long and next (not long))", {0}, set()),
        ("exists cars (wheels >= 9)", set(), set()),
        ("not (exists cars (exists load (n <= 1)))", {0}, {0}),
        ("max cars.wheels >= 9", {0}, set()),
        ("exists cars (long) or exists cars (wheels >= 9)", {0}, set()),
    ],
)
def test_a_picture_marks_what_a_reader_would_count(test, counted, supporting):
    parsed = parse_predicate(test)
    marks, alone = marks_for(parsed, compact(TRAINS))
    assert {e.row for e in rows_of(marks.counted)} == counted
    assert {e.row for e in rows_of(marks.supporting) if e.type == "Load"} == supporting
    assert satisfies(parsed, alone, 0) or not rows_of(marks.near) & rows_of(marks.counted)
