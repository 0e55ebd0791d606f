"""How fast the best predicate is found and proved, and how that compares with what it must cost.

Run as ``python benchmarks/search.py`` (a few minutes), with some of ``musk thresholds node pysubgroup`` to run only
those, with ``--quick`` for a look at each in seconds, or with ``--profile`` to see where the time goes. The real data
is read from ``../shared/data`` beside the repository; what needs it is skipped without.

Each search runs once before it is timed, so that compiling the kernels does not count. README.md tells what each
benchmark measures and what was seen.
"""

from __future__ import annotations

import argparse
import cProfile
import gzip
import io
import json
import pstats
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from structtree.data.datasets.generators import bags
from structtree.data.population import Population
from structtree.data.readers.tables.reading import from_frame
from structtree.lang.grammar import Grammar
from structtree.lang.pretty import pretty
from structtree.search.best_split import Split, best_split
from structtree.search.columns import FamilyMembers, SpaceColumns, TestColumns
from structtree.search.kernels.counting import ranked_counts
from structtree.space.space import Space

HERE = Path(__file__).resolve().parent
SHARED = HERE.parent.parent / "shared" / "data"
# What a complete search of Musk may evaluate at most, and in how many seconds acc* must be through.
TARGETS = {"acc*": 2_914_727, "entropy": 6_500_000, "mse": 3_814_746}
TARGET_SECONDS = {"acc*": 3.0}
THRESHOLDS = "top -> f* >= *; top -> f* <= *; top -> top and top max 2"
CONJUNCTIONS = Grammar.parse("refine Individual { top -> * = *; top -> top and top max 3 }")
LOWER_THRESHOLDS = "top -> f* >= *; top -> top and top max 2"


@dataclass(frozen=True, slots=True)
class Labelled:
    """A population and the class of each individual."""

    population: Population
    target: NDArray[Any]


def main() -> None:
    arguments = parsed()
    if arguments.profile:
        show_profiles()
        return
    for name in arguments.only or BENCHMARKS:
        print(f"\n== {name}\n")
        BENCHMARKS[name](arguments.quick)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("only", nargs="*", metavar="benchmark", help=f"which: {', '.join(BENCHMARKS)}; default all")
    parser.add_argument("--quick", action="store_true", help="small budgets: whether it runs, not how fast")
    parser.add_argument("--profile", action="store_true", help="where the time goes, and nothing else")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.only if name not in BENCHMARKS]
    if unknown:
        parser.error(f"unknown benchmark {unknown[0]!r} (known: {', '.join(BENCHMARKS)})")
    return arguments


