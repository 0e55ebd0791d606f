"""Trees for the three tasks about Formula 1 drivers of RelBench, each by one command from the database as it is.

    python benchmarks/rel_f1.py                   # learn, judge on val, predict for test: some minutes
    python benchmarks/rel_f1.py driver-top3       # only this task
    python benchmarks/rel_f1.py --choose          # how the settings were chosen, on train alone

The database ends at 2010-01-01, and the test rows are dated up to six years after that: a test row sees less than one
of train or val, which knows what happened until its own day. So settings are chosen on train as the test rows will be
judged: learn from the rows before a year, and predict those of the years after it with the database frozen at that
year. A tree is judged on val in both ways: as of the date of each row, and frozen at 2005-01-01, as if val were test.
The predictions for test in ``benchmarks/results`` are of trees with the same settings that learned from train and
val. Nothing is known of their labels.

The constant of each driver (the mean of the labels in train, that of all for a driver without any) stands beside each
figure, and so does the same constant for everybody. Intervals hold 95 % of 1,000 bootstrap samples of the rows.
"""

from __future__ import annotations

import argparse
import gzip
import resource
import shlex
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from datafiles import shared
from numpy.typing import NDArray
from sklearn.metrics import mean_absolute_error, roc_auc_score

from structtree import Growth, Model, fit, open_data

