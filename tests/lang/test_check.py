"""Checking a grammar: what it comes to, what is refused and in which words, and what is only odd."""

from __future__ import annotations

import pickle

import pytest

from structtree.data.population import Population
from structtree.data.schema import Attribute, Link, RecordType, Schema
from structtree.errors import GrammarError
from structtree.lang import syntax as syn
from structtree.lang.check import check, check_predicate
from structtree.lang.grammar import Grammar
from structtree.lang.parse import parse_grammar, parse_predicate
from structtree.lang.pretty import pretty
from structtree.remarks import spelled

TYPES = """\
type Train = { length: real, cars: list of Car, stops: set of Stop }
type Car = { shape: box | tank, colour: nominal, long: bool, wheels: int, f1: real, f2: int, load: Load? }
type Load = { shape: nominal, number: int, car: Car }
type Stop = { name: nominal }
individual Train
"""
LINES = TYPES.count("\n")
CLOSURE = "; to follow a link repeatedly, use its closure, as in 'link ancestors: Person -> set of Person = parent+'"


def checked(body, schema=None, types=TYPES):
    text = types + body
    return check(parse_grammar(text, "t.grammar"), schema, source="t.grammar", text=text)


def message(body, schema=None, types=TYPES):
    """The error, its place counted from the first line of the body."""
    with pytest.raises(GrammarError) as caught:
        checked(body, schema, types)
    error = caught.value
    if error.line is None:
        return spelled(error.message)
    return f"{error.line - types.count(chr(10))}:{error.column}: {spelled(error.message)}"


def rights(body, of="Car"):
    return [pretty(rewrite.right) for rewrite in checked(f"refine {of} {{ {body} }}").rewrites[of]]


# ---- what it comes to -----------------------------------------------------------------------------------


def test_rewrites_are_gathered_by_type():
    found = checked("refine Car { top -> long; top -> top and top max 3 } refine Car { top -> shape = * }")
    assert [pretty(rewrite.right) for rewrite in found.rewrites["Car"]] == ["long", "shape = *"]
    assert found.conjuncts == {"Train": 1, "Car": 3, "Load": 1, "Stop": 1}
    assert found.individual == "Train"


def test_a_glob_is_every_attribute_that_the_test_is_for():
    assert rights("top -> f* >= *") == ["f1 >= *", "f2 >= *"]
    assert rights("top -> * = *") == ["shape = *", "colour = *"]
    assert rights("top -> * in bins(3)") == ["wheels in bins(3)", "f1 in bins(3)", "f2 in bins(3)"]
    assert rights("top -> not *") == ["not long"]
    assert rights("top -> load.* >= *") == ["load.number >= *"]
    assert rights("top -> max cars.f? >= *", "Train") == ["max cars.f1 >= *", "max cars.f2 >= *"]
    assert rights("top -> exists cars (f* >= 1 and * = *)", "Train")[:2] == [
        "exists cars (f1 >= 1.0 and shape = *)",
        "exists cars (f1 >= 1.0 and colour = *)",
    ]


def test_a_bare_star_may_match_nothing():
    assert rights("top -> * >= *; top -> name = *", "Stop") == ["name = *"]


def test_values_are_read_as_their_attribute_wants():
    assert rights("top -> colour = {7, red}") == ['colour = {"7", red}']
    assert rights("top -> colour = 1..2") == ['colour = {"1", "2"}']
    assert rights("top -> f1 >= 2; top -> wheels >= 2.5; top -> wheels <= 2.5") == [
        "f1 >= 2.0",
        "wheels >= 3",
        "wheels <= 2",
    ]
    assert rights("top -> long = true; top -> long != true") == ["long", "not long"]


def test_a_definition_is_used_by_its_name():
    found = checked("define big: Car = wheels >= 3 refine Car { top -> big; top -> not big; top -> load.car.big }")
    body = syn.Compare("wheels", ">=", 3)
    assert found.definitions["big"] == syn.Definition("big", "Car", body)
    assert found.rewrites["Car"][0].right == syn.Named("big", body)
    assert found.rewrites["Car"][1].right == syn.Not(syn.Named("big", body))
    assert pretty(found.rewrites["Car"][2].right) == "load.car.big"


