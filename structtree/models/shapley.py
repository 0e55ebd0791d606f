"""Shapley values of the ladders of an ensemble: how much each test moves the margins of an individual (TreeSHAP).

A margin is the expected margin plus the contributions of all ladders. The expected value without the answers of some
ladders follows both branches, weighted by the training weights of their leaves (Lundberg et al., 2020, the
path-dependent variant). `structtree.search.kernels.contributing` has the compiled algorithm.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import Floats, Ints
from structtree.search.kernels.contributing import add_shapley_values, edges_of

if TYPE_CHECKING:
    from structtree.models.ensemble import EnsembleTrees

__all__ = ["ShapleyTrees"]


@dataclass(frozen=True, slots=True, eq=False)
class ShapleyTrees:
    """Trees of an ensemble, prepared for the Shapley values of many individuals; see `of`.

    Parameters
    ----------
    trees : EnsembleTrees
    outputs : (leaves, k) array
        Summand of each leaf.
    edges : tuple of array
        See `structtree.search.kernels.contributing.edges_of`.
    points : (2, m) array
        Points and weights of the quadrature.
    """

    trees: EnsembleTrees
    outputs: Floats
    edges: tuple[NDArray[Any], ...]
    points: Floats

    @classmethod
    def of(cls, trees: EnsembleTrees, outputs: Floats, covers: Floats) -> Self:
        """Prepare trees whose leaves have these outputs and training weights."""
        edges = edges_of(trees.ladders, trees.no, trees.roots, covers)
        points, weights = np.polynomial.legendre.leggauss(max(1, -(-int(edges[4].max()) // 2)))
        return cls(trees, np.ascontiguousarray(outputs), edges, np.stack([(points + 1) / 2, weights / 2]))

    @property
    def expected(self) -> Floats:
        """Sum over the trees of the mean output in training, as (k,)."""
        trees, reached = self.trees, self.edges[3]
        is_leaf = trees.ladders < 0
        return np.asarray(reached[is_leaf] @ self.outputs[trees.no[is_leaf]])

    def values(self, ranks: NDArray[np.uint16], places: Ints, n_places: int) -> Floats:
        """Return the Shapley values of individuals, as (individuals, places, k).

        Parameters
        ----------
        ranks : (individuals, ladders) array
        places : (nodes,) array
            The place of each branch, such as its ladder; the values of the branches of a place are added.
        n_places : int
        """
        trees = self.trees
        found = np.zeros((len(ranks), n_places, self.outputs.shape[1]))
        add_shapley_values(
            ranks, trees.ladders, trees.steps, trees.no, trees.roots, self.edges, self.outputs, places, self.points,
            found,
        )  # fmt: skip
        return found