HERE = Path(__file__).resolve().parent
GRAMMAR = HERE / "rel_f1.grammar"
RESULTS = HERE / "results"
LEAVES = 30
SAMPLES = 1000
Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of a tree: the fewest rows of a leaf, and how long before its date a row stops to see."""

    least_leaf: int
    lead: int


@dataclass(frozen=True, slots=True)
class Task:
    """A table of rows with a date, a driver and a label.

    Parameters
    ----------
    target : str
        The column with the label.
    years : tuple of int
        Where train is cut to choose settings.
    ahead : int
        How many years after each of them are predicted; about as many as test has.
    settings : Settings
        What was chosen there; see ``--choose``.
    """

    name: str
    target: str
    years: tuple[int, ...]
    ahead: int
    settings: Settings
    is_number: bool = False

    @property
    def table(self) -> str:
        """Name of the table."""
        return f"task_{self.name.replace('-', '_')}"

    @property
    def others(self) -> list[str]:
        """Tables of the other tasks: labels that are known only after the date of their row."""
        return [task.table for task in TASKS.values() if task is not self]

    def loss(self, truth: Numbers, told: Numbers) -> float:
        """Return what RelBench judges by."""
        return float(mean_absolute_error(truth, told) if self.is_number else roc_auc_score(truth, told))

    @property
    def metric(self) -> str:
        """What that is called."""
        return "MAE" if self.is_number else "AUROC"


GRID = [Settings(*each) for each in product((20, 50, 100, 200), (0, 365, 730))]
TASKS = {
    task.name: task
    for task in (
        Task("driver-top3", "qualifying", (1998, 2000, 2002), 3, Settings(50, 0)),
        Task("driver-dnf", "did_not_finish", (1990, 1994, 1998, 2001), 3, Settings(50, 0)),
        Task("driver-position", "position", (1985, 1990, 1995, 2000), 5, Settings(200, 730), is_number=True),
    )
}


# ---- choosing on train -----------------------------------------------------------------------------------


def choose(task: Task, database: Path) -> None:
    """Print how good each setting is on years of train that come after those it learned from."""
    found: dict[Settings, list[float]] = {settings: [] for settings in GRID}
    for year in task.years:
        until, then = f"{year}-01-01", f"{year + task.ahead}-01-01"
        told = _opened(task, database, f"date >= '{until}' AND date < '{then}'", frozen_at=until)
        for lead in sorted({settings.lead for settings in GRID}):
            known = _opened(task, database, f"date < '{until}'", lead=lead)
            for settings in (each for each in GRID if each.lead == lead):
                model = _learned(task, known, settings)
                found[settings].append(task.loss(_labels(told), _prediction(task, model, told.population)))
    best = min if task.is_number else max
    chosen = best(found, key=lambda settings: float(np.mean(found[settings])))
    print(f"{task.name}: {task.metric} of the {task.ahead} years from each of {', '.join(map(str, task.years))}")
    for settings, scores in found.items():
        each, mark = " ".join(f"{score:.3f}" for score in scores), "  <- chosen" if settings == chosen else ""
        print(
            f"  at least {settings.least_leaf:3} in a leaf, lead {settings.lead:3} days: {np.mean(scores):.3f}  "
            f"({each}){mark}",
            flush=True,
        )


def _opened(task: Task, database: Path, condition: str, **options: Any) -> Any:
    return open_data(
        database,
        individual=task.table,
        target=task.target,
        as_of="date",
        exclude=task.others,
        condition=f"split = 'train' AND {condition}",
        **options,
    )


def _labels(data: Any) -> Numbers:
    return np.asarray(data.target, dtype=np.float64)


def _learned(task: Task, data: Any, settings: Settings) -> Model:
    labels = _labels(data) if task.is_number else _labels(data).astype(int).astype(str)
    growth = Growth(max_leaf_nodes=LEAVES, min_samples_leaf=settings.least_leaf)
    return fit(data.population, labels, GRAMMAR, growth, goal="ranking")


def _prediction(task: Task, model: Model, population: Any) -> Numbers:
    if task.is_number:
        return np.asarray(model.predict(population), dtype=np.float64)
    return np.asarray(model.predict_proba(population)[:, 1], dtype=np.float64)


# ---- by commands -----------------------------------------------------------------------------------------


def judge(task: Task, packed: Path, database: Path, folder: Path) -> None:
    """Learn from train and judge on val, learn from both and predict for test: by commands, which are printed."""
    rows = _rows(database, task)
    train, val = rows[rows.split == "train"], rows[rows.split == "val"]
    truth = val[task.target].to_numpy()
    model = folder / f"{task.name}.json"
    printed = _command("fit", *_fitting(task, packed, "split = 'train'", model), show=True)
    print(printed.strip())
    for how, frozen in (("as of the date of each row", None), ("frozen at 2005-01-01, as test is", "2005-01-01")):
        told = _predicted(task, model, packed, "split = 'val'", frozen, folder / "val.csv", show=True)
        print(f"{task.name}, val, {how}: {_with_interval(task, truth, told)}")
    for name, told in _constants(task, train, val):
        print(f"{task.name}, val, {name}: {_with_interval(task, truth, told)}")
    final = folder / f"{task.name}-final.json"
    print(_command("fit", *_fitting(task, packed, "split IN ('train', 'val')", final), show=True).strip())
    told = _predicted(task, final, packed, "split = 'test'", "2010-01-01", folder / "test.csv", show=True)
    test = rows[rows.split == "test"][["id", "date", "driverId"]]
    RESULTS.mkdir(exist_ok=True)
    test.assign(prediction=told.round(6)).to_csv(RESULTS / f"rel_f1_{task.name}.csv", index=False)
    (RESULTS / f"rel_f1_{task.name}.txt").write_text(_run("show", str(final)), encoding="utf-8")
    _run("export", str(final), "--format", "sql", "-o", str(RESULTS / f"rel_f1_{task.name}.sql"))
    print(f"wrote the predictions for the {len(test)} rows of test to benchmarks/results/rel_f1_{task.name}.csv,")
    print("and beside them the tree as text and as SQL\n")


def _rows(database: Path, task: Task) -> pd.DataFrame:
    with sqlite3.connect(database) as connection:
        return pd.read_sql(f"SELECT * FROM {task.table} ORDER BY id", connection)


def _fitting(task: Task, packed: Path, condition: str, model: Path) -> Iterator[str]:
    """Yield the words of the command that learns a tree."""
    yield from (str(packed), "--individual", task.table, "--target", task.target, "--as-of", "date")
    yield from (word for other in task.others for word in ("--exclude", other))
    yield from (
        "--where",
        condition,
        "--grammar",
        _near(str(GRAMMAR)),
        "--for",
        "ranking",
        "--max-leaf-nodes",
        str(LEAVES),
    )
    yield from ("--min-samples-leaf", str(task.settings.least_leaf), "--no-estimate")
    yield from ("--lead", str(task.settings.lead)) if task.settings.lead else ()
    yield from ("-o", str(model))


def _predicted(
    task: Task, model: Path, packed: Path, condition: str, frozen: str | None, out: Path, *, show: bool
) -> Numbers:
    """Return the predictions of a command, in the order of the ids of the rows."""
    words = [str(model), str(packed), "--where", condition, "--id", "id", "-o", str(out)]
    words += ["--frozen-at", frozen] if frozen else []
    words += ["--lead", "0"] if task.settings.lead else []
    _command("predict", *words, show=show)
    found = pd.read_csv(out).sort_values("id")
    return found["prediction" if task.is_number else "p(1)"].to_numpy(dtype=np.float64)


def _command(*words: str, show: bool) -> str:
    """Run structtree, and return what it prints; with its CPU time."""
    shown = [Path(word).name if word.startswith(tempfile.gettempdir()) else _near(word) for word in words]
    if show:
        print(f"$ structtree {shlex.join(shown)}", flush=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    printed = _run(*words)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return f"{printed}(CPU {seconds:.1f} s)\n"


def _run(*words: str) -> str:
    command = [sys.executable, "-m", "structtree.cli", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=HERE.parent)
    if done.returncode:
        raise SystemExit(done.stderr)
    return done.stdout


def _near(word: str) -> str:
    """Return a path as seen from the folder above the benchmarks."""
    path = Path(word)
    if not path.is_absolute():
        return word
    try:
        return str(path.relative_to(HERE.parent))
    except ValueError:
        return str(Path("..") / path.relative_to(HERE.parent.parent))


def _constants(task: Task, train: pd.DataFrame, val: pd.DataFrame) -> Iterator[tuple[str, Numbers]]:
    """Yield what a driver, and what everybody, comes to in train."""
    labels = train[task.target]
    kinds: dict[str, Callable[[Any], Any]] = {"mean": lambda each: each.mean()}
    if task.is_number:
        kinds["median"] = lambda each: each.median()
    for name, of in kinds.items():
        by_driver = val.driverId.map(of(labels.groupby(train.driverId)))
        yield f"constant of each driver ({name})", by_driver.fillna(of(labels)).to_numpy(dtype=np.float64)
        yield f"one constant for all ({name})", np.full(len(val), float(of(labels)))


def _with_interval(task: Task, truth: Numbers, told: Numbers) -> str:
    chance = np.random.default_rng(0)
    samples = [chance.integers(len(truth), size=len(truth)) for _ in range(SAMPLES)]
    samples = [sample for sample in samples if task.is_number or len(set(truth[sample].tolist())) > 1]
    low, high = np.percentile([task.loss(truth[sample], told[sample]) for sample in samples], [2.5, 97.5])
    return f"{task.metric} {task.loss(truth, told):.3f} [{low:.3f}, {high:.3f}]"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", nargs="*", help=f"of {', '.join(TASKS)}; all by default")
    parser.add_argument("--choose", action="store_true", help="show how the settings were chosen")
    options = parser.parse_args()
    packed = shared("rel_f1/rel_f1.sqlite.gz")
    if packed is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "rel_f1.sqlite"
        database.write_bytes(gzip.decompress(packed.read_bytes()))
        for name in options.tasks or TASKS:
            if options.choose:
                choose(TASKS[name], database)
            else:
                judge(TASKS[name], packed, database, Path(folder))


if __name__ == "__main__":
    main()
