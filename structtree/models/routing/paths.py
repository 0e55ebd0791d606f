"""Decision paths: the nodes that each individual visits, for all individuals at once.

Parents come before children, so a path is the visited nodes in ascending order. The layout is that of a compressed
sparse row matrix: offsets, and one array of nodes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from structtree.data.population import Population
from structtree.models.tree import Tree

__all__ = ["Visits", "decision_path"]


class Visits(NamedTuple):
    """Visited nodes: ``nodes[offsets[i]:offsets[i + 1]]`` is the path of individual ``i`` from the root."""

    offsets: NDArray[np.int64]
    nodes: NDArray[np.int64]

    def of(self, individual: int) -> NDArray[np.int64]:
        """Return the nodes that an individual visits."""
        return self.nodes[self.offsets[individual] : self.offsets[individual + 1]]


def decision_path(tree: Tree, population: Population) -> Visits:
    """Return the nodes that each individual visits, from the root to its leaf.

    Examples
    --------
    >>> from structtree.lang.parse import parse_predicate
    >>> from structtree.models.tree import Branch, ClassCounts, Found, Leaf
    >>> data = Population.from_records([{"size": 1}, {"size": 5}])
    >>> found = Found("acc*", 1.0, 0.5, True, 0.0, 1, 0.0)
    >>> no, yes = ClassCounts(1, (1.0, 0.0)), ClassCounts(1, (0.0, 1.0))
    >>> branch = Branch(parse_predicate("size >= 3"), 1, 2, ClassCounts(2, (1.0, 1.0)), found)
    >>> visits = decision_path(Tree((branch, Leaf(yes), Leaf(no)), data.schema, ("no", "yes")), data)
    >>> visits.offsets.tolist(), visits.nodes.tolist()
    ([0, 2, 4], [0, 2, 0, 1])
    """
    arrivals = list(tree.arrivals(population))
    who = np.concatenate([which for _, which in arrivals])
    where = np.repeat([node for node, _ in arrivals], [len(which) for _, which in arrivals])
    offsets = np.zeros(len(population) + 1, dtype=np.int64)
    np.cumsum(np.bincount(who, minlength=len(population)), out=offsets[1:])
    return Visits(offsets, where[np.argsort(who, kind="stable")])
