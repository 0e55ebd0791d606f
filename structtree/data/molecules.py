"""Molecules through RDKit: Molecule –atoms→ Atom –bonds→ Bond –to→ Atom, and Molecule –rings→ Ring –atoms→ Atom.

========  ================================================================================================
Molecule  ``logp``, ``tpsa``, ``weight``, ``refractivity``, ``donors``, ``acceptors``, ``rotatable`` bonds, formal
          ``charge``, ``sp3`` (the share of sp3 carbons), and what the file says: columns, properties
Atom      ``element``, formal ``charge``, ``partial_charge`` (Gasteiger), ``aromatic``, ``degree`` (how many bonds),
          ``hydrogens`` (all of them), ``hybridisation``, ``in_ring``, ``chirality`` (R or S, else missing)
Bond      ``order``, ``conjugated``, ``in_ring``, ``stereo`` (E or Z, else missing), ``to``; each bond is seen from
          both its atoms
Ring      ``size``, ``aromatic``, ``hetero`` (how many of its atoms are not carbon), ``atoms``, ``fused`` (the rings
          that share a bond with it); the smallest set of smallest rings
========  ================================================================================================

Functional groups are not columns but definitions, in the grammars ``molecules`` and ``molecules-deep``: there one can
read what they are, change them, and write more.

RDKit computes a fixed set of numbers (`descriptors`) for each molecule. They go into flat arrays, and all that can be
told from others (degrees, what is in a ring, what is fused) is worked out for all molecules at
once; so nearly all the time is RDKit's own (``benchmarks/reading_molecules.py``).

A molecule that RDKit cannot read is refused, with its line; or skipped, and then a `SkippedMolecules` warning tells
which were.
"""

from __future__ import annotations

import os
import warnings
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import methodcaller
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structtree.data.columns import (
    Adjacency,
    Column,
    Population,
    TypedTable,
    flag_column,
    int_column,
    linked_population,
    named_column,
    typed_table,
)
from structtree.data.delimited import CsvLayout, csv_layout
from structtree.data.frames import PythonValues, Sheet, Texts
from structtree.data.infer import Overrides, keys_of, shown, values_of
from structtree.data.molecule_files import Notation, block_sheet, has_table_name, line_sheet, table_sheet
from structtree.data.options import Hydrogens, check_option
from structtree.data.schema import Attribute, Kind, Link, RecordType, Schema
from structtree.data.textfiles import MISSING_WORDS, present
from structtree.errors import DataError, MissingPackageError, UsageError

__all__ = ["Descriptors", "SkippedMolecules", "descriptors", "from_molecules", "from_smiles", "read_molecules"]


class SkippedMolecules(UserWarning):
    """Some molecules could not be read, and were left out.

    Parameters
    ----------
    message : str
    rows : tuple of int
        Which ones, counted from 0 among all that were given.
    lines : tuple of int
        The same as lines of the file; empty if there is none.
    """

    def __init__(self, message: str, rows: tuple[int, ...], lines: tuple[int, ...] = ()) -> None:
        self.rows, self.lines = rows, lines
        super().__init__(message)


def from_molecules(
    molecules: Iterable[Any],
    *,
    columns: Mapping[str, Sequence[Any]] | None = None,
    types: Mapping[str, str] | None = None,
    hydrogens: Hydrogens = "implicit",
    skip_bad: bool = False,
    missing_words: Sequence[str] = MISSING_WORDS,
) -> Population:
    """Return the population of some molecules.

    Parameters
    ----------
    molecules : iterable of RDKit molecules or of SMILES
        The properties of RDKit molecules become attributes. The molecules themselves are not changed.
    columns : mapping, optional
        More attributes: for each name a value for each molecule. A DataFrame will do.
    types : mapping, optional
        Kinds to read properties and columns as, such as ``{"activity": "nominal"}``.
    hydrogens : {"implicit", "explicit"}
        Whether hydrogens are only counted, or atoms of their own.
    skip_bad : bool
        Whether molecules that RDKit cannot read are left out, with a `SkippedMolecules` warning.
    missing_words : sequence of str
        The words for a missing value in properties and columns of text, besides the empty text.

    Examples
    --------
    >>> from structtree import holds, parse_predicate
    >>> molecules = from_molecules(["CCO", "c1ccccc1[N+](=O)[O-]"], columns={"activity": [0.5, 2.5]})
    >>> holds(parse_predicate("exists atoms (aromatic and exists bonds (to.element = N))"), molecules).tolist()
    [False, True]
    >>> [(name, molecules.table(name).n_rows) for name in molecules.schema.names]
    [('Molecule', 2), ('Atom', 12), ('Bond', 22), ('Ring', 1)]
    """
    known, chem = list(molecules), _rdkit()
    given = {**_properties(known, chem.Mol), **_given_columns(columns or {}, len(known))}
    raw = {name: _raw(values, missing_words) for name, values in given.items()}
    batch = _Batch(known, _own_copy, Sheet(raw, len(known)))
    return _population(batch, Overrides(types or {}), hydrogens, skip_bad)


