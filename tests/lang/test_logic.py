"""What follows from what: against brute force over small domains for tests, against data for everything else."""

from __future__ import annotations

import operator
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structtree.lang import logic
from structtree.lang import syntax as syn
from structtree.lang.logic import excludes, implies
from structtree.lang.parse import parse_predicate as parse
from structtree.space.evaluate import rows_where
from tests.strategies import populations, predicates, schemas

OPERATORS = {"=": operator.eq, "!=": operator.ne, ">=": operator.ge, "<=": operator.le}


def holds(test, value):
    """The meaning of a test, word for word: false of a missing value, whatever it asks."""
    match test:
        case syn.Missing():
            return value is None
        case _ if value is None:
            return False
        case syn.Flag(_, positive):
            return value is positive
        case syn.Compare(_, op, wanted) | syn.Aggregate(op=op, value=wanted):
            return OPERATORS[op](value, wanted)
        case syn.Among(_, values):
            return value in values
        case syn.Within(_, low, high, closed):
            return low <= value <= high if closed else low <= value < high


def truly_implies(p, q, domain):
    return all(holds(q, value) for value in domain if holds(p, value))


def truly_excludes(p, q, domain):
    return not any(holds(p, value) and holds(q, value) for value in domain)


def number_tests(numbers):
    number = st.sampled_from(numbers)
    return st.one_of(
        st.builds(syn.Compare, st.just("a"), st.sampled_from(list(OPERATORS)), number),
        st.builds(
            syn.Among, st.just("a"), st.lists(number, min_size=1, max_size=3).map(lambda v: tuple(sorted(set(v))))
        ),
        st.builds(syn.Within, st.just("a"), number, number, st.booleans()),
        st.just(syn.Missing("a")),
    )


# Every end of an interval, something between any two of them, something beyond, and no value at all.
REALS = [0.0, 0.5, 1.0, 2.5]
REAL_DOMAIN = [*(n / 4 for n in range(-2, 16)), None]
INTS = [0, 1, 2, 3, 5]
INT_DOMAIN = [*range(-2, 8), None]
WORDS = ["x", "y", "z"]
WORD_DOMAIN = [*WORDS, "another", None]

real_tests = number_tests(REALS)
int_tests = number_tests(INTS)
word = st.sampled_from(WORDS)
word_tests = st.one_of(
    st.builds(syn.Compare, st.just("a"), st.sampled_from(["=", "!="]), word),
    st.builds(syn.Among, st.just("a"), st.sets(word, min_size=1).map(lambda v: tuple(sorted(v)))),
    st.just(syn.Missing("a")),
)
aggregates = st.builds(
    syn.Aggregate, st.just("mean"), st.just("l"), st.just("a"), st.sampled_from([">=", "<="]), st.sampled_from(REALS)
)
flags = st.one_of(st.builds(syn.Flag, st.just("a"), st.booleans()), st.just(syn.Missing("a")))


def shows_reals(*tests):
    return any(isinstance(test, syn.Compare | syn.Among) for test in tests)


@given(real_tests, real_tests)
def test_implication_between_tests_of_a_real_number_is_exact(p, q):
    answer = implies(p, q)
    assert answer in (truly_implies(p, q, REAL_DOMAIN), None)
    if shows_reals(p, q) or truly_implies(p, q, REAL_DOMAIN):
        assert answer is not None


@given(int_tests, int_tests)
def test_implication_between_tests_of_a_whole_number_is_never_wrong(p, q):
    answer = implies(p, q)
    if answer is not None:
        assert answer == truly_implies(p, q, INT_DOMAIN)


@given(word_tests, word_tests)
def test_implication_between_tests_of_a_category_is_exact(p, q):
    answer, truth = implies(p, q), truly_implies(p, q, WORD_DOMAIN)
    if answer is None:  # depends on which other categories there are
        assert isinstance(p, syn.Compare) and p.op == "!=" and not truth
    else:
        assert answer == truth


@given(flags, flags)
def test_implication_between_flags_is_exact(p, q):
    assert implies(p, q) == truly_implies(p, q, [True, False, None])


@given(aggregates, aggregates)
def test_implication_between_aggregates_is_never_wrong(p, q):
    answer = implies(p, q)
    assert answer in (truly_implies(p, q, REAL_DOMAIN), None)
    assert answer is not None or not truly_implies(p, q, REAL_DOMAIN)


