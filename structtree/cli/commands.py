"""Typer application with all commands.

Heavy modules are imported inside the commands that need them, so that ``--help`` is fast.
"""

from __future__ import annotations

from typing import Annotated

import typer

from structtree import __version__
from structtree.cli.audit import audit_command
from structtree.cli.common import DEBUG, CommandGroup, reporting
from structtree.cli.cv import cv_command
from structtree.cli.data import data_app, datasets_app
from structtree.cli.effort import effort_command
from structtree.cli.evaluation import evaluate_command
from structtree.cli.export import export_command
from structtree.cli.features import features_command
from structtree.cli.fit import fit_command
from structtree.cli.grammars import grammar_app
from structtree.cli.models import explain_command, predict_command, report_command, show_command
from structtree.cli.paper import paper_command
from structtree.cli.patterns import patterns_command
from structtree.cli.progress import compiling_note
from structtree.cli.rules import rules_command
from structtree.cli.subgroups import subgroups_command

__all__ = ["app"]

app = CommandGroup(
    help="Decision and regression trees over structured data. Start with: structtree demo",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"structtree {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of errors.")] = False,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """Decision and regression trees over structured data.

    Start with: **structtree demo**
    """
    DEBUG.set(debug)


@app.command("demo")
@reporting
def demo() -> None:
    """Demonstrate structtree on the twenty trains.

    Example: structtree demo
    """
    from structtree.report.demo import demonstrate

    with compiling_note():
        for line in demonstrate():
            typer.echo(line)


for function in (
    fit_command,
    predict_command,
    evaluate_command,
    show_command,
    explain_command,
    report_command,
    export_command,
    cv_command,
    rules_command,
    subgroups_command,
    patterns_command,
    features_command,
    audit_command,
    effort_command,
    paper_command,
):
    app.command(function.__name__.removesuffix("_command"))(function)
app.add_typer(data_app, name="data")
app.add_typer(datasets_app, name="datasets")
app.add_typer(grammar_app, name="grammar")