def test_definitions_may_come_in_any_order_and_share_names_with_other_types():
    found = checked(
        "define long: Train = exists cars (wide) define wide: Car = long and heavy define heavy: Car = wheels >= 3"
    )
    assert pretty(found.definitions["long"].body) == "exists cars (wide)"
    assert (
        found.definitions["wide"].body
        == checked("define wide: Car = long and heavy define heavy: Car = wheels >= 3").definitions["wide"].body
    )


def test_a_function_is_an_attribute():
    found = checked("function weight: Car -> real refine Car { top -> weight >= * }")
    assert found.schema.type("Car").attribute("weight") == Attribute("weight", "real")
    assert list(found.functions) == ["weight"]


def test_a_function_may_be_in_the_data_already():
    schema = Schema((RecordType("T", (Attribute("f", "real"),)),), "T")
    assert checked("function f: T -> real refine T { top -> f >= * }", schema, types="").schema == schema


def test_individual_stands_for_the_type_of_the_individuals():
    found = checked("refine Individual { top -> length >= * } define far: Individual = length >= 9")
    assert list(found.rewrites) == ["Train"]
    assert found.definitions["far"].type == "Train"


def test_a_checked_grammar_can_be_pickled():
    found = checked("refine Car { top -> f* >= * }")
    assert pickle.loads(pickle.dumps(found)) == found


SETTLED = {
    "top -> shape = *": True,
    "shape in {box, tank} -> shape = *": True,
    "wheels >= 2 -> wheels >= *": True,
    "wheels >= 2 -> wheels = {2, 3}": True,
    "long -> shape = box": False,
    "colour = red -> big": False,
    "load (top) -> load.shape = *": True,
    "load (top) -> load (shape = * and top)": True,
    "next (top) -> next (long)": True,
    "next (long) -> next (next (top))": False,
}


@pytest.mark.parametrize("rewrite", SETTLED)
def test_syntax_settles_whether_a_rewrite_specialises_or_leaves_it_to_the_data(rewrite):
    found = checked(f"define big: Car = wheels >= 3 refine Car {{ {rewrite} }} limits {{ nesting 2 }}")
    assert found.rewrites["Car"][0].settled is SETTLED[rewrite]


# ---- what is refused ------------------------------------------------------------------------------------

