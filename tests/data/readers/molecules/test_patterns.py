"""SMARTS patterns match the atoms of a population that RDKit finds in the original molecules."""

import numpy as np
import pytest

from structtree import Population, holds
from structtree.data.reachable import compact
from structtree.data.readers.molecules.patterns import atom_types, matching_atoms, problem_of_pattern
from structtree.lang import syntax as syn

Chem = pytest.importorskip("rdkit.Chem", reason="needs RDKit: pip install 'structtree[molecules]'")

SMILES = [
    "CCO", "CC(=O)[O-].[NH4+]", "c1ccccc1N(C)C", "C1CC2CCC1C2", "C[N+](=O)[O-]", "c1ccc2[nH]ccc2c1", "CC#N",
    "[Na+].[Cl-]", "CS(=O)(=O)N", "C/C=C/C", "N[C@@H](C)C(=O)O", "[H][H]", "[2H]C", "CP(=O)(O)O", "[Mg+2]",
    "C12C3C4C1C5C2C3C45", "*C", "F[P-](F)(F)(F)(F)F", "[O-][n+]1ccccc1", "N=NC", "C=C=C", "B(O)(O)c1ccccc1",
    "CN1C=NC2=C1C(=O)N(C(=O)N2C)C", "CC1(C)SC2C(NC(=O)Cc3ccccc3)C(=O)N2C1C(=O)O", "N->[Fe]", "[CH3]", "CCCCCCCCCN",
]  # fmt: skip
PATTERNS = [
    "[CX4]N", "C(=O)[NX3]", "[#6].[#7]", "[R2]", "[r5]", "[k6]", "[D3]", "[v4]", "[x3]", "[^2]", "[h1]", "[H2]",
    "[+]", "[N+](=O)[O-]", "a:a", "*!@*", "C=,#C", "[N,O;!H0]~*~*~[N,O]", "[#1]", "[X2]", "[!#6;!#1]", "C-@C",
    "c1ccccc1", "[R]@[R]-!@[R]", "*", "[$([OH]-C=O),$([NX3;H2])]", "*->*", "[#0]", "C.C",
]  # fmt: skip


def expected(pattern, molecules):
    query, found = Chem.MolFromSmarts(pattern), []
    for molecule in molecules:
        first = {match[0] for match in molecule.GetSubstructMatches(query, uniquify=False, maxMatches=100_000)}
        found += [atom in first for atom in range(molecule.GetNumAtoms())]
    return np.array(found)


@pytest.mark.parametrize("hydrogens", ["implicit", "explicit"])
def test_the_atoms_are_those_of_the_original_molecules(hydrogens):
    read = [Chem.MolFromSmiles(text) for text in SMILES]
    molecules = read if hydrogens == "implicit" else [Chem.AddHs(molecule) for molecule in read]
    population = Population.from_molecules(read, hydrogens=hydrogens)
    found = matching_atoms(population, PATTERNS)
    for pattern in PATTERNS:
        assert found[pattern].tolist() == expected(pattern, molecules).tolist(), pattern
    assert all(problem_of_pattern(pattern) == "" for pattern in PATTERNS)


def test_patterns_match_in_any_part_of_a_population():
    population = Population.from_smiles(SMILES)
    rows = [12, 3, 0, 21]
    for pattern in PATTERNS:
        test = syn.Exists("atoms", syn.Flag(syn.SmartsName.of(pattern)))
        assert holds(test, compact(population.take(rows))).tolist() == holds(test, population)[rows].tolist()


@pytest.mark.parametrize(
    ("pattern", "fix"),
    [
        ("[CX4", "close the '[' at character 1"),
        ("C(C", "close the '(' at character 2"),
        ("C)", "remove the ')' at character 2, or open it before"),
        ("C1CC", "close the ring 1"),
        ("carbonyl", "check it after 'ca'"),
        ("[Q]", "start with an atom"),
        ("", "write at least one atom"),
        ("[C@H](N)O", "test 'chirality = R' of an atom instead"),
        ("C/C=C/C", "test 'stereo = E' of a bond instead"),
        ("[13C]", "remove the number after '['"),
    ],
)
def test_an_invalid_pattern_has_its_nearest_fix(pattern, fix):
    assert fix in problem_of_pattern(pattern)


def test_ring_bonds_are_not_directions():
    assert problem_of_pattern("C@C") == problem_of_pattern("[$(C@C)]") == ""


def test_other_data_has_no_atoms_to_match():
    assert atom_types(Population.from_records([{"atoms": [{"element": "C"}]}]).schema) is None
    assert atom_types(Population.from_records([{"a": 1}]).schema) is None
