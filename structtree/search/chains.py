"""Chains of links from the individuals to a position of a predicate, and the counts of every test at the position.

A predicate of ``exists``, references, list steps and ``and`` is an acyclic conjunctive query. If its links are
followed from the individuals and rows that fail a test are dropped, the pairs (individual, row) at each position are
exactly those of its embeddings: a test added there keeps the individuals with a pair that satisfies it. If a link
requires several rows, or all, pairs are not enough; from there on the chain has levels, and ranks are carried back
through them (`structtree.search.kernels.chains`).

`Chain.count` is the only place where the members of families are counted at a position. Its input is a chain, some
columns, and the summed statistics; counts, sizes and signatures are additive over disjoint sets of individuals, so
that a divided population could be counted in parts.

Law: the counts equal those of `structtree.space.evaluate` for each member alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import Codes, Floats, Ints, Mask
from structtree.data.population import Adjacency, Population
from structtree.search.columns import FamilyMembers, TestColumns, is_swept
from structtree.search.kernels.chains import lift_codes, lift_ranks, next_level, next_pairs
from structtree.search.kernels.counting import coded_counts, ranked_counts
from structtree.search.scorers import Sums
from structtree.search.steps import Steps, need_of, rows_needed
from structtree.space.evaluate import Known, rows_where
from structtree.space.families import LinkFamily
from structtree.space.space import Batch, Opening, Position, SlotPath

__all__ = ["Chain", "Counted", "Level", "chain_to", "is_countable"]

ONE = np.ones(1, dtype=np.int64)
NO_HASHES = np.zeros((2, 0), dtype=np.uint64)


class Level(NamedTuple):
    """Rows that the previous level links to, in one run per row, and the number of rows required in each run."""

    starts: Ints
    rows: Codes
    needs: Ints


class Counted(NamedTuple):
    """Counts for each test: weighted labels (or moments), individuals, and signatures of the pairs."""

    counts: Floats
    sizes: Ints
    marks: NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False)
class Chain:
    """The rows at a position, each with its individual.

    Parameters
    ----------
    owners : array of int32
        Numbers of individuals, ascending.
    rows : array of int32
        Their rows, up to the first link that requires several rows.
    levels : tuple of Level
        The levels from this link on.
    """

    owners: Codes
    rows: Codes
    levels: tuple[Level, ...] = ()
    #: The level that requires each of several numbers of rows, and these numbers; -1 if there is none.
    varied: int = -1
    numbers: Ints = field(default_factory=lambda: ONE)

    @classmethod
    def start(cls, population: Population, passes: Mask) -> Chain:
        """Return the chain without links: the individuals whose rows satisfy a predicate."""
        owners = np.flatnonzero(passes[population.individuals]).astype(np.int32)
        return cls(owners, population.individuals[owners].astype(np.int32))

    def __len__(self) -> int:
        """Return the number of rows at the position."""
        return len(self.ends)

    @property
    def ends(self) -> Codes:
        """The rows at the position."""
        return self.levels[-1].rows if self.levels else self.rows

    def follow(self, adjacency: Adjacency, need: int | Literal["all"], passes: Mask) -> Chain:
        """Return the chain extended by a link to the passing rows, of which `need` must satisfy a test."""
        if need == 1 and not self.levels:
            link = (adjacency.offsets, adjacency.targets)
            return Chain(*next_pairs(self.owners, self.rows, *link, passes, adjacency.shared))
        needs = adjacency.lengths[self.ends] if need == "all" else np.full(len(self.ends), need)
        return replace(self, levels=(*self.levels, self._level(adjacency, needs, passes)))

    def follow_each(self, adjacency: Adjacency, numbers: Ints, passes: Mask) -> Chain:
        """Return the chain extended by a link to rows of which each of several numbers must satisfy a test.

        Its counts are those for the first number, then those for the next one, and so on. A chain has at most one
        such link.
        """
        level = self._level(adjacency, np.full(len(self.ends), numbers.min()), passes)
        return replace(self, levels=(*self.levels, level), varied=len(self.levels), numbers=numbers)

    def _level(self, adjacency: Adjacency, needs: Ints, passes: Mask) -> Level:
        """Return the rows that the ends link to, given the number of them that each end needs."""
        needs = np.append(needs, 0)  # one more, so that needs and starts have the same indices
        starts, rows = next_level(self.ends, adjacency.offsets, adjacency.targets, passes, needs)
        return Level(starts, rows, needs)

    def restricted(self, passes: Mask) -> Chain:
        """Return the chain without the rows at its end that fail a test."""
        kept = passes[self.ends]
        if not self.levels:
            return replace(self, owners=self.owners[kept], rows=self.rows[kept])
        last = self.levels[-1]
        starts = np.concatenate(([0], np.cumsum(kept)))[last.starts]
        return replace(self, levels=(*self.levels[:-1], Level(starts, last.rows[kept], last.needs)))

    def count(
        self,
        columns: TestColumns[FamilyMembers],
        first: int,
        last: int,
        tally: Sums,
        hashes: NDArray[np.uint64] = NO_HASHES,
    ) -> Counted:
        """Count the individuals that each member of some columns keeps."""
        offsets = columns.offsets[first : last + 1] - columns.offsets[first]
        values, ranked = columns.values[first:last], columns.is_ranked
        if not self.levels:
            kernel: Callable[..., Any] = ranked_counts if ranked else coded_counts
            return Counted(*kernel(self.owners, self.rows, values, offsets, *tally, hashes))
        here = np.arange(len(self.rows), dtype=np.int32)
        lifted = self._lifted(values, offsets, ranked=ranked)
        offsets = offsets if ranked else np.arange(offsets[-1] + 1)
        n_numbers = len(self.numbers)
        if n_numbers > 1:
            starts = offsets[:-1] + offsets[-1] * np.arange(n_numbers)[:, None]
            offsets = np.append(starts, n_numbers * offsets[-1])
        return Counted(*ranked_counts(self.owners, here, lifted, offsets, *tally, NO_HASHES))

    def _lifted(self, columns: Codes, offsets: Ints, *, ranked: bool) -> Codes:
        """Carry ranks or codes back to the rows before the levels; codes become a 0/1 column for each member."""
        edges = np.cumsum([0, *(len(level.starts) for level in self.levels)])
        starts = np.concatenate([level.starts for level in self.levels])
        levels = (self.ends, starts, edges, np.concatenate([level.needs for level in self.levels]))
        lift = lift_ranks if ranked else lift_codes
        return np.asarray(lift(columns, offsets, *levels, self.varied, self.numbers))

    # ---- the individuals themselves ---------------------------------------------------------------------

    def greatest(self, ranks: Codes, n_members: int, n: int) -> Codes:
        """Return the number of nested members that each of n individuals satisfies, from the ranks of the rows."""
        if not self.levels:
            return self._by_owner(ranks[self.rows], n)
        return self._by_owner(self._lifted(ranks[None, :], np.array([0, n_members]), ranked=True)[0], n)

    def members(self, codes: Codes, n_members: int, n: int) -> Iterator[Codes]:
        """Yield, for each of several exclusive members, which of n individuals satisfy the member, as 0 and 1."""
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
        """Return the code of each of n individuals that reach at most one row; -1 if they reach none."""
        found = np.full(n, -1, dtype=np.int32)
        found[self.owners] = codes[self.rows]
        return found

    def _by_owner(self, ranks: Codes, n: int) -> Codes:
        """Return the largest rank of each individual."""
        found = np.zeros(n, dtype=np.int32)
        if len(ranks):
            first = np.flatnonzero(np.diff(self.owners, prepend=-1))
            found[self.owners[first]] = np.maximum.reduceat(ranks, first)
        return found


# ---- chains of the positions of a predicate ---------------------------------------------------------------------


def is_countable(position: Position, extension: Batch | Opening) -> bool:
    """Return whether the members of an extension have columns and are at a place that a chain leads to."""
    if isinstance(extension, Opening) and isinstance(extension.family, LinkFamily) and not is_swept(extension.family):
        return False
    needed = rows_needed if isinstance(extension, Batch) else need_of
    for index, slot in extension.path:
        item = position.items[index]
        if not isinstance(item.family, LinkFamily) or needed(item.family, item.choice) is None:
            return False
        position = item.positions[slot]
    return True


def chain_to(position: Position, path: SlotPath, steps: Steps, known: Known) -> Chain:
    """Return the chain to the rows at a place in a predicate on individuals.

    Parameters
    ----------
    position : Position
    path : SlotPath
        The place; `is_countable` is true there.
    steps : Steps
    known : dict
        Cache of masks; see `structtree.space.evaluate.rows_where`.
    """
    population = steps.population
    individual = population.schema.individual
    if len(position.items) != 1 or not path:
        passes = rows_where(position.predicate, population, individual, known)
    else:
        # A single literal needs no check first: individuals that do not satisfy it end with no row.
        passes = np.ones(population.tables[individual].n_rows, dtype=np.bool_)
    chain = Chain.start(population, passes)
    for index, slot in path:
        item = position.items[index]
        assert isinstance(item.family, LinkFamily)
        need = rows_needed(item.family, item.choice)
        assert need is not None
        position = item.positions[slot]
        passes = rows_where(position.predicate, population, position.slot.type, known)
        chain = chain.follow(steps.of(item.family), need, passes)
    return chain
