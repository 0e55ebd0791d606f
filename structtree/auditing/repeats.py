"""Individuals that are there twice, and entities whose label never changes, on both sides of a split."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import Floats, Ints
from structtree.auditing.case import Case
from structtree.auditing.features import Feature
from structtree.auditing.findings import Finding
from structtree.auditing.queries import SqlColumn
from structtree.data.population import Column
from structtree.data.provenance import provenance_of
from structtree.data.readers.databases.linking import KeyLink

__all__ = ["constant_entities", "twins"]

SPLIT = re.compile(r"(?i)^(split|fold|set|part|partition|subset|data_?set|usage)$")
"""The name of a column that says who is trained on."""

LEAST_TWINS = 10
"""Minimum number of individuals with a twin,"""

SHARE_OF_TWINS = 0.01
"""and at least this share of all;"""

BY_CHANCE = 0.05
"""while columns that know nothing of each other would make at most this share of those pairs."""

ALWAYS = 0.99
"""The share of entities with several individuals whose label is always the same,"""

LEAST_ENTITIES = 20
"""if there are at least this many such entities,"""

USUALLY = 0.5
"""where as many individuals drawn by chance would agree in at most this share."""


def _codes(values: NDArray[np.generic]) -> Ints:
    return np.asarray(np.unique(values, return_inverse=True)[1], dtype=np.int64)


def _parts(case: Case) -> dict[str, Ints]:
    """Return what an individual consists of, but for its key: its attributes and the rows it refers to, as codes."""
    name, rows = case.individual, case.whole.individuals
    found = {}
    for key, column in case.whole.tables[name].columns.items():
        if not SPLIT.match(key):
            values = column.values.astype(np.float64)[rows]
            found[key] = _codes(np.nan_to_num(values, nan=-np.inf))
    for link in _own_keys(case):
        found.setdefault(link.name, _codes(case.whole.tables[name].links[link.name].first_targets[rows]))
    return found


def _joint(parts: list[Ints]) -> Ints:
    found = np.zeros(len(parts[0]), dtype=np.int64)
    for codes in parts:
        found = _codes(found * (int(codes.max(initial=0)) + 1) + codes)
    return found


def _independent(parts: dict[str, Ints]) -> list[Ints]:
    """Return the parts that say something beyond those that differ most; a town says its country."""
    chosen: list[Ints] = []
    n_groups = 1
    for codes in sorted(parts.values(), key=lambda codes: -int(codes.max(initial=0))):
        n_more = int(_joint([*chosen, codes]).max(initial=0)) + 1
        if n_more > n_groups:
            chosen.append(codes)
            n_groups = n_more
    return chosen


def _n_pairs(codes: Ints) -> float:
    counts = np.bincount(codes)
    return float((counts * (counts - 1.0)).sum() / 2.0)


def twins(case: Case) -> Iterator[Finding]:
    """Yield that individuals have twins, equal in all but key and label, that folds or a split would tear apart."""
    parts = _parts(case)
    n = len(case.labels)
    if not parts or n < 2:
        return
    whole = _joint(list(parts.values()))
    split = _split(case)
    counts = np.bincount(whole)
    has_twin = counts[whole] > 1
    if split is not None:
        sides = np.bincount(np.unique(np.stack([whole, _codes(split.values)]), axis=1)[0], minlength=len(counts))
        has_twin = sides[whole] > 1
    n_twins = int(has_twin.sum())
    chance = n * (n - 1) / 2.0
    for codes in _independent(parts):
        chance *= _n_pairs(codes) / (n * (n - 1) / 2.0)
    if n_twins < max(LEAST_TWINS, SHARE_OF_TWINS * n) or chance > BY_CHANCE * _n_pairs(whole):
        return
    where = f"on both sides of {split_name(case)}" if split is not None else "which random folds tear apart"
    sentence = (
        f"{n_twins:,} of {n:,} rows of {case.individual} have a twin that is equal in all but key and label, "
        f"{where}; remove repeated rows."
    )
    demonstration = _twin_query(case, parts, split_name(case) if split is not None else None)
    yield Finding("duplicates", case.individual, "", {"rows": float(n_twins)}, sentence, demonstration)


def split_name(case: Case) -> str | None:
    """Return the name of the column that says who is trained on."""
    names = case.whole.tables[case.individual].columns
    return next((name for name in names if SPLIT.match(name)), None)


def _split(case: Case) -> Column | None:
    name = split_name(case)
    column = None if name is None else case.whole.tables[case.individual].columns[name].take(case.whole.individuals)
    return column if column is not None and 1 < len(np.unique(column.values)) <= 20 else None


def _twin_query(case: Case, parts: dict[str, Ints], split: str | None) -> str:
    own = case.whole.tables[case.individual].columns
    keys = {key.name: key.match.foreign_key.columns for key in _own_keys(case)}
    written: list[SqlColumn] = []
    for part in parts:
        written += [_value_of(Feature((), part, "", case.individual, own[part]))] if part in own else []
        written += [_raw(column) for column in keys.get(part, ()) if part not in own]
    columns = {f"c{place}": each for place, each in enumerate(written)}
    by, having = ", ".join(columns), "COUNT(*) > 1"
    if split is not None:
        columns["s"] = _raw(split)
        having = "COUNT(DISTINCT s) > 1"
    select = f'SELECT SUM(n) AS "rows" FROM (SELECT COUNT(*) AS n FROM f GROUP BY {by} HAVING {having}) AS twins'
    return case.demonstrated(columns, select)


def _value_of(feature: Feature) -> SqlColumn:
    return lambda writer: writer.feature(feature, writer.every)


def _raw(column: str) -> SqlColumn:
    return lambda writer: writer.raw(column)


def _own_keys(case: Case) -> Iterator[KeyLink]:
    """Yield the foreign keys of the individuals that are references."""
    relations, record = provenance_of(case.seen).relations, case.whole.schema.type(case.individual)
    for key in () if relations is None else relations.links:
        link = record.link(key.name) if key.match.foreign_key.table == case.individual else None
        if link is not None and link.single:
            yield key


def constant_entities(case: Case) -> Iterator[Finding]:
    """Yield references whose rows have one label each, so that random folds let a model look it up."""
    if case.labels.dtype.kind == "f":
        return
    _, labels = np.unique(case.labels.astype(str), return_inverse=True)
    chance = float(((np.bincount(labels) / len(labels)) ** 2).sum())
    for link in _own_keys(case):
        key = link.match.foreign_key
        if case.target in key.columns:
            continue  # the target is what refers to the entity
        entities = case.whole.tables[case.individual].links[link.name].first_targets[case.whole.individuals]
        same, sizes = _agreement(entities, labels)
        usual = float((chance ** (sizes - 1.0)).mean()) if len(sizes) else 1.0
        if len(sizes) < LEAST_ENTITIES or same.mean() < ALWAYS or usual > USUALLY:
            continue
        share = float(same.mean())
        sentence = (
            f"all individuals with the same {link.name} have the same {case.target} in {share:.1%} of "
            f"{len(sizes):,} cases, so random folds give it away; keep each {link.name} in one fold."
        )
        columns = {f"k{place}": _raw(column) for place, column in enumerate(key.columns)}
        by, known = ", ".join(columns), " AND ".join(f"{name} IS NOT NULL" for name in columns)
        columns["y"] = lambda writer: writer.label()
        select = (
            "SELECT AVG(CASE WHEN n = 1 THEN 1.0 ELSE 0.0 END) AS share\nFROM (SELECT COUNT(DISTINCT y) AS n FROM f "
            f"WHERE {known} GROUP BY {by} HAVING COUNT(*) > 1) AS entities"
        )
        demonstration = case.demonstrated(columns, select)
        column = ",".join(key.columns)
        yield Finding("duplicates", case.individual, column, {"share": share}, sentence, demonstration)


def _agreement(entities: Ints, labels: Ints) -> tuple[Floats, Floats]:
    """Return, for each entity with several individuals, whether they agree, and how many they are."""
    known = entities >= 0
    groups, places = np.unique(entities[known], return_inverse=True)
    sizes = np.bincount(places, minlength=len(groups))
    pairs = np.unique(np.stack([places, labels[known]]), axis=1)
    n_labels = np.bincount(pairs[0], minlength=len(groups))
    several = sizes > 1
    return (n_labels[several] == 1).astype(np.float64), sizes[several].astype(np.float64)
