"""The time limit of a session, which covers both reading and learning."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import NamedTuple

from structtree.interrupts import limited
from structtree.remarks import Remark, option_text
from structtree.reprs import seconds_text
from structtree.search.clock import Clock

__all__ = ["LearningTime", "reading_time", "time_for_learning"]

MIN_LEARNING_SHARE = 0.1
"""Fraction of the time limit that is reserved for learning, however long reading took."""

MIN_LEARNING_SECONDS = 0.3
"""Minimum number of seconds for learning."""


class LearningTime(NamedTuple):
    """Clock for learning, with a remark if reading took most of the time."""

    clock: Clock
    remarks: tuple[Remark, ...] = ()


def reading_time(clock: Clock) -> AbstractContextManager[None]:
    """Return a context that limits following links to half of the time left."""
    return limited(clock.part(clock.left() / 2))


def time_for_learning(clock: Clock) -> LearningTime:
    """Return a clock with the remaining time, and a remark if reading took more than half of the limit."""
    limit = clock.seconds
    if limit is None:
        return LearningTime(clock)
    spent, left = clock.spent(), max(clock.left(), MIN_LEARNING_SHARE * limit, MIN_LEARNING_SECONDS)
    found = Clock(left, clock.stop)
    if spent <= limit / 2 or clock.stop.pressed:
        return LearningTime(found)
    remark = Remark(
        f"reading the data took {seconds_text(spent)} s of the time limit of {limit:g} s, which leaves "
        f"{seconds_text(left)} s for learning; to allow more, increase {option_text('time_limit')}"
    )
    return LearningTime(found, (remark,))
