"""One readable tree over molecules, beside scikit-learn's trees and forests on what RDKit computes.

Run as ``python benchmarks/molecules.py`` (half an hour), with some of ``tasks hiv smarts`` to run only those, or with
``--quick`` for a look at each in some minutes. The real data is read from ``../shared/data`` beside the repository.

Our tree asks what the grammar ``molecules`` allows. The others see 2048 bits of a Morgan fingerprint of radius 2, or
all of RDKit's descriptors (217). Folds and run are the same for all; the limits of our tree were chosen once for all
tasks, and scikit-learn's trees are tried with the same limits and without.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from measuring import peak_megabytes
from numpy.typing import NDArray
from rdkit import Chem, rdBase
from rdkit.Chem import Descriptors, rdFingerprintGenerator
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.metrics import r2_score, roc_auc_score
from sklearn.model_selection import KFold, StratifiedKFold, train_test_split
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from structtree import Population, StructuralTreeClassifier, StructuralTreeRegressor, holds
from structtree.export.smarts import SmartsPattern, SmartsTest, to_smarts
from structtree.report.text import export_text

MOLNET = Path(__file__).resolve().parents[2] / "shared" / "data" / "molnet"
LIMITS: Mapping[str, Any] = {"max_depth": 8, "min_samples_leaf": 10}
POINTS = 0.03
FOLDS = 5
QUICK = 300

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Task:
    """A column to predict: a class 0 or 1, or a number."""

    name: str
    file: str
    column: str
    is_number: bool = False


# Of Tox21 the five tasks with most active molecules.
TASKS = (
    Task("ESOL", "esol.csv", "logSolubility", is_number=True),
    Task("FreeSolv", "freesolv.csv", "freesolv", is_number=True),
    Task("BBBP", "bbbp.csv", "p_np"),
    *(Task(f"Tox21 {name}", "tox21.csv.gz", name) for name in ("SR-ARE", "SR-MMP", "NR-ER", "NR-AhR", "SR-p53")),
)
HIV = Task("HIV", "hiv.csv.gz", "HIV_active")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("only", nargs="*", metavar="benchmark", help=f"which: {', '.join(BENCHMARKS)}; default all")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} molecules of each: whether it runs")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.only if name not in BENCHMARKS]
    if unknown:
        parser.error(f"unknown benchmark {unknown[0]!r} (known: {', '.join(BENCHMARKS)})")
    if not MOLNET.exists():
        print("skipped: there is no ../shared/data/molnet beside the repository")
        return
    for name in arguments.only or BENCHMARKS:
        print(f"\n== {name}\n", flush=True)
        BENCHMARKS[name](QUICK if arguments.quick else None)


# ---- molecules, in the form of each learner --------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Molecules:
    """The same molecules three times, and what is known of them."""

    population: Population
    fingerprints: Array
    descriptors: Array
    table: pd.DataFrame


class Forms(NamedTuple):
    """The molecules that a task has a label for, in the form of each learner, and the labels."""

    population: Population
    fingerprints: Array
    descriptors: Array
    target: Array


@cache
def molecules(file: str, n: int | None, with_descriptors: bool = True) -> Molecules:
    """The molecules of a file that RDKit can read, or so many of them."""
    table = pd.read_csv(MOLNET / file)
    if n is not None:
        table = table.sample(min(n, len(table)), random_state=0)
    with rdBase.BlockLogs():
        read = [Chem.MolFromSmiles(smiles) for smiles in table["smiles"]]
        kept = [molecule for molecule in read if molecule is not None]
        population = Population.from_molecules(kept)
        fingerprints = np.array([bits(molecule) for molecule in kept])
        numbers = (
            np.array([numbers_of(molecule) for molecule in kept]) if with_descriptors else np.empty((len(kept), 0))
        )
    return Molecules(population, fingerprints, numbers, table[[molecule is not None for molecule in read]])


@cache
def morgan() -> Any:
    return rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=2048)


def bits(molecule: Any) -> Array:
    return np.asarray(morgan().GetFingerprintAsNumPy(molecule))


def numbers_of(molecule: Any) -> Array:
    """All descriptors; what cannot be computed is 0, and what is huge is cut, as scikit-learn wants it."""
    numbers = np.array(list(Descriptors.CalcMolDescriptors(molecule).values()), dtype=np.float64)
    return np.nan_to_num(np.clip(numbers, -1e6, 1e6))


def forms(task: Task, n: int | None, with_descriptors: bool = True) -> Forms:
    known = molecules(task.file, n, with_descriptors)
    target = known.table[task.column].to_numpy(dtype=np.float64)
    has = ~np.isnan(target)
    labels = target[has] if task.is_number else target[has].astype(np.int64)
    return Forms(known.population.take(has), known.fingerprints[has], known.descriptors[has], labels)


# ---- learners --------------------------------------------------------------------------------------------


class Learner(NamedTuple):
    """A way to learn: which form of the molecules it sees, and how a fresh estimator is made."""

    form: str
    make: Callable[[], Any]


def learners(is_number: bool) -> dict[str, Learner]:
    if is_number:
        ours: Any = lambda: StructuralTreeRegressor("molecules", **LIMITS)  # noqa: E731
        tree, forest = DecisionTreeRegressor, RandomForestRegressor
    else:
        ours = lambda: StructuralTreeClassifier(  # noqa: E731
            "molecules", criterion="entropy", leaf_estimate="m-branch", m=20, **LIMITS
        )
        tree, forest = DecisionTreeClassifier, RandomForestClassifier
    found = {"ours": Learner("population", ours)}
    for short, form in (("bits", "fingerprints"), ("numbers", "descriptors")):
        found[f"tree {short}"] = Learner(form, lambda: tree(random_state=0))
        found[f"limited {short}"] = Learner(form, lambda: tree(random_state=0, **LIMITS))
        found[f"forest {short}"] = Learner(form, lambda: forest(random_state=0, n_jobs=-1))
    return found


class Outcome(NamedTuple):
    """What a learner made of one fold; leaves only of trees."""

    score: float
    seconds: float
    leaves: int | None


def outcome(learner: Learner, data: Forms, train: Array, test: Array, is_number: bool) -> Outcome:
    given = getattr(data, learner.form)
    estimator = learner.make()
    started = time.perf_counter()
    estimator.fit(part(given, train), data.target[train])
    seconds = time.perf_counter() - started
    leaves = estimator.get_n_leaves() if hasattr(estimator, "get_n_leaves") else None
    return Outcome(score(estimator, part(given, test), data.target[test], is_number), seconds, leaves)


def part(given: Any, which: Array) -> Any:
    return given.take(which) if isinstance(given, Population) else given[which]


def score(estimator: Any, given: Any, target: Array, is_number: bool) -> float:
    if is_number:
        return float(r2_score(target, estimator.predict(given)))
    return float(roc_auc_score(target, estimator.predict_proba(given)[:, 1]))


# ---- eight tasks -----------------------------------------------------------------------------------------


def bench_tasks(n: int | None) -> None:
    """All learners on all tasks, and where ours stands."""
    results = {}
    heads = list(learners(is_number=True))
    print(f"{'task':<14} {'molecules':>9} {'measure':<8}" + "".join(f"{head:>16}" for head in heads), end="")
    print(f"{'leaves':>8} {'s a fit':>8}")
    for task in TASKS:
        data = forms(task, n)
        results[task.name] = found = cross_validated(task, data)
        measure = "R²" if task.is_number else "ROC-AUC"
        print(f"{task.name:<14} {len(data.target):>9,} {measure:<8}", end="")
        print("".join(f"{np.mean([fold.score for fold in found[head]]):>16.3f}" for head in heads), end="")
        leaves, seconds = ([getattr(fold, name) for fold in found["ours"]] for name in ("leaves", "seconds"))
        print(f"{np.mean(leaves):>8.0f} {np.median(seconds):>8.2f}", flush=True)
    print()
    for line in standing({task: means(found) for task, found in results.items()}):
        print(line)


def cross_validated(task: Task, data: Forms) -> dict[str, list[Outcome]]:
    kind = KFold if task.is_number else StratifiedKFold
    folds = list(kind(FOLDS, shuffle=True, random_state=0).split(data.target, data.target))
    return {
        name: [outcome(learner, data, train, test, task.is_number) for train, test in folds]
        for name, learner in learners(task.is_number).items()
    }


def means(found: Mapping[str, list[Outcome]]) -> dict[str, float]:
    return {name: float(np.mean([fold.score for fold in folds])) for name, folds in found.items()}


def standing(tasks: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    """Where ours is ahead, and where it is near."""
    for form in ("bits", "numbers"):
        better = [
            t for t, found in tasks.items() if found["ours"] > max(found[f"tree {form}"], found[f"limited {form}"])
        ]
        yield f"ours beats the single tree on {form}, the better of two, on {len(better)} of {len(tasks)}: {better}"
    for form in ("bits", "numbers"):
        near = [t for t, found in tasks.items() if found["ours"] >= found[f"forest {form}"] - POINTS]
        yield f"ours is within 3 points of the forest on {form}, or ahead, on {len(near)} of {len(tasks)}: {near}"


# ---- HIV: 41,127 molecules -------------------------------------------------------------------------------


def bench_hiv(n: int | None) -> None:
    """A tree of depth 5 in at most ten minutes, in a process of its own so that its peak memory is known."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as child:
        for line in child.submit(hiv_lines, None if n is None else 10 * n).result():
            print(line)
    data = forms(HIV, None if n is None else 10 * n, with_descriptors=False)
    train, test = hiv_split(data.target)
    for name, make in {
        "tree on bits, depth 5": lambda: DecisionTreeClassifier(max_depth=5, min_samples_leaf=20, random_state=0),
        "forest on bits": lambda: RandomForestClassifier(random_state=0, n_jobs=-1),
    }.items():
        found = outcome(Learner("fingerprints", make), data, train, test, is_number=False)
        print(f"{name}: ROC-AUC {found.score:.3f}, {found.seconds:.1f} s", flush=True)


