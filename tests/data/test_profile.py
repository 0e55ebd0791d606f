"""Profiles: which attributes only identify rows, and which numbers have too many thresholds."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from structtree.data.population import Population
from structtree.data.profile import Member, MemberPair, Profile, profile
from structtree.data.readers.databases.reading import from_database


def table(**columns):
    rows = zip(*columns.values(), strict=True)
    return Population.from_records([dict(zip(columns, row, strict=True)) for row in rows])


def identifiers(population):
    return {member.attribute for member in profile(population).identifiers}


def words(n, n_different=None):
    return [f"w{i % (n_different or n)}" for i in range(n)]


def test_a_text_that_is_almost_always_different_identifies_rows():
    assert identifiers(table(name=words(40), again=words(40, 36), often=words(40, 35))) == {"name", "again"}


@pytest.mark.parametrize(
    ("n", "n_different", "n_frequent", "expected"),
    [(149, 50, 0, True), (150, 50, 0, False), (98, 49, 0, False), (180, 90, 17, True), (180, 90, 30, False)],
)
def test_a_text_of_many_values_with_few_rows_each_says_nothing_either(n, n_different, n_frequent, expected):
    texts = [*words(n - n_frequent, n_different - bool(n_frequent)), *["often"] * n_frequent]
    assert identifiers(table(text=texts)) == ({"text"} if expected else set())


def test_few_rows_do_not_show_that_a_text_identifies():
    assert identifiers(table(name=words(19))) == set()
    assert identifiers(table(name=words(20))) == {"name"}


def test_only_rows_that_have_a_value_count():
    assert identifiers(table(name=[*words(25), *[None] * 75])) == {"name"}
    assert identifiers(table(name=[*words(15), *[None] * 75])) == set()


@pytest.mark.parametrize("name", ["id", "ID", "_id", "order_id", "orderId", "OrderID", "order id", "order-id"])
def test_whole_numbers_and_texts_whose_name_says_so_identify_if_no_two_rows_have_the_same(name):
    assert identifiers(table(**{name: [4, 7, 9]})) == {name}
    assert identifiers(table(**{name: ["a", "b", "c"]})) == {name}
    assert identifiers(table(**{name: [4, 7, 7]})) == set()
    assert identifiers(table(**{name: [0.5, 1.5, 2.5]})) == set()


@pytest.mark.parametrize("name", ["acid", "idle", "grid", "GRID", "width", "valid", "id2"])
def test_a_name_that_has_the_letters_of_id_in_it_says_nothing(name):
    assert identifiers(table(**{name: [4, 7, 9]})) == set()


def test_numbers_that_all_differ_are_no_identifiers():
    assert identifiers(table(age=list(range(100)))) == set()


def test_only_rows_that_individuals_reach_are_looked_at():
    orders = [{"orders": [{"order_id": k, "note": f"n{k}"} for k in range(i * 20, i * 20 + 20)]} for i in range(3)]
    orders[2]["orders"][0] |= {"order_id": 1, "note": "n1"}
    population = Population.from_records(orders, types={"orders": "set"})
    assert identifiers(population) == {"note"}
    assert profile(population.take([0, 1])).identifiers == {Member("Order", "order_id"), Member("Order", "note")}
    assert identifiers(population.take([0])) == {"order_id", "note"}


def nested(**numbers):
    rows = [dict(zip(numbers, row, strict=True)) for row in zip(*numbers.values(), strict=True)]
    return Population.from_records([{"rows": rows[::2]}, {"rows": rows[1::2]}], types={"rows": "set"})


def test_the_numbers_of_a_type_share_the_thresholds_and_those_with_fewest_values_come_first():
    population = nested(a=[float(i) for i in range(50)], b=[float(i % 10) for i in range(50)])
    assert profile(population) == Profile()
    assert profile(population, max_cuts=58) == Profile()
    assert profile(population, max_cuts=57).many_valued == {Member("Row", "a")}
    assert profile(population, max_cuts=8).many_valued == {Member("Row", "a"), Member("Row", "b")}


def test_an_identifier_takes_no_thresholds_from_the_others():
    population = nested(row_id=list(range(50)), a=[i / 2 for i in range(50)])
    assert profile(population, max_cuts=49) == Profile(identifiers=frozenset({Member("Row", "row_id")}))


def test_plain_tables_are_asked_every_threshold_whatever_their_size():
    assert not profile(Population.from_array(np.arange(20.0).reshape(10, 2)), max_cuts=5).many_valued


def pairs(population):
    return [(pair.one, pair.other) for pair in profile(population).comparable]


def test_numbers_are_comparable_if_they_lie_in_the_same_places():
    ten = list(range(10))
    population = table(low=ten, also=[x + 2 for x in ten], high=[x + 100 for x in ten], real=[x + 0.5 for x in ten])
    assert pairs(population) == [("low", "also")]


def test_a_few_outliers_do_not_make_numbers_comparable_or_incomparable():
    hundred = list(range(100))
    assert pairs(table(a=hundred, b=[*hundred[:-1], 10**6])) == [("a", "b")]
    assert pairs(table(a=hundred, b=[*(x + 500 for x in hundred[:-1]), 0])) == []


def test_categories_are_comparable_if_most_of_them_are_the_same():
    population = table(a=list("xyzw") * 5, b=list("xyzz") * 5, c=list("pqrs") * 5, flag=[True, False] * 10)
    assert pairs(population) == [("a", "b")]
    assert pairs(table(a=["x", "y"] * 5, b=["y", "x"] * 5)) == []  # two values each: a test of either says as much


def test_what_identifies_rows_is_not_compared_and_of_very_many_pairs_none():
    assert pairs(table(id=list(range(40)), age=list(range(40)))) == []
    six = {f"a{i}": list("xyz") * 5 for i in range(6)}
    assert len(pairs(table(**six))) == 15
    assert pairs(table(**six, a6=list("xyz") * 5)) == []


def test_only_the_values_of_the_individuals_count():
    population = table(a=[*range(10), *range(500, 510)], b=[*range(100, 110), *range(500, 510)])
    assert profile(population.take(np.arange(10))).comparable == ()
    assert profile(population.take(np.arange(10, 20))).comparable == (MemberPair("Individual", "a", "b"),)


def test_a_reference_that_only_leads_back_is_known_by_its_rows():
    bank = {
        "account": pd.DataFrame({"id": [1, 2, 3], "district": [7, 7, 8], "good": ["y", "n", "y"]}),
        "payment": pd.DataFrame({"id": [1, 2, 3], "account": [1, 1, 3], "amount": [5.0, 6.0, 7.0]}),
        "district": pd.DataFrame({"id": [7, 8], "size": [1, 2]}),
    }
    links = ["payment.account=account.id", "account.district=district.id"]
    of = {name: from_database(bank, individual=name, links=links) for name in bank}
    assert profile(of["account"]).returning == {Member("payment", "account")}
    assert profile(of["payment"]).returning == frozenset()
    assert profile(of["district"]).returning == {Member("account", "district"), Member("payment", "account")}
    elsewhere = bank | {"gift": pd.DataFrame({"account": [1], "payment": [3]})}
    reached = from_database(
        elsewhere, individual="account", links=[*links, "gift.account=account.id", "gift.payment=payment.id"]
    )
    assert profile(reached).returning == frozenset()
