"""Counts of the individuals that every member of a family keeps, in one pass over pairs.

A pair (owner, row) is a row at some position of a predicate in an embedding of the individual `owner`; pairs are
sorted by owner. A test at this position keeps an individual if and only if one of its pairs passes, so that one pass
over the pairs counts every member of a family.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

__all__ = ["coded_counts", "ranked_counts"]


@njit(cache=True)
def coded_counts(
    owners: Any, rows: Any, codes: Any, offsets: Any, labels: Any, weights: Any, n_labels: int, hashes: Any
) -> Any:
    """Count individuals for families with exclusive members: each row has one code, or -1 for none.

    Parameters
    ----------
    owners, rows : arrays of int32, sorted by owner
    codes : (families, rows) int32
    offsets : (families + 1,) int64
        Where the members of each family begin in the result.
    labels : array of int32, weights : array of float64, one per owner
    n_labels : int
    hashes : (2, pairs) uint64
        Random numbers; their sums over the pairs that pass identify the pairs that a member keeps. With shape (2, 0),
        signatures are 0, which saves a third of the time.

    Returns
    -------
    counts : (members, n_labels) weighted labels of the owners that a member keeps
    sizes : (members,) number of owners
    signatures : (2, members) sums of hashes
    """
    n_members = offsets[-1]
    counts = np.zeros((n_members, n_labels))
    sizes = np.zeros(n_members, dtype=np.int64)
    signatures = np.zeros((2, n_members), dtype=np.uint64)
    last = np.full(n_members, -1, dtype=np.int32)
    signed = hashes.shape[1] > 0
    for f in range(len(offsets) - 1):
        start = offsets[f]
        for p in range(len(owners)):
            # Unsigned indices save the compiler the check for negative indices.
            code = codes[f, np.uint32(rows[p])]
            if code < 0:
                continue
            member = np.uint64(start + code)
            if signed:
                signatures[0, member] += hashes[0, p]
                signatures[1, member] += hashes[1, p]
            owner = owners[p]
            if last[member] != owner:
                last[member] = owner
                counts[member, np.uint32(labels[np.uint32(owner)])] += weights[np.uint32(owner)]
                sizes[member] += 1
    return counts, sizes, signatures


@njit(cache=True)
def ranked_counts(
    owners: Any, rows: Any, ranks: Any, offsets: Any, labels: Any, weights: Any, n_labels: int, hashes: Any
) -> Any:
    """Count individuals for families with nested members: a row of rank r satisfies members 0 to r - 1.

    An owner counts for a member if and only if its largest rank does: one maximum per owner, then one sum from the
    strictest member back. Parameters and results are those of `coded_counts`, with ranks instead of codes.
    """
    n_members = offsets[-1]
    counts = np.zeros((n_members, n_labels))
    sizes = np.zeros(n_members, dtype=np.int64)
    signatures = np.zeros((2, n_members), dtype=np.uint64)
    signed = hashes.shape[1] > 0
    for f in range(len(offsets) - 1):
        start, stop = offsets[f], offsets[f + 1]
        p = 0
        while p < len(owners):
            owner = owners[p]
            best = np.int32(0)
            while p < len(owners) and owners[p] == owner:
                rank = ranks[f, np.uint32(rows[p])]
                if signed and rank > 0:
                    signatures[0, np.uint64(start + rank - 1)] += hashes[0, p]
                    signatures[1, np.uint64(start + rank - 1)] += hashes[1, p]
                best = max(best, rank)
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
