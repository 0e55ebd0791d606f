"""Trees over graphs: how good, how large, how fast, on real sets.

Run as ``python benchmarks/graphs.py`` (several minutes), with some of ``mutag mutagenesis musk large`` to run only
those, or with ``--quick`` for one repetition. Real data is read from ``../shared/data`` beside the repository. The
settings were chosen by looking at folds of the same sets, so that the figures are a little optimistic.
"""

from __future__ import annotations

import argparse
import gzip
import re
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from measuring import peak_megabytes
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from structtree import Grammar, Population, Tree, grow, open_data
from structtree.data.readers.tables.reading import from_frame
from structtree.models.leaves import decisions, means
from structtree.models.settings import Growth
from structtree.space.background import with_background

SHARED = Path(__file__).resolve().parent.parent.parent / "shared" / "data"

MUTAGENESIS = """
refine Molecule { top -> * >= *; top -> count atoms (top) >= * }
refine Atom {
    top -> * = *; top -> charge >= quantiles(5); top -> charge <= quantiles(5)
    top -> exists bonds (top); top -> top and top max 2
}
refine Bond { top -> * = *; top -> to (top) }
limits { nesting 3, literals 4 }
"""
# Exact thresholds: that some conformation has so much, and that all of them have.
MUSK = """
refine Individual {
    top -> max conformations.f* >= *
    top -> min conformations.f* >= *
}
"""


def told(tree: Tree, population: Population) -> NDArray[Any]:
    """What a tree says of each individual."""
    leaves = tree.apply(population)
    if not tree.classes:
        return means(tree)[leaves]
    return np.array(tree.classes, dtype=object)[decisions(tree)[leaves]]


def folds(
    name: str,
    population: Population,
    target: NDArray[Any],
    grammar: Grammar,
    growth: Growth,
    criterion: str,
    repeats: int,
    n_folds: int = 10,
) -> None:
    """Cross-validate and print mean and standard deviation of the folds, leaves, and seconds a fit."""
    scores, leaves, seconds = [], [], []
    population = with_background(population, grammar, {})
    for seed in range(repeats):
        cut = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
        for train, test in cut.split(np.zeros(len(target)), target.astype(str)):
            started = time.perf_counter()
            tree = grow(population.take(train), target[train], grammar, growth, criterion=criterion)
            seconds.append(time.perf_counter() - started)
            scores.append((told(tree, population.take(test)) == target[test]).mean())
            leaves.append(len(tree.leaves))
    print(
        f"{name}: accuracy {np.mean(scores):.3f} ± {np.std(scores):.3f}, {np.mean(leaves):.1f} leaves, "
        f"{np.median(seconds):.2f} s a fit ({repeats} x {n_folds} folds, {criterion})",
        flush=True,
    )


# ---- the sets -------------------------------------------------------------------------------------------


def mutag(repeats: int) -> None:
    opened = open_data(SHARED / "mutag")
    growth = Growth(max_leaf_nodes=12)
    folds("MUTAG", opened.population, opened.target, Grammar.load("graphs"), growth, "gini", repeats)


def facts(name: str) -> list[list[str]]:
    """The arguments of all ground facts in a file."""
    text = (SHARED / "mutagenesis" / name).read_text()
    return [re.split(r"\s*,\s*", arguments) for arguments in re.findall(r"\w+\(([^)]*)\)\s*\.", text)]


def molecules() -> tuple[Population, NDArray[Any], NDArray[np.float64], NDArray[np.int64]]:
    """The 188 compounds as records, their classes, their activities and their folds."""
    examples = pd.read_csv(SHARED / "mutagenesis" / "examples_188.csv")
    atoms: dict[str, dict[str, dict[str, Any]]] = defaultdict(dict)
    bonds: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    for fact in facts("atom_bond.pl"):
        if len(fact) == 5:
            molecule, atom, element, kind, charge = fact
            atoms[molecule][atom] = {"element": element, "kind": kind, "charge": float(charge), "bonds": []}
        else:
            bonds[fact[0]].append((fact[1], fact[2], fact[3]))
    numbers = {file: {m: float(v) for m, v in facts(f"{file}.pl")} for file in ("logp", "lumo", "log_mutag")}
    graphs = []
    for name in examples["molecule"]:
        graph = {"id": name, **{key: numbers[key].get(name) for key in ("logp", "lumo")}}
        graphs.append((graph, atoms[name], bonds[name]))
    target = examples["class"].to_numpy(dtype=object)
    activity = np.array([numbers["log_mutag"][name] for name in examples["molecule"]])
    return linked(graphs), target, activity, examples["fold"].to_numpy()


