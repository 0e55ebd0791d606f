"""Comparison of the search effort with and without pruning, for each criterion.

Without pruning, the whole space is evaluated. That search is measured if it fits in the time limit; otherwise its
duration is estimated from the size of the space and the measured speed, and marked as an estimate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
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
from structtree.models.model import Fitted
from structtree.models.tree import Found, Leaf, Tree
from structtree.progress import report_status
from structtree.reprs import short_repr
from structtree.search.best_split import SearchStats, Split, best_split
from structtree.search.results import Pass, TracePoint
from structtree.search.scorers import scorer_for
from structtree.space.background import with_background
from structtree.space.count import count_space
from structtree.space.evaluate import holds
from structtree.space.space import Space
from structtree.tasks.criteria import Criterion, better, criterion

__all__ = ["Effort", "compare_effort", "node_spaces"]

EffortProgress = Callable[[str, str, SearchStats], None]

EXHAUSTIVE_LIMIT = 10.0
"""Default time limit for a search without pruning, in seconds."""

HOPE = 4.0
"""A measurement is tried if the estimate is below this multiple of the limit: short searches look slow."""

MAX_SPACES = 100
"""Maximum number of nodes of a model whose space is counted."""

WARM = 1_000
"""Evaluations of a warm-up search, after which all kernels are compiled."""


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
        return {key: getattr(self, key) for key in (*keys, *more)} | {"passes": passes, "trace": trace} | by_node


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
    """Compare searches with and without pruning for each criterion.

    Parameters
    ----------
    individuals, target, grammar, min_samples_leaf
        As for `best_split`.
    criteria : sequence of str or Criterion, optional
        All criteria that apply to the target by default.
    time_limit : float, optional
        Time limit for each search with pruning, in seconds.
    exhaustive_limit : float
        Approximate time limit per criterion for searches without pruning; longer searches are estimated.
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
    with stoppable() as stop, interruptible(stop):
        for each in chosen:
            task = _Task(population, labels, searched, each, time_limit, exhaustive_limit, min_samples_leaf, progress)
            if not _warm_up(task):
                break
            effort = _of_tree(task, max_depth) if whole_tree else None
            effort = effort or _of_node(task)
            efforts.append(effort)
            if effort.interrupted or stop.pressed:
                break
    if not efforts:
        raise KeyboardInterrupt  # no result yet
    return tuple(efforts) if whole_tree else _with_known_counts(efforts)


@dataclass(frozen=True, slots=True, eq=False)
class _Task:
    """Search problem: the data of a node, a grammar and a criterion."""

    population: Population
    labels: NDArray[Any]
    grammar: Grammar | Space
    criterion: Criterion
    time_limit: float | None
    exhaustive_limit: float
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
    limit, found = task.exhaustive_limit, effort.split
    if not limit or (effort.seconds_exhaustive or 0.0) > HOPE * limit:
        return effort
    whole = task.search(strategy="exhaustive", time_limit=limit)
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
    """Replace estimated counts with a measured one, which is the same for all criteria without pruning."""
    known = [effort.evaluated_exhaustive for effort in efforts if not effort.exhaustive_estimated]
    return tuple(
        replace(effort, evaluated_exhaustive=known[0], seconds_exhaustive=_seconds(known[0], effort.split.stats))
        if known and known[0] and effort.exhaustive_estimated
        else effort
        for effort in efforts
    )


def _seconds(n: int | None, stats: SearchStats) -> float | None:
    """Estimate the seconds for n evaluations from the speed of a search; None if n is unknown."""
    return None if n is None else n * stats.seconds / max(1, stats.evaluated)


def _same(one: Split, other: Split) -> bool:
    return not (better(one.loss, other.loss, 1e-9).any() or better(other.loss, one.loss, 1e-9).any())


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
        for node, which in tree.arrivals(prepared):
            if node in wanted and len(which) and len(spaces) < MAX_SPACES:
                spaces[node] = count_space(Space.build(grammar, whole.take(which)), most=0).size
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
    left = task.exhaustive_limit
    while stack:
        members, depth = stack.pop()
        own = task.labels[members]
        if (own == own[0]).all() or len(own) < 2 * task.least or depth == max_depth:
            continue
        part = task.population.take(members)
        effort = _of_node(replace(task, population=part, labels=own, exhaustive_limit=max(0.0, left)))
        if not effort.exhaustive_estimated:
            left -= effort.seconds_exhaustive or 0.0
        inside = holds(effort.split.predicate, part)
        yield effort
        if effort.interrupted:
            return
        if inside.any() and not inside.all():
            stack += [(members[~inside], depth + 1), (members[inside], depth + 1)]
