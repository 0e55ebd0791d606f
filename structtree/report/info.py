"""Description of a dataset as plain values: types, rows, members, missing values, and the target."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structtree.data.dates import moment_text
from structtree.data.population import Adjacency, Column, Population
from structtree.data.profile import Member, profile
from structtree.data.readers.databases.linking import KeyLink, Relations
from structtree.data.readers.opening import Opened
from structtree.data.schema import RecordType
from structtree.remarks import MentionedOption, as_keyword, spelled
from structtree.tasks.inference import infer_task, labels_for

__all__ = ["describe"]


def describe(opened: Opened, spell: Callable[[MentionedOption], str] = as_keyword) -> dict[str, Any]:
    """Return a description of opened data, ready to print or to serialise.

    `spell` renders the options that remarks mention.

    Examples
    --------
    >>> from structtree.data.readers.opening import open_data
    >>> info = describe(open_data("lenses"))
    >>> info["individuals"], info["target"]["summary"]
    (24, 'none 15, soft 5, hard 4')
    """
    population, relations = opened.population, opened.provenance.relations
    target = None
    if opened.target is not None:
        target = {"name": opened.target_name, "summary": _target_summary(opened.target)}
    found = {
        "name": opened.name,
        "description": opened.description,
        "source": opened.source,
        "individual": population.schema.individual,
        "individuals": len(population),
        "bytes": population.n_bytes,
        "target": target,
        "grammar": opened.grammar,
        "types": {record.name: describe_type(population, record) for record in population.schema.types},
        **_describe_facts(opened),
        **({} if relations is None else _describe_relations(relations, population)),
    }
    texts = {key: [spelled(text, spell) for text in found[key]] for key in ("remarks", "notes") if key in found}
    return found | texts


def _describe_relations(relations: Relations, population: Population) -> dict[str, Any]:
    """Describe the keys of a database, how well they match, and skipped tables and columns."""
    identifiers, tables = profile(population).identifiers, relations.database.tables
    names = [
        f"{record.name}.{attribute.name}"
        for record in population.schema.types
        for attribute in record.attributes
        if Member(record.name, attribute.name) in identifiers
    ]
    skipped = [f"skipped (unique per row): {', '.join(names)}"] if names else []
    return {
        "keys": {name: list(table.key) for name, table in tables.items() if table.key},
        "guessed_keys": [name for name, table in tables.items() if table.key and table.key_guessed],
        "links": [_describe_link(link) for link in relations.links],
        "remarks": [*relations.remarks, *skipped],
    }


def _describe_link(link: KeyLink) -> dict[str, Any]:
    match = link.match
    return {
        "key": str(match.foreign_key),
        "guessed": match.foreign_key.guessed,
        "name": link.name,
        "back": link.back,
        "joins": link.joins,
        "rows": len(match.rows),
        "missing": match.n_missing,
        "dangling": match.n_dangling,
        "fit": match.fit,
    }


def _describe_facts(opened: Opened) -> dict[str, Any]:
    """Describe the signatures of the facts and the arguments that were skipped."""
    facts = opened.provenance.facts
    return {} if facts is None else {"facts": list(facts.signatures), "notes": list(facts.notes)}


def _target_summary(target: NDArray[Any]) -> str:
    if infer_task(target) == "numbers":
        return f"numbers from {target.min():g} to {target.max():g}, mean {target.mean():g}"
    return ", ".join(f"{label} {n}" for label, n in Counter(labels_for("classes", target).tolist()).most_common(12))


def describe_type(population: Population, record: RecordType) -> dict[str, Any]:
    """Describe a type: its number of rows, and each member."""
    table = population.tables[record.name]
    columns = [(a.name, table.columns[a.name]) for a in record.attributes]
    members = [_member(name, one.kind, int(one.missing.sum()) or "", _values(one)) for name, one in columns]
    words = {"set": "set of {}", "list": "list of {}", "one": "{}", "optional": "{}?"}
    for link in record.links:
        rows = table.links[link.name]
        missing = int((rows.lengths == 0).sum()) if link.kind == "optional" else ""
        sizes = "" if link.single else _sizes(rows)
        members.append(_member(link.name, words[link.kind].format(link.target), missing, sizes))
    return {"rows": table.n_rows, "members": members}


def _member(name: str, kind: str, missing: int | str, values: str) -> dict[str, str]:
    return {"name": name, "kind": kind, "missing": str(missing), "values": values}


def _values(column: Column) -> str:
    present = column.values[~column.missing]
    if not len(present):
        return "none"
    if column.kind in ("int", "real"):
        return f"{present.min():g} to {present.max():g}"
    if column.kind in ("date", "time"):
        kind = column.kind
        return " to ".join(moment_text(float(end), kind) for end in (present.min(), present.max()))
    counts = Counter({column.value(i): n for i, n in _first_of_each(column)})
    shown = ", ".join(f"{value} {n}" for value, n in counts.most_common(8))
    return shown if len(counts) <= 8 else f"{shown}, and {len(counts) - 8} more"


def _first_of_each(column: Column) -> list[tuple[int, int]]:
    """Return, for each distinct value, its first row and its number of rows."""
    codes, rows, counts = np.unique(column.values, return_index=True, return_counts=True)
    return [(int(row), int(n)) for code, row, n in zip(codes, rows, counts, strict=True) if code >= 0]


def _sizes(adjacency: Adjacency) -> str:
    lengths = adjacency.lengths
    if not len(lengths):
        return ""
    return f"{lengths.min()} to {lengths.max()} each, {len(adjacency.targets):,} in all"
