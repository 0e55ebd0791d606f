"""The clock: parts of a limit, and Ctrl-C as a flag."""

from __future__ import annotations

import signal
import threading

import pytest

from structtree.interrupts import stoppable
from structtree.search import clock as module
from structtree.search.clock import Clock, Stop


@pytest.fixture
def at(monkeypatch):
    """Set the time."""
    moment = [0.0]
    monkeypatch.setattr(module, "now", lambda: moment[0])
    return lambda seconds: moment.__setitem__(0, seconds)


def test_a_part_ends_after_its_seconds_or_with_the_whole(at):
    whole = Clock(10.0)
    at(4.0)
    short, long = whole.part(2.0), whole.part(100.0)
    assert (short.left(), long.left()) == (2.0, 6.0)
    at(6.5)
    assert short.over() == "time"
    assert long.over() is None
    at(10.0)
    assert long.over() == whole.over() == "time"


def test_without_a_limit_nothing_is_ever_over_but_by_ctrl_c(at):
    clock = Clock()
    at(1e9)
    assert clock.over() is None
    assert clock.part(float("inf")).seconds is None
    part = clock.part(5.0)
    clock.stop.presses = 1
    assert part.over() == clock.over() == "interrupt"


def test_the_first_ctrl_c_raises_a_flag_and_the_second_an_exception():
    with stoppable() as stop:
        signal.raise_signal(signal.SIGINT)
        assert stop.pressed
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_who_listens_to_ctrl_c_already_goes_on_to():
    heard = []
    before = signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    try:
        with stoppable() as stop:
            signal.raise_signal(signal.SIGINT)
        assert heard and not stop.pressed
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_have_a_flag_of_their_own():
    found = []

    def work():
        with stoppable() as stop:
            found.append(stop)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert isinstance(found[0], Stop) and not found[0].pressed