REFUSED = {
    "refine Carr { }": "1:8: unknown type 'Carr' (did you mean 'Car'?)",
    "refine Car { top -> shap = * }": "1:21: unknown attribute 'shap' of type 'Car' (did you mean 'shape'?)",
    "refine Train { top -> exists carz (top) }": "1:30: unknown link 'carz' of type 'Train' (did you mean 'cars'?)",
    "refine Car { top -> lng }": (
        "1:21: 'lng' is neither an attribute nor a definition of type 'Car' (did you mean 'long'?)"
    ),
    "refine Car { top -> load.shp = * }": "1:26: unknown attribute 'shp' of type 'Load' (did you mean 'shape'?)",
    "refine Car { top -> shape >= 3 }": (
        "1:21: 'shape >= 3' does not apply to 'shape', which is nominal; write 'shape = ...'"
    ),
    "refine Car { top -> wheels = two }": "1:21: 'wheels' is int: expected a number, got 'two'",
    "refine Car { top -> wheels = 2.5 }": "1:21: 'wheels' is int: expected a whole number, got 2.5",
    "refine Car { top -> shape = bx }": "1:21: 'bx' is not a value of 'shape' (did you mean 'box'?)",
    "refine Car { top -> shape }": "1:21: 'shape' is nominal, not bool; write 'shape = ...'",
    "refine Car { top -> load }": "1:21: 'load' is a link to 'Load', not an attribute; write 'load (...)'",
    "refine Car { top -> long = 3 }": "1:21: 'long' is bool; write 'long' or 'not long'",
    "refine Car { top -> long in {1} }": (
        "1:21: 'long in {1}' does not apply to 'long', which is bool; write 'long' or 'not long'"
    ),
    "refine Car { top -> exists load (top) }": "1:28: 'load' leads to a single 'Load'; write 'load (...)'",
    "refine Car { top -> exists wheels (top) }": "1:28: 'wheels' is an attribute of type 'Car', not a link",
    "refine Train { top -> cars (top) }": "1:23: 'cars' leads to many rows of 'Car'; write 'exists cars (...)'",
    "refine Train { top -> next (top) }": (
        "1:23: 'next' needs an element of a list, but no list has rows of 'Train'"
    ),
    "refine Train { top -> first stops (top) }": (
        "1:29: expected a list after 'first', but 'stops' is not a list; write 'exists stops (...)'"
    ),
    "refine Load { top -> missing car }": "1:30: the reference 'car' is never missing, because it is not optional",
    "refine Train { top -> missing cars }": "1:31: 'cars' leads to many rows; write 'none cars (top)'",
    "refine Train { top -> sum cars.shape >= * }": "1:27: 'shape' is nominal; 'sum' needs numbers",
    "refine Train { top -> count cars (top) >= bins(3) }": (
        "1:29: expected a whole number, '*', a list or a range in a count"
    ),
    "refine Train { top -> distinct cars (top) }": (
        "1:32: expected at least two predicates in 'distinct'; write 'exists cars (...)'"
    ),
    "refine Car { top -> shape = bins(3) }": "1:21: expected '>=', '<=' or 'in' in 'shape = bins(3)'",
    "refine Car { top -> wheels in [3, 3) }": "1:21: the interval of 'wheels in [3, 3)' is empty",
    "refine Car { top -> g* >= * }": (
        "1:21: no numeric attribute of type 'Car' matches 'g*' "
        "(known: 'colour', 'f1', 'f2', 'load', 'long', 'shape', 'wheels')"
    ),
    "define d: Car = wheels >= *": (
        "1:17: 'wheels >= *' stands for several values, which is only allowed on the "
        "right side of a rewrite; write one of them"
    ),
    "refine Car { f* >= 2 -> f1 >= 3 }": (
        "1:14: 'f*' stands for several attributes, which is only allowed on the "
        "right side of a rewrite; write one of them"
    ),
    "define d: Cra = long": "1:8: unknown type 'Cra' (did you mean 'Car'?)",
    "define long: Car = wheels >= 3": "1:8: type 'Car' already has a member 'long'",
    "define d: Car = long refine Train { top -> d }": "1:44: 'd' is defined for type 'Car', not for 'Train'",
    "function long: Car -> real": "1:10: type 'Car' already has a member 'long'",
    "function f: Cra -> real": "1:10: unknown type 'Cra' (did you mean 'Car'?)",
    "define a: Car = b\ndefine b: Car = long or c\ndefine c: Car = load.car.a": (
        f"1:8: circular definitions: a -> b -> c -> a{CLOSURE}"
    ),
    "define a: Car = next (a)": f"1:8: circular definitions: a -> a{CLOSURE}",
    "define a(n): Car = wheels >= n or next (a(n))": f"1:8: circular definitions: a -> a{CLOSURE}",
    # parameters
    "refine Train { top -> count cars (top) >= x }": "1:29: expected a whole number in a count, got 'x'",
    "refine Train { top -> sum cars.wheels >= x }": "1:27: expected a number in 'sum cars.wheels >= x', got 'x'",
    "define d(n, n): Car = wheels >= n": "1:13: duplicate parameter 'n'",
    "define d(n, m): Car = wheels >= n": "1:8: the parameter 'm' of 'd' is unused",
    "define d(n): Car = wheels >= n or colour = n": (
        "1:8: the parameter 'n' of 'd' is both a value of 'wheels' (int) and a value of 'colour' (nominal); "
        "use two parameters"
    ),
    "define d(n): Train = count cars (colour = n) >= n": (
        "1:8: the parameter 'n' of 'd' is both a count of 'cars' and a value of 'colour' (nominal); "
        "use two parameters"
    ),
    "define d(box): Car = shape = box": (
        "1:22: 'box' is both a parameter and a value of 'shape'; rename the parameter"
    ),
    "define d(v): Car = long = v": "1:20: 'long' is bool; write 'long' or 'not long'",
    "define d(v): Car = colour >= v": (
        "1:20: 'colour >= v' does not apply to 'colour', which is nominal; write 'colour = ...'"
    ),
    "define d(n): Car = wheels >= n refine Car { top -> d }": "1:52: 'd' takes 1 argument, got 0; write 'd(n)'",
    "define d(n): Car = wheels >= n refine Car { top -> d(1, 2) }": "1:52: 'd' takes 1 argument, got 2; write 'd(n)'",
    "define d: Car = wheels >= 2 refine Car { top -> d(2) }": "1:49: 'd' takes no arguments, got 1; write 'd'",
    "define d: Car = wheels >= 2 refine Car { top -> d(x) }": "1:49: 'd' takes no arguments, got 1; write 'd'",
    "define d(n): Car = wheels >= n refine Car { top -> d(long and long) }": (
        "1:52: 'd' is a definition; write 'd(n)'"
    ),
    "define dd(n): Car = wheels >= n refine Car { top -> ddd(x) }": (
        "1:53: unknown link 'ddd' of type 'Car' (did you mean 'dd'?)"
    ),
    "define dd(n): Car = wheels >= n refine Car { top -> ddd(2) }": (
        "1:53: unknown definition 'ddd' (did you mean 'dd'?)"
    ),
    "define d(n): Car = wheels >= n refine Car { top -> d(many) }": (
        "1:52: 'wheels' is int: expected a number, got 'many'"
    ),
    "define d(v): Car = shape = v refine Car { top -> d(boxx) }": (
        "1:50: 'boxx' is not a value of 'shape' (did you mean 'box'?)"
    ),
    "define d(v): Car = shape = v refine Car { top -> d({box, tunk}) }": (
        "1:50: 'tunk' is not a value of 'shape' (did you mean 'tank'?)"
    ),
    "define d(v): Car = shape = v refine Car { top -> d(bins(2)) }": (
        "1:50: expected '>=', '<=' or 'in' in 'shape = bins(2)'"
    ),
    "define d(n): Train = count cars (top) >= n refine Train { top -> d(2.5) }": (
        "1:66: expected a whole number in a count, got '2.5'"
    ),
    "define d(n): Train = count cars (top) >= n refine Train { top -> d(quantiles(2)) }": (
        "1:66: expected a whole number, '*', a list or a range in a count"
    ),
    "define d(n): Car = wheels >= n define e: Car = d(*)": (
        "1:48: 'd(*)' stands for several values, which is only allowed on the "
        "right side of a rewrite; write one of them"
    ),
    "define d(n): Car = wheels >= n refine Car { d(*) -> d(3) }": (
        "1:45: 'd(*)' stands for several values, which is only allowed on the "
        "right side of a rewrite; write one of them"
    ),
    "define d(n): Car = wheels >= n refine Car { top -> not (d(*)) }": (
        "1:57: 'not (d(*))' cannot be refined, so 'd(*)' needs a single value"
    ),
    "define d(n): Car = wheels >= n refine Train { top -> d(2) }": (
        "1:54: 'd' is defined for type 'Car', not for 'Train'"
    ),
    "refine Car { top -> load(2) }": "1:21: 'load' is a link to 'Load'; write 'load (...)' with a test",
    "define d(n): Car = wheels >= n refine Car { d(3) -> d(2) }": (
        "1:50: the rewrite does not specialise: 'd(2)' is more general than 'd(3)'"
    ),
    # the shape of rewrites
    "refine Car { top -> top }": "1:18: 'top -> top' adds nothing",
    "refine Car { long and top -> wheels >= 3 }": (
        "1:27: the left side of a rewrite must be 'top' alone, or tests without 'top'"
    ),
    "refine Car { long -> long and wheels >= 2 and top }": (
        "1:19: a rewrite of 'long' cannot add 'top'; remove 'and top', or start the rewrite from 'top'"
    ),
    "refine Car { top -> long and top and top }": (
        "1:18: write 'and top' once; 'top -> top and top max k' sets the number of tests"
    ),
    "refine Train { top -> exists cars (top) and top } refine Car { top -> long }": (
        "1:20: this rewrite can be repeated at the same position; add a limit such as 'limits { literals 6 }'"
    ),
    "refine Car { long and wheels >= 2 -> wheels >= 2 and long }": (
        "1:35: 'long and wheels >= 2' is rewritten to itself"
    ),
    "refine Car { long and wheels >= 2 -> long and wheels >= 1 }": (
        "1:35: the rewrite does not specialise: 'long and wheels >= 1' is more general than 'long and wheels >= 2'"
    ),
    "refine Car { long -> top and top }": ("1:19: to allow conjunctions, write 'top -> top and top max k'"),
    "refine Car { top -> top and top max 2; top -> top and top max 3 }": (
        "1:44: duplicate 'top and top' for type 'Car'"
    ),
    "refine Train { top -> none cars (long and top) }": (
        "1:28: 'none cars (long and top)' cannot be refined, so it must not contain 'top'"
    ),
    "refine Car { top -> long or top }": "1:18: 'long or top' cannot be refined, so it must not contain 'top'",
    "refine Train { top -> none cars (shape = *) }": (
        "1:34: 'none cars (shape = *)' cannot be refined, so 'shape = *' needs a single value"
    ),
    # specialisation
    "refine Car { long -> long }": "1:19: 'long' is rewritten to itself",
    "refine Car { wheels >= 3 -> wheels >= 2 }": (
        "1:26: the rewrite does not specialise: 'wheels >= 2' is more general than 'wheels >= 3'"
    ),
    "refine Car { shape = box -> shape = * }": (
        "1:26: the rewrite does not specialise: no value makes 'shape = *' more specific than 'shape = box'"
    ),
    "refine Train { exists cars (long) -> exists cars (top) }": (
        "1:35: the rewrite does not specialise: 'exists cars (top)' is more general than 'exists cars (long)'"
    ),
    "refine Train { exists cars (long and wheels >= 2) -> exists cars (long) }": (
        "1:51: the rewrite does not specialise: 'exists cars (long)' is more general than "
        "'exists cars (long and wheels >= 2)'"
    ),
    # the end of rewriting
    "refine Train { top -> exists cars (top) }\nrefine Car { top -> next (top) }": (
        "2:18: this rewrite can be repeated without end, from 'Car' back to 'Car'; "
        "add a limit such as 'limits { nesting 4 }'"
    ),
    "refine Car { top -> top and top }": (
        "1:18: conjunctions are unlimited; write 'top -> top and top max 3', or 'limits { literals 6 }'"
    ),
}