def from_smiles(
    smiles: Iterable[str | None],
    *,
    columns: Mapping[str, Sequence[Any]] | None = None,
    types: Mapping[str, str] | None = None,
    hydrogens: Hydrogens = "implicit",
    skip_bad: bool = False,
) -> Population:
    """Return the population of some molecules from their SMILES.

    Parameters
    ----------
    smiles : iterable of str
        A list, an array or a Series; not one text.
    columns, types, hydrogens, skip_bad
        As in `from_molecules`.

    Examples
    --------
    >>> alcohols = from_smiles(["CCO", "CC(C)O"], columns={"dose": [1.5, 2.0]})
    >>> alcohols.column("dose").values.tolist(), alcohols.column("donors").values.tolist()
    ([1.5, 2.0], [1.0, 1.0])
    >>> from_smiles(["CCO", "C1CC", "x"])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    structtree.errors.DataError: RDKit cannot read 2 of 3 molecules: 'C1CC' (individual 1), 'x' (individual 2)...
    """
    if isinstance(smiles, str):
        raise UsageError(f"expected a list of SMILES, got one text; write [{shown(smiles, 60)}]")
    texts = [_text_or_none(text, row) for row, text in enumerate(smiles)]
    return from_molecules(texts, columns=columns, types=types, hydrogens=hydrogens, skip_bad=skip_bad)


def _text_or_none(text: Any, row: int) -> str | None:
    """Return a SMILES as text; NaN and its like are missing."""
    if isinstance(text, str) or text is None:
        return None if text is None else str(text)
    if type(text).__name__ in ("NAType", "NaTType") or (isinstance(text, float) and text != text):
        return None
    raise DataError(f"expected a SMILES, got {shown(text)}", individual=row)


def read_molecules(
    path: str | os.PathLike[str] | CsvLayout,
    *,
    notation: Notation = "smiles",
    smiles: str | None = None,
    types: Mapping[str, str] | None = None,
    hydrogens: Hydrogens = "implicit",
    skip_bad: bool = False,
    decimal: str | None = None,
    missing_words: Sequence[str] = MISSING_WORDS,
    **layout: Any,
) -> Population:
    """Return the population of a table with a column of SMILES, a ``.smi`` file, an SD file or a MOL file.

    Parameters
    ----------
    path : path or CsvLayout
        May end in ``.gz``; or the layout of a table that is known already.
    notation : {"smiles", "molblock"}
        What the file has; a table is one whose name ends in ``.csv`` or ``.tsv``.
    smiles : str, optional
        The column with the SMILES, if it is not named so.
    types, hydrogens, skip_bad, missing_words
        As in `from_molecules`.
    decimal, delimiter, header, names, encoding
        How a table is laid out; see `structtree.data.tables.read_csv`.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "two.csv"
    ...     _ = file.write_text("smiles,active\\nCCO,yes\\nCC(=O)O,no\\n")
    ...     two = read_molecules(file)
    >>> two.column("active").categories, two.column("donors").values.tolist()
    (('no', 'yes'), [1.0, 1.0])
    """
    overrides = Overrides(types or {})
    source = path.source if isinstance(path, CsvLayout) else os.fspath(path)
    chem = _rdkit(source)
    if notation == "molblock":
        found = block_sheet(source, missing_words=missing_words)
    elif isinstance(path, CsvLayout) or layout or has_table_name(source) or (smiles or decimal) is not None:
        table = path if isinstance(path, CsvLayout) else csv_layout(path, **layout)
        as_text = [name for name in table.names if overrides.attribute("Molecule", name) == "nominal"]
        found = table_sheet(table, smiles, decimal=decimal or ".", missing_words=missing_words, as_text=as_text)
    else:
        found = line_sheet(source, missing_words=missing_words)
    parse = chem.MolFromMolBlock if notation == "molblock" else chem.MolFromSmiles
    return _population(_Batch(found.texts, parse, found.rest), overrides, hydrogens, skip_bad)


