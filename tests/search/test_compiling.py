"""The clock that time limits go by."""

from __future__ import annotations

import pytest
from numba.core.event import trigger_event

from structtree.search.kernels import compiling
from structtree.search.kernels.compiling import now, when_compiling


@pytest.fixture
def wait(monkeypatch):
    """A function that lets seconds pass."""
    moment = [100.0]
    monkeypatch.setattr(compiling, "perf_counter", lambda: moment[0])
    return lambda seconds: moment.__setitem__(0, moment[0] + seconds)


def test_the_clock_stands_still_while_something_is_compiled(wait):
    before = now()
    with trigger_event("numba:compile"):
        with trigger_event("numba:compile"):
            wait(20.0)
        assert now() == before
        wait(20.0)
    assert now() == before


def test_otherwise_it_goes_on(wait):
    before = now()
    wait(3.0)
    assert now() == before + 3.0


def test_whoever_waits_is_told_when_compiling_begins():
    told = []
    with when_compiling(lambda: told.append("begins")):
        with trigger_event("numba:compile"), trigger_event("numba:compile"):
            assert told == ["begins"]
        with trigger_event("numba:compile"):
            assert told == ["begins", "begins"]
    with trigger_event("numba:compile"):
        assert len(told) == 2
