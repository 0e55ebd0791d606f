"""Cycles through each row of a type, for computed attributes such as ``cycles(edges.to, 6)``.

Rows are the nodes of a graph: two rows are neighbours if a path leads from one to the other, in either direction.
Every cycle is found once, by following paths from its row with the most neighbours. Rows outside all cycles are
dropped first, as far as this is cheap.

The number of cycles may be exponential in their length. Where the rows of a connected part have more than `MAX_WALKS`
walks each on average, the number is missing for all of them, so the work is proportional to the number of rows.
Whether it is missing depends only on that part, not on the other rows of the data.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from structtree.data.population import Adjacency

__all__ = ["MAX_WALKS", "n_cycles"]

MAX_WALKS = 10_000
"""Maximum number of walks of one step less than the cycle, per row of a connected part.

The graphs of PROTEINS have about 1,000 walks of five steps per row.
"""

WALKS_AT_ONCE = 1 << 20
"""Approximate number of walks followed at a time."""

_Ints = NDArray[np.int64]


def n_cycles(adjacency: Adjacency, length: int) -> NDArray[np.float64]:
    """Return the number of cycles of a length through each row, NaN where there are too many walks to count them.

    Parameters
    ----------
    adjacency : Adjacency
        Link from a type to itself. Directions, repeated targets and links from a row to itself do not matter.
    length : int
        Number of rows of the cycles, at least 3.

    Examples
    --------
    >>> square_with_diagonal = Adjacency.from_lengths([2, 1, 1, 1], [1, 2, 2, 3, 0])
    >>> n_cycles(square_with_diagonal, 3).tolist(), n_cycles(square_with_diagonal, 4).tolist()
    ([2.0, 1.0, 2.0, 1.0], [1.0, 1.0, 1.0, 1.0])
    """
    n_rows = len(adjacency)
    tails, heads = _without_ends(*_both_ways(adjacency), n_rows, length)
    walks = _n_walks(tails, heads, n_rows, length - 1)
    dense = _dense_parts(tails, heads, walks)
    counts: NDArray[np.float64] = np.where(dense, np.nan, 0.0)
    sparse = ~dense[tails]
    tails, heads = tails[sparse], heads[sparse]
    # Renumbering by the number of neighbours, most first: paths go to higher numbers, so they avoid rows with many.
    order = np.argsort(-np.bincount(tails, minlength=n_rows), kind="stable")
    number = np.empty_like(order)
    number[order] = np.arange(n_rows)
    neighbours = Adjacency.grouped(number[tails], number[heads], n_rows)
    keys = np.sort(number[tails] * n_rows + number[heads])
    for starts in _chunks(np.where(dense, 0, walks)[order]):
        cycles = _cycles_from(starts, neighbours, keys, length)
        counts[order] += np.bincount(cycles.ravel(), minlength=n_rows)
    return counts


def _both_ways(adjacency: Adjacency) -> tuple[_Ints, _Ints]:
    """Return the distinct ordered pairs of neighbours."""
    owners, targets = adjacency.owners, adjacency.targets.astype(np.int64)
    apart = owners != targets
    owners, targets = owners[apart], targets[apart]
    keys = np.concatenate([owners, targets]) * len(adjacency) + np.concatenate([targets, owners])
    keys.sort()
    keys = keys[np.concatenate(([True], keys[1:] > keys[:-1]))] if len(keys) else keys
    return keys // max(len(adjacency), 1), keys % max(len(adjacency), 1)


def _without_ends(tails: _Ints, heads: _Ints, n_rows: int, n_rounds: int) -> tuple[_Ints, _Ints]:
    """Drop rows with fewer than two neighbours, a few times; they are in no cycle."""
    for _ in range(n_rounds):
        inner = np.bincount(tails, minlength=n_rows) > 1
        kept = inner[tails] & inner[heads]
        if kept.all():
            break
        tails, heads = tails[kept], heads[kept]
    return tails, heads


def _n_walks(tails: _Ints, heads: _Ints, n_rows: int, n_steps: int) -> NDArray[np.float64]:
    """Return the number of walks of some steps from each row, 0 for a row without neighbours."""
    walks: NDArray[np.float64] = np.ones(n_rows)
    for _ in range(n_steps):
        walks = np.bincount(tails, walks[heads], minlength=n_rows).astype(np.float64)
    return walks


def _dense_parts(tails: _Ints, heads: _Ints, walks: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return a mask of the rows of connected parts that have too many walks."""
    from scipy.sparse import csr_array  # type: ignore[import-untyped]  # scipy has no types
    from scipy.sparse.csgraph import connected_components  # type: ignore[import-untyped]

    n_rows = len(walks)
    links = csr_array((np.ones(len(tails), dtype=np.bool_), (tails, heads)), shape=(n_rows, n_rows))
    _, part = connected_components(links, directed=False)
    total, size = np.bincount(part, walks), np.bincount(part)
    return np.asarray((total > MAX_WALKS * size)[part])


def _chunks(walks: NDArray[np.float64]) -> Iterator[_Ints]:
    """Yield the rows that walks start from, with about `WALKS_AT_ONCE` walks at a time."""
    starts = np.flatnonzero(walks)
    chunk = np.cumsum(walks[starts]) // WALKS_AT_ONCE
    yield from np.split(starts, np.flatnonzero(np.diff(chunk)) + 1)


def _cycles_from(starts: _Ints, neighbours: Adjacency, keys: _Ints, length: int) -> _Ints:
    """Return the cycles whose lowest row is one of the starts, each once, as rows of a matrix."""
    paths = starts[:, None]
    for _ in range(length - 1):
        last = paths[:, -1]
        paths = np.repeat(paths, neighbours.n_of(last), axis=0)
        following = neighbours.targets[neighbours.places(last)].astype(np.int64)
        new = following > paths[:, 0]
        for column in paths.T[1:]:
            new &= following != column
        paths = np.column_stack([paths[new], following[new]])
    once = paths[paths[:, 1] < paths[:, -1]]  # the other direction is the same cycle
    closing = once[:, -1] * len(neighbours) + once[:, 0]
    found = np.searchsorted(keys, closing)
    return np.asarray(once[keys[np.minimum(found, len(keys) - 1)] == closing] if len(keys) else once[:0])