@pytest.mark.parametrize("body", REFUSED)
def test_what_makes_no_sense_is_refused_in_one_sentence(body):
    assert message(body) == REFUSED[body]


def test_an_error_shows_its_line():
    with pytest.raises(GrammarError) as caught:
        checked("refine Car { top -> shap = * }")
    assert str(caught.value).splitlines() == [
        f"t.grammar:{LINES + 1}:21: unknown attribute 'shap' of type 'Car' (did you mean 'shape'?)",
        "    refine Car { top -> shap = * }",
        "                        ^",
    ]


@pytest.mark.parametrize(
    ("of", "right"),
    [
        ("Train", "none cars (top)"),
        ("Train", "count cars (top) <= *"),
        ("Train", "not (exists cars (top))"),
        ("Car", "long or wheels >= 2"),
    ],
)
def test_closed_forms_stand_as_they_are(of, right):
    assert rights(f"top -> {right}", of) == [right]


@pytest.mark.parametrize(("limit", "found"), [("nesting", (3, None)), ("literals", (None, 3))])
def test_a_limit_ends_recursion(limit, found):
    recursive = "refine Train { top -> exists cars (top) } refine Car { top -> next (top) }"
    limits = checked(f"{recursive} limits {{ {limit} 3 }}").limits
    assert (limits.nesting, limits.literals) == found


