"""Definitions with parameters (``near(O)``, ``near(*)``), from the text to the model.

The laws are those of every other form, and are stated elsewhere: `tests/strategies.py` draws grammars with calls, and
`tests/lang/test_check.py` has what is refused. Here is what is particular to them.
"""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from structtree.data.population import Population
from structtree.errors import GrammarError
from structtree.lang import syntax as syn
from structtree.lang.calls import as_calls
from structtree.lang.check import check, check_predicate
from structtree.lang.grammar import Grammar
from structtree.lang.logic import excludes, implies
from structtree.lang.parse import parse_grammar, parse_predicate
from structtree.lang.pretty import pretty, pretty_grammar
from structtree.lang.walk import children, with_children
from structtree.learn.fit import fit
from structtree.models.conform import needed_members
from structtree.models.files.models import model_from_json, model_to_json
from structtree.models.importance import mentioned
from structtree.models.settings import Growth
from structtree.models.tree import Branch
from structtree.report.explain import explain
from structtree.search.best_split import best_split
from structtree.search.why_not import why_not
from structtree.space import families
from structtree.space.count import count_space
from structtree.space.evaluate import holds
from structtree.space.meaning import witnesses
from structtree.space.nested_calls import ranked_calls
from structtree.space.space import Space
from structtree.space.terms import canonical, clash
from tests.space.truth import is_true
from tests.strategies import populations, predicates

MOLECULES = [
    {"atoms": [{"element": "C", "mass": 12.5, "bonds": [{"to": "O"}, {"to": "N"}]}, {"element": "O", "mass": 16.0}]},
    {"atoms": [{"element": "N", "mass": 14.0, "bonds": [{"to": "N"}]}]},
    {"atoms": [{"element": "C", "mass": 12.0, "bonds": [{"to": "C"}]}, {"element": "C", "mass": 13.0, "bonds": []}]},
]
DEFINITIONS = """
define near(e): Atom = exists bonds (to = e)
define heavy(e, t): Individual = exists atoms (element = e and mass >= t)
define many(n): Individual = count atoms (top) >= n
define acid(e): Atom = element = C and near(e)
define is(e): Atom = element in {e, N}
"""


@pytest.fixture(scope="module")
def molecules():
    return Population.from_records(MOLECULES)


def grammar(rewrites="top -> many(*)", atoms="top -> near(*)"):
    return Grammar.parse(f"{DEFINITIONS} refine Individual {{ {rewrites} }} refine Atom {{ {atoms} }}")


def call(text, data, type_name="Individual"):
    return check_predicate(parse_predicate(text), type_name, grammar().check(data.schema))


# ---- text -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["near(O)", 'near("2")', 'near("two words")', "heavy(C, 12.5)", "many(3)", "not (near(O))", "near(N) or is(C)"],
)
def test_the_text_of_a_call_is_read_as_the_same_call(text, molecules):
    of = "Individual" if text.startswith(("heavy", "many")) else "Atom"
    found = call(text, molecules, of)
    assert pretty(found) == text
    assert call(pretty(found), molecules, of) == found


@pytest.mark.parametrize(("given", "shown"), [("heavy(C, 12)", "heavy(C, 12.0)"), ("near(2)", 'near("2")')])
def test_the_arguments_are_of_the_kind_of_the_places(given, shown, molecules):
    assert pretty(call(given, molecules, "Atom" if "near" in given else "Individual")) == shown


def test_of_whole_numbers_a_threshold_is_the_next_one():
    types = "type T = { n: int, m: int } refine T { top -> n >= * }"
    text = f"{types} define d(t): T = n >= t define e(t): T = n >= t or m <= t"
    checked = Grammar.parse(text).check()
    assert pretty(check_predicate(parse_predicate("d(2.5)"), "T", checked)) == "d(3)"
    # In two places it means two different numbers, and stays as it is.
    assert pretty(check_predicate(parse_predicate("e(2.5)"), "T", checked)) == "e(2.5)"


def test_a_grammar_prints_calls_as_calls():
    text = pretty_grammar(grammar("top -> many(*); top -> exists atoms (near(O) and top)").syntax)
    assert "top -> exists atoms (near(O) and top)" in text
    assert "define heavy(e, t): Individual = exists atoms (element = e and mass >= t)" in text
    assert pretty_grammar(parse_grammar(text)) == text


