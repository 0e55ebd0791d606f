"""Queries: predicates in the form that the finder uses, as members of families at positions.

A query is a predicate made of families from ``top`` with plain slots: tests, and links with a query behind them.
Adding, dropping or changing a literal changes one tuple, and the predicate is only built for the queries that are
kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from math import nan
from typing import NamedTuple

import numpy as np

from structtree.lang import syntax as syn
from structtree.search.columns import is_swept
from structtree.space.families import BundleFamily, Family, LinkFamily, TestFamily
from structtree.space.space import Space
from structtree.space.terms import conjoin, conjuncts

__all__ = ["BUNDLED", "Query", "QueryLink", "QueryPath", "QueryTest", "Vocabulary"]

BUNDLED, BUNDLE_SIZE = 1 << 20, 1 << 8
"""The first index of the families of bundles, greater than those of other families; and the most of one bundle."""

QueryPath = tuple[int, ...]
"""A position of a query, as the indices of the links that lead to it."""


class QueryTest(NamedTuple):
    """A member of a test family."""

    family: int
    choice: int


class QueryLink(NamedTuple):
    """A member of a link family, and the query that the linked rows must satisfy."""

    family: int
    choice: int
    inner: Query


@dataclass(frozen=True, slots=True)
class Query:
    """Conjunction of tests of a row, and of links from this row."""

    type: str
    tests: tuple[QueryTest, ...] = ()
    links: tuple[QueryLink, ...] = ()

    def __len__(self) -> int:
        """Return the number of literals in the query, without literals behind its links."""
        return len(self.tests) + len(self.links)

    def at(self, place: QueryPath) -> Query:
        """Return the conjunction at a position of the query."""
        return self if not place else self.links[place[0]].inner.at(place[1:])

    def along(self, place: QueryPath) -> Iterator[QueryLink]:
        """Yield the links that lead to a position."""
        query = self
        for i in place:
            yield query.links[i]
            query = query.links[i].inner

    def put(self, place: QueryPath, new: Query) -> Query:
        """Return the query with another conjunction at a position."""
        if not place:
            return new
        i, link = place[0], self.links[place[0]]
        inner = link.inner.put(place[1:], new)
        return replace(self, links=(*self.links[:i], link._replace(inner=inner), *self.links[i + 1 :]))

    def places(self) -> Iterator[QueryPath]:
        """Yield all positions, outer ones first."""
        yield ()
        for i, link in enumerate(self.links):
            for place in link.inner.places():
                yield (i, *place)

    def dropped(self) -> Iterator[Query]:
        """Yield each query with one literal dropped: a test, or a link without inner literals."""
        for place in self.places():
            here = self.at(place)
            for i in range(len(here.tests)):
                yield self.put(place, replace(here, tests=(*here.tests[:i], *here.tests[i + 1 :])))
            for i, link in enumerate(here.links):
                if not len(link.inner):
                    yield self.put(place, here.without_link(i))

    def without_link(self, i: int) -> Query:
        """Return the query without one of its links."""
        return replace(self, links=(*self.links[:i], *self.links[i + 1 :]))

    def with_test(self, test: QueryTest) -> Query:
        """Return the query with another test."""
        return replace(self, tests=tuple(sorted((*self.tests, test))))

    def with_link(self, link: QueryLink) -> Query:
        """Return the query with another link."""
        return replace(self, links=(*self.links, link))


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The families of a space that queries can use."""

    space: Space
    _families: dict[tuple[str, int], Family] = field(default_factory=dict, init=False, repr=False)
    _openings: dict[str, list[LinkFamily]] = field(default_factory=dict, init=False, repr=False)
    _aggregates: dict[str, list[LinkFamily]] = field(default_factory=dict, init=False, repr=False)
    _bundles: dict[str, list[tuple[TestFamily, ...]]] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        offers = self.space.offers
        for name, families in offers.from_top.items():
            self._families.update({(name, family.index): family for family in families})
            links = [family for family in families if isinstance(family, LinkFamily)]
            self._openings[name] = [family for family in links if is_swept(family)]
            self._aggregates[name] = [family for family in links if _is_conditional(family)]
            self._bundles[name] = [tests for bundle in offers.bundles.get(name, ()) if (tests := _tests_of(bundle))]
            self._families.update({(name, test.index): test for tests in self._bundles[name] for test in tests})

    def family(self, type_name: str, index: int) -> Family:
        """Return a family by its index."""
        return self._families[type_name, index]

    def test(self, type_name: str, index: int) -> TestFamily:
        """Return a family of tests by its index."""
        family = self._families[type_name, index]
        assert isinstance(family, TestFamily)
        return family

    def link(self, type_name: str, index: int) -> LinkFamily:
        """Return a family of links by its index."""
        family = self._families[type_name, index]
        assert isinstance(family, LinkFamily)
        return family

    def openings(self, type_name: str) -> list[LinkFamily]:
        """Return the families of links that a query on a type may follow."""
        return self._openings[type_name]

    def aggregates(self, type_name: str) -> list[LinkFamily]:
        """Return the families of aggregates on a type whose conditions a query may refine."""
        return self._aggregates[type_name]

    def bundles(self, type_name: str) -> list[tuple[TestFamily, ...]]:
        """Return the families of the tests of each bundle that a query on a type may add."""
        return self._bundles[type_name]

    def predicate(self, query: Query) -> syn.Predicate:
        """Convert a query to a predicate."""
        parts: list[syn.Predicate] = []
        for index, choice in query.tests:
            parts.append(self.test(query.type, index).literal(choice))
        for index, choice, inner in query.links:
            link = self.link(query.type, index)
            parts.append(link.build(link.numbers[choice], [self.predicate(inner)]))
        return conjoin(tuple(parts))

    def query(self, predicate: syn.Predicate, type_name: str | None = None) -> Query | None:
        """Convert a predicate to a query, with thresholds moved to the nearest in the space; None if impossible."""
        type_name = type_name or self.space.grammar.individual
        made = Query(type_name)
        for literal in conjuncts(predicate):
            item = self._item(literal, type_name)
            if item is None:
                return None
            made = made.with_test(item) if isinstance(item, QueryTest) else made.with_link(item)
        return made

    def _item(self, literal: syn.Predicate, type_name: str) -> QueryTest | QueryLink | None:
        for family in self.space.offers.from_top[type_name]:
            if isinstance(family, TestFamily):
                choice = family.nearest(literal)
                if choice is not None:
                    return QueryTest(family.index, choice)
            elif is_swept(family):
                inners = family.inners(literal)
                inner = None if inners is None else self.query(inners[0], family.slots[0].type)
                if inner is not None:
                    return QueryLink(family.index, family.choice_of(literal), inner)
            elif isinstance(literal, syn.Aggregate) and _is_conditional(family):
                choice = int(np.argmin(np.abs(np.array(family.numbers, np.float64) - _number(literal))))
                inners = family.inners(replace(literal, value=family.numbers[choice]))
                inner = None if inners is None else self.query(inners[0], family.slots[0].type)
                if inner is not None:
                    return QueryLink(family.index, choice, inner)
        for test in (test for tests in self._bundles[type_name] for test in tests):
            found = test.nearest(literal)
            if found is not None:
                return QueryTest(test.index, found)
        return None

    def size(self, query: Query) -> int:
        """Return the number of literals of a query."""
        own = sum(self.test(query.type, test.family).size for test in query.tests)
        return own + sum(1 + self.size(link.inner) for link in query.links)


def _is_conditional(family: LinkFamily) -> bool:
    """Return whether a family compares an aggregate of the linked rows that satisfy an open condition."""
    test = family.template
    is_open = len(family.slots) == 1 and family.slots[0].plain and bool(family.numbers)
    return isinstance(test, syn.Aggregate) and test.op in (">=", "<=") and is_open


def _number(test: syn.Aggregate) -> float:
    """Return the threshold of an aggregate; NaN if it is not a number."""
    return float(test.value) if isinstance(test.value, int | float) else nan


def _tests_of(bundle: BundleFamily) -> tuple[TestFamily, ...]:
    """Return the tests that a bundle adds to any position, the longest family last; () if it adds links."""
    fixed = bundle.slot.fixed
    tests = [family for family in fixed if isinstance(family, TestFamily) and len(family)]
    if bundle.left or len(tests) < len(fixed):
        return ()
    first = BUNDLED + BUNDLE_SIZE * bundle.index
    return tuple(replace(test, index=first + i) for i, test in enumerate(sorted(tests, key=len)))
