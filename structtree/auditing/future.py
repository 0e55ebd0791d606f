"""Predictions that change when the future is deleted: a check without assumptions about the leak.

A small tree is learned from the data that a model sees. For a few individuals, all rows dated on or after their
cutoff are then deleted, together with rows that belong only to deleted rows; later dates are blanked, and so are
columns that have values in exactly the same rows as such a date. Without a leak, the predictions stay the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from structtree.arrays import Ints, Mask
from structtree.auditing.case import Case, first_seen, visible_pairs
from structtree.auditing.features import MOST_ROWS_BEHIND, Feature, links_behind, pairs_behind
from structtree.auditing.findings import Finding
from structtree.auditing.queries import Writer
from structtree.data.as_of import as_of, optional_if_absent
from structtree.data.dating import past_from
from structtree.data.population import Column, Population, Table
from structtree.data.profile import profile
from structtree.data.provenance import provenance_of
from structtree.data.reachable import restricted
from structtree.data.schema import Schema
from structtree.lang.default import default_grammar
from structtree.learn.fit import fit
from structtree.models.model import Model
from structtree.models.settings import Growth
from structtree.progress import report_status
from structtree.remarks import option_text

__all__ = ["changed_predictions", "without_future"]

PREDICTED_AGAIN = 20
"""Number of individuals, sampled with a fixed seed, to predict again without their future."""

LEARNED_FROM = 2_000
"""Maximum number of individuals to learn the tree from."""

GROWTH = Growth(max_depth=2, min_samples_leaf=5, max_evaluations=20_000, time_limit=30.0)
"""Two levels are enough to find a strong leak. The time limit stops only very large searches."""


def changed_predictions(case: Case) -> Iterator[Finding]:
    """Yield a finding if predictions change when future rows are deleted."""
    if case.cutoffs is None or not case.events:
        return
    random = np.random.default_rng(0)
    dated = np.flatnonzero(~np.isnan(case.limits))
    chosen = random.permutation(dated)[:PREDICTED_AGAIN]
    model = _learned(case, random)
    before = _predictions(model, case.seen.take(chosen))
    changed = 0
    for done, i in enumerate(chosen):
        report_status("auditing", done, len(chosen), "deleting the future rows of individuals")
        after = _predictions(model, _limit_again(case, without_future(case, int(i))))
        changed += not np.allclose(before[done], after[0])
    if changed:
        yield _finding(case, changed, len(chosen))


def _learned(case: Case, random: np.random.Generator) -> Model:
    which = np.sort(random.permutation(len(case.labels))[:LEARNED_FROM])
    population = case.seen.take(which)
    simple = replace(profile(population), is_large=True)  # only single tests, so that learning takes seconds
    grammar = default_grammar(population, known=simple)
    return fit(population, case.labels[which], grammar, GROWTH, grow="full", target_name=None)


def _predictions(model: Model, population: Population) -> Any:
    return model.predict_proba(population) if model.tree.classes else model.predict(population)


def _limit_again(case: Case, alone: Population) -> Population:
    """Limit a population whose future rows are deleted to the rows that a model sees."""
    cutoffs = case.cutoffs
    assert cutoffs is not None
    if not case.is_limited:
        return alone
    seen = as_of(alone, cutoffs.path, until=cutoffs.until, lead=float(cutoffs.lead), dating=cutoffs.dating).population
    return replace(seen, provenance=None)


def without_future(case: Case, i: int) -> Population:
    """Return the population of one individual, without rows and values dated on or after its cutoff."""
    row, limit = int(case.whole.individuals[i]), float(case.limits[i])
    kept: dict[str, Mask] = {name: first_seen(case, name) <= limit for name in case.whole.schema.names}
    kept[case.individual][row] = True
    _delete_orphans(case, kept)
    blanked = _blanked(case, limit)
    alone = restricted(replace(blanked, individuals=np.array([row]), provenance=None, _compact=False), kept)
    return _with_optional(alone)


def _delete_orphans(case: Case, kept: dict[str, Mask]) -> None:
    """Delete rows without a date whose foreign key refers to a deleted row, like ON DELETE CASCADE."""
    undated = [name for name in kept if np.isneginf(first_seen(case, name)).all()]
    n_before = -1
    while n_before != (n_before := sum(int(mask.sum()) for mask in kept.values())):
        for name in undated:
            for link in case.whole.schema.type(name).links:
                if link.single and _is_key(case, name, link.name):
                    to = case.whole.tables[name].links[link.name].first_targets[:-1]
                    kept[name] &= np.append(kept[link.target], True)[to]


def _is_key(case: Case, name: str, link: str) -> bool:
    relations = provenance_of(case.seen).relations
    if relations is None:
        return False
    return any((each.match.foreign_key.table, each.name) == (name, link) for each in relations.links)


def _blanked(case: Case, limit: float) -> Population:
    """Return the population without future dates, and without the values that depend on them."""
    assert case.cutoffs is not None
    tables = {name: _blanked_table(table, limit) for name, table in case.whole.tables.items()}
    name, own = case.individual, case.cutoffs.path
    if own in tables[name].columns:
        columns = {**tables[name].columns, own: case.whole.tables[name].columns[own]}
        tables[name] = replace(tables[name], columns=columns)
    return replace(case.whole, tables=tables)


def _blanked_table(table: Table, limit: float) -> Table:
    columns = dict(table.columns)
    for name, column in table.columns.items():
        if column.kind in ("date", "time"):
            later = past_from(column) > limit
            beside = [key for key, other in table.columns.items() if _is_filled_with(other, column)]
            for key in [name, *beside] if later.any() else []:
                columns[key] = _blanked_column(columns[key], later)
    return replace(table, columns=columns)


def _is_filled_with(column: Column, date: Column) -> bool:
    """Return whether a column is missing in exactly the same rows as a date, and in at least one."""
    return column is not date and bool(date.missing.any()) and bool((column.missing == date.missing).all())


def _blanked_column(column: Column, rows: Mask) -> Column:
    missing = np.nan if column.values.dtype.kind == "f" else -1
    return replace(column, values=np.where(rows, missing, column.values).astype(column.values.dtype))


def _with_optional(population: Population) -> Population:
    """Return the population with references made optional if some rows lack them."""
    types = []
    for record in population.schema.types:
        adjacencies = population.tables[record.name].links
        links = tuple(optional_if_absent(link, adjacencies[link.name]) for link in record.links)
        types.append(replace(record, links=links))
    return replace(population, schema=Schema(tuple(types), population.schema.individual))


def _finding(case: Case, changed: int, n: int) -> Finding:
    assert case.cutoffs is not None
    path = case.cutoffs.path
    change = f"{changed} of {n} predictions change when rows dated on or after {case.date} are deleted"
    if case.is_limited:
        sentence = f"{change}, although {option_text('as_of', case.date)} should hide them."
        return Finding("future", case.individual, path, {}, sentence, case.shell_command("audit"))
    most = max(_reaching(case), key=lambda pair: pair[1], default=None)
    if most is None:  # values depend on the future, but no rows do
        sentence = f"{change}, so a model reads the future; pass {option_text('as_of', case.date)}."
        return Finding("future", case.individual, path, {}, sentence, case.shell_command("audit"))
    feature, n_reaching = most

    def later(writer: Writer) -> str:
        every, before = (writer.feature(feature, tests) for tests in (writer.every, writer.before))
        return f"CASE WHEN {every} > {before} THEN 1 ELSE 0 END"

    sentence = (
        f"{change} ({n_reaching:,} individuals reach future rows of {'.'.join(feature.path)}), so a model reads the "
        f"future; pass {option_text('as_of', case.date)}."
    )
    demonstration = case.demonstration({"x": later}, "SELECT SUM(x) AS individuals FROM f")
    return Finding("future", case.individual, path, {"individuals": float(n_reaching)}, sentence, demonstration)


def _reaching(case: Case) -> Iterator[tuple[Feature, int]]:
    """Yield each link to future rows, with the number of individuals that reach a future row through it."""
    for path, name, rows in links_behind(case.whole):
        for link in case.whole.schema.type(name).links:
            adjacency = case.whole.tables[name].links[link.name]
            if adjacency.n_of(rows[rows >= 0]).sum() > MOST_ROWS_BEHIND or link.target == case.individual:
                continue
            owners, targets = pairs_behind(adjacency, rows)
            later: Ints = owners[~visible_pairs(case, owners, targets, link.target)]
            if len(later):
                none = Column("int", np.zeros(len(rows)))
                yield Feature((*path, link.name), None, "count", link.target, none), len(np.unique(later))
