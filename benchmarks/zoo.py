"""Real databases, one after the other: how long each takes to open, what it becomes, and a tree of depth 3 in each.

The target is the plainest that a database has: of the attributes with two to six classes that no class has nearly all
of, the one of the largest table; or else a number. Databases without rows, or without such an attribute, are only
opened.

    python benchmarks/zoo.py [FOLDER] [--limit SECONDS] [--only NAME]
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

from structtree import Growth, fit, open_data
from structtree.data.population import Column, Population
from structtree.data.profile import IDENTIFIER_NAME

FOLDER = Path(__file__).resolve().parent.parent.parent / "shared" / "data" / "sqlite_zoo"
LEAST_ROWS = 8


class Candidate(NamedTuple):
    """An attribute that can be a target; the greatest is the plainest."""

    is_classes: bool
    n_rows: int
    table: str
    attribute: str


def suits(column: Column) -> bool | None:
    """Whether a column can be classes (True) or numbers (False) to learn; None if neither."""
    present = column.values[~column.missing]
    if len(present) < LEAST_ROWS:
        return None
    _, counts = np.unique(present, return_counts=True)
    if column.kind in ("nominal", "bool") and 2 <= len(counts) <= 6 and counts.max() <= 0.9 * len(present):
        return True
    return False if column.kind in ("int", "real") and len(counts) > 4 else None


def candidates(population: Population) -> list[Candidate]:
    found = []
    for record in population.schema.types:
        table = population.table(record.name)
        for attribute in record.attributes:
            is_classes = suits(table.columns[attribute.name])
            if is_classes is not None and not IDENTIFIER_NAME.search(attribute.name):
                found.append(Candidate(is_classes, table.n_rows, record.name, attribute.name))
    return sorted(found, reverse=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    parser.add_argument("--limit", type=float, default=5.0)
    parser.add_argument("--only", default="")
    said = parser.parse_args()
    files = [file for file in sorted(said.folder.iterdir()) if said.only in file.name]
    if not files:
        sys.exit(f"there is nothing in {said.folder}")
    for file in files:
        print(report(file, said.limit), flush=True)


def report(file: Path, limit: float) -> str:
    start = time.perf_counter()
    population = open_data(file).population
    opening = time.perf_counter() - start
    n_links = sum(len(record.links) for record in population.schema.types)
    head = (
        f"{file.name.split('.')[0]:32} {opening:5.2f} s  {len(population.schema.types):2} types {n_links:3} links  "
    )
    found = candidates(population)
    if not found:
        n_rows = sum(table.n_rows for table in population.tables.values())
        return f"{head} {'no rows' if not n_rows else 'no plain target'}"
    best = found[0]
    start = time.perf_counter()
    data = open_data(file, individual=best.table, target=best.attribute, unlabelled="leave out")
    model = fit(data.population, data.target, growth=Growth(max_depth=3, time_limit=limit))
    seconds = time.perf_counter() - start
    return f"{head} {best.table}.{best.attribute}: {len(model.tree.leaves)} leaves, {seconds:.1f} s"


if __name__ == "__main__":
    main()
