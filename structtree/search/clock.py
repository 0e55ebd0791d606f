"""One clock for all that a piece of work takes: a limit in seconds, and Ctrl-C.

Whoever works long asks `Clock.over` between steps of a few hundredths of a second, and returns the best so far. A
part of the work gets a part of the time (`Clock.part`), and hears Ctrl-C as the whole does; see
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
    """Time limit of a piece of work, and Ctrl-C.

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
        """Return why to stop now, if so."""
        if self.stop.pressed:
            return "interrupt"
        return "time" if self.left() <= 0 else None

    def part(self, seconds: float) -> Clock:
        """A clock for a part of the work, which ends after so many seconds or with the whole."""
        most = min(seconds, self.left())
        return Clock(None if most == inf else max(0.0, most), self.stop)
