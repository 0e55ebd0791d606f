"""From data to a model in one call: grow a tree, prune it if asked, and keep what is needed to use it.

`structtree.learn.growing` and `structtree.learn.pruning` do the work. Here it is decided which individuals each of
them gets to see, and how they share the time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from structtree.arrays import TOLERANCE, Ints
from structtree.data.labels import Unlabelled
from structtree.data.layouts import SourceLayout
from structtree.data.population import Population
from structtree.errors import DataError, UsageError, require
from structtree.interrupts import interruptible, stoppable
from structtree.lang.check import CheckedGrammar
from structtree.lang.grammar import Grammar
from structtree.learn.boosting_fit import fit_boosting
from structtree.learn.forest_fit import fit_forest, forest_criterion
from structtree.learn.forests import GrownForest
from structtree.learn.goals import Settled, goal_criterion, settle
from structtree.learn.growing import Progress, grow_by, in_plain_units
from structtree.learn.held_out import held_out
from structtree.learn.learning_set import LearningSet, learning_set, with_requirements
from structtree.learn.plan import Plan, plan_for
from structtree.learn.pruning import Alpha, choose_alpha, cost_complexity, pessimistic, pruning_path, reduced_error
from structtree.learn.rule_lists import builder_of, least_support, rule_criterion, usual_measures
from structtree.learn.rule_sets import fit_rule_set
from structtree.models.applying import Call
from structtree.models.model import Model
from structtree.models.records import GrammarRecord, RouteRecord, SearchOutcome, Settings, Size, SizeCurve
from structtree.models.settings import (
    IN_ENSEMBLES,
    Boosting,
    Decision,
    Forest,
    Goal,
    Growth,
    ModelChoice,
    ModelKind,
    Objective,
    Pruning,
    Rules,
    check_kind,
    task_of_loss,
)
from structtree.models.tree import Leaf, Tree, subtree
from structtree.models.tree_predictor import TreePredictor
from structtree.options import merge_options, refuse_unknown
from structtree.progress import report
from structtree.search.clock import Clock
from structtree.tasks.classification import ClassWeight
from structtree.tasks.criteria import Criterion
from structtree.tasks.statistics import Units
from structtree.tasks.target import Target, room
from structtree.tasks.task import Task

if TYPE_CHECKING:
    from structtree.learn.parameters import FitOptions

__all__ = ["fit"]


FOLDS = 5
"""Number of trees that are grown to choose alpha by cross-validation."""


ENOUGH = 5_000
"""Number of individuals to evaluate on when alpha is chosen; large datasets do not need all folds."""

GROWING = 0.75
"""Fraction of the time of a cross-validation tree for growing it; the rest is for evaluating it."""

WITHOUT_CHOICE = 12
"""Maximum number of leaves if there was no time to choose the size by cross-validation."""

MOST_SIZES = 60
"""Approximate number of tree sizes whose cross-validation losses a model keeps."""

SHUFFLED_TWICE = 1_000
"""Below this number of individuals the folds are shuffled and evaluated a second time."""


def fit(
    individuals: Any,
    target: ArrayLike,
    grammar: str | Path | Grammar | None = None,
    growth: Growth | None = None,
    pruning: Pruning | None = None,
    decision: Decision | None = None,
    *,
    forest: Forest | None = None,
    boosting: Boosting | None = None,
    rules: Rules | None = None,
    model: ModelKind = "tree",
    goal: Goal = "accuracy",
    grow: Literal["pruned", "full"] = "pruned",
    criterion: str | Criterion | None = None,
    task: str | Task | None = None,
    sample_weight: ArrayLike | None = None,
    class_weight: ClassWeight | None = None,
    classes: Sequence[Any] | None = None,
    priors: Mapping[Any, float] | None = None,
    functions: Mapping[str, Call] | None = None,
    target_name: str | None = None,
    smiles: str | None = None,
    unlabelled: Unlabelled = "leave out",
    progress: Callable[[Progress], None] | None = None,
    clock: Clock | None = None,
    so_far: GrownForest | None = None,
    **options: Unpack[FitOptions],
) -> Model:
    """Learn a model from individuals.

    Parameters
    ----------
    individuals : Population, DataFrame, array, or sequence of dicts, graphs, SMILES or molecules
        See `structtree.data.readers.individuals`.
    target : array
        A class, or a number, for each individual.
    grammar : str, Path or Grammar, optional
        The grammar of the tests: its name, its file, its text, or a Grammar; by default
        `structtree.default_grammar` of all individuals.
    growth : Growth, optional
        When to stop, and how to search. Its ``time_limit`` counts from the start of this call; preparing the data,
        listing tests and cross-validation are part of it, and compiling is not.
    pruning : Pruning, optional
    decision : Decision, optional
        Probability estimate and costs of the leaves; the costs are also used in pruning.
    forest : Forest, optional
        How the trees of a forest differ.
    boosting : Boosting, optional
        Loss and rounds of boosting.
    rules : Rules, optional
        How the rules of a rule list or rule set are learned.
    model : {"tree", "forest", "boosting", "rule-list", "rule-set"}
        Kind of model. Options that do not apply to it are rejected.
    goal : {"accuracy", "ranking", "reading"}
        Purpose of the tree; sets the defaults of other options. See `structtree.learn.goals`.
    grow : {"pruned", "full"}
        Choose the size of the tree by cross-validation, unless options limit or prune it; or keep the full tree.
    criterion, task, sample_weight, class_weight, classes
        As in `structtree.learn.growing.grow`.
    priors : mapping from class to float, optional
        Prior probability of each class; the training data is reweighted to match, before class weights apply.
    functions : mapping from name to function, optional
        For each ``function`` of the grammar.
    target_name : str, optional
        Name of the target.
    smiles : str, optional
        For a DataFrame of molecules: the column with the SMILES, if it is not named so.
    unlabelled : {"leave out", "refuse"}
        How to handle individuals whose label is missing (None or NaN): skip them with a warning, or raise an error.
    progress : function, optional
        Called with the progress of each tree.
    clock : Clock, optional
        Replaces ``time_limit`` if the time for reading the data counts as well.
    so_far : GrownForest, optional
        State of a smaller forest with the same data and options, to which trees are added.
    **options
        Options of growth, pruning, decision, forest and boosting by their names in the estimators, such as
        `structtree.StructuralTreeClassifier`, for example ``max_depth=3`` or ``ccp_alpha="cv"``; each is given
        once, here or in its object.

    Examples
    --------
    >>> from structtree import load_dataset, pretty
    >>> trains = load_dataset("trains")
    >>> model = fit(trains.population, trains.target, Grammar.load("trains"), Growth(max_depth=1))
    >>> pretty(model.tree.nodes[0].test)
    'exists cars (closed and not long)'
    >>> model.predict(trains.population)[:3].tolist()
    ['east', 'east', 'east']
    >>> fit(trains.population, trains.target, "trains", max_depth=1, time_limit=20).tree.depth
    1
    """
    Objective(goal=goal, grow=grow)  # which checks them
    chosen = _merged((growth, pruning, decision, forest, boosting, rules), options)
    named = criterion.name if isinstance(criterion, Criterion) else criterion
    check_kind(ModelChoice(model).model, Objective(goal, grow, named), *chosen)
    time = clock or Clock(chosen.growth.time_limit)
    is_ensemble = model in IN_ENSEMBLES
    data = learning_set(
        individuals,
        target,
        grammar,
        usual=forest_criterion if is_ensemble else partial(goal_criterion, goal),
        for_forest=is_ensemble,
        for_rules=model in ("rule-list", "rule-set"),
        literals=chosen.rules.literals,
        criterion=criterion,
        task=task or task_of_loss(chosen.boosting.loss),
        sample_weight=sample_weight,
        class_weight=class_weight,
        classes=classes,
        priors=priors,
        functions=functions,
        target_name=target_name,
        smiles=smiles,
        unlabelled=unlabelled,
    )
    with stoppable() as stop:
        time = time if clock is not None else replace(time, stop=stop)
        return _LEARNERS[model](_Request(data, chosen, goal, grow, progress, time, so_far))


class _Options(NamedTuple):
    """The options of all kinds of models."""

    growth: Growth
    pruning: Pruning
    decision: Decision
    forest: Forest
    boosting: Boosting
    rules: Rules


@dataclass(frozen=True, slots=True, eq=False)
class _Request:
    """Everything that learning a model of any kind may need."""

    data: LearningSet
    options: _Options
    goal: Goal
    grow: Literal["pruned", "full"]
    progress: Callable[[Progress], None] | None
    clock: Clock
    so_far: GrownForest | None


def _tree(request: _Request) -> Model:
    settings, data = _settled(request), request.data
    watch = _Watch(request.progress, clock=request.clock)
    job = _Job(data.population, data.labels, data.target, data.grammar, settings, watch, request.clock)
    return _tree_model(job, job.run(), request)


def _rule_list(request: _Request) -> Model:
    settings, rules = _settled(request), request.options.rules
    return _tree_model(*_best_list(request.data, settings, rules, request.progress, request.clock), request)


def _rule_set(request: _Request) -> Model:
    growth, _, decision, *_, rules = request.options
    return fit_rule_set(request.data, growth, decision, rules, request.clock, full=request.grow == "full")


def _forest(request: _Request) -> Model:
    growth, pruning, decision, forest, *_ = request.options
    _check_task(decision, pruning, request.data.target.classes)
    return fit_forest(request.data, growth, pruning, decision, forest, request.clock, request.so_far)


def _boosting(request: _Request) -> Model:
    growth, pruning, decision, _, boosting, _ = request.options
    _check_task(decision, pruning, request.data.target.classes)
    return fit_boosting(request.data, growth, decision, boosting, request.clock)


_LEARNERS: Mapping[ModelKind, Callable[[_Request], Model]] = {
    "tree": _tree,
    "rule-list": _rule_list,
    "rule-set": _rule_set,
    "forest": _forest,
    "boosting": _boosting,
}


def _merged(given: tuple[Any, ...], options: Mapping[str, Any]) -> _Options:
    """Return options that are given as objects or by their names, each in one way only."""
    kinds = (Growth, Pruning, Decision, Forest, Boosting, Rules)
    for kind, each in zip(kinds, given, strict=True):
        article = "" if kind is Rules else "a "
        require(each, kind | None, kind.__name__.lower(), f"{article}{kind.__name__} or None")
    refuse_unknown(options, fit, *kinds)
    return _Options(*(merge_options(kind, each, options) for kind, each in zip(kinds, given, strict=True)))


def _settled(request: _Request) -> Settled:
    """Return the settings of a tree or a rule list; refuse options that do not fit the target."""
    target, given = request.data.target, request.options[:3]
    settings = settle(request.goal, request.grow, target.task, len(request.data.population), *given)
    _check_task(settings.decision, settings.pruning, target.classes)
    return settings


def _tree_model(job: _Job, tree: Tree, request: _Request) -> Model:
    data = request.data
    plain = in_plain_units(tree, data.target.units)
    return job.model(plain, data.target_name, request.goal, data.record, data.layout)


def _best_list(
    data: LearningSet, settings: Settled, rules: Rules, progress: Callable[[Progress], None] | None, clock: Clock
) -> tuple[_Job, Tree]:
    """Return the rule list of the measure with the lowest held-out loss, and the job that learned it."""
    target, n = data.target, len(data.population)
    least = least_support(rules, target.task, n)
    growth = replace(settings.growth, min_samples_leaf=least, max_depth=rules.max_rules, cost_tolerance=None)
    own = replace(settings, growth=growth)
    measures = usual_measures(rules, target.task, may_choose=settings.size.by == "cross-validation")
    found: list[tuple[_Job, Tree]] = []
    for place, measure in enumerate(measures):
        if found and clock.over() is not None:
            break
        part = clock.part(clock.left() / (len(measures) - place))
        checked = replace(target, criterion=rule_criterion(measure, rules, target, least))
        watch = _Watch(progress, clock=part)
        job = _Job(data.population, data.labels, checked, data.grammar, own, watch, part, rules)
        found.append((job, job.run()))
    judged = [each for each in found if each[0].watch.loss is not None]
    return min(judged or found, key=lambda each: each[0].watch.loss or 0.0)


def _check_task(decision: Decision, pruning: Pruning, classes: tuple[Any, ...]) -> None:
    """Refuse options that do not fit the target, before a tree is grown."""
    if pruning.method == "pessimistic" and not classes:
        raise UsageError("pessimistic pruning is for classes; prune by 'cost-complexity' or 'reduced-error'")
    if pruning.risk is not None and not classes:
        raise UsageError(f"risk {pruning.risk!r} is for classes; leave it out")
    if decision.costs is not None and len(decision.costs) != len(classes):
        of = f"each of the {len(classes)} classes {list(classes)}" if classes else "each class, and numbers have none"
        raise UsageError(f"costs must have one row and one column for {of}; got {len(decision.costs)} rows")


@dataclass(slots=True, eq=False)
class _Watch:
    """Forwards progress, and records the plan and the steps that were not completed."""

    listener: Callable[[Progress], None] | None
    stopped_by: Literal["time", "interrupt"] | None = None
    is_choosing: bool = False
    route: RouteRecord = field(default_factory=RouteRecord)
    plan: Plan | None = None
    clock: Clock | None = None
    tree: int = 1
    trees: int = 1
    sizes: SizeCurve | None = None
    loss: float | None = None
    skipped: tuple[str, ...] = ()

    def __call__(self, progress: Progress) -> None:
        self.stopped_by = progress.stopped_by or self.stopped_by
        left = inf if self.clock is None else self.clock.left()
        seconds_left = None if left == inf else max(0.0, left)
        found = replace(progress, tree=self.tree, trees=self.trees, seconds_left=seconds_left)
        report(found)
        if self.listener is not None:
            self.listener(found)

    def tells_of(self, tree: int, trees: int) -> None:
        """Record which tree is grown next."""
        self.tree, self.trees = tree, trees


@dataclass(frozen=True, slots=True, eq=False)
class _Job:
    """Data, options and time limit for growing trees."""

    population: Population
    target: NDArray[Any]
    checked: Target
    grammar: CheckedGrammar
    settings: Settled
    watch: _Watch
    clock: Clock
    rules: Rules | None = None

    @property
    def growth(self) -> Growth:
        """Options of growing."""
        return self.settings.growth

    @property
    def pruning(self) -> Pruning:
        """Options of pruning."""
        return self.settings.pruning

    @property
    def decision(self) -> Decision:
        """Decision options of the leaves."""
        return self.settings.decision

    def model(
        self,
        tree: Tree,
        target_name: str | None,
        goal: Goal,
        grammar: GrammarRecord,
        layout: SourceLayout | None,
    ) -> Model:
        """Return a tree as a model, with its requirements and the records of how it was learned."""
        model = Model(
            TreePredictor(tree, self.decision),
            target_name,
            Settings(goal, self.checked.criterion.name, self.growth, self.pruning, self._size, rules=self._stored),
            grammar,
            self.watch.route,
            outcome=self._outcome,
        )
        return with_requirements(model, self.population, self.grammar, layout)

    @property
    def _stored(self) -> Rules | None:
        """Options of a rule list, with the name of its measure."""
        return self.rules and replace(self.rules, measure=self.checked.criterion.name)

    @property
    def _outcome(self) -> SearchOutcome:
        stopped_by = "interrupt" if self.clock.over() == "interrupt" else self.watch.stopped_by
        return SearchOutcome(stopped_by, self.watch.skipped, self.watch.sizes)

    @property
    def _size(self) -> Size:
        """Reason for the size of the tree."""
        if not self.watch.is_choosing:
            return self.settings.size
        return (
            Size("interrupt")
            if self.clock.over() == "interrupt"
            else Size("time", f"; at most {WITHOUT_CHOICE} leaves")
        )

    def run(self) -> Tree:
        """Return the tree after pruning."""
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

    def _grown(self, which: Ints | None = None, n_waiting: float = 1) -> Tree:
        """Grow a tree on some individuals, with an equal share of the remaining time for each waiting tree."""
        population, checked, plan = self.population, self.checked, self.watch.plan
        if which is not None and plan is not None:
            inside = np.isin(np.arange(len(population)), which)
            checked = replace(checked, weights=np.where(inside, checked.weights, 0.0))
        elif which is not None:
            population, checked = population.take(which), checked.take(which)
        with interruptible(self.clock.stop):
            if self.clock.over() != "interrupt":
                # Whoever else waits uses the same plan, so it is made in the time of all.
                plan = plan or self._plan(population, reusable=which is None and n_waiting > 1)
                clock = self.clock.part(self.clock.left() / n_waiting)
                tree = grow_by(checked, population, self.grammar, self.growth, self.watch, clock, plan)
                return _with_weighty_leaves(tree, self.pruning.min_weight_fraction)
        return _one_leaf(population, checked)

    def _plan(self, population: Population, *, reusable: bool) -> Plan:
        criterion = self.checked.criterion
        plan = plan_for(population, self.grammar, self.growth, self.clock, criterion=criterion, reusable=reusable)
        if self.rules is not None:
            plan = replace(plan, builder=builder_of(self.rules))
        self.watch.route, self.watch.plan = RouteRecord(plan.route, plan.why), plan if reusable else None
        self.watch.skipped = self.watch.skipped or plan.notes
        return plan

    def _unless_stopped(self, tree: Tree, prune: Callable[[Tree], Tree]) -> Tree:
        """Return the tree after pruning, or unpruned if the fit was interrupted."""
        with interruptible(self.clock.stop):
            return prune(tree)
        return tree

    def _pruned_by_cost(self, alpha: float | Literal["cv"] | None) -> Tree:
        if self.pruning.leaves is not None:
            most = self.pruning.leaves
            return self._unless_stopped(self._grown(), lambda tree: self._at_most(tree, most))
        if alpha is not None and alpha != "cv":
            fixed = alpha / self.checked.units.unit / self.checked.units.unit
            return self._unless_stopped(
                self._grown(), lambda tree: cost_complexity(tree, fixed, self.pruning.risk, self.decision)
            )
        self.watch.is_choosing = True
        # The tree itself may take most of the time: without the others, it still has a sensible size.
        return self._small_enough(self._unless_stopped(self._grown(n_waiting=4 / 3), self._best_pruning))

    def _best_pruning(self, tree: Tree) -> Tree:
        """Return the pruning that performs best in cross-validation."""
        n = len(self.population)
        folds = min(FOLDS, n)
        is_quick = n < SHUFFLED_TWICE and self.watch.plan is not None and self.watch.plan.route == "sweeps"
        rounds = _rounds(n, 2 * folds if is_quick else folds)
        if self.clock.over() is not None:
            return self._without_choice(tree)
        if folds < 2 or len(tree.nodes) == 1:
            self.watch.is_choosing = False
            return tree
        n_waiting, pruning, stopped_by = iter(range(rounds, 0, -1)), self.pruning, self.watch.stopped_by

        def grown(train: Ints) -> Tree | None:
            n = next(n_waiting)
            if n < rounds and self.clock.over() is not None:
                return None
            self.watch.tells_of(rounds + 2 - n, rounds + 1)
            self.watch.stopped_by = None
            tree = self._grown(train, n / GROWING)
            return None if self.watch.stopped_by == "time" else tree

        found = choose_alpha(
            grown,
            tree,
            self.population,
            self.target,
            folds=folds,
            rounds=rounds,
            seed=self.growth.random_state,
            standard_errors=pruning.standard_errors,
            max_leaf_nodes=pruning.max_leaves,
            risk=pruning.risk,
            decision=self.decision,
            sample_weight=self.checked.weights,
        )
        self.watch.stopped_by = stopped_by  # what ended an evaluation says nothing about the tree
        if self.clock.over() == "interrupt":  # trees that were not grown to their end say nothing about where to cut
            return tree
        if found is None:
            return self._without_choice(tree)
        self.watch.is_choosing, self.watch.sizes = False, _sizes(found, self.checked.units)
        self.watch.loss = found.loss
        return cost_complexity(tree, found.alpha, pruning.risk, self.decision)

    def _small_enough(self, tree: Tree) -> Tree:
        """Return the tree pruned to the maximum number of leaves, even without cross-validation."""
        most = self.pruning.max_leaves
        return tree if most is None else self._at_most(tree, most)

    def _without_choice(self, tree: Tree) -> Tree:
        """Return the tree with a sensible size, if there was no time to choose one."""
        return tree if self.clock.over() == "interrupt" else self._at_most(tree, WITHOUT_CHOICE)

    def _at_most(self, tree: Tree, leaves: int) -> Tree:
        """Return the largest pruning on the path with at most a given number of leaves."""
        if len(tree.leaves) <= leaves:
            return tree
        path = pruning_path(tree, self.pruning.risk, self.decision)
        alpha = float(path.alphas[path.n_leaves <= leaves][0])
        return cost_complexity(tree, alpha, self.pruning.risk, self.decision)

    def _pruned_by_held_out(self, share: float) -> Tree:
        n = len(self.population)
        held = held_out(self.checked.task.strata(self.checked.values), share, self.growth.random_state)
        if not held.any() or held.all():
            raise DataError(f"{n} individuals are too few to hold out a fraction of {share}")
        tree, others = self._grown(np.flatnonzero(~held)), np.flatnonzero(held)
        return self._unless_stopped(
            tree,
            lambda tree: reduced_error(
                tree, self.population.take(others), self.target[others], self.checked.weights[others], self.decision
            ),
        )


def _rounds(n: int, most: int) -> int:
    """Return the number of folds of n individuals to hold out, so that there are enough to evaluate on.

    Examples
    --------
    >>> _rounds(100, 10), _rounds(5_000, 10), _rounds(100_000, 10)
    (10, 5, 1)
    """
    return min(most, max(1, -(-FOLDS * ENOUGH // n)))


def _sizes(found: Alpha, units: Units) -> SizeCurve:
    """Return the cross-validation losses of trees of various sizes."""
    path = found.path
    sizes = np.geomspace(1, max(2, path.n_leaves[0]), MOST_SIZES)
    steps = {int(np.abs(path.n_leaves - size).argmin()) for size in sizes} | {path.step(found.alpha)}
    kept = sorted(steps | {int(found.losses.argmin())})
    figures = (path.risks, found.losses, found.standard_errors)
    rounded = (tuple(float(f"{units.square(value):.6g}") for value in values[kept].tolist()) for values in figures)
    return SizeCurve(tuple(path.n_leaves[kept].tolist()), *rounded)


def _one_leaf(population: Population, checked: Target) -> Tree:
    """Return a tree with a single leaf, after an interrupt at the root."""
    stats = checked.stats(np.flatnonzero(checked.weights))
    leaf = Leaf(stats, room(checked.criterion, stats), "interrupt")
    return Tree((leaf,), population.schema, checked.classes, lightest=checked.lightest, task=checked.task)


def _with_weighty_leaves(tree: Tree, fraction: float) -> Tree:
    """Return the tree after pruning branches with too little weight in a child."""
    if not fraction:
        return tree
    least = fraction * tree.nodes[0].stats.weight * (1 - TOLERANCE)
    weighty = (i for i in tree.branches if all(tree.nodes[c].stats.weight >= least for c in tree.nodes[i].children))
    return subtree(tree, frozenset(weighty))
