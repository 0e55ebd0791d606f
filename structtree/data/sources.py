"""Any file or folder with data, its format told by its extension or by the user.

One line for each format says its extensions, its reader, and which of the options make sense for it. Names of
data sets that come with the package are not known here.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from structtree.data.columns import Population
from structtree.data.graphs import GRAPH_FILES, read_graphs
from structtree.data.records import read_json, read_jsonl
from structtree.data.schema import Schema
from structtree.data.tables import read_csv
from structtree.data.textfiles import require_file
from structtree.errors import DataError, UsageError, did_you_mean

__all__ = ["FORMATS", "Format", "read_data"]


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
    """

    name: str
    extensions: tuple[str, ...]
    read: Callable[..., Population]
    options: tuple[str, ...]
    what: str


_RECORDS = ("types", "individual", "schema")
_TABLES = ("types", "individual", "group", "link")
_GRAPHS = ("types", "individual")

FORMATS: tuple[Format, ...] = (
    Format("jsonl", (".jsonl", ".ndjson"), read_jsonl, _RECORDS, "one JSON object a line"),
    Format("json", (".json",), read_json, _RECORDS, "one JSON array of objects"),
    Format("csv", (".csv", ".tsv"), read_csv, _TABLES, "a table with a header"),
    Format("graphml", (".graphml",), partial(read_graphs, format="graphml"), _GRAPHS, "a graph, or a folder of them"),
    Format("gml", (".gml",), partial(read_graphs, format="gml"), _GRAPHS, "a graph, or a folder of them"),
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
) -> Population:
    """A population from a file, or from a folder of graph files.

    Parameters
    ----------
    where : path
    format : str, optional
        The name of one of `FORMATS`, when the extension does not tell it.
    types : mapping, optional
        Kinds to read members as, such as ``{"zip": "nominal", "cars": "set"}``.
    individual : str, optional
        The name of the individual's type; for graphs ``Graph`` or ``Node``.
    schema : Schema, optional
        What nested records must be.
    group, link : str, optional
        For tables whose rows are elements of sets; see `structtree.data.tables.from_frame`.

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
    chosen = _format(path, format)
    wanted = {"types": types, "individual": individual, "schema": schema, "group": group, "link": link}
    given: dict[str, Any] = {name: value for name, value in wanted.items() if value is not None}
    for name in given:
        if name not in chosen.options:
            raise UsageError(f"{name} makes no sense for {chosen.name} ({chosen.what}); it is for {_users(name)}")
    return chosen.read(path, **given)


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
    found = sorted(_extension(file) for file in path.iterdir())
    for extension in found:
        if extension in GRAPH_FILES:
            return extension[1:]
    raise DataError(f"the folder has no {' or '.join(GRAPH_FILES)} file, one for each graph", source=str(path))


def _extension(path: Path) -> str:
    return Path(path.name.lower().removesuffix(".gz")).suffix


def _users(option: str) -> str:
    return ", ".join(known.name for known in FORMATS if option in known.options)
