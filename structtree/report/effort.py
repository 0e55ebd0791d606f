"""Comparison of the search effort for each criterion: with pruning, without it, and on the route that `fit` takes.

A predicate is *evaluated* when its loss at a node is computed; see the glossary in ``docs/architecture.md``. Without
pruning, the whole space is evaluated. That search is measured if it fits in the time limit; otherwise its duration is
estimated from the size of the space and the measured speed, and marked as an estimate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from structtree.data.population import Population
from structtree.data.readers.individuals import population_of
from structtree.errors import StructtreeError, UsageError
from structtree.interrupts import interruptible, stoppable
from structtree.lang.grammar import Grammar, grammar_from
from structtree.lang.pretty import pretty
from structtree.learn.builder import Progress
from structtree.learn.growing import grow
from structtree.learn.plan import plan_for
from structtree.models.model import Fitted
from structtree.models.settings import Growth
from structtree.models.tree import Branch, Found, Leaf, Tree
from structtree.progress import report_status
from structtree.report.english import enumerated
from structtree.reprs import number_text, seconds_text, short_repr
from structtree.search.best_split import SearchStats, Split, best_split
from structtree.search.clock import Clock
from structtree.search.kernels.compiling import now
from structtree.search.results import Pass, TracePoint
from structtree.search.scorers import scorer_for
from structtree.space.background import with_background
from structtree.space.count import count_space
from structtree.space.evaluate import holds
from structtree.space.space import Space
from structtree.tasks.criteria import Criterion, better, criterion

__all__ = ["Effort", "FitCost", "compare_effort", "node_spaces", "summary", "why_equal"]

EffortProgress = Callable[[str, str, SearchStats], None]

EXHAUSTIVE_LIMIT = 3.0
"""Default time limit for all searches without pruning, in seconds."""

HOPE = 2.0
"""A measurement is tried if the estimate is below this multiple of the limit: short searches look slow."""

MAX_SPACES = 100
"""Maximum number of nodes of a model whose space is counted."""

WARM = 1_000
"""Evaluations of a warm-up search, after which all kernels are compiled."""


@dataclass(frozen=True, slots=True)
class FitCost:
    """Cost of the same split, or tree, as `structtree.fit` finds it with the default effort.

    Parameters
    ----------
    route : str
        The route of the plan: sweeps, table, search or parts.
    why : str
        Why `fit` takes this route.
    evaluated : int
        Predicates evaluated.
    seconds : float
        Seconds, including the preparation of test columns.
    proved : bool
        Whether every test is proved best.
    score, predicate : optional
        Of the best split; for a whole tree, those of the root. None if no split is better than none.
    """

    route: str
    why: str
    evaluated: int
    seconds: float
    proved: bool
    score: float | None = None
    predicate: str = "top"


@dataclass(frozen=True, slots=True, eq=False)
class Effort:
    """Cost of a search with one criterion, with and without pruning.

    Parameters
    ----------
    criterion : str
    space : int or None
        Number of predicates; None if no formula counts them and there are too many to enumerate.
    evaluated, evaluated_exhaustive : int
        Predicates evaluated with and without pruning; the latter None if neither measured nor counted.
    seconds, seconds_exhaustive : float
    exhaustive_estimated : bool
        Whether the numbers without pruning are estimated.
    agree : bool or None
        Whether both searches reached the same score; None if not measured.
    score, predicate, proved
        Of the best split; for a whole tree, those of the root, and whether all splits are proved best.
    split : Split
        Result of the search with pruning; for a whole tree, at the root.
    by_node : tuple of Effort
        For a whole tree: the effort of each node, in depth-first order.
    individuals : int
        Number of individuals that were split.
    interrupted : bool
        Whether the user interrupted the search.
    passes : tuple of Pass
        Time of the search with pruning, by order and by position.
    fit : FitCost, optional
        Cost on the route that `structtree.fit` takes; None if the user interrupted.
    """

    criterion: str
    space: int | None
    evaluated: int
    evaluated_exhaustive: int | None
    seconds: float
    seconds_exhaustive: float | None
    exhaustive_estimated: bool
    agree: bool | None
    score: float
    proved: bool
    predicate: str
    split: Split = field(repr=False)
    by_node: tuple[Effort, ...] = field(repr=False, default=())
    individuals: int = 0
    interrupted: bool = False
    passes: tuple[Pass, ...] = ()
    fit: FitCost | None = None

    def __repr__(self) -> str:
        saved = "" if self.percent is None else f" ({self.percent:.3g} % of the evaluations without pruning)"
        known = "proved best" if self.proved else "not proved best"
        found = f"{self.predicate} | {self.criterion} {self.score:.4g}"
        return short_repr(self, found, known, f"{self.evaluated:,} evaluated{saved}", f"{self.seconds:.3g} s")

    @property
    def percent(self) -> float | None:
        """Evaluations with pruning, as a percentage of the evaluations without pruning."""
        return 100.0 * self.evaluated / self.evaluated_exhaustive if self.evaluated_exhaustive else None

    @property
    def nodes(self) -> int:
        """Number of nodes that were split."""
        return len(self.by_node) or 1

    @property
    def trace(self) -> tuple[TracePoint, ...]:
        """Best score and bound over time in the search with pruning; for a whole tree, those of the root."""
        return self.split.stats.trace

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain JSON values."""
        keys = ("criterion", "space", "evaluated", "evaluated_exhaustive", "percent", "seconds", "seconds_exhaustive")
        more = ("score", "proved", "predicate", "exhaustive_estimated", "agree", "nodes")
        passes = [one._asdict() for one in self.passes]
        trace = [point._asdict() for point in self.trace]
        by_node = {"by_node": [node.to_dict() for node in self.by_node]} if self.by_node else {}
        found: dict[str, Any] = {key: getattr(self, key) for key in (*keys, *more)}
        fit = None if self.fit is None else asdict(self.fit)
        return found | {"fit": fit, "passes": passes, "trace": trace} | by_node


