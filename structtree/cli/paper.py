"""Command that computes the tables of Ng and Lloyd's paper beside the published figures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from structtree.cli.common import Json, command, end_stopped, note, print_json, print_table, say, seconds_text
from structtree.cli.progress import compiled_note, live_status
from structtree.errors import UsageError
from structtree.interrupts import stoppable
from structtree.reprs import number_text

if TYPE_CHECKING:
    from structtree.report.paper import AccuracyRow, Row, SearchRow

__all__ = ["paper_command"]

TITLES = {
    1: "Table 1: tests evaluated in a complete search with pruning, acc* first",
    2: "Table 2: accuracy without post-pruning",
    3: "Table 3: accuracy with post-pruning",
    4: "Table 4: tests evaluated in a complete search for the mean squared error, classes relabelled with numbers",
}

TABLES = {1: "acc*", 2: "full", 3: "pruned", 4: "mse"}
"""The criterion of a table about searches, or the size of the trees of one about accuracies."""


@command
def paper_command(
    tables: Annotated[str, typer.Option("--tables", metavar="NUMBERS", help="Tables to compute.")] = "1,2,3,4",
    problem: Annotated[
        list[str] | None,
        typer.Option("--problem", metavar="NAME", help="Problem to include, such as east-west; can be repeated."),
    ] = None,
    file: Annotated[
        list[str] | None,
        typer.Option("--file", metavar="NAME=FILE", help="File with the data of a problem; can be repeated."),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            "--data",
            metavar="DIR",
            exists=True,
            file_okay=False,
            help="Folder with original files, such as clean1.data or audiology.arff, to use instead of downloads.",
        ),
    ] = None,
    repeats: Annotated[int, typer.Option("--repeats", min=1, help="Number of times to repeat the 10 folds.")] = 3,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Random seed of the folds and of the numbers.")] = 0,
    as_json: Json = False,
) -> None:
    """Compute the tables of Ng and Lloyd's paper about the choice of tests, beside the published figures.

    Data that is not shipped is downloaded on first use, unless --data or --file has it. A problem without data is
    listed with the reason. Ctrl-C keeps the completed rows; the exit code is then 130.

    Example: structtree paper

    Example: structtree paper --tables 1,4 --problem east-west

    Example: structtree paper --tables 2,3 --problem audiology --file audiology=audiology.arff

    Example: structtree paper --data uci
    """
    from structtree.report.paper import paper_rows
    from structtree.report.paper_data import PaperData, problems_named, published

    numbers, problems, files = _numbers(tables), problems_named(problem or []), _files(file or [])
    problems_named(list(files))  # rejects unknown names
    source = PaperData(files, data)
    rows: dict[int, list[Row]] = {}
    with stoppable() as stop, compiled_note():
        for number in numbers:
            rows[number] = []
            with live_status(f"table {number}"), suppress(KeyboardInterrupt):
                for row in paper_rows(number, problems, source, repeats=repeats, seed=seed):
                    if stop.pressed:
                        break  # the row is not complete
                    rows[number].append(row)
            if not as_json:
                _print_table(number, rows[number])
            if stop.pressed:
                break
        stop.handled = True
    if as_json:
        print_json({f"table {number}": [row.to_dict() for row in found] for number, found in rows.items()})
    else:
        for line in _remarks(row for found in rows.values() for row in found):
            say(line)
        say(f"Published figures: {published().source}")
    if stop.pressed:
        note("interrupted: the rows completed so far")
    end_stopped(stop)


def _numbers(text: str) -> list[int]:
    """Return the numbers of the tables."""
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not words or not all(word in ("1", "2", "3", "4") for word in words):
        raise UsageError(f"--tables takes numbers from 1 to 4, as in 1,4; got {text!r}")
    return sorted(set(map(int, words)))


def _files(pairs: Sequence[str]) -> dict[str, str]:
    """Return the file of each problem."""
    found = {}
    for pair in pairs:
        name, equals, path = pair.partition("=")
        if not (name and equals and path):
            raise UsageError(f"--file takes a problem and a file, as in audiology=audiology.arff; got {pair!r}")
        found[name] = path
    return found


def _print_table(number: int, rows: Sequence[Row]) -> None:
    say(TITLES[number])
    if number in (1, 4):
        heads = ["problem", "criterion", "space\npaper", "searched\npaper", "%\npaper"]
        heads += ["space", "searched", "%", "seconds", ""]
        print_table("", heads, [_search_cells(row, number) for row in rows])
    else:
        heads = ["problem", "acc*\npaper", "acc*", "entropy\npaper", "entropy", "p", "better\npaper", "better"]
        print_table("", [*heads, "seconds", ""], [_accuracy_cells(row, number) for row in rows])
    for line in _summary(rows):
        say(line)
    say()


def _search_cells(row: Row, number: int) -> list[str]:
    from structtree.report.paper import SearchRow

    problem, criterion = row.problem, row.criterion if isinstance(row, SearchRow) else TABLES[number]
    known, share = ["", "", ""], problem.percent(criterion)
    if share is not None:
        known = [f"{problem.space:,}", f"{problem.searched[criterion]:,}", _percent(share)]
    if not isinstance(row, SearchRow):
        return [problem.name, criterion, *known, "", "", "", "", "no data"]
    stats = row.split.stats
    found = [f"{row.space:,}", f"{stats.evaluated:,}", _percent(row.percent), seconds_text(stats.seconds)]
    return [problem.name, criterion, *known, *found, "substitute" if row.substituted else _mark(row.agrees)]


def _percent(share: float) -> str:
    return f"{share:.2f}"


def _mark(agrees: bool | None) -> str:
    return {True: "ok", False: "worse", None: ""}[agrees]


def _accuracy_cells(row: Row, number: int) -> list[str]:
    from structtree.report.paper import AccuracyRow

    size = TABLES[number]
    published, better = row.problem.accuracy(size), row.problem.better.get(size, "")
    if not isinstance(row, AccuracyRow):
        acc, entropy = (f"{share:.3f}" for share in published.values())
        return [row.problem.name, acc, "", entropy, "", "", better, "", "", "no data"]
    cells = [row.problem.name]
    for name, found in row.accuracy.items():
        cells += [f"{published[name]:.3f} ± {row.error(name):.3f}", f"{found:.3f}"]
    seconds = " / ".join(seconds_text(result.seconds) for result in row.comparison.results.values())
    return [*cells, f"{row.p:.2f}", better, row.better or "", seconds, _mark(row.agrees)]


def _summary(rows: Sequence[Row]) -> Iterator[str]:
    """Yield a sentence that counts the rows that agree, and the accuracies on original test sets."""
    from structtree.report.paper import AccuracyRow, SearchRow

    compared = [row for row in rows if isinstance(row, SearchRow) and row.agrees is not None]
    if compared:
        n = sum(bool(row.agrees) for row in compared)
        yield f"The search evaluates at most the published share of the space in {n} of {len(compared)} rows."
    yield from _equal_counts([row for row in rows if isinstance(row, SearchRow)])
    accuracies = [row for row in rows if isinstance(row, AccuracyRow)]
    if accuracies:
        n = sum(row.agrees for row in accuracies)
        count = f"{n} of {len(accuracies)} rows"
        yield f"Both accuracies are at least the published ones, up to two standard errors (±), in {count}."
        yield from _exceptions(accuracies)
        yield _differences(accuracies)
    tests = [row for row in accuracies if row.test]
    if tests:
        yield "Trained on the original training set, accuracy on the original test set:"
        for row in tests:
            yield f"  {row.problem.name}: " + ", ".join(f"{name} {score:.3f}" for name, score in row.test.items())


def _equal_counts(rows: Sequence[SearchRow]) -> Iterator[str]:
    """Yield why the searches of a problem by several criteria have the same counts."""
    from structtree.report.effort import why_equal

    for name in dict.fromkeys(row.problem.name for row in rows):
        for line in why_equal([row.split for row in rows if row.problem.name == name]):
            yield f"{name}: {line}"


def _exceptions(rows: Sequence[AccuracyRow]) -> Iterator[str]:
    """Yield a sentence for each accuracy that is too low."""
    for row in rows:
        for name in row.below:
            found, known, error = row.accuracy[name], row.published[name], row.error(name)
            why = "".join(f"; {text}" for text in (row.problem.note, row.note) if text)
            yield (
                f"{row.problem.name}: {name} has {found:.3f}, which is {(known - found) / error:.1f} standard errors "
                f"below {known:.3f}{why}"
            )


def _differences(rows: Sequence[AccuracyRow]) -> str:
    """Return a sentence about the significance of the differences between the criteria."""
    from structtree.report.paper import SIGNIFICANT

    ours = sum(row.better is not None for row in rows)
    theirs = sum(row.size in row.problem.better for row in rows)
    return (
        "p: paired t test of the two criteria, corrected for training sets that overlap. The difference is "
        f"significant (p < {SIGNIFICANT}) in {number_text(ours, 'row')}, in the paper in {theirs} of these rows."
    )


def _remarks(rows: Iterable[Row]) -> Iterator[str]:
    """Yield how problems differ from those of the paper, and why some have no data, once each."""
    from structtree.report.paper import SearchRow
    from structtree.report.paper_data import NoData

    reasons: dict[str, dict[str, None]] = {}
    for row in rows:
        notes = [row.reason] if isinstance(row, NoData) else [row.problem.note, row.note]
        if isinstance(row, SearchRow) and row.substituted:
            notes = [
                f"{row.problem.substitute}, generated data of the same shape, is a substitute: {row.substituted}"
            ]
        for note_of_row in filter(None, notes):
            reasons.setdefault(note_of_row, {})[row.problem.name] = None
    for reason, names in reasons.items():
        yield f"{', '.join(names)}: {reason}"
