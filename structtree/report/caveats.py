"""Doubts in words: why something better may have been missed at some nodes of trees, what that means, what to do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite

from structtree.models.tree import Caveat, Unproved

__all__ = ["because", "caveat_lines", "count_caveats", "how_much_better", "remedies"]

WHY: Mapping[Unproved, str] = {
    "time": "the time limit ended the search",
    "evaluations": "the limit on evaluations ended the search",
    "interrupt": "Ctrl-C ended the search",
    "beam": "a beam looks at a part of the tests only",
    "listing": "the tests were too many to list all of them",
    "sets": "not every set of values was tried",
}

REMEDIES: tuple[tuple[frozenset[Unproved], str], ...] = (
    (frozenset({"time", "interrupt"}), "allow more time"),
    (frozenset({"evaluations"}), "allow more evaluations"),
    (frozenset({"beam"}), "use the strategy best-first"),
    (frozenset({"sets"}), "use nominal=binary"),
    (
        frozenset({"time", "interrupt", "evaluations", "listing"}),
        "use a smaller grammar (such as quantiles(10) in place of *)",
    ),
)
"""Reasons why something is not proved, and what helps."""


def because(found: Iterable[Caveat]) -> str:
    """Return the reasons in words, in the order of the list above; nothing where they are not known.

    Examples
    --------
    >>> because([Caveat(0, 0.1, "listing"), Caveat(1, 0.1, "time"), Caveat(2, 0.2, "time")])
    'the time limit ended the search, and the tests were too many to list all of them'
    """
    reasons = {caveat.reason for caveat in found}
    return ", and ".join(words for reason, words in WHY.items() if reason in reasons)


def remedies(found: Iterable[Caveat]) -> str:
    """Return what helps against the reasons; nothing where they are not known.

    Examples
    --------
    >>> remedies([Caveat(0, 0.1, "beam")])
    'use the strategy best-first'
    """
    reasons = {caveat.reason for caveat in found}
    return ", or ".join(words for which, words in REMEDIES if reasons & which)


def how_much_better(found: Sequence[Caveat], criterion: str) -> str:
    """Return by how much another test might be better at most, in words where the number says little.

    Examples
    --------
    >>> how_much_better([Caveat(0, 0.03, "time", 0.2)], "acc*")
    'another test may be better by up to 0.03 in acc*'
    >>> how_much_better([Caveat(0, 0.7, "time", 0.2)], "acc*")
    'too little was seen to say whether another test is much better (by up to 0.7 in acc*)'
    >>> how_much_better([Caveat(0, 0.0, "time", 0.2)], "acc*")
    'no other test is better by acc*, though one may be as good'
    """
    gap = max(caveat.gap for caveat in found)
    if not isfinite(gap):
        return "too little was seen to say how much better another test could be"
    if gap <= 0:
        return f"no other test is better by {criterion}, though one may be as good"
    if any(caveat.gain is not None and caveat.gap > caveat.gain for caveat in found):
        return f"too little was seen to say whether another test is much better (by up to {gap:.3g} in {criterion})"
    return f"another test may be better by up to {gap:.3g} in {criterion}"


def caveat_lines(found: Sequence[Caveat], n_tests: int, criterion: str, of: str = "the tree is") -> list[str]:
    """Return two lines for people: what is not proved and why, then what that means and what to do.

    Parameters
    ----------
    found : sequence of Caveat
        Those at leaves have no gain.
    n_tests : int
        The number of all tests, proved or not.
    criterion : str
    of : str
        What the tests are of.

    Examples
    --------
    >>> for line in caveat_lines([Caveat(0, 0.03, "sets", 0.2)], 4, "acc*"):
    ...     print(line)
    the tree is valid, but 1 of 4 tests is not proved best, only the best found: not every set of values was tried
    another test may be better by up to 0.03 in acc*; to prove more, use nominal=binary
    """
    if not found:
        return []
    why, remedy = because(found), remedies(found)
    return [
        f"{of} valid, but {count_caveats(found, n_tests)}" + (f": {why}" if why else ""),
        how_much_better(found, criterion) + (f"; to prove more, {remedy}" if remedy else ""),
    ]


def count_caveats(found: Sequence[Caveat], n_tests: int) -> str:
    """Return how many tests are not proved best, and how many leaves might have got a test.

    Examples
    --------
    >>> count_caveats([Caveat(0, 0.03, "time", 0.2), Caveat(2, 0.1, "time")], 1)
    '1 of 1 test is not proved best, only the best found, and 1 leaf might be divided further'
    """
    n_open = sum(caveat.gain is not None for caveat in found)
    n_leaves, words = len(found) - n_open, []
    if n_open:
        tests, are = "test" if n_tests == 1 else "tests", "is" if n_open == 1 else "are"
        words.append(f"{n_open:,} of {n_tests:,} {tests} {are} not proved best, only the best found")
    if n_leaves:
        words.append(f"{n_leaves:,} {'leaf' if n_leaves == 1 else 'leaves'} might be divided further")
    return ", and ".join(words)