def compare_effort(
    individuals: Any,
    target: ArrayLike,
    grammar: str | Path | Grammar | Space,
    criteria: Sequence[str | Criterion] | None = None,
    *,
    time_limit: float | None = None,
    exhaustive_limit: float = EXHAUSTIVE_LIMIT,
    min_samples_leaf: int = 1,
    whole_tree: bool = False,
    max_depth: int | None = None,
    progress: EffortProgress | None = None,
) -> tuple[Effort, ...]:
    """Compare searches with and without pruning, and the route that `structtree.fit` takes, for each criterion.

    Parameters
    ----------
    individuals, target, grammar, min_samples_leaf
        As for `best_split`.
    criteria : sequence of str or Criterion, optional
        All criteria that apply to the target by default.
    time_limit : float, optional
        Time limit for each search with pruning, in seconds.
    exhaustive_limit : float
        Approximate time limit for all searches without pruning; longer searches are estimated.
    whole_tree : bool
        Sum over all nodes of a tree that is grown until its leaves are pure.
    max_depth : int, optional
        Maximum depth of that tree.
    progress : function, optional
        Called about once a second with the criterion, the phase, and the search statistics.

    Returns
    -------
    tuple of Effort, one per criterion
        Fewer when the user interrupts.

    Examples
    --------
    >>> from structtree import Grammar, load_dataset
    >>> lenses = load_dataset("lenses")
    >>> (effort,) = compare_effort(lenses.population, lenses.target, Grammar.load("flat"), ["entropy"])
    >>> effort.predicate, effort.proved, effort.agree, effort.evaluated <= effort.evaluated_exhaustive
    ('astigmatic = no and tear_rate = normal', True, True, True)
    """
    labels = np.asarray(target)
    population = population_of(individuals)
    searched = grammar if isinstance(grammar, Space) else grammar_from(grammar)
    chosen = tuple(dict.fromkeys(map(criterion, criteria))) if criteria else _fitting(labels, len(population))
    _check_options(time_limit, exhaustive_limit, max_depth)
    efforts: list[Effort] = []
    allowance = _Allowance(exhaustive_limit)
    with stoppable() as stop, interruptible(stop):
        for each in chosen:
            task = _Task(population, labels, searched, each, time_limit, allowance, min_samples_leaf, progress)
            if not _warm_up(task):
                break
            effort = _of_tree(task, max_depth) if whole_tree else None
            effort = effort or _of_node(task)
            if not (effort.interrupted or stop.pressed):
                effort = replace(effort, fit=_as_fit(task, max_depth if whole_tree else 1))
            efforts.append(effort)
            if effort.interrupted or stop.pressed:
                break
    if not efforts:
        raise KeyboardInterrupt  # no result yet
    return tuple(efforts) if whole_tree else _with_known_counts(efforts)


