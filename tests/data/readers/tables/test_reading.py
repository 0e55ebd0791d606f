"""Tables: every type of column, CSV files good and bad, and tables of sets."""

from __future__ import annotations

import csv
import datetime
import decimal
import gzip
import sys
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from structtree import fit
from structtree.data.kinds import Pieces
from structtree.data.readers.opening import open_data
from structtree.data.readers.records.reading import from_records
from structtree.data.readers.sources import read_data
from structtree.data.readers.tables.delimited import csv_layout
from structtree.data.readers.tables.reading import from_array, from_frame, read_csv
from structtree.data.schema import Attribute, Link
from structtree.errors import DataError, UnknownNameError, UsageError
from tests.data.sameness import canonical, same_population


def listed(population, name):
    column = population.column(name)
    return [column.value(i) for i in range(len(column))]


def kinds(population, type_name="Row"):
    return {a.name: a.kind for a in population.schema.type(type_name).attributes}


def table(folder, text, name="data.csv"):
    path = folder / name
    path.write_text(text)
    return path


def sentence(action, *arguments, **options):
    with pytest.raises((DataError, UsageError, UnknownNameError)) as caught:
        action(*arguments, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


NOON = datetime.datetime(1970, 1, 1, 12)


# ---- frames ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("series", "kind", "values"),
    [
        (pd.Series([True, False]), "bool", [True, False]),
        (pd.Series([True, None], dtype="boolean"), "bool", [True, None]),
        (pd.Series([True, None], dtype=object), "bool", [True, None]),
        (pd.Series([1, 2]), "int", [1, 2]),
        (pd.Series([1, 2], dtype=np.uint8), "int", [1, 2]),
        (pd.Series([1, None], dtype="Int32"), "int", [1, None]),
        (pd.Series([1, None], dtype=object), "int", [1, None]),
        (pd.Series([1.0, None]), "real", [1.0, None]),
        (pd.Series([1.5, 2.5], dtype=np.float32), "real", [1.5, 2.5]),
        (pd.Series([1.5, None], dtype="Float64"), "real", [1.5, None]),
        (pd.Series([None, None], dtype=float), "real", [None, None]),
        (pd.Series(["b", "a"]), "nominal", ["b", "a"]),
        (pd.Series(["b", None], dtype="string"), "nominal", ["b", None]),
        (pd.Series(["b", np.nan], dtype=object), "nominal", ["b", None]),
        (pd.Series([None, None], dtype=object), "nominal", [None, None]),
        (pd.Series(pd.Categorical(["b", None, "b"], categories=["c", "b"])), "nominal", ["b", None, "b"]),
        (pd.Series(pd.Categorical([2, 10])), "nominal", ["2", "10"]),
        (pd.Series(pd.to_datetime(["1970-01-02", None])), "date", [datetime.date(1970, 1, 2), None]),
        (pd.Series(pd.to_datetime(["1970-01-02 03:00"])), "time", [datetime.datetime(1970, 1, 2, 3)]),
        (pd.Series(["1970-01-02", None]), "date", [datetime.date(1970, 1, 2), None]),
        (pd.Series(pd.to_timedelta(["1min", None])), "real", [60.0, None]),
        (pd.Series([datetime.date(1970, 1, 2), None], dtype=object), "date", [datetime.date(1970, 1, 2), None]),
        (pd.Series([NOON, pd.NaT], dtype=object), "time", [NOON, None]),
        (pd.Series([datetime.timedelta(minutes=1), None], dtype=object), "real", [60.0, None]),
        (pd.Series([decimal.Decimal("1.5"), None], dtype=object), "real", [1.5, None]),
        (pd.Series(pd.period_range("1970-02", periods=1, freq="M")), "date", [datetime.date(1970, 2, 1)]),
        (pd.Series([0.0, 1.5], dtype=pd.SparseDtype(float, 0.0)), "real", [0.0, 1.5]),
        (pd.Series(pd.cut([1.0, np.nan, 7.0], [0, 5, 10])), "ordered", ["(0, 5]", None, "(5, 10]"]),
    ],
)
def test_the_type_of_a_column_tells_its_kind(series, kind, values):
    population = from_frame(pd.DataFrame({"x": series}))
    assert kinds(population) == {"x": kind} and listed(population, "x") == values


