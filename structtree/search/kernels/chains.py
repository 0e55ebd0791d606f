"""Kernels that follow links: pairs are carried forwards, ranks and codes backwards through links that count.

A *chain* leads from the individuals to a position. It is a list of pairs (owner, row) up to the first link that
requires several rows; from there on it has levels: each row of a level leads to a run of rows of the next. The plain
twin of these kernels is `structtree.space.evaluate`; ``tests/properties/test_sweeps.py`` compares them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

__all__ = ["count_true", "lift_codes", "lift_ranks", "next_level", "next_pairs"]


@njit(nogil=True, cache=True)
def next_pairs(owners: Any, rows: Any, offsets: Any, targets: Any, passes: Any, shared: bool) -> Any:
    """Follow a link from each pair (owner, row) to the passing rows, and return the distinct new pairs.

    Parameters
    ----------
    owners, rows : arrays of int32, sorted by owner
    offsets, targets : a link from the rows' type
    passes : (target rows,) bool
    shared : bool
        Whether a row can be reached from two rows of one owner, so that pairs may repeat.

    Returns
    -------
    owners, rows : arrays of int32, sorted by owner
    """
    most = 0
    for p in range(len(rows)):
        most += offsets[rows[p] + 1] - offsets[rows[p]]
    new_owners, new_rows = np.empty(most, dtype=np.int32), np.empty(most, dtype=np.int32)
    seen = np.full(len(passes) if shared else 0, -1, dtype=np.int32)
    n = 0
    for p in range(len(rows)):
        owner = owners[p]
        for place in range(offsets[rows[p]], offsets[rows[p] + 1]):
            row = targets[place]
            if not passes[row]:
                continue
            if shared:
                if seen[row] == owner:
                    continue
                seen[row] = owner
            new_owners[n], new_rows[n] = owner, row
            n += 1
    return new_owners[:n].copy(), new_rows[:n].copy()


@njit(nogil=True, cache=True)
def next_level(rows: Any, offsets: Any, targets: Any, passes: Any, needs: Any) -> Any:
    """Follow a link from each row to the passing rows, and return them as one run per row.

    The runs of rows with fewer passing rows than needed, or without any need, are empty: their rows decide nothing.

    Returns
    -------
    starts : (len(rows) + 1,) int64
        Where the run of each row begins.
    rows : array of int32
    """
    most = 0
    for p in range(len(rows)):
        most += offsets[rows[p] + 1] - offsets[rows[p]]
    starts, found = np.empty(len(rows) + 1, dtype=np.int64), np.empty(most, dtype=np.int32)
    n = 0
    starts[0] = 0
    for p in range(len(rows)):
        first, end, need = n, offsets[rows[p] + 1], needs[p]
        if 0 < need <= end - offsets[rows[p]]:
            for place in range(offsets[rows[p]], end):
                row = targets[place]
                if passes[row]:
                    found[n] = row
                    n += 1
            if n - first < need:
                n = first
        starts[p + 1] = n
    return starts, found[:n].copy()


@njit(nogil=True, cache=True)
def count_true(offsets: Any, targets: Any, true: Any) -> Any:
    """Return the number of targets of each row for which the mask is true."""
    found = np.zeros(len(offsets) - 1, dtype=np.int32)
    for row in range(len(found)):
        n = 0
        for place in range(offsets[row], offsets[row + 1]):
            n += true[targets[place]]
        found[row] = n
    return found


@njit(nogil=True, cache=True)
def lift_ranks(
    ranks: Any, offsets: Any, rows: Any, starts: Any, edges: Any, needs: Any, varied: int, numbers: Any
) -> Any:
    """Carry ranks from the end of a chain to its start: the need-th largest rank of each run, level by level.

    Parameters
    ----------
    ranks : (columns, rows of the type) int32
    offsets : (columns + 1,) int64
        Where the members of each column begin.
    rows : array of int32
        The last level.
    starts, edges : arrays of int64
        The starts of all levels, concatenated from the first level on, and the first start of each level.
    needs : array of int64
        Number of rows of a run that must pass, for each start; with 0, every run passes.
    varied : int
        The level that requires each of several numbers of rows instead; -1 for none.
    numbers : array of int64
        These numbers, at least 1; a single one if no level is varied.

    Returns
    -------
    (numbers x columns, rows of the level before the first) int32
    """
    last = len(edges) - 2
    lifted = np.empty((len(numbers) * len(ranks), edges[1] - edges[0] - 1), dtype=np.int32)
    below, above, most = _buffers(rows, starts, needs, numbers)
    for f in range(len(ranks)):
        for p in range(len(rows)):
            below[p] = ranks[f, rows[p]]
        n_members = offsets[f + 1] - offsets[f]
        _climb_each(
            below, above, last, starts, edges, needs, varied, numbers, n_members, most, lifted[f :: len(ranks)]
        )
    return lifted


@njit(nogil=True, cache=True)
def lift_codes(
    codes: Any, offsets: Any, rows: Any, starts: Any, edges: Any, needs: Any, varied: int, numbers: Any
) -> Any:
    """Carry codes of exclusive members from the end of a chain to its start, where several members may be true.

    Parameters
    ----------
    codes : (columns, rows of the type) int32
        -1 where no member holds.

    The other parameters are those of `lift_ranks`.

    Returns
    -------
    (numbers x members, rows of the level before the first) int32, 0 or 1
    """
    last = len(edges) - 2
    n_groups = edges[last + 1] - edges[last] - 1
    n_all = offsets[-1]
    lifted = np.zeros((len(numbers) * n_all, edges[1] - edges[0] - 1), dtype=np.int32)
    below, above, most = _buffers(rows, starts, needs, numbers)
    n_here = len(numbers) if varied == last else 1
    which = np.full(len(most) + 1, -1, dtype=np.int64)  # the place of each number among the numbers
    for k in range(len(numbers)):
        which[numbers[k]] = k
    for f in range(len(codes)):
        n_members = offsets[f + 1] - offsets[f]
        true = np.zeros((n_here, n_members, n_groups), dtype=np.int32)
        counts = np.zeros(n_members, dtype=np.int64)
        for g in range(n_groups):
            begin, end = starts[edges[last] + g], starts[edges[last] + g + 1]
            if varied != last and needs[edges[last] + g] == 0:
                true[0, :, g] = 1
            for p in range(begin, end):
                code = codes[f, rows[p]]
                if code >= 0:
                    counts[code] += 1
                    if varied != last:
                        if counts[code] == needs[edges[last] + g]:
                            true[0, code, g] = 1
                    elif counts[code] < len(which) and which[counts[code]] >= 0:
                        true[which[counts[code]], code, g] = 1
            for p in range(begin, end):
                code = codes[f, rows[p]]
                if code >= 0:
                    counts[code] = 0
        for k in range(n_here):
            for m in range(n_members):
                below[:n_groups] = true[k, m]
                found = lifted[k * n_all + offsets[f] + m :: n_all]
                if varied == last:
                    _climb_each(below, above, last - 1, starts, edges, needs, -1, numbers, 1, most, found)
                else:
                    _climb_each(below, above, last - 1, starts, edges, needs, varied, numbers, 1, most, found)
    return lifted


@njit(nogil=True, cache=True)
def _buffers(rows: Any, starts: Any, needs: Any, numbers: Any) -> Any:
    """Return two buffers for the ranks of a level, and one for the greatest ranks of a run."""
    widest = max(len(rows), len(starts))
    room = 1
    for need in needs:
        room = max(room, need)
    for number in numbers:
        room = max(room, number)
    return np.empty(widest, dtype=np.int32), np.empty(widest, dtype=np.int32), np.empty(room, dtype=np.int32)


@njit(nogil=True, cache=True)
def _climb_each(
    below: Any,
    above: Any,
    level: int,
    starts: Any,
    edges: Any,
    needs: Any,
    varied: int,
    numbers: Any,
    n_members: int,
    most: Any,
    lifted: Any,
) -> None:
    """Carry the ranks of the rows of a level to the rows before the first, for each number of the varied level."""
    n_first = lifted.shape[1]
    if varied < 0:
        found = _climb(below, above, level, -1, starts, edges, needs, n_members, most)
        lifted[0] = found[:n_first]
        return
    found = _climb(below, above, level, varied, starts, edges, needs, n_members, most)
    begin, n = edges[varied], edges[varied + 1] - edges[varied] - 1
    each = np.zeros((len(numbers), n), dtype=np.int32)
    for g in range(n):
        n_kept = _greatest(found, starts[begin + g], starts[begin + g + 1], most)
        for k in range(len(numbers)):
            if numbers[k] <= n_kept:
                each[k, g] = most[numbers[k] - 1]
    for k in range(len(numbers)):
        below[:n] = each[k]
        lifted[k] = _climb(below, above, varied - 1, -1, starts, edges, needs, n_members, most)[:n_first]


@njit(nogil=True, cache=True)
def _climb(
    below: Any, above: Any, level: int, stop: int, starts: Any, edges: Any, needs: Any, n_members: int, most: Any
) -> Any:
    """Carry the ranks of the rows of a level up to those of the level `stop`, and return the buffer with them."""
    for at in range(level, stop, -1):
        begin, n = edges[at], edges[at + 1] - edges[at] - 1
        for g in range(n):
            if needs[begin + g] == 0:
                above[g] = n_members
            else:
                above[g] = _nth_greatest(below, starts[begin + g], starts[begin + g + 1], needs[begin + g], most)
        below, above = above, below
    return below


@njit(nogil=True, cache=True)
def _nth_greatest(values: Any, begin: int, end: int, n: int, most: Any) -> Any:
    """Return the n-th largest value of a run, 0 if it is shorter; `most` is a buffer for n numbers."""
    if end - begin < n:
        return np.int32(0)
    if n == 1:
        best = values[begin]
        for p in range(begin + 1, end):
            best = max(best, values[p])
        return best
    if n == end - begin:
        least = values[begin]
        for p in range(begin + 1, end):
            least = min(least, values[p])
        return least
    for k in range(n):
        most[k] = 0
    for p in range(begin, end):
        value = values[p]
        if value > most[n - 1]:
            k = n - 1
            while k > 0 and most[k - 1] < value:
                most[k] = most[k - 1]
                k -= 1
            most[k] = value
    return most[n - 1]


@njit(nogil=True, cache=True)
def _greatest(values: Any, begin: int, end: int, most: Any) -> int:
    """Put the largest values of a run into a buffer, in descending order, and return how many there are."""
    room, kept = len(most), 0
    for p in range(begin, end):
        value = values[p]
        if value <= 0 or (kept == room and value <= most[room - 1]):
            continue
        k = min(kept, room - 1)
        while k > 0 and most[k - 1] < value:
            most[k] = most[k - 1]
            k -= 1
        most[k] = value
        kept = min(kept + 1, room)
    return kept
