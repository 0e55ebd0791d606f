"""Declared types are matched with those of the data by name, or else by position, and give the data their names."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from structtree import Grammar, Population, StructuralTreeClassifier, load_model, save_model
from structtree.cli import app
from structtree.errors import GrammarError
from structtree.lang.declare import data_names, named_by
from structtree.learn.fit import fit
from structtree.space.evaluate import holds
from structtree.space.space import Space

MOLECULES = [
    {"heavy": True, "code": 1, "confs": [{"f1": 1.5}, {"f1": 2.5}]},
    {"heavy": False, "code": 2, "confs": [{"f1": 0.5}]},
    {"heavy": False, "code": 1, "confs": [{"f1": 3.0}]},
    {"heavy": True, "code": 2, "confs": []},
]
LABELS = np.array(["x", "y", "x", "y"])


def grammar(individual="Molecule", part="Shape", more=""):
    return Grammar.parse(
        f"type {individual} = {{ heavy: bool, confs: set of {part} }} type {part} = {{ f1: real }} "
        f"individual {individual} {more} "
        f"refine {individual} {{ top -> heavy; top -> exists confs (top) }} refine {part} {{ top -> f1 >= * }}"
    )


OWN = ("Individual", "Conf")
"""The names that the data has without a grammar."""

NAMES = [OWN, ("Molecule", "Shape"), ("Molecule", "Conf"), ("Individual", "Shape"), ("T", "U")]


@pytest.mark.parametrize("names", NAMES)
def test_the_names_of_declared_types_change_nothing_but_names(names):
    data = Population.from_records(MOLECULES)
    spaces = [Space.build(grammar(*each), data) for each in (OWN, names)]
    assert list(spaces[0].enumerate()) == list(spaces[1].enumerate())
    assert spaces[1].grammar.schema.names == spaces[1].population.schema.names == names
    models = [fit(data, LABELS, grammar(*each)) for each in (OWN, names)]
    assert models[0].tree.nodes == models[1].tree.nodes
    assert models[1].tree.schema.names == names
    for space in spaces:
        for predicate in space.enumerate():
            assert (holds(predicate, data) == holds(predicate, space.population)).all()


@pytest.mark.parametrize("names", NAMES)
def test_a_grammar_is_checked_in_the_names_of_the_data(names):
    data = Population.from_records(MOLECULES)
    checked = grammar(*names).check(data.schema)
    assert checked.schema == data.schema
    assert set(checked.rewrites) == set(OWN)


@pytest.mark.parametrize("names", NAMES)
def test_a_model_with_names_of_its_own_predicts_for_raw_records(tmp_path, names):
    data = Population.from_records(MOLECULES)
    save_model(fit(data, LABELS, grammar(*names)), tmp_path / "m.json")
    assert load_model(tmp_path / "m.json").predict(data).tolist() == LABELS.tolist()


def test_functions_belong_to_types_by_either_name():
    total = {"total": lambda molecule: sum(shape["f1"] for shape in molecule.get("confs", ()))}
    data = Population.from_records(MOLECULES)
    for name in ("Molecule", "Individual"):
        asked = grammar(more=f"function total: {name} -> real refine {name} {{ top -> total >= * }}")
        model = fit(data, LABELS, asked, functions=total)
        assert [(function.type, function.name) for function in model.functions] == [("Molecule", "total")]
        assert model.predict(data, total).tolist() == LABELS.tolist()


def test_estimators_read_records_as_a_grammar_with_names_of_its_own_declares_them():
    declared = Grammar.parse(
        "type M = { code: nominal, confs: set of S } type S = { f1: real } individual M refine M { top -> code = * }"
    )
    shared = [{"code": 1, "confs": [{"$id": "s", "f1": 1}]}, {"code": 2, "confs": [{"$ref": "s"}]}]
    tree = StructuralTreeClassifier(declared).fit(shared, ["x", "y"])
    assert tree.tree_.schema.names == ("M", "S")
    assert tree.tree_.schema.type("M").attribute("code").kind == "nominal"
    assert tree.predict([{"code": 2}, {"code": 1}]).tolist() == ["y", "x"]


def test_links_of_the_same_name_lead_to_what_the_data_has_there():
    family = Population.from_records([{"parent": {"parent": {"age": 70}, "age": 40}, "age": 7}])
    names = {declared: found for found, declared in enumerate(family.schema.names)}
    assert names == {"Individual": 0, "Parent": 1}
    tall = Grammar.parse(
        "type Child = { parent: Elder?, age: int } type Elder = { parent: Elder?, age: int } individual Child"
    )
    assert data_names(tall.syntax, family.schema) == {"Child": "Individual", "Elder": "Parent"}
    assert named_by(family, tall.syntax).record(0) == family.record(0)


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        ("type M = { heavy: int, confs: set of S } type S = { }", ".heavy' as bool, not int"),
        ("type M = { confs: set of S } type S = { f1: nominal }", ".f1' as real, not nominal"),
        ("type S = { f1: real } type M = { conf: set of S }", ".conf' (did you mean 'confs'?)"),
        ("type M = { confs: S } type S = { }", ".confs' as 'list of "),
    ],
)
def test_a_refusal_names_the_member_that_does_not_fit(types, expected):
    data = Population.from_records(MOLECULES)
    for check in (
        lambda grammar: grammar.check(data.schema),
        lambda grammar: Space.build(grammar, data),
        lambda grammar: fit(data, LABELS, grammar),
    ):
        with pytest.raises(GrammarError, match="the data has ") as caught:
            check(Grammar.parse(f"{types} individual M refine M {{ top -> exists confs (top) }}"))
        assert expected in str(caught.value)


COMMANDS = [
    "fit DATA --target class --grammar GRAMMAR -o MODEL",
    "predict MODEL DATA",
    "explain MODEL DATA --row 0",
    "cv DATA --target class --grammar GRAMMAR --folds 2 --repeats 1",
    "effort DATA --target class --grammar GRAMMAR --criterion acc*",
    "grammar check GRAMMAR --data DATA",
    "grammar show GRAMMAR --data DATA",
    "grammar count GRAMMAR --data DATA",
    "grammar draw GRAMMAR --data DATA -o PICTURE",
]


def test_every_command_takes_a_grammar_with_names_of_its_own_on_json_lines(tmp_path):
    paths = {"DATA": "data.jsonl", "GRAMMAR": "own.grammar", "MODEL": "model.json", "PICTURE": "space.svg"}
    records = [record | {"class": str(label)} for record, label in zip(MOLECULES, LABELS, strict=True)]
    (tmp_path / "data.jsonl").write_text("\n".join(map(json.dumps, records)))
    (tmp_path / "own.grammar").write_text(grammar().text)
    for command in COMMANDS:
        words = [str(tmp_path / paths[word]) if word in paths else word for word in command.split()]
        result = CliRunner().invoke(app, words)
        assert result.exit_code == 0, (command, result.output)
        assert ("Features: 1 attribute of Molecule (heavy), confs" in result.output) == ("--target" in command)
