"""SMARTS patterns on molecules that RDKit has read: which atoms match the first atom of a pattern.

RDKit needs molecules, so they are rebuilt from their columns: elements, charges, hydrogens, aromaticity,
hybridisation and bonds. Patterns therefore work on any part of a population, whatever its source, and the molecules
are not stored twice. Isotopes and directions (``@``, ``/``) are not in the columns, so `problem_of_pattern` refuses
them.

Law (``tests/data/readers/molecules/test_patterns.py``): the atoms found are those that RDKit finds in the original
molecules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import Mask
from structtree.data.kinds import quoted_value
from structtree.data.population import Column, Population
from structtree.data.schema import Link, Schema
from structtree.errors import DataError, MissingPackageError
from structtree.progress import report_status

__all__ = ["AtomTypes", "atom_types", "matching_atoms", "problem_of_pattern"]

OF_ATOM = ("element", "charge", "aromatic", "hydrogens", "hybridisation")
"""Attributes of an atom that a molecule is rebuilt from."""

MOST_MATCHES = 1_000_000
"""Maximum number of matches in a molecule; RDKit's default, 1,000, is too small for patterns such as ``C.N``."""


class AtomTypes(NamedTuple):
    """The types of molecules, atoms and bonds in a schema, whatever their names."""

    molecule: str
    atom: str
    bond: str

    @property
    def members(self) -> tuple[tuple[str, str], ...]:
        """The members that molecules are rebuilt from, each with its type."""
        of_atom = ((self.atom, name) for name in (*OF_ATOM, "bonds"))
        return ((self.molecule, "atoms"), *of_atom, (self.bond, "order"), (self.bond, "to"))


def atom_types(schema: Schema) -> AtomTypes | None:
    """Return the types of molecules, atoms and bonds, or None if RDKit has not read the individuals.

    Examples
    --------
    >>> atom_types(Population.from_smiles(["CCO"]).schema)
    AtomTypes(molecule='Molecule', atom='Atom', bond='Bond')
    """
    atoms = _target(schema, schema.individual, "atoms")
    bonds = None if atoms is None else _target(schema, atoms, "bonds")
    if atoms is None or bonds is None or _target(schema, bonds, "to") != atoms:
        return None
    if not {*OF_ATOM} <= {*schema.type(atoms).members} or schema.type(bonds).attribute("order") is None:
        return None
    return AtomTypes(schema.individual, atoms, bonds)


def _target(schema: Schema, owner: str, name: str) -> str | None:
    link: Link | None = schema.type(owner).link(name)
    return None if link is None else link.target


def matching_atoms(population: Population, patterns: Sequence[str]) -> dict[str, Mask]:
    """Return, for each SMARTS pattern, the atoms that match its first atom.

    Parameters
    ----------
    population : Population
        Molecules that RDKit has read; see `atom_types`.
    patterns : sequence of str
        Valid patterns; see `problem_of_pattern`.

    Examples
    --------
    >>> matching_atoms(Population.from_smiles(["CC(=O)N", "CCN"]), ["C(=O)[NX3]"])["C(=O)[NX3]"].tolist()
    [False, True, False, False, False, False, False]
    """
    chem, types = _rdkit(), atom_types(population.schema)
    assert types is not None, "the grammar was checked"
    n_atoms, n_molecules = population.tables[types.atom].n_rows, population.tables[types.molecule].n_rows
    # A recursive pattern has one atom, so that RDKit finds each matching atom once, whatever the number of matches.
    everything = chem.SubstructMatchParameters()
    everything.maxMatches = everything.maxRecursiveMatches = MOST_MATCHES
    queries = {pattern: chem.MolFromSmarts(f"[$({pattern})]") for pattern in patterns}
    found = {pattern: np.zeros(n_atoms, dtype=np.bool_) for pattern in patterns}
    for done, (atoms, molecule) in enumerate(_molecules(population, types)):
        if done % 500 == 0:
            report_status("matching SMARTS", done, n_molecules, f"{done:,} of {n_molecules:,} molecules")
        for pattern, query in queries.items():
            matches = molecule.GetSubstructMatches(query, everything)
            if matches:
                found[pattern][atoms[[atom for (atom,) in matches]]] = True
    return found


