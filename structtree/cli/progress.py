"""Progress of long commands: a live line on stderr, if that is a terminal."""

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
"""Shows what is being done."""

DELAY = 0.4
"""Seconds after which there is something to show: what takes less is not worth looking at."""

_CELLS = 20
"""The width of a bar."""


@contextmanager
def compiling_note() -> Iterator[None]:
    """Say why nothing happens, if it is because kernels are compiled; once is enough."""
    from structtree.search.kernels.compiling import when_compiling

    with when_compiling(_tell_of_compiling):
        yield


@cache
def _tell_of_compiling() -> None:
    note("note: compiling, which takes some seconds and is needed only once")


@contextmanager
def compiled_note() -> Iterator[None]:
    """Say after a block how long something was compiled in it, if so: no time limit counts that."""
    from structtree.search.kernels.compiling import compile_seconds

    before = compile_seconds()
    yield
    if compile_seconds() > before:
        note(f"note: compiled in {seconds_text(compile_seconds() - before)} s (not counted in the time limit)")


@contextmanager
def reading_bar() -> Iterator[None]:
    """A line that says what is being read."""
    with _live(Status("reading")):
        yield


@contextmanager
def audit_bar() -> Iterator[None]:
    """A line that says what is being checked."""
    with _live(Status("auditing")):
        yield


@contextmanager
def search_bar() -> Iterator[Callable[[str, str, SearchStats], None]]:
    """A line that says what a search has evaluated."""
    with _live(Status("searching")) as show:

        def tell(criterion: str, doing: str, stats: SearchStats) -> None:
            rate = f", {stats.evaluated / stats.seconds:,.0f}/s" if stats.seconds >= 1 else ""
            show(Status("searching", 0, None, (f"{criterion} {doing}", f"{stats.evaluated:,} predicates{rate}")))

        yield tell


@contextmanager
def growth_bar() -> Iterator[Callable[[Progress], None]]:
    """A bar that fills as individuals arrive in leaves, with the node and the test that is looked for."""
    with _live(Status("preparing")) as show:
        yield show


@contextmanager
def fold_bar() -> Iterator[Callable[[FoldDone], None]]:
    """A bar that fills as folds are done, with the mean score so far of each estimator."""
    scores: dict[str, list[float]] = {}
    with _live(Status("cross-validation")) as show:

        def tell(fold: FoldDone) -> None:
            scores.setdefault(fold.name or "mean", []).append(fold.score)
            means = tuple(f"{name} {sum(found) / len(found):.3f}" for name, found in scores.items())
            show(fold.status._replace(facts=means))

        yield tell


@contextmanager
def _live(first: Status) -> Iterator[Show]:
    """Show on a terminal what is being done, in a line or two that are gone in the end; in a pipe nothing."""
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
        console.show_cursor(True)  # which whoever is ended by force could not do

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
    """What is being done, as rich shows it: with a bar if it is known how much there is, and wrapped to the width."""

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
