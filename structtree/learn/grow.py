"""Growing a tree: at every node the best split of its individuals, from the root down, on an explicit stack.

A node that is pure, too small or too deep is a leaf and nothing is searched for. Any other is divided by the best
predicate of the grammar's space *on its own individuals*: thresholds lie between the values that occur there. The
split is taken if it leaves somebody on both sides, if the criterion is better for it, and if nothing that the user
asked for (`Growth`) speaks against it. "Better" is why acc* goes on where plain accuracy stops: when no split gets
more right, acc* still takes one that lowers the entropy, and a split further down may then get more right.

With ``max_leaf_nodes`` the node whose split helps most is divided first; otherwise the order of dividing changes
nothing, and it is that in which a tree is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from math import ceil, log2
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from structtree.data.columns import Population
from structtree.data.reach import compact
from structtree.errors import UsageError
from structtree.interrupts import cut_short, stoppable
from structtree.lang.check import CheckedGrammar
from structtree.lang.grammar import Grammar
from structtree.lang.syntax import Predicate, Top
from structtree.learn.dividing import Manner
from structtree.learn.evidence import Evidence, evidence_for, in_plain_units, room, undivided
from structtree.learn.flat import Flat, grow_flat
from structtree.learn.growth import Growth
from structtree.learn.linked import Linked, linked, worded
from structtree.learn.parts import Refuses, grow_parts
from structtree.learn.routing import own_attributes
from structtree.learn.stop import literals_offered, p_value, precision_of, predicate_bits, saves_bits
from structtree.learn.table import Asked, flat_tests, linked_tests, listed_tests, with_sets
from structtree.learn.tree import Branch, Found, Leaf, Node, Stats, Tree, Unproved
from structtree.learn.unknown import seen_schema
from structtree.search.best_split import SearchStats, Split, Strategy, best_split
from structtree.search.clock import Clock
from structtree.search.criteria import TOLERANCE, Criterion
from structtree.search.kernels.flat import Limits
from structtree.space.evaluate import holds
from structtree.space.functions import with_functions
from structtree.space.space import Space

__all__ = ["Progress", "grow", "grow_by"]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a tree has grown.

    Parameters
    ----------
    nodes : int
        Nodes that are done: leaves, and branches whose test is found.
    leaves : int
        The leaves among them.
    settled : int
        Individuals that are in a leaf.
    individuals : int
        All individuals.
    evaluated : int
        Predicates evaluated so far.
    stopped_by : {"time", "interrupt"}, optional
        What ended the growth before it was done.
    """

    nodes: int
    leaves: int
    settled: int
    individuals: int
    evaluated: int
    stopped_by: Literal["time", "interrupt"] | None = None


