"""`structtree patterns`, as a stranger uses it."""

from __future__ import annotations

import json

import pytest

from tests.cli.test_commands import fail, succeed


@pytest.fixture
def baskets(tmp_path):
    path = tmp_path / "baskets.jsonl"
    texts = [
        "nappies",
        "beer crisps",
        "apples nappies",
        "beer crisps nappies",
        "apples",
        "apples beer crisps nappies",
    ]
    path.write_text("".join(json.dumps({"items": text.split()}) + "\n" for text in texts), encoding="utf-8")
    return path


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


def test_help_has_examples():
    assert "structtree patterns trains --support 0.5" in " ".join(succeed("patterns", "--help").split())


def test_the_size_of_the_space_comes_before_the_patterns(baskets):
    text = succeed("patterns", baskets, "--support", 3)
    assert text.index("the space has") < text.index("exists items (value = beer)") < text.index("patterns\n")
    assert "6 individuals; patterns of at least 3 (0.5)" in text


def test_json_has_a_line_for_each_pattern(baskets):
    first, *found, last = lines(succeed("patterns", baskets, "--support", 3, "--literals", 4, "--json"))
    assert (first["individuals"], first["least"]) == (6, 3)
    both = "exists items (value = beer) and exists items (value = crisps)"
    assert {"pattern": both, "n": 3, "support": 0.5} in found
    assert (last["n"], last["stopped_by"]) == (len(found), "done")


def test_json_has_a_line_for_each_rule(baskets):
    given = ["--support", 3, "--literals", 4, "--rules", "--confidence", 0.9, "--top", 2, "--json"]
    _, *found, last = lines(succeed("patterns", baskets, *given))
    assert len(found) == last["n"] == 2
    assert all(rule["confidence"] >= 0.9 for rule in found)


def test_patterns_in_words(baskets):
    assert "0.500  3  " in succeed("patterns", baskets, "--support", 3, "--words")


def test_without_time_the_command_says_that_patterns_are_missing():
    text = succeed("patterns", "mutag", "--support", 0.2, "--time-limit", 0.001)
    assert "incomplete: the time limit ended the search" in text


def test_a_page_and_views_are_written(baskets, tmp_path):
    page = tmp_path / "found.html"
    succeed("patterns", baskets, "--support", 3, "--report", page)
    assert "exists items (value = beer)" in page.read_text(encoding="utf-8")
    assert "from the tables of a database" in fail("patterns", baskets, "--sql", tmp_path / "views.sql", code=2)
    assert "association rules have no view" in fail(
        "patterns", baskets, "--rules", "--sql", tmp_path / "views.sql", code=2
    )


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (["--support", 0], "--support must be a number > 0; got 0"),
        (["--closed", "--maximal"], "closed and maximal are mutually exclusive"),
        (["--confidence", 0.5], "confidence is for association rules"),
    ],
)
def test_wrong_options_are_refused_before_reading(given, sentence):
    assert sentence in fail("patterns", "no such file", *given, code=2)