@dataclass(slots=True)
class _Allowance:
    """Seconds left for searches without pruning."""

    left: float


@dataclass(frozen=True, slots=True, eq=False)
class _Task:
    """Search problem: the data of a node, a grammar and a criterion."""

    population: Population
    labels: NDArray[Any]
    grammar: Grammar | Space
    criterion: Criterion
    time_limit: float | None
    allowance: _Allowance
    least: int
    progress: EffortProgress | None

    def search(self, **budget: Any) -> Split:
        phase = "without pruning" if budget.get("strategy") == "exhaustive" else "with pruning"

        def report(stats: SearchStats, best: Split | None) -> None:
            rate = f", {stats.evaluated / stats.seconds:,.0f}/s" if stats.seconds >= 1 else ""
            facts = (f"{self.criterion.name} {phase}", f"{stats.evaluated:,} predicates{rate}")
            report_status("searching", 0, None, *facts)
            if self.progress is not None:
                self.progress(self.criterion.name, phase, stats)

        options = {"criterion": self.criterion, "min_samples_leaf": self.least, "progress": report, **budget}
        return best_split(self.population, self.labels, self.grammar, **options)


def _fitting(labels: NDArray[Any], n: int) -> tuple[Criterion, ...]:
    return scorer_for(None, labels, n).task.criteria


def _check_options(time_limit: float | None, exhaustive_limit: float, max_depth: int | None) -> None:
    if time_limit is not None and not time_limit > 0:
        raise UsageError(f"time_limit must be a number of seconds > 0; got {time_limit}")
    if not exhaustive_limit >= 0:
        raise UsageError(f"exhaustive_limit must be a number of seconds >= 0; got {exhaustive_limit}")
    if max_depth is not None and max_depth < 1:
        raise UsageError(f"max_depth must be an int >= 1 or None; got {max_depth}")


def _warm_up(task: _Task) -> bool:
    """Compile all kernels before timing starts; return False if the user interrupted."""
    found = replace(task, progress=None).search(max_evaluations=WARM, time_limit=task.time_limit)
    return found.stats.stopped_by != "interrupt"


# ---- one node -------------------------------------------------------------------------------------------


def _of_node(task: _Task) -> Effort:
    found = task.search(time_limit=task.time_limit)
    space = _size(task.grammar, task.population)
    effort = Effort(
        criterion=found.criterion,
        space=space,
        evaluated=found.stats.evaluated,
        evaluated_exhaustive=space,
        seconds=found.stats.seconds,
        seconds_exhaustive=_seconds(space, found.stats),
        exhaustive_estimated=True,
        agree=None,
        score=found.score,
        proved=found.proved,
        predicate=pretty(found.predicate),
        split=found,
        individuals=len(task.population),
        interrupted=found.stats.stopped_by == "interrupt",
        passes=found.stats.passes,
    )
    return effort if effort.interrupted else _measured(effort, task)


def _size(grammar: Grammar | Space, population: Population) -> int | None:
    space = grammar if isinstance(grammar, Space) else Space.build(grammar, population)
    try:
        return count_space(space).size
    except UsageError:
        # No formula, and too many to enumerate: a valid answer here, not an error of the caller.
        return None


def _measured(effort: Effort, task: _Task) -> Effort:
    """Replace the estimate with a measured search without pruning, if it fits in the time limit."""
    limit, found = task.allowance.left, effort.split
    if limit <= 0 or (effort.seconds_exhaustive or 0.0) > HOPE * limit:
        return effort
    whole = task.search(strategy="exhaustive", time_limit=limit)
    task.allowance.left -= whole.stats.seconds
    if whole.stats.stopped_by != "done":
        interrupted = whole.stats.stopped_by == "interrupt"
        return replace(effort, seconds_exhaustive=_seconds(effort.space, whole.stats), interrupted=interrupted)
    return replace(
        effort,
        evaluated_exhaustive=whole.stats.evaluated,
        seconds_exhaustive=whole.stats.seconds,
        exhaustive_estimated=False,
        agree=_same(found, whole) if found.proved else None,
    )


