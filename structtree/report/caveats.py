"""Caveats in words: why a search may have missed a better test, what that means, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite

from structtree.models.tree import Caveat, Unproved

__all__ = ["because", "caveat_lines", "count_caveats", "how_much_better", "remedies"]

WHY: Mapping[Unproved, str] = {
    "effort": "the search stopped when further effort found nothing better",
    "time": "the time limit ended the search",
    "evaluations": "the limit on evaluations ended the search",
    "interrupt": "Ctrl-C ended the search",
    "beam": "a beam search considers only some of the tests",
    "listing": "there were too many tests to list",
    "sets": "not every set of values was tried",
}

REMEDIES: tuple[tuple[frozenset[Unproved], str], ...] = (
    (frozenset({"effort"}), "use effort=prove"),
    (frozenset({"time", "interrupt"}), "allow more time"),
    (frozenset({"evaluations"}), "allow more evaluations"),
    (frozenset({"beam"}), "use the best-first strategy"),
    (frozenset({"sets"}), "use nominal=binary"),
    (
        frozenset({"time", "interrupt", "evaluations", "listing"}),
        "use a smaller grammar (for example quantiles(10) instead of *)",
    ),
)
"""Sets of reasons, each with its remedy."""


def because(found: Iterable[Caveat]) -> str:
    """Return the reasons in words, in the order of `WHY`; empty if no reason is known.

    Examples
    --------
    >>> because([Caveat(0, 0.1, "listing"), Caveat(1, 0.1, "time"), Caveat(2, 0.2, "time")])
    'the time limit ended the search, and there were too many tests to list'
    """
    reasons = {caveat.reason for caveat in found}
    return ", and ".join(words for reason, words in WHY.items() if reason in reasons)


def remedies(found: Iterable[Caveat]) -> str:
    """Return the remedies for the reasons; empty if no reason is known.

    Examples
    --------
    >>> remedies([Caveat(0, 0.1, "beam")])
    'use the best-first strategy'
    """
    reasons = {caveat.reason for caveat in found}
    return ", or ".join(words for which, words in REMEDIES if reasons & which)


def how_much_better(found: Sequence[Caveat], criterion: str) -> str:
    """Return an upper bound on the improvement that another test could bring, in words.

    Examples
    --------
    >>> how_much_better([Caveat(0, 0.03, "time", 0.2)], "acc*")
    'another test may be better by up to 0.03 in acc*'
    >>> how_much_better([Caveat(0, 0.7, "time", 0.2)], "acc*")
    'too few tests were evaluated to rule out a much better one (by up to 0.7 in acc*)'
    >>> how_much_better([Caveat(0, 0.0, "time", 0.2)], "acc*")
    'no other test has a better acc*, though one may be as good'
    """
    gap = max(caveat.gap for caveat in found)
    if not isfinite(gap):
        return "too few tests were evaluated to bound how much better another test could be"
    if gap <= 0:
        return f"no other test has a better {criterion}, though one may be as good"
    if any(caveat.gain is not None and caveat.gap > caveat.gain for caveat in found):
        return f"too few tests were evaluated to rule out a much better one (by up to {gap:.3g} in {criterion})"
    return f"another test may be better by up to {gap:.3g} in {criterion}"


def caveat_lines(found: Sequence[Caveat], n_tests: int, criterion: str, of: str = "the tree is") -> list[str]:
    """Return lines of text: what is not proved and why, then what that means and what to do.

    If the only reason is that further effort found nothing better, one line is enough.

    Parameters
    ----------
    found : sequence of Caveat
        Caveats at leaves have no gain.
    n_tests : int
        Total number of tests, proved or not.
    criterion : str
    of : str
        Subject and verb of the first line.

    Examples
    --------
    >>> for line in caveat_lines([Caveat(0, 0.03, "sets", 0.2)], 4, "acc*"):
    ...     print(line)
    the tree is valid, but 1 of 4 tests is not proved best, only the best found: not every set of values was tried
    another test may be better by up to 0.03 in acc*; to prove more, use nominal=binary
    >>> caveat_lines([Caveat(0, 0.03, "effort", 0.2)], 4, "acc*")
    ['1 of 4 tests is not proved best: another may be better by up to 0.03 in acc*; effort=prove searches further']
    """
    if not found:
        return []
    if {caveat.reason for caveat in found} == {"effort"}:
        return [_effort_line(found, n_tests, criterion)]
    why, remedy = because(found), remedies(found)
    return [
        f"{of} valid, but {count_caveats(found, n_tests)}" + (f": {why}" if why else ""),
        how_much_better(found, criterion) + (f"; to prove more, {remedy}" if remedy else ""),
    ]


def _effort_line(found: Sequence[Caveat], n_tests: int, criterion: str) -> str:
    what = count_caveats(found, n_tests).replace(", only the best found", "")
    if all(caveat.gain is None for caveat in found):
        return f"{what}; effort=prove searches further"
    gap = max(caveat.gap for caveat in found if caveat.gain is not None)
    bound = f"by up to {gap:.3g} in {criterion}" if isfinite(gap) and gap > 0 else f"in {criterion}"
    return f"{what}: another may be better {bound}; effort=prove searches further"


def count_caveats(found: Sequence[Caveat], n_tests: int) -> str:
    """Return the number of tests that are not proved best, and of leaves that might be split.

    Examples
    --------
    >>> count_caveats([Caveat(0, 0.03, "time", 0.2), Caveat(2, 0.1, "time")], 1)
    '1 of 1 test is not proved best, only the best found, and 1 leaf might be split further'
    """
    n_open = sum(caveat.gain is not None for caveat in found)
    n_leaves, words = len(found) - n_open, []
    if n_open:
        tests, are = "test" if n_tests == 1 else "tests", "is" if n_open == 1 else "are"
        words.append(f"{n_open:,} of {n_tests:,} {tests} {are} not proved best, only the best found")
    if n_leaves:
        words.append(f"{n_leaves:,} {'leaf' if n_leaves == 1 else 'leaves'} might be split further")
    return ", and ".join(words)
