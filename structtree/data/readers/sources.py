"""Reading of files and folders in all formats, chosen by extension or by the user.

Each format is declared with its extensions, its reader and the options that apply to it. Readers are imported when
they are first used, since no run needs them all. Built-in datasets are opened elsewhere.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Unpack

from structtree.data.population import Population
from structtree.data.readers.databases.addresses import is_url, shown_url
from structtree.data.readers.facts.files import FACT_ENDINGS, is_fact_folder
from structtree.data.readers.graphs.reading import GRAPH_FILES, read_graphs
from structtree.data.readers.graphs.tu import TARGETS, is_tu_folder
from structtree.data.readers.molecules.files import smiles_column
from structtree.data.readers.options import FactOptions, ReadingOptions, given_options
from structtree.data.readers.records.reading import read_json, read_jsonl
from structtree.data.readers.tables.delimited import csv_layout
from structtree.data.readers.tables.reading import read_arrow, read_csv
from structtree.data.readers.text_files import extension_of, require_file
from structtree.errors import DataError, UsageError, did_you_mean, option_text

__all__ = ["FILE_FORMATS", "FileFormat", "is_database", "read_data", "target_of"]


@dataclass(frozen=True, slots=True)
class FileFormat:
    """File format, with its reader and the options that apply.

    Parameters
    ----------
    name : str
    extensions : tuple of str
        File extensions, possibly followed by ``.gz``.
    read : callable
        Function from a path and the given options to a population.
    options : tuple of str
        Options of the reader.
    what : str
        Short description.
    targets : tuple of str
        Usual names of the target; the first one that exists is the default target.
    last : bool
        Whether the default target is otherwise the last attribute.
    takes_target : bool
        Whether the reader needs the target to determine the individuals.
    """

    name: str
    extensions: tuple[str, ...]
    read: Callable[..., Population]
    options: tuple[str, ...]
    what: str
    targets: tuple[str, ...] = ()
    last: bool = False
    takes_target: bool = False


def _reader(module: str, name: str) -> Callable[..., Population]:
    """Return a reader that is imported when it is called."""

    def read(*given: Any, **options: Any) -> Population:
        found: Population = getattr(import_module(f"structtree.data.readers.{module}"), name)(*given, **options)
        return found

    return read


_READ_DATABASE = _reader("databases.reading", "read_database")
_READ_MOLECULES = _reader("molecules.reading", "read_molecules")

_RECORDS = ("types", "individual", "schema")
_TABLES = ("types", "individual", "group", "link")
_DECLARED = (*_TABLES, "encoding", "missing_words")
_LAYOUT = ("encoding", "delimiter", "header", "names")
_FIELDS = ("decimal", "missing_words")
_DELIMITED = (*_TABLES, *_LAYOUT, *_FIELDS)
_GRAPHS = ("types", "individual", "missing_words")
_ONLY_MOLECULES = ("hydrogens", "largest_fragment", "neutralise", "skip_bad")
_BLOCKS = ("types", *_ONLY_MOLECULES, "cache", "missing_words")
_MOLECULES = ("types", *_ONLY_MOLECULES, "cache", "smiles", *_LAYOUT, *_FIELDS)
_IN_TIME = ("as_of", "lead", "frozen_at", "exclude_after", "dates", "set_once")
_KEYS = ("keys", "links", "schema_file", "layout", "strict")
_LINKED = ("individual", "types", "exclude", "condition", *_KEYS, *_IN_TIME)
_FOLDER = (*_LINKED, "encoding", "delimiter", "header", *_FIELDS)
_GRAPH = "a graph, or a folder of them"
_FACTS = ("types", "individual", "encoding", *FactOptions.__annotations__)

FILE_FORMATS: Mapping[str, FileFormat] = {
    known.name: known
    for known in (
        FileFormat("jsonl", (".jsonl", ".ndjson"), read_jsonl, _RECORDS, "one JSON object per line"),
        FileFormat("json", (".json",), read_json, _RECORDS, "one JSON array of objects"),
        FileFormat("csv", (".csv", ".tsv"), read_csv, _DELIMITED, "a table with a header"),
        FileFormat(
            "arff",
            (".arff",),
            _reader("tables.arff", "read_arff"),
            _DECLARED,
            "a Weka table",
            ("class", "Class", "CLASS"),
            last=True,
        ),
        FileFormat(
            "c45", (".names", ".data", ".test"), _reader("tables.c45", "read_c45"), _DECLARED, "C4.5 files", last=True
        ),
        FileFormat("parquet", (".parquet", ".pq"), partial(read_arrow, format="Parquet"), _TABLES, "a table"),
        FileFormat("feather", (".feather", ".arrow"), partial(read_arrow, format="Feather"), _TABLES, "a table"),
        FileFormat("graphml", (".graphml",), partial(read_graphs, format="graphml"), _GRAPHS, _GRAPH),
        FileFormat("gml", (".gml",), partial(read_graphs, format="gml"), _GRAPHS, _GRAPH),
        FileFormat(
            "sqlite",
            (".sqlite", ".sqlite3", ".db", ".db3", ".s3db"),
            _READ_DATABASE,
            (*_LINKED, "missing_words"),
            "a database",
        ),
        FileFormat("duckdb", (".duckdb", ".ddb"), _READ_DATABASE, _LINKED, "a database"),
        FileFormat(
            "tables",
            (),
            _reader("databases.reading", "read_tables"),
            _FOLDER,
            "a folder of tables, each a CSV or Parquet file",
        ),
        FileFormat(
            "tu",
            (),
            _reader("graphs.tu", "read_tu"),
            _GRAPHS,
            "a folder of graphs, with files such as NAME_A.txt",
            TARGETS,
        ),
        FileFormat(
            "smiles", (".smi", ".smiles"), _READ_MOLECULES, _MOLECULES, "molecules, or a table with a SMILES column"
        ),
        FileFormat(
            "sdf", (".sdf", ".sd", ".mol"), partial(_READ_MOLECULES, notation="molblock"), _BLOCKS, "molecules"
        ),
        FileFormat(
            "facts",
            FACT_ENDINGS,
            _reader("facts.reading", "read_facts"),
            _FACTS,
            "Prolog facts, or a folder of them",
            takes_target=True,
        ),
    )
}
"""Supported formats by name."""

_AT_URL = FileFormat("a URL", (), _reader("databases.reading", "from_database"), _LINKED, "a database")
"""Format of database URLs, which users cannot name."""


def read_data(
    where: str | os.PathLike[str], target: str | None = None, **options: Unpack[ReadingOptions]
) -> Population:
    """Read a file, a folder of graphs, tables or facts, or the database at a URL.

    A table with a SMILES column is read as molecules; with ``format="csv"`` it is read as plain rows.

    Parameters
    ----------
    where : path or URL
    target : str, optional
        Target, for formats in which it determines the individuals.
    format : str, optional
        Name of one of `FILE_FORMATS`, by default inferred from the extension.
    types : mapping, optional
        Declared kinds of members, such as ``{"zip": "nominal", "cars": "set"}``.
    individual : str, optional
        Name of the individual type; for graphs ``Graph``, ``Node`` or ``Edge``, for databases a table.
    schema : Schema, optional
        Required schema of nested records.
    group, link : str, optional
        For tables whose rows are elements of sets; see `structtree.data.readers.tables.reading.from_frame`.
    delimiter, header, names, encoding, decimal : optional
        For delimited text; see `structtree.data.readers.tables.reading.read_csv`.
    missing_words : sequence of str, optional
        Words for missing values in text, instead of `structtree.data.readers.text_files.MISSING_WORDS`; for ARFF, in
        addition to ``?``.
    keys, links, exclude, condition, schema_file, layout, strict : optional
        For databases and folders of tables; see `structtree.data.readers.databases.reading.from_database`.
    smiles, hydrogens, largest_fragment, neutralise, skip_bad, cache : optional
        For molecules; see `structtree.data.readers.molecules.reading.read_molecules`.
    positives, negatives, modes, part, fact, sample_negatives, sample_seed : optional
        For facts; see `structtree.data.readers.facts.reading.read_facts`.

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
    given = given_options(options)
    name = given.pop("format", None)
    chosen = _format(where, name)
    if chosen is _AT_URL:
        _refuse_others(given, chosen, is_named=True)
        return chosen.read(where, target=target, **given)
    path = Path(where)
    if name is None and chosen.name == "csv":
        return _read_delimited(path, given)
    _refuse_others(given, chosen, is_named=name is not None)
    needs_target = chosen.takes_target or "links" in chosen.options
    return chosen.read(path, target=target, **given) if needs_target else chosen.read(path, **given)


