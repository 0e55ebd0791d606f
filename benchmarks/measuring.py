"""What several benchmarks measure in the same way."""

from __future__ import annotations

import re
import resource
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numba.core import event

__all__ = ["Timed", "peak_megabytes", "timed_after_compiling"]


@dataclass(frozen=True, slots=True, eq=False)
class Timed:
    """A result, and the seconds it took."""

    result: Any
    seconds: float


def timed_after_compiling(action: Callable[[], Any]) -> Timed:
    """Run something, and leave out the seconds that numba compiled, which it does once after an installation."""
    with event.install_recorder("numba:compile") as recorder:  # type: ignore[no-untyped-call]  # numba has no types
        started = time.perf_counter()
        result = action()
        seconds = time.perf_counter() - started
    return Timed(result, seconds - _seconds_within(recorder.buffer))


def _seconds_within(moments: list[tuple[float, event.Event]]) -> float:
    """The time between events that begin and end, those inside others not counted again."""
    spent, since, depth = 0.0, 0.0, 0
    for moment, happened in moments:
        depth += 1 if happened.is_start else -1
        if happened.is_start and depth == 1:
            since = moment
        elif depth == 0:
            spent += moment - since
    return spent


def peak_megabytes() -> float:
    """The most memory that this process has had so far.

    Where Linux tells, it is that of this program alone: what `resource` says begins with that of the process that
    started it.
    """
    status = Path("/proc/self/status")
    found = re.search(r"VmHWM:\s*(\d+) kB", status.read_text()) if status.exists() else None
    return int(found[1]) / 1024 if found else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
