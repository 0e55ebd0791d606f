"""Options of commands that learn, and what they stand for in the library.

The options are those that `structtree.models.settings` declares. Only weights, shares and costs of classes have a
form of their own on the command line, where a class is known by its name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib import import_module
from inspect import Parameter, Signature
from keyword import iskeyword
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import typer

from structtree.cli.common import note, seconds_text
from structtree.cli.reading import (
    GrammarOption,
    Reading,
    TargetName,
    Where,
    grammar_for,
    labelled,
    with_declared_facts,
)
from structtree.errors import UnknownNameError, UsageError, did_you_mean
from structtree.interrupts import Stop, limited
from structtree.models.settings import Decision, Growth, Objective, Pruning
from structtree.options import Option, build_options, listed, options_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from structtree.data.readers.opening import Opened
    from structtree.lang.grammar import Grammar
    from structtree.search.clock import Clock

__all__ = [
    "Learning",
    "Searching",
    "Source",
    "common_task",
    "learning_parameters",
    "start_clock",
    "time_for_learning",
    "time_for_reading",
]

OPTIONS = [option for option in options_of(Objective, Growth, Pruning, Decision) if option.panel]
PANELS = ("Options", Growth.PANEL, Pruning.PANEL, Decision.PANEL)

MIN_LEARNING_SHARE = 0.1
"""Of a time limit, what is for learning however long reading has taken."""

MIN_LEARNING_SECONDS = 0.3
"""And not less than this."""

WIDE = 26
"""Words that take more room than this are listed in the help, not beside the option."""


def _keyword(option: Option) -> str:
    name = option.flag.removeprefix("--").replace("-", "_")
    return f"{name}_" if iskeyword(name) else name


def _flag(option: Option) -> Parameter:
    """A declared option as typer wants to have it."""
    words = [word for word in option.words if isinstance(word, str)]
    kind: Any = option.number if option.number and not words else bool if option.kind is bool else str
    kind = list[str] if option.many else kind
    text, shown, metavar = option.flag_help or option.help, "|".join(words), option.metavar
    if len(shown) > WIDE:
        text, shown = f"{text} One of {listed(words)}.", "NAME"
    said = typer.Option(
        option.flag,
        metavar=metavar or shown or None,
        help=text,
        show_default=option.shown_default or True,
        rich_help_panel=option.panel,
    )
    hint: Any = Annotated[kind | None if option.usual is None else kind, said]
    return Parameter(_keyword(option), Parameter.KEYWORD_ONLY, default=option.usual, annotation=hint)


class Learning(SimpleNamespace):
    """Options of growing a tree, of pruning it, and of what its leaves predict, by their flags."""

    __signature__: ClassVar = Signature(
        [_flag(option) for option in sorted(OPTIONS, key=lambda option: PANELS.index(option.panel))]
    )

    @property
    def is_for_tables(self) -> bool:
        """True if an option is given that only trees over plain tables have."""
        return any(self.is_given(option) for option in OPTIONS if option.for_tables)

    def is_given(self, option: Option) -> bool:
        """Return whether an option is not what it is by default."""
        return bool(getattr(self, _keyword(option)) != option.usual)

    def check(self) -> None:
        """Refuse what makes no sense before the data is read."""
        given = _plain(self) | {option.parameter: None for option in OPTIONS if option.many}
        for option in OPTIONS:
            _check(option, given.get(option.parameter, option.default))
        for declaration in (Growth, Pruning, Decision):
            build_options(declaration, given)


def _check(option: Option, value: Any) -> None:
    """Refuse a value in the words of the command line, which has no None: who wants that leaves the option out."""
    if value is not None and value != option.default and not option.allows(value):
        words = [word for word in option.words if word is not None]
        raise UsageError(f"{option.flag} must be {option.expected(words)}; got {value!r}")


class Searching(SimpleNamespace):
    """Those options of growing a tree that the search for one split has too."""

    __signature__: ClassVar = Signature([_flag(option) for option in OPTIONS if option.for_search])


@dataclass(frozen=True, slots=True)
class Source:
    """The data to learn from, the target, and the grammar."""

    where: Where
    target: TargetName = None
    grammar: GrammarOption = None

    @property
    def shown(self) -> str:
        """The data as it may be told, without the password of a URL."""
        from structtree.data.readers.databases.urls import shown_url

        return shown_url(self.where)

    def labelled(
        self, reading: Reading, task: Literal["classes", "numbers"] | None = None
    ) -> tuple[Opened, NDArray[Any]]:
        """Read the data, with its labels."""
        return labelled(self.where, with_declared_facts(reading, self.grammar), self.target, task)

    def grammar_for(self, data: Opened, learning: Learning | None = None) -> Grammar:
        """Return the grammar that was named, or the default for the data and for what is to be learned."""
        return grammar_for(data, self.grammar, one_at_a_time=learning is not None and learning.is_for_tables)


def common_task(criteria: Iterable[str | None]) -> Literal["classes", "numbers"] | None:
    """Return what the criteria are for; None if none is named.

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
        raise UsageError(f"{tasks['numbers']!r} is for numbers and {tasks['classes']!r} for classes; choose")
    return next(iter(tasks), None)


