"""Command that audits data for target leakage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from structtree.cli.common import Json, command, end_stopped, print_json, print_remarks, say
from structtree.cli.flags import as_flag, with_flags
from structtree.cli.progress import live_status
from structtree.cli.reading import Reading, TargetName, Where, read_to_learn
from structtree.interrupts import stoppable

if TYPE_CHECKING:
    from structtree.auditing.findings import Audit

__all__ = ["audit_command"]


@command
def audit_command(
    where: Where,
    reading: Reading,
    target: TargetName = None,
    fail: Annotated[bool, typer.Option("--fail", help="Exit with code 1 if anything is found.")] = False,
    as_json: Json = False,
) -> None:
    """Report possible target leaks, each with a SQL query that demonstrates it.

    The checks look for predictions that change when future rows are deleted, missing values that reveal hidden rows,
    columns that alone predict the target, counters as of the day of the dump, copies of the label, repeated rows,
    informative keys, and drift. Ctrl-C keeps the findings so far; the exit code is then 130.

    Example: structtree audit bank.sqlite --individual loan --target status --as-of loan.date
    """
    from structtree.auditing.run import audit_population
    from structtree.session.reading import Source

    with stoppable() as stop:
        source = Source(where, target, None, reading.options())
        data = read_to_learn(source, look_for_leaks=False)
        with live_status("auditing"):
            name = str(data.data.target_name)
            found = audit_population(data.data.population, data.labels, name, source.shown)
        stop.handled = True
        if as_json:
            print_json({"data": source.shown, **found.to_dict(as_flag)})
        else:
            _print_findings(found)
        end_stopped(stop)
    if fail and found.findings:
        raise typer.Exit(1)


def _print_findings(found: Audit) -> None:
    print_remarks(found.remarks)
    if not found.findings:
        say(f"No leaks of {found.target} found in {found.n_individuals:,} individuals")
    for number, finding in enumerate(found.findings, 1):
        say(f"{number}. [{finding.kind}] {with_flags(finding.text)}\n")
        say("\n".join(f"    {line}" for line in finding.demonstration.split("\n")) + "\n")
