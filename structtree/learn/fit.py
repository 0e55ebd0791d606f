"""From data to a model in one call: grow a tree, prune it if asked, and keep what is needed to use it.

`structtree.learn.grow` and `structtree.learn.prune` do the work. Here it is decided which individuals each of them
gets to see, and how they share the time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from structtree.arrays import Ints
from structtree.data.columns import Population
from structtree.errors import DataError, UsageError
from structtree.interrupts import cut_short, stoppable
from structtree.lang.check import CheckedGrammar
from structtree.lang.default import default_grammar
from structtree.lang.grammar import Grammar
from structtree.learn.grow import Progress, grow_by
from structtree.learn.growth import MAJORITY, Decision, Growth, Pruning
from structtree.learn.model import Call, Model
from structtree.learn.plan import Plan, plan_for
from structtree.learn.prune import choose_alpha, cost_complexity, pessimistic, reduced_error
from structtree.learn.tree import Leaf, Tree, subtree
from structtree.search.clock import Clock
from structtree.search.criteria import Criterion
from structtree.search.target import Target, room, target_for
from structtree.space.functions import with_functions

__all__ = ["fit"]


FOLDS = 5
"""Number of trees that are grown to choose alpha by cross-validation."""


#: The tree stays as it is grown.
NO_PRUNING = Pruning()


def fit(
    population: Population,
    target: ArrayLike,
    grammar: Grammar | None = None,
    growth: Growth | None = None,
    pruning: Pruning = NO_PRUNING,
    decision: Decision = MAJORITY,
    *,
    criterion: str | Criterion | None = None,
    sample_weight: ArrayLike | None = None,
    class_weight: Mapping[Any, float] | None = None,
    classes: Sequence[Any] | None = None,
    priors: Mapping[Any, float] | None = None,
    functions: Mapping[str, Call] | None = None,
    target_name: str | None = None,
    progress: Callable[[Progress], None] | None = None,
    clock: Clock | None = None,
) -> Model:
    """Learn a model from a population.

    Parameters
    ----------
    population : Population
    target : array
        A class, or a number, for each individual.
    grammar : Grammar, optional
        What may be asked; when it is not given, what `structtree.default_grammar` decides from all individuals.
    growth : Growth, optional
        When to stop, and how to search. Its ``time_limit`` is for all that is grown here.
    pruning : Pruning
    decision : Decision
        How leaves say a class; its costs also count in pruning.
    criterion, sample_weight, class_weight, classes
        As of `structtree.learn.grow.grow`.
    priors : mapping from class to float, optional
        What shares the classes have where the model will be used; the training data weighs as if it had them. Class
        weights come on top.
    functions : mapping from name to function, optional
        For each ``function`` of the grammar.
    target_name : str, optional
        What the target is called.
    progress : function, optional
        Told how far each tree has grown.
    clock : Clock, optional
        In place of the ``time_limit``, where reading the data counts as well.

    Examples
    --------
    >>> from structtree import load_dataset, pretty
    >>> trains = load_dataset("trains")
    >>> model = fit(trains.population, trains.target, Grammar.load("trains"), Growth(max_depth=1))
    >>> pretty(model.tree.nodes[0].test)
    'exists cars (closed and not long)'
    >>> model.predict(trains.population)[:3].tolist()
    ['east', 'east', 'east']
    """
    options = growth or Growth()
    checked = target_for(target, len(population), criterion, sample_weight, class_weight, classes, priors)
    labels = np.asarray(target)
    if not checked.weights.all():  # nothing should depend on those who have no weight
        which = np.flatnonzero(checked.weights)
        population, checked, labels = population.take(which), checked.take(which), labels[which]
    allowed = grammar or default_grammar(population)
    if target_name is not None:
        allowed = allowed.omitting({target_name: "the target"}, population.schema)
    whole = with_functions(population, allowed, functions or {})
    _check_task(decision, pruning, checked.classes)
    watch = _Watch(progress)
    with stoppable() as stop:
        time = clock or Clock(options.time_limit, stop)
        meant = allowed.check(whole.schema)
        job = _Job(whole, labels, checked, meant, options, pruning, decision, watch, time)
        tree = job.run()
    stopped_by = "interrupt" if time.over() == "interrupt" else watch.stopped_by
    params = {
        "criterion": checked.criterion.name,
        "growth": asdict(options),
        "pruning": asdict(pruning),
        "grammar": str(allowed),
        "grammar_origin": allowed.origin,
        "grammar_notes": list(allowed.notes),
        "route": watch.why,
        "stopped_by": stopped_by,
    }
    return Model(tree, decision, target_name, params, functions=tuple(meant.functions.values()))


def _check_task(decision: Decision, pruning: Pruning, classes: tuple[Any, ...]) -> None:
    """Refuse, before anything is grown, what does not fit the target."""
    if pruning.method == "pessimistic" and not classes:
        raise UsageError("pessimistic pruning is for classes; prune by 'cost-complexity' or 'reduced-error'")
    if decision.costs is not None and len(decision.costs) != len(classes):
        of = f"each of the {len(classes)} classes {list(classes)}" if classes else "each class, and numbers have none"
        raise UsageError(f"costs must have one row and one column for {of}; got {len(decision.costs)} rows")


@dataclass(slots=True, eq=False)
class _Watch:
    """Passes progress on, and keeps in mind what was planned, and what ended a growth before it was done."""

    listener: Callable[[Progress], None] | None
    stopped_by: str | None = None
    why: str | None = None
    plan: Plan | None = None

    def __call__(self, progress: Progress) -> None:
        self.stopped_by = progress.stopped_by or self.stopped_by
        if self.listener is not None:
            self.listener(progress)


@dataclass(frozen=True, slots=True, eq=False)
class _Job:
    """Data and options from which trees are grown, and the time for that."""

    population: Population
    target: NDArray[Any]
    checked: Target
    grammar: CheckedGrammar
    growth: Growth
    pruning: Pruning
    decision: Decision
    watch: _Watch
    clock: Clock

    def run(self) -> Tree:
        """The tree, pruned as it should be."""
        match self.pruning.method:
            case None:
                return self._grown()
            case "pessimistic":
                confidence = self.pruning.confidence
                return self._unless_stopped(self._grown(), lambda tree: pessimistic(tree, confidence))
            case "reduced-error":
                return self._pruned_by_held_out(self.pruning.validation_fraction)
            case "cost-complexity":
                return self._pruned_by_cost(self.pruning.alpha)

    def _grown(self, which: Ints | None = None, n_waiting: int = 1) -> Tree:
        """A tree of some individuals, in its share of the time that is left: so many wait for it, this one too."""
        population, checked, plan = self.population, self.checked, self.watch.plan
        if which is not None and plan is not None and plan.is_for_parts:
            inside = np.isin(np.arange(len(population)), which)
            checked = replace(checked, weights=np.where(inside, checked.weights, 0.0))
        elif which is not None:
            population, checked, plan = population.take(which), checked.take(which), None
        clock = self.clock.part(self.clock.left() / n_waiting)
        with cut_short(clock.stop):
            if clock.over() != "interrupt":
                plan = plan or self._plan(population, clock, reusable=which is None and n_waiting > 1)
                tree = grow_by(checked, population, self.grammar, self.growth, self.watch, clock, plan)
                return _with_weighty_leaves(tree, self.pruning.min_weight_fraction)
        return _one_leaf(population, checked)

    def _plan(self, population: Population, clock: Clock, *, reusable: bool) -> Plan:
        criterion = self.checked.criterion
        plan = plan_for(population, self.grammar, self.growth, clock, criterion=criterion, reusable=reusable)
        self.watch.why, self.watch.plan = plan.why, plan if reusable else None
        return plan

    def _unless_stopped(self, tree: Tree, prune: Callable[[Tree], Tree]) -> Tree:
        """The tree after pruning, or as it is if Ctrl-C leaves no time for that."""
        with cut_short(self.clock.stop):
            return prune(tree)
        return tree

    def _pruned_by_cost(self, alpha: float | Literal["cv"] | None) -> Tree:
        folds = min(FOLDS, len(self.population)) if alpha is None or alpha == "cv" else 1

        def pruned(tree: Tree) -> Tree:
            chosen = self._chosen_alpha(tree, folds) if alpha is None or alpha == "cv" else alpha
            return cost_complexity(tree, chosen, decision=self.decision)

        return self._unless_stopped(self._grown(n_waiting=folds), pruned)

    def _chosen_alpha(self, tree: Tree, folds: int) -> float:
        if folds < 2 or len(tree.nodes) == 1 or self.clock.over() == "interrupt":
            return 0.0
        n_waiting = iter(range(folds, 0, -1))
        alpha = choose_alpha(
            lambda train: self._grown(train, next(n_waiting)),
            tree,
            self.population,
            self.target,
            folds=folds,
            seed=self.growth.random_state,
            decision=self.decision,
            sample_weight=self.checked.weights,
        )
        # Trees that were not grown to their end say nothing about where to cut.
        return 0.0 if self.clock.over() == "interrupt" else alpha

    def _pruned_by_held_out(self, share: float) -> Tree:
        n = len(self.population)
        strata = self.checked.values if self.checked.classes else np.zeros(n)
        held = _held_out(strata, share, self.growth.random_state)
        if not held.any() or held.all():
            raise DataError(f"{n} individuals are too few to hold out a share of {share} of them")
        tree, others = self._grown(np.flatnonzero(~held)), np.flatnonzero(held)
        return self._unless_stopped(
            tree,
            lambda tree: reduced_error(
                tree, self.population.take(others), self.target[others], self.checked.weights[others], self.decision
            ),
        )


def _one_leaf(population: Population, checked: Target) -> Tree:
    """The tree of which Ctrl-C has left nothing but its root."""
    stats = checked.stats(np.flatnonzero(checked.weights))
    return Tree((Leaf(stats, room(checked.criterion, stats), "interrupt"),), population.schema, checked.classes)


def _with_weighty_leaves(tree: Tree, fraction: float) -> Tree:
    """The tree without the branches that leave too little weight on a side."""
    if not fraction:
        return tree
    least = fraction * tree.nodes[0].stats.weight
    weighty = (i for i in tree.branches if all(tree.nodes[c].stats.weight >= least for c in tree.nodes[i].children))
    return subtree(tree, frozenset(weighty))


def _held_out(strata: NDArray[Any], share: float, seed: int) -> NDArray[np.bool_]:
    """A random choice with about that share of every stratum: every so many-th, when they are sorted by stratum."""
    n = len(strata)
    order = np.lexsort((np.random.default_rng(seed).permutation(n), strata))
    held = np.zeros(n, dtype=np.bool_)
    held[order] = np.diff(np.floor(np.arange(n + 1) * share + 0.5)) > 0
    return held
