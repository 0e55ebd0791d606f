"""How much of a space a proved search evaluates, by criterion and bound.

    python benchmarks/bounds.py                 # everything, half an hour on a busy machine
    python benchmarks/bounds.py musk            # proved splits of the 1.6 billion tests of Musk-1
    python benchmarks/bounds.py depth --dry     # print the table, write nothing

Ng and Lloyd have bounds for accuracy and for the squared error, and doubt that there is one for entropy. ``musk``
proves the best split of their largest space by each criterion. The other benchmarks search small planted problems,
and change one property at a time: ``classes``, ``noise``, and ``depth``, the number of tests that a predicate may
combine. ``grammars`` searches the spaces of shipped grammars.

Each criterion is searched with its own bound, which is exact, and with weaker ones:

* *no branch*: the impurity of the no branch alone, which refinements can only raise. For the squared error this is
  Proposition 16 of the paper.
* *accuracy*: for acc*, the bound of the paper, which ignores entropy, so that it cannot prune ties.

All of them find the same score, which is checked. Problems are drawn from seeds, and shares are means over them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from result_files import Cell, ResultTable, run_benchmarks
from search import musk

from structtree.data.datasets.catalog import load_dataset
from structtree.data.population import Population
from structtree.lang.grammar import Grammar
from structtree.lang.pretty import pretty
from structtree.report.effort import compare_effort
from structtree.report.paper import relabelled
from structtree.search.best_split import Split, best_split
from structtree.space.space import Space
from structtree.tasks.criteria import CRITERIA, Criterion

SEEDS = (0, 1, 2)
VALUES = 3
CLASSIFYING = ("acc*", "entropy", "gini", "gain-ratio")
COLUMNS = ("criterion", "bound", "space", "evaluated", "percent", "seconds")


# ---- weaker bounds ---------------------------------------------------------------------------------------


class _NoBranch(Criterion):
    """A criterion with the impurity of the no branch as its bound."""

    def __init__(self, base: Criterion) -> None:
        self.base, self.name, self.task, self.least = base, f"{base.name} (no branch)", base.task, base.least

    def impurity(self, sides: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.base.impurity(sides)

    def loss(self, yes: ArrayLike, total: ArrayLike) -> NDArray[np.float64]:
        return self.base.loss(yes, total)

    def bound(self, yes: ArrayLike, total: ArrayLike) -> NDArray[np.float64]:
        some, whole = self.sides(yes, total)
        found = self.base.impurity(whole - some) / self.weight(whole)
        return found if found.ndim == 2 else np.stack([found, np.zeros(len(found))], axis=1)

    def score(self, loss: float) -> float:
        return self.base.score(loss)


class _AccuracyAlone(_NoBranch):
    """Acc* with the bound for accuracy, which says nothing about ties."""

    def bound(self, yes: ArrayLike, total: ArrayLike) -> NDArray[np.float64]:
        found = CRITERIA["accuracy"].bound(yes, total)
        return np.stack([found[:, 0], np.zeros(len(found))], axis=1)


def bounds_of(name: str) -> Iterator[tuple[str, Criterion]]:
    """Yield the bounds of a criterion by name, the exact one first."""
    base = CRITERIA[name]
    yield "exact", base
    if name == "acc*":
        yield "accuracy", _AccuracyAlone(base)
    if name != "gain-ratio":  # the impurity of a branch does not bound a quotient
        yield "no branch", _NoBranch(base)


# ---- planted problems ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Planted:
    """Sets of rows with nominal attributes; a class belongs to the individuals with a row that satisfies its rule."""

    classes: int = 2
    noise: float = 0.1
    depth: int = 4
    rule: int = 3
    """Number of tests in each rule."""
    individuals: int = 200
    rows: int = 12
    attributes: int = 10

    def draw(self, seed: int) -> tuple[Population, NDArray[Any]]:
        """Return the individuals and their classes."""
        rng = np.random.default_rng([seed, self.classes, self.rule])
        values = rng.integers(VALUES, size=(self.individuals, self.rows, self.attributes))
        labels = np.zeros(self.individuals, dtype=np.int64)
        for label in range(1, self.classes):
            chosen = rng.choice(self.attributes, size=self.rule, replace=False)
            wanted = rng.integers(VALUES, size=self.rule)
            labels[(values[:, :, chosen] == wanted).all(axis=2).any(axis=1)] = label
        wrong = rng.permutation(self.individuals)[: round(self.noise * self.individuals)]
        labels[wrong] = (labels[wrong] + rng.integers(1, self.classes, size=len(wrong))) % self.classes
        records = [
            {"rows": [{f"a{i}": "pqr"[value] for i, value in enumerate(row)} for row in rows]}
            for rows in values.tolist()
        ]
        population = Population.from_records(records, individual="Case", types={"rows": "set"})
        return population, np.array([f"class {label}" for label in labels])

    def grammar(self, population: Population) -> Grammar:
        """Return the grammar of conjunctions about one row."""
        row = population.schema.type("Case").links[0].target
        both = f"top -> top and top max {self.depth}"
        return Grammar.parse(f"refine Case {{ top -> exists rows (top) }} refine {row} {{ top -> * = *; {both} }}")

    def space(self, population: Population) -> Space:
        """Return the space of this grammar."""
        return Space.build(self.grammar(population), population)


def searched(problem: Planted, criteria: Sequence[str]) -> Iterator[tuple[Cell, ...]]:
    """Yield the mean cost of a proved search of a problem, for each criterion and bound."""
    drawn = [problem.draw(seed) for seed in SEEDS]
    spaces = [problem.space(population) for population, _ in drawn]
    for name in criteria:
        scores: dict[int, float] = {}
        for label, criterion in bounds_of(name):
            found: list[Split] = []
            seconds = time.process_time()
            for seed, (population, classes), space in zip(SEEDS, drawn, spaces, strict=True):
                target = relabelled(classes, seed) if name == "mse" else classes
                split = best_split(population, target, space, criterion=criterion)
                assert split.proved
                assert abs(scores.setdefault(seed, split.score) - split.score) < 1e-9, (name, label, split)
                found.append(split)
            seconds = (time.process_time() - seconds) / len(SEEDS)
            size, evaluated = spaces[0].size(), fmean(split.stats.evaluated for split in found)
            yield name, label, size, round(evaluated), round(100 * evaluated / size, 2), round(seconds, 2)


def varied(name: str, title: str, problems: Sequence[Planted]) -> ResultTable:
    """Search planted problems that differ in one property."""
    criteria = (*CLASSIFYING, "mse")
    rows = tuple((getattr(problem, name), *cells) for problem in problems for cells in searched(problem, criteria))
    return ResultTable(f"bounds_{name}", title, f"python benchmarks/bounds.py {name}", (name, *COLUMNS), rows)


# ---- the benchmarks --------------------------------------------------------------------------------------


def bench_musk() -> ResultTable | None:
    """Prove the best split of Musk-1 by each criterion."""
    data = musk()
    if data is None:
        return None
    space = Space.build(Grammar.load("multi-instance"), data.population)
    rows: list[tuple[Cell, ...]] = []
    for name in CRITERIA:
        target = relabelled(data.target) if name == "mse" else data.target
        seconds = time.process_time()
        found = best_split(data.population, target, space, criterion=name)
        seconds = time.process_time() - seconds
        share = 100 * found.stats.evaluated / space.size()
        cells = [name, space.size(), found.stats.evaluated, round(share, 4), round(found.score, 4), found.proved]
        rows.append((*cells, pretty(found.predicate), round(seconds, 1)))
    columns = ("criterion", "space", "evaluated", "percent", "score", "proved", "best", "seconds")
    title = "Proved best splits of Musk-1, conjunctions of up to three bins about one conformation"
    return ResultTable("bounds_musk", title, "python benchmarks/bounds.py musk", columns, tuple(rows))


def bench_depth() -> ResultTable:
    """Change the number of tests that a predicate may combine."""
    problems = [Planted(depth=depth) for depth in (2, 3, 4, 5)]
    return varied("depth", "Share of the space evaluated, by the depth of conjunctions", problems)


def bench_noise() -> ResultTable:
    """Change the share of wrong labels."""
    problems = [Planted(noise=noise) for noise in (0.0, 0.05, 0.1, 0.2, 0.4)]
    return varied("noise", "Share of the space evaluated, by the share of wrong labels", problems)


def bench_classes() -> ResultTable:
    """Change the number of classes."""
    problems = [Planted(classes=classes) for classes in (2, 3, 5, 8, 12)]
    return varied("classes", "Share of the space evaluated, by the number of classes", problems)


GRAMMARS = (
    ("trains", "trains"),
    ("trains", "east-west"),
    ("mutagenesis", "mutagenesis"),
    ("mutagenesis", "atoms-and-bonds"),
    ("mutagenesis", "atoms-and-bonds-deep"),
    ("mutag", "graphs"),
    ("mutag", "graphs-deep"),
)


def bench_grammars() -> ResultTable:
    """Search the spaces of shipped grammars, and take the route of `fit` beside."""
    rows: list[tuple[Cell, ...]] = []
    for name, grammar in GRAMMARS:
        data = load_dataset(name)
        given = data.population, data.target, Grammar.load(grammar), ["acc*"]
        seconds = time.process_time()
        (effort,) = compare_effort(*given, exhaustive_limit=0)
        seconds = time.process_time() - seconds
        assert effort.proved and effort.space and effort.fit and effort.fit.proved
        assert abs(effort.score - (effort.fit.score or 0)) < 1e-9
        share = round(100 * effort.evaluated / effort.space, 2)
        fit = (effort.fit.route, effort.fit.evaluated)
        rows.append((name, grammar, effort.space, effort.evaluated, share, *fit, effort.score, round(seconds, 1)))
    columns = (
        "data",
        "grammar",
        "space",
        "evaluated",
        "percent",
        "route of fit",
        "evaluated by fit",
        "acc*",
        "seconds",
    )
    title = "Share of the space evaluated in a proved search by acc*, shipped grammars"
    return ResultTable("bounds_grammars", title, "python benchmarks/bounds.py grammars", columns, tuple(rows))


BENCHMARKS: dict[str, Callable[[], ResultTable | None]] = {
    "musk": bench_musk,
    "depth": bench_depth,
    "noise": bench_noise,
    "classes": bench_classes,
    "grammars": bench_grammars,
}


if __name__ == "__main__":
    run_benchmarks(__doc__, BENCHMARKS)