def test_a_categorical_column_declares_its_categories():
    frame = pd.DataFrame({"x": pd.Categorical(["b"], categories=["c", "b"])})
    population = from_frame(frame)
    assert population.schema.type("Row").attributes == (Attribute("x", "nominal", ("c", "b")),)
    assert population.column("x").categories == ("b", "c")


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        ([1, 2], "nominal", ["1", "2"]),
        ([1.0, None], "nominal", ["1", None]),
        ([1.5, 1.0], "nominal", ["1.5", "1"]),
        ([True, False], "nominal", ["true", "false"]),
        ([True, False], "int", [1, 0]),
        ([1, 0], "bool", [True, False]),
        ([1.0, None], "int", [1, None]),
        ([1, 2], "real", [1.0, 2.0]),
        (["1", "2"], "int", [1, 2]),
        (["true", None], "bool", [True, None]),
        ([1, "a"], "nominal", ["1", "a"]),
        (pd.Categorical(["10", "9"]), "int", [10, 9]),
        (pd.Categorical(["mid", None, "low"], ["low", "mid", "top"], ordered=True), "nominal", ["mid", None, "low"]),
        (["mid", None, "low"], "low<mid<top", ["mid", None, "low"]),
        ([1, 2], "2 < 1", ["1", "2"]),
        (["31.12.1999", "1/2/2000"], "date(day-first)", [datetime.date(1999, 12, 31), datetime.date(2000, 2, 1)]),
        (["991231", "000229"], "date(%y%m%d)", [datetime.date(1999, 12, 31), datetime.date(2000, 2, 29)]),
        (["31.12.1999 12:00"], "time(day-first)", [NOON.replace(1999, 12, 31)]),
        (["1970-01-01 12:00"], "date", [datetime.date(1970, 1, 1)]),
        (["1970-01-01"], "time", [datetime.datetime(1970, 1, 1)]),
        (["1970-01-01"], "nominal", ["1970-01-01"]),
        (pd.to_datetime(["1970-01-02"]), "real", [86400.0]),
        ([datetime.date(1970, 1, 2)], "real", [86400.0]),
        ([2**60 + 1], "nominal", [str(2**60 + 1)]),
        (pd.Categorical([20, 10], ordered=True), "int", [20, 10]),
        (pd.to_datetime(["2000-01-01", None]), "nominal", ["2000-01-01", None]),
    ],
)
def test_a_column_is_read_as_told(values, kind, expected):
    population = from_frame(pd.DataFrame({"x": values}), types={"x": kind})
    said = "ordered" if "<" in kind else kind.partition("(")[0]
    assert listed(population, "x") == expected and kinds(population) == {"x": said}


@pytest.mark.parametrize(
    ("values", "types", "message"),
    [
        (
            ["1999-12-31", "31.12.1999"],
            {"x": "date"},
            "expected a date such as 2024-12-31, got '31.12.1999' "
            "(if the day comes first, declare it as date(day-first))",
        ),
        (["2000-13-01"], {"x": "date"}, "expected a date such as 2024-12-31, got '2000-13-01' at column 'x'"),
        ([5], {"x": "time"}, "expected a time such as 2024-12-31 12:30, got 5 at column 'x' (individual 0)"),
        (
            ["tiny"],
            {"x": "small<big"},
            "unknown category 'tiny' (known: 'big', 'small') at column 'x' (individual 0)",
        ),
        (
            ["a"],
            {"x": "ordered"},
            "'x' cannot be read as 'ordered'; write its categories in order: low<medium<high",
        ),
        (["a"], {"x": "a<a"}, "'x' cannot be read as 'a<a'"),
        (
            np.array(["12000-01-01"], "M8[s]"),
            None,
            "expected a date in the years 1 to 9999, got 12000-01-01T00:00:00",
        ),
        (
            [1, "high"],
            None,
            "expected a number, got 'high' at column 'x' (individual 1); to read all of it as text: ",
        ),
        (["a", 1, True], None, "expected a string, got 1 at column 'x' (individual 1)"),
        (["1", "2", "b", "b"], {"x": "int"}, "expected a whole number, got 'b' at column 'x' (individual 2)"),
        ([1.5, 2.0], {"x": "int"}, "expected a whole number, got 1.5 at column 'x' (individual 0)"),
        ([[1], [2]], None, "expected a plain value, got a list at column 'x' (individual 0)"),
        ([datetime.time(1)], None, "expected a plain value, got a time at column 'x' (individual 0)"),
        (pd.Categorical(["b", "a"]), {"x": "int"}, "expected a whole number, got 'a' at column 'x' (individual 1)"),
        ([1j], None, "expected a plain value, got a complex at column 'x' (individual 0)"),
        ([1], {"y": "int"}, "unknown member 'y' (known: 'Row.x', 'x')"),
        ([1], {"x": "set"}, "'x' is an attribute"),
    ],
)
def test_a_column_that_does_not_fit_is_refused(values, types, message):
    assert sentence(from_frame, pd.DataFrame({"x": values}), types=types).startswith(message)


def test_names_of_columns_are_text_and_unique():
    assert kinds(from_frame(pd.DataFrame({0: [1], "a": [2]}))) == {"0": "int", "a": "int"}
    frame = pd.DataFrame([[1, 2]], columns=["a", "a"])
    assert sentence(from_frame, frame) == "columns 1 and 2 are both named 'a'; rename one"


@pytest.mark.parametrize(
    ("columns", "names"),
    [
        (["", "b"], ["column1", "b"]),
        ([None, np.nan], ["column1", "column2"]),
        ([1, "b"], ["1", "b"]),
        (pd.MultiIndex.from_tuples([("a", "max"), ("b", "")]), ["a_max", "b"]),
    ],
)
def test_columns_with_odd_names_are_learned_from(columns, names):
    frame = pd.DataFrame([[1, 5], [2, 5], [3, 6], [4, 6]], columns=columns)
    population = from_frame(frame)
    assert list(kinds(population)) == names
    tree = fit(population, ["no", "no", "yes", "yes"]).tree
    assert tree.tests[0].attribute in names