# ---- what RDKit computes ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Descriptors:
    """The functions of RDKit that describe each molecule, atom and bond, by the name of what they compute.

    Parameters
    ----------
    molecule, atom, bond : mapping from name to callable
        Each callable takes the molecule, the atom or the bond, and gives a number.
    prepare : callable
        What is done to a molecule before its atoms are described.
    """

    molecule: Mapping[str, Callable[[Any], float]]
    atom: Mapping[str, Callable[[Any], float]]
    bond: Mapping[str, Callable[[Any], float]]
    prepare: Callable[[Any], Any]


def descriptors() -> Descriptors:
    """Return the functions of RDKit that are used.

    Examples
    --------
    >>> list(descriptors().bond)
    ['begin', 'end', 'order', 'conjugated', 'stereo']
    """
    from rdkit.Chem import rdchem, rdMolDescriptors, rdmolops, rdPartialCharges

    crippen = rdMolDescriptors.CalcCrippenDescriptors  # its two numbers are kept with the molecule
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


_WHOLE = ("donors", "acceptors", "rotatable", "charge")
_CHIRALITY = {1: "R", 2: "S"}
_CHIRALITY_CODES = {name: code for code, name in _CHIRALITY.items()}
_STEREO = {"STEREOZ": "Z", "STEREOE": "E", "STEREOCIS": "cis", "STEREOTRANS": "trans"}


def _chirality(atom: Any) -> int:
    return _CHIRALITY_CODES.get(atom.GetProp("_CIPCode"), 0) if atom.HasProp("_CIPCode") else 0


def _rdkit(source: str | None = None) -> Any:
    """Return the module of RDKit that reads molecules; it is imported when the first molecule is read."""
    try:
        from rdkit import Chem
    except ImportError:
        where = f"{source}: " if source else ""
        fix = ", or read the table without its molecules: --format csv" if source and has_table_name(source) else ""
        raise MissingPackageError(f"{where}molecules are read by RDKit", "molecules", fix) from None
    return Chem


def _own_copy(molecule: Any) -> Any:
    """Return a copy that can be described, so that the user's molecule stays as it is; None if it cannot be read."""
    from rdkit import Chem

    if isinstance(molecule, str):
        return Chem.MolFromSmiles(molecule)
    copy = Chem.Mol(molecule)
    if copy.NeedsUpdatePropertyCache() and Chem.SanitizeMol(copy, catchErrors=True):
        return None
    return copy if copy.GetNumAtoms() == copy.GetNumHeavyAtoms() else Chem.RemoveHs(copy)


def _problem(item: Any) -> str:
    """Return why RDKit cannot read a text or molecule, found by reading it again without checks."""
    from rdkit import rdBase

    with rdBase.BlockLogs():
        return _problem_found(item)


def _problem_found(item: Any) -> str:
    from rdkit import Chem

    if isinstance(item, str):
        read = partial(Chem.MolFromMolBlock, removeHs=False) if "\n" in item else Chem.MolFromSmiles
        what = "the connection table" if "\n" in item else f"the SMILES {shown(item, 60)}"
        molecule = read(item, sanitize=False)
        if molecule is None:
            return f"RDKit cannot read {what}"
    else:
        molecule, what = item, "the molecule"
    problems = Chem.DetectChemistryProblems(molecule)
    return f"RDKit refuses {what}" + (f": {problems[0].Message()}" if problems else "")


def _name_of(item: Any) -> str:
    """Return a molecule in a word or two, for a list of those that cannot be read."""
    if item is None or item == "":
        return "none"
    return shown(item, 30) if isinstance(item, str) and "\n" not in item else "a molecule"


# ---- reading one molecule after the other ----------------------------------------------------------------

_NAMED = 4
"""So many of the molecules that cannot be read are named."""


