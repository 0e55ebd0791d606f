"""Molecules on the command line: row numbers, names and problems in predictions and explanations; salts."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest

from structtree.data.population import Population
from structtree.data.readers.molecules.batches import CACHE_LIMIT, CACHED_FROM, SHARED_FROM
from structtree.data.readers.options import MOLECULES, reading_options
from tests.cli.test_commands import fail, run, succeed
from tests.pages import blocks, check_commands, page_text

pytest.importorskip("rdkit", reason="RDKit is not installed: pip install 'structtree[molecules]'")

TRAINING = ["id,smiles,soluble", "1,CCO,yes", "2,CO,yes", "3,CCCCCC,no", "4,CCCCC,no", "5,OCCO,yes", "6,CCCC,no"]
NEW = ["id,smiles,soluble", "007,C1CC,yes", "8,CCCO,yes", "9,,no", "10,CCCCCCC,"]


@pytest.fixture
def model(tmp_path):
    data, model = tmp_path / "training.csv", tmp_path / "model.json"
    data.write_text("\n".join(TRAINING) + "\n")
    succeed("fit", data, "--target", "soluble", "-o", model)
    return model


@pytest.fixture
def new(tmp_path):
    path = tmp_path / "new.csv"
    path.write_text("\n".join(NEW) + "\n")
    return path


def test_predictions_have_the_rows_of_the_file_and_tell_the_bad_ones(model, new):
    result = run("predict", model, new, "--skip-bad", "--id", "id", "--keep", "sol*")
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    expected = [("0", "007", "C1CC", ""), ("1", "8", "CCCO", "yes"), ("2", "9", "", ""), ("3", "10", "CCCCCCC", "no")]
    assert [(row["row"], row["id"], row["smiles"], row["prediction"]) for row in rows] == expected
    problems = ["RDKit cannot read the SMILES 'C1CC'", "", "the molecule is missing", ""]
    assert [row["problem"] for row in rows] == problems
    assert [row["actual"] for row in rows] == ["", "yes", "", ""]
    assert [row["soluble"] for row in rows] == ["yes", "yes", "no", ""]
    assert "skipped 2 of 4 molecules" in result.stderr and "line 2 (row 0): RDKit cannot" in result.stderr
    objects = json.loads(succeed("predict", model, new, "--skip-bad", "--id", "id", "--json"))
    assert [(each["row"], each["id"], each.get("problem", "")) for each in objects] == [
        (row, id, problem)
        for (row, id), problem in zip([(0, "007"), (1, "8"), (2, "9"), (3, "10")], problems, strict=True)
    ]


def test_data_is_described_with_a_target_that_some_lack(new):
    result = run("data", "info", new, "--skip-bad", "--target", "soluble")
    assert result.exit_code == 0
    assert "skipped 1 of 2 individuals without a value for soluble" in result.stderr
    assert "Target: soluble (yes 1)" in result.stdout


def test_without_bad_molecules_there_is_no_column_of_problems(model, tmp_path):
    found = succeed("predict", model, tmp_path / "training.csv").splitlines()
    assert found[0] == "row,smiles,prediction,p(no),p(yes),actual"
    assert found[1].startswith("0,CCO,yes,")


def test_an_explanation_is_chosen_by_the_same_row_or_by_name_and_mentions_the_smiles(model, new):
    by_row = run("explain", model, new, "--skip-bad", "--row", 1).stdout
    assert by_row.startswith("Molecule 1 (smiles CCCO)\n") and by_row.endswith("(true label: yes)\n")
    assert run("explain", model, new, "--skip-bad", "--id", "CCCO").stdout == by_row
    assert run("explain", model, new, "--skip-bad", "--id", 8).stdout == by_row
    by_column = run("explain", model, new, "--skip-bad", "--id", 8, "--id-column", "id").stdout
    assert by_column.startswith("Molecule 1 (id 8, smiles CCCO)\n")
    found = json.loads(run("explain", model, new, "--skip-bad", "--row", 1, "--json").stdout)
    assert (found["individual"], found["names"], found["actual"]) == (1, {"smiles": "CCCO"}, "yes")


@pytest.mark.parametrize(
    ("given", "code", "sentence"),
    [
        (["--row", 0], 1, "row 0 was skipped: RDKit cannot read the SMILES 'C1CC'"),
        (["--row", 4], 2, "--row must be from 0 to 3, since there are 4 individuals; got 4"),
        (["--id", "CCC"], 2, "there is no individual whose smiles or id is 'CCC' (did you mean"),
        (["--id", "CCCO", "--row", 1], 2, "--row and --id are mutually exclusive"),
        (["--id-column", "id"], 2, "--id-column requires --id VALUE"),
        (["--id", "8", "--id-column", "ident"], 1, "unknown member 'ident'"),
    ],
)
def test_an_individual_that_cannot_be_explained_is_refused(model, new, given, code, sentence):
    assert sentence in fail("explain", model, new, "--skip-bad", *given, code=code)


def test_salts_are_dropped_and_the_model_remembers_it(tmp_path):
    data, model = tmp_path / "salts.csv", tmp_path / "model.json"
    data.write_text("smiles,y\nCC(=O)[O-].[Na+],a\nCCCC(=O)O,a\nC[NH3+].[Cl-],b\nCN,b\n")
    succeed("fit", data, "--target", "y", "--largest-fragment", "--neutralise", "-o", model)
    result = run("predict", model, data)
    assert "read like the training data: largest_fragment True, neutralise True" in result.stderr
    table = tmp_path / "t.csv"
    table.write_text("x,y\n1,a\n2,b\n")
    assert "--largest-fragment does not apply to csv" in fail(
        "fit", table, "--format", "csv", "--largest-fragment", code=2
    )


def test_all_bad_molecules_are_told_at_once(new):
    sentence = fail("fit", new, "--target", "soluble", code=1)
    assert "RDKit cannot read 2 of 4 molecules" in sentence and "line 4 (row 2): the molecule is missing" in sentence


def test_the_cache_is_left_aside_on_request_and_no_option_of_tables(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("structtree.data.readers.molecules.batches.CACHED_FROM", 2)
    data = tmp_path / "a.csv"
    data.write_text("smiles,y\nCCO,a\nCC,b\n")
    succeed("data", "info", data, "--no-cache")
    assert not (tmp_path / "cache").exists()
    succeed("data", "info", data)
    assert len(list((tmp_path / "cache" / "structtree" / "molecules").iterdir())) == 1
    table = tmp_path / "t.csv"
    table.write_text("x,y\n1,a\n2,b\n")
    assert "--cache does not apply to csv" in fail("data", "info", table, "--no-cache", code=2)


# ---- docs/molecules.md ----------------------------------------------------------------------------------

PAGE = page_text("docs/molecules.md")


def test_the_commands_of_the_page_print_what_it_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, content in zip(["drugs.csv", "new.csv"], blocks("docs/molecules.md", "csv"), strict=True):
        (tmp_path / name).write_text(content)
    assert check_commands("docs/molecules.md") == 3


def test_the_page_explains_every_member_and_no_other():
    sections = re.findall(r"\n### (\w+)\n(.*?)(?=\n##)", PAGE, flags=re.DOTALL)
    told = {name: re.findall(r"^\| `(\w+)` \| \S", text, flags=re.MULTILINE) for name, text in sections}
    schema = Population.from_smiles(["CCO"]).schema
    assert told == {record.name: list(record.members) for record in schema.types}


def test_the_page_names_every_option_of_molecules_and_the_limits_of_the_cache():
    options = [option for option in reading_options().values() if option.panel == MOLECULES]
    assert len(options) >= 6
    for option in options:
        assert any(flag in PAGE for flag in option.flag.split("/")), option.name
    for figure in (SHARED_FROM, CACHED_FROM):
        assert f"{figure:,}" in PAGE
    assert f"{CACHE_LIMIT // 10**9} GB" in PAGE
