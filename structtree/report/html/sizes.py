"""Loss of a tree by its number of leaves: in training, in cross-validation, and on given individuals.

Cross-validated losses are recorded by the fit, also for sizes beyond that of the tree. The other losses come from the
tree: pruning its weakest branches first gives one tree for each smaller size.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from structtree.arrays import Floats, Ints
from structtree.data.population import Population
from structtree.learn.pruning import losses_along, pruning_path
from structtree.models.model import Model

__all__ = ["size_curves"]

MOST_POINTS = 200
"""Approximate maximum number of points of a curve."""


def size_curves(model: Model, population: Population, target: ArrayLike | None) -> dict[str, Any]:
    """Return the mean loss of pruned versions of a tree by number of leaves, as plain JSON values.

    Parameters
    ----------
    model : Model
    population : Population
        Individuals prepared for the tests of the model.
    target : array, optional
        True labels of the individuals.

    Returns
    -------
    dict
        ``chosen`` is the number of leaves of the tree. ``training``, ``held_out`` and ``here`` are lists of leaves
        and loss; ``held_out`` also has standard errors. Curves that are not known are absent.

    Examples
    --------
    >>> from structtree import StructuralTreeClassifier, load_dataset
    >>> trains = load_dataset("trains")
    >>> tree = StructuralTreeClassifier("trains").fit(trains.population, trains.target)
    >>> curves = size_curves(tree.model_, trains.population, trains.target)
    >>> curves["chosen"], curves["here"]
    (3, [[1, 0.5], [2, 0.1], [3, 0.0]])
    """
    tree, recorded = model.tree, model.outcome.sizes
    path = pruning_path(tree, decision=model.decision)
    curves = {"chosen": len(tree.leaves), "training": _curve(path.n_leaves, path.risks)}
    if recorded:
        columns = (recorded.leaves, recorded.held_out, recorded.standard_error)
        curves["held_out"] = sorted(map(list, zip(*columns, strict=True)))
        curves["training"] = sorted(map(list, zip(recorded.leaves, recorded.training, strict=True)))
    if target is not None and len(population):
        losses = losses_along(tree, path, population, target, model.decision)
        curves["here"] = _curve(path.n_leaves, losses)
    return curves


def _curve(n_leaves: Ints, losses: Floats) -> list[list[float]]:
    """Return pairs of number of leaves and loss, thinned to about `MOST_POINTS` points."""
    wanted = np.geomspace(1, max(2, n_leaves.max()), MOST_POINTS)
    steps = np.unique(np.abs(n_leaves[:, None] - wanted).argmin(axis=0))[::-1]
    return [[int(n_leaves[step]), float(f"{losses[step]:.6g}")] for step in steps]
