"""Growth of one tree: check the labels, make a plan, and run the builder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from structtree.data.population import Population
from structtree.data.reachable import compact
from structtree.data.readers.individuals import population_of
from structtree.errors import UsageError, require
from structtree.interrupts import stoppable
from structtree.lang import syntax as syn
from structtree.lang.check import CheckedGrammar
from structtree.lang.grammar import Grammar, grammar_from
from structtree.learn.builder import Price, Progress
from structtree.learn.plan import Plan, plan_for
from structtree.learn.stopping import literals_offered, predicate_bits
from structtree.models.settings import Growth
from structtree.models.tree import Leaf, Node, Tree
from structtree.options import merge_options, refuse_unknown
from structtree.search.clock import Clock
from structtree.space.background import with_background
from structtree.space.space import Space
from structtree.splitters.sampling import ColumnSampler
from structtree.splitters.splitter import SideValues
from structtree.tasks.classification import ClassWeight
from structtree.tasks.criteria import Criterion
from structtree.tasks.statistics import Units
from structtree.tasks.target import Target, target_for
from structtree.tasks.task import Task

if TYPE_CHECKING:
    from structtree.learn.parameters import GrowthOptions

__all__ = ["Progress", "grow", "grow_by", "in_plain_units", "with_weight"]


def grow(
    individuals: Any,
    target: ArrayLike,
    grammar: str | Path | Grammar | CheckedGrammar,
    growth: Growth | None = None,
    *,
    criterion: str | Criterion | None = None,
    sample_weight: ArrayLike | None = None,
    class_weight: ClassWeight | None = None,
    classes: Sequence[Any] | None = None,
    task: str | Task | None = None,
    plan: Plan | None = None,
    progress: Callable[[Progress], None] | None = None,
    **options: Unpack[GrowthOptions],
) -> Tree:
    """Grow a tree that predicts the target of individuals.

    Parameters
    ----------
    individuals : Population, or individuals in another form (see `structtree.data.readers.individuals`)
    target : array
        A class, or a number, for each individual.
    grammar : str, Path, Grammar or CheckedGrammar
        The grammar of the tests: its name, its file, its text, or a grammar object.
    growth : Growth, optional
        When to stop, and how to search.
    criterion : str or Criterion, optional
        ``"acc*"`` by default for classes, ``"mse"`` for real numbers; see `structtree.tasks.criteria`.
    sample_weight, class_weight : optional
        Weights of individuals, and of classes. Individuals with weight 0 are ignored; ``"balanced"`` gives classes
        the same total weight.
    classes : sequence, optional
        The classes in order, if the training data may lack some of them; sorted by default.
    task : str or Task, optional
        What is predicted: ``"classes"``, ``"numbers"``, or another task; see `structtree.tasks.task`. By default it
        follows from the criterion, or else from the labels.
    plan : Plan, optional
        A plan of `structtree.learn.plan.plan_for` for this population and grammar, to be reused.
    progress : function, optional
        Called when a node is done, about once a second during a search, and at the end.
    **options
        Fields of `Growth`, such as ``max_depth=3``; each is given once, here or in ``growth``.

    Returns
    -------
    Tree
        A single leaf if all labels are identical. After Ctrl-C, the tree grown so far.

    Examples
    --------
    >>> from structtree import load_dataset, pretty
    >>> trains = load_dataset("trains")
    >>> tree = grow(trains.population, trains.target, Grammar.load("trains"), Growth(max_depth=1))
    >>> print(pretty(tree.nodes[0].test), [leaf.stats.counts for leaf in tree.nodes[1:]])
    exists cars (closed and not long) [(8.0, 0.0), (2.0, 10.0)]
    """
    require(growth, Growth | None, "growth", "a Growth or None")
    refuse_unknown(options, grow, Growth)
    chosen = merge_options(Growth, growth, options)
    grammar = grammar if isinstance(grammar, CheckedGrammar) else grammar_from(grammar)
    population = population_of(individuals)
    checked = target_for(target, len(population), criterion, sample_weight, class_weight, classes, task=task)
    if isinstance(grammar, Grammar):
        population = with_background(population, grammar, {})
        grammar = grammar.check(population.schema)
    counted = checked.counted()
    tree = grow_by(counted, population, grammar, chosen, progress, plan=plan)
    return in_plain_units(tree, counted.units)


def grow_by(
    target: Target,
    population: Population,
    grammar: CheckedGrammar,
    growth: Growth,
    progress: Callable[[Progress], None] | None = None,
    clock: Clock | None = None,
    plan: Plan | None = None,
    sampler: ColumnSampler | None = None,
) -> Tree:
    """Grow a tree for a checked target; its node statistics are in the units of the target.

    With a clock its time is that of the tree, and not the limit of the options. With a sampler each node searches
    only the columns that it draws.
    """
    _check_criterion(target.criterion, growth)
    with stoppable() as stop:
        time = clock or Clock(growth.time_limit, stop)
        if plan is None:
            population, _, target = with_weight(population, target.values, target)
            plan = plan_for(population, grammar, growth, time, criterion=target.criterion, reusable=False)
        plan.check(growth, target.criterion)
        unit = target.units.unit
        if unit != 1.0:  # numbers are counted in units that suit them, and so is the least decrease of their impurity
            growth = replace(growth, min_impurity_decrease=growth.min_impurity_decrease / unit / unit)
        with closing(plan.splitter(target, growth, time, sampler)) as splitter:
            builder = plan.builder(splitter, growth, time, _price(plan), progress)
            nodes = builder.build()
    return Tree(nodes, plan.schema, target.classes, growth.missing, target.lightest, target.task)


def in_plain_units(tree: Tree, units: Units) -> Tree:
    """Convert the node statistics of a tree from the units of the target to the original units."""
    if units.are_plain:
        return tree
    nodes = tuple(_in_plain_units(node, tree.task, units) for node in tree.nodes)
    return replace(tree, nodes=nodes, lightest=tree.lightest * units.weight)


def _in_plain_units(node: Node, task: Task, units: Units) -> Node:
    stats = task.in_plain_units(node.stats, units)
    if isinstance(node, Leaf):
        return replace(node, stats=stats, gap=units.square(node.gap))
    score, gain, gap = (units.square(figure) for figure in (node.found.score, node.found.gain, node.found.gap))
    trace = tuple(point.in_plain_units(units) for point in node.found.trace)
    return replace(node, stats=stats, found=replace(node.found, score=score, gain=gain, gap=gap, trace=trace))


def with_weight(
    population: Population, labels: NDArray[Any], target: Target
) -> tuple[Population, NDArray[Any], Target]:
    """Return the individuals with positive weight, because the others must not affect the tree."""
    if target.weights.all():
        return population, labels, target
    which = np.flatnonzero(target.weights)
    return population.take(which), labels[which], target.take(which)


def _price(plan: Plan) -> Price:
    """Return a function that computes the description length of a test at a node, in bits."""

    def price(test: syn.Predicate | SideValues, rows: NDArray[Any]) -> float:
        space = Space.build(plan.grammar, compact(plan.population.take(rows)))
        literal = syn.Compare(test.attribute, "=", test.values[0]) if isinstance(test, SideValues) else test
        return predicate_bits(literal, literals_offered(space))

    return price


def _check_criterion(criterion: Criterion, growth: Growth) -> None:
    if growth.average_gain_filter and criterion.name != "gain-ratio":
        raise UsageError(f"average_gain_filter requires the criterion 'gain-ratio'; got {criterion.name!r}")
    if growth.nominal == "multiway" and not criterion.is_multiway:
        raise UsageError(
            f"criterion {criterion.name!r} needs binary splits; use nominal='subset' or 'binary', not 'multiway'"
        )
