"""Laws of meaning: truth, derived links, and the space of a grammar, beside slow and obvious versions of them."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from datetime import date
from itertools import islice

from hypothesis import assume
from hypothesis import strategies as st

from structtree.data.population import Population
from structtree.data.schema import FAR_ROW, RecordType, Schema
from structtree.errors import DataError, GrammarError
from structtree.lang import syntax as syn
from structtree.lang.check import check_predicate
from structtree.lang.grammar import Grammar
from structtree.lang.parse import parse_predicate
from structtree.lang.pretty import pretty, pretty_grammar
from structtree.space.background import with_background
from structtree.space.count import count_space
from structtree.space.evaluate import holds
from structtree.space.meaning import satisfies, witnesses
from structtree.space.space import Space
from structtree.space.terms import canonical
from tests import strategies as some
from tests.fuzz.laws import Case, law
from tests.fuzz.plain import population_of, to_plain
from tests.language.test_structure_functions import REFINE, TYPES
from tests.oracles import TooManyError, all_predicates
from tests.space import links as plain_links
from tests.space.random_grammars import random_grammar
from tests.space.test_links import check_link
from tests.space.truth import is_true

MOST = 1500
"""A space with more predicates is passed over."""
TRIED = 50
"""Number of predicates of a space that are looked at one by one."""


def is_refused(error: GrammarError) -> bool:
    """Tell whether a drawn grammar makes no sense on the data that was drawn, which is no mistake of anybody."""
    return "specialise" in str(error) or "no value" in str(error)


def space_of(population, text, functions=None):
    """The space of a grammar; one that makes no sense on the data is passed over."""
    try:
        return Space.build(Grammar.parse(text), population, functions=functions or {})
    except GrammarError as error:
        assume(not is_refused(error))
        raise


# ---- truth ----------------------------------------------------------------------------------------------


@st.composite
def declarations(draw, schema):
    """The text of a few derived links and computed attributes; later ones know nothing of those before."""
    links = [draw(plain_links.derived_links(schema, f"derived{i}")) for i in range(draw(st.integers(0, 2)))]
    computed = []
    for i in range(draw(st.integers(0, 1))):
        name = draw(st.sampled_from(schema.names))
        computed.append(syn.Computed(f"made{i}", name, draw(plain_links.pair_values(schema, name))))
    return pretty_grammar(syn.GrammarSyntax(computed=tuple(computed), links=tuple(links)))


def with_declarations(population, text):
    """The population with what a text declares; declarations that make no sense are passed over."""
    if not text:
        return population
    try:
        return with_background(population, Grammar.parse(text), {})
    except (GrammarError, DataError):
        return None


def as_written(schema):
    """A schema with derived members, without the links from pairs to rows, which have no name in grammars."""
    types = (
        RecordType(t.name, t.attributes, tuple(link for link in t.links if link.name != FAR_ROW))
        for t in schema.types
    )
    return Schema(tuple(types), schema.individual)


@st.composite
def questions(draw) -> Case:
    """Data, declarations, and predicates as texts."""
    population = draw(some.populations())
    text = draw(declarations(population.schema))
    found = with_declarations(population, text)
    assume(found is not None)
    texts = [pretty(draw(some.predicates(found.schema))) for _ in range(draw(st.integers(1, 3)))]
    return {"data": to_plain(population), "declarations": text, "predicates": texts}


@law("truth", questions(), round=250, quick=25)
def truth(case):
    """The evaluators, and the canonical form, say what the definition says one row at a time."""
    population = with_declarations(population_of(case["data"]), case["declarations"])
    assume(population is not None)
    for text in case["predicates"]:
        predicate = understood(text, population.schema)
        assert understood(pretty(predicate), population.schema) == predicate, text
        check_truth(predicate, population)


def understood(text, schema):
    """The predicate that a text means; what the language refuses although it has a meaning is passed over."""
    try:
        return check_predicate(parse_predicate(text), schema.individual, schema)
    except GrammarError as error:
        refused = "the interval of .* is empty|expected at least two predicates|expected a number from"
        assume(not re.search(refused, str(error)))
        raise


def check_truth(predicate, population):
    expected = [is_true(predicate, population, i) for i in range(len(population))]
    assert holds(predicate, population).tolist() == expected, pretty(predicate)
    assert [satisfies(predicate, population, i) for i in range(len(population))] == expected, pretty(predicate)
    assert [bool(witnesses(predicate, population, i)) for i in range(len(population))] == expected, pretty(predicate)
    simple = canonical(predicate)
    assert holds(simple, population).tolist() == expected, pretty(simple)
    assert canonical(simple) == simple, pretty(predicate)


@st.composite
def linked(draw) -> Case:
    population = draw(some.populations())
    link = draw(plain_links.derived_links(population.schema))
    return {"data": to_plain(population), "link": pretty_grammar(syn.GrammarSyntax(links=(link,)))}


@law("derived-links", linked(), round=250, quick=15)
def derived_links(case):
    """A derived link leads where its definition says one row at a time."""
    population = population_of(case["data"])
    try:
        checked = Grammar.parse(case["link"]).check(population.schema)
    except GrammarError as error:  # the link leads nowhere, or has an interval without any value
        assume(not error)
    (step,) = checked.background.steps
    attributes = tuple(replace(own.declared, expression=own.expression) for own in step.attributes)
    check_link(population, replace(step.declared, where=step.where, attributes=attributes))


marks = st.fixed_dictionaries(
    {},
    optional={
        "x": st.integers(-3, 3).map(float),
        "on": st.booleans(),
        "seen": st.sampled_from(["1970-01-02", "2024-02-29"]),
        "word": st.sampled_from(["p", "q"]),
    },
)
letters = st.fixed_dictionaries(
    {"marks": st.lists(marks, max_size=2)},
    optional={
        "kind": st.sampled_from(["vowel", "consonant"]),
        "code": st.integers(0, 5),
        "size": st.sampled_from(["small", "large"]),
        "after": st.fixed_dictionaries({"marks": st.lists(marks, max_size=1), "code": st.integers(0, 5)}),
    },
)
FUNCTION = f"{TYPES} function letters: Word -> list of Letter function length: Word -> int {REFINE}"


@law(
    "row-functions",
    st.fixed_dictionaries({"rows": st.lists(st.lists(letters, max_size=3), min_size=2, max_size=4)}),
    round=60,
    quick=10,
)
def row_functions(case):
    """Rows that a function of the caller gives are asked about as others are."""
    rows = [[with_dates(letter) for letter in word] for word in case["rows"]]
    words = Population.from_records([{"number": i} for i in range(len(rows))], individual="Word")
    calls = {"letters": lambda word: rows[word["number"]], "length": lambda word: len(rows[word["number"]])}
    more = FUNCTION.replace("refine Word {", "refine Word { top -> length >= *; top -> sum letters.code >= *;")
    space = space_of(words, more, calls)
    for predicate in islice(space.enumerate(), TRIED):
        check_truth(predicate, space.population)


def with_dates(value):
    """A record whose ``seen`` is a date, as functions of callers give it."""
    if isinstance(value, list):
        return [with_dates(each) for each in value]
    if isinstance(value, dict):
        return {k: date.fromisoformat(v) if k == "seen" else with_dates(v) for k, v in value.items()}
    return value


# ---- spaces ---------------------------------------------------------------------------------------------


@st.composite
def grammars_on_data(draw) -> Case:
    population = draw(some.populations())
    text = draw(declarations(population.schema))
    found = with_declarations(population, text)
    assume(found is not None)
    return {"data": to_plain(population), "grammar": f"{text}\n{draw(some.grammars(as_written(found.schema)))}"}


def all_members(space):
    found = list(islice(space.enumerate(), MOST + 1))
    assume(len(found) <= MOST)
    return found


@law("space", grammars_on_data(), round=100, quick=15)
def spaces(case):
    """The size of a space is the number of its predicates, each is there once, and means what its parents mean."""
    space = space_of(population_of(case["data"]), case["grammar"])
    found = all_members(space)
    check_members(space, found)
    for predicate in found[:: 1 + len(found) // TRIED]:
        check_truth(predicate, space.population)
        check_refinements(space, predicate)


def check_members(space, found):
    assert len(set(found)) == len(found)
    assert count_space(space).size == len(found)
    with suppress(TooManyError):
        assert set(found) == all_predicates(space)


def check_refinements(space, predicate):
    assert predicate in space, pretty(predicate)
    assert canonical(predicate) == predicate
    assert predicate == syn.TOP or any(space.parents(predicate)), pretty(predicate)
    assert space.parse(pretty(predicate)) == predicate
    parent = holds(predicate, space.population)
    for child in islice(space.refine(predicate), 20):
        assert not (holds(child, space.population) & ~parent).any(), f"{pretty(child)} from {pretty(predicate)}"


@st.composite
def grammars_alone(draw) -> Case:
    number, calls, bundles = draw(st.integers(0, 10**9)), draw(st.booleans()), draw(st.booleans())
    text = random_grammar(number, calls=calls, bundles=bundles)
    # Without a limit of literals, conjunctions of conjunctions two links deep are too many to wait for.
    assume("literals" in text.splitlines()[-1])
    return {"grammar": text}


@law("overlapping-grammars", grammars_alone(), round=80, quick=5)
def overlapping_grammars(case):
    """The same where many rewrites make one predicate, without any data."""
    try:
        space = Space.build(Grammar.parse(case["grammar"]))
    except GrammarError as error:  # it would go on for ever, or lead nowhere
        assume(not error)
    found = list(islice(space.enumerate(), 151))
    assume(len(found) <= 150)
    check_members(space, found)
    for predicate in found:
        assert predicate in space, pretty(predicate)
        assert predicate == syn.TOP or any(space.parents(predicate)), pretty(predicate)
