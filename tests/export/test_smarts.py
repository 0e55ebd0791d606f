"""Tests as SMARTS: in RDKit, they match exactly the molecules that satisfy the test."""

import csv
from pathlib import Path

import pytest

from structtree import Grammar, Population, Space, StructuralTreeClassifier, export_smarts, holds, parse_predicate
from structtree.errors import UsageError
from structtree.export.smarts import RDKIT_CALLS, SmartsTest, to_smarts
from structtree.lang import syntax as syn
from tests.cli.test_commands import run
from tests.random_predicates import RandomPredicates

Chem = pytest.importorskip("rdkit.Chem", reason="needs RDKit: pip install 'structtree[molecules]'")

SMILES = [
    "CCO", "CC(=O)[O-].[NH4+]", "c1ccccc1N(C)C", "C1CC2CCC1C2", "C[N+](=O)[O-]", "c1ccc2[nH]ccc2c1", "CC#N",
    "[Na+].[Cl-]", "CS(=O)(=O)N", "O=C1CCCCC1", "C1CC1C2CCCC2", "FC(Cl)(Br)I", "N#Cc1ccncc1", "C/C=C/C",
    "OC(=O)c1ccccc1O", "[H][H]",
    "c1ccc2cccc-2cc1", "C[N+](C)(C)C", "CP(=O)(O)O", "[Mg+2]", "C12C3C4C1C5C2C3C45", "*C", "[Fe]",
    "F[P-](F)(F)(F)(F)F",
    "C1=CC=CN1", "S(=O)(=O)(O)O", "[O-]C(=O)C(=O)[O-]", "N=NC", "C=C=C", "B(O)(O)c1ccccc1", "CNC(=O)C", "OO",
]  # fmt: skip


def found(said: SmartsTest, molecule) -> bool:
    def matches(pattern):
        n = len(molecule.GetSubstructMatches(Chem.MolFromSmarts(pattern.smarts), maxMatches=100_000))
        return n >= pattern.n if pattern.op == ">=" else n <= pattern.n

    return any(all(map(matches, patterns)) for patterns in said.alternatives)


def agrees(test, population, molecules) -> bool:
    """Whether a test can be expressed in SMARTS; if so, the same molecules satisfy both."""
    said = to_smarts(test)
    if said.problem:
        return False
    assert [found(said, molecule) for molecule in molecules] == holds(test, population).tolist(), (test, said)
    return True


@pytest.fixture(scope="module")
def known():
    return Population.from_smiles(SMILES), [Chem.MolFromSmiles(text) for text in SMILES]


def test_random_predicates_hold_where_their_smarts_match(known):
    population, molecules = known
    for type_name, name in (
        ("Atom", "partial_charge"),
        ("Atom", "chirality"),
        ("Bond", "conjugated"),
        ("Bond", "stereo"),
    ):
        population = population.without_attributes(type_name, name)
    for name in [a.name for a in population.schema.type("Molecule").attributes]:
        population = population.without_attributes("Molecule", name)
    draw = RandomPredicates(population, 7)
    tests = [draw.predicate("Molecule", depth) for depth in (2, 3) * 100]
    tests += [syn.Exists("atoms", draw.predicate("Atom", depth)) for depth in (1, 2, 3, 3) * 150]
    assert sum(agrees(test, population, molecules) for test in tests) > 120


@pytest.mark.parametrize("name", ["molecules", "molecules-deep"])
def test_every_functional_group_can_be_expressed(known, name):
    population, molecules = known
    grammar = Grammar.load(name)
    space = Space.build(grammar, population)
    groups = [definition.name for definition in grammar.syntax.definitions]
    assert "nitro" in groups
    for group in groups:
        for form in (f"exists atoms ({group})", f"count atoms ({group}) >= 2"):
            assert agrees(space.parse(form), population, molecules)


@pytest.mark.parametrize(
    ("test", "smarts"),
    [
        ("exists atoms (element = N and hydrogens >= 1)", "[#7;!H0]"),
        ("exists atoms (hydrogens <= 1)", "[*;H0,H1]"),
        ("exists atoms (charge >= 1 and degree <= 1)", "[+{1-};D0,D1]"),
        ("exists atoms (aromatic and exists bonds (order = single and to.element in {F, I}))", "[a;$(*-[#9,#53])]"),
        ("exists atoms (count bonds (order = double and to.element = O) >= 2)", "[$(*(=[#8])=[#8])]"),
        ("exists atoms (element = O or (element = N and in_ring))", "[#8,#7&R]"),
        ("exists rings (size = 5 and hetero >= 1)", "[k5;!#6]"),
        ("distinct atoms (element = N, element = O)", "[#7].[#8]"),
    ],
)  # fmt: skip
def test_the_text_is_what_a_chemist_would_write(test, smarts, known):
    ((pattern,),) = to_smarts(parse_predicate(test)).alternatives
    assert pattern.smarts == smarts
    assert agrees(parse_predicate(test), *known)


@pytest.mark.parametrize(
    ("test", "why"),
    [
        ("logp >= 2", "logp describes the whole molecule"),
        ("exists atoms (partial_charge >= 0.1)", "partial charges are computed"),
        ("exists atoms (chirality = R)", "not R and S"),
        ("exists atoms (exists bonds (conjugated))", "no notation for conjugated bonds"),
        ("exists rings (aromatic)", "only the size of a ring"),
        ("count rings (top) >= 2", "but not rings"),
        ("exists rings (exists atoms (element = N) and exists atoms (element = O))", "in the same smallest ring"),
        ("exists atoms (hybridisation != sp2)", "no notation for hybridisation"),
    ],
)
def test_a_test_that_smarts_cannot_express_states_the_problem(test, why):
    assert why in to_smarts(parse_predicate(test)).problem


def test_descriptors_are_named_by_the_functions_that_compute_them():
    from rdkit.Chem import Crippen, Descriptors, rdMolDescriptors

    modules = {"Chem": Chem, "Crippen": Crippen, "Descriptors": Descriptors, "rdMolDescriptors": rdMolDescriptors}
    texts = ["CC(=O)Oc1ccccc1C(=O)O", "C[N+](C)(C)CC(O)CC([O-])=O", "CCCCCN"]
    population = Population.from_smiles(texts)
    columns = population.tables["Molecule"].columns
    assert set(RDKIT_CALLS) == set(columns)
    for row, smiles in enumerate(texts):
        mol = Chem.MolFromSmiles(smiles)
        for name, call in RDKIT_CALLS.items():
            assert columns[name].value(row) == pytest.approx(eval(call, modules, {"mol": mol}), abs=1e-4)


def test_a_tree_is_exported_with_every_test(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    labels = ["O" if "O" in text else "other" for text in SMILES]
    with Path("m.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("smiles", "kind"), *zip(SMILES, labels, strict=True)])
    assert run("fit", "m.csv", "--target", "kind", "-o", "m.json", "--max-depth", "2").exit_code == 0
    done = run("export", "m.json", "--format", "smarts")
    assert done.exit_code == 0
    rows = [line.split("\t") for line in done.stdout.splitlines() if not line.startswith("#")]
    assert rows[0] == ["node", "test", "alternative", "matches", "smarts", "problem"]
    assert rows[1][4] == "[#8]" and all(len(row) == 6 for row in rows)
    tree = StructuralTreeClassifier().fit([{"a": 1}, {"a": 2}] * 3, [0, 1] * 3)
    with pytest.raises(UsageError, match="SMARTS needs molecules"):
        export_smarts(tree)
