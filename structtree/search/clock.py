"""A clock with a time limit that also reports Ctrl-C.

Long computations call `Clock.over` every few hundredths of a second, and return the best result so far when it is
over. A part of the work can get a part of the time (`Clock.part`); Ctrl-C stops all parts. See
`structtree.interrupts`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import Literal

from structtree.interrupts import Stop
from structtree.search.kernels.compiling import now

__all__ = ["Clock", "Stop"]


@dataclass(frozen=True, slots=True)
class Clock:
    """Time limit for some work, which Ctrl-C also ends.

    Parameters
    ----------
    seconds : float, optional
        The limit, counted from the start; None for no limit. Compilation does not count.
    stop : Stop
        The flag set by Ctrl-C.

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
        """Return the seconds since the start."""
        return now() - self.started

    def left(self) -> float:
        """Return the seconds until the limit; infinite without a limit, negative after it."""
        return inf if self.seconds is None else self.seconds - self.spent()

    def over(self) -> Literal["time", "interrupt"] | None:
        """Return the reason to stop now ("time" or "interrupt"), or None to continue."""
        if self.stop.pressed:
            return "interrupt"
        return "time" if self.left() <= 0 else None

    def part(self, seconds: float) -> Clock:
        """Return a clock for a part of the work, limited to the given seconds and by this clock."""
        most = min(seconds, self.left())
        return Clock(None if most == inf else max(0.0, most), self.stop)
