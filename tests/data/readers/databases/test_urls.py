"""Databases by URL: the same populations as from files, nothing written, no secret shown."""

from __future__ import annotations

import json
import sqlite3
import sys
import uuid
from datetime import date
from decimal import Decimal

import pytest

from structtree import Population, open_data
from structtree.data.provenance import provenance_of
from structtree.data.readers.databases.addresses import is_url, shown_url
from structtree.data.readers.databases.keys import RowFilter
from structtree.data.readers.databases.reading import linked_database
from structtree.data.readers.databases.sqlite_files import read_sqlite
from structtree.data.readers.databases.urls import from_sqlalchemy, read_url, reflect
from structtree.data.readers.sources import read_data
from structtree.errors import DataError, MissingFileError, MissingPackageError, StructtreeError, UsageError
from tests.cli.test_commands import succeed
from tests.cli.test_odd_databases import SHOP
from tests.data.bank import write_bank, write_large_bank
from tests.data.sameness import same_population

alchemy = pytest.importorskip("sqlalchemy")


@pytest.fixture
def bank(tmp_path):
    return write_bank(tmp_path / "bank.sqlite")


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def url_of(path):
    return f"sqlite:///{path}"


def by_reflection(path, **options):
    """Read a file through SQLAlchemy, like a server."""
    choice = RowFilter(options["individual"], options["condition"]) if "condition" in options else None
    with alchemy.create_engine(url_of(path)).connect() as connection:
        return linked_database(reflect(connection, "the server", choice), options)


def in_order(population):
    """Return the schema in an order independent of that of the tables."""
    return {
        record.name: (
            {attribute.name: attribute for attribute in record.attributes},
            {link.name: link for link in record.links},
        )
        for record in population.schema.types
    }


# ---- the same as without SQLAlchemy ----------------------------------------------------------------------


@pytest.mark.parametrize("individual", ["loan", "account", "client", "card"])
def test_a_url_an_engine_and_a_connection_give_the_population_of_the_file(bank, individual):
    expected = read_data(bank, individual=individual)
    engine = alchemy.create_engine(url_of(bank))
    before = contents(bank.parent)
    with engine.connect() as connection:
        found = [
            Population.from_database(url_of(bank), individual=individual),
            open_data(url_of(bank), individual=individual).population,
            Population.from_database(engine, individual=individual),
            Population.from_database(connection, individual=individual),
        ]
        assert not connection.in_transaction()
    assert all(same_population(each, expected) for each in found)
    assert contents(bank.parent) == before


@pytest.mark.parametrize("individual", ["loan", "account", "client", "card"])
def test_sqlalchemy_reflects_what_the_file_reader_finds(bank, individual):
    expected, found = read_data(bank, individual=individual), by_reflection(bank, individual=individual)
    assert in_order(found) == in_order(expected)
    assert [found.record(i, depth=3) for i in range(len(found))] == [
        expected.record(i, depth=3) for i in range(len(expected))
    ]
    assert "views are not read: rich" in provenance_of(found).relations.remarks


def test_keys_with_unusual_names_are_reflected(tmp_path):
    (tmp_path / "shop.sqlite").write_bytes(SHOP)
    mine = read_sqlite(tmp_path / "shop.sqlite")
    with alchemy.create_engine(url_of(tmp_path / "shop.sqlite")).connect() as connection:
        theirs = reflect(connection, "the shop")
    assert set(theirs.tables) == set(mine.tables)
    for name, table in mine.tables.items():
        other = theirs.tables[name]
        assert (other.key, set(other.unique), list(other.sheet.columns)) == (
            table.key,
            set(table.unique),
            list(table.sheet.columns),
        )
    said = {(key.table, key.columns, key.to) for key in mine.foreign_keys}
    assert {(key.table, key.columns, key.to) for key in theirs.foreign_keys} == said


