"""Options for class predictions: probability estimates and misclassification costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, ClassVar, Literal

from structtree.errors import UsageError
from structtree.options import Span, check_options, documented, option

__all__ = ["MAJORITY", "Costs", "Decision", "Estimate"]

Estimate = Literal["frequency", "laplace", "m-estimate", "m-branch"]
Costs = Sequence[Sequence[float]]


@documented
@dataclass(frozen=True, slots=True)
class Decision:
    """Options for computing probabilities from class counts, and for choosing a class.

    Notes
    -----
    ``"frequency"`` is the relative frequency of a class. ``"laplace"`` adds one individual of every class;
    ``"m-estimate"`` adds ``m`` individuals with the class distribution of the training data; ``"m-branch"`` adds
    ``m`` individuals with the estimated distribution of the parent node. Each added individual has the smallest
    training weight, so that only the ratios of weights matter. The default depends on the goal
    (`structtree.learn.goals`); without a goal it is ``"frequency"``. Without ``costs`` every error costs 1.

    Examples
    --------
    >>> Decision("laplace", costs=[[0, 1], [5, 0]]).costs
    ((0.0, 1.0), (5.0, 0.0))
    """

    PANEL: ClassVar[str] = "Leaf predictions"

    estimate: Estimate | None = option(
        None,
        "Probability estimate of the leaves.",
        parameter="leaf_estimate",
        shown_default="depends on the goal",
        for_classes=True,
    )
    m: float | None = option(
        None,
        "For m-estimate and m-branch: weight of the prior, as a number of individuals.",
        Span(0, 1e15),
        shown_default="2",
        needs=("estimate", "m-estimate", "m-branch"),
        for_classes=True,
    )
    costs: Costs | None = option(
        None,
        "Misclassification costs: costs[i][j] is the cost of predicting class j for true class i.",
        accepts="matrix",
        annotation="ArrayLike | None",
        flag="cost",
        metavar="TRUE:PREDICTED=COST",
        flag_help="Misclassification cost, such as active:inactive=5; can be repeated.",
        many=True,
        for_classes=True,
    )

    @property
    def is_plain(self) -> bool:
        """True if the probabilities are relative frequencies, with at most one individual added for smoothing."""
        return self.estimate in (None, "frequency") or (self.estimate == "m-estimate" and (self.m or 0.0) <= 1.0)

    def __post_init__(self) -> None:
        check_options(self)
        if self.m is not None and not isfinite(self.m):
            raise UsageError(f"m must be a number >= 0; got {self.m}")
        if self.m is None and self.estimate in ("m-estimate", "m-branch"):
            object.__setattr__(self, "m", 2.0)
        if self.costs is not None:
            object.__setattr__(self, "costs", _checked_costs(self.costs))


#: Predicts the most frequent class; all errors cost the same.
MAJORITY = Decision()


def _checked_costs(costs: Any) -> Costs:
    try:
        rows = tuple(tuple(float(cost) for cost in row) for row in costs)
    except (TypeError, ValueError):
        raise UsageError(f"costs must be a square matrix of numbers >= 0; got {costs!r}") from None
    for i, row in enumerate(rows):
        if len(row) != len(rows):
            raise UsageError(f"costs must be a square matrix; got {len(rows)} rows and {len(row)} numbers in row {i}")
        for j, cost in enumerate(row):
            if not (isfinite(cost) and cost >= 0):
                raise UsageError(f"costs must be numbers >= 0; got {cost} in row {i}, column {j}")
    return rows
