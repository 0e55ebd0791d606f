"""The files of C4.5: names and rows find each other, and prose is told from declarations."""

from __future__ import annotations

import gzip
import shutil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structtree.data.readers.opening import open_data
from structtree.data.readers.sources import read_data
from structtree.data.readers.tables.c45 import read_c45
from structtree.data.schema import Attribute
from structtree.errors import DataError, MissingFileError, StructtreeError

NAMES = r"""
| who plays golf
no, yes.      | the classes

sky: sunny, overcast,
     rain.
degrees: continuous.  wind : true, false
town: discrete 2
id: ignore.
a\:b: St\. Louis, New  York.
"""

ROWS = r"""
| a comment
sunny, 25.5, true, here, 1, St\. Louis, no.
overcast, ?, false, there, 2, New York, yes
rain,-3,true,?,3,?,yes.
"""


def files(folder, names=NAMES, rows=ROWS, name="golf"):
    (folder / f"{name}.names").write_text(names)
    (folder / f"{name}.data").write_text(rows)
    return folder / f"{name}.data"


def sentence(path, **options):
    with pytest.raises(StructtreeError) as caught:
        read_c45(path, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_names_and_rows_are_read_together(tmp_path):
    golf = read_c45(files(tmp_path))
    assert golf.schema.type("Row").attributes == (
        Attribute("sky", "nominal", ("sunny", "overcast", "rain")),
        Attribute("degrees", "real"),
        Attribute("wind", "nominal", ("true", "false")),
        Attribute("town", "nominal"),
        Attribute("a:b", "nominal", ("St. Louis", "New York")),
        Attribute("class", "nominal", ("no", "yes")),
    )
    assert golf.record(0) == {
        "sky": "sunny",
        "degrees": 25.5,
        "wind": "true",
        "town": "here",
        "a:b": "St. Louis",
        "class": "no",
    }
    assert golf.record(2) == {"sky": "rain", "degrees": -3.0, "wind": "true", "class": "yes"}


def test_each_file_finds_its_partner(tmp_path):
    path = files(tmp_path)
    (tmp_path / "golf.test").write_text("sunny, 1, true, x, 9, ?, no\n")
    assert len(read_c45(tmp_path / "golf.names")) == 3 and len(read_c45(tmp_path / "golf.test")) == 1
    (tmp_path / "golf.names.gz").write_bytes(gzip.compress(NAMES.encode()))
    (tmp_path / "golf.data.gz").write_bytes(gzip.compress(path.read_bytes()))
    (tmp_path / "golf.names").unlink()
    path.unlink()
    assert len(read_c45(tmp_path / "golf.data.gz")) == len(read_c45(tmp_path / "golf.names.gz")) == 3


def test_the_class_is_the_target(tmp_path):
    opened = open_data(files(tmp_path))
    assert opened.target_name == "class" and opened.target.tolist() == ["no", "yes", "yes"]
    assert open_data(tmp_path / "golf.names", target="wind").target.tolist() == ["true", "false", "true"]


def test_the_class_may_be_one_of_the_attributes(tmp_path):
    opened = open_data(files(tmp_path, "play.\nplay: no, yes.\nx: continuous.\nclass: a, b.\n", "no,1,a\nyes,2,b\n"))
    assert opened.target_name == "play" and opened.target.tolist() == ["no", "yes"]
    opened = open_data(files(tmp_path, "no, yes.\nclass: a, b.\n", "a,no\nb,yes\n"))
    assert opened.target_name == "target" and opened.target.tolist() == ["no", "yes"]


def test_what_the_user_says_goes_before_what_is_declared(tmp_path):
    path = files(tmp_path, "no,yes.\ng: p,q.\nx: continuous.\n", "p,1,no\nq,3,no\np,2,no\n")
    bags = read_c45(path, group="g", link="items", types={"x": "int"})
    assert bags.record(0) == {"class": "no", "items": [{"x": 1}, {"x": 2}]}


NAME = (
    st.text("abc.-_ |:,\\", min_size=1, max_size=6)
    .map(lambda text: " ".join(text.split()))
    .filter(lambda text: text not in ("", "?"))
)


@given(st.lists(NAME, min_size=2, max_size=5, unique=True), st.integers(0, 10))
def test_any_name_can_be_written_with_escapes(tmp_path_factory, values, seed):
    folder = tmp_path_factory.mktemp("c45")
    escaped = ["".join(f"\\{sign}" if sign in ".|:,\\" else sign for sign in value) for value in values]
    rows = "".join(f"{escaped[(seed + i) % len(values)]}, no\n" for i in range(4))
    population = read_c45(files(folder, f"no, yes.\nx: {', '.join(escaped)}.\n", rows))
    assert population.schema.type("Row").attribute("x").values == tuple(values)
    assert [population.record(i)["x"] for i in range(4)] == [values[(seed + i) % len(values)] for i in range(4)]


PROSE = "to read only the rows: format='csv' header=False"


@pytest.mark.parametrize(
    ("names", "rows", "message"),
    [
        (
            "1. Title: Golf\n\n2. Sources: me\n",
            "a,b\n",
            ".names:3: expected an attribute, as in 'age: continuous.'",
        ),
        ("This is prose.\nAnd more\n", "a,b\n", ".names:2: expected an attribute, as in"),
        ("yes, no.\n", "a,b\n", ".names:1: expected the classes, as in 'yes, no.', and then the attributes, got 'ye"),
        ("| nothing\n", "a,b\n", ".names:1: expected the classes and the attributes, got 'comments only'"),
        ("a,b.\nx: continuous.\ny := x + 1.\n", "1,a\n", ".names:3: expected an attribute"),
        (
            "a,b.\nx: continuous.\n",
            "1,a\n1,2,b\n",
            ".data:2: expected 2 values (x, class and so on, as in the nam",
        ),
        ("a,b.\nx: continuous.\n", "1,a\n2,c\n", ".data:2: unknown category 'c' (known: 'a', 'b') at column 'class'"),
        ("a,b.\nx: continuous.\n", "|\n1,a\nhigh,a\n", ".data:3: expected a number, got 'high' at column 'x'"),
        ("a,b.\nx: u, v.\n", "u,a\nw,a\n", ".data:2: unknown category 'w' (known: 'u', 'v') at column 'x'"),
        (
            "a,b.\nx: discrete 2.\n",
            "u,a\nv,a\nw,a\n",
            ".data: expected at most 2 values, as in the names file",
        ),
        ("a,b.\nx: continuous.\n", "| no\n", ".data: the file has no rows"),
        (
            "a,b.\nx: continuous.\nx: continuous.\n",
            "1,2,a\n",
            ".data: columns 1 and 2 are both named 'x'; rename one",
        ),
    ],
)
def test_broken_files_are_refused_with_their_line(tmp_path, names, rows, message):
    path = files(tmp_path, names, rows)
    found = sentence(path).removeprefix(str(path.with_suffix("")))
    assert found.startswith(message)
    assert found.endswith(PROSE) == message.startswith(".names")


def test_a_file_without_its_partner_says_how_to_read_it(tmp_path):
    path = files(tmp_path)
    (tmp_path / "golf.names").unlink()
    assert sentence(path) == f"{path} needs golf.names in the same folder; {PROSE}"
    path.write_text("sunny,25.5,no\nrain,?,yes\n")
    assert read_data(path, format="csv", header=False).record(1) == {"c1": "rain", "c3": "yes"}
    path = files(tmp_path)
    path.unlink()
    names = tmp_path / "golf.names"
    assert sentence(names) == f"{names} needs golf.data in the same folder"
    with pytest.raises(MissingFileError):
        read_c45(path)


def test_real_pairs_are_read(shared_data, tmp_path):
    """Musk 1 and Adult; the test part of Adult has a period after the class."""
    musk = open_data(shared_data("musk/clean1.data.gz"))
    assert len(musk.population) == 476 and len(musk.population.schema.type("Row").attributes) == 168
    assert musk.target.tolist().count("1") == 207
    bags = open_data(shared_data("musk/clean1.names"), group="molecule_name", link="conformations")
    assert len(bags.population) == 92 and bags.target.tolist().count("1") == 47
    for part, name in (("data", "train"), ("test", "test")):
        shutil.copy(shared_data(f"uci/adult-{name}.csv.gz"), tmp_path / f"adult.{part}.gz")
    shutil.copy(shared_data("uci/adult.names"), tmp_path)
    train, test = open_data(tmp_path / "adult.data.gz"), open_data(tmp_path / "adult.test.gz")
    assert (len(train.population), train.target.tolist().count("<=50K")) == (32_561, 24_720)
    assert len(test.population) == 16_281 and set(test.target.tolist()) == {"<=50K", ">50K"}
    assert train.population.schema == test.population.schema


@pytest.mark.parametrize("name", ["uci/agaricus-lepiota.names", "uci/monks.names"])
def test_real_prose_is_refused(shared_data, name):
    path = shared_data(name)
    with pytest.raises(DataError, match=r"expected an attribute, as in .* this is not a C4.5 names file"):
        read_c45(path)
