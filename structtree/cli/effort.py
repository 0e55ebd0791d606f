"""Command that compares the cost of a search with and without pruning."""

from __future__ import annotations

from collections.abc import Sequence
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
    from structtree.report.budgets import BudgetRow
    from structtree.report.effort import Effort

__all__ = ["effort_command"]

MOST_PASSES = 6
"""Maximum number of positions shown."""


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
            help="Time limit in seconds for all searches without pruning; what takes longer is estimated.",
        ),
    ] = 3.0,
    whole_tree: Annotated[
        bool, typer.Option("--whole-tree", help="Add up the cost of all nodes of a tree, down to --max-depth.")
    ] = False,
    why_not: Annotated[
        str | None, typer.Option("--why-not", metavar="PREDICATE", help="Explain why this predicate was not chosen.")
    ] = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="Plot the comparison: .png, .svg or .pdf.")] = None,
    budgets: Annotated[
        str, typer.Option("--budgets", metavar="NUMBERS", help="Numbers of evaluations to compare, as in 100,1000.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Compare the cost of the search for the best split with and without pruning, and as fit does it.

    A predicate is evaluated when its loss is computed. A second table shows how the time was spent: on finding good
    tests or on proving that none is better, and at which position, given by the links that lead to it. With
    --budgets, a third table compares the best scores after equal numbers of evaluations. Ctrl-C keeps the results so
    far; the exit code is then 130.

    Example: structtree effort trains --criterion "acc*,entropy" --why-not "exists cars (long)"
    """
    from structtree.lang.parse import parse_predicate
    from structtree.report.budgets import compare_budgets
    from structtree.report.effort import compare_effort, summary
    from structtree.report.pictures.rendering import check_picture, draw_effort
    from structtree.session.reading import grammar_for

    if search.max_depth is not None and not whole_tree:
        raise UsageError("--max-depth is for --whole-tree: the search for one split has no depth")
    if plot is not None:
        check_picture(plot)
    if why_not is not None:
        parse_predicate(why_not)
    limits = _budgets(budgets)
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
            given = (data.population, training.labels, grammar, limits, wanted or None)
            rows: list[BudgetRow] = []
            if limits and not stop.pressed:
                rows = list(compare_budgets(*given, min_samples_leaf=search.min_samples_leaf))
        stop.handled = True
    answers = {} if why_not is None else _answers(efforts, why_not)
    if plot is not None:
        tree = ", whole tree" if whole_tree else ""
        draw_effort(efforts, plot, f"Effect of pruning on {data.name}, grammar {grammar.name or 'derived'}{tree}")
    if as_json:
        about = {"grammar": grammar_facts(grammar, data)}
        print_json([_facts(effort, rows) | about | answers.get(effort.criterion, {}) for effort in efforts])
    else:
        _print_efforts(efforts, answers, plot)
        _print_budgets(rows)
        print_grammar(grammar, data)
        typer.echo(summary(efforts[0]))
    if stop.pressed:
        note(f"interrupted: results so far, for {number_text(efforts, 'criterion', 'criteria')}")
    end_stopped(stop)


def _facts(effort: Effort, rows: Sequence[BudgetRow]) -> dict[str, Any]:
    """Return the figures of a criterion, for JSON."""
    own = [row.to_dict() for row in rows if row.criterion == effort.criterion]
    return effort.to_dict() | ({"budgets": own} if rows else {})


def _answers(efforts: tuple[Effort, ...], predicate: str) -> dict[str, dict[str, Any]]:
    """Return, for JSON, the reason why each criterion did not choose a predicate."""
    from structtree.search.why_not import why_not

    return {effort.criterion: {"why_not": why_not(effort.split, predicate).to_dict()} for effort in efforts}


def _budgets(text: str) -> list[int]:
    """Return the numbers of evaluations to compare."""
    words = [word.strip().replace("_", "") for word in text.split(",") if word.strip()]
    if not all(word.isdecimal() and int(word) for word in words):
        raise UsageError(f"--budgets takes numbers of evaluations, as in 100,1000; got {text!r}")
    return sorted(set(map(int, words)))


def _print_efforts(efforts: tuple[Effort, ...], answers: dict[str, dict[str, Any]], plot: Path | None) -> None:
    from structtree.report.effort import why_equal

    heads = ["criterion", "space", "search", "evaluated", "%", "seconds", "score", "proved"]
    print_table("", heads, [row for effort in efforts for row in _effort_rows(effort)])
    _print_passes(efforts)
    if any(effort.exhaustive_estimated for effort in efforts):
        typer.echo("~ estimated: without pruning every predicate is evaluated, at the measured speed")
    reasons = dict.fromkeys(effort.fit.why for effort in efforts if effort.fit is not None)
    for why in reasons:
        typer.echo(f"fit: {why}; tests with equal results, or that cannot be best, are not evaluated")
    for line in why_equal([effort.split for effort in efforts if effort.nodes == 1]):
        typer.echo(line)
    for effort in efforts:
        if effort.agree is False:
            typer.echo(f"{effort.criterion}: the searches with and without pruning differ; please report this")
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


def _print_budgets(rows: Sequence[BudgetRow]) -> None:
    """Print the best score after each number of evaluations, one row per criterion and order."""
    if not rows:
        return
    budgets = sorted({row.budget for row in rows})
    lines: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        lines.setdefault((row.criterion, row.order), []).append(_budget_cell(row))
    typer.echo("\nbest split after equal numbers of evaluations")
    print_table(
        "", ["criterion", "order", *(f"{n:,}" for n in budgets)], [[*key, *cells] for key, cells in lines.items()]
    )
    right = ", accuracy of the split if it differs" if any(row.accuracy is not None for row in rows) else ""
    typer.echo(f"score{right}, and the share of the possible gain that is not yet ruled out\n")


def _budget_cell(row: BudgetRow) -> str:
    from structtree.arrays import TOLERANCE

    known = "proved" if row.proved else f"{row.open:.0%} open"
    right = "" if row.accuracy is None or abs(row.accuracy - row.score) < TOLERANCE else f" ({row.accuracy:.3f})"
    return f"{row.score:.4g}{right}, {known}"


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
    """Print the time that the first criterion spent in each pass of the search, longest first."""
    effort = efforts[0]
    passes = sorted(effort.passes, key=lambda one: -one.seconds)
    if not passes:
        return
    rows = [
        (f"to {one.order}", one.position, f"{one.evaluated:,}", *_time_cells(one.seconds, effort.seconds))
        for one in passes[:MOST_PASSES]
    ]
    rest = effort.seconds - sum(one.seconds for one in passes)
    if rest > 0:
        rows.append(("other", "between passes over rows", "", *_time_cells(rest, effort.seconds)))
    typer.echo(f"\nwhere the time went with pruning, {effort.criterion}")
    print_table("", ["order", "position", "evaluated", "seconds", "share"], rows)
    n_more = max(0, len(passes) - MOST_PASSES)
    if n_more or len(efforts) > 1:
        shorter = f"and {number_text(n_more, 'shorter pass', 'shorter passes')} " if n_more else ""
        typer.echo(f"{shorter}(--json lists all passes of every criterion)")
    typer.echo()


def _time_cells(seconds: float, of: float) -> tuple[str, str]:
    return seconds_text(seconds), f"{seconds / of:.0%}" if of else "-"


def _effort_rows(effort: Effort) -> list[list[str]]:
    """Return the rows of a criterion: with pruning, without it, and as `fit` does it."""
    about = "~" if effort.exhaustive_estimated else ""
    space = "unknown" if effort.space is None else f"{effort.space:,}"
    whole, seconds = effort.evaluated_exhaustive, effort.seconds_exhaustive
    score = f"{effort.score:.4g}"
    rows = [
        [
            effort.criterion,
            space,
            "with pruning",
            f"{effort.evaluated:,}",
            _share(effort.evaluated, whole),
            seconds_text(effort.seconds),
            score,
            "yes" if effort.proved else "no",
        ],
        [
            "",
            "",
            "without pruning",
            "unknown" if whole is None else f"{about}{whole:,}",
            _share(whole, whole),
            "-" if seconds is None else f"{about}{seconds_text(seconds)}",
            {True: score, False: "differs", None: "-"}[effort.agree],
            "-" if effort.agree is None else "yes",
        ],
    ]
    if effort.fit is not None:
        fit = effort.fit
        score = "-" if fit.score is None else f"{fit.score:.4g}"
        cells = [f"{fit.evaluated:,}", _share(fit.evaluated, whole), seconds_text(fit.seconds), score]
        rows.append(["", "", f"fit, by {fit.route}", *cells, "yes" if fit.proved else "no"])
    return rows


def _share(n: int | None, of: int | None) -> str:
    return f"{100 * n / of:.3g}" if n is not None and of else "-"
