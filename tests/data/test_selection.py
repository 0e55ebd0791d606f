"""Names and globs of the attributes to ask about, and of those to leave out."""

from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structtree import open_data
from structtree.data.selection import excluded_attributes, matched_names, shortest_patterns
from structtree.errors import UnknownNameError, UsageError

KNOWN = ["CT_1", "CT_2", "FDA", "a,b", "c*", "cd", "x y"]


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        ("CT_*", ["CT_1", "CT_2"]),
        ("FDA,CT_*", ["CT_1", "CT_2", "FDA"]),
        (" FDA , cd ", ["FDA", "cd"]),
        (["FDA", "cd,CT_1"], ["CT_1", "FDA", "cd"]),
        ("a,b", ["a,b"]),
        ("FDA,a,b,cd", ["FDA", "a,b", "cd"]),
        ("c*", ["c*"]),
        ("c?", ["c*", "cd"]),
        ("*", KNOWN),
        ("", []),
        ([], []),
    ],
)
def test_patterns_are_names_and_globs_with_commas_between(patterns, expected):
    assert matched_names(patterns, KNOWN) == expected


@pytest.mark.parametrize(
    ("patterns", "message"),
    [
        ("FDB", "unknown attribute 'FDB' (did you mean 'FDA'?)"),
        ("CT_1,NR-*", "unknown attribute 'NR-*' (known: 'CT_1', 'CT_2', 'FDA', 'a,b', 'c*', 'cd', 'x y')"),
    ],
)
def test_what_matches_nothing_is_refused(patterns, message):
    with pytest.raises(UnknownNameError) as caught:
        matched_names(patterns, KNOWN)
    assert str(caught.value) == message


def test_what_is_ignored_is_left_out_of_the_features_too():
    assert excluded_attributes(KNOWN, features="C*,FDA", ignore="CT_2") == ("CT_2", "a,b", "c*", "cd", "x y")
    assert excluded_attributes(KNOWN) == ()


def test_the_target_may_match_but_cannot_be_the_only_feature():
    assert excluded_attributes(["f1", "f2"], features="f*", ignore="y", target="y") == ()
    with pytest.raises(UsageError, match="'y' is the target and cannot be the only feature"):
        excluded_attributes(["f1", "f2"], features="y", target="y")


NAMES = st.lists(st.text("ab-_ ,*[", min_size=1, max_size=6).filter(lambda n: n == n.strip(" ,")), unique=True)


@given(NAMES, st.data())
def test_patterns_stand_for_the_names_they_were_made_of(names, data):
    chosen = [name for name in names if "," not in name and data.draw(st.booleans())]
    others = [name for name in names if name not in chosen]
    patterns = shortest_patterns(chosen, others)
    assert set(matched_names(patterns, names)) == set(chosen) if chosen else patterns == ""


def test_many_names_of_one_word_become_a_glob():
    patterns = shortest_patterns([*(f"{k}_disorders" for k in "abcd"), *(f"NR-{k}" for k in "abc")], ["other"])
    assert patterns == "*_disorders,NR-*"
    assert fnmatchcase("NR-x", "NR-*")


def test_open_data_takes_both(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("f1,f2,size,y\n1,2,3,a\n2,3,4,b\n")
    opened = open_data(path, target="y", features="f*,y", ignore=["f2"])
    assert opened.population.schema.type("Row").members == ("f1",)
    assert opened.left_out == ("f2", "size")