# ---- molecules from columns ------------------------------------------------------------------------------


def _molecules(population: Population, types: AtomTypes) -> Iterator[tuple[NDArray[Any], Any]]:
    """Yield the rows of the atoms of each molecule, and the molecule; its atoms have the order of their rows."""
    from rdkit.Chem import BondType, GetSymmSSSR, RWMol

    atoms_of = population.tables[types.molecule].links["atoms"]
    atoms, bonds = population.tables[types.atom], population.tables[types.bond]
    bonds_of = atoms.links["bonds"]
    tails, heads = bonds_of.owners, bonds.links["to"].targets[bonds_of.targets]
    order = bonds.columns["order"]
    orders = [BondType.names.get(name.upper(), BondType.UNSPECIFIED) for name in (*order.categories, "")]
    codes = order.values[bonds_of.targets]  # missing is -1, the last of the orders
    models, kinds = _models(atoms.columns, _n_hydrogen_atoms(atoms.columns["element"], tails, heads))
    kind = kinds[atoms_of.targets].tolist()

    molecule_of, place = np.zeros((2, atoms.n_rows), dtype=np.int64)
    molecule_of[atoms_of.targets] = atoms_of.owners
    place[atoms_of.targets] = np.arange(len(atoms_of.targets)) - atoms_of.offsets[atoms_of.owners]
    once = np.flatnonzero(place[tails] < place[heads])  # each bond appears twice
    once = once[np.argsort(molecule_of[tails[once]], kind="stable")]
    ends = np.searchsorted(molecule_of[tails[once]], np.arange(len(atoms_of) + 1)).tolist()
    begin, end, code = (values[once].tolist() for values in (place[tails], place[heads], codes))
    starts = atoms_of.offsets.tolist()
    for row in range(len(atoms_of)):
        molecule = RWMol()
        for each in kind[starts[row] : starts[row + 1]]:
            molecule.AddAtom(models[each])
        for bond in range(ends[row], ends[row + 1]):
            molecule.AddBond(begin[bond], end[bond], orders[code[bond]])
        molecule.UpdatePropertyCache(False)
        GetSymmSSSR(molecule)
        yield atoms_of.of(row), molecule


def _models(
    columns: Mapping[str, Column], n_hydrogen_atoms: NDArray[np.int64]
) -> tuple[list[Any], NDArray[np.int64]]:
    """Return an RDKit atom for each kind of atom, and the kind of each row; there are only a few dozen kinds."""
    from rdkit.Chem import HybridizationType

    element, hybridisation = columns["element"], columns["hybridisation"]
    numbers = (_whole(columns[name]) for name in ("charge", "aromatic", "hydrogens"))
    rows = np.column_stack([element.values, *numbers, n_hydrogen_atoms, hybridisation.values])
    kinds, kind = np.unique(rows.astype(np.int64), axis=0, return_inverse=True)
    models = []
    for code, charge, is_aromatic, n_hydrogens, n_as_atoms, hybrid in kinds.tolist():
        atom = _atom("*" if code < 0 else element.categories[code])
        atom.SetFormalCharge(charge)
        atom.SetIsAromatic(is_aromatic > 0)
        atom.SetNoImplicit(True)
        atom.SetNumExplicitHs(max(n_hydrogens - n_as_atoms, 0))
        if hybrid >= 0:
            name = hybridisation.categories[hybrid].upper()
            atom.SetHybridization(HybridizationType.names.get(name, HybridizationType.UNSPECIFIED))
        models.append(atom)
    return models, kind.ravel()


def _atom(symbol: str) -> Any:
    from rdkit.Chem import Atom

    try:
        return Atom(0 if symbol == "*" else symbol)
    except RuntimeError:
        raise DataError(f"SMARTS patterns need elements that RDKit knows, got {quoted_value(symbol)}") from None


