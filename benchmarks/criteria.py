"""Which criterion: the default tree with each of four criteria, on many sets that need no search.

Run as ``python benchmarks/criteria.py`` (ten minutes of one core), with the names of some sets to run only those;
whatever the file of ``--keep`` has is not run again. Real data is read from ``../shared/data``.

Graphs and molecules become flat tables, as scikit-learn's tree sees them in `defaults.py`: counts, means and extremes
of what is behind links. That makes a fit a matter of tenths of a second, so that many sets can decide. Every set is
divided into five folds, small ones three times, and the size is chosen inside the four folds that a tree learns from.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import defaults
import numpy as np
import pandas as pd
import sizes
from defaults import Array, Task, folds, judged
from scipy.stats import rankdata, wilcoxon
from sizes import Sized, mean_of

from structtree import StructuralTreeClassifier, open_data

CRITERIA = ("acc*", "acc+", "gini", "entropy")
NOTHING = 5e-4
"""Smaller differences of a score count as none."""

Table = tuple[Any, Array]
Rows = dict[str, dict[str, Sized]]

PLAIN = (
    *("zoo", "audiology", "monks-1", "monks-2", "monks-3", "votes", "tic-tac-toe", "car", "kr-vs-kp"),
    *("splice", "mushroom", "adult", "promoters"),
)
FLATTENED = (
    *("NCI1", "Mutagenicity", "PROTEINS", "ENZYMES", "MUTAG", "mutagenesis", "Musk-1", "BBBP", "imdb"),
    "customers (made)",
)
ASSAYS = {
    "sider.csv.gz": (
        *("Hepatobiliary disorders", "Cardiac disorders", "Eye disorders", "Endocrine disorders"),
        *("Vascular disorders", "Renal and urinary disorders"),
        *("Musculoskeletal and connective tissue disorders", "Infections and infestations"),
    ),
    "tox21.csv.gz": ("SR-MMP", "NR-AhR"),
}


def plain(name: str) -> Table:
    task: Task = sizes.SETS[name]()
    return task.population, task.target


def flattened(name: str) -> Table:
    task: Task = sizes.SETS[name]()
    return defaults.flattened(task.population), task.target


@cache
def molecules(file: str) -> tuple[Array, pd.DataFrame]:
    """The molecules of a file that RDKit can read, flattened, and their rows."""
    frame = pd.read_csv(defaults.SHARED / "molnet" / file)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "molecules.csv"
        frame[["smiles"]].assign(row=np.arange(len(frame))).to_csv(path, index=False)
        found = open_data(path, target="row", skip_bad=True)
    assert found.target is not None
    return defaults.flattened(found.population), frame.iloc[found.target.astype(int)]


def assay(file: str, column: str) -> Table:
    table, frame = molecules(file)
    plain_name = {name.replace("_", " "): name for name in frame}
    labels = frame[plain_name[column]].to_numpy()
    known = ~np.isnan(labels)
    return table[known], labels[known].astype(int).astype(str)


SETS: Mapping[str, Callable[[], Table]] = {
    **{name: lambda name=name: plain(name) for name in PLAIN},
    **{name: lambda name=name: flattened(name) for name in FLATTENED},
    **{
        f"{file.split('.')[0]} {column}": lambda file=file, column=column: assay(file, column)
        for file, columns in ASSAYS.items()
        for column in columns
    },
}


def measured(rows: Any, target: Array, criterion: str) -> Sized:
    """The mean over the folds of the default tree with a criterion."""
    found = []
    for train, test in folds(target):
        begun = time.process_time()
        estimator = StructuralTreeClassifier(criterion=criterion).fit(rows[train], target[train])
        seconds = time.process_time() - begun
        result = judged(estimator, rows[test], target[test], seconds)
        late = float(estimator.stopped_by_ is not None)
        found.append(Sized(result.score, result.auc, result.leaves, estimator.get_depth(), seconds, late))
    return mean_of(found)


def print_sets(results: Rows) -> None:
    """A table with a row for each set: score, AUC, leaves and depth for each criterion."""
    print(f"\n| set | {' | '.join(CRITERIA)} |")
    print(f"| --- |{' --- |' * len(CRITERIA)}")
    for name, row in results.items():
        print(f"| {name} | {' | '.join(sizes.cell(row[criterion]) for criterion in CRITERIA)} |")


def print_all(results: Rows) -> None:
    """A table with a row for each criterion, compared with the first one."""
    print(f"\n## Over {len(results)} sets\n")
    pair = "better, worse (p)"
    print(f"| criterion | rank, score | rank, AUC | score | {pair} | AUC | {pair} | leaves | depth | mean depth |")
    print(f"| --- |{' ---: |' * 9}")
    of = {name: sizes.grid(results, CRITERIA, name) for name in sizes.MEASURES}
    score, auc = of["score"], of["auc"][~np.isnan(of["auc"]).any(axis=1)]
    ranks = [rankdata(-np.round(each, 4), axis=1).mean(axis=0) for each in (score, auc)]
    for i, criterion in enumerate(CRITERIA):
        figures = [f"{ranks[0][i]:.2f}", f"{ranks[1][i]:.2f}"]
        for each in (score, auc):
            figures += [f"{each[:, i].mean():.4f}", compared(each[:, i] - each[:, 0])]
        figures += [f"{np.median(of[name][:, i]):.1f}" for name in ("leaves", "depth")]
        print(f"| {criterion} | {' | '.join(figures)} | {of['depth'][:, i].mean():.1f} |")


def compared(gains: Array) -> str:
    """How often a difference is positive and negative, and the p value of Wilcoxon's test."""
    if not gains.any():
        return ""
    p = wilcoxon(gains).pvalue
    return f"{(gains > NOTHING).sum()}, {(gains < -NOTHING).sum()} ({p:.2f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("only", nargs="*", metavar="set", help="which sets; all by default")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="keep results here, and go on from there next time")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.only if name not in SETS]
    if unknown:
        parser.error(f"unknown set {unknown[0]!r} (known: {', '.join(SETS)})")
    if not defaults.SHARED.exists():
        print("skipped: there is no ../shared/data beside the repository")
        return
    warnings.simplefilter("ignore")
    results = sizes.kept(arguments.keep)
    names = arguments.only or list(SETS)
    for name in names:
        row = results.setdefault(name, {})
        missing = [criterion for criterion in CRITERIA if criterion not in row]
        if missing:
            rows, target = SETS[name]()
            row |= {criterion: measured(rows, target, criterion) for criterion in missing}
            print(
                f"{name}: {', '.join(f'{criterion} {sizes.cell(row[criterion])}' for criterion in row)}", flush=True
            )
        if arguments.keep is not None:
            arguments.keep.write_text(
                json.dumps({k: {c: asdict(v) for c, v in r.items()} for k, r in results.items()})
            )
    shown = {name: results[name] for name in names}
    print_sets(shown)
    print_all(shown)


if __name__ == "__main__":
    main()
