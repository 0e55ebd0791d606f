"""Grammars as users hold them: from text, from files, by name."""

from __future__ import annotations

import pickle

import pytest

from structtree.data.schema import Attribute, Link, RecordType, Schema
from structtree.errors import GrammarError, MissingFileError, UnknownNameError
from structtree.lang.grammar import Grammar, shipped_grammars
from structtree.lang.pretty import pretty

TEXT = 'grammar tiny "Doc." type Car = { wheels: int } define big: Car = wheels >= 3 refine Car { top -> big }'


def test_a_grammar_keeps_its_text_and_prints_the_canonical_one():
    grammar = Grammar.parse(TEXT)
    assert (grammar.name, grammar.doc, grammar.text) == ("tiny", "Doc.", TEXT)
    assert Grammar.parse(str(grammar)) == grammar
    assert str(Grammar.parse(str(grammar))) == str(grammar)


def test_grammars_are_equal_when_they_say_the_same():
    assert Grammar.parse(TEXT) == Grammar.parse(TEXT + "\n# a comment", "elsewhere")
    assert Grammar.parse(TEXT) != Grammar.parse(TEXT.replace("3", "4"))
    assert hash(Grammar.parse(TEXT)) == hash(Grammar.parse(TEXT + " "))


def test_a_grammar_can_be_pickled():
    grammar = Grammar.parse(TEXT)
    assert pickle.loads(pickle.dumps(grammar)) == grammar


def test_a_predicate_may_use_what_the_grammar_defines():
    assert pretty(Grammar.parse(TEXT).predicate("big and wheels <= 4")) == "big and wheels <= 4"
    with pytest.raises(GrammarError, match="<predicate>:1:1: 'bg' is neither"):
        Grammar.parse(TEXT).predicate("bg")


def test_a_grammar_is_loaded_from_a_file(tmp_path):
    path = tmp_path / "mine.grammar"
    path.write_text("\ufeff" + TEXT, encoding="utf-8")
    assert Grammar.load(path) == Grammar.load(str(path)) == Grammar.parse(TEXT)
    assert Grammar.load(path).source == str(path)


def test_a_shipped_grammar_is_loaded_by_name():
    assert {Grammar.load(name).name for name in shipped_grammars()} == set(shipped_grammars())


@pytest.mark.parametrize(
    ("name", "error", "words"),
    [
        ("trians", UnknownNameError, r"unknown grammar 'trians' \(did you mean 'trains'\?\)"),
        ("nowhere/trains.grammar", MissingFileError, "no such grammar file: 'nowhere/trains.grammar'"),
        ("trains.grammar", MissingFileError, "no such grammar file: 'trains.grammar'"),
    ],
)
def test_a_grammar_that_is_not_there_is_reported(name, error, words):
    with pytest.raises(error, match=words):
        Grammar.load(name)


def test_a_folder_is_not_a_grammar(tmp_path):
    with pytest.raises(MissingFileError):
        Grammar.load(tmp_path)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "the grammar is empty"),
        (b"# only a comment\n", "the grammar is empty"),
        (b"\x89PNG\r\n\x1a\n\x00\xff", "the file is not UTF-8 text; is it a grammar?"),
        (b"PK\x03\x04\x00\x00", "expected a declaration"),
        (b"a" * 10_000_000, "expected a grammar of at most 5 MB; is this a data file?"),
        (b"refine T { top -> " + b"(" * 100_000, "brackets are nested more than 50 deep"),
    ],
)
def test_a_file_that_is_no_grammar_is_reported_in_one_sentence(tmp_path, content, words):
    path = tmp_path / "odd.grammar"
    path.write_bytes(content)
    with pytest.raises(GrammarError) as caught:
        Grammar.load(path)
    assert str(caught.value).startswith(str(path)) and words in str(caught.value)


# ---- the shipped grammars -------------------------------------------------------------------------------

NOMINAL, REAL, BOOL, INT = "nominal", "real", "bool", "int"


def record(name, attributes=None, **links):
    kinds = attributes or {}
    return RecordType(
        name,
        tuple(Attribute(key, kind) for key, kind in kinds.items()),
        tuple(Link(key, kind, target) for key, (kind, target) in links.items()),
    )


