"""Databases as linked columns: types, links, names, options given by the user, and files that stay unchanged."""

from __future__ import annotations

import gzip
import shutil
import sqlite3

import pandas as pd
import pytest

from structtree import Population, open_data
from structtree.data.provenance import provenance_of
from structtree.data.readers.sources import read_data
from structtree.errors import DataError, StructtreeError, UnknownNameError, UsageError
from tests.data.bank import fill, write_bank


@pytest.fixture
def bank(tmp_path):
    return write_bank(tmp_path / "bank.sqlite")


def links_of(population, name):
    return {link.name: (link.kind, link.target) for link in population.schema.type(name).links}


def attributes_of(population, name):
    return {attribute.name: attribute.kind for attribute in population.schema.type(name).attributes}


def remarks_of(population):
    return " ".join(provenance_of(population).relations.iter_notes())


def database(*statements):
    connection = sqlite3.connect(":memory:")
    for statement in statements:
        connection.executescript(statement)
    return connection


# ---- types and links -------------------------------------------------------------------------------------


def test_a_table_becomes_a_type_and_a_foreign_key_two_links(bank):
    population = read_data(bank, individual="loan")
    assert population.schema.individual == "loan"
    assert set(population.schema.names) == {"district", "account", "client", "loan", "card"}
    assert links_of(population, "loan") == {"account": ("one", "account"), "card": ("optional", "card")}
    assert links_of(population, "account")["loan"] == ("set", "loan")
    assert population.record(1, depth=1) == {
        "amount": 200.0,
        "status": "B",
        "note": "second",
        "account": {
            "opened": population.row("account", 0)["opened"],
            "loan": "...",
            "district": "...",
            "client": "...",
        },
        "card": {"kind": "gold", "loan": "..."},
    }


def test_keys_are_not_attributes_and_dates_in_text_are_dates(bank):
    population = read_data(bank, individual="loan")
    assert attributes_of(population, "loan") == {"amount": "real", "status": "nominal", "note": "nominal"}
    assert attributes_of(population, "account") == {"opened": "date"}
    assert attributes_of(population, "client") == {"born": "date"}


def test_a_dangling_reference_is_optional_and_counted(bank):
    population = read_data(bank, individual="account")
    assert links_of(population, "account")["district"] == ("optional", "district")
    assert population.table("account").links["district"].lengths.tolist() == [1, 1, 0, 0]
    assert "account.district_id matches no row of district in 1 of 4 rows" in remarks_of(population)
    with pytest.raises(DataError, match=r"account.district_id matches no row of district in 1 of 4 rows.*strict"):
        read_data(bank, individual="account", strict=True)


def test_a_self_reference_has_a_name_in_each_direction(bank):
    population = read_data(bank, individual="client")
    found = links_of(population, "client")
    assert found["introduced_by"] == ("optional", "client")
    assert found["client_by_introduced_by"] == ("set", "client")
    introduced = population.table("client").links["client_by_introduced_by"]
    assert introduced.of(0).tolist() == [1, 2]


def test_a_join_table_becomes_links_between_the_others(bank):
    population = read_data(bank, individual="client")
    assert "disposition" not in population.schema
    assert links_of(population, "client")["account"] == ("set", "account")
    assert population.table("client").links["account"].of(1).tolist() == [0, 1]
    assert population.table("account").links["client"].of(0).tolist() == [0, 1]
    assert "disposition" in read_data(bank, individual="disposition").schema


def test_duplicate_pairs_of_a_join_table_are_used_once_and_reported():
    connection = database(
        "CREATE TABLE a(id INTEGER PRIMARY KEY, x); CREATE TABLE b(id INTEGER PRIMARY KEY, y);"
        "CREATE TABLE ab(a REFERENCES a(id), b REFERENCES b(id));"
        "INSERT INTO a VALUES (1, 5); INSERT INTO b VALUES (1, 6); INSERT INTO ab VALUES (1, 1), (1, 1), (1, NULL)"
    )
    population = Population.from_database(connection, individual="a")
    assert population.table("a").links["b"].targets.tolist() == [0]
    assert "ab has 1 duplicate pair; each is used once" in remarks_of(population)


