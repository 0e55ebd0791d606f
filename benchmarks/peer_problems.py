"""Sets for ``peers.py``, in every form that a learner may want: records, a table, fingerprints, graphs, facts.

A table is made from linked rows without knowledge of the set: for each link the number of rows, and the sum, the
least and the greatest of each of their columns, categories as columns of 0 and 1, two links deep. Facts are those of
``aleph.py``; for srlearn, numbers become the tenth of their values that they are in.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aleph
import numpy as np
import pandas as pd
import relational
from datafiles import shared
from numpy.typing import NDArray

from structtree import Population, open_data, write_jsonl

Array = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class GraphForm:
    """The links and the attribute that make a graph of an individual."""

    nodes: str
    label: str
    edges: str


@dataclass(frozen=True, slots=True, eq=False)
class Peered:
    """A set with two classes and folds.

    Parameters
    ----------
    name : str
    population : Population
    labels, folds : arrays
        Whether each individual is positive, and the fold in which it is tested.
    graph : GraphForm, optional
    fingerprints : array, optional
    facts : str, optional
        The problem of ``aleph.py`` with the same individuals in the same order.
    is_nominal : bool
        Whether the individuals are rows of categories.
    """

    name: str
    population: Population
    labels: NDArray[np.bool_]
    folds: NDArray[np.int64]
    graph: GraphForm | None = None
    fingerprints: Array | None = None
    facts: str | None = None
    is_nominal: bool = False

    def __post_init__(self) -> None:
        if self.labels.all() or not self.labels.any():
            raise ValueError(f"{self.name}: expected individuals of both classes")

    @property
    def forms(self) -> frozenset[str]:
        """The forms that it has."""
        found = {"population", "table"}
        found |= {"graphs"} if self.graph is not None else set()
        found |= {"bits"} if self.fingerprints is not None else set()
        found |= {"facts"} if self.facts is not None else set()
        found |= {"nominal"} if self.is_nominal else set()
        return frozenset(found)


# ---- sets ------------------------------------------------------------------------------------------------


def of_facts(name: str, graph: GraphForm | None = None) -> Peered:
    """A problem of ``aleph.py``, whose positive examples are read first."""
    problem = aleph.PROBLEMS[name]()
    examples = np.array([f"{problem.target}({each})." for each in problem.examples])
    positives, negatives = ("\n".join(examples[which]) for which in (problem.labels, ~problem.labels))
    population = Population.from_facts(
        problem.facts, positives=positives, negatives=negatives, **(problem.options or {})
    )
    data, _ = population.split_target(problem.target)
    order = np.concatenate([np.flatnonzero(problem.labels), np.flatnonzero(~problem.labels)])
    return Peered(name, data[np.argsort(order)], problem.labels, problem.folds, graph, facts=name)


def opened(name: str, folder: str, positive: str, graph: GraphForm | None = None) -> Peered:
    data = open_data(shared(folder))
    labels = np.asarray(data.target).astype(str) == positive
    is_nominal = len(data.population.schema.types) == 1
    return Peered(name, data.population, labels, relational.at_random(labels), graph, is_nominal=is_nominal)


def votes() -> Peered:
    table = pd.read_csv(shared("uci/house-votes-84.data"), header=None, dtype=str).replace("?", "unknown")
    population = Population.from_frame(table.drop(columns=0).add_prefix("vote"))
    labels = (table[0] == "democrat").to_numpy()
    return Peered("votes", population, labels, relational.at_random(labels), is_nominal=True)


def bbbp(n: int = 400) -> Peered:
    """Whether molecules pass the blood-brain barrier; some of them, drawn at random."""
    import molecules

    task = next(task for task in molecules.TASKS if task.name == "BBBP")
    form = molecules.forms(task, n, with_descriptors=False)
    labels = form.target.astype(bool)
    graph = GraphForm("atoms", "element", "bonds")
    return Peered("BBBP", form.population, labels, relational.at_random(labels), graph, form.fingerprints)


def financial() -> Peered:
    task = relational.financial("financial", "'C', 'D'")
    labels = np.asarray(task.labels) == "D"
    return Peered("financial", task.population, labels, relational.at_random(labels))


PROBLEMS: dict[str, Callable[[], Peered]] = {
    "trains": lambda: of_facts("trains"),
    "mutagenesis": lambda: of_facts("mutagenesis", GraphForm("atm", "element", "bond")),
    "MUTAG": lambda: opened("MUTAG", "mutag", "1", GraphForm("nodes", "label", "edges")),
    "BBBP": bbbp,
    "financial": financial,
    "tic-tac-toe": lambda: opened("tic-tac-toe", "uci/tic-tac-toe.arff", "positive"),
    "votes": votes,
}


# ---- forms -----------------------------------------------------------------------------------------------


def write_forms(problem: Peered, folder: Path, limit: float) -> None:
    """Write a set in all its forms."""
    labels, folds = problem.labels.tolist(), problem.folds.tolist()
    known = None if problem.facts is None else aleph.PROBLEMS[problem.facts]()
    grammar = None if known is None else known.grammar
    about = {"labels": labels, "folds": folds, "facts": problem.facts, "grammar": grammar, "limit": limit}
    (folder / "about.json").write_text(json.dumps(about))
    write_jsonl(problem.population, folder / "population.jsonl")
    np.save(folder / "table.npy", joined(problem.population))
    if problem.fingerprints is not None:
        np.save(folder / "bits.npy", problem.fingerprints)
    if problem.graph is not None:
        (folder / "graphs.json").write_text(json.dumps(graphs_of(problem.population, problem.graph)))
    if problem.is_nominal:
        names = [attribute.name for attribute in problem.population.schema.types[0].attributes]
        rows = [problem.population.record(i) for i in range(len(problem.population))]
        pd.DataFrame([[str(row.get(name)) for name in names] for row in rows], columns=names).to_csv(
            folder / "nominal.csv", index=False
        )
    if known is not None:
        (folder / "facts.json").write_text(json.dumps(boosted_facts(known)))


def joined(population: Population, depth: int = 2) -> NDArray[np.float64]:
    """All individuals as rows of numbers."""
    name = population.schema.individual
    return _features(population, name, depth, frozenset())[population.individuals]


def _features(population: Population, name: str, depth: int, above: frozenset[str]) -> NDArray[np.float64]:
    record, table = population.schema.type(name), population.tables[name]
    blocks = [np.zeros((table.n_rows, 0))]
    for column in table.columns.values():
        if column.kind == "nominal":
            codes = np.asarray(column.values)
            used = np.flatnonzero(np.bincount(codes[codes >= 0], minlength=1))[:50]
            blocks.append((codes[:, None] == used).astype(float))
        else:
            blocks.append(np.where(column.missing, np.nan, column.values.astype(float))[:, None])
    for link in record.links if depth else ():
        if link.target in above | {name}:
            continue
        inner = _features(population, link.target, depth - 1, above | {name})
        adjacency = table.links[link.name]
        blocks += _aggregated(inner[adjacency.targets], adjacency.lengths)
    return np.hstack(blocks)


def _aggregated(rows: NDArray[np.float64], lengths: NDArray[np.int64]) -> list[NDArray[np.float64]]:
    """The number, sum, least and greatest of consecutive rows."""
    some, n_columns = np.flatnonzero(lengths), rows.shape[1]
    starts = (np.cumsum(lengths) - lengths)[some]
    found = [lengths[:, None].astype(float)]
    for reduce, empty in ((np.add, 0.0), (np.fmin, np.nan), (np.fmax, np.nan)):
        block = np.full((len(lengths), n_columns), empty)
        if len(some):
            block[some] = reduce.reduceat(np.nan_to_num(rows) if reduce is np.add else rows, starts, axis=0)
        found.append(block)
    return found


def graphs_of(population: Population, form: GraphForm) -> list[dict[str, Any]]:
    """The labels of the nodes of each individual, and the pairs of nodes that an edge joins."""
    top = population.tables[population.schema.individual].links[form.nodes]
    node_link = population.schema.type(population.schema.individual).link(form.nodes)
    assert node_link is not None
    nodes = population.tables[node_link.target]
    edge_link = population.schema.type(node_link.target).link(form.edges)
    assert edge_link is not None
    ends = population.tables[edge_link.target].links["to"].targets
    found = []
    for individual in population.individuals.tolist():
        own = top.of(individual).tolist()
        place = {node: i for i, node in enumerate(own)}
        leaving = [(node, int(ends[edge])) for node in own for edge in nodes.links[form.edges].of(node)]
        edges = [(place[node], place[end]) for node, end in leaving]
        labels = [str(nodes.columns[form.label].value(node)) for node in own]
        found.append({"labels": labels, "edges": edges})
    return found


# ---- facts for srlearn -----------------------------------------------------------------------------------

_FACT = re.compile(r"^\s*(\w+)\((.*)\)\s*\.", re.MULTILINE)
_DECIMAL = re.compile(r"-?\d+\.\d+")


def boosted_facts(problem: aleph.Problem) -> dict[str, Any]:
    """Facts, examples and modes in the words of srlearn."""
    rows = [(name, [each.strip() for each in text.split(",")]) for name, text in _FACT.findall(problem.facts)]
    numbers: dict[tuple[str, int], list[float]] = defaultdict(list)
    for name, arguments in rows:
        for place, argument in enumerate(arguments):
            if _DECIMAL.fullmatch(argument):
                numbers[name, place].append(float(argument))
    edges = {key: np.quantile(values, np.arange(1, 10) / 10) for key, values in numbers.items()}
    facts = [f"{name}({','.join(_tenths(name, arguments, edges))})." for name, arguments in rows]
    modes = [f"{problem.target}({problem.head})."]
    modes += [f"{mode.lstrip('*')}." for mode in _modes(problem) if "at_" not in mode]
    return {
        "facts": facts,
        "examples": [f"{problem.target}({each})." for each in problem.examples],
        "target": problem.target,
        "modes": modes,
    }


def _modes(problem: aleph.Problem) -> Sequence[str]:
    """The modes without the relations that rules define; a number has a constant for each tenth."""
    text = problem.modes.replace("bound(", "bond(").replace("-charge", "#charge")
    text = text.replace("-logp", "#logp").replace("-energy", "#energy")
    return [each.replace(" ", "") for each in re.split(r"\s{2,}|\n", text)]


def _tenths(name: str, arguments: Sequence[str], edges: dict[tuple[str, int], Array]) -> list[str]:
    return [
        f"tenth{int(np.searchsorted(edges[name, place], float(argument)))}"
        if _DECIMAL.fullmatch(argument)
        else argument
        for place, argument in enumerate(arguments)
    ]
