"""Laws that are broken in every way, for the tests of the fuzzer itself."""

from __future__ import annotations

import os
import signal
import time

from hypothesis import strategies as st

from tests.fuzz.laws import law

numbers = st.fixed_dictionaries({"number": st.integers(0, 10**6)})


@law("sound", numbers, round=20, quick=5)
def sound(case):
    assert case["number"] >= 0


@law("broken", numbers, round=50, quick=5)
def broken(case):
    assert case["number"] < 1000


@law("crashing", numbers, round=5, quick=5)
def crashing(case):
    os.kill(os.getpid(), signal.SIGSEGV)


@law("endless", numbers, round=5, quick=5)
def endless(case):
    time.sleep(600)
