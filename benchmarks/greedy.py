"""Greedy search, one condition at a time, as FOIL adds literals: the baseline of `planted.py`, in plain numpy.

A step adds one literal anywhere in the predicate, a test or a link; or, with lookahead, a few links and a test behind
them, since a link by itself seldom says anything. Of all that the space allows the one with the least entropy is
taken, until nothing is better.

All thresholds of a number are tried at once. A row's *level* is how many of them it passes; that of an individual is
the strictest threshold at which the predicate still holds of it: behind ``exists`` the greatest level of the rows,
behind ``count >= k`` the k-th greatest.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structtree import Population, Space
from structtree.data.population import Adjacency
from structtree.lang import syntax as syn
from structtree.space.evaluate import Known, rows_where
from structtree.space.families import TestFamily
from structtree.space.terms import conjoin, conjuncts

__all__ = ["Addition", "add_greedily"]

LEAST_GAIN = 1e-9
"""What counts as better."""

Levels = NDArray[np.int64]
Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Addition:
    """A predicate, and the entropy of the split by it."""

    predicate: syn.Predicate
    loss: float


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """A position of a predicate.

    Parameters
    ----------
    type : str
    literals : tuple of Predicate
        What stands there.
    lift : function
        From the levels of the rows there to those of the individuals.
    put : function
        From what is to stand there to the whole predicate.
    """

    type: str
    literals: tuple[syn.Predicate, ...]
    lift: Callable[[Levels], Levels]
    put: Callable[[syn.Predicate], syn.Predicate]


def add_greedily(
    space: Space, population: Population, labels: NDArray[np.bool_], seconds: float, lookahead: int = 0
) -> syn.Predicate:
    """The predicate that adding one condition at a time ends with, in that many seconds.

    Parameters
    ----------
    lookahead : int
        How many links a step may open to reach the test that it adds; by default a link is a step of its own.
    """
    search = _Greedy(space, population, labels, time.perf_counter() + seconds, lookahead)
    best = Addition(syn.Top(), search.loss_without())
    while True:
        better = search.step(best)
        if better is None:
            return best.predicate
        best = better


@dataclass(slots=True, eq=False)
class _Greedy:
    """The data of a search, with what is looked up again and again."""

    space: Space
    population: Population
    labels: NDArray[np.bool_]
    deadline: float
    lookahead: int
    known: Known = field(default_factory=dict)
    levels: dict[tuple[str, int], Levels] = field(default_factory=dict)

    def loss_without(self) -> float:
        totals = np.bincount(self.labels, minlength=2)
        return float(_entropies(totals[None, :], totals)[0])

    def step(self, best: Addition) -> Addition | None:
        """The best addition that the space allows; None if there is none, or no time."""
        found = []
        for place in self._places(best.predicate):
            for addition in self._additions(place, self.lookahead):
                if addition.loss < best.loss - LEAST_GAIN:
                    found.append(addition)
                if time.perf_counter() > self.deadline:
                    return None
        found.sort(key=lambda addition: addition.loss)
        return next((addition for addition in found if addition.predicate in self.space), None)

    # ---- positions ---------------------------------------------------------------------------------------

    def _places(self, predicate: syn.Predicate) -> Iterator[_Place]:
        individuals = self.population.individuals
        root = self.population.schema.individual
        todo = [_Place(root, conjuncts(predicate), lambda levels: levels[individuals], lambda whole: whole)]
        while todo:
            place = todo.pop()
            yield place
            for i, literal in enumerate(place.literals):
                if isinstance(literal, syn.Exists | syn.Count | syn.Follow | syn.ListStep):
                    others = (*place.literals[:i], *place.literals[i + 1 :])
                    todo.append(self._inside(place, literal, others))

    def _inside(self, place: _Place, literal: Any, others: tuple[syn.Predicate, ...]) -> _Place:
        """The position behind a link of a place, beside some other literals."""
        record = self.population.schema.type(place.type)
        target = place.type if literal.link is None else record.link(literal.link).target
        return _Place(
            target,
            conjuncts(literal.inner),
            lambda levels: place.lift(self._masked(self._behind(place.type, literal, levels), place.type, others)),
            lambda inner: place.put(conjoin((*others, replace(literal, inner=inner)))),
        )

    def _behind(self, type_name: str, literal: Any, levels: Levels) -> Levels:
        match literal:
            case syn.ListStep():
                return _of_next(self.population, type_name, levels)
            case syn.Count(link, n=n):
                return _kth_greatest(self.population.tables[type_name].links[link], levels, int(n))
            case _:
                return _kth_greatest(self.population.tables[type_name].links[literal.link], levels, 1)

    def _masked(self, levels: Levels, type_name: str, literals: tuple[syn.Predicate, ...]) -> Levels:
        for literal in literals:
            levels = np.where(rows_where(literal, self.population, type_name, self.known), levels, 0)
        return levels

    # ---- what may be added -------------------------------------------------------------------------------

    def _additions(self, place: _Place, lookahead: int) -> Iterator[Addition]:
        """The best of each family that may be added at a place, or behind a link from there."""
        most = self.space.grammar.conjuncts.get(place.type, 1)
        if most and len(place.literals) >= most:
            return
        for family in self.space.offers.from_top[place.type]:
            if isinstance(family, TestFamily):
                yield self._best_test(place, family)
            else:
                for number in family.numbers:
                    opened = self._inside(place, family.build(number, [syn.Top()]), place.literals)
                    yield self._scored(opened, np.ones(self._n_rows(opened), dtype=np.int64), [syn.Top()])
                    if lookahead:
                        yield from self._additions(opened, lookahead - 1)

    def _n_rows(self, place: _Place) -> int:
        return self.population.tables[place.type].n_rows

    def _best_test(self, place: _Place, family: TestFamily) -> Addition:
        template = family.template
        if isinstance(template, syn.Compare) and template.op in (">=", "<=") and not family.path:
            members = range(len(family)) if template.op == ">=" else range(len(family) - 1, -1, -1)
            return self._scored(place, self._levels(place, family, template), _Members(family, members))
        tried = [
            self._scored(place, rows_where(test, self.population, place.type, self.known).astype(np.int64), [test])
            for test in map(family.literal, range(len(family)))
        ]
        return min(tried, key=lambda addition: addition.loss)

    def _levels(self, place: _Place, family: TestFamily, template: syn.Compare) -> Levels:
        """How many members of a family of thresholds each row passes."""
        key = (place.type, family.index)
        if key not in self.levels:
            column = self.population.tables[place.type].columns[template.attribute]
            cuts: Any = family.values
            if template.op == ">=":
                passed = np.searchsorted(cuts, column.values, side="right")
            else:
                passed = len(cuts) - np.searchsorted(cuts, column.values, side="left")
            self.levels[key] = np.where(column.missing, 0, passed)
        return self.levels[key]

    def _scored(self, place: _Place, levels: Levels, members: Any) -> Addition:
        """The best of the members, laxest first, of which rows of a level pass that many."""
        lifted = place.lift(self._masked(levels, place.type, place.literals))
        totals = np.bincount(self.labels, minlength=2)
        histogram = np.bincount(2 * lifted + self.labels, minlength=2 * (len(members) + 1)).reshape(-1, 2)
        passing = histogram[::-1].cumsum(axis=0)[::-1][1:]
        losses = _entropies(passing, totals)
        best = int(np.argmin(losses))
        return Addition(place.put(conjoin((*place.literals, members[best]))), float(losses[best]))


@dataclass(frozen=True, slots=True, eq=False)
class _Members:
    """The members of a family in some order, each made when it is asked for."""

    family: TestFamily
    order: range

    def __len__(self) -> int:
        return len(self.order)

    def __getitem__(self, i: int) -> syn.Predicate:
        return self.family.literal(self.order[i])


def _entropies(yes: Counts, totals: Counts) -> NDArray[np.float64]:
    """The weighted entropy of splits by the class counts of their yes sides."""
    return (_bits(yes) + _bits(totals - yes)) / totals.sum()


def _bits(counts: Counts) -> NDArray[np.float64]:
    sums = counts.sum(axis=1, keepdims=True)
    shares = counts / np.maximum(sums, 1)
    return -(counts * np.log2(np.where(counts > 0, shares, 1.0))).sum(axis=1)


def _kth_greatest(link: Adjacency, levels: Levels, k: int) -> Levels:
    """For each row the k-th greatest level of the rows it leads to; 0 where there are fewer."""
    found = np.zeros(len(link), dtype=np.int64)
    behind, enough = levels[link.targets], link.lengths >= k
    if not enough.any():
        return found
    if k == 1:
        found[enough] = np.maximum.reduceat(behind, link.offsets[:-1][enough])
        return found
    # Sorted within each row's run by one number: the run first, then the level, greatest first.
    width = int(behind.max()) + 1
    ranked = np.sort(link.owners * width + (width - 1 - behind))
    found[enough] = width - 1 - ranked[link.offsets[:-1][enough] + k - 1] % width
    return found


def _of_next(population: Population, type_name: str, levels: Levels) -> Levels:
    """For each row the level of the element after it in its list; 0 for the last."""
    found = np.zeros(len(levels), dtype=np.int64)
    for record in population.schema.types:
        for link in record.links:
            if link.kind == "list" and link.target == type_name:
                adjacency = population.tables[record.name].links[link.name]
                owners, targets = adjacency.owners, adjacency.targets
                followed = np.flatnonzero(owners[1:] == owners[:-1])
                found[targets[followed]] = levels[targets[followed + 1]]
    return found
