"""Comparison of criteria and search orders at equal numbers of evaluations.

Scores of different criteria cannot be compared with each other, so each split also has its accuracy, and the share of
the gain that is neither reached nor ruled out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from structtree.data.readers.individuals import population_of
from structtree.errors import UsageError
from structtree.lang.grammar import Grammar, grammar_from
from structtree.lang.pretty import pretty
from structtree.search.best_split import Split, Strategy, best_split
from structtree.search.scorers import scorer_for
from structtree.space.background import with_background
from structtree.space.space import Space
from structtree.tasks.criteria import Criterion, criterion

__all__ = ["ORDERS", "BudgetRow", "compare_budgets"]

ORDERS: dict[str, Strategy] = {
    "bounds and finder": "best-first",
    "finder alone": "beam",
    "without bounds": "exhaustive",
}
"""The orders that are compared, and the strategy of each."""


@dataclass(frozen=True, slots=True)
class BudgetRow:
    """The best split after a number of evaluations.

    Parameters
    ----------
    criterion, order : str
    budget, evaluated : int
        The limit, and the number of predicates evaluated. Families are evaluated as a whole, so it can be exceeded.
    score : float
    open : float
        Share of the possible gain that is neither reached nor ruled out; 0 if the split is proved best.
    proved : bool
    accuracy : float or None
        Accuracy of the split if each branch predicts its majority class; None for numbers.
    predicate : str
    seconds : float
    """

    criterion: str
    order: str
    budget: int
    evaluated: int
    score: float
    open: float
    proved: bool
    accuracy: float | None
    predicate: str
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain JSON values."""
        return asdict(self)


def compare_budgets(
    individuals: Any,
    target: ArrayLike,
    grammar: str | Path | Grammar | Space,
    budgets: Sequence[int],
    criteria: Sequence[str | Criterion] | None = None,
    *,
    min_samples_leaf: int = 1,
) -> Iterator[BudgetRow]:
    """Yield the best split of each criterion and order after each number of evaluations.

    Parameters
    ----------
    individuals, target, grammar, min_samples_leaf
        As for `best_split`.
    budgets : sequence of int
        Maximum numbers of evaluations.
    criteria : sequence of str or Criterion, optional
        All criteria that apply to the target by default.

    Examples
    --------
    >>> from structtree import Grammar, load_dataset
    >>> trains = load_dataset("trains")
    >>> rows = compare_budgets(trains.population, trains.target, Grammar.load("trains"), [300], ["acc*"])
    >>> [(row.order, row.score >= 0.7, row.proved) for row in rows]
    [('bounds and finder', True, False), ('finder alone', True, False), ('without bounds', True, False)]
    """
    population, labels = population_of(individuals), np.asarray(target)
    if isinstance(grammar, Space):
        space = grammar
    else:
        parsed = grammar_from(grammar)
        population = with_background(population, parsed, {})
        space = Space.build(parsed, population)
    for budget in budgets:
        if budget < 1:
            raise UsageError(f"a budget must be an int >= 1; got {budget}")
    for each in map(criterion, criteria) if criteria else scorer_for(None, labels, len(population)).task.criteria:
        for order, strategy in ORDERS.items():
            for budget in budgets:
                options: dict[str, Any] = {"strategy": strategy, "max_evaluations": budget}
                found = best_split(
                    population, labels, space, criterion=each, min_samples_leaf=min_samples_leaf, **options
                )
                yield _row(order, budget, found)


def _row(order: str, budget: int, found: Split) -> BudgetRow:
    start, end = found.stats.trace[0], found.stats.trace[-1]
    room = abs(start.bound - start.score)
    is_counted = found.problem.scorer.task.name == "classes"
    right = float((found.yes.max() + found.no.max()) / (found.yes.sum() + found.no.sum())) if is_counted else None
    return BudgetRow(
        found.criterion,
        order,
        budget,
        found.stats.evaluated,
        found.score,
        0.0 if found.proved or not room else abs(end.bound - end.score) / room,
        found.proved,
        right,
        pretty(found.predicate),
        found.stats.seconds,
    )
