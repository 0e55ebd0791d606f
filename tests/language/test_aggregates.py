"""Aggregates of the rows behind a link (``sum payments (late).amount >= *``), from the text to the explanation.

The laws are those of every other form, and are stated elsewhere: `tests/strategies.py` draws aggregates of every
function too. Here is what is particular to them.
"""

from __future__ import annotations

import math
import statistics
from datetime import date, datetime
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from structtree.data.population import Adjacency, Column, Population, Table
from structtree.data.readers.records.reading import from_records
from structtree.data.schema import Attribute, Link, RecordType, Schema
from structtree.errors import GrammarError
from structtree.lang import syntax as syn
from structtree.lang.check import check_predicate
from structtree.lang.grammar import Grammar
from structtree.lang.logic import excludes, implies
from structtree.lang.parse import parse_predicate
from structtree.lang.pretty import pretty
from structtree.learn.fit import fit
from structtree.models.clauses import negation
from structtree.models.files.models import model_from_json, model_to_json
from structtree.models.importance import mentioned
from structtree.models.settings import Growth
from structtree.report.explain import explain
from structtree.search.best_split import best_split
from structtree.search.why_not import why_not
from structtree.space.count import count_space
from structtree.space.evaluate import aggregate_column, holds
from structtree.space.space import Space
from structtree.space.terms import canonical, n_literals, nesting
from tests.space.truth import Row, is_true
from tests.space.truth import _aggregate as true_value
from tests.strategies import aggregates_of

TYPES = """
type Loan = { payments: set of Payment, steps: list of Payment, holder: Holder }
type Payment = { amount: real, n: int, late: bool, kind: cash | card, size: small < large, paid: date, seen: time }
type Holder = { visits: set of Visit, cards: set of Card }
type Visit = { day: date, minutes: int }
type Card = { limit: real }
individual Loan
"""

PAYMENTS = [
    {"amount": 10.0, "kind": "cash", "late": False, "paid": date(2024, 1, 10)},
    {"amount": 40.0, "kind": "card", "late": True, "paid": date(2024, 3, 10)},
    {"amount": 30.0, "kind": "cash", "late": True, "paid": date(2024, 2, 10)},
    {"amount": None, "kind": "card", "late": False, "paid": date(2024, 4, 10)},
    {"amount": 99.0, "kind": None, "late": None, "paid": None},
]


def loans(*payments, collection="set"):
    return from_records([{"payments": list(rows)} for rows in payments], types={"payments": collection})


def value(text, population, individual=0):
    test = check_predicate(parse_predicate(text), population.schema.individual, population.schema)
    return aggregate_column(test, population, population.schema.individual).value(individual)


def checked(text, name="Loan"):
    grammar = Grammar.parse(f"{TYPES} refine Loan {{ top -> exists payments (top) }}").check()
    return check_predicate(parse_predicate(text), name, grammar)


# ---- what they are ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sum payments.amount >= 1", 179.0),
        ("sum payments (kind = cash).amount >= 1", 40.0),
        ("sum payments (kind = cheque).amount >= 1", 0.0),
        ("mean payments (late).amount >= 1", 35.0),
        ("mean payments (kind = cheque).amount >= 1", None),
        ("min payments (kind = card).amount >= 1", 40.0),
        ("max payments (not late).amount >= 1", 10.0),
        ("range payments (late).amount >= 1", 10.0),
        ("range payments.paid >= 1", 91),
        ("deviation payments (late).amount >= 1", math.sqrt(50)),
        ("deviation payments (not late).amount >= 1", None),
        ("share payments (late) >= 0.5", 0.4),
        ("distinct payments.kind >= 1", 2),
        ("distinct payments (late).paid >= 1", 2),
        ("latest payments.amount >= 1", 40.0),
        ("latest payments (kind = cash).amount >= 1", 30.0),
        ("latest payments.kind = cash", "card"),
        ("latest payments.late = true", "false"),
        ("earliest payments.amount by paid >= 1", 10.0),
        ("earliest payments.paid by amount >= 2024-01-01", date(2024, 1, 10)),
        ("latest payments.paid by amount >= 2024-01-01", date(2024, 3, 10)),
        ("trend payments (late).amount >= 0", 10 / 29),
    ],
)
def test_aggregates_worked_out_by_hand(text, expected):
    found = value(text, loans(PAYMENTS))
    assert found == (pytest.approx(expected) if isinstance(expected, float) else expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sum payments.amount >= 1", 0.0),
        ("distinct payments.kind >= 1", 0),
        ("mean payments.amount >= 1", None),
        ("range payments.amount >= 1", None),
        ("deviation payments.amount >= 1", None),
        ("share payments (late) >= 0.5", None),
        ("latest payments.amount >= 1", None),
        ("latest payments.kind = cash", None),
        ("trend payments.amount >= 1", None),
    ],
)
@pytest.mark.parametrize("rows", [[], [{"amount": None, "kind": None, "late": None, "paid": date(2024, 1, 1)}]])
def test_of_no_values_there_are_none_and_a_sum_and_a_number_of_values_are_zero(text, expected, rows):
    if "share" in text and rows:
        expected = 0.0
    assert value(text, loans(PAYMENTS, rows), 1) == expected


