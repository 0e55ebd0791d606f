"""Plans for growing trees: the route, chosen once from grammar, population and options, and the reason for it.

There are four routes. Tests of an individual's own attributes, and lists of tests behind links, are tried in compiled
*sweeps*. Where a node may combine several of them, the *table* of all that is asked behind links is searched. What
cannot be listed is *searched* for in the structure itself. Plain tables with switches or with rules for missing
values are divided in *parts*.

A plan is plain data, which can be pickled: the route, the columns prepared for it, and the splitter and the builder
to use. Trees with other targets, weights or limits can be grown by the same plan. Options that a route cannot honour
are refused here, by name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from structtree.data.population import Population
from structtree.data.reachable import compact
from structtree.data.readers.individuals import population_of
from structtree.data.schema import Schema
from structtree.errors import UsageError
from structtree.lang.check import CheckedGrammar
from structtree.learn.builder import Builder
from structtree.learn.goals import FOR_TABLES
from structtree.models.routing.subsets import own_attributes
from structtree.models.routing.unknown import seen_schema
from structtree.models.settings import Growth
from structtree.models.tree import Unproved
from structtree.reprs import short_repr
from structtree.search.clock import Clock
from structtree.space.background import with_computed
from structtree.space.space import Space
from structtree.splitters.attribute_tests import ListedTests, flat_tests, listed_tests, with_sets
from structtree.splitters.fractional import FractionalSplitter
from structtree.splitters.link_table import column_space
from structtree.splitters.link_tests import linked_tests
from structtree.splitters.multiway import columns_to_divide
from structtree.splitters.sampling import ColumnSampler
from structtree.splitters.search import SearchSplitter
from structtree.splitters.splitter import Splitter
from structtree.splitters.sweep import SweepSplitter
from structtree.splitters.table import ListedColumns, Tuning, columns_for
from structtree.tasks.criteria import Criterion
from structtree.tasks.target import Target

__all__ = ["Plan", "Route", "plan_for"]

Route = Literal["sweeps", "table", "search", "parts"]
SplitterMaker = Callable[["Plan", Target, Growth, Clock], Splitter[Any]]

FOR_FAMILIES = 2
"""Maximum fraction of the time for finding the values and thresholds of all tests."""

FOR_LISTING = 4
"""Maximum fraction of the time for listing tests; the rest is for evaluating or searching them."""

DECIDING = ("strategy", "share", "prune", "max_evaluations", "effort", "cost_tolerance", *FOR_TABLES)
"""Options that determine the route."""


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """Plan for growing trees: a route and the data prepared for it, in a form that can be pickled.

    Parameters
    ----------
    route : {"sweeps", "table", "search", "parts"}, or any name for a custom route
    why : str
        A sentence for people.
    individuals : Population, or individuals in another form (see `structtree.data.readers.individuals`)
    grammar : CheckedGrammar
    growth : Growth
        The options it was made for; see `DECIDING`.
    schema : Schema
        Of the individuals that the tree can be asked about.
    make : function from (Plan, Target, Growth, Clock) to Splitter
        A function of a module, since a plan is pickled with its name.
    prepared : optional
        The columns or spaces that `make` needs.
    builder : type
        The builder that grows the tree.
    is_for_parts : bool
        Whether trees of some of the individuals, the others without weight, are as if the plan were made for them.
    notes : tuple of str
        Steps that were skipped because the time was up.
    """

    route: Route | str
    why: str
    population: Population
    grammar: CheckedGrammar
    growth: Growth
    schema: Schema
    make: SplitterMaker
    prepared: Any = None
    builder: type[Builder[Any]] = Builder
    is_for_parts: bool = False
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        individuals = f"{len(self.population):,} {self.population.schema.individual}"
        return short_repr(self, f"{self.route} for {individuals}", self.why)

    def splitter(
        self, target: Target, growth: Growth, clock: Clock, sampler: ColumnSampler | None = None
    ) -> Splitter[Any]:
        """Create the splitter for a target; with a sampler, it searches only the sampled columns at each node."""
        splitter = self.make(self, target, growth, clock)
        splitter.sampler = sampler
        return splitter

    def check(self, growth: Growth, criterion: Criterion) -> None:
        """Raise an error if the options or the criterion need another plan."""
        if self.route == "sweeps" and not criterion.is_compiled:
            raise UsageError(f"the plan does not support criterion {criterion.name!r}; make a new plan for it")
        for name in DECIDING:
            made_for, given = getattr(self.growth, name), getattr(growth, name)
            if made_for != given:
                raise UsageError(f"the plan is for {name}={made_for!r}; got {name}={given!r}, so make a new plan")


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
    """Choose the route for growing trees, and prepare its data.

    Parameters
    ----------
    population : Population
    grammar : CheckedGrammar
    growth : Growth, optional
    clock : Clock, optional
        When it is over, tests that are not prepared yet are skipped, and the notes of the plan say so.
    criterion : Criterion, optional
        Needed for a custom criterion, which compiled sweeps do not support.
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
    is_compiled, is_one_sided = (
        criterion is None or criterion.is_compiled,
        criterion is not None and criterion.is_one_sided,
    )
    population = with_computed(population_of(individuals), grammar.background)
    planner = _Planner(
        population, grammar, given, clock or Clock(), tuning or Tuning(), reusable, is_compiled, is_one_sided
    )
    is_for_table = bool(_given(given, *FOR_TABLES)) or route == "parts"
    plan = planner.for_table(route) if is_for_table else planner.for_structure(route)
    if route not in (None, plan.route):
        raise UsageError(f"this grammar with these options cannot use the route {route!r}; it uses {plan.route!r}")
    return plan


