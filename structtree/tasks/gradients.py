"""Losses of margins, with their gradients and Hessians, for ensembles that are sums of trees.

A margin is the sum that an ensemble computes for an individual: a number, its logarithm, the log odds of the second
class, or one number for each class. A Newton step minimises the second-order expansion of the loss: it is a weighted
regression on -G / H with weights H, so that a tree of boosting is a regression tree whose statistics are the
gradients G and the Hessians H (J. Friedman, "Greedy function approximation", 2001; Chen and Guestrin, "XGBoost",
2016). The leaves of absolute and quantile loss, which have no curvature, are quantiles of the residuals.

Law: gradients and Hessians are the derivatives of the losses (`tests/tasks/test_gradients.py`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import Codes, Floats, Ints
from structtree.errors import DataError, UnknownNameError, UsageError
from structtree.remarks import option_text
from structtree.tasks.task import Task

__all__ = ["Derivatives", "MarginLoss", "grouped_quantiles", "margin_loss"]

LEAST_PRIOR = 1e-9
"""Minimum share of a class in the first margins, so that they are finite."""

GREATEST_EXPONENT = 500.0
"""Maximum logarithm of a predicted number."""


class Derivatives(NamedTuple):
    """First and second derivative of the loss of each individual by each of its margins, as (individuals, k)."""

    gradients: Floats
    hessians: Floats


class MarginLoss(ABC):
    """Loss of margins.

    Attributes
    ----------
    name : str
    label : str
        Its name in texts.
    margin_name : str
        What a margin is.
    degree : int
        If labels are multiplied by u, margins are too, and losses are multiplied by u to this power; 0 if the
        prediction is not the margin itself.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    margin_name: ClassVar[str] = "mean"
    degree: ClassVar[int] = 0

    @property
    def n_margins(self) -> int:
        """Number of margins of an individual."""
        return 1

    @abstractmethod
    def start(self, values: NDArray[Any], weights: Floats) -> Floats:
        """Return the best constant margins, as (k,)."""

    @abstractmethod
    def derivatives(self, values: NDArray[Any], margins: Floats) -> Derivatives:
        """Return gradients and Hessians; margins are (individuals, k)."""

    @abstractmethod
    def losses(self, values: NDArray[Any], margins: Floats) -> Floats:
        """Return the loss of each individual."""

    def predictions(self, margins: Floats) -> Floats:
        """Return what margins predict: one number each, or probabilities."""
        return margins[:, 0]

    def leaf_values(
        self, values: NDArray[Any], weights: Floats, margins: Floats, leaves: Codes, n_leaves: int
    ) -> Floats | None:
        """Return the best value to add to the margins in each leaf; None for Newton steps."""
        return None

    def check(self, values: NDArray[Any]) -> None:  # noqa: B027  # most losses are defined for all labels
        """Reject invalid labels."""


# ---- classes ---------------------------------------------------------------------------------------------------


class LogLoss(MarginLoss):
    """Negative log-likelihood of two classes, whose margin is the log odds of the second."""

    name, label, margin_name = "log-loss", "log loss", "log odds"

    def start(self, values: NDArray[Any], weights: Floats) -> Floats:
        """Return the log odds of the second class."""
        share = np.clip(np.average(values, weights=weights), LEAST_PRIOR, 1 - LEAST_PRIOR)
        return np.array([np.log(share / (1 - share))])

    def derivatives(self, values: NDArray[Any], margins: Floats) -> Derivatives:
        """Return p - y and p (1 - p)."""
        chances = _logistic(margins)
        return Derivatives(chances - values[:, None], chances * (1 - chances))

    def losses(self, values: NDArray[Any], margins: Floats) -> Floats:
        """Return the negative logarithm of the probability of each class."""
        wrong = np.where(values == 1, -margins[:, 0], margins[:, 0])
        return np.asarray(np.maximum(wrong, 0.0) + np.log1p(np.exp(-np.abs(wrong))))  # faster than logaddexp

    def predictions(self, margins: Floats) -> Floats:
        """Return the probabilities of both classes."""
        second = _logistic(margins[:, 0])
        return np.stack([1 - second, second], axis=1)


def _logistic(margins: Floats) -> Floats:
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * margins)))


