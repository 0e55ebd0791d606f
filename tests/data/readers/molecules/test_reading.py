"""Molecules: columns equal what RDKit says, predicates agree with SMARTS, and bad molecules are told by line."""

from __future__ import annotations

import csv
import gzip
import random
import sys
from functools import cache
from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from structtree.data.population import Population
from structtree.data.readers.molecules.reading import SkippedMolecules, from_molecules, read_molecules
from structtree.data.readers.opening import open_data
from structtree.data.readers.records.reading import read_jsonl, write_jsonl
from structtree.data.readers.sources import read_data
from structtree.errors import DataError, MissingPackageError, UnknownNameError, UsageError
from structtree.lang.check import check_predicate
from structtree.lang.default import default_grammar
from structtree.lang.grammar import Grammar
from structtree.lang.parse import parse_predicate
from structtree.lang.pretty import pretty
from structtree.space.evaluate import holds
from tests.conftest import SHARED
from tests.data.sameness import same_population

Chem = pytest.importorskip("rdkit.Chem", reason="RDKit is not installed: pip install 'structtree[molecules]'")
rdBase = pytest.importorskip("rdkit.rdBase")  # noqa: N816  # its name
rdMolDescriptors = pytest.importorskip("rdkit.Chem.rdMolDescriptors")  # noqa: N816  # its name

FEW = [
    "CCO",
    "c1ccccc1[N+](=O)[O-]",
    "C[C@H](N)C(=O)O",
    "F/C=C/F",
    "C1CC2CCC1C2",
    "c1ccc2[nH]ccc2c1",
    "[Na+].[Cl-]",
    "[He]",
]

NITRO = "element = N and charge = 1 and exists bonds (order = double and to.element = O)"
CARBONYL = "element = C and exists bonds (order = double and to.element = O)"
SULFONYL = "element = S and count bonds (order = double and to.element = O) >= 2"

# What an atom, or a ring, of the molecule must be, and the same as SMARTS.
ATOMS = {
    f"{NITRO} and exists bonds (order = single and to (element = O and charge = -1))": "[#7+1](=[#8])-[#8-1]",
    CARBONYL: "[#6]=[#8]",
    "element in {F, Cl, Br, I} and exists bonds (to.aromatic)": "[F,Cl,Br,I]~a",
    f"{CARBONYL} and exists bonds (order = single and to.element = N)": "[#6](=[#8])-[#7]",
    f"{CARBONYL} and exists bonds (order = single and to (element = O and hydrogens >= 1))": "[#6](=[#8])-[#8;!H0]",
    f"{CARBONYL} and exists bonds (order = single and to (element = O and count bonds (to.element = C) >= 2))": (
        "[#6](=[#8])-[#8]~[#6]"
    ),
    f"{CARBONYL} and hydrogens >= 1": "[#6;!H0]=[#8]",
    f"{CARBONYL} and count bonds (order = single and to.element = C) >= 2": "[#6](=[#8])(-[#6])-[#6]",
    "element = C and exists bonds (order = triple and to.element = N)": "[#6]#[#7]",
    "element = N and not aromatic and hydrogens = 2 and degree = 1": "[#7;A;H2;D1]",
    "element = N and hydrogens = 2 and exists bonds (to (element = C and aromatic))": "[#7;H2]~[#6;a]",
    "element = O and hydrogens >= 1 and exists bonds (to (element = C and aromatic))": "[#8;!H0]~[#6;a]",
    "element = O and degree = 2 and not in_ring": "[#8;D2;!R]",
    "element = S and hydrogens >= 1": "[#16;!H0]",
    SULFONYL: "[#16](=[#8])=[#8]",
    f"{SULFONYL} and exists bonds (order = single and to.element = N)": "[#16](=[#8])(=[#8])-[#7]",
    "element = N and exists bonds (order = double and to.element = N)": "[#7]=[#7]",
    "element = C and exists bonds (order = double and to.element = C)": "[#6]=[#6]",
    "element = C and exists bonds (order = triple and to.element = C)": "[#6]#[#6]",
    "element = N and aromatic and degree = 2 and hydrogens <= 0": "[n;D2;H0]",
    "element = N and aromatic and hydrogens >= 1": "[n;!H0]",
    "element = N and charge >= 1 and degree >= 4": "[#7;+1,+2,+3;D4,D5,D6]",
    "element = C and count bonds (to.element = F) >= 3": "[#6](~[F])(~[F])~[F]",
    "element = P and exists bonds (order = double and to.element = O)": "[#15]=[#8]",
    f"element = C and exists bonds (order = double and to (element = C and exists bonds (order = single and to "
    f"({CARBONYL}))))": "[#6]=[#6]-[#6]=[#8]",
    "element = N and exists bonds (order = single and to (element = N and exists bonds (order = double "
    "and to.element = O)))": "[#7]-[#7]=[#8]",
    "element = C and hybridisation = sp3 and in_ring and hydrogens = 2": "[#6;^3;R;H2]",
    "distinct bonds (to.element = N, to.element = O, to.element = S)": "[*](~[#7])(~[#8])~[#16]",
    "exists bonds (in_ring and order = double)": "*=@*",
}
RINGS = {
    "size = 3 and exists atoms (element = O)": "[#8;r3]",
    "size = 6 and aromatic and all atoms (element = C)": "c1ccccc1",
    "size = 5 and aromatic and exists atoms (element = S)": "s1:a:a:a:a:1",
    "size = 6 and aromatic and exists atoms (element = N)": "n1:a:a:a:a:a:1",
}
SAME = {
    **{f"exists atoms ({inner})": pattern for inner, pattern in ATOMS.items()},
    **{f"exists rings ({inner})": pattern for inner, pattern in RINGS.items()},
}


