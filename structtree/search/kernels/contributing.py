"""Shapley values of the ladders of an ensemble, for one individual after the other.

Each ladder is a player. Without the answers of some ladders, a tree predicts the mean over their branches, weighted
by the training weights of the children. On the way to a leaf, player j then multiplies its output by ``o`` (1 if the
individual takes all branches of j, else 0) if j is known, and by ``z`` (the product of the shares of these branches)
if not. If every player is known with probability t, the factor is ``f_j(t) = z (1 - t) + o t``, and the Shapley value
of j is the integral over t of ``output * (o - z) * product of the other factors``. For a tree of d players, this is a
polynomial of degree d - 1, which Gauss-Legendre quadrature with d / 2 points integrates exactly. All terms are
positive before the last difference, so that nothing cancels.

The values of all leaves are added on the way back from the leaves, as in Linear TreeSHAP (Yu et al., 2022).

Law: the values equal the definition, a sum over all subsets of players (`tests/models/test_contributions.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

__all__ = ["add_shapley_values", "edges_of"]


@njit(nogil=True, cache=True)
def edges_of(ladders: Any, no: Any, roots: Any, covers: Any) -> Any:
    """Return the parts of `add_shapley_values` that do not depend on individuals.

    Parameters
    ----------
    ladders, no, roots : array of int32
        As in `structtree.models.ensemble.EnsembleTrees`.
    covers : (leaves,) float64
        Training weight of each leaf.

    Returns
    -------
    tuple
        For the edge into each node: its parent, -1 at a root; the node at the end of the last edge above it that the
        same ladder decides, or -1; and the product of the shares of all edges of this ladder so far. Then the share
        of each node in its tree, and the number of players on the way to it.
    """
    n = len(ladders)
    weights, parents, above = np.zeros(n), np.full(n, -1, dtype=np.int32), np.full(n, -1, dtype=np.int32)
    shares, reached, players = np.ones(n), np.ones(n), np.zeros(n, dtype=np.int32)
    for node in range(n - 1, -1, -1):
        if ladders[node] < 0:
            weights[node] = max(covers[no[node]], 0.0)
        else:
            weights[node] = weights[node + 1] + weights[no[node]]
            parents[node + 1] = parents[no[node]] = node
    for node in range(n):
        parent = parents[node]
        if parent < 0:
            continue
        before = parent
        while parents[before] >= 0 and ladders[parents[before]] != ladders[parent]:
            before = parents[before]
        share = weights[node] / weights[parent] if weights[parent] > 0 else 0.5
        reached[node] = reached[parent] * share
        if parents[before] >= 0:
            above[node], shares[node], players[node] = before, shares[before] * share, players[parent]
        else:
            shares[node], players[node] = share, players[parent] + 1
    return parents, above, shares, reached, players


@njit(nogil=True, cache=True)
def add_shapley_values(
    ranks: Any,
    ladders: Any,
    steps: Any,
    no: Any,
    roots: Any,
    edges: Any,
    outputs: Any,
    places: Any,
    points: Any,
    found: Any,
) -> None:
    """Add the Shapley values of the branches of all trees.

    Parameters
    ----------
    ranks : (individuals, ladders) uint16
    ladders, steps, no, roots : array of int32
        As in `structtree.models.ensemble.EnsembleTrees`.
    edges : tuple
        The result of `edges_of`.
    outputs : (leaves, k) float64
    places : (nodes,) int64
        The column of `found` to which each branch contributes.
    points : (2, m) float64
        Points and weights of Gauss-Legendre quadrature from 0 to 1; exact for 2 m players on a path.
    found : (individuals, columns, k) float64
        Added to.
    """
    parents, above, shares, _, _ = edges
    k, m, most = outputs.shape[1], points.shape[1], 0
    for tree in range(len(roots)):
        last = roots[tree + 1] if tree + 1 < len(roots) else len(ladders)
        most = max(most, last - roots[tree])
    taken, factors = np.empty(most, dtype=np.bool_), np.empty((most, m))
    products, sums = np.empty((most, m)), np.empty((most, m, k))
    for tree in range(len(roots)):
        first = roots[tree]
        last = roots[tree + 1] if tree + 1 < len(roots) else len(ladders)
        for row in range(len(ranks)):
            taken[0], factors[0], products[0] = True, 1.0, 1.0
            for node in range(first + 1, last):
                here, parent, before = node - first, parents[node], above[node]
                is_yes = ranks[row, ladders[parent]] > steps[parent]
                taken[here] = (is_yes == (node == parent + 1)) and (before < 0 or taken[before - first])
                for q in range(m):
                    t = points[0, q]
                    factor = shares[node] * (1.0 - t) + (t if taken[here] else 0.0)
                    old = 1.0 if before < 0 else factors[before - first, q]
                    factors[here, q] = factor
                    products[here, q] = products[parent - first, q] * (factor / old) if old > 0 else 0.0
            for node in range(last - 1, first, -1):
                here, before = node - first, above[node]
                if ladders[node] < 0:
                    for q in range(m):
                        for j in range(k):
                            sums[here, q, j] = products[here, q] * outputs[no[node], j]
                else:
                    sums[here] = sums[here + 1] + sums[no[node] - first]
                mine = (1.0 if taken[here] else 0.0) - shares[node]
                others = 0.0
                if before >= 0:
                    others = (1.0 if taken[before - first] else 0.0) - shares[before]
                for q in range(m):
                    part = mine / factors[here, q] if factors[here, q] > 0 else 0.0
                    if before >= 0 and factors[before - first, q] > 0:
                        part -= others / factors[before - first, q]
                    for j in range(k):
                        found[row, places[parents[node]], j] += points[1, q] * part * sums[here, q, j]
