"""The canonical text of predicates and grammars: what is printed parses back to the same syntax."""

from __future__ import annotations

import pytest
from hypothesis import given

from structtree.lang import syntax as syn
from structtree.lang.parse import parse_grammar, parse_predicate
from structtree.lang.pretty import RESERVED, pretty, pretty_grammar, pretty_name
from tests.lang import trees


@given(trees.predicates)
def test_a_printed_predicate_parses_to_itself(predicate):
    assert parse_predicate(pretty(predicate)) == predicate


@given(trees.predicates)
def test_printing_is_stable(predicate):
    assert pretty(parse_predicate(pretty(predicate))) == pretty(predicate)


@given(trees.grammars())
def test_a_printed_grammar_parses_to_itself(syntax):
    assert parse_grammar(pretty_grammar(syntax)) == syntax


@given(trees.grammars())
def test_a_printed_grammar_can_be_written_to_a_file(syntax):
    text = pretty_grammar(syntax)
    assert text.encode().decode() == text


@pytest.mark.parametrize("word", sorted(RESERVED))
def test_a_word_of_the_language_can_be_a_name_and_a_value(word):
    test = syn.Compare(word, "=", word)
    assert parse_predicate(pretty(test)) == test
    assert pretty(syn.Flag(word)) == f"`{word}`"


@pytest.mark.parametrize(
    ("predicate", "text"),
    [
        (syn.Compare("a", ">=", 3), "a >= 3"),
        (syn.Compare("a", ">=", 3.0), "a >= 3.0"),
        (syn.Compare("a", ">=", 1e-12), "a >= 1e-12"),
        (syn.Compare("a", "=", "22"), 'a = "22"'),
        (syn.Compare("a", "=", "two words"), 'a = "two words"'),
        (syn.Within("a", -0.5, 3.0), "a in [-0.5, 3)"),
        (syn.Within("a", 0.0, 3.0, closed=True), "a in [0, 3]"),
        (syn.Follow("load", syn.Compare("shape", "=", "circle")), "load.shape = circle"),
        (syn.Follow("load", syn.Flag("heavy", positive=False)), "not load.heavy"),
        (syn.Follow("load", syn.Not(syn.Flag("heavy"))), "load (not (heavy))"),
        (syn.Follow("a", syn.Follow("b", syn.Missing("c"))), "missing a.b.c"),
        (syn.Follow("to", syn.Named("nitro")), "to.nitro"),
    ],
)
def test_small_things_are_written_as_a_person_would(predicate, text):
    assert pretty(predicate) == text


def test_names_with_backticks_quotes_and_newlines_survive():
    name = 'a`b"c\\d\ne'
    assert pretty_name(name) == '`a\\`b"c\\\\d\\ne`'
    assert parse_predicate(pretty(syn.Flag(name))) == syn.Flag(name)


def test_a_grammar_is_laid_out_for_reading():
    text = """\
grammar tiny
"A doc."

type Car = { long: bool, shape: box | "u shape", load: Load?, parts: set of Part }
type Load = { }

individual Car

define big: Car = long and shape = box
    "What counts as big."
function weight: Car -> real

refine Car {
    top -> load.shape = *
    top -> exists parts (top and (a or b))
    top -> top and top max 3
}

limits { nesting 2, literals 4 }
"""
    assert pretty_grammar(parse_grammar(text)) == text
