"""Reader of the TU format: a folder with one text file per column of a dataset of graphs.

``NAME_A.txt`` has a line ``i, j`` for each arc between nodes, ``NAME_graph_indicator.txt`` the graph of each node,
both numbered from 1. Optional files have the labels (integers, which become categories) and attributes (numbers) of
graphs, nodes and edges, one per line. Every file may be compressed (``.gz``). If a readme explains the labels, as in
``0 C``, the categories have these names.

The schema is that of `structtree.data.readers.graphs.reading`: undirected if each arc exists in both directions, as
in nearly all of the collection, and directed otherwise. The label of a graph is its attribute ``class``; without
labels, a single number is its ``value``. These are the default targets (`TARGETS`).

Files are parsed as a whole, and line by line only if that fails, to report the line of the error.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structtree.data.kinds import DeclaredKind, Overrides, ValueMismatch, encode
from structtree.data.population import Column, Population, named_column
from structtree.data.readers.graphs.reading import GraphIndividual, Wiring, check_individual, graph_population
from structtree.data.readers.text_files import MISSING_WORDS, open_text_file
from structtree.errors import DataError, MissingFileError

__all__ = ["TARGETS", "is_tu_folder", "read_tu"]

TARGETS = ("class", "value")
"""Possible target attributes of graphs in the TU format, in order of preference."""

_FILES = (
    "A",
    "graph_indicator",
    *(f"{one}_{what}" for one in ("graph", "node", "edge") for what in ("labels", "attributes")),
)


def is_tu_folder(path: str | os.PathLike[str]) -> bool:
    """Return whether a folder has the required files of the TU format.

    Examples
    --------
    >>> is_tu_folder(Path(__file__).parent)
    False
    """
    return bool(_names(Path(path)))


def read_tu(
    path: str | os.PathLike[str],
    *,
    individual: GraphIndividual = "Graph",
    types: Mapping[str, str] | None = None,
    missing_words: Collection[str] = MISSING_WORDS,
) -> Population:
    """Read a folder in TU format.

    Parameters
    ----------
    path : path
        The folder.
    individual : {"Graph", "Node", "Edge"}
        Type of the individuals; for nodes or edges, there is no type Graph.
    types : mapping, optional
        Kinds of attributes, such as ``{"Node.label": "int"}``.
    missing_words : collection of str
        Strings that mark a missing value.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name, text in {"A": "1, 2\\n2, 1\\n", "graph_indicator": "1\\n1\\n2\\n", "graph_labels": "5\\n7\\n",
    ...                        "node_labels": "0\\n1\\n0\\n"}.items():
    ...         _ = (Path(folder) / f"TINY_{name}.txt").write_text(text)
    ...     _ = (Path(folder) / "README.txt").write_text("Node labels: 0 C, 1 N")
    ...     tiny = read_tu(folder)
    >>> tiny.record(1), tiny.record(0, depth=2)["nodes"][1]
    ({'class': '7', 'nodes': [{'label': 'C', 'edges': []}]}, {'label': 'N', 'edges': [{'to': '...'}]})
    """
    check_individual(individual)
    overrides = Overrides(types or {})
    folder = _folder(Path(path), missing_words)
    parts = _parts(folder)
    maps = _label_maps(folder)
    columns = {
        name: {} if name == "Graph" != individual else _columns(folder, name, parts, maps, overrides)
        for name in ("Graph", "Node", "Edge")
    }
    population = graph_population(parts.wiring, columns, directed=parts.directed, individual=individual)
    overrides.check(population.schema)
    return population


# ---- the files of a folder -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder, the prefix of its file names, and its files."""

    path: Path
    name: str
    files: Mapping[str, Path]
    missing_words: Collection[str]

    def require(self, what: str) -> Path:
        if what not in self.files:
            raise MissingFileError(f"there is no file {self.path / f'{self.name}_{what}.txt'} (or .txt.gz)")
        return self.files[what]