def test_a_link_may_have_the_name_that_a_definition_has_for_another_type():
    text = """
        type Car = { load: Load } type Load = { round: bool, weight: int } individual Car
        define load(n): Load = weight >= n
        refine Car { top -> load (round) } refine Load { top -> load(3) }
    """
    checked = Grammar.parse(text).check()
    assert pretty(checked.rewrites["Car"][0].right) == "load.round"
    assert isinstance(checked.rewrites["Load"][0].right, syn.Named)


# ---- meaning --------------------------------------------------------------------------------------------


def with_parameters(predicate, chosen, found):
    """The predicate with parameters in place of those of its values that are chosen; found gets the values."""
    inners = tuple(with_parameters(part, chosen, found) for part in children(predicate))
    predicate = with_children(predicate, inners)
    if not isinstance(predicate, syn.Compare | syn.Count | syn.Aggregate) or not next(chosen):
        return predicate
    name = syn.Parameter(f"p{len(found)}")
    if isinstance(predicate, syn.Count):
        found[name] = predicate.n
        return replace(predicate, n=name)
    found[name] = predicate.value
    return replace(predicate, value=name)


@st.composite
def calls(draw):
    """A population, a predicate, and the same predicate as a call, with the definition."""
    population = draw(populations())
    predicate = draw(predicates(population.schema))
    found = {}
    body = with_parameters(predicate, iter(lambda: draw(st.booleans()), None), found)
    definition = syn.Definition("d", population.schema.individual, body, parameters=tuple(found))
    return population, predicate, definition, tuple(found.values())


@given(calls())
def test_a_call_means_its_body_with_the_values_in_their_places(case):
    population, predicate, definition, values = case
    schema = population.schema
    syntax = syn.GrammarSyntax(definitions=(definition,))
    try:
        checked = check(parse_grammar(pretty_grammar(syntax)), schema)
        expected = check_predicate(parse_predicate(pretty(predicate)), schema.individual, schema)
    except GrammarError:
        return  # the strategy draws some predicates that the checker refuses, such as empty intervals
    found = check_predicate(parse_predicate(pretty(syn.Named("d", arguments=values))), schema.individual, checked)
    assert found.body == expected
    assert check_predicate(parse_predicate(pretty(found)), schema.individual, checked) == found
    truth = [is_true(expected, population, i) for i in range(len(population))]
    assert holds(found, population).tolist() == truth
    assert [is_true(found, population, i) for i in range(len(population))] == truth
    assert [bool(witnesses(found, population, i)) for i in range(len(population))] == truth


def test_definitions_call_each_other_with_their_parameters(molecules):
    found = call("acid(O)", molecules, "Atom")
    assert pretty(found.body) == "element = C and near(O)"
    assert pretty(found.body.parts[1].body) == "exists bonds (to = O)"


def test_an_element_of_a_set_may_be_a_parameter(molecules):
    assert pretty(call("is(C)", molecules, "Atom").body) == "element in {C, N}"


def test_what_follows_from_what_is_seen_in_the_bodies(molecules):
    low, high, other = (call(text, molecules) for text in ("heavy(C, 3)", "heavy(C, 5)", "heavy(N, 5)"))
    assert (implies(high, low), implies(low, high), implies(high, other)) == (True, None, None)
    assert clash(low, high) and not clash(high, other)
    assert pretty(canonical(parse_and(low, high))) == "heavy(C, 5.0)"


def parse_and(*parts):
    from structtree.lang import syntax as syn

    return syn.And(parts)


def test_calls_that_ask_for_two_values_of_one_attribute_exclude_each_other():
    checked = Grammar.parse("type T = { a: x | y | z } define d(v): T = a = v refine T { top -> d(*) }").check()
    one, other = (check_predicate(parse_predicate(text), "T", checked) for text in ("d(x)", "d(y)"))
    assert excludes(one, other) and clash(one, other)


# ---- families -------------------------------------------------------------------------------------------


