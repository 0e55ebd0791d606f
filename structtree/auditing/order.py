"""Keys whose order predicts the target, and targets that change over time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from structtree.arrays import Floats, Mask
from structtree.auditing.case import DEVIATIONS, Case
from structtree.auditing.features import features
from structtree.auditing.figures import AUC_SQL, auc, squared_correlation
from structtree.auditing.findings import Finding
from structtree.auditing.queries import Event, Writer
from structtree.data.as_of import DAYS_BEFORE
from structtree.data.dates import moment_text
from structtree.data.profile import identifiers
from structtree.data.provenance import provenance_of
from structtree.data.readers.databases.keys import distinct_values
from structtree.export.sql.values import number_literal
from structtree.remarks import option_text

__all__ = ["drift", "informative_keys"]

KEY_AUC = 0.7
"""Minimum AUC of a key."""

DATED_KEY_AUC = 0.65
"""Minimum AUC of a key that grows with the date."""

MONOTONE = 0.95
"""Minimum rank correlation of keys that grow with the date."""

RUNS = 0.5
"""Minimum agreement beyond chance between the labels of rows with consecutive keys."""

SHIFT = 0.15
"""Minimum difference between the frequencies of an event among early and late individuals."""

LATE_AUC = 0.75
"""Minimum AUC of a value or mean that separates late from early individuals; counts always grow with time."""

_RUNS_SQL = """SELECT AVG(CASE WHEN e = b THEN 1.0 ELSE 0.0 END) AS agreement
FROM (SELECT e, LAG(e) OVER (ORDER BY x) AS b FROM f WHERE x IS NOT NULL) AS following WHERE b IS NOT NULL"""


def informative_keys(case: Case) -> Iterator[Finding]:
    """Yield keys and identifiers of the individuals whose order predicts the target."""
    for name, values in _keys(case):
        known = ~np.isnan(values)
        if len(np.unique(values[known])) < 0.9 * len(values) or not case.events:
            continue
        best, is_dated = case.best_auc(values), _grows_with_date(case, values)
        if best.is_clear and best.value >= (DATED_KEY_AUC if is_dated else KEY_AUC):
            also = f", which grows with {case.cutoffs.path}," if is_dated and case.cutoffs else ""
            sentence = (
                f"{name}{also} ranks {best.event.text} with an AUC of {best.value:.3f}; do not use it, and check "
                "how rows were numbered."
            )
            sign = "-" if best.sign < 0 else ""
            yield _key_finding(case, name, best.event, {"auc": best.value}, sentence, AUC_SQL, sign)
            continue
        agreement, excess, event = max(
            ((*_agreement(values, each.is_true), each) for each in case.events), key=lambda found: found[1]
        )
        if excess >= RUNS:
            sentence = (
                f"rows with consecutive {name} agree on {event.text} in {agreement:.1%} of cases, so rows are sorted "
                "by label; do not use it, and shuffle rows before making folds."
            )
            yield _key_finding(case, name, event, {"agreement": agreement}, sentence, _RUNS_SQL, "")


def _agreement(values: Floats, event: Mask) -> tuple[float, float]:
    """Return the fraction of consecutive rows that agree, and their agreement beyond chance (Cohen's kappa)."""
    known = ~np.isnan(values)
    ordered = event[known][np.argsort(values[known], kind="stable")]
    share = float(ordered.mean())
    chance = share**2 + (1 - share) ** 2
    n_rare = min(ordered.sum(), (~ordered).sum())
    agreement = float((ordered[1:] == ordered[:-1]).mean()) if len(ordered) > 1 else 0.0
    return agreement, (agreement - chance) / (1 - chance) if n_rare >= 30 else 0.0


def _grows_with_date(case: Case, values: Floats) -> bool:
    if case.cutoffs is None:
        return False
    known = ~(np.isnan(values) | np.isnan(case.limits))
    if known.sum() < 30:
        return False
    ranks = [np.unique(each[known], return_inverse=True)[1] for each in (values, case.limits)]
    return squared_correlation(ranks[0].astype(np.float64), ranks[1].astype(np.float64)) >= MONOTONE**2


def _keys(case: Case) -> Iterator[tuple[str, Floats]]:
    """Yield the keys and identifiers of the individuals as numbers in the same order."""
    relations, individual = provenance_of(case.seen).relations, case.individual
    if relations is not None and individual in relations.database.tables:
        table = relations.database.tables[individual]
        if len(table.key) == 1:
            found = distinct_values(table.sheet.columns[table.key[0]])
            ranks = np.unique(found.values, return_inverse=True)[1].astype(np.float64)
            yield table.key[0], np.append(ranks, np.nan)[found.codes][case.whole.individuals]
    own = case.whole.tables[individual].columns
    for member in sorted(identifiers(case.whole)):
        if member.type == individual and own[member.attribute].kind != "bool":
            column = case.whole.column(member.attribute)
            yield member.attribute, np.where(column.missing, np.nan, column.values.astype(np.float64))


def _key_finding(
    case: Case, name: str, event: Event, figures: dict[str, float], sentence: str, select: str, sign: str
) -> Finding:
    def order(writer: Writer) -> str:
        # ranked, since text cannot be negated
        return f"{sign}RANK() OVER (ORDER BY {writer.raw(name)})"

    demonstration = case.demonstration({"x": order, "e": lambda writer: writer.event(event)}, select)
    return Finding("identifier", case.individual, name, figures, sentence, demonstration)


def drift(case: Case) -> Iterator[Finding]:
    """Yield a finding if the target changes over time and a feature separates early from late individuals."""
    if case.cutoffs is None or not case.events:
        return
    known = ~np.isnan(case.limits)
    middle = float(np.median(case.limits[known])) if known.any() else np.nan
    late, early = known & (case.limits >= middle), known & (case.limits < middle)
    if min(late.sum(), early.sum()) < 30:
        return
    shares = [(float(each.is_true[early].mean()), float(each.is_true[late].mean()), each) for each in case.events]
    before, after, event = max(shares, key=lambda found: abs(found[1] - found[0]))
    pooled = float(event.is_true[known].mean())
    deviation = np.sqrt(pooled * (1 - pooled) * (1 / early.sum() + 1 / late.sum()))
    if abs(after - before) < max(SHIFT, DEVIATIONS * deviation):
        return
    tried = (
        (max(value, 1 - value), each.name)
        for each in features(case.seen)
        if each.function in ("", "mean") and each.column.kind not in ("date", "time", "nominal")
        if not (each.attribute or "").startswith(DAYS_BEFORE)  # a date itself
        for value in [auc(each.numbers[known], late[known])]
    )
    late_auc, name = max(tried, default=(0.5, ""))
    if late_auc < LATE_AUC:
        return
    path, day = case.cutoffs.path, middle + case.cutoffs.lead
    sentence = (
        f"{event.text} is true for {before:.1%} of individuals before {moment_text(np.floor(day), 'date')} and for "
        f"{after:.1%} later, and {name} separates the two (AUC {late_auc:.3f}); test on later individuals than you "
        f"train on: {option_text('folds', f'time:{path}')}."
    )

    def is_late(writer: Writer) -> str:
        *references, own = path.split(".")
        found = writer.every.look_up(writer.row, references, own)
        at = found.number if case.cutoffs and case.cutoffs.kind == "date" else f"{found.number} / 86400.0"
        return f"CASE WHEN {at} >= {number_literal(day)} THEN 1 WHEN {at} < {number_literal(day)} THEN 0 END"

    select = (
        "SELECT AVG(CASE WHEN x = 0 THEN e * 1.0 END) AS early, AVG(CASE WHEN x = 1 THEN e * 1.0 END) AS late FROM f"
    )
    by_time = case.shell_command("cv", folds=f"time:{path}")
    demonstration = case.demonstration({"x": is_late, "e": lambda writer: writer.event(event)}, select, by_time)
    yield Finding("drift", case.individual, path, {"early": before, "late": after}, sentence, demonstration)
