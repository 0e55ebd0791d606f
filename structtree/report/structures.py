"""Molecules as drawings: where RDKit would draw atoms and bonds, and which of them made a test true."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from structtree.data.columns import Population

__all__ = ["molecule_drawing", "rows_along"]


def molecule_drawing(alone: Population, smiles: str | None) -> dict[str, Any] | None:
    """Return a molecule as RDKit lays it out; None where it is none, or not the one that was read.

    Parameters
    ----------
    alone : Population
        Of one individual.
    smiles : str, optional
        What its source calls it.

    Examples
    --------
    >>> ethanol = Population.from_smiles(["CCO"])
    >>> molecule_drawing(ethanol, "CCO")["bonds"]
    [[0, 1, 1], [1, 2, 1]]
    """
    schema = alone.schema
    if smiles is None or schema.type(schema.individual).link("atoms") is None:
        return None
    try:
        from rdkit import Chem, RDLogger
        from rdkit.Chem import rdDepictor
    except ImportError:
        return None
    RDLogger.DisableLog("rdApp.*")  # type: ignore[attr-defined]
    molecule = Chem.MolFromSmiles(smiles)
    RDLogger.EnableLog("rdApp.*")  # type: ignore[attr-defined]
    atoms = alone.tables[schema.individual].links["atoms"].of(int(alone.individuals[0]))
    if molecule is None or molecule.GetNumAtoms() != len(atoms):
        return None
    rdDepictor.Compute2DCoords(molecule)
    Chem.Kekulize(molecule, clearAromaticFlags=True)
    places = molecule.GetConformer().GetPositions()
    drawn = [
        [atom.GetSymbol(), round(float(x), 2), round(float(-y), 2), atom.GetFormalCharge(), atom.GetTotalNumHs()]
        for atom, (x, y, _) in zip(molecule.GetAtoms(), places, strict=True)
    ]
    bonds = [[b.GetBeginAtomIdx(), b.GetEndAtomIdx(), int(b.GetBondTypeAsDouble())] for b in molecule.GetBonds()]
    return {"atoms": drawn, "bonds": bonds}


def rows_along(alone: Population, paths: Sequence[str]) -> dict[str, list[Any]]:
    """Return the atoms and bonds of a molecule that are on some ways, such as ``atoms[2].bonds[0].to``.

    Examples
    --------
    >>> rows_along(Population.from_smiles(["CCO"]), ["atoms[2].bonds[0].to"])
    {'atoms': [1, 2], 'bonds': [[1, 2]]}
    """
    schema, tables = alone.schema, alone.tables
    first = {int(row): place for place, row in enumerate(
        tables[schema.individual].links["atoms"].of(int(alone.individuals[0])))}  # fmt: skip
    atoms: set[int] = set()
    bonds: set[tuple[int, int]] = set()
    for path in paths:
        name, row, last = schema.individual, int(alone.individuals[0]), -1
        for link, place in re.findall(r"([^.\[\]]+)(?:\[(\d+)\])?", path):
            declared = schema.type(name).link(link)
            if declared is None:
                break
            targets = tables[name].links[link].of(row)
            if int(place or 0) >= len(targets):
                break
            name, row = declared.target, int(targets[int(place or 0)])
            if name == "Atom" and row in first:
                atoms.add(first[row])
                if link == "to" and last >= 0:
                    bonds.add((min(last, first[row]), max(last, first[row])))
                last = first[row]
    return {"atoms": sorted(atoms), "bonds": sorted(map(list, bonds))}
