"""Packed files: unpacked a block at a time, and refused with their size where memory or disk would be filled."""

from __future__ import annotations

import gzip
import re
import shutil
import sqlite3
import tracemalloc
from collections import namedtuple
from contextlib import closing

import pytest

from structtree.data.readers import text_files as textfiles
from structtree.data.readers.databases.sqlite_files import read_sqlite
from structtree.data.readers.sources import read_data
from structtree.errors import DataError

MEGABYTE = 1 << 20


@pytest.fixture
def large(tmp_path):
    """A packed database of 32 megabytes, nearly all of them of a table that is gone."""
    path = tmp_path / "large.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "CREATE TABLE t(x INTEGER); INSERT INTO t VALUES (1), (2); CREATE TABLE gone(b BLOB);"
            f"INSERT INTO gone VALUES (zeroblob({32 * MEGABYTE})); DROP TABLE gone;"
        )
    packed = path.with_name("large.sqlite.gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    return packed


def test_a_packed_database_is_not_unpacked_in_memory(large):
    tracemalloc.start()
    try:
        database = read_sqlite(large)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert database.tables["t"].sheet.n_rows == 2
    assert peak < 16 * MEGABYTE


def test_a_packed_database_that_the_disk_has_no_room_for_is_refused_with_its_size(large, monkeypatch):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(1 << 40, 1 << 40, 1000))
    message = r"large.sqlite.gz: unpacks to at least 1,048,576 bytes, too many for .*; unpack it"
    with pytest.raises(DataError, match=message):
        read_sqlite(large)


def test_a_packed_file_that_is_no_database_is_refused_before_it_is_unpacked(tmp_path, monkeypatch):
    path = tmp_path / "a.sqlite.gz"
    path.write_bytes(gzip.compress(b"a,b\n" * 1000))
    monkeypatch.setattr(textfiles, "_BLOCK", None)  # nothing is copied
    with pytest.raises(DataError, match="not an SQLite database: it is text that starts with 'a,b'"):
        read_sqlite(path)


@pytest.mark.parametrize("name", ["a.csv.gz", "a.jsonl.gz", "a.pl.gz", "a.arff.gz"])
def test_packed_text_that_is_far_larger_than_its_file_is_refused_with_its_size(tmp_path, monkeypatch, name):
    monkeypatch.setattr(textfiles, "_LARGE", MEGABYTE)
    path = tmp_path / name
    path.write_bytes(gzip.compress(b"a,b\n" * MEGABYTE))
    message = f"unpacks from {path.stat().st_size:,} to 4,194,304 bytes, which looks like a mistake; if it is correct"
    with pytest.raises(DataError, match=re.escape(message)):
        read_data(path)
