"""Command that finds subgroups."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from structtree.cli.common import (
    Json,
    check_output,
    command,
    end_stopped,
    note,
    print_json,
    print_table,
    say,
    write_text,
)
from structtree.cli.flags import signature_of
from structtree.cli.learning import SourceOptions, check_flag, start_clock
from structtree.cli.progress import compiled_note, live_status
from structtree.cli.reading import Reading, grammar_facts, print_grammar, read_to_learn
from structtree.interrupts import stoppable
from structtree.options import build_options, options_of
from structtree.reprs import number_text
from structtree.rules.settings import SubgroupOptions

if TYPE_CHECKING:
    from structtree.rules.subgroups import Subgroups

__all__ = ["subgroups_command"]


class SubgroupFlags(SimpleNamespace):
    """Options for finding subgroups."""

    __signature__: ClassVar = signature_of(options_of(SubgroupOptions))

    def check(self) -> None:
        """Reject invalid options before the data is read."""
        for option in options_of(SubgroupOptions):
            check_flag(option, getattr(self, option.parameter))
        build_options(SubgroupOptions, vars(self))


@command
def subgroups_command(
    source: SourceOptions,
    finding: SubgroupFlags,
    reading: Reading,
    words: Annotated[bool, typer.Option("--words", help="Describe the subgroups in plain English.")] = False,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Plot the coverage: .png, .svg or .pdf.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option("--report", metavar="FILE.html", help="Write a page with table and plot.")
    ] = None,
    sql: Annotated[
        Path | None,
        typer.Option("--sql", metavar="FILE.sql", help="For a database: write a view for each subgroup."),
    ] = None,
    prolog: Annotated[
        Path | None,
        typer.Option("--prolog", metavar="FILE.pl", help="Write a Prolog clause for each subgroup."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Find subgroups of individuals in which a class is frequent, or a number is high or low.

    The best conjunctions of all are found, by any measure with a bound that proves it. Figures on the individuals of
    the search are optimistic; the columns "new" show them on individuals that were held out. Ctrl-C keeps the best
    subgroups so far; the exit code is then 130.

    Example: structtree subgroups trains --top 5

    Example: structtree subgroups bank.csv --target default --class yes --measure lift --min-support 0.02

    Example: structtree subgroups houses.csv --target price --class low --covering 0.5 --report cheap.html
    """
    from structtree.export.sql.subgroups import tables_behind
    from structtree.files import check_writable
    from structtree.report.pictures.rendering import check_picture
    from structtree.rules.subgroups import task_of_measure
    from structtree.session.discovery import subgroups_of

    finding.check()
    if plot is not None:
        check_picture(plot)
    for path in (report, sql, prolog):
        check_writable(path)
        check_output(path, as_json=as_json)
    with stoppable() as stop, compiled_note():
        clock = start_clock(finding.time_limit, stop)
        training = read_to_learn(source.source(reading), task_of_measure(finding.measure))
        if sql is not None:
            tables_behind(training.data.population)  # refuses other data before the search
        with live_status("searching"):
            found = subgroups_of(training, vars(finding), clock)
        stop.handled = True
        if as_json:
            print_json(found.to_dict() | {"grammar": grammar_facts(found.grammar, training.data)})
        else:
            _print_subgroups(found, words=words)
            print_grammar(found.grammar, training.data)
        _write(found, plot, report, sql, prolog)
    if stop.pressed:
        note("interrupted: the best subgroups so far")
    end_stopped(stop)


def _print_subgroups(found: Subgroups, *, words: bool) -> None:
    from structtree.report.subgroups import subgroup_facts, subgroup_heads, subgroup_row

    if found.found:
        rows = [subgroup_row(found, place, words=words) for place in range(len(found))]
        print_table("", subgroup_heads(found), rows)
        typer.echo()
    else:
        say(f"no subgroup of at least {number_text(found.min_support, 'individual')} is better than all individuals")
    for fact in subgroup_facts(found):
        say(fact)


def _write(found: Subgroups, plot: Path | None, report: Path | None, sql: Path | None, prolog: Path | None) -> None:
    """Write the requested files."""
    from structtree.export.prolog.subgroups import subgroups_prolog
    from structtree.export.sql.subgroups import subgroups_sql
    from structtree.report.pictures.coverage import draw_coverage
    from structtree.report.subgroups import subgroup_report

    if plot is not None:
        draw_coverage(found, plot, f"Subgroups of {found.target or 'the target'} by {found.measure.name}")
        note(f"wrote {plot}")
    if report is not None:
        subgroup_report(found).save(report)
        note(f"wrote {report}")
    if sql is not None and write_text(subgroups_sql(found), sql):
        note(f"wrote {sql}")
    if prolog is not None and write_text(subgroups_prolog(found), prolog):
        note(f"wrote {prolog}")
