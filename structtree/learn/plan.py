"""The route to a tree: decided once, from grammar, population and options, and with a sentence that says why.

There are four routes. Tests of an individual's own attributes, and lists of tests behind links, are tried in compiled
*sweeps*. Where a node may combine several of them, the *table* of all that is asked behind links is searched. What
cannot be listed is *searched* for in the structure itself. Plain tables with switches or with rules for missing
values are divided in *parts*.

A plan holds the columns that it took to prepare, so that trees with other targets, weights or limits can be grown by
the same one. Options that a route cannot honour are refused here, by name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from structtree.data.population import Population
from structtree.data.reachable import compact
from structtree.data.readers.individuals import population_of
from structtree.data.schema import Schema
from structtree.errors import UsageError
from structtree.lang.check import CheckedGrammar
from structtree.models.routing import own_attributes
from structtree.models.settings import Growth
from structtree.models.tree import Unproved
from structtree.models.unknown import seen_schema
from structtree.reprs import short_repr
from structtree.search.clock import Clock
from structtree.space.background import with_computed
from structtree.space.space import Space
from structtree.splitters.attribute_tests import ListedTests, flat_tests, listed_tests, with_sets
from structtree.splitters.fractional import PartSplitter
from structtree.splitters.link_table import linked
from structtree.splitters.link_tests import linked_tests, single_tests
from structtree.splitters.multiway import questions_of
from structtree.splitters.search import Pace, SearchSplitter
from structtree.splitters.splitter import Splitter
from structtree.splitters.sweep import SweepSplitter
from structtree.splitters.table import SortedTable, Tuning, table_of
from structtree.tasks.criteria import Criterion
from structtree.tasks.target import Target

__all__ = ["Plan", "Route", "plan_for"]

Route = Literal["sweeps", "table", "search", "parts"]
SplitterMaker = Callable[[Target, Growth, Clock], Splitter[Any]]

FOR_FAMILIES = 2
"""Finding the values and thresholds of all tests may take this part of the time."""

FOR_LISTING = 4
"""The list of tests may take this part of the time: some must be left to try them, or to search without them."""

FOR_SINGLES = 2
"""Single tests of many rows may take this part of the time: without them a search of so many finds little."""

FOR_TABLES = ("nominal", "missing", "average_gain_filter")
"""The options that only plain tables have."""

DECIDING = ("strategy", "share", "prune", "max_evaluations", *FOR_TABLES)
"""The options on which the route depends."""


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """A route to a tree, with all that it took to prepare it.

    Parameters
    ----------
    route : {"sweeps", "table", "search", "parts"}, or any name for a route of one's own
    why : str
        A sentence for people.
    individuals : Population, or individuals in another form (see `structtree.data.readers.individuals`)
    grammar : CheckedGrammar
    growth : Growth
        The options it was made for; see `DECIDING`.
    splitter : function
        Makes the splitter for a target, options and a clock.
    schema : Schema
        Of the individuals that the tree can be asked about.
    is_for_parts : bool
        Whether trees of some of the individuals, the others without weight, are as if the plan were made for them.
    notes : tuple of str
        What was skipped, where the time was over before all was prepared.
    """

    route: Route | str
    why: str
    population: Population
    grammar: CheckedGrammar
    growth: Growth
    splitter: SplitterMaker
    schema: Schema
    is_for_parts: bool = False
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        individuals = f"{len(self.population):,} {self.population.schema.individual}"
        return short_repr(self, f"{self.route} for {individuals}", self.why)

    def check(self, growth: Growth, criterion: Criterion) -> None:
        """Refuse options that need another route."""
        if self.route == "sweeps" and not criterion.is_compiled:
            raise UsageError(f"the plan was not made for criterion {criterion.name!r}; make another with it")
        for name in DECIDING:
            made_for, given = getattr(self.growth, name), getattr(growth, name)
            if made_for != given:
                raise UsageError(f"the plan was made for {name}={made_for!r}; got {name}={given!r}, so make another")


def plan_for(
    individuals: Any,
    grammar: CheckedGrammar,
    growth: Growth | None = None,
    clock: Clock | None = None,
    *,
    criterion: Criterion | None = None,
    route: Route | None = None,
    tuning: Tuning | None = None,
    reusable: bool = True,
) -> Plan:
    """Decide how to grow trees, and prepare what that takes.

    Parameters
    ----------
    population : Population
    grammar : CheckedGrammar
    growth : Growth, optional
    clock : Clock, optional
        When it is over, tests that are not prepared yet are skipped, and the notes of the plan say so.
    criterion : Criterion, optional
        Needed for one of one's own, which compiled sweeps do not know.
    route : {"sweeps", "table", "search", "parts"}, optional
        The route to take; by default the quickest one that honours all options.
    tuning : Tuning, optional
    reusable : bool
        Whether more than one tree will be grown; a single one may use up the columns.

    Examples
    --------
    >>> from structtree import Grammar, load_dataset
    >>> trains = load_dataset("trains").population
    >>> plan = plan_for(trains, Grammar.load("trains").check(trains.schema))
    >>> plan.route
    'table'
    """
    given = growth or Growth()
    is_compiled = criterion is None or criterion.is_compiled
    population = with_computed(population_of(individuals), grammar.background)
    planner = _Planner(population, grammar, given, clock or Clock(), tuning or Tuning(), reusable, is_compiled)
    is_for_table = bool(_given(given, *FOR_TABLES)) or route == "parts"
    plan = planner.for_table(route) if is_for_table else planner.for_structure(route)
    if route not in (None, plan.route):
        raise UsageError(f"this grammar and these options cannot take the route {route!r}; they take {plan.route!r}")
    return plan


def _given(growth: Growth, *names: str) -> list[str]:
    """Return those of some options that are not as they are by default, as ``name=value``."""
    default = Growth()
    return [f"{name}={value!r}" for name in names if (value := getattr(growth, name)) != getattr(default, name)]


@dataclass(frozen=True, slots=True, eq=False)
class _Planner:
    population: Population
    grammar: CheckedGrammar
    growth: Growth
    clock: Clock
    tuning: Tuning
    reusable: bool
    is_compiled: bool
    notes: list[str] = field(default_factory=list, init=False)
    pace: Pace = field(default_factory=Pace, init=False)
    _space: list[Space] = field(default_factory=list, init=False)

    # ---- structured individuals -------------------------------------------------------------------------

    def for_structure(self, route: Route | None) -> Plan:
        growth, grammar = self.growth, self.grammar
        is_single = grammar.conjuncts.get(grammar.individual, 1) == 1
        self._check_bottom_up(is_single)
        if growth.strategy not in ("auto", "bottom-up"):
            return self._search(f"the strategy is {growth.strategy!r}")
        if growth.share is not None:
            return self._search(f"share={growth.share!r} goes on from the tests above")
        if route == "search":
            return self._search("that route was chosen")
        if is_single and growth.max_evaluations is None and growth.prune and route != "table":
            return self._listed()
        return self._table()

    def _check_bottom_up(self, is_single: bool) -> None:
        if self.growth.strategy != "bottom-up":
            return
        for option in _given(self.growth, "share", "max_evaluations", "prune"):
            raise UsageError(
                f"strategy 'bottom-up' lists all tests and searches nothing, so it does not go with {option}; "
                "leave one of them out"
            )
        if not is_single:
            raise UsageError(_NOT_BOTTOM_UP)

    def _part_of_time(self, n: int) -> Clock:
        return self.clock.part(self.clock.left() / n)

    def space(self) -> Space:
        """Return the space on all individuals, made once."""
        if not self._space:
            clock, began = self._part_of_time(FOR_FAMILIES), self.clock.spent()
            found = Space.build(self.grammar, compact(self.population), limit=clock)
            n_families = sum(map(len, self.grammar.rewrites.values()))
            self._skipped(
                clock, "finding the values of tests", found.offers.n_skipped, n_families, "families of tests"
            )
            self._space.append(found)
            self.pace.note(len(self.population), self.clock.spent() - began)
        return self._space[0]

    def _skipped(self, clock: Clock, doing: str, n: int, of: int, what: str) -> None:
        """Note what there was no time for."""
        if n:
            why = "interrupted" if clock.over() == "interrupt" else "time limit reached"
            self.notes.append(f"{why} while {doing}: {n:,} of {of:,} {what} skipped")

    def _listed(self) -> Plan:
        own = flat_tests(self.grammar)
        if not self.is_compiled:
            return self._table() if own is None else self._parts(own, "the criterion is not compiled")
        if own is not None:
            why = "the grammar asks one test of an individual's own attributes at a time"
            return self._sweeps(own, why, is_for_parts=True)
        shorten = self.growth.strategy == "bottom-up"
        space, clock = self.space(), self._part_of_time(FOR_LISTING)
        found = linked_tests(space, shorten=shorten, clock=clock)
        if found is not None:
            self._skipped(clock, "listing tests", found.n_skipped, found.n_families, "families of tests")
            return self._sweeps(found, "the tests behind links are few enough to be made once for the whole tree")
        if shorten:
            raise UsageError(_NOT_BOTTOM_UP)
        return self._search("the tests behind links are too many, or of a kind that is not listed")

    def _table(self) -> Plan:
        table = linked(self.space(), clock=self._part_of_time(FOR_LISTING))
        if table is None:
            return self._search("what the grammar asks behind links cannot be listed, or is too much")

        def splitter(target: Target, growth: Growth, _: Clock) -> SearchSplitter:
            return SearchSplitter(target, self.population, self.grammar, growth, table)

        why = "each node searches tests that were made once for the whole tree, since it may combine them"
        return self._plan("table", why, splitter)

    def _search(self, why: str) -> Plan:
        singles, space = self._singles(), self.space()

        def splitter(target: Target, growth: Growth, _: Clock) -> SearchSplitter:
            given = (target, self.population, self.grammar, growth)
            return SearchSplitter(*given, singles=singles, space=space, pace=self.pace)

        return self._plan("search", f"each node is searched by branch and bound, since {why}", splitter)

    def _singles(self) -> SortedTable | None:
        """Return single tests as columns, to begin searches of many rows with, where nothing is against it."""
        is_plain = self.growth.strategy == "auto" and self.growth.prune and self.growth.max_evaluations is None
        reached = self.space().population
        assert reached is not None
        if not self.is_compiled or not is_plain or reached.n_rows < self.tuning.searched:
            return None
        listed = single_tests(self.space(), self._part_of_time(FOR_SINGLES))
        return None if listed is None else table_of(listed, self.population, self.clock, self.tuning)

    def _sweeps(self, listed: ListedTests, why: str, *, is_for_parts: bool = False) -> Plan:
        table = table_of(listed, self.population, self.clock, self.tuning)
        n_columns = len(table.columns.ranks) + len(table.columns.codes) + table.n_skipped
        self._skipped(self.clock, "sorting columns", table.n_skipped, n_columns, "columns")
        untried: Unproved | None = None if listed.complete else "listing"
        if self.notes:
            untried = self.clock.over() or "time"

        def splitter(target: Target, growth: Growth, clock: Clock) -> SweepSplitter:
            rows = np.flatnonzero(target.weights)
            whole = not self.reusable and len(rows) == table.n_rows
            own = table if whole else table.take(rows)
            return SweepSplitter(target, own, growth, clock, untried, self.tuning)

        why = f"every test is tried in compiled sweeps, since {why}"
        return self._plan("sweeps", why, splitter, is_for_parts=is_for_parts)

    def _plan(self, route: Route, why: str, splitter: SplitterMaker, *, is_for_parts: bool = False) -> Plan:
        given = (self.population, self.grammar, self.growth, splitter, self._schema)
        return Plan(route, why, *given, is_for_parts=is_for_parts, notes=tuple(self.notes))

    @property
    def _schema(self) -> Schema:
        return self.population.schema if self.growth.missing == "false" else seen_schema(self.population)

    # ---- what only plain tables have --------------------------------------------------------------------

    def for_table(self, route: Route | None) -> Plan:
        growth = self.growth
        words = " and ".join(_given(growth, *FOR_TABLES)) or "a division into parts"
        for option in _given(growth, "share", "max_evaluations", "strategy", "prune"):
            raise UsageError(f"{words} does not go with {option}; leave one of them out")
        grammar = with_sets(self.grammar) if growth.nominal == "subset" else self.grammar
        listed = flat_tests(grammar) or listed_tests(grammar, self.population)
        if listed is None:
            raise UsageError(
                f"{words} needs a grammar that asks a plain table one test at a time, such as Grammar.from_schema "
                "gives: no links, no 'top and top', and rewrites of 'top' only"
            )
        planner = replace(self, grammar=grammar)
        if route != "parts" and not planner._needs_parts(listed):
            return planner._sweeps(listed, "no individual has to be divided, and no question has many sides")
        return planner._parts(listed, f"{words} asks for it")

    def _parts(self, listed: ListedTests, why: str) -> Plan:
        record = self._schema.type(self._schema.individual)
        questions = questions_of(listed, self.population, record, self.growth)

        def splitter(target: Target, growth: Growth, _: Clock) -> PartSplitter:
            return PartSplitter(target, questions, growth)

        return self._plan("parts", f"every division of the table is tried, since {why}", splitter)

    def _needs_parts(self, listed: ListedTests) -> bool:
        """Return whether the compiled sweeps would give another tree, or could not find this one."""
        if self.growth.average_gain_filter or not self.is_compiled:
            return True
        if self.growth.nominal == "multiway" and any(test.kind == "nominal" for test in listed.tests):
            return True
        names = {name for test in listed.tests for name in own_attributes(test.right) or ()}
        return self.growth.missing != "false" and any(self.population.column(name).missing.any() for name in names)


_NOT_BOTTOM_UP = (
    "strategy 'bottom-up' needs a grammar that asks one thing at a time of an individual, without 'all' and "
    "'distinct' and with rewrites from 'top' to one test only; use 'auto'"
)
