"""Forests and boosting beside single trees and scikit-learn's ensembles, on the same folds of real sets.

Run as ``python benchmarks/ensembles.py`` (hours), with some of ``graphs molecules tables defaults rounds speed``, or
of the data sets, to run only those. ``--folds N`` uses only the first of ten folds. Real data is read from
``../shared/data`` beside the repository; what is missing is skipped with a note.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import resource
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier, RandomForestRegressor
from sklearn.metrics import log_loss
from sklearn.model_selection import KFold, StratifiedKFold
from threadpoolctl import threadpool_limits

import structtree
from structtree import (
    Population,
    StructuralBoostingClassifier,
    StructuralBoostingRegressor,
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
ROUNDS: dict[str, dict[str, Any]] = {
    "default": {},
    "rate 0.05": {"learning_rate": 0.05},
    "7 leaves": {"max_leaf_nodes": 7},
    "31 leaves": {"max_leaf_nodes": 31},
    "min_hessian 0.1": {"min_hessian": 0.1},
    "l2 0.1": {"l2": 0.1},
    "l2 5": {"l2": 5.0},
    "half of the rows": {"subsample": 0.5},
    "a third of the columns": {"columns_per_tree": 0.3},
    "rows and columns": {"subsample": 0.7, "columns_per_tree": 0.3},
    "single values": {"category_sets": False},
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


def opened(name: str) -> Any:
    """Return graphs or a table."""
    if name in GRAPHS:
        return open_data(SHARED / name)
    options = {"format": "csv", "header": False, "target": "c1"} if name == "house-votes-84.data" else {}
    return open_data(SHARED / "uci" / name, **options)


def graphs(run: Run) -> None:
    """Accuracy on labelled graphs."""
    for name in chosen(GRAPHS, run):
        if not (SHARED / name).exists():
            print(f"{name}: skipped, because ../shared/data/{name} is missing")
            continue
        data = opened(name)
        target = np.asarray(data.target)
        cross_validated(
            name, "forest", data.population, target, lambda: StructuralForestClassifier(n_estimators=run.trees), run
        )
        cross_validated(name, "boosting", data.population, target, StructuralBoostingClassifier, run)
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
        boosting = StructuralBoostingRegressor if task.is_number else StructuralBoostingClassifier
        for who, given, made in (
            ("forest", data.population, ours(n_estimators=run.trees)),
            ("boosting", data.population, boosting()),
            ("ECFP forest", data.fingerprints, theirs(n_estimators=run.trees, random_state=0)),
        ):
            scores, began = [], cpu_seconds()
            for train, test in splits(data.target, run, classes=not task.is_number):
                fitted = clone(made).fit(bench.part(given, train), data.target[train])
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
        data = opened(name)
        target = np.asarray(data.target).astype(str)
        if len(set(target.tolist())) > 30:
            continue
        cells = coded(data.population)
        found = [
            cross_validated(name, who, given, target, made, run)
            for who, given, made in (
                ("forest", data.population, lambda: StructuralForestClassifier(n_estimators=run.trees)),
                ("boosting", data.population, StructuralBoostingClassifier),
                ("scikit-learn's forest", cells, lambda: RandomForestClassifier(run.trees, random_state=0)),
                ("HistGradientBoosting", cells, lambda: HistGradientBoostingClassifier(random_state=0)),
            )
        ]
        means = np.array([np.mean(scores) for scores in found])
        ranks.append(rankdata(-means))
    if ranks:
        names = ("forest", "boosting", "scikit-learn's forest", "HistGradientBoosting")
        means = zip(names, np.mean(ranks, axis=0), strict=True)
        print("mean ranks: " + ", ".join(f"{who} {rank:.2f}" for who, rank in means))


def training_folds(names: tuple[str, ...], run: Run) -> Iterator[tuple[str, Population, NDArray[Any]]]:
    """Yield the training individuals of the first fold of each set, and their classes."""
    for name in chosen(names, run):
        where = SHARED / (name if name in GRAPHS else f"uci/{name}")
        if not where.exists():
            continue
        data = opened(name)
        target = np.asarray(data.target).astype(str)
        if len(set(target.tolist())) <= 30:
            outer, _ = next(splits(target, run))
            yield name, data.population.take(outer), target[outer]


def defaults(run: Run) -> None:
    """Scores out of bag, or on inner folds, of candidates for the default options: inside training folds only."""
    for name, population, target in training_folds((*GRAPHS, *TABLES), run):
        for who, options in CANDIDATES.items():
            made = lambda options=options: StructuralForestClassifier(n_estimators=run.trees, **options)  # noqa: E731
            cross_validated(name, who, population, target, made, run)


def rounds(run: Run) -> None:
    """Log loss and accuracy on folds of a training fold of candidates for the default options of boosting."""
    for name, population, target in training_folds(("mutag", "proteins", *TABLES), run):
        for who, options in ROUNDS.items():
            losses, hits, began = [], [], cpu_seconds()
            for train, test in StratifiedKFold(3, shuffle=True, random_state=1).split(target, target):
                fitted = StructuralBoostingClassifier(**options).fit(population.take(train), target[train])
                chances = fitted.predict_proba(population.take(test))
                losses.append(log_loss(target[test], chances, labels=fitted.classes_))
                hits.append(np.mean(fitted.classes_[chances.argmax(axis=1)] == target[test]))
            seconds = (cpu_seconds() - began) / 3
            print(f"{name:20} {who:24} {np.mean(losses):.4f} {np.mean(hits):.4f} {seconds:6.1f} s", flush=True)


def rel_f1(run: Run) -> None:
    """The driver tasks of ``rel_f1.py`` with its grammar: AUROC or MAE on val, frozen at its beginning."""
    import rel_f1 as bench

    packed = SHARED / "rel_f1" / "rel_f1.sqlite.gz"
    if not packed.exists():
        print("rel_f1: skipped, because ../shared/data/rel_f1 is missing")
        return
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "rel_f1.sqlite"
        database.write_bytes(gzip.decompress(packed.read_bytes()))
        for name in chosen(tuple(bench.TASKS), run):
            task = bench.TASKS[name]
            given = {"individual": task.table, "target": task.target, "as_of": "date", "exclude": task.others}
            known = open_data(database, condition="split = 'train'", lead=task.settings.lead, **given)
            told = open_data(database, condition="split = 'val'", frozen_at="2005-01-01", **given)
            labels, truth = (np.asarray(each.target, dtype=float) for each in (known, told))
            for who, estimator, options in (
                ("forest", "Forest", {"n_estimators": run.trees}),
                ("forest, leaves as of the tree", "Forest", {"min_samples_leaf": task.settings.least_leaf}),
                ("boosting", "Boosting", {}),
            ):
                kind, began = "Regressor" if task.is_number else "Classifier", cpu_seconds()
                model = getattr(structtree, f"Structural{estimator}{kind}")(bench.GRAMMAR, **options)
                model.fit(known.population, labels if task.is_number else labels.astype(int))
                found = (
                    model.predict(told.population) if task.is_number else model.predict_proba(told.population)[:, 1]
                )
                measured(name, f"{who}, {task.metric}", [task.loss(truth, found)], cpu_seconds() - began)


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
    same = {"max_iter": 100, "early_stopping": False, "max_leaf_nodes": 31, "min_samples_leaf": 20, "max_bins": 127}
    times = []
    with threadpool_limits(1):
        for who, made in (
            ("boosting", StructuralBoostingClassifier(l2=0.0, min_hessian=1e-3, n_jobs=1, **same)),
            ("HistGradientBoosting", HistGradientBoostingClassifier(**same)),
        ):
            made.fit(cells[:500], target[:500])  # compiles
            began = cpu_seconds()
            made.fit(cells, target)
            times.append(cpu_seconds() - began)
            accuracy = made.score(cells, target)
            print(f"100,000 x 50     {who:36} {times[-1]:7.1f} s, accuracy in training {accuracy:.4f}", flush=True)
    print(f"ratio {times[0] / times[1]:.2f}")


PARTS: dict[str, Callable[[Run], None]] = {
    "graphs": graphs,
    "molecules": molecules,
    "tables": tables,
    "rel_f1": rel_f1,
    "defaults": defaults,
    "rounds": rounds,
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
