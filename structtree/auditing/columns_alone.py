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

__all__ = ["columns_alone", "copies_of_the_day"]

MANY_VALUES = 0.2
"""A number that differs in more than this share of individuals is compared by its order, not value by value."""

CLEAR = 0.9
"""An AUC or squared correlation from which on it is what shows a finding."""

COPIED = 0.9999
"""The squared correlation of a number and its copy."""


def columns_alone(case: Case, *, is_short: bool = False) -> Iterator[Finding]:
    """Yield each column, of individuals, behind references or over links, that alone predicts the target.

    Each attribute is reported once: as a copy of the label if it is one, otherwise by its best feature. The short
    version has copies in other tables only.
    """
    found = {each.name: each for each in features(case.seen)}
    leaks = column_leaks({name: each.column for name, each in found.items()}, case.labels)
    judged = [(found[leak.attribute], is_copy(case, found[leak.attribute])) for leak in leaks]
    told: set[tuple[str, str | None]] = set()
    for feature, copied in sorted(judged, key=_order):
        table = case.table_of(feature.type)
        is_told = {(table, feature.attribute), (table, None)} & told  # that rows are there says that values are
        if not is_told and not (is_short and (not copied or not feature.path)):
            told.add((table, feature.attribute))
            yield _finding(case, feature, "copy" if copied and feature.path else "alone")


def _order(judged: tuple[Feature, bool]) -> tuple[bool, bool, int, str]:
    """Return the order in which features are reported: copies, then the presence of rows, then the nearest values."""
    feature, copied = judged
    return not copied, feature.attribute is not None, len(feature.path), feature.function


def is_copy(case: Case, feature: Feature) -> bool:
    """Return whether a feature is the label under other names: each value goes with one label, and back."""
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
class _Shown:
    """A figure of a feature and the target, and the query that returns it."""

    name: str
    value: float
    select: str
    against: Event | None = None
    sign: str = ""


def _shown(case: Case, values: Floats, is_ordered: bool) -> _Shown:
    """Return the figure that shows best how a feature predicts the target."""
    known = ~np.isnan(values)
    is_fine = is_ordered and len(np.unique(values[known])) > MANY_VALUES * known.sum()
    if case.labels.dtype.kind == "f":
        r2 = squared_correlation(values, case.labels)
        if is_ordered and r2 >= CLEAR:
            return _Shown("r2", r2, CORRELATION_SQL)
        return _Shown("r2", variance_by_value(values, case.labels), VARIANCE_BY_VALUE_SQL)
    if is_fine:
        best = case.best_auc(values)
        if best.value >= CLEAR:
            return _Shown("auc", best.value, AUC_SQL, best.event, "-" if best.sign < 0 else "")
    return _Shown("accuracy", accuracy_by_value(values, case.labels), BY_VALUE_SQL)


_SAID = {
    "auc": "ranks {event} with an AUC of {value:.3f}",
    "accuracy": "alone predicts {target} with an accuracy of {value:.3f}",
    "r2": "alone explains {value:.1%} of the variance of {target}",
}


def _finding(case: Case, feature: Feature, kind: Literal["alone", "copy"]) -> Finding:
    shown = _shown(case, feature.numbers, feature.column.kind in NUMERIC)
    said = _SAID[shown.name].format(
        event=shown.against and shown.against.words, target=case.target, value=shown.value
    )
    what = "is a copy of the label under another name and" if kind == "copy" else ""
    sentence = f"{feature.name} {what} {said}; if it is known only after {case.target}, exclude it.".replace(
        "  ", " "
    )
    table = case.table_of(feature.type)
    demonstration = _demonstrated(case, lambda writer: f"{shown.sign}{writer.feature(feature)}", shown, feature)
    return Finding(kind, table, feature.attribute or "", {shown.name: shown.value}, sentence, demonstration)


def _demonstrated(case: Case, x: SqlColumn, shown: _Shown, feature: Feature) -> str:
    """Return the query of a figure; or a command, where SQL cannot say it."""
    event = shown.against
    columns: dict[str, SqlColumn] = {"x": x}
    columns |= {"e": lambda writer: writer.event(event)} if event else {"y": lambda writer: writer.label()}
    is_own = not feature.path and feature.attribute
    by_it = case.shell_command("cv", features=str(feature.attribute))
    return case.demonstrated(columns, shown.select, by_it if is_own else None)


def copies_of_the_day(case: Case) -> Iterator[Finding]:
    """Yield columns of other tables that have the label of the same entity at the same date.

    As of a date nothing of that day is seen, so that there is nothing to find.
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
                    feature = _of_the_day(
                        (*path, link.name), key, link.target, column, owners[same], targets[same], len(rows)
                    )
                    if is_copy(case, feature):
                        yield _day_finding(case, feature, Attribute(dates[0], own.kind))


def _of_the_day(
    path: tuple[str, ...], name: str, type_name: str, column: Column, owners: Ints, targets: Ints, n: int
) -> Feature:
    values = np.full(n, np.nan)
    known = ~column.missing[targets]
    values[owners[known][::-1]] = column.values[targets][known][::-1]
    return Feature(path, name, "max", type_name, Column("real", values))


def _day_finding(case: Case, feature: Feature, date: Attribute) -> Finding:
    assert case.cutoffs is not None
    path = case.cutoffs.path
    shown = _shown(case, feature.numbers, is_ordered=False)
    said = _SAID[shown.name].format(event="", target=case.target, value=shown.value)
    name = ".".join((*feature.path, str(feature.attribute)))
    sentence = f"{name} at the same {path} is the label of the same entity and {said}; exclude {feature.type}."
    demonstration = _demonstrated(case, lambda writer: writer.same_day(feature, path, date), shown, feature)
    return Finding("copy", feature.type, str(feature.attribute), {shown.name: shown.value}, sentence, demonstration)