@dataclass(frozen=True)
class SoftmaxLoss(MarginLoss):
    """Negative log-likelihood of several classes, with one margin each.

    The Hessians are those of each margin alone, times k / (k - 1) as in Friedman's LK-TreeBoost.

    Parameters
    ----------
    n_classes : int
    """

    name, label, margin_name = "log-loss", "log loss", "score"
    n_classes: int

    @property
    def n_margins(self) -> int:
        """One margin for each class."""
        return self.n_classes

    def start(self, values: NDArray[Any], weights: Floats) -> Floats:
        """Return the logarithms of the shares of the classes, centred."""
        shares = np.bincount(values, weights, self.n_classes) / weights.sum()
        logs = np.log(np.maximum(shares, LEAST_PRIOR))
        return np.asarray(logs - logs.mean())

    def derivatives(self, values: NDArray[Any], margins: Floats) -> Derivatives:
        """Return p - y and p (1 - p) k / (k - 1)."""
        chances = self.predictions(margins)
        hessians = chances * (1 - chances) * (self.n_classes / max(1, self.n_classes - 1))
        gradients = chances.copy(order="K")
        gradients[np.arange(len(values)), values] -= 1.0
        return Derivatives(gradients, hessians)

    def losses(self, values: NDArray[Any], margins: Floats) -> Floats:
        """Return the negative logarithm of the probability of each class."""
        top = margins.max(axis=1)
        total = np.log(np.exp(margins - top[:, None]).sum(axis=1)) + top
        return np.asarray(total - margins[np.arange(len(values)), values])

    def predictions(self, margins: Floats) -> Floats:
        """Return the probabilities of the classes."""
        powers = np.exp(margins - margins.max(axis=1)[:, None])
        return np.asarray(powers / powers.sum(axis=1)[:, None])


# ---- numbers ---------------------------------------------------------------------------------------------------


class SquaredLoss(MarginLoss):
    """Half of the squared error."""

    name, label, degree = "squared", "squared error", 2

    def start(self, values: NDArray[Any], weights: Floats) -> Floats:
        """Return the mean."""
        return np.array([np.average(values, weights=weights)])

    def derivatives(self, values: NDArray[Any], margins: Floats) -> Derivatives:
        """Return the error and 1."""
        return Derivatives(margins - values[:, None], np.ones_like(margins))

    def losses(self, values: NDArray[Any], margins: Floats) -> Floats:
        """Return half of the squared errors."""
        return np.asarray(0.5 * (values - margins[:, 0]) ** 2)


@dataclass(frozen=True)
class QuantileLoss(MarginLoss):
    """Pinball loss, whose best constant is a quantile.

    Parameters
    ----------
    quantile : float
    """

    name, label, margin_name, degree = "quantile", "quantile loss", "quantile", 1
    quantile: float = 0.5

    def start(self, values: NDArray[Any], weights: Floats) -> Floats:
        """Return the quantile."""
        return grouped_quantiles(values, weights, np.zeros(len(values), dtype=np.int64), 1, self.quantile)

    def derivatives(self, values: NDArray[Any], margins: Floats) -> Derivatives:
        """Return the slopes, and 1 in place of the curvature."""
        slopes = np.where(margins < values[:, None], -self.quantile, 1 - self.quantile)
        return Derivatives(np.where(margins == values[:, None], 0.0, slopes), np.ones_like(margins))

    def losses(self, values: NDArray[Any], margins: Floats) -> Floats:
        """Return the errors, weighted by the quantile below the label and by the rest above it."""
        errors = values - margins[:, 0]
        return np.asarray(np.maximum(self.quantile * errors, (self.quantile - 1) * errors))

    def leaf_values(
        self, values: NDArray[Any], weights: Floats, margins: Floats, leaves: Codes, n_leaves: int
    ) -> Floats | None:
        """Return the quantile of the residuals of each leaf."""
        return grouped_quantiles(values - margins[:, 0], weights, leaves, n_leaves, self.quantile)


class AbsoluteLoss(QuantileLoss):
    """Absolute error, which is twice the loss of the median."""

    name, label, margin_name = "absolute", "absolute error", "median"

    def __init__(self) -> None:
        super().__init__(0.5)

    def losses(self, values: NDArray[Any], margins: Floats) -> Floats:
        """Return the absolute errors."""
        return np.asarray(np.abs(values - margins[:, 0]))

    def derivatives(self, values: NDArray[Any], margins: Floats) -> Derivatives:
        """Return the signs of the errors, and 1 in place of the curvature."""
        return Derivatives(np.sign(margins - values[:, None]), np.ones_like(margins))