def asked(text, population):
    return holds(check_predicate(parse_predicate(text), "Molecule", population.schema, text=text), population)


@cache
def real_molecules(n=1000):
    """Molecules of three real data sets, of drugs, of pollutants and of metal complexes, always the same ones."""
    found = []
    for name in ("bbbp.csv", "tox21.csv.gz", "hiv.csv.gz"):
        path = SHARED / "molnet" / name
        if not path.exists():
            pytest.skip(f"the real data set molnet/{name} is not beside this checkout (expected {path})")
        with gzip.open(path, "rt") if name.endswith(".gz") else path.open() as file:
            found += [row["smiles"] for row in islice(csv.DictReader(file), 4 * n)]
    with rdBase.BlockLogs():
        readable = filter(None, map(Chem.MolFromSmiles, random.Random(5).sample(found, 2 * n)))
        return list(islice(readable, n))


@cache
def real_population():
    return from_molecules(real_molecules())


# ---- predicates and SMARTS ------------------------------------------------------------------------------


@pytest.mark.parametrize("text", SAME, ids=SAME.values())
def test_a_predicate_agrees_with_smarts_on_a_thousand_molecules(text):
    pattern = Chem.MolFromSmarts(SAME[text])
    expected = [molecule.HasSubstructMatch(pattern) for molecule in real_molecules()]
    assert asked(text, real_population()).tolist() == expected


def test_the_patterns_are_many_and_most_of_them_occur():
    n_true = [int(asked(text, real_population()).sum()) for text in SAME]
    assert len(SAME) >= 30 and sum(n >= 5 for n in n_true) >= 25


