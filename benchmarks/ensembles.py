"""Forests beside single trees and scikit-learn's forests, on the same folds of real sets.

Run as ``python benchmarks/ensembles.py`` (hours), with some of ``graphs molecules tables defaults speed``, or of the
data sets, to run only those. ``--folds N`` uses only the first of ten folds. Real data is read from
``../shared/data`` beside the repository; what is missing is skipped with a note.
"""

from __future__ import annotations

import argparse
import itertools
import resource
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier, RandomForestRegressor
from sklearn.model_selection import KFold, StratifiedKFold

from structtree import (
    Population,
    StructuralForestClassifier,
    StructuralForestRegressor,
    StructuralTreeClassifier,
    open_data,
)

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
GRAPHS = ("mutag", "enzymes", "proteins", "nci1", "mutagenicity")
TABLES = (
    "car.arff",
    "house-votes-84.data",
    "kr-vs-kp.arff.gz",
    "splice.arff.gz",
    "tic-tac-toe.arff",
    "zoo.arff",
    "audiology.arff",
)
CANDIDATES: dict[str, dict[str, Any]] = {
    "default": {},
    "random thresholds": {"thresholds": "random"},
    "random thresholds, all individuals": {"thresholds": "random", "bootstrap": False},
    "more columns": {"max_features": 0.1},
    "random thresholds, more columns": {"thresholds": "random", "max_features": 0.1},
    "entropy": {"criterion": "entropy"},
    "leaves of 2": {"min_samples_leaf": 2},
}


class Run(NamedTuple):
    """Command-line options."""

    folds: int
    trees: int
    only: tuple[str, ...]


def cpu_seconds() -> float:
    """Return the CPU time of this process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def splits(target: NDArray[Any], run: Run, *, classes: bool = True) -> Iterator[tuple[Any, Any]]:
    """Yield the first of ten folds."""
    cut = StratifiedKFold(10, shuffle=True, random_state=0) if classes else KFold(10, shuffle=True, random_state=0)
    yield from itertools.islice(cut.split(np.zeros(len(target)), target.astype(str) if classes else None), run.folds)


def chosen(names: tuple[str, ...], run: Run) -> Iterator[str]:
    """Yield the names that were asked for, all by default."""
    asked = [name for name in names if name.split(".")[0] in run.only]
    yield from asked or names


def measured(name: str, who: str, scores: list[float], seconds: float) -> None:
    """Print one line of a table."""
    spread = np.std(scores) if len(scores) > 1 else 0.0
    print(f"{name:16} {who:36} {np.mean(scores):.3f} ± {spread:.3f}  {seconds / len(scores):7.1f} s", flush=True)


def cross_validated(
    name: str, who: str, data: Any, target: NDArray[Any], made: Callable[[], Any], run: Run
) -> list[float]:
    """Print the accuracy of an estimator on the folds and its CPU time for each."""
    scores, began = [], cpu_seconds()
    for train, test in splits(target, run):
        fitted = made().fit(data.take(train) if isinstance(data, Population) else data[train], target[train])
        inside = data.take(test) if isinstance(data, Population) else data[test]
        scores.append(float(np.mean(fitted.predict(inside) == target[test])))
    measured(name, who, scores, cpu_seconds() - began)
    return scores


def graphs(run: Run) -> None:
    """Accuracy on labelled graphs."""
    for name in chosen(GRAPHS, run):
        if not (SHARED / name).exists():
            print(f"{name}: skipped, because ../shared/data/{name} is missing")
            continue
        data = open_data(SHARED / name)
        target = np.asarray(data.target)
        cross_validated(
            name, "forest", data.population, target, lambda: StructuralForestClassifier(n_estimators=run.trees), run
        )
        cross_validated(name, "tree", data.population, target, lambda: StructuralTreeClassifier(time_limit=20), run)


def molecules(run: Run) -> None:
    """The tasks of ``molecules.py``: ROC AUC or R² beside forests on fingerprints and descriptors."""
    import molecules as bench

    for task in bench.TASKS:
        if (run.only and task.name.lower() not in run.only) or not (bench.MOLNET / task.file).exists():
            continue
        data = bench.forms(task, None, with_descriptors=False)
        ours = StructuralForestRegressor if task.is_number else StructuralForestClassifier
        theirs = RandomForestRegressor if task.is_number else RandomForestClassifier
        for who, given, made in (("forest", data.population, ours), ("ECFP forest", data.fingerprints, theirs)):
            scores, began = [], cpu_seconds()
            for train, test in splits(data.target, run, classes=not task.is_number):
                fitted = made(n_estimators=run.trees, random_state=0).fit(
                    bench.part(given, train), data.target[train]
                )
                scores.append(bench.score(fitted, bench.part(given, test), data.target[test], task.is_number))
            measured(task.name, who, scores, cpu_seconds() - began)


def coded(population: Population) -> NDArray[np.float64]:
    """A table as scikit-learn takes it: categories one by one, and -1 for missing numbers."""
    columns = []
    for column in population.table(population.schema.individual).columns.values():
        values = column.values[population.individuals].astype(float)
        if column.kind == "nominal" and len(column.categories) > 2:
            columns += [values == code for code in range(len(column.categories))]
        else:
            columns.append(np.nan_to_num(values, nan=-1.0))
    return np.stack(columns, axis=1).astype(float)


def tables(run: Run) -> None:
    """Accuracy on plain tables beside scikit-learn's forest and boosting, and the mean ranks."""
    ranks = []
    for name in chosen(TABLES, run):
        if not (SHARED / "uci" / name).exists():
            print(f"{name}: skipped, because ../shared/data/uci/{name} is missing")
            continue
        data = open_data(SHARED / "uci" / name)
        target = np.asarray(data.target).astype(str)
        if len(set(target.tolist())) > 30:
            continue
        cells = coded(data.population)
        found = [
            cross_validated(name, who, given, target, made, run)
            for who, given, made in (
                ("forest", data.population, lambda: StructuralForestClassifier(n_estimators=run.trees)),
                ("scikit-learn's forest", cells, lambda: RandomForestClassifier(run.trees, random_state=0)),
                ("HistGradientBoosting", cells, lambda: HistGradientBoostingClassifier(random_state=0)),
            )
        ]
        means = np.array([np.mean(scores) for scores in found])
        ranks.append(rankdata(-means))
    if ranks:
        first, second, third = np.mean(ranks, axis=0)
        print(f"mean ranks: forest {first:.2f}, scikit-learn's forest {second:.2f}, HistGradientBoosting {third:.2f}")


