"""Leaks through hiding: the absence of a value that is hidden as of a date reveals the future.

Individuals that see only the past lack later values and references. If a value is never missing otherwise, its
absence reveals that it is known in the future, and a model can test for that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from structtree.arrays import Mask
from structtree.auditing.case import BestAuc, Case
from structtree.auditing.features import Feature, features, links_behind
from structtree.auditing.figures import AUC_SQL
from structtree.auditing.findings import Finding
from structtree.auditing.queries import Writer
from structtree.data.population import Column

__all__ = ["hidden_places", "visible_hiding"]

STUMP = 0.6
"""Minimum AUC of a stump on hidden values."""

BLANK_IS_HIDDEN = 0.9
"""Minimum fraction of missing values that are hidden rather than absent."""


@dataclass(frozen=True, slots=True, eq=False)
class HiddenPlace:
    """Value or reference, with masks of the individuals for which it is hidden or absent."""

    feature: Feature
    hidden: Mask
    absent: Mask


def hidden_places(case: Case) -> Mapping[str, HiddenPlace]:
    """Return the values and references that are hidden from at least one individual, by path."""
    found = {}
    behind = {path: rows for path, _, rows in links_behind(case.seen)}
    for path, name, rows in links_behind(case.whole):
        if path and path[:-1] in behind and path in behind:
            is_there = behind[path[:-1]] >= 0
            hidden = is_there & (rows >= 0) & (behind[path] < 0)
            feature = Feature(path, None, "count", name, Column("int", (rows >= 0).astype(np.float64)))
            found[".".join(path)] = HiddenPlace(feature, hidden, is_there & (rows < 0))
    seen = {each.name: each for each in features(case.seen, aggregated=False) if not each.function}
    for each in features(case.whole, aggregated=False):
        if not each.function and each.name in seen:
            is_there = behind[each.path] >= 0
            hidden = is_there & np.isnan(seen[each.name].numbers) & ~np.isnan(each.numbers)
            found[each.name] = HiddenPlace(each, hidden, is_there & np.isnan(each.numbers))
    return {path: place for path, place in found.items() if place.hidden.any()}


def visible_hiding(case: Case) -> Iterator[Finding]:
    """Yield hidden values and references whose absence predicts the target."""
    if not case.is_limited:
        return
    for path, place in hidden_places(case).items():
        n_blank = int((place.hidden | place.absent).sum())
        if not case.events or place.hidden.sum() < BLANK_IS_HIDDEN * n_blank:
            continue
        best = case.best_auc(place.hidden.astype(np.float64))
        if best.value >= STUMP and best.is_clear:
            yield _finding(case, path, place, best)


def _finding(case: Case, path: str, place: HiddenPlace, best: BestAuc) -> Finding:
    feature = place.feature

    def is_hidden(writer: Writer) -> str:
        whole, seen = writer.feature(feature, writer.every), writer.feature(feature)
        is_so = f"{whole} > {seen}" if feature.function == "count" else f"{whole} IS NOT NULL AND {seen} IS NULL"
        return f"{best.sign} * CASE WHEN {is_so} THEN 1 ELSE 0 END"

    sentence = (
        f"{path} is missing only where the cutoff hides it ({int(place.hidden.sum()):,} individuals), and its "
        f"absence ranks {best.event.text} with an AUC of {best.value:.3f}; exclude it."
    )
    demonstration = case.demonstration({"x": is_hidden, "e": lambda writer: writer.event(best.event)}, AUC_SQL)
    table, column = case.table_of(feature.type), feature.attribute or ""
    return Finding("hidden", table, column, {"auc": best.value}, sentence, demonstration)