def test_definitions_that_explode_are_refused():
    doubling = "define d0: Car = long\n" + "\n".join(
        f"define d{i}: Car = d{i - 1} and d{i - 1}" for i in range(1, 40)
    )
    assert "too large with the definitions in it expanded" in message(doubling)


def test_a_long_chain_of_definitions_is_refused_rather_than_exhausting_the_stack():
    chain = "define d0: Car = long\n" + "\n".join(f"define d{i}: Car = d{i - 1}" for i in range(1, 20_000))
    assert "a nesting of at most 150" in message(chain)


# ---- declared types and the data ------------------------------------------------------------------------

DATA = Schema(
    (
        RecordType(
            "T",
            (Attribute("n", "int"), Attribute("w", "nominal", ("u", "v"))),
            (Link("us", "list", "U"), Link("r", "one", "U")),
        ),
        RecordType("U"),
    ),
    "T",
)


@pytest.mark.parametrize(
    "types",
    [
        "type T = { n: real }",
        "type T = { n: int, w: u | v | x }",
        "type T = { us: set of U, r: U? } individual T ",
        "",
    ],
)
def test_data_may_have_more_than_is_declared(types):
    assert checked("refine T { top -> n >= * }", DATA, types=types).schema == DATA


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        ("type V = { } individual T", "the data has no type 'V' (known: 'T', 'U')"),
        ("type V = { x: int }", "the data has no attribute 'T.x' (known: 'n', 'r', 'us', 'w')"),
        (
            "type V = { us: list of W } type W = { n: int }",
            "the data has no type 'V' (known: 'T', 'U'); to use the type"
            " names of the grammar, declare the individual: individual V",
        ),
        (
            "type V = { us: list of W, r: X } type W = { } type X = { } individual V",
            "'W' and 'X' are the same type in the data ('U'); declare it once",
        ),
        ("type T = { m: int }", "the data has no attribute 'T.m' (known: 'n', 'r', 'us', 'w')"),
        (
            "type T = { n: nominal }",
            "the data has 'T.n' as int, not nominal; declare it so, or read it with types={'n': 'nominal'}",
        ),
        ("type T = { w: u | x }", "the data has the value 'v' of 'T.w', which is not declared"),
        ("type T = { us: U }", "the data has 'T.us' as 'list of U', not as 'U'"),
        ("type T = { us: list of T }", "the data has a link 'T.us' to 'U', not to 'T'"),
        ("individual U", "the individual of the grammar is 'U', that of the data is 'T'"),
    ],
)
def test_data_that_disagrees_with_the_declaration_is_refused(types, expected):
    assert message("", DATA, types=types).split(": ", 1)[1] == expected


