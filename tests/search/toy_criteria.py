"""Criteria that the package knows nothing of, each as a user would write it."""

from __future__ import annotations

from itertools import product

import numpy as np

from structtree.tasks.criteria import Criterion


class Tsallis(Criterion):
    """Tsallis entropy with q = 3; concave, so that refinements are bounded by the corners of their box."""

    name = "tsallis"

    def impurity(self, sides):
        weights = sides.sum(axis=1)
        return weights - (sides**3).sum(axis=1) / np.where(weights > 0, weights, 1.0) ** 2


class BoundedTsallis(Tsallis):
    def bound(self, yes, total):
        corners = [np.asarray(yes) * corner for corner in product([0, 1], repeat=len(total))]
        return np.min([self.loss(corner, total)[:, 0] for corner in corners], axis=0)


class WrongTsallis(Tsallis):
    def bound(self, yes, total):
        return self.loss(yes, total)


class Spread(Criterion):
    """The mean standard deviation of the two sides."""

    name, task = "spread", "numbers"

    def impurity(self, sides):
        weights = np.where(sides[:, 0] > 0, sides[:, 0], 1.0)
        return np.sqrt(np.maximum(sides[:, 2] - sides[:, 1] ** 2 / weights, 0.0) * weights)
