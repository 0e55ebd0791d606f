"""Predicates in plain English: examples that read well, and every form that there is."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structtree.data.population import Population
from structtree.data.schema import Attribute, Link, RecordType, Schema
from structtree.lang.check import check, check_predicate
from structtree.lang.grammar import Grammar
from structtree.lang.parse import parse_grammar, parse_predicate
from structtree.lang.pretty import pretty_grammar
from structtree.learn.fit import fit
from structtree.models.files.models import load_model, save_model
from structtree.models.rules import to_rules
from structtree.report.explain import explain
from structtree.report.text import export_text
from structtree.report.words import in_words
from structtree.space.space import Space
from tests.strategies import predicates, schemas

LOAD = RecordType("Load", (Attribute("shape", "nominal"), Attribute("number", "int")))
CAR = RecordType(
    "Car",
    (
        Attribute("shape", "nominal"),
        Attribute("colour", "nominal"),
        Attribute("long", "bool"),
        Attribute("in_use", "bool"),
        Attribute("has_roof", "bool"),
        Attribute("wheels", "int"),
        Attribute("weight", "real"),
    ),
    (Link("load", "optional", "Load"), Link("to", "optional", "Station")),
)
TRAIN = RecordType(
    "Train",
    (Attribute("built", "date"), Attribute("seen", "date"), Attribute("speed", "real"), Attribute("late", "bool")),
    (Link("cars", "list", "Car"), Link("coupled", "set", "Train")),
)
STATION = RecordType("Station", (Attribute("name", "nominal"),))
TRAINS = Schema((TRAIN, CAR, LOAD, STATION), "Train")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("speed >= 80.5", "speed is at least 80.5"),
        ("not (speed >= 80.5)", "speed is not at least 80.5"),
        ("speed in [10, 1000)", "speed is at least 10 and less than 1,000"),
        ("built >= 1990-05-01", "built is on 1990-05-01 or later"),
        ("seen >= its built", "seen is not before built"),
        ("missing speed", "speed is missing"),
        ("late", "it is late"),
        ("not late", "it is not late"),
        ("exists cars (not (next (long)))", "some car is not followed by a long car"),
        ("not (first cars (long))", "it is not the case that the first car is long"),
        ("exists cars (top)", "there is a car"),
        ("exists cars (long)", "some car is long"),
        ("exists cars (long and colour = red)", "there is a long red car"),
        ("exists cars (long and wheels >= 3)", "some long car has at least three wheels"),
        ("exists cars (in_use and has_roof)", "some car is in use and has a roof"),
        ("exists cars (not long and colour != red)", "some car is not long and not red"),
        ("exists cars (colour in {red, blue} and weight <= 2.5)", "some blue or red car has weight at most 2.5"),
        ("count cars (long) >= 2", "at least two cars are long"),
        ("count cars (long) <= 1", "at most one car is long"),
        ("not (count cars (long) >= 2)", "fewer than two cars are long"),
        ("none cars (load.shape = circle)", "no car has a load with shape circle"),
        ("not (none cars (long))", "some car is long"),
        ("all cars (long or wheels >= 3)", "every car either is long or has at least three wheels"),
        ("not (all cars (long))", "not every car is long"),
        ("exists cars (to.name = Ulm)", "some car leads to a station with name Ulm"),
        ("exists cars (not (to.name = Ulm))", "some car does not lead to a station with name Ulm"),
        (
            "count coupled (count cars (to.name = Ulm) >= 2) >= 3",
            "at least three coupled trains have at least two cars to stations with name Ulm",
        ),
        (
            "exists cars (next (long and next (wheels >= 3)))",
            "some car is followed by a long car that is followed by a car with at least three wheels",
        ),
        ("first cars (long)", "the first car is long"),
        (
            "distinct cars (long, wheels >= 3)",
            "there are two different cars: one that is long and one that has at least three wheels",
        ),
        ("sum cars.weight >= 7.5", "the total weight of the cars is at least 7.5"),
        ("mean cars (long).weight <= 2", "the average weight of the long cars is at most 2"),
        ("share cars (long) >= 0.5", "the share of cars that are long is at least 0.5"),
        ("latest cars.shape by weight = u", "the latest shape by weight of the cars is u"),
        (
            "exists coupled (distinct cars.shape >= 2)",
            "some coupled train has a number of different values of shape of the cars that is at least 2",
        ),
        ('exists cars (shape = "a \\"b\\"")', 'some car has shape "a \\"b\\""'),
        (
            "speed >= 3.0 and exists cars (long and wheels >= 3 and load (top))",
            "speed is at least 3, and some long car has at least three wheels and a load",
        ),
    ],
)
def test_a_predicate_reads_as_a_person_would_say_it(text, words):
    assert in_words(parse_predicate(text), TRAINS) == words


TAG = RecordType("Tag", (Attribute("text", "nominal"),))
ITEM = RecordType(
    "Item", (Attribute("quantity", "int"), Attribute("weight_kg", "real")), (Link("tags", "set", "Tag"),)
)
SHELF = RecordType("Shelf", (Attribute("hydrogens", "int"), Attribute("hybridisation", "nominal")))
ORDER = RecordType(
    "Order",
    (Attribute("quantity", "int"),),
    (Link("items", "set", "Item"), Link("tags", "set", "Tag"), Link("shelves", "set", "Shelf")),
)
SHOP = Schema((RecordType("Customer", (), (Link("orders", "set", "Order"),)), ORDER, ITEM, TAG, SHELF), "Customer")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "exists orders (exists items (quantity >= 3 and exists tags (text = x)))",
            "some order has an item with quantity at least 3 and, on that item, a tag with text x",
        ),
        (
            "exists orders (exists items (quantity >= 3) and exists tags (text = x))",
            "some order has an item with quantity at least 3, and that order has a tag with text x",
        ),
        ("exists orders (exists items (weight_kg >= 2))", "some order has an item with weight at least 2 kg"),
        ("count orders (top) <= 0", "there are no orders"),
        ("exists orders (exists shelves (hydrogens <= 0))", "some order has a shelf with no hydrogens"),
        ("exists orders (exists shelves (hybridisation = SP2))", "some order has an sp2 shelf"),
    ],
)
def test_words_say_which_row_a_condition_is_about(text, words):
    assert in_words(parse_predicate(text), SHOP) == words


GRAMMAR_OF_ORDERS = """
refine Customer { top -> exists orders (top); top -> count orders (top) >= 2 }
refine Order { top -> exists items (top); top -> exists tags (top); top -> count items (top) >= 2
               top -> none tags (text = x); top -> quantity >= 3; top -> top and top max 3 }