# ---- the splitter of each route -------------------------------------------------------------------------------


class Swept(NamedTuple):
    """Data prepared for sweeps: the columns, why tests are missing, and whether the columns will be reused."""

    columns: ListedColumns
    untried: Unproved | None
    tuning: Tuning
    reusable: bool


def sweep_splitter(plan: Plan, target: Target, growth: Growth, clock: Clock) -> SweepSplitter:
    """Create the splitter that evaluates every test in compiled sweeps."""
    columns, untried, tuning, reusable = plan.prepared
    rows = np.flatnonzero(target.weights)
    own = columns if not reusable and len(rows) == columns.n_rows else columns.take(rows)
    return SweepSplitter(target, own, growth, clock, untried, tuning)


def table_splitter(plan: Plan, target: Target, growth: Growth, _: Clock) -> SearchSplitter:
    """Create the splitter that searches a table with one column per test behind links."""
    return SearchSplitter(target, plan.population, plan.grammar, growth, plan.prepared)


def search_splitter(plan: Plan, target: Target, growth: Growth, _: Clock) -> SearchSplitter:
    """Create the splitter that searches structured individuals by branch and bound."""
    given = (target, plan.population, plan.grammar, growth)
    return SearchSplitter(*given, space=plan.prepared)


def fractional_splitter(plan: Plan, target: Target, growth: Growth, _: Clock) -> FractionalSplitter:
    """Create the splitter that evaluates every multiway or fractional split of a plain table."""
    return FractionalSplitter(target, plan.prepared, growth)


_MAKERS: dict[Route, SplitterMaker] = {
    "sweeps": sweep_splitter,
    "table": table_splitter,
    "search": search_splitter,
    "parts": fractional_splitter,
}


# ---- the decision ---------------------------------------------------------------------------------------------