def hiv_split(target: Array) -> tuple[Array, Array]:
    train, test = train_test_split(np.arange(len(target)), test_size=0.2, stratify=target, random_state=0)
    return train, test


def hiv_lines(n: int | None) -> list[str]:
    """What is seen of our tree, in lines."""
    started = time.perf_counter()
    table = pd.read_csv(MOLNET / HIV.file)
    table = table if n is None else table.sample(n, random_state=0)
    with warnings.catch_warnings(), rdBase.BlockLogs():
        warnings.simplefilter("ignore")  # seven molecules that RDKit cannot read are left out
        active = {"active": table[HIV.column].tolist()}
        read = Population.from_molecules(table["smiles"].tolist(), columns=active, skip_bad=True)
    population, labels = read.split_target("active")
    target = labels.astype(np.int64)
    reading = time.perf_counter() - started
    train, test = hiv_split(target)
    estimator = StructuralTreeClassifier(
        "molecules", criterion="entropy", max_depth=5, min_samples_leaf=20, leaf_estimate="m-branch", m=20
    )
    started = time.perf_counter()
    estimator.fit(population.take(train), target[train])
    seconds = time.perf_counter() - started
    tried = sum(estimator.tree_.nodes[i].found.evaluated for i in estimator.tree_.branches)
    peak = peak_megabytes()
    auc = score(estimator, population.take(test), target[test], is_number=False)
    return [
        f"{len(target):,} molecules read in {reading:.0f} s",
        f"a tree of {len(train):,} of them in {seconds:.0f} s (at most 600; the default limit is 60)",
        f"ours, depth 5: ROC-AUC {auc:.3f}, {estimator.get_n_leaves()} leaves, {tried:,} tests tried, "
        f"{len(estimator.unproved_)} nodes not proved, stopped by {estimator.stopped_by_}",
        f"peak memory {peak:,.0f} MB",
        export_text(estimator.tree_),
    ]


