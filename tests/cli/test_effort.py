"""`structtree effort`, as a stranger uses it."""

from __future__ import annotations

import json
import re
import signal

import pytest

from structtree.report import effort as report
from tests.cli.test_commands import fail, run, succeed

KEYS = {
    "criterion",
    "space",
    "evaluated",
    "evaluated_exhaustive",
    "percent",
    "seconds",
    "score",
    "proved",
    "predicate",
    "exhaustive_estimated",
    "agree",
    "fit",
}


def efforts(*args):
    return json.loads(succeed("effort", *args, "--json"))


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "weather.csv"
    rows = ["humidity,wind,play", "70,no,yes", "90,no,no", "65,yes,yes", "95,yes,no", "80,no,yes", "85,yes,no"]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_help_has_an_example():
    assert "structtree effort trains" in " ".join(succeed("effort", "--help").split())


def test_json_has_one_object_per_criterion():
    found = efforts("lenses", "--grammar", "flat", "--criterion", "acc*,entropy", "--criterion", "gini")
    assert [effort["criterion"] for effort in found] == ["acc*", "entropy", "gini"]
    for effort in found:
        assert set(effort) >= KEYS
        assert effort["proved"]
        assert effort["agree"]
        assert effort["evaluated"] <= effort["evaluated_exhaustive"]


def test_a_table_is_printed_for_people():
    text = succeed("effort", "lenses", "--criterion", "entropy")
    assert "entropy" in text
    rows = [line.split() for line in text.splitlines()[1:4]]
    assert rows[0][:4] == ["entropy", "40", "with", "pruning"]
    assert rows[1][:4] == ["without", "pruning", "40", "100"]
    assert rows[2][:3] == ["fit,", "by", "table"]
    assert "astigmatic" in text
    assert "estimated" not in text


def test_it_ends_with_a_sentence_about_the_first_criterion():
    *_, last = succeed("effort", "trains", "--criterion", "gini,acc*").splitlines()
    assert last.startswith("By gini, 'exists cars (closed and not long)' is proved the best of 86,459 tests")
    assert "without pruning it takes about" in last
    assert "; fit, by the route 'table', evaluates " in last


def test_equal_counts_are_explained_once():
    text = succeed("effort", "trains", "--criterion", "acc*,gini", "--exhaustive-limit", 0)
    assert text.count("acc* and gini have the same counts because they prune the same predicates") == 1
    assert "have the same counts" not in succeed("effort", "trains", "--criterion", "acc*", "--exhaustive-limit", 0)


def test_criteria_and_orders_are_compared_at_equal_budgets():
    given = ["trains", "--criterion", "acc*", "--exhaustive-limit", 0, "--budgets", "1000,100"]
    lines = succeed("effort", *given).splitlines()
    (heads,) = (line.split() for line in lines if line.startswith("criterion  order"))
    assert heads == ["criterion", "order", "100", "1,000"]
    orders = [line for line in lines if " open" in line and line.startswith("acc*")]
    assert [re.split(" {2,}", order)[1] for order in orders] == [
        "bounds and finder",
        "finder alone",
        "without bounds",
    ]
    (effort,) = efforts(*given)
    assert [row["budget"] for row in effort["budgets"]] == [100, 1000] * 3
    assert "as in 100,1000" in fail("effort", "trains", "--budgets", "many", code=2)
    assert "as in 100,1000" in fail("effort", "trains", "--budgets", "0", code=2)


def test_it_says_where_the_time_went():
    given = ["trains", "--criterion", "acc*", "--exhaustive-limit", 0]
    (effort,) = efforts(*given)
    assert {"order", "position", "evaluated", "seconds"} == set(effort["passes"][0])
    assert {one["order"] for one in effort["passes"]} == {"prove"}  # too few wait for the finder to begin
    assert {"(individual)", "cars"} <= {one["position"] for one in effort["passes"]}
    assert sum(one["evaluated"] for one in effort["passes"]) <= effort["evaluated"]
    text = succeed("effort", *given)
    assert "where the time went" in text
    assert "to prove" in text and "to find" not in text
    (whole,) = efforts(*given, "--whole-tree")
    places = [(one["order"], one["position"]) for one in whole["passes"]]
    assert len(set(places)) == len(places)


@pytest.mark.parametrize(("at", "n_done"), [(1, 0), (3, 1)])
def test_ctrl_c_keeps_the_criteria_that_are_done(monkeypatch, at, n_done):
    """By each criterion there is a search to warm up, and one with pruning."""
    real, calls = report.best_split, []

    def pressed(*arguments, **options):
        calls.append(1)
        if len(calls) == at:
            signal.raise_signal(signal.SIGINT)
        return real(*arguments, **options)

    monkeypatch.setattr(report, "best_split", pressed)
    result = run("effort", "trains", "--criterion", "acc*,gini", "--exhaustive-limit", 0, "--json")
    assert result.exit_code == 130
    if n_done:
        assert len(json.loads(result.stdout)) == n_done
        assert "interrupted: results so far, for 1 criterion" in result.stderr
    else:
        assert result.stderr == "error: stopped\n"


