"""The audit: all checks, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Unpack

from numpy.typing import NDArray

from structtree.auditing.case import Case
from structtree.auditing.columns_alone import columns_alone, copies_of_the_day
from structtree.auditing.findings import Audit, Finding
from structtree.auditing.future import changed_predictions
from structtree.auditing.hiding import visible_hiding
from structtree.auditing.order import drift, telling_keys
from structtree.auditing.repeats import constant_entities, twins
from structtree.auditing.snapshots import snapshots
from structtree.data.population import Population
from structtree.data.readers.databases.urls import shown_url
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
    ("what is hidden", visible_hiding),
    ("single columns", columns_alone),
    ("copies of the day", copies_of_the_day),
    ("snapshots", snapshots),
    ("twins", twins),
    ("entities", constant_entities),
    ("keys", telling_keys),
    ("drift", drift),
    ("the future", changed_predictions),
)

_SHORT = (visible_hiding, partial(columns_alone, is_short=True), snapshots)
"""The checks that cost little beside a fit; individuals' own columns are checked by every command that learns."""


def audit(where: str | Path, target: str, **options: Unpack[ReadingOptions]) -> Audit:
    """Report what in some data may give the target away.

    Parameters
    ----------
    where : str or Path
        The data, as `structtree.open_data` takes it.
    target : str
        The attribute of the individuals that is to be predicted.
    **options
        How to read the data, as for `structtree.open_data`: ``individual``, ``as_of``, ``exclude`` and others.

    Returns
    -------
    Audit
        With findings, each one sentence and the SQL or command that shows it.

    Notes
    -----
    Of more than 20,000 individuals a sample is looked at, and the predictions of 20 of them are compared with those
    after their future was deleted; both with a fixed seed.

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
    assert opened.target is not None  # because it is given
    labels = labels_for(infer_task(opened.target), opened.target)
    return audit_population(opened.population, labels, str(opened.target_name), shown_url(str(where)))


def audit_population(population: Population, labels: NDArray[Any], target: str, where: str = "DATA") -> Audit:
    """Report what in a population, without its target, may give the target away; see `audit`.

    Parameters
    ----------
    population : Population
        As it was read, as of a date or not.
    labels : array
        Floats for numbers, anything else for classes.
    target : str
        What the labels are called.
    where : str
        What the data is called on the command line.
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
                    Remark(f"interrupted: {len(_CHECKS) - done - 1} of {len(_CHECKS)} checks were not made")
                )
                break
    return Audit(target, case.n_individuals, tuple(found), tuple(remarks))


def short_audit(population: Population, labels: NDArray[Any], target: str) -> tuple[Finding, ...]:
    """Return what cheap checks find in a database: visible hiding, copies of the label, snapshots."""
    if len(labels) < LEAST:
        return ()
    case = Case.of(population, labels, target)
    return tuple(finding for check in _SHORT for finding in check(case))


def _notes(case: Case) -> Iterator[str]:
    if len(case.labels) < LEAST:
        yield f"{len(case.labels)} individuals are too few to tell a leak from chance; {LEAST} are needed"
        return
    if case.n_individuals > len(case.labels):
        yield (
            f"a sample of {len(case.labels):,} of {case.n_individuals:,} individuals was checked, so that queries, "
            "which ask all of them, return slightly different figures"
        )
    if case.cutoffs is None:
        yield (
            f"{case.individual} has no date of its own, so nothing about time was checked; a date behind a reference "
            f"is set with {option_text('as_of')}, as in {option_text('as_of', 'race.date')}"
        )