@dataclass(frozen=True, slots=True, eq=False)
class _Batch:
    """Molecules to read, how, and where they come from."""

    items: Sequence[Any]
    parse: Callable[[Any], Any]
    sheet: Sheet

    def error(self, rows: Sequence[int]) -> DataError:
        """Return an error that names the molecules that cannot be read: why, if it is one, else the first few."""
        if len(rows) > 1:
            return self._error_of_many(rows)
        item, line = self.items[rows[0]], self.sheet.line_of(rows[0])
        message = "there is no molecule" if item is None or item == "" else _problem(item)
        fix = "correct it, or leave such molecules out with skip_bad=True (--skip-bad)"
        individual = rows[0] if line is None else None
        return DataError(message, source=self.sheet.source, line=line, individual=individual, fix=fix)

    def _error_of_many(self, rows: Sequence[int]) -> DataError:
        lines, items = self.sheet.lines_of(rows[:_NAMED]), [self.items[row] for row in rows[:_NAMED]]
        places = [
            f"individual {row}" if line is None else f"line {line}" for row, line in zip(rows, lines, strict=False)
        ]
        named = ", ".join(f"{_name_of(item)} ({place})" for item, place in zip(items, places, strict=True))
        more = f" and {len(rows) - _NAMED:,} more" if len(rows) > _NAMED else ""
        message = f"RDKit cannot read {len(rows):,} of {len(self.items):,} molecules: {named}{more}"
        fix = "correct them, or leave such molecules out with skip_bad=True (--skip-bad)"
        if len(rows) == len(self.items) and self.sheet.source is None and isinstance(self.items[0], str):
            message = f"expected SMILES, and RDKit can read none of these {len(rows):,} texts: {named}{more}"
            fix = "texts that are no molecules belong in a column of a DataFrame"
        return DataError(message, source=self.sheet.source, fix=fix)

    def warning(self, rows: Sequence[int]) -> SkippedMolecules:
        lines = tuple(line for line in self.sheet.lines_of(rows) if line is not None)
        places = ", ".join(map(str, (lines or rows)[:10])) + (", ..." if len(rows) > 10 else "")
        where = f"{self.sheet.source}: " if self.sheet.source else ""
        which = ("on line" if lines else "at place") + ("s" if len(rows) > 1 else "")
        message = f"{where}left out {len(rows)} of {len(self.items)} molecules, {which} {places}"
        return SkippedMolecules(message, tuple(rows), lines)


def _population(batch: _Batch, overrides: Overrides, hydrogens: Hydrogens, skip_bad: bool) -> Population:
    check_option("hydrogens", hydrogens)
    sheet, found = batch.sheet, _Described(descriptors())
    # Refuse a kind that the user wants for what is none of the columns.
    attributes = tuple(Attribute(name, "nominal") for name in sheet.columns)
    overrides.check(Schema((RecordType("Molecule", attributes),), "Molecule"))
    columns = {name: sheet.typed(name, overrides.attribute("Molecule", name)).column for name in sheet.columns}
    bad = _describe_all(batch, found, hydrogens == "explicit")
    if bad and not skip_bad:
        raise batch.error(bad)
    if len(bad) == len(batch.items):
        raise DataError("there are no molecules", source=sheet.source)
    if bad:
        warnings.warn(batch.warning(bad), stacklevel=4)
        kept = np.delete(np.arange(len(batch.items)), bad)
        columns = {name: column.take(kept) for name, column in columns.items()}
    return _tables(found, columns)


def _describe_all(batch: _Batch, found: _Described, explicit: bool) -> list[int]:
    """Describe all molecules; return the places of those that cannot be read."""
    from rdkit import rdBase
    from rdkit.Chem import AddHs

    bad: list[int] = []
    parse, add = batch.parse, found.add
    with rdBase.BlockLogs():
        for row, item in enumerate(batch.items):
            molecule = parse(item) if item else None
            if molecule is not None:
                add(molecule, AddHs(molecule) if explicit else molecule)
            else:
                bad.append(row)
    return bad


class _Described:
    """The descriptions of all molecules so far, end to end."""

    def __init__(self, by: Descriptors) -> None:
        self.by = by
        self.molecule = {name: array("d") for name in by.molecule}
        self.atom: dict[str, array[Any]] = {name: array("d" if "partial" in name else "i") for name in by.atom}
        self.bond: dict[str, array[Any]] = {name: array("i") for name in by.bond}
        self.n_atoms, self.n_bonds, self.n_rings = array("i"), array("i"), array("i")
        self.sizes, self.ring_atoms, self.ring_bonds = array("i"), array("i"), array("i")

    def add(self, molecule: Any, full: Any) -> None:
        """Describe a molecule; its atoms, bonds and rings are those of ``full``, which may have hydrogens besides."""
        for name, compute in self.by.molecule.items():
            self.molecule[name].append(compute(molecule))
        self.by.prepare(full)
        n_atoms, n_bonds, rings = full.GetNumAtoms(), full.GetNumBonds(), full.GetRingInfo()
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


