"""Databases as of a date: no path reaches later rows, or the label of another individual."""

from __future__ import annotations

import sqlite3

import pytest

from structtree import Population, default_grammar, open_data
from structtree.data.provenance import provenance_of
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


def test_the_labels_of_other_individuals_are_hidden(bank):
    population = open_data(bank, individual="loan", target="status", as_of="date").population
    members = {name: set(population.schema.type(name).members) for name in population.schema.names}
    assert not any("status" in names for names in members.values())


def test_rows_after_a_given_day_are_hidden(bank):
    frozen = Population.from_database(bank, individual="loan", frozen_at="2020-12-31")
    assert [paid(frozen, i) for i in range(3)] == [[10, 20]] * 3
    both = Population.from_database(bank, individual="loan", as_of="date", frozen_at="2020-12-31")
    assert [paid(both, i) for i in range(3)] == [[10], [10, 20], [10, 20]]


def test_individuals_dated_after_a_day_are_excluded_and_reported(bank):
    for own in ({}, {"as_of": "date"}):
        opened = open_data(bank, individual="loan", target="status", exclude_after="2021-01-01", **own)
        assert opened.target.tolist() == ["good", "bad"]
        assert opened.provenance.left_out == {2: "it is not dated 2021-01-01 or before"}
        assert "skipped 1 of 3 individuals" in " ".join(opened.provenance.relations.iter_notes())
        assert [paid(opened.population, i) for i in range(2)] == ([[10], [10, 20]] if own else [[10, 20]] * 2)


def test_a_table_can_have_no_dates(bank):
    population = Population.from_database(bank, individual="loan", as_of="date", dates=["payment"])
    assert [paid(population, i) for i in range(3)] == [[10, 20, 30]] * 3


def test_a_lead_hides_rows_shortly_before_the_date(bank):
    population = Population.from_database(bank, individual="loan", as_of="date", lead=240)
    assert [paid(population, i) for i in range(3)] == [[], [10], [10, 20]]
    assert population.record(1, depth=2)["account"]["payment"][0]["days_before"] == 366 - 240


def test_dates_become_ages(bank):
    connection = sqlite3.connect(bank)
    connection.execute("ALTER TABLE payment ADD COLUMN year INTEGER")
    connection.execute("UPDATE payment SET year = strftime('%Y', day)")
    connection.commit()
    population = open_data(bank, individual="loan", target="status", as_of="date").population
    grammar = default_grammar(population)
    assert "days_before >= *" in grammar.text and "paid >= *" in grammar.text
    assert not any(f"{name} >= *" in grammar.text for name in ("top -> date", "top -> day", "year"))
    assert "tested by elapsed time instead of date: date, payment.day, payment.year" in "; ".join(grammar.notes)


def test_recent_rows_are_averaged_and_counted(bank):
    connection = sqlite3.connect(bank)
    connection.executemany(
        "INSERT INTO payment VALUES (1, ?, ?)", [(i, f"2019-{1 + i % 12:02}-01") for i in range(99)]
    )
    connection.commit()
    population = open_data(bank, individual="loan", target="status", as_of="date").population
    text = default_grammar(population).text
    assert "top -> mean payment (days_before <= 365).paid >= *" in text
    assert "top -> count payment (days_before <= 365) >= *" in text


def test_identifiers_are_skipped_although_many_individuals_see_each_row(bank):
    connection = sqlite3.connect(bank)
    connection.executemany("INSERT INTO account VALUES (?, ?)", [(i, f"town {i}") for i in range(2, 50)])
    connection.executemany(
        "INSERT INTO loan VALUES (?, ?, '2022-01-01', 'bad')", [(100 + i, i // 4 + 1) for i in range(190)]
    )
    connection.commit()
    population = open_data(bank, individual="loan", target="status", as_of="date").population
    assert "skipped: account.town" in default_grammar(population).notes[0]


def test_another_table_of_labels_is_reported(bank):
    connection = sqlite3.connect(bank)
    connection.execute("CREATE TABLE repaid(id INTEGER PRIMARY KEY, account_id INTEGER, date DATE, in_full INTEGER)")
    connection.commit()
    population = Population.from_database(bank, individual="loan", as_of="date")
    assert "repaid differs from loan only in in_full; if" in provenance_of(population).relations.remarks[0]
    less = Population.from_database(bank, individual="loan", as_of="date", exclude=["repaid"])
    assert not any("repaid" in each for each in provenance_of(less).relations.remarks)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"as_of": "dat"}, UnknownNameError, "did you mean 'date'"),
        ({"as_of": "status"}, DataError, "not a date"),
        ({"lead": 3}, UsageError, "requires the date of the individuals: as_of"),
        ({"as_of": "date", "lead": -1}, UsageError, "must be a number of days >= 0; got -1"),
        ({"as_of": "id", "types": {"loan.id": "int"}}, DataError, "types={'loan.id': 'date'}"),
        ({"frozen_at": "soon"}, DataError, "takes a day such as 2010-01-01"),
        ({"exclude_after": "2020-01-01 12:00"}, DataError, "exclude_after takes a day such as 2010-01-01"),
        ({"exclude_after": "2019-01-01"}, DataError, "no loan is dated 2019-01-01 or before"),
        ({"exclude_after": "2019-01-01", "individual": "account"}, DataError, "account has no date column"),
        ({"exclude_after": "2019-01-01", "frozen_at": "2019-01-01"}, UsageError, "mutually exclusive"),
        ({"dates": ["payment.day"]}, UsageError, "requires as_of, frozen_at or exclude_after"),
        ({"as_of": "date", "lead": 10**400}, UsageError, "lead must be at most 3,652,059 days"),
        ({"as_of": "date", "dates": ["payment.paid"]}, UnknownNameError, "unknown date of payment 'paid'"),
    ],
)
def test_invalid_time_limits_are_rejected(bank, options, error, words):
    with pytest.raises(error, match=words):
        Population.from_database(bank, **{"individual": "loan", **options})
