"""The other side of ``subgroups.py``: the ten best subgroups by pysubgroup, run by a Python that has it installed.

``python pysubgroup_top_side.py TABLE CLASS CAP MEASURE:ALGORITHM ...`` prints one JSON object per search. The table
is a CSV file of text whose column ``class`` is the target; CLASS is empty for numbers. ``seconds`` is the processor
time from the table in memory to the result, the quickest of three runs; null after CAP seconds. ``start_seconds`` is
that of imports and reading.
"""

from __future__ import annotations

import contextlib
import json
import signal
import sys
import time
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pysubgroup as ps

TOP, DEPTH, SUPPORT = 10, 3, 0.02
MEASURES = {
    "wracc": lambda: ps.WRAccQF(),
    "binomial": lambda: ps.SimpleBinomialQF(),
    "lift": lambda: ps.LiftQF(),
    "chi-squared": lambda: ps.ChiSquaredQF(min_instances=1),
    "mean-shift": lambda: ps.StandardQFNumeric(1.0),
    "mean-shift-0.5": lambda: ps.StandardQFNumeric(0.5),
}
ALGORITHMS = {
    "DFS": lambda: ps.DFS(ps.BitSetRepresentation),
    "Apriori": lambda: ps.Apriori(use_numba=False),
    "SimpleDFS": lambda: ps.SimpleDFS(),
}


def search(table: Any, measure: str, algorithm: str, label: str, top: int) -> Any:
    target = ps.BinaryTarget("class", label) if label else ps.NumericTarget("class")
    selectors = ps.create_nominal_selectors(table, ignore=["class"])
    constraints = [ps.MinSupportConstraint(int(-(-SUPPORT * len(table) // 1)))] if measure == "lift" else []
    task = ps.SubgroupDiscoveryTask(
        table,
        target,
        selectors,
        result_set_size=top,
        depth=DEPTH,
        qf=MEASURES[measure](),
        min_quality=-np.inf,
        constraints=constraints,
    )
    options = {"use_optimistic_estimates": False} if measure == "chi-squared" else {}
    with contextlib.redirect_stdout(sys.stderr):
        return ALGORITHMS[algorithm]().execute(task, **options)


class OutOfTimeError(Exception):
    """The processor time of a search is over."""


def timed(table: Any, measure: str, algorithm: str, label: str, cap: float) -> dict[str, Any]:
    """Return the seconds of the quickest run and its qualities; no seconds if it did not finish."""

    def stop(*_: Any) -> None:
        raise OutOfTimeError

    signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, cap)
    try:
        return finished(table, measure, algorithm, label)
    except OutOfTimeError:
        return {"seconds": None, "qualities": []}
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def finished(table: Any, measure: str, algorithm: str, label: str) -> dict[str, Any]:
    seconds: list[float] = []
    while len(seconds) < 3 and sum(seconds) < 1:
        started = time.process_time()
        result = search(table, measure, algorithm, label, TOP)
        seconds.append(time.process_time() - started)
    if seconds[0] < 1:  # several conjunctions of the same individuals count once, so more are asked for
        result = search(table, measure, algorithm, label, 10 * TOP)
    found: dict[bytes, float] = {}
    for quality, conjunction in result.to_descriptions():
        found.setdefault(np.asarray(conjunction.covers(table)).tobytes(), float(quality))
    return {"seconds": min(seconds), "qualities": list(found.values())[:TOP]}


def main() -> None:
    path, label, cap, *searches = sys.argv[1:]
    warnings.simplefilter("ignore")  # its arithmetic divides by the sizes of empty subgroups
    table = pd.read_csv(path, dtype=str, keep_default_na=False).astype(object)
    if not label:
        table["class"] = table["class"].astype(float)
    start = time.process_time()
    for each in searches:
        measure, algorithm = each.split(":")
        found = timed(table, measure, algorithm, label, float(cap))
        print(json.dumps({"measure": measure, "algorithm": algorithm, "start_seconds": start} | found), flush=True)


if __name__ == "__main__":
    main()