def test_of_equal_places_the_latest_is_the_last_and_the_earliest_the_first():
    rows = [{"amount": amount, "paid": date(2024, 1, day)} for amount, day in [(1, 5), (2, 9), (3, 5), (4, 9)]]
    assert value("latest payments.amount >= 1", loans(rows)) == 4
    assert value("earliest payments.amount >= 1", loans(rows)) == 1


def test_a_list_has_an_order_of_its_own():
    rows = [{"amount": amount, "paid": date(2024, 1, day)} for amount, day in [(5, 3), (None, 1), (11, 2), (14, 9)]]
    trips = loans(rows, collection="list")
    assert value("latest payments.amount >= 1", trips) == 14
    assert value("earliest payments.amount by paid >= 1", trips) == 11
    assert value("trend payments.amount >= 1", trips) == pytest.approx(3.0)  # places 0, 2 and 3 of the list
    assert value("trend payments (amount >= 11).amount >= 1", trips) == pytest.approx(3.0)


def test_the_slope_over_times_is_that_of_a_day():
    rows = [{"amount": 2.0 * hour, "seen": datetime(2024, 1, 1, hour)} for hour in (0, 6, 12)]
    assert value("trend payments.amount >= 1", loans(rows)) == pytest.approx(48.0)
    assert value("range payments.seen >= 1", loans(rows)) == pytest.approx(0.5)


# ---- numbers of any size ----------------------------------------------------------------------------------

finite = st.floats(-1e6, 1e6).map(lambda number: round(number, 3))
runs = st.lists(finite, min_size=2, max_size=8)


def of_numbers(numbers, places=None):
    rows = [{"amount": a, "at": p} for a, p in zip(numbers, places or numbers, strict=True)]
    return from_records([{"payments": rows}], types={"payments": "set", "amount": "real", "at": "real"})


@given(runs, st.sampled_from([0.0, 1e9, -4e12]))
def test_a_deviation_is_that_of_exact_arithmetic_also_far_from_zero(numbers, far):
    shifted = [number + far for number in numbers]
    expected = statistics.stdev(shifted)  # of fractions
    assert value("deviation payments.amount >= 1", of_numbers(shifted)) == pytest.approx(expected, rel=1e-9, abs=0)


@given(runs, st.sampled_from([0.0, 1e9]), st.data())
def test_a_slope_is_that_of_exact_arithmetic_also_far_from_zero(numbers, far, data):
    places = data.draw(st.lists(st.integers(0, 50), min_size=len(numbers), max_size=len(numbers)))
    population = of_numbers([number + far for number in numbers], [float(place) + far for place in places])
    found = value("trend payments.amount by at >= 1", population)
    if len(set(places)) < 2:
        assert found is None
    else:
        expected = statistics.linear_regression([p + far for p in places], [n + far for n in numbers]).slope
        assert found == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_the_greatest_numbers_have_a_mean_and_a_deviation():
    great = of_numbers([1.5e308, 1.7e308, 1.6e308])
    assert value("mean payments.amount >= 1", great) == pytest.approx(1.6e308)
    assert value("deviation payments.amount >= 1", great) == pytest.approx(1e307)


def test_equal_numbers_do_not_deviate_and_have_no_slope_whatever_their_mean_is_rounded_to():
    equal = of_numbers([0.1] * 3 + [0.1] * 7, [float(i) for i in range(10)])
    assert value("deviation payments.amount >= 1", equal) == 0.0
    assert value("trend payments.amount by at >= 1", equal) == 0.0
    assert value("trend payments.at by amount >= 1", equal) is None


