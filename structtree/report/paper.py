"""Tables 1 to 4 of Ng and Lloyd's paper, computed again on built-in data beside the published figures.

``paper.toml`` has the published figures, with their source, and names the dataset and grammar for each problem. A row
is computed by the search or the cross-validation that users call; nothing here knows a result.

Accuracies have the sampling error of a few hundred individuals or fewer, so a row *agrees* if its accuracy is not
lower than the published one by more than two standard errors of the latter. A search agrees if the share of the space
that it evaluates is not larger than the published one.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from importlib.resources import files
from math import sqrt
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import Floats
from structtree.data.datasets.catalog import load_dataset
from structtree.data.population import Population
from structtree.data.readers.opening import open_data
from structtree.errors import StructtreeError, UnknownNameError, UsageError
from structtree.estimators import StructuralTreeClassifier
from structtree.evaluation.validate import Comparison, compare
from structtree.lang.grammar import Grammar
from structtree.progress import report_status
from structtree.report.effort import WARM
from structtree.reprs import short_repr
from structtree.search.best_split import best_split
from structtree.search.results import Split
from structtree.space.space import Space

__all__ = [
    "AccuracyRow",
    "NoData",
    "Paper",
    "PaperProblem",
    "SearchRow",
    "accuracy_row",
    "paper_rows",
    "problems_named",
    "published",
    "relabelled",
    "search_row",
]

TreeSize = Literal["full", "pruned"]

COMPARED = ("acc*", "entropy")
"""The criteria of tables 2 and 3."""

FURTHER = ("entropy", "gini")
"""Criteria that table 1 omits, because the paper has no bound for them."""

SIGNIFICANT = 0.05
"""Maximum p-value of a significant difference."""


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
    substitute : str, optional
        Name of a generated dataset of the same shape, searched if the dataset cannot be downloaded.
    missing, note : str
        Why there is no dataset; how the problem differs from that of the paper.
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
    substitute: str | None = None
    missing: str = ""
    note: str = ""

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


@dataclass(frozen=True, slots=True, eq=False)
class SearchRow:
    """Cost of a complete search with pruning, in table 1 or 4.

    Parameters
    ----------
    problem : PaperProblem
    criterion : str
    space : int
    split : Split
    substituted : str
        Why the substitute of the problem was searched; empty if its own data was.
    """

    problem: PaperProblem
    criterion: str
    space: int
    split: Split
    substituted: str = ""

    @property
    def percent(self) -> float:
        """The share of the space that was evaluated, in per cent."""
        return 100.0 * self.split.stats.evaluated / self.space

    @property
    def published(self) -> float | None:
        """The published share, in per cent; None if the paper has none."""
        return self.problem.percent(self.criterion)

    @property
    def agrees(self) -> bool | None:
        """True if the result is proved best and the share is at most the published one.

        None if there is no published share, or other data was searched.
        """
        if self.published is None or self.substituted:
            return None
        return self.split.proved and self.percent <= self.published

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain JSON values."""
        stats, searched = self.split.stats, self.problem.searched.get(self.criterion)
        published = {"space": self.problem.space, "searched": searched, "percent": self.published}
        return {
            "problem": self.problem.name,
            "criterion": self.criterion,
            "published": published,
            "space": self.space,
            "searched": stats.evaluated,
            "percent": self.percent,
            "seconds": stats.seconds,
            "predicate": str(self.split),
            "proved": self.split.proved,
            "agrees": self.agrees,
            "substitute": self.problem.substitute if self.substituted else None,
        }


