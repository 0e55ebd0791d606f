"""The cases that people meet first: customers with orders with items, graphs, and people with grandparents.

Run as ``python benchmarks/customers.py`` (about 20 minutes), with some of ``customers graphs people`` to run only
those, or with ``--quick`` for the smallest of each. Everything goes through ``structtree fit`` as a user would call
it. README.md tells what is measured and what was seen.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import datafiles
from commands import Fitted, fit_by_command
from datafiles import DataFile

SIZES = (400, 1000, 10_000, 100_000)
LIMITS = (1.0, 3.0, 5.0, 10.0, 30.0)
DEPTHS = (1, 3)
CASES = ("customers", "graphs", "people")


@dataclass(frozen=True, slots=True)
class Setting:
    """Which data, limits and depths to try."""

    cases: tuple[str, ...]
    sizes: tuple[int, ...]
    limits: tuple[float, ...]
    depths: tuple[int, ...]


def main() -> None:
    setting = setting_of(parsed())
    print_head()
    with tempfile.TemporaryDirectory() as folder:
        for data in files(Path(folder), setting):
            for depth in setting.depths:
                for limit in setting.limits:
                    print_line(data, depth, fit_by_command(data, limit, "--max-depth", str(depth)))


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("only", nargs="*", metavar="case", help=f"which: {', '.join(CASES)}; default all")
    parser.add_argument("--quick", action="store_true", help="the smallest of each: whether it runs")
    parser.add_argument("--sizes", type=int, nargs="+", help="how many customers; default 400 to 100,000")
    parser.add_argument("--limits", type=float, nargs="+", help="seconds; default 1 to 30")
    parser.add_argument("--depths", type=int, nargs="+", help="the greatest depths of trees; default 1 and 3")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.only if name not in CASES]
    if unknown:
        parser.error(f"unknown case {unknown[0]!r} (known: {', '.join(CASES)})")
    return arguments


def setting_of(arguments: argparse.Namespace) -> Setting:
    quick = arguments.quick
    return Setting(
        tuple(arguments.only or CASES),
        tuple(arguments.sizes or (SIZES[:1] if quick else SIZES)),
        tuple(arguments.limits or (LIMITS[:1] if quick else LIMITS)),
        tuple(arguments.depths or (DEPTHS[:1] if quick else DEPTHS)),
    )


def files(folder: Path, setting: Setting) -> Iterator[DataFile]:
    if "customers" in setting.cases:
        yield from (datafiles.customers(folder, n) for n in setting.sizes)
    if "graphs" in setting.cases:
        yield datafiles.graphs(folder, directed=True)
        yield datafiles.graphs(folder, directed=False)
    if "people" in setting.cases:
        yield datafiles.people(folder)


def print_head() -> None:
    print(
        f"{'data':<20} {'depth':>5} {'limit':>5} {'learning s':>10} {'over':>6} {'command s':>9} {'MB':>6} ", end=""
    )
    print(
        f"{'accuracy':>8} {'planted':>7} {'leaves':>6} {'evaluated':>11} {'unproved':>8}  the first test", flush=True
    )


def print_line(data: DataFile, depth: int, made: Fitted) -> None:
    over = f"{max(0.0, made.learning - made.limit):6.1f}"
    print(
        f"{data.name:<20} {depth:>5} {made.limit:>5g} {made.learning:10.2f} {over} {made.wall:9.2f} "
        f"{made.megabytes:>6,.0f} {made.accuracy:8.3f} {data.planted or 0:7.3f} {made.leaves:>6} "
        f"{made.evaluated:>11,} {made.unproved:>8}  {made.test}",
        flush=True,
    )


if __name__ == "__main__":
    main()
