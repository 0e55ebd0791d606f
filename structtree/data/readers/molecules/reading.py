"""Conversion of molecules, read by RDKit, to linked columns.

The links are Molecule –atoms→ Atom –bonds→ Bond –to→ Atom, and Molecule –rings→ Ring –atoms→ Atom:

========  ================================================================================================
Molecule  ``logp``, ``tpsa``, ``weight``, ``refractivity``, ``donors``, ``acceptors``, ``rotatable`` bonds, formal
          ``charge``, ``sp3`` (the fraction of sp3 carbons), and the columns or properties of the file
Atom      ``element``, formal ``charge``, ``partial_charge`` (Gasteiger), ``aromatic``, ``degree`` (number of bonds),
          ``hydrogens`` (all of them), ``hybridisation``, ``in_ring``, ``chirality`` (R or S, else missing)
Bond      ``order``, ``conjugated``, ``in_ring``, ``stereo`` (E or Z, else missing), ``to``; each bond is seen from
          both its atoms
Ring      ``size``, ``aromatic``, ``hetero`` (number of atoms other than carbon), ``atoms``, ``fused`` (the rings
          that share a bond with it); the smallest set of smallest rings
========  ================================================================================================

Functional groups are not columns. They are defined in the grammars ``molecules`` and ``molecules-deep``, where they
can be read, changed and extended.

RDKit computes the descriptors of each molecule (`structtree.data.readers.molecules.descriptors`). Values that follow
from them (degrees, ring membership, fused rings) are computed here for all molecules at once, so that RDKit accounts
for nearly all of the running time (``benchmarks/reading_molecules.py``).

Unreadable molecules raise one error that lists their lines, or are skipped with a `SkippedMolecules` warning; the
provenance of the population then records the reasons.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from structtree.data.kinds import Overrides, keeps_text, keys_of, quoted_value, values_of
from structtree.data.population import (
    Adjacency,
    Column,
    Population,
    TypedTable,
    bool_column,
    int_column,
    linked_population,
    named_column,
    typed_table,
)
from structtree.data.provenance import Provenance
from structtree.data.readers.molecules.batches import read_numbers
from structtree.data.readers.molecules.descriptors import DESCRIBED, MoleculeNumbers, Recipe, problem_of
from structtree.data.readers.molecules.files import Notation, block_sheet, has_table_name, line_sheet, table_sheet
from structtree.data.readers.options import MoleculeOptions, given_options
from structtree.data.readers.tables.delimited import CsvLayout, csv_layout
from structtree.data.readers.tables.sheets import PythonValues, Sheet, Texts
from structtree.data.readers.text_files import MISSING_WORDS, present
from structtree.data.schema import Attribute, Kind, Link, RecordType, Schema
from structtree.errors import DataError, MissingPackageError, UsageError, option_text

__all__ = ["SkippedMolecules", "from_molecules", "from_smiles", "read_molecules"]


class SkippedMolecules(UserWarning):
    """Warning about molecules that could not be read and were skipped.

    Parameters
    ----------
    message : str
    rows : tuple of int
        Positions of the skipped molecules, from 0.
    lines : tuple of int
        Their lines in the file; empty without a file.
    """

    def __init__(self, message: str, rows: tuple[int, ...], lines: tuple[int, ...] = ()) -> None:
        self.rows, self.lines = rows, lines
        super().__init__(message)


def from_molecules(
    molecules: Iterable[Any],
    *,
    columns: Mapping[str, Sequence[Any]] | None = None,
    types: Mapping[str, str] | None = None,
    missing_words: Sequence[str] = MISSING_WORDS,
    **options: Unpack[MoleculeOptions],
) -> Population:
    """Convert RDKit molecules or SMILES to a population.

    Parameters
    ----------
    molecules : iterable of RDKit molecules or of SMILES
        The properties of RDKit molecules become attributes; the molecules are not changed.
    columns : mapping, optional
        Further attributes, with one value per molecule; may be a DataFrame.
    types : mapping, optional
        Kinds of properties and columns, such as ``{"activity": "nominal"}``.
    missing_words : sequence of str
        Strings that mark a missing value, besides the empty string.
    hydrogens : {"implicit", "explicit"}
        Whether hydrogens are only counted or are separate atoms.
    largest_fragment : bool
        Whether to keep only the largest fragment of each molecule, without salts and solvents.
    neutralise : bool
        Whether to remove charges by adding or removing hydrogens.
    skip_bad : bool
        Whether to skip molecules that RDKit cannot read, with a `SkippedMolecules` warning.
    cache : bool
        Whether to cache the descriptors of large inputs given as strings; True by default.

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
    texts = [molecule if isinstance(molecule, str) else None for molecule in known]
    names = {"smiles": texts} if any(texts) else {}
    batch = _Batch(known, "smiles", Sheet(raw, len(known)), names)
    return _population(batch, Overrides(types or {}), options)


