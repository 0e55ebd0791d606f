"""ARFF: what is declared is kept, dense and sparse rows say the same, and every mistake has its line."""

from __future__ import annotations

import gzip
from datetime import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from structtree.data.readers.opening import open_data
from structtree.data.readers.records.reading import read_jsonl, write_jsonl
from structtree.data.readers.tables.arff import read_arff
from structtree.data.readers.tables.reading import read_csv
from structtree.data.schema import Attribute
from structtree.errors import DataError
from tests.data.sameness import same_population


def written(folder, text, name="a.arff"):
    path = folder / name
    path.write_text(text)
    return path


def listed(population, name):
    column = population.column(name)
    return [column.value(i) for i in range(len(column))]


def sentence(path, **options):
    with pytest.raises(DataError) as caught:
        read_arff(path, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value).removeprefix(str(path))


EVERYTHING = r"""
% a comment
@RELATION 'a relation'

@Attribute size {small, 'very big', "it's", 'a,b'}   % a comment
@attribute	"its weight"	REAL
@attribute n integer
@attribute 'it\'s a name' string
@attribute born date "yyyy-MM-dd HH:mm"
@attribute seen date

@DATA
% a comment
small, 1.5, 3, plain, "1970-01-02 00:00", 1970-01-01T00:00:10
'very big', ?, ?, 'a, "b"', ?, ?

"it's",-1e3,-2,"?",'2000-01-01 12:30',"1969-12-31T23:59:59"
'a,b'	2	4	?	?	?
?,1,1,'line\nend %',?,?
"""


def test_every_sort_of_attribute_is_read(tmp_path):
    population = read_arff(written(tmp_path, EVERYTHING))
    assert population.schema.type("Row").attributes == (
        Attribute("size", "nominal", ("small", "very big", "it's", "a,b")),
        Attribute("its weight", "real"),
        Attribute("n", "int"),
        Attribute("it's a name", "nominal"),
        Attribute("born", "time"),
        Attribute("seen", "time"),
    )
    assert listed(population, "size") == ["small", "very big", "it's", "a,b", None]
    assert listed(population, "its weight") == [1.5, None, -1000.0, 2.0, 1.0]
    assert listed(population, "n") == [3, None, -2, 4, 1]
    assert listed(population, "it's a name") == ["plain", 'a, "b"', "?", None, "line\nend %"]
    assert population.column("born").values.tolist()[:3:2] == [86400.0, 946729800.0]
    assert population.column("seen").values.tolist()[:3:2] == [10.0, -1.0]
    assert listed(population, "seen")[1:] == [None, datetime(1969, 12, 31, 23, 59, 59), None, None]


def test_packed_files_other_encodings_and_line_ends_are_read(tmp_path):
    text = "@relation a\r\n@attribute Größe {klein, groß}\r\n@data\r\ngroß\r\n"
    packed = tmp_path / "a.arff.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    assert read_arff(packed).record(0) == {"Größe": "groß"}
    path = tmp_path / "b.arff"
    path.write_bytes(text.encode("cp1252"))
    assert sentence(path).startswith(":2: byte 28 is 0xdf, which is not UTF-8") or "0xf6" in sentence(path)
    assert read_arff(path, encoding="cp1252").record(0) == {"Größe": "groß"}


HEADER = "@relation a\n@attribute x real\n@attribute n integer\n@attribute c {no, yes}\n@attribute s string\n@data\n"


def test_a_sparse_row_means_zero_or_the_first_value_by_saying_nothing(tmp_path):
    rows = "{}\n{0 1.5, 2 yes}\n{ 1 -3 , 3 'a b' }\n{2 ?, 0 ?}\n1,2,yes,t\n"
    population = read_arff(written(tmp_path, HEADER + rows))
    assert listed(population, "x") == [0.0, 1.5, 0.0, None, 1.0]
    assert listed(population, "n") == [0, 0, -3, 0, 2]
    assert listed(population, "c") == ["no", "yes", "no", None, "yes"]
    assert listed(population, "s") == [None, None, "a b", None, "t"]


