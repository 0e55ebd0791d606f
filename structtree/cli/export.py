"""Command that exports a model to another language.

A format is one entry of `FORMATS`: its name, a function that returns the text, and the options that it accepts.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from structtree.cli.common import check_output, command, note, write_text
from structtree.cli.models import IgnoredOptions, ModelFile
from structtree.cli.reading import Reading, read_with_options
from structtree.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from structtree.models.model import Model

__all__ = ["export_command"]


class Format(NamedTuple):
    """Export format: a function from a model and options to text, and the names of its options."""

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
    opened = read_with_options(data, Reading(), model=model)
    return export_prolog(model, whole(opened))


def _smarts(model: Model) -> str:
    from structtree.export.smarts import export_smarts

    return export_smarts(model)


FORMATS = {"sql": Format(_sql, ("dialect",)), "prolog": Format(_prolog, ("data",)), "smarts": Format(_smarts)}


@command
def export_command(
    model: ModelFile,
    ignored: IgnoredOptions,
    format: Annotated[str, typer.Option("--format", metavar="|".join(FORMATS), help="Output language.")],
    dialect: Annotated[
        str | None,
        typer.Option(
            "--dialect",
            metavar="sqlite|duckdb",
            help="For SQL: database dialect; by default that of the training data.",
        ),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(
            "--data", metavar="DATA", help="For Prolog: data to write as facts, read like the training data."
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="FILE", help="Output file; standard output by default.")
    ] = None,
) -> None:
    """Export a model to SQL, Prolog or SMARTS, to use it without structtree.

    SQL: views over the tables of the training database, one for each leaf and one with the predictions; a forest,
    a boosted sum or a rule set is a single view.

    Prolog: clauses over the facts of the training data; data from other sources is written as facts, too.

    SMARTS: the patterns of each test of a tree over molecules, or the reason why SMARTS cannot express it.

    Example: structtree export loans.json --format sql -o loans.sql

    Example: structtree export trains.json --format prolog --data trains -o trains.pl
    """
    from structtree.models.files.models import load_model

    if format not in FORMATS:
        raise UsageError(f"unknown export format {format!r}{did_you_mean(format, FORMATS)}")
    given = {name: value for name, value in {"dialect": dialect, "data": data}.items() if value is not None}
    for name in given:
        if name not in FORMATS[format].options:
            raise UsageError(f"--{name} does not apply to --format {format}")
    check_output(out)
    text = FORMATS[format].write(load_model(model), **given)
    if write_text(text, out):
        note(f"wrote {out}")