def offered(rewrites, data, atoms="top -> near(*)"):
    space = Space.build(grammar(rewrites, atoms), data)
    return [pretty(predicate) for predicate in space.enumerate()][1:]


@pytest.mark.parametrize(
    ("right", "members"),
    [
        ("many(*)", ["many(1)", "many(2)"]),
        ("many(2..4)", ["many(2)", "many(3)", "many(4)"]),
        ("heavy(C, {12, 13})", ["heavy(C, 12.0)", "heavy(C, 13.0)"]),
        ("heavy({C, O}, quantiles(2))", ["heavy(C, 12.8)", "heavy(O, 12.8)"]),
        ("exists atoms (near(*))", [f"exists atoms (near({e}))" for e in "CNO"]),
        ("exists atoms (acid({O, N}))", ["exists atoms (acid(O))", "exists atoms (acid(N))"]),
    ],
)
def test_an_open_call_stands_for_each_choice_of_its_arguments(right, members, molecules):
    assert offered(f"top -> {right}", molecules) == members


def test_all_choices_of_two_arguments_are_offered(molecules):
    found = offered("top -> heavy(*, *)", molecules)
    assert len(found) == 3 * 4
    assert found[:2] == ["heavy(C, 12.2)", "heavy(C, 12.8)"]


def test_a_parameter_in_several_places_offers_what_any_of_them_offers():
    data = Population.from_records([{"a": "x", "b": "y"}, {"a": "x", "b": "z"}])
    text = "define same(v): Individual = a = v and b = v refine Individual { top -> same(*) }"
    space = Space.build(Grammar.parse(text), data)
    assert [pretty(p) for p in space.enumerate()][1:] == ["same(x)", "same(y)", "same(z)"]


def test_thresholds_of_an_aggregate_are_those_of_its_condition(molecules):
    text = """
        define most(e, t): Individual = max atoms (element = e).mass >= t
        refine Individual { top -> most(*, *) }
    """
    space = Space.build(Grammar.parse(text), molecules)
    assert [pretty(p) for p in space.enumerate()][1:] == ["most(C, 12.8)"]  # of N and O there is one mass each


def test_thresholds_that_depend_on_themselves_are_listed(molecules):
    text = "define d(t): Individual = max atoms (mass <= t).mass >= t refine Individual {{ top -> d({}) }}"
    space = Space.build(Grammar.parse(text.format("{12, 13}")), molecules)
    assert [pretty(p) for p in space.enumerate()][1:] == ["d(12.0)", "d(13.0)"]
    with pytest.raises(GrammarError, match=r"the values of 't' in 'd\(\*\)' depend on themselves; list them"):
        Space.build(Grammar.parse(text.format("*")), molecules)


@pytest.mark.parametrize(
    ("definition", "members"),
    [
        ("d(m): Individual = exists paid (when.month = m)", ["d(1)", "d(2)"]),
        ("d(t): Individual = exists paid (when >= t)", ["d(2024-01-21)"]),
        ("d(h): Individual = latest paid.how by when = h", ["d(card)"]),
        ("d(h, t): Individual = share paid (how = h) >= t", ["d(card, 0.5)", "d(cash, 0.5)"]),
    ],
)
def test_a_parameter_may_be_a_date_a_part_of_one_or_the_value_of_an_aggregate(definition, members):
    paid = [{"when": "2024-01-05", "how": "cash"}, {"when": "2024-02-05", "how": "card"}]
    asked = "d(*, {0.5})" if "h, t" in definition else "d(*)"
    text = f"define {definition} refine Individual {{ top -> {asked} }}"
    space = Space.build(Grammar.parse(text), Population.from_records([{"paid": paid}]))
    assert [pretty(p) for p in space.enumerate()][1:] == members


def test_the_condition_of_a_derived_link_may_call_a_definition(molecules):
    text = """
        define light(t): Atom = mass <= t
        link lighter: Atom -> set of Atom = ~atoms.atoms where light(12) and not me
        refine Individual { top -> exists atoms (exists lighter (top)) }
    """
    space = Space.build(Grammar.parse(text), molecules)
    assert holds(list(space.enumerate())[1], space.population).tolist() == [False, False, True]