def start_clock(time_limit: float, stop: Stop) -> Clock:
    """Start the clock of a command; what it has to import does not count."""
    from structtree.search.clock import Clock

    for name in ("data.readers.opening", "lang.default", "learn.fit"):
        import_module(f"structtree.{name}")
    return Clock(time_limit, stop)


def time_for_reading(clock: Clock) -> AbstractContextManager[None]:
    """Return a block in which links are followed until half of the time limit is over; reading is not cut short."""
    return limited(clock.part(clock.left() / 2))


def time_for_learning(clock: Clock) -> Clock:
    """Return a clock of what reading has left of a time limit; say so if it was less than half."""
    from structtree.search.clock import Clock

    limit = clock.seconds
    if limit is None:
        return clock
    spent, left = clock.spent(), max(clock.left(), MIN_LEARNING_SHARE * limit, MIN_LEARNING_SECONDS)
    if spent > limit / 2 and not clock.stop.pressed:
        note(
            f"note: reading the data took {seconds_text(spent)} s of the time limit of {limit:g} s, which leaves "
            f"{seconds_text(left)} s for learning; a longer --time-limit gives more"
        )
    return Clock(left, clock.stop)


# ---- from the command line to the library ----------------------------------------------------------------


def learning_parameters(learning: Learning, labels: NDArray[Any]) -> dict[str, Any]:
    """Return the parameters of an estimator that learns such labels in this way, but for its grammar."""
    given, names = _plain(learning), _class_names(labels)
    if not names:
        for option in OPTIONS:
            if option.for_classes and learning.is_given(option):
                raise UsageError(f"{option.flag} is for classes, and the target is a number")
        return {option.parameter: given[option.parameter] for option in OPTIONS if not option.for_classes}
    pairs = {f"{true}:{said}": (true, said) for true in names for said in names}
    weights = _by_name(given["class_weight"], "class_weight", names, "active=5, or balanced")
    priors = _by_name(given["priors"], "priors", names, "active=0.01")
    costs = _by_name(given["costs"], "costs", pairs, "active:inactive=5")
    if isinstance(weights, dict):
        weights = dict.fromkeys(names.values(), 1.0) | weights
    if costs is not None:
        costs = tuple(tuple(costs.get((true, said), float(true != said)) for said in names) for true in names)
    return given | {"class_weight": weights, "priors": priors, "costs": costs}


def _plain(learning: Learning) -> dict[str, Any]:
    """The values of all options, by the names of the parameters."""
    return {option.parameter: _read(option, getattr(learning, _keyword(option))) for option in OPTIONS}


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
    """The classes by their names, in the order in which the library has them; none of numbers."""
    from structtree.evaluation.score import class_name

    return {} if labels.dtype.kind == "f" else {class_name(label): label for label in sorted(set(labels.tolist()))}


def _by_name(texts: list[str] | None, parameter: str, known: Mapping[str, Any], example: str) -> Any:
    """The numbers that texts like ``name=number`` give to what has these names; None and balanced as they are."""
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
        if name not in known:
            wrong = f"{name!r} is not a pair of classes" if ":" in option.metavar else f"there is no class {name!r}"
            raise UsageError(f"{option.flag}: {wrong}{did_you_mean(name, known)}")
        found[known[name]] = value
    return found
