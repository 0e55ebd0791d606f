"""Schema files round-trip, and edits take effect."""

from __future__ import annotations

import pytest

from structtree.data.provenance import provenance_of
from structtree.data.readers.databases.schema_files import schema_text
from structtree.data.readers.sources import read_data
from structtree.errors import DataError, UsageError
from tests.data.bank import write_bank


@pytest.fixture
def bank(tmp_path):
    return write_bank(tmp_path / "bank.sqlite")


@pytest.fixture
def schema_file(bank):
    path = bank.with_name("schema.toml")
    path.write_text(schema_text(provenance_of(read_data(bank, individual="loan")).relations), encoding="utf-8")
    return path


def test_a_schema_file_round_trips(bank, schema_file):
    plain, again = (
        read_data(bank, individual="loan"),
        read_data(bank, individual="loan", schema_file=str(schema_file)),
    )
    assert plain.schema == again.schema
    for name, table in plain.tables.items():
        for link, adjacency in table.links.items():
            assert adjacency.targets.tolist() == again.table(name).links[link].targets.tolist()
    assert schema_text(provenance_of(again).relations) == schema_file.read_text(encoding="utf-8")


def test_tables_links_and_names_can_be_changed(bank, schema_file):
    schema_file.write_text(
        '[tables.account]\nkey = ["account_id"]\nexclude = ["opened"]\n'
        '[tables.loan]\n[[tables.loan.links]]\ncolumns = ["account_id"]\nto = "account"\n'
        'name = "of"\nback = "loans"\n'
    )
    population = read_data(bank, individual="loan", schema_file=str(schema_file))
    assert set(population.schema.names) == {"account", "loan"}
    assert population.schema.type("account").members == ("district_id", "loans")
    assert population.schema.type("loan").members == ("loan_id", "amount", "status", "note", "of")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "expected tables"),
        ("[tables", "not a schema file"),
        ("[table.loan]", "expected tables.*got 'table'"),
        ("[tables.lone]", r"there is no table 'lone' \(did you mean 'loan'"),
        ("[tables.loan]\nkeys = ['loan_id']", r"unknown entry 'keys' \(did you mean 'key'\?\) at tables.loan"),
        ("[tables.loan]\nkey = ['lone_id']", "loan has no column 'lone_id'"),
        ("[tables.loan]\nkey = 'loan_id'", "expected a list of columns"),
        ("tables.loan = 3", "expected a TOML table"),
        ("[tables.loan]\n[[tables.loan.links]]\nto = 'account'", "'to' must be a table; got 'account'"),
        (
            "[tables.account]\n[tables.loan]\n[[tables.loan.links]]\nto = 'account'\ncolumns = ['amount']",
            "as many columns",
        ),
        (
            "[tables.loan]\n[[tables.loan.links]]\nto='loan'\ncolumns=['amount']\nkey=['loan_id']\nname='status'",
            "two members named 'status'",
        ),
    ],
)
def test_an_invalid_schema_file_is_rejected_in_one_sentence(bank, schema_file, text, words):
    schema_file.write_text(text)
    with pytest.raises(DataError, match=words) as caught:
        read_data(bank, individual="loan", schema_file=str(schema_file))
    assert "\n" not in str(caught.value)


def test_a_schema_file_and_links_are_mutually_exclusive(bank, schema_file):
    with pytest.raises(UsageError, match="links and a schema file"):
        read_data(bank, individual="loan", schema_file=str(schema_file), links=["loan.amount=account.account_id"])