def test_a_table_joined_with_itself_has_links_in_both_directions():
    connection = database(
        "CREATE TABLE pupil(id INTEGER PRIMARY KEY, grade INTEGER);"
        "CREATE TABLE likes(pupil_id REFERENCES pupil, liked_id REFERENCES pupil, PRIMARY KEY (pupil_id, liked_id));"
        "INSERT INTO pupil VALUES (1, 9), (2, 10); INSERT INTO likes VALUES (1, 2)"
    )
    population = Population.from_database(connection, individual="pupil")
    assert set(links_of(population, "pupil")) == {"likes", "likes_by_liked"}
    assert population.record(0, depth=1)["likes"][0]["grade"] == 10
    assert population.record(1, depth=1)["likes_by_liked"][0]["grade"] == 9


def test_composite_keys_are_compared_jointly_and_their_numbers_remain_attributes():
    connection = database(
        "CREATE TABLE team(year INTEGER, code TEXT, wins INTEGER, PRIMARY KEY (year, code));"
        "CREATE TABLE game(y INTEGER, c TEXT, guests INTEGER, FOREIGN KEY (y, c) REFERENCES team);"
        "INSERT INTO team VALUES (2001, 'A', 3), (2002, 'A', 5), (2001, 'B', 7);"
        "INSERT INTO game VALUES (2002, 'A', 10), (2001, 'B', 20), (2002, 'B', 30), (NULL, 'A', 40)"
    )
    population = Population.from_database(connection, individual="game")
    assert links_of(population, "game") == {"team": ("optional", "team")}
    assert [population.record(i, depth=1).get("team", {}).get("wins") for i in range(4)] == [5, 7, None, None]
    assert attributes_of(population, "game") == {"y": "int", "c": "nominal", "guests": "int"}


def test_two_keys_to_the_same_table_have_different_names():
    connection = database(
        "CREATE TABLE airport(code TEXT PRIMARY KEY, height INTEGER);"
        "CREATE TABLE flight(origin_id TEXT REFERENCES airport, dest_id TEXT REFERENCES airport, delay REAL);"
        "INSERT INTO airport VALUES ('JFK', 13), ('DEN', 5431); INSERT INTO flight VALUES ('JFK', 'DEN', 1.5)"
    )
    population = Population.from_database(connection, individual="flight")
    assert set(links_of(population, "flight")) == {"origin", "dest"}
    assert set(links_of(population, "airport")) == {"flight_by_origin", "flight_by_dest"}


def test_a_key_to_values_that_are_not_unique_becomes_two_sets():
    connection = database(
        "CREATE TABLE song(genre TEXT, plays INTEGER);"
        "CREATE TABLE taste(who TEXT, genre TEXT REFERENCES song(genre));"
        "INSERT INTO song VALUES ('pop', 1), ('pop', 2), ('folk', 3); INSERT INTO taste VALUES ('Ann', 'pop')"
    )
    population = Population.from_database(connection, individual="taste")
    assert links_of(population, "taste") == {"genre": ("set", "song")}
    assert population.table("taste").links["genre"].of(0).tolist() == [0, 1]
    assert "song.genre is not unique" in remarks_of(population)


def test_keys_match_across_storage_types():
    connection = database(
        "CREATE TABLE a(id TEXT PRIMARY KEY, x INTEGER); CREATE TABLE b(a_id INTEGER REFERENCES a(id), y INTEGER);"
        "INSERT INTO a VALUES ('1', 5), ('2', 6); INSERT INTO b VALUES (2, 1), (1.0, 1)"
    )
    assert Population.from_database(connection, individual="b").table("b").links["a"].targets.tolist() == [1, 0]


def test_a_foreign_key_with_few_words_is_also_an_attribute():
    connection = database(
        "CREATE TABLE airline(carrier TEXT PRIMARY KEY, name TEXT);"
        "CREATE TABLE flight(carrier TEXT REFERENCES airline(carrier), delay INTEGER);"
        "INSERT INTO airline VALUES ('UA', 'United'), ('AA', 'American');"
        "INSERT INTO flight VALUES ('UA', 1), ('AA', 2), ('UA', 3), ('AA', 4)"
    )
    population = Population.from_database(connection, individual="flight")
    assert attributes_of(population, "flight") == {"carrier": "nominal", "delay": "int"}
    assert links_of(population, "flight") == {"airline": ("one", "airline")}


