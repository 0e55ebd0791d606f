"""Molecules as numbers: the descriptors that RDKit computes, in flat arrays.

RDKit computes a fixed set of numbers (`descriptors`) for each molecule, its atoms and its bonds. Atoms are
numbered within their molecule, so that the arrays of batches can be concatenated (`joined`). The arrays are written
as bytes without Python objects, for other processes and the cache (`structtree.data.readers.molecules.batches`).
`structtree.data.readers.molecules.reading` turns the numbers into linked columns.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import methodcaller
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structtree.data.kinds import quoted_value
from structtree.data.readers.molecules.files import Notation
from structtree.data.readers.options import Hydrogens

__all__ = [
    "DESCRIBED",
    "Descriptors",
    "MoleculeNumbers",
    "Recipe",
    "describe_molecules",
    "descriptors",
    "joined",
    "problem_of",
]


DESCRIBED = ("logp", "tpsa", "weight", "refractivity", "donors", "acceptors", "rotatable", "charge", "sp3")
"""Attributes of a molecule that RDKit computes; all others come from its file."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """Options for parsing and standardising molecules before descriptors are computed.

    Parameters
    ----------
    notation : {"smiles", "molblock"}
        The notation of the texts.
    hydrogens : {"implicit", "explicit"}
        Whether hydrogens are only counted or are separate atoms.
    largest_fragment : bool
        Whether to keep only the largest fragment of each molecule, without salts and solvents.
    neutralise : bool
        Whether to remove charges by adding or removing hydrogens.
    """

    notation: Notation = "smiles"
    hydrogens: Hydrogens = "implicit"
    largest_fragment: bool = False
    neutralise: bool = False


# ---- descriptors ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Descriptors:
    """The RDKit functions that describe a molecule, atom or bond, by descriptor name.

    Parameters
    ----------
    molecule, atom, bond : mapping from name to callable
        Each callable takes a molecule, atom or bond and returns a number.
    prepare : callable
        Called with a molecule before its atoms are described.
    """

    molecule: Mapping[str, Callable[[Any], float]]
    atom: Mapping[str, Callable[[Any], float]]
    bond: Mapping[str, Callable[[Any], float]]
    prepare: Callable[[Any], Any]


def descriptors() -> Descriptors:
    """Return the RDKit functions of all descriptors.

    Examples
    --------
    >>> list(descriptors().bond)
    ['begin', 'end', 'order', 'conjugated', 'stereo']
    """
    from rdkit.Chem import rdchem, rdMolDescriptors, rdmolops, rdPartialCharges

    crippen = rdMolDescriptors.CalcCrippenDescriptors  # RDKit caches its two numbers in the molecule
    return Descriptors(
        molecule={
            "logp": lambda molecule: float(crippen(molecule)[0]),
            "tpsa": rdMolDescriptors.CalcTPSA,
            "weight": rdMolDescriptors._CalcMolWt,
            "refractivity": lambda molecule: float(crippen(molecule)[1]),
            "donors": rdMolDescriptors.CalcNumHBD,
            "acceptors": rdMolDescriptors.CalcNumHBA,
            "rotatable": rdMolDescriptors.CalcNumRotatableBonds,
            "charge": rdmolops.GetFormalCharge,
            "sp3": rdMolDescriptors.CalcFractionCSP3,
        },
        atom={
            "number": rdchem.Atom.GetAtomicNum,
            "charge": rdchem.Atom.GetFormalCharge,
            "partial_charge": methodcaller("GetDoubleProp", "_GasteigerCharge"),
            "hydrogens": methodcaller("GetTotalNumHs", True),
            "hybridisation": rdchem.Atom.GetHybridization,
            "chirality": _chirality,
        },
        bond={
            "begin": rdchem.Bond.GetBeginAtomIdx,
            "end": rdchem.Bond.GetEndAtomIdx,
            "order": rdchem.Bond.GetBondType,
            "conjugated": rdchem.Bond.GetIsConjugated,
            "stereo": rdchem.Bond.GetStereo,
        },
        prepare=rdPartialCharges.ComputeGasteigerCharges,
    )


_CHIRALITY_CODES = {"R": 1, "S": 2}


def _chirality(atom: Any) -> int:
    return _CHIRALITY_CODES.get(atom.GetProp("_CIPCode"), 0) if atom.HasProp("_CIPCode") else 0


# ---- the numbers of many molecules -------------------------------------------------------------------------

_COUNTS = ("n_atoms", "n_bonds", "n_rings")
_RINGS = ("sizes", "ring_atoms", "ring_bonds")


@dataclass(frozen=True, slots=True, eq=False)
class MoleculeNumbers:
    """The numbers of many molecules.

    Parameters
    ----------
    n : int
        Number of molecules, including those that cannot be read.
    bad : array of int
        Positions of the molecules that cannot be read, which have no numbers.
    molecule, atom, bond : mapping from name to array
        One number per molecule, atom or bond; the atoms of a bond are numbered within its molecule.
    n_atoms, n_bonds, n_rings : array of int
        Numbers of atoms, bonds and rings of each molecule.
    sizes : array of int
        Number of atoms of each ring.
    ring_atoms, ring_bonds : array of int
        The atoms and bonds of all rings, ring by ring, numbered within their molecule.
    """

    n: int
    bad: NDArray[Any]
    molecule: Mapping[str, NDArray[Any]]
    atom: Mapping[str, NDArray[Any]]
    bond: Mapping[str, NDArray[Any]]
    n_atoms: NDArray[Any]
    n_bonds: NDArray[Any]
    n_rings: NDArray[Any]
    sizes: NDArray[Any]
    ring_atoms: NDArray[Any]
    ring_bonds: NDArray[Any]

    def to_bytes(self) -> bytes:
        """Return the numbers as the bytes of an npz file, without Python objects.

        Examples
        --------
        >>> numbers = describe_molecules(["CCO", "C1", "C"], Recipe())
        >>> again = MoleculeNumbers.from_bytes(numbers.to_bytes())
        >>> again.n, again.bad.tolist(), again.n_atoms.tolist()
        (3, [1], [3, 1])
        """
        file = io.BytesIO()
        np.savez(file, allow_pickle=False, **{name: _small(values) for name, values in _flat(self).items()})
        return file.getvalue()

    @classmethod
    def from_bytes(cls, content: bytes) -> MoleculeNumbers:
        """Return the numbers written by `to_bytes`; raise ValueError for any other bytes."""
        try:
            with np.load(io.BytesIO(content), allow_pickle=False) as file:
                found = {name: _plain(file[name]) for name in file.files}
            return _checked(_unflat(found))
        except (ValueError, KeyError, OSError, EOFError, TypeError, zipfile.BadZipFile, zlib.error) as error:
            raise ValueError(f"these are not the numbers of molecules: {error}") from None


def joined(parts: Sequence[MoleculeNumbers]) -> MoleculeNumbers:
    """Return the concatenated numbers of some batches.

    Examples
    --------
    >>> parts = describe_molecules(["CCO", "C1"], Recipe()), describe_molecules(["C", ""], Recipe())
    >>> joined(parts).bad.tolist(), joined(parts).n_atoms.tolist()
    ([1, 3], [3, 1])
    """
    if len(parts) == 1:
        return parts[0]
    flat = [_flat(part) for part in parts]
    first = np.cumsum([0, *(part.n for part in parts)])
    whole = {name: np.concatenate([each[name] for each in flat]) for name in flat[0] if name not in ("n", "bad")}
    bad = np.concatenate(
        [part.bad.astype(np.int64) + start for part, start in zip(parts, first.tolist(), strict=False)]
    )
    return _unflat({**whole, "n": np.array(first[-1]), "bad": bad})


def _flat(numbers: MoleculeNumbers) -> dict[str, NDArray[Any]]:
    """Return all arrays by name."""
    inner = {
        f"{group}.{name}": values
        for group in ("molecule", "atom", "bond")
        for name, values in getattr(numbers, group).items()
    }
    plain = {name: getattr(numbers, name) for name in ("bad", *_COUNTS, *_RINGS)}
    return {**inner, **plain, "n": np.array(numbers.n)}


def _unflat(found: Mapping[str, NDArray[Any]]) -> MoleculeNumbers:
    def group(of: str) -> dict[str, NDArray[Any]]:
        return {name.partition(".")[2]: values for name, values in found.items() if name.startswith(f"{of}.")}

    plain = {name: found[name] for name in ("bad", *_COUNTS, *_RINGS)}
    return MoleculeNumbers(
        int(found["n"]), molecule=group("molecule"), atom=group("atom"), bond=group("bond"), **plain
    )


def _checked(numbers: MoleculeNumbers) -> MoleculeNumbers:
    """Raise ValueError for arrays whose shapes do not match."""
    by, n_good = descriptors(), numbers.n - len(numbers.bad)
    lengths = {
        "molecule": n_good,
        "atom": int(numbers.n_atoms.sum()),
        "bond": int(numbers.n_bonds.sum()),
    }
    for group, length in lengths.items():
        arrays: Mapping[str, NDArray[Any]] = getattr(numbers, group)
        if arrays.keys() != getattr(by, group).keys() or any(values.shape != (length,) for values in arrays.values()):
            raise ValueError(f"expected {length} numbers for each {group} descriptor")
    n_in_rings = int(numbers.sizes.sum())
    shapes = dict.fromkeys(_COUNTS, (n_good,)) | {"ring_atoms": (n_in_rings,), "ring_bonds": (n_in_rings,)}
    shapes["sizes"] = (int(numbers.n_rings.sum()),)
    for name, shape in shapes.items():
        if getattr(numbers, name).shape != shape:
            raise ValueError(f"expected {name} with the shape {shape}")
    return numbers


def _plain(values: NDArray[Any]) -> NDArray[Any]:
    """Return numbers in the types used for computation."""
    return values.astype(np.int32) if values.dtype.kind == "i" else values


def _small(values: NDArray[Any]) -> NDArray[Any]:
    """Return integers in the smallest type that fits them."""
    if values.dtype.kind != "i" or not values.size:
        return values
    low, high = int(values.min()), int(values.max())
    types = (np.int8, np.int16, np.int32, np.int64)
    return values.astype(next(kind for kind in types if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max))


# ---- describing one molecule after the other ---------------------------------------------------------------


def describe_molecules(items: Iterable[Any], recipe: Recipe) -> MoleculeNumbers:
    """Return the numbers of some molecules.

    Parameters
    ----------
    items : iterable of str, RDKit molecules or None
        RDKit molecules are not changed.
    recipe : Recipe

    Examples
    --------
    >>> describe_molecules(["CCO", None], Recipe()).atom["number"].tolist()
    [6, 6, 8]
    """
    from rdkit import rdBase
    from rdkit.Chem import AddHs

    found, bad, n = _Described(descriptors()), array("q"), 0
    prepare = _preparation(recipe)
    with rdBase.BlockLogs():
        for item in items:
            molecule = prepare(item) if item else None
            if molecule is None:
                bad.append(n)
            else:
                found.add(molecule, AddHs(molecule) if recipe.hydrogens == "explicit" else molecule)
            n += 1
    return found.finish(n, np.asarray(bad))


def problem_of(item: Any, recipe: Recipe) -> str:
    """Return why RDKit cannot read a string or molecule, by parsing it again without checks.

    Examples
    --------
    >>> problem_of("C1CC", Recipe()), problem_of(None, Recipe())
    ("RDKit cannot read the SMILES 'C1CC'", 'the molecule is missing')
    """
    from rdkit import Chem, rdBase

    if item is None or item == "":
        return "the molecule is missing"
    with rdBase.BlockLogs():
        molecule, what = item, "the molecule"
        if isinstance(item, str):
            is_block = recipe.notation == "molblock"
            read = partial(Chem.MolFromMolBlock, removeHs=False) if is_block else Chem.MolFromSmiles
            what = "the connection table" if is_block else f"the SMILES {quoted_value(item, 60)}"
            molecule = read(item, sanitize=False)
        if molecule is None:
            return f"RDKit cannot read {what}"
        problems = Chem.DetectChemistryProblems(molecule)
    return f"RDKit rejects {what}" + (f": {problems[0].Message()}" if problems else "")


def _preparation(recipe: Recipe) -> Callable[[Any], Any]:
    """Return a function that parses and standardises an item; it returns None if the item cannot be read."""
    from rdkit import Chem

    parse = Chem.MolFromMolBlock if recipe.notation == "molblock" else Chem.MolFromSmiles

    def read(item: Any) -> Any:
        return parse(item) if isinstance(item, str) else _own_copy(item)

    if not (recipe.largest_fragment or recipe.neutralise):
        return read
    standardise = _standardisation(recipe)

    def read_standard(item: Any) -> Any:
        molecule = read(item)
        return None if molecule is None else standardise(molecule)

    return read_standard


def _standardisation(recipe: Recipe) -> Callable[[Any], Any]:
    """Return a function that removes small fragments and charges, as the recipe requires."""
    from rdkit import Chem
    from rdkit.Chem.MolStandardize import rdMolStandardize

    steps: list[Callable[[Any], Any]] = []
    if recipe.largest_fragment:
        steps.append(rdMolStandardize.LargestFragmentChooser().choose)
    if recipe.neutralise:
        steps.append(rdMolStandardize.Uncharger().uncharge)

    def standardise(molecule: Any) -> Any:
        for step in steps:
            molecule = step(molecule)
        if Chem.SanitizeMol(molecule, catchErrors=True):
            return None
        Chem.AssignStereochemistry(molecule, cleanIt=True, force=True)
        return molecule

    return standardise


def _own_copy(molecule: Any) -> Any:
    """Return a sanitised copy of a molecule, which is not changed; None if it cannot be read."""
    from rdkit import Chem

    copy = Chem.Mol(molecule)
    if copy.NeedsUpdatePropertyCache() and Chem.SanitizeMol(copy, catchErrors=True):
        return None
    return copy if copy.GetNumAtoms() == copy.GetNumHeavyAtoms() else Chem.RemoveHs(copy)


class _Described:
    """The descriptors of all molecules so far, concatenated."""

    def __init__(self, by: Descriptors) -> None:
        self.by = by
        self.molecule = {name: array("d") for name in by.molecule}
        self.atom: dict[str, array[Any]] = {name: array("d" if "partial" in name else "i") for name in by.atom}
        self.bond: dict[str, array[Any]] = {name: array("i") for name in by.bond}
        self.n_atoms, self.n_bonds, self.n_rings = array("i"), array("i"), array("i")
        self.sizes, self.ring_atoms, self.ring_bonds = array("i"), array("i"), array("i")

    def add(self, molecule: Any, full: Any) -> None:
        """Describe a molecule, with the atoms, bonds and rings of ``full``, which may also have hydrogens."""
        for name, compute in self.by.molecule.items():
            self.molecule[name].append(compute(molecule))
        self.by.prepare(full)
        n_atoms, n_bonds, rings = full.GetNumAtoms(), full.GetNumBonds(), full.GetRingInfo()
        # By index, which takes half the time of the iterators of RDKit.
        atoms = list(map(full.GetAtomWithIdx, range(n_atoms)))
        for name, compute in self.by.atom.items():
            self.atom[name].extend(map(compute, atoms))
        bonds = list(map(full.GetBondWithIdx, range(n_bonds)))
        for name, compute in self.by.bond.items():
            self.bond[name].extend(map(compute, bonds))
        of_atoms = rings.AtomRings()
        self.n_atoms.append(n_atoms)
        self.n_bonds.append(n_bonds)
        self.n_rings.append(len(of_atoms))
        for ring in of_atoms:
            self.sizes.append(len(ring))
            self.ring_atoms.extend(ring)
        for ring in rings.BondRings():
            self.ring_bonds.extend(ring)

    def finish(self, n: int, bad: NDArray[Any]) -> MoleculeNumbers:
        """Return the descriptors as arrays."""
        molecule, atom, bond = (
            {name: np.asarray(values) for name, values in group.items()}
            for group in (self.molecule, self.atom, self.bond)
        )
        counts_and_rings = (np.asarray(getattr(self, name)) for name in (*_COUNTS, *_RINGS))
        return MoleculeNumbers(n, bad, molecule, atom, bond, *counts_and_rings)
