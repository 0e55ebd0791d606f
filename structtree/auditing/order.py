"""Keys that predict the target by their order, and targets that change over time."""

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

__all__ = ["drift", "telling_keys"]

TELLING = 0.7
"""The AUC of a key from which on its order tells the target;"""

TELLING_TIME = 0.65
"""the same of one that also tells the date."""

MONOTONE = 0.95
"""The correlation of the ranks of keys and dates from which on keys tell the date."""

RUNS = 0.5
"""The share of neighbours by key that agree beyond chance, from which on keys come in runs of one label."""

SHIFT = 0.15
"""The difference of the share of an event, early and late, that is worth telling,"""

TELLS_LATE = 0.75
"""if a value or a mean, which do not grow with time as counts do, ranks late individuals with such an AUC."""

_RUNS_SQL = """SELECT AVG(CASE WHEN e = b THEN 1.0 ELSE 0.0 END) AS agreement
FROM (SELECT e, LAG(e) OVER (ORDER BY x) AS b FROM f WHERE x IS NOT NULL) AS following WHERE b IS NOT NULL"""


def telling_keys(case: Case) -> Iterator[Finding]:
    """Yield keys and identifiers of the individuals whose order tells the target."""
    for name, values in _keys(case):
        known = ~np.isnan(values)
        if len(np.unique(values[known])) < 0.9 * len(values) or not case.events:
            continue
        best, tells_time = case.best_auc(values), _tells_time(case, values)
        if best.is_clear and best.value >= (TELLING_TIME if tells_time else TELLING):
            also = f", as it grows with {case.cutoffs.path}," if tells_time and case.cutoffs else ""
            sentence = (
                f"{name}{also} ranks {best.event.words} with an AUC of {best.value:.3f}; do not use it, and check "
                "how rows were numbered."
            )
            sign = "-" if best.sign < 0 else ""
            yield _key_finding(case, name, best.event, {"auc": best.value}, sentence, AUC_SQL, sign)
            continue
        agreement, excess, event = max(
            ((*_agreement(values, each.holds), each) for each in case.events), key=lambda found: found[1]
        )
        if excess >= RUNS:
            sentence = (
                f"rows next to each other by {name} agree about {event.words} in {agreement:.1%} of cases, so it "
                "numbers runs of one label; do not use it, and do not take folds by order."
            )
            yield _key_finding(case, name, event, {"agreement": agreement}, sentence, _RUNS_SQL, "")


def _agreement(values: Floats, event: Mask) -> tuple[float, float]:
    """Return the share of neighbours that agree, and how much of what chance leaves that is."""
    known = ~np.isnan(values)
    ordered = event[known][np.argsort(values[known], kind="stable")]
    share = float(ordered.mean())
    chance = share**2 + (1 - share) ** 2
    n_rare = min(ordered.sum(), (~ordered).sum())
    agreement = float((ordered[1:] == ordered[:-1]).mean()) if len(ordered) > 1 else 0.0
    return agreement, (agreement - chance) / (1 - chance) if n_rare >= 30 else 0.0


def _tells_time(case: Case, values: Floats) -> bool:
    if case.cutoffs is None:
        return False
    known = ~(np.isnan(values) | np.isnan(case.limits))
    if known.sum() < 30:
        return False
    ranks = [np.unique(each[known], return_inverse=True)[1] for each in (values, case.limits)]
    return squared_correlation(ranks[0].astype(np.float64), ranks[1].astype(np.float64)) >= MONOTONE**2


def _keys(case: Case) -> Iterator[tuple[str, Floats]]:
    """Yield the keys and identifiers of the individuals, as numbers in the order of their values."""
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
        # text cannot be negated, so that it is ranked first
        return f"{sign}RANK() OVER (ORDER BY {writer.raw(name)})"

    demonstration = case.demonstrated({"x": order, "e": lambda writer: writer.event(event)}, select)
    return Finding("identifier", case.individual, name, figures, sentence, demonstration)


def drift(case: Case) -> Iterator[Finding]:
    """Yield that the target changes over time, and that models can tell early individuals from late ones."""
    if case.cutoffs is None or not case.events:
        return
    known = ~np.isnan(case.limits)
    middle = float(np.median(case.limits[known])) if known.any() else np.nan
    late, early = known & (case.limits >= middle), known & (case.limits < middle)
    if min(late.sum(), early.sum()) < 30:
        return
    shares = [(float(each.holds[early].mean()), float(each.holds[late].mean()), each) for each in case.events]
    before, after, event = max(shares, key=lambda found: abs(found[1] - found[0]))
    pooled = float(event.holds[known].mean())
    deviation = np.sqrt(pooled * (1 - pooled) * (1 / early.sum() + 1 / late.sum()))
    if abs(after - before) < max(SHIFT, DEVIATIONS * deviation):
        return
    moments = ("date", "time")
    tried = (
        (max(value, 1 - value), each.name)
        for each in features(case.seen)
        if each.function in ("", "mean") and each.column.kind not in (*moments, "nominal")
        if not (each.attribute or "").startswith(DAYS_BEFORE)  # which says when
        for value in [auc(each.numbers[known], late[known])]
    )
    tells, name = max(tried, default=(0.5, ""))
    if tells < TELLS_LATE:
        return
    path, day = case.cutoffs.path, middle + case.cutoffs.lead
    sentence = (
        f"{event.words} holds for {before:.1%} of individuals before {moment_text(np.floor(day), 'date')} and for "
        f"{after:.1%} later, and {name} tells the two apart (AUC {tells:.3f}); test on later individuals than you "
        f"train on: {option_text('folds', f'time:{path}')}."
    )

    def is_late(writer: Writer) -> str:
        *references, own = path.split(".")
        found = writer.every.looked_up(writer.row, references, own)
        at = found.number if case.cutoffs and case.cutoffs.kind == "date" else f"{found.number} / 86400.0"
        return f"CASE WHEN {at} >= {number_literal(day)} THEN 1 WHEN {at} < {number_literal(day)} THEN 0 END"

    select = (
        "SELECT AVG(CASE WHEN x = 0 THEN e * 1.0 END) AS early, AVG(CASE WHEN x = 1 THEN e * 1.0 END) AS late FROM f"
    )
    by_time = case.shell_command("cv", folds=f"time:{path}")
    demonstration = case.demonstrated({"x": is_late, "e": lambda writer: writer.event(event)}, select, by_time)
    yield Finding("drift", case.individual, path, {"early": before, "late": after}, sentence, demonstration)
