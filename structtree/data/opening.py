"""One door for everything called DATA: the name of a data set, a file, or a folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from structtree.data.catalog import dataset_names, load_dataset
from structtree.data.columns import Population
from structtree.data.molecules import Hydrogens
from structtree.data.schema import Schema
from structtree.data.sources import read_data, target_of
from structtree.errors import MissingFileError, did_you_mean

__all__ = ["Opened", "open_data"]


@dataclass(frozen=True, slots=True, eq=False)
class Opened:
    """Data that was opened: the individuals, and their target if it is known."""

    name: str
    population: Population
    target: NDArray[Any] | None = None
    target_name: str | None = None
    description: str = ""
    source: str = ""
    grammar: str | None = None


def open_data(
    where: str | Path,
    *,
    target: str | None = None,
    format: str | None = None,
    types: Mapping[str, str] | None = None,
    individual: str | None = None,
    schema: Schema | None = None,
    group: str | None = None,
    link: str | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    names: Sequence[str] | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    missing: Sequence[str] | None = None,
    smiles: str | None = None,
    hydrogens: Hydrogens | None = None,
    skip_bad: bool | None = None,
) -> Opened:
    """Open data by the name of a data set, or by the path of a file or folder.

    Parameters
    ----------
    where : str or Path
        A path that exists is a path; otherwise the name of a data set (see `structtree.dataset_names`).
    target : str, optional
        The attribute of the individuals that is the target; data sets, folders of the TU format, ARFF files and
        those of C4.5 know theirs.
    format, types, individual, schema, group, link
        How to read a file; see `structtree.data.sources.read_data`.
    delimiter, header, names, encoding, decimal, missing
        How to read delimited text; see `structtree.data.tables.read_csv`.
    smiles, hydrogens, skip_bad
        How to read molecules; see `structtree.data.molecules.read_molecules`.

    Examples
    --------
    >>> opened = open_data("lenses")
    >>> len(opened.population), opened.target_name
    (24, 'lenses')
    """
    if str(where) in dataset_names() and not Path(where).exists():
        found = load_dataset(str(where))
        if target is None or target == found.target_name:
            return Opened(
                found.name,
                found.population,
                found.target,
                found.target_name,
                found.description,
                found.source,
                found.grammar,
            )
        rest, labels = found.population.split_target(target)
        return Opened(found.name, rest, labels, target, found.description, found.source, found.grammar)
    if not Path(where).exists():
        raise MissingFileError(
            f"{str(where)!r} is neither a file nor a data set{did_you_mean(str(where), _near(Path(where)))}"
        )
    population = read_data(
        where,
        format=format,
        types=types,
        individual=individual,
        schema=schema,
        group=group,
        link=link,
        delimiter=delimiter,
        header=header,
        names=names,
        encoding=encoding,
        decimal=decimal,
        missing=missing,
        smiles=smiles,
        hydrogens=hydrogens,
        skip_bad=skip_bad,
    )
    if target is None:
        target = target_of(where, population, format)
    if target is None:
        return Opened(Path(where).stem, population, source=str(where))
    rest, labels = population.split_target(target)
    return Opened(Path(where).stem, rest, labels, target, source=str(where))


def _near(path: Path) -> list[str]:
    """What might have been meant: data sets, and the files beside."""
    beside = [str(path.with_name(p.name)) for p in path.parent.iterdir()] if path.parent.is_dir() else []
    return [*dataset_names(), *beside]
