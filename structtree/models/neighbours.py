"""Individuals that share leaves of a forest: proximities, and quantiles of their training labels.

The quantiles are those of N. Meinshausen, "Quantile Regression Forests" (JMLR 7, 2006): in each tree the training
individuals in the leaf of a new individual share a weight of 1.

Law: both equal what loops over trees and individuals compute (`tests/models/test_neighbours.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from structtree.arrays import Codes, Floats

__all__ = ["leaf_quantiles", "shared_leaves"]

AT_A_TIME = 1_000
"""Number of individuals whose neighbours are compared at a time."""


def shared_leaves(leaves: Codes, others: Codes) -> Floats:
    """Return the fraction of trees in which two individuals share a leaf, as (individuals, others).

    Parameters
    ----------
    leaves, others : (individuals, trees) int32
        Their leaves, numbered over all trees.

    Examples
    --------
    >>> shared_leaves(np.array([[0, 2]]), np.array([[0, 2], [0, 3], [1, 3]])).tolist()
    [[1.0, 0.5, 0.0]]
    """
    n = 1 + int(max(leaves.max(initial=0), others.max(initial=0)))
    return np.asarray((_visits(leaves, n) @ _visits(others, n).T).toarray() / max(1, leaves.shape[1]))


def leaf_quantiles(leaves: Codes, training: Codes, labels: Floats, weights: Floats, quantiles: Floats) -> Floats:
    """Return quantiles of the labels of the training individuals that share leaves, as (individuals, quantiles).

    Parameters
    ----------
    leaves, training : (individuals, trees) int32
        The leaves of new and of training individuals.
    labels, weights : array
        Of the training individuals.
    quantiles : array of numbers from 0 to 1

    Examples
    --------
    >>> training, labels = np.array([[0], [0], [0], [1]]), np.array([1.0, 2.0, 3.0, 9.0])
    >>> leaf_quantiles(np.array([[0]]), training, labels, np.ones(4), np.array([0, 0.5, 1])).tolist()
    [[1.0, 2.0, 3.0]]
    """
    n = 1 + int(max(leaves.max(initial=0), training.max(initial=0)))
    order = np.argsort(labels, kind="stable")
    members = _visits(training[order], n).multiply(weights[order][:, None]).tocsc()
    weight = np.asarray(members.sum(axis=0)).ravel()
    members = members.multiply(1.0 / np.where(weight > 0, weight, 1.0)[None, :]).tocsr()
    found = np.empty((len(leaves), len(quantiles)))
    for first in range(0, len(leaves), AT_A_TIME):
        part = slice(first, first + AT_A_TIME)
        below = np.cumsum((_visits(leaves[part], n) @ members.T).toarray(), axis=1)
        wanted = quantiles[None, :] * below[:, -1:] * (1 - 1e-12)
        for row, (steps, each) in enumerate(zip(below, wanted, strict=True)):
            places = np.searchsorted(steps, np.maximum(each, np.finfo(np.float64).tiny), side="left")
            found[first + row] = labels[order][places]
    return found


def _visits(leaves: Codes, n: int) -> Any:
    """Return a sparse matrix (individuals, leaves) with a 1 for each leaf of an individual."""
    from scipy.sparse import csr_matrix  # type: ignore[import-untyped]  # scipy has no types

    offsets = np.arange(len(leaves) + 1) * leaves.shape[1]
    return csr_matrix((np.ones(leaves.size), leaves.ravel(), offsets), (len(leaves), n))
