"""Dates, times, ordered categories and Python sets, from the data to a saved model and back, on every route."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from structtree import Grammar, Population, StructuralTreeClassifier, explain, fit, load_model, pretty, save_model
from structtree.data.dates import between, moment_of, moment_text
from structtree.data.readers.records.reading import from_records, read_jsonl
from structtree.data.readers.sources import read_data
from structtree.data.schema import Attribute
from structtree.errors import DataError, GrammarError
from structtree.lang.default import default_grammar
from structtree.lang.parse import parse_predicate
from tests.cli.test_commands import succeed
from tests.data.sameness import same_population

DAYS = [datetime.date(1980, 1, 1) + datetime.timedelta(days=97 * i) for i in range(60)]
MOMENTS = [datetime.datetime(2024, 3, 1, 6) + datetime.timedelta(minutes=7 * i) for i in range(60)]
SIZES = ["low", "medium", "high"]
TARGETS = {
    "born": [day >= datetime.date(1988, 5, 1) for day in DAYS],
    "seen": [moment >= datetime.datetime(2024, 3, 1, 9, 5) for moment in MOMENTS],
    "size": [i % 3 > 0 for i in range(60)],
}


def people(*, sets: bool = False) -> Population:
    rows = [{"born": DAYS[i], "seen": MOMENTS[i], "size": SIZES[i % 3]} for i in range(60)]
    records = [{"visits": [row]} for row in rows] if sets else rows
    return from_records(records, types={"size": "low<medium<high"} | ({"visits": "set"} if sets else {}))


# ---- thresholds -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("low", "high", "at_least", "at_most"),
    [
        ("1990-01-20", "1990-04-03", "1990-03-01", "1990-02-28"),
        ("1989-06-20", "1990-08-03", "1990-01-01", "1989-12-31"),
        ("1990-03-04", "1990-03-05", "1990-03-05", "1990-03-04"),
        ("1990-03-04", "1990-03-09", "1990-03-07", "1990-03-06"),
        ("2024-03-01 06:00", "2024-03-01 18:30", "2024-03-01 12:00", "2024-03-01 12:00"),
        ("2024-03-01 06:00:01", "2024-03-01 06:00:02", "2024-03-01 06:00:01.500", "2024-03-01 06:00:01.500"),
    ],
)
def test_a_threshold_is_a_date_that_people_would_write(low, high, at_least, at_most):
    kind = "time" if ":" in low else "date"
    ends = np.array([moment_of(low), moment_of(high)]) / (1 if kind == "time" else 86_400)
    found = [moment_text(between(ends[:1], ends[1:], kind, op)[0], kind) for op in (">=", "<=")]
    assert found == [at_least, at_most]


@given(
    st.sampled_from(["date", "time"]), st.lists(st.integers(-700_000, 2_900_000), min_size=2, max_size=9, unique=True)
)
def test_a_threshold_separates_its_neighbours_and_has_a_text_of_its_own(kind, numbers):
    values = np.sort(np.array(numbers, dtype=np.float64)) / (1 if kind == "date" else 1e6)
    low, high = values[:-1], values[1:]
    above, below = (between(low, high, kind, op) for op in (">=", "<="))
    assert ((low < above) & (above <= high)).all() and ((low <= below) & (below < high)).all()
    for number in (*above.tolist(), *below.tolist()):
        text = moment_text(number, kind)
        assert float(parse_predicate(f"x >= {text}").value) == number


# ---- every route ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", ["*", "quantiles(60)", "bins(200)"])
@pytest.mark.parametrize("name", TARGETS)
def test_every_route_finds_the_threshold(name, source):
    labels = np.array(TARGETS[name])
    for sets, right in ((False, f"{name} >= {source}"), (True, f"exists visits ({name} >= {source})")):
        population = people(sets=sets)
        grammar = Grammar.parse(f"refine Individual {{ top -> {right} }}")
        tree = fit(population, labels, grammar).tree
        assert len(tree.tests) == 1, (pretty(tree.tests[0]), right)


@pytest.mark.parametrize("name", TARGETS)
def test_the_default_grammar_asks_for_thresholds_and_a_model_keeps_them(tmp_path, name):
    population, labels = people(), np.array(TARGETS[name])
    assert f"top -> {name} >= *" in default_grammar(population).text
    model = fit(population, labels)
    save_model(model, tmp_path / "m.json")
    again = load_model(tmp_path / "m.json")
    assert again.tree.tests == model.tree.tests and again.tree.schema == model.tree.schema
    assert pretty(again.tree.tests[0]) in (tmp_path / "m.json").read_text().replace('\\"', '"')
    assert explain(again.tree, population, 0).reasons[0].test == pretty(model.tree.tests[0])


def test_aggregates_of_dates_are_dates():
    population, labels = people(sets=True), np.array(TARGETS["born"])
    grammar = Grammar.parse("refine Individual { top -> max visits.born >= * }")
    tree = fit(population, labels, grammar).tree
    assert len(tree.tests) == 1 and pretty(tree.tests[0]).startswith("max visits.born >= 1988-")
    with pytest.raises(GrammarError, match="'born' is date; 'mean' needs numbers"):
        fit(population, labels, Grammar.parse("refine Individual { top -> mean visits.born >= * }"))


# ---- what is refused ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("test", "message"),
    [
        ("born >= 5", "'born' is a date: expected a value such as 2024-12-31, got '5'"),
        ("born >= 2024-03-01 12:30", "'born' is a date: expected a value such as 2024-12-31, got '2024-03-01 12:30'"),
        ("born >= 2024-02-30", "invalid date '2024-02-30'"),
        ('born >= "2024-02-20"', "'born' is a date: expected a value such as 2024-12-31, got '2024-02-20'"),
        ("seen >= noon", "'seen' is a time: expected a value such as 2024-12-31 12:30, got 'noon'"),
        ("size >= huge", "'huge' is not a value of 'size'"),
        (
            "size in bins(3)",
            "'size in bins(3)' does not apply to 'size', which is ordered; write 'size >= *' or 'size = *'",
        ),
        ("born in [2024-01-02, 2024-01-01]", "the interval of 'born in [2024-01-02, 2024-01-01]' is empty"),
        ("born in *", "'born in *' does not apply to 'born', which is date"),
    ],
)
def test_a_test_that_does_not_fit_its_kind_is_refused(test, message):
    with pytest.raises(GrammarError) as caught:
        Grammar.parse(f"refine Individual {{ top -> {test} }}").check(people().schema)
    assert message in str(caught.value)


def test_a_date_is_no_target_and_the_way_out_is_said():
    advice = "types={'born': 'real'}"
    with pytest.raises(DataError, match=rf"the target 'born' is a date; expected classes or numbers; .*{advice}"):
        people().split_target("born")


def test_declared_kinds_are_those_of_the_data():
    declared = "type Individual = { born: date, seen: time, size: low < medium < high }"
    grammar = Grammar.parse(f"{declared} refine Individual {{ top -> * >= * }}")
    assert len(grammar.check(people().schema).rewrites["Individual"]) == 3
    other = Grammar.parse(declared.replace("low < medium", "medium < low") + "refine Individual { top -> size >= * }")
    with pytest.raises(
        GrammarError, match=r"'Individual\.size' in the order low < medium < high, not medium < low < high"
    ):
        other.check(people().schema)


# ---- new data -------------------------------------------------------------------------------------------


def test_new_data_is_read_in_the_kinds_of_training():
    frame = pd.DataFrame(
        {"born": DAYS, "size": pd.Categorical([SIZES[i % 3] for i in range(60)], SIZES, ordered=True)}
    )
    wanted = [a and b for a, b in zip(TARGETS["born"], TARGETS["size"], strict=True)]
    learned = StructuralTreeClassifier().fit(frame, wanted)
    forms = {
        "text": frame.assign(born=[day.isoformat() for day in DAYS]),
        "times": frame.assign(born=pd.to_datetime(DAYS) + pd.to_timedelta("5h")),
        "categories in another order": frame.assign(size=pd.Categorical(frame["size"], ["high", "low", "medium"])),
        "words": frame.assign(size=frame["size"].astype(str)),
    }
    for name, form in forms.items():
        assert learned.predict(form).tolist() == wanted, name
    with pytest.raises(DataError, match=r"Row.size was ordered in training: unknown category 'huge'"):
        learned.predict(frame.assign(size="huge"))


@pytest.mark.parametrize("how", ["csv", "jsonl"])
def test_files_bring_the_kinds_back(tmp_path, how):
    population = people()
    path = tmp_path / f"a.{how}"
    records = [population.record(i) for i in range(len(population))]
    pd.DataFrame(records).to_csv(tmp_path / "a.csv", index=False)
    if how == "jsonl":
        succeed("data", "convert", tmp_path / "a.csv", path, "--type", "size=low<medium<high")
    types = {"size": "low<medium<high"} if how == "csv" else None
    found = read_data(path, types=types, individual=None if how == "jsonl" else "Individual")
    attributes = found.schema.type(found.schema.individual).attributes
    assert attributes == (
        Attribute("born", "date"),
        Attribute("seen", "time"),
        Attribute("size", "ordered", tuple(SIZES)),
    )
    assert [found.record(i) for i in range(len(found))] == records


def test_json_lines_have_dates_as_text_and_come_back(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"born": "1990-05-01"}\n{"born": null}\n{"born": "1991-01-01"}\n')
    population = read_jsonl(tmp_path / "a.jsonl")
    assert population.record(0) == {"born": datetime.date(1990, 5, 1)} and population.record(1) == {}


# ---- sets -----------------------------------------------------------------------------------------------


class Pair(dict):
    """A record that may be in a set."""

    def __hash__(self) -> int:
        return hash(frozenset(self.items()))


@pytest.mark.parametrize(
    ("elements", "listed"),
    [
        ({"b", "a", "c"}, ["a", "b", "c"]),
        (frozenset({3, 1, 2}), [1, 2, 3]),
        ({Pair(x=2, y="b"), Pair(x=1, y="c")}, [{"x": 1, "y": "c"}, {"x": 2, "y": "b"}]),
        (set(), []),
    ],
)
def test_a_python_set_is_a_set_in_an_order_that_does_not_depend_on_hashes(elements, listed):
    records = [{"parts": elements}, {"parts": None}]
    population = from_records(records)
    assert population.schema.type("Individual").link("parts").kind == "set"
    assert same_population(population, from_records([{"parts": listed}, {"parts": None}], types={"parts": "set"}))


def test_a_set_is_no_list():
    with pytest.raises(DataError, match="expected a list, got a set, which has no order"):
        from_records([{"parts": {1, 2}}], types={"parts": "list"})
    assert from_records([{"parts": (1, 2)}]).schema.type("Individual").link("parts").kind == "list"