MOLECULES = Schema(
    (
        record(
            "Molecule",
            {"logp": REAL, "tpsa": REAL, "donors": INT, "rotatable": INT},
            atoms=("set", "Atom"),
            rings=("set", "Ring"),
        ),
        record(
            "Atom",
            dict.fromkeys(("element", "hybridisation", "chirality"), NOMINAL)
            | dict.fromkeys(("charge", "degree", "hydrogens"), INT)
            | {"partial_charge": REAL, "aromatic": BOOL, "in_ring": BOOL},
            bonds=("set", "Bond"),
        ),
        record(
            "Bond", {"order": NOMINAL, "stereo": NOMINAL, "conjugated": BOOL, "in_ring": BOOL}, to=("one", "Atom")
        ),
        record(
            "Ring",
            {"size": INT, "hetero": INT, "aromatic": BOOL},
            atoms=("set", "Atom"),
            fused=("set", "Ring"),
        ),
    ),
    "Molecule",
)

SCHEMAS = {
    "trains": Schema(
        (
            record("Train", {"direction": NOMINAL}, cars=("list", "Car")),
            record(
                "Car",
                {"shape": NOMINAL, "long": BOOL, "double": BOOL, "roof": NOMINAL, "wheels": INT},
                load=("optional", "Load"),
            ),
            record("Load", {"shape": NOMINAL, "number": INT}),
        ),
        "Train",
    ),
    "graphs": Schema(
        (
            record("Graph", nodes=("set", "Node")),
            record("Node", {"label": NOMINAL}, edges=("set", "Edge")),
            record("Edge", {"label": NOMINAL}, to=("one", "Node")),
        ),
        "Graph",
    ),
    "atoms-and-bonds": Schema(
        (
            record("Molecule", atoms=("set", "Atom")),
            record("Atom", {"element": NOMINAL, "charge": REAL, "aromatic": BOOL}, bonds=("set", "Bond")),
            record("Bond", {"order": NOMINAL}, to=("one", "Atom")),
        ),
        "Molecule",
    ),
    "molecules": MOLECULES,
    "molecules-deep": MOLECULES,
    "multi-instance": Schema(
        (
            record("Molecule", conformations=("set", "Conformation")),
            record("Conformation", {f"f{i}": INT for i in range(1, 167)}),
        ),
        "Molecule",
    ),
    "sequences": Schema(
        (record("Sequence", items=("list", "Item")), record("Item", {"symbol": NOMINAL})), "Sequence"
    ),
    "rooted-trees": Schema(
        (record("Tree", root=("one", "Node")), record("Node", {"label": NOMINAL}, children=("list", "Node"))), "Tree"
    ),
    "krk": Schema(
        (
            record(
                "Position",
                {f"{p}_{axis}": INT for p in ("white_king", "white_rook", "black_king") for axis in ("file", "rank")},
            ),
        ),
        "Position",
    ),
    "flat": Schema((record("Row", {"a": NOMINAL, "b": REAL, "c": INT, "d": BOOL}),), "Row"),
}
SCHEMAS["east-west"] = SCHEMAS["trains"]
SCHEMAS["mutagenesis"] = SCHEMAS["atoms-and-bonds-deep"] = SCHEMAS["atoms-and-bonds"]
SCHEMAS["graphs-deep"] = SCHEMAS["graphs"]
SCHEMAS["single-tests"] = SCHEMAS["flat"]


def test_every_shipped_grammar_has_a_schema_here():
    assert set(SCHEMAS) == set(shipped_grammars())


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_shipped_grammar_checks_on_its_data_without_warnings(name):
    checked = Grammar.load(name).check(SCHEMAS[name])
    assert checked.warnings == ()
    assert all(rewrite.settled for rewrites in checked.rewrites.values() for rewrite in rewrites)
    assert checked.rewrites[SCHEMAS[name].individual]


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_shipped_grammar_says_the_same_when_it_is_printed(name):
    grammar = Grammar.load(name)
    assert Grammar.parse(str(grammar)) == grammar


@pytest.mark.parametrize("name", [name for name in SCHEMAS if Grammar.load(name).syntax.types])
def test_a_shipped_grammar_with_types_checks_by_itself(name):
    assert Grammar.load(name).check().warnings == ()


def test_the_multi_instance_grammar_asks_about_every_attribute():
    checked = Grammar.load("multi-instance").check(SCHEMAS["multi-instance"])
    assert len(checked.rewrites["Conformation"]) == 166
    assert checked.conjuncts == {"Molecule": 1, "Conformation": 3}


@pytest.mark.parametrize("kind", [NOMINAL, REAL, BOOL, INT])
def test_the_flat_grammar_fits_a_table_of_one_kind(kind):
    schema = Schema((record("Row", {"a": kind}),), "Row")
    assert Grammar.load("flat").check(schema).rewrites["Row"]
