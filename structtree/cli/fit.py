"""The command that learns a tree, prints it, and saves it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from structtree.cli.audit import about_database
from structtree.cli.common import (
    Json,
    Plain,
    check_output,
    command,
    end_stopped,
    finite,
    is_printed,
    note,
    print_json,
    print_tree,
    say,
    seconds_text,
    words_aside,
)
from structtree.cli.learning import (
    Learning,
    Source,
    common_task,
    learning_parameters,
    start_clock,
    time_for_learning,
    time_for_reading,
)
from structtree.cli.progress import compiled_note, fold_bar, growth_bar
from structtree.cli.reading import Reading, grammar_facts, print_grammar, to_remember
from structtree.cli.scoring import MetricOption, Metrics, estimator_maker
from structtree.errors import MissingFileError
from structtree.files import check_writable
from structtree.interrupts import Stop, interruptible, stoppable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from structtree.data.readers.opening import Opened
    from structtree.evaluation.score import Scores
    from structtree.evaluation.validate import CrossValidation
    from structtree.lang.grammar import Grammar
    from structtree.models.model import Model
    from structtree.models.records import Settings
    from structtree.models.tree import Node
    from structtree.search.clock import Clock

__all__ = ["fit_command"]

MOST_LEAVES = 50
"""A tree with more leaves is printed in part only."""

SHOWN_DEPTH = 4
"""The depth to which it is printed then."""

ESTIMATE_FOLDS = 5
"""The folds by which it is estimated how good the tree is on new data."""

QUICK = 0.1
"""A fit that takes less than this share of the time limit is repeated for each of these folds."""


@command
def fit_command(
    source: Source,
    learning: Learning,
    reading: Reading,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", metavar="MODEL.json", help="The file to save the model to, or -."),
    ] = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Say how the tests of the tree were found, and why in this way.")
    ] = False,
    report: Annotated[
        Path | None,
        typer.Option("--report", metavar="FILE.html", help="Write an interactive report of the tree, too."),
    ] = None,
    metric: MetricOption = None,
    estimate: Annotated[
        bool | None,
        typer.Option(
            "--estimate/--no-estimate",
            help=f"Estimate by {ESTIMATE_FOLDS}-fold cross-validation how good the tree is on new data.",
            show_default="if learning took less than a tenth of the time limit",
        ),
    ] = None,
    plain: Plain = False,
    as_json: Json = False,
) -> None:
    """Learn a tree, print it, and save it.

    The scores on the training data are optimistic; those on new data are estimated by learning again, in the same
    way, from parts of the data. The time limit covers reading the data and learning. Ctrl-C ends the search and keeps
    the tree so far, also in the file; the exit code is then 130. A second Ctrl-C stops at once.

    Example: structtree fit trains -o trains.json

    Example: structtree fit houses.csv --target price --max-depth 4 -o houses.json

    Example: structtree fit compounds.csv --target active --post-prune cost-complexity --cost yes:no=5
    """
    check_output(out, as_json=as_json)
    check_writable(report)
    learning.check()
    metrics = Metrics.parse(metric)
    with stoppable() as stop, compiled_note():
        clock = start_clock(learning.time_limit, stop)
        try:
            with time_for_reading(clock):
                data, labels = source.labelled(reading, common_task([learning.criterion]))
        except KeyboardInterrupt:
            raise KeyboardInterrupt("the data was still being read, so nothing is learned yet") from None
        metrics.check("numbers" if labels.dtype.kind == "f" else "classes")
        with interruptible(stop):
            for remark in about_database(data, labels, source.where, reading):
                note(f"note: {remark}")
        learned = _learn(source, data, labels, learning, clock)
        if verbose and learned.model.route.why:
            note(f"how: {learned.model.route.why}")
        saved, refusal = _saved(replace(learned.model, reading=to_remember(source.where, reading, data)), out)
        estimated = _estimate(learned, estimate, clock)
        if as_json:
            print_json(learned.to_dict(metrics, estimated) | {"model": None if saved is None else str(saved)})
        else:
            with words_aside(out):
                _print_learned(learned, estimated, metrics, saved, plain=plain)
        if report is not None:
            _write_report(learned, report)
        if refusal is not None:
            raise refusal
        if stop.pressed and learned.stopped_by != "interrupt":
            note("Ctrl-C came after the tree was complete")
    end_stopped(stop)


def _write_report(learned: _Learned, path: Path) -> None:
    from structtree.report.html.page import html_report

    html_report(learned.model, learned.data.population, learned.labels, path)
    note(f"wrote {path}")


def _saved(model: Model, out: Path | None) -> tuple[Path | None, MissingFileError | None]:
    """Save a model; return the file, or why it could not be written, which must not lose the tree itself."""
    from structtree.models.model_files import save_model

    if out is None:
        return None, None
    try:
        save_model(model, out)
    except MissingFileError as refusal:
        return None, refusal
    return (None if is_printed(out) else out), None


def _learn(source: Source, data: Opened, labels: NDArray[Any], learning: Learning, clock: Clock) -> _Learned:
    """Learn; where Ctrl-C leaves no time for it, a tree of one leaf."""
    from structtree.lang.grammar import Grammar
    from structtree.learn.fit import fit
    from structtree.search.kernels.compiling import compile_seconds, now

    given = learning_parameters(learning, labels)
    learn: Callable[..., Model] = partial(fit, data.population, labels, target_name=data.target_name, **given)
    grammar, model, time, started, compiled = None, None, clock, now(), compile_seconds()
    with interruptible(clock.stop):
        grammar = source.grammar_for(data, learning)
        time, started = time_for_learning(clock), now()
        with growth_bar() as progress:
            model = learn(grammar, clock=time, progress=progress)
    clock.stop.handled = True  # what is left to do is short, and has to be done
    grammar = grammar or Grammar.from_schema(data.population.schema)
    model = model or learn(grammar, clock=time)
    seconds = (now() - started, started - clock.started, compile_seconds() - compiled)
    return _Learned(source, data, labels, learning, grammar, model, *seconds)


class _Estimate(NamedTuple):
    """How good such trees are on new data, or why that is not known."""

    found: CrossValidation | None
    why_not: str | None = None


def _estimate(learned: _Learned, wanted: bool | None, clock: Clock) -> _Estimate:
    """Learn from parts of the data in the same way, if it is wanted or quick."""
    import numpy as np

    limit, stop = learned.learning.time_limit, clock.stop
    if wanted is False or stop.pressed or len(np.unique(learned.labels)) < 2:
        return _Estimate(None)
    if len(learned.labels) < 2 * ESTIMATE_FOLDS:
        return _Estimate(None, f"{len(learned.labels)} individuals are too few to estimate the scores")
    if wanted is None and learned.seconds > QUICK * limit:
        return _Estimate(None, "structtree cv estimates the scores, and so does --estimate, but it takes longer")
    seconds = ESTIMATE_FOLDS * limit if wanted else max(clock.left(), QUICK * limit)
    stop.handled = False
    found = _repeated(learned, seconds, stop)
    stop.handled = True
    first = "Ctrl-C came" if stop.pressed else "the time limit was reached"
    return _Estimate(found, f"{first} before the scores were estimated" if found is None else None)


def _repeated(learned: _Learned, seconds: float, stop: Stop) -> CrossValidation | None:
    """The cross-validation; None if Ctrl-C or the time limit ends it early."""
    from structtree.evaluation.validate import cross_validate

    maker = estimator_maker(learned.grammar, learned.labels, learned.learning)
    given: Any = {"folds": ESTIMATE_FOLDS, "repeats": 1, "seed": learned.learning.seed, "time_limit": seconds}
    try:
        with fold_bar() as progress:
            found = cross_validate(maker, learned.data.population, learned.labels, progress=progress, **given)
    except (KeyboardInterrupt, SystemError):  # the latter from something that is being compiled
        if not stop.pressed or stop.presses > 1:
            raise
        return None
    return found if len(found.scores) == ESTIMATE_FOLDS else None


@dataclass(frozen=True, slots=True, eq=False)
class _Learned:
    """Result of a fit, with the seconds of learning and of reading, which do not count those of compiling."""

    source: Source
    data: Opened
    labels: NDArray[Any]
    learning: Learning
    grammar: Grammar
    model: Model
    seconds: float
    reading: float
    compiling: float

    def train_scores(self, metrics: Sequence[str] | None) -> Scores:
        """Return the scores on the training data."""
        from structtree.evaluation.score import evaluate

        return evaluate(self.model, self.data.population, self.labels, metrics)

    @property
    def stopped_by(self) -> str | None:
        """The reason why growth ended early."""
        return self.model.outcome.stopped_by

    @property
    def unproved(self) -> list[dict[str, Any]]:
        """The nodes at which a better test may have been missed; at a leaf any test."""
        nodes = self.model.tree.nodes
        return [
            {"node": d.node, "test": _question(nodes[d.node]), "gap": finite(d.gap), "stopped_by": d.reason}
            for d in self.model.tree.caveats
        ]

    @property
    def evaluated(self) -> int:
        """The number of predicates that were evaluated for the tests of the tree."""
        from structtree.models.tree import Leaf

        return sum(node.found.evaluated for node in self.model.tree.nodes if not isinstance(node, Leaf))

    def to_dict(self, metrics: Metrics, estimated: _Estimate) -> dict[str, Any]:
        """Return the figures, for JSON."""
        from structtree.evaluation.score import main_metric

        tree = self.model.tree
        main = main_metric(tree.task)
        held_out = None if estimated.found is None else estimated.found.evaluate(metrics.names).to_dict()
        return {
            "data": self.source.shown,
            "individuals": len(self.data.population),
            "target": self.model.target,
            "task": tree.task.name,
            "criterion": self.model.settings.criterion,
            "growth": asdict(self.model.settings.growth),
            "pruning": asdict(self.model.settings.pruning),
            "grammar": grammar_facts(self.grammar, self.data),
            "leaves": len(tree.leaves),
            "depth": tree.depth,
            "train_score": finite(self.train_scores([main])[main]),
            "measure": tree.task.metrics[main].label,
            "training": self.train_scores(metrics.names).to_dict(),
            "estimate": held_out if held_out is None else held_out | {"folds": ESTIMATE_FOLDS},
            "evaluated": self.evaluated,
            "unproved": self.unproved,
            "stopped_by": self.stopped_by,
            "skipped": list(self.model.outcome.skipped),
            "seconds": self.seconds,
            "reading_seconds": self.reading,
            "compile_seconds": self.compiling,
        }


def _question(node: Node) -> str | None:
    from structtree.lang.pretty import pretty
    from structtree.models.tree import Branch, Leaf

    match node:
        case Leaf():
            return None
        case Branch(test):
            return pretty(test)
        case _:
            return node.attribute


def _print_learned(
    learned: _Learned, estimated: _Estimate, metrics: Metrics, out: Path | None, *, plain: bool
) -> None:
    model, tree = learned.model, learned.model.tree
    is_large = len(tree.leaves) > MOST_LEAVES
    print_tree(model, max_depth=SHOWN_DEPTH if is_large else None, plain=plain)
    columns = {"training data": learned.train_scores(metrics.names)}
    if estimated.found is not None:
        columns[f"new data ({ESTIMATE_FOLDS} folds)"] = estimated.found.evaluate(metrics.names)
    not_known = [] if estimated.why_not is None else [f"New data: {estimated.why_not}"]
    for line in ["", *metrics.lines(str(model.target), columns), "", *not_known]:
        say(line)
    say(f"{_leaves(len(tree.leaves))}, depth {tree.depth}; {_effort(learned)}; {_proof(learned)}")
    say(f"Settings: {_settings_text(model.settings)}")
    print_grammar(learned.grammar, learned.data)
    if out is not None:
        say(f"saved {out}; use it with: structtree predict {quote(str(out))} DATA")
    if is_large:
        whole = f"structtree show {quote(str(out))}" if out else "save it with -o MODEL.json and use structtree show"
        note(f"printed to depth {SHOWN_DEPTH}; all of it: {whole}")
        note("a smaller tree is easier to read: --for reading; structtree cv shows what that costs on new data")
    if not tree.branches and tree.classes and model.settings.size.by == "cross-validation":
        note(
            "no test saves errors on new individuals; where a class is rare, --for ranking still tells those who are "
            "likely to be in it from others"
        )
    for skipped in model.outcome.skipped:
        note(skipped)
    match learned.stopped_by:
        case "interrupt":
            note("stopped by Ctrl-C: this is the tree so far")
        case "time":
            limit = f"{learned.learning.time_limit:g} s"
            note(f"the time limit of {limit} was reached: nodes that were still waiting are leaves")


def _leaves(n: int) -> str:
    return "1 leaf" if n == 1 else f"{n:,} leaves"


def _effort(learned: _Learned) -> str:
    """What learning took; a tree without a test does not keep how many were evaluated."""
    seconds = f"{seconds_text(learned.seconds)} s"
    return (
        f"{learned.evaluated:,} predicates evaluated in {seconds}" if learned.evaluated else f"learned in {seconds}"
    )


def _proof(learned: _Learned) -> str:
    """How sure it is that the tests are the best, or why there are none."""
    from structtree.report.caveats import count_caveats

    tree, settings = learned.model.tree, learned.model.settings
    if tree.caveats:
        return count_caveats(tree.caveats, len(tree.branches))
    if tree.branches:
        return "every test is proved best"
    if (learned.labels == learned.labels[0]).all():
        return "there is nothing to tell apart"
    if settings.pruning.method:
        found = " that was found in time" if learned.stopped_by == "time" else ""
        return f"it was pruned to one leaf, since no test{found} improves predictions"
    if settings.growth.stop:
        return f"no test is good enough for the stop rule {settings.growth.stop!r}"
    return "no test of the grammar improves on it within the limits of growing"


def _settings_text(settings: Settings) -> str:
    """Return the criterion, and what decided about the size of the tree."""
    growth = settings.growth
    said = [f"for {settings.goal}", f"criterion {settings.criterion}", f"size {settings.size}"]
    said.append(f"at least {growth.min_samples_leaf} in a leaf")
    said += [f"depth at most {growth.max_depth}"] if growth.max_depth is not None else []
    said += [f"at most {growth.max_leaf_nodes} leaves"] if growth.max_leaf_nodes is not None else []
    said += [f"stop rule {growth.stop}"] if growth.stop else []
    return ", ".join(said)
