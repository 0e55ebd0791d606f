"""Plain tables: time, memory and accuracy beside scikit-learn's trees, and beside the tables of the source paper.

Run as ``python benchmarks/flat.py`` (several minutes), with some of ``speed memory accuracy`` to run only those, or
with ``--quick`` for smaller data. Both sides get the same data, depth and leaves in one run; each fits once before it
is timed, so that compiling does not count, both take turns, and the least of several times counts. Real data is read
from ``../shared/data`` beside the repository; what needs it is skipped without.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from measuring import peak_megabytes
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from structtree import StructuralTreeClassifier, StructuralTreeRegressor, open_data
from structtree.data.population import Population

UCI = Path(__file__).resolve().parent.parent.parent / "shared" / "data" / "uci"

# Tables 2 and 3 of the paper: acc* without, and with cost-complexity post-pruning.
PAPER = {
    "audiology": (0.735, 0.710),
    "lenses": (0.833, 0.850),
    "mushroom": (1.000, 0.999),
    "votes": (0.947, 0.959),
    "monks-1": (0.894, 0.920),
    "monks-2": (0.692, 0.634),
    "monks-3": (0.884, 0.935),
}


@dataclass(frozen=True, slots=True)
class Problem:
    """The same table for both sides: theirs is numbers only."""

    name: str
    ours: Any
    theirs: Any
    target: NDArray[Any]
    numbers: bool
    depth: int | None


# ---- data -----------------------------------------------------------------------------------------------


def normal(n: int, width: int, *, numbers: bool, depth: int | None) -> Problem:
    rng = np.random.default_rng(1)
    table = rng.normal(size=(n, width))
    signal = table[:, 0] + table[:, 1] * table[:, 2] + rng.normal(size=n)
    target = signal if numbers else (signal > 0).astype(int)
    return Problem(f"{n:,} x {width}", table, table, target, numbers, depth)


def adult(depth: int | None) -> Problem:
    frame = pd.read_csv(UCI / "adult-train.csv.gz", header=None, skipinitialspace=True, na_values="?")
    target = (frame[14] == ">50K").to_numpy().astype(int)
    frame = frame.drop(columns=14).rename(columns=lambda i: f"a{i}")
    words = frame.select_dtypes(exclude="number").columns
    frame[words] = frame[words].fillna("unknown")
    theirs = pd.get_dummies(frame).to_numpy(dtype=np.float64)
    return Problem("adult", frame, theirs, target, False, depth)


def arff(name: str, target: str, depth: int | None) -> Problem:
    opened = open_data(UCI / f"{name}.arff", target=target)
    columns = {}
    for attribute in opened.population.schema.type(opened.population.schema.individual).attributes:
        columns[attribute.name] = opened.population.column(attribute.name).values.astype(np.float64)
    table = np.nan_to_num(np.column_stack(list(columns.values())))
    return Problem(name, table, table, np.asarray(opened.target, dtype=np.float64), True, depth)


def problems(quick: bool) -> Iterator[Problem]:
    large = 20 if quick else 1
    for depth in (8, None):
        yield normal(100_000 // large, 50, numbers=False, depth=depth)
        if UCI.exists():
            yield adult(depth)
    for numbers in (False, True):
        yield normal(1_000_000 // large, 20, numbers=numbers, depth=8)
    if UCI.exists():
        yield from (arff("housing", "class", depth) for depth in (5, None))
        yield from (arff("autompg", "class", depth) for depth in (5, None))


# ---- speed ----------------------------------------------------------------------------------------------


def ours(problem: Problem) -> Any:
    criterion = "mse" if problem.numbers else "gini"
    kind = StructuralTreeRegressor if problem.numbers else StructuralTreeClassifier
    return kind(criterion=criterion, max_depth=problem.depth, grow="full", time_limit=None)


def theirs(problem: Problem) -> Any:
    kind = DecisionTreeRegressor if problem.numbers else DecisionTreeClassifier
    return kind(max_depth=problem.depth, random_state=0)


def least_seconds(actions: Sequence[Callable[[], Any]], repeats: int) -> list[float]:
    """The least time of each; they take turns, so that other work on the machine is in the way of all alike."""
    least = [inf] * len(actions)
    for _ in range(repeats):
        for i, action in enumerate(actions):
            started = time.perf_counter()
            action()
            least[i] = min(least[i], time.perf_counter() - started)
    return least


def speed(quick: bool) -> None:
    print(
        f"{'':>16} {'':>8} {'':>5}   {'fit':^36}   {'':>14}   {'predict a million rows':^23}\n"
        f"{'data':>16} {'target':>8} {'depth':>5}   {'ours s':>9} {'sklearn s':>9} {'ratio':>6} {'less':>9}   "
        f"{'leaves':>14}   {'ours s':>7} {'sklearn s':>9} {'ratio':>6}"
    )
    for problem in problems(quick):
        fitted = fit_times(problem)
        predicted = predict_times(problem, fitted.mine, fitted.other, quick)
        kind = "numbers" if problem.numbers else "classes"
        leaves = f"{fitted.mine.get_n_leaves()}/{fitted.other.get_n_leaves()}"
        less = "" if fitted.less is None else f"{fitted.less:.2f}"
        print(
            f"{problem.name:>16} {kind:>8} {problem.depth!s:>5}   {fitted.ours:9.4f} {fitted.theirs:9.4f} "
            f"{fitted.ours / fitted.theirs:6.2f} {less:>9}   {leaves:>14}   "
            f"{predicted[0]:7.3f} {predicted[1]:9.3f} {predicted[0] / predicted[1]:6.2f}",
            flush=True,
        )
    print("less: the ratio without start-up, which is the time to fit the first ten rows, taken off on both sides")


@dataclass(frozen=True, slots=True)
class Fitted:
    """Both sides after a fit, what it took, and for small data the ratio of the times without start-up."""

    mine: Any
    other: Any
    ours: float
    theirs: float
    less: float | None


def fit_times(problem: Problem) -> Fitted:
    mine, other, small = ours(problem), theirs(problem), len(problem.target) < 1000
    sides = (mine, problem.ours), (other, problem.theirs)

    def fits(rows: int | None) -> list[Callable[[], Any]]:
        return [lambda e=e, x=x: e.fit(x[:rows], problem.target[:rows]) for e, x in sides]

    least_seconds(fits(300), 1)  # compiles
    own, their, *start_up = least_seconds([*fits(None), *fits(10)], 300) if small else least_seconds(fits(None), 2)
    for fit in fits(None) if small else ():
        fit()
    less = (own - start_up[0]) / (their - start_up[1]) if small else None
    return Fitted(mine, other, own, their, less)


def predict_times(problem: Problem, mine: Any, other: Any, quick: bool) -> tuple[float, float]:
    """The seconds to predict a million rows, of both sides.

    The rows are drawn at random from those of the training: a processor that meets few rows again and again in the
    same order learns their way down the tree by heart, and nobody's data is like that.
    """
    drawn = np.random.default_rng(2).integers(0, len(problem.target), 50_000 if quick else 1_000_000)
    theirs_again = problem.theirs[drawn]
    again = problem.ours.iloc[drawn] if isinstance(problem.ours, pd.DataFrame) else theirs_again
    mine.predict(again[:1000])
    own, their = least_seconds([lambda: mine.predict(again), lambda: other.predict(theirs_again)], 3)
    return own, their


# ---- memory ---------------------------------------------------------------------------------------------


def memory(quick: bool) -> None:
    n = 100_000 if quick else 1_000_000
    peaks = {}
    for side in ("data", "structtree", "scikit-learn"):
        command = [sys.executable, __file__, "--measure", side, str(n)]
        peaks[side] = float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    print(
        f"peak memory of a fit on {n:,} x 20, MB: " + ", ".join(f"{side} {peak:.0f}" for side, peak in peaks.items())
    )
    print(
        f"ratio {peaks['structtree'] / peaks['scikit-learn']:.2f}; "
        "the data alone, with all imports, is the first figure"
    )


def measure(side: str, n: int) -> None:
    small, problem = normal(300, 20, numbers=False, depth=8), normal(n, 20, numbers=False, depth=8)
    for given in (small, problem) if side != "data" else ():
        (ours(given) if side == "structtree" else theirs(given)).fit(given.ours, given.target)
    print(peak_megabytes())


# ---- accuracy -------------------------------------------------------------------------------------------


def paper_sets() -> Iterator[tuple[str, Population, NDArray[Any]]]:
    opened = open_data(UCI / "audiology.arff")
    yield "audiology", opened.population, opened.target
    opened = open_data(UCI / "lenses.csv", target="lenses")
    yield "lenses", opened.population, opened.target
    for name, file in (("mushroom", "agaricus-lepiota.data.gz"), ("votes", "house-votes-84.data")):
        frame = pd.read_csv(UCI / file, header=None, dtype=str, na_values="?")
        target = frame.pop(0).to_numpy(dtype=object)
        yield name, Population.from_frame(frame.rename(columns=lambda i: f"a{i}")), target
    for k in (1, 2, 3):
        frame = pd.read_csv(UCI / f"monks-{k}.train", sep=r"\s+", header=None, dtype=str).iloc[:, :7]
        target = frame.pop(0).to_numpy(dtype=object)
        yield f"monks-{k}", Population.from_frame(frame.rename(columns=lambda i: f"a{i}")), target


def accuracy(quick: bool) -> None:
    if not UCI.exists():
        print("accuracy: skipped, ../shared/data/uci is not there")
        return
    print(f"{'data':>10} {'paper acc*':>18} {'acc*':>24} {'entropy':>24}   (10-fold, without and with post-pruning)")
    for name, population, target in paper_sets():
        if quick and len(population) > 1000:
            continue
        row = [f"{PAPER[name][0]:.3f} {PAPER[name][1]:.3f}"]
        for criterion in ("acc*", "entropy"):
            plain = folds(population, target, criterion=criterion)
            pruned = folds(population, target, criterion=criterion, post_prune="cost-complexity", ccp_alpha="cv")
            row.append(" ".join(f"{s.mean():.3f}±{s.std(ddof=1) / len(s) ** 0.5:.3f}" for s in (plain, pruned)))
        print(f"{name:>10} {row[0]:>18} {row[1]:>24} {row[2]:>24}", flush=True)


def folds(population: Population, target: NDArray[Any], **options: Any) -> NDArray[np.float64]:
    """The accuracies of ten folds."""
    scores = []
    warnings.filterwarnings("ignore", "The least populated class", UserWarning)
    for train, test in StratifiedKFold(10, shuffle=True, random_state=0).split(
        np.zeros(len(target)), target.astype(str)
    ):
        model = StructuralTreeClassifier(grow="full", time_limit=None, **options).fit(
            population[train], target[train]
        )
        scores.append((model.predict(population[test]) == target[test]).mean())
    return np.array(scores)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", choices=["speed", "memory", "accuracy", []], help="all by default")
    parser.add_argument("--quick", action="store_true", help="smaller data")
    parser.add_argument("--measure", nargs=2, metavar=("SIDE", "N"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        measure(options.measure[0], int(options.measure[1]))
        return
    for part in options.parts or ["speed", "memory", "accuracy"]:
        {"speed": speed, "memory": memory, "accuracy": accuracy}[part](options.quick)


if __name__ == "__main__":
    main()
