"""Fit a model to a source of data, as `structtree fit` and `structtree.fit` do."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from structtree.data.labels import Unlabelled
from structtree.data.readers.opening import Opened
from structtree.data.readers.options import SelectionOptions, reading_options
from structtree.errors import UsageError
from structtree.evaluation.held_out import baseline_warning, stored_scores
from structtree.evaluation.out_of_bag import OutOfBag, out_of_bag
from structtree.evaluation.score import Scores, evaluate
from structtree.evaluation.sizes import size_menu
from structtree.interrupts import Stop, interruptible, stoppable
from structtree.lang.grammar import Grammar
from structtree.learn import fit as learning
from structtree.learn.distilling import FOR_ENSEMBLE
from structtree.learn.distilling import distil as distil_model
from structtree.learn.growing import Progress
from structtree.models.applying import Call
from structtree.models.model import Model
from structtree.models.records import ScoreRecord
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
    task_of_loss,
)
from structtree.models.tree_predictor import TreePredictor
from structtree.options import keywords_of, merge_options, options_of, refuse_unknown
from structtree.remarks import Remark, StructtreeWarning, option_text
from structtree.search.clock import Clock
from structtree.search.kernels.compiling import compile_seconds, now
from structtree.session.checks import about_database
from structtree.session.reading import Source, grammar_for
from structtree.session.remembered import reading_record
from structtree.session.time import reading_time, time_for_learning
from structtree.session.training import TrainingData, read_training_data, settle_training_data
from structtree.tasks.classification import ClassWeight
from structtree.tasks.criteria import Criterion
from structtree.tasks.criteria import criterion as criterion_of
from structtree.tasks.task import Task

if TYPE_CHECKING:
    from structtree.data.readers.options import ReadingOptions
    from structtree.evaluation.validate import CrossValidation, MakeEstimator
    from structtree.learn.parameters import FitOptions
    from structtree.session.imitating import Imitation

    class SourceOptions(FitOptions, ReadingOptions, SelectionOptions, total=False):
        """Options for learning and for reading a source."""


__all__ = [
    "ESTIMATE_FOLDS",
    "LEARNING_OPTIONS",
    "LearnedModel",
    "ScoreEstimate",
    "SourceFit",
    "applicable",
    "estimate_scores",
    "estimator_maker",
    "fit",
    "fit_training_data",
    "is_for_tables",
    "with_scores",
]

ESTIMATE_FOLDS = 5
"""Number of folds for estimating the scores on new data."""

QUICK = 0.1
"""Scores are estimated by default if the fit takes less than this fraction of the time limit."""

_OF_PLAIN_TREES = frozenset({"class_weight", "priors", "costs", "random_state"})
"""Options of a forest that also apply to the plain tree beside a tree that imitates it."""

LEARNING_OPTIONS = options_of(ModelChoice, Objective, Growth, Pruning, Decision, Forest, Boosting, Rules)
"""All options for learning."""


@dataclass(frozen=True, eq=False, repr=False)
class LearnedModel(Model):
    """Model learned from a source of data, with remarks, and scores as objects; only the default metrics are saved.

    Parameters
    ----------
    remarks : tuple of Remark
        Notes about the data, possible leaks, and the search, as `structtree fit` prints them.
    training : Scores, optional
        Scores on the training data.
    estimate : Scores, optional
        Scores on new data, estimated by cross-validation; None if there is no estimate.
    """

    remarks: tuple[Remark, ...] = ()
    training: Scores | None = None
    estimate: Scores | None = None


@dataclass(frozen=True, slots=True, eq=False)
class SourceFit:
    """Result of a fit, with the time for learning and reading, not counting compilation.

    Parameters
    ----------
    training : TrainingData
    options : mapping
        Options for learning, by parameter name of the estimators.
    functions : mapping from name to function, optional
    grammar : Grammar
    model : Model
    remarks : tuple of Remark
        Remarks about the search; remarks about the data are in ``training``.
    seconds, reading_seconds, compile_seconds : float
    """

    training: TrainingData
    options: Mapping[str, Any]
    functions: Mapping[str, Call] | None
    grammar: Grammar
    model: Model
    remarks: tuple[Remark, ...]
    seconds: float
    reading_seconds: float
    compile_seconds: float

    def train_scores(self, metrics: Sequence[str] | None = None) -> Scores:
        """Return the scores on the training data."""
        population = self.training.data.population
        if self.functions:  # `evaluate` predicts without functions
            population = self.model.prepared(population, self.functions)
        return evaluate(self.model, population, self.training.labels, metrics)


class ScoreEstimate(NamedTuple):
    """Estimate of the scores on new data, or the reason why it is missing.

    Parameters
    ----------
    found : CrossValidation or OutOfBag, optional
    why_not : Remark, optional
    imitation : Imitation, optional
        For a tree that imitates an ensemble: its cross-validation beside that of a plain tree.
    """

    found: CrossValidation | OutOfBag | None
    why_not: Remark | None = None
    imitation: Imitation | None = None


def fit(
    individuals: Any,
    target: ArrayLike | str | None = None,
    grammar: str | Path | Grammar | None = None,
    growth: Growth | None = None,
    pruning: Pruning | None = None,
    decision: Decision | None = None,
    *,
    forest: Forest | None = None,
    boosting: Boosting | None = None,
    rules: Rules | None = None,
    model: ModelKind = "tree",
    distil: int | None = None,
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
    unlabelled: Unlabelled = "leave out",
    progress: Callable[[Progress], None] | None = None,
    clock: Clock | None = None,
    estimate: bool | None = None,
    **options: Unpack[SourceOptions],
) -> Model:
    """Learn a model from a source of data or from individuals.

    Parameters
    ----------
    individuals : str, Path, Opened, Population, DataFrame, array, or sequence of dicts, graphs, SMILES or molecules
        A string or path is a source, as for `structtree.open_data`: a file, a folder, a URL or the name of a dataset.
        For a source, the defaults, time limit, tree, scores and remarks are those of ``structtree fit``.
    target : str or array
        For a source, the attribute to predict; otherwise a class or number for each individual.
    grammar : str, Path or Grammar, optional
        Grammar of the possible tests, as a name, file, text or Grammar; by default
        `structtree.default_grammar` of all individuals.
    growth : Growth, optional
        Stopping rules and search options. Its ``time_limit`` starts with this call and includes reading and preparing
        the data, listing tests and cross-validation, but not compilation.
    pruning : Pruning, optional
    decision : Decision, optional
        How leaves predict a class; its costs also apply to pruning.
    forest : Forest, optional
        How the trees of a forest differ.
    boosting : Boosting, optional
        Loss and rounds of boosting.
    rules : Rules, optional
        How the rules of a rule list or rule set are learned.
    model : {"tree", "forest", "boosting", "rule-list", "rule-set"}
        Kind of model. Options that do not apply to it are rejected.
    distil : int, optional
        For a source, and a forest or boosting: return one tree with at most this number of leaves that imitates it;
        see `structtree.distil`.
    goal : {"accuracy", "ranking", "reading"}
        Purpose of the tree, which sets the defaults of other options. See `structtree.learn.goals`.
    grow : {"pruned", "full"}
        Choose the size of the tree by cross-validation, unless other options limit or prune it; or keep the full
        tree.
    criterion, task, sample_weight, class_weight, classes
        As in `structtree.grow`; ``sample_weight`` and ``classes`` cannot be given for a source.
    priors : mapping from class to float, optional
        Class frequencies where the model will be used; the training data is reweighted to match them, before class
        weights are applied.
    functions : mapping from name to function, optional
        Implementation of each ``function`` of the grammar.
    target_name : str, optional
        Name of the target; not for a source.
    unlabelled : {"leave out", "refuse"}
        Whether individuals with a missing label (None, NaN and similar) are skipped with a warning or rejected with
        an error.
    progress : function, optional
        Called with the progress of each tree.
    clock : Clock, optional
        Replaces ``time_limit`` if the time for reading the data counts as well; not for a source.
    estimate : bool, optional
        For a source: whether to estimate scores on new data by cross-validation; by default only if that is fast.
    **options
        Options of growth, pruning, decision, forest and boosting by their names in the estimators, such as
        ``max_depth=3``, ``n_estimators=100`` or ``learning_rate=0.05``; pass each option once, here or in its object.
        For a source, also the options of `structtree.open_data`, such as
        ``types={"zip": "nominal"}`` or ``as_of="loan.date"``. ``smiles`` also applies to a DataFrame of molecules:
        the SMILES column, if its name does not show it.

    Returns
    -------
    Model
        For a source, a `LearnedModel`, which also has remarks and scores.

    Examples
    --------
    >>> from structtree import load_dataset, pretty
    >>> trains = load_dataset("trains")
    >>> model = fit(trains.population, trains.target, "trains", max_depth=1, time_limit=20)
    >>> pretty(model.tree.nodes[0].test)
    'exists cars (closed and not long)'
    >>> model.predict(trains.population)[:3].tolist()
    ['east', 'east', 'east']

    A source is given by its name; datasets have a default target:

    >>> model = fit("trains", max_depth=1)
    >>> model.training["accuracy"], [str(remark) for remark in model.remarks]
    (0.9, [])

    A forest combines many trees, and estimates its scores from the individuals that each tree did not see:

    >>> model = fit("trains", model="forest", n_estimators=100)
    >>> model.predictor.kind, model.estimate.n
    ('forest', 20)
    """
    given: Any = {
        "model": model,
        "goal": goal,
        "grow": grow,
        "criterion": criterion,
        "class_weight": class_weight,
        "priors": priors,
    }
    if not isinstance(individuals, str | Path | Opened):
        _refuse_for_arrays(individuals, {"estimate": estimate, "distil": distil}, options)
        learned: dict[str, Any] = dict(options)
        return learning.fit(
            individuals,
            target,  # type: ignore[arg-type]  # None and names are rejected there
            grammar,
            growth,
            pruning,
            decision,
            forest=forest,
            boosting=boosting,
            rules=rules,
            task=task,
            sample_weight=sample_weight,
            classes=classes,
            functions=functions,
            target_name=target_name,
            unlabelled=unlabelled,
            progress=progress,
            clock=clock,
            **given,
            **learned,
        )
    inapplicable = {"sample_weight": sample_weight, "classes": classes, "target_name": target_name, "clock": clock}
    _refuse_for_sources(individuals, target, inapplicable)
    reading = {name: value for name, value in options.items() if name in _reading_names()}
    named = {name: value for name, value in options.items() if name not in _reading_names()}
    refuse_unknown(named, fit, Growth, Pruning, Decision, Forest, Boosting, Rules)
    given["distil"] = distil
    objects = {
        Growth: growth,
        Pruning: pruning,
        Decision: decision,
        Forest: forest,
        Boosting: boosting,
        Rules: rules,
    }
    settled = _flat_options(given | named, objects) | given
    source = Source(_where(individuals), target, grammar, reading)  # type: ignore[arg-type]  # target is not an array
    opened = individuals if isinstance(individuals, Opened) else None
    return _fit_source(source, opened, settled, task, functions, unlabelled, progress, estimate)


def fit_training_data(
    training: TrainingData,
    options: Mapping[str, Any],
    clock: Clock,
    *,
    functions: Mapping[str, Call] | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> SourceFit:
    """Fit a model to data that was read; if Ctrl-C ends it too early, return a tree with one leaf.

    Parameters
    ----------
    training : TrainingData
    options : mapping
        Options for learning, as returned by `applicable`.
    clock : Clock
        Clock of reading and learning.
    functions : mapping from name to function, optional
    progress : function, optional
        Called with the progress of each tree.
    """
    data = training.data
    remarks: tuple[Remark, ...] = ()
    choice = ModelChoice(options["model"], options.get("distil"))
    learn: Callable[..., Model] = partial(
        learning.fit,
        data.population,
        training.labels,
        target_name=data.target_name,
        task=training.task,
        functions=functions,
        progress=progress,
        **{name: value for name, value in options.items() if name != "distil"},
    )
    grammar, model, time, started, compiled = None, None, clock, now(), compile_seconds()
    with interruptible(clock.stop):
        grammar = _grammar(training, options, for_forest=choice.model in IN_ENSEMBLES)
        (time, remarks), started = time_for_learning(clock), now()
        part = time if choice.distil is None else time.part(FOR_ENSEMBLE * time.left())
        model = learn(grammar, clock=part)
        if choice.distil is not None and part.over() != "interrupt":
            grammar = _grammar(training, options, for_forest=False)
            model = distil_model(
                model, data.population, choice.distil, grammar=grammar, functions=functions, clock=time
            )
    clock.stop.handled = True  # the remaining steps are short and must complete
    grammar = grammar or Grammar.from_schema(data.population.schema)
    model = model or learn(grammar, clock=time)
    seconds = (now() - started, started - clock.started, compile_seconds() - compiled)
    model = replace(model, reading=reading_record(training.source, data))
    remarks = (*remarks, *_about_outcome(model, training.labels, clock.seconds))
    return SourceFit(training, options, functions, grammar, model, remarks, *seconds)


def _grammar(training: TrainingData, options: Mapping[str, Any], *, for_forest: bool) -> Grammar:
    """Return the given grammar, or the default one of a tree or a forest."""
    return grammar_for(
        training.data, training.source.grammar, one_at_a_time=is_for_tables(options), for_forest=for_forest
    )


def estimate_scores(fitted: SourceFit, wanted: bool | None, clock: Clock) -> ScoreEstimate:
    """Estimate the scores on new data by cross-validation, if requested or fast."""
    labels, limit, stop = fitted.training.labels, clock.seconds, clock.stop
    if wanted is None and (held_out := out_of_bag(fitted.model, labels)) is not None:
        return ScoreEstimate(held_out)
    if wanted is False or stop.pressed or len(np.unique(labels)) < 2:
        return ScoreEstimate(None)
    if len(labels) < 2 * ESTIMATE_FOLDS:
        return ScoreEstimate(None, Remark(f"{len(labels)} individuals are too few to estimate scores"))
    is_slow = limit is not None and fitted.seconds > QUICK * limit
    if wanted is None and (is_slow or _has_held_out_scores(fitted.model)):
        how = f"use {option_text('estimate', True)} or structtree cv"
        return ScoreEstimate(None, Remark(f"not estimated, to save time; {how}"))
    seconds = None if limit is None else ESTIMATE_FOLDS * limit if wanted else max(clock.left(), QUICK * limit)
    stop.handled = False
    found = _repeated(fitted, seconds, stop)
    stop.handled = True
    first = "interrupted" if stop.pressed else "the time limit was reached"
    return found or ScoreEstimate(None, Remark(f"{first} before the scores were estimated"))


def with_scores(fitted: SourceFit, estimated: ScoreEstimate) -> SourceFit:
    """Return a fit whose model stores its scores, with a warning if those on new data do not beat the baseline."""
    found = estimated.found
    folds = 0 if isinstance(found, OutOfBag) else ESTIMATE_FOLDS
    held_out = None if found is None else stored_scores(found.evaluate(), folds)
    scores = ScoreRecord(held_out, stored_scores(fitted.train_scores()))
    model = replace(fitted.model, scores=scores)
    warning = baseline_warning(model)
    remarks = (*fitted.remarks, *([Remark(warning, "warning")] if warning else []))
    return replace(fitted, model=model, remarks=remarks)


def _has_held_out_scores(model: Model) -> bool:
    """Return whether the folds that chose the size took a search each, and the menu of sizes has scores on them.

    The folds of a rule list may also have chosen its measure, so their scores are too good.
    """
    if model.settings.rules is not None:
        return False
    return model.route.name in ("search", "table") and model.outcome.sizes is not None


def applicable(given: Mapping[str, Any], task: Task) -> dict[str, Any]:
    """Return the learning options that apply to a task; reject classification options for any other task.

    Examples
    --------
    >>> from structtree.tasks.regression import REGRESSION
    >>> applicable({"max_depth": 3, "class_weight": None}, REGRESSION)
    {'max_depth': 3}
    """
    if task.predicts_classes:
        return dict(given)
    only = {each.parameter: each.usual for each in LEARNING_OPTIONS if each.for_classes}
    for name, usual in only.items():
        if given.get(name, usual) != usual:
            raise UsageError(f"{option_text(name)} is for classes, but the target {task.target_words}")
    return {name: value for name, value in given.items() if name not in only}


def is_for_tables(options: Mapping[str, Any]) -> bool:
    """Return whether any given option applies only to trees over plain tables."""
    return any(options.get(each.parameter, each.usual) != each.usual for each in LEARNING_OPTIONS if each.for_tables)


def estimator_maker(
    grammar: Grammar,
    task: Task,
    options: Mapping[str, Any],
    functions: Mapping[str, Call] | None = None,
    tree_grammar: Grammar | None = None,
) -> MakeEstimator:
    """Return a function that creates an estimator with these options, except the time limit.

    A tree that imitates an ensemble may have a grammar of its own.
    """
    if leaves := options.get("distil"):
        from structtree.session.imitating import DistilledEstimator

        make = estimator_maker(grammar, task, {**options, "distil": None}, functions)
        return lambda: DistilledEstimator(make(), leaves, tree_grammar or grammar)
    kind = _estimator(options["model"], task)
    # The time limit applies to all folds together; each fit gets a share.
    known = signature(kind).parameters.keys() - {"time_limit"}
    params = {name: value for name, value in options.items() if name in known}
    return lambda: kind(grammar, task=task, functions=functions, **params)


def _estimator(model: ModelKind, task: Task) -> Any:
    """Return the class of the estimators of a kind of model; it loads scikit-learn."""
    if model == "rule-list":
        from structtree.rule_models import RuleListClassifier, RuleListRegressor

        return RuleListClassifier if task.predicts_classes else RuleListRegressor
    if model == "rule-set":
        from structtree.rule_models import RuleSetClassifier, RuleSetRegressor

        return RuleSetClassifier if task.predicts_classes else RuleSetRegressor
    if model == "forest":
        from structtree.forests import StructuralForestClassifier, StructuralForestRegressor

        return StructuralForestClassifier if task.predicts_classes else StructuralForestRegressor
    if model == "boosting":
        from structtree.boosting import StructuralBoostingClassifier, StructuralBoostingRegressor

        return StructuralBoostingClassifier if task.predicts_classes else StructuralBoostingRegressor
    from structtree.estimators import StructuralTreeClassifier, StructuralTreeRegressor

    return StructuralTreeClassifier if task.predicts_classes else StructuralTreeRegressor


def _fit_source(
    source: Source,
    opened: Opened | None,
    given: Mapping[str, Any],
    task: str | Task | None,
    functions: Mapping[str, Call] | None,
    unlabelled: Unlabelled,
    progress: Callable[[Progress], None] | None,
    estimate: bool | None,
) -> LearnedModel:
    """Read the data, settle the task, fit, and estimate the scores."""
    if task is None and given["criterion"] is not None:
        task = criterion_of(given["criterion"]).task
    task = task or task_of_loss(given["loss"])
    with stoppable() as stop:
        clock = Clock(given["time_limit"], stop)
        with reading_time(clock):
            training = (
                read_training_data(source, task, unlabelled=unlabelled)
                if opened is None
                else settle_training_data(source, opened, task)
            )
        for remark in training.remarks:
            if remark.kind == "warning":
                warnings.warn(StructtreeWarning(remark.text), stacklevel=3)
        remarks = training.remarks
        with interruptible(stop):
            remarks += tuple(about_database(training.source, training.data, training.labels))
        options = applicable(given, training.task)
        fitted = fit_training_data(training, options, clock, functions=functions, progress=progress)
        found = estimate_scores(fitted, estimate, clock)
        fitted = with_scores(fitted, found)
    scores = None if found.found is None else found.found.evaluate()
    remarks = (*remarks, *fitted.remarks, *([found.why_not] if found.why_not else []))
    model = {each.name: getattr(fitted.model, each.name) for each in fields(Model)}
    return LearnedModel(**model, remarks=remarks, training=fitted.train_scores(), estimate=scores)


def _repeated(fitted: SourceFit, seconds: float | None, stop: Stop) -> ScoreEstimate | None:
    """Return the scores of a cross-validation, or None if Ctrl-C or the time limit ends it early."""
    from structtree.evaluation.validate import cross_validate
    from structtree.session.imitating import compare_imitation

    training, options = fitted.training, fitted.options
    data = (training.data.population, training.labels)
    given: Any = {"folds": ESTIMATE_FOLDS, "repeats": 1, "seed": options["random_state"], "time_limit": seconds}
    maker = partial(estimator_maker, task=training.task, functions=fitted.functions)
    try:
        if not (leaves := options.get("distil")):
            found, imitation = cross_validate(maker(fitted.grammar, options=options), *data, **given), None
        else:
            forest = maker(_grammar(training, options, for_forest=True), options={**options, "distil": None})
            plain = maker(fitted.grammar, options=_plain_tree(options, leaves))
            imitation = compare_imitation(forest, plain, leaves, fitted.grammar, *data, **given)
            found = imitation.distilled
    except (KeyboardInterrupt, SystemError):  # an interrupted compilation may raise SystemError
        if not stop.pressed or stop.presses > 1:
            raise
        return None
    return ScoreEstimate(found, imitation=imitation) if len(found.scores) == ESTIMATE_FOLDS else None


def _plain_tree(options: Mapping[str, Any], leaves: int) -> dict[str, Any]:
    """Return options for a plain tree of at most this number of leaves, with the same classes, weights and costs."""
    same = {name: value for name, value in options.items() if name in _OF_PLAIN_TREES}
    return same | {"model": "tree", "leaves": leaves}


def _about_ensemble(model: Model, time_limit: float | None) -> Sequence[Remark]:
    """Return remarks about a model with many trees, or of a rule set."""
    found = list(model.outcome.skipped)
    so_far = "these are the trees so far" if model.settings.rules is None else "these are the rules so far"
    match model.outcome.stopped_by:
        case "interrupt":
            found.append(f"interrupted: {so_far}")
        case "time":
            found.append(f"the time limit of {time_limit:g} s was reached: {so_far}")
    return [Remark(text) for text in found]


def _about_limits(model: Model, labels: NDArray[Any]) -> str:
    """Return the limits of the grammar if a complete search found no test within them, otherwise ''."""
    tree = model.tree
    is_complete = (
        not tree.caveats and model.outcome.stopped_by is None and model.settings.size.by == "cross-validation"
    )
    if tree.branches or not is_complete or not model.grammar.text or (labels == labels[:1]).all():
        return ""
    limits = Grammar.parse(model.grammar.text).syntax.limits
    named = [(word, number) for word in ("nesting", "literals") if (number := getattr(limits, word)) is not None]
    if not named:
        return ""
    shown = ", ".join(f"{word} {number}" for word, number in named)
    larger = ", ".join(f"{word} {number + 2}" for word, number in named)
    return (
        f"no test within the limits of the grammar ({shown}) helps; for more complex tests, write "
        f"'limits {{ {larger} }}' in the grammar"
    )


def _about_outcome(model: Model, labels: NDArray[Any], time_limit: float | None) -> Sequence[Remark]:
    """Return remarks about the result of a fit."""
    if model.predictor.kind != TreePredictor.kind:
        return _about_ensemble(model, time_limit)
    tree, found = model.tree, []
    noun, part = ("tree", "split") if model.settings.rules is None else ("rule list", "rule")
    if not tree.branches and tree.classes and model.settings.size.by == "cross-validation":
        found.append(
            f"no {part} reduces the held-out error; where a class is rare, "
            f"{option_text('goal', 'ranking')} still ranks individuals by its probability"
        )
    found += [advice] if (advice := _about_limits(model, labels)) else []
    found += model.outcome.skipped
    match model.outcome.stopped_by:
        case "interrupt":
            found.append(f"interrupted: this is the {noun} so far")
        case "time":
            found.append(
                f"the time limit of {time_limit:g} s was reached, so {_unfinished(model)}, and another run "
                f"may give another {noun}; allow more time, or use {option_text('effort', 'quick')}"
            )
    menu = size_menu(model)
    if len(menu) > 1:
        sizes = ", ".join(f"{each.leaves:,} {'leaf' if each.leaves == 1 else 'leaves'} {each.text}" for each in menu)
        n = len(tree.leaves)  # the note names the largest smaller size, if there is one
        other = min(
            (each.leaves for each in menu if each.leaves != n), key=lambda leaves: (leaves > n, abs(leaves - n))
        )
        measure = menu[0].measure
        found.append(f"held-out {measure} by size: {sizes}; choose another size with {option_text('leaves', other)}")
    return [Remark(text) for text in found]


def _unfinished(model: Model) -> str:
    """Return what the time limit did to a tree or a rule list."""
    return "unfinished nodes became leaves" if model.settings.rules is None else "further rules were not tried"


# ---- arguments of fit ------------------------------------------------------------------------------------


def _where(individuals: str | Path | Opened) -> str | Path:
    return (individuals.source or individuals.name) if isinstance(individuals, Opened) else individuals


def _reading_names() -> frozenset[str]:
    return frozenset((*reading_options(), *keywords_of(SelectionOptions)))


def _flat_options(named: Mapping[str, Any], objects: Mapping[type, Any]) -> dict[str, Any]:
    """Return all options by parameter name, with the defaults of the command line, given objects by their type."""
    values = {each.parameter: named.get(each.parameter, each.usual) for each in LEARNING_OPTIONS}
    for declaration, own in objects.items():
        merged = merge_options(declaration, own, named)
        for each in options_of(declaration):
            value = getattr(merged, each.name)
            if value != each.default:
                values[each.parameter] = value
    return values


def _refuse_for_arrays(individuals: Any, given: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    """Reject options for sources if individuals are given."""
    names = [name for name in options if name in _reading_names() - {"smiles"}]
    names += [name for name, value in given.items() if value is not None]
    if names:
        got = type(individuals).__name__
        raise UsageError(f"{option_text(names[0])} requires a source, such as a file; got individuals as {got}")


def _refuse_for_sources(individuals: Any, target: Any, inapplicable: Mapping[str, Any]) -> None:
    """Reject arguments for given individuals if a source is read."""
    shown = _where(individuals)
    if target is not None and not isinstance(target, str):
        raise UsageError(f"target must be the name of an attribute of {shown}; got {type(target).__name__}")
    if isinstance(individuals, Opened) and target not in (None, individuals.target_name):
        raise UsageError(f"{shown} was opened to predict {individuals.target_name}; open it with target={target!r}")
    for name, value in inapplicable.items():
        if value is not None:
            raise UsageError(f"{name} does not apply to a source such as {shown}")