def test_known_categories_are_checked_unless_the_grammar_leaves_them_open():
    assert "'x' is not a value of 'w'" in message("refine T { top -> w = x }", DATA, types="")
    checked("type T = { w: nominal } refine T { top -> w = x }", DATA, types="")


def test_without_types_or_data_there_is_nothing_to_check_on():
    assert message("refine T { top -> a }", types="") == "this grammar declares no types; give data, or a schema"


def test_the_individual_is_the_only_type_or_must_be_named():
    assert checked("refine T { top -> a }", types="type T = { a: bool } ").individual == "T"
    text = "the grammar does not declare the type of the individuals; add 'individual T' or 'individual U'"
    assert message("", types="type T = { } type U = { }") == text


def test_a_link_to_an_unknown_type_is_shown_where_it_stands():
    assert message("type T = { a: int, b: set of Uu }\ntype U = { }\nindividual T ", types="") == (
        "1:20: unknown type 'Uu' (did you mean 'U'?)"
    )


# ---- what is only odd -----------------------------------------------------------------------------------


def warnings(body):
    return [warning.split(": ", 1)[1] for warning in checked(body).warnings]


def test_a_block_that_nothing_leads_to_is_odd():
    assert warnings("refine Train { top -> length >= * } refine Car { top -> long }") == [
        "no rewrite leads from 'Train' to 'Car', so this block is never used"
    ]
    assert warnings("refine Train { top -> exists cars (long) } refine Car { top -> long }") == [
        "no rewrite leads from 'Train' to 'Car', so this block is never used"
    ]


