"""Ctrl-C as a flag, so that long-running work stops cleanly and keeps the best result so far.

Inside `stoppable` the first Ctrl-C only sets a flag, even during compiled code. Long work checks the flag between
steps and returns its best result so far. The second Ctrl-C raises `KeyboardInterrupt` as usual.

The command line installs its handler at startup (`handle_interrupts`). If the flag is not handled within a grace
period, because the running code does not check it, `KeyboardInterrupt` is raised after all; a block that can still
return a result then is marked with `interruptible`.

This module imports nothing expensive, since the command line needs it first.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from types import FrameType
from typing import Literal, NoReturn, Protocol

__all__ = [
    "EXIT_CODE",
    "NO_LIMIT",
    "Limit",
    "Preparation",
    "Stop",
    "current_limit",
    "exit_now",
    "handle_interrupts",
    "interruptible",
    "limited",
    "stoppable",
]

EXIT_CODE = 130
"""Exit code of a command that was stopped by Ctrl-C: 128 plus the signal number."""

GRACE_PERIOD = 1.2
"""Seconds until an unhandled Ctrl-C interrupts a command; the rest of two seconds is for saving."""

RETRY_PERIOD = 0.3
"""Seconds until the next attempt to end a command."""


class Limit(Protocol):
    """Limit on long-running work, checked between steps.

    `structtree.search.clock.Clock` implements it. Readers and the predicate space, which run before the search, use
    only this protocol.
    """

    def over(self) -> Literal["time", "interrupt"] | None:
        """Return the reason to stop now, or None to continue."""


class _NoLimit:
    def over(self) -> None:
        return None


NO_LIMIT: Limit = _NoLimit()
"""Limit that is never over."""

UNTIMED_CELLS = 1_000_000
"""Number of values that are always prepared, since this takes no noticeable time and a search needs tests."""


class Preparation:
    """Preparatory work in steps, which ends at a limit but covers at least `UNTIMED_CELLS` values.

    Examples
    --------
    >>> Preparation(NO_LIMIT).is_over(10**9)
    False
    """

    __slots__ = ("_limit", "_n_cells")

    def __init__(self, limit: Limit) -> None:
        self._limit = limit
        self._n_cells = 0

    def is_over(self, cells: int) -> bool:
        """Return whether to skip a step that reads the given number of values."""
        self._n_cells += cells
        return self._n_cells > UNTIMED_CELLS and self._limit.over() is not None


_CURRENT: ContextVar[Limit] = ContextVar("limit", default=NO_LIMIT)


@contextmanager
def limited(limit: Limit) -> Iterator[None]:
    """Set the limit that `current_limit` returns inside this block.

    Examples
    --------
    >>> with limited(NO_LIMIT):
    ...     current_limit().over()
    """
    token = _CURRENT.set(limit)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def current_limit() -> Limit:
    """Return the limit set by the enclosing `limited` block, `NO_LIMIT` by default."""
    return _CURRENT.get()


class Stop:
    """A flag that is set by Ctrl-C.

    Parameters
    ----------
    grace : float, optional
        Seconds until an unhandled Ctrl-C raises `KeyboardInterrupt`; by default it never does.

    Attributes
    ----------
    presses : int
        Number of times that Ctrl-C was pressed.
    blocks : int
        Number of active `stoppable` blocks; outside of them Ctrl-C raises `KeyboardInterrupt`.
    handled : bool
        Whether the work is being ended; it is not interrupted from then on.
    is_overdue : bool
        Whether the grace period has expired.
    """

    __slots__ = ("blocks", "grace", "handled", "is_overdue", "presses")

    def __init__(self, grace: float | None = None) -> None:
        self.grace = grace
        self.presses = self.blocks = 0
        self.handled = self.is_overdue = False

    @property
    def pressed(self) -> bool:
        """True if the work should stop."""
        return self.presses > 0

    def press(self, number: int = signal.SIGINT, frame: FrameType | None = None) -> None:
        """Set the flag; the second time, or outside `stoppable` blocks, raise `KeyboardInterrupt`."""
        self.presses += 1
        is_first = self.presses == 1 and self.blocks > 0
        if self.grace is not None:
            # Python can only print an interrupt that comes in a callback; the timer raises it again.
            sys.unraisablehook = lambda _: None
            if hasattr(signal, "setitimer"):
                signal.setitimer(signal.ITIMER_REAL, self.grace if is_first else RETRY_PERIOD, RETRY_PERIOD)
        if not is_first:
            raise KeyboardInterrupt

    def expire(self, number: int = 0, frame: FrameType | None = None) -> None:
        """Raise `KeyboardInterrupt` unless Ctrl-C has been handled; after a second Ctrl-C, exit the program."""
        if self.presses > 1:
            os._exit(EXIT_CODE)
        if self.presses and not self.handled:
            self.is_overdue = self.blocks > 0
            raise KeyboardInterrupt


@contextmanager
def stoppable() -> Iterator[Stop]:
    """Make the first Ctrl-C set a flag and the second raise `KeyboardInterrupt` inside this block.

    Nested blocks share the flag of the outermost one. Outside the main thread, or if another handler for Ctrl-C is
    installed, nothing changes.

    Examples
    --------
    >>> with stoppable() as stop, stoppable() as same:
    ...     signal.raise_signal(signal.SIGINT)
    ...     print(stop.pressed, stop is same)
    True True
    """
    before = signal.getsignal(signal.SIGINT)
    outer = getattr(before, "__self__", None)
    if isinstance(outer, Stop):
        outer.blocks += 1
        try:
            yield outer
        finally:
            outer.blocks -= 1
        return
    stop = Stop()
    stop.blocks = 1
    if threading.current_thread() is not threading.main_thread() or before is not signal.default_int_handler:
        yield stop
        return
    signal.signal(signal.SIGINT, stop.press)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def interruptible(stop: Stop) -> Iterator[None]:
    """Leave this block silently when the grace period expires, so that the code after it can use partial results.

    A second Ctrl-C is raised as usual. An interrupt during compilation may arrive as a `SystemError`.

    Examples
    --------
    >>> stop, found = Stop(), []
    >>> stop.presses, stop.is_overdue = 1, True
    >>> with interruptible(stop):
    ...     found.append("something")
    ...     raise KeyboardInterrupt
    >>> found
    ['something']
    """
    try:
        yield
    except (KeyboardInterrupt, SystemError):
        if not stop.is_overdue or stop.presses > 1:
            raise
        stop.handled = True


def handle_interrupts() -> Stop:
    """Handle Ctrl-C with a grace period until the program ends.

    If Ctrl-C is ignored, as in a background job of a shell, it stays ignored.
    """
    stop = Stop(GRACE_PERIOD)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        if hasattr(signal, "setitimer"):
            signal.signal(signal.SIGALRM, stop.expire)
        signal.signal(signal.SIGINT, stop.press)
    return stop


def exit_now(stop: Stop, code: int) -> NoReturn:
    """Exit immediately, without waiting for threads or cleanup; use `EXIT_CODE` after Ctrl-C."""
    for stream in (sys.stdout, sys.stderr):
        try:
            with suppress(AttributeError, BrokenPipeError, ValueError):  # a closed stream or pipe
                stream.flush()
        except OSError:  # a full disk, which was reported when something was printed
            code = code or 1
    os._exit(EXIT_CODE if stop.pressed else code)