AMINE = "[#7;A;!$(*=*);!$(*#*);!$(*~[!#6;!#1]);!$(*~[#6]=[#8]);!$(*~[#6]=[#7])]"
GROUPS = {
    "halogen": "[F,Cl,Br,I]",
    "hydroxyl": "[#8;!H0]",
    "ether": "[#8;A](-[#6])-[#6]",
    "carbonyl": "[#6]=[#8]",
    "aldehyde": "[#6;!H0]=[#8]",
    "ketone": "[#6](=[#8])(~[#6])~[#6]",
    "carboxyl": "[#6](=[#8])-[$([#8;!H0]),$([#8;-])]",
    "ester": "[#6](=[#8])-[#8;A]-[#6]",
    "amide": "[#6](=[#8])-[#7]",
    "amine": AMINE,
    "aniline": f"{AMINE}~a",
    "nitro": "[#7](~[#8;D1])~[#8;D1]",
    "nitrile": "[#6]#[#7]",
    "azo": "[#7]=[#7]",
    "thiol": "[#16;!H0]",
    "sulfonyl": "[#16](=[#8])=[#8]",
    "phosphoryl": "[#15]=[#8]",
}


@pytest.mark.parametrize("name", GROUPS)
def test_a_functional_group_of_the_grammar_agrees_with_smarts(name):
    predicate = Grammar.load("molecules").predicate(f"exists atoms ({name})", real_population().schema)
    pattern = Chem.MolFromSmarts(GROUPS[name])
    found = holds(predicate, real_population()).tolist()
    assert found == [molecule.HasSubstructMatch(pattern) for molecule in real_molecules()] and any(found)
    deep = Grammar.load("molecules-deep").predicate(f"exists atoms ({name})", real_population().schema)
    assert holds(deep, real_population()).tolist() == found


def test_every_functional_group_has_its_smarts_and_does_not_depend_on_how_hydrogens_are_kept():
    grammar = Grammar.load("molecules")
    definitions = grammar.check(real_population().schema).definitions  # tests/language/test_chemical_vocabulary.py
    assert set(GROUPS) <= set(definitions)
    plain = from_molecules(real_molecules()[:200])
    full = from_molecules(real_molecules()[:200], hydrogens="explicit")
    for name in definitions:
        predicate = grammar.predicate(f"count atoms ({name}) >= 2", plain.schema)
        assert holds(predicate, full).tolist() == holds(predicate, plain).tolist()


@given(seed=st.integers(0, 1000))
def test_the_order_of_atoms_means_nothing(seed):
    rng = random.Random(seed)
    molecule = Chem.MolFromSmiles(rng.choice([*FEW, "O=C(O)c1ccc2nccnc2c1", "CS(=O)(=O)Nc1ccccc1Br"]))
    order = rng.sample(range(molecule.GetNumAtoms()), molecule.GetNumAtoms())
    population = from_molecules([molecule, Chem.RenumberAtoms(molecule, order)])
    for text in SAME:
        assert len(set(asked(text, population).tolist())) == 1


# ---- columns and what RDKit says ------------------------------------------------------------------------


def values(population, type_name, attribute):
    column = population.table(type_name).columns[attribute]
    return [column.value(row) for row in range(len(column))]


def test_atoms_have_what_rdkit_says_of_them():
    population, atoms = real_population(), [a for m in real_molecules() for a in m.GetAtoms()]
    assert values(population, "Atom", "element") == [a.GetSymbol() for a in atoms]
    assert values(population, "Atom", "charge") == [a.GetFormalCharge() for a in atoms]
    assert values(population, "Atom", "aromatic") == [a.GetIsAromatic() for a in atoms]
    assert values(population, "Atom", "degree") == [a.GetDegree() for a in atoms]
    assert values(population, "Atom", "hydrogens") == [a.GetTotalNumHs() for a in atoms]
    assert values(population, "Atom", "in_ring") == [a.IsInRing() for a in atoms]
    codes = [a.GetProp("_CIPCode") if a.HasProp("_CIPCode") else None for a in atoms]
    assert values(population, "Atom", "chirality") == codes
    assert {"sp", "sp2", "sp3"} <= set(population.table("Atom").columns["hybridisation"].categories)


