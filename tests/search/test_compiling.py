"""The clock that time limits go by."""

from __future__ import annotations

import time

from numba.core.event import trigger_event

from structtree.search.kernels.compiling import now, when_compiling


def test_the_clock_stands_still_while_something_is_compiled():
    before = now()
    with trigger_event("numba:compile"):
        with trigger_event("numba:compile"):
            time.sleep(0.2)
        during = now()
        time.sleep(0.2)
    assert during - before < 0.1
    assert now() - before < 0.1


def test_otherwise_it_goes_on():
    before = now()
    time.sleep(0.2)
    assert now() - before >= 0.2


def test_whoever_waits_is_told_when_compiling_begins():
    told = []
    with when_compiling(lambda: told.append("begins")):
        with trigger_event("numba:compile"), trigger_event("numba:compile"):
            assert told == ["begins"]
        with trigger_event("numba:compile"):
            assert told == ["begins", "begins"]
    with trigger_event("numba:compile"):
        assert len(told) == 2
