"""`structtree.fit` of a source is `structtree fit`: the same tree, scores, remarks and file."""

import json
import sqlite3

import numpy as np
import pytest
from typer.testing import CliRunner

import structtree
from structtree.cli import app
from structtree.cli.flags import as_flag
from structtree.errors import UsageError
from structtree.models.files.models import load_model, model_to_json

SMILES = ["CCO", "CCC", "CCCO", "CC", "OCCO", "CCN", "CO", "CCCC", "OC(C)C", "c1ccccc1"]


def molecules(folder):
    """Molecules with a class of 0 and 1, a copy of it, and one row without a label."""
    rows = [f"{SMILES[i % 10]},{i % 7},{int('O' in SMILES[i % 10])},{int('O' in SMILES[i % 10])}" for i in range(80)]
    file = folder / "molecules.csv"
    file.write_text("\n".join(["smiles,dose,copy,activity", *rows, "CCF,3,1,"]) + "\n")
    return file, {"target": "activity", "max_depth": 2}


def plain_numbers(folder):
    """A regression target with few values, and a word among numbers."""
    rows = [f"{i % 9},{'x' if i == 5 else i % 4},{i % 9 // 3}" for i in range(90)]
    file = folder / "numbers.csv"
    file.write_text("\n".join(["a,b,y", *rows]) + "\n")
    return file, {"target": "y"}


def nested(folder):
    rows = [{"parts": [{"kg": j % 5} for j in range(i % 4)], "heavy": i % 4 > 2} for i in range(60)]
    file = folder / "nested.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file, {"target": "heavy"}


def bank(folder):
    """Loans with payments, some of them after the loan, whose individuals see only what was before."""
    rng = np.random.default_rng(0)
    file = folder / "bank.sqlite"
    with sqlite3.connect(file) as shop:
        shop.execute("CREATE TABLE account(id INTEGER PRIMARY KEY, kind TEXT)")
        shop.execute(
            "CREATE TABLE loan(id INTEGER PRIMARY KEY, account INTEGER REFERENCES account, date TEXT, status TEXT)"
        )
        shop.execute("CREATE TABLE payment(account INTEGER REFERENCES account, date TEXT, amount INTEGER)")
        for i in range(80):
            shop.execute("INSERT INTO account VALUES (?, ?)", (i, "ab"[i % 2]))
            shop.execute("INSERT INTO loan VALUES (?, ?, ?, ?)", (i, i, f"2020-06-{1 + i % 28:02}", "yn"[i % 3 == 0]))
            for month in rng.integers(1, 12, size=int(i % 3 == 0) + 1).tolist():
                shop.execute("INSERT INTO payment VALUES (?, ?, ?)", (i, f"2020-{month:02}-15", 10 + month % 2))
    shop.close()
    return file, {
        "target": "status",
        "individual": "loan",
        "as_of": "loan.date",
        "max_depth": 1,
        "max_evaluations": 300,
    }


