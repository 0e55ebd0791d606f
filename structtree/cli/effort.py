"""Command that compares the cost of a search with and without pruning."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from structtree.cli.common import Json, command, end_stopped, note, print_json, print_table, seconds_text
from structtree.cli.learning import Searching, SourceOptions, common_task
from structtree.cli.progress import compiled_note, live_status
from structtree.cli.reading import Reading, grammar_facts, print_grammar, read_to_learn
from structtree.errors import UsageError
from structtree.interrupts import stoppable
from structtree.reprs import number_text

if TYPE_CHECKING:
    from structtree.report.effort import Effort

__all__ = ["effort_command"]

MOST_PASSES = 6
"""Maximum number of positions shown for each criterion."""


@command
def effort_command(
    source: SourceOptions,
    search: Searching,
    reading: Reading,
    criteria: Annotated[
        list[str] | None,
        typer.Option(
            "--criterion",
            metavar="NAMES",
            help="Criteria, as in acc*,entropy; by default all that apply to the target.",
        ),
    ] = None,
    time_limit: Annotated[
        float, typer.Option("--time-limit", help="Time limit in seconds for a search with pruning.")
    ] = 60.0,
    exhaustive_limit: Annotated[
        float,
        typer.Option(
            "--exhaustive-limit",
            help="Time limit in seconds per criterion without pruning; if it is exceeded, the cost is estimated.",
        ),
    ] = 10.0,
    whole_tree: Annotated[
        bool, typer.Option("--whole-tree", help="Add up the cost of all nodes of a tree, down to --max-depth.")
    ] = False,
    why_not: Annotated[
        str | None, typer.Option("--why-not", metavar="PREDICATE", help="Explain why this predicate was not chosen.")
    ] = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="Plot the comparison: .png, .svg or .pdf.")] = None,
    as_json: Json = False,
) -> None:
    """Compare the cost of the search for the best split with and without pruning, for each criterion.

    A second table shows how the time was spent: on finding good tests or on proving that none is better, and at which
    position, given by the links that lead to it. Ctrl-C keeps the results so far; the exit code is then 130.

    Example: structtree effort trains --criterion "acc*,entropy" --why-not "exists cars (long)"
    """
    from structtree.lang.parse import parse_predicate
    from structtree.report.effort import compare_effort
    from structtree.report.pictures.rendering import check_picture, draw_effort
    from structtree.session.reading import grammar_for

    if search.max_depth is not None and not whole_tree:
        raise UsageError("--max-depth is for --whole-tree: the search for one split has no depth")
    if plot is not None:
        check_picture(plot)
    if why_not is not None:
        parse_predicate(why_not)
    wanted = [name.strip() for text in criteria or [] for name in text.split(",") if name.strip()]
    common_task(wanted)  # rejects unknown criteria before the data is read
    with stoppable() as stop, compiled_note():
        training = read_to_learn(source.source(reading))
        data, grammar = training.data, grammar_for(training.data, source.grammar)
        with live_status("searching"):
            efforts = compare_effort(
                data.population,
                training.labels,
                grammar,
                wanted or None,
                time_limit=time_limit,
                exhaustive_limit=exhaustive_limit,
                whole_tree=whole_tree,
                **vars(search),
            )
        stop.handled = True
    answers = {} if why_not is None else _answers(efforts, why_not)
    if plot is not None:
        tree = ", whole tree" if whole_tree else ""
        draw_effort(efforts, plot, f"Effect of pruning on {data.name}, grammar {grammar.name or 'derived'}{tree}")
    if as_json:
        about = {"grammar": grammar_facts(grammar, data)}
        print_json([effort.to_dict() | about | answers.get(effort.criterion, {}) for effort in efforts])
    else:
        _print_efforts(efforts, answers, plot)
        print_grammar(grammar, data)
    if stop.pressed:
        note(f"interrupted: results so far, for {number_text(efforts, 'criterion', 'criteria')}")
    end_stopped(stop)


def _answers(efforts: tuple[Effort, ...], predicate: str) -> dict[str, dict[str, Any]]:
    """Return, for JSON, the reason why each criterion did not choose a predicate."""
    from structtree.search.why_not import why_not

    return {effort.criterion: {"why_not": why_not(effort.split, predicate).to_dict()} for effort in efforts}


def _print_efforts(efforts: tuple[Effort, ...], answers: dict[str, dict[str, Any]], plot: Path | None) -> None:
    counts = ["space", "evaluated", "evaluated\nunpruned", "%", "seconds", "seconds\nunpruned"]
    heads = ["criterion", *counts, "score", "proved", "agree"]
    print_table("", heads, [_effort_row(effort) for effort in efforts])
    _print_passes(efforts)
    if any(effort.exhaustive_estimated for effort in efforts):
        typer.echo("~ estimated from the number of predicates and the measured speed")
    for effort in efforts:
        if not effort.proved:
            typer.echo(_unfinished(effort))
    if any(effort.nodes > 1 for effort in efforts):
        nodes = ", ".join(f"{effort.criterion} {effort.nodes}" for effort in efforts)
        typer.echo(f"sums over all split nodes ({nodes}); score and best predicate are those of the root")
    winners: dict[str, list[str]] = {}
    for effort in efforts:
        winners.setdefault(effort.predicate, []).append(effort.criterion)
    for predicate, criteria in winners.items():
        typer.echo(f"best by {', '.join(criteria)}: {predicate}")
    for criterion, answer in answers.items():
        typer.echo(f"{criterion}: {answer['why_not']['sentence']}")
    if plot is not None:
        typer.echo(f"drew {plot}")


def _unfinished(effort: Effort) -> str:
    """Explain why the best predicate is not proved best, and what to do."""
    from structtree.models.tree import Caveat
    from structtree.report.caveats import because, how_much_better, remedies

    split = effort.split
    if split.proved:
        return f"{effort.criterion}: the root test is proved best, but some tests below it are not"
    reason = None if split.stats.stopped_by == "done" else split.stats.stopped_by
    caveats = [Caveat(0, split.gap, reason)]
    why, remedy = because(caveats), remedies(caveats)
    text = f"{effort.criterion}: the best found, not proved best" + (f", since {why}" if why else "")
    return f"{text}; {how_much_better(caveats, effort.criterion)}" + (f"; to prove more, {remedy}" if remedy else "")


def _print_passes(efforts: tuple[Effort, ...]) -> None:
    """Print the time spent in each pass of the search, longest first."""
    rows, n_more = [], 0
    for effort in efforts:
        passes = sorted(effort.passes, key=lambda one: -one.seconds)
        n_more += max(0, len(passes) - MOST_PASSES)
        for one in passes[:MOST_PASSES]:
            share = f"{one.seconds / effort.seconds:.0%}" if effort.seconds else "-"
            figures = (f"{one.evaluated:,}", seconds_text(one.seconds), share)
            rows.append((effort.criterion, f"to {one.order}", one.position, *figures))
        rest = effort.seconds - sum(one.seconds for one in passes)
        if passes and rest > 0:
            figures = ("", seconds_text(rest), f"{rest / effort.seconds:.0%}")
            rows.append((effort.criterion, "other", "between passes over rows", *figures))
    if rows:
        typer.echo("\nwhere the time went, with pruning")
        print_table("", ["criterion", "order", "position", "evaluated", "seconds", "share"], rows)
    if n_more:
        typer.echo(f"and {n_more} shorter passes (--json lists all)")
    if rows:
        typer.echo()


def _effort_row(effort: Effort) -> list[str]:
    about = "~" if effort.exhaustive_estimated else ""
    words = {True: "yes", False: "no", None: "-"}
    whole, seconds = effort.evaluated_exhaustive, effort.seconds_exhaustive
    return [
        effort.criterion,
        "unknown" if effort.space is None else f"{effort.space:,}",
        f"{effort.evaluated:,}",
        "unknown" if whole is None else f"{about}{whole:,}",
        "-" if effort.percent is None else f"{effort.percent:.3g}",
        seconds_text(effort.seconds),
        "-" if seconds is None else f"{about}{seconds_text(seconds)}",
        f"{effort.score:.4g}",
        words[effort.proved],
        words[effort.agree],
    ]
