"""The columns that commands ask about: said, chosen, and warned of; and grammars that mention the target."""

import json
import shlex

import networkx as nx
import pytest

from tests.cli.test_commands import fail, run, succeed

ROWS = [f"{i},{i % 3},{'ab'[i % 7 > 2]},{i * 7 % 11},{'yn'[i % 5 > 1]}" for i in range(80)]
TABLE = "\n".join(["number,f1,f2,size,class", *ROWS]) + "\n"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(TABLE)
    return str(path)


def fitted(*words):
    return succeed("fit", *words, "--target", "class", "--max-depth", "2")


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ((), "4 columns: number, f1, f2, size"),
        (("--features", "f*"), "2 columns: f1, f2"),
        (("--ignore", "f*,number"), "1 column: size"),
        (("--ignore", "f1", "--ignore", "f2"), "2 columns: number, size"),
        (("--features", "f*,size", "--ignore", "f2"), "2 columns: f1, size"),
        (("--ignore", "*"), "nothing"),
        (("--ignore", "c*,f1"), "3 columns: number, f2, size"),
    ],
)
def test_commands_say_what_they_ask_about(table, words, asked):
    for command in (("fit",), ("cv", "--folds", "2", "--repeats", "1"), ("effort", "--criterion", "acc*")):
        assert f"\nFeatures: {asked}\n" in succeed(*command, table, "--target", "class", *words)
    facts = json.loads(succeed("fit", table, "--target", "class", "--json", *words))
    assert len(facts["grammar"]["attributes"]) == (0 if asked == "nothing" else int(asked.split()[0]))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--ignore", "siz"), "unknown attribute 'siz' (did you mean 'size'?)"),
        (("--features", "g*"), "unknown attribute 'g*' (known: 'class', 'f1', 'f2', 'number', 'size')"),
    ],
)
def test_a_name_that_matches_nothing_is_refused(table, words, message):
    assert message in fail("fit", table, "--target", "class", *words)


def test_the_target_is_no_feature(table):
    said = fail("fit", table, "--target", "class", "--features", "class", code=2)
    assert "'class' is the target and cannot be the only feature" in said


def test_a_column_that_gives_the_target_away_is_told_with_what_to_do(table, tmp_path):
    path = tmp_path / "leak.csv"
    lines = TABLE.splitlines()
    copied = [f"{line},{'is after' if i == 0 else line[-1] * 2}" for i, line in enumerate(lines)]
    path.write_text("\n".join(copied) + "\n")
    told = run("fit", str(path), "--target", "class").stderr
    hint = "if it is known only after class, exclude it: --ignore 'is after'"
    assert f"note: is after alone predicts class almost perfectly (accuracy 1): {hint}\n" in told
    words = shlex.split(told.partition("exclude it: ")[2].splitlines()[0])
    assert "alone predicts" not in run("fit", str(path), "--target", "class", *words).stderr


def test_other_targets_of_a_file_are_told_with_what_to_do(tmp_path):
    path = tmp_path / "targets.csv"
    path.write_text("x,y1,y2,y3,y4\n" + "".join(f"{i},{i % 3},{i % 5},{i % 4}.5,{i % 6}\n" for i in range(30)))
    told = run("fit", str(path), "--target", "y1", "--max-depth", "1").stderr
    assert "note: y2, y3, y4 look like other targets; " in told
    words = shlex.split(told.partition("together with y1: ")[2].splitlines()[0])
    assert words == ["--ignore", "y2,y3,y4"]
    result = run("fit", str(path), "--target", "y1", *words)
    assert "look like" not in result.stderr
    assert "Features: 1 column: x\n" in result.stdout


@pytest.mark.parametrize(
    "words",
    [
        ("fit", "DATA", "--target", "class", "--target", "size"),
        ("cv", "DATA", "--target", "class", "--folds", "2", "--folds", "3"),
        ("fit", "DATA", "--target", "class", "-o", "a.json", "--out", "b.json"),
        ("fit", "DATA", "--target=class", "--max-depth", "2", "--max-depth=2"),
        ("data", "info", "DATA", "--delimiter", ",", "--delimiter", ";"),
        ("data", "info", "DATA", "--header", "--no-header"),
        ("grammar", "derive", "DATA", "--json", "--json"),
        ("datasets", "get", "mutag", "--force", "--force"),
    ],
)
def test_an_option_that_is_given_twice_is_refused(table, words):
    result = run(*(table if word == "DATA" else word for word in words))
    assert result.exit_code == 2
    assert "was given twice" in result.stderr