def _names(path: Path) -> list[str]:
    """Return the names of the datasets whose required files are in a folder."""
    if not path.is_dir():
        return []
    found = (re.fullmatch(r"(.+)_(A|graph_indicator)\.txt(\.gz)?", file.name) for file in path.iterdir())
    return sorted({match[1] for match in found if match})


def _folder(path: Path, missing_words: Collection[str]) -> _Folder:
    names = _names(path)
    if not names:
        raise MissingFileError(f"there is no file {path / 'NAME_A.txt'} (or .txt.gz); expected a folder in TU format")
    if len(names) > 1:
        raise DataError(f"expected the files of one dataset, got {' and '.join(names)}", source=str(path))
    possible = ((what, path / f"{names[0]}_{what}.txt{gz}") for what in _FILES for gz in (".gz", ""))
    return _Folder(path, names[0], {what: file for what, file in possible if file.is_file()}, missing_words)


def _table(
    path: Path,
    dtype: type[np.generic],
    n_lines: int | None = None,
    why: str = "",
    missing_words: Collection[str] = (),
) -> NDArray[Any]:
    """Return the numbers of a file, one row per line, and check the number of lines."""
    with open_text_file(path) as file:
        lines = io.BytesIO(file.read())  # numpy reads line by line, which is slow while decompressing
    try:
        numbers: NDArray[Any] = np.loadtxt(lines, dtype=dtype, delimiter=",", comments=None, ndmin=2)
    except ValueError:
        numbers = _parse_lines(path, dtype, missing_words)
    if n_lines is not None and len(numbers) != n_lines:
        raise DataError(f"expected {n_lines} lines, {why}; got {len(numbers)}", source=str(path))
    return numbers


def _parse_lines(path: Path, dtype: type[np.generic], missing_words: Collection[str]) -> NDArray[Any]:
    """Parse a file line by line, with missing values; raise `DataError` with the line of invalid text."""
    kind, read = ("an integer", int) if np.issubdtype(dtype, np.integer) else ("a number", float)
    rows: list[list[float]] = []
    with open_text_file(path) as file:
        for line, text in enumerate(file, 1):
            fields = [field.strip() for field in text.decode(errors="replace").split(",")]
            if fields == [""]:
                continue
            row = []
            for field in fields:
                try:
                    row.append(np.nan if field in missing_words else read(field))
                except ValueError:
                    raise DataError(f"expected {kind}, got {field!r}", source=str(path), line=line) from None
            if rows and len(row) != len(rows[0]):
                message = f"expected {len(rows[0])} numbers as in the first line, got {len(row)}"
                raise DataError(message, source=str(path), line=line)
            rows.append(row)
    try:
        return np.array(rows, dtype=dtype)
    except OverflowError:
        raise DataError("expected numbers separated by commas", source=str(path)) from None


# ---- nodes and edges -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Parts:
    """Nodes and edges, with the line of each in its file."""

    wiring: Wiring
    directed: bool
    nodes: NDArray[np.int64]
    edges: NDArray[np.int64]

    def lines(self, type_name: str) -> NDArray[np.int64]:
        return {"Graph": np.arange(len(self.wiring.n_nodes)), "Node": self.nodes, "Edge": self.edges}[type_name]


def _parts(folder: _Folder) -> _Parts:
    graph_of = _graph_of_nodes(folder)
    n_nodes = np.bincount(graph_of, minlength=_n_graphs(folder, graph_of))
    nodes = np.argsort(graph_of, kind="stable")
    place = np.empty_like(nodes)
    place[nodes] = np.arange(len(nodes))
    arcs = place[_arcs(folder, graph_of)]
    edges = np.argsort(arcs[:, 0], kind="stable")
    tails, heads = arcs[edges].T
    wiring = Wiring(n_nodes, np.bincount(tails, minlength=len(nodes)), heads)
    return _Parts(wiring, not _is_symmetric(tails, heads, len(nodes)), nodes, edges)


