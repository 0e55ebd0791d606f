"""Odd databases and facts on the command line: each is read or rejected in one sentence; files stay unchanged."""

from __future__ import annotations

import gzip
import re
import shlex
import sqlite3
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from structtree import Population, open_data
from structtree.cli import app
from structtree.data.profile import profile
from structtree.data.provenance import provenance_of
from structtree.errors import DataError, option_text
from tests.cli.test_odd_inputs import check_sentence, sentence_in, write
from tests.data.bank import write_large_bank


def database(*statements):
    """Return an SQLite database as bytes; a statement can have rows to execute it with."""
    connection = sqlite3.connect(":memory:")
    for statement in statements:
        if isinstance(statement, str):
            connection.executescript(statement)
        else:
            connection.executemany(*statement)
    connection.commit()
    return connection.serialize()


def people(n=20):
    """Return statements for a table of people with two classes."""
    rows = [(i, i % 7, "ab"[i % 2]) for i in range(n)]
    return "CREATE TABLE t(id INTEGER PRIMARY KEY, x INTEGER, y TEXT)", ("INSERT INTO t VALUES (?, ?, ?)", rows)


SHOP = database(
    "CREATE TABLE customer(id INTEGER PRIMARY KEY, town TEXT, born TEXT, picture BLOB);"
    "CREATE TABLE sale(id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer, price REAL, day DATE, y);"
    "CREATE VIEW dear AS SELECT * FROM sale WHERE price > 5",
    ("INSERT INTO customer VALUES (?, ?, ?, ?)", [(i, "pqr"[i % 3], "2020-02-30", b"\0") for i in range(9)]),
    (
        "INSERT INTO sale VALUES (?, ?, ?, ?, ?)",
        [(i, i % 9, i / 2, f"2024-01-{i + 1:02}", "ab"[i % 2]) for i in range(20)],
    ),
)
SALE = "fit shop.sqlite --individual sale --target y"
ARITY = "".join(f"size(p{i}, {i}).\ngood(p{i}).\n" for i in range(12))
MODELS = "begin(model(1)).\na(x).\npos.\nend(model(1)).\n"

