"""RDKit descriptors of molecules, atoms and bonds, in flat arrays.

Atoms are numbered within their molecule, so the arrays of several batches can simply be concatenated (`joined`).
Arrays are serialised without Python objects, for other processes and for the cache
(`structtree.data.readers.molecules.batches`). `structtree.data.readers.molecules.reading` converts them to linked
columns.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
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
        Notation of strings.
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
    """RDKit functions that compute the descriptors of a molecule, atom or bond, by name.

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
    """Return the RDKit functions for all descriptors.

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


# ---- descriptors as arrays ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class MoleculeNumbers:
    """Descriptors of many molecules, as arrays by name.

    ==========================================  =========================================================
    array                                       one number per
    ==========================================  =========================================================
    ``is_read``                                 molecule, False if RDKit cannot read it; it then has no
                                                other numbers
    ``n_atoms``, ``n_bonds``, ``n_rings``       readable molecule
    ``molecule.logp`` and other descriptors     readable molecule
    ``atom.number`` and other descriptors       atom
    ``bond.begin`` and other descriptors        bond
    ``sizes``                                   ring
    ``ring_atoms``, ``ring_bonds``              atom or bond of each ring, ring by ring
    ==========================================  =========================================================

    Atoms and bonds are numbered within their molecule.
    """

    arrays: Mapping[str, NDArray[Any]]

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.arrays[name]

    @property
    def n(self) -> int:
        """Number of molecules, including unreadable ones."""
        return len(self["is_read"])

    @property
    def bad(self) -> NDArray[np.int64]:
        """Positions of the unreadable molecules."""
        return np.flatnonzero(self["is_read"] == 0)

    def to_bytes(self) -> bytes:
        """Return the descriptors as the bytes of an npz file, without Python objects.

        Examples
        --------
        >>> numbers = describe_molecules(["CCO", "C1", "C"], Recipe())
        >>> again = MoleculeNumbers.from_bytes(numbers.to_bytes())
        >>> again.n, again.bad.tolist(), again["n_atoms"].tolist()
        (3, [1], [3, 1])
        """
        file = io.BytesIO()
        np.savez(file, allow_pickle=False, **{name: _small(values) for name, values in self.arrays.items()})
        return file.getvalue()

    @classmethod
    def from_bytes(cls, content: bytes) -> MoleculeNumbers:
        """Return the descriptors written by `to_bytes`; raise ValueError for any other bytes."""
        try:
            with np.load(io.BytesIO(content), allow_pickle=False) as file:
                found = cls({name: _plain(file[name]) for name in file.files})
            _check_shapes(found)
        except (ValueError, KeyError, OSError, EOFError, TypeError, zipfile.BadZipFile, zlib.error) as error:
            raise ValueError(f"not a file of molecular descriptors: {error}") from None
        return found


def joined(parts: Sequence[MoleculeNumbers]) -> MoleculeNumbers:
    """Concatenate the descriptors of several batches.

    Examples
    --------
    >>> parts = describe_molecules(["CCO", "C1"], Recipe()), describe_molecules(["C", ""], Recipe())
    >>> joined(parts).bad.tolist(), joined(parts)["n_atoms"].tolist()
    ([1, 3], [3, 1])
    """
    return MoleculeNumbers({name: np.concatenate([part[name] for part in parts]) for name in parts[0].arrays})


def _names_of(by: Descriptors) -> dict[str, list[str]]:
    """Return the names of the arrays with one number per molecule, atom, bond, ring, or ring position."""
    return {
        "molecule": ["n_atoms", "n_bonds", "n_rings", *(f"molecule.{name}" for name in by.molecule)],
        "atom": [f"atom.{name}" for name in by.atom],
        "bond": [f"bond.{name}" for name in by.bond],
        "ring": ["sizes"],
        "place": ["ring_atoms", "ring_bonds"],
    }


def _check_shapes(numbers: MoleculeNumbers) -> None:
    """Raise ValueError if an array is missing or has the wrong length."""
    counts = {"atom": "n_atoms", "bond": "n_bonds", "ring": "n_rings", "place": "sizes"}
    lengths = {group: int(numbers[name].sum()) for group, name in counts.items()}
    lengths["molecule"] = numbers.n - len(numbers.bad)
    expected = {name: (lengths[group],) for group, names in _names_of(descriptors()).items() for name in names}
    if {name: values.shape for name, values in numbers.arrays.items()} != {"is_read": (numbers.n,), **expected}:
        raise ValueError("unexpected names or lengths of arrays")


def _plain(values: NDArray[Any]) -> NDArray[Any]:
    """Convert numbers to the types used for computation."""
    return values.astype(np.int32) if values.dtype.kind in "iu" else values


def _small(values: NDArray[Any]) -> NDArray[Any]:
    """Convert integers to the smallest type that fits them."""
    if values.dtype.kind != "i" or not values.size:
        return values
    return values.astype(np.promote_types(np.min_scalar_type(values.min()), np.min_scalar_type(values.max())))


# ---- describing molecules ---------------------------------------------------------------------------------


def describe_molecules(items: Iterable[Any], recipe: Recipe) -> MoleculeNumbers:
    """Compute the descriptors of molecules.

    Parameters
    ----------
    items : iterable of str, RDKit molecules or None
        RDKit molecules are not changed.
    recipe : Recipe

    Examples
    --------
    >>> describe_molecules(["CCO", None], Recipe())["atom.number"].tolist()
    [6, 6, 8]
    """
    from rdkit import rdBase
    from rdkit.Chem import AddHs

    found, prepare = _Described(descriptors()), _preparation(recipe)
    with rdBase.BlockLogs():
        for item in items:
            molecule = prepare(item) if item else None
            found.is_read.append(molecule is not None)
            if molecule is not None:
                found.add(molecule, AddHs(molecule) if recipe.hydrogens == "explicit" else molecule)
    return found.finish()


def problem_of(item: Any, recipe: Recipe) -> str:
    """Return the reason why RDKit cannot read a string or molecule, found by parsing it again without checks.

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
    """Return a function that parses and standardises an item, and returns None if the item is unreadable."""
    from rdkit import Chem
    from rdkit.Chem.MolStandardize import rdMolStandardize

    parse = Chem.MolFromMolBlock if recipe.notation == "molblock" else Chem.MolFromSmiles
    steps: list[Callable[[Any], Any]] = []
    if recipe.largest_fragment:
        steps.append(rdMolStandardize.LargestFragmentChooser().choose)
    if recipe.neutralise:
        steps.append(rdMolStandardize.Uncharger().uncharge)

    def prepare(item: Any) -> Any:
        molecule = parse(item) if isinstance(item, str) else _own_copy(item)
        if molecule is None or not steps:
            return molecule
        for step in steps:
            molecule = step(molecule)
        if Chem.SanitizeMol(molecule, catchErrors=True):
            return None
        Chem.AssignStereochemistry(molecule, cleanIt=True, force=True)
        return molecule

    return prepare


