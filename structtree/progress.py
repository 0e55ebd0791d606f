"""The channel on which long work says what it is doing, for whoever shows it to people.

Whoever works long says so by `tell`, which costs next to nothing where nobody listens. Whoever has people waiting
listens by `telling`: the command line shows a live line, and so does `StatusLine` in a notebook.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from typing import IO, NamedTuple, Protocol, Self

__all__ = ["HasStatus", "Status", "StatusLine", "clock_text", "tell", "telling"]


class Status(NamedTuple):
    """Work that is being done.

    Parameters
    ----------
    what : str
        In a few words, such as ``reading``.
    done, total : int
        How much of it is done, and of how much; None where that is not known.
    facts : tuple of str
        What else there is to say.
    seconds_left : float, optional
        Until a time limit ends it.
    """

    what: str
    done: int = 0
    total: int | None = None
    facts: tuple[str, ...] = ()
    seconds_left: float | None = None

    @property
    def doing(self) -> Status:
        """It itself, since whatever can be shown has this."""
        return self


class HasStatus(Protocol):
    """Progress of any kind that can be shown."""

    @property
    def doing(self) -> Status:
        """The work that is being done."""


_LISTENER: ContextVar[Callable[[Status], None] | None] = ContextVar("listener", default=None)


def tell(what: str, done: int = 0, total: int | None = None, *facts: str) -> None:
    """Say what is being done, if somebody listens."""
    listener = _LISTENER.get()
    if listener is not None:
        listener(Status(what, done, total, facts))


@contextmanager
def telling(listener: Callable[[Status], None]) -> Iterator[None]:
    """Have a function called with what is being done.

    Examples
    --------
    >>> with telling(print):
    ...     tell("reading", 500, 501, "500 of 501 molecules")
    Status(what='reading', done=500, total=501, facts=('500 of 501 molecules',), seconds_left=None)
    >>> tell("reading")
    """
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def clock_text(seconds: float) -> str:
    """Return a time as a clock shows it.

    Examples
    --------
    >>> clock_text(7.9), clock_text(3725)
    ('0:07', '1:02:05')
    """
    minutes, rest = divmod(int(max(0.0, seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


OFTEN, SELDOM = 0.2, 10.0
"""Seconds between two lines where one takes the place of the other, and where they stay."""

_CELLS = 20
"""The width of the bar."""


class StatusLine:
    """One line that says what is being done, for notebooks and terminals; in a pipe a line now and then.

    It is a function, to be given as ``progress``, and within ``with`` it also shows what is done before growing.

    Parameters
    ----------
    stream : optional
        Where it is written; standard output by default.

    Examples
    --------
    >>> from structtree import fit, load_dataset
    >>> trains = load_dataset("trains")
    >>> with StatusLine() as status:
    ...     model = fit(trains.population, trains.target, "trains", progress=status)
    growing ...
    """

    def __init__(self, stream: IO[str] | None = None) -> None:
        self.stream = stream or sys.stdout
        self.is_live = self.stream.isatty() or "ipykernel" in type(self.stream).__module__
        self._began = self._shown = time.monotonic()
        self._last: Status | None = None
        self._width = 0
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        self._stack.enter_context(telling(self))
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()
        if self._last is not None:
            self._write(self._last, end="\n")

    def __call__(self, progress: HasStatus) -> None:
        """Show some progress, unless something was shown a moment ago."""
        self._last = progress.doing
        now = time.monotonic()
        if now - self._shown >= (OFTEN if self.is_live else SELDOM):
            self._shown = now
            self._write(self._last, end="" if self.is_live else "\n")

    def _write(self, doing: Status, end: str) -> None:
        text = _status_text(doing, time.monotonic() - self._began)
        padded = text.ljust(self._width) if self.is_live else text
        self._width = len(text)
        self.stream.write(f"\r{padded}{end}" if self.is_live else f"{padded}{end}")
        self.stream.flush()


def _status_text(doing: Status, seconds: float) -> str:
    share = min(1.0, doing.done / doing.total) if doing.total else None
    bar = "" if share is None else "━" * round(_CELLS * share) + "┄" * (_CELLS - round(_CELLS * share))
    percent = "" if share is None else f"{share:.0%}"
    left = "" if doing.seconds_left is None else f"at most {clock_text(doing.seconds_left)} left"
    parts = (f"{doing.what} {bar} {percent}".strip(), *doing.facts, clock_text(seconds), left)
    return ", ".join(filter(None, parts))
