"""Models: what is loaded is what was saved, and what is not a whole model is refused with its place."""

from __future__ import annotations

import gzip
import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from math import inf
from typing import get_args

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from structtree.data.datasets.catalog import load_dataset
from structtree.data.datasets.generators import planted_trains
from structtree.data.population import Population
from structtree.data.readers.opening import open_data
from structtree.data.schema import Attribute, RecordType, Schema
from structtree.errors import DataError, GrammarError, MissingFileError, UsageError
from structtree.lang import syntax as syn
from structtree.lang.check import check_predicate
from structtree.lang.grammar import Grammar
from structtree.lang.parse import parse_predicate
from structtree.lang.pretty import pretty
from structtree.lang.walk import subpredicates
from structtree.learn.fit import fit
from structtree.models.files.models import load_model, model_from_json, model_to_json, save_model
from structtree.models.leaves import Decision
from structtree.models.model import Model
from structtree.models.records import (
    GrammarRecord,
    ReadingRecord,
    RouteRecord,
    SearchOutcome,
    Settings,
    Size,
    SizeCurve,
    SizeSource,
)
from structtree.models.settings import Goal, Growth, Pruning
from structtree.models.tree import Branch, ClassCounts, Found, Leaf, Tree, Unproved
from structtree.models.tree_predictor import TreePredictor
from structtree.report.text import export_text
from tests.conftest import REPOSITORY
from tests.learn.asking_trees import ask, class_leaves, counts, number_leaves, trees
from tests.strategies import populations, schemas

labels = st.one_of(
    st.text(max_size=3), st.integers(), st.booleans(), st.floats(allow_nan=False, allow_infinity=False)
)
estimates = st.sampled_from([None, "frequency", "laplace", "m-estimate", "m-branch"])


def same(a, b):
    return (
        a.tree.nodes == b.tree.nodes
        and a.tree.schema == b.tree.schema
        and a.tree.classes == b.tree.classes
        and list(map(type, a.tree.classes)) == list(map(type, b.tree.classes))
        and (a.decision, a.target, a.version, a.functions) == (b.decision, b.target, b.version, b.functions)
        and (a.settings, a.grammar, a.route) == (b.settings, b.grammar, b.route)
        and (a.reading, a.outcome) == (b.reading, b.outcome)
    )


@st.composite
def recorded(draw):
    """A model with random records, whatever its tree."""
    text = st.text(max_size=3)
    sizes = draw(st.none() | st.builds(SizeCurve, *[st.just((1, 2))] + [st.just((0.5, 0.25))] * 3))
    return Model(
        TreePredictor(ask(Schema((RecordType("Row"),), "Row"), counts(1, 2))),
        draw(st.none() | st.text()),
        Settings(
            draw(st.sampled_from([None, *get_args(Goal)])),
            draw(text),
            draw(st.builds(Growth, max_depth=st.none() | st.integers(1, 9), random_state=st.integers(0, 9))),
            draw(st.builds(Pruning, alpha=st.none() | st.just("cv") | st.floats(0, 9))),
            Size(draw(st.sampled_from(get_args(SizeSource))), draw(text)),
        ),
        draw(st.builds(GrammarRecord, text, text, st.tuples(text))),
        draw(st.builds(RouteRecord, text, text)),
        draw(st.builds(ReadingRecord, text, st.dictionaries(st.just("delimiter"), text), st.booleans())),
        draw(st.builds(SearchOutcome, st.sampled_from([None, "time", "interrupt"]), st.tuples(text), st.just(sizes))),
    )


@st.composite
def usable_trees(draw, schema, leaves=class_leaves):
    """Random trees whose tests the checker accepts, with definitions such as the parser makes."""
    tree = draw(trees(schema, leaves))
    try:
        for test in [node.test for node in tree.nodes if isinstance(node, Branch)]:
            check_predicate(test, schema.individual, schema)
            for part, name in subpredicates(test, schema.individual, schema):
                if isinstance(part, syn.Named):
                    assume(check_predicate(parse_predicate(pretty(part.body)), name, schema) == part.body)
    except GrammarError:
        assume(False)
    return tree


