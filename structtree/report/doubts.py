"""The nodes of a tree at which something better may have been missed, and why, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from structtree.learn.tree import Leaf, Tree, Unproved

__all__ = ["Doubt", "because", "doubts"]

WHY: Mapping[Unproved, str] = {
    "time": "the time limit ended the search",
    "evaluations": "the limit on evaluations ended the search",
    "interrupt": "Ctrl-C ended the search",
    "beam": "a beam looks at a part of the tests only",
    "listing": "the tests were too many to list all of them",
    "sets": "not every set of values was tried",
}


@dataclass(frozen=True, slots=True)
class Doubt:
    """A node at which a better test may have been missed; at a leaf any test.

    Parameters
    ----------
    node : int
    gap : float
        By how much the loss might be less.
    reason : optional
        Why it is not known, as of `structtree.learn.tree.Found`; models of older versions do not say it.
    """

    node: int
    gap: float
    reason: Unproved | None


def doubts(tree: Tree) -> list[Doubt]:
    """Return the nodes of a tree at which something better may have been missed."""
    found = []
    for i, node in enumerate(tree.nodes):
        if isinstance(node, Leaf):
            if node.gap:
                found.append(Doubt(i, node.gap, node.stopped_by))
        elif not node.found.proved:
            found.append(Doubt(i, node.found.gap, node.found.stopped_by))
    return found


def because(found: Iterable[Doubt]) -> str:
    """Return the reasons in words, in the order of the list above; nothing where they are not known.

    Examples
    --------
    >>> because([Doubt(0, 0.1, "listing"), Doubt(1, 0.1, "time"), Doubt(2, 0.2, "time")])
    'the time limit ended the search, and the tests were too many to list all of them'
    """
    reasons = {doubt.reason for doubt in found}
    return ", and ".join(words for reason, words in WHY.items() if reason in reasons)
