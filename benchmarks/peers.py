"""Other learners beside structtree, on the same folds: accuracy, AUC, size, processor seconds, memory.

    python benchmarks/peers.py                          # every set and every learner
    python benchmarks/peers.py --sets trains MUTAG      # only these sets
    python benchmarks/peers.py --peers structtree Aleph # only these learners
    python benchmarks/peers.py --seconds 60             # limit of processor time for all folds of a learner

Each learner has an environment of its own in the user's cache, filled from the package index, and runs in a process
of its own (``peer_sides.py``). What cannot be installed, or takes too long, is listed with the reason. Every learner
has its default settings, but for what its side says; a tree of scikit-learn and a kernel choose their strength in
inner folds. Accuracy is the share of all individuals whose class is right when they are tested. AUC is the mean over
the folds, missing where a learner says only yes or no. Seconds are those of learning, in all folds; sizes are means.

Each row is put into ``results/peers.json``, in place of an earlier one of the same set and learner; ``--quick`` runs
trains and tic-tac-toe and writes nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from peer_problems import PROBLEMS, Peered, write_forms
from result_files import Cell, ResultTable, read_results, write_results
from sklearn.metrics import roc_auc_score

from structtree.data.readers.caches import cache_folder

HERE = Path(__file__).resolve().parent
COLUMNS = ("set", "learner", "accuracy", "AUC", "size", "unit", "learning seconds", "megabytes", "remark")


@dataclass(frozen=True, slots=True)
class Peer:
    """A learner.

    Parameters
    ----------
    name : str
    side : str
        Its name in ``peer_sides.py``; empty if it has none.
    form : str
        The form of the data that it needs.
    unit : str
        What its size counts.
    packages : tuple of str
        For its environment; it runs in that of structtree if there are none.
    module : str
        What must be importable there.
    """

    name: str
    side: str
    form: str
    unit: str
    packages: tuple[str, ...] = ()
    module: str = ""


PEERS = (
    Peer("structtree", "structtree", "population", "leaves"),
    Peer("structtree, Aleph's modes", "structtree-grammar", "facts", "leaves"),
    Peer("structtree, forest", "structtree-forest", "population", "trees"),
    Peer("structtree, boosting", "structtree-boosting", "population", "rounds"),
    Peer("scikit-learn, joined table", "sklearn", "table", "leaves", ("scikit-learn",), "sklearn.tree"),
    Peer("LightGBM, joined table", "lightgbm-table", "table", "leaves", ("lightgbm", "scikit-learn"), "lightgbm"),
    Peer("LightGBM, fingerprints", "lightgbm-bits", "bits", "leaves", ("lightgbm", "scikit-learn"), "lightgbm"),
    Peer("pysubgroup, one rule", "pysubgroup", "nominal", "conditions", ("pysubgroup",), "pysubgroup"),
    Peer("GraKeL, WL kernel and SVM", "grakel", "graphs", "support vectors", ("grakel",), "grakel"),
    Peer("TREE-G", "", "graphs", "leaves", ("treeg", "scikit-learn"), "treeg.treeg_estimator"),
    Peer("Aleph, induce", "aleph", "facts", "clauses"),
    Peer("Aleph, induce_tree", "aleph-tree", "facts", "clauses"),
    Peer("srlearn, boosted RDN", "srlearn", "facts", "trees", ("srlearn", "scikit-learn<1.6"), "srlearn.rdn"),
)


class Unavailable(Exception):  # noqa: N818  # a reason, not a mistake
    """Why a learner has no result."""


def main() -> None:
    options = parsed()
    names = ["trains", "tic-tac-toe"] if options.quick else options.sets or list(PROBLEMS)
    print(f"| {' | '.join(COLUMNS)} |\n|{' --- |' * len(COLUMNS)}")
    for name in names:
        problem = PROBLEMS[name]()
        with tempfile.TemporaryDirectory() as text:
            write_forms(problem, Path(text), options.seconds)
            for row in compared(problem, Path(text), options.peers, options.seconds):
                print(f"| {' | '.join('' if cell is None else str(cell) for cell in row)} |", flush=True)
                if not options.quick:
                    write_row(row)


def write_row(row: tuple[Cell, ...]) -> None:
    """Put a row into the result file, in place of an earlier one of the same set and learner."""
    rows = {}
    with suppress(FileNotFoundError):
        rows = {each[:2]: each for each in read_results("peers").rows}
    rows[row[:2]] = row
    order = [(name, peer.name) for name in PROBLEMS for peer in PEERS]
    kept = tuple(rows[key] for key in order if key in rows)
    title = "Other learners on the same folds"
    write_results(ResultTable("peers", title, "python benchmarks/peers.py", COLUMNS, kept))


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", choices=list(PROBLEMS), metavar="SET", help=", ".join(PROBLEMS))
    parser.add_argument("--peers", nargs="+", metavar="NAME", help="learners whose names begin so")
    parser.add_argument("--seconds", type=float, default=200.0, help="processor seconds of a learner on a set")
    parser.add_argument("--quick", action="store_true", help="two small sets, whether it runs")
    return parser.parse_args()


def compared(problem: Peered, folder: Path, names: Sequence[str] | None, most: float) -> Iterator[tuple[Cell, ...]]:
    """Yield a row of the table for each learner that can read the set."""
    for peer in PEERS:
        if peer.form not in problem.forms or (names and not peer.name.startswith(tuple(names))):
            continue
        try:
            yield measured(problem, peer, answer(peer, folder, most))
        except Unavailable as reason:
            yield (problem.name, peer.name, None, None, None, peer.unit, None, None, str(reason))


def measured(problem: Peered, peer: Peer, found: dict[str, Any]) -> tuple[Cell, ...]:
    said, areas = np.zeros(len(problem.labels), dtype=bool), []
    for number, fold in zip(sorted(set(problem.folds.tolist())), found["folds"], strict=True):
        test = problem.folds == number
        said[test] = fold["said"]
        both = len(set(problem.labels[test].tolist())) == 2
        if both and len(set(fold["scores"])) > 0 and not peer.side.startswith("aleph"):
            areas.append(roc_auc_score(problem.labels[test], fold["scores"]))
    accuracy = float((said == problem.labels).mean())
    size = float(np.mean([fold["size"] for fold in found["folds"]]))
    seconds = float(sum(fold["seconds"] for fold in found["folds"]))
    area = round(float(np.mean(areas)), 3) if areas else None
    megabytes = None if found["megabytes"] is None else round(found["megabytes"])
    figures = (round(accuracy, 3), area, round(size, 1), peer.unit, round(seconds, 2), megabytes)
    return (problem.name, peer.name, *figures, "")


def answer(peer: Peer, folder: Path, most: float) -> dict[str, Any]:
    """What a learner makes of a set, in a process of its own."""
    python = environment(peer)
    if not peer.side:
        raise Unavailable("it can be installed now, but nothing here runs it")
    command = [str(python), str(HERE / "peer_sides.py"), peer.side, str(folder)]
    path = os.pathsep.join([str(HERE.parent), str(HERE)])
    limit = int(most) + 1
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=folder,
        env={**os.environ, "OMP_NUM_THREADS": "1", **({} if peer.packages else {"PYTHONPATH": path})},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)),
    )  # fmt: skip
    if done.returncode < 0:
        raise Unavailable(f"stopped after {most:.0f} processor seconds")
    if done.returncode:
        raise Unavailable(last_line(done.stderr))
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def environment(peer: Peer) -> Path:
    """The Python of a learner, with its packages; the environment is made once."""
    if not peer.packages:
        return Path(sys.executable)
    folder = cache_folder("benchmarks") / "-".join(
        ("peer", *(re.sub(r"[<=>].*", "", each) for each in peer.packages))
    )
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", *peer.packages]
    for what in (["-c", f"import {peer.module}"], install, ["-c", f"import {peer.module}"]):
        done = subprocess.run([str(python), *what], capture_output=True, text=True, check=False)
        if done.returncode == 0 and what is not install:
            return python
        if done.returncode and what is install:
            raise Unavailable(f"cannot be installed: {last_line(done.stderr)}")
    raise Unavailable(f"cannot be imported: {last_line(done.stderr)}")


def last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1][-150:] if lines else "no message"


if __name__ == "__main__":
    main()
