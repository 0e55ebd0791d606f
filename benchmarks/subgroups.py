"""The ten best subgroups of flat tables, beside pysubgroup: the same results, and how long each takes.

``python benchmarks/subgroups.py PYTHON [--cap SECONDS] [--tables NAME ...]``, where PYTHON has pysubgroup 0.9.0
installed. The tables are those of ``../shared/data``, as text: numbers are divided into five intervals of about
equally many rows. Each search is one of all conjunctions of up to three tests ``attribute = value``. Processor times
count, from a table in memory to the ten best subgroups with their figures; imports and reading are shown apart.
pysubgroup runs with its complete algorithms, each up to a limit; the quickest is compared.

The result of all tables is written to ``results/subgroups.csv``.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from pysubgroup_tables import CLASSES, NUMBERS, text_tables
from result_files import RESULTS, Cell

HERE = Path(__file__).resolve().parent
TOP, SUPPORT, NEAR = 10, 0.02, 1e-6
OF_CLASSES = ("wracc", "binomial", "lift", "chi-squared")
OF_NUMBERS = ("mean-shift", "mean-shift-0.5")
ALGORITHMS = {"chi-squared": ("SimpleDFS",), "mean-shift": ("DFS",), "mean-shift-0.5": ("DFS",)}


# ---- our side ------------------------------------------------------------------------------------------------


def ours(path: str, label: str, *names: str) -> None:
    """Print what structtree finds, as the other side does."""
    from structtree.data.readers.tables.reading import from_frame
    from structtree.lang.grammar import Grammar
    from structtree.rules.subgroups import find_subgroups
    from structtree.tasks.measures import ChiSquared, Lift, MeanShift, Measure, WRAcc

    measures: dict[str, Measure] = {"wracc": WRAcc(), "binomial": WRAcc(exponent=0.5), "lift": Lift()}
    measures |= {"chi-squared": ChiSquared(), "mean-shift": MeanShift(), "mean-shift-0.5": MeanShift(exponent=0.5)}
    table = pd.read_csv(path, dtype=str, keep_default_na=False).astype(object)
    labels = table.pop("class").to_numpy()
    start = time.process_time()
    for name in names:
        options: dict[str, Any] = {"measure": measures[name], "top": TOP, "held_out": 0, "effort": "prove"}
        options["min_support"] = SUPPORT if name == "lift" else 1
        target = labels if label else labels.astype(float)
        if name == "chi-squared":
            target = np.where(labels == label, "yes", "no")
        elif label:
            options["label"] = label
        seconds: list[float] = []
        while len(seconds) < 3 or sum(seconds) < 0.1:
            started = time.process_time()
            population = from_frame(table, types=dict.fromkeys(table.columns, "nominal"))
            grammar = Grammar.parse("refine Individual { top -> * = *; top -> top and top max 3 }")
            found = find_subgroups(population, target, grammar, **options)
            seconds.append(time.process_time() - started)
        assert found.proved
        # pysubgroup's lift is a difference of shares.
        lifts = [one.searched.mean - one.searched.mean_all for one in found] if name == "lift" else None
        qualities = lifts or [one.searched.quality for one in found]
        print(json.dumps({"measure": name, "start_seconds": start, "seconds": min(seconds), "qualities": qualities}))


# ---- both ----------------------------------------------------------------------------------------------------


def answers(command: list[str]) -> list[dict[str, Any]]:
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def compared(path: Path, name: str, label: str, python: str, cap: float) -> Iterator[tuple[Cell, ...]]:
    measures = OF_CLASSES if label else OF_NUMBERS
    mine = answers([sys.executable, __file__, "--ours", str(path), label, *measures])
    searches = [f"{measure}:{one}" for measure in measures for one in ALGORITHMS.get(measure, ("DFS", "Apriori"))]
    theirs = answers([python, str(HERE / "pysubgroup_top_side.py"), str(path), label, str(cap), *searches])
    for me in mine:
        runs = [one for one in theirs if one["measure"] == me["measure"] and one["seconds"] is not None]
        begin = (name, me["measure"], me["seconds"], me["start_seconds"])
        if not runs:
            yield *begin, f"none in {cap:g} s", None, theirs[0]["start_seconds"], None, None
            continue
        them = min(runs, key=lambda one: float(one["seconds"]))
        n = min(len(them["qualities"]), len(me["qualities"]))
        scale = max(1.0, abs(me["qualities"][0]))
        same = bool(n and np.allclose(me["qualities"][:n], them["qualities"][:n], rtol=0, atol=NEAR * scale))
        ratio = them["seconds"] / me["seconds"]
        yield (
            *begin,
            them["algorithm"],
            them["seconds"],
            them["start_seconds"],
            ratio,
            f"{n} equal" if same else "differ",
        )


def main() -> None:
    if sys.argv[1:2] == ["--ours"]:
        ours(*sys.argv[2:])
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("python")
    parser.add_argument("--cap", type=float, default=20.0, metavar="SECONDS")
    parser.add_argument("--tables", nargs="+")
    given = parser.parse_args()
    rows: list[tuple[Cell, ...]] = []
    with tempfile.TemporaryDirectory() as folder:
        for name, table in text_tables(given.tables or [*CLASSES, *NUMBERS]):
            path = Path(folder) / f"{name}.csv"
            table.to_csv(path, index=False)
            label = "" if name in NUMBERS else sorted(set(table["class"]))[0]
            for row in compared(path, name, label, given.python, given.cap):
                print(*row, flush=True)
                rows.append(row)
    ratios = [row[7] for row in rows if isinstance(row[7], float)]
    late = sum(row[7] is None for row in rows)
    print(
        f"median ratio {np.median([*ratios, *[np.inf] * late]):.3g}; pysubgroup did not finish {late} of {len(rows)}"
    )
    columns = ["table", "measure", "our seconds", "our start", "their algorithm", "their seconds", "their start"]
    columns += ["ratio", "qualities"]
    if not given.tables:
        pd.DataFrame(rows, columns=columns).to_csv(RESULTS / "subgroups.csv", index=False, float_format="%.4g")


if __name__ == "__main__":
    main()