refine Item { top -> quantity >= 3; top -> weight_kg <= 2; top -> exists tags (top); top -> top and top max 3 }
refine Tag { top -> text = x; top -> text = y }
"""


def test_different_predicates_have_different_words():
    """Wherever an `and` belongs: all predicates of a space in which rows of one type are at several positions."""
    predicates = list(Space.build(Grammar.parse(GRAMMAR_OF_ORDERS).check(SHOP)).enumerate())
    words = [in_words(predicate, SHOP) for predicate in predicates]
    assert len(predicates) > 1000
    assert [text for text, n in Counter(words).items() if n > 1] == []


@given(st.data())
def test_every_form_has_words_of_its_own(data):
    schema = data.draw(schemas())
    predicate = data.draw(predicates(schema))
    words = in_words(predicate, schema)
    assert words.isprintable() and words.strip() == words and "  " not in words
    assert not any(sign in words for sign in (">=", "<=", "Property", "None"))


GRAMMAR = """
define closed: Car = roof >= 1 says "is covered"
define heavy: Car = load >= 3 says "a freight car" "A car with much to carry."
refine Train { top -> exists cars (top) }
refine Car { top -> closed; top -> heavy; top -> top and top max 2 }
"""
CARS = [
    {"cars": [{"roof": 1, "load": 3}, {"roof": 0, "load": 0}]},
    {"cars": [{"roof": 1, "load": 0}, {"roof": 0, "load": 3}]},
] * 4


def test_a_grammar_gives_phrases_and_the_text_of_a_grammar_keeps_them():
    syntax = parse_grammar(GRAMMAR)
    assert [definition.says for definition in syntax.definitions] == ["is covered", "a freight car"]
    assert parse_grammar(pretty_grammar(syntax)) == syntax
    schema = Population.from_records(CARS, individual="Train").schema
    grammar = check(syntax, schema)

    def said(text):
        return in_words(check_predicate(parse_predicate(text), "Train", grammar), schema)

    assert said("exists cars (heavy)") == "there is a freight car"
    assert said("exists cars (closed and heavy)") == "some freight car is covered"
    assert said("count cars (heavy) >= 2") == "there are at least two freight cars"
    assert said("all cars (heavy)") == "every car is a freight car"
    assert said("exists cars (not (closed))") == "some car is not covered"


def test_phrases_travel_with_a_model_and_into_text_rules_and_explanations(tmp_path):
    trains = Population.from_records(CARS, individual="Train")
    model = fit(trains, ["yes", "no"] * 4, grammar=GRAMMAR)
    save_model(model, tmp_path / "model.json")
    loaded = load_model(tmp_path / "model.json")
    for known in (model, loaded):
        assert export_text(known, words=True).startswith("some freight car is covered\n")
        (rule, *_) = (rule for rule in to_rules(known) if rule.prediction == "yes")
        assert in_words(rule.conditions, trains.schema) == "some freight car is covered"
        shown = explain(known, trains, 1, words=True)
        assert "1. some freight car is covered: no" in str(shown)
        assert shown.to_dict()["path"][0]["words"] == "some freight car is covered"
        assert "words" not in explain(known, trains, 1).to_dict()["path"][0]


def test_parameters_have_their_values_in_a_phrase():
    grammar = """
    define near(e): Atom = exists bonds (to.element = e) says "has a neighbour {e}"
    define far(e): Atom = none bonds (to.element = e)
    """
    atom = RecordType("Atom", (Attribute("element", "nominal"),), (Link("bonds", "set", "Bond"),))
    bond = RecordType("Bond", (), (Link("to", "one", "Atom"),))
    schema = Schema((RecordType("Molecule", (), (Link("atoms", "set", "Atom"),)), atom, bond), "Molecule")
    checked = check(parse_grammar(grammar), schema)

    def said(text):
        return in_words(check_predicate(parse_predicate(text), "Molecule", checked), schema)

    assert said("exists atoms (element = N and near(O))") == "some nitrogen atom has a neighbour O"
    assert said("exists atoms (far(O))") == "some atom is far O"


@pytest.mark.parametrize("phrase", ['""', '"  "', '"a\\u001b[31m car"'])
def test_a_phrase_is_text_that_can_be_printed(phrase):
    with pytest.raises(ValueError, match="expected a phrase after 'says'"):
        parse_grammar(f"define a: Car = long says {phrase}")


def test_says_may_be_a_name_too():
    syntax = parse_grammar('define a: Car = says says "is told" refine Car { top -> long says -> says and a }')
    assert syntax.definitions[0].says == "is told"
    assert parse_grammar(pretty_grammar(syntax)) == syntax
