"""Options of how leaves decide among classes: estimates of probabilities, and costs of errors."""

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
    """Options of how class counts become probabilities, and probabilities a class.

    Notes
    -----
    The estimate is the share of a class; the same with one more individual of every class (``"laplace"``); with ``m``
    more that are distributed as in the whole tree (``"m-estimate"``); or with ``m`` more that are distributed as the
    node above is estimated to be (``"m-branch"``). An individual that is added has the least weight of the training
    data, so that only the ratios of weights matter. By default the goal chooses (`structtree.learn.goals`); without a
    goal it is the share. Without ``costs`` every error costs 1.

    Examples
    --------
    >>> Decision("laplace", costs=[[0, 1], [5, 0]]).costs
    ((0.0, 1.0), (5.0, 0.0))
    """

    PANEL: ClassVar[str] = "What leaves predict"

    estimate: Estimate | None = option(
        None,
        "How leaves estimate probabilities.",
        parameter="leaf_estimate",
        shown_default="by the goal",
        for_classes=True,
    )
    m: float | None = option(
        None,
        "For m-estimate and m-branch: how many individuals the prior counts for.",
        Span(0, 1e15),
        shown_default="2",
        needs=("estimate", "m-estimate", "m-branch"),
        for_classes=True,
    )
    costs: Costs | None = option(
        None,
        "What predicting class j for an individual of class i costs, as costs[i][j], classes in order.",
        accepts="matrix",
        annotation="ArrayLike | None",
        flag="--cost",
        metavar="CLASS:SAID=COST",
        flag_help="The cost of an error: active:inactive=5 for predicting an active one inactive; may be repeated.",
        many=True,
        for_classes=True,
    )

    @property
    def is_plain(self) -> bool:
        """True where probabilities are what the counts say, give or take one individual."""
        return self.estimate in (None, "frequency") or (self.estimate == "m-estimate" and (self.m or 0.0) <= 1.0)

    def __post_init__(self) -> None:
        check_options(self)
        if self.m is not None and not isfinite(self.m):
            raise UsageError(f"m must be a number >= 0; got {self.m}")
        if self.m is None and self.estimate in ("m-estimate", "m-branch"):
            object.__setattr__(self, "m", 2.0)
        if self.costs is not None:
            object.__setattr__(self, "costs", _checked_costs(self.costs))


#: The most frequent class, every error costing the same.
MAJORITY = Decision()


def _checked_costs(costs: Any) -> Costs:
    try:
        rows = tuple(tuple(float(cost) for cost in row) for row in costs)
    except (TypeError, ValueError):
        raise UsageError(f"costs must be a square matrix of numbers >= 0; got {costs!r}") from None
    for i, row in enumerate(rows):
        if len(row) != len(rows):
            raise UsageError(
                f"costs must be a square matrix; got {len(rows)} rows, and {len(row)} numbers in row {i}"
            )
        for j, cost in enumerate(row):
            if not (isfinite(cost) and cost >= 0):
                raise UsageError(f"costs must be numbers >= 0; got {cost} in row {i}, column {j}")
    return rows
