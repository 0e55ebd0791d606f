"""One clock for all that a piece of work takes: a limit in seconds, and Ctrl-C.

Whoever works long asks `Clock.over` between steps of a few hundredths of a second, and returns the best so far. A
part of the work gets a part of the time (`Clock.part`), and hears Ctrl-C as the whole does. The first Ctrl-C only
raises a flag, so that it can come at any moment, also inside compiled code, without tearing anything; the second ends
the program as usual.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import inf
from types import FrameType
from typing import Literal

from structtree.search.kernels.compiling import now

__all__ = ["Clock", "Stop", "stoppable"]


@dataclass(slots=True, eq=False)
class Stop:
    """A flag that Ctrl-C raises."""

    pressed: bool = False

    def press(self, number: int = signal.SIGINT, frame: FrameType | None = None) -> None:
        """Raise the flag; the second time, stop at once."""
        if self.pressed:
            raise KeyboardInterrupt
        self.pressed = True


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
    listening = signal.getsignal(signal.SIGINT)
    outer = getattr(listening, "__self__", None)
    if isinstance(outer, Stop):
        yield outer
        return
    stop = Stop()
    if threading.current_thread() is not threading.main_thread() or listening is not signal.default_int_handler:
        yield stop
        return
    signal.signal(signal.SIGINT, stop.press)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, listening)


@dataclass(frozen=True, slots=True)
class Clock:
    """How long a piece of work may take.

    Parameters
    ----------
    seconds : float, optional
        From the start; None is no limit. Compiling does not count.
    stop : Stop
        What Ctrl-C raises.

    Examples
    --------
    >>> clock = Clock(60.0)
    >>> clock.over() is None, clock.part(0.0).over()
    (True, 'time')
    """

    seconds: float | None = None
    stop: Stop = field(default_factory=Stop)
    started: float = field(default_factory=lambda: now())

    def spent(self) -> float:
        """Seconds since the start."""
        return now() - self.started

    def left(self) -> float:
        """Seconds until the limit, infinite without one; below 0 when it is past."""
        return inf if self.seconds is None else self.seconds - self.spent()

    def over(self) -> Literal["time", "interrupt"] | None:
        """Why to stop now, if so."""
        if self.stop.pressed:
            return "interrupt"
        return "time" if self.left() <= 0 else None

    def part(self, seconds: float) -> Clock:
        """A clock for a part of the work, which ends after so many seconds or with the whole."""
        most = min(seconds, self.left())
        return Clock(None if most == inf else max(0.0, most), self.stop)
