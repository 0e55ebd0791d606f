"""Columns that look like snapshots: counters and sums that were updated until the day of the database dump."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from structtree.arrays import Floats, Ints
from structtree.auditing.case import Case, first_seen, visible_pairs
from structtree.auditing.features import MOST_ROWS_BEHIND, Feature, links_behind, pairs_behind
from structtree.auditing.figures import squared_correlation
from structtree.auditing.findings import Finding
from structtree.auditing.queries import SqlColumn
from structtree.data.population import Column

__all__ = ["snapshots"]

COUNTER = re.compile(
    r"(?i)(^|_|\b)(n|num|nr|count|counts|total|totals|sum|reputation|views|balance|score|rating|points|last|latest|"
    r"current|karma|visits|likes|followers|spent|avg|average|lifetime)(_|\b|$)|(?:Count|Total|Balance|Views|Score)$"
)
"""Typical names of counters, for which weaker evidence suffices."""

EXPLAINED = 0.9
"""Minimum fraction of the variance of a column that an aggregate of all rows behind a link explains."""

EXPLAINED_NAMED = 0.5
"""Minimum fraction for a column with the name of a counter."""

GAP = 0.2
"""Minimum difference from the fraction that the rows before the cutoff explain."""

LEAST_OWNERS = 20
"""Minimum number of distinct rows with the column."""

MOST_SUMMED = 10
"""Maximum number of numeric columns behind a link that are summed."""

_SELECT = """SELECT SUM(a * b) * SUM(a * b) / (SUM(a * a) * SUM(b * b)) AS r2_all,
       SUM(a * c) * SUM(a * c) / (SUM(a * a) * SUM(c * c)) AS r2_before
FROM (SELECT x - AVG(x) OVER () AS a, y - AVG(y) OVER () AS b, z - AVG(z) OVER () AS c
      FROM f WHERE x IS NOT NULL AND y IS NOT NULL AND z IS NOT NULL) AS centred"""


@dataclass(frozen=True, slots=True, eq=False)
class _Summary:
    """Aggregate over all rows behind a link, and over those before the cutoff."""

    feature: Feature
    every: Floats
    before: Floats


def snapshots(case: Case) -> Iterator[Finding]:
    """Yield numeric columns that agree much better with all linked rows than with those before the cutoff."""
    if case.cutoffs is None:
        return
    for path, name, rows in links_behind(case.whole):
        columns = {
            key: column
            for key, column in case.whole.tables[name].columns.items()
            if column.kind in ("int", "real") and len(np.unique(rows[rows >= 0])) >= LEAST_OWNERS
        }
        summaries = list(_summaries(case, path, name, rows)) if columns else []
        for key, column in columns.items():
            values = np.append(column.values, np.nan)[rows]
            found = [(_explained(values, each.every, each.before), each) for each in summaries]
            best = max(found, key=lambda pair: pair[0][0] - pair[0][1], default=None)
            if best is not None and _is_snapshot(key, *best[0]):
                yield _finding(case, Feature(path, key, "", name, Column("real", values)), best[1], *best[0])


def _is_snapshot(name: str, every: float, before: float) -> bool:
    least = EXPLAINED_NAMED if COUNTER.search(name) else EXPLAINED
    return every >= least and every - before >= GAP


def _explained(values: Floats, every: Floats, before: Floats) -> tuple[float, float]:
    known = ~(np.isnan(values) | np.isnan(every) | np.isnan(before))
    return tuple(squared_correlation(values[known], each[known]) for each in (every, before))  # type: ignore[return-value]


def _summaries(case: Case, path: tuple[str, ...], name: str, rows: Ints) -> Iterator[_Summary]:
    for link in case.whole.schema.type(name).links:
        adjacency = case.whole.tables[name].links[link.name]
        is_dated = not np.isneginf(first_seen(case, link.target)).all()
        if link.single or not is_dated or adjacency.n_of(rows[rows >= 0]).sum() > MOST_ROWS_BEHIND:
            continue
        owners, targets = pairs_behind(adjacency, rows)
        past = visible_pairs(case, owners, targets, link.target)
        n, there = len(rows), (*path, link.name)
        every, before = (np.bincount(who, minlength=n).astype(np.float64) for who in (owners, owners[past]))
        none = Column("int", every)
        yield _Summary(Feature(there, None, "count", link.target, none), every, before)
        columns = case.whole.tables[link.target].columns
        for key in [key for key, column in columns.items() if column.kind in ("int", "real")][:MOST_SUMMED]:
            values = np.nan_to_num(columns[key].values[targets])
            every, before = (np.bincount(owners, kept, n).astype(np.float64) for kept in (values, values * past))
            yield _Summary(Feature(there, key, "sum", link.target, none), every, before)


def _finding(case: Case, column: Feature, summary: _Summary, every: float, before: float) -> Finding:
    wanted: dict[str, SqlColumn] = {
        "x": lambda writer: writer.feature(column, writer.every),
        "y": lambda writer: f"COALESCE({writer.feature(summary.feature, writer.every)}, 0)",
        "z": lambda writer: f"COALESCE({writer.feature(summary.feature, writer.before)}, 0)",
    }
    demonstration = case.demonstration(wanted, _SELECT)
    sentence = (
        f"{column.name} looks like a snapshot from the day of the dump: the {summary.feature.name} explains "
        f"{every:.1%} of its variance with all rows, but {before:.1%} with those before the cutoff; exclude it."
    )
    figures = {"r2_all": every, "r2_before": before}
    return Finding("snapshot", case.table_of(column.type), str(column.attribute), figures, sentence, demonstration)
