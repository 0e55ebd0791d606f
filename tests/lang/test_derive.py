"""The default grammar fits every schema, and reads like something a person wrote."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from structtree.data.population import Population
from structtree.data.profile import Profile
from structtree.data.schema import Attribute, Link, RecordType, Schema
from structtree.lang.derive import derive_grammar
from structtree.lang.grammar import Grammar
from structtree.lang.pretty import pretty
from tests.lang.trees import names


@st.composite
def odd_schemas(draw):
    """Schemas with any names, few or many attributes, and links of every kind, also in circles."""
    types = draw(st.lists(names, min_size=1, max_size=4, unique=True))
    return Schema(tuple(draw(record_types(name, types)) for name in types), types[0])


@st.composite
def record_types(draw, name, types):
    members = draw(st.lists(names, max_size=6, unique=True))
    n_attributes = draw(st.integers(0, len(members)))
    attributes = [draw(attributes_named(member)) for member in members[:n_attributes]]
    if draw(st.booleans()):
        attributes += [Attribute(f"{draw(st.sampled_from(['', 'f']))}x{i}", "real") for i in range(30)]
    kinds = st.sampled_from(["set", "list", "one", "optional"])
    links = [Link(member, draw(kinds), draw(st.sampled_from(types))) for member in members[n_attributes:]]
    unique = {attribute.name: attribute for attribute in attributes if attribute.name not in members[n_attributes:]}
    return RecordType(name, tuple(unique.values()), tuple(links))


def attributes_named(name):
    categories = st.sampled_from([(), ("a", "b"), tuple(f"c{i}" for i in range(60))])
    plain = st.sampled_from(["bool", "int", "real", "nominal"])
    return st.one_of(
        st.builds(Attribute, st.just(name), plain),
        st.builds(Attribute, st.just(name), st.just("nominal"), categories),
    )


@given(odd_schemas())
def test_the_default_grammar_of_any_schema_checks_without_a_warning(schema):
    grammar = Grammar.from_schema(schema)
    assert grammar.check(schema).warnings == ()


@given(odd_schemas())
def test_the_default_grammar_asks_about_every_attribute_and_link_within_reach(schema):
    checked = Grammar.from_schema(schema).check(schema)
    for name, rewrites in checked.rewrites.items():
        asked = {getattr(r.right, key, None) for r in rewrites for key in ("attribute", "link", "member")}
        record = schema.type(name)
        assert {a.name for a in record.attributes if len(a.values) <= 50} <= asked
        assert {link.name for link in record.links} <= asked


def test_a_derived_grammar_reads_like_one_that_was_written():
    train = RecordType("Train", (Attribute("length", "real"),), (Link("cars", "list", "Car"),))
    car = RecordType(
        "Car",
        (
            Attribute("long", "bool"),
            Attribute("shape", "nominal"),
            Attribute("id", "nominal", tuple(map(str, range(99)))),
        ),
        (Link("load", "optional", "Car"),),
    )
    unused = RecordType("Unused", (Attribute("a", "bool"),))
    assert (
        derive_grammar(Schema((train, car, unused), "Train"), "mine")
        == """\
grammar mine
"Derived from the data: the attributes and links of Train, Car."

individual Train

refine Train {
    # Numbers, at every threshold; for fewer write quantiles(10) instead of *
    top -> length >= *
    top -> length <= *
    # Links; the block of the linked type refines 'top'.
    top -> exists cars (top)
    top -> count cars (top) >= 2..4
    # Maximum number of tests at one position.
    top -> top and top max 2
}

refine Car {
    # Boolean attributes.
    top -> long
    top -> not long
    # Categories, one at a time; for sets write in * instead of = *
    top -> shape = *
    # Links; the block of the linked type refines 'top'.
    top -> load (top)
    top -> missing load
    # The next element of the list.
    top -> next (top)
    # skipped: id (more than 50 values)
    # Maximum number of tests at one position.
    top -> top and top max 2
}

