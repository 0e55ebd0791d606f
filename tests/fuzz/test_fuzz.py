"""The laws of the fuzzer on a few cases that are always the same, the failures that it once found, and the fuzzer."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from importlib import import_module

import pytest

from tests.conftest import REPOSITORY
from tests.fuzz import toy_laws
from tests.fuzz.__main__ import MODULES
from tests.fuzz.laws import FAILURES, Law, laws_in, replay
from tests.fuzz.rounds import run_round

LAWS = laws_in(*map(import_module, MODULES))
FOUND = sorted(FAILURES.glob("*.json"))


def ready(law):
    """A law whose program is installed; others are skipped."""
    if law.lacking:
        pytest.skip(f"{law.name} needs {law.lacking}")
    return law


@pytest.mark.parametrize("name", sorted(LAWS))
def test_a_law_holds(name):
    law = ready(LAWS[name])
    done = run_round(replace(law, round=law.quick), seed=0)
    assert done.failure is None, f"{done.failure.error}\n{json.dumps(done.failure.case)}"
    assert done.checked > 0


@pytest.mark.parametrize("path", FOUND, ids=[path.stem for path in FOUND])
def test_what_once_failed_does_not_fail_again(path):
    ready(LAWS[json.loads(path.read_text(encoding="utf-8"))["law"]])
    failure = replay(path, LAWS)
    assert failure is None, failure.error


def test_laws_have_names_of_their_own():
    found = [
        law.name for module in map(import_module, MODULES) for law in vars(module).values() if isinstance(law, Law)
    ]
    assert len(set(found)) == len(LAWS)


# ---- the fuzzer -----------------------------------------------------------------------------------------


def fuzz(folder, *words):
    """What the fuzzer prints about laws that are broken, and its exit code."""
    command = [sys.executable, "-m", "tests.fuzz", "--modules", "tests.fuzz.toy_laws", "--failures", str(folder)]
    done = subprocess.run(
        [*command, "--seed", "1", *words], capture_output=True, text=True, cwd=REPOSITORY, check=False
    )
    assert done.stderr == ""
    return done.returncode, done.stdout


def test_a_failure_is_made_small_and_can_be_replayed(tmp_path):
    code, told = fuzz(tmp_path, "--law", "broken", "--rounds", "3")
    assert code == 1
    (path,) = tmp_path.iterdir()
    assert json.loads(path.read_text())["case"] == {"number": 1000}
    assert replay(path, laws_in(toy_laws)).place.startswith("AssertionError at toy_laws.py:broken")
    assert "make fuzz SEED=1 LAW=broken ROUNDS=1" in told
    assert re.search(r"\d+ +0 +3  in all; 1 different failures\n$", told)


def test_a_sound_law_ends_well(tmp_path):
    code, told = fuzz(tmp_path, "--law", "sound", "--rounds", "4", "--jobs", "2")
    assert code == 0
    assert told.startswith("seed 1; to repeat this run: make fuzz SEED=1\n")
    assert re.search(r"\n +80 +0 +0  in all; 0 different failures\n$", told)
    assert list(tmp_path.iterdir()) == []


def test_a_case_that_crashes_is_a_failure_and_others_go_on(tmp_path):
    code, told = fuzz(tmp_path, "--law", "crashing", "--law", "sound", "--rounds", "6")
    assert code == 1
    assert "the process ended with code -11" in told
    (path,) = tmp_path.iterdir()
    assert json.loads(path.read_text())["case"].keys() == {"number"}
    assert re.search(r"\n +[1-9]\d* +0 +0  sound\n", told)


def test_a_case_that_hangs_is_a_failure(tmp_path):
    code, told = fuzz(tmp_path, "--law", "endless", "--rounds", "1", "--seconds", "5")
    assert code == 1
    assert "in endless\n" in told
    assert "a case took too long" in told
    (path,) = tmp_path.iterdir()
    assert json.loads(path.read_text())["case"].keys() == {"number"}


def test_a_seed_stands_for_its_cases():
    def cases(seed):
        found = []
        run_round(toy_laws.sound, seed, found.append)
        return found

    assert cases(3) == cases(3) != cases(4)
