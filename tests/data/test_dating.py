"""Dates of rows: since when rows exist, and which columns tell what happened after a cutoff."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from random import Random

import numpy as np
import pytest

from structtree import Growth, Population, fit, open_data
from structtree.data.as_of import as_of, frozen_at
from structtree.data.dating import dating_of
from structtree.data.population import Adjacency, Column, int_column, linked_population, typed_table
from structtree.data.provenance import provenance_of
from structtree.data.schema import Link
from structtree.errors import UnknownNameError, UsageError
from structtree.remarks import spelled
from tests.data.test_future import iso

N = 40


def dates(values):
    return Column("date", np.array([np.nan if day is None else day for day in values], dtype=np.float64))


def nominal(values):
    categories = tuple(sorted({each for each in values if each is not None}))
    codes = [-1 if each is None else categories.index(each) for each in values]
    return Column("nominal", np.array(codes, dtype=np.int32), categories)


def people(**columns):
    """Tasks of day 50, each about a person who joined on day i of the first N."""
    columns = {"joined": dates(range(N)), **columns}
    link = {Link("person", "one", "Person"): Adjacency.single(np.arange(N))}
    task = typed_table("Task", N, {"day": dates([50] * N)}, link)
    return linked_population("Task", [task, typed_table("Person", N, columns)])


SPARSE = [60 if i % 5 == 0 else 45 if i % 7 == 0 else None for i in range(N)]


def attributes(found):
    return [each.name for each in found.population.schema.type("Person").attributes]


def test_a_row_exists_from_the_earliest_of_its_dates():
    found = as_of(people(born=dates([-9000 - i for i in range(N)])), "day")
    assert found.dating["Person"].by == ("born",)
    assert found.population.tables["Person"].columns["days_before"].values[0] == 9050


def test_a_row_exists_though_it_is_updated_after_the_cutoff():
    found = as_of(people(seen=dates([40 + i for i in range(N)])), "day")
    assert [found.population.record(i)["person"] is not None for i in range(N)] == [True] * N
    keep = "if it never changes, keep it with set_once=['Person.seen']"
    assert f"skipped Person.seen (it may be updated); {keep}" in map(spelled, found.notes)
    assert attributes(found) == ["joined", "days_before", "days_before_joined"]


def test_a_date_that_is_not_later_than_that_of_its_row_is_kept():
    found = as_of(people(born=dates([-9000 - i for i in range(N)])), "day", dates={"Person": "joined"})
    assert "days_before_born" in attributes(found) and found.dating["Person"].skipped == {}


def test_a_few_errors_do_not_make_a_date_an_update():
    born = [-9000 - i for i in range(400)]
    born[3] = 399
    joined = dates(np.arange(400) / 10)
    table = typed_table("Person", 400, {"joined": joined, "born": dates(born)})
    assert dating_of(linked_population("Person", [table]), 500.0, {"Person": "joined"})["Person"].skipped == {}


def test_a_date_that_few_rows_have_is_as_if_never_set_while_it_lies_in_the_future():
    never = [None if day == 60 else day for day in SPARSE]
    late, unset = (as_of(people(closed=dates(each)), "day").population for each in (SPARSE, never))
    assert [late.record(i) for i in range(N)] == [unset.record(i) for i in range(N)]
    assert late.record(7)["person"]["days_before_closed"] == 5


def test_what_is_set_together_with_a_date_is_hidden_with_it_and_what_tells_whether_it_is_set_is_skipped():
    reason = nominal([None if day is None else "ab"[i % 2] for i, day in enumerate(SPARSE)])
    status = nominal(["open" if day is None else "closed" for day in SPARSE])
    colour = nominal(["rg"[i % 2] for i in range(N)])
    found = as_of(people(closed=dates(SPARSE), reason=reason, status=status, colour=colour), "day")
    seen = found.population.tables["Person"].columns["reason"].missing
    assert seen.tolist() == [day != 45 for day in SPARSE]
    assert "colour" in attributes(found) and "status" not in attributes(found)
    assert "skipped Person.status (it shows whether closed is set)" in found.notes


def test_a_date_that_would_be_missing_only_because_of_the_cutoff_is_skipped():
    """Few are later than that of their row, but nothing else makes them missing."""
    changed = list(range(400))
    changed[3] = 900
    table = typed_table("Person", 400, {"joined": dates(range(400)), "changed": dates(changed)})
    link = {Link("person", "one", "Person"): Adjacency.single(np.arange(400))}
    task = typed_table("Task", 400, {"day": dates([500] * 400)}, link)
    found = as_of(linked_population("Task", [task, table]), "day")
    assert found.dating["Person"].skipped == {"changed": "it would be missing only because of the cutoff"}


def test_a_date_that_is_declared_set_once_is_kept_and_hidden_while_it_lies_in_the_future():
    found = as_of(people(seen=dates([40 + i for i in range(N)])), "day", set_once={"Person": ["seen"]})
    days = found.population.tables["Person"].columns["days_before_seen"].values
    assert days[:10].tolist() == list(range(10, 0, -1)) and np.isnan(days[10:]).all()


def test_years_are_hidden_with_their_date():
    closed = dates([None if day is None else day * 400 for day in SPARSE])
    years = [np.nan if day is None else 1970 + int(day * 400 // 365.25) for day in SPARSE]
    population = people(closed=closed, year=Column("int", np.array(years)))
    found = as_of(population, "day").population.tables["Person"].columns
    assert found["closed"].missing.all() and found["year"].missing.all()


def test_individuals_without_a_date_see_no_dates():
    population = people(closed=dates(SPARSE))
    task = population.tables["Task"]
    blank = dates([None] * N)
    population = population.with_table(
        "Task",
        typed_table(
            "Task",
            N,
            {"day": blank, "due": dates(range(N))},
            {population.schema.type("Task").links[0]: task.links["person"]},
        ),
    )
    found = as_of(population, "day").population
    assert not found.schema.type("Task").attribute("due") and found.record(0).get("person") is None


def test_the_label_of_the_individuals_is_kept_whatever_it_tells():
    """Whether an account is closed is what is to be predicted: among its own attributes only dates are skipped."""
    status = nominal(["open" if day is None else "closed" for day in SPARSE])
    account = typed_table("Account", N, {"opened": dates(range(N)), "closed": dates(SPARSE), "status": status})
    for found in (
        as_of(linked_population("Account", [account]), "opened"),
        frozen_at(linked_population("Account", [account]), 50),
    ):
        assert found.population.schema.type("Account").attribute("status") is not None


def test_frozen_populations_have_no_dates_after_their_day():
    found = frozen_at(people(closed=dates(SPARSE), seen=dates([40 + i for i in range(N)])), 50)
    columns = found.population.tables["Person"].columns
    assert np.nanmax(columns["closed"].values) == 45 and "seen" not in columns


def test_what_was_hidden_is_counted_for_each_individual():
    visit = typed_table("Visit", 3, {"at": dates([10, 60, 70]), "n": int_column([1, 2, 3])})
    links = {Link("visits", "set", "Visit"): Adjacency.from_lengths([2, 1], [0, 1, 2])}
    task = typed_table("Task", 2, {"day": dates([50, 50])}, links)
    found = as_of(linked_population("Task", [task, visit]), "day")
    assert {path: n.tolist() for path, n in found.hidden.items()} == {"visits": [1, 1]}
    assert found.rows["Visit"].tolist() == [True, False, False]


def test_whether_a_link_is_followed_does_not_depend_on_hidden_rows():
    visit = typed_table("Visit", 50, {"at": dates([10] * 5 + [60] * 45)})
    links = {Link("visits", "set", "Visit"): Adjacency.from_lengths([50], np.arange(50))}
    task = typed_table("Task", 1, {"day": dates([50])}, links)
    found = as_of(linked_population("Task", [task, visit]), "day", most_rows=5)
    assert len(found.population.record(0)["visits"]) == 5


def test_names_of_dates_are_checked():
    with pytest.raises(UnknownNameError, match="did you mean 'joined'"):
        dating_of(people(), 50.0, set_once={"Person": ["joind"]})


@pytest.fixture
def users(tmp_path):
    """Users with their visits; active are those who come back, whose `last_seen` is then overwritten."""
    random, path = Random(5), tmp_path / "users.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            """
            CREATE TABLE user(id INTEGER PRIMARY KEY, created DATE, last_seen DATE);
            CREATE TABLE visit(user_id INTEGER REFERENCES user(id), day DATE, pages INTEGER);
            CREATE TABLE task(id INTEGER PRIMARY KEY, user_id INTEGER REFERENCES user(id), day DATE, active TEXT);
            """
        )
        for i in range(200):
            created, back = random.randrange(100), random.random() < 0.4
            days = sorted(created + random.randrange(200) for _ in range(random.randrange(4)))
            days += [created + 200 + random.randrange(90)] if back else []
            user = (i, iso(created), iso(max(days, default=created)))
            connection.execute("INSERT INTO user VALUES (?, ?, ?)", user)
            visits = [(i, iso(day), random.randrange(9)) for day in days]
            connection.executemany("INSERT INTO visit VALUES (?, ?, ?)", visits)
            task = (i, i, iso(created + 200), "yes" if back else "no")
            connection.execute("INSERT INTO task VALUES (?, ?, ?, ?)", task)
        connection.commit()
    return path


@pytest.mark.parametrize("dates", [[], ["user.created"]], ids=["default", "created"])
def test_who_comes_back_cannot_be_told_from_what_was_overwritten(users, dates):
    opened = open_data(users, individual="task", target="active", as_of="day", dates=dates)
    assert all(opened.population.record(i)["user"] is not None for i in range(200))
    model = fit(opened.population, opened.target, growth=Growth(max_depth=3, max_evaluations=10_000))
    assert "last_seen" not in str(model.tree) and "missing" not in str(model.tree)
    accuracy = (model.predict(opened.population) == opened.target).mean()
    assert accuracy < 0.8  # the cheat knows everybody


def test_a_model_dates_new_data_as_its_own(users):
    opened = open_data(users, individual="task", target="active", as_of="day")
    layout = fit(opened.population, opened.target, growth=Growth(max_depth=1, max_evaluations=100)).layout
    again = Population.from_database(users, individual="task", as_of="day", layout=layout)
    assert provenance_of(again).relations.time.dating == layout.dating
    with pytest.raises(UsageError, match="learned with user dated by created; predict without dates=\\['user'\\]"):
        Population.from_database(users, individual="task", as_of="day", layout=layout, dates=["user.last_seen"])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"set_once": ["user.last_seen"]}, "set_once requires as_of"),
        ({"as_of": "day", "set_once": ["user"]}, "set_once takes TABLE.COLUMN; got the table user"),
    ],
)
def test_options_that_would_do_nothing_are_refused(users, options, words):
    with pytest.raises(UsageError, match=words):
        Population.from_database(users, individual="task", **options)
