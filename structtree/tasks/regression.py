"""Regression: prediction of a number, from the weight, mean and variance of the labels at a node."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import TOLERANCE, Floats
from structtree.data.json_parts import JsonPart
from structtree.tasks.decision import MAJORITY, Decision
from structtree.tasks.estimates import TreeFigures
from structtree.tasks.evidence import number_bits, number_p_value, precision_of
from structtree.tasks.statistics import Moments, Stats, Units
from structtree.tasks.task import RuleFigures, Task

__all__ = ["REGRESSION", "Regression"]

GREATEST = float(np.finfo(np.float64).max)
"""The largest float."""


class Regression(Task):
    """Task of predicting a number.

    Examples
    --------
    >>> REGRESSION.summary(np.array([1.0, 2.0]), np.ones(2))
    <Moments: n=2, mean 1.5, variance 0.25>
    """

    name = noun = "numbers"
    stats_type = Moments
    usual_criterion = "mse"

    def is_pure(self, values: NDArray[Any]) -> bool:
        """Return whether all numbers are equal, up to rounding."""
        return bool(np.ptp(values) <= TOLERANCE * np.abs(values).max())

    def units(self, values: NDArray[Any]) -> Units:
        """Return the units in which sums of the numbers are exact."""
        return Units.of(values)

    # ---- statistics -------------------------------------------------------------------------------------

    def columns(self, values: Floats) -> Floats:
        """Return 1, y and y² of each number."""
        return np.stack([np.ones_like(values), values, values**2], axis=1)

    def centre(self, values: NDArray[Any], weights: Floats) -> float:
        """Return the mean."""
        return float(np.average(values, weights=weights))

    def summary(self, values: NDArray[Any], weights: Floats) -> Moments:
        """Return weight, mean and variance, computed in two passes on scaled numbers."""
        units = Units.of(values)
        counted = units.counted(values)
        mean = float(np.average(counted, weights=weights))
        variance = float(np.average((counted - mean) ** 2, weights=weights))
        return self.in_plain_units(Moments(len(values), float(weights.sum()), mean, variance), units)

    def in_plain_units(self, stats: Stats, units: Units) -> Moments:
        """Return weight, mean and variance in the original units."""
        assert isinstance(stats, Moments)
        if units.are_plain:
            return stats
        # Rounding must not make the mean infinite.
        plain = min(max(units.zero + units.unit * stats.mean, -GREATEST), GREATEST)
        return Moments(stats.n, units.weight * stats.weight, plain, units.square(stats.variance))

    def value(self, figures: Floats) -> Floats:
        """Return the mean."""
        return figures[:, 1]

    def spread(self, figures: Floats) -> Floats:
        """Return the standard deviation."""
        return np.asarray(np.sqrt(np.maximum(figures[:, 2], 0.0)))

    # ---- pruning and stopping ---------------------------------------------------------------------------

    def risks(self, tree: TreeFigures, risk: str | None = None, decision: Decision = MAJORITY) -> Floats:
        """Return the weighted variances."""
        self.check_risk(risk)
        weights, _, variances = tree.seen.T
        return np.asarray(np.multiply(weights, variances, out=np.zeros(len(weights)), where=weights != 0))

    def check_risk(self, risk: str | None) -> None:
        """Reject the risks of classification."""
        super().check_risk(None if risk == "mse" else risk)

    def p_value(self, *sides: NDArray[Any]) -> float:
        """Return the p-value of the F test."""
        return number_p_value(*sides)

    def bits(self, groups: Sequence[NDArray[Any]], precision: float) -> list[float]:
        """Return the bits that encode each group as a normal distribution."""
        return [number_bits(group, precision, float(np.ptp(groups[0]))) for group in groups]

    def precision(self, values: NDArray[Any]) -> float:
        """Return the smallest difference between two numbers."""
        return precision_of(values)

    # ---- rules and files --------------------------------------------------------------------------------

    def rule_figures(self, counted: Sequence[Stats], answer: Any) -> RuleFigures:
        """Return the root mean squared error of the prediction."""
        weight, off = 0.0, 0.0
        for stats in counted:
            assert isinstance(stats, Moments)
            weight += stats.weight
            off += float(stats.weight * (stats.variance + (stats.mean - answer) ** 2))
        return RuleFigures(spread=sqrt(off / weight)) if weight else RuleFigures()

    def summary_from_json(self, part: JsonPart) -> Moments:
        """Return weight, mean and variance from JSON values."""
        mean, weight, variance = part.member("mean"), part.member("weight"), part.member("variance")
        return Moments(part.member("n").whole(), weight.weight(), mean.number(), variance.weight_or_infinity())


REGRESSION = Regression()
