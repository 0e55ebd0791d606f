"""Progress of long commands, as a live line on stderr if it is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Timer
from time import monotonic
from typing import TYPE_CHECKING

from structtree.cli.common import note, seconds_text
from structtree.progress import Status, clock_text, status_listener
from structtree.reprs import inert

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["compiled_note", "compiling_note", "live_status"]

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
    """Print the time spent on compilation in this block, if any; it does not count towards time limits."""
    from structtree.search.kernels.compiling import compile_seconds

    before = compile_seconds()
    yield
    if compile_seconds() > before:
        note(f"note: compiled in {seconds_text(compile_seconds() - before)} s (not counted towards the time limit)")


@contextmanager
def live_status(first: str) -> Iterator[None]:
    """Show the reported status on a terminal, starting with the given words; show nothing in a pipe."""
    if not sys.stderr.isatty():
        with compiling_note():
            yield
        return
    from rich.console import Console
    from rich.live import Live

    status = _LiveStatus(Status(first))
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
            yield
    finally:
        timer.cancel()
        timer.join()
        live.stop()


class _LiveStatus:
    """Current status as a rich renderable, with a bar if the total is known."""

    def __init__(self, first: Status) -> None:
        self.status, self.began = first, monotonic()

    def __call__(self, status: Status) -> None:
        self.status = status

    def __rich__(self) -> Text:
        from rich.text import Text

        status = self.status
        text = Text(inert(status.what), "bold")
        if status.total:
            share = min(1.0, status.done / status.total)
            filled = round(_CELLS * share)
            text.append(" " + "━" * filled, "cyan").append("━" * (_CELLS - filled), "dim")
            text.append(f" {share:.0%}", "not bold")
        text.append(f" {clock_text(monotonic() - self.began)}", "not bold dim")
        if status.seconds_left is not None:
            text.append(f", at most {clock_text(status.seconds_left)} left", "not bold dim")
        for fact in status.facts:
            text.append(f" · {inert(fact)}", "not bold")
        return text
