"""What is written: whole or not at all, and never in place of what is no regular file."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from structtree.errors import MissingFileError
from structtree.files import check_writable, is_stream, replacing


def write(path, text="new"):
    with replacing(path) as draft:
        draft.write_text(text)


def test_a_new_file_has_the_usual_permissions(tmp_path):
    write(tmp_path / "a.txt")
    (tmp_path / "plain").touch()
    assert (tmp_path / "a.txt").read_text() == "new"
    assert (tmp_path / "a.txt").stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755, 0o666])
def test_a_file_keeps_its_permissions_when_it_is_replaced(tmp_path, mode):
    path = tmp_path / "a.txt"
    path.write_text("old")
    path.chmod(mode)
    write(path)
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("new", mode)


@pytest.mark.parametrize("exists", [True, False])
def test_behind_a_symbolic_link_its_target_is_replaced(tmp_path, exists):
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / "a.txt", tmp_path / "link.txt"
    if exists:
        target.write_text("old")
    link.symlink_to(Path("there") / "a.txt")
    write(link)
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert [file.name for file in (tmp_path / "there").iterdir()] == ["a.txt"]


def test_a_pipe_is_written_to(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()))
    reader.start()
    write(pipe)
    reader.join()
    assert got == ["new"]
    assert pipe.is_fifo()


def test_a_device_is_written_to(device):
    null = device("null")
    write(null)
    assert null.is_char_device()


def test_a_full_device_is_told_of_and_stays_a_device(device):
    full = device("full")
    with pytest.raises(MissingFileError, match=f"^cannot write {full}: No space left on device$"):
        write(full)
    assert full.is_char_device()


def test_a_dash_is_standard_output(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    print("before")
    write("-")
    assert capsys.readouterr().out == "before\nnew"
    assert list(tmp_path.iterdir()) == []


def test_a_read_only_file_is_refused_whoever_asks(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    path.chmod(0o444)
    with pytest.raises(MissingFileError, match=r"a\.txt: it is read-only$"):
        write(path)
    assert path.read_text() == "old"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("folder", "it is a folder"),
        ("missing/a.txt", "folder .*missing does not exist"),
        ("a.txt/b.txt", "folder .*a.txt does not exist"),
        ("x" * 300, "File name too long"),
        ("loop", "Too many levels of symbolic links"),
    ],
)
def test_what_cannot_be_written_is_refused_before_the_work(tmp_path, name, words):
    (tmp_path / "folder").mkdir()
    (tmp_path / "a.txt").write_text("old")
    (tmp_path / "loop").symlink_to("loop")
    for refused in (check_writable, write):
        with pytest.raises(MissingFileError, match=f"^cannot write .*: {words}"):
            refused(tmp_path / name)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.txt", "folder", "loop"]


def test_nothing_is_left_of_what_was_not_finished(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError), replacing(path) as draft:
        draft.write_text("half")
        _ = 1 / 0
    with pytest.raises(MissingFileError, match=r"a\.txt: No space left on device$"), replacing(path) as draft:
        raise OSError(28, "No space left on device", str(draft))
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("a.txt", "old")]


def draft_of_a_killed_process(path):
    """Kill a process while it writes a file, and return what it leaves."""
    program = f"""
import os, signal
from structtree.files import replacing
with replacing({str(path)!r}) as draft:
    draft.write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == -signal.SIGKILL
    return {file for file in path.parent.iterdir() if file.name.startswith(".a.structtree-")}


def test_what_a_killed_process_has_left_is_removed_by_the_next_one(tmp_path):
    path, own = tmp_path / "a.txt", tmp_path / ".a-20240101.txt"
    path.write_text("old")
    own.touch()
    assert len(draft_of_a_killed_process(path)) == 1
    assert path.read_text() == "old"
    assert len(draft_of_a_killed_process(path)) == 1  # not two
    write(path)
    assert {file.name for file in tmp_path.iterdir()} == {"a.txt", own.name}
    assert path.read_text() == "new"


def test_a_file_that_is_being_written_is_left_to_its_writer(tmp_path):
    path = tmp_path / "a.txt"
    with replacing(path) as first:
        first.write_text("first")
        with replacing(path) as second:
            second.write_text("second")
        assert path.read_text() == "second"
        assert first.read_text() == "first"
    assert path.read_text() == "first"
    assert [file.name for file in tmp_path.iterdir()] == ["a.txt"]


def test_regular_files_and_missing_ones_are_no_streams(tmp_path):
    (tmp_path / "a").touch()
    (tmp_path / "b").symlink_to("a")
    assert [is_stream(tmp_path / name) for name in ("a", "b", "missing")] == [False] * 3
    assert is_stream("/dev/null")