def test_a_call_is_made_by_the_first_rewrite_that_offers_it(molecules):
    assert offered("top -> many(2); top -> many(*)", molecules) == ["many(2)", "many(1)"]


def test_calls_stand_together_and_are_counted(molecules):
    space = Space.build(grammar("top -> heavy(*, {12, 14}); top -> top and top max 3"), molecules)
    found = list(space.enumerate())
    assert count_space(space).size == len(found) == len(set(found))
    assert any(pretty(p) == "heavy(C, 12.0) and heavy(N, 14.0)" for p in found)
    assert not any(pretty(p) == "heavy(C, 12.0) and heavy(C, 14.0)" for p in found)


def test_a_call_can_be_rewritten_to_a_narrower_one(molecules):
    found = offered("top -> many(1); many(1) -> many(*)", molecules)
    assert found == ["many(1)", "many(2)"]
    warnings = grammar("top -> many(1); many(1) -> many(*)").check(molecules.schema).warnings
    assert not any("never rewritten" in warning for warning in warnings)


def test_a_rewrite_does_not_stand_for_too_many_calls(molecules, monkeypatch):
    monkeypatch.setattr(families, "MOST_CALLS", 11)
    with pytest.raises(GrammarError, match=r"'heavy\(\*, \*\)' stands for more than 11 tests; list fewer values"):
        offered("top -> heavy(*, *)", molecules)


def test_why_a_call_is_not_in_the_space(molecules):
    split = best_split(molecules, ["a", "b", "a"], grammar("top -> heavy(*, {12, 14})"))
    answer = why_not(split, "heavy(C, 13)")
    assert "'top -> heavy(*, {12.0, 14.0})' allows" in answer.sentence
    assert "heavy(C, 12.0)" in answer.sentence


# ---- one pass -------------------------------------------------------------------------------------------

NESTED = {
    "d(t): Individual = exists atoms (element = C and mass >= t)": True,
    "d(t): Individual = all atoms (mass <= t or element = N)": True,
    "d(t): Individual = count atoms (mass >= t) >= 2 and size <= 3": True,
    "d(n): Individual = count atoms (element = C) >= n": True,
    "d(n): Individual = count atoms (element = C) <= n": True,
    "d(t): Individual = max atoms (element = C).mass >= t": True,
    "d(t): Individual = size >= t and size <= 3": True,
    "d(e, t): Individual = exists atoms (element = e and mass >= t)": True,
    "d(t): Individual = size >= t or exists atoms (mass <= t)": False,
    "d(t): Individual = not (exists atoms (mass >= t))": False,
    "d(t): Individual = none atoms (mass <= t)": False,
    "d(e): Individual = exists atoms (element = e)": False,
}


@pytest.mark.parametrize("definition", NESTED)
def test_calls_that_differ_in_a_threshold_are_ranked_in_one_pass(definition):
    data = many_molecules()
    stars = "*, *" if "e, t" in definition else "*"
    text = f"define {definition} refine Individual {{ top -> d({stars}) }}"
    space = Space.build(Grammar.parse(text), data)
    (family,) = space.offers.from_top["Individual"]
    runs = ranked_calls(family, data, "Individual")
    assert (runs is not None) == NESTED[definition]
    found = {}
    for choices, ranks in runs or ():
        found |= {int(v): (ranks > i).tolist() for i, v in enumerate(choices)}
    assert not runs or sorted(found) == list(range(len(family)))
    for v, passed in found.items():
        assert passed == [is_true(family.literal(v), data, i) for i in range(len(data))]


# ---- learning -------------------------------------------------------------------------------------------


def many_molecules(n=60):
    random = np.random.default_rng(3)
    records = []
    for _ in range(n):
        atoms = [
            {
                "element": str(random.choice(["C", "N", "O"])),
                "mass": float(random.integers(1, 20)),
                "bonds": [{"to": str(random.choice(["C", "N", "O", "S"]))} for _ in range(random.integers(0, 3))],
            }
            for _ in range(random.integers(1, 4))
        ]
        records.append({"size": int(random.integers(0, 5)), "atoms": atoms})
    return Population.from_records(records)