@pytest.fixture(scope="module")
def trains():
    return load_dataset("trains")


@pytest.fixture(scope="module")
def train_model(trains):
    return fit(trains.population, trains.target, Grammar.load("trains"), Growth(max_depth=3), target_name="direction")


@pytest.fixture(scope="module")
def bank_model(tmp_path_factory):
    """A model with a layout, numbers to predict and rows that are seen in time."""
    path = tmp_path_factory.mktemp("bank") / "bank.sqlite"
    with closing(sqlite3.connect(path)) as bank:
        bank.executescript("CREATE TABLE account(id INTEGER PRIMARY KEY); INSERT INTO account VALUES (1), (2);")
        bank.execute("CREATE TABLE loan(account REFERENCES account(id), amount REAL, date DATE, paid REAL)")
        rows = [(1 + i % 2, i, f"2001-01-{i + 1:02}", float(i * i)) for i in range(20)]
        bank.executemany("INSERT INTO loan VALUES (?, ?, ?, ?)", rows)
        bank.commit()
    loans = open_data(path, individual="loan", target="paid", as_of="date", lead=1, frozen_at="2001-01-25")
    return fit(loans.population, loans.target, None, Growth(max_depth=2), target_name="paid")


# ---- the law ---------------------------------------------------------------------------------------------


@given(st.data())
def test_what_is_loaded_is_what_was_saved_and_predicts_the_same(data):
    schema = data.draw(schemas())
    tree = data.draw(usable_trees(schema, data.draw(st.sampled_from([class_leaves, number_leaves]))))
    if tree.classes:
        tree = replace(tree, classes=tuple(data.draw(st.lists(labels, min_size=3, max_size=3, unique=True))))
    estimate = data.draw(estimates)
    decision = Decision(estimate, data.draw(st.floats(0, 10)) if (estimate or "").startswith("m-") else None)
    model = replace(data.draw(recorded()), predictor=TreePredictor(tree, decision))
    loaded = model_from_json(json.loads(json.dumps(model_to_json(model))))
    assert same(model, loaded)
    population = data.draw(populations(schema))
    assert np.array_equal(model.predict(population), loaded.predict(population))
    if tree.classes:
        assert np.array_equal(model.predict_proba(population), loaded.predict_proba(population))


@pytest.mark.parametrize("reason", [None, *get_args(Unproved)])
def test_why_something_is_not_proved_is_kept_and_older_files_need_not_say_it(train_model, reason):
    branch, *others = train_model.tree.nodes
    found = replace(branch.found, proved=False, gap=0.25, stopped_by=reason)
    nodes = (replace(branch, found=found), *others[:-1], replace(others[-1], gap=0.5, stopped_by=reason))
    document = model_to_json(replace(train_model, predictor=TreePredictor(replace(train_model.tree, nodes=nodes))))
    assert model_from_json(document).tree.nodes == nodes
    assert ("stopped_by" in document["predictor"]["nodes"][0]["found"]) == (reason is not None)


@given(st.floats(0, allow_infinity=False), st.floats(allow_nan=False), st.floats(allow_nan=False))
def test_every_number_comes_back_exactly(count, score, gap):
    found = Found("gini", score, 0.1 + 0.2, False, gap, 12, 1e-9)
    schema = Schema((RecordType("Row", (Attribute("x", "real"),)),), "Row")
    test = parse_predicate("x >= 0.30000000000000004")
    nodes = (Branch(test, 1, 2, ClassCounts(2, (count, 0.1)), found), Leaf(counts(1, 0)), Leaf(counts(0, 1)))
    model = Model(TreePredictor(Tree(nodes, schema, ("no", "yes"))))
    assert same(model, model_from_json(json.loads(json.dumps(model_to_json(model)))))


def test_a_model_is_one_file_and_is_loaded_from_it(tmp_path, trains, train_model):
    for name in ("model.json", "model.json.gz"):
        save_model(train_model, tmp_path / name)
        loaded = load_model(tmp_path / name)
        assert same(train_model, loaded)
        assert loaded.predict(trains.population).tolist() == train_model.predict(trains.population).tolist()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["model.json", "model.json.gz"]
    assert gzip.decompress((tmp_path / "model.json.gz").read_bytes()) == (tmp_path / "model.json").read_bytes()


