"""Commands whose files or output cannot be read or written: one sentence, exit code 1, nothing half-written."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE

import pytest

from tests.cli.forked_commands import CLOSED
from tests.conftest import REPOSITORY

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")

FULL = "/dev/full"
NO_SPACE = "No space left on device"


@contextmanager
def open_folder():
    """A folder that everyone may look into, as pytest's own are not."""
    with tempfile.TemporaryDirectory(prefix="structtree-test-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


PRINTING = (
    "fit {0}/a.csv --target y",
    "fit {0}/a.csv --target y --json",
    "fit {0}/a.csv --target y -o -",
    "predict {0}/m.json {0}/a.csv",
    "predict {0}/m.json {0}/a.csv -o -",
    "show {0}/m.json",
    "show {0}/m.json --format rules",
    "show {0}/m.json --json",
    "explain {0}/m.json {0}/a.csv",
    "cv {0}/a.csv --target y --folds 2 --repeats 1",
    "effort {0}/a.csv --target y --criterion gini",
    "data info {0}/a.csv",
    "data convert {0}/a.csv -",
    "datasets",
    "datasets --json",
    "grammar check {0}/g.grammar --data {0}/a.csv",
    "grammar show {0}/g.grammar",
    "grammar count {0}/g.grammar --data {0}/a.csv",
    "grammar derive {0}/a.csv --target y",
    "grammar derive {0}/a.csv --target y -o -",
    "--help",
    "--version",
    "fit --help",
)

WRITING = (
    "fit {0}/a.csv --target y -o {1}.json",
    "predict {0}/m.json {0}/a.csv -o {1}.csv",
    "data convert {0}/a.csv {1}.jsonl",
    "data convert {0}/a.csv {1}.jsonl.gz",
    "grammar derive {0}/a.csv --target y -o {1}.grammar",
    "grammar draw {0}/g.grammar --data {0}/a.csv -o {1}.svg",
    "grammar draw {0}/g.grammar --data {0}/a.csv -o {1}.png",
    "grammar draw {0}/g.grammar --data {0}/a.csv -o {1}.dot",
    "effort {0}/a.csv --target y --criterion gini --plot {1}.svg",
)


def args(command, *places):
    return [word.format(*places) for word in command.split()]


@pytest.fixture(scope="module")
def place():
    """A folder with data, a model and a grammar."""
    with open_folder() as folder:
        (folder / "a.csv").write_text("x,y\n" + "".join(f"{i},{'no' if i < 20 else 'yes'}\n" for i in range(40)))
        yield folder


@pytest.fixture(scope="module")
def outcomes(place, tmp_path_factory):
    """A function from cases to what became of them, each run in a fork of one program that knows all commands."""
    made = [f"fit {place}/a.csv --target y -o {place}/m.json"]
    made += [f"grammar derive {place}/a.csv --target y -o {place}/g.grammar"]
    written = tmp_path_factory.mktemp("warm") / "out"
    known = [args(c, place, written) for c in WRITING] + [args(c, place, place) for c in READING]
    program = [sys.executable, "-m", "tests.cli.forked_commands", json.dumps([*map(str.split, made), *known])]
    # From the folder of the repository, so that its package is the one that is tested.
    with subprocess.Popen(program, stdin=PIPE, stdout=PIPE, text=True, cwd=REPOSITORY) as process:

        def run(cases):
            process.stdin.write(json.dumps(cases) + "\n")
            process.stdin.flush()
            return json.loads(process.stdout.readline())

        yield run
        process.stdin.close()


def sentence_of(outcome, command):
    """Return the one sentence of a command that failed as it should."""
    assert outcome["code"] == 1, (command, outcome)
    assert "Traceback" not in outcome["err"], (command, outcome["err"])
    said = [line for line in outcome["err"].splitlines() if line.startswith("error: ")]
    assert len(said) == 1, (command, outcome["err"])
    return said[0].removeprefix("error: ")


def needs_full():
    if not Path(FULL).is_char_device():
        pytest.skip(f"this system has no {FULL}")


def needs_root():
    if os.geteuid() != 0:
        pytest.skip("only the superuser can become nobody, for whom permissions count")


def test_a_full_disk_behind_standard_output(place, outcomes):
    needs_full()
    found = outcomes([{"args": args(command, place), "stdout": FULL} for command in PRINTING])
    for command, outcome in zip(PRINTING, found, strict=True):
        said = sentence_of(outcome, command)
        assert said in (f"cannot write to standard output: {NO_SPACE}", f"cannot write standard output: {NO_SPACE}")
    assert Path(FULL).is_char_device()


def test_a_pipe_that_nobody_reads_is_silent(place, outcomes):
    found = outcomes([{"args": args(command, place), "stdout": CLOSED} for command in PRINTING])
    for command, outcome in zip(PRINTING, found, strict=True):
        assert outcome["code"] == 1, (command, outcome)
        assert "rror" not in outcome["err"], (command, outcome)


def test_a_full_disk_behind_a_file_leaves_no_part_of_it(place, tmp_path, outcomes):
    commands = [args(command, place, tmp_path / "out") for command in WRITING]
    found = outcomes([{"args": command, "most_bytes": 64} for command in commands])
    for command, outcome in zip(commands, found, strict=True):
        assert sentence_of(outcome, command) == f"cannot write {command[-1]}: File too large"
    assert list(tmp_path.iterdir()) == []
    assert "x >=" in found[0]["out"] or "x <" in found[0]["out"], "the tree itself is not lost"


def test_devices_are_written_to_and_not_replaced(place, device, outcomes):
    full, null = device("full"), device("null")
    commands = [
        f"fit {place}/a.csv --target y -o",
        f"predict {place}/m.json {place}/a.csv -o",
        f"data convert {place}/a.csv",
        f"grammar derive {place}/a.csv --target y -o",
    ]
    found = outcomes([{"args": [*command.split(), str(full)]} for command in commands])
    for command, outcome in zip(commands, found, strict=True):
        assert sentence_of(outcome, command) == f"cannot write {full}: {NO_SPACE}"
    found = outcomes([{"args": [*command.split(), str(null)]} for command in commands])
    assert [outcome["code"] for outcome in found] == [0] * len(found)
    assert full.is_char_device()
    assert null.is_char_device()


def test_the_path_of_standard_output_gets_everything_in_order(place, tmp_path, outcomes):
    same = tmp_path / "stdout"
    same.symlink_to("/proc/self/fd/1")
    if not same.exists():
        pytest.skip("this system has no /proc/self/fd")
    commands = [f"predict {place}/m.json {place}/a.csv -o {same}", f"data convert {place}/a.csv {same}"]
    found = outcomes([{"args": command.split()} for command in commands])
    assert [outcome["code"] for outcome in found] == [0, 0], found
    assert found[0]["out"].count("\n") == 41
    *lines, last = found[1]["out"].splitlines()
    assert len([json.loads(line) for line in lines]) == 41
    assert last.startswith("wrote 40 individuals")
    assert same.is_symlink()


def test_a_model_on_standard_output_is_alone_there(place, outcomes):
    (found,) = outcomes([{"args": ["fit", str(place / "a.csv"), "--target", "y", "-o", "-"]}])
    assert found["code"] == 0
    assert json.loads(found["out"])["target"] == "y"
    assert "training data" in found["err"]


@pytest.mark.parametrize("command", ["fit {0}/a.csv --target y -o - --json", "data convert {0}/a.csv - --json"])
def test_two_results_on_standard_output_are_refused(place, command, outcomes):
    (found,) = outcomes([{"args": args(command, place)}])
    assert found["code"] == 2
    assert "both write to standard output" in found["err"]


READING = (
    "fit {1}/a.csv --target y",
    "predict {0}/m.json {1}/a.csv",
    "predict {1}/m.json {0}/a.csv",
    "show {1}/m.json",
    "explain {1}/m.json {0}/a.csv",
    "cv {1}/a.csv --target y --folds 2 --repeats 1",
    "effort {1}/a.csv --target y --criterion gini",
    "data info {1}/a.csv",
    "data convert {1}/a.csv -",
    "grammar check {1}/g.grammar",
    "grammar derive {1}/a.csv",
    "fit {0}/a.csv --target y --grammar {1}/g.grammar",
)


def close_copy(place, closed, *, of_folder):
    """Copy the files so that nobody but the owner may read them, or look for them."""
    for file in place.iterdir():
        (closed / file.name).write_bytes(file.read_bytes())
        (closed / file.name).chmod(0o644 if of_folder else 0o600)
    closed.chmod(0o600 if of_folder else 0o755)


@pytest.mark.parametrize("of_folder", [True, False], ids=["folder", "file"])
def test_what_may_not_be_read_is_named(place, of_folder, outcomes):
    needs_root()
    with open_folder() as closed:
        close_copy(place, closed, of_folder=of_folder)
        commands = [args(command, place, closed) for command in READING]
        cases = [{"args": command, "nobody": True} for command in commands]
        for command, outcome in zip(commands, outcomes(cases), strict=True):
            assert str(closed) in sentence_of(outcome, command)


@pytest.mark.parametrize("mode", [0o600, 0o555], ids=["no search", "read only"])
def test_a_folder_that_may_not_be_written_to_is_named_and_stays_empty(place, tmp_path, mode, outcomes):
    needs_root()
    with open_folder() as closed:
        closed.chmod(mode)
        commands = [args(command, place, closed / "out") for command in WRITING]
        cases = [{"args": command, "nobody": True} for command in commands]
        for command, outcome in zip(commands, outcomes(cases), strict=True):
            assert sentence_of(outcome, command).startswith(f"cannot write {closed}/out")
        assert list(closed.iterdir()) == []


def test_commands_that_are_suggested_can_be_pasted(tmp_path, outcomes):
    data, model = tmp_path / "my data.csv", tmp_path / "it's a model.json"
    data.write_text("x,y\n1,a\n2,b\n3,a\n4,b\n")
    (fitted,) = outcomes([{"args": ["fit", str(data), "--target", "y", "-o", str(model)]}])
    hint = fitted["out"].partition("use it with: ")[2].splitlines()[0]
    assert shlex.split(hint) == ["structtree", "predict", str(model), "DATA"]
