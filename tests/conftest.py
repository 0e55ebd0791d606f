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


SLOW = tuple(
    f"{REPOSITORY}/{name}"
    for name in [
        "docs/graphs.md",
        "docs/notebooks.md",
        "docs/trees.md",
        "tests/auditing/test_audit.py",
        "tests/cli/test_commands.py",
        "tests/cli/test_files.py",
        "tests/cli/test_learning.py",
        "tests/data/datasets/test_files.py",
        "tests/data/readers/graphs/test_reading.py",
        "tests/data/readers/molecules/test_reading.py",
        "tests/data/test_future.py",
        "tests/estimators/test_boosting.py",
        "tests/estimators/test_ensembles.py",
        "tests/learn/test_distilling.py",
        "tests/learn/test_vocabulary.py",
        "tests/estimators/test_estimators.py",
        "tests/estimators/test_features.py",
        "tests/estimators/test_individuals.py",
        "tests/estimators/test_plain_tables.py",
        "tests/estimators/test_signatures.py",
        "tests/export/test_rules.py",
        "tests/export/test_sql.py",
        "tests/export/test_sql_ensembles.py",
        "tests/export/test_sql_features.py",
        "tests/fuzz/test_fuzz.py",
        "tests/golden/test_trees.py",
        "tests/learn/test_rule_lists.py",
        "tests/learn/test_growing.py",
        "tests/learn/test_options.py",
        "tests/learn/test_pruning.py",
        "tests/learn/test_scale.py",
        "tests/models/test_rules.py",
        "tests/properties",
        "tests/report/html",
        "tests/report/pictures",
        "tests/report/test_effort.py",
        "tests/report/test_explain.py",
        "tests/report/test_text.py",
        "tests/search/test_best_split.py",
        "tests/search/test_finder.py",
        "tests/search/test_toy_criteria.py",
        "tests/space/test_count.py",
        "tests/space/test_links.py",
        "tests/space/test_prolog.py",
        "tests/space/test_random_grammars.py",
        "tests/splitters/test_fractional.py",
        "tests/splitters/test_multiway.py",
        "tests/splitters/test_sets.py",
        "tests/test_docs.py",
        "tests/test_examples.py",
        "tests/test_packaging.py",
        "tests/test_reprs.py",
        "tests/export/test_prolog.py",
        "tests/cli/test_databases.py",
        "tests/cli/test_odd_databases.py",
        "tests/cli/test_features.py",
    ]
)
"""Files and folders with more than about four seconds of tests, which `make quick` leaves to `make test`."""


class TickingClock:
    """Time that moves on by a step whenever somebody looks at it."""

    def __init__(self, step: float) -> None:
        self.step = step
        self.seconds = 0.0

    def __call__(self) -> float:
        self.seconds += self.step
        return self.seconds


def pytest_collection_modifyitems(items):
    """Mark the tests of slow files."""
    for item in items:
        if str(item.path).startswith(SLOW):
            item.add_marker(pytest.mark.slow)


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
