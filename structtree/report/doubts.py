"""Sentences on why something better may have been missed at some nodes of a tree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from structtree.learn.tree import Doubt, Unproved

__all__ = ["because"]

WHY: Mapping[Unproved, str] = {
    "time": "the time limit ended the search",
    "evaluations": "the limit on evaluations ended the search",
    "interrupt": "Ctrl-C ended the search",
    "beam": "a beam looks at a part of the tests only",
    "listing": "the tests were too many to list all of them",
    "sets": "not every set of values was tried",
}


def because(found: Iterable[Doubt]) -> str:
    """Return the reasons in words, in the order of the list above; nothing where they are not known.

    Examples
    --------
    >>> because([Doubt(0, 0.1, "listing"), Doubt(1, 0.1, "time"), Doubt(2, 0.2, "time")])
    'the time limit ended the search, and the tests were too many to list all of them'
    """
    reasons = {doubt.reason for doubt in found}
    return ", and ".join(words for reason, words in WHY.items() if reason in reasons)
