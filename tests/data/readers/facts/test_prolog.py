"""Prolog syntax: parsing, its inverse, and error messages."""

import math
import re

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from structtree.data.population import Population
from structtree.data.readers.facts.prolog import Compound, Variable, read_clauses, term_text
from structtree.errors import DataError
from tests.prolog import printed

SIGNS = r""", ; ! | . .. /* */ /** [] {} ( ) { } % ' '' " \ \\ ` _ X É é 日本 → a.b 1 -1 1.0Inf 0x1F it's"""
BLANKS = ("", " ", "a b", "a\nb", "\0", "a\0b", "\t", "\x7f", "\xa0", "e\u0301", "\u0301", "\u2028", "\ufeff")
WORDS = r":- --> ; -> , : ^ ** = \= is =.. < + - * / // mod \+ ?- dynamic table $ \ # ? @ ++ => as xor {}"
SPECIAL, OPERATORS = [*SIGNS.split(), *BLANKS], WORDS.split()
ATOMS = st.one_of(
    st.from_regex(r"[a-z][a-zA-Z0-9_]{0,5}", fullmatch=True),
    st.text(max_size=6),
    st.sampled_from(SPECIAL + OPERATORS),
)
NAMES = ATOMS.filter(lambda name: name not in ("", ":-", "?-", "-->"))  # clauses of these are no facts
NUMBERS = st.one_of(st.integers(-(10**30), 10**30), st.floats(allow_nan=False).map(float))
CONSTANTS = st.one_of(ATOMS, NUMBERS)
LISTS = st.recursive(CONSTANTS, lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=6)


def facts(text):
    return [(fact.name, fact.arguments) for fact in read_clauses(text).facts]


@given(st.lists(st.tuples(NAMES, st.lists(LISTS, min_size=1, max_size=4)), max_size=5))
@example([("f", [()]), ("!", [()])])
@example([("likes", ["ann", ","]), (";", ["a"]), ("-", ["a", "b"]), ("f", ["/*", "*/", "[]", (), "{}", "|", "."])])
def test_parsing_inverts_writing(written):
    text = "\n".join(f"{term_text(name)}({', '.join(map(term_text, arguments))})." for name, arguments in written)
    assert facts(text) == [(name, tuple(arguments)) for name, arguments in written]


@given(
    st.lists(
        st.tuples(st.sampled_from("pq"), st.lists(st.sampled_from(["a", "b_1", 7, -2.5]), min_size=1)), min_size=1
    )
)
def test_plain_facts_are_parsed_identically_token_by_token(written):
    """A comment inside a fact prevents the match of the plain fact."""
    plain = "\n".join(f"{name}({', '.join(map(str, arguments))})." for name, arguments in written)
    assert facts(plain) == facts(plain.replace("(", "( /* here */ "))


def test_every_kind_of_constant_is_parsed():
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


