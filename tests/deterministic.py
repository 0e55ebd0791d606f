"""Hypothesis without chance: the same examples on every run, for the tests, and for each seed of the fuzzer."""

from __future__ import annotations

from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

ALWAYS = settings(
    derandomize=True, database=None, deadline=None, print_blob=False, suppress_health_check=[HealthCheck.too_slow]
)
"""What holds for every property test: nothing depends on a seed, a stored example or a clock."""


def ignore_imported_constants() -> None:
    """Keep Hypothesis from drawing constants of the modules imported so far: those depend on which tests ran before.

    There is no setting for this; in versions that do not look for such constants it changes nothing.
    """
    none = getattr(providers, "_local_constants", None)
    providers._get_local_constants = lambda: none
