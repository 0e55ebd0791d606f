"""Frequent patterns beside mlxtend and gspan-mining; run with `python benchmarks/patterns.py`.

Both are installed from the package index into a virtual environment in a temporary folder, unless ``--python`` names
a Python that has them. ``--quick`` uses fewer baskets. Seconds are those of the processor.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from structtree import Population, load_dataset, patterns
from structtree.lang import syntax as syn

HERE = Path(__file__).resolve().parent
NEEDED = ("mlxtend", "gspan-mining")

ITEMS = 100
SUPPORT, GRAPH_SUPPORT = 0.01, 0.3

MOST_NODES = 3
"""Maximum length of paths: the space also has all incomplete descriptions of each path, and pairs of paths."""

PATHS = """
link onward: Edge -> set of Edge = to.edges where not (to (exists edges (me)))
refine Graph {{ top -> exists nodes (top) }}
refine Node {{ top -> label = *; top -> exists edges (top); top -> top and top max 2 }}
refine Edge {{ top -> label = *; top -> to.label = *; top -> exists onward (top); top -> top and top max 3 }}
limits {{ literals {literals}, nesting {nesting} }}
"""
"""Walks that never return over the edge that they came by: simple paths, if shorter than the shortest cycle."""


class Shopping(NamedTuple):
    """How baskets are generated."""

    name: str
    popularity: float
    decay: float
    groups: int


SHOPS = (Shopping("5.5 items each", 0.35, 0.7, 20), Shopping("12 items each", 0.5, 0.45, 40))


def baskets(n: int, shop: Shopping) -> NDArray[np.bool_]:
    """Return baskets of items with falling popularity, some of which are bought together."""
    rng = np.random.default_rng(0)
    popularity = shop.popularity / np.arange(1, ITEMS + 1) ** shop.decay
    bought = rng.random((n, ITEMS), dtype=np.float32) < popularity.astype(np.float32)
    for _ in range(shop.groups):
        items, who = rng.choice(ITEMS, 4, replace=False), rng.random(n) < 0.03
        for item in items:
            bought[:, item] |= who & (rng.random(n) < 0.8)
    return bought


def run_other(python: Path, script: str, *given: object) -> dict[str, Any]:
    """Run a script of another environment, and return the object that it prints."""
    command = [str(python), str(HERE / script), *map(str, given)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


# ---- item sets ----------------------------------------------------------------------------------------------------


def compare_item_sets(python: Path, folder: Path, n: int) -> None:
    """Compare the item sets in generated baskets with those of fpgrowth."""
    grammar = "refine Row { top -> * }"
    small = pd.DataFrame(np.ones((64, ITEMS), dtype=bool)).rename(columns=str)
    patterns(small, grammar=grammar, support=64, literals=2)  # compiles
    for shop in SHOPS:
        bought = baskets(n, shop)
        path = folder / "baskets.npy"
        np.save(path, bought)
        theirs = run_other(python, "fpgrowth_side.py", path, SUPPORT)
        frame = pd.DataFrame(bought).rename(columns=lambda item: f"i{item}")
        started = time.process_time()
        found = patterns(frame, grammar=grammar, support=SUPPORT, literals=ITEMS)
        seconds = time.process_time() - started
        ours = {tuple(sorted(int(item.attribute[1:]) for item in each.literals)): each.n for each in found}
        same = ours == {tuple(items): count for items, count in theirs["sets"]}
        ratio = theirs["seconds"] / seconds
        print(
            f"{n:,} baskets, {shop.name}: {len(ours):,} item sets of at least {SUPPORT:.0%}, "
            f"{'the same' if same else 'NOT THE SAME'}; {seconds:.2f} s, fpgrowth {theirs['seconds']:.2f} s, "
            f"ratio {ratio:.1f} (at least 1)",
            flush=True,
        )


# ---- subgraphs ----------------------------------------------------------------------------------------------------


def write_graphs(population: Population, path: Path) -> None:
    """Write graphs with labelled nodes and edges in the format of gSpan."""
    nodes, edges = population.tables["Node"], population.tables["Edge"]
    members, incident = population.tables["Graph"].links["nodes"], nodes.links["edges"]
    ends = edges.links["to"].first_targets
    kinds, bonds = nodes.columns["label"], edges.columns["label"]
    lines = []
    for graph in range(len(population)):
        mine = members.targets[members.offsets[graph] : members.offsets[graph + 1]].tolist()
        place = {node: k for k, node in enumerate(mine)}
        lines += [f"t # {graph}", *(f"v {place[node]} {kinds.categories[kinds.values[node]]}" for node in mine)]
        for node in mine:
            for edge in incident.targets[incident.offsets[node] : incident.offsets[node + 1]].tolist():
                end = int(ends[edge])
                if node < end:
                    lines.append(f"e {place[node]} {place[end]} {bonds.categories[bonds.values[edge]]}")
    path.write_text("\n".join([*lines, "t # -1", ""]), encoding="utf-8")


def labels_of_path(predicate: syn.Predicate) -> tuple[str, ...] | None:
    """Return the labels along the path that a predicate describes completely; None if a label is missing."""
    match predicate:
        case syn.Exists("nodes", inner):
            return _from_node(inner)
        case _:
            return None


def _parts(predicate: syn.Predicate) -> Iterable[syn.Predicate]:
    return predicate.parts if isinstance(predicate, syn.And) else (predicate,)


def _from_node(predicate: syn.Predicate) -> tuple[str, ...] | None:
    label, rest = None, None
    for part in _parts(predicate):
        match part:
            case syn.Compare("label", "=", str() as found):
                label = found
            case syn.Exists("edges", inner):
                rest = _from_edge(inner)
                if rest is None:
                    return None
    return None if label is None else (label, *(rest or ()))


def _from_edge(predicate: syn.Predicate) -> tuple[str, ...] | None:
    bond, label, rest = None, None, ()
    for part in _parts(predicate):
        match part:
            case syn.Compare("label", "=", str() as found):
                bond = found
            case syn.Follow("to", syn.Compare("label", "=", str() as found)):
                label = found
            case syn.Exists("onward", inner):
                further = _from_edge(inner)
                if further is None:
                    return None
                rest = further
    return None if bond is None or label is None else (bond, label, *rest)


def path_of(labels: list[str], edges: list[tuple[int, int, str]]) -> tuple[str, ...] | None:
    """Return the labels along a tree that is a path, in the direction that sorts first; None for other trees."""
    beside: dict[int, list[tuple[int, str]]] = {v: [] for v in range(len(labels))}
    for v, to, label in edges:
        beside[v].append((to, label))
        beside[to].append((v, label))
    if max(map(len, beside.values())) > 2:
        return None
    at, before, found = next(v for v in beside if len(beside[v]) < 2), -1, []
    while at != -1:
        found.append(labels[at])
        onward = [(to, label) for to, label in beside[at] if to != before]
        before, at = at, onward[0][0] if onward else -1
        found += [onward[0][1]] if onward else []
    return min(tuple(found), tuple(reversed(found)))


def compare_paths(python: Path, folder: Path) -> None:
    """Compare the paths that are frequent in MUTAG with those of gspan-mining."""
    mutag = load_dataset("mutag").population
    path = folder / "mutag.gspan"
    write_graphs(mutag, path)
    least = -(-GRAPH_SUPPORT * len(mutag) // 1)
    for nodes in range(2, MOST_NODES + 1):
        theirs = run_other(python, "gspan_side.py", path, int(least), nodes)
        expected = {}
        for labels, edges, support in theirs["trees"]:
            along = path_of(labels, edges)
            if along is not None:
                expected[along] = support
        grammar = PATHS.format(literals=2 + 4 * (nodes - 1), nesting=1 + 2 * (nodes - 1))
        started = time.process_time()
        found = patterns(mutag, grammar=grammar, support=GRAPH_SUPPORT)
        seconds = time.process_time() - started
        ours = {}
        for each in found:
            along = labels_of_path(each.predicate)
            if along is not None:
                ours[min(along, tuple(reversed(along)))] = each.n
        same = "the same" if ours == expected else "NOT THE SAME"
        print(
            f"mutag, up to {nodes} nodes: {len(ours)} paths of {len(found):,} patterns, {same}; {seconds:.2f} s, "
            f"gspan-mining {theirs['seconds']:.2f} s for {theirs['patterns']} subgraphs, "
            f"{len(theirs['trees'])} of them trees",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="*", default=["baskets", "graphs"], help="baskets, graphs; both by default")
    parser.add_argument("--python", type=Path, help="a Python with mlxtend and gspan-mining")
    parser.add_argument("--quick", action="store_true", help="100,000 baskets")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        python = given.python
        if python is None:
            venv.create(folder / "venv", with_pip=True)
            python = folder / "venv" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
            subprocess.run([python, "-m", "pip", "install", "-q", *NEEDED], check=True)
        if "baskets" in given.what:
            compare_item_sets(python, folder, 100_000 if given.quick else 1_000_000)
        if "graphs" in given.what:
            compare_paths(python, folder)


if __name__ == "__main__":
    main()
