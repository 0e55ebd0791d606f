"""Shared by all tests: Hypothesis profiles, a clock that does not depend on the machine, and the real data sets."""

from __future__ import annotations

import os
import signal
import stat
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings
from typer.main import get_command

from tests.deterministic import ALWAYS, ignore_imported_constants

settings.register_profile("quick", ALWAYS, max_examples=60)
settings.register_profile("thorough", ALWAYS, max_examples=1000)
settings.load_profile(os.environ.get("STRUCTTREE_HYPOTHESIS", "quick"))
ignore_imported_constants()

REPOSITORY = Path(__file__).resolve().parent.parent
SHARED = REPOSITORY.parent / "shared" / "data"


class TickingClock:
    """Time that moves on by a step whenever somebody looks at it."""

    def __init__(self, step: float) -> None:
        self.step = step
        self.seconds = 0.0

    def __call__(self) -> float:
        self.seconds += self.step
        return self.seconds


def pytest_configure():
    """Hear Ctrl-C, which is ignored by what a script starts in the background."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def ticking(monkeypatch):
    """A function from a step in seconds to the clock by which all time limits of the test go."""

    def start(step: float) -> TickingClock:
        clock = TickingClock(step)
        monkeypatch.setattr("structtree.search.clock.now", clock)
        return clock

    return start


@pytest.fixture(autouse=True, scope="session")
def own_cache(tmp_path_factory):
    """The user's cache is not touched by tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(autouse=True, scope="session")
def own_width():
    """What is printed is as wide as in a pipe, however wide the terminal of the tests is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("COLUMNS", raising=False)
        yield


@pytest.fixture(autouse=True, scope="session")
def commands_built_once():
    """Build the command line once: typer's runner does so for each command, which takes longer than most run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("typer.testing._get_command", cache(get_command))
        yield


@pytest.fixture
def shared_data():
    """A function from a name such as ``trains/eastwest20_facts.pl`` to its path; skips when it is absent."""

    def find(name: str) -> Path:
        path = SHARED / name
        if not path.exists():
            pytest.skip(f"the real data set {name} is not beside this checkout (expected {path})")
        return path

    return find


@pytest.fixture
def device(tmp_path):
    """A function from ``full`` or ``null`` to such a device, which is nobody else's if tests run as the superuser.

    Whoever may replace the real one by a file must not be led into temptation.
    """
    numbers = {"null": (1, 3), "full": (1, 7)}

    def make(name: str) -> Path:
        real, own = Path("/dev") / name, tmp_path / f"{name}-device"
        if not real.is_char_device():
            pytest.skip(f"this system has no {real}")
        if os.geteuid() != 0:
            return real
        try:
            os.mknod(own, stat.S_IFCHR | 0o666, os.makedev(*numbers[name]))
            own.open("wb").close()
        except OSError as error:
            pytest.skip(f"the superuser cannot make a device here: {error}")
        return own

    return make
