"""Run all checks of an audit, or only the cheap ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Unpack

from numpy.typing import NDArray

from structtree.auditing.case import Case
from structtree.auditing.findings import Audit, Finding
from structtree.auditing.future import changed_predictions
from structtree.auditing.hiding import visible_hiding
from structtree.auditing.order import drift, informative_keys
from structtree.auditing.repeats import constant_entities, duplicates
from structtree.auditing.single_columns import same_day_copies, single_columns
from structtree.auditing.snapshots import snapshots
from structtree.data.population import Population
from structtree.data.readers.databases.addresses import shown_url
from structtree.data.readers.opening import open_data
from structtree.data.readers.options import ReadingOptions
from structtree.errors import UsageError
from structtree.evaluation.leakage import LEAST
from structtree.interrupts import interruptible, stoppable
from structtree.progress import report_status
from structtree.remarks import Remark, option_text
from structtree.tasks.inference import infer_task, labels_for

__all__ = ["audit", "audit_population", "short_audit"]

_CHECKS: tuple[tuple[str, Callable[[Case], Iterator[Finding]]], ...] = (
    ("visible hiding", visible_hiding),
    ("single columns", single_columns),
    ("same-day copies", same_day_copies),
    ("snapshots", snapshots),
    ("duplicates", duplicates),
    ("entities", constant_entities),
    ("keys", informative_keys),
    ("drift", drift),
    ("the future", changed_predictions),
)

_SHORT = (visible_hiding, partial(single_columns, is_short=True), snapshots)
"""Checks that are cheap compared with a fit; the individuals' own columns are checked before every fit anyway."""


def audit(where: str | Path, target: str, **options: Unpack[ReadingOptions]) -> Audit:
    """Report possible leaks of the target in a dataset.

    Parameters
    ----------
    where : str or Path
        Data, as for `structtree.open_data`.
    target : str
        Attribute of the individuals to predict.
    **options
        Reading options, as for `structtree.open_data`: ``individual``, ``as_of``, ``exclude`` and others.

    Returns
    -------
    Audit
        Findings, each with a sentence and the SQL or command that demonstrates it.

    Notes
    -----
    If there are more than 20,000 individuals, a sample is audited. For 20 individuals, predictions with and without
    their future are compared. Both samples have a fixed seed.

    Examples
    --------
    >>> import sqlite3, tempfile
    >>> file = Path(tempfile.mkdtemp()) / "shop.sqlite"
    >>> with sqlite3.connect(file) as shop:
    ...     _ = shop.execute("CREATE TABLE orders(id INTEGER PRIMARY KEY, amount INTEGER, returned TEXT)")
    ...     _ = shop.execute("CREATE TABLE refund(order_id INTEGER UNIQUE REFERENCES orders, paid INTEGER)")
    ...     orders = [(i, i * 7 % 50, "yes" if i % 3 == 0 else "no") for i in range(200)]
    ...     _ = shop.executemany("INSERT INTO orders VALUES (?, ?, ?)", orders)
    ...     _ = shop.executemany("INSERT INTO refund VALUES (?, ?)", [(i, i % 9) for i in range(0, 200, 3)])
    >>> for finding in audit(file, "returned", individual="orders").findings:
    ...     print(finding.kind, finding.table, dict(finding.figures))
    alone refund {'accuracy': 1.0}
    """
    opened = open_data(where, target=target, unlabelled="leave out", **options)
    assert opened.target is not None  # the target is given
    labels = labels_for(infer_task(opened.target), opened.target)
    return audit_population(opened.population, labels, str(opened.target_name), shown_url(str(where)))


def audit_population(population: Population, labels: NDArray[Any], target: str, where: str = "DATA") -> Audit:
    """Report possible leaks of the target in a population, given the labels separately; see `audit`.

    Parameters
    ----------
    population : Population
        Population, possibly limited as of a date.
    labels : array
        Floats are numbers, all other types are classes.
    target : str
        Name of the target.
    where : str
        Name of the data on the command line.
    """
    if len(labels) != len(population):
        raise UsageError(f"expected a label for each of {len(population):,} individuals; got {len(labels):,}")
    case = Case.of(population, labels, target, where)
    found: list[Finding] = []
    remarks = [Remark(note) for note in _notes(case)]
    with stoppable() as stop:
        for done, (what, check) in enumerate(_CHECKS if len(case.labels) >= LEAST else ()):
            report_status("auditing", done, len(_CHECKS), what)
            with interruptible(stop):
                found += check(case)
            if stop.pressed:
                remarks.append(
                    Remark(f"interrupted: {len(_CHECKS) - done - 1} of {len(_CHECKS)} checks were skipped")
                )
                break
    return Audit(target, case.n_individuals, tuple(found), tuple(remarks))


def short_audit(population: Population, labels: NDArray[Any], target: str) -> tuple[Finding, ...]:
    """Return the findings of the cheap checks of a database: visible hiding, copies of the label, snapshots."""
    if len(labels) < LEAST:
        return ()
    case = Case.of(population, labels, target)
    return tuple(finding for check in _SHORT for finding in check(case))


def _notes(case: Case) -> Iterator[str]:
    if len(case.labels) < LEAST:
        yield f"{len(case.labels)} individuals are too few to detect leaks; at least {LEAST} are needed"
        return
    if case.n_individuals > len(case.labels):
        yield (
            f"a sample of {len(case.labels):,} of {case.n_individuals:,} individuals was checked; the queries cover "
            "all of them and return slightly different figures"
        )
    if case.cutoffs is None:
        yield (
            f"{case.individual} has no date of its own, so time checks were skipped; to use a date behind a "
            f"reference, pass {option_text('as_of')}, such as {option_text('as_of', 'race.date')}"
        )
