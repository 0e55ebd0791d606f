"""How much work a search may spend before it settles for the best predicate found.

Work is an estimate from numbers of evaluations and rows, not a time: the same data and options stop a search at the
same predicate on every machine and under any load. A search stops when the result is proved. Otherwise it stops when
the finder has completed a round, and nothing better has appeared for a multiple of the work spent until then.

Nodes of a tree get a share of the work: most of the loss is at the root, and little is left to gain at a small or
nearly pure node, whose test will probably be pruned.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import Literal

__all__ = ["EFFORTS", "LARGE_SHARE", "Effort", "Patience"]

Effort = Literal["quick", "normal", "thorough", "prove"]


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
        Work that a search may always spend, so that small spaces are searched completely.
    width : int
        Width of the finder's first beam.
    least : int
        Work that the search of a node with a small loss may always spend.
    small : float
        Work for all such nodes of a tree, as a multiple of the work for the others.
    rounds : int
        Number of rounds that the finder always completes.

    Examples
    --------
    >>> patience = Patience(3, 1000, 100, 4)
    >>> [patience.is_over(work, improved=50, n_rounds=1) for work in (99, 149, 150)]
    [False, False, True]
    >>> patience.of(0.5).work
    250
    """

    multiple: float
    work: int
    proof: int
    width: int
    least: int = 0
    small: float = inf
    rounds: int = 1

    def of(self, share: float) -> Patience:
        """Return the limits for a node with a share of the loss of the root.

        The work falls with the square of the share: less can be gained, and it is less likely that the test is kept
        when the tree is pruned.
        """
        if share >= LARGE_SHARE:
            return replace(self, work=int(share * share * self.work))
        work = max(self.least, int(share * share * self.work))
        return replace(self, work=work, proof=min(self.proof, self.least), width=1, rounds=0)

    @property
    def is_small(self) -> bool:
        """Whether the finder may stop within its first round."""
        return not self.rounds

    def is_over(self, work: int, improved: int, n_rounds: int) -> bool:
        """Return whether to stop, from the work so far, the work at the last improvement, and the finder's rounds."""
        if work < self.proof or n_rounds < self.rounds:
            return False
        return work >= min(self.work, self.multiple * improved)


LARGE_SHARE = 0.25
"""At nodes with a smaller share of the loss, the finder may stop at any time."""

EFFORTS: Mapping[Effort, Patience | None] = {
    "quick": Patience(2, 500_000_000, 30_000_000, 2, least=2_000_000, small=0.5),
    "normal": Patience(3, 1_500_000_000, 100_000_000, 4, least=5_000_000, small=0.5),
    "thorough": Patience(20, 30_000_000_000, 1_000_000_000, 8, least=1_000_000_000),
    "prove": None,
}
"""The limits of each effort; None for a search that only a proof or another limit ends."""
