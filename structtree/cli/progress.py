"""Progress of long commands, as a live line on stderr if it is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from threading import Timer
from time import monotonic
from typing import TYPE_CHECKING

from structtree.cli.common import note, seconds_text
from structtree.progress import HasStatus, Status, clock_text, status_listener
from structtree.reprs import inert

if TYPE_CHECKING:
    from rich.text import Text

    from structtree.evaluation.validate import FoldDone
    from structtree.learn.growing import Progress
    from structtree.search.best_split import SearchStats

__all__ = ["audit_bar", "compiled_note", "compiling_note", "fold_bar", "growth_bar", "reading_bar", "search_bar"]

Show = Callable[[HasStatus], None]
"""Function that displays the current status."""

DELAY = 0.4
"""Seconds before progress is shown; shorter commands show none."""

_CELLS = 20
"""Width of a progress bar, in characters."""


@contextmanager
def compiling_note() -> Iterator[None]:
    """Print a note when kernels are being compiled, at most once."""
    from structtree.search.kernels.compiling import when_compiling

    with when_compiling(_note_compiling):
        yield


@cache
def _note_compiling() -> None:
    note("note: compiling, which takes a few seconds and happens only once")


@contextmanager
def compiled_note() -> Iterator[None]:
    """Print after a block how long compilation took, if there was any; time limits exclude it."""
    from structtree.search.kernels.compiling import compile_seconds

    before = compile_seconds()
    yield
    if compile_seconds() > before:
        note(f"note: compiled in {seconds_text(compile_seconds() - before)} s (not counted in the time limit)")


@contextmanager
def reading_bar() -> Iterator[None]:
    """Show what is being read."""
    with _live(Status("reading")):
        yield


@contextmanager
def audit_bar() -> Iterator[None]:
    """Show which check is running."""
    with _live(Status("auditing")):
        yield


@contextmanager
def search_bar() -> Iterator[Callable[[str, str, SearchStats], None]]:
    """Show the number of predicates that a search has evaluated."""
    with _live(Status("searching")) as show:

        def update(criterion: str, doing: str, stats: SearchStats) -> None:
            rate = f", {stats.evaluated / stats.seconds:,.0f}/s" if stats.seconds >= 1 else ""
            show(Status("searching", 0, None, (f"{criterion} {doing}", f"{stats.evaluated:,} predicates{rate}")))

        yield update


@contextmanager
def growth_bar() -> Iterator[Callable[[Progress], None]]:
    """Show a bar that fills as individuals reach leaves, with the current node."""
    with _live(Status("preparing")) as show:
        yield show


@contextmanager
def fold_bar() -> Iterator[Callable[[FoldDone], None]]:
    """Show a bar that fills as folds complete, with the mean score of each estimator so far."""
    scores: dict[str, list[float]] = {}
    with _live(Status("cross-validation")) as show:

        def update(fold: FoldDone) -> None:
            scores.setdefault(fold.name or "mean", []).append(fold.score)
            means = tuple(f"{name} {sum(found) / len(found):.3f}" for name, found in scores.items())
            show(fold.status._replace(facts=means))

        yield update


@contextmanager
def _live(first: Status) -> Iterator[Show]:
    """Show a transient status on a terminal; show nothing in a pipe."""
    if not sys.stderr.isatty():
        with compiling_note():
            yield lambda progress: None
        return
    from rich.console import Console
    from rich.live import Live

    status = _Status(first)
    console = Console(stderr=True, highlight=False, markup=False, emoji=False)
    live = Live(status, console=console, transient=True, refresh_per_second=8)

    def start() -> None:
        live.start()
        console.show_cursor(True)  # a process that is killed could not restore it

    timer = Timer(DELAY, start)
    timer.daemon = True
    timer.start()
    try:
        with status_listener(status), compiling_note():
            yield status
    finally:
        timer.cancel()
        timer.join()
        live.stop()


class _Status:
    """Current status as a rich renderable, with a bar if the total is known."""

    def __init__(self, doing: Status) -> None:
        self.shown, self.began = doing, monotonic()

    def __call__(self, progress: HasStatus) -> None:
        self.shown = progress.status

    def __rich__(self) -> Text:
        from rich.text import Text

        doing = self.shown
        text = Text(inert(doing.what), "bold")
        if doing.total:
            share = min(1.0, doing.done / doing.total)
            filled = round(_CELLS * share)
            text.append(" " + "━" * filled, "cyan").append("━" * (_CELLS - filled), "dim")
            text.append(f" {share:.0%}", "not bold")
        text.append(f" {clock_text(monotonic() - self.began)}", "not bold dim")
        if doing.seconds_left is not None:
            text.append(f", at most {clock_text(doing.seconds_left)} left", "not bold dim")
        for fact in doing.facts:
            text.append(f" · {inert(fact)}", "not bold")
        return text