@given(st.one_of(st.tuples(real_tests, real_tests), st.tuples(aggregates, aggregates)))
def test_contradiction_between_numbers_is_exact(pair):
    assert excludes(*pair) == truly_excludes(*pair, REAL_DOMAIN)


@given(word_tests, word_tests)
def test_contradiction_between_categories_is_exact(p, q):
    assert excludes(p, q) == truly_excludes(p, q, WORD_DOMAIN)


@given(flags, flags)
def test_contradiction_between_flags_is_exact(p, q):
    assert excludes(p, q) == truly_excludes(p, q, [True, False, None])


@given(st.lists(real_tests, min_size=2, max_size=3), real_tests)
def test_a_conjunction_of_tests_of_one_number_is_weighed_as_a_whole(parts, q):
    answer = implies(syn.And(tuple(parts)), q)
    truth = all(holds(q, v) for v in REAL_DOMAIN if all(holds(part, v) for part in parts))
    assert answer in (truth, None)
    if truth:
        assert answer is True


@given(st.data())
def test_what_implies_or_excludes_does_so_on_every_row(data):
    check_on_rows(data)


def check_on_rows(data):
    schema = data.draw(schemas())
    p, q = data.draw(predicates(schema, depth=2)), data.draw(predicates(schema, depth=2))
    population = data.draw(populations(schema))
    one, other = (rows_where(r, population, schema.individual) for r in (p, q))
    if implies(p, q):
        assert not (one & ~other).any()
    if excludes(p, q):
        assert not (one & other).any()
    assert implies(syn.And((p, q)), p)


@given(st.data())
def test_so_it_does_where_only_equal_parts_of_long_predicates_are_recognised(data):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("structtree.lang.logic.MOST_PAIRS", 1)
        check_on_rows(data)


link_implies = logic._link_implies
LONG = " and ".join(f"exists items (price >= {i})" for i in range(300))
DEFINED = syn.Named("long", parse(LONG))


@pytest.mark.parametrize(
    ("ask", "p", "q", "answer"),
    [
        (implies, parse(LONG), parse(f"{LONG} and top"), True),
        (implies, parse(f"a and {LONG}"), parse(LONG), True),
        (implies, DEFINED, parse(LONG), True),
        (implies, syn.And((syn.Flag("a"), DEFINED)), DEFINED, True),
        (implies, parse(LONG), syn.And((parse("exists items (price >= 7)"), DEFINED)), True),
        (implies, parse(LONG), parse(f"{LONG} and a"), None),
        (implies, parse(LONG), syn.Not(DEFINED), None),
        (implies, syn.Not(DEFINED), DEFINED, None),
        (excludes, parse(LONG), syn.Not(DEFINED), True),
        (excludes, syn.Not(parse(LONG)), DEFINED, True),
        (excludes, DEFINED, parse(f"a and {LONG}"), False),
    ],
)
def test_long_predicates_are_not_compared_part_by_part(ask, p, q, answer, monkeypatch):
    asked = 0

    def counted(*pair):
        nonlocal asked
        asked += 1
        return link_implies(*pair)

    monkeypatch.setattr(logic, "_link_implies", counted)
    assert ask(p, q) is answer
    assert asked <= 2 * 300


IMPLIES = [
    ("exists l (a and b)", "exists l (a)"),
    ("exists l (a)", "exists l (top)"),
    ("count l (a) >= 2", "exists l (a)"),
    ("count l (a) >= 3", "count l (top) >= 2"),
    ("exists l (a)", "count l (a) >= 1"),
    ("count l (a) <= 1", "count l (a and b) <= 2"),
    ("none l (a)", "none l (a and b)"),
    ("none l (a)", "count l (a) <= 0"),
    ("all l (x = u)", "all l (x in {u, v})"),
    ("all l (x = u)", "none l (x = v)"),
    ("distinct l (a, b)", "exists l (a)"),
    ("distinct l (a, a and b)", "count l (a) >= 2"),
    ("distinct l (a and b, c)", "distinct l (c, a)"),
    ("count l (a and b) >= 2", "distinct l (a, b)"),
    ("first l (a)", "exists l (a)"),
    ("next (a)", "later (a)"),
    ("r.x >= 3", "r.x >= 2"),
    ("r (x = u and a)", "r.x = u"),
    ("a and b", "b and a"),
    ("a", "a or b"),
    ("a or b", "b or a or c"),
    ("not (a or b)", "not (a)"),
    ("x = u", "not (x = v)"),
    ("x = u", "not (missing x)"),
    ("count l (a) >= 0", "count l (b) >= 0"),
]
DOES_NOT = [
    ("exists l (top)", "exists l (a)"),
    ("exists l (a)", "count l (a) >= 2"),
    ("count l (a) <= 2", "count l (a) <= 1"),
    ("all l (top)", "all l (a)"),
    ("r.x >= 2", "r.x >= 3"),
    ("top", "x = u"),
    ("x = u or x = v", "x = u"),
]
UNKNOWN = [
    ("a", "b"),
    ("x = u", "y = u"),
    ("exists l (a)", "exists m (a)"),
    ("exists l (a)", "all l (a)"),
    ("a and b", "c"),
    ("not (a)", "b"),
    ("x != u", "x in {v, w}"),
    ("x in [2, 3)", "x = 2"),
    ("count l (a) <= 1", "exists l (a)"),
]


