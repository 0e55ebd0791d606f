"""What several benchmarks measure in the same way."""

from __future__ import annotations

import re
import resource
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numba.core import event

__all__ = ["CutOff", "Timed", "peak_megabytes", "timed_after_compiling"]

Moments = list[tuple[float, event.Event]]


@dataclass(frozen=True, slots=True, eq=False)
class Timed:
    """A result, and the seconds it took."""

    result: Any
    seconds: float


class CutOff(BaseException):
    """Raised in what takes too long; nothing on the way should take it for an error of its own."""


def timed_after_compiling(action: Callable[[], Any], most_seconds: float) -> Timed:
    """Run something, and leave out the seconds that numba compiled, which it does once after an installation.

    Raises
    ------
    CutOff
        In whatever takes longer, compiling left out here too.
    """
    with event.install_recorder("numba:compile") as recorder:  # type: ignore[no-untyped-call]  # numba has no types
        started = time.time()

        def seconds() -> float:
            return time.time() - started - _seconds_within(recorder.buffer)

        with _looked_after(seconds, most_seconds):
            result = action()
        return Timed(result, seconds())


@contextmanager
def _looked_after(seconds: Callable[[], float], most_seconds: float) -> Iterator[None]:
    """Look at a clock now and then, and raise `CutOff` when it says too much."""

    def look(*_: object) -> None:
        if seconds() > most_seconds:
            raise CutOff

    before = signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, most_seconds, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def _seconds_within(moments: Moments) -> float:
    """The time between events that begin and end, or last until now; those inside others are not counted again."""
    spent, since, depth = 0.0, 0.0, 0
    for moment, happened in moments:
        depth += 1 if happened.is_start else -1
        if happened.is_start and depth == 1:
            since = moment
        elif depth == 0:
            spent += moment - since
    return spent + (time.time() - since if depth else 0.0)


def peak_megabytes() -> float:
    """The most memory that this process has had so far.

    Where Linux tells, it is that of this program alone: what `resource` says begins with that of the process that
    started it.
    """
    status = Path("/proc/self/status")
    found = re.search(r"VmHWM:\s*(\d+) kB", status.read_text()) if status.exists() else None
    return int(found[1]) / 1024 if found else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