def test_times_with_a_zone_become_those_of_utc_and_that_is_said():
    there = datetime.timezone(datetime.timedelta(hours=1))
    for values in (
        pd.to_datetime(["1970-01-01T01:30+01:00"]),
        ["1970-01-01T01:30+01:00"],
        [datetime.datetime(1970, 1, 1, 1, 30, tzinfo=there)],
    ):
        with pytest.warns(UserWarning, match="times with a time zone are converted to UTC"):
            population = from_frame(pd.DataFrame({"x": values}))
        assert population.column("x").values.tolist() == [1800.0]


@pytest.mark.parametrize("values", [[2**60, 1], np.array([2**63 + 1024, 1], np.uint64), [10**25, 1]])
def test_whole_numbers_of_too_many_digits_stay_numbers_and_that_is_said(values):
    with pytest.warns(UserWarning, match=r"'x' has integers beyond 2\^53, of which only about 16 digits are kept"):
        population = from_frame(pd.DataFrame({"x": values}))
    assert kinds(population) == {"x": "int"} and listed(population, "x")[1] == 1


def test_long_numbers_of_a_csv_file_stay_numbers_unless_they_are_said_to_be_text(tmp_path):
    path = table(tmp_path, "x,y\n12345678901234567890123456,a\n7,b\n,b\n")
    with pytest.warns(UserWarning, match="types={'x': 'nominal'}"):
        population = read_csv(path)
    assert kinds(population)["x"] == "int" and listed(population, "x")[1:] == [7, None]
    assert listed(read_csv(path, types={"x": "nominal"}), "x")[0] == "12345678901234567890123456"


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        ("2024-02-29 2024-03-01", "date"),
        ("2024-02-29 ? 2024-03-01", "date"),
        ("2024-02-29T12:30 2024-03-01", "time"),
        ("2024-02-30 2024-03-01", "nominal"),
        ("2024-02-29 soon", "nominal"),
        ("29.02.2024 01.03.2024", "nominal"),
        ("2024-02 2024-03", "nominal"),
        ("2024 2025", "int"),
    ],
)
def test_text_is_dates_if_all_of_it_is_as_iso_writes_them(tmp_path, cells, kind):
    path = table(tmp_path, "\n".join(["x", *cells.split()]))
    assert kinds(read_csv(path)) == {"x": kind}
    records = [{"x": None if cell == "?" else cell} for cell in cells.split()]
    if kind != "int":
        assert kinds(from_records(records), "Individual") == {"x": kind}
        pieces = Pieces()
        for record in records:
            pieces.add(pieces.add_chunk(1), "x", [record["x"]])
        assert pieces.attribute("x").kind == kind


def test_a_population_does_not_change_with_its_frame():
    frame = pd.DataFrame({"x": [1.0, 2.0]})
    population = from_frame(frame)
    frame.loc[0, "x"] = 9.0
    assert listed(population, "x") == [1.0, 2.0]


def test_a_frame_without_columns_or_rows_is_a_population():
    assert len(from_frame(pd.DataFrame(index=range(3)))) == 3
    assert len(from_frame(pd.DataFrame({"x": pd.Series([], dtype=float)}))) == 0


@given(st.permutations(["a", "b", "c"]))
def test_the_order_of_columns_changes_nothing(order):
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", "y"], "c": [True, False]})
    assert canonical(from_frame(frame[order])) == canonical(from_frame(frame))


@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "b": st.none() | st.booleans(),
                "i": st.none() | st.integers(-9, 9),
                "r": st.none() | st.floats(-1, 1).filter(lambda x: x != int(x)),
                "s": st.none() | st.sampled_from(["x", "y"]),
            }
        ),
        min_size=1,
    )
)
def test_a_frame_of_objects_is_the_same_as_its_records(records):
    frame = pd.DataFrame(records, dtype=object)
    assert same_population(from_frame(frame, individual="Individual"), from_records(records))


def test_what_is_no_frame_is_refused():
    assert sentence(from_frame, [[1, 2]]) == "expected a pandas or polars DataFrame, got a list"
    assert sentence(from_frame, pd.Series([1])) == "expected a pandas or polars DataFrame, got a Series"


# ---- frames of polars -----------------------------------------------------------------------------------


def polars_columns(pl):
    return {
        "flag": [True, None, False],
        "small": pl.Series([1, None, 3], dtype=pl.Int8),
        "whole": [2**40, 2, 3],
        "number": [1.5, None, float("nan")],
        "exact": [decimal.Decimal("1.5"), None, decimal.Decimal("2.5")],
        "text": ["b", None, "a"],
        "category": pl.Series(["b", None, "a"], dtype=pl.Categorical),
        "size": pl.Series(["small", None, "big"], dtype=pl.Enum(["small", "mid", "big"])),
        "day": [datetime.date(1970, 1, 2), None, datetime.date(1969, 12, 31)],
        "moment": [datetime.datetime(1970, 1, 1, 0, 0, 1), None, datetime.datetime(1970, 1, 1, 0, 0, 0, 500_000)],
        "there": pl.Series([datetime.datetime(1970, 1, 1), None, None]).dt.replace_time_zone("Asia/Tokyo"),
        "span": [datetime.timedelta(minutes=1), None, None],
        "nothing": [None, None, None],
    }


