"""The command that writes a model in another language.

A format is one entry of `FORMATS`: its name, a function that gives its text, and the options that it takes; an option
of another format is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from structtree.cli.common import check_output, command, is_printed, note
from structtree.cli.models import IgnoredOptions, ModelFile
from structtree.cli.reading import Reading, as_learned, read_as_said
from structtree.errors import UsageError, did_you_mean
from structtree.files import replacing

if TYPE_CHECKING:
    from structtree.models.model import Model

__all__ = ["export_command"]


class Format(NamedTuple):
    """Language that models are written in: a function from a model and options to text, and its options by name."""

    write: Callable[..., str]
    options: tuple[str, ...] = ()


def _sql(model: Model, **options: Any) -> str:
    from structtree.export.sql.views import export_sql

    return export_sql(model, **options)


def _prolog(model: Model, data: str | None = None) -> str:
    from structtree.export.prolog.clauses import export_prolog
    from structtree.report.predictions import whole

    if data is None:
        return export_prolog(model)
    opened = read_as_said(data, as_learned(data, Reading(), model.reading), layout=model.layout)
    return export_prolog(model, whole(opened))


def _smarts(model: Model) -> str:
    from structtree.export.smarts import export_smarts

    return export_smarts(model)


FORMATS = {"sql": Format(_sql, ("dialect",)), "prolog": Format(_prolog, ("data",)), "smarts": Format(_smarts)}


@command
def export_command(
    model: ModelFile,
    idle: IgnoredOptions,
    format: Annotated[str, typer.Option("--format", metavar="|".join(FORMATS), help="The language to write.")],
    dialect: Annotated[
        str | None,
        typer.Option(
            "--dialect", metavar="sqlite|duckdb", help="For SQL: which database; by default the one of the model."
        ),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(
            "--data", metavar="DATA", help="For Prolog: data to write as facts too, read as the model's own."
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="FILE", help="The file to write; printed by default.")
    ] = None,
) -> None:
    """Write a model in another language, which needs no structtree.

    As SQL it is views over the tables that the model was learned from: one for each leaf, one with the predictions.

    As Prolog it is clauses about the facts that the model was learned from; other data is written as facts too.

    As SMARTS it is the tests of a tree about molecules: the patterns of each, or why SMARTS cannot say it.

    Example: structtree export loans.json --format sql -o loans.sql

    Example: structtree export trains.json --format prolog --data trains -o trains.pl
    """
    from structtree.models.model_files import load_model

    if format not in FORMATS:
        raise UsageError(f"unknown format {format!r} to export to{did_you_mean(format, FORMATS)}")
    given = {name: value for name, value in {"dialect": dialect, "data": data}.items() if value is not None}
    for name in given:
        if name not in FORMATS[format].options:
            raise UsageError(f"--{name} is not for --format {format}")
    check_output(out)
    text = FORMATS[format].write(load_model(model), **given)
    if out is None or is_printed(out):
        typer.echo(text, nl=False)
        return
    with replacing(out) as draft:
        draft.write_text(text, encoding="utf-8")
    note(f"wrote {out}")