def test_estimates_are_marked():
    text = succeed("effort", "lenses", "--criterion", "entropy", "--exhaustive-limit", 0)
    (whole,) = (line.split() for line in text.splitlines() if line.split()[:1] == ["without"])
    assert whole[2] == "~40" and whole[4].startswith("~")
    assert "~ estimated" in text
    assert "without pruning it takes about" in text


def test_a_search_that_had_to_stop_says_so():
    text = succeed("effort", "bags", "--criterion", "entropy", "--time-limit", 0.2, "--exhaustive-limit", 0)
    assert "entropy: the best found, not proved best, since the time limit ended the search; " in text
    assert "to prove more, allow more time, or use a smaller grammar" in text
    assert "~1,647,122,635" in text


def test_the_grammar_in_use_is_named():
    given = ["effort", "trains", "--criterion", "acc*", "--exhaustive-limit", 1]
    assert "\nGrammar: trains (shipped, made for this data)\nFeatures: cars\nBy acc*, " in succeed(*given)
    assert json.loads(succeed(*given, "--json"))[0]["grammar"]["name"] == "trains"


def test_data_of_ones_own_gets_the_default_grammar(table):
    (effort,) = efforts(table, "--target", "play", "--criterion", "entropy")
    assert effort["score"] == 0
    assert "humidity" in effort["predicate"]


def test_a_table_of_instances_is_grouped(tmp_path):
    table = tmp_path / "bags.csv"
    table.write_text("bag,f,class\na,1,yes\na,9,yes\nb,2,no\nc,8,yes\nd,3,no\nd,1,no\n", encoding="utf-8")
    (effort,) = efforts(table, "--group", "bag", "--link", "items", "--target", "class", "--criterion", "acc*")
    assert effort["score"] == 1
    assert "items" in effort["predicate"]


def test_a_whole_tree_costs_more_than_its_root():
    (root,) = efforts("lenses", "--criterion", "entropy")
    (tree,) = efforts("lenses", "--criterion", "entropy", "--whole-tree")
    assert tree["nodes"] > 1
    assert tree["evaluated"] > root["evaluated"]
    assert "score and best predicate are those of the root" in succeed(
        "effort", "lenses", "--criterion", "entropy", "--whole-tree"
    )


@pytest.mark.parametrize(
    ("predicate", "kind"),
    [
        ("tear_rate = reduced", "equivalent"),
        ("tear_rate = normal", "winner"),
        ("age = young", "outscored"),
        ("age = young and tear_rate = normal", "pruned"),
        ("age = ancient", "not derivable"),
        ("aeg = young", "not derivable"),
    ],
)
def test_why_not_answers(predicate, kind):
    given = ["lenses", "--criterion", "gini", "--why-not", predicate]
    (effort,) = efforts(*given)
    answer = effort["why_not"]
    assert answer["kind"] == kind
    assert f"gini: {answer['sentence']}" in succeed("effort", *given).splitlines()


def test_it_is_drawn(tmp_path):
    path = tmp_path / "effort.png"
    assert f"drew {path}" in succeed("effort", "lenses", "--criterion", "acc*,gini", "--plot", path)
    assert path.read_bytes().startswith(b"\x89PNG")


def test_a_pipe_gets_no_progress(capfd):
    succeed("effort", "lenses", "--criterion", "entropy", "--json")
    assert capfd.readouterr().err == ""


def test_labels_must_be_named(table):
    assert "--target" in fail("effort", table, code=2)
    assert "play" in fail("effort", table, code=2)
    assert "did you mean 'play'" in fail("effort", table, "--target", "plai")


def test_an_unknown_criterion_is_answered_with_the_nearest():
    assert "did you mean 'entropy'" in fail("effort", "lenses", "--criterion", "entropi", code=2)


def test_one_class_only_is_nothing_to_tell_apart(tmp_path):
    table = tmp_path / "same.csv"
    table.write_text("a,c\n1,yes\n2,yes\n", encoding="utf-8")
    assert "all labels are identical" in fail("effort", table, "--target", "c")


def test_a_criterion_for_numbers_needs_numbers():
    assert "numbers" in fail("effort", "lenses", "--criterion", "mse")


def test_a_predicate_that_cannot_be_read_is_an_error_before_the_search():
    assert "error" in fail("effort", "lenses", "--why-not", "exists cars (")


def test_wrong_usage_exits_with_2(tmp_path):
    assert ".png" in fail("effort", "lenses", "--plot", tmp_path / "effort.gif", code=2)
    assert "time_limit" in fail("effort", "lenses", "--time-limit", 0, code=2)
    assert "min_samples_leaf" in fail("effort", "lenses", "--min-samples-leaf", 0, code=2)
    assert "--max-depth is for --whole-tree" in fail("effort", "lenses", "--max-depth", 2, code=2)
    assert not list(tmp_path.iterdir())