def test_rules_and_directives_are_separated():
    read = read_clauses("p(a).\n:- consult(evil).\nq(X) :- p(X), \\+ r(X), X >= -1.5.")
    assert len(read.facts) == 1
    assert read.directives[0].goal == Compound("consult", ("evil",))
    assert read.rules[0].head == Compound("q", (Variable("X"),))
    assert term_text(read.rules[0].body) == "','(p(X), ','(\\+(r(X)), >=(X, -1.5)))"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("p(a).\np(b", "f.pl:2: p: unclosed bracket, and the text ends without a full stop"),
        ("p(a).\n\np(b, 7.\np(c).", "f.pl:3: p: unclosed bracket, and the clause ends"),
        ("p(a)\np(b).", "f.pl:2: p: expected a full stop before 'p'"),
        ("p(a).\np(b)", "f.pl:2: p: the text ends without a full stop"),
        ("p(a)).", "f.pl:1: p: unmatched )"),
        ("p(a,,b).", "f.pl:1: p: unexpected ','"),
        ("p(a b).", "f.pl:1: p: expected , or ) before 'b'"),
        ("p([a, b).", "f.pl:1: p: expected , or ] before ')'"),
        ("p('a).", "f.pl:1: unclosed quote (')"),
        ("p(a). /* never", "f.pl:1: unclosed comment /*"),
        ("P(a).", "f.pl:1: P: P is a variable; a predicate begins with a lowercase letter or is quoted"),
        ("p(a).q(b).", "f.pl:1: p: expected whitespace after the full stop"),
        ("p([a | b]).", "f.pl:1: p: a partial list ([a | Rest]) is not supported"),
        ("7.", "f.pl:1: expected a fact such as bond(m1, a1, a2, 7), got 7"),
        ("p(1e999).", "f.pl:1: p: 1e999 is too large for a floating-point number"),
        ("p(-1e999, [b]).", "f.pl:1: p: 1e999 is too large for a floating-point number"),
        (f"p({'9' * 4301}).", "f.pl:1: p: an integer of 4301 digits is too long; at most 4300 are read"),
        (r"p('\x110000\').", r"f.pl:1: p: \x110000\ is not a valid character code"),
        (f"p({'[' * 9000}{']' * 9000}).", "f.pl:1: the terms of a clause are nested too deeply"),
        ("p(a) --> q.", "f.pl:1: a rule with --> is a Prolog grammar rule; expected a fact"),
    ],
)
def test_a_syntax_error_is_reported_in_one_sentence(text, message):
    with pytest.raises(DataError, match=f"^{re.escape(message)}$"):
        read_clauses(text, "f.pl")


@given(
    st.recursive(
        CONSTANTS, lambda inner: st.builds(Compound, ATOMS, st.lists(inner, min_size=1, max_size=3).map(tuple))
    )
)
def test_terms_with_operators_round_trip(term):
    assert facts(f"t({term_text(term)}).") == [("t", (term,))]


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("!(x)", Compound("!", ("x",))),
        (";(a)", Compound(";", ("a",))),
        ("-(a, b)", Compound("-", ("a", "b"))),
        ("-1", -1),
        ("- 1", Compound("-", (1,))),
        ("-(1)", Compound("-", (1,))),
        ("-2^2", Compound("^", (-2, 2))),
        ("- 2^2", Compound("-", (Compound("^", (2, 2)),))),
        ("+5", 5),
        ("a -1", Compound("-", ("a", 1))),
        ("1 - -1", Compound("-", (1, -1))),
        ("- - a", Compound("-", (Compound("-", ("a",)),))),
        ("- = -", Compound("=", ("-", "-"))),
        ("a:b:c", Compound(":", ("a", Compound(":", ("b", "c"))))),
        (r"\+(a, b)", Compound("\\+", ("a", "b"))),
        (r"\+ (a, b)", Compound("\\+", (Compound(",", ("a", "b")),))),
        ("{}", "{}"),
        ("{a}", Compound("{}", ("a",))),
        ("(a | b)", Compound("|", ("a", "b"))),
        ("[- , is, *]", ("-", "is", "*")),
        ("[]", ()),
        ("'[]'", "[]"),
        ("1.0e10", 1e10),
        ("1e22", 1e22),
        ("-1.0Inf", -math.inf),
        ("inf", "inf"),
        ("0x1F", 31),
        ("0b101", 5),
        (r"0'\n", 10),
        ("0'''", 39),
        ("élan", "élan"),
        ("e\u0301t", "e\u0301t"),
        ("→", "→"),
        ("'a\"\"b'", 'a""b'),
        (r"'\u00e9\e\U0001F642'", "é\x1b\U0001f642"),
        ("'a\\\nb'", "ab"),
    ],
)
def test_terms_are_parsed_as_in_swi_prolog(text, term):
    """Everything except ``+5``, which is a number here."""
    assert facts(f"t({text}).") == [("t", (term,))]


