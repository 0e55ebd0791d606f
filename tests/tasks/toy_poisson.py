"""A task that the package knows nothing of, as a user would write it: Poisson counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from structtree.errors import DataError
from structtree.tasks.criteria import Criterion
from structtree.tasks.metrics import Metric, metrics_by_name
from structtree.tasks.task import Task


@dataclass(frozen=True, slots=True)
class Rate:
    """Number, weight and summed counts of the individuals at a node."""

    n: int
    weight: float
    total: float

    def __str__(self):
        return f"n={self.n:,}, total {self.total:.4g}"

    @property
    def figures(self):
        return (self.weight, self.total)

    sums = figures


def entropy(total, weight):
    """total * log(total / weight), which is 0 where nothing was counted."""
    rate = np.where(total > 0, total, 1.0) / np.where(weight > 0, weight, 1.0)
    return np.where(total > 0, total * np.log(rate), 0.0)


class PoissonDeviance(Criterion):
    """Half the deviance that the rates of the sides leave, but for a constant of the node."""

    name, task, least = "poisson", "poisson", -np.inf

    def impurity(self, sides):
        return -entropy(sides[:, 1], sides[:, 0])


def deviance(actual, predicted):
    predicted = np.maximum(predicted, 1e-9)
    return 2 * (
        np.where(actual > 0, actual * np.log(np.where(actual > 0, actual, 1.0) / predicted), 0.0) - actual + predicted
    )


class PoissonTask(Task):
    """Counts per unit of weight."""

    name, noun, title, target_words = "poisson", "counts", "Poisson", "is a count"
    stats_type = Rate
    usual_criterion = PoissonDeviance()
    metrics = metrics_by_name(
        Metric(
            "deviance",
            "Poisson deviance",
            "poisson",
            lambda m, a: float(deviance(a.actual, a.predicted).mean()),
            True,
        )
    )

    def values(self, labels, chosen):
        counts = super().values(labels, chosen)
        bad = np.flatnonzero((counts < 0) | (counts != np.floor(counts)))
        if len(bad):
            raise DataError(f"a count must be a whole number >= 0; got {counts[bad[0]]:g}", individual=int(bad[0]))
        return counts

    def columns(self, values):
        return np.stack([np.ones_like(values), values], axis=1)

    def value(self, figures):
        return figures[:, 1] / np.where(figures[:, 0] > 0, figures[:, 0], 1.0)

    def spread(self, figures):
        return np.sqrt(self.value(figures))

    def loss(self, actual, predicted):
        return deviance(actual, predicted)

    def leaf_text(self, node):
        return f"rate {node.number(node.answer)}"