def test_names_with_spaces_quotes_umlauts_and_sql_keywords_survive(tmp_path):
    path = tmp_path / "odd ' \" %3f#name.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript(
        'CREATE TABLE "Order Details"("select" INTEGER PRIMARY KEY, "grö""ße in cm" REAL, "it\'s `odd`" TEXT);'
        'CREATE TABLE "group"("from" INTEGER REFERENCES "order details"("SELECT"), "a.b,c" TEXT, "where" TEXT);'
        "INSERT INTO \"Order Details\" VALUES (1, 1.5, 'x'), (2, 2.5, 'y');"
        "INSERT INTO \"group\" VALUES (2, 'p', 'q'), (1, 'r', 'q')"
    )
    connection.close()
    population = read_data(path, individual="group")
    assert attributes_of(population, "Order Details") == {'grö"ße in cm': "real", "it's `odd`": "nominal"}
    assert attributes_of(population, "group") == {"a.b,c": "nominal", "where": "nominal"}
    assert population.record(0, depth=1)["from"]['grö"ße in cm'] == 2.5
    opened = open_data(path, individual="group", target="a.b,c")
    from structtree.lang.default import default_grammar

    default_grammar(opened.population).check(opened.population.schema)


def test_links_avoid_names_that_are_taken():
    connection = database(
        "CREATE TABLE owner(id INTEGER PRIMARY KEY, pet TEXT);"
        "CREATE TABLE pet(id INTEGER PRIMARY KEY, owner TEXT, owner_id INTEGER REFERENCES owner(id));"
        "INSERT INTO owner VALUES (1, 'x'); INSERT INTO pet VALUES (1, 'y', 1)"
    )
    population = Population.from_database(connection, individual="pet")
    assert links_of(population, "pet") == {"owner_id": ("one", "owner")}
    assert links_of(population, "owner") == {"pet_by_owner": ("set", "pet")}


# ---- columns ---------------------------------------------------------------------------------------------


def test_values_decide_the_kind_of_a_column():
    connection = database(
        "CREATE TABLE t(i TEXT, r TEXT, code TEXT, mixed INTEGER, odd INTEGER, flag BOOLEAN, gone REAL, day DATE,"
        "b BLOB);"
        "INSERT INTO t VALUES ('1', '2.5', '007', 1, 3, 1, NULL, '2020-01-31', x'00');"
        "INSERT INTO t VALUES ('12', 'NA', '010', 'x', 'n/a', 0, NULL, '2021-02-28', NULL)"
    )
    population = Population.from_database(connection)
    assert attributes_of(population, "t") == {
        "i": "int",
        "r": "real",
        "code": "nominal",
        "mixed": "nominal",
        "odd": "int" if "n/a" in _missing_words() else "nominal",
        "flag": "bool",
        "gone": "real",
        "day": "date",
    }
    assert "binary columns are not read: t.b" in remarks_of(population)


def _missing_words():
    from structtree.data.readers.text_files import MISSING_WORDS

    return MISSING_WORDS


def test_invalid_utf8_is_replaced():
    connection = database("CREATE TABLE t(x TEXT)")
    connection.execute("INSERT INTO t VALUES (CAST(x'4af6' AS TEXT))")
    assert Population.from_database(connection).record(0) == {"x": "J\ufffd"}


def test_kinds_given_by_the_user_take_precedence(bank):
    population = read_data(bank, individual="loan", types={"loan.account_id": "nominal", "amount": "nominal"})
    assert attributes_of(population, "loan")["account_id"] == "nominal"
    assert attributes_of(population, "loan")["amount"] == "nominal"


# ---- what the user says ----------------------------------------------------------------------------------