def _refuse_lines(path: Path, bad: Any, message: Callable[[int], str]) -> None:
    """Raise `DataError` for the first invalid line, if any."""
    if bad.any():
        line = int(np.argmax(bad))
        raise DataError(message(line), source=str(path), line=line + 1)


def _graph_of_nodes(folder: _Folder) -> NDArray[np.int64]:
    """Return the graph of each node, numbered from 0."""
    path = folder.require("graph_indicator")
    numbers = _table(path, np.int64)[:, 0]
    _refuse_lines(path, numbers < 1, lambda i: f"expected the number of a graph, at least 1; got {numbers[i]}")
    return numbers - 1


def _n_graphs(folder: _Folder, graph_of: NDArray[np.int64]) -> int:
    """Return the number of graphs: the number of their labels or attributes, or the highest graph of a node."""
    file = folder.files.get("graph_labels") or folder.files.get("graph_attributes")
    if file is None:
        return int(graph_of.max(initial=-1)) + 1
    n_graphs = len(_table(file, np.float64, missing_words=folder.missing_words))
    absent = f"does not exist: {file.name} has {n_graphs} lines"
    indicator = folder.files["graph_indicator"]
    _refuse_lines(indicator, graph_of >= n_graphs, lambda i: f"graph {graph_of[i] + 1} {absent}")
    return n_graphs