def test_bonds_are_seen_from_both_ends_with_what_rdkit_says_of_them():
    population = real_population()
    tails = population.table("Atom").links["bonds"].owners.tolist()
    heads = population.table("Bond").links["to"].targets.tolist()
    members = [values(population, "Bond", name) for name in ("order", "conjugated", "in_ring")]
    found = sorted(zip(tails, heads, *members, strict=True))
    expected, first = [], 0
    for molecule in real_molecules():
        for bond in molecule.GetBonds():
            about = (bond.GetBondType().name.lower(), bond.GetIsConjugated(), bond.IsInRing())
            begin, end = bond.GetBeginAtomIdx() + first, bond.GetEndAtomIdx() + first
            expected += [(begin, end, *about), (end, begin, *about)]
        first += molecule.GetNumAtoms()
    assert found == sorted(expected)


def test_rings_have_what_rdkit_says_of_them():
    population = real_population()
    assert values(population, "Ring", "size") == [
        len(ring) for molecule in real_molecules() for ring in molecule.GetRingInfo().AtomRings()
    ]
    for name, count in {
        "aromatic": rdMolDescriptors.CalcNumAromaticRings,
        "hetero >= 1": rdMolDescriptors.CalcNumHeterocycles,
    }.items():
        numbers = [count(molecule) for molecule in real_molecules()]
        for n in (1, 2, 3):
            assert asked(f"count rings ({name}) >= {n}", population).tolist() == [number >= n for number in numbers]


def test_fused_rings_share_a_bond():
    population = real_population()
    rings = [set(ring) for molecule in real_molecules() for ring in bonds_of_rings(molecule)]
    fused = population.table("Ring").links["fused"]
    owner = population.table("Molecule").links["rings"].owners
    for row in range(len(rings)):
        near = np.flatnonzero(owner == owner[row]).tolist()
        assert set(fused.of(row).tolist()) == {r for r in near if r != row and rings[r] & rings[row]}


def bonds_of_rings(molecule):
    return molecule.GetRingInfo().BondRings()


@pytest.mark.parametrize(
    ("name", "smiles", "value"),
    [
        ("donors", "OCC(=O)O", 2),
        ("acceptors", "c1ccncc1", 1),
        ("rotatable", "CCCCC", 2),
        ("charge", "[O-]C(=O)C[N+](C)(C)C", 0),
        ("charge", "[NH4+]", 1),
        ("tpsa", "CCO", 20.23),
        ("weight", "O", 18.015),
        ("sp3", "CC=C", 0.3333),
        ("logp", "c1ccccc1", 1.6866),
        ("refractivity", "c1ccccc1", 26.442),
    ],
)
def test_molecules_have_the_descriptors_that_chemists_know(name, smiles, value):
    assert from_molecules([smiles]).column(name).value(0) == pytest.approx(value, abs=1e-6)


def test_stereo_is_missing_where_there_is_none():
    population = from_molecules(["F/C=C/F", "F/C=C\\F", "FC=CF"])
    found = values(population, "Bond", "stereo")
    assert [found.count("E"), found.count("Z"), found.count(None)] == [2, 2, 14]
    assert values(from_molecules(["C[C@H](N)C(=O)O"]), "Atom", "chirality") == [None, "S", None, None, None, None]


def test_a_charge_that_cannot_be_computed_is_missing():
    charges = from_molecules(["C[Hg]", "CC"]).table("Atom").columns["partial_charge"]
    assert charges.missing.tolist() == [True, True, False, False]


@pytest.mark.parametrize("smiles", FEW)
def test_explicit_hydrogens_are_atoms_and_change_nothing_else(smiles):
    plain, full = from_molecules([smiles]), from_molecules([smiles], hydrogens="explicit")
    n_hydrogens = sum(values(plain, "Atom", "hydrogens"))
    assert values(full, "Atom", "element").count("H") == n_hydrogens
    n_heavy = plain.table("Atom").n_rows
    assert full.table("Atom").n_rows == n_heavy + n_hydrogens
    assert values(full, "Atom", "hydrogens")[:n_heavy] == values(plain, "Atom", "hydrogens")
    assert values(full, "Ring", "size") == values(plain, "Ring", "size")
    for name in plain.table("Molecule").columns:
        assert full.column(name).value(0) == plain.column(name).value(0)


