"""Facts on the command line: options reach the reader, models read new facts alike, errors are one sentence."""

from __future__ import annotations

import json

import pytest

from tests.cli.test_commands import run
from tests.prolog import printed

FACTS = "has_car(t1, c1). has_car(t2, c2). has_car(t2, c3). has_car(t3, c4). has_car(t4, c5). long(c1). long(c3)."


@pytest.fixture
def trains(tmp_path):
    (tmp_path / "bk.pl").write_text(FACTS)
    (tmp_path / "pos.pl").write_text("east(t1).\neast(t2).\n")
    (tmp_path / "neg.pl").write_text("east(t3).\neast(t4).\n")
    return tmp_path


def test_a_tree_is_learned_and_reads_other_facts_as_its_own(trains, tmp_path):
    model = tmp_path / "model.json"
    learned = run("fit", str(trains), "--individual", "Train", "-o", str(model))
    assert learned.exit_code == 0, learned.stderr
    assert "exists has_car (long)" in learned.stdout
    other = tmp_path / "other"
    other.mkdir()
    (other / "bk.pl").write_text("has_car(u1, d1). has_car(u1, d2). has_car(u2, d3). has_car(u2, d4). long(d1).")
    (other / "pos.pl").write_text("east(u1). east(u2).")
    found = run("predict", str(model), str(other), "--json")
    assert found.exit_code == 0, found.stderr
    assert '"prediction": true' in found.stdout and '"prediction": false' in found.stdout


def test_folds_of_the_files_divide_the_data(tmp_path):
    for k in range(1, 4):
        facts = f"likes(a{k}, b{k}). likes(a{k}, c{k}). likes(b{k}, c{k}). tall(a{k})."
        for what, text in {"facts": facts, "pos": f"p(a{k}).", "neg": f"p(b{k}). p(c{k})."}.items():
            (tmp_path / f"fold{k}_{what}.pl").write_text(text)
    found = run("cv", str(tmp_path), "--folds", "group:fold", "--json")
    assert found.exit_code == 0, found.stderr
    assert json.loads(found.stdout)["divided_by"] == "group fold"


def test_a_grammar_declares_facts_and_the_command_line_comes_first(trains, tmp_path):
    grammar = tmp_path / "my.grammar"
    grammar.write_text("fact long(Wagon) fact has_car(Train, Wagon) refine Train { top -> exists has_car (top) }")
    told = run("grammar", "check", str(grammar), "--data", str(trains))
    assert told.exit_code == 0, told.stderr
    other = run("grammar", "check", str(grammar), "--data", str(trains), "--fact", "has_car(Zug, Wagon)")
    assert other.exit_code == 1
    assert "unknown type 'Train'" in other.stderr


def test_a_grammar_is_made_of_modes(trains, tmp_path):
    modes = tmp_path / "m.txt"
    modes.write_text(":- modeb(*, has_car(+train, -car)).")
    found = run("grammar", "derive", str(trains), "--from-modes", str(modes))
    assert found.exit_code == 0, found.stderr
    assert "exists has_car (top)" in found.stdout and "top -> long" not in found.stdout
    refused = run("grammar", "derive", "lenses", "--from-modes", str(modes))
    assert refused.exit_code == 2


@pytest.mark.parametrize(
    ("words", "sentence", "code"),
    [
        (["--part", "tset"], "unknown part 'tset'", 1),
        (["--negatives", "none.pl"], "neither none.pl nor", 1),
        (["--fact", "long(Car"], "expected a fact such as bond(Molecule, Atom, Atom -> to, order)", 2),
        (["--positives", "pos.pl"], "all examples of east/1 are positive", 2),
        (["--format", "csv", "--fact", "p(A)"], "fact does not apply to csv", 2),
    ],
)
def test_what_makes_no_sense_is_refused(trains, words, sentence, code):
    found = run("fit", str(trains), *words)
    assert (found.exit_code, sentence in found.stderr) == (code, True), found.stderr


def test_a_wrong_fact_is_one_sentence_with_its_line(trains):
    (trains / "bk.pl").write_text(FACTS + "\nhas_car(t1).")
    found = run("data", "info", str(trains))
    assert found.exit_code == 1
    assert found.stderr == f"error: {trains / 'bk.pl'}:2: has_car has 1 argument here but 2 in the other 5 facts\n"


def test_directives_are_told_and_not_executed(trains):
    (trains / "bk.pl").write_text(":- shell('touch evil').\n" + FACTS)
    found = run("data", "info", str(trains))
    assert "note: directives are not executed: shell('touch evil')" in found.stdout


def test_a_model_is_exported_as_clauses_about_its_facts_or_with_its_data(trains, tmp_path):
    model, out = str(tmp_path / "model.json"), tmp_path / "out" / "model.pl"
    out.parent.mkdir()
    run("fit", str(trains), "--individual", "Train", "-o", model)
    found = run("export", model, "--format", "prolog", "-o", str(out))
    assert found.exit_code == 0, found.stderr
    assert "once((has_car(Train0, HasCar1), long(HasCar1)))" in out.read_text()
    assert printed("forall(member(X, [t1, t2, t3, t4]), (predicted(X, S), writeln(S)))", trains / "bk.pl", out) == [
        *["true"] * 2,
        *["false"] * 2,
    ]
    with_rows = run("export", model, "--format", "prolog", "--data", str(trains))
    assert "'Train.has_car'(0, 0, 0)." in with_rows.stdout
    assert run("export", model, "--format", "sql", "--data", str(trains)).exit_code == 2


def test_interpretations_are_exported_with_their_data_only(tmp_path):
    facts, model = tmp_path / "machines.pl", str(tmp_path / "model.json")
    models = [f"begin(model({i})). {'worn(gear). fix' if i % 2 else 'ok'}. end(model({i}))." for i in range(6)]
    facts.write_text("\n".join(models))
    assert run("fit", str(facts), "-o", model).exit_code == 0
    refused = run("export", model, "--format", "prolog")
    assert (refused.exit_code, "the individuals are interpretations" in refused.stderr) == (2, True)
    assert run("export", model, "--format", "prolog", "--data", str(facts)).exit_code == 0