def test_infinite_numbers_leave_what_cannot_be_said_missing():
    odd = of_numbers([math.inf, math.inf, 1.0], [1.0, 2.0, 3.0])
    assert value("mean payments.amount >= 1", odd) == math.inf
    assert value("range payments.amount >= 1", odd) == math.inf
    assert value("range payments (amount >= 2).amount >= 1", odd) is None
    assert value("deviation payments.amount >= 1", odd) is None
    assert value("trend payments.amount by at >= 1", odd) is None
    assert value("latest payments.amount by at >= 1", odd) == 1.0
    assert value("distinct payments.amount >= 1", odd) == 2


ROW = RecordType(
    "Row",
    (
        Attribute("x", "real"),
        Attribute("y", "real"),
        Attribute("flag", "bool"),
        Attribute("word", "nominal"),
        Attribute("day", "date"),
        Attribute("seen", "time"),
    ),
)
odd_numbers = st.sampled_from([np.nan, -np.inf, np.inf, 0.0, -0.0, 0.1, 0.3, 1e300, -1e300, 1e16, 3.0])


@st.composite
def linked_rows(draw):
    """Rows with odd numbers behind sets that share them, and behind lists."""
    n = draw(st.integers(1, 6))

    def numbers(values):
        return np.array(draw(st.lists(values, min_size=n, max_size=n)))

    columns = {
        "x": Column("real", numbers(odd_numbers)),
        "y": Column("real", numbers(odd_numbers)),
        "flag": Column("bool", numbers(st.integers(-1, 1)).astype(np.int8)),
        "word": Column("nominal", numbers(st.integers(-1, 2)).astype(np.int32), ("p", "q", "r")),
        "day": Column("date", numbers(st.sampled_from([np.nan, 0.0, 3.0, 4.0]))),
        "seen": Column("time", numbers(st.sampled_from([np.nan, 0.0, 3600.0, 86400.0]))),
    }
    sets = draw(st.lists(st.lists(st.integers(0, n - 1), max_size=5, unique=True), min_size=3, max_size=3))
    flat = np.array([row for rows in sets for row in rows], dtype=np.int32)
    cut = draw(st.integers(0, n))
    links = {
        "rows": Adjacency.from_lengths([len(rows) for rows in sets], flat),
        "list": Adjacency.from_lengths([cut, 0, n - cut], np.arange(n, dtype=np.int32)),
    }
    top = RecordType("Top", (), (Link("rows", "set", "Row"), Link("list", "list", "Row")))
    return Population(Schema((top, ROW), "Top"), {"Top": Table(3, {}, links), "Row": Table(n, columns)})


conditions = st.sampled_from([None, *map(parse_predicate, ("flag", "x >= 0.1", "missing word", "not (x <= 0.0)"))])


@pytest.mark.parametrize("function", get_args(syn.AggregateFunction))
@given(data=st.data())
def test_every_function_is_what_its_definition_says_on_odd_numbers_shared_rows_and_ties(function, data):
    population = data.draw(linked_rows())
    link = population.schema.type("Top").link(data.draw(st.sampled_from(["rows", "list"])))
    test = data.draw(st.one_of(aggregates_of(population.schema, link, conditions, (function,))))
    expected = [true_value(population, Row("Top", i), test) for i in range(3)]
    column = aggregate_column(test, population, "Top")
    shown = [None if column.missing[i] else column.values[i] for i in range(3)]
    if column.kind == "nominal":
        shown = [None if code is None else column.categories[code] for code in shown]
    assert shown == expected
    assert holds(test, population).tolist() == [is_true(test, population, i) for i in range(3)]


