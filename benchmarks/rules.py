"""Rule lists and rule sets beside RIPPER of wittgenstein, on the same folds of eight UCI sets with two classes.

Run as ``python benchmarks/rules.py`` with a Python that has wittgenstein in ``--python``; some names of sets run only
those. Each cell is accuracy, literals and CPU seconds of learning, as means over the folds; a first fit compiles.
RIPPER learns rules of one class, which is the rarer one here.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structtree import Population, default_grammar, fit, load_dataset, open_data
from structtree.space.terms import n_literals

UCI = Path(__file__).resolve().parents[2] / "shared" / "data" / "uci"
FOLDS = 3
OURS: Mapping[str, dict[str, Any]] = {
    "list": {"model": "rule-list"},
    "list, class by class": {"model": "rule-list", "order": "class"},
    "set": {"model": "rule-set"},
    "tree": {"model": "tree"},
}


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """A table whose target has two classes, yes and no."""

    name: str
    population: Population
    target: str
    labels: NDArray[Any]


def main() -> None:
    options = parsed()
    heads = ["set", "n", *OURS, *(["RIPPER"] if options.python else [])]
    print(f"| {' | '.join(heads)} |\n|{' --- |' * len(heads)}")
    warm = problems()["monks-3"]()
    for learned in OURS.values():
        ours(warm, np.arange(len(warm.labels)) % 2, learned)
    rows: dict[str, list[NDArray[Any]]] = {}
    for name in options.sets or list(problems()):
        problem = problems()[name]()
        fold_of = folds_of(problem.labels)
        cells = {head: ours(problem, fold_of, learned) for head, learned in OURS.items()}
        if options.python:
            cells["RIPPER"] = theirs(problem, fold_of, options.python)
        for head, cell in cells.items():
            rows.setdefault(head, []).append(cell)
        print(f"| {name} | {len(problem.labels):,} | {' | '.join(map(shown, cells.values()))} |", flush=True)
    means = [shown(np.mean(each, axis=0)) for each in rows.values()]
    print(f"| mean | | {' | '.join(means)} |")


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", choices=[*problems(), []], help="Names of sets.")
    parser.add_argument("--python", help="A Python with wittgenstein.")
    return parser.parse_args()


def shown(cell: NDArray[Any]) -> str:
    accuracy, literals, seconds = cell
    return f"{accuracy:.3f}, {literals:.1f}, {seconds:.2f} s"


def problems() -> Mapping[str, Callable[[], Problem]]:
    return {
        "monks-1": lambda: named("monks-1", "1"),
        "monks-2": lambda: named("monks-2-train", "1"),
        "monks-3": lambda: named("monks-3-train", "1"),
        "vote": lambda: filed("house-votes-84.data", "c1", "republican", format="csv", header=False),
        "tic-tac-toe": lambda: filed("tic-tac-toe.arff", None, "negative"),
        "car": lambda: filed("car.arff", None, "unacc", other=True),
        "kr-vs-kp": lambda: filed("kr-vs-kp.arff.gz", None, "nowin"),
        "zoo": lambda: filed("zoo.arff", None, "mammal"),
    }


def named(name: str, yes: str) -> Problem:
    data = load_dataset(name)
    return Problem(name, data.population, "class", of_two(data.target, yes))


def filed(file: str, target: str | None, yes: str, *, other: bool = False, **options: Any) -> Problem:
    data = open_data(UCI / file, target=target, **options)
    assert data.target is not None
    labels = of_two(data.target, yes)
    labels = np.where(labels == "yes", "no", "yes") if other else labels
    return Problem(file, data.population, str(data.target_name), labels)


def of_two(labels: NDArray[Any], yes: str) -> NDArray[Any]:
    found = np.where(labels.astype(str) == yes, "yes", "no")
    assert len(set(found.tolist())) == 2, (yes, sorted(set(labels.tolist())))
    return found


def folds_of(labels: NDArray[Any]) -> NDArray[Any]:
    fold_of = np.empty(len(labels), dtype=np.int64)
    fold_of[np.lexsort((np.random.default_rng(0).permutation(len(labels)), labels))] = np.arange(len(labels)) % FOLDS
    return fold_of


def ours(problem: Problem, fold_of: NDArray[Any], options: dict[str, Any]) -> NDArray[Any]:
    grammar = default_grammar(problem.population).omitting({problem.target: "the target"}, problem.population.schema)
    found = []
    for fold in range(fold_of.max() + 1):
        train, test = np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)
        started = time.process_time()
        model = fit(problem.population.take(train), problem.labels[train], grammar, **options)
        seconds = time.process_time() - started
        said = model.predict(problem.population.take(test))
        literals = sum(map(n_literals, model.predictor.tests))
        found.append([(said == problem.labels[test]).mean(), literals, seconds])
    return np.mean(found, axis=0)


def theirs(problem: Problem, fold_of: NDArray[Any], python: str) -> NDArray[Any]:
    with tempfile.TemporaryDirectory() as folder:
        table, folds = Path(folder) / "table.csv", Path(folder) / "folds.json"
        write_table(problem, table)
        folds.write_text(json.dumps(fold_of.tolist()))
        command = [python, str(Path(__file__).with_name("rules_side.py")), str(table), str(folds)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return np.mean([[each["accuracy"], each["literals"], each["seconds"]] for each in lines], axis=0)


def write_table(problem: Problem, path: Path) -> None:
    """Write the attributes as text, with ``?`` for missing values."""
    records = [problem.population.record(row) for row in range(len(problem.labels))]
    names = [name for name in records[0] if name != problem.target]
    lines = [",".join([*names, "class"])]
    for record, label in zip(records, problem.labels, strict=True):
        cells = ["?" if record.get(name) is None else str(record[name]).replace(",", ";") for name in names]
        lines.append(",".join([*cells, label]))
    path.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
