"""Options of the commands that learn, and their conversion to parameters of the library.

The options are those that `structtree.models.settings` declares. Only class weights, priors and costs have their own
syntax on the command line, where classes are given by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from structtree.cli.flags import signature_of
from structtree.cli.reading import GrammarOption, Reading, TargetName, Where
from structtree.errors import UnknownNameError, UsageError, did_you_mean
from structtree.interrupts import Stop
from structtree.models.settings import (
    Boosting,
    ColumnOptions,
    Decision,
    Forest,
    Growth,
    LossName,
    ModelChoice,
    Objective,
    Pruning,
    Rules,
    check_kind,
    task_of_loss,
)
from structtree.options import Option, build_options, options_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from structtree.search.clock import Clock
    from structtree.session.reading import Source
    from structtree.session.training import TrainingData

__all__ = [
    "Learning",
    "Searching",
    "SourceOptions",
    "check_flag",
    "common_task",
    "learning_parameters",
    "start_clock",
]

KINDS = (ModelChoice, Objective, Growth, Pruning, Decision, Forest, Boosting, Rules)
OPTIONS = [option for option in options_of(*KINDS) if option.panel]
PANELS = ("Options", *(kind.PANEL for kind in (Growth, Pruning, Decision, ColumnOptions, Forest, Boosting, Rules)))


class Learning(SimpleNamespace):
    """Options for growing and pruning a tree and for the predictions of its leaves, by parameter name."""

    __signature__: ClassVar = signature_of(sorted(OPTIONS, key=lambda option: PANELS.index(option.panel)))

    @property
    def task(self) -> str | None:
        """The task of the criterion, or of the measure of rules; None if neither is given."""
        if self.measure is None:
            return common_task([self.criterion], self.loss)
        from structtree.learn.rule_lists import measure_named

        return measure_named(self.measure).task

    def check(self) -> None:
        """Reject invalid options before the data is read."""
        given = _plain(self) | {option.parameter: None for option in OPTIONS if option.many}
        for option in OPTIONS:
            check_flag(option, given.get(option.parameter, option.default))
        build_options(ModelChoice, given)
        built: list[Any] = [build_options(each, given) for each in KINDS[1:]]
        check_kind(self.model, *built)


def check_flag(option: Option, value: Any) -> None:
    """Reject an invalid value, in words that fit the command line (without None)."""
    if value is not None and value != option.default and not option.allows(value):
        words = [word for word in option.words if word is not None]
        raise UsageError(f"{option.flag} must be {option.expected(words)}; got {value!r}")


class Searching(SimpleNamespace):
    """Options for growing a tree that also apply to the search for a single split."""

    __signature__: ClassVar = signature_of(option for option in OPTIONS if option.for_search)


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """Options that name the data to learn from, the target, and the grammar."""

    where: Where
    target: TargetName = None
    grammar: GrammarOption = None

    def source(self, reading: Reading) -> Source:
        """Return the data source with these reading options."""
        from structtree.lang.grammar import Grammar
        from structtree.session.reading import Source

        grammar = None if self.grammar is None else Grammar.load(self.grammar)
        return Source(self.where, self.target, grammar, reading.options())


def common_task(criteria: Iterable[str | None], loss: LossName | None = None) -> Literal["classes", "numbers"] | None:
    """Return the task that all given criteria share; without criteria that of a loss, None if there is none.

    Examples
    --------
    >>> common_task(["gini", "acc*"]), common_task(["mse"]), common_task([None])
    ('classes', 'numbers', None)
    """
    from structtree.tasks.criteria import criterion

    try:
        tasks: dict[Any, str] = {criterion(name).task: name for name in criteria if name is not None}
    except UnknownNameError as error:
        raise UsageError(str(error)) from None
    if len(tasks) == 2:
        raise UsageError(f"{tasks['numbers']!r} is for numbers and {tasks['classes']!r} for classes; choose one")
    return next(iter(tasks), task_of_loss(loss))


def start_clock(time_limit: float, stop: Stop) -> Clock:
    """Start the clock of a command, which does not count the time for imports."""
    from structtree.search.clock import Clock

    import_module("structtree.session.fitting")
    return Clock(time_limit, stop)


# ---- from the command line to the library ----------------------------------------------------------------


def learning_parameters(learning: Learning, training: TrainingData) -> dict[str, Any]:
    """Convert the options to parameters of the estimators, and class names to labels."""
    from structtree.session.fitting import applicable

    given = applicable(_plain(learning), training.task)
    given["monotone"] = _by_name(given["monotone"], "monotone", None, "dose=1")
    if not training.task.predicts_classes:
        return given
    names = _class_names(training.labels)
    weights = _by_name(given["class_weight"], "class_weight", names, "active=5, or balanced")
    priors = _by_name(given["priors"], "priors", names, "active=0.01")
    if isinstance(weights, dict):
        weights = dict.fromkeys(names.values(), 1.0) | weights
    return given | {"class_weight": weights, "priors": priors, "costs": costs_by_name(given["costs"], names)}


def costs_by_name(texts: list[str] | None, classes: Iterable[Any]) -> tuple[tuple[float, ...], ...] | None:
    """Parse ``--cost`` into a matrix in the order of the classes; None without costs."""
    from structtree.evaluation.score import class_name

    names = [class_name(label) for label in classes]
    pairs = {f"{true}:{predicted}": (true, predicted) for true in names for predicted in names}
    costs = _by_name(texts, "costs", pairs, "active:inactive=5")
    if not costs:
        return None
    return tuple(tuple(costs.get((a, b), float(a != b)) for b in names) for a in names)


def _plain(learning: Learning) -> dict[str, Any]:
    """Return the values of all options, by parameter name."""
    return {option.parameter: _read(option, getattr(learning, option.parameter)) for option in OPTIONS}


def _read(option: Option, value: Any) -> Any:
    if option.many:
        return value or None
    if not isinstance(value, str) or not option.number or value in option.words:
        return value
    try:
        return float(value)
    except ValueError:
        expected = option.expected(word for word in option.words if word is not None)
        raise UsageError(f"{option.flag} takes {expected}; got {value!r}") from None


def _class_names(labels: NDArray[Any]) -> Mapping[str, Any]:
    """Return a dict from class names to labels, in sorted order."""
    from structtree.evaluation.score import class_name

    return {class_name(label): label for label in sorted(set(labels.tolist()))}


def _by_name(texts: list[str] | None, parameter: str, known: Mapping[str, Any] | None, example: str) -> Any:
    """Parse strings such as ``name=number`` into a dict; return None and ``balanced`` unchanged.

    Names are translated, or rejected, by those that are known.
    """
    if texts is None or (texts == ["balanced"] and "balanced" in example):
        return texts and "balanced"
    (option,) = (option for option in OPTIONS if option.parameter == parameter)
    found = {}
    for text in texts:
        name, equals, number = text.rpartition("=")
        try:
            value = float(number if name and equals else "")
        except ValueError:
            raise UsageError(f"{option.flag} takes {option.metavar}, as in {example}; got {text!r}") from None
        if known is not None and name not in known:
            wrong = f"{name!r} is not a pair of classes" if ":" in option.metavar else f"unknown class {name!r}"
            raise UsageError(f"{option.flag}: {wrong}{did_you_mean(name, known)}")
        found[name if known is None else known[name]] = value
    return found
