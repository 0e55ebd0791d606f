"""Tables: every type of column, CSV files good and bad, and tables of sets."""

from __future__ import annotations

import datetime
import gzip

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from structtree.data.records import from_records
from structtree.data.schema import Attribute, Link
from structtree.data.tables import from_array, from_frame, read_csv
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
        (pd.Series(pd.to_datetime(["1970-01-02", None])), "real", [86400.0, None]),
        (pd.Series(pd.to_datetime(["1970-01-01T01:00+01:00"])), "real", [0.0]),
        (pd.Series(pd.to_timedelta(["1min", None])), "real", [60.0, None]),
    ],
)
def test_the_type_of_a_column_tells_its_kind(series, kind, values):
    population = from_frame(pd.DataFrame({"x": series}))
    assert kinds(population) == {"x": kind} and listed(population, "x") == values


def test_a_categorical_column_declares_its_categories():
    frame = pd.DataFrame({"x": pd.Categorical(["b"], categories=["c", "b"])})
    assert from_frame(frame).schema.type("Row").attributes == (Attribute("x", "nominal", ("b", "c")),)


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        ([1, 2], "nominal", ["1", "2"]),
        ([1.0, None], "nominal", ["1", None]),
        ([1.5, 1.0], "nominal", ["1.5", "1.0"]),
        ([True, False], "nominal", ["true", "false"]),
        ([True, False], "int", [1, 0]),
        ([1, 0], "bool", [True, False]),
        ([1.0, None], "int", [1, None]),
        ([1, 2], "real", [1.0, 2.0]),
        (["1", "2"], "int", [1, 2]),
        (["true", None], "bool", [True, None]),
        ([1, "a"], "nominal", ["1", "a"]),
    ],
)
def test_a_column_is_read_as_told(values, kind, expected):
    population = from_frame(pd.DataFrame({"x": values}), types={"x": kind})
    assert listed(population, "x") == expected and kinds(population) == {"x": kind}


@pytest.mark.parametrize(
    ("values", "types", "message"),
    [
        (
            [1, "high"],
            None,
            "expected a number, got 'high' at column 'x' (individual 1); to read all of it as text: ",
        ),
        (["a", 1, True], None, "expected a string, got 1 at column 'x' (individual 1)"),
        (["1", "2", "b", "b"], {"x": "int"}, "expected a whole number, got 'b' at column 'x' (individual 2)"),
        ([1.5, 2.0], {"x": "int"}, "expected a whole number, got 1.5 at column 'x' (individual 0)"),
        ([[1], [2]], None, "expected a plain value, got a list at column 'x' (individual 0)"),
        ([datetime.date(2000, 1, 1)], None, "expected a plain value, got a date at column 'x' (individual 0)"),
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
    assert sentence(from_frame, frame) == "two columns are named 'a'; rename one"


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


# ---- arrays ---------------------------------------------------------------------------------------------


def test_an_array_has_a_column_for_each_attribute():
    population = from_array(np.array([[1, 2], [3, 4], [5, 6]]))
    assert kinds(population) == {"x0": "int", "x1": "int"} and listed(population, "x1") == [2, 4, 6]
    assert kinds(from_array([[True]])) == {"x0": "bool"}
    assert kinds(from_array([[0.5]], ["width"], individual="Leaf"), "Leaf") == {"width": "real"}
    assert kinds(from_array(np.array([[1, "a"], [2, None]], dtype=object))) == {"x0": "int", "x1": "nominal"}
    assert all(c.values.flags.c_contiguous for c in population.table("Row").columns.values())


def test_an_array_is_copied():
    array = np.zeros((2, 2))
    population = from_array(array)
    array[0, 0] = 1
    assert listed(population, "x0") == [0.0, 0.0]


@pytest.mark.parametrize(
    ("array", "names", "message"),
    [
        ([1, 2], None, "expected an array of two dimensions, got one of 1"),
        ([[1, 2]], ["a"], "expected 2 names, one for each column, got 1"),
        ([[1, 2]], ["a", "a"], "two columns are named 'a'; rename one"),
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
    path = table(tmp_path, f'"a,;",b{mark} c\n'.replace(",b", f"{mark}b") + mark.join(["1", " x", "2,5"]) + "\n")
    if mark == ",":
        assert sentence(read_csv, path).startswith(f"{path}:2: expected 3 fields as in the header, got 4")
    else:
        assert listed(read_csv(path), "c") == ["2,5"] and listed(read_csv(path), "b") == ["x"]


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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b,a\n1,2,3\n", ": two columns are named 'a'; rename one"),
        ("a,b\n1,2\n3,4,5\n", ":3: expected 2 fields as in the header, got 3"),
        ("a,b\n1,2,3\n3,4,5\n", ":2: expected 2 fields as in the header, got 3"),
        ("a,b\n1,2\n\n3\n", ":4: expected 2 fields as in the header, got 1"),
        ('a,b\n1,"x\ny"\n"3"\n', ":4: expected 2 fields as in the header, got 1"),
        ('a,b\n1,"x\n', ": a quoted value is never closed"),
        ("a,b\n", ": the file has a header and no rows"),
        ("", ": the file is empty"),
        ("a,b\n1,\0\n", ": a binary file; expected text"),
    ],
)
def test_a_broken_table_is_refused_with_its_line(tmp_path, text, message):
    path = table(tmp_path, text)
    assert sentence(read_csv, path) == f"{path}{message}"


def test_a_header_that_is_a_row_of_data_is_noticed(tmp_path):
    for text in ("39,a\n50,b\n38,a\n", "5.1,3.5\n4.9,3.0\n"):
        path = table(tmp_path, text)
        assert sentence(read_csv, path).startswith(f"{path}:1: the header looks like a row of data; add a line with")
    for text in ("0,1\n5,1\n", "1,2\n5,2\n", "year,2019\n1,2019\n", "39,b\n50,a\n"):
        assert len(read_csv(table(tmp_path, text))) == 1


def test_rows_with_an_empty_last_field_are_not_short(tmp_path):
    assert listed(read_csv(table(tmp_path, "a,b\n1,2\n3,\n")), "b") == [2, None]
    assert listed(read_csv(table(tmp_path, 'a,b\n"1,1",2\n3,\n')), "b") == [2, None]


def test_text_that_is_not_unicode_is_refused(tmp_path):
    path = tmp_path / "a.csv"
    for text in (b"a,b\n1,\xe9\n", b"\xe9,b\n1,2\n"):
        path.write_bytes(text)
        assert "the file is not UTF-8 text" in sentence(read_csv, path)


def test_a_value_that_cannot_be_read_as_told_is_refused(tmp_path):
    path = table(tmp_path, "a\n1\nhigh\n")
    message = f"{path}: expected a number, got 'high' at column 'a' (individual 1); to read all of it as text: "
    assert sentence(read_csv, path, types={"a": "real"}).startswith(message)


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
        "the link 'rows' leads to the type 'Row'"
    )
