"""Tables 1 to 4 of Ng and Lloyd's paper, computed again beside the published figures.

The problems and their data are in `structtree.report.paper_data`. A row is computed by the search or the
cross-validation that users call; nothing here knows a result.

Accuracies have the sampling error of a few hundred individuals or fewer, so a row *agrees* if its accuracy is not
lower than the published one by more than two standard errors of the latter. A search agrees if the share of the space
that it evaluates is not larger than the published one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import sqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import Floats
from structtree.data.datasets.catalog import load_dataset
from structtree.data.population import Population
from structtree.errors import StructtreeError
from structtree.estimators import StructuralTreeClassifier
from structtree.evaluation.validate import Comparison, compare
from structtree.lang.grammar import Grammar
from structtree.progress import report_status
from structtree.report.effort import WARM
from structtree.report.paper_data import NoData, PaperData, PaperProblem, ProblemData, published
from structtree.search.best_split import best_split
from structtree.search.results import Split
from structtree.space.space import Space

__all__ = [
    "AccuracyRow",
    "SearchRow",
    "accuracy_row",
    "paper_rows",
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
    note : str
        How the data differs from that of the paper.
    """

    problem: PaperProblem
    criterion: str
    space: int
    split: Split
    substituted: str = ""
    note: str = ""

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
    note : str
        How the data differs from that of the paper.
    """

    problem: PaperProblem
    size: TreeSize
    individuals: int
    comparison: Comparison
    test: Mapping[str, float]
    note: str = ""

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


Row = SearchRow | AccuracyRow | NoData


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


def search_row(
    problem: PaperProblem,
    population: Population,
    classes: NDArray[Any],
    criterion: str,
    seed: int = 0,
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

    Examples
    --------
    >>> from structtree.report.paper_data import problems_named
    >>> trains = load_dataset("trains")
    >>> (problem,) = problems_named(["east-west"]).values()
    >>> row = search_row(problem, trains.population, trains.target, "acc*")
    >>> row.agrees, row.split.stats.evaluated < row.space
    (True, True)
    """
    space = Space.build(Grammar.load(problem.grammar or ""), population)
    target = relabelled(classes, seed) if criterion == "mse" else classes
    best_split(population, target, space, criterion=criterion, max_evaluations=WARM)
    found = best_split(population, target, space, criterion=criterion)
    return SearchRow(problem, criterion, space.size(), found)


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
    >>> from structtree.report.paper_data import problems_named
    >>> lenses = load_dataset("lenses")
    >>> (problem,) = problems_named(["lenses"]).values()
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
    data: PaperData,
    *,
    repeats: int = 3,
    seed: int = 0,
) -> Iterator[Row]:
    """Yield the rows of a table, in the order of the paper.

    A problem whose data is missing, or does not suit its grammar, is a row with the reason.

    Parameters
    ----------
    table : {1, 2, 3, 4}
        1: search for acc*, then for entropy and the Gini index; 2 and 3: accuracies without and with post-pruning;
        4: search for the mean squared error after relabelling.
    problems : mapping
        The problems to compute, by key.
    data : PaperData
    repeats, seed
        As for `structtree.compare`.

    Examples
    --------
    >>> from structtree.report.paper_data import problems_named
    >>> (row,) = paper_rows(4, problems_named(["headline"]), PaperData())
    >>> row.reason
    'the data is not available'
    """
    is_search = table in (1, 4)
    wanted = [one for one in problems.values() if (one.searched if is_search else one.full)]
    for number, problem in enumerate(wanted):
        report_status(f"table {table}", number, len(wanted), problem.name)
        found = data.load(problem, substitute=is_search)
        try:
            yield from [found] if isinstance(found, NoData) else _rows(table, problem, found, repeats, seed)
        except StructtreeError as error:
            yield NoData(problem, str(error))


def _rows(table: int, problem: PaperProblem, data: ProblemData, repeats: int, seed: int) -> Iterator[Row]:
    given = (problem, data.population, data.target)
    if table in (1, 4):
        for criterion in ("acc*", *FURTHER) if table == 1 else ("mse",):
            row = search_row(*given, criterion, seed)
            yield replace(row, substituted=data.substituted, note=data.note)
    else:
        size: TreeSize = "full" if table == 2 else "pruned"
        row_of = partial(accuracy_row, folds=published().folds, repeats=repeats, seed=seed)
        yield replace(row_of(*given, size), note=data.note)