def _own_copy(molecule: Any) -> Any:
    """Return a sanitised copy of a molecule, leaving the original unchanged; None if it cannot be read."""
    from rdkit import Chem

    copy = Chem.Mol(molecule)
    if copy.NeedsUpdatePropertyCache() and Chem.SanitizeMol(copy, catchErrors=True):
        return None
    return copy if copy.GetNumAtoms() == copy.GetNumHeavyAtoms() else Chem.RemoveHs(copy)


class _Described:
    """Descriptors of the molecules added so far, concatenated."""

    def __init__(self, by: Descriptors) -> None:
        self.by = by
        self.is_read: list[bool] = []
        self.numbers: dict[str, array[Any]] = {
            name: array("d" if name.startswith("molecule.") or name == "atom.partial_charge" else "i")
            for names in _names_of(by).values()
            for name in names
        }

    def add(self, molecule: Any, full: Any) -> None:
        """Add the descriptors of a molecule; atoms, bonds and rings are those of `full`, which may have hydrogens."""
        self._extend("molecule.", self.by.molecule, [molecule])
        self.by.prepare(full)
        n_atoms, n_bonds, rings = full.GetNumAtoms(), full.GetNumBonds(), full.GetRingInfo()
        # Access by index takes half the time of RDKit's iterators.
        self._extend("atom.", self.by.atom, list(map(full.GetAtomWithIdx, range(n_atoms))))
        self._extend("bond.", self.by.bond, list(map(full.GetBondWithIdx, range(n_bonds))))
        of_atoms, of_bonds = rings.AtomRings(), rings.BondRings()
        for name, count in (("n_atoms", n_atoms), ("n_bonds", n_bonds), ("n_rings", len(of_atoms))):
            self.numbers[name].append(count)
        self.numbers["sizes"].extend(map(len, of_atoms))
        self.numbers["ring_atoms"].extend(chain.from_iterable(of_atoms))
        self.numbers["ring_bonds"].extend(chain.from_iterable(of_bonds))

    def _extend(self, prefix: str, by: Mapping[str, Callable[[Any], float]], items: Sequence[Any]) -> None:
        for name, compute in by.items():
            self.numbers[prefix + name].extend(map(compute, items))

    def finish(self) -> MoleculeNumbers:
        """Return the collected descriptors as arrays."""
        found = {name: np.asarray(values) for name, values in self.numbers.items()}
        return MoleculeNumbers({"is_read": np.array(self.is_read, dtype=np.bool_), **found})