def test_a_left_side_that_nothing_derives_is_odd():
    base = "refine Train { top -> exists cars (top) } refine Car {"
    assert warnings(base + "top -> wheels >= {2, 3}; wheels >= 4 -> wheels >= * }") == [
        "no rewrite produces 'wheels >= 4', so this rewrite is never used"
    ]
    assert warnings(base + "top -> wheels >= 2..4; wheels >= 4 -> wheels >= * }") == []
    assert warnings(base + "top -> load (top); load.shape = x -> load (shape = x and number >= *) }") == []


def test_a_grammar_that_asks_nothing_is_odd():
    assert warnings("") == ["the grammar has no tests: type 'Train' has no rewrites"]


# ---- predicates that somebody typed ---------------------------------------------------------------------


def test_a_typed_predicate_is_resolved_on_a_schema_or_a_grammar():
    assert check_predicate(
        parse_predicate("w in {v, 1, u}"), "T", Schema((RecordType("T", (Attribute("w", "nominal"),)),), "T")
    ) == syn.Among("w", ("1", "u", "v"))
    grammar = checked("define big: Car = wheels >= 3")
    found = check_predicate(parse_predicate("exists cars (big and long = true)"), "Train", grammar)
    assert pretty(found) == "exists cars (big and long)"
    assert check_predicate(found, "Train", grammar) == found
    assert check_predicate(syn.Named("gone", syn.Flag("long")), "Car", grammar) == syn.Named("gone", syn.Flag("long"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("exists cars (wheels >= *)", "'wheels >= *' stands for several values"),
        ("exists cars (bgi)", "'bgi' is neither an attribute nor a definition of type 'Car' (did you mean 'big'?)"),
    ],
)
def test_a_typed_predicate_that_makes_no_sense_is_refused(text, expected):
    grammar = checked("define big: Car = wheels >= 3")
    with pytest.raises(GrammarError) as caught:
        check_predicate(parse_predicate(text), "Train", grammar, text=text)
    assert expected in str(caught.value)


def test_a_predicate_on_an_unknown_type_is_refused():
    with pytest.raises(GrammarError, match="unknown type 'Tran'"):
        check_predicate(parse_predicate("top"), "Tran", checked(""))


def test_a_set_that_is_a_list_in_the_data_is_odd():
    population = Population.from_records([{"cars": [{"long": True}]}], individual="Train")
    text = (
        "type Train = {{ cars: {} of Car }} type Car = {{ long: bool }} individual Train refine Train {{ top -> {} }}"
    )
    (warning,) = (
        Grammar.parse(text.format("set", "exists cars (long)"), "g.grammar").check(population.schema).warnings
    )
    assert warning == (
        "g.grammar:1:16: Train.cars is declared as a set, but is a list in the data; declare 'list of Car' to keep "
        "its order"
    )
    for declared in (text.format("list", "exists cars (long)"), "refine Train { top -> exists cars (long) }"):
        assert Grammar.parse(declared).check(population.schema).warnings == ()
