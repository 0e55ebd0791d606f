"""Scores out of bag of candidates for the default options of forests, inside training folds only.

Run as ``python benchmarks/forest_defaults.py``. The individuals are those of the training part of the first of the
ten folds of ``ensembles.py``, and each score is the mean of two seeds. Real data is read from ``../shared/data``
beside the repository; what is missing is skipped. Names of data run only those, and write no result file.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import molecules
import numpy as np
from ensembles import SHARED, Run, splits
from numpy.typing import NDArray
from result_files import ResultTable, write_results

from structtree import Forest, Growth, Population, open_data
from structtree.learn.forest_fit import forest_criterion, prepared_columns
from structtree.learn.forests import grow_forest
from structtree.learn.learning_set import LearningSet, learning_set
from structtree.search.clock import Clock
from structtree.splitters.forest_columns import ForestColumns
from structtree.tasks.criteria import criterion

TREES, SEEDS = 100, (0, 1)
DATA = ("mutag", "enzymes", "uci/car.arff", "uci/tic-tac-toe.arff", "ESOL")
CANDIDATES: dict[str, dict[str, Any]] = {
    "default": {},
    "random thresholds": {"thresholds": "random"},
    "without replacement": {"bootstrap": False, "max_samples": 0.8},
    "tenth of columns": {"max_features": 0.1},
    "random, tenth": {"thresholds": "random", "max_features": 0.1},
    "entropy": {"criterion": "entropy"},
    "leaves of 2": {"min_samples_leaf": 2},
}


class Part(NamedTuple):
    """The training part of a dataset."""

    name: str
    population: Population
    target: NDArray[Any]
    is_number: bool


def training_parts(names: tuple[str, ...]) -> Iterator[Part]:
    """Yield the training part of the first fold of each dataset."""
    for name in names:
        task = next((task for task in molecules.TASKS if task.name == name), None)
        if task is not None and (molecules.MOLNET / task.file).exists():
            forms = molecules.forms(task, None, with_descriptors=False)
            population, target, is_number = forms.population, np.asarray(forms.target), task.is_number
        elif task is None and (SHARED / name).exists():
            data = open_data(SHARED / name)
            population, target, is_number = data.population, np.asarray(data.target).astype(str), False
        else:
            print(f"{name}: skipped, because it is missing in ../shared/data")
            continue
        rows, _ = next(splits(target, Run(1, TREES, ()), classes=not is_number))
        yield Part(name.partition("/")[2] or name, population.take(rows), target[rows], is_number)


def out_of_bag_score(data: LearningSet, columns: ForestColumns, options: dict[str, Any], seed: int) -> float:
    """Accuracy or R² of the predictions of the trees that did not see an individual."""
    target, options = data.target, dict(options)
    growth = Growth(random_state=seed, min_samples_leaf=options.pop("min_samples_leaf", 1))
    if "criterion" in options:
        target = replace(target, criterion=criterion(options.pop("criterion")))
    found = grow_forest(columns, target, growth, Forest(n_estimators=TREES, **options), Clock()).out_of_bag
    known = ~np.isnan(found[:, 0])
    labels, found = target.values[known], found[known]
    if target.classes:
        return float(np.mean(found.argmax(axis=1) == labels))
    return float(1 - np.mean((found[:, 0] - labels) ** 2) / labels.var())


def scores_of(part: Part) -> Iterator[int | float | None]:
    """Yield the number of columns, then the score of each candidate; None where it does not apply."""
    task = "numbers" if part.is_number else "classes"
    data = learning_set(part.population, part.target, usual=forest_criterion, for_forest=True, task=task)
    columns = prepared_columns(data, Forest(), Clock(300))  # which all forests share
    yield len(columns.binned.columns)
    for who, options in CANDIDATES.items():
        if part.is_number and "criterion" in options:
            yield None
            continue
        found = [out_of_bag_score(data, columns, options, seed) for seed in SEEDS]
        print(f"{part.name:16} {who:20} {np.mean(found):.4f}", flush=True)
        yield round(float(np.mean(found)), 4)


if __name__ == "__main__":
    rows = [(part.name, *scores_of(part)) for part in training_parts(tuple(sys.argv[1:]) or DATA)]
    if not sys.argv[1:]:
        title = f"Accuracy out of bag (R² for ESOL) of {TREES} trees with other options than the default ones"
        heads = ("data", "columns", *CANDIDATES)
        command = "python benchmarks/forest_defaults.py"
        write_results(ResultTable("forest_defaults", title, command, heads, tuple(rows)))