RULES = {
    "exists atoms (acid(O))": "top -> exists atoms (top)",
    "heavy(N, 11.5)": "top -> heavy(*, *)",
    "heavy(N, 11.5) and many(2)": "top -> heavy(*, *); top -> many(*); top -> top and top max 2",
    "exists atoms (near(S) and near(C))": "top -> exists atoms (top)",
}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("strategy", ["auto", "best-first", "bottom-up"])
def test_a_rule_of_calls_is_found_on_every_route(rule, strategy):
    if strategy == "bottom-up" and " max 2" in RULES[rule]:
        pytest.skip("listing asks one thing at a time of an individual")
    data = many_molecules()
    made = grammar(RULES[rule], "top -> near(*); top -> acid(*); top -> top and top max 2")
    labels = holds(made.predicate(rule, data.schema), data)
    model = fit(data, labels, made, Growth(strategy=strategy), criterion="entropy", grow="full")
    assert model.predict(data).tolist() == labels.tolist()
    loaded = model_from_json(model_to_json(model))
    assert loaded.tree.nodes == model.tree.nodes
    assert loaded.predict(data).tolist() == labels.tolist()
    assert pickle.loads(pickle.dumps(model)).tree.nodes == model.tree.nodes


@pytest.mark.parametrize("rewrites", ["top -> big(*)", "top -> big(*); top -> big({1, 2}); top -> size >= *"])
def test_calls_about_the_individual_itself_are_swept(rewrites):
    data = many_molecules()
    made = Grammar.parse(f"define big(n): Individual = size >= n and size <= 3 refine Individual {{ {rewrites} }}")
    labels = holds(made.predicate("big(2)", data.schema), data)
    model = fit(data, labels, made, criterion="entropy", grow="full")
    assert pretty(model.tree.nodes[0].test) == "big(2)"
    assert model.predict(data).tolist() == labels.tolist()


def test_the_definitions_of_calls_travel_with_a_model():
    data = many_molecules()
    labels = holds(grammar().predicate("exists atoms (acid(O))", data.schema), data)
    made = grammar("top -> exists atoms (top)", "top -> acid(*)")
    written = model_to_json(fit(data, labels, made, Growth(max_depth=1)))
    assert written["definitions"] == {
        "acid": {"type": "Atom", "parameters": ["e"], "body": "element = C and near(e)"},
        "near": {"type": "Atom", "parameters": ["e"], "body": "exists bonds (to = e)"},
    }
    assert written["predictor"]["nodes"][0]["test"] == "exists atoms (acid(O))"
    loaded = model_from_json(written)
    assert isinstance(loaded.tree.nodes[0], Branch)
    assert set(needed_members(loaded.tree.tests, loaded.tree.schema)["Atom"]) == {"element", "bonds"}


def test_an_explanation_looks_into_the_body(molecules):
    made = grammar("top -> exists atoms (top)")
    labels = np.array(["yes", "no", "no"])
    model = fit(molecules, labels, made, Growth(max_depth=1))
    test = model.tree.nodes[0].test
    assert pretty(test) == "exists atoms (near(O))"
    text = str(explain(model, molecules, 0))
    assert "near(O)" in text and "to = O" in text
    assert mentioned(test) == ("atoms.near",)


def test_a_search_finds_a_conjunction_of_two_calls():
    data = many_molecules(120)
    made = grammar("top -> exists atoms (top)", "top -> near(*); top -> top and top max 2")
    labels = holds(made.predicate("exists atoms (near(S) and near(C))", data.schema), data)
    found = best_split(data, labels, made)
    assert pretty(found.predicate) == "exists atoms (near(C) and near(S))"
    assert found.proved


def test_a_definition_about_the_target_is_refused():
    text = "define big(n): Individual = price >= n refine Individual { top -> big(*) }"
    data = Population.from_records([{"size": 3}])
    with pytest.raises(GrammarError, match="the definition 'big' uses 'price', which is the target; remove it"):
        Grammar.parse(text).omitting({"price": "the target"}, data.schema)


def test_only_a_single_word_behind_a_reference_can_be_a_call():
    step = parse_predicate("near (not x)")
    assert as_calls(step, {"near"}) == step
