"""What comes out without any option: the goals beside fixed settings and scikit-learn's default tree, on many sets.

Run as ``python benchmarks/defaults.py`` (about an hour on two cores), with the names of some sets to run only those,
or with ``--quick`` for the small ones. Real data is read from ``../shared/data`` beside the repository.

Every set is divided into five folds, small ones three times. Whatever a setting chooses, it chooses inside the four
that it learns from, so that nothing is tuned on the fold that judges it. scikit-learn's tree sees a flat table:
nominal attributes as one column a value, and what is behind links as counts, means and extremes.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import datafiles
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from structtree import Population, StructuralTreeClassifier, StructuralTreeRegressor, open_data
from structtree.data.readers.tables.reading import from_frame

SHARED = datafiles.SHARED
SECONDS = 20.0
"""For each fit."""

FEW = 1000
"""Sets with fewer individuals are divided three times."""

Array = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """Individuals, and a class or a number for each."""

    population: Population
    target: Array


@dataclass(frozen=True, slots=True)
class Result:
    """Mean over the folds: accuracy or R², ROC-AUC (two classes), log loss, leaves and seconds of a fit."""

    score: float
    auc: float
    log_loss: float
    leaves: float
    seconds: float


# ---- the sets ---------------------------------------------------------------------------------------------


def opened(name: str, target: str | None = None, **options: Any) -> Task:
    found = open_data(SHARED / name, target=target, unlabelled="leave out", **options)
    assert found.target is not None
    return Task(found.population, found.target)


def classes(task: Task) -> Task:
    return Task(task.population, task.target.astype(str))


def arff(name: str, *ignored: str) -> Task:
    found = open_data(SHARED / "uci" / name, ignore=ignored)
    assert found.target is not None
    return Task(found.population, found.target)


def table(frame: pd.DataFrame, target: str) -> Task:
    return Task(from_frame(frame.drop(columns=target)), frame[target].astype(str).to_numpy())


def first_is_class(name: str) -> Task:
    frame = pd.read_csv(SHARED / "uci" / name, header=None, na_values="?").rename(columns=lambda i: f"v{i}")
    return table(frame, "v0")


def adult() -> Task:
    frame = pd.read_csv(SHARED / "uci/adult-train.csv.gz", header=None, skipinitialspace=True, na_values="?")
    return table(frame.rename(columns=lambda i: f"v{i}").sample(8000, random_state=0), "v14")


def monks(k: int) -> Task:
    names = ["y", *(f"a{i}" for i in range(1, 7)), "id"]
    frame = pd.read_csv(SHARED / f"uci/monks-{k}.train", sep=r"\s+", header=None, names=names, dtype=str)
    return table(frame.drop(columns="id"), "y")


def musk() -> Task:
    with tempfile.TemporaryDirectory() as folder:
        made = datafiles.musk(Path(folder))
        assert made is not None
        return opened(str(made.path), "musk")


def generated(kind: str) -> Task:
    with tempfile.TemporaryDirectory() as folder:
        made = getattr(datafiles, kind)(Path(folder), 1500, 7)
        found = open_data(made.path, target=made.options[1], ignore=["id"])
    assert found.target is not None
    return Task(found.population, found.target)


def molecules(file: str, column: str, *, number: bool = False) -> Task:
    frame = pd.read_csv(SHARED / "molnet" / file, usecols=["smiles", column]).dropna()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the molecules that RDKit cannot read
        path = Path(folder) / "molecules.csv"
        frame.to_csv(path, index=False)
        found = open_data(path, target=column, skip_bad=True)
    assert found.target is not None
    return Task(found.population, found.target.astype(float) if number else found.target.astype(str))


SMALL: Mapping[str, Callable[[], Task]] = {
    "zoo": lambda: arff("zoo.arff"),
    "audiology": lambda: arff("audiology.arff"),
    "monks-1": lambda: monks(1),
    "monks-2": lambda: monks(2),
    "monks-3": lambda: monks(3),
    "votes": lambda: first_is_class("house-votes-84.data"),
    "tic-tac-toe": lambda: arff("tic-tac-toe.arff"),
    "car": lambda: arff("car.arff"),
    "kr-vs-kp": lambda: arff("kr-vs-kp.arff.gz"),
    "splice": lambda: arff("splice.arff.gz", "Instance_name"),
    "mushroom": lambda: first_is_class("agaricus-lepiota.data.gz"),
    "adult": adult,
    "autompg": lambda: arff("autompg.arff"),
    "servo": lambda: arff("servo.arff"),
    "housing": lambda: arff("housing.arff"),
    "MUTAG": lambda: classes(opened("mutag")),
    "FreeSolv": lambda: molecules("freesolv.csv", "freesolv", number=True),
    "ESOL": lambda: molecules("esol.csv", "logSolubility", number=True),
    "BBBP": lambda: molecules("bbbp.csv", "p_np"),
    "SIDER hepatobiliary": lambda: molecules("sider.csv.gz", "Hepatobiliary_disorders"),
}
LARGE: Mapping[str, Callable[[], Task]] = {
    "Lipophilicity": lambda: molecules("lipo.csv.gz", "lipo", number=True),
    "Tox21 SR-ARE": lambda: molecules("tox21.csv.gz", "SR-ARE"),
    "Tox21 NR-AhR": lambda: molecules("tox21.csv.gz", "NR-AhR"),
    "PROTEINS": lambda: classes(opened("proteins")),
    "Musk-1": musk,
    "customers (made)": lambda: generated("customers"),
    "spending (made)": lambda: generated("spending"),
}


# ---- the settings -----------------------------------------------------------------------------------------


def ours(**options: Any) -> Callable[[Task], Any]:
    def make(task: Task) -> Any:
        number, n = task.target.dtype.kind == "f", len(task.target)
        given = {name: value(n) if callable(value) else value for name, value in options.items()}
        if number:
            given = {name: value for name, value in given.items() if name not in ("criterion", "leaf_estimate", "m")}
        kind = StructuralTreeRegressor if number else StructuralTreeClassifier
        return kind(time_limit=SECONDS, **given)

    return make


def theirs(task: Task) -> Any:
    kind = DecisionTreeRegressor if task.target.dtype.kind == "f" else DecisionTreeClassifier
    return kind(random_state=0)


SETTINGS: Mapping[str, Callable[[Task], Any]] = {
    "accuracy (default)": ours(),
    "ranking": ours(goal="ranking"),
    "reading": ours(goal="reading"),
    "full": ours(grow="full"),
    "depth 8": ours(
        criterion="entropy",
        max_depth=8,
        min_samples_leaf=lambda n: 10 if n >= 1000 else 5,
        leaf_estimate="m-branch",
        m=20.0,
    ),
    "12 leaves, acc*": ours(criterion="acc*", max_leaf_nodes=12),
    "12 leaves, entropy": ours(criterion="entropy", max_leaf_nodes=12),
    "scikit-learn": theirs,
}
GOALS = ("accuracy (default)", "ranking", "reading")


def flattened(population: Population) -> Array:
    """The individuals as rows of numbers: their own attributes, and sums over what two links lead to."""
    schema, rows = population.schema, population.individuals
    columns = [*_own_columns(population, schema.individual, rows)]
    start = pd.DataFrame({"individual": np.arange(len(rows)), "row": rows})
    paths = [(schema.individual, start)]
    for _ in range(2):
        further = []
        for name, pairs in paths:
            for link in schema.type(name).links:
                there = _followed(population, name, link.name, pairs)
                columns += _sums(population, link.target, there, len(rows))
                further.append((link.target, there))
        paths = further
    return np.column_stack(columns)


def _own_columns(population: Population, name: str, rows: Array) -> Iterator[Array]:
    for column in population.tables[name].columns.values():
        values = column.values[rows]
        if column.kind == "nominal":
            yield from (np.asarray(values == code, dtype=float) for code in range(len(column.categories)))
        else:
            yield np.where(np.asarray(column.missing)[rows], np.nan, values.astype(float))


def _followed(population: Population, name: str, link: str, pairs: pd.DataFrame) -> pd.DataFrame:
    adjacency = population.tables[name].links[link]
    starts, ends = adjacency.offsets[pairs["row"]], adjacency.offsets[pairs["row"] + 1]
    who = np.repeat(pairs["individual"].to_numpy(), ends - starts)
    places = np.concatenate([np.arange(a, b) for a, b in zip(starts, ends, strict=True)] or [np.zeros(0, int)])
    return pd.DataFrame({"individual": who, "row": adjacency.targets[places.astype(int)]})


def _sums(population: Population, name: str, pairs: pd.DataFrame, n: int) -> list[Array]:
    who = pairs["individual"].to_numpy()
    found = [np.bincount(who, minlength=n).astype(float)]
    for column, values in zip(
        population.tables[name].columns.values(),
        _by_column(population, name, pairs["row"].to_numpy()),
        strict=True,
    ):
        if column.kind in ("nominal", "bool"):
            found += [np.bincount(who, each, n) for each in values]
        else:
            grouped = pd.Series(values[0]).groupby(who)
            found += [each.reindex(range(n)).to_numpy() for each in (grouped.mean(), grouped.min(), grouped.max())]
    return found


def _by_column(population: Population, name: str, rows: Array) -> Iterator[list[Array]]:
    for column in population.tables[name].columns.values():
        values = column.values[rows]
        if column.kind == "nominal":
            yield [np.asarray(values == code, dtype=float) for code in range(len(column.categories))]
        elif column.kind == "bool":
            yield [np.asarray(values == 1, dtype=float)]
        else:
            yield [np.where(np.asarray(column.missing)[rows], np.nan, values.astype(float))]


# ---- measuring --------------------------------------------------------------------------------------------


def measured(name: str) -> dict[str, Result]:
    """Every setting on the same folds of a set."""
    warnings.simplefilter("ignore")
    task = {**SMALL, **LARGE}[name]()
    flat = flattened(task.population)
    found: dict[str, list[Result]] = {setting: [] for setting in SETTINGS}
    for train, test in folds(task.target):
        learned = Task(task.population.take(train), task.target[train])
        for setting, make in SETTINGS.items():
            given, other = learned.population, task.population.take(test)
            if setting == "scikit-learn":
                given, other = flat[train], flat[test]
            estimator, started = make(learned), time.perf_counter()
            estimator.fit(given, learned.target)
            found[setting].append(judged(estimator, other, task.target[test], time.perf_counter() - started))
    return {setting: mean_of(results) for setting, results in found.items()}


def folds(target: Array) -> Iterator[tuple[Array, Array]]:
    """Five folds; three times five where there are few individuals, since chance has more to say there."""
    for seed in range(3 if len(target) < FEW else 1):
        if target.dtype.kind == "f":
            yield from KFold(5, shuffle=True, random_state=seed).split(target)
        else:
            yield from StratifiedKFold(5, shuffle=True, random_state=seed).split(target, target)


def judged(estimator: Any, individuals: Any, truth: Array, seconds: float) -> Result:
    score, leaves = estimator.score(individuals, truth), estimator.get_n_leaves()
    if not hasattr(estimator, "predict_proba"):
        return Result(score, np.nan, np.nan, leaves, seconds)
    sure, known = estimator.predict_proba(individuals), list(estimator.classes_)
    two = len(known) == 2 and len(set(truth)) == 2
    auc = roc_auc_score(truth == known[1], sure[:, 1]) if two else np.nan
    loss = log_loss(truth, sure, labels=known) if set(truth) <= set(known) else np.nan
    return Result(score, auc, loss, leaves, seconds)


def mean_of(results: list[Result]) -> Result:
    names = Result.__dataclass_fields__
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Result(*(float(np.nanmean([getattr(one, name) for one in results])) for name in names))


# ---- what is printed --------------------------------------------------------------------------------------


def print_all(results: Mapping[str, Mapping[str, Result]]) -> None:
    fixed = [setting for setting in SETTINGS if setting not in GOALS]
    print("\n## Accuracy, or R² (leaves)\n")
    print_table(results, lambda one: f"{one.score:.3f} ({one.leaves:.0f})")
    print("\n## ROC-AUC of two classes (log loss of classes)\n")
    print_table(
        {name: row for name, row in results.items() if not np.isnan(row["full"].log_loss)},
        lambda one: ("" if np.isnan(one.auc) else f"{one.auc:.3f} ") + f"({one.log_loss:.3f})",
    )
    print("\n## Over all sets\n")
    heads = (
        "setting",
        "mean rank, score",
        "mean rank, AUC",
        "median leaves",
        "worst against the best fixed",
        "seconds",
    )
    print(f"| {' | '.join(heads)} |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    scores, aucs = (grid(results, measure) for measure in ("score", "auc"))
    ranks = [rankdata(-np.round(each, 4), axis=1).mean(axis=0) for each in (scores, aucs[~np.isnan(aucs[:, 0])])]
    best = scores[:, [list(SETTINGS).index(setting) for setting in fixed]].max(axis=1)
    for i, setting in enumerate(SETTINGS):
        gaps = scores[:, i] - best
        worst = f"{100 * gaps.min():+.1f} ({list(results)[int(gaps.argmin())]})"
        leaves = np.median(grid(results, "leaves")[:, i])
        seconds = grid(results, "seconds")[:, i].mean()
        print(f"| {setting} | {ranks[0][i]:.2f} | {ranks[1][i]:.2f} | {leaves:.0f} | {worst} | {seconds:.1f} |")


def grid(results: Mapping[str, Mapping[str, Result]], measure: str) -> Array:
    return np.array([[getattr(row[setting], measure) for setting in SETTINGS] for row in results.values()])


def print_table(results: Mapping[str, Mapping[str, Result]], cell: Callable[[Result], str]) -> None:
    print(f"| set | {' | '.join(SETTINGS)} |")
    print(f"| --- |{' ---: |' * len(SETTINGS)}")
    for name, row in results.items():
        print(f"| {name} | {' | '.join(cell(row[setting]) for setting in SETTINGS)} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("only", nargs="*", metavar="set", help="which sets; all by default")
    parser.add_argument("--quick", action="store_true", help="the small sets only")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="keep results here, and go on from there next time")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.only if name not in {**SMALL, **LARGE}]
    if unknown:
        parser.error(f"unknown set {unknown[0]!r} (known: {', '.join([*SMALL, *LARGE])})")
    if not SHARED.exists():
        print("skipped: there is no ../shared/data beside the repository")
        return
    names = arguments.only or [*SMALL, *({} if arguments.quick else LARGE)]
    results = kept(arguments.keep)
    waiting = [name for name in names if name not in results]
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        for name, found in zip(waiting, pool.map(measured, waiting), strict=True):
            results[name] = found
            print(name, {setting: round(one.score, 3) for setting, one in found.items()}, flush=True)
            if arguments.keep is not None:
                text = json.dumps({name: {k: asdict(v) for k, v in row.items()} for name, row in results.items()})
                arguments.keep.write_text(text)
    print_all({name: results[name] for name in names})


def kept(path: Path | None) -> dict[str, dict[str, Result]]:
    if path is None or not path.exists():
        return {}
    known = json.loads(path.read_text())
    return {name: {k: Result(**v) for k, v in row.items()} for name, row in known.items()}


if __name__ == "__main__":
    main()
