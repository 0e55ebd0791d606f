"""Any file or folder with data, its format told by its extension or by the user.

One line for each format says its extensions, its reader, and which of the options make sense for it. Names of
data sets that come with the package are not known here.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from structtree.data.arff import read_arff
from structtree.data.c45 import read_c45
from structtree.data.columns import Population
from structtree.data.graphs import GRAPH_FILES, read_graphs
from structtree.data.molecule_files import smiles_column, table_layout
from structtree.data.molecules import Hydrogens, read_molecules
from structtree.data.records import read_json, read_jsonl
from structtree.data.schema import Schema
from structtree.data.tables import read_csv, read_feather, read_parquet
from structtree.data.textfiles import require_file
from structtree.data.tu import TARGETS, is_tu_folder, read_tu
from structtree.errors import DataError, UsageError, did_you_mean

__all__ = ["FORMATS", "Format", "read_data", "target_of"]


@dataclass(frozen=True, slots=True)
class Format:
    """A format that can be read.

    Parameters
    ----------
    name : str
    extensions : tuple of str
        The endings of the names of its files, perhaps followed by ``.gz``.
    read : callable
        From a path, and those of the options that are given, to a population.
    options : tuple of str
        The options that the reader knows.
    what : str
        The format in a few words.
    targets : tuple of str
        The attributes of individuals that such data is made to predict; the first that is there is the target.
    last : bool
        Whether, where none of these is there, the last attribute is the target.
    """

    name: str
    extensions: tuple[str, ...]
    read: Callable[..., Population]
    options: tuple[str, ...]
    what: str
    targets: tuple[str, ...] = ()
    last: bool = False


_RECORDS = ("types", "individual", "schema")
_TABLES = ("types", "individual", "group", "link")
_DECLARED = (*_TABLES, "encoding")
_LAYOUT = ("encoding", "delimiter", "header", "names", "decimal", "missing")
_DELIMITED = (*_TABLES, *_LAYOUT)
_GRAPHS = ("types", "individual")
_BLOCKS = ("types", "hydrogens", "skip_bad")
_MOLECULES = (*_BLOCKS, "smiles", *_LAYOUT)

FORMATS: tuple[Format, ...] = (
    Format("jsonl", (".jsonl", ".ndjson"), read_jsonl, _RECORDS, "one JSON object a line"),
    Format("json", (".json",), read_json, _RECORDS, "one JSON array of objects"),
    Format("csv", (".csv", ".tsv"), read_csv, _DELIMITED, "a table with a header"),
    Format("arff", (".arff",), read_arff, _DECLARED, "a table of Weka", ("class", "Class", "CLASS"), last=True),
    Format("c45", (".names", ".data", ".test"), read_c45, _DECLARED, "files of C4.5", last=True),
    Format("parquet", (".parquet", ".pq"), read_parquet, _TABLES, "a table"),
    Format("feather", (".feather", ".arrow"), read_feather, _TABLES, "a table"),
    Format("graphml", (".graphml",), partial(read_graphs, format="graphml"), _GRAPHS, "a graph, or a folder of them"),
    Format("gml", (".gml",), partial(read_graphs, format="gml"), _GRAPHS, "a graph, or a folder of them"),
    Format("tu", (), read_tu, _GRAPHS, "a folder of graphs, with files such as NAME_A.txt", TARGETS),
    Format("smiles", (".smi", ".smiles"), read_molecules, _MOLECULES, "molecules, or a table with a column of them"),
    Format("sdf", (".sdf", ".sd", ".mol"), partial(read_molecules, notation="molblock"), _BLOCKS, "molecules"),
)
"""The formats that can be read."""


def read_data(
    where: str | os.PathLike[str],
    *,
    format: str | None = None,
    types: Mapping[str, str] | None = None,
    individual: str | None = None,
    schema: Schema | None = None,
    group: str | None = None,
    link: str | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    names: Sequence[str] | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    missing: Sequence[str] | None = None,
    smiles: str | None = None,
    hydrogens: Hydrogens | None = None,
    skip_bad: bool | None = None,
) -> Population:
    """A population from a file, or from a folder of graphs.

    A table with a column of SMILES is read as molecules; with ``format="csv"`` it is read as it stands.

    Parameters
    ----------
    where : path
    format : str, optional
        The name of one of `FORMATS`, when the extension does not tell it.
    types : mapping, optional
        Kinds to read members as, such as ``{"zip": "nominal", "cars": "set"}``.
    individual : str, optional
        The name of the individual's type; for graphs ``Graph``, ``Node`` or ``Edge``.
    schema : Schema, optional
        What nested records must be.
    group, link : str, optional
        For tables whose rows are elements of sets; see `structtree.data.tables.from_frame`.
    delimiter, header, names, encoding, decimal, missing : optional
        For delimited text; see `structtree.data.tables.read_csv`.
    smiles, hydrogens, skip_bad : optional
        For molecules; see `structtree.data.molecules.read_molecules`.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "weather.csv"
    ...     _ = file.write_text("sky,degrees\\nclear,21\\nrain,\\n")
    ...     weather = read_data(file)
    >>> len(weather), weather.record(1)
    (2, {'sky': 'rain'})
    """
    path = Path(where)
    wanted: dict[str, Any] = {
        "types": types,
        "individual": individual,
        "schema": schema,
        "group": group,
        "link": link,
    }
    wanted |= {"delimiter": delimiter, "header": header, "names": names}
    wanted |= {"encoding": encoding, "decimal": decimal, "missing": missing}
    wanted |= {"smiles": smiles, "hydrogens": hydrogens, "skip_bad": skip_bad}
    given = {name: value for name, value in wanted.items() if value is not None}
    chosen = _format(path, format)
    if format is None and chosen.name == "csv" and _has_molecules(path, given):
        chosen = next(known for known in FORMATS if known.name == "smiles")
    for name in given:
        if name not in chosen.options:
            fix = "" if format else "; if the file is one of these, say so with --format (format=...)"
            raise UsageError(
                f"{name} makes no sense for {chosen.name} ({chosen.what}); it is for {_users(name)}{fix}"
            )
    return chosen.read(path, **given)


def target_of(where: str | os.PathLike[str], population: Population, format: str | None = None) -> str | None:
    """The attribute that data of such a format is made to predict, if it has one and every individual a value of it.

    Parameters
    ----------
    where, format
        As in `read_data`.
    population : Population
        What was read from there.

    Examples
    --------
    >>> target_of(Path(__file__), Population.from_records([{"x": 1}]), "json") is None
    True
    """
    present = [a.name for a in population.schema.type(population.schema.individual).attributes]
    chosen = _format(Path(where), format)
    usual = [name for name in chosen.targets if name in present] or (present[-1:] if chosen.last else [])
    return next((name for name in usual if not population.column(name).missing.any()), None)


def _has_molecules(path: Path, given: Mapping[str, Any]) -> bool:
    """Whether a table is one of molecules: the user says so, or its header does and no option speaks of rows."""
    if not {"smiles", "hydrogens", "skip_bad"}.isdisjoint(given):
        return True
    return set(given) <= set(_MOLECULES) and smiles_column(table_layout(path, given).names) is not None


def _format(path: Path, name: str | None) -> Format:
    by_name = {known.name: known for known in FORMATS}
    if name is not None and name not in by_name:
        raise UsageError(f"unknown format {name!r}{did_you_mean(name, by_name)}")
    if path.is_dir():
        return by_name[name or _format_in_folder(path)]
    require_file(path)
    if name is not None:
        return by_name[name]
    extension = _extension(path)
    for known in FORMATS:
        if extension in known.extensions:
            return known
    ending = f"the extension {extension!r} tells no format" if extension else "the name has no extension"
    raise UsageError(f"{path}: {ending}; say it with --format {'|'.join(by_name)}")


def _format_in_folder(path: Path) -> str:
    if is_tu_folder(path):
        return "tu"
    found = sorted(_extension(file) for file in path.iterdir())
    for extension in found:
        if extension in GRAPH_FILES:
            return extension[1:]
    known = f"no {' or '.join(GRAPH_FILES)} file, one for each graph, and no NAME_A.txt with all of them"
    raise DataError(f"the folder has {known}", source=str(path))


def _extension(path: Path) -> str:
    return Path(path.name.lower().removesuffix(".gz")).suffix


def _users(option: str) -> str:
    return ", ".join(known.name for known in FORMATS if option in known.options)
