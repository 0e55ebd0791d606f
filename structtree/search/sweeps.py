"""Score all refinements of a query by one literal, in one pass over the rows of each position.

At every position of a query, and behind every link that may be opened there, one pass over the rows counts what each
member of each family would keep. The best member of each column by the *guide* becomes a candidate; the guide is a
concave impurity, which has a slope where accuracy is flat.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from structtree.arrays import Codes, Floats, Ints, Mask
from structtree.data.population import Population
from structtree.lang import syntax as syn
from structtree.lang.logic import Subject
from structtree.search.chains import Chain
from structtree.search.columns import (
    FamilyMembers,
    SpaceColumns,
    TestColumns,
    opening_column,
    stack_columns,
)
from structtree.search.kernels.chains import count_true
from structtree.search.kernels.compiling import now
from structtree.search.kernels.finding import best_of_columns
from structtree.search.kernels.tables import AT_LEAST
from structtree.search.queries import Query, QueryLink, QueryPath, QueryTest, Vocabulary
from structtree.search.scorers import Loss, Scorer, Sums
from structtree.search.steps import enough_of, link_name
from structtree.space.evaluate import rows_where
from structtree.space.families import Family, LinkFamily, TestFamily
from structtree.space.space import Room, Space

__all__ = ["Picks", "QueryCandidate", "QueryPosition", "Sweeps"]

LinkPath = tuple[tuple[int, int], ...]

TRUTH_BYTES = 100_000_000
"""Maximum size of the cache of query results, in bytes."""


class QueryCandidate(NamedTuple):
    """A candidate refinement of a query: one literal, and the new links that lead to it.

    Parameters
    ----------
    guide : float
        The value of the guide, smaller is better.
    loss : pair of floats
        The loss as a split; infinite if a side has too few individuals.
    size : int
        The number of literals.
    query : Query
        The refined query.
    place : QueryPath
        The refined position.
    way : tuple of (family, choice)
        The links opened there, outermost first.
    family, choice : int
        The member that is added behind them.
    inner : Query, optional
        The query behind it, if it is a link; otherwise the tests that are added with it. Empty by default.
    """

    guide: float
    loss: Loss
    size: int
    query: Query
    place: QueryPath
    way: LinkPath
    family: int
    choice: int
    inner: Query | None = None


class QueryPosition(NamedTuple):
    """A position of a query where a literal can be added, with its rows, its depth and the size of the query.

    If the way to it counts, it may stand for all numbers of one of its links, whose index is `varied`.
    """

    query: Query
    place: QueryPath
    way: LinkPath
    here: Query
    chain: Chain
    size: int
    depth: int
    counted: bool = False
    varied: int = -1


class Picks(NamedTuple):
    """The best member of each column at one position, as refinements of the query.

    The numbers are the choices of the varied link on the way to the position.
    """

    stand: QueryPosition
    guide: Floats
    losses: Floats
    sizes: Ints
    families: Ints
    choices: Ints
    numbers: Ints
    inner: Query | None = None

    def chosen(self, which: Mask) -> Picks:
        """Return the picks that a mask selects."""
        return self._replace(
            guide=self.guide[which],
            losses=self.losses[which],
            sizes=self.sizes[which],
            families=self.families[which],
            choices=self.choices[which],
            numbers=self.numbers[which],
        )

    def candidate(self, k: int) -> QueryCandidate:
        """Return one pick as a candidate."""
        stand, loss = self.stand, (float(self.losses[k, 0]), float(self.losses[k, 1]))
        where = (stand.query, stand.place, self._way(k), int(self.families[k]), int(self.choices[k]))
        return QueryCandidate(float(self.guide[k]), loss, int(self.sizes[k]), *where, self.inner)

    def _way(self, k: int) -> LinkPath:
        """Return the links that lead to the position of one pick."""
        way, varied = self.stand.way, self.stand.varied
        if varied < 0:
            return way
        return (*way[:varied], (way[varied][0], int(self.numbers[k])), *way[varied + 1 :])


def _counts_alike(one: LinkFamily, other: LinkFamily) -> bool:
    """Return whether two families count the rows of the same link."""
    number = isinstance(one.template, syn.Exists | syn.Count) and isinstance(other.template, syn.Exists | syn.Count)
    return number and one.template.link == other.template.link


def _candidates(picks: list[Picks], most: int | None) -> list[QueryCandidate]:
    """Return the given number of best candidates, or all candidates."""
    if not picks:
        return []
    lengths = [len(pick.sizes) for pick in picks]
    of, at = np.repeat(np.arange(len(picks)), lengths), np.concatenate([np.arange(n) for n in lengths])
    guide, sizes = np.concatenate([pick.guide for pick in picks]), np.concatenate([pick.sizes for pick in picks])
    order = np.lexsort((sizes, guide))
    if most is not None and len(order) > most:
        losses = np.concatenate([pick.losses for pick in picks])
        split = np.lexsort((sizes, losses[:, 1], losses[:, 0]))[:2]
        order = np.array(list(dict.fromkeys([*order[:most].tolist(), *split.tolist()])))
    return [picks[of[k]].candidate(int(at[k])) for k in order.tolist()]


Piece = tuple[TestColumns[FamilyMembers], int, int]


@dataclass(slots=True, eq=False)
class Sweeps:
    """Scoring of queries and their refinements on a population.

    Parameters
    ----------
    space : Space
        A space on the population.
    scorer : Scorer
    least : int
        The minimum number of individuals on either side; on the yes side, if the criterion reads only that.
    tell : function from (int, int, int, str, float)
        Called after each pass with the numbers of predicates, of rows and of columns, the position, and the seconds;
        may raise to end it all.
    columns : SpaceColumns, optional
        Of the space, if they are made already.
    """

    space: Space
    scorer: Scorer
    least: int
    tell: Callable[[int, int, int, str, float], None] = lambda n, rows, columns, position, seconds: None
    columns: SpaceColumns = field(default=None)  # type: ignore[assignment]  # those of the space
    words: Vocabulary = field(init=False)
    population: Population = field(init=False)
    guide: Scorer | None = field(init=False)
    tallies: tuple[Sums, ...] = field(init=False)
    _truths: dict[Query, Mask] = field(default_factory=dict)
    _rooms: dict[Any, Mask] = field(default_factory=dict)
    _texts: dict[tuple[int, ...], str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        assert self.space.population is not None
        self.population = self.space.population
        self.columns = self.columns or SpaceColumns(self.space)
        self.words = Vocabulary(self.space)
        self.guide = self.scorer.guide()
        self.tallies = tuple(self.scorer.tallies())

    # ---- truth ------------------------------------------------------------------------------------------

    def truth(self, query: Query) -> Mask:
        """Return a mask of the rows that satisfy a query."""
        found = self._truths.get(query)
        if found is None:
            found = np.ones(self.population.tables[query.type].n_rows, dtype=np.bool_)
            for test in query.tests:
                found &= self._passes(query.type, test)
            for link in query.links:
                found &= self._behind(query.type, link)
            if len(self._truths) * len(found) > TRUTH_BYTES:
                self._truths.clear()
            self._truths[query] = found
        return found

    def _passes(self, name: str, test: QueryTest) -> Mask:
        for columns in self.columns.of(name):
            found = columns.find(test.family, test.choice)
            if found is not None:
                return found
        # There was no time to make a column of the family.
        return rows_where(self.words.test(name, test.family).literal(test.choice), self.population, name)

    def _behind(self, name: str, link: QueryLink) -> Mask:
        family = self.words.link(name, link.family)
        if isinstance(family.template, syn.Aggregate):
            literal = family.build(family.numbers[link.choice], [self.words.predicate(link.inner)])
            return rows_where(literal, self.population, name)
        return np.asarray(self._n_behind(family, link.inner) >= enough_of(family, link.choice))

    def _n_behind(self, family: LinkFamily, inner: Query) -> Codes:
        adjacency = self.columns.steps.of(family)
        return np.asarray(count_true(adjacency.offsets, adjacency.targets, self.truth(inner)))

    # ---- scores -----------------------------------------------------------------------------------------

    def judged(self, query: Query) -> tuple[float, Loss]:
        """Return the guide and the loss of a query; the loss is infinite if a branch has too few individuals."""
        inside = self.truth(query)[self.population.individuals]
        size = int(np.count_nonzero(inside))
        self.tell(1, len(inside), 1, "(individual)", 0.0)
        sums = [np.bincount(t.labels, t.weights * inside, t.n_labels) for t in self.tallies]
        guide, losses = self._judge(np.concatenate(sums)[None, :].astype(np.float64))
        good = self.least <= size <= len(inside) - self.scorer.least_no(self.least)
        return float(guide[0]), (float(losses[0, 0]), float(losses[0, 1])) if good else (np.inf, np.inf)

    def _judge(self, counts: Floats) -> tuple[Floats, Floats]:
        losses = self.scorer.losses(counts)
        if self.guide is not None:
            return self.guide.losses(counts)[:, 0], losses
        return losses[:, 1 if self.scorer.name == "acc*" else 0], losses

    # ---- refinements ------------------------------------------------------------------------------------

    def refinements(
        self, query: Query, *, counting: bool = False, most: int | None = None, more: Iterable[Picks] = ()
    ) -> list[QueryCandidate]:
        """Return the best refinement of a query by each column, at each position and behind each of its links.

        Parameters
        ----------
        counting : bool
            Whether opened links may also require several rows.
        most : int, optional
            The number of refinements to return: the best by the guide, and the two best splits.
        more : iterable of Picks
            Other refinements to choose from.
        """
        size, whole = self.words.size(query), self.n_kept(query)
        picks = [pick for stand in self.stands(query, size, counting) for pick in self._sweep(stand, whole)]
        picks += [pick for place in self.places(query) for pick in self._requantified(query, place, size)]
        picks += more
        return _candidates(picks, most)

    def n_kept(self, query: Query) -> int:
        """Return the number of individuals that satisfy a query."""
        return int(np.count_nonzero(self.truth(query)[self.population.individuals]))

    def places(self, query: Query) -> Iterator[QueryPath]:
        """Yield the positions of a query that a chain leads to, which excludes the conditions of aggregates."""
        for place in query.places():
            types = [query.at(place[:n]).type for n in range(len(place))]
            links = zip(types, query.along(place), strict=True)
            if not any(
                isinstance(self.words.link(name, link.family).template, syn.Aggregate) for name, link in links
            ):
                yield place

    def stands(self, query: Query, size: int, counting: bool) -> Iterator[QueryPosition]:
        """Yield the positions of a query, and those behind links that may be opened there."""
        start = Chain.start(self.population, self.truth(query))
        stack, room = [QueryPosition(query, (), (), query, start, size, 0)], self.space.room()
        while stack:
            stand = stack.pop()
            here, chain = stand.here, stand.chain
            for i, link in enumerate(here.links):
                if isinstance(self.words.link(here.type, link.family).template, syn.Aggregate):
                    continue
                inner = self._follow(chain, here.type, link)
                stack.append(QueryPosition(query, (*stand.place, i), (), link.inner, inner, size, stand.depth + 1))
            if self._has_place(here) and room.allows(stand.size + 1, stand.depth):
                yield stand
                if room.allows(stand.size + 2, stand.depth + 1):
                    stack.extend(self._openings(stand, counting))

    def _openings(self, stand: QueryPosition, counting: bool) -> Iterator[QueryPosition]:
        """Yield the positions behind the links that may be opened at a position."""
        here = stand.here
        for family in self.words.openings(here.type):
            if family.functional and self._follows(here, family):
                continue
            counts = isinstance(family.template, syn.Count)
            # At most one of several opened links requires several rows; the others may later, in another step.
            if counts and (stand.counted or not counting) and self._has_exists(family):
                continue
            target = family.slots[0].type
            everything, steps = self.truth(Query(target)), self.columns.steps.of(family)
            varied = stand.varied
            if counts and counting and len(family.numbers) > 1:
                numbers = np.array(family.numbers, dtype=np.int64)
                chain, varied = stand.chain.follow_each(steps, numbers, everything), len(stand.way)
            else:
                chain = stand.chain.follow(steps, enough_of(family, 0), everything)
            if len(chain):
                where = (stand.query, stand.place, (*stand.way, (family.index, 0)), Query(target), chain)
                yield QueryPosition(*where, stand.size + 1, stand.depth + 1, stand.counted or counts, varied)

    def _follows(self, here: Query, family: LinkFamily) -> bool:
        """Return whether a query already follows the reference or step of a family, or has a test behind it."""
        for link in here.links:
            if self.words.link(here.type, link.family).head == family.head:
                return True
        return any(self.words.test(here.type, test.family).head == family.head for test in here.tests)

    def _has_exists(self, family: LinkFamily) -> bool:
        """Return whether the link of a counting family can also be followed by ``exists``."""
        openings = self.words.openings(family.type)
        return any(
            f.template.link == family.template.link and not isinstance(f.template, syn.Count) for f in openings
        )

    def _has_place(self, here: Query) -> bool:
        most = self.space.grammar.conjuncts.get(here.type, 1)
        return most == 0 or len(here) < most

    def _allowed(self, stand: QueryPosition) -> Mask:
        """Return a mask of the families that may be added at a position, by index."""
        here, room = stand.here, self.space.room().after(stand.size)
        asked = tuple(test.family for test in here.tests)
        key = (here.type, asked, tuple(link.family for link in here.links), room, stand.depth)
        found = self._rooms.get(key)
        if found is None:
            families = self.space.offers.from_top[here.type]
            found = np.zeros(max((f.index for f in families), default=0) + 1, dtype=np.bool_)
            subjects = {self.words.test(here.type, index).subject for index in asked}
            for family in families:
                found[family.index] = self._may_be_added(family, here, room, stand.depth, subjects)
            self._rooms[key] = found
        return found

    def _may_be_added(self, family: Family, here: Query, room: Room, depth: int, asked: set[Subject | None]) -> bool:
        if isinstance(family, LinkFamily):
            fresh = not (family.functional and self._follows(here, family))
            return fresh and room.allows(1, depth + 1)
        if not room.allows(family.size, depth + family.depth):
            return False
        return family.subject not in asked or self._between(here, family)

    def _between(self, here: Query, family: TestFamily) -> bool:
        """Return whether a family is the opposite bound of the only test of its feature at a position."""
        if not isinstance(family.template, syn.Compare) or family.template.op not in (">=", "<="):
            return False
        ops = []
        for test in here.tests:
            other = self.words.test(here.type, test.family)
            if other.subject == family.subject:
                ops.append(getattr(other.template, "op", None))
        return ops in ([">="], ["<="]) and ops != [family.template.op]

    def _sweep(self, stand: QueryPosition, whole: int) -> Iterator[Picks]:
        n_labels = sum(tally.n_labels for tally in self.tallies)
        here, width = self.columns.of(stand.here.type), n_labels * len(stand.chain.numbers)
        pieces = [(columns, *piece) for columns in here for piece in columns.pieces(0, width)]
        # Coded and ranked columns of a few members are judged together.
        runs = [pieces] if len(pieces) <= 2 else [[piece] for piece in pieces]
        for run in runs if pieces else []:
            yield self.pick(stand, run, whole, self._allowed(stand))

    def pick(self, stand: QueryPosition, pieces: Sequence[Piece], whole: int, allowed: Mask) -> Picks:
        """Count the individuals that members keep, and return the best allowed member of each column."""
        began = now()
        counts, sizes, offsets, families, choices, numbers = [], [], [np.zeros(1, dtype=np.int64)], [], [], []
        n = len(stand.chain.numbers)
        for columns, first, last in pieces:
            counted = [stand.chain.count(columns, first, last, tally) for tally in self.tallies]
            counts.append(counted[0].counts if len(counted) == 1 else np.concatenate([c.counts for c in counted], 1))
            sizes.append(counted[0].sizes)
            start, stop = int(columns.offsets[first]), int(columns.offsets[last])
            ends = columns.offsets[first + 1 : last + 1] - start
            offsets.append((ends + (stop - start) * np.arange(n)[:, None]).ravel() + offsets[-1][-1])
            families += n * [columns.members.families[start:stop]]
            choices += n * [columns.members.choices[start:stop]]
            numbers.append(np.repeat(np.arange(n), stop - start))
        every, most = np.concatenate(sizes), len(self.population) - self.scorer.least_no(self.least)
        guide, losses = self._judge(np.concatenate(counts))
        best = best_of_columns(guide, losses, every, np.concatenate(offsets), self.least, most, whole)
        family_of, choice_of = np.concatenate(families), np.concatenate(choices)
        members = np.unique(best[best >= 0])
        members = members[allowed[family_of[members]]]
        mine, losses = family_of[members], losses[members]
        losses[every[members] > most] = np.inf
        n_columns = sum(last - first for _, first, last in pieces)
        self.tell(len(every), len(stand.chain), n_columns, self._text(stand), now() - began)
        longer = stand.size + self.columns.lengths(stand.here.type)[mine]
        number_of = np.concatenate(numbers)
        return Picks(stand, guide[members], losses, longer, mine, choice_of[members], number_of[members])

    def _text(self, stand: QueryPosition) -> str:
        """Return a position as text: the links that lead to it."""
        way = (*(link.family for link in stand.query.along(stand.place)), *(index for index, _ in stand.way))
        if way not in self._texts:
            at, names = stand.query.type, []
            for index in way:
                family = self.words.link(at, index)
                names.append(link_name(family))
                at = family.slots[0].type
            self._texts[way] = ".".join(names) or "(individual)"
        return self._texts[way]

    # ---- other numbers ----------------------------------------------------------------------------------

    def _requantified(self, query: Query, place: QueryPath, size: int) -> Iterator[Picks]:
        """Yield variants of a query in which one link at a position requires another number of rows."""
        here = query.at(place)
        for i, link in enumerate(here.links):
            mine = self.words.link(here.type, link.family)
            others = [f for f in self.words.openings(here.type) if _counts_alike(f, mine)]
            if len(others) < 2:
                continue
            base = query.put(place, here.without_link(i))
            reached = self._n_behind(mine, link.inner)
            columns = stack_columns([opening_column(f, reached) for f in others], len(reached), AT_LEAST)
            chain = self.chain(base, place)
            stand = QueryPosition(base, place, (), here, chain, size - 1, len(place))
            every = np.ones(len(self.columns.lengths(here.type)), dtype=np.bool_)
            found = self.pick(stand, [(columns, 0, len(columns))], len(self.population), every)
            others_than_it = (found.families != link.family) | (found.choices != link.choice)
            yield found.chosen(others_than_it)._replace(inner=link.inner)

    def chain(self, query: Query, place: QueryPath) -> Chain:
        """Return the rows at a position of a query."""
        chain = Chain.start(self.population, self.truth(query))
        for i in place:
            chain, query = self._follow(chain, query.type, query.links[i]), query.links[i].inner
        return chain

    def _follow(self, chain: Chain, name: str, link: QueryLink) -> Chain:
        """Extend a chain by a link of a query."""
        family = self.words.link(name, link.family)
        return chain.follow(self.columns.steps.of(family), enough_of(family, link.choice), self.truth(link.inner))

    def made(self, candidate: QueryCandidate) -> Query:
        """Return the refined query of a candidate."""
        here = candidate.query.at(candidate.place)
        types = [here.type]
        for family, _ in candidate.way:
            types.append(self.words.link(types[-1], family).slots[0].type)
        last = self.words.family(types[-1], candidate.family)
        inner = here if not candidate.way else Query(types[-1])
        if isinstance(last, LinkFamily):
            behind = candidate.inner or Query(last.slots[0].type)
            inner = inner.with_link(QueryLink(candidate.family, candidate.choice, behind))
        else:
            for test in (QueryTest(candidate.family, candidate.choice), *(candidate.inner or Query("")).tests):
                inner = inner.with_test(test)
        for n, (index, choice) in reversed(list(enumerate(candidate.way))):
            outer = here if n == 0 else Query(types[n])
            inner = outer.with_link(QueryLink(index, choice, inner))
        return candidate.query.put(candidate.place, inner)
