"""A database is read only once, even if the target determines the table of the individuals."""

from structtree import open_data
from structtree.data.readers.databases import reading
from tests.session.test_fit import bank


def test_a_database_without_an_individual_is_read_once(tmp_path, monkeypatch):
    file, _ = bank(tmp_path)
    calls = []
    real = reading.read_sqlite
    monkeypatch.setattr(reading, "read_sqlite", lambda *given, **more: calls.append(given) or real(*given, **more))
    opened = open_data(file, target="status", as_of="loan.date")
    assert opened.population.schema.individual == "loan"
    assert len(calls) == 1