def defaults(run: Run) -> None:
    """Scores out of bag, or on inner folds, of candidates for the default options: inside training folds only."""
    for name in chosen((*GRAPHS, *TABLES), run):
        where = SHARED / (name if name in GRAPHS else f"uci/{name}")
        if not where.exists():
            continue
        data = open_data(where)
        target = np.asarray(data.target).astype(str)
        if len(set(target.tolist())) > 30:
            continue
        outer, _ = next(splits(target, run))
        population, target = data.population.take(outer), target[outer]
        for who, options in CANDIDATES.items():
            made = lambda options=options: StructuralForestClassifier(n_estimators=run.trees, **options)  # noqa: E731
            cross_validated(name, who, population, target, made, run)


def speed(run: Run) -> None:
    """CPU time for 100,000 rows and 50 columns beside scikit-learn's, with equal settings and one thread each."""
    rng = np.random.default_rng(0)
    cells = rng.normal(size=(100_000, 50))
    target = (cells[:, :10] @ rng.normal(size=10) + cells[:, 1] * cells[:, 2] + rng.normal(size=100_000)) > 0
    times = []
    for who, made in (
        ("forest", StructuralForestClassifier(n_estimators=run.trees, n_jobs=1)),
        ("scikit-learn's forest", RandomForestClassifier(run.trees, oob_score=True, n_jobs=1)),
    ):
        if who == "forest":
            made.fit(cells[:500], target[:500])  # compiles
        began = cpu_seconds()
        made.fit(cells, target)
        times.append(cpu_seconds() - began)
        print(f"100,000 x 50     {who:36} {times[-1]:7.1f} s, out of bag {made.oob_score_:.4f}", flush=True)
    print(f"ratio {times[0] / times[1]:.2f}")


PARTS: dict[str, Callable[[Run], None]] = {
    "graphs": graphs,
    "molecules": molecules,
    "tables": tables,
    "defaults": defaults,
    "speed": speed,
}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}, and names of data")
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--trees", type=int, default=300)
    given = parser.parse_args()
    asked = Run(given.folds, given.trees, tuple(name for name in given.parts if name not in PARTS))
    for part, work in PARTS.items():
        if part in given.parts or not set(given.parts) & set(PARTS):
            print(f"== {part}")
            work(asked)
