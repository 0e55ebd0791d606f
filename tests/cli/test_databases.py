"""Databases on the command line: learning, prediction, output, and errors in one sentence."""

from __future__ import annotations

import json
import sqlite3

import pytest

from tests.cli.test_commands import fail, run, succeed
from tests.conftest import SHARED
from tests.data.bank import write_bank, write_large_bank

RULE = "account (exists payment (paid >= "


@pytest.fixture(scope="module")
def bank(tmp_path_factory):
    return write_large_bank(tmp_path_factory.mktemp("bank") / "bank.sqlite")


def test_a_tree_is_learned_saved_and_used_for_another_database(bank, tmp_path):
    model = tmp_path / "model.json"
    printed = succeed("fit", bank, "--individual", "loan", "--target", "status", "--max-depth", 1, "-o", model)
    assert printed.startswith(RULE)
    other = write_large_bank(tmp_path / "other.sqlite", 9)
    found = json.loads(succeed("predict", model, other, "--json"))
    assert [each["prediction"] for each in found] == ["bad", "good", "good"] * 3
    assert found[1]["id"] == "1001"
    assert "payment" in succeed("explain", model, other, "--id", "1000")


def test_the_target_alone_says_which_table_is_meant(bank):
    assert succeed("fit", bank, "--target", "status", "--max-depth", 1).startswith(RULE)


def test_without_individual_or_target_the_tables_are_named(bank):
    words = fail("fit", bank, code=2)
    assert "to learn about with --individual" in words and "account, payment, loan" in words


def test_info_shows_types_keys_fits_and_what_is_not_read(tmp_path):
    out = succeed("data", "info", write_bank(tmp_path / "bank.sqlite"), "--individual", "loan")
    assert (
        "account.district_id=district.district_id (fits 66.7%, 1 missing, 1 dangling): district, back account" in out
    )
    assert "disposition.client_id=client.client_id (joined, fits 100.0%): client, back account" in out
    assert "  loan.loan_id\n" in out
    assert "Note: views are not read: rich" in out
    info = json.loads(succeed("data", "info", tmp_path / "bank.sqlite", "--individual", "loan", "--json"))
    assert info["keys"]["loan"] == ["loan_id"] and len(info["links"]) == 6


def test_a_schema_is_written_corrected_and_read(bank, tmp_path):
    path = tmp_path / "schema.toml"
    assert "wrote 3 tables and 2 links" in succeed("data", "schema", bank, "-o", path)
    path.write_text(path.read_text().replace('name = "account"', 'name = "owner"'))
    printed = succeed("fit", bank, "--individual", "loan", "--target", "status", "--schema", path, "--max-depth", 1)
    assert printed.startswith(RULE.replace("account", "owner"))
    assert "[tables.loan]" in succeed("data", "schema", bank)
    assert "is not a database" in fail("data", "schema", "trains", code=2)


def test_where_chooses_individuals_and_is_not_remembered(bank, tmp_path):
    model = tmp_path / "model.json"
    options = ["--individual", "loan", "--target", "status", "--max-depth", 1]
    succeed("fit", bank, *options, "--where", "years <= 2", "-o", model)
    said = run("predict", model, bank).stderr
    assert "read like the training data: individual loan\n" in said and "60 individuals" in said


def test_links_are_said_and_a_name_of_a_link_is_still_one(tmp_path):
    for name, text in {"who": "nr,age\n5,30\n6,40\n7,50\n", "visit": "person,cost\n6,1.5\n6,2.5\n5,3.5\n"}.items():
        (tmp_path / f"{name}.csv").write_text(text)
    out = succeed("data", "info", tmp_path, "--individual", "visit", "--link", "visit.person=who.nr")
    assert "visit.person=who.nr (fits 100.0%): person, back visit" in out
    assert "set of Visit" in succeed("data", "info", tmp_path / "visit.csv", "--group", "person", "--link", "visits")
    words = fail("data", "info", tmp_path / "visit.csv", "--group", "person", "--link", "a", "--link", "b", code=2)
    assert "--link was given twice" in words


def wrong_files(folder):
    (folder / "empty.sqlite").write_bytes(b"")
    (folder / "text.sqlite").write_text("id,name\n1,Ann\n" * 20)
    (folder / "secret.sqlite").write_bytes(bytes(range(256)) * 16)
    whole = write_bank(folder / "bank.sqlite").read_bytes()
    (folder / "half.sqlite").write_bytes(whole[: len(whole) // 2])
    connection = sqlite3.connect(folder / "nowhere.sqlite")
    connection.execute("CREATE TABLE a(x INTEGER REFERENCES absent(id), y INTEGER)")
    connection.close()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["empty.sqlite"], "the file is empty"),
        (["text.sqlite"], "it is text"),
        (["secret.sqlite"], "encrypted"),
        (["half.sqlite"], "truncated"),
        (["nowhere.sqlite"], "the foreign key a.x refers to absent.id"),
        (["bank.sqlite", "--individual", "lone"], "did you mean 'loan'"),
        (["bank.sqlite", "--exclude", "loan.nite"], "did you mean 'note'"),
        (["bank.sqlite", "--link", "loan.amount=disposition"], "has no key"),
        (["bank.sqlite", "--strict"], "matches no row of district"),
        (["bank.sqlite", "--schema", "absent.toml"], "there is no file absent.toml"),
    ],
)
def test_wrong_input_is_one_sentence_and_changes_nothing(tmp_path, monkeypatch, words, said):
    monkeypatch.chdir(tmp_path)
    wrong_files(tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    told = fail("data", "info", *words)
    assert said in told and told.count("\n") == 1
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


ZOO = ["architecture", "car_1", "flight_2", "network_1", "student_1", "voter_2", "wta_1", "college_1"]


@pytest.mark.parametrize("name", ZOO)
def test_real_databases_are_opened(shared_data, name):
    out = succeed("data", "info", shared_data("sqlite_zoo") / f"{name}.sqlite.gz")
    assert "Foreign keys" in out


@pytest.mark.skipif(not (SHARED / "sqlite_samples").is_dir(), reason="needs the databases of ../shared/data")
def test_northwind_has_names_with_blanks_a_self_reference_and_empty_tables():
    where = SHARED / "sqlite_samples" / "northwind.sqlite.gz"
    info = json.loads(succeed("data", "info", where, "--individual", "Orders", "--json"))
    assert info["types"]["CustomerDemographics"]["rows"] == 0
    names = {link["key"]: (link["name"], link["back"]) for link in info["links"]}
    assert names["Employees.ReportsTo=Employees.EmployeeID"] == ("ReportsTo", "Employees_by_ReportsTo")
    assert names["Order Details.OrderID=Orders.OrderID"] == ("Order", "Order Details")
    found = run(
        "fit", where, "--individual", "Products", "--target", "Discontinued", "--max-depth", 2, "--time-limit", 5
    )
    assert found.exit_code == 0, found.output
