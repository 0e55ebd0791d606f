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
"""Share of a time limit that is left for learning however long reading has taken."""

MIN_LEARNING_SECONDS = 0.3
"""And not less than this."""


class LearningTime(NamedTuple):
    """The clock of learning, and a remark if reading has taken most of the time."""

    clock: Clock
    remarks: tuple[Remark, ...] = ()


def reading_time(clock: Clock) -> AbstractContextManager[None]:
    """Return a block in which links are followed until half of the time limit is over; reading is not cut short."""
    return limited(clock.part(clock.left() / 2))


def time_for_learning(clock: Clock) -> LearningTime:
    """Return a clock of what reading has left of a time limit, with a remark if that is less than half."""
    limit = clock.seconds
    if limit is None:
        return LearningTime(clock)
    spent, left = clock.spent(), max(clock.left(), MIN_LEARNING_SHARE * limit, MIN_LEARNING_SECONDS)
    found = Clock(left, clock.stop)
    if spent <= limit / 2 or clock.stop.pressed:
        return LearningTime(found)
    remark = Remark(
        f"reading the data took {seconds_text(spent)} s of the time limit of {limit:g} s, which leaves "
        f"{seconds_text(left)} s for learning; a longer {option_text('time_limit')} gives more"
    )
    return LearningTime(found, (remark,))
