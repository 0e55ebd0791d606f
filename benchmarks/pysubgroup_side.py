"""The other side of ``search.py pysubgroup``: one search by pysubgroup, run by a Python that has it installed.

``python pysubgroup_side.py TABLE MEASURE ALGORITHM POSITIVE`` prints one JSON object. The table is a CSV file of text
whose column ``class`` is the target. Only the search is timed, not the imports and not the reading.

The measures: ``wracc`` is ``StandardQF(1)`` with pysubgroup's own optimistic estimate; ``chi2`` is its
``ChiSquaredQF``, which has none; ``chi2-closed`` is the same number without the call of scipy for each conjunction;
``chi2-bounded`` has an estimate as well, the greater value of the two purest refinements.
"""

from __future__ import annotations

import contextlib
import json
import sys
import time
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pysubgroup as ps


def chi_squared(total: Any, kept: Any, positives: Any) -> Any:
    """The statistic of the table of kept and class; -inf where all or nothing is kept."""
    n, p = total.size_sg, total.positives_count
    with np.errstate(divide="ignore", invalid="ignore"):
        value = n * (positives * n - kept * p) ** 2 / (p * (n - p) * kept * (n - kept))
    return np.where((kept == 0) | (kept == n), -np.inf, value)


class ClosedChiSquaredQF(ps.SimplePositivesQF, ps.BoundedInterestingnessMeasure):  # type: ignore[misc]
    """Chi squared without scipy; every conjunction may still be the best."""

    def evaluate(self, subgroup: Any, target: Any, data: Any, statistics: Any = None) -> Any:
        found = self.ensure_statistics(subgroup, target, data, statistics)
        kept, positives = np.asarray(found.size_sg, float), np.asarray(found.positives_count, float)
        return chi_squared(self.dataset_statistics, kept, positives)

    def optimistic_estimate(self, subgroup: Any, target: Any, data: Any, statistics: Any = None) -> Any:
        found = self.ensure_statistics(subgroup, target, data, statistics)
        return np.full(np.shape(found.size_sg), np.inf)


class BoundedChiSquaredQF(ClosedChiSquaredQF):
    """Chi squared is convex in the counts, so no refinement beats the better one of the two that are pure."""

    def optimistic_estimate(self, subgroup: Any, target: Any, data: Any, statistics: Any = None) -> Any:
        found = self.ensure_statistics(subgroup, target, data, statistics)
        kept, positives = np.asarray(found.size_sg, float), np.asarray(found.positives_count, float)
        negatives = kept - positives
        of_positives = chi_squared(self.dataset_statistics, positives, positives)
        return np.maximum(of_positives, chi_squared(self.dataset_statistics, negatives, np.zeros_like(negatives)))


class UnprunedDFS(ps.SimpleDFS):  # type: ignore[misc]
    """The one that runs without an optimistic estimate."""

    def execute(self, task: Any) -> Any:
        return super().execute(task, use_optimistic_estimates=False)


MEASURES = {
    "wracc": lambda: ps.StandardQF(1),
    "chi2": lambda: ps.ChiSquaredQF(min_instances=1),
    "chi2-closed": ClosedChiSquaredQF,
    "chi2-bounded": BoundedChiSquaredQF,
}
ALGORITHMS = {
    "DFS": lambda: ps.DFS(ps.BitSetRepresentation),
    "Apriori": lambda: ps.Apriori(use_numba=False),
    "GpGrowth": lambda: ps.GpGrowth(mode="b_u"),
    "SimpleDFS": UnprunedDFS,
}


def main() -> None:
    path, measure, algorithm, positive = sys.argv[1:]
    # Its arithmetic divides by the sizes of empty subgroups, and says so each time.
    warnings.simplefilter("ignore", RuntimeWarning)
    table = pd.read_csv(path, dtype=str, keep_default_na=False).astype(object)
    selectors = ps.create_nominal_selectors(table, ignore=["class"])
    target = ps.BinaryTarget("class", positive)
    seconds, result = [], None
    # The quickest of three runs counts, as on our side; a slow search runs once.
    while len(seconds) < 3 and sum(seconds) < 5:
        task = ps.SubgroupDiscoveryTask(
            table, target, selectors, result_set_size=1, depth=3, qf=MEASURES[measure](), min_quality=-np.inf
        )
        started = time.perf_counter()
        with contextlib.redirect_stdout(sys.stderr):
            result = ALGORITHMS[algorithm]().execute(task)
        seconds.append(time.perf_counter() - started)
    assert result is not None
    quality, conjunction = result.to_descriptions()[0][:2]
    print(json.dumps({"seconds": min(seconds), "quality": float(quality), "conjunction": str(conjunction)}))


if __name__ == "__main__":
    main()
