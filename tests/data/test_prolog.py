"""Prolog's syntax: what is read, that writing is the inverse, and what is said about mistakes."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structtree.data.prolog import Compound, Variable, read_clauses, term_text
from structtree.errors import DataError

ATOMS = st.one_of(st.from_regex(r"[a-z][a-zA-Z0-9_]{0,5}", fullmatch=True), st.text(max_size=6))
NUMBERS = st.one_of(st.integers(-(10**6), 10**6), st.floats(-1e6, 1e6).map(float))
CONSTANTS = st.one_of(ATOMS, NUMBERS)
LISTS = st.recursive(CONSTANTS, lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=6)


def facts(text):
    return [(fact.name, fact.arguments) for fact in read_clauses(text).facts]


@given(st.lists(st.tuples(ATOMS.filter(bool), st.lists(LISTS, min_size=1, max_size=4)), max_size=5))
def test_reading_is_the_inverse_of_writing(written):
    text = "\n".join(f"{term_text(name)}({', '.join(map(term_text, arguments))})." for name, arguments in written)
    assert facts(text) == [(name, tuple(arguments)) for name, arguments in written]


@given(
    st.lists(
        st.tuples(st.sampled_from("pq"), st.lists(st.sampled_from(["a", "b_1", 7, -2.5]), min_size=1)), min_size=1
    )
)
def test_plain_facts_are_read_alike_token_by_token(written):
    """A comment within a fact keeps it from being matched whole."""
    plain = "\n".join(f"{name}({', '.join(map(str, arguments))})." for name, arguments in written)
    assert facts(plain) == facts(plain.replace("(", "( /* here */ "))


def test_every_kind_of_constant_is_read():
    text = r"""p('it''s', "a string", 'a\'b', 'tab\t', -3, 1.5e3, 2E-1,
        [], [a, [b], -1], 0'a, 'caf\xe9\', '', 3_hydroxy)."""
    assert facts(text) == [
        (
            "p",
            ("it's", "a string", "a'b", "tab\t", -3, 1500.0, 0.2, (), ("a", ("b",), -1), 97, "café", "", "3_hydroxy"),
        )
    ]


def test_comments_and_layout_do_not_matter():
    assert facts("% p(a).\np( a ,\n b ) . /* p(c). */ q. % end") == [("p", ("a", "b")), ("q", ())]


def test_rules_and_directives_are_kept_apart():
    read = read_clauses("p(a).\n:- consult(evil).\nq(X) :- p(X), \\+ r(X), X >= -1.5.")
    assert len(read.facts) == 1
    assert read.directives[0].goal == Compound("consult", ("evil",))
    assert read.rules[0].head == Compound("q", (Variable("X"),))
    assert term_text(read.rules[0].body) == ",(p(X), ,(\\+(r(X)), >=(X, -1.5)))"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("p(a).\np(b", "f.pl:2: p: a bracket is not closed, and the text ends without a full stop"),
        ("p(a).\n\np(b, 7.\np(c).", "f.pl:3: p: a bracket is not closed, and the clause ends"),
        ("p(a)\np(b).", "f.pl:2: p: expected a full stop before 'p'"),
        ("p(a).\np(b)", "f.pl:2: p: the text ends without a full stop"),
        ("p(a)).", "f.pl:1: p: there is a ) that no bracket opens"),
        ("p(a,,b).", "f.pl:1: p: unexpected ','"),
        ("p(a b).", "f.pl:1: p: expected , or ) before 'b'"),
        ("p([a, b).", "f.pl:1: p: expected , or ] before ')'"),
        ("p('a).", "f.pl:1: a quote (') is not closed"),
        ("p(a). /* never", "f.pl:1: a comment begins with /* and is not closed"),
        ("P(a).", "f.pl:1: P: P is a variable; a predicate begins with a small letter, or is quoted"),
        ("p(a).q(b).", "f.pl:1: p: expected a blank or a line break after the full stop"),
        ("p([a | b]).", "f.pl:1: p: a list with an open end ([a | Rest]) is not read"),
        ("7.", "f.pl:1: expected a fact such as bond(m1, a1, a2, 7), got 7"),
        ("p(a) --> q.", "f.pl:1: a rule with --> is a grammar of Prolog; expected a fact"),
    ],
)
def test_a_mistake_is_told_in_one_sentence(text, message):
    with pytest.raises(DataError, match=f"^{re.escape(message)}$"):
        read_clauses(text, "f.pl")