@given(
    st.lists(
        st.tuples(st.integers(-3, 3), st.none() | st.sampled_from(["no", "yes"])),
        min_size=1,
        max_size=8,
    )
)
def test_sparse_and_dense_rows_say_the_same(tmp_path_factory, rows):
    header = "@relation a\n@attribute x integer\n@attribute c {no, yes}\n@data\n"
    dense = "".join(f"{x},{c or '?'}\n" for x, c in rows)
    sparse = ""
    for x, c in rows:
        cells = ([f"0 {x}"] if x else []) + ([f"1 {c or '?'}"] if c != "no" else [])
        sparse += "{" + ", ".join(cells) + "}\n"
    folder = tmp_path_factory.mktemp("arff")
    one = read_arff(written(folder, header + dense))
    assert same_population(one, read_arff(written(folder, header + sparse, "b.arff")))


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\r\n\0"))))
def test_any_text_in_quotes_is_read_as_it_stands(tmp_path_factory, texts):
    cells = [text.replace("\\", "\\\\").replace("'", "\\'") for text in ["first", *texts]]
    path = tmp_path_factory.mktemp("arff") / "a.arff"
    path.write_text("@attribute s string\n@data\n" + "".join(f"'{cell}'\n" for cell in cells), encoding="utf-8")
    assert listed(read_arff(path), "s") == ["first", *texts]


def test_the_same_table_as_csv_has_the_same_columns(tmp_path):
    rows = "small,1.5,u\nbig,?,v\n?,2.5,u\n"
    header = "@relation a\n@attribute size {small, big}\n@attribute x real\n@attribute c string\n@data\n"
    declared, plain = read_arff(written(tmp_path, header + rows)), tmp_path / "a.csv"
    plain.write_text("size,x,c\n" + rows)
    for name in ("size", "x", "c"):
        one, other = declared.column(name), read_csv(plain).column(name)
        assert one.categories == other.categories
        np.testing.assert_array_equal(one.values, other.values)


def test_what_is_declared_survives_json_lines(tmp_path):
    population = read_arff(written(tmp_path, EVERYTHING))
    write_jsonl(population, tmp_path / "a.jsonl")
    assert same_population(read_jsonl(tmp_path / "a.jsonl"), population)


def test_what_the_user_says_goes_before_what_is_declared(tmp_path):
    path = written(
        tmp_path, "@attribute g {p,q}\n@attribute n {1, 2}\n@attribute x real\n@data\np,1,2\np,2,3\nq,1,4\n"
    )
    population = read_arff(path, types={"n": "int", "x": "nominal"})
    assert listed(population, "n") == [1, 2, 1] and listed(population, "x") == ["2", "3", "4"]
    assert read_arff(path, group="g", link="items", individual="Bag").record(0) == {
        "items": [{"n": "1", "x": 2.0}, {"n": "2", "x": 3.0}]
    }


