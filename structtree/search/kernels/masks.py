"""Kernels on predicates as bit masks: counts of linked rows, and signatures of conjunctions.

A predicate on a type is a row of 64-bit words, a bit for each row of the type. The plain twin of everything here is
`structtree.space.evaluate`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

__all__ = [
    "conjunction_signatures",
    "joined_counts",
    "packed",
    "shared_counts",
    "signatures",
    "unpacked",
    "words_behind",
]

ONE, ALL, SHIFT = np.uint64(1), np.uint64(2**64 - 1), np.uint64(29)
DIGITS = 64
PAIRS_OF_BITS, FOURS_OF_BITS, EIGHTS_OF_BITS, EVERY_BYTE = (
    np.uint64(0x5555555555555555),
    np.uint64(0x3333333333333333),
    np.uint64(0x0F0F0F0F0F0F0F0F),
    np.uint64(0x0101010101010101),
)
BLOCK = 2048
"""Number of words of a mask that are counted at a time, so that they stay in the cache."""


def packed(masks: Any) -> Any:
    """Return boolean masks, one per row of an array, as 64-bit words.

    Examples
    --------
    >>> packed(np.array([[True, False, True]])).tolist()
    [[5]]
    """
    n_words = max(1, -(-masks.shape[1] // 64))
    words = np.zeros((len(masks), n_words * 8), dtype=np.uint8)
    bits = np.packbits(masks, axis=1, bitorder="little")
    words[:, : bits.shape[1]] = bits
    return words.view("<u8")


def unpacked(words: Any, n_rows: int) -> Any:
    """Return words as boolean masks.

    Examples
    --------
    >>> unpacked(np.array([[5]], dtype=np.uint64), 3).tolist()
    [[True, False, True]]
    """
    return np.unpackbits(words.view(np.uint8), axis=1, count=n_rows, bitorder="little").astype(np.bool_)


@njit(nogil=True, cache=True)
def words_behind(offsets: Any, targets: Any, words: Any, numbers: Any) -> Any:
    """Return, for each predicate and number n, the rows with at least n targets that satisfy the predicate.

    Parameters
    ----------
    offsets, targets : a link
    words : (predicates, words) uint64
    numbers : (numbers,) int64
        The numbers n; every row has at least 0.

    Returns
    -------
    (numbers, predicates, words) uint64
    """
    n_rows = len(offsets) - 1
    found = np.zeros((len(numbers), len(words), max(1, (n_rows + 63) // 64)), dtype=np.uint64)
    digits = np.zeros(DIGITS, dtype=np.uint64)
    blocks = np.zeros((len(numbers), 64), dtype=np.uint64)
    for first in range(0, len(words), 64):
        across = _across(words, first)
        for begin in range(0, n_rows, 64):
            blocks[:] = 0
            for row in range(begin, min(begin + 64, n_rows)):
                n_digits = _add_up(across, targets, offsets[row], offsets[row + 1], digits)
                for q in range(len(numbers)):
                    blocks[q, row - begin] = _at_least(digits, n_digits, numbers[q])
            for q in range(len(numbers)):
                _transpose(blocks[q])
                for m in range(min(64, len(words) - first)):
                    found[q, first + m, begin >> 6] = blocks[q, m]
    return found


# 64 predicates at a time: a word per row has one bit for each predicate, and the counts of all predicates are added
# in binary, digit by digit.


@njit(nogil=True, cache=True)
def _across(words: Any, first: int) -> Any:
    """Return one word per row, with a bit for each of 64 predicates starting from the first."""
    n_words = words.shape[1]
    across = np.empty(64 * n_words, dtype=np.uint64)
    last = min(first + 64, len(words))
    for w in range(n_words):
        block = across[64 * w : 64 * (w + 1)]
        block[last - first :] = 0
        for m in range(first, last):
            block[m - first] = words[m, w]
        _transpose(block)
    return across


@njit(nogil=True, cache=True)
def _transpose(block: Any) -> None:
    """Transpose a matrix of 64 × 64 bits in place."""
    width, mask = 32, np.uint64(0x00000000FFFFFFFF)
    while width:
        shift = np.uint64(width)
        i = 0
        while i < 64:
            swap = ((block[i] >> shift) ^ block[i + width]) & mask
            block[i + width] ^= swap
            block[i] ^= swap << shift
            i = (i + width + 1) & ~width
        width >>= 1
        mask ^= mask << np.uint64(width)


@njit(nogil=True, cache=True)
def _add_up(across: Any, targets: Any, begin: int, end: int, digits: Any) -> int:
    """Count the targets of a row that satisfy each predicate, in binary digits, and return the number of digits."""
    n_digits = 0
    for place in range(begin, end):
        carry = across[targets[place]]
        d = 0
        while carry != 0:
            if d == n_digits:
                digits[d] = 0
                n_digits += 1
            digits[d], carry = digits[d] ^ carry, digits[d] & carry
            d += 1
    return n_digits


@njit(nogil=True, cache=True)
def _at_least(digits: Any, n_digits: int, number: int) -> Any:
    """Return a bit mask of the predicates whose count is at least the given number."""
    if number <= 0:
        return ALL
    if number >> n_digits:
        return np.uint64(0)
    more, same = np.uint64(0), ALL
    for d in range(n_digits - 1, -1, -1):
        if (number >> d) & 1:
            same &= digits[d]
        else:
            more |= same & digits[d]
            same &= ~digits[d]
    return more | same


@njit(nogil=True, cache=True)
def signatures(words: Any, seeds: Any) -> Any:
    """Return a hash of each row of words; equal rows have equal hashes, and other rows almost surely do not."""
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
    """Return all conjunctions of a predicate with a literal that comes after its own, up to a maximum length.

    Parameters
    ----------
    words, sizes, lasts : the predicates: their bits, their literals, and the number of the last literal of each
    first : int
        The first predicate to extend.
    literals, costs : the literals: their bits, and the number of literals that each counts for
    most : int
        The maximum number of literals in a conjunction.

    Returns
    -------
    pairs : (n, 2) int32
        The predicate and the literal of each conjunction.
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


