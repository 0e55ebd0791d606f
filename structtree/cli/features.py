"""Command that selects features for other learners."""

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
    is_printed,
    note,
    print_json,
    print_remarks,
    print_table,
    say,
    write_text,
)
from structtree.cli.flags import signature_of
from structtree.cli.learning import SourceOptions, check_flag, start_clock
from structtree.cli.progress import compiled_note, live_status
from structtree.cli.reading import Reading, grammar_facts, print_grammar, read_to_learn
from structtree.interrupts import stoppable
from structtree.models.settings import OF_FEATURES, FeatureOptions, Forest, Growth
from structtree.options import options_of

if TYPE_CHECKING:
    from structtree.session.features import SelectedFeatures

__all__ = ["features_command"]

SHOWN = 20
"""Number of features that are printed."""

SELECTING = [*options_of(FeatureOptions), *(each for each in options_of(Forest, Growth) if each.name in OF_FEATURES)]


class FeatureFlags(SimpleNamespace):
    """Options for selecting features."""

    __signature__: ClassVar = signature_of(SELECTING)

    def check(self) -> None:
        """Reject invalid options before the data is read."""
        for option in SELECTING:
            check_flag(option, getattr(self, option.parameter))


@command
def features_command(
    source: SourceOptions,
    selecting: FeatureFlags,
    reading: Reading,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", metavar="OUT.csv", help="File for the features of all individuals."),
    ] = None,
    sql: Annotated[
        Path | None,
        typer.Option("--sql", metavar="FILE.sql", help="For a database: write a view with the features."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Select tests, counts and aggregates as columns for other learners.

    Each column is relevant for the target and little correlated with those before it. A column is a number, or 1 if a
    test holds and 0 otherwise; missing numbers are empty. All individuals with a label are used, so select from the
    training data only if others are held out; in scikit-learn, StructuralFeatures does so in a pipeline.

    Example: structtree features trains -k 10 -o features.csv

    Example: structtree features shop.db --individual customer --target churned -k 50 -o churn.csv --sql churn.sql
    """
    from structtree.export.sql.features import features_sql
    from structtree.export.sql.subgroups import tables_behind
    from structtree.session.features import features_of

    selecting.check()
    for path in (out, sql):
        check_output(path, as_json=as_json)
    with stoppable() as stop, compiled_note():
        clock = start_clock(selecting.time_limit, stop)
        training = read_to_learn(source.source(reading), None)
        if sql is not None:
            tables_behind(training.data.population)  # refuses other data before the selection
        with live_status("selecting"):
            selected = features_of(training, vars(selecting), clock)
        stop.handled = True
        print_remarks(selected.remarks)
        if as_json:
            print_json(selected.to_dict() | {"grammar": grammar_facts(selected.grammar, training.data)})
        elif not is_printed(out):
            _print(selected)
        if out is not None and write_text(selected.to_csv(), out):
            note(f"wrote {out}")
        if sql is not None and write_text(features_sql(selected.found), sql):
            note(f"wrote {sql}")
    end_stopped(stop)


def _print(selected: SelectedFeatures) -> None:
    """Print the first features with their figures."""
    features = selected.found.features
    data = selected.training.data
    say(f"{len(features):,} features of {selected.found.n_columns:,} columns for {data.target_name}\n")
    rows = [(each.name, f"{each.relevance:.2f}", f"{each.redundancy:.2f}") for each in features[:SHOWN]]
    print_table("", ["feature", "relevance", "redundancy"], rows)
    if len(features) > SHOWN:
        say(f"... and {len(features) - SHOWN:,} more")
    print_grammar(selected.grammar, data)
