"""The way from the individuals to a position of a predicate, and what every test column keeps there.

A predicate of ``exists``, references, steps along lists and ``and`` is an acyclic conjunctive query. Followed from
the individuals through its links, with every row dropped that does not satisfy what is asked of it, the pairs
(individual, row) at each position are exactly those of its embeddings: a test added there keeps exactly the
individuals that own a pair which passes. Where a link asks for more rows than one, or for all, pairs do not tell;
from there on the chain has levels, and ranks are carried back through them (`structtree.search.kernels.chains`).

`Chain.count` is the one place where the members of families are counted at a position. A request is a chain, some
test columns, and what is added up; counts, sizes and signatures add up over disjoint sets of individuals, so
that each part of a divided population could answer for its own.

Law: what a chain counts is what `structtree.space.evaluate` finds for each member by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import Codes, Floats, Ints, Mask
from structtree.data.population import Adjacency, Population
from structtree.search.columns import FamilyMembers, TestColumns
from structtree.search.kernels.chains import lift_codes, lift_ranks, next_level, next_pairs
from structtree.search.kernels.counting import coded_counts, ranked_counts
from structtree.search.scorers import Sums

__all__ = ["Chain", "Counted", "Level"]

NO_HASHES = np.zeros((2, 0), dtype=np.uint64)


class Level(NamedTuple):
    """Rows behind those of the level before: where the run of each begins, the rows, and how many of it must pass."""

    starts: Ints
    rows: Codes
    needs: Ints


class Counted(NamedTuple):
    """Counts of what members keep: weighted labels (or moments), individuals, and signatures of the pairs."""

    counts: Floats
    sizes: Ints
    marks: NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False)
class Chain:
    """The rows at a position, each with the individual it stands there for.

    Parameters
    ----------
    owners : array of int32
        Numbers of individuals, ascending.
    rows : array of int32
        The rows that stand for them, as far as some row is enough.
    levels : tuple of Level
        From the first link on of which one row is not enough.
    """

    owners: Codes
    rows: Codes
    levels: tuple[Level, ...] = ()

    @classmethod
    def start(cls, population: Population, passes: Mask) -> Chain:
        """At the individuals themselves, those of whose rows it holds."""
        owners = np.flatnonzero(passes[population.individuals]).astype(np.int32)
        return cls(owners, population.individuals[owners].astype(np.int32))

    def __len__(self) -> int:
        """Return how many rows there are at the position."""
        return len(self.ends)

    @property
    def ends(self) -> Codes:
        """The rows at the position."""
        return self.levels[-1].rows if self.levels else self.rows

    def follow(self, adjacency: Adjacency, need: int | Literal["all"], passes: Mask) -> Chain:
        """Return the chain one link further, to the rows that pass, of which so many must satisfy a test there."""
        if need == 1 and not self.levels:
            link = (adjacency.offsets, adjacency.targets)
            return Chain(*next_pairs(self.owners, self.rows, *link, passes, adjacency.shared))
        starts, rows = next_level(self.ends, adjacency.offsets, adjacency.targets, passes)
        # One more, so that needs and starts are found at the same places.
        needs = np.append(adjacency.lengths[self.ends] if need == "all" else np.full(len(self.ends), need), 0)
        return Chain(self.owners, self.rows, (*self.levels, Level(starts, rows, needs)))

    def count(
        self,
        columns: TestColumns[FamilyMembers],
        first: int,
        last: int,
        tally: Sums,
        hashes: NDArray[np.uint64] = NO_HASHES,
    ) -> Counted:
        """Count what every member of some columns keeps; signatures only where there are no levels."""
        offsets = columns.offsets[first : last + 1] - columns.offsets[first]
        values, ranked = columns.values[first:last], columns.is_ranked
        if not self.levels:
            kernel: Callable[..., Any] = ranked_counts if ranked else coded_counts
            return Counted(*kernel(self.owners, self.rows, values, offsets, *tally, hashes))
        here = np.arange(len(self.rows), dtype=np.int32)
        lifted = self._lifted(values, offsets, ranked=ranked)
        offsets = offsets if ranked else np.arange(offsets[-1] + 1)
        return Counted(*ranked_counts(self.owners, here, lifted, offsets, *tally, NO_HASHES))

    def _lifted(self, columns: Codes, offsets: Ints, *, ranked: bool) -> Codes:
        """Return ranks carried back to the rows before the levels; codes as a column of 0 and 1 for each member."""
        edges = np.cumsum([0, *(len(level.starts) for level in self.levels)])
        starts = np.concatenate([level.starts for level in self.levels])
        levels = (self.ends, starts, edges, np.concatenate([level.needs for level in self.levels]))
        return np.asarray((lift_ranks if ranked else lift_codes)(columns, offsets, *levels))

    # ---- the individuals themselves ---------------------------------------------------------------------

    def greatest(self, ranks: Codes, n_members: int, n: int) -> Codes:
        """Return how many of nested members each of n individuals passes by some row, from their ranks by row."""
        if not self.levels:
            return self._by_owner(ranks[self.rows], n)
        return self._by_owner(self._lifted(ranks[None, :], np.array([0, n_members]), ranked=True)[0], n)

    def members(self, codes: Codes, n_members: int, n: int) -> Iterator[Codes]:
        """Yield for each of several members that exclude each other which of n individuals pass it, as 0 and 1."""
        if self.levels:
            lifted = self._lifted(codes[None, :], np.array([0, n_members]), ranked=False)
            yield from (self._by_owner(column, n) for column in lifted)
            return
        here = codes[self.rows]
        for member in range(n_members):
            found = np.zeros(n, dtype=np.int32)
            found[self.owners[here == member]] = 1
            yield found

    def codes(self, codes: Codes, n: int) -> Codes:
        """Return the code of the row of each of n individuals, where they have one at most; -1 for none."""
        found = np.full(n, -1, dtype=np.int32)
        found[self.owners] = codes[self.rows]
        return found

    def _by_owner(self, ranks: Codes, n: int) -> Codes:
        """Return the greatest of the ranks that each individual has."""
        found = np.zeros(n, dtype=np.int32)
        if len(ranks):
            first = np.flatnonzero(np.diff(self.owners, prepend=-1))
            found[self.owners[first]] = np.maximum.reduceat(ranks, first)
        return found