def linked(graphs: list[tuple[dict[str, Any], dict[str, dict[str, Any]], list[tuple[str, str, str]]]]) -> Population:
    """Molecules with atoms and bonds, by way of networkx."""
    import networkx as nx

    made = []
    for graph, atoms, bonds in graphs:
        one = nx.Graph(logp=graph["logp"], lumo=graph["lumo"])
        for atom, values in atoms.items():
            one.add_node(atom, **{key: values[key] for key in ("element", "kind", "charge")})
        one.add_edges_from((a, b, {"order": order}) for a, b, order in bonds)
        made.append(one)
    return Population.from_graphs(made)


def mutagenesis(repeats: int) -> None:
    population, target, activity, fold = molecules()
    text = MUTAGENESIS.replace("Molecule", "Graph").replace("Atom", "Node").replace("Bond", "Edge")
    grammar = Grammar.parse(text.replace("atoms", "nodes").replace("bonds", "edges"))
    for name, labels, growth in (
        ("classes", target, Growth(max_leaf_nodes=8)),
        ("activity", activity, Growth(max_leaf_nodes=12)),
    ):
        said: NDArray[Any] = np.empty(len(labels), dtype=labels.dtype)
        leaves = []
        started = time.perf_counter()
        for k in np.unique(fold):
            train, test = fold != k, fold == k
            criterion = "gini" if name == "classes" else "mse"
            tree = grow(population.take(train), labels[train], grammar, growth, criterion=criterion)
            said[test] = told(tree, population.take(test))
            leaves.append(len(tree.leaves))
        seconds = (time.perf_counter() - started) / len(leaves)
        if name == "classes":
            score = f"accuracy {(said == labels).mean():.3f}"
        else:
            score = f"R² {1 - ((labels - said) ** 2).sum() / ((labels - labels.mean()) ** 2).sum():.3f}"
        print(
            f"mutagenesis 188, {name}: {score}, {np.mean(leaves):.1f} leaves, {seconds:.2f} s a fit "
            "(its own 10 folds)"
        )


def musk(repeats: int) -> None:
    with gzip.open(SHARED / "musk" / "clean1.data.gz", "rt") as file:
        frame = pd.read_csv(file, header=None)
    frame.columns = ["molecule", "conformation", *(f"f{i}" for i in range(1, 167)), "class"]
    classes = frame.groupby("molecule", sort=False)["class"].first()
    target = np.where(classes.to_numpy(dtype=float) > 0, "musk", "non-musk").astype(object)
    table = frame.drop(columns=["conformation", "class"])
    population = from_frame(table, group="molecule", link="conformations")
    folds("Musk-1", population, target, Grammar.parse(MUSK), Growth(), "entropy", repeats)


def large(repeats: int) -> None:
    for name in ("nci1", "mutagenicity"):
        opened = open_data(SHARED / name)
        growth = Growth(max_depth=5, time_limit=60)
        started = time.perf_counter()
        tree = grow(opened.population, opened.target, Grammar.load("graphs"), growth, criterion="gini")
        seconds = time.perf_counter() - started
        evaluated = sum(getattr(node, "found", None).evaluated for node in tree.nodes if hasattr(node, "found"))
        peak = peak_megabytes()
        print(f"{name}: {seconds:.1f} s, {evaluated:,} tests tried, peak memory so far {peak:.0f} MB", flush=True)
        folds(name, opened.population, opened.target, Grammar.load("graphs"), growth, "gini", 1, 5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", help="of mutag, mutagenesis, musk, large; all by default")
    parser.add_argument("--quick", action="store_true", help="one repetition")
    options = parser.parse_args()
    if not SHARED.exists():
        print("skipped: ../shared/data is not there")
        return
    parts = {"mutag": mutag, "mutagenesis": mutagenesis, "musk": musk, "large": large}
    for part in options.parts or parts:
        parts[part](1 if options.quick else 10)


if __name__ == "__main__":
    main()