def _with_known_counts(efforts: Sequence[Effort]) -> tuple[Effort, ...]:
    """Replace estimated costs with a measured one, since all criteria evaluate the same without pruning."""
    known = next((effort for effort in efforts if not effort.exhaustive_estimated), None)
    if known is None:
        return tuple(efforts)
    cost = {name: getattr(known, name) for name in ("evaluated_exhaustive", "seconds_exhaustive")}
    return tuple(replace(effort, **cost) if effort.exhaustive_estimated else effort for effort in efforts)


def _seconds(n: int | None, stats: SearchStats) -> float | None:
    """Estimate the seconds for n evaluations from the speed of a search; None if n is unknown."""
    return None if n is None else n * stats.seconds / max(1, stats.evaluated)


def _same(one: Split, other: Split) -> bool:
    return not (better(one.loss, other.loss, 1e-9).any() or better(other.loss, one.loss, 1e-9).any())


# ---- the route of fit -----------------------------------------------------------------------------------


def _as_fit(task: _Task, max_depth: int | None) -> FitCost:
    """Grow a tree of the given depth as `fit` does, and return its cost."""
    growth = Growth(max_depth=max_depth, min_samples_leaf=task.least, time_limit=task.time_limit)
    population, began = task.population, now()
    if isinstance(task.grammar, Space):
        checked = task.grammar.grammar
    else:
        population = with_background(population, task.grammar, {})
        checked = task.grammar.check(population.schema)
    clock = Clock(task.time_limit)
    plan = plan_for(population, checked, growth, clock, criterion=task.criterion, reusable=False)
    told: list[Progress] = []
    tree = grow(population, task.labels, checked, growth, criterion=task.criterion, plan=plan, progress=told.append)
    cost = (plan.route, plan.why, told[-1].evaluated, now() - began, not tree.caveats)
    root = tree.nodes[0]
    return FitCost(*cost) if not isinstance(root, Branch) else FitCost(*cost, root.found.score, pretty(root.test))


# ---- in words -------------------------------------------------------------------------------------------


def summary(effort: Effort) -> str:
    """Return what a search cost, in one sentence.

    Examples
    --------
    >>> from structtree import Grammar, load_dataset
    >>> lenses = load_dataset("lenses")
    >>> (effort,) = compare_effort(lenses.population, lenses.target, Grammar.load("flat"), ["gini"])
    >>> print(summary(effort).partition(" in ")[0])
    By gini, 'tear_rate = normal' is proved the best of 40 tests after evaluating 14 of them (35 %)
    """
    known = "proved the best" if effort.split.proved else "the best found so far"
    of = "" if effort.space is None else f" of {number_text(effort.space, 'test')}"
    first = (
        f"By {effort.criterion}, {effort.predicate!r} is {known}{of} after evaluating {effort.evaluated:,} of them"
    )
    if effort.nodes > 1:
        first = f"By {effort.criterion}, the search evaluates {effort.evaluated:,}{of} at {effort.nodes} nodes"
    about = "about " if effort.exhaustive_estimated else ""
    share = "" if effort.percent is None else f" ({effort.percent:.3g} %)"
    sentence = f"{first}{share} in {seconds_text(effort.seconds)} s"
    if effort.seconds_exhaustive is not None:
        sentence += f"; without pruning it takes {about}{seconds_text(effort.seconds_exhaustive)} s"
    if effort.fit is not None:
        cost = f"evaluates {effort.fit.evaluated:,} in {seconds_text(effort.fit.seconds)} s"
        sentence += f"; fit, by the route {effort.fit.route!r}, {cost}"
    return f"{sentence}."


def why_equal(splits: Sequence[Split]) -> Iterator[str]:
    """Yield an explanation for each group of criteria whose searches of the same space have the same counts.

    Each bound is the value of its criterion where the yes branch keeps or drops every class as a whole. Few
    individuals have few such subsets, and criteria that rank them alike prune the same predicates.
    """
    groups: dict[tuple[Any, ...], list[Split]] = {}
    for split in splits:
        if split.stats.expanded:
            groups.setdefault(_course(split.stats), []).append(split)
    for group in groups.values():
        if len(group) > 1:
            stats, population = group[0].stats, group[0].problem.space.population
            names = enumerated([split.criterion for split in group])
            n = 0 if population is None else len(population)
            yield (
                f"{names} have the same counts because they prune the same predicates: each expands "
                f"{stats.expanded:,}, prunes {stats.pruned:,} and thus evaluates {stats.evaluated:,}. A bound is the "
                "value of the criterion if the yes branch keeps or drops each class as a whole; these criteria rank "
                f"such branches of {number_text(n, 'individual')} alike."
            )


