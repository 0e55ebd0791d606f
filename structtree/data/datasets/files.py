"""Conversion of the files of built-in datasets to populations.

Each reader takes the folder of the files, shipped with structtree or taken from a wheel
(`structtree.data.datasets.fetch`), and what ``datasets/catalog.toml`` says about them, and gives a population that
has the target as an attribute.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from structtree.data.population import Population

__all__ = ["read_bags", "read_files", "read_ground_molecules"]


def read_bags(
    folder: Path,
    *,
    file: str,
    individual: str,
    link: str,
    classes: Mapping[str, str],
    types: Mapping[str, str] | None = None,
) -> Population:
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
    types : mapping, optional
        Kinds to read numbers as.

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
    from structtree.data.readers.tables.reading import read_csv  # pandas stays unloaded until a table is wanted

    path = folder / file
    with path.open(encoding="utf-8") as lines:
        n_numbers = next(lines).count(",") - 1
    names = ["class", "set", *(f"f{i}" for i in range(1, n_numbers + 1))]
    kinds = {"class": "nominal", **(types or {})}
    whole = read_csv(path, names=names, individual=individual, group="set", link=link, types=kinds)
    # What is the same in all rows of each set became an attribute of the set. In these files that is only what is the
    # same in all rows, and tells nothing.
    dull = {attribute.name for attribute in whole.schema.type(individual).attributes} - {"class"}
    return _renamed(whole.without(*dull), classes)


def read_files(
    folder: Path,
    *,
    files: Sequence[str] = ("",),
    classes: Mapping[str, str] | None = None,
    leave_out: Sequence[str] = (),
    **options: Any,
) -> Population:
    """Return the population of a file of any format, of several end to end, or of the folder itself.

    Parameters
    ----------
    folder : Path
    files : sequence of str
        The empty name stands for the folder, if it is in the format of the TU collection.
    classes : mapping, optional
        What to call the classes that the files have; the attribute is ``class``.
    leave_out : sequence of str
        Attributes that are not for learning: names, numbers, and what gives the target away.
    **options
        As in `structtree.data.readers.sources.read_data`.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "a.csv").write_text("name,odor,class\\nA,n,e\\nB,f,p\\n")
    ...     classes = {"e": "edible", "p": "poisonous"}
    ...     table = read_files(Path(folder), files=["a.csv"], classes=classes, leave_out=["name"])
    >>> table.record(0)
    {'odor': 'n', 'class': 'edible'}
    """
    from structtree.data.readers.sources import read_data  # what reads a format stays unloaded until it is wanted

    where = folder / files[0]
    with tempfile.TemporaryDirectory(prefix="structtree-") as temporary:
        if len(files) > 1:
            where = Path(temporary) / files[0]
            where.write_bytes(b"".join((folder / file).read_bytes() for file in files))
        whole = read_data(where, **options)
    known = whole.schema.type(whole.schema.individual).members
    slim = whole.without(*(name for name in leave_out if name in known))
    return slim if classes is None else _renamed(slim, classes)


# ---- molecules as ground facts ---------------------------------------------------------------------------

_FACT = re.compile(r"(\w+)\(([^()]*)\)")
_ORDERS = {"1": "single", "2": "double", "3": "triple", "7": "aromatic"}  # the others have no name


def read_ground_molecules(folder: Path, *, types: Mapping[str, str] | None = None) -> Population:
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
    kinds = {"atoms": "set", "bonds": "set", **(types or {})}
    return Population.from_records(records, individual="Molecule", types=kinds)


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


def _renamed(whole: Population, classes: Mapping[str, str]) -> Population:
    """The population with readable values of ``class``."""
    rest, labels = whole.split_target("class")
    return rest.with_target("class", np.array([classes[label] for label in labels], dtype=object))
