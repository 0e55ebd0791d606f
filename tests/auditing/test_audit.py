"""Audits: planted leaks are found, clean databases have no findings, and every query returns its figures."""

from __future__ import annotations

import json
import sqlite3

import numpy as np
import pandas as pd
import pytest

import structtree
from structtree.auditing.case import Case
from structtree.auditing.future import without_future
from tests.auditing.planted import LEAKS, SHAPES, clean, future_rows, is_found, leaky, returned, world, write
from tests.cli.test_commands import fail, run, succeed

KINDS = {"future", "hidden", "alone", "snapshot", "copy", "duplicates", "identifier", "drift"}
FIRST_OF_EACH = [
    next(place for place, (each, _) in enumerate(LEAKS) if each.__name__ == name)
    for name in dict.fromkeys(leak.__name__ for leak, _ in LEAKS)
]


QUICKLY = ["--max-depth", 1, "--max-evaluations", 50, "--no-estimate"]


def audited(made, path):
    return structtree.audit(path, made.shape.label, **write(made, path))


@pytest.mark.parametrize("place", FIRST_OF_EACH, ids=lambda place: LEAKS[place][0].__name__)
def test_a_planted_leak_is_found_and_its_query_returns_the_figures(place, tmp_path):
    made = leaky(place)
    path = tmp_path / "leak.sqlite"
    found = audited(made, path)
    assert is_found(found, made)
    with sqlite3.connect(path) as database:
        assert all(returned(finding, database) for finding in found.findings)


def test_planted_leaks_cover_all_kinds():
    assert {leaky(place).expected[0] for place in FIRST_OF_EACH} == KINDS and len(LEAKS) >= 50


@pytest.mark.parametrize("seed", range(4))
def test_a_clean_database_has_no_findings(seed, tmp_path):
    assert audited(clean(seed), tmp_path / "clean.sqlite").findings == ()


def test_as_of_removes_leaks_from_the_future(tmp_path):
    made = world(3, SHAPES[0])
    future_rows(made)
    made.as_of = True
    assert audited(made, tmp_path / "future.sqlite").findings == ()


def test_duckdb_returns_the_figures_too(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    for place in (0, 12, 24, 36, 41, 45, 47):
        made = leaky(place)
        source, path = tmp_path / f"{place}.sqlite", tmp_path / f"{place}.duckdb"
        options = write(made, source)
        _copied(source, path, duckdb)
        found = structtree.audit(path, made.shape.label, **options)
        with duckdb.connect(str(path), read_only=True) as database:
            assert is_found(found, made), LEAKS[place][0].__name__
            assert all(returned(finding, database) for finding in found.findings)


def _copied(source, path, duckdb):
    """Copy the tables, with their keys, of an SQLite file into a DuckDB file."""
    with sqlite3.connect(source) as old, duckdb.connect(str(path)) as new:
        tables = old.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall()
        while tables:  # those first that refer to what is there
            for name, sql in list(tables):
                known = {row[0] for row in new.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
                if all(other in known for other, _ in tables if other != name and f"REFERENCES {other}(" in sql):
                    new.execute(sql)
                    new.register("rows", pd.read_sql_query(f"SELECT * FROM {name}", old))
                    new.execute(f"INSERT INTO {name} SELECT * FROM rows")
                    tables.remove((name, sql))


def test_deleting_the_future_leaves_the_individual_and_its_past(tmp_path):
    made = world(1, SHAPES[1], n_parents=40)
    opened = structtree.open_data(tmp_path / "w.sqlite", target="bad", **write(made, tmp_path / "w.sqlite"))
    case = Case.of(opened.population, opened.target, "bad")
    for i in range(5):
        alone = without_future(case, i)
        limit = case.limits[i]
        assert len(alone) == 1 and (alone.tables["payment"].columns["paid_on"].values < limit).all()
        others = alone.tables["loan"].columns["day"].values
        assert (np.sort(others)[:-1] < limit).all() and np.sort(others)[-1] == limit
        assert alone.tables["account"].n_rows == 40


def test_too_few_individuals_are_not_audited(tmp_path):
    found = audited(world(1, SHAPES[0], n_parents=10), tmp_path / "few.sqlite")
    assert found.findings == () and "too few" in found.notes[0]


# ---- the command -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def leaked(tmp_path_factory):
    place = next(place for place, (leak, _) in enumerate(LEAKS) if leak.__name__ == "copy_text")
    path = tmp_path_factory.mktemp("audit") / "leak.sqlite"
    write(leaky(place), path)
    return [path, "--individual", "renewal", "--target", "renewed", "--as-of", "day"]


def test_the_command_prints_sentences_and_queries(leaked):
    out = succeed("audit", *leaked)
    assert out.startswith("1. [copy] outcome.result is a copy of the label")
    assert "\n    WITH f AS (" in out


def test_the_command_prints_json_and_fails_on_request(leaked):
    found = json.loads(succeed("audit", *leaked, "--json"))
    assert [each["kind"] for each in found["findings"]] == ["copy"]
    assert found["findings"][0]["figures"] == {"accuracy": 1.0}
    assert run("audit", *leaked, "--fail").exit_code == 1
    assert "outcome" not in succeed("audit", *leaked, "--exclude", "outcome", "--fail")


def test_a_missing_target_is_reported_in_one_sentence(leaked):
    assert "--target" in fail("audit", leaked[0], "--individual", "renewal", code=2)


def test_fit_reports_the_findings_of_the_cheap_checks(leaked):
    said = run("fit", *leaked, *QUICKLY).stderr
    assert "note: outcome.result is a copy of the label" in said
    assert "run: structtree audit" in said and "--as-of day" in said
    clean_fit = run("fit", *leaked, "--exclude", "outcome", *QUICKLY).stderr
    assert "structtree audit" not in clean_fit
