"""Bipartite matching with preferences, by augmenting paths (Kuhn, 1955).

Each item has a list of candidates in order of preference, and no candidate is used twice. Of all complete matchings,
the lexicographically first is returned: the first item gets its best candidate for which the other items can still be
matched, then the second item, and so on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["can_be_matched", "first_matching"]

Candidates = Sequence[Sequence[int]]


def can_be_matched(candidates: Candidates) -> bool:
    """Return whether every item can be matched with a different candidate.

    Examples
    --------
    >>> can_be_matched([[0, 1], [0]]), can_be_matched([[0], [0]])
    (True, False)
    """
    return _matching(candidates) is not None


def first_matching(candidates: Candidates) -> tuple[int, ...] | None:
    """Return the first complete matching as one candidate for each item, or None if there is none.

    Examples
    --------
    >>> first_matching([[0, 1], [0], [1, 2]])
    (1, 0, 2)
    """
    owners = _matching(candidates)
    if owners is None:
        return None
    settled: dict[int, None] = {}
    for item, wanted in enumerate(candidates):
        better = (candidate for candidate in wanted if candidate not in settled)
        settled[next(c for c in better if _take(item, c, owners, candidates, settled))] = None
    return tuple(settled)


def _matching(candidates: Candidates) -> dict[int, int] | None:
    """Return a complete matching as a dict from candidate to item, or None."""
    owners: dict[int, int] = {}
    served = all(_serve(item, owners, candidates, set()) for item in range(len(candidates)))
    return owners if served else None


def _serve(item: int, owners: dict[int, int], candidates: Candidates, tried: set[int]) -> bool:
    """Match an item with an untried candidate; if another item has it, match that item with another candidate."""
    for candidate in candidates[item]:
        if candidate not in tried:
            tried.add(candidate)
            if candidate not in owners or _serve(owners[candidate], owners, candidates, tried):
                owners[candidate] = item
                return True
    return False


def _take(item: int, candidate: int, owners: dict[int, int], candidates: Candidates, settled: Iterable[int]) -> bool:
    """Match an item with a candidate if the other items can still be matched without the settled candidates."""
    own = next(c for c, owner in owners.items() if owner == item)
    other = owners.get(candidate)
    if other == item:
        return True
    del owners[own]
    owners[candidate] = item
    if other is None or _serve(other, owners, candidates, {*settled, candidate}):
        return True
    owners[own], owners[candidate] = item, other
    return False
