"""Many predicates as bits: counting behind links, and signatures of conjunctions.

A predicate on a type is a row of 64-bit words, a bit for each row of the type. The plain twin of everything here is
`structtree.space.evaluate`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

__all__ = ["conjunction_signatures", "count_behind", "signatures"]

ONE, SIX, LOW, SHIFT = np.uint64(1), np.uint64(6), np.uint64(63), np.uint64(29)


@njit(nogil=True, cache=True)
def count_behind(offsets: Any, targets: Any, words: Any) -> Any:
    """For each predicate on the target type and each row, how many of the row's targets it holds of.

    Parameters
    ----------
    offsets, targets : a link
    words : (predicates, words) uint64

    Returns
    -------
    (predicates, rows) int16; more than 32767 are counted as so many
    """
    counts = np.empty((len(words), len(offsets) - 1), dtype=np.int16)
    for m in range(len(words)):
        bits = words[m]
        for row in range(len(offsets) - 1):
            n = 0
            for place in range(offsets[row], offsets[row + 1]):
                target = np.uint64(targets[place])
                n += (bits[target >> SIX] >> (target & LOW)) & ONE
            counts[m, row] = min(n, 32767)
    return counts


@njit(nogil=True, cache=True)
def signatures(words: Any, seeds: Any) -> Any:
    """A number for each row of words: equal for equal words, and else almost surely different."""
    found = np.zeros(len(words), dtype=np.uint64)
    for m in range(len(words)):
        found[m] = _signature(words[m], words[m], seeds)
    return found


@njit(nogil=True, cache=True)
def _signature(one: Any, other: Any, seeds: Any) -> Any:
    sign = np.uint64(0)
    for w in range(len(one)):
        word = (one[w] & other[w]) * seeds[w]
        sign += word ^ (word >> SHIFT)
    return sign


@njit(nogil=True, cache=True)
def conjunction_signatures(
    words: Any, sizes: Any, lasts: Any, first: int, literals: Any, costs: Any, most: int, seeds: Any
) -> Any:
    """All conjunctions of a predicate with a literal after its last one that are not too long.

    Parameters
    ----------
    words, sizes, lasts : the predicates: their bits, their literals, and the number of the last literal of each
    first : int
        Where the predicates to extend begin.
    literals, costs : the literals: their bits, and how many literals each counts for
    most : int
        How many literals a conjunction may have.

    Returns
    -------
    pairs : (n, 2) int32
        Which predicate and which literal.
    signs : (n,) uint64
    """
    n = 0
    for m in range(first, len(words)):
        for k in range(lasts[m] + 1, len(literals)):
            n += sizes[m] + costs[k] <= most
    pairs, signs = np.empty((n, 2), dtype=np.int32), np.empty(n, dtype=np.uint64)
    n = 0
    for m in range(first, len(words)):
        for k in range(lasts[m] + 1, len(literals)):
            if sizes[m] + costs[k] <= most:
                pairs[n, 0], pairs[n, 1] = m, k
                signs[n] = _signature(words[m], literals[k], seeds)
                n += 1
    return pairs, signs
