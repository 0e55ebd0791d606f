"""As of a date, individuals see the past only: whatever the path, and nothing that is past is lost."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structtree.data.as_of import DAYS_BEFORE, as_of, frozen_at
from structtree.data.population import Adjacency, Column, int_column, linked_population, typed_table
from structtree.data.schema import Link
from structtree.errors import StructtreeError

NAMES = ("Loan", "Account", "Payment", "Item")


@st.composite
def populations(draw):
    """Small databases of four tables, each dated or not, with references and sets in all directions."""
    n_rows = {name: draw(st.integers(1, 4)) for name in NAMES}
    tables = []
    for name in NAMES:
        n = n_rows[name]
        columns = {"number": int_column(np.arange(n))}
        for attribute in draw(st.sampled_from([(), ("date",), ("date", "other")])) if name != "Loan" else ("date",):
            columns[attribute] = draw(dates(n, missing=name != "Loan"))
        links = {}
        for target in NAMES:
            kind = draw(st.sampled_from(["none", "none", "set", "optional", "one"]))
            if kind != "none":
                links[Link(f"to_{target.lower()}", kind, target)] = draw(adjacencies(kind, n, n_rows[target]))
        tables.append(typed_table(name, n, columns, links))
    return linked_population("Loan", tables)


@st.composite
def dates(draw, n, missing):
    days = [draw(st.one_of(st.none(), st.integers(0, 5)) if missing else st.integers(1, 5)) for _ in range(n)]
    if draw(st.booleans()):
        return Column("date", np.array([np.nan if day is None else day for day in days], dtype=np.float64))
    return Column("time", np.array([np.nan if day is None else day * 43_200 for day in days], dtype=np.float64))


@st.composite
def adjacencies(draw, kind, n, n_targets):
    one = st.lists(st.integers(0, n_targets - 1), min_size=1, max_size=1)
    some = {"one": one, "optional": st.one_of(st.just([]), one)}.get(
        kind, st.lists(st.integers(0, n_targets - 1), max_size=3, unique=True)
    )
    targets = [draw(some) for _ in range(n)]
    return Adjacency.from_lengths([len(each) for each in targets], [t for each in targets for t in each])


def moment(column, row):
    """The first second after which a value is past, and NaN where there is no value."""
    value = column.values[row]
    return (value + 1) * 86_400 if column.kind == "date" else value + 1e-6


def own_moment(population, row):
    column = population.tables["Loan"].columns["date"]
    return column.values[row] * (86_400 if column.kind == "date" else 1)


def past(population, dating, name, row, limit, individual, ways=()):
    """Whether a row is past for an individual: the earliest of its dates is, or all that it refers to is."""
    table = population.tables[name]
    columns = [table.columns[each] for each in dating[name].by] if name in dating else []
    moments = [moment(column, row) for column in columns]
    moments = [each for each in moments if not np.isnan(each)]
    if columns:
        return bool(moments) and min(moments) <= limit
    if (name, row) in ways:
        return True
    for link in population.schema.type(name).links:
        for target in table.links[link.name].of(row) if link.single else ():
            if link.target == "Loan" and target == individual:
                continue
            if not past(population, dating, link.target, int(target), limit, individual, (*ways, (name, row))):
                return False
    return True


def walks(population, name, row, allowed, depth):
    """Every walk along links from a row, as a nested list, through rows that are allowed."""
    found = []
    for link in population.schema.type(name).links:
        for target in population.tables[name].links[link.name].of(row) if depth else ():
            if allowed(link.target, int(target)):
                number = int(population.tables[link.target].columns["number"].values[target])
                inner = walks(population, link.target, int(target), allowed, depth - 1)
                found.append((link.name, number, sorted(inner)))
    return found


def claims(population):
    """Whether some row without a date belongs to two individuals at once, which hides it altogether."""
    return any(
        len([link for link in record.links if link.single]) > 1
        for record in population.schema.types
        if record.name != "Loan"
    )


@given(populations())
@settings(deadline=None)
def test_no_row_of_the_present_or_the_future_is_seen_along_any_path(population):
    seen = as_of(population, "date", nesting=3)
    for row in range(population.tables["Loan"].n_rows):
        limit = own_moment(population, row)

        def is_past(name, target, limit=limit, row=row):
            base = seen.origins[name]
            number = int(seen.population.tables[name].columns["number"].values[target])
            return past(population, seen.dating, base, number, limit, row)

        everything = walks(seen.population, "Loan", row, lambda name, target: True, 3)
        assert everything == walks(seen.population, "Loan", row, is_past, 3)


def turns_back(population, pairs, name, came_from, link):
    """Whether a reference leads every pair of a place back to the row that it was reached from."""
    back = population.tables[name].links[link.name]
    return link.single and link.target == came_from and all(back.of(row).tolist() == [s] for _, row, s in pairs)


def past_walks(population, dating, name, pairs, depth, came_from=None):
    """For each pair of an individual and a row, every walk through the past, but for those that turn back."""
    found = [[] for _ in pairs]
    for link in population.schema.type(name).links if depth else ():
        if turns_back(population, pairs, name, came_from, link):
            continue
        made, owners = [], []
        for place, (individual, row, _) in enumerate(pairs):
            limit = own_moment(population, individual)
            for target in map(int, population.tables[name].links[link.name].of(row)):
                if past(population, dating, link.target, target, limit, individual):
                    made.append((individual, target, row))
                    owners.append(place)
        further = past_walks(population, dating, link.target, made, depth - 1, name)
        for owner, (_, target, _), more in zip(owners, made, further, strict=True):
            found[owner].append((link.name, target, sorted(more)))
    return found


@given(populations().filter(lambda population: not claims(population)))
@settings(deadline=None)
def test_all_of_the_past_is_seen_but_for_the_way_back(population):
    seen = as_of(population, "date", nesting=3)
    everyone = [(row, row, None) for row in range(population.tables["Loan"].n_rows)]
    expected = past_walks(population, seen.dating, "Loan", everyone, 3)
    for row, theirs in enumerate(expected):
        assert sorted(walks(seen.population, "Loan", row, lambda name, target: True, 3)) == sorted(theirs)


@given(populations(), st.integers(0, 3))
@settings(deadline=None)
def test_a_lead_is_an_earlier_date(population, lead):
    loan = population.tables["Loan"]
    own = loan.columns["date"]
    days = Column(own.kind, own.values - lead * (1 if own.kind == "date" else 86_400))
    earlier = replace(loan, columns={**loan.columns, "date": days})
    # Loans are dated too, so that only the date that counts may be another one.
    made, expected = (
        as_of(each, "date", lead=some, dates={"Loan": None}, nesting=2).population
        for each, some in (
            (population, lead),
            (replace(population, tables={**population.tables, "Loan": earlier}), 0),
        )
    )
    for row in range(loan.n_rows):
        everything = [walks(each, "Loan", row, lambda name, target: True, 2) for each in (made, expected)]
        assert everything[0] == everything[1]


@given(populations())
@settings(deadline=None)
def test_no_date_of_the_future_is_seen_though_other_dates_count(population):
    dated = {name: "date" for name in NAMES[1:] if "date" in population.tables[name].columns}
    seen = as_of(population, "date", dates=dated, nesting=2).population
    for name in seen.schema.names:
        for attribute, column in seen.tables[name].columns.items():
            if attribute.startswith(DAYS_BEFORE):
                assert not (column.values <= 0.0).any()


def test_each_of_several_dates_has_its_own_days_before():
    dates = {"opened": Column("date", np.array([3.0, 4.0])), "closed": Column("date", np.array([8.0, 20.0]))}
    link = {Link("accounts", "set", "Account"): Adjacency.from_lengths([2], [0, 1])}
    loan = typed_table(
        "Loan", 1, {"date": Column("date", np.array([10.0])), "due": Column("date", np.array([9.0]))}, link
    )
    population = linked_population("Loan", [loan, typed_table("Account", 2, dates)])
    found = as_of(population, "date", dates={"Account": "opened"}, set_once={"Account": ["closed"]})
    columns = found.population.tables["Account"].columns
    assert columns[DAYS_BEFORE].values.tolist() == columns["days_before_opened"].values.tolist() == [7.0, 6.0]
    assert columns["days_before_closed"].values[0] == 2.0 and np.isnan(columns["closed"].values[1])
    assert found.population.column("days_before_due").values.tolist() == [1.0]
    assert found.absolute == {("Loan", "date"), ("Loan", "due"), ("Account", "opened"), ("Account", "closed")}


def test_days_before_say_how_recent_a_row_is():
    payment = typed_table(
        "Payment", 3, {"on": Column("date", np.array([3.0, 8.0, 20.0])), "n": int_column([1, 2, 3])}
    )
    link = {Link("payments", "set", "Payment"): Adjacency.from_lengths([3], [0, 1, 2])}
    loan = typed_table("Loan", 1, {"date": Column("date", np.array([10.0]))}, link)
    made = as_of(linked_population("Loan", [loan, payment]), "date").population
    assert made.tables["Payment"].columns[DAYS_BEFORE].values.tolist() == [7.0, 2.0]


def test_what_belongs_to_the_individual_is_seen_whatever_its_date():
    items = {Link("loan", "one", "Loan"): Adjacency.single([0, 0, 1])}
    back = {Link("items", "set", "Item"): Adjacency.from_lengths([2, 1], [0, 1, 2])}
    product = {Link("loans", "set", "Loan"): Adjacency.from_lengths([2], [0, 1])}
    loan = typed_table("Loan", 2, {"date": Column("date", np.array([10.0, 20.0]))}, back)
    tables = [loan, typed_table("Item", 3, {"n": int_column([1, 2, 3])}, items), typed_table("Shop", 1, {}, product)]
    made = as_of(linked_population("Loan", tables), "date").population
    assert [len(made.record(i)["items"]) for i in range(2)] == [2, 1]


def test_too_many_rows_are_left_out_with_a_note():
    payment = typed_table("Payment", 50, {"on": Column("date", np.zeros(50))})
    link = {Link("payments", "set", "Payment"): Adjacency.from_lengths([50], np.arange(50))}
    loan = typed_table("Loan", 1, {"date": Column("date", np.array([10.0]))}, link)
    found = as_of(linked_population("Loan", [loan, payment]), "date", most_rows=20)
    assert found.population.schema.type("Loan").links == ()
    assert found.notes == ("skipped link: payments (more than 20 rows in total)",)


def test_a_frozen_population_has_nothing_later_than_its_day():
    payment = typed_table("Payment", 3, {"on": Column("date", np.array([3.0, 8.0, 9.0])), "n": int_column([1, 2, 3])})
    link = {Link("payments", "set", "Payment"): Adjacency.from_lengths([3], [0, 1, 2])}
    population = linked_population("Loan", [typed_table("Loan", 1, {}, link), payment])
    assert [each["n"] for each in frozen_at(population, 8.0).population.record(0)["payments"]] == [1, 2]


@pytest.mark.parametrize("date", ["day", "number", "to_account.date"])
def test_a_date_that_is_none_is_refused(date):
    loan = typed_table("Loan", 1, {"date": Column("date", np.array([10.0])), "number": int_column([3])})
    with pytest.raises(StructtreeError, match=date.split(".")[0]):
        as_of(linked_population("Loan", [loan]), date)
