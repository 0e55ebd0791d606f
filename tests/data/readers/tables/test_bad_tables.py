"""Tables that are broken: one sentence each, with the line and the column where there is one."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

from structtree.data.population import Population
from structtree.data.readers.opening import open_data
from structtree.data.readers.tables.delimited import csv_layout, first_ragged, iter_rows
from structtree.data.readers.tables.reading import read_csv
from structtree.errors import StructtreeError, UsageError
from structtree.lang.grammar import Grammar
from structtree.report.info import describe
from structtree.search.best_split import best_split


def table(folder, text, name="data.csv"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def sentence(path, **options):
    with pytest.raises(StructtreeError) as caught:
        read_csv(path, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value).removeprefix(str(path))


LONG = "x" * 9000  # what the first look at a file does not see


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ": the file is empty"),
        ("\n \n\n", ": the file has only blank lines; expected a table"),
        ("a,b\n", ":1: the file has a header but no rows"),
        ("a,b,a\n1,2,3\n", ":1: columns 1 and 3 are both named 'a'; rename one"),
        ("\na, a\n1,2\n", ":2: columns 1 and 2 are both named 'a'; rename one"),
        ("a,b\n1,2\n3,4,5\n", ":3: expected 2 fields as in the header, got 3: unexpected '5'"),
        ("a,b\n1,2,3\n3,4,5\n", ":2: expected 2 fields as in the header, got 3: unexpected '3'"),
        ("a,b\n1,2\n\n3\n", ":4: expected 2 fields as in the header, got 1: column 'b' is missing"),
        ("a,b,c\n1,2,3\n3\n4,5,6\n", ":3: expected 3 fields as in the header, got 1: column 'b' is missing"),
        (
            'a,b\n1,"x\ny"\n"3"\n',
            ":4: expected 2 fields as in the header, got 1: column 'b' is missing",
        ),
        ('a,b\n1,2\n1,"x\n', ":3: a quoted value is never closed at column 'b'"),
        ('a,b\n1,2\n"x,1\n2,3\n', ":3: a quoted value is never closed at column 'a'"),
        ("a,b\n1,\0\n", ": a binary file; expected text"),
        (f"a,b\n{LONG},1\ny,2\0\n", ":3: a NUL byte inside a value at column 'b'"),
        (
            b"a,b\n1,\xe9\n",
            ":2: byte 6 is 0xe9, which is not UTF-8; name another encoding, such as encoding='cp",
        ),
        (
            b"\xe9,b\n1,2\n",
            ":1: byte 0 is 0xe9, which is not UTF-8; name another encoding, such as encoding='cp",
        ),
        (b"\xff\xfea\0", ": the text is UTF-16; expected UTF-8"),
        (
            "a b\n1 2\n3 4\n",
            ": the table has one column, but each row has 2 words; if the fields are separated by spaces, use d",
        ),
    ],
)
def test_a_broken_table_is_refused_with_its_line(tmp_path, text, message):
    assert sentence(table(tmp_path, text)).startswith(message)


def test_a_byte_far_behind_is_found(tmp_path):
    rows = [b"name,x", *(b"J\xc3\xb6rg,%d" % i for i in range(300_000)), b"J\xf6rg,1"]
    text = b"\xef\xbb\xbf" + b"\n".join(rows)
    for path in (table(tmp_path, text), table(tmp_path, gzip.compress(text, 1), "data.csv.gz")):
        at = text.index(b"\xf6")
        assert sentence(path).startswith(f":300002: byte {at} is 0xf6, which is not UTF-8")
        assert text[at] == 0xF6


def test_a_file_that_ends_inside_a_character_is_refused(tmp_path):
    message = ":2: byte 7 ends in the middle of a character, which is not UTF-8"
    assert sentence(table(tmp_path, "a,b\n1,é".encode()[:-1])).startswith(message)


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (
            "a;x\nu;1,5\nv;2,25\n",
            {},
            ":2: numbers with commas, such as '1,5', at column 'x'; if they are decimal commas, use decimal=','",
        ),
        ("a;x\nu;1,5\nv;2.25\n", {}, ":2: expected one decimal separator, got both '2.25' and '1,5' at column 'x'"),
        (
            "a;x\nu;1.5\nv;2.25\nw;3\nz;4,0\n",
            {},
            ":5: expected one decimal separator, got both '1.5' and '4,0' at column",
        ),
        (
            "a;x\nu;1,5\nv;?\n\nw;2.25\n",
            {"decimal": ","},
            ":5: expected one decimal separator, got both '1,5' and '2.25' at column 'x'",
        ),
        ("a;x\nu;1\nv;2.25\n", {"decimal": ","}, ":3: numbers with points, such as '2.25', at column 'x'; if they"),
        ("a;x\nu;1\nv;1,5\n", {"types": {"x": "real"}}, ":3: numbers with commas, such as '1,5', at column 'x'"),
        ("a;x\nu;1\nv;high\n", {"types": {"x": "real"}}, ":3: expected a number, got 'high' at column 'x'"),
        ("a;x\nu;1\nv;2,5\n", {"decimal": ";"}, "decimal must be '.' or ','; got ';'"),
        ("a;x\nu;1\n", {"delimiter": ";;"}, "the delimiter must be one character, such as ',' or ';' or a tab; got"),
        ("a;x\nu;1\n", {"encoding": "utf9"}, "unknown encoding 'utf9' (did you mean 'utf-8'?)"),
        ("u;1\nv;2\n", {"names": ["a"]}, "expected 2 names, one for each column of "),
        ("u;1\nv;2\n", {"names": ["a", "a"]}, "the name 'a' is given to two columns"),
        ("u;1\nv;2;3\n", {"header": False}, ":2: expected 2 fields as in the first row, got 3: unexpected '3'"),
        ("u;1\nv\n", {"header": False}, ":2: expected 2 fields as in the first row, got 1: column 'c2' is missing"),
        ("u 1\nv\n", {"header": False, "delimiter": " "}, ":2: expected 2 fields as in the first row, got 1"),
        ("u 1\nv 2 3\n", {"header": False, "delimiter": " "}, ":2: expected 2 fields as in the first row, got 3"),
        ("g;x\np;1\n;2\n", {"group": "g"}, ":3: a row has no group at row 1 of column 'g'"),
    ],
)
def test_what_is_said_of_a_table_must_fit_it(tmp_path, text, options, message):
    assert sentence(table(tmp_path, text), **options).startswith(message)


def test_usage_errors_are_told_from_errors_of_the_data(tmp_path):
    path = table(tmp_path, "a;x\nu;1\n")
    for options in ({"decimal": "x"}, {"delimiter": "--"}, {"encoding": "utf9"}, {"names": ["a"]}):
        with pytest.raises(UsageError):
            read_csv(path, **options)


def test_a_column_without_any_value_is_kept_and_told_of(tmp_path):
    path = table(tmp_path, "a,b,c\n1,,x\n2,?,y\n3,NA,x\n")
    opened = open_data(path, target="c")
    assert opened.population.column("b").kind == "nominal" and opened.population.column("b").missing.all()
    members = {m["name"]: m for m in describe(opened)["types"]["Row"]["members"]}
    assert members["b"] == {"name": "b", "kind": "nominal", "missing": "3", "values": "none"}
    assert read_csv(path, types={"b": "real"}).column("b").kind == "real"


def test_a_target_that_is_missing_somewhere_is_refused(tmp_path):
    with pytest.raises(StructtreeError, match=r"the target 'c' has no value \(individual 1\)"):
        open_data(table(tmp_path, "a,c\n1,x\n2,\n"), target="c")


def test_a_very_long_value_is_taken_for_an_open_quote(tmp_path):
    rows = "".join(f"{i},{i}\n" for i in range(30_000))
    assert sentence(table(tmp_path, 'a,b\n1,2\n3,"4\n' + rows)) == (
        ":3: a value with more than 100 000 characters; is a closing quote missing?"
    )


@pytest.mark.parametrize("seed", range(20))
def test_both_sides_of_the_reader_see_the_same_rows(tmp_path, seed):
    """The exact side counts lines and fields, the fast side values; on any table they must agree."""
    rng = np.random.default_rng(seed)
    cells = rng.choice(["1", "2.5", "", "x", '"a,b"', '"two\nlines"', '" "', "y z"], size=(rng.integers(1, 9), 3))
    rows = [",".join(row) for row in cells]
    for at in rng.integers(0, len(rows) + 1, size=2):
        rows.insert(int(at), "")
    path = table(tmp_path, "p,q,r\n" + "\n".join(rows) + "\n")
    layout = csv_layout(path)
    assert first_ragged(layout) is None
    population = read_csv(path, header=True)
    exact = list(iter_rows(layout))
    assert isinstance(population, Population) and len(population) == len(exact)
    lines = path.read_text().split("\n")
    for row, found in zip(exact, range(len(population)), strict=True):
        assert lines[row.line - 1].startswith(row.fields[0].split("\n")[0]) or lines[row.line - 1][0] == '"'
        for name, field in zip("pqr", row.fields, strict=True):
            assert (population.column(name).value(found) is None) == (field == "")


def test_a_target_of_one_class_is_refused_when_it_is_to_be_told_apart(tmp_path):
    opened = open_data(table(tmp_path, "a,b,c\n1,2,x\n2,3,x\n"), target="c")
    with pytest.raises(StructtreeError, match="all labels are identical: every individual has the class 'x'"):
        best_split(opened.population, opened.target, Grammar.from_schema(opened.population.schema))