def test_the_values_of_servers_become_columns(tmp_path):
    path = tmp_path / "a.db"
    with sqlite3.connect(path) as connection:
        connection.executescript(
            """
            CREATE TABLE p(id SERVERUUID PRIMARY KEY, seal SERVERBYTES UNIQUE, word SERVERTEXT);
            CREATE TABLE c(p SERVERUUID REFERENCES p(id), cost SERVERNUMERIC, n SERVERNUMERIC, huge SERVERNUMERIC,
                day SERVERDATE, good SERVERBOOL, parts SERVERARRAY, blob SERVERBYTES, none INTEGER);
            INSERT INTO p VALUES ('1', 'a', 'x%s :y'), ('2', 'b', NULL);
            INSERT INTO c VALUES ('2', '1.50', '3', '99999999999999999999', '2020-01-31', '1', '1', 'a', NULL),
                ('1', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
                ('9', '2.25', '4', '1', '2021-01-31', '', '2', 'b', NULL);
            """
        )
    connection.close()
    made = {
        "SERVERUUID": lambda cell: uuid.UUID(int=int(cell)),
        "SERVERBYTES": memoryview,
        "SERVERNUMERIC": lambda cell: Decimal(cell.decode()),
        "SERVERDATE": lambda cell: date.fromisoformat(cell.decode()),
        "SERVERBOOL": bool,
        "SERVERARRAY": lambda cell: [int(cell)],
    }
    for name, convert in made.items():
        sqlite3.register_converter(name, convert)
    engine = alchemy.create_engine(url_of(path), connect_args={"detect_types": sqlite3.PARSE_DECLTYPES})
    with engine.connect() as connection:
        database = reflect(connection, "the server")
    found = linked_database(database, {"individual": "c"})
    kinds = {attribute.name: attribute.kind for attribute in found.schema.type("c").attributes}
    assert kinds == {"cost": "real", "n": "int", "huge": "nominal", "day": "date", "good": "bool", "none": "int"}
    assert database.unread == {
        "c.parts": "column of unsupported values",
        "c.blob": "binary column",
        "p.seal": "binary column",
    }
    assert found.record(0)["cost"] == 1.5 and found.record(0)["n"] == 3 and found.record(0)["good"] is True
    assert found.record(1)["p"]["word"] == "x%s :y"
    assert "p" not in found.record(2)  # because it dangles


# ---- conditions, and read-only access --------------------------------------------------------------------


@pytest.mark.parametrize("condition", ["amount > 60", "note = 'a;b' OR note LIKE 'th%'", "status = 'A' AND (1=1)"])
def test_the_database_evaluates_a_condition(bank, condition):
    expected = read_data(bank, individual="loan", condition=condition)
    for found in (
        Population.from_database(url_of(bank), individual="loan", condition=condition),
        by_reflection(bank, individual="loan", condition=condition),
    ):
        assert [found.record(i, depth=1) for i in range(len(found))] == [
            expected.record(i, depth=1) for i in range(len(expected))
        ]


MORE = "it must be a single condition"


@pytest.mark.parametrize(
    ("condition", "says"),
    [
        ("absent > 5", "no such column: absent"),
        ("amount > 5, 1", 'near ","|row value misused'),
        ("count(*) > 1", "it must apply to single rows"),
        ("1=1); DELETE FROM loan; SELECT (1=1", MORE),
        ("1=1; DELETE FROM loan", MORE),
        ("1=1) THEN 1 END INTO x FROM loan UNION SELECT CASE WHEN (1=1", MORE),
        ("1=1 --", MORE),
        ("1=1 /* '*/ ) '", MORE),
        ("note = 'it\\' OR (1=1", MORE),
        ("note = 'open", MORE),
        ("note = $$'$$", MORE),
    ],
)
def test_sql_beyond_a_condition_is_rejected(bank, condition, says):
    before = contents(bank.parent)
    with pytest.raises(DataError, match=says) as caught:
        by_reflection(bank, individual="loan", condition=condition)
    assert "is not valid for loan" in str(caught.value) and "\n" not in str(caught.value)
    assert contents(bank.parent) == before


def test_an_open_transaction_stays_open(bank):
    with alchemy.create_engine(url_of(bank)).connect() as connection:
        connection.exec_driver_sql("UPDATE loan SET amount = 1000 WHERE loan_id = 100")
        found = Population.from_database(connection, individual="loan")
        assert found.record(0)["amount"] == 1000 and connection.in_transaction()
        connection.rollback()
    assert read_data(bank, individual="loan").record(0)["amount"] == 50.5


