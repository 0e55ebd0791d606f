"""Different partners for all: bipartite matching by augmenting paths (Kuhn, 1955), in polynomial time.

Each of some parts has candidates, in the order in which it would like them; no candidate can be taken twice. Of all
ways to give every part a candidate the first one is found, as trying all of them in order would: the first part gets
the best candidate that leaves enough for the others, then the second one, and so on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["can_be_matched", "first_matching"]

Candidates = Sequence[Sequence[int]]


def can_be_matched(candidates: Candidates) -> bool:
    """Tell whether every part can have a candidate of its own.

    Examples
    --------
    >>> can_be_matched([[0, 1], [0]]), can_be_matched([[0], [0]])
    (True, False)
    """
    return _matching(candidates) is not None


def first_matching(candidates: Candidates) -> tuple[int, ...] | None:
    """Return a candidate for each part, all different, the first ones possible; None where there are none.

    Examples
    --------
    >>> first_matching([[0, 1], [0], [1, 2]])
    (1, 0, 2)
    """
    owners = _matching(candidates)
    if owners is None:
        return None
    settled: dict[int, None] = {}
    for part, wanted in enumerate(candidates):
        better = (candidate for candidate in wanted if candidate not in settled)
        settled[next(c for c in better if _take(part, c, owners, candidates, settled))] = None
    return tuple(settled)


def _matching(candidates: Candidates) -> dict[int, int] | None:
    """Return which part owns which candidate, in some way that serves all parts."""
    owners: dict[int, int] = {}
    served = all(_serve(part, owners, candidates, set()) for part in range(len(candidates)))
    return owners if served else None


def _serve(part: int, owners: dict[int, int], candidates: Candidates, tried: set[int]) -> bool:
    """Give a part one of the candidates not yet tried, whose owner takes another one if need be."""
    for candidate in candidates[part]:
        if candidate not in tried:
            tried.add(candidate)
            if candidate not in owners or _serve(owners[candidate], owners, candidates, tried):
                owners[candidate] = part
                return True
    return False


def _take(part: int, candidate: int, owners: dict[int, int], candidates: Candidates, settled: Iterable[int]) -> bool:
    """Give a part this candidate, if the others can do with the rest; those settled stay."""
    own = next(c for c, owner in owners.items() if owner == part)
    other = owners.get(candidate)
    if other == part:
        return True
    del owners[own]
    owners[candidate] = part
    if other is None or _serve(other, owners, candidates, {*settled, candidate}):
        return True
    owners[own], owners[candidate] = part, other
    return False