REFUSED = [
    # keys and links to missing tables
    (
        f"{SALE} --link sale.custmer_id=customer.id",
        r"unknown column of sale 'custmer_id' \(did you mean 'customer_id'",
    ),
    (f"{SALE} --link sale.customer_id=custmer.id", r"unknown table 'custmer' \(did you mean 'customer'"),
    (f"{SALE} --link sale.customer_id=customer.nr", r"unknown column of customer 'nr' \(known: 'born', 'id', "),
    (f"{SALE} --link sale.customer_id=dear.id", r"shop.sqlite: dear is a view, and views are not read"),
    (f"{SALE} --key sale.ide", r"unknown column of sale 'ide' \(did you mean 'id'"),
    (f"{SALE} --key sale.y", r"sale.y is not a key: its values are not unique, or some are missing"),
    (f"{SALE} --exclude customer.twon", r"unknown column of customer 'twon' \(did you mean 'town'"),
    ("data info nokey.sqlite", r"the foreign key c.p refers to p, which has no such key.*--exclude c.p"),
    ("data info nowhere.sqlite", r"the foreign key c.p refers to absent.id, which does not exist: .*--exclude c.p"),
    # individuals and targets
    ("fit shop.sqlite --individual sales --target y", r"unknown table 'sales' \(did you mean 'sale'"),
    ("fit shop.sqlite --individual dear --target y", r"dear is a view"),
    ("fit shop.sqlite --individual sale --target z", r"unknown attribute 'z'"),
    ("fit shop.sqlite --individual customer --target picture", r"customer.picture is a binary column"),
    ("fit empty_tables.sqlite --individual t --target y", r"the table t has no rows"),
    ("data info no_tables.sqlite", r"there are no tables"),
    # conditions
    (f"{SALE} --where 'price >'", r"--where 'price >' is not valid for sale"),
    (f"{SALE} --where 'cost > 1'", r"no such column: cost"),
    (f'{SALE} --where "y = \'x"', r"""--where "y = 'x" is not valid for sale: unrecognized token"""),
    (f"{SALE} --where '1), (SELECT 1'", r"expected one condition"),
    (f"{SALE} --where 'sum(price) > 1'", r"it must apply to single rows"),
    (f"{SALE} --where '1) FROM sale; DELETE FROM sale; --'", r"is not valid for sale"),
    (f"{SALE} --where 'price > 1e9'", r"--where matches none of the 20 rows"),
    # invalid dates
    (f"{SALE} --as-of sale.y", r"sale.y is nominal, not a date; to read it as a date: --type sale.y=date"),
    (f"{SALE} --as-of sale.dya", r"unknown date of sale 'dya' \(did you mean 'day'"),
    (
        "fit shop.sqlite --individual customer --target town --as-of customer.since",
        r"customer has no attribute 'since' and no date",
    ),
    (
        f"{SALE} --as-of day --type customer.born=date",
        r"expected a date .*got '2020-02-30' at row 0 of column 'born'",
    ),
    (f"{SALE} --frozen-at 2024-02-30", r"--frozen-at takes a day such as 2010-01-01; got '2024-02-30'"),
    (f"{SALE} --frozen-at '2024-01-02 12:00'", r"--frozen-at takes a day"),
    # files that are not databases
    ("data info text.sqlite", r"text.sqlite: not an SQLite database: it is text that starts with 'hello'"),
    ("data info empty.sqlite", r"empty.sqlite: the file is empty"),
    ("data info folder.sqlite", r"folder.sqlite: the folder contains no"),
    ("data info secret.sqlite", r"has another format or is encrypted"),
    ("data info cut.sqlite", r"truncated after [\d,]+ of [\d,]+ bytes"),
    ("data info stub.sqlite", r"truncated after 30 bytes$"),
    ("data info packed.sqlite.gz", r"cannot be decompressed"),
    ("data info binary.toml.sqlite --schema shop.sqlite", r"shop.sqlite: not a schema file: it is not UTF-8 text"),
    # facts
    ("data info arity.pl", r"arity.pl:25: size has 1 argument here but 2 in the other 12 facts"),
    (
        "data info good.pl --fact 'size(Part)'",
        r"declaration size\(Part\) has 1 argument, but the facts of size have 2",
    ),
    ("data info good.pl --type size=date", r"good.pl:1: expected a date such as 2024-12-31, got 0"),
    ("data info twice.pl", r"twice.pl:5: the interpretation 1 already begins on line 1"),
]

FILES = {
    "shop.sqlite": SHOP,
    "binary.toml.sqlite": SHOP,
    "nokey.sqlite": database("CREATE TABLE p(a INTEGER); CREATE TABLE c(p INTEGER REFERENCES p, y TEXT)"),
    "nowhere.sqlite": database("CREATE TABLE c(p INTEGER REFERENCES absent(id), y TEXT)"),
    "empty_tables.sqlite": database(people()[0]),
    "no_tables.sqlite": database("CREATE VIEW v AS SELECT 1"),
    "text.sqlite": "hello\n" * 50,
    "empty.sqlite": b"",
    "folder.sqlite/readme.txt": "nothing",
    "secret.sqlite": bytes(range(256)) * 32,
    "cut.sqlite": SHOP[: len(SHOP) // 2],
    "stub.sqlite": SHOP[:30],
    "packed.sqlite.gz": gzip.compress(SHOP)[:200],
    "arity.pl": f"{ARITY}size(p1).\n",
    "good.pl": ARITY,
    "twice.pl": f"{MODELS}{MODELS}",
}


def snapshot(folder):
    return {
        path.relative_to(folder): (path.stat().st_mtime_ns, path.is_file() and path.read_bytes())
        for path in folder.rglob("*")
    }


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    folder = tmp_path_factory.mktemp("odd")
    write(folder, FILES)
    return folder


@pytest.mark.parametrize(("command", "says"), REFUSED, ids=[command for command, _ in REFUSED])
def test_odd_databases_are_refused_in_one_sentence_and_left_alone(odd, monkeypatch, command, says):
    monkeypatch.chdir(odd)
    before = snapshot(odd)
    done = CliRunner().invoke(app, shlex.split(command))
    assert done.exception is None or isinstance(done.exception, SystemExit), repr(done.exception)
    assert (done.exit_code, done.stdout) == (1, ""), done.output
    check_sentence(sentence_in(done.stderr), says)
    assert snapshot(odd) == before


def test_a_database_that_another_process_writes_is_refused_and_left_alone(tmp_path):
    path = write_large_bank(tmp_path / "bank.sqlite")
    text = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None); c.execute('BEGIN EXCLUSIVE');"
        "print('ready', flush=True); sys.stdin.read()"
    )
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", text, str(path)], stdin=pipe, stdout=pipe) as writer:
        writer.stdout.readline()
        before = snapshot(tmp_path)
        with pytest.raises(DataError, match="the database is locked: another program is writing to it"):
            open_data(path, individual="loan", target="status")
        assert snapshot(tmp_path) == before
        writer.stdin.close()
    assert len(open_data(path, individual="loan", target="status").population) == 60


