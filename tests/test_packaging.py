"""What a stranger gets from an installed wheel: the package with its grammars and data sets."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile

import pytest

from tests.conftest import REPOSITORY


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with what the wheel holds, and nothing of the checkout."""
    pytest.importorskip("hatchling", reason="hatchling builds the wheel")
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as file:
        file.extractall(folder / "site")
    return folder / "site"


def run_installed(installed, code):
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=installed, env=environment, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_names_resolve_after_an_install(installed):
    code = (
        "import structtree, pathlib; from structtree import Grammar, Space, load_dataset;"
        "assert pathlib.Path(structtree.__file__).is_relative_to(pathlib.Path.cwd());"
        "trains = load_dataset('trains');"
        "print(Space.build(Grammar.load('trains'), trains.population).size())"
    )
    assert int(run_installed(installed, code)) > 10_000


def test_every_data_set_and_grammar_is_in_the_wheel(installed):
    code = (
        "from structtree import load_dataset, shipped_grammars;"
        "from structtree.data.datasets.catalog import dataset_catalog;"
        "names = [entry.name for entry in dataset_catalog() if entry.kind != 'fetched'];"
        "print(len([load_dataset(name) for name in names]), len(shipped_grammars()))"
    )
    n_datasets, n_grammars = map(int, run_installed(installed, code).split())
    assert n_datasets >= 17
    assert n_grammars >= 7


def test_the_wheel_is_typed(installed):
    assert (installed / "structtree" / "py.typed").exists()
    assert (installed / "structtree" / "learn" / "parameters.pyi").exists()
