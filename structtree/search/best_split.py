"""The best predicate of a space: branch and bound to prove it, a beam and a polish to find it.

Law: with and without pruning the loss is the same. Ties go to the shorter predicate, then to the one that is
generated first; unless the split is perfect: then something shorter is looked for only as long again as it took. The
k best are the k best of all meanings, where predicates that the same individuals satisfy have one meaning.
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
) -> Split:
    """Find the predicate of a grammar's space that splits a population best.

    Parameters
    ----------
    individuals : Population, or individuals in another form (see `structtree.data.readers.individuals`)
    target : array
        A class, or a number, for each individual; or a `Target`, which is checked and has criterion and weights.
    grammar : str, Path, Grammar, CheckedGrammar or Space
        What may be asked: its name, its file or its text, or a grammar; a Space keeps the values that it was built
        with.
    criterion : str or Criterion, optional
        ``"acc*"`` by default for classes, ``"mse"`` for real numbers; see `structtree.tasks.criteria`.
    prune : bool
        Whether bounds are used; without them the whole space is evaluated.
    strategy : {"auto", "best-first", "exhaustive", "beam"}
        ``best-first`` proves by the best bound, and finds by the best score in turns with it; ``exhaustive``
        evaluates the whole space; ``beam`` only finds, and proves nothing but what is perfect. ``auto`` is
        ``best-first`` at a single node; see `structtree.Growth` for whole trees.
    max_evaluations, time_limit : optional
        Budgets, in predicates and in seconds; what was found until then is returned, with the gap left.
    max_frontier : int
        How many predicates may wait to be expanded, at some 40 bytes each; beyond that the search goes on
        depth-first.
    min_samples_leaf : int
        The least number of individuals on either side.
    k : int
        How many splits to find: the best, and in its ``next_best`` those that follow. Predicates that the same
        individuals satisfy count once, as the shortest of them.
    sample_weight, class_weight : optional
        Weights of individuals, and of classes.
    beam_width : int
        How many predicates a beam keeps of each level.
    random_state : int
        Seeds the numbers by which equal sets of rows are recognised; the result does not depend on it.
    start : Predicate, or several, optional
        What is known of all individuals and may be refined further, beside what the grammar derives from
        ``top``: what ``exists cars (long)`` says of a car can then get a further condition on the same car.
    hints : sequence of Predicate
        What may be good, such as what was good for more individuals: the search looks near these first.
    progress : function, optional
        Called about once a second with the statistics and the best so far.
    clock : Clock, optional
        In place of `time_limit`, where this search is a part of something larger. When it is over, tests that are
        not prepared yet are skipped, and nothing is proved.

    Examples
    --------
    >>> from structtree import Grammar, load_dataset, pretty
    >>> trains = load_dataset("trains")
    >>> found = best_split(trains.population, trains.target, Grammar.load("trains"))
    >>> print(pretty(found.predicate), found.score, found.proved)
    exists cars (closed and not long) 0.9 True
    """
    _check_options(strategy, min_samples_leaf=min_samples_leaf, beam_width=beam_width, max_frontier=max_frontier, k=k)
    require(max_evaluations, Integral | None, "max_evaluations", "an int or None")
    require(time_limit, Real | None, "time_limit", "a number of seconds or None")
    with stoppable() as stop:
        time = clock or Clock(time_limit, stop)
        population = population_of(individuals)
        checked = _checked(population, target, criterion, sample_weight, class_weight)
        scorer, space = scorer_of(checked), _space(grammar, population, time)
        ordered, columns = promising_last(space, scorer, time)
        problem, budget = Problem(space, scorer, min_samples_leaf), Budget(max_evaluations, time, max_frontier)
        starts, pruning = _starts(ordered, start), prune and strategy != "exhaustive"
        search = Search(problem, ordered, columns, budget, pruning, progress, random_state, starts, tuple(hints), k)
        if strategy == "beam":
            search.run_beam(beam_width)
        else:
            search.run()
    split = search.result()
    return split if isinstance(target, Target) else split.in_plain_units(checked.units)


def _space(grammar: str | Path | Grammar | CheckedGrammar | Space, population: Population, limit: Limit) -> Space:
    """Return the space on the rows that individuals reach; what the grammar computes may be found by others, too."""
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
    """Refuse functions that nobody has called: a search takes none, and a space has called its own."""
    for function in functions:
        if population is not None and any(function.name in record.members for record in population.schema.types):
            continue
        raise UsageError(
            f"the individuals do not have {function.name!r}, which a function gives; build a space with it and "
            f"search there: space = Space.build(grammar, individuals, functions={{{function.name!r}: ...}}), then "
            "best_split(space.population, target, space)"
        )


def _starts(space: Space, start: syn.Predicate | Sequence[syn.Predicate] | None) -> tuple[Position, ...]:
    """Return the positions from which what is known can be refined further."""
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
            raise UsageError("a Target has its criterion and its weights; leave them out")
        return target
    if not len(population):
        raise DataError("the population has no individuals, so there is nothing to split")
    return splittable(target_for(target, len(population), criterion, sample_weight, class_weight))


def _check_options(strategy: str, **counts: int) -> None:
    if strategy not in get_args(Strategy):
        raise UsageError(f"strategy must be 'auto', 'best-first', 'exhaustive' or 'beam'; got {strategy!r}")
    for name, value in counts.items():
        require(value, Integral, name, "an int >= 1")
        if value < 1:
            raise UsageError(f"{name} must be an int >= 1; got {value}")
