"""A round of the fuzzer: one law, one seed, some cases; what fails is shrunk."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis.errors import UnsatisfiedAssumption

from tests.deterministic import ALWAYS
from tests.fuzz.laws import Case, Failure, Law

FUZZING = settings(
    ALWAYS,
    derandomize=False,
    verbosity=Verbosity.quiet,
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)


@dataclass(frozen=True, slots=True)
class Round:
    """What became of a round: the number of cases checked, of those passed over, and the failure if there is one."""

    checked: int
    passed_over: int
    failure: Failure | None


def run_round(law: Law, seed: int, begin: Callable[[Case], None] = lambda _: None, *, shrink: bool = True) -> Round:
    """Try the cases that a seed stands for.

    Parameters
    ----------
    law : Law
    seed : int
    begin : function
        Told each case before it is checked, so that one that takes the process down is known.
    shrink : bool
        Whether to look for a smaller case that fails in the same way.
    """
    counts = {"checked": 0, "passed over": 0}
    failed: list[Case] = []

    @hypothesis.seed(seed)
    @settings(FUZZING, max_examples=law.round, phases=(Phase.generate, *[Phase.shrink] * shrink))
    @given(law.cases)
    def check(case: Case) -> None:
        case = json.loads(json.dumps(case))  # what is replayed is what is in the file
        begin(case)
        try:
            law.check(case)
        except UnsatisfiedAssumption:
            counts["passed over"] += 1
            raise
        except BaseException:
            failed[:] = [case]
            raise
        counts["checked"] += 1

    failure = None
    try:
        check()
    except Exception as error:
        failure = Failure.of(law.name, seed, failed[0] if failed else None, error)
    return Round(counts["checked"], counts["passed over"], failure)