def test_a_fresh_process_without_the_training_data_gives_the_same_answers_on_a_thousand_others(tmp_path, train_model):
    others = planted_trains(1000, seed=7)
    save_model(train_model, tmp_path / "model.json")
    code = (
        "import sys; from structtree import load_model\n"
        "from structtree.data.datasets.generators import planted_trains\n"
        "said = load_model(sys.argv[1]).predict(planted_trains(1000, seed=7))\n"
        "assert 'sklearn' not in sys.modules\n"
        "print(*said)"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "model.json")]
    run = subprocess.run(command, capture_output=True, text=True, check=True, cwd=REPOSITORY)
    assert run.stdout.split() == train_model.predict(others).tolist()


def test_labels_of_several_types_come_back_as_they_are():
    model = Model(TreePredictor(ask(Schema((RecordType("Row"),), "Row"), counts(1, 2, 0), (1, "1", True))))
    loaded = model_from_json(json.loads(json.dumps(model_to_json(model))))
    said = loaded.predict(Population.from_records([{"x": 1}]))
    assert said.tolist() == ["1"] and loaded.tree.classes[2] is True


def test_a_label_that_json_cannot_hold_is_refused():
    model = Model(TreePredictor(ask(Schema((RecordType("Row"),), "Row"), counts(1, 2), ((1, 2), "b"))))
    with pytest.raises(
        UsageError, match=r"a class must be a string, a number or a boolean to be saved; got \(1, 2\)"
    ):
        model_to_json(model)


def test_a_text_that_utf_8_cannot_write_survives(tmp_path):
    model = Model(
        TreePredictor(ask(Schema((RecordType("Row"),), "Row"), counts(1, 2), ("\ud800", "é"))), target="\ud800"
    )
    save_model(model, tmp_path / "m.json")
    assert same(model, load_model(tmp_path / "m.json"))


def test_parameters_that_are_not_plain_are_refused_and_nothing_is_written(tmp_path, train_model):
    with pytest.raises(UsageError, match="a model cannot be saved with a record: object is not a JSON value"):
        save_model(replace(train_model, reading=ReadingRecord(".csv", {"odd": object()})), tmp_path / "m.json")
    assert list(tmp_path.iterdir()) == []


def test_a_very_deep_tree_is_saved_and_loaded(tmp_path):
    depth, stats, found = 3000, counts(1, 1), Found("gini", 0.0, 0.0, True, 0.0, 1, 0.0)
    test = parse_predicate("x >= 1")
    schema = Schema((RecordType("Row", (Attribute("x", "int"),)),), "Row")
    nodes = [Branch(test, i + 1, 2 * depth - i, stats, found) for i in range(depth)]
    model = Model(TreePredictor(Tree((*nodes, *[Leaf(stats)] * (depth + 1)), schema, ("a", "b"))))
    save_model(model, tmp_path / "deep.json")
    assert same(model, load_model(tmp_path / "deep.json"))


# ---- definitions and functions ---------------------------------------------------------------------------

CARS = Grammar.parse("""
define long_one: Car = wheels >= 3
define closed_long: Car = long_one and closed
function n_wheels: Individual -> int
refine Individual { top -> exists cars (closed_long); top -> n_wheels >= * }
""")
RECORDS = [
    {"cars": [{"wheels": 3, "closed": True}]},
    {"cars": [{"wheels": 3, "closed": False}, {"wheels": 2, "closed": True}]},
    {"cars": [{"wheels": 2, "closed": True}]},
    {"cars": [{"wheels": 4, "closed": True}]},
]


def n_wheels(train):
    return sum(car["wheels"] for car in train["cars"])