def _read_delimited(path: Path, given: Mapping[str, Any]) -> Population:
    """Read a delimited table, with molecules if the options or the header indicate SMILES."""
    layout = csv_layout(path, **{name: value for name, value in given.items() if name in _LAYOUT})
    rest = {name: value for name, value in given.items() if name not in _LAYOUT}
    chosen = [name for name in _ONLY_MOLECULES if name in given]
    has_smiles = "smiles" in given or smiles_column(layout.names) is not None
    if chosen and not has_smiles:
        raise UsageError(
            f"{option_text(chosen[0])} is for molecules, and {path} has no column named smiles; if "
            f"another column contains them, name it with {option_text('smiles')}"
        )
    is_smiles = "smiles" in given or bool(chosen) or (has_smiles and set(given) <= set(_MOLECULES))
    _refuse_others(given, FILE_FORMATS["smiles" if is_smiles else "csv"], is_named=False)
    return _READ_MOLECULES(layout, **rest) if is_smiles else read_csv(layout, **rest)


def _refuse_others(given: Mapping[str, Any], chosen: FileFormat, *, is_named: bool) -> None:
    for name, value in given.items():
        if name in chosen.options:
            continue
        if name == "link" and "links" in chosen.options:
            raise UsageError(
                f"for {chosen.what}, {option_text('link')} takes TABLE.COLUMN=TABLE.COLUMN; got {value!r}"
            )
        users = ", ".join(known.name for known in FILE_FORMATS.values() if name in known.options)
        fix = "" if is_named else f"; if the file is one of these, set {option_text('format')}"
        raise UsageError(f"{option_text(name)} does not apply to {chosen.name} ({chosen.what}), only to {users}{fix}")


