"""Steps that take no time to speak of as long as their algorithms are the right ones, each beside what it may take.

Run as ``python benchmarks/steps.py`` (seconds). Each step is timed after a first run, in which kernels are compiled.
Real data is read from ``../shared/data`` beside the repository.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from measuring import timed_after_compiling

from structtree import Grammar, Growth, Population, grow, holds, open_data
from structtree.lang.parse import parse_predicate
from structtree.learn.pruning import pruning_path

SHARED = Path(__file__).resolve().parent.parent.parent / "shared" / "data"


def steps() -> Iterator[tuple[str, float, Callable[[], Any]]]:
    """What is done, how many seconds it may take, and the function that does it."""
    rng = np.random.default_rng(0)
    noise = Population.from_array(rng.normal(size=(4000, 3)))
    asks = Grammar.from_schema(noise.schema)
    tree = grow(noise, rng.integers(0, 2, 4000), asks, criterion="gini")
    yield f"the pruning path of {len(tree.leaves):,} leaves", 1.0, lambda: pruning_path(tree)
    rows = [{"a": str(rng.integers(4)), "b": None if i % 20 == 0 else int(rng.integers(9))} for i in range(3000)]
    table, target = Population.from_records(rows), rng.integers(0, 3, 3000).astype(str)
    growth, tests = Growth(nominal="multiway", missing="fractional"), Grammar.from_schema(table.schema)
    yield "a tree with switches of 3,000 rows, some in parts", 20.0, lambda: grow(table, target, tests, growth)
    boxes = Population.from_records(
        [{"items": [{"kind": f"k{kind}"} for kind in range(20)]} for _ in range(50)], types={"items": "set"}
    )
    parts = ", ".join(f"kind in {{k{k}, k{k + 1}}}" for k in range(19))
    twenty = parse_predicate(f"distinct items ({parts}, kind in {{k0, k19}})")
    yield "twenty parts of 'distinct'", 2.0, lambda: holds(twenty, boxes)
    if (SHARED / "nci1").exists():
        yield "reading the 4,110 graphs of NCI1", 1.0, lambda: open_data(SHARED / "nci1")


def main() -> None:
    print("| step | seconds | at most |")
    print("| --- | ---: | ---: |")
    for name, most, action in steps():
        action()
        print(f"| {name} | {timed_after_compiling(action, 10 * most).seconds:.3f} | {most:g} |", flush=True)


if __name__ == "__main__":
    main()
