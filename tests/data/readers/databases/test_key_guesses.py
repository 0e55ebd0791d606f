"""Guessed keys: which names and values suggest a key, and which do not."""

from __future__ import annotations

import pandas as pd
import pytest

from structtree import Population
from structtree.data.provenance import provenance_of
from structtree.data.readers.databases.key_guesses import guess_keys
from structtree.data.readers.databases.keys import Database, ForeignKey, SourceTable
from structtree.data.readers.sources import read_data
from structtree.data.readers.tables.reading import frame_sheet


def guessed(**tables):
    sources = {name: SourceTable(name, frame_sheet(pd.DataFrame(columns))) for name, columns in tables.items()}
    return guess_keys(Database("test", sources))


def foreign_keys(**tables):
    return [str(key) for key in guessed(**tables).foreign_keys]


CUSTOMERS = {"id": [4, 5, 6], "age": [30, 40, 50]}


@pytest.mark.parametrize(
    "column", ["customer_id", "customerId", "CustomerID", "customer", "customers_id", "paying_customer_id"]
)
def test_a_number_refers_to_the_table_it_is_named_after(column):
    assert foreign_keys(customers=CUSTOMERS, orders={"total": [1.5, 2.5], column: [5, 4]}) == [
        f"orders.{column}=customers.id"
    ]


@pytest.mark.parametrize("column", ["age", "amount", "id", "number"])
def test_inclusion_alone_does_not_make_a_number_a_key(column):
    assert foreign_keys(customers=CUSTOMERS, orders={"total": [1.5, 2.5], column: [5, 4]}) == []


def test_text_refers_to_keys_that_include_nearly_all_of_it():
    airports = {"faa": ["JFK", "LGA", "EWR", "DEN", "BOS"], "height": [13, 21, 18, 5431, 19]}
    flights = {"delay": [1.0, 2.0, 3.0, 4.0], "dest": ["JFK", "DEN", "BOS", "LGA"]}
    assert foreign_keys(airports=airports, flights=flights) == ["flights.dest=airports.faa"]
    flights["dest"] = ["JFK", "OSL", "ROM", "LGA"]
    assert foreign_keys(airports=airports, flights=flights) == []


def test_a_composite_key_is_the_smallest_unique_one():
    weather = {"origin": ["A", "A", "B", "B"], "day": [1, 2, 1, 2], "hour": [7, 7, 7, 8], "t": ["x", "y", "x", "y"]}
    flights = {"delay": [1.0, 2.5, 1.5], "origin": ["A", "B", "B"], "t": ["y", "x", "x"], "day": [2, 1, 1]}
    found = guessed(weather=weather, flights=flights)
    assert [str(key) for key in found.foreign_keys] in (
        [f"flights.origin,{by}=weather.origin,{by}"] for by in ("t", "day")
    )


def test_each_suffix_of_column_names_makes_a_separate_key():
    teams = {"yearID": [1, 1, 2, 2], "teamID": ["A", "B", "A", "B"], "wins": [3, 4, 5, 3]}
    finals = {"yearID": [1, 2], "teamIDwinner": ["A", "B"], "teamIDloser": ["B", "A"], "games": [4, 4]}
    assert sorted(foreign_keys(teams=teams, finals=finals)) == [
        "finals.yearID,teamIDloser=teams.yearID,teamID",
        "finals.yearID,teamIDwinner=teams.yearID,teamID",
    ]


def test_of_two_tables_with_the_same_key_one_refers_to_the_other():
    people = {"person_id": [1, 2, 3], "age": [3, 2, 1]}
    details = {"person_id": [1, 3], "note": ["x", "x"]}
    assert foreign_keys(details=details, people=people) == ["details.person_id=people.person_id"]


def test_a_table_refers_to_itself_if_a_name_suggests_it():
    staff = {"id": [1, 2, 3], "manager_id": [None, 1, 1], "age": [30, 20, 10]}
    assert foreign_keys(staff=staff) == ["staff.manager_id=staff.id"]


def test_a_column_that_is_unique_by_chance_remains_an_attribute():
    assert guessed(t={"weight": [3, 1, 2], "kind": ["a", "b", "a"]}).tables["t"].key == ()
    assert guessed(t={"kind": ["a", "b", "a"], "t_id": [3, 1, 2]}).tables["t"].key == ("t_id",)
    population = Population.from_database({"t": pd.DataFrame({"weight": [3, 1, 2]})})
    assert population.record(0) == {"weight": 3}


def test_nothing_is_guessed_between_tables_with_declared_keys():
    frames = {
        "a": {"a_id": [1, 2], "x": [1, 2]},
        "b": {"b_id": [1, 2], "a_id": [1, 2], "y": [1, 2]},
        "c": {"a_id": [1, 2, 2], "z": [1, 2, 2]},
    }
    sources = {name: SourceTable(name, frame_sheet(pd.DataFrame(columns))) for name, columns in frames.items()}
    declared = (ForeignKey("b", ("b_id",), "a", ("a_id",)),)
    found = guess_keys(Database("test", sources, declared))
    assert [str(key) for key in found.foreign_keys] == ["b.b_id=a.a_id", "c.a_id=a.a_id"]


def test_nothing_is_guessed_for_links_given_by_the_user():
    frames = {
        "customers": pd.DataFrame(CUSTOMERS),
        "others": pd.DataFrame({"nr": [4, 5], "x": [1, 2]}),
        "orders": pd.DataFrame({"total": [1.5, 2.5], "customer_id": [5, 4]}),
    }
    population = Population.from_database(frames, individual="orders", links=["orders.customer_id=others.nr"])
    links = provenance_of(population).relations.links
    assert [str(link.match.foreign_key) for link in links] == ["orders.customer_id=others.nr"]


# ---- real tables -----------------------------------------------------------------------------------------

LAHMAN = {
    "Batting.playerID=People.playerID",
    "Salaries.playerID=People.playerID",
    "CollegePlaying.schoolID=Schools.schoolID",
    "Teams.franchID=TeamsFranchises.franchID",
    "HomeGames.park.key=Parks.park.key",
    "Batting.yearID,teamID,lgID=Teams.yearID,teamID,lgID",
    "Managers.yearID,teamID,lgID=Teams.yearID,teamID,lgID",
    "SeriesPost.yearID,teamIDwinner=Teams.yearID,teamID",
}


def test_the_keys_of_baseball_are_found(shared_data):
    relations = provenance_of(read_data(shared_data("lahman"), individual="People")).relations
    found = {str(link.match.foreign_key): link.match for link in relations.links}
    assert found.keys() >= LAHMAN
    assert all(found[key].fit > 0.99 for key in LAHMAN)
    players = {key.split(".")[0] for key in found if key.endswith("=People.playerID")}
    assert len(players) == 19
    assert all(match.fit > 0.9 for match in found.values())


def test_the_keys_of_flights_are_found_with_their_dangling_rows(shared_data):
    with pytest.warns(UserWarning, match="converted to UTC"):
        population = read_data(shared_data("nycflights13"), individual="flights")
    relations = provenance_of(population).relations
    found = {str(link.match.foreign_key): link.match.n_dangling for link in relations.links}
    assert found == {
        "flights.carrier=airlines.carrier": 0,
        "flights.tailnum=planes.tailnum": 50094,
        "flights.origin=airports.faa": 0,
        "flights.dest=airports.faa": 7602,
        "flights.origin,time_hour=weather.origin,time_hour": 1556,
        "weather.origin=airports.faa": 0,
    }
    assert population.record(0, depth=1)["weather"]["temp"] == pytest.approx(39.02)