def test_a_log_that_was_never_written_back_is_read_where_nothing_may_be_written(tmp_path):
    path = write_large_bank(tmp_path / "bank.sqlite")
    kept = tmp_path / "kept"
    kept.mkdir()
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("PRAGMA journal_mode=WAL")
    writer.execute("INSERT INTO loan VALUES (5000, 1, 1, 'good')")
    for name in ("bank.sqlite", "bank.sqlite-wal"):
        (kept / name).write_bytes((tmp_path / name).read_bytes())
        (kept / name).chmod(0o444)
    writer.close()
    kept.chmod(0o555)
    before = snapshot(kept)
    assert len(open_data(kept / "bank.sqlite", individual="loan", target="status").population) == 61
    assert snapshot(kept) == before
    kept.chmod(0o755)


# ---- odd contents ----------------------------------------------------------------------------------------


def opened(tmp_path, *statements, **options):
    (tmp_path / "a.sqlite").write_bytes(database(*statements))
    return open_data(tmp_path / "a.sqlite", **options).population


def test_whole_numbers_of_64_bits_are_told_apart_as_keys(tmp_path):
    large = 2**62
    found = opened(
        tmp_path,
        "CREATE TABLE p(id INTEGER PRIMARY KEY, v INTEGER); CREATE TABLE c(p_id INTEGER REFERENCES p, text_id TEXT)",
        ("INSERT INTO p VALUES (?, ?)", [(large + i, i) for i in range(20)]),
        ("INSERT INTO c VALUES (?, ?)", [(large + i % 20, str(large + i % 20)) for i in range(50)]),
        individual="c",
        links=["c.text_id=p.id"],
    )
    numbers = [record["p"]["v"] for record in map(found.record, range(50))]
    texts = [record["text"]["v"] for record in map(found.record, range(50))]
    assert numbers == texts == [i % 20 for i in range(50)]


def test_keys_of_bytes_link_and_other_bytes_are_left_out(tmp_path):
    found = opened(
        tmp_path,
        "CREATE TABLE p(id BLOB PRIMARY KEY, v INTEGER, seal BLOB); CREATE TABLE c(p_id BLOB REFERENCES p(id))",
        ("INSERT INTO p VALUES (?, ?, ?)", [(bytes([i]), i, b"\0") for i in range(40)]),
        ("INSERT INTO c VALUES (?)", [(bytes([i % 40]),) for i in range(80)]),
        individual="c",
    )
    assert [found.record(i)["p"]["v"] for i in range(80)] == [*range(40)] * 2
    assert "binary columns are not read: p.seal" in " ".join(provenance_of(found).relations.remarks)


def test_text_that_is_no_utf8_far_down_is_read_as_well_as_can_be(tmp_path):
    rows = [(i, b"\xff" if i == 59_999 else b"ok") for i in range(60_000)]
    found = opened(
        tmp_path,
        "CREATE TABLE t(id INTEGER PRIMARY KEY, x TEXT)",
        ("INSERT INTO t VALUES (?, CAST(? AS TEXT))", rows),
    )
    assert found.column("x").categories == ("ok", "\ufffd")