def _given(growth: Growth, *names: str) -> list[str]:
    """Return the options that differ from their defaults, as ``name=value``."""
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
    is_one_sided: bool = False
    notes: list[str] = field(default_factory=list, init=False)
    _space: list[Space] = field(default_factory=list, init=False)

    # ---- structured individuals -------------------------------------------------------------------------

    def for_structure(self, route: Route | None) -> Plan:
        growth, grammar = self.growth, self.grammar
        is_single = grammar.conjuncts.get(grammar.individual, 1) == 1
        self._check_bottom_up(is_single)
        if growth.strategy not in ("auto", "bottom-up"):
            return self._search(f"the strategy is {growth.strategy!r}")
        if growth.share is not None:
            return self._search(f"share={growth.share!r} refines the tests of ancestors")
        if route == "search":
            return self._search("that route was chosen")
        is_plain = growth.max_evaluations is None and growth.prune and not self.is_one_sided
        if is_single and is_plain and route != "table":
            return self._listed()
        return self._table()

    def _check_bottom_up(self, is_single: bool) -> None:
        if self.growth.strategy != "bottom-up":
            return
        tolerance = [f"cost_tolerance={self.growth.tolerance!r}"] if self.growth.tolerance else []
        for option in (*_given(self.growth, "share", "max_evaluations", "prune"), *tolerance):
            raise UsageError(
                f"strategy 'bottom-up' lists all tests instead of searching, so it cannot be combined with {option}; "
                "use only one of them"
            )
        if not is_single:
            raise UsageError(_NOT_BOTTOM_UP)

    def _part_of_time(self, n: int) -> Clock:
        return self.clock.part(self.clock.left() / (n if self.growth.patience is None else 1))

    def space(self) -> Space:
        """Return the space of all individuals, built on the first call."""
        if not self._space:
            clock = self._part_of_time(FOR_FAMILIES)
            found = Space.build(self.grammar, compact(self.population), limit=clock)
            n_families = sum(map(len, self.grammar.rewrites.values()))
            self._skipped(
                clock, "finding the values of tests", found.offers.n_skipped, n_families, "families of tests"
            )
            self._space.append(found)
        return self._space[0]

    def _skipped(self, clock: Clock, doing: str, n: int, of: int, what: str) -> None:
        """Add a note if anything was skipped for lack of time."""
        if n:
            why = "interrupted" if clock.over() == "interrupt" else "time limit reached"
            self.notes.append(f"{why} while {doing}: {n:,} of {of:,} {what} skipped")

    def _listed(self) -> Plan:
        own = flat_tests(self.grammar)
        if not self.is_compiled:
            return self._table() if own is None else self._parts(own, "the criterion is not compiled")
        if own is not None:
            why = "the grammar has only single tests of an individual's own attributes"
            return self._sweeps(own, why, is_for_parts=True)
        shorten = self.growth.strategy == "bottom-up"
        space, clock = self.space(), self._part_of_time(FOR_LISTING)
        found = linked_tests(space, shorten=shorten, clock=clock, by_cost=bool(self.growth.tolerance))
        if found is not None:
            self._skipped(clock, "listing tests", found.n_skipped, found.n_families, "families of tests")
            return self._sweeps(found, "the tests behind links are few enough to be made once for the whole tree")
        if shorten:
            raise UsageError(_NOT_BOTTOM_UP)
        return self._search("the tests behind links are too many, or of a kind that is not listed")

    def _table(self) -> Plan:
        is_small, by_cost = self.growth.patience is not None, bool(self.growth.tolerance)
        clock = self._part_of_time(FOR_LISTING)
        table = column_space(self.space(), clock=clock, is_small=is_small, by_cost=by_cost)
        if table is None:
            return self._search("the tests behind links cannot be listed, or are too many")
        why = "each node searches tests that were made once for the whole tree, since it may combine them"
        return self._plan("table", why, table)

    def _search(self, why: str) -> Plan:
        return self._plan("search", f"each node is searched by branch and bound, since {why}", self.space())

    def _sweeps(self, listed: ListedTests, why: str, *, is_for_parts: bool = False) -> Plan:
        if self.growth.tolerance:  # of two tests that split in the same way, the first is kept
            listed = listed._replace(tests=tuple(sorted(listed.tests, key=lambda test: test.cost)))
        columns = columns_for(listed, self.population, self.clock, self.tuning)
        n_skipped = columns.members.n_skipped
        self._skipped(self.clock, "sorting columns", n_skipped, len(columns) + n_skipped, "columns")
        untried: Unproved | None = None if listed.complete else "listing"
        if self.notes:
            untried = self.clock.over() or "time"
        why = f"every test is tried in compiled sweeps, since {why}"
        prepared = Swept(columns, untried, self.tuning, self.reusable)
        return self._plan("sweeps", why, prepared, is_for_parts=is_for_parts)

    def _plan(self, route: Route, why: str, prepared: Any, *, is_for_parts: bool = False) -> Plan:
        given = (self.population, self.grammar, self.growth, self._schema, _MAKERS[route], prepared)
        return Plan(route, why, *given, is_for_parts=is_for_parts, notes=tuple(self.notes))

    @property
    def _schema(self) -> Schema:
        return self.population.schema if self.growth.missing == "false" else seen_schema(self.population)

    # ---- what only plain tables have --------------------------------------------------------------------

    def for_table(self, route: Route | None) -> Plan:
        growth = self.growth
        words = " and ".join(_given(growth, *FOR_TABLES)) or "route 'parts'"
        for option in _given(growth, "share", "max_evaluations", "strategy", "prune"):
            raise UsageError(f"{words} cannot be combined with {option}; use only one of them")
        grammar = with_sets(self.grammar) if growth.nominal == "subset" else self.grammar
        listed = flat_tests(grammar) or listed_tests(grammar, self.population)
        if listed is None:
            raise UsageError(
                f"{words} needs a grammar with single tests of a plain table, such as Grammar.from_schema makes: "
                "no links, no 'top and top', and rewrites of 'top' only"
            )
        planner = replace(self, grammar=grammar)
        if route != "parts" and not planner._needs_parts(listed):
            return planner._sweeps(listed, "there are no fractional individuals and no multiway splits")
        return planner._parts(listed, f"{words} requires it")

    def _parts(self, listed: ListedTests, why: str) -> Plan:
        if self.growth.tolerance and len({test.cost for test in listed.tests}) > 1:
            option = f"cost_tolerance={self.growth.tolerance!r}"
            raise UsageError(
                f"{why.removesuffix(' requires it')}, which cannot be combined with {option} for a grammar with "
                "costs; use only one of them"
            )
        record = self._schema.type(self._schema.individual)
        columns = columns_to_divide(listed, self.population, record, self.growth, self.tuning)
        return self._plan("parts", f"every split of the table is tried, since {why}", columns)

    def _needs_parts(self, listed: ListedTests) -> bool:
        """Return whether the options rule out compiled sweeps for this table."""
        if self.growth.average_gain_filter or not self.is_compiled:
            return True
        if self.growth.nominal == "multiway" and any(test.kind == "nominal" for test in listed.tests):
            return True
        names = {name for test in listed.tests for name in own_attributes(test.right) or ()}
        return self.growth.missing != "false" and any(self.population.column(name).missing.any() for name in names)


_NOT_BOTTOM_UP = (
    "strategy 'bottom-up' needs a grammar with single tests of an individual, without 'all' and 'distinct', and with "
    "rewrites from 'top' to one test only; use 'auto'"
)
