"""How `fit` scales, and when it recovers a planted rule.

    python benchmarks/scaling.py             # both, ten minutes of processor time
    python benchmarks/scaling.py recovery    # one of: scaling, recovery
    python benchmarks/scaling.py --dry       # print the tables, write nothing

Problems are the planted ones of ``bounds.py``: sets of rows with nominal attributes, and classes given by rules about
one row. ``scaling`` changes one property at a time: individuals, elements of each individual, classes, and the depth
of a grammar of conjunctions; the others have the default grammar. Each point is the mean of three fits of different
populations with default options, each in a process of its own that is forked after everything is compiled. Memory is
the peak of that process, less what the process had at its start, so it includes the data.

``recovery`` draws a rule of two tests, fits a tree to a sample with wrong labels, and predicts new individuals with
right labels. All samples of a seed have the same rule, and larger ones include smaller ones. A rule counts as
recovered if at least 99 % of the new individuals are predicted right.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from statistics import fmean
from typing import NamedTuple

import numpy as np
from bounds import Planted
from measuring import peak_megabytes
from result_files import Cell, ResultTable, run_benchmarks

from structtree import Space, default_grammar, fit

BASE = Planted(individuals=400, rows=6, attributes=5)
CURVES: dict[str, tuple[Planted, ...]] = {
    "individuals": tuple(replace(BASE, individuals=n) for n in (200, 400, 800, 1600, 3200)),
    "rows": tuple(replace(BASE, rows=n) for n in (3, 6, 12, 24)),
    "classes": tuple(replace(BASE, classes=n) for n in (2, 3, 5, 8)),
    "depth": tuple(replace(BASE, attributes=10, depth=n) for n in (1, 2, 3, 4)),
}
SAMPLES = (25, 50, 100, 200, 400)
NOISES = (0.0, 0.1, 0.2, 0.3)
POPULATIONS, RULES = 3, 10
"""Number of populations of a point of the scaling curves, and of rules of a cell of recovery."""

NEW = 1000
RECOVERED = 0.99


# ---- scaling ---------------------------------------------------------------------------------------------


class Fitted(NamedTuple):
    """Size of the space, processor seconds, megabytes and leaves of a fit."""

    space: int
    seconds: float
    megabytes: float
    leaves: int


def measured(curve: str, problem: Planted, seed: int) -> Fitted:
    """Fit a tree to a population of a problem."""
    before = peak_megabytes()
    population, classes = problem.draw(seed)
    grammar = problem.grammar(population) if curve == "depth" else default_grammar(population)
    seconds = time.process_time()
    model = fit(population, classes, grammar)
    seconds = time.process_time() - seconds
    megabytes = peak_megabytes() - before
    return Fitted(Space.build(grammar, population).size(), seconds, megabytes, len(model.tree.leaves))


def warm_up() -> None:
    """Compile, or load, what the fits need."""
    for curve, problems in CURVES.items():
        measured(curve, replace(problems[0], individuals=60), 0)


def bench_scaling() -> ResultTable:
    """Change individuals, elements, classes and the depth of the grammar."""
    warm_up()
    points = [(curve, problem) for curve, problems in CURVES.items() for problem in problems]
    jobs = [(*point, seed) for point in points for seed in range(POPULATIONS)]
    with multiprocessing.get_context("fork").Pool(1, maxtasksperchild=1) as pool:
        fits = pool.starmap(measured, jobs, chunksize=1)
    rows = []
    for (curve, problem), some in zip(points, batched(fits, POPULATIONS), strict=True):
        space, seconds, megabytes, leaves = (fmean(figures) for figures in zip(*some, strict=True))
        costs = (round(seconds, 3), round(megabytes, 1), round(leaves, 1))
        rows.append((curve, getattr(problem, curve), round(space), *costs))
    columns = ("curve", "value", "space", "seconds", "megabytes", "leaves")
    title = "Processor seconds and memory of a default fit"
    return ResultTable("scaling", title, "python benchmarks/scaling.py scaling", columns, tuple(rows))


def batched(fits: Sequence[Fitted], n: int) -> Iterator[Sequence[Fitted]]:
    """Yield n fits at a time."""
    for first in range(0, len(fits), n):
        yield fits[first : first + n]


# ---- recovery --------------------------------------------------------------------------------------------


def recovered(sample: int, noise: float, seed: int) -> float:
    """Return the accuracy on new individuals of a tree that is fitted to a sample with wrong labels."""
    population, classes = Planted(individuals=max(SAMPLES) + NEW, rows=6, attributes=5, rule=2, noise=0.0).draw(seed)
    names, codes = np.unique(classes, return_inverse=True)
    rng = np.random.default_rng([seed, sample])
    wrong = rng.permutation(sample)[: round(noise * sample)]
    codes[wrong] = 1 - codes[wrong]
    model = fit(population.take(np.arange(sample)), names[codes[:sample]])
    new = population.take(np.arange(max(SAMPLES), max(SAMPLES) + NEW))
    return float((model.predict(new) == classes[max(SAMPLES) :]).mean())


def bench_recovery() -> ResultTable:
    """Change the number of individuals and the share of wrong labels."""
    rows: list[tuple[Cell, ...]] = []
    for noise in NOISES:
        for sample in SAMPLES:
            found = [recovered(sample, noise, seed) for seed in range(RULES)]
            share = fmean(accuracy >= RECOVERED for accuracy in found)
            rows.append((noise, sample, RULES, round(share, 3), round(fmean(found), 3)))
    columns = ("noise", "individuals", "rules", "recovered", "accuracy")
    title = "Planted rules recovered by a default fit, and accuracy on new individuals"
    return ResultTable("recovery", title, "python benchmarks/scaling.py recovery", columns, tuple(rows))


BENCHMARKS: dict[str, Callable[[], ResultTable]] = {"scaling": bench_scaling, "recovery": bench_recovery}


if __name__ == "__main__":
    run_benchmarks(__doc__, BENCHMARKS)