@njit(nogil=True, cache=True)
def shared_counts(one: Any, words: Any, chosen: Any) -> Any:
    """Return the number of rows that one predicate shares with each of several others.

    Parameters
    ----------
    one : (words,) uint64
    words : (predicates, words) uint64
    chosen : (n,) int64
        The predicates to compare.
    """
    found = np.zeros(len(chosen), dtype=np.int64)
    for first in range(0, len(one), BLOCK):
        last = min(first + BLOCK, len(one))
        for c in range(len(chosen)):
            found[c] += _shared(one[first:last], words[chosen[c], first:last])
    return found


@njit(nogil=True, cache=True)
def joined_counts(words: Any, sets: Any, ends: Any, classes: Any) -> Any:
    """Return the number of rows of each class in each join of two sets of literals that differ in the last one.

    Parameters
    ----------
    words : (literals, words) uint64
    sets : (n, literals of a set) int64
        In lexicographic order.
    ends : (n,) int64
        The end of the run of sets that agree with a set in all but the last literal. The set is joined with those
        after it in the run.
    classes : (classes, words) uint64
        The rows of each class.

    Returns
    -------
    (joins, classes) int64
        In the order of the first and then of the second set.
    """
    n = 0
    for s in range(len(sets)):
        n += ends[s] - s - 1
    found = np.empty((n, len(classes)), dtype=np.int64)
    inside, n = np.empty_like(classes), 0
    for s in range(len(sets)):
        if ends[s] == s + 1:
            continue
        for c in range(len(classes)):
            for w in range(words.shape[1]):
                word = classes[c, w]
                for place in range(sets.shape[1]):
                    word &= words[sets[s, place], w]
                inside[c, w] = word
        for t in range(s + 1, ends[s]):
            for c in range(len(classes)):
                found[n, c] = _shared(inside[c], words[sets[t, -1]])
            n += 1
    return found


@njit(nogil=True, cache=True)
def _shared(one: Any, other: Any) -> Any:
    n = np.uint64(0)
    for w in range(len(one)):
        # The usual sum of bits in pairs, fours and eights, which the compiler recognises and turns into vector code.
        word = one[w] & other[w]
        word -= (word >> np.uint64(1)) & PAIRS_OF_BITS
        word = (word & FOURS_OF_BITS) + ((word >> np.uint64(2)) & FOURS_OF_BITS)
        word = (word + (word >> np.uint64(4))) & EIGHTS_OF_BITS
        n += (word * EVERY_BYTE) >> np.uint64(56)
    return np.int64(n)