def test_the_default_grammar_asks_about_everything_that_is_read():
    n = len(FEW)
    population = from_molecules(FEW, columns={"kind": ["ab"[i % 2] for i in range(n)], "dose": [1.5] * n})
    grammar = default_grammar(population)
    assert grammar.name == "molecules"
    asked = {pretty(rewrite.right) for rewrite in grammar.check(population.schema).rewrites["Molecule"]}
    assert {"logp >= quantiles(30)", "dose >= *", "kind = *"} <= asked


def test_molecules_survive_a_file(tmp_path):
    population = from_molecules(FEW)
    write_jsonl(population, tmp_path / "few.jsonl")
    assert same_population(read_jsonl(tmp_path / "few.jsonl"), population)


# ---- molecules of the user ------------------------------------------------------------------------------


def test_smiles_and_molecules_give_the_same():
    molecules = [Chem.MolFromSmiles(text) for text in FEW]
    assert same_population(from_molecules(molecules), from_molecules(FEW))
    full = [Chem.AddHs(molecule) for molecule in molecules]
    assert same_population(from_molecules(full), from_molecules(FEW))
    raw = [Chem.MolFromSmiles(text, sanitize=False) for text in ("CCO", "CC(C)=O")]
    assert same_population(from_molecules(raw), from_molecules(["CCO", "CC(C)=O"]))


def test_the_molecules_of_the_user_are_not_changed():
    molecule = Chem.AddHs(Chem.MolFromSmiles("CCO"))
    from_molecules([molecule])
    assert molecule.GetNumAtoms() == 9 and not molecule.GetAtomWithIdx(0).HasProp("_GasteigerCharge")


def test_properties_of_molecules_become_attributes():
    first, second = Chem.MolFromSmiles("CCO"), Chem.MolFromSmiles("CC")
    first.SetProp("activity", "1.5")
    first.SetProp("code", "007")
    first.SetIntProp("n", 3)
    second.SetProp("activity", "2")
    second.SetProp("code", "x")
    population = from_molecules([first, second])
    assert [population.column(name).kind for name in ("activity", "code", "n")] == ["real", "nominal", "int"]
    assert population.column("n").value(1) is None
    assert from_molecules([first, second], types={"activity": "nominal"}).column("activity").categories == (
        "1.5",
        "2",
    )


def test_columns_are_attributes_and_go_before_descriptors():
    population = Population.from_molecules(["CCO", "CC"], columns={"logp": [1, 2], "kind": ["a", None]})
    assert population.column("logp").kind == "int" and population.column("kind").categories == ("a",)
    rest, target = population.split_target("logp")
    assert target.tolist() == [1, 2] and "logp" not in rest.schema.type("Molecule").members