def test_a_frame_of_polars_is_read():
    pl = pytest.importorskip("polars")
    with pytest.warns(UserWarning, match="converted to UTC"):
        population = from_frame(pl.DataFrame(polars_columns(pl)))
    assert {name: (kind, listed(population, name)) for name, kind in kinds(population).items()} == {
        "flag": ("bool", [True, None, False]),
        "small": ("int", [1, None, 3]),
        "whole": ("int", [2**40, 2, 3]),
        "number": ("real", [1.5, None, None]),
        "exact": ("real", [1.5, None, 2.5]),
        "text": ("nominal", ["b", None, "a"]),
        "category": ("nominal", ["b", None, "a"]),
        "size": ("ordered", ["small", None, "big"]),
        "day": ("date", [datetime.date(1970, 1, 2), None, datetime.date(1969, 12, 31)]),
        "moment": (
            "time",
            [datetime.datetime(1970, 1, 1, 0, 0, 1), None, datetime.datetime(1970, 1, 1, 0, 0, 0, 500_000)],
        ),
        "there": ("time", [datetime.datetime(1969, 12, 31, 15), None, None]),
        "span": ("real", [60.0, None, None]),
        "nothing": ("nominal", [None, None, None]),
    }
    assert population.schema.type("Row").attribute("size").values == ("small", "mid", "big")
    assert population.column("size").values.tolist()[::2] == [0.0, 2.0]


def test_a_frame_of_polars_takes_the_same_options():
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame(
        {"g": ["p", "p", "q"], "x": [1, 2, 3], "size": pl.Series(["b", "a", "b"], dtype=pl.Enum(["b", "a"]))}
    )
    bags = from_frame(frame, group="g", link="items", types={"x": "nominal"})
    assert bags.record(0) == {"items": [{"x": "1", "size": "b"}, {"x": "2", "size": "a"}]}
    assert sentence(from_frame, frame.lazy()).endswith("got a LazyFrame; collect() it first")
    nested = pl.DataFrame({"x": [[1], [2]]})
    assert sentence(from_frame, nested) == "expected a plain value, got a list at column 'x' (individual 0)"


# ---- files of arrow -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a.parquet", "a.feather"])
def test_files_of_arrow_are_read_as_the_frames_they_hold(tmp_path, name):
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame(
        {
            "flag": pd.array([True, None], dtype="boolean"),
            "whole": pd.array([1, None], dtype="Int64"),
            "number": [1.5, None],
            "text": ["b", None],
            "category": pd.Categorical(["c", "b"], ["c", "b", "a"]),
            "day": [datetime.date(1970, 1, 2), None],
            "moment": pd.to_datetime(["1970-01-02", None]),
            "exact": [decimal.Decimal("1.5"), None],
        }
    )
    path = tmp_path / name
    frame.to_parquet(path) if name.endswith("parquet") else frame.to_feather(path)
    assert same_population(read_data(path), from_frame(frame))
    assert read_data(path, types={"whole": "nominal"}).column("whole").categories == ("1",)
    path.write_bytes(b"no such thing")
    assert sentence(read_data, path).startswith(f"{path}: not a {path.suffix[1:].capitalize()} file (")


def test_frames_whose_columns_are_those_of_arrow_are_read():
    pa = pytest.importorskip("pyarrow")
    columns = {
        "flag": pa.array([True, None]),
        "whole": pa.array([1, None]),
        "text": pa.array(["b", None]),
        "day": pa.array([datetime.date(1970, 1, 2), None]),
        "moment": pa.array([datetime.datetime(1970, 1, 2), None]),
        "exact": pa.array([decimal.Decimal("1.5"), None]),
        "category": pa.array(["b", None]).dictionary_encode(),
    }
    frame = pa.table(columns).to_pandas(types_mapper=pd.ArrowDtype)
    assert from_frame(frame).record(0) == {
        "flag": True,
        "whole": 1,
        "text": "b",
        "day": datetime.date(1970, 1, 2),
        "moment": datetime.date(1970, 1, 2),
        "exact": 1.5,
        "category": "b",
    }
    assert from_frame(frame).record(1) == {}


def test_without_pyarrow_the_reader_says_what_to_install(tmp_path, monkeypatch):
    path = tmp_path / "a.parquet"
    path.write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert sentence(read_data, path) == (
        f"{path}: reading Parquet requires the package pyarrow; pip install 'structtree[parquet]'"
    )


# ---- arrays ---------------------------------------------------------------------------------------------


def test_an_array_has_a_column_for_each_attribute():
    population = from_array(np.array([[1, 2], [3, 4], [5, 6]]))
    assert kinds(population) == {"x0": "int", "x1": "int"} and listed(population, "x1") == [2, 4, 6]
    assert kinds(from_array([[True]])) == {"x0": "bool"}
    assert kinds(from_array([[0.5]], ["width"], individual="Leaf"), "Leaf") == {"width": "real"}
    assert kinds(from_array(np.array([[1, "a"], [2, None]], dtype=object))) == {"x0": "int", "x1": "nominal"}
    assert all(c.values.flags.c_contiguous for c in population.table("Row").columns.values())