@pytest.mark.parametrize(("p", "q"), IMPLIES)
def test_one_implies_the_other(p, q):
    assert implies(parse(p), parse(q)) is True


@pytest.mark.parametrize(("p", "q"), DOES_NOT)
def test_one_does_not_imply_the_other(p, q):
    assert implies(parse(p), parse(q)) is False


@pytest.mark.parametrize(("p", "q"), UNKNOWN)
def test_syntax_cannot_tell(p, q):
    assert implies(parse(p), parse(q)) is None


EXCLUDE = [
    ("exists l (a)", "none l (a)"),
    ("exists l (a and b)", "none l (a)"),
    ("count l (a) >= 3", "count l (a) <= 2"),
    ("r.x = u", "r.x = v"),
    ("next (x = u)", "next (x = v)"),
    ("missing r", "r (top)"),
    ("missing x", "x != u"),
]
COMPATIBLE = [
    ("later (x = u)", "later (x = v)"),
    ("exists l (x = u)", "exists l (x = v)"),
    ("first l (x = u)", "last l (x = v)"),
    ("x = u", "y = v"),
    ("count l (a) >= 2", "count l (b) <= 1"),
]


@pytest.mark.parametrize(("p", "q"), EXCLUDE)
def test_the_two_exclude_each_other_both_ways(p, q):
    assert excludes(parse(p), parse(q)) and excludes(parse(q), parse(p))


@pytest.mark.parametrize(("p", "q"), COMPATIBLE)
def test_the_two_do_not_exclude_each_other(p, q):
    assert not excludes(parse(p), parse(q)) and not excludes(parse(q), parse(p))


SOURCES = [
    ("x = *", "x in {u, v}", True),
    ("x = *", "x != u", True),
    ("x = *", "x = u", False),
    ("x != *", "x != u", False),
    ("n >= *", "n >= 3", True),
    ("n <= *", "n >= 3", False),
    ("n >= *", "n = 3", False),
    ("n = *", "n >= 3", True),
    ("n in bins(4)", "n in [0, 3)", True),
    ("n in bins(4)", "n = 3", False),
    ("n >= {1, 2}", "n >= 2", False),
    ("n >= {1, 2, 3}", "n >= 2", True),
    ("n >= 4..6", "n >= 3", True),
    ("n >= *", "missing n", False),
    ("exists l (x = *)", "exists l (x in {u, v})", True),
    ("count l (a) >= *", "exists l (a)", True),
    ("count l (top) >= 2..4", "exists l (top)", True),
    ("count l (a) >= 2..4", "count l (a) >= 5", False),
    ("mean l.n >= *", "mean l.n >= 3", True),
    ("mean l.n <= *", "mean l.n >= 3", False),
]


@pytest.mark.parametrize(("p", "q", "answer"), SOURCES)
def test_a_source_stands_for_the_values_that_specialise(p, q, answer):
    assert implies(parse(p), parse(q)) is answer


def test_every_pair_of_small_tests_of_a_real_number():
    tests = [syn.Compare("a", op, v) for op, v in product(OPERATORS, REALS)]
    tests += [syn.Within("a", low, high, c) for low, high, c in product(REALS, REALS, (True, False))]
    for p, q in product(tests, tests):
        assert implies(p, q) in (truly_implies(p, q, REAL_DOMAIN), None)
        assert excludes(p, q) == truly_excludes(p, q, REAL_DOMAIN)