@pytest.mark.parametrize(
    ("molecules", "options", "error", "message"),
    [
        (["CCO", 3], {}, DataError, r"expected a SMILES or an RDKit molecule, got 3 \(individual 1\)"),
        ([], {}, DataError, "expected at least one molecule, got none"),
        (
            ["CCO", None],
            {},
            DataError,
            r"the molecule is missing \(individual 1\); correct it, or skip unreadable molecules with",
        ),
        (["CCO", ""], {}, DataError, r"the molecule is missing \(individual 1\)"),
        (["C1CC"], {}, DataError, r"RDKit cannot read the SMILES 'C1CC' \(individual 0\)"),
        (
            ["C1CC", "CCO", "", "x"],
            {},
            DataError,
            r"^RDKit cannot read 3 of 4 molecules; correct .*:\n"
            r"  row 0: .*'C1CC'\n  row 2: the molecule is missing\n",
        ),
        (
            ["C1CC"] * 12 + ["C"],
            {},
            DataError,
            r"cannot read 12 of 13 (.|\n)*\n  row 9: .*'C1CC'\n  and 2 more$",
        ),
        (
            ["red", "blue"],
            {},
            DataError,
            r"^expected SMILES, but RDKit cannot read any of the 2 strings; .* DataFrame:\n  row 0: .*'red'\n",
        ),
        (["CC", "FC(F)(F)(F)F"], {}, DataError, "RDKit rejects the SMILES .*: Explicit valence for atom # 1 C, 5"),
        (["CC"], {"columns": {"a": [1, 2]}}, UsageError, "the column 'a' has 2 values for 1 molecules"),
        (["CC"], {"columns": {"atoms": [1]}}, DataError, "the column 'atoms' has the same name as a link"),
        (
            ["CC", "C"],
            {"columns": {"a": [1, "x"]}},
            DataError,
            r"expected a number, got 'x' at column 'a' \(individual 1\)",
        ),
        (["CC"], {"hydrogens": "all"}, UsageError, "hydrogens must be 'implicit' or 'explicit'; got 'all'"),
        (["CC"], {"types": {"element": "nominal"}}, UnknownNameError, r"unknown member 'element'"),
        (
            ["CC"],
            {"columns": {"colour": ["x"]}, "types": {"color": "nominal"}},
            UnknownNameError,
            r"unknown member 'color' \(did you mean 'colour'\?\)",
        ),
    ],
)
def test_what_is_no_list_of_molecules_is_refused(molecules, options, error, message):
    with pytest.raises(error, match=message):
        from_molecules(molecules, **options)


def test_bad_molecules_are_skipped_and_told():
    with pytest.warns(SkippedMolecules, match="skipped 2 of 4 molecules") as caught:
        population = from_molecules(["CC", "C1CC", "CCO", None], columns={"x": [1, 2, 3, 4]}, skip_bad=True)
    assert caught[0].message.rows == (1, 3)
    assert str(caught[0].message).splitlines()[1:] == [
        "  row 1: RDKit cannot read the SMILES 'C1CC'",
        "  row 3: the molecule is missing",
    ]
    assert population.provenance.rows.tolist() == [0, 2]
    assert population.provenance.left_out[3] == "the molecule is missing"
    assert population.column("x").values.tolist() == [1, 3]
    with pytest.raises(DataError, match="RDKit cannot read the SMILES 'C1CC'"):
        from_molecules(["C1CC"], skip_bad=True)


def test_all_bad_molecules_are_told_at_once(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("smiles\n" + "CC\nC1CC\n" * 12)
    with pytest.raises(DataError) as caught:
        read_data(path)
    first, *listed = str(caught.value).splitlines()
    assert first == (
        f"{path}: RDKit cannot read 12 of 24 molecules; "
        "correct them, or skip unreadable molecules with skip_bad=True:"
    )
    assert listed[0] == "  line 3 (row 1): RDKit cannot read the SMILES 'C1CC'"
    assert len(listed) == 11 and listed[-1] == "  and 2 more"


def test_rdkit_is_silent(capfd):
    with pytest.raises(DataError):
        from_molecules(["C1CC"])
    assert capfd.readouterr() == ("", "")


# ---- salts and charges ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("smiles", "options", "same"),
    [
        ("CC(=O)[O-].[Na+]", {"largest_fragment": True}, "CC(=O)[O-]"),
        ("CC(=O)[O-].[Na+]", {"largest_fragment": True, "neutralise": True}, "CC(=O)O"),
        ("C[NH3+].[Cl-]", {"neutralise": True}, "CN.Cl"),
        ("C[N+](C)(C)C", {"neutralise": True}, "C[N+](C)(C)C"),
        ("C[C@H]([NH3+])C(=O)[O-]", {"neutralise": True}, "C[C@H](N)C(=O)O"),
        ("c1ccccc1[N+](=O)[O-]", {"largest_fragment": True, "neutralise": True}, "c1ccccc1[N+](=O)[O-]"),
        ("F/C=C/F.O", {"largest_fragment": True}, "F/C=C/F"),
        ("[Na+].[Cl-]", {}, "[Na+].[Cl-]"),
    ],
)
def test_salts_are_dropped_and_charges_taken_away_on_request(smiles, options, same):
    expected = from_molecules([same])
    assert same_population(from_molecules([smiles], **options), expected)
    assert same_population(from_molecules([Chem.MolFromSmiles(smiles)], **options), expected)


