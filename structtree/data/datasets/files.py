"""Readers for the files of built-in datasets.

Each reader takes the folder of the files, shipped with structtree or extracted from a wheel
(`structtree.data.datasets.fetch`), and the arguments in ``datasets/catalog.toml``. It returns a population with the
target as an attribute.
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
    """Read multi-instance data: each row has the class and number of a bag, and the features of an instance.

    Parameters
    ----------
    folder : Path
    file : str
        A table without a header.
    individual, link : str
        Name of the type of bags, and of the link to their rows.
    classes : mapping
        Names of the classes in the file; the attribute is ``class``.
    types : mapping, optional
        Kinds of the features.

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
    from structtree.data.readers.tables.reading import read_csv  # loads pandas only on use

    path = folder / file
    with path.open(encoding="utf-8") as lines:
        n_numbers = next(lines).count(",") - 1
    names = ["class", "set", *(f"f{i}" for i in range(1, n_numbers + 1))]
    kinds = {"class": "nominal", **(types or {})}
    whole = read_csv(path, names=names, individual=individual, group="set", link=link, types=kinds)
    # Features that are constant within each bag became attributes of the bag. In these files they are constant
    # everywhere.
    constant = {attribute.name for attribute in whole.schema.type(individual).attributes} - {"class"}
    return _renamed(whole.without(*constant), classes)


def read_files(
    folder: Path,
    *,
    files: Sequence[str] = ("",),
    classes: Mapping[str, str] | None = None,
    exclude: Sequence[str] = (),
    **options: Any,
) -> Population:
    """Read a file of any format, several files as one table, or a whole folder.

    Parameters
    ----------
    folder : Path
    files : sequence of str
        The empty name is the folder itself, in TU format.
    classes : mapping, optional
        Names of the classes in the files; the attribute is ``class``.
    exclude : sequence of str
        Attributes not used for learning: names, identifiers, and attributes that reveal the target.
    **options
        As in `structtree.data.readers.sources.read_data`.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "a.csv").write_text("name,odor,class\\nA,n,e\\nB,f,p\\n")
    ...     classes = {"e": "edible", "p": "poisonous"}
    ...     table = read_files(Path(folder), files=["a.csv"], classes=classes, exclude=["name"])
    >>> table.record(0)
    {'odor': 'n', 'class': 'edible'}
    """
    from structtree.data.readers.sources import read_data  # loads the readers only on use

    where = folder / files[0]
    with tempfile.TemporaryDirectory(prefix="structtree-") as temporary:
        if len(files) > 1:
            where = Path(temporary) / files[0]
            where.write_bytes(b"".join((folder / file).read_bytes() for file in files))
        whole = read_data(where, **options)
    known = whole.schema.type(whole.schema.individual).members
    slim = whole.without(*(name for name in exclude if name in known))
    return slim if classes is None else _renamed(slim, classes)


# ---- molecules as ground facts ---------------------------------------------------------------------------

_FACT = re.compile(r"(\w+)\(([^()]*)\)")
_ORDERS = {"1": "single", "2": "double", "3": "triple", "7": "aromatic"}  # the others have no name


def read_ground_molecules(folder: Path, *, types: Mapping[str, str] | None = None) -> Population:
    """Read molecules from ``examples.txt``, one line of facts each, and their activity from ``queries.txt``.

    ``bond(a, b, 0)`` is one direction of bond 0 between the atoms a and b, ``b_7(0)`` means that its order is 7, and
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


# ---- class names ----------------------------------------------------------------------------------------


def _renamed(whole: Population, classes: Mapping[str, str]) -> Population:
    """Return the population with renamed classes."""
    rest, labels = whole.split_target("class")
    return rest.with_target("class", np.array([classes[label] for label in labels], dtype=object))