# Maximum nesting of links, and maximum number of tests and links in a predicate.
limits { nesting 4, literals 6 }
"""
    )


def test_many_attributes_alike_are_asked_about_with_a_glob():
    numbers = tuple(Attribute(f"f{i}", "int") for i in range(1, 167))
    schema = Schema((RecordType("Row", (*numbers, Attribute("flag", "bool"))),), "Row")
    grammar = Grammar.from_schema(schema)
    assert "top -> f* >= *\n" in grammar.text
    rewrites = grammar.check(schema).rewrites["Row"]
    assert sum(pretty(rewrite.right).endswith(">= *") for rewrite in rewrites) == 166


def test_many_attributes_with_nothing_in_common_are_asked_about_with_a_star():
    numbers = tuple(Attribute(f"{letter}-x", "int") for letter in "abcdefghijklmnopqrstuvwxyz")
    schema = Schema((RecordType("Row", numbers),), "Row")
    assert "top -> * >= *\n" in derive_grammar(schema)


def test_a_table_is_asked_one_thing_at_a_time_as_ordinary_decision_trees_do():
    flat = Schema((RecordType("Row", (Attribute("x", "real"), Attribute("kind", "nominal"))),), "Row")
    assert Grammar.from_schema(flat).check(flat).conjuncts == {"Row": 1}
    linked = Schema((RecordType("Row", (), (Link("next", "optional", "Row"),)),), "Row")
    assert Grammar.from_schema(linked).check(linked).conjuncts == {"Row": 2}


def test_values_that_measure_the_same_thing_are_compared_a_pair_a_line():
    stays = [{"begins": i, "ends": i + 3, "from": "abc"[i % 3], "to": "bca"[i % 3]} for i in range(12)]
    text = Grammar.from_population(Population.from_records(stays)).text
    assert "top -> begins = its ends; top -> begins >= its ends; top -> ends >= its begins" in text
    assert "top -> from = its to" in text


def customers(orders=({"kg": 1.5, "on": "2024-02-01"}, {"kg": 2.5, "on": "2024-03-01"})):
    return Population.from_records([{"age": 30, "shop": {"staff": [{"pay": 9}]}, "orders": list(orders)}] * 3)


def test_numbers_behind_links_are_added_up_where_an_individual_has_one_row():
    text = Grammar.from_population(customers()).text
    assert "top -> sum orders.kg >= *; top -> sum orders.kg <= *" in text
    assert "top -> mean staff.pay >= *" in text  # a reference leads to the shop
    assert "top -> latest orders.kg >= *" in text


def test_very_many_numbers_and_those_of_rows_in_rows_are_not_added_up():
    many = Grammar.from_population(customers([{f"x{i}": i for i in range(7)}])).text
    deep = Grammar.from_population(customers([{"items": [{"kg": 2}]}])).text
    assert "sum orders" not in many
    assert "sum items" not in deep


def test_parts_of_a_few_dates_are_asked():
    text = Grammar.from_population(customers()).text
    assert "top -> on.weekday = *; top -> on.weekday >= *" in text
    assert "on.hour" not in text
    many = Grammar.from_population(customers([{f"on{i}": "2024-02-01" for i in range(4)}])).text
    assert ".weekday" not in many


def test_of_many_individuals_tests_are_combined_only_behind_links_to_several_rows():
    size = (Attribute("size", "int"),)
    types = (
        RecordType("Flight", size, (Link("plane", "one", "Plane"), Link("stops", "set", "Stop"))),
        RecordType("Plane", size),
        RecordType("Stop", size, (Link("airport", "one", "Airport"),)),
        RecordType("Airport", size),
    )
    schema = Schema(types, "Flight")
    few, many = (Grammar.parse(derive_grammar(schema, profile=Profile(is_large=large))) for large in (False, True))
    assert few.check(schema).conjuncts == {"Flight": 2, "Plane": 2, "Stop": 2, "Airport": 2}
    assert many.check(schema).conjuncts == {"Flight": 1, "Plane": 1, "Stop": 2, "Airport": 2}
