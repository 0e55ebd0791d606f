"""In which order to combine tests: the promising ones last.

In set enumeration a test is combined with those after it, so the last has the fewest refinements. Which are worth
refining is known from their bounds alone; putting those last keeps their subtrees small and leaves the large subtrees
to tests that are pruned at once. The space stays the same, each predicate is still generated once, only the tree over
it is another one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from structtree.data.columns import Population
from structtree.lang.syntax import Exists, Follow, Step
from structtree.search.boards import Board, boards_of
from structtree.search.judges import Judge, Loss
from structtree.search.kernels import coded_counts, ranked_counts
from structtree.search.pairs import Pairs, follow
from structtree.space.families import Family, LinkFamily, Offers
from structtree.space.space import Space

__all__ = ["promising_last"]


Boards = dict[str, tuple[Board, Board]]


def promising_last(space: Space, judge: Judge) -> tuple[Space, Boards]:
    """The same space with the plain tests of every type in the order of their best bounds, the best last.

    Returns
    -------
    space : Space
    boards : dict from type name to its boards, in the new order, for the types that were looked at
    """
    top = dict(space.offers.from_top)
    boards: Boards = {}
    for name, pairs in _reach(space):
        plain = space.plain[name].families
        # Where a position has but one literal, nothing is combined.
        if len(plain) > 1 and space.grammar.conjuncts.get(name, 1) != 1:
            coded, ranked_board = boards_of(space, name)
            promise = _promise((coded, ranked_board), judge, pairs)
            ranked = sorted(plain, key=lambda index: (promise.get(index, (np.inf, np.inf)), -index), reverse=True)
            moved = dict(zip(ranked, sorted(plain), strict=True))
            boards[name] = (coded.moved(moved), ranked_board.moved(moved))
            families: list[Family] = [replace(f, index=moved.get(f.index, f.index)) for f in top[name]]
            top[name] = tuple(sorted(families, key=lambda family: family.index))
    return replace(space, offers=Offers(top, space.offers.from_literal)), boards


def _reach(space: Space) -> Iterator[tuple[str, Pairs]]:
    """Each type that existential links lead to, with all pairs of the first way there."""
    assert space.population is not None
    population: Population = space.population
    individual = population.schema.individual
    owners = np.arange(len(population), dtype=np.int64)
    waiting = [(individual, owners, population.individuals)]
    seen = {individual}
    while waiting:
        name, owners, rows = waiting.pop(0)
        yield name, Pairs(owners.astype(np.int32), rows.astype(np.int32))
        for family in space.offers.from_top[name]:
            if not isinstance(family, LinkFamily) or not isinstance(family.template, Exists | Follow | Step):
                continue
            target = family.slots[0].type
            if target not in seen:
                seen.add(target)
                waiting.append((target, *follow(owners, rows, family, population)))


def _promise(boards: tuple[Board, Board], judge: Judge, pairs: Pairs) -> dict[int, Loss]:
    """For each family the best bound of its members."""
    found: dict[int, Loss] = {}
    for board in boards:
        for first, last in board.pieces(0, judge.n_labels):
            bounds = judge.bound(_counts(board, first, last, judge, pairs))
            families = board.families[board.offsets[first] : board.offsets[last]]
            order = np.lexsort((bounds[:, 1], bounds[:, 0], families))
            indices, least = np.unique(families[order], return_index=True)
            for index, (loss, tie) in zip(indices.tolist(), bounds[order[least]].tolist(), strict=True):
                found[index] = min((loss, tie), found.get(index, (np.inf, np.inf)))
    return found


def _counts(
    board: Board, first: int, last: int, judge: Judge, pairs: Pairs
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    kernel = ranked_counts if board.ranked else coded_counts
    hashes = np.zeros((2, 0), dtype=np.uint64)
    columns, offsets = board.columns[first:last], board.offsets[first : last + 1] - board.offsets[first]
    labels, weights = judge.labels, judge.weights
    counts, _, _ = kernel(pairs.owners, pairs.rows, columns, offsets, labels, weights, judge.n_labels, hashes)
    return counts  # type: ignore[no-any-return]  # compiled functions have no types
