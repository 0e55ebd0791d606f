"""Scaffolds of molecules: their ring systems and linkers.

The definition is that of G.W. Bemis and M.A. Murcko, "The Properties of Known Drugs", Journal of Medicinal Chemistry
39, 1996. Molecules are rebuilt from the atoms and bonds of a population, so that the file format and the reading
options do not matter, and RDKit computes their scaffolds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from structtree.data.population import Population
from structtree.errors import DataError, option_text

__all__ = ["scaffolds"]

ATOM = ("element", "charge", "aromatic", "hydrogens")
"""The required attributes of atoms."""


def scaffolds(population: Population) -> list[str]:
    """Return the scaffold of each molecule as SMILES, without stereochemistry; empty for molecules without a ring.

    Parameters
    ----------
    population : Population
        A population of molecules from `structtree.data.readers.molecules.reading`.

    Examples
    --------
    >>> scaffolds(Population.from_molecules(["Cc1ccccc1", "CCO", "OC(c1ccccc1)C1CC1", "c1cc[nH]c1"]))
    ['c1ccccc1', '', 'c1ccc(CC2CC2)cc1', 'c1cc[nH]c1']
    """
    _check(population)
    parts = _Parts(population)
    return [_scaffold(parts.molecule(row)) for row in population.individuals.tolist()]


def _check(population: Population) -> None:
    known = {record.name: record for record in population.schema.types}
    has_atoms = "Atom" in known and all(known["Atom"].attribute(name) is not None for name in ATOM)
    if not (has_atoms and "Bond" in known and population.schema.individual == "Molecule"):
        raise DataError(
            f"scaffolds require molecules with atoms and bonds; got individuals of type "
            f"{population.schema.individual!r} (read a column of SMILES with {option_text('smiles', 'COLUMN')})"
        )


class _Parts:
    """The atoms and bonds of all molecules, with RDKit names."""

    def __init__(self, population: Population) -> None:
        from rdkit.Chem import BondType

        atoms, bonds = population.table("Atom"), population.table("Bond")
        element, order = atoms.columns["element"], bonds.columns["order"]
        self.symbols = np.array([*element.categories, "*"], dtype=object)[element.values.astype(np.int64)].tolist()
        self.charges = np.nan_to_num(atoms.columns["charge"].values).astype(np.int64).tolist()
        self.hydrogens = np.nan_to_num(atoms.columns["hydrogens"].values).astype(np.int64).tolist()
        self.is_aromatic = (atoms.columns["aromatic"].values == 1).tolist()
        names = {str(name).lower(): kind for name, kind in BondType.names.items()}
        kinds = [names.get(name.lower(), BondType.SINGLE) for name in order.categories]
        self.orders = [kinds[int(code)] if code >= 0 else BondType.SINGLE for code in order.values]
        self.atoms_of = population.tables["Molecule"].links["atoms"]
        self.bonds_of, self.to = atoms.links["bonds"], bonds.links["to"]

    def molecule(self, row: int) -> Any:
        """Return a molecule without hydrogen atoms."""
        from rdkit import Chem

        built, places = Chem.RWMol(), {}
        for atom in self.atoms_of.of(row).tolist():
            if self.symbols[atom] != "H":
                places[atom] = built.AddAtom(self._atom(atom))
        for atom, place in places.items():
            for bond in self.bonds_of.of(atom).tolist():
                other = places.get(int(self.to.of(bond)[0]), -1)
                if other > place:
                    built.AddBond(place, other, self.orders[bond])
        Chem.SanitizeMol(built, catchErrors=True)
        return built.GetMol()

    def _atom(self, row: int) -> Any:
        """Return an atom; RDKit infers its hydrogens from its bonds, except for aromatic atoms other than carbon."""
        from rdkit import Chem

        atom = Chem.Atom(self.symbols[row])
        atom.SetFormalCharge(self.charges[row])
        atom.SetIsAromatic(self.is_aromatic[row])
        if self.is_aromatic[row] and self.symbols[row] != "C":
            atom.SetNumExplicitHs(self.hydrogens[row])
        return atom


def _scaffold(molecule: Any) -> str:
    from rdkit import Chem, rdBase
    from rdkit.Chem.Scaffolds import MurckoScaffold

    with rdBase.BlockLogs():
        core: Any = MurckoScaffold.GetScaffoldForMol(molecule)  # type: ignore[no-untyped-call]
        return str(Chem.MolToSmiles(core, isomericSmiles=False))