# ---- from numbers to tables ------------------------------------------------------------------------------

_Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class _Wired:
    """Which atoms and bonds hang together, counted through all molecules.

    Parameters
    ----------
    begin, end : array
        The two atoms of each bond.
    tails, heads, bonds : array
        The bonds as their atoms see them, sorted by the atom that sees: that atom, the other one, and the bond.
    ring_of, ring_atoms, ring_bonds : array
        For each place of each ring its ring, its atom, and its bond.
    """

    begin: _Ints
    end: _Ints
    tails: _Ints
    heads: _Ints
    bonds: _Ints
    ring_of: _Ints
    ring_atoms: _Ints
    ring_bonds: _Ints


def _wired(found: _Described) -> _Wired:
    n_atoms, n_bonds, sizes = _whole(found.n_atoms), _whole(found.n_bonds), _whole(found.sizes)
    first_atom, first_bond = np.cumsum(n_atoms) - n_atoms, np.cumsum(n_bonds) - n_bonds
    shift = np.repeat(first_atom, n_bonds)
    begin, end = _whole(found.bond["begin"]) + shift, _whole(found.bond["end"]) + shift
    tails, heads = np.concatenate([begin, end]), np.concatenate([end, begin])
    order = np.argsort(tails, kind="stable")
    ring_of = np.repeat(np.arange(len(sizes)), sizes)
    molecule_of = np.repeat(np.arange(len(n_atoms)), _whole(found.n_rings))[ring_of]
    return _Wired(
        begin,
        end,
        tails[order],
        heads[order],
        np.tile(np.arange(len(begin)), 2)[order],
        ring_of,
        _whole(found.ring_atoms) + first_atom[molecule_of],
        _whole(found.ring_bonds) + first_bond[molecule_of],
    )


def _tables(found: _Described, columns: Mapping[str, Column]) -> Population:
    wired = _wired(found)
    tables = [_molecules(found, columns), _atoms(found, wired), _bonds(found, wired), _rings(found, wired)]
    return linked_population("Molecule", tables)


def _molecules(found: _Described, columns: Mapping[str, Column]) -> TypedTable:
    """The columns of the file beside the descriptors; of two with one name that of the file stays."""
    kinds: dict[str, Kind] = {name: "int" if name in _WHOLE else "real" for name in found.molecule}
    own = {name: Column(kinds[name], _rounded(values)) for name, values in found.molecule.items()}
    links = {
        Link("atoms", "set", "Atom"): Adjacency.in_order(found.n_atoms),
        Link("rings", "set", "Ring"): Adjacency.in_order(found.n_rings),
    }
    for link in links:
        if link.name in columns:
            raise DataError(f"the column {link.name!r} has the name of a link of Molecule; give it another name")
    return typed_table("Molecule", len(found.n_atoms), {**own, **columns}, links)


def _atoms(found: _Described, wired: _Wired) -> TypedTable:
    from rdkit.Chem import GetPeriodicTable, HybridizationType

    n_atoms = len(found.atom["number"])
    numbers = _whole(found.atom["number"])
    symbol = GetPeriodicTable().GetElementSymbol
    charges = _rounded(found.atom["partial_charge"])
    degree = np.bincount(wired.tails, minlength=n_atoms)
    aromatic = np.bincount(wired.tails[_is_aromatic(found)[wired.bonds]], minlength=n_atoms) > 0
    columns = {
        "element": named_column(numbers, {number: symbol(number) for number in np.unique(numbers).tolist()}),
        "charge": int_column(found.atom["charge"]),
        "partial_charge": Column("real", np.where(np.isfinite(charges), charges, np.nan)),
        "aromatic": flag_column(aromatic),
        "degree": int_column(degree),
        "hydrogens": int_column(found.atom["hydrogens"]),
        "hybridisation": named_column(_whole(found.atom["hybridisation"]), _enum_names(HybridizationType)),
        "in_ring": flag_column(np.bincount(wired.ring_atoms, minlength=n_atoms) > 0),
        "chirality": named_column(_whole(found.atom["chirality"]), _CHIRALITY),
    }
    return typed_table("Atom", n_atoms, columns, {Link("bonds", "set", "Bond"): Adjacency.in_order(degree)})