@dataclass(frozen=True, slots=True, eq=False)
class AccuracyRow:
    """Accuracies of both criteria on the same folds, in table 2 or 3.

    Parameters
    ----------
    problem : PaperProblem
    size : {"full", "pruned"}
    individuals : int
    comparison : Comparison
    test : mapping from criterion to float
        Accuracies on the original test set, if there is one.
    """

    problem: PaperProblem
    size: TreeSize
    individuals: int
    comparison: Comparison
    test: Mapping[str, float]

    @property
    def published(self) -> Mapping[str, float]:
        """The published accuracies."""
        return self.problem.accuracy(self.size)

    @property
    def accuracy(self) -> dict[str, float]:
        """The mean accuracy of each criterion."""
        return {name: result.mean for name, result in self.comparison.results.items()}

    @property
    def p(self) -> float:
        """The p-value of the corrected paired t test of the two criteria."""
        (test,) = self.comparison.tests.values()
        return test.p

    @property
    def better(self) -> str | None:
        """The criterion that is significantly better, if any."""
        accuracy = self.accuracy
        return max(accuracy, key=lambda name: accuracy[name]) if self.p < SIGNIFICANT else None

    def error(self, criterion: str) -> float:
        """Return the standard error of a published accuracy, that of a share of the individuals."""
        share = self.published[criterion]
        return sqrt(share * (1 - share) / self.individuals)

    @property
    def below(self) -> tuple[str, ...]:
        """The criteria whose accuracy is lower than the published one by more than two standard errors."""
        found = self.accuracy
        least = {name: round(self.published[name] - 2 * self.error(name), 3) for name in self.published}
        return tuple(name for name in found if name in least and round(found[name], 3) < least[name])

    @property
    def agrees(self) -> bool:
        """True if no accuracy is lower than the published one by more than two standard errors."""
        return not self.below

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain JSON values."""
        results = self.comparison.results
        return {
            "problem": self.problem.name,
            "size": self.size,
            "individuals": self.individuals,
            "published": dict(self.published),
            "published_errors": {name: self.error(name) for name in self.published},
            "accuracy": self.accuracy,
            "leaves": {name: result.leaves_mean for name, result in results.items()},
            "seconds": {name: result.seconds for name, result in results.items()},
            "p": self.p,
            "better": self.better,
            "published_better": self.problem.better.get(self.size),
            "test": dict(self.test),
            "agrees": self.agrees,
        }


@dataclass(frozen=True, slots=True)
class NoData:
    """A problem without data, and the reason."""

    problem: PaperProblem
    reason: str

    def to_dict(self) -> dict[str, Any]:
        """Return the problem and the reason as plain JSON values."""
        return {"problem": self.problem.name, "missing": self.reason}


Row = SearchRow | AccuracyRow | NoData


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


def relabelled(classes: NDArray[Any], seed: int = 0) -> Floats:
    """Return random numbers for classes: those of one class are from one interval of length 1, in the order of names.

    Examples
    --------
    >>> numbers = relabelled(np.array(["b", "a", "b"]))
    >>> bool(0 <= numbers[1] < 1 <= numbers[0] < 2)
    True
    """
    _, codes = np.unique(classes, return_inverse=True)
    return np.asarray(codes.ravel() + np.random.default_rng(seed).random(len(classes)), dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class _Data:
    population: Population
    target: NDArray[Any]
    substituted: str = ""


def _load(problem: PaperProblem, files_of: Mapping[str, str | Path], is_search: bool) -> _Data | NoData:
    """Return the data of a problem, or of its substitute for a search, or why there is none."""
    if problem.key in files_of:
        opened = open_data(files_of[problem.key])
        if opened.target is None:
            raise UsageError(
                f"the file for {problem.key} needs a default target, as the last attribute of ARFF files"
            )
        return _Data(opened.population, opened.target)
    if problem.dataset is None:
        return NoData(problem, problem.missing)
    try:
        data = load_dataset(problem.dataset)
    except StructtreeError as error:
        if problem.substitute is None or not is_search:
            return NoData(problem, str(error))
        data = load_dataset(problem.substitute)
        return _Data(data.population, data.target, str(error))
    return _Data(data.population, data.target)


def search_row(
    problem: PaperProblem,
    population: Population,
    classes: NDArray[Any],
    criterion: str,
    seed: int = 0,
    substituted: str = "",
) -> SearchRow:
    """Search the space of a problem for the best split of all individuals, and count what was evaluated.

    Parameters
    ----------
    problem : PaperProblem
    population, classes : Population, array
        The data of the problem.
    criterion : str
        With ``"mse"``, the classes are replaced by numbers; see `relabelled`.
    seed : int
        Seed of these numbers.
    substituted : str
        Why this is not the data of the problem, if it is not.

    Examples
    --------
    >>> trains = load_dataset("trains")
    >>> problem = next(problem for problem in published().problems if problem.name == "East West")
    >>> row = search_row(problem, trains.population, trains.target, "acc*")
    >>> row.agrees, row.split.stats.evaluated < row.space
    (True, True)
    """
    space = Space.build(Grammar.load(problem.grammar or ""), population)
    target = relabelled(classes, seed) if criterion == "mse" else classes
    best_split(population, target, space, criterion=criterion, max_evaluations=WARM)
    found = best_split(population, target, space, criterion=criterion)
    return SearchRow(problem, criterion, space.size(), found, substituted)


def accuracy_row(
    problem: PaperProblem,
    population: Population,
    classes: NDArray[Any],
    size: TreeSize,
    *,
    folds: int = 10,
    repeats: int = 1,
    seed: int = 0,
) -> AccuracyRow:
    """Cross-validate trees by both criteria, on the same folds.

    Parameters
    ----------
    problem : PaperProblem
    population, classes : Population, array
        The data of the problem.
    size : {"full", "pruned"}
        Whether cost-complexity pruning chooses the size of each tree.
    folds, repeats, seed
        As for `structtree.compare`.

    Examples
    --------
    >>> lenses = load_dataset("lenses")
    >>> problem = next(problem for problem in published().problems if problem.name == "Lenses")
    >>> row = accuracy_row(problem, lenses.population, lenses.target, "full")
    >>> row.agrees, row.published["acc*"], sorted(row.accuracy)
    (True, 0.833, ['acc*', 'entropy'])
    """
    makers = {name: partial(_classifier, problem, name, size, seed) for name in COMPARED}
    comparison = compare(makers, population, classes, folds=folds, repeats=repeats, seed=seed)
    test = {}
    if problem.test is not None:
        cases = load_dataset(problem.test)
        for name, make in makers.items():
            test[name] = float(make().fit(population, classes).score(cases.population, cases.target))
    return AccuracyRow(problem, size, len(population), comparison, test)


def _classifier(problem: PaperProblem, criterion: str, size: TreeSize, seed: int) -> StructuralTreeClassifier:
    """Return a classifier whose splits are proved best."""
    sizes: dict[str, Any] = {"grow": "full"} if size == "full" else {"post_prune": "cost-complexity"}
    return StructuralTreeClassifier(problem.grammar, criterion=criterion, effort="prove", random_state=seed, **sizes)


def paper_rows(
    table: int,
    problems: Mapping[str, PaperProblem],
    files_of: Mapping[str, str | Path],
    *,
    repeats: int = 3,
    seed: int = 0,
) -> Iterator[Row]:
    """Yield the rows of a table, in the order of the paper.

    Parameters
    ----------
    table : {1, 2, 3, 4}
        1: search for acc*, then for entropy and the Gini index; 2 and 3: accuracies without and with post-pruning;
        4: search for the mean squared error after relabelling.
    problems : mapping
        The problems to compute, by key.
    files_of : mapping from key to path
        Files to use instead of built-in datasets.
    repeats, seed
        As for `structtree.compare`.

    Examples
    --------
    >>> (row,) = paper_rows(4, problems_named(["headline"]), {})
    >>> row.reason
    'the data is not available'
    """
    is_search = table in (1, 4)
    wanted = [one for one in problems.values() if (one.searched if is_search else one.full)]
    for number, problem in enumerate(wanted):
        report_status(f"table {table}", number, len(wanted), problem.name)
        data = _load(problem, files_of, is_search)
        if isinstance(data, NoData):
            yield data
        elif is_search:
            for criterion in ("acc*", *FURTHER) if table == 1 else ("mse",):
                yield search_row(problem, data.population, data.target, criterion, seed, data.substituted)
        else:
            size: TreeSize = "full" if table == 2 else "pruned"
            folds = published().folds
            yield accuracy_row(problem, data.population, data.target, size, folds=folds, repeats=repeats, seed=seed)


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