def grow(
    population: Population,
    target: ArrayLike,
    grammar: Grammar | CheckedGrammar,
    growth: Growth | None = None,
    *,
    criterion: str | Criterion | None = None,
    sample_weight: ArrayLike | None = None,
    class_weight: Mapping[Any, float] | None = None,
    classes: Sequence[Any] | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Tree:
    """Grow a tree that tells the target of individuals.

    Parameters
    ----------
    population : Population
    target : array
        A class, or a number, for each individual.
    grammar : Grammar or CheckedGrammar
        What may be asked.
    growth : Growth, optional
        When to stop, and how to search.
    criterion : str or Criterion, optional
        ``"acc*"`` by default for classes, ``"mse"`` for real numbers; see `structtree.search.criteria`.
    sample_weight, class_weight : optional
        Weights of individuals, and of classes. Who has weight 0 is left out.
    classes : sequence, optional
        The classes in the order to use, when a training set may lack some of them; sorted by default.
    progress : function, optional
        Called when a node is done, about once a second during a search, and at the end.

    Returns
    -------
    Tree
        One leaf when all individuals have the same target. After Ctrl-C the tree as far as it is grown.

    Examples
    --------
    >>> from structtree import load_dataset, pretty
    >>> trains = load_dataset("trains")
    >>> tree = grow(trains.population, trains.target, Grammar.load("trains"), Growth(max_depth=1))
    >>> print(pretty(tree.nodes[0].test), [leaf.stats.counts for leaf in tree.nodes[1:]])
    exists cars (closed and not long) [(8.0, 0.0), (2.0, 10.0)]
    """
    evidence = evidence_for(target, len(population), criterion, sample_weight, class_weight, classes)
    if isinstance(grammar, Grammar):
        population = with_functions(population, grammar, {})
        grammar = grammar.check(population.schema)
    return grow_by(evidence, population, grammar, growth or Growth(), progress)


def grow_by(
    evidence: Evidence,
    population: Population,
    grammar: CheckedGrammar,
    options: Growth,
    progress: Callable[[Progress], None] | None = None,
    clock: Clock | None = None,
) -> Tree:
    """Grow a tree from labels that have been checked; see `grow`.

    With a clock its time is that of the tree, and not the limit of the options.
    """
    counted = evidence.counted()
    unit = counted.units.unit
    options = replace(options, min_impurity_decrease=options.min_impurity_decrease / unit / unit)
    with stoppable() as stop:
        tree = _grow(counted, population, grammar, options, progress, clock or Clock(options.time_limit, stop))
    return in_plain_units(tree, counted.units)


def _grow(
    evidence: Evidence,
    population: Population,
    grammar: CheckedGrammar,
    options: Growth,
    progress: Callable[[Progress], None] | None,
    clock: Clock,
) -> Tree:
    population, evidence = _counted(population, evidence)
    if _for_tables(options):
        return _grow_plain(population, evidence, grammar, options, progress, clock)
    asked = _asked(grammar, population, options, clock)
    if asked is not None:
        return _grow_table(asked, population, evidence, options, progress, clock)
    table = _table_of_links(grammar, population, options, clock)
    if table is None:
        return _grow_by_search(population, evidence, grammar, options, progress, clock)
    tree = _grow_by_search(table.population, evidence, table.space, options, progress, clock)
    tree = Tree(worded(tree.nodes, table, evidence.criterion), population.schema, evidence.classes)
    return tree if table.complete else _with_gaps(tree, options, evidence, "listing")


def _grow_by_search(
    population: Population,
    evidence: Evidence,
    grammar: CheckedGrammar | Space,
    growth: Growth,
    progress: Callable[[Progress], None] | None,
    clock: Clock,
) -> Tree:
    grower = _Grower(evidence, growth, grammar, progress, clock)
    root = grower.start(population)
    grower.run(root)
    grower.say_why(root.knot)
    tree = Tree(_in_reading_order(root.knot), population.schema, evidence.classes)
    grower.tell_the_end(tree)
    return tree


def _counted(population: Population, evidence: Evidence) -> tuple[Population, Evidence]:
    """Those that have a weight."""
    if evidence.weights.all():
        return population, evidence
    which = np.flatnonzero(evidence.weights)
    return population.take(which), evidence.take(which)


# ---- one test at a time ---------------------------------------------------------------------------------


FOR_LISTING = 4
"""The list of tests may take this part of the time: some must be left to try them, or to search without them."""


def _is_listed(growth: Growth) -> bool:
    """Whether tests may be made once for the whole tree."""
    return growth.strategy in ("auto", "bottom-up") and growth.share is None


def _is_swept(grammar: CheckedGrammar, growth: Growth) -> bool:
    """Whether a node asks one test at a time, by the criterion alone, so that nothing is to be searched for."""
    single = grammar.conjuncts.get(grammar.individual, 1) == 1
    return single and _is_listed(growth) and growth.stop is None and growth.max_evaluations is None


def _table_of_links(grammar: CheckedGrammar, population: Population, growth: Growth, clock: Clock) -> Linked | None:
    """What a node may combine, if it can be listed."""
    if not _is_listed(growth) or _is_swept(grammar, growth):
        return None
    return linked(grammar, compact(population), clock=clock.part(clock.left() / FOR_LISTING))


def _asked(grammar: CheckedGrammar, population: Population, growth: Growth, clock: Clock) -> Asked | None:
    """All tests that a node may ask, if they can be listed; None where each node needs a search of its own."""
    shorten = growth.strategy == "bottom-up"
    asked = None
    if _is_swept(grammar, growth):
        asked = flat_tests(grammar) or linked_tests(
            grammar, compact(population), shorten=shorten, clock=clock.part(clock.left() / FOR_LISTING)
        )
    elif not shorten or growth.stop is not None or growth.max_evaluations is not None or growth.share is not None:
        return None
    if asked is None and shorten:
        raise UsageError(
            "strategy 'bottom-up' needs a grammar that asks one thing at a time of an individual, without 'all' and "
            "'distinct' and without rewrites of anything but 'top'; use 'auto'"
        )
    return asked


def _grow_table(
    asked: Asked,
    population: Population,
    evidence: Evidence,
    growth: Growth,
    progress: Callable[[Progress], None] | None,
    clock: Clock,
) -> Tree:
    limits = _limits(growth)
    grown = grow_flat(asked, population, evidence, limits, max_leaf_nodes=growth.max_leaf_nodes, clock=clock)
    tree = Tree(grown.nodes, population.schema, evidence.classes)
    if grown.stopped_by is not None or not asked.complete:
        tree = _with_gaps(tree, growth, evidence, grown.stopped_by or "listing")
    _tell_of_table(grown, len(population), progress)
    return tree


def _limits(growth: Growth) -> Limits:
    return Limits(
        growth.max_depth or -1, growth.min_samples_split, growth.min_samples_leaf, growth.min_impurity_decrease
    )


def _tell_of_table(grown: Flat, n: int, progress: Callable[[Progress], None] | None) -> None:
    if progress is not None:
        progress(Progress(grown.n_nodes, grown.n_leaves, n, n, grown.evaluated, grown.stopped_by))


def _with_gaps(tree: Tree, growth: Growth, evidence: Evidence, reason: Unproved) -> Tree:
    """The tree with gaps at the leaves that might have been divided: for all that is known, perfectly."""
    least = max(growth.min_samples_split, 2 * growth.min_samples_leaf)
    nodes = (
        _leaf(node.stats, room(evidence.criterion, node.stats), reason)
        if isinstance(node, Leaf) and node.stats.n >= least and depth != growth.max_depth
        else node
        for _, depth, node in tree.walk()
    )
    return replace(tree, nodes=tuple(nodes))


def _leaf(stats: Stats, gap: float, reason: Unproved | None) -> Leaf:
    return Leaf(stats, gap, reason) if gap else Leaf(stats)


# ---- what only plain tables have ------------------------------------------------------------------------


def _for_tables(growth: Growth) -> bool:
    return growth.nominal != "binary" or growth.missing != "false" or growth.average_gain_filter


def _grow_plain(
    population: Population,
    evidence: Evidence,
    grammar: CheckedGrammar,
    growth: Growth,
    progress: Callable[[Progress], None] | None,
    clock: Clock,
) -> Tree:
    """A tree with switches, or with a rule for missing values."""
    asked = _asked_of_table(grammar, population, evidence, growth)
    missing, classes = growth.missing, evidence.classes
    schema = population.schema if missing == "false" else seen_schema(population)
    if not _needs_parts(asked, population, evidence.criterion, growth):
        tree = _grow_table(asked, population, evidence, growth, progress, clock)
        nodes = tree.nodes if missing == "false" else _with_shares(tree)
        return Tree(nodes, schema, classes, missing)
    grown = grow_parts(
        asked,
        population,
        evidence,
        schema.type(schema.individual),
        Manner(growth.nominal == "multiway", missing, growth.average_gain_filter, growth.min_samples_leaf),
        _limits(growth),
        max_leaf_nodes=growth.max_leaf_nodes,
        clock=clock,
        refuses=_refusal(evidence, growth),
    )
    tree = Tree(grown.nodes, schema, classes, missing)
    if grown.stopped_by is not None:
        tree = _with_gaps(tree, growth, evidence, grown.stopped_by)
    _tell_of_table(grown, len(population), progress)
    return tree


def _asked_of_table(grammar: CheckedGrammar, population: Population, evidence: Evidence, growth: Growth) -> Asked:
    given = {name: getattr(growth, name) for name in ("nominal", "missing", "average_gain_filter")}
    words = " and ".join(
        f"{name}={value!r}" for name, value in given.items() if value not in ("binary", "false", False)
    )
    for name in ("share", "max_evaluations"):
        if getattr(growth, name) is not None:
            raise UsageError(f"{words} does not go with {name}={getattr(growth, name)!r}; leave one of them out")
    if growth.average_gain_filter and evidence.criterion.name != "gain-ratio":
        raise UsageError(
            f"average_gain_filter is for the criterion 'gain-ratio'; got {evidence.criterion.name!r}, so leave it out"
        )
    if growth.nominal == "multiway" and not evidence.criterion.is_for_many_sides:
        name = evidence.criterion.name
        raise UsageError(
            f"the criterion {name!r} is for two sides; take nominal='subset' or 'binary', not 'multiway'"
        )
    asked = flat_tests(grammar) or listed_tests(grammar, population)
    if asked is None:
        raise UsageError(
            f"{words} needs a grammar that asks a plain table one test at a time, such as Grammar.from_schema gives: "
            "no links, no 'top and top', and rewrites of 'top' only"
        )
    return with_sets(asked) if growth.nominal == "subset" else asked


def _needs_parts(asked: Asked, population: Population, criterion: Criterion, growth: Growth) -> bool:
    """Whether the tree, or how it is found, is different from what the compiled sweeps would make of it."""
    if growth.average_gain_filter or growth.stop is not None:
        return True
    if growth.nominal == "subset" and not criterion.is_compiled:
        return True
    if growth.nominal == "multiway" and any(test.kind == "nominal" for test in asked.tests):
        return True
    names = {name for test in asked.tests for name in own_attributes(test.right) or ()}
    return growth.missing != "false" and any(population.column(name).missing.any() for name in names)


def _with_shares(tree: Tree) -> tuple[Node, ...]:
    """The nodes with how their weight is divided, for a tree on whose training data every answer is known."""
    return tuple(
        replace(node, shares=_shares(node, tree)) if isinstance(node, Branch) else node for node in tree.nodes
    )


def _shares(branch: Branch, tree: Tree) -> tuple[float, ...]:
    weights = [tree.nodes[child].stats.weight for child in branch.children]
    return tuple(weight / sum(weights) for weight in weights)


def _refusal(evidence: Evidence, growth: Growth) -> Refuses | None:
    """What the stopping rule says about divisions of a plain table; each is told as one of all there are."""
    task = evidence.criterion.task
    match growth.stop:
        case None:
            return None
        case "test":
            return lambda sides, _: p_value(task, *sides) > growth.significance
        case "mdl":
            fine = precision_of(evidence.target) if task == "numbers" else 1.0
            return lambda sides, n: not saves_bits(task, *sides, for_test=1 + log2(n), precision=fine)


LEAST_SHARE = 1 / 3
"""At least this part of the time for a node and all below it is for the node itself."""

N_HINTS = 4
"""So many good predicates of a node are tried first at the nodes below it."""

LEAST_SECONDS = 0.2
"""For another search at the root, after one that found nothing."""

# ---- a tree while it grows ------------------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class _Knot:
    """A node of the growing tree; a leaf as long as it has no fork, so that growth may end at any moment."""

    stats: Stats
    fork: _Fork | None = None
    gap: float = 0.0
    stopped_by: Unproved | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Fork:
    """What makes a knot a branch."""

    test: Predicate
    found: Found
    yes: _Knot
    no: _Knot


@dataclass(frozen=True, slots=True, eq=False)
class _Waiting:
    """A knot with its individuals, as positions in the whole and as a population; None where nothing is searched."""

    knot: _Knot
    which: NDArray[np.int64]
    depth: int
    population: Population | None
    start: Predicate | None
    hints: tuple[Predicate, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class _Offer:
    """A split that may be made, and what it does for the whole tree; the one that does most is the least."""

    waiting: _Waiting
    test: Predicate
    found: Found
    population: Population
    true: NDArray[np.bool_]
    decrease: tuple[float, float]
    serial: int
    hints: tuple[Predicate, ...]

    def __lt__(self, other: _Offer) -> bool:
        return (other.decrease, self.serial) < (self.decrease, other.serial)


@dataclass(slots=True, eq=False)
class _Grower:
    """The state of growing a tree."""

    evidence: Evidence
    growth: Growth
    grammar: CheckedGrammar | Space
    progress: Callable[[Progress], None] | None
    clock: Clock
    stopped_by: Literal["time", "interrupt"] | None = None
    searched: int = 0
    evaluated: int = 0
    branches: int = 0
    leaves: int = 0
    settled: int = 0
    precision: float = field(init=False)
    n: int = field(init=False)
    weight: float = field(init=False)

    def __post_init__(self) -> None:
        self.n = int(np.count_nonzero(self.evidence.weights))
        self.weight = float(self.evidence.weights.sum())
        self.precision = precision_of(self.evidence.target) if self.task == "numbers" else 1.0

    @property
    def task(self) -> Literal["classes", "numbers"]:
        return self.evidence.criterion.task

    # ---- the two orders of dividing ---------------------------------------------------------------------

    def start(self, population: Population) -> _Waiting:
        """The root."""
        counted = self.evidence.weights > 0
        return self._waiting(population, counted, np.flatnonzero(counted), 0, None)

    def run(self, root: _Waiting) -> None:
        with cut_short(self.clock.stop):
            if self.growth.max_leaf_nodes is None:
                self._depth_first(root)
            else:
                self._best_first(root, self.growth.max_leaf_nodes)
            return
        self.stopped_by = "interrupt"

    def say_why(self, root: _Knot) -> None:
        """Say of the leaves that nobody has looked at what ended the growth before their turn."""
        for knot in _knots(root):
            knot.stopped_by = knot.stopped_by or self.stopped_by

    def _depth_first(self, root: _Waiting) -> None:
        stack = [root]
        while stack:
            offer = self._search(stack.pop())
            if offer is not None:
                stack += reversed(self._divide(offer))

    def _best_first(self, root: _Waiting, most: int) -> None:
        offers: list[_Offer] = []
        fresh = [root]
        while self.branches + 1 < most:
            for waiting in fresh:
                offer = self._search(waiting)
                if offer is not None:
                    heappush(offers, offer)
            if not offers:
                return
            fresh = self._divide(heappop(offers))
        for waiting in fresh:
            waiting.knot.gap = 0.0  # it may not be divided, whatever there is to find

    # ---- one node ---------------------------------------------------------------------------------------

    def _waiting(
        self,
        whole: Population,
        true: NDArray[np.bool_],
        which: NDArray[np.int64],
        depth: int,
        start: Predicate | None,
        hints: tuple[Predicate, ...] = (),
    ) -> _Waiting:
        population = _part(whole, true) if self._is_open(which, depth) else None
        knot = _Knot(self.evidence.stats(which))
        if population is not None:
            # As long as nobody has looked, all that is known is that it might be divided perfectly.
            knot.gap = room(self.evidence.criterion, knot.stats)
        return _Waiting(knot, which, depth, population, start, hints)

    def _is_open(self, which: NDArray[np.int64], depth: int) -> bool:
        growth = self.growth
        large = len(which) >= max(growth.min_samples_split, 2 * growth.min_samples_leaf)
        return large and depth != growth.max_depth and not self.evidence.is_pure(which)

    def _search(self, waiting: _Waiting) -> _Offer | None:
        """The best split of a node if there is one to take; if not, the node is a leaf."""
        offer = None
        if waiting.population is not None and (self._is_due(waiting) or not self._is_over()):
            split = self._best_split(waiting, waiting.population, self._seconds_for(waiting))
            offer = self._offer(waiting, split)
            while offer is None and waiting.depth == 0 and self._has_more_time(split):
                # Without a root there is no tree: the time of the levels below is of no other use.
                again = replace(waiting, hints=split.runners_up[:N_HINTS])
                split = self._best_split(again, waiting.population, max(self.clock.left() / 2, LEAST_SECONDS))
                offer = self._offer(again, split)
            least = split.loss[0] - split.gap
            undecided = offer is None and not split.proved
            gap = undivided(self.evidence.criterion, waiting.knot.stats) - least if undecided else 0.0
            waiting.knot.gap = max(0.0, gap)
            waiting.knot.stopped_by = _reason(split)
        if offer is None:
            self.leaves += 1
            self.settled += len(waiting.which)
            self._tell()
        return offer

    def _is_due(self, waiting: _Waiting) -> bool:
        """Whether a node is looked at however little time there is: the root, unless it was Ctrl-C."""
        return waiting.depth == 0 and self.clock.over() != "interrupt"

    def _is_over(self) -> bool:
        if self.stopped_by is None:
            self.stopped_by = self.clock.over()
        return self.stopped_by is not None

    def _has_more_time(self, split: Split) -> bool:
        return split.stats.stopped_by == "time" and self.clock.over() is None

    def _seconds_for(self, waiting: _Waiting) -> float:
        share = len(waiting.which) / (self.n - self.settled)
        return self.clock.left() * share / min(self._n_levels(waiting), 1 / LEAST_SHARE)

    def _n_levels(self, waiting: _Waiting) -> int:
        """How many levels of branches a node and what is below it would have if all were divided in halves."""
        halvings = ceil(log2(len(waiting.which) / self.growth.min_samples_leaf))
        most = halvings if self.growth.max_depth is None else self.growth.max_depth - waiting.depth
        return max(1, min(halvings, most))

    def _best_split(self, waiting: _Waiting, population: Population, seconds: float) -> Split:
        growth = self.growth
        start: dict[str, Any] = {} if waiting.start is None else {"start": waiting.start}
        split = best_split(
            population,
            self.evidence.take(waiting.which),
            self.grammar,
            prune=growth.prune,
            strategy=_strategy(growth),
            max_evaluations=growth.max_evaluations,
            clock=self.clock.part(seconds),
            hints=waiting.hints,
            min_samples_leaf=growth.min_samples_leaf,
            random_state=growth.random_state,
            progress=None if self.progress is None else self._tell_of_search,
            **start,
        )
        self.searched += 1
        self.evaluated += split.stats.evaluated
        if split.stats.stopped_by == "interrupt":
            self.stopped_by = "interrupt"
        return split

    def _offer(self, waiting: _Waiting, split: Split) -> _Offer | None:
        """The split, unless it does not divide, does not improve, or something the user asked for is against it."""
        judge, population = split.problem.judge, split.problem.space.population
        assert population is not None
        unsplit = judge.criterion.unsplit(judge.total)
        if isinstance(split.predicate, Top) or not judge.improves(split.loss, (unsplit[0], unsplit[1])):
            return None
        gains = np.maximum(unsplit - split.loss, 0.0)
        share = self.evidence.weights[waiting.which].sum() / self.weight
        if share * gains[0] + TOLERANCE < self.growth.min_impurity_decrease:
            return None
        true = holds(split.predicate, population)
        if not self._passes(split, self.evidence.target[waiting.which], true):
            return None
        found = _found(split, float(gains[0]))
        decrease = (float(share * gains[0]), float(share * gains[1]))
        hints = (*split.runners_up, *waiting.hints)[:N_HINTS]
        return _Offer(waiting, split.predicate, found, population, true, decrease, self.searched, hints)

    def _passes(self, split: Split, target: NDArray[Any], true: NDArray[np.bool_]) -> bool:
        yes, no = target[true], target[~true]
        match self.growth.stop:
            case None:
                return True
            case "test":
                return p_value(self.task, yes, no) <= self.growth.significance
            case "mdl":
                bits = predicate_bits(split.predicate, literals_offered(split.problem.space))
                return saves_bits(self.task, yes, no, for_test=bits, precision=self.precision)

    def _divide(self, offer: _Offer) -> list[_Waiting]:
        """Make a node a branch, and its two sides wait."""
        above, shares = offer.waiting, self.growth.share == "path"
        yes, no = (
            self._waiting(
                offer.population, true, above.which[true], above.depth + 1, start if shares else None, offer.hints
            )
            for true, start in ((offer.true, offer.test), (~offer.true, above.start))
        )
        above.knot.fork = _Fork(offer.test, offer.found, yes.knot, no.knot)
        self.branches += 1
        self._tell()
        return [yes, no]

    # ---- progress ---------------------------------------------------------------------------------------

    def _tell_of_search(self, stats: SearchStats, _: Split | None) -> None:
        self._tell(stats.evaluated)

    def _tell(self, more: int = 0) -> None:
        if self.progress is not None:
            nodes, evaluated = self.branches + self.leaves, self.evaluated + more
            self.progress(Progress(nodes, self.leaves, self.settled, self.n, evaluated, self.stopped_by))

    def tell_the_end(self, tree: Tree) -> None:
        """Tell of the whole tree, in which whatever was left waiting is a leaf."""
        if self.progress is not None:
            leaves = len(tree.leaves)
            self.progress(Progress(len(tree.nodes), leaves, self.n, self.n, self.evaluated, self.stopped_by))


def _strategy(growth: Growth) -> Strategy:
    """Of the search at a node."""
    match growth.strategy:
        case "auto" | "bottom-up":
            return "best-first"
        case other:
            return other


def _part(whole: Population, true: NDArray[np.bool_]) -> Population:
    """One side of a population.

    It shares the tables of the whole, and keeps them alive as long as it waits. The smaller side gets its own, so
    that the tables of all waiting nodes together have at most about twice the rows of the root.
    """
    part = whole.take(true)
    return compact(part) if 2 * len(part) <= len(whole) else part


def _found(split: Split, gain: float) -> Found:
    stats = split.stats
    figures = (gain, split.proved, split.gap, stats.evaluated, stats.seconds)
    return Found(split.criterion, split.score, *figures, _reason(split))


def _reason(split: Split) -> Unproved | None:
    """Why a split is not proved best."""
    stopped_by = split.stats.stopped_by
    return None if split.proved or stopped_by == "done" else stopped_by


def _in_reading_order(root: _Knot) -> tuple[Node, ...]:
    """The nodes of a tree, from its knots."""
    knots = list(_knots(root))
    place = {id(knot): index for index, knot in enumerate(knots)}
    return tuple(_node(knot, place) for knot in knots)


def _knots(root: _Knot) -> Iterator[_Knot]:
    stack = [root]
    while stack:
        knot = stack.pop()
        yield knot
        if knot.fork is not None:
            stack += [knot.fork.no, knot.fork.yes]


def _node(knot: _Knot, place: Mapping[int, int]) -> Node:
    if knot.fork is None:
        return _leaf(knot.stats, knot.gap, knot.stopped_by)
    fork = knot.fork
    return Branch(fork.test, place[id(fork.yes)], place[id(fork.no)], knot.stats, fork.found)
