"""Reading the language: every form, and what is said about a text that is none."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structtree.data.schema import Attribute, Link, RecordType, Schema
from structtree.errors import GrammarError
from structtree.lang import syntax as syn
from structtree.lang.check import check_predicate
from structtree.lang.parse import parse_grammar, parse_predicate
from structtree.lang.pretty import pretty

A, B, C = syn.Flag("a"), syn.Flag("b"), syn.Flag("c")

FORMS = {
    "top": syn.Top(),
    "flag": syn.Flag("flag"),
    "not flag": syn.Flag("flag", positive=False),
    "not (flag)": syn.Not(syn.Flag("flag")),
    "a = v": syn.Compare("a", "=", "v"),
    "a != v": syn.Compare("a", "!=", "v"),
    "a >= 3": syn.Compare("a", ">=", 3),
    "a <= -2.5e-3": syn.Compare("a", "<=", -0.0025),
    "a = .5": syn.Compare("a", "=", 0.5),
    'a = "v\\u0021\\n"': syn.Compare("a", "=", "v!\n"),
    "a = none": syn.Compare("a", "=", "none"),
    "a = bins": syn.Compare("a", "=", "bins"),
    "a in {w, v, 2, w}": syn.Among("a", (2, "v", "w")),
    "a in *": syn.Among("a", source=syn.Star()),
    "a in [0, 3)": syn.Within("a", 0.0, 3.0),
    "a in [0, 3]": syn.Within("a", 0.0, 3.0, closed=True),
    "a in [-inf, 3]": syn.Within("a", float("-inf"), 3.0, closed=True),
    "a in bins(13)": syn.Within("a", source=syn.Bins(13)),
    "a in quantiles(4)": syn.Within("a", source=syn.Quantiles(4)),
    "a = *": syn.Compare("a", "=", syn.Star()),
    "a = {w, v}": syn.Compare("a", "=", syn.Listed(("w", "v"))),
    "a >= 2..6": syn.Compare("a", ">=", syn.Range(2, 6)),
    "a >= bins(3)": syn.Compare("a", ">=", syn.Bins(3)),
    "f* in bins(13)": syn.Within(syn.Glob("f*"), source=syn.Bins(13)),
    "* = *": syn.Compare(syn.Glob("*"), "=", syn.Star()),
    "x?_* >= *": syn.Compare(syn.Glob("x?_*"), ">=", syn.Star()),
    "not *": syn.Flag(syn.Glob("*"), positive=False),
    "`f*` >= *": syn.Compare("f*", ">=", syn.Star()),
    "`capital-gain` >= *": syn.Compare("capital-gain", ">=", syn.Star()),
    "missing a": syn.Missing("a"),
    "load (a)": syn.Follow("load", A),
    "load.shape = circle": syn.Follow("load", syn.Compare("shape", "=", "circle")),
    "a.b.c in {1}": syn.Follow("a", syn.Follow("b", syn.Among("c", (1,)))),
    "load.heavy": syn.Follow("load", syn.Flag("heavy")),
    "not load.heavy": syn.Follow("load", syn.Flag("heavy", positive=False)),
    "missing load.shape": syn.Follow("load", syn.Missing("shape")),
    "exists l (a)": syn.Exists("l", A),
    "all l (a)": syn.All("l", A),
    "none l (a)": syn.No("l", A),
    "count l (a) >= 2": syn.Count("l", A, ">=", 2),
    "count l (top) <= *": syn.Count("l", syn.Top(), "<=", syn.Star()),
    "sum l.a >= 2": syn.Aggregate("sum", "l", "a", ">=", 2),
    "mean l.a <= quantiles(4)": syn.Aggregate("mean", "l", "a", "<=", syn.Quantiles(4)),
    "max l.f* >= *": syn.Aggregate("max", "l", syn.Glob("f*"), ">=", syn.Star()),
    "distinct l (a, b and c)": syn.Distinct("l", (A, syn.And((B, C)))),
    "first l (a)": syn.ListStep("first", A, "l"),
    "last l (a)": syn.ListStep("last", A, "l"),
    "next (a)": syn.ListStep("next", A),
    "previous (a)": syn.ListStep("previous", A),
    "later (a)": syn.ListStep("later", A),
    "a and b or c": syn.Or((syn.And((A, B)), C)),
    "a or b and c": syn.Or((A, syn.And((B, C)))),
    "(a or b) and c": syn.And((syn.Or((A, B)), C)),
    "(c and b) and a": syn.And((C, B, A)),
    "a or (b or c)": syn.Or((A, B, C)),
    "((a))": A,
    "a # and b": A,
    'a = "#" # v': syn.Compare("a", "=", "#"),
    " a\n\n and\tb ": syn.And((A, B)),
}


@pytest.mark.parametrize("text", FORMS)
def test_every_form_is_read(text):
    assert parse_predicate(text) == FORMS[text]


def test_nodes_know_their_place():
    found = parse_predicate("a\n  and load.shape = x")
    assert isinstance(found, syn.And)
    follow = found.parts[1]
    assert isinstance(follow, syn.Follow) and follow.place == syn.Location(2, 7)
    assert isinstance(follow.inner, syn.Compare) and follow.inner.place == syn.Location(2, 12)


def test_types_are_read():
    (declared,) = parse_grammar(
        """type T = { a: bool, b: int, c: real, d: nominal, e: x | "y z" | 3, f: "only",
                      g: set of U, h: list of U, i: U, `j k`: U?, type: int, }"""
    ).types
    assert declared.attributes == (
        Attribute("a", "bool"),
        Attribute("b", "int"),
        Attribute("c", "real"),
        Attribute("d", "nominal"),
        Attribute("e", "nominal", ("x", "y z", "3")),
        Attribute("f", "nominal", ("only",)),
        Attribute("type", "int"),
    )
    assert declared.links == (
        Link("g", "set", "U"),
        Link("h", "list", "U"),
        Link("i", "one", "U"),
        Link("j k", "optional", "U"),
    )


def test_rewrites_stand_on_lines_or_behind_semicolons():
    (block,) = parse_grammar("refine T { top -> a; top -> b = x;; top -> c\n b = x -> c }").blocks
    assert [pretty(rewrite.right) for rewrite in block.rewrites] == ["a", "b = x", "c", "c"]


def test_conjunctions_are_a_rewrite_of_their_own():
    text = "refine T { top -> top and top max 3 } refine U { top -> top and top max l.a >= 1 -> b }"
    first, second = parse_grammar(text).blocks
    both = syn.And((syn.Top(), syn.Top()))
    assert first.rewrites == (syn.Rewrite(syn.Top(), both, 3),)
    assert second.rewrites[0] == syn.Rewrite(syn.Top(), both, 0)
    assert second.rewrites[1] == syn.Rewrite(syn.Aggregate("max", "l", "a", ">=", 1), B)


def test_a_rewrite_may_have_a_cost():
    text = "refine T { top -> a cost 3; top -> cost >= 2 cost 2 # dear\n cost = 1 -> cost >= 2\n cost 7 }"
    (block,) = parse_grammar(text).blocks
    assert [rewrite.cost for rewrite in block.rewrites] == [3, 2, 7]
    assert [pretty(rewrite.right) for rewrite in block.rewrites] == ["a", "cost >= 2", "cost >= 2"]


def test_the_rest_of_a_grammar_is_read():
    syntax = parse_grammar(
        """grammar multi-instance "doc" individual T
           define d: T = a or b "about d"  function f: T -> real "about f"
           limits { nesting 4 literals 6 }"""
    )
    assert (syntax.name, syntax.doc, syntax.individual) == ("multi-instance", "doc", "T")
    assert (syntax.definitions[0].body, syntax.definitions[0].doc) == (syn.Or((A, B)), "about d")
    assert (syntax.functions[0].kind, syntax.functions[0].doc) == ("real", "about f")
    assert syntax.limits == syn.GrammarLimits(4, 6)


def test_a_grammar_may_be_empty():
    assert parse_grammar("  # nothing\n") == syn.GrammarSyntax()


# ---- mistakes -------------------------------------------------------------------------------------------

MISTAKES = {
    "a >=": "1:5: expected a value, '*', or a value list after '>=', got the end of the text",
    "my a >= b": (
        "1:4: expected a comparison (=, !=, >=, <=, in), 'and', 'or', '.' or '(' after 'my', got 'a'; 'my' is "
        "allowed on the right of a comparison, as in 'amount >= my limit'"
    ),
    "a > 3": (
        "1:3: expected a comparison (=, !=, >=, <=, in), 'and', 'or', '.' or '(' after 'a', got '>'; write '>=', or "
        "'not ... <='"
    ),
    "a == 3": "1:4: expected a value, '*', or a value list after '=', got '='; write '=' once",
    "a = 'x'": (
        "1:5: expected a value, '*', or a value list after '=', got '''; write strings in double quotes: \"...\""
    ),
    "exists (a)": "1:8: expected a name after 'exists', got '('",
    "count >= 3": (
        "1:7: expected a name after 'count', got '>='; to use 'count' as a name, write it in backticks: `count`"
    ),
    "count l (a) = 3": "1:13: expected '>=' or '<=' after ')', got '='",
    "a in 3": "1:6: expected '*', a value list, an interval, bins(k) or quantiles(k) after 'in', got '3'",
    "a in {}": "1:7: expected a value after '{', got '}'",
    "a in [1, b)": "1:10: expected a number or a date after ',', got 'b'",
    "exists l (a": "1:10: this '(' is not closed: expected ')'",
    "exists l (a}": "1:12: expected ')' to close the '(' on line 1, got '}'",
    "a)": "1:2: unexpected ')' without an opening bracket",
    'a = "x': '1:5: this string is not closed: expected another " on the same line',
    "`a": "1:1: this name is not closed: expected another ` on the same line",
    'a = "\\q"': "1:5: unknown escape in \"\\q\"; write '\\\\' for a backslash",
    "not a = b": "1:5: expected a flag after 'not', or a test in brackets: not (...)",
    "a >= 6..2": "1:6: expected an increasing range; write 2..6",
    "a >= 1..1000000": "1:6: expected at most 100000 values in a range",
    "a >= bins(0)": "1:11: expected a whole number from 1 to 100000, got '0'",
    "count l (a) >= 2.5": "1:13: expected a whole number after '>=', got '2.5'",
    "near()": "1:6: expected a test, or a value for a definition after '(', got ')'",
    "near(a*, 2)": "1:6: expected a value or '*', got 'a*'",
    "near(1, b = 2)": "1:11: expected ')' or ',' after 'b', got '='",
    "": "1:1: expected a test, got the end of the text",
}


@pytest.mark.parametrize("text", MISTAKES)
def test_a_mistake_in_a_predicate_is_explained(text):
    with pytest.raises(GrammarError) as caught:
        parse_predicate(text)
    assert str(caught.value).splitlines()[0] == f"<predicate>:{MISTAKES[text]}"


GRAMMAR_MISTAKES = {
    "grammar": "1:8: expected a name after 'grammar', got the end of the text",
    "refin T { }": (
        "1:1: expected a declaration (type, individual, define, function, attribute, link, refine, limits, fact) or "
        "the end of the text, got 'refin'"
    ),
    "refine T { top }": "1:16: expected 'and', 'or' or '->' after 'top', got '}'",
    "refine T { top -> a >= }": "1:24: expected a value, '*', or a value list after '>=', got '}'",
    "refine T { top -> a max 3 }": "1:25: 'max' is only allowed after 'top -> top and top'",
    "refine T { top -> a cost 0 }": "1:26: expected a whole number from 1 to 100000, got '0'",
    "refine T { top -> a cost 1.5 }": "1:26: expected a whole number from 1 to 100000, got '1.5'",
    "refine T { top -> top and top max 2 cost 2 }": (
        "1:42: 'top -> top and top' adds no test, so it cannot have a cost"
    ),
    "refine T {": "1:10: this '{' is not closed: expected '}'",
    "type T { }": "1:8: expected '=' after 'T', got '{'",
    "type T = { a: }": "1:15: expected a type after ':', got '}'",
    "type T = { a: int, a: U }": "1:20: type 'T' has two members named 'a'",
    "type T = { a: x | y | x }": "1:15: the value 'x' is listed twice",
    "type T = { }\ntype T = { }": "2:6: duplicate 'type T'; the first is on line 1",
    "individual T\nindividual U": "2:12: duplicate 'individual'; the first is on line 1",
    "limits { }\nlimits { }": "2:1: duplicate 'limits'; the first is on line 1",
    "limits { nesting 2, nesting 3 }": "1:21: duplicate limit 'nesting'",
    "define d: T = a\ndefine d: U = b": "2:8: duplicate 'define d'; the first is on line 1",
    "function f: T -> 3": "1:18: expected a type after '->', got '3'",
    "function f: T -> set U": "1:22: expected 'of' after 'set', got 'U'",
}


@pytest.mark.parametrize("text", GRAMMAR_MISTAKES)
def test_a_mistake_in_a_grammar_is_explained(text):
    with pytest.raises(GrammarError) as caught:
        parse_grammar(text, "mol.grammar")
    assert str(caught.value).splitlines()[0] == f"mol.grammar:{GRAMMAR_MISTAKES[text]}"


@pytest.mark.parametrize("quote", ['"', "`"])
def test_a_long_text_that_is_never_closed_is_refused_as_quickly_as_a_short_one(quote):
    # Where the scan may divide what it has read in several ways, thirty characters would take minutes.
    with pytest.raises(GrammarError, match="is not closed"):
        parse_predicate(quote + "a" * 5000)


def test_a_mistake_is_shown_with_a_caret():
    with pytest.raises(GrammarError) as caught:
        parse_grammar("refine T {\n    top -> a >= }\n", "mol.grammar")
    assert str(caught.value).splitlines()[1:] == ["        top -> a >= }", "                    ^"]


pieces = st.sampled_from([*"ab \n(){}[].,;:|*?#\"`\\=<>!-+019_'%", "top", " and ", "->", "refine T {", "type T = {"])


@given(st.lists(pieces, max_size=30).map("".join))
def test_any_text_is_read_or_refused_in_one_sentence(text):
    for parse in (parse_predicate, parse_grammar):
        try:
            parse(text)
        except GrammarError as error:
            assert "\n" not in error.message and "something else" not in error.message


# ---- size -----------------------------------------------------------------------------------------------


def check_refused(text, words):
    with pytest.raises(GrammarError, match=words):
        parse_predicate(text)


def test_a_hundred_thousand_brackets_are_refused_at_once():
    parse_predicate("a")
    check_refused("(" * 100_000 + "a" + ")" * 100_000, "nested more than 50 deep")
    check_refused("exists l (" * 100_000, "nested more than 50 deep")


def test_a_path_of_a_hundred_thousand_names_is_refused():
    check_refused("a." * 100_000 + "a", "at most 20 names")


def test_a_hundred_thousand_conjuncts_are_read():
    found = parse_predicate(" and ".join(["a"] * 100_000))
    assert isinstance(found, syn.And) and len(found.parts) == 100_000


def test_a_line_of_ten_million_letters_is_answered():
    check_refused("a" * 10_000_000 + " %", "got '%'")


def test_the_deepest_predicate_can_be_used_like_any_other():
    train = RecordType("Train", (), (Link("cars", "list", "Car"),))
    car = RecordType("Car", (Attribute("long", "bool"), Attribute("wheels", "int")), (Link("train", "one", "Train"),))
    text = "exists cars (long or wheels = 1 and train (" * 25 + "top" + "))" * 25
    deep = parse_predicate(text)
    assert parse_predicate(pretty(deep)) == deep
    assert hash(deep) == hash(parse_predicate(text))
    assert pickle.loads(pickle.dumps(deep)) == deep
    assert len(repr(deep)) > 1000
    assert check_predicate(deep, "Train", Schema((train, car), "Train")) == deep


@pytest.mark.parametrize("glob", ["0?", "0*", "2*"])
def test_a_glob_that_begins_with_a_digit_is_no_number(glob):
    assert parse_predicate(f"load ({glob} and top)") == syn.Follow(
        "load", syn.And((syn.Flag(syn.Glob(glob)), syn.Top()))
    )