def _n_hydrogen_atoms(
    element: Column, tails: NDArray[np.integer[Any]], heads: NDArray[np.integer[Any]]
) -> NDArray[np.int64]:
    """Return the number of neighbours of each atom that are hydrogen atoms; the others are only counted."""
    is_hydrogen = element.values[heads] == element.code("H")
    return np.bincount(tails[is_hydrogen], minlength=len(element))


def _whole(column: Column) -> NDArray[np.int64]:
    return np.where(column.missing, 0, column.values).astype(np.int64)


# ---- checks ----------------------------------------------------------------------------------------------

_OF_DIRECTION = {
    "@": "directions of neighbours (@); test 'chirality = R' of an atom instead",
    "/": "directions of bonds (/); test 'stereo = E' of a bond instead",
    "\\": "directions of bonds (\\); test 'stereo = E' of a bond instead",
}


def problem_of_pattern(pattern: str) -> str:
    """Return why a SMARTS pattern cannot be used, with the nearest fix; empty if it can.

    Examples
    --------
    >>> problem_of_pattern("[CX4]N"), problem_of_pattern("C(=O")
    ('', "RDKit cannot read the SMARTS 'C(=O'; close the '(' at character 2")
    >>> problem_of_pattern("[C@H](N)C")
    "SMARTS in a grammar cannot use directions of neighbours (@); test 'chirality = R' of an atom instead"
    """
    for letter, inside in _with_brackets(pattern):
        if letter in ("/", "\\") or (letter == "@" and inside):
            return f"SMARTS in a grammar cannot use {_OF_DIRECTION[letter]}"
    if re.search(r"\[\d", pattern):
        return "SMARTS in a grammar cannot use isotopes, which are not read; remove the number after '['"
    chem = _rdkit()
    with _quiet():
        is_read = pattern != "" and chem.MolFromSmarts(f"[$({pattern})]") is not None
        longest = (
            0 if is_read else max((n for n in range(1, len(pattern)) if chem.MolFromSmarts(pattern[:n])), default=0)
        )
    if is_read:
        return ""
    return f"RDKit cannot read the SMARTS {quoted_value(pattern, 60)}; {_fix(pattern, longest)}"


def _fix(pattern: str, longest: int) -> str:
    """Return the nearest fix of an invalid pattern, given the number of characters that RDKit can read."""
    if not pattern:
        return "write at least one atom, such as 'N' or '[#7]'"
    opened: list[tuple[int, str]] = []
    for place, letter in enumerate(pattern, 1):
        if letter in "([":
            opened.append((place, letter))
        elif letter in ")]":
            if not opened or opened[-1][1] != {")": "(", "]": "["}[letter]:
                return f"remove the {letter!r} at character {place}, or open it before"
            opened.pop()
    if opened:
        return f"close the {opened[-1][1]!r} at character {opened[-1][0]}"
    outside = [letter for letter, inside in _with_brackets(pattern) if letter.isdigit() and not inside]
    if "%" not in pattern and (ring := next((n for n in outside if outside.count(n) % 2), None)) is not None:
        return f"close the ring {ring}"
    return f"check it after {pattern[:longest]!r}" if longest else "start with an atom, such as 'N' or '[#7]'"


def _with_brackets(pattern: str) -> Iterator[tuple[str, bool]]:
    """Yield each character, and whether it is between square brackets, directly or in an atom there."""
    opened: list[str] = []
    for letter in pattern:
        if letter in "([":
            opened.append(letter)
        elif letter in ")]" and opened:
            opened.pop()
        yield letter, bool(opened) and opened[-1] == "["


def _quiet() -> Any:
    from rdkit import rdBase

    return rdBase.BlockLogs()


def _rdkit() -> Any:
    try:
        from rdkit import Chem
    except ImportError:
        raise MissingPackageError("SMARTS patterns require RDKit", "molecules") from None
    return Chem
