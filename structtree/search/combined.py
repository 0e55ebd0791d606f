"""Refinements of a query by several choices together: aggregates with a condition, and bundles of tests.

A sweep adds one literal at a time (`structtree.search.sweeps`), which is not enough if a literal is only of use with
another one inside or beside it. Here, all choices but the last are tried one by one, at first only some of them, and
the last is swept: all thresholds of an aggregate for a given condition, or all members of one test of a bundle beside
given members of its other tests. In a query that has an aggregate or a bundle, each of these choices is varied.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

import numpy as np

from structtree.search.columns import TestColumn, columns_of, conditional_column, stack_columns
from structtree.search.kernels.tables import AT_LEAST, EQUAL
from structtree.search.queries import BUNDLED, Query, QueryPath, QueryTest
from structtree.search.sweeps import Picks, QueryPosition, Sweeps
from structtree.space.families import LinkFamily, TestFamily

__all__ = ["Combined"]

MEMBERS = 12
"""Number of members of a family that are tried one by one; evenly spaced, if it has more."""

NEAR = 4
"""Number of further members on either side of the current one."""


@dataclass(slots=True, eq=False)
class Combined:
    """The refinements of queries by aggregates with a condition, and by bundles.

    Parameters
    ----------
    sweeps : Sweeps
    """

    sweeps: Sweeps
    _columns: dict[tuple[str, int, Query | None], list[TestColumn]] = field(default_factory=dict)

    def picks(self, query: Query) -> Iterator[Picks]:
        """Yield the refinements of a query at all its positions and behind the links that may be opened there."""
        words = self.sweeps.words
        if not any(words.aggregates(name) or words.bundles(name) for name in words.space.offers.from_top):
            return
        size, whole = words.size(query), self.sweeps.n_kept(query)
        for stand in self.sweeps.stands(query, size, counting=False):
            name = stand.here.type
            for family in words.aggregates(name):
                if words.space.room().allows(stand.size + 1, stand.depth + 1):
                    yield from self._thresholds(stand, family, Query(family.slots[0].type), whole)
            for tests in words.bundles(name):
                if words.space.room().allows(stand.size + sum(test.size for test in tests), stand.depth):
                    yield from self._bundle(stand, tests, whole)
        for place in self.sweeps.places(query):
            yield from self._varied(query, place)

    # ---- aggregates -------------------------------------------------------------------------------------

    def _thresholds(self, stand: QueryPosition, family: LinkFamily, base: Query, whole: int) -> Iterator[Picks]:
        """Yield an aggregate at a position with variants of a condition, each with its best thresholds."""
        for condition in dict.fromkeys(self._conditions(base)):
            key = (family.type, family.index, condition)
            if key not in self._columns:
                inner = self.sweeps.words.predicate(condition)
                self._columns[key] = [conditional_column(family, inner, self.sweeps.columns.steps)]
            more = self.sweeps.words.size(condition)
            for found in self._swept(stand, self._columns[key], whole, 1 + more):
                yield found._replace(families=np.full(len(found.sizes), family.index), inner=condition)

    def _conditions(self, base: Query) -> Iterator[Query]:
        """Yield a condition, and the conditions that have a test more, fewer, or with another value."""
        yield base
        most = self.sweeps.space.grammar.conjuncts.get(base.type, 1)
        asked = {test.family for test in base.tests}
        if most == 0 or len(base) < most:
            for family in self.sweeps.space.offers.from_top[base.type]:
                if isinstance(family, TestFamily) and family.index not in asked:
                    yield from (base.with_test(QueryTest(family.index, v)) for v in _some(family))
        for test in base.tests:
            fewer = replace(base, tests=tuple(other for other in base.tests if other != test))
            yield fewer
            family = self.sweeps.words.test(base.type, test.family)
            yield from (fewer.with_test(QueryTest(test.family, v)) for v in _some(family, near=test.choice))

    # ---- bundles ----------------------------------------------------------------------------------------

    def _bundle(self, stand: QueryPosition, tests: Sequence[TestFamily], whole: int) -> Iterator[Picks]:
        """Yield the tests of a bundle at a position: some members of the first, each with the best of the last."""
        *firsts, last = tests
        size = sum(test.size for test in tests)
        for chosen in product(*map(_some, firsts)):
            beside = Query(stand.here.type)
            for test, v in zip(firsts, chosen, strict=True):
                beside = beside.with_test(QueryTest(test.index, v))
            here = stand._replace(chain=stand.chain.restricted(self.sweeps.truth(beside)))
            for found in self._swept(here, self._columns_of(last), whole, size):
                yield found._replace(families=np.full(len(found.sizes), last.index), inner=beside)

    def _columns_of(self, test: TestFamily) -> list[TestColumn]:
        key = (test.type, test.index, None)
        if key not in self._columns:
            self._columns[key] = columns_of(replace(test, index=0), self.sweeps.columns.steps)
        return self._columns[key]

    # ---- both -------------------------------------------------------------------------------------------

    def _varied(self, query: Query, place: QueryPath) -> Iterator[Picks]:
        """Yield variants of the aggregates and of the tests of bundles at a position."""
        words, here, n = self.sweeps.words, query.at(place), len(self.sweeps.population)
        for i, link in enumerate(here.links):
            family = words.link(here.type, link.family)
            if family in words.aggregates(here.type):
                yield from self._thresholds(
                    self._stand(query.put(place, here.without_link(i)), place), family, link.inner, n
                )
        for test in here.tests:
            if test.family >= BUNDLED:
                varied = words.test(here.type, test.family)
                fewer = replace(here, tests=tuple(other for other in here.tests if other != test))
                stand = self._stand(query.put(place, fewer), place)
                for found in self._swept(stand, self._columns_of(varied), n, varied.size):
                    yield found._replace(families=np.full(len(found.sizes), varied.index))

    def _stand(self, query: Query, place: QueryPath) -> QueryPosition:
        """Return a position of a query."""
        chain, size = self.sweeps.chain(query, place), self.sweeps.words.size(query)
        return QueryPosition(query, place, (), query.at(place), chain, size, len(place))

    def _swept(self, stand: QueryPosition, columns: list[TestColumn], whole: int, more: int) -> Iterator[Picks]:
        """Yield the best members of columns, given the number of literals that each adds."""
        every = np.ones(len(self.sweeps.columns.lengths(stand.here.type)), dtype=np.bool_)
        for form in (EQUAL, AT_LEAST):
            alike = [replace(column, family=0) for column in columns if column.form == form]
            if alike:
                stacked = stack_columns(alike, len(alike[0].values), form)
                found = self.sweeps.pick(stand, [(stacked, 0, len(stacked))], whole, every)
                yield found._replace(sizes=np.full(len(found.sizes), stand.size + more))


def _some(family: TestFamily, near: int | None = None) -> list[int]:
    """Return members of a family, evenly spaced, and some of those near the given one."""
    n = len(family)
    found = set(np.linspace(0, n - 1, min(n, MEMBERS)).astype(int).tolist())
    if near is not None:
        found |= set(range(max(0, near - NEAR), min(n, near + NEAR + 1)))
    return sorted(found)