def test_a_condition_selects_individuals_and_all_rows_remain_reachable(bank):
    opened = open_data(bank, individual="loan", target="status", condition="amount > 60 AND status IS NOT NULL")
    assert len(opened.population) == 2
    assert opened.target.tolist() == ["B", "A"]
    assert opened.population.table("loan").n_rows == 3
    assert opened.provenance.names == {"loan_id": ["101", "102"]}
    assert opened.rows.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("absent > 1", "no such column"),
        ("amount >", "syntax error"),
        ("amount > 1e9", "matches none of the 3 rows of loan"),
        ("  ", "must be an SQL condition"),
    ],
)
def test_an_invalid_condition_is_rejected(bank, condition, words):
    with pytest.raises(StructtreeError, match=words):
        read_data(bank, individual="loan", condition=condition)


def test_a_condition_requires_the_table_of_individuals(bank):
    with pytest.raises(UsageError, match="individual"):
        read_data(bank, condition="amount > 1")


def test_tables_and_columns_are_excluded(bank):
    population = read_data(bank, individual="loan", exclude=["card", "loan.note", "account.district_id"])
    assert "card" not in population.schema
    assert "note" not in attributes_of(population, "loan")
    assert "district" not in links_of(population, "account")


def test_links_and_keys_given_by_the_user_take_precedence():
    frames = {
        "who": pd.DataFrame({"nr": [5, 6], "age": [30, 40]}),
        "visit": pd.DataFrame({"person": [6, 6, 5], "cost": [1.5, 2.5, 3.5]}),
    }
    plain = Population.from_database(frames, individual="visit")
    assert links_of(plain, "visit") == {}
    population = Population.from_database(frames, individual="visit", keys=["who.nr"], links=["visit.person=who"])
    assert links_of(population, "visit") == {"person": ("one", "who")}
    assert population.record(0, depth=1)["person"]["age"] == 40


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"individual": "lone"}, r"unknown table 'lone' \(did you mean 'loan'"),
        ({"exclude": ["loan.nite"]}, r"unknown column of loan 'nite' \(did you mean 'note'"),
        ({"exclude": ["lone.note"]}, "unknown table 'lone'"),
        ({"exclude": ["note"]}, "write loan.note"),
        ({"keys": ["loan.status"]}, "loan.status is not a key"),
        ({"keys": ["loan"]}, "TABLE.COLUMN"),
        ({"links": ["loan.amount"]}, "TABLE.COLUMN=TABLE.COLUMN"),
        ({"links": ["loan.amount=accounts.account_id"]}, r"unknown table 'accounts' \(did you mean 'account'"),
        ({"links": ["loan.amount=disposition"]}, "disposition has no key"),
        ({"types": {"loan.statu": "nominal"}}, "unknown member 'loan.statu'"),
    ],
)
def test_an_unknown_name_is_rejected_with_a_suggestion(bank, options, words):
    with pytest.raises((DataError, UnknownNameError, UsageError), match=words):
        read_data(bank, **{"individual": "loan", **options})


def test_without_an_individual_the_target_chooses_the_table(bank):
    assert open_data(bank, target="status").population.schema.individual == "loan"
    with pytest.raises(UsageError, match="'account_id' is a column of account, disposition, loan"):
        open_data(bank, target="account_id")
    with pytest.raises(UsageError, match="no table has it"):
        open_data(bank, target="nothing")


def test_a_target_that_is_a_key_is_rejected_with_a_fix(bank):
    with pytest.raises(UsageError, match=r"types={'loan.account_id': 'nominal'}"):
        open_data(bank, individual="loan", target="account_id")
    opened = open_data(bank, individual="loan", target="account_id", types={"loan.account_id": "nominal"})
    assert opened.target.tolist() == ["10", "10", "11"]


# ---- sources ---------------------------------------------------------------------------------------------


def same_schema(first, second):
    return {t.name: (set(t.members), {x.name: x.kind for x in t.attributes}) for t in first.schema.types} == {
        t.name: (set(t.members), {x.name: x.kind for x in t.attributes}) for t in second.schema.types
    }


def test_a_gzipped_file_and_an_open_connection_give_the_same_population(bank, tmp_path):
    whole = read_data(bank, individual="loan")
    packed = tmp_path / "packed.sqlite.gz"
    with bank.open("rb") as source, gzip.open(packed, "wb") as out:
        shutil.copyfileobj(source, out)
    assert same_schema(whole, read_data(packed, individual="loan"))
    connection = database()
    fill(connection)
    assert same_schema(whole, Population.from_database(connection, individual="loan"))


