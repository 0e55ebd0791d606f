"""Goals: the purpose of a tree sets the defaults of its options.

A goal sets the options that the user did not. The criterion, how leaves estimate, and how the size is chosen belong
together, and were chosen together, by measuring (`benchmarks/defaults.py`; docs/good-trees.md has the table and the
reasons). An option that is given counts: a limit of the size, or a way of pruning, leaves nothing to choose about it.

The size is chosen inside the training data: the tree is grown to its end, trees grown without a part of the
individuals are judged on that part, and of the prunings of the whole tree the smallest is taken that is about as good
as the best (`structtree.learn.pruning.choose_alpha`). A few individuals are not enough to evaluate on; then the tree
stays full. For ranking nothing is pruned, since that was measured to be better.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from structtree.models.records import Size
from structtree.models.settings import Decision, Goal, Growth, Pruning
from structtree.tasks.criteria import Criterion
from structtree.tasks.registry import as_task
from structtree.tasks.task import Task

__all__ = ["ENOUGH_TO_CHOOSE", "Settled", "goal_criterion", "settle"]

ENOUGH_TO_CHOOSE = 50
"""Minimum number of individuals for cross-validation: with fewer, a fold would have less than ten."""

FOR_TABLES = ("nominal", "missing", "average_gain_filter")
"""Growth options that only plain tables support."""

LIMITS = ("max_depth", "min_samples_split", "min_samples_leaf", "min_impurity_decrease", "max_leaf_nodes", "stop")
"""Growth options that limit the size of a tree."""


@dataclass(frozen=True, slots=True)
class Settled:
    """Learning options with all defaults resolved.

    Parameters
    ----------
    growth : Growth
    pruning : Pruning
    decision : Decision
    size : Size
    """

    growth: Growth
    pruning: Pruning
    decision: Decision
    size: Size


@dataclass(frozen=True, slots=True)
class _Preset:
    """Defaults of a goal: the probability estimate for classification, the pruning if any, and the cost tolerance."""

    decision: Decision
    classes: Pruning | None
    numbers: Pruning
    tolerance: float = 0.0


NEARLY_BEST = Pruning(alpha="cv", standard_errors=0.1)
CHEAPER = 0.05
SMALL = Pruning(alpha="cv", standard_errors=0.5, max_leaves=12)

# With m = 1 a leaf says its most frequent class, as without an estimate; of equals the one that is so overall.
# Ranks want many leaves, each drawn to those above it: what pruning saves in errors it loses in ties.
_PRESETS: Mapping[Goal, _Preset] = {
    "accuracy": _Preset(Decision("m-estimate", 1.0), NEARLY_BEST, NEARLY_BEST),
    "ranking": _Preset(Decision("m-branch", 20.0), None, NEARLY_BEST),
    "reading": _Preset(Decision("m-estimate", 1.0), SMALL, SMALL, CHEAPER),
}


def goal_criterion(goal: Goal, task: str | Task) -> Criterion:
    """Return the default criterion of a goal.

    Examples
    --------
    >>> [goal_criterion(goal, "classes").name for goal in ("accuracy", "ranking", "reading")]
    ['acc*', 'entropy', 'entropy']
    >>> goal_criterion("ranking", "numbers").name
    'mse'
    """
    return as_task(task).criterion_for(goal)


def settle(
    goal: Goal,
    grow: Literal["pruned", "full"],
    task: str | Task,
    n: int,
    growth: Growth,
    pruning: Pruning,
    decision: Decision,
) -> Settled:
    """Return the options for a tree of n individuals, with the goal's defaults for those that are not set.

    Examples
    --------
    >>> found = settle("reading", "pruned", "classes", 1000, Growth(), Pruning(), Decision())
    >>> found.pruning.method, found.decision.estimate, found.size.by
    ('cost-complexity', 'm-estimate', 'cross-validation')
    >>> str(settle("ranking", "pruned", "classes", 1000, Growth(max_depth=3), Pruning(), Decision()).size)
    'limited by max_depth'
    >>> str(settle("ranking", "pruned", "classes", 20, Growth(), Pruning(), Decision()).size)
    'full, because 20 individuals are too few for cross-validation'
    """
    preset, known = _PRESETS[goal], as_task(task)
    if known.predicts_classes and decision.estimate is None:
        decision = replace(preset.decision, costs=decision.costs)
    if growth.cost_tolerance is None and preset.tolerance and _may_prefer_cheaper(growth):
        growth = replace(growth, cost_tolerance=preset.tolerance)
    limits = [name for name in LIMITS if getattr(growth, name) != getattr(_NO_LIMITS, name)]
    limits += ["min_weight_fraction_leaf"] if pruning.min_weight_fraction else []
    size, least = Size(), _least_leaf(known, n)
    if pruning.leaves is not None:
        size = Size("leaves", str(pruning.leaves))
        growth = growth if limits else replace(growth, min_samples_leaf=least)
    elif pruning.method is not None:
        size = Size("pruning", pruning.method)
    elif limits:
        size = Size("limits", ", ".join(limits))
    elif grow == "pruned" and n < ENOUGH_TO_CHOOSE:
        size = Size("too few", str(n))
    elif grow == "pruned":
        chosen = preset.classes if known.predicts_classes else preset.numbers
        if chosen is None:
            growth = replace(growth, max_depth=8, min_samples_leaf=5 if n < 1000 else 10)
            size = Size("ranking", "8")
        else:
            pruning, growth = chosen, replace(growth, min_samples_leaf=least)
            size = Size("cross-validation")
    return Settled(growth, pruning, decision, size)


def _may_prefer_cheaper(growth: Growth) -> bool:
    """Return whether the other options allow a cost tolerance, so that it may be a default."""
    is_usual = all(getattr(growth, name) == getattr(_NO_LIMITS, name) for name in FOR_TABLES)
    return is_usual and growth.strategy != "bottom-up"


def _least_leaf(task: Task, n: int) -> int:
    """Return the minimum samples per leaf if the size is chosen; smaller leaves are usually pruned and cost time.

    It is larger for regression, because the mean of a few numbers is unreliable.

    Examples
    --------
    >>> [_least_leaf(as_task("classes"), n) for n in (100, 4_000, 1_000_000)]
    [1, 4, 10]
    >>> [_least_leaf(as_task("numbers"), n) for n in (100, 500, 1_000_000)]
    [1, 5, 10]
    """
    return min(10, max(1, n // task.individuals_per_leaf))


_NO_LIMITS = Growth()
