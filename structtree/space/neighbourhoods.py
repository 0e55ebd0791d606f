"""Neighbourhoods of each row of a type, for computed attributes such as ``neighbourhood(edges.to, label, 2)``.

A neighbourhood is the text of a value and, in brackets, the sorted neighbourhoods of the neighbours, one level less
deep: ``C(C(C,O),N(C))``. Equal texts are equal unfoldings of the graph around two rows, so that counting texts
compares graphs as in N. Shervashidze et al., "Weisfeiler-Lehman Graph Kernels" (JMLR 12, 2011). A text depends only
on the rows within reach, not on the other rows of the data.

Texts longer than `LONGEST` are missing, as are those of rows with such a neighbour, so that the work is bounded where
rows have many neighbours.
"""

from __future__ import annotations

import numpy as np

from structtree.arrays import Ints
from structtree.data.population import Adjacency, Column

__all__ = ["LONGEST", "neighbourhoods"]

LONGEST = 120
"""Maximum number of characters of a neighbourhood."""

UNKNOWN = "?"
"""Text of a missing value."""


def neighbourhoods(adjacency: Adjacency, values: Column, depth: int) -> Column:
    """Return the neighbourhood of each row as a nominal column, the most frequent texts first.

    Parameters
    ----------
    adjacency : Adjacency
        Link from a type to itself.
    values : Column
        Nominal values of the rows.
    depth : int
        Number of steps along the link.

    Examples
    --------
    >>> path = Adjacency.from_lengths([1, 2, 1], [1, 0, 2, 1])
    >>> column = neighbourhoods(path, Column("nominal", np.array([0, 1, 0]), ("C", "O")), 1)
    >>> [column.value(row) for row in range(3)]
    ['C(O)', 'O(C,C)', 'C(O)']
    """
    names = [*values.categories, UNKNOWN]
    own = [names[code] for code in values.values.tolist()]
    texts: list[str | None] = list(own)
    ends = np.split(adjacency.targets, adjacency.offsets[1:-1])
    others = [each.tolist() for each in ends]
    for _ in range(depth):
        texts = [_around(value, [texts[row] for row in near]) for value, near in zip(own, others, strict=True)]
    return _column(texts)


def _around(own: str, others: list[str | None]) -> str | None:
    known = sorted(text for text in others if text is not None)
    if len(known) < len(others):
        return None
    text = f"{own}({','.join(known)})"
    return text if len(text) <= LONGEST else None


def _column(texts: list[str | None]) -> Column:
    counts = dict[str, int]()
    for text in texts:
        if text is not None:
            counts[text] = counts.get(text, 0) + 1
    categories = sorted(counts, key=lambda text: (-counts[text], text))
    code_of: dict[str | None, int] = {text: code for code, text in enumerate(categories)}
    codes: Ints = np.array([code_of.get(text, -1) for text in texts], dtype=np.int32)
    return Column("nominal", codes, tuple(categories))
