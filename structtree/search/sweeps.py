"""All refinements of a query by one literal, whole families at a time, judged in sweeps over the rows there.

At every position of a query, and behind every link that may be opened there, one pass over the rows counts what each
member of each family would keep. Of each column the best member by the *guide* is offered: the guide is a concave
impurity, which slopes where accuracy is flat.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from structtree.data.columns import Population
from structtree.lang.syntax import Compare, Count
from structtree.search.boards import Board, BoardColumn, board_of, family_size, numbers_reached, swept_boards
from structtree.search.chains import Chain
from structtree.search.judges import Judge, Loss, Tally
from structtree.search.kernels.chains import count_true
from structtree.search.kernels.compiling import now
from structtree.search.kernels.finding import best_of_columns
from structtree.search.queries import Ask, Link, Place, Query, Vocabulary
from structtree.search.steps import Steps, link_name, need_of
from structtree.space.families import Family, LinkFamily, TestFamily
from structtree.space.space import Space
from structtree.space.terms import subject

__all__ = ["Offer", "Sweeps"]

Mask = NDArray[np.bool_]
Floats = NDArray[np.float64]
Way = tuple[tuple[int, int], ...]

REMEMBERED = 100_000_000
"""Answers of queries that are kept for later ones, in bytes."""


class Offer(NamedTuple):
    """A refinement of a query by one literal, and by the links on the way to it.

    Parameters
    ----------
    guide : float
        How good it is to go on from; less is better.
    loss : pair of floats
        How good it is as a split; infinite where it leaves too few on a side.
    size : int
        Its literals.
    query : Query
        What is refined.
    place : Place
        Where.
    way : tuple of (family, choice)
        The links that are opened there, outermost first.
    family, choice : int
        What is added behind them.
    inner : Query, optional
        What is asked behind it, if it is a link; nothing by default.
    """

    guide: float
    loss: Loss
    size: int
    query: Query
    place: Place
    way: Way
    family: int
    choice: int
    inner: Query | None = None


class Stand(NamedTuple):
    """A position that something can be added at: the rows there, and how much room there is."""

    query: Query
    place: Place
    way: Way
    here: Query
    chain: Chain
    size: int
    depth: int


@dataclass(slots=True, eq=False)
class Sweeps:
    """Queries on a population, and how good they and their refinements are.

    Parameters
    ----------
    space : Space
        On the population.
    judge : Judge
    least : int
        The fewest individuals on either side.
    tell : function from (int, int, str, float)
        Called after each pass with the number of predicates, how many values were looked at, the position and the
        seconds; may raise to end it all.
    known : dict from type to its boards
        Those that are made already; others are added.
    """

    space: Space
    judge: Judge
    least: int
    tell: Callable[[int, int, str, float], None] = lambda n, cells, position, seconds: None
    known: dict[str, tuple[Board, Board]] = field(default_factory=dict)
    words: Vocabulary = field(init=False)
    population: Population = field(init=False)
    steps: Steps = field(init=False)
    guide: Judge | None = field(init=False)
    tallies: tuple[Tally, ...] = field(init=False)
    _truths: dict[Query, Mask] = field(default_factory=dict)
    _families: dict[tuple[str, int], Family] = field(default_factory=dict)

    def __post_init__(self) -> None:
        assert self.space.population is not None
        self.population = self.space.population
        self.words = Vocabulary(self.space)
        self.steps = Steps(self.population)
        self.guide = self.judge.guide()
        self.tallies = tuple(self.judge.tallies())
        for name, families in self.space.offers.from_top.items():
            for family in families:
                self._families[name, family.index] = family

    # ---- truth ------------------------------------------------------------------------------------------

    def truth(self, query: Query) -> Mask:
        """Which rows of its type a query holds of."""
        found = self._truths.get(query)
        if found is None:
            found = np.ones(self.population.tables[query.type].n_rows, dtype=np.bool_)
            for test in query.tests:
                found &= self._passes(query.type, test)
            for link in query.links:
                found &= self._behind(query.type, link)
            if len(self._truths) * len(found) > REMEMBERED:
                self._truths.clear()
            self._truths[query] = found
        return found

    def _passes(self, name: str, test: Ask) -> Mask:
        for board in self.boards(name):
            member = board.place(test.family, test.choice)
            if member is not None:
                column = int(np.searchsorted(board.offsets, member, side="right")) - 1
                code = member - int(board.offsets[column])
                values = board.columns[column]
                return np.asarray(values > code if board.ranked else values == code)
        raise AssertionError("every family of a query is on a board")

    def _behind(self, name: str, link: Link) -> Mask:
        family = self._families[name, link.family]
        assert isinstance(family, LinkFamily)
        need = need_of(family, link.choice)
        assert need is not None
        return np.asarray(self._n_behind(family, link.inner) >= need)

    def _n_behind(self, family: LinkFamily, inner: Query) -> NDArray[np.int32]:
        adjacency = self.steps.of(family)
        return np.asarray(count_true(adjacency.offsets, adjacency.targets, self.truth(inner)))

    def boards(self, name: str) -> tuple[Board, Board]:
        """The boards of a type, with all that queries can ask of it."""
        if name not in self.known:
            self.known[name] = swept_boards(self.space, name)
        return self.known[name]

    # ---- how good a query is ----------------------------------------------------------------------------

    def judged(self, query: Query) -> tuple[float, Loss]:
        """The guide and the loss of a query; infinite where it leaves too few on a side."""
        inside = self.truth(query)[self.population.individuals]
        size = int(np.count_nonzero(inside))
        self.tell(1, len(inside), "(individual)", 0.0)
        sums = [np.bincount(t.labels, t.weights * inside, t.n_labels) for t in self.tallies]
        guide, losses = self._judge(np.concatenate(sums)[None, :].astype(np.float64))
        good = self.least <= size <= len(inside) - self.least
        return float(guide[0]), (float(losses[0, 0]), float(losses[0, 1])) if good else (np.inf, np.inf)

    def _judge(self, counts: Floats) -> tuple[Floats, Floats]:
        losses = self.judge.losses(counts)
        if self.guide is not None:
            return self.guide.losses(counts)[:, 0], losses
        return losses[:, 1 if self.judge.name == "acc*" else 0], losses

    # ---- refinements ------------------------------------------------------------------------------------

    def refinements(self, query: Query, *, counting: bool = False) -> Iterator[Offer]:
        """The best refinement of a query by each column, at each position and behind each link from there.

        Parameters
        ----------
        counting : bool
            Whether links that are opened may also ask for several rows.
        """
        size = self.words.size(query)
        whole = int(np.count_nonzero(self.truth(query)[self.population.individuals]))
        for stand in self._stands(query, size, counting):
            yield from self._sweep(stand, whole, self._allowed(stand))
        for place in query.places():
            yield from self._requantified(query, place, size)

    def _stands(self, query: Query, size: int, counting: bool) -> Iterator[Stand]:
        start = Chain.start(self.population, self.truth(query))
        stack = [Stand(query, (), (), query, start, size, 0)]
        while stack:
            stand = stack.pop()
            here, chain = stand.here, stand.chain
            for i, link in enumerate(here.links):
                family = self._families[here.type, link.family]
                assert isinstance(family, LinkFamily)
                need = need_of(family, link.choice)
                assert need is not None
                inner = chain.follow(self.steps.of(family), need, self.truth(link.inner))
                stack.append(Stand(query, (*stand.place, i), (), link.inner, inner, size, stand.depth + 1))
            if self._has_place(here) and self._has_room(stand.size + 1, stand.depth):
                yield stand
                if self._has_room(stand.size + 2, stand.depth + 1):
                    stack.extend(self._openings(stand, counting))

    def _openings(self, stand: Stand, counting: bool) -> Iterator[Stand]:
        """The positions behind the links that may be opened at a position."""
        here = stand.here
        for family in self.words.openings(here.type):
            need = need_of(family, 0)
            if need is None or (family.functional and self._follows(here, family)):
                continue
            numbers = range(len(family.numbers)) if isinstance(family.template, Count) and counting else range(1)
            if isinstance(family.template, Count) and not counting and self._has_exists(family):
                continue
            target = family.slots[0].type
            everything = self.truth(Query(target))
            for choice in numbers:
                need = need_of(family, choice)
                assert need is not None
                chain = stand.chain.follow(self.steps.of(family), need, everything)
                if len(chain):
                    way = (*stand.way, (family.index, choice))
                    yield Stand(stand.query, stand.place, way, Query(target), chain, stand.size + 1, stand.depth + 1)

    def _follows(self, here: Query, family: LinkFamily) -> bool:
        """Whether a query follows the reference, or the step, of a family already, or asks behind it."""
        for link in here.links:
            other = self._families[here.type, link.family]
            if isinstance(other, LinkFamily) and other.head == family.head:
                return True
        tests = (self._families[here.type, test.family] for test in here.tests)
        return any(isinstance(test, TestFamily) and test.head == family.head for test in tests)

    def _has_exists(self, family: LinkFamily) -> bool:
        """Whether the link of a counting family can also be followed by ``exists``."""
        openings = self.words.openings(family.type)
        return any(f.template.link == family.template.link and not isinstance(f.template, Count) for f in openings)

    def _has_place(self, here: Query) -> bool:
        most = self.space.grammar.conjuncts.get(here.type, 1)
        return most == 0 or len(here) < most

    def _has_room(self, literals: int, depth: int) -> bool:
        return self.space.room().allows(literals, depth)

    def _allowed(self, stand: Stand) -> Callable[[Family], bool]:
        """Which families may be added at a position."""
        here, room = stand.here, self.space.room()
        asked = {
            subject(family.literal(test.choice))
            for test in here.tests
            if isinstance(family := self._families[here.type, test.family], TestFamily)
        }

        def allowed(family: Family) -> bool:
            if isinstance(family, LinkFamily):
                fresh = not (family.functional and self._follows(here, family))
                return fresh and room.allows(stand.size + 1, stand.depth + 1)
            if not room.allows(stand.size + family.size, stand.depth + family.depth):
                return False
            return family.subject not in asked or self._between(here, family)

        return allowed

    def _between(self, here: Query, family: TestFamily) -> bool:
        """Whether a family bounds from the other side what one test of a position bounds from one."""
        if not isinstance(family.template, Compare) or family.template.op not in (">=", "<="):
            return False
        ops = []
        for test in here.tests:
            other = self._families[here.type, test.family]
            if isinstance(other, TestFamily) and other.subject == family.subject:
                ops.append(getattr(other.template, "op", None))
        return ops in ([">="], ["<="]) and ops != [family.template.op]

    def _sweep(self, stand: Stand, whole: int, allowed: Callable[[Family], bool]) -> Iterator[Offer]:
        name = stand.here.type
        for board in self.boards(name):
            for first, last in board.pieces(0, sum(t.n_labels for t in self.tallies)):
                yield from self._offers(stand, board, first, last, whole, allowed)

    def _offers(
        self, stand: Stand, board: Board, first: int, last: int, whole: int, allowed: Callable[[Family], bool]
    ) -> Iterator[Offer]:
        began, name, start = now(), stand.here.type, int(board.offsets[first])
        counted = [stand.chain.count(board, first, last, tally) for tally in self.tallies]
        sizes = counted[0].sizes
        guide, losses = self._judge(np.concatenate([c.counts for c in counted], axis=1))
        offsets = board.offsets[first : last + 1] - start
        most = len(self.population) - self.least
        best = best_of_columns(guide, losses, sizes, offsets, self.least, most, whole)
        self.tell(len(sizes), len(stand.chain) * (last - first), self._text(stand), now() - began)
        for to_go_on, to_split in best.tolist():
            for m in {to_go_on, to_split} - {-1}:
                family = self._families[name, int(board.families[start + m])]
                if not allowed(family):
                    break
                loss = (float(losses[m, 0]), float(losses[m, 1])) if sizes[m] <= most else (np.inf, np.inf)
                more = family_size(family)
                choice = int(board.choices[start + m])
                where = (stand.query, stand.place, stand.way)
                yield Offer(float(guide[m]), loss, stand.size + more, *where, family.index, choice)

    def _text(self, stand: Stand) -> str:
        """A position in words: the links that lead there."""
        steps = [(link.family, link.choice) for link in stand.query.along(stand.place)]
        at, names = stand.query.type, []
        for index, _ in (*steps, *stand.way):
            family = self._families[at, index]
            assert isinstance(family, LinkFamily)
            names.append(link_name(family))
            at = family.slots[0].type
        return ".".join(names) or "(individual)"

    # ---- other numbers ----------------------------------------------------------------------------------

    def _requantified(self, query: Query, place: Place, size: int) -> Iterator[Offer]:
        """The query with one link of a position asking for another number of rows, the best of each family."""
        here = query.at(place)
        for i, link in enumerate(here.links):
            mine = self._families[here.type, link.family]
            assert isinstance(mine, LinkFamily)
            others = [f for f in self.words.openings(here.type) if f.template.link == mine.template.link]
            if len(others) < 2 or mine.functional:
                continue
            base = query.put(place, here.without_link(i))
            reached = self._n_behind(mine, link.inner)
            columns = [BoardColumn(numbers_reached(f, reached), f.index, np.arange(len(f.numbers))) for f in others]
            board = board_of(columns, len(reached), ranked=True)
            chain = self._chain(base, place)
            stand = Stand(base, place, (), here, chain, size - 1, len(place))
            for offer in self._offers(stand, board, 0, len(columns), len(self.population), lambda _: True):
                if (offer.family, offer.choice) != (link.family, link.choice):
                    yield offer._replace(inner=link.inner)

    def _chain(self, query: Query, place: Place) -> Chain:
        """The rows at a position of a query."""
        chain = Chain.start(self.population, self.truth(query))
        for i in place:
            link = query.links[i]
            family = self._families[query.type, link.family]
            assert isinstance(family, LinkFamily)
            need = need_of(family, link.choice)
            assert need is not None
            query = link.inner
            chain = chain.follow(self.steps.of(family), need, self.truth(query))
        return chain

    def made(self, offer: Offer) -> Query:
        """The query that an offer stands for."""
        here = offer.query.at(offer.place)
        types = [here.type]
        for family, _ in offer.way:
            link = self._families[types[-1], family]
            assert isinstance(link, LinkFamily)
            types.append(link.slots[0].type)
        last = self._families[types[-1], offer.family]
        inner = here if not offer.way else Query(types[-1])
        if isinstance(last, LinkFamily):
            behind = offer.inner or Query(last.slots[0].type)
            inner = inner.with_link(Link(offer.family, offer.choice, behind))
        else:
            inner = inner.with_test(Ask(offer.family, offer.choice))
        for n, (index, choice) in reversed(list(enumerate(offer.way))):
            outer = here if n == 0 else Query(types[n])
            inner = outer.with_link(Link(index, choice, inner))
        return offer.query.put(offer.place, inner)