@pytest.mark.parametrize(
    "statements",
    [
        (
            "CREATE TABLE t(a TEXT, b INTEGER, x REAL, PRIMARY KEY (a, b)) WITHOUT ROWID",
            "INSERT INTO t VALUES ('p', 1, 2)",
        ),
        ("CREATE TABLE t(x INTEGER, x2 INTEGER AS (x * 2), x3 INTEGER AS (x * 3) STORED); INSERT INTO t VALUES (1)",),
        ("CREATE TABLE t(x INTEGER); INSERT INTO t VALUES (1); CREATE VIRTUAL TABLE f USING fts5(body)",),
        ("CREATE TABLE t(x); INSERT INTO t VALUES (1), ('a'), (2.5), (NULL), (x'00')",),
        ("CREATE TABLE t(x REAL, z TEXT); INSERT INTO t VALUES (9e999, 'NaN'), (-9e999, 'inf'), (1e308, '1e400')",),
        ("CREATE TABLE t(x TEXT PRIMARY KEY); INSERT INTO t VALUES (NULL), (NULL), ('a')",),
        (
            'CREATE TABLE "select"("from" INTEGER PRIMARY KEY, "a.b" TEXT, "it\'s" TEXT, "größe, ""x""" REAL);'
            "INSERT INTO \"select\" VALUES (1, 'x', 'y', 2.5)",
        ),
        (f"CREATE TABLE t({', '.join(f'c{i} INTEGER' for i in range(1500))})",),
        ("PRAGMA encoding='UTF-16'", *people()),
    ],
    ids=["without rowid", "generated", "virtual", "mixed", "infinite", "no key", "names", "wide", "UTF-16"],
)
def test_what_sqlite_allows_is_read(tmp_path, statements):
    found = opened(tmp_path, *statements)
    for record in found.schema.types:
        for name, column in found.table(record.name).columns.items():
            assert len(column.values) == found.table(record.name).n_rows, name


def test_names_in_a_short_list_are_asked_about_and_names_of_customers_are_not(tmp_path):
    found = opened(
        tmp_path,
        "CREATE TABLE genre(id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE track(genre_id REFERENCES genre, y);"
        "CREATE TABLE buyer(id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE sale(buyer_id INTEGER REFERENCES buyer)",
        ("INSERT INTO genre VALUES (?, ?)", [(i, f"genre {i}") for i in range(25)]),
        ("INSERT INTO track VALUES (?, ?)", [(i % 25, i % 2) for i in range(200)]),
        ("INSERT INTO buyer VALUES (?, ?)", [(i, f"buyer {i}") for i in range(60)]),
        ("INSERT INTO sale VALUES (?)", [(i % 60,) for i in range(300)]),
        individual="track",
    )
    assert ("genre", "name") not in profile(found).identifiers
    everything = open_data(tmp_path / "a.sqlite", individual="sale").population
    assert ("buyer", "name") in profile(everything).identifiers


def test_a_foreign_key_that_differs_by_chance_is_no_primary_key(tmp_path):
    found = opened(
        tmp_path,
        "CREATE TABLE a(id INTEGER PRIMARY KEY, v INTEGER); CREATE TABLE b(id INTEGER PRIMARY KEY, w INTEGER);"
        "CREATE TABLE has(a_id INTEGER REFERENCES a, b_id INTEGER REFERENCES b)",
        ("INSERT INTO a VALUES (?, ?)", [(i, i) for i in range(9)]),
        ("INSERT INTO b VALUES (?, ?)", [(i, i) for i in range(9)]),
        ("INSERT INTO has VALUES (?, ?)", [(i, 8 - i) for i in range(5)]),
        individual="a",
    )
    assert "has" not in found.schema
    assert {link.name: link.kind for link in found.schema.type("a").links} == {"b": "set"}


def test_two_keys_of_several_columns_are_called_after_what_tells_them_apart():
    seasons = [{"year": y, "team": t, "wins": y % 7} for y in range(2000, 2010) for t in "pqr"]
    games = [{"year": 2000 + i % 10, "team_home": "pqr"[i % 3], "team_away": "pqr"[(i + 1) % 3]} for i in range(40)]
    frames = {"season": pd.DataFrame(seasons), "game": pd.DataFrame(games)}
    links = ["game.year,team_home=season.year,team", "game.year,team_away=season.year,team"]
    found = Population.from_database(frames, individual="game", keys=["season.year,team"], links=links)
    assert [link.name for link in found.schema.type("game").links] == ["team_home_season", "team_away_season"]
    assert [link.name for link in found.schema.type("season").links] == ["game_by_team_home", "game_by_team_away"]