def test_a_model_carries_the_definitions_that_its_tests_use(tmp_path):
    data = Population.from_records(RECORDS)
    model = fit(data, ["e", "w", "w", "e"], CARS, functions={"n_wheels": n_wheels})
    assert isinstance(model.tree.nodes[0].test.inner, syn.Named)
    save_model(model, tmp_path / "m.json")
    assert json.loads((tmp_path / "m.json").read_text())["definitions"] == {
        "closed_long": {"type": "Car", "body": "long_one and closed"},
        "long_one": {"type": "Car", "body": "wheels >= 3"},
    }
    loaded = load_model(tmp_path / "m.json")
    assert same(model, loaded)
    assert loaded.predict(data).tolist() == ["e", "w", "w", "e"]


def test_functions_are_handed_over_again(tmp_path):
    data = Population.from_records(RECORDS)
    model = fit(data, ["a", "b", "a", "a"], CARS, functions={"n_wheels": n_wheels})
    save_model(model, tmp_path / "m.json")
    loaded = load_model(tmp_path / "m.json")
    assert loaded.functions == (syn.Function("n_wheels", "Individual", "int"),)
    assert loaded.predict(data, {"n_wheels": n_wheels}).tolist() == ["a", "b", "a", "a"]
    with pytest.raises(
        UsageError, match=r"needs the function 'n_wheels' from Individual to int; pass it as functions="
    ):
        loaded.predict(data)


def test_two_definitions_of_one_name_cannot_be_saved():
    schema = Schema((RecordType("Row", (Attribute("a", "bool"), Attribute("b", "bool"))),), "Row")
    one, other = syn.Named("d", parse_predicate("a")), syn.Named("d", parse_predicate("b"))
    with pytest.raises(UsageError, match="two definitions that are both called 'd'"):
        model_to_json(Model(TreePredictor(ask(schema, (one, (other, counts(1, 0), counts(1, 1)), counts(0, 1))))))


# ---- what is refused -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def document(train_model):
    return json.dumps(model_to_json(train_model))


def damaged(document, change):
    found = json.loads(document)
    change(found)
    return found


