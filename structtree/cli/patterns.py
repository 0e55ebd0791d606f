"""Command that finds frequent patterns, association rules and contrasts."""

from __future__ import annotations

import json
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
    print_exactly,
    print_remarks,
    print_table,
    say,
    write_text,
)
from structtree.cli.flags import signature_of
from structtree.cli.learning import SourceOptions, check_flag, start_clock
from structtree.cli.progress import compiled_note, live_status
from structtree.cli.reading import Reading, grammar_facts, print_grammar
from structtree.errors import UsageError
from structtree.interrupts import stoppable
from structtree.options import build_options, options_of
from structtree.rules.settings import PatternOptions

if TYPE_CHECKING:
    from structtree.rules.patterns import Pattern, Patterns, PatternSearch
    from structtree.session.discovery import PatternData

__all__ = ["patterns_command"]


class PatternFlags(SimpleNamespace):
    """Options for finding patterns."""

    __signature__: ClassVar = signature_of(options_of(PatternOptions))

    def check(self) -> PatternOptions:
        """Reject invalid options before the data is read."""
        for option in options_of(PatternOptions):
            check_flag(option, getattr(self, option.parameter))
        checked: PatternOptions = build_options(PatternOptions, vars(self))
        return checked


@command
def patterns_command(
    source: SourceOptions,
    finding: PatternFlags,
    reading: Reading,
    words: Annotated[bool, typer.Option("--words", help="Describe the patterns in plain English.")] = False,
    report: Annotated[
        Path | None, typer.Option("--report", metavar="FILE.html", help="Write a page with the table.")
    ] = None,
    sql: Annotated[
        Path | None,
        typer.Option("--sql", metavar="FILE.sql", help="For a database: write a view for each pattern."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Find all predicates that enough individuals satisfy; no target is needed.

    Patterns are printed as they are found, with --json one object per line. --closed, --maximal and --shortest select
    some of them, --rules makes association rules, and --contrast compares the classes of the target. Ctrl-C keeps the
    patterns so far; the exit code is then 130.

    Example: structtree patterns trains --support 0.5

    Example: structtree patterns baskets.csv --support 0.01 --literals 5 --rules --confidence 0.6 --top 20

    Example: structtree patterns mutag --support 0.3 --contrast --top 10
    """
    from structtree.export.sql.subgroups import tables_behind
    from structtree.files import check_writable
    from structtree.session.discovery import pattern_search, read_pattern_data

    options = finding.check()
    if sql is not None and options.rules:
        raise UsageError("--sql is for patterns; association rules have no view")
    for path in (report, sql):
        check_writable(path)
        check_output(path, as_json=as_json)
    with stoppable() as stop, compiled_note():
        clock = start_clock(finding.time_limit, stop)
        with live_status("reading"):
            read = read_pattern_data(source.source(reading), contrast=options.contrast)
        print_remarks(read.remarks)
        if sql is not None:
            tables_behind(read.data.population)  # refuses other data before the search
        search = pattern_search(read, vars(finding), clock)
        _print_start(search, read, as_json=as_json)
        with live_status("searching patterns"):
            found = search.run(lambda pattern: _print_pattern(pattern, search, words=words, as_json=as_json))
        stop.handled = True
        _print_results(found, read, words=words, as_json=as_json)
        _write(found, report, sql)
    if stop.pressed:
        note("interrupted: the patterns so far")
    end_stopped(stop)


def _print_start(search: PatternSearch, read: PatternData, *, as_json: bool) -> None:
    from structtree.report.patterns import search_facts

    if as_json:
        facts = {"individuals": len(search.population), "least": search.least, "space": search.n_space}
        _print_line(facts | {"grammar": grammar_facts(search.grammar, read.data)})
        return
    for fact in search_facts(search):
        say(fact)
    typer.echo()


def _print_pattern(pattern: Pattern, search: PatternSearch, *, words: bool, as_json: bool) -> None:
    from structtree.report.patterns import pattern_line
    from structtree.report.words import in_words

    if as_json:
        _print_line(pattern.to_dict())
    else:
        text = in_words(pattern.predicate, search.population.schema) if words else str(pattern)
        say(pattern_line(pattern, text))


def _print_results(found: Patterns, read: PatternData, *, words: bool, as_json: bool) -> None:
    """Print what was not printed during the search."""
    from structtree.report.patterns import pattern_facts, pattern_heads, pattern_row

    if as_json:
        for each in () if found.options.streams else found:
            _print_line(each.to_dict())
        _print_line(found.facts())
        return
    if len(found) and not found.options.streams:
        rows = [pattern_row(found, place, words=words) for place in range(len(found))]
        print_table("", pattern_heads(found), rows)
    if len(found):
        typer.echo()
    for fact in pattern_facts(found):
        say(fact)
    print_grammar(found.grammar, read.data)


def _print_line(value: object) -> None:
    print_exactly(json.dumps(value, ensure_ascii=False) + "\n")


def _write(found: Patterns, report: Path | None, sql: Path | None) -> None:
    """Write the requested files."""
    from structtree.export.sql.patterns import patterns_sql
    from structtree.report.patterns import pattern_report

    if report is not None:
        pattern_report(found).save(report)
        note(f"wrote {report}")
    if sql is not None and write_text(patterns_sql(found), sql):
        note(f"wrote {sql}")
