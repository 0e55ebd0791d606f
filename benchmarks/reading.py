"""How fast data is read, beside the floor of the same run: what the bare parser, or a bare copy, takes.

Run as ``python benchmarks/reading.py`` (about two minutes and 4 GB of memory), or with ``--quick`` (seconds).
All data is generated from a seed: small labelled graphs, as networkx objects and as JSON Lines, and a table of twenty
columns, as a pandas frame, a numpy array and a CSV file.

The floors: for JSON Lines ``orjson.loads`` of every line, its result dropped at once; for networkx one loop over the
attributes of all nodes and one over those of all edges; for CSV ``pandas.read_csv``; for the array and the 18 columns
of numbers and flags of the frame a numpy copy of as many bytes as the population has; for its two columns of text
``pandas.factorize``, which hashes each cell.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import orjson
import pandas as pd

from structtree.data.population import Population
from structtree.data.readers.graphs.reading import from_graphs
from structtree.data.readers.records.reading import read_jsonl, write_jsonl
from structtree.data.readers.tables.reading import from_array, from_frame, read_csv

ELEMENTS = np.array(["C", "N", "O", "S", "Cl"])


@dataclass(frozen=True, slots=True)
class Timing:
    source: str
    individuals: int
    rows: int
    n_bytes: int
    seconds: float
    floor: str
    floor_seconds: float


def main() -> None:
    arguments = parsed()
    n_graphs, n_rows = (2_000, 20_000) if arguments.quick else (arguments.graphs, arguments.rows)
    print(
        f"{n_graphs} graphs of about 20 nodes, a table of {n_rows} rows and 20 columns, seed {arguments.seed}, ",
        end="",
    )
    print(f"best of {arguments.repeats}\n")
    print(heading())
    rng = np.random.default_rng(arguments.seed)
    with tempfile.TemporaryDirectory() as folder:
        for timing in graph_timings(rng, n_graphs, Path(folder), arguments.repeats):
            print(line(timing), flush=True)
        for timing in table_timings(rng, n_rows, Path(folder), arguments.repeats):
            print(line(timing), flush=True)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--quick", action="store_true", help="a fiftieth of the data")
    parser.add_argument("--graphs", type=int, default=100_000, help="how many graphs (default 100000)")
    parser.add_argument("--rows", type=int, default=1_000_000, help="how many rows of the table (default 1000000)")
    parser.add_argument("--repeats", type=int, default=3, help="the best of how many runs counts (default 3)")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def heading() -> str:
    return (
        f"{'source':<12} {'seconds':>8} {'individuals/s':>14} {'rows/s':>12} {'bytes/row':>10} {'GB/s':>6}   "
        f"{'floor':<24} {'seconds':>8} {'ratio':>6}"
    )


def line(t: Timing) -> str:
    return (
        f"{t.source:<12} {t.seconds:8.2f} {t.individuals / t.seconds:14,.0f} {t.rows / t.seconds:12,.0f} "
        f"{t.n_bytes / t.rows:10.1f} {t.n_bytes / t.seconds / 1e9:6.2f}   "
        f"{t.floor:<24} {t.floor_seconds:8.2f} {t.seconds / t.floor_seconds:6.2f}"
    )


def timed(source: str, read: Callable[[], Population], floor: str, bare: Callable[[], Any], repeats: int) -> Timing:
    """The two take turns, so that a slow moment of the machine hits both."""
    seconds, floor_seconds = float("inf"), float("inf")
    for _ in range(repeats):
        floor_seconds = min(floor_seconds, taken(bare))
        seconds = min(seconds, taken(read))
    population = read()
    rows = sum(table.n_rows for table in population.tables.values())
    return Timing(source, len(population), rows, population.n_bytes, seconds, floor, floor_seconds)


def taken(action: Callable[[], Any]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


# ---- graphs ----------------------------------------------------------------------------------------------


def graph_timings(rng: np.random.Generator, n: int, folder: Path, repeats: int) -> Iterator[Timing]:
    graphs = [random_graph(rng) for _ in range(n)]
    yield timed("networkx", lambda: from_graphs(graphs), "loops over networkx", lambda: loop_over(graphs), repeats)
    path = folder / "graphs.jsonl"
    write_jsonl(from_graphs(graphs), path)
    graphs.clear()
    lines = path.read_bytes().splitlines()
    yield timed("JSON Lines", lambda: read_jsonl(path), "orjson.loads", lambda: parse_all(lines), repeats)


def random_graph(rng: np.random.Generator) -> nx.Graph[int]:
    """A random tree of 10 to 30 nodes with a few more edges: the shape of a small molecule."""
    n = int(rng.integers(10, 31))
    graph: nx.Graph[int] = nx.Graph(weight=float(rng.normal()))
    elements, charges = ELEMENTS[rng.integers(0, len(ELEMENTS), n)].tolist(), rng.normal(size=n).tolist()
    graph.add_nodes_from((i, {"element": elements[i], "charge": charges[i]}) for i in range(n))
    ends = [(i, int(rng.integers(0, i))) for i in range(1, n)] + [
        tuple(e) for e in rng.integers(0, n, (2, 2)).tolist()
    ]
    orders = rng.integers(1, 4, len(ends)).tolist()
    graph.add_edges_from((u, v, {"order": order}) for (u, v), order in zip(ends, orders, strict=True))
    return graph


def loop_over(graphs: list[nx.Graph[int]]) -> None:
    for graph in graphs:
        for _ in graph.nodes(data=True):
            pass
        for _ in graph.edges(data=True):
            pass


def parse_all(lines: list[bytes]) -> None:
    for text in lines:
        orjson.loads(text)


# ---- tables ----------------------------------------------------------------------------------------------


def table_timings(rng: np.random.Generator, n: int, folder: Path, repeats: int) -> Iterator[Timing]:
    frame = random_frame(rng, n)
    text = frame[[name for name in frame if name.startswith("category")]]
    numbers = frame.drop(columns=list(text))
    like = [column.values for column in from_frame(numbers).table("Row").columns.values()]
    cells = [text[name].to_numpy(dtype=object) for name in text]
    yield timed("frame (18)", lambda: from_frame(numbers), "numpy copy", lambda: [a.copy() for a in like], repeats)
    yield timed(
        "text (2)", lambda: from_frame(text), "pandas.factorize", lambda: [*map(pd.factorize, cells)], repeats
    )
    array = np.asfortranarray(rng.normal(size=(n, 20)))
    yield timed("array", lambda: from_array(array), "numpy copy", lambda: array.copy(order="F"), repeats)
    path = folder / "table.csv"
    frame.to_csv(path, index=False)
    yield timed("CSV", lambda: read_csv(path), "pandas.read_csv", lambda: pd.read_csv(path), repeats)


def random_frame(rng: np.random.Generator, n: int) -> pd.DataFrame:
    """Twelve columns of reals (one with gaps), four of whole numbers, two of flags, two of categories."""
    columns: dict[str, Any] = {f"real{i}": rng.normal(size=n) for i in range(12)}
    columns["real11"][rng.random(n) < 0.1] = np.nan
    columns |= {f"int{i}": rng.integers(0, 100, n) for i in range(4)}
    columns |= {f"flag{i}": rng.random(n) < 0.5 for i in range(2)}
    columns |= {f"category{i}": pd.Series(ELEMENTS[rng.integers(0, len(ELEMENTS), n)]) for i in range(2)}
    return pd.DataFrame(columns)


if __name__ == "__main__":
    main()
