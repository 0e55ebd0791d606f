"""Which criterion, which minimum leaf and how much pruning: the evidence for the defaults of ``--for accuracy``.

Run as ``python benchmarks/sizes.py --keep FILE`` (half an hour of one core), with the names of some sets to run only
those, also the slow ones; whatever the file has is not run again. Real data is read from ``../shared/data``.

Every set is divided into five folds, small ones three times; large ones are sampled first. A tree is grown once for
each criterion and minimum leaf, with the size chosen by cross-validation inside the four folds that it learns from.
The other slacks of that choice (how many standard errors a smaller tree may be worse than the best) are derived from
the same losses, so that settings which differ only in the slack have the same trees to choose from.
"""

from __future__ import annotations

import argparse
import copy
import json
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import defaults
import numpy as np
import pandas as pd
import relational
from defaults import Array, Task, classes, folds, judged, opened
from scipy.stats import rankdata

from structtree import StructuralTreeClassifier, StructuralTreeRegressor, Tree
from structtree.learn.pruning import Alpha, choose_alpha, pruning_path
from structtree.models.tree import subtree

SECONDS = 300.0
"""For each fit: a net, since the work of the searches is limited."""

MOST = 3000
"""Larger sets are sampled."""

CRITERIA = ("acc*", "gini", "entropy")
PER_LEAF = (5000, 1000, 200)
"""Minimum leaves: the number of training individuals per individual in a leaf; leaves need ten at the most."""

SLACKS = (0.0, 0.1, 0.5, 1.0)
PLAIN = "mse", 100
"""Criterion and minimum leaf for numbers, where only the slack is open."""


@dataclass(frozen=True, slots=True)
class Sized:
    """Mean over the folds: accuracy or R², ROC-AUC (two classes), leaves, depth, processor seconds of a fit.

    And the share of the fits that the time limit ended.
    """

    score: float
    auc: float
    leaves: float
    depth: float
    seconds: float
    unfinished: float


MEASURES = tuple(Sized.__dataclass_fields__)
Rows = dict[str, dict[str, Sized]]


# ---- the sets ---------------------------------------------------------------------------------------------


def related(name: str) -> Task:
    """A set of `relational.py`, with the derived grammar."""
    found = relational.TASKS[name]()
    return classes(Task(found.population, found.labels))


def promoters() -> Task:
    frame = pd.read_csv(defaults.SHARED / "sequences/promoters.data", header=None, dtype=str)
    return defaults.table(frame.drop(columns=0).rename(columns=lambda i: f"p{i}"), "p58")


MORE: Mapping[str, Callable[[], Task]] = {
    "promoters": promoters,
    "mutagenesis": lambda: related("mutagenesis"),
    "family (uncle)": lambda: related("family"),
    "imdb": lambda: related("imdb"),
    "roofworld20": lambda: related("roofworld20"),
    "krk": lambda: related("krk"),
    "ENZYMES": lambda: classes(opened("enzymes")),
    "carcinogenesis": lambda: related("carcinogenesis"),
    "NCI1": lambda: classes(opened("nci1")),
    "Mutagenicity": lambda: classes(opened("mutagenicity")),
}
SLOW = (
    *("PROTEINS", "Lipophilicity", "Tox21 SR-ARE", "Tox21 NR-AhR", "spending (made)"),
    *("ENZYMES", "carcinogenesis", "mutagenesis", "roofworld20"),
)
"""Sets whose trees take ten seconds of the processor or more, or may: run only if named."""

SETS = {**defaults.SMALL, **defaults.LARGE, **MORE}
QUICK = [name for name in SETS if name not in SLOW]


def sampled(task: Task) -> Task:
    n = len(task.target)
    if n <= MOST:
        return task
    rows = np.sort(np.random.default_rng(0).choice(n, MOST, replace=False))
    return Task(task.population.take(rows), task.target[rows])


# ---- one fit, several sizes -------------------------------------------------------------------------------


