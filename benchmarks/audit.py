"""Audits of databases with a planted leak, of generated ones without, and of real ones: what is found, what is alarm.

    python benchmarks/audit.py            # all: some minutes
    python benchmarks/audit.py planted    # the planted leaks alone; or clean, or real

A planted leak counts as found if a finding has its kind, its table and its column. Every query is executed and must
return the figures of its sentence. On data without a leak every finding is printed for the reader to judge.
"""

from __future__ import annotations

import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from datafiles import shared

import structtree
from structtree.auditing.findings import Audit, Finding
from tests.auditing.planted import LEAKS, clean, is_found, leaky, returned, write

N_CLEAN = 10


class Real(NamedTuple):
    """A real database, its target, and how it is read."""

    path: str
    target: str
    options: dict[str, Any]


FINANCIAL = {
    "individual": "loan",
    "as_of": "loan.date",
    "types": {
        **dict.fromkeys(("loan.date", "account.date", "trans_354.date"), "date(%y%m%d)"),
        "card.issued": "date(%y%m%d %H:%M:%S)",
    },
    "exclude": ["loan_354_ids", "order"],
}
TASKS = {"dnf": "did_not_finish", "top3": "qualifying", "position": "position"}
REAL = {
    **{
        f"rel_f1 {name}": Real(
            "rel_f1/rel_f1.sqlite.gz", label, {"individual": f"task_driver_{name}", "as_of": "date"}
        )
        for name, label in TASKS.items()
    },
    **{
        f"financial {''.join(pair)}": Real(
            "financial",
            "status",
            FINANCIAL | {"condition": f"loan_id IN (SELECT loan_id FROM loan_354_ids) AND status IN {pair}"},
        )
        for pair in (("A", "B"), ("C", "D"))
    },
    "lahman": Real("lahman", "inducted", {"individual": "HallOfFame"}),
    "nycflights13": Real(
        "nycflights13",
        "arr_delay",
        {"individual": "flights", "as_of": "time_hour", "condition": "month = 1 AND day <= 3"},
    ),
    "chinook": Real("sqlite_samples/chinook.sqlite.gz", "Milliseconds", {"individual": "Track"}),
    "northwind": Real(
        "sqlite_samples/northwind.sqlite.gz", "Freight", {"individual": "Orders", "as_of": "OrderDate"}
    ),
    "world_1": Real("sqlite_zoo/world_1.sqlite.gz", "ist_offiziell", {"individual": "landessprache"}),
    "wine_1": Real("sqlite_zoo/wine_1.sqlite.gz", "punktzahl", {"individual": "wein"}),
    "car_1": Real("sqlite_zoo/car_1.sqlite.gz", "mpg", {"individual": "autos_daten"}),
}


def wrong_queries(found: Audit, path: Path) -> Iterator[Finding]:
    """Yield the findings whose query does not return the figures of its sentence."""
    with sqlite3.connect(path) as database:
        for finding in found.findings:
            if not returned(finding, database):
                yield finding


def planted(folder: Path) -> None:
    """Audit each database with a leak."""
    kinds, missed, wrong = Counter[str](), [], 0
    for place, (leak, shape) in enumerate(LEAKS):
        made = leaky(place)
        path = folder / f"leak{place}.sqlite"
        found = structtree.audit(path, made.shape.label, **write(made, path))
        kinds[made.expected[0]] += 1
        wrong += len(list(wrong_queries(found, path)))
        if not is_found(found, made):
            missed.append(f"{leak.__name__} in shape {shape}")
    told = ", ".join(f"{kind} {n}" for kind, n in kinds.items())
    print(
        f"planted: {len(LEAKS) - len(missed)} of {len(LEAKS)} found ({told}); {wrong} wrong queries",
        *missed,
        sep="\n  ",
    )


def cleaned(folder: Path) -> None:
    """Audit generated databases without a leak."""
    for seed in range(N_CLEAN):
        made = clean(seed)
        path = folder / f"clean{seed}.sqlite"
        _print(f"clean {seed}", structtree.audit(path, made.shape.label, **write(made, path)), 0.0)


def real() -> None:
    """Audit real databases."""
    for name, (file, target, options) in REAL.items():
        path = shared(file)
        if path is None:
            continue
        begun = time.perf_counter()
        _print(name, structtree.audit(path, target, **options), time.perf_counter() - begun)


def _print(name: str, found: Audit, seconds: float) -> None:
    took = f", {seconds:.0f} s" if seconds else ""
    print(f"{name}: {len(found.findings)} findings in {found.n_individuals:,} individuals{took}", flush=True)
    for finding in found.findings:
        print(f"  {finding.kind}: {finding.sentence}")


def main() -> None:
    """Run what is named, or all."""
    wanted = sys.argv[1:] or ["planted", "clean", "real"]
    with tempfile.TemporaryDirectory() as folder:
        if "planted" in wanted:
            planted(Path(folder))
        if "clean" in wanted:
            cleaned(Path(folder))
    if "real" in wanted:
        real()


if __name__ == "__main__":
    main()
