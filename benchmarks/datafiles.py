"""Data files for benchmarks of the command line: generated nested data, and real data in a form that it reads.

A generator is a pure function of its size and seed. The rule that its labels follow, and what accuracy it has, stand
beside the file. Whatever needs ``../shared/data`` is None without it, after a line that says so.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from structtree import Attribute, Link, Population, RecordType, Schema, write_jsonl
from structtree.data.population import Adjacency, Column, Table
from structtree.data.readers.tables.reading import from_frame

__all__ = [
    "DataFile",
    "customers",
    "graphs",
    "hiv",
    "musk",
    "people",
    "shared",
    "spending",
    "table",
    "tu_folder",
    "wide_table",
]

SHARED = Path(__file__).resolve().parent.parent.parent / "shared" / "data"
CHANNELS = ("web", "shop", "phone")
CATEGORIES = ("books", "clothes", "food", "garden", "toys")
REGIONS = ("north", "south", "east", "west")
COLOURS = ("red", "green", "blue")
EYES = ("blue", "brown", "green")
CUSTOMER_NOISE = 0.03


@dataclass(frozen=True, slots=True)
class DataFile:
    """Data that the command can read.

    Parameters
    ----------
    name : str
    path : Path
        A file or a folder.
    options : tuple of str
        What the command must be told about it.
    planted : float or None
        The training accuracy of the rule that was planted.
    rule : str
    """

    name: str
    path: Path
    options: tuple[str, ...] = ()
    planted: float | None = None
    rule: str = ""


# ---- customers with orders with items --------------------------------------------------------------------


def customers(folder: Path, n: int, seed: int = 0) -> DataFile:
    """Customers who leave if some web order has a returned item of at least 40; 3 % of them do the opposite."""
    path = folder / f"customers-{n}.jsonl"
    rng = np.random.default_rng((seed, n))
    odd = np.zeros(n, dtype=np.bool_)
    odd[rng.permutation(n)[: round(CUSTOMER_NOISE * n)]] = True
    with path.open("w") as file:
        for i, record in enumerate(_customer_records(n, rng)):
            file.write(json.dumps({**record, "churn": bool(_leaves(record) != odd[i])}) + "\n")
    rule = "exists orders (channel = web and exists items (returned and price >= 40))"
    options = ("--target", "churn", "--ignore", "id")
    return DataFile(f"customers, {n:,}", path, options, 1.0 - float(odd.mean()), rule)


def spending(folder: Path, n: int, seed: int = 0) -> DataFile:
    """The same customers with a number to predict: most of it is what their web orders came to."""
    path = folder / f"spending-{n}.jsonl"
    rng = np.random.default_rng((seed, n))
    with path.open("w") as file:
        for record in _customer_records(n, rng):
            spent = sum(order["total"] for order in record["orders"] if order["channel"] == "web")
            file.write(json.dumps({**record, "value": round(spent + rng.normal(0.0, 10.0), 2)}) + "\n")
    return DataFile(f"spending, {n:,}", path, ("--target", "value", "--ignore", "id"))


def _customer_records(n: int, rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    for i in range(n):
        orders = [_order(rng) for _ in range(rng.poisson(3.0))]
        age, region = int(rng.integers(18, 90)), REGIONS[rng.integers(len(REGIONS))]
        yield {"id": f"c{i:06}", "age": age, "region": region, "orders": orders}


def _order(rng: np.random.Generator) -> dict[str, Any]:
    n = 1 + int(rng.poisson(1.5))
    prices, returned = np.round(rng.exponential(38.0, n), 2), rng.random(n) < 0.3
    kinds = rng.integers(len(CATEGORIES), size=n)
    items = [
        {"price": float(price), "returned": bool(back), "category": CATEGORIES[kind]}
        for price, back, kind in zip(prices, returned, kinds, strict=True)
    ]
    channel, days = CHANNELS[rng.choice(3, p=(0.4, 0.4, 0.2))], int(rng.integers(0, 365))
    return {"channel": channel, "days": days, "total": round(float(prices.sum()), 2), "items": items}


def _leaves(customer: dict[str, Any]) -> bool:
    return any(
        item["returned"] and item["price"] >= 40
        for order in customer["orders"]
        if order["channel"] == "web"
        for item in order["items"]
    )


# ---- graphs and people -----------------------------------------------------------------------------------


def graphs(folder: Path, *, directed: bool, n: int = 120, seed: int = 0) -> DataFile:
    """Graphs half of which have one edge, or two, with ``w >= 9``, and nothing else to tell them apart."""
    rng = np.random.default_rng((seed, n, directed))
    labels = np.arange(n) % 2 == 0
    population = Population.from_graphs([_graph(bool(heavy), directed, rng) for heavy in labels])
    link, name = ("outgoing", "directed") if directed else ("edges", "undirected")
    options = ("--target", "heavy")
    rule = f"exists nodes (exists {link} (w >= 9))"
    path = _written(population, "heavy", labels, folder / f"{name}.jsonl")
    return DataFile(f"graphs, {name}", path, options, 1.0, rule)


def _graph(heavy: bool, directed: bool, rng: np.random.Generator) -> Any:
    import networkx as nx

    graph: Any = nx.DiGraph() if directed else nx.Graph()
    n = int(rng.integers(8, 13))
    for node in range(n):
        graph.add_node(node, colour=COLOURS[rng.integers(3)], size=round(float(rng.normal(5.0, 2.0)), 2))
    for _ in range(2 * n):
        tail, head = rng.choice(n, size=2, replace=False).tolist()
        graph.add_edge(tail, head, w=int(rng.integers(0, 9)), kind=COLOURS[rng.integers(3)])
    edges = list(graph.edges)
    for place in rng.choice(len(edges), size=rng.integers(1, 3), replace=False) if heavy else ():
        graph.edges[edges[place]]["w"] = int(rng.integers(9, 12))
    return graph


def people(folder: Path, n: int = 200, seed: int = 0) -> DataFile:
    """People with parents and grandparents; what decides is one grandfather, if the mother is as she should be."""
    rng = np.random.default_rng((seed, n))
    sizes = (n, 3 * n // 4, 3 * n // 4)
    n_rows = sum(sizes)
    eyes, smoker = rng.choice(3, n_rows, p=(0.6, 0.3, 0.1)), rng.random(n_rows) < 0.6
    columns = {
        "age": Column("int", rng.integers(20, 90, n_rows).astype(np.float64)),
        "height": Column("real", np.round(rng.normal(1.7, 0.1, n_rows), 2)),
        "smoker": Column("bool", smoker.astype(np.int8)),
        "eyes": Column("nominal", eyes.astype(np.int32), EYES),
    }
    mothers, fathers = _parents(sizes, 0, rng), _parents(sizes, 1, rng)
    links = {"mother": _references(mothers, n_rows), "father": _references(fathers, n_rows)}
    attributes = tuple(Attribute(name, column.kind) for name, column in columns.items())
    schema = Schema(
        (RecordType("Person", attributes, tuple(Link(k, "optional", "Person") for k in links)),), "Person"
    )
    population = Population(schema, {"Person": Table(n_rows, columns, links)}, np.arange(n))
    labels = (eyes[mothers[:n]] == 0) & smoker[fathers[mothers[:n]]]
    path = _written(population, "ill", labels, folder / f"people-{n}.jsonl")
    return DataFile(f"people, {n}", path, ("--target", "ill"), 1.0, "mother (eyes = blue and father.smoker)")


def _parents(sizes: tuple[int, ...], half: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """For everybody but the oldest generation a row of the next one, from its first or second half."""
    starts = np.cumsum((0, *sizes))
    chosen = [
        starts[i + 1] + half * (sizes[i + 1] // 2) + rng.integers(0, sizes[i + 1] // 2, sizes[i])
        for i in range(len(sizes) - 1)
    ]
    return np.concatenate(chosen)


def _references(targets: NDArray[np.int64], n_rows: int) -> Adjacency:
    """The first rows refer to these, the others to nothing."""
    return Adjacency.from_lengths(np.arange(n_rows) < len(targets), targets)


def _written(population: Population, target: str, labels: NDArray[Any], path: Path) -> Path:
    write_jsonl(population.with_target(target, labels), path)
    return path


# ---- tables ----------------------------------------------------------------------------------------------


def wide_table(folder: Path, n: int = 500, columns: int = 20_000, seed: int = 0) -> DataFile:
    """A table with far more columns than rows."""
    return table(folder, n, columns, seed)


def table(folder: Path, n: int, columns: int, seed: int = 0) -> DataFile:
    """Whole numbers below 1,000; the first column decides, but for a tenth of the rows."""
    rng = np.random.default_rng((seed, n, columns))
    frame = pd.DataFrame(rng.integers(0, 1000, (n, columns)), columns=[f"x{i}" for i in range(columns)])
    high = (frame["x0"] >= 600) != (rng.random(n) < 0.1)
    path = folder / f"table-{n}-{columns}.csv"
    frame.assign(label=np.where(high, "high", "low")).to_csv(path, index=False)
    return DataFile(f"table, {n:,} x {columns:,}", path, ("--target", "label"))


# ---- real data -------------------------------------------------------------------------------------------


def shared(name: str) -> Path | None:
    path = SHARED / name
    if path.exists():
        return path
    print(f"skipped: there is no ../shared/data/{name} beside the repository")
    return None


def tu_folder(name: str) -> DataFile | None:
    path = shared(name)
    return None if path is None else DataFile(name, path)


def hiv(folder: Path, n: int = 5000) -> DataFile | None:
    """The first molecules of HIV; RDKit cannot read one or two of them."""
    path = shared("molnet/hiv.csv.gz")
    if path is None:
        return None
    made = folder / f"hiv-{n}.csv"
    with gzip.open(path, "rt") as source, made.open("w") as file:
        file.writelines(islice(source, n + 1))
    return DataFile(f"HIV, first {n:,}", made, ("--target", "HIV_active", "--skip-bad"))


def musk(folder: Path) -> DataFile | None:
    """Musk-1: 92 molecules as sets of conformations with 166 features."""
    path = shared("musk/clean1.data.gz")
    if path is None:
        return None
    with gzip.open(path, "rt") as file:
        rows = [line.strip().rstrip(".").split(",") for line in file]
    columns: dict[str, Any] = {"molecule": [row[0] for row in rows]}
    columns["musk"] = ["yes" if float(row[-1]) else "no" for row in rows]
    columns |= {f"f{i}": [int(row[1 + i]) for row in rows] for i in range(1, 167)}
    population = from_frame(pd.DataFrame(columns), individual="Molecule", group="molecule", link="conformations")
    write_jsonl(population, folder / "musk.jsonl")
    return DataFile("musk", folder / "musk.jsonl", ("--target", "musk"))
