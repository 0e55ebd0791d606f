"""Individuals keep the numbers and names that they have in their source, whatever is left out or taken."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from structtree.data.population import Population
from structtree.data.provenance import Provenance, provenance_of, record_members, record_values
from structtree.data.reachable import compact
from structtree.data.readers.opening import open_data
from structtree.errors import UnknownNameError, UsageError


def write(path, *lines):
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


@given(chosen=st.lists(st.integers(0, 4), min_size=1, max_size=8))
def test_taking_individuals_and_dropping_rows_keeps_their_numbers(chosen):
    records = [{"x": i, "parts": [{"y": i}]} for i in range(5)]
    whole = Population.from_records(records)
    named = Provenance(np.array([1, 2, 4, 7, 9]), 10, {"name": [f"n{i}" for i in range(10)]})
    population = Population(whole.schema, whole.tables, provenance=named).take(chosen)
    for part in (population, compact(population), population.without("x")):
        rows = part.provenance.rows[part.individuals].tolist()
        assert rows == [[1, 2, 4, 7, 9][i] for i in chosen]
        assert [part.provenance.names_of(int(row))["name"] for row in part.individuals] == [f"n{row}" for row in rows]


def test_without_an_origin_individuals_are_records_in_their_order():
    population = Population.from_records([{"x": 1}, {"x": 2}, {"x": 3}])
    assert provenance_of(population).rows.tolist() == [0, 1, 2]
    assert record_members(population) == ("x",) and record_values(population, "x") == [1, 2, 3]
    with pytest.raises(UnknownNameError, match=r"unknown column 'y' \(known: 'x'"):
        record_values(population, "y")


def test_individuals_without_a_label_are_left_out_with_the_reason(tmp_path):
    path = write(tmp_path / "a.csv", "x,y", "1,a", "2,", "3,b")
    with pytest.warns(UserWarning, match="skipped 1 of 3"):
        opened = open_data(path, target="y", unlabelled="leave out")
    assert opened.rows.tolist() == [0, 2] and opened.provenance.left_out == {1: "it has no y"}
    assert record_values(opened.population, "x") == [1, None, 3]


def test_an_identifier_keeps_its_text(tmp_path):
    path = write(tmp_path / "a.csv", "code,x", "007,1", "7,2")
    opened = open_data(path, id="code")
    assert opened.provenance.names == {"code": ["007", "7"]}
    with pytest.raises(UnknownNameError, match="'kode'"):
        open_data(path, id="kode")
    assert open_data("lenses", id="age").provenance.names["age"][0] == "young"


def test_groups_are_called_by_what_they_have_in_common(tmp_path):
    path = write(tmp_path / "a.csv", "bag,x", "02,1", "1,2", "02,3")
    assert open_data(path, group="bag").provenance.names == {"bag": ["2", "1"]}
    opened = open_data(path, group="bag", id="bag")
    assert opened.provenance.names == {"bag": ["02", "1"]} and opened.rows.tolist() == [0, 1]
    with pytest.raises(UnknownNameError, match="unknown member 'bag'"):
        open_data(path, group="bag", types={"bag": "int"})


def test_graphs_of_a_folder_are_called_by_their_files(tmp_path):
    for name in ("b.gml", "a.gml"):
        write(tmp_path / name, "graph [ node [ id 0 ] ]")
    assert open_data(tmp_path).provenance.names == {"file": ["a.gml", "b.gml"]}


# ---- molecules ------------------------------------------------------------------------------------------


@pytest.fixture
def molecules(tmp_path):
    pytest.importorskip("rdkit", reason="RDKit is not installed: pip install 'structtree[molecules]'")
    return write(tmp_path / "m.csv", "code,SMILES,active", "001,C1CC,1", "002,CCO,0", "003,CC,1")


def test_molecules_that_are_skipped_keep_the_columns_of_the_file(molecules):
    with pytest.warns(UserWarning, match="skipped 1 of 3 molecules"):
        opened = open_data(molecules, target="active", skip_bad=True, id="code")
    assert opened.rows.tolist() == [1, 2]
    assert opened.provenance.names == {"code": ["001", "002", "003"], "SMILES": ["C1CC", "CCO", "CC"]}
    assert record_values(opened.population, "active") == [1, 0, 1]
    assert record_members(opened.population) == ("code", "SMILES", "active")
    logp = record_values(opened.population, "logp")
    assert logp[0] is None and None not in logp[1:]


def test_the_column_of_smiles_may_be_the_identifier(molecules):
    opened = open_data(write(molecules, "SMILES", "CC"), id="SMILES")
    assert opened.provenance.names == {"SMILES": ["CC"]}
    with pytest.raises(UsageError, match="'SMILES' contains the molecules; it cannot be read as 'int'"):
        open_data(molecules, types={"SMILES": "int"})


def test_names_and_titles_of_molecules(molecules, tmp_path):
    from rdkit import Chem

    opened = open_data(write(tmp_path / "a.smi", "CCO ethanol", "CC ethane"))
    assert opened.provenance.names == {"smiles": ["CCO", "CC"], "name": ["ethanol", "ethane"]}
    molecule = Chem.MolFromSmiles("CCO")
    molecule.SetProp("_Name", "ethanol")
    (tmp_path / "a.sdf").write_text(Chem.MolToMolBlock(molecule) + "$$$$\n")
    assert open_data(tmp_path / "a.sdf").provenance.names == {"title": ["ethanol"]}
    population = Population.from_molecules(["CC", molecule])
    assert population.provenance.names == {"smiles": ["CC", None]}
