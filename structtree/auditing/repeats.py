"""Duplicates in training and test data: equal individuals, and entities with a constant label."""

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
from structtree.data.provenance import provenance_of
from structtree.data.readers.databases.linking import KeyLink

__all__ = ["constant_entities", "duplicates"]

SPLIT = re.compile(r"(?i)^(split|fold|set|part|partition|subset|data_?set|usage)$")
"""Names of columns that split the data into training and test data."""

LEAST_DUPLICATES = 10
"""Minimum number of individuals with a duplicate."""

SHARE_OF_DUPLICATES = 0.01
"""Minimum fraction of individuals with a duplicate."""

BY_CHANCE = 0.05
"""Maximum number of duplicate pairs expected if columns are independent, relative to the number found."""

ALWAYS = 0.99
"""Minimum fraction of entities with several individuals that have a constant label."""

LEAST_ENTITIES = 20
"""Minimum number of entities with several individuals."""

USUALLY = 0.5
"""Maximum fraction of entities expected to have a constant label by chance."""


def _codes(values: NDArray[np.generic]) -> Ints:
    return np.asarray(np.unique(values, return_inverse=True)[1], dtype=np.int64)


def _parts(case: Case) -> dict[str, Ints]:
    """Return the attributes and references of the individuals as integer codes."""
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
    """Return the columns except those determined by columns with more values, as a town determines its country."""
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


def duplicates(case: Case) -> Iterator[Finding]:
    """Yield a finding if both training and test data contain individuals that differ only in key and label."""
    parts = _parts(case)
    n = len(case.labels)
    if not parts or n < 2:
        return
    whole = _joint(list(parts.values()))
    split = _split_column(case)
    counts = np.bincount(whole)
    if split is not None:  # count the values of the split instead of the rows
        parts_of_split = _codes(case.whole.column(split).values)
        counts = np.bincount(np.unique(np.stack([whole, parts_of_split]), axis=1)[0])
    n_duplicates = int((counts[whole] > 1).sum())
    chance = n * (n - 1) / 2.0
    for codes in _independent(parts):
        chance *= _n_pairs(codes) / (n * (n - 1) / 2.0)
    if n_duplicates < max(LEAST_DUPLICATES, SHARE_OF_DUPLICATES * n) or chance > BY_CHANCE * _n_pairs(whole):
        return
    where = f"with another {split}" if split is not None else "which random folds separate"
    sentence = (
        f"{n_duplicates:,} of {n:,} rows of {case.individual} have a duplicate, equal except for key and label, "
        f"{where}; remove duplicate rows."
    )
    demonstration = _duplicates_query(case, parts, split)
    yield Finding("duplicates", case.individual, "", {"rows": float(n_duplicates)}, sentence, demonstration)


def _split_column(case: Case) -> str | None:
    """Return the column that splits the data, if any."""
    name = next(filter(SPLIT.match, case.whole.tables[case.individual].columns), None)
    return name if name is not None and 1 < len(np.unique(case.whole.column(name).values)) <= 20 else None


def _duplicates_query(case: Case, parts: dict[str, Ints], split: str | None) -> str:
    own = case.whole.tables[case.individual].columns
    keys = {key.name: key.match.foreign_key.columns for key in _own_keys(case)}
    written: list[SqlColumn] = []
    for part in parts:
        if part in own:
            written.append(_value_of(Feature((), part, "", case.individual, own[part])))
        else:
            written += map(_raw, keys.get(part, ()))
    columns = {f"c{place}": each for place, each in enumerate(written)}
    by, having = ", ".join(columns), "COUNT(*) > 1"
    if split is not None:
        columns["s"] = _raw(split)
        having = "COUNT(DISTINCT s) > 1"
    select = f'SELECT SUM(n) AS "rows" FROM (SELECT COUNT(*) AS n FROM f GROUP BY {by} HAVING {having}) AS groups'
    return case.demonstration(columns, select)


def _value_of(feature: Feature) -> SqlColumn:
    return lambda writer: writer.feature(feature, writer.every)


def _raw(column: str) -> SqlColumn:
    return lambda writer: writer.raw(column)


def _own_keys(case: Case) -> Iterator[KeyLink]:
    """Yield the foreign keys of the individuals that refer to at most one row."""
    relations, record = provenance_of(case.seen).relations, case.whole.schema.type(case.individual)
    for key in () if relations is None else relations.links:
        link = record.link(key.name) if key.match.foreign_key.table == case.individual else None
        if link is not None and link.single:
            yield key


def constant_entities(case: Case) -> Iterator[Finding]:
    """Yield references to entities whose label is constant, so that it leaks between random folds."""
    if case.labels.dtype.kind == "f":
        return
    _, labels = np.unique(case.labels.astype(str), return_inverse=True)
    chance = float(((np.bincount(labels) / len(labels)) ** 2).sum())
    for link in _own_keys(case):
        key = link.match.foreign_key
        if case.target in key.columns:
            continue  # the reference itself is the target
        entities = case.whole.tables[case.individual].links[link.name].first_targets[case.whole.individuals]
        same, sizes = _agreement(entities, labels)
        usual = float((chance ** (sizes - 1.0)).mean()) if len(sizes) else 1.0
        if len(sizes) < LEAST_ENTITIES or same.mean() < ALWAYS or usual > USUALLY:
            continue
        share = float(same.mean())
        sentence = (
            f"all individuals with the same {link.name} have the same {case.target} in {share:.1%} of "
            f"{len(sizes):,} cases, so random folds leak the label; keep each {link.name} in one fold."
        )
        columns = {f"k{place}": _raw(column) for place, column in enumerate(key.columns)}
        by, known = ", ".join(columns), " AND ".join(f"{name} IS NOT NULL" for name in columns)
        columns["y"] = lambda writer: writer.label()
        select = (
            "SELECT AVG(CASE WHEN n = 1 THEN 1.0 ELSE 0.0 END) AS share\nFROM (SELECT COUNT(DISTINCT y) AS n FROM f "
            f"WHERE {known} GROUP BY {by} HAVING COUNT(*) > 1) AS entities"
        )
        demonstration = case.demonstration(columns, select)
        column = ",".join(key.columns)
        yield Finding("duplicates", case.individual, column, {"share": share}, sentence, demonstration)


def _agreement(entities: Ints, labels: Ints) -> tuple[Floats, Floats]:
    """Return whether each entity with several individuals has a single label, and its number of individuals."""
    known = entities >= 0
    groups, places = np.unique(entities[known], return_inverse=True)
    sizes = np.bincount(places, minlength=len(groups))
    pairs = np.unique(np.stack([places, labels[known]]), axis=1)
    n_labels = np.bincount(pairs[0], minlength=len(groups))
    several = sizes > 1
    return (n_labels[several] == 1).astype(np.float64), sizes[several].astype(np.float64)