def taken(action: Callable[[], Any]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def shared(name: str) -> Path | None:
    path = SHARED / name
    if path.exists():
        return path
    print(f"skipped: there is no ../shared/data/{name} beside the repository")
    return None


# ---- Musk: a complete search of 1.6 billion predicates ---------------------------------------------------


def musk() -> Labelled | None:
    """Musk-1: 92 molecules as sets of 476 conformations with 166 features f1, f2, ..."""
    path = shared("musk/clean1.data.gz")
    if path is None:
        return None
    with gzip.open(path, "rt") as file:
        rows = [line.strip().rstrip(".").split(",") for line in file]
    table: dict[str, Any] = {"molecule": [row[0] for row in rows], "musk": [int(float(row[-1])) for row in rows]}
    table |= {f"f{i}": [int(row[1 + i]) for row in rows] for i in range(1, 167)}
    population = from_frame(pd.DataFrame(table), individual="Molecule", group="molecule", link="conformations")
    features, target = population.split_target("musk")
    return Labelled(features, target.astype(np.int64))


def bench_musk(quick: bool) -> None:
    data = musk()
    if data is None:
        return
    budget = 100_000 if quick else None
    grammar = Grammar.parse(multi_instance("top -> f* in bins(13); top -> top and top max 3", data.population))
    print(f"{'criterion':<14} {'evaluated':>11} {'at most':>11} {'expanded':>9} {'seconds':>8} {'under':>6} ", end="")
    print(f"{'predicates/s':>13} {'score':>9}  proved")
    for name in ("acc*", "accuracy", "entropy", "gini", "sqrt-gini", "gain-ratio"):
        print(musk_line(name, name, data.population, data.target, grammar, budget), flush=True)
    for seed in (0, 1):
        target = 2.0 * data.target + np.random.default_rng(seed).random(len(data.target))
        print(musk_line(f"mse, seed {seed}", "mse", data.population, target, grammar, budget), flush=True)


def musk_line(
    label: str, name: str, population: Population, target: NDArray[Any], grammar: Grammar, limit: int | None
) -> str:
    best_split(population, target, grammar, criterion=name, max_evaluations=20_000)
    found = best_split(population, target, grammar, criterion=name, max_evaluations=limit)
    stats = found.stats
    most, under = f"{TARGETS[name]:,}" if name in TARGETS else "", TARGET_SECONDS.get(name, "")
    return (
        f"{label:<14} {stats.evaluated:>11,} {most:>11} {stats.expanded:>9,} {stats.seconds:8.2f} {under!s:>6} "
        f"{stats.evaluated / stats.seconds:>13,.0f} {found.score:9.5f}  {'yes' if found.proved else 'budget'}"
    )


def multi_instance(rewrites: str, population: Population) -> str:
    """A grammar for sets of vectors, with these rewrites of a vector."""
    vector = population.schema.type(population.schema.individual).links[0].target
    return f"refine Individual {{ top -> exists conformations (top) }}\nrefine {vector} {{ {rewrites} }}"


# ---- exact thresholds, beside the bare kernel ------------------------------------------------------------


def bench_thresholds(quick: bool) -> None:
    data = musk()
    if data is None:
        return
    limit = 1.0 if quick else 20.0
    print(f"at most {limit:.0f} s each, one thread; the target is 7,000,000 predicates/s\n")
    print(f"{'tests':<18} {'pruned':<7} {'space':>12} {'evaluated':>12} {'seconds':>8} {'predicates/s':>13} ", end="")
    print(f"{'kernel alone/s':>15} {'ratio':>6}  proved")
    for label, rewrites in (("f* >= *, f* <= *", THRESHOLDS), ("f* >= *", LOWER_THRESHOLDS)):
        grammar = Grammar.parse(multi_instance(rewrites, data.population))
        space = Space.build(grammar, data.population)
        best_split(data.population, data.target, grammar, max_evaluations=200_000)
        for prune in (False, True):
            found = best_split(data.population, data.target, grammar, prune=prune, time_limit=limit)
            speed = found.stats.evaluated / found.stats.seconds
            alone = kernel_speed(space, data.target, found.stats.expanded)
            print(
                f"{label:<18} {'yes' if prune else 'no':<7} {space.size():>12,} {found.stats.evaluated:>12,} "
                f"{found.stats.seconds:8.2f} {speed:>13,.0f} {alone:>15,.0f} {alone / speed:6.2f}  "
                f"{'yes' if found.proved else 'time'}",
                flush=True,
            )


def kernel_speed(space: Space, target: NDArray[Any], expanded: int) -> float:
    """Predicates a second of the kernel by itself, on a sample of what a search with so many expansions does.

    Best-first search expands first what keeps most rows; the sample is taken evenly from as many first tests.
    """
    population = space.population
    assert population is not None
    (link,) = population.schema.type(population.schema.individual).links
    columns = SpaceColumns(space).of(link.target)[1]
    owners = population.table(population.schema.individual).links[link.name].owners.astype(np.int32)
    labels, weights = target.astype(np.int32), np.ones(len(target))
    # Predicates of two tests are not refined further, so nobody asks which of them keep the same rows.
    hashes = np.zeros((2, 0), dtype=np.uint64)
    members = range(len(columns.members.families))
    first = np.argsort([-len(rows_kept(columns, member)) for member in members], kind="stable")
    first = first[: max(1, expanded)]
    chosen = first[np.linspace(0, len(first) - 1, min(len(first), 500)).astype(np.int64)]
    calls = [(rows_kept(columns, int(member)), *columns_after(columns, int(member))) for member in chosen]

    def count_all() -> None:
        for rows, values, offsets in calls:
            ranked_counts(owners[rows], rows, values, offsets, labels, weights, 2, hashes)

    count_all()
    return float(sum(offsets[-1] for _, _, offsets in calls) / taken(count_all))


def rows_kept(columns: TestColumns[FamilyMembers], member: int) -> NDArray[np.int32]:
    column = column_of(columns, member)
    return np.flatnonzero(columns.values[column] > member - columns.offsets[column]).astype(np.int32)


def columns_after(columns: TestColumns[FamilyMembers], member: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The columns of a member's family and the later ones, and where their members begin."""
    column = column_of(columns, member)
    return columns.values[column:], columns.offsets[column:] - columns.offsets[column]


def column_of(columns: TestColumns[FamilyMembers], member: int) -> int:
    return int(np.searchsorted(columns.offsets, member, side="right")) - 1


# ---- what a node of a tree costs -------------------------------------------------------------------------


def bench_node(quick: bool) -> None:
    n, features = (2_000, 10) if quick else (20_000, 40)
    population, target = bags(n=n, instances=(2, 20), features=features, seed=0).split_target("class")
    rows = population.table("Conformation").n_rows
    print(f"{n:,} generated bags with {rows:,} rows of {features} features; the same space without pruning, so that")
    print("the same predicates are evaluated; a node of 1 % should cost at most 3 % of the whole\n")
    print(f"{'tests':<22} {'individuals':>11} {'evaluated':>10} {'seconds':>8} {'of the whole':>13}  target")
    for label, rewrites in (
        ("one, 13 bins", "top -> f* in bins(13)"),
        ("one, thresholds", "top -> f* >= quantiles(100); top -> f* <= quantiles(100)"),
        ("two, 13 bins", "top -> f* in bins(13); top -> top and top max 2"),
    ):
        for line in node_lines(label, Grammar.parse(multi_instance(rewrites, population)), population, target):
            print(line, flush=True)


def node_lines(label: str, grammar: Grammar, population: Population, target: NDArray[Any]) -> Iterator[str]:
    rng = np.random.default_rng(0)
    whole = 0.0
    for share in (1.0, 0.1, 0.01):
        chosen = np.sort(rng.choice(len(population), size=int(len(population) * share), replace=False))
        found = quickest(3, population.take(chosen), target[chosen], grammar, prune=False)
        whole = whole or found.seconds
        aim = {0.01: "<= 3 %"}.get(share, "")
        yield (
            f"{label:<22} {len(chosen):>11,} {found.split.stats.evaluated:>10,} {found.seconds:8.3f} "
            f"{found.seconds / whole:>12.1%}  {aim}"
        )


@dataclass(frozen=True, slots=True)
class Timed:
    """A split, and the seconds of the whole call, reading the grammar's space off the data included."""

    split: Split
    seconds: float


def quickest(repeats: int, population: Population, target: NDArray[Any], grammar: Grammar, **options: Any) -> Timed:
    """The quickest of some runs, after one that does not count."""
    split = best_split(population, target, grammar, **options)
    return Timed(
        split, min(taken(lambda: best_split(population, target, grammar, **options)) for _ in range(repeats))
    )


# ---- pysubgroup ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Theirs:
    """What pysubgroup found."""

    seconds: float
    quality: float
    conjunction: str


# (measure, algorithm): those that can run the measure. The last two measures are ours, in pysubgroup's own interface.
THEIR_RUNS = {
    "accuracy": (("wracc", "DFS"), ("wracc", "Apriori"), ("wracc", "GpGrowth")),
    "gini": (("chi2", "SimpleDFS"), ("chi2-closed", "Apriori"), ("chi2-bounded", "Apriori"), ("chi2-bounded", "DFS")),
}


def bench_pysubgroup(quick: bool) -> None:
    sets = {"mushroom": mushroom()} if quick else {"mushroom": mushroom(), "adult": adult()}
    with tempfile.TemporaryDirectory() as folder:
        python = install_pysubgroup(Path(folder))
        for name, table in sets.items():
            if table is not None:
                compare(name, table, python, Path(folder), cap=10.0 if quick else 60.0)


def compare(name: str, table: pd.DataFrame, python: Path | None, folder: Path, cap: float) -> None:
    path = folder / f"{name}.csv"
    table.to_csv(path, index=False)
    population = from_frame(table, types=dict.fromkeys(table.columns, "nominal"))
    features, target = population.split_target("class")
    classes, sizes = np.unique(target, return_counts=True)
    size = Space.build(CONJUNCTIONS, features).size()
    print(f"{name}: {len(table):,} rows, {len(table.columns) - 1} nominal attributes, {size:,} conjunctions\n")
    balanced = dict(zip(classes.tolist(), (len(target) / (2 * sizes)).tolist(), strict=True))
    for criterion, weights in (("accuracy", balanced), ("gini", None)):
        ours = quickest(3, features, target, CONJUNCTIONS, criterion=criterion, class_weight=weights)
        quality = (weighted_relative_accuracy if weights else chi_squared)(ours.split, sizes)
        print(
            f"  structtree, {'WRAcc (accuracy, balanced classes)' if weights else 'chi squared (gini)'}: "
            f"{ours.seconds:.4f} s, {ours.split.stats.evaluated:,} evaluated, quality {quality:.6g}: "
            f"{pretty(ours.split.predicate)}"
        )
        unpruned = quickest(1, features, target, CONJUNCTIONS, criterion=criterion, class_weight=weights, prune=False)
        print(
            f"  structtree, without pruning: {unpruned.seconds:.4f} s, {unpruned.split.stats.evaluated:,} evaluated"
        )
        for measure, algorithm in THEIR_RUNS[criterion] if python is not None else ():
            assert python is not None
            print(f"  {line_of(python, path, measure, algorithm, classes, ours.seconds, cap)}", flush=True)
        print()


def line_of(
    python: Path, path: Path, measure: str, algorithm: str, classes: NDArray[Any], ours: float, cap: float
) -> str:
    """One run of pysubgroup; WRAcc has a sign, so that it is run for each class and the better one counts."""
    positives = classes if measure == "wracc" else classes[:1]
    label = f"pysubgroup, {measure} by {algorithm}"
    try:
        runs = [their_search(python, path, measure, algorithm, str(positive), cap) for positive in positives]
    except subprocess.TimeoutExpired:
        return f"{label}: not through in {cap:.0f} s; ratio > {cap / ours:,.0f}"
    except subprocess.CalledProcessError as error:
        return f"{label}: failed: {error.stderr.strip().splitlines()[-1]}"
    best = max(runs, key=lambda run: run.quality)
    seconds = sum(run.seconds for run in runs)
    return f"{label}: {seconds:.4f} s, quality {best.quality:.6g}: {best.conjunction}; ratio {seconds / ours:,.1f}"


def their_search(python: Path, path: Path, measure: str, algorithm: str, positive: str, cap: float) -> Theirs:
    command = [str(python), str(HERE / "pysubgroup_side.py"), str(path), measure, algorithm, positive]
    # Ten seconds more, for what is not counted: imports and reading.
    done = subprocess.run(command, capture_output=True, text=True, timeout=cap + 10, check=True)
    answer = json.loads(done.stdout.splitlines()[-1])
    return Theirs(answer["seconds"], answer["quality"], answer["conjunction"])


def weighted_relative_accuracy(split: Split, sizes: NDArray[Any]) -> float:
    """p (1 - p) |TPR - FPR|, from counts that may be weighted by class."""
    rates = split.yes / (split.yes + split.no)
    share = sizes[0] / sizes.sum()
    return float(share * (1 - share) * abs(rates[0] - rates[1]))


def chi_squared(split: Split, sizes: NDArray[Any]) -> float:
    """For two classes N (1 - G / G0), where G is the Gini impurity of the split and G0 that of everybody."""
    kept, n = split.yes.sum(), sizes.sum()
    return float(n * (split.yes[0] * n - kept * sizes[0]) ** 2 / (sizes[0] * (n - sizes[0]) * kept * (n - kept)))


def install_pysubgroup(folder: Path) -> Path | None:
    """A Python of its own with pysubgroup from the package index; None if it cannot be had."""
    venv.create(folder / "venv", with_pip=True)
    python = folder / "venv" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "pysubgroup"]
    done = subprocess.run(install, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"pysubgroup could not be installed: {done.stderr.strip().splitlines()[-1]}\n")
        return None
    return python


def mushroom() -> pd.DataFrame | None:
    """8,124 mushrooms with 22 nominal attributes; that a value is unknown is a value here, for both sides."""
    path = shared("uci/agaricus-lepiota.data.gz")
    return None if path is None else text_table(path, [0], list(range(1, 23)))


def adult() -> pd.DataFrame | None:
    """32,561 people with the 8 nominal attributes of the census data."""
    path = shared("uci/adult-train.csv.gz")
    return None if path is None else text_table(path, [14], [1, 3, 5, 6, 7, 8, 9, 13])


def text_table(path: Path, target: list[int], attributes: list[int]) -> pd.DataFrame:
    table = pd.read_csv(path, header=None, dtype=str, keep_default_na=False, skipinitialspace=True)
    chosen = table[target + attributes].replace("?", "unknown")
    return chosen.set_axis(["class", *(f"a{i}" for i in range(1, len(attributes) + 1))], axis=1)


# ---- where the time goes ---------------------------------------------------------------------------------


def show_profiles() -> None:
    data = musk()
    if data is not None:
        for label, rewrites, limit in (
            ("Musk, 13 bins, three tests, acc*", "top -> f* in bins(13); top -> top and top max 3", None),
            ("Musk, thresholds, two tests, acc*, not pruned", THRESHOLDS, 10.0),
        ):
            grammar = Grammar.parse(multi_instance(rewrites, data.population))
            show_profile(label, data, grammar, prune=limit is None, time_limit=limit)
    table = mushroom()
    if table is not None:
        population = from_frame(table, types=dict.fromkeys(table.columns, "nominal"))
        show_profile("mushroom, gini", Labelled(*population.split_target("class")), CONJUNCTIONS, criterion="gini")


def show_profile(label: str, data: Labelled, grammar: Grammar, **options: Any) -> None:
    best_split(data.population, data.target, grammar, max_evaluations=200_000)
    profile = cProfile.Profile()
    profile.enable()
    best_split(data.population, data.target, grammar, **options)
    profile.disable()
    text = io.StringIO()
    pstats.Stats(profile, stream=text).strip_dirs().sort_stats("tottime").print_stats(15)
    print(f"\n== {label}\n{text.getvalue()}")


BENCHMARKS: dict[str, Callable[[bool], None]] = {
    "musk": bench_musk,
    "thresholds": bench_thresholds,
    "node": bench_node,
    "pysubgroup": bench_pysubgroup,
}

if __name__ == "__main__":
    main()