def test_a_folder_of_tables_is_linked_by_guessed_keys(tmp_path):
    (tmp_path / "teams.csv").write_text("team_id,town\nA,Rome\nB,Oslo\nC,Bern\n")
    (tmp_path / "games.tsv").write_text("team_id\tguests\nA\t10\nC\t20\nA\t30\n")
    pd.DataFrame({"town": ["Rome", "Oslo", "Bern"], "people": [3, 2, 1]}).to_parquet(tmp_path / "towns.parquet")
    (tmp_path / "README.md").write_text("tables")
    population = read_data(tmp_path, individual="games")
    assert population.schema.names == ("games", "teams", "towns")
    assert population.record(1, depth=2)["team"]["town"]["people"] == 1
    assert "2 links between tables are guessed" in remarks_of(population)
    far = read_data(
        tmp_path, individual="games", condition="team_id NOT IN (SELECT team_id FROM teams WHERE town='Bern')"
    )
    assert [far.record(i)["guests"] for i in range(len(far))] == [10, 30]
    with pytest.raises(DataError, match="is not valid for games: no such column: guest"):
        read_data(tmp_path, individual="games", condition="guest > 1")


def test_frames_are_tables(tmp_path):
    with pytest.raises(UsageError, match="expected a path, a URL, a connection"):
        Population.from_database([1, 2])
    dated = {"a": pd.DataFrame({"x": [1, 2], "on": pd.to_datetime(["2020-01-31", "2021-01-31"])})}
    assert len(Population.from_database(dated, individual="a", condition="x = 1 OR \"on\" < '2020-12-31'")) == 1


def test_duckdb_and_sqlite_give_the_same_population(bank, tmp_path):
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "bank.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE district(district_id INTEGER PRIMARY KEY, region TEXT, people INTEGER)")
        connection.execute(
            "CREATE TABLE loan(loan_id INTEGER PRIMARY KEY, district_id INTEGER REFERENCES district, amount DOUBLE,"
            " made DATE, good BOOLEAN, moment TIMESTAMP, parts INTEGER[], kind ENUM ('a', 'b'), n INTEGER)"
        )
        connection.execute("CREATE VIEW v AS SELECT 1")
        connection.execute("INSERT INTO district VALUES (1, 'north', 1000), (2, NULL, NULL)")
        connection.execute(
            "INSERT INTO loan VALUES (1, 2, 5.5, '2020-01-31', true, '2020-01-01 10:00', [1], 'a', 4),"
            " (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)"
        )
    before = path.read_bytes()
    population = read_data(path, individual="loan")
    assert attributes_of(population, "loan") == {
        "amount": "real",
        "made": "date",
        "good": "bool",
        "moment": "time",
        "kind": "nominal",
        "n": "int",
    }
    assert links_of(population, "loan") == {"district": ("optional", "district")}
    assert attributes_of(population, "district") == {"region": "nominal", "people": "int"}
    assert "views are not read: v" in remarks_of(population)
    assert "loan.parts" in remarks_of(population)
    assert len(read_data(path, individual="loan", condition="amount > 5")) == 1
    with pytest.raises(DataError, match="is not valid for loan"):
        read_data(path, individual="loan", condition="absent > 5")
    renamed = tmp_path / "bank.db"
    shutil.copy(path, renamed)
    assert read_data(renamed, individual="loan").schema.individual == "loan"
    assert path.read_bytes() == before
    assert {each.name for each in tmp_path.iterdir()} == {"bank.duckdb", "bank.db", "bank.sqlite"}


# ---- the user's files stay as they are -------------------------------------------------------------------


def snapshot(folder):
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in sorted(folder.iterdir())}


def test_reading_changes_nothing_on_disk(bank):
    before = snapshot(bank.parent)
    read_data(bank, individual="loan", condition="amount > 60")
    assert snapshot(bank.parent) == before