def test_the_class_is_the_target(tmp_path):
    rows = "@data\n1,a,b\n2,b,b\n"
    one = written(tmp_path, "@attribute x real\n@attribute Class {a,b}\n@attribute y {b}\n" + rows)
    other = written(tmp_path, "@attribute x real\n@attribute y {a,b}\n@attribute z {b}\n" + rows, "b.arff")
    assert open_data(one).target_name == "Class" and open_data(one).target.tolist() == ["a", "b"]
    assert open_data(other).target_name == "z" and open_data(other, target="y").target_name == "y"
    unknown = written(tmp_path, "@attribute x real\n@attribute class {a,b}\n@data\n1,a\n2,?\n", "c.arff")
    assert open_data(unknown).target is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            HEADER + "1,2,yes\n",
            ":7: expected 4 values, one per attribute, got 3: attribute ",
        ),
        (HEADER + "1,2,yes,t,u\n", ":7: expected 4 values, one per attribute, got 5: unexpected 'u'"),
        (HEADER + "\n% no\n1,2,maybe,t\n", ":9: unknown category 'maybe' (known: 'no', 'yes') at column 'c'"),
        (HEADER + "1,2,Yes,t\n", ":7: unknown category 'Yes' (did you mean 'yes'?) at column 'c'"),
        (HEADER + "1,2,no,t\nhigh,2,no,t\n", ":8: expected a number, got 'high' at column 'x' (individual 1)"),
        (HEADER + "1,2.5,no,t\n", ":7: expected a whole number, got 2.5 at column 'n'"),
        (HEADER + "1,,no,t\n", ":7: expected a whole number, got '' at column 'n'"),
        (HEADER + "1,2,no,'t\n", ':7: a quoted value is never closed, or continues after its quote, in "\'t"'),
        (HEADER + "1,2,no,'t'u\n", ":7: a quoted value is never closed, or continues after its quote, in "),
        (HEADER + "{0 1, 4 2}\n", ":7: there is no attribute 4; the last of the 4 is 3"),
        (HEADER + "{0 1, x 2}\n", ":7: expected a sparse row such as {0 3.5, 4 yes}, got '{0 1, x 2}'"),
        (HEADER + "{0 1, 1 2\n", ":7: expected a sparse row such as"),
        (HEADER, ": no rows after @data"),
        ("@relation a\n", ": expected @data and rows after it, got the end of the file"),
        ("@relation a\n@data\n1\n", ":2: expected @attribute before @data"),
        ("a,b\n1,2\n", ":1: expected @attribute or @data, got 'a,b'"),
        (
            "@attribute x float\n@data\n1\n",
            ":1: expected a type for attribute 'x', one of {a, b, c}, numeric,",
        ),
        ("@attribute x {a,b\n@data\n1\n", ":1: expected a type for attribute 'x'"),
        ("@attribute x relational\n@data\n1\n", ":1: expected a type for attribute 'x'"),
        ("@attribute x\n@data\n1\n", ":1: expected a type for attribute 'x'"),
        ("@attribute 'x real\n@data\n1\n", ":1: expected the name and the type of an attribute"),
        ("@attribute x real\n@attribute x real\n@data\n1,2\n", ": columns 1 and 2 are both named 'x'; rename one"),
        ("@attribute x date 'yyyy-QQ'\n@data\n1\n", ":1: unknown part 'QQ' of the date format 'yyyy-QQ'"),
        (
            "@attribute x date yyyy-MM-dd\n@data\n2000-13-01\n",
            ":3: expected a date such as yyyy-MM-dd, got '2000-13-01' at column 'x'",
        ),
        ("", ": the file is empty"),
    ],
)
def test_a_broken_file_is_refused_with_its_line(tmp_path, text, message):
    assert sentence(written(tmp_path, text)).startswith(message)


@pytest.mark.parametrize(
    ("name", "n_rows", "n_attributes", "target", "n_classes"),
    [
        ("uci/audiology.arff", 226, 70, "class", 24),
        ("uci/splice.arff.gz", 3190, 62, "Class", 3),
        ("uci/zoo.arff", 101, 18, "type", 7),
        ("uci/tic-tac-toe.arff", 958, 10, "Class", 2),
        ("uci/car.arff", 1728, 7, "class", 4),
        ("uci/kr-vs-kp.arff.gz", 3196, 37, "class", 2),
        ("uci/autompg.arff", 398, 8, "class", None),
        ("uci/servo.arff", 167, 5, "class", None),
        ("uci/housing.arff", 506, 14, "class", None),
        ("trains/uci_trains.arff", 10, 33, "class", 2),
    ],
)
def test_the_real_files_are_read(shared_data, name, n_rows, n_attributes, target, n_classes):
    opened = open_data(shared_data(name))
    assert len(opened.population) == n_rows and opened.target_name == target
    assert len(opened.population.schema.type("Row").attributes) == n_attributes - 1
    if n_classes is None:
        assert opened.target.dtype == np.float64
    else:
        assert len(set(opened.target.tolist())) == n_classes