def from_smiles(
    smiles: Iterable[str | None],
    *,
    columns: Mapping[str, Sequence[Any]] | None = None,
    types: Mapping[str, str] | None = None,
    **options: Unpack[MoleculeOptions],
) -> Population:
    """Convert SMILES to a population of molecules.

    Parameters
    ----------
    smiles : iterable of str
        A list, array or Series; not a single string.
    columns, types, hydrogens, largest_fragment, neutralise, skip_bad, cache
        As in `from_molecules`.

    Examples
    --------
    >>> alcohols = from_smiles(["CCO", "CC(C)O"], columns={"dose": [1.5, 2.0]})
    >>> alcohols.column("dose").values.tolist(), alcohols.column("donors").values.tolist()
    ([1.5, 2.0], [1.0, 1.0])
    >>> from_smiles(["CCO", "C1CC", "x"])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    structtree.errors.DataError: RDKit cannot read 2 of 3 molecules; correct them, or skip ...
      row 1: RDKit cannot read the SMILES 'C1CC'
      row 2: RDKit cannot read the SMILES 'x'
    """
    if isinstance(smiles, str):
        raise UsageError(f"expected a list of SMILES, got one string; pass [{quoted_value(smiles, 60)}]")
    texts = [_text_or_none(text, row) for row, text in enumerate(smiles)]
    return from_molecules(texts, columns=columns, types=types, **options)


def _text_or_none(text: Any, row: int) -> str | None:
    """Return a SMILES as a string, None for NaN and other missing values."""
    if isinstance(text, str) or text is None:
        return None if text is None else str(text)
    if type(text).__name__ in ("NAType", "NaTType") or (isinstance(text, float) and text != text):
        return None
    raise DataError(f"expected a SMILES, got {quoted_value(text)}", individual=row)


