"""Databases as of a date: no path leads to what lies after the date of an individual, nor to another one's label."""

from __future__ import annotations

import sqlite3

import pytest

from structtree import Population, open_data
from structtree.errors import DataError, UnknownNameError, UsageError


@pytest.fixture
def bank(tmp_path):
    path = tmp_path / "bank.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript(
        """
        CREATE TABLE account(id INTEGER PRIMARY KEY, town TEXT);
        CREATE TABLE payment(account_id INTEGER REFERENCES account(id), paid INTEGER, day DATE);
        CREATE TABLE loan(id INTEGER PRIMARY KEY, account_id INTEGER REFERENCES account(id), date DATE, status TEXT);
        INSERT INTO account VALUES (1, 'Bern');
        INSERT INTO payment VALUES (1, 10, '2020-01-01'), (1, 20, '2020-06-01'), (1, 30, '2021-06-01');
        INSERT INTO loan VALUES (7, 1, '2020-03-01', 'good'), (8, 1, '2021-01-01', 'bad');
        INSERT INTO loan VALUES (9, 1, '2022-01-01', 'bad');
        """
    )
    connection.close()
    return path


def paid(population, individual):
    account = population.record(individual, depth=2)["account"]
    return [row["paid"] for row in account.get("payment", [])]


def test_an_individual_sees_only_rows_before_its_date(bank):
    population = open_data(bank, individual="loan", target="status", as_of="loan.date").population
    assert [paid(population, i) for i in range(3)] == [[10], [10, 20], [10, 20, 30]]
    assert population.record(1, depth=2)["account"]["payment"][0]["days_before"] == 366


def test_the_labels_of_other_individuals_are_not_seen(bank):
    population = open_data(bank, individual="loan", target="status", as_of="date").population
    members = {name: set(population.schema.type(name).members) for name in population.schema.names}
    assert not any("status" in names for names in members.values())


def test_nothing_after_a_day_is_seen(bank):
    frozen = Population.from_database(bank, individual="loan", frozen_at="2020-12-31")
    assert [paid(frozen, i) for i in range(3)] == [[10, 20]] * 3
    both = Population.from_database(bank, individual="loan", as_of="date", frozen_at="2020-12-31")
    assert [paid(both, i) for i in range(3)] == [[10], [10, 20], [10, 20]]


def test_a_table_may_be_dated_by_nothing(bank):
    population = Population.from_database(bank, individual="loan", as_of="date", dates=["payment"])
    assert [paid(population, i) for i in range(3)] == [[10, 20, 30]] * 3


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"as_of": "dat"}, UnknownNameError, "did you mean 'date'"),
        ({"as_of": "status"}, DataError, "not a date"),
        ({"frozen_at": "soon"}, DataError, "takes a day such as 2010-01-01"),
        ({"dates": ["payment.day"]}, UsageError, "only with --as-of or --frozen-at"),
        ({"as_of": "date", "dates": ["payment.paid"]}, UnknownNameError, "unknown date of payment 'paid'"),
    ],
)
def test_a_date_that_is_none_is_refused(bank, options, error, words):
    with pytest.raises(error, match=words):
        Population.from_database(bank, individual="loan", **options)
