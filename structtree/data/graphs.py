"""Graphs of networkx into populations, and the graph files that networkx can read.

An undirected graph becomes Graph –nodes→ Node –edges→ Edge –to→ Node: each edge is seen from both its ends, so
it gives two rows of Edge, and a loop gives one. In a directed graph a node has two sets instead, ``outgoing``
(``to`` is the head) and ``incoming`` (``to`` is the tail). Parallel edges of a multigraph are edges of their
own. What networkx keeps with a graph, a node or an edge becomes attributes; the names of nodes are only names.

The dictionaries of networkx are taken as they are and read column by column; no edge is visited by itself.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter, methodcaller
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from structtree.data.columns import Adjacency, Column, Population, Table
from structtree.data.infer import Misfit, Overrides, encode, keys_of, missing_column, shown, values_of
from structtree.data.schema import Attribute, Link, RecordType, Schema
from structtree.data.textfiles import open_text_file
from structtree.errors import DataError, UsageError, did_you_mean

__all__ = ["GRAPH_FILES", "from_graphs", "read_graphs"]

GRAPH_FILES = (".graphml", ".gml")
"""The extensions of the graph files that can be read."""

_Attributes = Mapping[str, Any]


def from_graphs(
    graphs: Iterable[Any],
    *,
    individual: Literal["Graph", "Node"] = "Graph",
    types: Mapping[str, str] | None = None,
) -> Population:
    """A population of networkx graphs: all directed, or none.

    Parameters
    ----------
    graphs : iterable of networkx graphs
    individual : {"Graph", "Node"}
        What gets a label: each graph, or each node of all of them (then there is no type Graph).
    types : mapping, optional
        Kinds to read attributes as, such as ``{"Node.label": "nominal"}``.

    Examples
    --------
    >>> import networkx as nx
    >>> water = nx.Graph(name="water")
    >>> water.add_nodes_from([("o", {"element": "O"}), ("h1", {"element": "H"}), ("h2", {"element": "H"})])
    >>> water.add_edges_from([("o", "h1"), ("o", "h2")], order=1)
    >>> population = from_graphs([water])
    >>> [(name, population.table(name).n_rows) for name in population.schema.names]
    [('Graph', 1), ('Node', 3), ('Edge', 4)]
    >>> population.record(0, depth=2)["nodes"][1]
    {'element': 'H', 'edges': [{'order': 1, 'to': '...'}]}
    """
    _check_individual(individual)
    return _population(_checked(graphs), individual, Overrides(types or {}))


def read_graphs(
    path: str | os.PathLike[str],
    *,
    individual: Literal["Graph", "Node"] = "Graph",
    types: Mapping[str, str] | None = None,
    format: Literal["graphml", "gml"] | None = None,
) -> Population:
    """A population from a GraphML or GML file, or from a folder of such files, one graph each, in order of name.

    Parameters
    ----------
    path : path
    individual, types
        As in `from_graphs`.
    format : {"graphml", "gml"}, optional
        The format of a file whose extension does not tell it.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "edge.gml"
    ...     _ = file.write_text("graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 ] ]")
    ...     read_graphs(file).table("Node").n_rows
    2
    """
    _check_individual(individual)
    where = Path(path)
    files = sorted(p for p in where.iterdir() if _extension(p) in GRAPH_FILES) if where.is_dir() else [where]
    if not files:
        raise DataError(f"the folder has no {' or '.join(GRAPH_FILES)} file", source=str(where))
    graphs = _checked([_read_graph(file, format) for file in files], files)
    return _population(graphs, individual, Overrides(types or {}), files)


def _check_individual(individual: str) -> None:
    if individual not in ("Graph", "Node"):
        hint = did_you_mean(str(individual), ["Graph", "Node"])
        raise UsageError(f"the individual of graphs cannot be {individual!r}{hint}")


def _population(
    graphs: Sequence[Any], individual: str, overrides: Overrides, files: Sequence[Path] | None = None
) -> Population:
    layout = _laid_out(graphs)
    places = _Places(graphs, layout, individual, files)
    kept = [_edges(layout, overrides, places), _nodes(layout, overrides, places)]
    if individual == "Graph":
        kept.append(_graphs(layout, overrides, places))
    schema = Schema(tuple(typed.record for typed in reversed(kept)), individual)
    overrides.check(schema)
    return Population(schema, {typed.record.name: typed.table for typed in kept})


# ---- what networkx has -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Layout:
    """All graphs laid end to end.

    Parameters
    ----------
    directed : bool
    n_nodes : array of int
        For each graph.
    n_edges : array of int
        For each node the edges that leave it, or that touch it when undirected.
    heads : array of int
        For each of these edges the node it leads to.
    graphs, nodes, edges : list of dict
        The attributes, as networkx keeps them.
    """

    directed: bool
    n_nodes: NDArray[np.int64]
    n_edges: NDArray[np.int64]
    heads: NDArray[np.int64]
    graphs: list[_Attributes]
    nodes: list[_Attributes]
    edges: list[_Attributes]


def _laid_out(graphs: Sequence[Any]) -> _Layout:
    n_nodes: list[int] = []
    n_edges: list[int] = []
    heads: list[int] = []
    nodes: list[_Attributes] = []
    edges: list[_Attributes] = []
    for graph in graphs:
        around: list[Any] = list(map(itemgetter(1), graph.adjacency()))
        seen = _seen_from_multi_nodes(around) if graph.is_multigraph() else _seen_from_nodes(around)
        row = dict(zip(graph, range(len(nodes), len(nodes) + len(graph)), strict=True))
        n_nodes.append(len(graph))
        n_edges.extend(seen.n_edges)
        heads.extend(map(row.__getitem__, seen.heads))
        nodes.extend(map(itemgetter(1), graph.nodes(data=True)))
        edges.extend(seen.attributes)
    return _Layout(
        graphs[0].is_directed(),
        np.array(n_nodes, dtype=np.int64),
        np.array(n_edges, dtype=np.int64),
        np.array(heads, dtype=np.int64),
        [graph.graph for graph in graphs],
        nodes,
        edges,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Seen:
    """The edges as the nodes of one graph see them, node by node."""

    n_edges: Iterable[int]
    heads: Iterable[Any]
    attributes: Iterable[_Attributes]


def _seen_from_nodes(around: Sequence[Any]) -> _Seen:
    attributes = chain.from_iterable(map(methodcaller("values"), around))
    return _Seen(map(len, around), chain.from_iterable(around), attributes)


def _seen_from_multi_nodes(around: Sequence[Any]) -> _Seen:
    heads = [head for near in around for head, parallel in near.items() for _ in parallel]
    attributes = [edge for near in around for parallel in near.values() for edge in parallel.values()]
    return _Seen([sum(map(len, near.values())) for near in around], heads, attributes)


def _checked(graphs: Iterable[Any], files: Sequence[Path] | None = None) -> list[Any]:
    import networkx as nx

    if isinstance(graphs, nx.Graph):
        raise UsageError("expected a list of graphs, got one graph; write [graph]")
    known = list(graphs)
    if not known:
        raise DataError("there are no graphs to infer a schema from")
    for i, graph in enumerate(known):
        if not isinstance(graph, nx.Graph):
            raise DataError(f"expected a networkx graph, got {shown(graph)}", individual=i)
        if graph.is_directed() != known[0].is_directed():
            first, this = ("directed", "undirected") if known[0].is_directed() else ("undirected", "directed")
            message = f"expected a graph that is {first} like the first, got one that is {this}"
            source = str(files[i]) if files else None
            raise DataError(message, source=source, individual=i, fix="convert with to_directed() or to_undirected()")
    return known


def _read_graph(path: Path, format: str | None) -> Any:
    import networkx as nx

    format = _extension(path)[1:] if format is None or _extension(path) in GRAPH_FILES else format
    with open_text_file(path) as file:
        try:
            if format == "graphml":
                graph = nx.read_graphml(file)
                for default in ("node_default", "edge_default"):  # what networkx adds of its own
                    graph.graph.pop(default, None)
                return graph
            return nx.read_gml(file, label="id")
        except (nx.NetworkXException, SyntaxError, LookupError, ValueError, TypeError) as error:
            problem = " ".join(str(error).split())[:100] or type(error).__name__
            raise DataError(f"broken {format}: {problem}", source=str(path)) from None


def _extension(path: Path) -> str:
    return Path(path.name.lower().removesuffix(".gz")).suffix


# ---- what it becomes -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Typed:
    """A record type and its table."""

    record: RecordType
    table: Table


def _graphs(layout: _Layout, overrides: Overrides, places: _Places) -> _Typed:
    columns = _columns("Graph", layout.graphs, overrides, places)
    nodes = Adjacency.from_lengths(layout.n_nodes, np.arange(len(layout.nodes)))
    return _typed("Graph", len(layout.graphs), columns, {Link("nodes", "set", "Node"): nodes})


def _nodes(layout: _Layout, overrides: Overrides, places: _Places) -> _Typed:
    columns = _columns("Node", layout.nodes, overrides, places)
    n_nodes, n_edges = len(layout.nodes), len(layout.edges)
    leaving = Adjacency.from_lengths(layout.n_edges, np.arange(n_edges))
    if not layout.directed:
        return _typed("Node", n_nodes, columns, {Link("edges", "set", "Edge"): leaving})
    n_arriving = np.bincount(layout.heads, minlength=n_nodes)
    arriving = Adjacency.from_lengths(n_arriving, np.arange(n_edges, 2 * n_edges))
    links = {Link("outgoing", "set", "Edge"): leaving, Link("incoming", "set", "Edge"): arriving}
    return _typed("Node", n_nodes, columns, links)


def _edges(layout: _Layout, overrides: Overrides, places: _Places) -> _Typed:
    """The edges as they leave their nodes and then, if directed, once more as they arrive, sorted by head."""
    columns = _columns("Edge", layout.edges, overrides, places)
    to = layout.heads
    if layout.directed:
        by_head = np.argsort(layout.heads, kind="stable")
        tails = np.repeat(np.arange(len(layout.nodes)), layout.n_edges)
        twice = np.concatenate([np.arange(len(to)), by_head])
        columns = {name: column.take(twice) for name, column in columns.items()}
        to = np.concatenate([layout.heads, tails[by_head]])
    adjacency = Adjacency.from_lengths(np.ones(len(to), dtype=np.int64), to)
    return _typed("Edge", len(to), columns, {Link("to", "one", "Node"): adjacency})


def _typed(name: str, n_rows: int, columns: Mapping[str, Column], links: Mapping[Link, Adjacency]) -> _Typed:
    for link in links:
        if link.name in columns:
            message = f"the attribute {link.name!r} of {name} has the name of a link"
            raise DataError(message, fix="give the attribute another name in the graphs")
    attributes = tuple(Attribute(key, column.kind) for key, column in columns.items())
    table = Table(n_rows, columns, {link.name: adjacency for link, adjacency in links.items()})
    return _Typed(RecordType(name, attributes, tuple(links)), table)


def _columns(type_name: str, rows: Sequence[_Attributes], overrides: Overrides, places: _Places) -> dict[str, Column]:
    columns = {}
    for key in keys_of(rows):
        if not isinstance(key, str) or not key:
            raise DataError(f"expected the name of an attribute of {type_name}, got {shown(key)}")
        try:
            column = encode(values_of(rows, key), overrides.attribute(type_name, key))
        except Misfit as misfit:
            raise places.error(type_name, misfit.index, key, misfit) from None
        columns[key] = missing_column("nominal", len(rows)) if column is None else column
    return columns


@dataclass(frozen=True, slots=True, eq=False)
class _Places:
    """Where rows come from; asked only when something is wrong with one."""

    graphs: Sequence[Any]
    layout: _Layout
    individual: str
    files: Sequence[Path] | None

    def error(self, type_name: str, row: int, key: str, misfit: Misfit) -> DataError:
        """What is wrong with an attribute of a row, and where it is."""
        path, node = f".{key}", row
        if type_name == "Edge":
            link = "outgoing" if self.layout.directed else "edges"
            path = f".{link}[{self._name(int(self.layout.heads[row]))!r}]{path}"
            node = _owner(self.layout.n_edges, row)
        graph = row if type_name == "Graph" else _owner(self.layout.n_nodes, node)
        if type_name != "Graph":
            path = f".nodes[{self._name(node)!r}]{path}"
        return DataError(
            misfit.message,
            source=None if self.files is None else str(self.files[graph]),
            path=f"${path}",
            individual=graph if self.individual == "Graph" else node,
            fix=f"to read all of them as text: --type {key}=nominal" if misfit.fix == "nominal" else None,
        )

    def _name(self, node: int) -> Any:
        graph = _owner(self.layout.n_nodes, node)
        return list(self.graphs[graph])[node - int(self.layout.n_nodes[:graph].sum())]


def _owner(lengths: NDArray[np.int64], element: int) -> int:
    return int(np.searchsorted(np.cumsum(lengths), element, side="right"))
