"""A clock that stops while kernels are compiled.

Each kernel is compiled once after an installation, which does not count towards time limits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any

from numba.core import event

__all__ = ["compile_seconds", "now", "when_compiling"]


class _Watch(event.Listener):
    """Event listener that measures the total compile time; nested compilations count once."""

    def __init__(self) -> None:
        self.depth = 0
        self.since = 0.0
        self.spent = 0.0
        self.tell: Callable[[], None] | None = None

    def on_start(self, event: Any) -> None:
        if self.depth == 0:
            self.since = perf_counter()
            if self.tell is not None:
                self.tell()
        self.depth += 1

    def on_end(self, event: Any) -> None:
        self.depth -= 1
        if self.depth == 0:
            self.spent += perf_counter() - self.since


_WATCH = _Watch()
event.register("numba:compile", _WATCH)  # type: ignore[no-untyped-call]  # numba has no types


def now() -> float:
    """Return the time in seconds, without compile time.

    Examples
    --------
    >>> earlier = now()
    >>> now() >= earlier
    True
    """
    moment = perf_counter()
    return (_WATCH.since if _WATCH.depth else moment) - _WATCH.spent


def compile_seconds() -> float:
    """Return the seconds that this process has spent compiling.

    Examples
    --------
    >>> compile_seconds() >= 0
    True
    """
    return _WATCH.spent


@contextmanager
def when_compiling(tell: Callable[[], None]) -> Iterator[None]:
    """Call a function whenever a compilation starts.

    Examples
    --------
    >>> with when_compiling(lambda: print("this takes a while")):
    ...     pass  # nothing is compiled here
    """
    before, _WATCH.tell = _WATCH.tell, tell
    try:
        yield
    finally:
        _WATCH.tell = before
