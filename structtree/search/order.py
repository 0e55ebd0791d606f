"""Sort the tests of a space so that the most promising ones come last.

In set enumeration, a test is combined with the tests after it, so that the last one has the fewest refinements. The
bounds show which tests are promising; placing these last keeps their subtrees small and leaves the large subtrees to
tests that are pruned at once. The space is unchanged and each predicate is still generated once; only the tree over
the space differs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from structtree.interrupts import NO_LIMIT, Limit
from structtree.lang import syntax as syn
from structtree.search.chains import Chain
from structtree.search.columns import FamilyMembers, SpaceColumns, TestColumns
from structtree.search.scorers import Loss, Scorer, Sums
from structtree.search.steps import Steps
from structtree.space.families import Family, LinkFamily
from structtree.space.space import Space

__all__ = ["promising_last"]


def promising_last(space: Space, scorer: Scorer, limit: Limit = NO_LIMIT) -> tuple[Space, SpaceColumns]:
    """Return the space with the plain tests of every type sorted by their best bounds, the best last.

    Parameters
    ----------
    space : Space
    scorer : Scorer
    limit : Limit, optional
        When it is reached, the tests of the remaining types keep their order.

    Returns
    -------
    space : Space
    columns : SpaceColumns
        In the new order.
    """
    top, columns = dict(space.offers.from_top), SpaceColumns(space, limit=limit)
    places: dict[str, dict[int, int]] = {}
    for name, chain in _reach(space, columns.steps):
        if limit.over() is not None:
            break
        plain = space.plain[name].families
        # If a position has only one literal, nothing is combined.
        if len(plain) > 1 and space.grammar.conjuncts.get(name, 1) != 1:
            promise = _promise(columns.of(name), scorer, chain)
            ranked = sorted(plain, key=lambda index: (promise.get(index, (np.inf, np.inf)), -index), reverse=True)
            moved = places[name] = dict(zip(ranked, sorted(plain), strict=True))
            families: list[Family] = [replace(f, index=moved.get(f.index, f.index)) for f in top[name]]
            top[name] = tuple(sorted(families, key=lambda family: family.index))
    ordered = replace(space, offers=replace(space.offers, from_top=top))
    return ordered, columns.moved(ordered, places)


def _reach(space: Space, steps: Steps) -> Iterator[tuple[str, Chain]]:
    """Yield each type that existential links lead to, with the rows on the first path found to the type."""
    population = steps.population
    individual = population.schema.individual
    everything = {name: np.ones(table.n_rows, dtype=np.bool_) for name, table in population.tables.items()}
    waiting = [(individual, Chain.start(population, everything[individual]))]
    seen = {individual}
    while waiting:
        name, chain = waiting.pop(0)
        yield name, chain
        for family in space.offers.from_top[name]:
            if isinstance(family, LinkFamily) and isinstance(family.template, syn.Exists | syn.Follow | syn.ListStep):
                target = family.slots[0].type
                if target not in seen:
                    seen.add(target)
                    waiting.append((target, chain.follow(steps.of(family), 1, everything[target])))


def _promise(columns: tuple[TestColumns[FamilyMembers], ...], scorer: Scorer, chain: Chain) -> dict[int, Loss]:
    """Return the best bound of each family's members; for many classes, whose bounds are slow, the best loss."""
    found: dict[int, Loss] = {}
    tally = Sums(scorer.labels, scorer.weights, scorer.n_labels)
    for each in columns:
        for first, last in each.pieces(0, scorer.n_labels):
            counts = chain.count(each, first, last, tally).counts
            bounds = scorer.bound(counts) if scorer.width == scorer.n_labels else scorer.losses(counts)
            families = each.members.families[each.offsets[first] : each.offsets[last]]
            order = np.lexsort((bounds[:, 1], bounds[:, 0], families))
            indices, least = np.unique(families[order], return_index=True)
            for index, (loss, tie) in zip(indices.tolist(), bounds[order[least]].tolist(), strict=True):
                found[index] = min((loss, tie), found.get(index, (np.inf, np.inf)))
    return found
