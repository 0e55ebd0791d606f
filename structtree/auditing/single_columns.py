"""Single columns that predict the target almost perfectly, and copies of the label behind links."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from structtree.arrays import Floats, Ints
from structtree.auditing.case import Case
from structtree.auditing.features import Feature, features, links_behind, pairs_behind
from structtree.auditing.figures import (
    AUC_SQL,
    BY_VALUE_SQL,
    CORRELATION_SQL,
    VARIANCE_BY_VALUE_SQL,
    accuracy_by_value,
    squared_correlation,
    variance_by_value,
)
from structtree.auditing.findings import Finding
from structtree.auditing.queries import Event, SqlColumn
from structtree.data.as_of import individual_dates
from structtree.data.population import Column
from structtree.data.schema import NUMERIC, Attribute
from structtree.evaluation.leakage import ALMOST_ALL, LEAST, column_leaks

__all__ = ["same_day_copies", "single_columns"]

MANY_VALUES = 0.2
"""Fraction of distinct values above which numbers are compared by order rather than value by value."""

CLEAR = 0.9
"""Minimum AUC or squared correlation to report that figure."""

COPIED = 0.9999
"""Minimum squared correlation of a column with a copy of it."""


def single_columns(case: Case, *, is_short: bool = False) -> Iterator[Finding]:
    """Yield each feature of the individuals that predicts the target on its own.

    Each attribute is reported once: as a copy of the label if it is one, otherwise with its best feature. The short
    version yields only copies in other tables.
    """
    found = {each.name: each for each in features(case.seen)}
    leaks = column_leaks({name: each.column for name, each in found.items()}, case.labels)
    judged = [(found[leak.attribute], is_copy(case, found[leak.attribute])) for leak in leaks]
    reported: set[tuple[str, str | None]] = set()
    for feature, copied in sorted(judged, key=_order):
        table = case.table_of(feature.type)
        is_reported = {(table, feature.attribute), (table, None)} & reported  # the presence of rows implies values
        if not is_reported and not (is_short and (not copied or not feature.path)):
            reported.add((table, feature.attribute))
            yield _finding(case, feature, "copy" if copied and feature.path else "alone")


def _order(judged: tuple[Feature, bool]) -> tuple[bool, bool, int, str]:
    """Return the sort key of a feature: copies of the label first, then counts of rows, then short paths."""
    feature, copied = judged
    return not copied, feature.attribute is not None, len(feature.path), feature.function


def is_copy(case: Case, feature: Feature) -> bool:
    """Return whether a feature is a one-to-one recoding of the label."""
    if feature.function not in ("", "min", "max"):
        return False
    values = feature.numbers
    known = ~np.isnan(values)
    if known.sum() < LEAST:
        return False
    if case.labels.dtype.kind == "f":
        return squared_correlation(values, case.labels) >= COPIED
    _, classes = np.unique(case.labels.astype(str), return_inverse=True)
    n_values, n_classes = len(np.unique(values[known])), len(np.unique(classes[known]))
    there, back = accuracy_by_value(values, classes), accuracy_by_value(np.where(known, classes, np.nan), values)
    return n_values == n_classes > 1 and min(there, back) >= ALMOST_ALL


@dataclass(frozen=True, slots=True)
class _Figure:
    """Figure that shows how well a feature predicts the target, with a query that computes it."""

    name: str
    value: float
    select: str
    event: Event | None = None
    sign: str = ""

    def text(self, target: str) -> str:
        """Describe the figure as part of a sentence."""
        return _FIGURES[self.name].format(event=self.event and self.event.text, target=target, value=self.value)


def _figure(case: Case, values: Floats, is_ordered: bool) -> _Figure:
    """Return the figure that best shows how a feature predicts the target."""
    known = ~np.isnan(values)
    if case.labels.dtype.kind == "f":
        r2 = squared_correlation(values, case.labels)
        if is_ordered and r2 >= CLEAR:
            return _Figure("r2", r2, CORRELATION_SQL)
        return _Figure("r2", variance_by_value(values, case.labels), VARIANCE_BY_VALUE_SQL)
    if is_ordered and len(np.unique(values[known])) > MANY_VALUES * known.sum():
        best = case.best_auc(values)
        if best.value >= CLEAR:
            return _Figure("auc", best.value, AUC_SQL, best.event, "-" if best.sign < 0 else "")
    return _Figure("accuracy", accuracy_by_value(values, case.labels), BY_VALUE_SQL)


_FIGURES = {
    "auc": "ranks {event} with an AUC of {value:.3f}",
    "accuracy": "alone predicts {target} with an accuracy of {value:.3f}",
    "r2": "alone explains {value:.1%} of the variance of {target}",
}


def _finding(case: Case, feature: Feature, kind: Literal["alone", "copy"]) -> Finding:
    figure = _figure(case, feature.numbers, feature.column.kind in NUMERIC)
    what = "is a copy of the label under another name and " if kind == "copy" else ""
    sentence = (
        f"{feature.name} {what}{figure.text(case.target)}; if it is known only after {case.target}, exclude it."
    )
    table = case.table_of(feature.type)
    demonstration = _demonstration(case, lambda writer: f"{figure.sign}{writer.feature(feature)}", figure, feature)
    return Finding(kind, table, feature.attribute or "", {figure.name: figure.value}, sentence, demonstration)


def _demonstration(case: Case, x: SqlColumn, figure: _Figure, feature: Feature) -> str:
    """Return an SQL query that computes a figure, or a shell command if SQL cannot express it."""
    event = figure.event
    columns: dict[str, SqlColumn] = {"x": x}
    columns |= {"e": lambda writer: writer.event(event)} if event else {"y": lambda writer: writer.label()}
    is_own = not feature.path and feature.attribute
    by_it = case.shell_command("cv", features=str(feature.attribute))
    return case.demonstration(columns, figure.select, by_it if is_own else None)


def same_day_copies(case: Case) -> Iterator[Finding]:
    """Yield columns of other tables that contain the label of the same entity at the same date.

    Nothing is checked if individuals are limited to earlier rows, since they cannot see that day.
    """
    if case.cutoffs is None or case.is_limited:
        return
    own = individual_dates(case.whole, case.cutoffs.path)
    mine = own.values[case.whole.individuals]
    for path, name, rows in links_behind(case.whole):
        for link in case.whole.schema.type(name).links:
            table = case.whole.tables[link.target]
            dates = [key for key, column in table.columns.items() if column.kind == own.kind]
            if link.single or not path or not dates:
                continue
            owners, targets = pairs_behind(case.whole.tables[name].links[link.name], rows)
            same = table.columns[dates[0]].values[targets] == mine[owners]
            for key, column in table.columns.items():
                if key != dates[0]:
                    values = _first_values(column, owners[same], targets[same], len(rows))
                    feature = Feature((*path, link.name), key, "max", link.target, values)
                    if is_copy(case, feature):
                        yield _day_finding(case, feature, Attribute(dates[0], own.kind))


def _first_values(column: Column, owners: Ints, targets: Ints, n: int) -> Column:
    """Return the first non-missing value of each of n owners."""
    values = np.full(n, np.nan)
    known = ~column.missing[targets]
    values[owners[known][::-1]] = column.values[targets][known][::-1]
    return Column("real", values)


def _day_finding(case: Case, feature: Feature, date: Attribute) -> Finding:
    assert case.cutoffs is not None
    path = case.cutoffs.path
    figure = _figure(case, feature.numbers, is_ordered=False)
    name = ".".join((*feature.path, str(feature.attribute)))
    what = f"at the same {path} contains the label of the same entity"
    sentence = f"{name} {what} and {figure.text(case.target)}; exclude {feature.type}."
    demonstration = _demonstration(case, lambda writer: writer.same_day(feature, path, date), figure, feature)
    return Finding("copy", feature.type, str(feature.attribute), {figure.name: figure.value}, sentence, demonstration)
