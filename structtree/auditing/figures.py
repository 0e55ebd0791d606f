"""Figures of findings, computed with numpy and, as a check, with SQL queries in the database itself.

`tests/auditing/test_figures.py` compares each function with its query.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import Floats, Mask

__all__ = [
    "AUC_SQL",
    "BY_VALUE_SQL",
    "CORRELATION_SQL",
    "VARIANCE_BY_VALUE_SQL",
    "accuracy_by_value",
    "auc",
    "auc_deviation",
    "squared_correlation",
    "variance_by_value",
]

AUC_SQL = """SELECT (SUM(CASE WHEN e = 1 THEN r END) - SUM(e) * (SUM(e) + 1) / 2.0)
    / (SUM(e) * (COUNT(*) - SUM(e)) * 1.0) AS auc
FROM (SELECT e, RANK() OVER (ORDER BY x) + (COUNT(*) OVER (PARTITION BY x) - 1) / 2.0 AS r
      FROM f WHERE x IS NOT NULL) AS ranked"""

BY_VALUE_SQL = """SELECT SUM(best) * 1.0 / SUM(n) AS accuracy
FROM (SELECT MAX(n) AS best, SUM(n) AS n
      FROM (SELECT x, y, COUNT(*) AS n FROM f WHERE x IS NOT NULL GROUP BY x, y) AS pairs GROUP BY x) AS found"""

VARIANCE_BY_VALUE_SQL = """SELECT 1 - SUM((y - m) * (y - m)) / SUM((y - a) * (y - a)) AS r2
FROM (SELECT y, AVG(y) OVER (PARTITION BY x) AS m, AVG(y) OVER () AS a FROM f WHERE x IS NOT NULL) AS means"""

CORRELATION_SQL = """SELECT SUM(a * b) * SUM(a * b) / (SUM(a * a) * SUM(b * b)) AS r2
FROM (SELECT x - AVG(x) OVER () AS a, y - AVG(y) OVER () AS b
      FROM f WHERE x IS NOT NULL AND y IS NOT NULL) AS centred"""


def auc(values: Floats, event: Mask) -> float:
    """Return the area under the ROC curve of values that rank an event, ignoring missing values.

    Examples
    --------
    >>> auc(np.array([1.0, 2.0, 2.0, 3.0, np.nan]), np.array([False, False, True, True, True]))
    0.875
    """
    known = ~np.isnan(values)
    n_true = int(event[known].sum())
    n_false = int(known.sum()) - n_true
    if not n_true or not n_false:
        return 0.5
    _, places, counts = np.unique(values[known], return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2.0)[places]
    return float((ranks[event[known]].sum() - n_true * (n_true + 1) / 2.0) / (n_true * n_false))


def auc_deviation(event: Mask) -> float:
    """Return the standard deviation of the AUC of values that are independent of an event."""
    n_true, n = int(event.sum()), len(event)
    return sqrt((n + 1) / (12.0 * n_true * (n - n_true))) if 0 < n_true < n else float("inf")


def accuracy_by_value(values: Floats, labels: NDArray[Any]) -> float:
    """Return the accuracy of predicting the most frequent label of each value.

    Examples
    --------
    >>> accuracy_by_value(np.array([1.0, 1.0, 2.0, 2.0]), np.array(["a", "a", "b", "a"]))
    0.75
    """
    known = ~np.isnan(values)
    _, rows = np.unique(values[known], return_inverse=True)
    classes, columns = np.unique(labels[known].astype(str), return_inverse=True)
    counts = np.zeros((rows.max(initial=-1) + 1, len(classes)))
    np.add.at(counts, (rows, columns), 1)
    return float(counts.max(axis=1).sum() / max(1, known.sum())) if len(counts) else 0.0


def variance_by_value(values: Floats, labels: Floats) -> float:
    """Return the fraction of the label variance that is explained by the mean label of each value.

    Examples
    --------
    >>> variance_by_value(np.array([1.0, 1.0, 2.0]), np.array([3.0, 3.0, 5.0]))
    1.0
    """
    known = ~np.isnan(values)
    _, rows = np.unique(values[known], return_inverse=True)
    true = labels[known]
    means = np.bincount(rows, true) / np.maximum(1, np.bincount(rows)) if len(rows) else np.zeros(0)
    total = float(((true - true.mean()) ** 2).sum()) if len(true) else 0.0
    return 1.0 - float(((true - means[rows]) ** 2).sum()) / total if total else 0.0


def squared_correlation(one: Floats, other: Floats) -> float:
    """Return the squared Pearson correlation of two columns, ignoring missing values; 0 if one is constant.

    Examples
    --------
    >>> round(squared_correlation(np.array([1.0, 2.0, 3.0]), np.array([6.0, 4.0, 2.0])), 6)
    1.0
    """
    known = ~(np.isnan(one) | np.isnan(other))
    if known.sum() < 3:
        return 0.0
    a, b = one[known] - one[known].mean(), other[known] - other[known].mean()
    spread = float((a * a).sum() * (b * b).sum())
    return float((a * b).sum()) ** 2 / spread if spread > 0 else 0.0
