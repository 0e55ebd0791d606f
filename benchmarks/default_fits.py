"""Planted rules in nested data, learned by ``structtree fit`` without options: found, in what time, and always.

Run as ``python benchmarks/default_fits.py`` (half an hour), or with ``--individuals 1000 --rules 2`` for one size and
fewer rules. Each case is a file of JSON Lines, read and learned by the command line in a process of its own, so that
processor time includes start-up, reading, the tree, and the choice of its size. ``--busy 4`` runs each case again
beside four busy processes, and ``--repeats 5`` several times; the trees should be identical.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from planting import MOST_LITERALS, Case, Problem, cases, problem_of

from structtree import Branch, holds, load_model, write_jsonl

SIZES = {1000: 3.0, 10_000: 8.0, 100_000: 30.0}
"""Numbers of individuals, and the processor seconds that a fit may take."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """Result of one run: the tree as text, accuracy of its root, leaves, and seconds."""

    tree: str
    accuracy: float
    leaves: int
    cpu: float
    wall: float


def main() -> None:
    arguments = parsed()
    sizes = [arguments.individuals] if arguments.individuals else list(SIZES)
    print("| individuals | rules | at the root | median CPU, s | most CPU, s | allowed | identical trees |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | --- |")
    for n in sizes:
        found, seconds, same = [], [], []
        for case in cases(n, range(1, MOST_LITERALS + 1), arguments.rules, arguments.seed):
            runs = measured(case, arguments)
            planted = accuracy_of(problem_of(case))
            found.append(runs[0].accuracy >= planted - 1e-9)
            seconds.append(runs[0].cpu)
            same.append(len({run.tree for run in runs}) == 1)
            if arguments.verbose:
                print(case.literals, case.rule, f"{planted:.4f}", *(f"{r.accuracy:.4f} {r.cpu:.1f} s" for r in runs))
        allowed = SIZES.get(n, float("nan"))
        told = f"{sum(same)} of {len(same)}" if arguments.busy or arguments.repeats > 1 else "not measured"
        print(
            f"| {n:,} | {len(found)} | {np.mean(found):.0%} | {np.median(seconds):.1f} | {max(seconds):.1f} "
            f"| {allowed:g} | {told} |",
            flush=True,
        )


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--individuals", type=int, help="only populations of this size; default 1,000 to 100,000")
    parser.add_argument("--rules", type=int, default=3, help="number of rules of each length")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--busy", type=int, default=0, help="run again beside this number of busy processes")
    parser.add_argument("--repeats", type=int, default=1, help="number of runs on the machine as it is")
    parser.add_argument("--verbose", action="store_true", help="print each case")
    return parser.parse_args()


def measured(case: Case, arguments: argparse.Namespace) -> list[Fitted]:
    """Return the results of all runs of a case."""
    problem = problem_of(case)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "planted.jsonl"
        write(problem, path)
        runs = [fitted(problem, path) for _ in range(arguments.repeats)]
        if arguments.busy:
            with busy(arguments.busy):
                runs.append(fitted(problem, path))
    return runs


def write(problem: Problem, path: Path) -> None:
    """Write a population with its labels, as JSON Lines that begin with the schema."""
    write_jsonl(problem.population, path)
    first, *lines = path.read_text().splitlines()
    head = json.loads(first)
    individual = head["$schema"]["individual"]
    head["$schema"]["types"][individual]["label"] = "nominal"
    records = (json.loads(line) for line in lines)
    labelled = (record | {"label": "yes" if y else "no"} for record, y in zip(records, problem.labels, strict=True))
    path.write_text("\n".join(map(json.dumps, [head, *labelled])) + "\n")


def fitted(problem: Problem, path: Path) -> Fitted:
    """Fit by the command line with default options."""
    model = path.with_suffix(".model.json")
    command = [sys.executable, "-m", "structtree.cli", "fit", str(path), "--target", "label", "-o", str(model)]
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - began
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    tree = load_model(model).tree
    root = tree.nodes[0]
    accuracy = accuracy_by(holds(root.test, problem.population), problem) if isinstance(root, Branch) else 0.0
    shape = [node.test if isinstance(node, Branch) else node.stats for node in tree.nodes]
    return Fitted(str(shape), accuracy, len(tree.leaves), cpu, wall)


def accuracy_of(problem: Problem) -> float:
    return accuracy_by(holds(problem.rule, problem.population), problem)


def accuracy_by(true: np.ndarray, problem: Problem) -> float:
    """Return the training accuracy of a test with the better class on each side."""
    yes = max(problem.labels[true].sum(), (~problem.labels[true]).sum())
    no = max(problem.labels[~true].sum(), (~problem.labels[~true]).sum())
    return float((yes + no) / len(problem.labels))


@contextmanager
def busy(n: int) -> Iterator[None]:
    """Keep the processors busy."""
    others = [multiprocessing.Process(target=_spin, daemon=True) for _ in range(n)]
    for each in others:
        each.start()
    try:
        yield
    finally:
        for each in others:
            each.terminate()


def _spin() -> None:
    while os.getppid() > 1:
        sum(range(100_000))


if __name__ == "__main__":
    main()
