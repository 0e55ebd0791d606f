"""Progress reports of long-running work.

Long work calls `report` or `report_status`, which cost almost nothing without a listener. Front ends listen with
`status_listener`: the command line shows a live line, and so does `StatusLine` in a notebook. Functions that take a
callback as ``progress`` report the same events to the listener.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from typing import IO, Any, NamedTuple, Protocol, Self

__all__ = ["HasStatus", "Status", "StatusLine", "clock_text", "report", "report_status", "status_listener"]


class Status(NamedTuple):
    """Status of long-running work: the current activity and its progress.

    Parameters
    ----------
    what : str
        A few words, such as ``reading``.
    done, total : int
        Finished and total number of steps; `total` is None if unknown.
    facts : tuple of str
        Further information.
    seconds_left : float, optional
        Seconds until a time limit.
    """

    what: str
    done: int = 0
    total: int | None = None
    facts: tuple[str, ...] = ()
    seconds_left: float | None = None

    @property
    def status(self) -> Status:
        """The status itself, as the protocol `HasStatus` requires."""
        return self


class HasStatus(Protocol):
    """Protocol for objects that report a status."""

    @property
    def status(self) -> Status:
        """The current activity."""


_LISTENER: ContextVar[Callable[[Status], None] | None] = ContextVar("listener", default=None)


def report(progress: HasStatus) -> None:
    """Report progress to the listener, if there is one."""
    listener = _LISTENER.get()
    if listener is not None:
        listener(progress.status)


def report_status(what: str, done: int = 0, total: int | None = None, *facts: str) -> None:
    """Report the current activity to the listener, if there is one."""
    report(Status(what, done, total, facts))


@contextmanager
def status_listener(listener: Callable[[Status], None] | None) -> Iterator[None]:
    """Call a function with every status reported inside this block; None silences the reports.

    Examples
    --------
    >>> with status_listener(print):
    ...     report_status("reading", 500, 501, "500 of 501 molecules")
    Status(what='reading', done=500, total=501, facts=('500 of 501 molecules',), seconds_left=None)
    >>> report_status("reading")
    """
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def clock_text(seconds: float) -> str:
    """Format seconds as minutes and seconds, or hours, minutes and seconds.

    Examples
    --------
    >>> clock_text(7.9), clock_text(3725)
    ('0:07', '1:02:05')
    """
    minutes, rest = divmod(int(max(0.0, seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


LIVE_INTERVAL, LOG_INTERVAL = 0.2, 10.0
"""Seconds between updates of a live line, and between separate lines."""

_BAR_WIDTH = 20


class StatusLine:
    """Progress line for notebooks and terminals; in a pipe, occasional lines.

    In a ``with`` block it shows all work; passed as ``progress``, only that of the function. In a notebook, the line
    is one output that is updated, so that a saved or exported notebook contains only its last state.

    Parameters
    ----------
    stream : optional
        Output stream; standard output by default.

    Examples
    --------
    >>> from structtree import fit, load_dataset
    >>> trains = load_dataset("trains")
    >>> with StatusLine():
    ...     model = fit(trains.population, trains.target, "trains")
    growing ...
    """

    def __init__(self, stream: IO[str] | None = None) -> None:
        self.stream = stream or sys.stdout
        self._is_notebook = "ipykernel" in type(self.stream).__module__
        self.is_live = self.stream.isatty() or self._is_notebook
        self._began = self._shown = time.monotonic()
        self._last: Status | None = None
        self._width = 0
        self._output: Any = None
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        self._stack.enter_context(status_listener(self))
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()
        if self._last is not None:
            self._write(self._last, end="\n")

    def __call__(self, progress: HasStatus) -> None:
        """Show progress, unless the line was updated a moment ago."""
        self._last = progress.status
        now = time.monotonic()
        if now - self._shown >= (LIVE_INTERVAL if self.is_live else LOG_INTERVAL):
            self._shown = now
            self._write(self._last, end="" if self.is_live else "\n")

    def _write(self, status: Status, end: str) -> None:
        text = _status_text(status, time.monotonic() - self._began)
        if self._is_notebook:
            self._display(text)
            return
        padded = text.ljust(self._width) if self.is_live else text
        self._width = len(text)
        self.stream.write(f"\r{padded}{end}" if self.is_live else f"{padded}{end}")
        self.stream.flush()

    def _display(self, text: str) -> None:
        """Show a line as an output of the notebook, or update this output."""
        from IPython.display import display

        if self._output is None:
            self._output = display({"text/plain": text}, raw=True, display_id=True)
        else:
            self._output.update({"text/plain": text}, raw=True)


def _status_text(status: Status, seconds: float) -> str:
    bar = ""
    if status.total:
        share = min(1.0, status.done / status.total)
        bar = f"{'━' * round(_BAR_WIDTH * share):┄<{_BAR_WIDTH}} {share:.0%}"
    left = "" if status.seconds_left is None else f"at most {clock_text(status.seconds_left)} left"
    return ", ".join(filter(None, (f"{status.what} {bar}".strip(), *status.facts, clock_text(seconds), left)))