def least_leaf(n: int, per_leaf: int) -> int:
    return min(10, max(1, n // per_leaf))


def fits(task: Task) -> Mapping[str, tuple[str, int]]:
    """Names of the pairs of criterion and individuals per leaf that are compared on a set."""
    pairs = [PLAIN] if task.target.dtype.kind == "f" else [(c, per) for c in CRITERIA for per in PER_LEAF]
    return {f"{criterion}, n/{per}": (criterion, per) for criterion, per in pairs}


def measured(task: Task, criterion: str, least: int) -> dict[float, Sized]:
    """The results of a criterion and a minimum leaf for each slack."""
    found: dict[float, list[Sized]] = {slack: [] for slack in SLACKS}
    for train, test in folds(task.target):
        begun = time.process_time()
        estimator, alpha = fitted(task.population.take(train), task.target[train], criterion, least)
        seconds, others = time.process_time() - begun, task.population.take(test)
        for slack in SLACKS:
            smaller = estimator if alpha is None else pruned(estimator, alpha, slack)
            result = judged(smaller, others, task.target[test], seconds)
            depth, late = smaller.get_depth(), float(estimator.stopped_by_ is not None)
            found[slack].append(Sized(result.score, result.auc, result.leaves, depth, seconds, late))
    return {slack: mean_of(results) for slack, results in found.items()}


def fitted(population: Any, target: Array, criterion: str, least: int) -> tuple[Any, Alpha | None]:
    """A fitted estimator with the size of the lowest loss, and the losses of the other sizes."""
    kind = StructuralTreeRegressor if target.dtype.kind == "f" else StructuralTreeClassifier
    options: dict[str, Any] = {
        "min_samples_leaf": least,
        "ccp_alpha": "cv",
        "standard_errors": 0.0,
        "time_limit": SECONDS,
    }
    seen: list[Alpha] = []

    def noted(*args: Any, **kwargs: Any) -> Alpha:
        seen.append(choose_alpha(*args, **kwargs))
        return seen[-1]

    with patch("structtree.learn.fit.choose_alpha", noted):
        estimator = kind(criterion=criterion, **options).fit(population, target)
    return estimator, seen[0] if seen else None


def pruned(estimator: Any, found: Alpha, slack: float) -> Any:
    """The estimator with the tree of another slack, which is a pruning of the tree that it has."""
    model = estimator.model_
    first, last = (step_of(found, each) for each in (0.0, slack))
    path = pruning_path(model.tree)
    tree: Tree = subtree(model.tree, path.kept(last - first))
    assert len(tree.leaves) == found.path.n_leaves[last]
    other = copy.copy(estimator)
    other.model_ = replace(model, predictor=replace(model.predictor, tree=tree))
    return other


def step_of(found: Alpha, slack: float) -> int:
    """The last step whose loss is within some standard errors of the lowest, as in `choose_alpha`."""
    least = int(found.losses.argmin())
    most = found.losses[least] + slack * found.standard_errors[least] + 1e-9 * found.losses.max()
    return int(np.flatnonzero(found.losses <= most)[-1])


def mean_of(results: Sequence[Sized]) -> Sized:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a set with more than two classes has no AUC
        means = {
            name: float(np.nanmean([getattr(one, name) for one in results])) for name in Sized.__dataclass_fields__
        }
    return Sized(**means)


def run(name: str, results: Rows, keep: Path | None) -> None:
    """Add what is missing of a set to the results."""
    row = results.setdefault(name, {})
    task = sampled(SETS[name]())
    n = len(task.target) * 4 // 5
    done: dict[tuple[str, int], str] = {}
    for fit, (criterion, per) in fits(task).items():
        key = criterion, least_leaf(n, per)
        if f"{fit}, 0.0" not in row:
            same = done.get(key)
            found = {slack: row[f"{same}, {slack}"] for slack in SLACKS} if same else measured(task, *key)
            row |= {f"{fit}, {slack}": one for slack, one in found.items()}
            if keep is not None:
                keep.write_text(json.dumps({k: {s: asdict(v) for s, v in r.items()} for k, r in results.items()}))
        done[key] = fit
        one = row[f"{fit}, 0.0"]
        print(
            f"{name}: {fit}: {one.score:.3f} {one.auc:.3f} {one.leaves:.0f} leaves, {one.seconds:.1f} s", flush=True
        )


# ---- what is printed --------------------------------------------------------------------------------------


def print_sets(results: Rows, fit: str) -> None:
    """A table with a row for each set: score, AUC, leaves and depth for each slack."""
    print(f"\n## {fit}: score, AUC, leaves (depth) by slack\n")
    print(f"| set | {' | '.join(map(str, SLACKS))} |")
    print(f"| --- |{' --- |' * len(SLACKS)}")
    for name, row in results.items():
        if f"{fit}, 0.0" in row:
            print(f"| {name} | {' | '.join(cell(row[f'{fit}, {slack}']) for slack in SLACKS)} |")


def cell(one: Sized) -> str:
    auc = "" if np.isnan(one.auc) else f"{one.auc:.3f}, "
    return f"{one.score:.3f}, {auc}{one.leaves:.0f} ({one.depth:.0f})"


def print_all(results: Rows, settings: Sequence[str]) -> None:
    """A table with a row for each setting, over the sets that have all of them."""
    whole = {name: row for name, row in results.items() if all(setting in row for setting in settings)}
    if not whole:
        return
    print(f"\n## Over {len(whole)} sets\n")
    heads = (
        "setting",
        "rank, score",
        "rank, AUC",
        "leaves",
        "depth",
        "score",
        "AUC",
        "CPU s",
        "worst against the best",
    )
    print(f"| {' | '.join(heads)} |")
    print(f"| --- |{' ---: |' * (len(heads) - 1)}")
    of = {name: grid(whole, settings, name) for name in MEASURES}
    two = ~np.isnan(of["auc"]).any(axis=1)
    ranks = [rankdata(-np.round(each, 4), axis=1).mean(axis=0) for each in (of["score"], of["auc"][two])]
    gaps = of["score"] - of["score"].max(axis=1, keepdims=True)
    for i, setting in enumerate(settings):
        auc = f"{ranks[1][i]:.2f} | " if two.any() else " | "
        medians = " | ".join(f"{np.median(of[name][:, i]):.1f}" for name in ("leaves", "depth"))
        means = f"{of['score'][:, i].mean():.4f} | {of['auc'][two, i].mean():.4f} | {of['seconds'][:, i].mean():.1f}"
        worst = f"{100 * gaps[:, i].min():+.1f} ({list(whole)[int(gaps[:, i].argmin())]})"
        print(f"| {setting} | {ranks[0][i]:.2f} | {auc}{medians} | {means} | {worst} |")


def grid(results: Rows, settings: Sequence[str], measure: str) -> Array:
    return np.array([[getattr(row[setting], measure) for setting in settings] for row in results.values()])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("only", nargs="*", metavar="set", help="which sets; all but the slow ones by default")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="keep results here, and go on from there next time")
    parser.add_argument("--show", action="store_true", help="print what was kept, and run nothing")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.only if name not in SETS]
    if unknown:
        parser.error(f"unknown set {unknown[0]!r} (known: {', '.join(SETS)})")
    if not defaults.SHARED.exists():
        print("skipped: there is no ../shared/data beside the repository")
        return
    warnings.simplefilter("ignore")
    results = kept(arguments.keep)
    for name in () if arguments.show else arguments.only or QUICK:
        run(name, results, arguments.keep)
    shown = {name: results[name] for name in arguments.only or SETS if name in results}
    names = [f"{criterion}, n/{per}" for criterion in CRITERIA for per in PER_LEAF]
    plain = f"{PLAIN[0]}, n/{PLAIN[1]}"
    for fit in (*names, plain):
        print_sets(shown, fit)
    print_all(shown, [f"{fit}, {slack}" for fit in names for slack in SLACKS])
    print_all(shown, [f"{plain}, {slack}" for slack in SLACKS])


def kept(path: Path | None) -> Rows:
    if path is None or not path.exists():
        return {}
    return {name: {k: Sized(**v) for k, v in row.items()} for name, row in json.loads(path.read_text()).items()}


if __name__ == "__main__":
    main()
