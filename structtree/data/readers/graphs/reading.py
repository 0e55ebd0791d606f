"""Conversion of networkx graphs to populations, and reading of graph files with networkx.

An undirected graph becomes Graph –nodes→ Node –edges→ Edge –to→ Node. Each edge is linked from both ends and has two
rows in Edge; a self-loop has one. In a directed graph, a node has two sets instead: ``outgoing`` (``to`` is the head)
and ``incoming`` (``to`` is the tail). Parallel edges of a multigraph are separate edges. Graph, node and edge data
become attributes; node names do not.

If the edges are the individuals, each edge is one row, so that it can have one label. An undirected edge has a set of
``ends``, a directed edge links ``from`` a node ``to`` a node.

The dictionaries of networkx are read column by column, without a loop over edges.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from operator import itemgetter, methodcaller
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from structtree.data.kinds import Overrides, Pieces, ValueMismatch, keys_of, quoted_value, values_of
from structtree.data.population import Adjacency, Column, Population, TypedTable, linked_population, typed_table
from structtree.data.provenance import Provenance
from structtree.data.readers.text_files import MISSING_WORDS, extension_of, open_text_file
from structtree.data.schema import Link
from structtree.errors import DataError, UsageError

__all__ = [
    "GRAPH_FILES",
    "GraphIndividual",
    "Wiring",
    "check_individual",
    "from_graphs",
    "graph_population",
    "is_of_graphs",
    "read_graphs",
]

GraphIndividual = Literal["Graph", "Node", "Edge"]
"""Types whose rows can be the individuals."""

GRAPH_FILES = (".graphml", ".gml")
"""The file extensions of the supported graph formats."""

_Attributes = Mapping[str, Any]

_BATCH = 256
"""Number of graphs per batch; their data fits into the CPU cache."""


def from_graphs(
    graphs: Iterable[Any], *, individual: GraphIndividual = "Graph", types: Mapping[str, str] | None = None
) -> Population:
    """Convert networkx graphs, either all directed or all undirected, to a population.

    Parameters
    ----------
    graphs : iterable of networkx graphs
    individual : {"Graph", "Node", "Edge"}
        Type of the individuals. For nodes or edges, the individuals are those of all graphs, in networkx order, and
        there is no type Graph.
    types : mapping, optional
        Kinds of attributes, such as ``{"Node.label": "nominal"}``.

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
    >>> from_graphs([water], individual="Edge").record(0, depth=1)
    {'order': 1, 'ends': [{'element': 'O', 'edges': '...'}, {'element': 'H', 'edges': '...'}]}
    """
    check_individual(individual)
    return _population(_checked(graphs), _Options(individual, Overrides(types or {})))


def read_graphs(
    path: str | os.PathLike[str],
    *,
    individual: GraphIndividual = "Graph",
    types: Mapping[str, str] | None = None,
    format: Literal["graphml", "gml"] | None = None,
    missing_words: Collection[str] = MISSING_WORDS,
) -> Population:
    """Read a GraphML or GML file, or a folder of files with one graph each, sorted by name.

    Parameters
    ----------
    path : path
    individual, types
        As in `from_graphs`.
    format : {"graphml", "gml"}, optional
        The format, if the file has another extension.
    missing_words : collection of str
        Strings that mark a missing value, besides the empty string.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "edge.gml"
    ...     _ = file.write_text("graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 ] ]")
    ...     read_graphs(file).table("Node").n_rows
    2
    """
    check_individual(individual)
    where = Path(path)
    files = sorted(p for p in where.iterdir() if extension_of(p) in GRAPH_FILES) if where.is_dir() else [where]
    if not files:
        raise DataError(f"the folder has no {' or '.join(GRAPH_FILES)} file", source=str(where))
    graphs = _checked([_read_graph(file, format) for file in files], files)
    for graph in graphs:
        _drop_missing(graph, {"", *missing_words})
    population = _population(graphs, _Options(individual, Overrides(types or {}), files))
    if individual != "Graph":
        return population
    names = {"file": [file.name for file in files]}
    return replace(population, provenance=Provenance(np.arange(len(files)), len(files), names))


def is_of_graphs(population: Population) -> bool:
    """Return whether the individuals are graphs.

    Examples
    --------
    >>> import networkx as nx
    >>> is_of_graphs(from_graphs([nx.path_graph(3)]))
    True
    """
    return population.schema.individual == "Graph" and {"Node", "Edge"} <= set(population.schema.names)


def check_individual(individual: str) -> None:
    """Raise `UsageError` if the individuals are not graphs, nodes or edges."""
    if individual not in get_args(GraphIndividual):
        raise UsageError(f"individual must be 'Graph', 'Node' or 'Edge' for graphs; got {individual!r}")


@dataclass(frozen=True, slots=True)
class _Options:
    """Options given by the caller, and the files of the graphs, if any."""

    individual: GraphIndividual
    overrides: Overrides
    files: Sequence[Path] | None = None


def _population(graphs: Sequence[Any], options: _Options) -> Population:
    names = ("Graph", "Node", "Edge") if options.individual == "Graph" else ("Node", "Edge")
    pieces = {name: Pieces() for name in names}
    wirings: list[Wiring] = []
    n_nodes = 0
    for first in range(0, len(graphs), _BATCH):
        block = _block(graphs[first : first + _BATCH], first, n_nodes)
        for name in names:
            _add_attributes(pieces[name], name, block, options)
        wirings.append(block.wiring)
        n_nodes += len(block.attributes["Node"])
    columns = {name: _columns(pieces[name]) for name in names}
    directed = graphs[0].is_directed()
    wiring = Wiring(*map(np.concatenate, zip(*wirings, strict=True)))
    population = graph_population(wiring, columns, directed=directed, individual=options.individual)
    options.overrides.check(population.schema)
    return population


# ---- networkx data ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Block:
    """A batch of graphs, with the attributes of graphs, nodes and edges, in node order."""

    graphs: Sequence[Any]
    first_graph: int
    first_node: int
    wiring: Wiring
    attributes: Mapping[str, list[_Attributes]]


def _block(graphs: Sequence[Any], first_graph: int, first_node: int) -> _Block:
    n_edges: list[int] = []
    heads: list[int] = []
    nodes: list[_Attributes] = []
    edges: list[_Attributes] = []
    for graph in graphs:
        adjacency = dict(graph.adjacency())
        around = list(map(adjacency.__getitem__, graph))
        seen = _edges_of_multigraph_nodes(around) if graph.is_multigraph() else _edges_of_nodes(around)
        start = first_node + len(nodes)
        row = dict(zip(graph, range(start, start + len(graph)), strict=True))
        n_edges.extend(seen.n_edges)
        heads.extend(map(row.__getitem__, seen.heads))
        nodes.extend(map(itemgetter(1), graph.nodes(data=True)))
        edges.extend(seen.attributes)
    wiring = Wiring(*(np.fromiter(numbers, np.int64) for numbers in (map(len, graphs), n_edges, heads)))
    attributes = {"Graph": [graph.graph for graph in graphs], "Node": nodes, "Edge": edges}
    return _Block(graphs, first_graph, first_node, wiring, attributes)


@dataclass(frozen=True, slots=True, eq=False)
class _NodeEdges:
    """Edges of the nodes of a graph, in node order."""

    n_edges: Iterable[int]
    heads: Iterable[Any]
    attributes: Iterable[_Attributes]


def _edges_of_nodes(around: Sequence[Any]) -> _NodeEdges:
    attributes = chain.from_iterable(map(methodcaller("values"), around))
    return _NodeEdges(map(len, around), chain.from_iterable(around), attributes)


def _edges_of_multigraph_nodes(around: Sequence[Any]) -> _NodeEdges:
    heads = [head for near in around for head, parallel in near.items() for _ in parallel]
    attributes = [edge for near in around for parallel in near.values() for edge in parallel.values()]
    return _NodeEdges([sum(map(len, near.values())) for near in around], heads, attributes)


def _checked(graphs: Iterable[Any], files: Sequence[Path] | None = None) -> list[Any]:
    import networkx as nx

    if isinstance(graphs, nx.Graph):
        raise UsageError("expected a list of graphs, got one graph; pass [graph]")
    known = list(graphs)
    if not known:
        raise DataError("expected at least one graph, got none")
    for i, graph in enumerate(known):
        if not isinstance(graph, nx.Graph):
            raise DataError(f"expected a networkx graph, got {quoted_value(graph)}", individual=i)
        if graph.is_directed() != known[0].is_directed():
            first, this = ("directed", "undirected") if known[0].is_directed() else ("undirected", "directed")
            message = f"expected {first} graphs like the first, got a graph that is {this}"
            source = str(files[i]) if files else None
            raise DataError(message, source=source, individual=i, fix="convert with to_directed() or to_undirected()")
    return known


def _read_graph(path: Path, format: str | None) -> Any:
    import networkx as nx

    format = extension_of(path)[1:] if format is None or extension_of(path) in GRAPH_FILES else format
    with open_text_file(path) as file:
        try:
            if format == "graphml":
                graph = nx.read_graphml(file)
                for default in ("node_default", "edge_default"):  # added by networkx
                    graph.graph.pop(default, None)
                return graph
            return nx.read_gml(file, label="id")
        except (nx.NetworkXException, SyntaxError, LookupError, ValueError, TypeError, RecursionError) as error:
            problem = " ".join(str(error).split())[:100] or type(error).__name__
            raise DataError(f"broken {format}: {problem}", source=str(path)) from None


def _drop_missing(graph: Any, missing: Collection[str]) -> None:
    """Replace strings that mark missing values with None."""
    nodes = (attributes for _, attributes in graph.nodes(data=True))
    edges = (attributes for _, _, attributes in graph.edges(data=True))
    for attributes in chain([graph.graph], nodes, edges):
        for name in [name for name, value in attributes.items() if isinstance(value, str) and value in missing]:
            attributes[name] = None


# ---- tables ----------------------------------------------------------------------------------------------


class Wiring(NamedTuple):
    """Nodes and edges of several graphs, as concatenated arrays.

    Parameters
    ----------
    n_nodes : array of int
        Number of nodes of each graph.
    n_edges : array of int
        Number of outgoing edges of each node; in undirected graphs, of all its edges.
    heads : array of int
        Other node of each of these edges.
    """

    n_nodes: NDArray[np.int64]
    n_edges: NDArray[np.int64]
    heads: NDArray[np.int64]

    @property
    def tails(self) -> NDArray[np.int64]:
        """First node of each edge."""
        return np.repeat(np.arange(len(self.n_edges)), self.n_edges)


def graph_population(
    wiring: Wiring,
    columns: Mapping[str, Mapping[str, Column]],
    *,
    directed: bool,
    individual: GraphIndividual = "Graph",
) -> Population:
    """Return the population of graphs, given their nodes, edges and attributes.

    Parameters
    ----------
    wiring : Wiring
    columns : mapping from type to columns
        One row per graph, node and edge of the wiring.
    directed : bool
        Whether edges have a direction; if not, the wiring has each edge at both ends.
    individual : {"Graph", "Node", "Edge"}

    Examples
    --------
    >>> path = Wiring(np.array([2]), np.array([1, 1]), np.array([1, 0]))
    >>> graph_population(path, {}, directed=False).record(0, depth=2)
    {'nodes': [{'edges': [{'to': '...'}]}, {'edges': [{'to': '...'}]}]}
    """
    node, edge = _nodes_and_edges(columns, wiring, directed, individual == "Edge")
    if individual != "Graph":
        return linked_population(individual, [edge, node] if individual == "Edge" else [node, edge])
    nodes = {Link("nodes", "set", "Node"): Adjacency.in_order(wiring.n_nodes)}
    graph = _typed("Graph", columns.get("Graph", {}), len(wiring.n_nodes), nodes)
    return linked_population(individual, [graph, node, edge])


_Columns = Mapping[str, Column]


def _nodes_and_edges(
    columns: Mapping[str, _Columns], wiring: Wiring, directed: bool, once: bool
) -> tuple[TypedTable, TypedTable]:
    """Return the tables of nodes and edges.

    An edge has two rows: one at each end, or one as outgoing and, sorted by head, one as incoming edge. With `once`,
    it has one row; an undirected edge then belongs to the end that comes first, as in networkx.
    """
    n_nodes, tails, heads = len(wiring.n_edges), wiring.tails, wiring.heads
    every = taken = np.arange(len(heads))
    leaving = Adjacency.in_order(wiring.n_edges)
    match directed, once:
        case True, True:
            of_node = {"outgoing": leaving, "incoming": Adjacency.grouped(heads, every, n_nodes)}
            of_edge = {"from": Adjacency.single(tails), "to": Adjacency.single(heads)}
        case True, False:
            by_head = np.argsort(heads, kind="stable")
            taken = np.concatenate([every, by_head])
            arriving = Adjacency.from_lengths(np.bincount(heads, minlength=n_nodes), every + len(every))
            of_node = {"outgoing": leaving, "incoming": arriving}
            of_edge = {"to": Adjacency.single(np.concatenate([heads, tails[by_head]]))}
        case False, True:
            taken = np.flatnonzero(heads >= tails)
            apart = np.flatnonzero(heads[taken] > tails[taken])  # a self-loop has one end
            edges = np.concatenate([np.arange(len(taken)), apart])
            ends = np.concatenate([tails[taken], heads[taken][apart]])
            of_node = {"edges": Adjacency.grouped(ends, edges, n_nodes)}
            of_edge = {"ends": Adjacency.grouped(edges, ends, len(taken))}
        case _:
            of_node, of_edge = {"edges": leaving}, {"to": Adjacency.single(heads)}
    own = columns.get("Edge", {})
    if taken is not every:
        own = {name: column.take(taken) for name, column in own.items()}
    to_edges = {Link(name, "set", "Edge"): links for name, links in of_node.items()}
    to_nodes = {Link(name, "set" if name == "ends" else "one", "Node"): links for name, links in of_edge.items()}
    node = _typed("Node", columns.get("Node", {}), n_nodes, to_edges)
    return node, _typed("Edge", own, len(taken), to_nodes)


def _columns(pieces: Pieces) -> dict[str, Column]:
    return {name: pieces.column(pieces.attribute(name)) for name in pieces.columns}


def _typed(name: str, columns: _Columns, n_rows: int, links: Mapping[Link, Adjacency]) -> TypedTable:
    for link in links:
        if link.name in columns:
            message = f"the attribute {link.name!r} of {name} has the same name as a link"
            raise DataError(message, fix="rename the attribute in the graphs")
    return typed_table(name, n_rows, columns, links)


def _add_attributes(pieces: Pieces, type_name: str, block: _Block, options: _Options) -> None:
    rows = block.attributes[type_name]
    chunk = pieces.add_chunk(len(rows))
    for key in keys_of(rows):
        if not isinstance(key, str) or not key:
            raise DataError(f"expected the name of an attribute of {type_name}, got {quoted_value(key)}")
        try:
            pieces.add(chunk, key, values_of(rows, key), options.overrides.declared_kind(type_name, key))
        except ValueMismatch as mismatch:
            raise _error(block, type_name, key, mismatch, options) from None


# ---- errors ---------------------------------------------------------------------------------------------


def _error(block: _Block, type_name: str, key: str, mismatch: ValueMismatch, options: _Options) -> DataError:
    node, path = mismatch.index, f".{key}"
    if type_name == "Edge":
        link = "outgoing" if block.graphs[0].is_directed() else "edges"
        head = int(block.wiring.heads[mismatch.index]) - block.first_node
        path = f".{link}[{_node_name(block, head)!r}]{path}"
        node = _owner(block.wiring.n_edges, mismatch.index)
    if type_name != "Graph":
        path = f".nodes[{_node_name(block, node)!r}]{path}"
    graph = block.first_graph + (node if type_name == "Graph" else _owner(block.wiring.n_nodes, node))
    return DataError(
        mismatch.message,
        source=None if options.files is None else str(options.files[graph]),
        path=f"${path}",
        individual={"Graph": graph, "Node": block.first_node + node}.get(options.individual),
        fix=mismatch.text_fix(key),
    )


def _node_name(block: _Block, node: int) -> Any:
    graph = _owner(block.wiring.n_nodes, node)
    return list(block.graphs[graph])[node - int(block.wiring.n_nodes[:graph].sum())]


def _owner(lengths: NDArray[np.int64], element: int) -> int:
    return int(np.searchsorted(np.cumsum(lengths), element, side="right"))
