"""Random subsets of the columns, searched at each node as in random forests.

A column of listed tests is one of `structtree.search.columns.TestColumns`. A column of a space is what a family of
its tests asks about: all thresholds on ``charge`` of an atom, whether ``>=`` or ``<=``, are one column. Links that
open an empty position are structure and always kept; a link with something written behind it, and literals that one
rewrite puts together, are columns of their own. The best predicate at a node is then the best of the smaller space:
all predicates that are made of links and of the chosen columns. So the search stays exact, and proves what it finds.

Law: with all columns the tree is the same as without a sampler, and the best of some columns is the best of a grammar
that has only those.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from structtree.arrays import Ints
from structtree.lang import syntax as syn
from structtree.space.families import BundleFamily, LinkFamily, TestFamily
from structtree.space.space import Space
from structtree.splitters.table import ListedColumns

__all__ = ["ColumnSampler", "sampled_space", "sampled_tests"]

F = TypeVar("F", TestFamily | LinkFamily, BundleFamily)


@dataclass(frozen=True, slots=True, eq=False)
class ColumnSampler:
    """Sampler of the columns that a splitter searches at each node.

    Parameters
    ----------
    max_features : int
        Number of columns per node; all columns if there are fewer.
    rng : Generator

    Examples
    --------
    >>> ColumnSampler(2, np.random.default_rng(0)).draw(5).tolist()
    [3, 4]
    """

    max_features: int
    rng: np.random.Generator

    def draw(self, n_columns: int) -> Ints:
        """Return a sample of n columns, in ascending order."""
        return np.sort(self.rng.choice(n_columns, min(self.max_features, n_columns), replace=False))


def sampled_tests(columns: ListedColumns, sampler: ColumnSampler | None) -> Ints:
    """Return the indices of the tests on sampled columns; all tests without a sampler."""
    return np.arange(len(columns.tests)) if sampler is None else columns.tests_on(sampler.draw(len(columns)))


def sampled_space(space: Space, sampler: ColumnSampler) -> Space:
    """Return the space restricted to links and the sampled columns."""
    offers = space.offers
    families = [family for name in offers.from_top for family in offers.of_type(name)]
    bundles = [bundle for several in offers.bundles.values() for bundle in several]
    columns = [key for key in dict.fromkeys(map(_column, [*families, *bundles])) if key is not None]
    chosen = {None, *(columns[place] for place in sampler.draw(len(columns)).tolist())}

    def kept(some: Iterable[F]) -> tuple[F, ...]:
        return tuple(family for family in some if _column(family) in chosen)

    top = {name: kept(some) for name, some in offers.from_top.items()}
    literal = {
        name: {left: few for left, some in by_left.items() if (few := kept(some))}
        for name, by_left in offers.from_literal.items()
    }
    together = {name: kept(some) for name, some in offers.bundles.items()}
    return replace(space, offers=replace(offers, from_top=top, from_literal=literal, bundles=together))


def _column(family: TestFamily | LinkFamily | BundleFamily) -> Hashable | None:
    """Return the column of a family; None for a link, which is always kept."""
    match family:
        case TestFamily(subject=subject) if subject is not None:
            return (family.type, subject)
        case LinkFamily(template=template, slots=slots) if not isinstance(template, syn.Aggregate):
            if all(slot.plain for slot in slots):
                return None
    return (type(family).__name__, family.type, family.left, family.index)