def rings(folder):
    tu = folder / "RINGS"
    tu.mkdir()
    edges = [(4 * g + a, 4 * g + b) for g in range(24) for a, b in ((1, 2), (2, 3), (3, 4), *[(4, 1)] * (g % 2))]
    both = [f"{a}, {b}" for a, b in edges for a, b in ((a, b), (b, a))]
    parts = {
        "A": both,
        "graph_indicator": [1 + i // 4 for i in range(96)],
        "graph_labels": [g % 2 for g in range(24)],
        "node_labels": [i % 3 for i in range(96)],
    }
    for name, lines in parts.items():
        (tu / f"RINGS_{name}.txt").write_text("".join(f"{line}\n" for line in lines))
    return tu, {}


def facts(folder):
    lines = [f"atom(m{i}, a{i}_{j}, {'c' if j else 'no'[i % 2]})." for i in range(20) for j in range(3)]
    kb = folder / "kb.pl"
    kb.write_text("\n".join([*lines, *(f"{'active' if i % 2 else 'idle'}(m{i})." for i in range(20))]) + "\n")
    (folder / "facts").mkdir()
    where = folder / "facts"
    (where / "kb.pl").write_text("\n".join(lines) + "\n")
    (where / "pos.pl").write_text("".join(f"active(m{i}).\n" for i in range(1, 20, 2)))
    (where / "neg.pl").write_text("".join(f"active(m{i}).\n" for i in range(0, 20, 2)))
    return where, {}


def named(folder):
    return "lenses", {}


def odd_table(folder):
    """Options of reading, of learning and of classes, together."""
    rows = [f"{i % 5};{i % 3},5;{'rare' if i % 10 == 0 else 'usual'}" for i in range(70)]
    file = folder / "odd.txt"
    file.write_text("\n".join(rows) + "\n")
    options = {"format": "csv", "delimiter": ";", "decimal": ",", "header": False, "names": ["a", "b", "y"]}
    return file, {"target": "y", **options, "types": {"a": "nominal"}, "class_weight": "balanced", "goal": "reading"}


SOURCES = [molecules, plain_numbers, nested, bank, rings, facts, named, odd_table]


def words(options):
    """Return options as the command line has them."""
    found = []
    for name, value in options.items():
        flag = {"types": "--type", "goal": "--for"}.get(name, f"--{name.replace('_', '-')}")
        match value:
            case bool():
                found.append(flag if value else f"--no-{name}")
            case dict():
                found += [word for key, kind in value.items() for word in (flag, f"{key}={kind}")]
            case list():
                found += [flag, ",".join(value)]
            case _:
                found += [flag, str(value)]
    return found


def command(*args):
    result = CliRunner().invoke(app, list(map(str, args)))
    assert result.exit_code == 0, result.stderr
    return result


def remarks_in(stderr):
    lines = stderr.splitlines()
    return [
        line for line in lines if line.startswith(("note: ", "warning: ")) and not line.startswith("note: compil")
    ]


def plain(document):
    """A model's file without what depends on the clock."""
    if isinstance(document, dict):
        return {key: plain(value) for key, value in document.items() if key not in ("seconds", "trace")}
    return [plain(each) for each in document] if isinstance(document, list) else document


@pytest.mark.filterwarnings("ignore:skipped 1 of 81 individuals")
@pytest.mark.parametrize("make", SOURCES, ids=lambda make: make.__name__)
def test_the_library_and_the_command_learn_the_same(make, tmp_path):
    where, options = make(tmp_path)
    file = tmp_path / "model.json"
    # Whether an estimate is quick, and where a search ends, must not depend on the load of the machine.
    estimate = make in (plain_numbers, named, odd_table)
    flag = "--estimate" if estimate else "--no-estimate"
    result = command("fit", where, *words(options), flag, "--time-limit", 6000, "-o", file, "--json")
    said = json.loads(result.stdout)
    model = structtree.fit(where, **options, estimate=estimate, time_limit=6000)
    assert plain(model_to_json(model)) == plain(json.loads(file.read_text()))
    assert model.training.to_dict() == said["training"]
    assert (model.estimate is None) == (said["estimate"] is None) == (not estimate)
    if estimate:
        assert model.estimate.to_dict() == {key: value for key, value in said["estimate"].items() if key != "folds"}
    assert [f"{each.kind}: {each.sentence(as_flag)}" for each in model.remarks] == remarks_in(result.stderr)


def test_remarks_advise_options_that_each_front_end_spells_its_own_way(tmp_path):
    where, options = molecules(tmp_path)
    with pytest.warns(UserWarning, match="skipped 1 of 81 individuals"):
        model = structtree.fit(where, **options, estimate=False)
    leak = next(each for each in model.remarks if each.options and str(each).startswith("copy "))
    assert leak.options == (("ignore", "copy"),)
    assert str(leak).endswith("exclude it: ignore='copy'")
    assert leak.sentence(as_flag).endswith("exclude it: --ignore copy")


def test_a_path_and_opened_data_are_sources_too(tmp_path):
    where, options = nested(tmp_path)
    trees = [
        structtree.fit(source, **given).tree
        for source, given in ((str(where), options), (where, options), (structtree.open_data(where, **options), {}))
    ]
    assert [structtree.export_text(tree) for tree in trees] == [structtree.export_text(trees[0])] * 3


def test_a_saved_model_of_a_source_reads_new_data_as_its_own(tmp_path):
    where, options = odd_table(tmp_path)
    model = structtree.fit(where, **options)
    structtree.save_model(model, tmp_path / "model.json")
    result = command("predict", tmp_path / "model.json", where)
    assert "note: read like the training data: decimal ,, delimiter ;" in result.stderr
    assert load_model(tmp_path / "model.json").reading.options["types"] == {"a": "nominal"}


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"target": np.zeros(60)}, "target must be the name of an attribute of .*; got ndarray"),
        ({"sample_weight": np.ones(60)}, "sample_weight does not apply to a source"),
        ({"time_limt": 3}, r"fit has no option 'time_limt' \(did you mean 'time_limit'\?\)"),
        ({"max_depth": 0}, "max_depth must be an int >= 1 or None; got 0"),
        ({"max_depth": 3, "growth": structtree.Growth(max_depth=2)}, "max_depth is given twice"),
        ({"delimiter": 3}, "delimiter must be a string; got 3"),
    ],
)
def test_what_makes_no_sense_for_a_source_is_refused(given, sentence, tmp_path):
    where, options = nested(tmp_path)
    with pytest.raises(UsageError, match=sentence):
        structtree.fit(where, **{**options, **given})


def test_options_of_sources_are_refused_where_individuals_are_given():
    with pytest.raises(UsageError, match="delimiter requires a source, such as a file; got individuals as list"):
        structtree.fit([{"x": 1}, {"x": 2}], ["a", "b"], delimiter=";")


def test_options_about_classes_are_refused_where_the_target_is_a_number(tmp_path):
    where, options = plain_numbers(tmp_path)
    with pytest.raises(UsageError, match="class_weight is for classes, but the target is a number"):
        structtree.fit(where, **options, class_weight="balanced")
    result = CliRunner().invoke(app, ["fit", str(where), "--target", "y", "--class-weight", "balanced"])
    assert "--class-weight is for classes, but the target is a number" in result.stderr


def test_scores_of_a_source_are_estimated_with_its_functions(tmp_path):
    file = tmp_path / "rows.csv"
    file.write_text("\n".join(["a,y", *(f"{i % 17},{'yes' if i % 17 > 8 else 'no'}" for i in range(60))]) + "\n")
    grammar = "function double: Row -> real\nrefine Row { top -> double >= * }"
    functions = {"double": lambda row: 2 * row["a"]}
    found = structtree.fit(file, target="y", grammar=grammar, functions=functions, estimate=True)
    assert found.estimate["accuracy"] > 0.9