def test_text_in_an_array_is_nominal():
    population = from_array(np.array([["b", "1"], ["a", "2"]]), ["x", "y"])
    assert kinds(population) == {"x": "nominal", "y": "nominal"} and listed(population, "y") == ["1", "2"]
    assert listed(from_array(np.array([["é".encode()]])), "x0") == ["é"]


def test_a_structured_array_has_a_column_for_each_field():
    dtype = [("name", "S5"), ("n", "i2"), ("x", "f4"), ("day", "M8[D]"), ("flag", bool)]
    cells = np.array([(b"Ann", 3, 1.5, "1970-01-02", True), (b"Bob", 4, np.nan, "NaT", False)], dtype=dtype)
    population = from_array(cells)
    assert population.record(0) == {"name": "Ann", "n": 3, "x": 1.5, "day": datetime.date(1970, 1, 2), "flag": True}
    assert population.record(1) == {"name": "Bob", "n": 4, "flag": False}
    assert list(kinds(from_array(cells, list("abcde")))) == list("abcde")


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        ([[1], [2]], "int", [None, 2]),
        ([[1.5], [2.5]], "real", [None, 2.5]),
        ([[True], [False]], "bool", [None, False]),
        ([["a"], ["b"]], "nominal", [None, "b"]),
    ],
)
def test_what_is_masked_is_missing(values, kind, expected):
    population = from_array(np.ma.array(values, mask=[[True], [False]]))
    assert kinds(population) == {"x0": kind} and listed(population, "x0") == expected


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (1, 1), (70_000, 2), (2, 70_000)])
def test_the_columns_of_an_array_are_its_columns(shape):
    cells = np.arange(shape[0] * shape[1], dtype=np.int32).reshape(shape)
    columns = from_array(cells).table("Row").columns
    assert len(from_array(cells)) == shape[0] and len(columns) == shape[1]
    for column, expected in zip(columns.values(), cells.T, strict=True):
        np.testing.assert_array_equal(column.values, expected)


@pytest.mark.parametrize(
    "of", [from_array, lambda cells, **options: from_frame(pd.DataFrame(cells, copy=False), **options)]
)
def test_numbers_are_shared_if_they_need_not_be_copied(of):
    cells = np.arange(6.0).reshape(3, 2)
    shared = list(of(cells, copy=False).table("Row").columns.values())
    assert [column.values.tolist() for column in shared] == [[0.0, 2.0, 4.0], [1.0, 3.0, 5.0]]
    assert all(np.shares_memory(column.values, cells) for column in shared)
    assert not any(np.shares_memory(column.values, cells) for column in of(cells).table("Row").columns.values())
    assert listed(of(cells.astype(int), copy=False), list(kinds(of(cells)))[1]) == [1, 3, 5]


@pytest.mark.parametrize(
    "table",
    [
        from_array(np.arange(6.0).reshape(2, 3), ["x", "y", "z"], columns={"z", "x"}),
        from_array(np.arange(6).reshape(2, 3), ["x", "y", "z"], columns=["x", "z"], copy=False),
        from_array(np.array([[0, "b", 2], [3, "a", 5]], dtype=object), ["x", "y", "z"], columns=["x", "z"]),
        from_array(np.array([(0, b"b", 2), (3, b"a", 5)], dtype="i4, S1, f8"), ["x", "y", "z"], columns=["x", "z"]),
        from_frame(pd.DataFrame({"x": [0, 3], "y": [{}, ()], "z": [2.0, 5.0]}), columns=["x", "z"]),
    ],
)
def test_of_some_columns_only_those_are_read(table):
    assert list(kinds(table)) == ["x", "z"] and listed(table, "z") == [2, 5] and listed(table, "x") == [0, 3]


def test_a_table_without_columns_still_has_its_rows():
    assert len(from_array(np.zeros((3, 2)), columns=())) == 3
    assert len(from_frame(pd.DataFrame({"x": [1, 2]}), columns=())) == 2


@pytest.mark.parametrize("sort", ["one object each", "new objects", "both"])
@pytest.mark.parametrize("dtype", [object, "str"])
@given(seed=st.integers(0, 99), n=st.integers(0, 2000), n_texts=st.integers(1, 400))
def test_equal_texts_have_one_code_whether_they_are_one_object_or_not(sort, dtype, seed, n, n_texts):
    rng = np.random.default_rng(seed)
    texts = [None, *(f"t{i}" for i in range(n_texts))]
    cells = [texts[i] for i in rng.integers(0, len(texts), n)]
    for i in range(n):
        if cells[i] is not None and (sort == "new objects" or (sort == "both" and rng.random() < 0.5)):
            cells[i] = "".join(list(cells[i]))
    expected = cells if any(cell is not None for cell in cells) else [None] * n
    assert listed(from_frame(pd.DataFrame({"x": pd.Series(cells, dtype=dtype)})), "x") == expected


