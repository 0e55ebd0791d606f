"""The command line, as a stranger uses it: right input gives words or JSON, wrong input gives one sentence."""

from __future__ import annotations

import gzip
import json

import pytest
from typer.testing import CliRunner

from structtree import load_dataset
from structtree.cli import app

runner = CliRunner()


def run(*args, input=None):
    return runner.invoke(app, [str(a) for a in args], input=input)


def succeed(*args):
    result = run(*args)
    assert result.exit_code == 0, result.output
    return result.stdout


def fail(*args, code=1):
    """The one sentence that a failing command prints."""
    result = run(*args)
    assert result.exit_code == code, (result.exit_code, result.output)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert "Traceback" not in result.output
    return result.stderr


COMMANDS = [
    ["datasets"],
    ["demo"],
    ["fit"],
    ["predict"],
    ["evaluate"],
    ["show"],
    ["explain"],
    ["export"],
    ["cv"],
    ["data", "info"],
    ["data", "schema"],
    ["data", "convert"],
    ["grammar", "check"],
    ["grammar", "show"],
    ["grammar", "count"],
    ["grammar", "derive"],
    ["grammar", "draw"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_has_help_with_an_example(command):
    assert f"structtree {' '.join(command)}" in " ".join(succeed(*command, "--help").split())


@pytest.mark.parametrize(
    "command", [[], ["data"], ["grammar"], ["datasets", "get"], ["effort"], *COMMANDS], ids=" ".join
)
def test_no_help_shows_a_type_beside_a_flag(command):
    told = succeed(*command, "--help")
    assert "bool" not in told.lower()
    assert "--help" in told


def test_the_data_sets_are_listed():
    names = [entry["name"] for entry in json.loads(succeed("datasets", "--json"))]
    assert {"trains", "michalski10", "dolphins", "monks-1", "bags"} <= set(names)
    assert "East-West" in succeed("datasets") or "East–West" in succeed("datasets")


def test_info_tells_types_members_and_target():
    info = json.loads(succeed("data", "info", "trains", "--json"))
    assert info["individuals"] == 20
    assert info["types"]["Car"]["rows"] == 63
    assert info["target"]["summary"] == "east 10, west 10"
    text = succeed("data", "info", "trains")
    assert "list of Car" in text
    assert "wheels" in text


def test_info_leaves_out_who_has_no_label_as_fit_does(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("x,y\n1,a\n2,\n3,b\n4,a\n")
    done = runner.invoke(app, ["data", "info", str(file), "--target", "y"])
    assert done.exit_code == 0
    assert "Target: y (a 2, b 1)" in done.stdout
    assert done.stderr == "warning: skipped 1 of 4 individuals without a value for y\n"


def test_a_converted_data_set_is_the_same_data(tmp_path):
    out = tmp_path / "trains.jsonl"
    assert json.loads(succeed("data", "convert", "trains", out, "--json"))["individuals"] == 20
    again = json.loads(succeed("data", "info", out, "--target", "direction", "--json"))
    first = json.loads(succeed("data", "info", "trains", "--json"))
    assert again["types"] == first["types"]
    assert again["target"] == first["target"]


def test_a_table_of_instances_becomes_sets(tmp_path):
    table = tmp_path / "bags.csv"
    table.write_text("molecule,f1,f2,class\na,1,2,yes\na,3,4,yes\nb,5,6,no\n", encoding="utf-8")
    out = tmp_path / "bags.jsonl"
    succeed("data", "convert", table, out, "--group", "molecule", "--link", "conformations")
    info = json.loads(succeed("data", "info", out, "--target", "class", "--json"))
    assert info["individuals"] == 2
    assert info["types"]["Conformation"]["rows"] == 3
    assert info["target"]["summary"] == "yes 1, no 1"


def test_a_kind_can_be_overridden(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("zip,n\n1234,1\n5678,2\n", encoding="utf-8")
    info = json.loads(succeed("data", "info", table, "--type", "zip=nominal", "--json"))
    assert [m["kind"] for m in info["types"]["Row"]["members"]] == ["nominal", "int"]


@pytest.mark.parametrize(
    ("grammar", "data"),
    [
        ("trains", "trains"),
        ("trains", "michalski10"),
        ("atoms-and-bonds", "planted-molecules"),
        ("multi-instance", "bags"),
        ("sequences", "sequences"),
        ("rooted-trees", "rooted-trees"),
        ("flat", "lenses"),
        ("flat", "dolphins"),
        ("flat", "hammond"),
    ],
)
def test_every_shipped_grammar_fits_its_data(grammar, data):
    assert json.loads(succeed("grammar", "check", grammar, "--data", data, "--json"))["warnings"] == []
    assert json.loads(succeed("grammar", "count", grammar, "--data", data, "--json"))["size"] > 1


def test_the_canonical_text_is_a_fixed_point(tmp_path):
    path = tmp_path / "again.grammar"
    path.write_text(succeed("grammar", "show", "trains"), encoding="utf-8")
    assert succeed("grammar", "show", path) == succeed("grammar", "show", "trains")


def test_checking_a_grammar_on_data_says_how_many_pairs_derived_links_have(tmp_path):
    text = """link rival: Car -> set of Car = ~cars.cars where wheels = my wheels and not me
        refine Train { top -> exists cars (top) } refine Car { top -> exists rival (top) } limits { nesting 3 }"""
    path = written(tmp_path, "rivals.grammar", text)
    cars = [train["cars"] for train in map(load_dataset("trains").population.record, range(20))]
    same = [a["wheels"] == b["wheels"] for some in cars for a in some for b in some if a is not b]
    assert f"link Car.rival: {sum(same)} pairs" in succeed("grammar", "check", path, "--data", "trains")
    assert json.loads(succeed("grammar", "check", path, "--data", "trains", "--json"))["links"] == {
        "Car.rival": sum(same)
    }


def test_a_derived_grammar_can_be_checked_and_counted(tmp_path):
    path = tmp_path / "mine.grammar"
    succeed("grammar", "derive", "trains", "-o", path)
    succeed("grammar", "check", path, "--data", "trains")
    assert int(succeed("grammar", "count", path, "--data", "trains").replace(",", "")) > 1000
    assert succeed("grammar", "derive", "--data", "trains") == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("suffix", [".svg", ".png", ".dot"])
def test_the_space_is_drawn(tmp_path, suffix):
    out = tmp_path / f"space{suffix}"
    drawn = json.loads(succeed("grammar", "draw", "trains", "--data", "trains", "-o", out, "--json"))
    assert drawn["nodes"] > 5
    assert out.stat().st_size > 500
    assert [p.name for p in tmp_path.iterdir()] == [out.name]


def test_the_demonstration_runs():
    text = succeed("demo")
    assert "20 trains with 63 cars" in text
    assert "counted, not enumerated" in text
    assert "exists cars (closed and not long): accuracy 0.9, proved best" in text
    assert "└─ no:  west 10/10" in text
    assert "if exists cars (closed and not long) then east (n=8, confidence 1.00)" in text
    assert "Why does train 8 go east?" in text
    assert "without pruning     86,459 predicates" in text


# ---- wrong input ----------------------------------------------------------------------------------------


def written(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_a_missing_file_is_named_and_a_near_one_suggested(tmp_path):
    written(tmp_path, "trains.jsonl", "{}\n")
    sentence = fail("data", "info", tmp_path / "trian.jsonl")
    assert "trian.jsonl" in sentence
    assert "did you mean" in sentence
    assert "did you mean 'trains'" in fail("data", "info", "trians")


def test_an_empty_file(tmp_path):
    for name in ("a.jsonl", "a.csv", "a.json"):
        assert "empty" in fail("data", "info", written(tmp_path, name, ""))


def test_broken_json_on_line_17(tmp_path):
    lines = ['{"a": 1}'] * 16 + ['{"a": '] + ['{"a": 1}'] * 3
    sentence = fail("data", "info", written(tmp_path, "a.jsonl", "\n".join(lines)))
    assert "a.jsonl:17" in sentence
    assert len(sentence) < 400


def test_a_link_to_a_row_that_is_not_there(tmp_path):
    text = '{"nodes": [{"$id": "a", "to": {"$ref": "b"}}]}\n'
    sentence = fail("data", "info", written(tmp_path, "a.jsonl", text))
    assert "'b'" in sentence
    assert "$.nodes[0].to" in sentence


def test_mixed_types_in_one_attribute(tmp_path):
    text = '{"bonds": [{"order": 1}]}\n{"bonds": [{"order": 2}, {"order": "high"}]}\n'
    sentence = fail("data", "info", written(tmp_path, "a.jsonl", text))
    assert "expected a number, got 'high' at $.bonds[1].order" in sentence
    assert "--type" in sentence


def test_a_10_mb_line(tmp_path):
    good = json.dumps({"items": [{"value": i} for i in range(600_000)]})
    assert len(good) > 10_000_000
    info = json.loads(succeed("data", "info", written(tmp_path, "good.jsonl", good), "--json"))
    assert info["types"]["Item"]["rows"] == 600_000
    sentence = fail("data", "info", written(tmp_path, "bad.jsonl", good[:-1]))
    assert "bad.jsonl:1" in sentence
    assert len(sentence) < 400
    assert len(fail("grammar", "check", written(tmp_path, "bad.grammar", "x" * 10_000_000))) < 600


def test_a_binary_file(tmp_path):
    for name in ("a.jsonl", "a.csv", "a.grammar"):
        path = written(tmp_path, name, bytes(range(256)) * 10)
        command = ("grammar", "check") if name.endswith("grammar") else ("data", "info")
        assert len(fail(*command, path)) < 400


def test_a_file_that_is_not_gzip(tmp_path):
    assert "gzip" in fail("data", "info", written(tmp_path, "a.jsonl.gz", b"hello"))
    path = written(tmp_path, "b.jsonl.gz", gzip.compress(b'{"a": 1}\n'))
    assert json.loads(succeed("data", "info", path, "--json"))["individuals"] == 1


TYPES = "type T = { a: nominal, n: int, b: bool, us: set of U }\ntype U = { c: red | green }\nindividual T\n"


def grammar_sentence(tmp_path, text, code=1, types=TYPES):
    return fail("grammar", "check", written(tmp_path, "g.grammar", types + text), code=code)


def test_a_cycle_in_defines(tmp_path):
    sentence = grammar_sentence(tmp_path, "define p: T = q\ndefine q: T = p\nrefine T { top -> p }")
    assert "p" in sentence
    assert "q" in sentence
    assert "cycle" in sentence or "itself" in sentence
    assert "g.grammar:4" in sentence


def test_an_unknown_attribute(tmp_path):
    sentence = grammar_sentence(tmp_path, "refine U { top -> colour = * }\nrefine T { top -> exists us (top) }")
    assert "g.grammar:4:19" in sentence
    assert "unknown" in sentence
    assert "^" in sentence


def test_an_unknown_type_with_a_near_one(tmp_path):
    assert "unknown type 'Trian' (did you mean 'Train'?)" in grammar_sentence(
        tmp_path, "refine Trian { top -> x }", types="type Train = { x: bool }\nindividual Train\n"
    )


def test_a_rewrite_that_generalises(tmp_path):
    sentence = grammar_sentence(tmp_path, "refine T { top -> n >= 3; n >= 3 -> n >= 2 }")
    assert "specialise" in sentence
    assert "g.grammar:4" in sentence


def test_a_rewrite_that_the_data_refutes_shows_the_row(tmp_path):
    data = written(tmp_path, "d.jsonl", '{"a": true, "b": true}\n{"a": false, "b": true}\n')
    text = "refine Individual { top -> a; a -> b }"
    sentence = fail("grammar", "check", written(tmp_path, "g.grammar", text), "--data", data)
    assert "row 1 of Individual satisfies 'b' but not 'a'" in sentence


def test_recursion_without_a_limit(tmp_path):
    text = "type N = { a: bool, to: set of N }\nindividual N\nrefine N { top -> exists to (top) }"
    assert "limits" in grammar_sentence(tmp_path, text, types="")


def test_100_000_brackets_in_a_grammar(tmp_path):
    sentence = grammar_sentence(tmp_path, "refine T { top -> " + "(" * 100_000 + "b" + ")" * 100_000 + " }")
    assert "nest" in sentence or "deep" in sentence
    assert len(sentence) < 600


def test_a_grammar_that_needs_data_says_so():
    assert "--data" in fail("grammar", "count", "flat")


def test_wrong_usage_exits_with_2(tmp_path):
    assert "NAME=KIND" in fail("data", "info", "lenses", "--type", "zip", code=2)
    assert ".jsonl" in fail("data", "convert", "lenses", tmp_path / "out.xlsx", code=2)
    assert ".svg" in fail("grammar", "draw", "trains", "--data", "trains", "-o", tmp_path / "x.gif", code=2)
    assert run("data", "info").exit_code == 2
    assert not list(tmp_path.iterdir())


def test_an_unknown_grammar_is_answered_with_the_known_ones():
    assert "did you mean 'trains'" in fail("grammar", "show", "trian")


def test_debug_shows_the_traceback():
    result = run("--debug", "data", "info", "trians")
    assert result.exception is not None
    assert "neither a file nor a dataset" in str(result.exception)


def test_words_for_missing_values_are_said_once_for_all_text_formats(tmp_path):
    pytest.importorskip("rdkit")
    (tmp_path / "a.csv").write_text("x,y\n1,a\nnull,b\n")
    (tmp_path / "a.smi").write_text("smiles x\nCCO 1\nCCC null\n")
    for name in ("a.csv", "a.smi"):
        info = json.loads(run("data", "info", str(tmp_path / name), "--json").stdout)
        members = {m["name"]: m for m in info["types"][info["individual"]]["members"]}
        assert (members["x"]["kind"], members["x"]["missing"]) == ("int", "1"), name
        info = json.loads(run("data", "info", str(tmp_path / name), "--missing-word", "-", "--json").stdout)
        members = {m["name"]: m for m in info["types"][info["individual"]]["members"]}
        assert members["x"]["kind"] == "nominal", name