@pytest.mark.parametrize("options", [{"largest_fragment": True}, {"neutralise": True}])
def test_what_is_whole_and_uncharged_stays_as_it_is(options):
    plain = [m for m in real_molecules()[:300] if len(Chem.GetMolFrags(m)) == 1]
    plain = [m for m in plain if all(atom.GetFormalCharge() == 0 for atom in m.GetAtoms())]
    assert len(plain) > 100
    assert same_population(from_molecules(plain, **options), from_molecules(plain))


# ---- files ----------------------------------------------------------------------------------------------

TABLE = 'id,SMILES,activity\n1,CCO,0.5\n2,"C1CC",1\n\n3,c1ccccc1,2.5\n'


def test_a_table_with_a_column_of_smiles_is_read_as_molecules(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(TABLE.replace("C1CC", "C1CC1"))
    population = read_data(path)
    assert population.schema.individual == "Molecule" and population.table("Ring").n_rows == 2
    assert [population.column(name).kind for name in ("id", "activity")] == ["int", "real"]
    assert "SMILES" not in population.schema.type("Molecule").members
    assert same_population(population, read_data(path, format="smiles"))
    opened = open_data(path, target="activity", types={"id": "nominal"})
    assert opened.target.tolist() == [0.5, 1, 2.5] and opened.population.column("id").kind == "nominal"


def test_a_table_is_read_as_it_stands_if_told_so(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(TABLE)
    assert read_data(path, format="csv").schema.names == ("Row",)
    assert read_data(path, individual="Thing").schema.names == ("Thing",)


def test_the_column_of_smiles_can_be_said(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text("mol\tactive\nCCO\tyes\nCC\tno\n")
    assert read_data(path).schema.names == ("Row",)
    assert read_data(path, smiles="mol").column("active").categories == ("no", "yes")
    with pytest.raises(UsageError, match="no column is named smiles"):
        read_data(path, format="smiles")
    with pytest.raises(UnknownNameError, match="unknown column 'mole'"):
        read_data(path, smiles="mole")


def test_a_table_may_be_laid_out_in_any_way(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("CCO|0,5|-\nCC|1,5|x\n")
    layout = {"delimiter": "|", "decimal": ",", "missing_words": ["-"]}
    population = read_data(path, names=["smiles", "activity", "kind"], **layout)
    assert population.column("activity").values.tolist() == [0.5, 1.5] and population.column("kind").value(0) is None
    assert len(read_data(path, smiles="c1", header=False, **layout)) == 2


def test_a_bad_molecule_of_a_table_is_told_by_its_line(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(TABLE)
    with pytest.raises(DataError) as caught:
        read_data(path)
    assert str(caught.value).startswith(
        f"{path}:3: RDKit cannot read the SMILES 'C1CC' (individual 1); correct it, or skip"
    )
    with pytest.warns(SkippedMolecules) as warned:
        population = read_data(path, skip_bad=True)
    assert str(warned[0].message) == (
        f"{path}: skipped 1 of 3 molecules:\n  line 3 (row 1): RDKit cannot read the SMILES 'C1CC'"
    )
    assert population.column("activity").values.tolist() == [0.5, 2.5]


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("CCO\nCC\n", {}),
        ("CCO first one\n\nCC second\n", {"name": "nominal"}),
        ("CCO 1.5\nCC 2\n", {"name": "real"}),
        ("smiles activity kind\nCCO 1 a\nCC 2 b\n", {"activity": "int", "kind": "nominal"}),
        ("SMILES\tmy activity\nCCO\t1\nCC\t2\n", {"my activity": "int"}),
    ],
)
def test_a_smi_file_has_a_smiles_a_line(tmp_path, text, columns):
    path = tmp_path / "a.smi"
    path.write_text(text)
    population = read_data(path)
    assert len(population) == 2 and population.table("Atom").n_rows == 5
    assert {name: population.column(name).kind for name in columns} == columns
    packed = tmp_path / "b.smi.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    assert same_population(read_data(packed), population)


def test_a_bad_line_of_a_smi_file_is_told(tmp_path):
    path = tmp_path / "a.smi"
    path.write_text("CCO\n\nC(C\n")
    with pytest.raises(DataError, match=r"a.smi:3: RDKit cannot read the SMILES 'C\(C'"):
        read_data(path)
    path.write_text("smiles a b\nCCO 1 2\nCC 1\n")
    with pytest.raises(DataError, match=r"a.smi:3: expected 3 fields as in the header, got 2"):
        read_data(path)


def write_sdf(path, molecules):
    with path.open("w") as file:
        for molecule, properties in molecules:
            file.write(Chem.MolToMolBlock(molecule))
            for name, value in properties.items():
                file.write(f">  <{name}>  (1)\n{value}\n\n")
            file.write("$$$$\n")


def test_an_sd_file_has_molecules_and_properties(tmp_path):
    molecules = [Chem.MolFromSmiles(text) for text in FEW]
    path = tmp_path / "few.sdf"
    write_sdf(path, [(m, {"activity": i / 2, "class": "ab"[i % 2]}) for i, m in enumerate(molecules)])
    population = read_data(path)
    assert population.column("activity").values.tolist() == [i / 2 for i in range(len(FEW))]
    assert population.column("class").categories == ("a", "b")
    for name in ("element", "hydrogens", "aromatic", "degree"):
        assert values(population, "Atom", name) == values(from_molecules(FEW), "Atom", name)
    supplied = list(Chem.SDMolSupplier(str(path)))
    assert same_population(from_molecules(supplied), population)
    single = tmp_path / "one.mol"
    single.write_text(Chem.MolToMolBlock(molecules[0]))
    assert len(read_data(single)) == 1 and read_molecules(single, notation="molblock").table("Atom").n_rows == 3


def test_a_bad_block_is_told_by_the_line_on_which_it_begins(tmp_path):
    path = tmp_path / "bad.sdf"
    write_sdf(path, [(Chem.MolFromSmiles("CC"), {}), (Chem.MolFromSmiles("CO"), {}), (Chem.MolFromSmiles("C"), {})])
    lines = path.read_text().splitlines()
    begin = lines.index("$$$$") + 1
    lines[begin + 3] = "nonsense"
    path.write_text("\n".join(lines))
    with pytest.raises(DataError, match=rf"bad.sdf:{begin + 1}: RDKit cannot read the connection table"):
        read_data(path)
    with pytest.warns(SkippedMolecules, match=rf"skipped 1 of 3 molecules:\n  line {begin + 1} \(row 1\)"):
        assert len(read_data(path, skip_bad=True)) == 2


def test_without_rdkit_the_message_says_what_to_install(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    path.write_text("smiles\nCC\n")
    monkeypatch.setitem(sys.modules, "rdkit", None)
    with pytest.raises(MissingPackageError) as caught:
        open_data(path)
    assert str(caught.value) == (
        f"{path}: reading molecules requires RDKit, which is not installed: pip install 'structtree[molecules]', "
        "or read the table without its molecules: format='csv'"
    )
    with pytest.raises(ImportError, match=r"^reading molecules requires RDKit, which is not installed"):
        from_molecules(["CC"])


@pytest.mark.parametrize(
    ("name", "n", "target"),
    [("bbbp.csv", 2039, "p_np"), ("esol.csv", 1128, "logSolubility"), ("freesolv.csv", 642, "freesolv")],
)
def test_real_tables_are_read(shared_data, name, n, target):
    opened = open_data(shared_data(f"molnet/{name}"), target=target)
    assert len(opened.population) == len(opened.target) == n