def test_an_array_is_copied():
    array = np.zeros((2, 2))
    population = from_array(array)
    array[0, 0] = 1
    assert listed(population, "x0") == [0.0, 0.0]


@pytest.mark.parametrize(
    ("array", "names", "message"),
    [
        ([1, 2], None, "expected a two-dimensional array, got 1 dimensions"),
        ([[1, 2]], ["a"], "expected 2 names, one for each column, got 1"),
        ([[1, 2]], ["a", "a"], "columns 1 and 2 are both named 'a'; rename one"),
        (np.zeros(2, dtype=[("a", int)]), ["p", "q"], "expected 1 names, one for each column, got 2"),
        (np.zeros((2, 2), dtype=[("a", int)]), None, "expected a one-dimensional structured array, got 2 dimensions"),
        (np.zeros(2, dtype=[("a", int, 3)]), None, "expected a plain value, got an array at field 'a'"),
        ([[1j]], None, "expected a plain value, got a complex at column 'x0' (individual 0)"),
    ],
)
def test_an_array_that_is_no_table_is_refused(array, names, message):
    assert sentence(from_array, array, names) == message


# ---- CSV ------------------------------------------------------------------------------------------------


def test_the_text_of_a_csv_file_tells_the_kinds(tmp_path):
    path = table(tmp_path, "b,i,r,n,m,g\ntrue,1,1.0,x,,1\nFalse,,?,NA,?,a\n")
    population = read_csv(path)
    assert kinds(population) == {"b": "bool", "i": "int", "r": "real", "n": "nominal", "m": "nominal", "g": "nominal"}
    assert population.record(0) == {"b": True, "i": 1, "r": 1.0, "n": "x", "g": "1"}
    assert population.record(1) == {"b": False, "g": "a"}
    assert population.column("m").categories == ()


def test_text_is_kept_as_it_stands_when_read_as_nominal(tmp_path):
    path = table(tmp_path, "zip,n,m\n007,1,1\n?,2,\n7.0,3,3\n")
    population = read_csv(path, types={"zip": "nominal", "Row.n": "nominal", "m": "nominal"})
    assert listed(population, "zip") == ["007", None, "7.0"]
    assert listed(population, "n") == ["1", "2", "3"] and listed(population, "m") == ["1", None, "3"]


@pytest.mark.parametrize("mark", [",", "\t", ";"])
def test_the_separator_is_found_in_the_header(tmp_path, mark):
    path = table(tmp_path, f'"a,;",b{mark} c\n'.replace(",b", f"{mark}b") + mark.join(["1", " x", "2,y"]) + "\n")
    if mark == ",":
        assert sentence(read_csv, path).startswith(f"{path}:2: expected 3 fields as in the header, got 4")
    else:
        assert listed(read_csv(path), "c") == ["2,y"] and listed(read_csv(path), "b") == ["x"]


def test_quotes_packing_marks_and_line_ends_do_not_matter(tmp_path):
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b'\xef\xbb\xbfa,b\r\n1,"x, ""y""\r\nz"\r\n\r\n2,w\r\n'))
    population = read_csv(path)
    assert listed(population, "a") == [1, 2] and listed(population, "b") == ['x, "y"\r\nz', "w"]


def test_a_column_without_a_name_is_called_after_its_place(tmp_path):
    assert list(kinds(read_csv(table(tmp_path, ",a,\n1,2,3\n")))) == ["column1", "a", "column3"]


def test_one_column_is_a_table(tmp_path):
    assert listed(read_csv(table(tmp_path, "a\n1\n2\n")), "a") == [1, 2]


def test_a_column_whose_text_comes_late_is_text_all_the_way(tmp_path):
    n = 300_000
    path = table(tmp_path, "a,b\n" + "".join(f"0{i % 10},{i}\n" for i in range(n)) + "x,1.5\n")
    population = read_csv(path)
    assert population.column("a").categories == (*(f"0{i}" for i in range(10)), "x")
    assert population.column("b").kind == "real" and len(population) == n + 1


def test_a_header_that_is_a_row_of_data_is_noticed(tmp_path):
    for text in ("39,a\n50,b\n38,a\n", "5.1,3.5\n4.9,3.0\n"):
        path = table(tmp_path, text)
        assert sentence(read_csv, path).startswith(f"{path}:1: the header looks like a row of data; add a line with")
    for text in ("0,1\n5,1\n", "1,2\n5,2\n", "year,2019\n1,2019\n", "39,b\n50,a\n"):
        assert len(read_csv(table(tmp_path, text))) == 1


def test_rows_with_an_empty_last_field_are_not_short(tmp_path):
    assert listed(read_csv(table(tmp_path, "a,b\n1,2\n3,\n")), "b") == [2, None]
    assert listed(read_csv(table(tmp_path, 'a,b\n"1,x",2\n3,\n')), "b") == [2, None]