# ---- wrong inputs, and secrets ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("postgres://ann:secret@host/bank", "has no dialect 'postgres' (did you mean 'postgresql'?)"),
        ("nosuch://ann:secret@host/bank", "has no dialect 'nosuch'"),
        ("postgresql://ann:secret", "postgresql://ann:*** is not a valid URL; expected a URL such as postgresql://"),
        ("sqlite://", "sqlite:// has no file name"),
        ("sqlite:///bank.sqlite?mode=secret", "remove ?mode"),
    ],
)
def test_an_invalid_url_is_rejected_without_showing_its_password(bank, monkeypatch, url, says):
    monkeypatch.chdir(bank.parent)
    for read in (open_data, Population.from_database):
        with pytest.raises(StructtreeError) as caught:
            read(url)
        assert says in str(caught.value)
        assert "secret" not in str(caught.value) and "\n" not in str(caught.value)


def test_a_missing_driver_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg2", None)
    with pytest.raises(DataError, match="the driver psycopg2 is not installed") as caught:
        read_url("postgresql+psycopg2://ann:secret@host/bank")
    assert "secret" not in str(caught.value)


def test_an_unreachable_database_is_reported_without_its_password():
    def refuse():
        raise sqlite3.OperationalError("no route for ann with secret\nand more")

    engine = alchemy.create_engine("mysql+pymysql://ann:secret@host/bank", module=sqlite3, creator=refuse)
    with pytest.raises(DataError) as caught:
        from_sqlalchemy(engine)
    assert "the database cannot be read: no route for ann with ***" in str(caught.value)
    assert "secret" not in str(caught.value)


def test_a_missing_file_is_not_created(tmp_path):
    lost = tmp_path / "lost.db"
    for source in (url_of(lost), alchemy.create_engine(url_of(lost))):
        with pytest.raises(MissingFileError, match="there is no file"):
            Population.from_database(source)
    assert not list(tmp_path.iterdir())


def test_without_sqlalchemy_its_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    with pytest.raises(MissingPackageError, match=r"pip install 'structtree\[sqlalchemy\]'"):
        read_url("sqlite:///bank.db")


def test_options_for_files_are_rejected(bank):
    with pytest.raises(UsageError, match=r"format is for files, and sqlite:.* is the URL of a database"):
        open_data(url_of(bank), format="sqlite")
    with pytest.raises(UsageError, match="delimiter does not apply to a URL"):
        open_data(url_of(bank), delimiter=",")


def test_other_urls_are_not_database_urls():
    assert not is_url("https://a.org/b.csv") and not is_url("C:/b.csv")
    with pytest.raises(MissingFileError, match="neither a file nor a dataset"):
        open_data("https://a.org/b.csv")


@pytest.mark.parametrize("end", ["", "/bank", ":5432/bank", "/bank?password=secret"])
def test_shown_urls_contain_no_secrets(end):
    for password in ("secret", "se/secret", "se@secret", "se:secret", "secret?"):
        assert "secret" not in shown_url(f"postgresql+psycopg://ann:{password}@host{end}")


# ---- the command line ------------------------------------------------------------------------------------


def test_commands_accept_urls_and_models_remember_reading_options(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_large_bank(tmp_path / "bank.db")
    told = succeed("fit", "sqlite:///bank.db", "--individual", "loan", "--target", "status", "-o", "m.json", "--json")
    assert json.loads(told)["data"] == "sqlite:///bank.db"
    assert "Source: sqlite:///bank.db" in succeed("data", "info", "sqlite:///bank.db", "--individual", "loan")
    mine = succeed("predict", "m.json", "sqlite:///bank.db")
    assert mine == succeed("predict", "m.json", "bank.db", "--individual", "loan")
    assert json.loads((tmp_path / "m.json").read_text())["reading"]["ending"] == "://"


def test_a_duckdb_url_reads_the_file(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "a.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE p(id INTEGER PRIMARY KEY, v INTEGER)")
        connection.execute("INSERT INTO p VALUES (1, 5), (2, 6)")
    found = Population.from_database(f"duckdb:///{path}", individual="p", condition="v > 5")
    assert same_population(found, read_data(path, individual="p", condition="v > 5")) and len(found) == 1
