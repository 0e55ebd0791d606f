"""How commands learn: the options that say it, and what the library wants to have of them.

The fields of `Learning` are called as the parameters of the estimators, so that most of them only pass through.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from structtree.cli.common import note, seconds_text
from structtree.errors import UsageError, did_you_mean
from structtree.interrupts import Stop

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from structtree.learn.fit import Pruning
    from structtree.learn.growth import Growth
    from structtree.learn.leaves import Decision
    from structtree.search.clock import Clock

__all__ = [
    "SECONDS",
    "Learning",
    "Seed",
    "check_learning",
    "class_weight_of",
    "clock_of",
    "decision_of",
    "estimator_params",
    "growth_of",
    "priors_of",
    "pruning_of",
    "task_of",
    "time_for_learning",
]

SECONDS = 60.0
"""What one fit may take unless the user says otherwise."""

LEAST_SHARE = 0.1
"""Of a time limit, what is for learning however long reading has taken."""

LEAST_SECONDS = 0.3
"""And not less than this."""

GROW = "How to grow the tree"
PRUNE = "How to prune it"
SAY = "What leaves say"

Seed = Annotated[int, typer.Option("--seed", help="For whatever is left to chance.")]

_GROWTH = (
    "max_depth",
    "min_samples_split",
    "min_samples_leaf",
    "min_impurity_decrease",
    "max_leaf_nodes",
    "stop",
    "significance",
    "share",
    "strategy",
    "max_evaluations",
    "nominal",
)
_PRUNING = ("post_prune", "ccp_alpha", "validation_fraction")


@dataclass(frozen=True, slots=True)
class Learning:
    """How to grow a tree, to prune it, and to have its leaves decide."""

    criterion: Annotated[
        str | None,
        typer.Option(
            "--criterion",
            metavar="NAME",
            help="acc*, accuracy, entropy, gini, sqrt-gini, gain-ratio or twoing for classes, mse for numbers.",
            show_default="acc* or mse",
            rich_help_panel=GROW,
        ),
    ] = None
    max_depth: Annotated[
        int | None,
        typer.Option("--max-depth", help="The most tests on the way to a leaf.", rich_help_panel=GROW),
    ] = None
    min_samples_split: Annotated[
        int,
        typer.Option("--min-samples-split", help="A node of fewer individuals is a leaf.", rich_help_panel=GROW),
    ] = 2
    min_samples_leaf: Annotated[
        int,
        typer.Option("--min-samples-leaf", help="The fewest individuals on either side.", rich_help_panel=GROW),
    ] = 1
    min_impurity_decrease: Annotated[
        float,
        typer.Option(
            "--min-impurity-decrease",
            help="The least that a split must do for the loss of the whole tree.",
            rich_help_panel=GROW,
        ),
    ] = 0.0
    max_leaf_nodes: Annotated[
        int | None,
        typer.Option(
            "--max-leaf-nodes", help="The most leaves; the best splits are made first.", rich_help_panel=GROW
        ),
    ] = None
    stop: Annotated[
        str | None,
        typer.Option(
            "--stop",
            metavar="test|mdl",
            help="Refuse splits that are not significant (χ² or F test), or do not save bits.",
            rich_help_panel=GROW,
        ),
    ] = None
    significance: Annotated[
        float, typer.Option("--significance", help="With --stop test: the level.", rich_help_panel=GROW)
    ] = 0.05
    share: Annotated[
        str | None,
        typer.Option(
            "--share", metavar="path", help="On a yes side, also refine the test above.", rich_help_panel=GROW
        ),
    ] = None
    strategy: Annotated[
        str | None,
        typer.Option(
            "--strategy",
            metavar="NAME",
            help="Of the search: auto, bottom-up, best-first, exhaustive or beam.",
            show_default="auto",
            rich_help_panel=GROW,
        ),
    ] = None
    max_evaluations: Annotated[
        int | None,
        typer.Option("--max-evaluations", help="The most predicates to try at one node.", rich_help_panel=GROW),
    ] = None
    nominal: Annotated[
        str,
        typer.Option(
            "--nominal",
            metavar="binary|subset|multiway",
            help="Of tables: one value, or a set of them, against the others; or a side for each value (ID3, C4.5).",
            rich_help_panel=GROW,
        ),
    ] = "binary"
    if_missing: Annotated[
        str,
        typer.Option(
            "--if-missing",
            metavar="false|majority|fractional",
            help="Of tables: tests of missing values are false, as for most, or split the case (C4.5).",
            rich_help_panel=GROW,
        ),
    ] = "false"
    average_gain_filter: Annotated[
        bool,
        typer.Option(
            "--average-gain-filter",
            help="Of tables, with gain-ratio: only attributes of at least average gain compete (C4.5).",
            rich_help_panel=GROW,
        ),
    ] = False
    post_prune: Annotated[
        str | None,
        typer.Option(
            "--post-prune",
            metavar="METHOD",
            help="cost-complexity, reduced-error or pessimistic.",
            rich_help_panel=PRUNE,
        ),
    ] = None
    ccp_alpha: Annotated[
        str | None,
        typer.Option(
            "--alpha",
            metavar="NUMBER|cv",
            help="For cost-complexity: what a leaf costs, or cv to choose it by cross-validation.",
            show_default="cv",
            rich_help_panel=PRUNE,
        ),
    ] = None
    validation_fraction: Annotated[
        float,
        typer.Option(
            "--validation-fraction", help="For reduced-error: the share to hold out.", rich_help_panel=PRUNE
        ),
    ] = 0.25
    confidence: Annotated[
        float, typer.Option("--confidence", help="For pessimistic: less prunes more.", rich_help_panel=PRUNE)
    ] = 0.25
    leaf_estimate: Annotated[
        str,
        typer.Option(
            "--leaf-estimate",
            metavar="NAME",
            help="Of probabilities: frequency, laplace, m-estimate or m-branch.",
            rich_help_panel=SAY,
        ),
    ] = "frequency"
    m: Annotated[
        float, typer.Option("--m", help="For m-estimate and m-branch: how much they draw.", rich_help_panel=SAY)
    ] = 2.0
    class_weight: Annotated[
        list[str] | None,
        typer.Option(
            "--class-weight",
            metavar="CLASS=WEIGHT",
            help="As in active=5, or balanced; may be repeated.",
            rich_help_panel=SAY,
        ),
    ] = None
    prior: Annotated[
        list[str] | None,
        typer.Option(
            "--prior",
            metavar="CLASS=SHARE",
            help="What share a class has where the tree is used: active=0.01; one for each class.",
            rich_help_panel=SAY,
        ),
    ] = None
    cost: Annotated[
        list[str] | None,
        typer.Option(
            "--cost",
            metavar="CLASS:SAID=COST",
            help="What an error costs: active:inactive=5 for saying inactive of an active one; may be repeated.",
            rich_help_panel=SAY,
        ),
    ] = None

    @property
    def is_for_tables(self) -> bool:
        """Whether something is asked for that only trees over plain tables have."""
        return self.nominal != "binary" or self.if_missing != "false" or self.average_gain_filter


def task_of(criteria: Iterable[str | None]) -> Literal["classes", "numbers"] | None:
    """What the criteria are for; None if none is named.

    Examples
    --------
    >>> task_of(["gini", "acc*"]), task_of(["mse"]), task_of([None])
    ('classes', 'numbers', None)
    """
    from structtree.search.criteria import criterion

    tasks = {criterion(name).task: name for name in criteria if name is not None}
    if len(tasks) == 2:
        raise UsageError(f"{tasks['numbers']!r} is for numbers and {tasks['classes']!r} for classes; choose")
    return next(iter(tasks), None)


def growth_of(learning: Learning, seed: int, time_limit: float | None) -> Growth:
    """When to stop, and how to search."""
    from structtree.learn.growth import Growth

    chosen = _taken(learning, (*_GROWTH, "average_gain_filter"))
    # The option cannot be called --missing: that says which words of a file stand for no value.
    rule: Any = learning.if_missing
    return Growth(**chosen, missing=rule, time_limit=time_limit, random_state=seed)


def pruning_of(learning: Learning) -> Pruning:
    """How the grown tree is pruned; an alpha is enough to ask for cost-complexity."""
    from structtree.learn.fit import Pruning

    alpha, method = _alpha(learning.ccp_alpha), learning.post_prune
    if alpha is not None and method not in (None, "cost-complexity"):
        raise UsageError(f"--alpha is for --post-prune cost-complexity, not for {method}")
    chosen: Any = "cost-complexity" if alpha is not None else method
    return Pruning(chosen, "cv" if alpha is None else alpha, learning.validation_fraction, learning.confidence)


def check_learning(learning: Learning, seed: int, time_limit: float) -> None:
    """Refuse what makes no sense before the data is read."""
    growth_of(learning, seed, time_limit)
    pruning_of(learning)


def clock_of(time_limit: float, stop: Stop) -> Clock:
    """The clock of a command; what it has to import does not count."""
    from structtree.search.clock import Clock

    for name in ("data.opening", "lang.default", "learn.fit"):
        import_module(f"structtree.{name}")
    return Clock(time_limit, stop)


def time_for_learning(clock: Clock) -> Clock:
    """What reading has left of a time limit; said if it was less than half."""
    from structtree.search.clock import Clock

    limit = clock.seconds
    if limit is None:
        return clock
    spent, left = clock.spent(), max(clock.left(), LEAST_SHARE * limit, LEAST_SECONDS)
    if spent > limit / 2 and not clock.stop.pressed:
        note(
            f"note: reading the data took {seconds_text(spent)} s of the time limit of {limit:g} s, which leaves "
            f"{seconds_text(left)} s for learning; a longer --time-limit gives more"
        )
    return Clock(left, clock.stop)


def decision_of(learning: Learning, labels: NDArray[Any]) -> Decision:
    """How leaves say a class; of numbers there is nothing to decide."""
    from structtree.learn.leaves import Decision

    names = _class_names(labels)
    if not names:
        given: dict[str, Any] = {"--cost": learning.cost, "--class-weight": learning.class_weight}
        given |= {"--prior": learning.prior, "--average-gain-filter": learning.average_gain_filter}
        for option in (name for name, value in given.items() if value):
            raise UsageError(f"{option} is for classes, and the target is a number")
    estimate: Any = learning.leaf_estimate
    return Decision(estimate, learning.m, _costs(learning.cost, list(names)) if learning.cost else None)


def class_weight_of(learning: Learning, labels: NDArray[Any]) -> dict[Any, float] | None:
    """The weight of each class; balanced ones make all classes weigh the same together."""
    names = _class_names(labels)
    if not learning.class_weight:
        return None
    if learning.class_weight == ["balanced"]:
        counts = Counter(labels.tolist())
        return {label: len(labels) / (len(counts) * count) for label, count in counts.items()}
    expected = "CLASS=WEIGHT, as in active=5, or balanced"
    return dict.fromkeys(names.values(), 1.0) | _by_class(learning.class_weight, "--class-weight", expected, names)


def priors_of(learning: Learning, labels: NDArray[Any]) -> dict[Any, float] | None:
    """The share that each class has where the tree is used."""
    if not learning.prior:
        return None
    return _by_class(learning.prior, "--prior", "CLASS=SHARE, as in active=0.01", _class_names(labels))


def _by_class(texts: list[str], option: str, expected: str, names: Mapping[str, Any]) -> dict[Any, float]:
    found = {}
    for text in texts:
        name, number = _pair(text, option, expected)
        if name not in names:
            raise UsageError(f"{option}: there is no class {name!r}{did_you_mean(name, names)}")
        found[names[name]] = number
    return found


def estimator_params(learning: Learning, labels: NDArray[Any], seed: int, time_limit: float | None) -> dict[str, Any]:
    """The parameters of an estimator that learns in this way, but for its grammar and criterion."""
    decision = decision_of(learning, labels)
    params = _taken(learning, (*_GROWTH, *_PRUNING)) | {"time_limit": time_limit, "random_state": seed}
    params |= {"ccp_alpha": _alpha(learning.ccp_alpha), "missing": learning.if_missing}
    if labels.dtype.kind == "f":
        return params
    weights: Any = "balanced" if learning.class_weight == ["balanced"] else class_weight_of(learning, labels)
    said = {"leaf_estimate": decision.estimate, "m": decision.m, "costs": decision.costs, "class_weight": weights}
    said |= {"priors": priors_of(learning, labels), "average_gain_filter": learning.average_gain_filter}
    return params | said | {"confidence": learning.confidence}


def _taken(learning: Learning, names: Iterable[str]) -> dict[str, Any]:
    """What was given; the rest is what the library does by itself."""
    return {name: value for name in names if (value := getattr(learning, name)) is not None}


def _alpha(text: str | None) -> float | Literal["cv"] | None:
    if text is None or text == "cv":
        return text  # type: ignore[return-value]  # mypy does not narrow a str to a literal
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"--alpha takes a number >= 0, or cv; got {text!r}") from None


def _class_names(labels: NDArray[Any]) -> Mapping[str, Any]:
    """The classes by their names, in the order in which the library has them; none of numbers."""
    from structtree.learn.score import class_name

    return {} if labels.dtype.kind == "f" else {class_name(label): label for label in sorted(set(labels.tolist()))}


def _costs(texts: Iterable[str], classes: list[str]) -> tuple[tuple[float, ...], ...]:
    """The matrix of costs; what is not mentioned costs 1."""
    places = {f"{true}:{said}": (i, j) for i, true in enumerate(classes) for j, said in enumerate(classes)}
    costs = [[float(i != j) for j in range(len(classes))] for i in range(len(classes))]
    for text in texts:
        name, cost = _pair(text, "--cost", "CLASS:SAID=COST, as in active:inactive=5")
        if name not in places:
            raise UsageError(f"--cost: {name!r} is not a pair of classes{did_you_mean(name, places)}")
        i, j = places[name]
        costs[i][j] = cost
    return tuple(map(tuple, costs))


def _pair(text: str, option: str, expected: str) -> tuple[str, float]:
    name, equals, number = text.rpartition("=")
    try:
        return name, float(number if name and equals else "")
    except ValueError:
        raise UsageError(f"{option} takes {expected}; got {text!r}") from None
