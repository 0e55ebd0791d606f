"""The problems of Ng and Lloyd's paper: the published figures, and where the data comes from.

``paper.toml`` declares both. The data of a problem is a file that the user names, the original file in a folder, or a
built-in dataset, whichever is found first. A problem without data is a value, not an error: it costs one row only.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from structtree.data.datasets.catalog import load_dataset
from structtree.data.population import Population
from structtree.data.readers.opening import Opened, open_data
from structtree.errors import StructtreeError, UnknownNameError, UsageError
from structtree.reprs import short_repr

__all__ = ["NoData", "Paper", "PaperData", "PaperProblem", "ProblemData", "problems_named", "published"]


@dataclass(frozen=True, slots=True)
class PaperProblem:
    """A problem of the paper: its published figures, and the data and grammar used here.

    Parameters
    ----------
    name : str
    space : int, optional
        Published size of the space.
    searched : mapping from criterion to int
        Published number of predicates that a complete search with pruning evaluates.
    full, pruned : mapping from criterion to float
        Published accuracies without and with post-pruning.
    seconds : mapping from criterion to float
        Published times for the former.
    better : mapping from size to criterion
        Published significant differences.
    dataset, grammar, test : str, optional
        Names of the dataset, of the grammar, and of a dataset with the original test set.
    original : mapping
        The file of the original data (``file``, a name), and the options for reading it; see `PaperData`.
    substitute : str, optional
        Name of a generated dataset of the same shape, searched if the dataset cannot be downloaded.
    missing, note, note_on_dataset : str
        Why there is no dataset; how the problem, and how the dataset, differs from that of the paper.
    """

    name: str
    space: int | None = None
    searched: Mapping[str, int] = field(default_factory=dict)
    full: Mapping[str, float] = field(default_factory=dict)
    pruned: Mapping[str, float] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    better: Mapping[str, str] = field(default_factory=dict)
    dataset: str | None = None
    grammar: str | None = None
    test: str | None = None
    original: Mapping[str, Any] = field(default_factory=dict)
    substitute: str | None = None
    missing: str = ""
    note: str = ""
    note_on_dataset: str = ""

    @property
    def key(self) -> str:
        """The name as users type it, such as ``int-trees``."""
        return self.name.lower().replace(" ", "-")

    def percent(self, criterion: str) -> float | None:
        """Return the published share of the space that was searched, in per cent."""
        searched = self.searched.get(criterion)
        return None if searched is None or self.space is None else 100.0 * searched / self.space

    def accuracy(self, size: str) -> Mapping[str, float]:
        """Return the published accuracies of full or pruned trees."""
        return self.full if size == "full" else self.pruned

    def __repr__(self) -> str:
        return short_repr(self, self.name, self.dataset or self.missing)


@dataclass(frozen=True, slots=True)
class Paper:
    """The published tables, with their source."""

    title: str
    source: str
    folds: int
    problems: tuple[PaperProblem, ...]

    def __repr__(self) -> str:
        return short_repr(self, self.title, f"{len(self.problems)} problems")


@dataclass(frozen=True, slots=True)
class NoData:
    """A problem without data, and the reason."""

    problem: PaperProblem
    reason: str

    def to_dict(self) -> dict[str, Any]:
        """Return the problem and the reason as plain JSON values."""
        return {"problem": self.problem.name, "missing": self.reason}


@cache
def published() -> Paper:
    """Return the published figures.

    Examples
    --------
    >>> paper = published()
    >>> len(paper.problems), paper.problems[1].space, paper.problems[1].searched["acc*"]
    (13, 535, 108)
    """
    text = files("structtree.report").joinpath("paper.toml").read_text(encoding="utf-8")
    declared = tomllib.loads(text)
    problems = tuple(PaperProblem(**problem) for problem in declared.pop("problem"))
    return Paper(problems=problems, **declared)


def problems_named(names: list[str]) -> dict[str, PaperProblem]:
    """Return problems by key; all of them if no names are given.

    Examples
    --------
    >>> list(problems_named(["lenses", "monks-1"]))
    ['lenses', 'monks-1']
    """
    known = {problem.key: problem for problem in published().problems}
    for name in names:
        if name not in known:
            raise UnknownNameError("problem", name, known)
    return {name: problem for name, problem in known.items() if not names or name in names}


# ---- the data -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class ProblemData:
    """The individuals and classes of a problem.

    Parameters
    ----------
    population, target : Population, array
    source : str
        The file, or the name of the built-in dataset.
    substituted : str
        Why this is a substitute; empty for the data of the problem.
    note : str
        How the data differs from that of the paper.
    """

    population: Population
    target: NDArray[Any]
    source: str
    substituted: str = ""
    note: str = ""


@dataclass(slots=True, eq=False)
class PaperData:
    """The data of all problems; each is read once.

    Parameters
    ----------
    files_of : mapping from key to path
        Files to use, by problem.
    folder : path, optional
        Folder with original files, under their original names, possibly in subfolders or compressed with gzip.

    Examples
    --------
    >>> lenses = PaperData().load(problems_named(["lenses"])["lenses"])
    >>> len(lenses.population), lenses.source
    (24, 'lenses')
    """

    files_of: Mapping[str, str | Path] = field(default_factory=dict)
    folder: Path | None = None
    _read: dict[str, ProblemData | NoData] = field(default_factory=dict)

    def load(self, problem: PaperProblem, *, substitute: bool = False) -> ProblemData | NoData:
        """Return the data of a problem, or of its substitute if that is allowed, or why there is none."""
        if problem.key not in self._read:
            try:
                self._read[problem.key] = self._load(problem)
            except StructtreeError as error:
                self._read[problem.key] = NoData(problem, str(error))
        found = self._read[problem.key]
        if isinstance(found, NoData) and substitute and problem.substitute is not None:
            data = load_dataset(problem.substitute)
            return ProblemData(data.population, data.target, problem.substitute, found.reason)
        return found

    def _load(self, problem: PaperProblem) -> ProblemData | NoData:
        path = self.files_of.get(problem.key)
        if path is not None:
            return _opened(open_data(path), path)
        original = self._original(problem)
        if original is not None:
            return _read_original(problem, original)
        if problem.dataset is None:
            return NoData(problem, problem.missing)
        data = load_dataset(problem.dataset)
        return ProblemData(data.population, data.target, problem.dataset, note=problem.note_on_dataset)

    def _original(self, problem: PaperProblem) -> Path | None:
        """Return the original file of a problem in the folder, if it is there."""
        name = problem.original.get("file")
        if self.folder is None or name is None:
            return None
        return next(iter(sorted((*self.folder.rglob(name), *self.folder.rglob(f"{name}.gz")))), None)


def _read_original(problem: PaperProblem, path: Path) -> ProblemData:
    options = {key: value for key, value in problem.original.items() if key != "file"}
    if options.get("format") == "molecule-facts":
        whole = _molecules(path.parent)
        population, target = whole.split_target("active")
        return ProblemData(population, target, str(path), note=f"read from {path}")
    return _opened(open_data(path, **options), path)


def _opened(opened: Opened, path: str | Path) -> ProblemData:
    if opened.target is None:
        raise UsageError(f"{path}: the file needs a default target, as the last attribute of ARFF files")
    return ProblemData(opened.population, opened.target, str(path), note=f"read from {path}")


# ---- mutagenesis as Prolog facts ------------------------------------------------------------------------

_FACT = re.compile(r"(\w+)\(([^()]*)\)")
_ORDERS = {"1": "single", "2": "double", "3": "triple", "7": "aromatic"}  # the others have no name


def _molecules(folder: Path) -> Population:
    """Return the 188 compounds of the facts ``atm``, ``bond`` and ``act``; a positive activity is *active*."""
    wanted = [line.partition(",")[0] for line in (folder / "examples_188.csv").read_text().splitlines()[1:]]
    activity = {name: float(value) for _, (name, value) in _facts(folder / "log_mutag.pl")}
    atoms: dict[str, dict[str, dict[str, Any]]] = {name: {} for name in wanted}
    for kind, (molecule, *arguments) in _facts(folder / "atom_bond.pl"):
        own = atoms.get(molecule)
        if own is not None and kind == "atm":
            own[arguments[0]] = {"$id": arguments[0], "element": arguments[1].capitalize(), "bonds": []}
        elif own is not None and kind == "bond":
            start, end, order = arguments
            for one, other in ((start, end), (end, start)):
                own[one]["bonds"].append({"order": _ORDERS.get(order, order), "to": {"$ref": other}})
    records = [
        {"active": "yes" if activity[name] > 0 else "no", "atoms": list(own.values())} for name, own in atoms.items()
    ]
    return Population.from_records(records, individual="Molecule", types={"atoms": "set", "bonds": "set"})


def _facts(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the predicate and the arguments of each ground fact."""
    for name, inside in _FACT.findall(path.read_text(encoding="utf-8")):
        yield name, [argument.strip() for argument in inside.split(",")]