def _bonds(found: _Described, wired: _Wired) -> TypedTable:
    from rdkit.Chem import BondStereo, BondType

    stereo = {int(value): _STEREO[name] for name, value in BondStereo.names.items() if name in _STEREO}
    in_ring = np.bincount(wired.ring_bonds, minlength=len(wired.begin)) > 0
    columns = {
        "order": named_column(_whole(found.bond["order"]), _enum_names(BondType)),
        "conjugated": flag_column(_whole(found.bond["conjugated"]) > 0),
        "in_ring": flag_column(in_ring),
        "stereo": named_column(_whole(found.bond["stereo"]), stereo),
    }
    seen = {name: column.take(wired.bonds) for name, column in columns.items()}
    return typed_table("Bond", len(wired.heads), seen, {Link("to", "one", "Atom"): Adjacency.single(wired.heads)})


def _rings(found: _Described, wired: _Wired) -> TypedTable:
    sizes = _whole(found.sizes)
    n_plain = np.bincount(wired.ring_of[~_is_aromatic(found)[wired.ring_bonds]], minlength=len(sizes))
    is_hetero = _whole(found.atom["number"])[wired.ring_atoms] != _CARBON
    columns = {
        "size": int_column(sizes),
        "aromatic": flag_column(n_plain == 0),
        "hetero": int_column(np.bincount(wired.ring_of[is_hetero], minlength=len(sizes))),
    }
    links = {
        Link("atoms", "set", "Atom"): Adjacency.from_lengths(sizes, wired.ring_atoms),
        Link("fused", "set", "Ring"): _fused(wired, len(sizes)),
    }
    return typed_table("Ring", len(sizes), columns, links)


_CARBON = 6


def _fused(wired: _Wired, n_rings: int) -> Adjacency:
    """For each ring the others that share a bond with it: pairs of rings at one bond, each pair once."""
    order = np.argsort(wired.ring_bonds, kind="stable")
    bonds, rings = wired.ring_bonds[order], wired.ring_of[order]
    pairs = [np.empty(0, dtype=np.int64)]
    step = 1
    while step < len(bonds) and (same := bonds[step:] == bonds[:-step]).any():
        one, other = rings[:-step][same], rings[step:][same]
        pairs += [one * n_rings + other, other * n_rings + one]
        step += 1
    owners, fused = np.divmod(np.unique(np.concatenate(pairs)), max(n_rings, 1))
    return Adjacency.from_lengths(np.bincount(owners, minlength=n_rings), fused)


def _is_aromatic(found: _Described) -> NDArray[np.bool_]:
    from rdkit.Chem import BondType

    return np.asarray(_whole(found.bond["order"]) == int(BondType.AROMATIC))


def _enum_names(enum: Any) -> dict[int, str]:
    """The names of an enumeration of RDKit in small letters; what is unspecified has none."""
    return {int(value): name.lower() for name, value in enum.names.items() if name != "UNSPECIFIED"}


def _rounded(values: array[float]) -> NDArray[np.float64]:
    """Return numbers to four decimals: more have no meaning, and alike atoms shall have the same value."""
    return np.round(np.asarray(values), 4)


def _whole(values: array[int]) -> _Ints:
    return np.asarray(values, dtype=np.int64)


# ---- what the user has besides ---------------------------------------------------------------------------


def _properties(molecules: Sequence[Any], mol: Any) -> dict[str, Sequence[Any]]:
    """Return the properties of RDKit molecules."""
    for row, molecule in enumerate(molecules):
        if molecule is not None and not isinstance(molecule, str | mol):
            raise DataError(f"expected a SMILES or an RDKit molecule, got {shown(molecule)}", individual=row)
    records = [
        molecule.GetPropsAsDict(autoConvertStrings=False) if isinstance(molecule, mol) else {}
        for molecule in molecules
    ]
    return {name: values_of(records, name) for name in keys_of(records)}


def _given_columns(columns: Mapping[str, Sequence[Any]], n: int) -> dict[str, Sequence[Any]]:
    for name, values in columns.items():
        if len(values) != n:
            raise UsageError(f"the column {name!r} has {len(values)} values for {n} molecules")
    return {str(name): list(values) for name, values in columns.items()}


def _raw(values: Sequence[Any], missing_words: Sequence[str]) -> Texts | PythonValues:
    """Return a column of any values; texts are taken for numbers if they all are."""
    if all(value is None or isinstance(value, str) for value in values):
        return Texts(present(values, missing_words))
    return PythonValues(values)