class PoissonLoss(MarginLoss):
    """Negative log-likelihood of counts, up to a constant; the margin is the logarithm of the mean."""

    name, label, margin_name = "poisson", "Poisson loss", "logarithm of the mean"

    def start(self, values: NDArray[Any], weights: Floats) -> Floats:
        """Return the logarithm of the mean."""
        return np.array([np.log(np.average(values, weights=weights))])

    def derivatives(self, values: NDArray[Any], margins: Floats) -> Derivatives:
        """Return the difference between mean and count, and the mean."""
        means = np.exp(np.minimum(margins, GREATEST_EXPONENT))
        return Derivatives(means - values[:, None], means)

    def losses(self, values: NDArray[Any], margins: Floats) -> Floats:
        """Return mean - count · log(mean)."""
        return np.asarray(self.predictions(margins) - values * margins[:, 0])

    def predictions(self, margins: Floats) -> Floats:
        """Return the means."""
        return np.asarray(np.exp(np.minimum(margins[:, 0], GREATEST_EXPONENT)))

    def check(self, values: NDArray[Any]) -> None:
        """Reject negative labels, and labels that are all 0."""
        bad = np.flatnonzero(values < 0)
        if len(bad):
            raise DataError(
                f"{option_text('loss', 'poisson')} needs targets >= 0; got {values[bad[0]]:g}", individual=int(bad[0])
            )
        if not values.any():
            raise DataError(f"{option_text('loss', 'poisson')} needs a target above 0; all targets are 0")


def grouped_quantiles(
    values: Floats, weights: Floats, groups: Codes | Ints, n_groups: int, quantile: float
) -> Floats:
    """Return a weighted quantile of the values of each group, half-way between two values if both are quantiles.

    The quantile of an empty group is 0.

    Examples
    --------
    >>> grouped_quantiles(np.array([3.0, 1.0, 2.0, 5.0]), np.ones(4), np.array([0, 0, 0, 1]), 2, 0.5).tolist()
    [2.0, 5.0]
    >>> grouped_quantiles(np.array([1.0, 2.0]), np.ones(2), np.array([0, 0]), 1, 0.5).tolist()
    [1.5]
    """
    order = np.lexsort((values, groups))
    groups, values, weights = groups[order], values[order], weights[order]
    first = np.searchsorted(groups, np.arange(n_groups + 1))
    below = np.concatenate([[0.0], np.cumsum(weights)])
    wanted = below[first[:-1]] + quantile * (below[first[1:]] - below[first[:-1]])
    slack = 1e-12 * below[-1]
    last = np.maximum(first[1:] - 1, 0)
    low = np.clip(np.searchsorted(below, wanted - slack, side="left") - 1, np.minimum(first[:-1], last), last)
    high = np.clip(np.searchsorted(below, wanted + slack, side="right") - 1, np.minimum(first[:-1], last), last)
    is_empty = first[:-1] == first[1:]
    return np.where(is_empty, 0.0, 0.5 * (values[low] + values[high]))


# ---- by name ---------------------------------------------------------------------------------------------------


def margin_loss(name: str | None, quantile: float, task: Task) -> MarginLoss:
    """Return a loss for a task; the default is log loss for classes and squared error for numbers.

    Examples
    --------
    >>> from structtree.tasks.registry import as_task
    >>> margin_loss(None, 0.5, as_task("numbers")).label
    'squared error'
    >>> margin_loss("poisson", 0.5, as_task("classes"))
    Traceback (most recent call last):
        ...
    structtree.errors.UsageError: loss='poisson' is for numbers, but the target has classes
    """
    if name is None:
        name = "log-loss" if task.predicts_classes else "squared"
    if task.predicts_classes != (name == "log-loss"):
        kind = "classes" if name == "log-loss" else "numbers"
        raise UsageError(f"{option_text('loss', name)} is for {kind}, but the target {task.target_words}")
    if task.predicts_classes:
        n = len(task.classes)
        return LogLoss() if n == 2 else SoftmaxLoss(n)
    losses = (SquaredLoss(), AbsoluteLoss(), QuantileLoss(quantile), PoissonLoss())
    found = {loss.name: loss for loss in losses}.get(name)
    if found is None:
        raise UnknownNameError("loss", name, [loss.name for loss in losses])
    return found
