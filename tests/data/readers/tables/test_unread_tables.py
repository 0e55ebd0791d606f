"""Tables that are excluded are not read, and conditions that never end are stopped."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import threading
from contextlib import closing

import pandas as pd
import pytest

from structtree import Population
from structtree.data.readers.databases import duckdb_files, sqlite_files
from structtree.data.readers.databases.reading import linked_database
from structtree.data.readers.databases.urls import reflect
from structtree.data.readers.sources import read_data
from structtree.errors import DataError, UnknownNameError, UsageError

ENDLESS = "(WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c) > 0"
TABLES = """
    CREATE TABLE account(id INTEGER PRIMARY KEY, town TEXT);
    CREATE TABLE log(id INTEGER PRIMARY KEY, account INTEGER REFERENCES account(id), line TEXT);
    INSERT INTO account VALUES (1, 'Bern'), (2, 'Rome');
"""


def write_damaged(path):
    """Write a database whose table log has pages of nonsense."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(TABLES)
        rows = ((i, 1, "x" * 500) for i in range(1000))
        connection.executemany("INSERT INTO log VALUES (?, ?, ?)", rows)
        connection.commit()
        root = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'log'").fetchone()[0]
        size = connection.execute("PRAGMA page_size").fetchone()[0]
    content = bytearray(path.read_bytes())
    content[(root - 1) * size : root * size] = b"\xff" * size
    path.write_bytes(content)
    return path


def write_duck(path):
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE account(id INTEGER PRIMARY KEY, town TEXT)")
        connection.execute("CREATE TABLE log(account INTEGER, line TEXT)")
        connection.execute("INSERT INTO account VALUES (1, 'Bern'), (2, 'Rome')")
    return path


def write_folder(path):
    path.mkdir()
    (path / "account.csv").write_text("id,town\n1,Bern\n2,Rome\n")
    (path / "log.csv").write_bytes(b"\x00\xff\x00")
    return path


# ---- excluded tables -------------------------------------------------------------------------------------


def test_an_excluded_table_may_be_damaged(tmp_path):
    path = write_damaged(tmp_path / "bank.sqlite")
    with pytest.raises(DataError, match="the SQLite database is damaged"):
        read_data(path, individual="account")
    for source in (path, f"sqlite:///{path}"):
        population = Population.from_database(source, individual="account", exclude=["log"])
        assert population.schema.names == ("account",)
        assert len(population) == 2


def test_a_table_that_a_schema_file_does_not_mention_or_that_is_excluded_from_it_may_be_damaged(tmp_path):
    path, schema = write_damaged(tmp_path / "bank.sqlite"), tmp_path / "schema.toml"
    schema.write_text('[tables.account]\nkey = ["id"]\n')
    assert len(read_data(path, individual="account", schema_file=str(schema))) == 2
    link = '[[tables.account.links]]\ncolumns = ["id"]\nto = "log"\n'
    schema.write_text(f'[tables.account]\nkey = ["id"]\n{link}[tables.log]\nkey = ["id"]\n')
    assert len(read_data(path, individual="account", schema_file=str(schema), exclude=["log"])) == 2


def test_an_excluded_file_of_a_folder_may_be_anything(tmp_path):
    folder = write_folder(tmp_path / "bank")
    with pytest.raises(DataError, match=r"log.csv: a binary file"):
        read_data(folder, individual="account")
    assert len(read_data(folder, individual="account", exclude=["log"], condition="town = 'Bern'")) == 1


def test_a_condition_may_speak_of_an_excluded_file(tmp_path):
    folder = write_folder(tmp_path / "bank")
    (folder / "log.csv").write_text("account,line\n1,x\n")
    condition = "id IN (SELECT account FROM log)"
    assert len(read_data(folder, individual="account", exclude=["log"], condition=condition)) == 1


def test_an_excluded_frame_may_be_anything():
    frames = {"account": pd.DataFrame({"id": [1, 2], "town": ["Bern", "Rome"]}), "log": "no frame"}
    assert len(Population.from_database(frames, individual="account", exclude=["log"])) == 2


