"""Scaffolds of populations are those that RDKit finds in the molecules themselves."""

from __future__ import annotations

import pytest

from structtree import Population, load_dataset
from structtree.data.readers.molecules.scaffolds import scaffolds
from structtree.errors import DataError

pytest.importorskip("rdkit", reason="scaffolds are found by RDKit")

SMILES = [
    "CC(=O)Oc1ccccc1C(=O)O",
    "CN1C=NC2=C1C(=O)N(C(=O)N2C)C",
    "CCO",
    "c1ccc2[nH]ccc2c1",
    "Cn1cccc1",
    "C[N+](C)(C)CC1CCCCC1.[Cl-]",
    "O=C1CCCN1",
    "C/C=C/c1ccncc1",
    "N[C@@H](Cc1c[nH]c2ccccc12)C(=O)O",
    "c1ccc(-c2cc[nH+]cc2)cc1",
    "CS(=O)(=O)c1ccc(OC2CC2)cc1",
    "[O-][n+]1ccccc1",
]


@pytest.mark.parametrize("hydrogens", ["implicit", "explicit"])
def test_they_are_those_of_rdkit(hydrogens):
    from rdkit import Chem
    from rdkit.Chem.Scaffolds.MurckoScaffold import MurckoScaffoldSmiles

    wanted = [Chem.CanonSmiles(MurckoScaffoldSmiles(smiles), useChiral=False) for smiles in SMILES]
    assert scaffolds(Population.from_molecules(SMILES, hydrogens=hydrogens)) == wanted


def test_they_follow_the_individuals():
    population = Population.from_molecules(["Cc1ccccc1", "CCO", "C1CC1"])
    assert scaffolds(population.take([2, 0])) == ["C1CC1", "c1ccccc1"]


def test_other_individuals_have_none():
    with pytest.raises(DataError, match=r"scaffolds require molecules .* got individuals of type 'Train'"):
        scaffolds(load_dataset("trains").population)