def read_molecules(
    path: str | os.PathLike[str] | CsvLayout,
    *,
    notation: Notation = "smiles",
    smiles: str | None = None,
    types: Mapping[str, str] | None = None,
    decimal: str | None = None,
    missing_words: Sequence[str] = MISSING_WORDS,
    delimiter: str | None = None,
    header: bool | None = None,
    names: Sequence[str] | None = None,
    encoding: str | None = None,
    **options: Unpack[MoleculeOptions],
) -> Population:
    """Read a table with a column of SMILES, a ``.smi`` file, an SD file or a MOL file.

    Parameters
    ----------
    path : path or CsvLayout
        The file, which may end in ``.gz``, or the known layout of a table.
    notation : {"smiles", "molblock"}
        Notation of the molecules; files that end in ``.csv`` or ``.tsv`` are tables.
    smiles : str, optional
        SMILES column; recognised by its name by default.
    types, missing_words, hydrogens, largest_fragment, neutralise, skip_bad, cache
        As in `from_molecules`.
    decimal, delimiter, header, names, encoding
        Layout of a table; see `structtree.data.readers.tables.reading.read_csv`.

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
    _rdkit(source)
    given = {"delimiter": delimiter, "header": header, "names": names, "encoding": encoding}
    layout: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if notation == "molblock":
        found = block_sheet(source, missing_words=missing_words)
    elif isinstance(path, CsvLayout) or layout or has_table_name(source) or (smiles or decimal) is not None:
        table = path if isinstance(path, CsvLayout) else csv_layout(path, **layout)
        as_text = [name for name in table.names if keeps_text(overrides.declared_kind("Molecule", name))]
        found = table_sheet(table, smiles, decimal=decimal or ".", missing_words=missing_words, as_text=as_text)
    else:
        found = line_sheet(source, missing_words=missing_words)
    return _population(_Batch(found.texts, notation, found.rest, found.names), overrides, options)


# ---- molecules to a population ------------- -------------------------------------------------------------

_LISTED = 10
"""Maximum number of unreadable molecules to list; the others are counted."""


def _rdkit(source: str | None = None) -> Any:
    """Return the RDKit module that reads molecules, imported on first use."""
    try:
        from rdkit import Chem
    except ImportError:
        where = f"{source}: " if source else ""
        fix = f", or read the table without its molecules: {option_text('format', 'csv')}"
        fix = fix if source and has_table_name(source) else ""
        raise MissingPackageError(f"{where}reading molecules requires RDKit", "molecules", fix) from None
    return Chem


@dataclass(frozen=True, slots=True, eq=False)
class _Batch:
    """Molecules to read, with their options, names and attributes."""

    items: Sequence[Any]
    notation: Notation
    sheet: Sheet
    names: Mapping[str, Sequence[str | None]]

    def error(self, problems: Mapping[int, str]) -> DataError:
        """Return a single error that describes all unreadable molecules."""
        if len(problems) == 1:
            ((row, message),) = problems.items()
            fix = f"correct it, or skip unreadable molecules with {option_text('skip_bad', True)}"
            return DataError(message, source=self.sheet.source, line=self.sheet.line_of(row), individual=row, fix=fix)
        message = f"RDKit cannot read {len(problems):,} of {len(self.items):,} molecules"
        fix = f"correct them, or skip unreadable molecules with {option_text('skip_bad', True)}"
        if len(problems) == len(self.items):
            fix = "correct them; none can be skipped, because no molecule would remain"
        if len(problems) == len(self.items) and self.sheet.source is None and isinstance(self.items[0], str):
            message = f"expected SMILES, but RDKit cannot read any of the {len(problems):,} strings"
            fix = "to use other strings, pass them as a column of a DataFrame"
        return DataError(f"{message}; {fix}:{self._listed(problems)}", source=self.sheet.source)

    def warning(self, problems: Mapping[int, str]) -> SkippedMolecules:
        rows = tuple(problems)
        lines = tuple(line for line in self.sheet.lines_of(rows) if line is not None)
        where = f"{self.sheet.source}: " if self.sheet.source else ""
        message = f"{where}skipped {len(rows):,} of {len(self.items):,} molecules:{self._listed(problems)}"
        return SkippedMolecules(message, rows, lines)

    def _listed(self, problems: Mapping[int, str]) -> str:
        rows = list(problems)[:_LISTED]
        places = [
            f"row {row}" if line is None else f"line {line} (row {row})"
            for row, line in zip(rows, self.sheet.lines_of(rows), strict=True)
        ]
        more = [f"and {len(problems) - _LISTED:,} more"] if len(problems) > _LISTED else []
        listed = [f"{place}: {problems[row]}" for place, row in zip(places, rows, strict=True)]
        return "".join(f"\n  {line}" for line in [*listed, *more])


def _population(batch: _Batch, overrides: Overrides, options: MoleculeOptions) -> Population:
    given, sheet = given_options(options), batch.sheet
    skip_bad, cache = given.pop("skip_bad", False), given.pop("cache", True)
    recipe = Recipe(batch.notation, **given)
    _check_kinds(overrides, batch)
    columns = {name: sheet.typed(name, overrides.declared_kind("Molecule", name)).column for name in sheet.columns}
    found = read_numbers(batch.items, recipe, cache=cache)
    if found.n == 0:
        raise DataError("expected at least one molecule, got none", source=sheet.source)
    problems = {row: problem_of(batch.items[row], recipe) for row in found.bad.tolist()}
    if len(problems) == found.n or (problems and not skip_bad):
        raise batch.error(problems)
    if problems:
        warnings.warn(batch.warning(problems), stacklevel=3)
    kept = np.delete(np.arange(found.n), found.bad)
    provenance = Provenance(kept, found.n, batch.names, columns, problems)
    return _tables(found, {name: column.take(kept) for name, column in columns.items()}, provenance)


def _check_kinds(overrides: Overrides, batch: _Batch) -> None:
    """Raise `UsageError` if a kind is declared for an unknown column, or a kind other than nominal for the SMILES."""
    known = dict.fromkeys([*batch.sheet.columns, *batch.names])
    attributes = tuple(Attribute(name, "nominal") for name in known)
    overrides.check(Schema((RecordType("Molecule", attributes),), "Molecule"))
    for name in batch.names:
        wanted = None if name in batch.sheet.columns else overrides.declared_kind("Molecule", name)
        if wanted is not None and wanted.kind != "nominal":
            raise UsageError(f"{name!r} contains the molecules; it cannot be read as {wanted.kind!r}")


# ---- descriptors to tables -------------------------------------------------------------------------------

_Ints = NDArray[np.int64]
_WHOLE = ("donors", "acceptors", "rotatable", "charge")
_CHIRALITY = {1: "R", 2: "S"}
_STEREO = {"STEREOZ": "Z", "STEREOE": "E", "STEREOCIS": "cis", "STEREOTRANS": "trans"}


@dataclass(frozen=True, slots=True, eq=False)
class _Wired:
    """Atoms, bonds and rings of all molecules, numbered consecutively.

    Parameters
    ----------
    tails, heads, bonds : array
        Each bond from both ends, sorted by atom: the atom, the other atom, and the bond.
    ring_of, ring_atoms, ring_bonds : array
        The ring, atom and bond at each position of each ring.
    """

    tails: _Ints
    heads: _Ints
    bonds: _Ints
    ring_of: _Ints
    ring_atoms: _Ints
    ring_bonds: _Ints


def _wired(found: MoleculeNumbers) -> _Wired:
    n_atoms, n_bonds, sizes = _whole(found["n_atoms"]), _whole(found["n_bonds"]), _whole(found["sizes"])
    first_atom, first_bond = np.cumsum(n_atoms) - n_atoms, np.cumsum(n_bonds) - n_bonds
    shift = np.repeat(first_atom, n_bonds)
    begin, end = _whole(found["bond.begin"]) + shift, _whole(found["bond.end"]) + shift
    tails, heads = np.concatenate([begin, end]), np.concatenate([end, begin])
    order = np.argsort(tails, kind="stable")
    ring_of = np.repeat(np.arange(len(sizes)), sizes)
    molecule_of = np.repeat(np.arange(len(n_atoms)), _whole(found["n_rings"]))[ring_of]
    return _Wired(
        tails[order],
        heads[order],
        np.tile(np.arange(len(begin)), 2)[order],
        ring_of,
        _whole(found["ring_atoms"]) + first_atom[molecule_of],
        _whole(found["ring_bonds"]) + first_bond[molecule_of],
    )


def _tables(found: MoleculeNumbers, columns: Mapping[str, Column], provenance: Provenance) -> Population:
    wired = _wired(found)
    tables = [_molecules(found, columns), _atoms(found, wired), _bonds(found, wired), _rings(found, wired)]
    return linked_population("Molecule", tables, provenance)


def _molecules(found: MoleculeNumbers, columns: Mapping[str, Column]) -> TypedTable:
    """Return the table of molecules; columns of the file override descriptors of the same name."""
    kinds: dict[str, Kind] = {name: "int" if name in _WHOLE else "real" for name in DESCRIBED}
    own = {name: Column(kind, _rounded(found[f"molecule.{name}"])) for name, kind in kinds.items()}
    links = {
        Link("atoms", "set", "Atom"): Adjacency.in_order(found["n_atoms"]),
        Link("rings", "set", "Ring"): Adjacency.in_order(found["n_rings"]),
    }
    for link in links:
        if link.name in columns:
            raise DataError(f"the column {link.name!r} has the same name as a link of Molecule; rename the column")
    return typed_table("Molecule", len(found["n_atoms"]), {**own, **columns}, links)


def _atoms(found: MoleculeNumbers, wired: _Wired) -> TypedTable:
    from rdkit.Chem import GetPeriodicTable, HybridizationType

    n_atoms = len(found["atom.number"])
    numbers = _whole(found["atom.number"])
    symbol = GetPeriodicTable().GetElementSymbol
    charges = _rounded(found["atom.partial_charge"])
    degree = np.bincount(wired.tails, minlength=n_atoms)
    aromatic = np.bincount(wired.tails[_is_aromatic(found)[wired.bonds]], minlength=n_atoms) > 0
    columns = {
        "element": named_column(numbers, {number: symbol(number) for number in np.unique(numbers).tolist()}),
        "charge": int_column(found["atom.charge"]),
        "partial_charge": Column("real", np.where(np.isfinite(charges), charges, np.nan)),
        "aromatic": bool_column(aromatic),
        "degree": int_column(degree),
        "hydrogens": int_column(found["atom.hydrogens"]),
        "hybridisation": named_column(_whole(found["atom.hybridisation"]), _enum_names(HybridizationType)),
        "in_ring": bool_column(np.bincount(wired.ring_atoms, minlength=n_atoms) > 0),
        "chirality": named_column(_whole(found["atom.chirality"]), _CHIRALITY),
    }
    return typed_table("Atom", n_atoms, columns, {Link("bonds", "set", "Bond"): Adjacency.in_order(degree)})


def _bonds(found: MoleculeNumbers, wired: _Wired) -> TypedTable:
    from rdkit.Chem import BondStereo, BondType

    stereo = {int(value): _STEREO[name] for name, value in BondStereo.names.items() if name in _STEREO}
    in_ring = np.bincount(wired.ring_bonds, minlength=len(found["bond.order"])) > 0
    columns = {
        "order": named_column(_whole(found["bond.order"]), _enum_names(BondType)),
        "conjugated": bool_column(_whole(found["bond.conjugated"]) > 0),
        "in_ring": bool_column(in_ring),
        "stereo": named_column(_whole(found["bond.stereo"]), stereo),
    }
    seen = {name: column.take(wired.bonds) for name, column in columns.items()}
    return typed_table("Bond", len(wired.heads), seen, {Link("to", "one", "Atom"): Adjacency.single(wired.heads)})


def _rings(found: MoleculeNumbers, wired: _Wired) -> TypedTable:
    sizes = _whole(found["sizes"])
    n_plain = np.bincount(wired.ring_of[~_is_aromatic(found)[wired.ring_bonds]], minlength=len(sizes))
    is_hetero = _whole(found["atom.number"])[wired.ring_atoms] != _CARBON
    columns = {
        "size": int_column(sizes),
        "aromatic": bool_column(n_plain == 0),
        "hetero": int_column(np.bincount(wired.ring_of[is_hetero], minlength=len(sizes))),
    }
    links = {
        Link("atoms", "set", "Atom"): Adjacency.from_lengths(sizes, wired.ring_atoms),
        Link("fused", "set", "Ring"): _fused(wired, len(sizes)),
    }
    return typed_table("Ring", len(sizes), columns, links)


_CARBON = 6


def _fused(wired: _Wired, n_rings: int) -> Adjacency:
    """Return the links from each ring to the rings that share a bond with it."""
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


def _is_aromatic(found: MoleculeNumbers) -> NDArray[np.bool_]:
    from rdkit.Chem import BondType

    return np.asarray(_whole(found["bond.order"]) == int(BondType.AROMATIC))


def _enum_names(enum: Any) -> dict[int, str]:
    """Return the lowercase names of an RDKit enumeration, without the unspecified value."""
    return {int(value): name.lower() for name, value in enum.names.items() if name != "UNSPECIFIED"}


def _rounded(values: NDArray[Any]) -> NDArray[np.float64]:
    """Return numbers rounded to four decimals, so that equivalent atoms have the same value."""
    return np.round(np.asarray(values), 4)


def _whole(values: NDArray[Any]) -> _Ints:
    return np.asarray(values, dtype=np.int64)


# ---- attributes given by the user--------------------------------------------------------------------------


def _properties(molecules: Sequence[Any], mol: Any) -> dict[str, Sequence[Any]]:
    """Return the properties of RDKit molecules."""
    for row, molecule in enumerate(molecules):
        if molecule is not None and not isinstance(molecule, str | mol):
            raise DataError(f"expected a SMILES or an RDKit molecule, got {quoted_value(molecule)}", individual=row)
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
    """Return values as a raw column; strings become numbers if all of them are numeric."""
    if all(value is None or isinstance(value, str) for value in values):
        return Texts(present(values, missing_words))
    return PythonValues(values)
