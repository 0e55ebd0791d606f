"""The hot loops, compiled by numba; nothing else in the package imports it.

Each kernel works on *pairs*: (owner, row) says that a row stands at some position of a predicate in an embedding
that belongs to the individual `owner`; pairs are sorted by owner. A test at that position keeps an individual iff
one of its pairs passes, so one pass over the pairs gives the counts of every member of a family at once. Each
kernel has a plain-Python twin in ``tests/search/twins.py`` that it must equal.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["coded_counts", "ranked_counts"]

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
Hashes = NDArray[np.uint64]


@njit(cache=True)
def coded_counts(
    owners: Any, rows: Any, codes: Any, offsets: Any, labels: Any, weights: Any, n_labels: int, hashes: Any
) -> Any:
    """Counts of families whose members exclude each other: each row has one code, or -1 for none.

    Parameters
    ----------
    owners, rows : arrays of int32, sorted by owner
    codes : (families, rows) int32
    offsets : (families + 1,) int64
        Where the members of each family begin in the result.
    labels : array of int32, weights : array of float64, one per owner
    n_labels : int
    hashes : (2, pairs) uint64
        Random numbers; their sums over the pairs that pass identify what a member keeps.

    Returns
    -------
    counts : (members, n_labels) weighted labels of the owners that a member keeps
    sizes : (members,) how many owners
    signatures : (2, members) sums of hashes
    """
    n_members = offsets[-1]
    counts = np.zeros((n_members, n_labels))
    sizes = np.zeros(n_members, dtype=np.int64)
    signatures = np.zeros((2, n_members), dtype=np.uint64)
    last = np.full(n_members, -1, dtype=np.int32)
    for f in range(len(offsets) - 1):
        start = offsets[f]
        column = codes[f]
        for p in range(len(owners)):
            code = column[rows[p]]
            if code < 0:
                continue
            member = start + code
            signatures[0, member] += hashes[0, p]
            signatures[1, member] += hashes[1, p]
            owner = owners[p]
            if last[member] != owner:
                last[member] = owner
                counts[member, labels[owner]] += weights[owner]
                sizes[member] += 1
    return counts, sizes, signatures


@njit(cache=True)
def ranked_counts(
    owners: Any, rows: Any, ranks: Any, offsets: Any, labels: Any, weights: Any, n_labels: int, hashes: Any
) -> Any:
    """Counts of families whose members are nested: a row of rank r passes the members 0 .. r - 1.

    An owner counts for a member iff its greatest rank does: one maximum per owner, then one sum from the
    strictest member back. Parameters and results are those of `coded_counts`, with ranks for codes.
    """
    n_members = offsets[-1]
    counts = np.zeros((n_members, n_labels))
    sizes = np.zeros(n_members, dtype=np.int64)
    signatures = np.zeros((2, n_members), dtype=np.uint64)
    for f in range(len(offsets) - 1):
        start, stop = offsets[f], offsets[f + 1]
        column = ranks[f]
        p = 0
        while p < len(owners):
            owner = owners[p]
            best = 0
            while p < len(owners) and owners[p] == owner:
                rank = column[rows[p]]
                if rank > 0:
                    signatures[0, start + rank - 1] += hashes[0, p]
                    signatures[1, start + rank - 1] += hashes[1, p]
                    if rank > best:
                        best = rank
                p += 1
            if best > 0:
                counts[start + best - 1, labels[owner]] += weights[owner]
                sizes[start + best - 1] += 1
        for member in range(stop - 2, start - 1, -1):
            sizes[member] += sizes[member + 1]
            signatures[0, member] += signatures[0, member + 1]
            signatures[1, member] += signatures[1, member + 1]
            for k in range(n_labels):
                counts[member, k] += counts[member + 1, k]
    return counts, sizes, signatures