# ---- text and checks --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("sum payments(kind=cash).amount>=3", "sum payments (kind = cash).amount >= 3.0"),
        ("sum payments (top).amount >= 3", "sum payments.amount >= 3.0"),
        ("distinct payments.kind >= 2.5", "distinct payments.kind >= 3"),
        ("distinct payments (late, not late)", "distinct payments (late, not late)"),
        ("latest payments.kind by paid = cash", "latest payments.kind by paid = cash"),
        ("latest steps.late = true", "latest steps.late = true"),
        ("latest steps.size >= large", "latest steps.size >= large"),
        ("holder (latest visits.minutes >= 3)", "holder (latest visits.minutes by day >= 3)"),
        ("max payments.paid >= 2024-01-01", "max payments.paid >= 2024-01-01"),
        ("share payments (late or amount >= 3) <= 1", "share payments (amount >= 3.0 or late) <= 1.0"),
    ],
)
def test_the_text_of_what_is_meant(text, meant):
    assert pretty(canonical(checked(text))) == meant
    assert canonical(checked(meant)) == canonical(checked(text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "latest payments.amount >= 3",
            "the rows of the set 'payments' have several dates to order them by; "
            "name the attribute: 'latest payments.amount by paid'",
        ),
        (
            "holder (trend cards.limit >= 3)",
            "the rows of the set 'cards' have no date to order them by; "
            "name the attribute: 'trend cards.limit by date'",
        ),
        (
            "latest payments.kind by paid >= cash",
            "'kind' has no order for '>='; write 'latest payments.kind by paid = ...'",
        ),
        ("latest payments.kind by paid = cheque", "'cheque' is not a value of 'kind'"),
        (
            "latest payments.amount by kind >= 3",
            "'latest' orders rows by numbers, dates or ordered categories, but 'kind' is nominal",
        ),
        ("trend payments.amount by size >= 3", "'trend' orders rows by numbers or dates, but 'size' is ordered"),
        ("deviation payments.paid >= 3", "'paid' is date; 'deviation' needs numbers"),
        ("range payments.size >= 3", "'size' is ordered; 'range' needs numbers or dates"),
        ("share payments (wheels >= 3) >= 0.5", "unknown attribute 'wheels' of type 'Payment'"),
        ("sum payments (late).amout >= 3", "unknown attribute 'amout' of type 'Payment' (did you mean 'amount'?)"),
        ("sum holder.limit >= 3", "'holder' leads to a single 'Holder'; write 'holder (...)'"),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_proposal(text, message):
    with pytest.raises(GrammarError) as refused:
        checked(text)
    assert message in str(refused.value)


@pytest.mark.parametrize("word", ["range", "deviation", "share", "latest", "earliest", "trend", "by"])
def test_new_words_may_still_be_names(word):
    assert parse_predicate(f"{word} >= 3 and {word} = x") == parse_predicate(f"`{word}` >= 3 and `{word}` = x")
    assert parse_predicate(f"x = {word} or {word}") == parse_predicate(f"x = {word} or `{word}`")
    assert parse_predicate(f"max rows.{word} >= 1") == syn.Aggregate("max", "rows", word, ">=", 1)
    assert parse_predicate(f"latest rows.{word} by {word} >= 1") == syn.Aggregate(
        "latest", "rows", word, ">=", 1, None, word
    )
    assert parse_predicate(pretty(syn.Compare(word, "=", word))) == syn.Compare(word, "=", word)


@pytest.mark.parametrize(
    ("rewrite", "message"),
    [
        (
            "sum payments (top).amount >= *",
            "'sum payments (top).amount >= *' cannot be refined, so it must not contain 'top': 'sum' of fewer rows "
            "may satisfy '>=' where that of more rows does not; for all rows write 'sum payments.amount'",
        ),
        (
            "mean payments (late and top).amount <= *",
            "'mean' of fewer rows may satisfy '<=' where that of more rows does not",
        ),
        ("sum payments (n >= *).amount >= *", "'n >= *' needs a single value"),
        ("max payments (top).amount <= *", "'max' of fewer rows may satisfy '<=' where that of more rows does not"),
        ("share payments (top) <= *", "'share' of fewer rows may satisfy '<=' where that of more rows does not"),
        ("latest payments (top).amount by paid >= *", "'latest' of fewer rows may satisfy '>='"),
    ],
)
def test_nothing_is_refined_inside(rewrite, message):
    with pytest.raises(GrammarError) as refused:
        Grammar.parse(f"{TYPES} refine Loan {{ top -> {rewrite} }}").check()
    assert message in str(refused.value)


# ---- open conditions --------------------------------------------------------------------------------------

OPEN = {
    "max payments (top).amount >= *": "max payments (late).amount >= 90",
    "min payments (top).amount <= *": "min payments (kind = cash).amount <= 20",
    "range payments (top).amount >= {20, 40, 60}": "range payments (late).amount >= 40",
    "distinct payments (top).kind >= *": "distinct payments (late).kind >= 2",
    "share payments (top) >= *": "share payments (late and kind = cash) >= 0.25",
    "distinct payments (late and top).kind >= *": "distinct payments (late and kind = cash).kind >= 1",
}
INSIDE = "refine Payment { top -> late; top -> kind = *; top -> top and top max 2 }"


@pytest.mark.parametrize("rewrite", OPEN)
def test_where_fewer_rows_never_help_more_is_asked_inside(rewrite):
    population = random_loans(60)
    grammar = Grammar.parse(f"refine Individual {{ top -> {rewrite} }} {INSIDE}")
    space = Space.build(grammar, population)
    members = list(space.enumerate())
    assert count_space(space).size == len(members) == len(set(members))
    rule = canonical(check_predicate(parse_predicate(OPEN[rewrite]), "Individual", population.schema))
    family = space.offers.from_top["Individual"][0]
    near = family.build(min(family.numbers, key=lambda number: abs(number - rule.value)), [rule.inner])
    assert near in space and near in members
    for predicate in members[:: max(1, len(members) // 40)]:
        parent = holds(predicate, population)
        assert all(not (holds(child, population) & ~parent).any() for child in space.refine(predicate))
    labels = holds(near, population)
    found = [best_split(population, labels, space, prune=prune) for prune in (True, False)]
    assert all(split.loss == pytest.approx((0.0, 0.0)) for split in found)
    assert (fit(population, labels, grammar, effort="prove").predict(population) == labels).all()


def test_a_fixed_condition_beside_an_open_one_is_refused():
    text = "refine Individual { top -> max payments.amount >= *; top -> max payments (top).amount >= * }"
    with pytest.raises(GrammarError, match=r"'max payments.amount >= \*' has a fixed condition, but another rewrite"):
        Space.build(Grammar.parse(text), random_loans(5))
    both = "refine Individual { top -> max payments (top).amount >= *; top -> max payments.amount <= * }"
    assert len(Space.build(Grammar.parse(both), random_loans(5)).offers.from_top["Individual"]) == 2


def test_what_an_open_aggregate_does_not_offer_is_told():
    rows = [[{"amount": a, "late": a > 2} for a in range(1, k)] for k in range(2, 6)]
    grammar = Grammar.parse(
        f"refine Individual {{ top -> distinct payments (top).amount >= * }} {INSIDE.split(';')[0]} }}"
    )
    split = best_split(loans(*rows), [0, 0, 1, 1], Space.build(grammar, loans(*rows)))
    assert "allows 4 others" in str(why_not(split, "distinct payments (late).amount >= 7"))


def test_globs_stand_for_the_attributes_that_fit():
    grammar = Grammar.parse(
        f"{TYPES} refine Loan {{ top -> latest steps.* = *; top -> range payments.* >= * }}"
    ).check()
    assert [pretty(rewrite.right) for rewrite in grammar.rewrites["Loan"]] == [
        "latest steps.kind = *",
        "range payments.amount >= *",
        "range payments.n >= *",
        "range payments.paid >= *",
        "range payments.seen >= *",
    ]


def test_the_condition_counts_as_literals_and_nesting():
    deep = parse_predicate("sum a (x = 1 and exists b (y = 2)).z >= 3")
    assert (n_literals(deep), nesting(deep)) == (4, 2)
    assert (n_literals(parse_predicate("sum a.z >= 3")), nesting(parse_predicate("sum a.z >= 3"))) == (1, 1)


# ---- logic and the space ----------------------------------------------------------------------------------


def test_only_aggregates_of_the_same_rows_in_the_same_order_imply_and_exclude_each_other():
    low, high = parse_predicate("sum a (p).x >= 1"), parse_predicate("sum a (p).x >= 2")
    assert implies(high, low) and not implies(low, high)
    assert excludes(parse_predicate("sum a (p).x <= 0"), low)
    for other in ("sum a.x >= 1", "sum a (q).x >= 1", "mean a (p).x >= 1"):
        assert implies(high, parse_predicate(other)) is None
        assert not excludes(parse_predicate("sum a (p).x <= 0"), parse_predicate(other))
    assert implies(parse_predicate("latest a.x by d >= 2"), parse_predicate("latest a.x by e >= 1")) is None
    assert excludes(parse_predicate("latest a.k = x"), parse_predicate("latest a.k = y"))
    assert pretty(negation(low)) == "not (sum a (p).x >= 1)"


def test_counting_listing_and_obstacles_know_aggregates():
    rows = [[{"amount": a, "late": a > 2, "paid": date(2024, 1, a)} for a in range(1, k)] for k in range(2, 6)]
    text = (
        "refine Individual { top -> share payments (late) >= *; top -> share payments (late) <= *; "
        "top -> latest payments.late = *; top -> distinct payments (late).amount >= *; top -> top and top max 2 }"
    )
    space = Space.build(Grammar.parse(text), loans(*rows))
    assert count_space(space).size == len(list(space.enumerate()))
    assert "distinct payments (late).amount >= 2" in space
    found = why_not(best_split(loans(*rows), [0, 0, 1, 1], space), "distinct payments (late).amount >= 7")
    assert "allows distinct payments (late).amount >= 1 and distinct payments (late).amount >= 2" in str(found)


# ---- trees ------------------------------------------------------------------------------------------------

PLANTED = {
    "sum payments (kind = cash).amount >= *": "sum payments (kind = cash).amount >= 100",
    "share payments (late) >= *": "share payments (late) >= 0.4",
    "distinct payments.kind >= *": "distinct payments.kind >= 3",
    "latest payments.amount by paid >= *": "latest payments.amount >= 50",
    "latest payments.kind = *": "latest payments.kind = cash",
    "trend payments.amount >= *": "trend payments.amount >= 0.1",
    "deviation payments (late).amount <= *": "deviation payments (late).amount <= 20",
    "range payments.paid >= *": "range payments.paid >= 60",
}


def random_loans(n=150):
    random = np.random.default_rng(3)
    kinds = ["cash", "card", "cheque", None]
    return loans(
        *[
            [
                {
                    "amount": float(random.integers(1, 100)),
                    "kind": kinds[random.integers(4)],
                    "late": bool(random.integers(2)),
                    "paid": date.fromordinal(738_000 + int(random.integers(100))),
                }
                for _ in range(random.integers(0, 6))
            ]
            for _ in range(n)
        ]
    )


@pytest.mark.parametrize("rewrite", PLANTED)
@pytest.mark.parametrize("more", ["", "top -> exists payments (top);", "top -> top and top max 2;"])
def test_a_planted_aggregate_is_found_on_every_route_and_survives_its_model(rewrite, more):
    population = random_loans()
    rule = check_predicate(parse_predicate(PLANTED[rewrite]), "Individual", population.schema)
    labels = holds(rule, population)
    grammar = Grammar.parse(f"refine Individual {{ {more} top -> {rewrite} }} refine Payment {{ top -> late }}")
    model = fit(population, labels, grammar, Growth(max_depth=2))
    assert (model.predict(population) == labels).all()
    again = model_from_json(model_to_json(model))
    assert [pretty(test) for test in again.tree.tests] == [pretty(test) for test in model.tree.tests]
    assert (again.predict(population) == labels).all()
    fresh = random_loans(80)
    assert (again.predict(fresh) == holds(rule, fresh)).mean() > 0.95


def test_pruned_and_exhaustive_searches_agree():
    population, labels = random_loans(60), np.arange(60) % 3 == 0
    text = (
        "refine Individual { "
        + "; ".join(f"top -> {rewrite}" for rewrite in PLANTED)
        + "; top -> top and top max 2 }"
    )
    space = Space.build(Grammar.parse(text), population)
    for criterion in ("acc*", "gini"):
        found = (best_split(population, labels, space, criterion=criterion, prune=prune) for prune in (True, False))
        losses = [split.loss for split in found]
        assert losses[0] == pytest.approx(losses[1])


def test_an_explanation_shows_what_was_computed():
    population = random_loans(40)
    labels = holds(parse_predicate("share payments (late) >= 0.4"), population)
    model = fit(
        population,
        labels,
        Grammar.parse("refine Individual { top -> share payments (late) >= * }"),
        Growth(max_depth=1),
    )
    shown = str(explain(model, population, int(np.argmax(labels))))
    assert "share payments (late) = " in shown


def test_a_model_needs_what_the_condition_and_the_order_ask_about():
    assert mentioned(parse_predicate("latest payments (late).amount by paid >= 3")) == (
        "payments.amount",
        "payments.paid",
        "payments.late",
    )
