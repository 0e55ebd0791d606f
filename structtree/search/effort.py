"""Limits on the work that a search spends before it settles for the best predicate found.

Work is an estimate from numbers of evaluations and rows, not a time: the same data and options stop a search at the
same predicate on every machine and under any load. A search stops when the result is proved. Otherwise it stops when
the finder has completed a round, and nothing better has appeared for a multiple of the work spent until then.

Nodes of a tree get a share of the work: most of the loss is at the root, and little is left to gain at a small or
nearly pure node, whose test will probably be pruned.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

__all__ = ["EFFORTS", "LARGE_SHARE", "EffortLevel", "Patience"]

EffortLevel = Literal["quick", "normal", "thorough", "prove"]


@dataclass(frozen=True, slots=True)
class Patience:
    """Limits on the work of a search.

    Parameters
    ----------
    multiple : float
        A search continues until its work is this multiple of the work spent until the last improvement.
    work : int
        Work after which a search stops, even if it still improves.
    proof : int
        Work that a search may always spend, so that small spaces are searched completely; more for small data.
    width : int
        Width of the finder's first beam.
    below : int
        Work for the nodes of a tree that have a small loss, together, with `MANY` individuals. It falls with their
        number, but grows again for small data. Each node may spend it divided by the number of individuals, times
        `PER_NODE`.
    rounds : int
        Number of rounds that the finder always completes.

    Examples
    --------
    >>> patience = Patience(3, 1000, 100, 4, below=50)
    >>> [patience.is_over(work, improved=50, n_rounds=1) for work in (99, 149, 150)]
    [False, False, True]
    >>> patience.of(0.5, 1000).work
    250
    """

    multiple: float
    work: int
    proof: int
    width: int
    below: int
    rounds: int = 1

    def of(self, share: float, n: int) -> Patience:
        """Return the limits for a node with a share of the loss of the root, which has n individuals.

        The work falls with the square of the share: less can be gained, and it is less likely that the test is kept
        when the tree is pruned.
        """
        work = int(share * share * self.work)
        if share >= LARGE_SHARE:
            return replace(self, work=work, proof=max(self.proof, min(MOST_PROOF, FOR_PROOFS // max(1, n))))
        least = min(self.proof, PER_NODE * self._below(n) // max(1, n))
        return replace(self, work=max(least, work), proof=least, width=1, rounds=0)

    def is_spent(self, small: int, large: int, n: int) -> bool:
        """Return whether nodes with a small loss have spent their work, given the work for the others."""
        return small > max(self._below(n), large // 4)

    def _below(self, n: int) -> int:
        for_many = self.below * min(n, MANY) // MANY
        return max(for_many, min(MOST_PROOF, FOR_SMALL_NODES // max(1, n)))

    @property
    def is_small(self) -> bool:
        """True if the finder may stop within its first round."""
        return not self.rounds

    def is_over(self, work: int, improved: int, n_rounds: int) -> bool:
        """Return whether to stop, from the work so far, the work at the last improvement, and the finder's rounds."""
        if work < self.proof or n_rounds < self.rounds:
            return False
        return work >= min(self.work, self.multiple * improved)


LARGE_SHARE = 0.25
"""At nodes with a smaller share of the loss, the finder may stop at any time."""

FOR_PROOFS, MOST_PROOF = 30_000_000_000, 600_000_000
"""Work for proofs, divided by the number of individuals; and its maximum per search."""

FOR_SMALL_NODES = 100_000_000_000
"""The same for all nodes of a tree with a small loss."""

MANY = 2_000
"""Number of individuals from which all of the work for nodes with a small loss may be spent."""

PER_NODE = 20
"""Number of individuals per node with a small loss, for dividing the work among them."""

EFFORTS: Mapping[EffortLevel, Patience | None] = {
    "quick": Patience(2, 500_000_000, 30_000_000, 2, below=30_000_000),
    "normal": Patience(3, 1_500_000_000, 100_000_000, 4, below=200_000_000),
    "thorough": Patience(20, 30_000_000_000, 1_000_000_000, 8, below=30_000_000_000),
    "prove": None,
}
"""The limits of each effort; None for a search that only a proof or another limit ends."""
