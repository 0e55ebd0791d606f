"""Command that learns a model, prints it, and saves it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from structtree.cli.common import (
    Json,
    Plain,
    check_output,
    command,
    end_stopped,
    finite,
    is_printed,
    messages_to_stderr,
    note,
    print_json,
    print_remarks,
    print_tree,
    say,
    seconds_text,
)
from structtree.cli.flags import as_flag
from structtree.cli.forests import ensemble_json, print_ensemble
from structtree.cli.learning import Learning, SourceOptions, learning_parameters, start_clock
from structtree.cli.progress import compiled_note, live_status
from structtree.cli.reading import Reading, grammar_facts, print_grammar
from structtree.cli.scoring import MetricOption, Metrics
from structtree.errors import MissingFileError, UsageError
from structtree.files import check_writable
from structtree.interrupts import interruptible, stoppable
from structtree.reprs import number_text

if TYPE_CHECKING:
    from structtree.evaluation.out_of_bag import OutOfBag
    from structtree.learn.distilling import DistilledModel
    from structtree.models.model import Model
    from structtree.models.records import Settings
    from structtree.models.tree import Node
    from structtree.search.clock import Clock
    from structtree.session.fitting import ScoreEstimate, SourceFit
    from structtree.session.reading import Source
    from structtree.session.training import TrainingData

__all__ = ["LearnedOutput", "fit_command", "learn_and_print"]

MOST_LEAVES = 50
"""Number of leaves above which only the top of a tree is printed."""

MANY_LEAVES = 24
"""Number of leaves above which a tree is hard to retell, so that a smaller one is suggested."""

SHOWN_DEPTH = 4
"""Depth to which larger trees are printed."""


@dataclass(frozen=True, slots=True)
class LearnedOutput:
    """Options for what is done with a model that was learned."""

    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", metavar="MODEL.json", help="Model file to write, or - for standard output."),
    ] = None
    verbose: Annotated[bool, typer.Option("--verbose", help="Report which search route was used, and why.")] = False
    report: Annotated[
        Path | None,
        typer.Option("--report", metavar="FILE.html", help="Also write an interactive HTML report."),
    ] = None
    metric: MetricOption = None
    estimate: Annotated[
        bool | None,
        typer.Option(
            "--estimate/--no-estimate",
            help="Estimate the scores on new data by 5-fold cross-validation.",
            show_default="if learning takes less than a tenth of the time limit",
        ),
    ] = None
    plain: Plain = False
    as_json: Json = False


@command
def fit_command(source: SourceOptions, learning: Learning, reading: Reading, output: LearnedOutput) -> None:
    """Learn a tree, a forest or a boosted sum, print it, and save it.

    Scores on the training data are optimistic; scores on new data are estimated by cross-validation with the same
    options. The time limit covers reading the data and learning. Ctrl-C ends the search, prints the tree so far and
    saves it; the exit code is then 130. A second Ctrl-C stops immediately. A forest (--model forest) predicts better
    than a tree, but cannot be read as one; its scores on new data are estimated from the individuals that each tree
    did not see. Boosting (--model boosting) adds many small trees. With --distil, the result is a single tree that
    imitates the forest or the boosted sum. For rules, see structtree rules.

    Example: structtree fit trains -o trains.json

    Example: structtree fit houses.csv --target price --max-depth 4 -o houses.json

    Example: structtree fit compounds.csv --target active --model forest -o forest.json

    Example: structtree fit compounds.csv --target active --model forest --distil 12 -o tree.json

    Example: structtree fit houses.csv --target price --model boosting -o boosted.json

    Example: structtree fit compounds.csv --target active --post-prune cost-complexity --cost yes:no=5
    """
    learn_and_print(source.source(reading), learning, output)


def learn_and_print(source: Source, learning: Learning, output: LearnedOutput) -> None:
    """Learn a model, print it with its scores, and write the requested files."""
    from structtree.session.fitting import estimate_scores, fit_training_data, with_scores

    out = output.out
    check_output(out, as_json=output.as_json)
    check_writable(output.report)
    learning.check()
    if output.report is not None and learning.model == "rule-set":
        raise UsageError("--report shows trees, and --model rule-set learns none; omit --report")
    metrics = Metrics.parse(output.metric)
    with stoppable() as stop, compiled_note():
        clock = start_clock(learning.time_limit, stop)
        training = _read(source, learning.task, clock)
        metrics.check(training.task)
        options = learning_parameters(learning, training)
        with live_status("preparing"):
            fitted = fit_training_data(training, options, clock)
        if output.verbose and fitted.model.route.why:
            note(f"route: {fitted.model.route.why}")
        if out is not None and not is_printed(out):
            _saved(fitted.model, out)  # the model is safe if the estimate is killed
        with live_status("cross-validation"):
            estimated = estimate_scores(fitted, output.estimate, clock)
        learned = _Learned(with_scores(fitted, estimated))
        saved, refusal = _saved(learned.model, out)
        is_tree = not learned.model.settings.is_ensemble
        if output.as_json:
            print_json(learned.to_dict(metrics, estimated) | {"model": None if saved is None else str(saved)})
        else:
            with messages_to_stderr(out):
                if is_tree:
                    _print_learned(learned, estimated, metrics, saved, plain=output.plain)
                else:
                    print_ensemble(learned.fit, estimated, metrics, saved)
        print_remarks(learned.fit.remarks)
        if output.report is not None:
            _write_report(learned, output.report)
        if refusal is not None:
            raise refusal
        if stop.pressed and learned.stopped_by != "interrupt":
            note(f"interrupted after the {learned.noun} was complete")
    end_stopped(stop)


def _read(source: Source, task: str | None, clock: Clock) -> TrainingData:
    """Read the data and print remarks, including those of a short audit."""
    from structtree.session.checks import about_database
    from structtree.session.time import reading_time
    from structtree.session.training import read_training_data

    try:
        with live_status("reading"), reading_time(clock):
            training = read_training_data(source, task)
    except KeyboardInterrupt:
        raise KeyboardInterrupt("the data was still being read, and nothing was learned") from None
    print_remarks(training.remarks)
    with interruptible(clock.stop):
        print_remarks(about_database(training.source, training.data, training.labels))
    return training


def _write_report(learned: _Learned, path: Path) -> None:
    from structtree.report.html.page import html_report

    training = learned.fit.training
    with live_status("report"):
        html_report(learned.model, training.data.population, training.labels, path)
    note(f"wrote {path}")


def _saved(model: Model, out: Path | None) -> tuple[Path | None, MissingFileError | None]:
    """Save a model; return the file, or the error, so that the tree is still printed."""
    from structtree.models.files.models import save_model

    if out is None:
        return None, None
    try:
        save_model(model, out)
    except MissingFileError as refusal:
        return None, refusal
    return (None if is_printed(out) else out), None


@dataclass(frozen=True, slots=True, eq=False)
class _Learned:
    """Result of a fit, with the figures to print."""

    fit: SourceFit

    @property
    def model(self) -> Model:
        """The model."""
        return self.fit.model

    @property
    def distilled(self) -> DistilledModel | None:
        """The model, if it is a tree that imitates an ensemble."""
        from structtree.learn.distilling import DistilledModel

        return self.model if isinstance(self.model, DistilledModel) else None

    @property
    def noun(self) -> str:
        """The kind of model, in words."""
        if self.model.settings.rules is None:
            return "tree"
        return "rule set" if self.is_set else "rule list"

    @property
    def is_set(self) -> bool:
        """Whether the model is a rule set."""
        from structtree.models.rule_set import RuleSetPredictor

        return isinstance(self.model.predictor, RuleSetPredictor)

    @property
    def stopped_by(self) -> str | None:
        """The reason why growth ended early."""
        return self.model.outcome.stopped_by

    @property
    def unproved(self) -> list[dict[str, Any]]:
        """The nodes where a better test may have been missed; at a leaf, any test."""
        nodes = self.model.tree.nodes
        return [
            {
                "node": each.node,
                "test": _test_text(nodes[each.node]),
                "gap": finite(each.gap),
                "stopped_by": each.reason,
            }
            for each in self.model.tree.caveats
        ]

    @property
    def evaluated(self) -> int:
        """The number of predicates evaluated for the tests of the tree."""
        from structtree.models.tree import Leaf

        return sum(node.found.evaluated for node in self.model.tree.nodes if not isinstance(node, Leaf))

    def _tree_facts(self) -> dict[str, Any]:
        from structtree.evaluation.sizes import size_menu

        tree, menu = self.model.tree, [each._asdict() for each in size_menu(self.model)]
        sizes = {"leaves": len(tree.leaves), "depth": tree.depth, "sizes": menu}
        return sizes | {"evaluated": self.evaluated, "unproved": self.unproved}

    def _imitation(self, metrics: Metrics, estimated: ScoreEstimate) -> dict[str, Any]:
        if self.distilled is None:
            return {}
        found = {"training": self.distilled.fidelity}
        if estimated.imitation is None:
            return {"fidelity": found}
        plain = estimated.imitation.plain.evaluate(metrics.names).to_dict()
        return {"fidelity": found | {"estimate": estimated.imitation.fidelity}, "plain_tree": plain}

    def _model_facts(self) -> dict[str, Any]:
        """Return the figures of the kind of model."""
        from structtree.report.rules import rule_facts, rules_of

        settings = self.model.settings
        if settings.is_ensemble:
            return ensemble_json(self.fit)
        shape = {} if self.is_set else self._tree_facts()
        return shape if settings.rules is None else shape | {"rules": rule_facts(rules_of(self.model))}

    def to_dict(self, metrics: Metrics, estimated: ScoreEstimate) -> dict[str, Any]:
        """Return the figures, for JSON."""
        from structtree.evaluation.score import main_metric

        model = self.model
        main = main_metric(model.task)
        held_out = None if estimated.found is None else estimated.found.evaluate(metrics.names).to_dict()
        return {
            "data": self.fit.training.source.shown,
            "individuals": len(self.fit.training.labels),
            "target": self.model.target,
            "task": model.task.name,
            "criterion": self.model.settings.criterion,
            "growth": asdict(self.model.settings.growth),
            "pruning": asdict(self.model.settings.pruning),
            "grammar": grammar_facts(self.fit.grammar, self.fit.training.data),
            **self._model_facts(),
            "train_score": finite(self.fit.train_scores([main])[main]),
            "measure": model.task.metrics[main].label,
            "training": self.fit.train_scores(metrics.names).to_dict(),
            "estimate": held_out if held_out is None else held_out | _how(estimated),
            **self._imitation(metrics, estimated),
            "stopped_by": self.stopped_by,
            "skipped": list(self.model.outcome.skipped),
            "seconds": self.fit.seconds,
            "reading_seconds": self.fit.reading_seconds,
            "compile_seconds": self.fit.compile_seconds,
        }


def _how(estimated: ScoreEstimate) -> dict[str, Any]:
    from structtree.evaluation.out_of_bag import OutOfBag
    from structtree.session.fitting import ESTIMATE_FOLDS

    return {"out_of_bag": True} if isinstance(estimated.found, OutOfBag) else {"folds": ESTIMATE_FOLDS}


def _test_text(node: Node) -> str | None:
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
    learned: _Learned, estimated: ScoreEstimate, metrics: Metrics, out: Path | None, *, plain: bool
) -> None:
    from structtree.session.fitting import ESTIMATE_FOLDS

    model = learned.model
    is_large = model.settings.rules is None and len(model.tree.leaves) > MOST_LEAVES
    if learned.stopped_by == "time":
        say(f"Time limit reached: this is the best {learned.noun} found so far.")
    print_tree(model, max_depth=SHOWN_DEPTH if is_large else None, plain=plain)
    columns = {"training data": learned.fit.train_scores(metrics.names)}
    if estimated.found is not None:
        columns = {f"new data ({ESTIMATE_FOLDS} folds)": estimated.found.evaluate(metrics.names)} | columns
    if estimated.imitation is not None:
        columns |= {f"plain tree ({ESTIMATE_FOLDS} folds)": estimated.imitation.plain.evaluate(metrics.names)}
    if (forest := _imitated(learned)) is not None:
        columns |= {"forest (out of bag)": forest.evaluate(metrics.names)}
    no_estimate = [] if estimated.why_not is None else [f"New data: {estimated.why_not.sentence(as_flag)}"]
    for line in ["", *metrics.lines(str(model.target), columns), "", *no_estimate]:
        say(line)
    for line in _fidelity_lines(learned, estimated):
        say(line)
    say("; ".join(_size_and_cost(learned)))
    say(f"Settings: {_settings_text(model.settings)}")
    print_grammar(learned.fit.grammar, learned.fit.training.data)
    if out is not None:
        say(f"saved {out}; use it with: structtree predict {quote(str(out))} DATA")
    if is_large:
        whole = f"structtree show {quote(str(out))}" if out else "save it with -o MODEL.json and use structtree show"
        note(f"printed to depth {SHOWN_DEPTH}; for the whole tree: {whole}")
    is_chosen = model.settings.rules is None and model.settings.size.by == "cross-validation"
    if is_large or (is_chosen and len(model.tree.leaves) > MANY_LEAVES):
        note("for a smaller tree, use --for reading; structtree cv shows its scores on new data")


def _imitated(learned: _Learned) -> OutOfBag | None:
    """Return the predictions out of bag of the forest that a tree imitates."""
    from structtree.evaluation.out_of_bag import out_of_bag

    model = learned.distilled
    return (
        None if model is None or model.ensemble is None else out_of_bag(model.ensemble, learned.fit.training.labels)
    )


def _fidelity_lines(learned: _Learned, estimated: ScoreEstimate) -> Iterator[str]:
    """Yield how well a tree imitates a forest."""
    model = learned.distilled
    if model is None or model.ensemble is None:
        return
    what = "the same class" if model.classes else "R²"
    new = "" if estimated.imitation is None else f"{estimated.imitation.fidelity:.3f} on new data, "
    noun = model.ensemble.predictor.noun
    yield f"fidelity to the {noun} ({what}): {new}{model.fidelity:.3f} on the training data"
    yield ""


def _size_and_cost(learned: _Learned) -> Iterator[str]:
    """Yield the size of a tree or of rules, the cost of learning, and whether the tests are proved best."""
    from structtree.space.terms import n_literals

    model, seconds = learned.model, f"{seconds_text(learned.fit.seconds)} s"
    if model.settings.rules is not None:
        tests = model.predictor.tests
        literals = sum(map(n_literals, tests))
        yield f"{number_text(tests, 'rule')} and a default, with {number_text(literals, 'literal')}"
    else:
        yield f"{number_text(model.tree.leaves, 'leaf', 'leaves')}, depth {model.tree.depth}"
    if learned.is_set:
        yield f"learned in {seconds}"
    else:
        yield _cost(learned)
        yield _proof(learned)


def _cost(learned: _Learned) -> str:
    """Return the cost of learning; a tree without tests does not record how many were evaluated."""
    seconds = f"{seconds_text(learned.fit.seconds)} s"
    return (
        f"{learned.evaluated:,} predicates evaluated in {seconds}" if learned.evaluated else f"learned in {seconds}"
    )


def _proof(learned: _Learned) -> str:
    """Return whether the tests are proved best, or why there are none."""
    from structtree.report.caveats import count_caveats

    tree, settings = learned.model.tree, learned.model.settings
    if tree.caveats:
        return count_caveats(tree.caveats, len(tree.branches))
    if tree.branches:
        return "every test is proved best"
    labels = learned.fit.training.labels
    if (labels == labels[0]).all():
        return "all labels are identical"
    if settings.pruning.method:
        found = " found in time" if learned.stopped_by == "time" else ""
        return f"pruned to one leaf, since no test{found} improves the predictions"
    if settings.growth.stop:
        return f"no test passes the stopping rule {settings.growth.stop!r}"
    return f"no test of the grammar improves the {learned.noun} within the growth limits"


def _settings_text(settings: Settings) -> str:
    """Return the criterion and the options that determined the size of the tree."""
    growth = settings.growth
    parts = [f"for {settings.goal}"] if settings.goal is not None else []
    word = "criterion" if settings.rules is None else "measure"
    parts += [f"{word} {settings.criterion}", f"size {settings.size}"]
    if settings.rules is None:
        parts.append(f"minimum samples per leaf {growth.min_samples_leaf}")
        parts += [f"maximum depth {growth.max_depth}"] if growth.max_depth is not None else []
    else:
        most = settings.rules.literals
        parts.append("at most 3 conditions" if most is None else f"at most {number_text(most, 'literal')}")
        parts.append(f"minimum support {growth.min_samples_leaf}")
        parts += [f"at most {number_text(settings.rules.max_rules, 'rule')}"] if settings.rules.max_rules else []
        parts += ["one class after the other"] if settings.rules.order == "class" else []
    parts += [f"at most {growth.max_leaf_nodes} leaves"] if growth.max_leaf_nodes is not None else []
    parts += [f"cost tolerance {growth.tolerance:g}"] if growth.tolerance else []
    parts += [f"stopping rule {growth.stop}"] if growth.stop else []
    return ", ".join(parts)
