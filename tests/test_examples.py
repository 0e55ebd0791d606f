"""The examples run, and print the expected results."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.conftest import REPOSITORY


def run(name, *arguments):
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, str(REPOSITORY / "examples" / f"{name}.py"), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", env=environment, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def needs_rdkit():
    pytest.importorskip("rdkit", reason="needs RDKit: pip install 'structtree[molecules]'")


def test_every_example_is_tested_here():
    tested = {"mutag_from_tu_folder", "nitro_aromatics", "node_classification", "solubility_from_smiles"}
    assert {path.stem for path in (REPOSITORY / "examples").glob("*.py")} == tested


def test_mutag_from_a_folder(shared_data):
    out = run("mutag_from_tu_folder", shared_data("mutag"))
    assert out.startswith("188 graphs")
    assert float(out.split("accuracy ")[1].split()[0]) > 0.8
    assert "count nodes" in out and "Graph 0" in out


def test_solubility_from_smiles():
    needs_rdkit()
    out = run("solubility_from_smiles")
    assert "logp >=" in out
    assert float(out.split("training molecules: ")[1].split()[0]) > 0.9


def test_a_predicate_language_for_nitro_aromatics():
    needs_rdkit()
    out = run("nitro_aromatics")
    assert "count atoms (nitro_carbon and exists bonds (to.nitro_carbon)) >= 1" in out
    assert "was outscored" in out and "is not derivable" in out


def test_nodes_of_one_graph():
    out = run("node_classification")
    correct, _, members = out.split("correct for ")[1].split()[:3]
    assert int(correct) >= 28 and int(members) == 34