def _arcs(folder: _Folder, graph_of: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the arcs as pairs of node numbers, starting at 0, after checking that no arc joins two graphs."""
    path, n_nodes = folder.require("A"), len(graph_of)
    arcs = _table(path, np.int64) - 1
    if arcs.shape[1] != 2:
        raise DataError(f"expected two nodes, got {arcs.shape[1]} numbers", source=str(path), line=1)
    outside = (arcs < 0) | (arcs >= n_nodes)
    absent = f"does not exist: {folder.files['graph_indicator'].name} has {n_nodes} lines"
    _refuse_lines(path, outside.any(axis=1), lambda i: f"node {arcs[i][outside[i]][0] + 1} {absent}")
    tails, heads = graph_of[arcs].T + 1
    _refuse_lines(
        path,
        tails != heads,
        lambda i: f"an edge leads from graph {tails[i]} to graph {heads[i]}; expected both ends in one graph",
    )
    return arcs


def _is_symmetric(tails: NDArray[np.int64], heads: NDArray[np.int64], n_nodes: int) -> bool:
    """Return whether each arc occurs equally often in both directions."""
    return bool((np.sort(tails * n_nodes + heads) == np.sort(heads * n_nodes + tails)).all())


# ---- labels and attributes -------------------------------------------------------------------------------

_LabelMap = Mapping[int, str]
_LabelMaps = Mapping[tuple[str, int], _LabelMap]


def _columns(
    folder: _Folder, type_name: str, parts: _Parts, maps: _LabelMaps, overrides: Overrides
) -> dict[str, Column]:
    lines = parts.lines(type_name)
    one = type_name.lower()
    label, attribute = ("class", "value") if type_name == "Graph" else ("label", "attribute")
    reference = {"Node": "graph_indicator", "Edge": "A"}.get(type_name)
    why = f"one for each {one}" + (f" of {folder.files[reference].name}" if reference else "")
    found: dict[str, Column] = {}
    kinds = (("labels", np.int64, label, ()), ("attributes", np.float64, attribute, folder.missing_words))
    for what, dtype, word, missing in kinds:
        path = folder.files.get(f"{one}_{what}")
        if path is None:
            continue
        table = _table(path, dtype, len(lines), why, missing)[lines]
        for place, name in enumerate(_numbered(word, table.shape[1])):
            declared = overrides.declared_kind(type_name, name)
            if declared is not None:
                found[name] = _declared(table[:, place], declared, name, path)
            elif what == "labels":
                found[name] = _categories(table[:, place], maps.get((one, place), {}))
            else:
                found[name] = _numbers(table[:, place])
    return found


def _numbered(word: str, n: int) -> list[str]:
    return [word] if n == 1 else [f"{word}{i}" for i in range(1, n + 1)]


def _declared(values: NDArray[Any], declared: DeclaredKind, name: str, path: Path) -> Column:
    try:
        column = encode(values.tolist(), declared.kind, declared.values, layout=declared.layout)
    except ValueMismatch as mismatch:
        raise DataError(mismatch.message, source=str(path), line=mismatch.index + 1, path=name) from None
    assert column is not None  # the kind is declared
    return column


def _categories(labels: NDArray[np.int64], names: _LabelMap) -> Column:
    """Return labels as categories, with the names of the map if these are distinct."""
    found = np.unique(labels).tolist()
    texts = {names[label] for label in found if label in names}
    return named_column(labels, names if len(texts) == len(found) else {label: str(label) for label in found})


def _numbers(values: NDArray[np.float64]) -> Column:
    present = values[~np.isnan(values)]
    whole = bool(len(present)) and bool((present == np.floor(present)).all()) and not np.isinf(present).any()
    return Column("int" if whole else "real", np.ascontiguousarray(values))


# ---- label names in a readme -----------------------------------------------------------------------------

_HEADING = re.compile(r"\b(node|edge|class|graph)[ _]labels?\b[^:]*(?::(?P<rest>.*))?", re.IGNORECASE)
_COMPONENT = re.compile(r"component\s++(\d++)\s*+:?", re.IGNORECASE)
_ENTRY = re.compile(r"\s*+(?:[-*]\s++)?\[?(-?\d++)\]?+(?:\s*+(?:->|=>|[:=])\s*+([^\s:=>][^:=]*)|\s++([^\s:=]++)\s*+)")
_TABBED = re.compile(r"\s*+(-?\d++)\t++(\S.*)")  # as the label readmes of the collection have it; names of any words


def _label_maps(folder: _Folder) -> _LabelMaps:
    """Return the names of labels, by element (``graph`` for classes) and column.

    Readmes have no fixed format, so only clear cases count: a heading that mentions labels, and lines below it (or
    the rest of its line) with only numbers and words, such as ``0  C``, ``[0] = carbon`` or ``- 0 -> sp2 carbon``. A
    map that does not fit the labels is ignored.
    """
    known = {
        f"{folder.name}_label_readme.txt",
        f"{folder.name}_readme.txt",
        "readme.txt",
        "readme.md",
        "label_readme.txt",
    }
    readmes = sorted(file for file in folder.path.iterdir() if file.name.lower() in {name.lower() for name in known})
    maps: dict[tuple[str, int], dict[int, str]] = {}
    for readme in readmes:
        for key, entries in _maps_in(readme.read_text(encoding="utf-8", errors="replace").splitlines()).items():
            maps.setdefault(key, entries)
    return maps


def _maps_in(lines: Sequence[str]) -> dict[tuple[str, int], dict[int, str]]:
    maps: dict[tuple[str, int], dict[int, str]] = {}
    about, component = None, 0
    for line in lines:
        heading, part = _HEADING.search(line), _COMPONENT.fullmatch(line.strip())
        if part:
            component = int(part[1])
        elif heading:
            about, component = heading[1].lower().replace("class", "graph"), 0
            line = heading["rest"] or ""
        bare = line.strip().rstrip(",;.")
        if about is not None and (tabbed := _TABBED.fullmatch(line.strip())):
            maps.setdefault((about, component), {})[int(tabbed[1])] = tabbed[2]
            continue
        entries = [_ENTRY.fullmatch(entry) for entry in re.split(r"[,;]", bare)]
        if about is not None and all(entries):
            named = ((int(found[1]), (found[2] or found[3]).strip()) for found in entries if found)
            maps.setdefault((about, component), {}).update(named)
    return maps
