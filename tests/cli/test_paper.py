"""`structtree paper`, as a stranger uses it."""

from __future__ import annotations

import json
import re

import pytest

from tests.cli.test_commands import fail, succeed


def test_tables_are_printed_beside_the_published_figures():
    text = succeed("paper", "--tables", "1,4", "--problem", "east-west", "--problem", "headline")
    assert "Table 1" in text and "Table 4" in text and "Table 2" not in text
    rows = [line.split() for line in text.splitlines() if line.startswith("East West ")]
    assert [row[2] for row in rows if row[-1] == "ok"] == ["acc*", "mse"]
    assert all({"2,073", "1,905"} <= set(row) for row in rows if row[-1] == "ok")
    assert text.count("no data") == 2
    assert "East West: acc*, entropy and gini have the same counts because they prune the same predicates" in text
    assert "at most the published share of the space in 1 of 1 rows" in text
    assert "Headline: the data is not available" in text
    assert "K. S. Ng and J. W. Lloyd" in text


def test_accuracies_are_printed_with_standard_errors_and_the_original_test_set():
    text = succeed("paper", "--tables", "2", "--problem", "monks-3", "--problem", "audiology", "--repeats", "1")
    assert "0.884 ± 0.029" in text
    assert "is significant (p < 0.05) in 0 rows, in the paper in 0 of these rows" in text
    assert "  Monks-3: acc* 0." in text
    assert [line.split()[-2:] for line in text.splitlines() if line.startswith("Audiology ")] == [["no", "data"]]


def test_an_accuracy_that_is_too_low_is_reported_in_standard_errors(tmp_path):
    rows = "\n".join(f"{i % 3},{'ab'[i % 2]}" for i in range(60))
    path = tmp_path / "ears.arff"
    path.write_text(f"@relation ears\n@attribute x {{0,1,2}}\n@attribute class {{a,b}}\n@data\n{rows}\n")
    text = succeed(
        "paper", "--tables", "3", "--problem", "audiology", "--file", f"audiology={path}", "--repeats", "1"
    )
    found = re.search(r"Audiology: acc\* has (0\.\d+), which is (\d+\.\d) standard errors below 0\.710", text)
    assert (0.710 - float(found[1])) / (0.71 * 0.29 / 60) ** 0.5 == pytest.approx(float(found[2]), abs=0.06)
    assert "standard errors (±), in 0 of 1 rows" in text


def test_json_has_a_list_for_each_table():
    found = json.loads(succeed("paper", "--tables", "4,3", "--problem", "lenses", "--repeats", "1", "--json"))
    assert list(found) == ["table 3", "table 4"]
    assert found["table 4"] == []
    (row,) = found["table 3"]
    assert row["published"] == {"acc*": 0.85, "entropy": 0.85}
    assert 0 <= row["p"] <= 1
    assert row["agrees"]


def test_wrong_options_are_answered_in_one_sentence():
    assert "--tables takes numbers from 1 to 4" in fail("paper", "--tables", "5", code=2)
    assert "--file takes a problem and a file" in fail("paper", "--file", "audiology.arff", code=2)
    assert "did you mean 'audiology'" in fail("paper", "--file", "audiolgy=a.arff")
    assert "did you mean 'musk-1'" in fail("paper", "--problem", "musk")


def test_a_folder_with_original_files_replaces_downloads(tmp_path):
    rows = "\n".join(f"{i % 2},{'ab'[i % 2]}" for i in range(20))
    path = tmp_path / "audiology.arff"
    path.write_text(f"@relation ears\n@attribute x {{0,1}}\n@attribute class {{a,b}}\n@data\n{rows}\n")
    given = ["--tables", "2", "--problem", "audiology", "--repeats", "1"]
    text = succeed("paper", *given, "--data", tmp_path)
    assert f"Audiology: read from {path}" in text
    assert [line.split()[-1] for line in text.splitlines() if line.startswith("Audiology ")] == ["ok"]
    assert "no data" in succeed("paper", *given)
    assert "does not exist" in fail("paper", "--data", tmp_path / "nowhere", code=2)


def test_a_file_that_cannot_be_read_costs_its_row_only(tmp_path):
    given = ["--tables", "2", "--problem", "audiology", "--problem", "lenses", "--repeats", "1"]
    text = succeed("paper", *given, "--file", f"audiology={tmp_path / 'ears.arff'}")
    ends = [line.split()[-1] for line in text.splitlines() if line.startswith(("Audiology ", "Lenses "))]
    assert ends == ["data", "ok"]
    assert "Audiology: " in text and "ears.arff" in text