@pytest.mark.parametrize(
    ("texts", "kind", "days"),
    [
        (["1978-8-1", "1978-12-31"], "date", [3134, 3286]),
        (["17-MAR-2002", "1 April 2002"], "date", [11763, 11778]),
        (["March 17, 2002", "Apr 1 2002"], "date", [11763, 11778]),
        (["03/17/2002", "4/1/2002 0:00:00"], "date(month-first)", [11763, 11778]),
        (["17.03.2002", "1.4.2002"], "date(day-first)", [11763, 11778]),
    ],
)
def test_text_that_is_dates_of_another_form_is_told_and_read_as_the_user_says(texts, kind, days):
    frame = {"t": pd.DataFrame({"day": [*texts, None] * 9, "x": range(27)})}
    found = Population.from_database(frame)
    assert found.schema.type("t").attribute("day").kind == "nominal"
    told = " ".join(provenance_of(found).relations.remarks)
    assert "t.day has dates such as " in told and option_text("types", {"t.day": kind}) in told
    read = Population.from_database(frame, types={"t.day": kind}).column("day").values
    assert read[:2].tolist() == days and np.isnan(read[2])


def test_a_date_of_zeros_is_missing(tmp_path):
    rows = [("2020-01-05",), ("0000-00-00",), (None,)]
    found = opened(tmp_path, "CREATE TABLE t(day DATE)", ("INSERT INTO t VALUES (?)", rows))
    assert found.schema.type("t").attribute("day").kind == "date"
    assert found.column("day").missing.tolist() == [False, True, True]


# ---- DuckDB ----------------------------------------------------------------------------------------------


@pytest.fixture
def duck(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "a.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE p(id UUID PRIMARY KEY, v INTEGER, seal BLOB, span INTERVAL, clock TIME)")
        connection.execute("CREATE TABLE c(p_id UUID REFERENCES p, y TEXT)")
        for i in range(4):
            name = f"{i:08}-0000-0000-0000-000000000000"
            connection.execute("INSERT INTO p VALUES (?, ?, '\\xAA'::BLOB, INTERVAL 1 DAY, '10:00')", [name, i])
            connection.execute("INSERT INTO c VALUES (?, 'a'), (?, 'b')", [name, name])
    return path


def test_duckdb_is_told_by_its_first_bytes_and_its_uuids_link(duck):
    renamed = duck.with_name("b.sqlite")
    renamed.write_bytes(duck.read_bytes())
    found = open_data(renamed, individual="c", target="y").population
    assert [found.record(i)["p"]["v"] for i in range(8)] == [0, 0, 1, 1, 2, 2, 3, 3]
    assert re.search(r"are not read: .*p.seal", " ".join(provenance_of(found).relations.remarks))
    lite = duck.with_name("c.duckdb")
    lite.write_bytes(SHOP)
    assert open_data(lite, individual="sale", target="y").population.schema.individual == "sale"


@pytest.mark.parametrize(
    ("condition", "says"),
    [
        ("y >", "is not valid for c: "),
        ("1 = 1), (1 = 1", "expected one condition"),
        ("1 = 1) FROM c; COPY c TO 'out.csv'; SELECT *, (1 = 1", "it must be a single condition"),
        ("(SELECT count(*) FROM read_csv('shop.csv')) > 0", "disabled by configuration"),
    ],
)
def test_a_condition_for_duckdb_neither_reads_nor_writes_other_files(duck, monkeypatch, condition, says):
    monkeypatch.chdir(duck.parent)
    (duck.parent / "shop.csv").write_text("x\n1\n")
    before = snapshot(duck.parent)
    with pytest.raises(DataError, match=says) as caught:
        open_data(duck, individual="c", target="y", condition=condition)
    assert "\n" not in str(caught.value) and "Error" not in str(caught.value)
    assert snapshot(duck.parent) == before


def test_a_duckdb_file_that_is_cut_off_is_refused(duck):
    content = duck.read_bytes()
    for n in (20, len(content) // 2):
        duck.write_bytes(content[:n])
        with pytest.raises(DataError, match="the DuckDB database is truncated after"):
            open_data(duck)


def test_dates_among_facts_are_dates():
    facts = "".join(f"made(m{i}, '2020-01-{i + 1:02}'). " for i in range(20))
    found = Population.from_facts(facts, positives="good(m1).", negatives="good(m2).")
    assert found.schema.type(found.schema.individual).attribute("made").kind == "date"
    assert np.isfinite(found.column("made").values).all()