def test_duckdb_and_servers_are_not_asked_for_an_excluded_table(tmp_path, monkeypatch):
    duck = write_duck(tmp_path / "bank.duckdb")
    asked = []
    read = duckdb_files._table
    monkeypatch.setattr(duckdb_files, "_table", lambda *args: asked.append(args[3]) or read(*args))
    assert len(read_data(duck, individual="account", exclude=["log"])) == 2
    assert asked == ["account"]
    sqlalchemy = pytest.importorskip("sqlalchemy")
    with sqlalchemy.create_engine(f"sqlite:///{write_damaged(tmp_path / 'bank.sqlite')}").connect() as connection:
        database = reflect(connection, "the server", exclude=["log"])
    assert len(linked_database(database, {"individual": "account", "exclude": ["log"]})) == 2


def test_an_excluded_table_must_be_there_and_not_be_the_individuals(tmp_path):
    path = write_damaged(tmp_path / "bank.sqlite")
    with pytest.raises(UnknownNameError, match=r"unknown table 'lug' .*did you mean 'log'"):
        read_data(path, individual="account", exclude=["log", "lug"])
    with pytest.raises(UsageError, match="log is excluded, but it is the table of the individuals"):
        read_data(path, individual="log", exclude=["log"], condition="line = 'x'")


# ---- conditions that never end ---------------------------------------------------------------------------


@pytest.fixture
def few_steps(monkeypatch):
    monkeypatch.setattr(sqlite_files, "_MOST_STEPS", 3_000_000)


def accounts(kind, folder):
    """The same accounts as a file, a URL, a connection, a folder and frames."""
    match kind:
        case "folder":
            path = write_folder(folder / "bank")
            (path / "log.csv").unlink()
            return path
        case "frames":
            return {"account": pd.DataFrame({"id": [1, 2], "town": ["Bern", "Rome"]})}
    path = folder / "bank.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(TABLES)
    return {"file": path, "url": f"sqlite:///{path}", "connection": sqlite3.connect(path)}[kind]


KINDS = ["file", "url", "connection", "folder", "frames"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_condition_without_end_is_stopped(tmp_path, few_steps, kind):
    message = f"condition='{ENDLESS}' was stopped for account after 3,000,000 steps of SQLite; it may never end"
    with pytest.raises(DataError, match=f"^{re.escape(message)}$"):
        Population.from_database(accounts(kind, tmp_path), individual="account", condition=ENDLESS)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("condition", "why"),
    [
        ("length(zeroblob(2000000000)) > 0", "string or blob too big"),
        ("abs(-9223372036854775808) > 0", "integer overflow"),
    ],
)
def test_a_condition_is_blamed_for_what_cannot_be_computed(tmp_path, kind, condition, why):
    with pytest.raises(DataError, match=f"{re.escape(condition)}.* is not valid for account: {why}$"):
        Population.from_database(accounts(kind, tmp_path), individual="account", condition=condition)


def test_a_damaged_table_is_not_blamed_on_the_condition(tmp_path):
    with pytest.raises(DataError, match="the SQLite database is damaged: database disk image is malformed"):
        read_data(write_damaged(tmp_path / "bank.sqlite"), individual="log", condition="line = 'x'")


def test_ctrl_c_interrupts_a_condition_in_sqlite(tmp_path, monkeypatch):
    def press(self):
        signal.raise_signal(signal.SIGINT)
        return False

    monkeypatch.setattr(sqlite_files._Watch, "__call__", press)
    connection = accounts("connection", tmp_path)
    with pytest.raises(KeyboardInterrupt):
        Population.from_database(connection, individual="account", condition=ENDLESS)
    assert connection.execute("SELECT count(*) FROM account").fetchone() == (2,)  # nothing watches any more


def test_a_condition_without_end_is_stopped_in_duckdb(tmp_path, monkeypatch):
    monkeypatch.setattr(duckdb_files, "_MOST_SECONDS", 0.05)
    with pytest.raises(DataError, match=r"was stopped for account after 0\.05 seconds; it may never end$"):
        read_data(write_duck(tmp_path / "bank.duckdb"), individual="account", condition=ENDLESS)


def test_ctrl_c_interrupts_a_condition_in_duckdb(tmp_path):
    path = write_duck(tmp_path / "bank.duckdb")
    with pytest.raises(KeyboardInterrupt):
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
        read_data(path, individual="account", condition=ENDLESS)
