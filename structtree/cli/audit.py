"""The command that looks for what may give the target away."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from structtree.cli.common import Json, command, end_stopped, note, print_json, say
from structtree.cli.progress import audit_bar
from structtree.cli.reading import Reading, TargetName, Where, labelled
from structtree.interrupts import stoppable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from structtree.auditing.findings import Audit
    from structtree.data.readers.opening import Opened

__all__ = ["about_database", "audit_command"]


@command
def audit_command(
    where: Where,
    reading: Reading,
    target: TargetName = None,
    fail: Annotated[bool, typer.Option("--fail", help="Exit with code 1 if anything is found.")] = False,
    as_json: Json = False,
) -> None:
    """Report what may give the target away, with the SQL that shows it.

    It looks for predictions that change when the future is deleted, blanks that show that something was hidden,
    columns that alone predict the target, counters from the day of the dump, copies of the label, repeated rows,
    telling keys, and drift. Ctrl-C keeps what was found; the exit code is then 130.

    Example: structtree audit bank.sqlite --individual loan --target status --as-of loan.date
    """
    from structtree.auditing.run import audit_population
    from structtree.data.readers.databases.urls import shown_url

    with stoppable() as stop:
        data, labels = labelled(where, reading, target, warn_of_leaks=False)
        with audit_bar():
            found = audit_population(data.population, labels, str(data.target_name), shown_url(where))
        stop.handled = True
        if as_json:
            print_json({"data": shown_url(where), **found.to_dict()})
        else:
            _print_findings(found)
        end_stopped(stop)
    if fail and found.findings:
        raise typer.Exit(1)


def about_database(data: Opened, labels: NDArray[Any], where: str, reading: Reading) -> Iterator[str]:
    """Yield what cheap checks of an audit find in a database, and how to see all of it."""
    from structtree.auditing.run import short_audit
    from structtree.data.readers.databases.urls import shown_url

    if data.provenance.relations is None:
        return
    target = str(data.target_name)
    found = short_audit(data.population, labels, target)
    yield from (finding.sentence.removesuffix(".") for finding in found)
    if found:
        as_of = reading.given.get("as_of")
        words = ["structtree", "audit", shown_url(where), "--individual", data.population.schema.individual]
        words += ["--target", target, *(["--as-of", as_of] if as_of else [])]
        yield f"for details, and to look for other leaks, run: {shlex.join(words)}"


def _print_findings(found: Audit) -> None:
    for remark in found.notes:
        note(f"note: {remark}")
    if not found.findings:
        say(f"Nothing found that gives {found.target} away, in {found.n_individuals:,} individuals")
    for number, finding in enumerate(found.findings, 1):
        say(f"{number}. [{finding.kind}] {finding.sentence}\n")
        say("\n".join(f"    {line}" for line in finding.demonstration.split("\n")) + "\n")
