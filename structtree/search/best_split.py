"""The search for the best predicate of a space, by branch and bound with a heuristic that finds good ones early.

Law: the loss is the same with and without pruning. Ties go to the shorter predicate, then to the one generated first.
After a perfect split, the search for a shorter one is limited to twice the work so far. Among the k best predicates,
no two select the same individuals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Literal, get_args

from numpy.typing import ArrayLike

from structtree.data.population import Population
from structtree.data.reachable import compact
from structtree.data.readers.individuals import population_of
from structtree.errors import DataError, UsageError, require
from structtree.interrupts import Limit, stoppable
from structtree.lang import syntax as syn
from structtree.lang.check import CheckedGrammar
from structtree.lang.grammar import Grammar, grammar_from
from structtree.search.clock import Clock
from structtree.search.columns import SpaceColumns
from structtree.search.effort import EFFORTS, EffortLevel, Patience
from structtree.search.engine import Budget, Search
from structtree.search.order import promising_last
from structtree.search.results import Problem, SearchStats, Split
from structtree.search.scorers import scorer_of, splittable
from structtree.space.background import with_background, with_computed
from structtree.space.space import Position, Space
from structtree.tasks.criteria import Criterion
from structtree.tasks.target import Target, target_for

__all__ = ["SearchStats", "Split", "Strategy", "best_split"]

Strategy = Literal["auto", "best-first", "exhaustive", "beam"]


def best_split(
    individuals: Any,
    target: ArrayLike | Target,
    grammar: str | Path | Grammar | CheckedGrammar | Space,
    *,
    criterion: str | Criterion | None = None,
    prune: bool = True,
    strategy: Strategy = "auto",
    max_evaluations: int | None = None,
    time_limit: float | None = None,
    max_frontier: int = 5_000_000,
    min_samples_leaf: int = 1,
    k: int = 1,
    sample_weight: ArrayLike | None = None,
    class_weight: dict[Any, float] | None = None,
    beam_width: int = 10,
    random_state: int = 0,
    start: syn.Predicate | Sequence[syn.Predicate] | None = None,
    hints: Sequence[syn.Predicate] = (),
    progress: Callable[[SearchStats, Split | None], None] | None = None,
    clock: Clock | None = None,
    effort: EffortLevel | Patience = "prove",
    cost_tolerance: float = 0.0,
) -> Split:
    """Find the best split of a population in the space of a grammar.

    Parameters
    ----------
    individuals : Population, or individuals in another form (see `structtree.data.readers.individuals`)
    target : array
        A class or a number for each individual; or a `Target`, which already has a criterion and weights.
    grammar : str, Path, Grammar, CheckedGrammar or Space
        The grammar, its name, file or text; a Space keeps the values that it was built with.
    criterion : str or Criterion, optional
        By default ``"acc*"`` for classification and ``"mse"`` for regression; see `structtree.tasks.criteria`.
    prune : bool
        Whether to prune with bounds; otherwise the whole space is evaluated.
    strategy : {"auto", "best-first", "exhaustive", "beam"}
        ``best-first`` alternates between the predicate with the best bound and a heuristic search; ``exhaustive``
        evaluates the whole space; ``beam`` is the heuristic alone, which only proves perfect splits best. ``auto``
        is ``best-first`` for a single node; see `structtree.Growth` for whole trees.
    max_evaluations, time_limit : optional
        Maximum number of predicates and of seconds; then the best split so far is returned, with its gap.
    max_frontier : int
        Maximum number of predicates in the frontier, about 40 bytes each; beyond it the search is depth-first.
    min_samples_leaf : int
        Minimum samples per leaf.
    k : int
        Number of splits to find: the best, and the others in its ``next_best``. Of several predicates that select
        the same individuals, only the shortest counts.
    sample_weight, class_weight : optional
        Weights of individuals and of classes.
    beam_width : int
        Number of predicates that a beam keeps per level.
    random_state : int
        Seed of the hashes that identify equal sets of rows; the result does not depend on it.
    start : Predicate, or several, optional
        Predicates that all individuals satisfy and that may be refined, in addition to ``top``: ``exists cars
        (long)`` can then get another condition on the same car.
    hints : sequence of Predicate
        Predicates for a warm start, such as good splits of a larger population; the search starts near them.
    progress : function, optional
        Called about once per second with the statistics and the best split so far.
    clock : Clock, optional
        Instead of `time_limit`, for a search within a larger computation. When it is over, tests that are not
        prepared yet are skipped, and nothing is proved.
    effort : {"quick", "normal", "thorough", "prove"} or Patience
        When to stop without a proof; see `structtree.search.effort`. It depends on the work done, not on time.
    cost_tolerance : float
        Fraction of the best gain that may be given up for a lower cost. Of all splits that gain at least the rest,
        the cheapest is returned, of equally cheap ones the best. With 0 the grammar's costs are ignored.

    Examples
    --------
    >>> from structtree import Grammar, load_dataset, pretty
    >>> trains = load_dataset("trains")
    >>> found = best_split(trains.population, trains.target, Grammar.load("trains"))
    >>> print(pretty(found.predicate), found.score, found.proved)
    exists cars (closed and not long) 0.9 True
    """
    _check_options(
        strategy, effort, min_samples_leaf=min_samples_leaf, beam_width=beam_width, max_frontier=max_frontier, k=k
    )
    _check_tolerance(cost_tolerance, k)
    require(max_evaluations, Integral | None, "max_evaluations", "an int or None")
    require(time_limit, Real | None, "time_limit", "a number of seconds or None")
    with stoppable() as stop:
        time = clock or Clock(time_limit, stop)
        population = population_of(individuals)
        checked = _checked(population, target, criterion, sample_weight, class_weight)
        scorer, space = scorer_of(checked), _space(grammar, population, time)
        patience = _patience(effort, len(population))
        if patience is not None and patience.is_small:
            ordered, columns = space, SpaceColumns(space, limit=time)  # ordering takes longer than the search
        else:
            ordered, columns = promising_last(space, scorer, time)
        problem = Problem(space, scorer, min_samples_leaf, cost_tolerance)
        budget = Budget(max_evaluations, time, max_frontier, patience)
        starts, pruning = _starts(ordered, start), prune and strategy != "exhaustive"
        search = Search(problem, ordered, columns, budget, pruning, progress, random_state, starts, tuple(hints), k)
        if strategy == "beam":
            search.run_beam(beam_width)
        else:
            search.run()
    split = search.result()
    return split if isinstance(target, Target) else split.in_plain_units(checked.units)


def _patience(effort: EffortLevel | Patience, n: int) -> Patience | None:
    """Return the limits of an effort for n individuals."""
    if isinstance(effort, Patience):
        return effort
    limits = EFFORTS[effort]
    return None if limits is None else limits.of(1.0, n)


def _space(grammar: str | Path | Grammar | CheckedGrammar | Space, population: Population, limit: Limit) -> Space:
    """Return the space on the rows that the individuals reach, with the attributes that the grammar computes."""
    if isinstance(grammar, Space):
        _refuse_lacking(grammar.grammar.functions.values(), population)
        return replace(grammar, population=compact(with_computed(population, grammar.grammar.background)))
    if not isinstance(grammar, CheckedGrammar):
        grammar = grammar_from(grammar)
        _refuse_lacking(grammar.syntax.functions, None)
        population = with_background(population, grammar, {})
        grammar = grammar.check(population.schema)
    return Space.build(grammar, compact(with_computed(population, grammar.background)), limit=limit)


def _refuse_lacking(functions: Iterable[syn.Function], population: Population | None) -> None:
    """Raise `UsageError` for functions of the grammar that have not been applied; a search takes none."""
    for function in functions:
        if population is not None and any(function.name in record.members for record in population.schema.types):
            continue
        raise UsageError(
            f"the individuals have no {function.name!r}, which a function computes; build a space with it and "
            f"search there: space = Space.build(grammar, individuals, functions={{{function.name!r}: ...}}), then "
            "best_split(space.population, target, space)"
        )


def _starts(space: Space, start: syn.Predicate | Sequence[syn.Predicate] | None) -> tuple[Position, ...]:
    """Return the positions of predicates that may be refined."""
    known = start if isinstance(start, Sequence) and not isinstance(start, str) else () if start is None else (start,)
    for each in known:
        require(each, syn.Predicate, "start", "a predicate, or several; read text with parse_predicate")
    return tuple(position for each in known for position in space.reopened(each))


def _checked(
    population: Population,
    target: ArrayLike | Target,
    criterion: str | Criterion | None,
    sample_weight: ArrayLike | None,
    class_weight: dict[Any, float] | None,
) -> Target:
    if isinstance(target, Target):
        if criterion is not None or sample_weight is not None or class_weight is not None:
            raise UsageError("a Target already has a criterion and weights; do not pass them as well")
        return target
    if not len(population):
        raise DataError("expected at least one individual, got an empty population")
    return splittable(target_for(target, len(population), criterion, sample_weight, class_weight))


def _check_options(strategy: str, effort: str | Patience, **counts: int) -> None:
    if strategy not in get_args(Strategy):
        raise UsageError(f"strategy must be 'auto', 'best-first', 'exhaustive' or 'beam'; got {strategy!r}")
    if not isinstance(effort, Patience) and effort not in EFFORTS:
        raise UsageError(f"effort must be 'quick', 'normal', 'thorough' or 'prove'; got {effort!r}")
    for name, value in counts.items():
        require(value, Integral, name, "an int >= 1")
        if value < 1:
            raise UsageError(f"{name} must be an int >= 1; got {value}")


def _check_tolerance(tolerance: float, k: int) -> None:
    require(tolerance, Real, "cost_tolerance", "a number")
    if not 0 <= tolerance < 1:
        raise UsageError(f"cost_tolerance must be a number from 0 to less than 1; got {tolerance!r}")
    if tolerance and k > 1:
        raise UsageError(
            f"cost_tolerance chooses a single split, so it cannot be combined with k={k}; use one of them"
        )