def test_a_database_in_wal_mode_is_read_with_its_log_and_not_changed(tmp_path):
    path = write_bank(tmp_path / "bank.sqlite")
    writer = sqlite3.connect(path)
    writer.execute("PRAGMA journal_mode=WAL")
    writer.execute("PRAGMA wal_autocheckpoint=0")
    writer.execute("INSERT INTO loan VALUES (103, 11, 1.0, 'B', 'new')")
    writer.commit()
    before = {path.name for path in tmp_path.iterdir()}
    content = path.read_bytes()
    assert len(read_data(path, individual="loan")) == 4
    assert ({each.name for each in tmp_path.iterdir()}, path.read_bytes()) == (before, content)
    writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    writer.close()
    before = snapshot(tmp_path)
    assert len(read_data(path, individual="loan")) == 4
    assert snapshot(tmp_path) == before


WRONG = {
    "empty.sqlite": (b"", "the file is empty; expected an SQLite database"),
    "text.sqlite": (b"id,name\n1,Ann\n" * 20, "not an SQLite database: it is text that starts with 'id,name'"),
    "secret.sqlite": (bytes(range(256)) * 16, "has another format or is encrypted"),
    "packed.sqlite.gz": (b"SQLite format 3\0", "cannot be decompressed"),
    "empty.duckdb": (b"", "the file is empty; expected a DuckDB database"),
    "text.duckdb": (b"id,name\n1,Ann\n" * 20, "not a DuckDB database: it is text that starts with 'id,name'"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_file_that_is_not_a_database_is_rejected_in_one_sentence(tmp_path, name):
    if name == "text.duckdb":
        pytest.importorskip("duckdb")
    content, words = WRONG[name]
    (tmp_path / name).write_bytes(content)
    before = snapshot(tmp_path)
    with pytest.raises(DataError, match=words) as caught:
        read_data(tmp_path / name)
    assert "\n" not in str(caught.value)
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize("share", [0.02, 0.3, 0.7, 0.99])
def test_a_truncated_database_is_rejected(bank, share):
    content = bank.read_bytes()
    bank.write_bytes(content[: int(share * len(content))])
    with pytest.raises(DataError, match=r"truncated|damaged|not an SQLite|cannot read"):
        read_data(bank)


def test_a_damaged_database_is_rejected(bank):
    content = bytearray(bank.read_bytes())
    content[5000:9000] = bytes(4000)
    bank.write_bytes(bytes(content))
    with pytest.raises(DataError, match=r"damaged|cannot read"):
        read_data(bank)


def test_a_locked_database_and_one_with_a_hot_journal_are_rejected(bank):
    writer = sqlite3.connect(bank)
    writer.execute("BEGIN EXCLUSIVE")
    with pytest.raises(DataError, match="the database is locked: another program is writing to it"):
        read_data(bank)
    writer.execute("INSERT INTO district VALUES (9, 'west', 1)")
    writer.rollback()
    writer.close()
    bank.with_name("bank.sqlite-journal").write_bytes(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + bytes(600))
    before = snapshot(bank.parent)
    with pytest.raises(DataError, match=r"found the journal bank.sqlite-journal: another program"):
        read_data(bank)
    assert snapshot(bank.parent) == before


def test_a_key_to_a_missing_table_is_rejected_with_a_fix(tmp_path):
    path = tmp_path / "a.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript(
        "CREATE TABLE a(x INTEGER REFERENCES absent(id), y INTEGER); INSERT INTO a VALUES (1, 2);"
        "CREATE TABLE b(x INTEGER REFERENCES c(z), y INTEGER); CREATE TABLE c(id INTEGER);"
    )
    connection.close()
    with pytest.raises(DataError, match=r"the foreign key a.x refers to absent.id.*exclude=\['a.x'\]"):
        read_data(path)
    with pytest.raises(DataError, match=r"the foreign key b.x refers to c.z.*exclude=\['b.x'\]"):
        read_data(path, exclude=["a.x"])
    assert attributes_of(read_data(path, individual="a", exclude=["a.x", "b.x"]), "a") == {"y": "int"}


def test_a_database_without_tables_or_rows_is_rejected(tmp_path):
    path = tmp_path / "a.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("CREATE VIEW v AS SELECT 1")
    connection.close()
    with pytest.raises(DataError, match="there are no tables"):
        read_data(path)
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE t(x)")
    connection.close()
    assert len(read_data(path)) == 0
    with pytest.raises(DataError, match="the table t has no rows"):
        read_data(path, individual="t")