def test_python_values_become_facts():
    rows = [
        ("p", "a", ",", True, np.int64(3)),
        ("p", "b", "/*", False, np.float64(2.5)),
        ("p", "c", "!", True, math.nan),
    ]
    things = Population.from_facts(rows, fact=["p(Thing, sign, flag, size)"], individual="Thing")
    assert [things.record(i) for i in range(3)] == [
        {"sign": ",", "flag": "true", "size": 3.0},
        {"sign": "/*", "flag": "false", "size": 2.5},
        {"sign": "!", "flag": "true"},
    ]


# ---- SWI-Prolog ------------------------------------------------------------------------------------------

DUMP = """
:- set_prolog_flag(double_quotes, atom).
dump(T) :- is_list(T), !, length(T, N), format("list ~w ", [N]), maplist(dump, T).
dump(T) :- atom(T), !, write('atom '), codes(T).
dump(T) :- integer(T), !, format("int ~w ", [T]).
dump(T) :- float(T), !, format("float ~w ", [T]).
dump(T) :- compound_name_arguments(T, Name, Inner), length(Inner, N), format("term ~w ", [N]), codes(Name),
    maplist(dump, Inner).
codes(Name) :- atom_codes(Name, Codes), length(Codes, N), format("~w ", [N]), maplist(format("~w "), Codes).
written(T) :- with_output_to(codes(Codes), write_term(t(T), [quoted(true), numbervars(false)])),
    maplist(format("~w "), Codes), nl.
main :- forall(t(T), (dump(T), nl, written(T))).
"""


def of_prolog(words):
    """Rebuild a term from the words of SWI-Prolog."""
    match next(words):
        case "list":
            return tuple([of_prolog(words) for _ in range(int(next(words)))])
        case "atom":
            return name_of(words)
        case "int":
            return int(next(words))
        case "float":
            return float(next(words).replace("1.0Inf", "inf"))
        case _:
            n = int(next(words))
            return Compound(name_of(words), tuple([of_prolog(words) for _ in range(n)]))


def name_of(words):
    return "".join([chr(int(next(words))) for _ in range(int(next(words)))])


def random_term(rng, depth):
    kind = rng.random()
    if depth == 0 or kind < 0.3:
        numbers = [0, -1, 7, 10**20, -0.5, 1e22, 5e-324, -1e100, math.inf, -math.inf]
        return numbers[rng.integers(len(numbers))] if rng.random() < 0.3 else random_atom(rng)
    inner = tuple(random_term(rng, depth - 1) for _ in range(rng.integers(1, 4)))
    return inner if kind < 0.4 else Compound(random_atom(rng), inner)


def random_atom(rng):
    kind = rng.random()
    if kind < 0.7:
        among = OPERATORS if kind < 0.4 else SPECIAL
        return among[rng.integers(len(among))]
    signs = "+-*/\\^<>=~:.?@#&$" if kind < 0.85 else "aZ0_ '\"\\`,;!|()[]{}.%+-/*é→\n\0"
    return "".join(signs[i] for i in rng.integers(0, len(signs), rng.integers(1, 5)))


def is_read_alike(term):
    """Return whether SWI-Prolog parses a term identically: not ``+1``, nor ``a.b``, a dictionary there."""
    match term:
        case Compound(".", _) | Compound("+", (int() | float(),)):
            return False
        case Compound(_, inner) | tuple(inner):
            return all(map(is_read_alike, inner))
        case _:
            return True


def test_terms_round_trip_through_swi_prolog(tmp_path):
    rng = np.random.default_rng(24)
    drawn = (random_term(rng, int(rng.integers(0, 4))) for _ in range(1500))
    terms = [*SPECIAL, *OPERATORS, *filter(is_read_alike, drawn)]
    program = tmp_path / "terms.pl"
    lines = [":- encoding(utf8).", DUMP, *(f"t({term_text(term)})." for term in terms)]
    program.write_text("\n".join(lines) + "\n", encoding="utf-8")
    said = printed("main", program)
    assert [of_prolog(iter(line.split())) for line in said[::2]] == terms
    written = ["".join(chr(int(code)) for code in line.split()) for line in said[1::2]]
    assert [facts(f"{text} .")[0][1][0] for text in written] == terms