def _course(stats: SearchStats) -> tuple[Any, ...]:
    """Return the counts of a search, by position and over time."""
    counts = (stats.evaluated, stats.expanded, stats.pruned, stats.duplicates)
    by_position = tuple((one.order, one.position, one.evaluated) for one in stats.passes)
    return (*counts, by_position, tuple(point.evaluated for point in stats.trace))


# ---- the nodes of a model -------------------------------------------------------------------------------


def node_spaces(known: Fitted, individuals: Population, prepared: Population) -> dict[int, int]:
    """Return the number of predicates that the grammar of a model derives at each branch.

    Parameters
    ----------
    known : Fitted
    individuals, prepared : Population
        The same individuals with all their members, and as prepared for the tests of the model.

    Returns
    -------
    dict from node to int
        Nodes of plain tables are excluded, since every test is tried there. Empty if no formula counts the space, or
        if the individuals lack a member that the grammar uses.
    """
    tree = known.model.tree
    has_links = len(tree.schema.types) > 1
    wanted = {i for i in tree.branches if has_links or _found_at(tree, i).pruned is not None}
    spaces = dict[int, int]()
    if not wanted:
        return spaces
    try:
        grammar = Grammar.parse(known.model.grammar.text)
        whole = with_background(individuals, grammar, known.functions or {})
        checked = grammar.check(whole.schema)
        for node, which in tree.arrivals(prepared):
            if node in wanted and len(which) and len(spaces) < MAX_SPACES:
                spaces[node] = count_space(Space.build(checked, whole.take(which)), most=0).size
    except StructtreeError:
        return {}
    return spaces


def _found_at(tree: Tree, index: int) -> Found:
    node = tree.nodes[index]
    assert not isinstance(node, Leaf)
    return node.found


# ---- a whole tree ---------------------------------------------------------------------------------------


def _of_tree(task: _Task, max_depth: int | None) -> Effort | None:
    """Return the total effort over all nodes of a tree; None if the root cannot be split."""
    efforts = list(_grow(task, max_depth))
    if not efforts:
        return None
    added = ("space", "evaluated", "evaluated_exhaustive", "seconds", "seconds_exhaustive")
    agree = [effort.agree for effort in efforts]
    return replace(
        efforts[0],
        **{name: _sum([getattr(effort, name) for effort in efforts]) for name in added},
        exhaustive_estimated=any(effort.exhaustive_estimated for effort in efforts),
        agree=False if False in agree else None if None in agree else True,
        proved=all(effort.proved for effort in efforts),
        by_node=tuple(efforts),
        interrupted=efforts[-1].interrupted,
        passes=_summed(one for effort in efforts for one in effort.passes),
    )


def _summed(passes: Iterable[Pass]) -> tuple[Pass, ...]:
    sums: dict[tuple[str, str], Pass] = {}
    for one in passes:
        key = (one.order, one.position)
        before = sums.get(key, Pass(*key, 0, 0.0))
        sums[key] = Pass(*key, before.evaluated + one.evaluated, before.seconds + one.seconds)
    return tuple(sums.values())


def _sum(numbers: Sequence[Any]) -> Any:
    return None if None in numbers else sum(numbers)


def _grow(task: _Task, max_depth: int | None) -> Iterator[Effort]:
    """Yield the effort at each node of a tree, grown until nodes are pure, too small, or at the maximum depth."""
    stack = [(np.arange(len(task.labels)), 0)]
    while stack:
        members, depth = stack.pop()
        own = task.labels[members]
        if (own == own[0]).all() or len(own) < 2 * task.least or depth == max_depth:
            continue
        part = task.population.take(members)
        effort = _of_node(replace(task, population=part, labels=own))
        inside = holds(effort.split.predicate, part)
        yield effort
        if effort.interrupted:
            return
        if inside.any() and not inside.all():
            stack += [(members[~inside], depth + 1), (members[inside], depth + 1)]
