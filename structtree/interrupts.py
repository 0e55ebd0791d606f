"""Ctrl-C as a flag: work ends in order, with the best result so far.

Inside of `stoppable` the first Ctrl-C only raises a flag, so that it can come at any moment, also inside compiled
code; whoever works long looks at the flag between steps and returns the best so far. The second Ctrl-C is a
`KeyboardInterrupt` as usual.

The command line listens from its first moment on (`listening`), and has little patience: where the flag is not
answered in time, because something works that does not look at it, the work is cut short by a `KeyboardInterrupt`
after all, and whoever can return something nevertheless says so by `cut_short`.

Nothing heavy is imported here, since the command line needs it before anything else.
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
    "cut_short",
    "leave",
    "limited",
    "listening",
    "stoppable",
]

EXIT_CODE = 130
"""Of a command that was stopped by Ctrl-C: 128 and the number of the signal."""

PATIENCE = 1.2
"""Seconds after which a command that does not answer is cut short; what is left of two seconds is for saving."""

LAST_PATIENCE = 0.3
"""Seconds between one attempt to end a command and the next, rougher one."""


class Limit(Protocol):
    """Limit of long work, which asks between two steps whether to stop.

    `structtree.search.clock.Clock` is one. Readers and the space of predicates, which come before the search, know no
    more of it than this.
    """

    def over(self) -> Literal["time", "interrupt"] | None:
        """Return why to stop now with what there is; None to go on."""


class _NoLimit:
    def over(self) -> None:
        return None


NO_LIMIT: Limit = _NoLimit()
"""For work that is done to its end."""

UNTIMED_CELLS = 1_000_000
"""Values that are always prepared, whatever the limit: they take no noticeable time, and a search needs tests."""


class Preparation:
    """Work that is prepared in steps until a limit is over, but never less than `UNTIMED_CELLS` values.

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
        """Return whether to skip a step that would look at some values."""
        self._n_cells += cells
        return self._n_cells > UNTIMED_CELLS and self._limit.over() is not None


_CURRENT: ContextVar[Limit] = ContextVar("limit", default=NO_LIMIT)


@contextmanager
def limited(limit: Limit) -> Iterator[None]:
    """Set the limit of whatever is read in this block; `current_limit` returns it.

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
    """Return the limit of the block of `limited` that this is called in, or none."""
    return _CURRENT.get()


class Stop:
    """A flag that Ctrl-C raises.

    Parameters
    ----------
    patience : float, optional
        After so many seconds without an answer the work is cut short; never by default.

    Attributes
    ----------
    presses : int
        How often Ctrl-C came.
    blocks : int
        How many `stoppable` blocks are entered; outside of them Ctrl-C is a `KeyboardInterrupt`.
    answered : bool
        Whether somebody has taken it upon them to end the work; nothing is cut short from then on.
    is_overdue : bool
        Whether the work was cut short.
    """

    __slots__ = ("answered", "blocks", "is_overdue", "patience", "presses")

    def __init__(self, patience: float | None = None) -> None:
        self.patience = patience
        self.presses = 0
        self.blocks = 0
        self.answered = False
        self.is_overdue = False

    @property
    def pressed(self) -> bool:
        """True if the work should stop."""
        return self.presses > 0

    def press(self, number: int = signal.SIGINT, frame: FrameType | None = None) -> None:
        """Raise the flag; the second time, and where nobody looks at it, stop at once."""
        self.presses += 1
        is_first = self.presses == 1 and self.blocks > 0
        if self.patience is not None:
            _silence()
            _remind(self.patience if is_first else LAST_PATIENCE)
        if not is_first:
            raise KeyboardInterrupt

    def lose_patience(self, number: int = 0, frame: FrameType | None = None) -> None:
        """Cut the work short if nobody has answered; after a second Ctrl-C, end the program."""
        if self.presses > 1:
            os._exit(EXIT_CODE)
        if self.presses and not self.answered:
            self.is_overdue = self.blocks > 0
            raise KeyboardInterrupt


@contextmanager
def stoppable() -> Iterator[Stop]:
    """While this lasts, the first Ctrl-C raises a flag and the second a `KeyboardInterrupt`.

    Inside of another such block the flag is the outer one's. Outside of the main thread, and where somebody else
    listens to Ctrl-C, nothing changes.

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
def cut_short(stop: Stop) -> Iterator[None]:
    """A block that may be left in the middle when patience is over; what comes after it makes do with what there is.

    A second Ctrl-C goes through. An interrupt of something that is being compiled may arrive as a `SystemError`.

    Examples
    --------
    >>> stop, found = Stop(), []
    >>> stop.presses, stop.is_overdue = 1, True
    >>> with cut_short(stop):
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
        stop.answered = True


def listening() -> Stop:
    """Listen to Ctrl-C until the program ends, with little patience.

    Where Ctrl-C is ignored, as in the background of a shell, it stays so.
    """
    stop = Stop(PATIENCE)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        if hasattr(signal, "setitimer"):
            signal.signal(signal.SIGALRM, stop.lose_patience)
        signal.signal(signal.SIGINT, stop.press)
    return stop


def leave(stop: Stop, code: int) -> NoReturn:
    """End the program now: threads that still work, and whatever would be tidied up, are not waited for.

    After Ctrl-C the exit code says so, up to the last moment.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            with suppress(AttributeError, BrokenPipeError, ValueError):  # closed, or a pipe that nobody reads now
                stream.flush()
        except OSError:  # a full disk, of which was told when something was printed
            code = code or 1
    os._exit(EXIT_CODE if stop.pressed else code)


def _remind(seconds: float) -> None:
    """Have the patience end after so many seconds, and again and again if that was not heard."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds, LAST_PATIENCE)


def _silence() -> None:
    """An interrupt may come where Python can only print it, such as in a callback; the reminder comes anyway."""
    sys.unraisablehook = lambda _: None
