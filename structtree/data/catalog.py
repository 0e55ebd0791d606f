"""The data sets that have a name: small ones written out in ``datasets/``, and seeded generators.

`dataset_catalog` tells what there is without reading any of it; `load_dataset` gives one, its target apart.
The facts about each set are in one table here; what its columns mean is in ``datasets/README.md``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Any, Literal

from numpy.typing import NDArray

from structtree.data.columns import Population
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
from structtree.data.shipped import shipped
from structtree.errors import UnknownNameError, UsageError, did_you_mean

__all__ = ["Dataset", "Entry", "Task", "dataset_catalog", "dataset_names", "load_dataset"]

Task = Literal["classes", "numbers"]


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
    task: Task
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
    kind: Literal["embedded", "generated"]
    task: Task = "classes"
    grammar: str | None = None
    detail: str = ""
    _origin: _File | _Generator = field(kw_only=True, repr=False, compare=False)

    @property
    def options(self) -> tuple[str, ...]:
        """What `load_dataset` can be told about this set, such as ``n`` and ``seed``."""
        match self._origin:
            case _Generator(make):
                return tuple(inspect.signature(make).parameters)
            case _File():
                return ()


@dataclass(frozen=True, slots=True)
class _File:
    """A shipped file; a table also says the kind of its columns, and which of them only names the rows."""

    name: str
    types: Mapping[str, str] = field(default_factory=dict)
    label: str | None = None


@dataclass(frozen=True, slots=True)
class _Generator:
    make: Callable[..., Population]


def load_dataset(name: str, **options: Any) -> Dataset:
    """A named data set, its target apart.

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
    entry = _ENTRIES.get(name)
    if entry is None:
        raise UnknownNameError("data set", name, _ENTRIES)
    _check_options(entry, options)
    match entry._origin:
        case _File() as file:
            whole = _read(file)
        case _Generator(make):
            whole = make(**options)
    population, target = whole.split_target(entry.target)
    description = " ".join(part for part in (entry.summary, entry.detail) if part)
    return Dataset(name, population, target, entry.target, entry.task, description, entry.source, entry.grammar)


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
        grammar="molecules",
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

_ENTRIES: Mapping[str, Entry] = MappingProxyType({entry.name: entry for entry in (*_EMBEDDED, *_MADE)})
