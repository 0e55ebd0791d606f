"""SMARTS in grammars: written, checked, learned with, explained, stored and exported."""

import json
import subprocess
import sys

import pytest

from structtree import (
    Grammar,
    Population,
    explain,
    export_prolog,
    export_smarts,
    fit,
    holds,
    load_model,
    parse_predicate,
    pretty,
    save_model,
)
from structtree.errors import GrammarError, UsageError
from structtree.report.words import in_words
from tests.cli.test_commands import run

Chem = pytest.importorskip("rdkit.Chem", reason="needs RDKit: pip install 'structtree[molecules]'")

SMILES = ["CCN", "CC(=O)N", "CCO", "CC(=O)O", "NCC=O", "CCC", "CC#N", "O=C(N)c1ccccc1", "NC(=O)CC", "OCCC"]
IS_AMIDE = [bool(Chem.MolFromSmiles(text).HasSubstructMatch(Chem.MolFromSmarts("C(=O)[NX3]"))) for text in SMILES]
LABELS = ["yes" if label else "no" for label in IS_AMIDE]
WARHEAD = """
define warhead: Atom = smarts("C(=O)[NX3]") says "a warhead"
refine Molecule { top -> exists atoms (warhead) }
"""


@pytest.fixture(scope="module")
def model():
    return fit(Population.from_smiles(SMILES), LABELS, Grammar.parse(WARHEAD), grow="full")


@pytest.mark.parametrize(
    "text",
    [
        'define w: Atom = smarts("[CX4]N") says "a w"',
        'define w: Atom = smarts("C\\\\N") and not smarts("O")',
        'define smarts: Atom = aromatic',
        'attribute w: Atom = smarts("[CX4]N")',
        'refine Bond { top -> to.smarts("N"); top -> not to.smarts("[$(C=O)]") }',
        "refine Atom { top -> smarts }",
    ],
)  # fmt: skip
def test_a_grammar_with_smarts_is_printed_as_it_is_read(text):
    grammar = Grammar.parse(text)
    assert Grammar.parse(str(grammar)) == grammar


def test_a_definition_learns_explains_and_predicts(model):
    assert [pretty(test) for test in model.tree.tests] == ["exists atoms (warhead)"]
    assert model.predict(SMILES).tolist() == LABELS
    assert model.predict(["CCC(=O)NC", "CCCN"]).tolist() == ["yes", "no"]
    assert 'atoms[1] (Atom): warhead = yes, smarts("C(=O)[NX3]") = yes' in str(explain(model, SMILES, 1))
    assert in_words(model.tree.tests[0], model.tree.schema) == "there is a warhead"


def test_a_pattern_without_a_name_is_described_by_itself():
    test = parse_predicate('exists atoms (smarts("[NX3]") and in_ring)')
    schema = Population.from_smiles(["C"]).schema
    assert in_words(test, schema) == "some atom is in a ring and matches [NX3]"
    assert holds(test, Population.from_smiles(["C1CN1", "CCN"])).tolist() == [True, False]


def test_a_model_file_is_read_without_rdkit_and_predicts_the_same(model, tmp_path):
    save_model(model, tmp_path / "m.json")
    text = (tmp_path / "m.json").read_text()
    assert json.loads(text)["definitions"]["warhead"]["body"] == 'smarts("C(=O)[NX3]")'
    code = "import sys; sys.modules['rdkit'] = None; import structtree; print(structtree.load_model('m.json').target)"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert load_model(tmp_path / "m.json").predict(SMILES).tolist() == LABELS


def test_a_pattern_that_no_definition_names_is_stored_too(tmp_path):
    grammar = Grammar.parse('refine Molecule { top -> count atoms (smarts("C(=O)[NX3]")) >= 1..2 }')
    save_model(fit(SMILES, LABELS, grammar, grow="full"), tmp_path / "m.json")
    assert load_model(tmp_path / "m.json").predict(SMILES).tolist() == LABELS


def test_a_definition_is_exported_as_its_smarts(model):
    assert export_smarts(model).splitlines()[-1].split("\t")[4] == "[$(C(=O)[NX3])]"


def test_other_languages_refuse_it(model):
    with pytest.raises(UsageError, match="is evaluated by RDKit, which SQL and Prolog do not have"):
        export_prolog(model, Population.from_smiles(SMILES))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('define w: Atom = smarts("C(=O")', r"1:18: RDKit cannot read .*; close the '\(' at character 2"),
        ('define w: Atom = smarts("[C@H](N)O")', r"1:18: .*test 'chirality = R' of an atom instead"),
        ('define w: Molecule = smarts("C")', r"1:22: .* condition on 'Atom', not on 'Molecule'; write 'exists atoms"),
        ("define w: Atom = smarts(CN)", r'1:18: write a SMARTS pattern in quotes: smarts\("..."\)'),
        ('attribute w: Atom = smarts("C") + 1', r"1:33: .* is undefined: .* is a bool"),
        ('define w: Bond = smarts("C")', r"1:18: .* condition on 'Atom', not on 'Bond'; write 'to \(smarts"),
    ],
)  # fmt: skip
def test_a_mistake_is_located(text, message):
    grammar = Grammar.parse(
        f"{text} refine Molecule {{ top -> exists atoms (top) }} refine Atom {{ top -> aromatic }}"
    )
    with pytest.raises(GrammarError, match=message):
        fit(SMILES, LABELS, grammar)


def test_data_without_molecules_refuses_a_pattern():
    grammar = Grammar.parse('define w: Atom = smarts("C") refine Individual { top -> exists atoms (w) }')
    with pytest.raises(GrammarError, match=r"smarts\(...\) needs molecules that RDKit has read"):
        fit([{"atoms": [{"element": "C"}]}] * 3, [0, 1, 0], grammar)


def test_the_command_line_checks_patterns_with_data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = ["smiles,kind", *map(",".join, zip(SMILES, LABELS, strict=True))]
    (tmp_path / "m.csv").write_text("\n".join(rows))
    (tmp_path / "good.grammar").write_text(WARHEAD)
    (tmp_path / "bad.grammar").write_text(WARHEAD.replace("[NX3]", "[NX3"))
    assert run("grammar", "check", "good.grammar", "--data", "m.csv").exit_code == 0
    done = run("grammar", "check", "bad.grammar", "--data", "m.csv")
    assert done.exit_code == 1 and "bad.grammar:2:24: RDKit cannot read the SMARTS" in done.stderr
