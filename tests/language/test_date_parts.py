"""Parts of dates and times (``born.month = 12``), from the text to the model, and where dates come from."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import UTC, date, datetime, timedelta

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from structtree.data.dates import DAY, moment_of, part_numbers
from structtree.data.population import Population
from structtree.data.readers.records.reading import from_records
from structtree.data.readers.sources import read_data
from structtree.data.schema import WEEKDAYS
from structtree.errors import DataError, GrammarError
from structtree.estimators import StructuralTreeClassifier
from structtree.lang import syntax as syn
from structtree.lang.check import check_predicate
from structtree.lang.grammar import Grammar
from structtree.lang.parse import parse_predicate
from structtree.lang.pretty import pretty
from structtree.learn.fit import fit
from structtree.models.files.models import model_from_json, model_to_json
from structtree.models.importance import importances
from structtree.models.settings import Growth
from structtree.report.explain import explain
from structtree.space.count import count_space
from structtree.space.evaluate import holds
from structtree.space.space import Space

START = datetime(2024, 1, 1, 5)
MOMENTS = [START + timedelta(hours=31 * i) for i in range(120)]
ORDERS = [{"seen": moment, "born": moment.date(), "order": {"paid": moment.date()}} for moment in MOMENTS]


def asked(text, population):
    return check_predicate(parse_predicate(text), population.schema.individual, population.schema)


# ---- what the parts are -----------------------------------------------------------------------------------


@given(st.datetimes())
def test_the_parts_are_those_that_python_knows(moment):
    seconds, days = np.array([moment_of(moment), np.nan]), np.array([moment_of(moment.date()) / DAY, np.nan])
    expected = {
        "weekday": moment.weekday(),
        "day": moment.day,
        "month": moment.month,
        "year": moment.year,
        "hour": moment.hour,
    }
    for part, number in expected.items():
        found = part_numbers(seconds, "time", part)
        assert found[0] == number and np.isnan(found[1])
        if part != "hour":
            assert part_numbers(days, "date", part)[0] == number


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("born.weekday = saturday", lambda m: m.weekday() == 5),
        ("born.weekday >= saturday", lambda m: m.weekday() >= 5),
        ("born.weekday in {monday, friday}", lambda m: m.weekday() in (0, 4)),
        ("born.month in [2, 4)", lambda m: m.month in (2, 3)),
        ("born.day <= 9 and born.year = 2024", lambda m: m.day <= 9),
        ("seen.hour >= 20", lambda m: m.hour >= 20),
        ("order.paid.month = 3", lambda m: m.month == 3),
        ("born.day = its order.paid.day", lambda m: True),
        ("born.day >= its born.month", lambda m: m.day >= m.month),
        ("missing born.month", lambda m: False),
        ("not (seen.hour <= 11)", lambda m: m.hour > 11),
    ],
)
def test_parts_are_asked_about_like_attributes(text, rule):
    population = from_records(ORDERS)
    test = asked(text, population)
    assert holds(test, population).tolist() == [rule(moment) for moment in MOMENTS]
    assert asked(pretty(test), population) == test
    assert "`" not in pretty(test)


def test_a_missing_date_has_no_parts():
    population = from_records([{"born": date(2024, 5, 1)}, {"born": None}])
    for text in ("born.month >= 1", "born.month <= 12", "born.weekday != monday"):
        assert holds(asked(text, population), population).tolist() == [True, False]
    assert holds(asked("missing born.month", population), population).tolist() == [False, True]


def test_parts_of_the_rows_behind_links_are_aggregated():
    rows = [{"paid": date(2024, 1, day), "amount": float(day)} for day in (1, 5, 8, 13)]
    population = from_records([{"payments": rows}], types={"payments": "set"})
    for text, expected in [
        ("distinct payments.paid.weekday >= 4", False),
        ("distinct payments.paid.weekday >= 3", True),
        ("max payments (paid.weekday >= saturday).paid.day >= 13", True),
        ("latest payments.paid.weekday by amount = saturday", True),
        ("latest payments.amount by paid.weekday >= 13", True),
        ("share payments (paid.weekday = monday) >= 0.5", True),
    ]:
        test = asked(text, population)
        assert holds(test, population).tolist() == [expected], text
        assert asked(pretty(test), population) == test


def test_parts_are_asked_about_in_derived_links_and_expressions():
    cars = [{"made": day, "load": i} for i, day in enumerate([date(2024, 1, 5), date(2024, 1, 9), date(2024, 3, 9)])]
    trains = from_records([{"cars": cars}], individual="Train")
    text = (
        "link peer: Car -> set of Car = ~cars.cars where made.month = my made.month and not me "
        "link other: Car -> set of Car = ~cars.cars where not me with gap = made.month - my made.month "
        "refine Train { top -> exists cars (top) } "
        "refine Car { top -> exists peer (top); top -> exists other (top); top -> load >= * } "
        "refine other { top -> gap >= *; top -> made.day >= * } limits { nesting 2 }"
    )
    space = Space.build(Grammar.parse(text), trains)
    made = space.population
    assert [made.table("Car").links["peer"].of(car).tolist() for car in range(3)] == [[1], [0], []]
    assert made.table("other").columns["gap"].values.tolist() == [0, 2, 0, 2, -2, -2]
    assert holds(space.parse("exists cars (exists other (made.day >= 9))"), made).all()


# ---- names ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "born.wekday = monday",
            "the date 'born' has no part 'wekday'; its parts are born.weekday, born.day, born.month, born.year "
            "(did you mean 'born.weekday'?)",
        ),
        ("born.hour >= 3", "the date 'born' has no part 'hour'"),
        ("born (top)", "'born' is a date, not a reference; write 'born.weekday = ...'"),
        ("born.weekday = samstag", "'samstag' is not a value of 'born.weekday'"),
        ("born.month = may", "'born.month' is int: expected a number, got 'may'"),
        ("born.month", "'born.month' is int, not bool; write 'born.month >= ...'"),
    ],
)
def test_what_is_no_part_is_refused_with_those_there_are(text, message):
    with pytest.raises(GrammarError) as refused:
        asked(text, from_records(ORDERS))
    assert message in str(refused.value)


def test_a_column_that_is_called_like_a_part_is_itself():
    population = Population.from_frame(pd.DataFrame({"born": [date(2024, 3, 1)] * 2, "born.month": ["May", "June"]}))
    for text in ("born.month = May", "`born.month` = May"):
        test = asked(text, population)
        assert test == syn.Compare("born.month", "=", "May") and not isinstance(test.attribute, syn.DatePart)
        assert pretty(test) == "`born.month` = May"
        assert holds(test, population).tolist() == [True, False]


def test_globs_do_not_stand_for_parts():
    population = from_records(ORDERS)
    grammar = Grammar.parse("refine Individual { top -> * >= *; top -> born.month >= * }").check(population.schema)
    assert [pretty(rewrite.right) for rewrite in grammar.rewrites["Individual"]] == [
        "seen >= *",
        "born >= *",
        "born.month >= *",
    ]


def test_parts_of_declared_dates_need_no_data():
    text = "type T = { born: date } individual T refine T { top -> born.weekday = *; top -> born.month >= 2..3 }"
    space = Space.build(Grammar.parse(text))
    assert count_space(space).size == 1 + 7 + 2
    assert "born.weekday = sunday" in space
    assert {pretty(p) for p in space.enumerate()} >= {"born.weekday = monday", "born.month >= 3"}


def test_a_date_that_is_left_out_takes_its_parts_along():
    population = from_records(ORDERS).without("born")
    grammar = Grammar.parse(
        "refine Individual { top -> born.month >= *; top -> seen.hour >= *; top -> born.day = its seen.day }"
    ).omitting({"born": "ignored"}, population.schema)
    assert [pretty(r.right) for r in grammar.check(population.schema).rewrites["Individual"]] == ["seen.hour >= *"]


# ---- trees ------------------------------------------------------------------------------------------------

RULES = {
    "born.weekday >= *": "born.weekday >= saturday",
    "born.weekday = *": "born.weekday = friday",
    "born.month >= *": "born.month >= 3",
    "born.day <= {7, 14, 21}": "born.day <= 14",
    "seen.hour >= *": "seen.hour >= 12",
    "order.paid.month >= *": "order.paid.month >= 4",
    "order (top)": "order.paid.month >= 4",
}


@pytest.mark.parametrize("rewrite", RULES)
@pytest.mark.parametrize("more", ["", "top -> top and top max 2;", "top -> order (top);"])
def test_a_rule_about_a_part_is_learned_on_every_route_and_asked_of_new_data(rewrite, more):
    population = from_records(ORDERS)
    labels = holds(asked(RULES[rewrite], population), population)
    grammar = Grammar.parse(
        f"refine Individual {{ {more} top -> {rewrite} }} refine Order {{ top -> paid.month >= * }}"
    )
    model = fit(population, labels, grammar, Growth(max_depth=2))
    assert (model.predict(population) == labels).all()
    again = model_from_json(model_to_json(model))
    assert [pretty(test) for test in again.tree.tests] == [pretty(test) for test in model.tree.tests]
    assert (again.predict(ORDERS) == labels).all()
    fresh = [
        {"seen": str(m), "born": str(m.date()), "order": {"paid": str(m.date())}}
        for m in (moment + timedelta(days=365) for moment in MOMENTS)
    ]
    expected = holds(asked(pretty(model.tree.tests[0]), population), from_records(fresh))
    assert (again.predict(fresh) == expected).all()


@pytest.mark.parametrize("missing", ["majority", "fractional"])
def test_individuals_without_a_date_follow_the_rule_for_missing_values(missing):
    rows = [{"born": moment.date()} for moment in MOMENTS]
    population = from_records([*rows, {"born": None}])
    labels = [*(moment.weekday() >= 5 for moment in MOMENTS), False]
    grammar = Grammar.parse("refine Individual { top -> born.weekday >= * }")
    model = fit(population, labels, grammar, Growth(missing=missing))
    assert model.predict(population).tolist() == labels


def test_a_part_is_computed_from_what_new_data_has_and_its_absence_is_told_by_the_name_of_the_date():
    population = from_records(ORDERS)
    labels = holds(asked("born.weekday >= saturday", population), population)
    model = fit(population, labels, Grammar.parse("refine Individual { top -> born.weekday >= * }"))
    assert model.predict([{"born": "2024-03-02"}, {"born": "2024-03-04 12:30"}]).tolist() == [True, False]
    with pytest.raises(DataError, match="needs the attribute 'born'"):
        model.predict([{"seen": "2024-03-02"}])
    assert importances(model) == {"born.weekday": 1.0}
    assert "born.weekday = saturday" in str(explain(model, [{"born": "2024-03-02"}], 0))


def test_estimators_learn_parts_of_the_columns_of_a_frame():
    frame = pd.DataFrame({"born": pd.to_datetime([moment.date() for moment in MOMENTS]), "n": range(len(MOMENTS))})
    labels = frame["born"].dt.day_of_week >= 5
    tree = StructuralTreeClassifier(grammar=Grammar.parse("refine Individual { top -> born.weekday >= * }"))
    tree.fit(frame, labels)
    assert (tree.predict(frame) == labels).all()


# ---- where dates come from --------------------------------------------------------------------------------

DATES = [date(2024, 3, 1), date(2023, 12, 31), None]
TIMES = [datetime(2024, 3, 1, 12, 30), datetime(2023, 12, 31), None]


def kinds(population):
    return [attribute.kind for attribute in population.schema.type(population.schema.individual).attributes]


def values(population, name):
    return [population.column(name).value(i) for i in range(len(population))]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_timestamps_of_pandas_are_times_and_at_midnight_dates(unit):
    frame = pd.DataFrame({"day": pd.to_datetime(DATES), "seen": pd.to_datetime(TIMES)}).astype(f"datetime64[{unit}]")
    population = Population.from_frame(frame)
    assert kinds(population) == ["date", "time"]
    assert values(population, "day") == DATES and values(population, "seen") == TIMES


def test_python_dates_and_timestamps_in_columns_of_objects():
    frame = pd.DataFrame(
        {
            "day": pd.Series(DATES, dtype=object),
            "seen": pd.Series(TIMES, dtype=object),
            "stamp": pd.Series([pd.Timestamp(t) if t else None for t in TIMES], dtype=object),
        }
    )
    population = Population.from_frame(frame)
    assert kinds(population) == ["date", "time", "time"]
    assert values(population, "stamp") == TIMES


@pytest.mark.parametrize("of_time", [pa.timestamp("s"), pa.timestamp("ms"), pa.timestamp("us"), pa.timestamp("ns")])
@pytest.mark.parametrize("of_day", [pa.date32(), pa.date64()])
def test_dates_of_parquet_files(of_time, of_day, tmp_path):
    table = pa.table({"day": pa.array(DATES, of_day), "seen": pa.array(TIMES, of_time)})
    pq.write_table(table, tmp_path / "visits.parquet")
    population = read_data(tmp_path / "visits.parquet")
    assert kinds(population) == ["date", "time"]
    assert values(population, "day") == DATES and values(population, "seen") == TIMES


def test_dates_with_a_zone_are_converted_to_utc(tmp_path):
    noon = [datetime(2024, 3, 1, 12, tzinfo=UTC)]
    table = pa.table({"seen": pa.array(noon, pa.timestamp("us", tz="Europe/Berlin"))})
    pq.write_table(table, tmp_path / "visits.parquet")
    with pytest.warns(UserWarning, match="UTC"):
        population = read_data(tmp_path / "visits.parquet")
    assert values(population, "seen") == [datetime(2024, 3, 1, 12)]


def test_dates_of_polars():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"day": DATES, "seen": TIMES})
    population = Population.from_frame(frame)
    assert kinds(population) == ["date", "time"]
    assert values(population, "day") == DATES and values(population, "seen") == TIMES


def test_python_values_and_numpy_values_in_records():
    rows = [
        {"day": d, "seen": t, "np": None if t is None else np.datetime64(t)}
        for d, t in zip(DATES, TIMES, strict=True)
    ]
    population = from_records(rows)
    assert kinds(population) == ["date", "time", "time"]
    assert values(population, "np") == TIMES


@pytest.mark.parametrize("text", ["31.12.2024", "31/12/2024", "31-12-2024", "1.2.2024"])
def test_the_day_comes_first_only_where_that_is_said(text, tmp_path):
    (tmp_path / "people.csv").write_text(f"born,n\n{text},1\n02.03.2024,2\n".replace("02.03.2024", text))
    assert kinds(read_data(tmp_path / "people.csv"))[0] == "nominal"
    population = read_data(tmp_path / "people.csv", types={"born": "date(day-first)"})
    assert kinds(population)[0] == "date"
    day, month = (int(each) for each in text.replace("/", ".").replace("-", ".").split(".")[:2])
    assert values(population, "born")[0] == date(2024, month, day)
    assert holds(asked(f"born.month = {month} and born.day = {day}", population), population).all()


def test_weekdays_are_ordered_from_monday():
    assert WEEKDAYS[0] == "monday" and WEEKDAYS[-1] == "sunday"


NO_DATES = {
    "days": (["2020-01-05", "0000-00-00"], "date(%Y-%m-%d)"),
    "times": (["2020-01-05 10:30:00", "0000-00-00 00:00:00"], "time(%Y-%m-%d %H:%M:%S)"),
    "fractions": (["2020-01-05 10:30:00.5", "0000-00-00 00:00:00.000"], "time(%Y-%m-%d %H:%M:%S.%f)"),
    "T": (["2020-01-05T10:30", "0000-00-00T00:00"], "time(%Y-%m-%dT%H:%M)"),
    "times and no day": (["2020-01-05 10:30:00", "0000-00-00"], "time(%Y-%m-%d %H:%M:%S)"),
}
"""Texts of which the second stands for no date, and the pattern of the first."""


@pytest.mark.parametrize("form", NO_DATES)
@pytest.mark.parametrize("kind", [None, "date", "time", "pattern"])
def test_a_date_of_zeros_is_missing_for_every_reader(tmp_path, form, kind):
    texts, pattern = NO_DATES[form]
    types = {} if kind is None else {"on": pattern if kind == "pattern" else kind}
    rows = [{"x": i, "on": text} for i, text in enumerate(texts)]
    files = {
        "a.csv": "x,on\n" + "".join(f"{row['x']},{row['on']}\n" for row in rows),
        "a.jsonl": "".join(json.dumps(row) + "\n" for row in rows),
        "a.pl": "".join(f"on(t{row['x']}, '{row['on']}').\n" for row in rows),
        "b/a.csv": "x,on\n" + "".join(f"{row['x']},{row['on']}\n" for row in rows),
        "b/c.csv": "z\n1\n",
    }
    (tmp_path / "b").mkdir()
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with closing(sqlite3.connect(tmp_path / "a.sqlite")) as connection:
        connection.execute('CREATE TABLE a(x, "on")')
        connection.executemany("INSERT INTO a VALUES (:x, :on)", rows)
        connection.commit()
    populations = [
        read_data(tmp_path / "a.csv", types=types),
        read_data(tmp_path / "a.jsonl", types=types),
        read_data(tmp_path / "a.pl", types=types, fact=["on(Thing, on)"], individual="Thing"),
        read_data(tmp_path / "b", types=types, individual="a"),
        read_data(tmp_path / "a.sqlite", types=types),
        Population.from_frame(pd.DataFrame(rows), types=types),
        Population.from_records(rows, types=types),
    ]
    for population in populations:
        column = population.column("on")
        assert column.kind in ("date", "time")
        assert column.missing.tolist() == [False, True]


def test_a_declared_date_of_zeros_is_missing_in_arff(tmp_path):
    path = tmp_path / "a.arff"
    path.write_text("@attribute on date 'yyyy-MM-dd HH:mm'\n@data\n'2020-01-05 10:30'\n'0000-00-00 00:00'\n")
    assert read_data(path).column("on").missing.tolist() == [False, True]
