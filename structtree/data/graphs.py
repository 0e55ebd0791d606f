"""Graphs of networkx into populations, and the graph files that networkx can read.

An undirected graph becomes Graph –nodes→ Node –edges→ Edge –to→ Node: each edge is seen from both its ends, so
it gives two rows of Edge, and a loop gives one. In a directed graph a node has two sets instead, ``outgoing``
(``to`` is the head) and ``incoming`` (``to`` is the tail). Parallel edges of a multigraph are edges of their
own. What networkx keeps with a graph, a node or an edge becomes attributes; the names of nodes are only names.

The dictionaries of networkx are taken as they are and read column by column; no edge is visited by itself.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter, methodcaller
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from structtree.data.columns import Adjacency, Column, Population, Table
from structtree.data.infer import Misfit, Overrides, Pieces, keys_of, shown, values_of
from structtree.data.schema import Attribute, Link, RecordType, Schema
from structtree.data.textfiles import open_text_file
from structtree.errors import DataError, UsageError, did_you_mean

__all__ = ["GRAPH_FILES", "from_graphs", "read_graphs"]

GRAPH_FILES = (".graphml", ".gml")
"""The extensions of the graph files that can be read."""

_Attributes = Mapping[str, Any]

_TOGETHER = 256
"""How many graphs are read together: as many as stay in the cache."""


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
    return _population(_checked(graphs), _Task(individual, Overrides(types or {})))


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
    return _population(graphs, _Task(individual, Overrides(types or {}), files))


def _check_individual(individual: str) -> None:
    if individual not in ("Graph", "Node"):
        hint = did_you_mean(str(individual), ["Graph", "Node"])
        raise UsageError(f"the individual of graphs cannot be {individual!r}{hint}")


@dataclass(frozen=True, slots=True)
class _Task:
    """What the caller wants, and the files of the graphs if they come from files."""

    individual: str
    overrides: Overrides
    files: Sequence[Path] | None = None


def _population(graphs: Sequence[Any], task: _Task) -> Population:
    names = ("Graph", "Node", "Edge") if task.individual == "Graph" else ("Node", "Edge")
    pieces = {name: Pieces() for name in names}
    wirings: list[_Wiring] = []
    n_nodes = 0
    for first in range(0, len(graphs), _TOGETHER):
        block = _block(graphs[first : first + _TOGETHER], first, n_nodes)
        for name in names:
            _add_attributes(pieces[name], name, block, task)
        wirings.append(block.wiring)
        n_nodes += len(block.attributes["Node"])
    wiring = _joined(wirings)
    typed = [_TABLES[name](pieces[name], wiring, graphs[0].is_directed()) for name in names]
    schema = Schema(tuple(one.record for one in typed), task.individual)
    task.overrides.check(schema)
    return Population(schema, {one.record.name: one.table for one in typed})


# ---- what networkx has -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Wiring:
    """How graphs that are laid end to end hang together.

    Parameters
    ----------
    n_nodes : array of int
        For each graph.
    n_edges : array of int
        For each node the edges that leave it, or that touch it when undirected.
    heads : array of int
        For each of these edges the node it leads to.
    """

    n_nodes: NDArray[np.int64]
    n_edges: NDArray[np.int64]
    heads: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class _Block:
    """Some of the graphs, with the attributes of each type as networkx keeps them, node after node."""

    graphs: Sequence[Any]
    first_graph: int
    first_node: int
    wiring: _Wiring
    attributes: Mapping[str, list[_Attributes]]


def _block(graphs: Sequence[Any], first_graph: int, first_node: int) -> _Block:
    n_edges: list[int] = []
    heads: list[int] = []
    nodes: list[_Attributes] = []
    edges: list[_Attributes] = []
    for graph in graphs:
        adjacency = dict(graph.adjacency())
        around = list(map(adjacency.__getitem__, graph))
        seen = _seen_from_multi_nodes(around) if graph.is_multigraph() else _seen_from_nodes(around)
        start = first_node + len(nodes)
        row = dict(zip(graph, range(start, start + len(graph)), strict=True))
        n_edges.extend(seen.n_edges)
        heads.extend(map(row.__getitem__, seen.heads))
        nodes.extend(map(itemgetter(1), graph.nodes(data=True)))
        edges.extend(seen.attributes)
    wiring = _Wiring(_whole(map(len, graphs)), _whole(n_edges), _whole(heads))
    attributes = {"Graph": [graph.graph for graph in graphs], "Node": nodes, "Edge": edges}
    return _Block(graphs, first_graph, first_node, wiring, attributes)


def _joined(wirings: Sequence[_Wiring]) -> _Wiring:
    return _Wiring(
        np.concatenate([wiring.n_nodes for wiring in wirings]),
        np.concatenate([wiring.n_edges for wiring in wirings]),
        np.concatenate([wiring.heads for wiring in wirings]),
    )


def _whole(numbers: Iterable[int]) -> NDArray[np.int64]:
    return np.fromiter(numbers, np.int64)


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


def _graphs(pieces: Pieces, wiring: _Wiring, directed: bool) -> _Typed:
    nodes = Adjacency.from_lengths(wiring.n_nodes, np.arange(wiring.n_nodes.sum()))
    return _typed("Graph", _columns(pieces), pieces.n_rows, {Link("nodes", "set", "Node"): nodes})


def _nodes(pieces: Pieces, wiring: _Wiring, directed: bool) -> _Typed:
    n_edges = len(wiring.heads)
    leaving = Adjacency.from_lengths(wiring.n_edges, np.arange(n_edges))
    if not directed:
        return _typed("Node", _columns(pieces), pieces.n_rows, {Link("edges", "set", "Edge"): leaving})
    n_arriving = np.bincount(wiring.heads, minlength=pieces.n_rows)
    arriving = Adjacency.from_lengths(n_arriving, np.arange(n_edges, 2 * n_edges))
    links = {Link("outgoing", "set", "Edge"): leaving, Link("incoming", "set", "Edge"): arriving}
    return _typed("Node", _columns(pieces), pieces.n_rows, links)


def _edges(pieces: Pieces, wiring: _Wiring, directed: bool) -> _Typed:
    """The edges as they leave their nodes and then, if directed, once more as they arrive, sorted by head."""
    columns, to = _columns(pieces), wiring.heads
    if directed:
        by_head = np.argsort(wiring.heads, kind="stable")
        tails = np.repeat(np.arange(len(wiring.n_edges)), wiring.n_edges)
        twice = np.concatenate([np.arange(len(to)), by_head])
        columns = {name: column.take(twice) for name, column in columns.items()}
        to = np.concatenate([wiring.heads, tails[by_head]])
    adjacency = Adjacency.from_lengths(np.ones(len(to), dtype=np.int64), to)
    return _typed("Edge", columns, len(to), {Link("to", "one", "Node"): adjacency})


_TABLES: Mapping[str, Callable[[Pieces, _Wiring, bool], _Typed]] = {"Graph": _graphs, "Node": _nodes, "Edge": _edges}


def _columns(pieces: Pieces) -> dict[str, Column]:
    return {name: pieces.column(pieces.attribute(name)) for name in pieces.columns}


def _typed(name: str, columns: Mapping[str, Column], n_rows: int, links: Mapping[Link, Adjacency]) -> _Typed:
    for link in links:
        if link.name in columns:
            message = f"the attribute {link.name!r} of {name} has the name of a link"
            raise DataError(message, fix="give the attribute another name in the graphs")
    attributes = tuple(Attribute(key, column.kind) for key, column in columns.items())
    table = Table(n_rows, columns, {link.name: adjacency for link, adjacency in links.items()})
    return _Typed(RecordType(name, attributes, tuple(links)), table)


def _add_attributes(pieces: Pieces, type_name: str, block: _Block, task: _Task) -> None:
    rows = block.attributes[type_name]
    chunk = pieces.add_chunk(len(rows))
    for key in keys_of(rows):
        if not isinstance(key, str) or not key:
            raise DataError(f"expected the name of an attribute of {type_name}, got {shown(key)}")
        try:
            pieces.add(chunk, key, values_of(rows, key), task.overrides.declared(type_name, key))
        except Misfit as misfit:
            raise _error(block, type_name, key, misfit, task) from None


# ---- what is wrong, and where ----------------------------------------------------------------------------


def _error(block: _Block, type_name: str, key: str, misfit: Misfit, task: _Task) -> DataError:
    node, path = misfit.index, f".{key}"
    if type_name == "Edge":
        link = "outgoing" if block.graphs[0].is_directed() else "edges"
        head = int(block.wiring.heads[misfit.index]) - block.first_node
        path = f".{link}[{_node_name(block, head)!r}]{path}"
        node = _owner(block.wiring.n_edges, misfit.index)
    if type_name != "Graph":
        path = f".nodes[{_node_name(block, node)!r}]{path}"
    graph = block.first_graph + (node if type_name == "Graph" else _owner(block.wiring.n_nodes, node))
    return DataError(
        misfit.message,
        source=None if task.files is None else str(task.files[graph]),
        path=f"${path}",
        individual=graph if task.individual == "Graph" else block.first_node + node,
        fix=f"to read all of them as text: --type {key}=nominal" if misfit.fix == "nominal" else None,
    )


def _node_name(block: _Block, node: int) -> Any:
    graph = _owner(block.wiring.n_nodes, node)
    return list(block.graphs[graph])[node - int(block.wiring.n_nodes[:graph].sum())]


def _owner(lengths: NDArray[np.int64], element: int) -> int:
    return int(np.searchsorted(np.cumsum(lengths), element, side="right"))