def test_a_value_that_cannot_be_read_as_told_is_refused(tmp_path):
    path = table(tmp_path, "a\n1\nhigh\n")
    message = f"{path}:3: expected a number, got 'high' at column 'a' (individual 1); to read all of it as text: "
    assert sentence(read_csv, path, types={"a": "real"}).startswith(message)


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("a,b\n1,2\n", ","),
        ("a;b\n1,5;2,5\n", ";"),
        ("1,5;2,5\n3,5;4,5\n", ";"),
        ("1,5;2,5\n3;4,5\n", ";"),
        ("a|b,c|d\n1|x, y|2\n", "|"),
        ("a\tb\n1\t2\n", "\t"),
        ("a,b;c\nx,y;z\n", ","),
        ("name, first;age\nDoe, Jo;12\nRoe;13\n", ";"),
        ('"a;b",c\n"x;y",1\n', ","),
        ("a,b,c;d\n1,2,3\n", ","),
        ("one\n1\n2\n", ","),
    ],
)
def test_the_delimiter_divides_the_first_rows_alike(tmp_path, text, mark):
    assert csv_layout(table(tmp_path, text)).delimiter == mark


@given(
    st.lists(st.lists(st.sampled_from(["1", "2,5", "x;y", "a b", "", 'say "no"', "p|q"]), min_size=2, max_size=2)),
    st.sampled_from(",;\t|"),
)
def test_what_is_written_with_quotes_is_read_back(tmp_path_factory, rows, mark):
    path = tmp_path_factory.mktemp("csv") / "a.csv"
    with path.open("w", newline="") as file:
        csv.writer(file, delimiter=mark).writerows([["p", "q"], ["first", "first"], *rows])
    population = read_csv(path, types={"p": "nominal", "q": "nominal"})
    for place, name in enumerate("pq"):
        assert listed(population, name) == ["first", *(row[place] or None for row in rows)]
    assert csv_layout(path).delimiter == mark


def test_the_first_line_may_be_data(tmp_path):
    path = table(tmp_path, "39,a\n50,b\n38,a\n")
    assert listed(read_csv(path, header=False), "c1") == [39, 50, 38]
    assert read_csv(path, names=["age", "kind"]).record(0) == {"age": 39, "kind": "a"}
    assert len(read_csv(path, header=True)) == 2 and list(kinds(read_csv(path, header=True))) == ["39", "a"]
    assert read_csv(path, header=True, names=["age", "kind"]).record(0) == {"age": 50, "kind": "b"}
    assert len(read_csv(table(tmp_path, "1,2\n"), header=False)) == 1


def test_blanks_may_separate_fields(tmp_path):
    path = table(tmp_path, " 1 1  x \n 2\t3 'y'\n\n4 ? z\n")
    population = read_csv(path, delimiter=" ", header=False, missing_words=["?"])
    assert [population.record(i) for i in range(3)] == [
        {"c1": 1, "c2": 1, "c3": "x"},
        {"c1": 2, "c2": 3, "c3": "'y'"},
        {"c1": 4, "c3": "z"},
    ]
    assert listed(read_csv(table(tmp_path, "first name\nAda B\nJo C\n"), delimiter=","), "first name") == [
        "Ada B",
        "Jo C",
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "cp1252", "utf-16", "utf-32"])
@pytest.mark.parametrize("packed", [False, True])
def test_text_is_decoded_as_told(tmp_path, encoding, packed):
    text = "größe;wo\n1,5;Köln\n;Zürich\n2;Genf\n".encode(encoding)
    path = tmp_path / ("a.csv.gz" if packed else "a.csv")
    path.write_bytes(gzip.compress(text) if packed else text)
    population = read_csv(path, encoding=encoding, decimal=",")
    assert listed(population, "größe") == [1.5, None, 2.0] and listed(population, "wo") == ["Köln", "Zürich", "Genf"]


def test_the_decimal_sign_may_be_a_comma(tmp_path):
    population = read_csv(table(tmp_path, "a;b;c\n1,5;1;-2,5e3\n;2;,5\n"), decimal=",")
    assert listed(population, "a") == [1.5, None] and kinds(population) == {"a": "real", "b": "int", "c": "real"}
    assert listed(population, "c") == [-2500.0, 0.5]
    assert listed(read_csv(table(tmp_path, 'a,b\n"1,5",x\n"2,5",y\n'), decimal=","), "a") == [1.5, 2.5]
    assert listed(read_csv(table(tmp_path, "a;b\n1,5;x\n"), types={"a": "nominal"}), "a") == ["1,5"]


def test_the_marks_of_missing_values_can_be_said(tmp_path):
    path = table(tmp_path, "a,b,c\n1,-,NA\n-99,x,?\n,y,null\n")
    population = read_csv(path, missing_words=["-", "-99"])
    assert listed(population, "a") == [1, None, None] and listed(population, "b") == [None, "x", "y"]
    assert listed(population, "c") == ["NA", "?", "null"] and listed(read_csv(path), "c") == [None, None, None]


def test_a_wide_table_is_read(tmp_path):
    n = 3000
    path = table(
        tmp_path, ",".join(f"f{i}" for i in range(n)) + "\n" + "\n".join([",".join(["1", *["x"] * (n - 1)])] * 3)
    )
    population = read_csv(path, types=dict.fromkeys([f"f{i}" for i in range(n)], "nominal"))
    assert len(population) == 3 and len(population.table("Row").columns) == n
    assert population.column("f0").categories == ("1",) and population.column(f"f{n - 1}").categories == ("x",)


