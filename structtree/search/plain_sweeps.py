"""The best single test of a node of a table by a criterion of one's own, in plain numpy.

What `structtree.search.kernels.flat` does in compiled code for the criteria that it knows: the same columns, the same
tests, the same answer. All thresholds or values of a column are counted at once and judged together.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np

from structtree.search.arrays import Codes, Floats, Ints
from structtree.search.criteria import Criterion, better, two_components
from structtree.search.kernels.flat import AT_LEAST, EQUAL, Columns, Task

__all__ = ["gains_of", "try_tests_of"]


class _Candidates(NamedTuple):
    """The yes sides of the members of a test, how many rows they have, and the two rows that each is known by."""

    yes: Floats
    sizes: Ints
    lower: Codes
    upper: Codes


def try_tests_of(
    criterion: Criterion, lo: int, hi: int, columns: Columns, task: Task, total: Floats, leaf: int
) -> tuple[Floats, Ints]:
    """Return the best of all tests on a node; parameters and results are those of `kernels.flat.try_tests`."""
    best, at = np.array([inf, inf, 0.0, inf]), np.full(3, -1, dtype=np.int64)
    slack = criterion.slack(total)
    for t, (column, form) in enumerate(columns.tests.tolist()):
        if column < len(columns.order):
            rows = columns.order[column, lo:hi]
            codes = columns.ranks[column][rows]
        else:
            rows = columns.rows[lo:hi]
            codes = columns.codes[column - len(columns.order)][rows]
            order = np.argsort(np.where(codes < 0, np.iinfo(np.int32).max, codes), kind="stable")
            rows, codes = rows[order], codes[order]
        found = _candidates(rows, codes, form, _adds(task, rows), total)
        large = np.flatnonzero((found.sizes >= leaf) & (hi - lo - found.sizes >= leaf))
        best[2] += len(large)
        if not len(large):
            continue
        losses = two_components(criterion.loss(found.yes[large], total))
        tied = np.flatnonzero(losses[:, 0] <= losses[:, 0].min() + slack)
        k = tied[np.argmax(losses[tied, 1] <= losses[tied, 1].min() + slack)]
        if better(losses[k], best[:2], slack):
            best[:2], at[:] = losses[k], (t, found.lower[large[k]], found.upper[large[k]])
    return best, at


def _adds(task: Task, rows: Codes) -> Floats:
    """Return what each row adds to its side: its weight in its class, or moments."""
    weights = task.weights[rows] if len(task.weights) else np.ones(len(rows))
    if not task.n_classes:
        y = task.targets[rows]
        return np.stack([weights, weights * y, weights * y * y], axis=1)
    adds = np.zeros((len(rows), task.n_classes))
    adds[np.arange(len(rows)), task.labels[rows]] = weights
    return adds


def _candidates(rows: Codes, codes: Codes, form: int, adds: Floats, total: Floats) -> _Candidates:
    """Return all members of a test, of rows in the order of their codes, those without one last."""
    n = int(np.count_nonzero(codes >= 0))
    ends = np.flatnonzero(np.append(np.diff(codes[:n]) != 0, True)) if n else np.zeros(0, dtype=np.int64)
    below, n_below = np.cumsum(adds[:n], axis=0)[ends], ends + 1
    if form == EQUAL:
        yes, sizes = np.diff(below, axis=0, prepend=0.0), np.diff(n_below, prepend=0)
        return _Candidates(yes, sizes, rows[ends], rows[ends])
    last = below[-1] if n else np.zeros(len(total))
    below, n_below, ends = below[:-1], n_below[:-1], ends[:-1]
    if form == AT_LEAST:
        return _Candidates(last - below, n - n_below, rows[ends], rows[ends + 1])
    return _Candidates(below, n_below, rows[ends], rows[ends + 1])


def gains_of(criterion: Criterion, found: Floats, total: Floats) -> tuple[float, float, bool]:
    """Return by how much a split lowers both components of the loss, and if that is more than rounding."""
    unsplit = criterion.unsplit(total)
    gain, tie = np.maximum(unsplit - found[:2], 0.0).tolist()
    return gain, tie, bool(better(found[:2], unsplit, criterion.slack(total)))