def target_of(where: str | os.PathLike[str], population: Population, format: str | None = None) -> str | None:
    """Return the default target of the format, if it exists and is never missing.

    Parameters
    ----------
    where, format
        As for `read_data`.
    population : Population
        Data that was read.

    Examples
    --------
    >>> target_of(Path(__file__), Population.from_records([{"x": 1}]), "json") is None
    True
    """
    present = [a.name for a in population.schema.type(population.schema.individual).attributes]
    if population.provenance is not None and population.provenance.facts is not None:
        return population.provenance.facts.target
    chosen = _format(where, format)
    usual = [name for name in chosen.targets if name in present] or (present[-1:] if chosen.last else [])
    return next((name for name in usual if not population.column(name).missing.any()), None)


def is_database(where: str | os.PathLike[str], format: str | None = None) -> bool:
    """Return whether the data consists of linked tables."""
    return "links" in _format(where, format).options


def _format(where: str | os.PathLike[str], name: str | None) -> FileFormat:
    if name is not None and name not in FILE_FORMATS:
        raise UsageError(f"unknown format {name!r}{did_you_mean(name, FILE_FORMATS)}")
    if isinstance(where, str) and is_url(where):
        if name is not None:
            raise UsageError(f"{option_text('format')} is for files, and {shown_url(where)} is the URL of a database")
        return _AT_URL
    path = Path(where)
    if path.is_dir():
        return FILE_FORMATS[name or _format_in_folder(path)]
    require_file(path)
    if name is not None:
        return FILE_FORMATS[name]
    extension = extension_of(path)
    for known in FILE_FORMATS.values():
        if extension in known.extensions:
            return known
    ending = f"unknown extension {extension!r}" if extension else "the name has no extension"
    raise UsageError(f"{path}: {ending}; set {option_text('format')} to one of: {', '.join(FILE_FORMATS)}")


def _format_in_folder(path: Path) -> str:
    if is_tu_folder(path):
        return "tu"
    for extension in sorted(map(extension_of, path.iterdir())):
        if extension in GRAPH_FILES:
            return extension[1:]
    if is_fact_folder(path):
        return "facts"
    from structtree.data.readers.databases.folders import tables_in

    if len(tables_in(path)) > 1:
        return "tables"
    known = f"no graphs ({' or '.join(GRAPH_FILES)} files, or NAME_A.txt), no facts ({', '.join(FACT_ENDINGS)})"
    raise DataError(f"the folder contains {known}, and fewer than two tables (CSV or Parquet)", source=str(path))