def test_options_that_may_be_repeated_still_may(table):
    words = ("--type", "f1=nominal", "--type", "size=real", "--ignore", "f2", "--ignore", "number")
    said = succeed("data", "info", table, *words)
    assert [word in said for word in ("f1", "size", "f2", "number")] == [True, True, False, False]


# ---- grammars that mention the target --------------------------------------------------------------------

RECORDS = "\n".join(
    json.dumps({"size": i, "items": [{"kg": i % 4}] * (i % 3), "class": "yn"[i % 3 > 1]}) for i in range(12)
)
MOLECULES = "smiles,dose,class\n" + "".join(f"{'C' * (1 + i % 5)}O,{i},{i % 2}\n" for i in range(12))


def graphs(folder):
    folder.mkdir()
    for i in range(8):
        graph = nx.path_graph(2 + i % 4)
        graph.graph.update(size=i % 3, **{"class": "yn"[i % 2]})
        nx.write_graphml(graph, folder / f"{i}.graphml")


@pytest.mark.parametrize("form", ["t.csv", "t.jsonl", "t.smi.csv", "graphs"])
@pytest.mark.parametrize("with_target", [True, False])
def test_what_derive_writes_can_be_checked_and_learned_with(tmp_path, form, with_target):
    where = tmp_path / form
    match form:
        case "t.csv":
            where.write_text(TABLE)
        case "t.jsonl":
            where.write_text(RECORDS)
        case "t.smi.csv":
            pytest.importorskip("rdkit")
            where.write_text(MOLECULES)
        case _:
            graphs(where)
    data, grammar, target = str(where), str(tmp_path / "g.grammar"), ("--target", "class")
    succeed("grammar", "derive", data, "-o", grammar, *(target if with_target else ()))
    assert "fine" in succeed("grammar", "check", grammar, "--data", data)
    assert "fine" in succeed("grammar", "check", grammar, "--data", data, *target)
    trees = [
        succeed("fit", data, *target, *more).partition("training data")[0] for more in ((), ("--grammar", grammar))
    ]
    assert trees[0] == trees[1]
    succeed("cv", data, *target, "--grammar", grammar, "--folds", "2", "--repeats", "1")
    succeed("effort", data, *target, "--grammar", grammar, "--criterion", "acc*")


def test_what_is_left_out_of_a_grammar_is_said(table, tmp_path):
    grammar = str(tmp_path / "g.grammar")
    succeed("grammar", "derive", table, "-o", grammar)
    said = fitted(table, "--grammar", grammar, "--ignore", "size")
    assert "  skipped: size (ignored), class (the target); removed 3 rewrites\n" in said
    check = run("grammar", "check", grammar, "--data", table, "--target", "class")
    assert "note: skipped: class (the target); removed 1 rewrite" in check.stderr


def test_a_grammar_is_not_asked_about_data_that_is_not_given():
    assert "which must be given with --data" in fail("grammar", "count", "trains", "--target", "direction", code=2)


# ---- nodes and edges -------------------------------------------------------------------------------------


@pytest.fixture
def karate(tmp_path):
    graph = nx.path_graph(6)
    nx.set_node_attributes(graph, {i: "xy"[i % 2] for i in graph}, "club")
    nx.set_edge_attributes(graph, {edge: edge[0] % 2 for edge in graph.edges}, "weight")
    graph.graph["year"] = 1977
    path = tmp_path / "karate club.gml"
    nx.write_gml(graph, path)
    return str(path)


@pytest.mark.parametrize(
    ("words", "owner", "target"),
    [
        (("--target", "club"), "Node", "club"),
        (("--target", "weight"), "Edge", "weight"),
        ((), "Node", "club"),
        (("--target", "year"), "Node", "club"),
    ],
)
def test_the_hint_to_ask_about_nodes_or_edges_can_be_pasted(karate, words, owner, target):
    told = run("fit", karate, *words).stderr
    hint = next(line for line in told.splitlines() if "--individual" in line)
    advised = shlex.split(hint.rpartition(": ")[2])
    assert advised in (["--individual", owner], ["--individual", owner, "--target", target])
    succeed("fit", karate, "--target", target, "--individual", owner)