DAMAGE = {
    "no format": (lambda d: d.pop("format"), "not a structtree model: expected a JSON object with format"),
    "newer": (
        lambda d: d.update(format_version=4, structtree="9.1"),
        r"structtree 9\.1 in format 4, but structtree .* reads formats up to 3; install a newer structtree",
    ),
    "schema": (lambda d: d["schema"].pop("types"), r"the schema cannot be used: .* at \$\.schema"),
    "link": (
        lambda d: d["schema"]["types"]["Train"]["cars"].update(to="Cart"),
        r"the schema cannot be used: unknown type 'Cart'.* at \$\.schema",
    ),
    "definition": (
        lambda d: d.update(definitions={"d": {"type": "Car", "body": "d"}}),
        r"a definition cannot be used: .* at \$\.definitions",
    ),
    "function": (
        lambda d: d.update(functions={"f": {"type": "Car", "kind": "code"}}),
        r"expected bool, int, real or nominal, got 'code' at \$\.functions\.f\.kind",
    ),
    "target": (lambda d: d.update(target=3), r"expected a string, got 3 at \$\.target"),
    "options": (
        lambda d: d["settings"]["growth"].update(max_depth=0),
        r"max_depth must be an int >= 1 or None; got 0 at \$\.settings\.growth",
    ),
    "size": (
        lambda d: d["settings"]["size"].update(by="whim"),
        r"expected full, .* or interrupt, got 'whim' at \$\.settings\.size\.by",
    ),
    "sizes": (
        lambda d: d["outcome"].update(sizes={"leaves": [1, 2], "training": [], "held_out": [], "standard_error": []}),
        r"expected as many losses as leaves, 2 at \$\.outcome\.sizes",
    ),
    "kind of predictor": (
        lambda d: d["predictor"].update(kind="treee"),
        r"unknown kind of predictor 'treee' \(did you mean 'tree'\?\); .* at \$\.predictor\.kind",
    ),
}
TREE_DAMAGE = {
    "no nodes": (lambda t: t.pop("nodes"), r"expected an object with 'nodes' at \$"),
    "empty": (lambda t: t.update(nodes=[]), r"node 0 is missing at \$\.nodes"),
    "cut": (lambda t: t["nodes"].pop(), r"node \d+ is missing at \$\.nodes"),
    "order": (lambda t: t["nodes"][0].update(yes=2), r"this node is out of order: .* at \$\.nodes\[1\]"),
    "counts": (
        lambda t: t["nodes"][0]["counts"].pop(),
        r"expected 2 numbers, .* got 1 at \$\.nodes\[0\]\.counts",
    ),
    "negative": (
        lambda t: t["nodes"][0].update(counts=[-1, 2]),
        r"expected a number >= 0, got -1 at \$\.nodes\[0\]\.counts\[0\]",
    ),
    "seconds": (
        lambda t: t["nodes"][0]["found"].update(seconds=10**400),
        r"expected a finite number, got 1000.* at \$\.nodes\[0\]\.found\.seconds",
    ),
    "negative seconds": (
        lambda t: t["nodes"][0]["found"].update(seconds=-1),
        r"expected a number >= 0, got -1 at \$\.nodes\[0\]\.found\.seconds",
    ),
    "huge n": (
        lambda t: t["nodes"][0].update(n=10**400),
        r"expected a whole number below 2\*\*63, got 1000.* at \$\.nodes\[0\]\.n",
    ),
    "huge class": (
        lambda t: t.update(classes=["east", 10**400]),
        r"expected a finite number, got 1000.* at \$\.classes\[1\]",
    ),
    "a flag": (
        lambda t: t["nodes"][0].update(n=True),
        r"a whole number >= 0, got true at \$\.nodes\[0\]\.n",
    ),
    "syntax": (
        lambda t: t["nodes"][0].update(test="exists cars ("),
        r"cannot be read: .* at \$\.nodes\[0\]\.test",
    ),
    "unknown": (
        lambda t: t["nodes"][0].update(test="exists carts (top)"),
        r"cannot be used: unknown link 'carts'.*did you mean 'cars'.* at \$\.nodes\[0\]\.test",
    ),
    "kind": (lambda t: t["nodes"][0].update(test="exists cars (wheels = red)"), r"at \$\.nodes\[0\]\.test"),
    "values": (lambda t: t["nodes"][0].update(test="exists cars (wheels >= *)"), r"at \$\.nodes\[0\]\.test"),
    "found": (
        lambda t: t["nodes"][0]["found"].pop("gap"),
        r"expected an object with 'gap' at \$\.nodes\[0\]\.found",
    ),
    "reason": (
        lambda t: t["nodes"][0]["found"].update(stopped_by="whim"),
        r"expected one of effort, time, evaluations, .* got 'whim' at \$\.nodes\[0\]\.found\.stopped_by",
    ),
    "classes": (lambda t: t.update(classes=[]), r"expected classes for the task 'classes', .* at \$\.classes"),
    "class": (lambda t: t.update(classes=["east", None]), r"expected a string, .* got null at \$\.classes\[1\]"),
    "estimate": (
        lambda t: t["decision"].update(estimate="guess"),
        r"expected frequency, laplace, m-estimate or m-branch, got 'guess' at \$\.decision",
    ),
    "costs": (lambda t: t["decision"].update(costs=[[0]]), r"expected 2 rows, .* got 1 at \$\.decision\.costs"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_model_is_refused_with_the_file_and_the_place(tmp_path, document, name):
    change, message = DAMAGE[name]
    (tmp_path / "m.json").write_text(json.dumps(damaged(document, change)))
    with pytest.raises(DataError, match=r"m\.json: .*" + message) as refused:
        load_model(tmp_path / "m.json")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", TREE_DAMAGE)
def test_a_damaged_tree_is_refused_with_its_place_in_the_file(document, name):
    change, message = TREE_DAMAGE[name]
    with pytest.raises(DataError, match=message.replace(r"\$", r"\$\.predictor")):
        model_from_json(damaged(document, lambda d: change(d["predictor"])))


def places(value, path=()):
    """The places of all numbers in a document."""
    match value:
        case dict() | list():
            for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
                yield from places(inner, (*path, key))
        case bool():
            pass
        case int() | float():
            yield path


def put(value, path, new):
    if not path:
        return new
    found = value.copy()
    found[path[0]] = put(value[path[0]], path[1:], new)
    return found


@pytest.mark.parametrize(
    "written", ["1" + "0" * 400, "-1" + "0" * 400, "1e999", "-1", "NaN", "true", '"x"', "[]", "null"]
)
def test_a_number_that_is_another_value_is_read_or_refused_in_one_sentence(tmp_path, bank_model, document, written):
    """A file that is read can be used: whatever is out of range has been refused."""
    for text in (document, json.dumps(model_to_json(bank_model))):
        found = json.loads(text)
        for path in places(found):
            (tmp_path / "m.json").write_text(json.dumps(put(found, path, "HERE")).replace('"HERE"', written))
            try:
                model = load_model(tmp_path / "m.json")
            except DataError as error:
                assert "\n" not in str(error)
            else:
                assert path[0] == "settings" or written in ("-1", "null"), path
                assert export_text(model)


@given(st.data())
def test_no_part_of_a_model_file_loads_as_a_model(data):
    schema = data.draw(schemas())
    text = json.dumps(model_to_json(Model(TreePredictor(data.draw(usable_trees(schema))))))
    found = json.loads(text)
    key = data.draw(st.sampled_from(sorted(found)))
    del found[key]
    with pytest.raises(DataError):
        model_from_json(found)


FOREIGN = {
    "": "the file is empty",
    "{": r"m\.json:1: invalid JSON: .*; is this a complete model file\?",
    "a,b\n1,2\n": r"m\.json:1: invalid JSON",
    "[1, 2]": "not a structtree model",
    '{"format": "onnx"}': "not a structtree model",
    "3": "not a structtree model",
    '{"format": NaN}': "NaN is not a JSON number",
    "[" * 100_000: "not a structtree model: its brackets are nested too deeply|invalid JSON",
    "1" * 10_000: "invalid JSON|not a structtree model",
}


@pytest.mark.parametrize("text", FOREIGN, ids=range(len(FOREIGN)))
def test_a_foreign_or_truncated_file_is_refused(tmp_path, text):
    (tmp_path / "m.json").write_text(text)
    with pytest.raises(DataError, match=FOREIGN[text]) as refused:
        load_model(tmp_path / "m.json")
    assert str(tmp_path / "m.json") in str(refused.value)


def test_a_file_cut_anywhere_is_refused(tmp_path, train_model):
    save_model(train_model, tmp_path / "m.json")
    content = (tmp_path / "m.json").read_bytes()
    for length in range(1, len(content) - 1, 97):
        (tmp_path / "cut.json").write_bytes(content[:length])
        with pytest.raises(DataError, match=r"cut\.json"):
            load_model(tmp_path / "cut.json")


def test_a_binary_file_and_no_file_are_refused(tmp_path):
    (tmp_path / "m.json").write_bytes(b"\x80\x04\x95\xff")
    with pytest.raises(DataError, match=r"m\.json: the file is not UTF-8 text"):
        load_model(tmp_path / "m.json")
    with pytest.raises(MissingFileError, match="there is no file"):
        load_model(tmp_path / "n.json")
    with pytest.raises(MissingFileError, match="it is a folder"):
        save_model(Model(TreePredictor(ask(Schema((RecordType("Row"),), "Row"), counts(1, 1)))), tmp_path)


def test_a_gap_without_end_is_written_as_a_word():
    schema = Schema((RecordType("Row", (Attribute("x", "int"),)),), "Row")
    found = Found("gini", 0.5, 0.1, False, inf, 1, 0.0)
    model = Model(TreePredictor(ask(schema, ("x >= 1", counts(1, 0), counts(0, 1)), found=found)))
    text = json.dumps(model_to_json(model), allow_nan=False)
    assert '"gap": "inf"' in text and same(model, model_from_json(json.loads(text)))


def test_a_leaf_that_might_have_been_divided_says_so_when_it_is_loaded():
    model = Model(
        TreePredictor(Tree((Leaf(counts(1, 1), gap=0.25),), Schema((RecordType("Row"),), "Row"), ("a", "b")))
    )
    assert model_from_json(json.loads(json.dumps(model_to_json(model)))).tree.nodes[0].gap == 0.25
