"""Whether time limits are kept, over ten data sets and more, by the command line.

Run as ``python benchmarks/limits.py`` (about 10 minutes), with names of data sets to run only those, or with
``--quick`` for a limit of one second on the generated ones that are small. Real data is read from ``../shared/data``
beside the repository. README.md tells what is measured and what was seen.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import datafiles
from commands import Fitted, fit_by_command, is_kept
from datafiles import DataFile

LIMITS = (1.0, 3.0, 10.0)

DATA: Mapping[str, Callable[[Path], DataFile | None]] = {
    "customers": lambda folder: datafiles.customers(folder, 1000),
    "more-customers": lambda folder: datafiles.customers(folder, 10_000),
    "directed": lambda folder: datafiles.graphs(folder, directed=True),
    "undirected": lambda folder: datafiles.graphs(folder, directed=False),
    "people": datafiles.people,
    "wide": datafiles.wide_table,
    "nci1": lambda folder: datafiles.tu_folder("nci1"),
    "mutag": lambda folder: datafiles.tu_folder("mutag"),
    "mutagenicity": lambda folder: datafiles.tu_folder("mutagenicity"),
    "hiv": datafiles.hiv,
    "musk": datafiles.musk,
}
QUICK = ("customers", "directed", "people")


def main() -> None:
    arguments = parsed()
    names = arguments.only or (QUICK if arguments.quick else tuple(DATA))
    print_head()
    kept = []
    with tempfile.TemporaryDirectory() as folder:
        for data in filter(None, (DATA[name](Path(folder)) for name in names)):
            for limit in arguments.limits or (LIMITS[:1] if arguments.quick else LIMITS):
                made = fit_by_command(data, limit)
                kept.append(is_kept(made.learning, limit))
                print_line(data, made)
    print(f"\n{sum(kept)} of {len(kept)} limits were kept by learning")


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("only", nargs="*", metavar="data", help=f"which: {', '.join(DATA)}; default all")
    parser.add_argument("--quick", action="store_true", help="one second on a few small ones: whether it runs")
    parser.add_argument("--limits", type=float, nargs="+", help="seconds; default 1, 3 and 10")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.only if name not in DATA]
    if unknown:
        parser.error(f"unknown data {unknown[0]!r} (known: {', '.join(DATA)})")
    return arguments


def print_head() -> None:
    print(f"{'data':<22} {'limit':>5} {'learning s':>10} {'kept':>5} {'command s':>9} {'kept':>5} {'MB':>6} ", end="")
    print(f"{'accuracy':>8} {'leaves':>6} {'unproved':>8}", flush=True)


def print_line(data: DataFile, made: Fitted) -> None:
    learning, whole = (yes_or_no(is_kept(seconds, made.limit)) for seconds in (made.learning, made.wall))
    print(
        f"{data.name:<22} {made.limit:>5g} {made.learning:10.2f} {learning:>5} {made.wall:9.2f} {whole:>5} "
        f"{made.megabytes:>6,.0f} {made.accuracy:8.3f} {made.leaves:>6} {made.unproved:>8}",
        flush=True,
    )


def yes_or_no(value: bool) -> str:
    return "yes" if value else "no"


if __name__ == "__main__":
    main()