# ---- the real tables ------------------------------------------------------------------------------------

ADULT = [
    "age",
    "work",
    "weight",
    "school",
    "years",
    "status",
    "job",
    "role",
    "race",
    "sex",
    "gain",
    "loss",
    "hours",
    "country",
    "income",
]


@pytest.mark.parametrize(
    ("name", "options", "target", "n_columns", "counts"),
    [
        ("uci/lenses.csv", {}, "lenses", 5, {"none": 15, "soft": 5, "hard": 4}),
        (
            "uci/agaricus-lepiota.data.gz",
            {"format": "csv", "header": False},
            "c1",
            23,
            {"e": 4208, "p": 3916},
        ),
        (
            "uci/house-votes-84.data",
            {"format": "csv", "header": False},
            "c1",
            17,
            {"democrat": 267, "republican": 168},
        ),
        ("uci/monks-1.train", {}, "class", 8, 124),
        ("uci/monks-2.train", {}, "class", 8, 169),
        ("uci/monks-3.train", {}, "class", 8, 122),
        ("uci/monks-1.test", {}, "class", 8, 432),
        ("uci/monks-2.test", {}, "class", 8, 432),
        ("uci/monks-3.test", {}, "class", 8, 432),
        ("uci/adult-train.csv.gz", {"names": ADULT}, "income", 15, {"<=50K": 24_720, ">50K": 7841}),
        ("uci/adult-test.csv.gz", {"names": ADULT}, "income", 15, {"<=50K.": 12_435, ">50K.": 3846}),
        ("sequences/promoters.data", {"format": "csv", "header": False}, "c59", 59, {"+": 53, "-": 53}),
        ("financial/loan.csv", {}, "status", 7, {"A": 203, "B": 31, "C": 403, "D": 45}),
        ("financial/district.csv", {}, "A1", 16, 77),
        ("financial/trans_354.csv.gz", {}, "type", 10, 30_200),
    ],
)
def test_the_real_tables_are_read(shared_data, name, options, target, n_columns, counts):
    if "monks" in name:
        names = ["class", *(f"a{i}" for i in range(1, 7)), "id"]
        options = {"format": "csv", "delimiter": " ", "names": names, "types": {"class": "nominal"}}
    opened = open_data(shared_data(name), target=target, **options)
    assert len(opened.population.schema.type("Row").attributes) == n_columns - 1
    if isinstance(counts, int):
        assert len(opened.population) == counts
    else:
        assert dict(Counter(opened.target.tolist())) == counts


# ---- tables of sets -------------------------------------------------------------------------------------

BAGS = "molecule,class,charge,f1,f2\nm2,musk,,1.5,a\nm1,other,2,2.5,b\nm2,musk,,3.5,a\n"


def test_rows_of_a_group_are_the_elements_of_one_individual(tmp_path):
    population = read_csv(table(tmp_path, BAGS), group="molecule", link="conformations")
    assert population.schema.names == ("Individual", "Conformation")
    assert population.schema.type("Individual").links == (Link("conformations", "set", "Conformation"),)
    assert population.record(0) == {
        "class": "musk",
        "f2": "a",
        "conformations": [{"f1": 1.5}, {"f1": 3.5}],
    }
    assert population.record(1) == {"class": "other", "charge": 2, "f2": "b", "conformations": [{"f1": 2.5}]}


def test_a_table_of_sets_takes_names_kinds_and_lists(tmp_path):
    population = read_csv(
        table(tmp_path, BAGS),
        group="molecule",
        link="conformations",
        individual="Molecule",
        types={"Conformation.f1": "nominal", "Molecule.charge": "real", "conformations": "list"},
    )
    assert kinds(population, "Conformation") == {"f1": "nominal"}
    assert kinds(population, "Molecule") == {"class": "nominal", "charge": "real", "f2": "nominal"}
    assert population.schema.type("Molecule").link("conformations").kind == "list"


@given(st.permutations(range(6)))
def test_the_order_of_rows_changes_no_set(order):
    frame = pd.DataFrame({"g": list("aabbbc"), "k": [1, 1, 2, 2, 2, None], "x": [1.0, 2.0, 1.0, 3.0, None, 5.0]})
    assert sorted(canonical(from_frame(frame.iloc[order], group="g"))) == sorted(
        canonical(from_frame(frame, group="g"))
    )


def test_groups_that_make_no_sense_are_refused():
    frame = pd.DataFrame({"g": ["a", None], "x": [1, "b"]})
    assert sentence(from_frame, frame, group="h") == "unknown column 'h' (known: 'g', 'x')"
    assert sentence(from_frame, frame, link="xs").startswith("the link 'xs' needs a group")
    assert sentence(from_frame, frame, group="g").startswith("expected a number, got 'b' at row 1 of column 'x'")
    assert sentence(from_frame, frame[["g"]], group="g") == "a row has no group at row 1 of column 'g'"
    assert sentence(from_frame, frame, group="g", individual="Row").startswith(
        "the individual and the elements of the link 'rows' have the same type 'Row'"
    )