# ---- default trees in SMARTS -----------------------------------------------------------------------------


def bench_smarts(n: int | None) -> None:
    """How many tests of default trees SMARTS can express, and whether RDKit agrees with them on every molecule."""
    known = [smarts_of(task, n) for task in TASKS]
    print(f"{'task':<14} {'leaves':>7} {'tests':>6} {'in SMARTS':>10} {'different':>10}  not in SMARTS")
    for task, each in zip(TASKS, known, strict=True):
        reasons = ", ".join(sorted(set(each.reasons)))
        print(f"{task.name:<14} {each.leaves:>7} {each.tests:>6} {each.exported:>10} {each.different:>10}  {reasons}")
    tests, exported = sum(each.tests for each in known), sum(each.exported for each in known)
    print(f"in SMARTS: {exported} of {tests} ({exported / tests:.1%})")


class InSmarts(NamedTuple):
    """The tests of a tree: how many SMARTS expresses, what RDKit sees differently, and what the others are about."""

    leaves: int
    tests: int
    exported: int
    different: int
    reasons: list[str]


def smarts_of(task: Task, n: int | None) -> InSmarts:
    data = forms(task, n, with_descriptors=False)
    estimator = StructuralTreeRegressor() if task.is_number else StructuralTreeClassifier()
    tree = estimator.fit(data.population, data.target).tree_
    known, molecules = estimator.model_.prepared(data.population), read_again(task, n)
    found = {tree.nodes[node].test: to_smarts(tree.nodes[node].test) for node in tree.branches}
    different = sum(
        int(np.sum(holds(test, known) != [matches(said, molecule) for molecule in molecules]))
        for test, said in found.items()
        if not said.problem
    )
    said = [to_smarts(tree.nodes[node].test) for node in tree.branches]
    reasons = [each.problem.split(" describes")[0] for each in said if each.problem]
    return InSmarts(len(tree.leaves), len(said), len(said) - len(reasons), different, reasons)


def read_again(task: Task, n: int | None) -> list[Any]:
    """The molecules of `forms`, as RDKit reads them."""
    table = molecules(task.file, n, with_descriptors=False).table
    return [Chem.MolFromSmiles(smiles) for smiles in table["smiles"][table[task.column].notna()]]


def matches(said: SmartsTest, molecule: Any) -> bool:
    """Evaluate a test in RDKit."""
    return any(all(map(partial(is_matched, molecule), patterns)) for patterns in said.alternatives)


def is_matched(molecule: Any, pattern: SmartsPattern) -> bool:
    n = len(molecule.GetSubstructMatches(compiled(pattern.smarts), maxMatches=100_000))
    return n >= pattern.n if pattern.op == ">=" else n <= pattern.n


@cache
def compiled(smarts: str) -> Any:
    return Chem.MolFromSmarts(smarts)


BENCHMARKS: dict[str, Callable[[int | None], None]] = {
    "tasks": bench_tasks,
    "hiv": bench_hiv,
    "smarts": bench_smarts,
}

if __name__ == "__main__":
    main()
